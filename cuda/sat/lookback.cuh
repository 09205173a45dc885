/*
 * Decoupled look-back in two dimensions: one kernel, each sample read once and each
 * sum written once. A block hands on the sums of its own columns and rows as soon as it has
 * them; what lies left of it, above it and before both it gathers from the blocks to the
 * left, above, and along the diagonal, back to the nearest that knows its whole
 * prefix. Blocks are taken by ticket along anti-diagonals, so whatever a block waits
 * for is done or on its way, however few CUDA blocks are resident.
 *
 * What is gathered is added up in the order in which it lies in the image, from the
 * prefix on, whichever block had it: so float sums are the same bits in every run.
 */
#ifndef CUDA_SAT_LOOKBACK_CUH
#define CUDA_SAT_LOOKBACK_CUH

#include "blocks.cuh"
#include "flags.cuh"
#include "word.cuh"

/* How far back a thread looks at once. Farther blocks need not be seen: the nearer
 * ones get their prefix in time. */
enum { REACH = 4 };

/*
 * The sum of all blocks before this one, from their words, `pitch` apart; `available`: how many
 * there are; nearest: the word before this one, read in advance.
 */
template <class W>
__device__ __forceinline__ typename W::S look_back(const typename W::word *own, int64_t pitch,
                                                   int available, typename W::word nearest)
{
    typedef typename W::S S;
    if (available == 0) {
        return 0;
    }
    if (W::state(nearest) == WORD_PREFIX) {
        return W::value(nearest);
    }
    for (;;) {
        typename W::word seen[REACH];
#pragma unroll
        for (int i = 0; i < REACH; i++) {
            seen[i] = i < available ? W::read(own - (i + 1) * pitch) : W::make(0, WORD_PREFIX);
        }
        S sum = 0;
        bool prefix = false; /* from the farthest on: sums of blocks count from a prefix */
#pragma unroll
        for (int i = REACH - 1; i >= 0; i--) {
            unsigned state = W::state(seen[i]);
            sum = state == WORD_PREFIX ? W::value(seen[i]) : W::add(sum, W::value(seen[i]));
            prefix = state == WORD_PREFIX || (prefix && state == WORD_BLOCK);
        }
        if (prefix) {
            return sum;
        }
    }
}

template <class C>
__global__ __launch_bounds__(C::THREADS,
                             C::BLOCKS) void lookback_kernel(const __grid_constant__ feed_map map,
                                                             sat_plane p, sat_grid g,
                                                             sat_lookback b, int stress)
{
    typedef typename C::S S;
    typedef lookback_word<typename C::L, S> W;
    typedef typename W::word word;
    FEED_SHARED(C);
    __shared__ unsigned ticket; /* of this block, then of the next */
    __shared__ S rows_to_here;  /* the block's rows, from the image's left edge */
    constexpr bool SPLIT = C::THREADS >= 2 * C::TILE; /* enough threads for rows and columns */
    typename C::L v[C::ROWS][C::VEC];
    int t = (int)threadIdx.x;
    unsigned blocks = (unsigned)(g.tiles_x * g.tiles_y * g.channels);
    if (t == LOADER) {
        ticket = atomicAdd(b.ticket, 1u);
        if (ticket < blocks) {
            send_for<C>(&feed, feed_buffer, map, place_tile(g, ticket));
        }
    }
    __syncthreads();
    for (unsigned number = ticket; number < blocks;) {
        tile_place at = feed.at;
        take<C>(&feed, feed_buffer, &phase, map, p, at, v);
        scan_tile<C>(v, s);
        __syncthreads();
        if (t == LOADER) {
            ticket = atomicAdd(b.ticket, 1u);
            if (ticket < blocks) {
                send_for<C>(&feed, feed_buffer, map, place_tile(g, ticket));
            }
        }
        int line = t % C::TILE; /* the column, the row, or both, that this thread searches for */
        bool columns = t < C::TILE, rows = SPLIT ? t / C::TILE == 1 : columns;
        int64_t plane = (int64_t)at.channel * g.tiles_x * g.tiles_y;
        word *col = (word *)b.col + (plane + at.I * g.tiles_x + at.J) * C::TILE + line;
        word *row = (word *)b.row + (plane + at.J * g.tiles_y + at.I) * C::TILE + line;
        word *corner = (word *)b.corner + plane + at.I * g.tiles_x + at.J;
        int before = at.I < at.J ? at.I : at.J;
        word near_col = {}, near_row = {}, near_corner = {};
        if (columns && at.I > 0) {
            near_col = W::read(col - g.tiles_x * C::TILE);
        }
        if (rows && at.J > 0) {
            near_row = W::read(row - g.tiles_y * C::TILE);
        }
        if (t == 0 && before > 0) {
            near_corner = W::read(corner - g.tiles_x - 1);
        }
        stress_pause(stress, number, 0);
        if (columns || rows) {
            S column_sum, row_sum;
            block_sums<C>(s, line, &column_sum, &row_sum);
            column_sum = W::add(column_sum, 0);
            row_sum = W::add(row_sum, 0);
            /* others may look past this block while it looks itself */
            if (columns && at.I > 0 && W::state(near_col) != WORD_PREFIX) {
                W::write(col, column_sum, WORD_BLOCK);
            }
            if (rows && at.J > 0 && W::state(near_row) != WORD_PREFIX) {
                W::write(row, row_sum, WORD_BLOCK);
            }
            stress_pause(stress, number, 1);
            if (columns) {
                S above = look_back<W>(col, g.tiles_x * C::TILE, at.I, near_col);
                W::write(col, W::add(above, column_sum), WORD_PREFIX);
                s.above[line] = above;
            }
            if (rows) {
                S left = look_back<W>(row, g.tiles_y * C::TILE, at.J, near_row);
                W::write(row, W::add(left, row_sum), WORD_PREFIX);
                s.left[line] = (typename finish_type<typename C::L, S>::type)left;
                if (line == C::TILE - 1) {
                    rows_to_here = W::add(left, row_sum);
                }
            }
        }
        __syncthreads();
        if (t == 0) {
            S angle = W::add(s.above[C::TILE - 1], rows_to_here), rest = 0;
            if (before > 0) {
                if (W::state(near_corner) != WORD_PREFIX) {
                    W::write(corner, angle, WORD_BLOCK);
                }
                stress_pause(stress, number, 2);
                rest = look_back<W>(corner, g.tiles_x + 1, before, near_corner);
            }
            W::write(corner, W::add(rest, angle), WORD_PREFIX);
            s.corner = rest;
        }
        __syncthreads();
        store_tile<C>(p, at, v, s);
        number = ticket;
        __syncthreads(); /* s and ticket are used again */
    }
}

template <class C> struct lookback_launch {
    static cudaError_t lookback(const sat_plane &p, const sat_grid &g, const sat_lookback &lookback,
                                int stress, cudaStream_t stream)
    {
        int64_t blocks = stress == STRESS_SINGLE ? 1 : g.tiles_x * g.tiles_y * g.channels;
        return launch_resident<lookback_kernel<C>>(C::THREADS, feed_bytes<C>(), blocks, 0, stream,
                                                   map_for<C>(p), p, g, lookback, stress);
    }
    static constexpr int word_bytes =
        (int)sizeof(typename lookback_word<typename C::L, typename C::S>::word);
};

#endif
