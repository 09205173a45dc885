/*
 * What moments of floats are taken around, so that an offset which samples share costs no digits of
 * a variance.
 */
#ifndef SATF_BASE_PIVOT_H
#define SATF_BASE_PIVOT_H

#include <math.h>

#include "view.h"

enum { SATF_PIVOT_PLACES = 9, SATF_PIVOT_SPREADS = 64 };
#define SATF_PIVOT_MOST 0x1p400

#ifdef __CUDACC__
#define PIVOT_CALL static inline __host__ __device__
#else
#define PIVOT_CALL static inline
#endif

/* Place k of SATF_PIVOT_PLACES in 0 ... n - 1: k * (n - 1) / the last k, which does not overflow.
 */
PIVOT_CALL int64_t satf_pivot_place(int64_t k, int64_t n)
{
    enum { LAST = SATF_PIVOT_PLACES - 1 };
    return (n - 1) / LAST * k + (n - 1) % LAST * k / LAST;
}

/* The pivot of samples whose middle half lies between low and high. */
PIVOT_CALL double satf_pivot_choose(double low, double median, double high)
{
    return fabs(median) <= SATF_PIVOT_SPREADS * (high - low) ? 0 : median;
}

/*
 * pivots[c] = the median of channel c at SATF_PIVOT_PLACES places of pixels x ... x + n - 1, both
 * ends among them, of `count` rows of floats, at most that many; but 0 where that is at most
 * SATF_PIVOT_SPREADS times the range of the middle half of these samples: then an offset costs four
 * digits at most, and sums that are exact without a pivot stay as they are. Samples that are not
 * finite, or above SATF_PIVOT_MOST, do not count: no square overflows that would not without a
 * pivot. Where none counts the pivot is 0. weighted: pixels without alpha do not count, and the
 * pivot of alpha is 0.
 */
void satf_pivots(const satf_view *in, bool weighted, const void *const *rows, int count, int64_t x,
                 int64_t n, double *pivots);

/* The same of SATF_PIVOT_PLACES rows, both ends among them, of an image on the host. */
void satf_image_pivots(const satf_view *in, bool weighted, double *pivots);

#endif
