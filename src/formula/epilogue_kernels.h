/* Epilogues for rows, compiled once per instruction set; each computes one
 * formula of filters/ for one combination of types, bit for bit, of sums without shifts. */
#ifndef SATF_FORMULA_EPILOGUE_KERNELS_H
#define SATF_FORMULA_EPILOGUE_KERNELS_H

#include <stdbool.h>

#include "../sat/sums.h"
#include "../satfilter/loops.h"
#include "terms.h"

/* Division of s + area / 2 by area as a multiplication:
 * ((s + bias) * multiplier >> word) >> shift, word being 16 or 32 bits. */
typedef struct epilogue_magic {
    uint32_t multiplier, bias;
    int shift;
} epilogue_magic;

/* The magic for sums 0 ... max * area of samples 0 ... max, which s + bias must
 * not take out of the word. False if there is none that is exact. */
bool epilogue_magic_find(int word, uint64_t max, uint64_t area, epilogue_magic *magic);

typedef struct epilogue_task {
    const void *sums, *squares; /* the latter are never NULL */
    int64_t n;                  /* samples */
    uint64_t area;              /* at least 1 */
    epilogue_magic magic;
    /* A weight for each sample, and 1 over it, or 0: of weighted means; the former, unless NULL,
     * instead of the area, of kernels at once. */
    const double *weights, *inverses;
    int channels; /* of weighted means of floats, the last one that of the weights' sums */
    void *dst;    /* no alignment */
} epilogue_task;

#define EPILOGUE_NARROW_AREA 16384

typedef void (*epilogue_kernel)(const epilogue_task *task);

/*
 * X(kernel, formula, loop mode, sum, sum of squares, result): kernels that are the filter's own
 * formula. Means do not read the squares; means of integers go to the input's type. No result ends
 * at formula_sums.most, which is INFINITY for means and for real results. */
#define EPILOGUES_AT_ONCE(X)           \
    X(MEAN, box, EXACT, u16, u16, u8)  \
    X(MEAN, box, EXACT, u32, u32, u8)  \
    X(MEAN, box, EXACT, u32, u32, u16) \
    X(MEAN, box, EXACT, u64, u64, u8)  \
    X(MEAN, box, EXACT, u64, u64, u16) \
    EPILOGUES_TO_REALS(X, f32)         \
    EPILOGUES_TO_REALS(X, f64)

#define EPILOGUES_TO_REALS(X, out)                   \
    X(MEAN, box, EXACT, u16, u16, out)               \
    X(MEAN, box, EXACT, u32, u32, out)               \
    X(MEAN, box, EXACT, u64, u64, out)               \
    X(MEAN, box, REAL, f64, f64, out)                \
    EPILOGUES_OF_SQUARES(X, VARIANCE, variance, out) \
    EPILOGUES_OF_SQUARES(X, STDDEV, stddev, out)

#define EPILOGUES_OF_SQUARES(X, kernel, formula, out) \
    X(kernel, formula, EXACT, u16, u32, out)          \
    X(kernel, formula, EXACT, u32, u32, out)          \
    X(kernel, formula, EXACT, u32, u64, out)          \
    X(kernel, formula, WORD, u32, u64, out)           \
    X(kernel, formula, REAL, f64, f64, out)

typedef struct epilogue_at_once {
    int kernel, mode; /* filter_kernel, loop_mode */
    int sum_type, square_type, type;
    epilogue_kernel run;
} epilogue_at_once;

typedef struct epilogue_kernels {
    /* Means by magic, and by float arithmetic of at most EPILOGUE_NARROW_AREA pixels. */
    epilogue_kernel mean_u16_u8, mean_u32_u8, mean_u32_u16, narrow_mean_u32_u8;
    epilogue_kernel weighted_u8, weighted_u16; /* means by weights of sums in doubles, below 2^53 */
    epilogue_kernel masked_f32, masked_f64; /* means by the weights' sums, which are not 0 or 0 */
    const epilogue_at_once *at_once;        /* behind the last is one without run */
    /* memcpy() around the caches */
    void (*stream)(char *to, const char *from, size_t bytes);
} epilogue_kernels;

extern const epilogue_kernels epilogue_kernels_base;
#ifdef SATF_HAVE_X86_ISA
extern const epilogue_kernels epilogue_kernels_avx2, epilogue_kernels_avx512;
#endif

/* ------------------------------------------------------------------- terms (terms_rows.c) */

/* Formulas as sums of terms (terms.h): of bytes in floats, to bytes; of samples of 16 bits in
 * doubles, to such or to black and white. */

/* Makes n <= LOOP_SAMPLES results, without alignment; false where one is left open. */
typedef bool (*terms_kernel)(const terms_numbers *numbers, int64_t n, const void *sums,
                             const void *squares, const void *samples, void *to);

/* Squares, if any, are summed in u32 for bytes, in u64 for others. */
typedef struct terms_kernels {
    /* Results to nearest, halves up, or white above 0. NULL: there is none. */
    terms_kernel (*find)(satf_type samples, satf_sum_type sums, bool bilevel);
} terms_kernels;

extern const terms_kernels terms_kernels_base;
#ifdef SATF_HAVE_X86_ISA
extern const terms_kernels terms_kernels_avx2, terms_kernels_avx512;
#endif

#endif
