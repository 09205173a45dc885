/*
 * A reduction of an image before a filter is applied to it: the greatest value of a formula over
 * all windows, and the least sample that counts, of the finite ones; or the level of its histogram
 * (otsu.h). All are exact, so the order in which samples are looked at does not matter. They are
 * kept as keys, integers in the order of the doubles; the keys of extremes only ever rise, from 0,
 * which is no double's key. A leaf, valid in C11 and in CUDA C++17.
 */
#ifndef SATF_FORMULA_REDUCTION_H
#define SATF_FORMULA_REDUCTION_H

#include <float.h>

#include "../satfilter/formula.h"

enum { REDUCTION_GREATEST, REDUCTION_LEAST, REDUCTION_OTSU, REDUCTION_KEYS };

SATF_FORMULA bool reduction_is_finite(double value)
{
    return fabs(value) <= DBL_MAX;
}

/* The key of a double; 0 if it is not finite. */
SATF_FORMULA uint64_t reduction_key(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t key = bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
    return reduction_is_finite(value) ? key : 0;
}

/* Whether a sample counts where alpha weighs. */
SATF_FORMULA bool reduction_counts(double alpha)
{
    return alpha > 0 && reduction_is_finite(alpha);
}

/* The double of a key; 0 if there is none. */
SATF_FORMULA double reduction_value(uint64_t key)
{
    uint64_t bits = key >> 63 ? key & ~((uint64_t)1 << 63) : ~key;
    double value;
    memcpy(&value, &bits, sizeof value);
    return key == 0 ? 0 : value;
}

/* Tells formulas what was found. */
SATF_FORMULA void reduction_tell(const uint64_t *keys, formula_sums *in)
{
    in->greatest = reduction_value(keys[REDUCTION_GREATEST]);
    in->least = -reduction_value(keys[REDUCTION_LEAST]); /* whose negative is the greatest */
    in->otsu = reduction_value(keys[REDUCTION_OTSU]);
}

#endif
