/* The numbers that passes along lines make of samples, and hand on (filters/gauss.h). */
#ifndef SATF_SUMS_LINES_LINE_NUMBERS_H
#define SATF_SUMS_LINES_LINE_NUMBERS_H

#include <float.h>
#include <stdint.h>

#include "../../satfilter/filter.h"

/* Sums of 2 r + 2 numbers below 2^LINE_BITS are exact in double, since 2 r + 2 < 2^11. So are sums
 * of numbers between the axes times weights, which add up to 2^weight_bits: they have 53 bits in
 * all. */
enum {
    LINE_BITS = 41,
    LINE_NARROW_BITS = 8,
    LINE_MAX_PASSES = 5,
    LINE_WEIGHT_BITS = 15,      /* of u8, and of what weighs */
    LINE_FINE_WEIGHT_BITS = 28, /* of u16 */
    LINE_EXACT_BITS = 53,
    LINE_MOST_RADIUS = 24, /* of weights */
    LINE_SINGLES = 8       /* numbers of f32 are samples divided by it, so no sum overflows */
};

/* A number is a sample times `scale`; the results of passes are `gain` times as large. By boxes:
 * narrow: 16 bits, 8 of them fraction. Else doubles; of integers whole numbers of 2^-fraction below
 * 2^LINE_BITS, to which each pass rounds, halves to even. By weights: samples, which between the
 * axes become whole numbers of 2^-fraction, halves up; quotients to even. Or floats, if
 * `single`. */
typedef struct line_numbers {
    int type, channels;
    bool weighted; /* colour times alpha, and alpha */
    bool shrinks;  /* divided by the same passes over ones */
    bool own;      /* by weights */
    bool narrow, rounds;
    bool single;               /* by weights: eighths of samples of f32, as floats */
    double scale, alpha_scale; /* alpha_scale: of the last channel if weighted */
    int weight_bits;           /* by weights; 0: of floats */
    double gain, between;      /* 2^fraction, by weights */
} line_numbers;

/* weights[0] is that of the middle, weights[k] that of either sample k away. Words hold two weights
 * each, negated, for products of pairs: `across` those of the middle and the next, of the two
 * behind ...; `down` those of rows above each other, down[0] from a pair's upper row on, down[1]
 * from its lower one. */
typedef struct line_taps {
    int radius;
    double weights[LINE_MOST_RADIUS + 1];
    float singles[LINE_MOST_RADIUS + 1]; /* the same as floats */
    int32_t across[LINE_MOST_RADIUS / 2 + 1], down[2][LINE_MOST_RADIUS + 1];
} line_taps;

/* The sample of a number that is `single`. Rounding makes no finite one infinite; a number that is
 * not finite becomes NaN. */
SATF_FORMULA float line_single(float number)
{
    const float most = FLT_MAX / LINE_SINGLES;
    float least = number < most ? number : most, inside = least > -most ? least : -most;
    return (inside + (number - number)) * LINE_SINGLES;
}

/* The share of the weights around place i of n that lies inside; 1 if all do. */
SATF_FORMULA double line_taps_inside(const line_taps *taps, int64_t i, int64_t n)
{
    double inside = 0, all = 0;
    if (i >= taps->radius && i < n - taps->radius) {
        return 1;
    }
    for (int k = taps->radius; k >= 0; k--) {
        inside += taps->weights[k] * ((i - k >= 0) + (k > 0 && i + k < n));
        all += taps->weights[k] * (k ? 2 : 1);
    }
    return inside / all;
}

#endif
