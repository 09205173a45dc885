/* A build without CUDA: no image is ever on a device. */
#include "gpu.h"

#include "../base/gpu.h"

satf_status filter_gpu_plan_make(satf_context *ctx, filter_gpu_plan *plan)
{
    return satf_gpu_check(ctx, plan->task.in.device);
}

satf_status filter_gpu_run(satf_context *ctx, const filter_gpu_plan *plan)
{
    return satf_gpu_check(ctx, plan->task.in.device);
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

satf_status filter_gpu_copy_pixels(satf_context *ctx, const satf_view *from, const satf_view *to)
{
    (void)to;
    return satf_gpu_check(ctx, from->device);
}
