/*
 * Which pixels of a filter's result depend on a sample, reckoned here from what --help and
 * docs/numbers.md say; and one sample that is not finite, which may reach these alone. For tests
 * that walk the table of filters on any device.
 */
#ifndef SATF_TESTS_NOT_FINITE_H
#define SATF_TESTS_NOT_FINITE_H

#include "test.h"
#include "plan/step.h"
#include "ways.h"

enum { SPOILT_W = 61, SPOILT_H = 43, SPOILT_PIXELS = SPOILT_W * SPOILT_H };

/* How results depend on pixels. */
typedef enum spoilt_shape {
    SPOILT_UNKNOWN,
    SPOILT_PIXEL,
    SPOILT_WINDOW,
    SPOILT_TWICE,   /* windows of the means of windows */
    SPOILT_CORNERS, /* windows that have the pixel in a corner */
    SPOILT_LINES,
    SPOILT_SHARES, /* cells of a coarser grid */
    SPOILT_CELLS,  /* of so many pixels */
    SPOILT_MAP,    /* windows whose radius the map has */
    SPOILT_RECTS,
    SPOILT_MOVED,
    SPOILT_CUT,  /* a part of the picture */
    SPOILT_SUMS, /* all pixels to the left and above */
    SPOILT_MOST  /* windows, and the largest deviation of the picture */
} spoilt_shape;

/* A filter and its image, and the sample that becomes another. */
typedef struct spoilt_case {
    const filter_info *info;
    spoilt_shape shape;
    int type, channels, border;
    bool alpha;       /* the last channel is */
    satf_rect window; /* its size and place */
    int64_t x, y;
    int channel;
    double value;
    uint64_t seed;
    bool near; /* sums may be of what is rounded */
} spoilt_case;

static inline spoilt_shape spoilt_shape_of(const filter_info *info)
{
    const filter_pass *last = filter_last(info);
    bool one = filter_any_way(info)->count == 1;
    switch (goes_along_lines(info) ? OVER_LINES : last->over) {
    case OVER_WINDOW:
        return !one ? SPOILT_UNKNOWN : last->reduction ? SPOILT_MOST : SPOILT_WINDOW;
    case OVER_PIXEL:
        return one ? SPOILT_PIXEL : SPOILT_UNKNOWN;
    case OVER_MIX:
    case OVER_ADAPT:
        return SPOILT_UNKNOWN;
    case OVER_MIRRORED:
        return SPOILT_TWICE;
    case OVER_CHOICE:
    case OVER_LEAST:
        return SPOILT_CORNERS;
    case OVER_SIDES:
        return SPOILT_MAP;
    case OVER_RECTS:
        return SPOILT_RECTS;
    case OVER_ALL:
        return SPOILT_SUMS;
    case OVER_CELLS:
        return last->shape ? SPOILT_SHARES : SPOILT_CELLS;
    case OVER_LINES:
        return SPOILT_LINES;
    case OVER_ELSEWHERE:
        return last->corner ? SPOILT_CUT : last->grey ? SPOILT_PIXEL : SPOILT_MOVED;
    }
    return SPOILT_UNKNOWN;
}

/* ---------------------------------------------------------------- what depends on what */

/* Whether positions first ... first + length - 1 of n pixels show pixel i. */
static inline bool spoilt_shows(int border, int64_t n, int64_t first, int64_t length, int64_t i)
{
    for (int64_t k = 0; k < length; k++) {
        if (satf_border_index(border, first + k, n) == i) {
            return true;
        }
    }
    return false;
}

/* What a Gaussian's weights reach: 4 sigma of 1.5, and of dog's wider one of 3. */
static inline int64_t spoilt_lines_reach(const filter_info *info)
{
    return filter_param_find(info, "ratio") ? 12 : 6;
}

/* Whether pixel `out` of the result depends on pixel i of n along an axis: window pixels, `at`
 * pixels behind. */
static inline bool spoilt_depends(const spoilt_case *c, int64_t n, int64_t window, int64_t at,
                                  int64_t result_n, int64_t out, int64_t i)
{
    bool valid = c->border == SATF_BORDER_VALID;
    int border = valid ? SATF_BORDER_CLAMP : c->border;
    int64_t before = window / 2 - at, reach = spoilt_lines_reach(c->info);
    switch (c->shape) {
    case SPOILT_WINDOW:
    case SPOILT_MOST:
        return spoilt_shows(border, n, valid ? out : out - before, window, i);
    case SPOILT_CORNERS:
        return spoilt_shows(border, n, valid ? out : out - window + 1, 2 * window - 1, i);
    case SPOILT_LINES:
        return spoilt_shows(border, n, valid ? out : out - reach, 2 * reach + 1, i);
    case SPOILT_RECTS:
        return spoilt_shows(border, n, valid ? out : out - at, window, i);
    case SPOILT_SHARES:
        return i * result_n < (out + 1) * n && (i + 1) * result_n > out * n;
    case SPOILT_CUT: /* by make_filter_of() */
        return i == n / 6 + out;
    case SPOILT_CELLS:
        return i / window == out / window;
    case SPOILT_SUMS:
        return i <= out;
    case SPOILT_MOVED:
        return true;
    case SPOILT_TWICE:
        for (int64_t k = 0; k < window; k++) { /* in the mirrored window */
            int64_t mean = out + (valid ? window - 1 : 0) - (window - 1 - before) + k;
            mean = satf_border_index(border, mean, n);
            if (mean >= 0 && spoilt_shows(border, n, mean - before, window, i)) {
                return true;
            }
        }
        return false;
    default:
        return out == i;
    }
}

static inline double spoilt_radius(int64_t i)
{
    return (double)((i % SPOILT_W * 7 + i / SPOILT_W * 3) % 12) / 2;
}

/* The pixels of the result that depend on the sample's. */
static inline void spoilt_mark(const spoilt_case *c, const satf_view *out, bool *marked)
{
    bool columns[SPOILT_W], rows[SPOILT_W];
    satf_rect rects = {3, 2, 5, 7}; /* of make_filter_of() */
    satf_rect w = c->shape == SPOILT_RECTS ? rects : c->window;
    for (int64_t x = 0; x < out->width; x++) {
        columns[x] = spoilt_depends(c, SPOILT_W, w.w, w.x, out->width, x, c->x);
    }
    for (int64_t y = 0; y < out->height; y++) {
        rows[y] = spoilt_depends(c, SPOILT_H, w.h, w.y, out->height, y, c->y);
    }
    for (int64_t i = 0; i < out->width * out->height; i++) {
        int64_t x = i % out->width, y = i / out->width, r = (int64_t)ceil(spoilt_radius(i));
        marked[i] = c->shape != SPOILT_MAP
                        ? columns[x] && rows[y]
                        : spoilt_shows(c->border, SPOILT_W, x - r, 2 * r + 1, c->x) &&
                              spoilt_shows(c->border, SPOILT_H, y - r, 2 * r + 1, c->y);
    }
}

static inline bool spoils_alpha(const spoilt_case *c)
{
    return c->alpha && c->channel == c->channels - 1;
}

/* Whether the sample is in sums of that channel of the result, too. */
static inline bool spoils_channel(const spoilt_case *c, int channel)
{
    const filter_pass *pass = filter_last(c->info);
    return channel == c->channel || pass->over == OVER_LEAST ||
           filter_needs_grey(pass, &(satf_view){.channels = c->channels}) ||
           (spoils_alpha(c) && filter_weighs(pass));
}

/* -------------------------------------------------------------------------------- a case */

static inline void spoilt_set(const satf_view *image, int64_t x, int64_t y, int channel,
                              double value)
{
    put_at(image, y, x * image->channels + channel, value);
}

static inline satf_filter *spoilt_filter(satf_context *ctx, const spoilt_case *c)
{
    static const char *const values[][2] = {{"sigma", "1.5"}, {"ratio", "2"}, {"level", "1"}};
    char size[64], place[64];
    if (c->shape == SPOILT_UNKNOWN) {
        fail_msg("filters/%s.h: passes of a new kind; say in spoilt_shape_of() of "
                 "tests/not_finite.h what its results depend on",
                 c->info->name);
    }
    snprintf(size, sizeof size, "%ldx%ld", (long)c->window.w, (long)c->window.h);
    snprintf(place, sizeof place, "%ld:%ld", (long)c->window.x, (long)c->window.y);
    satf_filter *filter = make_filter_of(ctx, c->info, c->border, size, place, SPOILT_W, SPOILT_H);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        if (filter_param_find(c->info, values[i][0])) {
            MUST(ctx, satf_filter_set(ctx, filter, values[i][0], values[i][1]));
        }
    }
    if (c->shape == SPOILT_MAP) {
        static double map[SPOILT_PIXELS];
        satf_view view = satf_view_packed(map, SPOILT_W, SPOILT_H, 1, SATF_F64);
        for (int64_t i = 0; i < SPOILT_PIXELS; i++) {
            map[i] = spoilt_radius(i);
        }
        MUST(ctx, satf_filter_set_image(ctx, filter, &view));
    }
    return filter;
}

/* The same bits, or as near as sums of what is rounded between the steps of a filter are. */
static inline bool spoilt_same(const spoilt_case *c, const satf_view *a, const satf_view *b,
                               int64_t i)
{
    size_t bytes = satf_type_bytes(a->type), at = (size_t)i * bytes;
    if (memcmp((const char *)a->data + at, (const char *)b->data + at, bytes) == 0) {
        return true;
    }
    return c->near && fabs(sample_at(a, 0, i) - sample_at(b, 0, i)) <=
                          (a->type == SATF_F32 || filter_last(c->info)->grey ? 1e-4 : 1e-9);
}

/* What does not depend on the sample is as before. The number of other samples. how: for messages.
 */
static inline int spoilt_compare(const spoilt_case *c, const satf_view *clean, const satf_view *got,
                                 const char *how)
{
    bool marked[SPOILT_PIXELS];
    int changed = 0;
    spoilt_mark(c, clean, marked);
    for (int64_t i = 0; i < clean->width * clean->height * clean->channels; i++) {
        int64_t p = i / clean->channels;
        int channel = (int)(i % clean->channels);
        bool same = spoilt_same(c, clean, got, i);
        changed += !same;
        if (!same && !(marked[p] && spoils_channel(c, channel))) {
            fail_msg("%s of %s, %d channels%s, window %ldx%ld at %ld:%ld, border %s, seed %lu, %s: "
                     "%g in channel %d of (%ld, %ld) reaches channel %d of (%ld, %ld)",
                     c->info->name, satf_type_name(c->type), c->channels,
                     c->alpha ? " with alpha" : "", (long)c->window.w, (long)c->window.h,
                     (long)c->window.x, (long)c->window.y, satf_border_name(c->border),
                     (unsigned long)c->seed, how, c->value, c->channel, (long)c->x, (long)c->y,
                     channel, (long)(p % clean->width), (long)(p / clean->width));
        }
    }
    if (c->shape == SPOILT_MOVED && changed > clean->channels) {
        fail_msg("%s, %s: %d samples change for one", c->info->name, how, changed);
    }
    return changed;
}

/* ------------------------------------------------------------------- what is not finite */

/* Samples of which all sums are exact, and no median is far from 0. The extremes are in rows 4 to 7
 * and opaque: no window of few rows has them and the spoilt sample. Where that is an alpha, the
 * pixel is transparent until then, and has what would be the least samples. */
static inline satf_view spoilt_image(const spoilt_case *c)
{
    uint64_t seed = c->seed;
    satf_view like = satf_view_packed(NULL, SPOILT_W, SPOILT_H, c->channels, (satf_type)c->type);
    satf_view view = view_like(&like, 0);
    view.flags = c->alpha ? SATF_ALPHA : 0;
    for (int64_t i = 0; i < SPOILT_PIXELS * c->channels; i++) {
        int64_t x = i / c->channels % SPOILT_W, y = i / c->channels / SPOILT_W;
        int channel = (int)(i % c->channels);
        bool extreme = x >= 9 && x < 13 && y >= 4 && y < 8;
        double value = (double)(ref_random(&seed) % 17) - 8;
        if (c->alpha && channel == c->channels - 1) {
            value = extreme ? 1 : (double)(ref_random(&seed) % 5) / 4;
        } else if (extreme) {
            value = (x + y) % 2 ? 200 : -200;
        }
        spoilt_set(&view, x, y, channel, value);
    }
    for (int channel = 0; spoils_alpha(c) && channel < c->channels; channel++) {
        spoilt_set(&view, c->x, c->y, channel, channel == c->channel ? 0 : -1000);
    }
    return view;
}

/* Grey of floats is rounded, and so is what is black and white of it at its threshold: then the
 * threshold is compared. */
static inline bool spoilt_by_surface(const spoilt_case *c)
{
    satf_view view = {.channels = c->channels, .flags = c->alpha ? SATF_ALPHA : 0};
    return filter_last(c->info)->type == TYPE_BILEVEL &&
           filter_needs_grey(filter_last(c->info), &view);
}

/* By each engine of the context that can take the filter. how: what else the context is. */
static inline void spoilt_check(satf_context *ctx, spoilt_case *c, const char *how)
{
    static const char *const engines[] = {"auto", "sat", "window"};
    SCOPED_FILTER *filter = spoilt_filter(ctx, c);
    SCOPED_VIEW in = spoilt_image(c), spoilt = spoilt_image(c);
    char text[80];
    if (spoilt_by_surface(c)) {
        MUST(ctx, satf_filter_set(ctx, filter, "surface", "on"));
    }
    c->near = spoilt_by_surface(c) || !filter_is_simple(c->info);
    spoilt_set(&spoilt, c->x, c->y, c->channel, c->value);
    SCOPED_VIEW clean = output_of(ctx, filter, &in), got = view_like(&clean, 0);
    for (int engine = SATF_ENGINE_AUTO; engine <= SATF_ENGINE_WINDOW; engine++) {
        satf_context_set_engine(ctx, (satf_engine)engine);
        satf_status status = satf_filter_apply(ctx, filter, &in, &clean);
        if (engine == SATF_ENGINE_AUTO || status != SATF_UNSUPPORTED) {
            MUST(ctx, status);
            MUST(ctx, satf_filter_apply(ctx, filter, &spoilt, &got));
            snprintf(text, sizeof text, "engine %s, %s", engines[engine], how);
            spoilt_compare(c, &clean, &got, text);
        }
    }
    satf_context_set_engine(ctx, SATF_ENGINE_AUTO);
}

/* Of every filter cases in which each pair of a float type and such a value, a border, a number
 * of channels and a window occurs; places in turn. */
static inline void spoilt_check_all(satf_context *ctx, const char *how)
{
    static const double values[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    static const satf_rect windows[] = {{2, -1, 7, 4}, {0, 2, 1, 5}, {9, 0, 25, 3}};
    static const int64_t places[][2] = {{40, 30}, {0, 42}, {60, 25}, {11, 28}, {33, 38}};
    enum { ALL = 2 * 3 * 6 * 4 * 3, STEP = 341 };
    static pairs met;
    spoilt_case c = {0};
    for (size_t i = 0; (c.info = filter_info_at(i)); i++) {
        memset(&met, 0, sizeof met);
        for (int n = 0, k = 0; n < ALL; n++, k = (k + STEP) % ALL) {
            int type = k % 2, value = k / 2 % 3, border = k / 6 % 6, channels = k / 36 % 4 + 1;
            if (!PAIRS_ONLY(&met, type * 3 + value, border, channels, k / 144)) {
                continue;
            }
            c.seed = i * ALL + (uint64_t)n;
            c.shape = spoilt_shape_of(c.info);
            c.type = type ? SATF_F32 : SATF_F64;
            c.channels = channels;
            c.border = border;
            c.alpha = channels == 4 || (channels == 2 && (filter_last(c.info)->grey || c.seed % 3));
            c.window = windows[k / 144];
            c.x = places[c.seed % 5][0];
            c.y = places[c.seed % 5][1];
            c.channel = (int)(c.seed / 5 % (uint64_t)channels);
            c.value = values[value];
            spoilt_check(ctx, &c, how);
        }
    }
}

#endif
