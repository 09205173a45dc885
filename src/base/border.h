/* The pixels that a window sees outside the image, under each border. */
#ifndef SATF_BASE_BORDER_H
#define SATF_BASE_BORDER_H

#include "../satfilter.h"

/* The border of that name, "constant" without its value; -1 if there is none. */
int satf_border_from_name(const char *name);

#ifdef __CUDACC__
#define BORDER_CALL static inline __host__ __device__
#else
#define BORDER_CALL static inline
#endif

/* The index in 0 ... n - 1 that the border puts at position i (any), n >= 1;
 * -1 where SATF_BORDER_CONSTANT and SATF_BORDER_SHRINK have no pixel. A mirror of one pixel
 * is that pixel. */
BORDER_CALL int64_t satf_border_index(int border, int64_t i, int64_t n)
{
    if (i >= 0 && i < n) {
        return i;
    }
    switch (border) {
    case SATF_BORDER_CLAMP:
        return i < 0 ? 0 : n - 1;
    case SATF_BORDER_WRAP:
        i %= n;
        return i < 0 ? i + n : i;
    case SATF_BORDER_REFLECT:
        i %= 2 * n;
        i = i < 0 ? i + 2 * n : i;
        return i < n ? i : 2 * n - 1 - i;
    case SATF_BORDER_MIRROR:
        if (n == 1) {
            return 0;
        }
        i %= 2 * n - 2;
        i = i < 0 ? i + 2 * n - 2 : i;
        return i < n ? i : 2 * n - 2 - i;
    default:
        return -1;
    }
}

#endif
