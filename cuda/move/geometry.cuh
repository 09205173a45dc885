/*
 * Pixels on their way through a warp: rows come and go as 32-bit words, each
 * lane works on a group of whole pixels that fills whole words.
 */
#ifndef CUDA_MOVE_GEOMETRY_CUH
#define CUDA_MOVE_GEOMETRY_CUH

#include <cstdint>

#include "../../src/machine/layout.h"

enum { LANES = 32, WARPS = 8, THREADS = LANES * WARPS };

/* Pixels of E bytes, in groups of PIXELS = 1, 2 or 4 that are WORDS words. */
template <int E> struct group {
    static constexpr int PIXELS = E % 4 == 0 ? 1 : E % 2 == 0 ? 2 : 4;
    static constexpr int WORDS = PIXELS * E / 4;
    static constexpr int SIDE = LANES * PIXELS;     /* pixels of a segment: a group a lane */
    static constexpr int ROW_WORDS = LANES * WORDS; /* words of a segment */
    uint32_t word[WORDS];
};

/* A byte of a group; with i known when it is compiled, a register and a shift. */
template <int E> static __device__ __forceinline__ uint32_t byte_of(const group<E> &g, int i)
{
    return g.word[i / 4] >> 8 * (i % 4) & 0xff;
}

/* to[b], pixel i = from[i], pixel b. */
template <int E>
static __device__ __forceinline__ void turn_groups(const group<E> (&from)[group<E>::PIXELS],
                                                   group<E> (&to)[group<E>::PIXELS])
{
    constexpr int N = group<E>::PIXELS;
    if constexpr (N == 1) {
        to[0] = from[0];
    } else {
        /* Byte k of to[b] is a byte of pixel b of group k / E: that word, and where in it. */
        auto word_of = [&](int b, int k) { return from[k / E].word[(b * E + k % E) / 4]; };
        auto place_of = [&](int b, int k) { return (uint32_t)(b * E + k % E) % 4; };
#pragma unroll
        for (int b = 0; b < N; b++) {
#pragma unroll
            for (int k = 0; k < N * E; k += 4) {
                uint32_t low = __byte_perm(word_of(b, k), word_of(b, k + 1),
                                           place_of(b, k) | (4 + place_of(b, k + 1)) << 4);
                uint32_t high = __byte_perm(word_of(b, k + 2), word_of(b, k + 3),
                                            place_of(b, k + 2) | (4 + place_of(b, k + 3)) << 4);
                to[b].word[k / 4] = __byte_perm(low, high, 0x5410);
            }
        }
    }
}

/* The pixels of a group, the last one first. */
template <int E> static __device__ __forceinline__ group<E> reversed(const group<E> &from)
{
    constexpr int N = group<E>::PIXELS;
    if constexpr (N == 1) {
        return from;
    } else {
        group<E> to = {};
#pragma unroll
        for (int i = 0; i < N * E; i++) {
            to.word[i / 4] |= byte_of(from, (N - 1 - i / E) * E + i % E) << 8 * (i % 4);
        }
        return to;
    }
}

/* Whole pixels of E bytes that fill CHUNKS chunks of 16 bytes. */
template <int E> struct chunks {
    static constexpr int CHUNKS = E % 3 == 0 ? 3 : E > 16 ? E / 16 : 1;
    static constexpr int WORDS = 4 * CHUNKS, PIXELS = 4 * WORDS / E;
    uint32_t word[WORDS];
};

/* Its pixels, the last one first. */
template <int E> static __device__ __forceinline__ chunks<E> reversed(const chunks<E> &from)
{
    chunks<E> to = {};
    constexpr int P = chunks<E>::PIXELS;
    if constexpr (E % 4 == 0) {
#pragma unroll
        for (int i = 0; i < chunks<E>::WORDS; i++) {
            to.word[i] = from.word[(P - 1 - 4 * i / E) * (E / 4) + i % (E / 4)];
        }
    } else {
#pragma unroll
        for (int i = 0; i < P * E; i++) {
            int source = (P - 1 - i / E) * E + i % E;
            to.word[i / 4] |= (from.word[source / 4] >> 8 * (source % 4) & 0xff) << 8 * (i % 4);
        }
    }
    return to;
}

/*
 * The bytes offset ... offset + 3 of a row of `bytes`, those outside of it 0.
 * Only the row itself is read, in aligned words where all that they hold is of it.
 */
static __device__ __forceinline__ uint32_t load_word(const unsigned char *row, int64_t offset,
                                                     int64_t bytes)
{
    const unsigned char *at = row + offset;
    int shift = (int)((uintptr_t)at & 3);
    if (shift == 0 && offset >= 0 && offset + 4 <= bytes) {
        return *(const unsigned int *)at;
    }
    if (offset >= shift && offset - shift + 8 <= bytes) {
        const unsigned int *words = (const unsigned int *)(at - shift);
        return __funnelshift_r(words[0], words[1], 8 * shift);
    }
    uint32_t word = 0;
    for (int i = 0; i < 4; i++) {
        if (offset + i >= 0 && offset + i < bytes) {
            word |= (uint32_t)at[i] << 8 * i;
        }
    }
    return word;
}

/*
 * A warp's stage: a segment of a row as an array of structs, a group each, in
 * shared memory. Words in ascending order and lanes' words of one number are both
 * free of conflicts (Giles, sections 2 to 4).
 */
template <int E> struct stage {
    uint32_t *words; /* layout_giles_words(LANES, WORDS) */

    __device__ __forceinline__ uint32_t &at(int k) const
    {
        constexpr int WORDS = group<E>::WORDS;
        return words[layout_giles(LANES, WORDS, k % WORDS, k / WORDS)];
    }

    __device__ __forceinline__ void put(int lane, const group<E> &g) const
    {
#pragma unroll
        for (int f = 0; f < group<E>::WORDS; f++) {
            words[layout_giles(LANES, group<E>::WORDS, f, lane)] = g.word[f];
        }
    }

    __device__ __forceinline__ group<E> get(int lane) const
    {
        group<E> g;
#pragma unroll
        for (int f = 0; f < group<E>::WORDS; f++) {
            g.word[f] = words[layout_giles(LANES, group<E>::WORDS, f, lane)];
        }
        return g;
    }

    /* The segment's first `bytes` to `to`, of any alignment: aligned words, each out of two
     * staged ones, and single bytes at the ends. */
    __device__ __forceinline__ void store(unsigned char *to, int bytes, int lane) const
    {
        int shift = (int)((uintptr_t)to & 3);
        for (int m = lane; 4 * m - shift < bytes; m += LANES) {
            int first = 4 * m - shift; /* the byte of the segment that the word begins with */
            uint32_t high = m < group<E>::ROW_WORDS ? at(m) : 0, word = high;
            if (shift) {
                word = __funnelshift_r(m > 0 ? at(m - 1) : 0, high, 32 - 8 * shift);
            }
            if (first >= 0 && first + 4 <= bytes) {
                *(unsigned int *)(to + first) = word;
                continue;
            }
            for (int i = 0; i < 4; i++) {
                if (first + i >= 0 && first + i < bytes) {
                    to[first + i] = (unsigned char)(word >> 8 * i);
                }
            }
        }
    }
};

#endif
