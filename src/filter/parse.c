/* Filters from text: the grammar of satf_filter_parse() and of the command line. */
#include <math.h>
#include <string.h>

#include "../base/border.h"
#include "../base/memory.h"
#include "../base/number.h"
#include "chain.h"

/* A decimal number of 1 ... FILTER_MAX_SIZE at *text, which moves behind it; 0 if there is none. */
static int64_t parse_size(const char **text)
{
    int64_t value = 0;
    const char *p = *text;
    for (; *p >= '0' && *p <= '9'; p++) {
        value = value * 10 + (*p - '0');
        if (value > FILTER_MAX_SIZE) {
            return 0;
        }
    }
    *text = p;
    return value;
}

static satf_status set_size(satf_context *ctx, chain_link *link, const char *text)
{
    const char *p = text;
    int64_t width = parse_size(&p);
    int64_t height = width;
    if (width && (*p == 'x' || *p == 'X')) {
        p++;
        height = parse_size(&p);
    }
    if (!width || !height || *p) {
        return satf_fail(ctx, SATF_INVALID,
                         "'%.80s' is no window for %s: N or WxH are possible, each 1 to %d", text,
                         link->info->name, FILTER_MAX_SIZE);
    }
    link->values.width = width;
    link->values.height = height;
    return SATF_OK;
}

/* text: one of the words between the metavar's bars. */
static satf_status set_choice(satf_context *ctx, chain_link *link, const filter_param *param,
                              const char *text)
{
    size_t length = strlen(text);
    int choice = 0;
    for (const char *word = param->metavar;; choice++) {
        size_t n = strcspn(word, "|");
        if (n == length && strncmp(word, text, n) == 0) {
            link->values.choice = choice;
            return SATF_OK;
        }
        if (!word[n]) {
            return satf_fail(ctx, SATF_INVALID, "'%.80s' is no %s for %s: %s are possible", text,
                             param->name, link->info->name, param->metavar);
        }
        word += n + 1;
    }
}

static satf_status set_order(satf_context *ctx, chain_link *link, const char *path)
{
    filter_order *order;
    satf_status status = filter_order_read(ctx, path, &order);
    if (!status) {
        filter_order_release(link->values.order);
        link->values.order = order;
    }
    return status;
}

satf_status filter_parse_border(satf_context *ctx, const char *text, satf_border *border,
                                double *constant)
{
    static const char prefix[] = "constant:";
    if (strncmp(text, prefix, sizeof prefix - 1) == 0) {
        const char *number = text + sizeof prefix - 1;
        char *end;
        double value = satf_strtod(number, &end);
        if (end == number || *end || number[strspn(number, " \t\n\v\f\r")] != *number ||
            !isfinite(value)) {
            return satf_fail(ctx, SATF_INVALID,
                             "'%.80s' is no border: constant:V needs a finite number V", text);
        }
        *border = SATF_CONSTANT;
        *constant = value;
        return SATF_OK;
    }
    int found = satf_border_from_name(text);
    if (found < 0 || found == SATF_CONSTANT) {
        return satf_fail(ctx, SATF_INVALID,
                         "'%.80s' is no border: clamp, mirror, reflect, wrap, constant:V and "
                         "shrink are possible",
                         text);
    }
    *border = (satf_border)found;
    *constant = 0;
    return SATF_OK;
}

satf_status filter_set_param(satf_context *ctx, chain_link *link, const filter_param *param,
                             const char *text)
{
    if (param->kind != PARAM_FLAG && (!text || !*text)) {
        return satf_fail(ctx, SATF_INVALID, "%s of %s needs a value: %s=%s", param->name,
                         link->info->name, param->name, param->metavar);
    }
    switch (param->kind) {
    case PARAM_SIZE:
        return set_size(ctx, link, text);
    case PARAM_BORDER: {
        satf_status status =
            filter_parse_border(ctx, text, &link->values.border, &link->values.constant);
        link->values.border_given = !status;
        return status;
    }
    case PARAM_CHOICE:
        return set_choice(ctx, link, param, text);
    case PARAM_TEMPLATE:
        return filter_read_template(ctx, text, &link->values);
    case PARAM_ORDER:
        return set_order(ctx, link, text);
    default:
        if (text && strcmp(text, "on") != 0 && strcmp(text, "off") != 0) {
            return satf_fail(ctx, SATF_INVALID,
                             "'%.80s' is no value for %s of %s: on and off are possible", text,
                             param->name, link->info->name);
        }
        link->values.squared = !text || strcmp(text, "on") == 0;
        return SATF_OK;
    }
}

/* "constant", "border and size": the names of a filter's parameters. */
static satf_status fail_param(satf_context *ctx, const filter_info *info, const char *name)
{
    char names[128] = "";
    for (const filter_param *param = info->params; param->name; param++) {
        size_t used = strlen(names);
        strncat(names, param == info->params ? "" : ", ", sizeof names - 1 - used);
        used = strlen(names);
        strncat(names, param->name, sizeof names - 1 - used);
    }
    return satf_fail(ctx, SATF_INVALID, "%s has no parameter '%.80s'; there %s%s", info->name, name,
                     *names ? "are: " : "is none", names);
}

satf_status filter_set_text(satf_context *ctx, satf_filter *filter, const char *param,
                            const char *text)
{
    chain_link *link = chain_last(filter);
    const filter_param *found = filter_param_find(link->info, param);
    return found ? filter_set_param(ctx, link, found, text) : fail_param(ctx, link->info, param);
}

/* Splits "NAME=VALUE" at the first '='; NULL if there is none. */
static char *split_value(char *word)
{
    char *value = strchr(word, '=');
    if (value) {
        *value++ = '\0';
    }
    return value;
}

/* One "NAME[=VALUE][,PARAM=VALUE]..."; word is taken apart. */
static satf_status parse_filter(satf_context *ctx, satf_filter *chain, char *word)
{
    char *rest = strchr(word, ',');
    if (rest) {
        *rest++ = '\0';
    }
    char *value = split_value(word);
    const filter_info *info = filter_info_find(word);
    if (!info) {
        return filter_fail_name(ctx, word);
    }
    if (info->needs_value && (!value || !*value)) {
        return satf_fail(ctx, SATF_INVALID, "'%s' needs a value: %s=%s", word, word,
                         info->params->metavar);
    }
    if (!info->needs_value && value) {
        return satf_fail(ctx, SATF_INVALID, "'%s=%.80s': %s takes no value", word, value, word);
    }
    satf_status status = chain_add(ctx, chain, info);
    if (!status && value) {
        status = filter_set_param(ctx, chain_last(chain), info->params, value);
    }
    unsigned seen = value ? 1 : 0; /* bit i: parameter i was given */
    while (!status && rest) {
        char *param = rest;
        rest = strchr(param, ',');
        if (rest) {
            *rest++ = '\0';
        }
        value = split_value(param);
        const filter_param *found = filter_param_find(info, param);
        if (!found) {
            return fail_param(ctx, info, param);
        }
        unsigned bit = 1u << (found - info->params);
        if (seen & bit) {
            return satf_fail(ctx, SATF_INVALID, "'%s' of %s is given twice", param, info->name);
        }
        seen |= bit;
        status = filter_set_param(ctx, chain_last(chain), found, value);
    }
    return status;
}

satf_status satf_filter_parse(satf_context *ctx, const char *spec, satf_filter **out)
{
    static const char blanks[] = " \t\n\v\f\r";
    if (out) {
        *out = NULL;
    }
    if (!ctx) {
        return SATF_INVALID;
    }
    if (!spec || !out) {
        return satf_fail(ctx, SATF_INVALID, "the %s is missing", spec ? "result" : "filter's text");
    }
    size_t bytes = strlen(spec) + 1;
    char *text = satf_alloc(bytes);
    satf_filter *chain = chain_new(ctx);
    satf_status status = SATF_OK;
    if (!text || !chain) {
        status = satf_fail_memory(ctx, bytes, "a filter");
        goto done;
    }
    memcpy(text, spec, bytes);
    for (char *next = text + strspn(text, blanks); *next && !status;) {
        char *word = next;
        next += strcspn(next, blanks);
        if (*next) {
            *next++ = '\0';
            next += strspn(next, blanks);
        }
        status = parse_filter(ctx, chain, word);
    }
    if (!status && chain->count == 0) {
        status = satf_fail(ctx, SATF_INVALID, "'%.80s' names no filter", spec);
    }
done:
    satf_free(text);
    if (status) {
        satf_filter_destroy(chain);
        return status;
    }
    *out = chain;
    return SATF_OK;
}
