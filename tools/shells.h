/* Completion of a program's command line by bash, zsh and fish, from the list of its options. */
#ifndef SATFILTER_SHELLS_H
#define SATFILTER_SHELLS_H

#include "cli.h"

typedef struct shell_program {
    const char *name; /* of the program */
    void (*each_option)(option_visit visit,
                        void *user); /* all that are offered; choices are words */
    const char *commands; /* words of which the first operand is one, with blanks between; or NULL:
                           * operands are files, */
    const char *suffixes; /* first of all (not in fish) with these suffixes, blanks between */
} shell_program;

/* Each prints to standard output. */
void shell_print_bash(const shell_program *shell);
void shell_print_zsh(const shell_program *shell);
void shell_print_fish(const shell_program *shell);

#endif
