/* The plan of marches over pictures of one shape, and the memory that they take. */
#ifndef SATF_SUMS_MARCH_PLAN_H
#define SATF_SUMS_MARCH_PLAN_H

#include "axis.h"
#include "kernels.h"
#include "window.h"

/* One kind of sums: of the samples, or of their squares. */
typedef struct window_plane {
    satf_summand summand;
    satf_sum_type col_type, sum_type;
    /* Kernels for rows of samples and, if those are made into summands first (to weigh
     * them), for rows of summands; else the same. */
    const vertical_kernels *vertical, *marching;
    const horizontal_kernels *horizontal;
    /* Offsets into a march's memory, and bytes of column sums: of a pixel, of a row (unpadded). */
    size_t columns, spare, sums, summands, fixed_rows, pixel_bytes, row_bytes;
} window_plane;

typedef struct window_plan {
    window_spec spec;
    axis across, down;
    int planes; /* 1 or 2 */
    window_plane plane[2];
    const strip_kernels *strip;
    const vertical_kernels *shifted; /* of rows that strip->shift_by() makes */
    int64_t samples;                 /* of an input row */
    int64_t width;                   /* windows of a row */
    int64_t columns;                 /* pixels of a padded row of column sums */
    bool prefetches;                 /* the picture is in memory, and the caches do not hold it */
    int64_t rows;    /* such rows that are made at once: several if they are short or few_rows */
    int64_t segment; /* pixels that are summed along a row at a time */
    bool is_float;
    bool slides;   /* integers, and floats that may be exact: plain sums, nothing folded away */
    bool few_rows; /* floats in windows of so few rows that each column is summed anew */
    bool moments;  /* floats: sums and squares above shifts */
    /* Floats: strips of columns (a multiple of 8 pixels), of which a march holds all when it
     * streams and else one; arrays of a strip's row, and the doubles of each. */
    int64_t strip_pixels, strips, strips_held;
    int64_t strip_arrays, strip_row, scratch_row;
    size_t strip_bytes;
    /* Offsets into a march's memory. */
    size_t strip_memory, strip_scratch, strip_spare;
    size_t outside, border_table; /* offsets into the shared memory */
    /* SATF_BORDER_SHRINK: columns of each sample's window (shared); areas of a segment's (a
     * march's). */
    size_t areas, segment_areas;
    size_t shared_bytes, march_bytes;
} window_plan;

/* The most rows that are made at once. */
enum { WINDOW_ROWS_AT_ONCE = 16 };

/* Arrays that strips have in common (strip_rows.c), of scratch_row doubles each. */
enum {
    SCRATCH_LINE,
    SCRATCH_EDGE,
    SCRATCH_PRODUCTS,
    SCRATCH_SUMS,                          /* and squares, shifts */
    SCRATCH_WEIGHTS = SCRATCH_SUMS + 3,    /* of two rows */
    SCRATCH_WINDOWS = SCRATCH_WEIGHTS + 2, /* sums, squares, shifts, weights */
    SCRATCH_FIXED = SCRATCH_WINDOWS + 4,   /* sums, squares, shifts */
    SCRATCH_NEXT = SCRATCH_FIXED + 3,
    SCRATCH_ARRAYS = SCRATCH_NEXT + 3
};

/* Rows of a window, without the part that is folded away (axis.h). */
static inline int64_t window_plan_height(const window_plan *plan)
{
    return plan->down.lo + plan->down.hi + 1;
}

/* Along a row, sums of floats depend on where blocks of so many columns begin. */
int64_t window_block_columns(const window_plan *plan);

/* Plans for the spec; in.data may be anything. */
satf_status window_plan_make(satf_context *ctx, const window_spec *spec, window_plan *plan);

/* Fills in the memory that marches read and none changes: plan->shared_bytes, aligned to 64. */
void window_prepare(const window_plan *plan, void *memory);

#endif
