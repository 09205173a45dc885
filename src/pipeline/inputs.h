/* Several inputs whose pages go into one output. */
#ifndef SATF_PIPELINE_INPUTS_H
#define SATF_PIPELINE_INPUTS_H

#include "job.h"

/* Looks at the job's inputs: *inputs, to be freed with satf_free(), become the job's, *pages how
 * many pages they have together. One that cannot be read counts as a page, which will say why. */
satf_status pipeline_inputs_find(satf_context *ctx, pipeline_job *job, pipeline_input **inputs,
                                 int64_t *pages, satf_file_report *result);

/* The input that has that page of all, from 0 on. */
const pipeline_input *pipeline_input_of(const pipeline_job *job, int64_t page);

#endif
