/* Templates of integers on a CUDA device without a table in memory: where the rectangles reach so
 * far that a block's shared memory holds the sums that they read. */
#include "../base/gpu.h"
#include "../base/memory.h"
#include "../base/sums.h"
#include "device_task.h"

static filter_gpu_task make_task(const filter_step *step)
{
    filter_gpu_task task = filter_device_task(step);
    sat_layer layer = {.summand = SATF_SUMMAND_PLAIN};
    uint64_t area = (uint64_t)task.window.rect.w * (uint64_t)task.window.rect.h;
    layer.type = satf_sum_type_for((satf_type)step->in.type, layer.summand, area, SATF_SUM_U32);
    if (step->border.kind == SATF_CONSTANT) {
        sat_layer_find_outside(step, NULL, &layer);
    }
    task.layers[0] = filter_device_layer(step, &layer);
    task.layer_count = 1;
    task.rect_count = (int64_t)step->rects->count;
    return task;
}

static bool suits(const satf_context *ctx, const filter_step *step)
{
    filter_gpu_task task = make_task(step);
    (void)ctx;
    return satf_cuda()->ring_fits(&task);
}

static satf_status plan(satf_context *ctx, filter_step *step)
{
    filter_gpu_plan *ring = step->state;
    ring->task = make_task(step);
    step->kept_bytes = satf_align64(step->rects->count * sizeof *step->rects->items);
    return satf_cuda()->ring_plan(ctx, ring);
}

static satf_status prepare(satf_context *ctx, filter_step *step)
{
    return filter_send_rects(ctx, step, step->kept);
}

static satf_status run(satf_context *ctx, filter_step *step)
{
    filter_gpu_plan *ring = step->state;
    ring->task.in.data = step->in.data;
    ring->task.out.data = step->out.data;
    ring->task.rects = (const satf_weighted_rect *)(const void *)step->kept;
    return satf_cuda()->ring_run(ctx, ring);
}

const filter_engine filter_device_ring_engine = {
    .name = "window",
    .kind = SATF_ENGINE_WINDOW,
    .overs = 1U << OVER_RECTS,
    .on_device = true,
    .ns = 0.004,
    .state_bytes = sizeof(filter_gpu_plan),
    .suits = suits,
    .plan = plan,
    .prepare = prepare,
    .run = run,
};
