/* Folds away what all windows of an axis share (axis.h). */
#include "axis.h"

/* Pixels after which the border repeats itself; 0 if it never does. */
static int64_t period(satf_border border, int64_t n)
{
    switch (border) {
    case SATF_BORDER_WRAP:
        return n;
    case SATF_BORDER_REFLECT:
        return 2 * n;
    case SATF_BORDER_MIRROR:
        return n == 1 ? 1 : 2 * n - 2;
    default:
        return 0;
    }
}

axis axis_of(satf_border border, int64_t n, int64_t window, int64_t at, int64_t beyond)
{
    axis a = {.border = border, .n = n, .window = window, .beyond = beyond};
    a.first = a.lo = window / 2 - at;
    a.hi = window - 1 - a.lo;
    int64_t p = period(border, n);
    if (p > 0) {
        if (window > 2 * p) {
            /* Leaves p + 1 ... 2p pixels, so that hi stays above 0. */
            a.periods = (window - p - 1) / p;
            a.lo %= p;
            a.hi = window - a.periods * p - 1 - a.lo;
        }
        return a;
    }
    if (a.lo > n + beyond) {
        a.before = a.lo - n - beyond;
        a.lo = n + beyond;
    }
    if (a.hi > n) {
        a.after = a.hi - n;
        a.hi = n;
    }
    return a;
}

int64_t axis_fixed(const axis *a, int64_t i)
{
    bool first = i == 0, last = i == a->n - 1;
    if (i == a->n) {
        return a->border == SATF_BORDER_CONSTANT ? a->before + a->after : 0;
    }
    switch (a->border) {
    case SATF_BORDER_CLAMP:
        return (first ? a->before : 0) + (last ? a->after : 0);
    case SATF_BORDER_WRAP:
        return a->periods;
    case SATF_BORDER_REFLECT:
        return 2 * a->periods;
    case SATF_BORDER_MIRROR:
        return first || last ? a->periods : 2 * a->periods;
    default:
        return 0;
    }
}

bool axis_has_fixed(const axis *a)
{
    return a->periods > 0 || (a->border != SATF_BORDER_SHRINK && a->before + a->after > 0);
}

int64_t axis_inside(const axis *a, int64_t x)
{
    int64_t first = x - a->first, last = first + a->window - 1;
    return (last < a->n - 1 ? last : a->n - 1) - (first > 0 ? first : 0) + 1;
}
