/* The fast epilogues: loops shaped for the compiler's vectoriser. The bounds are
 * copied first, for the stores might alias the task. */
#define FORMULA_ONE_DIVISOR
#include "epilogue_kernels.h"

#include "../base/cpu.h"
#include "../base/stores.h"
#include "../satfilter/filter.h"
#include "../satfilter/loops.h"
#include "formulas.h"

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
/* The means of 16 sums in 32 bits: the products of even and odd sums separately. */
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
#elif defined(__AVX2__)
/* The same of 8, and of 16 as words. */
static inline __m256i mean_of_8(const sum_u32 *s, __m256i bias, __m256i multiplier, __m128i shift)
{
    __m256i sums = _mm256_add_epi32(_mm256_loadu_si256((const __m256i *)s), bias);
    __m256i even = _mm256_srli_epi64(_mm256_mul_epu32(sums, multiplier), 32);
    __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64(sums, 32), multiplier);
    return _mm256_srl_epi32(_mm256_blend_epi32(even, odd, 0xaa), shift);
}

static inline __m256i mean_words(const sum_u32 *s, __m256i bias, __m256i multiplier, __m128i shift)
{
    __m256i low = mean_of_8(s, bias, multiplier, shift);
    __m256i high = mean_of_8(s + 8, bias, multiplier, shift);
    return _mm256_permute4x64_epi64(_mm256_packus_epi32(low, high), 0xd8);
}

#define STORE_16_u8(to, words)                                                        \
    _mm_storeu_si128((__m128i *)(to), _mm_packus_epi16(_mm256_castsi256_si128(words), \
                                                       _mm256_extracti128_si256(words, 1)))
#define STORE_16_u16(to, words) _mm256_storeu_si256((__m256i *)(void *)(to), words)

#define MEANS_OF_16(out)                                                \
    __m256i biases = _mm256_set1_epi32((int)bias);                      \
    __m256i multipliers = _mm256_set1_epi32((int)multiplier);           \
    __m128i shifts = _mm_cvtsi32_si128(shift);                          \
    for (; i + 16 <= n; i += 16) {                                      \
        __m256i words = mean_words(s + i, biases, multipliers, shifts); \
        STORE_16_##out(to + i, words);                                  \
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

/* ------------------------------------------------------------------ formulas at once */

#define REAL_OF_u16(sum) (double)(sum)
#define REAL_OF_u32(sum) (double)(sum)
#define REAL_OF_u64(sum) \
    (double)(int64_t)(sum) /* below 2^53: machines convert signed ones faster */

#define LOAD_REAL(Sum, Square) in.real_sum = s[i], in.real_square = s2[i]
#define LOAD_EXACT(Sum, Square) \
    in.real_sum = REAL_OF_##Sum(s[i]), in.real_square = REAL_OF_##Square(s2[i])
#define LOAD_WORD(Sum, Square) in.sum = s[i], in.square = s2[i]

#define STORE_u8(value) (out_u8)(int32_t)(value)
#define STORE_u16(value) (out_u16)(int32_t)(value)
#define STORE_f32(value) (out_f32)(value)
#define STORE_f64(value) (value)

#define IN_REAL .real = true
#define IN_EXACT .words = FORMULA_EXACT
#define IN_WORD .words = FORMULA_WORD

/* The filter's own formula from sums of one type to results of another, without blocks between. Its
 * first loop is for areas that vary. */
#define AT_ONCE(kernel, name, mode, sum, square, out)                               \
    static void name##_##mode##_##sum##_##square##_##out(const epilogue_task *task) \
    {                                                                               \
        const sum_##sum *restrict s = task->sums;                                   \
        const sum_##square *restrict s2 = task->squares;                            \
        const double *restrict areas = task->weights;                               \
        out_##out *restrict to = task->dst;                                         \
        int64_t n = task->n;                                                        \
        formula_sums in = {IN_##mode, .rounded = sizeof *to < sizeof(float)};       \
        for (int64_t i = 0; areas && i < n; i++) {                                  \
            LOAD_##mode(sum, square);                                               \
            in.weight = (uint64_t)(int64_t)areas[i];                                \
            in.real_weight = areas[i];                                              \
            in.inverse = 1 / areas[i];                                              \
            to[i] = STORE_##out(formula_number_of(name##_formula(&in, NULL)));      \
        }                                                                           \
        formula_set_weight(&in, task->area);                                        \
        for (int64_t i = 0; !areas && i < n; i++) {                                 \
            LOAD_##mode(sum, square);                                               \
            to[i] = STORE_##out(formula_number_of(name##_formula(&in, NULL)));      \
        }                                                                           \
    }

/* Means of integer sums in doubles, a weight each. */
#define BY_WEIGHTS(out)                                                                      \
    static void weighted_##out(const epilogue_task *task)                                    \
    {                                                                                        \
        const double *restrict s = task->sums;                                               \
        const double *restrict weights = task->weights, *restrict inverses = task->inverses; \
        out_##out *restrict to = task->dst;                                                  \
        int64_t n = task->n;                                                                 \
        formula_sums in = {IN_EXACT, .rounded = true};                                       \
        for (int64_t i = 0; i < n; i++) {                                                    \
            in.real_sum = s[i];                                                              \
            in.real_weight = weights[i];                                                     \
            in.inverse = inverses[i];                                                        \
            to[i] = STORE_##out(formula_number_of(formula_mean(&in)));                       \
        }                                                                                    \
    }

BY_WEIGHTS(u8)
BY_WEIGHTS(u16)

/* Means of floats whose weights are 0 or 1. The weights' lane keeps their sum, which says whether
 * any counts. Callers name the channels by constants. */
#define MASKED_LOOP(channels, out)                                                    \
    for (int64_t x = 0; x < n; x++) {                                                 \
        formula_sums in = {IN_REAL, .real_weight = s[x * (channels) + (channels)-1]}; \
        for (int c = 0; c < (channels)-1; c++) {                                      \
            in.real_sum = s[x * (channels) + c];                                      \
            to[x * (channels) + c] = (out)formula_mean(&in).real;                     \
        }                                                                             \
        to[x * (channels) + (channels)-1] = (out)in.real_weight;                      \
    }

#define MASKED(out)                                     \
    static void masked_##out(const epilogue_task *task) \
    {                                                   \
        const double *restrict s = task->sums;          \
        out_##out *restrict to = task->dst;             \
        int64_t n = task->n / task->channels;           \
        if (task->channels == 2) {                      \
            MASKED_LOOP(2, out_##out)                   \
        } else if (task->channels == 3) {               \
            MASKED_LOOP(3, out_##out)                   \
        } else {                                        \
            MASKED_LOOP(4, out_##out)                   \
        }                                               \
    }

MASKED(f32)
MASKED(f64)

EPILOGUES_AT_ONCE(AT_ONCE)

enum {
    SUM_u16 = SATF_SUM_U16,
    SUM_u32 = SATF_SUM_U32,
    SUM_u64 = SATF_SUM_U64,
    SUM_f64 = SATF_SUM_F64
};
enum { OUT_u8 = SATF_U8, OUT_u16 = SATF_U16, OUT_f32 = SATF_F32, OUT_f64 = SATF_F64 };

#define ENTRY(kernel, name, mode, sum, square, out) \
    {KERNEL_##kernel, LOOP_##mode, SUM_##sum,       \
     SUM_##square,    OUT_##out,   name##_##mode##_##sum##_##square##_##out},

static void stream(char *to, const char *from, size_t bytes)
{
    stream_bytes(to, from, bytes);
}

static const epilogue_at_once at_once[] = {EPILOGUES_AT_ONCE(ENTRY){.run = NULL}};

const epilogue_kernels SATF_ISA_NAME(epilogue_kernels) = {
    .mean_u16_u8 = mean_u16_u8,
    .mean_u32_u8 = mean_u32_u8,
    .mean_u32_u16 = mean_u32_u16,
    .narrow_mean_u32_u8 = narrow_mean_u32_u8,
    .weighted_u8 = weighted_u8,
    .weighted_u16 = weighted_u16,
    .masked_f32 = masked_f32,
    .masked_f64 = masked_f64,
    .at_once = at_once,
    .stream = stream,
};
