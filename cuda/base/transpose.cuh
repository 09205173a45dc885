/*
 * The transpose of a matrix (dissertation, section 5.3), 16 bytes at a time, or 8. A block
 * does a tile of ACROSS x DOWN chunks, a chunk being V elements: a thread takes V
 * chunks that lie below one another, turns these V x V elements about in its
 * registers, and puts the V chunks that result into shared memory, from where
 * they are written. There they form V matrices of ACROSS x DOWN chunks, by default in the
 * diagonal arrangement: the threads that are served together, 8 or 16, meet all
 * banks both ways. The other layouts are there to be compared.
 *
 * Each element is read and written once, and written in runs of 256 bytes, bytes in runs of
 * 128. Tiles are taken down bands of BAND rows of
 * tiles, so that what all blocks write at about the same time are longer runs yet.
 */
#ifndef CUDA_BASE_TRANSPOSE_CUH
#define CUDA_BASE_TRANSPOSE_CUH

#include <cstdint>
#include <cuda_runtime.h>

#include "../../src/base/layout.h"

/* Chunks across a tile, tiles of a band. */
enum { TRANSPOSE_ACROSS = 16, TRANSPOSE_BAND = 16 };

/* Chunks down a tile: 16-bit elements gain by higher tiles; bytes lose at 8192 x 8192, and are as
 * fast at 4096 x 4096. */
template <typename E, int V>
constexpr int transpose_down = (sizeof(E) * V < 16) && (sizeof(E) > 1) ? 32 : 16;

/* Elements of a chunk: more than 8 x 8 of them would take a thread too many registers. */
template <typename E>
constexpr int transpose_chunk_of = sizeof(E) < 4 ? 8 / sizeof(E) : 16 / sizeof(E);

template <typename E, int V> struct alignas(sizeof(E) * V) transpose_chunk {
    E element[V];
};

/* Rows of elements, `stride` bytes apart, of any sign. */
struct transpose_matrix {
    char *data;
    int64_t stride;
};

enum { TRANSPOSE_NUMBERS = 2 }; /* registers of a layout's random numbers below 16 */

struct transpose_job {
    transpose_matrix in, out;
    int64_t rows, columns;               /* of the source */
    uint32_t numbers[TRANSPOSE_NUMBERS]; /* of the layout, if it has any */
    int64_t tiles_x, tiles_y;            /* of the source */
};

/* The tile that block b transposes. */
__device__ inline void transpose_tile(const transpose_job &job, int64_t b, int64_t *x, int64_t *y)
{
    int64_t band = b / (job.tiles_x * TRANSPOSE_BAND);
    int64_t left = b - band * job.tiles_x * TRANSPOSE_BAND;
    int64_t below = job.tiles_y - band * TRANSPOSE_BAND;
    int64_t height = below < TRANSPOSE_BAND ? below : TRANSPOSE_BAND;
    *x = left / height;
    *y = band * TRANSPOSE_BAND + left % height;
}

/* The chunk of row y from column x on, as far as the matrix goes. */
template <typename E, int V>
__device__ __forceinline__ transpose_chunk<E, V>
transpose_load(const transpose_matrix &m, int64_t y, int64_t x, int64_t columns)
{
    const E *at = (const E *)(m.data + y * m.stride) + x;
    if (x + V <= columns) {
        return *(const transpose_chunk<E, V> *)at;
    }
    transpose_chunk<E, V> chunk = {};
#pragma unroll
    for (int i = 0; i < V; i++) {
        if (x + i < columns) {
            chunk.element[i] = at[i];
        }
    }
    return chunk;
}

template <typename E, int V>
__device__ __forceinline__ void transpose_store(const transpose_matrix &m, int64_t y, int64_t x,
                                                int64_t columns, const transpose_chunk<E, V> &chunk)
{
    E *at = (E *)(m.data + y * m.stride) + x;
    if (x + V <= columns) {
        *(transpose_chunk<E, V> *)at = chunk;
        return;
    }
#pragma unroll
    for (int i = 0; i < V; i++) {
        if (x + i < columns) {
            at[i] = chunk.element[i];
        }
    }
}

/* Element i of all chunks, as one chunk. Bytes are gathered by words, four at a time. */
template <typename E, int V>
__device__ __forceinline__ transpose_chunk<E, V>
transpose_column(const transpose_chunk<E, V> (&from)[V], int i)
{
    transpose_chunk<E, V> to;
    if constexpr (sizeof(E) == 1 && V % 4 == 0) {
        uint32_t pair = (uint32_t)(i % 4) | (uint32_t)(i % 4 + 4) << 4;
#pragma unroll
        for (int j = 0; j < V; j += 4) {
            uint32_t word[4];
#pragma unroll
            for (int k = 0; k < 4; k++) {
                word[k] = ((const uint32_t *)from[j + k].element)[i / 4];
            }
            ((uint32_t *)to.element)[j / 4] = __byte_perm(
                __byte_perm(word[0], word[1], pair), __byte_perm(word[2], word[3], pair), 0x5410);
        }
    } else {
#pragma unroll
        for (int j = 0; j < V; j++) {
            to.element[j] = from[j].element[i];
        }
    }
    return to;
}

/* A block transposes a tile. All rows are aligned to chunks. */
template <typename E, int V, layout_2d layout>
__global__
__launch_bounds__(TRANSPOSE_ACROSS *transpose_down<E, V>) void transpose_kernel(transpose_job job)
{
    typedef transpose_chunk<E, V> chunk;
    constexpr uint32_t X = TRANSPOSE_ACROSS, Y = transpose_down<E, V>;
    __shared__ chunk tile[V][X * (Y + (layout == LAYOUT_PADDED))];
    int64_t tile_x, tile_y;
    transpose_tile(job, blockIdx.x, &tile_x, &tile_y);
    int64_t x0 = tile_x * (X * V), y0 = tile_y * (Y * V);

    uint32_t i_x = threadIdx.x % X, i_y = threadIdx.x / X; /* the thread's chunks of the source */
    int64_t x = x0 + i_x * V, y = y0 + i_y * V;
    chunk here[V];
#pragma unroll
    for (int j = 0; j < V; j++) {
        here[j] = {};
        if (x < job.columns && y + j < job.rows) {
            here[j] = transpose_load<E, V>(job.in, y + j, x, job.columns);
        }
    }
#pragma unroll
    for (int i = 0; i < V; i++) {
        tile[i][layout_2d_address(layout, Y, job.numbers, i_x, i_y)] =
            transpose_column<E, V>(here, i);
    }
    __syncthreads();
    i_x = threadIdx.x / Y; /* and those that it writes, as the source had them */
    i_y = threadIdx.x % Y;
    x = x0 + i_x * V;
    y = y0 + i_y * V;
#pragma unroll
    for (int i = 0; i < V; i++) {
        if (x + i < job.columns && y < job.rows) {
            transpose_store<E, V>(job.out, x + i, y, job.rows,
                                  tile[i][layout_2d_address(layout, Y, job.numbers, i_x, i_y)]);
        }
    }
}

template <typename E, int V, layout_2d layout = LAYOUT_DIAGONAL>
cudaError_t transpose_launch(transpose_job job, cudaStream_t stream)
{
    constexpr int X = TRANSPOSE_ACROSS, Y = transpose_down<E, V>;
    job.tiles_x = (job.columns - 1) / (X * V) + 1;
    job.tiles_y = (job.rows - 1) / (Y * V) + 1;
    if (job.tiles_x > INT32_MAX / job.tiles_y) {
        return cudaErrorInvalidConfiguration;
    }
    transpose_kernel<E, V, layout>
        <<<(unsigned)(job.tiles_x * job.tiles_y), X * Y, 0, stream>>>(job);
    return cudaGetLastError();
}

/* Whether all rows are aligned to chunks. */
template <typename E>
inline bool transpose_by_chunks(const transpose_matrix &in, const transpose_matrix &out)
{
    return (((uintptr_t)in.data | (uintptr_t)in.stride | (uintptr_t)out.data |
             (uintptr_t)out.stride) %
            (sizeof(E) * transpose_chunk_of<E>)) == 0;
}

/* Row y of `out` becomes column y of `in`; `out` has `columns` rows. By chunks if all rows are
 * aligned to them, else element by element. */
template <typename E>
inline cudaError_t transpose(const transpose_matrix &in, const transpose_matrix &out, int64_t rows,
                             int64_t columns, cudaStream_t stream)
{
    transpose_job job = {in, out, rows, columns, {0}, 0, 0};
    return transpose_by_chunks<E>(in, out) ? transpose_launch<E, transpose_chunk_of<E>>(job, stream)
                                           : transpose_launch<E, 1>(job, stream);
}

#endif
