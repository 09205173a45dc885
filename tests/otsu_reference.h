/* Otsu's level by its definition, in fractions of integers. */
#ifndef SATF_TESTS_OTSU_REFERENCE_H
#define SATF_TESTS_OTSU_REFERENCE_H

#include "filter_reference.h"

__extension__ typedef unsigned __int128 ref_u128;

typedef struct ref_fraction {
    ref_u128 over, under; /* below 2^127 */
} ref_fraction;

/* Whether a > b, as Euclid would: whole parts first, then what is left, upside down. */
static inline bool ref_is_greater(ref_fraction a, ref_fraction b)
{
    bool swapped = false;
    for (;;) {
        ref_u128 whole_a = a.over / a.under, whole_b = b.over / b.under;
        ref_u128 rest_a = a.over % a.under, rest_b = b.over % b.under;
        if (whole_a != whole_b) {
            return (whole_a > whole_b) != swapped;
        }
        if (rest_a == 0 || rest_b == 0) {
            return swapped ? rest_b > 0 && rest_a == 0 : rest_a > 0 && rest_b == 0;
        }
        a = (ref_fraction){a.under, rest_a};
        b = (ref_fraction){b.under, rest_b};
        swapped = !swapped;
    }
}

/* The first level that makes N^2 q1 q2 (m1 - m2)^2 = (N S1 - n1 S)^2 / (n1 n2) greatest; -1: none
 * parts anything. */
static inline int64_t ref_otsu(const uint64_t *counts, int64_t levels)
{
    int64_t best = -1, n = 0, s = 0, n1 = 0, s1 = 0;
    ref_fraction most = {0, 1};
    for (int64_t level = 0; level < levels; level++) {
        n += (int64_t)counts[level];
        s += (int64_t)counts[level] * level;
    }
    for (int64_t level = 0; level < levels; level++) {
        n1 += (int64_t)counts[level];
        s1 += (int64_t)counts[level] * level;
        __extension__ __int128 root = (__int128)n * s1 - (__int128)n1 * s;
        ref_fraction merit = {(ref_u128)(root * root), (ref_u128)n1 * (ref_u128)(n - n1)};
        if (merit.under > 0 && ref_is_greater(merit, most)) {
            most = merit;
            best = level;
        }
    }
    return best;
}

#endif
