/*
 * SKSS: a single kernel with soft synchronisation. A CUDA block takes a column of
 * blocks and goes down it, so that the sums above stay with it; those to the left
 * come from the block of the next column through global memory, under a flag. It moves
 * what 1R1W moves, without a barrier of all blocks.
 */
#ifndef CUDA_SAT_SKSS_CUH
#define CUDA_SAT_SKSS_CUH

#include "blocks.cuh"

/* flags[channel][J][I], then the ticket: columns are taken in ascending order, so
 * the one to the left is done or on its way. */
template <class C>
__global__ __launch_bounds__(C::THREADS,
                             C::BLOCKS) void skss_kernel(const __grid_constant__ feed_map map,
                                                         sat_plane p, sat_grid g, sat_aux aux,
                                                         unsigned *flags, int stress)
{
    typedef typename C::S S;
    FEED_SHARED(C);
    __shared__ unsigned ticket;
    typename C::L v[C::ROWS][C::VEC];
    int t = (int)threadIdx.x;
    if (t == 0) {
        ticket = atomicAdd(flags + g.tiles_x * g.tiles_y * g.channels, 1u);
    }
    __syncthreads();
    tile_place at;
    at.channel = (int)(ticket % (unsigned)g.channels);
    at.J = (int)(ticket / (unsigned)g.channels);
    at.I = 0;
    if (t == LOADER) {
        send_for<C>(&feed, feed_buffer, map, at);
    }
    __syncthreads();
    unsigned *mine = flags + (at.channel * g.tiles_x + at.J) * g.tiles_y;
    aux_pointers<S> hand = aux_of<S>(aux, at.channel);
    S above = 0, corner = 0; /* of column t; in the last thread everything above and to the left */
    for (; at.I < g.tiles_y; at.I++) {
        take<C>(&feed, feed_buffer, &phase, map, p, at, v);
        __syncthreads();
        if (t == LOADER && at.I + 1 < g.tiles_y) {
            tile_place below = at;
            below.I++;
            send_for<C>(&feed, feed_buffer, map, below);
        }
        scan_tile<C>(v, s);
        stress_pause(stress, at.J, (int)(at.I % 16));
        if (t == 0 && at.J > 0) {
            while (see_flag(mine - g.tiles_y + at.I) == 0) {
            }
        }
        __syncthreads();
        if (t < C::TILE) {
            S left = 0;
            if (at.J > 0) {
                left = read_fresh(hand.row + (at.J - 1) * aux.row_pitch + tile_y<C>(at) + t);
            }
            share_carries<C>(s, t, above, left);
            hand.row[at.J * aux.row_pitch + tile_y<C>(at) + t] = left + sum_of_rows<C>(s, t);
            above += sum_of_columns<C>(s, t);
            if (t == C::TILE - 1) {
                s.corner = corner;
                corner += left;
            }
        }
        __syncthreads();
        if (t == 0) {
            raise_flag(mine + at.I, 1);
        }
        store_tile<C>(p, at, v, s, feed_buffer);
        __syncthreads();
    }
}

template <class C> struct skss_launch {
    static cudaError_t skss(const sat_plane &p, const sat_grid &g, const sat_aux &aux,
                            unsigned *flags, int stress, cudaStream_t stream)
    {
        return launch_any<skss_kernel<C>>(C::THREADS, feed_bytes<C>(), g.tiles_x * g.channels,
                                          stream, map_for<C>(p), p, g, aux, flags, stress);
    }
};

#endif
