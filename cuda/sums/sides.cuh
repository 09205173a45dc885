/* Means of integers over windows whose sides an image gives. The tiles are those of tiles.cuh, but
 * each pixel finds its own spans. */
#ifndef CUDA_SUMS_SIDES_CUH
#define CUDA_SUMS_SIDES_CUH

#include "tiles.cuh"

#include "../../src/sums/choice/sides.h"

/* The mean over the window of that radius; *weight = the window's weight. rounded: to an integer,
 * if the output has integers. */
static __device__ inline formula_value sides_mean(const filter_gpu_task *task, int32_t radius,
                                                  int c, int64_t x, int64_t y, bool rounded,
                                                  double *weight)
{
    satf_rect rect = sides_rect(radius);
    axis_sum columns, rows;
    region r;
    axis_span(task->border, task->in.width, x + rect.x, rect.w, &columns);
    axis_span(task->border, task->in.height, y + rect.y, rect.h, &rows);
    locate(&rect, x, y, &columns, &rows, &r);
    formula_sums in = {};
    in.rounded = rounded && task->constants.rounded;
    load_region_weight<uint64_t>(task, &r, task->weighted && c + 1 < task->in.channels, &in);
    load_sum(&in, region_sum<uint64_t>(task, &task->layers[0], &r, c));
    *weight = formula_weight(&in);
    return formula_mean(&in);
}

/* All threads of the block, as do_any_tile(). */
static __device__ inline void do_sides_tile(const filter_gpu_task *task, const pixel_area *area,
                                            int64_t tile, bool aligned)
{
    int across = area->across, rows = FILTER_THREADS / across, down = rows * ANY_ROWS;
    int64_t tile_y = tile / area->tiles_x, tile_x = tile - tile_y * area->tiles_x;
    int64_t column = tile_x * across + (int)threadIdx.x % across;
    int64_t first = tile_y * down + (int)threadIdx.x / across;
    int64_t x = position(&area->columns, column);
    int colours = task->in.channels - (task->weighted ? 1 : 0);
    if (column >= area->columns.count) {
        return;
    }
#pragma unroll 1
    for (int64_t row = first; row < first + down && row < area->rows.count; row += rows) {
        int64_t y = position(&area->rows, row);
#pragma unroll 1
        for (int c = 0; c < task->out.channels; c++) {
            sample_place at = {x, y, sides_lane(c, colours)};
            formula_sums beside;
            load_aux<FORMULA_AUX>(task, &at, 0, &beside);
            window_sides sides = sides_of(beside.aux[0]);
            double weight, other;
            formula_value value = sides_mean(task, sides.radius, c, x, y, sides.more == 0, &weight);
            if (sides.more > 0) {
                value =
                    sides_blend(value, sides_mean(task, sides.radius + 1, c, x, y, false, &other),
                                weight, sides.more);
            }
            store(&task->out, x, y, c, aligned, value);
        }
    }
}

#endif
