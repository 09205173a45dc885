/*
 * Vectors of the instruction set that the including kernel is compiled for.
 */
#ifndef SATF_SAT_LANES_H
#define SATF_SAT_LANES_H

#include "../base/stores.h"

/* ------------------------------------------------------------- widening loads */

/*
 * widen_S_W(p): a vector of W lanes from as many S at p, unaligned. Compilers
 * turn the general form (below) into halves and inserts; hence the instructions.
 */
#define WIDEN_BY(S, W, Vector, load, convert)                             \
    typedef W lanes_##S##_##W __attribute__((vector_size(VECTOR_BYTES))); \
    INLINE lanes_##S##_##W widen_##S##_##W(const void *p)                 \
    {                                                                     \
        return (lanes_##S##_##W)convert(load((const Vector *)p));         \
    }

#if defined __AVX512F__
WIDEN_BY(uint8_t, uint16_t, __m256i, _mm256_loadu_si256, _mm512_cvtepu8_epi16)
WIDEN_BY(uint8_t, uint32_t, __m128i, _mm_loadu_si128, _mm512_cvtepu8_epi32)
WIDEN_BY(uint16_t, uint32_t, __m256i, _mm256_loadu_si256, _mm512_cvtepu16_epi32)
WIDEN_BY(uint16_t, uint64_t, __m128i, _mm_loadu_si128, _mm512_cvtepu16_epi64)
WIDEN_BY(uint32_t, uint64_t, __m256i, _mm256_loadu_si256, _mm512_cvtepu32_epi64)
#elif defined __AVX2__
WIDEN_BY(uint8_t, uint16_t, __m128i, _mm_loadu_si128, _mm256_cvtepu8_epi16)
WIDEN_BY(uint8_t, uint32_t, __m128i, _mm_loadl_epi64, _mm256_cvtepu8_epi32)
WIDEN_BY(uint16_t, uint32_t, __m128i, _mm_loadu_si128, _mm256_cvtepu16_epi32)
WIDEN_BY(uint16_t, uint64_t, __m128i, _mm_loadl_epi64, _mm256_cvtepu16_epi64)
WIDEN_BY(uint32_t, uint64_t, __m128i, _mm_loadu_si128, _mm256_cvtepu32_epi64)
#else
#define WIDEN_PORTABLY(S, W)                                                         \
    typedef W lanes_##S##_##W __attribute__((vector_size(VECTOR_BYTES)));            \
    INLINE lanes_##S##_##W widen_##S##_##W(const void *p)                            \
    {                                                                                \
        S narrow __attribute__((vector_size(VECTOR_BYTES / sizeof(W) * sizeof(S)))); \
        memcpy(&narrow, p, sizeof narrow);                                           \
        return __builtin_convertvector(narrow, lanes_##S##_##W);                     \
    }
WIDEN_PORTABLY(uint8_t, uint16_t)
WIDEN_PORTABLY(uint8_t, uint32_t)
WIDEN_PORTABLY(uint16_t, uint32_t)
WIDEN_PORTABLY(uint16_t, uint64_t)
WIDEN_PORTABLY(uint32_t, uint64_t)
#endif

/* Lanes that are wide enough already. */
#define WIDEN_NOTHING(W)                                            \
    typedef W lanes_##W __attribute__((vector_size(VECTOR_BYTES))); \
    INLINE lanes_##W widen_##W##_##W(const void *p)                 \
    {                                                               \
        lanes_##W lanes;                                            \
        memcpy(&lanes, p, sizeof lanes);                            \
        return lanes;                                               \
    }
WIDEN_NOTHING(uint32_t)
WIDEN_NOTHING(uint64_t)

/* widen_S_W where S and W are macros. */
#define WIDEN(S, W) WIDEN_PASTE(S, W)
#define WIDEN_PASTE(S, W) widen_##S##_##W

/* ------------------------------------------------------------- shifting lanes */

/*
 * The vector that starts `bytes` ahead of `here` in the row ..., prev, here. The kernels shift by
 * 2, 4, 6, 8, 12, 16, 24, 32 and 48 bytes, and VECTOR_BYTES. Cases, because instructions want the
 * count as a constant.
 */
#if defined __AVX512F__
typedef __m512i raw_vector;
INLINE raw_vector shift_in(raw_vector prev, raw_vector here, int bytes)
{
#define CASE(count) \
    case count:     \
        return _mm512_alignr_epi32(here, prev, 16 - (count) / 4)
#define CASE_WITHIN(count) \
    case count:            \
        return _mm512_alignr_epi8(here, _mm512_alignr_epi32(here, prev, 12), 16 - (count))
    switch (bytes) {
        CASE_WITHIN(2);
        CASE_WITHIN(6);
        CASE(4);
        CASE(8);
        CASE(12);
        CASE(16);
        CASE(24);
        CASE(32);
        CASE(48);
    default:
        return prev;
    }
#undef CASE
#undef CASE_WITHIN
}
#elif defined __AVX2__
typedef __m256i raw_vector;
INLINE raw_vector shift_in(raw_vector prev, raw_vector here, int bytes)
{
    raw_vector middle = _mm256_permute2x128_si256(prev, here, 0x21);
#define CASE(count) \
    case count:     \
        return _mm256_alignr_epi8(here, middle, 16 - (count))
    switch (bytes) {
        CASE(2);
        CASE(6);
        CASE(4);
        CASE(8);
        CASE(12);
    case 16:
        return middle;
    case 24:
        return _mm256_alignr_epi8(middle, prev, 8);
    default:
        return prev;
    }
#undef CASE
}
#elif defined __SSE2__
typedef __m128i raw_vector;
INLINE raw_vector shift_in(raw_vector prev, raw_vector here, int bytes)
{
#define CASE(count) \
    case count:     \
        return _mm_or_si128(_mm_slli_si128(here, count), _mm_srli_si128(prev, 16 - (count)))
    switch (bytes) {
        CASE(2);
        CASE(6);
        CASE(4);
        CASE(8);
        CASE(12);
    default:
        return prev;
    }
#undef CASE
}
#else
typedef uint8_t raw_vector __attribute__((vector_size(VECTOR_BYTES)));
INLINE raw_vector shift_in(raw_vector prev, raw_vector here, int bytes)
{
    raw_vector row[2] = {prev, here}, shifted;
    memcpy(&shifted, (const char *)(row + 1) - bytes, sizeof shifted);
    return shifted;
}
#endif

/* Writes one vector around the caches, to an aligned address. */
INLINE void stream_vector(char *to, raw_vector v)
{
#if defined __AVX512F__
    _mm512_stream_si512((void *)to, v);
#elif defined __AVX2__
    _mm256_stream_si256((void *)to, v);
#elif defined __SSE2__
    _mm_stream_si128((void *)to, v);
#else
    memcpy(to, &v, sizeof v);
#endif
}

#endif
