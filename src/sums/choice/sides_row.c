/* A row of means over windows whose sides an image gives. */
#include "sides_row.h"

#include "../../base/view.h"
#include "../tables/axis.h"
#include "sides.h"

/* A pixel's windows, the smaller one and for fractions the larger one, with their sums. */
typedef struct sides_pixel {
    const filter_step *step;
    const sides_sums *sums;
    int64_t x, y;
    uint64_t areas[2]; /* by window, as the members below */
    satf_u128 integers[2][SATF_MAX_CHANNELS];
    double reals[2][SATF_MAX_CHANNELS];
} sides_pixel;

/* The table's row of sums over the first `rows` rows; NULL: they are 0. */
static const char *table_row(const sat_layer *layer, int64_t rows)
{
    return rows > 0 ? (const char *)layer->sat + (rows - 1) * layer->stride : NULL;
}

/* A row's sum over that many columns. */
static uint64_t entry(const char *row, int64_t columns, int64_t channels, int c)
{
    const uint64_t *sums = (const uint64_t *)(const void *)row;
    return row && columns > 0 ? sums[(columns - 1) * channels + c] : 0;
}

/* The sum over the window of that channel of a table. Sums of 64 bits hold those of the largest
 * windows. */
static uint64_t table_sum(const sat_layer *layer, int64_t pixel, int c, const axis_sum *columns,
                          const axis_sum *rows)
{
    uint64_t sum = 0;
    for (int i = 0; i < columns->count; i++) {
        for (int k = 0; k < rows->count; k++) {
            const axis_run *across = &columns->run[i], *down = &rows->run[k];
            const char *low = table_row(layer, down->end), *high = table_row(layer, down->first);
            uint64_t strip =
                entry(low, across->end, pixel, c) - entry(low, across->first, pixel, c);
            strip -= entry(high, across->end, pixel, c) - entry(high, across->first, pixel, c);
            sum += (uint64_t)across->times * (uint64_t)down->times * strip;
        }
    }
    return sum;
}

static void sum_integers(sides_pixel *p, const satf_rect *rect, int64_t outside, satf_u128 *to)
{
    const satf_view *in = &p->step->in;
    const sat_layer *layer = p->sums->layer;
    int border = p->step->border.kind;
    axis_sum columns, rows;
    axis_span(border, in->width, p->x + rect->x, rect->w, &columns);
    axis_span(border, in->height, p->y + rect->y, rect->h, &rows);
    for (int c = 0; c < in->channels; c++) {
        to[c] = table_sum(layer, in->channels, c, &columns, &rows) +
                (uint64_t)layer->outside[c].integer * (uint64_t)outside;
    }
}

/* An axis of the window: runs of pixels, and the blocks that make up each. */
typedef struct sides_axis {
    int runs;
    axis_run run[AXIS_RUNS];
    int blocks[AXIS_RUNS];
    int64_t places[AXIS_RUNS][PYRAMID_BLOCKS];
} sides_axis;

static void find_axis(int border, int64_t n, int64_t first, int64_t length, sides_axis *axis)
{
    axis->runs = axis_runs(border, n, first, length, axis->run);
    for (int i = 0; i < axis->runs; i++) {
        axis->blocks[i] = pyramid_places(n, &axis->run[i], axis->places[i]);
    }
}

static double sides_sum(const double *row, int channels, const sides_axis *columns)
{
    double all = 0;
    for (int i = 0; i < columns->runs; i++) {
        double sum = 0;
        for (int k = 0; k < columns->blocks[i]; k++) {
            sum += row[columns->places[i][k] * channels];
        }
        all += (double)columns->run[i].times * sum;
    }
    return all;
}

static void sum_reals(sides_pixel *p, const satf_rect *rect, int64_t outside, double *to)
{
    const satf_view *in = &p->step->in;
    const pyramid *blocks = &p->sums->blocks;
    sides_axis columns, rows;
    find_axis(p->step->border.kind, in->width, p->x + rect->x, rect->w, &columns);
    find_axis(p->step->border.kind, in->height, p->y + rect->y, rect->h, &rows);
    for (int c = 0; c < in->channels; c++) {
        double all = 0;
        for (int i = 0; i < rows.runs; i++) {
            double sum = 0;
            for (int k = 0; k < rows.blocks[i]; k++) {
                sum += sides_sum(blocks->sums + rows.places[i][k] * blocks->row + c, in->channels,
                                 &columns);
            }
            all += (double)rows.run[i].times * sum;
        }
        /* 0 times infinity would be NaN */
        to[c] = outside ? all + p->sums->layer->outside[c].real * (double)outside : all;
    }
}

static int64_t sides_inside(int64_t first, int64_t length, int64_t n)
{
    int64_t end = first + length < n ? first + length : n;
    return end - (first > 0 ? first : 0);
}

/* Sums window number k of the pixel, of that radius. */
static void sum_window(sides_pixel *p, int k, int32_t radius)
{
    const satf_view *in = &p->step->in;
    satf_rect rect = sides_rect(radius);
    int border = p->step->border.kind;
    int64_t pixels = rect.w * rect.h, within = sides_inside(p->x + rect.x, rect.w, in->width) *
                                               sides_inside(p->y + rect.y, rect.h, in->height);
    int64_t outside = border == SATF_BORDER_CONSTANT ? pixels - within : 0;
    p->areas[k] = (uint64_t)(border == SATF_BORDER_SHRINK ? within : pixels);
    if (satf_type_is_float(in->type)) {
        sum_reals(p, &rect, outside, p->reals[k]);
    } else {
        sum_integers(p, &rect, outside, p->integers[k]);
    }
}

/* The mean of a lane over window number k. in: the inputs that all samples share; it gets the
 * lane's moments. */
static formula_value lane_mean(const sides_pixel *p, const epilogue *finish, int k, int lane,
                               formula_sums *in)
{
    int last = finish->channels - 1;
    bool by_alpha = finish->weighted && lane != last;
    in->sum = p->integers[k][lane];
    in->real_sum = p->reals[k][lane];
    in->weight = by_alpha && !in->real ? (uint64_t)p->integers[k][last] : p->areas[k];
    in->real_weight = by_alpha && in->real ? p->reals[k][last] : (double)in->weight;
    return formula_mean(in);
}

/* The sides of the window that the map gives at the pixel. */
static window_sides sides_at(const sides_pixel *p, const epilogue *finish, int lane)
{
    const satf_view *map = &finish->aux[0];
    int64_t i = p->x * finish->channels + sides_lane(lane, finish->channels - finish->weighted);
    const char *row = satf_row(map, p->y);
    double radius;
    finish->loops->load_samples((satf_type)map->type, 1,
                                row + i * (int64_t)satf_type_bytes(map->type), &radius);
    return sides_of(radius);
}

satf_status sides_row(satf_context *ctx, const epilogue *finish, const filter_step *step,
                      const sides_sums *sums, int64_t y, char *to)
{
    enum { PIXELS = 64, SAMPLE_NS = 256 }; /* of a question whether to go on, roughly */
    sides_pixel p = {.sums = sums, .step = step, .y = y};
    formula_sums in = finish->constants, fraction = in;
    size_t bytes = finish->out_bytes;
    satf_status status = SATF_OK;
    fraction.rounded = false;
    for (int64_t x = 0; x < step->out.width && !status; x++) {
        window_sides known = {-1, 0};
        if (x % PIXELS == 0) {
            status = satf_work(ctx, (int64_t)PIXELS * finish->out_channels * SAMPLE_NS);
        }
        p.x = x;
        for (int lane = 0; lane < finish->out_channels; lane++, to += bytes) {
            window_sides sides = sides_at(&p, finish, lane);
            bool same = sides.radius == known.radius && sides.more == known.more;
            for (int k = 0; !same && k <= (sides.more > 0); k++) {
                sum_window(&p, k, sides.radius + k);
            }
            known = sides;
            formula_sums *moments = sides.more > 0 ? &fraction : &in;
            formula_value value = lane_mean(&p, finish, 0, lane, moments);
            if (sides.more > 0) {
                double weight = formula_weight(moments);
                value =
                    sides_blend(value, lane_mean(&p, finish, 1, lane, moments), weight, sides.more);
            }
            formula_store((int)finish->out_type, value, to);
        }
    }
    return status;
}
