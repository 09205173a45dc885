/* The table `amm`: what padding and adaptive modular mapping do for the kernels of
 * I. Mungiello and F. De Rosa, figures 6 to 8. */
#include <math.h>
#include <string.h>

#include "../src/base/gpu.h"
#include "../src/base/memory.h"
#include "../src/study/gpu.h"
#include "../src/study/tile_kernels.h"
#include "../src/study/tile_places.h"
#include "bench.h"

static const bench_column columns[] = {
    {"table", NULL, BENCH_TEXT, 0, false},
    {"case", "case", BENCH_INTEGER, 4, false},
    {"kernel", "kernel", BENCH_TEXT, 11, false},
    {"name", "layout", BENCH_TEXT, 6, false},
    {"processor", "processor", BENCH_TEXT, 9, false},
    {"congestion_in", "fill", BENCH_REAL, 6, false},
    {"congestion_out", "read", BENCH_REAL, 6, false},
    {"stages", "stages", BENCH_INTEGER, 6, false},
    {"bytes", "bytes", BENCH_INTEGER, 6, false},
    {"blocks", "blocks", BENCH_INTEGER, 6, false},
    {"occupancy", "occupancy", BENCH_REAL, 9, false},
    {"violations", "model 4", BENCH_INTEGER, 7, false},
    {NULL, NULL, BENCH_TEXT, 0, false},
};

static const struct {
    layout_2d layout;
    const char *name;
} layouts[] = {
#define LAYOUT_LINE(layout, name) {layout, name},
    TILE_LAYOUTS(LAYOUT_LINE)
#undef LAYOUT_LINE
};

static int run_one(bench *b, const tile_kernel *kernel, size_t layout, const tile_processor *p)
{
    tile_cost cost;
    satf_status status = tile_measure(b->ctx, kernel, layouts[layout].layout, p, &cost);
    if (status) {
        return bench_call_error(b, status, kernel->name);
    }
    bench_value values[] = {
        {.text = "amm"},
        {.number = kernel->kase},
        {.text = kernel->name},
        {.text = layouts[layout].name},
        {.text = p->name},
        {.number = cost.in},
        {.number = cost.out},
        {.number = (double)cost.stages},
        {.number = cost.bytes},
        {.number = cost.blocks},
        {.number = cost.occupancy},
        {.number = cost.violations < 0 ? NAN : (double)cost.violations},
    };
    return bench_report_add(b->report, values) ? 0 : bench_error(1, "out of memory for the report");
}

static int simulate(bench *b)
{
    const tile_processor *p;
    const tile_kernel *kernel;
    int failed = 0;
    for (size_t at = 0; (p = tile_processor_at(at)) != NULL; at++) {
        for (size_t i = 0; (kernel = tile_kernel_at(i)) != NULL; i++) {
            for (size_t k = 0; k < sizeof layouts / sizeof *layouts && !failed; k++) {
                failed = run_one(b, kernel, k, p);
            }
        }
    }
    return failed;
}

/* ------------------------------------------------------------------ measured */

static const bench_column cuda_columns[] = {
    {"table", NULL, BENCH_TEXT, 0, false},
    {"case", "case", BENCH_INTEGER, 4, false},
    {"kernel", "kernel", BENCH_TEXT, 11, false},
    {"name", "layout", BENCH_TEXT, 6, false},
    {"residence", "residence", BENCH_TEXT, 9, false},
    {"tiles", "tiles", BENCH_INTEGER, 6, false},
    {"ns", "ns a tile", BENCH_REAL, 9, false},
    {"ns_min", "min", BENCH_REAL, 8, false},
    {"copy_ns", "copy ns", BENCH_REAL, 8, false},
    {"x_copy", "x copy", BENCH_REAL, 6, false},
    {"x_naive", "x naive", BENCH_REAL, 7, false},
    {"bytes", "bytes", BENCH_INTEGER, 6, false},
    {"registers", "regs", BENCH_INTEGER, 4, false},
    {"blocks", "blocks", BENCH_INTEGER, 6, false},
    {"blocks_counted", "counted", BENCH_INTEGER, 7, false},
    {"occupancy", "occupancy", BENCH_REAL, 9, false},
    {"congestion_in", "fill", BENCH_REAL, 6, false},
    {"congestion_out", "read", BENCH_REAL, 6, false},
    {"stages", "stages", BENCH_INTEGER, 6, false},
    {NULL, NULL, BENCH_TEXT, 0, false},
};

/* Tiles of a call: several times as many as a device has resident at once. */
static const int64_t tiles_of[TILE_KERNELS] = {
    [TILE_TRANSPOSE] = 16384, [TILE_CONVOLUTION] = 16384, [TILE_LUD] = 32768,
    [TILE_FOO1] = 8192,       [TILE_FOO1_STRIDED] = 8192, [TILE_FOO2] = 8192,
};

/* A kernel, its arrays on the device, and the right result. */
typedef struct amm_case {
    bench *b;
    size_t kernel;
    layout_2d layout;
    const tile_processor *processor; /* whose blocks are resident */
    int most_blocks;                 /* accordingly; 0: as many as fit */
    int64_t tiles;
    size_t in_bytes, out_bytes;
    float *host, *right;
    void *in, *out;
    double naive_ms;
} amm_case;

static satf_status run_tiles(void *user)
{
    const amm_case *c = user;
    return machine_cuda()->tiles(c->b->ctx, c->kernel, c->layout, c->most_blocks, c->tiles, c->in,
                                 c->out);
}

static int report_measured(amm_case *c, size_t layout, const bench_timing *t, const tile_cost *cost,
                           const machine_residence *r)
{
    const tile_kernel *kernel = tile_kernel_at(c->kernel);
    if (c->layout == LAYOUT_RAW) {
        c->naive_ms = t->ms;
    }
    double to_ns = 1e6 / (double)c->tiles;
    bench_value values[] = {
        {.text = "amm"},
        {.number = kernel->kase},
        {.text = kernel->name},
        {.text = layouts[layout].name},
        {.text = c->most_blocks ? c->processor->name : "own"},
        {.number = (double)c->tiles},
        {.number = t->ms * to_ns},
        {.number = t->ms_min * to_ns},
        {.number = t->copy_ms * to_ns},
        {.number = t->x_copy},
        {.number = t->ms / c->naive_ms},
        {.number = (double)r->bytes},
        {.number = r->registers},
        {.number = r->blocks},
        {.number = cost->blocks},
        {.number = (double)r->blocks * kernel->threads / r->threads},
        {.number = cost->in},
        {.number = cost->out},
        {.number = (double)cost->stages},
    };
    return bench_report_add(c->b->report, values) ? 0
                                                  : bench_error(1, "out of memory for the report");
}

/* As a processor holds the blocks: the device itself, or the paper's. */
static int measure_layout(amm_case *c, size_t layout, bool own)
{
    const tile_kernel *kernel = tile_kernel_at(c->kernel);
    machine_residence residence;
    bench_timing timing;
    tile_cost cost;
    bool right = false;
    c->layout = layouts[layout].layout;
    c->processor = tile_processor_at(own ? TILE_H200 : TILE_TK1);
    satf_status status = tile_measure(c->b->ctx, kernel, c->layout, c->processor, &cost);
    c->most_blocks = own || status ? 0 : (int)cost.blocks;
    if (!status) {
        status = machine_cuda()->tiles_residence(c->b->ctx, c->kernel, c->layout, c->most_blocks,
                                                 &residence);
    }
    if (!status) {
        status =
            bench_measure(c->b, (double)(c->in_bytes + c->out_bytes), run_tiles, NULL, c, &timing);
    }
    if (!status) {
        status = bench_device_leaves(c->b, run_tiles, c, c->out, c->right, c->out_bytes, &right);
    }
    if (status) {
        return bench_call_error(c->b, status, kernel->name);
    }
    return right
               ? report_measured(c, layout, &timing, &cost, &residence)
               : bench_error(1, "%s, %s: the result is wrong", kernel->name, layouts[layout].name);
}

/* Small integers, whose sums are exact; a diagonal block by which one can divide. */
static void fill(amm_case *c)
{
    for (size_t i = 0; i < c->in_bytes / sizeof *c->host; i++) {
        bool pivot = c->kernel == TILE_LUD && i < TILE_LUD_DIAGONAL && i % (TILE_LUD_SIDE + 1) == 0;
        c->host[i] = pivot ? 2.0f : (float)((uint32_t)i * 2654435761u >> 24);
        if (c->kernel == TILE_LUD && !pivot) {
            c->host[i] /= 1024;
        }
    }
    machine_host_tiles(c->kernel, c->tiles, c->host, c->right);
}

static int measure_kernel(amm_case *c)
{
    int failed = 0;
    c->tiles = tiles_of[c->kernel];
    c->in_bytes = (size_t)machine_tiles_in(c->kernel, c->tiles) * sizeof(float);
    c->out_bytes = (size_t)machine_tiles_out(c->kernel, c->tiles) * sizeof(float);
    c->host = satf_alloc(c->in_bytes);
    c->right = satf_alloc(c->out_bytes);
    if (!c->host || !c->right) {
        failed = bench_error(1, "out of memory for %zu bytes", c->in_bytes + c->out_bytes);
    }
    if (!failed) {
        fill(c);
        satf_status status = bench_device_upload(c->b, c->host, c->in_bytes, "tiles", &c->in);
        if (!status) {
            status = bench_device_upload(c->b, NULL, c->out_bytes, "results", &c->out);
        }
        failed = status ? bench_call_error(c->b, status, tile_kernel_at(c->kernel)->name) : 0;
    }
    for (int own = 1; own >= 0; own--) {
        for (size_t k = 0; k < sizeof layouts / sizeof *layouts && !failed; k++) {
            failed = measure_layout(c, k, own);
        }
    }
    satf_cuda()->free(c->b->ctx, c->in);
    satf_cuda()->free(c->b->ctx, c->out);
    satf_free(c->host);
    satf_free(c->right);
    return failed;
}

static int run(bench *b)
{
    int failed = bench_needs_device(b);
    for (size_t kernel = 0; kernel < TILE_KERNELS && !failed; kernel++) {
        amm_case c = {.b = b, .kernel = kernel};
        failed = measure_kernel(&c);
    }
    return failed;
}

const bench_table bench_amm_table = {
    .name = "amm",
    .help = "shared memory naive, padded and by adaptive modular mapping (AMM, figures 6-8)",
    .columns = columns,
    .cuda_columns = cuda_columns,
    .note =
        "fill, read: mean congestion of a warp's accesses to the tile; blocks: resident at once "
        "(tk1: the paper's Jetson TK1); model 4: constraints of the paper's schedule that are "
        "violated, 0 if it is feasible. The paper gives times only, in figures: case 1 naive > "
        "padded > amm, case 2 padded > naive > amm, case 3 padded > naive = amm. ns: of the whole "
        "kernel, which fills the device, by its tiles; copy: of the same bytes; residence: own: as "
        "many "
        "blocks on a multiprocessor as fit, tk1: as on the paper's; counted: what the simulation "
        "says of that; occupancy: of a multiprocessor's threads",
    .on_cuda = true,
    .run = run,
    .simulate = simulate,
};
