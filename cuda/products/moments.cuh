/*
 * Sums along rows of bytes and of their squares, as products with a band of weights. Squares have
 * two bytes, their sums along a row three, which are summed down columns as the bytes of the
 * samples' sums are.
 */
#ifndef CUDA_PRODUCTS_MOMENTS_CUH
#define CUDA_PRODUCTS_MOMENTS_CUH

#include "lanes.cuh"

/* As row_sums, of sums below 2^24: those of at most 65 squares of bytes. */
struct row_squares {
    uint32_t low[2][2], middle[2][2], high[2][2];
};

struct row_moments {
    row_sums sums;
    row_squares squares;
};

/* The squares of four bytes: their low bytes and their high ones. */
static __device__ __forceinline__ void square_four(uint32_t four, int shift_16, uint32_t *low,
                                                   uint32_t *high)
{
    uint32_t square[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        square[i] = __dp4a(four & 0xFFU << (8 * i), four, 0U);
    }
    uint32_t upper = square[1] * (uint32_t)shift_16 + square[0];
    uint32_t lower = square[3] * (uint32_t)shift_16 + square[2];
    *low = __byte_perm(upper, lower, 0x6420);
    *high = __byte_perm(upper, lower, 0x7531);
}

/* Eight rows of products, of either half of a tile: of samples, and of the bytes of squares. */
struct moment_products {
    product sum[2], low[2], high[2];
};

/* at: the lane's row, from the tile's halo on. */
template <int PIECES>
static __device__ __forceinline__ moment_products
multiply_moments(const uint32_t (&weights)[2][PIECES][2], uint32_t at, int t, int shift_16)
{
    moment_products of;
#pragma unroll
    for (int k = 0; k < PIECES; k += 2) {
        uint32_t four[2] = {0, 0}, low[2], high[2];
        if (k + 1 < PIECES) {
            load_eight<true>(at + 16 * k + 8 * t, &four[0], &four[1]);
        } else {
            four[0] = load_four(at + 16 * k + 4 * t);
        }
        square_four(four[0], shift_16, &low[0], &high[0]);
        square_four(four[1], shift_16, &low[1], &high[1]);
#pragma unroll
        for (int q = 0; q < 2; q++) {
            auto add = [&](product *to, const uint32_t(&byte)[2]) {
                product before = k ? *to : all_of(0);
                *to = k + 1 < PIECES
                          ? multiply<PLAIN_WEIGHTS>(weights[q][k], byte[0], byte[1], before)
                          : multiply_half<PLAIN_WEIGHTS>(weights[q][k], byte[0], before);
            };
            add(&of.sum[q], four);
            add(&of.low[q], low);
            add(&of.high[q], high);
        }
    }
    return of;
}

/* Two neighbours of a row: sums, and of sums of squares the low two bytes and the third one. */
struct moment_pair {
    uint32_t sums, low, high;
};

static __device__ __forceinline__ moment_pair pack_pair(const moment_products &of, int q, int h,
                                                        const int (&shift)[2])
{
    uint32_t square[2];
#pragma unroll
    for (int i = 0; i < 2; i++) {
        square[i] = (uint32_t)(of.high[q].at[2 * h + i] * shift[0] + of.low[q].at[2 * h + i]);
    }
    moment_pair pair;
    pair.sums =
        (uint32_t)of.sum[q].at[2 * h + 1] * (uint32_t)shift[1] + (uint32_t)of.sum[q].at[2 * h];
    pair.low = __byte_perm(square[0], square[1], 0x5410);
    pair.high = __byte_perm(square[0], square[1], 0x0062);
    return pair;
}

/* As add_along_rows(). shift: that of box_task. */
template <int PIECES>
static __device__ __forceinline__ row_moments add_moments_along_rows(
    const uint32_t (&weights)[2][PIECES][2], const uint32_t (&at)[2], int t, const int (&shift)[2])
{
    moment_pair pair[2][2][2]; /* rows 0 to 7 and 8 to 15, half of the tile, row of its product */
#pragma unroll
    for (int b = 0; b < 2; b++) {
        moment_products of = multiply_moments<PIECES>(weights, at[b], t, shift[1]);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            pair[b][i / 2][i % 2] = pack_pair(of, i / 2, i % 2, shift);
        }
    }
    row_moments rows;
#pragma unroll
    for (int q = 0; q < 2; q++) {
#pragma unroll
        for (int h = 0; h < 2; h++) {
            const moment_pair &up = pair[0][q][h], &below = pair[1][q][h];
            rows.sums.low[q][h] = __byte_perm(up.sums, below.sums, 0x6420);
            rows.sums.high[q][h] = __byte_perm(up.sums, below.sums, 0x7531);
            rows.squares.low[q][h] = __byte_perm(up.low, below.low, 0x6420);
            rows.squares.middle[q][h] = __byte_perm(up.low, below.low, 0x7531);
            rows.squares.high[q][h] = __byte_perm(up.high, below.high, 0x5410);
        }
    }
    return rows;
}

#endif
