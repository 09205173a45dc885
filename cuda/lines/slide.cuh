/*
 * Numbers over stretches of lines. The length of a chunk divides 2 r + 2, the way from the number
 * in front of a window to the one behind it: so the sum of a window in front of a chunk is that of
 * whole chunks, and slides along one.
 */
#ifndef CUDA_SUMS_SLIDE_CUH
#define CUDA_SUMS_SLIDE_CUH

#include "stretch.cuh"

enum { FLOAT_PLACES = 128 /* numbers of 16 bits whose sums have 23 bits */ };

/*
 * The sum of 2 r + 2 numbers, which slides: pass() takes those in front of the windows of a word,
 * and behind them. A float of 2^23 and a number has the number as its lowest bits: so numbers
 * become floats, and results numbers, without a conversion. A product of such a float less that of
 * 2^23 is rounded once, as the number's own is.
 */
static constexpr uint32_t BIASED = 0x4b000000;
static constexpr float BIAS = 0x1p23f;

/* Sums below 2^23 as floats, at half the price of integers. */
struct float_sum {
    float sum; /* biased */

    __device__ __forceinline__ float_sum(uint32_t first)
    {
        sum = __uint_as_float(BIASED + first);
    }

    __device__ __forceinline__ float slide(uint32_t gone, uint32_t behind)
    {
        float inside = __fsub_rn(sum, __uint_as_float(gone));
        sum = __fadd_rn(inside, __uint_as_float(behind));
        return inside;
    }
};

struct integer_sum {
    uint32_t sum;

    __device__ __forceinline__ integer_sum(uint32_t first) : sum(first)
    {
    }

    __device__ __forceinline__ float slide(uint32_t gone, uint32_t behind)
    {
        uint32_t inside = sum - gone + BIASED;
        sum = inside + behind - BIASED;
        return __uint2float_rn(inside);
    }
};

template <class Sum> struct narrow_sums {
    float inner, outer;
    uint32_t half; /* of BIASED */
    Sum sum;

    __device__ __forceinline__ narrow_sums(const stretch_pass &pass, uint32_t first)
        : inner((float)pass.lines.inner), outer((float)pass.lines.outer), half(pass.half),
          sum(first)
    {
    }

    /* Half a word, biased. */
    __device__ __forceinline__ uint32_t weigh(uint32_t gone, uint32_t behind)
    {
        float inside = __fmul_rn(sum.slide(gone, behind), inner);
        float ends = __uint_as_float(gone + behind - BIASED);
        float outside = __fmaf_rn(ends, outer, -BIAS * outer);
        return __float_as_uint(__fadd_rn(__fadd_rn(inside, outside), BIAS));
    }

    __device__ __forceinline__ uint32_t pass(uint32_t gone, uint32_t behind)
    {
        uint32_t left = weigh(__byte_perm(gone, half, 0x5410), __byte_perm(behind, half, 0x5410));
        uint32_t right = weigh(__byte_perm(gone, half, 0x5432), __byte_perm(behind, half, 0x5432));
        return __byte_perm(left, right, 0x5410);
    }
};

struct double_sums {
    double inner, outer, sum;

    __device__ __forceinline__ double_sums(const stretch_pass &pass, double first)
        : inner(pass.lines.inner), outer(pass.lines.outer), sum(first)
    {
    }

    __device__ __forceinline__ double pass(double gone, double behind)
    {
        double inside = __dsub_rn(sum, gone);
        double result =
            __dadd_rn(__dmul_rn(inside, inner), __dmul_rn(__dadd_rn(gone, behind), outer));
        sum = __dadd_rn(inside, behind);
        return __dsub_rn(__dadd_rn(result, 0x1.8p52), 0x1.8p52);
    }
};

template <class Numbers> static __device__ __forceinline__ void sum_chunks(const stretch_shape &s)
{
    stretch_room<Numbers> room = find_room<Numbers>(s);
    for (int i = (int)threadIdx.x; i < s.lines * s.all; i += (int)blockDim.x) {
        int line = i / s.all;
        const typename Numbers::word *at =
            room.words + line * s.line_pitch + (i - line * s.all) * s.pitch;
        typename Numbers::sum sum = 0;
        for (int w = 0; w < s.words; w++) {
            sum = Numbers::add(sum, at[w]);
        }
        room.sums[i] = sum;
    }
}

/* The chunk of a thread. A thread without one does what the first one does, and stores nothing. */
template <class Numbers> struct box_chunk {
    typename Numbers::word *at;
    const typename Numbers::word *behind;
    typename Numbers::sum made; /* the sum of its results */
    bool any;                   /* its own */
};

/* Passes N words of the chunk. All threads read theirs, and those behind, before any is changed. */
template <int N, class Numbers, class Sums>
static __device__ __forceinline__ void pass_words(box_chunk<Numbers> &chunk, Sums &sums, int w)
{
    typename Numbers::word gone[N], behind[N];
#pragma unroll
    for (int k = 0; k < N; k++) {
        gone[k] = chunk.at[w + k];
        behind[k] = chunk.behind[w + k];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < N; k++) {
        typename Numbers::word result = sums.pass(gone[k], behind[k]);
        if (chunk.any) {
            chunk.at[w + k] = result;
        }
        chunk.made = Numbers::add(chunk.made, result);
    }
}

/* Applies a box, whose results are so many chunks a line. What a round changes no later round
 * reads. */
template <class Numbers, class Sums>
static __device__ __forceinline__ void pass_box(const stretch_pass &pass, int chunks)
{
    enum { BATCH = 8 };
    const stretch_shape &s = pass.shape;
    stretch_room<Numbers> room = find_room<Numbers>(s);
    for (int first = 0; first < s.lines * chunks; first += (int)blockDim.x) {
        int i = first + (int)threadIdx.x;
        box_chunk<Numbers> chunk;
        chunk.any = i < s.lines * chunks;
        i = chunk.any ? i : first;
        int line = i / chunks, at = i - line * chunks;
        chunk.at = room.words + line * s.line_pitch + at * s.pitch;
        chunk.behind = chunk.at + s.more * s.pitch;
        chunk.made = 0;
        typename Numbers::sum *of = &room.sums[line * s.all + at], window = 0;
        for (int k = 0; k < s.more; k++) {
            window += of[k];
        }
        Sums sums(pass, window);
        int w = 0;
        for (; w + BATCH <= s.words; w += BATCH) {
            pass_words<BATCH>(chunk, sums, w);
        }
        if (s.words & 4) {
            pass_words<4>(chunk, sums, w);
            w += 4;
        }
        if (s.words & 2) {
            pass_words<2>(chunk, sums, w);
            w += 2;
        }
        if (s.words & 1) {
            pass_words<1>(chunk, sums, w);
        }
        if (chunk.any) {
            *of = chunk.made;
        }
    }
    __syncthreads();
}

/* Applies all boxes. */
template <class Numbers> static __device__ __forceinline__ void pass_boxes(const stretch_pass &pass)
{
    const stretch_shape &s = pass.shape;
    sum_chunks<Numbers>(s);
    __syncthreads();
    for (int k = 1; k <= pass.lines.times; k++) {
        int chunks = s.all - k * s.more;
        if constexpr (Numbers::places == 1) {
            pass_box<Numbers, double_sums>(pass, chunks);
        } else if (2 * pass.lines.radius + 2 <= FLOAT_PLACES) {
            pass_box<Numbers, narrow_sums<float_sum>>(pass, chunks);
        } else {
            pass_box<Numbers, narrow_sums<integer_sum>>(pass, chunks);
        }
    }
}

#endif
