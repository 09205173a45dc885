/* Text in columns on standard output. */
#ifndef SATFILTER_COLUMNS_H
#define SATFILTER_COLUMNS_H

/* Prints text in lines that end before column 95, all but the first indented; the first begins
 * at column `at`. */
void print_wrapped(const char *text, int at, int indent);

/* "  -o, --output DIR   help" with help in its column, wrapped. */
void print_entry(const char *head, const char *help);

#endif
