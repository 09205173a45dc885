/* Lines on standard error. */
#ifndef SATFILTER_MESSAGE_H
#define SATFILTER_MESSAGE_H

#include <stdbool.h>

/* Prints "satfilter: SUBJECT: text", one line, cleaned and with options named as below. subject may
 * be NULL. Erases the progress line first. */
void message(const char *subject, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints the text and returns EXIT_USAGE. */
int usage_error(const char *subject, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Says so and returns EXIT_FAILURE. */
int out_of_memory(void);

/*
 * Prints text on standard error, `columns` columns of a terminal at most. File names may hold
 * anything: what is not UTF-8 and control characters, line ends and escape sequences among them,
 * become '?'. Returns the columns taken.
 */
int print_clean(const char *text, int columns);

/* The length of the UTF-8 sequence at text (RFC 3629), 0 if it is none. */
int utf8_length(const unsigned char *text);

/* A message of the library in the command's words: "(limit: max-memory)" and "(option: range)"
 * become
 * "(--max-memory)" and "(--range)". Returns text, which becomes shorter in place. */
char *name_options(char *text);

/* Asks at the terminal and reads a line; its first letter, lower case, or 0 for none. */
int ask(const char *subject, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Whether there is somebody to ask. */
bool can_ask(void);

#endif
