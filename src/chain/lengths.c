/* Makes windows of a chain that are lengths (size.h) pixels. */
#include "check.h"

#include <math.h>
#include <stdio.h>

#include "../base/image.h"
#include "region.h"
#include "size.h"

/* Makes *size, a length, pixels. */
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

static satf_status resolve_link(satf_context *ctx, const satf_metadata *from, double x, double y,
                                chain_link *link)
{
    const filter_param *param = link->info->params;
    bool is_known = from->has_resolution && is_resolution(x) && is_resolution(y);
    while ((param = filter_next_length(link, param))) {
        filter_size *size = param_value(param, link->options);
        if (!is_known || !from->resolution_unit) {
            return filter_fail_length(ctx, link, param, size,
                                      is_known ? "the file names its resolution in no unit"
                                               : "the file names no resolution");
        }
        satf_status status = resolve_size(ctx, param, x, y, size);
        if (status) {
            return status;
        }
    }
    return filter_check_place(ctx, link);
}

static satf_status resolve_chain(satf_context *ctx, const satf_view *in, const satf_metadata *from,
                                 satf_filter *chain)
{
    int64_t width = in->width, height = in->height;
    double x = from->resolution_x, y = from->resolution_y;
    for (size_t i = 0; i < chain->count; i++) {
        chain_link *link = &chain->links[i];
        const filter_pass *last = filter_last(link->info);
        satf_status status = resolve_link(ctx, from, x, y, link);
        if (status) {
            return status;
        }
        double wide = (double)width, high = (double)height, across = x;
        filter_result_size(link, &width, &height);
        if (filter_symmetry(last, link->options) & MOVE_TRANSPOSE) {
            x = y;
            y = across;
        } else if (filter_scales(last)) {
            x *= (double)width / wide;
            y *= (double)height / high;
        }
    }
    return SATF_OK;
}

satf_status filter_resolve(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                           const satf_metadata *from, satf_filter **out)
{
    bool found = false;
    *out = NULL;
    for (size_t i = 0; i < filter->count && !found; i++) {
        found = filter_next_length(&filter->links[i], filter->links[i].info->params) != NULL;
    }
    if (!found) {
        return SATF_OK;
    }
    satf_filter *chain = chain_new(ctx);
    satf_status status = chain ? satf_filter_append(ctx, chain, filter) : SATF_NO_MEMORY;
    status = status ? status : resolve_chain(ctx, in, from, chain);
    if (status) {
        satf_filter_destroy(chain);
        return status;
    }
    *out = chain;
    return SATF_OK;
}
