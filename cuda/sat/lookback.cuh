/*
 * Decoupled look-back in two dimensions: one kernel, each sample read once and each
 * sum written once. A block hands on the sums of its own columns and rows as soon as it has
 * them; what lies left of it and above it it gathers from the blocks to the left and
 * above, back to the nearest that knows its whole prefix. What lies before both, the
 * corner, is the total of the columns of blocks up to the left neighbour's, and is gathered
 * down these from the totals of their rows. Blocks are taken by ticket along anti-diagonals,
 * so whatever a block waits for is done or on its way, however few CUDA blocks are resident.
 *
 * What is gathered is added up in the order in which it lies in the image, from the
 * prefix on, whichever block had it: so float sums are the same bits in every run.
 *
 * Words and ticket are 0 before and after: each word has one block that is the last to
 * need it, its neighbour on the way, which clears it.
 */
#ifndef CUDA_SAT_LOOKBACK_CUH
#define CUDA_SAT_LOOKBACK_CUH

#include "blocks.cuh"
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

/* Clears a neighbour's word once it has its prefix, after which its owner writes no more. Whoever
 * finds it gone finds this block's prefix instead, or comes again until he does. */
template <class W> __device__ __forceinline__ void retire(typename W::word *other, unsigned seen)
{
    while (seen != WORD_PREFIX) {
        seen = W::state(W::read(other));
    }
    W::write(other, 0, WORD_NONE);
}

/* The words of a block's neighbours and its own, for thread `line` of a column or row. */
template <class C> struct lookback_place {
    typedef lookback_word<typename C::S> W;
    typename W::word *col, *row, *chain, *corner; /* chain[-1], corner[-1]: the block above's */
    int64_t up, left; /* words from a block's to the one above's, left's */
    __device__ __forceinline__ lookback_place(const sat_grid &g, const sat_lookback &b,
                                              const tile_place &at, int line)
    {
        int64_t plane = (int64_t)at.channel * g.tiles_x * g.tiles_y;
        col = (typename W::word *)b.col + (plane + at.I * g.tiles_x + at.J) * C::TILE + line;
        row = (typename W::word *)b.row + (plane + at.J * g.tiles_y + at.I) * C::TILE + line;
        chain = (typename W::word *)b.chain + plane + at.J * g.tiles_y + at.I;
        corner = (typename W::word *)b.corner + plane + at.J * g.tiles_y + at.I;
        up = g.tiles_x * C::TILE;
        left = g.tiles_y * C::TILE;
    }
};

template <class C>
__global__ __launch_bounds__(C::THREADS,
                             C::BLOCKS) void lookback_kernel(const __grid_constant__ feed_map map,
                                                             sat_plane p, sat_grid g,
                                                             sat_lookback b, int stress)
{
    typedef typename C::S S;
    typedef lookback_word<S> W;
    typedef typename W::word word;
    FEED_SHARED(C);
    __shared__ unsigned ticket; /* of this block, then of the next */
    __shared__ S rows_to_here;  /* the block's rows, from the image's left edge */
    constexpr bool SPLIT = C::THREADS >= 2 * C::TILE; /* enough threads for rows and columns */
    enum { CORNER = 64, CHAIN = 96 };                 /* the threads that look for totals */
    typename C::L v[C::ROWS][C::VEC];
    int t = (int)threadIdx.x;
    int line = t % C::TILE; /* the column, the row, or both, that this thread searches for */
    bool columns = t < C::TILE, rows = SPLIT ? t / C::TILE == 1 : columns;
    unsigned blocks = (unsigned)(g.tiles_x * g.tiles_y * g.channels), next = 0;
    if (t == LOADER) {
        ticket = next = atomicAdd(b.ticket, 1u);
        if (next < blocks) {
            send_for<C>(&feed, feed_buffer, map, place_tile(g, next));
        }
    }
    __syncthreads();
    for (unsigned number = ticket; number < blocks;) {
        tile_place at = feed.at;
        take<C>(&feed, feed_buffer, &phase, map, p, at, v);
        if (t == LOADER) {
            next = atomicAdd(b.ticket, 1u);
        }
        scan_tile<C>(v, s);
        word near_col = {}, near_row = {};
        {
            lookback_place<C> of(g, b, at, line);
            if (columns && at.I > 0) {
                near_col = W::read(of.col - of.up);
            }
            if (rows && at.J > 0) {
                near_row = W::read(of.row - of.left);
            }
        }
        __syncthreads();
        if (t == LOADER) {
            ticket = next;
            if (next < blocks) {
                send_for<C>(&feed, feed_buffer, map, place_tile(g, next));
            }
        }
        stress_pause(stress, number, 0);
        bool right = at.J + 1 < g.tiles_x, below = at.I + 1 < g.tiles_y; /* others will ask */
        bool chained = right && below && at.I > 0, far_below = right && at.I + 2 < g.tiles_y;
        S total_above = 0;
        if (columns || rows) {
            lookback_place<C> of(g, b, at, line);
            S column_sum, row_sum;
            block_sums<C>(s, line, &column_sum, &row_sum);
            column_sum = W::add(column_sum, 0);
            row_sum = W::add(row_sum, 0);
            /* others may look past this block while it looks itself */
            if (columns && below && at.I > 0 && W::state(near_col) != WORD_PREFIX) {
                W::write(of.col, column_sum, WORD_BLOCK);
            }
            if (rows && right && at.J > 0 && W::state(near_row) != WORD_PREFIX) {
                W::write(of.row, row_sum, WORD_BLOCK);
            }
            stress_pause(stress, number, 1);
            if (columns) {
                S above = look_back<W>(of.col, of.up, at.I, near_col);
                if (below) {
                    W::write(of.col, W::add(above, column_sum), WORD_PREFIX);
                }
                s.above[line] = above;
            }
            if (rows) {
                S left = look_back<W>(of.row, of.left, at.J, near_row);
                S to_here = W::add(left, row_sum);
                if (right) {
                    W::write(of.row, to_here, WORD_PREFIX);
                }
                s.left[line] = (typename finish_type<typename C::L, S>::type)left;
                if (line == C::TILE - 1) {
                    rows_to_here = to_here;
                    unsigned state = at.I > 0 ? WORD_BLOCK : WORD_PREFIX;
                    if (far_below) {
                        W::write(of.chain, to_here, state);
                    }
                    if (below && right) {
                        W::write(of.corner, to_here, state);
                    }
                }
            }
        }
        stress_pause(stress, number, 2);
        if (t == CORNER) {
            const word *left_one = lookback_place<C>(g, b, at, line).corner - g.tiles_y;
            s.corner =
                at.I > 0 && at.J > 0 ? look_back<W>(left_one, 1, at.I, W::read(left_one - 1)) : 0;
        }
        if (t == CHAIN && chained) {
            const word *own = lookback_place<C>(g, b, at, line).chain;
            total_above = look_back<W>(own, 1, at.I, W::read(own - 1));
        }
        __syncthreads();
        if (t == CHAIN && chained) {
            lookback_place<C> of(g, b, at, line);
            S total = W::add(total_above, rows_to_here);
            if (far_below) {
                W::write(of.chain, total, WORD_PREFIX);
            }
            W::write(of.corner, total, WORD_PREFIX);
        }
        store_tile<C>(p, at, v, s);
        lookback_place<C> of(g, b, at, line);
        if (columns && at.I > 0) {
            retire<W>(of.col - of.up, W::state(near_col));
        }
        if (rows && at.J > 0) {
            retire<W>(of.row - of.left, W::state(near_row));
        }
        if (t == CORNER && at.I > 0 && at.J > 0) {
            retire<W>(of.corner - g.tiles_y - 1, WORD_NONE);
        }
        if (t == CHAIN && chained) {
            retire<W>(of.chain - 1, WORD_NONE);
        }
        number = ticket;
        __syncthreads(); /* s and ticket are used again */
    }
    if (t == LOADER && ticket == blocks + gridDim.x - 1) {
        *b.ticket = 0; /* every CUDA block has drawn its last */
    }
}

template <class C> struct lookback_launch {
    static cudaError_t lookback(const sat_plane &p, const sat_grid &g, const sat_lookback &lookback,
                                int stress, cudaStream_t stream)
    {
        int64_t blocks = stress == SAT_STRESS_SINGLE ? 1 : g.tiles_x * g.tiles_y * g.channels;
        return launch_resident<lookback_kernel<C>>(C::THREADS, feed_bytes<C>(), blocks, false,
                                                   stream, map_for<C>(p), p, g, lookback, stress);
    }
    static constexpr int word_bytes = (int)sizeof(typename lookback_word<typename C::S>::word);
};

#endif
