/* Jobs with a region: a part of the picture is filtered, the rest stays what it is. */
#ifndef SATF_PIPELINE_REGION_H
#define SATF_PIPELINE_REGION_H

#include "job.h"

/* Whether the region lies in the picture, and the filters make pixels like the picture's; exact:
 * the view that they make by default. Sets plan->crop and part. */
satf_status pipeline_region_plan(satf_context *ctx, const pipeline_job *job, const satf_view *exact,
                                 pipeline_plan *plan);

/* plan->out is known: the picture takes the values of both, the input's and the filters'. */
void pipeline_region_widen(pipeline_plan *plan);

/* What is filtered, and what the filters make of it, without data: of a job with a region, else of
 * the whole. */
void pipeline_region_views(satf_context *ctx, const pipeline_job *job, const pipeline_plan *plan,
                           satf_view *in, satf_view *out);

/* Pixels of the input as those of plan->out, a row. */
void pipeline_region_keep(const pipeline_plan *plan, const void *from, void *to);

/* The samples of out, an image as plan->out: the input's with the region filtered, on the plan's
 * device. */
satf_status pipeline_region_image(satf_context *ctx, const pipeline_job *job,
                                  const pipeline_plan *plan, const satf_image *in, satf_image *out);

#endif
