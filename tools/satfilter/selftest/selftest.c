/* Running --self-test: all trials, and the digests that they must have. */
#include "selftest.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agreement.h"
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

/* This command again, for another instruction set. */
typedef struct process {
    const char *instructions;
    pid_t pid;
    FILE *from; /* its standard output; NULL: it could not be started */
} process;

enum { MAX_PROCESSES = 8 };

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

/* With standard output into ends[1]. 0, or an errno. */
static int spawn(process *p, const char *program, const int ends[2])
{
    extern char **environ;
    char *arguments[] = {(char *)(uintptr_t)program, "--self-test-results", NULL};
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (!error) {
        error = posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
        error = error ? error : posix_spawn_file_actions_addclose(&actions, ends[0]);
        error = error ? error : posix_spawn_file_actions_addclose(&actions, ends[1]);
        error = error ? error : posix_spawnp(&p->pid, program, &actions, NULL, arguments, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    return error;
}

/* The library reads the variable when it is loaded, so this process does not mind it. */
static void selftest_start(process *p, const char *instructions, const char *program,
                           agreement *all)
{
    int ends[2], error;
    *p = (process){.instructions = instructions};
    if (setenv("SATFILTER_CPU", instructions, 1) || pipe(ends)) {
        error = errno;
    } else {
        error = spawn(p, program, ends);
        close(ends[1]);
        p->from = error ? NULL : fdopen(ends[0], "r");
        if (!p->from) {
            close(ends[0]);
        }
    }
    if (error) {
        char what[512];
        snprintf(what, sizeof what, "cannot run %s again: %s", program, strerror(error));
        agreement_tell(all, instructions, what);
    }
}

/* A line of print_trial(). */
static bool read_trial(char *line, trial *t)
{
    char *parts[4], *rest = line;
    line[strcspn(line, "\n")] = '\0';
    for (int i = 0; i < 4; i++) {
        parts[i] = strsep(&rest, "\t");
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
static void take_process(agreement *all, const process *p, int expected)
{
    char line[512], subject[64], last[64] = "none";
    trial t;
    int status = 0, results = 0;
    all->instructions = p->instructions;
    for (; fgets(line, sizeof line, p->from) && read_trial(line, &t); results++) {
        strcpy(last, t.name);
        agreement_take(all, &t);
    }
    fclose(p->from);
    bool ended = waitpid(p->pid, &status, 0) == p->pid && WIFEXITED(status);
    if (!ended || WEXITSTATUS(status) || results != expected) {
        snprintf(subject, sizeof subject, "cpu %s", p->instructions);
        snprintf(line, sizeof line, "%s after %d of %d results, the last of %s",
                 WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "ended", results, expected,
                 last);
        agreement_tell(all, subject, line);
    }
}

/* Everything that this machine has. */
static int compare_all(agreement *all, const char *program, char *without_device, size_t bytes)
{
    process others[MAX_PROCESSES];
    int count = 0, expected = 0;
    const char *best = satf_instructions(0), *next;
    agreement_start(all);
    while ((next = satf_instructions((size_t)count + 1)) && count < MAX_PROCESSES) {
        selftest_start(&others[count++], best, program, all);
        best = next;
    }
    all->instructions = best;
    int status = trials_run(true, agreement_take, all, without_device, bytes);
    for (int i = 0; i < all->run_count; i++) {
        expected += strstr(all->runs[i].by, "cpu") ? all->runs[i].results : 0;
    }
    all->first = false;
    for (int i = 0; i < count; i++) {
        if (others[i].from) {
            take_process(all, &others[i], expected);
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
static findings selftest_find(agreement *all)
{
    int most = all->line_count + TRIAL_BOUNDED;
    findings found = {.lines = calloc((size_t)most, sizeof *found.lines)};
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
    witness_print(whole[TRIAL_INTEGERS].digits, whole[TRIAL_FLOATS].digits, !all->told);
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
    puts("]}");
}

int self_test(const settings *s)
{
    agreement all;
    char no_device[256];
    int status = compare_all(&all, s->program, no_device, sizeof no_device);
    findings found = selftest_find(&all);
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
    findings found = selftest_find(&all);
    status = status || (found.lines && !all.no_memory) ? status : out_of_memory();
    for (int i = 0; i < found.count && !status; i++) {
        printf("{\"%s\", \"%s\"},\n", found.lines[i].name, found.lines[i].digits);
    }
    free(found.lines);
    agreement_end(&all);
    return status;
}
