/* Histograms on a CUDA device, and Otsu's level of them. */
#include "../sums/any.cuh"

#include "../base/check.h"
#include "../base/engine.h"

extern "C" {
#include "../../src/base/view.h"
#include "../../src/plan/gpu.h"
}
#include "../../src/formula/otsu.h"

typedef unsigned long long count64;

enum { THREADS = 256, COPIES = 4 /* of a block's counts of bytes */, CHUNK = 16 /* bytes */ };

/* The most samples that a block counts: with an alpha of 255 each, 32 bits hold the counts. */
enum { BLOCK_SAMPLES = 1 << 24 };

template <class Sample> constexpr bool has_own = sizeof(Sample) == 1;

/* Neighbours are often alike: if all active lanes of the warp have one level, one of them adds. */
template <class Count>
static __device__ inline void add_alike(Count *counts, int level, unsigned times)
{
    unsigned lanes = __activemask();
    int alike;
    __match_all_sync(lanes, level, &alike);
    if (!alike) {
        atomicAdd(&counts[level], (Count)times);
        return;
    }
    unsigned all = __reduce_add_sync(lanes, times);
    if ((threadIdx.x & 31) == __ffs((int)lanes) - 1) {
        atomicAdd(&counts[level], (Count)all);
    }
}

/* Counts n samples of a row. */
template <class Sample, class Count>
static __device__ inline void count_chunk(const char *from, int n, Count *counts)
{
    enum { MOST = CHUNK / sizeof(Sample) };
    Sample sample[MOST];
    if (n == MOST && ((uintptr_t)from & (CHUNK - 1)) == 0) {
        uint4 all = *(const uint4 *)from;
        memcpy(sample, &all, sizeof sample);
    } else {
#pragma unroll
        for (int i = 0; i < MOST; i++) {
            sample[i] = i < n ? (Sample)load_one<Sample>(from + i * sizeof(Sample)) : 0;
        }
    }
    unsigned times = 1;
#pragma unroll
    for (int i = 1; i < MOST; i++) {
        if (i < n && sample[i] != sample[i - 1]) {
            atomicAdd(&counts[sample[i - 1]], (Count)times);
            times = 0;
        }
        times += i < n;
    }
    int last = 0;
#pragma unroll
    for (int i = 0; i < MOST; i++) {
        last = i < n ? sample[i] : last;
    }
    add_alike(counts, last, times);
}

/* Counts pixels of a sample and its alpha; n samples. */
template <class Sample, class Count>
static __device__ inline void count_weighted(const char *from, int n, Count *counts)
{
    for (int i = 0; i < n; i += 2) {
        Sample level = (Sample)load_one<Sample>(from + i * sizeof(Sample));
        Sample alpha = (Sample)load_one<Sample>(from + (i + 1) * sizeof(Sample));
        atomicAdd(&counts[level], (Count)alpha);
    }
}

/* A thread counts a chunk at a time. Bytes are counted in the block's shared memory first. */
template <class Sample>
static __global__ void __launch_bounds__(THREADS)
    count_samples(satf_view in, bool weighted, int64_t chunks, count64 *counts)
{
    constexpr int OWN = has_own<Sample> ? UINT8_MAX + 1 : 1, EACH = CHUNK / sizeof(Sample);
    __shared__ unsigned own[COPIES][OWN];
    int64_t samples = in.width * in.channels, tasks = chunks * in.height;
    for (int i = (int)threadIdx.x; i < COPIES * OWN; i += THREADS) {
        own[i / OWN][i % OWN] = 0;
    }
    __syncthreads();
    for (int64_t task = (int64_t)blockIdx.x * THREADS + threadIdx.x; task < tasks;
         task += (int64_t)gridDim.x * THREADS) {
        int64_t y = task / chunks, first = (task - y * chunks) * EACH;
        int n = (int)(samples - first < EACH ? samples - first : EACH);
        const char *from = (const char *)in.data + y * in.stride + first * sizeof(Sample);
        if constexpr (has_own<Sample>) {
            unsigned *to = own[threadIdx.x / 32 % COPIES];
            weighted ? count_weighted<Sample>(from, n, to) : count_chunk<Sample>(from, n, to);
        } else {
            weighted ? count_weighted<Sample>(from, n, counts)
                     : count_chunk<Sample>(from, n, counts);
        }
    }
    __syncthreads();
    for (int i = (int)threadIdx.x; has_own<Sample> && i < OWN; i += THREADS) {
        count64 sum = 0;
        for (int copy = 0; copy < COPIES; copy++) {
            sum += own[copy][i];
        }
        if (sum > 0) {
            atomicAdd(&counts[i], sum);
        }
    }
}

/* ------------------------------------------------------------------------------ floats */

static __device__ inline double load_real(int type, const char *from)
{
    if ((uintptr_t)from & (uintptr_t)(sample_bytes(type) - 1)) {
        return load_bytes(type, from);
    }
    return type == SATF_F32 ? (double)*(const float *)from : *(const double *)from;
}

/* A pixel's sample of an image of floats; *times: how often it counts, by its alpha if weighted. */
static __device__ inline double real_pixel(const satf_view *in, bool weighted, double full,
                                           int64_t pixel, uint64_t *times)
{
    int64_t y = pixel / in->width, x = pixel - y * in->width;
    int bytes = sample_bytes(in->type);
    const char *from = (const char *)in->data + y * in->stride + x * in->channels * bytes;
    double sample = load_real(in->type, from);
    *times = otsu_weight(sample, weighted ? load_real(in->type, from + bytes) : full, full);
    return sample;
}

/* Finds the keys of the range of the samples that count. */
static __global__ void __launch_bounds__(THREADS)
    find_range(satf_view in, bool weighted, double full, uint64_t *keys)
{
    int64_t pixels = in.width * in.height, step = (int64_t)gridDim.x * THREADS;
    unsigned long long least = 0, greatest = 0;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < pixels; i += step) {
        uint64_t times;
        double sample = real_pixel(&in, weighted, full, i, &times);
        unsigned long long key = times > 0 ? reduction_key(sample) : 0;
        unsigned long long below = times > 0 ? reduction_key(-sample) : 0;
        greatest = key > greatest ? key : greatest;
        least = below > least ? below : least;
    }
    raise_key(&keys[REDUCTION_GREATEST], greatest);
    raise_key(&keys[REDUCTION_LEAST], least);
}

static __device__ inline otsu_range range_of(const uint64_t *keys)
{
    return otsu_range_of(keys[REDUCTION_LEAST], keys[REDUCTION_GREATEST]);
}

/* Counts samples by bins, in the block's shared memory first. */
static __global__ void __launch_bounds__(THREADS)
    count_reals(satf_view in, bool weighted, double full, const uint64_t *keys, count64 *counts)
{
    __shared__ count64 own[OTSU_BINS];
    int64_t pixels = in.width * in.height, step = (int64_t)gridDim.x * THREADS;
    otsu_range range = range_of(keys);
    for (int i = (int)threadIdx.x; i < OTSU_BINS; i += THREADS) {
        own[i] = 0;
    }
    __syncthreads();
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < pixels; i += step) {
        uint64_t times;
        double sample = real_pixel(&in, weighted, full, i, &times);
        if (times > 0) {
            atomicAdd(&own[otsu_bin(&range, sample)], (count64)times);
        }
    }
    __syncthreads();
    for (int i = (int)threadIdx.x; i < OTSU_BINS; i += THREADS) {
        if (own[i] > 0) {
            atomicAdd(&counts[i], own[i]);
        }
    }
}

/* ---------------------------------------------------------------------------- the level */

enum { LOOKERS = 512 };

union look_room {
    otsu_share share[LOOKERS];
    otsu_level level[LOOKERS];
    __device__ look_room()
    {
    }
};

/* The share of all threads up to this one, itself included. */
static __device__ inline otsu_share sum_up_to_here(otsu_share *share)
{
    int thread = (int)threadIdx.x;
    for (int step = 1; step < LOOKERS; step *= 2) {
        otsu_share sum = share[thread];
        if (thread >= step) {
            otsu_add(&sum, share[thread - step].weight, share[thread - step].sum);
        }
        __syncthreads();
        share[thread] = sum;
        __syncthreads();
    }
    return share[thread];
}

/* Finds the level: one block, each thread looks at some levels. real: levels are bins. */
static __global__ void __launch_bounds__(LOOKERS)
    find_level(const uint64_t *counts, int levels, bool real, uint64_t *keys)
{
    __shared__ look_room room;
    int thread = (int)threadIdx.x, each = (levels + LOOKERS - 1) / LOOKERS;
    int first = thread * each < levels ? thread * each : levels;
    int end = first + each < levels ? first + each : levels;
    otsu_share own = otsu_sum(counts, first, end);
    room.share[thread] = own;
    __syncthreads();
    otsu_share below = sum_up_to_here(room.share), all = room.share[LOOKERS - 1];
    otsu_level best = otsu_none();
    otsu_look(&all, counts, first, end, otsu_above(&below, &own), &best);
    __syncthreads();
    room.level[thread] = best;
    for (int half = LOOKERS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (thread < half &&
            otsu_is_better(&all, &room.level[thread + half], &room.level[thread])) {
            room.level[thread] = room.level[thread + half];
        }
    }
    if (thread == 0) {
        int64_t level = room.level[0].level;
        otsu_range range = range_of(keys);
        keys[REDUCTION_GREATEST] = keys[REDUCTION_LEAST] = 0;
        keys[REDUCTION_OTSU] = reduction_key(real ? otsu_threshold(&range, level) : (double)level);
    }
}

/* *blocks = enough blocks that the device is busy, and that none counts more than BLOCK_SAMPLES. */
static satf_status count_blocks(satf_context *ctx, const satf_view *in, int64_t tasks,
                                unsigned *blocks)
{
    enum { EACH = 8 /* blocks of a multiprocessor */ };
    int processors = 0;
    CUDA_RETURN(ctx, cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount,
                                            satf_gpu_ordinal(in->device)));
    int64_t busy = (tasks - 1) / THREADS + 1, most = (int64_t)processors * EACH;
    int64_t least = satf_row_samples(in) * in->height / BLOCK_SAMPLES + 1;
    busy = busy < most ? busy : most;
    *blocks = (unsigned)(busy > least ? busy : least);
    return SATF_OK;
}

static satf_status count_floats(satf_context *ctx, const satf_view *in, bool weighted, double full,
                                uint64_t *counts, uint64_t *keys)
{
    cudaStream_t stream = (cudaStream_t)cuda_stream(ctx);
    unsigned blocks = 0;
    satf_status status = count_blocks(ctx, in, in->width * in->height, &blocks);
    if (status) {
        return status;
    }
    find_range<<<blocks, THREADS, 0, stream>>>(*in, weighted, full, keys);
    CUDA_RETURN(ctx, cudaGetLastError());
    count_reals<<<blocks, THREADS, 0, stream>>>(*in, weighted, full, keys, (count64 *)counts);
    return cuda_check(ctx, cudaGetLastError(), "cudaLaunchKernel");
}

template <class Sample>
static satf_status count_integers(satf_context *ctx, const satf_view *in, bool weighted,
                                  uint64_t *counts)
{
    cudaStream_t stream = (cudaStream_t)cuda_stream(ctx);
    int64_t chunks = (satf_row_samples(in) - 1) / (CHUNK / (int64_t)sizeof(Sample)) + 1;
    unsigned blocks = 0;
    satf_status status = count_blocks(ctx, in, chunks * in->height, &blocks);
    if (status) {
        return status;
    }
    count_samples<Sample><<<blocks, THREADS, 0, stream>>>(*in, weighted, chunks, (count64 *)counts);
    return cuda_check(ctx, cudaGetLastError(), "cudaLaunchKernel");
}

extern "C" satf_status cuda_otsu(satf_context *ctx, const satf_view *in, bool weighted, double full,
                                 uint64_t *counts, uint64_t *keys)
{
    cudaStream_t stream = (cudaStream_t)cuda_stream(ctx);
    bool real = satf_type_is_float(in->type);
    int levels = real ? OTSU_BINS : (int)satf_type_max(in->type) + 1;
    CUDA_RETURN(ctx, cudaMemsetAsync(counts, 0, (size_t)levels * sizeof *counts, stream));
    CUDA_RETURN(ctx, cudaMemsetAsync(keys, 0, REDUCTION_KEYS * sizeof *keys, stream));
    satf_status status = in->type == SATF_U8 ? count_integers<uint8_t>(ctx, in, weighted, counts)
                         : in->type == SATF_U16
                             ? count_integers<uint16_t>(ctx, in, weighted, counts)
                             : count_floats(ctx, in, weighted, full, counts, keys);
    if (status) {
        return status;
    }
    find_level<<<1, LOOKERS, 0, stream>>>(counts, levels, real, keys);
    return cuda_check(ctx, cudaGetLastError(), "cudaLaunchKernel");
}
