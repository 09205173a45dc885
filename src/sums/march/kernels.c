/* The inner loops of the window engine, made of the templates beside this file. The library is
 * built with one copy for each instruction set. */
#include "kernels.h"

#include <math.h>
#include <string.h>

#include "../../sat/shift.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

#if defined(__AVX512BW__)
#define VECTOR_BYTES 64
#elif defined(__AVX2__)
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif

/* Windows from which on a scan is faster than sums of neighbours. */
#if defined(__AVX512BW__)
#define SCAN_BEYOND 6
#elif defined(__AVX2__)
#define SCAN_BEYOND 10
#else
#define SCAN_BEYOND 16 /* or than running sums, where there is none */
#endif

#define U8 uint8_t
#define U16 uint16_t
#define U32 uint32_t
#define U64 uint64_t
#define U128 satf_u128
#define F32 float
#define F64 double

#define NAME(f) f##_u8_u16
#define WEIGHTED
#define SRC U8
#define COL U16
#define WORK U32
#include "vertical_template.h"

#define NAME(f) f##_u8_u32
#define WEIGHTED
#define SRC U8
#define COL U32
#define WORK U32
#include "vertical_template.h"

#define NAME(f) f##_u8_u64
#define WEIGHTED
#define SRC U8
#define COL U64
#define WORK U64
#include "vertical_template.h"

#define NAME(f) f##_u16_u16
#define SRC U16
#define COL U16
#define WORK U32
#include "vertical_template.h"

#define NAME(f) f##_u16_u32
#define WEIGHTED
#define SRC U16
#define COL U32
#define WORK U32
#include "vertical_template.h"

#define NAME(f) f##_u16_u64
#define WEIGHTED
#define SRC U16
#define COL U64
#define WORK U64
#include "vertical_template.h"

#define NAME(f) f##_u32_u32
#define SRC U32
#define COL U32
#define WORK U32
#include "vertical_template.h"

#define NAME(f) f##_u64_u64
#define SRC U64
#define COL U64
#define WORK U64
#include "vertical_template.h"

#define NAME(f) f##_f32_f64
#define SRC F32
#define COL F64
#define WORK F64
#include "vertical_template.h"

#define NAME(f) f##_f64_f64
#define WEIGHTED
#define SRC F64
#define COL F64
#define WORK F64
#include "vertical_template.h"

/* Sums of 32 bits in a register: the last pixel of what is stored there in all places, what columns
 * of 16 or 32 bits are more than others, and sums of these over all pixels up to each, added to
 * those of the pixel before, which becomes the last one. */
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
    sum = _mm512_add_epi32(sum, *before);
    *before = _mm512_permutexvar_epi32(scan_place(channels, 16 - channels), sum);
    return sum;
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
    sum = _mm256_add_epi32(_mm256_add_epi32(sum, lower), *before);
    *before = _mm256_permutevar8x32_epi32(sum, scan_place(channels, 8 - channels));
    return sum;
}
#endif

#define NAME(f) f##_row_u16_u16
#define COL U16
#define SUM U16
#define LANES (VECTOR_BYTES / 2)
#define HORIZONTAL_DIRECT 16
#include "horizontal_template.h"

#define NAME(f) f##_row_u16_u32
#define COL U16
#define SUM U32
#define LANES (VECTOR_BYTES / 4)
#ifdef __AVX2__
#define SCAN
#endif
#define HORIZONTAL_DIRECT SCAN_BEYOND
#include "horizontal_template.h"

#define NAME(f) f##_row_u32_u32
#define COL U32
#define SUM U32
#define LANES (VECTOR_BYTES / 4)
#ifdef __AVX2__
#define SCAN
#endif
#define HORIZONTAL_DIRECT SCAN_BEYOND
#include "horizontal_template.h"

#define NAME(f) f##_row_u32_u64
#define COL U32
#define SUM U64
#define LANES (VECTOR_BYTES / 8)
#define HORIZONTAL_DIRECT 16
#include "horizontal_template.h"

#define NAME(f) f##_row_u64_u64
#define COL U64
#define SUM U64
#define LANES (VECTOR_BYTES / 8)
#define HORIZONTAL_DIRECT 16
#include "horizontal_template.h"

#define NAME(f) f##_row_u64_u128
#define COL U64
#define SUM U128
#define LANES 1
#define HORIZONTAL_DIRECT 16
#include "horizontal_template.h"

#define NAME(f) f##_row_f64_f64
#define COL F64
#define SUM F64
#define LANES (VECTOR_BYTES / 8)
#ifdef __AVX512BW__
#define SCAN_REALS
#define HORIZONTAL_DIRECT 4
#else
#define HORIZONTAL_DIRECT 16
#endif
#include "horizontal_template.h"

#include "strip_template.h"

#define MARCH(pair, SAMPLE, SUMS) \
    .row = (SAMPLE), .sums = (SUMS), .add = add_##pair, .march = march_##pair
#define VERTICAL(pair, SAMPLE, SUMS)                           \
    {                                                          \
        .summands = summands_##pair, MARCH(pair, SAMPLE, SUMS) \
    }
#define HORIZONTAL(pair, COLUMNS, SUMS)                                                           \
    {                                                                                             \
        COLUMNS, SUMS, run_row_##pair, pad_row_##pair, add_pixel_row_##pair, add_fixed_row_##pair \
    }

static const vertical_kernels vertical[] = {
    VERTICAL(u8_u16, SATF_U8, SATF_SUM_U16),
    VERTICAL(u8_u32, SATF_U8, SATF_SUM_U32),
    VERTICAL(u8_u64, SATF_U8, SATF_SUM_U64),
    {MARCH(u16_u16, SATF_U16, SATF_SUM_U16)},
    VERTICAL(u16_u32, SATF_U16, SATF_SUM_U32),
    VERTICAL(u16_u64, SATF_U16, SATF_SUM_U64),
    {MARCH(u32_u32, SATF_U32, SATF_SUM_U32)},
    {MARCH(u64_u64, SATF_U64, SATF_SUM_U64)},
    {MARCH(f32_f64, SATF_F32, SATF_SUM_F64)},
    VERTICAL(f64_f64, SATF_F64, SATF_SUM_F64),
    {.add = NULL},
};

static const horizontal_kernels horizontal[] = {
    HORIZONTAL(u16_u16, SATF_SUM_U16, SATF_SUM_U16),
    HORIZONTAL(u16_u32, SATF_SUM_U16, SATF_SUM_U32),
    HORIZONTAL(u32_u32, SATF_SUM_U32, SATF_SUM_U32),
    HORIZONTAL(u32_u64, SATF_SUM_U32, SATF_SUM_U64),
    HORIZONTAL(u64_u64, SATF_SUM_U64, SATF_SUM_U64),
    HORIZONTAL(u64_u128, SATF_SUM_U64, SATF_SUM_U128),
    HORIZONTAL(f64_f64, SATF_SUM_F64, SATF_SUM_F64),
    {.run = NULL},
};

const window_kernels SATF_ISA_NAME(window_kernels) = {
    .vertical = vertical,
    .horizontal = horizontal,
    .strip = {.shift_by = shift_by,
              .row_sums = row_sums,
              .add = add,
              .enter = enter,
              .unite = unite,
              .repeat = repeat,
              .move = move,
              .row_moments = row_moments,
              .peak = peak,
              .on_grid = on_grid},
};
