/* Mixes over runs of pixels in plain arrays, compiled for each instruction set. */
#ifndef SATF_FORMULA_MIX_LOOPS_H
#define SATF_FORMULA_MIX_LOOPS_H

#include "../satfilter/loops.h"
#include "formulas.h"

typedef struct mix_kernels {
    /* results = the mix of each pixel: run[mix][lanes of the result - 1]. */
    mix_loop run[MIX_COUNT][FORMULA_LANES];
    /* A lane for each channel of n pixels, wherever they lie, of a type that is filtered. */
    void (*load)(satf_type type, int channels, int64_t n, const void *from, mix_lane *to);
    /* The other way round, as formula_store() does. */
    void (*store)(satf_type type, int lanes, int64_t n, const mix_lane *from, void *to);
} mix_kernels;

extern const mix_kernels mix_kernels_base;
#ifdef SATF_HAVE_X86_ISA
extern const mix_kernels mix_kernels_avx2, mix_kernels_avx512;
#endif

#endif
