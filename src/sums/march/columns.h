/* Padded rows of a march's column sums, and the rows of windows that are summed along them. */
#ifndef SATF_SUMS_MARCH_COLUMNS_H
#define SATF_SUMS_MARCH_COLUMNS_H

#include "march.h"

/* Column 0 of the padded row in that slot, 0 ... plan->rows - 1. */
static inline char *columns_at(const window_march *m, const window_plane *plane, int64_t slot)
{
    const window_plan *plan = m->plan;
    int64_t pixel = slot * plan->columns + plan->across.lo;
    return m->memory + plane->columns + (size_t)pixel * plane->pixel_bytes;
}

/* Fills what is outside the picture of the padded rows in the first slots. */
void columns_pad(const window_march *m, const window_plane *plane, int64_t rows);

/* Row `slot` (0 or 1) of summands that marching->add() and march() take, of a row of samples;
 * shape: then that of the summands. */
const void *columns_make_summands(const window_march *m, const window_plane *plane, const void *row,
                                  int slot, vertical_row *shape);

static inline const void *columns_summands(const window_march *m, const window_plane *plane,
                                           const void *row, int slot, vertical_row *shape)
{
    const window_plan *plan = m->plan;
    *shape = (vertical_row){plane->summand, plan->spec.in.channels, plan->across.n};
    return plane->marching == plane->vertical ? row
                                              : columns_make_summands(m, plane, row, slot, shape);
}

/* Pads the column sums once and for all where the border is constant or nothing, and past
 * their end, where kernels read numbers that must be finite. */
void columns_pad_outside(const window_march *m);

/* few_rows.c: delivers the next rows of a march whose plan has few_rows: their number; 0 behind the
 * last, and after a failure. */
int64_t window_few_rows(window_march *m);

#endif
