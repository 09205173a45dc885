/*
 * The epilogue of products for reductions of bytes: of all windows the greatest W S2 - S^2, to
 * which the formula is applied, and the least sample. No result is stored.
 */
#ifndef CUDA_PRODUCTS_REDUCTION_CUH
#define CUDA_PRODUCTS_REDUCTION_CUH

#include "epilogue.cuh"

/* NARROW: as of terms_epilogue. */
template <bool NARROW> struct reduced_window {
    byte_window of;
};

/* What a lane has seen. */
template <bool NARROW> struct reduction_memory {
    typedef std::conditional_t<NARROW, uint32_t, uint64_t> number;
    number greatest;
    uint32_t sum, square; /* of that window */
    uint32_t least;

    __device__ __forceinline__ reduction_memory()
        : greatest(0), sum(0), square(0), least(UINT8_MAX + 1)
    {
    }

    __device__ __forceinline__ void end(const epilogue_task &task) const
    {
        const window_gpu_formula &formula = task.formula;
        formula_sums in = formula.constants;
        load_window({square, sum, 0}, &in);
        uint64_t key = find_key(formula.number, &formula, &in);
        raise_key(&formula.reduction[REDUCTION_GREATEST], key);
        key = least > UINT8_MAX ? 0 : reduction_key(-(double)least);
        raise_key(&formula.reduction[REDUCTION_LEAST], key);
    }
};

/* Takes the place of results: looks at windows, and stores nothing. */
template <bool NARROW> struct result_rows<reduced_window<NARROW>> {
    enum { RUN = 8 };
    typedef reduction_memory<NARROW> memory;
    memory *seen;
    uint32_t weight;
    int left, count; /* results left of the image's part that is looked at, and up to its end */
    bool rows[2];

    __device__ __forceinline__ void put(int own, const reduced_window<NARROW> (&four)[4])
    {
        typedef typename memory::number number;
        number spread[4];
        bool raises = false;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const byte_window &of = four[i].of;
            bool inside = rows[i / 2] && own + i % 2 >= left && own + i % 2 < count;
            spread[i] = (number)weight * (number)of.square - (number)of.sum * of.sum;
            spread[i] = inside ? spread[i] : 0;
            raises = raises || spread[i] > seen->greatest;
            seen->least = min(seen->least, inside ? of.centre : UINT8_MAX + 1);
        }
        if (raises) {
#pragma unroll
            for (int i = 0; i < 4; i++) {
                bool higher = spread[i] > seen->greatest;
                seen->sum = higher ? four[i].of.sum : seen->sum;
                seen->square = higher ? (uint32_t)four[i].of.square : seen->square;
                seen->greatest = higher ? spread[i] : seen->greatest;
            }
        }
        __syncwarp(); /* products are of whole warps */
    }

    __device__ __forceinline__ void finish()
    {
    }
};

template <bool NARROW> struct reduction_epilogue : with_centres {
    typedef reduced_window<NARROW> sample;
    typedef reduced_window<NARROW> result;
    typedef reduction_memory<NARROW> memory;
    static constexpr bool has_squares = true, reduces = true, branches = false;
    enum { START = 0 };

    static __device__ __forceinline__ void four(const epilogue_task &, const product &sum,
                                                const product &square, const centre_rows &rows,
                                                int at, result (&four)[4])
    {
        byte_window window[4];
        find_windows(sum, square, rows, at, window);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            four[i].of = window[i];
        }
    }
};

#endif
