#include "message.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "options.h"

static struct {
    const char *name;
    int index, count;
    double start_ms, drawn_ms;
    bool enabled, drawn;
} progress;

double milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

int utf8_length(const unsigned char *text)
{
    unsigned char c = text[0];
    int length = c < 0x80                ? 1
                 : c >= 0xc2 && c < 0xe0 ? 2
                 : (c & 0xf0) == 0xe0    ? 3
                 : c >= 0xf0 && c < 0xf5 ? 4
                                         : 0;
    for (int i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    bool overlong = (c == 0xe0 && text[1] < 0xa0) || (c == 0xf0 && text[1] < 0x90);
    bool surrogate = c == 0xed && text[1] >= 0xa0;
    bool too_large = c == 0xf4 && text[1] >= 0x90;
    return overlong || surrogate || too_large ? 0 : length;
}

/* File names may hold anything; a message stays one line, in UTF-8, and harmless to terminals. */
static void put_clean(const char *text)
{
    while (*text) {
        const unsigned char *c = (const unsigned char *)text;
        int length = utf8_length(c);
        bool control = *c < 0x20 || *c == 0x7f || (*c == 0xc2 && c[1] < 0xa0);
        fprintf(stderr, "%.*s", length && !control ? length : 1, length && !control ? text : "?");
        text += length ? length : 1;
    }
}

static void print(const char *subject, const char *format, va_list args)
{
    char text[2048];
    vsnprintf(text, sizeof text, format, args);
    progress_end();
    fputs("satfilter: ", stderr);
    if (subject) {
        put_clean(subject);
        fputs(": ", stderr);
    }
    put_clean(text);
    putc('\n', stderr);
}

void message(const char *subject, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print(subject, format, args);
    va_end(args);
}

int usage_error(const char *subject, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print(subject, format, args);
    va_end(args);
    return EXIT_USAGE;
}

void progress_begin(const char *name, int index, int count)
{
    progress.name = name;
    progress.index = index;
    progress.count = count;
    if (index == 0) {
        progress.start_ms = milliseconds();
        progress.enabled = isatty(STDERR_FILENO);
    }
}

int progress_show(void *unused, double done)
{
    (void)unused;
    double now_ms = milliseconds();
    if (!progress.enabled || now_ms - progress.start_ms < 1000 ||
        now_ms - progress.drawn_ms < 100) {
        return 0;
    }
    fputs("\r\033[K", stderr);
    if (progress.count > 1) {
        fprintf(stderr, "%d of %d: ", progress.index + 1, progress.count);
    }
    put_clean(progress.name);
    fprintf(stderr, " %.0f %%", 100 * done);
    fflush(stderr);
    progress.drawn = true;
    progress.drawn_ms = now_ms;
    return 0;
}

void progress_end(void)
{
    if (progress.drawn) {
        fputs("\r\033[K", stderr);
        progress.drawn = false;
    }
}
