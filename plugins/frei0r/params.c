/* Parameters in 0 ... 1 from the library's table, and back. */
#include "params.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_SIDE = 255 };

/* The index-th that is no file; without a name behind the last. */
static satf_param_info own_param(const char *filter, int index)
{
    satf_param_info info = {0};
    for (size_t i = 0; satf_filter_param(filter, i, &info, sizeof info); i++) {
        if (info.type != SATF_PARAM_FILE && index-- == 0) {
            return info;
        }
    }
    return (satf_param_info){0};
}

int params_count(const char *filter)
{
    int count = 0;
    while (count < PARAMS_MAX - 1 && own_param(filter, count).name) {
        count++;
    }
    return count + 1;
}

satf_param_info params_info(const char *filter, int index)
{
    satf_param_info info = {0};
    if (index < params_count(filter) - 1) {
        info = own_param(filter, index);
    }
    if (!info.name) {
        info = (satf_param_info){
            .name = "options",
            .type = SATF_PARAM_CHOICE,
            .default_text = "",
            .help = "exact values as in the command, which count after the others: "
                    "size=15x9,border=mirror",
        };
    }
    return info;
}

/* A real is one where its default is a word, which no place in 0 ... 1 says. */
int params_is_text(const satf_param_info *info)
{
    const char *text = info->default_text ? info->default_text : "";
    return info->type == SATF_PARAM_PLACE || info->type == SATF_PARAM_BORDER ||
           info->type == SATF_PARAM_CHOICE || info->type == SATF_PARAM_FILE ||
           (info->type == SATF_PARAM_REAL && *text >= 'a' && *text <= 'z');
}

static int is_logarithmic(const satf_param_info *info)
{
    return info->type == SATF_PARAM_REAL && info->min > 0;
}

/* A decimal fraction, whatever the locale of the host. */
static double decimal(const char *text)
{
    double value = 0, unit = 1, sign = *text == '-' ? -1 : 1;
    for (text += *text == '-'; *text >= '0' && *text <= '9'; text++) {
        value = value * 10 + (*text - '0');
    }
    for (text += *text == '.'; *text >= '0' && *text <= '9'; text++) {
        unit *= 10;
        value = value * 10 + (*text - '0');
    }
    return sign * value / unit;
}

/* Sides of windows are odd, as their defaults: they have a pixel in their middle. */
static int size_step(const satf_param_info *info)
{
    return (int)decimal(info->default_text ? info->default_text : "") % 2 ? 2 : 1;
}

int params_explain(const satf_param_info *info, char *text, size_t bytes)
{
    switch (info->type) {
    case SATF_PARAM_SIZE:
        return snprintf(text, bytes, "0 ... 1 here: a square of 1, %d ... %d pixels",
                        1 + size_step(info), LARGEST_SIDE);
    case SATF_PARAM_REAL:
    case SATF_PARAM_INTEGER:
        return snprintf(text, bytes, "0 ... 1 here: %g to %g%s; %s", info->min, info->max,
                        is_logarithmic(info) ? " by its logarithm" : "", info->help);
    default:
        return snprintf(text, bytes, "%s", info->help);
    }
}

/* ------------------------------------------------------------------- numbers */

static double to_unit(const satf_param_info *info)
{
    const char *text = info->default_text ? info->default_text : "";
    double value = decimal(text);
    if (info->type == SATF_PARAM_FLAG) {
        return strcmp(text, "on") == 0;
    }
    if (info->type == SATF_PARAM_SIZE) {
        return (value - 1) / (LARGEST_SIDE - 1);
    }
    if (is_logarithmic(info)) {
        return log(value / info->min) / log(info->max / info->min);
    }
    return (value - info->min) / (info->max - info->min);
}

/* To 6 digits, so that defaults come back as they are. */
static double in_digits(double value)
{
    if (value == 0) {
        return 0;
    }
    int exponent = 5 - (int)floor(log10(fabs(value)));
    double scale = pow(10, abs(exponent));
    return exponent < 0 ? round(value / scale) * scale : round(value * scale) / scale;
}

static double real_from_unit(const satf_param_info *info, double unit)
{
    double value = is_logarithmic(info) ? info->min * pow(info->max / info->min, unit)
                                        : info->min + unit * (info->max - info->min);
    return fmin(fmax(in_digits(value), info->min), info->max);
}

static satf_status set_number(satf_context *ctx, satf_filter *made, const satf_param_info *info,
                              double number)
{
    double unit = number > 0 ? fmin(number, 1) : 0;
    if (info->type == SATF_PARAM_REAL) {
        return satf_filter_set_double(ctx, made, info->name, real_from_unit(info, unit));
    }
    int64_t value = unit >= 0.5;
    if (info->type == SATF_PARAM_SIZE) {
        int step = size_step(info);
        value = 1 + step * (int64_t)round(unit * ((LARGEST_SIDE - 1) / step));
    } else if (info->type == SATF_PARAM_INTEGER) {
        value = (int64_t)round(info->min + unit * (info->max - info->min));
    }
    return satf_filter_set_int(ctx, made, info->name, value);
}

/* -------------------------------------------------------------------- values */

int params_defaults(const char *filter, param_value *values)
{
    int count = params_count(filter), whole = 1;
    for (int i = 0; i < count; i++) {
        satf_param_info info = params_info(filter, i);
        values[i] = (param_value){0};
        if (params_is_text(&info)) {
            values[i].text = strdup(info.default_text ? info.default_text : "");
            whole = whole && values[i].text;
        } else {
            values[i].number = to_unit(&info);
        }
    }
    return whole;
}

void params_release(const char *filter, param_value *values)
{
    for (int i = 0; i < params_count(filter); i++) {
        free(values[i].text);
    }
}

/* "size=15x9,border=mirror". A blank serves for "=", which MLT takes for a key frame's. */
static satf_status set_options(satf_context *ctx, satf_filter *made, const char *options)
{
    char *text = strdup(options), *rest = NULL;
    satf_status status = text ? SATF_OK : SATF_NO_MEMORY;
    for (char *word = text ? strtok_r(text, ",", &rest) : NULL; word && !status;
         word = strtok_r(NULL, ",", &rest)) {
        char *value = word + strcspn(word, "= ");
        int given = *value != '\0';
        *value = '\0';
        status = satf_filter_set(ctx, made, word, given ? value + 1 : NULL);
    }
    free(text);
    return status;
}

satf_status params_filter(satf_context *ctx, const char *filter, const param_value *values,
                          satf_filter **out)
{
    satf_status status = satf_filter_create(ctx, filter, out);
    int last = params_count(filter) - 1;
    for (int i = 0; i < last && !status; i++) {
        satf_param_info info = params_info(filter, i);
        if (!params_is_text(&info)) {
            status = set_number(ctx, *out, &info, values[i].number);
        } else if (*values[i].text) {
            status = satf_filter_set(ctx, *out, info.name, values[i].text);
        }
    }
    if (!status) {
        status = set_options(ctx, *out, values[last].text);
    }
    if (status) {
        satf_filter_destroy(*out);
        *out = NULL;
    }
    return status;
}
