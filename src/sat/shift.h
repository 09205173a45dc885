/*
 * Shifts: values that are subtracted from samples of floats, so that an offset which samples share
 * costs no digits of a variance.
 */
#ifndef SATF_SAT_SHIFT_H
#define SATF_SAT_SHIFT_H

#include <math.h>

#include "../base/view.h"

enum { SATF_SHIFT_PLACES = 9, SATF_SHIFT_SPREADS = 64 };
#define SATF_SHIFT_MOST 0x1p400

#ifdef __CUDACC__
#define SHIFT_CALL static inline __host__ __device__
#else
#define SHIFT_CALL static inline
#endif

/* Place k of SATF_SHIFT_PLACES in 0 ... n - 1: k * (n - 1) / the last k, which does not overflow.
 */
SHIFT_CALL int64_t satf_shift_place(int64_t k, int64_t n)
{
    enum { LAST = SATF_SHIFT_PLACES - 1 };
    return (n - 1) / LAST * k + (n - 1) % LAST * k / LAST;
}

/* The shift of samples whose middle half lies between low and high. */
SHIFT_CALL double satf_shift_choose(double low, double median, double high)
{
    return fabs(median) <= SATF_SHIFT_SPREADS * (high - low) ? 0 : median;
}

/*
 * shifts[c] = the median of channel c at SATF_SHIFT_PLACES places of pixels x ... x + n - 1, both
 * ends among them, of `count` rows of floats, at most that many; but 0 where that is at most
 * SATF_SHIFT_SPREADS times the range of the middle half of these samples: then an offset costs four
 * digits at most, and sums that are exact without a shift stay as they are. Samples that are not
 * finite, or above SATF_SHIFT_MOST, do not count: no square overflows that would not without a
 * shift. Where none counts the shift is 0. weighted: pixels without alpha do not count, and the
 * shift of alpha is 0.
 */
void satf_shifts(const satf_view *in, bool weighted, const void *const *rows, int count, int64_t x,
                 int64_t n, double *shifts);

/* Finds the shifts of SATF_SHIFT_PLACES rows, both ends among them, of an image on the host. */
void satf_image_shifts(const satf_view *in, bool weighted, double *shifts);

#endif
