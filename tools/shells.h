/* Completion of a program's command line by bash, zsh and fish, from one list of its options. */
#ifndef SATFILTER_SHELLS_H
#define SATFILTER_SHELLS_H

/* What may stand behind an option. */
typedef enum shell_value {
    SHELL_NONE, /* it takes no value */
    SHELL_ANY,  /* a value that nobody can guess */
    SHELL_WORDS,
    SHELL_FILE,
    SHELL_FOLDER
} shell_value;

typedef struct shell_option {
    const char *name;    /* "--output" */
    char letter;         /* of "-o"; 0: it has none */
    const char *metavar; /* NULL for SHELL_NONE */
    const char *help;    /* a line */
    shell_value value;
    const char *words; /* SHELL_WORDS: with blanks between */
} shell_option;

/* Takes an option, which need not last longer than the call. */
typedef void (*shell_visit)(void *user, const shell_option *option);

typedef struct shell_program {
    const char *name;
    void (*each_option)(shell_visit visit, void *user);
    const char *commands; /* words of which the first operand is one, with blanks between; or NULL:
                           * operands are files, */
    const char *suffixes; /* first of all (not in fish) with these suffixes, blanks between */
} shell_program;

/* Each prints to standard output. */
void shell_print_bash(const shell_program *program);
void shell_print_zsh(const shell_program *program);
void shell_print_fish(const shell_program *program);

#endif
