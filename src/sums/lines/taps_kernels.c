/*
 * The loops of taps_kernels.h. Sums of integers are exact, so their order is free; doubles and
 * floats are added from the outermost pair of neighbours to the middle, without contraction. So the
 * bits are the same everywhere.
 */
#include "taps_kernels.h"

#include <string.h>

#include "../../base/stores.h"

typedef double reals __attribute__((vector_size(VECTOR_BYTES)));

enum {
    ROUND_ACROSS = 64 - (1 << 22),      /* rounds sums of 15 bits of fraction to 8, less 2^15 */
    ROUND_DOWN = (1 << 30) + (1 << 22), /* rounds 23 bits to none, of numbers less 2^15 */
    EXACT_DOWN = 1 << 30,
    FRACTION_ACROSS = 7,
    FRACTION_DOWN = 23
};

#if defined __SSE2__

/* Registers of 16-bit numbers. low() and high() join the halves of two registers as pairs; packed()
 * puts sums of pairs where their numbers were. */
#if defined __AVX512BW__
typedef __m512i words;
#define OF(name) _mm512_##name
#define WHOLE si512
#elif defined __AVX2__
typedef __m256i words;
#define OF(name) _mm256_##name
#define WHOLE si256
#else
typedef __m128i words;
#define OF(name) _mm_##name
#define WHOLE si128
#endif

enum { WORDS = VECTOR_BYTES / 2 };

INLINE words load(const void *from)
{
    words v;
    memcpy(&v, from, sizeof v);
    return v;
}

INLINE void store(void *to, words v)
{
    memcpy(to, &v, sizeof v);
}

INLINE words load_bytes(const uint8_t *from)
{
#if defined __AVX512BW__
    return _mm512_cvtepu8_epi16(_mm256_loadu_si256((const void *)from));
#elif defined __AVX2__
    return _mm256_cvtepu8_epi16(_mm_loadu_si128((const void *)from));
#else
    return _mm_unpacklo_epi8(_mm_loadl_epi64((const void *)from), _mm_setzero_si128());
#endif
}

INLINE void store_bytes(uint8_t *to, words v)
{
#if defined __AVX512BW__
    _mm256_storeu_si256((void *)to, _mm512_cvtepi16_epi8(v));
#elif defined __AVX2__
    __m128i all = _mm_packus_epi16(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    _mm_storeu_si128((void *)to, all);
#else
    _mm_storel_epi64((void *)to, _mm_packus_epi16(v, v));
#endif
}

INLINE words low(words a, words b)
{
    return OF(unpacklo_epi16)(a, b);
}

INLINE words high(words a, words b)
{
    return OF(unpackhi_epi16)(a, b);
}

INLINE words packed(words low_sums, words high_sums)
{
    return OF(packs_epi32)(low_sums, high_sums);
}

/* sums - products of pairs, since weights are negated. */
INLINE words less(words sums, words numbers, words weights)
{
    return OF(sub_epi32)(sums, OF(madd_epi16)(numbers, weights));
}

/* One register of a row, by the weights along it. */
INLINE words across_one(const line_taps *taps, int64_t step, const uint8_t *at)
{
    words lows = OF(set1_epi32)(ROUND_ACROSS), highs = lows, even = load_bytes(at);
    for (int k = 0; k <= taps->radius; k += 2) {
        const uint8_t *before = at - (k + 1) * step, *behind = at + (k + 1) * step;
        words odd = OF(add_epi16)(load_bytes(before), load_bytes(behind));
        words weights = OF(set1_epi32)(taps->across[k / 2]);
        lows = less(lows, low(even, odd), weights);
        highs = less(highs, high(even, odd), weights);
        even = OF(add_epi16)(load_bytes(before - step), load_bytes(behind + step));
    }
    return packed(OF(srai_epi32)(lows, FRACTION_ACROSS), OF(srai_epi32)(highs, FRACTION_ACROSS));
}

static void across(const line_taps *taps, int channels, const uint8_t *const rows[2], int64_t first,
                   int64_t end, int16_t *to)
{
    for (int64_t x = first; x < end; x += WORDS) {
        words a = across_one(taps, channels, rows[0] + x);
        words b = across_one(taps, channels, rows[1] + x);
        store(to + 2 * x, low(a, b));
        store(to + 2 * x + WORDS, high(a, b));
    }
}

/* Numbers x ... x + WORDS - 1. */
INLINE void down_at(const line_taps *taps, const int16_t *const *pairs, int64_t x,
                    void *const to[2], bool bytes)
{
    words sums[2][2];
    sums[0][0] = OF(set1_epi32)(bytes ? ROUND_DOWN : EXACT_DOWN);
    sums[0][1] = sums[1][0] = sums[1][1] = sums[0][0];
    for (int k = 0; k <= taps->radius; k++) {
        words lows = load(pairs[k] + 2 * x), highs = load(pairs[k] + 2 * x + WORDS);
        for (int row = 0; row < 2; row++) {
            words weights = OF(set1_epi32)(taps->down[row][k]);
            sums[row][0] = less(sums[row][0], lows, weights);
            sums[row][1] = less(sums[row][1], highs, weights);
        }
    }
    for (int row = 0; row < 2; row++) {
        if (bytes) {
            words lows = OF(srai_epi32)(sums[row][0], FRACTION_DOWN);
            words highs = OF(srai_epi32)(sums[row][1], FRACTION_DOWN);
            store_bytes((uint8_t *)to[row] + x, packed(lows, highs));
        } else {
            int32_t joined[WORDS];
            enum {
                PART = 4
            }; /* a register's part has the lows of so many numbers, then their highs */
            store(joined, sums[row][0]);
            store(joined + WORDS / 2, sums[row][1]);
            for (int i = 0; i < WORDS; i++) {
                int part = i / (2 * PART), half = i / PART % 2;
                ((double *)to[row])[x + i] = joined[half * WORDS / 2 + part * PART + i % PART];
            }
        }
    }
}

static void down(const line_taps *taps, const int16_t *const *pairs, int64_t first, int64_t end,
                 void *const to[2], bool bytes)
{
    for (int64_t x = first; x < end && bytes; x += WORDS) {
        down_at(taps, pairs, x, to, true);
    }
    for (int64_t x = first; x < end && !bytes; x += WORDS) {
        down_at(taps, pairs, x, to, false);
    }
}

#else

/* Numbers at a time, for whatever registers there are. */
enum { WORDS = 32 };

/* sums -= numbers times a weight, since weights are negated. */
INLINE void take_off(int32_t *sums, int16_t weight, const int16_t *numbers, int64_t step)
{
    for (int i = 0; i < WORDS; i++) {
        sums[i] -= weight * numbers[i * step];
    }
}

/* The weight of a word's first number, or of its second. */
INLINE int16_t weight_of(int32_t word, int which)
{
    int16_t weights[2];
    memcpy(weights, &word, sizeof word);
    return weights[which];
}

static void across(const line_taps *taps, int channels, const uint8_t *const rows[2], int64_t first,
                   int64_t end, int16_t *to)
{
    for (int64_t x = first; x < end; x += WORDS) {
        for (int row = 0; row < 2; row++) {
            const uint8_t *at = rows[row] + x;
            int32_t sums[WORDS];
            for (int i = 0; i < WORDS; i++) {
                sums[i] = ROUND_ACROSS - weight_of(taps->across[0], 0) * at[i];
            }
            for (int k = 1; k <= taps->radius; k++) {
                int16_t numbers[WORDS];
                for (int i = 0; i < WORDS; i++) {
                    numbers[i] = (int16_t)(at[i - k * channels] + at[i + k * channels]);
                }
                take_off(sums, weight_of(taps->across[k / 2], k % 2), numbers, 1);
            }
            for (int i = 0; i < WORDS; i++) {
                to[2 * (x + i) + row] = (int16_t)(sums[i] >> FRACTION_ACROSS);
            }
        }
    }
}

static void down(const line_taps *taps, const int16_t *const *pairs, int64_t first, int64_t end,
                 void *const to[2], bool bytes)
{
    for (int64_t x = first; x < end; x += WORDS) {
        for (int row = 0; row < 2; row++) {
            int32_t sums[WORDS];
            for (int i = 0; i < WORDS; i++) {
                sums[i] = bytes ? ROUND_DOWN : EXACT_DOWN;
            }
            for (int k = 0; k <= taps->radius; k++) {
                for (int half = 0; half < 2; half++) {
                    take_off(sums, weight_of(taps->down[row][k], half), pairs[k] + 2 * x + half, 2);
                }
            }
            for (int i = 0; i < WORDS; i++) {
                if (bytes) {
                    ((uint8_t *)to[row])[x + i] = (uint8_t)(sums[i] >> FRACTION_DOWN);
                } else {
                    ((double *)to[row])[x + i] = sums[i];
                }
            }
        }
    }
}

#endif

/* ------------------------------------------------------------------------- doubles */

typedef double reals_at __attribute__((vector_size(VECTOR_BYTES), aligned(8), may_alias));

enum { REALS = VECTOR_BYTES / sizeof(double), AT_ONCE = 4 };

INLINE reals real_at(const double *from, int64_t i)
{
    return *(const reals_at *)(from + i * REALS);
}

/* The middle's numbers times their weight, and those k times `step` away on either side, or in
 * rows[-k] and rows[k], times theirs. */
INLINE void sum_reals(const line_taps *taps, const double *middle, int64_t step,
                      const void *const *rows, int64_t x, double scale, double *to)
{
    reals sums[AT_ONCE] = {{0}};
    for (int k = taps->radius; k > 0; k--) {
        const double *before = (rows ? (const double *)rows[-k] : middle - k * step) + x;
        const double *behind = (rows ? (const double *)rows[k] : middle + k * step) + x;
        reals weight = taps->weights[k] - (reals){0};
#pragma GCC unroll 4
        for (int i = 0; i < AT_ONCE; i++) {
            sums[i] += (real_at(before, i) + real_at(behind, i)) * weight;
        }
    }
#pragma GCC unroll 4
    for (int i = 0; i < AT_ONCE; i++) {
        reals all = sums[i] + real_at(middle + x, i) * taps->weights[0];
        if (scale != 0) {
            all = ((all * scale + scale / 2) + 0x1.8p52) -
                  0x1.8p52; /* half a unit more leaves no ties */
        }
        *(reals_at *)(to + x + i * REALS) = all;
    }
}

static void along(const line_taps *taps, int64_t step, const double *from, int64_t n, double scale,
                  double *to)
{
    for (int64_t x = 0; x < n && scale == 0; x += AT_ONCE * REALS) {
        sum_reals(taps, from, step, NULL, x, 0, to);
    }
    for (int64_t x = 0; x < n && scale != 0; x += AT_ONCE * REALS) {
        sum_reals(taps, from, step, NULL, x, scale, to);
    }
}

static void columns(const line_taps *taps, const void *const *from, int64_t first, int64_t end,
                    double *to)
{
    const void *const *middle = from + taps->radius;
    for (int64_t x = first; x < end; x += AT_ONCE * REALS) {
        sum_reals(taps, *middle, 0, middle, x, 0, to);
    }
}

/* ------------------------------------------------------------------------- floats */

typedef float singles __attribute__((vector_size(VECTOR_BYTES)));
typedef float singles_at __attribute__((vector_size(VECTOR_BYTES), aligned(4), may_alias));
typedef float any_f32 __attribute__((aligned(1), may_alias));

enum { SINGLES = VECTOR_BYTES / sizeof(float) };

INLINE singles single_at(const float *from, int64_t i)
{
    return *(const singles_at *)(from + i * SINGLES);
}

/* As sum_reals(), but the middle plus weighted differences from it. */
INLINE void sum_singles(const line_taps *taps, const float *middle, int64_t step,
                        const void *const *rows, int64_t x, float *to)
{
    singles sums[AT_ONCE] = {{0}}, twice[AT_ONCE];
#pragma GCC unroll 4
    for (int i = 0; i < AT_ONCE; i++) {
        twice[i] = single_at(middle + x, i) * 2;
    }
    for (int k = taps->radius; k > 0; k--) {
        const float *before = (rows ? (const float *)rows[-k] : middle - k * step) + x;
        const float *behind = (rows ? (const float *)rows[k] : middle + k * step) + x;
        singles weight = taps->singles[k] - (singles){0};
#pragma GCC unroll 4
        for (int i = 0; i < AT_ONCE; i++) {
            singles pair = single_at(before, i) + single_at(behind, i);
            sums[i] += (pair - twice[i]) * weight;
        }
    }
#pragma GCC unroll 4
    for (int i = 0; i < AT_ONCE; i++) {
        *(singles_at *)(to + x + i * SINGLES) = single_at(middle + x, i) + sums[i];
    }
}

static void along_singles(const line_taps *taps, int64_t step, const float *from, int64_t n,
                          float *to)
{
    for (int64_t x = 0; x < n; x += AT_ONCE * SINGLES) {
        sum_singles(taps, from, step, NULL, x, to);
    }
}

static void down_singles(const line_taps *taps, const void *const *from, int64_t first, int64_t end,
                         float *to)
{
    const void *const *middle = from + taps->radius;
    for (int64_t x = first; x < end; x += AT_ONCE * SINGLES) {
        sum_singles(taps, *middle, 0, middle, x, to);
    }
}

static void load_singles(const void *from, int64_t n, float *to)
{
    for (int64_t i = 0; i < n; i++) {
        to[i] = ((const any_f32 *)from)[i] * (1.0f / LINE_SINGLES);
    }
}

static void store_singles(const float *restrict from, int64_t n, void *restrict to)
{
    for (int64_t i = 0; i < n; i++) {
        ((any_f32 *)to)[i] = line_single(from[i]);
    }
}

const taps_kernels SATF_ISA_NAME(taps_kernels) = {
    .across = across,
    .down = down,
    .along = along,
    .columns = columns,
    .along_singles = along_singles,
    .down_singles = down_singles,
    .load_singles = load_singles,
    .store_singles = store_singles,
};
