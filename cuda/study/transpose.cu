/* Transposes of a 32 x 32 matrix in shared memory under the layouts that RAP compares
 * (section VI), repeated so often that they can be timed. */
#include "../base/check.h"

extern "C" {
#include "../../src/study/gpu.h"
}

enum { W = MACHINE_BANKS, UNROLL = 8 };

/* `packed`: the register that holds row i's random number, of those six that it packs. */
template <layout_2d layout>
static __device__ __forceinline__ uint32_t address(uint32_t packed, access_element e)
{
    if constexpr (layout == LAYOUT_RAS || layout == LAYOUT_RAP) {
        uint32_t in_register = e.i % layout_numbers_per_register(W);
        return layout_turned_4d(W, 0, 0, e.i, e.j, layout_number(W, &packed, in_register));
    }
    return layout_2d_address(layout, W, NULL, e.i, e.j);
}

/* The register of the thread's row. A thread accesses two rows only, so it holds two registers of
 * the six. */
template <layout_2d layout>
static __device__ __forceinline__ uint32_t packed_of(const uint32_t *numbers, access_element e)
{
    if constexpr (layout == LAYOUT_RAS || layout == LAYOUT_RAP) {
        return numbers[e.i / layout_numbers_per_register(W)];
    }
    return 0;
}

/* volatile: what is repeated is done again, with every access. */
template <typename E, layout_2d layout, access_transpose way, bool computed>
__global__ __launch_bounds__(MACHINE_MATRIX) void transpose_kernel(const E *in, E *out,
                                                                   const uint32_t *numbers,
                                                                   int64_t times)
{
    __shared__ E a[MACHINE_MATRIX], b[MACHINE_MATRIX];
    volatile E *from = a, *to = b;
    uint32_t t = threadIdx.x;
    access_element own = access_at(t / W, t % W);
    uint32_t own_address = address<layout>(packed_of<layout>(numbers, own), own);
    a[own_address] = in[t];
    b[own_address] = 0;
    uint32_t read_packed = packed_of<layout>(numbers, access_read(way, W, t));
    uint32_t write_packed = packed_of<layout>(numbers, access_write(way, W, t));
    uint32_t read = address<layout>(read_packed, access_read(way, W, t));
    uint32_t write = address<layout>(write_packed, access_write(way, W, t));
    __syncthreads();
#pragma unroll UNROLL
    for (int64_t r = 0; r < times; r++) {
        if (computed) {
            asm volatile("" : "+r"(t)); /* so that addresses are computed again */
            read = address<layout>(read_packed, access_read(way, W, t));
            write = address<layout>(write_packed, access_write(way, W, t));
        }
        to[write] = from[read];
    }
    __syncthreads();
    out[threadIdx.x] = b[own_address];
}

struct transpose_job {
    const void *in;
    void *out;
    const uint32_t *numbers;
    int64_t times;
    cudaStream_t stream;
};

template <typename E, layout_2d layout, access_transpose way>
static cudaError_t launch_form(const transpose_job &job, bool computed)
{
    if (computed) {
        transpose_kernel<E, layout, way, true><<<1, MACHINE_MATRIX, 0, job.stream>>>(
            (const E *)job.in, (E *)job.out, job.numbers, job.times);
    } else {
        transpose_kernel<E, layout, way, false><<<1, MACHINE_MATRIX, 0, job.stream>>>(
            (const E *)job.in, (E *)job.out, job.numbers, job.times);
    }
    return cudaGetLastError();
}

template <typename E, layout_2d layout>
static cudaError_t study_transpose_launch_way(const transpose_job &job, access_transpose way,
                                              bool computed)
{
    switch (way) {
#define CASE(NAME, name) \
    case ACCESS_##NAME:  \
        return launch_form<E, layout, ACCESS_##NAME>(job, computed);
        ACCESS_TRANSPOSES(CASE)
#undef CASE
    default:
        return cudaErrorInvalidValue;
    }
}

template <typename E>
static cudaError_t study_transpose_launch(const transpose_job &job, const machine_transpose *t)
{
    switch (t->layout) {
#define CASE(NAME)      \
    case LAYOUT_##NAME: \
        return study_transpose_launch_way<E, LAYOUT_##NAME>(job, t->way, t->computed);
        MACHINE_TRANSPOSE_LAYOUTS(CASE)
#undef CASE
    default:
        return cudaErrorInvalidValue;
    }
}

satf_status machine_cuda_transpose(satf_context *ctx, const machine_transpose *t, const void *in,
                                   void *out, const uint32_t *numbers, int64_t times)
{
    transpose_job job = {in, out, numbers, times, (cudaStream_t)satf_cuda()->stream(ctx)};
    CUDA_RETURN(ctx, t->element_bytes == 4 ? study_transpose_launch<uint32_t>(job, t)
                                           : study_transpose_launch<uint64_t>(job, t));
    return SATF_OK;
}
