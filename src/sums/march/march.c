/*
 * The way down a picture by sliding sums. Sliding takes O(1) operations a pixel: column sums go
 * down, row sums along, both by adding what enters and subtracting what leaves. Integers wrap on
 * the way, but their results are exact. Floats slide while they lie on a grid so coarse that no sum
 * is ever rounded, else they go by strips (strips.c); in windows of few rows neither (few_rows.c).
 */
#include "march.h"

#include <math.h>
#include <string.h>

#include "columns.h"

/* The part of a row's sums that is the same for all its pixels; false if there is none. */
static bool fixed_of_row(const window_march *m, const window_plane *plane, satf_u128 *fixed)
{
    const axis *across = &m->plan->across;
    int channels = m->plan->spec.in.channels;
    if (!axis_has_fixed(across)) {
        return false;
    }
    const char *row = columns_at(m, plane, 0);
    memset(fixed, 0, SATF_MAX_CHANNELS * sizeof *fixed);
    for (int64_t x = 0; x <= across->n; x++) {
        int64_t times = axis_fixed(across, x);
        if (times) { /* the constant is on the sides where folding took some */
            int64_t at = x == across->n && across->before > 0 ? -1 : x;
            plane->horizontal->add_pixel(channels, fixed, row + at * (int64_t)plane->pixel_bytes,
                                         times);
        }
    }
    return true;
}

static void march_add_row(const window_march *m, const window_plane *plane, char *sums,
                          const void *row, int64_t times)
{
    vertical_row shape;
    const void *summands = columns_summands(m, plane, row, 0, &shape);
    plane->marching->add(&shape, sums, summands, times);
}

/*
 * Whether a row keeps sums of floats exact: every sample is a multiple of the unit and at most
 * b->most, so that whatever is formed (a window's sum; differences of columns, 16 at once) is below
 * 2^53 units.
 */
static bool march_on_grid(const window_march *m, const void *row)
{
    const window_plan *plan = m->plan;
    return !plan->is_float || plan->strip->on_grid((satf_type)plan->spec.in.type, plan->samples,
                                                   row, m->level, m->most);
}

/* A grid for the rows around the march's row, with room for brighter ones; false if there is none.
 */
static bool find_grid(window_march *m)
{
    const window_plan *plan = m->plan;
    const axis *down = &plan->down;
    if (!plan->is_float) {
        return true;
    }
    double peak = 0;
    for (int64_t row = m->y - down->lo; row <= m->y + down->hi; row += 8) {
        const void *samples = window_fetch(m, row);
        if (!samples) {
            return false;
        }
        double most = plan->strip->peak((satf_type)plan->spec.in.type, plan->samples, samples);
        peak = most > peak ? most : peak;
    }
    int room, log = 1;
    frexp(2 * (double)(plan->spec.w + 16) * (double)(plan->spec.h + 1), &room);
    if (!(peak < (double)INFINITY)) {
        return false;
    }
    if (peak > 0) {
        frexp(2 * peak, &log);
    }
    int unit = log + room - 53;
    bool narrow = plan->spec.in.type == SATF_F32;
    if (unit < (narrow ? -126 : -1022) || log > (narrow ? 126 : 1022)) {
        return false;
    }
    m->level = ldexp(1, unit + (narrow ? 23 : 52));
    m->most = ldexp(1, log);
    return plan->spec.border != SATF_BORDER_CONSTANT || march_on_grid(m, m->shared + plan->outside);
}

/* Takes it up at the march's row; false where it is not exact, and after a failure. */
static bool start_sliding(window_march *m)
{
    const window_plan *plan = m->plan;
    const axis *down = &plan->down;
    if (!find_grid(m)) {
        return false;
    }
    columns_pad_outside(m);
    for (int i = 0; i < plan->planes; i++) {
        const window_plane *plane = &plan->plane[i];
        memcpy(columns_at(m, plane, 0), m->memory + plane->fixed_rows, plane->row_bytes);
    }
    m->slot = 0;
    for (int64_t y = m->y - down->lo; y <= m->y + down->hi; y++) {
        const void *row = window_fetch(m, y);
        if (!row || !march_on_grid(m, row)) {
            return false;
        }
        for (int i = 0; i < plan->planes; i++) {
            march_add_row(m, &plan->plane[i], columns_at(m, &plan->plane[i], 0), row, 1);
        }
    }
    return true;
}

/* Column sums of the march's next rows, as many as go at once: in each row that is not the first of
 * the way one row of samples enters, and the one above its windows leaves. Their number; 0 where
 * sliding is not exact, at the picture's end, and after a failure. */
static int64_t next_columns(window_march *m)
{
    const window_plan *plan = m->plan;
    int64_t rows = 0, most = m->end - m->y < plan->rows ? m->end - m->y : plan->rows;
    for (int64_t y = m->y; rows < most; rows++, y++) {
        if (y == m->since) {
            continue; /* start_sliding() has made it */
        }
        const void *leave = window_fetch(m, y - 1 - plan->down.lo);
        const void *enter = leave ? window_fetch(m, y + plan->down.hi) : NULL;
        if (!enter || window_ends(m) || !march_on_grid(m, enter)) {
            break;
        }
        for (int i = 0; i < plan->planes; i++) {
            const window_plane *plane = &plan->plane[i];
            vertical_row shape;
            const void *plus = columns_summands(m, plane, enter, 0, &shape);
            const void *minus = columns_summands(m, plane, leave, 1, &shape);
            plane->marching->march(&shape, columns_at(m, plane, m->slot), plus, minus,
                                   columns_at(m, plane, rows));
        }
        m->slot = rows;
    }
    return rows;
}

/* Delivers the march's next rows, of which these are the column sums. */
static void slide_along(window_march *m, int64_t rows)
{
    const window_plan *plan = m->plan;
    const axis *across = &plan->across;
    satf_u128 fixed[2][SATF_MAX_CHANNELS];
    void *sums[2] = {NULL, NULL};
    bool has_fixed = false;
    int64_t all = (rows - 1) * plan->columns + plan->width;
    for (int i = 0; i < plan->planes; i++) {
        columns_pad(m, &plan->plane[i], rows);
        has_fixed = fixed_of_row(m, &plan->plane[i], fixed[i]);
        sums[i] = m->memory + plan->plane[i].sums;
    }
    horizontal_row shape = {.channels = plan->spec.in.channels,
                            .window = across->lo + across->hi + 1};
    for (; shape.x < all; shape.x += shape.pixels) {
        shape.pixels = all - shape.x < plan->segment ? all - shape.x : plan->segment;
        if (rows == 1) {
            window_prefetch(m, m->y + 1 + plan->down.hi, shape.x, shape.x + shape.pixels);
        }
        for (int i = 0; i < plan->planes; i++) {
            const window_plane *plane = &plan->plane[i];
            plane->horizontal->run(
                &shape, m->memory + plane->columns + (size_t)shape.x * plane->pixel_bytes,
                m->memory + plane->spare, sums[i]);
            if (has_fixed) {
                plane->horizontal->add_fixed(&shape, sums[i], fixed[i]);
            }
        }
        window_deliver(m, m->y, rows, shape.x, rows > 1 ? plan->width : shape.pixels, sums, NULL);
    }
}

/* The rows' fixed part; false after a failure. */
static bool add_fixed_rows(window_march *m)
{
    const window_plan *plan = m->plan;
    const axis *down = &plan->down;
    for (int i = 0; i < plan->planes; i++) {
        memset(m->memory + plan->plane[i].fixed_rows, 0, plan->plane[i].row_bytes);
    }
    for (int64_t y = 0; y <= down->n && !plan->is_float && axis_has_fixed(down); y++) {
        int64_t times = axis_fixed(down, y);
        if (times == 0) {
            continue;
        }
        const void *row = y < down->n ? window_fetch(m, y) : m->shared + plan->outside;
        if (!row) {
            return false;
        }
        for (int i = 0; i < plan->planes; i++) {
            march_add_row(m, &plan->plane[i], m->memory + plan->plane[i].fixed_rows, row, times);
        }
    }
    return true;
}

/* ----------------------------------------------------------------------- bands */

/* Floats that cannot slide go by strips for at least so many windows' heights and rows, since to
 * begin either way costs a window's height of rows. */
#define PATIENCE_HEIGHTS 16
#define PATIENCE_ROWS 64

static bool march_stops(const window_march *m)
{
    return m->y >= m->end || window_ends(m) || m->stop;
}

/* Goes on by strips from the march's row: to the end, or until sliding is worth another try. */
static void march_take_strips(window_march *m)
{
    bool again = m->plan->slides && m->end - m->y > m->patience;
    int64_t until = again ? m->y + m->patience : m->end;
    m->patience *= m->y == m->since ? 8 : 1;
    m->way = WAY_STRIPS;
    m->since = m->y;
    m->until = until;
    m->looked_at = m->plan->strip_row;
}

bool window_next(window_march *m)
{
    const window_plan *plan = m->plan;
    bool slides = true, delivered;
    if (march_stops(m)) {
        return false;
    }
    if (plan->few_rows) {
        int64_t rows = window_few_rows(m);
        m->y += rows;
        return rows > 0;
    }
    if (m->way == WAY_OPEN || m->y == m->until) {
        m->since = m->y;
        m->until = m->end;
        m->way = WAY_SLIDES;
        m->looked_at = plan->samples;
        slides = plan->slides && start_sliding(m);
    }
    if (m->way == WAY_SLIDES) {
        int64_t rows = slides ? next_columns(m) : 0;
        if (rows > 0) {
            slide_along(m, rows);
            m->y += rows;
            return true;
        }
        if (march_stops(m)) {
            return false;
        }
        march_take_strips(m);
    }
    if (plan->strips_held < plan->strips) {
        window_strips(m);
        m->y = m->until;
        return true;
    }
    delivered = window_strips_row(m);
    m->y += delivered;
    return delivered;
}

satf_status window_march_begin(window_march *m)
{
    const window_plan *plan = m->plan;
    const axis *down = &plan->down;
    m->since = m->until = m->y;
    m->patience = PATIENCE_HEIGHTS * (down->lo + down->hi + 1) + PATIENCE_ROWS;
    m->segment = (window_segment){.area = (uint64_t)(plan->spec.w * plan->spec.h),
                                  .sum_type = plan->plane[0].sum_type,
                                  .square_type = plan->plane[plan->planes - 1].sum_type};
    m->down = *down;
    m->looked_at = plan->samples;
    if (plan->few_rows) {
        columns_pad_outside(m);
    }
    return add_fixed_rows(m) ? SATF_OK : m->stop;
}
