/* The choice, for each pixel, of the one of several windows of integers that varies least: pixels
 * of any area (cuda/sums/tiles.cuh), one window after the other. Results of a window that varies
 * less replace those of the windows before. */
#ifndef CUDA_FORMULA_CHOICE_CUH
#define CUDA_FORMULA_CHOICE_CUH

#include "../sums/tiles.cuh"

#include "../../src/sums/choice/varied.h"

template <class Sum, class Square>
static __device__ inline varied vary(const filter_gpu_task *task, const region *r)
{
    formula_sums in = {};
    varied all = {};
    int colours = task->in.channels - (task->weighted ? 1 : 0);
    load_region_weight<Sum>(task, r, task->weighted, &in);
    for (int c = 0; c < colours; c++) {
        load_sum(&in, region_sum<Sum>(task, &task->layers[0], r, c));
        load_square(&in, region_sum<Square>(task, &task->layers[1], r, c));
        varied_add(&all, &in);
    }
    varied_end(&all, &in, 0);
    return all;
}

/* Called by all threads of the block, like do_any_tile(). */
template <class Sum, class Square>
static __device__ inline void do_choice_tile(const filter_gpu_task *task, const pixel_area *area,
                                             int64_t tile, axis_sum *span, bool aligned)
{
    varied best[ANY_ROWS];
    for (int k = 0; k < task->choices; k++) {
        auto choose = [&](int j, int64_t x, int64_t y, const region *r) {
            varied now = vary<Sum, Square>(task, r);
            if (k > 0 && !varied_less(false, &now, &best[j])) {
                return;
            }
            best[j] = now;
            region_moments<Sum, Square> moments = {task, r};
            for (int c = 0; c < task->out.channels; c++) {
                store(&task->out, x, y, c, aligned,
                      apply<known_mean>(task, 1, moments, c, x, y, 0));
            }
        };
        for_regions(task, area, tile, &task->choice[k], true, span, choose);
    }
}

#endif
