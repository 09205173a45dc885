/* Filters of the pixel alone on a CUDA device. */
#include "device_task.h"

static bool suits(const satf_context *ctx, const filter_step *step)
{
    (void)ctx;
    return filter_reads_pixels_alone(step->pass);
}

static satf_status plan(satf_context *ctx, filter_step *step)
{
    filter_gpu_task *task = step->state;
    (void)ctx;
    *task = filter_device_task(step);
    return SATF_OK;
}

static satf_status run(satf_context *ctx, filter_step *step)
{
    filter_gpu_task *task = step->state;
    task->in.data = step->in.data;
    task->out.data = step->out.data;
    memcpy(task->aux, step->aux, sizeof task->aux);
    return satf_cuda()->pixel_run(ctx, task);
}

const filter_engine filter_device_pixel_engine = {
    .name = "pixel",
    .overs = 1U << OVER_PIXEL,
    .on_device = true,
    .ns = 0.003,
    .state_bytes = sizeof(filter_gpu_task),
    .suits = suits,
    .plan = plan,
    .run = run,
};
