/*
 * One sample that is not finite, and the pixels of a filter's result that it may reach: those whose
 * windows contain it. For tests that walk the table of filters on any device.
 */
#ifndef SATF_TESTS_NOT_FINITE_H
#define SATF_TESTS_NOT_FINITE_H

#include "test.h"
#include "filter/step.h"
#include "filter_make.h"
#include "filter_reference.h"
#include "pairs.h"

enum { SPOILT_W = 61, SPOILT_H = 43, SPOILT_PIXELS = SPOILT_W * SPOILT_H };

/* The sample, what it becomes, and what is done with the image. */
typedef struct spoilt_case {
    const filter_info *info;
    int type, channels, border;
    bool alpha; /* the last channel is */
    const char *size, *at;
    int64_t x, y; /* below row 24 */
    int channel;
    double value;
} spoilt_case;

/* Whether each pixel is reached. */
typedef struct spoilt_pixels {
    bool at[SPOILT_PIXELS];
} spoilt_pixels;

/* Of the image whose pixels `from` are spoilt: those that meet one in their rectangle, which
 * begins at (left, top) from them, or whose rectangles contain them if it is mirrored. */
static inline void spoil_windows(int border, const spoilt_pixels *from, satf_rect rect,
                                 bool mirrored, spoilt_pixels *to)
{
    for (int64_t i = 0; i < SPOILT_PIXELS; i++) {
        for (int64_t k = 0; k < rect.w * rect.h && !to->at[i]; k++) {
            int64_t dx = rect.x + k % rect.w, dy = rect.y + k / rect.w;
            int64_t x = i % SPOILT_W + (mirrored ? -dx : dx);
            int64_t y = i / SPOILT_W + (mirrored ? -dy : dy);
            x = satf_border_index(border, x, SPOILT_W);
            y = satf_border_index(border, y, SPOILT_H);
            to->at[i] = x >= 0 && y >= 0 && from->at[y * SPOILT_W + x];
        }
    }
}

/* Pass by pass, each by its own pixels. */
static inline void spoil_passes(const filter_passes *way, int border, const spoilt_pixels *first,
                                satf_rect window, spoilt_pixels *last)
{
    SCOPED spoilt_pixels *images = calloc(2 + FILTER_MAX_PASSES, sizeof *images);
    images[0] = *first;
    for (int k = 0; k < way->count; k++) {
        const filter_pass *pass = &way->list[k];
        satf_rect pixel = {0, 0, 1, 1};
        spoil_windows(border, &images[pass->of], pass->over == OVER_PIXEL ? pixel : window,
                      pass->over == OVER_MIRRORED, &images[2 + k]);
        for (int64_t i = 0; i < SPOILT_PIXELS; i++) {
            images[2 + k].at[i] =
                images[2 + k].at[i] || images[pass->aux[0]].at[i] || images[pass->aux[1]].at[i];
        }
    }
    *last = images[1 + way->count];
}

/* Where the pixel goes, by the filter itself on an image of integers. */
static inline void spoil_moved(satf_context *ctx, const satf_filter *filter, const satf_view *shape,
                               const spoilt_pixels *first, spoilt_pixels *last)
{
    satf_view in = satf_view_packed((void *)(uintptr_t)first, SPOILT_W, SPOILT_H, 1, SATF_U8);
    satf_view out = satf_view_packed(last, shape->width, shape->height, 1, SATF_U8);
    assert_int_equal(satf_filter_apply(ctx, filter, &in, &out), SATF_OK);
}

/* Whether a window of radius r around x shows the pixel `at` of an axis of n. */
static inline bool spoilt_axis(int border, int64_t n, int64_t x, int64_t r, int64_t at)
{
    for (int64_t k = x - r; k <= x + r; k++) {
        if (satf_border_index(border, k, n) == at) {
            return true;
        }
    }
    return false;
}

/* Whether cell `cell` of that many covers a part of the pixel. */
static inline bool spoils_cell(int64_t pixels, int64_t cells, int64_t cell, int64_t pixel)
{
    return cell * pixels < (pixel + 1) * cells && (cell + 1) * pixels > pixel * cells;
}

/* The filter's pixels, in an image of that shape. */
static inline void spoil(satf_context *ctx, const spoilt_case *c, const satf_filter *filter,
                         const satf_view *shape, spoilt_pixels *pixels)
{
    const filter_pass *pass = filter_last(c->info);
    const chain_link *link = &filter->links[0];
    int64_t reach = reach_along_lines(filter);
    spoilt_pixels first = {{false}};
    first.at[c->y * SPOILT_W + c->x] = true;
    memset(pixels, 0, sizeof *pixels);
    if (pass->over == OVER_ELSEWHERE) {
        spoil_moved(ctx, filter, shape, &first, pixels);
    } else if (pass->over == OVER_ALL) {
        for (int64_t i = 0; i < SPOILT_PIXELS; i++) {
            pixels->at[i] = i % SPOILT_W >= c->x && i / SPOILT_W >= c->y;
        }
    } else if (pass->over == OVER_LEAST) { /* which windows that have it are no part of */
        satf_rect windows[FILTER_MAX_WINDOWS];
        int count = pass->windows(link->options, windows);
        for (int k = 0; k < count; k++) {
            spoil_windows(c->border, &first, windows[k], false, pixels);
        }
    } else if (pass->over == OVER_SIDES) {
        for (int64_t i = 0; i < SPOILT_PIXELS; i++) {
            int32_t r = (int32_t)(i * i % 251); /* give_image() */
            pixels->at[i] = spoilt_axis(c->border, SPOILT_W, i % SPOILT_W, r, c->x) &&
                            spoilt_axis(c->border, SPOILT_H, i / SPOILT_W, r, c->y);
        }
    } else if (pass->over == OVER_CELLS && !pass->shape) {
        const filter_size *size = chain_value(link, PARAM_SIZE);
        for (int64_t i = 0; i < SPOILT_PIXELS; i++) {
            pixels->at[i] = i % SPOILT_W / size->width == c->x / size->width &&
                            i / SPOILT_W / size->height == c->y / size->height;
        }
    } else if (pass->over == OVER_CELLS) {
        for (int64_t i = 0; i < shape->width * shape->height; i++) {
            pixels->at[i] = spoils_cell(SPOILT_W, shape->width, i % shape->width, c->x) &&
                            spoils_cell(SPOILT_H, shape->height, i / shape->width, c->y);
        }
    } else if (pass->over == OVER_RECTS) {
        const filter_rects *rects = *(filter_rects *const *)chain_value(link, PARAM_TEMPLATE);
        for (size_t k = 0; k < rects->count; k++) {
            spoil_windows(c->border, &first, rects->items[k].rect, false, pixels);
        }
    } else if (reach > 0) {
        int64_t side = 2 * reach + 1;
        spoil_windows(c->border, &first, (satf_rect){-reach, -reach, side, side}, false, pixels);
    } else {
        const filter_size *size = chain_value(link, PARAM_SIZE);
        const filter_place *at = chain_value(link, PARAM_PLACE);
        satf_rect window = {0, 0, 1, 1};
        if (size) {
            window = (satf_rect){at->x - size->width / 2, at->y - size->height / 2, size->width,
                                 size->height};
        }
        if (c->info->ways[0].count > 0) {
            spoil_passes(&c->info->ways[0], c->border, &first, window, pixels);
        } else {
            spoil_windows(c->border, &first, window, false, pixels);
        }
    }
}

static inline void spoilt_set(const satf_view *image, int64_t x, int64_t y, int channel,
                              double value)
{
    float f32 = (float)value;
    size_t bytes = satf_type_bytes(image->type);
    char *to = (char *)satf_row(image, y) + (x * image->channels + channel) * (int64_t)bytes;
    memcpy(to, image->type == SATF_F32 ? (const void *)&f32 : &value, bytes);
}

static inline bool spoils_alpha(const spoilt_case *c)
{
    return c->alpha && c->channel == c->channels - 1;
}

/* Samples of which all sums are exact, and no median is far from 0. The extremes are in rows 4 to 7
 * and opaque: no window of few rows has them and the spoilt sample. Where that is an alpha, the
 * pixel is transparent until then, and has what would be the least samples. */
static inline satf_view spoilt_image(const spoilt_case *c, uint64_t seed)
{
    satf_view view = satf_view_packed(NULL, SPOILT_W, SPOILT_H, c->channels, (satf_type)c->type);
    view.flags = c->alpha ? SATF_ALPHA : 0;
    view.data = malloc((size_t)(view.stride * view.height));
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

/* Whether the sample is in sums of that channel of the result, too. */
static inline bool spoils_channel(const spoilt_case *c, int channel)
{
    const filter_pass *pass = filter_last(c->info);
    return channel == c->channel || pass->over == OVER_LEAST ||
           filter_needs_grey(pass, &(satf_view){.channels = c->channels}) ||
           (spoils_alpha(c) && filter_weighs(pass));
}

static inline double spoilt_number(int type, const char *from)
{
    float f32;
    double f64;
    if (type == SATF_F32) {
        memcpy(&f32, from, sizeof f32);
        return (double)f32;
    }
    memcpy(&f64, from, sizeof f64);
    return f64;
}

/* Grey of floats is rounded, and so is what is black and white of it at its threshold: then the
 * threshold is compared. */
static inline bool spoilt_by_surface(const spoilt_case *c)
{
    satf_view view = {.channels = c->channels, .flags = c->alpha ? SATF_ALPHA : 0};
    return filter_last(c->info)->type == TYPE_BILEVEL &&
           filter_needs_grey(filter_last(c->info), &view);
}

/* The same bits, or as near as sums of what is rounded between the steps of a filter are. */
static inline bool spoilt_same(const spoilt_case *c, int type, const char *a, const char *b)
{
    if (filter_is_simple(c->info) && !spoilt_by_surface(c)) {
        return memcmp(a, b, satf_type_bytes(type)) == 0;
    }
    double off = fabs(spoilt_number(type, a) - spoilt_number(type, b));
    return off <= (type == SATF_F32 || spoilt_by_surface(c) ? 1e-4 : 1e-9); /* of roots */
}

/* What the sample does not reach is as without it. */
static inline void spoilt_compare(const spoilt_case *c, const satf_view *clean,
                                  const satf_view *got, const spoilt_pixels *pixels,
                                  const char *how)
{
    int64_t bytes = (int64_t)satf_type_bytes(clean->type);
    for (int64_t i = 0; i < clean->width * clean->height * clean->channels; i++) {
        int64_t p = i / clean->channels;
        int channel = (int)(i % clean->channels);
        if ((!pixels->at[p] || !spoils_channel(c, channel)) &&
            !spoilt_same(c, clean->type, (const char *)clean->data + i * bytes,
                         (const char *)got->data + i * bytes)) {
            fail_msg("%s of %s, %d channels%s, window %s at %s, border %s, %s: %g in channel %d of "
                     "(%ld, %ld) reaches channel %d of (%ld, %ld)",
                     c->info->name, satf_type_name(c->type), c->channels,
                     c->alpha ? " with alpha" : "", c->size, c->at, satf_border_name(c->border),
                     how, c->value, c->channel, (long)c->x, (long)c->y, channel,
                     (long)(p % clean->width), (long)(p / clean->width));
        }
    }
}

/* By each engine of the context that can take the filter. how: what else the context is. */
static inline void spoilt_check(satf_context *ctx, const spoilt_case *c, uint64_t seed,
                                const char *how)
{
    static const char *const engines[] = {"auto", "sat", "window"};
    satf_filter *filter =
        make_filter_of(ctx, c->info, c->border, c->size, c->at, SPOILT_W, SPOILT_H);
    satf_view in = spoilt_image(c, seed), clean, got;
    spoilt_pixels pixels;
    char text[80];
    if (spoilt_by_surface(c)) {
        assert_int_equal(satf_filter_set(ctx, filter, "surface", "on"), SATF_OK);
    }
    assert_int_equal(satf_filter_output(ctx, filter, &in, &clean), SATF_OK);
    got = clean;
    clean.data = malloc((size_t)(clean.stride * clean.height));
    got.data = malloc((size_t)(got.stride * got.height));
    spoil(ctx, c, filter, &clean, &pixels);
    for (int engine = SATF_ENGINE_AUTO; engine <= SATF_ENGINE_WINDOW; engine++) {
        satf_context_set_engine(ctx, (satf_engine)engine);
        satf_status status = satf_filter_apply(ctx, filter, &in, &clean);
        if (engine != SATF_ENGINE_AUTO && status == SATF_UNSUPPORTED) {
            continue;
        }
        assert_int_equal(status, SATF_OK);
        satf_view spoilt = spoilt_image(c, seed);
        spoilt_set(&spoilt, c->x, c->y, c->channel, c->value);
        assert_int_equal(satf_filter_apply(ctx, filter, &spoilt, &got), SATF_OK);
        snprintf(text, sizeof text, "engine %s, %s", engines[engine], how);
        spoilt_compare(c, &clean, &got, &pixels, text);
        free(spoilt.data);
    }
    satf_context_set_engine(ctx, SATF_ENGINE_AUTO);
    satf_filter_destroy(filter);
    free(in.data);
    free(clean.data);
    free(got.data);
}

/* Every filter, border, float type and such value; windows, channels and places in turn. */
static inline void spoilt_check_all(satf_context *ctx, const char *how)
{
    static const double values[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    static const char *const windows[][2] = {{"7x4", "2:-1"}, {"1x5", "0:2"}, {"25x3", "9:0"}};
    static const int64_t places[][2] = {{40, 30}, {0, 42}, {60, 25}, {11, 28}, {33, 38}};
    static pairs met;
    memset(&met, 0, sizeof met);
    const filter_info *info;
    uint64_t seed = 0;
    for (size_t i = 0; (info = filter_info_at(i)); i++) {
        for (int k = 0; k < 2 * 3 * 6 * 4; k++, seed++) {
            int channels = k / 36 + 1, w = (k + k / 6 + k / 36) % 3;
            if (!PAIRS_RUN(&met, (int)i, k % 2, k / 2 % 3, k / 6 % 6, channels, w)) {
                continue;
            }
            const char *const *window = windows[w];
            const int64_t *place = places[seed % 5];
            spoilt_case c = {info,
                             k % 2 ? SATF_F32 : SATF_F64,
                             channels,
                             k / 6 % 6,
                             channels == 4,
                             window[0],
                             window[1],
                             place[0],
                             place[1],
                             (int)(seed / 5 % (uint64_t)channels),
                             values[k / 2 % 3]};
            c.alpha = c.alpha || (channels == 2 && (filter_last(info)->grey || seed / 3 % 2));
            spoilt_check(ctx, &c, seed, how);
        }
    }
}

#endif
