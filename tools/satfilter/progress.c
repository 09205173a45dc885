/* Drawing the line of progress. */
#include "progress.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "../clean.h"

static struct {
    const char *name;
    int index, count;
    double start_ms, drawn_ms;
    bool enabled;
    volatile sig_atomic_t drawn; /* a handler of signals looks at it */
} progress;

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

double progress_elapsed_ms(void)
{
    return now_ms() - progress.start_ms;
}

void progress_start(int count, int quiet)
{
    progress.count = count;
    progress.index = 0;
    progress.name = "";
    progress.start_ms = now_ms();
    progress.enabled = !quiet && isatty(STDERR_FILENO);
}

void progress_file(const char *name, int index)
{
    progress.name = name;
    progress.index = index;
}

/* One less than the terminal has: in the last column some terminals begin the next line. */
static int terminal_columns(void)
{
    struct winsize size;
    bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return (known ? size.ws_col : 80) - 1;
}

/* "18 s" */
static void describe_left(double seconds, char *text, size_t room)
{
    bool minutes = seconds >= 100, hours = seconds >= 6000;
    snprintf(text, room, "%.0f %s",
             seconds / (hours     ? 3600
                        : minutes ? 60
                                  : 1),
             hours     ? "h"
             : minutes ? "min"
                       : "s");
}

/*
 * "37 of 200 files, 9.2 a second, 18 s left: in.png 40 %" in so many columns. What has no room is
 * left out as a whole: the file's name first, then the rate, the time left and the number of files.
 * The rate is that of the files that are done.
 */
static void print_line(double done, int columns)
{
    char percent[16], files[40] = "", rate[32] = "", left[32] = "";
    columns -= snprintf(percent, sizeof percent, "%.0f %%", 100 * done);
    if (progress.count > 1) {
        columns -= snprintf(files, sizeof files, "%d of %d files", progress.index, progress.count);
    }
    if (progress.count > 1 && progress.index) {
        double seconds = progress_elapsed_ms() / 1e3, per_second = progress.index / seconds;
        char time[16];
        describe_left((progress.count - progress.index) / per_second, time, sizeof time);
        snprintf(left, sizeof left, ", %s left", time);
        snprintf(rate, sizeof rate, ", %.*f a second", per_second < 10 ? 1 : 0, per_second);
    }
    const int separator = 2; /* ": " */
    columns -= *files ? separator : 0;
    char *parts[] = {left, rate};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        int length = (int)strlen(parts[i]);
        if (length > columns) {
            parts[i][0] = '\0';
        } else {
            columns -= length;
        }
    }
    int name = columns_clean(progress.name, columns + 1) + 1; /* and a blank */
    bool shows_name = *progress.name && name <= columns;
    bool shows_files = columns >= 0;
    fprintf(stderr, "%s%s%s%s", shows_files ? files : "", rate, left,
            shows_files && *files ? ": " : "");
    if (shows_name) {
        print_clean(progress.name, columns);
    }
    fprintf(stderr, "%s%s", shows_name ? " " : "", percent);
}

int progress_show(void *unused, double done)
{
    (void)unused;
    double now = now_ms();
    if (!progress.enabled || now - progress.start_ms < 1000 || now - progress.drawn_ms < 100) {
        return 0;
    }
    fputs("\r\033[K", stderr);
    print_line(done, terminal_columns());
    fflush(stderr);
    progress.drawn = true;
    progress.drawn_ms = now;
    return 0;
}

void progress_clear(void)
{
    static const char clear[] = "\r\033[K";
    if (progress.drawn) {
        ssize_t ignored = write(STDERR_FILENO, clear, sizeof clear - 1);
        (void)ignored;
    }
}

void progress_hide(void)
{
    if (progress.drawn) {
        fputs("\r\033[K", stderr);
        progress.drawn = false;
    }
}
