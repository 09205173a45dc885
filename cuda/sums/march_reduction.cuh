/* In place of the epilogue of marches: the greatest result of a formula that grows with W S2 - S^2
 * (FORMULA_GROWS), and the least sample, of one channel. No result is stored. */
#ifndef CUDA_SUMS_MARCH_REDUCTION_CUH
#define CUDA_SUMS_MARCH_REDUCTION_CUH

#include "march_epilogue.cuh"

/* W S2 - S^2: exact, or for floats clamped to 0 from below. */
template <class Square>
static __device__ __forceinline__ uint64_t spread_in(uint64_t weight,
                                                     const moments<uint32_t, Square> &window)
{
    return weight * window.square - (uint64_t)window.sum * window.sum;
}

static __device__ __forceinline__ double spread_in(double weight,
                                                   const moments<double, double> &window)
{
    double spread = weight * window.square - window.sum * window.sum;
    return spread < 0 ? 0 : spread;
}

static __device__ __forceinline__ bool is_finite(uint64_t)
{
    return true;
}

static __device__ __forceinline__ bool is_finite(double number)
{
    return reduction_is_finite(number);
}

/* What a thread has seen. T: of the samples. */
template <class T, class Sum, class Square> struct march_reduction {
    typedef moments<Sum, Square> both;
    static constexpr bool REAL = std::is_same<Sum, double>::value;
    typedef std::conditional_t<REAL, double, uint64_t> number;
    typedef std::conditional_t<std::is_integral<T>::value, int, double> sample;
    const filter_gpu_task &task;
    const march_plan &plan;
    bool aligned;
    number weight, spread;
    both widest;       /* the window with that spread, of those of the whole weight */
    uint64_t greatest; /* key of the results of see_some() */
    sample least;

    __device__ march_reduction(const filter_gpu_task &of, const march_plan &by)
        : task(of), plan(by), weight((number)of.constants.weight), spread(0), widest(both()),
          greatest(0), least(0)
    {
        aligned = (((uintptr_t)task.in.data | (uintptr_t)task.in.stride) & (sizeof(T) - 1)) == 0;
        least = REAL ? (sample)INFINITY : (sample)INT32_MAX;
    }

    __device__ __forceinline__ uint64_t key_of(const both &window, formula_sums *in) const
    {
        in->shift = 0; /* no spread depends on it */
        load_sum(in, window.sum);
        load_square(in, window.square);
        return find_key(task.formula, &task, in);
    }

    __device__ __forceinline__ void look_at(T one)
    {
        sample value = (sample)one;
        bool counts = !REAL || reduction_is_finite((double)value);
        least = counts && value < least ? value : least;
    }

    /* Windows one by one: where areas differ, at the edges, and of unaligned samples. */
    __device__ __noinline__ void see_some(int x, int y, int first, int end, const both *window)
    {
#pragma unroll 1
        for (int i = first; i < end; i++) {
            formula_sums in = march_common<Sum>(task, SATF_F64);
            march_set_weight(task, plan, x + i, y, &in);
            uint64_t key = key_of(window[i], &in);
            T one;
            memcpy(&one,
                   (const char *)task.in.data + y * task.in.stride + (x + i) * (int64_t)sizeof one,
                   sizeof one);
            look_at(one);
            greatest = key > greatest ? key : greatest;
        }
    }

    /* The windows from (x, y) on, `count` of which are in the image. */
    __device__ __forceinline__ void store(int x, int y, int, int count,
                                          const march_shifts<is_shifted<Sum, Square>> &,
                                          const both (&window)[MARCH], const both (&)[MARCH])
    {
        const satf_rect &of = task.reduced;
        int first = max((int)of.x - x, 0), end = min(min(count, MARCH), (int)(of.x + of.w) - x);
        if (y < of.y || y >= of.y + of.h || first >= end) {
            return;
        }
        if (first > 0 || end < MARCH || task.border == SATF_BORDER_SHRINK || !aligned) {
            both kept[MARCH];
#pragma unroll
            for (int i = 0; i < MARCH; i++) {
                kept[i] = window[i];
            }
            see_some(x, y, first, end, kept);
            return;
        }
        T all[MARCH];
        load_group((const char *)task.in.data + y * task.in.stride + x * (int64_t)sizeof(T),
                   (int)sizeof(T), all);
#pragma unroll
        for (int i = 0; i < MARCH; i++) {
            look_at(all[i]);
            number own = spread_in(weight, window[i]);
            if (own > spread && is_finite(own)) {
                spread = own;
                widest = window[i];
            }
        }
    }

    /* All threads of the block. */
    __device__ __forceinline__ void end() const
    {
        formula_sums in = march_common<Sum>(task, SATF_F64);
        uint64_t key = key_of(widest, &in);
        raise_key(&task.reduction[REDUCTION_GREATEST], key > greatest ? key : greatest);
        bool none = REAL ? least == (sample)INFINITY : least == (sample)INT32_MAX;
        raise_key(&task.reduction[REDUCTION_LEAST], none ? 0 : reduction_key(-(double)least));
    }
};

#endif
