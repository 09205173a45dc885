/*
 * Decoupled look-back in two dimensions: one kernel, each sample read once and each
 * sum written once. A block hands on the sums of its own columns and rows as soon as it has
 * them; what lies left of it and above it it gathers from the blocks to the left and
 * above, back to the nearest that knows its whole prefix. What lies before both, the corner,
 * is the table's value at the last sample of the block up and left: it grows, from a block to the
 * one down and right, by what lies above the latter's columns and by its rows from the
 * image's edge on, and is looked back for along that diagonal. Blocks are taken by ticket along
 * anti-diagonals, so whatever a block waits for is done or on its way, however few CUDA
 * blocks are resident.
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
enum { REACH = 3 };

/*
 * The sum of all blocks before this one, from their words, `pitch` apart; `available`: how many
 * there are; nearest: the word before this one, read in advance, and as it was read last. While the
 * nearest has nothing to say, only it is asked.
 */
template <class W>
__device__ __forceinline__ typename W::S look_back(const typename W::word *own, int64_t pitch,
                                                   int available, typename W::word &nearest)
{
    typedef typename W::S S;
    if (available == 0) {
        return 0;
    }
    for (;;) {
        while (W::state(nearest) == WORD_NONE) {
            nearest = W::read(own - pitch);
        }
        if (W::state(nearest) == WORD_PREFIX) {
            return W::value(nearest);
        }
        typename W::word seen[REACH];
#pragma unroll
        for (int i = 0; i < REACH; i++) {
            seen[i] = i < available ? W::read(own - (i + 1) * pitch) : W::make(0, WORD_PREFIX);
        }
        nearest = seen[0];
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

/*
 * A neighbour's word that this thread is to clear, after its owner has written its prefix and no
 * more. Whoever finds it gone finds this block's prefix instead, or comes again until he
 * does. A word whose prefix is still to come is left until the thread's next block is stored:
 * asked before, the answer is there when the stores have been issued.
 */
template <class W> struct lookback_late {
    typename W::word *at, seen;

    /* state: the word's when it was read last. */
    __device__ __forceinline__ void retire(typename W::word *other, unsigned state, bool hinted)
    {
        if (state == WORD_PREFIX) {
            W::write(other, 0, WORD_NONE, word_policy<WORD_GOES>(hinted));
        } else {
            at = other;
        }
    }
    __device__ __forceinline__ void ask()
    {
        if (at) {
            seen = W::read(at);
        }
    }
    __device__ __forceinline__ void finish(bool hinted)
    {
        if (at) {
            while (W::state(seen) != WORD_PREFIX) {
                seen = W::read(at);
            }
            W::write(at, 0, WORD_NONE, word_policy<WORD_GOES>(hinted));
            at = NULL;
        }
    }
};

/* The words of a block, for the thread of a column, of a row, or of both. */
template <class C> struct lookback_place {
    typedef lookback_word<typename C::S> W;
    typename W::word *col, *row, *corner;
    int64_t up, left, diagonal; /* words from a block's to those of the neighbours */
    __device__ __forceinline__ lookback_place(const sat_grid &g, const sat_lookback &b,
                                              const tile_place &at, int column, int line)
    {
        int64_t plane = (int64_t)at.channel * g.tiles_x * g.tiles_y;
        col = (typename W::word *)b.col + (plane + at.I * g.tiles_x + at.J) * C::ACROSS + column;
        row = (typename W::word *)b.row + (plane + at.J * g.tiles_y + at.I) * C::HIGH + line;
        corner = (typename W::word *)b.corner + plane + at.I * g.tiles_x + at.J;
        up = g.tiles_x * C::ACROSS;
        left = g.tiles_y * C::HIGH;
        diagonal = g.tiles_x + 1;
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
    /* Whether there are enough threads for rows and columns. */
    constexpr bool SPLIT = C::THREADS >= C::ACROSS + C::HIGH;
    static_assert(SPLIT || C::ACROSS == C::HIGH, "a thread has a row and a column, or one of them");
    enum { LAST = (SPLIT ? C::ACROSS : 0) + C::HIGH - 1 }; /* the thread of the last row */
    typename C::L v[C::ROWS][C::VEC];
    int t = (int)threadIdx.x;
    /* What this thread searches for. The last row's searches for the last column too. */
    bool columns = t < C::ACROSS, rows = SPLIT ? t >= C::ACROSS && t <= LAST : columns;
    int column = columns ? t : C::ACROSS - 1, line = !rows ? 0 : SPLIT ? t - C::ACROSS : t;
    unsigned blocks = (unsigned)(g.tiles_x * g.tiles_y * g.channels), next = 0;
    lookback_late<W> late_col = {}, late_row = {}; /* where they are split, a thread has one */
    lookback_late<W> &late_one = SPLIT ? late_col : late_row;
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
        word near_col = {}, near_row = {}, near_corner = {};
        int before = at.I < at.J ? at.I : at.J; /* blocks on the diagonal */
        {
            lookback_place<C> of(g, b, at, column, line);
            if ((columns || t == LAST) && at.I > 0) {
                near_col = W::read(of.col - of.up);
            }
            if (rows && at.J > 0) {
                near_row = W::read(of.row - of.left);
            }
            if (t == LAST && before > 0) {
                near_corner = W::read(of.corner - of.diagonal);
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
        if (columns || rows) {
            lookback_place<C> of(g, b, at, column, line);
            S column_sum = columns ? W::add(sum_of_columns<C>(s, column), 0) : (S)0;
            S row_sum = rows ? W::add(sum_of_rows<C>(s, line), 0) : (S)0;
            S above = 0, to_here = 0;
            /* others may look past this block while it looks itself */
            if (columns && below && at.I > 0 && W::state(near_col) != WORD_PREFIX) {
                W::write(of.col, column_sum, WORD_BLOCK, word_policy<WORD_STAYS>(b.hinted));
            }
            if (rows && right && at.J > 0 && W::state(near_row) != WORD_PREFIX) {
                W::write(of.row, row_sum, WORD_BLOCK, word_policy<WORD_STAYS>(b.hinted));
            }
            stress_pause(stress, number, 1);
            if (columns) {
                above = look_back<W>(of.col, of.up, at.I, near_col);
                if (below) {
                    W::write(of.col, W::add(above, column_sum), WORD_PREFIX,
                             word_policy<WORD_STAYS>(b.hinted));
                }
                s.above[column] = above;
            }
            if (rows) {
                S left = look_back<W>(of.row, of.left, at.J, near_row);
                to_here = W::add(left, row_sum);
                if (right) {
                    W::write(of.row, to_here, WORD_PREFIX, word_policy<WORD_STAYS>(b.hinted));
                }
                s.left[line] = (typename finish_type<typename C::L, S>::type)left;
            }
            stress_pause(stress, number, 2);
            if (t == LAST) {
                if (SPLIT) { /* it may look itself sooner than another warp could tell it */
                    above = look_back<W>(of.col, of.up, at.I, near_col);
                }
                S step = W::add(above, to_here);
                if (right && below && before > 0 && W::state(near_corner) != WORD_PREFIX) {
                    W::write(of.corner, step, WORD_BLOCK, word_policy<WORD_STAYS>(b.hinted));
                }
                S corner = look_back<W>(of.corner, of.diagonal, before, near_corner);
                if (right && below) {
                    W::write(of.corner, W::add(corner, step), WORD_PREFIX,
                             word_policy<WORD_STAYS>(b.hinted));
                }
                s.corner = corner;
            }
        }
        late_col.ask();
        late_row.ask();
        __syncthreads();
        store_tile<C>(p, at, v, s, feed_buffer);
        late_col.finish(b.hinted);
        late_row.finish(b.hinted);
        lookback_place<C> of(g, b, at, column, line);
        if (columns && at.I > 0) {
            late_col.retire(of.col - of.up, W::state(near_col), b.hinted);
        }
        if (rows && at.J > 0) {
            late_one.retire(of.row - of.left, W::state(near_row), b.hinted);
        }
        if (t == LAST && before > 0) {
            lookback_late<W> late_corner = {};
            late_corner.retire(of.corner - of.diagonal, W::state(near_corner), b.hinted);
            late_corner.finish(b.hinted);
        }
        number = ticket;
        __syncthreads(); /* s and ticket are used again */
    }
    late_col.ask();
    late_col.finish(b.hinted);
    late_row.ask();
    late_row.finish(b.hinted);
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
    /* As a shape that look-back alone has. */
    static constexpr sat_lookback_shape table = {C::ACROSS, C::HIGH,    C::ACROSS,
                                                 C::HIGH,   word_bytes, lookback};
};

#endif
