/* Lines on standard error. */
#ifndef SATFILTER_MESSAGE_H
#define SATFILTER_MESSAGE_H

#include <satfilter.h>

#include "../../cli.h"

/* Prints "satfilter: SUBJECT: text", one line, cleaned. subject may be NULL. Erases the progress
 * line first. */
void message(const char *subject, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Says so and returns EXIT_FAILURE. */
int out_of_memory(void);

/* The context's latest message in the command's words; valid until the next call. */
const char *library_message(const satf_context *ctx);

/* The same of a text of the library: "(limit: max-memory)" or "(option: range)" at its end becomes
 * "(--max-memory)" or "(--range)". Returns text, which becomes shorter in place. */
char *name_options(char *text);

/* Asks at the terminal, again until the line that is typed begins with one of the letters or is
 * empty. That letter, lower case; 0 for an empty line or none. */
int ask(const char *letters, const char *subject, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Whether there is somebody to ask. */
bool can_ask(void);

#endif
