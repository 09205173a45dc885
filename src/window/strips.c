/*
 * Floats, without ever subtracting. The picture is cut into strips of columns so narrow that
 * all of a strip that is still needed stays in the second level of cache; in a strip each
 * row becomes a row of sums over the window's width. These rows, counted from the first one
 * above the picture that any window touches, are cut into blocks of the window's height. A
 * window is the end of one block and the start of the next (van Herk; Gil and Werman): a
 * suffix sum, made of the whole block at once, plus a running prefix sum.
 *
 * Where moments are wanted, what is summed are differences from a shift. Tiles of rows (plan.h) of
 * a strip have one each. At the top of a tile the march begins anew.
 */
#include "strips.h"

#include <string.h>

#include "../base/border.h"
#include "../base/shift.h"
#include "../base/view.h"

/* One plane of one strip. */
typedef struct strip_plane {
    int64_t x, n;   /* pixels */
    double *fixed;  /* the rows' fixed part */
    double *shifts; /* of all the strip's planes */
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
    s.shifts = (double *)(void *)(b->memory + plan->shifts);
    s.shifts += index % plan->strips_held * SATF_MAX_CHANNELS;
    s.prefix = s.fixed + plan->strip_row;
    s.block = s.prefix + plan->strip_row;
    return s;
}

static void shift_by(const window_state *s, int64_t pixels, const void *row, const double *shifts,
                     double *to)
{
    vertical_row shape = {SATF_SUMMAND_PLAIN, s->spec->in.channels, pixels};
    s->plan->strip->shift_by((satf_type)s->spec->in.type, &shape, row, shifts, to);
}

/* The pixels that the border puts at x ... end - 1, less the shifts; 0 where none counts. */
static void shift_edge(const window_band *b, const char *row, const double *shifts, int64_t x,
                       int64_t end, double *to)
{
    const window_state *s = b->state;
    const satf_view *in = &s->spec->in;
    size_t pixel = (size_t)satf_pixel_bytes(in);
    char *edge = b->memory + s->plan->edge;
    if (s->spec->border == SATF_SHRINK) {
        memset(to, 0, (size_t)((end - x) * in->channels) * sizeof *to);
        return;
    }
    for (int64_t k = 0; k < end - x; k++) {
        int64_t i = satf_border_index((int)s->spec->border, x + k, in->width);
        memcpy(edge + (size_t)k * pixel,
               i < 0 ? s->shared + s->plan->outside : row + (size_t)i * pixel, pixel);
    }
    shift_by(s, end - x, edge, shifts, to);
}

static double *line_of(const window_band *b)
{
    return (double *)(void *)(b->memory + b->state->plan->line);
}

/* The line becomes what the strip's windows see of a row, less the shifts. */
static void fill_line(const window_band *b, const strip_plane *strip, const char *row)
{
    const window_state *s = b->state;
    const axis *across = &s->plan->across;
    int64_t channels = s->spec->in.channels;
    int64_t x = strip->x - across->lo, end = strip->x + strip->n + across->hi;
    int64_t inner = x > 0 ? x : 0, outer = end < across->n ? end : across->n;
    double *line = line_of(b);
    if (s->spec->border == SATF_SHRINK && row == s->shared + s->plan->outside) {
        memset(line, 0, (size_t)((end - x) * channels) * sizeof *line);
        return;
    }
    if (x < inner) {
        shift_edge(b, row, strip->shifts, x, inner, line);
    }
    shift_by(s, outer - inner, row + inner * satf_pixel_bytes(&s->spec->in), strip->shifts,
             line + (inner - x) * channels);
    if (outer < end) {
        shift_edge(b, row, strip->shifts, outer, end, line + (outer - x) * channels);
    }
}

/* The summands of pixels less the shifts; products: room for them. */
static const double *summands_of(const window_band *b, const window_plane *plane, int64_t pixels,
                                 const double *shifted, double *products)
{
    if (plane->summand == SATF_SUMMAND_PLAIN) {
        return shifted;
    }
    vertical_row shape = {plane->summand, b->state->spec->in.channels, pixels};
    b->state->plan->shifted->summands(&shape, shifted, products);
    return products;
}

/* fixed += times the pixel's summands */
static void add_fixed_pixel(const window_band *b, const window_plane *plane,
                            const strip_plane *strip, const void *pixel, int64_t times,
                            double *fixed)
{
    double shifted[SATF_MAX_CHANNELS], products[SATF_MAX_CHANNELS];
    shift_by(b->state, 1, pixel, strip->shifts, shifted);
    plane->horizontal->add_pixel(b->state->spec->in.channels, fixed,
                                 summands_of(b, plane, 1, shifted, products), times);
}

/* The strip's row of window sums along a row of samples, which is in the line. */
static void sum_row(const window_band *b, int plane_index, const strip_plane *strip,
                    const char *row, double *sums)
{
    const window_state *s = b->state;
    const window_plan *plan = s->plan;
    const window_plane *plane = &plan->plane[plane_index];
    const axis *across = &plan->across;
    int64_t halo = across->lo + across->hi;
    horizontal_row along = {s->spec->in.channels, 0, strip->n, halo + 1};
    double *products = (double *)(void *)(b->memory + plan->products);
    plan->strip->row_sums(&along, summands_of(b, plane, strip->n + halo, line_of(b), products),
                          (double *)(void *)(b->memory + plan->strip_spare), sums);
    double fixed[SATF_MAX_CHANNELS] = {0};
    for (int64_t i = 0; i <= across->n && axis_has_fixed(across); i++) {
        int64_t times = axis_fixed(across, i);
        if (times) {
            add_fixed_pixel(b, plane, strip,
                            i < across->n ? row + i * satf_pixel_bytes(&s->spec->in)
                                          : s->shared + plan->outside,
                            times, fixed);
        }
    }
    if (axis_has_fixed(across)) {
        plane->horizontal->add_fixed(&along, sums, fixed);
    }
}

/* The strips that march together: first ... end - 1. */
typedef struct group {
    int64_t first, end;
} group;

/* Rows that shifts are found in. */
enum { SHIFT_ROWS = 3 };

/* Finds the shifts of row y. They are those of its tile, from rows that the window of the tile's
 * first row holds: so a source of rows has them. */
static bool find_shifts(const window_band *b, const group *strips, int64_t y)
{
    const window_spec *spec = b->state->spec;
    const void *rows[SHIFT_ROWS];
    int64_t top = y - y % b->state->plan->tile_rows, hi = b->state->plan->down.hi, last;
    int64_t below = hi < b->state->down.n ? hi : b->state->down.n - 1;
    for (int64_t k = 0; k < SHIFT_ROWS && spec->shifts; k++) {
        last = window_last_row(b->state, top + below * k / (SHIFT_ROWS - 1));
        rows[k] = last < 0 ? NULL : window_fetch(b->state, last);
        if (!rows[k]) {
            return false;
        }
    }
    for (int64_t i = strips->first; i < strips->end; i++) {
        strip_plane strip = strip_of(b, i, 0);
        memset(strip.shifts, 0, SATF_MAX_CHANNELS * sizeof *strip.shifts);
        if (spec->shifts) {
            satf_shifts(&spec->in, spec->weighted, rows, SHIFT_ROWS, strip.x, strip.n,
                        strip.shifts);
        }
    }
    return true;
}

static bool add_fixed_rows(const window_band *b, const group *strips)
{
    window_state *s = b->state;
    const window_plan *plan = s->plan;
    const axis *down = &plan->down;
    bool started = false;
    for (int64_t y = 0; y <= down->n && axis_has_fixed(down); y++) {
        int64_t times = axis_fixed(down, y);
        if (times == 0) {
            continue;
        }
        const void *row = y < down->n ? window_fetch(s, y) : s->shared + plan->outside;
        if (!row) {
            return false;
        }
        for (int64_t i = strips->first; i < strips->end; i++) {
            strip_plane strip = strip_of(b, i, 0);
            fill_line(b, &strip, row);
            for (int k = 0; k < plan->planes; k++) {
                strip = strip_of(b, i, k);
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
        strip_plane strip = strip_of(b, i, 0);
        fill_line(b, &strip, row);
        for (int k = 0; k < plan->planes; k++) {
            strip = strip_of(b, i, k);
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
    for (int64_t i = strips->first; i < strips->end; i++) {
        for (int k = 0; k < plan->planes; k++) {
            strip_plane strip = strip_of(b, i, k);
            int64_t n = strip.n * b->state->spec->in.channels;
            double *row = strip.block + last * plan->strip_row;
            if (axis_has_fixed(down)) {
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
        b->shifts = b->state->spec->shifts ? strip.shifts : NULL;
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
            window_segment segment;
            if (deliver && window_segment_at(b, y, strip.x + x, pixels, out, &segment)) {
                b->state->sink(b->state->user, &segment);
            }
        }
    }
}

/* Row y of a tile that is taken up at row `first`; false at the picture's end and after a failure.
 * Rows above `first` are gone through, from the upper block's start on. */
static bool go_down(window_band *b, const group *strips, int64_t first, int64_t y)
{
    const axis *down = &b->state->plan->down;
    int64_t height = down->lo + down->hi + 1, start = first - first % height, j = y % height;
    if ((y > start && !enter(b, strips, y + down->hi, j > 0 ? j - 1 : height - 1)) ||
        y >= b->state->down.n) {
        return false;
    }
    if (j == 0 && y > start) {
        complete(b, strips, 0);
    }
    if (y >= first || j > 0) {
        finish(b, strips, y, j, y >= first);
    }
    return true;
}

/* Takes up the tile at row `first`. */
static bool take_up(window_band *b, const group *strips, int64_t first)
{
    const axis *down = &b->state->plan->down;
    int64_t height = down->lo + down->hi + 1;
    if (!find_shifts(b, strips, first) || !add_fixed_rows(b, strips)) {
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
    for (int64_t y = start; y < first; y++) {
        if (!go_down(b, strips, first, y)) {
            return false;
        }
    }
    return true;
}

/* Delivers row y of them, which were taken up at b->since. */
static bool deliver_row(window_band *b, const group *strips, int64_t y)
{
    int64_t tile = y - y % b->state->plan->tile_rows, first = tile > b->since ? tile : b->since;
    return (y > first || take_up(b, strips, y)) && go_down(b, strips, first, y) && !b->state->stop;
}

bool window_strips_row(window_band *b)
{
    const group strips = {0, b->state->plan->strips};
    return deliver_row(b, &strips, b->y);
}

void window_strips(window_band *b)
{
    const window_plan *plan = b->state->plan;
    for (group strips = {0, 1}; strips.first < plan->strips; strips.first++, strips.end++) {
        for (int64_t y = b->since; y < b->until; y++) {
            if (!deliver_row(b, &strips, y)) {
                return;
            }
        }
    }
}
