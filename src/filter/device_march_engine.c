/* Filters of windows on a CUDA device without a table: blocks march down strips of the image. */
#include "../base/sums.h"
#include "device_task.h"

/* Without a table; step: of which `in` and the border count. */
static filter_gpu_layer layer_of(const filter_step *step, satf_summand summand)
{
    uint64_t area = (uint64_t)(step->size.width * step->size.height);
    sat_layer layer = {.summand = summand};
    layer.type = satf_sum_type_for((satf_type)step->in.type, summand, area, SATF_SUM_U32);
    if (step->border.kind == SATF_CONSTANT) {
        sat_layer_find_outside(step, NULL, &layer);
    }
    return filter_device_layer(step, &layer);
}

static filter_gpu_task make_task(const filter_step *step)
{
    filter_gpu_task task = filter_device_task(step);
    task.layers[0] = layer_of(step, SATF_SUMMAND_PLAIN);
    task.layer_count = 1;
    if (filter_reads(step->pass, FORMULA_SQUARE)) {
        task.layers[1] = layer_of(step, SATF_SUMMAND_SQUARE);
        task.layer_count = 2;
    }
    if (step->feeder) {
        filter_step fed = *step;
        fed.in = step->feeder_in;
        fed.border.constant = step->feeder_constant;
        task.feeder = (int32_t)step->feeder->formula;
        task.feeder_layer = layer_of(&fed, SATF_SUMMAND_PLAIN);
        task.feeder_in = step->feeder_in;
        task.feeder_aux = step->second_aux[0];
    }
    return task;
}

/* A table of means of bytes is less work than a march, whose bytes are loaded one by one. */
static bool pays(const satf_context *ctx, const filter_step *step)
{
    return ctx->settings.engine == SATF_ENGINE_WINDOW || step->in.type != SATF_U8 ||
           step->pass->kernel != KERNEL_MEAN;
}

static bool suits(const satf_context *ctx, const filter_step *step)
{
    if (step->weighted || step->pass->reduction != FORMULA_NONE || !pays(ctx, step)) {
        return false;
    }
    filter_gpu_task task = make_task(step);
    return task.known != FILTER_GPU_LUMA &&
           satf_cuda()->march_fits(&task, ctx->settings.engine == SATF_ENGINE_AUTO);
}

static satf_status plan(satf_context *ctx, filter_step *step)
{
    filter_gpu_plan *march = step->state;
    march->task = make_task(step);
    return satf_cuda()->march_plan(ctx, march);
}

static satf_status run(satf_context *ctx, filter_step *step)
{
    filter_gpu_plan *march = step->state;
    march->task.in.data = step->in.data;
    march->task.out.data = step->out.data;
    memcpy(march->task.aux, step->aux, sizeof march->task.aux);
    march->task.feeder_in.data = step->feeder_in.data;
    march->task.feeder_aux = step->second_aux[0];
    return satf_cuda()->march_run(ctx, march);
}

const filter_engine filter_device_march_engine = {
    .name = "window",
    .kind = SATF_ENGINE_WINDOW,
    .overs = FILTER_WINDOWS,
    .on_device = true,
    .feeds = true,
    .ns = 0.004,
    .state_bytes = sizeof(filter_gpu_plan),
    .suits = suits,
    .plan = plan,
    .run = run,
};
