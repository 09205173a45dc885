/* Rows through adapters (adapt.h), compiled once for each instruction set. */
#ifndef SATF_FORMULA_ADAPT_ROWS_H
#define SATF_FORMULA_ADAPT_ROWS_H

#include "adapt.h"

typedef struct adapt_kernels {
    /* A row of so many pixels, which may lie anywhere. beside: the row of weights, or NULL; for
     * ADAPT_BESIDE the row of the image that was loaded, of type beside_type. */
    void (*row)(const row_adapter *a, int64_t pixels, const void *from, const void *beside,
                int beside_type, void *to);
    /* n samples of any type become samples of another, rounded and saturated. */
    void (*convert)(int type, int64_t n, const void *from, int to_type, void *to);
} adapt_kernels;

extern const adapt_kernels adapt_kernels_base;
#ifdef SATF_HAVE_X86_ISA
extern const adapt_kernels adapt_kernels_avx2, adapt_kernels_avx512;
#endif

#endif
