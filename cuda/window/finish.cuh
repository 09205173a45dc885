/* From the sums of windows to bytes: means, or another formula of a sum and the sample itself. */
#ifndef CUDA_WINDOW_FINISH_CUH
#define CUDA_WINDOW_FINISH_CUH

#include "multiply.cuh"

extern "C" {
#include "../../src/window/gpu.h"
}

#include "../../src/filter/formulas.h"

/* What all results have in common. */
typedef struct finish_task {
    float inverse, zero; /* of the area; what is taken off, see mean_byte() */
    window_gpu_formula formula;
} finish_task;

/*
 * The mean in the lowest byte, for the sum S < 2^23 as the bits of the float 2^23 + S. zero is
 * 2^23, or half less for an even area A: then S + 1/2 is divided, which lies above a half where S
 * does or meets it, and nowhere nearer to one than 1 / (2 A). For A < 2^15 that is more than what
 * 1 / A, off by 2^-24 of it, makes of a mean up to 256: so rounding to nearest is rounding half up.
 */
static __device__ __forceinline__ uint32_t mean_byte(int bits, const finish_task &task)
{
    return __float_as_uint(fmaf(__int_as_float(bits) - task.zero, task.inverse, 8388608.0f));
}

/* Samples beside the sums of a lane: eight of row g of a tile, and eight of row g + 8. */
struct no_centres {
};

struct centre_rows {
    uint32_t word[2][2];
};

struct mean_finish {
    typedef no_centres centres;
    enum { START = 0x4B000000 /* of a sum: the float 2^23 */ };

    static __device__ __forceinline__ no_centres load(const uint8_t *, int64_t, bool, bool)
    {
        return no_centres();
    }

    /* Two neighbours' bytes, for their sums; the first of them is number `at` of the row's eight.
     */
    static __device__ __forceinline__ uint32_t two(const finish_task &task, int a, int b,
                                                   const no_centres &, int, int)
    {
        return __byte_perm(mean_byte(a, task), mean_byte(b, task), 0x0040);
    }
};

/* The formula of that number. */
template <int NUMBER> struct formula_finish;

static __device__ __forceinline__ void load_sums(const finish_task &task, int sum, uint32_t centre,
                                                 formula_sums *in)
{
    *in = task.formula.constants;
    in->real = false;
    in->rounded = true;
    in->words = FORMULA_WORD;
    in->pivot = 0;
    in->sum = (uint32_t)sum;
    in->centre = (double)centre;
}

/* from: where the lane's first sample is, or would be; above, below: whether its rows are there. */
static __device__ __forceinline__ centre_rows load_centres(const uint8_t *from, int64_t stride,
                                                           bool above, bool below)
{
    uint2 none = make_uint2(0, 0);
    uint2 upper = above ? __ldg((const uint2 *)from) : none;
    uint2 lower = below ? __ldg((const uint2 *)(from + 8 * stride)) : none;
    return {{{upper.x, upper.y}, {lower.x, lower.y}}};
}

#define FORMULA_ENTRY(name, reads)                                                               \
    template <> struct formula_finish<FORMULA_##name> {                                          \
        typedef centre_rows centres;                                                             \
        enum { START = 0 };                                                                      \
        static __device__ __forceinline__ centre_rows load(const uint8_t *from, int64_t stride,  \
                                                           bool above, bool below)               \
        {                                                                                        \
            return load_centres(from, stride, above, below);                                     \
        }                                                                                        \
        static __device__ __forceinline__ uint32_t one(const finish_task &task, int sum,         \
                                                       uint32_t centre)                          \
        {                                                                                        \
            const name##_options *options = (const name##_options *)task.formula.options.bytes;  \
            formula_sums in;                                                                     \
            formula_value value;                                                                 \
            load_sums(task, sum, centre, &in);                                                   \
            if (formula_is_clear(&in, options, &value)) {                                        \
                return (uint32_t)value.integer;                                                  \
            }                                                                                    \
            return (uint32_t)formula_saturated(name##_formula(&in, options), UINT8_MAX);         \
        }                                                                                        \
        static __device__ __forceinline__ uint32_t two(const finish_task &task, int a, int b,    \
                                                       const centre_rows &rows, int row, int at) \
        {                                                                                        \
            uint32_t both = rows.word[row][at / 4] >> (8 * (at % 4));                            \
            return one(task, a, both & 0xFF) | one(task, b, both >> 8 & 0xFF) << 8;              \
        }                                                                                        \
    };
#include "../../filters/all.h"
#undef FORMULA_ENTRY

#endif
