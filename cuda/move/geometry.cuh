/*
 * Pixels on their way through a warp: rows come and go as 32-bit words, each
 * lane works on a group of whole pixels that fills whole words.
 */
#ifndef CUDA_MOVE_GEOMETRY_CUH
#define CUDA_MOVE_GEOMETRY_CUH

#include <cstdint>

#include "../../src/base/layout.h"

enum { LANES = 32, WARPS = 8, THREADS = LANES * WARPS };

/* Pixels of E bytes, in groups of PIXELS = 1, 2 or 4 that are WORDS words. */
template <int E> struct group {
    static constexpr int PIXELS = E % 4 == 0 ? 1 : E % 2 == 0 ? 2 : 4;
    static constexpr int WORDS = PIXELS * E / 4;
    static constexpr int SIDE = LANES * PIXELS;     /* pixels of a segment: a group a lane */
    static constexpr int ROW_WORDS = LANES * WORDS; /* words of a segment */
    uint32_t word[WORDS];
};

/* A byte, as the word that it is in and its place there. */
struct byte_source {
    uint32_t word, place;
};

/* The word of the bytes k ... k + 3, each from where source_of() says; all but the words is known
 * to the compiler. */
template <class Source>
static __device__ __forceinline__ uint32_t join_bytes(Source source_of, int k)
{
    byte_source a = source_of(k), b = source_of(k + 1), c = source_of(k + 2), d = source_of(k + 3);
    uint32_t low = __byte_perm(a.word, b.word, a.place | (4 + b.place) << 4);
    uint32_t high = __byte_perm(c.word, d.word, c.place | (4 + d.place) << 4);
    return __byte_perm(low, high, 0x5410);
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
#pragma unroll
        for (int b = 0; b < N; b++) {
            auto source_of = [&](int k) {
                int at = b * E + k % E;
                return byte_source{from[k / E].word[at / 4], (uint32_t)at % 4};
            };
#pragma unroll
            for (int k = 0; k < N * E; k += 4) {
                to[b].word[k / 4] = join_bytes(source_of, k);
            }
        }
    }
}

/* WORDS words that are P pixels of E bytes, with the last pixel first. */
template <int E, int WORDS>
static __device__ __forceinline__ void reverse_pixels(const uint32_t (&from)[WORDS],
                                                      uint32_t (&to)[WORDS])
{
    constexpr int P = 4 * WORDS / E;
    auto source_of = [&](int k) {
        int at = (P - 1 - k / E) * E + k % E;
        return byte_source{from[at / 4], (uint32_t)at % 4};
    };
#pragma unroll
    for (int i = 0; i < WORDS; i++) {
        if constexpr (E % 4 == 0) {
            to[i] = source_of(4 * i).word;
        } else {
            to[i] = join_bytes(source_of, 4 * i);
        }
    }
}

/* The pixels of a group, the last one first. */
template <int E> static __device__ __forceinline__ group<E> reversed(const group<E> &from)
{
    group<E> to;
    reverse_pixels<E>(from.word, to.word);
    return to;
}

/* Whole pixels of E bytes that fill CHUNKS chunks of 16 bytes. */
template <int E> struct chunks {
    static constexpr int CHUNKS = E % 3 == 0 ? 3 : E > 16 ? E / 16 : 1;
    static constexpr int WORDS = 4 * CHUNKS;
    uint32_t word[WORDS];
};

template <int E> static __device__ __forceinline__ chunks<E> reversed(const chunks<E> &from)
{
    chunks<E> to;
    reverse_pixels<E>(from.word, to.word);
    return to;
}

/*
 * The bytes offset ... offset + 3 of a row of `bytes`; those outside the row are 0. Only the row
 * itself is read, by aligned words if these lie in it.
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
