/*
 * The transpose of a matrix (section 5.3), 16 bytes at a time. A block does a tile of
 * SIDE x SIDE chunks, a chunk being V elements: a thread takes V chunks that lie
 * below one another, turns these V x V elements about in its registers, and
 * puts the V chunks that result into shared memory, from where they are written.
 * There they form V matrices of SIDE x SIDE chunks in the diagonal arrangement:
 * the 8 threads that are served together meet all 8 groups of 4 banks both ways.
 *
 * Each element is read and written once, in runs of SIDE * 16 bytes. Tiles are
 * taken down bands of BAND rows of tiles, so that what all blocks write at about
 * the same time are runs of BAND * SIDE * 16 bytes.
 */
#ifndef CUDA_PERMUTE_TRANSPOSE_CUH
#define CUDA_PERMUTE_TRANSPOSE_CUH

#include <cuda_runtime.h>

#include "../../src/machine/layout.h"

enum { TRANSPOSE_CHUNKS = 16, TRANSPOSE_BAND = 16 };

template <typename E, int V> struct alignas(sizeof(E) * V) transpose_chunk {
    E element[V];
};

struct transpose_grid {
    int64_t tiles_x, tiles_y; /* of the source */
};

template <int V>
__host__ __device__ inline transpose_grid transpose_tiles(int64_t rows, int64_t columns)
{
    const int64_t side = V * TRANSPOSE_CHUNKS;
    transpose_grid g = {(columns + side - 1) / side, (rows + side - 1) / side};
    return g;
}

/* The tile that block b does. */
__host__ __device__ inline void transpose_tile(const transpose_grid &g, int64_t b, int64_t *x,
                                               int64_t *y)
{
    int64_t band = b / (g.tiles_x * TRANSPOSE_BAND), left = b - band * g.tiles_x * TRANSPOSE_BAND;
    int64_t below = g.tiles_y - band * TRANSPOSE_BAND;
    int64_t height = below < TRANSPOSE_BAND ? below : TRANSPOSE_BAND;
    *x = left / height;
    *y = band * TRANSPOSE_BAND + left % height;
}

/* rows and columns are multiples of V. */
template <typename E, int V>
__global__ __launch_bounds__(TRANSPOSE_CHUNKS *TRANSPOSE_CHUNKS) void transpose_kernel(
    const E *__restrict__ in, E *__restrict__ out, int64_t rows, int64_t columns)
{
    typedef transpose_chunk<E, V> chunk;
    constexpr uint32_t S = TRANSPOSE_CHUNKS;
    __shared__ chunk tile[V][S * S];
    int64_t tile_x, tile_y;
    transpose_tile(transpose_tiles<V>(rows, columns), blockIdx.x, &tile_x, &tile_y);
    int64_t x0 = tile_x * (S * V), y0 = tile_y * (S * V);
    uint32_t low = threadIdx.x % S, high = threadIdx.x / S;

    int64_t x = x0 + low * V, y = y0 + high * V;
    if (x < columns && y < rows) {
        chunk here[V];
#pragma unroll
        for (int j = 0; j < V; j++) {
            here[j] = *(const chunk *)(in + (y + j) * columns + x);
        }
#pragma unroll
        for (int i = 0; i < V; i++) {
            chunk turned;
#pragma unroll
            for (int j = 0; j < V; j++) {
                turned.element[j] = here[j].element[i];
            }
            tile[i][layout_diagonal(S, NULL, low, high)] = turned;
        }
    }
    __syncthreads();
    x = x0 + high * V; /* now its column, and row, of the source as the result has them */
    y = y0 + low * V;
    if (x < columns && y < rows) {
#pragma unroll
        for (int i = 0; i < V; i++) {
            *(chunk *)(out + (x + i) * rows + y) = tile[i][layout_diagonal(S, NULL, high, low)];
        }
    }
}

template <typename E, int V>
inline cudaError_t transpose_launch(const void *in, void *out, int64_t rows, int64_t columns,
                                    cudaStream_t stream)
{
    transpose_grid g = transpose_tiles<V>(rows, columns);
    if (g.tiles_x > INT32_MAX / g.tiles_y) {
        return cudaErrorInvalidConfiguration;
    }
    transpose_kernel<E, V>
        <<<(unsigned)(g.tiles_x * g.tiles_y), TRANSPOSE_CHUNKS * TRANSPOSE_CHUNKS, 0, stream>>>(
            (const E *)in, (E *)out, rows, columns);
    return cudaGetLastError();
}

/* In chunks of 16 bytes where sizes and addresses allow it, else element by element. */
template <typename E>
inline cudaError_t transpose(const void *in, void *out, int64_t rows, int64_t columns,
                             cudaStream_t stream)
{
    constexpr int V = 16 / sizeof(E);
    bool whole = rows % V == 0 && columns % V == 0 && ((uintptr_t)in | (uintptr_t)out) % 16 == 0;
    return whole ? transpose_launch<E, V>(in, out, rows, columns, stream)
                 : transpose_launch<E, 1>(in, out, rows, columns, stream);
}

#endif
