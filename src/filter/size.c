#include "size.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../base/image.h"

static const struct {
    char name[3];
    double metres;
} units[] = {{"in", 0.0254}, {"mm", 0.001}, {"cm", 0.01}};

enum { LENGTH_UNITS = sizeof units / sizeof *units, DECIMALS = 6, MILLION = 1000000 };

/* Of a length's number, in millionths. */
static const int64_t least_length = 1000, most_length = INT64_C(10000) * MILLION;

enum { LEAST_PIXELS = 3, SIZE_TEXT_BYTES = 64 };

/* ------------------------------------------------------------------ text */

/* A decimal number, in millionths, at *text, which moves behind it. False if it is too large or
 * has more digits than that; *decimal: it has a point. */
static bool next_number(const char **text, int64_t *millionths, bool *decimal)
{
    const char *p = *text;
    int64_t value = 0;
    int decimals = 0;
    *decimal = false;
    for (;; p++) {
        bool digit = *p >= '0' && *p <= '9';
        if (!digit && (*p != '.' || *decimal)) {
            break;
        }
        *decimal |= !digit;
        if (digit) {
            value = 10 * value + (*p - '0');
            decimals += *decimal;
        }
        if (value > most_length || decimals > DECIMALS) {
            return false;
        }
    }
    bool good = p - *text > *decimal;
    for (; decimals < DECIMALS; decimals++) {
        value *= 10;
    }
    *millionths = value;
    *text = p;
    return good;
}

static int next_unit(const char **text)
{
    for (int u = 0; u < (int)LENGTH_UNITS; u++) {
        if (strncmp(*text, units[u].name, 2) == 0) {
            *text += 2;
            return u;
        }
    }
    return -1;
}

static bool next_side(const filter_param *param, const char **text, int64_t *side)
{
    bool decimal;
    int64_t n;
    if (!next_number(text, &n, &decimal)) {
        return false;
    }
    int unit = next_unit(text);
    if (unit >= 0) {
        *side = -(LENGTH_UNITS * n + unit);
        return n >= least_length && n <= most_length;
    }
    *side = n / MILLION;
    return !decimal && (double)*side >= param->min && (double)*side <= param->max;
}

satf_status filter_size_parse(satf_context *ctx, const filter_info *info, const filter_param *param,
                              const char *text, void *value)
{
    filter_size size;
    const char *p = text;
    bool good = next_side(param, &p, &size.width);
    size.height = size.width;
    if (good && (*p == 'x' || *p == 'X')) {
        p++;
        good = next_side(param, &p, &size.height) && (size.width < 0) == (size.height < 0);
    }
    if (!good || *p) {
        return satf_fail(ctx, SATF_INVALID,
                         "'%.80s' is no window for %s: N or WxH are possible, each %.0f to %.0f "
                         "pixels, or with a unit behind each, in, mm or cm, of 0.001 to 10000 and "
                         "at most %d decimals, such as 0.33in or 3mmx2mm",
                         text, info->name, param->min, param->max, DECIMALS);
    }
    *(filter_size *)value = size;
    return SATF_OK;
}

static void print_side(int64_t side, char text[SIZE_TEXT_BYTES / 2])
{
    if (side >= 0) {
        snprintf(text, SIZE_TEXT_BYTES / 2, "%" PRId64, side);
        return;
    }
    int64_t n = -side / LENGTH_UNITS, part = n % MILLION;
    int decimals = part ? DECIMALS : 0;
    for (; part && part % 10 == 0; part /= 10) {
        decimals--;
    }
    int used = snprintf(text, SIZE_TEXT_BYTES / 2, "%" PRId64, n / MILLION);
    if (decimals) {
        used += snprintf(text + used, SIZE_TEXT_BYTES / 2 - (size_t)used, ".%0*" PRId64, decimals,
                         part);
    }
    snprintf(text + used, SIZE_TEXT_BYTES / 2 - (size_t)used, "%s",
             units[-side % LENGTH_UNITS].name);
}

int filter_size_print(const filter_param *param, const void *value, char *text, size_t bytes)
{
    (void)param;
    const filter_size *size = value;
    char width[SIZE_TEXT_BYTES / 2], height[SIZE_TEXT_BYTES / 2];
    print_side(size->width, width);
    print_side(size->height, height);
    bool square = size->width == size->height;
    return snprintf(text, bytes, "%s%s%s", width, square ? "" : "x", square ? "" : height);
}

/* ------------------------------------------------------------- resolution */

static satf_status fail_length(satf_context *ctx, const chain_link *link, const filter_param *param,
                               const filter_size *size, const char *why)
{
    char text[SIZE_TEXT_BYTES];
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

/*
 * The odd number of pixels that is nearest to the length, of two the larger. A PNG rounds its
 * resolution to whole pixels a metre: half a pixel a metre more gives the length that is an even
 * number of pixels in another format the same window in a PNG.
 */
static double side_pixels(int64_t side, double per_metre)
{
    double metres = (double)(-side / LENGTH_UNITS) / MILLION * units[-side % LENGTH_UNITS].metres;
    return fmax(2 * floor(metres * (per_metre + 0.5) / 2) + 1, LEAST_PIXELS);
}

/* *size, a length, becomes pixels. */
static satf_status resolve_size(satf_context *ctx, const filter_param *param, double x, double y,
                                filter_size *size)
{
    double width = side_pixels(size->width, x), height = side_pixels(size->height, y);
    if (fmin(width, height) < param->min || fmax(width, height) > param->max) {
        char length[SIZE_TEXT_BYTES], text[2 * SIZE_TEXT_BYTES];
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
        swapped ^= (filter_turn(link->info->recipe, link->options) & MOVE_TRANSPOSE) != 0;
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
