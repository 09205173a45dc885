/*
 * Rings of rows. Numbers of 16 bits have running sums, which are exact. Sums of doubles are those
 * of two parts: windows are as high as blocks of rows, so one is the end of a block and the start
 * of the next one. Nothing is subtracted, so what is not finite stays in its windows, and the
 * order of additions depends on where the rows lie alone.
 */
#include "line_columns.h"

#include <string.h>

#include "../base/memory.h"

/* Rows of a pass's input between its first and its last that a result takes. */
static int64_t span_of(const filter_lines *w)
{
    return 2 * w->radius + 2;
}

static int64_t ring_rows(const filter_lines *w)
{
    return span_of(w) + LINE_ROWS;
}

static int64_t side_of(const filter_lines *w)
{
    return 2 * w->radius + 1;
}

/* Rows of memory a pass. Narrow: its sums take two. Else the sums to the ends of blocks, and from
 * their starts. */
static int64_t pass_rows(const filter_lines *w, bool narrow)
{
    return ring_rows(w) + (narrow ? 2 : side_of(w) + 1);
}

/* An odd number of lines of the cache, so that the rows that are read together do not compete for
 * places. */
static size_t row_bytes_of(bool narrow, int64_t n)
{
    return satf_align64((size_t)n * (narrow ? sizeof(uint16_t) : sizeof(double))) | 64;
}

/* And a row of zeros or sums, and those of results. */
size_t line_columns_bytes(const filter_lines *lines, bool narrow, int64_t n)
{
    size_t bytes;
    int64_t rows = lines->times * pass_rows(lines, narrow) + 1 + LINE_ROWS;
    return n < INT64_MAX / 16 && satf_mul(row_bytes_of(narrow, n), (size_t)rows, &bytes) ? bytes
                                                                                         : 0;
}

static void *row_at(const line_columns *c, int64_t row)
{
    return c->memory + (size_t)row * c->row_bytes;
}

/* Row t of the input of that pass, counted as rows enter the first. */
static void *ring_row(const line_columns *c, int pass, int64_t t)
{
    return row_at(c, pass * pass_rows(&c->lines, c->narrow) + t % ring_rows(&c->lines));
}

static void *sums_row(const line_columns *c, int pass, int64_t row)
{
    return row_at(c, pass * pass_rows(&c->lines, c->narrow) + ring_rows(&c->lines) + row);
}

static void *spare_row(const line_columns *c)
{
    return row_at(c, c->lines.times * pass_rows(&c->lines, c->narrow));
}

static void *result_row(const line_columns *c, int64_t t)
{
    return row_at(c, c->lines.times * pass_rows(&c->lines, c->narrow) + 1 + t % LINE_ROWS);
}

void line_columns_begin(line_columns *c, const filter_lines *lines, const line_numbers *numbers,
                        int64_t n, int64_t first, void *memory)
{
    *c = (line_columns){SATF_ISA_CHOOSE(&line_kernels),
                        *lines,
                        numbers->narrow,
                        numbers->rounds,
                        n,
                        first,
                        0,
                        0,
                        0,
                        row_bytes_of(numbers->narrow, n),
                        memory};
    for (int k = 0; k < lines->times && c->narrow; k++) {
        memset(sums_row(c, k, 0), 0, 2 * c->row_bytes);
    }
    memset(spare_row(c), 0, c->row_bytes);
}

void *line_columns_enter(line_columns *c, int i)
{
    return ring_row(c, 0, c->entered + i);
}

/* A pass has its first row when the one before it has had a whole window. */
static int64_t start_of(const line_columns *c, int pass)
{
    return pass * span_of(&c->lines);
}

/* Where pass `pass` leaves what it makes of row t. */
static void *target_row(const line_columns *c, int pass, int64_t t)
{
    return pass + 1 < c->lines.times ? ring_row(c, pass + 1, t) : result_row(c, t);
}

static line_tick tick_of(const line_columns *c, int64_t t)
{
    line_tick tick = {.entering = ring_row(c, 0, t)};
    int64_t back = span_of(&c->lines);
    for (int k = 0; k < c->lines.times && start_of(c, k) <= t; k++) {
        int64_t start = start_of(c, k);
        tick.of[tick.passes++] = (line_rows){
            .before = t - 1 >= start ? ring_row(c, k, t - 1) : spare_row(c),
            .leaving = t - back >= start ? ring_row(c, k, t - back) : spare_row(c),
            .sums = sums_row(c, k, 0),
            .to = target_row(c, k, t),
        };
    }
    return tick;
}

static void next_narrow(const line_columns *c, int count)
{
    line_tick ticks[LINE_ROWS];
    for (int i = 0; i < count; i++) {
        ticks[i] = tick_of(c, c->entered + i);
    }
    c->kernels->down((float)c->lines.inner, (float)c->lines.outer, ticks, count, c->n);
}

/* The sums from each row of a block to its last one, t; but of its first, which is the block's. */
static void sum_ends(line_columns *c, int pass, int64_t t)
{
    int64_t side = side_of(&c->lines), start = start_of(c, pass);
    double *below = NULL;
    for (int64_t q = side - 1; q >= 1 && t >= start; q--, t--) {
        double *sums = sums_row(c, pass, q);
        const double *row = ring_row(c, pass, t);
        if (below) {
            c->kernels->join(row, below, sums, c->n);
        } else {
            memcpy(sums, row, c->row_bytes);
        }
        below = sums;
    }
}

/* Row t enters the pass; to: where its result goes if it has a whole window. */
static void next_pass(line_columns *c, int pass, int64_t t, double *to)
{
    const filter_lines *w = &c->lines;
    int64_t side = side_of(w), start = start_of(c, pass);
    int64_t y = c->first + t - 1 - pass * (w->radius + 1);
    int64_t place = y % side < 0 ? y % side + side : y % side;
    if (t == start) {
        return;
    }
    const double *row = ring_row(c, pass, t - 1), *sums;
    double *block = sums_row(c, pass, side);
    if (place == 0 || t - 1 == start) {
        memcpy(block, row, c->row_bytes);
    } else {
        c->kernels->add(block, row, c->n);
    }
    if (t - start >= side + 1) {
        sums = block;
        if (place < side - 1) {
            c->kernels->join(sums_row(c, pass, place + 1), block, spare_row(c), c->n);
            sums = spare_row(c);
        }
        c->kernels->weigh(w->inner, w->outer, sums, ring_row(c, pass, t - side - 1),
                          ring_row(c, pass, t), to, c->n, c->rounds);
    }
    if (place == side - 1) {
        sum_ends(c, pass, t - 1);
    }
}

static void next_wide(line_columns *c, int64_t t)
{
    for (int k = 0; k < c->lines.times && start_of(c, k) <= t; k++) {
        next_pass(c, k, t, target_row(c, k, t));
    }
}

int line_columns_next(line_columns *c, int count)
{
    int64_t lack = start_of(c, c->lines.times) - c->entered;
    c->spoilt = lack < 0 ? 0 : lack < count ? (int)lack : count;
    if (c->narrow) {
        next_narrow(c, count);
    }
    for (int i = 0; i < count && !c->narrow; i++) {
        next_wide(c, c->entered + i);
    }
    c->entered += count;
    c->latest = count;
    return count - c->spoilt;
}

const void *line_columns_result(const line_columns *c, int i)
{
    return result_row(c, c->entered - c->latest + c->spoilt + i);
}
