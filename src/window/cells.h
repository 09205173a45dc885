/* Sums over the cells of a coarser grid, compiled once for each instruction set. */
#ifndef SATF_WINDOW_CELLS_H
#define SATF_WINDOW_CELLS_H

#include <stdbool.h>

#include "../base/cells.h"
#include "../base/sums.h"

/* columns[i] += weight * row[i], for i < samples; first: instead of nothing. next: NULL, or the row
 * behind it, which is added too, where weights are 1. Rows: no alignment. */
typedef void (*cells_add)(const void *row, const void *next, int64_t weight, bool first,
                          int64_t samples, void *columns);

/* Sums of cells first ... first + n - 1 over the columns from their first pixel on, of so many
 * channels; those of floats are added from left to right. */
typedef void (*cells_sum)(const cells_axis *across, const void *columns, int channels,
                          int64_t first, int64_t n, void *sums);

typedef struct cells_kernels {
    cells_add add[SATF_F64 + 1][SATF_SUM_F64 + 1];     /* by samples and columns; NULL: none */
    cells_sum sum[SATF_SUM_F64 + 1][SATF_SUM_F64 + 1]; /* by columns and sums */
} cells_kernels;

extern const cells_kernels cells_kernels_base;
#ifdef SATF_HAVE_X86_ISA
extern const cells_kernels cells_kernels_avx2, cells_kernels_avx512;
#endif

#endif
