/*
 * Decoupled look-back in two dimensions: one kernel, each sample read once and each
 * sum written once. A block hands on the sums of its own columns and rows as soon as it has
 * them; what lies left of it, above it and before both it gathers from the blocks to the
 * left, above, and along the diagonal, back to the nearest that knows its whole
 * prefix. Blocks are taken by ticket along anti-diagonals, so every block that
 * another waits for is done or on its way, however few are resident.
 *
 * What is gathered is added up in the order in which it lies in the image, from the
 * prefix on, whichever block had it: so float sums are the same bits in every run.
 */
#ifndef CUDA_SAT_LOOKBACK_CUH
#define CUDA_SAT_LOOKBACK_CUH

#include "blocks.cuh"
#include "flags.cuh"

/* The states of a block, in this order. */
enum {
    STATE_NONE,
    STATE_BLOCK,  /* block.col and block.row: its own sums */
    STATE_PREFIX, /* prefix.col and prefix.row, and its sum with all above and left of it, in
                   * block.corner: those of the block before, on the diagonal, fill the rest */
    STATE_CORNER  /* prefix.corner: everything up to it */
};

/* How far a block looks back: lanes 0 ... 7 to the left, 8 ... 15 up, the others
 * along the diagonal. Farther ones need not be seen: the nearer get their prefix in time. */
enum { REACH = 8, REACH_DIAGONAL = 16 };

struct lookback_steps {
    int left, up, diagonal; /* distance of the nearest with a prefix; 0: not yet */
};

/* One look by a whole warp at the states of the blocks before. */
__device__ __forceinline__ void look(const sat_grid &g, const unsigned *state,
                                     const tile_place &at, lookback_steps *steps)
{
    int lane = (int)threadIdx.x % 32;
    int64_t I = at.I, J = at.J;
    if (lane < REACH) {
        J -= lane + 1;
    } else if (lane < 2 * REACH) {
        I -= lane - REACH + 1;
    } else {
        I -= lane - 2 * REACH + 1;
        J -= lane - 2 * REACH + 1;
    }
    unsigned seen = STATE_CORNER; /* outside the image everything is known to be 0 */
    if (I >= 0 && J >= 0) {
        seen = see_flag(state + (I * g.tiles_x + J) * g.channels + at.channel);
    }
    unsigned block = __ballot_sync(0xffffffffu, seen >= STATE_BLOCK);
    unsigned prefix = __ballot_sync(0xffffffffu, seen >= STATE_PREFIX);
    unsigned corner = __ballot_sync(0xffffffffu, seen >= STATE_CORNER);
    unsigned own[3] = {block & 0xffu, block >> 8 & 0xffu, prefix >> 16};
    unsigned whole[3] = {prefix & 0xffu, prefix >> 8 & 0xffu, corner >> 16};
    int distance[3];
#pragma unroll
    for (int i = 0; i < 3; i++) {
        int nearest = __ffs((int)whole[i]); /* from 1; 0: none */
        unsigned between = nearest ? (1u << (nearest - 1)) - 1 : 0;
        distance[i] = (own[i] & between) == between ? nearest : 0;
    }
    steps->left = distance[0];
    steps->up = distance[1];
    steps->diagonal = distance[2];
}

/* prefix[-distance] + block[-distance + 1] + ... + block[-1] for pointers to one's
 * own place and a pitch from a block to the next; available: blocks before this one. */
template <typename S, int MOST>
__device__ __forceinline__ S gather(const S *prefix, const S *block, int64_t pitch, int distance,
                                    int64_t available)
{
    S sum = 0, own[MOST - 1];
    if (distance <= available) {
        sum = read_fresh(prefix - distance * pitch);
    }
#pragma unroll
    for (int i = MOST - 1; i >= 1; i--) {
        own[i - 1] = 0;
        if (i < distance) {
            own[i - 1] = read_fresh(block - i * pitch);
        }
    }
#pragma unroll
    for (int i = MOST - 1; i >= 1; i--) {
        if (i < distance) {
            sum += own[i - 1];
        }
    }
    return sum;
}

template <class C>
__global__ __launch_bounds__(C::THREADS, C::BLOCKS) void lookback_kernel(sat_plane p, sat_grid g,
                                                              sat_lookback b, int stress)
{
    typedef typename C::S S;
    __shared__ tile_shared<C> s;
    __shared__ lookback_steps steps;
    __shared__ unsigned next;
    typename C::L v[C::ROWS][C::VEC];
    int t = (int)threadIdx.x;
    int64_t blocks = g.tiles_x * g.tiles_y * g.channels;
    if (t == 0) {
        next = atomicAdd(b.ticket, 1u);
    }
    __syncthreads();
    while (next < blocks) {
        int64_t number = next;
        tile_place at = place_tile<C>(g, number);
        unsigned *state = b.state + (at.I * g.tiles_x + at.J) * g.channels + at.channel;
        aux_pointers<S> own = aux_of<S>(b.block, at.channel);
        aux_pointers<S> all = aux_of<S>(b.prefix, at.channel);
        int64_t col = at.I * b.block.col_pitch + at.x + t, row = at.J * b.block.row_pitch + at.y + t;
        int64_t corner = at.I * b.block.corner_pitch + at.J;

        load_tile<C>(p, at, v);
        scan_tile<C>(v, s);
        __syncthreads();
        if (t == 0) {
            next = atomicAdd(b.ticket, 1u); /* early: its answer takes a while */
        }
        stress_pause(stress, number, 0);
        S column_sum = 0, row_sum = 0;
        if (t < C::TILE) {
            block_sums<C>(s, t, &column_sum, &row_sum);
            own.col[col] = column_sum;
            own.row[row] = row_sum;
        }
        __syncthreads();
        if (t < 32) {
            if (t == 0) {
                raise_flag(state, STATE_BLOCK);
            }
            stress_pause(stress, number, 1);
            lookback_steps seen;
            do {
                look(g, b.state, at, &seen);
            } while (!seen.left || !seen.up);
            if (t == 0) {
                steps = seen;
            }
        }
        __syncthreads();
        S above = 0, left = 0;
        if (t < C::TILE) {
            left = gather<S, REACH>(all.row + row, own.row + row, b.block.row_pitch, steps.left,
                                    at.J);
            above = gather<S, REACH>(all.col + col, own.col + col, b.block.col_pitch, steps.up,
                                     at.I);
            all.row[row] = left + row_sum;
            all.col[col] = above + column_sum;
        }
        S angle = above + (left + row_sum); /* of the last thread: all above and left of its end */
        int64_t before = at.I < at.J ? at.I : at.J;
        bool known = steps.diagonal != 0;
        if (t == C::TILE - 1) {
            if (known) {
                s.corner = gather<S, REACH_DIAGONAL>(all.corner + corner, own.corner + corner,
                                                     b.block.corner_pitch + 1, steps.diagonal,
                                                     before);
                all.corner[corner] = s.corner + angle;
            }
            own.corner[corner] = angle;
        }
        __syncthreads();
        if (t == 0) {
            raise_flag(state, known ? STATE_CORNER : STATE_PREFIX);
        }
        if (!known) {
            stress_pause(stress, number, 2);
            if (t < 32) {
                lookback_steps seen;
                do {
                    look(g, b.state, at, &seen);
                } while (!seen.diagonal);
                if (t == 0) {
                    steps = seen;
                }
            }
            __syncthreads();
            if (t == C::TILE - 1) {
                s.corner = gather<S, REACH_DIAGONAL>(all.corner + corner, own.corner + corner,
                                                     b.block.corner_pitch + 1, steps.diagonal,
                                                     before);
                all.corner[corner] = s.corner + angle;
            }
            __syncthreads();
            if (t == 0) {
                raise_flag(state, STATE_CORNER);
            }
        }
        if (t < C::TILE) {
            share_carries<C>(s, t, above, left, s.corner);
        }
        __syncthreads();
        store_tile<C>(p, at, v, s);
        __syncthreads(); /* s is used again */
    }
}

template <class C> struct lookback_launch {
    static cudaError_t lookback(const sat_plane &p, const sat_grid &g, const sat_lookback &lookback,
                                int stress, cudaStream_t stream)
    {
        int64_t most = g.tiles_x * g.tiles_y * g.channels, resident = 0;
        cudaError_t error = resident_blocks(lookback_kernel<C>, C::THREADS, &resident);
        if (error != cudaSuccess) {
            return error;
        }
        resident = stress == STRESS_SINGLE ? 1 : resident < most ? resident : most;
        lookback_kernel<C><<<(unsigned)resident, C::THREADS, 0, stream>>>(p, g, lookback, stress);
        return cudaGetLastError();
    }
};

#endif
