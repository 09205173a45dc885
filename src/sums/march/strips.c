/*
 * The way down a picture for floats, which never subtracts sums. The picture is cut into strips of
 * columns so narrow that all of a strip that is still needed stays in the second level of cache.
 * Down a strip, rows are cut into blocks of the window's height, counted from the first row that
 * any window touches. A window is the end of one block and the start of the next (van Herk; Gil and
 * Werman): of each column a suffix sum, made of the whole block at once, plus a running prefix sum.
 * Along the row, these columns become windows.
 *
 * Where moments are wanted, samples are summed less a shift, which is a sample of the window. So an
 * offset that samples share costs no digits, the variance of equal samples is 0, and nothing
 * outside of a window changes a bit of its sums. A column's shift is its sample in the first row of
 * the lower block, which all windows contain that touch both blocks; weighted, it is the first
 * sample that weighs, from there upwards and downwards. A window is above the shift of its first
 * column.
 */

#include "../../base/border.h"
#include "strip_rows.h"

/* The strips that march together: first ... end - 1. */
typedef struct group {
    int64_t first, end;
} group;

/* Row y of the picture with its border, and whether it counts: not where windows are shrunk. NULL
 * after a failure. */
static const char *strips_fetch(window_march *m, int64_t y, bool *counts)
{
    const char *row = window_fetch(m, y);
    *counts = m->plan->spec.border != SATF_BORDER_SHRINK || row != m->shared + m->plan->outside;
    return row;
}

/* Row `row` of the picture with its border becomes samples of row j, and the next one will be
 * wanted soon. */
static void load_strip(const window_march *m, const strip *s, const char *samples, int64_t row,
                       int64_t j)
{
    const window_plan *plan = m->plan;
    int64_t x = s->x - plan->across.lo, end = s->x + s->n + plan->across.hi;
    strip_row to = strip_suffix(plan, s, j);
    strip_load(m, s, samples, &to);
    window_prefetch(m, row + 1, x > 0 ? x : 0, end < plan->across.n ? end : plan->across.n);
}

/* Row y becomes the latest of its block, or the first one. */
static bool strips_enter(window_march *m, const group *strips, int64_t y, int64_t j)
{
    bool counts;
    const char *row = strips_fetch(m, y, &counts);
    for (int64_t i = strips->first; row && i < strips->end; i++) {
        strip s = strip_at(m, i);
        load_strip(m, &s, row, y, j);
        if (counts) {
            strip_enter(m, &s, j);
        }
    }
    return row != NULL;
}

/* At row y a block begins, above which rows `lowest` ... y - 1 become suffix sums. */
static bool begin_block(window_march *m, const group *strips, int64_t y, int64_t lowest)
{
    const window_plan *plan = m->plan;
    int64_t height = window_plan_height(plan);
    bool counts;
    const char *row = strips_fetch(m, y, &counts);
    if (row && !counts) { /* the picture's row next to it, which all windows have that have row y */
        row = window_fetch(m, y < 0 ? 0 : m->down.n - 1);
    }
    bool good = row != NULL;
    for (int64_t i = strips->first; good && i < strips->end; i++) {
        strip s = strip_at(m, i);
        strip_row first = strip_scratch(m);
        strip_load(m, &s, row, &first);
        strip_begin(m, &s, &first);
        if (y > lowest) {
            bool all = m->plan->spec.border != SATF_BORDER_SHRINK;
            strip_complete(m, &s, height - (y - lowest), all ? 0 : height - y,
                           all ? height : height - y + m->down.n);
            good = window_goes_on(m, s.columns * (y - lowest));
        }
    }
    return good;
}

/* Finds what all windows have of the rows. */
static bool find_fixed_rows(window_march *m, const group *strips)
{
    const axis *down = &m->plan->down;
    bool first = true;
    for (int64_t y = 0; y <= down->n && axis_has_fixed(down); y++) {
        int64_t times = axis_fixed(down, y);
        if (times == 0) {
            continue;
        }
        const char *row = y < down->n ? window_fetch(m, y) : m->shared + m->plan->outside;
        if (!row) {
            return false;
        }
        for (int64_t i = strips->first; i < strips->end; i++) {
            strip s = strip_at(m, i);
            strip_add_fixed(m, &s, row, times, first);
        }
        first = false;
    }
    return true;
}

/* All rows of row y's windows enter but for the last, of which it is the first to be delivered. */
static bool take_up(window_march *m, const group *strips, int64_t y)
{
    const axis *down = &m->plan->down;
    int64_t height = window_plan_height(m->plan), top = y - down->lo;
    bool good = find_fixed_rows(m, strips);
    for (int64_t row = top; good && row < y + down->hi; row++) {
        int64_t j = (row + down->lo) % height;
        bool begins = row == top || j == 0;
        good = (!begins || begin_block(m, strips, row, j == 0 ? top : row)) &&
               strips_enter(m, strips, row, j);
    }
    return good;
}

static void strips_deliver(window_march *m, int64_t y, const strip *s, int64_t j, bool counts)
{
    const window_plan *plan = m->plan;
    int64_t channels = plan->spec.in.channels;
    strip_row sums = strip_windows(m, s, y, j, counts);
    for (int64_t x = 0, n; x < s->n; x += n) {
        n = s->n - x < plan->segment ? s->n - x : plan->segment;
        void *of[2] = {sums.sum + x * channels, sums.square ? sums.square + x * channels : NULL};
        window_deliver(m, y, 1, s->x + x, n, of, sums.shift ? sums.shift + x * channels : NULL);
    }
}

/* Delivers row y of them, which were taken up at m->since: its windows' last row enters. */
static bool deliver_row(window_march *m, const group *strips, int64_t y)
{
    const axis *down = &m->plan->down;
    int64_t height = window_plan_height(m->plan), row = y + down->hi, top = y - down->lo;
    int64_t j = (row + down->lo) % height;
    bool counts;
    if ((y == m->since && !take_up(m, strips, y)) ||
        (j == 0 && !begin_block(m, strips, row, top))) {
        return false;
    }
    const char *samples = strips_fetch(m, row, &counts);
    if (!samples || y >= m->down.n + m->down.beyond) {
        return false;
    }
    for (int64_t i = strips->first; i < strips->end; i++) {
        strip s = strip_at(m, i);
        load_strip(m, &s, samples, row, j);
        strips_deliver(m, y, &s, j, counts);
    }
    return !m->stop;
}

bool window_strips_row(window_march *m)
{
    const group strips = {0, m->plan->strips};
    return deliver_row(m, &strips, m->y);
}

void window_strips(window_march *m)
{
    const window_plan *plan = m->plan;
    for (group strips = {0, 1}; strips.first < plan->strips; strips.first++, strips.end++) {
        for (int64_t y = m->since; y < m->until; y++) {
            if (!deliver_row(m, &strips, y)) {
                return;
            }
        }
    }
}
