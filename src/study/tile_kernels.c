/* The table of AMM's kernels, and counting their conflicts. */
#include "tile_kernels.h"

enum { BANKS = 32, WORD_BYTES = 4 };

#define ROW(type, number, ...)                 \
    case number: {                             \
        static const type row = {__VA_ARGS__}; \
        return &row;                           \
    }

const tile_kernel *tile_kernel_at(size_t index)
{
    switch ((tile_kernel_number)index) {
        ROW(tile_kernel, TILE_TRANSPOSE, "transpose", "of a 32 x 32 tile", 1,
            TILE_TRANSPOSE_THREADS, TILE_TRANSPOSE_SIDE, TILE_TRANSPOSE_SIDE, 1,
            {TILE_TRANSPOSE_STEPS, tile_transpose_in}, {TILE_TRANSPOSE_STEPS, tile_transpose_out})
        ROW(tile_kernel, TILE_CONVOLUTION, "convolution", "columns, 17 taps", 1,
            TILE_CONVOLUTION_THREADS, TILE_CONVOLUTION_ROWS, TILE_CONVOLUTION_WIDTH, 1,
            {TILE_CONVOLUTION_LOADS, tile_convolution_in},
            {TILE_CONVOLUTION_READS, tile_convolution_out})
        ROW(tile_kernel, TILE_LUD, "lud", "perimeter of a 16 x 16 block", 1, TILE_LUD_THREADS,
            TILE_LUD_SIDE, TILE_LUD_SIDE, 3, {TILE_LUD_SIDE, tile_lud_in},
            {TILE_LUD_READS, tile_lud_out})
        ROW(tile_kernel, TILE_FOO1, "foo1", "a row a thread, coalesced", 1, TILE_FOO_THREADS,
            TILE_FOO_ROWS, TILE_FOO_WIDTH, 1, {TILE_FOO_STEPS, tile_foo},
            {TILE_FOO_STEPS, tile_foo})
        ROW(tile_kernel, TILE_FOO1_STRIDED, "foo1", "a row a thread, not coalesced", 2,
            TILE_FOO_THREADS, TILE_FOO_ROWS, TILE_FOO_WIDTH, 1, {TILE_FOO_STEPS, tile_foo},
            {TILE_FOO_STEPS, tile_foo})
        ROW(tile_kernel, TILE_FOO2, "foo2", "a row a thread, much arithmetic", 3, TILE_FOO_THREADS,
            TILE_FOO_ROWS, TILE_FOO_WIDTH, 1, {TILE_FOO_STEPS, tile_foo},
            {TILE_FOO_STEPS, tile_foo})
    case TILE_KERNELS:
        break;
    }
    return NULL;
}

/* The Jetson TK1 (compute capability 3.2) is the paper's, the other (9.0) this project's. */
const tile_processor *tile_processor_at(size_t index)
{
    switch ((tile_processor_number)index) {
        ROW(tile_processor, TILE_TK1, "tk1", 48 * 1024, 0, 2048, 16)
        ROW(tile_processor, TILE_H200, "h200", 228 * 1024, 1024, 2048, 32)
    case TILE_PROCESSORS:
        break;
    }
    return NULL;
}

/* The mean congestion of a pass; adds its stages. */
static double measure_pass(const tile_kernel *k, layout_2d layout, const tile_pass *pass,
                           int64_t *stages)
{
    int64_t sum = 0, warps = 0, address[BANKS];
    for (uint32_t iteration = 0; iteration < pass->iterations; iteration++) {
        for (uint32_t warp = 0; warp < k->threads; warp += BANKS, warps++) {
            for (uint32_t t = 0; t < BANKS; t++) {
                tile_element e = pass->element(warp + t, iteration);
                address[t] = e.nobody ? SATF_MACHINE_IDLE
                                      : layout_2d_address(layout, k->width, NULL, e.i, e.j);
            }
            sum += machine_stages(BANKS, false, address, BANKS);
        }
    }
    *stages += sum;
    return (double)sum / (double)warps;
}

int64_t tile_violations(const uint32_t *bank, uint32_t n)
{
    int64_t violations = 0;
    for (uint32_t fixed = 0; fixed < n; fixed++) {
        for (uint32_t b = 0; b < n; b++) {
            uint32_t by_thread = 0, in_iteration = 0;
            for (uint32_t other = 0; other < n; other++) {
                by_thread += bank[other * n + fixed] == b;
                in_iteration += bank[fixed * n + other] == b;
            }
            violations += (by_thread != 1) + (in_iteration != 1);
        }
    }
    return violations;
}

/* The violations of the first warp's reads, if the model is about these: as many iterations as
 * banks, and each thread once in each bank's column; else -1. */
static int64_t read_violations(const tile_kernel *k, layout_2d layout)
{
    uint32_t bank[BANKS * BANKS];
    if (k->out.iterations != BANKS || k->width != BANKS) {
        return -1;
    }
    for (uint32_t i = 0; i < BANKS; i++) {
        for (uint32_t t = 0; t < BANKS; t++) {
            tile_element e = k->out.element(t, i);
            bank[i * BANKS + t] =
                layout_bank(BANKS, layout_2d_address(layout, k->width, NULL, e.i, e.j));
        }
    }
    return tile_violations(bank, BANKS);
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

void tile_measure(const tile_kernel *kernel, layout_2d layout, const tile_processor *processor,
                  tile_cost *cost)
{
    cost->stages = 0;
    cost->in = measure_pass(kernel, layout, &kernel->in, &cost->stages);
    cost->out = measure_pass(kernel, layout, &kernel->out, &cost->stages);
    cost->bytes =
        kernel->arrays * layout_2d_words(layout, kernel->width, kernel->rows) * WORD_BYTES;
    uint32_t by_memory = processor->shared_bytes / (cost->bytes + processor->reserved_bytes);
    cost->blocks = least(least(by_memory, processor->blocks), processor->threads / kernel->threads);
    cost->occupancy = (double)(cost->blocks * kernel->threads) / processor->threads;
    cost->violations = read_violations(kernel, layout);
}
