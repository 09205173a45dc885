/* Arrays of structs of I words, a thread for each struct (M. Giles, Array transposition in CUDA
 * shared memory). I is a template's parameter, so that divisions are by constants. */
#include <utility>

#include "../base/check.h"

extern "C" {
#include "../../src/study/gpu.h"
}

enum { W = MACHINE_BANKS, WARPS = 4, UNROLL = 8 };

/* The place of field i of a warp's struct j in its part of shared memory. */
template <machine_struct way, uint32_t I>
static __device__ __forceinline__ uint32_t place(uint32_t i, uint32_t j)
{
    return way == MACHINE_STRUCT_GILES ? layout_giles(W, I, i, j) : layout_raw(I, NULL, j, i);
}

template <machine_struct way, uint32_t I>
static __host__ __device__ __forceinline__ uint32_t words_of_warp()
{
    return way == MACHINE_STRUCT_GILES ? layout_giles_words(W, I) : W * I;
}

/* The first of a warp's 32 structs; lane j has the j-th of them. */
static __device__ __forceinline__ int64_t first_struct()
{
    return ((int64_t)blockIdx.x * WARPS + threadIdx.x / W) * W;
}

/* Words are fetched as they come, and exchanged in shared memory. */
template <machine_struct way, uint32_t I>
__global__ __launch_bounds__(WARPS *W) void exchange_kernel(const uint32_t *__restrict__ in,
                                                            uint32_t *__restrict__ out,
                                                            int64_t structs)
{
    extern __shared__ uint32_t shared[];
    uint32_t lane = threadIdx.x % W, folded = 0;
    int64_t first = first_struct();
    if (first >= structs) {
        return; /* a whole warp, and there is no barrier of the block */
    }
    const uint32_t *from = in + first * I;
    uint32_t *part = shared + threadIdx.x / W * words_of_warp<way, I>();
#pragma unroll UNROLL
    for (uint32_t k = 0; k < I; k++) {
        uint32_t word = k * W + lane;
        part[place<way, I>(word % I, word / I)] = from[word];
    }
    __syncwarp();
#pragma unroll UNROLL
    for (uint32_t i = 0; i < I; i++) {
        folded = access_fold(folded, part[place<way, I>(i, lane)]);
    }
    out[first + lane] = folded;
}

/* Loads structs from global memory: each thread its own, or words as they come. */
template <bool strided>
__global__ __launch_bounds__(WARPS *W) void plain_kernel(const uint32_t *__restrict__ in,
                                                         uint32_t *__restrict__ out,
                                                         int64_t structs, uint32_t fields)
{
    uint32_t lane = threadIdx.x % W, folded = 0;
    int64_t first = first_struct();
    if (first >= structs) {
        return;
    }
    const uint32_t *from = in + first * fields + (strided ? lane * fields : lane);
#pragma unroll UNROLL
    for (uint32_t i = 0; i < fields; i++) {
        folded = access_fold(folded, from[strided ? i : i * W]);
    }
    out[first + lane] = folded;
}

struct structs_job {
    const uint32_t *in;
    uint32_t *out;
    int64_t structs;
    cudaStream_t stream;
};

static unsigned structs_blocks_of(const structs_job &job)
{
    return (unsigned)((job.structs + WARPS * W - 1) / (WARPS * W));
}

template <machine_struct way, uint32_t I> static cudaError_t structs_launch(const structs_job &job)
{
    size_t bytes = WARPS * sizeof(uint32_t) * words_of_warp<way, I>();
    if (bytes > 48 * 1024) { /* what a kernel gets unasked */
        cudaError_t error = cudaFuncSetAttribute(
            exchange_kernel<way, I>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
        if (error != cudaSuccess) {
            return error;
        }
    }
    exchange_kernel<way, I>
        <<<structs_blocks_of(job), WARPS * W, bytes, job.stream>>>(job.in, job.out, job.structs);
    return cudaGetLastError();
}

/* Row I - 1 launches structs of I fields. */
template <machine_struct way, uint32_t... I>
static cudaError_t structs_launch_any(const structs_job &job, uint32_t fields,
                                      std::integer_sequence<uint32_t, I...>)
{
    static cudaError_t (*const row[])(const structs_job &) = {structs_launch<way, I + 1>...};
    return row[fields - 1](job);
}

template <bool strided> static cudaError_t launch_plain(const structs_job &job, uint32_t fields)
{
    plain_kernel<strided><<<structs_blocks_of(job), WARPS * W, 0, job.stream>>>(
        job.in, job.out, job.structs, fields);
    return cudaGetLastError();
}

static cudaError_t structs_launch_way(const structs_job &job, machine_struct way, uint32_t fields)
{
    auto all = std::make_integer_sequence<uint32_t, MACHINE_MOST_FIELDS>();
    switch (way) {
    case MACHINE_STRUCT_GILES:
        return structs_launch_any<MACHINE_STRUCT_GILES>(job, fields, all);
    case MACHINE_STRUCT_UNPADDED:
        return structs_launch_any<MACHINE_STRUCT_UNPADDED>(job, fields, all);
    case MACHINE_STRUCT_STRIDED:
        return launch_plain<true>(job, fields);
    default:
        return launch_plain<false>(job, fields);
    }
}

satf_status machine_cuda_structs(satf_context *ctx, machine_struct way, uint32_t fields,
                                 const uint32_t *in, uint32_t *out, int64_t structs)
{
    structs_job job = {in, out, structs, (cudaStream_t)satf_cuda()->stream(ctx)};
    CUDA_RETURN(ctx, structs_launch_way(job, way, fields));
    return SATF_OK;
}
