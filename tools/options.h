/* The command line: one table of options, from which parsing, --help, the man
 * page and the shell completion derive. Filters' options come from the filter table. */
#ifndef SATFILTER_OPTIONS_H
#define SATFILTER_OPTIONS_H

#include <satfilter.h>
#include <stdbool.h>
#include <stdint.h>

/* Exit statuses besides EXIT_SUCCESS and EXIT_FAILURE. */
enum { EXIT_USAGE = 2, EXIT_SOME = 3 };

typedef enum action {
    ACTION_RUN,
    ACTION_HELP,
    ACTION_LIST,
    ACTION_VERSION,
    ACTION_TUNE,
    ACTION_MAN,
    ACTION_BASH,
    ACTION_ZSH,
    ACTION_FISH
} action;

/* A filter as written: NAME, its value and its flags, e.g. "integral,squared". */
typedef struct filter_word {
    const char *name;
    const char *value; /* NULL if none */
    unsigned flags;    /* bit i: the filter's parameter i, a flag, was given */
} filter_word;

/* Where inputs come from: an operand, a list of names, or a folder. */
typedef enum source_kind { SOURCE_FILE, SOURCE_LIST, SOURCE_LIST0, SOURCE_FOLDER } source_kind;

typedef struct source {
    source_kind kind;
    const char *name;
} source;

/* What the command line asks for. Strings are argv's. */
typedef struct settings {
    satf_context *ctx; /* set up as the options say */
    action action;
    char **topics;       /* ACTION_HELP: the words behind it, until NULL */
    satf_filter *filter; /* the chain; owned */
    char *spec;          /* the chain as text: "box=15 variance=7"; owned */
    satf_write_options write;
    const char *output; /* -o, NULL if none: a folder, or for one input a file */
    bool force;         /* replace what exists without a question */
    bool skip_existing; /* leave out inputs whose output exists */
    bool parents;       /* below the folder of -o outputs keep their inputs' whole path */
    bool filters_stdin; /* no file was named: standard input to output, in the input's format */
    bool quiet, verbose, json;
    satf_route route;
    source *sources; /* in the order written, the output among them; owned array */
    int source_count;
    int file_count; /* those that are operands */

    /* gathered while parsing */
    filter_word *words; /* owned array */
    int word_count;
    const char *pending_flag; /* a filter's flag that came before its filter */
    bool border_given;
    satf_border border;
    double constant;
    const char *device, *algorithm, *sync;
    satf_engine engine;
    double r;
    int threads;
    int64_t limits[SATF_MAX_RATIO + 1]; /* by satf_limit; 0: the default */
    bool formats_given;
    bool quality_given, png_level_given;
} settings;

typedef enum option_group {
    GROUP_FILTERING,
    GROUP_OUTPUT,
    GROUP_RUNNING,
    GROUP_INFORMATION,
    GROUP_HIDDEN /* for the build, and second names */
} option_group;

typedef struct option {
    option_group group;
    const char *name;
    char letter;         /* 0 if there is no short form */
    const char *metavar; /* NULL: takes no value */
    const char *choices; /* for completion: words, "FILE", "DIR", or NULL */
    const char *help;    /* one line for --help */
    const char *detail;  /* what the man page says beyond that, or NULL */
    /* Takes the value; an EXIT_ status, a message having been printed unless 0. */
    int (*take)(settings *s, const char *value);
} option;

const option *option_at(size_t index); /* NULL behind the last */

/* By the first `length` bytes of name; NULL if there is none. */
const option *option_find(const char *name, size_t length);

/* False for the build's own options and for those of algorithms that this
 * version does not have: texts and completion leave them out. */
bool option_shown(const option *o);

/* Is there an algorithm of that name for that kind of device, "cpu" or "cuda"? */
bool has_algorithm(const char *name, const char *kind);

/* The title of a group; NULL for GROUP_HIDDEN. */
const char *option_group_title(option_group group);

/*
 * Reads the command line into *s, which options_free() frees in either case.
 * Touches no file but those that filters name. Returns an EXIT_ status, having
 * printed one line on stderr unless it is 0. With an action other than
 * ACTION_RUN and ACTION_TUNE the words behind it become topics.
 */
int options_parse(settings *s, int argc, char **argv);
void options_free(settings *s);

#endif
