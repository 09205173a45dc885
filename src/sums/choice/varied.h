/* How much a window's samples vary, and which of two varies less. In C11 and in CUDA C++17. */
#ifndef SATF_SUMS_CHOICE_VARIED_H
#define SATF_SUMS_CHOICE_VARIED_H

#include "../../satfilter/formula.h"

/*
 * The variances of a window's channels, added up: of integers as the fraction spread / weight^2; of
 * floats as bounds around V, within which two windows count as alike. A window without weight, or
 * with samples that are not finite, varies infinitely.
 */
typedef struct varied {
    satf_u128 spread;   /* the sum of W S2 - S^2, below 2^99 */
    uint64_t weight;    /* below 2^32 */
    double least, most; /* the bounds, of floats */
} varied;

/* Half a unit in the last place of a sample of 1. */
#define VARIED_UNIT(type) ((type) == SATF_F32 ? 0x1p-24 : 0x1p-53)

/*
 * The bounds of V. spread is W^2 V, and size the sum of W S2 over the channels, S2 of samples
 * without a shift. Samples that are rounded by a share e of themselves change V by up to 2 e sqrt(V
 * size / W^2), weights that are by less than half as much, and sums by less than 2^-30 V. So
 * windows that vary alike in the integers which the samples stand for count as alike; but windows
 * that differ by more than about a part in 32 never do.
 */
SATF_FORMULA void varied_bound(double spread, double size, double weight2, double unit,
                               double *least, double *most)
{
    double rounds = 3 * unit * sqrt(spread * size), sums = 0x1p-30 * spread, all = 0x1p-6 * spread;
    double room = rounds > sums ? rounds : sums;
    room = room < all ? room : all;
    double low = (spread - room) / weight2, high = (spread + room) / weight2;
    *least = high < (double)INFINITY ? low : (double)INFINITY;
    *most = high < (double)INFINITY ? high : (double)INFINITY;
}

/* Adds a channel of a window; `in` has its sums, and the same weight for all channels. */
SATF_FORMULA void varied_add(varied *to, const formula_sums *in)
{
    if (in->real) { /* least and most gather spread and size, until varied_end() */
        double sum = formula_real_sum(in), spread = formula_spread(in);
        to->least += spread;
        to->most += spread + sum * sum;
    } else {
        to->spread += (satf_u128)in->weight * in->square - in->sum * in->sum;
    }
}

/* Called after the last channel. */
SATF_FORMULA void varied_end(varied *to, const formula_sums *in, double unit)
{
    if (in->real) {
        varied_bound(to->least, to->most, in->real_weight * in->real_weight, unit, &to->least,
                     &to->most);
    }
    to->weight = in->weight;
    to->spread = in->weight == 0 ? 1 : to->spread;
}

/* The product of 128 and 64 bits: high * 2^64 + low. */
typedef struct varied_product {
    satf_u128 high; /* in units of 2^64 */
    uint64_t low;
} varied_product;

SATF_FORMULA varied_product varied_multiply(satf_u128 a, uint64_t b)
{
    satf_u128 low = (satf_u128)(uint64_t)a * b;
    varied_product product = {(satf_u128)(uint64_t)(a >> 64) * b + (low >> 64), (uint64_t)low};
    return product;
}

/* Whether a varies less than b. */
SATF_FORMULA bool varied_less(bool real, const varied *a, const varied *b)
{
    if (real) {
        return a->most < b->least;
    }
    varied_product left = varied_multiply(a->spread, b->weight * b->weight);
    varied_product right = varied_multiply(b->spread, a->weight * a->weight);
    return left.high != right.high ? left.high < right.high : left.low < right.low;
}

#endif
