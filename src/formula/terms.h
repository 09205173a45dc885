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
    bool over;        /* the sum is sample p / S, of results that are rounded */
    /* None is left open, for r does not count and the sum is a multiple of something: the nearest
     * whole number is what is below the sum with `told` instead of `alone`; and the sum is above 0
     * as whole_sum S + whole_sample p + whole is. */
    bool tells;
    double told, whole_sum, whole_sample, whole;
    double most;  /* results end here */
    bool bilevel; /* white above 0; else to nearest, halves up */
    uint8_t white, black;
} terms_numbers;

/* The same in floats, each rounded once, and how far off each term may be: 18 u of it, u = 2^-24,
 * by the count in terms_rows.c, of which the numbers' own rounding is one. */
typedef struct terms_floats {
    float away, sample, alone, told, root, both, most;
    float off_away, off_sample, off_alone, off_root, off_both;
    int32_t weight, whole_sum, whole_sample, whole;
    bool from_zero, exact, over, tells, bilevel;
    uint8_t white, black;
} terms_floats;

static inline terms_floats terms_floats_of(const terms_numbers *of)
{
    terms_floats t;
    double u = 0x1p-24;
    t.away = (float)of->away;
    t.sample = (float)of->sample;
    t.alone = (float)of->alone;
    t.told = (float)of->told;
    t.root = (float)of->root;
    t.both = (float)of->both;
    t.most = (float)of->most;
    t.off_away = (float)(18 * u * fabs(of->away));
    t.off_sample = (float)(18 * u * fabs(of->sample));
    t.off_alone = (float)(18 * u * fabs(of->alone));
    t.off_root = (float)(18 * u * fabs(of->root));
    t.off_both = (float)(18 * u * fabs(of->both));
    t.weight = (int32_t)of->weight;
    t.whole_sum = of->tells ? (int32_t)of->whole_sum : 0;
    t.whole_sample = of->tells ? (int32_t)of->whole_sample : 0;
    t.whole = of->tells ? (int32_t)of->whole : 0;
    t.from_zero = of->of_square == 0;
    t.exact = of->exact;
    t.over = of->over;
    t.tells = of->tells;
    t.bilevel = of->bilevel;
    t.white = of->white;
    t.black = of->black;
    return t;
}

/* The root of what is 0 or at least 1, off by at most 2^-23 of it. */
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

/* The integer below x, 0 <= x < 2^22, in the lowest 8 bits. */
SATF_FORMULA uint32_t terms_below(float x)
{
#ifdef __CUDA_ARCH__
    return __float_as_uint(__fadd_rd(x, 0x1p23F));
#else
    return (uint32_t)floorf(x);
#endif
}

SATF_FORMULA float terms_within(float x, float most)
{
    return fminf(fmaxf(x, 0), most);
}

/* The sample in the lowest 8 bits, where none is left open. d: S - W p. */
SATF_FORMULA uint32_t terms_told(const terms_floats *t, int32_t sum, int32_t p, int32_t d)
{
    if (t->bilevel) {
        return t->whole_sum * sum + (t->whole_sample * p + t->whole) > 0 ? t->white : t->black;
    }
    return terms_below(
        terms_within(fmaf(t->away, (float)d, fmaf(t->sample, (float)p, t->told)), t->most));
}

/*
 * What the sample is, in the lowest 8 bits, of a sum below 2^31; false where that is open.
 * `squares` of the formulas that read such: spread is W S2 - S^2, or W S2, rounded twice at most.
 * A device divides with an error of at most 2 ulp: with the numbers' and the sum's rounding and
 * that of the product that is less than 8 u.
 */
SATF_FORMULA bool terms_byte(const terms_floats *t, bool squares, int32_t sum, int32_t p,
                             float spread, uint32_t *bits)
{
    int32_t d = sum - t->weight * p;
    if (!squares && t->tells) {
        *bits = terms_told(t, sum, p, d);
        return true;
    }
    float away = (float)d, here = (float)p, root = squares ? terms_root(spread) : 0;
    float value = fmaf(t->away, away, fmaf(t->sample, here, t->alone));
    float off = fmaf(t->off_away, fabsf(away), fmaf(t->off_sample, here, t->off_alone));
    if (squares) {
        value = fmaf(root, fmaf(t->both, (float)sum, t->root), value);
        off = fmaf(root, fmaf(t->off_both, (float)sum, t->off_root), off);
    } else if (t->over) {
#ifdef __CUDA_ARCH__
        value = sum > 0 ? __fdividef(t->sample * here, (float)sum) : here;
#else
        value = sum > 0 ? t->sample * here / (float)sum : here;
#endif
        off = value * (8 * 0x1p-24F);
    }
    off = t->exact && d == 0 && root == 0 ? 0 : off;
    if (t->bilevel) {
        *bits = value > 0 ? t->white : t->black;
        return fabsf(value) >= off;
    }
    float within = terms_within(value, t->most);
#ifdef __CUDA_ARCH__
    float nearest = __fadd_rd(within + 0.5F, 0x1p23F);
    *bits = __float_as_uint(nearest);
    nearest -= 0x1p23F;
#else
    float nearest = floorf(within + 0.5F);
    *bits = (uint32_t)nearest;
#endif
    return fabsf(within - nearest) + off <= 0.5F;
}

/* The same of samples of 16 bits, to such, without squares. */
SATF_FORMULA bool terms_word(const terms_numbers *t, int32_t sum, int32_t p, uint32_t *bits)
{
    double away = (double)sum - t->weight * (double)p, here = (double)p;
    if (t->tells) {
        double told = t->away * away + (t->sample * here + t->told);
        *bits = (uint32_t)(int32_t)fmin(fmax(told, 0), t->most);
        return true;
    }
    double first = t->away * away, second = t->sample * here;
    double value = first + (second + t->alone);
    double off = 17 * 0x1p-53 * (fabs(first) + fabs(second) + fabs(t->alone));
    if (t->over) {
        value = sum > 0 ? second / (double)sum : here;
        off = value * (4 * 0x1p-53);
    }
    off = t->exact && away == 0 ? 0 : off;
    double within = fmin(fmax(value, 0), t->most);
    *bits = (uint32_t)(int32_t)(within + 0.5);
    return fabs(within - (double)(int32_t)*bits) + off <= 0.5;
}

#endif
