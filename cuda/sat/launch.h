/*
 * The launchers that the algorithms (host) call. Read this file first, then algorithms.cu, which
 * calls them, and tile.cuh, the block in registers. There are tables of launchers, of look-back for
 * each pair of sample and sum type, of all others for each type of sums, filled where the kernels
 * are compiled. Nothing here waits; errors are those of the launch.
 */
#ifndef CUDA_SAT_LAUNCH_H
#define CUDA_SAT_LAUNCH_H

#include <cuda_runtime.h>

#include "../base/engine.h"

extern "C" {
#include "../../src/sat/sums.h"
}

/* An image and its table in device memory, all channels. */
struct sat_plane {
    const char *in;
    char *out;
    int64_t in_stride, out_stride; /* bytes */
    int64_t width, height;         /* pixels */
    int channels;
    int16_t summand, in_bytes; /* satf_summand; of a sample */
    int in_align, out_align;   /* bytes, a power of two up to 16 that divides every row's address */
};

/*
 * The image cut into blocks of tile x tile samples of one channel. Blocks that wait for one
 * another are numbered along anti-diagonals from the upper left, channels innermost: whatever
 * lies above or left of a block has a smaller number.
 */
struct sat_grid {
    int64_t tiles_x, tiles_y;
    int channels;
};

__host__ __device__ inline int64_t grid_diagonals(const sat_grid &g)
{
    return g.tiles_x + g.tiles_y - 1;
}

/* Blocks on anti-diagonal d of across x down. */
template <typename N> __host__ __device__ inline N diagonal_count(N across, N down, N d)
{
    N shorter = across < down ? across : down, left = across + down - 1 - d;
    N n = d + 1 < left ? d + 1 : left;
    return n < shorter ? n : shorter;
}

/* Blocks of one channel on anti-diagonal d and on all before it. */
__host__ __device__ inline int64_t diagonal_count(const sat_grid &g, int64_t d)
{
    return diagonal_count(g.tiles_x, g.tiles_y, d);
}

__host__ __device__ inline int64_t diagonals_before(const sat_grid &g, int64_t d)
{
    int64_t shorter = g.tiles_x < g.tiles_y ? g.tiles_x : g.tiles_y;
    int64_t longer = g.tiles_x + g.tiles_y - shorter;
    if (d <= shorter) {
        return d * (d + 1) / 2;
    }
    if (d <= longer) {
        return shorter * (shorter + 1) / 2 + (d - shorter) * shorter;
    }
    int64_t left = grid_diagonals(g) - d;
    return g.tiles_x * g.tiles_y - left * (left + 1) / 2;
}

/* Blocks of all channels on the anti-diagonals begin ... end - 1. */
__host__ __device__ inline int64_t blocks_between(const sat_grid &g, int64_t begin, int64_t end)
{
    return (diagonals_before(g, end) - diagonals_before(g, begin)) * g.channels;
}

/*
 * The sums that blocks hand on (the paper's R, S and U, section 6.3), one set a channel.
 * col[I][x]: the sum over the columns of x's block up to x of the rows of tile row I;
 * row[J][y]: over the rows of y's block up to y of the columns of tile column J (kept
 * transposed, so that both are read and written along memory); corner[I][J]: of
 * block (I, J). Step 2 makes them the sums of all blocks up to I, up to J, and
 * up to both.
 */
struct sat_aux {
    void *col, *row, *corner;
    int64_t col_pitch, row_pitch,
        corner_pitch; /* elements: tiles_x * tile, tiles_y * tile, tiles_x */
    int64_t col_plane, row_plane, corner_plane; /* elements from a channel to the next */
};

/*
 * What blocks hand on where all stages of 1R1W are one kernel: words of value and state
 * (tile_state.cuh) of the latest anti-diagonals, one set for each [anti-diagonal %
 * ANTI_DIAGONALS][channel][place on it]: few, and written again soon. Whatever they hold before,
 * the kernel clears them.
 */
struct sat_ring {
    enum { ANTI_DIAGONALS = 4 }; /* at least 3: of two words are read while one is written */
    void *words;
    int64_t places;  /* on the longest anti-diagonal */
    unsigned *count; /* of the blocks that have handed on theirs */
};

/* The words of a block in the ring: of its columns, its rows and the corner, see sat_aux; whole
 * sectors of memory. */
__host__ __device__ constexpr int ring_pitch(int tile)
{
    return 2 * tile + 4;
}

__host__ __device__ inline int64_t ring_places(const sat_grid &g)
{
    return g.tiles_x < g.tiles_y ? g.tiles_x : g.tiles_y;
}

/*
 * What the blocks of lookback and skss hand on, words of value and state (tile_state.cuh), and the
 * ticket, which is 0 before and after a run. Words are 0 before the first run; later runs find
 * those of the run before, for blocks of the same number, shape and types.
 */
struct sat_lookback {
    unsigned *ticket;
    unsigned prefix; /* the state of a prefix in this run, which it was not in the one before */
    /* Blocks of one channel have [channel][I][J][column], [channel][J][I][row] and, for the table's
     * value at the block's last sample, [channel][I][J]; blocks of pixels have [I][J][column],
     * [J][I][channel][row] and [I][J][channel]. */
    void *col, *row, *corner;
    bool hinted; /* whether L2 is told which words to keep */
};

/* How many blocks the kernels of sat_shape take; for `side` see there. */
__host__ __device__ inline int64_t blocks_of_side(const sat_grid &g, int64_t side)
{
    return (side ? side * (side + 1) : g.tiles_x * g.tiles_y) * g.channels;
}

/* What kernels for blocks are compiled for: samples of one channel, samples of any number of
 * channels, or any summand of any number. */
enum sat_scope { SAT_ONE_CHANNEL, SAT_CHANNELS, SAT_ANY_SUMMAND };

/*
 * Kernels for blocks of one shape. side: which blocks they take, 0 for all, else those of the
 * first and of the last `side` anti-diagonals, two triangles apart from one another: at most
 * the shorter side of the grid. They are taken row by row, as they lie in memory.
 */
struct sat_shape {
    int tile, threads;
    sat_scope scope;
    /* aux = the sums of each block alone. */
    cudaError_t (*sums)(const sat_plane &p, const sat_grid &g, const sat_aux &aux, int64_t side,
                        cudaStream_t stream);
    /* The table of the blocks, from aux of their neighbours (none: aux.col NULL). */
    cudaError_t (*tables)(const sat_plane &p, const sat_grid &g, const sat_aux &aux, int64_t side,
                          cudaStream_t stream);
    /* The same for the blocks of anti-diagonal d, which write their own aux too. */
    cudaError_t (*stage)(const sat_plane &p, const sat_grid &g, const sat_aux &aux, int64_t d,
                         cudaStream_t stream);
    /* The same for the anti-diagonals begin ... end - 1, one after the other, in one kernel, which
     * writes aux of the last two only. */
    cudaError_t (*stages)(const sat_plane &p, const sat_grid &g, const sat_aux &aux, int64_t begin,
                          int64_t end, const sat_ring &ring, int stress, cudaStream_t stream);
    /* Columns of blocks, each waiting for the one to its left; of the words only those of rows. */
    cudaError_t (*skss)(const sat_plane &p, const sat_grid &g, const sat_lookback &words,
                        int stress, cudaStream_t stream);
    int word_bytes;
};

/*
 * The kernels of the dissertation's algorithms and of SKSS, for tables of one type, from samples of
 * every type that has such tables.
 */
struct sat_sums {
    int sum_bytes, out_bytes; /* of the sums that blocks hand on, and of the stored ones */
    const sat_shape *shapes;  /* the algorithms' default first; ends with tile 0 */
    const sat_sums *of_sums;  /* for tables of the sums that blocks hand on */
    /* Prefix sums of aux over the blocks of the anti-diagonals begin ... end - 1:
     * col down and row along; then corner, from row. */
    cudaError_t (*prefix)(const sat_grid &g, const sat_aux &aux, int tile, int64_t begin,
                          int64_t end, cudaStream_t stream);
    cudaError_t (*corners)(const sat_grid &g, const sat_aux &aux, int tile, int64_t begin,
                           int64_t end, cudaStream_t stream);
    /* The plain programs: column and row prefix sums (rows in place), and formula (6.1)
     * for anti-diagonal d of samples or, with memory for a count, for all of them, one after
     * the other, in one kernel; kept: 3 anti-diagonals of sums, if out_bytes is less than
     * sum_bytes. Missing for sums of 128 bits. */
    cudaError_t (*columns)(const sat_plane &p, cudaStream_t stream);
    cudaError_t (*rows)(const sat_plane &p, cudaStream_t stream);
    cudaError_t (*diagonal)(const sat_plane &p, void *kept, int64_t d, cudaStream_t stream);
    cudaError_t (*diagonals)(const sat_plane &p, void *kept, unsigned *done, cudaStream_t stream);
};

/* Transposes one channel of p.out, sums of 4 or 8 bytes, to transposed[x][y] or back. */
cudaError_t sat_transpose(const sat_plane &p, int bytes, int channel, void *transposed, bool back,
                          cudaStream_t stream);

/* A kernel of look-back: blocks of across x high pixels. As a tuning its tile is `high`. */
struct sat_lookback_shape {
    sat_scope scope;
    int channels; /* of a block: all of the image's, or 1 of however many */
    int across, high;
    int columns, lines; /* a block's columns of samples, and rows of all its channels */
    int threads;
    /* The default for images of at least that many pixels and at least that width; wants_engine: on
     * devices with a copy engine only, elsewhere it was not measured. */
    int64_t least_pixels, least_width;
    bool wants_engine;
    int shared_bytes; /* of a CUDA block, that the device must have; 0: any has them */
    int word_bytes;
    cudaError_t (*lookback)(const sat_plane &p, const sat_grid &g, const sat_lookback &lookback,
                            int stress, cudaStream_t stream);
};

/* A sample's type and its sum's. */
struct sat_pair {
    int in;  /* satf_type */
    int sum; /* satf_sum_type */
    bool f32_out;
    /* The first that fits is taken; ends with across 0; NULL: it has no kernels. */
    const sat_lookback_shape *lookback;
    const sat_sums *sums;
};

extern const sat_pair sat_pair_u8_u32, sat_pair_u8_u64, sat_pair_u16_u32, sat_pair_u16_u64,
    sat_pair_u16_u128, sat_pair_f32_f32, sat_pair_f32_f64, sat_pair_f64_f64;
extern const sat_sums sat_sums_u32, sat_sums_u64, sat_sums_u128, sat_sums_f32, sat_sums_f64;

#endif
