/* Names of files as text for people. */
#ifndef SATFILTER_CLEAN_H
#define SATFILTER_CLEAN_H

/*
 * Prints text on standard error, `columns` columns of a terminal at most. File names may hold
 * anything: what is not UTF-8 and control characters, line ends and escape sequences among them,
 * become '?'. Returns the columns taken.
 */
int print_clean(const char *text, int columns);

/* The length of the UTF-8 sequence at text (RFC 3629), 0 if it is none. */
int utf8_length(const unsigned char *text);

/* The columns that it would take, counted up to `most`. */
int columns_clean(const char *text, int most);

#endif
