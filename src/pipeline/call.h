/* A public call on a file, or on a page of one beside others. */
#ifndef SATF_PIPELINE_CALL_H
#define SATF_PIPELINE_CALL_H

#include "job.h"

/* Does the work; may be called once more, alone, where memory was lacking because of others. */
typedef satf_status pipeline_body(satf_context *ctx, const pipeline_job *job,
                                  pipeline_phase *progress, satf_file_report *result);

/* The body, with a token to work, all memory counted, and the report's times. */
satf_status pipeline_call(satf_context *ctx, const pipeline_job *job, pipeline_body *body,
                          satf_file_report *result);

#endif
