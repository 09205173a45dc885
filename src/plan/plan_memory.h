/* Functions that make a plan's steps, and lay out its memory. */
#ifndef SATF_PLAN_PLAN_MEMORY_H
#define SATF_PLAN_PLAN_MEMORY_H

#include "plan.h"

/* Makes the steps of the chain: plan->steps, none of which is planned yet. */
satf_status plan_make_steps(satf_context *ctx, satf_plan *plan);

/* Fails, since no memory holds the plan's images. */
satf_status plan_fail_size(satf_context *ctx);

/* Reserves `bytes` bytes behind the others, at *at. */
satf_status plan_reserve(satf_context *ctx, satf_plan *plan, size_t bytes, size_t *at);

/* Reserves room for an image like the view, and makes the view one without data there: rows are
 * packed, but for their alignment. */
satf_status plan_reserve_view(satf_context *ctx, satf_plan *plan, satf_view *view, size_t *at);

/* Adds a picture to the plan's: `picture`, which is the filter's, or `made`, which the plan then
 * owns. *view: of it where the work is done. */
satf_status plan_keep_picture(satf_context *ctx, satf_plan *plan, const satf_view *picture,
                              satf_image *made, plan_place *place, satf_view *view);

/* The bytes of an image whose rows are view->stride apart. */
satf_status plan_image_bytes(satf_context *ctx, const satf_view *view, size_t *bytes);

/* On a device: a use of the plan's memory. Uses follow one another, whatever their streams. */
satf_status plan_begin_use(satf_context *ctx, satf_plan *plan, bool *captured);
void plan_end_use(satf_context *ctx, satf_plan *plan);

#endif
