/* Permutations within shared memory, repeated so often that they can be timed (chapter 4). */
#include "../base/check.h"

extern "C" {
#include "../../src/study/gpu.h"
}

enum { N = PATTERN_SMALL, UNROLL = 8 };

/* The elements that thread i reads and writes, from tables, which are copied to shared memory
 * ... */
template <permute_way way> struct from_tables {
    const volatile int *first, *second; /* p, q, or s and d */

    __device__ __forceinline__ uint32_t source(uint32_t i) const
    {
        return way == PERMUTE_FROM || way == PERMUTE_CONFLICT_FREE ? first[i] : i;
    }

    __device__ __forceinline__ uint32_t place(uint32_t i, uint32_t) const
    {
        return way == PERMUTE_TO ? first[i] : way == PERMUTE_CONFLICT_FREE ? second[i] : i;
    }
};

/* ... or computed. */
template <permute_way way, pattern which> struct in_place {
    const volatile int *first, *second;

    static __device__ __forceinline__ uint32_t permuted(uint32_t i)
    {
        return which == PATTERN_TRANSPOSE ? pattern_small_transpose(i)
               : which == PATTERN_SHUFFLE ? pattern_small_shuffle(i)
                                          : pattern_small_bit_reversal(i);
    }

    __device__ __forceinline__ uint32_t source(uint32_t i) const
    {
        if (way == PERMUTE_FROM) { /* the two others are their own inverses */
            return which == PATTERN_SHUFFLE ? pattern_small_unshuffle(i) : permuted(i);
        }
        return way == PERMUTE_CONFLICT_FREE ? pattern_small_source(i) : i;
    }

    __device__ __forceinline__ uint32_t place(uint32_t i, uint32_t source) const
    {
        return way == PERMUTE_FROM ? i : permuted(source);
    }
};

/* volatile: what is repeated is done again, with every access. */
template <typename E, typename Indices>
__global__ __launch_bounds__(N) void small_kernel(const E *in, E *out, const int *first_table,
                                                  const int *second_table, int64_t times)
{
    __shared__ E a[N], b[N];
    __shared__ int first[N], second[N];
    volatile E *from = a, *to = b;
    uint32_t i = threadIdx.x;
    Indices indices = {first, second};
    a[i] = in[i];
    b[i] = 0;
    first[i] = first_table[i];
    second[i] = second_table[i];
    __syncthreads();
#pragma unroll UNROLL
    for (int64_t r = 0; r < times; r++) {
        asm volatile("" : "+r"(i)); /* so that computed indices are computed again */
        uint32_t source = indices.source(i);
        to[indices.place(i, source)] = from[source];
    }
    __syncthreads();
    out[threadIdx.x] = b[threadIdx.x];
}

struct small_job {
    const void *in;
    void *out;
    const int *table;
    int64_t times;
    cudaStream_t stream;
};

template <typename E, typename Indices>
static cudaError_t small_launch(const small_job &job, int first, int second)
{
    small_kernel<E, Indices><<<1, N, 0, job.stream>>>(
        (const E *)job.in, (E *)job.out, job.table + first * N, job.table + second * N, job.times);
    return cudaGetLastError();
}

template <typename E> static cudaError_t launch_tables(const small_job &job, permute_way way)
{
    switch (way) {
    case PERMUTE_TO:
        return small_launch<E, from_tables<PERMUTE_TO>>(job, 0, 0);
    case PERMUTE_FROM:
        return small_launch<E, from_tables<PERMUTE_FROM>>(job, 1, 1);
    case PERMUTE_CONFLICT_FREE:
        return small_launch<E, from_tables<PERMUTE_CONFLICT_FREE>>(job, 2, 3);
    default:
        return small_launch<E, from_tables<PERMUTE_COPY>>(job, 0, 0);
    }
}

template <typename E, pattern which>
static cudaError_t launch_pattern(const small_job &job, permute_way way)
{
    switch (way) {
    case PERMUTE_TO:
        return small_launch<E, in_place<PERMUTE_TO, which>>(job, 0, 0);
    case PERMUTE_FROM:
        return small_launch<E, in_place<PERMUTE_FROM, which>>(job, 0, 0);
    default:
        return small_launch<E, in_place<PERMUTE_CONFLICT_FREE, which>>(job, 0, 0);
    }
}

template <typename E>
static cudaError_t launch_in_place(const small_job &job, permute_way way, pattern which)
{
    switch (which) {
    case PATTERN_TRANSPOSE:
        return launch_pattern<E, PATTERN_TRANSPOSE>(job, way);
    case PATTERN_SHUFFLE:
        return launch_pattern<E, PATTERN_SHUFFLE>(job, way);
    default:
        return launch_pattern<E, PATTERN_BIT_REVERSAL>(job, way);
    }
}

satf_status machine_cuda_permute(const permute_call *call, permute_way way, bool in_place_form,
                                 pattern which, const void *in, void *out, const uint32_t *table,
                                 int64_t times)
{
    cudaStream_t stream = (cudaStream_t)satf_cuda()->stream(call->ctx);
    small_job job = {in, out, (const int *)table, times, stream};
    bool computed = in_place_form && way != PERMUTE_COPY;
    if (call->element_bytes == 4) {
        CUDA_RETURN(call->ctx, computed ? launch_in_place<uint32_t>(job, way, which)
                                        : launch_tables<uint32_t>(job, way));
    } else {
        CUDA_RETURN(call->ctx, computed ? launch_in_place<uint64_t>(job, way, which)
                                        : launch_tables<uint64_t>(job, way));
    }
    return SATF_OK;
}
