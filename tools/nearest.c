/* Guessing which option was meant. */
#include "cli.h"

#include <string.h>

#include "spelling.h"

/* The name that is nearest to word so far. */
typedef struct guess {
    const char *word;
    size_t length;
    const char *best;
    int best_distance;
} guess;

static void guess_try(void *user, const option *o)
{
    guess *g = user;
    const char *name = o->name;
    size_t length = strlen(name);
    if (g->length > SPELLING_MAX || length > SPELLING_MAX || length < 2) {
        return;
    }
    int d = spelling_distance(g->word, g->length, name, length);
    bool is_start = 2 * g->length >= length && strncmp(name, g->word, g->length) == 0;
    d = is_start && d > 1 ? 1 : d;
    /* More letters wrong, or more than a third of them, make another word. */
    if (d <= 2 && 3 * d <= (int)g->length && (!g->best || d < g->best_distance)) {
        g->best = name;
        g->best_distance = d;
    }
}

const char *option_nearest(const cli *p, const char *word, size_t length)
{
    guess g = {.word = word, .length = length};
    p->each_option(guess_try, &g);
    return g.best;
}
