/* The table `rap`: congestion under the RAW, RAS and RAP layouts, tables II and IV of the
 * paper by K. Nakano, S. Matsumae and Y. Ito; on a device the times of table III. */
#include <math.h>
#include <string.h>

#include "../../src/base/device/gpu.h"
#include "../../src/base/memory.h"
#include "../../src/study/gpu.h"
#include "../../src/study/sample.h"
#include "bench.h"

enum { SAMPLES = 100000, MAX_WIDTH_4D = 32 };

/* ------------------------------------------------------------------ simulated */

static int simulate_one(bench *b, const sample_kind *kind, int w)
{
    const char *name = sample_layout_name(kind), *access = sample_access_name(kind);
    int64_t samples = b->options.samples ? b->options.samples : SAMPLES;
    double mean;
    char line[64];
    if (kind->in_4d && w > MAX_WIDTH_4D) { /* w^3 random numbers are many, and the paper has no w */
        return 0;
    }
    satf_status status =
        sample_congestion(b->ctx, kind, w, samples, (uint64_t)b->options.seed, &mean);
    if (status) {
        return bench_call_error(b, status, name);
    }
    BENCH_REPORT(b, STRING(name), NUMBER(kind->in_4d ? 4 : 2), STRING(access), NUMBER(w),
                 NUMBER(mean), NUMBER(sample_numbers(kind, (uint32_t)w)));
    if (!kind->in_4d) {
        snprintf(line, sizeof line, "%s %s", name, access);
        bench_report_value(b->report, line, w, mean);
    }
    return 0;
}

static int rap_simulate(bench *b)
{
    static const layout_2d layouts_2d[] = {LAYOUT_RAW, LAYOUT_RAS, LAYOUT_RAP};
    enum {
        ALL_2D = sizeof layouts_2d / sizeof *layouts_2d * SAMPLE_2D_COUNT,
        ALL = ALL_2D + LAYOUT_4D_COUNT * SAMPLE_4D_COUNT
    };
    const struct bench_values *widths = &b->options.list[BENCH_WIDTHS];
    int failed = 0;
    for (int at = 0; at < ALL; at++) {
        int at_4d = at - ALL_2D;
        sample_kind kind = {at_4d >= 0, at_4d / SAMPLE_4D_COUNT, at_4d % SAMPLE_4D_COUNT};
        if (!kind.in_4d) {
            kind = (sample_kind){false, layouts_2d[at / SAMPLE_2D_COUNT], at % SAMPLE_2D_COUNT};
        }
        for (int i = 0; i < widths->count && !failed; i++) {
            failed = simulate_one(b, &kind, widths->item[i].number);
        }
    }
    return failed;
}

/* ------------------------------------------------------------------ measured */

enum {
    W = MACHINE_BANKS,
    N = MACHINE_MATRIX,
    TIMES = 4096,     /* a launch repeats a transpose, where it takes random numbers, ... */
    DRAWS = 32,       /* and so many launches with others make a call; else one makes it */
    MOST_DRAWS = 4096 /* --samples */
};

static const char *const way_names[ACCESS_TRANSPOSE_COUNT] = {
#define WAY_NAME(NAME, name) name,
    ACCESS_TRANSPOSES(WAY_NAME)
#undef WAY_NAME
};

/* spread: RAP's numbers drawn for words that half a warp at a time is served. */
static const struct {
    layout_2d layout;
    bool spread;
} measured[] = {
#define MEASURED(NAME) {LAYOUT_##NAME, false},
    MACHINE_TRANSPOSE_LAYOUTS(MEASURED){LAYOUT_RAP, true},
#undef MEASURED
};

/* What one line measures. */
typedef struct rap_case {
    bench *b;
    machine_transpose t;
    bool spread;
    int draws;
    int64_t times;        /* of a launch */
    uint32_t *numbers;    /* MACHINE_NUMBERS a draw */
    void *device_numbers; /* the same on the device */
    bench_arrays arrays;  /* the matrix, and transposed for each draw */
    uint32_t host[2 * N]; /* the matrix */
    double diagonal_ns;   /* of CRSW in the diagonal arrangement, of that type and form */
} rap_case;

static size_t matrix_bytes(const rap_case *c)
{
    return (size_t)N * (size_t)c->t.element_bytes;
}

static satf_status run_draws(const rap_case *c, const machine_transpose *t)
{
    satf_status status = SATF_OK;
    for (int d = 0; d < c->draws && !status; d++) {
        const uint32_t *numbers = (const uint32_t *)c->device_numbers + (size_t)d * MACHINE_NUMBERS;
        char *out = (char *)c->arrays.out + (size_t)d * matrix_bytes(c);
        status = machine_cuda()->transpose(c->b->ctx, t, c->arrays.in[0], out, numbers, c->times);
    }
    return status;
}

static satf_status rap_run_transpose(void *user)
{
    const rap_case *c = user;
    return run_draws(c, &c->t);
}

static satf_status run_plain_copy(void *user)
{
    const rap_case *c = user;
    machine_transpose copy = c->t;
    copy.layout = LAYOUT_RAW;
    copy.way = ACCESS_COPY;
    return run_draws(c, &copy);
}

/* Words of 8 bytes are served to half a warp at a time, from 16 banks of 8 bytes. */
static uint32_t at_once(const rap_case *c)
{
    return c->t.element_bytes == 4 ? W : W / 2;
}

/* The mean congestion of a warp's reads, or its writes, over the draws. */
static double count_stages(const rap_case *c, bool write)
{
    uint32_t threads = at_once(c);
    int64_t sum = 0, address[W];
    for (int d = 0; d < c->draws; d++) {
        const uint32_t *numbers = c->numbers + (size_t)d * MACHINE_NUMBERS;
        for (uint32_t first = 0; first < N; first += threads) {
            for (uint32_t t = 0; t < threads; t++) {
                access_element e = write ? access_write(c->t.way, W, first + t)
                                         : access_read(c->t.way, W, first + t);
                address[t] = layout_2d_address(c->t.layout, W, numbers, e.i, e.j);
            }
            sum += machine_stages((int32_t)threads, false, address, threads);
        }
    }
    return (double)sum / ((double)c->draws * (N / threads));
}

static int measure_case(rap_case *c)
{
    const bool doubles = c->t.element_bytes == 8;
    const char *name = c->spread ? "rap spread" : layout_2d_name(c->t.layout),
               *access = way_names[c->t.way];
    bench_timing t;
    char line[64];
    c->arrays.bytes = (size_t)c->draws * matrix_bytes(c);
    int failed =
        bench_measure_work(c->b, &c->arrays, 2.0 * (double)matrix_bytes(c), rap_run_transpose,
                           run_plain_copy, c, layout_2d_name(c->t.layout), access, &t);
    if (failed) {
        return failed;
    }
    double read = count_stages(c, false), write = count_stages(c, true);
    double to_ns = 1e6 / ((double)c->times * c->draws), ns = t.ms * to_ns;
    if (c->t.layout == LAYOUT_DIAGONAL && c->t.way == ACCESS_CRSW) {
        c->diagonal_ns = ns;
    }
    BENCH_REPORT(c->b, STRING(name), STRING(access), STRING(c->t.computed ? "computed" : "kept"),
                 STRING(doubles ? "f64" : "f32"), NUMBER(ns), NUMBER(t.ms_min * to_ns),
                 NUMBER(t.peer_ms * to_ns), NUMBER(t.ms / t.peer_ms), NUMBER(ns / c->diagonal_ns),
                 NUMBER(read), NUMBER(write));
    snprintf(line, sizeof line, "%s, addresses %s", doubles ? "f64" : "f32",
             c->t.computed ? "computed" : "kept");
    bench_report_point(c->b->report, line, read + write, ns * 1e-6, t.ms / t.peer_ms);
    return 0;
}

/* All layouts and accesses, one type and form; the diagonal's CRSW comes first. */
static int measure_form(rap_case *c, int draws)
{
    int failed = 0;
    for (size_t l = 0; l < sizeof measured / sizeof *measured && !failed; l++) {
        machine_random random = {(uint64_t)c->b->options.seed};
        c->t.layout = measured[l].layout;
        c->spread = measured[l].spread;
        if (c->spread && at_once(c) == W) {
            continue; /* it would be RAP again */
        }
        bool is_random = layout_2d_numbers(c->t.layout, W) > 0;
        c->draws = is_random ? draws : 1;
        c->times = is_random ? TIMES : (int64_t)TIMES * 8;
        for (int d = 0; d < c->draws; d++) {
            uint32_t *numbers = c->numbers + (size_t)d * MACHINE_NUMBERS;
            if (c->spread) {
                layout_rap_draw_spread(W, at_once(c), &random, numbers);
            } else {
                layout_2d_draw(c->t.layout, W, &random, numbers);
            }
        }
        size_t bytes = (size_t)c->draws * MACHINE_NUMBERS * sizeof *c->numbers;
        satf_status status =
            bench_device_upload(c->b, c->numbers, bytes, "numbers", &c->device_numbers);
        if (status) {
            return bench_call_error(c->b, status, "random numbers");
        }
        for (int way = 0; way < ACCESS_COPY && !failed; way++) {
            c->t.way = (access_transpose)way;
            failed = measure_case(c);
        }
        satf_cuda()->free(c->b->ctx, c->device_numbers);
    }
    return failed;
}

/* A matrix of which each element is another, of one word or two, and its transposes. */
static void fill_matrix(rap_case *c, int draws)
{
    uint32_t words = (uint32_t)c->t.element_bytes / 4;
    for (uint32_t i = 0; i < N * words; i++) {
        c->host[i] = 2 * i + 1;
    }
    for (int d = 0; d < draws; d++) {
        uint32_t *right = (uint32_t *)c->arrays.right + (size_t)d * N * words;
        for (uint32_t i = 0; i < N; i++) {
            memcpy(right + (i % W * W + i / W) * words, c->host + i * words, words * sizeof *right);
        }
    }
}

static int measure_type(rap_case *c, int draws)
{
    size_t bytes = matrix_bytes(c);
    satf_status status = bench_arrays_open(c->b, &c->arrays, (size_t)draws * bytes);
    if (!status) {
        fill_matrix(c, draws);
        status = bench_device_upload(c->b, c->host, bytes, "a matrix", &c->arrays.in[0]);
    }
    int failed = status ? bench_call_error(c->b, status, "the matrices") : 0;
    for (int form = 0; form < 2 && !failed; form++) {
        c->t.computed = form;
        failed = measure_form(c, draws);
    }
    bench_arrays_close(c->b, &c->arrays);
    return failed;
}

static int rap_run(bench *b)
{
    const struct bench_values *widths = &b->options.list[BENCH_WIDTHS];
    int draws = b->options.samples ? b->options.samples : DRAWS;
    for (int i = 0; i < widths->count && widths->given; i++) {
        if (widths->item[i].number != W) {
            return bench_error(2, "a CUDA device has %d banks; other --widths take --simulate", W);
        }
    }
    if (draws > MOST_DRAWS) {
        return bench_error(2, "--samples: at most %d draws are measured", MOST_DRAWS);
    }
    int failed = bench_needs_device(b);
    if (failed) {
        return failed;
    }
    uint32_t *numbers = satf_alloc_zeroed((size_t)draws * MACHINE_NUMBERS * sizeof *numbers);
    if (!numbers) {
        return bench_error(1, "out of memory for %d matrices", draws);
    }
    bench_report_axis(b->report, "stages of a warp's access, read and written");
    for (int bytes = 8; bytes >= 4 && !failed; bytes -= 4) {
        static rap_case c;
        c = (rap_case){.b = b, .t = {.element_bytes = bytes}, .numbers = numbers};
        failed = measure_type(&c, draws);
    }
    satf_free(numbers);
    return failed;
}

const bench_table bench_rap_table = {
    .name = "rap",
    .help = "transposes under random address permute-shifts (RAP, table III; simulated II, IV)",
    .defaults = {{BENCH_WIDTHS, "16,32,64,128,256"}},
    .takes = " simulate samples seed plot ",
    .columns = {{"name", "layout", 't', 6},
                {"dimensions", "dim", 'i', 3},
                {"access", "access", 't', 10},
                {"w", "w", 'i', 4},
                {"congestion", "congestion", 'r', 10},
                {"numbers", "numbers", 'i', 7}},
    .cuda_columns = {{"name", "layout", 't', 8},
                     {"access", "access", 't', 6},
                     {"addresses", "addresses", 't', 9},
                     {"input", "type", 't', 4},
                     {"ns", "ns", 'r', 8},
                     {"ns_min", "min", 'r', 8},
                     {"copy_ns", "copy ns", 'r', 8},
                     {"x_copy", "x copy", 'r', 6},
                     {"x_diagonal", "x diagonal", 'r', 10},
                     {"read", "read", 'r', 6},
                     {"write", "write", 'r', 6}},
    .x_title = "banks and threads of a warp",
    .y_title = "mean congestion (2 dimensions)",
    .note =
        "2 dimensions, and 4 up to w = 32. A congestion of 1 is free of conflicts; numbers: random "
        "ones that the layout takes. ns: of one transpose of 32 x 32 elements by 1024 threads; "
        "copy: b = a in the same form; diagonal: crsw in the diagonal arrangement; read, write: "
        "congestion of the very accesses that are timed, f64 by half warps; computed: each "
        "access computes its address again, kept: it stays in a register. `satbench paper rap` "
        "has the paper's figures",
    .on_cuda = true,
    .run = rap_run,
    .simulate = rap_simulate,
};
