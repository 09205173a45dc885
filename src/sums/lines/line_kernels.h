/* The inner loops of passes along lines and down columns, a set for each level of the CPU. */
#ifndef SATF_SUMS_LINES_LINE_KERNELS_H
#define SATF_SUMS_LINES_LINE_KERNELS_H

#include "../../base/cpu.h"
#include "line.h"

/* The most rows that are passed along at a time, and that enter columns at a time; and bytes of a
 * part of a row, whose sums stay in the first level of cache. */
enum { LINE_LANES = 32, LINE_ROWS = 8, LINE_PART_BYTES = 1024 };

/* Memory of a pass down: a ring of 2 r + 2 rows that have entered, of which the row that enters
 * replaces the one that leaves. Behind them are sums. Those of whole numbers are over all rows of
 * the ring (LINE_NARROW: of 32 bits, in two rows). Those of LINE_REAL are over the rows of a block
 * that have entered; behind these lie the sums from rows 1, 2, ... 2 r of the block before to its
 * end. Rows are multiples of 64 bytes. */
typedef struct line_rows {
    char *ring;
    size_t place; /* of the row that enters, in the ring */
    size_t ends;  /* LINE_REAL: where the window begins in the block before; 0: a block ends */
    bool begins;  /* a block begins with the row that enters */
} line_rows;

/* A row that enters the first pass; each further pass takes the result of the one before. */
typedef struct line_tick {
    const char *entering;
    char *to;
    int passes;
    line_rows of[LINE_MAX_PASSES];
} line_tick;

typedef struct line_kernels {
    /* Bytes first ... end - 1, up to a multiple of 64, of `count` more rows; first: where a part
     * begins. */
    void (*down)(line_kind kind, const filter_lines *lines, size_t row_bytes, size_t first,
                 size_t end, const line_tick *ticks, int count);
    /* A pass over a line of n places, each of numbers side by side (bytes: a multiple of 64), in
     * place. There are n - 2 r - 2 results, from the front on. first: the coordinate of the line's
     * first place; ends: room for 2 r + 1 times 64 bytes. */
    void (*along)(line_kind kind, const filter_lines *lines, char *line, int64_t n, size_t bytes,
                  int64_t first, char *ends);
    /* to = from in 8.8 bits; and back, to the nearest sample, halves up. */
    void (*widen)(const uint8_t *from, uint16_t *to, int64_t n);
    void (*narrow)(const uint16_t *from, uint8_t *to, int64_t n);
    /* numbers of pixel x /= ones[x]; rounds: as passes round. */
    void (*divide)(double *numbers, const double *ones, int64_t pixels, int64_t lanes, bool rounds);
    /* to = from * by / one, never -0 */
    void (*scale)(const double *from, double by, double one, double *to, int64_t n);
    /* to[i] = from[i] * by / divisors[i], 0 where that is 0 */
    void (*quotients)(const double *from, double by, const double *divisors, double *to, int64_t n);
} line_kernels;

extern const line_kernels line_kernels_base;
#ifdef SATF_HAVE_X86_ISA
extern const line_kernels line_kernels_avx2, line_kernels_avx512;
#endif

/* The rows from the first to the last that a result takes, both included. */
static inline int64_t span_of(const filter_lines *w)
{
    return 2 * w->radius + 2;
}

#endif
