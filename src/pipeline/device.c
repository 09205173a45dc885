/* The choice between the CPU and a CUDA device for one file. */
#include <stdio.h>

#include "../filter/filter.h"
#include "region.h"

_Static_assert(sizeof((satf_file_report *)0)->why_cpu == FILTER_WHY_BYTES, "a reason fits");

void pipeline_explain_stream(satf_file_report *result)
{
    snprintf(result->why_cpu, sizeof result->why_cpu, "streamed: computed on the CPU");
}

void pipeline_choose_device(satf_context *ctx, const pipeline_job *job, const io_format *from,
                            pipeline_plan *plan, bool streams, bool banded,
                            satf_file_report *result)
{
    plan->device = ctx->settings.device;
    plan->automatic = plan->device == SATF_DEVICE_AUTO;
    if (plan->automatic) {
        const io_format *to = plan->io.format;
        filter_job of = {.flows_here = streams,
                         .flows_there = banded,
                         .decode_ns = from->decode_ns,
                         .encode_ns = to->encode_ns,
                         .encodes_on_all = to->encodes_on_all,
                         .files = job->files};
        satf_view in, out;
        pipeline_region_views(ctx, job, plan, &in, &out);
        plan->device = filter_choose_device(ctx, job->filter, &in, &out, &of, result->why_cpu);
    }
}

satf_status pipeline_explain_device(satf_context *ctx, const pipeline_plan *plan,
                                    satf_status status, const satf_file_report *result)
{
    if (status != SATF_UNSUPPORTED || !plan->automatic || filter_suits_cpu(ctx) ||
        ctx->settings.engine == SATF_ENGINE_WINDOW || !*result->why_cpu) {
        return status;
    }
    char message[SATF_MESSAGE_BYTES];
    snprintf(message, sizeof message, "%s", satf_message(ctx));
    return satf_fail(ctx, status, "%.*s; %s", (int)(sizeof message - sizeof result->why_cpu - 3),
                     message, result->why_cpu);
}

bool pipeline_leave_device(satf_context *ctx, const pipeline_job *job, pipeline_plan *plan,
                           satf_status status, satf_file_report *result)
{
    if (!plan->automatic || plan->device <= SATF_HOST || !filter_leaves_device(ctx, status)) {
        return false;
    }
    pipeline_note_add(result, job->input, "computed on the CPU: %s", satf_message(ctx));
    plan->device = SATF_HOST;
    return true;
}
