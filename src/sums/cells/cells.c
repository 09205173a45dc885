/* The loops of cells.h. The library has a copy of this file for each instruction set. */
#include "cells.h"

#include <stdbool.h>

#include "../../base/cpu.h"
#include "../../base/stores.h"

/* Samples may lie anywhere. */
typedef uint8_t any_u8;
typedef uint16_t __attribute__((aligned(1), may_alias)) any_u16;
typedef uint32_t __attribute__((aligned(1), may_alias)) any_u32;
typedef uint64_t __attribute__((aligned(1), may_alias)) any_u64;
typedef float __attribute__((aligned(1), may_alias)) any_f32;
typedef double __attribute__((aligned(1), may_alias)) any_f64;

typedef uint16_t sum_u16;
typedef uint32_t sum_u32;
typedef uint64_t sum_u64;
typedef satf_u128 sum_u128;
typedef double sum_f64;

/* Adds one or two rows of whole pixels to `held`, the sums so far. */
#define ADD_ROWS(src, col, held)                                                      \
    for (int64_t i = 0; i < samples && b; i++) {                                      \
        to[i] = (sum_##col)((sum_##col)((held) + (sum_##col)a[i]) + (sum_##col)b[i]); \
    }                                                                                 \
    for (int64_t i = 0; i < samples && !b; i++) {                                     \
        to[i] = (sum_##col)((held) + (sum_##col)a[i]);                                \
    }

/* Adds rows to columns. Most weights are 1, since most cells are whole pixels high. */
#define ADD(src, col)                                                                            \
    static void add_##src##_##col(const void *row, const void *next, int64_t weight, bool first, \
                                  int64_t samples, void *columns)                                \
    {                                                                                            \
        const any_##src *restrict a = row, *restrict b = next;                                   \
        sum_##col *restrict to = columns;                                                        \
        sum_##col w = (sum_##col)weight;                                                         \
        if (weight != 1) {                                                                       \
            for (int64_t i = 0; i < samples; i++) {                                              \
                to[i] = (sum_##col)((first ? 0 : to[i]) + w * (sum_##col)a[i]);                  \
            }                                                                                    \
        } else if (first) {                                                                      \
            ADD_ROWS(src, col, 0)                                                                \
        } else {                                                                                 \
            ADD_ROWS(src, col, to[i])                                                            \
        }                                                                                        \
    }

ADD(u8, u16)
ADD(u8, u32)
ADD(u16, u16)
ADD(u16, u32)
ADD(u32, u32)
ADD(u64, u64)
ADD(f32, f64)
ADD(f64, f64)

/* How many channels are added at once: one, or four. If pixels have two or three channels, the rest
 * belongs to the next pixel, whose store writes over it. */
#define ANY(type) aligned(sizeof(type)), may_alias
typedef uint16_t one_u16, __attribute__((vector_size(8), ANY(uint16_t))) four_u16;
typedef uint32_t one_u32, __attribute__((vector_size(16), ANY(uint32_t))) four_u32;
typedef uint64_t one_u64, __attribute__((vector_size(32), ANY(uint64_t))) four_u64;
typedef double one_f64, __attribute__((vector_size(32), ANY(double))) four_f64;
typedef satf_u128 one_u128;

#define CAST_one(type, value) ((type)(value))
#define CAST_four(type, value) __builtin_convertvector(value, type)
#define TERM(size, col, sum, weight) \
    ((sum_##sum)(weight)*CAST_##size(size##_##sum, *(const size##_##col *)of))

/* A cell's first pixel, those wholly inside, its last one. `channels` is a constant, for speed. */
#define CELLS(size, col, sum)                                                                  \
    INLINE void size##_##col##_##sum(const cells_axis *across, const void *columns,            \
                                     const int channels, int64_t first, int64_t n, void *sums) \
    {                                                                                          \
        const sum_##col *restrict from = columns;                                              \
        const int times = sizeof(size##_##sum) > sizeof(sum_##sum) ? 1 : channels;             \
        sum_##sum *restrict to = sums;                                                         \
        int64_t whole = across->to, step = across->from / whole, rest = across->from % whole;  \
        cells_place at = {0, cells_find(across, first).inside};                                \
        for (int64_t k = 0; k < n; k++) {                                                      \
            bool over = at.inside + rest >= whole;                                             \
            cells_place end = {at.pixel + step + over, at.inside + rest - (over ? whole : 0)}; \
            for (int c = 0; c < times; c++) {                                                  \
                const sum_##col *of = from + at.pixel * channels + c;                          \
                const sum_##col *last = from + end.pixel * channels + c;                       \
                size##_##sum total = (size##_##sum)TERM(size, col, sum, whole - at.inside);    \
                for (of += channels; of < last; of += channels) {                              \
                    total = (size##_##sum)(total + TERM(size, col, sum, whole));               \
                }                                                                              \
                if (end.inside > 0) {                                                          \
                    total = (size##_##sum)(total + TERM(size, col, sum, end.inside));          \
                }                                                                              \
                *(size##_##sum *)(to + k * channels + c) = total;                              \
            }                                                                                  \
            at = end;                                                                          \
        }                                                                                      \
    }

#define SUM(col, sum, size)                                                                    \
    CELLS(one, col, sum)                                                                       \
    static void sum_##col##_##sum(const cells_axis *across, const void *columns, int channels, \
                                  int64_t first, int64_t n, void *sums)                        \
    {                                                                                          \
        switch (channels) {                                                                    \
        case 1:                                                                                \
            one_##col##_##sum(across, columns, 1, first, n, sums);                             \
            break;                                                                             \
        case 2:                                                                                \
            size##_##col##_##sum(across, columns, 2, first, n, sums);                          \
            break;                                                                             \
        case 3:                                                                                \
            size##_##col##_##sum(across, columns, 3, first, n, sums);                          \
            break;                                                                             \
        default:                                                                               \
            size##_##col##_##sum(across, columns, 4, first, n, sums);                          \
        }                                                                                      \
    }
#define SUM_FOUR(col, sum) CELLS(four, col, sum) SUM(col, sum, four)

SUM_FOUR(u16, u16)
SUM_FOUR(u16, u32)
SUM_FOUR(u32, u32)
SUM_FOUR(u32, u64)
SUM_FOUR(u64, u64)
SUM(u64, u128, one)
SUM_FOUR(f64, f64)

/* Cells of 2, 3 or 4 whole pixels, by constants, of which compilers make good loops. */
#define UNROLL _Pragma("GCC unroll 4")
#define BLOCK(size, col)                                                                        \
    INLINE void block_##size##_##col(const int factor, const int channels, const void *columns, \
                                     int64_t n, void *sums)                                     \
    {                                                                                           \
        const sum_##col *restrict from = columns;                                               \
        sum_##col *restrict to = sums;                                                          \
        UNROLL for (int64_t k = 0; k < n; k++)                                                  \
        {                                                                                       \
            size##_##col total = *(const size##_##col *)(from + k * factor * channels);         \
            for (int j = 1; j < factor; j++) {                                                  \
                const sum_##col *of = from + (k * factor + j) * channels;                       \
                total = (size##_##col)(total + *(const size##_##col *)of);                      \
            }                                                                                   \
            *(size##_##col *)(to + k * channels) = total;                                       \
        }                                                                                       \
    }

#define BLOCKS(col, factor)                            \
    case 8 * (factor) + 1:                             \
        block_one_##col(factor, 1, columns, n, sums);  \
        break;                                         \
    case 8 * (factor) + 2:                             \
        block_four_##col(factor, 2, columns, n, sums); \
        break;                                         \
    case 8 * (factor) + 3:                             \
        block_four_##col(factor, 3, columns, n, sums); \
        break;                                         \
    case 8 * (factor) + 4:                             \
        block_four_##col(factor, 4, columns, n, sums); \
        break;

#define SUM_BLOCKS(col)                                                                   \
    BLOCK(one, col)                                                                       \
    BLOCK(four, col)                                                                      \
    static void blocks_##col(const cells_axis *across, const void *columns, int channels, \
                             int64_t first, int64_t n, void *sums)                        \
    {                                                                                     \
        int64_t factor = across->to == 1 && across->from <= 4 ? across->from : 0;         \
        switch (8 * factor + channels) {                                                  \
            BLOCKS(col, 2)                                                                \
            BLOCKS(col, 3)                                                                \
            BLOCKS(col, 4)                                                                \
        default:                                                                          \
            sum_##col##_##col(across, columns, channels, first, n, sums);                 \
        }                                                                                 \
    }

SUM_BLOCKS(u16)
SUM_BLOCKS(u32)
SUM_BLOCKS(f64)

/* Adds pairs along a row by one product, where the machine has it. */
#if defined(__AVX512BW__)
static inline __m512i quarters_of_32(const uint8_t *row, const uint8_t *next)
{
    const __m512i ones = _mm512_set1_epi8(1), half = _mm512_set1_epi16(2);
    __m512i a = _mm512_maddubs_epi16(_mm512_loadu_si512(row), ones);
    __m512i b = _mm512_maddubs_epi16(_mm512_loadu_si512(next), ones);
    return _mm512_srli_epi16(_mm512_add_epi16(_mm512_add_epi16(a, b), half), 2);
}
#endif

#if defined(__AVX2__)
static inline __m256i quarters_of_16(const uint8_t *row, const uint8_t *next)
{
    const __m256i ones = _mm256_set1_epi8(1), half = _mm256_set1_epi16(2);
    __m256i above = _mm256_loadu_si256((const __m256i *)(const void *)row);
    __m256i below = _mm256_loadu_si256((const __m256i *)(const void *)next);
    __m256i a = _mm256_maddubs_epi16(above, ones), b = _mm256_maddubs_epi16(below, ones);
    return _mm256_srli_epi16(_mm256_add_epi16(_mm256_add_epi16(a, b), half), 2);
}

static inline void halve_32(const uint8_t *row, const uint8_t *next, uint8_t *means)
{
    __m256i words =
        _mm256_packus_epi16(quarters_of_16(row, next), quarters_of_16(row + 32, next + 32));
    _mm256_storeu_si256((__m256i *)(void *)means, _mm256_permute4x64_epi64(words, 0xd8));
}
#endif

static void halve(const uint8_t *row, const uint8_t *next, int64_t n, uint8_t *means)
{
    int64_t k = 0;
#if defined(__AVX512BW__)
    for (; k + 32 <= n; k += 32) {
        __m512i words = quarters_of_32(row + 2 * k, next + 2 * k);
        _mm256_storeu_si256((__m256i *)(void *)(means + k), _mm512_cvtepi16_epi8(words));
    }
#elif defined(__AVX2__)
    for (; k + 32 <= n; k += 32) {
        halve_32(row + 2 * k, next + 2 * k, means + k);
    }
#endif
#if defined(__AVX2__)
    if (k < n && n >= 32) { /* the last 32, some of them once more */
        halve_32(row + 2 * (n - 32), next + 2 * (n - 32), means + n - 32);
        return;
    }
#endif
    for (; k < n; k++) {
        int sum = row[2 * k] + row[2 * k + 1] + next[2 * k] + next[2 * k + 1];
        means[k] = (uint8_t)((sum + 2) / 4);
    }
}

static cells_add add_of(int samples, satf_sum_type columns)
{
    static const struct {
        satf_type samples;
        satf_sum_type columns;
        cells_add add;
    } all[] = {
        {SATF_U8, SATF_SUM_U16, add_u8_u16},   {SATF_U8, SATF_SUM_U32, add_u8_u32},
        {SATF_U16, SATF_SUM_U16, add_u16_u16}, {SATF_U16, SATF_SUM_U32, add_u16_u32},
        {SATF_U32, SATF_SUM_U32, add_u32_u32}, {SATF_U64, SATF_SUM_U64, add_u64_u64},
        {SATF_F32, SATF_SUM_F64, add_f32_f64}, {SATF_F64, SATF_SUM_F64, add_f64_f64},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if ((int)all[i].samples == samples && all[i].columns == columns) {
            return all[i].add;
        }
    }
    return NULL;
}

static cells_sum sum_of(satf_sum_type columns, satf_sum_type sums)
{
    static const struct {
        satf_sum_type columns, sums;
        cells_sum sum;
    } all[] = {
        {SATF_SUM_U16, SATF_SUM_U16, blocks_u16},  {SATF_SUM_U16, SATF_SUM_U32, sum_u16_u32},
        {SATF_SUM_U32, SATF_SUM_U32, blocks_u32},  {SATF_SUM_U32, SATF_SUM_U64, sum_u32_u64},
        {SATF_SUM_U64, SATF_SUM_U64, sum_u64_u64}, {SATF_SUM_U64, SATF_SUM_U128, sum_u64_u128},
        {SATF_SUM_F64, SATF_SUM_F64, blocks_f64},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i].columns == columns && all[i].sums == sums) {
            return all[i].sum;
        }
    }
    return NULL;
}

const cells_kernels SATF_ISA_NAME(cells_kernels) = {halve, add_of, sum_of};
