/* SATF_DEVICE_AUTO: the choice between the CPU and a CUDA device for images on the host. */
#include <stdio.h>
#include <string.h>

#include "../base/gpu.h"
#include "../base/parallel.h"
#include "../base/view.h"
#include "modules.h"
#include "step.h"

/*
 * What the choice rests on: estimates for a machine of 16 cores with an H200, round
 * figures rather than measurements. The start is that of the CUDA runtime, paid once
 * a process; the copies pass through pinned memory, at the rate at which the
 * processor fills and empties it.
 */
static const double start_ms = 210, copy_bytes_per_ms = 8e6;

/* Would a CUDA device be done first? */
static bool device_is_faster(const satf_context *ctx, const satf_filter *chain, const satf_view *in,
                             const satf_view *out, double besides_ns)
{
    double samples = (double)satf_row_samples(in) * (double)in->height;
    double sample_bytes = (double)(satf_type_bytes(in->type) + satf_type_bytes(out->type));
    double cpu_ns = 0, cuda_ns = besides_ns;
    for (size_t i = 0; i < chain->count; i++) {
        cpu_ns += filter_ns(ctx, &chain->links[i], false);
        cuda_ns += filter_ns(ctx, &chain->links[i], true);
    }
    double cpu_ms = samples * cpu_ns / 1e6 / satf_thread_count(ctx);
    double cuda_ms = (ctx->gpu ? 0 : start_ms) + samples * sample_bytes / copy_bytes_per_ms +
                     samples * cuda_ns / 1e6;
    return cuda_ms < cpu_ms;
}

/* Whether a kind of device has the context's algorithm. */
static bool has_algorithm(const satf_context *ctx, const char *wanted)
{
    const char *name, *kind;
    bool found = strcmp(ctx->settings.algorithm, "auto") == 0;
    for (size_t i = 0; !found && (name = satf_algorithm(i, &kind, NULL)); i++) {
        found = strcmp(name, ctx->settings.algorithm) == 0 && strcmp(kind, wanted) == 0;
    }
    return found;
}

bool filter_suits_cpu(const satf_context *ctx)
{
    return !ctx->settings.sync && has_algorithm(ctx, "cpu");
}

int filter_choose_device(const satf_context *ctx, const satf_filter *chain, const satf_view *in,
                         const satf_view *out, double besides_ns, char why[FILTER_WHY_BYTES])
{
    bool cpu = filter_suits_cpu(ctx), cuda = has_algorithm(ctx, "cuda");
    why[0] = '\0';
    for (size_t i = 0; i < chain->count; i++) {
        if (formula_is_foreign(chain->links[i].info->recipe->formula)) {
            snprintf(why, FILTER_WHY_BYTES, "%.64s is a module's filter: computed on the CPU",
                     chain->links[i].info->name);
            return SATF_HOST;
        }
    }
    if (ctx->settings.engine == SATF_ENGINE_WINDOW) {
        snprintf(why, FILTER_WHY_BYTES, "the window engine is the CPU's unless a device is named");
        return SATF_HOST;
    }
    if (cpu && ctx->device_failed) {
        snprintf(why, FILTER_WHY_BYTES, "CUDA device 0 has failed before: computed on the CPU");
        return SATF_HOST;
    }
    if (cpu && (!cuda || !device_is_faster(ctx, chain, in, out, besides_ns))) {
        snprintf(why, FILTER_WHY_BYTES, "the CPU will finish first");
        return SATF_HOST;
    }
    const char *none, *then = cpu ? ": computed on the CPU" : "";
    satf_gpu_info info;
    if (satf_gpu_count(&none) == 0) {
        snprintf(why, FILTER_WHY_BYTES, "no CUDA device (%s)%s", none, then);
    } else if (!satf_gpu_describe(SATF_CUDA(0), &info)) {
        snprintf(why, FILTER_WHY_BYTES, "CUDA device 0 does not answer%s", then);
    } else if (!info.runs_kernels) {
        snprintf(why, FILTER_WHY_BYTES,
                 "libsatfilter-cuda has no kernels for CUDA device 0: build it with "
                 "--with-cuda-arch=%d%d%s",
                 info.major, info.minor, then);
    } else if (cuda) {
        return SATF_CUDA(0);
    }
    return SATF_HOST;
}

bool filter_leaves_device(satf_context *ctx, satf_status status)
{
    bool leaves =
        filter_suits_cpu(ctx) && (status == SATF_NO_MEMORY || status == SATF_LIMIT ||
                                  status == SATF_NO_DEVICE || status == SATF_DEVICE_FAILED);
    ctx->device_failed |= leaves && status == SATF_DEVICE_FAILED;
    return leaves;
}
