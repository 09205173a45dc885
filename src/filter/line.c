/* Along the rows, some at a time, which change places with columns for that; then down the
 * columns. */
#include "line.h"

#include <string.h>

#include "../base/border.h"
#include "../base/memory.h"
#include "../base/sums.h"
#include "../base/view.h"
#include "../move/kernels.h"
#include "line_columns.h"
#include "pixels.h"

enum {
    BATCH = LINE_LANES,
    LINE_BYTES = 256 << 10, /* of a line that passes go over, at least: it stays in the cache */
};

/* Where everything lies in a walk's memory. */
typedef struct line_layout {
    size_t staging, turned, line, across, results, down, values, bytes;
    size_t stage_stride, result_stride; /* of rows */
    int64_t chunk;                      /* pixels of narrow rows at a time */
} line_layout;

struct line_walk {
    line_spec spec;
    line_ends ends;
    line_numbers numbers;
    line_layout at;
    const move_kernels *moves;
    const line_kernels *kernels;
    char *memory;
    char *results; /* of the rows that have been passed along */
    line_columns down;
    int64_t height;
    int64_t lowest, next; /* row that is asked for; to enter, borders included */
    int64_t first, end;   /* rows that have been passed along */
    int64_t made;         /* the next row of the result */
    int ready, taken;     /* results of the latest rows that have entered */
    double outside[SATF_MAX_CHANNELS];
};

/* Numbers of a row in front of a 1 that says what part of a window is inside. */
static int64_t row_numbers(const line_spec *spec)
{
    return satf_row_samples(&spec->in);
}

static bool shrinks(const line_spec *spec)
{
    return spec->border == SATF_SHRINK;
}

static line_numbers numbers_of(const line_spec *spec)
{
    return line_numbers_of(&spec->in, spec->weighted, shrinks(spec));
}

static bool add_part(line_layout *at, size_t rows, size_t row_bytes, size_t *part)
{
    size_t bytes;
    *part = at->bytes;
    return satf_mul(rows, row_bytes, &bytes) && bytes < SIZE_MAX / 16 &&
           satf_add(at->bytes, satf_align64(bytes), &at->bytes);
}

static bool lay_out_along(const line_spec *spec, line_layout *at)
{
    bool narrow = numbers_of(spec).narrow;
    int64_t n = row_numbers(spec), lanes = BATCH * spec->in.channels;
    int64_t reach = filter_lines_reach(&spec->lines);
    int64_t pixels = LINE_BYTES / (lanes * (int64_t)sizeof(uint16_t));
    size_t number = narrow ? sizeof(uint16_t) : sizeof(double);
    size_t across = narrow ? 0 : line_columns_bytes(&spec->lines, false, lanes + 1);
    at->chunk = pixels > 6 * reach ? pixels - 2 * reach : 4 * reach;
    at->chunk = at->chunk < spec->in.width ? at->chunk : spec->in.width;
    int64_t places = narrow ? at->chunk + 2 * reach : spec->in.width;
    at->stage_stride = satf_align64((size_t)n * (narrow ? 1 : sizeof(double))) | 64;
    at->result_stride = (size_t)line_passed_bytes(spec);
    return add_part(at, BATCH, at->stage_stride, &at->staging) &&
           add_part(at, (size_t)n * BATCH, narrow ? 1 : sizeof(double), &at->turned) &&
           add_part(at, (size_t)lanes, (size_t)places * number, &at->line) &&
           add_part(at, 1, across, &at->across);
}

static bool lay_out(const line_spec *spec, line_layout *at)
{
    bool narrow = numbers_of(spec).narrow;
    int64_t n = row_numbers(spec);
    *at = (line_layout){.bytes = satf_align64(sizeof(line_walk))};
    if (n > INT64_MAX / 4096 || (spec->part != LINE_DOWN && !lay_out_along(spec, at))) {
        return false;
    }
    if (spec->part == LINE_BOTH && !add_part(at, BATCH, at->result_stride, &at->results)) {
        return false;
    }
    size_t down = line_columns_bytes(&spec->lines, narrow, n + 1);
    return spec->part == LINE_ALONG || (down > 0 && add_part(at, 1, down, &at->down) &&
                                        add_part(at, 1, (size_t)n * sizeof(double), &at->values));
}

int64_t line_passed_bytes(const line_spec *spec)
{
    size_t number = numbers_of(spec).narrow ? sizeof(uint16_t) : sizeof(double);
    return (int64_t)(satf_align64((size_t)row_numbers(spec) * number) | 64);
}

size_t line_walk_bytes(const line_spec *spec)
{
    line_layout at;
    return lay_out(spec, &at) ? at.bytes : 0;
}

int64_t line_rows_kept(const line_spec *spec)
{
    int64_t rows = filter_lines_reach(&spec->lines) + BATCH;
    return rows < spec->in.height ? rows : spec->in.height;
}

/* --------------------------------------------------------------- samples and numbers */

/* Of doubles. */
static void load(const line_numbers *of, const void *row, int64_t pixels, double *to)
{
    int64_t n = pixels * of->channels;
    satf_summand summand = of->weighted ? SATF_SUMMAND_WEIGHTED : SATF_SUMMAND_PLAIN;
    satf_summands((satf_type)of->type, of->channels, summand, row, pixels,
                  of->rounds ? SATF_SUM_U64 : SATF_SUM_F64, to);
    for (int64_t i = 0; i < n && of->rounds; i++) {
        int64_t integer; /* below 2^32 */
        memcpy(&integer, &to[i], sizeof integer);
        bool alpha = of->weighted && (i + 1) % of->channels == 0;
        to[i] = (double)integer * (alpha ? of->alpha_scale : of->scale);
    }
}

/* numbers /= one, rounded if they are whole. */
static void divide(const line_numbers *of, double one, double *numbers, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        double quotient = numbers[i] / one;
        numbers[i] = of->rounds ? (quotient + 0x1.8p52) - 0x1.8p52 : quotient;
    }
}

static void finish_weighted(const line_numbers *of, const double *from, int64_t pixels, double one,
                            double *to)
{
    int colours = of->channels - 1;
    for (int64_t x = 0; x < pixels; x++, from += of->channels, to += of->channels) {
        double alpha = from[colours] / of->alpha_scale;
        for (int c = 0; c < colours; c++) {
            to[c] = alpha == 0 ? 0 : from[c] / of->scale / alpha + 0.0;
        }
        to[colours] = alpha / one + 0.0;
    }
}

/* A row of the passes' results as samples, unrounded. */
static void finish(const line_walk *w, const void *row, double *to)
{
    const line_numbers *of = &w->numbers;
    int64_t n = row_numbers(&w->spec);
    const double *from = row;
    if (of->narrow) {
        for (int64_t i = 0; i < n; i++) {
            to[i] = (double)((const uint16_t *)row)[i] / (1 << LINE_NARROW_BITS);
        }
        return;
    }
    double one = of->shrinks ? from[n] / line_one(of) : 1;
    if (of->weighted) {
        finish_weighted(of, from, w->spec.in.width, one, to);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        to[i] = from[i] / of->scale / one + 0.0;
    }
}

void line_find_outside(const line_numbers *of, int border, double constant, double *outside)
{
    double v = border == SATF_CONSTANT ? constant : 0;
    for (int c = 0; c < of->channels; c++) {
        bool alpha = of->weighted && c + 1 == of->channels;
        outside[c] = of->narrow               ? v * (1 << LINE_NARROW_BITS)
                     : of->weighted && !alpha ? v * v * of->scale
                     : alpha                  ? v * of->alpha_scale
                                              : v * of->scale;
    }
}

/* n numbers of what is outside. */
static void fill(const line_walk *w, void *to, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        double number = w->outside[i % w->numbers.channels];
        if (w->numbers.narrow) {
            ((uint16_t *)to)[i] = (uint16_t)number;
        } else {
            ((double *)to)[i] = number;
        }
    }
}

/* --------------------------------------------------------------------- along the rows */

/* Pixels x ... x + n - 1 of the turned rows, borders included, as one line each. */
static void fill_line(const line_walk *w, int64_t x, int64_t n, uint16_t *line)
{
    const line_spec *spec = &w->spec;
    const uint8_t *turned = (const uint8_t *)w->memory + w->at.turned;
    int64_t lanes = BATCH * spec->in.channels, width = spec->in.width;
    for (int64_t end = x + n, step; x < end; x += step, line += step * lanes) {
        int64_t i = satf_border_index(spec->border, x, width);
        step = 1;
        if (i < 0) {
            fill(w, line, lanes);
            continue;
        }
        if (x >= 0 && x < width) {
            step = end < width ? end - x : width - x;
        }
        w->kernels->widen(turned + i * lanes, line, step * lanes);
    }
}

static void pass_narrow(const line_walk *w)
{
    const line_spec *spec = &w->spec;
    const filter_lines *lines = &spec->lines;
    int channels = spec->in.channels;
    int64_t lanes = BATCH * channels, width = spec->in.width, reach = filter_lines_reach(lines);
    uint16_t *line = (uint16_t *)(void *)(w->memory + w->at.line);
    w->moves->transpose[channels](&(move_part){.in = w->memory + w->at.staging,
                                               .out = w->memory + w->at.turned,
                                               .in_stride = (int64_t)w->at.stage_stride,
                                               .out_stride = lanes,
                                               .width = width,
                                               .height = BATCH});
    for (int64_t x = 0, n; x < width; x += n) {
        n = w->at.chunk < width - x ? w->at.chunk : width - x;
        int64_t places = n + 2 * reach;
        fill_line(w, x - reach, places, line);
        for (int k = 0; k < lines->times; k++, places -= 2 * lines->radius + 2) {
            w->kernels->along(lines->radius, (float)lines->inner, (float)lines->outer, line, places,
                              lanes);
        }
        w->moves->transpose[2 * channels](&(move_part){.in = (char *)line,
                                                       .out = w->results + 2 * x * channels,
                                                       .in_stride = 2 * lanes,
                                                       .out_stride = (int64_t)w->at.result_stride,
                                                       .width = BATCH,
                                                       .height = n});
    }
}

/* A line of pixels as rows of columns. */
static void pass_wide(const line_walk *w)
{
    const line_spec *spec = &w->spec;
    int channels = spec->in.channels;
    int64_t lanes = BATCH * channels, width = spec->in.width,
            reach = filter_lines_reach(&spec->lines);
    size_t pixel = (size_t)lanes * sizeof(double);
    double one = line_one(&w->numbers);
    char *turned = w->memory + w->at.turned, *line = w->memory + w->at.line;
    move_part part = {.in = w->memory + w->at.staging,
                      .out = turned,
                      .in_stride = (int64_t)w->at.stage_stride,
                      .out_stride = (int64_t)pixel,
                      .width = width,
                      .height = BATCH};
    size_t pixel_bytes = (size_t)channels * sizeof(double);
    w->moves->transpose[pixel_bytes](&part);
    line_columns across;
    line_columns_begin(&across, &spec->lines, &w->numbers, lanes + shrinks(spec), -reach,
                       w->memory + w->at.across);
    for (int64_t x = -reach; x < width + reach; x++) {
        int64_t i = satf_border_index(spec->border, x, width);
        double *row = line_columns_enter(&across, 0);
        if (i < 0) {
            fill(w, row, lanes);
        } else {
            memcpy(row, turned + (size_t)i * pixel, pixel);
        }
        if (shrinks(spec)) {
            row[lanes] = i < 0 ? 0 : one;
        }
        if (line_columns_next(&across, 1)) {
            const double *passed = line_columns_result(&across, 0);
            double *to = (double *)(void *)(line + (size_t)(x - reach) * pixel);
            memcpy(to, passed, pixel);
            if (shrinks(spec)) {
                divide(&w->numbers, passed[lanes] / one, to, lanes);
            }
        }
    }
    w->moves->transpose[pixel_bytes](&(move_part){.in = line,
                                                  .out = w->results,
                                                  .in_stride = (int64_t)pixel,
                                                  .out_stride = (int64_t)w->at.result_stride,
                                                  .width = BATCH,
                                                  .height = width});
}

/* Input row y to place `place` of the batch. */
static bool stage(line_walk *w, int64_t y, int64_t place)
{
    char *to = w->memory + w->at.staging + (size_t)place * w->at.stage_stride;
    const void *row = w->ends.row(w->ends.user, y);
    if (row && w->numbers.narrow) {
        memcpy(to, row, (size_t)row_numbers(&w->spec));
    } else if (row) {
        load(&w->numbers, row, w->spec.in.width, (double *)(void *)to);
    }
    return row != NULL;
}

/* Rows around i, as many as there are places for; false if one does not come, w->height says
 * whether there is one. */
static bool pass_batch(line_walk *w, int64_t i)
{
    bool back = w->end > 0 && i < w->first;
    int64_t y = back ? i - BATCH + 1 : i;
    y = y > w->lowest ? y : w->lowest;
    w->first = w->end = y;
    int64_t until = back ? i + 1 : y + BATCH < w->height ? y + BATCH : w->height;
    for (; y < until; y++, w->end++) {
        if (!stage(w, y, y - w->first)) {
            w->height = w->ends.height(w->ends.user);
            if (w->height > y) {
                return false;
            }
            break;
        }
    }
    for (int64_t place = w->end - w->first; place > 0 && place < BATCH; place++) {
        char *staging = w->memory + w->at.staging;
        memcpy(staging + (size_t)place * w->at.stage_stride, staging, w->at.stage_stride);
    }
    if (w->end > w->first) {
        (w->numbers.narrow ? pass_narrow : pass_wide)(w);
    }
    return w->end > i;
}

/* Row i of those that enter next, wherever the border has it from. */
static bool enter(line_walk *w, int place)
{
    int64_t n = row_numbers(&w->spec), i = 0;
    char *to = line_columns_enter(&w->down, place);
    bool held = false;
    for (int64_t height = -1; !held && height != w->height;) {
        height = w->height;
        i = satf_border_index(w->spec.border, w->next, height);
        held =
            i < 0 || w->spec.part == LINE_DOWN || (i >= w->first && i < w->end) || pass_batch(w, i);
    }
    const char *passed = w->spec.part == LINE_DOWN
                             ? w->spec.passed + i * w->spec.passed_stride
                             : w->results + (i - w->first) * (int64_t)w->at.result_stride;
    if (held && i < 0) {
        fill(w, to, n);
    } else if (held) {
        memcpy(to, passed, (size_t)n * (w->numbers.narrow ? sizeof(uint16_t) : sizeof(double)));
    }
    if (shrinks(&w->spec)) {
        ((double *)(void *)to)[n] = i < 0 ? 0 : line_one(&w->numbers);
    }
    w->next += held;
    return held;
}

/* ------------------------------------------------------------------------------ walk */

/* A row of the passes' results to one of the output. */
static void store(const line_walk *w, const void *row, void *to)
{
    int64_t n = row_numbers(&w->spec);
    int type = w->spec.out.type;
    double *values = (double *)(void *)(w->memory + w->at.values);
    if (w->numbers.narrow && type == SATF_U8) {
        w->kernels->narrow(row, to, n);
        return;
    }
    finish(w, row, values);
    if (w->numbers.rounds && type == SATF_U8) {
        w->kernels->round_u8(values, to, n);
    } else if (w->numbers.rounds && type == SATF_U16) {
        w->kernels->round_u16(values, to, n);
    } else {
        filter_convert(SATF_F64, values, n, type, to);
    }
}

line_walk *line_walk_begin(const line_spec *spec, const line_ends *ends, int64_t first,
                           void *memory)
{
    line_walk *w = memory;
    int64_t reach = filter_lines_reach(&spec->lines);
    *w = (line_walk){.spec = *spec,
                     .ends = *ends,
                     .numbers = numbers_of(spec),
                     .moves = SATF_ISA_CHOOSE(&move_kernels),
                     .kernels = SATF_ISA_CHOOSE(&line_kernels),
                     .memory = memory,
                     .height = ends->height(ends->user),
                     .lowest = first > reach && spec->border != SATF_WRAP ? first - reach : 0,
                     .next = first - reach,
                     .made = first};
    lay_out(spec, &w->at);
    w->results = w->memory + w->at.results;
    line_find_outside(&w->numbers, spec->border, spec->constant, w->outside);
    if (spec->part != LINE_ALONG) {
        line_columns_begin(&w->down, &spec->lines, &w->numbers, row_numbers(spec) + shrinks(spec),
                           w->next, w->memory + w->at.down);
    }
    return w;
}

/* Rows enter until there are results; false if one does not come. None lies further below the
 * picture than results look. */
static bool fill_up(line_walk *w)
{
    while (w->ready == w->taken) {
        int count = 0;
        while (count < LINE_ROWS && w->next < w->height + filter_lines_reach(&w->spec.lines)) {
            if (!enter(w, count)) {
                return false;
            }
            count++;
        }
        w->ready = line_columns_next(&w->down, count);
        w->taken = 0;
    }
    return true;
}

bool line_pass_rows(const line_spec *spec, const line_ends *ends, int64_t y, char *passed,
                    void *memory)
{
    line_walk *w = line_walk_begin(spec, ends, 0, memory);
    w->results = passed + y * line_passed_bytes(spec);
    return pass_batch(w, y);
}

bool line_walk_next(line_walk *w, bool *failed)
{
    bool has = w->made < w->height && fill_up(w) && w->made < w->height;
    void *to = has ? w->ends.out(w->ends.user, w->made) : NULL;
    *failed = w->made < w->height && !to;
    if (!to) {
        return false;
    }
    store(w, line_columns_result(&w->down, w->taken++), to);
    w->made++;
    return true;
}
