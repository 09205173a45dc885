/* The table `amm`: what padding and adaptive modular mapping do for the kernels of
 * I. Mungiello and F. De Rosa, figures 6 to 8. */
#include <math.h>

#include "../src/machine/tile_kernels.h"
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

const bench_table bench_amm_table = {
    .name = "amm",
    .help = "shared memory naive, padded and by adaptive modular mapping (AMM, figures 6-8)",
    .columns = columns,
    .note =
        "fill, read: mean congestion of a warp's accesses to the tile; blocks: resident at once "
        "(tk1: the paper's Jetson TK1); model 4: constraints of the paper's schedule that are "
        "violated, 0 if it is feasible. The paper gives times only, in figures: case 1 naive > "
        "padded > amm, case 2 padded > naive > amm, case 3 padded > naive = amm",
    .simulate = simulate,
};
