/* The request of one thread of a call that the other threads stop. */
#ifndef SATF_BASE_STOP_H
#define SATF_BASE_STOP_H

#include <stdatomic.h>

typedef struct satf_stop {
    atomic_bool asked;
} satf_stop;

#endif
