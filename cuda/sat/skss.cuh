/*
 * SKSS: a single kernel with soft synchronisation. A CUDA block takes a column of
 * blocks and goes down it, so that the sums above stay with it; those to the left
 * come from the block of the next column through global memory, each in one word with the flag
 * that says so. It moves what 1R1W moves, without a barrier of all blocks.
 */
#ifndef CUDA_SAT_SKSS_CUH
#define CUDA_SAT_SKSS_CUH

#include "blocks.cuh"

/* Reads the word until it has that state; returns its value. */
template <class W>
__device__ __forceinline__ typename W::S await_word(const typename W::word *from, unsigned state)
{
    typename W::word word;
    do {
        word = W::read(from);
    } while (W::state(word) != state);
    return W::value(word);
}

/* Columns are taken by ticket, in ascending order, so the one to the left is done or on its way.
 * Only the words of rows are used, and the state of a prefix. */
template <class C>
__global__ __launch_bounds__(C::THREADS,
                             C::BLOCKS) void skss_kernel(const __grid_constant__ loader_map map,
                                                         sat_plane p, sat_grid g, sat_lookback b,
                                                         int stress)
{
    typedef typename C::S S;
    typedef tile_state<S> W;
    typedef typename W::word word;
    LOADER_SHARED(C);
    __shared__ unsigned ticket;
    typename C::L v[C::ROWS][C::VEC];
    sample_loader<C> samples(map, p, &loader, loader_buffer);
    int t = (int)threadIdx.x;
    await_stream();
    if (t == 0) {
        ticket = atomicAdd(b.ticket, 1u);
        if (ticket == gridDim.x - 1) {
            *b.ticket = 0; /* all others have drawn theirs */
        }
    }
    __syncthreads();
    tile_place at;
    at.channel = (int)(ticket % (unsigned)g.channels);
    at.J = (int)(ticket / (unsigned)g.channels);
    at.I = 0;
    if (t == LOADER) {
        samples.announce(at);
    }
    __syncthreads();
    samples.send();
    int64_t along = g.tiles_y * C::TILE; /* words from a column of blocks to the next */
    word *rows = (word *)b.row + (at.channel * g.tiles_x + at.J) * along + t;
    S above = 0, corner = 0; /* of column t; in the last thread everything above and to the left */
    for (; at.I < g.tiles_y; at.I++, rows += C::TILE) {
        samples.take(at, v);
        __syncthreads();
        if (t == LOADER && at.I + 1 < g.tiles_y) {
            tile_place below = at;
            below.I++;
            samples.announce(below);
        }
        scan_tile<C>(v, s);
        stress_pause(stress, at.J, (int)(at.I % 16));
        __syncthreads();
        if (at.I + 1 < g.tiles_y) {
            samples.send();
        }
        if (t < C::TILE) {
            S column = sum_of_columns<C>(s, t), row = sum_of_rows<C>(s, t), left = 0;
            if (at.J > 0) {
                left = await_word<W>(rows - along, b.prefix);
            }
            W::write(rows, left + row, b.prefix, state_policy(b.hinted));
            share_carries<C>(s, t, above, left);
            above += column;
            if (t == C::TILE - 1) {
                s.corner = corner;
                corner += left;
            }
        }
        __syncthreads();
        store_tile<C>(p, at, v, s, loader_buffer);
        __syncthreads();
    }
}

template <class C> struct skss_launch {
    static cudaError_t skss(const sat_plane &p, const sat_grid &g, const sat_lookback &words,
                            int stress, cudaStream_t stream)
    {
        return launch_any<skss_kernel<C>>(C::THREADS, loader_bytes<C>(), g.tiles_x * g.channels,
                                          stream, map_for<C>(p), p, g, words, stress);
    }
};

#endif
