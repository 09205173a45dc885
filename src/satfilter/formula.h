/*
 * The values that a filter's formula sees and gives: the leaf that filters/ stand on. Valid in C11
 * and in CUDA C++17. Everything is IEEE double without contraction or exact integer arithmetic, so
 * every engine and device gives the same bits.
 */
#ifndef SATF_MODULE_FORMULA_H
#define SATF_MODULE_FORMULA_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "options.h"
#include "power.h"

/* These are casts of C, of which C++ compilers warn where -Wold-style-cast asks them to. */
#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#endif

__extension__ typedef unsigned __int128 satf_u128;

/* The words that hold sums of integers, which depend on how large they and their products can
 * be. */
typedef enum formula_words {
    FORMULA_WIDE, /* in sum, square and weight: sums below 2^128, and products modulo that */
    FORMULA_WORD, /* likewise, but products of two of them are below 2^64 */
    FORMULA_EXACT /* in the reals, as for floats: such products are below 2^53 */
} formula_words;

/*
 * What a formula reads: moments over its region, the sample at the pixel itself, those there of
 * other images, and the luma's sum and sample, where the image is RGB, with or without alpha. What
 * its entry does not list reads as 0. FORMULA_TERMS: its pass says its terms (filter_terms), so
 * device kernels from bytes to bytes, and without squares from samples of 16 bits to such, know it.
 * FORMULA_OFTEN..., any of them: it is so often asked for that it has device kernels of its own for
 * images of bytes, by its results: floats (FORMULA_OFTEN_REAL); u32 (FORMULA_OFTEN_U32). One that
 * reads samples of other images, and neither squares nor the centre, has some where it sums
 * integers (FORMULA_OFTEN_BESIDE), or where it sums floats and another formula (FORMULA_INLINED),
 * over the same windows of another such image, makes what it reads first (FORMULA_OFTEN_INLINES).
 * FORMULA_FOUND: it reads what the reduction of its pass found. With FORMULA_TERMS its entry NAME
 * has them in NAME_terms(), which devices call too. FORMULA_GROWS: of a reduction, it grows with
 * W S2 - S^2 of windows of one weight, and depends on nothing else.
 */
enum {
    FORMULA_SUM = 1,
    FORMULA_SQUARE = 2,
    FORMULA_CENTRE = 4,
    FORMULA_AUX = 8,
    FORMULA_AUX_TOO = 16,
    FORMULA_TERMS = 32,
    FORMULA_OFTEN_REAL = 64,
    FORMULA_OFTEN_U32 = 128,
    FORMULA_LUMA = 256,
    FORMULA_OFTEN_BESIDE = 512,
    FORMULA_OFTEN_INLINES = 1024,
    FORMULA_INLINED = 2048,
    FORMULA_FOUND = 4096,
    FORMULA_GROWS = 8192
};

/*
 * The moments over one region of one channel. Window filters see the window's;
 * the formula of a template is applied to one rectangle after the other, and
 * that of an integral to the region from the image's corner to the pixel.
 */
typedef struct formula_sums {
    bool real;    /* float samples: the doubles count, else the integers, see words */
    bool rounded; /* the result goes to an integer type */
    formula_words words;
    satf_u128 sum, square; /* of the samples and of their squares */
    uint64_t weight;       /* number of pixels, or the sum of their alphas */
    double real_sum, real_square, real_weight;
    double shift;   /* of floats: the real moments are those of samples less this */
    double inverse; /* 1 / the weight, or 0; set for formulas of windows */
    double centre;  /* the sample at the pixel itself (FORMULA_CENTRE) */
    double aux[2];  /* samples of other images there (FORMULA_AUX, FORMULA_AUX_TOO) */
    /* The luma of the pixel's colour (FORMULA_LUMA), of integers in thousandths: the sum over the
     * region, and the sample. */
    double luma_sum, luma;
    /* Of the filter's input, whichever of its steps this is: whether it is of floats; its full
     * scale, the sample that is white, 1 of floats unless they say another; a level of 8 bits,
     * which is a 255th of that, and 1 of floats that say nothing. Then the full scale of the image
     * beside it, the same where there is none, its number of pixels, or 0, and whether that is
     * of floats, and whether an option says that full scale. */
    bool of_floats, aux_of_floats, aux_said;
    bool has_sign; /* it is of integers with a sign */
    double full, level, aux_full, aux_pixels;
    /* The largest sample that the input of integers may have, and the image beside it: above the
     * full scale where an option says a lesser one. */
    double top, aux_top;
    double zero; /* the sample that stands for 0: above it of integers with a sign */
    /* White in the result for white in the input: 1 but for TYPE_SCALED, where the type changes. */
    double times;
    double most;            /* results end here; INFINITY where the result's type alone ends them */
    double greatest, least; /* of the reduction (filter_pass.reduction), or 0 */
    double otsu; /* of the histogram (filter_pass.histogram), below all samples if they are alike */
    double factor, before; /* template: the rectangle's weight, the terms so far */
} formula_sums;

/*
 * What a mix sees: the pixels of up to FORMULA_MIXED images at one place, by image and channel. It
 * gives the pixel of another image there, of `lanes` channels, which may be more than the image
 * has: FILTER_NAME_mix() for MIX_ENTRY(FILTER, NAME, how many images it sees). Channels that an
 * image lacks are 0.
 */
enum { FORMULA_MIXED = 7, FORMULA_LANES = 4 };

typedef struct formula_pixels {
    const formula_sums *common; /* what all samples have in common; no sums */
    int lanes;
    double of[FORMULA_MIXED][FORMULA_LANES];
} formula_pixels;

/*
 * A formula of windows as a sum: these numbers times the sample at the pixel, the mean and the
 * deviation over the window, their product, and a number alone. Black and white: white is above 0.
 * They may be rounded to doubles: what is so near a tie that it matters goes to the formula.
 */
typedef struct filter_terms {
    double sample, mean, deviation, both, alone;
    bool from_zero; /* the deviation is that from 0, the root mean square */
    bool over_mean; /* the sample's term alone, over the mean; the sample where that is 0 */
    /* Without deviations, of whole samples: so many times the window's pixels the sum is a whole
     * number, so that ties are told from what is near them. 0: unknown. */
    double parts;
} filter_terms;

/* Leaves what a formula reads. One that reads squares alone gets them without a shift. */
SATF_FORMULA void formula_hide(unsigned listed, formula_sums *in)
{
    if (!(listed & FORMULA_SUM)) {
        in->sum = 0;
        in->real_sum = in->shift = 0;
    }
    if (!(listed & FORMULA_SQUARE)) {
        in->square = 0;
        in->real_square = 0;
    }
    if (!(listed & FORMULA_CENTRE)) {
        in->centre = 0;
    }
    if (!(listed & FORMULA_AUX)) {
        in->aux[0] = 0;
    }
    if (!(listed & FORMULA_AUX_TOO)) {
        in->aux[1] = 0;
    }
    if (!(listed & FORMULA_LUMA)) {
        in->luma_sum = in->luma = 0;
    }
}

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

/* The result, saturated at in->most. NaN stays. */
SATF_FORMULA formula_value formula_within(const formula_sums *in, formula_value value)
{
    double number = value.exact ? (double)value.integer : value.real;
    return number > in->most ? formula_real(in->most) : value;
}

/* What every engine takes for the formula. */
#define FORMULA_APPLY(name, in, options) \
    formula_within(in, name##_formula(in, (const name##_options *)(options)))

/* A result as a double, rounded once if it does not fit. */
SATF_FORMULA double formula_number_of(formula_value value)
{
    return value.exact ? (double)value.integer : value.real;
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

/* Windows of so many pixels. */
SATF_FORMULA void formula_set_weight(formula_sums *in, uint64_t weight)
{
    in->weight = weight;
    in->real_weight = (double)weight;
    in->inverse = weight ? 1 / in->real_weight : 0;
}

/* Whether the doubles hold the moments. */
SATF_FORMULA bool formula_in_reals(const formula_sums *in)
{
    return in->real || in->words == FORMULA_EXACT;
}

/* The sum of floats, whatever their shift. */
SATF_FORMULA double formula_real_sum(const formula_sums *in)
{
    return in->shift != 0 ? in->real_weight * in->shift + in->real_sum : in->real_sum;
}

/* The sum, that of squares and the weight as doubles, rounded once when they do not fit; the sum of
 * floats that have a shift twice. The squares of such floats are of what is above it. */
SATF_FORMULA double formula_sum(const formula_sums *in)
{
    if (formula_in_reals(in)) {
        return formula_real_sum(in);
    }
    return in->words == FORMULA_WORD ? (double)(uint64_t)in->sum : formula_double(in->sum);
}

SATF_FORMULA double formula_square(const formula_sums *in)
{
    return formula_in_reals(in)        ? in->real_square
           : in->words == FORMULA_WORD ? (double)(uint64_t)in->square
                                       : formula_double(in->square);
}

SATF_FORMULA double formula_weight(const formula_sums *in)
{
    return formula_in_reals(in) ? in->real_weight : (double)in->weight;
}

/* a or b, of what is a flag of all samples: by masks, for compilers make no vectors of loops that
 * choose by a flag. */
SATF_FORMULA double formula_choose(bool first, double a, double b)
{
    uint64_t bits, b_bits, all = 0 - (uint64_t)first;
    memcpy(&bits, &a, sizeof bits);
    memcpy(&b_bits, &b, sizeof b_bits);
    bits = (bits & all) | (b_bits & ~all);
    memcpy(&a, &bits, sizeof a);
    return a;
}

/*
 * White, or black: white where nothing counts, too. Inverted they change places. Or the threshold
 * itself, 0 where nothing counts.
 */
SATF_FORMULA formula_value formula_bilevel(const formula_sums *in, const filter_bilevel *options,
                                           bool white, double threshold)
{
    double ink = options->invert * (double)UINT8_MAX, weight = formula_weight(in);
    double paper = fabs((white || weight == 0 ? UINT8_MAX : 0) - ink);
    double surface = weight == 0 ? 0 : threshold;
    return formula_real(formula_choose(options->surface, surface, paper));
}

/* The sum of integers as such; it is below 2^53 where doubles hold it. */
SATF_FORMULA satf_u128 formula_integer_sum(const formula_sums *in)
{
    return in->words == FORMULA_EXACT ? (satf_u128)(uint64_t)in->real_sum : in->sum;
}

/* a * b + c, rounded once, where the machine has that. */
#if defined(__CUDA_ARCH__)
#define FORMULA_FMA(a, b, c) __fma_rn(a, b, c)
#elif defined(__FMA__) || defined(__AVX512F__)
#define FORMULA_FMA(a, b, c) __builtin_fma(a, b, c)
#endif

#ifdef FORMULA_FMA
/*
 * a / b rounded once, inverse being 1 / b rounded once: two corrections, of which the second has an
 * exact remainder, lead to the nearest quotient (P. Markstein, Computation of elementary functions
 * on the IBM RISC System/6000 processor, 1990).
 */
SATF_FORMULA double formula_divide(double a, double b, double inverse)
{
    double q = a * inverse;
    q = FORMULA_FMA(FORMULA_FMA(-b, q, a), inverse, q);
    return FORMULA_FMA(FORMULA_FMA(-b, q, a), inverse, q);
}
#endif

/*
 * a / b of integers a >= 0 and b >= 1 below 2^128, rounded once. On a device, and in loops where b
 * is the same for all samples (FORMULA_ONE_DIVISOR), the reciprocal is that of many quotients and
 * moves out of loops.
 */
SATF_FORMULA double formula_quotient(double a, double b)
{
#if defined(__CUDA_ARCH__)
    return formula_divide(a, b, __drcp_rn(b));
#elif defined(FORMULA_ONE_DIVISOR) && defined(FORMULA_FMA)
    return formula_divide(a, b, 1 / b);
#else
    return a / b;
#endif
}

/*
 * a / the weight, for a that is 0 or 1 <= a < 2^64: rounded once, as above, by the weight's
 * reciprocal where the machine multiplies and adds in one step. Of floats a plain division.
 * The weight must not be 0.
 */
SATF_FORMULA double formula_over_weight(const formula_sums *in, double a)
{
    double weight = formula_weight(in);
#ifdef FORMULA_FMA
    double q = formula_divide(a, weight, in->inverse);
    return in->real ? a / weight : q;
#else
    return a / weight;
#endif
}

/* An integer, halves to even, of what is below 2^51. */
SATF_FORMULA double formula_nearest(double x)
{
    const double to_units = 6755399441055744; /* 3 * 2^51: the last bit of what is near it is 1 */
    return (x + to_units) - to_units;
}

/* S / W of FORMULA_EXACT to nearest, halves up, which is below 2^48: the integer next to a quarter
 * below what the reciprocal says, or the next one, as the remainder tells, which is exact but where
 * it is below 0: then its sign is right. */
SATF_FORMULA double formula_rounded_mean(const formula_sums *in)
{
    double below = formula_nearest(in->real_sum * in->inverse - 0.25);
    double rest = in->real_sum - below * in->real_weight;
    return below + (2 * rest >= in->real_weight ? 1.0 : 0.0);
}

/*
 * The mean: of integers rounded to nearest, halves up, when it goes to an
 * integer type, else one division; of floats the sum times the weight's
 * reciprocal. 0 where nothing has any weight.
 */
SATF_FORMULA formula_value formula_mean(const formula_sums *in)
{
    if (in->real) {
        double mean = formula_real_sum(in) * (1 / in->real_weight);
        return formula_real(in->real_weight == 0 ? 0 : mean);
    }
#ifndef __CUDA_ARCH__ /* no sums there are exact reals */
    if (in->words == FORMULA_EXACT && in->rounded) {
        return formula_real(in->real_weight == 0 ? 0 : formula_rounded_mean(in));
    }
#endif
    if (formula_weight(in) == 0) {
        return formula_integer(0);
    }
    if (!in->rounded) {
        return formula_real(formula_quotient(formula_sum(in), formula_weight(in)));
    }
    /* below 2^66: colour times alpha over the largest window is at most 65535^4 */
    satf_u128 numerator = 2 * in->sum + in->weight;
    uint64_t denominator = 2 * in->weight;
    if (numerator >> 64 == 0) {
        return formula_integer((uint64_t)numerator / denominator);
    }
    return formula_integer((uint64_t)(numerator / denominator));
}

/* The mean as it is: S / W of integers, S (1 / W) of floats. The weight must not be 0. */
SATF_FORMULA double formula_true_mean(const formula_sums *in)
{
    return in->real ? formula_real_sum(in) * in->inverse : formula_over_weight(in, formula_sum(in));
}

/* W S2 - S^2 of FORMULA_WORD. */
SATF_FORMULA uint64_t formula_word_spread(const formula_sums *in)
{
    uint64_t sum = (uint64_t)in->sum;
    return in->weight * (uint64_t)in->square - sum * sum;
}

/*
 * W S2 - S^2, which is the variance times W^2, whatever the shift. Of integers it is exact, then
 * rounded once to a double: both products are at most 65535^8 < 2^128, reached by 16-bit colour
 * weighted by 16-bit alpha in the largest window. Of floats it is clamped to 0 from below, and NaN
 * where the window holds anything that is not finite.
 */
SATF_FORMULA double formula_spread(const formula_sums *in)
{
    if (formula_in_reals(in)) {
        double spread = in->real_weight * in->real_square - in->real_sum * in->real_sum;
        return spread < 0 ? 0 : spread;
    }
    if (in->words == FORMULA_WORD) {
        return (double)formula_word_spread(in);
    }
    return formula_double(in->weight * in->square - in->sum * in->sum);
}

/* W p - S over W, p being the sample at the pixel, which the shift changes as it does sums. The
 * weight must not be 0. -0 becomes 0, which it is with another shift. */
SATF_FORMULA double formula_above_mean(const formula_sums *in)
{
    double p = in->centre - in->shift, sum = in->real ? in->real_sum : formula_sum(in);
    return formula_over_weight(in, p * formula_weight(in) - sum + 0.0);
}

/* The mean. Of floats it is what p is not above it, so that it is p where all samples are alike. */
SATF_FORMULA double formula_mean_below(const formula_sums *in)
{
    return in->real ? in->centre - formula_above_mean(in) : formula_true_mean(in);
}

/* The population variance (W S2 - S^2) / W^2; 0 where nothing has any weight. */
SATF_FORMULA double formula_variance(const formula_sums *in)
{
    double weight = formula_weight(in), spread = formula_spread(in);
    if (in->real) {
        return weight == 0 ? 0 : spread / (weight * weight);
    }
    return weight == 0 ? 0 : formula_quotient(spread, weight * weight);
}

/* The standard deviation, as the root of W S2 - S^2 over W. The weight must not be 0. */
SATF_FORMULA double formula_deviation(const formula_sums *in)
{
    return formula_over_weight(in, sqrt(formula_spread(in)));
}

/* 1000 x, to nearest. */
SATF_FORMULA double formula_thousandths(double x)
{
    return formula_nearest(x * 1000);
}

/* What a b is more than its product in double, exactly (T. J. Dekker, A floating-point technique
 * for extending the available precision, 1971), or where the machine multiplies and adds in one
 * step. */
SATF_FORMULA double formula_rest(double a, double b)
{
#ifdef FORMULA_FMA
    return FORMULA_FMA(a, b, -(a * b));
#else
    double far_a = a * 134217729, far_b = b * 134217729; /* 2^27 + 1 */
    double high_a = far_a - (far_a - a), high_b = far_b - (far_b - b);
    double low_a = a - high_a, low_b = b - high_b;
    return low_a * low_b - (((a * b - high_a * high_b) - low_a * high_b) - high_a * low_b);
#endif
}

/* More than 0, 0 or less as a b - c d is, of integers of at most 2^53. Products that round to
 * different doubles are in the order of these. */
SATF_FORMULA double formula_difference(double a, double b, double c, double d)
{
    double difference = a * b - c * d, rest = formula_rest(a, b) - formula_rest(c, d);
    return difference != 0 ? difference : rest;
}

/* More than 0, 0 or less as W a - S b is, of integers: a is one below 2^53, b one of 0 to 2^53. */
SATF_FORMULA double formula_excess(const formula_sums *in, double a, double b)
{
    if (formula_in_reals(in)) {
        return formula_difference(in->real_weight, a, in->real_sum, b);
    }
    satf_u128 above = (satf_u128)in->weight * (uint64_t)fabs(a), below = in->sum * (uint64_t)b;
    return a < 0 ? -1 : above > below ? 1 : above < below ? -1 : 0;
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

#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#endif
