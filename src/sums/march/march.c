/*
 * The way down a picture by sliding sums. Sliding takes O(1) operations a pixel: column sums go
 * down, row sums along, both by adding what enters and subtracting what leaves. Integers wrap, and
 * the sums that this leads to are exact. Floats slide while they are so coarse that no sum in sight
 * is ever rounded, and go by strips else; in windows of a few rows neither (few_rows.c).
 */
#include "march.h"

#include <math.h>
#include <string.h>

#include "columns.h"

/* The part of a row's sums that is the same for all its pixels; false if there is none. */
static bool fixed_of_row(const window_band *b, const window_plane *plane, satf_u128 *fixed)
{
    const window_state *s = b->state;
    const axis *across = &s->plan->across;
    int channels = s->spec->in.channels;
    if (!axis_has_fixed(across)) {
        return false;
    }
    const char *row = columns_at(b, plane, 0);
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

static void march_add_row(const window_band *b, const window_plane *plane, char *sums,
                          const void *row, int64_t times)
{
    vertical_row shape;
    const void *summands = columns_summands(b, plane, row, 0, &shape);
    plane->marching->add(&shape, sums, summands, times);
}

/*
 * What keeps sums of floats exact: every sample is a multiple of some unit, and a power of
 * two times the unit at most, such that whatever is formed (a window's sum; differences of
 * columns, 16 at once) is below 2^53 units.
 */
static bool march_on_grid(const window_band *b, const void *row)
{
    const window_plan *plan = b->state->plan;
    return !plan->is_float || plan->strip->on_grid((satf_type)plan->spec.in.type, plan->samples,
                                                   row, b->level, b->most);
}

/* A grid for the rows around the band's row, with room for brighter ones; false if there is none.
 */
static bool find_grid(window_band *b)
{
    const window_plan *plan = b->state->plan;
    const axis *down = &plan->down;
    if (!plan->is_float) {
        return true;
    }
    double peak = 0;
    for (int64_t row = b->y - down->lo; row <= b->y + down->hi; row += 8) {
        const void *samples = window_fetch(b->state, row);
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
    b->level = ldexp(1, unit + (narrow ? 23 : 52));
    b->most = ldexp(1, log);
    return plan->spec.border != SATF_BORDER_CONSTANT ||
           march_on_grid(b, b->state->shared + plan->outside);
}

/* Takes it up at the band's row; false where it is not exact, and after a failure. */
static bool start_sliding(window_band *b)
{
    window_state *s = b->state;
    const window_plan *plan = s->plan;
    const axis *down = &plan->down;
    if (!find_grid(b)) {
        return false;
    }
    columns_pad_outside(b);
    for (int i = 0; i < plan->planes; i++) {
        const window_plane *plane = &plan->plane[i];
        memcpy(columns_at(b, plane, 0), b->memory + plane->fixed_rows, plane->row_bytes);
    }
    b->slot = 0;
    for (int64_t y = b->y - down->lo; y <= b->y + down->hi; y++) {
        const void *row = window_fetch(s, y);
        if (!row || !march_on_grid(b, row)) {
            return false;
        }
        for (int i = 0; i < plan->planes; i++) {
            march_add_row(b, &plan->plane[i], columns_at(b, &plan->plane[i], 0), row, 1);
        }
    }
    return true;
}

/* Row y enters the latest column sums, to a slot, and the one above its windows leaves; false where
 * sliding is not exact, at the picture's end, and after a failure. */
static bool move_columns(window_band *b, int64_t y, int64_t slot)
{
    window_state *s = b->state;
    const window_plan *plan = s->plan;
    const void *leave = window_fetch(s, y - 1 - plan->down.lo);
    const void *enter = leave ? window_fetch(s, y + plan->down.hi) : NULL;
    if (!enter || window_ends(b) || !march_on_grid(b, enter)) {
        return false;
    }
    for (int i = 0; i < plan->planes; i++) {
        const window_plane *plane = &plan->plane[i];
        vertical_row shape;
        const void *plus = columns_summands(b, plane, enter, 0, &shape);
        const void *minus = columns_summands(b, plane, leave, 1, &shape);
        plane->marching->march(&shape, columns_at(b, plane, b->slot), plus, minus,
                               columns_at(b, plane, slot));
    }
    b->slot = slot;
    return true;
}

/* Column sums of the band's next rows, as many as go at once: their number; 0 as move_columns(). */
static int64_t next_columns(window_band *b)
{
    const window_plan *plan = b->state->plan;
    int64_t most = b->end - b->y < plan->rows ? b->end - b->y : plan->rows, rows = 0;
    for (; rows < most; rows++) {
        int64_t y = b->y + rows;
        if (y > b->since && !move_columns(b, y, rows)) {
            break;
        }
    }
    return rows;
}

/* Delivers the band's next rows: their number; 0 as move_columns(). */
static int64_t slide_rows(window_band *b)
{
    const window_state *s = b->state;
    const window_plan *plan = s->plan;
    const axis *across = &plan->across;
    satf_u128 fixed[2][SATF_MAX_CHANNELS];
    bool has_fixed = false;
    int64_t rows = next_columns(b), all = (rows - 1) * plan->columns + plan->width;
    for (int i = 0; i < plan->planes && rows > 0; i++) {
        columns_pad(b, &plan->plane[i], rows);
        has_fixed = fixed_of_row(b, &plan->plane[i], fixed[i]);
    }
    horizontal_row shape = {.channels = s->spec->in.channels,
                            .window = across->lo + across->hi + 1};
    for (; rows > 0 && shape.x < all; shape.x += shape.pixels) {
        shape.pixels = all - shape.x < plan->segment ? all - shape.x : plan->segment;
        if (rows == 1) {
            window_prefetch(s, b->y + 1 + plan->down.hi, shape.x, shape.x + shape.pixels);
        }
        for (int i = 0; i < plan->planes; i++) {
            const window_plane *plane = &plan->plane[i];
            void *sums = b->memory + plane->sums;
            plane->horizontal->run(
                &shape, b->memory + plane->columns + (size_t)shape.x * plane->pixel_bytes,
                b->memory + plane->spare, sums);
            if (has_fixed) {
                plane->horizontal->add_fixed(&shape, sums, fixed[i]);
            }
        }
        columns_deliver(b, rows, shape.x, rows > 1 ? plan->width : shape.pixels);
    }
    return rows;
}

/* The rows' fixed part; false after a failure. */
static bool add_fixed_rows(const window_band *b)
{
    window_state *s = b->state;
    const window_plan *plan = s->plan;
    const axis *down = &plan->down;
    for (int i = 0; i < plan->planes; i++) {
        memset(b->memory + plan->plane[i].fixed_rows, 0, plan->plane[i].row_bytes);
    }
    for (int64_t y = 0; y <= down->n && !plan->is_float && axis_has_fixed(down); y++) {
        int64_t times = axis_fixed(down, y);
        if (times == 0) {
            continue;
        }
        const void *row = y < down->n ? window_fetch(s, y) : s->shared + plan->outside;
        if (!row) {
            return false;
        }
        for (int i = 0; i < plan->planes; i++) {
            march_add_row(b, &plan->plane[i], b->memory + plan->plane[i].fixed_rows, row, times);
        }
    }
    return true;
}

/* ----------------------------------------------------------------------- bands */

/* If floats cannot slide they go by strips for at least so many windows' heights and rows, since to
 * take up either way costs a height of rows. */
#define PATIENCE_HEIGHTS 16
#define PATIENCE_ROWS 64

static bool march_stops(const window_band *b)
{
    return b->y >= b->end || window_ends(b) || b->state->stop;
}

/* Goes on by strips from the band's row: to the end, or until sliding is worth another try. */
static void march_take_strips(window_band *b)
{
    bool again = b->state->plan->slides && b->end - b->y > b->patience;
    int64_t until = again ? b->y + b->patience : b->end;
    b->patience *= b->y == b->since ? 8 : 1;
    b->way = WAY_STRIPS;
    b->since = b->y;
    b->until = until;
    b->state->looked_at = b->state->plan->strip_row;
}

bool window_next(window_band *b)
{
    const window_plan *plan = b->state->plan;
    bool slides = true, delivered;
    if (march_stops(b)) {
        return false;
    }
    if (plan->few_rows) {
        int64_t rows = window_few_rows(b);
        b->y += rows;
        return rows > 0;
    }
    if (b->way == WAY_OPEN || b->y == b->until) {
        b->since = b->y;
        b->until = b->end;
        b->way = WAY_SLIDES;
        b->state->looked_at = plan->samples;
        slides = plan->slides && start_sliding(b);
    }
    if (b->way == WAY_SLIDES) {
        int64_t rows = slides ? slide_rows(b) : 0;
        if (rows > 0) {
            b->y += rows;
            return true;
        }
        if (march_stops(b)) {
            return false;
        }
        march_take_strips(b);
    }
    if (plan->strips_held < plan->strips) {
        window_strips(b);
        b->y = b->until;
        return true;
    }
    delivered = window_strips_row(b);
    b->y += delivered;
    return delivered;
}

satf_status window_march_begin(satf_context *ctx, const window_plan *plan,
                               const window_source *from, char *shared, char *own, window_sink sink,
                               void *user, window_march *m)
{
    const axis *down = &plan->down;
    m->spec = plan->spec;
    *(plan->spec.row ? &m->spec.row_user : &m->spec.in.data) = from->picture;
    m->state = (window_state){.ctx = ctx,
                              .plan = plan,
                              .spec = &m->spec,
                              .sink = sink,
                              .user = user,
                              .down = *down,
                              .shared = shared,
                              .looked_at = plan->samples};
    m->band =
        (window_band){.state = &m->state,
                      .memory = own,
                      .y = from->first,
                      .segment = {.area = (uint64_t)(plan->spec.w * plan->spec.h),
                                  .sum_type = plan->plane[0].sum_type,
                                  .square_type = plan->plane[plan->planes - 1].sum_type},
                      .end = from->end,
                      .until = from->first,
                      .patience = PATIENCE_HEIGHTS * (down->lo + down->hi + 1) + PATIENCE_ROWS};
    if (plan->few_rows) {
        columns_pad_outside(&m->band);
    }
    return add_fixed_rows(&m->band) ? SATF_OK : m->state.stop;
}
