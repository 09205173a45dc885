/* Coalesced and other accesses to global memory (J. Verschelde, Memory Coalescing Techniques). */
#include "../base/check.h"

extern "C" {
#include "../../src/study/gpu.h"
}

/* ----------------------------------------------------------------- misaligned */

enum { COPY_THREADS = 256 };

__global__ __launch_bounds__(COPY_THREADS) void copy_kernel(const float *__restrict__ in,
                                                            float *__restrict__ out, int64_t n,
                                                            int64_t offset)
{
    int64_t i = (int64_t)blockIdx.x * COPY_THREADS + threadIdx.x;
    if (i < n) {
        out[offset + i] = in[offset + i];
    }
}

satf_status machine_cuda_copy(satf_context *ctx, const float *in, float *out, int64_t n,
                              int64_t offset)
{
    unsigned blocks = (unsigned)((n + COPY_THREADS - 1) / COPY_THREADS);
    cudaStream_t stream = (cudaStream_t)satf_cuda()->stream(ctx);
    copy_kernel<<<blocks, COPY_THREADS, 0, stream>>>(in, out, n, offset);
    CUDA_RETURN(ctx, cudaGetLastError());
    return SATF_OK;
}

/* --------------------------------------------------------- consecutive powers */

enum {
    POWERS = ACCESS_POWERS,
    GROUP = MACHINE_BANKS,
    GROUP_WORDS = GROUP * POWERS,
    GROUPS = MACHINE_POWER_GROUPS
};

/* One number's powers to its group's part of memory. */
template <bool interleaved, typename Memory>
static __device__ __forceinline__ void powers(float x, uint32_t t, Memory to)
{
    float power = x;
#pragma unroll
    for (uint32_t p = 0; p < POWERS; p++) {
        power *= x;
        to[access_power(interleaved, t, p)] = power;
    }
}

template <bool interleaved>
__global__ __launch_bounds__(GROUPS *GROUP) void powers_kernel(const float *__restrict__ in,
                                                               float *__restrict__ out,
                                                               int64_t count)
{
    int64_t i = (int64_t)blockIdx.x * (GROUPS * GROUP) + threadIdx.x;
    if (i < count) {
        powers<interleaved>(in[i], threadIdx.x % GROUP, out + i / GROUP * GROUP_WORDS);
    }
}

template <bool interleaved>
__global__ __launch_bounds__(GROUPS *GROUP) void powers_shared_kernel(const float *in, float *out,
                                                                      int64_t times)
{
    __shared__ float part[GROUPS * GROUP_WORDS];
    volatile float *own = part + threadIdx.x / GROUP * GROUP_WORDS;
    float x = in[threadIdx.x];
    for (int64_t r = 0; r < times; r++) {
        asm volatile("" : "+f"(x)); /* so that powers are computed again */
        powers<interleaved>(x, threadIdx.x % GROUP, own);
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < GROUPS * GROUP_WORDS; i += GROUPS * GROUP) {
        out[i] = part[i];
    }
}

satf_status machine_cuda_powers(satf_context *ctx, bool interleaved, const float *in, float *out,
                                int64_t count)
{
    unsigned blocks = (unsigned)((count + GROUPS * GROUP - 1) / (GROUPS * GROUP));
    cudaStream_t stream = (cudaStream_t)satf_cuda()->stream(ctx);
    if (interleaved) {
        powers_kernel<true><<<blocks, GROUPS * GROUP, 0, stream>>>(in, out, count);
    } else {
        powers_kernel<false><<<blocks, GROUPS * GROUP, 0, stream>>>(in, out, count);
    }
    CUDA_RETURN(ctx, cudaGetLastError());
    return SATF_OK;
}

satf_status machine_cuda_powers_shared(satf_context *ctx, bool interleaved, const float *in,
                                       float *out, int64_t times)
{
    cudaStream_t stream = (cudaStream_t)satf_cuda()->stream(ctx);
    if (interleaved) {
        powers_shared_kernel<true><<<1, GROUPS * GROUP, 0, stream>>>(in, out, times);
    } else {
        powers_shared_kernel<false><<<1, GROUPS * GROUP, 0, stream>>>(in, out, times);
    }
    CUDA_RETURN(ctx, cudaGetLastError());
    return SATF_OK;
}

/* -------------------------------------------------------------- matrix products */

enum { SIDE = ACCESS_PRODUCT_TILE };

template <access_product way>
__global__ __launch_bounds__(SIDE *SIDE) void product_kernel(const float *__restrict__ a,
                                                             const float *__restrict__ b,
                                                             float *__restrict__ c, int64_t side)
{
    __shared__ float tile_a[SIDE * SIDE], tile_b[SIDE * SIDE];
    uint32_t x = threadIdx.x, y = threadIdx.y;
    access_element e = access_product_element(way, x, y);
    uint32_t place = access_product_place(way, e.i, e.j);
    int64_t row = (int64_t)blockIdx.y * SIDE, column = (int64_t)blockIdx.x * SIDE;
    float sum = 0;
    for (int64_t k = 0; k < side; k += SIDE) {
        tile_a[place] = a[access_product_word(way, side, row + e.i, k + e.j)];
        tile_b[place] = b[access_product_word(way, side, k + e.i, column + e.j)];
        __syncthreads();
#pragma unroll
        for (uint32_t l = 0; l < SIDE; l++) {
            sum +=
                tile_a[access_product_place(way, y, l)] * tile_b[access_product_place(way, l, x)];
        }
        __syncthreads();
    }
    c[(row + y) * side + column + x] = sum;
}

template <access_product way>
static cudaError_t launch_product(const float *a, const float *b, float *c, int64_t side,
                                  cudaStream_t stream)
{
    dim3 blocks((unsigned)(side / SIDE), (unsigned)(side / SIDE)), threads(SIDE, SIDE);
    product_kernel<way><<<blocks, threads, 0, stream>>>(a, b, c, side);
    return cudaGetLastError();
}

satf_status machine_cuda_product(satf_context *ctx, access_product way, const float *a,
                                 const float *b, float *c, int64_t side)
{
    cudaStream_t stream = (cudaStream_t)satf_cuda()->stream(ctx);
    switch (way) {
#define CASE(NAME, name)                                                        \
    case ACCESS_##NAME:                                                         \
        CUDA_RETURN(ctx, launch_product<ACCESS_##NAME>(a, b, c, side, stream)); \
        break;
        ACCESS_PRODUCTS(CASE)
#undef CASE
    default:
        CUDA_RETURN(ctx, cudaErrorInvalidValue);
    }
    return SATF_OK;
}
