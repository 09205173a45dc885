/* What a fake device computes, by the CPU's code, and the backend as a whole. */
#include "fake_state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/device/backend.h"
#include "base/memory.h"
#include "sat/shift.h"
#include "base/view.h"
#include "plan/gpu.h"
#include "sums/cells/gpu.h"
#include "sums/lines/line.h"
#include "sums/lines/taps.h"
#include "formula/adapt_rows.h"
#include "formula/mix.h"
#include "sums/tables/shift.h"
#include "formula/pixels.h"
#include "plan/step.h"
#include "move/move.h"
#include "permute/permute.h"
#include "sat/gpu.h"
#include "sums/march/gpu.h"

static fake_device *const fake = &fake_device_state;

/* --------------------------------------------------------- kernels: the CPU's code */

static satf_view on_host(const satf_view *view)
{
    satf_view host = *view;
    host.device = SATF_HOST;
    return host;
}

/* A context of the CPU for what ctx has asked for. */
static satf_status begin(satf_context *ctx, const char *call, satf_context **cpu)
{
    satf_status status = fake_enter(ctx, call);
    *cpu = NULL;
    if (!status && satf_context_create(cpu)) {
        return satf_fail_memory(ctx, sizeof *ctx, "a fake device");
    }
    return status ? status : satf_context_set_threads(*cpu, 1);
}

static satf_status end(satf_context *ctx, satf_context *cpu, satf_status status)
{
    if (cpu && status) {
        satf_fail(ctx, status, "%s", satf_message(cpu));
    }
    satf_context_destroy(cpu);
    return status;
}

/* The work on the CPU, in the device's name. */
#define ON_CPU(call, work)                       \
    satf_context *cpu;                           \
    satf_status status = begin(ctx, call, &cpu); \
    return end(ctx, cpu, status ? status : (work))

static void count_run(const satf_context *ctx)
{
    fake_add(&fake->runs[satf_gpu_ordinal(ctx->gpu->device)], 1);
}

static satf_status plan_make(satf_context *ctx, filter_gpu_plan *plan)
{
    return fake_enter(ctx, "plan_make");
}

static bool is_formula(const filter_gpu_task *task, const filter_pass *pass)
{
    bool found = task->reduction && pass->reduction == FORMULA_NONE; /* by otsu() */
    return pass->formula == task->formula && pass->over != OVER_ELSEWHERE &&
           pass->histogram == found;
}

/* The filter with that formula in one of its passes. */
static const filter_pass *find_pass(const filter_gpu_task *task, const filter_info **info)
{
    for (size_t i = 0; (*info = filter_info_at(i)); i++) {
        for (int w = 0; w < FILTER_MAX_WAYS; w++) {
            const filter_passes *way = &(*info)->ways[w];
            for (int k = 0; k < way->count; k++) {
                if (is_formula(task, &way->list[k])) {
                    return &way->list[k];
                }
            }
        }
    }
    return NULL;
}

/* What lies outside, which a table of plain sums tells; weighted ones are of filters whose option
 * it is. */
static double constant_of(const filter_gpu_task *task, const filter_info *info)
{
    const filter_border *border = filter_value_of_kind(info, task->options.bytes, PARAM_BORDER);
    const filter_gpu_layer *layer = &task->layers[0];
    return layer->summand != SATF_SUMMAND_PLAIN ? border ? border->constant : 0
           : layer->type == SATF_SUM_F64        ? layer->outside[0].real
                                                : (double)layer->outside[0].integer;
}

static const void *image_in(void *user, int64_t y)
{
    return satf_row(&((const filter_step *)user)->in, y);
}

static void *image_out(void *user, int64_t y)
{
    return satf_row(&((const filter_step *)user)->out, y);
}

/* By one walker. */
static satf_status walk(satf_context *cpu, filter_step *step)
{
    filter_rows rows = {.in = image_in, .out = image_out, .user = step};
    void *walker = aligned_alloc(64, satf_align64(step->walker_bytes) + 64);
    satf_status status = walker ? SATF_OK : satf_fail_memory(cpu, 0, "a fake device");
    if (!status && filter_reduces(step->pass)) {
        status = step->engine->look(cpu, step, NULL, NULL);
    }
    status = status ? status : step->engine->begin(cpu, step, &rows, 0, step->out.height, walker);
    while (!status && step->engine->next(walker, &status)) {
    }
    free(walker);
    return status;
}

static satf_status run_step(satf_context *cpu, filter_step *step)
{
    step->state = satf_alloc_zeroed(step->engine->state_bytes);
    satf_status status = step->state ? step->engine->plan(cpu, step) : SATF_NO_MEMORY;
    size_t bytes = satf_align64(step->scratch_bytes) + 64;
    step->scratch = status ? NULL : aligned_alloc(64, bytes);
    step->kept = status ? NULL : aligned_alloc(64, satf_align64(step->kept_bytes) + 64);
    if (!status) {
        status = !step->scratch || !step->kept ? satf_fail_memory(cpu, bytes, "a fake device")
                 : step->engine->anywhere      ? walk(cpu, step)
                                               : step->engine->run(cpu, step);
    }
    free(step->scratch);
    free(step->kept);
    filter_step_release(step);
    return status;
}

static satf_status run_task(satf_context *cpu, const filter_gpu_task *task,
                            const filter_engine *engine);

/* Runs the task's inline pass as a task of its own, whose image is aux[0] of the outer task. */
static satf_status run_with_inline(satf_context *cpu, const filter_gpu_task *task,
                                   const filter_engine *engine)
{
    filter_gpu_task inline_task = *task, outer_task = *task;
    const satf_view *in = &task->inline_in;
    void *made = malloc((size_t)(satf_row_samples(in) * in->height) * sizeof(double));
    inline_task.inline_formula = outer_task.inline_formula = FORMULA_NONE;
    inline_task.formula = task->inline_formula;
    inline_task.in = *in;
    inline_task.out = satf_view_packed(made, in->width, in->height, in->channels, SATF_F64);
    inline_task.aux[0] = task->inline_aux;
    inline_task.layers[0] = task->inline_layer;
    inline_task.constants.most = INFINITY;
    outer_task.aux[0] = inline_task.out;
    satf_status status =
        made ? run_task(cpu, &inline_task, engine) : satf_fail_memory(cpu, 0, "a fake device");
    status = status ? status : run_task(cpu, &outer_task, engine);
    free(made);
    return status;
}

/* As the CPU's tables or its pixels do it: the step is what the task says. */
static satf_status run_task(satf_context *cpu, const filter_gpu_task *task,
                            const filter_engine *engine)
{
    if (task->inline_formula) {
        return run_with_inline(cpu, task, engine);
    }
    const satf_rect *window = &task->window.rect;
    filter_step step = {.options = task->options.bytes,
                        .in = on_host(&task->in),
                        .out = on_host(&task->out),
                        .aux = {on_host(&task->aux[0]), on_host(&task->aux[1])},
                        .size = {window->w, window->h},
                        .at = {window->x + window->w / 2, window->y + window->h / 2},
                        .squared = task->layers[0].summand == SATF_SUMMAND_SQUARE,
                        .weighted = task->weighted,
                        .reduced = task->reduced,
                        .engine = engine};
    step.pass = find_pass(task, &step.info);
    step.shape = pass_shape_of(step.pass);
    const formula_sums *common = &task->constants;
    step.scale = (filter_scale){.of_floats = common->of_floats,
                                .aux_of_floats = common->aux_of_floats,
                                .aux_said = common->aux_said,
                                .full = common->full,
                                .level = common->level,
                                .aux_full = common->aux_full,
                                .aux_pixels = common->aux_pixels,
                                .top = common->top,
                                .aux_top = common->aux_top,
                                .times = common->times,
                                .zero = common->zero,
                                .has_sign = common->has_sign,
                                .most = common->most};
    step.border = (filter_border){task->border, constant_of(task, step.info)};
    filter_rects *rects = NULL;
    if (task->has_rects) {
        size_t bytes = (size_t)task->rect_count * sizeof *rects->items;
        rects = malloc(sizeof *rects + bytes);
        if (!rects) {
            return satf_fail_memory(cpu, bytes, "a fake device");
        }
        rects->count = (size_t)task->rect_count;
        memcpy(rects->items, task->rects, bytes);
        step.rects = rects;
    }
    satf_status status = run_step(cpu, &step);
    free(rects);
    return status;
}

/* A choice among windows, which is passes of a filter on the CPU. */
static satf_status choose_here(satf_context *cpu, const filter_gpu_task *task, const satf_view *to)
{
    satf_view in = on_host(&task->in), out = on_host(to);
    satf_filter *filter;
    char spec[64];
    snprintf(spec, sizeof spec, "kuwahara=%ldx%ld", (long)task->choice[0].w,
             (long)task->choice[0].h);
    in.flags = out.flags = task->weighted ? SATF_ALPHA : 0;
    satf_status status = satf_filter_parse(cpu, spec, &filter);
    if (!status) {
        double constant = constant_of(task, filter_info_find("kuwahara"));
        status = satf_filter_set_border(cpu, filter, (satf_border)task->border, constant);
    }
    status = status ? status : satf_filter_apply(cpu, filter, &in, &out);
    satf_filter_destroy(filter);
    return status;
}

static satf_status choose(satf_context *ctx, const filter_gpu_task *task, const satf_view *out)
{
    ON_CPU("choose", choose_here(cpu, task, out));
}

/* The pass of a reduction, and what a choice is made of, are a part of the CPU's run. */
static satf_status run_filter(satf_context *ctx, const filter_gpu_plan *plan)
{
    const filter_gpu_task *task = &plan->task;
    count_run(ctx);
    ON_CPU("run", task->reduces || task->keys.data ? SATF_OK
                  : task->choices                  ? choose_here(cpu, task, &task->out)
                                                   : run_task(cpu, task, &filter_table_engine));
}

static satf_status floats(satf_context *ctx, const filter_gpu_task *task, double *blocks)
{
    count_run(ctx);
    ON_CPU("floats", task->choices ? SATF_OK : run_task(cpu, task, &filter_sides_engine));
}

static satf_status windows(satf_context *ctx, const filter_gpu_task *task, void *memory,
                           int64_t rows)
{
    count_run(ctx);
    ON_CPU("windows", run_task(cpu, task, &filter_table_engine));
}

/* The level of a histogram is a part of it. */
static satf_status run_pixels(satf_context *ctx, const filter_gpu_task *task)
{
    count_run(ctx);
    ON_CPU("pixels", run_task(cpu, task, &filter_pixel_engine));
}

static satf_status find_otsu(satf_context *ctx, const satf_view *in, bool weighted, double full,
                             uint64_t *counts, uint64_t *keys)
{
    return fake_enter(ctx, "otsu");
}

/* Windows without a table, where these are asked for. */
static bool march_fits(const filter_gpu_task *task, bool pays)
{
    return !task->has_rects && !pays;
}

static satf_status adapt(satf_context *ctx, const row_adapter *adapter, const satf_view *in,
                         const satf_view *beside, const satf_view *out)
{
    satf_status status = fake_enter(ctx, "adapt");
    for (int64_t y = 0; y < in->height && !status; y++) {
        adapt_kernels_base.row(adapter, in->width, satf_row(in, y),
                               beside->data ? satf_row(beside, y) : NULL, beside->type,
                               satf_row(out, y));
    }
    return status;
}

static const void *line_in(void *user, int64_t y)
{
    return satf_row(&((const filter_gpu_lines *)user)->in, y);
}

static int64_t line_height(void *user)
{
    return ((const filter_gpu_lines *)user)->in.height;
}

static void *line_out(void *user, int64_t y)
{
    return satf_row(&((const filter_gpu_lines *)user)->out, y);
}

static satf_status lines(satf_context *ctx, const filter_gpu_lines *job)
{
    line_spec spec = {.in = on_host(&job->in),
                      .out = on_host(&job->out),
                      .axes = job->axes,
                      .border = job->border,
                      .constant = job->constant,
                      .weighted = job->numbers.weighted};
    line_ends ends = {line_in, line_height, line_out, (void *)(uintptr_t)job, NULL};
    satf_context *cpu;
    satf_status status = begin(ctx, "lines", &cpu);
    bool own = job->axes.down.times == 0, failed;
    size_t bytes = own ? taps_walk_bytes(&spec) : line_walk_bytes(&spec);
    void *memory = status ? NULL : satf_alloc(bytes);
    if (!status && !memory) {
        status = satf_fail_memory(cpu, bytes, "a fake device");
    }
    if (memory && own) {
        taps_walk *walk = taps_walk_begin(&spec, &ends, 0, spec.in.height, memory);
        while (taps_walk_next(walk, &failed)) {
        }
    } else if (memory) {
        line_walk *walk = line_walk_begin(&spec, &ends, 0, memory);
        while (line_walk_next(walk, &failed)) {
        }
    }
    satf_free(memory);
    return end(ctx, cpu, status);
}

static satf_status cells(satf_context *ctx, const cells_gpu *job)
{
    satf_view here = on_host(&job->in), there = on_host(&job->out);
    char spec[64];
    satf_context *cpu;
    satf_filter *filter = NULL;
    snprintf(spec, sizeof spec, job->width ? "pixelate=%ldx%ld" : "resize=%ldx%ld!",
             (long)(job->width ? job->width : job->out.width),
             (long)(job->width ? job->height : job->out.height));
    here.flags = there.flags = job->weighted ? SATF_ALPHA : 0;
    satf_status status = begin(ctx, "cells", &cpu);
    status = status ? status : satf_filter_parse(cpu, spec, &filter);
    status = status ? status : satf_filter_apply(cpu, filter, &here, &there);
    satf_filter_destroy(filter);
    return end(ctx, cpu, status);
}

static satf_status shift_by(satf_context *ctx, const satf_view *from, bool weighted, double *shifts,
                            const satf_view *to)
{
    satf_view here = on_host(from), there = on_host(to);
    satf_context *cpu;
    satf_status status = begin(ctx, "shift_by", &cpu);
    if (!status) {
        satf_image_shifts(&here, weighted, shifts);
        status = filter_shift(cpu, &here, shifts, &there);
    }
    return end(ctx, cpu, status);
}

static satf_status copy_pixels(satf_context *ctx, const satf_view *from, const satf_view *to)
{
    satf_view here = on_host(from), there = on_host(to);
    ON_CPU("copy_pixels", filter_copy_pixels(cpu, &here, &there));
}

#define VALUE_OF(type, sample, made)        \
    case type: {                            \
        sample value;                       \
        memcpy(&value, from, sizeof value); \
        return made(value);                 \
    }

static formula_value value_of(int type, const void *from)
{
    switch (type) {
        VALUE_OF(SATF_U8, uint8_t, formula_integer)
        VALUE_OF(SATF_U16, uint16_t, formula_integer)
        VALUE_OF(SATF_U32, uint32_t, formula_integer)
        VALUE_OF(SATF_U64, uint64_t, formula_integer)
        VALUE_OF(SATF_F32, float, formula_real)
    default: {
        double value;
        memcpy(&value, from, sizeof value);
        return formula_real(value);
    }
    }
}

static satf_status convert(satf_context *ctx, const satf_view *from, const satf_view *to)
{
    satf_status status = fake_enter(ctx, "convert");
    size_t bytes = satf_type_bytes(from->type), to_bytes = satf_type_bytes(to->type);
    for (int64_t y = 0; y < from->height && !status; y++) {
        const char *row = satf_row(from, y);
        char *result = satf_row(to, y);
        for (size_t i = 0; i < (size_t)satf_row_samples(from); i++) {
            formula_store(to->type, value_of(from->type, row + i * bytes), result + i * to_bytes);
        }
    }
    return status;
}

static satf_status mix(satf_context *ctx, const filter_mix *task)
{
    filter_mix here = *task;
    satf_status status = fake_enter(ctx, "mix");
    for (int64_t y = 0; y < here.out.height && !status; y++) {
        const void *rows[FORMULA_MIXED] = {NULL};
        for (int k = 0; k < here.count; k++) {
            rows[k] = satf_row(&here.of[k], y);
        }
        filter_mix_row(&here, rows, satf_row(&here.out, y));
    }
    return status;
}

static satf_status move(satf_context *ctx, const move_job *job)
{
    move_job here = *job;
    here.in.device = here.out.device = SATF_HOST;
    ON_CPU("move", move_run(cpu, &here));
}

/* ------------------------------------------------------------------------ tables */

static const char *refuses(const sat_job *job)
{
    return NULL;
}

static satf_status build_table(satf_context *ctx, const sat_job *job, void *scratch)
{
    sat_job here = *job;
    here.in.device = SATF_HOST;
    here.scratch_runs = 0;
    ON_CPU("table", sat_run(cpu, &here, NULL));
}

#define FAKE_ROW(ROW) \
    static const sat_algorithm row_##ROW = {SAT_CUDA_##ROW, .refuses = refuses, .run = build_table};
SAT_CUDA_ALGORITHMS(FAKE_ROW)

#define FAKE_ROW_OF(ROW) &row_##ROW,
static const sat_algorithm *const rows[] = {SAT_CUDA_ALGORITHMS(FAKE_ROW_OF)};

static const sat_algorithm *algorithm_at(size_t index)
{
    return rows[index];
}

static void stress(int mode)
{
}

/* ------------------------------------------------------------------ permutations */

static satf_status keep_table(satf_context *ctx, int device, const void *host, size_t bytes,
                              void **memory)
{
    satf_status status = fake_device_calls.alloc(ctx, device, bytes, "a permutation", memory);
    if (!status) {
        memcpy(*memory, host, bytes);
    }
    return status;
}

static const permute_steps *steps(void)
{
    return &permute_host_steps;
}

/* ----------------------------------------------------------------------- windows */

static bool multiplies(int device)
{
    return false;
}

static bool large_fits(const window_gpu_large *large)
{
    return false;
}

const satf_backend *SATF_BACKEND_ENTRY(void);
__attribute__((visibility("default"))) const satf_backend *SATF_BACKEND_ENTRY(void)
{
    static satf_backend backend;
    backend = fake_device_calls;
    backend.bytes = sizeof backend;
    backend.context_bytes = sizeof(satf_context);
    memcpy(backend.version, satf_version(), strlen(satf_version()) + 1);
    backend.algorithm = algorithm_at;
    backend.stress = stress;
    backend.multiplies = multiplies;
    backend.large_fits = large_fits;
    backend.filter_plan = backend.march_plan = plan_make;
    backend.filter_run = backend.march_run = run_filter;
    backend.march_fits = march_fits;
    backend.windows = windows;
    backend.pixel_run = run_pixels;
    backend.otsu = find_otsu;
    backend.floats = floats;
    backend.choose = choose;
    backend.adapt = adapt;
    backend.cells = cells;
    backend.lines = lines;
    backend.shift = shift_by;
    backend.copy_pixels = copy_pixels;
    backend.convert = convert;
    backend.mix = mix;
    backend.move = move;
    backend.table_keep = keep_table;
    backend.table_drop = fake_give;
    backend.steps = steps;
    return &backend;
}
