/*
 * The engine of integral, whose result is a summed area table. For a picture in memory an algorithm
 * of src/sat builds it in the output or, if the output has another type than the sums, in the
 * plan's memory, from where it is converted. By rows, a row of the table is the row above plus the
 * sums along the row.
 */
#include <string.h>

#include "../../base/memory.h"
#include "../../base/view.h"
#include "../../formula/pixels.h"
#include "../../plan/step.h"
#include "../../sat/sat.h"

/* The plan's state of a step. */
typedef struct integral_step {
    sat_plan plan;      /* of a picture in memory */
    bool converts;      /* the table is not built in the output, */
    satf_view table;    /* but here (without data), */
    size_t table_bytes; /* in so many bytes of scratch, in front of the algorithm's */
    satf_sum_type sum;  /* by rows */
    size_t row_bytes;   /* of sums */
} integral_step;

/* ------------------------------------------------------------------ a picture in memory */

/* The job of a table that the output can hold; false if its type holds none. */
static bool integral_job_of(const filter_step *step, sat_job *job)
{
    int out = step->out.type;
    satf_sum_type sum = filter_prefix_sum(step);
    bool integers = sum != SATF_SUM_F64;
    *job = (sat_job){
        .in = step->in,
        .summand = step->squared ? SATF_SUMMAND_SQUARE : SATF_SUMMAND_PLAIN,
        .sum_type = integers && out == SATF_U64 ? SATF_SUM_U64 : sum,
        .f32_out = !integers && out == SATF_F32 && step->in.type == SATF_F32,
        .out_stride = step->out.stride,
    };
    return job->f32_out || (int)sat_table_type(job) == out;
}

static satf_status integral_plan_table(satf_context *ctx, filter_step *step)
{
    integral_step *state = step->state;
    const satf_view *in = &step->in;
    sat_job job;
    state->converts = !integral_job_of(step, &job);
    if (state->converts) {
        state->table =
            satf_view_packed(NULL, in->width, in->height, in->channels, sat_table_type(&job));
        state->table.device = in->device;
        state->table.stride = job.out_stride = (int64_t)satf_align64((size_t)state->table.stride);
        if (!satf_mul((size_t)job.out_stride, (size_t)in->height, &state->table_bytes)) {
            return satf_fail(ctx, SATF_LIMIT, "the summed area table is too large for any memory");
        }
    }
    satf_status status = sat_plan_make(ctx, &job, &state->plan);
    if (!status) {
        bool keeps = state->plan.algorithm->keeps;
        step->kept_bytes = keeps ? state->plan.bytes : 0;
        if (!satf_add(state->table_bytes, keeps ? 0 : state->plan.bytes, &step->scratch_bytes)) {
            status =
                satf_fail(ctx, SATF_LIMIT, "the summed area table is too large for any memory");
        }
    }
    return status;
}

static satf_status integral_prepare(satf_context *ctx, filter_step *step)
{
    integral_step *state = step->state;
    (void)ctx;
    state->plan.runs = 0;
    return SATF_OK;
}

static satf_status integral_run(satf_context *ctx, filter_step *step)
{
    integral_step *state = step->state;
    sat_plan *plan = &state->plan;
    satf_view table = state->converts ? state->table : step->out;
    table.data = state->converts ? step->scratch : step->out.data;
    char *own = plan->algorithm->keeps ? step->kept : step->scratch + state->table_bytes;
    satf_status status =
        sat_plan_run(ctx, plan, step->in.data, table.data, plan->bytes ? own : NULL);
    return status || !state->converts ? status : filter_convert_pixels(ctx, &table, &step->out);
}

/* ------------------------------------------------------------------ by rows */

/* A row of the table: above becomes above plus the sums along the row. That is the order of the
 * reference, hence of all results that equal it bit for bit. */
#define ADD_ROW(Sum)                                                                            \
    static void add_row_##Sum(int channels, int64_t samples, const void *row_terms, void *sums) \
    {                                                                                           \
        const Sum *terms = row_terms;                                                           \
        Sum *above = sums;                                                                      \
        for (int c = 0; c < channels; c++) {                                                    \
            Sum left = 0;                                                                       \
            for (int64_t i = c; i < samples; i += channels) {                                   \
                left += terms[i];                                                               \
                above[i] = left + above[i];                                                     \
            }                                                                                   \
        }                                                                                       \
    }

ADD_ROW(uint32_t)
ADD_ROW(uint64_t)
ADD_ROW(double)

/* By rows the order is that of these two algorithms, which have no r and no barriers. */
static const char *integral_refuses_rows(const satf_context *ctx, const filter_step *step)
{
    const satf_settings *settings = &ctx->settings;
    bool other = strcmp(settings->algorithm, "auto") && strcmp(settings->algorithm, "reference");
    (void)step;
    return other || settings->r != 0 || settings->sync
               ? "needs the whole picture for that algorithm"
               : NULL;
}

static satf_status integral_plan_rows(satf_context *ctx, filter_step *step)
{
    integral_step *state = step->state;
    size_t samples = (size_t)satf_row_samples(&step->in);
    state->sum = filter_prefix_sum(step);
    if (!satf_mul(samples, satf_sum_bytes(state->sum), &state->row_bytes) ||
        state->row_bytes > SIZE_MAX / 4) {
        return satf_fail(ctx, SATF_LIMIT, "a row of the summed area table is too large");
    }
    state->row_bytes = satf_align64(state->row_bytes);
    step->walker_bytes = satf_align64(sizeof(row_walker)) + 2 * state->row_bytes;
    step->need.kept = 1;
    return SATF_OK;
}

/* Behind the walker lie the row above and the terms of its own row, a row of sums each. */
static satf_status integral_begin(satf_context *ctx, const filter_step *step,
                                  const filter_rows *rows, int64_t first, int64_t end, void *walker)
{
    const integral_step *state = step->state;
    (void)end;
    *(row_walker *)walker = (row_walker){ctx, step, rows, first, 0};
    memset((char *)walker + satf_align64(sizeof(row_walker)), 0, state->row_bytes);
    return SATF_OK;
}

/* The sums of the row above become those of this row. */
static void integral_add_row(const filter_step *step, const void *row, void *terms, void *above)
{
    const satf_view *in = &step->in;
    satf_sum_type sum = ((const integral_step *)step->state)->sum;
    satf_summand summand = step->squared ? SATF_SUMMAND_SQUARE : SATF_SUMMAND_PLAIN;
    satf_summands((satf_type)in->type, in->channels, summand, row, in->width, sum, terms);
    (sum == SATF_SUM_U32   ? add_row_uint32_t
     : sum == SATF_SUM_U64 ? add_row_uint64_t
                           : add_row_double)(in->channels, satf_row_samples(in), terms, above);
}

static int64_t integral_next(void *walker, satf_status *status)
{
    row_walker *w = walker;
    const filter_step *step = w->step;
    const integral_step *state = step->state;
    sat_job job = {.sum_type = state->sum};
    char *above = (char *)walker + satf_align64(sizeof *w);
    const void *from;
    void *to = filter_next_row(w, &from, status);
    if (to) {
        integral_add_row(step, from, above + state->row_bytes, above);
        filter_convert((int)sat_table_type(&job), above, satf_row_samples(&step->in),
                       step->out.type, to);
    }
    return to != NULL;
}

/* ------------------------------------------------------------------ the engine */

static satf_status integral_plan(satf_context *ctx, filter_step *step)
{
    return step->by_rows ? integral_plan_rows(ctx, step) : integral_plan_table(ctx, step);
}

static const char *integral_algorithm(const filter_step *step)
{
    const integral_step *state = step->state;
    return step->by_rows ? "reference" : state->plan.algorithm->name;
}

static const filter_engine integral_engine = {
    .name = "sat",
    .does = "is a summed area table",
    .kind = SATF_ENGINE_SAT,
    .ns = 3,
    .device_ns = 0.005,
    .state_bytes = sizeof(integral_step),
    .plan = integral_plan,
    .prepare = integral_prepare,
    .run = integral_run,
    .refuses_rows = integral_refuses_rows,
    .begin = integral_begin,
    .next = integral_next,
    .algorithm = integral_algorithm,
};

/* The reach: all pixels above and to the left. */
static filter_reach integral_reach(const chain_link *link, const filter_pass *pass)
{
    (void)link, (void)pass;
    return (filter_reach){FILTER_UNBOUNDED, FILTER_UNBOUNDED, 0, 0};
}

static const filter_engine *const integral_engines[] = {&integral_engine, NULL};

const pass_shape shape_all = {
    .kind = SATF_FILTER_PREFIX, .reach = integral_reach, .engines = integral_engines};
