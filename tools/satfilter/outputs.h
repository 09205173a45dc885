/* The names of outputs, and what is checked before any work is done. */
#ifndef SATFILTER_OUTPUTS_H
#define SATFILTER_OUTPUTS_H

#include <sys/types.h>

#include "options/options.h"

typedef struct job {
    const char *input;
    const char *const *more; /* inputs whose pages follow in the output, so many; NULL: none */
    size_t more_count;
    const char *name;   /* what the output in a folder is named by: the end of input */
    char *output;       /* owned */
    char *target;       /* of an output in a folder: its path as the system would know it, links
                         * followed as far as it exists; owned */
    const char *format; /* for an output whose name says nothing of it, such as "-"; else NULL */
    dev_t device;       /* of the input, if it exists */
    ino_t file;
    bool skipped;    /* the output exists, and is left as it is */
    bool in_place;   /* the output is the input */
    bool replaces;   /* the output exists and holds something */
    bool unasked;    /* it does, nobody can be asked about it, and there is no --force */
    bool no_space;   /* an earlier output has found its file system full; the workers' */
    bool named;      /* the input, on the command line itself */
    int64_t page;    /* of the input, with an output of its own; 0: it has what is asked for */
    int page_digits; /* that the output's name has of that */
    size_t made_to; /* the shallowest folder of output that this job has made ends there; 0: none */
    const struct job *rival; /* an earlier input has this output; NULL: none */
} job;

/* Is that name of -o the only output rather than the folder of all? */
bool outputs_is_file(const settings *s);

/*
 * Names the outputs of all jobs and refuses what cannot be written, would replace an input of a
 * batch, or two inputs of the command line for one output. Returns an EXIT_ status, a message
 * having been printed unless it is 0; touches no output.
 */
int outputs_name(const settings *s, job *jobs, int count);

/* The name of the format that the output of an input of that name, as it is in folders, will have;
 * NULL if that is not known beforehand. */
const char *outputs_format_for(const settings *s, const char *name);

bool outputs_is_folder(const char *path);

/* True if the output is there, as a file that a new one would replace. */
bool outputs_exists(const char *output);

/* The name of the format that the output will have; NULL if that is not known beforehand. */
const char *outputs_format(const settings *s, const job *one);

/* False unless the job's output is that of another; else why has the sentence. */
bool outputs_collide(const settings *s, const job *one, char *why, size_t room);

/* Makes the folders of the output that are missing; if that fails there are none of them, and why
 * has the sentence, and errno the reason. outputs_unmake_folders() removes those that are empty
 * again. */
bool outputs_make_folders(job *one, char *why, size_t room);
void outputs_unmake_folders(job *one);

#endif
