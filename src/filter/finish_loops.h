/*
 * Any formula over runs of moments in plain arrays of doubles or words, compiled once for each
 * instruction set: the compiler makes vectors of it.
 */
#ifndef SATF_FILTER_FINISH_LOOPS_H
#define SATF_FILTER_FINISH_LOOPS_H

#include "formulas.h"

enum { LOOP_SAMPLES = 256 }; /* of a block: its arrays stay in the first level of cache */

/* A block of samples. What a formula does not read need not be set. */
typedef struct loop_block {
    formula_sums constants; /* what all samples have in common */
    const void *options;
    int64_t n;
    double sums[LOOP_SAMPLES], squares[LOOP_SAMPLES];             /* FORMULA_EXACT and floats */
    uint64_t word_sums[LOOP_SAMPLES], word_squares[LOOP_SAMPLES]; /* FORMULA_WORD */
    double weights[LOOP_SAMPLES], inverses[LOOP_SAMPLES]; /* the latter by loop_kernels.invert */
    double centres[LOOP_SAMPLES], besides[2][LOOP_SAMPLES];
    double results[LOOP_SAMPLES];
} loop_block;

typedef void (*loop_kernel)(loop_block *block);

typedef enum loop_mode { LOOP_REAL, LOOP_EXACT, LOOP_WORD, LOOP_MODES } loop_mode;

typedef struct loop_kernels {
    loop_kernel run[FORMULA_COUNT][LOOP_MODES]; /* results = the formula of each sample */
    /* From sums of any type but u128, and from samples of the types that are filtered. */
    void (*load_sums)(satf_sum_type type, int64_t n, const void *from, double *to);
    void (*load_words)(satf_sum_type type, int64_t n, const void *from, uint64_t *to);
    void (*load_samples)(satf_type type, int64_t n, const void *from, double *to);
    void (*invert)(int64_t n, const double *weights, double *inverses); /* 0 of 0 */
    /* As formula_store() does with reals. */
    void (*store)(satf_type type, int64_t n, const double *from, void *to);
    /* The greatest value and the least sample, but for NaN; infinities if there is none. */
    void (*find)(int64_t n, const double *values, const double *samples, double *greatest,
                 double *least);
    void (*store_bilevel)(int64_t n, const double *from, uint8_t *to); /* 0 and 255 */
} loop_kernels;

extern const loop_kernels loop_kernels_base;
#ifdef SATF_HAVE_X86_ISA
extern const loop_kernels loop_kernels_avx2, loop_kernels_avx512;
#endif

#endif
