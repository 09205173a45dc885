/*
 * Permutations of rows that fit into shared memory, a block for each row: row-wise by
 * conflict-free schedules (section 5.4), and the two kernels of the fused form.
 */
#include <cuda_pipeline.h>

#include "steps.cuh"

enum { MAX_THREADS = 1024, LANES = SCHEDULE_LANES, DEEP = SCHEDULE_DEEP, BATCH = SCHEDULE_BATCH };

/* Batches that a thread takes part in: all its values are in registers at once. */
enum { MAX_BATCHES = PERMUTE_ROW_BYTES / sizeof(uint32_t) / (MAX_THREADS * DEEP) };

/* A batch's indices for one lane: one word of 16 bytes. */
struct indices {
    uint4 word;

    __device__ __forceinline__ uint32_t at(int j) const
    {
        uint32_t pair = j < 2 ? word.x : j < 4 ? word.y : j < 6 ? word.z : word.w;
        return j % 2 ? pair >> 16 : pair & 0xffff;
    }
};

/* Calls body(b, j, k) for each element k of the row that this thread moves, its j-th of batch b. */
template <int BATCHES, typename Body>
__device__ __forceinline__ void each_element(uint32_t length, Body body)
{
    uint32_t warp = threadIdx.x / LANES, lane = threadIdx.x % LANES, warps = blockDim.x / LANES;
#pragma unroll
    for (int b = 0; b < BATCHES; b++) {
#pragma unroll
        for (int j = 0; j < DEEP; j++) {
            uint32_t k = (b * warps + warp) * BATCH + j * LANES + lane;
            if (k < length) {
                body(b, j, k);
            }
        }
    }
}

/* Loads this thread's entries of a row's schedule. All threads together read it once. */
template <int BATCHES>
__device__ __forceinline__ void load_indices(indices (&to)[BATCHES], const uint16_t *schedule,
                                             uint32_t pitch)
{
    uint32_t warp = threadIdx.x / LANES, lane = threadIdx.x % LANES, warps = blockDim.x / LANES;
#pragma unroll
    for (int b = 0; b < BATCHES; b++) {
        uint32_t at = (b * warps + warp) * BATCH + lane * DEEP;
        if (at < pitch) {
            to[b].word = __ldcs((const uint4 *)(schedule + at));
        }
    }
}

/* Elements of 16 bytes, which are read and written as one in rows that are whole words. */
template <typename E> static constexpr int word_elements = 16 / (int)sizeof(E);

template <typename E> struct alignas(16) word_of {
    E element[word_elements<E>];
};

/* Starts to copy a row to shared memory. */
template <typename E>
__device__ __forceinline__ void begin_row(E *to, const E *from, uint32_t length, bool words)
{
    constexpr uint32_t W = word_elements<E>;
    if (words) {
        for (uint32_t k = threadIdx.x * W; k < length; k += blockDim.x * W) {
            __pipeline_memcpy_async(to + k, from + k, 16);
        }
    } else {
        for (uint32_t k = threadIdx.x; k < length; k += blockDim.x) {
            __pipeline_memcpy_async(to + k, from + k, sizeof(E));
        }
    }
    __pipeline_commit();
}

__device__ __forceinline__ void end_row()
{
    __pipeline_wait_prior(0);
    __syncthreads();
}

/* out[k] = a[k], W neighbours at a time. */
template <int W, typename E>
__device__ __forceinline__ void store_row(E *out, const E *a, uint32_t length)
{
    typedef std::conditional_t<W == 1, E, word_of<E>> word;
    for (uint32_t k = threadIdx.x * W; k < length; k += blockDim.x * W) {
        *(word *)(out + k) = *(const word *)(a + k);
    }
}

/* Piece c of the row goes to row c of out, W neighbours at a time. */
template <int W, typename E>
__device__ __forceinline__ void store_pieces(E *out, const E *a, uint32_t length, uint32_t piece)
{
    typedef std::conditional_t<W == 1, E, word_of<E>> word;
    int64_t row = blockIdx.x, rows = gridDim.x;
    uint32_t step = blockDim.x * W, c = threadIdx.x * W / piece, t = threadIdx.x * W - c * piece;
    uint32_t pieces = step / piece, over = step - pieces * piece;
    for (uint32_t k = threadIdx.x * W; k < length; k += step) {
        *(word *)(out + (c * rows + row) * piece + t) = *(const word *)(a + k);
        c += pieces;
        t += over;
        if (t >= piece) {
            t -= piece;
            c++;
        }
    }
}

/* words: rows and pieces are whole words; BATCHES: of a thread. */
template <typename E, int BATCHES>
__global__ __launch_bounds__(MAX_THREADS) void rows_kernel(const E *in, E *out, const uint16_t *s,
                                                           const uint16_t *d, uint32_t length,
                                                           bool words)
{
    extern __shared__ uint4 shared[];
    E *a = (E *)shared, value[BATCHES][DEEP];
    indices index[BATCHES];
    int64_t row = (int64_t)blockIdx.x * length, pitch = schedule_pitch(length);
    begin_row(a, in + row, length, words);
    load_indices<BATCHES>(index, s + blockIdx.x * pitch, pitch);
    end_row();
    each_element<BATCHES>(length, [&](int b, int j, uint32_t) { value[b][j] = a[index[b].at(j)]; });
    load_indices<BATCHES>(index, d + blockIdx.x * pitch, pitch);
    __syncthreads();
    each_element<BATCHES>(length, [&](int b, int j, uint32_t) { a[index[b].at(j)] = value[b][j]; });
    __syncthreads();
    if (words) {
        store_row<word_elements<E>>(out + row, a, length);
    } else {
        store_row<1>(out + row, a, length);
    }
}

template <typename E, int BATCHES>
__global__ __launch_bounds__(MAX_THREADS) void spread_kernel(const E *in, E *out, const uint16_t *d,
                                                             uint32_t length, uint32_t piece,
                                                             bool words)
{
    extern __shared__ uint4 shared[];
    E *a = (E *)shared, value[BATCHES][DEEP];
    indices index[BATCHES];
    int64_t row = blockIdx.x, pitch = schedule_pitch(length);
    in += row * length;
    load_indices<BATCHES>(index, d + row * pitch, pitch);
    each_element<BATCHES>(length, [&](int b, int j, uint32_t k) { value[b][j] = __ldcs(in + k); });
    each_element<BATCHES>(length, [&](int b, int j, uint32_t) { a[index[b].at(j)] = value[b][j]; });
    __syncthreads();
    if (words) {
        store_pieces<word_elements<E>>(out, a, length, piece);
    } else {
        store_pieces<1>(out, a, length, piece);
    }
}

template <typename E, int BATCHES>
__global__ __launch_bounds__(MAX_THREADS) void collect_kernel(const E *in, E *out,
                                                              const uint16_t *s, uint32_t length,
                                                              bool words)
{
    extern __shared__ uint4 shared[];
    E *a = (E *)shared;
    indices index[BATCHES];
    int64_t row = (int64_t)blockIdx.x * length, pitch = schedule_pitch(length);
    begin_row(a, in + row, length, words);
    load_indices<BATCHES>(index, s + blockIdx.x * pitch, pitch);
    end_row();
    each_element<BATCHES>(
        length, [&](int b, int j, uint32_t k) { __stcs(out + row + k, a[index[b].at(j)]); });
}

/* ---------------------------------------------------------------- launching */

/* A row's job: rows takes both tables, spread d and the piece, collect s. */
struct row_job {
    const void *in;
    void *out;
    const uint16_t *s, *d;
    unsigned rows;
    uint32_t length, piece;
    cudaStream_t stream;
};

template <typename E, int BATCHES>
static cudaError_t rows_launch(const row_job &job, unsigned threads)
{
    size_t bytes = (size_t)job.length * sizeof(E);
    const E *in = (const E *)job.in;
    E *out = (E *)job.out;
    bool words =
        ((uintptr_t)job.in | (uintptr_t)job.out) % 16 == 0 && job.piece % word_elements<E> == 0;
    const void *kernel = job.piece       ? (const void *)spread_kernel<E, BATCHES>
                         : job.d != NULL ? (const void *)rows_kernel<E, BATCHES>
                                         : (const void *)collect_kernel<E, BATCHES>;
    cudaError_t error =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    if (error != cudaSuccess) {
        return error;
    }
    if (job.piece) {
        spread_kernel<E, BATCHES><<<job.rows, threads, bytes, job.stream>>>(
            in, out, job.d, job.length, job.piece, words);
    } else if (job.d) {
        rows_kernel<E, BATCHES>
            <<<job.rows, threads, bytes, job.stream>>>(in, out, job.s, job.d, job.length, words);
    } else {
        collect_kernel<E, BATCHES>
            <<<job.rows, threads, bytes, job.stream>>>(in, out, job.s, job.length, words);
    }
    return cudaGetLastError();
}

/* Chooses as few batches as 1024 threads allow, then as few threads. */
template <typename E> static cudaError_t launch_elements(const row_job &job)
{
    unsigned warps = schedule_pitch(job.length) / BATCH, most = MAX_THREADS / LANES;
    static_assert(MAX_BATCHES == 4, "1, 2 and 4 are below");
    if (warps <= most) {
        return rows_launch<E, 1>(job, warps * LANES);
    }
    if constexpr (sizeof(E) == 4) { /* rows of larger elements are shorter */
        if (warps > 2 * most) {
            return rows_launch<E, 4>(job, (warps + 3) / 4 * LANES);
        }
    }
    return rows_launch<E, 2>(job, (warps + 1) / 2 * LANES);
}

static satf_status rows_run(const permute_call *call, row_job job, int64_t rows)
{
    job.rows = (unsigned)rows;
    job.stream = (cudaStream_t)cuda_stream(call->ctx);
    if (call->element_bytes == 4) {
        CUDA_RETURN(call->ctx, launch_elements<uint32_t>(job));
    } else {
        CUDA_RETURN(call->ctx, launch_elements<uint64_t>(job));
    }
    return SATF_OK;
}

satf_status permute_rows(const permute_call *call, const void *in, void *out, const uint16_t *s,
                         const uint16_t *d, int64_t rows, uint32_t length)
{
    return rows_run(call, {in, out, s, d, 0, length, 0, NULL}, rows);
}

satf_status permute_spread(const permute_call *call, const void *in, void *out, const uint16_t *d,
                           int64_t rows, uint32_t length, uint32_t piece)
{
    return rows_run(call, {in, out, NULL, d, 0, length, piece, NULL}, rows);
}

satf_status permute_collect(const permute_call *call, const void *in, void *out, const uint16_t *s,
                            int64_t rows, uint32_t length)
{
    return rows_run(call, {in, out, s, NULL, 0, length, 0, NULL}, rows);
}
