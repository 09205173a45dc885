/* Copies images whose rows begin anywhere to aligned rows, which kernels read, and back. */
#include "../base/check.h"

extern "C" {
#include "../../src/sums/march/gpu.h"
}

enum { THREADS = 128 };

typedef struct realign_task {
    const uint8_t *from;
    uint8_t *to;
    int64_t from_stride, to_stride;
    int bytes, height;
} realign_task;

/* Copies up to 15 bytes; all are loaded before one is stored. */
static __device__ __forceinline__ void move_bytes(uint8_t *to, const uint8_t *from, int count)
{
    uint8_t bytes[15];
#pragma unroll
    for (int i = 0; i < 15; i++) {
        bytes[i] = i < count ? from[i] : 0;
    }
#pragma unroll
    for (int i = 0; i < 15; i++) {
        if (i < count) {
            to[i] = bytes[i];
        }
    }
}

/* 16 bytes from anywhere. No word is read that holds none of them. */
static __device__ __forceinline__ uint4 load_sixteen(const uint8_t *from)
{
    unsigned shift = 8 * ((uintptr_t)from & 3);
    const uint32_t *words = (const uint32_t *)((uintptr_t)from & ~(uintptr_t)3);
    uint32_t a = words[0], b = words[1], c = words[2], d = words[3], e = shift ? words[4] : 0;
    return make_uint4(__funnelshift_r(a, b, shift), __funnelshift_r(b, c, shift),
                      __funnelshift_r(c, d, shift), __funnelshift_r(d, e, shift));
}

/* Each thread writes 16 aligned bytes of the copy. */
static __global__ void __launch_bounds__(THREADS) realign(const realign_task task)
{
    int64_t word = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    for (int64_t row = blockIdx.y; row < task.height; row += gridDim.y) {
        const uint8_t *from = task.from + row * task.from_stride;
        uint8_t *to = task.to + row * task.to_stride;
        int64_t at = 16 * word - (int64_t)((uintptr_t)to & 15), rest = task.bytes - at;
        if (at >= 0 && rest >= 16) {
            *(uint4 *)(to + at) = load_sixteen(from + at);
        } else if (rest > 0) {
            int64_t begin = at < 0 ? 0 : at, end = rest < 16 ? task.bytes : at + 16;
            move_bytes(to + begin, from + begin, (int)(end - begin));
        }
    }
}

extern "C" satf_status cuda_realign(satf_context *ctx, const satf_view *from, const satf_view *to)
{
    enum { MOST_GRID = 65535 };
    int bytes = (int)window_gpu_row_bytes(from), height = (int)from->height;
    realign_task task = {
        (const uint8_t *)from->data, (uint8_t *)to->data, from->stride, to->stride, bytes, height};
    /* rows that begin within 16 bytes touch one more */
    unsigned words = (unsigned)(bytes / 16 + 2);
    dim3 grid((words + THREADS - 1) / THREADS, (unsigned)(height < MOST_GRID ? height : MOST_GRID));
    realign<<<grid, THREADS, 0, (cudaStream_t)cuda_stream(ctx)>>>(task);
    return cuda_check(ctx, cudaGetLastError(), "cudaLaunchKernel");
}
