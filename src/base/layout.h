/*
 * The address of an element of an array in a memory of w banks: pure functions from indices to an
 * address, the same for kernels, the simulator and the tests. A leaf: valid C11 and CUDA C++17.
 * Address a lies in bank a mod w (dissertation, section 3.1).
 *
 * Two lists name them all. A new layout is a function and a line in a list; the enums, the
 * dispatchers, the random numbers, the benchmarks and the tests follow.
 *
 * Indices are 32-bit, so an array must have less than 2^32 words, padding included; those of w^4
 * words may have w <= 256, for then the last address is 2^32 - 1. Nothing is checked here. Within
 * its bounds each layout is injective, and without padding a bijection onto 0 ... words - 1.
 */
#ifndef SATF_BASE_LAYOUT_H
#define SATF_BASE_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __CUDACC__
#define SATF_LAYOUT_FN static __host__ __device__ inline
#else
#define SATF_LAYOUT_FN static inline
#endif

SATF_LAYOUT_FN uint32_t layout_bank(uint32_t w, uint32_t address)
{
    return address % w;
}

/* ---------------------------------------------------------- random numbers */

/*
 * Numbers in 0 ... w - 1, as many to a 32-bit register as fit: six where w = 32 (RAP, section VI,
 * figure 7). Number i is in register i / per_register, the first one in its lowest bits. With a
 * constant w all this folds, and registers indexed by constants stay registers.
 */

/* Bits of a number in 0 ... w - 1, for 1 <= w <= 2^16. */
SATF_LAYOUT_FN uint32_t layout_number_bits(uint32_t w)
{
    return w <= 2       ? 1
           : w <= 4     ? 2
           : w <= 8     ? 3
           : w <= 16    ? 4
           : w <= 32    ? 5
           : w <= 64    ? 6
           : w <= 128   ? 7
           : w <= 256   ? 8
           : w <= 512   ? 9
           : w <= 1024  ? 10
           : w <= 2048  ? 11
           : w <= 4096  ? 12
           : w <= 8192  ? 13
           : w <= 16384 ? 14
           : w <= 32768 ? 15
                        : 16;
}

SATF_LAYOUT_FN uint32_t layout_numbers_per_register(uint32_t w)
{
    return 32 / layout_number_bits(w);
}

/* Registers that hold `count` numbers. */
SATF_LAYOUT_FN uint32_t layout_registers(uint32_t w, uint32_t count)
{
    uint32_t per = layout_numbers_per_register(w);
    return count / per + (count % per != 0);
}

SATF_LAYOUT_FN uint32_t layout_number(uint32_t w, const uint32_t *r, uint32_t i)
{
    uint32_t per = layout_numbers_per_register(w), bits = layout_number_bits(w);
    return (r[i / per] >> (bits * (i % per))) & ((1u << bits) - 1);
}

/* Puts number i where layout_number() finds it; the registers must be zeroed at first. */
SATF_LAYOUT_FN void layout_put_number(uint32_t w, uint32_t *r, uint32_t i, uint32_t number)
{
    uint32_t per = layout_numbers_per_register(w), bits = layout_number_bits(w);
    r[i / per] |= number << (bits * (i % per));
}

/* ---------------------------------------------------------------- matrices */

/*
 * Element (i, j) of a matrix of rows of w words: row i, column 0 <= j < w. `r` holds the layout's
 * random numbers, or is NULL where it has none. w is the matrix's width, which need not be the
 * number of banks, but what is said of conflicts holds where it is.
 */

/* Row by row. Any number of rows. Columns lie in one bank. */
SATF_LAYOUT_FN uint32_t layout_raw(uint32_t w, const uint32_t *r, uint32_t i, uint32_t j)
{
    (void)r;
    return i * w + j;
}

/* A row is followed by a word that nobody uses. Any number of rows. Rows and
 * columns are free of conflicts. */
SATF_LAYOUT_FN uint32_t layout_padded(uint32_t w, const uint32_t *r, uint32_t i, uint32_t j)
{
    (void)r;
    return i * (w + 1) + j;
}

/* Row i is turned by i (dissertation, sections 5.3 and 6.1; AMM, section 3.1).
 * Any number of rows. Rows and columns are free of conflicts. */
SATF_LAYOUT_FN uint32_t layout_diagonal(uint32_t w, const uint32_t *r, uint32_t i, uint32_t j)
{
    (void)r;
    return i * w + (i + j) % w;
}

/* Row i < w is turned by a random number of its own (RAP, section I). */
SATF_LAYOUT_FN uint32_t layout_ras(uint32_t w, const uint32_t *r, uint32_t i, uint32_t j)
{
    return i * w + (j + layout_number(w, r, i)) % w;
}

/* The layout RAP (section IV), i < w, whose numbers are a permutation: rows and columns are free of
 * conflicts. */
SATF_LAYOUT_FN uint32_t layout_rap(uint32_t w, const uint32_t *r, uint32_t i, uint32_t j)
{
    return layout_ras(w, r, i, j);
}

/*
 * X(NAME, function, "name", permutations, numbers, rows, padding):
 * how many random permutations of 0 ... w - 1 it takes, how many independent
 * random numbers behind them, how many rows there may be (0: any), and the
 * unused words a row. AMM is the diagonal arrangement under the name that its
 * authors gave it, so it has no line.
 */
#define LAYOUTS_2D(X)                                    \
    X(RAW, layout_raw, "raw", 0, 0, 0, 0)                \
    X(PADDED, layout_padded, "padded", 0, 0, 0, 1)       \
    X(DIAGONAL, layout_diagonal, "diagonal", 0, 0, 0, 0) \
    X(RAS, layout_ras, "ras", 0, w, w, 0)                \
    X(RAP, layout_rap, "rap", 1, 0, w, 0)

typedef enum layout_2d {
#define LAYOUT_ENUM(NAME, function, name, permutations, numbers, rows, padding) LAYOUT_##NAME,
    LAYOUTS_2D(LAYOUT_ENUM)
#undef LAYOUT_ENUM
        LAYOUT_2D_COUNT,
    LAYOUT_AMM = LAYOUT_DIAGONAL
} layout_2d;

/* The address of element (i, j). */
SATF_LAYOUT_FN uint32_t layout_2d_address(layout_2d layout, uint32_t w, const uint32_t *r,
                                          uint32_t i, uint32_t j)
{
    switch (layout) {
#define LAYOUT_CASE(NAME, function, name, permutations, numbers, rows, padding) \
    case LAYOUT_##NAME:                                                         \
        return function(w, r, i, j);
        LAYOUTS_2D(LAYOUT_CASE)
#undef LAYOUT_CASE
    default:
        return 0;
    }
}

/* Words that a matrix of that many rows takes, with padding. */
SATF_LAYOUT_FN uint32_t layout_2d_words(layout_2d layout, uint32_t w, uint32_t rows)
{
    switch (layout) {
#define LAYOUT_CASE(NAME, function, name, permutations, numbers, most_rows, padding) \
    case LAYOUT_##NAME:                                                              \
        return rows * (w + padding);
        LAYOUTS_2D(LAYOUT_CASE)
#undef LAYOUT_CASE
    default:
        return 0;
    }
}

/* ------------------------------------------------- arrays of four dimensions */

/*
 * Element (i, j, k, l) of w^4 words (RAP, section VII), every index below w:
 * line (i, j, k) of w words is turned by f(i, j, k). What is called stride 1, 2
 * and 3 accesses all k, all j and all i of the other indices.
 */
SATF_LAYOUT_FN uint32_t layout_turned_4d(uint32_t w, uint32_t i, uint32_t j, uint32_t k, uint32_t l,
                                         uint32_t f)
{
    return ((i * w + j) * w + k) * w + (l + f) % w;
}

SATF_LAYOUT_FN uint32_t layout_raw_4d(uint32_t w, const uint32_t *r, uint32_t i, uint32_t j,
                                      uint32_t k, uint32_t l)
{
    (void)r;
    return layout_turned_4d(w, i, j, k, l, 0);
}

/* A random number for each line. */
SATF_LAYOUT_FN uint32_t layout_ras_4d(uint32_t w, const uint32_t *r, uint32_t i, uint32_t j,
                                      uint32_t k, uint32_t l)
{
    return layout_turned_4d(w, i, j, k, l, layout_number(w, r, (i * w + j) * w + k));
}

/* One permutation: f = r[k]. Stride 1 is free of conflicts. */
SATF_LAYOUT_FN uint32_t layout_1p(uint32_t w, const uint32_t *r, uint32_t i, uint32_t j, uint32_t k,
                                  uint32_t l)
{
    return layout_turned_4d(w, i, j, k, l, layout_number(w, r, k));
}

/* One permutation three times: f = r[i] + r[j] + r[k]. All strides are free. */
SATF_LAYOUT_FN uint32_t layout_r1p(uint32_t w, const uint32_t *r, uint32_t i, uint32_t j,
                                   uint32_t k, uint32_t l)
{
    return layout_turned_4d(
        w, i, j, k, l, layout_number(w, r, i) + layout_number(w, r, j) + layout_number(w, r, k));
}

/* Three permutations: f = r[i] + s[j] + t[k]. All strides are free. */
SATF_LAYOUT_FN uint32_t layout_3p(uint32_t w, const uint32_t *r, uint32_t i, uint32_t j, uint32_t k,
                                  uint32_t l)
{
    return layout_turned_4d(w, i, j, k, l,
                            layout_number(w, r, i) + layout_number(w, r, w + j) +
                                layout_number(w, r, 2 * w + k));
}

/* w^2 permutations: f is the k-th number of permutation i w + j. Stride 1 is free. */
SATF_LAYOUT_FN uint32_t layout_w2p(uint32_t w, const uint32_t *r, uint32_t i, uint32_t j,
                                   uint32_t k, uint32_t l)
{
    return layout_ras_4d(w, r, i, j, k, l);
}

/* One permutation r and w^2 random numbers s: f = s[i w + j] + r[k]. Stride 1 is free. */
SATF_LAYOUT_FN uint32_t layout_1pw2r(uint32_t w, const uint32_t *r, uint32_t i, uint32_t j,
                                     uint32_t k, uint32_t l)
{
    return layout_turned_4d(w, i, j, k, l,
                            layout_number(w, r, k) + layout_number(w, r, w + i * w + j));
}

/* X(NAME, function, "name", permutations, numbers), as above. */
#define LAYOUTS_4D(X)                                 \
    X(RAW_4D, layout_raw_4d, "raw4d", 0, 0)           \
    X(RAS_4D, layout_ras_4d, "ras4d", 0, (w * w * w)) \
    X(1P, layout_1p, "1p", 1, 0)                      \
    X(R1P, layout_r1p, "r1p", 1, 0)                   \
    X(3P, layout_3p, "3p", 3, 0)                      \
    X(W2P, layout_w2p, "w2p", (w * w), 0)             \
    X(1PW2R, layout_1pw2r, "1pw2r", 1, (w * w))

typedef enum layout_4d {
#define LAYOUT_ENUM(NAME, function, name, permutations, numbers) LAYOUT_##NAME,
    LAYOUTS_4D(LAYOUT_ENUM)
#undef LAYOUT_ENUM
        LAYOUT_4D_COUNT
} layout_4d;

SATF_LAYOUT_FN uint32_t layout_4d_address(layout_4d layout, uint32_t w, const uint32_t *r,
                                          uint32_t i, uint32_t j, uint32_t k, uint32_t l)
{
    switch (layout) {
#define LAYOUT_CASE(NAME, function, name, permutations, numbers) \
    case LAYOUT_##NAME:                                          \
        return function(w, r, i, j, k, l);
        LAYOUTS_4D(LAYOUT_CASE)
#undef LAYOUT_CASE
    default:
        return 0;
    }
}

/* -------------------------------------------------------- arrays of structs */

/*
 * Field 0 <= i < fields of struct 0 <= j < w (Giles, sections 2 to 4), for any fields >= 1 and w a
 * power of two. Free of conflicts both in ascending order of i + j fields and, field by field, of
 * j. Let fields = P F, P a power of two and F odd. Where P <= w, struct w / P is the first whose
 * field 0 would meet that of struct 0; it starts at word w F, so a word is left out at each
 * multiple of w F. (If fields are odd, none is.) Where P > w, all structs would meet, so one is
 * left out behind each.
 */
SATF_LAYOUT_FN uint32_t layout_giles(uint32_t w, uint32_t fields, uint32_t i, uint32_t j)
{
    uint32_t power = fields & (~fields + 1), word = i + j * fields;
    return word + (power <= w ? word / (w * (fields / power)) : j);
}

/* Words that layout_giles() takes. */
SATF_LAYOUT_FN uint32_t layout_giles_words(uint32_t w, uint32_t fields)
{
    return layout_giles(w, fields, fields - 1, w - 1) + 1;
}

#endif
