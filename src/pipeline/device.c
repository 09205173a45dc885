/* The choice between the CPU and a CUDA device for one file. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../base/gpu.h"
#include "../base/parallel.h"
#include "../base/view.h"
#include "../filter/chain.h"
#include "stages.h"

/*
 * What the choice rests on: estimates for a machine of 16 cores with an H200, round
 * figures rather than measurements. The start is that of the CUDA runtime, paid once
 * a process; the copies pass through pinned memory, at the rate at which the
 * processor fills and empties it.
 */
static const double start_ms = 210, copy_bytes_per_ms = 8e6;
/* A device needs the whole picture: what decoding would have done beside encoding. */
static const double overlap_ns_per_sample = 10;

static void __attribute__((format(printf, 2, 3)))
explain(satf_file_report *result, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(result->why_cpu, sizeof result->why_cpu, format, args);
    va_end(args);
}

/* Would a CUDA device be done first? */
static bool device_is_faster(satf_context *ctx, const pipeline_job *job, const satf_view *in,
                             const satf_view *out, bool streams)
{
    double samples = (double)satf_row_samples(in) * (double)in->height;
    double sample_bytes = (double)(satf_type_bytes(in->type) + satf_type_bytes(out->type));
    double cpu_ns = 0, cuda_ns = streams ? samples * overlap_ns_per_sample : 0;
    for (size_t i = 0; i < filter_count(job->filter); i++) {
        cpu_ns += samples * filter_ns(ctx, job->filter, i, false);
        cuda_ns += samples * filter_ns(ctx, job->filter, i, true);
    }
    double cpu_ms = cpu_ns / 1e6 / satf_thread_count(ctx);
    double cuda_ms =
        (ctx->gpu ? 0 : start_ms) + samples * sample_bytes / copy_bytes_per_ms + cuda_ns / 1e6;
    return cuda_ms < cpu_ms;
}

/* Kinds of devices that have the context's algorithm, with the barriers asked for. */
static void kinds_of(const satf_context *ctx, bool *cpu, bool *cuda)
{
    *cpu = *cuda = strcmp(ctx->algorithm, "auto") == 0;
    const char *name, *kind;
    for (size_t i = 0; (name = satf_algorithm(i, &kind, NULL)); i++) {
        bool here = strcmp(kind, "cpu") == 0;
        if (strcmp(name, ctx->algorithm) == 0) {
            *(here ? cpu : cuda) = true;
        }
    }
    *cpu = *cpu && !ctx->sync;
}

/* False in a build without, where nobody wonders why the CPU does what it does well. */
static bool has_cuda_rows(void)
{
    const char *kind;
    for (size_t i = 0; satf_algorithm(i, &kind, NULL); i++) {
        if (strcmp(kind, "cuda") == 0) {
            return true;
        }
    }
    return false;
}

void pipeline_explain_stream(satf_file_report *result)
{
    if (has_cuda_rows()) {
        explain(result, "streamed: computed on the CPU");
    }
}

void pipeline_choose_device(satf_context *ctx, const pipeline_job *job, pipeline_plan *plan,
                            bool streams, satf_file_report *result)
{
    plan->automatic = ctx->device == SATF_DEVICE_AUTO;
    if (!plan->automatic) {
        return;
    }
    bool cpu, cuda;
    kinds_of(ctx, &cpu, &cuda);
    if (ctx->engine == SATF_ENGINE_WINDOW ||
        (cpu && (!cuda || !device_is_faster(ctx, job, &plan->in.view, &plan->out.view, streams)))) {
        if (has_cuda_rows()) {
            explain(result, "the CPU will finish first");
        }
        return;
    }
    const char *why, *then = cpu ? ": computed on the CPU" : "";
    satf_gpu_info info;
    if (satf_gpu_count(&why) == 0) {
        explain(result, "no CUDA device (%s)%s", why, then);
    } else if (!satf_gpu_describe(SATF_CUDA(0), &info) || !info.runs_kernels) {
        explain(result, "CUDA device 0 cannot be used%s", then);
    } else if (cuda) {
        ctx->device = SATF_CUDA(0);
    }
}

satf_status pipeline_explain_device(satf_context *ctx, const pipeline_plan *plan,
                                    satf_status status, const satf_file_report *result)
{
    bool cpu, cuda;
    kinds_of(ctx, &cpu, &cuda);
    if (status != SATF_UNSUPPORTED || !plan->automatic || cpu ||
        ctx->engine == SATF_ENGINE_WINDOW || !*result->why_cpu) {
        return status;
    }
    char message[SATF_MESSAGE_BYTES];
    snprintf(message, sizeof message, "%s", satf_message(ctx));
    return satf_fail(ctx, status, "%.*s; %s", (int)(sizeof message - sizeof result->why_cpu - 3),
                     message, result->why_cpu);
}

bool pipeline_leave_device(satf_context *ctx, const pipeline_plan *plan, satf_status status,
                           satf_file_report *result)
{
    bool cpu, cuda;
    kinds_of(ctx, &cpu, &cuda);
    if (!plan->automatic || ctx->device <= SATF_HOST || !cpu ||
        (status != SATF_NO_MEMORY && status != SATF_NO_DEVICE && status != SATF_DEVICE_FAILED)) {
        return false;
    }
    explain(result, "%s: computed on the CPU", satf_message(ctx));
    ctx->device = SATF_DEVICE_AUTO;
    return true;
}
