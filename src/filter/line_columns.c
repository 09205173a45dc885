/*
 * Rings of rows. Sums of whole numbers slide. Sums of other doubles are those of two parts: windows
 * are as high as blocks of rows, so one is the end of a block and the start of the next one.
 * Nothing is subtracted, so what is not finite stays in its windows, and the order of additions
 * depends on where the rows lie alone.
 */
#include "line_columns.h"

#include <string.h>

#include "../base/memory.h"

/* Rows of memory a pass. */
static int64_t pass_rows(const filter_lines *w, line_kind kind)
{
    return span_of(w) + (kind == LINE_NARROW ? 2 : kind == LINE_WHOLE ? 1 : span_of(w) - 1);
}

/* An odd number of lines of the cache, so that the rows that are read together do not compete for
 * places. */
static size_t row_bytes_of(line_kind kind, int64_t n)
{
    return satf_align64((size_t)n * line_number_bytes(kind)) | 64;
}

/* And rows of results. */
size_t line_columns_bytes(const filter_lines *lines, line_kind kind, int64_t n)
{
    size_t bytes;
    int64_t rows = lines->times * pass_rows(lines, kind) + LINE_ROWS;
    return n < INT64_MAX / 16 && satf_mul(row_bytes_of(kind, n), (size_t)rows, &bytes) ? bytes : 0;
}

static char *pass_memory(const line_columns *c, int pass)
{
    return c->memory + (size_t)(pass * pass_rows(&c->lines, c->kind)) * c->row_bytes;
}

static char *result_row(const line_columns *c, int64_t t)
{
    return pass_memory(c, c->lines.times) + (size_t)(t % LINE_ROWS) * c->row_bytes;
}

void line_columns_begin(line_columns *c, const filter_lines *lines, line_kind kind, int64_t n,
                        int64_t first, void *memory)
{
    *c = (line_columns){SATF_ISA_CHOOSE(&line_kernels),
                        *lines,
                        kind,
                        (size_t)n * line_number_bytes(kind),
                        first,
                        0,
                        0,
                        0,
                        row_bytes_of(kind, n),
                        memory};
    memset(memory, 0, (size_t)(pass_memory(c, lines->times) - c->memory));
}

/* A pass has its first row when the one before it has had a whole window. */
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

int line_columns_next(line_columns *c, const char *const *rows, int count)
{
    line_tick ticks[LINE_ROWS];
    int64_t lack = start_of(c, c->lines.times) - c->entered;
    c->spoilt = lack < 0 ? 0 : lack < count ? (int)lack : count;
    for (int i = 0; i < count; i++) {
        ticks[i] = tick_of(c, rows[i], c->entered + i);
    }
    c->kernels->down(c->kind, &c->lines, c->row_bytes, c->bytes, ticks, count);
    c->entered += count;
    c->latest = count;
    return count - c->spoilt;
}

const void *line_columns_result(const line_columns *c, int i)
{
    return result_row(c, c->entered - c->latest + c->spoilt + i);
}
