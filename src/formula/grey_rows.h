/* Rows of colour to rows of grey, compiled once for each instruction set. */
#ifndef SATF_FORMULA_GREY_ROWS_H
#define SATF_FORMULA_GREY_ROWS_H

#include "grey.h"

typedef struct grey_kernels {
    /* Makes grey of pixels of 3 channels, grey and alpha of 4, the last one alpha; `to` is aligned
     * to its samples. */
    void (*row)(satf_type type, int channels, int64_t pixels, const void *from, void *to);
} grey_kernels;

extern const grey_kernels grey_kernels_base;
#ifdef SATF_HAVE_X86_ISA
extern const grey_kernels grey_kernels_avx2, grey_kernels_avx512;
#endif

#endif
