/* The window engine's inner loops, one set for each level of the CPU. */
#ifndef SATF_WINDOW_KERNELS_H
#define SATF_WINDOW_KERNELS_H

#include "../base/cpu.h"
#include "../base/sums.h"

/* A row of samples and how it becomes summands. */
typedef struct vertical_row {
    satf_summand summand;
    int channels;
    int64_t pixels;
} vertical_row;

/*
 * Down the columns: per sample type and column sum type. Sample rows need no
 * alignment; column sums lie `channels` a pixel like the samples.
 */
typedef struct vertical_kernels {
    /* sums[i] = base[i] + times * summand i of row (times 1: nothing is
     * multiplied). base may be sums. */
    void (*add)(const vertical_row *shape, void *sums, const void *base, const void *row,
                int64_t times);
    /* running[i] += summand i of row; sums[i] = part[i] + running[i]. */
    void (*add_both)(const vertical_row *shape, void *sums, void *running, const void *part,
                     const void *row);
    /* sums[i] += summand i of enter - summand i of leave. Integers only. */
    void (*march)(const vertical_row *shape, void *sums, const void *enter, const void *leave);
} vertical_kernels;

/*
 * Along a row, per column sum type and sum type: a row is done in segments from
 * left to right, so that all stays in the first level of cache.
 */
typedef struct horizontal_row {
    int channels;
    int64_t x, pixels;  /* the segment */
    int64_t row_pixels; /* sums of the whole row */
    int64_t window;     /* columns a sum, >= 1 */
} horizontal_row;

/* Memory that the kernels work in, in sums: first and level arrays of small windows;
 * a segment has at most HORIZONTAL_SEGMENT samples. */
#define HORIZONTAL_SEGMENT 2048
#define HORIZONTAL_LEVELS 5
#define HORIZONTAL_LEVEL_SAMPLES (HORIZONTAL_SEGMENT + 320)
/* The sums that the next segment starts with. */
#define HORIZONTAL_CARRY_SAMPLES 64

typedef struct horizontal_kernels {
    /* sums[x] = columns[x] + ... + columns[x + window - 1] for every pixel of the
     * segment. columns starts at the segment and reaches HORIZONTAL_CARRY_SAMPLES past
     * the row. spare keeps what the row's next segment needs; sums has room for
     * HORIZONTAL_CARRY_SAMPLES more. */
    void (*run)(const horizontal_row *shape, const void *columns, void *spare, void *sums);
    /* Pixel to + i of columns = pixel from[i], for i below count. */
    void (*pad)(int channels, void *columns, const int64_t *from, int64_t count, int64_t to);
    /* fixed[c] += times * column[c], one pixel */
    void (*add_pixel)(int channels, void *fixed, const void *column, int64_t times);
    /* Adds the fixed pixel to the segment's sums. */
    void (*add_fixed)(const horizontal_row *shape, void *sums, const void *fixed);
} horizontal_kernels;

typedef struct window_kernels {
    vertical_kernels vertical[SATF_F64 + 1][SATF_SUM_F64 + 1];
    horizontal_kernels horizontal[SATF_SUM_F64 + 1][SATF_SUM_F64 + 1];
} window_kernels;

extern const window_kernels window_kernels_base, window_kernels_avx2, window_kernels_avx512;

#endif
