/* Products of the matrix units (cuda/products/multiply.cuh), by a warp of fibers: lane 4 g + t has
 * rows g and g + 8 of a, columns 2 t and 2 t + 1 of the result, and column g of b. */
#ifndef EMULATED_MULTIPLY_H
#define EMULATED_MULTIPLY_H

#include "cuda_runtime.h"

/* Byte `column` of row `row` of a matrix of 16 x 32 or 16 x 16, of all lanes' words. */
static inline int emulated_a(const uint64_t *const *words, int row, int column, bool is_signed)
{
    int word = row / 8 + column / 16 * 2, lane = row % 8 * 4 + column % 16 / 4;
    unsigned byte = (unsigned)(words[word][lane] >> 8 * (column % 4)) & 255;
    return is_signed ? (int)(int8_t)byte : (int)byte;
}

static inline int emulated_b(const uint64_t *const *words, int row, int column)
{
    int lane = column * 4 + row % 16 / 4;
    return (int)((words[row / 16][lane] >> 8 * (row % 4)) & 255);
}

/* to = a b + to; depth: 32 or 16, columns of a. */
static inline void emulated_multiply(int *to, int depth, bool is_signed, const uint32_t *a,
                                     const uint32_t *b)
{
    uint64_t kept[6][EMULATED_LANES];
    const uint64_t *words[6];
    int halves = depth / 16, lane = emulated_lane();
    for (int i = 0; i < 3 * halves; i++) {
        uint32_t word = i < 2 * halves ? a[i] : b[i - 2 * halves];
        memcpy(kept[i], emulated_exchange(~0u, word), sizeof kept[i]);
        words[i] = kept[i];
    }
    for (int i = 0; i < 4; i++) {
        int row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
        for (int k = 0; k < depth; k++) {
            to[i] +=
                emulated_a(words, row, k, is_signed) * emulated_b(words + 2 * halves, k, column);
        }
    }
}

#endif
