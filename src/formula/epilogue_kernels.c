/* The fast epilogues: loops shaped for the compiler's vectoriser. The bounds are
 * copied first, for the stores might alias the task. */
#include "epilogue_kernels.h"

#include <math.h>

#include "../base/cpu.h"
#include "../base/stores.h"

/* Output samples may lie anywhere. */
typedef uint8_t out_u8;
typedef uint16_t __attribute__((aligned(1), may_alias)) out_u16;
typedef float __attribute__((aligned(1), may_alias)) out_f32;
typedef double __attribute__((aligned(1), may_alias)) out_f64;

typedef uint16_t sum_u16;
typedef uint32_t sum_u32;
typedef uint64_t sum_u64;
typedef double sum_f64;

/* Means of integers by multiplication; see epilogue_magic_find() for the proof.
 * Compilers do not find the multiplication of words' high halves by themselves. */
static void mean_u16_u8(const epilogue_task *task)
{
    const sum_u16 *restrict s = task->sums;
    out_u8 *restrict to = task->dst;
    int64_t n = task->n, i = 0;
    uint16_t multiplier = (uint16_t)task->magic.multiplier, bias = (uint16_t)task->magic.bias;
    int shift = task->magic.shift;
#ifdef __AVX2__
    __m256i multipliers = _mm256_set1_epi16((short)multiplier);
    __m256i biases = _mm256_set1_epi16((short)bias);
    __m128i shifts = _mm_cvtsi32_si128(shift);
    for (; i + 32 <= n; i += 32) {
        __m256i half[2];
        for (int k = 0; k < 2; k++) {
            __m256i sums = _mm256_loadu_si256((const __m256i *)(s + i + 16 * k));
            __m256i high = _mm256_mulhi_epu16(_mm256_add_epi16(sums, biases), multipliers);
            half[k] = _mm256_srl_epi16(high, shifts);
        }
        /* the packing interleaves the halves' 64-bit quarters */
        __m256i bytes = _mm256_permute4x64_epi64(_mm256_packus_epi16(half[0], half[1]), 0xd8);
        _mm256_storeu_si256((__m256i *)(to + i), bytes);
    }
#endif
    for (; i < n; i++) {
        uint16_t biased = (uint16_t)(s[i] + bias);
        to[i] = (out_u8)((uint32_t)biased * multiplier >> 16 >> shift);
    }
}

#ifdef __AVX512F__
/* The same of 16 sums in 32 bits: the products of even and odd sums separately. */
static inline __m512i mean_of_16(const sum_u32 *s, __m512i bias, __m512i multiplier, __m128i shift)
{
    __m512i sums = _mm512_add_epi32(_mm512_loadu_si512(s), bias);
    __m512i even = _mm512_srli_epi64(_mm512_mul_epu32(sums, multiplier), 32);
    __m512i odd = _mm512_mul_epu32(_mm512_srli_epi64(sums, 32), multiplier);
    return _mm512_srl_epi32(_mm512_mask_blend_epi32(0xaaaa, even, odd), shift);
}

#define STORE_16_u8(to, words) _mm_storeu_si128((__m128i *)(to), _mm512_cvtepi32_epi8(words))
#define STORE_16_u16(to, words) _mm256_storeu_si256((__m256i *)(to), _mm512_cvtepi32_epi16(words))

#define MEANS_OF_16(out)                                                        \
    __m512i biases = _mm512_set1_epi32((int)bias);                              \
    __m512i multipliers = _mm512_set1_epi32((int)multiplier);                   \
    __m128i shifts = _mm_cvtsi32_si128(shift);                                  \
    for (; i + 16 <= n; i += 16) {                                              \
        STORE_16_##out(to + i, mean_of_16(s + i, biases, multipliers, shifts)); \
    }
#else
#define MEANS_OF_16(out)
#endif

#define MEAN(sum, out)                                                              \
    static void mean_##sum##_##out(const epilogue_task *task)                       \
    {                                                                               \
        const sum_##sum *restrict s = task->sums;                                   \
        out_##out *restrict to = task->dst;                                         \
        int64_t n = task->n, i = 0;                                                 \
        uint32_t multiplier = task->magic.multiplier, bias = task->magic.bias;      \
        int shift = task->magic.shift;                                              \
        MEANS_OF_16(out)                                                            \
        for (; i < n; i++) {                                                        \
            uint32_t high = (uint32_t)((uint64_t)(s[i] + bias) * multiplier >> 32); \
            to[i] = (out_##out)(high >> shift);                                     \
        }                                                                           \
    }

MEAN(u32, u8)
MEAN(u32, u16)

/*
 * Means of u8 over at most 2^14 pixels in float: trunc(S * (1/A) + c) with
 * c = (A div 2 + 1/2) / A. The true value lies at least 1/(2A) >= 2^-15 from an
 * integer. S is exact below 2^24; the reciprocal's rounding contributes at most
 * 255 * 2^-24, those of product and sum 2^-17 each, that of c 2^-25: 0.999 * 2^-15.
 */
static void narrow_mean_u32_u8(const epilogue_task *task)
{
    const sum_u32 *restrict s = task->sums;
    out_u8 *restrict to = task->dst;
    int64_t n = task->n;
    float reciprocal = 1 / (float)task->area;
    float half = (float)(((double)(task->area / 2) + 0.5) / (double)task->area);
    for (int64_t i = 0; i < n; i++) {
        to[i] = (out_u8)(int32_t)((float)(int32_t)s[i] * reciprocal + half);
    }
}

/*
 * Means of integers in double: trunc((S + A/2 + 1/4) * (1/A)). The true
 * quotient lies at least 1/(4A) from an integer. S + A/2 + 1/4 is exact below
 * 2^50; the reciprocal's and the product's rounding are off by at most 2^-52
 * of less than 2^17, which is below 1/(4A) for A < 2^33.
 */
#define WIDE_MEAN(sum, out)                                        \
    static void wide_mean_##sum##_##out(const epilogue_task *task) \
    {                                                              \
        const sum_##sum *restrict s = task->sums;                  \
        out_##out *restrict to = task->dst;                        \
        int64_t n = task->n;                                       \
        double bias = (double)task->area * 0.5 + 0.25;             \
        double reciprocal = 1 / (double)task->area;                \
        for (int64_t i = 0; i < n; i++) {                          \
            double quotient = ((double)s[i] + bias) * reciprocal;  \
            to[i] = (out_##out)(int32_t)quotient;                  \
        }                                                          \
    }

WIDE_MEAN(u16, u8)
WIDE_MEAN(u32, u8)
WIDE_MEAN(u32, u16)
WIDE_MEAN(u64, u8)
WIDE_MEAN(u64, u16)

/* The same with an area for each sample. */
#define AREAS_MEAN(sum, out)                                        \
    static void areas_mean_##sum##_##out(const epilogue_task *task) \
    {                                                               \
        const sum_##sum *restrict s = task->sums;                   \
        const double *restrict areas = task->areas;                 \
        out_##out *restrict to = task->dst;                         \
        int64_t n = task->n;                                        \
        for (int64_t i = 0; i < n; i++) {                           \
            double biased = (double)s[i] + (areas[i] * 0.5 + 0.25); \
            to[i] = (out_##out)(int32_t)(biased * (1 / areas[i]));  \
        }                                                           \
    }

AREAS_MEAN(u16, u8)
AREAS_MEAN(u32, u8)
AREAS_MEAN(u32, u16)
AREAS_MEAN(u64, u8)
AREAS_MEAN(u64, u16)

/* The same with each pixel's sum of alpha as A: one division a pixel. First come
 * all samples' biases and reciprocals (0 where alpha is), a block at a time, so
 * that both loops run over evenly spaced values. */
enum { BLOCK_PIXELS = 64 };

#define WEIGHTED_PIXELS(Channels)                                             \
    for (int64_t p = 0; p < pixels; p++) {                                    \
        double alpha = (double)from[p * (Channels) + (Channels)-1];           \
        double inverse = (alpha > 0 ? 1.0 : 0.0) / (alpha > 0 ? alpha : 1.0); \
        for (int c = 0; c < (Channels)-1; c++) {                              \
            bias[p * (Channels) + c] = alpha * 0.5 + 0.25;                    \
            reciprocal[p * (Channels) + c] = inverse;                         \
        }                                                                     \
        bias[p * (Channels) + (Channels)-1] = area_bias;                      \
        reciprocal[p * (Channels) + (Channels)-1] = area_reciprocal;          \
    }

#define WEIGHTED(sum, out)                                                              \
    static void weighted_##sum##_##out(const epilogue_task *task)                       \
    {                                                                                   \
        const sum_##sum *restrict s = task->sums;                                       \
        out_##out *restrict to = task->dst;                                             \
        int64_t n = task->n, step = BLOCK_PIXELS * task->channels;                      \
        int channels = task->channels;                                                  \
        double bias[BLOCK_PIXELS * 4], reciprocal[BLOCK_PIXELS * 4];                    \
        double area_bias = (double)task->area * 0.5 + 0.25;                             \
        double area_reciprocal = 1 / (double)task->area;                                \
        for (int64_t i = 0; i < n; i += step) {                                         \
            int64_t samples = n - i < step ? n - i : step, pixels = samples / channels; \
            const sum_##sum *restrict from = s + i;                                     \
            if (channels == 4) {                                                        \
                WEIGHTED_PIXELS(4)                                                      \
            } else if (channels == 3) {                                                 \
                WEIGHTED_PIXELS(3)                                                      \
            } else {                                                                    \
                WEIGHTED_PIXELS(2)                                                      \
            }                                                                           \
            for (int64_t k = 0; k < samples; k++) {                                     \
                double quotient = ((double)from[k] + bias[k]) * reciprocal[k];          \
                to[i + k] = (out_##out)(int32_t)quotient;                               \
            }                                                                           \
        }                                                                               \
    }

WEIGHTED(u32, u8)
WEIGHTED(u64, u8)
WEIGHTED(u64, u16)

/*
 * a / b correctly rounded, given r = 1 / b correctly rounded: the first step
 * makes q faithful, the second correctly rounded (Markstein, "Computation of
 * elementary functions on the IBM RISC System/6000 processor", 1990). For a = 0
 * or 1 <= a < 2^64 and 1 <= b < 2^64, so nothing leaves the range of normal numbers.
 */
static inline double divide(double a, double b, double r)
{
#if defined(__FMA__) || defined(__AVX512F__)
    double q = a * r;
    q = __builtin_fma(__builtin_fma(-q, b, a), r, q);
    return __builtin_fma(__builtin_fma(-q, b, a), r, q);
#else
    (void)r;
    return a / b;
#endif
}

/* Means with their fraction: a true quotient of integers, of floats the sum
 * times the reciprocal. Sums above 2^53 are rounded
 * first; they are below 2^64 all the same. */
#define REAL_MEAN(sum, out)                                            \
    static void real_mean_##sum##_##out(const epilogue_task *task)     \
    {                                                                  \
        const sum_##sum *restrict s = task->sums;                      \
        out_##out *restrict to = task->dst;                            \
        int64_t n = task->n;                                           \
        double area = (double)task->area, reciprocal = 1 / area;       \
        for (int64_t i = 0; i < n; i++) {                              \
            to[i] = (out_##out)divide((double)s[i], area, reciprocal); \
        }                                                              \
    }

#define FLOAT_MEAN(out)                                        \
    static void real_mean_f64_##out(const epilogue_task *task) \
    {                                                          \
        const sum_f64 *restrict s = task->sums;                \
        out_##out *restrict to = task->dst;                    \
        int64_t n = task->n;                                   \
        double reciprocal = 1 / (double)task->area;            \
        for (int64_t i = 0; i < n; i++) {                      \
            to[i] = (out_##out)(s[i] * reciprocal);            \
        }                                                      \
    }

/* (A S2 - S^2) / A^2. exact_: both products are integers below 2^53, so double
 * arithmetic is exact; the others form the numerator modulo 2^64. */
#define IDENTITY(x) (x)

#define EXACT_SPREAD(name, sum, square, out, Root)                                 \
    static void exact_##name##_##sum##_##square##_##out(const epilogue_task *task) \
    {                                                                              \
        const sum_##sum *restrict s = task->sums;                                  \
        const sum_##square *restrict s2 = task->squares;                           \
        out_##out *restrict to = task->dst;                                        \
        int64_t n = task->n;                                                       \
        double area = (double)task->area, divisor = area * area;                   \
        double reciprocal = 1 / divisor;                                           \
        for (int64_t i = 0; i < n; i++) {                                          \
            double sum = (double)s[i];                                             \
            double numerator = area * (double)s2[i] - sum * sum;                   \
            to[i] = (out_##out)Root(divide(numerator, divisor, reciprocal));       \
        }                                                                          \
    }

#define SPREAD(name, sum, square, out, Root)                                    \
    static void name##_##sum##_##square##_##out(const epilogue_task *task)      \
    {                                                                           \
        const sum_##sum *restrict s = task->sums;                               \
        const sum_##square *restrict s2 = task->squares;                        \
        out_##out *restrict to = task->dst;                                     \
        int64_t n = task->n;                                                    \
        uint64_t area = task->area;                                             \
        double divisor = (double)area * (double)area, reciprocal = 1 / divisor; \
        for (int64_t i = 0; i < n; i++) {                                       \
            uint64_t sum = s[i];                                                \
            double numerator = (double)(area * s2[i] - sum * sum);              \
            to[i] = (out_##out)Root(divide(numerator, divisor, reciprocal));    \
        }                                                                       \
    }

#define FLOAT_SPREAD(name, out, Root)                                           \
    static void real_##name##_##out(const epilogue_task *task)                  \
    {                                                                           \
        const sum_f64 *restrict s = task->sums, *restrict s2 = task->squares;   \
        out_##out *restrict to = task->dst;                                     \
        int64_t n = task->n;                                                    \
        double area = (double)task->area, divisor = area * area;                \
        for (int64_t i = 0; i < n; i++) {                                       \
            double numerator = area * s2[i] - s[i] * s[i];                      \
            to[i] = (out_##out)Root((numerator < 0 ? 0 : numerator) / divisor); \
        }                                                                       \
    }

#define SPREADS(name, out, Root)            \
    EXACT_SPREAD(name, u16, u32, out, Root) \
    EXACT_SPREAD(name, u32, u32, out, Root) \
    EXACT_SPREAD(name, u32, u64, out, Root) \
    SPREAD(name, u32, u64, out, Root)       \
    FLOAT_SPREAD(name, out, Root)

#define FLOAT_AREAS_MEAN(out)                                   \
    static void areas_mean_f64_##out(const epilogue_task *task) \
    {                                                           \
        const sum_f64 *restrict s = task->sums;                 \
        const double *restrict areas = task->areas;             \
        out_##out *restrict to = task->dst;                     \
        int64_t n = task->n;                                    \
        for (int64_t i = 0; i < n; i++) {                       \
            to[i] = (out_##out)(s[i] * (1 / areas[i]));         \
        }                                                       \
    }

#define REALS(out)                   \
    REAL_MEAN(u16, out)              \
    REAL_MEAN(u32, out)              \
    REAL_MEAN(u64, out)              \
    FLOAT_MEAN(out)                  \
    FLOAT_AREAS_MEAN(out)            \
    SPREADS(variance, out, IDENTITY) \
    SPREADS(stddev, out, sqrt)

REALS(f32)
REALS(f64)

static void stream(char *to, const char *from, size_t bytes)
{
    stream_bytes(to, from, bytes);
}

#define INITIAL(name) .name = name,

const epilogue_kernels SATF_ISA_NAME(epilogue_kernels) = {
    EPILOGUE_KERNELS(INITIAL).stream = stream};
