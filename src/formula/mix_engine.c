/* Mixes, on the CPU row by row. */
#include <string.h>

#include "../base/cpu.h"
#include "../base/device/gpu.h"
#include "../base/memory.h"
#include "../base/view.h"
#include "mix.h"
#include "../chain/modules.h"
#include "../plan/step.h"

void filter_mix_row(const filter_mix *mix, const void *const *rows, void *to)
{
    const mix_kernels *kernels = SATF_ISA_CHOOSE(&mix_kernels);
    const satf_view *out = &mix->out;
    int lanes = out->channels;
    mix_block block;
    block.common = mix->common;
    block.options = mix->options.bytes;
    for (int64_t x = 0; x < out->width; x += block.n) {
        block.n = out->width - x < MIX_PIXELS ? out->width - x : MIX_PIXELS;
        for (int k = 0; k < mix->count; k++) {
            const satf_view *of = &mix->of[k];
            kernels->load((satf_type)of->type, of->channels, block.n,
                          (const char *)rows[k] + x * satf_pixel_bytes(of), block.of[k]);
        }
        mix_loop_of(kernels, mix->number, lanes)(&block);
        kernels->store((satf_type)out->type, lanes, block.n, block.results,
                       (char *)to + x * satf_pixel_bytes(out));
    }
}

/* ------------------------------------------------------------------------ the engine */

typedef struct mix_walker {
    row_walker at;
    filter_mix mix;
} mix_walker;

static filter_mix mix_of(const filter_step *step)
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

static satf_status plan(satf_context *ctx, filter_step *step)
{
    (void)ctx;
    step->need.kept = 1;
    step->walker_bytes = satf_align64(sizeof(mix_walker));
    return SATF_OK;
}

static satf_status run_there(satf_context *ctx, filter_step *step)
{
    filter_mix mix = mix_of(step);
    return satf_cuda()->mix(ctx, &mix);
}

static satf_status begin(satf_context *ctx, const filter_step *step, const filter_rows *rows,
                         int64_t first, int64_t end, void *walker)
{
    (void)end;
    *(mix_walker *)walker = (mix_walker){{ctx, step, rows, first, 0}, mix_of(step)};
    return SATF_OK;
}

static int64_t next(void *walker, satf_status *status)
{
    mix_walker *w = walker;
    const filter_rows *rows = w->at.rows;
    const void *of[FORMULA_MIXED];
    int64_t y = w->at.y;
    void *to = filter_next_row(&w->at, &of[0], status);
    for (int k = 1; k < w->mix.count && to; k++) {
        of[k] = rows->aux(rows->user, k - 1, y);
        if (!of[k]) {
            *status = satf_fail_row(w->at.ctx, y);
            return 0;
        }
    }
    if (to) {
        filter_mix_row(&w->mix, of, to);
    }
    return to != NULL;
}

static const filter_engine mix_engine = {
    .name = "mix",
    .does = "looks at each pixel alone",
    .ns = 4,
    .ns_there = 0.01,
    .plan = plan,
    .run = run_there,
    .begin = begin,
    .next = next,
    .anywhere = true,
    .least_samples = 200000,
};

static const filter_engine *const engines[] = {&mix_engine, NULL};

const pass_shape shape_mix = {.kind = SATF_FILTER_WINDOW,
                              .of_pixel = true,
                              .mixes = true,
                              .in_modules = true,
                              .engines = engines};
