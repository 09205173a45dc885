/* satfilter: image filters on summed area tables, the command. Read this file first, then batch.c
 * and workers.c. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "batch.h"
#include "options/help.h"
#include "options/message.h"
#include "options/options.h"
#include "progress.h"
#include "selftest/selftest.h"

/* Removes the temporary files and the progress line, then dies of the signal as if it had not been
 * caught. */
static void die_clean(int signal_number)
{
    satf_files_cleanup();
    progress_clear();
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void catch_signals(void)
{
    static const int deadly[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGXFSZ};
    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++) {
        struct sigaction how;
        /* What the parent has chosen to ignore (nohup) stays ignored. */
        if (sigaction(deadly[i], NULL, &how) == 0 && how.sa_handler != SIG_IGN) {
            memset(&how, 0, sizeof how);
            how.sa_handler = die_clean;
            sigfillset(&how.sa_mask);
            sigaction(deadly[i], &how, NULL);
        }
    }
    signal(SIGPIPE, SIG_IGN); /* writing to a closed pipe is an error with a message */
}

/* A closed standard stream would give its number to the next file opened. The
 * wrong direction makes its use an error. */
static void keep_standard_streams(void)
{
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF) {
            if (open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) < 0) {
                _exit(EXIT_FAILURE);
            }
        }
    }
}

static int satfilter_tune(const settings *s)
{
    if (!s->quiet) {
        progress_start(1, s->quiet);
        progress_file("measuring (1+r)R1W", 0);
        satf_context_set_progress(s->ctx, progress_show, NULL);
    }
    satf_status status = satf_context_tune(s->ctx);
    progress_hide();
    if (status) {
        message("--tune", "%s", library_message(s->ctx));
    } else if (!s->quiet) {
        message("--tune", "done: later runs use what was found");
    }
    return status ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int act(const settings *s)
{
    switch ((action)s->action) {
    case ACTION_RUN:
        return batch_run(s);
    case ACTION_HELP:
        return help_print(s);
    case ACTION_LIST:
        s->json ? help_list_json(s->ctx) : help_list();
        break;
    case ACTION_VERSION:
        printf("satfilter %s\n", satf_version());
        break;
    case ACTION_TUNE:
        return satfilter_tune(s);
    case ACTION_SELF_TEST:
        return self_test(s);
    case ACTION_TRIALS:
        return self_test_results();
    case ACTION_DIGESTS:
        return self_test_digests();
    case ACTION_MAN:
        help_man_page();
        break;
    case ACTION_BASH:
        help_completion(shell_print_bash);
        break;
    case ACTION_ZSH:
        help_completion(shell_print_zsh);
        break;
    case ACTION_FISH:
        help_completion(shell_print_fish);
        break;
    }
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    keep_standard_streams();
    catch_signals();
    if (argc < 2) {
        help_short(stderr);
        return EXIT_USAGE;
    }
    settings s;
    int status = options_parse(&s, argc, argv);
    if (!status) {
        status = act(&s);
    }
    options_free(&s);
    /* Outputs were checked as they were closed; this is for --help, --list and --json. */
    if ((fflush(stdout) || ferror(stdout)) && !status) {
        message("-", "standard output cannot be written: %s", strerror(errno));
        status = EXIT_FAILURE;
    }
    return status;
}
