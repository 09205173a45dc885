/* Padded rows of a march's column sums, and the rows of windows that are summed along them. */
#include "columns.h"

#include <string.h>

void columns_pad(const window_march *m, const window_plane *plane, int64_t rows)
{
    const window_plan *plan = m->plan;
    const axis *across = &plan->across;
    if (across->border == SATF_BORDER_CONSTANT || across->border == SATF_BORDER_SHRINK) {
        return;
    }
    const horizontal_pads pads = {
        .channels = plan->spec.in.channels,
        .before = across->lo,
        .after = across->hi + across->beyond,
        .width = across->n,
        .from = (const int64_t *)(const void *)(m->shared + plan->border_table),
        .rows = rows,
        .pitch = plan->columns};
    plane->horizontal->pad(&pads, columns_at(m, plane, 0));
}

const void *columns_make_summands(const window_march *m, const window_plane *plane, const void *row,
                                  int slot, vertical_row *shape)
{
    void *out = m->memory + plane->summands + (size_t)slot * plane->row_bytes;
    plane->vertical->summands(shape, row, out);
    shape->summand = SATF_SUMMAND_PLAIN;
    return out;
}

void columns_pad_outside(const window_march *m)
{
    const window_plan *plan = m->plan;
    for (int i = 0; i < plan->planes; i++) {
        const window_plane *plane = &plan->plane[i];
        memset(m->memory + plane->columns, 0,
               (size_t)(plan->columns * plan->rows) * plane->pixel_bytes +
                   HORIZONTAL_CARRY_SAMPLES * satf_sum_bytes(plane->col_type));
        if (plan->across.border != SATF_BORDER_CONSTANT) {
            continue;
        }
        vertical_row shape;
        const void *outside = columns_summands(m, plane, m->shared + plan->outside, 0, &shape);
        shape.pixels = 1;
        for (int64_t x = -plan->across.lo; x < plan->width + plan->across.hi; x++) {
            for (int64_t slot = 0; slot < plan->rows && (x < 0 || x >= plan->across.n); slot++) {
                char *column = columns_at(m, plane, slot) + x * (int64_t)plane->pixel_bytes;
                plane->marching->add(&shape, column, outside, m->plan->spec.h);
            }
        }
    }
}
