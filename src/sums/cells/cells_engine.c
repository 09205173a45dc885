/*
 * The engine of filters over the cells of a coarser grid. Read grid.h first, then this file. On the
 * CPU rows are added up to columns of the cells' height, columns to sums, and the epilogue makes
 * results of these as of windows'. A row of cells takes the picture's rows under it, of which the
 * first may be the last of the row above. A picture in memory is taken a few cells at a time, so
 * that columns stay in the first-level cache; rows that come one by one are taken whole. If the
 * pass has no shape, each cell's result is stored at all its pixels, and the last cells may be
 * smaller.
 */
#include <string.h>

#include "../../base/cpu.h"
#include "../../base/memory.h"
#include "../../base/view.h"
#include "cells.h"
#include "../../formula/epilogue.h"
#include "../../plan/step.h"

/* Bytes of a segment's sums; its cells are a multiple of LINE_CELLS, so that results are whole
 * lines of the cache. Bytes of the columns of a part of a segment. */
enum { SEGMENT_BYTES = 4096, LINE_CELLS = 64, PART_BYTES = 4096 };

/* The next row of cells is prefetched while one is made, if it has no more than BAND_BYTES; else
 * LOOKAHEAD_ROWS rows of the picture are. */
enum { BAND_BYTES = 1 << 22, LOOKAHEAD_ROWS = 4 };

/* For an image in memory: rows of a call. */
enum { ROWS_AT_ONCE = 32 };

/* Bytes that kernels may read and write behind a thread's arrays; bytes of the array of sums. */
enum { SLACK = 64, SUM_BYTES = SEGMENT_BYTES + SLACK };

/* Samples of 2 x 2 bytes a further thread: 16 for fewer woke later than one was done. */
enum { LEAST_HALVED = 1500000 };

/* The plan's state of a step. */
typedef struct cells_step {
    cells_axis across, down;
    bool spreads;           /* a cell's result is stored at all its pixels */
    int64_t columns, whole; /* cells of a row, and how many of them are not smaller */
    int64_t last_width;     /* pixels of the smaller last cell */
    satf_summand summand;
    satf_sum_type column_type, sum_type;
    cells_add add;
    cells_sum sum;
    cells_halve halve; /* NULL: other cells or results, or rows come one by one */
    bool direct;       /* add() takes samples, else summands in the columns' type */
    size_t pixel, pixel_columns,
        pixel_sums; /* bytes of a pixel, of its columns, of a cell's sums */
    size_t column_bytes, summand_bytes, bytes;    /* a walker's; bytes: with sums and results */
    int64_t segment_cells, part_cells, part_rows; /* part_rows: rows of a part added at a time */
    int64_t lookahead_rows; /* from the row that is added to the one that is prefetched */
    epilogue finish;
} cells_step;

/* A walker; behind it lie its arrays, then a row of results, of row `made` of cells (-1: none). */
typedef struct cells_walker {
    row_walker rows;
    int64_t end, made;
    satf_status status; /* of the questions whether to go on */
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
    state->last_width = in->width % state->across.from;
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
    return true;
}

/* False: there are no kernels for columns of 128 bits. */
static bool choose_kernels(const filter_step *step, cells_step *state)
{
    const cells_kernels *kernels = SATF_ISA_CHOOSE(&cells_kernels);
    cells_add direct = kernels->add(step->in.type, state->column_type);
    state->direct = direct && !step->weighted;
    state->add = state->direct
                     ? direct
                     : kernels->add(satf_sum_samples(state->column_type), state->column_type);
    state->sum = kernels->sum(state->column_type, state->sum_type);
    return state->add && state->sum;
}

/* Chooses the kernel of 2 x 2 bytes, as most thumbnails are. state->finish is prepared. */
static void choose_halves(const filter_step *step, cells_step *state)
{
    const cells_kernels *kernels = SATF_ISA_CHOOSE(&cells_kernels);
    bool quarters = state->across.from == 2 && state->down.from == 2 && state->across.to == 1 &&
                    state->down.to == 1 && state->columns == state->whole &&
                    step->in.height % 2 == 0;
    bool means = state->finish.at_once && step->pass->kernel == KERNEL_MEAN && !state->spreads;
    state->halve = quarters && means && !step->by_rows && step->in.type == SATF_U8 &&
                           step->out.type == SATF_U8 && step->in.channels == 1
                       ? kernels->halve
                       : NULL;
}

/* Lays out columns, as many as whole cells would have, summands, and a segment's sums and
 * results. */
static bool cells_lay_out(const filter_step *step, cells_step *state)
{
    size_t pixels = (size_t)(step->in.width + (state->spreads ? state->across.from : 0)), column;
    state->pixel = (size_t)satf_pixel_bytes(&step->in);
    state->pixel_columns = (size_t)step->in.channels * satf_sum_bytes(state->column_type);
    state->pixel_sums = (size_t)step->in.channels * satf_sum_bytes(state->sum_type);
    if (!satf_mul(pixels, state->pixel_columns, &column) || column > SIZE_MAX / 8) {
        return false;
    }
    state->column_bytes = satf_align64(column + SLACK);
    state->summand_bytes = state->direct ? 0 : state->column_bytes;
    state->segment_cells = SEGMENT_BYTES / (int64_t)state->pixel_sums / LINE_CELLS * LINE_CELLS;
    state->bytes = state->column_bytes + state->summand_bytes + SUM_BYTES +
                   (size_t)(state->segment_cells * satf_pixel_bytes(&step->out));
    return true;
}

static void find_parts(const filter_step *step, cells_step *state)
{
    int64_t cell = (int64_t)state->column_bytes / state->columns;
    int64_t rows = (state->down.from - 1) / state->down.to + 1;
    state->part_cells = cell < PART_BYTES ? PART_BYTES / cell : 1;
    state->part_rows = state->direct && state->down.to == 1 ? 2 : 1;
    state->lookahead_rows =
        rows <= BAND_BYTES / step->in.width / (int64_t)state->pixel ? rows : LOOKAHEAD_ROWS;
}

static satf_status cells_plan(satf_context *ctx, filter_step *step)
{
    cells_step *state = step->state;
    const satf_view *in = &step->in, *out = &step->out;
    find_cells(step, state);
    if (!choose_types(step, state) || !choose_kernels(step, state) || !cells_lay_out(step, state)) {
        return satf_fail(ctx, SATF_LIMIT, "the rows are too long for the memory of this machine");
    }
    find_parts(step, state);
    step->need.kept = 1;
    step->need.height = !state->spreads;
    step->walker_bytes = satf_align64(sizeof(cells_walker)) + state->bytes +
                         (state->spreads ? (size_t)out->width * (size_t)satf_pixel_bytes(out) : 0);
    epilogue_init(&state->finish, step->pass, step->options, in, out, step->weighted);
    filter_set_scale(&step->scale, &state->finish.constants);
    state->finish.around_caches =
        state->finish.around_caches && !step->passes_on && !state->spreads;
    epilogue_prepare(&state->finish, state->sum_type, state->sum_type,
                     (uint64_t)(state->across.from * state->down.from), false);
    choose_halves(step, state);
    step->least_samples = state->halve ? LEAST_HALVED : 0;
    return SATF_OK;
}

/* ----------------------------------------------------------------------- working */

/* Cells x ... x + n - 1 of a row of cells, which covers rows begin ... end - 1 of the picture. */
typedef struct cells_part {
    cells_place top, bottom;
    int64_t begin, end, x, n;
} cells_part;

/* The pixels of a row that lie in a part's cells, and how many more if it were longer. */
typedef struct cells_span {
    int64_t first, n, more;
} cells_span;

static cells_span find_span(const filter_step *step, const cells_part *part)
{
    const cells_step *state = step->state;
    cells_place begin = cells_find(&state->across, part->x);
    cells_place end = cells_find(&state->across, part->x + part->n);
    int64_t n = cells_count(&begin, &end), left = step->in.width - begin.pixel;
    return (cells_span){begin.pixel, n < left ? n : left, n < left ? 0 : n - left};
}

/* Adds the span of row y, or of rows y and y + 1 of weight 1, to the part's columns. */
static void cells_add_rows(const filter_step *step, char *memory, const cells_part *part,
                           cells_span span, int64_t y, const char *row, const char *next)
{
    const cells_step *state = step->state;
    const satf_view *in = &step->in;
    bool first = y == part->begin;
    if (!state->direct) {
        char *summands = memory + state->column_bytes;
        satf_summands((satf_type)in->type, in->channels, state->summand, row, span.n,
                      state->column_type, summands);
        row = summands;
    }
    state->add(row, next, cells_overlap(&state->down, &part->top, &part->bottom, y), first,
               span.n * in->channels, memory);
    if (first) { /* and the bytes that kernels read behind the last pixel */
        memset(memory + (size_t)span.n * state->pixel_columns, 0,
               (size_t)span.more * state->pixel_columns + SLACK);
    }
}

/* The span's pixels in row y of a picture in memory, or in its last row. */
static const char *cells_find_pixels(const filter_step *step, cells_span span, int64_t y)
{
    int64_t last = step->in.height - 1;
    const char *row = satf_row(&step->in, y < last ? y : last);
    return row + (size_t)span.first * ((const cells_step *)step->state)->pixel;
}

/* Prefetches the span of row y. */
static void prefetch(const filter_step *step, cells_span span, int64_t y)
{
    const char *pixels = cells_find_pixels(step, span, y);
    size_t bytes = (size_t)span.n * ((const cells_step *)step->state)->pixel;
    for (size_t i = 0; i < bytes; i += 64) {
        __builtin_prefetch(pixels + i, 0, 2);
    }
}

/* Adds up the part's columns. One row is prefetched before an addition and one after, since memory
 * works during the addition. */
static void cells_add_part(const filter_step *step, char *memory, const cells_part *part,
                           cells_span span)
{
    const cells_step *state = step->state;
    for (int64_t y = part->begin; y < part->end; y += state->part_rows) {
        bool two = state->part_rows > 1 && y + 1 < part->end;
        prefetch(step, span, y + state->lookahead_rows);
        cells_add_rows(step, memory, part, span, y, cells_find_pixels(step, span, y),
                       two ? cells_find_pixels(step, span, y + 1) : NULL);
        if (two) {
            prefetch(step, span, y + state->lookahead_rows + 1);
        }
    }
}

/* The sums of the part's next cells, up to `stop`; by_rows columns are made. False: it is to
 * stop. */
static bool sum_cells(cells_walker *w, char *memory, cells_part *part, int64_t stop, char *sums)
{
    const filter_step *step = w->rows.step;
    const cells_step *state = step->state;
    int64_t most = step->by_rows ? stop : state->part_cells;
    for (; part->x < stop; part->x += part->n, sums += (size_t)part->n * state->pixel_sums) {
        part->n = stop - part->x < most ? stop - part->x : most;
        cells_span span = find_span(step, part);
        const char *columns = memory;
        if (step->by_rows) {
            columns += (size_t)span.first * state->pixel_columns;
        } else {
            int64_t samples = (part->end - part->begin) * span.n * step->in.channels;
            w->status = w->status ? w->status : satf_work(w->rows.ctx, samples);
            if (w->status) {
                return false;
            }
            cells_add_part(step, memory, part, span);
        }
        state->sum(&state->across, columns, step->in.channels, part->x, part->n, sums);
    }
    return true;
}

/* Stores each of n results, from cell x on, at all pixels of its cell's row. */
static void cells_spread(const filter_step *step, const char *results, int64_t x, int64_t n,
                         char *to)
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

/* The part that is all of row y of the cells. */
static cells_part cells_find_row(const filter_step *step, int64_t y)
{
    const cells_step *state = step->state;
    cells_part part = {.top = cells_find(&state->down, y),
                       .bottom = cells_find(&state->down, y + 1),
                       .n = state->columns};
    int64_t count = cells_count(&part.top, &part.bottom), left = step->in.height - part.top.pixel;
    part.begin = part.top.pixel;
    part.end = part.begin + (count < left ? count : left);
    return part;
}

/* Adds up columns from whole rows; false if one does not come, unless the picture ends before
 * it. */
static bool add_whole(const filter_step *step, char *memory, const filter_rows *from,
                      cells_part *part)
{
    cells_span span = find_span(step, part);
    for (int64_t y = part->begin; y < part->end; y++) {
        const char *row = from->in(from->user, y);
        if (row) {
            cells_add_rows(step, memory, part, span, y, row, NULL);
        } else if (y > part->begin && y == filter_rows_height(from, step->in.height)) {
            part->end = y;
        } else {
            return false;
        }
    }
    return true;
}

/* Makes row y of cells of 2 x 2 pixels, a part at a time, and prefetches; false if it is to
 * stop. */
static bool cells_halve_row(cells_walker *w, char *space, int64_t y, char *to)
{
    const filter_step *step = w->rows.step;
    const cells_step *state = step->state;
    bool around = state->finish.around_caches;
    int64_t ahead = 2 * y + state->lookahead_rows, n;
    for (int64_t x = 0; x < state->columns; x += n) {
        n = state->columns - x < state->part_cells ? state->columns - x : state->part_cells;
        cells_span span = {2 * x, 2 * n, 0};
        w->status = w->status ? w->status : satf_work(w->rows.ctx, 2 * span.n);
        if (w->status) {
            return false;
        }
        char *means = around ? space : to + x;
        prefetch(step, span, ahead);
        state->halve((const uint8_t *)cells_find_pixels(step, span, 2 * y),
                     (const uint8_t *)cells_find_pixels(step, span, 2 * y + 1), n,
                     (uint8_t *)means);
        prefetch(step, span, ahead + 1);
        if (around) {
            state->finish.kernels->stream(to + x, means, (size_t)n);
        }
    }
    return true;
}

/* Makes row y of the cells; false if a row of the picture does not come, or the walk is to stop. */
static bool cells_make_row(cells_walker *w, char *memory, int64_t y, char *to)
{
    const filter_step *step = w->rows.step;
    const cells_step *state = step->state;
    char *sums = memory + state->column_bytes + state->summand_bytes;
    char *results = sums + SUM_BYTES;
    cells_part part = cells_find_row(step, y);
    if (step->by_rows && !add_whole(step, memory, w->rows.rows, &part)) {
        return false;
    }
    uint64_t height = (uint64_t)(state->spreads ? part.end - part.begin : state->down.from);
    window_segment segment = {.y = y, .sum_type = state->sum_type, .sums = sums};
    while (part.x < state->columns) {
        bool whole = part.x < state->whole;
        int64_t left = (whole ? state->whole : state->columns) - part.x;
        int64_t width = whole ? state->across.from : state->last_width;
        segment.x = part.x;
        segment.n = left < state->segment_cells ? left : state->segment_cells;
        segment.area = (uint64_t)width * height;
        if (!sum_cells(w, memory, &part, segment.x + segment.n, sums)) {
            return false;
        }
        epilogue_segment(&state->finish, &segment,
                         state->spreads ? results : to + segment.x * satf_pixel_bytes(&step->out));
        if (state->spreads) {
            cells_spread(step, results, segment.x, segment.n, to);
        }
    }
    return true;
}

static satf_status cells_begin(satf_context *ctx, const filter_step *step, const filter_rows *rows,
                               int64_t first, int64_t end, void *walker)
{
    cells_walker *w = walker;
    *w = (cells_walker){{ctx, step, rows, first, 0}, end, -1, SATF_OK};
    return SATF_OK;
}

/* Copies row y of the result from the row of its cells, which is made if it is not there. */
static bool cells_copy_row(cells_walker *w, int64_t y, char *memory)
{
    const filter_step *step = w->rows.step;
    const filter_rows *rows = w->rows.rows;
    const cells_step *state = step->state;
    char *made = memory + state->bytes, *to = NULL;
    int64_t cell = y / state->down.from;
    if (cell != w->made) {
        w->made = cells_make_row(w, memory, cell, made) ? cell : -1;
    }
    if (cell == w->made && y < filter_rows_height(rows, step->out.height)) {
        to = rows->out(rows->user, y);
    }
    if (to) {
        memcpy(to, made, (size_t)(step->out.width * satf_pixel_bytes(&step->out)));
    }
    return to != NULL;
}

/* Makes the next row; false at the end, and after a failure, which *status tells. */
static bool cells_next_row(cells_walker *w, satf_status *status)
{
    const filter_step *step = w->rows.step;
    const filter_rows *rows = w->rows.rows;
    const cells_step *state = step->state;
    bool spreads = state->spreads;
    int64_t y = w->rows.y++;
    char *memory = (char *)w + satf_align64(sizeof *w);
    if (y >= w->end) {
        return false;
    }
    char *to = spreads ? NULL : rows->out(rows->user, y);
    bool made = spreads        ? cells_copy_row(w, y, memory)
                : state->halve ? to && cells_halve_row(w, memory, y, to)
                               : to && cells_make_row(w, memory, y, to);
    bool ended = spreads && y >= filter_rows_height(rows, step->out.height);
    if (!made && !ended) {
        *status = w->status ? w->status : satf_fail_row(w->rows.ctx, y);
    }
    return made;
}

static int64_t cells_next(void *walker, satf_status *status)
{
    cells_walker *w = walker;
    int64_t made = 0, most = w->rows.rows->goes_on ? ROWS_AT_ONCE : 1;
    while (made < most && cells_next_row(w, status)) {
        made++;
    }
    return *status ? 0 : made;
}

static const filter_engine cells_engine = {
    .name = "cells",
    .does = "sums cells, not windows",
    .sums_others = true,
    .ns = 1.5,
    .state_bytes = sizeof(cells_step),
    .plan = cells_plan,
    .begin = cells_begin,
    .next = cells_next,
    .anywhere = true,
    .least_samples = 200000,
};

/* A window around all cells that may contain the pixel. */
static satf_rect cells_window(const filter_step *step)
{
    int64_t w = step->size.width, h = step->size.height;
    return (satf_rect){1 - w, 1 - h, 2 * w - 1, 2 * h - 1};
}

static const filter_engine *const cells_engines[] = {&cells_engine, &filter_device_cells_engine,
                                                     NULL};

const pass_shape shape_cells = {.kind = SATF_FILTER_CELLS,
                                .reach = shape_all_reach,
                                .window = cells_window,
                                .engines = cells_engines};
