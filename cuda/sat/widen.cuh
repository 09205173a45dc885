/* Samples of any type as the summands that they are, of the table's type and in its memory. */
#ifndef CUDA_SAT_WIDEN_CUH
#define CUDA_SAT_WIDEN_CUH

#include "plane.cuh"
#include "resident.cuh"

enum { WIDEN_THREADS = 256, WIDEN_ROWS = 65535 };

template <typename T, typename O>
__device__ __forceinline__ void widen_sample(const sat_plane &p, int64_t y, int64_t x, int c)
{
    O summand = read_summand<T, O, false>(p, p.in + y * p.in_stride, x, c);
    write_value<O>(sum_at<O>(p, y, x, c), summand, p.out_align >= (int)sizeof(O));
}

template <typename O>
__global__ __launch_bounds__(WIDEN_THREADS) void widen_kernel(sat_plane p, int type)
{
    int64_t i = (int64_t)blockIdx.x * WIDEN_THREADS + threadIdx.x;
    int64_t x = p.channels == 1 ? i : i / p.channels;
    int c = (int)(i - x * p.channels);
    await_stream();
    if (x >= p.width) {
        return;
    }
    for (int64_t y = blockIdx.y; y < p.height; y += gridDim.y) {
        if constexpr (std::is_same_v<O, float>) {
            widen_sample<float, O>(p, y, x, c);
        } else if constexpr (std::is_same_v<O, double>) {
            if (type == SATF_F32) {
                widen_sample<float, O>(p, y, x, c);
            } else {
                widen_sample<double, O>(p, y, x, c);
            }
        } else if (type == SATF_U8) {
            widen_sample<uint8_t, O>(p, y, x, c);
        } else {
            widen_sample<uint16_t, O>(p, y, x, c);
        }
    }
}

template <typename O> cudaError_t launch_widen(const sat_plane &p, int type, cudaStream_t stream)
{
    int64_t columns = (p.width * p.channels - 1) / WIDEN_THREADS + 1;
    dim3 blocks((unsigned)columns, (unsigned)(p.height < WIDEN_ROWS ? p.height : WIDEN_ROWS));
    return launch_blocks(widen_kernel<O>, blocks, WIDEN_THREADS, 0, START_EARLY, stream, p, type);
}

#endif
