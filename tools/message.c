#include "message.h"

#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options.h"
#include "progress.h"

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

/* Columns of a character: two from Hangul and CJK on, which is right or too many. */
static int columns_of(const unsigned char *c, int length)
{
    return length == 4 || (length == 3 && (c[0] > 0xe1 || (c[0] == 0xe1 && c[1] >= 0x84))) ? 2 : 1;
}

int print_clean(const char *text, int columns)
{
    int taken = 0;
    while (*text) {
        const unsigned char *c = (const unsigned char *)text;
        int length = utf8_length(c);
        bool control = *c < 0x20 || *c == 0x7f || (*c == 0xc2 && c[1] < 0xa0);
        bool shown = length && !control;
        int width = shown ? columns_of(c, length) : 1;
        if (width > columns - taken) {
            break;
        }
        fprintf(stderr, "%.*s", shown ? length : 1, shown ? text : "?");
        taken += width;
        text += length ? length : 1;
    }
    return taken;
}

char *name_options(char *text)
{
    static const char *const words[] = {"(limit: ", "(option: "};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i]);
        for (char *at = text; (at = strstr(at, words[i]));) {
            memcpy(at, "(--", 3);
            memmove(at + 3, at + length, strlen(at + length) + 1);
        }
    }
    return text;
}

static void print_start(const char *subject, const char *format, va_list args)
{
    char text[2048];
    vsnprintf(text, sizeof text, format, args);
    name_options(text);
    progress_hide();
    fputs("satfilter: ", stderr);
    if (subject) {
        print_clean(subject, INT_MAX);
        fputs(": ", stderr);
    }
    print_clean(text, INT_MAX);
}

void message(const char *subject, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_start(subject, format, args);
    va_end(args);
    putc('\n', stderr);
}

int usage_error(const char *subject, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_start(subject, format, args);
    va_end(args);
    putc('\n', stderr);
    return EXIT_USAGE;
}

int out_of_memory(void)
{
    message(NULL, "out of memory");
    return EXIT_FAILURE;
}

/* The terminal itself: standard input may be a list of files, or a picture. NULL if there is none.
 */
static FILE *open_terminal(void)
{
    return isatty(STDERR_FILENO) ? fopen("/dev/tty", "re") : NULL;
}

bool can_ask(void)
{
    FILE *terminal = open_terminal();
    if (terminal) {
        fclose(terminal);
    }
    return terminal != NULL;
}

int ask(const char *subject, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_start(subject, format, args);
    va_end(args);
    putc(' ', stderr);
    fflush(stderr);
    char line[80];
    FILE *terminal = open_terminal();
    bool answered = terminal && fgets(line, sizeof line, terminal);
    for (int c = 0; answered && !strchr(line, '\n') && c != '\n' && c != EOF;) {
        c = getc(terminal); /* the rest of a long line is no answer to the next question */
    }
    if (terminal) {
        fclose(terminal);
    }
    if (!answered) {
        putc('\n', stderr);
        return 0;
    }
    return tolower((unsigned char)line[strspn(line, " \t\r\n")]);
}
