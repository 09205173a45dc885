/* A job of means over the cells of a coarser grid on a CUDA device, as planned. */
#ifndef SATF_SUMS_CELLS_GPU_H
#define SATF_SUMS_CELLS_GPU_H

#include <stdbool.h>

#include "../../base/device/gpu.h"
#include "../../formula/epilogue_kernels.h"
#include "grid.h"

/* Threads of a block; and of blocks that add up bands of rows for others. */
enum { CELLS_GPU_THREADS = 256, CELLS_GPU_BAND_THREADS = 64 };

/* Samples of a row that a thread adds up, as many as its words hold; with alpha whole pixels. */
CELLS_CALL int cells_gpu_group(int sample_bytes)
{
    return sample_bytes <= 2 ? 8 : 4;
}

CELLS_CALL int cells_gpu_samples(int sample_bytes, int channels, bool weighted)
{
    int group = cells_gpu_group(sample_bytes);
    return weighted ? group - group % channels : group;
}

/*
 * Blocks make small cells: they add up rows, then the columns of `cells` cells. For larger cells
 * other blocks add up rows first, in bands.
 */
struct cells_gpu {
    satf_view in, out; /* on the device */
    int64_t width,
        height;    /* of a cell whose mean all its pixels get; 0: each pixel of `out` is a cell */
    bool weighted; /* in's last channel is alpha, and weighs the others */
    bool wide;     /* a column of integers takes more than 32 bits, or a cell than 64 */
    cells_axis across, down;
    int64_t columns, rows; /* of cells */
    int64_t cells;         /* side by side in a block; 0: there are bands */
    int64_t bands, band_rows;
    int64_t pitch;        /* sums from band to band */
    epilogue_magic magic; /* of means over whole cells without alpha; multiplier 0: none */
    satf_view means;      /* a pixel for each cell: `out`, or in scratch memory */
    void *sums;           /* of the bands' columns, by rows of cells */
};

#endif
