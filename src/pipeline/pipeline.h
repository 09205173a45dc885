/* From a file to a file: decode, filter, encode. */
#ifndef SATF_PIPELINE_H
#define SATF_PIPELINE_H

#include "../base/context.h"
#include "../filter/filter.h"
#include "../io/io.h"

/* Milliseconds that each stage was busy, and of the whole by the wall clock. */
typedef struct pipeline_times {
    double decode_ms, compute_ms, encode_ms, total_ms;
    int64_t in_bytes, out_bytes; /* sizes of the files, 0 if they have none (pipes) */
} pipeline_times;

/* How a picture goes through. */
typedef enum pipeline_path {
    PIPELINE_AUTO,
    PIPELINE_WHOLE, /* as whole images, even where rows would do */
    PIPELINE_STREAM /* by rows, or it is an error that says why not */
} pipeline_path;

typedef struct pipeline_job {
    const char *input, *output;
    const satf_filter *filter;
    /* format, and type: a satf_type for the file's samples or SATF_TYPE_AUTO. A
     * result whose exact type is another is rounded once, to that type. */
    satf_write_options write;
    pipeline_path path;
    bool input_format; /* without write.format, "-" gets the input's format if it can be written */
} pipeline_job;

/* What a user should know of a job that went well, such as pictures that were left out. */
typedef struct pipeline_note {
    const char *at; /* the job's input or output */
    char text[256]; /* as a message: a sentence without a final stop */
} pipeline_note;

enum { PIPELINE_NOTES = 4 };

typedef struct pipeline_result {
    pipeline_times times;
    satf_view in, out; /* of the files' samples, data NULL */
    filter_report report;
    const char *in_format, *out_format;
    char why_cpu[256]; /* why the automatic choice is not a CUDA device; "" if it is, and in a
                        * build without CUDA unless a device would be done first */
    bool streamed;     /* the stages ran side by side */
    pipeline_note notes[PIPELINE_NOTES];
    int note_count;
    bool range_found; /* by write.auto_range: what became black and white */
    double range_lo, range_hi;
    const char *at; /* on failure: the file (input or output) that the message is about */
    /* on failure: one of the filters cannot take the samples that the one before
     * it makes of such an input */
    bool unsuited;
} pipeline_result;

/*
 * One file. A chain of filters that work by rows (of a window, integrals, horizontal flips) is
 * streamed if the input comes by rows, the stages side by side on as many threads as the context
 * allows, and one more; everything else holds whole images. Both give the same bytes. What the
 * input's header shows to be impossible fails before anything is decoded. On failure the context
 * has the message, result->at the file, and the output is as it was before. Input and output may be
 * the same file.
 */
satf_status pipeline_run(satf_context *ctx, const pipeline_job *job, pipeline_result *result);

#endif
