/*
 * Walks: steps of a plan without whole images between them. Read plan_run.c first, then this file.
 * Each step keeps the rows that the steps behind it need, in a ring that stays in a cache. The last
 * step is asked for its rows one after the other, asks the steps in front of it, and so on to
 * images in memory, or to rows that come from elsewhere. Each thread walks down a band of the
 * result. Rows at the bands' seams are made twice; where these would be too many, step after step
 * makes a whole image, as a walk of its own if its engine has walkers.
 */
#ifndef SATF_PLAN_WALK_H
#define SATF_PLAN_WALK_H

#include "plan.h"

/* Rows that an adapter makes at a time of an image in memory: of a single row the processor fetches
 * the next too late. */
enum { WALK_ROWS_AT_ONCE = 8 };

/* Finds the walks of a plan whose steps are made, and sets these up for them. */
void walk_find(satf_context *ctx, satf_plan *plan);

/* Once the steps are planned: adapters keep the rows that engines have said that they need. */
void walk_keep(satf_plan *plan);

/* Once the steps are planned: lays out the walkers' memory. False if its size overflows. */
bool walk_lay_out(satf_plan *plan);

/* Reports the engine and the algorithm that a call has used (satf_used). */
static inline void walk_report(satf_context *ctx, const filter_step *step)
{
    step = step->shape->adapts && step->maker ? step->maker : step;
    ctx->report_engine = step->name;
    ctx->report_algorithm = step->engine->algorithm ? step->engine->algorithm(step) : NULL;
}

/* Says that the step reads no rings, and nobody reads its rows before all are made. */
static inline void walk_from_memory(plan_step *of)
{
    for (int k = 0; k < FILTER_AUX + 3; k++) {
        of->from[k] = (walk_source){.maker = -1};
    }
    of->span = (walk_span){0, 0, 0, 0};
}

/* Whether both places are of one image between steps. */
bool walk_same_image(const plan_place *a, const plan_place *b);

/* Whether step `index` makes a ring of rows instead of an image. */
bool walk_is_inside(const satf_plan *plan, size_t index);

/* The walk that begins at step `index`; NULL: none does. */
plan_walk *walk_at(satf_plan *plan, size_t index);

#endif
