/* Parses and prints sizes, shapes and parts, in pixels or lengths. */
#include "size.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
    char name[3];
    double metres;
} units[] = {{"in", 0.0254}, {"mm", 0.001}, {"cm", 0.01}};

enum { LENGTH_UNITS = sizeof units / sizeof *units, DECIMALS = 6, MILLION = 1000000 };

/* The least and the greatest number of a length, in millionths. */
static const int64_t least_length = 1000, most_length = INT64_C(10000) * MILLION;

enum { LEAST_PIXELS = 3 };

/* ------------------------------------------------------------------ text */

/* Reads a decimal number, in millionths, at *text, which moves behind it. False if it is too large
 * or has more decimals; *decimal: it has a point. */
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
                         "'%.*s' is no window for %s: a side is %.0f to %.0f pixels; N, WxH, or "
                         "lengths of 0.001 to 10000 in, mm or cm and at most %d decimals, such as "
                         "0.33in or 3mmx2mm; all windows are rectangles",
                         SATF_MOST(text, 80), info->name, param->min, param->max, DECIMALS);
    }
    *(filter_size *)value = size;
    return SATF_OK;
}

static bool next_shape_side(const filter_param *param, const char **text, int64_t *side)
{
    bool decimal;
    int64_t n;
    if (!next_number(text, &n, &decimal)) {
        return false;
    }
    if (**text == '%') {
        ++*text;
        *side = -n;
        return n >= 1 && n <= 100 * MILLION;
    }
    *side = n / MILLION;
    return !decimal && (double)*side >= param->min && (double)*side <= param->max;
}

satf_status filter_shape_parse(satf_context *ctx, const filter_info *info,
                               const filter_param *param, const char *text, void *value)
{
    filter_shape shape = {{0, 0}, false};
    filter_size *size = &shape.size;
    const char *p = text;
    bool wide = *p != 'x' && *p != 'X', good = !wide || next_shape_side(param, &p, &size->width);
    if (good && (*p == 'x' || *p == 'X')) {
        p++;
        good = (wide && size->width > 0 && !*p) || next_shape_side(param, &p, &size->height);
    } else {
        good = good && size->width < 0;
        size->height = size->width;
    }
    if (good && *p == '!') {
        p++;
        shape.exact = true;
        good = size->width > 0 && size->height > 0;
    }
    if (!good || *p || (!wide && size->height < 0)) {
        return satf_fail(
            ctx, SATF_INVALID,
            "'%.*s' is no %s for %s, which makes pictures smaller: write 300x for a "
            "width, x300 for a height, 300x300 for a box, 300x200! for these very sides, 33%% or "
            "33%%x50%% of the sides, of at most 100%% and %d decimals",
            SATF_MOST(text, 80), param->name, info->name, DECIMALS);
    }
    *(filter_shape *)value = shape;
    return SATF_OK;
}

static bool size_next_pixels(const filter_param *param, double least, const char **text,
                             int64_t *pixels)
{
    bool decimal;
    int64_t n;
    if (!next_number(text, &n, &decimal)) {
        return false;
    }
    *pixels = n / MILLION;
    return !decimal && (double)*pixels >= least && (double)*pixels <= param->max;
}

satf_status filter_part_parse(satf_context *ctx, const filter_info *info, const filter_param *param,
                              const char *text, void *value)
{
    filter_part part = {{0, 0}, {0, 0}, false};
    const char *p = text;
    bool good =
        size_next_pixels(param, param->min, &p, &part.size.width) && (*p == 'x' || *p == 'X');
    p += good;
    good = good && size_next_pixels(param, param->min, &p, &part.size.height);
    part.centred = good && !*p;
    if (good && !part.centred) {
        good = *p == '+';
        p += good;
        good = good && size_next_pixels(param, 0, &p, &part.at.x) && *p == '+';
        p += good;
        good = good && size_next_pixels(param, 0, &p, &part.at.y);
    }
    if (!good || *p) {
        return satf_fail(ctx, SATF_INVALID,
                         "'%.*s' is no %s for %s: 640x480 pixels are possible, of the middle, or "
                         "640x480+10+20, from column 10 and row 20 on, counted from 0",
                         SATF_MOST(text, 80), param->name, info->name);
    }
    *(filter_part *)value = part;
    return SATF_OK;
}

/* Prints n millionths of the unit. */
static void print_length(int64_t n, const char *unit, char text[FILTER_SIZE_BYTES / 2])
{
    int64_t part = n % MILLION;
    int decimals = part ? DECIMALS : 0;
    for (; part && part % 10 == 0; part /= 10) {
        decimals--;
    }
    int used = snprintf(text, FILTER_SIZE_BYTES / 2, "%" PRId64, n / MILLION);
    if (decimals) {
        used += snprintf(text + used, FILTER_SIZE_BYTES / 2 - (size_t)used, ".%0*" PRId64, decimals,
                         part);
    }
    snprintf(text + used, FILTER_SIZE_BYTES / 2 - (size_t)used, "%s", unit);
}

static void size_print_side(int64_t side, bool share, char text[FILTER_SIZE_BYTES / 2])
{
    if (side == 0) {
        *text = '\0';
    } else if (side > 0) {
        snprintf(text, FILTER_SIZE_BYTES / 2, "%" PRId64, side);
    } else if (share) {
        print_length(-side, "%", text);
    } else {
        print_length(-side / LENGTH_UNITS, units[-side % LENGTH_UNITS].name, text);
    }
}

int filter_size_print(const filter_param *param, const void *value, char *text, size_t bytes)
{
    const filter_size *size = value;
    char width[FILTER_SIZE_BYTES / 2], height[FILTER_SIZE_BYTES / 2];
    (void)param;
    size_print_side(size->width, false, width);
    size_print_side(size->height, false, height);
    bool square = size->width == size->height;
    return snprintf(text, bytes, "%s%s%s", width, square ? "" : "x", square ? "" : height);
}

int filter_shape_print(const filter_param *param, const void *value, char *text, size_t bytes)
{
    const filter_shape *shape = value;
    const filter_size *size = &shape->size;
    char width[FILTER_SIZE_BYTES / 2], height[FILTER_SIZE_BYTES / 2];
    (void)param;
    size_print_side(size->width, true, width);
    size_print_side(size->height, true, height);
    bool one = size->width == size->height && size->width < 0; /* a share of both */
    return snprintf(text, bytes, "%s%s%s%s", width, one ? "" : "x", one ? "" : height,
                    shape->exact ? "!" : "");
}

int filter_part_print(const filter_param *param, const void *value, char *text, size_t bytes)
{
    const filter_part *part = value;
    char at[FILTER_SIZE_BYTES / 2] = "";
    (void)param;
    if (!part->centred) {
        snprintf(at, sizeof at, "+%" PRId64 "+%" PRId64, part->at.x, part->at.y);
    }
    return snprintf(text, bytes, "%" PRId64 "x%" PRId64 "%s", part->size.width, part->size.height,
                    at);
}

double filter_side_pixels(int64_t side, double per_metre)
{
    double metres = (double)(-side / LENGTH_UNITS) / MILLION * units[-side % LENGTH_UNITS].metres;
    return fmax(2 * floor(metres * (per_metre + 0.5) / 2) + 1, LEAST_PIXELS);
}
