/*
 * The table engine of the CPU: filters by summed area tables. Each row of the result takes a strip,
 * which combines the table's rows, and then the sums over the rectangles' columns in it.
 */
#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "../../base/cpu.h"
#include "../../base/memory.h"
#include "../../base/parallel.h"
#include "../../sat/shift.h"
#include "../../base/view.h"
#include "axis.h"
#include "corners.h"
#include "../../formula/epilogue.h"
#include "shift.h"
#include "../../plan/gpu.h"
#include "../choice/sides_row.h"
#include "../../chain/modules.h"
#include "tables.h"

enum { BAND_ROWS = 16 };     /* rows of a task, which share the columns' terms */
enum { LEAST_SUMS = 50000 }; /* for each further thread: waking one takes about as long */

/* The plan's state of a step. */
typedef struct table_step {
    epilogue finish;
    filter_tables tables;
    bool is_shifted;                 /* if samples have an offset, other tables serve: */
    filter_tables shifted_tables;    /* of samples less shifts, in the same memory */
    size_t shifted_at;               /* the image less shifts, behind the tables */
    size_t buffers_at, buffer_bytes; /* bytes: of a thread */
    void (*band)(void *user, int64_t task, int thread); /* makes a task's rows of the result */
    int threads;                                        /* as many as the work is worth */
} table_step;

/* A run. */
typedef struct table_state {
    satf_context *ctx;
    const filter_step *step;
    const filter_step *summed; /* the step on the image that is summed */
    const double *shifts;      /* NULL: the image itself is summed */
    table_step *plan;
    filter_tables *tables;
    const corner_kernels *kernels;
    int border;
    char *buffers;        /* of all threads */
    atomic_bool overflow; /* a table's sums came out infinite or NaN */
    atomic_int stop;      /* a satf_status */
} table_state;

/* A thread's buffers. */
typedef struct row_buffers {
    axis_sum *edge;
    void *strip;     /* of any sum type */
    void *sums[2];   /* by layer */
    uint32_t *masks; /* counts of samples that are not finite */
    double *totals;  /* BAND_ROWS rows of responses to a template */
    double *shifts;  /* of a row */
} row_buffers;

/* Lays the buffers out from `base` on (NULL: only measures); false if their size overflows. */
static bool place_buffers(const filter_step *step, char *base, row_buffers *buffers, size_t *bytes)
{
    size_t samples, wide, end = 0;
    size_t width = (size_t)step->out.width;
    size_t channels = (size_t)step->in.channels;
    size_t band = step->rects ? BAND_ROWS : 0;
    /* 4 KiB a sample is far above the sum of all that follows */
    if (!satf_mul(width + 1, channels, &samples) || !satf_mul(samples, 4096, &wide)) {
        return false;
    }
#define PLACE(member, size)                \
    do {                                   \
        if (base) {                        \
            member = (void *)(base + end); \
        }                                  \
        end += satf_align64(size);         \
    } while (0)
    PLACE(buffers->edge, width * sizeof *buffers->edge);
    PLACE(buffers->strip, samples * sizeof(satf_u128));
    PLACE(buffers->sums[0], samples * sizeof(satf_u128));
    PLACE(buffers->sums[1], samples * sizeof(satf_u128));
    PLACE(buffers->masks, samples * sizeof *buffers->masks);
    PLACE(buffers->totals, band * samples * sizeof *buffers->totals);
    PLACE(buffers->shifts, filter_is_shifted(step) * samples * sizeof *buffers->shifts);
#undef PLACE
    *bytes = end;
    return true;
}

/* The rectangle's columns: pixels that have it inside the image, and terms of the others. */
static corner_columns make_columns(const table_state *state, const satf_rect *rect, axis_sum *edge)
{
    int64_t n = state->step->in.width, width = state->step->out.width;
    int64_t left = rect->x < 0 ? -rect->x : 0;
    int64_t right = n + 1 - rect->x - rect->w;
    right = right < width ? right : width;
    if (left >= right) {
        left = right = width;
    }
    for (int64_t x = 0; x < width; x++) {
        if (x == left) {
            x = right;
        }
        if (x < width) {
            axis_span(state->border, n, x + rect->x, rect->w, &edge[x]);
        }
    }
    return (corner_columns){width, rect->x, rect->w, left, right, edge};
}

static int64_t columns_inside(const corner_columns *columns, int64_t x)
{
    return x >= columns->left && x < columns->right ? columns->w : columns->edge[x].inside;
}

/* Adds the pixels that a constant border has outside the image. */
static void add_outside(const sat_layer *layer, int channels, const corner_columns *columns,
                        int64_t h, int64_t rows_inside, void *sums)
{
    int64_t i = 0;
    for (int64_t x = 0; x < columns->width; x++) {
        int64_t outside = columns->w * h - columns_inside(columns, x) * rows_inside;
        for (int c = 0; c < channels; c++, i++) {
            satf_u128 integer = layer->outside[c].integer * (satf_u128)(uint64_t)outside;
            switch (layer->type) {
            case SATF_SUM_U32:
                ((uint32_t *)sums)[i] += (uint32_t)integer;
                break;
            case SATF_SUM_U64:
                ((uint64_t *)sums)[i] += (uint64_t)integer;
                break;
            case SATF_SUM_U128:
                ((satf_u128 *)sums)[i] += integer;
                break;
            default:
                if (outside) { /* 0 times infinity would be NaN */
                    ((double *)sums)[i] += layer->outside[c].real * (double)outside;
                }
            }
        }
    }
}

/* Undoes a table's scale. Without one, notes sums that overflow made infinite or NaN. */
static void settle_reals(table_state *state, const sat_layer *layer, int64_t n, double *sums)
{
    if (layer->masks[0]) {
        for (int64_t i = 0; layer->scale > 1 && i < n; i++) {
            sums[i] *= layer->scale;
        }
        return;
    }
    int overflow = 0;
    for (int64_t i = 0; i < n; i++) {
        overflow |= !(fabs(sums[i]) <= DBL_MAX);
    }
    if (overflow) {
        atomic_store_explicit(&state->overflow, true, memory_order_relaxed);
    }
}

/* Whether all threads are to stop; status: unless SATF_OK, the reason that a thread has for it. */
static bool stops(table_state *state, satf_status status)
{
    if (status) {
        atomic_store_explicit(&state->stop, (int)status, memory_order_relaxed);
    }
    return atomic_load_explicit(&state->stop, memory_order_relaxed) != SATF_OK;
}

/* The sums over the rectangle for all pixels of a row; anything if all threads are to stop. */
static void rect_sums(table_state *state, const sat_layer *layer, const axis_sum *rows,
                      const corner_columns *columns, int64_t h, const row_buffers *buffers,
                      void *sums)
{
    int channels = state->step->in.channels;
    int64_t width = state->step->in.width;
    const corner_kernels *kernels = state->kernels;
    if (stops(state, satf_work(state->ctx, columns->width * channels))) {
        return;
    }
    kernels->strip(layer->type, layer->sat, layer->stride, width, channels, rows, buffers->strip);
    kernels->sums(layer->type, buffers->strip, channels, columns, sums);
    if (layer->type == SATF_SUM_F64) {
        settle_reals(state, layer, columns->width * channels, sums);
    }
    if (state->border == SATF_BORDER_CONSTANT) {
        add_outside(layer, channels, columns, h, rows->inside, sums);
    }
    for (int sign = 0; sign < 2; sign++) {
        if (!layer->masks[sign]) {
            continue;
        }
        kernels->strip(SATF_SUM_U32, layer->masks[sign], layer->masks_stride, width, channels, rows,
                       buffers->strip);
        kernels->sums(SATF_SUM_U32, buffers->strip, channels, columns, buffers->masks);
        for (int64_t i = 0; i < columns->width * channels; i++) {
            if (buffers->masks[i]) {
                ((double *)sums)[i] += sign ? -INFINITY : INFINITY;
            }
        }
    }
}

/* Makes results of a row of window sums; under SATF_BORDER_SHRINK in runs of equal area. */
static void table_finish_row(const table_state *state, const corner_columns *columns,
                             const axis_sum *rows, int64_t height, int64_t y,
                             const row_buffers *buffers, char *row)
{
    const filter_step *step = state->step;
    int64_t width = step->out.width, channels = step->in.channels;
    int64_t pixel_bytes = step->out.channels * (int64_t)satf_type_bytes(step->out.type);
    int64_t sample_bytes = (int64_t)satf_type_bytes(step->in.type);
    bool shrink = state->border == SATF_BORDER_SHRINK;
    window_segment segment = {.y = y, .sum_type = state->tables->layers[0].type};
    segment.square_type = state->tables->layers[1].type;
    for (int64_t x = 0; x < width; x += segment.n) {
        int64_t end = width, inside = columns_inside(columns, x);
        for (int64_t i = x + 1; shrink && i < end; i++) {
            if (i == columns->left && inside == columns->w) {
                i = columns->right - 1;
            } else if (columns_inside(columns, i) != inside) {
                end = i;
            }
        }
        int64_t offset = x * channels;
        segment.x = x;
        segment.n = end - x;
        segment.shifts = state->shifts ? buffers->shifts + offset : NULL;
        segment.area = (uint64_t)(shrink ? inside * rows->inside : columns->w * height);
        segment.sums =
            (char *)buffers->sums[0] + offset * (int64_t)satf_sum_bytes(segment.sum_type);
        segment.squares =
            state->tables->count > 1
                ? (char *)buffers->sums[1] + offset * (int64_t)satf_sum_bytes(segment.square_type)
                : NULL;
        if (filter_has_centre(step->pass)) {
            segment.centre = (const char *)satf_row(&step->in, y) + offset * sample_bytes;
        }
        epilogue_segment(&state->plan->finish, &segment, row + x * pixel_bytes);
    }
}

/* A row of results for a window, into `to`. */
static void window_row(table_state *state, const satf_rect *rect, const corner_columns *columns,
                       int64_t y, const row_buffers *buffers, char *to)
{
    axis_sum rows = {.count = 0};
    axis_span(state->border, state->step->in.height, y + rect->y, rect->h, &rows);
    for (int k = 0; k < state->tables->count; k++) {
        rect_sums(state, &state->tables->layers[k], &rows, columns, rect->h, buffers,
                  buffers->sums[k]);
    }
    table_finish_row(state, columns, &rows, rect->h, y, buffers, to);
}

static row_buffers thread_buffers(const table_state *state, int thread)
{
    row_buffers buffers;
    size_t bytes;
    place_buffers(state->step, state->buffers + (size_t)thread * state->plan->buffer_bytes,
                  &buffers, &bytes);
    int64_t samples = satf_row_samples(&state->step->in), channels = state->step->in.channels;
    for (int64_t i = 0; state->shifts && i < samples; i++) {
        buffers.shifts[i] = state->shifts[i % channels];
    }
    return buffers;
}

/* Reports progress on the calling thread; false if the band is not to be worked on. */
static bool begin_band(table_state *state, int64_t band, int thread)
{
    int64_t bands = (state->step->out.height - 1) / BAND_ROWS + 1;
    return !stops(state, thread ? SATF_OK
                                : satf_report_progress(state->ctx, (double)band / (double)bands));
}

static int64_t band_end(const table_state *state, int64_t first)
{
    return least(state->step->out.height, first + BAND_ROWS);
}

static void window_band(void *user, int64_t task, int thread)
{
    table_state *state = user;
    if (!begin_band(state, task, thread)) {
        return;
    }
    const satf_rect *rect = &state->tables->rects->rect;
    row_buffers buffers = thread_buffers(state, thread);
    corner_columns columns = make_columns(state, rect, buffers.edge);
    int64_t first = task * BAND_ROWS, end = band_end(state, first);
    for (int64_t y = first; y < end; y++) {
        window_row(state, rect, &columns, y, &buffers, satf_row(&state->step->out, y));
    }
}

/* totals = the results with one more rectangle. */
static void add_term(const table_state *state, const void *sums, double factor, double *totals)
{
    const filter_step *step = state->step;
    satf_sum_type type = state->tables->layers[0].type;
    int64_t n = satf_row_samples(&step->in);
    if (step->pass->kernel == KERNEL_WEIGHTED_SUM) {
        state->kernels->add(type, sums, n, factor, totals);
        return;
    }
    formula_function formula = formula_function_of(step->pass->formula);
    formula_sums in = state->plan->finish.constants;
    in.factor = factor;
    for (int64_t i = 0; i < n; i++) {
        epilogue_load_sum(type, sums, i, &in.sum, &in.real_sum);
        in.before = totals[i];
        totals[i] = formula(&in, step->options).real;
    }
}

static void rects_band(void *user, int64_t task, int thread)
{
    table_state *state = user;
    if (!begin_band(state, task, thread)) {
        return;
    }
    const filter_step *step = state->step;
    row_buffers buffers = thread_buffers(state, thread);
    int64_t first = task * BAND_ROWS, end = band_end(state, first);
    int64_t samples = satf_row_samples(&step->in);
    memset(buffers.totals, 0, (size_t)((end - first) * samples) * sizeof *buffers.totals);
    for (size_t k = 0; k < state->tables->rect_count; k++) {
        const satf_rect *rect = &state->tables->rects[k].rect;
        corner_columns columns = make_columns(state, rect, buffers.edge);
        for (int64_t y = first; y < end; y++) {
            axis_sum rows;
            axis_span(state->border, step->in.height, y + rect->y, rect->h, &rows);
            rect_sums(state, &state->tables->layers[0], &rows, &columns, rect->h, &buffers,
                      buffers.sums[0]);
            add_term(state, buffers.sums[0], state->tables->rects[k].weight,
                     buffers.totals + (y - first) * samples);
        }
    }
    for (int64_t y = first; y < end; y++) {
        epilogue_reals(state->plan->finish.out_type, buffers.totals + (y - first) * samples,
                       samples, satf_row(&step->out, y));
    }
}

static void sides_band(void *user, int64_t task, int thread)
{
    table_state *state = user;
    if (!begin_band(state, task, thread)) {
        return;
    }
    const sides_sums sums = {.layer = &state->tables->layers[0]};
    int64_t first = task * BAND_ROWS, end = band_end(state, first);
    for (int64_t y = first; y < end; y++) {
        void *to = satf_row(&state->step->out, y);
        if (stops(state, sides_row(state->ctx, &state->plan->finish, state->step, &sums, y, to))) {
            return;
        }
    }
}

/* ------------------------------------------------------------------------ whole */

/* Plans the tables and the image for samples less shifts, if the step has shifts. */
static satf_status plan_shifted(satf_context *ctx, const filter_step *step)
{
    table_step *state = step->state;
    filter_step shifted;
    size_t bytes;
    state->buffers_at = state->tables.bytes;
    state->is_shifted = filter_is_shifted(step);
    if (!state->is_shifted) {
        return SATF_OK;
    }
    bool fits = filter_shifted_step(step, NULL, &shifted, &bytes);
    satf_status status = fits ? filter_tables_plan(ctx, &shifted, &state->shifted_tables) : SATF_OK;
    size_t of_shifted = state->shifted_tables.bytes;
    state->shifted_at = of_shifted > state->buffers_at ? of_shifted : state->buffers_at;
    if (!status && (!fits || !satf_add(state->shifted_at, bytes, &state->buffers_at))) {
        return satf_fail(ctx, SATF_LIMIT, "the summed area table is too large for any memory");
    }
    return status;
}

static const char *table_refuses_rows(const satf_context *ctx, const filter_step *step)
{
    (void)ctx;
    return step->shape->windows && !step->shape->varies
               ? "needs the whole picture on the SAT engine"
               : "needs the whole picture";
}

static satf_status plan_tables(satf_context *ctx, filter_step *step)
{
    table_step *state = step->state;
    satf_status status = filter_tables_plan(ctx, step, &state->tables);
    status = status ? status : plan_shifted(ctx, step);
    if (status) {
        return status;
    }
    size_t all = 0;
    row_buffers unused;
    double work = (double)satf_row_samples(&step->in) * (double)step->in.height;
    work *= (double)state->tables.rect_count * state->tables.count;
    state->threads = satf_threads_for(ctx, work < 0x1p62 ? (int64_t)work : INT64_MAX, LEAST_SUMS);
    if (!place_buffers(step, NULL, &unused, &state->buffer_bytes) ||
        !satf_mul(state->buffer_bytes, (size_t)satf_thread_count(ctx), &all) ||
        !satf_add(state->buffers_at, all, &step->scratch_bytes)) {
        return satf_fail(ctx, SATF_LIMIT, "the summed area table is too large for any memory");
    }
    step->kept_bytes = state->tables.kept_bytes + state->shifted_tables.kept_bytes;
    epilogue_init(&state->finish, step->pass, step->options, &step->in, &step->out, step->weighted);
    filter_set_scale(&step->scale, &state->finish.constants);
    state->finish.varies = step->varies;
    state->band = step->rects ? rects_band : step->shape->varies ? sides_band : window_band;
    epilogue_prepare(&state->finish, state->tables.layers[0].type, state->tables.layers[1].type,
                     (uint64_t)(step->size.width * step->size.height), state->is_shifted);
    return SATF_OK;
}

/* Samples that are not finite must stay in the windows that contain them: builds tables anew. step:
 * on the image that is summed; always: even if the table is finite. */
static satf_status confine(satf_context *ctx, const filter_step *step, filter_tables *tables,
                           bool always)
{
    satf_status status = SATF_OK;
    for (int k = 0; k < tables->count && !status; k++) {
        sat_layer *layer = &tables->layers[k];
        if (layer->type == SATF_SUM_F64 && !layer->masks[0] &&
            (always || !sat_layer_is_finite(&step->in, layer))) {
            status = sat_layer_rebuild(ctx, &step->in, layer);
        }
    }
    return status;
}

/* Makes the output from the tables; if sums overflowed, once more from tables built anew. */
static satf_status run_bands(table_state *state)
{
    const filter_step *step = state->step;
    int64_t bands = (step->out.height - 1) / BAND_ROWS + 1;
    atomic_store(&state->overflow, false);
    satf_parallel_on(state->ctx, state->plan->threads, bands, state->plan->band, state);
    if (atomic_load(&state->overflow) && !atomic_load(&state->stop)) {
        epilogue *finish = &state->plan->finish;
        stops(state, confine(state->ctx, state->summed, state->tables, true));
        if (finish->reduction) { /* its keys are void */
            epilogue_begin_reduction(finish, finish->reduction, &step->reduced);
        }
        satf_parallel_on(state->ctx, state->plan->threads, bands, state->plan->band, state);
    }
    return (satf_status)atomic_load(&state->stop);
}

static satf_status read_tables(table_state *state, double from)
{
    satf_context *ctx = state->ctx;
    const filter_step *step = state->step;
    table_step *plan = state->plan;
    satf_status status = SATF_OK;
    memcpy(plan->finish.aux, step->aux, sizeof plan->finish.aux);
    satf_progress_part whole = satf_progress_enter(ctx, from, 1 - from);
    if (step->pass->reduction != FORMULA_NONE) {
        epilogue_reduction reduction;
        epilogue_begin_reduction(&plan->finish, &reduction, &step->reduced);
        status = run_bands(state);
        epilogue_end_reduction(&plan->finish);
        satf_progress_leave(ctx, whole);
        satf_progress_enter(ctx, 1, 0);
    }
    status = status ? status : run_bands(state);
    satf_progress_leave(ctx, whole);
    return status;
}

/* Whether the image has shifts. If so, *shifted is the step on the image less shifts. */
static bool shift_image(satf_context *ctx, const filter_step *step, filter_step *shifted,
                        double *shifts)
{
    table_step *plan = step->state;
    filter_tables *tables = &plan->shifted_tables;
    size_t bytes;
    bool any = false;
    satf_image_shifts(&step->in, step->weighted, shifts);
    for (int c = 0; c < step->in.channels; c++) {
        any = any || shifts[c] != 0;
    }
    if (!any) {
        return false;
    }
    filter_shifted_step(step, step->scratch + plan->shifted_at, shifted, &bytes);
    shifted->kept += plan->tables.kept_bytes;
    filter_shift(ctx, &step->in, shifts, &shifted->in);
    for (int k = 0; k < tables->count && step->border.kind == SATF_BORDER_CONSTANT; k++) {
        sat_layer_find_outside(shifted, shifts, &tables->layers[k]);
    }
    return true;
}

static satf_status table_run(satf_context *ctx, filter_step *step)
{
    table_step *plan = step->state;
    double shifts[SATF_MAX_CHANNELS];
    filter_step summed = *step;
    bool shifted = plan->is_shifted && shift_image(ctx, step, &summed, shifts);
    filter_tables *tables = shifted ? &plan->shifted_tables : &plan->tables;
    double parts = tables->count + (double)tables->rect_count;
    table_state state = {
        .ctx = ctx,
        .step = step,
        .summed = &summed,
        .shifts = shifted ? shifts : NULL,
        .plan = plan,
        .tables = tables,
        .kernels = SATF_ISA_CHOOSE(&corner_kernels),
        .border = step->border.kind,
        .buffers = step->scratch + plan->buffers_at,
    };
    satf_status status = filter_tables_build(ctx, &summed, tables, parts);
    status = status ? status : confine(ctx, &summed, tables, false);
    return status ? status : read_tables(&state, tables->count / parts);
}

static const char *table_algorithm(const filter_step *step)
{
    const table_step *state = step->state;
    return step->need.refusal ? NULL : filter_tables_algorithm(&state->tables);
}

/* Not for windows of floats: errors of a table's sums depend on samples outside the window. */
static bool table_suits(const satf_context *ctx, const filter_step *step)
{
    (void)ctx;
    return !satf_type_is_float(step->in.type) || !(step->pass->all || step->shape->varies);
}

const filter_engine filter_table_engine = {
    .name = "sat",
    .does = "reads a summed area table",
    .kind = SATF_ENGINE_SAT,
    .ns = 5,
    .state_bytes = sizeof(table_step),
    .suits = table_suits,
    .plan = plan_tables,
    .refuses_rows = table_refuses_rows,
    .run = table_run,
    .algorithm = table_algorithm,
};

/* ------------------------------------------------------------------------ rectangles */

static filter_reach rects_reach(const chain_link *link, const filter_pass *pass)
{
    filter_rects *const *rects = chain_value(link, PARAM_TEMPLATE);
    satf_rect hull = filter_rects_hull(*rects);
    (void)pass;
    return shape_rect_reach(&hull);
}

static void template_tell_kernel(const filter_step *step, filter_gpu_task *task)
{
    task->has_rects = true;
    task->rect_count = (int64_t)step->rects->count;
    task->window.rect = filter_rects_hull(step->rects);
}

static const filter_engine *const template_engines[] = {&filter_table_engine, &filter_device_engine,
                                                        &filter_device_window_engine, NULL};

const pass_shape shape_rects = {.kind = SATF_FILTER_RECTS,
                                .reach = rects_reach,
                                .tell_kernel = template_tell_kernel,
                                .engines = template_engines};
