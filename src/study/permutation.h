/*
 * The permutations that the dissertation measures (sections 4.4 and 5.2), as
 * pure functions: word i goes to word P(i). A leaf like layout.h: valid C11 and
 * CUDA C++17.
 */
#ifndef SATF_STUDY_PERMUTATION_H
#define SATF_STUDY_PERMUTATION_H

#include "../base/layout.h"

/* X(NAME, function, inverse, "name"); functions of (side, i), 0 <= i < side^2, where
 * side is a power of two, up to 2^15, and for the first two any number. A random
 * permutation is a table, not a function, and has no line. */
#define PERMUTATIONS(X)                                                     \
    X(IDENTICAL, permutation_identical, permutation_identical, "identical") \
    X(TRANSPOSE, permutation_transpose, permutation_transpose, "transpose") \
    X(SHUFFLE, permutation_shuffle, permutation_unshuffle, "shuffle")       \
    X(BIT_REVERSAL, permutation_bit_reversal, permutation_bit_reversal, "bit-reversal")

typedef enum permutation_kind {
#define PERMUTATION_ENUM(NAME, function, inverse, name) PERMUTATION_##NAME,
    PERMUTATIONS(PERMUTATION_ENUM)
#undef PERMUTATION_ENUM
        PERMUTATION_RANDOM,
    PERMUTATION_COUNT
} permutation_kind;

SATF_LAYOUT_FN uint32_t permutation_identical(uint32_t side, uint32_t i)
{
    (void)side;
    return i;
}

SATF_LAYOUT_FN uint32_t permutation_transpose(uint32_t side, uint32_t i)
{
    return i % side * side + i / side;
}

/* The bits of i turned to the left by one. */
SATF_LAYOUT_FN uint32_t permutation_shuffle(uint32_t side, uint32_t i)
{
    uint32_t half = side * side / 2;
    return half ? i % half * 2 + i / half : i;
}

/* To the right by one. */
SATF_LAYOUT_FN uint32_t permutation_unshuffle(uint32_t side, uint32_t i)
{
    return i / 2 + i % 2 * (side * side / 2);
}

SATF_LAYOUT_FN uint32_t permutation_bit_reversal(uint32_t side, uint32_t i)
{
    uint32_t reversed = 0;
    for (uint32_t bit = 1; bit < side * side; bit *= 2) {
        reversed = reversed * 2 + i % 2;
        i /= 2;
    }
    return reversed;
}

/* P(i); not of PERMUTATION_RANDOM. */
SATF_LAYOUT_FN uint32_t permutation_of(permutation_kind kind, uint32_t side, uint32_t i)
{
    switch (kind) {
#define PERMUTATION_CASE(NAME, function, inverse, name) \
    case PERMUTATION_##NAME:                            \
        return function(side, i);
        PERMUTATIONS(PERMUTATION_CASE)
#undef PERMUTATION_CASE
    default:
        return i;
    }
}

/* The i that goes to word p. */
SATF_LAYOUT_FN uint32_t permutation_inverse_of(permutation_kind kind, uint32_t side, uint32_t p)
{
    switch (kind) {
#define PERMUTATION_CASE(NAME, function, inverse, name) \
    case PERMUTATION_##NAME:                            \
        return inverse(side, p);
        PERMUTATIONS(PERMUTATION_CASE)
#undef PERMUTATION_CASE
    default:
        return p;
    }
}

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
