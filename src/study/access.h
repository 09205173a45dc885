/*
 * The elements that the threads of the measured kernels access, and the values that they compute:
 * pure functions, the same for kernels, the simulated counts and the host's results. With layout.h
 * they give addresses. A leaf: valid C11 and CUDA C++17.
 */
#ifndef SATF_STUDY_ACCESS_H
#define SATF_STUDY_ACCESS_H

#include "../base/layout.h"

typedef struct access_element {
    uint32_t i, j;
} access_element;

SATF_LAYOUT_FN access_element access_at(uint32_t i, uint32_t j)
{
    access_element e = {i, j};
    return e;
}

/* ---------------------------------------------------------------- transposes */

/*
 * The transposes of a w x w matrix by w^2 threads (RAP, section III): thread i w + j reads an
 * element of a and writes it to its place in b. A warp reads and writes a row, a column or a
 * diagonal. COPY leaves each element where it is.
 */
#define ACCESS_TRANSPOSES(X) \
    X(CRSW, "crsw")          \
    X(SRCW, "srcw")          \
    X(DRDW, "drdw")          \
    X(COPY, "copy")

typedef enum access_transpose {
#define ACCESS_ENUM(NAME, name) ACCESS_##NAME,
    ACCESS_TRANSPOSES(ACCESS_ENUM)
#undef ACCESS_ENUM
        ACCESS_TRANSPOSE_COUNT
} access_transpose;

SATF_LAYOUT_FN access_element access_read(access_transpose way, uint32_t w, uint32_t thread)
{
    uint32_t i = thread / w, j = thread % w;
    return way == ACCESS_SRCW   ? access_at(j, i)
           : way == ACCESS_DRDW ? access_at((i + j) % w, j)
                                : access_at(i, j);
}

SATF_LAYOUT_FN access_element access_write(access_transpose way, uint32_t w, uint32_t thread)
{
    access_element from = access_read(way, w, thread);
    return way == ACCESS_COPY ? from : access_at(from.j, from.i);
}

/* --------------------------------------------------------- consecutive powers */

/* Numbers of a group, and powers of each: x^2 ... x^33 (Verschelde, "computing consecutive
 * powers"). */
enum { ACCESS_POWERS = 32 };

/* The place of power p, 0 <= p < ACCESS_POWERS, of number t of a group: each number's powers behind
 * one another, or each power of all numbers. */
SATF_LAYOUT_FN uint32_t access_power(uint32_t interleaved, uint32_t t, uint32_t p)
{
    return interleaved ? layout_raw(ACCESS_POWERS, NULL, p, t)
                       : layout_raw(ACCESS_POWERS, NULL, t, p);
}

/* ------------------------------------------------------------ matrix products */

/* The side of a tile, and of a block's threads. */
enum { ACCESS_PRODUCT_TILE = 32 };

/*
 * How a block of threads (x, y) gets tile (i, j) of a matrix into shared memory. BY_ROWS: the
 * matrix lies row by row, as in the lecture. The others have it column by column. BY_COLUMNS:
 * thread (x, y) still fetches element (y, x), so a warp's addresses are a column apart.
 * STAGED: it fetches element (x, y), along the column, and the exchange takes place in
 * shared memory.
 */
#define ACCESS_PRODUCTS(X)   \
    X(BY_ROWS, "coalesced")  \
    X(BY_COLUMNS, "strided") \
    X(STAGED, "staged")

typedef enum access_product {
#define ACCESS_ENUM(NAME, name) ACCESS_##NAME,
    ACCESS_PRODUCTS(ACCESS_ENUM)
#undef ACCESS_ENUM
        ACCESS_PRODUCT_COUNT
} access_product;

/* The element of the tile that thread (x, y) fetches. */
SATF_LAYOUT_FN access_element access_product_element(access_product way, uint32_t x, uint32_t y)
{
    return way == ACCESS_STAGED ? access_at(x, y) : access_at(y, x);
}

/* The place of element (row, column) of a matrix of side x side words in global memory. */
SATF_LAYOUT_FN int64_t access_product_word(access_product way, int64_t side, int64_t row,
                                           int64_t column)
{
    return way == ACCESS_BY_ROWS ? row * side + column : column * side + row;
}

/* The place of element (i, j) of a tile in shared memory: staged, warps meet it by rows and by
 * columns. */
SATF_LAYOUT_FN uint32_t access_product_place(access_product way, uint32_t i, uint32_t j)
{
    return way == ACCESS_STAGED ? layout_diagonal(ACCESS_PRODUCT_TILE, NULL, i, j)
                                : layout_raw(ACCESS_PRODUCT_TILE, NULL, i, j);
}

/* ------------------------------------------------------------- arrays of structs */

/* What is made of a struct's fields, one after the other, so that a result shows their
 * values and their order; it begins with 0. */
SATF_LAYOUT_FN uint32_t access_fold(uint32_t so_far, uint32_t field)
{
    return so_far * 31 + field;
}

/* ------------------------------------------------------------------------ tiles */

/* What tile.h's kernels compute. Products and sums are rounded one by one, everywhere. */

/* The convolution's taps: sums of integers below 2^14 stay exact. */
SATF_LAYOUT_FN float access_tap(uint32_t tap)
{
    return (float)(1 + tap * 3 % 17);
}

/* The arithmetic of Foo 2. */
enum { ACCESS_FOO2_ROUNDS = 64 };

SATF_LAYOUT_FN float access_foo2(float x)
{
    for (int round = 0; round < ACCESS_FOO2_ROUNDS; round++) {
        x = x * 0.75f + 1.0f;
    }
    return x;
}

#endif
