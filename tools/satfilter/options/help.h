/* Texts that derive from the tables of options, filters, formats and algorithms. */
#ifndef SATFILTER_HELP_H
#define SATFILTER_HELP_H

#include <stdio.h>

#include "options.h"
#include "../../shells.h"

/* Each prints to standard output. */
void help_list(void);                   /* --list */
void help_list_json(satf_context *ctx); /* the same as one JSON object */
void help_man_page(void);               /* the man page, roff with man macros */

/* Completion for a shell: one of shells.h. */
void help_completion(void (*print)(const shell_program *shell));

/* --help: all that s->topics name, or without any the command. Returns an EXIT_ status, having
 * printed one line on stderr unless it is 0. */
int help_print(const settings *s);

/* Prints what the command says without arguments. */
void help_short(FILE *to);

/* The tables of --list, and options: the one that a word of --help means, -1 if none. (lists.c) */
int help_find_table(const char *word);
void help_print_table(int index);

/* Rows of these tables: of one format, and of the algorithms of that name, NULL: all; false if
 * there is none. (lists.c) */
void help_print_format(const satf_format_info *format);
bool help_print_algorithms(const char *name);

/* Paragraphs on windows and how parameters are written; NULL behind the last. */
extern const char *const help_windows[];

typedef struct help_example {
    const char *command, *meaning;
} help_example;

/* NULL command behind the last. */
extern const help_example help_examples[];

/* Exit statuses; text NULL behind the last. */
typedef struct help_status {
    int status;
    const char *text;
} help_status;

extern const help_status help_statuses[];

#endif
