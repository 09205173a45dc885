/* The sums of a block's columns and rows, where its table is not wanted, or not yet. */
#ifndef CUDA_SAT_TILE_SUMS_CUH
#define CUDA_SAT_TILE_SUMS_CUH

#include "tile.cuh"

template <typename V> __device__ __forceinline__ V lane_across(V value, int distance)
{
    return __shfl_xor_sync(0xffffffffu, value, distance);
}

__device__ __forceinline__ u128 lane_across(u128 value, int distance)
{
    uint64_t low = __shfl_xor_sync(0xffffffffu, (uint64_t)value, distance);
    uint64_t high = __shfl_xor_sync(0xffffffffu, (uint64_t)(value >> 64), distance);
    return (u128)high << 64 | low;
}

/* value[0] = the sum over all lanes of value[lane / (32 / N)], as D goes from 16 to 32 / N: each
 * step halves what a lane has, and gives away the other half. */
template <int D, int N, typename L, int M>
__device__ __forceinline__ void sum_over_lanes(L (&value)[M])
{
    if constexpr (N > 1) {
        bool upper = threadIdx.x & D;
#pragma unroll
        for (int i = 0; i < N / 2; i++) {
            L give = upper ? value[i] : value[i + N / 2],
              keep = upper ? value[i + N / 2] : value[i];
            value[i] = keep + lane_across(give, D);
        }
        sum_over_lanes<D / 2, N / 2>(value);
    } else if constexpr (D > 0) {
        value[0] += lane_across(value[0], D);
        sum_over_lanes<D / 2, N>(value);
    }
}

/* The rows of a warp, rounded up to a power of two, at least 8. */
template <class C> __host__ __device__ constexpr int lines_of()
{
    static_assert(C::ROWS <= 32, "a warp has at most 32 rows");
    return C::ROWS > 16 ? 32 : C::ROWS > 8 ? 16 : 8;
}

/*
 * From a lane's sums of its columns and of its part of each row: bottom[x] = the sum of the warp's
 * columns up to x, right[y] = the sum of its rows up to y. Returns, in the last lane, the sum of
 * all.
 */
template <class C, int N, typename Sum>
__device__ __forceinline__ typename C::L
sum_lines(typename C::L (&columns)[C::VEC], typename C::L (&rows)[N], Sum *bottom, Sum *right)
{
    typedef typename C::L L;
    constexpr int LANES = 32 / N; /* that a row's sum ends up in */
    int lane = (int)threadIdx.x % 32;
    sum_over_lanes<16, N>(rows);
    L down = rows[0];
#pragma unroll
    for (int distance = LANES; distance < 32; distance *= 2) {
        L other = lane_below(down, distance);
        down += lane >= distance ? other : (L)0;
    }
    if (lane % LANES == 0 && lane / LANES < C::ROWS) {
        right[lane / LANES] = (Sum)down;
    }
#pragma unroll
    for (int k = 1; k < C::VEC; k++) {
        columns[k] += columns[k - 1];
    }
    L before[1] = {columns[C::VEC - 1]};
    sum_lanes_before(before);
#pragma unroll
    for (int k = 0; k < C::VEC; k++) {
        bottom[lane * C::VEC + k] = (Sum)(columns[k] + before[0]);
    }
    return columns[C::VEC - 1] + before[0];
}

/* s = what scan_tile() leaves there, for less: v is no table. The caller's barrier follows. */
template <class C>
__device__ __forceinline__ void sum_tile(const typename C::L (&v)[C::ROWS][C::VEC],
                                         tile_shared<C> &s)
{
    typename C::L columns[C::VEC] = {}, rows[lines_of<C>()] = {};
    int warp = (int)threadIdx.x / 32;
#pragma unroll
    for (int i = 0; i < C::ROWS; i++) {
#pragma unroll
        for (int k = 0; k < C::VEC; k++) {
            columns[k] += v[i][k];
            rows[i] += v[i][k];
        }
    }
    sum_lines<C>(columns, rows, s.bottom[warp], s.right + warp * C::ROWS);
}

#endif
