/*
 * The loops of terms: in floats for bytes, in doubles for samples of 16 bits. A rounding is off by
 * at most u of its number, 2^-24 or 2^-53, and no term has 16 of them: two of each number, one of
 * d or p, two of r, and one of each product and sum. So the sum is off by less than 16 u of the
 * terms' magnitudes added up, and by less than 17 u of these as they are computed; a formula in
 * doubles is off by as much of its own u. Where d and r are 0 and the other terms exact, nothing is
 * rounded. A sum further from a tie than it may be off is decided rightly.
 */
#include "epilogue_kernels.h"

#include <math.h>

#include "../base/cpu.h"

typedef uint8_t sample_u8;
typedef uint16_t __attribute__((aligned(1), may_alias)) sample_u16;
typedef uint16_t sum_u16;
typedef uint32_t sum_u32;
typedef uint64_t sum_u64;

/* For each type of samples: the type of terms, the type of W p and of integers, and u. */
typedef float real_u8;
typedef double real_u16;
typedef int32_t whole_u8;
typedef double whole_u16;
#define ROOT_u8(square) sqrtf((float)(square))
#define ROOT_u16(square) sqrt(square)
#define MAGNITUDE_u8(x) fabsf(x)
#define MAGNITUDE_u16(x) fabs(x)
#define UNIT_u8 0x1p-24F
#define UNIT_u16 0x1p-53

/* Sums below 2^32 and 2^53 in doubles, by conversions of signed words, which all machines have. */
#define DOUBLE_OF_u16(x) (double)(x)
#define DOUBLE_OF_u32(x) ((double)(int32_t)((x)-0x80000000) + 0x1p31)
#define DOUBLE_OF_u64(x) (double)(int64_t)(x)
#define WHOLE_OF_u8(sum, x) (int32_t)(x)
#define WHOLE_OF_u16(sum, x) DOUBLE_OF_##sum(x)

/* For samples of one type: the numbers, the sum at a sample, and how far it may be off. */
#define VALUES(S)                                                                                 \
    typedef struct numbers_##S {                                                                  \
        real_##S away, sample, alone, root, both, told, most;                                     \
        bool exact;                                                                               \
    } numbers_##S;                                                                                \
    typedef struct value_##S {                                                                    \
        real_##S value, off;                                                                      \
    } value_##S;                                                                                  \
    static inline __attribute__((always_inline))                                                  \
    numbers_##S numbers_of_##S(const terms_numbers *of)                                           \
    {                                                                                             \
        return (numbers_##S){                                                                     \
            (real_##S)of->away, (real_##S)of->sample, (real_##S)of->alone, (real_##S)of->root,    \
            (real_##S)of->both, (real_##S)of->told,   (real_##S)of->most,  of->exact};            \
    }                                                                                             \
    static inline __attribute__((always_inline)) value_##S value_of_##S(                          \
        const numbers_##S *of, real_##S d, real_##S p, real_##S s, real_##S root)                 \
    {                                                                                             \
        real_##S first = of->away * d, second = of->sample * p;                                   \
        real_##S third = root * of->root, fourth = root * (of->both * s);                         \
        real_##S off = MAGNITUDE_##S(first) + MAGNITUDE_##S(second) +                             \
                       (MAGNITUDE_##S(third) + MAGNITUDE_##S(fourth) + MAGNITUDE_##S(of->alone)); \
        bool none = of->exact & (d == 0) & (root == 0);                                           \
        return (value_##S){(first + (second + of->alone)) + (third + fourth),                     \
                           none ? 0 : off * (17 * UNIT_##S)};                                     \
    }                                                                                             \
    /* The quotient is rounded three times. The sample where nothing but 0 is in the window.      \
     */                                                                                           \
    static inline __attribute__((always_inline))                                                  \
    value_##S over_sum_##S(const numbers_##S *of, real_##S p, real_##S s)                         \
    {                                                                                             \
        real_##S value = of->sample * p / (s > 0 ? s : 1);                                        \
        return (value_##S){s > 0 ? value : p, value * (4 * UNIT_##S)};                            \
    }

VALUES(u8)
VALUES(u16)

/* roots[i] = the root of W S2 - S^2, or of W S2, either of which doubles hold exactly. */
#define ROOTS(S, sum, square)                                                             \
    for (int64_t i = 0; i < n; i++) {                                                     \
        double first = DOUBLE_OF_##sum(sums[i]), second = DOUBLE_OF_##square(squares[i]); \
        roots[i] = ROOT_##S((double)weight * second - of_square * (first * first));       \
    }

/* The numbers of sample i that a loop's line reads. */
#define AT(S, sum)                                                       \
    whole_##S p = (whole_##S)samples[i], s = WHOLE_OF_##S(sum, sums[i]); \
    real_##S d = (real_##S)(s - weight * p);                             \
    (void)d

/* Results to nearest, halves up, unless `v` leaves them open. */
#define ROUNDED(S, sum, v)                                                                 \
    for (int64_t i = 0; i < n; i++) {                                                      \
        AT(S, sum);                                                                        \
        value_##S value = v;                                                               \
        real_##S within = value.value > 0 ? value.value : 0;                               \
        within = within < t.most ? within : t.most;                                        \
        int32_t nearest = (int32_t)(within + (real_##S)0.5);                               \
        open |= !(MAGNITUDE_##S(within - (real_##S)nearest) + value.off <= (real_##S)0.5); \
        to[i] = (sample_##S)nearest;                                                       \
    }

/* White above 0. */
#define ABOVE(S, sum, v)                                    \
    for (int64_t i = 0; i < n; i++) {                       \
        AT(S, sum);                                         \
        value_##S value = v;                                \
        open |= !(MAGNITUDE_##S(value.value) >= value.off); \
        to[i] = value.value > 0 ? white : black;            \
    }

/* The same where none is left open. */
#define ROUNDED_TOLD(S, sum)                                         \
    for (int64_t i = 0; i < n; i++) {                                \
        AT(S, sum);                                                  \
        real_##S v = t.away * d + (t.sample * (real_##S)p + t.told); \
        v = v > 0 ? v : 0;                                           \
        to[i] = (sample_##S)(int32_t)(v < t.most ? v : t.most);      \
    }

#define ABOVE_TOLD(S, sum)                                        \
    const whole_##S of_sum = (whole_##S)numbers->whole_sum;       \
    const whole_##S of_sample = (whole_##S)numbers->whole_sample; \
    const whole_##S alone = (whole_##S)numbers->whole;            \
    for (int64_t i = 0; i < n; i++) {                             \
        AT(S, sum);                                               \
        whole_##S above = of_sum * s + (of_sample * p + alone);   \
        to[i] = above > 0 ? white : black;                        \
    }

#define TERMS(name, NAME, S, sum, square, To)                                                     \
    static bool name##_##S##_##sum(const terms_numbers *numbers, int64_t n, const void *sums_of,  \
                                   const void *squares_of, const void *samples_of, void *results) \
    {                                                                                             \
        const numbers_##S t = numbers_of_##S(numbers);                                            \
        const whole_##S weight = (whole_##S)numbers->weight;                                      \
        const sum_##sum *restrict sums = sums_of;                                                 \
        const sum_##square *restrict squares = squares_of;                                        \
        const sample_##S *restrict samples = samples_of;                                          \
        sample_##To *restrict to = results;                                                       \
        const double of_square = numbers->of_square;                                              \
        const uint8_t white = numbers->white, black = numbers->black;                             \
        real_##S roots[LOOP_SAMPLES];                                                             \
        int open = 0;                                                                             \
        (void)white, (void)black;                                                                 \
        if (numbers->roots) {                                                                     \
            ROOTS(S, sum, square)                                                                 \
            NAME(S, sum, value_of_##S(&t, d, (real_##S)p, (real_##S)s, roots[i]))                 \
        } else if (numbers->over) {                                                               \
            NAME(S, sum, over_sum_##S(&t, (real_##S)p, (real_##S)s))                              \
        } else if (numbers->tells) {                                                              \
            NAME##_TOLD(S, sum)                                                                   \
        } else {                                                                                  \
            NAME(S, sum, value_of_##S(&t, d, (real_##S)p, (real_##S)s, 0))                        \
        }                                                                                         \
        return open == 0;                                                                         \
    }

TERMS(rounded, ROUNDED, u8, u16, u32, u8)
TERMS(rounded, ROUNDED, u8, u32, u32, u8)
TERMS(rounded, ROUNDED, u16, u32, u64, u16)
TERMS(above, ABOVE, u8, u16, u32, u8)
TERMS(above, ABOVE, u8, u32, u32, u8)
TERMS(above, ABOVE, u16, u32, u64, u8)

static terms_kernel find(satf_type samples, satf_sum_type sums, bool bilevel)
{
    static const struct {
        satf_type samples;
        satf_sum_type sums;
        terms_kernel rounded, above;
    } all[] = {{SATF_U8, SATF_SUM_U16, rounded_u8_u16, above_u8_u16},
               {SATF_U8, SATF_SUM_U32, rounded_u8_u32, above_u8_u32},
               {SATF_U16, SATF_SUM_U32, rounded_u16_u32, above_u16_u32}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i].samples == samples && all[i].sums == sums) {
            return bilevel ? all[i].above : all[i].rounded;
        }
    }
    return NULL;
}

const terms_kernels SATF_ISA_NAME(terms_kernels) = {find};
