#include "call.h"

#include <string.h>
#include <sys/stat.h>

#include "../base/clock.h"
#include "../base/gpu.h"
#include "../base/share.h"

static int64_t file_bytes(const char *path)
{
    struct stat info;
    bool sized = strcmp(path, "-") != 0 && stat(path, &info) == 0 && S_ISREG(info.st_mode);
    return sized ? (int64_t)info.st_size : 0;
}

/* Once, all memory counted. */
static satf_status run_counted(satf_context *ctx, const pipeline_job *job, pipeline_body *body,
                               double start_ms, pipeline_phase *progress, satf_file_report *result)
{
    struct satf_budget *before = satf_memory_begin(ctx);
    *result = (satf_file_report){.at = job->input};
    result->times.in_bytes = job->from ? 0 : file_bytes(job->input);
    progress->from = progress->share = 0;
    pipeline_phase_begin(ctx, progress, 0);
    satf_status status = body(ctx, job, progress, result);
    if (!status) {
        result->times.total_ms = satf_now_ms() - start_ms;
    } else {
        result->steps = NULL;
        result->pages = 0;
    }
    return satf_memory_end(ctx, before, status);
}

/* Whether input and output are files, which a run that fails leaves as they were. */
static bool can_repeat(const pipeline_job *job)
{
    struct stat info;
    if (job->pages) {
        return job->file->pages_apart;
    }
    if (job->from || job->to) {
        return false;
    }
    bool replaced = stat(job->output, &info) != 0 || S_ISREG(info.st_mode);
    return file_bytes(job->input) > 0 && replaced && !io_output_is_stdout(job->output);
}

satf_status pipeline_call(satf_context *ctx, const pipeline_job *job, pipeline_body *body,
                          satf_file_report *result)
{
    double start_ms = satf_now_ms();
    pipeline_phase progress = {.call = ctx->progress, .user = ctx->progress_user, .last = -1};
    satf_share_begin(ctx);
    satf_progress_begin(ctx);
    satf_status status = run_counted(ctx, job, body, start_ms, &progress, result);
    if (status == SATF_NO_MEMORY && ctx->share && can_repeat(job)) {
        if (job->pages) {
            pipeline_await_turn(ctx, job);
        }
        satf_share_alone(ctx);
        status = run_counted(ctx, job, body, start_ms, &progress, result);
    }
    satf_context_set_progress(ctx, progress.call, progress.user);
    result->waited_ms = ctx->waited_ms;
    if (ctx->share) {
        satf_context_forget(ctx); /* what it keeps is not reckoned with between calls */
        satf_gpu_leave(ctx, SATF_OK);
    }
    satf_share_end(ctx);
    return status;
}
