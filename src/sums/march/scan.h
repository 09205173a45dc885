/* Prefix sums over the pixels of a register, for the kernels of sums along rows (kernels.c). */
#ifndef SATF_SUMS_MARCH_SCAN_H
#define SATF_SUMS_MARCH_SCAN_H

#include <stddef.h>
#include <stdint.h>
#ifdef __AVX2__
#include <immintrin.h>
#endif

/* Sums of 32 bits in a register. scan_pixel(): a stored pixel in all places. scan_differences(): of
 * two rows of columns of 2 or 4 bytes. scan_next(): *before and the sums over all pixels up to
 * each; *before becomes those of the last, by the only addition that waits for it. */
#if defined(__AVX512BW__)
typedef __m512i scan_vector;

static inline __m512i scan_place(int channels, int first)
{
    const __m512i lane = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    return _mm512_add_epi32(_mm512_and_si512(lane, _mm512_set1_epi32(channels - 1)),
                            _mm512_set1_epi32(first));
}

static inline __m512i scan_pixel(const uint32_t *at, int channels)
{
    return _mm512_permutexvar_epi32(scan_place(channels, 0), _mm512_loadu_si512(at));
}

static inline __m512i scan_load(size_t bytes, const void *col)
{
    return bytes == 2 ? _mm512_cvtepu16_epi32(_mm256_loadu_si256(col)) : _mm512_loadu_si512(col);
}

static inline __m512i scan_differences(size_t bytes, const void *enter, const void *leave)
{
    return _mm512_sub_epi32(scan_load(bytes, enter), scan_load(bytes, leave));
}

static inline __m512i scan_next(__m512i sum, const int channels, __m512i *before)
{
    const __m512i zero = _mm512_setzero_si512();
    if (channels < 2) {
        sum = _mm512_add_epi32(sum, _mm512_alignr_epi32(sum, zero, 15));
    }
    if (channels < 4) {
        sum = _mm512_add_epi32(sum, _mm512_alignr_epi32(sum, zero, 14));
    }
    sum = _mm512_add_epi32(sum, _mm512_alignr_epi32(sum, zero, 12));
    sum = _mm512_add_epi32(sum, _mm512_alignr_epi32(sum, zero, 8));
    __m512i all = _mm512_add_epi32(sum, *before);
    sum = _mm512_permutexvar_epi32(scan_place(channels, 16 - channels), sum);
    *before = _mm512_add_epi32(*before, sum);
    return all;
}
#elif defined(__AVX2__)
typedef __m256i scan_vector;

static inline __m256i scan_place(int channels, int first)
{
    const __m256i lane = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
    return _mm256_add_epi32(_mm256_and_si256(lane, _mm256_set1_epi32(channels - 1)),
                            _mm256_set1_epi32(first));
}

static inline __m256i scan_pixel(const uint32_t *at, int channels)
{
    return _mm256_permutevar8x32_epi32(_mm256_loadu_si256((const void *)at),
                                       scan_place(channels, 0));
}

static inline __m256i scan_load(size_t bytes, const void *col)
{
    return bytes == 2 ? _mm256_cvtepu16_epi32(_mm_loadu_si128(col)) : _mm256_loadu_si256(col);
}

static inline __m256i scan_differences(size_t bytes, const void *enter, const void *leave)
{
    return _mm256_sub_epi32(scan_load(bytes, enter), scan_load(bytes, leave));
}

static inline __m256i scan_next(__m256i sum, const int channels, __m256i *before)
{
    if (channels < 2) {
        sum = _mm256_add_epi32(sum, _mm256_slli_si256(sum, 4));
    }
    if (channels < 4) {
        sum = _mm256_add_epi32(sum, _mm256_slli_si256(sum, 8));
    }
    __m256i lower = _mm256_permute2x128_si256(sum, sum, 0x08); /* behind zeros */
    lower = channels == 1   ? _mm256_shuffle_epi32(lower, 0xff)
            : channels == 2 ? _mm256_shuffle_epi32(lower, 0xee)
                            : lower;
    sum = _mm256_add_epi32(sum, lower);
    __m256i all = _mm256_add_epi32(sum, *before);
    sum = _mm256_permutevar8x32_epi32(sum, scan_place(channels, 8 - channels));
    *before = _mm256_add_epi32(*before, sum);
    return all;
}
#endif

/* Doubles in a register. scan_reals(): the sums over all pixels up to each. scan_pixel_reals(): the
 * pixel that begins at lane `first`, the register's first or last pixel, in all places. */
#if defined(__AVX512BW__)
static inline __m512d shifted_reals(__m512d v, const int lanes)
{
    const __m512i zero = _mm512_setzero_si512(), bits = _mm512_castpd_si512(v);
    return _mm512_castsi512_pd(lanes == 1   ? _mm512_alignr_epi64(bits, zero, 7)
                               : lanes == 2 ? _mm512_alignr_epi64(bits, zero, 6)
                               : lanes == 3 ? _mm512_alignr_epi64(bits, zero, 5)
                                            : _mm512_alignr_epi64(bits, zero, 4));
}

static inline __m512d scan_reals(__m512d sum, const int channels)
{
    sum = channels < 2 ? _mm512_add_pd(sum, shifted_reals(sum, 1)) : sum;
    sum = channels < 3 ? _mm512_add_pd(sum, shifted_reals(sum, 2)) : sum;
    return _mm512_add_pd(sum, shifted_reals(sum, channels == 3 ? 3 : 4));
}

static inline __m512d scan_pixel_reals(__m512d sum, const int channels, int first)
{
    const __m512i phase = _mm512_set_epi64(7 % channels, 6 % channels, 5 % channels, 4 % channels,
                                           3 % channels, 2 % channels, 1 % channels, 0);
    return _mm512_permutexvar_pd(_mm512_add_epi64(phase, _mm512_set1_epi64(first)), sum);
}
#elif defined(__AVX2__)
static inline __m256d scan_reals(__m256d sum, const int channels)
{
    const __m256d zero = _mm256_setzero_pd();
    if (channels < 2) {
        sum = _mm256_add_pd(sum, _mm256_blend_pd(_mm256_permute4x64_pd(sum, 0x90), zero, 1));
    }
    return channels < 3 ? _mm256_add_pd(sum, _mm256_permute2f128_pd(sum, sum, 0x08)) : sum;
}

static inline __m256d scan_pixel_reals(__m256d sum, const int channels, int first)
{
    return channels == 1
               ? (first ? _mm256_permute4x64_pd(sum, 0xff) : _mm256_permute4x64_pd(sum, 0))
           : channels == 2 ? (first ? _mm256_permute2f128_pd(sum, sum, 0x11)
                                    : _mm256_permute2f128_pd(sum, sum, 0x00))
                           : sum;
}
#endif

#endif
