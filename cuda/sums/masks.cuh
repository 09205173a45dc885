/*
 * Tables of float images that hold samples which are not finite, or whose sums overflow. Either
 * makes every sum below and right of it infinite or NaN. So the table is built once more with 0 in
 * place of these samples, beside one that counts them, and scaled down where others are large.
 * Nothing can be read back while work is being enqueued, so these kernels are always launched, and
 * return at once if the table is finite.
 *
 * Where a layer's masks lie: a head in the first 64 bytes; behind it two counts a sample, of
 * +Inf or NaN and of -Inf or NaN: a window's sum gets an infinity of the sign of each
 * count that is not 0, and both make NaN.
 */
#ifndef CUDA_SUMS_MASKS_CUH
#define CUDA_SUMS_MASKS_CUH

#include "../base/check.h"

extern "C" {
#include "../../src/plan/gpu.h"
}

enum { MASK_SIGNS = 2 };

typedef struct mask_head {
    int found;               /* whether the table was not finite */
    unsigned long long peak; /* if so, the bits of the largest finite magnitude of a summand */
} mask_head;
static_assert(sizeof(mask_head) <= FILTER_GPU_HEAD_BYTES, "the head is below the counts");

/* A table is divided by MASK_SCALE if a summand is above MASK_PEAK: both are derived in
 * src/sums/tables/sat_layer.c. */
#define MASK_PEAK 0x1p800
#define MASK_SCALE 0x1p128

static __device__ inline mask_head *head_of(const filter_gpu_layer *layer)
{
    return (mask_head *)layer->masks;
}

static __device__ inline double mask_scale(const filter_gpu_layer *layer)
{
    return __longlong_as_double((long long)head_of(layer)->peak) > MASK_PEAK ? MASK_SCALE : 1;
}

static __host__ __device__ inline uint32_t *mask_counts(const filter_gpu_layer *layer)
{
    return (uint32_t *)((char *)layer->masks + FILTER_GPU_HEAD_BYTES);
}

static __host__ __device__ inline int64_t mask_row(const satf_view *in)
{
    return in->width * in->channels * MASK_SIGNS;
}

/* The summand of a colour and its weight, as satf_summands() has it. */
static __device__ inline double summand_of(satf_summand summand, double a, double weight)
{
    switch (summand) {
    case SATF_SUMMAND_PLAIN:
        return a;
    case SATF_SUMMAND_SQUARE:
        return a * a;
    case SATF_SUMMAND_WEIGHTED:
        return a * weight;
    default:
        return a * a * weight;
    }
}

static __device__ inline bool is_weighted(satf_summand summand)
{
    return summand == SATF_SUMMAND_WEIGHTED || summand == SATF_SUMMAND_WEIGHTED_SQUARE;
}

/* Enqueues these kernels for the table of a layer of the image. */
satf_status separate_masks(satf_context *ctx, const satf_view *in, const filter_gpu_layer *layer);

#endif
