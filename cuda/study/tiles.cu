/* The kernels that AMM is tried on (tile.h), as whole kernels: a block for each tile, which is
 * filled from global memory and read into results. The layout is a template's parameter. */
#include "../base/check.h"

extern "C" {
#include "../../src/study/gpu.h"
#include "../../src/study/tile_kernels.h"
#include "../../src/study/tile_places.h"
}

/* volatile: each element passes through shared memory, even one that its own thread reads. */
extern __shared__ volatile float shared_words[];

template <layout_2d layout, uint32_t width>
static __device__ __forceinline__ uint32_t at(tile_element e)
{
    return layout_2d_address(layout, width, NULL, e.i, e.j);
}

struct transpose_tile {
    enum {
        THREADS = TILE_TRANSPOSE_THREADS,
        ROWS = TILE_TRANSPOSE_SIDE,
        WIDTH = TILE_TRANSPOSE_SIDE,
        ARRAYS = 1
    };

    template <layout_2d layout>
    static __device__ __forceinline__ void run(const float *__restrict__ in,
                                               float *__restrict__ out, int64_t tiles)
    {
        tile_grid g = tile_grid_of(tiles);
        uint32_t t = threadIdx.x;
#pragma unroll
        for (uint32_t k = 0; k < TILE_TRANSPOSE_STEPS; k++) {
            tile_element e = tile_transpose_in(t, k);
            shared_words[at<layout, WIDTH>(e)] = in[tile_transpose_from(&g, blockIdx.x, e.i, e.j)];
        }
        __syncthreads();
#pragma unroll
        for (uint32_t k = 0; k < TILE_TRANSPOSE_STEPS; k++) {
            tile_element e = tile_transpose_out(t, k);
            out[tile_transpose_to(&g, blockIdx.x, e.i, e.j)] = shared_words[at<layout, WIDTH>(e)];
        }
    }
};

struct convolution_tile {
    enum {
        THREADS = TILE_CONVOLUTION_THREADS,
        ROWS = TILE_CONVOLUTION_ROWS,
        WIDTH = TILE_CONVOLUTION_WIDTH,
        ARRAYS = 1
    };

    template <layout_2d layout>
    static __device__ __forceinline__ void run(const float *__restrict__ in,
                                               float *__restrict__ out, int64_t tiles)
    {
        tile_grid g = tile_grid_of(tiles);
        uint32_t t = threadIdx.x;
#pragma unroll
        for (uint32_t k = 0; k < TILE_CONVOLUTION_LOADS; k++) {
            tile_element e = tile_convolution_in(t, k);
            shared_words[at<layout, WIDTH>(e)] =
                in[tile_convolution_place(&g, blockIdx.x, e.i, e.j)];
        }
        __syncthreads();
#pragma unroll 1
        for (uint32_t r = 0; r < TILE_CONVOLUTION_RESULTS; r++) {
            float sum = 0;
#pragma unroll
            for (uint32_t tap = 0; tap < TILE_CONVOLUTION_TAPS; tap++) {
                tile_element e = tile_convolution_out(t, r * TILE_CONVOLUTION_TAPS + tap);
                sum += access_tap(tap) * shared_words[at<layout, WIDTH>(e)];
            }
            tile_element first = tile_convolution_out(t, r * TILE_CONVOLUTION_TAPS);
            out[tile_convolution_place(&g, blockIdx.x, first.i, first.j)] = sum;
        }
    }
};

/* Lanes 0 ... 15 solve for the block to the right of the diagonal one, a column each, the others
 * for the one below it, a row each (Rodinia's lud_perimeter). */
struct lud_tile {
    enum { THREADS = TILE_LUD_THREADS, ROWS = TILE_LUD_SIDE, WIDTH = TILE_LUD_SIDE, ARRAYS = 3 };

    template <layout_2d layout>
    static __device__ __forceinline__ void run(const float *__restrict__ in,
                                               float *__restrict__ out, int64_t tiles)
    {
        enum { S = TILE_LUD_SIDE };
        const uint32_t words = layout_2d_words(layout, WIDTH, ROWS);
        volatile float *diagonal = shared_words, *right = diagonal + words, *below = right + words;
        uint32_t t = threadIdx.x, lane = t % S;
        bool is_below = t >= S;
        for (uint32_t k = 0; k < S / 2; k++) {
            uint32_t i = t / S * (S / 2) + k;
            diagonal[layout_2d_address(layout, S, NULL, i, lane)] = in[i * S + lane];
        }
        for (uint32_t k = 0; k < S; k++) {
            uint32_t to = at<layout, WIDTH>(tile_lud_in(t, k));
            if (is_below) {
                below[to] = in[tile_lud_below(tiles, blockIdx.x, k, lane)];
            } else {
                right[to] = in[tile_lud_right(tiles, blockIdx.x, k, lane)];
            }
        }
        __syncthreads();
        if (is_below) {
            for (uint32_t i = 0; i < S; i++) {
                uint32_t own = layout_2d_address(layout, S, NULL, lane, i);
                float sum = below[own];
                for (uint32_t j = 0; j < i; j++) {
                    sum -= below[layout_2d_address(layout, S, NULL, lane, j)] *
                           diagonal[layout_2d_address(layout, S, NULL, j, i)];
                }
                below[own] = sum / diagonal[layout_2d_address(layout, S, NULL, i, i)];
            }
        } else {
            for (uint32_t i = 1; i < S; i++) {
                uint32_t own = layout_2d_address(layout, S, NULL, i, lane);
                float sum = right[own];
                for (uint32_t j = 0; j < i; j++) {
                    sum -= diagonal[layout_2d_address(layout, S, NULL, i, j)] *
                           right[layout_2d_address(layout, S, NULL, j, lane)];
                }
                right[own] = sum;
            }
        }
        __syncthreads();
        for (uint32_t k = 0; k < S; k++) {
            uint32_t from = at<layout, WIDTH>(tile_lud_in(t, k));
            if (is_below) {
                out[tile_lud_below(tiles, blockIdx.x, k, lane) - TILE_LUD_DIAGONAL] = below[from];
            } else {
                out[tile_lud_right(tiles, blockIdx.x, k, lane) - TILE_LUD_DIAGONAL] = right[from];
            }
        }
    }
};

/* Running sums of each row; coalesced or not, with much arithmetic or without. */
template <bool coalesced, bool arithmetic> struct foo_tile {
    enum { THREADS = TILE_FOO_THREADS, ROWS = TILE_FOO_ROWS, WIDTH = TILE_FOO_WIDTH, ARRAYS = 1 };

    template <layout_2d layout>
    static __device__ __forceinline__ void run(const float *__restrict__ in,
                                               float *__restrict__ out, int64_t)
    {
        uint32_t t = threadIdx.x;
        float sum = 0;
#pragma unroll 8
        for (uint32_t k = 0; k < TILE_FOO_STEPS; k++) {
            shared_words[at<layout, WIDTH>(tile_foo(t, k))] =
                in[tile_foo_place(coalesced, blockIdx.x, t, k)];
        }
        __syncthreads();
#pragma unroll 8
        for (uint32_t k = 0; k < TILE_FOO_STEPS; k++) {
            float x = shared_words[at<layout, WIDTH>(tile_foo(t, k))];
            sum += arithmetic ? access_foo2(x) : x;
            out[tile_foo_place(coalesced, blockIdx.x, t, k)] = sum;
        }
    }
};

/* Blocks that fill a multiprocessor's 2048 threads, or its 32 blocks: registers are not to be
 * what limits them. */
template <typename Tile> static constexpr int most_resident()
{
    return Tile::THREADS > 64 ? 2048 / Tile::THREADS : 32;
}

template <typename Tile, layout_2d layout>
__global__ __launch_bounds__(Tile::THREADS, most_resident<Tile>()) void tile_kernel_of(
    const float *__restrict__ in, float *__restrict__ out, int64_t tiles)
{
    Tile::template run<layout>(in, out, tiles);
}

typedef void kernel_function(const float *, float *, int64_t);

struct kernel_row {
    kernel_function *function;
    int threads;
    size_t bytes;
};

template <typename Tile, layout_2d layout> static kernel_row tiles_row_of()
{
    size_t words = Tile::ARRAYS * layout_2d_words(layout, Tile::WIDTH, Tile::ROWS);
    return {tile_kernel_of<Tile, layout>, Tile::THREADS, words * sizeof(float)};
}

template <typename Tile> static kernel_row row_of_layout(layout_2d layout)
{
    switch (layout) {
#define CASE(layout, name) \
    case layout:           \
        return tiles_row_of<Tile, layout>();
        TILE_LAYOUTS(CASE)
#undef CASE
    default:
        return {};
    }
}

/* The function is NULL where there is none. */
static kernel_row tiles_find(size_t kernel, layout_2d layout)
{
    switch (kernel) {
    case TILE_TRANSPOSE:
        return row_of_layout<transpose_tile>(layout);
    case TILE_CONVOLUTION:
        return row_of_layout<convolution_tile>(layout);
    case TILE_LUD:
        return row_of_layout<lud_tile>(layout);
    case TILE_FOO1:
        return row_of_layout<foo_tile<true, false>>(layout);
    case TILE_FOO1_STRIDED:
        return row_of_layout<foo_tile<false, false>>(layout);
    case TILE_FOO2:
        return row_of_layout<foo_tile<true, true>>(layout);
    default:
        return {};
    }
}

/* Takes as much of a multiprocessor's memory as can be for shared memory, so that it is what
 * limits the blocks that are resident, and finds how much a block asks for. */
static satf_status tiles_prepare(satf_context *ctx, const kernel_row &row, int most_blocks,
                                 size_t *bytes)
{
    const void *function = (const void *)row.function;
    int device, whole, reserved, most;
    *bytes = row.bytes;
    if (!row.function) {
        return satf_fail(ctx, SATF_INVALID, "there is no such kernel");
    }
    CUDA_RETURN(ctx, cudaFuncSetAttribute(function, cudaFuncAttributePreferredSharedMemoryCarveout,
                                          cudaSharedmemCarveoutMaxShared));
    if (most_blocks == 0) {
        return SATF_OK;
    }
    CUDA_RETURN(ctx, cudaGetDevice(&device));
    CUDA_RETURN(
        ctx, cudaDeviceGetAttribute(&whole, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device));
    CUDA_RETURN(ctx,
                cudaDeviceGetAttribute(&reserved, cudaDevAttrReservedSharedMemoryPerBlock, device));
    CUDA_RETURN(ctx,
                cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    /* A block's part of it, in steps that are none smaller than a device's own. */
    int part = (whole / most_blocks - reserved) / 1024 * 1024;
    part = part < most ? part : most;
    if (part > (int)*bytes) {
        *bytes = (size_t)part;
        CUDA_RETURN(
            ctx, cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, part));
    }
    return SATF_OK;
}

satf_status machine_cuda_tiles(satf_context *ctx, size_t kernel, layout_2d layout, int most_blocks,
                               int64_t tiles, const float *in, float *out)
{
    kernel_row row = tiles_find(kernel, layout);
    void *arguments[] = {&in, &out, &tiles};
    size_t bytes;
    satf_status status = tiles_prepare(ctx, row, most_blocks, &bytes);
    if (status) {
        return status;
    }
    CUDA_RETURN(ctx, cudaLaunchKernel((const void *)row.function, dim3((unsigned)tiles),
                                      dim3((unsigned)row.threads), arguments, bytes,
                                      (cudaStream_t)satf_cuda()->stream(ctx)));
    return SATF_OK;
}

satf_status machine_cuda_tiles_residence(satf_context *ctx, size_t kernel, layout_2d layout,
                                         int most_blocks, machine_residence *residence)
{
    kernel_row row = tiles_find(kernel, layout);
    const void *function = (const void *)row.function;
    cudaFuncAttributes attributes;
    size_t bytes;
    int device;
    satf_status status = tiles_prepare(ctx, row, most_blocks, &bytes);
    if (status) {
        return status;
    }
    CUDA_RETURN(ctx, cudaGetDevice(&device));
    CUDA_RETURN(ctx, cudaDeviceGetAttribute(&residence->threads,
                                            cudaDevAttrMaxThreadsPerMultiProcessor, device));
    CUDA_RETURN(ctx, cudaFuncGetAttributes(&attributes, function));
    CUDA_RETURN(ctx, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&residence->blocks, function,
                                                                   row.threads, bytes));
    residence->registers = attributes.numRegs;
    residence->bytes = row.bytes;
    return SATF_OK;
}
