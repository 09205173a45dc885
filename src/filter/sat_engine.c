/*
 * Filters by the SAT engine: summed area tables in scratch, then for every row
 * a strip (the rows' corners) and the sums over its rectangles' columns.
 */
#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "../base/cpu.h"
#include "../base/memory.h"
#include "../base/parallel.h"
#include "../base/view.h"
#include "axis.h"
#include "corners.h"
#include "run.h"
#include "sat_layer.h"

enum { BAND_ROWS = 16 }; /* rows of a task: they share the columns' terms */

typedef struct sat_state {
    satf_context *ctx;
    const filter_stage *stage;
    finisher finish;
    const corner_kernels *kernels;
    sat_layer layers[2]; /* sums, and squares if the formula wants them */
    int layer_count;
    const satf_weighted_rect *rects; /* the template, or the window as its only one */
    size_t rect_count;
    int border;
    char *buffers; /* of all threads */
    size_t buffer_bytes;
    atomic_bool overflow; /* a table's sums came out infinite or NaN */
    atomic_int stop;      /* a satf_status */
} sat_state;

/* A thread's buffers. */
typedef struct row_buffers {
    axis_sum *edge;
    void *strip;    /* of any sum type */
    void *sums[2];  /* by layer */
    uint32_t *hits; /* samples that are not finite */
    double *totals; /* BAND_ROWS rows of responses to a template */
} row_buffers;

/* Lays the buffers out from `base` (NULL: only measures); false if that overflows. */
static bool place_buffers(const filter_stage *stage, char *base, row_buffers *buffers,
                          size_t *bytes)
{
    size_t samples, wide, end = 0;
    size_t width = (size_t)stage->in.width;
    size_t channels = (size_t)stage->in.channels;
    size_t band = stage->info->recipe->region == REGION_RECTS ? BAND_ROWS : 0;
    /* 1 KiB a sample is far above the sum of all that follows */
    if (!satf_mul(width + 1, channels, &samples) || !satf_mul(samples, 1024, &wide)) {
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
    PLACE(buffers->hits, samples * sizeof *buffers->hits);
    PLACE(buffers->totals, band * samples * sizeof *buffers->totals);
#undef PLACE
    *bytes = end;
    return true;
}

/* The rectangle's columns: inside for a range of pixels, terms for the others. */
static corner_columns make_columns(const sat_state *state, const satf_rect *rect, axis_sum *edge)
{
    int64_t n = state->stage->in.width;
    int64_t left = rect->x < 0 ? -rect->x : 0;
    int64_t right = rect->x + rect->w > 0 ? n + 1 - rect->x - rect->w : n;
    right = right < n ? right : n;
    if (left >= right) {
        left = right = n;
    }
    for (int64_t x = 0; x < n; x++) {
        if (x == left) {
            x = right;
        }
        if (x < n) {
            axis_span(state->border, n, x + rect->x, rect->w, &edge[x]);
        }
    }
    return (corner_columns){n, rect->x, rect->w, left, right, edge};
}

static int64_t columns_inside(const corner_columns *columns, int64_t x)
{
    return x >= columns->left && x < columns->right ? columns->w : columns->edge[x].inside;
}

/* Adds what a constant border has outside the image. */
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
                if (outside) { /* nothing, of an infinite square, is NaN */
                    ((double *)sums)[i] += layer->outside[c].real * (double)outside;
                }
            }
        }
    }
}

/* Undoes a table's scale. Without one, notes what only overflow can have made of sums. */
static void settle_reals(sat_state *state, const sat_layer *layer, int64_t n, double *sums)
{
    if (layer->hits[0]) {
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

/* The sums over the rectangle for all pixels of a row. */
static void rect_sums(sat_state *state, const sat_layer *layer, const axis_sum *rows,
                      const corner_columns *columns, int64_t h, const row_buffers *buffers,
                      void *sums)
{
    int channels = state->stage->in.channels;
    const corner_kernels *kernels = state->kernels;
    kernels->strip[layer->type](layer->sat, layer->stride, columns->width, channels, rows,
                                buffers->strip);
    kernels->sums[layer->type](buffers->strip, channels, columns, sums);
    if (layer->type == SATF_SUM_F64) {
        settle_reals(state, layer, columns->width * channels, sums);
    }
    if (state->border == SATF_CONSTANT) {
        add_outside(layer, channels, columns, h, rows->inside, sums);
    }
    for (int sign = 0; sign < 2; sign++) {
        if (!layer->hits[sign]) {
            continue;
        }
        kernels->strip[SATF_SUM_U32](layer->hits[sign], layer->hits_stride, columns->width,
                                     channels, rows, buffers->strip);
        kernels->sums[SATF_SUM_U32](buffers->strip, channels, columns, buffers->hits);
        for (int64_t i = 0; i < columns->width * channels; i++) {
            if (buffers->hits[i]) {
                ((double *)sums)[i] += sign ? -INFINITY : INFINITY;
            }
        }
    }
}

/* Finishes a row of window sums; under SATF_SHRINK in runs of equal area. */
static void finish_row(const sat_state *state, const corner_columns *columns, const axis_sum *rows,
                       int64_t y, const row_buffers *buffers)
{
    const filter_stage *stage = state->stage;
    int64_t width = stage->in.width, channels = stage->in.channels;
    int64_t pixel_bytes = stage->out.channels * (int64_t)satf_type_bytes(stage->out.type);
    int64_t sample_bytes = (int64_t)satf_type_bytes(stage->in.type);
    int64_t height = stage->size.height;
    bool shrink = state->border == SATF_SHRINK;
    char *row = satf_row(&stage->out, y);
    window_segment segment = {.y = y};
    segment.sum_type = state->layers[0].type;
    segment.square_type = state->layers[1].type;
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
        segment.area = (uint64_t)(shrink ? inside * rows->inside : columns->w * height);
        segment.sums =
            (char *)buffers->sums[0] + offset * (int64_t)satf_sum_bytes(segment.sum_type);
        segment.squares =
            state->layer_count > 1
                ? (char *)buffers->sums[1] + offset * (int64_t)satf_sum_bytes(segment.square_type)
                : NULL;
        if (filter_reads(stage->info->recipe, FORMULA_CENTRE)) {
            segment.centre = (const char *)satf_row(&stage->in, y) + offset * sample_bytes;
        }
        finish_segment(&state->finish, &segment, row + x * pixel_bytes);
    }
}

static row_buffers thread_buffers(const sat_state *state, int thread)
{
    row_buffers buffers;
    size_t bytes;
    place_buffers(state->stage, state->buffers + (size_t)thread * state->buffer_bytes, &buffers,
                  &bytes);
    return buffers;
}

/* Reports progress on the calling thread; false if the band should not be worked on. */
static bool begin_band(sat_state *state, int64_t band, int thread)
{
    if (thread == 0 && !atomic_load_explicit(&state->stop, memory_order_relaxed)) {
        int64_t bands = (state->stage->in.height - 1) / BAND_ROWS + 1;
        satf_status status = satf_report_progress(state->ctx, (double)band / (double)bands);
        atomic_store_explicit(&state->stop, (int)status, memory_order_relaxed);
    }
    return !atomic_load_explicit(&state->stop, memory_order_relaxed);
}

static int64_t band_end(const sat_state *state, int64_t first)
{
    int64_t height = state->stage->in.height;
    return height - first < BAND_ROWS ? height : first + BAND_ROWS;
}

static void window_band(void *user, int64_t task, int thread)
{
    sat_state *state = user;
    if (!begin_band(state, task, thread)) {
        return;
    }
    const satf_rect *rect = &state->rects->rect;
    row_buffers buffers = thread_buffers(state, thread);
    corner_columns columns = make_columns(state, rect, buffers.edge);
    int64_t first = task * BAND_ROWS, end = band_end(state, first);
    for (int64_t y = first; y < end; y++) {
        axis_sum rows;
        axis_span(state->border, state->stage->in.height, y + rect->y, rect->h, &rows);
        for (int k = 0; k < state->layer_count; k++) {
            rect_sums(state, &state->layers[k], &rows, &columns, rect->h, &buffers,
                      buffers.sums[k]);
        }
        finish_row(state, &columns, &rows, y, &buffers);
    }
}

/* total = the formula with one more rectangle. */
static void add_term(const sat_state *state, const void *sums, double factor, double *totals)
{
    const filter_stage *stage = state->stage;
    satf_sum_type type = state->layers[0].type;
    int64_t n = satf_row_samples(&stage->in);
    if (stage->info->recipe->kernel == KERNEL_WEIGHTED_SUM) {
        state->kernels->add[type](sums, n, factor, totals);
        return;
    }
    formula_function formula = finish_formula(stage->info->recipe->formula);
    formula_sums in = {.real = type == SATF_SUM_F64, .factor = factor};
    for (int64_t i = 0; i < n; i++) {
        finish_load_sum(type, sums, i, &in.sum, &in.real_sum);
        in.before = totals[i];
        totals[i] = formula(&in, stage->options).real;
    }
}

static void rects_band(void *user, int64_t task, int thread)
{
    sat_state *state = user;
    if (!begin_band(state, task, thread)) {
        return;
    }
    const filter_stage *stage = state->stage;
    row_buffers buffers = thread_buffers(state, thread);
    int64_t first = task * BAND_ROWS, end = band_end(state, first);
    int64_t samples = satf_row_samples(&stage->in);
    memset(buffers.totals, 0, (size_t)((end - first) * samples) * sizeof *buffers.totals);
    for (size_t k = 0; k < state->rect_count; k++) {
        const satf_rect *rect = &state->rects[k].rect;
        corner_columns columns = make_columns(state, rect, buffers.edge);
        for (int64_t y = first; y < end; y++) {
            axis_sum rows;
            axis_span(state->border, stage->in.height, y + rect->y, rect->h, &rows);
            rect_sums(state, &state->layers[0], &rows, &columns, rect->h, &buffers,
                      buffers.sums[0]);
            add_term(state, buffers.sums[0], state->rects[k].weight,
                     buffers.totals + (y - first) * samples);
        }
    }
    for (int64_t y = first; y < end; y++) {
        finish_reals(state->finish.out_type, buffers.totals + (y - first) * samples, samples,
                     satf_row(&stage->out, y));
    }
}

static void prefix_band(void *user, int64_t task, int thread)
{
    sat_state *state = user;
    if (!begin_band(state, task, thread)) {
        return;
    }
    const filter_stage *stage = state->stage;
    const sat_layer *layer = &state->layers[0];
    int64_t first = task * BAND_ROWS, end = band_end(state, first);
    for (int64_t y = first; y < end; y++) {
        window_segment segment = {.y = y, .n = stage->in.width, .area = 1};
        segment.sum_type = layer->type;
        segment.sums = (const char *)layer->sat + y * layer->stride;
        finish_segment(&state->finish, &segment, satf_row(&stage->out, y));
    }
}

/* The largest rectangle's area, which decides the sum type. */
static uint64_t largest_area(const satf_weighted_rect *rects, size_t count)
{
    uint64_t area = 1;
    for (size_t k = 0; k < count; k++) {
        uint64_t a = (uint64_t)rects[k].rect.w * (uint64_t)rects[k].rect.h;
        area = a > area ? a : area;
    }
    return area;
}

/* Which layers the stage needs, without their memory. `window` becomes the only
 * rectangle of a window filter and must live as long as state. */
static satf_status plan_layers(satf_context *ctx, const filter_stage *stage,
                               satf_weighted_rect *window, sat_state *state)
{
    const filter_recipe *recipe = stage->info->recipe;
    satf_type type = (satf_type)stage->in.type;
    *state =
        (sat_state){.ctx = ctx, .stage = stage, .border = stage->border.kind, .layer_count = 1};
    if (recipe->region == REGION_PREFIX) {
        satf_type sum;
        unsigned flags = stage->squared ? SATF_SQUARED : 0;
        satf_status status = satf_sat_type(ctx, &stage->in, flags, &sum);
        if (status) {
            return status;
        }
        state->layers[0].summand = stage->squared ? SATF_SUMMAND_SQUARE : SATF_SUMMAND_PLAIN;
        state->layers[0].type = sum == SATF_U32   ? SATF_SUM_U32
                                : sum == SATF_U64 ? SATF_SUM_U64
                                                  : SATF_SUM_F64;
        return SATF_OK;
    }
    *window = (satf_weighted_rect){{stage->at.x - stage->size.width / 2,
                                    stage->at.y - stage->size.height / 2, stage->size.width,
                                    stage->size.height},
                                   1};
    bool rects = recipe->region == REGION_RECTS;
    state->rects = rects ? stage->rects->items : window;
    state->rect_count = rects ? stage->rects->count : 1;
    state->layers[0].summand = stage->weighted ? SATF_SUMMAND_WEIGHTED : SATF_SUMMAND_PLAIN;
    if (filter_reads(recipe, FORMULA_SQUARE)) {
        state->layer_count = 2;
        state->layers[1].summand =
            stage->weighted ? SATF_SUMMAND_WEIGHTED_SQUARE : SATF_SUMMAND_SQUARE;
    }
    uint64_t area = largest_area(state->rects, state->rect_count);
    for (int k = 0; k < state->layer_count; k++) {
        state->layers[k].type =
            satf_sum_type_for(type, state->layers[k].summand, area, SATF_SUM_U32);
    }
    return SATF_OK;
}

/* Can the SAT be built in the output itself? */
static bool builds_output(const filter_stage *stage, const sat_layer *layer)
{
    if (stage->info->recipe->region != REGION_PREFIX) {
        return false;
    }
    switch (stage->out.type) {
    case SATF_U32:
        return layer->type == SATF_SUM_U32;
    case SATF_U64:
        return layer->type != SATF_SUM_F64;
    case SATF_F64:
        return layer->type == SATF_SUM_F64;
    case SATF_F32:
        return stage->in.type == SATF_F32;
    default:
        return false;
    }
}

static sat_job output_job(const filter_stage *stage, const sat_layer *layer)
{
    return (sat_job){
        .in = stage->in,
        .summand = layer->summand,
        .sum_type = stage->out.type == SATF_U64 ? SATF_SUM_U64 : layer->type,
        .f32_out = stage->out.type == SATF_F32,
        .out = stage->out.data,
        .out_stride = stage->out.stride,
    };
}

/* Where things lie in the scratch: the tables, what rebuilding them takes, the threads'
 * buffers (on a device the rectangles and a survey's keys instead), and what the SAT algorithm
 * wants. */
typedef struct sat_memory {
    size_t sats[2], spares[2], buffers, buffer_bytes, survey, algorithm, bytes;
} sat_memory;

static satf_status plan_memory(satf_context *ctx, const sat_state *state, sat_memory *memory)
{
    const filter_stage *stage = state->stage;
    size_t bytes = 0, want, algorithm = 0;
    *memory = (sat_memory){0};
    bool fits = true;
    if (builds_output(stage, &state->layers[0])) {
        sat_job job = output_job(stage, &state->layers[0]);
        satf_status status = sat_scratch(ctx, &job, &memory->bytes);
        return status;
    }
    for (int k = 0; k < state->layer_count && fits; k++) {
        memory->sats[k] = bytes;
        fits =
            sat_layer_bytes(&stage->in, &state->layers[k], &want) && satf_add(bytes, want, &bytes);
        if (fits && stage->info->recipe->region != REGION_PREFIX) {
            memory->spares[k] = bytes;
            fits = sat_layer_spare_bytes(&stage->in, &state->layers[k], &want) &&
                   satf_add(bytes, want, &bytes);
        }
        sat_job job = sat_layer_job(&stage->in, &state->layers[k]);
        satf_status status = sat_scratch(ctx, &job, &want);
        if (status) {
            return status;
        }
        algorithm = want > algorithm ? want : algorithm;
    }
    memory->buffers = bytes;
    if (fits && stage->in.device != SATF_HOST) {
        fits = satf_add(bytes, device_rects_bytes(stage), &memory->survey) &&
               satf_add(memory->survey, satf_align64(SURVEY_KEYS * sizeof(uint64_t)), &bytes);
    } else if (fits && stage->info->recipe->region != REGION_PREFIX) {
        row_buffers unused;
        fits = place_buffers(stage, NULL, &unused, &memory->buffer_bytes) &&
               satf_mul(memory->buffer_bytes, (size_t)satf_thread_count(ctx), &want) &&
               satf_add(bytes, want, &bytes);
    }
    memory->algorithm = bytes;
    if (!fits || !satf_add(bytes, algorithm, &memory->bytes)) {
        return satf_fail(ctx, SATF_LIMIT, "the summed area table is too large for any memory");
    }
    return SATF_OK;
}

satf_status filter_sat_scratch(satf_context *ctx, const filter_stage *stage, size_t *bytes)
{
    satf_weighted_rect window;
    sat_state state;
    sat_memory memory;
    satf_status status = plan_layers(ctx, stage, &window, &state);
    if (!status) {
        status = plan_memory(ctx, &state, &memory);
    }
    if (!status) {
        *bytes = memory.bytes;
    }
    return status;
}

/* Which row of src/sat does the job, for the report. */
static satf_status report_algorithm(satf_context *ctx, const sat_job *job)
{
    const sat_row *row;
    satf_status status = sat_choose(ctx, job, &row);
    if (!status) {
        ctx->report_engine = "sat";
        ctx->report_algorithm = row->name;
    }
    return status;
}

/* From the tables to the output; again from other tables where these will not do. */
static satf_status run_bands(satf_context *ctx, sat_state *state)
{
    const filter_stage *stage = state->stage;
    filter_region region = stage->info->recipe->region;
    int64_t bands = (stage->in.height - 1) / BAND_ROWS + 1;
    void (*band)(void *, int64_t, int) = region == REGION_WINDOW  ? window_band
                                         : region == REGION_RECTS ? rects_band
                                                                  : prefix_band;
    atomic_store(&state->overflow, false);
    satf_parallel(ctx, bands, band, state);
    if (atomic_load(&state->overflow) && !atomic_load(&state->stop)) {
        for (int k = 0; k < state->layer_count; k++) {
            if (!state->layers[k].hits[0]) {
                sat_layer_rebuild(&stage->in, &state->layers[k]);
            }
        }
        if (state->finish.survey) {
            finisher_begin_survey(&state->finish, state->finish.survey); /* what it found is void */
        }
        satf_parallel(ctx, bands, band, state);
    }
    return (satf_status)atomic_load(&state->stop);
}

satf_status filter_run_sat(satf_context *ctx, const filter_stage *stage, void *scratch)
{
    satf_weighted_rect window;
    sat_state state;
    sat_memory memory;
    satf_status status = plan_layers(ctx, stage, &window, &state);
    if (!status) {
        status = plan_memory(ctx, &state, &memory);
    }
    if (status) {
        return status;
    }
    filter_region region = stage->info->recipe->region;
    char *base = scratch;
    if (builds_output(stage, &state.layers[0])) {
        sat_job job = output_job(stage, &state.layers[0]);
        status = report_algorithm(ctx, &job);
        return status ? status : sat_run(ctx, &job, memory.bytes ? base : NULL);
    }
    double parts = state.layer_count + (double)(region == REGION_RECTS ? state.rect_count : 1);
    satf_progress_part whole = satf_progress_enter(ctx, 0, 1);
    for (int k = 0; k < state.layer_count && !status; k++) {
        sat_layer *layer = &state.layers[k];
        layer->sat = base + memory.sats[k];
        layer->spare = base + memory.spares[k];
        sat_job job = sat_layer_job(&stage->in, layer);
        status = report_algorithm(ctx, &job);
        if (!status) {
            void *algorithm = memory.bytes > memory.algorithm ? base + memory.algorithm : NULL;
            satf_progress_leave(ctx, whole);
            satf_progress_enter(ctx, k / parts, 1 / parts);
            status = sat_layer_build(ctx, stage, region != REGION_PREFIX, algorithm, layer);
        }
    }
    satf_progress_leave(ctx, whole);
    if (!status && stage->in.device != SATF_HOST) {
        status = device_read_corners(ctx, stage, state.layers, state.layer_count, state.rects,
                                     base + memory.buffers, base + memory.survey);
    } else if (!status) {
        state.kernels = SATF_ISA_CHOOSE(&corner_kernels);
        state.buffers = base + memory.buffers;
        state.buffer_bytes = memory.buffer_bytes;
        finisher_init(&state.finish, stage->info->recipe, stage->options, &stage->in, &stage->out,
                      stage->weighted);
        satf_progress_enter(ctx, state.layer_count / parts, 1 - state.layer_count / parts);
        if (stage->info->recipe->survey != FORMULA_NONE) {
            finish_survey survey;
            finisher_begin_survey(&state.finish, &survey);
            status = run_bands(ctx, &state);
            finisher_end_survey(&state.finish);
            satf_progress_leave(ctx, whole);
            satf_progress_enter(ctx, 1, 0);
        }
        status = status ? status : run_bands(ctx, &state);
        satf_progress_leave(ctx, whole);
    }
    return status;
}
