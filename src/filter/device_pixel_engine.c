/* Filters of the pixel alone on a CUDA device. */
#include "device_task.h"
#include "histogram.h"

/* What a plan keeps of a step. A histogram is counted in the scratch; behind it are the keys of
 * what is found. */
typedef struct pixel_step {
    filter_gpu_task task;
    size_t keys;
} pixel_step;

static bool suits(const satf_context *ctx, const filter_step *step)
{
    (void)ctx;
    return filter_reads_pixels_alone(step->pass);
}

static satf_status plan(satf_context *ctx, filter_step *step)
{
    pixel_step *state = step->state;
    (void)ctx;
    state->task = filter_device_task(step);
    if (step->pass->histogram) {
        state->keys = (size_t)histogram_levels(step->in.type) * sizeof(uint64_t);
        step->scratch_bytes = state->keys + REDUCTION_KEYS * sizeof(uint64_t);
    }
    return SATF_OK;
}

static satf_status run(satf_context *ctx, filter_step *step)
{
    pixel_step *state = step->state;
    filter_gpu_task *task = &state->task;
    satf_status status = SATF_OK;
    task->in.data = step->in.data;
    task->out.data = step->out.data;
    memcpy(task->aux, step->aux, sizeof task->aux);
    if (step->pass->histogram) {
        task->reduction = (uint64_t *)(void *)(step->scratch + state->keys);
        status = satf_cuda()->otsu(ctx, &step->in, step->weighted,
                                   (uint64_t *)(void *)step->scratch, task->reduction);
    }
    return status ? status : satf_cuda()->pixel_run(ctx, task);
}

const filter_engine filter_device_pixel_engine = {
    .name = "pixel",
    .overs = 1U << OVER_PIXEL,
    .on_device = true,
    .ns = 0.003,
    .state_bytes = sizeof(pixel_step),
    .suits = suits,
    .plan = plan,
    .run = run,
};
