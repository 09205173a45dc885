/* The filtering of a file into a file: the public function, and its three ways. */
#include <string.h>
#include <sys/stat.h>

#include "../base/clock.h"
#include "../base/device/gpu.h"
#include "../base/memory.h"
#include "../base/share.h"
#include "../plan/plan.h"
#include "inputs.h"
#include "nodata.h"
#include "mask.h"
#include "pages.h"
#include "region.h"
#include "stream.h"

/* Shares of a whole-image job for its progress: decode, compute, encode. */
static const double decode_share = 0.3, compute_share = 0.2, encode_share = 0.5;

/* A run of a job, and what is decided of it. */
typedef struct file_run {
    pipeline_job job; /* as far as was asked, and what its input makes of that */
    pipeline_plan plan;
    pipeline_phase *progress;
    satf_file_report *result;
    io_reader *reader;     /* owned, unless it is the job's file */
    satf_filter *resolved; /* owned: the job's filters, if they are not those that were asked for */
    pipeline_input *inputs; /* owned */
    satf_rect all;          /* of the picture, for a mask without a region */
    int64_t pages;     /* that the job is about; 0: it is about one picture, which has a plan */
    bool takes_nodata; /* filters pass over the samples that the file says are none */
} file_run;

/* -------------------------------------------------------------- whole images */

/* The rest of the reader's picture as an image, which takes its metadata. */
static satf_status file_decode(satf_context *ctx, file_run *run, satf_image **image)
{
    io_header *header = &run->reader->header;
    double start_ms = satf_now_ms();
    pipeline_phase_begin(ctx, run->progress, decode_share);
    satf_status status = io_make_image(ctx, header, image);
    status = status ? status : io_read_image(ctx, run->reader, &(*image)->view);
    if (!status) {
        pipeline_note_input(run->result, &run->job, &run->plan, run->reader);
        (*image)->metadata = header->metadata;
        memset(&header->metadata, 0, sizeof header->metadata);
    }
    if (!run->job.file) { /* what it holds is not needed any more */
        io_close(run->reader);
        run->reader = NULL;
    }
    run->result->times.decode_ms += satf_now_ms() - start_ms;
    return status;
}

/* Finds the range that is shown, where it is what occurs. */
static satf_status file_find_range(satf_context *ctx, const satf_image *image, file_run *run)
{
    const pipeline_job *job = &run->job;
    io_plan *plan = &run->plan.io;
    bool wanted = plan->find_range;
    satf_status status = io_find_range(ctx, &image->view, job->write.clip_percent, plan);
    if (status || !wanted) {
        return status;
    }
    run->result->range_found = true;
    run->result->range_lo = plan->lo;
    run->result->range_hi = plan->hi;
    if (plan->lo == plan->hi) {
        pipeline_note_add(run->result, job->output,
                          job->write.clip_percent > 0
                              ? "both percentiles are %.5g: black, and white above it"
                              : "every sample is %.5g, so the picture is black",
                          plan->lo);
    }
    return SATF_OK;
}

static satf_status file_encode(satf_context *ctx, file_run *run, const satf_image *image)
{
    const pipeline_job *job = &run->job;
    satf_file_report *result = run->result;
    pipeline_output file;
    io_writer *writer;
    pipeline_phase_begin(ctx, run->progress, encode_share);
    result->at = job->output;
    satf_status status = file_find_range(ctx, image, run);
    status = status ? status : pipeline_output_open(ctx, job, &file, result);
    if (status) {
        return status;
    }
    status = pipeline_writer_open(ctx, job, &run->plan.io, &file, &image->metadata, &writer);
    if (!status) {
        status = io_write_image(ctx, writer, &image->view);
        if (!status) {
            pipeline_judge(result, job, writer);
        }
        result->out_bytes = writer->bytes;
        io_writer_close(writer);
    }
    return pipeline_output_end(ctx, job, &file, status, result);
}

/* An image for the result, with what is known of it. */
static satf_status make_result(satf_context *ctx, const pipeline_job *job,
                               const pipeline_plan *plan, const satf_image *in, satf_image **made)
{
    const satf_image *like = &plan->out;
    const satf_view *view = &like->view;
    *made = NULL;
    satf_status status = satf_image_create_unset(ctx, view->width, view->height, view->channels,
                                                 (satf_type)view->type, view->flags, made);
    if (status) {
        return status;
    }
    satf_image *image = *made;
    image->view.full = view->full;
    image->has_range = like->has_range;
    image->lo = like->lo;
    image->hi = like->hi;
    image->alpha_max = like->alpha_max;
    image->picture_type = like->picture_type;
    image->bilevel = like->bilevel;
    status = satf_metadata_copy(ctx, &in->metadata, &image->metadata);
    if (!status) {
        pipeline_change_metadata(job, &in->view, &image->metadata);
    }
    return status;
}

/* Decodes, computes on the plan's device, and encodes. */
static satf_status run_whole(satf_context *ctx, file_run *run)
{
    const pipeline_job *job = &run->job;
    pipeline_plan *plan = &run->plan;
    satf_file_report *result = run->result;
    satf_image *in = NULL, *out = NULL;
    satf_status status = file_decode(ctx, run, &in);
    double start_ms = satf_now_ms() - ctx->waited_ms;
    pipeline_phase_begin(ctx, run->progress, compute_share);
    status = status ? status : make_result(ctx, job, plan, in, &out);
    for (bool goes = !status; goes;
         goes = status && pipeline_leave_device(ctx, job, plan, status, result)) {
        bool on_device = plan->device > SATF_HOST;
        status = on_device ? satf_share_enter_device(ctx, plan->device) : SATF_OK;
        if (status) {
            continue;
        }
        if (job->options.region) {
            status = pipeline_region_image(ctx, job, plan, in, out);
        } else {
            filter_call call = filter_whole_call(ctx, job->filter, &in->view, &out->view);
            call.device = plan->device;
            call.timed = true;
            status = filter_apply(ctx, &call);
        }
        status = status ? status : pipeline_report_plan(ctx, result);
        if (on_device) {
            satf_share_leave_device(ctx);
        }
    }
    satf_image_destroy(in);
    result->times.compute_ms = satf_now_ms() - ctx->waited_ms - start_ms;
    start_ms = satf_now_ms();
    status = status ? status : file_encode(ctx, run, out);
    satf_image_destroy(out);
    result->times.encode_ms = satf_now_ms() - start_ms;
    return status;
}

/* ------------------------------------------------------------------- any picture */

/* The format of an output: "-" gets the input's. */
static const char *output_format(const pipeline_job *job, const io_format *input,
                                 satf_file_report *result)
{
    if (job->write.format || !job->options.input_format || strcmp(job->output, "-") != 0) {
        return job->write.format;
    }
    if (pipeline_is_black_and_white(job) && strcmp(input->name, "jpeg") == 0) {
        pipeline_note_add(result, job->output, "is written as png; a JPEG blurs black and white");
        return "png";
    }
    return io_can_write(input) ? input->name : "png";
}

/* The job's reader at its page, or at none where it is about pages. */
static satf_status file_open_reader(satf_context *ctx, file_run *run)
{
    pipeline_job *job = &run->job;
    satf_file_report *result = run->result;
    int64_t page = job->page;
    double start_ms = satf_now_ms() - ctx->waited_ms;
    satf_status status = SATF_OK;
    if (job->inputs && !job->file) {
        return SATF_OK; /* each page has a reader of its own */
    }
    if (!job->file) {
        status = io_open_file(ctx, job->input, job->options.input_calls, &run->reader);
        if (status) {
            return status;
        }
        const io_source *source = &run->reader->source;
        if (job->options.input_calls && source->bytes > 0 && !source->was_pipe) {
            result->in_bytes = source->bytes;
        }
        result->in_format = run->reader->format->name;
        job->write.format = output_format(job, run->reader->format, result);
        status = pipeline_count_pages(ctx, job, run->reader, &run->pages);
        page = job->options.first_page - (job->options.first_page > 0);
    }
    if (!status && run->pages == 0) {
        status = io_go_to(ctx, run->reader, page);
    }
    if (!status && run->pages == 0) {
        result->in = run->reader->header.view;
        result->in_format = run->reader->format->name;
        result->pages = 1;
    }
    result->times.decode_ms = satf_now_ms() - ctx->waited_ms - start_ms;
    return status;
}

/* Opens the input, and decides everything before it is decoded. */
static satf_status file_decide(satf_context *ctx, file_run *run)
{
    pipeline_job *job = &run->job;
    satf_file_report *result = run->result;
    satf_status status = job->options.more_count && !job->pages
                             ? pipeline_inputs_find(ctx, job, &run->inputs, &run->pages, result)
                             : SATF_OK;
    status = status ? status : file_open_reader(ctx, run);
    if (status || run->pages > 0) {
        return status;
    }
    io_header *header = &run->reader->header;
    run->all = (satf_rect){0, 0, header->view.width, header->view.height};
    job->options.region =
        job->options.mask && !job->options.region ? &run->all : job->options.region;
    pipeline_set_resolution(result, job, &header->metadata);
    status = pipeline_resolve(ctx, job, header, &run->resolved);
    job->filter = run->resolved ? run->resolved : job->filter;
    const satf_filter *asked_for = job->filter;
    status = status ? status : pipeline_take_nodata(ctx, job, header, &run->resolved, result);
    run->takes_nodata = job->filter != asked_for;
    return status ? status : pipeline_plan_make(ctx, job, run->reader, &run->plan, result);
}

static void file_run_free(file_run *run)
{
    pipeline_plan_free(&run->plan);
    satf_filter_destroy(run->resolved);
    satf_free(run->inputs);
    if (!run->job.file) {
        io_close(run->reader);
    }
}

/* ---------------------------------------------------------------------- the call */

static int64_t file_file_bytes(const char *path)
{
    struct stat info;
    bool sized = strcmp(path, "-") != 0 && stat(path, &info) == 0 && S_ISREG(info.st_mode);
    return sized ? (int64_t)info.st_size : 0;
}

/* Whether input and output are files, which a run that fails leaves as they were. */
static bool can_repeat(const pipeline_job *job)
{
    struct stat info;
    if (job->pages) {
        return job->file->pages_apart || (job->inputs && job->file->source.bytes >= 0);
    }
    if (job->options.input_calls || job->options.output_calls) {
        return false;
    }
    bool replaced = stat(job->output, &info) != 0 || S_ISREG(info.st_mode);
    return file_file_bytes(job->input) > 0 && replaced && !io_output_is_stdout(job->output);
}

/* Whether a run that lacked memory, maybe because of others, is to be done once more: then this
 * one is alone. */
static bool run_alone(satf_context *ctx, const pipeline_job *job)
{
    bool again = ctx->share && can_repeat(job);
    if (again && job->pages) {
        pipeline_await_turn(ctx, job);
    }
    if (again) {
        satf_share_alone(ctx);
    }
    return again;
}

satf_status pipeline_run(satf_context *ctx, const pipeline_job *job, satf_file_report *result)
{
    double start_ms = satf_now_ms();
    pipeline_phase progress = {.call = ctx->progress, .user = ctx->progress_user, .last = -1};
    satf_status status = SATF_NO_MEMORY;
    satf_share_begin(ctx);
    satf_progress_begin(ctx);
    for (int k = 0; k < 2 && status == SATF_NO_MEMORY && (k == 0 || run_alone(ctx, job)); k++) {
        file_run run = {.job = *job, .progress = &progress, .result = result, .reader = job->file};
        struct satf_budget *before = satf_memory_begin(ctx);
        *result = (satf_file_report){.at = job->input};
        result->in_bytes = job->options.input_calls ? 0 : file_file_bytes(job->input);
        progress.from = progress.share = 0;
        pipeline_phase_begin(ctx, &progress, 0);
        status = file_decide(ctx, &run);
        status = status          ? status
                 : run.pages > 0 ? pipeline_pages(ctx, &run.job, run.reader, run.pages,
                                                  pipeline_run, &progress, result)
                 : run.plan.streams
                     ? pipeline_stream(ctx, &run.job, &run.plan, run.reader, &progress, result)
                     : run_whole(ctx, &run);
        status = pipeline_explain_device(ctx, &run.plan, status, result);
        status = pipeline_explain_nodata(ctx, run.takes_nodata, status);
        file_run_free(&run);
        if (!status) {
            result->times.total_ms = satf_now_ms() - start_ms;
        } else {
            result->steps = NULL;
            result->pages = 0;
        }
        status = satf_memory_end(ctx, before, status);
    }
    satf_context_set_progress(ctx, progress.call, progress.user);
    result->times.waited_ms = ctx->waited_ms;
    if (ctx->share) {
        satf_context_forget(ctx); /* what it keeps is not reckoned with between calls */
        satf_gpu_leave(ctx, SATF_OK);
    }
    satf_share_end(ctx);
    return status;
}

void satf_file_options_init(satf_file_options *options, size_t bytes)
{
    satf_file_options all = {.bytes = bytes};
    satf_give(options, bytes, &all, sizeof all);
}

satf_status satf_filter_file(satf_context *ctx, const satf_filter *filter, const char *input,
                             const char *output, const satf_file_options *options,
                             satf_file_report *report, size_t report_bytes)
{
    satf_file_report made = {.at = input};
    satf_give(report, report_bytes, &made, sizeof made);
    satf_status missing = satf_check_given(ctx, filter, "filter is", input, "input's name is");
    missing = missing ? missing : satf_check_given(ctx, output, "output's name is", output, "");
    if (missing) {
        return missing;
    }
    pipeline_job job = {.input = input, .output = output, .filter = filter};
    satf_file_options *how = &job.options;
    satf_file_options_init(how, sizeof *how);
    satf_status status = io_take_struct(ctx, "satf_file_options", options, how, sizeof *how);
    if (!status) {
        status = io_take_options(ctx, how->write, &job.write);
    }
    if (!status && !(how->dpi >= 0 && how->dpi <= 1e6)) {
        status = satf_fail(ctx, SATF_INVALID, "a resolution of %g dpi is none", how->dpi);
    }
    if (!status && (how->route < SATF_ROUTE_AUTO || how->route > SATF_ROUTE_ROWS)) {
        status = satf_fail(ctx, SATF_INVALID, "there is no route number %d", (int)how->route);
    }
    if (!status && how->files < 0) {
        status = satf_fail(ctx, SATF_INVALID, "the number of files cannot be negative");
    }
    status = status || !how->mask ? status : pipeline_mask_check(ctx, how->mask);
    bool backwards = how->last_page > 0 && how->last_page < how->first_page;
    if (!status && (how->first_page < 0 || backwards || (how->last_page && !how->first_page))) {
        status = satf_fail(ctx, SATF_INVALID, "pages are numbered from 1 on, the first one first");
    }
    if (status) {
        return status;
    }
    status = pipeline_run(ctx, &job, &made);
    satf_give(report, report_bytes, &made, sizeof made);
    return status;
}

void satf_files_cleanup(void)
{
    io_output_cleanup();
}

void satf_files_sweep(const char *output)
{
    if (output) {
        io_output_sweep(output);
    }
}

int satf_is_stdout(const char *path)
{
    return path && io_output_is_stdout(path);
}
