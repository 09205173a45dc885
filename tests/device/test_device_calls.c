/*
 * What calls owe a device (a fake one): memory of the program's allocator, filters that are
 * destroyed before the device has read them, plans of two outputs, stacks of images.
 */
#include "test.h"

#define TESTS_FAKE_DEVICE_USER
#include "fake_device.h"
#include "chain/chain.h"
#include "filter_make.h"
#include "filter_reference.h"

enum { W = 43, H = 31, DEVICE = SATF_CUDA(0) };

static fake_device *fake;
static uint8_t pixels[4 * W * H];

/* ---------------------------------------------------------------- the allocator */

/* One of the program's: blocks with their size in front. */
typedef struct allocator {
    long taken, blocks;
    size_t held, shift; /* bytes; memory begins so far behind what is aligned */
    long fail_at;       /* which is refused; 0: none */
    const void *stream; /* of all calls */
    bool other_stream;
} allocator;

static void *take(void *user, size_t bytes, void *stream)
{
    allocator *a = user;
    a->other_stream = a->other_stream || (a->stream && a->stream != stream);
    a->stream = stream;
    if (++a->taken == a->fail_at) {
        return NULL;
    }
    char *memory = aligned_alloc(256, 512 + (bytes + 255) / 256 * 256);
    assert_non_null(memory);
    memset(memory, 0x5A, 512 + bytes);
    memcpy(memory + a->shift, &bytes, sizeof bytes);
    a->held += bytes;
    a->blocks++;
    return memory + 256 + a->shift;
}

static void give(void *user, void *memory, size_t bytes, void *stream)
{
    allocator *a = user;
    size_t taken;
    SCOPED char *block = (char *)memory - a->shift - 256;
    memcpy(&taken, block + a->shift, sizeof taken);
    assert_int_equal(taken, bytes);
    a->other_stream = a->other_stream || a->stream != stream;
    a->held -= bytes;
    a->blocks--;
}

/* What calls and plans take comes from it and goes back to it, all of it. */
TEST(test_allocator)
{
    static const char *const specs[] = {"box=5 variance=3", "guided=3", "integral", "template",
                                        "wolf=5"};
    SCOPED_CONTEXT *cpu;
    static char got[W * H * 8], want[W * H * 8];
    assert_int_equal(satf_context_create(&cpu), SATF_OK);
    satf_context_set_engine(cpu, SATF_ENGINE_SAT);
    satf_context_set_engine(ctx, SATF_ENGINE_SAT);
    assert_int_equal(satf_context_set_device(ctx, DEVICE), SATF_OK);
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        allocator a = {.fail_at = 0};
        satf_view in = satf_view_packed(pixels, W, H, 1, SATF_U8), out;
        const filter_info *info = filter_info_find("template");
        SCOPED_FILTER *filter = strcmp(specs[i], "template") == 0
                                    ? make_filter_of(ctx, info, 0, NULL, NULL, W, H)
                                    : parse_filter(ctx, specs[i]);
        assert_int_equal(satf_filter_output(ctx, filter, &in, &out), SATF_OK);
        out.data = want;
        assert_int_equal(satf_filter_apply(cpu, filter, &in, &out), SATF_OK);
        assert_int_equal(satf_context_set_allocator(ctx, take, give, &a), SATF_OK);
        long blocks = fake->blocks;
        satf_plan *plan;
        satf_plan_info about;
        out.data = got;
        assert_int_equal(satf_plan_create(ctx, filter, &in, 1, &out, 1, &plan), SATF_OK);
        satf_plan_describe(plan, &about, sizeof about);
        assert_true((int64_t)a.held >= about.memory_bytes && about.memory_bytes > 0);
        for (int run = 0; run < 3; run++) {
            memset(got, run, sizeof got);
            satf_status status = run < 2 ? satf_plan_run(plan, &in, 1, &out, 1)
                                         : satf_filter_apply(ctx, filter, &in, &out);
            assert_int_equal(status, SATF_OK);
            assert_memory_equal(got, want, (size_t)(out.stride * out.height));
        }
        assert_int_equal(fake->blocks, blocks); /* none of the device's own */
        assert_true(a.blocks >= 2);
        /* What the context keeps goes back at once, what a plan has with the plan. */
        assert_int_equal(satf_context_set_allocator(ctx, NULL, NULL, NULL), SATF_OK);
        assert_int_equal(a.blocks, 1);
        long taken = a.taken;
        assert_int_equal(satf_filter_apply(ctx, filter, &in, &out), SATF_OK);
        assert_int_equal(a.taken, taken);
        satf_plan_destroy(plan);
        assert_true(a.blocks == 0 && a.held == 0 && !a.other_stream);
    }
}

TEST(test_allocator_tables)
{
    allocator a = {.fail_at = 0};
    static uint32_t sums[W * H];
    satf_view in = satf_view_packed(pixels, W, H, 1, SATF_U8);
    satf_view out = satf_view_packed(sums, W, H, 1, SATF_U32);
    assert_int_equal(satf_context_set_device(ctx, DEVICE), SATF_OK);
    assert_int_equal(satf_context_set_allocator(ctx, take, give, &a), SATF_OK);
    assert_int_equal(satf_sat(ctx, &in, &out, 0), SATF_OK);
    assert_true(a.taken >= 2 && a.blocks == 0);
}

/* One that has no more is an error with a sentence, once what the context keeps is given up. */
TEST(test_allocator_fails)
{
    allocator a = {.fail_at = 2};
    satf_view in = satf_view_packed(pixels, W, H, 1, SATF_U8), out = in;
    uint8_t made[W * H];
    SCOPED_FILTER *small = parse_filter(ctx, "box=3"), *other = parse_filter(ctx, "box=5");
    out.data = made;
    assert_int_equal(satf_context_set_device(ctx, DEVICE), SATF_OK);
    assert_int_equal(satf_context_set_allocator(ctx, take, give, &a), SATF_OK);
    satf_plan *plan, *more;
    assert_int_equal(satf_plan_create(ctx, small, &in, 1, &out, 1, &plan), SATF_OK);
    assert_int_equal(satf_plan_create(ctx, other, &in, 1, &out, 1, &more), SATF_OK);
    assert_int_equal(a.taken, 3); /* the second is asked for once more */
    satf_plan_destroy(more);
    a.shift = 64;
    expect(ctx, satf_filter_apply(ctx, other, &in, &out), SATF_INVALID, "aligned to 256 bytes");
    a.shift = 0;
    satf_plan_destroy(plan);
    assert_int_equal(a.blocks, 0);

    expect(ctx, satf_context_set_allocator(ctx, take, NULL, &a), SATF_INVALID, "free is missing");
    expect(ctx, satf_context_set_allocator(ctx, NULL, give, &a), SATF_INVALID, "alloc is missing");
    assert_int_equal(satf_context_set_allocator(NULL, take, give, &a), SATF_INVALID);
}

static void *take_nothing(void *user, size_t bytes, void *stream)
{
    (void)bytes, (void)stream;
    ++*(int *)user;
    return NULL;
}

TEST(test_nothing_left)
{
    int asked = 0;
    satf_view in = satf_view_packed(pixels, W, H, 1, SATF_U8), out = in;
    uint8_t made[W * H];
    SCOPED_FILTER *filter = parse_filter(ctx, "box=3");
    out.data = made;
    assert_int_equal(satf_context_set_device(ctx, DEVICE), SATF_OK);
    assert_int_equal(satf_context_set_allocator(ctx, take_nothing, give, &asked), SATF_OK);
    expect(ctx, satf_filter_apply(ctx, filter, &in, &out), SATF_NO_MEMORY,
           "the program's allocator has not the");
    assert_true(asked >= 2);
}

/* ------------------------------------------------------------- filters that are gone */

/* The template of a filter, or its order, is there until the device has read it. */
TEST(test_destroyed)
{
    static const char *const names[] = {"template", "permute"};
    static double made[W * H];
    for (int k = 0; k < 4; k++) {
        satf_view in = satf_view_packed(pixels, W, H, 1, SATF_U8);
        satf_view out = satf_view_packed(made, W, H, 1, k % 2 ? SATF_U8 : SATF_F64);
        const filter_info *info = filter_info_find(names[k % 2]);
        satf_filter *filter = make_filter_of(ctx, info, 0, NULL, NULL, W, H);
        filter_rects *const *rects = chain_value(chain_last(filter), PARAM_TEMPLATE);
        filter_order *const *order = chain_value(chain_last(filter), PARAM_ORDER);
        _Atomic int *users = k % 2 ? &(*order)->users : &(*rects)->users;
        atomic_fetch_add(users, 1); /* the test's */
        fake_release held = {NULL, NULL};
        fake->held = &held;
        satf_context *user;
        assert_int_equal(satf_context_create(&user), SATF_OK);
        assert_int_equal(satf_context_set_device(user, DEVICE), SATF_OK);
        satf_plan *plan = NULL;
        satf_status status = k < 2 ? satf_filter_apply(user, filter, &in, &out)
                                   : satf_plan_create(user, filter, &in, 1, &out, 1, &plan);
        assert_int_equal(status, SATF_OK);
        satf_filter_destroy(filter);
        satf_plan_destroy(plan);
        satf_context_destroy(user);
        assert_non_null(held.release);
        assert_int_equal(atomic_load(users), 2); /* the test, and the stream */
        held.release(held.what);
        assert_int_equal(atomic_load(users), 1);
        k % 2 ? filter_order_release((filter_order *)held.what)
              : filter_rects_release((filter_rects *)held.what);
    }
}

/* ------------------------------------------------------------------ outputs, stacks */

/* Two plans make the two outputs there, and the CPU takes over for each. */
TEST(test_outputs)
{
    SCOPED_CONTEXT *cpu;
    static double got[2][W * H], want[2][W * H];
    satf_view in = satf_view_packed(pixels, W, H, 1, SATF_U8), out[2];
    SCOPED_FILTER *filter = parse_filter(ctx, "flip=h moments=7x5,border=valid");
    satf_plan *plan;
    satf_plan_info info;
    assert_int_equal(satf_context_create(&cpu), SATF_OK);
    assert_int_equal(satf_filter_output(ctx, filter, &in, &out[0]), SATF_OK);
    out[1] = out[0];
    for (int there = 0; there < 2; there++) {
        satf_context *user = there ? ctx : cpu;
        assert_int_equal(satf_context_set_device(user, there ? DEVICE : SATF_HOST), SATF_OK);
        for (int k = 0; k < 2; k++) {
            out[k].data = there ? got[k] : want[k];
        }
        assert_int_equal(satf_plan_create(user, filter, &in, 1, out, 2, &plan), SATF_OK);
        satf_plan_describe(plan, &info, sizeof info);
        assert_int_equal(info.device, there ? DEVICE : SATF_HOST);
        assert_int_equal(info.steps, 4);
        for (int run = 0; run < 2; run++) {
            assert_int_equal(satf_plan_run(plan, &in, 1, out, 2), SATF_OK);
        }
        satf_plan_destroy(plan);
    }
    assert_memory_equal(got, want, sizeof got);
    assert_true(want[1][0] > 0);
}

TEST(test_stack)
{
    enum { COUNT = 4, STEP = W * H };
    SCOPED_CONTEXT *cpu;
    static uint8_t got[COUNT * STEP], want[COUNT * STEP];
    satf_view in = satf_view_packed(pixels, W, H, 1, SATF_U8), out = in;
    SCOPED_FILTER *filter = parse_filter(ctx, "box=3 unsharp=5");
    assert_int_equal(satf_context_create(&cpu), SATF_OK);
    out.data = want;
    assert_int_equal(satf_filter_apply_stack(cpu, filter, &in, STEP, &out, STEP, COUNT), SATF_OK);
    assert_int_equal(satf_context_set_device(ctx, DEVICE), SATF_OK);
    out.data = got;
    assert_int_equal(satf_filter_apply_stack(ctx, filter, &in, STEP, &out, STEP, COUNT), SATF_OK);
    satf_used used;
    satf_context_used(ctx, &used, sizeof used);
    assert_string_equal(used.device, "cuda");
    assert_memory_equal(got, want, sizeof got);
}

/* ------------------------------------------------------------------------- orders */

/* A plan prepares it, and tells; a call moves the pixels. */
TEST(test_order)
{
    enum { SIDE = 64, PIXELS = SIDE * SIDE };
    static uint32_t from[PIXELS], to[PIXELS];
    static int64_t order[PIXELS];
    satf_view in = satf_view_packed(from, SIDE, SIDE, 1, SATF_U32), out = in;
    for (int k = 0; k < PIXELS; k++) {
        order[k] = PIXELS - 1 - k;
        from[k] = (uint32_t)k;
    }
    SCOPED_FILTER *filter;
    assert_int_equal(satf_filter_create(ctx, "permute", &filter), SATF_OK);
    assert_int_equal(satf_filter_set_order(ctx, filter, order, PIXELS), SATF_OK);
    assert_int_equal(satf_context_set_device(ctx, DEVICE), SATF_OK);
    out.data = to;
    for (int planned = 0; planned < 2; planned++) {
        satf_used used;
        SCOPED_PLAN *plan = NULL;
        memset(to, 0, sizeof to);
        if (planned) {
            assert_int_equal(satf_plan_create(ctx, filter, &in, 1, &out, 1, &plan), SATF_OK);
            assert_int_equal(satf_plan_run(plan, &in, 1, &out, 1), SATF_OK);
        } else {
            assert_int_equal(satf_filter_apply(ctx, filter, &in, &out), SATF_OK);
        }
        satf_context_used(ctx, &used, sizeof used);
        assert_string_equal(used.engine, planned ? "permute" : "move");
        assert_true((used.algorithm != NULL) == planned);
        for (int k = 0; k < PIXELS; k++) {
            assert_int_equal(to[k], PIXELS - 1 - k);
        }
    }
}

static int begin(void **state)
{
    (void)state;
    fake = fake_device_load();
    for (size_t i = 0; i < sizeof pixels; i++) {
        pixels[i] = (uint8_t)(i * i * 5 + i / 7);
    }
    return fake == NULL;
}

TEST_FILE(.begin = begin)
