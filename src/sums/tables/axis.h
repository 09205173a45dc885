/* Sums along one axis as few prefix sums, whatever the border: the borders in closed
 * form, in C11 and in CUDA C++17. */
#ifndef SATF_SUMS_TABLES_AXIS_H
#define SATF_SUMS_TABLES_AXIS_H

#include "../../satfilter/formula.h"

/*
 * The sum over the positions first ... first + length - 1 of an axis of n
 * pixels that a border continues, as a linear combination of prefix sums:
 * sum of coef * F[end], F[end] being the sum of the pixels 0 ... end - 1 and
 * 1 <= end <= n. SATF_BORDER_CONSTANT and SATF_BORDER_SHRINK: of the pixels inside only.
 * The magnitudes of coef add up to 2 inside, at most 2 length + 2 under clamp, 7 + 3 length / n
 * under wrap, reflect and mirror, and in any case 2 length + 7.
 */
enum { AXIS_MAX_TERMS = 5 };

typedef struct axis_sum {
    int32_t count;
    int32_t unused;
    int64_t inside; /* positions that fall into 0 ... n - 1 */
    struct {
        int64_t end, coef;
    } term[AXIS_MAX_TERMS];
} axis_sum;

SATF_FORMULA int64_t axis_clip(int64_t i, int64_t n)
{
    return i < 0 ? 0 : i > n ? n : i;
}

SATF_FORMULA void axis_add_term(axis_sum *sum, int64_t end, int64_t coef)
{
    if (end == 0 || coef == 0) {
        return;
    }
    for (int32_t k = 0; k < sum->count; k++) {
        if (sum->term[k].end == end) {
            sum->term[k].coef += coef;
            return;
        }
    }
    sum->term[sum->count].end = end;
    sum->term[sum->count].coef = coef;
    sum->count++;
}

/* Adds factor times the sum over the positions 0 ... i - 1 (i < 0: less the
 * sum over i ... -1) of an image continued periodically. */
SATF_FORMULA void axis_add_prefix(axis_sum *sum, int border, int64_t n, int64_t i, int64_t factor)
{
    int64_t period = border == SATF_BORDER_WRAP      ? n
                     : border == SATF_BORDER_REFLECT ? 2 * n
                                                     : 2 * n - 2;
    if (period == 0) { /* a mirror of one pixel is that pixel */
        period = 1;
    }
    int64_t rest = i % period;
    rest = rest < 0 ? rest + period : rest;
    int64_t periods = (i - rest) / period * factor;
    if (border == SATF_BORDER_WRAP || n == 1) {
        /* of one pixel, a reflection's period holds it `period` times */
        axis_add_term(sum, n, n == 1 ? periods * period + rest * factor : periods);
        if (n > 1) {
            axis_add_term(sum, rest, factor);
        }
    } else if (border == SATF_BORDER_REFLECT) {
        /* 0 ... n - 1, n - 1 ... 0: behind the turn 2 F[n] - F[2 n - rest] */
        axis_add_term(sum, n, 2 * periods);
        if (rest > n) {
            axis_add_term(sum, n, 2 * factor);
            axis_add_term(sum, 2 * n - rest, -factor);
        } else {
            axis_add_term(sum, rest, factor);
        }
    } else {
        /* 0 ... n - 1, n - 2 ... 1: behind the turn F[n] + F[n-1] - F[2 n - 1 - rest] */
        axis_add_term(sum, n, periods);
        axis_add_term(sum, n - 1, periods);
        axis_add_term(sum, 1, -periods);
        if (rest > n) {
            axis_add_term(sum, n, factor);
            axis_add_term(sum, n - 1, factor);
            axis_add_term(sum, 2 * n - 1 - rest, -factor);
        } else {
            axis_add_term(sum, rest, factor);
        }
    }
}

/* n >= 1, length >= 1; |first| + length + 2 n below 2^62. */
SATF_FORMULA void axis_span(int border, int64_t n, int64_t first, int64_t length, axis_sum *out)
{
    int64_t end = first + length;
    int64_t a = axis_clip(first, n), b = axis_clip(end, n);
    out->count = 0;
    out->inside = b - a;
    if (out->inside == length || border == SATF_BORDER_CONSTANT || border == SATF_BORDER_SHRINK) {
        if (b > a) {
            axis_add_term(out, b, 1);
            axis_add_term(out, a, -1);
        }
    } else if (border == SATF_BORDER_CLAMP) {
        int64_t left = (end < 0 ? end : 0) - (first < 0 ? first : 0);
        axis_add_term(out, 1, left);
        axis_add_term(out, b, 1);
        axis_add_term(out, a, -1);
        int64_t right = length - out->inside - left;
        axis_add_term(out, n, right);
        axis_add_term(out, n - 1, -right);
    } else {
        axis_add_prefix(out, border, n, end, 1);
        axis_add_prefix(out, border, n, first, -1);
    }
}

#endif
