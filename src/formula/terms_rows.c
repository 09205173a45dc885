/*
 * The loops of epilogue_kernels.h. A float is off by at most u = 2^-24 of itself for each rounding,
 * and none of the terms has 16: two of each number, one of d or p, two of r, and one of each
 * product and sum. So the sum is off by less than 2^-20 of the terms' magnitudes added up, which
 * are off by 16 u themselves. Where d and r are 0 and the other terms exact, nothing is rounded.
 * What is further from a tie than that is right; the formula in doubles rounds far less than 2^-20.
 */
#include "epilogue_kernels.h"

#include <math.h>

#include "../base/cpu.h"

#define OPEN 0x1.1p-20F

/* Roots of W S2 - S^2 or W S2, which doubles hold exactly. */
#define ROOTS(sum)                                                                \
    for (int64_t i = 0; i < n; i++) {                                             \
        double square = (double)(int32_t)(squares[i] - 0x80000000) + 0x1p31;      \
        double first = (double)(int32_t)sums[i];                                  \
        roots[i] = sqrtf((float)(weight * square - of_square * (first * first))); \
    }

/* The sum at a sample, and how far it may be off. */
typedef struct terms_value {
    float value, off;
} terms_value;

static inline __attribute__((always_inline)) terms_value
value_of(const terms_numbers *of, int32_t sum, int32_t sample, float root)
{
    float d = (float)(sum - of->weight * sample), p = (float)sample, s = (float)sum;
    float first = of->away * d, second = of->sample * p;
    float third = root * of->root, fourth = root * (of->both * s);
    float off = fabsf(first) + fabsf(second) + (fabsf(third) + fabsf(fourth) + fabsf(of->alone));
    bool none = of->exact & (d == 0) & (root == 0);
    return (terms_value){(first + (second + of->alone)) + (third + fourth), none ? 0 : off * OPEN};
}

/* The quotient is rounded three times. The sample where nothing but 0 is in the window. */
static inline __attribute__((always_inline)) terms_value over_sum(const terms_numbers *of,
                                                                  int32_t sum, int32_t sample)
{
    float p = (float)sample, value = of->sample * p / (float)(sum > 0 ? sum : 1);
    return (terms_value){sum > 0 ? value : p, value * 0x1p-22F};
}

/* Results to nearest, halves up, unless `v` leaves them open. */
#define ROUNDED(v)                                                     \
    for (int64_t i = 0; i < n; i++) {                                  \
        terms_value value = v;                                         \
        float within = value.value > 0 ? value.value : 0;              \
        within = within < t.most ? within : t.most;                    \
        int32_t nearest = (int32_t)(within + 0.5F);                    \
        open |= !(fabsf(within - (float)nearest) + value.off <= 0.5F); \
        to[i] = (uint8_t)nearest;                                      \
    }

/* White above 0. */
#define ABOVE(v)                                     \
    for (int64_t i = 0; i < n; i++) {                \
        terms_value value = v;                       \
        open |= !(fabsf(value.value) >= value.off);  \
        to[i] = value.value > 0 ? t.white : t.black; \
    }

/* The same where none is left open. */
#define ROUNDED_TOLD                                                \
    for (int64_t i = 0; i < n; i++) {                               \
        int32_t sum = (int32_t)sums[i], sample = samples[i];        \
        float d = (float)(sum - t.weight * sample);                 \
        float v = t.away * d + (t.sample * (float)sample + t.told); \
        v = v > 0 ? v : 0;                                          \
        to[i] = (uint8_t)(int32_t)(v < t.most ? v : t.most);        \
    }

#define ABOVE_TOLD                                                               \
    for (int64_t i = 0; i < n; i++) {                                            \
        int32_t sum = (int32_t)sums[i], sample = samples[i];                     \
        int32_t whole = t.whole_sum * sum + (t.whole_sample * sample + t.whole); \
        to[i] = whole > 0 ? t.white : t.black;                                   \
    }

#define TERMS(name, NAME, sum)                                                          \
    static bool name##_##sum(const terms_numbers *numbers, int64_t n, const void *from, \
                             const void *squares_of, const uint8_t *restrict samples,   \
                             uint8_t *restrict to)                                      \
    {                                                                                   \
        const terms_numbers t = *numbers;                                               \
        const sum##_t *restrict sums = from;                                            \
        const uint32_t *restrict squares = squares_of;                                  \
        const double weight = t.weight, of_square = t.of_square;                        \
        float roots[LOOP_SAMPLES];                                                      \
        int open = 0;                                                                   \
        if (t.roots) {                                                                  \
            ROOTS(sum)                                                                  \
            NAME(value_of(&t, (int32_t)sums[i], samples[i], roots[i]))                  \
        } else if (t.over) {                                                            \
            NAME(over_sum(&t, (int32_t)sums[i], samples[i]))                            \
        } else if (t.tells) {                                                           \
            NAME##_TOLD                                                                 \
        } else {                                                                        \
            NAME(value_of(&t, (int32_t)sums[i], samples[i], 0))                         \
        }                                                                               \
        return open == 0;                                                               \
    }

typedef uint16_t u16_t;
typedef uint32_t u32_t;

TERMS(rounded, ROUNDED, u16)
TERMS(rounded, ROUNDED, u32)
TERMS(above, ABOVE, u16)
TERMS(above, ABOVE, u32)

const terms_kernels SATF_ISA_NAME(terms_kernels) = {rounded_u16, rounded_u32, above_u16, above_u32};
