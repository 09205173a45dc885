/* From files to files: decode, filter, encode; batches. */
#ifndef SATF_PIPELINE_H
#define SATF_PIPELINE_H

#include "../base/context.h"
#include "../filter/filter.h"
#include "../io/io.h"

typedef struct pipeline_times {
    double decode_ms, compute_ms, encode_ms;
    int64_t in_bytes, out_bytes;
} pipeline_times;

typedef struct pipeline_job {
    const char *input, *output;
    const satf_filter *filter;
    int type; /* --type; SATF_TYPE_AUTO */
    satf_write_options write;
} pipeline_job;

typedef struct pipeline_result {
    pipeline_times times;
    satf_view in, out; /* data NULL */
    filter_report report;
    const char *in_format, *out_format;
    const char *at; /* on failure: the file (input or output) the message is about */
} pipeline_result;

/* One file. On failure the context has the message and result->at the file. */
satf_status pipeline_run(satf_context *ctx, const pipeline_job *job, pipeline_result *result);

#endif
