/*
 * The policies of look-back, the fastest algorithm for every pair of sample and sum type: the types
 * that it is compiled for, and all that was tuned. Records: results/h200.
 */
#ifndef CUDA_SAT_PAIRS_CUH
#define CUDA_SAT_PAIRS_CUH

#include "early_sums.cuh"
#include "pixels.cuh"

/*
 * T samples, S sums that blocks hand on, O those stored, L sums of samples within a block, ANY_L of
 * any summand. TILE, THREADS: of square blocks of one channel. VEC, ROWS: a lane's columns
 * and a warp's rows where blocks are sent for two ahead (early_sums.cuh), from PIXELS and a width
 * of WIDTH on.
 */
struct policy_u8_u32 {
    typedef uint8_t T;
    typedef uint32_t L, ANY_L, S, O;
    enum { TILE = 128, THREADS = 256, VEC = 4, ROWS = 12, PIXELS = 5 << 20, WIDTH = 1024 };
};

struct policy_u16_u32 {
    typedef uint16_t T;
    typedef uint32_t L, ANY_L, S, O;
    enum { TILE = 128, THREADS = 128, VEC = 4, ROWS = 12, PIXELS = 5 << 20, WIDTH = 1024 };
};

struct policy_u8_u64 {
    typedef uint8_t T;
    typedef uint32_t L;
    typedef uint64_t ANY_L, S, O;
    enum { TILE = 64, THREADS = 128, VEC = 2, ROWS = 12, PIXELS = 1 << 22, WIDTH = 1 };
};

struct policy_u16_u64 {
    typedef uint16_t T;
    typedef uint32_t L;
    typedef uint64_t ANY_L, S, O;
    enum { TILE = 64, THREADS = 128, VEC = 2, ROWS = 12, PIXELS = 1 << 22, WIDTH = 1 };
};

struct policy_f32_f32 {
    typedef float T, L, O;
    typedef double ANY_L, S;
    enum { TILE = 128, THREADS = 256, VEC = 4, ROWS = 12, PIXELS = 5 << 20, WIDTH = 1024 };
};

struct policy_f32_f64 {
    typedef float T;
    typedef double L, ANY_L, S, O;
    enum { TILE = 64, THREADS = 128, VEC = 2, ROWS = 14, PIXELS = 5 << 20, WIDTH = 1 };
};

struct policy_f64_f64 {
    typedef double T, L, ANY_L, S, O;
    enum { TILE = 64, THREADS = 128, VEC = 2, ROWS = 12, PIXELS = 5 << 20, WIDTH = 1 };
};

template <class P> struct pair_shapes {
    template <int CHANNELS>
    using pixels = pixels_launch<
        pixel_shape<typename P::T, typename P::L, typename P::S, typename P::O, CHANNELS>>;
    typedef early_launch<tile_shape<typename P::T, typename P::L, typename P::S, typename P::O,
                                    SAT_ONE_CHANNEL, P::VEC, 8, P::ROWS>,
                         P::PIXELS, P::WIDTH>
        early;
    typedef lookback_launch<tile_shape<typename P::T, typename P::L, typename P::S, typename P::O,
                                       SAT_ONE_CHANNEL, P::TILE / 32, P::THREADS / 32>>
        square;
    typedef lookback_launch<tile_shape<typename P::T, typename P::ANY_L, typename P::S,
                                       typename P::O, SAT_ANY_SUMMAND, 2, 4>>
        any;
};

#define SAT_PAIR(IN, OUT, TYPE, SUM, F32_OUT)                               \
    typedef pair_shapes<policy_##IN##_##OUT> shapes;                        \
    static const sat_lookback_shape lookback[] = {shapes::early::table,     \
                                                  shapes::square::table,    \
                                                  shapes::pixels<2>::table, \
                                                  shapes::pixels<3>::table, \
                                                  shapes::pixels<4>::table, \
                                                  shapes::any::table,       \
                                                  {}};                      \
    extern const sat_pair sat_pair_##IN##_##OUT = {TYPE, SUM, F32_OUT, lookback, &sat_sums_##OUT};

#endif
