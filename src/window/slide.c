/*
 * Sliding: O(1) operations a pixel. Integers wrap, and the sums that this leads to are exact.
 * Floats slide while they are so coarse that no sum in sight is ever rounded.
 */
#include "slide.h"

#include <math.h>
#include <string.h>

#include "../base/border.h"
#include "../base/view.h"

static vertical_row shape_of(const window_state *s, const window_plane *plane, int64_t pixels)
{
    return (vertical_row){plane->summand, s->spec->in.channels, pixels};
}

/* The padded row of column sums of a band: where column 0 lies. */
static char *column_sums(const window_band *b, const window_plane *plane)
{
    const window_state *s = b->state;
    size_t pixel = satf_sum_bytes(plane->col_type) * (size_t)s->spec->in.channels;
    return b->memory + plane->columns + (size_t)s->plan->across.lo * pixel;
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
    plane->horizontal->pad(channels, row, from + across->lo, across->hi, across->n);
}

/* The part of a row's sums that is the same for all its pixels; false if there is none. */
static bool fixed_of_row(const window_band *b, const window_plane *plane, void *fixed)
{
    const window_state *s = b->state;
    const axis *across = &s->plan->across;
    int channels = s->spec->in.channels;
    size_t pixel = satf_sum_bytes(plane->col_type) * (size_t)channels;
    const char *row = column_sums(b, plane);
    if (axis_has_fixed(across)) {
        for (int64_t x = 0; x < across->n; x++) {
            int64_t times = axis_fixed(across, x);
            if (times) {
                plane->horizontal->add_pixel(channels, fixed, row + (size_t)x * pixel, times);
            }
        }
        return true;
    }
    if (across->border == SATF_CONSTANT && across->before + across->after > 0) {
        /* Folding leaves pixels of the constant on the sides where it took some. */
        const char *outside = across->before > 0 ? row - pixel : row + (size_t)across->n * pixel;
        plane->horizontal->add_pixel(channels, fixed, outside, across->before + across->after);
        return true;
    }
    return false;
}

/* From the column sums of row y to its window sums. */
static void finish_row(window_band *b, int64_t y)
{
    const window_state *s = b->state;
    const window_plan *plan = s->plan;
    const axis *across = &plan->across;
    satf_u128 fixed[2][SATF_MAX_CHANNELS] = {{0}, {0}};
    bool has_fixed = false;
    for (int i = 0; i < plan->planes; i++) {
        pad(b, &plan->plane[i]);
        has_fixed = fixed_of_row(b, &plan->plane[i], fixed[i]);
    }
    horizontal_row shape = {.channels = s->spec->in.channels,
                            .window = across->lo + across->hi + 1};
    for (; shape.x < across->n; shape.x += shape.pixels) {
        shape.pixels = across->n - shape.x < plan->segment ? across->n - shape.x : plan->segment;
        const void *out[2];
        window_prefetch(s, y + 1 + plan->down.hi, shape.x, shape.x + shape.pixels);
        for (int i = 0; i < plan->planes; i++) {
            const window_plane *plane = &plan->plane[i];
            size_t pixel = satf_sum_bytes(plane->col_type) * (size_t)shape.channels;
            void *sums = b->memory + plane->sums;
            out[i] = sums;
            plane->horizontal->run(&shape, b->memory + plane->columns + (size_t)shape.x * pixel,
                                   b->memory + plane->spare, sums);
            if (has_fixed) {
                plane->horizontal->add_fixed(&shape, sums, fixed[i]);
            }
        }
        window_deliver(b, y, shape.x, shape.pixels, out);
    }
}

/* Row `slot` (0 or 1) of summands that marching->add() and march() take, of a row of samples. */
static const void *summands_of(const window_band *b, const window_plane *plane, const void *row,
                               int slot, vertical_row *shape)
{
    *shape = shape_of(b->state, plane, b->state->plan->across.n);
    if (plane->marching == plane->vertical) {
        return row;
    }
    void *out = b->memory + plane->summands + (size_t)slot * plane->row_bytes;
    plane->vertical->summands(shape, row, out);
    shape->summand = SATF_SUMMAND_PLAIN;
    return out;
}

static void add_row(const window_band *b, const window_plane *plane, char *sums, const void *row,
                    int64_t times)
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
static bool on_grid(const window_band *b, const void *row)
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
    return plan->spec.border != SATF_CONSTANT || on_grid(b, b->state->shared + plan->outside);
}

/* Pads the column sums once and for all where the border is constant or nothing, and past
 * their end, where kernels read numbers that must be finite. */
static void pad_outside(const window_band *b)
{
    const window_state *s = b->state;
    const window_plan *plan = s->plan;
    for (int i = 0; i < plan->planes; i++) {
        const window_plane *plane = &plan->plane[i];
        size_t pixel = satf_sum_bytes(plane->col_type) * (size_t)s->spec->in.channels;
        char *row = column_sums(b, plane);
        memset(b->memory + plane->columns, 0,
               (size_t)plan->columns * pixel +
                   HORIZONTAL_CARRY_SAMPLES * satf_sum_bytes(plane->col_type));
        if (plan->across.border != SATF_CONSTANT) {
            continue;
        }
        vertical_row shape;
        const void *outside = summands_of(b, plane, s->shared + plan->outside, 0, &shape);
        shape.pixels = 1;
        for (int64_t x = -plan->across.lo; x < plan->across.n + plan->across.hi; x++) {
            if (x < 0 || x >= plan->across.n) {
                plane->marching->add(&shape, row + x * (int64_t)pixel, outside, s->spec->h);
            }
        }
    }
}

bool window_slide_start(window_band *b)
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
        memcpy(column_sums(b, plane), s->shared + plane->fixed_rows, plane->row_bytes);
    }
    for (int64_t y = b->y - down->lo; y <= b->y + down->hi; y++) {
        const void *row = window_fetch(s, y);
        if (!row || !on_grid(b, row)) {
            return false;
        }
        for (int i = 0; i < plan->planes; i++) {
            add_row(b, &plan->plane[i], column_sums(b, &plan->plane[i]), row, 1);
        }
    }
    return true;
}

bool window_slide_row(window_band *b)
{
    window_state *s = b->state;
    const window_plan *plan = s->plan;
    if (b->y > b->since) {
        const void *leave = window_fetch(s, b->y - 1 - plan->down.lo);
        const void *enter = leave ? window_fetch(s, b->y + plan->down.hi) : NULL;
        if (!enter || b->y >= s->down.n || !on_grid(b, enter)) {
            return false;
        }
        for (int i = 0; i < plan->planes; i++) {
            const window_plane *plane = &plan->plane[i];
            vertical_row shape;
            const void *plus = summands_of(b, plane, enter, 0, &shape);
            const void *minus = summands_of(b, plane, leave, 1, &shape);
            plane->marching->march(&shape, column_sums(b, plane), plus, minus);
        }
    }
    finish_row(b, b->y);
    return true;
}

bool window_slide_prepare(window_state *s)
{
    const window_plan *plan = s->plan;
    const axis *down = &plan->down;
    const window_band b = {.state = s, .memory = s->bands};
    bool constant = down->border == SATF_CONSTANT && down->before + down->after > 0;
    if (plan->is_float || !(axis_has_fixed(down) || constant)) {
        return true; /* nothing is folded away: the zeros of window_prepare() */
    }
    for (int i = 0; i < plan->planes; i++) {
        memset(s->shared + plan->plane[i].fixed_rows, 0, plan->plane[i].row_bytes);
    }
    for (int64_t y = axis_has_fixed(down) ? 0 : down->n; y < down->n + constant; y++) {
        int64_t times = y < down->n ? axis_fixed(down, y) : down->before + down->after;
        if (times == 0) {
            continue;
        }
        const void *row = y < down->n ? window_fetch(s, y) : s->shared + plan->outside;
        if (!row) {
            return false;
        }
        for (int i = 0; i < plan->planes; i++) {
            add_row(&b, &plan->plane[i], s->shared + plan->plane[i].fixed_rows, row, times);
        }
    }
    return true;
}
