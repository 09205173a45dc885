/* kill -9 and SIGTERM before and after each system call of an output: it is whole or as it was, and
 * nothing stays beside it that the next run does not clear. */
#include "test.h"
#include "samples.h"

#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>

#include "io/io.h"

#ifdef __linux__
#include <sys/ptrace.h>

static const char out_txt[] = "out.txt", left[] = ".0123456789abcdef.satf-tmp";

typedef struct way {
    const char *what;
    bool exists, no_clobber, given_up;
} way;

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static bool text_is(const char *path, const char *text)
{
    char got[64] = "";
    FILE *file = fopen(path, "rb");
    if (file) {
        got[fread(got, 1, sizeof got - 1, file)] = 0;
        fclose(file);
    }
    return text ? file && strcmp(got, text) == 0 : !file;
}

static int files_beside(void)
{
    DIR *folder = opendir(".");
    int n = -2;
    while (readdir(folder)) {
        n++;
    }
    closedir(folder);
    return n - (access(out_txt, F_OK) == 0);
}

static void clean_and_end(int number)
{
    io_output_cleanup();
    signal(number, SIG_DFL);
    raise(number);
}

/* As the command does: what others have left goes, then the output comes. */
_Noreturn static void write_traced(satf_context *ctx, const way *w)
{
    io_output *out;
    satf_status wanted = w->given_up ? SATF_CANCELLED : SATF_OK;
    signal(SIGTERM, clean_and_end);
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0) {
        raise(SIGSTOP);
    }
    io_output_sweep(out_txt);
    satf_status status = io_output_open(ctx, out_txt, NULL, w->no_clobber, NULL, &out);
    if (!status) {
        fputs("new", io_output_file(out));
        status = io_output_end(ctx, out, wanted);
    }
    _exit(status != wanted);
}

/* In a child that gets the signal at its stop of that number, of two a system call. False: it has
 * fewer of them. */
static bool end_at(satf_context *ctx, const way *w, int stop, int number)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        write_traced(ctx, w);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFSTOPPED(status)) {
        skip(); /* nobody may trace here */
    }
    ptrace(PTRACE_SETOPTIONS, child, NULL, PTRACE_O_EXITKILL);
    for (int i = 0; i <= stop && WIFSTOPPED(status); i++) {
        ptrace(PTRACE_SYSCALL, child, NULL, NULL);
        assert_int_equal(waitpid(child, &status, 0), child);
    }
    if (!WIFSTOPPED(status)) {
        assert_int_equal(status, 0);
        return false;
    }
    kill(child, number);
    while (WIFSTOPPED(status)) {
        ptrace(PTRACE_CONT, child, NULL, (intptr_t)(WSTOPSIG(status) == number ? number : 0));
        assert_int_equal(waitpid(child, &status, 0), child);
    }
    assert_int_equal(WIFSIGNALED(status) ? WTERMSIG(status) : number,
                     number); /* or its last call */
    assert_true(WIFSIGNALED(status) || status == 0);
    return true;
}

static void signal_everywhere(satf_context *ctx, const way *w, int number)
{
    const char *old = w->exists ? "old" : NULL;
    bool ended = true;
    for (int stop = 0; ended; stop++) {
        unlink(out_txt);
        write_text(left, "left by a run that was killed");
        if (old) {
            write_text(out_txt, old);
            int ignored = chown(out_txt, 12345, 12345); /* root's end is another owner's file */
            (void)ignored;
        }
        ended = end_at(ctx, w, stop, number);
        bool whole = text_is(out_txt, "new"), as_it_was = text_is(out_txt, old);
        if (number == SIGKILL) {
            io_output_sweep(out_txt);
        } else {
            unlink(left);
        }
        bool right = ended ? whole || as_it_was : true;
        if (!right || (w->given_up ? !as_it_was : !ended && !whole) || files_beside() != 0) {
            fail_msg("%s, signal %d at stop %d: %s, %d files beside it", w->what, number, stop,
                     whole       ? "whole"
                     : as_it_was ? "as it was"
                                 : "not whole",
                     files_beside());
        }
    }
}

TEST(test_signals)
{
    static const way ways[] = {{.what = "a new file"},
                               {.what = "one that replaces another", .exists = true},
                               {.what = "one that must be new", .no_clobber = true},
                               {.what = "one that is given up", .exists = true, .given_up = true}};
    for (size_t i = 0; i < COUNT(ways); i++) {
        signal_everywhere(ctx, &ways[i], SIGKILL);
        signal_everywhere(ctx, &ways[i], SIGTERM);
    }
}

TEST_FILE(.folder = true)
#endif
