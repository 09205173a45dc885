/* The command once more, in another process, for another instruction set. */
#ifndef SATFILTER_CHILD_H
#define SATFILTER_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct child {
    const char *instructions;
    intptr_t id; /* of the process */
    FILE *from;  /* its standard output; NULL: it could not be started */
} child;

/* Whether this system lets a program start another one: WebAssembly does not. */
bool child_possible(void);

/* Starts `program --self-test-results`. 0, or an errno. */
int child_start(child *c, const char *program, const char *instructions);

/* Closes c->from and waits for the end of the process. NULL, or, if it has failed, how it ended. */
const char *child_end(child *c);

#endif
