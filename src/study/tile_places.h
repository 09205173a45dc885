/*
 * The places in global memory of the tiles of tile.h's kernels when they are measured: pure
 * functions of the tile and the element. A leaf: valid C11 and CUDA C++17.
 */
#ifndef SATF_STUDY_TILE_PLACES_H
#define SATF_STUDY_TILE_PLACES_H

#include "tile.h"

/* Tiles as they lie in an image: `across` beside one another, `down` below. */
typedef struct tile_grid {
    int64_t across, down;
} tile_grid;

enum { TILE_MOST_ACROSS = 128 };

/* tiles: up to TILE_MOST_ACROSS, or a multiple of it. */
SATF_LAYOUT_FN tile_grid tile_grid_of(int64_t tiles)
{
    tile_grid g = {tiles < TILE_MOST_ACROSS ? tiles : TILE_MOST_ACROSS, 1};
    g.down = tiles / g.across;
    return g;
}

/* Transposition: element (i, j) of the tile within the matrix, and within the transposed one. */
SATF_LAYOUT_FN int64_t tile_transpose_from(const tile_grid *g, int64_t tile, uint32_t i, uint32_t j)
{
    int64_t x = tile % g->across * TILE_TRANSPOSE_SIDE + j;
    int64_t y = tile / g->across * TILE_TRANSPOSE_SIDE + i;
    return y * (g->across * TILE_TRANSPOSE_SIDE) + x;
}

SATF_LAYOUT_FN int64_t tile_transpose_to(const tile_grid *g, int64_t tile, uint32_t i, uint32_t j)
{
    int64_t x = tile % g->across * TILE_TRANSPOSE_SIDE + j;
    int64_t y = tile / g->across * TILE_TRANSPOSE_SIDE + i;
    return x * (g->down * TILE_TRANSPOSE_SIDE) + y;
}

/* Convolution: results a tile has below one another; a thread's; and the samples that the
 * image has above and below its results, for the aprons. */
enum {
    TILE_CONVOLUTION_HEIGHT = 64,
    TILE_CONVOLUTION_RESULTS = 8,
    TILE_CONVOLUTION_APRON = TILE_CONVOLUTION_WIDTH - TILE_CONVOLUTION_HEIGHT
};

/* The sample whose column within the tile is i and whose row is j, both aprons counted; and
 * the result whose first tap that sample is. */
SATF_LAYOUT_FN int64_t tile_convolution_place(const tile_grid *g, int64_t tile, uint32_t i,
                                              uint32_t j)
{
    int64_t x = tile % g->across * TILE_CONVOLUTION_ROWS + i;
    int64_t y = tile / g->across * TILE_CONVOLUTION_HEIGHT + j;
    return y * (g->across * TILE_CONVOLUTION_ROWS) + x;
}

/* LU decomposition: the diagonal block, the blocks to its right as a matrix of 16 rows, those
 * below it as one of 16 columns. Results lie likewise, without the diagonal block. */
enum { TILE_LUD_DIAGONAL = TILE_LUD_SIDE * TILE_LUD_SIDE };

SATF_LAYOUT_FN int64_t tile_lud_right(int64_t tiles, int64_t tile, uint32_t i, uint32_t j)
{
    return TILE_LUD_DIAGONAL + (i * tiles + tile) * TILE_LUD_SIDE + j;
}

SATF_LAYOUT_FN int64_t tile_lud_below(int64_t tiles, int64_t tile, uint32_t i, uint32_t j)
{
    return TILE_LUD_DIAGONAL + (tiles + tile) * TILE_LUD_DIAGONAL + i * TILE_LUD_SIDE + j;
}

/* Foo: what thread t puts into column k of its row. Coalesced: threads take consecutive words;
 * else each takes consecutive words of its own. */
SATF_LAYOUT_FN int64_t tile_foo_place(uint32_t coalesced, int64_t tile, uint32_t t, uint32_t k)
{
    uint32_t within = coalesced ? k * TILE_FOO_ROWS + t : t * TILE_FOO_WIDTH + k;
    return tile * (TILE_FOO_ROWS * TILE_FOO_WIDTH) + within;
}

#endif
