/*
 * The instances of the kernels: one list of block shapes, expanded for each pair
 * of sample and sum type into kernels and into the table that rows choose from.
 *
 * SHAPES_x(X): X(tile, threads, scope), the row's default first. tile is 32, 64 or 128;
 * threads at least tile and at most 32 * tile. Registers bound a thread's share:
 * tile * tile / threads sums, at most 128 of 32 bits or 64 of 64. Several channels have a
 * shape of their own: their code costs one channel up to 5 %. A shape stands here if it wins
 * somewhere in the records (results/h200), or if it is the only one for its types.
 */
#ifndef CUDA_SAT_INSTANCES_CUH
#define CUDA_SAT_INSTANCES_CUH

#include "ahead.cuh"
#include "passes.cuh"
#include "pixels.cuh"
#include "skss.cuh"

#define SHAPES_LARGE(X)          \
    X(128, 256, SAT_ONE_CHANNEL) \
    X(128, 256, SAT_CHANNELS)    \
    X(64, 128, SAT_ANY_SUMMAND)

#define SHAPES_MIDDLE(X)         \
    X(128, 128, SAT_ONE_CHANNEL) \
    X(128, 128, SAT_CHANNELS)    \
    X(64, 128, SAT_ANY_SUMMAND)

#define SHAPES_SMALL(X)         \
    X(64, 128, SAT_ONE_CHANNEL) \
    X(64, 128, SAT_CHANNELS)    \
    X(64, 128, SAT_ANY_SUMMAND)

/* 256 threads win for doubles by 2r1w where few blocks are there, and by 1+r. */
#define SHAPES_DOUBLE(X)        \
    X(64, 128, SAT_ONE_CHANNEL) \
    X(64, 256, SAT_ONE_CHANNEL) \
    X(64, 128, SAT_CHANNELS)    \
    X(64, 128, SAT_ANY_SUMMAND)

/* Integers in sums of 64 bits. */
#define SHAPES_LONG(X)          \
    X(64, 128, SAT_ONE_CHANNEL) \
    X(128, 128, SAT_CHANNELS)   \
    X(64, 128, SAT_ANY_SUMMAND)

/* Look-back of several channels has blocks of pixels instead. */
template <class C> constexpr auto lookback_of()
{
    if constexpr (C::SCOPE == SAT_CHANNELS) {
        return (decltype(sat_shape::lookback))NULL;
    } else {
        return lookback_launch<C>::lookback;
    }
}

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
            lookback_of<C>(),
            lookback_launch<C>::word_bytes};
}

/* Only what 2r1w needs. */
template <class C> constexpr sat_shape make_shape_2r1w()
{
    return {
        C::TILE, C::THREADS, C::SCOPE, blocks_launch<C>::sums, blocks_launch<C>::tables, NULL, NULL,
        NULL,    NULL,       0};
}

#define SHAPE_END                                                    \
    {                                                                \
        0, 0, SAT_ANY_SUMMAND, NULL, NULL, NULL, NULL, NULL, NULL, 0 \
    }

/*
 * The kernels and the table of a pair. OF_SUMS: the pair for tables of S; PLAIN_L: what sums of
 * samples within a block are held in, ANY_L: those of any summand; ONE: look-back's own shape for
 * one channel. The file defines NAME_ROW(TILE, THREADS, SCOPE) for the shapes.
 */
#define SAT_PAIR(NAME, IN, T, SUM, F32_OUT, OF_SUMS, PLAIN_L, ANY_L, S, O, SHAPES, ONE)          \
    template <int TILE, int THREADS, sat_scope SCOPE>                                            \
    using NAME##_shape =                                                                         \
        tile_shape<T, std::conditional_t<SCOPE == SAT_ANY_SUMMAND, ANY_L, PLAIN_L>, S, O, SCOPE, \
                   TILE / 32, THREADS / 32>;                                                     \
    static const sat_lookback_shape NAME##_lookback[] = {                                        \
        ONE, pixels_launch<pixel_shape<T, PLAIN_L, S, O, 2>>::table,                             \
        pixels_launch<pixel_shape<T, PLAIN_L, S, O, 3>>::table,                                  \
        pixels_launch<pixel_shape<T, PLAIN_L, S, O, 4>>::table};                                 \
    static const sat_shape NAME##_shapes[] = {SHAPES(NAME##_ROW) SHAPE_END};                     \
    extern const sat_pair sat_pair_##NAME = {IN,                                                 \
                                             SUM,                                                \
                                             F32_OUT,                                            \
                                             (int)sizeof(S),                                     \
                                             (int)sizeof(O),                                     \
                                             NAME##_shapes,                                      \
                                             NAME##_lookback,                                    \
                                             &OF_SUMS,                                           \
                                             launch_prefix<S>,                                   \
                                             launch_corners<S>,                                  \
                                             passes_launch<T, S, O>::columns,                    \
                                             passes_launch<T, S, O>::rows,                       \
                                             passes_launch<T, S, O>::diagonal,                   \
                                             passes_launch<T, S, O>::diagonals,                  \
                                             passes_launch<T, S, O>::transposed_columns,         \
                                             passes_launch<T, S, O>::transpose};

/* Tables of sums, for the recursion of 2r1w. */
#define SAT_SUMS(S, NAME)                                                             \
    static const sat_shape NAME##_shapes[] = {                                        \
        make_shape_2r1w<tile_shape<S, S, S, S, SAT_ONE_CHANNEL, 1, 4>>(), SHAPE_END}; \
    extern const sat_pair NAME = {-1,                                                 \
                                  -1,                                                 \
                                  false,                                              \
                                  (int)sizeof(S),                                     \
                                  (int)sizeof(S),                                     \
                                  NAME##_shapes,                                      \
                                  NULL,                                               \
                                  &NAME,                                              \
                                  launch_prefix<S>,                                   \
                                  NULL,                                               \
                                  NULL,                                               \
                                  NULL,                                               \
                                  NULL,                                               \
                                  NULL,                                               \
                                  NULL,                                               \
                                  NULL};

#endif
