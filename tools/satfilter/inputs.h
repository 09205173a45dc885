/* The inputs of a batch: files named on the command line, in lists, found in folders. */
#ifndef SATFILTER_INPUTS_H
#define SATFILTER_INPUTS_H

#include "options/options.h"

typedef struct input {
    char *path;     /* owned */
    size_t name_at; /* path + name_at names the output in the directory of -o */
    bool named;     /* on the command line itself, not in a list or folder */
    int64_t page;   /* that it is about, if it has several, each with an output of its own; 0 */
    int page_digits;
} input;

/* Suffixes that are listed by name; behind them "..." stands for the others. */
enum { LISTED_SUFFIXES = 8, SUFFIX_BYTES = 16 };

typedef struct input_list {
    input *at; /* owned, like what it points to; inputs_free() */
    int count, room;

    /* What -r has passed over. */
    int unreadable;                               /* folders, a message having been printed */
    int skipped;                                  /* files of which no suffix names a format */
    char suffixes[LISTED_SUFFIXES][SUFFIX_BYTES]; /* theirs, with the dot, once each */
    int suffix_count;
    bool more_suffixes; /* that are not listed */
    bool without_suffix;
    int links; /* to folders */
} input_list;

/*
 * Gathers them in the order written; those of a folder in the order of their bytes:
 * regular files whose suffix names a format, in subfolders too, but neither hidden ones
 * nor those in the directory of -o; links to folders are not followed. Returns an EXIT_
 * status, a message having been printed unless it is 0: EXIT_SOME if all that there was has been
 * passed over. To be freed in either case.
 */
int inputs_gather(const settings *s, input_list *all);

/* Inputs of several pages, of which more than one are wanted, become one for each page, unless
 * their outputs hold pages: `format` says what those would have of an input of that name. An EXIT_
 * status likewise. */
int inputs_split_pages(const settings *s, input_list *all,
                       const char *(*format)(const settings *s, const char *name));

/* Adds one file; an EXIT_ status likewise. */
int inputs_add_single(input_list *all, const char *path);

/* What -r has passed over, "3 files skipped: .heic .tif"; "" if nothing. Returns text, for which
 * SKIPPED_BYTES are enough. */
enum { SKIPPED_BYTES = 256 };
const char *inputs_describe_skipped(const input_list *all, char *text, size_t room);

void inputs_free(input_list *all);

#endif
