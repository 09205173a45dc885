/*
 * Results of 8 bits for windows of bytes, in CUDA C++: by floats where these leave no doubt about
 * the result (satfilter/formula.h), else by the formula itself.
 */
#ifndef SATF_FORMULA_CLEAR_H
#define SATF_FORMULA_CLEAR_H

#include "formulas.h"

/* Sums over a window, and the sample at the pixel. Their products are below 2^64. */
typedef struct byte_window {
    uint64_t square;
    uint32_t sum, centre;
} byte_window;

/* W S2 - S^2 is at most (255 W / 2)^2: of windows of so many bytes it is below 2^32. */
enum { NARROW_WINDOW = 514 };

/* The number in the word's byte `at`. */
static __device__ __forceinline__ uint32_t byte_of(uint32_t word, int at)
{
    return word >> (8 * at) & 0xFF;
}

static __device__ __forceinline__ float float_of(uint64_t integer)
{
    return fmaf((float)(uint32_t)(integer >> 32), 0x1p32f, (float)(uint32_t)integer);
}

/* An address which compilers know nothing about: they load what is at others where a function is
 * called, and that may be a lot. */
template <class T> static __device__ __forceinline__ const T *hidden(const T *at)
{
#ifdef __CUDA_ARCH__
    asm("" : "+l"(at));
#endif
    return at;
}

/* in: what all samples have in common. */
static __device__ __forceinline__ void load_window(const byte_window &window, formula_sums *in)
{
    in->real = false;
    in->words = FORMULA_WORD;
    in->shift = 0;
    in->weight = in->weight < 1 ? 1 : in->weight; /* it is not 0, as compilers learn by that */
    in->sum = window.sum;
    in->square = window.square;
    in->centre = (double)window.centre;
}

/* The formula of that number. Task: has the filter's options, and constants: what all samples have
 * in common, with their weight. */
template <int NUMBER> struct byte_formula;

#define FORMULA_ENTRY(name, all_reads)                                                             \
    template <> struct byte_formula<FORMULA_##name> {                                              \
        static constexpr unsigned reads = (all_reads);                                             \
        static formula_floats floats_of(const formula_sums *constants, const void *options)        \
        {                                                                                          \
            return formula_floats_of(constants, (const name##_options *)options);                  \
        }                                                                                          \
        template <class Task>                                                                      \
        static __device__ __forceinline__ formula_value value(const Task *task,                    \
                                                              const byte_window &window)           \
        {                                                                                          \
            formula_sums in = task->constants;                                                     \
            load_window(window, &in);                                                              \
            formula_hide(reads, &in);                                                              \
            return FORMULA_APPLY(name, &in, task->options.bytes);                                  \
        }                                                                                          \
        /* False: the floats do not say what the sample is, *bits' lowest 8. NARROW:               \
         * NARROW_WINDOW. */                                                                       \
        template <bool NARROW>                                                                     \
        static __device__ __forceinline__ bool is_clear(const formula_floats &floats,              \
                                                        uint32_t weight,                           \
                                                        const byte_window &window, uint32_t *bits) \
        {                                                                                          \
            formula_window in = {(float)window.sum, (float)window.centre, 0};                      \
            if constexpr ((reads & FORMULA_SQUARE) != 0) {                                         \
                uint64_t spread = weight * window.square - (uint64_t)window.sum * window.sum;      \
                in.spread = NARROW ? (float)(uint32_t)spread : float_of(spread);                   \
            }                                                                                      \
            return formula_is_clear(&floats, &in, (const name##_options *)NULL, bits);             \
        }                                                                                          \
    };
#include "../../filters/all.h"
#undef FORMULA_ENTRY

/* The formula, compiled in one place: it is long, and seldom asked. */
template <class Formula, class Task>
static __device__ __noinline__ uint32_t compute_byte(const Task *task, uint64_t square,
                                                     uint32_t sum, uint32_t centre)
{
    byte_window window = {square, sum, centre};
    return (uint32_t)formula_saturated(Formula::value(hidden(task), window), UINT8_MAX);
}

/* bits[i]: its lowest 8 are the sample of window[i]. NARROW: windows are no larger than that. */
template <class Formula, bool NARROW, int N, class Task>
static __device__ __forceinline__ void find_bytes(const formula_floats &floats, const Task *task,
                                                  const byte_window (&window)[N],
                                                  uint32_t (&bits)[N])
{
    bool clear[N], all = true;
#pragma unroll
    for (int i = 0; i < N; i++) {
        clear[i] = Formula::template is_clear<NARROW>(floats, (uint32_t)task->constants.weight,
                                                      window[i], &bits[i]);
        all = all && clear[i];
    }
    if (all) {
        return;
    }
#pragma unroll
    for (int i = 0; i < N; i++) {
        if (!clear[i]) {
            bits[i] =
                compute_byte<Formula>(task, window[i].square, window[i].sum, window[i].centre);
        }
    }
}

/* Those of that formula; of others none. */
static inline formula_floats floats_of(int number, const formula_sums *constants,
                                       const void *options)
{
    switch (number) {
#define FORMULA_ENTRY(name, reads) \
    case FORMULA_##name:           \
        return byte_formula<FORMULA_##name>::floats_of(constants, options);
#include "../../filters/all.h"
#undef FORMULA_ENTRY
    default:
        return formula_floats();
    }
}

#endif
