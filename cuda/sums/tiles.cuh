/*
 * Any pixels under any border: a CUDA block does a tile of them, each thread a few below one
 * another. The tile's columns and rows find their spans once for all its pixels.
 */
#ifndef CUDA_SUMS_TILES_CUH
#define CUDA_SUMS_TILES_CUH

#include "any.cuh"

/* `count` positions along an axis from `first` on, `gap` left out behind the first `before`. */
typedef struct stretch {
    int64_t first, count, before, gap;
} stretch;

static __host__ __device__ inline int64_t position(const stretch *s, int64_t i)
{
    return s->first + i + (i < s->before ? 0 : s->gap);
}

enum { FILTER_THREADS = 256, ANY_ROWS = 8 /* of a thread */ };

/* Pixels in tiles of `across` x ANY_ROWS * FILTER_THREADS / across. */
typedef struct pixel_area {
    stretch columns, rows;
    int across; /* ANY_WIDE or ANY_NARROW */
    int64_t tiles_x, tiles;
} pixel_area;

enum { ANY_WIDE = 64, ANY_NARROW = 16 };

/* Columns and rows of a tile, of the narrower kind. */
enum { ANY_SPANS = ANY_NARROW + ANY_ROWS * FILTER_THREADS / ANY_NARROW };
static_assert(ANY_WIDE + ANY_ROWS * FILTER_THREADS / ANY_WIDE <= ANY_SPANS, "the other kind");

/* Neighbouring threads meet different banks. */
static_assert(sizeof(axis_sum) / 4 % 32 == 2, "spans of shared memory begin in all even banks");

/* span = the spans of the windows `of` the tile's columns, then those of its rows. */
static __device__ inline void find_spans(const filter_gpu_task *task, const pixel_area *area,
                                         const satf_rect *of, int64_t first_x, int64_t first_y,
                                         axis_sum *span)
{
    int across = area->across, down = ANY_ROWS * FILTER_THREADS / across;
    for (int i = (int)threadIdx.x; i < across + down; i += FILTER_THREADS) {
        bool is_row = i >= across;
        int64_t at = is_row ? position(&area->rows, first_y + i - across) + of->y
                            : position(&area->columns, first_x + i) + of->x;
        axis_span(task->border, is_row ? task->in.height : task->in.width, at,
                  is_row ? of->h : of->w, &span[i]);
    }
}

/* By all threads of the block: each(j, x, y, region) for a thread's pixels, j of ANY_ROWS. span: of
 * ANY_SPANS, in shared memory; finds: the spans of the windows `of` are to be found first. */
template <class Each>
static __device__ inline void for_regions(const filter_gpu_task *task, const pixel_area *area,
                                          int64_t tile, const satf_rect *of, bool finds,
                                          axis_sum *span, Each each)
{
    int across = area->across, rows = FILTER_THREADS / across, down = rows * ANY_ROWS;
    int column = (int)threadIdx.x % across, thread_row = (int)threadIdx.x / across;
    int64_t tile_y = tile / area->tiles_x, tile_x = tile - tile_y * area->tiles_x;
    int64_t first_x = tile_x * across, first_y = tile_y * down;
    int64_t x = position(&area->columns, first_x + column);
    if (finds) {
        __syncthreads();
        find_spans(task, area, of, first_x, first_y, span);
        __syncthreads();
    }
#pragma unroll 1
    for (int j = 0; j < ANY_ROWS; j++) {
        int row = j * rows + thread_row;
        if (first_x + column >= area->columns.count || first_y + row >= area->rows.count) {
            continue;
        }
        int64_t y = position(&area->rows, first_y + row);
        region r;
        locate(of, x, y, &span[column], &span[across + row], &r);
        each(j, x, y, &r);
    }
}

/* Calls give(x, y, c, value) for each result. */
template <class Formula, class Sum, class Square, class Give>
static __device__ inline void do_any_tile(const filter_gpu_task *task, const pixel_area *area,
                                          int64_t tile, axis_sum *span, Give give)
{
    for (int c = 0; c < task->out.channels; c++) { /* as the input, or without alpha */
        double before[ANY_ROWS] = {0};
        for (int64_t k = 0; k < task->rect_count; k++) {
            const satf_weighted_rect *rect = task->rects ? &task->rects[k] : &task->window;
            auto add = [&](int j, int64_t x, int64_t y, const region *r) {
                region_moments<Sum, Square> moments = {task, r};
                formula_value value =
                    apply<Formula>(task, rect->weight, moments, c, x, y, before[j]);
                before[j] = value.real;
                if (k == task->rect_count - 1) {
                    give(x, y, c, value);
                }
            };
            for_regions(task, area, tile, &rect->rect, c == 0 || task->rect_count > 1, span, add);
        }
    }
}

#endif
