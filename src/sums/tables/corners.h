/* Kernels that read a summed area table's corners: combine rows, then columns. */
#ifndef SATF_SUMS_TABLES_CORNERS_H
#define SATF_SUMS_TABLES_CORNERS_H

#include "../../sat/sums.h"
#include "axis.h"

/* A rectangle's columns, for all pixels of a row of `width` pixels. */
typedef struct corner_columns {
    int64_t width, x, w;  /* the rectangle: pixels x ... x + w - 1 from the one computed */
    int64_t left, right;  /* the pixels left ... right - 1 have it inside the image */
    const axis_sum *edge; /* [pixel]: its runs; set for the other pixels */
} corner_columns;

/* The kernels of one instruction set, for sums of any type but SATF_SUM_U16. */
typedef struct corner_kernels {
    /* strip = the sums over the runs `rows`, from the SAT's rows, behind one pixel of zeros:
     * (width + 1) * channels sums, the prefix sums of a horizontal strip. */
    void (*strip)(satf_sum_type type, const void *sat, int64_t stride, int64_t width, int channels,
                  const axis_sum *rows, void *strip);
    /* sums = the strip's sums over the rectangle's columns, for every pixel. */
    void (*sums)(satf_sum_type type, const void *strip, int channels, const corner_columns *columns,
                 void *sums);
    /* total[i] += factor * sums[i], in double. */
    void (*add)(satf_sum_type type, const void *sums, int64_t n, double factor, double *total);
} corner_kernels;

extern const corner_kernels corner_kernels_base;
#ifdef SATF_HAVE_X86_ISA
extern const corner_kernels corner_kernels_avx2, corner_kernels_avx512;
#endif

#endif
