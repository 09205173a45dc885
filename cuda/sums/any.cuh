/*
 * The filters' formulas in kernels: what they read, which have kernels of their own, and a result
 * from the moments of a pixel's region. Read this file first, then corners.cu for tables and
 * march.cu for windows without one.
 */
#ifndef CUDA_SUMS_ANY_CUH
#define CUDA_SUMS_ANY_CUH

#include <type_traits>

#include "corners.cuh"

#include "../../src/formula/grey.h"
#include "../formula/keys.cuh"

/* Takes the place of a type of squares where the formula wants none. */
struct no_squares {
};

template <class Square> constexpr bool has_squares = !std::is_same<Square, no_squares>::value;

static __device__ inline void load_square(formula_sums *, no_squares)
{
}

static __device__ inline void load_sum(formula_sums *in, double sum)
{
    in->real_sum = sum;
}

static __device__ inline void load_square(formula_sums *in, double square)
{
    in->real_square = square;
}

template <class Sum> static __device__ inline void load_sum(formula_sums *in, Sum sum)
{
    in->sum = sum;
}

template <class Sum> static __device__ inline void load_square(formula_sums *in, Sum square)
{
    in->square = square;
}

/* Sets the weight of a channel, here the sum of alphas. */
static __device__ inline void load_weight(formula_sums *in, double alpha)
{
    in->real_weight = alpha;
}

template <class Sum> static __device__ inline void load_weight(formula_sums *in, Sum alpha)
{
    in->weight = (uint64_t)alpha;
}

static __host__ __device__ inline int sample_bytes(int type)
{
    return type == SATF_U8                        ? 1
           : type == SATF_U16                     ? 2
           : type == SATF_U32 || type == SATF_F32 ? 4
                                                  : 8;
}

/* A sample: by one load where it is aligned, else byte by byte. */
template <class T> static __device__ inline double load_one(const char *from)
{
    T sample;
    if (((uintptr_t)from & (sizeof sample - 1)) == 0) {
        sample = *(const T *)from;
    } else {
        memcpy(&sample, from, sizeof sample);
    }
    return (double)sample;
}

/* A sample of u8, u16, f32 or f64 at any address. */
static __device__ inline double load_sample(int type, const char *from)
{
    return type == SATF_U8    ? (double)(uint8_t)*from
           : type == SATF_U16 ? load_one<uint16_t>(from)
           : type == SATF_F32 ? load_one<float>(from)
                              : load_one<double>(from);
}

/* The same, byte by byte. For callers that load aligned samples by themselves: compilers make loads
 * of bytes for both cases of load_one(). */
static __device__ inline double load_bytes(int type, const char *from)
{
    int bytes = sample_bytes(type);
    uint64_t bits = 0;
#pragma unroll 1
    for (int i = 0; i < bytes; i++) {
        bits |= (uint64_t)(uint8_t)from[i] << (8 * i);
    }
    return type == SATF_F32   ? (double)__uint_as_float((uint32_t)bits)
           : type == SATF_F64 ? __longlong_as_double((int64_t)bits)
                              : (double)bits;
}

/* What kernels are instantiated with: the formula that a pass's `kernel` names (known_mean ...),
 * one by its number (formula_beside), those that have terms, or any. */
struct known_mean {
    static constexpr bool has_sum = true, has_centre = false, has_aux = false;
    static __device__ formula_value apply(const filter_gpu_task *, const formula_sums *in)
    {
        return formula_mean(in);
    }
};

struct known_variance {
    static constexpr bool has_sum = true, has_centre = false, has_aux = false;
    static __device__ formula_value apply(const filter_gpu_task *, const formula_sums *in)
    {
        return formula_real(formula_variance(in));
    }
};

struct known_stddev {
    static constexpr bool has_sum = true, has_centre = false, has_aux = false;
    static __device__ formula_value apply(const filter_gpu_task *, const formula_sums *in)
    {
        return formula_real(sqrt(formula_variance(in)));
    }
};

/* The task's formula, of those for which OF<reads> holds. */
#define APPLY_ONE_OF(OF, entry_name, entry_reads)                      \
    case FORMULA_##entry_name:                                         \
        if constexpr (OF<(entry_reads)>) {                             \
            return FORMULA_APPLY(entry_name, in, task->options.bytes); \
        }                                                              \
        break;

template <unsigned READS> constexpr bool reads_luma = (READS & FORMULA_LUMA) != 0;
template <unsigned READS> constexpr bool reads_sums = (READS & (FORMULA_SUM | FORMULA_SQUARE)) != 0;

/* Any formula that reads the luma's moments. */
struct known_luma {
    static constexpr bool has_sum = true, has_centre = true, has_aux = false;
    static __device__ formula_value apply(const filter_gpu_task *task, const formula_sums *in)
    {
        switch (task->formula) {
#define FORMULA_ENTRY(name, reads) APPLY_ONE_OF(reads_luma, name, reads)
#include "../../filters/all.h"
#undef FORMULA_ENTRY
        default:
            break;
        }
        return formula_real(0);
    }
};

/* Any formula that has terms, of one channel of bytes. FOUND: and reads what a reduction found. */
template <terms_kind KIND, bool FOUND = false> struct known_terms {
    static constexpr terms_kind kind = KIND;
    static constexpr bool reads_found = FOUND;
    static constexpr bool has_sum = true, has_centre = true, has_aux = false, has_terms = true;
    static __device__ __noinline__ formula_value apply(const filter_gpu_task *task,
                                                       const formula_sums *in)
    {
        switch (task->formula) {
#define FORMULA_ENTRY(name, reads)                                       \
    case FORMULA_##name:                                                 \
        if constexpr (reads_terms<(reads), KIND == TERMS_ABOVE_ROOTS> && \
                      (((reads)&FORMULA_FOUND) != 0) == FOUND) {         \
            return FORMULA_APPLY(name, in, task->options.bytes);         \
        }                                                                \
        break;
#include "../../filters/all.h"
#undef FORMULA_ENTRY
        default:
            break;
        }
        return formula_real(0);
    }
};
template <class Formula, class = void> constexpr bool reads_found = false;
template <class Formula>
constexpr bool reads_found<Formula, std::enable_if_t<Formula::reads_found>> = true;

template <class Formula, class = void> constexpr bool is_terms = false;
template <class Formula>
constexpr bool is_terms<Formula, std::enable_if_t<Formula::has_terms>> = true;

/* A reduction of windows, by any formula that grows with W S2 - S^2. */
struct known_reduction {
    static constexpr bool has_sum = true, has_centre = true, has_aux = false;
};
template <class Formula>
constexpr bool is_reduction = std::is_same<Formula, known_reduction>::value;

/* A formula that reads other images, and no centre, by its number. */
template <int NUMBER> struct formula_beside {
};
#define FORMULA_ENTRY(name, reads)                                                                 \
    template <> struct formula_beside<FORMULA_##name> {                                            \
        static constexpr bool has_sum = true, has_centre = false, has_aux = true;                  \
        static constexpr bool has_aux_too = ((reads)&FORMULA_AUX_TOO) != 0;                        \
        static __device__ formula_value apply(const filter_gpu_task *task, const formula_sums *in) \
        {                                                                                          \
            return FORMULA_APPLY(name, in, task->options.bytes);                                   \
        }                                                                                          \
    };
#include "../../filters/all.h"
#undef FORMULA_ENTRY

/* The same formula, but its first auxiliary sample is the value of the task's inline pass. */
template <int NUMBER> struct formula_with_inline : formula_beside<NUMBER> {
    static constexpr bool has_inline = true;
};
template <class Formula, class = void> constexpr bool has_inline = false;
template <class Formula>
constexpr bool has_inline<Formula, std::enable_if_t<Formula::has_inline>> = true;

/* Whether a formula that reads so much has a kernel of its own: alone, and with an inline pass. */
template <unsigned READS, class T, class Square>
constexpr bool is_beside =
    !has_squares<Square> && std::is_integral<T>::value && (READS & FORMULA_OFTEN_BESIDE) != 0;
template <unsigned READS, class T, class Square>
constexpr bool may_have_inline =
    !has_squares<Square> && !std::is_integral<T>::value && (READS & FORMULA_OFTEN_INLINES) != 0;

/* The value of the task's inline pass from this sum and this auxiliary sample. in: the rest of that
 * pass's inputs. */
static __device__ __forceinline__ double inline_value(const filter_gpu_task *task, formula_sums *in,
                                                      double sum, double sample)
{
    load_sum(in, sum);
    in->aux[0] = sample;
    switch (task->inline_formula) {
#define FORMULA_ENTRY(name, reads)                                                \
    case FORMULA_##name:                                                          \
        if constexpr (((reads)&FORMULA_INLINED) != 0) {                           \
            return formula_number_of(                                             \
                name##_formula(in, (const name##_options *)task->options.bytes)); \
        }                                                                         \
        break;
#include "../../filters/all.h"
#undef FORMULA_ENTRY
    default:
        break;
    }
    return 0;
}

template <class Formula, class = void> constexpr bool reads_aux = false;
template <class Formula>
constexpr bool reads_aux<Formula, std::enable_if_t<Formula::has_aux>> = true;

/* Any formula that reads other images, or any that does not. All in one kernel that has barriers
 * would need more convergence barriers than ptxas 13.0 has (tests/gpu/barriers.sh). */
template <bool AUX> struct any_of {
};
typedef any_of<false> any_formula;
typedef any_of<true> any_aux;
template <class Formula>
constexpr bool is_any =
    std::is_same<Formula, any_formula>::value || std::is_same<Formula, any_aux>::value;

template <unsigned READS> using any_for = any_of<(READS & (FORMULA_AUX | FORMULA_AUX_TOO)) != 0>;

/* Whether a kernel of any formula, with squares or without, takes one that reads this. Formulas of
 * luma, and of pixels alone, have other kernels. */
template <unsigned READS, class Formula, class Square>
constexpr bool is_formula_for = !reads_luma<READS> && reads_sums<READS> &&
                                has_squares<Square> == ((READS & FORMULA_SQUARE) != 0) &&
                                std::is_same<Formula, any_for<READS>>::value;

/* The place of the first of several results' samples. */
typedef struct sample_place {
    int64_t x, y;
    int c;
    int down; /* rows from one result to the next; 0: they are side by side */
} sample_place;

/* Loads what the formula reads of other images for result i. */
template <unsigned READS>
static __device__ inline void load_aux(const filter_gpu_task *task, const sample_place *at, int i,
                                       formula_sums *in)
{
    for (int k = 0; k < 2 && at; k++) {
        const satf_view *aux = &task->aux[k];
        if ((READS & (k == 0 ? FORMULA_AUX : FORMULA_AUX_TOO)) && aux->data) {
            int64_t x = at->x + (at->down ? 0 : i), y = at->y + i * at->down;
            const char *from = (const char *)aux->data + y * aux->stride +
                               (x * aux->channels + at->c) * sample_bytes(aux->type);
            in->aux[k] = load_sample(aux->type, from);
        }
    }
}

/* The task's formula. Behind the switch, and not in its cases, stands what all formulas share: see
 * "What compilers make of large kernels" in docs/notebook/filters-and-moves.md. */
template <class Formula, int N, class Sum, class Square>
static __device__ __forceinline__ void
apply_any(const filter_gpu_task *task, formula_sums *in, const Sum *sum, const Square *square,
          const char *from, int64_t step, const sample_place *at, formula_value (&value)[N])
{
#pragma unroll
    for (int i = 0; i < N; i++) {
        value[i] = formula_real(0);
    }
    switch (task->formula) {
#define FORMULA_ENTRY(name, reads)                                                          \
    case FORMULA_##name:                                                                    \
        if constexpr (is_formula_for<(reads), Formula, Square>) {                           \
            _Pragma("unroll") for (int i = 0; i < N; i++)                                   \
            {                                                                               \
                if constexpr (((reads)&FORMULA_SUM) != 0) {                                 \
                    load_sum(in, sum[i]);                                                   \
                }                                                                           \
                load_square(in, square[i]);                                                 \
                if constexpr (((reads)&FORMULA_CENTRE) != 0) {                              \
                    in->centre = load_sample(task->in.type, from + i * step);               \
                }                                                                           \
                load_aux<(reads)>(task, at, i, in);                                         \
                value[i] = name##_formula(in, (const name##_options *)task->options.bytes); \
            }                                                                               \
        }                                                                                   \
        break;
#include "../../filters/all.h"
#undef FORMULA_ENTRY
    default:
        break;
    }
#pragma unroll
    for (int i = 0; i < N; i++) {
        value[i] = formula_within(in, value[i]);
    }
}

/* value[i] = the result of Formula, or of the task's, from `in`, sum[i], square[i] and the centre
 * at from + i * step. at: the first result's place; NULL: nothing of other images is read. */
template <class Formula, int N, class Sum, class Square>
static __device__ __forceinline__ void
apply_formula(const filter_gpu_task *task, formula_sums *in, const Sum *sum, const Square *square,
              const char *from, int64_t step, const sample_place *at, formula_value (&value)[N])
{
    if constexpr (!is_any<Formula>) {
#pragma unroll
        for (int i = 0; i < N; i++) {
            if constexpr (Formula::has_sum) {
                load_sum(in, sum[i]);
            }
            load_square(in, square[i]);
            if constexpr (Formula::has_centre) {
                in->centre = load_sample(task->in.type, from + i * step);
            }
            if constexpr (Formula::has_aux) {
                load_aux<FORMULA_AUX | FORMULA_AUX_TOO>(task, at, i, in);
            }
            value[i] = Formula::apply(task, in);
        }
    } else {
        apply_any<Formula, N>(task, in, sum, square, from, step, at, value);
    }
}

/* A result as a sample of that type, at its alignment. */
static __device__ inline void store_aligned(int type, formula_value value, char *to)
{
    uint64_t sample = 0;
    formula_store(type, value, &sample);
    switch (type) {
    case SATF_U8:
        *to = (char)sample;
        break;
    case SATF_U16:
        *(uint16_t *)to = (uint16_t)sample;
        break;
    case SATF_U32:
    case SATF_F32:
        *(uint32_t *)to = (uint32_t)sample;
        break;
    default:
        *(uint64_t *)to = sample;
    }
}

/* Whether the view's samples lie at multiples of their size. */
static __host__ __device__ inline bool is_aligned(const satf_view *view)
{
    uintptr_t size = (uintptr_t)sample_bytes(view->type);
    return (((uintptr_t)view->data | (uintptr_t)view->stride) & (size - 1)) == 0;
}

static __device__ inline void store_at(int type, bool aligned, formula_value value, char *to)
{
    if (aligned) {
        store_aligned(type, value, to);
    } else {
        formula_store(type, value, to);
    }
}

static __device__ inline void store(const satf_view *out, int64_t x, int64_t y, int c, bool aligned,
                                    formula_value value)
{
    char *to =
        (char *)out->data + y * out->stride + (x * out->channels + c) * sample_bytes(out->type);
    store_at(out->type, aligned, value, to);
}

/* Hands the formula what a reduction before this pass has found. */
template <class Formula>
static __device__ inline void hear_reduction(const filter_gpu_task *task, formula_sums *in)
{
    if ((is_any<Formula> || reads_found<Formula>)&&task->reduction && !task->reduces) {
        reduction_tell(task->reduction, in);
    }
}

/* Whether sums of these types are those of samples less a shift. */
template <class Sum, class Square>
constexpr bool is_shifted = has_squares<Square> &&std::is_same<Sum, double>::value;

/* The shift of the channel's samples, or 0: a constant where sums have none. */
template <class Sum, class Square>
static __device__ inline double table_shift(const filter_gpu_task *task, int c)
{
    if constexpr (is_shifted<Sum, Square>) {
        return task->shifts ? task->shifts[c] : 0;
    }
    return 0;
}

/* The luma's moments over a rectangle, and at the pixel whose first sample is at `pixel`. */
typedef struct luma_moments {
    double sum, sample;
} luma_moments;

template <class Moments>
static __device__ inline luma_moments read_luma(const filter_gpu_task *task, const Moments &of,
                                                const char *pixel)
{
    formula_sums in = {};
    double sums[3], samples[3];
    int bytes = sample_bytes(task->in.type);
    in.real = (typename Moments::sum_type)0.5 != 0;
#pragma unroll
    for (int c = 0; c < 3; c++) {
        load_sum(&in, of.sum(c));
        sums[c] = formula_sum(&in);
        samples[c] = load_sample(task->in.type, pixel + c * bytes);
    }
    luma_moments luma = {grey_luma(in.real, sums[0], sums[1], sums[2]),
                         grey_luma(in.real, samples[0], samples[1], samples[2])};
    return luma;
}

/* The weight of a region: its pixels, or the sum of their alphas. */
template <class Sum>
static __device__ inline void load_region_weight(const filter_gpu_task *task, const region *r,
                                                 bool by_alpha, formula_sums *in)
{
    int64_t area = task->border == SATF_BORDER_SHRINK ? r->covered : r->area;
    in->weight = (uint64_t)area;
    in->real_weight = (double)area;
    if (by_alpha) {
        load_weight(in, region_sum<Sum>(task, &task->layers[0], r, task->in.channels - 1));
    }
}

/* The moments of a region's channels, from tables. */
template <class Sum, class Square> struct region_moments {
    static constexpr bool weighs = true; /* may be weighted */
    typedef Sum sum_type;
    typedef Square square_type;
    const filter_gpu_task *task;
    const region *r;

    __device__ Sum sum(int c) const
    {
        return region_sum<Sum>(task, &task->layers[0], r, c);
    }

    __device__ Square square(int c) const
    {
        if constexpr (has_squares<Square>) {
            return region_sum<Square>(task, &task->layers[1], r, c);
        }
        return Square();
    }

    __device__ double shift(int c) const
    {
        return table_shift<Sum, Square>(task, c);
    }

    __device__ void load_weight(int c, formula_sums *in) const
    {
        load_region_weight<Sum>(task, r, task->weighted && c + 1 < task->in.channels, in);
    }
};

/* The result of a channel of the pixel at (x, y). factor: the rectangle's weight; before: the
 * result of the rectangles before it; of: a struct like region_moments. */
template <class Formula, class Moments>
static __device__ inline formula_value apply(const filter_gpu_task *task, double factor,
                                             const Moments &of, int c, int64_t x, int64_t y,
                                             double before)
{
    typedef typename Moments::sum_type Sum;
    formula_sums in = task->constants;
    hear_reduction<Formula>(task, &in);
    in.real = (Sum)0.5 != 0; /* Sum is double */
    in.words = sizeof(Sum) == 4 ? FORMULA_WORD : FORMULA_WIDE;
    bool weighted = Moments::weighs && task->weighted;
    bool by_alpha = weighted && c + 1 < task->in.channels;
    of.load_weight(c, &in);
    double weight = in.real ? in.real_weight : (double)in.weight;
    in.inverse = weight != 0 ? 1 / weight : 0;
    Sum sum = of.sum(c);
    typename Moments::square_type square = of.square(c);
    in.shift = of.shift(c);
    in.factor = factor;
    in.before = before;
    const char *from = (const char *)task->in.data + y * task->in.stride +
                       (x * task->in.channels + c) * sample_bytes(task->in.type);
    if (weighted && !by_alpha) {
        load_sum(&in, sum);
        return task->keeps_alpha ? formula_real(load_sample(task->in.type, from) * in.times)
                                 : formula_mean(&in);
    }
    if constexpr (std::is_same<Formula, known_luma>::value) {
        luma_moments luma = read_luma(task, of, from - c * sample_bytes(task->in.type));
        in.luma_sum = luma.sum;
        in.luma = luma.sample;
    }
    formula_value result[1];
    sample_place at = {x, y, c};
    apply_formula<Formula, 1>(task, &in, &sum, &square, from, 0, &at, result);
    return result[0];
}

#endif
