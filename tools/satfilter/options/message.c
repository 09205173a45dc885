/* Printing messages, and asking on the terminal. */
#include "message.h"

#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../clean.h"
#include "options.h"
#include "../progress.h"

char *name_options(char *text)
{
    static const char *const words[] = {"(limit: ", "(option: "};
    char *at = strrchr(text, '(');
    for (size_t i = 0; at && i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i]);
        const char *name = at + length;
        if (strncmp(at, words[i], length) == 0 &&
            strcmp(name + strspn(name, "abcdefghijklmnopqrstuvwxyz-"), ")") == 0) {
            memcpy(at, "(--", 3);
            memmove(at + 3, name, strlen(name) + 1);
        }
    }
    return text;
}

const char *library_message(const satf_context *ctx)
{
    static char text[2048];
    snprintf(text, sizeof text, "%s", satf_message(ctx));
    return name_options(text);
}

static void print_start(const char *subject, const char *format, va_list args)
{
    char text[2048];
    format_whole(text, sizeof text, format, args);
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

/* The first letter of the next line, lower case; '\n' for an empty one, EOF for none. */
static int read_letter(FILE *terminal)
{
    char line[80];
    if (!fgets(line, sizeof line, terminal)) {
        return EOF;
    }
    for (int c = 0; !strchr(line, '\n') && c != '\n' && c != EOF;) {
        c = getc(terminal); /* the rest of a long line is no answer to the next question */
    }
    char first = line[strspn(line, " \t\r")];
    return first ? tolower((unsigned char)first) : '\n';
}

int ask(const char *letters, const char *subject, const char *format, ...)
{
    FILE *terminal = open_terminal();
    int answer = EOF;
    do {
        va_list args;
        va_start(args, format);
        print_start(subject, format, args);
        va_end(args);
        putc(' ', stderr);
        fflush(stderr);
        answer = terminal ? read_letter(terminal) : EOF;
    } while (answer != '\n' && answer != EOF && !strchr(letters, answer));
    if (terminal) {
        fclose(terminal);
    }
    if (answer == EOF) {
        putc('\n', stderr);
    }
    return answer == '\n' || answer == EOF ? 0 : answer;
}
