#include "lengths.h"

#include <math.h>
#include <stdio.h>

#include "../base/image.h"
#include "size.h"

static satf_status fail_length(satf_context *ctx, const chain_link *link, const filter_param *param,
                               const filter_size *size, const char *why)
{
    char text[FILTER_SIZE_BYTES];
    filter_size_print(param, size, text, sizeof text);
    return satf_fail(ctx, SATF_INVALID, "%s=%s of %s is a length, but %s; give it in pixels",
                     param->name, text, link->info->name, why);
}

/* The first parameter from `param` on that is a length; NULL behind the last. */
static const filter_param *next_length(const chain_link *link, const filter_param *param)
{
    for (; param->name; param++) {
        const void *value = link->options + param->offset;
        if (param->kind == PARAM_SIZE && filter_size_is_length(value)) {
            return param;
        }
    }
    return NULL;
}

satf_status filter_check_pixels(satf_context *ctx, const chain_link *link)
{
    const filter_param *param = next_length(link, link->info->params);
    return param ? fail_length(ctx, link, param,
                               (const filter_size *)(const void *)(link->options + param->offset),
                               "pixels in memory have no resolution")
                 : SATF_OK;
}

satf_status filter_check_link(satf_context *ctx, const chain_link *link)
{
    filter_rects *const *rects = chain_value(link, PARAM_TEMPLATE);
    filter_order *const *order = chain_value(link, PARAM_ORDER);
    if (rects && !*rects) {
        return satf_fail(ctx, SATF_INVALID, "%s has no rectangles yet", link->info->name);
    }
    if (order && !*order) {
        return satf_fail(ctx, SATF_INVALID, "%s has no order yet", link->info->name);
    }
    const filter_border *border = chain_value(link, PARAM_BORDER);
    if (filter_last(link->info)->over == OVER_SIDES && border && border->kind == SATF_VALID) {
        return satf_fail(ctx, SATF_INVALID,
                         "%s has windows of many sizes; border valid is for those of one",
                         link->info->name);
    }
    satf_status status = filter_check_pixels(ctx, link);
    return status ? status : filter_check_place(ctx, link);
}

/* *size, a length, becomes pixels. */
static satf_status resolve_size(satf_context *ctx, const filter_param *param, double x, double y,
                                filter_size *size)
{
    double width = filter_side_pixels(size->width, x), height = filter_side_pixels(size->height, y);
    if (fmin(width, height) < param->min || fmax(width, height) > param->max) {
        char length[FILTER_SIZE_BYTES], text[2 * FILTER_SIZE_BYTES];
        filter_size_print(param, size, length, sizeof length);
        snprintf(text, sizeof text, "%s, %.15gx%.15g pixels", length, width, height);
        return param_fail_range(ctx, param, param->name, text);
    }
    *size = (filter_size){(int64_t)width, (int64_t)height};
    return SATF_OK;
}

static bool is_resolution(double per_metre)
{
    return isfinite(per_metre) && per_metre > 0;
}

static satf_status resolve_link(satf_context *ctx, const satf_metadata *from, bool swapped,
                                chain_link *link)
{
    const filter_param *param = link->info->params;
    double x = swapped ? from->resolution_y : from->resolution_x;
    double y = swapped ? from->resolution_x : from->resolution_y;
    bool there = from->has_resolution && is_resolution(x) && is_resolution(y);
    while ((param = next_length(link, param))) {
        filter_size *size = param_value(param, link->options);
        if (!there || !from->resolution_unit) {
            return fail_length(ctx, link, param, size,
                               there ? "the file names its resolution in no unit"
                                     : "the file names no resolution");
        }
        satf_status status = resolve_size(ctx, param, x, y, size);
        if (status) {
            return status;
        }
    }
    return filter_check_place(ctx, link);
}

static satf_status resolve_chain(satf_context *ctx, const satf_metadata *from, satf_filter *chain)
{
    bool swapped = false;
    for (size_t i = 0; i < chain->count; i++) {
        chain_link *link = &chain->links[i];
        satf_status status = resolve_link(ctx, from, swapped, link);
        if (status) {
            return status;
        }
        swapped ^= (filter_turn(filter_last(link->info), link->options) & MOVE_TRANSPOSE) != 0;
    }
    return SATF_OK;
}

satf_status filter_resolve(satf_context *ctx, const satf_filter *filter, const satf_metadata *from,
                           satf_filter **out)
{
    bool found = false;
    *out = NULL;
    for (size_t i = 0; i < filter->count && !found; i++) {
        found = next_length(&filter->links[i], filter->links[i].info->params) != NULL;
    }
    if (!found) {
        return SATF_OK;
    }
    satf_filter *chain = chain_new(ctx);
    satf_status status = chain ? satf_filter_append(ctx, chain, filter) : SATF_NO_MEMORY;
    status = status ? status : resolve_chain(ctx, from, chain);
    if (status) {
        satf_filter_destroy(chain);
        return status;
    }
    *out = chain;
    return SATF_OK;
}
