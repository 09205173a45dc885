/*
 * Any formula over runs of moments in plain arrays of doubles or words: the compiler makes vectors
 * of it. Compiled once for each instruction set, and by each module.
 */
#ifndef SATF_MODULE_LOOPS_H
#define SATF_MODULE_LOOPS_H

#include "formula.h"

enum { LOOP_SAMPLES = 256 }; /* of a block: its arrays stay in the first level of cache */

/* A block of samples. What a formula does not read need not be set. */
typedef struct loop_block {
    formula_sums constants; /* what all samples have in common */
    const void *options;
    int64_t n;
    const double *sums, *squares; /* FORMULA_EXACT and floats; of the former in: */
    double exact_sums[LOOP_SAMPLES], exact_squares[LOOP_SAMPLES];
    uint64_t word_sums[LOOP_SAMPLES], word_squares[LOOP_SAMPLES]; /* FORMULA_WORD */
    const double *weights, *inverses; /* the latter 1 / the former, or 0 */
    const double *shifts;             /* of floats */
    const double *aux_samples[2];
    double centres[LOOP_SAMPLES];
    double luma_sums[LOOP_SAMPLES], lumas[LOOP_SAMPLES]; /* in each lane of a pixel */
    double *results;                                     /* where they belong, or space */
    double space[LOOP_SAMPLES];
} loop_block;

typedef void (*loop_kernel)(loop_block *block);

typedef enum loop_mode { LOOP_REAL, LOOP_EXACT, LOOP_WORD, LOOP_MODES } loop_mode;

/* One formula in one mode. The options are copied: the results might alias them. */
#define LOOP(name, reads, mode, is_real, kind, load)                  \
    static void name##_##mode(loop_block *block)                      \
    {                                                                 \
        formula_sums in = block->constants;                           \
        name##_options options;                                       \
        double *restrict results = block->results;                    \
        memcpy(&options, block->options, sizeof options);             \
        in.real = is_real;                                            \
        in.words = kind;                                              \
        in.shift = 0;                                                 \
        const double *restrict sums = block->sums;                    \
        const double *restrict squares = block->squares;              \
        const double *restrict weights = block->weights;              \
        const double *restrict inverses = block->inverses;            \
        const double *restrict shifts = block->shifts;                \
        const double *restrict aux = block->aux_samples[0];           \
        const double *restrict aux_too = block->aux_samples[1];       \
        (void)sums, (void)squares, (void)shifts;                      \
        for (int64_t i = 0; i < block->n; i++) {                      \
            load(in, block, i);                                       \
            in.inverse = inverses[i];                                 \
            in.centre = block->centres[i];                            \
            in.aux[0] = aux[i];                                       \
            in.aux[1] = aux_too[i];                                   \
            in.luma_sum = block->luma_sums[i];                        \
            in.luma = block->lumas[i];                                \
            formula_hide((reads), &in);                               \
            formula_value value = FORMULA_APPLY(name, &in, &options); \
            results[i] = formula_number_of(value);                    \
        }                                                             \
    }

#define LOAD_REALS(in, block, i) \
    in.real_sum = sums[i];       \
    in.real_square = squares[i]; \
    in.real_weight = weights[i]

#define LOAD_FLOATS(in, block, i) \
    LOAD_REALS(in, block, i);     \
    in.shift = shifts[i]

#define LOAD_WORDS(in, block, i)        \
    in.sum = block->word_sums[i];       \
    in.square = block->word_squares[i]; \
    in.weight = (uint64_t)(int64_t)weights[i]

/* name_real(), name_exact() and name_word(): results = name_formula() of each sample. */
#define LOOPS(name, reads)                                     \
    LOOP(name, reads, real, true, FORMULA_WIDE, LOAD_FLOATS)   \
    LOOP(name, reads, exact, false, FORMULA_EXACT, LOAD_REALS) \
    LOOP(name, reads, word, false, FORMULA_WORD, LOAD_WORDS)

/* ------------------------------------------------------------------------- mixes */

enum { MIX_PIXELS = 128 }; /* of a block: what it reads stays in the first level of cache */

/* A channel of a block. */
typedef double mix_lane[MIX_PIXELS];

/* What a mix does not read need not be set. */
typedef struct mix_block {
    formula_sums common; /* what all samples have in common */
    const void *options;
    int64_t n;
    mix_lane of[FORMULA_MIXED][FORMULA_LANES], results[FORMULA_LANES];
} mix_block;

typedef void (*mix_loop)(mix_block *block);

/* Written out, for compilers make no vectors of loops in loops. */
#define MIX_LOAD(k)                   \
    in.of[k][0] = block->of[k][0][i]; \
    in.of[k][1] = block->of[k][1][i]; \
    in.of[k][2] = block->of[k][2][i]; \
    in.of[k][3] = block->of[k][3][i]

/* A mix that makes so many lanes. The options are copied: the results might alias them. */
#define MIX_LOOP(filter, name, count)                            \
    static void filter##_##name##_##count(mix_block *block)      \
    {                                                            \
        const formula_sums common = block->common;               \
        filter##_options options;                                \
        formula_pixels in = {.common = &common, .lanes = count}; \
        memcpy(&options, block->options, sizeof options);        \
        for (int64_t i = 0; i < block->n; i++) {                 \
            double result[FORMULA_LANES] = {0, 0, 0, 0};         \
            MIX_LOAD(0);                                         \
            MIX_LOAD(1);                                         \
            MIX_LOAD(2);                                         \
            MIX_LOAD(3);                                         \
            MIX_LOAD(4);                                         \
            MIX_LOAD(5);                                         \
            MIX_LOAD(6);                                         \
            filter##_##name##_mix(&in, &options, result);        \
            block->results[0][i] = result[0];                    \
            block->results[1][i] = result[1];                    \
            block->results[2][i] = result[2];                    \
            block->results[3][i] = result[3];                    \
        }                                                        \
    }

/* filter_name_1() to filter_name_4(), and all in a row. */
#define MIX_LOOPS(filter, name) \
    MIX_LOOP(filter, name, 1)   \
    MIX_LOOP(filter, name, 2)   \
    MIX_LOOP(filter, name, 3)   \
    MIX_LOOP(filter, name, 4)
#define MIX_LOOP_TABLE(filter, name)                                                       \
    {                                                                                      \
        filter##_##name##_1, filter##_##name##_2, filter##_##name##_3, filter##_##name##_4 \
    }

/* ------------------------------------------------------------------- one at a time */

/* A formula at any place, by definition, for options of any filter. */
typedef formula_value (*formula_function)(const formula_sums *in, const void *options);

#define FORMULA_CALL(name, reads)                                                 \
    static formula_value call_##name(const formula_sums *in, const void *options) \
    {                                                                             \
        formula_sums seen = *in;                                                  \
        formula_hide((reads), &seen);                                             \
        return FORMULA_APPLY(name, &seen, options);                               \
    }

#endif
