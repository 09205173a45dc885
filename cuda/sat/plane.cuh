/* One channel of an image and its table, as the kernels see them: samples in,
 * sums out, at any alignment. */
#ifndef CUDA_SAT_PLANE_CUH
#define CUDA_SAT_PLANE_CUH

#include <stdint.h>
#include <type_traits>

#include "launch.h"

__extension__ typedef unsigned __int128 u128;

/* A value of any alignment. The widest aligned access is one load or store. */
template <typename T> __device__ __forceinline__ T read_value(const char *from, bool aligned)
{
    if (aligned) {
        return *reinterpret_cast<const T *>(from);
    }
    union {
        T value;
        unsigned char byte[sizeof(T)];
    } u;
#pragma unroll
    for (int i = 0; i < (int)sizeof(T); i++) {
        u.byte[i] = (unsigned char)from[i];
    }
    return u.value;
}

template <typename O> __device__ __forceinline__ void write_value(char *to, O value, bool aligned)
{
    if (aligned) {
        *reinterpret_cast<O *>(to) = value;
        return;
    }
    union {
        O value;
        unsigned char byte[sizeof(O)];
    } u;
    u.value = value;
#pragma unroll
    for (int i = 0; i < (int)sizeof(O); i++) {
        to[i] = (char)u.byte[i];
    }
}

template <typename T>
__device__ __forceinline__ T read_sample(const sat_plane &p, const char *row, int64_t x, int c)
{
    return read_value<T>(row + (x * p.channels + c) * (int64_t)sizeof(T),
                         p.in_align >= (int)sizeof(T));
}

/* The summand of channel c of the pixel, in L, which holds it; see satf_summand. PLAIN
 * spares the choice where the job's summand is known to be the sample. */
template <typename T, typename L, bool PLAIN>
__device__ __forceinline__ L read_summand(const sat_plane &p, const char *row, int64_t x, int c)
{
    L a = (L)read_sample<T>(p, row, x, c);
    if (PLAIN || p.summand == SATF_SUMMAND_PLAIN) {
        return a;
    }
    if (p.summand == SATF_SUMMAND_SQUARE) {
        return a * a;
    }
    if (c == p.channels - 1) {
        return a; /* the alpha lane sums alpha */
    }
    L weight = (L)read_sample<T>(p, row, x, p.channels - 1);
    return p.summand == SATF_SUMMAND_WEIGHTED ? a * weight : a * a * weight;
}

/* Calls with(T()), where T is the type of the plane's samples and O that of its table. */
template <typename O, typename With>
__device__ __forceinline__ void with_samples(const sat_plane &p, With with)
{
    if constexpr (sizeof(O) == 16) { /* of squares of u16 */
        if (p.in_bytes == 2) {
            with(uint16_t());
        } else {
            with(O());
        }
    } else if constexpr (std::is_same_v<O, double>) {
        if (p.in_bytes == 4) {
            with(float());
        } else {
            with(O());
        }
    } else if constexpr (std::is_same_v<O, float>) {
        with(O());
    } else if (p.in_bytes == 1) {
        with(uint8_t());
    } else if (p.in_bytes == 2) {
        with(uint16_t());
    } else {
        with(O());
    }
}

template <typename O>
__device__ __forceinline__ char *sum_at(const sat_plane &p, int64_t y, int64_t x, int c)
{
    return p.out + y * p.out_stride + (x * p.channels + c) * (int64_t)sizeof(O);
}

template <typename O> __device__ __forceinline__ O read_sum(const sat_plane &p, const char *from)
{
    return read_value<O>(from, p.out_align >= (int)sizeof(O));
}

template <typename O> __device__ __forceinline__ void write_sum(const sat_plane &p, char *to, O sum)
{
    write_value<O>(to, sum, p.out_align >= (int)sizeof(O));
}

#endif
