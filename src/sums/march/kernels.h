/* The window engine's inner loops, one set for each level of the CPU. */
#ifndef SATF_SUMS_MARCH_KERNELS_H
#define SATF_SUMS_MARCH_KERNELS_H

#include "../../base/cpu.h"
#include "../../sat/sums.h"

/* A row of samples and how it becomes summands. */
typedef struct vertical_row {
    satf_summand summand;
    int channels;
    int64_t pixels;
} vertical_row;

/*
 * Down the columns: per type of row and column sum type. A row is of samples, or of summands that
 * summands() has made, which count as SATF_SUMMAND_PLAIN from then on (SATF_U16 ... SATF_U64 then
 * stand for the unsigned types of sums). Rows of samples need no alignment; sums lie `channels` a
 * pixel like the samples.
 */
typedef struct vertical_kernels {
    satf_type row;
    satf_sum_type sums;
    /* out[i] = summand i of row; never -0. For floats there are rows of doubles alone. */
    void (*summands)(const vertical_row *shape, const void *row, void *out);
    /* sums[i] += times * summand i of row. Plain and square summands only. */
    void (*add)(const vertical_row *shape, void *sums, const void *row, int64_t times);
    /* to[i] = from[i] + summand i of enter - summand i of leave; to is from, or apart from it.
     * Plain and square summands only. */
    void (*march)(const vertical_row *shape, const void *from, const void *enter, const void *leave,
                  void *to);
    /* For rows of n floats: to[i] = the sum of sample i of `count` rows, at most VERTICAL_DIRECT;
     * to[pitch + i] = that from the second row on, and so on: 1 or VERTICAL_RESULTS results. */
    void (*sum)(int count, int results, int64_t n, const void *const *rows, double *to,
                int64_t pitch);
} vertical_kernels;

enum { VERTICAL_DIRECT = 5, VERTICAL_RESULTS = 4 };

/* Pixels beside rows of column sums that lie one behind the other: pixel -before + i of a row is
 * its pixel from[i], and pixel width + i its pixel from[before + i]. */
typedef struct horizontal_pads {
    int channels;
    int64_t before, after, width; /* pixels */
    const int64_t *from;
    int64_t rows, pitch; /* pixels from row to row */
} horizontal_pads;

/*
 * Along a row, per column sum type and sum type. A row is done in segments from left to right, so
 * that all stays in the first level of cache.
 */
typedef struct horizontal_row {
    int channels;
    int64_t x, pixels; /* the segment */
    int64_t window;    /* columns a sum, >= 1 */
    bool zeros;        /* for row_sums(): columns may be -0, sums must not */
} horizontal_row;

/* Memory that the kernels work in, in sums: first and level arrays of small windows;
 * a segment has at most HORIZONTAL_SEGMENT samples. */
#define HORIZONTAL_SEGMENT 2048
#define HORIZONTAL_LEVELS 5
#define HORIZONTAL_LEVEL_SAMPLES (HORIZONTAL_SEGMENT + 320)
/* The sums that the next segment starts with. */
#define HORIZONTAL_CARRY_SAMPLES 64

typedef struct horizontal_kernels {
    satf_sum_type columns, sums;
    /* sums[x] = columns[x] + ... + columns[x + window - 1] for every pixel of the segment. columns
     * starts at the segment and reaches HORIZONTAL_CARRY_SAMPLES past the row. spare keeps what the
     * row's next segment needs; sums has room for HORIZONTAL_CARRY_SAMPLES more. Subtracts columns,
     * so those of doubles lie on a grid (march.c). */
    void (*run)(const horizontal_row *shape, const void *columns, void *spare, void *sums);
    /* columns: pixel 0 of the first row. */
    void (*pad)(const horizontal_pads *pads, void *columns);
    /* fixed[c] += times * column[c], one pixel */
    void (*add_pixel)(int channels, void *fixed, const void *column, int64_t times);
    /* Adds the fixed pixel to the segment's sums. */
    void (*add_fixed)(const horizontal_row *shape, void *sums, const void *fixed);
} horizontal_kernels;

/* The kernels of strips (strips.c), where no sums of doubles may be subtracted. Arrays are aligned
 * to 64 bytes and have room for STRIP_SLACK more. */
#define STRIP_SLACK 64

/* A row of moments: of columns, or of windows. Arrays of a number a sample. */
typedef struct strip_row {
    double *sum, *square; /* of samples less their shift */
    double *shift;        /* a sample, or 0 where that is above SATF_SHIFT_MOST */
    double *weight;       /* NULL: all weigh the same */
} strip_row;

/* Rows `first` ... rows - 1 of a block, `stride` apart. Those in front of `counts` and from
 * `counts_end` on do not count. */
typedef struct strip_block {
    strip_row row; /* row 0; all rows have its shifts. Squares: NULL for sums alone */
    int64_t stride, rows, first, counts, counts_end;
} strip_block;

typedef struct strip_kernels {
    /* out[i] = sample i less the shift of its channel; never -0. */
    void (*shift_by)(satf_type type, const vertical_row *shape, const void *row,
                     const double *shifts, double *out);
    /* sums[x] = columns[x] + ... + columns[x + window - 1], for all x in one call. spare holds
     * STRIP_SPARES arrays of (pixels + window) * channels + STRIP_SLACK doubles. */
    void (*row_sums)(const horizontal_row *shape, const double *columns, double *spare,
                     double *sums);
    /* to[i] = a[i] + b[i]; to may be a. */
    void (*add)(int64_t n, const double *a, const double *b, double *to);
    /* row = row and one sample more of each column; columns = row and upper (NULL: nothing). Where
     * rows have squares, samples are taken less the row's shifts. columns may be row. */
    void (*enter)(int64_t n, const double *samples, const strip_row *row, const strip_row *upper,
                  const strip_row *columns);
    /* to = from and one sample more of each column, as alpha weighs it; to may be from. A column's
     * first sample that weighs becomes its shift. Alpha's lane has sums of alpha, and shift 0. */
    void (*enter_weighing)(const vertical_row *shape, const double *samples, const strip_row *from,
                           const strip_row *to);
    /* Rows of samples become sums of them and all rows below. */
    void (*suffixes)(int64_t n, const strip_block *block);
    /* to = the sums over the samples of a and b, above the shift of a, or of b where a weighs
     * nothing. b_weight: of each sum of b, unless rows have weights. to may be a; b may lie in
     * a. */
    void (*unite)(int64_t n, const strip_row *a, const strip_row *b, double b_weight,
                  const strip_row *to);
    /* to = n samples of a row of equal pixels. */
    void (*repeat)(int channels, int64_t n, const double *pixel, double *to);
    /* sum and square = those of a row without weights, moved above other shifts. */
    void (*move)(int64_t n, const strip_row *from, double weight, const double *shift, double *sum,
                 double *square);
    /* windows[x] = columns[x] ... columns[x + window - 1] united, for all x in one call. weight: of
     * a column, unless these rows have weights. The columns are written over; without weights they
     * keep their shifts, which are those of the windows that begin there. spare: as above. */
    void (*row_moments)(const horizontal_row *shape, double weight, const strip_row *columns,
                        double *spare, const strip_row *windows);
    /* The largest magnitude of n samples, NaN if there is one. */
    double (*peak)(satf_type type, int64_t n, const void *row);
    /* True if n samples are multiples of a unit, a power of two, and at most `most` in magnitude;
     * level is 2^23 (SATF_F32) or 2^52 (SATF_F64) units. All of these are in the normal
     * range of the type. */
    bool (*on_grid)(satf_type type, int64_t n, const void *row, double level, double most);
} strip_kernels;
#define STRIP_SPARES 8

/* Up to so many columns row_sums() adds a few sums of neighbours, with memory as run() of
 * horizontal_kernels. Wider windows are sums of 8 columns, EIGHT pixels apart, and a rest. */
#define STRIP_DIRECT 16

typedef struct window_kernels {
    const vertical_kernels *vertical;     /* the last has no add() */
    const horizontal_kernels *horizontal; /* the last has no run() */
    strip_kernels strip;
} window_kernels;

extern const window_kernels window_kernels_base, window_kernels_avx2, window_kernels_avx512;

#endif
