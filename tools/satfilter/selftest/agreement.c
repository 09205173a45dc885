/* Comparing the digests of one case, and naming those that differ. */
#include "agreement.h"

#include <stdlib.h>
#include <string.h>

#include "../options/message.h"

enum { MOST_MESSAGES = 10 };

void agreement_start(agreement *all)
{
    *all = (agreement){.first = true};
    for (int kind = 0; kind < TRIAL_BOUNDED; kind++) {
        sha256_start(&all->sha[kind]);
    }
}

void agreement_end(agreement *all)
{
    free(all->cases);
    free(all->lines);
}

void agreement_tell(agreement *all, const char *subject, const char *what)
{
    if (all->told++ < MOST_MESSAGES) {
        char head[128];
        snprintf(head, sizeof head, "--self-test: %s", subject);
        message(head, "%s", what);
    }
}

static known_case *find_case(const agreement *all, const char *name)
{
    for (int i = all->count - 1; i >= 0; i--) {
        if (strcmp(all->cases[i].name, name) == 0) {
            return &all->cases[i];
        }
    }
    return NULL;
}

/* Room for one more entry in a list of entries of so many bytes; false if memory is short. */
static bool agreement_make_room(agreement *all, void *list, int count, int *room, size_t bytes)
{
    void **at = list;
    if (count < *room) {
        return true;
    }
    void *more = realloc(*at, (size_t)(*room * 2 + 256) * bytes);
    all->no_memory = all->no_memory || !more;
    if (more) {
        *at = more;
        *room = *room * 2 + 256;
    }
    return more != NULL;
}

/* The line of a case's filter and sample type. Cases come line by line. NULL if memory is short. */
static digest_line *agreement_line_of(agreement *all, const char *name)
{
    char line[sizeof((digest_line *)0)->name];
    int words = (int)strcspn(name, " ");
    words += 1 + (int)strcspn(name + words + 1, " ");
    snprintf(line, sizeof line, "%.*s", words, name);
    if (all->line_count > 0 && strcmp(all->lines[all->line_count - 1].name, line) == 0) {
        return &all->lines[all->line_count - 1];
    }
    if (!agreement_make_room(all, &all->lines, all->line_count, &all->line_room,
                             sizeof *all->lines)) {
        return NULL;
    }
    digest_line *new = &all->lines[all->line_count++];
    strcpy(new->name, line);
    sha256_start(&new->sha);
    return new;
}

/* NULL if memory is short. */
static known_case *add_case(agreement *all, const trial *t, const char *by)
{
    char text[sizeof t->name + sizeof t->result + 2];
    int length = snprintf(text, sizeof text, "%s %s\n", t->name, t->result);
    digest_line *line = agreement_line_of(all, t->name);
    if (!line ||
        !agreement_make_room(all, &all->cases, all->count, &all->room, sizeof *all->cases)) {
        return NULL;
    }
    known_case *new = &all->cases[all->count++];
    strcpy(new->name, t->name);
    strcpy(new->result, t->result);
    strcpy(new->by, by);
    sha256_add(&line->sha, text, (size_t)length);
    if (t->kind < TRIAL_BOUNDED) { /* once, whoever else computes it */
        sha256_add(&all->sha[t->kind], text, (size_t)length);
    }
    return new;
}

/* More runs than there is room for share the last place. */
static run *find_run(agreement *all, const char *by)
{
    int i = 0;
    while (i < all->run_count && strcmp(all->runs[i].by, by)) {
        i++;
    }
    if (i == MAX_RUNS) {
        return &all->runs[MAX_RUNS - 1];
    }
    if (i == all->run_count) {
        snprintf(all->runs[i].by, sizeof all->runs[i].by, "%s", by);
        all->run_count++;
    }
    return &all->runs[i];
}

static bool begins(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

void agreement_take(void *user, const trial *t)
{
    agreement *all = user;
    char by[64], what[512] = "";
    bool cpu = strstr(t->by, "cpu") != NULL;
    snprintf(by, sizeof by, "%s%s%s", t->by, cpu ? " " : "", cpu ? all->instructions : "");
    const known_case *known = find_case(all, t->name);
    if (!known && all->first) {
        known = add_case(all, t, by);
    }
    if (t->failed) {
        snprintf(what, sizeof what, "%s: %s", by, t->result);
    } else if (!known) {
        snprintf(what, sizeof what, "%s has a result that nothing else has", by);
    } else if (begins(t->result, TRIAL_BEYOND)) {
        snprintf(what, sizeof what, "%s is too far from %s", by, known->by);
    } else if (!begins(t->result, TRIAL_WITHIN) && strcmp(t->result, known->result)) {
        snprintf(what, sizeof what, "%s differs from %s", by, known->by);
    }
    run *of = find_run(all, by);
    of->results++;
    if (what[0]) {
        of->wrong++;
        agreement_tell(all, t->name, what);
    }
}
