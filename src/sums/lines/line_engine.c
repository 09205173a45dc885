/*
 * The engine of passes along lines. On the CPU walkers make them. If an image is in memory and the
 * passes reach far, they go along all rows first, and then down blocks of columns.
 */
#include "line.h"

#include <stdatomic.h>

#include "../../base/memory.h"
#include "../../base/parallel.h"
#include "../../base/view.h"
#include "../../plan/device_task.h"
#include "line_kernels.h"
#include "taps.h"
#include "../../plan/step.h"

enum {
    LEAST_SAMPLES = 70000, /* for each further thread */
    LEAST_REACHES = 2,     /* a band's least height in reaches, for walkers; */
    NARROW_REACHES = 5,    /* of numbers of 16 bits, whose blocks cost less */
    BLOCK_BYTES = 2 << 20, /* of the rings of a block of columns */
    LEAST_BLOCK = 64       /* of a row's samples, unless there are fewer */
};

typedef struct line_step {
    line_spec spec;
    int64_t blocks, block_pixels; /* of line_run_step() */
    size_t walk_bytes, passed_bytes;
} line_step;

typedef struct line_run {
    satf_context *ctx;
    const filter_step *step;
    const line_step *plan;
    atomic_int status;
    int64_t all; /* rows of work, along and down */
    _Atomic int64_t done;
} line_run;

/* The ends of a walk over images in memory. */
typedef struct line_image {
    line_run *run;
    const filter_step *step;
    int64_t x;
} line_image;

static const void *image_row(void *user, int64_t y)
{
    return satf_row(&((const line_image *)user)->step->in, y);
}

static int64_t image_height(void *user)
{
    return ((const line_image *)user)->step->in.height;
}

static void *line_image_out(void *user, int64_t y)
{
    const line_image *image = user;
    const satf_view *out = &image->step->out;
    return (char *)satf_row(out, y) + image->x * satf_pixel_bytes(out);
}

static bool line_image_goes_on(void *user, int64_t numbers)
{
    line_run *run = ((const line_image *)user)->run;
    satf_status status = satf_work(run->ctx, numbers);
    if (status) {
        atomic_store(&run->status, (int)status);
    }
    return !status;
}

static line_ends image_ends(line_image *image)
{
    return (line_ends){image_row, image_height, line_image_out, image, line_image_goes_on};
}

/* ------------------------------------------------------------------------- planning */

static line_spec spec_of(const filter_step *step)
{
    return (line_spec){.in = step->in,
                       .out = step->out,
                       .axes = step->axes,
                       .border = step->border.kind,
                       .constant = step->border.constant,
                       .weight_outside = step->weight_outside,
                       .weighted = step->weighted};
}

static line_spec block_spec(const line_step *plan, int64_t pixels)
{
    line_spec spec = plan->spec;
    spec.in.width = spec.out.width = pixels;
    spec.part = LINE_DOWN;
    spec.passed_stride = line_passed_bytes(&plan->spec);
    return spec;
}

static int64_t number_bytes(const filter_step *step)
{
    bool shrinks = step->border.kind == SATF_BORDER_SHRINK;
    bool narrow = line_numbers_of(&step->in, &step->axes, step->weighted, shrinks).narrow;
    return narrow ? (int64_t)sizeof(uint16_t) : (int64_t)sizeof(double);
}

/* Blocks of columns whose rings stay in a cache, as many as there are threads or more. */
static void line_plan_blocks(satf_context *ctx, const filter_step *step, line_step *plan)
{
    const satf_view *in = &step->in;
    int64_t threads = satf_threads_for(ctx, satf_row_samples(in) * in->height, LEAST_SAMPLES);
    int64_t column = step->axes.down.times * (2 * step->axes.down.radius + 4) * number_bytes(step);
    int64_t samples = most(BLOCK_BYTES / column, LEAST_BLOCK);
    int64_t pixels = least(samples / in->channels, (in->width + threads - 1) / threads);
    pixels = (most(pixels, LEAST_BLOCK / in->channels) - 1) / LINE_LANES + 1;
    plan->block_pixels =
        least(pixels * LINE_LANES, in->width); /* from the start of a line of the cache */
    plan->blocks = (in->width - 1) / plan->block_pixels + 1;
}

/* Whether the step is a Gaussian by its own weights. */
static bool is_weighed(const filter_step *step)
{
    return step->axes.down.times == 0;
}

/* Whether to go along all rows first: bands would be so low that rows around seams cost too
 * much. */
static bool runs(const satf_context *ctx, const filter_step *step)
{
    const satf_view *in = &step->in;
    int64_t threads = satf_threads_for(ctx, satf_row_samples(in) * in->height, LEAST_SAMPLES);
    int64_t reaches = number_bytes(step) < 8 ? NARROW_REACHES : LEAST_REACHES;
    return !is_weighed(step) &&
           in->height / threads < reaches * filter_lines_reach(&step->axes.down);
}

static int64_t batches(const filter_step *step)
{
    return (step->in.height - 1) / LINE_LANES + 1;
}

static const char *line_refuses_rows(const satf_context *ctx, const filter_step *step)
{
    (void)ctx;
    bool wraps = step->border.kind == SATF_BORDER_WRAP && filter_lines_reach(&step->axes.down) > 0;
    return wraps ? "needs the whole picture for border wrap" : NULL;
}

/* ------------------------------------------------------------------------- by rows */

/* A walker; behind it is its walk's memory. */
typedef struct line_walker {
    satf_context *ctx;
    const filter_rows *rows;
    int64_t height; /* as planned */
    line_walk *walk;
    taps_walk *taps;    /* in place of walk, by weights */
    int64_t made;       /* the next row */
    satf_status status; /* of what it has been told */
} line_walker;

static const void *walker_row(void *user, int64_t y)
{
    const filter_rows *rows = ((const line_walker *)user)->rows;
    return rows->in(rows->user, y);
}

static int64_t walker_height(void *user)
{
    const line_walker *w = user;
    return filter_rows_height(w->rows, w->height);
}

static void *walker_out(void *user, int64_t y)
{
    const filter_rows *rows = ((const line_walker *)user)->rows;
    return rows->out(rows->user, y);
}

static bool walker_goes_on(void *user, int64_t numbers)
{
    line_walker *w = user;
    w->status = w->status ? w->status : satf_work(w->ctx, numbers);
    return !w->status;
}

static satf_status line_begin(satf_context *ctx, const filter_step *step, const filter_rows *rows,
                              int64_t first, int64_t end, void *walker)
{
    const line_step *plan = step->state;
    line_walker *w = walker;
    char *memory = (char *)walker + satf_align64(sizeof *w);
    line_ends ends = {walker_row, walker_height, walker_out, w, walker_goes_on};
    *w = (line_walker){.ctx = ctx, .rows = rows, .height = step->in.height, .made = first};
    if (is_weighed(step)) {
        w->taps = taps_walk_begin(&plan->spec, &ends, first, end, memory);
    } else {
        w->walk = line_walk_begin(&plan->spec, &ends, first, memory);
    }
    return SATF_OK;
}

static int64_t line_next(void *walker, satf_status *status)
{
    line_walker *w = walker;
    bool failed,
        made = w->taps ? taps_walk_next(w->taps, &failed) : line_walk_next(w->walk, &failed);
    if (failed) {
        *status = w->status ? w->status : satf_fail_row(w->ctx, w->made);
    }
    w->made += made;
    return made;
}

/* -------------------------------------------------------------------------- running */

/* Reports so many more rows; false if all threads are to stop. */
static bool line_go_on(line_run *run, int thread, int64_t rows)
{
    int64_t done = atomic_fetch_add(&run->done, rows) + rows;
    if (thread == 0 && done < run->all) {
        satf_status status = satf_report_progress(run->ctx, (double)done / (double)run->all);
        if (status) {
            atomic_store(&run->status, (int)status);
        }
    }
    return !atomic_load_explicit(&run->status, memory_order_relaxed);
}

static void walk_rows(line_run *run, int thread, line_walk *walk, int64_t rows)
{
    bool failed;
    for (int64_t y = 0; y < rows && line_walk_next(walk, &failed); y++) {
        if (((y + 1) % LINE_LANES == 0 || y + 1 == rows) &&
            !line_go_on(run, thread, y % LINE_LANES + 1)) {
            return;
        }
    }
}

/* A thread's memory, behind the rows that have been passed along. */
static char *thread_memory(const line_run *run, int thread)
{
    const line_step *plan = run->plan;
    return run->step->scratch + plan->passed_bytes + (size_t)thread * plan->walk_bytes;
}

static void pass_along(void *user, int64_t task, int thread)
{
    line_run *run = user;
    line_image image = {run, run->step, 0};
    line_ends ends = image_ends(&image);
    if (line_go_on(run, thread, 0)) {
        line_spec spec = run->plan->spec;
        spec.part = LINE_ALONG;
        line_pass_rows(&spec, &ends, task * LINE_LANES, run->step->scratch,
                       thread_memory(run, thread));
        line_go_on(run, thread, LINE_LANES);
    }
}

static void line_pass_down(void *user, int64_t task, int thread)
{
    line_run *run = user;
    const line_step *plan = run->plan;
    const satf_view *in = &run->step->in;
    line_image image = {run, run->step, task * plan->block_pixels};
    line_ends ends = image_ends(&image);
    line_spec spec = block_spec(plan, least(plan->block_pixels, in->width - image.x));
    spec.passed = run->step->scratch + image.x * in->channels * number_bytes(run->step);
    if (line_go_on(run, thread, 0)) {
        walk_rows(run, thread, line_walk_begin(&spec, &ends, 0, thread_memory(run, thread)),
                  in->height);
    }
}

static satf_status line_run_step(satf_context *ctx, filter_step *step)
{
    if (step->in.device != SATF_HOST) {
        return filter_lines_run_on_device(ctx, step);
    }
    const line_step *plan = step->state;
    line_run run = {.ctx = ctx, .step = step, .plan = plan};
    run.all = (1 + plan->blocks) * step->in.height;
    satf_parallel(ctx, batches(step), pass_along, &run);
    satf_parallel(ctx, plan->blocks, line_pass_down, &run);
    satf_status status = (satf_status)atomic_load(&run.status);
    return status == SATF_CANCELLED ? satf_fail_cancelled(ctx) : status;
}

/* The bytes of a thread's memory, and of the rows that are passed along. */
static bool line_find_bytes(const filter_step *step, line_step *plan)
{
    line_spec down = block_spec(plan, plan->block_pixels), along = plan->spec;
    along.part = LINE_ALONG;
    size_t bytes = line_walk_bytes(&down), row = (size_t)line_passed_bytes(&plan->spec);
    plan->walk_bytes = line_walk_bytes(&along);
    plan->walk_bytes = plan->walk_bytes > bytes ? plan->walk_bytes : bytes;
    return satf_mul(row, (size_t)batches(step) * LINE_LANES, &plan->passed_bytes);
}

static satf_status line_plan(satf_context *ctx, filter_step *step)
{
    if (step->in.device != SATF_HOST) {
        return filter_lines_plan_on_device(ctx, step);
    }
    line_step *plan = step->state;
    plan->spec = spec_of(step);
    bool own = is_weighed(step);
    plan->walk_bytes = own ? taps_walk_bytes(&plan->spec) : line_walk_bytes(&plan->spec);
    if (step->walked && plan->walk_bytes) {
        step->need.columns = own ? 1 : line_block_columns(&plan->spec);
        step->need.kept = own ? taps_rows_kept(&plan->spec) : line_rows_kept(&plan->spec);
        step->walker_bytes = satf_align64(sizeof(line_walker)) + plan->walk_bytes;
        return SATF_OK;
    }
    if (own && plan->walk_bytes) { /* walkers always make such steps */
        return SATF_OK;
    }
    line_plan_blocks(ctx, step, plan);
    return line_find_bytes(step, plan) && plan->walk_bytes &&
                   satf_mul((size_t)satf_thread_count(ctx), plan->walk_bytes,
                            &step->scratch_bytes) &&
                   satf_add(step->scratch_bytes, plan->passed_bytes, &step->scratch_bytes)
               ? SATF_OK
               : satf_fail(ctx, SATF_LIMIT, "the rows of sums are too large for any memory");
}

static const filter_engine line_engine = {
    .name = "lines",
    .does = "sums lines, not windows",
    .sums_others = true,
    .ns = 8,
    .device_ns = 0.15,
    .state_bytes = sizeof(line_step),
    .plan = line_plan,
    .run = line_run_step,
    .runs = runs,
    .refuses_rows = line_refuses_rows,
    .begin = line_begin,
    .next = line_next,
    .lookahead_rows = LINE_ROWS + LINE_LANES,
    .anywhere = true,
    .least_samples = LEAST_SAMPLES,
};

static filter_reach line_reach(const chain_link *link, const filter_pass *pass)
{
    filter_axes axes = pass->lines(link->options);
    int64_t across = filter_lines_reach(&axes.along), down = filter_lines_reach(&axes.down);
    return (filter_reach){across, down, across, down};
}

static const filter_engine *const line_engines[] = {&line_engine, &filter_device_taps_engine, NULL};

const pass_shape shape_lines = {
    .kind = SATF_FILTER_LINES, .reach = line_reach, .engines = line_engines};
