/* Options that are filters, and flags of filters. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "options.h"

/* The name as the tables spell it. */
static const char *spell(const char *name)
{
    return strcmp(name, "color") == 0 ? "colour" : strcmp(name, "gray") == 0 ? "grey" : name;
}

int filter_flag_index(const char *filter, const char *name)
{
    name = spell(name);
    satf_param_info param;
    for (size_t i = 0; satf_filter_param(filter, i, &param, sizeof param); i++) {
        if (param.type == SATF_PARAM_FLAG && strcmp(param.name, name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

const char *filter_value_syntax(const char *filter)
{
    satf_param_info param;
    bool first = satf_filter_param(filter, 0, &param, sizeof param);
    return first && param.is_value ? param.syntax : NULL;
}

const char *filter_param_answer(const char *name, size_t length)
{
    static char text[192];
    satf_param_info p;
    const char *filter;
    for (size_t i = 0; (filter = satf_filter_name(i, NULL, 0)); i++) {
        const char *value = filter_value_syntax(filter);
        for (size_t k = value ? 1 : 0; satf_filter_param(filter, k, &p, sizeof p); k++) {
            if (p.syntax && strlen(p.name) == length && !memcmp(p.name, name, length)) {
                snprintf(text, sizeof text,
                         "parameters follow a filter's value behind a comma: --%s%s%.*s,%s=%.*s",
                         filter, value ? " " : "", (int)strcspn(value ? value : "", "|"),
                         value ? value : "", p.name, (int)strcspn(p.syntax, "|"), p.syntax);
                return text;
            }
        }
    }
    return NULL;
}

void each_filter_option(option_visit visit, void *user)
{
    satf_filter_info info;
    satf_param_info p;
    for (size_t i = 0; satf_filter_name(i, &info, sizeof info); i++) {
        char words[256];
        option shown = {.name = info.name, .help = info.help};
        if (satf_filter_param(info.name, 0, &p, sizeof p) && p.is_value) {
            shown.metavar = p.syntax;
            snprintf(words, sizeof words, "%s", p.syntax);
            for (char *bar = words; (bar = strchr(bar, '|'));) {
                *bar = ' ';
            }
            shown.choices = p.type == SATF_PARAM_CHOICE ? words
                            : p.type == SATF_PARAM_FILE ? "FILE"
                                                        : NULL;
        }
        visit(user, &shown);
        for (size_t k = 0; satf_filter_param(info.name, k, &p, sizeof p); k++) {
            if (p.type == SATF_PARAM_FLAG) {
                visit(user, &(option){.name = p.name, .help = p.help});
            }
        }
    }
}

/* Notes a filter's flag: it belongs to the nearest filter before it that has
 * such a parameter, else to the next one. */
static void take_flag(settings *s, const char *name)
{
    for (int i = s->word_count - 1; i >= 0; i--) {
        int index = filter_flag_index(s->words[i].name, name);
        if (index >= 0) {
            s->words[i].flags |= 1U << index;
            return;
        }
    }
    s->pending_flag = name;
}

static void take_filter(settings *s, const char *name, const char *value)
{
    filter_word *word = &s->words[s->word_count++];
    *word = (filter_word){name, value, 0};
    int index = s->pending_flag ? filter_flag_index(name, s->pending_flag) : -1;
    if (index >= 0) {
        word->flags |= 1U << index;
        s->pending_flag = NULL;
    }
}

/* Bytes of the unit that follows a number; 0: none does. */
static size_t unit_bytes(const char *behind)
{
    bool number = behind[-1] >= '0' && behind[-1] <= '9';
    bool unit = !strncmp(behind, "in", 2) || !strncmp(behind, "mm", 2) || !strncmp(behind, "cm", 2);
    return number && unit ? 2 : 0;
}

/* Does the word say a size, right or wrong, up to a comma? Else it is a file. */
static bool is_size(const char *word)
{
    static const char known[] = "0123456789xX.+-";
    size_t length = strspn(word, known), unit;
    while (length > 0 && (unit = unit_bytes(word + length)) > 0) {
        length += unit;
        length += strspn(word + length, known);
    }
    bool whole = word[length] == '\0' || word[length] == ',';
    return whole && strcspn(word, "0123456789") < length && strncmp(word, "--", 2) != 0;
}

const char *filter_default_value(const char *filter)
{
    satf_param_info param;
    bool first = satf_filter_param(filter, 0, &param, sizeof param) && param.is_value;
    return first && param.type == SATF_PARAM_SIZE ? param.default_text : NULL;
}

/* "circle:3", as another program calls what it takes the least or the mean of: a size, but none of
 * ours. */
static bool is_kernel(const char *word)
{
    size_t name = strspn(word, "abcdefghijklmnopqrstuvwxyz");
    return name > 1 && word[name] == ':' && word[name + 1] >= '0' && word[name + 1] <= '9' &&
           access(word, F_OK) != 0;
}

/* The value behind the filter's name: for a window its default, where no size follows. */
static const char *next_value(const char *filter, char ***argv)
{
    const char *next = (*argv)[1], *value = filter_default_value(filter);
    return value && !(next && (is_size(next) || is_kernel(next))) ? value
                                                                  : options_next_value(argv);
}

bool take_filter_option(settings *s, char ***argv, int *status)
{
    /* --NAME=VALUE,PARAMETERS, or --NAME,PARAMETERS: the value's default, if there is one */
    const char *word = **argv, *name = spell(word + 2), *filter;
    size_t length = strcspn(name, "=,");
    const char *equals = name[length] ? name + length : NULL;
    bool comma = equals && *equals == ',';
    *status = 0;
    for (size_t i = 0; (filter = satf_filter_name(i, NULL, 0)); i++) {
        if (strlen(filter) == length && !strncmp(filter, name, length)) {
            const char *syntax = filter_value_syntax(filter);
            const char *value = equals ? equals + !comma : syntax ? next_value(filter, argv) : NULL;
            if (syntax && (!value || (comma && !filter_default_value(filter)))) {
                *status = usage_error(word, "needs a value: %s", syntax);
            } else {
                take_filter(s, filter, value);
            }
            return true;
        }
        if (!equals && filter_flag_index(filter, name) >= 0) {
            take_flag(s, name);
            return true;
        }
    }
    return false;
}
