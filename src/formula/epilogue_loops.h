/* Blocks of moments, and formulas over them (satfilter/loops.h), compiled for each instruction set.
 */
#ifndef SATF_FORMULA_EPILOGUE_LOOPS_H
#define SATF_FORMULA_EPILOGUE_LOOPS_H

#include "../sat/sums.h"
#include "../satfilter/loops.h"
#include "formulas.h"

typedef struct loop_kernels {
    loop_kernel run[FORMULA_COUNT][LOOP_MODES]; /* results = the formula of each sample */
    mix_loop mix[MIX_COUNT][FORMULA_LANES]; /* the mix of each pixel, by the result's lanes - 1 */
    /* Splits n pixels of so many channels into a lane for each channel, and joins them. */
    void (*part)(int channels, int64_t n, const double *from, mix_lane *to);
    void (*join)(int channels, int64_t n, const mix_lane *from, double *to);
    /* Convert sums of any type but u128, and samples of any type but u64. */
    void (*load_sums)(satf_sum_type type, int64_t n, const void *from, double *to);
    void (*load_words)(satf_sum_type type, int64_t n, const void *from, uint64_t *to);
    void (*load_samples)(satf_type type, int64_t n, const void *from, double *to);
    /* The luma of pixels of 3 or 4 lanes, in each of their lanes. */
    void (*luma)(bool real, int channels, int64_t n, const double *from, double *to);
    /* Samples weigh their area, from `areas` unless that is NULL; but colour weighs the last lane
     * of `alphas`, unless that is NULL. The inverse of 0 is 0. */
    void (*weigh)(int channels, int64_t n, double area, const double *areas, const double *alphas,
                  double *weights, double *inverses);
    /* As formula_store() does with reals. */
    void (*store)(satf_type type, int64_t n, const double *from, void *to);
    /* The greatest finite value and the least finite sample; infinities if there is none. */
    void (*find)(int64_t n, const double *values, const double *samples, double *greatest,
                 double *least);
    /* W S2 - S^2 of exact sums. */
    void (*spreads)(int64_t n, double weight, const double *sums, const double *squares,
                    double *to);
    void (*store_bilevel)(int64_t n, const double *from, uint8_t *to); /* 0 and 255 */
    /* `above` for each sample of u8 or u16 that is above the cut, `below` for the others. */
    void (*step)(satf_type type, int64_t n, const void *from, int64_t cut, uint8_t below,
                 uint8_t above, uint8_t *to);
    /* The table's entries for n samples of u8 or u16, of which it takes every step-th. */
    void (*look_up)(size_t bytes, size_t to_bytes, int64_t n, int64_t step, const void *from,
                    const void *table, void *to);
} loop_kernels;

extern const loop_kernels loop_kernels_base;
#ifdef SATF_HAVE_X86_ISA
extern const loop_kernels loop_kernels_avx2, loop_kernels_avx512;
#endif

#endif
