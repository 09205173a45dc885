/*
 * The permutations that the dissertation measures (sections 4.4 and 5.2). P sends
 * element i to place P(i). Valid C11 and CUDA C++17.
 */
#ifndef SATF_STUDY_PATTERN_H
#define SATF_STUDY_PATTERN_H

#include <stdbool.h>

#include "../base/layout.h"

/* X(NAME, "name", in_place): in_place: P(i) of 1024 elements is computed without a table. */
#define PATTERNS(X)                       \
    X(IDENTICAL, "identical", false)      \
    X(TRANSPOSE, "transpose", true)       \
    X(SHUFFLE, "shuffle", true)           \
    X(BIT_REVERSAL, "bit-reversal", true) \
    X(RANDOM, "random", false)

typedef enum pattern {
#define PATTERN_ENUM(NAME, name, in_place) PATTERN_##NAME,
    PATTERNS(PATTERN_ENUM)
#undef PATTERN_ENUM
        PATTERN_COUNT
} pattern;

const char *pattern_name(pattern which);
bool pattern_in_place(pattern which);

/*
 * p[i] = P(i) of n = rows * columns elements: transpose of a matrix of that many
 * rows; random depends on the seed alone. shuffle, which moves the index's first
 * bit to its end, and bit-reversal need a power of two: false, and p untouched, otherwise.
 */
bool pattern_fill(pattern which, uint32_t rows, uint32_t columns, uint64_t seed, uint32_t *p);

/* ----------------------------------------------- in place, for 1024 elements */

#define PATTERN_SMALL 1024u

SATF_LAYOUT_FN uint32_t pattern_small_transpose(uint32_t i)
{
    return i >> 5 | (i & 31) << 5;
}

SATF_LAYOUT_FN uint32_t pattern_small_shuffle(uint32_t i)
{
    return i >> 9 | (i & 511) << 1;
}

SATF_LAYOUT_FN uint32_t pattern_small_unshuffle(uint32_t i)
{
    return i >> 1 | (i & 1) << 9;
}

/* Halves of five bits change places, then the bits within each about its middle one. */
SATF_LAYOUT_FN uint32_t pattern_small_bit_reversal(uint32_t i)
{
    uint32_t u = i >> 5 | (i & 31) << 5;
    uint32_t v = (u & 0x318) >> 3 | (u & 0x63) << 3;
    return (v & 0x252) >> 1 | (v & 0x129) << 1 | (u & 0x84);
}

/* The source of a conflict-free schedule of all three, for words of the banks' width and, half
 * a warp at a time, of twice that: its bank is the thread's, and the lowest bits are mixed into
 * those that the three turn into the bank of P. */
SATF_LAYOUT_FN uint32_t pattern_small_source(uint32_t i)
{
    return i ^ (i & 31) << 5 ^ ((i ^ i >> 3) & 1) << 9;
}

/* ---------------------------------------- the scheduled permutation's transpose */

/* The steps of the scheduled permutation (section 5.5) where P is the transposition, with the
 * colour (i + j) mod side: within row i column j goes to scheduled_row_1(), then within
 * column j row i to scheduled_column(), then again within row i to scheduled_row_2().
 * Turned and mirrored rows are free of conflicts as they are, so S of section 5.4 is the
 * identity, and D these. */
SATF_LAYOUT_FN uint32_t scheduled_row_1(uint32_t side, uint32_t i, uint32_t j)
{
    return (i + j) % side;
}

SATF_LAYOUT_FN uint32_t scheduled_column(uint32_t side, uint32_t j, uint32_t i)
{
    return (j + side - i) % side;
}

SATF_LAYOUT_FN uint32_t scheduled_row_2(uint32_t side, uint32_t i, uint32_t j)
{
    return (j + side - i) % side;
}

#endif
