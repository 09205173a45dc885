/* The inputs of a batch: files named on the command line, in lists, found in folders. */
#ifndef SATFILTER_INPUTS_H
#define SATFILTER_INPUTS_H

#include "options.h"

typedef struct input {
    char *path;     /* owned */
    size_t name_at; /* path + name_at names the output in the directory of -o */
} input;

typedef struct input_list {
    input *at; /* owned, like what it points to; inputs_free() */
    int count, room;
} input_list;

/*
 * Gathers them in the order written; those of a folder in the order of their bytes:
 * regular files whose suffix names a format, in subfolders too, but neither hidden ones
 * nor those in the directory of -o; links to folders are not followed. Returns an EXIT_
 * status, a message having been printed unless it is 0. To be freed in either case.
 */
int inputs_gather(const settings *s, input_list *all);
void inputs_free(input_list *all);

#endif
