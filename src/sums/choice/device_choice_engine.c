/*
 * The engine of a CUDA device for windows among which a filter chooses. They are one window at
 * several places: a march (of floats, a kernel of their own) makes its mean and its key at all
 * places that any pixel's windows have, and each pixel takes the mean whose key is least.
 */
#include "../../base/device/gpu.h"
#include "../../base/memory.h"
#include "../../base/view.h"
#include "../../plan/device_task.h"
#include "keys.h"

/* The plan's state of a step. The means come first in its scratch memory, then their keys. */
typedef struct choice_step {
    filter_gpu_plan march;
    satf_view out;
    size_t mean_bytes;
} choice_step;

/* Whether all windows are of one size, and contain the pixel. */
static bool same_windows(const filter_gpu_task *task)
{
    const satf_rect *first = &task->choice[0];
    bool same = true;
    for (int k = 0; k < task->choices; k++) {
        const satf_rect *w = &task->choice[k];
        same = same && w->w == first->w && w->h == first->h && w->x <= 0 && w->x > -w->w &&
               w->y <= 0 && w->y > -w->h;
    }
    return same;
}

/* A view in rows of whole cache lines. */
static satf_view lay_out(satf_view view)
{
    view.stride = (int64_t)satf_align64((size_t)satf_row_samples(&view) *
                                        satf_type_bytes((satf_type)view.type));
    return view;
}

/* A task for floats; its layer only holds the samples outside. */
static filter_gpu_task make_float_task(const filter_step *step)
{
    filter_gpu_task task = filter_device_task(step);
    sat_layer layer = {.type = SATF_SUM_F64, .summand = SATF_SUMMAND_PLAIN};
    sat_layer_find_outside(step, NULL, &layer);
    task.layers[0] = filter_device_layer(step, &layer);
    task.keys.type = SATF_F64;
    task.keys.channels = 2;
    return task;
}

static filter_gpu_task make_integer_task(const filter_step *step)
{
    filter_gpu_task task = filter_device_march_task(step, false);
    uint64_t area = (uint64_t)(task.choice[0].w * task.choice[0].h);
    task.keys.type = choice_key_type(area, satf_type_max(step->in.type));
    task.keys.channels = step->in.channels;
    return task;
}

/* The task of all windows, each stored at the place of its last pixel. */
static filter_gpu_task make_task(const filter_step *step)
{
    filter_gpu_task task =
        satf_type_is_float(step->in.type) ? make_float_task(step) : make_integer_task(step);
    int64_t w = task.choice[0].w, h = task.choice[0].h;
    task.window.rect = (satf_rect){1 - w, 1 - h, w, h};
    task.keys.width = task.out.width += w - 1;
    task.keys.height = task.out.height += h - 1;
    task.out = lay_out(task.out);
    task.keys = lay_out(task.keys);
    return task;
}

static bool device_choice_suits(const satf_context *ctx, const filter_step *step)
{
    (void)ctx;
    filter_gpu_task task = make_task(step);
    bool marches = step->out.type == step->in.type && !step->weighted &&
                   step->border.kind != SATF_BORDER_SHRINK;
    return same_windows(&task) && (satf_type_is_float(step->in.type) ||
                                   (marches && satf_cuda()->march_fits(&task, false)));
}

static satf_status device_choice_plan(satf_context *ctx, filter_step *step)
{
    choice_step *state = step->state;
    filter_gpu_task *task = &state->march.task;
    size_t keys;
    *task = make_task(step);
    state->out = step->out;
    if (!satf_mul((size_t)task->out.stride, (size_t)task->out.height, &state->mean_bytes) ||
        !satf_mul((size_t)task->keys.stride, (size_t)task->keys.height, &keys) ||
        keys > SIZE_MAX / 4) {
        return satf_fail(ctx, SATF_LIMIT, "the keys of windows are too large for any memory");
    }
    step->scratch_bytes = state->mean_bytes + keys;
    return satf_type_is_float(step->in.type) ? SATF_OK
                                             : satf_cuda()->march_plan(ctx, &state->march);
}

static satf_status device_choice_run(satf_context *ctx, filter_step *step)
{
    choice_step *state = step->state;
    filter_gpu_task *task = &state->march.task;
    task->in.data = step->in.data;
    task->out.data = step->scratch;
    task->keys.data = step->scratch + state->mean_bytes;
    state->out.data = step->out.data;
    satf_status status = satf_type_is_float(step->in.type)
                             ? satf_cuda()->floats(ctx, task, NULL)
                             : satf_cuda()->march_run(ctx, &state->march);
    return status ? status : satf_cuda()->choose(ctx, task, &state->out);
}

const filter_engine filter_device_choice_engine = {
    .name = "window",
    .does = "sums windows row by row",
    .kind = SATF_ENGINE_WINDOW,
    .device_ns = 0.005,
    .state_bytes = sizeof(choice_step),
    .suits = device_choice_suits,
    .plan = device_choice_plan,
    .run = device_choice_run,
};

/* ------------------------------------------------------------------------ the shape */

static void choice_tell_kernel(const filter_step *step, filter_gpu_task *task)
{
    task->choices = filter_windows(step, task->choice);
}

static const filter_engine *const choice_engines[] = {
    &filter_device_choice_engine, &filter_device_engine, &filter_device_floats_engine, NULL};

const pass_shape shape_choice = {.kind = SATF_FILTER_WINDOW,
                                 .windows = true,
                                 .varies = true,
                                 .tell_kernel = choice_tell_kernel,
                                 .engines = choice_engines};
