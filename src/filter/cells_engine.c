/*
 * Filters over the cells of a coarser grid. On the CPU rows are added up to columns of the cells'
 * height, and these to sums, which are finished as those of windows are. A row of the result takes
 * the picture's rows under it, of which its first may be the last of the row above.
 */
#include <string.h>

#include "../base/cpu.h"
#include "../base/gpu.h"
#include "../base/memory.h"
#include "../base/parallel.h"
#include "../base/view.h"
#include "../window/cells.h"
#include "epilogue.h"
#include "step.h"

/* Samples of a segment, which stay in the first-level cache. */
enum { SEGMENT_SAMPLES = 512 };

/* Arrays of a thread, behind which kernels may read. */
enum { SLACK = 64 };

/* What a plan keeps of a step. */
typedef struct cells_step {
    cells_axis across, down;
    satf_summand summand;
    satf_sum_type column_type, sum_type;
    cells_add add;
    cells_sum sum;
    bool direct; /* add() takes samples, else their summands, in the columns' type */
    size_t column_bytes, summand_bytes, bytes; /* of a walker: in front of its sums, and in all */
    epilogue finish;
} cells_step;

/* ---------------------------------------------------------------------- planning */

static bool choose_types(const filter_step *step, cells_step *state)
{
    satf_type type = (satf_type)step->in.type;
    uint64_t height = (uint64_t)state->down.from, area;
    if (__builtin_mul_overflow(height, (uint64_t)state->across.from, &area) || area >> 62) {
        return false;
    }
    state->summand = step->weighted ? SATF_SUMMAND_WEIGHTED : SATF_SUMMAND_PLAIN;
    state->sum_type = satf_sum_type_for(type, state->summand, area, SATF_SUM_U16);
    state->column_type = satf_sum_type_for(type, state->summand, height,
                                           state->sum_type == SATF_SUM_U64    ? SATF_SUM_U32
                                           : state->sum_type == SATF_SUM_U128 ? SATF_SUM_U64
                                                                              : SATF_SUM_U16);
    return state->column_type != SATF_SUM_U128;
}

static void choose_kernels(const filter_step *step, cells_step *state)
{
    static const satf_type type_of[] = {[SATF_SUM_U16] = SATF_U16,
                                        [SATF_SUM_U32] = SATF_U32,
                                        [SATF_SUM_U64] = SATF_U64,
                                        [SATF_SUM_F64] = SATF_F64};
    const cells_kernels *kernels = SATF_ISA_CHOOSE(&cells_kernels);
    cells_add direct = kernels->add[step->in.type][state->column_type];
    state->direct = direct && !step->weighted;
    state->add =
        state->direct ? direct : kernels->add[type_of[state->column_type]][state->column_type];
    state->sum = kernels->sum[state->column_type][state->sum_type];
}

/* Columns, a row of summands, and a segment of sums. */
static bool lay_out(const filter_step *step, cells_step *state)
{
    size_t samples = (size_t)satf_row_samples(&step->in), column;
    if (!satf_mul(samples, satf_sum_bytes(state->column_type), &column) || column > SIZE_MAX / 8) {
        return false;
    }
    state->column_bytes = satf_align64(column + SLACK);
    state->summand_bytes = state->direct ? 0 : state->column_bytes;
    state->bytes = state->column_bytes + state->summand_bytes +
                   satf_align64(SEGMENT_SAMPLES * satf_sum_bytes(state->sum_type) + SLACK);
    return true;
}

static satf_status plan(satf_context *ctx, filter_step *step)
{
    cells_step *state = step->state;
    const satf_view *in = &step->in, *out = &step->out;
    if (in->device != SATF_HOST) {
        return SATF_OK;
    }
    state->across = cells_axis_of(in->width, out->width);
    state->down = cells_axis_of(in->height, out->height);
    bool fits = choose_types(step, state);
    if (fits) {
        choose_kernels(step, state);
        fits = lay_out(step, state);
    }
    if (!fits) {
        return satf_fail(ctx, SATF_LIMIT, "the rows are too long for the memory of this machine");
    }
    step->need.kept = 1;
    step->need.height = true;
    step->walker_bytes = satf_align64(sizeof(row_walker)) + state->bytes; /* its arrays */
    epilogue_init(&state->finish, step->pass, step->options, in, out, step->weighted);
    filter_set_scale(&step->scale, &state->finish.constants);
    state->finish.around_caches = state->finish.around_caches && !step->passes_on;
    return SATF_OK;
}

/* ----------------------------------------------------------------------- working */

/* Row `row` of the picture, as far as it lies in the cells. */
static void add_row(const filter_step *step, char *memory, const void *row, int64_t weight)
{
    const cells_step *state = step->state;
    const satf_view *in = &step->in;
    void *summands = memory + state->column_bytes;
    if (!state->direct) {
        satf_summands((satf_type)in->type, in->channels, state->summand, row, in->width,
                      state->column_type, summands);
    }
    state->add(state->direct ? row : summands, weight, satf_row_samples(in), memory);
}

/* Row y of the result, of columns that are complete. */
static void finish_row(const filter_step *step, char *memory, int64_t y, char *to)
{
    const cells_step *state = step->state;
    const satf_view *out = &step->out;
    void *sums = memory + state->column_bytes + state->summand_bytes;
    window_segment segment = {.y = y,
                              .sum_type = state->sum_type,
                              .sums = sums,
                              .area = (uint64_t)state->across.from * (uint64_t)state->down.from};
    int64_t most = SEGMENT_SAMPLES / step->in.channels;
    for (int64_t x = 0; x < out->width; x += most) {
        segment.x = x;
        segment.n = out->width - x < most ? out->width - x : most;
        state->sum(&state->across, memory, step->in.channels, x, segment.n, sums);
        epilogue_segment(&state->finish, &segment, to + x * satf_pixel_bytes(out));
    }
}

/* The same of rows that come from there; false where one does not. */
static bool make_row(const filter_step *step, char *memory, int64_t y,
                     const void *(*row_of)(void *user, int64_t y), void *user, char *to)
{
    const cells_step *state = step->state;
    cells_place begin = cells_find(&state->down, y), end = cells_find(&state->down, y + 1);
    int64_t rows = cells_count(&begin, &end);
    memset(memory, 0, state->column_bytes);
    for (int64_t at = begin.pixel; at < begin.pixel + rows; at++) {
        const void *row = row_of(user, at);
        if (!row) {
            return false;
        }
        add_row(step, memory, row, cells_overlap(&state->down, &begin, &end, at));
    }
    finish_row(step, memory, y, to);
    return true;
}

static satf_status run_there(satf_context *ctx, filter_step *step)
{
    return satf_cuda()->cells(ctx, &step->in, &step->out, step->weighted);
}

static satf_status begin(satf_context *ctx, const filter_step *step, const filter_rows *rows,
                         int64_t first, int64_t end, void *walker)
{
    (void)end;
    *(row_walker *)walker = (row_walker){ctx, step, rows, first};
    return SATF_OK;
}

static int64_t next(void *walker, satf_status *status)
{
    row_walker *w = walker;
    const filter_rows *rows = w->rows;
    int64_t y = w->y++;
    if (y >= w->step->out.height) {
        return false;
    }
    char *memory = (char *)walker + satf_align64(sizeof *w), *to = rows->out(rows->user, y);
    if (!to || !make_row(w->step, memory, y, rows->in, rows->user, to)) {
        *status = satf_fail(w->ctx, SATF_IO, "row %lld could not be had or stored; see its source",
                            (long long)y);
        return false;
    }
    return true;
}

const filter_engine filter_cells_engine = {
    .name = "cells",
    .overs = 1U << OVER_CELLS,
    .ns = 1,
    .ns_there = 0.01,
    .state_bytes = sizeof(cells_step),
    .plan = plan,
    .run = run_there,
    .begin = begin,
    .next = next,
    .anywhere = true,
    .least_samples = 200000,
};
