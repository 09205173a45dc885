/*
 * CUDA rows beyond single results: properties of a SAT, equal bits run after
 * run, several contexts at once, blocks that are held up, tables of more than
 * 2^31 pixels, and memory that runs out.
 */
#include "cases.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../cuda/sat/stress.h"
#include "../../src/base/memory.h"

static const sat_tuning defaults;

static gpu_case usual_case(gpu_kind kind, int64_t width, int64_t height, gpu_pattern pattern,
                           unsigned seed)
{
    return (gpu_case){
        kind.type, SATF_SUMMAND_PLAIN, kind.sum_type, kind.f32_out, 1, width, height, pattern,
        seed};
}

/* ----------------------------------------------------------------- properties */

/* The table of an impulse is 1 in its quadrant and 0 elsewhere. */
static void test_impulse(void **unused)
{
    (void)unused;
    enum { W = 300, H = 170 };
    gpu_case c = usual_case(gpu_kinds[0], W, H, GPU_IMPULSE, 1);
    gpu_data d = gpu_prepare(gpu, &c, &gpu_layouts[4], &gpu_layouts[2]);
    for (size_t r = 0; gpu_row_at(r); r++) {
        gpu_check(&d, gpu_row_at(r), &defaults);
        for (int64_t y = 0; y < H; y++) {
            for (int64_t x = 0; x < W; x++) {
                uint32_t sum;
                memcpy(&sum, gpu_out_row(&d, y) + x * 4, sizeof sum);
                assert_int_equal(sum, x >= W / 2 && y >= H / 2);
            }
        }
    }
    gpu_release(&d);
}

enum { LINEAR_W = 261, LINEAR_H = 133 };

static void table_of(const sat_row *row, const uint16_t *image, uint32_t *table)
{
    size_t pixels = (size_t)LINEAR_W * LINEAR_H, bytes = 0;
    void *in, *out, *scratch = NULL;
    gpu_must(gpu, satf_gpu_alloc(gpu, GPU_DEVICE, pixels * 2, "a test", &in));
    gpu_must(gpu, satf_gpu_alloc(gpu, GPU_DEVICE, pixels * 4, "a test", &out));
    sat_job job = {.in = satf_view_packed(in, LINEAR_W, LINEAR_H, 1, SATF_U16),
                   .sum_type = SATF_SUM_U32,
                   .out = out,
                   .out_stride = LINEAR_W * 4,
                   .scratch_runs = 1};
    job.in.device = GPU_DEVICE;
    assert_true(!row->scratch_bytes || row->scratch_bytes(gpu, &job, &bytes));
    if (bytes) {
        gpu_must(gpu, satf_gpu_alloc(gpu, GPU_DEVICE, bytes, "a test", &scratch));
        gpu_must(gpu, satf_gpu_set_bytes(gpu, GPU_DEVICE, scratch, 0, bytes));
    }
    gpu_must(gpu, satf_gpu_copy_bytes(gpu, GPU_DEVICE, in, image, pixels * 2));
    gpu_must(gpu, row->run(gpu, &job, scratch));
    gpu_must(gpu, satf_gpu_copy_bytes(gpu, GPU_DEVICE, table, out, pixels * 4));
    gpu_must(gpu, satf_gpu_wait(gpu, GPU_DEVICE));
    satf_gpu_free(gpu, in);
    satf_gpu_free(gpu, out);
    satf_gpu_free(gpu, scratch);
}

/* table(a) + table(b) = table(a + b) */
static void test_linear(void **unused)
{
    (void)unused;
    static uint16_t image[3][LINEAR_W * LINEAR_H];
    static uint32_t table[3][LINEAR_W * LINEAR_H];
    for (unsigned i = 0; i < LINEAR_W * LINEAR_H; i++) {
        image[0][i] = (uint16_t)(i * 40503u >> 3 & 0x7FFF);
        image[1][i] = (uint16_t)(i * 30011u >> 2 & 0x7FFF);
        image[2][i] = (uint16_t)(image[0][i] + image[1][i]);
    }
    for (size_t r = 0; gpu_row_at(r); r++) {
        for (int i = 0; i < 3; i++) {
            table_of(gpu_row_at(r), image[i], table[i]);
        }
        for (int i = 0; i < LINEAR_W * LINEAR_H; i++) {
            if (table[0][i] + table[1][i] != table[2][i]) {
                fail_msg("row %s is not linear at (%d, %d)", gpu_row_at(r)->name, i % LINEAR_W,
                         i / LINEAR_W);
            }
        }
    }
}

/* ----------------------------------------------------------- equal bits, order */

static bool is_single_pass(const sat_row *row)
{
    return strcmp(row->name, "skss") == 0 || strcmp(row->name, "lookback") == 0;
}

/* How many tunings of the row are tried. Look-back of one channel has blocks for large images,
 * which small ones do not get by themselves: its first variant. */
static int ways_of(const sat_row *row, const gpu_case *c)
{
    return strcmp(row->name, "lookback") == 0 && c->channels == 1 ? 2 : 1;
}

static sat_tuning way_of(const sat_row *row, const gpu_data *d, int way)
{
    sat_tuning tuning = defaults;
    sat_job job = gpu_job(d, &tuning);
    if (way > 0) {
        assert_true(row->variant(&job, 0, &tuning));
    }
    return tuning;
}

static void check_repeats(const sat_row *row, gpu_data *d, const sat_tuning *tuning, int runs)
{
    unsigned char *first = NULL;
    for (int i = 0; i < runs; i++) {
        gpu_check(d, row, tuning);
        if (!first) {
            first = satf_alloc(d->out.bytes);
            assert_non_null(first);
            memcpy(first, d->out.host, d->out.bytes);
        }
        if (memcmp(first, d->out.host, d->out.bytes) != 0) {
            fail_msg("row %s: run %d of the same job has other bits", row->name, i);
        }
    }
    satf_free(first);
}

/* Floats whose sums depend on the order of summation: all runs use the same. */
static void test_repeats(void **unused)
{
    (void)unused;
    for (size_t k = 0; k < GPU_KINDS; k++) {
        if (gpu_kinds[k].sum_type != SATF_SUM_F64) {
            continue;
        }
        for (int channels = 1; channels <= 4; channels++) {
            gpu_case c = usual_case(gpu_kinds[k], 1536 / channels, 1279, GPU_RANDOM, 7);
            c.channels = channels;
            gpu_data d = gpu_prepare(gpu, &c, &gpu_layouts[0], &gpu_layouts[0]);
            for (size_t r = 0; gpu_row_at(r); r++) {
                const sat_row *row = gpu_row_at(r);
                for (int way = 0; way < ways_of(row, &c); way++) {
                    sat_tuning tuning = way_of(row, &d, way);
                    check_repeats(row, &d, &tuning, is_single_pass(row) ? 100 : 3);
                }
            }
            gpu_release(&d);
        }
    }
}

static void check_stress(const sat_row *row, const gpu_case *c, int way)
{
    gpu_data d = gpu_prepare(gpu, c, &gpu_layouts[0], &gpu_layouts[1]);
    sat_tuning tuning = way_of(row, &d, way);
    gpu_check(&d, row, &tuning);
    unsigned char *calm = satf_alloc(d.out.bytes);
    assert_non_null(calm);
    memcpy(calm, d.out.host, d.out.bytes);
    for (int mode = SAT_STRESS_NONE + 1; mode < SAT_STRESS_MODES; mode++) {
        for (int i = 0; i < (gpu_long ? 20 : 3); i++) {
            sat_cuda_stress(mode);
            gpu_check(&d, row, &tuning);
            sat_cuda_stress(SAT_STRESS_NONE);
            if (memcmp(calm, d.out.host, d.out.bytes) != 0) {
                fail_msg("row %s, %d channels: stress %d changes bits", row->name, c->channels,
                         mode);
            }
        }
    }
    satf_free(calm);
    gpu_release(&d);
}

/* Blocks that start late, or one at a time: nobody may wait for a block that
 * has not begun, and the bits stay the same. */
static void test_stress(void **unused)
{
    (void)unused;
    /* rows of the last but one suit the copy engine */
    static const int64_t sizes[][2] = {{1, 1}, {65, 4000}, {4000, 65}, {1040, 615}, {1031, 1033}};
    for (size_t k = 0; k < GPU_KINDS; k++) {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            for (int channels = 1; channels <= 4; channels++) {
                gpu_case c = usual_case(gpu_kinds[k], (sizes[s][0] - 1) / channels + 1, sizes[s][1],
                                        GPU_RANDOM, 3);
                c.channels = channels;
                for (size_t r = 0; gpu_row_at(r); r++) {
                    const sat_row *row = gpu_row_at(r);
                    for (int way = 0; is_single_pass(row) && way < ways_of(row, &c); way++) {
                        check_stress(row, &c, way);
                    }
                }
            }
        }
    }
}

/* ---------------------------------------------------------- several at a time */

enum { AT_ONCE = 2 };

/* Two contexts, each with a stream of its own, from one thread. */
static void test_two_streams(void **unused)
{
    (void)unused;
    satf_context *contexts[AT_ONCE];
    gpu_data d[AT_ONCE];
    for (unsigned i = 0; i < AT_ONCE; i++) {
        contexts[i] = gpu_new_context();
        gpu_case c = usual_case(gpu_kinds[i ? 0 : 6], 1201 + 300 * i, 907, GPU_INTEGERS, i + 1);
        c.channels = i ? 3 : 1;
        d[i] = gpu_prepare(contexts[i], &c, &gpu_layouts[0], &gpu_layouts[0]);
    }
    assert_ptr_not_equal(satf_gpu_stream(contexts[0]), satf_gpu_stream(contexts[1]));
    for (size_t r = 0; gpu_row_at(r); r++) {
        for (int turn = 0; turn < 10; turn++) {
            for (unsigned i = 0; i < AT_ONCE; i++) {
                gpu_enqueue(&d[i], gpu_row_at(r), &defaults);
            }
        }
        for (unsigned i = 0; i < AT_ONCE; i++) {
            gpu_compare(&d[i], gpu_row_at(r), &defaults);
        }
    }
    for (unsigned i = 0; i < AT_ONCE; i++) {
        gpu_release(&d[i]);
        satf_context_destroy(contexts[i]);
    }
}

/* Runs the row with the context's own scratch, on other samples a few times before. */
static void run_kept(gpu_data *d, const sat_row *row, const sat_tuning *tuning, unsigned before)
{
    sat_job job = gpu_job(d, tuning);
    for (unsigned run = 0; run <= before; run++) {
        gpu_must(gpu, satf_gpu_set_bytes(gpu, GPU_DEVICE, d->out.device, GPU_GUARD, d->out.bytes));
        gpu_set_input(d, run == before);
        gpu_must(gpu, sat_run(gpu, &job, NULL));
    }
    gpu_compare(d, row, tuning);
}

/* What a context keeps is of the right job, or zeros: jobs that differ in one thing each, in turns,
 * at first as many as it keeps memory for, then more, on two streams. */
static void test_kept(void **unused)
{
    (void)unused;
    enum { JOBS = 12, FEW = 8, TURNS = 6, MOST_BEFORE = 3 };
    static gpu_data d[JOBS];
    sat_tuning tunings[JOBS];
    const sat_row *row = sat_row_find("lookback", "cuda");
    satf_context *other = gpu_new_context();
    gpu_must(other, satf_gpu_open(other, GPU_DEVICE));
    assert_int_equal(satf_context_set_algorithm(gpu, "lookback"), SATF_OK);
    for (unsigned i = 0; i < JOBS; i++) {
        gpu_case c = usual_case(gpu_kinds[i % GPU_KINDS], 384, i == 9 ? 385 : 384, GPU_INTEGERS, i);
        c.channels = i == 10 ? 3 : 1;
        c.summand = i == 7 ? SATF_SUMMAND_SQUARE : SATF_SUMMAND_PLAIN;
        d[i] = gpu_prepare(gpu, &c, &gpu_layouts[0], &gpu_layouts[0]);
        tunings[i] = way_of(row, &d[i], i == 8 || i == 11);
    }
    for (unsigned turn = 0; turn < TURNS; turn++) {
        unsigned jobs = turn < TURNS / 2 ? FEW : JOBS;
        for (unsigned i = 0; i < jobs; i++) {
            unsigned job = turn % 2 ? jobs - 1 - i : i;
            assert_int_equal(
                satf_context_set_stream(gpu, (i + turn) % 3 ? NULL : satf_gpu_stream(other)),
                SATF_OK);
            run_kept(&d[job], row, &tunings[job], (job + turn) % MOST_BEFORE);
        }
    }
    assert_int_equal(satf_context_set_stream(gpu, NULL), SATF_OK);
    for (unsigned i = 0; i < JOBS; i++) {
        gpu_release(&d[i]);
    }
    satf_context_destroy(other);
    assert_int_equal(satf_context_set_algorithm(gpu, "auto"), SATF_OK);
}

typedef struct worker {
    pthread_t thread;
    unsigned seed;
    char problem[256]; /* cmocka reports from its own thread only */
} worker;

/* A SAT of u8 through the public call, against plain sums. */
static const char *one_table(satf_context *own, const uint8_t *image, uint32_t *table,
                             const satf_view *in, const satf_view *out)
{
    int64_t n = in->width, pixels = n * in->height;
    if (satf_sat(own, in, out, 0) ||
        satf_gpu_copy_bytes(own, GPU_DEVICE, table, out->data, (size_t)pixels * 4) ||
        satf_gpu_wait(own, GPU_DEVICE)) {
        return satf_message(own);
    }
    for (int64_t i = 0; i < pixels; i++) {
        uint32_t want = image[i];
        want += i % n ? table[i - 1] : 0;
        want += i >= n ? table[i - n] : 0;
        want -= i % n && i >= n ? table[i - n - 1] : 0;
        if (table[i] != want) {
            return "a wrong sum";
        }
    }
    return NULL;
}

static void *work(void *user)
{
    worker *w = user;
    enum { N = 700, PIXELS = N * N };
    satf_context *own = NULL;
    uint8_t *image = satf_alloc(PIXELS);
    uint32_t *table = satf_alloc(PIXELS * 4);
    void *in = NULL, *out = NULL;
    const char *problem = "no memory";
    if (image && table && satf_context_create(&own) == SATF_OK) {
        problem = satf_context_set_device(own, GPU_DEVICE) ||
                          satf_gpu_alloc(own, GPU_DEVICE, PIXELS, "a test", &in) ||
                          satf_gpu_alloc(own, GPU_DEVICE, PIXELS * 4, "a test", &out)
                      ? satf_message(own)
                      : NULL;
    }
    for (unsigned turn = 0; turn < 30 && !problem; turn++) {
        for (unsigned i = 0; i < PIXELS; i++) {
            image[i] = (uint8_t)((i + turn + w->seed) * 2654435761u >> 24);
        }
        satf_view views[2] = {satf_view_packed(in, N, N, 1, SATF_U8),
                              satf_view_packed(out, N, N, 1, SATF_U32)};
        views[0].device = views[1].device = GPU_DEVICE;
        problem = satf_gpu_copy_bytes(own, GPU_DEVICE, in, image, PIXELS) ||
                          satf_gpu_wait(own, GPU_DEVICE)
                      ? satf_message(own)
                      : one_table(own, image, table, &views[0], &views[1]);
    }
    snprintf(w->problem, sizeof w->problem, "%s", problem ? problem : "");
    if (own) {
        satf_gpu_free(own, in);
        satf_gpu_free(own, out);
        satf_context_destroy(own);
    }
    satf_free(image);
    satf_free(table);
    return NULL;
}

static void test_two_threads(void **unused)
{
    (void)unused;
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
static void test_progress(void **unused)
{
    (void)unused;
    enum { N = 300 };
    static uint8_t image[N * N];
    static uint32_t table[N * N], untouched[N * N];
    memset(image, 1, sizeof image);
    memset(untouched, 0xA5, sizeof untouched);
    satf_view in = satf_view_packed(image, N, N, 1, SATF_U8);
    satf_view out = satf_view_packed(table, N, N, 1, SATF_U32);
    progress p = {0, 0, 0};
    gpu_must(gpu, satf_context_set_progress(gpu, count_progress, &p));
    gpu_must(gpu, satf_sat(gpu, &in, &out, 0));
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
    gpu_must(gpu, satf_sat(gpu, &in, &out, 0));
    assert_int_equal(p.calls, calls);
    p = (progress){0, 1, 0};
    assert_int_equal(satf_context_tune(gpu), SATF_CANCELLED);
    assert_int_equal(p.calls, 1);
    gpu_must(gpu, satf_context_set_progress(gpu, NULL, NULL));
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
static void check_large(const sat_row *row, sat_job *job, uint32_t *line)
{
    size_t bytes = 0;
    void *scratch = NULL;
    assert_true(!row->scratch_bytes || row->scratch_bytes(gpu, job, &bytes));
    if (bytes) {
        gpu_must(gpu, satf_gpu_alloc(gpu, GPU_DEVICE, bytes, "a test", &scratch));
        gpu_must(gpu, satf_gpu_set_bytes(gpu, GPU_DEVICE, scratch, 0, bytes));
    }
    gpu_must(gpu, satf_gpu_set_bytes(gpu, GPU_DEVICE, job->out, GPU_GUARD,
                                     (size_t)LARGE_W * LARGE_H * 4));
    gpu_must(gpu, row->run(gpu, job, scratch));
    uint32_t above = 0;
    for (int64_t y = 0; y < LARGE_H; y++) {
        above += down(y);
        if (!gpu_long && y % LARGE_STEP != 0 && y < LARGE_H - 3) {
            continue;
        }
        gpu_must(gpu,
                 satf_gpu_copy_bytes(gpu, GPU_DEVICE, line,
                                     (const char *)job->out + y * job->out_stride, LARGE_W * 4));
        gpu_must(gpu, satf_gpu_wait(gpu, GPU_DEVICE));
        uint32_t left = 0;
        for (int64_t x = 0; x < LARGE_W; x++) {
            left += across(x);
            if (line[x] != left * above) {
                fail_msg("row %s: %d x %d: pixel (%" PRId64 ", %" PRId64 ") is %u and should be %u",
                         row->name, LARGE_W, LARGE_H, x, y, line[x], left * above);
            }
        }
    }
    satf_gpu_free(gpu, scratch);
    gpu_runs++;
}

static void test_large(void **unused)
{
    (void)unused;
    static uint8_t lines[16][LARGE_W];
    static uint32_t line[LARGE_W];
    satf_gpu_info info;
    assert_true(satf_gpu_describe(GPU_DEVICE, &info));
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
    void *in, *out;
    gpu_must(gpu, satf_gpu_alloc(gpu, GPU_DEVICE, pixels, "a test", &in));
    gpu_must(gpu, satf_gpu_alloc(gpu, GPU_DEVICE, pixels * 4, "a test", &out));
    for (int64_t y = 0; y < LARGE_H; y++) {
        gpu_must(gpu, satf_gpu_copy_bytes(gpu, GPU_DEVICE, (char *)in + y * LARGE_W, lines[down(y)],
                                          LARGE_W));
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
    satf_gpu_free(gpu, in);
    satf_gpu_free(gpu, out);
}

/* On a device that has room for KEPT_BYTES once, but not twice: kept memory that is in use stays,
 * and goes when it is not. */
enum { KEPT_BYTES = 256 << 20, SPARE = KEPT_BYTES + (64 << 20) };

static void check_keeping_yields(void)
{
    satf_gpu_use use = {"a test", {1}};
    void *kept = NULL, *other = NULL;
    unsigned runs = 0;
    gpu_must(gpu, satf_gpu_keep(gpu, GPU_DEVICE, &use, KEPT_BYTES, "a test", &kept, &runs));
    assert_non_null(kept);
    assert_int_equal(runs, 1);
    assert_int_equal(satf_gpu_alloc(gpu, GPU_DEVICE, KEPT_BYTES, "a test", &other), SATF_NO_MEMORY);
    assert_null(other);
    gpu_must(gpu, satf_gpu_set_bytes(gpu, GPU_DEVICE, kept, 1, KEPT_BYTES));
    satf_gpu_kept(gpu, true);
    gpu_must(gpu, satf_gpu_keep(gpu, GPU_DEVICE, &use, KEPT_BYTES, "a test", &kept, &runs));
    assert_int_equal(runs, 2);
    satf_gpu_kept(gpu, true);
    gpu_must(gpu, satf_gpu_alloc(gpu, GPU_DEVICE, KEPT_BYTES, "a test", &other));
    satf_gpu_free(gpu, other);
    gpu_must(gpu, satf_gpu_keep(gpu, GPU_DEVICE, &use, KEPT_BYTES, "a test", &kept, &runs));
    assert_int_equal(runs, 1);
    satf_gpu_kept(gpu, true);
}

/* What cannot be had is an error with the bytes in it, and what could be done
 * before still can be. */
static void test_exhaustion(void **unused)
{
    (void)unused;
    enum { HOGS = 4096, N = 4096 };
    static void *hogs[HOGS];
    satf_gpu_info info;
    assert_true(satf_gpu_describe(GPU_DEVICE, &info));
    satf_view in = satf_view_packed(NULL, N, N, 1, SATF_F64), out = in;
    in.device = out.device = GPU_DEVICE;
    gpu_must(gpu, satf_gpu_alloc(gpu, GPU_DEVICE, (size_t)N * N * 8, "a test", &in.data));
    gpu_must(gpu, satf_gpu_alloc(gpu, GPU_DEVICE, (size_t)N * N * 8, "a test", &out.data));
    gpu_must(gpu, satf_gpu_set_bytes(gpu, GPU_DEVICE, in.data, 0, (size_t)N * N * 8));
    void *none = NULL;
    assert_int_equal(satf_gpu_alloc(gpu, GPU_DEVICE, info.memory_bytes * 2, "a test", &none),
                     SATF_NO_MEMORY);
    char wanted[32];
    snprintf(wanted, sizeof wanted, "%zu", info.memory_bytes * 2);
    assert_non_null(strstr(satf_message(gpu), wanted));
    void *spare = NULL;
    gpu_must(gpu, satf_gpu_alloc(gpu, GPU_DEVICE, SPARE, "a test", &spare));
    int count = 0;
    for (size_t bytes = (size_t)4 << 30; bytes >= (size_t)16 << 20; bytes /= 2) {
        while (count < HOGS &&
               satf_gpu_alloc(gpu, GPU_DEVICE, bytes, "a test", &hogs[count]) == SATF_OK) {
            count++;
        }
    }
    assert_int_equal(satf_context_set_algorithm(gpu, "4r4w"), SATF_OK); /* of much scratch */
    size_t scratch = 0;
    gpu_must(gpu, satf_sat_scratch(gpu, &in, &out, 0, &scratch));
    if (scratch > (size_t)32 << 20) {
        assert_int_equal(satf_sat(gpu, &in, &out, 0), SATF_NO_MEMORY);
        assert_string_not_equal(satf_message(gpu), "");
    }
    satf_gpu_free(gpu, spare);
    check_keeping_yields();
    while (count) {
        satf_gpu_free(gpu, hogs[--count]);
    }
    gpu_must(gpu, satf_gpu_wait(gpu, GPU_DEVICE));
    gpu_must(gpu, satf_sat(gpu, &in, &out, 0));
    gpu_must(gpu, satf_gpu_wait(gpu, GPU_DEVICE));
    satf_gpu_free(gpu, in.data);
    satf_gpu_free(gpu, out.data);
    assert_int_equal(satf_context_set_algorithm(gpu, "auto"), SATF_OK);
    gpu_case c = usual_case(gpu_kinds[0], 301, 203, GPU_INTEGERS, 5);
    gpu_data d = gpu_prepare(gpu, &c, &gpu_layouts[0], &gpu_layouts[0]);
    for (size_t r = 0; gpu_row_at(r); r++) {
        gpu_check(&d, gpu_row_at(r), &defaults);
    }
    gpu_release(&d);
}

int main(int argc, char **argv)
{
    gpu_test_begin(argc, argv);
    const struct CMUnitTest small[] = {
        cmocka_unit_test(test_impulse),
        cmocka_unit_test(test_linear),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_impulse),     cmocka_unit_test(test_linear),
        cmocka_unit_test(test_repeats),     cmocka_unit_test(test_stress),
        cmocka_unit_test(test_two_streams), cmocka_unit_test(test_two_threads),
        cmocka_unit_test(test_kept),        cmocka_unit_test(test_progress),
        cmocka_unit_test(test_large),       cmocka_unit_test(test_exhaustion),
    };
    return gpu_test_end("test_gpu_runs",
                        gpu_small ? cmocka_run_group_tests(small, gpu_set_up, gpu_tear_down)
                                  : cmocka_run_group_tests(tests, gpu_set_up, gpu_tear_down));
}
