/*
 * Writing around the caches, for results so large that they leave the caches before anybody reads
 * them: it saves reading their lines first. Only kernels that are compiled for several instruction
 * sets include this file.
 */
#ifndef SATF_BASE_STORES_H
#define SATF_BASE_STORES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if defined __SSE2__
#include <immintrin.h>
#endif

#if defined __AVX512F__
#define VECTOR_BYTES 64
#elif defined __AVX2__
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif

#define INLINE static inline __attribute__((always_inline))

#if defined __AVX512F__
#define STREAM(to, from) _mm512_stream_si512((void *)(to), _mm512_loadu_si512(from))
#elif defined __AVX2__
#define STREAM(to, from) \
    _mm256_stream_si256((__m256i *)(to), _mm256_loadu_si256((const __m256i *)(from)))
#elif defined __SSE2__
#define STREAM(to, from) _mm_stream_si128((__m128i *)(to), _mm_loadu_si128((const __m128i *)(from)))
#endif

/* memcpy() whose bytes stay out of the caches, where the machine can. They are
 * visible to other threads when the satf_parallel() around it has returned. */
static inline void stream_bytes(char *to, const char *from, size_t bytes)
{
#ifdef STREAM
    size_t head = (size_t)(-(uintptr_t)to & (VECTOR_BYTES - 1));
    head = head < bytes ? head : bytes;
    memcpy(to, from, head);
    size_t i = head;
    for (; i + VECTOR_BYTES <= bytes; i += VECTOR_BYTES) {
        STREAM((void *)(to + i), (const void *)(from + i));
    }
    memcpy(to + i, from + i, bytes - i);
#else
    memcpy(to, from, bytes);
#endif
}

#endif
