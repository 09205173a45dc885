/*
 * Floats, without ever subtracting. The picture is cut into strips of columns so narrow that
 * all of a strip that is still needed stays in the second level of cache; in a strip each
 * row becomes a row of sums over the window's width. These rows, counted from the first one
 * above the picture that any window touches, are cut into blocks of the window's height. A
 * window is the end of one block and the start of the next (van Herk; Gil and Werman): a
 * suffix sum, made of the whole block at once, plus a running prefix sum.
 */
#include "strips.h"

#include <string.h>

#include "../base/border.h"
#include "../base/view.h"

/* One plane of one strip. */
typedef struct strip_plane {
    int64_t x, n;  /* pixels */
    double *fixed; /* the rows' fixed part */
    double *prefix;
    /* Row j: of the upper block, the sum of rows j ... height - 1; for j below the rows of
     * the lower one that have entered, that row. */
    double *block;
} strip_plane;

static strip_plane strip_of(const window_band *b, int64_t index, int plane)
{
    const window_plan *plan = b->state->plan;
    int64_t held = index % plan->strips_held * plan->planes + plane;
    strip_plane s = {.x = index * plan->strip_pixels};
    int64_t left = plan->across.n - s.x;
    s.n = left < plan->strip_pixels ? left : plan->strip_pixels;
    char *memory = b->memory + plan->strip_memory;
    s.fixed =
        (double *)(void *)(memory + (size_t)held * (plan->strip_bytes / (size_t)plan->planes));
    s.prefix = s.fixed + plan->strip_row;
    s.block = s.prefix + plan->strip_row;
    return s;
}

/* Copies the pixels of row that the border puts at x ... end - 1. */
static void gather(const window_state *s, const char *row, int64_t x, int64_t end, char *to)
{
    const satf_view *in = &s->spec->in;
    size_t pixel = (size_t)in->channels * satf_type_bytes(in->type);
    for (; x < end; x++, to += pixel) {
        int64_t i = satf_border_index((int)s->spec->border, x, in->width);
        memcpy(to, i < 0 ? s->shared + s->plan->outside : row + (size_t)i * pixel, pixel);
    }
}

/* The strip's row of window sums along a row of samples. */
static void sum_row(const window_band *b, int plane_index, const strip_plane *strip,
                    const char *row, double *sums)
{
    const window_state *s = b->state;
    const window_plan *plan = s->plan;
    const window_plane *plane = &plan->plane[plane_index];
    const axis *across = &plan->across;
    int channels = s->spec->in.channels;
    size_t pixel = (size_t)channels * satf_type_bytes(s->spec->in.type);
    double *line = (double *)(void *)(b->memory + plan->line);
    char *edge = b->memory + plan->edge;
    vertical_row shape = {plane->summand, channels, 0};

    /* The part of the line to the left of the picture, in it, and to the right. */
    int64_t x = strip->x - across->lo, end = strip->x + strip->n + across->hi;
    int64_t inner = x > 0 ? x : 0, outer = end < across->n ? end : across->n;
    double *to = line;
    if (x < inner) {
        gather(s, row, x, inner, edge);
        shape.pixels = inner - x;
        plane->vertical->summands(&shape, edge, to);
        to += shape.pixels * channels;
    }
    shape.pixels = outer - inner;
    plane->vertical->summands(&shape, row + (size_t)inner * pixel, to);
    to += shape.pixels * channels;
    if (outer < end) {
        gather(s, row, outer, end, edge);
        shape.pixels = end - outer;
        plane->vertical->summands(&shape, edge, to);
    }

    horizontal_row along = {channels, 0, strip->n, across->lo + across->hi + 1};
    void *spare = b->memory + plan->strip_spare;
    plan->strip->row_sums(&along, line, spare, sums);
    double fixed[SATF_MAX_CHANNELS] = {0};
    shape.pixels = 1;
    if (axis_has_fixed(across)) {
        for (int64_t i = 0; i < across->n; i++) {
            int64_t times = axis_fixed(across, i);
            if (times) {
                plane->vertical->summands(&shape, row + (size_t)i * pixel, line);
                plane->horizontal->add_pixel(channels, fixed, line, times);
            }
        }
    } else if (across->border == SATF_CONSTANT && across->before + across->after > 0) {
        plane->vertical->summands(&shape, s->shared + plan->outside, line);
        plane->horizontal->add_pixel(channels, fixed, line, across->before + across->after);
    } else {
        return;
    }
    plane->horizontal->add_fixed(&along, sums, fixed);
}

/* The strips that march together: first ... end - 1. */
typedef struct group {
    int64_t first, end;
} group;

static bool add_fixed_rows(const window_band *b, const group *strips)
{
    window_state *s = b->state;
    const window_plan *plan = s->plan;
    const axis *down = &plan->down;
    bool constant = down->border == SATF_CONSTANT && down->before + down->after > 0;
    bool started = false;
    for (int64_t y = axis_has_fixed(down) ? 0 : down->n; y < down->n + constant; y++) {
        int64_t times = y < down->n ? axis_fixed(down, y) : down->before + down->after;
        if (times == 0) {
            continue;
        }
        const void *row = y < down->n ? window_fetch(s, y) : s->shared + plan->outside;
        if (!row) {
            return false;
        }
        for (int64_t i = strips->first; i < strips->end; i++) {
            for (int k = 0; k < plan->planes; k++) {
                strip_plane strip = strip_of(b, i, k);
                sum_row(b, k, &strip, row, strip.prefix);
                for (int64_t j = 0; j < strip.n * s->spec->in.channels; j++) {
                    double sum = strip.prefix[j] * (double)times;
                    strip.fixed[j] = started ? strip.fixed[j] + sum : sum;
                }
            }
        }
        started = true;
    }
    return true;
}

/* Makes row `slot` of the strips' blocks of row y. */
static bool enter(const window_band *b, const group *strips, int64_t y, int64_t slot)
{
    const window_plan *plan = b->state->plan;
    const void *row = window_fetch(b->state, y);
    for (int64_t i = strips->first; row && i < strips->end; i++) {
        for (int k = 0; k < plan->planes; k++) {
            strip_plane strip = strip_of(b, i, k);
            sum_row(b, k, &strip, row, strip.block + slot * plan->strip_row);
            int64_t end = strip.x + strip.n + plan->across.hi;
            window_prefetch(b->state, y + 1,
                            strip.x > plan->across.lo ? strip.x - plan->across.lo : 0,
                            end < plan->across.n ? end : plan->across.n);
        }
    }
    return row != NULL;
}

/* Makes suffix sums of the rows from `slot` on of the strips' blocks. */
static void complete(const window_band *b, const group *strips, int64_t slot)
{
    const window_plan *plan = b->state->plan;
    const axis *down = &plan->down;
    int64_t last = down->lo + down->hi;
    bool has_fixed =
        axis_has_fixed(down) || (down->border == SATF_CONSTANT && down->before + down->after > 0);
    for (int64_t i = strips->first; i < strips->end; i++) {
        for (int k = 0; k < plan->planes; k++) {
            strip_plane strip = strip_of(b, i, k);
            int64_t n = strip.n * b->state->spec->in.channels;
            double *row = strip.block + last * plan->strip_row;
            if (has_fixed) {
                plan->strip->accumulate(n, row, strip.fixed);
            }
            for (int64_t j = last; j > slot; j--, row -= plan->strip_row) {
                plan->strip->accumulate(n, row - plan->strip_row, row);
            }
        }
    }
}

/* Lets the newest row, if it is row j - 1 of the lower block, into the prefix sums, and
 * delivers row y, the j-th of its block. */
static void finish(window_band *b, const group *strips, int64_t y, int64_t j, bool deliver)
{
    const window_plan *plan = b->state->plan;
    int channels = b->state->spec->in.channels;
    for (int64_t i = strips->first; i < strips->end; i++) {
        strip_plane strip = strip_of(b, i, 0);
        for (int64_t x = 0, pixels; x < strip.n; x += pixels) {
            const void *out[2] = {NULL, NULL};
            pixels = strip.n - x < plan->segment ? strip.n - x : plan->segment;
            for (int k = 0; k < plan->planes; k++) {
                strip = strip_of(b, i, k);
                int64_t n = pixels * channels;
                double *prefix = strip.prefix + x * channels;
                const double *suffix = strip.block + j * plan->strip_row + x * channels;
                out[k] = suffix;
                if (j > 0) {
                    double *sums = (double *)(void *)(b->memory + plan->plane[k].sums);
                    if (j == 1) {
                        memset(prefix, 0, (size_t)n * sizeof *prefix);
                    }
                    plan->strip->join(n, prefix, suffix - plan->strip_row, suffix, sums);
                    out[k] = sums;
                }
            }
            if (deliver) {
                window_deliver(b, y, strip.x + x, pixels, out);
            }
        }
    }
}

static bool march(window_band *b, const group *strips, int64_t first, int64_t end)
{
    const window_plan *plan = b->state->plan;
    const axis *down = &plan->down;
    int64_t height = down->lo + down->hi + 1, pixels = plan->strip_pixels;
    if (strips->end - strips->first > 1) {
        pixels = plan->across.n;
    }
    if (!add_fixed_rows(b, strips)) {
        return false;
    }
    /* The upper block, from the first row of the window on, and the lower one, up to it. */
    int64_t start = first - first % height;
    for (int64_t y = first; y < start + height; y++) {
        if (!enter(b, strips, y - down->lo, y - start)) {
            return false;
        }
    }
    complete(b, strips, first - start);
    for (int64_t y = start; y < end; y++) {
        int64_t j = y % height;
        if (y > start && !enter(b, strips, y + down->hi, j > 0 ? j - 1 : height - 1)) {
            return false;
        }
        if (j == 0 && y > start) {
            complete(b, strips, 0);
        }
        if (y < first && j == 0) {
            continue;
        }
        finish(b, strips, y, j, y >= first);
        if (y >= first && !window_go_on(b, pixels)) {
            return false;
        }
    }
    return true;
}

void window_strips(window_band *b, int64_t first, int64_t end)
{
    const window_plan *plan = b->state->plan;
    group strips = {0, plan->strips_held};
    for (; strips.first < plan->strips; strips.first = strips.end, strips.end++) {
        if (!march(b, &strips, first, end)) {
            return;
        }
    }
}
