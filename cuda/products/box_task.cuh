/* The argument of the kernels of small windows, and what kernels of ones and of taps share. */
#ifndef CUDA_PRODUCTS_BOX_TASK_CUH
#define CUDA_PRODUCTS_BOX_TASK_CUH

#include "loader.cuh"
#include "epilogue.cuh"
#include "multiply.cuh"

extern "C" {
#include "blocks.h"
#include "../../src/sums/march/bands_words.h"
#include "../../src/sums/march/gpu.h"
}

enum { STEP = BANDS_DOWN_TILE, TILE = BANDS_ACROSS_TILE, MOST_WARPS = BLOCKS_MOST_WARPS };

typedef struct box_task {
    CUtensorMap map; /* of the image, if it is mapped */
    loader_image in;
    int mapped, pitch;
    int halo; /* bytes read on either side of a tile */
    uint8_t *out;
    int64_t out_stride;
    const uint32_t *across, *down;
    int across_first, across_last, down_first, down_last; /* tiles, as in window_bands */
    int strips, segment;
    epilogue_task finish;
    /* 2^8 and 2^16, to multiply by in place of shifts: the units that shift and permute have the
     * most to do here. Of constants the compiler would make shifts. */
    int shift[2];
} box_task;

/* A lane's words of a matrix. */
template <int COUNT>
static __device__ __forceinline__ void load_matrix(uint32_t *weights, const uint32_t *matrices,
                                                   int matrix)
{
    const uint4 *from = (const uint4 *)matrices + (matrix * (COUNT / 4) * 32 + threadIdx.x % 32);
#pragma unroll
    for (int i = 0; i < COUNT / 4; i++) {
        uint4 four = __ldg(from + 32 * i);
        weights[4 * i] = four.x;
        weights[4 * i + 1] = four.y;
        weights[4 * i + 2] = four.z;
        weights[4 * i + 3] = four.w;
    }
}

/* sum + the groups' bytes, byte(k), times their weights. newest: the group that came last. */
template <int GROUPS, class Byte>
static __device__ __forceinline__ product add_down(const uint32_t (&weights)[GROUPS][4], int newest,
                                                   product sum, const Byte &byte)
{
#pragma unroll
    for (int k = 0; k + 1 < GROUPS; k += 2) {
        sum = multiply<PLAIN_WEIGHTS>(weights[(k - newest - 1 + 2 * GROUPS) % GROUPS], byte(k),
                                      byte(k + 1), sum);
    }
    if (GROUPS % 2) {
        int last = GROUPS - 1;
        sum = multiply_half<PLAIN_WEIGHTS>(weights[(last - newest - 1 + 2 * GROUPS) % GROUPS],
                                           byte(last), sum);
    }
    return sum;
}

#endif
