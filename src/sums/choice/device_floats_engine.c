/* The engine of a CUDA device for windows of floats whose sides an image gives, by sums of blocks:
 * errors of a table's sums would depend on samples outside the window. */
#include <string.h>

#include "../../base/device/gpu.h"
#include "../../base/memory.h"
#include "../../base/view.h"
#include "../../plan/device_task.h"
#include "pyramid.h"
#include "../tables/sat_layer.h"

static bool device_floats_suits(const satf_context *ctx, const filter_step *step)
{
    (void)ctx;
    return satf_type_is_float(step->in.type);
}

static satf_status device_floats_plan(satf_context *ctx, filter_step *step)
{
    filter_gpu_task *task = step->state;
    const satf_view *in = &step->in;
    size_t samples, row = (size_t)pyramid_length(in->width) * (size_t)in->channels;
    sat_layer layer = {
        .type = SATF_SUM_F64,
        .summand = step->weighted ? SATF_SUMMAND_WEIGHTED : SATF_SUMMAND_PLAIN,
    };
    sat_layer_find_outside(step, NULL, &layer);
    *task = filter_device_task(step);
    task->layers[0] = filter_device_layer(step, &layer);
    if (!satf_mul(row, (size_t)pyramid_length(in->height), &samples) ||
        !satf_mul(samples, sizeof(double), &step->scratch_bytes) ||
        step->scratch_bytes > SIZE_MAX / 4) {
        return satf_fail(ctx, SATF_LIMIT, "the sums of blocks are too large for any memory");
    }
    return SATF_OK;
}

static satf_status device_floats_run(satf_context *ctx, filter_step *step)
{
    filter_gpu_task *task = step->state;
    task->in.data = step->in.data;
    task->out.data = step->out.data;
    memcpy(task->aux, step->aux, sizeof task->aux);
    return satf_cuda()->floats(ctx, task, (double *)(void *)step->scratch);
}

const filter_engine filter_device_floats_engine = {
    .name = "blocks",
    .does = "sums blocks of samples",
    .sums_others = true,
    .device_ns = 0.05,
    .state_bytes = sizeof(filter_gpu_task),
    .suits = device_floats_suits,
    .plan = device_floats_plan,
    .run = device_floats_run,
};
