/* The engine of the CPU for windows of floats whose sides an image gives: their sums are sums of
 * blocks of samples (pyramid.h). */
#include <stdatomic.h>
#include <string.h>

#include "../../base/memory.h"
#include "../../base/parallel.h"
#include "../../base/view.h"
#include "sides.h"
#include "sides_row.h"
#include "../../plan/gpu.h"
#include "../../plan/step.h"

enum {
    BAND_ROWS = 16,     /* rows of a task */
    LEAST_SUMS = 20000, /* samples for each further thread */
    PARTS = 16          /* of the progress; the blocks take one */
};

/* The plan's state of a step. */
typedef struct sides_step {
    epilogue finish;
    sat_layer layer; /* the summands, and the samples outside */
    int threads;
} sides_step;

typedef struct sides_run {
    satf_context *ctx;
    const filter_step *step;
    const sides_step *plan;
    sides_sums sums;
    int64_t from, to, n; /* rows of the pyramid: n rows from `to` on are made of those at `from` */
    atomic_int stop;     /* a satf_status */
} sides_run;

static bool sides_suits(const satf_context *ctx, const filter_step *step)
{
    (void)ctx;
    return satf_type_is_float(step->in.type);
}

static const char *sides_refuses_rows(const satf_context *ctx, const filter_step *step)
{
    (void)ctx, (void)step;
    return "needs the whole picture";
}

static satf_status sides_plan(satf_context *ctx, filter_step *step)
{
    sides_step *state = step->state;
    const satf_view *in = &step->in;
    size_t samples, row = (size_t)pyramid_length(in->width) * (size_t)in->channels;
    if (!satf_mul(row, (size_t)pyramid_length(in->height), &samples) ||
        !satf_mul(samples, sizeof(double), &step->scratch_bytes) ||
        step->scratch_bytes > SIZE_MAX / 4) {
        return satf_fail(ctx, SATF_LIMIT, "the sums of blocks are too large for any memory");
    }
    epilogue_init(&state->finish, step->pass, step->options, in, &step->out, step->weighted);
    filter_set_scale(&step->scale, &state->finish.constants);
    state->layer = (sat_layer){
        .type = SATF_SUM_F64,
        .summand = step->weighted ? SATF_SUMMAND_WEIGHTED : SATF_SUMMAND_PLAIN,
    };
    sat_layer_find_outside(step, NULL, &state->layer);
    state->threads = satf_threads_for(ctx, satf_row_samples(in) * in->height, LEAST_SUMS);
    return SATF_OK;
}

/* Notes a thread's status; false if all threads are to stop. */
static bool sides_goes_on(sides_run *run, satf_status status)
{
    if (status) {
        atomic_store_explicit(&run->stop, (int)status, memory_order_relaxed);
    }
    return atomic_load_explicit(&run->stop, memory_order_relaxed) == SATF_OK;
}

/* Reports the share that is done; false if all threads are to stop. */
static bool sides_tell(sides_run *run, int thread, double done)
{
    return sides_goes_on(run, thread ? SATF_OK : satf_report_progress(run->ctx, done));
}

static int64_t end_of(int64_t band, int64_t n)
{
    return n - band * BAND_ROWS < BAND_ROWS ? n : (band + 1) * BAND_ROWS;
}

/* Makes rows of pixels, and their blocks across. */
static void sum_band(void *user, int64_t band, int thread)
{
    sides_run *run = user;
    const satf_view *in = &run->step->in;
    const pyramid *blocks = &run->sums.blocks;
    if (!sides_tell(run, thread, (double)band * BAND_ROWS / (double)run->n / PARTS)) {
        return;
    }
    for (int64_t y = band * BAND_ROWS; y < end_of(band, run->n); y++) {
        satf_summands((satf_type)in->type, in->channels, run->plan->layer.summand, satf_row(in, y),
                      in->width, SATF_SUM_F64, blocks->sums + y * blocks->row);
        pyramid_fill_row(blocks, y);
    }
}

/* Makes rows of blocks that are four times as high as those at run->from. */
static void unite_band(void *user, int64_t band, int thread)
{
    sides_run *run = user;
    const pyramid *blocks = &run->sums.blocks;
    (void)thread;
    for (int64_t y = band * BAND_ROWS;
         y < end_of(band, run->n) && sides_goes_on(run, satf_work(run->ctx, 4 * blocks->row));
         y++) {
        const double *restrict four = blocks->sums + (run->from + 4 * y) * blocks->row;
        double *restrict to = blocks->sums + (run->to + y) * blocks->row;
        for (int64_t i = 0; i < blocks->row; i++) {
            to[i] = (four[i] + four[i + blocks->row]) +
                    (four[i + 2 * blocks->row] + four[i + 3 * blocks->row]);
        }
    }
}

static void result_band(void *user, int64_t band, int thread)
{
    sides_run *run = user;
    double rows = (double)run->n, done = (double)band * BAND_ROWS / rows;
    epilogue finish = run->plan->finish;
    memcpy(finish.aux, run->step->aux, sizeof finish.aux);
    for (int64_t y = band * BAND_ROWS; y < end_of(band, run->n); y++) {
        if (!sides_tell(run, thread,
                        (1 + (PARTS - 1) * (done + (double)(y % BAND_ROWS) / rows)) / PARTS)) {
            return;
        }
        sides_goes_on(run, sides_row(run->ctx, &finish, run->step, &run->sums, y,
                                     satf_row(&run->step->out, y)));
    }
}

static void sides_share(sides_run *run, void (*band)(void *, int64_t, int), int64_t n)
{
    run->n = n;
    satf_parallel_on(run->ctx, run->plan->threads, (n + BAND_ROWS - 1) / BAND_ROWS, band, run);
}

static satf_status sides_run_step(satf_context *ctx, filter_step *step)
{
    const sides_step *plan = step->state;
    const satf_view *in = &step->in;
    sides_run run = {.ctx = ctx, .step = step, .plan = plan};
    run.sums.layer = &plan->layer;
    run.sums.blocks =
        pyramid_of(in->width, in->height, in->channels, (double *)(void *)step->scratch);
    sides_share(&run, sum_band, in->height);
    for (int level = 1; level < PYRAMID_LEVELS; level++) {
        run.to = run.from + (in->height >> 2 * (level - 1));
        sides_share(&run, unite_band, in->height >> 2 * level);
        run.from = run.to;
    }
    sides_share(&run, result_band, in->height);
    return (satf_status)atomic_load(&run.stop);
}

const filter_engine filter_sides_engine = {
    .name = "blocks",
    .does = "sums blocks of samples",
    .sums_others = true,
    .ns = 12,
    .state_bytes = sizeof(sides_step),
    .suits = sides_suits,
    .plan = sides_plan,
    .refuses_rows = sides_refuses_rows,
    .run = sides_run_step,
};

/* ------------------------------------------------------------------------ the shape */

static satf_rect sides_window(const filter_step *step)
{
    (void)step;
    return sides_rect(SIDES_MOST);
}

static void sides_tell_kernel(const filter_step *step, filter_gpu_task *task)
{
    (void)step;
    task->sides = true;
}

static const filter_engine *const sides_engines[] = {&filter_table_engine, &filter_sides_engine,
                                                     &filter_device_engine,
                                                     &filter_device_floats_engine, NULL};

const pass_shape shape_sides = {.kind = SATF_FILTER_WINDOW,
                                .windows = true,
                                .varies = true,
                                .reach = shape_all_reach,
                                .window = sides_window,
                                .tell_kernel = sides_tell_kernel,
                                .engines = sides_engines};
