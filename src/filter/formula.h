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
#include <string.h>

#include "../base/sums.h"
#include "options.h"

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

/*
 * The integer as a double, to nearest, halves to even: the compilers of CPUs
 * convert 128 bits so, that of CUDA devices only 64. Of a larger one the upper
 * 64 bits count, their last one set if anything below is: more than the 54 that decide.
 */
SATF_FORMULA double formula_double(satf_u128 integer)
{
    uint64_t high = (uint64_t)(integer >> 64), low = (uint64_t)integer;
    if (high == 0) {
        return (double)low;
    }
#ifdef __CUDA_ARCH__
    int shift = 64 - __clzll((long long)high);
#else
    int shift = 64 - __builtin_clzll(high);
#endif
    uint64_t upper = (uint64_t)(integer >> shift);
    upper |= (integer & (((satf_u128)1 << shift) - 1)) != 0;
    return ldexp((double)upper, shift);
}

/* The sum as a double, rounded once when it does not fit. */
SATF_FORMULA double formula_sum(const formula_sums *in)
{
    return in->real ? in->real_sum : formula_double(in->sum);
}

/*
 * a / b of integers a >= 0 and b >= 1 below 2^128, rounded once. On a device the reciprocal is
 * that of many quotients and moves out of loops: from one that is rounded to nearest two
 * corrections, of which the second has an exact remainder, lead to the nearest quotient (P.
 * Markstein, Computation of elementary functions on the IBM RISC System/6000 processor, 1990).
 */
SATF_FORMULA double formula_quotient(double a, double b)
{
#ifdef __CUDA_ARCH__
    double inverse = __drcp_rn(b), q = a * inverse;
    q = __fma_rn(__fma_rn(-b, q, a), inverse, q);
    return __fma_rn(__fma_rn(-b, q, a), inverse, q);
#else
    return a / b;
#endif
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
        return formula_real(formula_quotient(formula_double(in->sum), (double)in->weight));
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
    return in->weight == 0 ? 0 : formula_quotient(formula_double(numerator), weight * weight);
}

/* The value as an integer: rounded to nearest, halves up, saturated to 0 ... max;
 * NaN becomes 0. */
SATF_FORMULA uint64_t formula_saturated(formula_value value, uint64_t max)
{
    if (value.exact) {
        return value.integer < max ? value.integer : max;
    }
    if (!(value.real > 0)) { /* NaN too */
        return 0;
    }
    double below = floor(value.real);
    double rounded = value.real - below >= 0.5 ? below + 1 : below;
    /* (double)max may be max + 1: then equality saturates as well */
    return rounded >= (double)max ? max : (uint64_t)rounded;
}

/* Stores a result as a sample (no alignment): exact, or rounded once. */
SATF_FORMULA void formula_store(int type, formula_value value, void *dst)
{
    if (type == SATF_F64) {
        double sample = value.exact ? (double)value.integer : value.real;
        memcpy(dst, &sample, sizeof sample);
    } else if (type == SATF_F32) {
        float sample = value.exact ? (float)value.integer : (float)value.real;
        memcpy(dst, &sample, sizeof sample);
    } else if (type == SATF_U8) {
        uint8_t sample = (uint8_t)formula_saturated(value, UINT8_MAX);
        memcpy(dst, &sample, sizeof sample);
    } else if (type == SATF_U16) {
        uint16_t sample = (uint16_t)formula_saturated(value, UINT16_MAX);
        memcpy(dst, &sample, sizeof sample);
    } else if (type == SATF_U32) {
        uint32_t sample = (uint32_t)formula_saturated(value, UINT32_MAX);
        memcpy(dst, &sample, sizeof sample);
    } else {
        uint64_t sample = formula_saturated(value, UINT64_MAX);
        memcpy(dst, &sample, sizeof sample);
    }
}

#endif
