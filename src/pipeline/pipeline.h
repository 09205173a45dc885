/* Filtering a file into a file: decode, filter, encode. Read this file first, then file.c, plan.c
 * and stream.c. */
#ifndef SATF_PIPELINE_H
#define SATF_PIPELINE_H

#include "../base/context.h"
#include "../chain/filter.h"
#include "../io/io.h"

/* One of several inputs. */
typedef struct pipeline_input {
    const char *path;
    int64_t first,
        pages; /* the place of its first page among all, from 0 on, and how many it has */
} pipeline_input;

typedef struct pipeline_job {
    const char *input, *output; /* paths, or the names of options.input_calls and output_calls */
    const satf_filter *filter;
    satf_file_options options; /* but for `write`: */
    /* format, and type: a satf_type for the file's samples or SATF_TYPE_AUTO. A
     * result whose exact type is another is rounded once, to that type. */
    satf_write_options write;
    const pipeline_input *inputs; /* all of them, where there are several; else NULL */
    size_t input_count;
    io_reader *file; /* of which `page` is filtered; NULL: the input is to be opened */
    io_pages *pages; /* that the result is one of, by its number */
    int64_t number;  /* from 0 on */
    int64_t page;    /* from 0 on */
} pipeline_job;

/*
 * One file. A chain of filters that work by rows (of a window, integrals, horizontal flips) is
 * streamed if the input comes by rows, the stages side by side on as many threads as the context
 * allows, and one more; everything else holds whole images. Both give the same bytes, but for
 * floats that a device computes in bands (bands.h). What the input's header shows to be impossible
 * fails before anything is decoded. On failure the context has the message, result->at the file,
 * and the output is as it was before. Input and output may be the same file.
 */
satf_status pipeline_run(satf_context *ctx, const pipeline_job *job, satf_file_report *result);

#endif
