/* The engine of filters of the pixel alone, of one image or of several, whose rows become the
 * output's rows at once. */
#include <string.h>

#include "../base/cpu.h"
#include "../base/view.h"
#include "../chain/modules.h"
#include "../plan/device_task.h"
#include "epilogue.h"
#include "histogram.h"
#include "mix.h"
#include "otsu.h"
#include "../plan/step.h"

enum { PIECE_BYTES = 4096 }; /* of a row of the result: what stays in the first cache */

typedef struct pixel_walker {
    row_walker at;
    epilogue finish;
    filter_mix mix; /* of a mix, instead */
} pixel_walker;

/* `from`, if it holds aligned doubles, or NULL. */
static double *as_reals(int type, const void *from)
{
    bool is = type == SATF_F64 && (uintptr_t)from % sizeof(double) == 0;
    return is ? (double *)(uintptr_t)from : NULL;
}

/* Pixels x ... x + block->n - 1 of image k, a lane for each channel. */
static void load_lanes(const loop_kernels *loops, const satf_view *of, const void *row, int64_t x,
                       int k, mix_block *block)
{
    double samples[MIX_PIXELS * FORMULA_LANES];
    const char *from = (const char *)row + x * satf_pixel_bytes(of);
    const double *reals = as_reals(of->type, from);
    if (!reals) {
        loops->load_samples((satf_type)of->type, block->n * of->channels, from, samples);
    }
    loops->part(of->channels, block->n, reals ? reals : samples, block->of[k]);
}

static void store_lanes(const loop_kernels *loops, const satf_view *out, void *row, int64_t x,
                        const mix_block *block)
{
    double samples[MIX_PIXELS * FORMULA_LANES];
    char *to = (char *)row + x * satf_pixel_bytes(out);
    double *reals = as_reals(out->type, to);
    loops->join(out->channels, block->n, block->results, reals ? reals : samples);
    if (!reals) {
        loops->store((satf_type)out->type, block->n * out->channels, samples, to);
    }
}

void filter_mix_row(const filter_mix *mix, const void *const *rows, void *to)
{
    const loop_kernels *loops = SATF_ISA_CHOOSE(&loop_kernels);
    const satf_view *out = &mix->out;
    mix_loop run = mix_loop_of(loops, mix->number, out->channels);
    mix_block block;
    block.common = mix->common;
    block.options = mix->options.bytes;
    for (int k = 0; k < mix->count; k++) { /* channels that an image lacks */
        int lacking = FORMULA_LANES - mix->of[k].channels;
        memset(block.of[k][FORMULA_LANES - lacking], 0, (size_t)lacking * sizeof block.of[k][0]);
    }
    for (int64_t x = 0; x < out->width; x += block.n) {
        block.n = out->width - x < MIX_PIXELS ? out->width - x : MIX_PIXELS;
        for (int k = 0; k < mix->count; k++) {
            load_lanes(loops, &mix->of[k], rows[k], x, k, &block);
        }
        run(&block);
        store_lanes(loops, out, to, x, &block);
    }
}

static filter_mix pixel_mix(const filter_step *step)
{
    filter_mix mix = {.number = step->pass->mix,
                      .count = mix_images(step->pass->mix),
                      .of = {step->in},
                      .out = step->out};
    memcpy(&mix.of[1], step->aux, sizeof step->aux);
    filter_set_scale(&step->scale, &mix.common);
    memcpy(mix.options.bytes, step->options, sizeof mix.options.bytes);
    return mix;
}

static const char *pixel_refuses_rows(const satf_context *ctx, const filter_step *step)
{
    (void)ctx;
    return filter_reduces(step->pass) ? "looks at the whole picture before it begins" : NULL;
}

/* On a device a histogram is counted in the scratch; behind it are the keys of what is found. */
static size_t keys_at(const filter_step *step)
{
    return (size_t)histogram_levels(step->in.type) * sizeof(uint64_t);
}

static satf_status pixel_run_on_device(satf_context *ctx, filter_step *step)
{
    if (step->pass->mix != MIX_NONE) {
        filter_mix mix = pixel_mix(step);
        return satf_cuda()->mix(ctx, &mix);
    }
    filter_gpu_task task = filter_device_task(step);
    satf_status status = SATF_OK;
    if (step->pass->histogram) {
        task.reduction = (uint64_t *)(void *)(step->scratch + keys_at(step));
        status = satf_cuda()->otsu(ctx, &step->in, step->weighted, step->scale.full,
                                   (uint64_t *)(void *)step->scratch, task.reduction);
    }
    return status ? status : satf_cuda()->pixel_run(ctx, &task);
}

static satf_status pixel_plan(satf_context *ctx, filter_step *step)
{
    epilogue *finish = step->state;
    if (step->in.device != SATF_HOST) {
        bool looks = step->pass->histogram;
        step->scratch_bytes = looks ? keys_at(step) + REDUCTION_KEYS * sizeof(uint64_t) : 0;
        return SATF_OK;
    }
    epilogue_init(finish, step->pass, step->options, &step->in, &step->out, step->weighted);
    filter_set_scale(&step->scale, &finish->constants);
    finish->around_caches = finish->around_caches && !step->passes_on;
    satf_sum_type sum = finish->constants.real ? SATF_SUM_F64 : SATF_SUM_U32;
    epilogue_prepare(finish, sum, sum, 1, false);
    step->kept_bytes = lookup_bytes(finish, satf_row_samples(&step->in) * step->in.height);
    step->walker_bytes = sizeof(pixel_walker);
    step->need.kept = step->by_rows;
    if (step->pass->histogram && !histogram_bytes(ctx, step->in.type, &step->scratch_bytes)) {
        return satf_fail(ctx, SATF_LIMIT, "the histograms of all threads fit no memory");
    }
    return SATF_OK;
}

static satf_status pixel_prepare(satf_context *ctx, filter_step *step)
{
    return step->kept_bytes ? lookup_prepare(ctx, step->state, step->kept) : SATF_OK;
}

/* Makes row y of the result from the input's, at `from`. */
static void pixel_make_row(const epilogue *finish, const filter_step *step, int64_t y,
                           const char *from, char *to)
{
    int64_t width = step->in.width, in_bytes = satf_pixel_bytes(&step->in);
    int64_t out_bytes = satf_pixel_bytes(&step->out), piece = PIECE_BYTES / out_bytes;
    window_segment segment = {
        .y = y, .sum_type = finish->constants.real ? SATF_SUM_F64 : SATF_SUM_U32, .area = 1};
    for (; segment.x < width; segment.x += piece) {
        segment.n = width - segment.x < piece ? width - segment.x : piece;
        segment.centre = from + segment.x * in_bytes;
        epilogue_segment(finish, &segment, to + segment.x * out_bytes);
    }
}

static satf_status pixel_look(satf_context *ctx, filter_step *step,
                              satf_status (*walk)(void *walkers), void *walkers)
{
    epilogue *finish = step->state;
    const uint64_t *counts;
    int64_t levels = histogram_levels(step->in.type);
    histogram_task task = {.in = &step->in, .weighted = step->weighted, .full = step->scale.full};
    satf_status status = histogram_count(ctx, &task, step->scratch, &counts);
    otsu_share all = otsu_sum(counts, 0, levels), none = {0, 0};
    otsu_level best = otsu_none();
    otsu_look(&all, counts, 0, levels, none, &best);
    finish->constants.otsu = satf_type_is_float(step->in.type)
                                 ? otsu_threshold(&task.range, best.level)
                                 : (double)best.level;
    (void)walk, (void)walkers;
    return status;
}

static satf_status pixel_begin(satf_context *ctx, const filter_step *step, const filter_rows *rows,
                               int64_t first, int64_t end, void *walker)
{
    pixel_walker *w = walker;
    (void)end;
    *w = (pixel_walker){{ctx, step, rows, first, 0}, *(const epilogue *)step->state, {0}};
    if (step->pass->mix != MIX_NONE) {
        w->mix = pixel_mix(step);
    }
    memcpy(w->finish.aux, step->aux, sizeof w->finish.aux);
    epilogue_find_step(&w->finish);
    return SATF_OK;
}

/* Makes row y of a mix from rows of all its images; false after a failure. */
static bool make_mixed(const pixel_walker *w, int64_t y, const void *from, void *to)
{
    const filter_rows *rows = w->at.rows;
    const void *of[FORMULA_MIXED] = {from};
    for (int k = 1; k < w->mix.count; k++) {
        of[k] = rows->aux(rows->user, k - 1, y);
        if (!of[k]) {
            return false;
        }
    }
    filter_mix_row(&w->mix, of, to);
    return true;
}

static int64_t pixel_next(void *walker, satf_status *status)
{
    pixel_walker *w = walker;
    const void *from;
    int64_t y = w->at.y;
    char *to = filter_next_row(&w->at, &from, status);
    if (!to) {
        return 0;
    }
    if (w->mix.number == MIX_NONE) {
        filter_find_aux(w->at.rows, 0, y, w->finish.aux);
        pixel_make_row(&w->finish, w->at.step, y, from, to);
    } else if (!make_mixed(w, y, from, to)) {
        *status = satf_fail_row(w->at.ctx, y);
        return 0;
    }
    return 1;
}

const filter_engine filter_pixel_engine = {
    .name = "pixel",
    .does = "looks at each pixel alone",
    .pixels_alone = true,
    .ns = 1.5,
    .device_ns = 0.003,
    .state_bytes = sizeof(epilogue),
    .plan = pixel_plan,
    .prepare = pixel_prepare,
    .run = pixel_run_on_device,
    .look = pixel_look,
    .refuses_rows = pixel_refuses_rows,
    .begin = pixel_begin,
    .next = pixel_next,
    .anywhere = true,
    .least_samples = 150000,
};

static const filter_engine *const pixel_engines[] = {
    &filter_pixel_engine,  &filter_window_engine,        &filter_table_engine,
    &filter_device_engine, &filter_device_window_engine, NULL};

const pass_shape shape_pixel = {.kind = SATF_FILTER_WINDOW,
                                .windows = true,
                                .of_pixel = true,
                                .in_modules = true,
                                .engines = pixel_engines};
static const filter_engine mix_engine = {
    .name = "mix",
    .does = "looks at each pixel alone",
    .ns = 4,
    .device_ns = 0.01,
    .state_bytes = sizeof(epilogue),
    .plan = pixel_plan,
    .run = pixel_run_on_device,
    .begin = pixel_begin,
    .next = pixel_next,
    .anywhere = true,
    .least_samples = 200000,
};

static const filter_engine *const mix_engines[] = {&mix_engine, NULL};

const pass_shape shape_mix = {.kind = SATF_FILTER_WINDOW,
                              .of_pixel = true,
                              .mixes = true,
                              .in_modules = true,
                              .engines = mix_engines};
