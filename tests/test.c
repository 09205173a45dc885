/* The harness's main(): which files and cases run, and each file's process. */
#include "test.h"

#include <signal.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>

#include "base/cpu.h"
#include "base/parallel.h"

enum { MOST_FILES = 64, MOST_CASES = 96 };

typedef struct file_cases {
    char name[64]; /* crop, of tests/filter/test_crop.c */
    const test_file *settings;
    struct CMUnitTest cases[MOST_CASES];
    int lines[MOST_CASES];
    size_t count;
} file_cases;

const char *test_program;
static file_cases files[MOST_FILES];
static size_t file_count;
static const test_file plain;
static const test_file *current = &plain;

/* The entry of a file, by its path. */
static file_cases *entry_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    base += strncmp(base, "test_", 5) == 0 ? 5 : 0;
    int bytes = (int)strcspn(base, ".");
    for (size_t i = 0; i < file_count; i++) {
        if (strncmp(files[i].name, base, (size_t)bytes) == 0 && !files[i].name[bytes]) {
            return &files[i];
        }
    }
    if (file_count == MOST_FILES) {
        abort();
    }
    file_cases *f = &files[file_count++];
    snprintf(f->name, sizeof f->name, "%.*s", bytes, base);
    f->settings = &plain;
    return f;
}

static char folder[32]; /* of the case that runs */

static int begin_case(void **state)
{
    satf_context *ctx;
    strcpy(folder, "/tmp/satfilter-test.XXXXXX");
    if (current->folder && (!mkdtemp(folder) || chdir(folder))) {
        perror(folder);
        return -1;
    }
    if (satf_context_create(&ctx) ||
        (current->formats && satf_context_set_formats(ctx, current->formats))) {
        return -1;
    }
    *state = ctx;
    if (current->context) {
        *current->context = ctx;
    }
    return 0;
}

static int end_case(void **state)
{
    char command[96];
    satf_context_destroy(*state);
    snprintf(command, sizeof command, "chmod -R u+w %s; rm -r %s", folder, folder);
    return current->folder && (chdir("/") || system(command));
}

static void skip_case(void **state)
{
    (void)state;
    skip();
}

/* Constructors run in any order; the cases run in that of their lines. */
void test_register(const char *file, int line, const char *name, void (*run)(void **))
{
    file_cases *f = entry_of(file);
    if (f->count == MOST_CASES) {
        abort();
    }
    size_t at = f->count++;
    for (; at > 0 && f->lines[at - 1] > line; at--) {
        f->lines[at] = f->lines[at - 1];
        f->cases[at] = f->cases[at - 1];
    }
    f->lines[at] = line;
    f->cases[at] = (struct CMUnitTest){name, run, begin_case, end_case, NULL};
}

void test_register_file(const char *file, const test_file *settings)
{
    entry_of(file)->settings = settings;
}

/* Whether words, a list with blanks between, names the file, the case, or the case as file/case. */
static bool names(const char *words, const char *file, const char *name)
{
    char all[4096], both[160];
    snprintf(all, sizeof all, "%s", words);
    snprintf(both, sizeof both, "%s/%s", file, name);
    for (char *rest, *word = strtok_r(all, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        if (strcmp(word, file) == 0 || strcmp(word, name) == 0 || strcmp(word, both) == 0) {
            return true;
        }
    }
    return false;
}

/* Only those cases stay that the words of the command line, TEST_ONLY and TEST_NOT leave. */
static size_t choose(const char *words)
{
    const char *only = getenv("TEST_ONLY"), *not = getenv("TEST_NOT");
    size_t chosen = 0;
    for (size_t i = 0; i < file_count; i++) {
        file_cases *f = &files[i];
        size_t kept = 0;
        for (size_t k = 0; k < f->count; k++) {
            const char *name = f->cases[k].name;
            if ((!*words || names(words, f->name, name)) && (!only || names(only, f->name, name)) &&
                (!not || !names(not, f->name, name))) {
                f->cases[kept++] = f->cases[k];
            }
        }
        f->count = kept;
        chosen += kept > 0;
    }
    return chosen;
}

/* With one instruction set. The last round has the cases that depend on none, too. */
static int run_round(const file_cases *f, int isa, bool last)
{
    struct CMUnitTest cases[MOST_CASES];
    const test_file *s = f->settings;
    size_t count = 0;
    char name[96];
    for (size_t i = 0; i < f->count; i++) {
        if (!s->of_isa || last || names(s->of_isa, "", f->cases[i].name)) {
            cases[count++] = f->cases[i];
        }
    }
    satf_cpu_limit((satf_isa)isa);
    snprintf(name, sizeof name, "%s, %s", f->name, satf_isa_name((satf_isa)isa));
    return count == 0 ? 0 : _cmocka_run_group_tests(name, cases, count, s->begin, s->end);
}

static int run_cases(file_cases *f)
{
    const test_file *s = f->settings;
    int failed = 0;
    if (!s->every_isa) {
        return _cmocka_run_group_tests(f->name, f->cases, f->count, s->begin, s->end);
    }
    satf_cpu_limit(SATF_ISA_COUNT);
    int best = (int)satf_cpu_isa();
    for (int isa = 0; isa < best; isa++) {
        failed += run_round(f, isa, false);
    }
    return failed + run_round(f, best, true);
}

static int run_file(file_cases *f)
{
    current = f->settings;
    if (current->skipped) {
        printf("%s: skipped: %s\n", f->name, current->skipped);
        for (size_t k = 0; k < f->count; k++) {
            f->cases[k] = (struct CMUnitTest){f->cases[k].name, skip_case, NULL, NULL, NULL};
        }
        return _cmocka_run_group_tests(f->name, f->cases, f->count, NULL, NULL);
    }
    if (current->shared) {
        satf_share_anything();
    }
    return run_cases(f);
}

/* A file that ends its process has failed. */
static int run_apart(file_cases *f)
{
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
#ifdef __linux__
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* a program that is killed leaves nobody behind */
#endif
        exit(run_file(f) != 0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child) {
        perror("fork");
        return 1;
    }
    if (WIFSIGNALED(status)) {
        printf("%s: ended by signal %d\n", f->name, WTERMSIG(status));
    }
    return status != 0;
}

static int list(void)
{
    for (size_t i = 0; i < file_count; i++) {
        for (size_t k = 0; k < files[i].count; k++) {
            printf("%s/%s\n", files[i].name, files[i].cases[k].name);
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    char words[4096] = "";
    test_program = argv[0];
    for (size_t i = 0; i < file_count && argc > 1; i++) {
        const char *option = files[i].settings->option;
        if (option && strcmp(option, argv[1]) == 0) {
            return files[i].settings->run_option();
        }
    }
    bool lists = argc > 1 && strcmp(argv[1], "--list") == 0;
    for (int i = lists ? 2 : 1; i < argc; i++) {
        size_t used = strlen(words);
        snprintf(words + used, sizeof words - used, "%s ", argv[i]);
    }
    size_t chosen = choose(words);
    if (chosen == 0) {
        fprintf(stderr, "no case has such a name; --list says which there are\n");
        return *words ? 2 : 77;
    }
    if (lists) {
        return list();
    }
    int failed = 0;
    for (size_t i = 0; i < file_count; i++) {
        if (files[i].count > 0) {
            failed += chosen == 1 ? run_file(&files[i]) : run_apart(&files[i]);
        }
    }
    return failed != 0;
}
