/*
 * Sums by lines of weights of 15 bits, as products of the weights' two bytes
 * (src/sums/march/bands.h). Weights are doubled, so a sum along a row has its number of 16 bits in
 * bytes 1 and 2, which are summed down as row_sums, and a sum down its byte in byte 3.
 */
#ifndef CUDA_PRODUCTS_TAPS_CUH
#define CUDA_PRODUCTS_TAPS_CUH

#include "box_task.cuh"
#include "epilogue.cuh"

/* A lane's weights along a tile's rows: their lower bytes, then their higher ones. */
template <int PIECES> struct tap_rows {
    struct {
        uint32_t word[2][2][PIECES][2], start[4];
    } at;

    __device__ __forceinline__ void load(const box_task &task, int matrix)
    {
        load_matrix<8 * PIECES + 4>(at.word[0][0][0], task.across, matrix);
    }

    __device__ __forceinline__ uint32_t start(int i) const
    {
        return at.start[i];
    }
};

/* The same left in memory, in pairs of pieces; only the task knows how many. */
template <> struct tap_rows<0> {
    const uint4 *quads; /* the lane's */
    int count;          /* pairs */
    uint4 starts;

    __device__ __forceinline__ void load(const box_task &task, int matrix)
    {
        count = task.halo / 16 + 1;
        quads = (const uint4 *)task.across + (matrix * (4 * count + 1) * 32 + threadIdx.x % 32);
        starts = __ldg(quads + 4 * count * 32);
    }

    __device__ __forceinline__ uint32_t start(int i) const
    {
        return i == 0 ? starts.x : i == 1 ? starts.y : i == 2 ? starts.z : starts.w;
    }

    /* The weights of a pair of pieces, 32 positions. */
    __device__ __forceinline__ void find(int byte, int q, int pair, uint32_t (&words)[4]) const
    {
        uint4 four = __ldg(quads + ((2 * byte + q) * count + pair) * 32);
        words[0] = four.x;
        words[1] = four.y;
        words[2] = four.z;
        words[3] = four.w;
    }
};

/* The sums of eight rows, of either half of a tile: by weights' lower bytes, by higher ones. */
struct tap_sums {
    product low[2], high[2];
};

template <int PIECES>
static __device__ __forceinline__ tap_sums begin_sums(const tap_rows<PIECES> &weights)
{
    tap_sums sums;
#pragma unroll
    for (int q = 0; q < 2; q++) {
        const int above = (int)weights.start(2 * q), below = (int)weights.start(2 * q + 1);
        sums.low[q] = {{above, above, below, below}};
        sums.high[q] = all_of(0);
    }
    return sums;
}

/* Bytes 1 and 2 of the sums of two neighbours of a row. */
static __device__ __forceinline__ uint32_t pack_numbers(const tap_sums &sums, int q, int h,
                                                        int shift_8)
{
    const int *low = &sums.low[q].at[2 * h], *high = &sums.high[q].at[2 * h];
    uint32_t left = (uint32_t)high[0] * (uint32_t)shift_8 + (uint32_t)low[0];
    uint32_t right = (uint32_t)high[1] * (uint32_t)shift_8 + (uint32_t)low[1];
    return __byte_perm(left, right, 0x6521);
}

/* sums: of rows 0 to 7 and 8 to 15. */
static __device__ __forceinline__ row_sums pack_sums(const tap_sums (&sums)[2], int shift_8)
{
    row_sums packed;
#pragma unroll
    for (int q = 0; q < 2; q++) {
#pragma unroll
        for (int h = 0; h < 2; h++) {
            uint32_t upper = pack_numbers(sums[0], q, h, shift_8);
            uint32_t lower = pack_numbers(sums[1], q, h, shift_8);
            packed.low[q][h] = __byte_perm(upper, lower, 0x6420);
            packed.high[q][h] = __byte_perm(upper, lower, 0x7531);
        }
    }
    return packed;
}

template <int PIECES>
static __device__ __forceinline__ row_sums add_along_rows(const tap_rows<PIECES> &weights,
                                                          const uint32_t (&at)[2], int t,
                                                          const box_task &task)
{
    tap_sums sums[2];
#pragma unroll
    for (int b = 0; b < 2; b++) {
        sums[b] = begin_sums(weights);
#pragma unroll
        for (int k = 0; k + 1 < PIECES; k += 2) {
            uint32_t left, right;
            load_eight<true>(at[b] + 16 * k + 8 * t, &left, &right);
#pragma unroll
            for (int q = 0; q < 2; q++) {
                product &low = sums[b].low[q], &high = sums[b].high[q];
                low = multiply<PLAIN_WEIGHTS>(weights.at.word[0][q][k], left, right, low);
                high = multiply<PLAIN_WEIGHTS>(weights.at.word[1][q][k], left, right, high);
            }
        }
        if (PIECES % 2) {
            uint32_t four = load_four(at[b] + 16 * (PIECES - 1) + 4 * t);
#pragma unroll
            for (int q = 0; q < 2; q++) {
                product &low = sums[b].low[q], &high = sums[b].high[q];
                low = multiply_half<PLAIN_WEIGHTS>(weights.at.word[0][q][PIECES - 1], four, low);
                high = multiply_half<PLAIN_WEIGHTS>(weights.at.word[1][q][PIECES - 1], four, high);
            }
        }
    }
    return pack_sums(sums, task.shift[0]);
}

static __device__ __forceinline__ row_sums add_along_rows(const tap_rows<0> &weights,
                                                          const uint32_t (&at)[2], int t,
                                                          const box_task &task)
{
    tap_sums sums[2] = {begin_sums(weights), begin_sums(weights)};
    uint32_t from[2] = {at[0] + 8 * t, at[1] + 8 * t};
#pragma unroll 1
    for (int pair = 0; pair < weights.count; pair++) {
        uint32_t left[2], right[2];
#pragma unroll
        for (int b = 0; b < 2; b++, from[b - 1] += 32) {
            load_eight<true>(from[b], &left[b], &right[b]);
        }
#pragma unroll
        for (int q = 0; q < 2; q++) {
            uint32_t low[4], high[4];
            weights.find(0, q, pair, low);
            weights.find(1, q, pair, high);
#pragma unroll
            for (int b = 0; b < 2; b++) {
                product &lows = sums[b].low[q], &highs = sums[b].high[q];
                lows = multiply<PLAIN_WEIGHTS>(low, left[b], right[b], lows);
                highs = multiply<PLAIN_WEIGHTS>(high, left[b], right[b], highs);
            }
        }
    }
    return pack_sums(sums, task.shift[0]);
}

/* A lane's weights down a tile's columns. */
template <int GROUPS> struct tap_columns {
    struct {
        uint32_t word[2][GROUPS][4], start[4];
    } at;

    __device__ __forceinline__ void load(const box_task &task, int matrix)
    {
        load_matrix<8 * GROUPS + 4>(at.word[0][0], task.down, matrix);
    }
};

template <int GROUPS, class Finish>
static __device__ __forceinline__ void
add_columns(const tap_columns<GROUPS> &weights, const row_sums *ring, int newest,
            const box_task &task, const typename Finish::centres &,
            result_rows<typename Finish::sample> &results)
{
#pragma unroll
    for (int q = 0; q < 2; q++) {
#pragma unroll
        for (int h = 0; h < 2; h++) {
            auto low = [&](int k) { return ring[k].low[q][h]; };
            auto high = [&](int k) { return ring[k].high[q][h]; };
            const int above = (int)weights.at.start[0], below = (int)weights.at.start[1];
            product sum = add_down<GROUPS>(weights.at.word[1], newest, all_of(0), high);
#pragma unroll
            for (int i = 0; i < 4; i++) {
                sum.at[i] *= task.shift[0];
            }
            sum = add_down<GROUPS>(weights.at.word[1], newest, sum, low);
            sum = add_down<GROUPS>(weights.at.word[0], newest, sum, high);
            product last =
                add_down<GROUPS>(weights.at.word[0], newest, {{above, above, below, below}}, low);
            uint32_t four[4];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                four[i] = (uint32_t)sum.at[i] * (uint32_t)task.shift[0] + (uint32_t)last.at[i];
            }
            Finish::put(results, 4 * q + 2 * h, four);
        }
    }
    results.finish();
}

#endif
