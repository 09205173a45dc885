/*
 * A program's command line: one table of options, from which parsing, --help, the man page and the
 * completion of shells derive. satfilter and satbench have one each.
 */
#ifndef SATF_TOOLS_CLI_H
#define SATF_TOOLS_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EXIT_USAGE = 2 };

/* What the options of a program set; each program has its own. */
typedef struct settings settings;

typedef struct option {
    const char *group;   /* its title in --help; NULL: texts and completion leave the option out */
    const char *name;    /* without "--" */
    char letter;         /* 0 if there is no short form */
    const char *metavar; /* NULL: takes no value; in brackets: words may follow, which the program
                          * reads by itself */
    const char *choices; /* for completion: words, "FILE", "DIR", or NULL */
    const char *help;    /* one line for --help */
    const char *detail;  /* what the man page says beyond that, or NULL */
    /* Takes the value; an EXIT_ status, a message having been printed unless 0. */
    int (*take)(settings *s, const struct option *o, const char *value);
    size_t at; /* of what is set, in the settings */
    int64_t least, most;
} option;

/* How a row ends: with a function of the program's, or with the member of the settings that gets
 * the value, and its type. */
#define TAKES(function) function, 0, 0, 0
#define IS_SET(member) option_flag, offsetof(settings, member), 0, 0 /* bool: true */
#define BECOMES(member, value) option_choice, offsetof(settings, member), value, value /* int */
#define TEXT(member) option_text, offsetof(settings, member), 0, 0 /* const char *, not empty */
#define INTEGER(member, least, most) \
    option_integer, offsetof(settings, member), least, most                /* int */
#define SIZE(member) option_size, offsetof(settings, member), 1, INT64_MAX /* int64_t; K, M, G */
#define FRACTION(member) option_fraction, offsetof(settings, member), 0, 0 /* double in (0, 1) */

/* usage_error() of the option. */
int option_error(const option *o, const char *format, ...) __attribute__((format(printf, 2, 3)));

int option_flag(settings *s, const option *o, const char *value);
int option_choice(settings *s, const option *o, const char *value);
int option_text(settings *s, const option *o, const char *value);
int option_integer(settings *s, const option *o, const char *value);
int option_size(settings *s, const option *o, const char *value);
int option_fraction(settings *s, const option *o, const char *value);

/* A whole number in least ... most, optionally with a suffix K, M or G (powers of 1024). */
bool parse_integer(const char *text, bool suffixes, int64_t least, int64_t most, int64_t *value);

/* A finite number up to the character `stop`, at which *rest is then. */
bool parse_double(const char *text, char stop, double *value, const char **rest);

/* Is the word, of so many bytes, one of those in `words`, which blanks separate? */
bool has_word(const char *words, const char *word, size_t length);

/* Takes an option, which need not last longer than the call. */
typedef void (*option_visit)(void *user, const option *o);

typedef struct cli {
    const option *(*option_at)(size_t index); /* the table; NULL behind the last */
    /* All options that texts show, those of no table (filters) too. */
    void (*each_option)(option_visit visit, void *user);
    const char *(*note)(const option *o); /* what --help says below it, or NULL; NULL: nothing */
    /* Whether the option goes with what the command line says so far: 0, or a status after a
     * message. NULL: it always does. */
    int (*check)(const settings *s, const option *o, const char *written);
    /* Takes "--name" or "--name=value" that is not in the table, and moves *argv as options_take()
     * does; false: there is no such option either. NULL: there are no others. */
    bool (*take_other)(settings *s, char ***argv, int *status);
    /* What to do instead, of a name that other programs have; NULL: unknown, or none is. */
    const char *(*answer)(const char *name, size_t length);
} cli;

/* Takes the word at *argv, which begins with "-", and the value behind it if it takes one: then
 * *argv moves over all but the last word that was taken. An EXIT_ status, after a message unless
 * 0. */
int options_take(settings *s, const cli *p, char ***argv);

/* A value of its own word behind *argv, over which it moves; NULL if there is none. Words that
 * begin like a long option are taken for one: "--box --type u8" lacks a value. */
const char *options_next_value(char ***argv);

/* By the first `length` bytes of name; NULL if there is none. */
const option *option_find(const cli *p, const char *name, size_t length);

/* The name of an option that is spelled most like the first `length` bytes of word; NULL if none
 * is near. */
const char *option_nearest(const cli *p, const char *word, size_t length);

/* The options on standard output, group by group: as --help, and as a man page in roff. */
void options_print(const cli *p);
void options_print_man(const cli *p);

/* One of them, as --help has it. */
void option_print(const cli *p, const option *o);

/* The program's: one line on standard error, "PROGRAM: SUBJECT: text", subject may be NULL; returns
 * EXIT_USAGE. */
int usage_error(const char *subject, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
