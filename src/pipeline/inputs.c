/* Several inputs that become the pages of one output. */
#include "inputs.h"

#include <string.h>
#include <sys/stat.h>

#include "../base/memory.h"

/* Refuses what cannot be, whatever the files hold. */
static satf_status inputs_check(satf_context *ctx, const pipeline_job *job)
{
    const io_format *to = pipeline_output_format(job);
    bool piped = job->options.input_calls || strcmp(job->input, "-") == 0;
    for (size_t i = 0; i < job->options.more_count; i++) {
        if (!job->options.more_inputs || !job->options.more_inputs[i]) {
            return satf_fail(ctx, SATF_INVALID, "the name of a further input is missing");
        }
        piped = piped || strcmp(job->options.more_inputs[i], "-") == 0;
    }
    if (piped) {
        return satf_fail(ctx, SATF_INVALID,
                         "one of several inputs is a file; write the pipe into one first");
    }
    return to && to->holds_pages
               ? SATF_OK
               : satf_fail(ctx, SATF_UNSUPPORTED,
                           "%s holds one picture; several inputs go into one .tif, or each into a "
                           "file of its own",
                           to ? to->name : "the output");
}

/* The number of pages that the job takes of that file. */
static int64_t inputs_count_pages(satf_context *ctx, const pipeline_job *job, const char *path,
                                  satf_status *status)
{
    io_reader *reader;
    *status = io_open_file(ctx, path, NULL, &reader);
    if (*status) {
        return 1;
    }
    int64_t first = job->options.first_page ? job->options.first_page : 1,
            last = job->options.last_page;
    last = !job->options.first_page || last < 0 ? reader->pages : last == 0 ? first : last;
    bool there = first <= last && last <= reader->pages;
    io_close(reader);
    return there ? last - first + 1 : 1;
}

static int64_t inputs_file_bytes(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) ? (int64_t)info.st_size : 0;
}

satf_status pipeline_inputs_find(satf_context *ctx, pipeline_job *job, pipeline_input **inputs,
                                 int64_t *pages, satf_file_report *result)
{
    size_t count = job->options.more_count + 1, bytes;
    *pages = 0;
    result->at = job->output;
    satf_status status = inputs_check(ctx, job);
    if (status) {
        return status;
    }
    pipeline_input *all = satf_mul(count, sizeof *all, &bytes) ? satf_alloc_zeroed(bytes) : NULL;
    if (!all) {
        return satf_fail_memory(ctx, count * sizeof *all, "a list of inputs");
    }
    *inputs = all;
    result->in_bytes = 0;
    for (size_t i = 0; i < count && !status; i++) {
        const char *path = i == 0 ? job->input : job->options.more_inputs[i - 1];
        satf_status opened;
        all[i] = (pipeline_input){path, *pages, inputs_count_pages(ctx, job, path, &opened)};
        *pages += all[i].pages;
        result->in_bytes += inputs_file_bytes(path);
        status = opened == SATF_NO_MEMORY || opened == SATF_CANCELLED ? opened : satf_tick(ctx);
    }
    job->inputs = all;
    job->input_count = count;
    return status;
}

const pipeline_input *pipeline_input_of(const pipeline_job *job, int64_t page)
{
    size_t low = 0, high = job->input_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (job->inputs[middle].first <= page) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return &job->inputs[low];
}
