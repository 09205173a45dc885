/*
 * Decoupled look-back in two dimensions: one kernel, each sample read once and each sum written
 * once. A block hands on the sums of its own columns and rows as soon as it has them; what lies
 * left of it and above it it gathers from the blocks to the left and above, back to the nearest
 * that knows its whole prefix. What lies before both, the corner, is the table's value at the last
 * sample of the block up and left: it grows, from a block to the one down and right, by what lies
 * above the latter's columns and by its rows from the image's edge on, and is looked back for along
 * that diagonal. Blocks are taken by ticket along anti-diagonals, so whatever a block waits for is
 * done or on its way, however few CUDA blocks are resident.
 *
 * What is gathered is added up in the order in which it lies in the image, from the prefix on,
 * whichever block had it: so float sums are the same bits in every run.
 *
 * Words need not be cleared between runs: each is left with its prefix, which the next run takes
 * for nothing said (sat_lookback.prefix). The ticket is 0 before and after.
 */
#ifndef CUDA_SAT_LOOKBACK_CUH
#define CUDA_SAT_LOOKBACK_CUH

#include "blocks.cuh"
#include "tile_state.cuh"

/* How many blocks back a thread looks at once. Farther blocks need not be seen: the nearer ones get
 * their prefix in time. */
enum { REACH = 3 };

/*
 * Looks once for the sum of all blocks before this one, in their words, `pitch` apart; false: not
 * yet known. available: how many blocks there are, at least 1. nearest: the word before this one,
 * as it was read last. While the nearest word is not yet written, only it is read.
 */
template <class W>
__device__ __forceinline__ bool look_once(const typename W::word *own, int64_t pitch, int available,
                                          unsigned prefix, typename W::word &nearest,
                                          typename W::S *sum)
{
    if (W::state(nearest) == prefix) {
        *sum = W::value(nearest);
        return true;
    }
    if (W::state(nearest) != STATE_BLOCK) {
        nearest = W::read(own - pitch);
        return false;
    }
    typename W::word seen[REACH];
#pragma unroll
    for (int i = 0; i < REACH; i++) {
        seen[i] = i < available ? W::read(own - (i + 1) * pitch) : W::make(0, prefix);
    }
    nearest = seen[0];
    typename W::S all = 0;
    bool whole = false; /* from the farthest on: sums of blocks count from a prefix */
#pragma unroll
    for (int i = REACH - 1; i >= 0; i--) {
        unsigned state = W::state(seen[i]);
        all = state == prefix ? W::value(seen[i]) : W::add(all, W::value(seen[i]));
        whole = state == prefix || (whole && state == STATE_BLOCK);
    }
    *sum = all;
    return whole;
}

/* Looks until the sum is known; 0 if no blocks are available. */
template <class W>
__device__ __forceinline__ typename W::S look_back(const typename W::word *own, int64_t pitch,
                                                   int available, unsigned prefix,
                                                   typename W::word &nearest)
{
    typename W::S sum = 0;
    if (available > 0) {
        while (!look_once<W>(own, pitch, available, prefix, nearest, &sum)) {
        }
    }
    return sum;
}

/* The words of a block, for the thread of a column, of a row, or of both. */
template <class C> struct lookback_place {
    typedef tile_state<typename C::S> W;
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

/* What a thread of look-back searches for. */
template <class C> struct lookback_search {
    /* Whether there are enough threads for rows and columns. */
    static constexpr bool SPLIT = C::THREADS >= C::ACROSS + C::HIGH;
    static_assert(SPLIT || C::ACROSS == C::HIGH, "a thread has a row and a column, or one of them");
    enum { LAST = (SPLIT ? C::ACROSS : 0) + C::HIGH - 1 }; /* the thread of the last row */
    typedef typename C::S S;
    typedef tile_state<S> W;
    typedef typename W::word word;
    int t;
    bool columns, rows; /* the last row's thread searches for the last column too */
    int column, line;

    __device__ __forceinline__ lookback_search()
    {
        t = (int)threadIdx.x;
        columns = t < C::ACROSS;
        rows = SPLIT ? t >= C::ACROSS && t <= LAST : columns;
        column = columns ? t : C::ACROSS - 1;
        line = !rows ? 0 : SPLIT ? t - C::ACROSS : t;
    }

    /* The words of the nearest blocks, read in advance. */
    struct nearest {
        word col = {}, row = {}, corner = {};
    };

    __device__ __forceinline__ nearest read_nearest(const sat_grid &g, const sat_lookback &b,
                                                    const tile_place &at) const
    {
        nearest near;
        lookback_place<C> of(g, b, at, column, line);
        if ((columns || t == LAST) && at.I > 0) {
            near.col = W::read(of.col - of.up);
        }
        if (rows && at.J > 0) {
            near.row = W::read(of.row - of.left);
        }
        if (t == LAST && before(at) > 0) {
            near.corner = W::read(of.corner - of.diagonal);
        }
        return near;
    }

    /* How many blocks lie up and left on the diagonal. */
    static __device__ __forceinline__ int before(const tile_place &at)
    {
        return at.I < at.J ? at.I : at.J;
    }

    /* Hands on the block's sums and prefixes, and stores in s what lies before it. */
    template <class Shared>
    __device__ __forceinline__ void go(const sat_grid &g, const sat_lookback &b,
                                       const tile_place &at, nearest near, unsigned number,
                                       int stress, Shared &s) const
    {
        bool right = at.J + 1 < g.tiles_x, below = at.I + 1 < g.tiles_y; /* others will ask */
        lookback_place<C> of(g, b, at, column, line);
        S column_sum = columns ? W::add(sum_of_columns<C>(s, column), 0) : (S)0;
        S row_sum = rows ? W::add(sum_of_rows<C>(s, line), 0) : (S)0;
        S above = 0, to_here = 0;
        /* others may look past this block while it looks itself */
        if (columns && below && at.I > 0 && W::state(near.col) != b.prefix) {
            W::write(of.col, column_sum, STATE_BLOCK, state_policy(b.hinted));
        }
        if (rows && right && at.J > 0 && W::state(near.row) != b.prefix) {
            W::write(of.row, row_sum, STATE_BLOCK, state_policy(b.hinted));
        }
        stress_pause(stress, number, 1);
        if (columns) {
            above = look_back<W>(of.col, of.up, at.I, b.prefix, near.col);
            if (below) {
                W::write(of.col, W::add(above, column_sum), b.prefix, state_policy(b.hinted));
            }
            s.above[column] = above;
        }
        if (rows) {
            S left = look_back<W>(of.row, of.left, at.J, b.prefix, near.row);
            to_here = W::add(left, row_sum);
            if (right) {
                W::write(of.row, to_here, b.prefix, state_policy(b.hinted));
            }
            s.left[line] = (typename finish_type<typename C::L, S>::type)left;
        }
        stress_pause(stress, number, 2);
        if (t == LAST) {
            if (SPLIT) { /* it may look itself sooner than another warp could tell it */
                above = look_back<W>(of.col, of.up, at.I, b.prefix, near.col);
            }
            s.corner =
                pass_corner(b, of, before(at), right && below, W::add(above, to_here), near.corner);
        }
    }

    /* Looks for the corner and, if others ask, hands on the corner of the block down and right,
     * which is larger by `step`. */
    __device__ __forceinline__ S pass_corner(const sat_lookback &b, const lookback_place<C> &of,
                                             int available, bool asked, S step, word near) const
    {
        if (asked && available > 0 && W::state(near) != b.prefix) {
            W::write(of.corner, step, STATE_BLOCK, state_policy(b.hinted));
        }
        S corner = look_back<W>(of.corner, of.diagonal, available, b.prefix, near);
        if (asked) {
            W::write(of.corner, W::add(corner, step), b.prefix, state_policy(b.hinted));
        }
        return corner;
    }
};

template <class C>
__global__ __launch_bounds__(C::THREADS,
                             C::BLOCKS) void lookback_kernel(const __grid_constant__ loader_map map,
                                                             sat_plane p, sat_grid g,
                                                             sat_lookback b, int stress)
{
    LOADER_SHARED(C);
    __shared__ unsigned ticket; /* of this block, then of the next */
    unsigned phase = 0;
    typename C::L v[C::ROWS][C::VEC];
    const lookback_search<C> search;
    int t = search.t;
    unsigned blocks = (unsigned)(g.tiles_x * g.tiles_y * g.channels), next = 0;
    await_stream(stress);
    if (t == LOADER) {
        ticket = next = atomicAdd(b.ticket, 1u);
        if (next < blocks) {
            send_for<C>(&loader, loader_buffer, map, place_tile(g, next));
        }
    }
    __syncthreads();
    for (unsigned number = ticket; number < blocks;) {
        tile_place at = loader.at;
        take<C>(&loader, loader_buffer, &phase, map, p, at, v);
        if (t == LOADER) {
            next = atomicAdd(b.ticket, 1u);
        }
        scan_tile<C>(v, s);
        auto near = search.read_nearest(g, b, at);
        __syncthreads();
        if (t == LOADER) {
            ticket = next;
            if (next < blocks) {
                send_for<C>(&loader, loader_buffer, map, place_tile(g, next));
            }
        }
        stress_pause(stress, number, 0);
        if (search.columns || search.rows) {
            search.go(g, b, at, near, number, stress, s);
        }
        __syncthreads();
        store_tile<C>(p, at, v, s, loader_buffer);
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
        return launch_resident<lookback_kernel<C>>(C::THREADS, loader_bytes<C>(), blocks,
                                                   START_EARLY, stream, map_for<C>(p), p, g,
                                                   lookback, stress);
    }
    static constexpr sat_lookback_shape table = {
        C::SCOPE,  1,       C::ACROSS,  C::HIGH,
        C::ACROSS, C::HIGH, C::THREADS, 0,
        0,         false,   0,          (int)sizeof(typename tile_state<typename C::S>::word),
        lookback};
};

#endif
