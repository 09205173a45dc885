/* The shifts of moments of floats (src/sat/shift.h), found by a block of threads. */
#ifndef CUDA_SUMS_SHIFT_CUH
#define CUDA_SUMS_SHIFT_CUH

#include "any.cuh"

extern "C" {
#include "../../src/sat/shift.h"
}

enum { SHIFT_SAMPLES = SATF_SHIFT_PLACES * SATF_SHIFT_PLACES };

/* Shared memory of a search. */
typedef struct shift_room {
    double sample[SHIFT_SAMPLES], low, median, high;
} shift_room;

/* A channel's sample at a pixel; NaN if it does not count. */
static __device__ inline double shift_sample(const satf_view *in, bool weighted, int64_t x,
                                             int64_t y, int c)
{
    int bytes = sample_bytes(in->type);
    const char *pixel = (const char *)in->data + y * in->stride + x * in->channels * bytes;
    double sample = load_sample(in->type, pixel + c * bytes);
    bool counts = fabs(sample) <= SATF_SHIFT_MOST &&
                  (!weighted || load_sample(in->type, pixel + (in->channels - 1) * bytes) > 0);
    return counts ? sample : NAN;
}

/* All threads of the block, at least SHIFT_SAMPLES: the shift of a channel of the pixels `of`, from
 * places in as many rows, both ends among them. */
static __device__ inline double find_shift(const satf_view *in, bool weighted, const satf_rect *of,
                                           int c, shift_room *room)
{
    int i = (int)threadIdx.x, counted = 0, rank = 0;
    if (weighted && c == in->channels - 1) {
        return 0;
    }
    double own = NAN;
    if (i < SHIFT_SAMPLES) {
        own = shift_sample(in, weighted, of->x + satf_shift_place(i % SATF_SHIFT_PLACES, of->w),
                           of->y + satf_shift_place(i / SATF_SHIFT_PLACES, of->h), c);
        room->sample[i] = own;
    }
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < SHIFT_SAMPLES; k++) {
        double other = room->sample[k];
        counted += other == other;
        rank += other < own || (other == own && k < i);
    }
    if (own == own) { /* of equal samples each has a rank of its own */
        int quarter = counted / 4;
        if (rank == quarter) {
            room->low = own;
        }
        if (rank == (counted - 1) / 2) {
            room->median = own;
        }
        if (rank == counted - 1 - quarter) {
            room->high = own;
        }
    }
    __syncthreads();
    return counted ? satf_shift_choose(room->low, room->median, room->high) : 0;
}

#endif
