#include "sides_row.h"

#include <float.h>
#include <math.h>

#include "../base/view.h"
#include "axis.h"
#include "sides.h"

/* A window of a pixel. */
typedef struct sides_window {
    axis_sum columns, rows;
    int64_t pixels, inside; /* in all; and of the image */
} sides_window;

/* A pixel's windows, the smaller one and, for fractions, the larger one, and their sums. */
typedef struct sides_pixel {
    const filter_tables *tables;
    const filter_step *step;
    int64_t x, y;
    window_segment segments[2];
    satf_u128 integers[2][2][SATF_MAX_CHANNELS]; /* by window and layer */
    double reals[2][2][SATF_MAX_CHANNELS];
    bool overflow;
} sides_pixel;

/* The sum over the window of that channel of a table: the terms of each column, then of all, as
 * devices do it (cuda/filter/corners.cuh). */
#define TABLE_SUM(Sum, Coef)                                                                      \
    static Sum sum_##Sum(const void *table, int64_t stride, int64_t pixel, const sides_window *w) \
    {                                                                                             \
        Sum sum = 0;                                                                              \
        for (int i = 0; i < w->columns.count; i++) {                                              \
            int64_t x = (w->columns.term[i].end - 1) * pixel;                                     \
            Sum strip = 0;                                                                        \
            for (int k = 0; k < w->rows.count; k++) {                                             \
                const char *row = (const char *)table + (w->rows.term[k].end - 1) * stride;       \
                strip += (Sum)(Coef)w->rows.term[k].coef * ((const Sum *)(const void *)row)[x];   \
            }                                                                                     \
            sum += (Sum)(Coef)w->columns.term[i].coef * strip;                                    \
        }                                                                                         \
        return sum;                                                                               \
    }

TABLE_SUM(uint32_t, uint32_t)
TABLE_SUM(uint64_t, uint64_t)
TABLE_SUM(double, double)

/* What outside of the image is not finite, or so large that a table leaves it out. */
static double masked(const sat_layer *layer, int channels, int c, const sides_window *w, double sum)
{
    for (int sign = 0; sign < 2; sign++) {
        if (layer->masks[sign] &&
            sum_uint32_t(layer->masks[sign] + c, layer->masks_stride, channels, w)) {
            sum += sign ? -INFINITY : INFINITY;
        }
    }
    return sum;
}

static double real_sum(sides_pixel *p, const sat_layer *layer, int c, const sides_window *w)
{
    int channels = p->step->in.channels;
    double sum = sum_double((const double *)layer->sat + c, layer->stride, channels, w);
    if (layer->masks[0]) {
        sum = layer->scale > 1 ? sum * layer->scale : sum;
    } else {
        p->overflow |= !(fabs(sum) <= DBL_MAX);
    }
    int64_t outside = w->pixels - w->inside;
    if (p->step->border.kind == SATF_CONSTANT && outside) {
        sum += layer->outside[c].real * (double)outside;
    }
    return masked(layer, channels, c, w, sum);
}

/* Sums of 64 bits hold those of the largest windows. */
static uint64_t integer_sum(const sides_pixel *p, const sat_layer *layer, int c,
                            const sides_window *w)
{
    uint64_t sum =
        sum_uint64_t((const uint64_t *)layer->sat + c, layer->stride, p->step->in.channels, w);
    uint64_t outside = (uint64_t)(w->pixels - w->inside);
    bool counts = p->step->border.kind == SATF_CONSTANT;
    return sum + (counts ? (uint64_t)layer->outside[c].integer * outside : 0);
}

/* Window number k of the pixel, of that radius. */
static void sum_window(sides_pixel *p, int k, int32_t radius)
{
    const satf_view *in = &p->step->in;
    satf_rect rect = sides_rect(radius);
    sides_window w = {.pixels = rect.w * rect.h};
    int border = p->step->border.kind;
    axis_span(border, in->width, p->x + rect.x, rect.w, &w.columns);
    axis_span(border, in->height, p->y + rect.y, rect.h, &w.rows);
    w.inside = w.columns.inside * w.rows.inside;
    p->segments[k].area = (uint64_t)(border == SATF_SHRINK ? w.inside : w.pixels);
    for (int i = 0; i < p->tables->count; i++) {
        const sat_layer *layer = &p->tables->layers[i];
        for (int c = 0; c < in->channels; c++) {
            if (layer->type == SATF_SUM_F64) {
                p->reals[k][i][c] = real_sum(p, layer, c, &w);
            } else {
                p->integers[k][i][c] = integer_sum(p, layer, c, &w);
            }
        }
    }
}

static void begin_pixel(sides_pixel *p, int64_t x)
{
    bool real = p->tables->layers[0].type == SATF_SUM_F64;
    p->x = x;
    for (int k = 0; k < 2; k++) {
        const void *sums[2] = {real ? (const void *)p->reals[k][0] : p->integers[k][0],
                               real ? (const void *)p->reals[k][1] : p->integers[k][1]};
        satf_sum_type type = real ? SATF_SUM_F64 : SATF_SUM_U128;
        p->segments[k] = (window_segment){.x = x,
                                          .y = p->y,
                                          .n = 1,
                                          .sum_type = type,
                                          .square_type = type,
                                          .sums = sums[0],
                                          .squares = p->tables->count > 1 ? sums[1] : NULL};
    }
}

bool sides_row(const epilogue *finish, const filter_step *step, const filter_tables *tables,
               int64_t y, char *to)
{
    sides_pixel p = {.tables = tables, .step = step, .y = y};
    formula_sums in = finish->constants, fraction = in;
    size_t bytes = satf_type_bytes((int)finish->out_type);
    int colours = finish->channels - finish->weighted;
    fraction.rounded = false;
    for (int64_t x = 0; x < step->out.width; x++) {
        window_sides known = {-1, 0};
        begin_pixel(&p, x);
        for (int lane = 0; lane < finish->out_channels; lane++, to += bytes) {
            window_sides sides = sides_of(epilogue_aux(finish, 0, x, y, sides_lane(lane, colours)));
            if (sides.radius != known.radius || sides.more != known.more) {
                sum_window(&p, 0, sides.radius);
            }
            if ((sides.radius != known.radius || sides.more != known.more) && sides.more > 0) {
                sum_window(&p, 1, sides.radius + 1);
            }
            known = sides;
            formula_sums *moments = sides.more > 0 ? &fraction : &in;
            formula_value value = epilogue_lane(finish, &p.segments[0], lane, moments);
            if (sides.more > 0) {
                double weight = formula_weight(moments);
                value = sides_blend(value, epilogue_lane(finish, &p.segments[1], lane, moments),
                                    weight, sides.more);
            }
            formula_store((int)finish->out_type, value, to);
        }
    }
    return !p.overflow;
}
