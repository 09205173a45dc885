/*
 * Pictures, what filters make of them, and other ways to run a filter, which give the same bits:
 * by rows, of a part, on pixels that lie apart. every_filter() walks the table of filters.
 */
#ifndef TESTS_WAYS_H
#define TESTS_WAYS_H

#include "test.h"

#include "base/view.h"
#include "chain/filter.h"
#include "chain/pass.h"
#include "filter_make.h"
#include "filter_reference.h"
#include "pairs.h"

/* A view whose memory goes with its block: SCOPED_VIEW in = draw_image(...); */
static inline void test_free_view(satf_view *view)
{
    free(view->data);
}
#define SCOPED_VIEW __attribute__((unused, cleanup(test_free_view))) satf_view

static const int ref_types[] = {SATF_U8, SATF_U16, SATF_F32, SATF_F64};

/* least ... most */
static inline int64_t pick(uint64_t *random, int64_t least, int64_t most)
{
    return least + (int64_t)(ref_random(random) % (uint64_t)(most - least + 1));
}

/* Any entry of the table. */
static inline const filter_info *pick_info(uint64_t *random)
{
    int64_t count = 0;
    while (filter_info_at((size_t)count)) {
        count++;
    }
    return filter_info_at((size_t)pick(random, 0, count - 1));
}

/* A window of up to 9 x 9, and a place in it, as numbers and in words. */
typedef struct picked_window {
    int64_t w, h, x, y;
    char size[40], at[40];
} picked_window;

static inline picked_window pick_window(uint64_t *random)
{
    picked_window p = {.w = pick(random, 1, 9), .h = pick(random, 1, 9)};
    p.x = pick(random, p.w / 2 - p.w + 1, p.w / 2);
    p.y = pick(random, p.h / 2 - p.h + 1, p.h / 2);
    snprintf(p.size, sizeof p.size, "%ldx%ld", (long)p.w, (long)p.h);
    snprintf(p.at, sizeof p.at, "%ld:%ld", (long)p.x, (long)p.y);
    return p;
}

/* ------------------------------------------------------------------------------ pictures */

/* Samples of which sums are exact, the last channel alpha if `alpha`; rows of `pad` bytes more. */
static inline satf_view draw_image(int64_t width, int64_t height, int channels, int type, int alpha,
                                   int64_t pad, uint64_t seed)
{
    ref_image image = {width, height, channels, type, alpha, NULL};
    ref_fill(&image, seed);
    satf_view view = ref_view(&image, pad);
    free(image.samples);
    return view;
}

/* Of up to 40 pixels across and `most` down. */
static inline satf_view pick_image(uint64_t *random, int64_t most)
{
    int64_t width = pick(random, 1, 40), height = pick(random, 1, most);
    int channels = (int)pick(random, 1, 4), type = ref_types[pick(random, 0, 3)];
    bool alpha = channels % 2 == 0 && pick(random, 0, 1);
    return draw_image(width, height, channels, type, alpha, pick(random, 0, 5), *random);
}

/* Any bytes: of integers all samples. */
static inline satf_view draw_bytes(int64_t width, int64_t height, int channels, int type,
                                   int64_t pad, uint64_t seed)
{
    satf_view view = satf_view_packed(NULL, width, height, channels, (satf_type)type);
    view.stride += pad;
    view.data = malloc((size_t)(view.stride * height));
    for (int64_t i = 0; i < view.stride * height; i++) {
        ((char *)view.data)[i] = (char)(ref_random(&seed) >> 40);
    }
    return view;
}

static inline char *pixel_at(const satf_view *view, int64_t x, int64_t y)
{
    return (char *)satf_row(view, y) + x * satf_pixel_stride(view);
}

/* Another memory for a view like that, every byte of which is `fill`. */
static inline satf_view view_like(const satf_view *like, int fill)
{
    satf_view view = *like;
    view.pixel_stride = 0;
    view.stride = view.width * satf_pixel_bytes(&view);
    view.data = malloc((size_t)(view.stride * view.height));
    memset(view.data, fill, (size_t)(view.stride * view.height));
    return view;
}

/* -------------------------------------------------------------------------------- results */

/* The picture with a channel more, of the weights of its pixels. clears: those of no weight are 0.
 */
static inline satf_view view_with_alpha(const satf_view *in, const satf_view *weights, bool clears)
{
    satf_view out = satf_view_packed(NULL, in->width, in->height, in->channels + 1, in->type);
    size_t bytes = satf_type_bytes(in->type), pixel = bytes * (size_t)in->channels;
    out.data = malloc((size_t)(out.stride * out.height));
    out.flags = SATF_ALPHA;
    for (int64_t i = 0; i < in->width * in->height; i++) {
        char *to = pixel_at(&out, i % in->width, i / in->width);
        const char *weight = pixel_at(weights, i % in->width, i / in->width);
        memcpy(to, pixel_at(in, i % in->width, i / in->width), pixel);
        if (clears && read_sample(in->type, weight) == 0) {
            memset(to, 0, pixel);
        }
        memcpy(to + pixel, weight, bytes);
    }
    return out;
}

static inline satf_view output_of(satf_context *ctx, const satf_filter *filter, const satf_view *in)
{
    satf_view out;
    MUST(ctx, satf_filter_output(ctx, filter, in, &out));
    return view_like(&out, 0x5B);
}

static inline satf_view result_of(satf_context *ctx, const satf_filter *filter, const satf_view *in)
{
    satf_view out = output_of(ctx, filter, in);
    if (satf_filter_apply(ctx, filter, in, &out)) {
        char text[600];
        satf_filter_print(filter, text, sizeof text);
        fail_msg("%s of %s: %s", text, satf_type_name(in->type), satf_message(ctx));
    }
    return out;
}

static inline satf_view made_by(satf_context *ctx, const char *spec, const satf_view *in)
{
    SCOPED_FILTER *filter = parse_filter(ctx, spec);
    return result_of(ctx, filter, in);
}

/* The same shape, and the same bits in each pixel. */
static inline void require_same(const char *what, const char *how, const satf_view *got,
                                const satf_view *want)
{
    if (got->width != want->width || got->height != want->height || got->type != want->type ||
        got->channels != want->channels) {
        fail_msg("%s, %s: %ld x %ld, %d channels of %s", what, how, (long)got->width,
                 (long)got->height, got->channels, satf_type_name(got->type));
    }
    size_t pixel = (size_t)satf_pixel_bytes(want);
    for (int64_t i = 0; i < want->width * want->height; i++) {
        int64_t x = i % want->width, y = i / want->width;
        if (memcmp(pixel_at(got, x, y), pixel_at(want, x, y), pixel) != 0) {
            fail_msg("%s, %s: pixel (%ld, %ld) of %ld x %ld, %d channels of %s, differs", what, how,
                     (long)x, (long)y, (long)want->width, (long)want->height, want->channels,
                     satf_type_name(want->type));
        }
    }
}

/* The rows pushed and pulled by threes and twos, all of them, also those that nobody needs. False:
 * the filter needs the whole picture. */
static inline bool check_rows(satf_context *ctx, const satf_filter *filter, const char *what,
                              const satf_view *in, const satf_view *want)
{
    SCOPED_VIEW out = view_like(want, 1);
    satf_rows *rows;
    int64_t pushed = 0, pulled = 0, n;
    satf_status status = satf_rows_open(ctx, filter, in, &out, &rows);
    if (status == SATF_UNSUPPORTED) {
        return false;
    }
    MUST(ctx, status);
    while (pulled < out.height || pushed < in->height) {
        int64_t most = in->height - pushed < 3 ? in->height - pushed : 3;
        MUST(ctx, satf_rows_push(rows, satf_row(in, pushed), in->stride, most, &n));
        pushed += n;
        most = out.height - pulled < 2 ? out.height - pulled : 2;
        MUST(ctx, satf_rows_pull(rows, satf_row(&out, pulled), out.stride, most, &n));
        pulled += n;
    }
    require_same(what, "by rows", &out, want);
    satf_rows_close(rows);
    return true;
}

/* That part of `whole`, the result. */
static inline void check_part(satf_context *ctx, const satf_filter *filter, const char *what,
                              const satf_view *in, const satf_view *whole, satf_rect where)
{
    satf_view want = satf_view_rect(whole, where);
    SCOPED_VIEW got = view_like(&want, 1);
    MUST(ctx, satf_filter_apply_rect(ctx, filter, in, &where, &got));
    require_same(what, "a part", &got, &want);
}

/* The chain has the bits of `want`, as a whole and by rows. */
static inline void check_ways(satf_context *ctx, const char *spec, const satf_view *in,
                              const satf_view *want)
{
    SCOPED_FILTER *filter = parse_filter(ctx, spec);
    SCOPED_VIEW got = result_of(ctx, filter, in);
    require_same(spec, "whole", &got, want);
    if (!check_rows(ctx, filter, spec, in, want)) {
        fail_msg("%s: %s", spec, satf_message(ctx));
    }
}

/* Whether a filter of the chain sums floats: the last bits of these depend on the crop. */
static inline bool sums_floats(satf_context *ctx, const satf_filter *chain, const satf_view *in)
{
    satf_view at = *in, next;
    bool any = false;
    for (size_t i = 0; i < filter_count(chain); i++, at = next) {
        any = any || (at.type != SATF_U8 && at.type != SATF_U16);
        MUST(ctx, filter_output_at(ctx, chain, i, &at, &next));
    }
    return any;
}

/* A random case's chain as a whole, by rows where it can be, and any part of it. */
static inline void check_number(satf_context *ctx, const satf_filter *chain, const satf_view *in,
                                const satf_view *want, uint64_t *random, int number)
{
    char what[640];
    int used = snprintf(what, sizeof what, "case %d, ", number);
    satf_filter_print(chain, what + used, sizeof what - (size_t)used);
    SCOPED_VIEW got = result_of(ctx, chain, in);
    require_same(what, "whole", &got, want);
    check_rows(ctx, chain, what, in, want);
    satf_rect where = {0, 0, pick(random, 1, want->width), pick(random, 1, want->height)};
    where.x = pick(random, 0, want->width - where.w);
    where.y = pick(random, 0, want->height - where.h);
    if (!sums_floats(ctx, chain, in)) {
        check_part(ctx, chain, what, in, want, where);
    }
}

/* A chain is its second half behind its first. */
static inline void check_halves(satf_context *ctx, const char *first, const char *second,
                                const satf_view *in)
{
    char spec[160];
    uint64_t random = 1;
    snprintf(spec, sizeof spec, "%s %s", first, second);
    SCOPED_FILTER *filter = parse_filter(ctx, spec);
    SCOPED_VIEW half = made_by(ctx, first, in), want = made_by(ctx, second, &half);
    check_number(ctx, filter, in, &want, &random, 0);
}

/* ------------------------------------------------------------------------------ the table */

/* A filter of the table, its image and how it runs. */
typedef struct every_case {
    satf_filter *filter;
    const filter_info *info;
    satf_view in;
    const char *what; /* for messages */
} every_case;

/*
 * Of each filter cases in which each pair of a type, a number of channels, a border, a window and
 * tables or not occurs. The samples are such that no sum of floats rounds.
 */
static inline void every_filter(satf_context *ctx, int64_t width, int64_t height,
                                void (*promise)(satf_context *ctx, const every_case *c))
{
    static const char *const windows[][2] = {{"7x4", "2:-1"}, {"1x5", "0:0"}, {"51x3", "9:0"}};
    enum { BORDERS = SATF_BORDER_SHRINK + 1, ALL = 4 * 4 * BORDERS * 3 * 2, STEP = 235 };
    static pairs met;
    every_case c;
    for (size_t i = 0; (c.info = filter_info_at(i)); i++) {
        memset(&met, 0, sizeof met);
        for (int n = 0, k = 0; n < ALL; n++, k = (k + STEP) % ALL) {
            int type = k % 4, channels = k / 4 % 4 + 1, border = k / 16 % BORDERS;
            int w = k / (16 * BORDERS) % 3, tables = k / (48 * BORDERS);
            char what[120];
            if ((filter_last(c.info)->grey && channels == 2) ||
                !PAIRS_ONLY(&met, type, channels, border, w, tables)) {
                continue;
            }
            snprintf(what, sizeof what, "%s of %s, %d channels, window %s, border %s%s",
                     c.info->name, satf_type_name(ref_types[type]), channels, windows[w][0],
                     satf_border_name(border), tables ? ", by tables" : "");
            SCOPED_VIEW in = draw_image(width, height, channels, ref_types[type], channels == 4, 3,
                                        i * 1000 + (uint64_t)n);
            SCOPED_FILTER *filter =
                make_filter_of(ctx, c.info, border, windows[w][0], windows[w][1], width, height);
            bool grey = filter_last(c.info)->grey && channels > 2; /* which rounds floats */
            use_tables(ctx, filter, in.type, tables && !(grey && satf_type_is_float(in.type)));
            c.filter = filter;
            c.in = in;
            c.what = what;
            promise(ctx, &c);
        }
    }
}

#endif
