/*
 * The streaming path: rows flow from the decoder through the filters to the encoder (flow.h), so
 * that the stages run side by side and memory does not depend on the picture's height.
 */
#ifndef SATF_PIPELINE_STREAM_H
#define SATF_PIPELINE_STREAM_H

#include "flow.h"
#include "job.h"

/* What is to be known of streaming a job. */
typedef struct pipeline_look {
    char refusal[256]; /* why it is not possible, a clause; empty if it is: the input comes by
                        * rows, and every filter takes them so */
    /* Whole images suit it as well where they are small: the input must be decoded twice, for
     * border wrap shows its end first, or a filter of several steps has one thread by rows, for it
     * depends on whole rows. */
    bool rather_whole;
    size_t bytes; /* memory that it takes; SIZE_MAX if that cannot be said */
    struct flow
        *flow; /* the stages, planned; the caller's to free, whether it is possible or not */
} pipeline_look;

void pipeline_stream_look(satf_context *ctx, const pipeline_job *job, const pipeline_plan *plan,
                          const io_reader *reader, pipeline_look *look);

/* Whether the job's device may take the picture in bands of plan->band_rows, beside the codecs:
 * sets that, and plan->bytes to the memory of the host that this takes. */
bool pipeline_stream_bands(satf_context *ctx, const pipeline_job *job, pipeline_plan *plan,
                           const io_reader *reader);

/* Does it, by the plan's flow, or in bands on plan->device where that is one. The reader is at its
 * first row and stays the caller's. Fills result's times but the total, report and at. */
satf_status pipeline_stream(satf_context *ctx, const pipeline_job *job, pipeline_plan *plan,
                            io_reader *reader, pipeline_phase *progress, satf_file_report *result);

#endif
