/* The table engine of a CUDA device: summed area tables, whose corners a kernel reads. */
#include "../../base/device/gpu.h"
#include "../../base/memory.h"
#include "../../base/view.h"
#include "../../plan/device_task.h"
#include "shift.h"
#include "tables.h"

/* The plan's state of a step. */
typedef struct device_step {
    filter_tables tables;
    size_t rects, keys;     /* offsets into kept memory, behind the tables' part */
    bool is_shifted;        /* the tables are of samples less shifts; both lie */
    size_t shifted, shifts; /* in the scratch, behind the tables */
    filter_gpu_plan last, reduction;
} device_step;

static filter_gpu_task device_table_make_task(const filter_step *step, const filter_tables *tables)
{
    filter_gpu_task task = filter_device_task(step);
    task.layer_count = tables->count;
    for (int k = 0; k < tables->count; k++) {
        task.layers[k] = filter_device_layer(step, &tables->layers[k]);
    }
    return task;
}

static bool reduces(const filter_step *step)
{
    return step->pass->reduction != FORMULA_NONE;
}

static size_t rects_bytes(const filter_step *step)
{
    return step->rects ? step->rects->count * sizeof *step->rects->items : 0;
}

/* The step on the image that the tables are made of, and the image's bytes if it is a copy. */
static bool make_summed(const filter_step *step, filter_step *summed, size_t *bytes)
{
    const device_step *state = step->state;
    *bytes = 0;
    *summed = *step;
    return !state->is_shifted ||
           filter_shifted_step(step, step->scratch ? step->scratch + state->shifted : NULL, summed,
                               bytes);
}

static satf_status device_table_plan_tables(satf_context *ctx, filter_step *step)
{
    device_step *state = step->state;
    filter_step summed;
    size_t bytes;
    state->is_shifted = filter_is_shifted(step);
    bool fits = make_summed(step, &summed, &bytes);
    satf_status status = fits ? filter_tables_plan(ctx, &summed, &state->tables) : SATF_OK;
    state->shifted = state->tables.bytes;
    fits = fits && satf_add(state->shifted, bytes, &state->shifts) &&
           satf_add(state->shifts, state->is_shifted ? SATF_MAX_CHANNELS * sizeof(double) : 0,
                    &step->scratch_bytes);
    return status || fits
               ? status
               : satf_fail(ctx, SATF_LIMIT, "the summed area table is too large for any memory");
}

static satf_status device_table_plan(satf_context *ctx, filter_step *step)
{
    device_step *state = step->state;
    satf_status status = device_table_plan_tables(ctx, step);
    if (status) {
        return status;
    }
    state->rects = state->tables.kept_bytes;
    if (!satf_add(state->rects, satf_align64(rects_bytes(step)), &state->keys) ||
        !satf_add(state->keys, REDUCTION_KEYS * sizeof(uint64_t), &step->kept_bytes)) {
        return satf_fail(ctx, SATF_LIMIT, "the rectangles are too many for any memory");
    }
    state->last.task = device_table_make_task(step, &state->tables);
    status = satf_cuda()->filter_plan(ctx, &state->last);
    if (!status && reduces(step)) {
        state->reduction.task = state->last.task;
        state->reduction.task.reduces = true;
        state->reduction.task.formula = (int32_t)step->pass->reduction;
        status = satf_cuda()->filter_plan(ctx, &state->reduction);
    }
    return status;
}

static satf_status device_table_prepare(satf_context *ctx, filter_step *step)
{
    device_step *state = step->state;
    filter_tables_forget(&state->tables);
    return step->rects ? filter_send_rects(ctx, step, step->kept + state->rects) : SATF_OK;
}

/* Makes the image that the tables are made of. */
static satf_status device_table_shift_by(satf_context *ctx, const filter_step *step,
                                         filter_step *summed)
{
    const device_step *state = step->state;
    size_t bytes;
    make_summed(step, summed, &bytes);
    return state->is_shifted
               ? satf_cuda()->shift(ctx, &step->in, step->weighted,
                                    (double *)(void *)(step->scratch + state->shifts), &summed->in)
               : SATF_OK;
}

static void device_table_place(const filter_step *step, const filter_step *summed,
                               filter_gpu_task *task)
{
    const device_step *state = step->state;
    task->in.data = step->in.data;
    task->summed = summed->in;
    task->shifts =
        state->is_shifted ? (const double *)(const void *)(step->scratch + state->shifts) : NULL;
    task->out.data = step->out.data;
    memcpy(task->aux, step->aux, sizeof task->aux);
    for (int k = 0; k < task->layer_count; k++) {
        const sat_layer *layer = &state->tables.layers[k];
        task->layers[k].sat = layer->sat;
        task->layers[k].masks = layer->type == SATF_SUM_F64 ? layer->spare : NULL;
    }
    if (task->has_rects) {
        task->rects = (const satf_weighted_rect *)(const void *)(step->kept + state->rects);
    }
    if (reduces(step)) {
        task->reduction = (uint64_t *)(void *)(step->kept + state->keys);
    }
}

static satf_status device_table_run(satf_context *ctx, filter_step *step)
{
    device_step *state = step->state;
    filter_step summed;
    satf_status status = device_table_shift_by(ctx, step, &summed);
    status = status ? status
                    : filter_tables_build(ctx, &summed, &state->tables, state->tables.count + 1);
    device_table_place(step, &summed, &state->last.task);
    if (!status && reduces(step)) {
        device_table_place(step, &summed, &state->reduction.task);
        status = satf_cuda()->set_bytes(ctx, step->in.device, state->reduction.task.reduction, 0,
                                        REDUCTION_KEYS * sizeof(uint64_t));
        status = status ? status : satf_cuda()->filter_run(ctx, &state->reduction);
    }
    return status ? status : satf_cuda()->filter_run(ctx, &state->last);
}

/* Windows of floats go by device_floats_engine.c: a table's errors come from samples elsewhere. */
static bool device_table_suits(const satf_context *ctx, const filter_step *step)
{
    (void)ctx;
    return !satf_type_is_float(step->in.type) || !step->shape->varies;
}

static const char *device_table_algorithm(const filter_step *step)
{
    const device_step *state = step->state;
    return filter_tables_algorithm(&state->tables);
}

const filter_engine filter_device_engine = {
    .name = "sat",
    .does = "reads a summed area table",
    .kind = SATF_ENGINE_SAT,
    .device_ns = 0.01,
    .state_bytes = sizeof(device_step),
    .suits = device_table_suits,
    .plan = device_table_plan,
    .prepare = device_table_prepare,
    .run = device_table_run,
    .algorithm = device_table_algorithm,
};
