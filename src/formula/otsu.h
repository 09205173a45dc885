/*
 * Otsu's level of a histogram (N. Otsu, A threshold selection method from gray-level histograms,
 * 1979): the first that makes q1 q2 (m1 - m2)^2 greatest, q1 and q2 being the shares of the weight
 * up to the level and above it, m1 and m2 the means there. It is found exactly. A leaf, valid in
 * C11 and in CUDA C++17.
 */
#ifndef SATF_FORMULA_OTSU_H
#define SATF_FORMULA_OTSU_H

#include "reduction.h"

/* The weight of some samples of at most 16 bits, and their weighted sum, below 2^80. */
typedef struct otsu_share {
    uint64_t weight;
    satf_u128 sum;
} otsu_share;

/* A level, the share up to it, and its otsu_merit(). below.weight is 0 if there is no level. */
typedef struct otsu_level {
    int64_t level;
    otsu_share below;
    double merit;
} otsu_level;

SATF_FORMULA void otsu_add(otsu_share *to, uint64_t weight, satf_u128 sum)
{
    to->weight += weight;
    to->sum += sum;
}

/* The share of `all` that lies above. */
SATF_FORMULA otsu_share otsu_above(const otsu_share *all, const otsu_share *below)
{
    otsu_share above = {all->weight - below->weight, all->sum - below->sum};
    return above;
}

/* --------------------------------------------------------------- a comparison of integers */

/* An integer below 2^416, the lowest word first. */
enum { OTSU_WORDS = 13 };
typedef struct otsu_number {
    uint32_t word[OTSU_WORDS];
} otsu_number;

SATF_FORMULA otsu_number otsu_number_of(satf_u128 integer)
{
    otsu_number number = {{0}};
    for (int i = 0; i < 4; i++) {
        number.word[i] = (uint32_t)(integer >> (32 * i));
    }
    return number;
}

SATF_FORMULA otsu_number otsu_product(const otsu_number *a, const otsu_number *b)
{
    otsu_number product = {{0}};
    for (int i = 0; i < OTSU_WORDS; i++) {
        uint64_t carry = 0;
        for (int j = 0; i + j < OTSU_WORDS; j++) {
            carry += (uint64_t)a->word[i] * b->word[j] + product.word[i + j];
            product.word[i + j] = (uint32_t)carry;
            carry >>= 32;
        }
    }
    return product;
}

/* a - b, which is not below 0. */
SATF_FORMULA otsu_number otsu_difference(const otsu_number *a, const otsu_number *b)
{
    otsu_number difference = {{0}};
    int64_t carry = 0;
    for (int i = 0; i < OTSU_WORDS; i++) {
        carry += (int64_t)a->word[i] - b->word[i];
        difference.word[i] = (uint32_t)carry;
        carry = carry < 0 ? -1 : 0;
    }
    return difference;
}

/* 1, 0 or -1 as a is more than b, b, or less. */
SATF_FORMULA int otsu_compare(const otsu_number *a, const otsu_number *b)
{
    int i = OTSU_WORDS - 1;
    while (i > 0 && a->word[i] == b->word[i]) {
        i--;
    }
    return (a->word[i] > b->word[i]) - (a->word[i] < b->word[i]);
}

/* (n1 S2 - n2 S1)^2, below 2^288, over n1 n2, at most 2^126: N^2 q1 q2 (m1 - m2)^2. */
SATF_FORMULA void otsu_fraction(const otsu_share *all, const otsu_share *below, otsu_number *over,
                                otsu_number *under)
{
    otsu_share above = otsu_above(all, below);
    otsu_number n1 = otsu_number_of(below->weight), n2 = otsu_number_of(above.weight);
    otsu_number s1 = otsu_number_of(below->sum), s2 = otsu_number_of(above.sum);
    otsu_number more = otsu_product(&n1, &s2), less = otsu_product(&n2, &s1);
    otsu_number root = otsu_difference(&more, &less);
    *over = otsu_product(&root, &root);
    *under = otsu_product(&n1, &n2);
}

SATF_FORMULA int otsu_order(const otsu_share *all, const otsu_share *a, const otsu_share *b)
{
    otsu_number over_a, under_a, over_b, under_b;
    otsu_fraction(all, a, &over_a, &under_a);
    otsu_fraction(all, b, &over_b, &under_b);
    otsu_number of_a = otsu_product(&over_a, &under_b), of_b = otsu_product(&over_b, &under_a);
    return otsu_compare(&of_a, &of_b);
}

/* ------------------------------------------------------------------------- the level */

/*
 * n1 n2 (m1 - m2)^2 in double, u being 2^-53. The means are off by at most 3 u of them, below
 * 2^16, and at least 1 apart, since samples up to a level are below those above it: so their
 * difference is off by less than 2^-34.3 of it, and the result by less than 2^-33.2 of it.
 */
SATF_FORMULA double otsu_merit(const otsu_share *all, const otsu_share *below)
{
    otsu_share above = otsu_above(all, below);
    double n1 = (double)below->weight, n2 = (double)above.weight;
    double apart = formula_double(above.sum) / n2 - formula_double(below->sum) / n1;
    return n1 * n2 * (apart * apart);
}

SATF_FORMULA otsu_level otsu_level_of(const otsu_share *all, int64_t level, const otsu_share *below)
{
    otsu_level at = {level, *below, otsu_merit(all, below)};
    return at;
}

/* Whether level a is better than b, or as good and lower. A level with all on one side is none. */
SATF_FORMULA bool otsu_is_better(const otsu_share *all, const otsu_level *a, const otsu_level *b)
{
    if (a->below.weight == 0 || a->below.weight == all->weight) {
        return false;
    }
    if (b->below.weight == 0) {
        return true;
    }
    if (fabs(a->merit - b->merit) > b->merit * 0x1p-31) {
        return a->merit > b->merit;
    }
    int order = otsu_order(all, &a->below, &b->below);
    return order > 0 || (order == 0 && a->level < b->level);
}

/* *best = the best of the levels from `first` to in front of `end`, if it is better. below: what
 * lies in front of `first`. */
SATF_FORMULA void otsu_look(const otsu_share *all, const uint64_t *counts, int64_t first,
                            int64_t end, otsu_share below, otsu_level *best)
{
    for (int64_t level = first; level < end; level++) {
        if (counts[level] > 0) { /* else it parts what the level before does */
            otsu_add(&below, counts[level], (satf_u128)counts[level] * (uint64_t)level);
            otsu_level here = otsu_level_of(all, level, &below);
            *best = otsu_is_better(all, &here, best) ? here : *best;
        }
    }
}

/* The weight and the sum of the levels from `first` to in front of `end`. */
SATF_FORMULA otsu_share otsu_sum(const uint64_t *counts, int64_t first, int64_t end)
{
    otsu_share share = {0, 0};
    for (int64_t level = first; level < end; level++) {
        otsu_add(&share, counts[level], (satf_u128)counts[level] * (uint64_t)level);
    }
    return share;
}

/* The best level before any is looked at. White is above the best, so all is white where no level
 * parts it. */
SATF_FORMULA otsu_level otsu_none(void)
{
    otsu_level none = {-1, {0, 0}, 0};
    return none;
}

/* -------------------------------------------------------------------------------- floats */

/*
 * Floats are counted in bins as wide as one another, from the least to the greatest of those that
 * count: finite ones, whose alpha is not 0. The level is a bin's number, and the threshold its
 * upper edge. A bin has the samples above its lower edge and not above its upper one, so the
 * samples above the threshold are those of the bins above.
 */
enum { OTSU_BINS = 256, OTSU_ALPHA = UINT16_MAX /* steps of alpha */ };

typedef struct otsu_range {
    double least, greatest; /* both 0 if nothing counts */
} otsu_range;

/* The range of samples, from the greatest keys (reduction.h) of their negatives, `least`, and of
 * themselves. The keys are 0 if nothing counts. */
SATF_FORMULA otsu_range otsu_range_of(uint64_t least, uint64_t greatest)
{
    otsu_range range = {-reduction_value(least), reduction_value(greatest)};
    return range;
}

/* The edge of a bin, never below that of a lower bin. It is computed by halves, whose difference
 * does not overflow. */
SATF_FORMULA double otsu_edge(const otsu_range *range, int64_t bin)
{
    double from = range->least / 2, far = range->greatest / 2 - from;
    return (from + far * ((double)(bin + 1) / OTSU_BINS)) * 2;
}

SATF_FORMULA int64_t otsu_bin(const otsu_range *range, double sample)
{
    double from = range->least / 2, far = range->greatest / 2 - from;
    double at = (sample / 2 - from) * (OTSU_BINS / far);
    int64_t bin = at > 0 ? (int64_t)(at < OTSU_BINS ? at : OTSU_BINS - 1) : 0; /* or beside it */
    while (bin > 0 && !(sample > otsu_edge(range, bin - 1))) {
        bin--;
    }
    while (bin < OTSU_BINS - 1 && sample > otsu_edge(range, bin)) {
        bin++;
    }
    return bin;
}

/* How often a sample counts: its alpha, in steps, of which white has all. */
SATF_FORMULA uint64_t otsu_weight(double sample, double alpha, double full)
{
    double steps = alpha / full * OTSU_ALPHA + 0.5;
    bool counts = reduction_is_finite(sample) && reduction_is_finite(alpha) && steps >= 1;
    return counts ? (uint64_t)(steps < OTSU_ALPHA ? steps : OTSU_ALPHA) : 0;
}

/* The threshold that white is above. If no level parts the samples, all are above it. */
SATF_FORMULA double otsu_threshold(const otsu_range *range, int64_t level)
{
    double below = nextafter(range->least, -DBL_MAX);
    return level < 0 ? below : otsu_edge(range, level);
}

#endif
