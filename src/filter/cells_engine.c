/*
 * Filters over the cells of a coarser grid. On the CPU rows are added up to columns of the cells'
 * height, and these to sums, which are finished as those of windows are. A row of cells takes the
 * picture's rows under it, of which its first may be the last of the row above. Where the filter
 * has no shape, each cell's result is at all its pixels, and the last cells may be smaller.
 */
#include <string.h>

#include "../base/cpu.h"
#include "../base/gpu.h"
#include "../base/memory.h"
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
    bool spreads;           /* the result of a cell is at all its pixels */
    int64_t columns, whole; /* cells of a row, and those that are not smaller than others */
    satf_summand summand;
    satf_sum_type column_type, sum_type;
    cells_add add;
    cells_sum sum;
    bool direct; /* add() takes samples, else their summands, in the columns' type */
    size_t column_bytes, summand_bytes, sum_bytes, bytes; /* of a walker's; in all: results too */
    int64_t part_cells; /* of a row, whose columns are added up at a time */
    epilogue finish;
} cells_step;

/* In front of its arrays, and of the row of cells at whose pixels they are; -1: none yet. */
typedef struct cells_walker {
    row_walker rows;
    int64_t made;
} cells_walker;

/* ---------------------------------------------------------------------- planning */

static void find_cells(const filter_step *step, cells_step *state)
{
    const satf_view *in = &step->in, *out = &step->out;
    state->spreads = !step->pass->shape;
    if (state->spreads) {
        state->across = cells_axis_under(in->width, step->size.width);
        state->down = cells_axis_under(in->height, step->size.height);
    } else {
        state->across = cells_axis_of(in->width, out->width);
        state->down = cells_axis_of(in->height, out->height);
    }
    state->columns = cells_needed(&state->across, in->width);
    state->whole = in->width * state->across.to / state->across.from;
}

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

/* Columns, as many as whole cells would have, a row of summands, and a segment of sums and of their
 * results. */
static bool lay_out(const filter_step *step, cells_step *state)
{
    size_t pixels = (size_t)(step->in.width + (state->spreads ? state->across.from : 0)), column;
    if (!satf_mul(pixels * (size_t)step->in.channels, satf_sum_bytes(state->column_type),
                  &column) ||
        column > SIZE_MAX / 8) {
        return false;
    }
    state->column_bytes = satf_align64(column + SLACK);
    state->summand_bytes = state->direct ? 0 : state->column_bytes;
    state->sum_bytes = satf_align64(SEGMENT_SAMPLES * satf_sum_bytes(state->sum_type) + SLACK);
    state->bytes = state->column_bytes + state->summand_bytes + state->sum_bytes +
                   SEGMENT_SAMPLES * sizeof(double);
    return true;
}

/* Where columns are of whole rows, and those of a row would leave the first-level cache: fewer. */
static int64_t part_cells(const cells_step *state)
{
    int64_t cell = (int64_t)state->column_bytes / state->columns;
    bool large = state->column_bytes > 2 * PART_BYTES;
    return !large || !state->direct || state->down.to > 1 ? state->columns
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
    find_cells(step, state);
    bool fits = choose_types(step, state);
    if (fits) {
        choose_kernels(step, state);
        fits = lay_out(step, state);
    }
    if (!fits) {
        return satf_fail(ctx, SATF_LIMIT, "the rows are too long for the memory of this machine");
    }
    state->part_cells = part_cells(state);
    step->need.kept = 1;
    step->need.height = !state->spreads;
    step->walker_bytes = satf_align64(sizeof(cells_walker)) + state->bytes +
                         (state->spreads ? (size_t)out->width * (size_t)satf_pixel_bytes(out) : 0);
    epilogue_init(&state->finish, step->pass, step->options, in, out, step->weighted);
    filter_set_scale(&step->scale, &state->finish.constants);
    state->finish.around_caches =
        state->finish.around_caches && !step->passes_on && !state->spreads;
    return SATF_OK;
}

/* ----------------------------------------------------------------------- working */

/* Cells x ... x + n - 1 of row y of the cells, and where the picture's rows come from. */
typedef struct cells_part {
    int64_t y, x, n;
    const filter_rows *from;
} cells_part;

/* The pixels of the picture's rows that lie in these cells. */
typedef struct cells_span {
    int64_t first, n;
} cells_span;

static cells_span find_span(const filter_step *step, const cells_part *part)
{
    const cells_step *state = step->state;
    cells_place begin = cells_find(&state->across, part->x);
    cells_place end = cells_find(&state->across, part->x + part->n);
    int64_t n = cells_count(&begin, &end), left = step->in.width - begin.pixel;
    return (cells_span){begin.pixel, n < left ? n : left};
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

/* The columns of these cells, and of how many rows they are: fewer than others where the picture
 * ends; 0 where a row does not come. Of parts two rows at a time are added, while the next two are
 * on their way. */
static int64_t add_part(const filter_step *step, char *memory, const cells_part *part)
{
    const cells_step *state = step->state;
    const cells_axis *down = &state->down;
    const filter_rows *from = part->from;
    cells_place begin = cells_find(down, part->y), end = cells_find(down, part->y + 1);
    cells_span span = find_span(step, part);
    int64_t count = cells_count(&begin, &end), left = step->in.height - begin.pixel;
    int64_t stop = begin.pixel + (count < left ? count : left);
    for (int64_t y = begin.pixel, next; y < stop; y = next) {
        const char *rows[2] = {from->in(from->user, y), NULL};
        next = y + 1;
        if (!rows[0]) {
            return y == filter_rows_height(from, step->in.height) ? y - begin.pixel : 0;
        }
        if (part->n < state->columns) {
            rows[1] = next < stop ? from->in(from->user, next++) : NULL;
            prefetch(step, span, next, next + 2);
        }
        add_rows(step, memory, span, rows, cells_overlap(down, &begin, &end, y), y == begin.pixel);
    }
    return stop - begin.pixel;
}

/* Each of n results at all pixels of its cell's row, from cell x on. */
static void spread(const filter_step *step, const char *results, int64_t x, int64_t n, char *to)
{
    int64_t side = ((const cells_step *)step->state)->across.from, width = step->out.width;
    size_t pixel = (size_t)satf_pixel_bytes(&step->out);
    for (int64_t k = 0; k < n; k++) {
        int64_t at = (x + k) * side, pixels = width - at < side ? width - at : side;
        size_t bytes = (size_t)pixels * pixel, more;
        char *cell = to + (size_t)at * pixel;
        memcpy(cell, results + (size_t)k * pixel, pixel);
        for (size_t done = pixel; done < bytes; done += more) {
            more = bytes - done < done ? bytes - done : done;
            memcpy(cell + done, cell, more);
        }
    }
}

/* Cells of columns that are complete, so many rows high. */
static void finish_part(const filter_step *step, char *memory, const cells_part *part,
                        int64_t height, char *to)
{
    const cells_step *state = step->state;
    void *sums = memory + state->column_bytes + state->summand_bytes;
    char *results = (char *)sums + state->sum_bytes;
    window_segment segment = {.y = part->y, .sum_type = state->sum_type, .sums = sums};
    int64_t most = SEGMENT_SAMPLES / step->in.channels, stop = part->x + part->n;
    for (int64_t x = part->x; x < stop; x += segment.n) {
        bool whole = x < state->whole;
        int64_t end = whole && state->whole < stop ? state->whole : stop;
        int64_t width = whole ? state->across.from : step->in.width % state->across.from;
        segment.x = x;
        segment.n = end - x < most ? end - x : most;
        segment.area = (uint64_t)width * (uint64_t)height;
        state->sum(&state->across, memory, step->in.channels, x, segment.n, sums);
        epilogue_segment(&state->finish, &segment,
                         state->spreads ? results : to + x * satf_pixel_bytes(&step->out));
        if (state->spreads) {
            spread(step, results, x, segment.n, to);
        }
    }
}

/* Row y of the cells, of rows that come from there; false where one does not, unless the picture
 * ends in front of that. Parts ask for them again. */
static bool make_row(const filter_step *step, char *memory, int64_t y, const filter_rows *from,
                     char *to)
{
    const cells_step *state = step->state;
    cells_part part = {.y = y, .from = from};
    int64_t most = step->by_rows ? state->columns : state->part_cells, rows = 1;
    for (; part.x < state->columns && rows > 0; part.x += part.n) {
        int64_t left = state->columns - part.x;
        part.n = left < most ? left : most;
        rows = add_part(step, memory, &part);
        if (rows > 0) {
            finish_part(step, memory, &part, state->spreads ? rows : state->down.from, to);
        }
    }
    return rows > 0;
}

static satf_status run_there(satf_context *ctx, filter_step *step)
{
    bool spreads = !step->pass->shape;
    return satf_cuda()->cells(ctx, &step->in, &step->out, spreads ? step->size.width : 0,
                              spreads ? step->size.height : 0, step->weighted);
}

static satf_status begin(satf_context *ctx, const filter_step *step, const filter_rows *rows,
                         int64_t first, int64_t end, void *walker)
{
    const cells_step *state = step->state;
    cells_walker *w = walker;
    char *columns = (char *)walker + satf_align64(sizeof *w);
    size_t bytes = (size_t)satf_row_samples(&step->in) * satf_sum_bytes(state->column_type);
    (void)end;
    *w = (cells_walker){{ctx, step, rows, first}, -1};
    memset(columns + bytes, 0, state->column_bytes - bytes); /* of cells that the picture ends in */
    return SATF_OK;
}

/* Row y of the result from the row of its cells, which is made if another was made last. */
static bool copy_row(cells_walker *w, int64_t y, char *memory)
{
    const filter_step *step = w->rows.step;
    const filter_rows *rows = w->rows.rows;
    const cells_step *state = step->state;
    char *made = memory + state->bytes, *to = NULL;
    int64_t cell = y / state->down.from;
    if (cell != w->made) {
        w->made = make_row(step, memory, cell, rows, made) ? cell : -1;
    }
    if (cell == w->made && y < filter_rows_height(rows, step->out.height)) {
        to = rows->out(rows->user, y);
    }
    if (to) {
        memcpy(to, made, (size_t)(step->out.width * satf_pixel_bytes(&step->out)));
    }
    return to != NULL;
}

static int64_t next(void *walker, satf_status *status)
{
    cells_walker *w = walker;
    const filter_step *step = w->rows.step;
    const filter_rows *rows = w->rows.rows;
    bool spreads = ((const cells_step *)step->state)->spreads;
    int64_t y = w->rows.y++;
    char *memory = (char *)walker + satf_align64(sizeof *w);
    if (y >= step->out.height) {
        return 0;
    }
    char *to = spreads ? NULL : rows->out(rows->user, y);
    bool made = spreads ? copy_row(w, y, memory) : to && make_row(step, memory, y, rows, to);
    bool ended = spreads && y >= filter_rows_height(rows, step->out.height);
    if (!made && !ended) {
        *status = satf_fail(w->rows.ctx, SATF_IO,
                            "row %lld could not be had or stored; see its source", (long long)y);
    }
    return made;
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
