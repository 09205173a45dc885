/* How much the samples of windows vary, and which of two windows varies less: in C11 and in CUDA
 * C++17. */
#ifndef SATF_FILTER_VARIED_H
#define SATF_FILTER_VARIED_H

#include "../satfilter/formula.h"

/*
 * The variances of a window's channels, added up: of integers the fraction spread / weight^2, as it
 * is. A window in which nothing has any weight, or not all is finite, varies infinitely.
 */
typedef struct varied {
    satf_u128 spread; /* the sum of W S2 - S^2, below 2^99 */
    uint64_t weight;  /* below 2^32 */
    double real;      /* of floats */
} varied;

/* One channel more of a window; `in` has the sums, and the same weight for all channels. */
SATF_FORMULA void varied_add(varied *to, const formula_sums *in)
{
    if (in->real) {
        to->real += formula_spread(in);
    } else {
        to->spread += (satf_u128)in->weight * in->square - in->sum * in->sum;
    }
}

/* Behind the last one. */
SATF_FORMULA void varied_end(varied *to, const formula_sums *in)
{
    if (in->real) {
        double variance = to->real / (in->real_weight * in->real_weight);
        to->real = variance < (double)INFINITY ? variance : (double)INFINITY;
    }
    to->weight = in->weight;
    to->spread = in->weight == 0 ? 1 : to->spread;
}

/* a b, of a below 2^128, in three words. */
typedef struct varied_product {
    satf_u128 high; /* above 2^64 */
    uint64_t low;
} varied_product;

SATF_FORMULA varied_product varied_multiply(satf_u128 a, uint64_t b)
{
    satf_u128 low = (satf_u128)(uint64_t)a * b;
    varied_product product = {(satf_u128)(uint64_t)(a >> 64) * b + (low >> 64), (uint64_t)low};
    return product;
}

/* What variances of floats must differ by, as a share of them: sums round, and windows of few
 * levels often vary alike. */
#define VARIED_ALIKE 0x1p-30

/* Whether a varies less than b. */
SATF_FORMULA bool varied_less(bool real, const varied *a, const varied *b)
{
    if (real) {
        return a->real * (1 + VARIED_ALIKE) < b->real;
    }
    varied_product left = varied_multiply(a->spread, b->weight * b->weight);
    varied_product right = varied_multiply(b->spread, a->weight * a->weight);
    return left.high != right.high ? left.high < right.high : left.low < right.low;
}

#endif
