/* Printing text in columns. */
#include "columns.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { HELP_COLUMN = 26 };

void print_wrapped(const char *text, int at, int indent)
{
    int column = at;
    bool first = true;
    while (*(text += strspn(text, " \n"))) {
        int length = (int)strcspn(text, " \n");
        if (!first && column + 1 + length > 95) {
            printf("\n%*s", indent, "");
            column = indent;
            first = true;
        }
        column += printf("%s%.*s", first ? "" : " ", length, text);
        first = false;
        text += length;
    }
    putchar('\n');
}

size_t kind_length(const char *help, const char *next)
{
    const char *colon = strchr(help, ':');
    size_t length = colon ? (size_t)(colon - help) : 0;
    return length && !strncmp(help, next, length + 1) ? length : 0;
}

void print_entry_at(int column, const char *head, const char *help)
{
    bool fits = (int)strlen(head) < column - 3;
    int at = printf("  %-*s ", column - 3, head) + (fits ? 0 : printf(" "));
    print_wrapped(help, at, column);
}

void print_entry(const char *head, const char *help)
{
    print_entry_at(HELP_COLUMN, head, help);
}
