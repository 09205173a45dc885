#include "nearest.h"

#include <string.h>

#include "spelling.h"

int filter_flag_index(const char *filter, const char *name)
{
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

/* The name that is nearest to word so far. */
struct guess {
    const char *word;
    size_t length;
    const char *best;
    int best_distance;
};

static void guess_try(struct guess *guess, const char *name)
{
    size_t length = strlen(name);
    if (guess->length > SPELLING_MAX || length > SPELLING_MAX || length < 2) {
        return;
    }
    int d = spelling_distance(guess->word, guess->length, name, length);
    bool is_start = 2 * guess->length >= length && strncmp(name, guess->word, guess->length) == 0;
    d = is_start && d > 1 ? 1 : d;
    /* More letters wrong, or more than a third of them, make another word. */
    if (d <= 2 && 3 * d <= (int)guess->length && (!guess->best || d < guess->best_distance)) {
        guess->best = name;
        guess->best_distance = d;
    }
}

const char *nearest_option(const char *word, size_t length)
{
    struct guess guess = {.word = word, .length = length};
    const char *filter;
    for (size_t i = 0; (filter = satf_filter_name(i, NULL, 0)); i++) {
        guess_try(&guess, filter);
        satf_param_info param;
        for (size_t k = 0; satf_filter_param(filter, k, &param, sizeof param); k++) {
            if (param.type == SATF_PARAM_FLAG) {
                guess_try(&guess, param.name);
            }
        }
    }
    const option *o;
    for (size_t i = 0; (o = option_at(i)); i++) {
        if (option_shown(o)) {
            guess_try(&guess, o->name);
        }
    }
    return guess.best;
}
