/* The last steps of filters on a device, led to the backend. */
#include "gpu.h"

#include "../base/backend.h"
#include "../base/gpu.h"

static const filter_gpu_calls *backend(void)
{
    const satf_backend *b = satf_backend_get(NULL);
    return b ? b->filter : NULL;
}

satf_status filter_gpu_plan_make(satf_context *ctx, filter_gpu_plan *plan)
{
    return backend() ? backend()->plan_make(ctx, plan) : satf_gpu_check(ctx, plan->task.in.device);
}

satf_status filter_gpu_run(satf_context *ctx, const filter_gpu_plan *plan)
{
    return backend() ? backend()->run(ctx, plan) : satf_gpu_check(ctx, plan->task.in.device);
}

bool filter_gpu_march_fits(const filter_gpu_task *task, bool pays)
{
    return backend() && backend()->march_fits(task, pays);
}

satf_status filter_gpu_march_make(satf_context *ctx, filter_gpu_plan *plan)
{
    return backend() ? backend()->march_make(ctx, plan) : satf_gpu_check(ctx, plan->task.in.device);
}

satf_status filter_gpu_march_run(satf_context *ctx, const filter_gpu_plan *plan)
{
    return backend() ? backend()->march_run(ctx, plan) : satf_gpu_check(ctx, plan->task.in.device);
}

bool filter_gpu_ring_fits(const filter_gpu_task *task)
{
    return backend() && backend()->ring_fits(task);
}

satf_status filter_gpu_ring_make(satf_context *ctx, filter_gpu_plan *plan)
{
    return backend() ? backend()->ring_make(ctx, plan) : satf_gpu_check(ctx, plan->task.in.device);
}

satf_status filter_gpu_ring_run(satf_context *ctx, const filter_gpu_plan *plan)
{
    return backend() ? backend()->ring_run(ctx, plan) : satf_gpu_check(ctx, plan->task.in.device);
}

satf_status filter_gpu_grey(satf_context *ctx, const satf_view *from, const satf_view *to)
{
    return backend() ? backend()->grey(ctx, from, to) : satf_gpu_check(ctx, from->device);
}

satf_status filter_gpu_lift(satf_context *ctx, const satf_view *from, bool weighted, double *pivots,
                            const satf_view *to)
{
    return backend() ? backend()->lift(ctx, from, weighted, pivots, to)
                     : satf_gpu_check(ctx, from->device);
}

satf_status filter_gpu_copy_pixels(satf_context *ctx, const satf_view *from, const satf_view *to)
{
    return backend() ? backend()->copy_pixels(ctx, from, to) : satf_gpu_check(ctx, from->device);
}

satf_status filter_gpu_convert(satf_context *ctx, const satf_view *from, const satf_view *to)
{
    return backend() ? backend()->convert(ctx, from, to) : satf_gpu_check(ctx, from->device);
}
