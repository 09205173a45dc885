/* One axis of a window: how far it reaches, where what all windows share is folded away. */
#ifndef SATF_SUMS_MARCH_AXIS_H
#define SATF_SUMS_MARCH_AXIS_H

#include <stdbool.h>

#include "../../base/border.h"

/*
 * Along n pixels, the window at x, 0 ... n + beyond - 1, is the sum over x - lo ... x + hi, plus a
 * part that is the same for every x: axis_fixed() times pixel i, for all i; pixel n stands for what
 * a constant border has outside. The fixed part keeps lo and hi below 4n + beyond however large the
 * window is: whole periods of wrap, reflect and mirror; repetitions of clamp's edge.
 */
typedef struct axis {
    satf_border border;
    int64_t n, window;     /* pixels; the window's full size */
    int64_t beyond;        /* windows behind that of the last pixel */
    int64_t first;         /* pixels of the window before the one at x, at most window - 1 */
    int64_t lo, hi;        /* reach to either side */
    int64_t periods;       /* periodic borders: whole periods folded away */
    int64_t before, after; /* other borders: pixels outside folded away on each side */
} axis;

/* at: how far behind x the window's centre lies; x stays in the window. */
axis axis_of(satf_border border, int64_t n, int64_t window, int64_t at, int64_t beyond);

/* How often pixel i (0 ... n) counts in the fixed part. */
int64_t axis_fixed(const axis *a, int64_t i);

/* True if any pixel counts in the fixed part. */
bool axis_has_fixed(const axis *a);

/* Pixels of the window at x inside the image, which alone count under SATF_BORDER_SHRINK. */
int64_t axis_inside(const axis *a, int64_t x);

#endif
