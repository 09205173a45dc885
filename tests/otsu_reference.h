/* Otsu's level by its definition, in fractions of integers. */
#ifndef SATF_TESTS_OTSU_REFERENCE_H
#define SATF_TESTS_OTSU_REFERENCE_H

#include "test.h"
#include <float.h>

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

/* The same level, of fractions that are smaller. */
static inline void ref_reduce(uint64_t *counts, int64_t levels)
{
    uint64_t common = 0;
    for (int64_t level = 0; level < levels; level++) {
        for (uint64_t rest = counts[level]; rest;) {
            uint64_t next = common % rest;
            common = rest;
            rest = next;
        }
    }
    for (int64_t level = 0; level < levels; level++) {
        counts[level] /= common ? common : 1;
    }
}

/* Bins of floats: edge k of 1 ... 255, k 256ths from the least to the greatest. */
static inline double ref_otsu_edge(double least, double greatest, int k)
{
    double from = least / 2, far = greatest / 2 - from;
    return 2 * (from + far * (k / 256.0));
}

/* The threshold of n floats, which count so often: the upper edge of Otsu's level of 256 bins over
 * those that are finite and count; just below the least where no level parts them. A sample is in
 * the bin whose number is that of the edges below it. */
static inline double ref_otsu_of_floats(const double *samples, const int64_t *times, int64_t n)
{
    uint64_t counts[256] = {0};
    double least = INFINITY, greatest = -INFINITY;
    for (int64_t i = 0; i < n; i++) {
        if (times[i] && isfinite(samples[i])) {
            least = samples[i] < least ? samples[i] : least;
            greatest = samples[i] > greatest ? samples[i] : greatest;
        }
    }
    for (int64_t i = 0; i < n; i++) {
        int bin = 0;
        for (int k = 1; k < 256; k++) {
            bin += samples[i] > ref_otsu_edge(least, greatest, k);
        }
        counts[bin] += isfinite(samples[i]) ? (uint64_t)times[i] : 0;
    }
    ref_reduce(counts, 256);
    int64_t level = ref_otsu(counts, 256);
    bool any = least <= greatest;
    return level >= 0 ? ref_otsu_edge(least, greatest, (int)level + 1)
                      : nextafter(any ? least : 0, -DBL_MAX);
}

#endif
