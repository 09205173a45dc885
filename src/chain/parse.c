/* Makes filters of text, and text of filters: the grammar of satf_filter_parse(). */
#include <stdio.h>
#include <string.h>

#include "../base/memory.h"
#include "chain.h"
#include "check.h"

/* Splits "NAME=VALUE" at the first '='; NULL if there is none. */
static char *split_value(char *word)
{
    char *value = strchr(word, '=');
    if (value) {
        *value++ = '\0';
    }
    return value;
}

/* Parses one "NAME[=VALUE][,PARAM=VALUE]..."; writes into `word`. */
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
        return satf_fail(ctx, SATF_INVALID, "'%s=%.*s': %s takes no value", word,
                         SATF_MOST(value, 80), word);
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
            return filter_fail_param(ctx, info, param);
        }
        unsigned bit = 1u << (found - info->params);
        if (seen & bit) {
            return satf_fail(ctx, SATF_INVALID, "'%s' of %s is given twice", param, info->name);
        }
        seen |= bit;
        status = filter_set_param(ctx, chain_last(chain), found, value);
    }
    status = status ? status : filter_check_instead(ctx, chain_last(chain), true);
    return status ? status : filter_check_place(ctx, chain_last(chain));
}

satf_status satf_filter_parse(satf_context *ctx, const char *spec, satf_filter **out)
{
    static const char blanks[] = " \t\n\v\f\r";
    if (out) {
        *out = NULL;
    }
    satf_status missing = satf_check_given(ctx, spec, "filter's text is", out, "result is");
    if (missing) {
        return missing;
    }
    size_t bytes = strnlen(spec, SATF_MAX_FILTER_TEXT + 1) + 1;
    if (bytes > SATF_MAX_FILTER_TEXT + 1) {
        return satf_fail(ctx, SATF_LIMIT,
                         "a filters' text of more than %d bytes: above the limit (limit: filter "
                         "text)",
                         SATF_MAX_FILTER_TEXT);
    }
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
        status = satf_fail(ctx, SATF_INVALID, "'%.*s' names no filter", SATF_MOST(spec, 80));
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

/* ------------------------------------------------------------------ printing */

/* Text that is counted whole, and stored as far as there is room. */
typedef struct printer {
    char *text;
    size_t bytes, length;
} printer;

static void parse_put(printer *to, const char *text)
{
    size_t left = to->length < to->bytes ? to->bytes - to->length : 0;
    snprintf(left ? to->text + to->length : NULL, left, "%s", text);
    to->length += strlen(text);
}

static void print_link(printer *to, const chain_link *link)
{
    const filter_info *info = link->info;
    parse_put(to, info->name);
    for (const filter_param *param = info->params; param->name; param++) {
        const param_kind_row *kind = param_kind_of(param);
        bool own_value = info->needs_value && param == info->params;
        char value[96];
        snprintf(value, sizeof value, "%s", param->metavar ? param->metavar : "");
        if (kind->print) {
            kind->print(param, link->options + param->offset, value, sizeof value);
        }
        bool given = link->given >> (param - info->params) & 1;
        if (!own_value && (kind->print ? strcmp(value, param->default_text) == 0 : !given)) {
            continue;
        }
        parse_put(to, own_value ? "=" : ",");
        parse_put(to, own_value ? "" : param->name);
        if (param->kind != PARAM_FLAG) {
            parse_put(to, own_value ? "" : "=");
            parse_put(to, value);
        }
    }
}

size_t satf_filter_print(const satf_filter *filter, char *text, size_t bytes)
{
    printer to = {text, bytes, 0};
    for (size_t i = 0; filter && i < filter->count; i++) {
        parse_put(&to, i ? " " : "");
        print_link(&to, &filter->links[i]);
    }
    return to.length;
}
