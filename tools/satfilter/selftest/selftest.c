/* Running --self-test: all trials, and the digests that they must have. */
#include "selftest.h"

#include <stdlib.h>
#include <string.h>

#include "agreement.h"
#include "child.h"
#include "witness.h"
#include "../options/message.h"

/* What --self-test has to find on every machine: the first digits of SHA-256 digests, one for each
 * filter and sample type, and the whole digests of all cases, by trial_kind. Made by
 * --self-test-digests. */
typedef struct recorded_line {
    const char *name, *digits;
} recorded_line;

static const recorded_line recorded_lines[] = {
#include "digests.inc"
};

enum {
    LINES = sizeof recorded_lines / sizeof *recorded_lines,
    DIGITS = 16 /* of a line's digest */
};

static const char *selftest_kind_name(trial_kind kind)
{
    switch (kind) {
    case TRIAL_INTEGERS:
        return "integers";
    case TRIAL_FLOATS:
        return "floats";
    case TRIAL_BOUNDED:
        break;
    }
    return NULL;
}

/* ------------------------------------------------------------------- other processes */

enum { MAX_CHILDREN = 8 };

static void print_trial(void *user, const trial *t)
{
    (void)user;
    printf("%s\t%s\t%s\t%s\n", t->name, t->by, t->failed ? "!" : "=", t->result);
}

int self_test_results(void)
{
    char none[1];
    return trials_run(false, print_trial, NULL, none, sizeof none);
}

static void selftest_start(child *c, const char *instructions, const char *program, agreement *all)
{
    int error = child_start(c, program, instructions);
    if (error) {
        char what[512];
        snprintf(what, sizeof what, "cannot run %s again: %s", program, strerror(error));
        agreement_tell(all, instructions, what);
    }
}

/* A line of print_trial(). */
static bool read_trial(char *line, trial *t)
{
    char *parts[4];
    for (int i = 0; i < 4; i++) {
        parts[i] = strtok(i ? NULL : line, "\t\n");
        if (!parts[i]) {
            return false;
        }
    }
    *t = (trial){.failed = *parts[2] == '!'};
    snprintf(t->name, sizeof t->name, "%s", parts[0]);
    snprintf(t->by, sizeof t->by, "%s", parts[1]);
    snprintf(t->result, sizeof t->result, "%s", parts[3]);
    return true;
}

/* Compares all that the process prints, which are as many results as this process had of the CPU.
 */
static void take_child(agreement *all, child *c, int expected)
{
    char line[512], subject[64], last[64] = "none";
    trial t;
    int results = 0;
    all->instructions = c->instructions;
    for (; fgets(line, sizeof line, c->from) && read_trial(line, &t); results++) {
        strcpy(last, t.name);
        agreement_take(all, &t);
    }
    const char *failure = child_end(c);
    if (failure || results != expected) {
        snprintf(subject, sizeof subject, "cpu %s", c->instructions);
        snprintf(line, sizeof line, "%s after %d of %d results, the last of %s",
                 failure ? failure : "ended", results, expected, last);
        agreement_tell(all, subject, line);
    }
}

/* Everything that this machine has: this process computes by the best instruction set, and another
 * one by each of the others. Where none can be started, program NULL, *first becomes the best one's
 * number. */
static int compare_all(agreement *all, const char *program, size_t *first, char *without_device,
                       size_t bytes)
{
    child others[MAX_CHILDREN];
    int count = 0, expected = 0;
    const char *best = satf_instructions(0), *next;
    agreement_start(all);
    *first = 0;
    for (size_t i = 1; (next = satf_instructions(i)); i++, best = next) {
        if (!program) {
            *first = i;
        } else if (count < MAX_CHILDREN) {
            selftest_start(&others[count++], best, program, all);
        }
    }
    all->instructions = best;
    int status = trials_run(true, agreement_take, all, without_device, bytes);
    for (int i = 0; i < all->run_count; i++) {
        expected += strstr(all->runs[i].by, "cpu") ? all->runs[i].results : 0;
    }
    all->first = false;
    for (int i = 0; i < count; i++) {
        if (others[i].from) {
            take_child(all, &others[i], expected);
        }
    }
    return status ? status : all->no_memory ? out_of_memory() : EXIT_SUCCESS;
}

/* -------------------------------------------------------------------------- the whole */

/* What a run has found. */
typedef struct found_line {
    const char *name, *recorded; /* recorded: NULL, of a line that is not */
    char digits[SHA256_HEX];
} found_line;

typedef struct findings {
    found_line *lines; /* one a filter and sample type, then one a trial_kind */
    int count;
    size_t first; /* the number of the first instruction set that has computed */
} findings;

static const char *find_recorded(const char *name)
{
    for (int i = 0; i < LINES; i++) {
        if (strcmp(recorded_lines[i].name, name) == 0) {
            return recorded_lines[i].digits;
        }
    }
    return NULL;
}

static void add_line(findings *all, const char *name, sha256 *sha, int digits)
{
    found_line *line = &all->lines[all->count++];
    line->name = name;
    line->recorded = find_recorded(name);
    sha256_end(sha, line->digits);
    line->digits[digits] = '\0';
}

/* Ends the digests. The lines are the caller's to free; NULL if memory is short. */
static findings selftest_find(agreement *all, size_t first)
{
    int most = all->line_count + TRIAL_BOUNDED;
    findings found = {.lines = calloc((size_t)most, sizeof *found.lines), .first = first};
    for (int i = 0; found.lines && i < all->line_count; i++) {
        add_line(&found, all->lines[i].name, &all->lines[i].sha, DIGITS);
    }
    for (int kind = 0; found.lines && kind < TRIAL_BOUNDED; kind++) {
        add_line(&found, selftest_kind_name((trial_kind)kind), &all->sha[kind], SHA256_HEX - 1);
    }
    return found;
}

static bool is_as_recorded(const found_line *line)
{
    return line->recorded && strcmp(line->digits, line->recorded) == 0;
}

/* Lines that differ, and those that are recorded and did not come. */
static void tell_differences(agreement *all, const findings *found)
{
    for (int i = found->count - 1; i >= 0; i--) { /* those of all cases first */
        if (!is_as_recorded(&found->lines[i])) {
            agreement_tell(all, found->lines[i].name,
                           "the digest of the results is not the recorded one");
        }
    }
    for (int i = 0; i < LINES; i++) {
        bool came = false;
        for (int k = 0; k < found->count; k++) {
            came = came || strcmp(found->lines[k].name, recorded_lines[i].name) == 0;
        }
        if (!came) {
            agreement_tell(all, recorded_lines[i].name, "no result, and one is recorded");
        }
    }
}

static void selftest_print_words(const agreement *all, const findings *found, const char *no_device)
{
    printf("satfilter %s, %d cases, each a filter, a sample type and a border:\n", satf_version(),
           all->count);
    for (const run *r = all->runs; r < all->runs + all->run_count; r++) {
        printf("  %-22s %4d results, %d wrong\n", r->by, r->results, r->wrong);
    }
    if (*no_device) {
        printf("  not on CUDA: %s\n", no_device);
    }
    for (size_t i = 0; i < found->first; i++) {
        printf("  not on cpu %s, which needs another process: SATFILTER_CPU=%s selects it\n",
               satf_instructions(i), satf_instructions(i));
    }
    for (int i = 0; i < found->count; i++) {
        const found_line *line = &found->lines[i];
        if (i >= found->count - TRIAL_BOUNDED) {
            printf("  %-8s  SHA-256 %s, %s\n", line->name, line->digits,
                   is_as_recorded(line) ? "as recorded" : "not as recorded");
        } else if (!is_as_recorded(line)) {
            printf("  %-20s %s, not as recorded\n", line->name, line->digits);
        }
    }
    puts(all->told ? "failed" : "passed: the bits are the same everywhere");
    const found_line *whole = &found->lines[found->count - TRIAL_BOUNDED];
    witness_print(whole[TRIAL_INTEGERS].digits, whole[TRIAL_FLOATS].digits, found->first,
                  !all->told);
}

static void print_json(const agreement *all, const findings *found)
{
    printf("{\"version\": \"%s\", \"passed\": %s, \"cases\": %d", satf_version(),
           all->told ? "false" : "true", all->count);
    for (int i = found->count - TRIAL_BOUNDED; i < found->count; i++) {
        const found_line *line = &found->lines[i];
        printf(", \"%s\": {\"sha256\": \"%s\", \"recorded\": \"%s\"}", line->name, line->digits,
               line->recorded);
    }
    fputs(", \"lines\": {", stdout);
    for (int i = 0; i < found->count - TRIAL_BOUNDED; i++) {
        const found_line *line = &found->lines[i];
        printf("%s\"%s\": {\"sha256\": \"%s\", \"recorded\": \"%s\"}", i ? ", " : "", line->name,
               line->digits, line->recorded ? line->recorded : "");
    }
    fputs("}, \"runs\": [", stdout);
    for (const run *r = all->runs; r < all->runs + all->run_count; r++) {
        printf("%s{\"by\": \"%s\", \"results\": %d, \"wrong\": %d}", r == all->runs ? "" : ", ",
               r->by, r->results, r->wrong);
    }
    fputs("], \"left_out\": [", stdout);
    for (size_t i = 0; i < found->first; i++) {
        printf("%s\"%s\"", i ? ", " : "", satf_instructions(i));
    }
    puts("]}");
}

int self_test(const settings *s)
{
    agreement all;
    char no_device[256];
    size_t first;
    const char *program = child_possible() ? s->program : NULL;
    int status = compare_all(&all, program, &first, no_device, sizeof no_device);
    findings found = selftest_find(&all, first);
    status = status || found.lines ? status : out_of_memory();
    if (!status) {
        tell_differences(&all, &found);
        s->json ? print_json(&all, &found) : selftest_print_words(&all, &found, no_device);
        status = all.told ? EXIT_FAILURE : EXIT_SUCCESS;
    }
    free(found.lines);
    agreement_end(&all);
    return status;
}

int self_test_digests(void)
{
    char none[1];
    agreement all;
    agreement_start(&all);
    all.instructions = satf_instructions(0);
    int status = trials_run(false, agreement_take, &all, none, sizeof none);
    findings found = selftest_find(&all, 0);
    status = status || (found.lines && !all.no_memory) ? status : out_of_memory();
    for (int i = 0; i < found.count && !status; i++) {
        printf("{\"%s\", \"%s\"},\n", found.lines[i].name, found.lines[i].digits);
    }
    free(found.lines);
    agreement_end(&all);
    return status;
}
