/* The SAT engine's last step on a CUDA device, whose tables come in the stream's order. */
#include "../base/gpu.h"
#include "../base/memory.h"
#include "gpu.h"
#include "sat_layer.h"

/* The rectangles of a template, which are read there; a window goes with the task. */
size_t device_rects_bytes(const filter_stage *stage)
{
    return stage->info->recipe->region == REGION_RECTS
               ? satf_align64(stage->rects->count * sizeof *stage->rects->items)
               : 0;
}

static filter_gpu_known known_of(const filter_recipe *recipe)
{
    return recipe->kernel == KERNEL_MEAN       ? FILTER_GPU_MEAN
           : recipe->kernel == KERNEL_VARIANCE ? FILTER_GPU_VARIANCE
           : recipe->kernel == KERNEL_STDDEV   ? FILTER_GPU_STDDEV
                                               : FILTER_GPU_ANY;
}

static filter_gpu_layer layer_there(const filter_stage *stage, const sat_layer *layer)
{
    filter_gpu_layer there = {
        .sat = layer->sat,
        .stride = layer->stride,
        .type = layer->type,
        .summand = layer->summand,
    };
    for (int c = 0; c < stage->in.channels; c++) {
        there.outside[c].integer = (uint64_t)layer->outside[c].integer; /* below 2^48 */
        there.outside[c].real = layer->outside[c].real;
    }
    if (layer->type == SATF_SUM_F64 && stage->info->recipe->region != REGION_PREFIX) {
        there.hits = layer->spare;
    }
    return there;
}

/* The keys in `there`, which the task's formula then reads. */
static satf_status run_survey(satf_context *ctx, const filter_recipe *recipe, void *there,
                              filter_gpu_task *task)
{
    task->survey = there;
    filter_gpu_task pass = *task;
    pass.surveys = true;
    pass.formula = (int32_t)recipe->survey;
    satf_status status =
        satf_gpu_set_bytes(ctx, task->in.device, there, 0, SURVEY_KEYS * sizeof *task->survey);
    return status ? status : filter_gpu_apply(ctx, &pass);
}

satf_status device_read_corners(satf_context *ctx, const filter_stage *stage,
                                const sat_layer *layers, int layer_count,
                                const satf_weighted_rect *rects, void *there, void *survey)
{
    const filter_recipe *recipe = stage->info->recipe;
    filter_gpu_task task = {
        .in = stage->in,
        .out = stage->out,
        .layer_count = layer_count,
        .border = stage->border.kind,
        .formula = (int32_t)recipe->formula,
        .keeps_alpha = recipe->keeps_alpha,
        .known = known_of(recipe),
        .prefix = stage->info->recipe->region == REGION_PREFIX,
        .weighted = stage->weighted,
        .rect_count = 1,
    };
    finisher finish;
    finisher_init(&finish, recipe, stage->options, &stage->in, &stage->out, stage->weighted);
    task.constants = finish.constants;
    memcpy(task.options.bytes, stage->options, sizeof task.options.bytes);
    for (int k = 0; k < layer_count; k++) {
        task.layers[k] = layer_there(stage, &layers[k]);
    }
    satf_status status = SATF_OK;
    if (stage->info->recipe->region == REGION_RECTS) {
        task.rects = there;
        task.rect_count = (int64_t)stage->rects->count;
        status = satf_gpu_copy_bytes(ctx, stage->in.device, there, rects,
                                     stage->rects->count * sizeof *rects);
    } else if (!task.prefix) {
        task.window = rects[0];
    }
    if (!status && recipe->survey != FORMULA_NONE) {
        status = run_survey(ctx, recipe, survey, &task);
    }
    return status ? status : filter_gpu_apply(ctx, &task);
}
