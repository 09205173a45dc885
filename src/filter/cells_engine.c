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

/* Samples of a segment, and columns of a part of a row, which stay in the first-level cache. */
enum { SEGMENT_SAMPLES = 512, PART_BYTES = 8192 };

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
    int64_t part_pixels; /* of the result's rows, whose columns are added up at a time */
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

/* Where columns are of whole rows, and those of a row would leave the first-level cache: fewer. */
static int64_t part_pixels(const filter_step *step, const cells_step *state)
{
    int64_t width = step->out.width, cell = (int64_t)state->column_bytes / width;
    bool large = state->column_bytes > 2 * PART_BYTES;
    return !large || !state->direct || state->down.to > 1 ? width
           : cell < PART_BYTES                            ? PART_BYTES / cell
                                                          : 1;
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
    state->part_pixels = part_pixels(step, state);
    step->need.kept = 1;
    step->need.height = true;
    step->walker_bytes = satf_align64(sizeof(row_walker)) + state->bytes; /* its arrays */
    epilogue_init(&state->finish, step->pass, step->options, in, out, step->weighted);
    filter_set_scale(&step->scale, &state->finish.constants);
    state->finish.around_caches = state->finish.around_caches && !step->passes_on;
    return SATF_OK;
}

/* ----------------------------------------------------------------------- working */

/* Cells x ... x + n - 1 of row y of the result, and where the picture's rows come from. */
typedef struct cells_part {
    int64_t y, x, n;
    const void *(*row_of)(void *user, int64_t y);
    void *user;
} cells_part;

/* The pixels of the picture's rows that lie in these cells. */
typedef struct cells_span {
    int64_t first, n;
} cells_span;

static cells_span find_span(const cells_step *state, const cells_part *part)
{
    cells_place begin = cells_find(&state->across, part->x);
    cells_place end = cells_find(&state->across, part->x + part->n);
    return (cells_span){begin.pixel, cells_count(&begin, &end)};
}

/* Of one or two rows. */
static void add_rows(const filter_step *step, char *memory, cells_span span,
                     const char *const rows[2], int64_t weight, bool first)
{
    const cells_step *state = step->state;
    const satf_view *in = &step->in;
    size_t column = (size_t)(span.first * in->channels) * satf_sum_bytes(state->column_type);
    const char *from[2] = {rows[0] + span.first * satf_pixel_bytes(in),
                           rows[1] ? rows[1] + span.first * satf_pixel_bytes(in) : NULL};
    char *summands = memory + state->column_bytes;
    if (!state->direct) {
        satf_summands((satf_type)in->type, in->channels, state->summand, from[0], span.n,
                      state->column_type, summands);
    }
    state->add(state->direct ? from[0] : summands, from[1], weight, first, span.n * in->channels,
               memory + column);
}

/* Rows y ... end - 1, of a picture in memory, will be wanted next. */
static void prefetch(const filter_step *step, cells_span span, int64_t y, int64_t end)
{
    int64_t bytes = span.n * satf_pixel_bytes(&step->in);
    for (; y < end && y < step->in.height; y++) {
        const char *row = satf_row(&step->in, y);
        for (int64_t i = 0; i < bytes; i += 64) {
            __builtin_prefetch(row + span.first * satf_pixel_bytes(&step->in) + i, 0, 2);
        }
    }
}

/* The columns of these cells; false where a row does not come. Of parts two rows at a time are
 * added, while the next two are on their way. */
static bool add_part(const filter_step *step, char *memory, const cells_part *part)
{
    const cells_step *state = step->state;
    const cells_axis *down = &state->down;
    cells_place begin = cells_find(down, part->y), end = cells_find(down, part->y + 1);
    cells_span span = find_span(state, part);
    int64_t stop = begin.pixel + cells_count(&begin, &end);
    for (int64_t y = begin.pixel, next; y < stop; y = next) {
        const char *rows[2] = {part->row_of(part->user, y), NULL};
        next = y + 1;
        if (!rows[0]) {
            return false;
        }
        if (part->n < step->out.width) {
            rows[1] = next < stop ? part->row_of(part->user, next++) : NULL;
            prefetch(step, span, next, next + 2);
        }
        add_rows(step, memory, span, rows, cells_overlap(down, &begin, &end, y), y == begin.pixel);
    }
    return true;
}

/* Cells of columns that are complete. */
static void finish_part(const filter_step *step, char *memory, int64_t y, int64_t x, int64_t n,
                        char *to)
{
    const cells_step *state = step->state;
    void *sums = memory + state->column_bytes + state->summand_bytes;
    window_segment segment = {.y = y,
                              .sum_type = state->sum_type,
                              .sums = sums,
                              .area = (uint64_t)state->across.from * (uint64_t)state->down.from};
    int64_t most = SEGMENT_SAMPLES / step->in.channels;
    for (int64_t end = x + n; x < end; x += most) {
        segment.x = x;
        segment.n = end - x < most ? end - x : most;
        state->sum(&state->across, memory, step->in.channels, x, segment.n, sums);
        epilogue_segment(&state->finish, &segment, to + x * satf_pixel_bytes(&step->out));
    }
}

/* Row y of the result, of rows that come from there; false where one does not. Parts ask for them
 * again. */
static bool make_row(const filter_step *step, char *memory, int64_t y,
                     const void *(*row_of)(void *user, int64_t y), void *user, char *to)
{
    const cells_step *state = step->state;
    int64_t width = step->out.width, part = step->by_rows ? width : state->part_pixels;
    for (int64_t x = 0; x < width; x += part) {
        int64_t n = width - x < part ? width - x : part;
        if (!add_part(step, memory, &(cells_part){y, x, n, row_of, user})) {
            return false;
        }
        finish_part(step, memory, y, x, n, to);
    }
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
