/* The epilogue of marches: the sums of MARCH neighbouring windows become results. */
#ifndef CUDA_SUMS_MARCH_EPILOGUE_CUH
#define CUDA_SUMS_MARCH_EPILOGUE_CUH

#include "inner.cuh"
#include "march_sums.cuh"

#include "../../src/sums/choice/keys.h"

/* The mean of samples of T, and a key that tells how much the window varies. */
template <class T> struct known_choice : known_mean {
    typedef T choice;
};
template <class Formula, class = void> constexpr bool is_choice = false;
template <class Formula>
constexpr bool is_choice<Formula, std::void_t<typename Formula::choice>> = true;

/* The type of samples that are stored in groups. */
template <int TYPE> struct march_sample;
template <> struct march_sample<SATF_U8> {
    typedef uint8_t type;
};
template <> struct march_sample<SATF_U16> {
    typedef uint16_t type;
};
template <> struct march_sample<SATF_F32> {
    typedef float type;
};
template <> struct march_sample<SATF_F64> {
    typedef double type;
};

/* The formula's inputs that all results of a type share, their weight included. Made where they are
 * used, since they take many registers. */
template <class Sum>
static __device__ __forceinline__ formula_sums march_common(const filter_gpu_task &task, int type)
{
    formula_sums in = task.constants;
    in.real = (Sum)0.5 != 0;
    in.words = sizeof(Sum) == 4 ? FORMULA_WORD : FORMULA_WIDE;
    in.rounded = type != SATF_F32 && type != SATF_F64;
    in.shift = 0; /* formulas with kernels of their own do without */
    in.factor = 1;
    return in;
}

/* Pixels of the image that a window along an axis covers. */
static __device__ __forceinline__ int64_t march_covers(const march_axis &axis, int64_t at,
                                                       int64_t n)
{
    int64_t begin = at + axis.first, end = begin + axis.length;
    return max((int64_t)0, min(end, n) - max(begin, (int64_t)0));
}

/* Under border shrink windows differ in area. */
static __device__ __forceinline__ void march_set_weight(const filter_gpu_task &task,
                                                        const march_plan &plan, int x, int y,
                                                        formula_sums *in)
{
    if (task.border == SATF_BORDER_SHRINK) {
        formula_set_weight(in, (uint64_t)(march_covers(plan.across, x, task.in.width) *
                                          march_covers(plan.down, y, task.in.height)));
    }
}

/* MARCH samples. They lie side by side where `step` is their size, and begin where a vector may. */
template <class T>
static __device__ __forceinline__ void load_group(const char *from, int64_t step, T (&all)[MARCH])
{
    constexpr int BYTES = MARCH * (int)sizeof(T), EACH = BYTES < 16 ? BYTES : 16;
    __align__(16) T group[MARCH];
    if (step == (int)sizeof(T) && ((uintptr_t)from & (EACH - 1)) == 0) {
#pragma unroll
        for (int k = 0; k < BYTES / EACH; k++) {
            if constexpr (EACH == 8) {
                *(uint2 *)group = __ldg((const uint2 *)from);
            } else {
                ((uint4 *)group)[k] = __ldg((const uint4 *)from + k);
            }
        }
    } else {
#pragma unroll
        for (int i = 0; i < MARCH; i++) {
            group[i] = __ldg((const T *)(from + i * step));
        }
    }
#pragma unroll
    for (int i = 0; i < MARCH; i++) {
        all[i] = group[i];
    }
}

/* Turns the sums of MARCH pixels of a channel into their samples. */
template <class Formula, class Sum, class Square> struct march_epilogue {
    static constexpr bool SHIFTED = is_shifted<Sum, Square>;
    typedef moments<Sum, Square> both;
    const filter_gpu_task &task;
    const march_plan &plan;
    bool aligned; /* results, to their size */
    bool packed;  /* they are side by side, groups of them at multiples of 16 or 8 bytes */
    const terms_floats *found; /* of a formula that reads what a reduction found */

    __device__ march_epilogue(const filter_gpu_task &of, const march_plan &by) : task(of), plan(by)
    {
        uintptr_t low = (uintptr_t)task.out.data | (uintptr_t)task.out.stride;
        int bytes = sample_bytes(task.out.type), group = min(MARCH * bytes, 16);
        aligned = (low & (bytes - 1)) == 0;
        packed = (low & (group - 1)) == 0 && task.out.channels == 1;
        if constexpr (reads_found<Formula>) { /* ready before the block's first barrier */
            __shared__ terms_floats made;
            if (threadIdx.x == 0) {
                find_terms(task.formula, &task, &made);
            }
            found = &made;
        }
    }

    /* Those of the plan are not read by an address, so they stay operands of instructions. */
    __device__ __forceinline__ const terms_floats &terms() const
    {
        if constexpr (reads_found<Formula>) {
            return *found;
        } else {
            return plan.terms;
        }
    }

    __device__ __forceinline__ formula_sums common(int type) const
    {
        formula_sums in = march_common<Sum>(task, type);
        hear_reduction<Formula>(&task, &in);
        return in;
    }

    __device__ __forceinline__ void put(const formula_value &value, char *to) const
    {
        if (aligned) {
            store_aligned(task.out.type, value, to);
        } else {
            formula_store(task.out.type, value, to);
        }
    }

    /* A result by itself: at the right edge, where areas differ, where results are unaligned. */
    __device__ __forceinline__ void do_one(int x, int y, int channel, double shift,
                                           const both &window, const both &inline_windows) const
    {
        formula_sums in = common(task.out.type);
        if constexpr (SHIFTED) {
            in.shift = shift;
        }
        sample_place at = {x, y, channel};
        const char *from = (const char *)task.in.data + y * task.in.stride +
                           (at.x * task.in.channels + channel) * sample_bytes(task.in.type);
        march_set_weight(task, plan, x, y, &in);
        Square square = Square();
        if constexpr (has_squares<Square>) {
            square = window.square;
        }
        if constexpr (has_inline<Formula>) {
            formula_sums of = in;
            const satf_view &aux = task.inline_aux;
            const char *beside = (const char *)aux.data + y * aux.stride +
                                 (at.x * aux.channels + channel) * sample_bytes(aux.type);
            of.rounded = false;
            in.aux[0] = inline_value(&task, &of, inline_windows.sum, load_sample(aux.type, beside));
        }
        formula_value value[1];
        apply_formula<Formula, 1>(&task, &in, &window.sum, &square, from, 0, &at, value);
        put(value[0], (char *)task.out.data + y * task.out.stride +
                          (at.x * task.out.channels + channel) * sample_bytes(task.out.type));
    }

    /* `count` results by themselves. The windows are in local memory: registers have no index. */
    __device__ __noinline__ void do_some(int x, int y, int channel, int count,
                                         march_shifts<SHIFTED> shifts, const both *window,
                                         const both *inline_windows) const
    {
#pragma unroll 1
        for (int i = 0; i < count; i++) {
            do_one(x + i, y, channel, shifts.at(i), window[i], inline_windows[i]);
        }
    }

    /* Results of bytes from bytes, by floats wherever these decide (find_bytes()). */
    __device__ __forceinline__ void do_bytes(const uint8_t *from, const both (&window)[MARCH],
                                             uint8_t (&result)[MARCH]) const
    {
        uint8_t centre[MARCH] = {0};
        if constexpr (Formula::has_centre) {
            load_group((const char *)from, 1, centre);
        }
        byte_window all[MARCH];
        uint32_t bits[MARCH];
#pragma unroll
        for (int i = 0; i < MARCH; i++) {
            all[i] = {0, (uint32_t)window[i].sum, centre[i]};
            if constexpr (has_squares<Square>) {
                all[i].square = window[i].square;
            }
        }
        find_bytes<Formula::kind, false, false>(terms(), task.formula, &task, all, bits);
#pragma unroll
        for (int i = 0; i < MARCH; i++) {
            result[i] = (uint8_t)bits[i];
        }
    }

    template <class T>
    static __device__ __forceinline__ void load_those(const char *from, int64_t step,
                                                      double (&sample)[MARCH])
    {
        T all[MARCH];
        load_group(from, step, all);
#pragma unroll
        for (int i = 0; i < MARCH; i++) {
            sample[i] = (double)all[i];
        }
    }

    /* MARCH samples of another image. */
    static __device__ __forceinline__ void load_beside(const satf_view &aux, int x, int y,
                                                       int channel, double (&sample)[MARCH])
    {
        int bytes = sample_bytes(aux.type);
        int64_t step = aux.channels * (int64_t)bytes;
        const char *from = (const char *)aux.data + y * aux.stride + x * step + channel * bytes;
        bool aligned = (((uintptr_t)aux.data | (uintptr_t)aux.stride) & (bytes - 1)) == 0;
        if (aux.type == SATF_U8) {
            load_those<uint8_t>(from, step, sample);
        } else if (aux.type == SATF_F32 && aligned) {
            load_those<float>(from, step, sample);
        } else if (aux.type == SATF_F64 && aligned) {
            load_those<double>(from, step, sample);
        } else {
#pragma unroll 1
            for (int i = 0; i < MARCH; i++) {
                double one = load_sample(aux.type, from + i * step);
#pragma unroll
                for (int k = 0; k < MARCH; k++) {
                    sample[k] = k == i ? one : sample[k];
                }
            }
        }
    }

    /* The results of a formula that reads samples of other images at the pixels. */
    template <class T>
    __device__ __forceinline__ void
    do_beside(int type, int x, int y, int channel, const both (&window)[MARCH],
              const both (&inline_windows)[MARCH], T (&result)[MARCH]) const
    {
        formula_sums in = common(type);
        double first[MARCH], other[MARCH];
        load_beside(has_inline<Formula> ? task.inline_aux : task.aux[0], x, y, channel, first);
        if constexpr (has_inline<Formula>) {
            formula_sums of = common(SATF_F64);
#pragma unroll
            for (int i = 0; i < MARCH; i++) {
                first[i] = inline_value(&task, &of, inline_windows[i].sum, first[i]);
            }
        }
        if constexpr (Formula::has_aux_too) {
            load_beside(task.aux[1], x, y, channel, other);
        }
#pragma unroll
        for (int i = 0; i < MARCH; i++) {
            load_sum(&in, window[i].sum);
            in.aux[0] = first[i];
            if constexpr (Formula::has_aux_too) {
                in.aux[1] = other[i];
            }
            formula_store(type, Formula::apply(&task, &in), &result[i]);
        }
    }

    /* MARCH results of one type. from: the image's samples at their pixels. */
    template <int TYPE>
    __device__ __forceinline__ void do_group(int x, int y, int channel, const char *from, char *to,
                                             int64_t step, const both (&window)[MARCH],
                                             const both (&inline_windows)[MARCH]) const
    {
        typedef typename march_sample<TYPE>::type sample;
        __align__(16) sample result[MARCH];
        bool by_magic = false;
        if constexpr (inner_by_magic<Formula, Sum, Square, TYPE>) {
            by_magic = plan.magic.multiplier != 0;
#pragma unroll
            for (int i = 0; i < MARCH && by_magic; i++) {
                uint32_t sum = window[i].sum + plan.magic.bias;
                uint32_t mean = __umulhi(sum, plan.magic.multiplier) >> plan.magic.shift;
                result[i] = (sample)min(mean, (uint32_t)(sample)~0u);
            }
        }
        if constexpr (is_terms<Formula> && TYPE == SATF_U8) {
            do_bytes((const uint8_t *)from, window, result);
        } else if constexpr (reads_aux<Formula>) {
            do_beside(TYPE, x, y, channel, window, inline_windows, result);
        } else if (!by_magic) {
            formula_sums in = common(TYPE);
            uint8_t centre[MARCH];
            if constexpr (Formula::has_centre) {
                load_group(from, 1, centre);
            }
#pragma unroll
            for (int i = 0; i < MARCH; i++) {
                if constexpr (Formula::has_sum) {
                    load_sum(&in, window[i].sum);
                }
                if constexpr (has_squares<Square>) {
                    load_square(&in, window[i].square);
                }
                if constexpr (Formula::has_centre) {
                    in.centre = (double)centre[i];
                }
                formula_store(TYPE, Formula::apply(&task, &in), &result[i]);
            }
        }
        constexpr int BYTES = MARCH * (int)sizeof(sample);
        if (!packed) {
#pragma unroll
            for (int i = 0; i < MARCH; i++, to += step) {
                *(sample *)to = result[i];
            }
        } else if constexpr (BYTES == 8) {
            __stcs((uint2 *)to, *(const uint2 *)result);
        } else {
#pragma unroll
            for (int k = 0; k < BYTES / 16; k++) {
                __stcs((uint4 *)to + k, ((const uint4 *)result)[k]);
            }
        }
    }

    /* A whole group by any formula, SOME results at a time. */
    __device__ __forceinline__ void do_formula(int x, int y, int channel,
                                               const march_shifts<SHIFTED> &shifts,
                                               const both (&window)[MARCH]) const
    {
        constexpr int SOME = sizeof(both) > 8 && (Sum)0.5 != 0 ? 1 : 2; /* what registers hold */
        formula_sums in = common(task.out.type);
        int64_t bytes = sample_bytes(task.in.type), to_bytes = sample_bytes(task.out.type);
        int64_t step = task.in.channels * bytes, to_step = task.out.channels * to_bytes;
        const char *from =
            (const char *)task.in.data + y * task.in.stride + x * step + channel * bytes;
        char *to = (char *)task.out.data + y * task.out.stride + x * to_step + channel * to_bytes;
#pragma unroll
        for (int k = 0; k < MARCH; k += SOME) {
            Sum sum[SOME];
            Square square[SOME];
#pragma unroll
            for (int i = 0; i < SOME; i++) {
                sum[i] = window[k + i].sum;
                if constexpr (has_squares<Square>) {
                    square[i] = window[k + i].square;
                }
            }
            sample_place at = {x + k, y, channel};
            formula_value value[SOME];
            if constexpr (SHIFTED) {
                in.shift = shifts.at(k); /* SOME is 1 */
            }
            apply_formula<Formula, SOME>(&task, &in, sum, square, from + k * step, step, &at,
                                         value);
#pragma unroll
            for (int i = 0; i < SOME; i++) {
                put(value[i], to + (k + i) * to_step);
            }
        }
    }

    template <class T>
    static __device__ __forceinline__ void
    store_those(const satf_view &to, int x, int y, int channel, int count, const T (&value)[MARCH])
    {
        T *at = (T *)((char *)to.data + y * to.stride) + x * to.channels + channel;
        constexpr int BYTES = MARCH * (int)sizeof(T), EACH = BYTES < 16 ? BYTES : 16;
        if (to.channels > 1 || count < MARCH) {
#pragma unroll
            for (int i = 0; i < MARCH; i++) {
                if (i < count) {
                    at[i * to.channels] = value[i];
                }
            }
        } else if constexpr (EACH == 8) {
            *(uint2 *)at = *(const uint2 *)value;
        } else {
#pragma unroll
            for (int k = 0; k < BYTES / EACH; k++) {
                ((uint4 *)at)[k] = ((const uint4 *)value)[k];
            }
        }
    }

    /* Means and keys. Their images and rows begin at multiples of 64 bytes. */
    __device__ __forceinline__ void store_choice(int x, int y, int channel, int count,
                                                 const both (&window)[MARCH]) const
    {
        typedef typename Formula::choice sample;
        uint32_t area = (uint32_t)(plan.across.length * plan.down.length);
        __align__(16) sample mean[MARCH];
        __align__(16) uint64_t key[MARCH];
        __align__(16) uint32_t low[MARCH];
#pragma unroll
        for (int i = 0; i < MARCH; i++) {
            uint64_t sum = window[i].sum;
            uint32_t dividend = window[i].sum + plan.magic.bias;
            mean[i] = plan.magic.multiplier
                          ? (sample)(__umulhi(dividend, plan.magic.multiplier) >> plan.magic.shift)
                          : (sample)((2 * sum + area) / (2 * area));
            key[i] = choice_key(area, sum, window[i].square);
            low[i] = (uint32_t)key[i];
        }
        store_those(task.out, x, y, channel, count, mean);
        if (task.keys.type == SATF_U32) {
            store_those(task.keys, x, y, channel, count, low);
        } else {
            store_those(task.keys, x, y, channel, count, key);
        }
    }

    __device__ __forceinline__ void end() const
    {
    }

    /* The results from (x, y) on, `count` of which are in the image. inline_windows: those of the
     * inline pass. */
    __device__ __forceinline__ void store(int x, int y, int channel, int count,
                                          const march_shifts<SHIFTED> &shifts,
                                          const both (&window)[MARCH],
                                          const both (&inline_windows)[MARCH]) const
    {
        if constexpr (is_choice<Formula>) {
            store_choice(x, y, channel, count, window);
            return;
        }
        bool whole = count >= MARCH && task.border != SATF_BORDER_SHRINK;
        if constexpr (!is_any<Formula>) {
            if (whole && aligned) {
                int64_t bytes = sample_bytes(task.out.type), step = task.out.channels * bytes;
                char *to = (char *)task.out.data + y * task.out.stride + x * step + channel * bytes;
                const char *from = (const char *)task.in.data + y * task.in.stride + x;
                switch (task.out.type) {
                case SATF_U8:
                    do_group<SATF_U8>(x, y, channel, from, to, step, window, inline_windows);
                    return;
                case SATF_U16:
                    do_group<SATF_U16>(x, y, channel, from, to, step, window, inline_windows);
                    return;
                case SATF_F32:
                    do_group<SATF_F32>(x, y, channel, from, to, step, window, inline_windows);
                    return;
                case SATF_F64:
                    do_group<SATF_F64>(x, y, channel, from, to, step, window, inline_windows);
                    return;
                default:
                    break;
                }
            }
        }
        if constexpr (is_any<Formula>) {
            if (whole) {
                do_formula(x, y, channel, shifts, window);
                return;
            }
        }
        both kept[MARCH], kept_inline[has_inline<Formula> ? MARCH : 1];
#pragma unroll
        for (int i = 0; i < MARCH; i++) {
            kept[i] = window[i];
            if constexpr (has_inline<Formula>) {
                kept_inline[i] = inline_windows[i];
            }
        }
        do_some(x, y, channel, min(count, MARCH), shifts, kept,
                has_inline<Formula> ? kept_inline : kept);
    }
};

#endif
