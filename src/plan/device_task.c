/* Makes the task of a kernel from a step, and sends rectangles and orders to the device. */
#include "device_task.h"

#include <string.h>

#include "../base/view.h"
#include "../formula/epilogue.h"

static filter_gpu_known known_of(const filter_step *step)
{
    const filter_pass *pass = step->pass;
    bool steps = pass->kernel == KERNEL_STEP && satf_type_max(step->in.type) > 0 &&
                 step->out.type == SATF_U8 && !step->weighted;
    return filter_reads(pass, FORMULA_LUMA)      ? FILTER_GPU_LUMA
           : steps                               ? FILTER_GPU_STEP
           : pass->kernel == KERNEL_MEAN         ? FILTER_GPU_MEAN
           : pass->kernel == KERNEL_VARIANCE     ? FILTER_GPU_VARIANCE
           : pass->kernel == KERNEL_STDDEV       ? FILTER_GPU_STDDEV
           : pass->kernel == KERNEL_WEIGHTED_SUM ? FILTER_GPU_WEIGHTED_SUM
                                                 : FILTER_GPU_ANY;
}

filter_gpu_layer filter_device_layer(const filter_step *step, const sat_layer *layer)
{
    filter_gpu_layer gpu_layer = {
        .stride = layer->stride,
        .type = layer->type,
        .summand = layer->summand,
    };
    for (int c = 0; c < step->in.channels; c++) {
        gpu_layer.outside[c].integer = (uint64_t)layer->outside[c].integer; /* below 2^48 */
        gpu_layer.outside[c].real = layer->outside[c].real;
    }
    return gpu_layer;
}

filter_gpu_task filter_device_task(const filter_step *step)
{
    const filter_pass *pass = step->pass;
    filter_gpu_task task = {
        .in = step->in,
        .out = step->out,
        .border = step->border.kind,
        .formula = (int32_t)pass->formula,
        .keeps_alpha = pass->keeps_alpha,
        .known = known_of(step),
        .weighted = step->weighted,
        .rect_count = 1,
        .reduced = step->reduced,
        .window = {filter_window_rect(step), 0}, /* the factor is not used */
    };
    if (step->shape->tell_kernel) {
        step->shape->tell_kernel(step, &task);
    }
    epilogue finish;
    epilogue_init(&finish, pass, step->options, &step->in, &step->out, step->weighted);
    filter_set_scale(&step->scale, &finish.constants);
    task.has_aux = filter_reads(pass, FORMULA_AUX | FORMULA_AUX_TOO);
    task.constants = finish.constants;
    uint64_t area = (uint64_t)task.window.rect.w * (uint64_t)task.window.rect.h;
    task.terms = epilogue_terms_of_device(&finish, area);
    memcpy(task.aux, step->aux, sizeof task.aux);
    memcpy(task.options.bytes, step->options, sizeof task.options.bytes);
    return task;
}

/* A layer without a table, of sums over `area` pixels. Of the step `in` and the border count. */
static filter_gpu_layer layer_of(const filter_step *step, satf_summand summand, uint64_t area)
{
    sat_layer layer = {.summand = summand};
    layer.type = satf_sum_type_for((satf_type)step->in.type, summand, area, SATF_SUM_U32);
    if (step->border.kind == SATF_BORDER_CONSTANT) {
        sat_layer_find_outside(step, NULL, &layer);
    }
    return filter_device_layer(step, &layer);
}

filter_gpu_task filter_device_march_task(const filter_step *step, bool reduces)
{
    filter_gpu_task task = filter_device_task(step);
    task.reduces = reduces;
    task.formula = reduces ? (int32_t)step->pass->reduction : task.formula;
    uint64_t area = (uint64_t)(task.window.rect.w * task.window.rect.h);
    task.layers[0] = layer_of(step, SATF_SUMMAND_PLAIN, area);
    task.layer_count = 1;
    if (filter_reads(step->pass, FORMULA_SQUARE)) {
        task.layers[1] = layer_of(step, SATF_SUMMAND_SQUARE, area);
        task.layer_count = 2;
    }
    if (step->inline_pass) {
        filter_step inline_step = *step;
        inline_step.in = step->inline_in;
        inline_step.border.constant = step->inline_constant;
        task.inline_formula = (int32_t)step->inline_pass->formula;
        task.inline_layer = layer_of(&inline_step, SATF_SUMMAND_PLAIN, area);
        task.inline_in = step->inline_in;
        task.inline_aux = step->twin_aux[0];
    }
    return task;
}

static void device_task_release_rects(void *rects)
{
    filter_rects_release(rects);
}

satf_status filter_send_rects(satf_context *ctx, const filter_step *step, void *to)
{
    filter_rects *rects =
        (filter_rects *)(uintptr_t)step->rects; /* not const, since it counts its users */
    satf_status status = satf_cuda()->copy_bytes(ctx, step->in.device, to, rects->items,
                                                 rects->count * sizeof *rects->items);
    filter_rects_share(rects);
    satf_status kept =
        satf_cuda()->release_behind(ctx, step->in.device, device_task_release_rects, rects);
    return status ? status : kept;
}

static void device_task_release_order(void *order)
{
    filter_order_release(order);
}

satf_status filter_send_order(satf_context *ctx, const filter_step *step, void *to)
{
    filter_order *order = (filter_order *)(uintptr_t)step->order; /* likewise */
    satf_status status = satf_cuda()->copy_bytes(ctx, step->in.device, to, order->entries,
                                                 (size_t)order->count * sizeof *order->entries);
    filter_order_share(order);
    satf_status kept =
        satf_cuda()->release_behind(ctx, step->in.device, device_task_release_order, order);
    return status ? status : kept;
}
