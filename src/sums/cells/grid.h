/* The geometry of a coarser grid: which share of a picture's pixels lies in which cell. */
#ifndef SATF_SUMS_CELLS_GRID_H
#define SATF_SUMS_CELLS_GRID_H

#include <stdint.h>

#ifdef __CUDACC__
#define CELLS_CALL static inline __host__ __device__
#else
#define CELLS_CALL static inline
#endif

/*
 * An axis of `pixels` pixels under `cells` cells: cell k covers k * from ... (k + 1) * from where
 * pixel i covers i * to ... (i + 1) * to. from / to is pixels / cells in lowest terms, at least 1.
 */
typedef struct cells_axis {
    int64_t from, to;
} cells_axis;

/* The beginning of a cell: `inside` of pixel `pixel` lie in front of it. */
typedef struct cells_place {
    int64_t pixel, inside; /* 0 <= inside < to */
} cells_place;

CELLS_CALL cells_axis cells_axis_of(int64_t pixels, int64_t cells)
{
    int64_t a = pixels, b = cells;
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return (cells_axis){pixels / a, cells / a};
}

/* Cells of `side` whole pixels, or one of all; the last cell may reach beyond the pixels. */
CELLS_CALL cells_axis cells_axis_under(int64_t pixels, int64_t side)
{
    return (cells_axis){side < pixels ? side : pixels, 1};
}

/* How many cells cover so many pixels. */
CELLS_CALL int64_t cells_needed(const cells_axis *axis, int64_t pixels)
{
    return (pixels * axis->to - 1) / axis->from + 1;
}

CELLS_CALL cells_place cells_find(const cells_axis *axis, int64_t cell)
{
    int64_t at = cell * axis->from,
            to = axis->to; /* avoids the division, which takes as long as a short row */
    return to == 1 ? (cells_place){at, 0} : (cells_place){at / to, at % to};
}

/* Pixels that a cell touches, from `begin` to `end`, where the next one begins. */
CELLS_CALL int64_t cells_count(const cells_place *begin, const cells_place *end)
{
    return end->pixel - begin->pixel + (end->inside > 0);
}

/* The share of a pixel that lies in the cell, in 1 / to. */
CELLS_CALL int64_t cells_overlap(const cells_axis *axis, const cells_place *begin,
                                 const cells_place *end, int64_t pixel)
{
    return pixel == begin->pixel ? axis->to - begin->inside
           : pixel < end->pixel  ? axis->to
                                 : end->inside;
}

#endif
