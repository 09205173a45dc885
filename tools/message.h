/* Lines on standard error. */
#ifndef SATFILTER_MESSAGE_H
#define SATFILTER_MESSAGE_H

#include <stdbool.h>

/* Prints "satfilter: SUBJECT: text", one line; control characters and what is
 * not UTF-8 become '?'. subject may be NULL. Erases the progress line first. */
void message(const char *subject, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The length of the UTF-8 sequence at text (RFC 3629), 0 if it is none. */
int utf8_length(const unsigned char *text);

/* Prints the text and returns EXIT_USAGE. */
int usage_error(const char *subject, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A satf_progress callback that draws one line on a terminal once the work has
 * lasted a second. progress_begin() names what is being done, file index + 1 of
 * count; progress_end() erases the line. */
void progress_begin(const char *name, int index, int count);
int progress_show(void *unused, double done);
void progress_end(void);

/* Milliseconds of the monotonic clock. */
double milliseconds(void);

#endif
