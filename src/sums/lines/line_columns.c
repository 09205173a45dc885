/*
 * Passes down the columns by rings of rows. Sums of whole numbers slide. Sums of other doubles have
 * two parts: windows are as high as blocks of rows, so a window is the end of one block and the
 * start of the next. Nothing is subtracted, so a sample that is not finite stays in its windows,
 * and the order of additions depends only on where the rows lie.
 */
#include "line_columns.h"

#include <string.h>

#include "../../base/memory.h"

/* Rows of memory of each pass. */
static int64_t pass_rows(const filter_lines *w, line_kind kind)
{
    return span_of(w) + (kind == LINE_NARROW ? 2 : kind == LINE_WHOLE ? 1 : span_of(w) - 1);
}

/* Bytes of a row: an odd number of lines of the cache, so that rows that are read together do not
 * compete for sets. */
static size_t line_columns_row_bytes_of(line_kind kind, int64_t n)
{
    return satf_align64((size_t)n * line_number_bytes(kind)) | 64;
}

/* With rows of results. */
size_t line_columns_bytes(const filter_lines *lines, line_kind kind, int64_t n)
{
    size_t bytes;
    int64_t rows = lines->times * pass_rows(lines, kind) + LINE_ROWS;
    return n < INT64_MAX / 16 && satf_mul(line_columns_row_bytes_of(kind, n), (size_t)rows, &bytes)
               ? bytes
               : 0;
}

static char *pass_memory(const line_columns *c, int pass)
{
    return c->memory + (size_t)(pass * pass_rows(&c->lines, c->kind)) * c->row_bytes;
}

static char *result_row(const line_columns *c, int64_t t)
{
    return pass_memory(c, c->lines.times) + (size_t)(t % LINE_ROWS) * c->row_bytes;
}

bool line_columns_begin(line_columns *c, const filter_lines *lines, line_kind kind, int64_t n,
                        int64_t first, void *memory, const line_listener *listener)
{
    enum { PIECE_BYTES = 1 << 18 }; /* of memory cleared between two questions */
    *c = (line_columns){SATF_ISA_CHOOSE(&line_kernels),
                        *lines,
                        kind,
                        (size_t)n * line_number_bytes(kind),
                        first,
                        0,
                        0,
                        0,
                        line_columns_row_bytes_of(kind, n),
                        memory};
    size_t bytes = (size_t)(pass_memory(c, lines->times) - c->memory), piece;
    bool wanted = true;
    for (size_t at = 0; at < bytes && wanted; at += piece) {
        piece = bytes - at < PIECE_BYTES ? bytes - at : PIECE_BYTES;
        memset(c->memory + at, 0, piece);
        wanted = listener->goes_on(listener->user, (int64_t)piece);
    }
    return wanted;
}

/* The first row of a pass enters when the pass before has had a whole window. */
static int64_t start_of(const line_columns *c, int pass)
{
    return pass * span_of(&c->lines);
}

/* Row t enters the first pass. */
static line_tick tick_of(const line_columns *c, const char *row, int64_t t)
{
    const filter_lines *w = &c->lines;
    line_tick tick = {.entering = row, .to = result_row(c, t)};
    int64_t span = span_of(w), side = span - 1;
    for (int k = 0; k < w->times && start_of(c, k) <= t; k++) {
        int64_t rest = (c->first + t - k * (w->radius + 1)) % side;
        size_t place = (size_t)(rest < 0 ? rest + side : rest);
        tick.of[tick.passes++] = (line_rows){.ring = pass_memory(c, k),
                                             .place = (size_t)(t % span),
                                             .ends = place,
                                             .begins = place == 0 || t == start_of(c, k)};
    }
    return tick;
}

/* How many rows the ticks read, with those summed where a block ends. */
static int64_t line_columns_rows_of(const line_columns *c, const line_tick *ticks, int count)
{
    int64_t rows = 0;
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < ticks[i].passes; k++) {
            bool ends = c->kind == LINE_REAL && ticks[i].of[k].ends == 0;
            rows += 1 + (ends ? span_of(&c->lines) : 0);
        }
    }
    return rows;
}

/* Passes down part by part, as many between two questions as SATF_TICK_SAMPLES allow. */
static bool line_columns_pass_down(const line_columns *c, const line_tick *ticks, int count,
                                   const line_listener *listener)
{
    int64_t rows = line_columns_rows_of(c, ticks, count),
            number = (int64_t)line_number_bytes(c->kind);
    int64_t parts = SATF_TICK_SAMPLES / (rows * (LINE_PART_BYTES / number) + 1) + 1;
    size_t step = (size_t)parts * LINE_PART_BYTES;
    for (size_t first = 0; first < c->bytes; first += step) {
        size_t end = c->bytes - first < step ? c->bytes : first + step;
        if (!listener->goes_on(listener->user, rows * (int64_t)(end - first) / number)) {
            return false;
        }
        c->kernels->down(c->kind, &c->lines, c->row_bytes, first, end, ticks, count);
    }
    return true;
}

int line_columns_next(line_columns *c, const char *const *rows, int count,
                      const line_listener *listener)
{
    line_tick ticks[LINE_ROWS];
    int64_t lack = start_of(c, c->lines.times) - c->entered;
    c->spoilt = lack < 0 ? 0 : lack < count ? (int)lack : count;
    for (int i = 0; i < count; i++) {
        ticks[i] = tick_of(c, rows[i], c->entered + i);
    }
    bool wanted = line_columns_pass_down(c, ticks, count, listener);
    c->entered += count;
    c->latest = count;
    return wanted ? count - c->spoilt : -1;
}

const void *line_columns_result(const line_columns *c, int i)
{
    return result_row(c, c->entered - c->latest + c->spoilt + i);
}
