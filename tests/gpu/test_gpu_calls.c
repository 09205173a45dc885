/*
 * The library's calls on a device: several threads at once, host views and their progress, tables
 * of more than 2^31 pixels, and memory that runs out.
 */
#include "cases.h"
#include "driver.h"
#include "filter_make.h"

#include <inttypes.h>
#include <pthread.h>

#include "base/memory.h"

/* ------------------------------------------------------------ several at a time */

enum { AT_ONCE = 2 };

typedef struct worker {
    pthread_t thread;
    unsigned seed;
    char problem[256]; /* cmocka reports from its own thread only */
} worker;

/* Tables and means of bytes by public calls, in memory of the device and of the host, against the
 * CPU's. */
static const char *make_tables(satf_context *own, satf_context *here, unsigned seed)
{
    enum { N = 700, PIXELS = N * N };
    SCOPED uint8_t *image = malloc(PIXELS);
    SCOPED uint32_t *table = malloc(PIXELS * 4), *want = malloc(PIXELS * 4);
    SCOPED_FILTER *box = NULL;
    void *memory[2];
    satf_view in = satf_view_packed(image, N, N, 1, SATF_U8), there = in;
    satf_view out = satf_view_packed(want, N, N, 1, SATF_U32), made = out;
    if (!image || !table || !want || satf_filter_parse(own, "box=15x9,border=mirror", &box) ||
        satf_cuda()->alloc(own, GPU_DEVICE, PIXELS, "a test", &memory[0]) ||
        satf_cuda()->alloc(own, GPU_DEVICE, PIXELS * 4, "a test", &memory[1])) {
        return "no memory";
    }
    there.data = memory[0], made.data = memory[1];
    there.device = made.device = GPU_DEVICE;
    for (unsigned turn = 0; turn < (gpu_small ? 2 : 30); turn++) {
        for (unsigned i = 0; i < PIXELS; i++) {
            image[i] = (uint8_t)((i + turn + seed) * 2654435761u >> 24);
        }
        if (satf_sat(here, &in, &out, 0) ||
            satf_cuda()->copy_bytes(own, GPU_DEVICE, there.data, image, PIXELS) ||
            satf_cuda()->wait(own, GPU_DEVICE) || satf_sat(own, &there, &made, 0) ||
            satf_cuda()->copy_bytes(own, GPU_DEVICE, table, made.data, PIXELS * 4) ||
            satf_cuda()->wait(own, GPU_DEVICE)) {
            return satf_message(own);
        }
        if (memcmp(table, want, PIXELS * 4) != 0) {
            return "a wrong sum";
        }
        satf_view right = satf_view_packed(want, N, N, 1, SATF_U8), got = right;
        got.data = table;
        if (satf_filter_apply(here, box, &in, &right) || satf_filter_apply(own, box, &in, &got)) {
            return satf_message(own);
        }
        if (memcmp(table, want, PIXELS) != 0) {
            return "a wrong mean";
        }
    }
    satf_cuda()->free(own, memory[0]);
    satf_cuda()->free(own, memory[1]);
    return "";
}

static void *work(void *user)
{
    worker *w = user;
    SCOPED_CONTEXT *own = NULL, *here = NULL;
    const char *problem = satf_context_create(&own) || satf_context_create(&here) ||
                                  satf_context_set_device(own, GPU_DEVICE)
                              ? "no context"
                              : make_tables(own, here, w->seed);
    snprintf(w->problem, sizeof w->problem, "%s", problem);
    return NULL;
}

/* Means of images of the device, which one thread queues in two contexts by turns: nobody waits. */
TEST_ALONE(test_two_contexts)
{
    enum { TURNS = 20 };
    satf_context *own[AT_ONCE];
    void *memory[AT_ONCE][2];
    satf_view host[AT_ONCE], in[AT_ONCE], out[AT_ONCE];
    SCOPED_FILTER *box = parse_filter(gpu, "box=15x9,border=mirror");
    for (int k = 0; k < AT_ONCE; k++) {
        own[k] = gpu_new_context();
        host[k] = gpu_image(800 + 100 * k, 700, 1 + k, SATF_U8, false, (uint64_t)k + 1, 0);
        in[k] = gpu_view(own[k], &host[k], 0, 0, false, &memory[k][0]);
        out[k] = gpu_view(own[k], &host[k], 0, 0, false, &memory[k][1]);
        MUST(own[k], satf_cuda()->copy(own[k], &host[k], &in[k]));
    }
    for (int i = 0; i < TURNS * AT_ONCE; i++) {
        int k = i % AT_ONCE;
        MUST(own[k], satf_filter_apply(own[k], box, &in[k], &out[k]));
    }
    for (int k = 0; k < AT_ONCE; k++) {
        gpu_trial t = gpu_trial_of("box=15x9,border=mirror", box, &host[k], 1);
        ON_HOST satf_view want = gpu_right(&t), got = gpu_host_view(&t.out);
        MUST(own[k], satf_cuda()->copy(own[k], &out[k], &got));
        MUST(own[k], satf_cuda()->wait(own[k], GPU_DEVICE));
        gpu_same(&t, &want, &got, "two contexts");
        satf_cuda()->free(own[k], memory[k][0]);
        satf_cuda()->free(own[k], memory[k][1]);
        satf_context_destroy(own[k]);
        gpu_free_view(&host[k]);
    }
}

TEST_ALONE(test_two_threads)
{
    worker workers[AT_ONCE] = {{.seed = 1}, {.seed = 77}};
    for (int i = 0; i < AT_ONCE; i++) {
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < AT_ONCE; i++) {
        pthread_join(workers[i].thread, NULL);
        assert_string_equal(workers[i].problem, "");
    }
}

/* --------------------------------------------------- host views, on the device */

typedef struct progress {
    int calls, most; /* stops with call number `most`, if that is not 0 */
    double last;
} progress;

static int count_progress(void *user, double done)
{
    progress *p = user;
    assert_true(done >= p->last && done <= 1);
    p->last = done;
    return ++p->calls == p->most;
}

/* Every call asks whether to go on, says 1 when it is complete, and starts anew. */
TEST_ALONE(test_progress)
{
    enum { N = 300 };
    static uint8_t image[N * N];
    static uint32_t table[N * N], untouched[N * N];
    memset(image, 1, sizeof image);
    memset(untouched, 0xA5, sizeof untouched);
    satf_view in = satf_view_packed(image, N, N, 1, SATF_U8);
    satf_view out = satf_view_packed(table, N, N, 1, SATF_U32);
    progress p = {0, 0, 0};
    MUST(gpu, satf_context_set_progress(gpu, count_progress, &p));
    MUST(gpu, satf_sat(gpu, &in, &out, 0));
    assert_true(p.calls >= 3);
    assert_true(p.last == 1);
    assert_int_equal(table[N * N - 1], N * N);
    int calls = p.calls;
    for (int most = 1; most < calls; most++) {
        memcpy(table, untouched, sizeof table);
        p = (progress){0, most, 0};
        assert_int_equal(satf_sat(gpu, &in, &out, 0), SATF_CANCELLED);
        assert_int_equal(p.calls, most);
        assert_memory_equal(table, untouched, sizeof table);
    }
    p = (progress){0, 0, 0};
    MUST(gpu, satf_sat(gpu, &in, &out, 0));
    assert_int_equal(p.calls, calls);
    p = (progress){0, 1, 0};
    assert_int_equal(satf_context_tune(gpu), SATF_CANCELLED);
    assert_int_equal(p.calls, 1);
    MUST(gpu, satf_context_set_progress(gpu, NULL, NULL));
}

/* ------------------------------------------------------------- large, and none */

enum { LARGE_W = 65536, LARGE_H = 32800, LARGE_STEP = 37 };

static uint32_t across(int64_t x)
{
    return (uint32_t)(x * 2654435761 >> 12) & 15;
}

static uint32_t down(int64_t y)
{
    return (uint32_t)(y * 40503 >> 5) & 15;
}

/* a[y][x] = across(x) * down(y), so b[y][x] is the product of their sums. */
static void check_large(const sat_algorithm *row, sat_job *job, uint32_t *line)
{
    ON_DEVICE void *scratch = gpu_scratch(row, job);
    gpu_set(job->out, GPU_GUARD, (size_t)LARGE_W * LARGE_H * 4);
    MUST(gpu, row->run(gpu, job, scratch));
    uint32_t above = 0;
    for (int64_t y = 0; y < LARGE_H; y++) {
        above += down(y);
        if (!gpu_long && y % LARGE_STEP != 0 && y < LARGE_H - 3) {
            continue;
        }
        gpu_download(line, (const char *)job->out + y * job->out_stride, LARGE_W * 4);
        uint32_t left = 0;
        for (int64_t x = 0; x < LARGE_W; x++) {
            left += across(x);
            if (line[x] != left * above) {
                fail_msg("row %s: %d x %d: pixel (%" PRId64 ", %" PRId64 ") is %u and should be %u",
                         row->name, LARGE_W, LARGE_H, x, y, line[x], left * above);
            }
        }
    }
    gpu_runs++;
}

TEST_ALONE(test_large)
{
    NOT_SMALL;
    static uint8_t lines[16][LARGE_W];
    static uint32_t line[LARGE_W];
    satf_gpu_info info;
    assert_true(satf_cuda()->describe(GPU_DEVICE, &info));
    if (info.memory_bytes < (size_t)40 << 30) {
        print_message("a table of more than 2^31 pixels needs a device of 40 GiB\n");
        skip();
    }
    for (int64_t x = 0; x < LARGE_W; x++) {
        for (uint32_t k = 0; k < 16; k++) {
            lines[k][x] = (uint8_t)(across(x) * k);
        }
    }
    size_t pixels = (size_t)LARGE_W * LARGE_H;
    ON_DEVICE char *in = gpu_memory(pixels);
    ON_DEVICE void *out = gpu_memory(pixels * 4);
    for (int64_t y = 0; y < LARGE_H; y++) {
        gpu_upload(in + y * LARGE_W, lines[down(y)], LARGE_W);
    }
    sat_job job = {.in = satf_view_packed(in, LARGE_W, LARGE_H, 1, SATF_U8),
                   .sum_type = SATF_SUM_U32,
                   .out = out,
                   .out_stride = (int64_t)LARGE_W * 4,
                   .scratch_runs = 1};
    job.in.device = GPU_DEVICE;
    for (size_t r = 0; gpu_row_at(r); r++) {
        check_large(gpu_row_at(r), &job, line);
    }
}

/* On a device that has room for KEPT_BYTES once, but not twice: kept memory that is in use stays,
 * and goes when it is not. */
enum { KEPT_BYTES = 256 << 20, SPARE = KEPT_BYTES + (64 << 20) };

static void check_keeping_yields(void)
{
    satf_gpu_use use = {"a test", {1}};
    void *kept = NULL, *other = NULL;
    unsigned runs = 0;
    MUST(gpu, satf_cuda()->keep(gpu, GPU_DEVICE, &use, KEPT_BYTES, "a test", &kept, &runs));
    assert_non_null(kept);
    assert_int_equal(runs, 1);
    assert_int_equal(satf_cuda()->alloc(gpu, GPU_DEVICE, KEPT_BYTES, "a test", &other),
                     SATF_NO_MEMORY);
    assert_null(other);
    gpu_set(kept, 1, KEPT_BYTES);
    satf_cuda()->kept(gpu, true);
    MUST(gpu, satf_cuda()->keep(gpu, GPU_DEVICE, &use, KEPT_BYTES, "a test", &kept, &runs));
    assert_int_equal(runs, 2);
    satf_cuda()->kept(gpu, true);
    other = gpu_memory(KEPT_BYTES);
    satf_cuda()->free(gpu, other);
    MUST(gpu, satf_cuda()->keep(gpu, GPU_DEVICE, &use, KEPT_BYTES, "a test", &kept, &runs));
    assert_int_equal(runs, 1);
    satf_cuda()->kept(gpu, true);
}

/* What cannot be had is an error with the bytes in it, and what could be done
 * before still can be. */
TEST_ALONE(test_exhaustion)
{
    NOT_SMALL;
    enum { HOGS = 4096, N = 4096 };
    static void *hogs[HOGS];
    satf_gpu_info info;
    assert_true(satf_cuda()->describe(GPU_DEVICE, &info));
    satf_view in = satf_view_packed(NULL, N, N, 1, SATF_F64), out = in;
    in.device = out.device = GPU_DEVICE;
    in.data = gpu_memory((size_t)N * N * 8);
    out.data = gpu_memory((size_t)N * N * 8);
    gpu_set(in.data, 7, (size_t)N * N * 8);
    void *none = NULL;
    assert_int_equal(satf_cuda()->alloc(gpu, GPU_DEVICE, info.memory_bytes * 2, "a test", &none),
                     SATF_NO_MEMORY);
    char wanted[32];
    snprintf(wanted, sizeof wanted, "%zu", info.memory_bytes * 2);
    assert_null(none);
    assert_non_null(strstr(satf_message(gpu), wanted));
    assert_non_null(strstr(satf_message(gpu), "bytes wanted for a test"));
    assert_non_null(strstr(satf_message(gpu), "are free"));
    void *spare = gpu_memory(SPARE);
    int count = 0;
    for (size_t bytes = (size_t)4 << 30; bytes >= (size_t)16 << 20; bytes /= 2) {
        while (count < HOGS &&
               satf_cuda()->alloc(gpu, GPU_DEVICE, bytes, "a test", &hogs[count]) == SATF_OK) {
            count++;
        }
    }
    MUST(gpu, satf_context_set_algorithm(gpu, "4r4w")); /* of much scratch */
    size_t scratch = 0;
    MUST(gpu, satf_sat_scratch(gpu, &in, &out, 0, &scratch));
    if (scratch > (size_t)32 << 20) {
        assert_int_equal(satf_sat(gpu, &in, &out, 0), SATF_NO_MEMORY);
        assert_string_not_equal(satf_message(gpu), "");
    }
    SCOPED_FILTER *box = parse_filter(gpu, "box=3");
    MUST(gpu, satf_context_set_engine(gpu, SATF_ENGINE_SAT)); /* a table, too large for the rest */
    assert_int_equal(satf_filter_apply(gpu, box, &in, &out), SATF_NO_MEMORY);
    assert_non_null(strstr(satf_message(gpu), "bytes wanted for filtering"));
    satf_cuda()->free(gpu, spare);
    check_keeping_yields();
    while (count) {
        satf_cuda()->free(gpu, hogs[--count]);
    }
    MUST(gpu, satf_cuda()->wait(gpu, GPU_DEVICE));
    MUST(gpu, satf_sat(gpu, &in, &out, 0));
    MUST(gpu, satf_filter_apply(gpu, box, &in, &out));
    MUST(gpu, satf_context_set_engine(gpu, SATF_ENGINE_AUTO));
    MUST(gpu, satf_cuda()->wait(gpu, GPU_DEVICE));
    double sample, mean;
    memset(&sample, 7, sizeof sample);
    gpu_download(&mean, (const char *)out.data + (size_t)N * N / 2 * 8, sizeof mean);
    assert_true(fabs(mean / sample - 1) < 1e-6);
    satf_cuda()->free(gpu, in.data);
    satf_cuda()->free(gpu, out.data);
    MUST(gpu, satf_context_set_algorithm(gpu, "auto"));
    sat_case c = {SATF_U8, SATF_SUMMAND_PLAIN, SATF_SUM_U32, false, 1, 301, 203, WHOLE, 5, 0};
    gpu_data d = gpu_prepare(gpu, &c, &sat_layouts[0], &sat_layouts[0]);
    for (size_t r = 0; gpu_row_at(r); r++) {
        gpu_check(&d, gpu_row_at(r), &(sat_tuning){0});
    }
    gpu_release(&d);
}

/* ------------------------------------------------------- whose context is current */

/* Public calls on the device, a failing one among them; then `want` must be current. */
static void check_current(void *want, const char *when)
{
    SCOPED_CONTEXT *own = gpu_new_context();
    SCOPED_FILTER *filter = parse_filter(own, "box=3");
    unsigned char pixels[12] = {1, 2, 3}, result[12];
    satf_view in = satf_view_packed(pixels, 4, 3, 1, SATF_U8);
    satf_view out = satf_view_packed(result, 4, 3, 1, SATF_U8);
    for (int call = 0; call < 4; call++) {
        void *stream = NULL, *now = &now;
        satf_status status = call == 0   ? satf_filter_apply(own, filter, &in, &out)
                             : call == 1 ? satf_context_get_stream(own, GPU_DEVICE, &stream)
                             : call == 2 ? satf_context_synchronize(own)
                                         : satf_context_get_stream(own, 1000, &stream);
        if ((status == SATF_OK) != (call < 3) || (call == 1 && !stream)) {
            fail_msg("%s, call %d: %s", when, call, satf_message(own));
        }
        assert_int_equal(driver.get_current(&now), 0);
        if (now != want) {
            fail_msg("%s, call %d: another context is current", when, call);
        }
    }
    gpu_runs += 4;
}

TEST_ALONE(test_current_context)
{
    NOT_SMALL;
    if (!find_driver()) {
        skip();
    }
    void *before, *primary;
    assert_int_equal(driver.get_current(&before), 0);
    assert_int_equal(driver.set_current(NULL), 0);
    check_current(NULL, "no context");
    assert_int_equal(driver.retain(&primary, satf_gpu_ordinal(GPU_DEVICE)), 0);
    assert_int_equal(driver.set_current(primary), 0);
    check_current(primary, "the device's own");
    assert_int_equal(driver.set_current(before), 0);
    assert_int_equal(driver.release(satf_gpu_ordinal(GPU_DEVICE)), 0);
}

/* ----------------------------------------------------------- the program's memory */

/* Blocks of another context's pool, each with its size. */
typedef struct lender {
    satf_context *own;
    struct {
        void *memory;
        size_t bytes;
    } block[64];
    int taken, blocks;
} lender;

/* The place that holds the block, or, for NULL, a free one. */
static int place_of(const lender *l, const void *memory)
{
    int i = 0;
    while (i < 63 && l->block[i].memory != memory) {
        i++;
    }
    assert_ptr_equal(l->block[i].memory, memory);
    return i;
}

static void *take(void *user, size_t bytes, void *stream)
{
    lender *l = user;
    int i = place_of(l, NULL);
    (void)stream;
    if (satf_cuda()->alloc(l->own, GPU_DEVICE, bytes, "a test", &l->block[i].memory) ||
        satf_cuda()->wait(l->own, GPU_DEVICE)) { /* another stream will use it */
        return NULL;
    }
    l->block[i].bytes = bytes;
    l->taken++;
    l->blocks++;
    return l->block[i].memory;
}

static void give(void *user, void *memory, size_t bytes, void *stream)
{
    lender *l = user;
    int i = place_of(l, memory);
    (void)stream;
    assert_int_equal(l->block[i].bytes, bytes);
    MUST(gpu, satf_cuda()->wait(gpu, GPU_DEVICE)); /* what may still use it */
    satf_cuda()->free(l->own, memory);
    l->block[i].memory = NULL;
    l->blocks--;
}

/* Calls and plans by an allocator of the program's, on images of the host, one by one and as a
 * stack. All of it goes back. */
TEST_ALONE(test_allocator)
{
    NOT_SMALL;
    static const char *const specs[] = {"box=15",   "variance=99", "guided=5 box=3",
                                        "integral", "wolf=5",      "threshold=otsu"};
    enum { SIDE = 150, COUNT = 3, STEP = SIDE * SIDE };
    static uint8_t image[COUNT * STEP];
    static double got[COUNT * STEP], want[COUNT * STEP];
    lender l = {.own = gpu_new_context()};
    for (size_t i = 0; i < sizeof image; i++) {
        image[i] = (uint8_t)(i * i * 5 >> 2);
    }
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
        satf_plan *plan;
        SCOPED_FILTER *filter = parse_filter(gpu, specs[s]);
        satf_view in = satf_view_packed(image, SIDE, SIDE, 1, SATF_U8), out;
        MUST(gpu, satf_filter_output(gpu, filter, &in, &out));
        int64_t step = out.stride * out.height;
        out.data = want;
        MUST(cpu, satf_context_set_engine(cpu, SATF_ENGINE_AUTO)); /* the bits are the same */
        MUST(cpu, satf_filter_apply_stack(cpu, filter, &in, STEP, &out, step, COUNT));
        MUST(gpu, satf_context_set_allocator(gpu, take, give, &l));
        int taken = l.taken;
        out.data = got;
        memset(got, 0, sizeof got);
        MUST(gpu, satf_filter_apply_stack(gpu, filter, &in, STEP, &out, step, COUNT));
        assert_memory_equal(got, want, (size_t)(COUNT * step));
        assert_true(l.taken > taken);
        MUST(gpu, satf_plan_create(gpu, filter, &in, 1, &out, 1, &plan));
        for (int run = 0; run < 2; run++) {
            memset(got, 0, sizeof got);
            MUST(gpu, satf_plan_run(plan, &in, 1, &out, 1));
            assert_memory_equal(got, want, (size_t)step);
        }
        satf_plan_destroy(plan);
        MUST(gpu, satf_context_set_allocator(gpu, NULL, NULL, NULL));
        assert_int_equal(l.blocks, 0);
        gpu_runs += COUNT + 2;
    }
    satf_context_destroy(l.own);
}

GPU_TEST_FILE;
