#include "nearest.h"

#include <string.h>

enum { WORD_MAX = 32 };

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

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Insertions, deletions, replacements and swaps of neighbours that make b of a
 * (optimal string alignment distance); both at most WORD_MAX long. */
static int distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    int d[WORD_MAX + 1][WORD_MAX + 1];
    for (size_t i = 0; i <= a_length; i++) {
        for (size_t j = 0; j <= b_length; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = (int)(i + j);
                continue;
            }
            int replaced = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            d[i][j] = least(replaced, 1 + least(d[i - 1][j], d[i][j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
            }
        }
    }
    return d[a_length][b_length];
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
    if (guess->length > WORD_MAX || length > WORD_MAX || length < 2) {
        return;
    }
    int d = distance(guess->word, guess->length, name, length);
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
