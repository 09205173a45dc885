/* Chains of filters: creates them, sets parameters by type, appends. */
#include "chain.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../base/border.h"
#include "../base/memory.h"
#include "size.h"

satf_filter *chain_new(satf_context *ctx)
{
    satf_filter *chain = satf_alloc_zeroed(sizeof *chain);
    if (!chain) {
        satf_fail_memory(ctx, sizeof *chain, "a filter");
    }
    return chain;
}

/* Makes room for `more` links behind the last, and for as many again: n calls copy O(n) links. */
static satf_status chain_grow(satf_context *ctx, satf_filter *chain, size_t more)
{
    size_t count;
    if (!satf_add(chain->count, more, &count) || count > SATF_MAX_FILTERS) {
        return satf_fail(
            ctx, SATF_LIMIT,
            "a chain of more than %d filters: above the limit (limit: number of filters)",
            SATF_MAX_FILTERS);
    }
    if (count <= chain->room) {
        return SATF_OK;
    }
    size_t room = chain->room ? 2 * count : count, bytes = room * sizeof *chain->links;
    chain_link *links = satf_alloc(bytes);
    if (!links) {
        return satf_fail_memory(ctx, bytes, "a chain of filters");
    }
    if (chain->count) {
        memcpy(links, chain->links, chain->count * sizeof *links);
    }
    satf_free(chain->links);
    chain->links = links;
    chain->room = room;
    return SATF_OK;
}

static void chain_release(chain_link *link)
{
    for (const filter_param *param = link->info->params; param->name; param++) {
        if (param_kind_of(param)->release) {
            param_kind_of(param)->release(param_value(param, link->options));
        }
    }
}

static void chain_share(chain_link *link)
{
    for (const filter_param *param = link->info->params; param->name; param++) {
        if (param_kind_of(param)->share) {
            param_kind_of(param)->share(param_value(param, link->options));
        }
    }
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
    for (const filter_param *param = info->params; param->name && !status; param++) {
        if (param->default_text) {
            status = filter_set_param(ctx, link, param, param->default_text);
        }
    }
    link->given = 0;
    chain->count += !status;
    return status;
}

satf_status filter_fail_name(satf_context *ctx, const char *name)
{
    char names[SATF_MESSAGE_BYTES - 256] = "";
    size_t used = 0;
    const char *known;
    for (size_t i = 0; (known = satf_filter_name(i, NULL, 0)); i++) {
        int n = snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", known);
        if (n < 0 || (size_t)n >= sizeof names - used) {
            names[used] = '\0'; /* modules may add many */
            break;
        }
        used += (size_t)n;
    }
    return satf_fail(ctx, SATF_INVALID, "no filter is called '%.*s'; there are %s%s",
                     SATF_MOST(name, 80), names, known ? ", ..." : "");
}

/* The first parameter whose value, in the options themselves, the text may be. */
static const filter_param *param_taking(satf_context *ctx, const filter_info *info,
                                        const char *text)
{
    const unsigned plain = 1U << PARAM_INTEGER | 1U << PARAM_REAL | 1U << PARAM_LEVEL |
                           1U << PARAM_DISTANCE | 1U << PARAM_FULL | 1U << PARAM_AUX_FULL |
                           1U << PARAM_PLACE | 1U << PARAM_BORDER | 1U << PARAM_CHOICE;
    double value[sizeof(filter_place) / sizeof(double)];
    for (const filter_param *param = info->params; param->name; param++) {
        if ((plain >> param->kind & 1) &&
            param_kind_of(param)->parse(ctx, info, param, text, value) == SATF_OK) {
            return param;
        }
    }
    return NULL;
}

satf_status filter_fail_param(satf_context *ctx, const filter_info *info, const char *name)
{
    char names[128] = "";
    const filter_param *meant = param_taking(ctx, info, name);
    if (meant) {
        return satf_fail(ctx, SATF_INVALID, "'%s' of %s lacks its parameter's name: %s=%s", name,
                         info->name, meant->name, name);
    }
    for (const filter_param *param = info->params; param->name; param++) {
        size_t used = strlen(names);
        strncat(names, param == info->params ? "" : ", ", sizeof names - 1 - used);
        used = strlen(names);
        strncat(names, param->name, sizeof names - 1 - used);
    }
    return satf_fail(ctx, SATF_INVALID, "%s has no parameter '%.*s'; there %s%s", info->name,
                     SATF_MOST(name, 80), *names ? "are: " : "is none", names);
}

satf_status filter_set_param(satf_context *ctx, chain_link *link, const filter_param *param,
                             const char *text)
{
    if (param->kind != PARAM_FLAG && (!text || !*text)) {
        return satf_fail(ctx, SATF_INVALID, "%s of %s needs a value: %s=%s", param->name,
                         link->info->name, param->name, param->metavar);
    }
    satf_status status = param_kind_of(param)->parse(ctx, link->info, param, text,
                                                     param_value(param, link->options));
    if (!status) {
        chain_note_given(link, param);
    }
    return status;
}

satf_status filter_check_place(satf_context *ctx, const chain_link *link)
{
    const filter_size *size = chain_value(link, PARAM_SIZE);
    const filter_place *at = chain_value(link, PARAM_PLACE);
    if (!size || !at || filter_size_is_length(size)) {
        return SATF_OK;
    }
    int64_t w = size->width, h = size->height, x = at->x, y = at->y;
    if (x > w / 2 || x <= w / 2 - w || y > h / 2 || y <= h / 2 - h) {
        return satf_fail(ctx, SATF_INVALID,
                         "at=%" PRId64 ":%" PRId64 " of %s: a window of %" PRId64 " x %" PRId64
                         " contains its own pixel for %" PRId64 " to %" PRId64 " and %" PRId64
                         " to %" PRId64,
                         x, y, link->info->name, w, h, w / 2 - w + 1, w / 2, h / 2 - h + 1, h / 2);
    }
    return SATF_OK;
}

size_t filter_count(const satf_filter *filter)
{
    return filter->count;
}

const filter_info *filter_at(const satf_filter *filter, size_t index)
{
    return index < filter->count ? filter->links[index].info : NULL;
}

const void *filter_options(const satf_filter *filter, size_t index)
{
    return index < filter->count ? filter->links[index].options : NULL;
}

int satf_filter_knows_colours(const satf_filter *filter)
{
    satf_view colour = {.channels = 3};
    bool knows = false;
    for (size_t i = 0; filter && i < filter->count; i++) {
        const chain_link *link = &filter->links[i];
        const filter_passes *way = filter_way(link->info, link->options, &colour, true);
        const filter_pass *pass = &way->list[way->count - 1];
        bool guides = link->info->colour_aux && link->info->colour_aux(link->options);
        knows = knows || pass->grey || filter_reads(pass, FORMULA_LUMA) || guides;
    }
    return knows;
}

/* How many filters are left without those at the end that only move pixels. */
static size_t count_without_moves(const satf_filter *filter)
{
    size_t count = filter->count;
    while (count > 0 && pass_shape_of(filter_last(filter->links[count - 1].info))->moves) {
        count--;
    }
    return count;
}

bool filter_only_moves(const satf_filter *filter)
{
    return count_without_moves(filter) == 0;
}

bool filter_is_bilevel(const satf_filter *filter)
{
    size_t count = count_without_moves(filter);
    const chain_link *link = count > 0 ? &filter->links[count - 1] : NULL;
    return link && filter_type(filter_last(link->info), link->options) == TYPE_BILEVEL;
}

satf_status satf_filter_set_default_border(satf_context *ctx, satf_filter *filter,
                                           satf_border border, double constant)
{
    if (!ctx) {
        return SATF_INVALID;
    }
    if (!filter || !satf_border_name((int)border) || !isfinite(constant)) {
        return satf_fail(ctx, SATF_INVALID,
                         filter ? "the border is none, or its constant not finite"
                                : "the filter is missing");
    }
    for (size_t i = 0; i < filter->count; i++) {
        chain_link *link = &filter->links[i];
        const filter_param *param = filter_param_of_kind(link->info, PARAM_BORDER);
        if (param && !(link->given >> (param - link->info->params) & 1)) {
            *(filter_border *)param_value(param, link->options) =
                (filter_border){(int32_t)border, border == SATF_BORDER_CONSTANT ? constant : 0};
        }
    }
    return SATF_OK;
}

satf_status satf_filter_create(satf_context *ctx, const char *name, satf_filter **out)
{
    if (out) {
        *out = NULL;
    }
    satf_status status = satf_check_given(ctx, name, "filter's name is", out, "result is");
    if (status) {
        return status;
    }
    const filter_info *info = filter_info_find(name);
    if (!info) {
        return filter_fail_name(ctx, name);
    }
    satf_filter *chain = chain_new(ctx);
    status = chain ? chain_add(ctx, chain, info) : SATF_NO_MEMORY;
    if (status) {
        satf_filter_destroy(chain);
        return status;
    }
    *out = chain;
    return SATF_OK;
}

/* ------------------------------------------------------- setting parameters */

satf_status satf_filter_set(satf_context *ctx, satf_filter *filter, const char *param,
                            const char *text)
{
    satf_status missing = satf_check_given(ctx, filter, "filter is", param, "parameter is");
    if (missing) {
        return missing;
    }
    chain_link *link = chain_last(filter);
    const filter_param *found = filter_param_find(link->info, param);
    return found ? filter_set_param(ctx, link, found, text)
                 : filter_fail_param(ctx, link->info, param);
}

static satf_status fail_kind(satf_context *ctx, const chain_link *link, const char *param)
{
    return satf_fail(ctx, SATF_INVALID, "%s has no parameter '%.*s' of this kind", link->info->name,
                     SATF_MOST(param, 80));
}

/* Sets both sides of a window, for "size", or one, for "width" and "height". */
static satf_status set_sides(satf_context *ctx, chain_link *link, const filter_param *param,
                             const char *name, int64_t value)
{
    filter_size *size = param_value(param, link->options);
    if ((double)value < param->min || (double)value > param->max) {
        char text[24];
        snprintf(text, sizeof text, "%" PRId64, value);
        return param_fail_range(ctx, param, name, text);
    }
    if (filter_size_is_length(size) && strcmp(name, param->name) != 0) {
        return satf_fail(ctx, SATF_INVALID,
                         "%s = %" PRId64 ": the window of %s is a length; set both sides", name,
                         value, link->info->name);
    }
    size->width = strcmp(name, "height") == 0 ? size->width : value;
    size->height = strcmp(name, "width") == 0 ? size->height : value;
    chain_note_given(link, param);
    return SATF_OK;
}

satf_status satf_filter_set_int(satf_context *ctx, satf_filter *filter, const char *param,
                                int64_t value)
{
    satf_status missing = satf_check_given(ctx, filter, "filter is", param, "parameter is");
    if (missing) {
        return missing;
    }
    chain_link *link = chain_last(filter);
    bool side = strcmp(param, "width") == 0 || strcmp(param, "height") == 0;
    const filter_param *found =
        side ? filter_param_of_kind(link->info, PARAM_SIZE) : filter_param_find(link->info, param);
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, value);
    switch (found ? (int)found->kind : -1) {
    case PARAM_SIZE:
        return set_sides(ctx, link, found, param, value);
    case PARAM_INTEGER:
    case PARAM_FULL:
    case PARAM_AUX_FULL:
    case PARAM_REAL:
    case PARAM_LEVEL:
    case PARAM_DISTANCE:
    case PARAM_INSTEAD:
    case PARAM_CHOICE:
        return filter_set_param(ctx, link, found, text);
    case PARAM_FLAG:
        return value == 0 || value == 1
                   ? filter_set_param(ctx, link, found, value ? "on" : "off")
                   : satf_fail(ctx, SATF_INVALID, "%s = %s: 0 and 1 are possible", param, text);
    default:
        return fail_kind(ctx, link, param);
    }
}

satf_status satf_filter_set_double(satf_context *ctx, satf_filter *filter, const char *param,
                                   double value)
{
    satf_status missing = satf_check_given(ctx, filter, "filter is", param, "parameter is");
    if (missing) {
        return missing;
    }
    chain_link *link = chain_last(filter);
    const filter_param *found = filter_param_find(link->info, param);
    if (found &&
        (found->kind == PARAM_REAL || found->kind == PARAM_INSTEAD || param_is_level(found))) {
        if (!param_takes(found, value)) {
            char text[32];
            snprintf(text, sizeof text, "%.15g", value);
            return param_fail_range(ctx, found, param, text);
        }
        *(double *)param_value(found, link->options) = value;
        chain_note_given(link, found);
        return SATF_OK;
    }
    if (strcmp(param, "constant") != 0 || !filter_param_of_kind(link->info, PARAM_BORDER)) {
        return fail_kind(ctx, link, param);
    }
    return satf_filter_set_border(ctx, filter, SATF_BORDER_CONSTANT, value);
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
    const filter_param *param = filter_param_of_kind(link->info, PARAM_BORDER);
    if (!param) {
        return satf_fail(ctx, SATF_INVALID, "%s has no border", link->info->name);
    }
    if (!satf_border_name((int)border)) {
        return satf_fail(ctx, SATF_INVALID, "there is no border number %d", (int)border);
    }
    if (border == SATF_BORDER_CONSTANT && !isfinite(constant)) {
        return satf_fail(ctx, SATF_INVALID, "constant = %g: it must be a finite number", constant);
    }
    *(filter_border *)param_value(param, link->options) =
        (filter_border){(int32_t)border, border == SATF_BORDER_CONSTANT ? constant : 0};
    chain_note_given(link, param);
    return SATF_OK;
}

/* Finds the last filter's parameter of a kind, for `given`: what = "rectangles are". */
static satf_status find_kind(satf_context *ctx, satf_filter *filter, param_kind kind,
                             const void *given, const char *what, const filter_param **param)
{
    satf_status status = satf_check_given(ctx, filter, "filter is", given, what);
    if (!status) {
        const filter_info *info = chain_last(filter)->info;
        *param = filter_param_of_kind(info, kind);
        status = *param ? SATF_OK
                        : satf_fail(ctx, SATF_INVALID, "%s takes no %.*s", info->name,
                                    (int)(strrchr(what, ' ') - what), what);
        satf_progress_none(ctx);
    }
    return status;
}

/* Makes the pointer at `made` the parameter's value, unless making it failed. */
static satf_status keep(satf_filter *filter, const filter_param *param, satf_status status,
                        const void *made)
{
    chain_link *link = chain_last(filter);
    if (!status) {
        param_kind_of(param)->release(param_value(param, link->options));
        memcpy(param_value(param, link->options), made, sizeof(void *));
        chain_note_given(link, param);
    }
    return status;
}

satf_status satf_filter_set_rects(satf_context *ctx, satf_filter *filter,
                                  const satf_weighted_rect *rects, size_t count)
{
    const filter_param *param;
    filter_rects *made = NULL;
    satf_status status = find_kind(ctx, filter, PARAM_TEMPLATE, rects, "rectangles are", &param);
    if (!status) {
        status = keep(filter, param, filter_rects_make(ctx, rects, count, &made), &made);
    }
    return status;
}

satf_status satf_filter_set_order(satf_context *ctx, satf_filter *filter, const int64_t *order,
                                  size_t count)
{
    const filter_param *param;
    filter_order *made = NULL;
    satf_status status = find_kind(ctx, filter, PARAM_ORDER, order, "order is", &param);
    if (!status) {
        status = keep(filter, param, filter_order_make(ctx, order, count, &made), &made);
    }
    return status;
}

satf_status satf_filter_set_image(satf_context *ctx, satf_filter *filter, const satf_view *image)
{
    const filter_param *param;
    filter_picture *made = NULL;
    satf_status status = find_kind(ctx, filter, PARAM_IMAGE, image, "auxiliary input is", &param);
    if (!status) {
        status = keep(filter, param, filter_picture_make(ctx, image, &made), &made);
    }
    return status;
}

void chain_count_as(satf_filter *chain, const satf_filter *other)
{
    chain->counting = other->counting;
    filter_picture_share(chain->counting.weights);
}

/* Whether the chain itself says which pixels do not count. */
static bool counts_apart(const satf_filter *chain)
{
    const chain_counting *says = &chain->counting;
    return says->omits_nan || says->says_nodata || says->weights;
}

satf_status satf_filter_append(satf_context *ctx, satf_filter *chain, const satf_filter *tail)
{
    satf_status status = satf_check_given(ctx, chain, "chain is", tail, "tail is");
    if (!status && chain->count > 0 && counts_apart(tail) && !chain_counts_alike(chain, tail)) {
        status = satf_fail(ctx, SATF_INVALID,
                           "the filters to append have weights, NaN or nodata of their own, and "
                           "the chain has others; satf_filter_set_missing() and "
                           "satf_filter_set_weights() say these of a whole chain");
    }
    if (status) {
        return status;
    }
    size_t count = chain->count, more = tail->count; /* tail may be the chain itself */
    status = chain_grow(ctx, chain, more);
    for (size_t i = 0; !status && i < more; i++) {
        chain->links[count + i] = tail->links[i];
        chain_share(&chain->links[count + i]);
    }
    if (!status && count == 0) {
        chain_count_as(chain, tail);
    }
    chain->count = status ? count : count + more;
    return status;
}

void satf_filter_destroy(satf_filter *filter)
{
    if (filter) {
        for (size_t i = 0; i < filter->count; i++) {
            chain_release(&filter->links[i]);
        }
        filter_picture_release(filter->counting.weights);
        satf_free(filter->links);
        satf_free(filter);
    }
}

/* ------------------------------------------------------------------- what counts */

satf_status satf_filter_set_missing(satf_context *ctx, satf_filter *filter, int omit_nan,
                                    const double *nodata)
{
    satf_status status = satf_check_given(ctx, filter, "filter is", filter, "");
    if (status) {
        return status;
    }
    filter->counting.omits_nan = omit_nan != 0;
    filter->counting.says_nodata = nodata != NULL;
    filter->counting.nodata = nodata ? *nodata : 0;
    return SATF_OK;
}

/* Sets the chain's weights, and takes the picture, also on failure. */
static satf_status set_weights(satf_context *ctx, satf_filter *filter, filter_picture *weights)
{
    if (weights && weights->view.channels != 1) {
        int channels = weights->view.channels;
        satf_status status =
            satf_fail(ctx, SATF_INVALID,
                      "the weights (%.*s) have %d channels; they are grey, of 1, without alpha",
                      SATF_MOST(weights->name, 200), channels);
        filter_picture_release(weights);
        return status;
    }
    filter_picture_release(filter->counting.weights);
    filter->counting.weights = weights;
    return SATF_OK;
}

satf_status satf_filter_set_weights(satf_context *ctx, satf_filter *filter,
                                    const satf_view *weights)
{
    filter_picture *made = NULL;
    satf_status status = satf_check_given(ctx, filter, "filter is", filter, "");
    if (!status && weights) {
        status = filter_picture_make(ctx, weights, &made);
    }
    return status ? status : set_weights(ctx, filter, made);
}

satf_status satf_filter_read_weights(satf_context *ctx, satf_filter *filter, const char *path)
{
    filter_picture *made = NULL;
    satf_status status = satf_check_given(ctx, filter, "filter is", path, "path is");
    status = status ? status : filter_picture_read(ctx, path, &made);
    return status ? status : set_weights(ctx, filter, made);
}
