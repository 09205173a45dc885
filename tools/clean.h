/* Names of files as text for people. */
#ifndef SATFILTER_CLEAN_H
#define SATFILTER_CLEAN_H

#include <stdarg.h>
#include <stddef.h>

enum { CLEAN_BYTES = 20 };

/*
 * Prints text on standard error, `columns` columns of a terminal at most. File names may hold
 * anything: what satf_text_escape() escapes is shown so. Returns the columns taken.
 */
int print_clean(const char *text, int columns);

/* The columns that it would take, counted up to `most`. */
int columns_clean(const char *text, int most);

/* The next character of text, which is not empty, as it is shown, or bytes that are none. Returns
 * the bytes that it is in text. */
int clean_next(const char *text, char shown[CLEAN_BYTES]);

/* vsnprintf(), but that text which does not fit ends with a whole character. */
void format_whole(char *text, size_t room, const char *format, va_list args);

#endif
