/*
 * The streaming path: rows flow from the decoder through the filter to the
 * encoder, from one filter into the next, through short queues, so that the
 * stages run side by side and memory does not depend on the picture's height.
 */
#ifndef SATF_PIPELINE_STREAM_H
#define SATF_PIPELINE_STREAM_H

#include "stages.h"

#define PIPELINE_REASON_BYTES 256

/* NULL if the job can be streamed: the input comes by rows, and every filter takes them so. Else
 * why not, a clause in `reason`. *twice: the input must be decoded twice, for border wrap shows
 * its end before its start. */
const char *pipeline_stream_refuses(satf_context *ctx, const pipeline_job *job,
                                    const pipeline_plan *plan, const io_reader *reader,
                                    char reason[PIPELINE_REASON_BYTES], bool *twice);

/* What a job that can be streamed takes for it; SIZE_MAX if that cannot be said. */
size_t pipeline_stream_bytes(satf_context *ctx, const pipeline_job *job, const pipeline_plan *plan);

/* Does it. The reader is at its first row and stays the caller's. Fills
 * result's times but the total, report and at. */
satf_status pipeline_stream(satf_context *ctx, const pipeline_job *job, const pipeline_plan *plan,
                            io_reader *reader, pipeline_result *result);

#endif
