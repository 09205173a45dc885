#include "progress.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "message.h"

static struct {
    const char *name;
    int index, count;
    double start_ms, drawn_ms;
    bool enabled, drawn;
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

/* "37 of 200 files, 9.2 a second, 18 s left: "; the rate is that of the files that are done. */
static void describe_batch(char *text, size_t room)
{
    double seconds = progress_elapsed_ms() / 1e3, rate = progress.index / seconds;
    int length = snprintf(text, room, "%d of %d files%s", progress.index, progress.count,
                          progress.index ? "" : ": ");
    if (progress.index) {
        double left = (progress.count - progress.index) / rate;
        char unit = left < 100 ? 's' : left < 6000 ? 'm' : 'h';
        left /= unit == 's' ? 1 : unit == 'm' ? 60 : 3600;
        snprintf(text + length, room - (size_t)length,
                 ", %.*f a second, %.0f %s left: ", rate < 10 ? 1 : 0, rate, left,
                 unit == 's'   ? "s"
                 : unit == 'm' ? "min"
                               : "h");
    }
}

int progress_show(void *unused, double done)
{
    (void)unused;
    double now = now_ms();
    if (!progress.enabled || now - progress.start_ms < 1000 || now - progress.drawn_ms < 100) {
        return 0;
    }
    char head[128] = "", tail[16];
    if (progress.count > 1) {
        describe_batch(head, sizeof head);
    }
    int tail_columns = snprintf(tail, sizeof tail, " %.0f %%", 100 * done);
    int room = terminal_columns();
    fputs("\r\033[K", stderr);
    room -= print_clean(head, room);
    room -= print_clean(progress.name, room > tail_columns ? room - tail_columns : 0);
    print_clean(tail, room);
    fflush(stderr);
    progress.drawn = true;
    progress.drawn_ms = now;
    return 0;
}

void progress_hide(void)
{
    if (progress.drawn) {
        fputs("\r\033[K", stderr);
        progress.drawn = false;
    }
}
