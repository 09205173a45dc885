/* A build without CUDA: no image is ever on a device. */
#include "gpu.h"

#include "../base/gpu.h"

satf_status filter_gpu_apply(satf_context *ctx, const filter_gpu_task *task)
{
    return satf_gpu_check(ctx, task->in.device);
}

satf_status filter_gpu_grey(satf_context *ctx, const satf_view *from, const satf_view *to)
{
    (void)to;
    return satf_gpu_check(ctx, from->device);
}

satf_status filter_gpu_convert(satf_context *ctx, const satf_view *from, const satf_view *to)
{
    (void)to;
    return satf_gpu_check(ctx, from->device);
}
