/* Jobs with a region: a part of the picture is filtered, the rest stays what it is. A mask blends
 * inside it; the region of a mask alone is the whole picture. */
#ifndef SATF_PIPELINE_REGION_H
#define SATF_PIPELINE_REGION_H

#include "job.h"

/* What the caller gave, as an option is called. */
static inline const char *pipeline_region_option(const pipeline_job *job)
{
    return job->options.mask ? "mask" : "region";
}

/* Whether the region lies in the picture, the mask has its sides, and the filters make pixels like
 * the picture's; exact: the view that they make by default. Sets plan->crop and part. */
satf_status pipeline_region_plan(satf_context *ctx, const pipeline_job *job, const satf_view *exact,
                                 pipeline_plan *plan);

/* plan->out is known: the picture takes the values of both, the input's and the filters'. */
void pipeline_region_widen(pipeline_plan *plan);

/* What is filtered, and what the filters make of it, without data: of a job with a region, else of
 * the whole. */
void pipeline_region_views(satf_context *ctx, const pipeline_job *job, const pipeline_plan *plan,
                           satf_view *in, satf_view *out);

/* Row y of the result: `from`, the input's, as pixels of plan->out, and in the region `made`, the
 * filters', from its first pixel on; NULL: y is outside. */
void pipeline_region_row(const pipeline_job *job, const pipeline_plan *plan, int64_t y,
                         const void *from, const char *made, char *to);

/* The samples of out, an image as plan->out: the input's with the region filtered, on the plan's
 * device. */
satf_status pipeline_region_image(satf_context *ctx, const pipeline_job *job,
                                  const pipeline_plan *plan, const satf_image *in, satf_image *out);

#endif
