/* Kernels of sums over the cells of a coarser grid; there is a set for each instruction set. */
#ifndef SATF_SUMS_CELLS_CELLS_H
#define SATF_SUMS_CELLS_CELLS_H

#include <stdbool.h>

#include "grid.h"
#include "../../sat/sums.h"

/* columns[i] += weight * row[i], for i < samples; first: = in place of +=. next: NULL, or the next
 * row, which is added too, where weights are 1. Rows: no alignment. */
typedef void (*cells_add)(const void *row, const void *next, int64_t weight, bool first,
                          int64_t samples, void *columns);

/* Sums of cells first ... first + n - 1 over the columns from the first cell's first pixel on, of
 * `channels` channels. Floats are added from left to right. */
typedef void (*cells_sum)(const cells_axis *across, const void *columns, int channels,
                          int64_t first, int64_t n, void *sums);

/* Means to nearest, halves up, of n cells of 2 x 2 bytes of one channel. row, next: from the first
 * cell's first pixel on. */
typedef void (*cells_halve)(const uint8_t *row, const uint8_t *next, int64_t n, uint8_t *means);

/* The kernels of one instruction set: add() by the types of samples (a satf_type) and columns,
 * sum() by those of columns and sums; NULL: there is none. */
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
