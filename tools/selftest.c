#include "selftest.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agreement.h"
#include "message.h"

/* The SHA-256 of a line "CASE RESULT" for each case, in the order of the tables: the same on every
 * machine. A new filter, or other results of one, change them; --self-test says what they are. */
static const char *const recorded[TRIAL_BOUNDED] = {
    [TRIAL_INTEGERS] = "53557fdd3b69899bfc14908950381bd4a9893a45372fb2c3687531b23846fd5a",
    [TRIAL_FLOATS] = "f9117d6e4e22bd3ebecfe2de84a12fd79e06e8804c952d381d8b9eb0fb451539",
};

static const char *const kinds[TRIAL_BOUNDED] = {
    [TRIAL_INTEGERS] = "integers",
    [TRIAL_FLOATS] = "floats",
};

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
static void start(process *p, const char *instructions, const char *program, agreement *all)
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
        start(&others[count++], best, program, all);
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

static void print_words(const agreement *all, char digests[][SHA256_HEX], const char *no_device)
{
    printf("satfilter %s, %d cases, each a filter, a sample type and a border:\n", satf_version(),
           all->count);
    for (const run *r = all->runs; r < all->runs + all->run_count; r++) {
        printf("  %-22s %4d results, %d wrong\n", r->by, r->results, r->wrong);
    }
    if (*no_device) {
        printf("  not on CUDA: %s\n", no_device);
    }
    for (int kind = 0; kind < TRIAL_BOUNDED; kind++) {
        printf("  %-8s  SHA-256 %s, %s\n", kinds[kind], digests[kind],
               strcmp(digests[kind], recorded[kind]) ? "not as recorded" : "as recorded");
    }
    puts(all->told ? "failed" : "passed: the bits are the same everywhere");
}

static void print_json(const agreement *all, char digests[][SHA256_HEX])
{
    printf("{\"version\": \"%s\", \"passed\": %s, \"cases\": %d", satf_version(),
           all->told ? "false" : "true", all->count);
    for (int kind = 0; kind < TRIAL_BOUNDED; kind++) {
        printf(", \"%s\": {\"sha256\": \"%s\", \"recorded\": \"%s\"}", kinds[kind], digests[kind],
               recorded[kind]);
    }
    fputs(", \"runs\": [", stdout);
    for (const run *r = all->runs; r < all->runs + all->run_count; r++) {
        printf("%s{\"by\": \"%s\", \"results\": %d, \"wrong\": %d}", r == all->runs ? "" : ", ",
               r->by, r->results, r->wrong);
    }
    puts("]}");
}

int self_test(const settings *s)
{
    agreement all;
    char digests[TRIAL_BOUNDED][SHA256_HEX], no_device[256];
    int status = compare_all(&all, s->program, no_device, sizeof no_device);
    for (int kind = 0; kind < TRIAL_BOUNDED && !status; kind++) {
        sha256_end(&all.sha[kind], digests[kind]);
        if (strcmp(digests[kind], recorded[kind])) {
            agreement_tell(&all, kinds[kind], "the digest of all results is not the recorded one");
        }
    }
    if (!status) {
        s->json ? print_json(&all, digests) : print_words(&all, digests, no_device);
        status = all.told ? EXIT_FAILURE : EXIT_SUCCESS;
    }
    free(all.cases);
    return status;
}
