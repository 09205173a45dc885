/* The pixels of an axis that a window holds, and how often, whatever the border: in C11 and in CUDA
 * C++17. */
#ifndef SATF_SUMS_TABLES_AXIS_H
#define SATF_SUMS_TABLES_AXIS_H

#include "../../satfilter/formula.h"

/* Pixels first ... end - 1, each so often. */
typedef struct axis_run {
    int64_t first, end, times;
} axis_run;

enum { AXIS_RUNS = 5 };

SATF_FORMULA int axis_add_run(axis_run *runs, int count, int64_t first, int64_t end, int64_t times)
{
    if (first < end && times > 0) {
        runs[count].first = first;
        runs[count].end = end;
        runs[count].times = times;
        count++;
    }
    return count;
}

/* The runs of n pixels that a border repeats, from position `first` on; a mirror shows the edges
 * once. */
SATF_FORMULA int axis_periodic_runs(int border, int64_t n, int64_t first, int64_t length,
                                    axis_run *runs)
{
    bool turns = border != SATF_BORDER_WRAP && n > 1,
         mirror = turns && border == SATF_BORDER_MIRROR;
    int64_t period = mirror ? 2 * n - 2 : turns ? 2 * n : n, whole = length / period;
    int64_t at = first % period, left = length % period, run;
    at = at < 0 ? at + period : at;
    int count = axis_add_run(runs, 0, 0, n, mirror ? whole : whole * period / n);
    count = axis_add_run(runs, count, 1, n - 1, mirror ? whole : 0);
    for (; left > 0; left -= run, at = (at + run) % period) {
        run = (at < n ? n : period) - at;
        run = run < left ? run : left;
        int64_t from = at < n ? at : 2 * n - mirror - at - run; /* on the way back from its end */
        count = axis_add_run(runs, count, from, from + run, 1);
    }
    return count;
}

/* The runs of positions first ... first + length - 1 of an axis of n pixels, and their number.
 * SATF_BORDER_CONSTANT and SATF_BORDER_SHRINK: of the pixels inside only. */
SATF_FORMULA int axis_runs(int border, int64_t n, int64_t first, int64_t length,
                           axis_run runs[AXIS_RUNS])
{
    int64_t end = first + length, inner = first > 0 ? first : 0, outer = end < n ? end : n;
    if (border == SATF_BORDER_WRAP || border == SATF_BORDER_REFLECT ||
        border == SATF_BORDER_MIRROR) {
        return axis_periodic_runs(border, n, first, length, runs);
    }
    int count = axis_add_run(runs, 0, inner, outer, 1);
    if (border == SATF_BORDER_CLAMP) {
        count = axis_add_run(runs, count, 0, 1, (end < 0 ? end : 0) - (first < 0 ? first : 0));
        count = axis_add_run(runs, count, n - 1, n, (end > n ? end : n) - (first > n ? first : n));
    }
    return count;
}

/*
 * The runs of a window's positions first ... first + length - 1, for prefix sums: F[end] being the
 * sum of the pixels 0 ... end - 1, their sum is that of times * (F[end] - F[first]). Each
 * difference is a sum of pixels, and none is times as large as the window's: so the sum is exact
 * wherever those of the table and of the window are below 2^53. A combination of the F alone is
 * not, for it takes sums of the whole axis many times. Twice what the times add up to is
 * C of docs/numbers.md.
 */
typedef struct axis_sum {
    int32_t count;
    int32_t unused;
    int64_t inside; /* positions that fall into 0 ... n - 1 */
    axis_run run[AXIS_RUNS];
} axis_sum;

/* n >= 1, length >= 1; |first| + length + 2 n below 2^62. */
SATF_FORMULA void axis_span(int border, int64_t n, int64_t first, int64_t length, axis_sum *out)
{
    int64_t begin = first > 0 ? first : 0, end = first + length < n ? first + length : n;
    out->inside = end > begin ? end - begin : 0;
    out->count = axis_runs(border, n, first, length, out->run);
}

#endif
