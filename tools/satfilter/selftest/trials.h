/* The computations of --self-test: every filter of the table, of every sample type and border that
 * it takes, on a few small images, by every engine and device there is. */
#ifndef SATFILTER_TRIALS_H
#define SATFILTER_TRIALS_H

#include <stdbool.h>
#include <stdio.h>

#include "sha256.h"

/* How results of a case agree. */
typedef enum trial_kind {
    TRIAL_INTEGERS, /* bit for bit, of integer samples */
    TRIAL_FLOATS,   /* likewise, of floats of which every sum is exact */
    TRIAL_BOUNDED   /* within bounds: floats that are rounded between the steps of a filter */
} trial_kind;

#define TRIAL_WITHIN "within bounds"
#define TRIAL_BEYOND "beyond bounds"

/* What one engine made of one case: filter, sample type and border. */
typedef struct trial {
    char name[64]; /* "box u8 clamp" */
    trial_kind kind;
    char by[40]; /* "window on cpu" */
    /* SHA-256 of all samples, low bytes first; of TRIAL_BOUNDED that of the first engine alone, and
     * of the others TRIAL_WITHIN or TRIAL_BEYOND and by how much they differ; or a reason why there
     * is no result. */
    char result[256];
    bool failed; /* it is such a reason */
} trial;

/* Calls take() for each, all engines of a case one after the other, always in the same order.
 * devices: by CUDA devices too. without_device (of that many bytes): why there is none, or "".
 * An EXIT_ status: the library could not start. */
int trials_run(bool devices, void (*take)(void *user, const trial *t), void *user,
               char *without_device, size_t bytes);

#endif
