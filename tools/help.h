/* Texts that derive from the tables of options, filters, formats and algorithms. */
#ifndef SATFILTER_HELP_H
#define SATFILTER_HELP_H

#include <stdio.h>

#include "options.h"

/* Each prints to standard output. */
void help_usage(void);              /* --help */
void help_topic(const char *topic); /* --help TOPIC, one that help_knows() */
void help_list(void);               /* --list */
void help_list_json(void);          /* the same as one JSON object */
void help_man_page(void);           /* the man page, roff with man macros */
void help_completion(void);         /* completion for bash */

/* True for filters, options and the tables of borders, formats, algorithms and samples. */
bool help_knows(const char *topic);

/* The tables of --list: the one that a word of --help means, -1 if none. (lists.c) */
int help_find_table(const char *word);
void help_print_table(int index);

/* "  -o, --output DIR   help" with help in its column, wrapped. */
void help_row(const char *head, const char *help);

/* What the command without arguments says. */
void help_examples_to(FILE *to);

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
