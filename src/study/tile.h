/*
 * The element of a tile in shared memory that a thread accesses, in the kernels that the paper on
 * adaptive modular mapping (AMM) measures: pure functions of the thread and the iteration of its
 * loop. With layout.h they give addresses. A leaf: valid C11 and CUDA C++17.
 */
#ifndef SATF_STUDY_TILE_H
#define SATF_STUDY_TILE_H

#include "../base/layout.h"

/* Element (i, j) of the tile, or none where nobody. */
typedef struct tile_element {
    uint32_t i, j;
    uint32_t nobody;
} tile_element;

SATF_LAYOUT_FN tile_element tile_at(uint32_t i, uint32_t j)
{
    tile_element e = {i, j, 0};
    return e;
}

/* The kernels, as tile_kernel_at() numbers them. */
typedef enum tile_kernel_number {
    TILE_TRANSPOSE,
    TILE_CONVOLUTION,
    TILE_LUD,
    TILE_FOO1,
    TILE_FOO1_STRIDED,
    TILE_FOO2,
    TILE_KERNELS
} tile_kernel_number;

/* Transposition: 32 x 8 threads, a tile of 32 x 32, which comes in by rows and goes out by
 * columns, eight of them an iteration. */
enum { TILE_TRANSPOSE_SIDE = 32, TILE_TRANSPOSE_THREADS = 256, TILE_TRANSPOSE_STEPS = 4 };

SATF_LAYOUT_FN tile_element tile_transpose_in(uint32_t thread, uint32_t k)
{
    return tile_at(thread / 32 + 8 * k, thread % 32);
}

SATF_LAYOUT_FN tile_element tile_transpose_out(uint32_t thread, uint32_t k)
{
    return tile_at(thread % 32, thread / 32 + 8 * k);
}

/* Convolution of columns: 16 x 8 threads, a tile that holds 16 columns of the image as its
 * rows: 8 results a thread and 8 samples of apron at both ends, 17 taps. */
enum {
    TILE_CONVOLUTION_ROWS = 16,
    TILE_CONVOLUTION_WIDTH = 80,
    TILE_CONVOLUTION_THREADS = 128,
    TILE_CONVOLUTION_TAPS = 17,
    TILE_CONVOLUTION_LOADS = 10,
    TILE_CONVOLUTION_READS = 8 * TILE_CONVOLUTION_TAPS
};

SATF_LAYOUT_FN tile_element tile_convolution_in(uint32_t thread, uint32_t k)
{
    return tile_at(thread % 16, thread / 16 + 8 * k);
}

/* Tap k mod 17 of result k div 17. */
SATF_LAYOUT_FN tile_element tile_convolution_out(uint32_t thread, uint32_t k)
{
    return tile_at(thread % 16,
                   thread / 16 + 8 * (k / TILE_CONVOLUTION_TAPS) + k % TILE_CONVOLUTION_TAPS);
}

/* The perimeter of a blocked LU decomposition: 32 threads, of which 16 solve for the block
 * left of the diagonal one, a row of the tile of 16 x 16 each; it comes in by rows. */
enum { TILE_LUD_SIDE = 16, TILE_LUD_THREADS = 32, TILE_LUD_READS = 136 };

SATF_LAYOUT_FN tile_element tile_lud_in(uint32_t thread, uint32_t k)
{
    tile_element e = {k, thread % 16, thread < 16};
    return e;
}

/* Iteration k is (i, j <= i) in that order, k = i (i + 1) / 2 + j. */
SATF_LAYOUT_FN tile_element tile_lud_out(uint32_t thread, uint32_t k)
{
    tile_element e = {thread % 16, 0, thread < 16};
    uint32_t i = 0;
    while (k > i) {
        k -= ++i;
    }
    e.j = k;
    return e;
}

/* Foo 1 and Foo 2: 128 threads, each of which fills a row of a tile of 128 x 32 and reads
 * it again. */
enum { TILE_FOO_ROWS = 128, TILE_FOO_WIDTH = 32, TILE_FOO_THREADS = 128, TILE_FOO_STEPS = 32 };

SATF_LAYOUT_FN tile_element tile_foo(uint32_t thread, uint32_t k)
{
    return tile_at(thread, k);
}

#endif
