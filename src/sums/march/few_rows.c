/*
 * The way down a picture for floats in windows of a few rows: every column is summed anew, from its
 * uppermost sample down, so nothing is subtracted and sums need not be exact. Several rows are made
 * at once, so that each sample is widened to a double once.
 */
#include "columns.h"

#include "../../base/view.h"

enum { MOST_ROWS = WINDOW_ROWS_AT_ONCE + VERTICAL_DIRECT - 1 };

/* The rows of samples that so many rows of windows see; false after a failure. */
static bool find_rows(window_march *m, int64_t rows, const char **of)
{
    const axis *down = &m->plan->down;
    int64_t count = rows - 1 + down->lo + down->hi + 1;
    for (int64_t k = 0; k < count; k++) {
        of[k] = window_fetch(m, m->y - down->lo + k);
        if (!of[k]) {
            return false;
        }
    }
    return true;
}

/* Columns first ... end - 1 of so many rows of windows. */
static void make_columns(const window_march *m, int64_t rows, const char *const *of, int64_t first,
                         int64_t end)
{
    const window_plan *plan = m->plan;
    const window_plane *plane = &plan->plane[0];
    int64_t channels = plan->spec.in.channels, at = first * satf_pixel_bytes(&plan->spec.in);
    const void *parts[MOST_ROWS];
    int count = (int)window_plan_height(plan);
    for (int64_t k = 0; k < rows - 1 + count; k++) {
        parts[k] = of[k] + at;
    }
    for (int64_t row = 0, made; row < rows; row += made) {
        double *to = (double *)(void *)columns_at(m, plane, row) + first * channels;
        made = rows - row < VERTICAL_RESULTS ? 1 : VERTICAL_RESULTS;
        plane->vertical->sum(count, (int)made, (end - first) * channels, parts + row, to,
                             plan->columns * channels);
    }
}

/* Windows of up to STRIP_DIRECT columns need no more spare memory than horizontal_kernels' run().
 */
static void sum_along(const window_march *m, int64_t pixel, int64_t pixels)
{
    const window_plan *plan = m->plan;
    const window_plane *plane = &plan->plane[0];
    const horizontal_row shape = {.channels = plan->spec.in.channels,
                                  .pixels = pixels,
                                  .window = plan->across.lo + plan->across.hi + 1,
                                  .zeros = true};
    const char *columns = m->memory + plane->columns + (size_t)pixel * plane->pixel_bytes;
    plan->strip->row_sums(&shape, (const double *)(const void *)columns,
                          (double *)(void *)(m->memory + plane->spare),
                          (double *)(void *)(m->memory + plane->sums));
}

/* Rows that are short: in one piece. */
static void deliver_at_once(window_march *m, int64_t rows, const char *const *of)
{
    const window_plan *plan = m->plan;
    void *const sums[2] = {m->memory + plan->plane[0].sums, NULL};
    make_columns(m, rows, of, 0, plan->across.n);
    columns_pad(m, &plan->plane[0], rows);
    sum_along(m, 0, (rows - 1) * plan->columns + plan->width);
    window_deliver(m, m->y, rows, 0, plan->width, sums, NULL);
}

/* Rows that are long: in segments, whose columns stay in the first level of cache. */
static void deliver_segments(window_march *m, int64_t rows, const char *const *of)
{
    const window_plan *plan = m->plan;
    const axis *across = &plan->across;
    bool wraps = across->border == SATF_BORDER_WRAP;
    for (int64_t x = 0, columns_made = 0, n; x < plan->width; x += n) {
        n = plan->width - x < plan->segment ? plan->width - x : plan->segment;
        int64_t until = x + n + across->hi;
        until = wraps || until > across->n ? across->n : until;
        if (until > columns_made) {
            make_columns(m, rows, of, columns_made, until);
        }
        if (columns_made == 0 || (until > columns_made && until == across->n)) {
            columns_pad(m, &plan->plane[0], rows);
        }
        columns_made = until;
        for (int64_t row = 0; row < rows; row++) {
            void *const sums[2] = {m->memory + plan->plane[0].sums, NULL};
            window_prefetch(m, m->y + rows + row + plan->down.hi, x, x + n);
            sum_along(m, row * plan->columns + x, n);
            window_deliver(m, m->y + row, 1, x, n, sums, NULL);
        }
    }
}

int64_t window_few_rows(window_march *m)
{
    const window_plan *plan = m->plan;
    const char *of[MOST_ROWS];
    int64_t rows = m->end - m->y < plan->rows ? m->end - m->y : plan->rows;
    if (rows <= 0 || !find_rows(m, rows, of) || window_ends(m)) {
        return 0;
    }
    if ((rows - 1) * plan->columns + plan->width <= plan->segment) {
        deliver_at_once(m, rows, of);
    } else {
        deliver_segments(m, rows, of);
    }
    return rows;
}
