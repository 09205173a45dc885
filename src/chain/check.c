/* Checks a chain's parameters before it works (check.h). */
#include "check.h"

#include <string.h>

#include "../base/view.h"
#include "size.h"

satf_status filter_fail_length(satf_context *ctx, const chain_link *link, const filter_param *param,
                               const filter_size *size, const char *why)
{
    char text[FILTER_SIZE_BYTES];
    filter_size_print(param, size, text, sizeof text);
    return satf_fail(ctx, SATF_INVALID, "%s=%s of %s is a length, but %s; give it in pixels",
                     param->name, text, link->info->name, why);
}

const filter_param *filter_next_length(const chain_link *link, const filter_param *param)
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
    const filter_param *param = filter_next_length(link, link->info->params);
    return param ? filter_fail_length(
                       ctx, link, param,
                       (const filter_size *)(const void *)(link->options + param->offset),
                       "pixels in memory have no resolution")
                 : SATF_OK;
}

satf_status filter_check_levels(satf_context *ctx, const chain_link *link, int type)
{
    const int64_t *full = chain_value(link, PARAM_FULL);
    bool is_signed = satf_type_is_signed(type), own_unit = is_signed && full && *full > 0;
    if (satf_type_is_float(type) || own_unit) {
        return SATF_OK;
    }
    for (const filter_param *param = link->info->params; param->name; param++) {
        double level = param_is_level(param)
                           ? *(const double *)(const void *)(link->options + param->offset)
                           : NAN;
        double least = is_signed ? -param->max - 1 : param->min;
        if (level < least || level > param->max) {
            return satf_fail(ctx, SATF_INVALID,
                             "%s = %.15g of %s: %.15g to %.15g are possible for %s samples; %s",
                             param->name, level, link->info->name, least, param->max,
                             satf_type_name(type),
                             is_signed ? "with full=255 levels are the samples themselves"
                                       : "levels of floats may be any number");
        }
    }
    return SATF_OK;
}

satf_status filter_check_instead(satf_context *ctx, const chain_link *link, bool named)
{
    for (const filter_param *param = link->info->params; param->name; param++) {
        char text[40], other[40];
        if (param->kind != PARAM_INSTEAD ||
            !(*(const double *)(const void *)(link->options + param->offset) > 0)) {
            continue;
        }
        const filter_param *front = param - 1;
        param_kind_of(param)->print(param, link->options + param->offset, text, sizeof text);
        param_kind_of(front)->print(front, link->options + front->offset, other, sizeof other);
        bool given = link->given >> (front - link->info->params) & 1;
        if (given && (named || strcmp(other, front->default_text) != 0)) {
            return satf_fail(ctx, SATF_INVALID,
                             "%s=%s of %s sets %s, which is given too, as %s; give one of the two",
                             param->name, text, link->info->name, front->name, other);
        }
    }
    return SATF_OK;
}

/* Fails if the number of boxes is given, and the Gaussian goes by its own weights. */
static satf_status check_passes(satf_context *ctx, const chain_link *link)
{
    const filter_pass *last = filter_last(link->info);
    const filter_param *param = filter_param_find(link->info, "passes");
    char passes[40];
    if (!last->lines || !param || last->lines(link->options).down.times > 0) {
        return SATF_OK;
    }
    param_kind_of(param)->print(param, link->options + param->offset, passes, sizeof passes);
    return strcmp(passes, param->default_text) == 0
               ? SATF_OK
               : satf_fail(ctx, SATF_INVALID,
                           "passes=%s of %s: up to a sigma of %g it has a Gaussian's own weights, "
                           "and no passes of boxes; leave it out",
                           passes, link->info->name, FILTER_GAUSS_WEIGHTS);
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
    if (pass_shape_of(filter_last(link->info))->varies && border &&
        border->kind == SATF_BORDER_VALID) {
        return satf_fail(ctx, SATF_INVALID,
                         "%s has windows of many sizes; border valid is for those of one",
                         link->info->name);
    }
    satf_status status = filter_check_pixels(ctx, link);
    status = status ? status : filter_check_instead(ctx, link, false);
    status = status ? status : check_passes(ctx, link);
    return status ? status : filter_check_place(ctx, link);
}
