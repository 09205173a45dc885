/* Chains of filters: creating, setting parameters by type, appending. */
#include "chain.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../base/border.h"
#include "../base/memory.h"

satf_filter *chain_new(satf_context *ctx)
{
    satf_filter *chain = satf_alloc_zeroed(sizeof *chain);
    if (!chain) {
        satf_fail_memory(ctx, sizeof *chain, "a filter");
    }
    return chain;
}

/* Room for `more` links behind the last. */
static satf_status chain_grow(satf_context *ctx, satf_filter *chain, size_t more)
{
    size_t count, bytes;
    if (!satf_add(chain->count, more, &count) || !satf_mul(count, sizeof *chain->links, &bytes)) {
        return satf_fail(ctx, SATF_INVALID, "the chain has too many filters");
    }
    chain_link *links = satf_alloc(bytes);
    if (!links) {
        return satf_fail_memory(ctx, bytes, "a chain of filters");
    }
    if (chain->count) {
        memcpy(links, chain->links, chain->count * sizeof *links);
    }
    satf_free(chain->links);
    chain->links = links;
    return SATF_OK;
}

/* What the values own or share. */
static void release(filter_values *values)
{
    satf_free(values->rects);
    filter_order_release(values->order);
}

satf_status chain_add(satf_context *ctx, satf_filter *chain, const filter_info *info)
{
    satf_status status = chain_grow(ctx, chain, 1);
    if (status) {
        return status;
    }
    chain_link *link = &chain->links[chain->count];
    memset(link, 0, sizeof *link);
    link->info = info;
    for (const filter_param *param = info->params; param->name; param++) {
        if (param->default_text && param->kind != PARAM_FLAG) {
            status = filter_set_param(ctx, link, param, param->default_text);
            if (status) {
                return status;
            }
        }
    }
    link->values.border_given = false;
    chain->count++;
    return SATF_OK;
}

const filter_param *filter_param_find(const filter_info *info, const char *name)
{
    for (const filter_param *param = info->params; param->name; param++) {
        if (strcmp(param->name, name) == 0) {
            return param;
        }
    }
    return NULL;
}

const filter_param *filter_param_of_kind(const filter_info *info, param_kind kind)
{
    for (const filter_param *param = info->params; param->name; param++) {
        if (param->kind == kind) {
            return param;
        }
    }
    return NULL;
}

satf_status filter_fail_name(satf_context *ctx, const char *name)
{
    char names[256] = "";
    size_t used = 0;
    const char *known;
    for (size_t i = 0; (known = satf_filter_name(i, NULL)) && used < sizeof names; i++) {
        int n = snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", known);
        used += n > 0 ? (size_t)n : 0;
    }
    return satf_fail(ctx, SATF_INVALID, "no filter is called '%.80s'; there are %s", name, names);
}

const char *filter_rect_defect(const satf_weighted_rect *rect)
{
    const satf_rect *r = &rect->rect;
    if (r->w < 1 || r->w > FILTER_MAX_SIZE || r->h < 1 || r->h > FILTER_MAX_SIZE) {
        return "its width and height must be 1 to 65535";
    }
    if (r->x < -FILTER_MAX_OFFSET || r->x > FILTER_MAX_OFFSET || r->y < -FILTER_MAX_OFFSET ||
        r->y > FILTER_MAX_OFFSET) {
        return "its x and y must lie within 1073741824 of 0";
    }
    return isfinite(rect->weight) ? NULL : "its weight must be a finite number";
}

satf_status filter_copy_rects(satf_context *ctx, filter_values *values,
                              const satf_weighted_rect *rects, size_t count)
{
    if (count < 1 || count > FILTER_MAX_RECTS) {
        return satf_fail(ctx, SATF_INVALID, "a template of %zu rectangles: 1 to %d are possible",
                         count, FILTER_MAX_RECTS);
    }
    for (size_t k = 0; k < count; k++) {
        const char *defect = filter_rect_defect(&rects[k]);
        if (defect) {
            return satf_fail(ctx, SATF_INVALID, "rectangle %zu of the template: %s", k, defect);
        }
    }
    satf_weighted_rect *copy = satf_alloc(count * sizeof *copy);
    if (!copy) {
        return satf_fail_memory(ctx, count * sizeof *copy, "a template");
    }
    memcpy(copy, rects, count * sizeof *copy);
    satf_free(values->rects);
    values->rects = copy;
    values->rect_count = count;
    return SATF_OK;
}

size_t filter_count(const satf_filter *filter)
{
    return filter->count;
}

const filter_info *filter_at(const satf_filter *filter, size_t index, const filter_values **values)
{
    if (index >= filter->count) {
        return NULL;
    }
    if (values) {
        *values = &filter->links[index].values;
    }
    return filter->links[index].info;
}

void filter_default_border(satf_filter *filter, satf_border border, double constant)
{
    for (size_t i = 0; i < filter->count; i++) {
        chain_link *link = &filter->links[i];
        if (filter_param_of_kind(link->info, PARAM_BORDER) && !link->values.border_given) {
            link->values.border = border;
            link->values.constant = constant;
        }
    }
}

satf_status satf_filter_create(satf_context *ctx, const char *name, satf_filter **out)
{
    if (out) {
        *out = NULL;
    }
    if (!ctx) {
        return SATF_INVALID;
    }
    if (!name || !out) {
        return satf_fail(ctx, SATF_INVALID, "the %s is missing", name ? "result" : "filter's name");
    }
    const filter_info *info = filter_info_find(name);
    if (!info) {
        return filter_fail_name(ctx, name);
    }
    satf_filter *chain = chain_new(ctx);
    if (!chain) {
        return SATF_NO_MEMORY;
    }
    satf_status status = chain_add(ctx, chain, info);
    if (status) {
        satf_filter_destroy(chain);
        return status;
    }
    *out = chain;
    return SATF_OK;
}

static satf_status fail_param(satf_context *ctx, const chain_link *link, const char *param)
{
    return satf_fail(ctx, SATF_INVALID, "%s has no parameter '%.80s' of this kind",
                     link->info->name, param);
}

satf_status satf_filter_set_int(satf_context *ctx, satf_filter *filter, const char *param,
                                int64_t value)
{
    if (!ctx) {
        return SATF_INVALID;
    }
    if (!filter || !param) {
        return satf_fail(ctx, SATF_INVALID, "the %s is missing", filter ? "parameter" : "filter");
    }
    chain_link *link = chain_last(filter);
    bool width = strcmp(param, "width") == 0;
    if ((width || strcmp(param, "height") == 0) && filter_param_of_kind(link->info, PARAM_SIZE)) {
        if (value < 1 || value > FILTER_MAX_SIZE) {
            return satf_fail(ctx, SATF_INVALID, "%s = %" PRId64 ": 1 to %d are possible", param,
                             value, FILTER_MAX_SIZE);
        }
        *(width ? &link->values.width : &link->values.height) = value;
        return SATF_OK;
    }
    const filter_param *flag = filter_param_find(link->info, param);
    if (flag && flag->kind == PARAM_CHOICE) {
        char text[24];
        snprintf(text, sizeof text, "%" PRId64, value);
        return filter_set_param(ctx, link, flag, text);
    }
    if (!flag || flag->kind != PARAM_FLAG) {
        return fail_param(ctx, link, param);
    }
    if (value != 0 && value != 1) {
        return satf_fail(ctx, SATF_INVALID, "%s = %" PRId64 ": 0 and 1 are possible", param, value);
    }
    return filter_set_param(ctx, link, flag, value ? "on" : "off");
}

satf_status satf_filter_set_double(satf_context *ctx, satf_filter *filter, const char *param,
                                   double value)
{
    if (!ctx) {
        return SATF_INVALID;
    }
    if (!filter || !param) {
        return satf_fail(ctx, SATF_INVALID, "the %s is missing", filter ? "parameter" : "filter");
    }
    chain_link *link = chain_last(filter);
    if (strcmp(param, "constant") != 0 || !filter_param_of_kind(link->info, PARAM_BORDER)) {
        return fail_param(ctx, link, param);
    }
    return satf_filter_set_border(ctx, filter, SATF_CONSTANT, value);
}

satf_status satf_filter_set_border(satf_context *ctx, satf_filter *filter, satf_border border,
                                   double constant)
{
    if (!ctx) {
        return SATF_INVALID;
    }
    if (!filter) {
        return satf_fail(ctx, SATF_INVALID, "the filter is missing");
    }
    chain_link *link = chain_last(filter);
    if (!filter_param_of_kind(link->info, PARAM_BORDER)) {
        return satf_fail(ctx, SATF_INVALID, "%s has no border", link->info->name);
    }
    if (!satf_border_name((int)border)) {
        return satf_fail(ctx, SATF_INVALID, "there is no border number %d", (int)border);
    }
    if (border == SATF_CONSTANT && !isfinite(constant)) {
        return satf_fail(ctx, SATF_INVALID, "constant = %g: it must be a finite number", constant);
    }
    link->values.border = border;
    link->values.constant = border == SATF_CONSTANT ? constant : 0;
    link->values.border_given = true;
    return SATF_OK;
}

satf_status satf_filter_set_rects(satf_context *ctx, satf_filter *filter,
                                  const satf_weighted_rect *rects, size_t count)
{
    if (!ctx) {
        return SATF_INVALID;
    }
    if (!filter || !rects) {
        return satf_fail(ctx, SATF_INVALID, "the %s missing",
                         filter ? "rectangles are" : "filter is");
    }
    chain_link *link = chain_last(filter);
    if (!filter_param_of_kind(link->info, PARAM_TEMPLATE)) {
        return satf_fail(ctx, SATF_INVALID, "%s takes no rectangles", link->info->name);
    }
    return filter_copy_rects(ctx, &link->values, rects, count);
}

satf_status satf_filter_set_order(satf_context *ctx, satf_filter *filter, const int64_t *order,
                                  size_t count)
{
    if (!ctx) {
        return SATF_INVALID;
    }
    if (!filter || !order) {
        return satf_fail(ctx, SATF_INVALID, "the %s missing", filter ? "order is" : "filter is");
    }
    chain_link *link = chain_last(filter);
    if (!filter_param_of_kind(link->info, PARAM_ORDER)) {
        return satf_fail(ctx, SATF_INVALID, "%s takes no order", link->info->name);
    }
    filter_order *made;
    satf_status status = filter_order_make(ctx, order, count, &made);
    if (!status) {
        filter_order_release(link->values.order);
        link->values.order = made;
    }
    return status;
}

satf_status satf_filter_append(satf_context *ctx, satf_filter *chain, const satf_filter *tail)
{
    if (!ctx) {
        return SATF_INVALID;
    }
    if (!chain || !tail) {
        return satf_fail(ctx, SATF_INVALID, "the %s is missing", chain ? "tail" : "chain");
    }
    size_t count = chain->count, more = tail->count; /* tail may be the chain itself */
    satf_status status = chain_grow(ctx, chain, more);
    if (status) {
        return status;
    }
    for (size_t i = 0; i < more; i++) {
        chain_link link = tail->links[i];
        const satf_weighted_rect *rects = link.values.rects;
        link.values.rects = NULL;
        filter_order_share(link.values.order);
        if (rects) {
            status = filter_copy_rects(ctx, &link.values, rects, link.values.rect_count);
        }
        if (status) {
            filter_order_release(link.values.order);
            while (i-- > 0) {
                release(&chain->links[count + i].values);
            }
            return status;
        }
        chain->links[count + i] = link;
    }
    chain->count = count + more;
    return SATF_OK;
}

void satf_filter_destroy(satf_filter *filter)
{
    if (filter) {
        for (size_t i = 0; i < filter->count; i++) {
            release(&filter->links[i].values);
        }
        satf_free(filter->links);
        satf_free(filter);
    }
}
