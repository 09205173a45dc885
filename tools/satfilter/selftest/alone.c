/* The command on Windows, which has --self-test and nothing else. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../options/message.h"
#include "selftest.h"

void message(const char *subject, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "satfilter: %s%s", subject ? subject : "", subject ? ": " : "");
    vfprintf(stderr, format, args);
    putc('\n', stderr);
    va_end(args);
}

int out_of_memory(void)
{
    message(NULL, "out of memory");
    return EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    const settings s = {.program = NULL};
    if (argc != 2 || strcmp(argv[1], "--self-test")) {
        message(NULL, "on Windows the command is `satfilter --self-test` alone");
        return EXIT_USAGE;
    }
    _setmode(_fileno(stdout), _O_BINARY); /* lines end as elsewhere */
    int status = self_test(&s);
    if (fflush(stdout) || ferror(stdout)) {
        message(NULL, "standard output cannot be written");
        status = EXIT_FAILURE;
    }
    return status;
}
