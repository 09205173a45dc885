/* The transposition of a channel, between the two scans of rows of the paper's first algorithms. */
#include "plane.cuh"

/*
 * Transposition of one channel through shared memory in the diagonal arrangement:
 * element (i, j) of a block of 32 x 32 lies at [i][(i + j) mod 32], so that a warp meets
 * 32 banks along a row as well as down a column (lemma 6.1.1).
 */
enum { TRANSPOSE_SIDE = 32, TRANSPOSE_ROWS = 8 };

template <typename O, bool BACK>
static __global__
__launch_bounds__(TRANSPOSE_SIDE *TRANSPOSE_ROWS) void transpose_kernel(sat_plane p, int c,
                                                                        O *transposed)
{
    __shared__ O block[TRANSPOSE_SIDE][TRANSPOSE_SIDE];
    int64_t across = (p.width + TRANSPOSE_SIDE - 1) / TRANSPOSE_SIDE;
    int64_t y0 = (int64_t)blockIdx.x / across * TRANSPOSE_SIDE;
    int64_t x0 = (int64_t)blockIdx.x % across * TRANSPOSE_SIDE;
    int j = (int)threadIdx.x % TRANSPOSE_SIDE;
    for (int i = (int)threadIdx.x / TRANSPOSE_SIDE; i < TRANSPOSE_SIDE; i += TRANSPOSE_ROWS) {
        O *at = &block[i][(i + j) % TRANSPOSE_SIDE];
        if (BACK) {
            if (x0 + i < p.width && y0 + j < p.height) {
                *at = transposed[(x0 + i) * p.height + y0 + j];
            }
        } else if (y0 + i < p.height && x0 + j < p.width) {
            *at = read_sum<O>(p, sum_at<O>(p, y0 + i, x0 + j, c));
        }
    }
    __syncthreads();
    for (int i = (int)threadIdx.x / TRANSPOSE_SIDE; i < TRANSPOSE_SIDE; i += TRANSPOSE_ROWS) {
        O value = block[j][(i + j) % TRANSPOSE_SIDE];
        if (BACK) {
            if (y0 + i < p.height && x0 + j < p.width) {
                write_sum<O>(p, sum_at<O>(p, y0 + i, x0 + j, c), value);
            }
        } else if (x0 + i < p.width && y0 + j < p.height) {
            transposed[(x0 + i) * p.height + y0 + j] = value;
        }
    }
}

template <typename O>
static cudaError_t sat_transpose_launch(const sat_plane &p, int channel, void *transposed,
                                        bool back, cudaStream_t stream)
{
    int64_t across = (p.width + TRANSPOSE_SIDE - 1) / TRANSPOSE_SIDE;
    int64_t down = (p.height + TRANSPOSE_SIDE - 1) / TRANSPOSE_SIDE;
    unsigned blocks = (unsigned)(across * down);
    int threads = TRANSPOSE_SIDE * TRANSPOSE_ROWS;
    if (back) {
        transpose_kernel<O, true><<<blocks, threads, 0, stream>>>(p, channel, (O *)transposed);
    } else {
        transpose_kernel<O, false><<<blocks, threads, 0, stream>>>(p, channel, (O *)transposed);
    }
    return cudaGetLastError();
}

cudaError_t sat_transpose(const sat_plane &p, int bytes, int channel, void *transposed, bool back,
                          cudaStream_t stream)
{
    return bytes == 4 ? sat_transpose_launch<uint32_t>(p, channel, transposed, back, stream)
                      : sat_transpose_launch<uint64_t>(p, channel, transposed, back, stream);
}
