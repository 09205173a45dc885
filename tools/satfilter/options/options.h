/* The command line of satfilter. Filters' options come from the filter table. */
#ifndef SATFILTER_OPTIONS_H
#define SATFILTER_OPTIONS_H

#include <satfilter-expert.h>

#include "../../cli.h"

/* Some inputs failed. */
enum { EXIT_SOME = 3 };

enum { MOST_DEVICES = 64 };

typedef enum action {
    ACTION_RUN,
    ACTION_HELP,
    ACTION_LIST,
    ACTION_VERSION,
    ACTION_TUNE,
    ACTION_SELF_TEST,
    ACTION_TRIALS,
    ACTION_DIGESTS,
    ACTION_MAN,
    ACTION_BASH,
    ACTION_ZSH,
    ACTION_FISH
} action;

/* A filter as written: NAME, its value and its flags, e.g. "integral,squared". */
typedef struct filter_word {
    const char *name;
    const char *value; /* or "," and other parameters; NULL if none */
    unsigned flags;    /* bit i: the filter's parameter i, a flag, was given */
} filter_word;

/* The origin of inputs: an operand, a list of names, or a folder. */
typedef enum source_kind { SOURCE_FILE, SOURCE_LIST, SOURCE_LIST0, SOURCE_FOLDER } source_kind;

typedef struct source {
    source_kind kind;
    const char *name;
} source;

/* What becomes of an output that exists. */
enum existing {
    EXISTING_ASKED_ABOUT, /* where somebody can be asked; else it is replaced */
    EXISTING_REPLACED,
    EXISTING_KEPT /* and its input passed over */
};

/* What the command line asks for. Strings are argv's. */
struct settings {
    const char *program; /* the command's own name, as it was called */
    satf_context *ctx;   /* set up as the options say */
    int action;          /* enum action */
    char **topics;       /* ACTION_HELP: the words behind it, until NULL */
    satf_filter *filter; /* the chain; owned */
    char *spec;          /* the chain as text: "box=15 variance=7"; owned */
    satf_write_options write;
    const char *output; /* -o, NULL if none: a folder, or for one input a file */
    int existing;       /* enum existing */
    bool parents;       /* below the folder of -o outputs keep their inputs' whole path */
    bool filters_stdin; /* no file was named: standard input to output, in the input's format */
    bool quiet, verbose, json, stats;
    bool auto_orient, linear;
    int route;                     /* satf_route */
    int64_t first_page, last_page; /* as in satf_file_options; 0: not given */
    satf_rect region;              /* w is 0: not given */
    const char *mask;              /* its file's name; NULL: not given */
    const char *weights;           /* likewise */
    bool omits_nan, says_nodata, ignores_nodata;
    double nodata;
    satf_image *mask_image; /* owned */
    double dpi;             /* 0: not given */
    source *sources;        /* in the order written, the output among them; owned array */
    int source_count;
    int file_count; /* those that are operands */

    /* gathered while parsing */
    filter_word *words; /* owned array */
    int word_count;
    const char *pending_flag; /* a filter's flag that came before its filter */
    bool border_given;
    satf_border border;
    double constant;
    const char *device, *algorithm, *sync, *axes;
    int devices[MOST_DEVICES]; /* that --device names: one, or several CUDA devices */
    int device_count;
    satf_engine engine;
    double r;
    int threads;
    int64_t limits[SATF_LIMIT_DEVICE_MEMORY + 1]; /* by satf_limit; 0: the default */
    bool formats_given;
    int png_level; /* below 0: the default */
};

extern const cli satfilter_cli; /* (program.c) */

/* The command's own options; NULL behind the last. */
const option *satfilter_option_at(size_t index);

/* Is there an algorithm of that name for that kind of device, "cpu" or "cuda"? */
bool has_algorithm(const char *name, const char *kind);

/* The index of the flag of that name among the filter's parameters, or -1. */
int filter_flag_index(const char *filter, const char *name);

/* The window of a filter without one, "15"; NULL: its value must be given, or it takes none. */
const char *filter_default_value(const char *filter);

/* The value that must follow the filter's name, "N|WxH"; NULL if it takes none. */
const char *filter_value_syntax(const char *filter);

/* How a parameter of that name is written behind a filter that has it, as the second half of a
 * sentence; NULL: none has it. Valid until the next call. */
const char *filter_param_answer(const char *name, size_t length);

/* An option of each filter, and of each flag that filters have. */
void each_filter_option(option_visit visit, void *user);

/* cli.take_other: filters and flags. */
bool take_filter_option(settings *s, char ***argv, int *status);

/*
 * Reads the command line into *s, which options_free() frees in either case.
 * Touches no file but those that filters name. Returns an EXIT_ status, having
 * printed one line on stderr unless it is 0. With an action other than
 * ACTION_RUN and ACTION_TUNE the words behind it become topics.
 */
int options_parse(settings *s, int argc, char **argv);
void options_free(settings *s);

#endif
