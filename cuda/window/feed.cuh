/*
 * Rows on their way into shared memory while those before are worked on: stages of 16 rows of a
 * strip and its margins, a ring of them. By the copy engine from 9.0 on where whole rows are
 * aligned to 16 bytes, else by asynchronous copies of 16 bytes. A warp of its own sends for them;
 * the others wait for nothing but their stage, so they may be some stages apart.
 */
#ifndef CUDA_WINDOW_FEED_CUH
#define CUDA_WINDOW_FEED_CUH

#include <cuda_runtime.h>
#include <stdint.h>

enum { FEED_ROWS = 16, FEED_STAGES = 4 };

typedef struct feed_image {
    const uint8_t *data;
    int64_t stride;
    int row_bytes, height;
    int pitch; /* of a staged row */
} feed_image;

/* What lies on either side of a strip for a halo of so many bytes. */
static __host__ __device__ constexpr int margin_of(int halo)
{
    return (halo + 15) / 16 * 16;
}

/* Bytes between staged rows: a warp that reads eight bytes a lane of eight rows meets each bank
 * as often as any other. Room for a row that begins anywhere, and to read behind it. */
static inline int feed_pitch(int strip_bytes, int margin)
{
    int pitch = strip_bytes + 2 * margin + 32;
    while (pitch % 128 != 32 && pitch % 128 != 96) {
        pitch += 16;
    }
    return pitch;
}

/* Whether the engine does the copies. */
template <bool ALIGNED> static __device__ constexpr bool feeds_by_engine()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    return ALIGNED;
#else
    return false;
#endif
}

static __device__ __forceinline__ void barrier_make(uint32_t barrier, int arrivals)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
#endif
}

static __device__ __forceinline__ void barrier_arrive(uint32_t barrier)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    asm volatile(
        "{\n\t.reg .b64 state;\n\tmbarrier.arrive.shared.b64 state, [%0];\n\t}" ::"r"(barrier)
        : "memory");
#endif
}

static __device__ __forceinline__ void barrier_await(uint32_t barrier, int parity)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    int done;
    do {
        asm volatile("{\n\t.reg .pred p;\n\t"
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
                     "mbarrier.try_wait.parity.shared.b64 p, [%1], %2;\n\t"
#else
                     "mbarrier.test_wait.parity.shared.b64 p, [%1], %2;\n\t"
#endif
                     "selp.s32 %0, 1, 0, p;\n\t}"
                     : "=r"(done)
                     : "r"(barrier), "r"(parity)
                     : "memory");
    } while (!done);
#endif
}

/* The barrier is told of `bytes` that come, and arrived at. */
static __device__ __forceinline__ void barrier_expect(uint32_t barrier, int bytes)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("{\n\t.reg .b64 state;\n\t"
                 "mbarrier.arrive.expect_tx.shared.b64 state, [%0], %1;\n\t}" ::"r"(barrier),
                 "r"(bytes)
                 : "memory");
#endif
}

static __device__ __forceinline__ void copy_row(uint32_t to, const uint8_t *from, int bytes,
                                                uint32_t barrier)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], "
                 "%2, [%3];" ::"r"(to),
                 "l"(from), "r"(bytes), "r"(barrier)
                 : "memory");
#endif
}

static __device__ __forceinline__ void copy_sixteen(uint32_t to, const uint8_t *from)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
#endif
}

/* The last bytes of a row, at once. */
static __device__ __forceinline__ void copy_some(uint32_t to, const uint8_t *from, int bytes)
{
#pragma unroll 1
    for (int i = 0; i < bytes; i++) {
        asm volatile("st.shared.u8 [%0], %1;" ::"r"(to + i), "r"((uint32_t)from[i]) : "memory");
    }
}

/* One arrival when all copies that the thread has sent for are there, and one for its stores. */
static __device__ __forceinline__ void barrier_arrive_behind_copies(uint32_t barrier)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(barrier) : "memory");
#endif
    barrier_arrive(barrier);
}

/*
 * A strip's stages, one after the other. What lies outside the image stays as it is. Rows that are
 * not aligned keep their place within 16 bytes, and up to 15 bytes before a row's first one are
 * read, those of the 16 aligned ones that it is in; none are behind its last one. All threads of
 * the block make it; then its last warp sends, and so many others take turns of await() and done().
 */
template <bool ALIGNED> struct feed {
    const feed_image &image;
    uint32_t stages, full, empty; /* full[stage], empty[stage]: barriers */
    int x, y, bytes;              /* of a stage: the first column, the first row of the first */
    int stage, parity;            /* that comes next */
    uint32_t next;                /* where it is */

    __device__ __forceinline__ feed(const feed_image &in, int strip_x, int strip_bytes, int margin,
                                    int first_y, int readers)
        : image(in), x(strip_x - margin), y(first_y), bytes(strip_bytes + 2 * margin), stage(0),
          parity(0)
    {
        extern __shared__ __align__(128) uint8_t staged[];
        __shared__ __align__(8) uint64_t barriers[2 * FEED_STAGES];
        stages = next = (uint32_t)__cvta_generic_to_shared(staged);
        full = (uint32_t)__cvta_generic_to_shared(barriers);
        asm volatile("" : "+r"(full), "+r"(next)); /* else they are formed anew each time */
        empty = full + 8 * FEED_STAGES;
        if (threadIdx.x == 0) {
            for (int k = 0; k < FEED_STAGES; k++) {
                barrier_make(full + 8 * k, feeds_by_engine<ALIGNED>() ? 1 : 2 * 32);
                barrier_make(empty + 8 * k, readers);
            }
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
            asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
        }
        __syncthreads();
    }

    /* How many bytes `at` lies behind a multiple of 16. */
    static __device__ __forceinline__ int skew_of(const uint8_t *at)
    {
        return ALIGNED ? 0 : (int)((uintptr_t)at & 15);
    }

    /* Where a column of the image lies in the row of that number of a stage. */
    __device__ __forceinline__ uint32_t place(int row, int column) const
    {
        int skew = skew_of(image.data + (y + row) * image.stride + x);
        return (uint32_t)(row * image.pitch + column - x + skew);
    }

    __device__ __forceinline__ bool has_row(int row) const
    {
        return row >= 0 && row < image.height;
    }

    /* Rows from first_y on, a lane each. */
    __device__ __forceinline__ void send_by_engine(uint32_t to, uint32_t barrier, int first_y)
    {
        int row = (int)threadIdx.x % 32, begin = max(x, 0);
        int size = min(x + bytes, image.row_bytes) - begin;
        bool there = row < FEED_ROWS && has_row(first_y + row);
        int rows = __popc(__ballot_sync(~0u, there));
        if (row == 0) {
            barrier_expect(barrier, rows * size);
        }
        __syncwarp();
        if (there) {
            copy_row(to + (uint32_t)(row * image.pitch + begin - x),
                     image.data + (first_y + row) * image.stride + begin, size, barrier);
        }
    }

    /* One row after the other, 16 bytes a lane. */
    __device__ __forceinline__ void send_by_lanes(uint32_t to, uint32_t barrier, int first_y)
    {
#pragma unroll 4
        for (int row = 0; row < FEED_ROWS; row++, to += (uint32_t)image.pitch) {
            if (!has_row(first_y + row)) {
                continue;
            }
            const uint8_t *from = image.data + (first_y + row) * image.stride + x;
            int skew = skew_of(from);
            for (int at = 16 * ((int)threadIdx.x % 32); at < bytes + skew; at += 16 * 32) {
                int column = x - skew + at, rest = image.row_bytes - column;
                if (column > -16 && rest >= 16) {
                    copy_sixteen(to + (uint32_t)at, from - skew + at);
                } else if (column > -16) {
                    copy_some(to + (uint32_t)at, from - skew + at, rest);
                }
            }
        }
        barrier_arrive_behind_copies(barrier);
    }

    /* The last warp's work. */
    __device__ __forceinline__ void send_all(int steps)
    {
        for (int step = 0, into = 0, round = 0; step < steps; step++) {
            uint32_t to = stages + (uint32_t)(into * FEED_ROWS * image.pitch);
            if (round > 0) {
                barrier_await(empty + 8 * into, (round - 1) & 1);
            }
            if (feeds_by_engine<ALIGNED>()) {
                send_by_engine(to, full + 8 * into, y + FEED_ROWS * step);
            } else {
                send_by_lanes(to, full + 8 * into, y + FEED_ROWS * step);
            }
            if (++into == FEED_STAGES) {
                into = 0;
                round++;
            }
        }
    }

    /* Waits for the next stage; where it is. */
    __device__ __forceinline__ uint32_t await()
    {
        barrier_await(full + 8 * stage, parity);
        return next;
    }

    /*
     * The warp has read the stage that it waited for. made: of all that the lane has read, and
     * never all ones, which compilers do not know. So the arrival waits until what was asked for is
     * there: loads may be long in coming behind stores, and the engine does not wait for them.
     */
    __device__ __forceinline__ void done(uint32_t made)
    {
        bool never = __any_sync(~0u, made == ~0u);
        if (threadIdx.x % 32 == 0 && !never) {
            barrier_arrive(empty + 8 * stage);
        }
        stage++;
        next += (uint32_t)(FEED_ROWS * image.pitch);
        if (stage == FEED_STAGES) {
            stage = 0;
            next = stages;
            parity ^= 1;
        }
    }
};

#endif
