/* The epilogue of products: the sums of windows become means of bytes or of samples of 16 bits, or
 * the results of another formula of the sum, the sum of squares and the sample itself. */
#ifndef CUDA_PRODUCTS_EPILOGUE_CUH
#define CUDA_PRODUCTS_EPILOGUE_CUH

#include "lanes.cuh"

extern "C" {
#include "../../src/sums/march/gpu.h"
}

#include "../formula/keys.cuh"

/* Columns, in bytes, and rows of an image; right and bottom are behind the last. */
typedef struct box_edges {
    int left, top, right, bottom;
} box_edges;

/* The inputs that all results share. */
typedef struct epilogue_task {
    float inverse, zero; /* 1 / area; what mean_byte() subtracts */
    window_gpu_divisor by;
    uint32_t half; /* 4 (area / 2), area / 2 being rounded down */
    window_gpu_formula formula;
    terms_floats terms;
    bool aligned;      /* rows of results, to 16 bytes */
    box_edges reduced; /* what a reduction looks at */
} epilogue_task;

/*
 * The mean in the lowest byte, for the sum S < 2^23 as the bits of the float 2^23 + S. zero is
 * 2^23, so S is divided; for an even area A it is 1/2 less, so S + 1/2 is, which is above A (k +
 * 1/2) just if S is or meets it. Either quotient is at least 1 / (2 A) from k + 1/2. For A < 2^15
 * that exceeds the error of a mean up to 256 by 1 / A off by 2^-24 of it: to nearest is half up.
 */
static __device__ __forceinline__ uint32_t mean_byte(int bits, const epilogue_task &task)
{
    return __float_as_uint(fmaf(__int_as_float(bits) - task.zero, task.inverse, 8388608.0f));
}

/* The places of a lane's results of a tile, in runs of 16 bytes: so a quarter of a warp fills whole
 * sectors of memory. */
template <class T> struct result_rows {
    enum { RUN = 16 / sizeof(T) };
    char *to;
    int64_t below; /* bytes from row g to row g + 8 */
    int count;     /* results of the image's row from the first one on */
    bool rows[2];  /* whether rows g and g + 8 are in the image */
    bool aligned;  /* rows, to 16 bytes */
    T kept[2][RUN];

    /* Numbers `own` and own + 1 of the eight; four: two of row g, two of row g + 8. */
    __device__ __forceinline__ void put(int own, const T (&four)[4])
    {
#pragma unroll
        for (int b = 0; b < 2; b++) {
            kept[b][own % RUN] = four[2 * b];
            kept[b][own % RUN + 1] = four[2 * b + 1];
            if (rows[b] && own % RUN + 2 == RUN) {
                int column = own / RUN * 4 * RUN;
                store((T *)(to + b * below) + column, kept[b], count - column);
            }
        }
    }

    __device__ __forceinline__ void store(T *at, const T (&run)[RUN], int left) const
    {
        if (aligned && left >= RUN) {
            uint4 words;
            memcpy(&words, run, sizeof words);
            __stcs((uint4 *)at, words);
            return;
        }
#pragma unroll
        for (int i = 0; i < RUN; i++) {
            if (i < left) {
                memcpy((char *)(at + i), run + i, sizeof(T));
            }
        }
    }

    __device__ __forceinline__ void finish()
    {
    }
};

/* Bytes: eight neighbours in either row, aligned. put() takes byte BYTE of each word. */
template <> struct result_rows<uint8_t> {
    enum { RUN = 8 };
    char *to;
    int64_t below;
    int count;
    bool rows[2], aligned;
    uint32_t word[2][2];

    template <int BYTE = 0> __device__ __forceinline__ void put(int own, const uint32_t (&four)[4])
    {
#pragma unroll
        for (int b = 0; b < 2; b++) {
            uint32_t two = __byte_perm(four[2 * b], four[2 * b + 1], 0x0040 + 0x0011 * BYTE);
            uint32_t *to_word = &word[b][own / 4];
            *to_word = own % 4 ? __byte_perm(*to_word, two, 0x5410) : two;
        }
    }

    __device__ __forceinline__ void finish()
    {
#pragma unroll
        for (int b = 0; b < 2; b++) {
            if (rows[b]) {
                store_eight((uint8_t *)(to + b * below), word[b], count);
            }
        }
    }
};

/* Samples at a lane's pixels, placed as results of bytes are. */
struct no_centres {
};

struct centre_rows {
    uint32_t word[2][2];
};

/* State of a lane from one result to the next (reduction_memory). */
struct no_memory {
};

/*
 * Bases of epilogues without the samples at the pixels, and with them. load() loads a lane's; from:
 * where its first sample is, or would be; above, below: whether its rows are in the image. four()
 * makes results of sums; branches: the lanes of a warp may part in it. reduces: nothing is stored.
 * All threads of a block call begin() before their first barrier.
 */
struct without_centres {
    typedef no_centres centres;
    typedef no_memory memory;
    static constexpr bool weighs = false, reduces = false;

    static __device__ __forceinline__ void begin(const epilogue_task &)
    {
    }

    static __device__ __forceinline__ no_centres load(const uint8_t *, int64_t, bool, bool)
    {
        return no_centres();
    }
};

struct with_centres {
    typedef centre_rows centres;
    typedef no_memory memory;
    static constexpr bool weighs = false, reduces = false;

    static __device__ __forceinline__ void begin(const epilogue_task &)
    {
    }

    static __device__ __forceinline__ centre_rows load(const uint8_t *from, int64_t stride,
                                                       bool above, bool below)
    {
        uint2 none = make_uint2(0, 0);
        uint2 upper = above ? __ldg((const uint2 *)from) : none;
        uint2 lower = below ? __ldg((const uint2 *)(from + 8 * stride)) : none;
        return {{{upper.x, upper.y}, {lower.x, lower.y}}};
    }
};

/* Lines of weights: the highest bytes of their sums, which start from 1/2 (taps.cuh). */
struct tap_epilogue : without_centres {
    typedef uint8_t sample;
    static constexpr bool has_squares = false;
    static constexpr bool weighs = true;

    static __device__ __forceinline__ void put(result_rows<uint8_t> &results, int own,
                                               const uint32_t (&sums)[4])
    {
        results.put<3>(own, sums);
    }
};

/* The same not rounded: sums have 24 bits of fraction; the 1/2 is taken off. */
struct tap_real_epilogue : without_centres {
    typedef double sample;
    static constexpr bool has_squares = false;
    static constexpr bool weighs = true;

    static __device__ __forceinline__ void put(result_rows<double> &results, int own,
                                               const uint32_t (&sums)[4])
    {
        const int high = 0x41B00000; /* a double of 2^28, whose lowest bit is 2^-24 */
        double four[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            four[i] = __hiloint2double(high, (int)sums[i]) - (0x1p28 + 0.5);
        }
        results.put(own, four);
    }
};

struct mean_epilogue : without_centres {
    typedef uint8_t sample;
    typedef uint32_t result; /* the lowest 8 bits */
    static constexpr bool has_squares = false;
    static constexpr bool branches = false;
    enum { START = 0x4B000000 /* of a sum: the float 2^23 */ };

    /* The results of two neighbours of row g, number `at` of its eight and the next, and of the two
     * of row g + 8. */
    static __device__ __forceinline__ void four(const epilogue_task &task, const product &sum,
                                                const product &, const no_centres &, int,
                                                uint32_t (&result)[4])
    {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            result[i] = mean_byte(sum.at[i], task);
        }
    }
};

/*
 * Samples of 16 bits are two neighbouring bytes, the lower one first, and so are results. Of the
 * four sums that a lane has at once, 0 and 1 are of the bytes of one sample, 2 and 3 of the one in
 * row g + 8. b: 0 or 1 of these samples.
 */
static __device__ __forceinline__ uint32_t word_sum(const product &sum, int b)
{
    return (uint32_t)sum.at[2 * b + 1] * 256 + (uint32_t)sum.at[2 * b];
}

static __device__ __forceinline__ void put_word(uint32_t word, int b, uint32_t (&result)[4])
{
    result[2 * b] = word;
    result[2 * b + 1] = word >> 8;
}

struct word_mean_epilogue : without_centres {
    typedef uint8_t sample;
    typedef uint32_t result;
    static constexpr bool has_squares = false;
    static constexpr bool branches = false;
    enum { START = 0 };

    static __device__ __forceinline__ void four(const epilogue_task &task, const product &sum,
                                                const product &, const no_centres &, int,
                                                uint32_t (&result)[4])
    {
#pragma unroll
        for (int b = 0; b < 2; b++) {
            uint32_t four_times = 4 * word_sum(sum, b) + task.half;
            put_word(__umulhi(four_times, task.by.multiplier) >> task.by.shift, b, result);
        }
    }
};

/* The windows of two neighbours of row g, number `at` of its eight and the next, and of the two of
 * row g + 8. */
static __device__ __forceinline__ void find_windows(const product &sum, const product &square,
                                                    const centre_rows &rows, int at,
                                                    byte_window (&window)[4])
{
#pragma unroll
    for (int i = 0; i < 4; i++) {
        uint32_t word = rows.word[i / 2][at / 4];
        window[i] = {(uint32_t)square.at[i], (uint32_t)sum.at[i], byte_of(word, at % 4 + i % 2)};
    }
}

/* Formulas that have terms, from bytes to bytes. NARROW: NARROW_WINDOW (src/formula/clear.h). */
template <terms_kind KIND, bool NARROW> struct terms_epilogue : with_centres {
    typedef uint8_t sample;
    typedef uint32_t result;
    static constexpr bool has_squares = KIND == TERMS_ABOVE_ROOTS;
    static constexpr bool branches = true;
    enum { START = 0 };

    static __device__ __forceinline__ void make(const epilogue_task &task,
                                                const terms_floats &terms, const product &sum,
                                                const product &square, const centre_rows &rows,
                                                int at, uint32_t (&result)[4])
    {
        byte_window window[4];
        find_windows(sum, square, rows, at, window);
        find_bytes<KIND, NARROW, true>(terms, task.formula.number, &task.formula, window, result);
    }

    static __device__ __forceinline__ void four(const epilogue_task &task, const product &sum,
                                                const product &square, const centre_rows &rows,
                                                int at, uint32_t (&result)[4])
    {
        make(task, task.terms, sum, square, rows, at, result);
    }
};

/* Formulas that read what a reduction found. A block finds their terms once. They are loaded at
 * each use, since registers do not hold them through the loop. */
template <bool NARROW> struct found_epilogue : terms_epilogue<TERMS_ABOVE_ROOTS, NARROW> {
    static __device__ __forceinline__ terms_floats &terms(int at)
    {
        __shared__ __align__(16) terms_floats found[1];
        return found[at];
    }

    static __device__ __forceinline__ void begin(const epilogue_task &task)
    {
        if (threadIdx.x == 0) {
            find_terms(task.formula.number, &task.formula, &terms(0));
        }
    }

    static __device__ __forceinline__ void four(const epilogue_task &task, const product &sum,
                                                const product &square, const centre_rows &rows,
                                                int at, uint32_t (&result)[4])
    {
        int first = 0;
        asm volatile("" : "+r"(first)); /* hides that it is 0: loads stay where they are */
        found_epilogue::make(task, terms(first), sum, square, rows, at, result);
    }
};

/* Formulas that have terms, without squares, from 16 bits to 16 bits. */
struct word_terms_epilogue : with_centres {
    typedef uint8_t sample;
    typedef uint32_t result;
    static constexpr bool has_squares = false;
    static constexpr bool branches = true;
    enum { START = 0 };

    static __device__ __forceinline__ void four(const epilogue_task &task, const product &sum,
                                                const product &, const centre_rows &rows, int at,
                                                uint32_t (&result)[4])
    {
#pragma unroll
        for (int b = 0; b < 2; b++) {
            uint32_t centre = rows.word[b][at / 4] >> (8 * (at % 4)) & UINT16_MAX;
            uint32_t all = word_sum(sum, b);
            put_word(find_word(task.formula.number, &task.formula, all, centre), b, result);
        }
    }
};

/* Formulas of moments alone whose results have 32 or 64 bits. */
template <class Formula, class Result> struct wide_epilogue : without_centres {
    static_assert((Formula::reads & (FORMULA_CENTRE | FORMULA_AUX | FORMULA_AUX_TOO)) == 0,
                  "these kernels know of no sample and of no other image");
    typedef Result sample;
    typedef Result result;
    static constexpr bool has_squares = (Formula::reads & FORMULA_SQUARE) != 0;
    static constexpr bool branches = true;
    enum { START = 0 };

    static __device__ __forceinline__ Result as_result(const formula_value &value)
    {
        if constexpr ((Result)0.5 == 0) {
            return (Result)formula_saturated(value, (Result) ~(Result)0);
        } else {
            return (Result)formula_number_of(value);
        }
    }

    static __device__ __forceinline__ void four(const epilogue_task &task, const product &sum,
                                                const product &square, const no_centres &, int,
                                                Result (&result)[4])
    {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            byte_window window = {(uint32_t)square.at[i], (uint32_t)sum.at[i], 0};
            result[i] = as_result(Formula::value(&task.formula, window));
        }
    }
};

#endif
