/* Means over the cells of a coarser grid on a CUDA device: what a plan decides and a kernel reads.
 */
#ifndef SATF_SUMS_CELLS_GPU_H
#define SATF_SUMS_CELLS_GPU_H

#include <stdbool.h>

#include "../../base/device/gpu.h"
#include "../../formula/epilogue_kernels.h"
#include "grid.h"

/* Threads of a block; those that add up rows for other blocks. */
enum { CELLS_GPU_THREADS = 256, CELLS_GPU_BAND_THREADS = 64 };

/* Samples of a row that a thread adds up: its words hold so many. With alpha they are whole pixels.
 */
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
 * Small cells are made by blocks that add up the rows of some, and then their columns. The rows of
 * larger ones are added up by others first, in bands.
 */
struct cells_gpu {
    satf_view in, out;     /* of the device */
    int64_t width, height; /* of a cell, whose mean all its pixels become; 0: each pixel of `out` is
                              a cell */
    bool weighted;         /* in's last channel is alpha, and weighs the others */
    bool wide;             /* a column of integers takes more than 32 bits, or a cell than 64 */
    cells_axis across, down;
    int64_t columns, rows; /* of cells */
    int64_t cells;         /* side by side in a block; 0: there are bands */
    int64_t bands, band_rows;
    int64_t pitch;        /* sums of a band */
    epilogue_magic magic; /* of means over whole cells without alpha; multiplier 0: none */
    satf_view means;      /* a pixel for each cell: `out`, or in scratch memory */
    void *sums;           /* of the bands' columns, row of cells after row of cells */
};

#endif
