/* The inner loops of passes along a line, one set for each level of the CPU. */
#ifndef SATF_FILTER_LINE_KERNELS_H
#define SATF_FILTER_LINE_KERNELS_H

#include "../base/cpu.h"
#include "line.h"

/* Lines side by side, and rows that enter columns at a time, at most. */
enum { LINE_LANES = 32, LINE_ROWS = 8 };

/* What a narrow pass reads and makes. An output row is at y, `before` is row y + r of the pass's
 * input, `leaving` row y - r - 1; `sums` are those of rows y - r ... y + r, of y - 1 when it
 * begins. */
typedef struct line_rows {
    const uint16_t *before, *leaving;
    int32_t *sums;
    uint16_t *to; /* what enters the next pass */
} line_rows;

/* A row that enters the first pass, row y + r + 1 of its input; each pass takes what the one before
 * has made. */
typedef struct line_tick {
    const uint16_t *entering;
    int passes;
    line_rows of[LINE_MAX_PASSES];
} line_tick;

typedef struct line_kernels {
    /* Some rows more of n columns. Rows are read and written up to a multiple of LINE_LANES. */
    void (*down)(float inner, float outer, const line_tick *ticks, int count, int64_t n);
    /* A pass over a line of n places of `lanes` numbers (a multiple of LINE_LANES), in place. There
     * are n - 2 r - 2 results, the first at the front. */
    void (*along)(int64_t radius, float inner, float outer, uint16_t *line, int64_t n,
                  int64_t lanes);
    /* to = from in 8.8, and to the nearest sample, halves up. */
    void (*widen)(const uint8_t *from, uint16_t *to, int64_t n);
    void (*narrow)(const uint16_t *from, uint8_t *to, int64_t n);
    /* to = numbers 0 <= x < 2^31 rounded, halves up, and saturated. */
    void (*round_u8)(const double *from, uint8_t *to, int64_t n);
    void (*round_u16)(const double *from, void *to, int64_t n);
    /* sums += with */
    void (*add)(double *sums, const double *with, int64_t n);
    /* to = with + sums */
    void (*join)(const double *with, const double *sums, double *to, int64_t n);
    /* to = inner sums + outer (a + b), of integers rounded to nearest, halves to even. */
    void (*weigh)(double inner, double outer, const double *sums, const double *a, const double *b,
                  double *to, int64_t n, bool rounds);
} line_kernels;

extern const line_kernels line_kernels_base;
#ifdef SATF_HAVE_X86_ISA
extern const line_kernels line_kernels_avx2, line_kernels_avx512;
#endif

#endif
