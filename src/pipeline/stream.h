/*
 * The streaming path: rows flow from the decoder through the filter to the
 * encoder, through two short queues, so that the stages run side by side and
 * memory does not depend on the picture's height.
 */
#ifndef SATF_PIPELINE_STREAM_H
#define SATF_PIPELINE_STREAM_H

#include "stages.h"

/* True if the job can be streamed: one window filter, an input that comes by rows. */
bool pipeline_can_stream(satf_context *ctx, const pipeline_job *job, const io_reader *reader);

/* Does it. The reader is at its first row and stays the caller's. Fills
 * result's times but the total, report and at. */
satf_status pipeline_stream(satf_context *ctx, const pipeline_job *job, const pipeline_plan *plan,
                            io_reader *reader, pipeline_result *result);

#endif
