/*
 * The algorithms without blocks: 2R2W and 4R4W (section 6.2) and 4R1W (section 6.4).
 * They add in S and store O after each pass; where O is float every pass of the former rounds.
 */
#ifndef CUDA_SAT_PASSES_CUH
#define CUDA_SAT_PASSES_CUH

#include "blocks.cuh"

enum { PASS_THREADS = 64, PASS_AHEAD = 8 }; /* small blocks: a thread has a whole column to do */

/* The summand, of a sample of any type, as a table of O stores it. */
template <typename O>
__device__ __forceinline__ O read_stored(const sat_plane &p, int64_t y, int64_t x, int c)
{
    O summand;
    with_samples<O>(p, [&](auto sample) {
        summand = read_summand<decltype(sample), O, false>(p, p.in + y * p.in_stride, x, c);
    });
    return summand;
}

/* The sums down a column, of samples of T. */
template <typename T, typename S, typename O, bool PLAIN>
__device__ __forceinline__ void sum_down(const sat_plane &p, int64_t x, int c)
{
    S sum = 0;
    for (int64_t y = 0; y < p.height; y += PASS_AHEAD) {
        S ahead[PASS_AHEAD]; /* loads do not wait for one another */
#pragma unroll
        for (int k = 0; k < PASS_AHEAD; k++) {
            ahead[k] = y + k < p.height
                           ? (S)read_summand<T, O, PLAIN>(p, p.in + (y + k) * p.in_stride, x, c)
                           : (S)0;
        }
#pragma unroll
        for (int k = 0; k < PASS_AHEAD; k++) {
            sum += ahead[k];
            if (y + k < p.height) {
                write_sum<O>(p, sum_at<O>(p, y + k, x, c), (O)sum);
            }
        }
    }
}

/* A thread goes down a column of one channel: neighbours access neighbours. */
template <typename S, typename O>
__global__ __launch_bounds__(PASS_THREADS) void columns_kernel(sat_plane p)
{
    int64_t i = (int64_t)blockIdx.x * PASS_THREADS + threadIdx.x;
    if (i >= p.width * p.channels) {
        return;
    }
    int64_t x = i / p.channels;
    int c = (int)(i - x * p.channels);
    with_samples<O>(p, [&](auto sample) {
        if (p.summand == SATF_SUMMAND_PLAIN) {
            sum_down<decltype(sample), S, O, true>(p, x, c);
        } else {
            sum_down<decltype(sample), S, O, false>(p, x, c);
        }
    });
}

/* A thread goes along a row of one channel: neighbours are a row apart. */
template <typename S, typename O>
__global__ __launch_bounds__(PASS_THREADS) void rows_kernel(sat_plane p)
{
    int64_t i = (int64_t)blockIdx.x * PASS_THREADS + threadIdx.x;
    if (i >= p.height * p.channels) {
        return;
    }
    int64_t y = i / p.channels;
    int c = (int)(i - y * p.channels);
    S sum = 0;
    for (int64_t x = 0; x < p.width; x += PASS_AHEAD) {
        S ahead[PASS_AHEAD];
#pragma unroll
        for (int k = 0; k < PASS_AHEAD; k++) {
            ahead[k] = x + k < p.width ? (S)read_sum<O>(p, sum_at<O>(p, y, x + k, c)) : (S)0;
        }
#pragma unroll
        for (int k = 0; k < PASS_AHEAD; k++) {
            sum += ahead[k];
            if (x + k < p.width) {
                write_sum<O>(p, sum_at<O>(p, y, x + k, c), (O)sum);
            }
        }
    }
}

/*
 * Formula (6.1) for sample k of anti-diagonal d, all channels. Sums of the same
 * kernel are read past L1. They come from the table; but if that is of rounded sums, the rounding
 * of an entry would be in all that follow, so sums of the three latest anti-diagonals are kept:
 * [anti-diagonal % 3][place along the shorter side][channel].
 */
template <typename S, typename O>
__device__ __forceinline__ void formula_61(const sat_plane &p, S *kept, int64_t d, int64_t k)
{
    constexpr bool KEEPS = sizeof(O) < sizeof(S);
    int64_t i = k / p.channels;
    int c = (int)(k - i * p.channels);
    int64_t y = (d < p.width ? 0 : d - p.width + 1) + i, x = d - y;
    S sum = (S)read_stored<O>(p, y, x, c);
    auto keep = [&](int64_t row, int64_t column) {
        int64_t place = p.width < p.height ? column : row, side = min(p.width, p.height);
        return kept + ((row + column) % 3 * side + place) * p.channels + c;
    };
    auto read = [&](int64_t row, int64_t column) -> S {
        if (KEEPS) {
            return read_fresh(keep(row, column));
        }
        const char *from = sum_at<O>(p, row, column, c);
        bool aligned = p.out_align >= (int)sizeof(O);
        return (S)(aligned ? read_fresh((const O *)from) : read_value<O>(from, false));
    };
    sum += x > 0 ? read(y, x - 1) : (S)0;
    sum += y > 0 ? read(y - 1, x) : (S)0;
    sum -= x > 0 && y > 0 ? read(y - 1, x - 1) : (S)0;
    if (KEEPS) {
        *keep(y, x) = sum;
    }
    write_sum<O>(p, sum_at<O>(p, y, x, c), (O)sum);
}

__host__ __device__ inline sat_grid sample_grid(const sat_plane &p)
{
    sat_grid g = {p.width, p.height, p.channels};
    return g;
}

template <typename S, typename O>
__global__ __launch_bounds__(PASS_THREADS) void diagonal_kernel(sat_plane p, S *kept, int64_t d)
{
    int64_t k = (int64_t)blockIdx.x * PASS_THREADS + threadIdx.x;
    await_stream();
    if (k < diagonal_count(sample_grid(p), d) * p.channels) {
        formula_61<S, O>(p, kept, d, k);
    }
}

/* All anti-diagonals; done counts the CUDA blocks that have done their part of one. */
template <typename S, typename O>
__global__ __launch_bounds__(PASS_THREADS) void diagonals_kernel(sat_plane p, S *kept,
                                                                 unsigned *done)
{
    int64_t diagonals = p.width + p.height - 1, before = 0;
    int64_t first = (int64_t)blockIdx.x * PASS_THREADS, step = (int64_t)gridDim.x * PASS_THREADS;
    start_count(done);
    for (int64_t d = 0; d < diagonals; d++) {
        int64_t count = diagonal_count(sample_grid(p), d) * p.channels;
        if (first < count) {
            if (threadIdx.x == 0) {
                wait_for_count<true>(done, (unsigned)before);
            }
            __syncthreads();
            for (int64_t k = first + threadIdx.x; k < count; k += step) {
                formula_61<S, O>(p, kept, d, k);
            }
            __syncthreads();
            if (threadIdx.x == 0) {
                add_to_count<true>(done);
            }
        }
        int64_t parts = (count + PASS_THREADS - 1) / PASS_THREADS;
        before += parts < gridDim.x ? parts : gridDim.x;
    }
}

inline unsigned pass_blocks(int64_t n)
{
    return (unsigned)((n + PASS_THREADS - 1) / PASS_THREADS);
}

template <typename S, typename O> struct passes_launch {
    static cudaError_t columns(const sat_plane &p, cudaStream_t stream)
    {
        columns_kernel<S, O><<<pass_blocks(p.width * p.channels), PASS_THREADS, 0, stream>>>(p);
        return cudaGetLastError();
    }

    static cudaError_t rows(const sat_plane &p, cudaStream_t stream)
    {
        rows_kernel<S, O><<<pass_blocks(p.height * p.channels), PASS_THREADS, 0, stream>>>(p);
        return cudaGetLastError();
    }

    static cudaError_t diagonal(const sat_plane &p, void *kept, int64_t d, cudaStream_t stream)
    {
        int64_t n = diagonal_count(sample_grid(p), d) * p.channels;
        return launch_blocks(diagonal_kernel<S, O>, dim3(pass_blocks(n)), PASS_THREADS, 0,
                             START_EARLY, stream, p, (S *)kept, d);
    }

    static cudaError_t diagonals(const sat_plane &p, void *kept, unsigned *done,
                                 cudaStream_t stream)
    {
        int64_t n = (p.width < p.height ? p.width : p.height) * p.channels;
        return launch_resident<diagonals_kernel<S, O>>(PASS_THREADS, 0, pass_blocks(n),
                                                       START_TOGETHER, stream, p, (S *)kept, done);
    }
};

#endif
