/* Sums over the cells of a coarser grid, compiled once for each instruction set. */
#ifndef SATF_SUMS_CELLS_CELLS_H
#define SATF_SUMS_CELLS_CELLS_H

#include <stdbool.h>

#include "grid.h"
#include "../../sat/sums.h"

/* columns[i] += weight * row[i], for i < samples; first: instead of nothing. next: NULL, or the row
 * behind it, which is added too, where weights are 1. Rows: no alignment. */
typedef void (*cells_add)(const void *row, const void *next, int64_t weight, bool first,
                          int64_t samples, void *columns);

/* Sums of cells first ... first + n - 1 over the columns from their first pixel on, of so many
 * channels; those of floats are added from left to right. */
typedef void (*cells_sum)(const cells_axis *across, const void *columns, int channels,
                          int64_t first, int64_t n, void *sums);

/* Means to nearest, halves up, of n cells of 2 x 2 bytes of one channel, of these rows from the
 * cells' first pixel on. */
typedef void (*cells_halve)(const uint8_t *row, const uint8_t *next, int64_t n, uint8_t *means);

/* Those of samples and columns, and of columns and sums; NULL: there are none. samples: a
 * satf_type. */
typedef struct cells_kernels {
    cells_halve halve;
    cells_add (*add)(int samples, satf_sum_type columns);
    cells_sum (*sum)(satf_sum_type columns, satf_sum_type sums);
} cells_kernels;

extern const cells_kernels cells_kernels_base;
#ifdef SATF_HAVE_X86_ISA
extern const cells_kernels cells_kernels_avx2, cells_kernels_avx512;
#endif

#endif
