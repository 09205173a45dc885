/*
 * In a program that this is linked into SATF_DEVICE_AUTO takes the device for any work, unless it
 * is gone. The linker leads calls of filter_choose_device() here (--wrap).
 */
#include "base/context.h"
#include "base/device/gpu.h"
#include "chain/filter.h"

int __real_filter_choose_device(const satf_context *ctx, const satf_filter *chain,
                                const satf_view *in, const satf_view *out, const filter_job *job,
                                char why[FILTER_WHY_BYTES]);
int __wrap_filter_choose_device(const satf_context *ctx, const satf_filter *chain,
                                const satf_view *in, const satf_view *out, const filter_job *job,
                                char why[FILTER_WHY_BYTES]);
int __wrap_filter_choose_device(const satf_context *ctx, const satf_filter *chain,
                                const satf_view *in, const satf_view *out, const filter_job *job,
                                char why[FILTER_WHY_BYTES])
{
    if (ctx->device_failed || satf_gpu_count(NULL) == 0) {
        return __real_filter_choose_device(ctx, chain, in, out, job, why);
    }
    *why = '\0';
    return SATF_CUDA(0);
}
