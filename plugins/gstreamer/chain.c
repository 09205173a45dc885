/* Chains rewritten by the types of their parameters. */
#include "chain.h"

#include <satfilter.h>
#include <stdlib.h>
#include <string.h>

static int half_side(int side)
{
    return side % 2 ? 2 * ((side - 1) / 4) + 1 : side / 2;
}

/* "15" or "15x9", "2:-1"; "2.5", of pixels, which is halved whatever the height is. */
static void append_halved(GString *to, const satf_param_info *info, const char *text,
                          gboolean height)
{
    if (info->type == SATF_PARAM_REAL) {
        char number[G_ASCII_DTOSTR_BUF_SIZE];
        double half = g_ascii_strtod(text, NULL) / 2;
        g_string_append(to, g_ascii_dtostr(number, sizeof number, MAX(half, info->min)));
        return;
    }
    satf_param_type type = info->type;
    char *rest = NULL;
    int first = (int)strtol(text, &rest, 10);
    int second = *rest ? (int)strtol(rest + 1, NULL, 10) : first;
    if (type == SATF_PARAM_PLACE) {
        g_string_append_printf(to, "%d:%d", first / 2, height ? second / 2 : second);
    } else {
        g_string_append_printf(to, "%dx%d", half_side(first), height ? half_side(second) : second);
    }
}

/* Whether there is a parameter of that name, or, "", the value behind the filter's name, and counts
 * pixels. */
static gboolean counts_pixels(const char *filter, const char *name, satf_param_info *info)
{
    for (size_t i = 0; satf_filter_param(filter, i, info, sizeof *info); i++) {
        if (*name ? g_str_equal(info->name, name) : info->is_value) {
            return info->type == SATF_PARAM_SIZE || info->type == SATF_PARAM_PLACE ||
                   (info->type == SATF_PARAM_REAL && g_str_equal(info->unit, "pixels"));
        }
    }
    return FALSE;
}

/* "NAME[=VALUE]", then ",PARAM[=VALUE]" each. A deviation down the columns is that of the filter's
 * value unless it is given; where the height stays, so does this. */
static void append_filter(GString *to, const char *word, gboolean height)
{
    char **pieces = g_strsplit(word, ",", -1);
    char *filter = g_strndup(pieces[0], strcspn(pieces[0], "="));
    const char *value = strchr(pieces[0], '='), *down = NULL;
    satf_param_info known;
    gboolean keeps_down = !height && value && counts_pixels(filter, "down", &known);
    for (char **piece = pieces; *piece; piece++) {
        char **pair = g_strsplit(*piece, "=", 2);
        satf_param_info info;
        gboolean halves = counts_pixels(filter, piece == pieces ? "" : pair[0], &info);
        if (keeps_down && piece != pieces && g_str_has_prefix(*piece, "down=")) {
            down = g_str_equal(*piece, "down=same") ? NULL : *piece + strlen("down");
            g_strfreev(pair);
            continue;
        }
        g_string_append_printf(to, "%c%s%s", piece == pieces ? ' ' : ',', pair[0],
                               pair[1] ? "=" : "");
        if (halves && pair[1] && !pair[1][strspn(pair[1], "0123456789.xX:-")]) {
            append_halved(to, &info, pair[1], height);
        } else if (pair[1]) {
            g_string_append(to, pair[1]);
        }
        g_strfreev(pair);
    }
    if (keeps_down) {
        g_string_append_printf(to, ",down%s", down ? down : value);
    }
    g_free(filter);
    g_strfreev(pieces);
}

char *chain_halved(const char *chain, gboolean height)
{
    GString *to = g_string_new(NULL);
    char **words = g_strsplit_set(chain, " \t\n\v\f\r", -1);
    for (char **word = words; *word; word++) {
        if (**word) {
            append_filter(to, *word, height);
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
