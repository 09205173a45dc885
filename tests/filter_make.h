/* Any filter by its table entry alone, and a filter by its text. */
#ifndef SATF_TESTS_FILTER_MAKE_H
#define SATF_TESTS_FILTER_MAKE_H

#include "test.h"

#include "base/view.h"
#include "chain/chain.h"
#include "chain/pass.h"

static inline satf_filter *parse_filter(satf_context *ctx, const char *spec)
{
    satf_filter *filter;
    if (satf_filter_parse(ctx, spec, &filter)) {
        fail_msg("%s: %s", spec, satf_message(ctx));
    }
    return filter;
}

/* Whether it begins along lines. */
static inline bool goes_along_lines(const filter_info *info)
{
    return filter_any_way(info)->list[0].over == OVER_LINES;
}

/* Tables, if the filter has some of such samples, or whatever is fastest. */
static inline void use_tables(satf_context *ctx, const satf_filter *filter, int type, bool tables)
{
    bool none = false;
    for (size_t i = 0; i < filter->count; i++) { /* others may make floats of integers */
        filter_over over = filter_last(filter->links[i].info)->over;
        none = none ||
               ((i > 0 || satf_type_is_float(type)) && (over == OVER_LEAST || over == OVER_SIDES));
    }
    satf_context_set_engine(ctx, tables ? SATF_ENGINE_SAT : SATF_ENGINE_AUTO);
    if (none || satf_filter_check_engine(ctx, filter)) {
        satf_context_set_engine(ctx, SATF_ENGINE_AUTO);
    }
}

/* How far those of its passes that go along lines look; 0: there are none. */
static inline int64_t reach_along_lines(const satf_filter *filter)
{
    const chain_link *link = &filter->links[0];
    const filter_passes *way = filter_any_way(link->info);
    int64_t most = 0;
    for (int k = 0; k < way->count; k++) {
        filter_axes axes = {0};
        if (way->list[k].lines) {
            axes = way->list[k].lines(link->options);
        }
        most = filter_lines_reach(&axes.down) > most ? filter_lines_reach(&axes.down) : most;
    }
    return most;
}

/* A filter that has to have an auxiliary input gets one of that size, of grey bytes. */
static inline void give_image(satf_context *ctx, satf_filter *filter, const filter_info *info,
                              int64_t width, int64_t height)
{
    if (!info->needs_value || info->params->kind != PARAM_IMAGE) {
        return;
    }
    SCOPED uint8_t *pixels = malloc((size_t)(width * height));
    for (int64_t i = 0; i < width * height; i++) {
        pixels[i] = (uint8_t)(i * i % 251);
    }
    satf_view image = satf_view_packed(pixels, width, height, 1, SATF_U8);
    assert_int_equal(satf_filter_set_image(ctx, filter, &image), SATF_OK);
}

/* With that border (1 for constant; clamp for valid where windows have many sizes) and window, at
 * that place ("0:0"), as far as it has those; for an image of that size, of which 5 does not divide
 * the number of pixels. */
static inline satf_filter *make_filter_of(satf_context *ctx, const filter_info *info, int border,
                                          const char *size, const char *at, int64_t width,
                                          int64_t height)
{
    int64_t pixels = width * height;
    satf_filter *filter;
    assert_int_equal(satf_filter_create(ctx, info->name, &filter), SATF_OK);
    if (filter_param_of_kind(info, PARAM_SIZE)) {
        assert_int_equal(satf_filter_set(ctx, filter, "size", size), SATF_OK);
    }
    if (filter_param_of_kind(info, PARAM_SHAPE)) {
        assert_int_equal(satf_filter_set(ctx, filter, "size", "80%"), SATF_OK);
    }
    if (filter_param_of_kind(info, PARAM_PART)) { /* of n pixels n / 6 are left out in front */
        char part[96];
        snprintf(part, sizeof part, "%ldx%ld+%ld+%ld", (long)(width - width / 5),
                 (long)(height - height / 5), (long)(width / 6), (long)(height / 6));
        assert_int_equal(satf_filter_set(ctx, filter, "part", part), SATF_OK);
    }
    if (filter_param_of_kind(info, PARAM_PLACE)) {
        assert_int_equal(satf_filter_set(ctx, filter, "at", at), SATF_OK);
    }
    bool sides = filter_last(info)->over == OVER_SIDES;
    border = sides && border == SATF_BORDER_VALID ? SATF_BORDER_CLAMP : border;
    if (filter_param_of_kind(info, PARAM_BORDER)) {
        assert_int_equal(satf_filter_set_border(ctx, filter, (satf_border)border, 1), SATF_OK);
    }
    if (filter_param_of_kind(info, PARAM_TEMPLATE)) {
        static const satf_weighted_rect rects[] = {{{-3, -2, 5, 7}, 1}, {{0, 0, 2, 2}, -0.5}};
        assert_int_equal(satf_filter_set_rects(ctx, filter, rects, 2), SATF_OK);
    }
    if (filter_param_of_kind(info, PARAM_ORDER)) {
        SCOPED int64_t *order = malloc((size_t)pixels * sizeof *order);
        for (int64_t i = 0; i < pixels; i++) {
            order[i] = i * 5 % pixels;
        }
        assert_int_equal(satf_filter_set_order(ctx, filter, order, (size_t)pixels), SATF_OK);
    }
    give_image(ctx, filter, info, width, height);
    return filter;
}

#endif
