/*
 * The sum over a rectangle from a summed area table: four corners where it lies
 * inside the image, and where it does not the runs of both axes (src/sums/tables/axis.h),
 * added up in the order in which the CPU does.
 */
#ifndef CUDA_SUMS_CORNERS_CUH
#define CUDA_SUMS_CORNERS_CUH

#include "masks.cuh"

extern "C" {
#include "../../src/sums/tables/axis.h"
#include "../../src/plan/gpu.h"
}

/* The corners from which the sums of a region are found. */
typedef struct region {
    bool inside;
    int64_t x0, y0, x1, y1;         /* inside: columns x0 ... x1 - 1, rows y0 ... y1 - 1 */
    const axis_sum *columns, *rows; /* not inside: the terms of both axes */
    int64_t covered;                /* pixels of the image */
    int64_t area;                   /* pixels in all */
} region;

/* The rectangle around a pixel; columns, rows: its spans along both axes. */
static __device__ inline void locate(const satf_rect *rect, int64_t x, int64_t y,
                                     const axis_sum *columns, const axis_sum *rows, region *to)
{
    to->x0 = x + rect->x;
    to->y0 = y + rect->y;
    to->x1 = to->x0 + rect->w;
    to->y1 = to->y0 + rect->h;
    to->columns = columns;
    to->rows = rows;
    to->inside = columns->inside == rect->w && rows->inside == rect->h;
    to->area = rect->w * rect->h;
    to->covered = columns->inside * rows->inside;
}

/* A lane of a table of Sum: `lanes` of them a pixel. */
template <class Sum> struct lane {
    const char *first;
    int64_t stride, lanes;

    __device__ Sum at(int64_t x, int64_t y) const
    {
        return ((const Sum *)(first + y * stride))[x * lanes];
    }

    /* The sum over column x of the region's rows, or of all columns up to it. */
    __device__ Sum strip(const region *r, int64_t x) const
    {
        Sum low = at(x, r->y1 - 1);
        return r->y0 > 0 ? (Sum)(low - at(x, r->y0 - 1)) : low;
    }

    /* The sum over the columns up to the one before `end`, of the rows' runs. */
    __device__ Sum strip_of_runs(const axis_sum *rows, int64_t end) const
    {
        Sum sum = 0;
        for (int k = 0; k < rows->count; k++) {
            const axis_run *run = &rows->run[k];
            Sum low = at(end - 1, run->end - 1);
            Sum high = run->first > 0 ? at(end - 1, run->first - 1) : 0;
            sum += (Sum)run->times * (Sum)(low - high);
        }
        return sum;
    }

    __device__ Sum of_runs(const region *r) const
    {
        Sum sum = 0;
        for (int i = 0; i < r->columns->count; i++) {
            const axis_run *run = &r->columns->run[i];
            Sum right = strip_of_runs(r->rows, run->end);
            Sum left = run->first > 0 ? strip_of_runs(r->rows, run->first) : 0;
            sum += (Sum)run->times * (Sum)(right - left);
        }
        return sum;
    }

    __device__ Sum over(const region *r) const
    {
        if (!r->inside) {
            return of_runs(r);
        }
        Sum right = strip(r, r->x1 - 1);
        return r->x0 > 0 ? (Sum)(right - strip(r, r->x0 - 1)) : right;
    }
};

/* A constant border's summand where samples are less a shift, which only the device knows. */
static __device__ inline double shifted_outside(const filter_gpu_task *task,
                                                const filter_gpu_layer *layer, int c)
{
    int alpha = task->in.channels - 1;
    double constant = task->layers[0].outside[alpha].real; /* the sample itself, or a weight */
    return is_weighted(layer->summand) && c == alpha
               ? constant
               : summand_of(layer->summand, constant - task->shifts[c], constant);
}

/* The sum that a constant border adds for so many pixels outside. */
static __device__ inline double outside(const filter_gpu_task *task, const filter_gpu_layer *layer,
                                        int c, int64_t pixels, double)
{
    double one = task->shifts ? shifted_outside(task, layer, c) : layer->outside[c].real;
    return pixels ? one * (double)pixels : 0; /* 0 times infinity would be NaN */
}

template <class Sum>
static __device__ inline Sum outside(const filter_gpu_task *, const filter_gpu_layer *layer, int c,
                                     int64_t pixels, Sum)
{
    return (Sum)layer->outside[c].integer * (Sum)pixels;
}

static __device__ inline bool has_masks(const filter_gpu_layer *layer)
{
    return layer->masks && head_of(layer)->found;
}

/* Undoes the scale of a table that masks.cuh has built anew: only floats have one. */
static __device__ inline double unscaled(const filter_gpu_layer *layer, double sum)
{
    return has_masks(layer) ? sum * mask_scale(layer) : sum;
}

template <class Sum> static __device__ inline Sum unscaled(const filter_gpu_layer *, Sum sum)
{
    return sum;
}

/* Adds infinity to the sum of a region with samples that are not finite, of either sign. */
static __device__ inline double masks_of(const filter_gpu_task *task, const filter_gpu_layer *layer,
                                         const region *r, int c, double sum)
{
    if (!has_masks(layer)) {
        return sum;
    }
    int64_t lanes = (int64_t)task->in.channels * MASK_SIGNS;
    for (int sign = 0; sign < MASK_SIGNS; sign++) {
        lane<uint32_t> counts = {(const char *)(mask_counts(layer) + c * MASK_SIGNS + sign),
                                 mask_row(&task->in) * (int64_t)sizeof(uint32_t), lanes};
        if (counts.over(r)) {
            sum += sign ? -INFINITY : INFINITY;
        }
    }
    return sum;
}

template <class Sum>
static __device__ inline Sum masks_of(const filter_gpu_task *, const filter_gpu_layer *,
                                      const region *, int, Sum sum)
{
    return sum;
}

/* The sum of a layer's channel over the region. */
template <class Sum>
static __device__ inline Sum region_sum(const filter_gpu_task *task, const filter_gpu_layer *layer,
                                        const region *r, int c)
{
    lane<Sum> table = {(const char *)layer->sat + c * (int64_t)sizeof(Sum), layer->stride,
                       task->in.channels};
    Sum sum = unscaled(layer, table.over(r));
    if (task->border == SATF_BORDER_CONSTANT) {
        sum += outside(task, layer, c, r->area - r->covered, (Sum)0);
    }
    return masks_of(task, layer, r, c, sum);
}

#endif
