#include "choice_kernels.h"

#include "../base/cpu.h"

/* Samples may lie anywhere. */
typedef uint8_t any_u8;
typedef uint16_t __attribute__((aligned(1), may_alias)) any_u16;
typedef uint32_t __attribute__((aligned(1), may_alias)) any_u32;
typedef uint64_t __attribute__((aligned(1), may_alias)) any_u64;

/* Callers name the flag and the numbers by constants. */
static inline void vary_pixels(const choice_block *block, bool real, bool alike, int channels,
                               int colours, double *restrict over, double *restrict under)
{
    const double *restrict sums = block->sums, *restrict squares = block->squares;
    const double *restrict weights = block->weights;
    for (int64_t i = 0; i < block->n; i++) {
        double weight = weights[i], weight2 = weight * weight, total = 0;
        for (int c = 0; c < colours; c++) {
            double sum = sums[i * channels + c];
            double spread = weight * squares[i * channels + c] - sum * sum;
            total += real && spread < 0 ? 0 : spread;
        }
        double variance = total / (real ? weight2 : 1);
        double finite = variance < (double)INFINITY ? variance : (double)INFINITY;
        over[i] = real ? finite : weight == 0 ? 1 : total;
        if (!alike) {
            under[i] = weight2;
        }
    }
}

static void vary(const choice_block *block, double *over, double *under)
{
    int channels = block->channels, colours = block->colours;
    if (block->real) {
        vary_pixels(block, true, true, channels, colours, over, under);
    } else if (under) {
        vary_pixels(block, false, false, channels, colours, over, under);
    } else if (channels == 1) {
        vary_pixels(block, false, true, 1, 1, over, under);
    } else if (channels == 3) {
        vary_pixels(block, false, true, 3, 3, over, under);
    } else {
        vary_pixels(block, false, true, channels, colours, over, under);
    }
}

static void lessen(bool real, int64_t n, const double *restrict other_over,
                   const double *restrict other_under, double *restrict over,
                   double *restrict under, uint8_t *restrict less)
{
    double room = real ? 1 + VARIED_ALIKE : 1;
    for (int64_t i = 0; !under && i < n; i++) {
        bool is = other_over[i] * room < over[i];
        over[i] = is ? other_over[i] : over[i];
        less[i] = is;
    }
    for (int64_t i = 0; under && i < n; i++) {
        bool is = formula_difference(other_over[i], under[i], over[i], other_under[i]) < 0;
        over[i] = is ? other_over[i] : over[i];
        under[i] = is ? other_under[i] : under[i];
        less[i] = is;
    }
}

#define TAKE(Word, channels)                                                             \
    for (int64_t i = 0; i < n; i++) {                                                    \
        for (int c = 0; c < (channels); c++) {                                           \
            int64_t at = i * (channels) + c;                                             \
            ((any_##Word *)to)[at] =                                                     \
                less[i] ? ((const any_##Word *)from)[at] : ((const any_##Word *)to)[at]; \
        }                                                                                \
    }

#define TAKE_WORDS(Word)        \
    if (channels == 1) {        \
        TAKE(Word, 1)           \
    } else if (channels == 3) { \
        TAKE(Word, 3)           \
    } else {                    \
        TAKE(Word, channels)    \
    }                           \
    break;

static void take(int64_t n, int channels, size_t bytes, const uint8_t *restrict less,
                 const void *restrict from, void *restrict to)
{
    switch (bytes) {
    case 1:
        TAKE_WORDS(u8)
    case 2:
        TAKE_WORDS(u16)
    case 4:
        TAKE_WORDS(u32)
    default:
        TAKE_WORDS(u64)
    }
}

const choice_kernels SATF_ISA_NAME(choice_kernels) = {.vary = vary, .lessen = lessen, .take = take};
