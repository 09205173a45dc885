/* The borders' prefix sums in closed form. */
#include "axis.h"

static int64_t clip(int64_t i, int64_t n)
{
    return i < 0 ? 0 : i > n ? n : i;
}

static void add_term(axis_sum *sum, int64_t end, int64_t coef)
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
static void add_prefix(axis_sum *sum, int border, int64_t n, int64_t i, int64_t factor)
{
    int64_t period = border == SATF_WRAP ? n : border == SATF_REFLECT ? 2 * n : 2 * n - 2;
    if (period == 0) { /* a mirror of one pixel is that pixel */
        period = 1;
    }
    int64_t rest = i % period;
    rest = rest < 0 ? rest + period : rest;
    int64_t periods = (i - rest) / period * factor;
    if (border == SATF_WRAP || n == 1) {
        /* of one pixel, a reflection's period holds it `period` times */
        add_term(sum, n, n == 1 ? periods * period + rest * factor : periods);
        if (n > 1) {
            add_term(sum, rest, factor);
        }
    } else if (border == SATF_REFLECT) {
        /* 0 ... n - 1, n - 1 ... 0: behind the turn 2 F[n] - F[2 n - rest] */
        add_term(sum, n, 2 * periods);
        if (rest > n) {
            add_term(sum, n, 2 * factor);
            add_term(sum, 2 * n - rest, -factor);
        } else {
            add_term(sum, rest, factor);
        }
    } else {
        /* 0 ... n - 1, n - 2 ... 1: behind the turn F[n] + F[n-1] - F[2 n - 1 - rest] */
        add_term(sum, n, periods);
        add_term(sum, n - 1, periods);
        add_term(sum, 1, -periods);
        if (rest > n) {
            add_term(sum, n, factor);
            add_term(sum, n - 1, factor);
            add_term(sum, 2 * n - 1 - rest, -factor);
        } else {
            add_term(sum, rest, factor);
        }
    }
}

void axis_span(int border, int64_t n, int64_t first, int64_t length, axis_sum *out)
{
    int64_t end = first + length;
    int64_t a = clip(first, n), b = clip(end, n);
    *out = (axis_sum){.inside = b - a};
    if (out->inside == length || border == SATF_CONSTANT || border == SATF_SHRINK) {
        if (b > a) {
            add_term(out, b, 1);
            add_term(out, a, -1);
        }
    } else if (border == SATF_CLAMP) {
        int64_t left = (end < 0 ? end : 0) - (first < 0 ? first : 0);
        add_term(out, 1, left);
        add_term(out, b, 1);
        add_term(out, a, -1);
        int64_t right = length - out->inside - left;
        add_term(out, n, right);
        add_term(out, n - 1, -right);
    } else {
        add_prefix(out, border, n, end, 1);
        add_prefix(out, border, n, first, -1);
    }
}
