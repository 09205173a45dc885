/* Functions for making plans: their steps and their memory. */
#ifndef SATF_PLAN_PLAN_MEMORY_H
#define SATF_PLAN_PLAN_MEMORY_H

#include "plan.h"

/* Makes the steps of the chain: plan->steps, none of which is planned yet. */
satf_status plan_make_steps(satf_context *ctx, satf_plan *plan);

/* Says that no memory holds it. */
satf_status plan_fail_size(satf_context *ctx);

/* Puts a part of that many bytes behind the others. */
satf_status plan_reserve(satf_context *ctx, satf_plan *plan, size_t bytes, size_t *at);

/* A view without data of images like that one in the plan's memory: rows are packed, but for
 * their alignment. */
satf_status plan_reserve_view(satf_context *ctx, satf_plan *plan, satf_view *view, size_t *at);

/* The next of the plan's pictures: `picture`, which is the filter's, or one that the plan owns.
 * *view: where the work is done. */
satf_status plan_keep_picture(satf_context *ctx, satf_plan *plan, const satf_view *picture,
                              satf_image *made, plan_place *place, satf_view *view);

/* The bytes of an image of rows of that stride. */
satf_status plan_image_bytes(satf_context *ctx, const satf_view *view, size_t *bytes);

/* On a device: the plan's uses of its memory follow one another, whatever their streams. */
satf_status plan_begin_use(satf_context *ctx, satf_plan *plan, bool *captured);
void plan_end_use(satf_context *ctx, satf_plan *plan);

#endif
