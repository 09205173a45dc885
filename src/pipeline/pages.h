/*
 * A file of several pages into one: pages are filtered side by side, each by a call in a
 * context of its own, as files of a batch are, and written in their order.
 */
#ifndef SATF_PIPELINE_PAGES_H
#define SATF_PIPELINE_PAGES_H

#include "job.h"

/* How many pages of the reader's file the job is about, if they go into one file of pages: then its
 * first and last page become those. 0: it is about a picture. SATF_INVALID: the file has not so
 * many, or the output cannot hold them. */
satf_status pipeline_count_pages(satf_context *ctx, pipeline_job *job, const io_reader *reader,
                                 int64_t *count);

/* What does a page, as pipeline_run(): the job has its file, its pages and its page. */
typedef satf_status pipeline_filter(satf_context *ctx, const pipeline_job *job,
                                    satf_file_report *result);

/* Filters them, so many. The reader, which is at none yet, stays the caller's; NULL: the job has
 * several inputs, which are opened here. */
satf_status pipeline_pages(satf_context *ctx, const pipeline_job *job, io_reader *reader,
                           int64_t count, pipeline_filter *filter, pipeline_phase *progress,
                           satf_file_report *result);

#endif
