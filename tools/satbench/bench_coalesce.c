/* The table `coalesce`: copies with an offset, consecutive powers in two orders and tiled matrix
 * products (J. Verschelde, Memory Coalescing Techniques), timed or counted. */
#include <math.h>
#include <string.h>

#include "../../src/base/device/gpu.h"
#include "../../src/base/memory.h"
#include "../../src/study/gpu.h"
#include "../../src/study/machine.h"
#include "bench.h"

enum {
    W = MACHINE_BANKS,
    MOST_OFFSET = 32,
    SECTOR_WORDS = 8,     /* what a device moves at least: 32 bytes */
    COPY_WORDS = 1 << 25, /* of a copy */
    NUMBERS = 1 << 20,    /* whose powers go to global memory */
    POWER_TIMES = 4096,   /* in shared memory */
    SIDE = 1024           /* of the matrices */
};

/* ------------------------------------------------------------------ counting */

/* Means over a warp's accesses; NaN: there are none of the kind. */
typedef struct access_counts {
    double global[2], sectors[2], shared[2]; /* reads, writes */
} access_counts;

static double stages(bool global, const int64_t *address)
{
    return (double)machine_stages(W, global, address, W);
}

/* The number of sectors that the W addresses, in words, lie in. */
static double sectors(const int64_t *address)
{
    int64_t group[W]; /* of as many words, for each sector */
    for (int t = 0; t < W; t++) {
        group[t] = address[t] / SECTOR_WORDS * W;
    }
    return stages(true, group);
}

static access_counts no_counts(void)
{
    access_counts none = {{NAN, NAN}, {NAN, NAN}, {NAN, NAN}};
    return none;
}

static access_counts count_copy(int64_t offset)
{
    access_counts counts = no_counts();
    int64_t address[W];
    for (int t = 0; t < W; t++) {
        address[t] = offset + t;
    }
    counts.global[0] = counts.global[1] = stages(true, address);
    counts.sectors[0] = counts.sectors[1] = sectors(address);
    return counts;
}

static access_counts count_powers(bool shared, bool interleaved)
{
    access_counts counts = no_counts();
    double sum = 0, sum_of_sectors = 0;
    int64_t address[W];
    for (uint32_t p = 0; p < ACCESS_POWERS; p++) {
        for (uint32_t t = 0; t < W; t++) {
            address[t] = access_power(interleaved, t, p);
        }
        sum += stages(!shared, address);
        sum_of_sectors += sectors(address);
    }
    if (shared) {
        counts.shared[1] = sum / ACCESS_POWERS;
    } else {
        counts.global[1] = sum / ACCESS_POWERS;
        counts.sectors[1] = sum_of_sectors / ACCESS_POWERS;
    }
    return counts;
}

/* Warp y of a block of 32 x 32 threads, whose x are its lanes: all of them, in one tile. */
static access_counts count_product(access_product way)
{
    access_counts counts = no_counts();
    double global = 0, of_sectors = 0, writes = 0, reads = 0;
    int64_t address[W];
    for (uint32_t y = 0; y < W; y++) {
        for (uint32_t x = 0; x < W; x++) {
            access_element e = access_product_element(way, x, y);
            address[x] = access_product_word(way, SIDE, e.i, e.j);
        }
        global += stages(true, address) / W;
        of_sectors += sectors(address) / W;
        for (uint32_t x = 0; x < W; x++) {
            access_element e = access_product_element(way, x, y);
            address[x] = access_product_place(way, e.i, e.j);
        }
        writes += stages(false, address) / W;
        for (uint32_t l = 0; l < W; l++) { /* one of a, that all share, and one of b */
            for (uint32_t x = 0; x < W; x++) {
                address[x] = access_product_place(way, y, l);
            }
            reads += stages(false, address) / (2 * W * W);
            for (uint32_t x = 0; x < W; x++) {
                address[x] = access_product_place(way, l, x);
            }
            reads += stages(false, address) / (2 * W * W);
        }
    }
    counts.global[0] = global;
    counts.sectors[0] = of_sectors;
    counts.global[1] = 1; /* the product itself, row by row */
    counts.sectors[1] = W / SECTOR_WORDS;
    counts.shared[0] = reads;
    counts.shared[1] = writes;
    return counts;
}

/* ------------------------------------------------------------------- reports */

/* One line: what it is called and what there is to say of it. */
typedef struct coalesce_line {
    const char *part, *name;
    double offset; /* NaN: none */
    access_counts counts;
    double bytes, flops; /* of a run, 0: not told */
    double runs;         /* that a timed call holds */
} coalesce_line;

/* ----------------------------------------------------------------- measuring */

/* A part's arrays, there and here; what a line does with them. */
typedef struct coalesce_case {
    bench *b;
    bench_arrays arrays;
    int64_t offset;
    bool in_shared, interleaved;
    access_product way;
} coalesce_case;

/* Counts a line, or times it beside the part's first one and a copy, and reports it. */
static int coalesce_run_line(coalesce_case *c, const coalesce_line *line, bench_work *work,
                             bench_work *first)
{
    bench *b = c->b;
    const access_counts *k = &line->counts;
    bench_timing t = {NAN, NAN, NAN, NAN, NAN, 0};
    double bytes = line->bytes > 0 ? line->bytes : 4096;
    bool simulate = b->options.simulate;
    int failed = simulate ? 0
                          : bench_measure_work(b, &c->arrays, bytes, work, first, (void *)c,
                                               line->part, line->name, &t);
    if (failed) {
        return failed;
    }
    double ms = t.ms / line->runs;
    BENCH_REPORT(b, STRING(line->part), STRING(line->name), NUMBER(line->offset), NUMBER(ms * 1e3),
                 NUMBER(t.ms_min / line->runs * 1e3),
                 NUMBER(line->bytes > 0 ? line->bytes * 1e-6 / ms : NAN),
                 NUMBER(line->flops > 0 ? line->flops * 1e-6 / ms : NAN), NUMBER(t.ms / t.peer_ms),
                 NUMBER(line->bytes > 0 ? t.copy_ms * 1e3 : NAN), NUMBER(k->global[0]),
                 NUMBER(k->global[1]), NUMBER(k->sectors[0]), NUMBER(k->sectors[1]),
                 NUMBER(k->shared[0]), NUMBER(k->shared[1]));
    if (line->offset > 0 && simulate) { /* the plot's axis is logarithmic */
        bench_report_value(b->report, "sectors", line->offset, k->sectors[0]);
    } else if (line->offset > 0) {
        bench_report_point(b->report, "copy", line->offset, ms, t.ms / t.peer_ms);
    }
    return 0;
}

/* -------------------------------------------------------------------- copies */

static satf_status run_copy_from(const coalesce_case *c, int64_t offset)
{
    return machine_cuda()->copy(c->b->ctx, c->arrays.in[0], c->arrays.out, COPY_WORDS, offset);
}

static satf_status coalesce_run_copy(void *user)
{
    const coalesce_case *c = user;
    return run_copy_from(c, c->offset);
}

static satf_status run_aligned_copy(void *user)
{
    return run_copy_from(user, 0);
}

static float coalesce_number(int64_t i)
{
    return (float)(i % 16777213);
}

static satf_status open_copies(coalesce_case *c)
{
    satf_status status =
        bench_arrays_open(c->b, &c->arrays, (COPY_WORDS + MOST_OFFSET) * sizeof(float));
    float *right = c->arrays.right;
    if (status) {
        return status;
    }
    for (int64_t i = 0; i < COPY_WORDS + MOST_OFFSET; i++) {
        right[i] = coalesce_number(i);
    }
    return bench_device_upload(c->b, right, c->arrays.bytes, "numbers", &c->arrays.in[0]);
}

/* The result's words outside of the copy are as bench_check_work() found them. All others are
 * right whatever the offset. */
static void expect_copy(coalesce_case *c)
{
    float *right = c->arrays.right;
    memset(right, 0xa5, MOST_OFFSET * sizeof(float));
    memset(right + COPY_WORDS, 0xa5, MOST_OFFSET * sizeof(float));
    for (int64_t i = c->offset; i < MOST_OFFSET; i++) {
        right[i] = coalesce_number(i);
    }
    for (int64_t i = COPY_WORDS; i < COPY_WORDS + c->offset; i++) {
        right[i] = coalesce_number(i);
    }
}

static int copies(coalesce_case *c)
{
    bool simulate = c->b->options.simulate;
    coalesce_line line = {
        .part = "copy", .name = "misaligned", .bytes = 2.0 * sizeof(float) * COPY_WORDS, .runs = 1};
    satf_status status = simulate ? SATF_OK : open_copies(c);
    int failed = status ? bench_call_error(c->b, status, line.part) : 0;
    for (int64_t offset = 0; offset <= MOST_OFFSET && !failed; offset++) {
        c->offset = offset;
        line.name = offset % W ? "misaligned" : "aligned";
        line.offset = (double)offset;
        line.counts = count_copy(offset);
        if (!simulate) {
            expect_copy(c);
        }
        failed = coalesce_run_line(c, &line, coalesce_run_copy, run_aligned_copy);
    }
    return failed;
}

/* -------------------------------------------------------------------- powers */

static satf_status run_powers_as(const coalesce_case *c, bool interleaved)
{
    return c->in_shared ? machine_cuda()->powers_shared(c->b->ctx, interleaved, c->arrays.in[0],
                                                        c->arrays.out, POWER_TIMES)
                        : machine_cuda()->powers(c->b->ctx, interleaved, c->arrays.in[0],
                                                 c->arrays.out, NUMBERS);
}

static satf_status run_powers(void *user)
{
    const coalesce_case *c = user;
    return run_powers_as(c, c->interleaved);
}

static satf_status run_interleaved(void *user)
{
    return run_powers_as(user, true);
}

static satf_status open_powers(coalesce_case *c, float **numbers, int64_t count)
{
    satf_status status =
        bench_arrays_open(c->b, &c->arrays, (size_t)count * ACCESS_POWERS * sizeof(float));
    size_t bytes = (size_t)count * sizeof(float);
    if (status) {
        return status;
    }
    *numbers = satf_alloc(bytes);
    if (!*numbers) {
        return satf_fail_memory(c->b->ctx, bytes, "numbers");
    }
    for (int64_t i = 0; i < count; i++) { /* 0.9 ... 1.1, as in the lecture */
        (*numbers)[i] = 0.9f + 0.2f * (float)(i % 1021) / 1020.0f;
    }
    return bench_device_upload(c->b, *numbers, bytes, "numbers", &c->arrays.in[0]);
}

static int powers(coalesce_case *c)
{
    bool simulate = c->b->options.simulate, shared = c->in_shared;
    int64_t count = shared ? MACHINE_POWER_GROUPS * W : NUMBERS;
    coalesce_line line = {
        .part = shared ? "powers shared" : "powers global",
        .offset = NAN,
        .bytes = shared ? 0 : (double)sizeof(float) * NUMBERS * (ACCESS_POWERS + 1),
        .runs = shared ? POWER_TIMES : 1,
    };
    float *numbers = NULL;
    int failed = 0;
    if (!simulate) {
        satf_status status = open_powers(c, &numbers, count);
        failed = status ? bench_call_error(c->b, status, line.part) : 0;
    }
    for (int interleaved = 1; interleaved >= 0 && !failed; interleaved--) {
        c->interleaved = interleaved;
        line.name = interleaved ? "interleaved" : "consecutive";
        line.counts = count_powers(shared, interleaved);
        if (!simulate) {
            machine_host_powers(interleaved, numbers, c->arrays.right, count);
        }
        failed = coalesce_run_line(c, &line, run_powers, run_interleaved);
    }
    satf_free(numbers);
    return failed;
}

/* ------------------------------------------------------------------ products */

static const char *const product_names[ACCESS_PRODUCT_COUNT] = {
#define PRODUCT_NAME(NAME, name) name,
    ACCESS_PRODUCTS(PRODUCT_NAME)
#undef PRODUCT_NAME
};

static satf_status run_product_of(const coalesce_case *c, access_product way)
{
    return machine_cuda()->product(c->b->ctx, way, c->arrays.in[0], c->arrays.in[1], c->arrays.out,
                                   SIDE);
}

static satf_status run_product(void *user)
{
    const coalesce_case *c = user;
    return run_product_of(c, c->way);
}

/* Copies the same words, however they lie: addresses and time are those of the first line. */
static satf_status coalesce_run_coalesced(void *user)
{
    return run_product_of(user, ACCESS_BY_ROWS);
}

/* A factor's element: small integers, so that sums of SIDE products are exact. */
static float factor(int which, int64_t row, int64_t column)
{
    uint32_t at = (uint32_t)(row * SIDE + column) * 2 + (uint32_t)which;
    return (float)(at * 2654435761u >> 26);
}

/* The factors as `way` has them. */
static satf_status upload_factors(coalesce_case *c, access_product way, float *words)
{
    size_t bytes = (size_t)SIDE * SIDE * sizeof(float);
    satf_status status = SATF_OK;
    for (int which = 0; which < 2 && !status; which++) {
        for (int64_t row = 0; row < SIDE; row++) {
            for (int64_t column = 0; column < SIDE; column++) {
                words[access_product_word(way, SIDE, row, column)] = factor(which, row, column);
            }
        }
        satf_cuda()->free(c->b->ctx, c->arrays.in[which]);
        status = bench_device_upload(c->b, words, bytes, "a matrix", &c->arrays.in[which]);
    }
    return status;
}

static satf_status open_products(coalesce_case *c, float *a, float *b)
{
    satf_status status = bench_arrays_open(c->b, &c->arrays, (size_t)SIDE * SIDE * sizeof(float));
    for (int64_t i = 0; i < (int64_t)SIDE * SIDE && !status; i++) {
        a[i] = factor(0, i / SIDE, i % SIDE);
        b[i] = factor(1, i / SIDE, i % SIDE);
    }
    if (!status) {
        machine_host_product(ACCESS_BY_ROWS, a, b, c->arrays.right, SIDE);
    }
    return status;
}

static int products(coalesce_case *c)
{
    bool simulate = c->b->options.simulate;
    coalesce_line line = {
        .part = "product", .offset = NAN, .flops = 2.0 * SIDE * SIDE * SIDE, .runs = 1};
    float *words = NULL;
    int failed = 0;
    if (!simulate) {
        size_t n = (size_t)SIDE * SIDE;
        words = satf_alloc(2 * n * sizeof *words);
        if (!words) {
            return bench_error(1, "out of memory for the matrices");
        }
        satf_status status = open_products(c, words, words + n);
        failed = status ? bench_call_error(c->b, status, line.part) : 0;
    }
    for (int way = 0; way < ACCESS_PRODUCT_COUNT && !failed; way++) {
        c->way = (access_product)way;
        line.name = product_names[way];
        line.counts = count_product(c->way);
        satf_status status = simulate ? SATF_OK : upload_factors(c, c->way, words);
        failed = status ? bench_call_error(c->b, status, line.part)
                        : coalesce_run_line(c, &line, run_product, coalesce_run_coalesced);
    }
    satf_free(words);
    return failed;
}

/* --------------------------------------------------------------------- table */

static int coalesce_run(bench *b)
{
    static const struct {
        int (*run)(coalesce_case *c);
        bool in_shared;
    } parts[] = {{copies, false}, {powers, true}, {powers, false}, {products, false}};
    int failed = bench_needs_device(b);
    for (size_t i = 0; i < sizeof parts / sizeof *parts && !failed; i++) {
        coalesce_case c = {.b = b, .in_shared = parts[i].in_shared};
        failed = parts[i].run(&c);
        bench_arrays_close(b, &c.arrays);
    }
    return failed;
}

const bench_table bench_coalesce_table = {
    .name = "coalesce",
    .help = "misaligned copies, powers in two orders, matrix products (Verschelde)",
    .takes = " simulate plot ",
    .columns = {{"part", "part", 't', 13},
                {"name", "case", 't', 11},
                {"offset", "offset", 'i', 6},
                {"us", "us", 'R', 8},
                {"us_min", "min", 'R', 8},
                {"gbps", "GB/s", 'R', 7},
                {"gflops", "GFLOP/s", 'R', 7},
                {"x_first", "x first", 'R', 7},
                {"copy_us", "copy us", 'R', 8},
                {"global_reads", "global r", 'r', 8},
                {"global_writes", "global w", 'r', 8},
                {"sector_reads", "sectors r", 'r', 9},
                {"sector_writes", "sectors w", 'r', 9},
                {"shared_reads", "shared r", 'r', 8},
                {"shared_writes", "shared w", 'r', 8}},
    .x_title = "offset in words of 4 bytes",
    .y_title = "sectors of 32 bytes a warp",
    .note =
        "global, sectors, shared: of a warp's access, the mean of its groups of 32 words, of its "
        "sectors of 32 bytes, of its conflicts in 32 banks; x first: time by that of the "
        "part's first line; us: of a copy of 128 MB, of 8 warps' powers, of the powers of 2^20 "
        "numbers, of a product of 1024 x 1024",
    .on_cuda = true,
    .run = coalesce_run,
    .simulate = coalesce_run,
};
