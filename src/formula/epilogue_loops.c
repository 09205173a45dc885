/* The loops of epilogue_loops.h. The library is built with one copy for each instruction set. */
#include "epilogue_loops.h"

#include "../base/cpu.h"
#include "grey.h"
#include "reduction.h"

#ifdef __AVX512BW__
#include <immintrin.h>
#endif

/* Samples may lie anywhere. */
typedef uint8_t any_u8;
typedef uint16_t __attribute__((aligned(1), may_alias)) any_u16;
typedef uint32_t __attribute__((aligned(1), may_alias)) any_u32;
typedef float __attribute__((aligned(1), may_alias)) any_f32;
typedef double __attribute__((aligned(1), may_alias)) any_f64;
typedef uint64_t __attribute__((aligned(1), may_alias)) any_u64;

/* ------------------------------------------------------------- loads and stores */

#define LOAD_CASE(TYPE, From, To)         \
    case TYPE: {                          \
        const From *restrict s = from;    \
        for (int64_t i = 0; i < n; i++) { \
            to[i] = (To)s[i];             \
        }                                 \
        break;                            \
    }

static void load_sums(satf_sum_type type, int64_t n, const void *from, double *restrict to)
{
    switch ((int)type) {
        LOAD_CASE(SATF_SUM_U16, uint16_t, double)
        LOAD_CASE(SATF_SUM_U32, uint32_t, double)
        LOAD_CASE(SATF_SUM_U64, int64_t, double) /* below 2^53, where doubles are wanted */
        LOAD_CASE(SATF_SUM_F64, double, double)
    }
}

static void load_words(satf_sum_type type, int64_t n, const void *from, uint64_t *restrict to)
{
    switch ((int)type) {
        LOAD_CASE(SATF_SUM_U16, uint16_t, uint64_t)
        LOAD_CASE(SATF_SUM_U32, uint32_t, uint64_t)
        LOAD_CASE(SATF_SUM_U64, uint64_t, uint64_t)
    }
}

static void load_samples(satf_type type, int64_t n, const void *from, double *restrict to)
{
    switch ((int)type) {
        LOAD_CASE(SATF_U8, any_u8, double)
        LOAD_CASE(SATF_U16, any_u16, double)
        LOAD_CASE(SATF_U32, any_u32, double)
        LOAD_CASE(SATF_F32, any_f32, double)
        LOAD_CASE(SATF_F64, any_f64, double)
    }
}

/* Constants are what compilers make good loops of. */
#define LUMAS(real, channels)                                                \
    for (int64_t i = 0; i + (channels) <= n; i += (channels)) {              \
        double value = grey_luma((real), from[i], from[i + 1], from[i + 2]); \
        to[i] = to[i + 1] = to[i + 2] = to[i + (channels)-1] = value;        \
    }

static void luma(bool real, int channels, int64_t n, const double *restrict from,
                 double *restrict to)
{
    if (real) {
        LUMAS(true, channels)
    } else if (channels == 3) {
        LUMAS(false, 3)
    } else {
        LUMAS(false, 4)
    }
}

static inline double inverse_of(double weight)
{
    return (weight != 0 ? 1.0 : 0.0) / (weight != 0 ? weight : 1.0);
}

#define WEIGH(channels)                                                         \
    for (int64_t p = 0; p < n / (channels); p++) {                              \
        inverse[p] = inverse_of(alphas[p * (channels) + (channels)-1]);         \
    }                                                                           \
    for (int64_t p = 0; p < n / (channels); p++) {                              \
        for (int lane = 0; lane < (channels); lane++) {                         \
            int64_t i = p * (channels) + lane;                                  \
            bool colour = lane < (channels)-1;                                  \
            weights[i] = colour ? alphas[p * (channels) + (channels)-1] : area; \
            inverses[i] = colour ? inverse[p] : of_all;                         \
        }                                                                       \
    }                                                                           \
    for (int64_t i = (channels)-1; areas && i < n; i += (channels)) {           \
        weights[i] = areas[i];                                                  \
        inverses[i] = inverse_of(areas[i]);                                     \
    }

static void weigh(int channels, int64_t n, double area, const double *restrict areas,
                  const double *restrict alphas, double *restrict weights,
                  double *restrict inverses)
{
    double inverse[LOOP_SAMPLES], of_all = inverse_of(area);
    if (!alphas) {
        for (int64_t i = 0; i < n; i++) {
            weights[i] = areas ? areas[i] : area;
            inverses[i] = areas ? inverse_of(areas[i]) : of_all;
        }
    } else if (channels == 2) {
        WEIGH(2)
    } else if (channels == 3) {
        WEIGH(3)
    } else {
        WEIGH(4)
    }
}

/* Nearest, halves up, within 0 ... max, which is below 2^51; NaN becomes 0. To add 2^52 rounds to
 * an integer, halves to even, on every machine at full speed, which floor() does not. */
static inline double saturated(double value, double max)
{
    value = value > 0 ? value : 0;
    value = value < max ? value : max;
    double nearest = (value + 0x1p52) - 0x1p52;
    return nearest + (value - nearest >= 0.5 ? 1.0 : 0.0);
}

#define SATURATE_CASE(TYPE, To, Word, max)            \
    case TYPE: {                                      \
        To *restrict d = to;                          \
        for (int64_t i = 0; i < n; i++) {             \
            d[i] = (To)(Word)saturated(from[i], max); \
        }                                             \
        break;                                        \
    }

static void loops_store(satf_type type, int64_t n, const double *restrict from, void *to)
{
    switch (type) {
        SATURATE_CASE(SATF_U8, any_u8, int32_t, 255.0)
        SATURATE_CASE(SATF_U16, any_u16, int32_t, 65535.0)
        SATURATE_CASE(SATF_U32, any_u32, int64_t, 4294967295.0)
    case SATF_F32:
        for (int64_t i = 0; i < n; i++) {
            ((any_f32 *)to)[i] = (float)from[i];
        }
        break;
    case SATF_F64:
        memcpy(to, from, (size_t)n * sizeof *from);
        break;
    default:
        for (int64_t i = 0; i < n; i++) {
            formula_store(SATF_U64, formula_real(from[i]), (char *)to + 8 * i);
        }
    }
}

/* Callers name the steps by constants. */
static inline void copy_lane(int64_t n, const double *restrict from, const int from_step,
                             double *restrict to, const int to_step)
{
    for (int64_t i = 0; i < n; i++) {
        to[i * to_step] = from[i * from_step];
    }
}

#define COPY_LANES(copy)                 \
    for (int k = 0; k < channels; k++) { \
        if (channels == 1) {             \
            copy(1);                     \
        } else if (channels == 2) {      \
            copy(2);                     \
        } else if (channels == 3) {      \
            copy(3);                     \
        } else {                         \
            copy(4);                     \
        }                                \
    }

#define PART(channels) copy_lane(n, from + k, channels, to[k], 1)
#define JOIN(channels) copy_lane(n, from[k], 1, to + k, channels)

static void part(int channels, int64_t n, const double *from, mix_lane *to)
{
    COPY_LANES(PART)
}

static void join(int channels, int64_t n, const mix_lane *from, double *to)
{
    COPY_LANES(JOIN)
}

/* The extremes are found in several lanes, as vectors have them, and joined at the end. */
enum { FIND_LANES = 16 };

static inline double greater(double value, double most)
{
    value = reduction_is_finite(value) ? value : -INFINITY;
    return value > most ? value : most;
}

static void loops_find(int64_t n, const double *restrict values, const double *restrict samples,
                       double *greatest, double *least)
{
    double most[FIND_LANES], fewest[FIND_LANES]; /* the latter times -1 */
    for (int k = 0; k < FIND_LANES; k++) {
        most[k] = fewest[k] = -INFINITY;
    }
    int64_t i = 0;
    for (; i + FIND_LANES <= n; i += FIND_LANES) {
        for (int k = 0; k < FIND_LANES; k++) {
            most[k] = greater(values[i + k], most[k]);
            fewest[k] = greater(-samples[i + k], fewest[k]);
        }
    }
    for (; i < n; i++) {
        most[0] = greater(values[i], most[0]);
        fewest[0] = greater(-samples[i], fewest[0]);
    }
    for (int k = 1; k < FIND_LANES; k++) {
        most[0] = greater(most[k], most[0]);
        fewest[0] = greater(fewest[k], fewest[0]);
    }
    *greatest = most[0];
    *least = -fewest[0];
}

static void loops_spreads(int64_t n, double weight, const double *restrict sums,
                          const double *restrict squares, double *restrict to)
{
    for (int64_t i = 0; i < n; i++) {
        to[i] = weight * squares[i] - sums[i] * sums[i];
    }
}

static void store_bilevel(int64_t n, const double *restrict from, uint8_t *restrict to)
{
    for (int64_t i = 0; i < n; i++) {
        to[i] = (uint8_t)(int32_t)from[i];
    }
}

#define STEP(From)                                \
    do {                                          \
        const From *restrict s = from;            \
        From limit = (From)cut;                   \
        for (int64_t i = 0; i < n; i++) {         \
            to[i] = s[i] > limit ? above : below; \
        }                                         \
    } while (0)

static void step(satf_type type, int64_t n, const void *from, int64_t cut, uint8_t below,
                 uint8_t above, uint8_t *restrict to)
{
    if (type == SATF_U8) {
        STEP(any_u8);
    } else {
        STEP(any_u16);
    }
}

#ifdef __AVX512BW__
/* 64 entries are two registers, among which an instruction chooses by the lower bits. */
static inline __m512i choose(const __m512i *tables, __m512i index)
{
    return _mm512_permutex2var_epi16(tables[0], index, tables[1]);
}

/* From u8 to u16, 32 at a time; the first sample that is left. */
static int64_t look_up_most(int64_t n, const any_u8 *from, const any_u16 *table, any_u16 *to)
{
    __m512i tables[8];
    int64_t i = 0;
    for (int k = 0; k < 8; k++) {
        tables[k] = _mm512_loadu_si512(table + 32 * k);
    }
    for (; i + 32 <= n; i += 32) {
        __m512i index =
            _mm512_cvtepu8_epi16(_mm256_loadu_si256((const __m256i *)(const void *)(from + i)));
        __mmask32 second = _mm512_test_epi16_mask(index, _mm512_set1_epi16(64));
        __mmask32 upper = _mm512_test_epi16_mask(index, _mm512_set1_epi16(128));
        __m512i low =
            _mm512_mask_blend_epi16(second, choose(tables, index), choose(tables + 2, index));
        __m512i high =
            _mm512_mask_blend_epi16(second, choose(tables + 4, index), choose(tables + 6, index));
        _mm512_storeu_si512(to + i, _mm512_mask_blend_epi16(upper, low, high));
    }
    return i;
}
#else
static int64_t look_up_most(int64_t n, const any_u8 *from, const any_u16 *table, any_u16 *to)
{
    (void)n, (void)from, (void)table, (void)to;
    return 0;
}
#endif

#define LOOK_UP_EACH(From, To, begin, each)     \
    do {                                        \
        const From *s = from;                   \
        const To *entries = table;              \
        To *d = to;                             \
        for (int64_t i = begin; i < n; i++) {   \
            d[i * each] = entries[s[i * each]]; \
        }                                       \
    } while (0)

/* Constants make the better loop. */
#define LOOK_UP(From, To, begin)             \
    if (step == 1) {                         \
        LOOK_UP_EACH(From, To, begin, 1);    \
    } else {                                 \
        LOOK_UP_EACH(From, To, begin, step); \
    }

#define LOOK_UP_TO(To)              \
    do {                            \
        if (bytes > 1) {            \
            LOOK_UP(any_u16, To, 0) \
        } else {                    \
            LOOK_UP(any_u8, To, 0)  \
        }                           \
    } while (0)

static void loops_look_up(size_t bytes, size_t to_bytes, int64_t n, int64_t step, const void *from,
                          const void *table, void *to)
{
    if (bytes == 1 && to_bytes == 2 && step == 1) {
        LOOK_UP_EACH(any_u8, any_u16, look_up_most(n, from, table, to), 1);
    } else if (to_bytes == 1) {
        LOOK_UP_TO(any_u8);
    } else if (to_bytes == 2) {
        LOOK_UP_TO(any_u16);
    } else if (to_bytes == 4) {
        LOOK_UP_TO(any_u32);
    } else {
        LOOK_UP_TO(any_u64);
    }
}

/* ------------------------------------------------------------------------ loops */

#define FORMULA_ENTRY(name, reads) LOOPS(name, reads)
#include "../../filters/all.h"
#undef FORMULA_ENTRY

#define MIX_ENTRY(filter, name, images) MIX_LOOPS(filter, name)
#include "../../filters/all.h"
#undef MIX_ENTRY

#define FORMULA_ENTRY(name, reads) [FORMULA_##name] = {name##_real, name##_exact, name##_word},

const loop_kernels SATF_ISA_NAME(loop_kernels) = {
    .run =
        {
#include "../../filters/all.h"
#undef FORMULA_ENTRY
        },
    .mix =
        {
#define MIX_ENTRY(filter, name, images) [MIX_##filter##_##name] = MIX_LOOP_TABLE(filter, name),
#include "../../filters/all.h"
        },
    .part = part,
    .join = join,
    .load_sums = load_sums,
    .load_words = load_words,
    .load_samples = load_samples,
    .luma = luma,
    .weigh = weigh,
    .store = loops_store,
    .store_bilevel = store_bilevel,
    .step = step,
    .look_up = loops_look_up,
    .find = loops_find,
    .spreads = loops_spreads,
};
