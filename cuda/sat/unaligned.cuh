/*
 * Blocks whose rows the copy engine does not take, under way while the block before is worked on.
 * Every warp sends for its own rows of a block, each as the whole units of 16 bytes that it lies
 * in, and moves the rows to their places when they have arrived. On devices before 8.0 rows are
 * loaded when they are sent for.
 */
#ifndef CUDA_SAT_UNALIGNED_CUH
#define CUDA_SAT_UNALIGNED_CUH

#include "loader.cuh"

template <class C> struct unaligned_rows {
    static constexpr int SAMPLE = (int)sizeof(typename C::T), BYTES = C::ACROSS * SAMPLE;
    /* A row can reach into so many times 16 bytes. */
    static constexpr int UNITS = BYTES / 16 + 1, PITCH = UNITS * 16;
    static constexpr int BATCH = C::ROWS / 2; /* rows that are moved at a time */
    static_assert(C::ROWS % 2 == 0, "all rows of a warp");
};

/* Dynamic shared memory for a block. */
template <class C> __host__ __device__ constexpr int unaligned_bytes()
{
    return (C::HIGH * unaligned_rows<C>::PITCH + 127) / 128 * 128;
}

/* The block when it has arrived, as a warp sees it: its own rows lie as in a block from the engine,
 * other warps' rows do not. */
template <class C> __device__ __forceinline__ void *unaligned_block(void *buffer)
{
    return (char *)buffer +
           (int)threadIdx.x / 32 * C::ROWS * (unaligned_rows<C>::PITCH - unaligned_rows<C>::BYTES);
}

/* Copies 16 bytes, zeros from `bytes` on; all 16 may be read. */
__device__ __forceinline__ void copy_unit(char *to, const char *from, int bytes)
{
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)),
                 "l"(from), "r"(bytes)
                 : "memory");
#else
    uint4 unit = *(const uint4 *)from;
    for (int i = bytes; i < 16; i++) {
        ((char *)&unit)[i] = 0;
    }
    *(uint4 *)to = unit;
#endif
}

/* Copies bytes near the end of the image in memory, behind which nothing is read. */
__device__ __forceinline__ void copy_last(char *to, const char *from, int bytes, const char *end)
{
    if (bytes > 0 && from + 16 <= end) {
        copy_unit(to, from, bytes);
        return;
    }
    *(uint4 *)to = make_uint4(0, 0, 0, 0);
#pragma unroll 1
    for (int i = 0; i < bytes; i++) {
        to[i] = from[i];
    }
}

/* Sends for the warp's rows, 0 outside the image; behind a barrier after the buffer was read. What
 * is read begins up to 15 bytes before a row and ends up to 15 behind it, which is where 16 bytes
 * begin and end that some of it is in, but never behind the image in memory. */
template <class C>
__device__ __forceinline__ void send_for_unaligned(void *buffer, const sat_plane &p,
                                                   const tile_place &at)
{
    typedef unaligned_rows<C> unaligned;
    constexpr int LAST = unaligned::UNITS - 1;
    int lane = (int)threadIdx.x % 32, y = (int)threadIdx.x / 32 * C::ROWS;
    int rows = inside(tile_y<C>(at) + y, p.height, C::ROWS);
    int bytes = inside(tile_x<C>(at), p.width, C::ACROSS) * unaligned::SAMPLE;
    int64_t down = max(p.in_stride, (int64_t)0);
    const char *row = p.in + (tile_y<C>(at) + y) * p.in_stride + tile_x<C>(at) * unaligned::SAMPLE;
    const char *end = p.in + down * (p.height - 1) + p.width * unaligned::SAMPLE;
    char *to = (char *)buffer + y * unaligned::PITCH;
    auto send = [&](auto copy) {
        auto send_unit = [&](int i, int unit) {
            const char *start = row + i * p.in_stride;
            int first = unit * 16 - (int)((uintptr_t)start % 16); /* byte of the row */
            copy(i, to + i * unaligned::PITCH + unit * 16, start + first,
                 min(max(bytes - first, 0), 16));
        };
#pragma unroll 2 /* all of them want registers that there are not */
        for (int i = lane / LAST; i < C::ROWS; i += 32 / LAST) {
            send_unit(i, lane % LAST);
        }
        if (lane < C::ROWS) {
            send_unit(lane, LAST);
        }
    };
    if (rows == C::ROWS && row + down * (C::ROWS - 1) + unaligned::PITCH <= end) {
        send([&](int, char *unit, const char *from, int within) { copy_unit(unit, from, within); });
    } else {
        send([&](int i, char *unit, const char *from, int within) {
            copy_last(unit, from, i < rows ? within : 0, end);
        });
    }
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* A lane's samples of a row, which begins at `byte`. */
template <class C>
__device__ __forceinline__ vector_values<typename C::T, C::VEC> unaligned_samples(const char *row,
                                                                                  unsigned byte)
{
    typedef vector_values<typename C::T, C::VEC> values;
    constexpr int WORDS = (values::BYTES + 3) / 4;
    byte += threadIdx.x % 32 * values::BYTES;
    const uint32_t *words = (const uint32_t *)row;
    uint32_t word[WORDS + 1];
#pragma unroll
    for (int k = 0; k < WORDS; k++) {
        word[k] = words[byte / 4 + k];
    }
    word[WORDS] = words[(byte + values::BYTES - 1) / 4];
#pragma unroll
    for (int k = 0; k < WORDS; k++) {
        word[k] = __funnelshift_r(word[k], word[k + 1], byte * 8); /* modulo 32 */
    }
    values v;
    memcpy(&v, word, sizeof v);
    return v;
}

/* Waits until the warp's rows are in the buffer, at unaligned_block(); later: another block was
 * sent for since. */
template <class C>
__device__ __forceinline__ void unaligned_arrive(void *buffer, const sat_plane &p,
                                                 const tile_place &at, bool later)
{
    typedef unaligned_rows<C> unaligned;
    typedef typename C::T T;
    typedef vector_values<T, C::VEC> values;
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    if (later) {
        asm volatile("cp.async.wait_group 1;" ::: "memory");
    } else {
        asm volatile("cp.async.wait_group 0;" ::: "memory");
    }
#endif
    __syncwarp();
    int lane = (int)threadIdx.x % 32, y = (int)threadIdx.x / 32 * C::ROWS;
    unsigned step = (unsigned)p.in_stride;
    unsigned start = (unsigned)(uintptr_t)p.in + ((unsigned)tile_y<C>(at) + y) * step;
    char *rows = (char *)buffer + y * unaligned::PITCH;
    /* Neighbouring lanes move neighbouring samples if these are words that are aligned. */
    bool single = unaligned::SAMPLE >= 4 && p.in_align >= unaligned::SAMPLE;
    /* A row is moved to before where it lay, and to behind where the one before is moved to. */
#pragma unroll
    for (int first = 0; first < C::ROWS; first += unaligned::BATCH) {
        values v[unaligned::BATCH];
#pragma unroll
        for (int i = 0; i < unaligned::BATCH; i++) {
            const char *row = rows + (first + i) * unaligned::PITCH;
            unsigned byte = (start + (first + i) * step) % 16;
#pragma unroll
            for (int k = 0; single && k < C::VEC; k++) {
                v[i].value[k] = ((const T *)(row + byte))[k * 32 + lane];
            }
            if (!single) {
                v[i] = unaligned_samples<C>(row, byte);
            }
        }
        __syncwarp();
#pragma unroll
        for (int i = 0; i < unaligned::BATCH; i++) {
            char *row = rows + (first + i) * unaligned::BYTES;
#pragma unroll
            for (int k = 0; single && k < C::VEC; k++) {
                ((T *)row)[k * 32 + lane] = v[i].value[k];
            }
            if (!single) {
                ((values *)row)[lane] = v[i];
            }
        }
    }
    __syncwarp();
}

#endif
