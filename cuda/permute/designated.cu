/* The conventional permutations (section 5.2): one side coalesced, the other wherever it is. */
#include "steps.cuh"

enum { THREADS = 256, DEEP = 8 }; /* elements that a thread has under way at a time */

/* Element j of thread t of block b is number (b * DEEP + j) * THREADS + t, so that a warp's
 * 32 indices are consecutive ones, as in D_w(P). */
template <typename E, bool to>
__global__ __launch_bounds__(THREADS) void designated(const E *__restrict__ in, E *__restrict__ out,
                                                      const uint32_t *__restrict__ table, int64_t n)
{
    int64_t first = (int64_t)blockIdx.x * THREADS * DEEP + threadIdx.x;
    uint32_t index[DEEP];
    E value[DEEP];
#pragma unroll
    for (int j = 0; j < DEEP; j++) {
        int64_t i = first + j * THREADS;
        index[j] = i < n ? __ldcs(table + i) : 0;
    }
#pragma unroll
    for (int j = 0; j < DEEP; j++) {
        int64_t i = first + j * THREADS;
        value[j] = i < n ? in[to ? i : index[j]] : 0;
    }
#pragma unroll
    for (int j = 0; j < DEEP; j++) {
        int64_t i = first + j * THREADS;
        if (i < n) {
            out[to ? index[j] : i] = value[j];
        }
    }
}

template <bool to>
static satf_status designated_run(const permute_call *call, const void *in, void *out,
                                  const uint32_t *table, int64_t n)
{
    unsigned blocks = (unsigned)((n + THREADS * DEEP - 1) / (THREADS * DEEP));
    cudaStream_t stream = (cudaStream_t)cuda_stream(call->ctx);
    if (call->element_bytes == 4) {
        designated<uint32_t, to>
            <<<blocks, THREADS, 0, stream>>>((const uint32_t *)in, (uint32_t *)out, table, n);
    } else {
        designated<uint64_t, to>
            <<<blocks, THREADS, 0, stream>>>((const uint64_t *)in, (uint64_t *)out, table, n);
    }
    CUDA_RETURN(call->ctx, cudaGetLastError());
    return SATF_OK;
}

satf_status permute_scatter(const permute_call *call, const void *in, void *out, const uint32_t *p,
                            int64_t n)
{
    return designated_run<true>(call, in, out, p, n);
}

satf_status permute_gather(const permute_call *call, const void *in, void *out, const uint32_t *q,
                           int64_t n)
{
    return designated_run<false>(call, in, out, q, n);
}
