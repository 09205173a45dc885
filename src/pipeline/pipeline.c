#include "pipeline.h"

#include <string.h>

#include "../base/clock.h"
#include "call.h"
#include "pages.h"
#include "picture.h"

/* Where "-" gets the input's format. */
static const char *output_format(const pipeline_job *job, const io_format *input,
                                 satf_file_report *result)
{
    if (job->write.format || !job->input_format || strcmp(job->output, "-") != 0) {
        return job->write.format;
    }
    if (pipeline_is_black_and_white(job) && strcmp(input->name, "jpeg") == 0) {
        pipeline_note_add(result, job->output, "is written as png; a JPEG blurs black and white");
        return "png";
    }
    return io_can_write(input) ? input->name : "png";
}

/* What is asked for of the file, whose reader is at no page yet. */
static satf_status filter_file(satf_context *ctx, pipeline_job *job, io_reader **reader,
                               pipeline_phase *progress, satf_file_report *result)
{
    int64_t pages;
    double start_ms = satf_now_ms();
    result->in_format = (*reader)->format->name;
    job->write.format = output_format(job, (*reader)->format, result);
    satf_status status = pipeline_count_pages(ctx, job, *reader, &pages);
    if (!status && pages > 0) {
        return pipeline_pages(ctx, job, *reader, pages, progress, result);
    }
    status = status ? status : io_go_to(ctx, *reader, job->first_page - (job->first_page > 0));
    if (status) {
        return status;
    }
    result->times.decode_ms += satf_now_ms() - start_ms;
    result->in = (*reader)->header.view;
    result->pages = 1;
    return pipeline_picture(ctx, job, reader, progress, result);
}

static satf_status run_once(satf_context *ctx, const pipeline_job *asked, pipeline_phase *progress,
                            satf_file_report *result)
{
    pipeline_job job = *asked;
    double open_ms = satf_now_ms() - ctx->waited_ms;
    io_reader *reader;
    satf_status status = io_open_file(ctx, job.input, job.from, &reader);
    if (status) {
        return status;
    }
    result->times.decode_ms = satf_now_ms() - ctx->waited_ms - open_ms;
    if (job.from && reader->source.bytes > 0) {
        result->times.in_bytes = reader->source.bytes;
    }
    status = filter_file(ctx, &job, &reader, progress, result);
    io_close(reader);
    return status;
}

satf_status pipeline_run(satf_context *ctx, const pipeline_job *job, satf_file_report *result)
{
    return pipeline_call(ctx, job, run_once, result);
}
