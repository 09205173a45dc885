/* The kinds of parameters, an entry each: how a value is parsed, printed, shared and released. */
#include "params.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/border.h"
#include "../base/memory.h"
#include "../base/number.h"
#include "order.h"
#include "picture.h"
#include "rects.h"
#include "size.h"

const filter_param *filter_param_find(const filter_info *info, const char *name)
{
    for (const filter_param *param = info->params; param->name; param++) {
        if (strcmp(param->name, name) == 0) {
            return param;
        }
    }
    return strcmp(name, "color") == 0 ? filter_param_find(info, "colour") : NULL;
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

const void *filter_value_of_kind(const filter_info *info, const void *options, param_kind kind)
{
    const filter_param *param = filter_param_of_kind(info, kind);
    return param ? (const char *)options + param->offset : NULL;
}

bool param_is_level(const filter_param *param)
{
    return param->kind == PARAM_LEVEL || param->kind == PARAM_DISTANCE;
}

bool param_takes(const filter_param *param, double number)
{
    bool in_range = number >= param->min && number <= param->max;
    return param->kind == PARAM_LEVEL ? isfinite(number)
           : param->kind == PARAM_DISTANCE
               ? isfinite(number) && number >= 0 && (number > 0 || param->min == 0)
               : in_range;
}

satf_status param_fail_range(satf_context *ctx, const filter_param *param, const char *name,
                             const char *value)
{
    return satf_fail(ctx, SATF_INVALID, "%s = %.*s: %.15g to %.15g are possible", name,
                     SATF_MOST(value, 80), param->min, param->max);
}

/* ------------------------------------------------------------------- numbers */

/* Prints 15 digits, or 17 if satf_strtod() needs them to read the number, whatever the locale. */
static int print_number(double value, char *text, size_t bytes)
{
    char number[40];
    for (int digits = 15; digits <= 17; digits += 2) {
        snprintf(number, sizeof number, "%.*g", digits, value);
        char *point = number + strspn(number, "+-0123456789e");
        if (*point) {
            *point = '.';
        }
        if (satf_strtod(number, NULL) == value) {
            break;
        }
    }
    return snprintf(text, bytes, "%s", number);
}

/* Reads the whole text as a finite number, which must not begin with a blank. */
static bool param_read_number(const char *text, double *value)
{
    char *end;
    *value = satf_strtod(text, &end);
    return end != text && !*end && !strchr(" \t\n\v\f\r", *text) && isfinite(*value);
}

/* The word that a real takes in place of a number, from a metavar like "S|auto"; NULL: none. */
static const char *param_word_of(const filter_param *param)
{
    const char *bar = strchr(param->metavar, '|');
    return bar ? bar + 1 : NULL;
}

static satf_status parse_real(satf_context *ctx, const filter_info *info, const filter_param *param,
                              const char *text, void *value)
{
    const char *word = param_word_of(param);
    double number;
    if (word && strcmp(text, word) == 0) {
        *(double *)value = NAN;
        return SATF_OK;
    }
    if (!param_read_number(text, &number)) {
        return satf_fail(ctx, SATF_INVALID, "'%.*s' is no %s for %s: it must be a number%s%s",
                         SATF_MOST(text, 80), param->name, info->name, word ? " or " : "",
                         word ? word : "");
    }
    if (!param_takes(param, number)) {
        return param_fail_range(ctx, param, param->name, text);
    }
    *(double *)value = number;
    return SATF_OK;
}

static int print_real(const filter_param *param, const void *value, char *text, size_t bytes)
{
    double number = *(const double *)value;
    return isnan(number) ? snprintf(text, bytes, "%s", param_word_of(param))
                         : print_number(number, text, bytes);
}

/* Reads a decimal integer at *text, which moves behind it; false if int64_t holds none there. */
static bool param_next_integer(const char **text, int64_t *value)
{
    const char *digits = *text + (**text == '-');
    char *end;
    errno = 0;
    *value = strtoll(*text, &end, 10);
    *text = end;
    return *digits >= '0' && *digits <= '9' && !errno;
}

static satf_status param_parse_integer(satf_context *ctx, const filter_info *info,
                                       const filter_param *param, const char *text, void *value)
{
    const char *p = text;
    int64_t number;
    if (!param_next_integer(&p, &number) || *p) {
        return satf_fail(ctx, SATF_INVALID, "'%.*s' is no %s for %s: it must be an integer",
                         SATF_MOST(text, 80), param->name, info->name);
    }
    if ((double)number < param->min || (double)number > param->max) {
        return param_fail_range(ctx, param, param->name, text);
    }
    *(int64_t *)value = number;
    return SATF_OK;
}

static int print_integer(const filter_param *param, const void *value, char *text, size_t bytes)
{
    (void)param;
    return snprintf(text, bytes, "%" PRId64, *(const int64_t *)value);
}

/* -------------------------------------------------------------------- places */

static satf_status parse_place(satf_context *ctx, const filter_info *info,
                               const filter_param *param, const char *text, void *value)
{
    filter_place place = {0, 0};
    const char *p = text;
    bool good =
        param_next_integer(&p, &place.x) && *p++ == ':' && param_next_integer(&p, &place.y) && !*p;
    if (!good) {
        return satf_fail(ctx, SATF_INVALID,
                         "'%.*s' is no place for %s of %s: X:Y is possible, pixels to the right "
                         "and down",
                         SATF_MOST(text, 80), param->name, info->name);
    }
    if ((double)place.x < param->min || (double)place.x > param->max ||
        (double)place.y < param->min || (double)place.y > param->max) {
        return param_fail_range(ctx, param, param->name, text);
    }
    *(filter_place *)value = place;
    return SATF_OK;
}

static int print_place(const filter_param *param, const void *value, char *text, size_t bytes)
{
    (void)param;
    const filter_place *place = value;
    return snprintf(text, bytes, "%" PRId64 ":%" PRId64, place->x, place->y);
}

satf_status satf_border_parse(satf_context *ctx, const char *text, satf_border *border,
                              double *constant)
{
    static const char prefix[] = "constant:";
    if (strncmp(text, prefix, sizeof prefix - 1) == 0) {
        double value;
        if (!param_read_number(text + sizeof prefix - 1, &value)) {
            return satf_fail(ctx, SATF_INVALID,
                             "'%.*s' is no border: constant:V needs a finite number V",
                             SATF_MOST(text, 80));
        }
        *border = SATF_BORDER_CONSTANT;
        *constant = value;
        return SATF_OK;
    }
    int found = satf_border_from_name(text);
    if (found < 0 || found == SATF_BORDER_CONSTANT) {
        return satf_fail(ctx, SATF_INVALID,
                         "'%.*s' is no border: clamp, mirror, reflect, wrap, constant:V, "
                         "shrink and valid are possible",
                         SATF_MOST(text, 80));
    }
    *border = (satf_border)found;
    *constant = 0;
    return SATF_OK;
}

static satf_status parse_border(satf_context *ctx, const filter_info *info,
                                const filter_param *param, const char *text, void *value)
{
    (void)info, (void)param;
    satf_border kind;
    double constant = 0;
    satf_status status = satf_border_parse(ctx, text, &kind, &constant);
    if (!status) {
        *(filter_border *)value = (filter_border){(int32_t)kind, constant};
    }
    return status;
}

static int print_border(const filter_param *param, const void *value, char *text, size_t bytes)
{
    (void)param;
    const filter_border *border = value;
    char number[40] = "";
    if (border->kind == SATF_BORDER_CONSTANT) {
        number[0] = ':';
        print_number(border->constant, number + 1, sizeof number - 1);
    }
    return snprintf(text, bytes, "%s%s", satf_border_name(border->kind), number);
}

/* --------------------------------------------------------------------- words */

/* Parses one of the words between the metavar's bars. */
static satf_status parse_choice(satf_context *ctx, const filter_info *info,
                                const filter_param *param, const char *text, void *value)
{
    size_t length = strlen(text);
    int choice = 0;
    for (const char *word = param->metavar;; choice++) {
        size_t n = strcspn(word, "|");
        if (n == length && strncmp(word, text, n) == 0) {
            *(int *)value = choice;
            return SATF_OK;
        }
        if (!word[n]) {
            return satf_fail(ctx, SATF_INVALID, "'%.*s' is no %s for %s: %s are possible",
                             SATF_MOST(text, 80), param->name, info->name, param->metavar);
        }
        word += n + 1;
    }
}

static int print_choice(const filter_param *param, const void *value, char *text, size_t bytes)
{
    const char *word = param->metavar;
    for (int k = *(const int *)value; k > 0; k--) {
        word += strcspn(word, "|") + 1;
    }
    return snprintf(text, bytes, "%.*s", (int)strcspn(word, "|"), word);
}

static satf_status parse_flag(satf_context *ctx, const filter_info *info, const filter_param *param,
                              const char *text, void *value)
{
    if (text && strcmp(text, "on") != 0 && strcmp(text, "off") != 0) {
        return satf_fail(ctx, SATF_INVALID,
                         "'%.*s' is no value for %s of %s: on and off are possible",
                         SATF_MOST(text, 80), param->name, info->name);
    }
    *(bool *)value = !text || strcmp(text, "on") == 0;
    return SATF_OK;
}

static int print_flag(const filter_param *param, const void *value, char *text, size_t bytes)
{
    (void)param;
    return snprintf(text, bytes, "%s", *(const bool *)value ? "on" : "off");
}

/* --------------------------------------------------------------------- files */

satf_status satf_context_set_filter_files(satf_context *ctx, int allowed)
{
    if (!ctx) {
        return SATF_INVALID;
    }
    ctx->settings.no_filter_files = !allowed;
    return SATF_OK;
}

/* Fails if files that a filter's text names may not be opened. */
static satf_status check_file(satf_context *ctx, const filter_info *info, const filter_param *param)
{
    return ctx->settings.no_filter_files
               ? satf_fail(ctx, SATF_LIMIT,
                           "%s=FILE of %s names a file, which may not be read here (limit: filter "
                           "files)",
                           param->name, info->name)
               : SATF_OK;
}

static satf_status parse_rects(satf_context *ctx, const filter_info *info,
                               const filter_param *param, const char *text, void *value)
{
    filter_rects *rects, **to = value;
    satf_status status = check_file(ctx, info, param);
    if (!status) {
        status = filter_rects_read(ctx, text, &rects);
    }
    if (!status) {
        filter_rects_release(*to);
        *to = rects;
    }
    return status;
}

static void share_rects(void *value)
{
    filter_rects_share(*(filter_rects **)value);
}

static void param_release_rects(void *value)
{
    filter_rects_release(*(filter_rects **)value);
}

static satf_status parse_order(satf_context *ctx, const filter_info *info,
                               const filter_param *param, const char *text, void *value)
{
    filter_order *order, **to = value;
    satf_status status = check_file(ctx, info, param);
    if (!status) {
        status = filter_order_read(ctx, text, &order);
    }
    if (!status) {
        filter_order_release(*to);
        *to = order;
    }
    return status;
}

static void share_order(void *value)
{
    filter_order_share(*(filter_order **)value);
}

static void param_release_order(void *value)
{
    filter_order_release(*(filter_order **)value);
}

static satf_status parse_picture(satf_context *ctx, const filter_info *info,
                                 const filter_param *param, const char *text, void *value)
{
    filter_picture *picture, **to = value;
    satf_status status = check_file(ctx, info, param);
    if (!status) {
        status = filter_picture_read(ctx, text, &picture);
    }
    if (!status) {
        filter_picture_release(*to);
        *to = picture;
    }
    return status;
}

static void share_picture(void *value)
{
    filter_picture_share(*(filter_picture **)value);
}

static void release_picture(void *value)
{
    filter_picture_release(*(filter_picture **)value);
}

const param_kind_row *param_kind_of(const filter_param *param)
{
#define KIND(kind, ...)                                  \
    case kind: {                                         \
        static const param_kind_row row = {__VA_ARGS__}; \
        return &row;                                     \
    }
    switch (param->kind) {
        KIND(PARAM_INTEGER, SATF_PARAM_INTEGER, sizeof(int64_t), param_parse_integer, print_integer,
             NULL, NULL)
        KIND(PARAM_FULL, SATF_PARAM_INTEGER, sizeof(int64_t), param_parse_integer, print_integer,
             NULL, NULL)
        KIND(PARAM_AUX_FULL, SATF_PARAM_INTEGER, sizeof(int64_t), param_parse_integer,
             print_integer, NULL, NULL)
        KIND(PARAM_REAL, SATF_PARAM_REAL, sizeof(double), parse_real, print_real, NULL, NULL)
        KIND(PARAM_LEVEL, SATF_PARAM_REAL, sizeof(double), parse_real, print_real, NULL, NULL)
        KIND(PARAM_DISTANCE, SATF_PARAM_REAL, sizeof(double), parse_real, print_real, NULL, NULL)
        KIND(PARAM_SIZE, SATF_PARAM_SIZE, sizeof(filter_size), filter_size_parse, filter_size_print,
             NULL, NULL)
        KIND(PARAM_SHAPE, SATF_PARAM_SHAPE, sizeof(filter_shape), filter_shape_parse,
             filter_shape_print, NULL, NULL)
        KIND(PARAM_PART, SATF_PARAM_PART, sizeof(filter_part), filter_part_parse, filter_part_print,
             NULL, NULL)
        KIND(PARAM_INSTEAD, SATF_PARAM_REAL, sizeof(double), parse_real, print_real, NULL, NULL)
        KIND(PARAM_PLACE, SATF_PARAM_PLACE, sizeof(filter_place), parse_place, print_place, NULL,
             NULL)
        KIND(PARAM_FLAG, SATF_PARAM_FLAG, sizeof(bool), parse_flag, print_flag, NULL, NULL)
        KIND(PARAM_BORDER, SATF_PARAM_BORDER, sizeof(filter_border), parse_border, print_border,
             NULL, NULL)
        KIND(PARAM_CHOICE, SATF_PARAM_CHOICE, sizeof(int), parse_choice, print_choice, NULL, NULL)
        KIND(PARAM_TEMPLATE, SATF_PARAM_FILE, sizeof(filter_rects *), parse_rects, NULL,
             share_rects, param_release_rects)
        KIND(PARAM_ORDER, SATF_PARAM_FILE, sizeof(filter_order *), parse_order, NULL, share_order,
             param_release_order)
        KIND(PARAM_IMAGE, SATF_PARAM_FILE, sizeof(filter_picture *), parse_picture, NULL,
             share_picture, release_picture)
    }
#undef KIND
    return NULL;
}

const char *satf_filter_param(const char *filter, size_t index, satf_param_info *info, size_t bytes)
{
    const filter_info *found = filter ? filter_info_find(filter) : NULL;
    size_t count = 0;
    while (found && count <= index && found->params[count].name) {
        count++;
    }
    const filter_param *param = count > index ? &found->params[index] : NULL;
    satf_param_info all = {0};
    if (param) {
        all = (satf_param_info){
            .name = param->name,
            .type = param_kind_of(param)->type,
            .syntax = param->metavar,
            .unit = param->unit,
            .min = param->min,
            .max = param->max,
            .default_text = param->default_text,
            .help = param->help,
            .is_value = found->needs_value && index == 0,
        };
    }
    satf_give(info, bytes, &all, sizeof all);
    return all.name;
}
