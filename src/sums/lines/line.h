/*
 * A Gaussian by boxes: passes along the rows, then as many down the columns, each a box with a
 * fraction of a sample more at either end (filters/gauss.h). The border extends the picture once,
 * before the first pass.
 */
#ifndef SATF_SUMS_LINES_LINE_H
#define SATF_SUMS_LINES_LINE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "line_numbers.h"
#include "../../chain/pass.h"

static inline line_numbers line_numbers_of(const satf_view *in, const filter_axes *axes,
                                           bool weighted, bool shrinks)
{
    bool real = in->type == SATF_F32 || in->type == SATF_F64, own = axes->along.times == 0;
    bool single = own && in->type == SATF_F32 && !weighted && !shrinks;
    int bits = in->type == SATF_U8 ? 8 : 16, all = weighted ? 2 * bits : bits;
    int weight_bits = all == 16 && !weighted ? LINE_FINE_WEIGHT_BITS : LINE_WEIGHT_BITS;
    int room = LINE_EXACT_BITS - weight_bits - all, fraction = room < 8 ? room : 8;
    return (line_numbers){
        .type = in->type,
        .channels = in->channels,
        .weighted = weighted,
        .shrinks = shrinks,
        .own = own,
        .narrow = in->type == SATF_U8 && !weighted && !shrinks,
        .rounds = !real,
        .single = single,
        .scale = single        ? 1.0 / LINE_SINGLES
                 : real || own ? 1
                               : ldexp(1, LINE_BITS - all),
        .alpha_scale = real ? 1 : ldexp(1, own ? all - bits : LINE_BITS - bits),
        .weight_bits = real ? 0 : weight_bits,
        .gain = real || !own ? 1 : ldexp(1, fraction + weight_bits),
        .between = real ? 1 : ldexp(1, fraction),
    };
}

/* How numbers are summed and rounded. */
typedef enum line_kind { LINE_NARROW, LINE_WHOLE, LINE_REAL } line_kind;

static inline line_kind line_kind_of(const line_numbers *of)
{
    return of->narrow ? LINE_NARROW : of->rounds ? LINE_WHOLE : LINE_REAL;
}

static inline size_t line_number_bytes(line_kind kind)
{
    return kind == LINE_NARROW ? sizeof(uint16_t) : sizeof(double);
}

/* The number of a sample inside the picture, for passes over ones where the border shrinks. */
static inline double line_one(const line_numbers *of)
{
    return of->rounds ? (double)(INT64_C(1) << (LINE_BITS - 1)) : 1;
}

typedef struct line_spec {
    satf_view in, out; /* on the host; without data by rows. Of one shape; any two types */
    filter_axes axes;
    int border;                      /* satf_border */
    double constant, weight_outside; /* weight_outside: unless 0, of the last channel */
    bool weighted;                   /* the last channel is alpha */
    /* LINE_DOWN: rows have been passed along already: `passed` has their numbers, of all pixels of
     * `in`, passed_stride bytes apart. LINE_ALONG: passes along only. */
    enum { LINE_BOTH, LINE_ALONG, LINE_DOWN } part;
    const char *passed;
    int64_t passed_stride;
} line_spec;

/* Rows of the input, their number as far as is known, and where rows of the result go, as
 * filter_rows has them. goes_on is told how many numbers are passed along or down next, perhaps
 * many before a row comes out; false: the walk fails. NULL: it is not asked. */
typedef struct line_ends {
    const void *(*row)(void *user, int64_t y);
    int64_t (*height)(void *user);
    void *(*out)(void *user, int64_t y);
    void *user;
    bool (*goes_on)(void *user, int64_t numbers);
} line_ends;

/* Bytes that a walk needs, aligned to 64; 0: they overflow. */
size_t line_walk_bytes(const line_spec *spec);

/* The bytes of a row of numbers that have been passed along. */
int64_t line_passed_bytes(const line_spec *spec);

/* LINE_ALONG: passes at most LINE_LANES rows from y on along, to `passed`, where rows are
 * line_passed_bytes() apart and LINE_LANES have room. memory: as for a walk. False if a row does
 * not come. */
bool line_pass_rows(const line_spec *spec, const line_ends *ends, int64_t y, char *passed,
                    void *memory);

/* As filter_rows_need.columns. */
int64_t line_block_columns(const line_spec *spec);

/* Input rows that the source must keep, as filter_rows_need.kept. */
int64_t line_rows_kept(const line_spec *spec);

/* A pixel beyond the border, as numbers. weight: of the last channel; 0: that is the constant. */
void line_find_outside(const line_numbers *of, int border, double constant, double weight,
                       double *outside);

typedef struct line_walk line_walk;

/* Begins a walk that makes the result's rows from `first` on. Arguments and memory must stay. */
line_walk *line_walk_begin(const line_spec *spec, const line_ends *ends, int64_t first,
                           void *memory);

/* Makes the next row. False behind the last one; and after a failure, with *failed set. */
bool line_walk_next(line_walk *walk, bool *failed);

#endif
