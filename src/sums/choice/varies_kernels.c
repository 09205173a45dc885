/* The loops of varies_kernels.h. The library has a copy of this file for each instruction set. */
#include "varies_kernels.h"

#include "../../base/cpu.h"

/* Samples may lie anywhere. */
typedef uint8_t any_u8;
typedef uint16_t __attribute__((aligned(1), may_alias)) any_u16;
typedef uint32_t __attribute__((aligned(1), may_alias)) any_u32;
typedef uint64_t __attribute__((aligned(1), may_alias)) any_u64;

/* Called with constants for the flag and the numbers. */
static inline void vary_integers(const varies_block *block, const bool fraction, const int channels,
                                 const int colours, double *restrict over, double *restrict under)
{
    const double *restrict sums = block->sums, *restrict squares = block->squares;
    const double *restrict weights = block->weights;
    for (int64_t i = 0; i < block->n; i++) {
        double weight = weights[i], spread = 0;
        for (int c = 0; c < colours; c++) {
            double sum = sums[i * channels + c];
            spread += weight * squares[i * channels + c] - sum * sum;
        }
        over[i] = fraction && weight == 0 ? 1 : spread;
        if (fraction) {
            under[i] = weight * weight;
        }
    }
}

static inline void vary_reals(const varies_block *block, const int channels, const int colours,
                              double *restrict least, double *restrict most)
{
    const double *restrict sums = block->sums, *restrict squares = block->squares;
    const double *restrict shifts = block->shifts, *restrict weights = block->weights;
    double unit = block->unit;
    for (int64_t i = 0; i < block->n; i++) {
        double weight = weights[i], spreads = 0, size = 0, low, high;
        for (int c = 0; c < colours; c++) {
            double sum = sums[i * channels + c], all = weight * shifts[i * channels + c] + sum;
            double spread = weight * squares[i * channels + c] - sum * sum;
            spread = spread < 0 ? 0 : spread;
            spreads += spread;
            size += spread + all * all;
        }
        varied_bound(spreads, size, weight * weight, unit, &low, &high);
        least[i] = low;
        most[i] = high;
    }
}

static void vary(varies_kind kind, const varies_block *block, double *to, int64_t plane)
{
    int channels = block->channels, colours = block->colours;
    double *second = to + plane;
    if (kind == VARIES_REAL && channels == 1) {
        vary_reals(block, 1, 1, to, second);
    } else if (kind == VARIES_REAL && channels == 3 && colours == 3) {
        vary_reals(block, 3, 3, to, second);
    } else if (kind == VARIES_REAL) {
        vary_reals(block, channels, colours, to, second);
    } else if (kind == VARIES_FRACTION) {
        vary_integers(block, true, channels, colours, to, second);
    } else if (channels == 1) {
        vary_integers(block, false, 1, 1, to, NULL);
    } else if (channels == 3) {
        vary_integers(block, false, 3, 3, to, NULL);
    } else {
        vary_integers(block, false, channels, colours, to, NULL);
    }
}

static varied exactly(const double *number, int64_t plane)
{
    return (varied){.spread = (satf_u128)number[0] << 48 | (uint64_t)number[plane],
                    .weight = (uint64_t)number[2 * plane]};
}

static void lessen_exactly(int64_t n, const double *other, int64_t plane, double *best,
                           int64_t best_plane, uint8_t *less)
{
    for (int64_t i = 0; i < n; i++) {
        varied a = exactly(other + i, plane), b = exactly(best + i, best_plane);
        less[i] = varied_less(false, &a, &b);
        for (int k = 0; k < 3 && less[i]; k++) {
            best[i + k * best_plane] = other[i + k * plane];
        }
    }
}

/* Takes the lesser of two numbers, each of two doubles. Called with a constant for `real`. */
static inline void lessen_pairs(const bool real, int64_t n, const double *restrict a,
                                const double *restrict b, double *restrict c, double *restrict d,
                                uint8_t *restrict less)
{
    for (int64_t i = 0; i < n; i++) {
        bool is = real ? b[i] < c[i] : formula_difference(a[i], d[i], c[i], b[i]) < 0;
        c[i] = is ? a[i] : c[i];
        d[i] = is ? b[i] : d[i];
        less[i] = is;
    }
}

static void lessen(varies_kind kind, int64_t n, const double *restrict other, int64_t plane,
                   double *restrict best, int64_t best_plane, uint8_t *restrict less)
{
    if (kind == VARIES_EXACT) {
        lessen_exactly(n, other, plane, best, best_plane, less);
    } else if (kind == VARIES_REAL) {
        lessen_pairs(true, n, other, other + plane, best, best + best_plane, less);
    } else if (kind == VARIES_FRACTION) {
        lessen_pairs(false, n, other, other + plane, best, best + best_plane, less);
    } else {
        for (int64_t i = 0; i < n; i++) {
            bool is = other[i] < best[i];
            best[i] = is ? other[i] : best[i];
            less[i] = is;
        }
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

const varies_kernels SATF_ISA_NAME(varies_kernels) = {.vary = vary, .lessen = lessen, .take = take};
