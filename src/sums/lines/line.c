/* Passes along the rows, a batch of which is transposed, so that rows are lanes; then passes down
 * the columns. */
#include "line.h"

#include <string.h>

#include "../../base/border.h"
#include "../../base/memory.h"
#include "../../sat/sums.h"
#include "../../base/view.h"
#include "../../move/kernels.h"
#include "../../formula/epilogue_loops.h"
#include "line_columns.h"
#include "line_samples.h"

enum {
    BATCH = 8,             /* rows that are passed along at a time; */
    NARROW_BATCH = 32,     /* of 8 bits: lanes fill lines of the cache */
    LINE_BYTES = 256 << 10 /* at least, of a line that passes go over: it stays in the cache */
};

/* Where everything lies in a walk's memory. */
typedef struct line_layout {
    size_t staging, turned, line, ends, ones, results, outside, down, ones_down, bytes;
    size_t stage_stride, result_stride; /* of rows */
    int64_t chunk;                      /* pixels of a row that are passed at a time */
} line_layout;

struct line_walk {
    line_spec spec;
    line_ends ends;
    line_listener listener; /* of the ends */
    bool stopped;           /* the listener stopped it before there was a row */
    line_samples samples;
    line_kind kind;
    int batch;
    size_t pixel_bytes, number_bytes; /* of a pixel's samples, of its numbers */
    line_layout at;
    const move_kernels *moves;
    char *memory;
    char *results;                /* numbers of the rows that have been passed along */
    line_columns down, ones_down; /* ones: of the share of a window inside, where borders shrink */
    int64_t height;
    int64_t lowest, next; /* the uppermost row asked for; the next to enter, borders included */
    int64_t first, end;   /* rows that have been passed along */
    int64_t made;         /* the next row of the result */
    int ready, taken;     /* results of the rows that entered last, and those handed out */
};

static int64_t row_numbers(const line_spec *spec)
{
    return satf_row_samples(&spec->in);
}

static size_t line_row_bytes(const line_spec *spec)
{
    return (size_t)(spec->in.width * satf_pixel_bytes(&spec->in));
}

static bool shrinks(const line_spec *spec)
{
    return spec->border == SATF_BORDER_SHRINK;
}

static line_numbers line_spec_numbers(const line_spec *spec)
{
    return line_numbers_of(&spec->in, &spec->axes, spec->weighted, shrinks(spec));
}

static line_kind line_spec_kind(const line_spec *spec)
{
    line_numbers numbers = line_spec_numbers(spec);
    return line_kind_of(&numbers);
}

static int batch_of(line_kind kind)
{
    return kind == LINE_NARROW ? NARROW_BATCH : BATCH;
}

static bool line_add_part(line_layout *at, size_t rows, size_t row_bytes, size_t *part)
{
    size_t bytes;
    *part = at->bytes;
    return satf_mul(rows, row_bytes, &bytes) && bytes < SIZE_MAX / 16 &&
           satf_add(at->bytes, satf_align64(bytes), &at->bytes);
}

static bool lay_out_along(const line_spec *spec, line_layout *at)
{
    line_kind kind = line_spec_kind(spec);
    size_t batch = (size_t)batch_of(kind), lanes = batch * (size_t)spec->in.channels;
    size_t place = lanes * line_number_bytes(kind), row = line_row_bytes(spec);
    int64_t reach = filter_lines_reach(&spec->axes.along), pixels = LINE_BYTES / (int64_t)place;
    at->chunk = pixels > 6 * reach ? pixels - 2 * reach : 4 * reach;
    at->chunk = at->chunk < spec->in.width ? at->chunk : spec->in.width;
    at->stage_stride = satf_align64(row) | 64;
    return line_add_part(at, batch, at->stage_stride, &at->staging) &&
           line_add_part(at, batch, row, &at->turned) &&
           line_add_part(at, (size_t)(at->chunk + 2 * reach), place, &at->line) &&
           line_add_part(at, kind == LINE_REAL ? (size_t)span_of(&spec->axes.along) : 0, 64,
                         &at->ends) &&
           line_add_part(at, shrinks(spec) ? (size_t)spec->in.width : 0, sizeof(double),
                         &at->ones) &&
           (spec->part == LINE_ALONG || line_add_part(at, batch, at->result_stride, &at->results));
}

static bool line_lay_out(const line_spec *spec, line_layout *at)
{
    int64_t n = row_numbers(spec);
    *at = (line_layout){.bytes = satf_align64(sizeof(line_walk)),
                        .result_stride = (size_t)line_passed_bytes(spec)};
    if (n > INT64_MAX / 4096 || (spec->part != LINE_DOWN && !lay_out_along(spec, at))) {
        return false;
    }
    size_t down = line_columns_bytes(&spec->axes.down, line_spec_kind(spec), n);
    size_t ones = shrinks(spec) ? line_columns_bytes(&spec->axes.down, line_spec_kind(spec), 1) : 0;
    return spec->part == LINE_ALONG ||
           (down > 0 && line_add_part(at, 1, at->result_stride, &at->outside) &&
            line_add_part(at, 1, down, &at->down) && line_add_part(at, 1, ones, &at->ones_down));
}

int64_t line_passed_bytes(const line_spec *spec)
{
    return (
        int64_t)(satf_align64((size_t)row_numbers(spec) * line_number_bytes(line_spec_kind(spec))) |
                 64);
}

size_t line_walk_bytes(const line_spec *spec)
{
    line_layout at;
    return line_lay_out(spec, &at) ? at.bytes : 0;
}

int64_t line_rows_kept(const line_spec *spec)
{
    int64_t rows = filter_lines_reach(&spec->axes.down) + batch_of(line_spec_kind(spec));
    return rows < spec->in.height ? rows : spec->in.height;
}

int64_t line_block_columns(const line_spec *spec)
{
    return line_spec_kind(spec) == LINE_REAL ? span_of(&spec->axes.along) - 1 : 1;
}

/* --------------------------------------------------------------------- along the rows */

/* Fills the line with pixels x ... x + n - 1 of the turned rows, borders included, side by side. */
static void fill_line(const line_walk *w, int64_t x, int64_t n)
{
    const line_spec *spec = &w->spec;
    char *line = w->memory + w->at.line;
    int64_t batch = w->batch, width = spec->in.width;
    for (int64_t end = x + n, step; x < end; x += step) {
        const char *turned = w->memory + w->at.turned;
        int64_t i = satf_border_index(spec->border, x, width);
        step = x >= 0 && x < width ? (end < width ? end : width) - x : 1;
        if (i < 0) {
            line_samples_fill(&w->samples, batch, line);
        } else {
            turned += (size_t)(i * batch) * w->pixel_bytes;
            if (w->kind == LINE_NARROW) {
                w->samples.kernels->widen((const uint8_t *)turned, (uint16_t *)(void *)line,
                                          step * batch * spec->in.channels);
            } else {
                line_samples_load(&w->samples, turned, step * batch, (double *)(void *)line);
            }
        }
        line += (size_t)(step * batch) * w->number_bytes;
    }
}

/* All passes over a line that begins at `first`: n pixels of `bytes` each. */
static void pass_line(const line_walk *w, int64_t first, int64_t n, size_t bytes)
{
    const filter_lines *lines = &w->spec.axes.along;
    int64_t places = n + 2 * filter_lines_reach(lines);
    for (int k = 0; k < lines->times; k++, places -= span_of(lines)) {
        w->samples.kernels->along(w->kind, lines, w->memory + w->at.line, places, bytes,
                                  first + k * (lines->radius + 1), w->memory + w->at.ends);
    }
}

static int64_t chunk_at(const line_walk *w, int64_t x)
{
    return w->at.chunk < w->spec.in.width - x ? w->at.chunk : w->spec.in.width - x;
}

/* Passes the batch along; false: the listener stopped it. */
static bool pass(const line_walk *w)
{
    const line_spec *spec = &w->spec;
    int64_t batch = w->batch, width = spec->in.width, reach = filter_lines_reach(&spec->axes.along);
    size_t turned_bytes = (size_t)batch * w->pixel_bytes;
    size_t place_bytes = (size_t)batch * w->number_bytes;
    char *line = w->memory + w->at.line;
    w->moves->transpose[w->pixel_bytes](&(move_part){.in = w->memory + w->at.staging,
                                                     .out = w->memory + w->at.turned,
                                                     .in_stride = (int64_t)w->at.stage_stride,
                                                     .out_stride = (int64_t)turned_bytes,
                                                     .width = width,
                                                     .height = batch});
    for (int64_t x = 0, n; x < width; x += n) {
        n = chunk_at(w, x);
        if (!w->listener.goes_on(w->listener.user,
                                 n * batch * spec->in.channels * spec->axes.along.times)) {
            return false;
        }
        fill_line(w, x - reach, n + 2 * reach);
        pass_line(w, x - reach, n, place_bytes);
        if (shrinks(spec)) {
            w->samples.kernels->divide((double *)(void *)line,
                                       (const double *)(void *)(w->memory + w->at.ones) + x, n,
                                       batch * spec->in.channels, w->samples.numbers.rounds);
        }
        w->moves->transpose[w->number_bytes](
            &(move_part){.in = line,
                         .out = w->results + (size_t)x * w->number_bytes,
                         .in_stride = (int64_t)place_bytes,
                         .out_stride = (int64_t)w->at.result_stride,
                         .width = batch,
                         .height = n});
    }
    return true;
}

/* Finds the share of a window along the rows that is inside, by passing ones. */
static void find_ones(const line_walk *w)
{
    double *line = (double *)(void *)(w->memory + w->at.line);
    double *ones = (double *)(void *)(w->memory + w->at.ones), one = line_one(&w->samples.numbers);
    int64_t width = w->spec.in.width, reach = filter_lines_reach(&w->spec.axes.along);
    for (int64_t x = 0, n; x < width; x += n) {
        n = chunk_at(w, x);
        for (int64_t i = 0; i < (n + 2 * reach) * BATCH; i++) {
            int64_t at = x - reach + i / BATCH;
            line[i] = at < 0 || at >= width ? 0 : one;
        }
        pass_line(w, x - reach, n, BATCH * sizeof(double));
        for (int64_t i = 0; i < n; i++) {
            ones[x + i] = line[i * BATCH] / one;
        }
    }
}

/* Copies input row y to place `place` of the batch. */
static bool line_make_stage(line_walk *w, int64_t y, int64_t place)
{
    const void *row = w->ends.row(w->ends.user, y);
    if (row) {
        memcpy(w->memory + w->at.staging + (size_t)place * w->at.stage_stride, row,
               line_row_bytes(&w->spec));
    }
    return row != NULL;
}

/* Passes along a batch of rows around i; false if a row does not come: w->height then tells whether
 * the picture ended. */
static bool pass_batch(line_walk *w, int64_t i)
{
    bool back = w->end > 0 && i < w->first;
    int64_t y = back ? i - w->batch + 1 : i;
    y = y > w->lowest ? y : w->lowest;
    w->first = w->end = y;
    int64_t until = back ? i + 1 : y + w->batch < w->height ? y + w->batch : w->height;
    for (; y < until; y++, w->end++) {
        if (!line_make_stage(w, y, y - w->first)) {
            w->height = w->ends.height(w->ends.user);
            if (w->height > y) {
                return false;
            }
            break;
        }
    }
    for (int64_t place = w->end - w->first; place > 0 && place < w->batch; place++) {
        char *staging = w->memory + w->at.staging;
        memcpy(staging + (size_t)place * w->at.stage_stride, staging, w->at.stage_stride);
    }
    return w->end > w->first && pass(w) && w->end > i;
}

/* Whether row i is at hand: outside the picture, or passed along. */
static bool has_row(const line_walk *w, int64_t i)
{
    return i < 0 || w->spec.part == LINE_DOWN || (i >= w->first && i < w->end);
}

/* The row that enters next, as the border has it; NULL if it does not come. inside: where its one
 * goes. */
static const char *line_enter(line_walk *w, char *inside)
{
    int64_t i = 0;
    bool held = false;
    for (int64_t height = -1; !held && height != w->height;) {
        height = w->height;
        i = satf_border_index(w->spec.border, w->next, height);
        held = has_row(w, i) || pass_batch(w, i);
    }
    w->next += held;
    if (shrinks(&w->spec)) {
        double one = i < 0 ? 0 : line_one(&w->samples.numbers);
        memcpy(inside, &one, sizeof one);
    }
    return !held                       ? NULL
           : i < 0                     ? w->memory + w->at.outside
           : w->spec.part == LINE_DOWN ? w->spec.passed + i * w->spec.passed_stride
                                       : w->results + (i - w->first) * (int64_t)w->at.result_stride;
}

/* ------------------------------------------------------------------------------ walk */

/* Stores result i of the latest ones. */
static void line_store(const line_walk *w, int i, char *to)
{
    const char *row = line_columns_result(&w->down, i);
    int64_t width = w->spec.in.width;
    double one = shrinks(&w->spec) ? *(const double *)line_columns_result(&w->ones_down, i) /
                                         line_one(&w->samples.numbers)
                                   : 1;
    if (w->kind == LINE_NARROW && w->spec.out.type == SATF_U8) {
        w->samples.kernels->narrow((const uint16_t *)(const void *)row, (uint8_t *)to,
                                   row_numbers(&w->spec));
        return;
    }
    line_samples_store(&w->samples, row, width, one, (satf_type)w->spec.out.type, to);
}

static bool always(void *user, int64_t numbers)
{
    (void)user, (void)numbers;
    return true;
}

line_walk *line_walk_begin(const line_spec *spec, const line_ends *ends, int64_t first,
                           void *memory)
{
    line_walk *w = memory;
    int64_t reach = filter_lines_reach(&spec->axes.down);
    line_kind kind = line_spec_kind(spec);
    *w =
        (line_walk){.spec = *spec,
                    .ends = *ends,
                    .listener = {ends->goes_on ? ends->goes_on : always, ends->user},
                    .kind = kind,
                    .batch = batch_of(kind),
                    .pixel_bytes = (size_t)satf_pixel_bytes(&spec->in),
                    .number_bytes = (size_t)spec->in.channels * line_number_bytes(kind),
                    .moves = SATF_ISA_CHOOSE(&move_kernels),
                    .memory = memory,
                    .height = ends->height(ends->user),
                    .lowest = first > reach && spec->border != SATF_BORDER_WRAP ? first - reach : 0,
                    .next = first - reach,
                    .made = first};
    line_lay_out(spec, &w->at);
    w->results = w->memory + w->at.results;
    line_samples_begin(&w->samples, spec);
    if (shrinks(spec) && spec->part != LINE_DOWN) {
        find_ones(w);
    }
    if (spec->part != LINE_ALONG) {
        line_samples_fill(&w->samples, spec->in.width, w->memory + w->at.outside);
        w->stopped = !line_columns_begin(&w->down, &spec->axes.down, kind, row_numbers(spec),
                                         w->next, w->memory + w->at.down, &w->listener);
    }
    if (shrinks(spec) && spec->part != LINE_ALONG && !w->stopped) {
        w->stopped = !line_columns_begin(&w->ones_down, &spec->axes.down, kind, 1, w->next,
                                         w->memory + w->at.ones_down, &w->listener);
    }
    return w;
}

/* Rows enter until there are results; false if one does not come. None lies more than the reach
 * below the picture. Rows that enter together have been passed along together. */
static bool fill_up(line_walk *w)
{
    int64_t reach = filter_lines_reach(&w->spec.axes.down);
    while (w->ready == w->taken) {
        const char *rows[LINE_ROWS], *ones[LINE_ROWS];
        char inside[LINE_ROWS][64];
        int count = 0;
        while (count < LINE_ROWS && w->next < w->height + reach &&
               (count == 0 || has_row(w, satf_border_index(w->spec.border, w->next, w->height)))) {
            rows[count] = line_enter(w, inside[count]);
            ones[count] = inside[count];
            if (!rows[count++]) {
                return false;
            }
        }
        w->ready = line_columns_next(&w->down, rows, count, &w->listener);
        if (shrinks(&w->spec)) {
            line_columns_next(&w->ones_down, ones, count, &w->listener);
        }
        w->taken = 0;
        if (w->ready < 0) {
            w->ready = 0; /* `taken` is 0 too */
            return false;
        }
    }
    return true;
}

bool line_pass_rows(const line_spec *spec, const line_ends *ends, int64_t y, char *passed,
                    void *memory)
{
    line_walk *w = line_walk_begin(spec, ends, 0, memory);
    for (int64_t end = y + LINE_LANES; y < end && y < w->height; y += w->batch) {
        w->results = passed + y * line_passed_bytes(spec);
        if (!pass_batch(w, y)) {
            return false;
        }
    }
    return true;
}

bool line_walk_next(line_walk *w, bool *failed)
{
    bool has = w->made < w->height && !w->stopped && fill_up(w) && w->made < w->height;
    void *to = has ? w->ends.out(w->ends.user, w->made) : NULL;
    *failed = w->made < w->height && !to;
    if (!to) {
        return false;
    }
    line_store(w, w->taken++, to);
    w->made++;
    return true;
}
