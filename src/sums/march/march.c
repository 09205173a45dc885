/*
 * The way down a picture by sliding sums. Sliding takes O(1) operations a pixel: column sums go
 * down, row sums along, both by adding what enters and subtracting what leaves. Integers wrap, and
 * the sums that this leads to are exact. Floats slide while they are so coarse that no sum in sight
 * is ever rounded, and go by strips else.
 */
#include "march.h"

#include <math.h>
#include <string.h>

#include "strips.h"

static vertical_row march_shape_of(const window_state *s, const window_plane *plane, int64_t pixels)
{
    return (vertical_row){plane->summand, s->spec->in.channels, pixels};
}

/* The padded row of column sums of a band: where column 0 lies. */
static char *column_sums(const window_band *b, const window_plane *plane)
{
    const window_state *s = b->state;
    return b->memory + plane->columns + (size_t)s->plan->across.lo * plane->pixel_bytes;
}

/* Fills the part of the padded row that is outside the picture. */
static void pad(const window_band *b, const window_plane *plane)
{
    const axis *across = &b->state->plan->across;
    int channels = b->state->spec->in.channels;
    if (across->border == SATF_CONSTANT || across->border == SATF_SHRINK) {
        return;
    }
    const int64_t *from =
        (const int64_t *)(const void *)(b->state->shared + b->state->plan->border_table);
    char *row = column_sums(b, plane);
    plane->horizontal->pad(channels, row, from, across->lo, -across->lo);
    plane->horizontal->pad(channels, row, from + across->lo, across->hi + across->beyond,
                           across->n);
}

/* The part of a row's sums that is the same for all its pixels; false if there is none. */
static bool fixed_of_row(const window_band *b, const window_plane *plane, satf_u128 *fixed)
{
    const window_state *s = b->state;
    const axis *across = &s->plan->across;
    int channels = s->spec->in.channels;
    const char *row = column_sums(b, plane);
    if (!axis_has_fixed(across)) {
        return false;
    }
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

/* Row `slot` (0 or 1) of summands that marching->add() and march() take, of a row of samples. */
static const void *summands_of(const window_band *b, const window_plane *plane, const void *row,
                               int slot, vertical_row *shape)
{
    *shape = march_shape_of(b->state, plane, b->state->plan->across.n);
    if (plane->marching == plane->vertical) {
        return row;
    }
    void *out = b->memory + plane->summands + (size_t)slot * plane->row_bytes;
    plane->vertical->summands(shape, row, out);
    shape->summand = SATF_SUMMAND_PLAIN;
    return out;
}

static void march_add_row(const window_band *b, const window_plane *plane, char *sums,
                          const void *row, int64_t times)
{
    vertical_row shape;
    const void *summands = summands_of(b, plane, row, 0, &shape);
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
    return plan->spec.border != SATF_CONSTANT || march_on_grid(b, b->state->shared + plan->outside);
}

/* Pads the column sums once and for all where the border is constant or nothing, and past
 * their end, where kernels read numbers that must be finite. */
static void pad_outside(const window_band *b)
{
    const window_state *s = b->state;
    const window_plan *plan = s->plan;
    for (int i = 0; i < plan->planes; i++) {
        const window_plane *plane = &plan->plane[i];
        char *row = column_sums(b, plane);
        memset(b->memory + plane->columns, 0,
               (size_t)plan->columns * plane->pixel_bytes +
                   HORIZONTAL_CARRY_SAMPLES * satf_sum_bytes(plane->col_type));
        if (plan->across.border != SATF_CONSTANT) {
            continue;
        }
        vertical_row shape;
        const void *outside = summands_of(b, plane, s->shared + plan->outside, 0, &shape);
        shape.pixels = 1;
        for (int64_t x = -plan->across.lo; x < plan->width + plan->across.hi; x++) {
            if (x < 0 || x >= plan->across.n) {
                plane->marching->add(&shape, row + x * (int64_t)plane->pixel_bytes, outside,
                                     s->spec->h);
            }
        }
    }
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
    pad_outside(b);
    for (int i = 0; i < plan->planes; i++) {
        const window_plane *plane = &plan->plane[i];
        memcpy(column_sums(b, plane), b->memory + plane->fixed_rows, plane->row_bytes);
    }
    for (int64_t y = b->y - down->lo; y <= b->y + down->hi; y++) {
        const void *row = window_fetch(s, y);
        if (!row || !march_on_grid(b, row)) {
            return false;
        }
        for (int i = 0; i < plan->planes; i++) {
            march_add_row(b, &plan->plane[i], column_sums(b, &plan->plane[i]), row, 1);
        }
    }
    return true;
}

/* The band's row enters its column sums, and the one above its windows leaves; false where sliding
 * is not exact, at the picture's end, and after a failure. */
static bool move_columns(const window_band *b)
{
    window_state *s = b->state;
    const window_plan *plan = s->plan;
    const void *leave = window_fetch(s, b->y - 1 - plan->down.lo);
    const void *enter = leave ? window_fetch(s, b->y + plan->down.hi) : NULL;
    if (!enter || window_ends(b) || !march_on_grid(b, enter)) {
        return false;
    }
    for (int i = 0; i < plan->planes; i++) {
        const window_plane *plane = &plan->plane[i];
        vertical_row shape;
        const void *plus = summands_of(b, plane, enter, 0, &shape);
        const void *minus = summands_of(b, plane, leave, 1, &shape);
        plane->marching->march(&shape, column_sums(b, plane), plus, minus);
    }
    return true;
}

/* Delivers the band's row; false as move_columns(). */
static bool slide_row(window_band *b)
{
    const window_state *s = b->state;
    const window_plan *plan = s->plan;
    const axis *across = &plan->across;
    satf_u128 fixed[2][SATF_MAX_CHANNELS];
    bool has_fixed = false;
    if (b->y > b->since && !move_columns(b)) {
        return false;
    }
    for (int i = 0; i < plan->planes; i++) {
        pad(b, &plan->plane[i]);
        has_fixed = fixed_of_row(b, &plan->plane[i], fixed[i]);
    }
    horizontal_row shape = {.channels = s->spec->in.channels,
                            .window = across->lo + across->hi + 1};
    for (; shape.x < plan->width; shape.x += shape.pixels) {
        shape.pixels =
            plan->width - shape.x < plan->segment ? plan->width - shape.x : plan->segment;
        const void *out[2];
        window_prefetch(s, b->y + 1 + plan->down.hi, shape.x, shape.x + shape.pixels);
        for (int i = 0; i < plan->planes; i++) {
            const window_plane *plane = &plan->plane[i];
            void *sums = b->memory + plane->sums;
            out[i] = sums;
            plane->horizontal->run(
                &shape, b->memory + plane->columns + (size_t)shape.x * plane->pixel_bytes,
                b->memory + plane->spare, sums);
            if (has_fixed) {
                plane->horizontal->add_fixed(&shape, sums, fixed[i]);
            }
        }
        window_deliver(b, b->y, shape.x, shape.pixels, out, NULL);
    }
    return true;
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
    if (b->way == WAY_OPEN || b->y == b->until) {
        b->since = b->y;
        b->until = b->end;
        b->way = WAY_SLIDES;
        b->state->looked_at = plan->samples;
        slides = plan->slides && start_sliding(b);
    }
    if (b->way == WAY_SLIDES) {
        if (slides && slide_row(b)) {
            b->y++;
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
    return add_fixed_rows(&m->band) ? SATF_OK : m->state.stop;
}
