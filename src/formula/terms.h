/*
 * Formulas as sums of terms (filter_terms). The CPU's loops are in terms_rows.c; here is what
 * device kernels decide by floats of bytes, and by doubles of samples of 16 bits.
 */
#ifndef SATF_FORMULA_TERMS_H
#define SATF_FORMULA_TERMS_H

#include "../satfilter/formula.h"

/*
 * The sum is away d + sample p + alone + r (root + both S), of d = S - W p and r = W s. Each number
 * is what the filter says, once divided by the weight W, or its square.
 */
typedef struct terms_numbers {
    double weight, away, sample, alone, root, both;
    double of_square; /* 1: r^2 is W S2 - S^2; 0: W S2 */
    bool exact;       /* sample p + alone is not rounded, for all p */
    bool roots;       /* r counts */
    bool over;        /* the sum is sample p / S, and results are rounded */
    /* No result is left open, for r does not count and the sum is a multiple of a number (terms.c):
     * the nearest integer is the one below the sum with `told` instead of `alone`; and the sum is
     * above 0 if whole_sum S + whole_sample p + whole is. */
    bool tells;
    double told, whole_sum, whole_sample, whole;
    double margin; /* told = alone + 1 / 2 + margin, which is more than the sum is off by */
    double most;   /* results end here */
    bool bilevel;  /* white above 0; else to nearest, halves up */
    uint8_t white, black;
} terms_numbers;

/* Whether x is a multiple of 2^-8 and at most that: floats hold such a sum of p <= 255 times one of
 * 2^7 and one of 2^15, and doubles that of p <= 65535, without rounding. */
SATF_FORMULA bool terms_are_coarse(double x, double most)
{
    return fabs(x) <= most && floor(x * 256) == x * 256;
}

/* The filter's terms, for windows of that weight, which is not 0. */
SATF_FORMULA void terms_say(const filter_terms *of, double weight, terms_numbers *numbers)
{
    double sample = of->sample + of->mean;
    numbers->weight = weight;
    numbers->away = of->mean / weight;
    numbers->sample = of->over_mean ? of->sample * weight : sample;
    numbers->alone = of->alone;
    numbers->root = of->deviation / weight;
    numbers->both = of->both / (weight * weight);
    numbers->of_square = of->from_zero ? 0 : 1;
    numbers->exact = terms_are_coarse(sample, 0x1p7) && terms_are_coarse(of->alone, 0x1p15);
    numbers->roots = of->deviation != 0 || of->both != 0;
    numbers->over = of->over_mean;
}

/* The results that a device has kernels for: the nearest whole number; white above 0; white above 0
 * with roots (r counts). */
typedef enum terms_kind { TERMS_ROUNDED, TERMS_ABOVE, TERMS_ABOVE_ROOTS } terms_kind;

/*
 * The same in floats, each rounded once, and how far off each term may be: 18 u of it, u = 2^-24,
 * by the count in terms_rows.c and one u for the rounding of these numbers. Where r counts, S and p
 * have factors of their own, `away` and `beside`, and all terms together are off by off_sum S +
 * off_beside p + off_alone: r is at most sqrt(W) S, and at most W times half the largest sample, or
 * W times all of it where r^2 is W S2.
 */
typedef struct terms_floats {
    float away, sample, alone, told, root, both, most, beside;
    float off_away, off_sample, off_alone, off_sum, off_beside;
    int32_t weight, whole_sum, whole_sample, whole;
    uint32_t of_square, of_sum; /* r^2, of S2 and of S S; see terms_spread() */
    uint32_t white, black;
    int32_t exact, over, tells; /* as in terms_numbers; by what terms_floats_tell() says */
} terms_floats;

/*
 * Whether none is left open. Of results that are rounded: what is below 0 and above 256 does not
 * matter, so the sum by two fused steps is off by less than u of away d, of sample p unless that
 * number is a float, of the first step's result, of 256, and of `told`.
 */
SATF_FORMULA bool terms_floats_tell(const terms_numbers *of)
{
    double beside = 255 * fabs(of->sample), told = fabs(of->told);
    double magnitudes = 255 * of->weight * fabs(of->away) + (beside + told) + 256 + told;
    magnitudes += (double)(float)of->sample == of->sample ? 0 : beside;
    return of->bilevel ? of->tells
                       : of->weight * 255 <= 0x1p24 && 0x1p-24 * magnitudes < of->margin &&
                             floor(of->most) == of->most;
}

SATF_FORMULA terms_floats terms_floats_of(const terms_numbers *of)
{
    terms_floats t;
    bool from_zero = of->of_square == 0, tells = !of->roots && !of->over && terms_floats_tell(of);
    double off = 18 * 0x1p-24, w = of->weight, beside = of->sample - of->away * w;
    double least_root = fabs(of->root) * sqrt(w), largest_root = (from_zero ? 255 : 127.5) * w;
    double scale = from_zero ? sqrt(w) : 1; /* of r, whose square is W S2 then */
    t.away = (float)of->away;
    t.sample = (float)of->sample;
    t.alone = (float)of->alone;
    t.told = (float)of->told;
    t.root = (float)(of->root * scale);
    t.both = (float)(of->both * scale);
    t.most = (float)of->most;
    t.beside = (float)beside;
    t.off_away = (float)(off * fabs(of->away));
    t.off_sample = (float)(off * fabs(of->sample));
    t.off_alone = (float)(off * fabs(of->alone));
    t.off_sum = (float)(off * (fabs(of->away) + least_root + fabs(of->both) * largest_root));
    t.off_beside = (float)(off * fabs(beside));
    t.weight = (int32_t)w;
    t.whole_sum = of->bilevel && tells ? (int32_t)of->whole_sum : 0;
    t.whole_sample = of->bilevel && tells ? (int32_t)of->whole_sample : 0;
    t.whole = of->bilevel && tells ? (int32_t)of->whole : 0;
    t.of_square = from_zero ? 1 : (uint32_t)w;
    t.of_sum = from_zero ? 0 : 1;
    t.white = of->white;
    t.black = of->black;
    t.exact = of->exact;
    t.over = of->over;
    t.tells = tells;
    return t;
}

/* W S2 - S^2; or S2 alone, where the numbers have the factor sqrt(W). */
SATF_FORMULA uint64_t terms_spread(const terms_floats *t, uint32_t sum, uint64_t square)
{
    return t->of_square * square - (uint64_t)(t->of_sum * sum) * sum;
}

/* The root of a number that is 0 or at least 1, off by at most 2^-23 of the root. */
SATF_FORMULA float terms_root(float number)
{
#ifdef __CUDA_ARCH__
    float root;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(number));
    return root;
#else
    return sqrtf(number);
#endif
}

/* The integer below x, 0 <= x < 2^22, which is in the lowest 8 bits too. */
SATF_FORMULA float terms_floor(float x, uint32_t *bits)
{
#ifdef __CUDA_ARCH__
    float above = __fadd_rd(x, 0x1p23F);
    *bits = __float_as_uint(above);
    return above - 0x1p23F;
#else
    float below = floorf(x);
    *bits = (uint32_t)below;
    return below;
#endif
}

SATF_FORMULA float terms_within(float x, float most)
{
    return fminf(fmaxf(x, 0), most);
}

/* Black or white, or the nearest whole number in the lowest 8 bits, where none is left open. */
SATF_FORMULA uint32_t terms_told_above(const terms_floats *t, int32_t sum, int32_t p)
{
    return t->whole_sum * sum + (t->whole_sample * p + t->whole) > 0 ? t->white : t->black;
}

SATF_FORMULA uint32_t terms_told_rounded(const terms_floats *t, int32_t sum, int32_t p)
{
    float away = (float)(sum - t->weight * p);
    float value = fmaf(t->away, away, fmaf(t->sample, (float)p, t->told));
    uint32_t bits;
    terms_floor(terms_within(value, t->most), &bits);
    return bits;
}

/* The same where results may be open, for sums below 2^31: false if it is. off: the value's
 * error. */
SATF_FORMULA bool terms_rounded(const terms_floats *t, float value, float off, uint32_t *bits)
{
    float within = terms_within(value, t->most), nearest = terms_floor(within + 0.5F, bits);
    return fabsf(within - nearest) + off <= 0.5F;
}

SATF_FORMULA bool terms_above(const terms_floats *t, float value, float off, uint32_t *bits)
{
    *bits = value > 0 ? t->white : t->black;
    return fabsf(value) >= off;
}

/* The terms' sum where r does not count. */
SATF_FORMULA float terms_plain(const terms_floats *t, int32_t sum, int32_t p, float *off)
{
    int32_t d = sum - t->weight * p;
    float away = (float)d, here = (float)p;
    *off = fmaf(t->off_away, fabsf(away), fmaf(t->off_sample, here, t->off_alone));
    *off = t->exact && d == 0 ? 0 : *off;
    return fmaf(t->away, away, fmaf(t->sample, here, t->alone));
}

/* The sample over the mean, where `over` is set. A device's inverse is off by at most 2 u: with the
 * rounding of the number, the sum and two products that is less than 8 u. */
SATF_FORMULA float terms_over(const terms_floats *t, int32_t sum, int32_t p, float *off)
{
    float here = (float)p, whole = (float)(sum > 0 ? sum : 1), value;
#ifdef __CUDA_ARCH__
    float inverse;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(whole));
    value = t->sample * here * inverse;
#else
    value = t->sample * here / whole;
#endif
    value = sum > 0 ? value : here;
    *off = value * (8 * 0x1p-24F);
    return value;
}

/* The terms' sum with r. spread: the square of r, rounded twice at most. */
SATF_FORMULA float terms_roots(const terms_floats *t, int32_t sum, int32_t p, float spread,
                               float *off)
{
    float whole = (float)sum, root = terms_root(spread);
    *off = fmaf(t->off_sum, whole, fmaf(t->off_beside, (float)p, t->off_alone));
    return fmaf(root, fmaf(t->both, whole, t->root),
                fmaf(t->away, whole, fmaf(t->beside, (float)p, t->alone)));
}

/* Whether all samples of a window are alike and nothing is rounded, so that r and d are 0: then
 * *bits is right although floats left it open. */
SATF_FORMULA bool terms_alike(const terms_floats *t, int32_t sum, uint64_t square, int32_t p,
                              uint32_t *bits)
{
    *bits = fmaf(t->sample, (float)p, t->alone) > 0 ? t->white : t->black;
    return t->exact && terms_spread(t, (uint32_t)sum, square) == 0;
}

/* The same for samples of 16 bits, results of 16 bits, without squares. */
SATF_FORMULA double terms_within_word(double x, double most)
{
    return fmin(fmax(x, 0.0), most);
}

SATF_FORMULA uint32_t terms_told_word(const terms_numbers *t, int32_t sum, int32_t p)
{
    double away = (double)sum - t->weight * (double)p;
    double value = t->away * away + (t->sample * (double)p + t->told);
    return (uint32_t)(int32_t)terms_within_word(value, t->most);
}

SATF_FORMULA bool terms_word(const terms_numbers *t, int32_t sum, int32_t p, uint32_t *bits)
{
    double here = (double)p, away = (double)sum - t->weight * here;
    double first = t->away * away, second = t->sample * here;
    double value = first + (second + t->alone);
    double off = 17 * 0x1p-53 * (fabs(first) + fabs(second) + fabs(t->alone));
    if (t->over) {
        value = sum > 0 ? second / (double)sum : here;
        off = value * (4 * 0x1p-53);
    }
    off = t->exact && away == 0 ? 0 : off;
    double within = terms_within_word(value, t->most);
    *bits = (uint32_t)(int32_t)(within + 0.5);
    return fabs(within - (double)(int32_t)*bits) + off <= 0.5;
}

#endif
