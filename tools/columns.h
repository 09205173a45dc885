/* Text in columns on standard output. */
#ifndef SATFILTER_COLUMNS_H
#define SATFILTER_COLUMNS_H

#include <stddef.h>

/* The length of what two helps begin with up to a colon, which makes them of a kind; 0: they are
 * not. */
size_t kind_length(const char *help, const char *next);

/* Prints text in lines that end before column 95, all but the first indented; the first begins
 * at column `at`. */
void print_wrapped(const char *text, int at, int indent);

/* "  -o, --output DIR   help" with help in its column, wrapped. */
void print_entry(const char *head, const char *help);

/* Does the same, with help in column `column`. */
void print_entry_at(int column, const char *head, const char *help);

#endif
