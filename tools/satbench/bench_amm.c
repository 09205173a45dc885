/* The table `amm`: what padding and adaptive modular mapping do for the kernels of
 * I. Mungiello and F. De Rosa, figures 6 to 8. */
#include <math.h>
#include <string.h>

#include "../../src/base/device/gpu.h"
#include "../../src/base/memory.h"
#include "../../src/study/gpu.h"
#include "../../src/study/tile_kernels.h"
#include "../../src/study/tile_places.h"
#include "bench.h"

static const struct {
    layout_2d layout;
    const char *name;
} layouts[] = {
#define LAYOUT_LINE(layout, name) {layout, name},
    TILE_LAYOUTS(LAYOUT_LINE)
#undef LAYOUT_LINE
};

static int amm_simulate(bench *b)
{
    const tile_processor *p;
    const tile_kernel *kernel;
    for (size_t at = 0; (p = tile_processor_at(at)) != NULL; at++) {
        for (size_t i = 0; (kernel = tile_kernel_at(i)) != NULL; i++) {
            for (size_t k = 0; k < sizeof layouts / sizeof *layouts; k++) {
                tile_cost cost;
                tile_measure(kernel, layouts[k].layout, p, &cost);
                BENCH_REPORT(b, NUMBER(kernel->kase), STRING(kernel->name), STRING(layouts[k].name),
                             STRING(p->name), NUMBER(cost.in), NUMBER(cost.out),
                             NUMBER(cost.stages), NUMBER(cost.bytes), NUMBER(cost.blocks),
                             NUMBER(cost.occupancy),
                             NUMBER(cost.violations < 0 ? NAN : (double)cost.violations));
            }
        }
    }
    return 0;
}

/* ------------------------------------------------------------------ measured */

/* Tiles of a call: several times as many as a device has resident at once. */
static int64_t amm_tiles_of(tile_kernel_number kernel)
{
    switch (kernel) {
    case TILE_TRANSPOSE:
    case TILE_CONVOLUTION:
        return 16384;
    case TILE_LUD:
        return 32768;
    case TILE_FOO1:
    case TILE_FOO1_STRIDED:
    case TILE_FOO2:
        return 8192;
    case TILE_KERNELS:
        break;
    }
    return 0;
}

/* A kernel, its arrays on the device, and the right result. */
typedef struct amm_case {
    bench *b;
    size_t kernel;
    layout_2d layout;
    int most_blocks; /* resident; 0: as many as fit */
    int64_t tiles;
    size_t in_bytes;
    float *host;
    bench_arrays arrays;
    double naive_ms;
} amm_case;

static satf_status run_tiles(void *user)
{
    const amm_case *c = user;
    return machine_cuda()->tiles(c->b->ctx, c->kernel, c->layout, c->most_blocks, c->tiles,
                                 c->arrays.in[0], c->arrays.out);
}

/* As a processor holds the blocks: the device itself, or the paper's. */
static int measure_layout(amm_case *c, size_t layout, bool own)
{
    const tile_kernel *kernel = tile_kernel_at(c->kernel);
    const tile_processor *processor = tile_processor_at(own ? TILE_H200 : TILE_TK1);
    const char *name = layouts[layout].name;
    machine_residence r;
    bench_timing t;
    tile_cost cost;
    c->layout = layouts[layout].layout;
    tile_measure(kernel, c->layout, processor, &cost);
    c->most_blocks = own ? 0 : (int)cost.blocks;
    satf_status status =
        machine_cuda()->tiles_residence(c->b->ctx, c->kernel, c->layout, c->most_blocks, &r);
    int failed = status
                     ? bench_call_error(c->b, status, kernel->name)
                     : bench_measure_work(c->b, &c->arrays, (double)(c->in_bytes + c->arrays.bytes),
                                          run_tiles, NULL, c, kernel->name, name, &t);
    if (failed) {
        return failed;
    }
    double to_ns = 1e6 / (double)c->tiles;
    c->naive_ms = c->layout == LAYOUT_RAW ? t.ms : c->naive_ms;
    BENCH_REPORT(c->b, NUMBER(kernel->kase), STRING(kernel->name), STRING(name),
                 STRING(own ? "own" : processor->name), NUMBER(c->tiles), NUMBER(t.ms * to_ns),
                 NUMBER(t.ms_min * to_ns), NUMBER(t.copy_ms * to_ns), NUMBER(t.x_copy),
                 NUMBER(t.ms / c->naive_ms), NUMBER(r.bytes), NUMBER(r.registers), NUMBER(r.blocks),
                 NUMBER(cost.blocks), NUMBER((double)r.blocks * kernel->threads / r.threads),
                 NUMBER(cost.in), NUMBER(cost.out), NUMBER(cost.stages));
    return 0;
}

/* Small integers, whose sums are exact; a diagonal block by which one can divide. */
static void amm_fill(amm_case *c)
{
    for (size_t i = 0; i < c->in_bytes / sizeof *c->host; i++) {
        bool shift = c->kernel == TILE_LUD && i < TILE_LUD_DIAGONAL && i % (TILE_LUD_SIDE + 1) == 0;
        c->host[i] = shift ? 2.0f : (float)((uint32_t)i * 2654435761u >> 24);
        if (c->kernel == TILE_LUD && !shift) {
            c->host[i] /= 1024;
        }
    }
    machine_host_tiles(c->kernel, c->tiles, c->host, c->arrays.right);
}

static int measure_kernel(amm_case *c)
{
    bench *b = c->b;
    c->tiles = amm_tiles_of((tile_kernel_number)c->kernel);
    c->in_bytes = (size_t)machine_tiles_in(c->kernel, c->tiles) * sizeof(float);
    c->host = satf_alloc(c->in_bytes);
    satf_status status =
        c->host ? bench_arrays_open(b, &c->arrays,
                                    (size_t)machine_tiles_out(c->kernel, c->tiles) * sizeof(float))
                : satf_fail_memory(b->ctx, c->in_bytes, "tiles");
    if (!status) {
        amm_fill(c);
        status = bench_device_upload(b, c->host, c->in_bytes, "tiles", &c->arrays.in[0]);
    }
    int failed = status ? bench_call_error(b, status, tile_kernel_at(c->kernel)->name) : 0;
    for (int own = 1; own >= 0; own--) {
        for (size_t k = 0; k < sizeof layouts / sizeof *layouts && !failed; k++) {
            failed = measure_layout(c, k, own);
        }
    }
    bench_arrays_close(b, &c->arrays);
    satf_free(c->host);
    return failed;
}

static int amm_run(bench *b)
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
    .takes = " simulate ",
    .columns = {{"case", "case", 'i', 4},
                {"kernel", "kernel", 't', 11},
                {"name", "layout", 't', 6},
                {"processor", "processor", 't', 9},
                {"congestion_in", "fill", 'r', 6},
                {"congestion_out", "read", 'r', 6},
                {"stages", "stages", 'i', 6},
                {"bytes", "bytes", 'i', 6},
                {"blocks", "blocks", 'i', 6},
                {"occupancy", "occupancy", 'r', 9},
                {"violations", "model 4", 'i', 7}},
    .cuda_columns = {{"case", "case", 'i', 4},
                     {"kernel", "kernel", 't', 11},
                     {"name", "layout", 't', 6},
                     {"residence", "residence", 't', 9},
                     {"tiles", "tiles", 'i', 6},
                     {"ns", "ns a tile", 'r', 9},
                     {"ns_min", "min", 'r', 8},
                     {"copy_ns", "copy ns", 'r', 8},
                     {"x_copy", "x copy", 'r', 6},
                     {"x_naive", "x naive", 'r', 7},
                     {"bytes", "bytes", 'i', 6},
                     {"registers", "regs", 'i', 4},
                     {"blocks", "blocks", 'i', 6},
                     {"blocks_counted", "counted", 'i', 7},
                     {"occupancy", "occupancy", 'r', 9},
                     {"congestion_in", "fill", 'r', 6},
                     {"congestion_out", "read", 'r', 6},
                     {"stages", "stages", 'i', 6}},
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
    .run = amm_run,
    .simulate = amm_simulate,
};
