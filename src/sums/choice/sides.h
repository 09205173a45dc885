/* Windows whose sides, 2 r + 1, an image gives by its samples r. In C11 and in CUDA C++17. */
#ifndef SATF_SUMS_CHOICE_SIDES_H
#define SATF_SUMS_CHOICE_SIDES_H

#include "../../satfilter/formula.h"

enum { SIDES_MOST = 32767 }; /* of r: sides are at most FILTER_MAX_SIZE */

/* The windows of r: that of its floor, and the next one, which counts `more`. */
typedef struct window_sides {
    int32_t radius;
    double more; /* r less its floor */
} window_sides;

/* r below 0 and NaN count as 0. */
SATF_FORMULA window_sides sides_of(double r)
{
    r = r > 0 ? r : 0;
    r = r < SIDES_MOST ? r : SIDES_MOST;
    double whole = floor(r);
    window_sides sides = {(int32_t)whole, r - whole};
    return sides;
}

/* The lane of the map that has a lane's r: for alpha that of the last colour. */
SATF_FORMULA int sides_lane(int lane, int colours)
{
    return lane < colours ? lane : colours - 1;
}

/* The window, from its first pixel to the one in its middle, and its side. */
SATF_FORMULA satf_rect sides_rect(int32_t radius)
{
    satf_rect rect = {-radius, -radius, 2 * (int64_t)radius + 1, 2 * (int64_t)radius + 1};
    return rect;
}

/* The results of both windows in one; weight: of the smaller. If it is 0 the other counts alone. */
SATF_FORMULA formula_value sides_blend(formula_value small, formula_value large, double weight,
                                       double more)
{
    double a = formula_number_of(small), b = formula_number_of(large);
    return formula_real(weight == 0 ? b : a + more * (b - a));
}

#endif
