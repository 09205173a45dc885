/* Of several windows of a pixel that which varies least: pixels of any area (any.cuh), each window
 * after the other, whose results replace those before where it varies less. */
#ifndef CUDA_FILTER_CHOICE_CUH
#define CUDA_FILTER_CHOICE_CUH

#include "any.cuh"

#include "../../src/filter/varied.h"

template <class Sum, class Square>
static __device__ inline varied vary(const filter_gpu_task *task, const region *r)
{
    formula_sums in = {};
    varied all = {};
    int colours = task->in.channels - (task->weighted ? 1 : 0);
    in.real = (Sum)0.5 != 0; /* Sum is double */
    load_region_weight<Sum>(task, r, task->weighted, &in);
    for (int c = 0; c < colours; c++) {
        load_sum(&in, region_sum<Sum>(task, &task->layers[0], r, c));
        load_square(&in, region_sum<Square>(task, &task->layers[1], r, c));
        varied_add(&all, &in);
    }
    varied_end(&all, &in);
    return all;
}

/* All threads of the block, as do_any_tile(). */
template <class Sum, class Square>
static __device__ inline void do_choice_tile(const filter_gpu_task *task, const pixel_area *area,
                                             int64_t tile, padded_span *span, bool aligned)
{
    int across = area->across, rows = FILTER_THREADS / across, down = rows * ANY_ROWS;
    int column = (int)threadIdx.x % across, thread_row = (int)threadIdx.x / across;
    int64_t tile_y = tile / area->tiles_x, tile_x = tile - tile_y * area->tiles_x;
    int64_t first_x = tile_x * across, first_y = tile_y * down;
    int64_t x = position(&area->columns, first_x + column);
    varied best[ANY_ROWS];
    for (int k = 0; k < task->choices; k++) {
        const satf_rect *of = &task->choice[k];
        __syncthreads();
        find_spans(task, area, of, first_x, first_y, span);
        __syncthreads();
#pragma unroll 1
        for (int j = 0; j < ANY_ROWS; j++) {
            int row = j * rows + thread_row;
            if (first_x + column >= area->columns.count || first_y + row >= area->rows.count) {
                continue;
            }
            int64_t y = position(&area->rows, first_y + row);
            region r;
            locate(of, x, y, &span[column].sum, &span[across + row].sum, &r);
            varied now = vary<Sum, Square>(task, &r);
            if (k > 0 && !varied_less((Sum)0.5 != 0, &now, &best[j])) {
                continue;
            }
            best[j] = now;
            for (int c = 0; c < task->out.channels; c++) {
                store(&task->out, x, y, c, aligned,
                      apply<known_mean, Sum, Square>(task, 1, &r, c, x, y, 0));
            }
        }
    }
}

#endif
