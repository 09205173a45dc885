/* A picture that a reader is at, filtered and written. */
#ifndef SATF_PIPELINE_PICTURE_H
#define SATF_PIPELINE_PICTURE_H

#include "job.h"

/* Is the result black and white, a bit a pixel, unless its format has no such pictures? A type or a
 * range asks for grey. */
bool pipeline_is_black_and_white(const pipeline_job *job);

/* The reader is at its first row; unless it is job->file it may be closed, and NULL then. */
satf_status pipeline_picture(satf_context *ctx, const pipeline_job *job, io_reader **reader,
                             pipeline_phase *progress, satf_file_report *result);

#endif
