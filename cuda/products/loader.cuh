/*
 * Loads rows into shared memory while earlier ones are worked on: a ring of stages, each of 16 rows
 * of a strip and its margins. On devices from 9.0 on the copy engine brings a stage at once, on
 * others asynchronous copies of 16 bytes do. One warp sends for stages; the others wait for nothing
 * but their stage, so they may be some stages apart.
 */
#ifndef CUDA_PRODUCTS_LOADER_CUH
#define CUDA_PRODUCTS_LOADER_CUH

#include <cuda.h>
#include <cuda_runtime.h>
#include <stdint.h>

#include "../base/engine.h"
#include "../base/map.h"

extern "C" {
#include "../../src/base/border.h"
}

enum { LOADER_ROWS = 16, LOADER_STAGES = 4, LOADER_NO_BORDER = -1 };

/* Rows begin at multiples of 16 bytes, each behind the one before. */
typedef struct loader_image {
    const uint8_t *data;
    int64_t stride;
    int row_bytes, height;
    int border;             /* of rows outside; LOADER_NO_BORDER: they may hold anything */
    const uint8_t *outside; /* a constant border's row: as many bytes as a stage's row */
} loader_image;

/* Bytes that are staged on either side of a strip, for a halo of so many. */
static __host__ __device__ constexpr int margin_of(int halo)
{
    return (halo + 15) / 16 * 16;
}

/* Bytes between staged rows, such that a warp that reads four lanes' eight bytes of each of eight
 * rows meets all banks equally often; with room to read 16 bytes behind a row. */
static inline int loader_pitch(int strip_bytes, int margin)
{
    int pitch = strip_bytes + 2 * margin + 16;
    while (pitch % 128 != 32 && pitch % 128 != 96) {
        pitch += 16;
    }
    return pitch;
}

/* Describes an image for stages with rows `pitch` bytes apart; false if rows are sent for singly.
 */
static inline bool loader_describe(CUtensorMap *map, const loader_image &image, int pitch,
                                   int device)
{
    const uint64_t size[2] = {(uint64_t)(image.row_bytes + 7) / 8, (uint64_t)image.height};
    const uint32_t box[2] = {(uint32_t)pitch / 8, LOADER_ROWS};
    return has_engine(device) &&
           describe_rows(map, CU_TENSOR_MAP_DATA_TYPE_UINT64, image.data, size, image.stride, box);
}

/* Whether the engine does the copies. */
static __device__ constexpr bool loads_by_engine()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    return true;
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

/* Arrives at the barrier and tells it of `bytes` that come, or have come. */
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

/* Sends for a whole stage. */
static __device__ __forceinline__ void copy_box(uint32_t to, const CUtensorMap *map, int x, int y,
                                                uint32_t barrier)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%2, %3}], [%4];" ::"r"(to),
                 "l"(map), "r"(x), "r"(y), "r"(barrier)
                 : "memory");
#endif
}

static __device__ __forceinline__ void copy_sixteen(uint32_t to, const uint8_t *from)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
#endif
}

/* Copies the last bytes of a row, less than 16: all are loaded before one is stored. */
static __device__ __forceinline__ void copy_some(uint32_t to, const uint8_t *from, int bytes)
{
    uint32_t byte[15];
#pragma unroll
    for (int i = 0; i < 15; i++) {
        byte[i] = i < bytes ? from[i] : 0;
    }
#pragma unroll
    for (int i = 0; i < 15; i++) {
        if (i < bytes) {
            asm volatile("st.shared.u8 [%0], %1;" ::"r"(to + i), "r"(byte[i]) : "memory");
        }
    }
}

/* The number of a warp in its block, of which the compiler knows that its lanes share it. */
static __device__ __forceinline__ int warp_number(void)
{
    return __shfl_sync(~0u, (int)threadIdx.x / 32, 0);
}

/* True for one lane of a warp. */
static __device__ __forceinline__ bool elected(void)
{
    int is = 0;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("{\n\t.reg .pred p;\n\telect.sync _|p, 0xFFFFFFFF;\n\t"
                 "selp.s32 %0, 1, 0, p;\n\t}"
                 : "=r"(is));
#endif
    return is;
}

/* Arrives twice: when all copies that the thread has sent for are there, and for its stores. */
static __device__ __forceinline__ void barrier_arrive_behind_copies(uint32_t barrier)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(barrier) : "memory");
#endif
    barrier_arrive(barrier);
}

/*
 * A strip's stages, one after the other. Their bytes left and right of the image are zero or
 * anything. Up to 15 bytes behind a row are read, to the end of the aligned 16 that its last byte
 * is in. All threads of the block construct it; then the last warp calls send_all(), and `readers`
 * other warps call await() and done() by turns.
 */
struct loader {
    const loader_image &image;
    const CUtensorMap *map;       /* of the image for a stage; NULL: rows are sent for */
    uint32_t stages, full, empty; /* full[stage], empty[stage]: barriers */
    int x, y, bytes, pitch;       /* of a stage: the first column, the first row of the first */
    int stage, parity;            /* that comes next */
    uint32_t next;                /* where it is */

    __device__ __forceinline__ loader(const loader_image &in, const CUtensorMap *of, int first_x,
                                      int row_bytes, int row_pitch, int first_y, int readers)
        : image(in), map(of), x(first_x), y(first_y), bytes(row_bytes), pitch(row_pitch), stage(0),
          parity(0)
    {
        extern __shared__ __align__(128) uint8_t staged[];
        __shared__ __align__(8) uint64_t barriers[2 * LOADER_STAGES];
        stages = next = (uint32_t)__cvta_generic_to_shared(staged);
        full = (uint32_t)__cvta_generic_to_shared(barriers);
        asm volatile("" : "+r"(full), "+r"(next)); /* else they are formed anew each time */
        empty = full + 8 * LOADER_STAGES;
        if (threadIdx.x == 0) {
            for (int k = 0; k < LOADER_STAGES; k++) {
                barrier_make(full + 8 * k, loads_by_engine() ? 1 : 2 * 32);
                barrier_make(empty + 8 * k, readers);
            }
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
            asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
        }
        __syncthreads();
    }

    /* The place of a column in the row of that number of a stage. */
    __device__ __forceinline__ uint32_t place(int row, int column) const
    {
        return (uint32_t)(row * pitch + column - x);
    }

    /* A row from its first staged column on; NULL: it may hold anything. */
    __device__ __forceinline__ const uint8_t *line(int of_y) const
    {
        bool inside = of_y >= 0 && of_y < image.height;
        if (image.border == LOADER_NO_BORDER && !inside) {
            return NULL;
        }
        int64_t row = inside ? of_y : satf_border_index(image.border, of_y, image.height);
        return row < 0 ? image.outside : image.data + row * image.stride + max(x, 0);
    }

    /* Rows one after the other by one lane: compilers turn copies by many lanes into a loop of one
     * lane each (docs/notebook/filters-and-moves.md, "Means of u8 by the matrix units"). */
    __device__ __forceinline__ void send_rows(uint32_t to, uint32_t barrier, int first_y) const
    {
        int size = (min(x + bytes, image.row_bytes) - max(x, 0) + 15) / 16 * 16, all = 0;
        to += (uint32_t)(max(x, 0) - x);
#pragma unroll 1
        for (int row = 0; row < LOADER_ROWS; row++, to += (uint32_t)pitch) {
            const uint8_t *from = line(first_y + row);
            if (from) {
                copy_row(to, from, size, barrier);
                all += size;
            }
        }
        barrier_expect(barrier, all);
    }

    __device__ __forceinline__ void send_by_engine(uint32_t to, uint32_t barrier, int first_y) const
    {
        bool inside = first_y >= 0 && first_y + LOADER_ROWS <= image.height;
        if (!elected()) {
            return;
        }
        if (map && (inside || image.border == LOADER_NO_BORDER)) {
            barrier_expect(barrier, LOADER_ROWS * pitch);
            copy_box(to, map, x / 8, first_y, barrier);
        } else {
            send_rows(to, barrier, first_y);
        }
    }

    /* One row after the other, 16 bytes a lane. */
    __device__ __forceinline__ void send_by_lanes(uint32_t to, uint32_t barrier, int first_y) const
    {
        int end = min(x + bytes, image.row_bytes) - max(x, 0);
        to += (uint32_t)(max(x, 0) - x);
#pragma unroll 4
        for (int row = 0; row < LOADER_ROWS; row++, to += (uint32_t)pitch) {
            const uint8_t *from = line(first_y + row);
            for (int at = 16 * ((int)threadIdx.x % 32); at < end && from; at += 16 * 32) {
                if (end - at >= 16) {
                    copy_sixteen(to + (uint32_t)at, from + at);
                } else {
                    copy_some(to + (uint32_t)at, from + at, end - at);
                }
            }
        }
        barrier_arrive_behind_copies(barrier);
    }

    /* The last warp's work. */
    __device__ __forceinline__ void send_all(int steps) const
    {
        for (int step = 0, into = 0, round = 0; step < steps; step++) {
            uint32_t to = stages + (uint32_t)(into * LOADER_ROWS * pitch),
                     barrier = full + 8 * into;
            if (round > 0) {
                barrier_await(empty + 8 * into, (round - 1) & 1);
            }
            if (loads_by_engine()) {
                send_by_engine(to, barrier, y + LOADER_ROWS * step);
            } else {
                send_by_lanes(to, barrier, y + LOADER_ROWS * step);
            }
            if (++into == LOADER_STAGES) {
                into = 0;
                round++;
            }
        }
    }

    /* Waits for the next stage, and returns where it is. */
    __device__ __forceinline__ uint32_t await()
    {
        barrier_await(full + 8 * stage, parity);
        return next;
    }

    /*
     * The warp has read the stage that it waited for. made: a number formed of all that the lane
     * has read, never all ones, which compilers do not see. So the arrival waits until the loads
     * are done: behind stores they may take long, and the copy engine does not wait for them.
     */
    __device__ __forceinline__ void done(uint32_t made)
    {
        bool never = __any_sync(~0u, made == ~0u);
        if (threadIdx.x % 32 == 0 && !never) {
            barrier_arrive(empty + 8 * stage);
        }
        stage++;
        next += (uint32_t)(LOADER_ROWS * pitch);
        if (stage == LOADER_STAGES) {
            stage = 0;
            next = stages;
            parity ^= 1;
        }
    }
};

#endif
