/*
 * Results of windows of bytes and of samples of 16 bits, in CUDA C++: by the formula; and those of
 * the input's size by the terms (terms.h), unless these leave them open.
 */
#ifndef SATF_FORMULA_CLEAR_H
#define SATF_FORMULA_CLEAR_H

#include "formulas.h"
#include "reduction.h"
#include "terms.h"

/* A window's sums, and the sample at the pixel. Products of sums are below 2^64. */
typedef struct byte_window {
    uint64_t square;
    uint32_t sum, centre;
} byte_window;

/* W S2 - S^2 is at most (255 W / 2)^2: for windows of so many bytes at most 65535^2 < 2^32. */
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

/* An address that compilers know nothing about. Of a known one they load the contents ahead of a
 * function's call, which may be much. */
template <class T> static __device__ __forceinline__ const T *hidden(const T *at)
{
#ifdef __CUDA_ARCH__
    asm("" : "+l"(at));
#endif
    return at;
}

/* in: what all samples have in common; the window's numbers are added. */
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

/* What formulas read, by their numbers. */
#define FORMULA_ENTRY(name, reads) (reads),
inline constexpr unsigned reads_of_formula[FORMULA_COUNT] = {
    0,
#include "../../filters/all.h"
};
#undef FORMULA_ENTRY

/* Whether a formula has terms, and squares or not. */
template <unsigned READS, bool SQUARES>
constexpr bool reads_terms = (READS & FORMULA_TERMS) != 0 &&
                             ((READS & FORMULA_SQUARE) != 0) == SQUARES;

/* The formula of that number. Task: has the filter's options; constants: what all samples have in
 * common, with their weight; and the keys of the reduction, if there is one. */
template <int NUMBER> struct byte_formula;

#define FORMULA_ENTRY(name, all_reads)                                                   \
    template <> struct byte_formula<FORMULA_##name> {                                    \
        static constexpr unsigned reads = (all_reads);                                   \
        template <class Task>                                                            \
        static __device__ __forceinline__ formula_value value(const Task *task,          \
                                                              const byte_window &window) \
        {                                                                                \
            formula_sums in = task->constants;                                           \
            load_window(window, &in);                                                    \
            if constexpr (((all_reads)&FORMULA_FOUND) != 0) {                            \
                reduction_tell(task->reduction, &in);                                    \
            }                                                                            \
            formula_hide(reads, &in);                                                    \
            return FORMULA_APPLY(name, &in, task->options.bytes);                        \
        }                                                                                \
    };
#include "../../filters/all.h"
#undef FORMULA_ENTRY

/* The formula of that number, which has terms and reads squares or not, compiled in one place: it
 * is long, and seldom asked. max: the largest sample. */
template <bool SQUARES, class Task>
static __device__ __noinline__ uint32_t compute_sample(int number, const Task *task, uint32_t max,
                                                       uint64_t square, uint32_t sum,
                                                       uint32_t centre)
{
    byte_window window = {square, sum, centre};
    switch (number) {
#define FORMULA_ENTRY(name, reads)                                               \
    case FORMULA_##name:                                                         \
        if constexpr (reads_terms<(reads), SQUARES>) {                           \
            return (uint32_t)formula_saturated(                                  \
                byte_formula<FORMULA_##name>::value(hidden(task), window), max); \
        }                                                                        \
        break;
#include "../../filters/all.h"
#undef FORMULA_ENTRY
    default:
        break;
    }
    return 0;
}

/* A sample that roots in floats leave open: by terms if its window is alike, or by the formula. */
template <class Task>
static __device__ __noinline__ uint32_t find_open(const terms_floats *terms, int number,
                                                  const Task *task, uint64_t square, uint32_t sum,
                                                  uint32_t centre)
{
    uint32_t bits;
    bool clear = terms_alike(terms, (int32_t)sum, square, (int32_t)centre, &bits);
    return clear ? bits : compute_sample<true>(number, task, UINT8_MAX, square, sum, centre);
}

/*
 * The terms, from the keys, of a formula that reads what a reduction found: when the host made the
 * task, that was not known. The weight is 0 where terms do not serve.
 */
template <class Task>
static __device__ __noinline__ void find_terms(int number, const Task *task, terms_floats *found)
{
    terms_numbers numbers = task->terms;
    formula_sums common = task->constants;
    reduction_tell(task->reduction, &common);
    switch (number) {
#define FORMULA_ENTRY(name, reads)                                           \
    case FORMULA_##name:                                                     \
        if constexpr (((reads)&FORMULA_TERMS) && ((reads)&FORMULA_FOUND)) {  \
            filter_terms terms = name##_terms(task->options.bytes, &common); \
            if (numbers.weight != 0) {                                       \
                terms_say(&terms, numbers.weight, &numbers);                 \
            }                                                                \
        }                                                                    \
        break;
#include "../../filters/all.h"
#undef FORMULA_ENTRY
    default:
        break;
    }
    *found = terms_floats_of(&numbers);
}

template <bool NARROW>
static __device__ __forceinline__ float spread_of(const terms_floats &terms,
                                                  const byte_window &window)
{
    uint64_t spread = terms_spread(&terms, window.sum, window.square);
    return NARROW ? (float)(uint32_t)spread : float_of(spread);
}

/* The lowest 8 of bits[i] are what `value_of` or, if that leaves it open, the formula says. */
template <terms_kind KIND, int N, class Task, class Value>
static __device__ __forceinline__ void find_by(const terms_floats &terms, int number,
                                               const Task *task, const byte_window (&window)[N],
                                               uint32_t (&bits)[N], Value value_of)
{
    bool clear[N], all = true;
#pragma unroll
    for (int i = 0; i < N; i++) {
        float off, value = value_of(window[i], &off);
        clear[i] = KIND == TERMS_ROUNDED ? terms_rounded(&terms, value, off, &bits[i])
                                         : terms_above(&terms, value, off, &bits[i]);
        all = all && clear[i];
    }
    if (all) {
        return;
    }
#pragma unroll
    for (int i = 0; i < N; i++) {
        const byte_window &open = window[i];
        if (clear[i]) {
            continue;
        }
        if constexpr (KIND == TERMS_ABOVE_ROOTS) {
            bits[i] = find_open(hidden(&terms), number, task, open.square, open.sum, open.centre);
        } else {
            bits[i] = compute_sample<false>(number, task, UINT8_MAX, 0, open.sum, open.centre);
        }
    }
}

/* The samples of four windows without squares, of which few formulas leave any open. centres: a
 * byte each, like the results. */
template <terms_kind KIND, class Task>
static __device__ __noinline__ uint32_t find_four(const terms_floats *terms, int number,
                                                  const Task *task, uint4 sums, uint32_t centres)
{
    uint32_t sum[4] = {sums.x, sums.y, sums.z, sums.w}, results = 0;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        uint32_t p = byte_of(centres, i), bits;
        float off;
        float value = KIND == TERMS_ROUNDED && terms->over
                          ? terms_over(terms, (int32_t)sum[i], (int32_t)p, &off)
                          : terms_plain(terms, (int32_t)sum[i], (int32_t)p, &off);
        bool clear = KIND == TERMS_ROUNDED ? terms_rounded(terms, value, off, &bits)
                                           : terms_above(terms, value, off, &bits);
        if (!clear) {
            bits = compute_sample<false>(number, task, UINT8_MAX, 0, sum[i], p);
        }
        results |= (bits & UINT8_MAX) << (8 * i);
    }
    return results;
}

template <terms_kind KIND, int N, class Task>
static __device__ __forceinline__ void
find_by_fours(const terms_floats &terms, int number, const Task *task,
              const byte_window (&window)[N], uint32_t (&bits)[N])
{
#pragma unroll
    for (int k = 0; k < N; k += 4) {
        uint32_t centres = 0;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            centres |= window[k + i].centre << (8 * i);
        }
        uint4 sums =
            make_uint4(window[k].sum, window[k + 1].sum, window[k + 2].sum, window[k + 3].sum);
        uint32_t results = find_four<KIND>(hidden(&terms), number, task, sums, centres);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            bits[k + i] = byte_of(results, i);
        }
    }
}

/* The lowest 8 of bits[i] are the sample of window[i]. NARROW: windows have at most NARROW_WINDOW
 * bytes. MANY: the code is compiled so often that rare cases are called, not inlined. */
template <terms_kind KIND, bool NARROW, bool MANY, int N, class Task>
static __device__ __forceinline__ void find_bytes(const terms_floats &terms, int number,
                                                  const Task *task, const byte_window (&window)[N],
                                                  uint32_t (&bits)[N])
{
#define OF(one) &terms, (int32_t)(one).sum, (int32_t)(one).centre
    if constexpr (KIND == TERMS_ABOVE_ROOTS) {
        find_by<KIND>(terms, number, task, window, bits, [&](const byte_window &one, float *off) {
            return terms_roots(OF(one), spread_of<NARROW>(terms, one), off);
        });
    } else if (terms.tells) {
#pragma unroll
        for (int i = 0; i < N; i++) {
            bits[i] = KIND == TERMS_ROUNDED ? terms_told_rounded(OF(window[i]))
                                            : terms_told_above(OF(window[i]));
        }
    } else if (MANY || (KIND == TERMS_ROUNDED && terms.over)) {
        find_by_fours<KIND>(terms, number, task, window, bits);
    } else {
        find_by<KIND>(terms, number, task, window, bits, [&](const byte_window &one, float *off) {
            return terms_plain(OF(one), off);
        });
    }
#undef OF
}

/* A sample of 16 bits. */
template <class Task>
static __device__ __noinline__ uint32_t find_open_word(int number, const Task *task, uint32_t sum,
                                                       uint32_t centre)
{
    uint32_t bits;
    bool clear = terms_word(&task->terms, (int32_t)sum, (int32_t)centre, &bits);
    return clear ? bits : compute_sample<false>(number, task, UINT16_MAX, 0, sum, centre);
}

template <class Task>
static __device__ __forceinline__ uint32_t find_word(int number, const Task *task, uint32_t sum,
                                                     uint32_t centre)
{
    return task->terms.tells ? terms_told_word(&task->terms, (int32_t)sum, (int32_t)centre)
                             : find_open_word(number, hidden(task), sum, centre);
}

#endif
