/* Chains rewritten by the types of their parameters. */
#include "chain.h"

#include <satfilter.h>
#include <stdlib.h>
#include <string.h>

static int half_side(int side)
{
    return side % 2 ? 2 * ((side - 1) / 4) + 1 : side / 2;
}

/* "15" or "15x9", "2:-1" */
static void append_halved(GString *to, satf_param_type type, const char *text)
{
    char *rest = NULL;
    int first = (int)strtol(text, &rest, 10);
    int second = *rest ? (int)strtol(rest + 1, NULL, 10) : first;
    if (type == SATF_PARAM_PLACE) {
        g_string_append_printf(to, "%d:%d", first / 2, second / 2);
    } else {
        g_string_append_printf(to, "%dx%d", half_side(first), half_side(second));
    }
}

/* The parameter of that name; "": the value behind the filter's name. */
static satf_param_type type_of(const char *filter, const char *name)
{
    satf_param_info info;
    for (size_t i = 0; satf_filter_param(filter, i, &info, sizeof info); i++) {
        if (*name ? g_str_equal(info.name, name) : info.is_value) {
            return info.type;
        }
    }
    return SATF_PARAM_FLAG;
}

/* "NAME[=VALUE]", then ",PARAM[=VALUE]" each. */
static void append_filter(GString *to, const char *word)
{
    char **pieces = g_strsplit(word, ",", -1);
    char *filter = g_strndup(pieces[0], strcspn(pieces[0], "="));
    for (char **piece = pieces; *piece; piece++) {
        char **pair = g_strsplit(*piece, "=", 2);
        satf_param_type type = type_of(filter, piece == pieces ? "" : pair[0]);
        g_string_append_printf(to, "%c%s%s", piece == pieces ? ' ' : ',', pair[0],
                               pair[1] ? "=" : "");
        gboolean pixels = pair[1] && !pair[1][strspn(pair[1], "0123456789xX:-")];
        if (pixels && (type == SATF_PARAM_SIZE || type == SATF_PARAM_PLACE)) {
            append_halved(to, type, pair[1]);
        } else if (pair[1]) {
            g_string_append(to, pair[1]);
        }
        g_strfreev(pair);
    }
    g_free(filter);
    g_strfreev(pieces);
}

char *chain_halved(const char *chain)
{
    GString *to = g_string_new(NULL);
    char **words = g_strsplit_set(chain, " \t\n\v\f\r", -1);
    for (char **word = words; *word; word++) {
        if (**word) {
            append_filter(to, *word);
        }
    }
    g_strfreev(words);
    return g_string_free(to, FALSE);
}

char *chain_of_chroma(const char *chain)
{
    GString *to = g_string_new(NULL);
    char **words = g_strsplit_set(chain, " \t\n\v\f\r", -1);
    satf_context *ctx = NULL;
    satf_status status = satf_context_create(&ctx);
    for (char **word = words; *word && !status; word++) {
        satf_filter *filter = NULL;
        if (**word) {
            status = satf_filter_parse(ctx, *word, &filter);
        }
        if (filter && !satf_filter_knows_colours(filter)) {
            g_string_append_printf(to, " %s", *word);
        }
        satf_filter_destroy(filter);
    }
    satf_context_destroy(ctx);
    g_strfreev(words);
    return g_string_free(to, status || to->len == 0);
}
