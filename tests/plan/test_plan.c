/* Plans: the same bits as satf_filter_apply(), decided once, and runs that only run. */
#include "test.h"
#include <stdatomic.h>

#include "base/device/gpu.h"
#include "base/parallel.h"
#include "plan/plan.h"
#include "sat/sat.h"
#include "ways.h"
#include "sums/march/plan.h"

/* ------------------------------------------------------------------ what runs may not do */

/* The library's allocations all end here. */
static _Atomic int allocations;
static _Atomic size_t largest;

void *aligned_alloc(size_t alignment, size_t bytes)
{
    void *memory = NULL;
    atomic_fetch_add(&allocations, 1);
    if (bytes > atomic_load(&largest)) {
        atomic_store(&largest, bytes);
    }
    return posix_memalign(&memory, alignment, bytes) ? NULL : memory;
}

/* Calls that decide something; the linker leads them here (--wrap). */
static _Atomic int decisions;

satf_status __real_sat_plan_make(satf_context *ctx, const sat_job *job, sat_plan *plan);
satf_status __wrap_sat_plan_make(satf_context *ctx, const sat_job *job, sat_plan *plan);
satf_status __wrap_sat_plan_make(satf_context *ctx, const sat_job *job, sat_plan *plan)
{
    atomic_fetch_add(&decisions, 1);
    return __real_sat_plan_make(ctx, job, plan);
}

satf_status __real_window_plan_make(satf_context *ctx, const window_spec *spec, window_plan *plan);
satf_status __wrap_window_plan_make(satf_context *ctx, const window_spec *spec, window_plan *plan);
satf_status __wrap_window_plan_make(satf_context *ctx, const window_spec *spec, window_plan *plan)
{
    atomic_fetch_add(&decisions, 1);
    return __real_window_plan_make(ctx, spec, plan);
}

void __real_window_prepare(const window_plan *plan, void *memory);
void __wrap_window_prepare(const window_plan *plan, void *memory);
void __wrap_window_prepare(const window_plan *plan, void *memory)
{
    atomic_fetch_add(&decisions, 1);
    __real_window_prepare(plan, memory);
}

satf_status __real_filter_step_plan(satf_context *ctx, const filter_step_spec *spec,
                                    filter_step *step);
satf_status __wrap_filter_step_plan(satf_context *ctx, const filter_step_spec *spec,
                                    filter_step *step);
satf_status __wrap_filter_step_plan(satf_context *ctx, const filter_step_spec *spec,
                                    filter_step *step)
{
    atomic_fetch_add(&decisions, 1);
    return __real_filter_step_plan(ctx, spec, step);
}

char *__real_getenv(const char *name);
char *__wrap_getenv(const char *name);
char *__wrap_getenv(const char *name)
{
    atomic_fetch_add(&decisions, 1);
    return __real_getenv(name);
}

/* A device that is there when it is asked for, and fails when it is used. */
static struct {
    bool there;
    satf_status status; /* that it fails with */
    int asked;
} pretended;

static int count(const char **why)
{
    (void)why;
    pretended.asked++;
    return 1;
}

static bool describe(int device, satf_gpu_info *info)
{
    (void)device;
    *info = (satf_gpu_info){.name = "a device of the test", .runs_kernels = true};
    return true;
}

static satf_status open_device(satf_context *ctx, int device)
{
    (void)device;
    return satf_fail(ctx, pretended.status, "the test's device does not open");
}

const satf_backend *__real_satf_cuda(void);
const satf_backend *__wrap_satf_cuda(void);
const satf_backend *__wrap_satf_cuda(void)
{
    static satf_backend backend;
    backend = *__real_satf_cuda();
    if (pretended.there) {
        backend.count = count;
        backend.describe = describe;
        backend.open = open_device;
    }
    return &backend;
}

/* ----------------------------------------------------------------------------- cases */

enum { W = 131, H = 77, MOST = (W + 1) * (H + 1) * 4 * 8 };

/* The image's samples turned around, so that two runs differ. */
static void turn_around(const satf_view *view)
{
    size_t pixel = (size_t)satf_pixel_bytes(view);
    for (int64_t k = 0; k < view->height * (view->width / 2); k++) {
        int64_t x = k / view->height, y = k % view->height;
        char saved[64], *a = pixel_at(view, x, y), *b = pixel_at(view, view->width - 1 - x, y);
        memcpy(saved, a, pixel);
        memcpy(a, b, pixel);
        memcpy(b, saved, pixel);
    }
}

/* Three runs on other pixels at other places equal calls of another context. */
static void check_plan(satf_context *ctx, const every_case *c)
{
    static char got[MOST + 1];
    const satf_view *in = &c->in;
    SCOPED_CONTEXT *other;
    SCOPED_PLAN *plan;
    MUST(ctx, satf_context_create(&other));
    MUST(other, satf_context_set_engine(other, ctx->settings.engine));
    SCOPED_VIEW want = output_of(ctx, c->filter, in);
    satf_view out = want;
    MUST(ctx, satf_plan_create(ctx, c->filter, in, 1, &want, 1, &plan));
    for (int run = 0; run < 3; run++) {
        memset(got, 7, sizeof got);
        MUST(other, satf_filter_apply(other, c->filter, in, &want));
        out.data = got + run % 2;
        int before = atomic_load(&allocations) + atomic_load(&decisions);
        MUST(ctx, satf_plan_run(plan, in, 1, &out, 1));
        if (run > 0 && atomic_load(&allocations) + atomic_load(&decisions) != before) {
            fail_msg("%s: a run decides or allocates", c->what);
        }
        require_same(c->what, "a plan", &out, &want);
        turn_around(in);
    }
}

TEST(test_every_filter)
{
    satf_context_set_threads(ctx, 2);
    every_filter(ctx, W, H, check_plan);
}

TEST(test_chains)
{
    static const char *const specs[] = {
        "box=5 variance=3 rotate=90 box=9x2", "stddev=3 integral", "wolf=5 box=3",
        "box=3 box=4 box=5,border=wrap transpose flip=v box=7,border=shrink"};
    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
        for (int engine = SATF_ENGINE_AUTO; engine <= SATF_ENGINE_SAT; engine += SATF_ENGINE_SAT) {
            SCOPED_VIEW in = draw_image(W, H, k % 3 ? 3 : 1, SATF_U8, 0, 5, k);
            satf_context_set_engine(ctx, (satf_engine)engine);
            SCOPED_FILTER *filter = parse_filter(ctx, specs[k]);
            check_plan(ctx, &(every_case){filter, NULL, in, specs[k]});
        }
    }
}

/* A thousand runs do what one does, also once the filter is gone. */
TEST(test_thousand)
{
    satf_filter *filter = parse_filter(ctx, "box=5 rotate=180 box=3");
    SCOPED_VIEW from = draw_bytes(64, 64, 1, SATF_U8, 0, 1), first = view_like(&from, 0);
    SCOPED_VIEW to = view_like(&from, 0);
    SCOPED_PLAN *plan;
    int deciding = atomic_load(&decisions);
    MUST(ctx, satf_plan_create(ctx, filter, &from, 1, &to, 1, &plan));
    assert_true(atomic_load(&decisions) >= deciding + 3 + 2 + 2); /* steps, windows; prepared */
    satf_filter_destroy(filter);
    MUST(ctx, satf_plan_run(plan, &from, 1, &first, 1));
    int before = atomic_load(&allocations) + atomic_load(&decisions);
    for (int i = 0; i < 1000; i++) {
        MUST(ctx, satf_plan_run(plan, &from, 1, &to, 1));
    }
    assert_int_equal(atomic_load(&allocations) + atomic_load(&decisions), before);
    require_same("box rotate box", "run 1000", &to, &first);
}

/* The second filter reads nothing of an input that is long, narrow and bottom up, which lies at the
 * end of its memory. */
TEST(test_bottom_up)
{
    enum { LONG = 1000 };
    SCOPED_VIEW up = draw_bytes(1, LONG, 1, SATF_U8, 0, 1),
                row = draw_bytes(LONG, 1, 1, SATF_U8, 0, 1);
    satf_view from = up;
    from.data = satf_row(&up, LONG - 1);
    from.stride = -1;
    for (int i = 0; i < LONG; i++) {
        ((uint8_t *)row.data)[i] = *(uint8_t *)satf_row(&from, i);
    }
    SCOPED_VIEW got = made_by(ctx, "transpose unsharp=3", &from),
                want = made_by(ctx, "unsharp=3", &row);
    require_same("transpose unsharp=3", "bottom up", &got, &want);
}

/* -------------------------------------------------------------------------- decisions */

static void expect_step(const satf_plan *plan, size_t index, const char *filter, const char *engine,
                        const char *algorithm)
{
    satf_used used;
    assert_string_equal(satf_plan_step(plan, index, &used, sizeof used), filter);
    assert_string_equal(used.engine, engine);
    assert_string_equal(used.device, "cpu");
    if (algorithm) {
        assert_string_equal(used.algorithm, algorithm);
    } else {
        assert_null(used.algorithm);
    }
}

TEST(test_describe)
{
    SCOPED_FILTER *filter = parse_filter(ctx, "box=5 flip=h box=9");
    satf_view view = satf_view_packed(NULL, 640, 480, 3, SATF_U8);
    satf_plan *plan;
    satf_plan_info info;
    MUST(ctx, satf_plan_create(ctx, filter, &view, 1, &view, 1, &plan));
    satf_plan_describe(plan, &info, sizeof info);
    assert_int_equal(info.steps, 3);
    assert_int_equal(info.device, SATF_HOST);
    assert_true(info.ms > 0 && info.memory_bytes > 2 * view.stride * view.height);
    double marched = info.ms;
    expect_step(plan, 0, "box", "window", NULL);
    expect_step(plan, 1, "flip", "move", NULL);
    expect_step(plan, 2, "box", "window", NULL);
    assert_null(satf_plan_step(plan, 3, NULL, 0));
    satf_plan_destroy(plan);

    /* A named algorithm is taken, though marching is faster. */
    MUST(ctx, satf_context_set_algorithm(ctx, "reference"));
    MUST(ctx, satf_plan_create(ctx, filter, &view, 1, &view, 1, &plan));
    MUST(ctx, satf_context_set_algorithm(ctx, "auto"));
    expect_step(plan, 0, "box", "sat", "reference");
    expect_step(plan, 1, "flip", "move", NULL);
    satf_plan_describe(plan, &info, sizeof info);
    assert_true(info.ms > marched);
    satf_plan_destroy(plan);

    satf_plan_describe(NULL, &info, sizeof info);
    assert_int_equal(info.steps, 0);
    assert_null(satf_plan_step(NULL, 0, NULL, 0));
    satf_plan_destroy(NULL);
}

/* A chain that is worth a device by a rough estimate, on a thread. */
static satf_filter *expensive(satf_context *ctx, int64_t side)
{
    static satf_weighted_rect rects[FILTER_MAX_RECTS];
    satf_filter *chain = NULL;
    for (int i = 0; i < FILTER_MAX_RECTS; i++) {
        rects[i] = (satf_weighted_rect){{i % 7 - 3, i % 5 - 2, 2, 2}, i % 3 - 1};
    }
    for (double ms = 0; ms < 300; ms += (double)(side * side) * FILTER_MAX_RECTS * 3 / 1e6) {
        satf_filter *more;
        MUST(ctx, satf_filter_create(ctx, "template", &more));
        MUST(ctx, satf_filter_set_rects(ctx, more, rects, FILTER_MAX_RECTS));
        if (chain) {
            MUST(ctx, satf_filter_append(ctx, chain, more));
            satf_filter_destroy(more);
        } else {
            chain = more;
        }
    }
    return chain;
}

static void expect_cpu(satf_context *ctx, const satf_plan *plan)
{
    satf_plan_info info;
    satf_used used;
    satf_plan_describe(plan, &info, sizeof info);
    assert_int_equal(info.device, SATF_HOST);
    satf_context_used(ctx, &used, sizeof used);
    assert_string_equal(used.device, "cpu");
}

/* Nobody asks for a device until it would be faster; what fails there is done on the CPU. */
TEST(test_automatic)
{
    enum { SIDE = 128 };
    SCOPED_CONTEXT *own;
    MUST(ctx, satf_context_create(&own));
    satf_context_set_threads(own, 1);
    SCOPED_VIEW from = draw_bytes(SIDE, SIDE, 1, SATF_U8, 0, 1);
    SCOPED_FILTER *cheap = parse_filter(own, "variance=5"), *dear = expensive(own, SIDE);
    pretended.there = true;
    pretended.asked = 0;
    SCOPED_VIEW want = result_of(own, dear, &from), to = view_like(&want, 0); /* the default */
    satf_plan *plan;
    assert_int_equal(to.type, SATF_F64);
    MUST(own, satf_context_set_device(own, SATF_DEVICE_AUTO));
    MUST(own, satf_filter_apply(own, cheap, &from, &to));
    size_t bytes;
    MUST(own, satf_filter_scratch(own, dear, &from, &to, &bytes));
    assert_int_equal(pretended.asked, 0);
    assert_true(bytes > 0);
    static const satf_status failures[] = {SATF_NO_DEVICE, SATF_NO_MEMORY, SATF_DEVICE_FAILED};
    for (int i = 0; i < 3; i++) {
        pretended.status = failures[i];
        satf_context_forget(own);
        MUST(own, satf_filter_apply(own, dear, &from, &to));
        require_same("templates", "after a failure", &to, &want);
        assert_true(pretended.asked > i);
        MUST(own, satf_plan_create(own, dear, &from, 1, &to, 1, &plan));
        expect_cpu(own, plan);
        satf_plan_destroy(plan);
    }
    int asked = pretended.asked;
    MUST(own, satf_filter_apply(own, dear, &from, &to));
    assert_int_equal(pretended.asked, asked); /* the CPU's plan serves the next call */
    MUST(own, satf_context_set_device(own, SATF_CUDA(0)));
    assert_int_equal(satf_filter_apply(own, dear, &from, &to), SATF_DEVICE_FAILED);
    pretended.there = false;
}

TEST(test_refusals)
{
    static uint8_t memory[2][64 * 64];
    SCOPED_FILTER *filter = parse_filter(ctx, "box=5"), *empty;
    satf_view view = satf_view_packed(NULL, 64, 64, 1, SATF_U8), narrow = view;
    SCOPED_PLAN *plan = (satf_plan *)memory;
    narrow.width = 63;
    assert_int_equal(satf_plan_create(NULL, filter, &view, 1, &view, 1, &plan), SATF_INVALID);
    assert_null(plan);
    expect(ctx, satf_plan_create(ctx, NULL, &view, 1, &view, 1, &plan), SATF_INVALID, "filter");
    expect(ctx, satf_plan_create(ctx, filter, NULL, 1, &view, 1, &plan), SATF_INVALID, "inputs");
    expect(ctx, satf_plan_create(ctx, filter, &view, 1, NULL, 1, &plan), SATF_INVALID, "outputs");
    expect(ctx, satf_plan_create(ctx, filter, &view, 1, &view, 1, NULL), SATF_INVALID, "result");
    expect(ctx, satf_plan_create(ctx, filter, &view, 2, &view, 1, &plan), SATF_INVALID, "2 inputs");
    expect(ctx, satf_plan_create(ctx, filter, &view, 1, &narrow, 1, &plan), SATF_INVALID,
           "it must be 64 x 64");
    MUST(ctx, satf_filter_create(ctx, "template", &empty));
    expect(ctx, satf_plan_create(ctx, empty, &view, 1, &view, 1, &plan), SATF_INVALID,
           "no rectangles");
    satf_context_set_limit(ctx, SATF_LIMIT_MEMORY, 100);
    expect(ctx, satf_plan_create(ctx, filter, &view, 1, &view, 1, &plan), SATF_LIMIT,
           "limit: max-memory");
    satf_context_set_limit(ctx, SATF_LIMIT_MEMORY, 0);
    assert_null(plan);

    satf_context_set_threads(ctx, 1);
    MUST(ctx, satf_plan_create(ctx, filter, &view, 1, &view, 1, &plan));
    satf_view in[2] = {view, view}, out[2] = {view, view};
    in[0].data = memory[0];
    out[0].data = memory[1];
    assert_int_equal(satf_plan_run(NULL, in, 1, out, 1), SATF_INVALID);
    expect(ctx, satf_plan_run(plan, NULL, 1, out, 1), SATF_INVALID, "inputs are missing");
    expect(ctx, satf_plan_run(plan, in, 1, NULL, 1), SATF_INVALID, "outputs are missing");
    expect(ctx, satf_plan_run(plan, &view, 1, out, 1), SATF_INVALID, "the input is missing");
    expect(ctx, satf_plan_run(plan, in, 1, &view, 1), SATF_INVALID, "the output is missing");
    for (size_t count = 0; count <= 2; count += 2) {
        expect(ctx, satf_plan_run(plan, in, count, out, 1), SATF_INVALID, "was made for 1 and 1");
        expect(ctx, satf_plan_run(plan, in, 1, out, count), SATF_INVALID, "was made for 1 and 1");
    }
    out[1].data = memory[0] + 100;
    expect(ctx, satf_plan_run(plan, in, 1, &out[1], 1), SATF_INVALID, "overlaps");
    satf_context_set_threads(ctx, 2);
    expect(ctx, satf_plan_run(plan, in, 1, out, 1), SATF_INVALID, "made for 1 threads");
    satf_context_set_threads(ctx, 1);
    MUST(ctx, satf_plan_run(plan, in, 1, out, 1));
}

/* A run refuses images that differ from the plan's in anything but their data. */
TEST(test_other_images)
{
    static unsigned char memory[2][64 * 64];
    SCOPED_FILTER *filter = parse_filter(ctx, "box=3");
    satf_view view = satf_view_packed(memory[0], 64, 60, 1, SATF_U8);
    satf_view other[] = {view, view, view, view, view, view, view, view, view};
    SCOPED_PLAN *plan;
    MUST(ctx, satf_plan_create(ctx, filter, &view, 1, &view, 1, &plan));
    other[0].width = 63;
    other[1].height = 61;
    other[2].stride = 65;
    other[3].channels = 2;
    other[4].type = SATF_U16;
    other[5].device = SATF_CUDA(0);
    other[6].flags = SATF_ALPHA;
    other[7].pixel_stride = 2;
    other[8].full = 100;
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        satf_view like = view;
        like.data = memory[1];
        expect(ctx, satf_plan_run(plan, &other[i], 1, &like, 1), SATF_INVALID,
               "the input is not like the view that the plan was made for");
        other[i].data = memory[1];
        expect(ctx, satf_plan_run(plan, &view, 1, &other[i], 1), SATF_INVALID,
               "the output is not like the view that the plan was made for");
    }
}

/* ---------------------------------------------------------------- the context's own plan */

/* It serves calls of the same shape, and gives way to whatever makes another result. */
TEST(test_kept)
{
    SCOPED_VIEW from = draw_bytes(64, 64, 1, SATF_U8, 0, 1), to = view_like(&from, 0);
    SCOPED_FILTER *filter = parse_filter(ctx, "box=5");
    SCOPED_VIEW want = result_of(ctx, filter, &from);
    satf_view none = to;
    int before = atomic_load(&allocations) + atomic_load(&decisions);
    MUST(ctx, satf_filter_apply(ctx, filter, &from, &to));
    assert_int_equal(atomic_load(&allocations) + atomic_load(&decisions), before);
    require_same("box=5", "the plan", &to, &want);

    satf_used used;
    MUST(ctx, satf_context_set_engine(ctx, SATF_ENGINE_SAT));
    MUST(ctx, satf_filter_apply(ctx, filter, &from, &to));
    satf_context_used(ctx, &used, sizeof used);
    assert_string_equal(used.engine, "sat");
    require_same("box=5", "another engine", &to, &want);
    MUST(ctx, satf_context_set_engine(ctx, SATF_ENGINE_AUTO));

    MUST(ctx, satf_filter_set(ctx, filter, "size", "1"));
    MUST(ctx, satf_filter_apply(ctx, filter, &from, &to));
    require_same("box=1", "another window", &to, &from);

    /* Bad views are told of though a plan would serve. */
    none.data = NULL;
    expect(ctx, satf_filter_apply(ctx, filter, &from, &from), SATF_INVALID, "overlaps");
    expect(ctx, satf_filter_apply(ctx, filter, &from, &none), SATF_INVALID, "no data");
}

/* Its memory is kept up to a bound. */
TEST(test_bound)
{
    enum { SIDE = 4200, BOUND = 64 << 20 };
    SCOPED_FILTER *filter = parse_filter(ctx, "box=5");
    satf_context_set_engine(ctx, SATF_ENGINE_SAT);
    for (int64_t height = SIDE / 4; height <= SIDE; height += SIDE - SIDE / 4) {
        satf_view like = satf_view_packed(NULL, SIDE, height, 1, SATF_U8);
        SCOPED_VIEW from = view_like(&like, 0), to = view_like(&like, 0);
        MUST(ctx, satf_filter_apply(ctx, filter, &from, &to));
        atomic_store(&largest, 0);
        MUST(ctx, satf_filter_apply(ctx, filter, &from, &to));
        bool again = atomic_load(&largest) > 0;
        assert_int_equal(again, height * SIDE * 4 > BOUND);
    }
}

TEST_FILE(.shared = true)
