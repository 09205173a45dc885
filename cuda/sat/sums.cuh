/*
 * The kernels of the dissertation's algorithms and of SKSS for one type of sums: a table, which the
 * algorithms choose from. They take samples of every type that has such sums (samples.cuh), so they
 * are compiled once for each, in the shape of blocks that won most in the records (results/h200).
 */
#ifndef CUDA_SAT_SUMS_CUH
#define CUDA_SAT_SUMS_CUH

#include "passes.cuh"
#include "skss.cuh"

/* TILE: 32, 64 or 128. A thread has TILE * TILE / THREADS sums, of which registers hold at most 128
 * of 32 bits or 64 of 64. SCOPE: SAT_ONE_CHANNEL for plain sums of one channel. */
template <typename S, typename O, int TILE, int THREADS, sat_scope SCOPE = SAT_ANY_SUMMAND>
using sums_shape = tile_shape<O, O, S, O, SCOPE, TILE / 32, THREADS / 32>;

template <class C> constexpr sat_shape make_shape()
{
    return {C::TILE,
            C::THREADS,
            C::SCOPE,
            blocks_launch<C>::sums,
            blocks_launch<C>::tables,
            blocks_launch<C>::stage,
            blocks_launch<C>::stages,
            skss_launch<C>::skss,
            (int)sizeof(typename tile_state<typename C::S>::word)};
}

/* Only what 2r1w needs. */
template <class C> constexpr sat_shape make_shape_2r1w()
{
    return {C::TILE, C::THREADS, C::SCOPE, blocks_launch<C>::sums, blocks_launch<C>::tables, NULL,
            NULL,    NULL,       0};
}

#define SHAPE_END                                           \
    {                                                       \
        0, 0, SAT_CHANNELS, NULL, NULL, NULL, NULL, NULL, 0 \
    }

/* S: the sums that blocks hand on; O: those stored; OF_SUMS: for tables of S. */
#define SAT_SUMS(NAME, S, O, OF_SUMS, ...)                                  \
    static const sat_shape NAME##_shapes[] = {__VA_ARGS__, SHAPE_END};      \
    extern const sat_sums sat_sums_##NAME = {(int)sizeof(S),                \
                                             (int)sizeof(O),                \
                                             NAME##_shapes,                 \
                                             &sat_sums_##OF_SUMS,           \
                                             launch_prefix<S>,              \
                                             launch_corners<S>,             \
                                             passes_launch<S, O>::columns,  \
                                             passes_launch<S, O>::rows,     \
                                             passes_launch<S, O>::diagonal, \
                                             passes_launch<S, O>::diagonals};

#endif
