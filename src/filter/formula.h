/*
 * What a filter's formula sees and gives: the leaf that filters/ stand on.
 * Valid in C11 and in CUDA C++17. Everything is IEEE double without contraction
 * or exact integer arithmetic, so every engine and device gives the same bits.
 */
#ifndef SATF_FILTER_FORMULA_H
#define SATF_FILTER_FORMULA_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "../base/sums.h"

#ifdef __CUDACC__
#define SATF_FORMULA static inline __host__ __device__
#else
#define SATF_FORMULA static inline
#endif

/*
 * The sums over one region of one channel. Window filters see the window's;
 * the formula of a template is applied to one rectangle after the other, and
 * that of an integral to the region from the image's corner to the pixel.
 */
typedef struct formula_sums {
    bool real;             /* float samples: the doubles count, else the integers */
    bool rounded;          /* the result goes to an integer type */
    satf_u128 sum, square; /* of the samples and of their squares */
    uint64_t weight;       /* number of pixels, or the sum of their alphas */
    double real_sum, real_square, real_weight;
    double factor, before; /* template: the rectangle's weight, the terms so far */
} formula_sums;

/* A formula's result: an exact integer or a double. */
typedef struct formula_value {
    bool exact;
    uint64_t integer;
    double real;
} formula_value;

SATF_FORMULA formula_value formula_integer(uint64_t integer)
{
    formula_value value = {true, integer, 0};
    return value;
}

SATF_FORMULA formula_value formula_real(double real)
{
    formula_value value = {false, 0, real};
    return value;
}

/* The sum as a double, rounded once when it does not fit. */
SATF_FORMULA double formula_sum(const formula_sums *in)
{
    return in->real ? in->real_sum : (double)in->sum;
}

/*
 * The mean: of integers rounded to nearest, halves up, when it goes to an
 * integer type, else one division; of floats the sum times the weight's
 * reciprocal. 0 where nothing has any weight.
 */
SATF_FORMULA formula_value formula_mean(const formula_sums *in)
{
    if (in->real) {
        return formula_real(in->real_weight == 0 ? 0 : in->real_sum * (1 / in->real_weight));
    }
    if (in->weight == 0) {
        return formula_integer(0);
    }
    if (!in->rounded) {
        return formula_real((double)in->sum / (double)in->weight);
    }
    /* below 2^66: colour times alpha over the largest window is at most 65535^4 */
    satf_u128 numerator = 2 * in->sum + in->weight;
    uint64_t denominator = 2 * in->weight;
    if (numerator >> 64 == 0) {
        return formula_integer((uint64_t)numerator / denominator);
    }
    return formula_integer((uint64_t)(numerator / denominator));
}

/*
 * The population variance (W S2 - S^2) / W^2. Of integers the numerator is
 * exact: both products are at most 65535^8 < 2^128, reached by 16-bit colour
 * weighted by 16-bit alpha in the largest window. Of floats it is clamped to 0
 * from below, and NaN where the window holds anything that is not finite.
 */
SATF_FORMULA double formula_variance(const formula_sums *in)
{
    if (in->real) {
        double weight = in->real_weight;
        double numerator = weight * in->real_square - in->real_sum * in->real_sum;
        return weight == 0 ? 0 : (numerator < 0 ? 0 : numerator) / (weight * weight);
    }
    double weight = (double)in->weight;
    satf_u128 numerator = in->weight * in->square - in->sum * in->sum;
    return in->weight == 0 ? 0 : (double)numerator / (weight * weight);
}

#endif
