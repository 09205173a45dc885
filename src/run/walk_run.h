/* The run of a walk (src/plan/walk.h). */
#ifndef SATF_RUN_WALK_RUN_H
#define SATF_RUN_WALK_RUN_H

#include <stdatomic.h>

#include "../plan/walk.h"

/* A run of a walk. */
typedef struct walk_run {
    satf_context *ctx;
    satf_plan *plan;
    const plan_walk *walk;
    const plan_images *images;
    const filter_rows *rows; /* of a plan by rows; NULL: images in memory */
    size_t edge; /* by rows: bytes of zeros in front of each row of the result; 0: it has no edge */
    atomic_int stop;      /* a satf_status */
    _Atomic int64_t done; /* samples, of all steps */
} walk_run;

/* Lets all walkers go down the picture. */
satf_status walk_down(walk_run *run);

/* The step, with the data of its images as far as they are in memory. */
filter_step walk_find_images(const satf_plan *plan, const plan_step *of, const plan_images *images);

#endif
