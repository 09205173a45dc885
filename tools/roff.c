/* Printing the lines of a man page. */
#include "roff.h"

#include <stdbool.h>
#include <stdio.h>

void roff(const char *text)
{
    for (const char *c = text; *c; c++) {
        bool line_start = c == text || c[-1] == '\n';
        if (line_start && (*c == '.' || *c == '\'')) {
            fputs("\\&", stdout);
        }
        switch (*c) {
        case '\\':
            fputs("\\e", stdout);
            break;
        case '-':
            fputs("\\-", stdout);
            break;
        case '^':
            fputs("\\(ha", stdout);
            break;
        case '~':
            fputs("\\(ti", stdout);
            break;
        default:
            putchar(*c);
        }
    }
}

void roff_paragraph(const char *text)
{
    roff(text);
    putchar('\n');
}
