/* The sums of MARCH neighbouring windows along an axis, of their older samples, their newer ones
 * and a sum of all between. Only additions: a sum depends on its window's samples alone. */
#ifndef CUDA_SUMS_MARCH_SUMS_CUH
#define CUDA_SUMS_MARCH_SUMS_CUH

#include "any.cuh"
#include "march.h"

extern "C" {
#include "../../src/sat/shift.h"
}

/* A sum and, where the formula wants it, a sum of squares. */
template <class Sum, class Square> struct moments {
    Sum sum;
    Square square;

    template <class T> __device__ __forceinline__ void take(T sample)
    {
        sum += (Sum)sample;
        if constexpr (std::is_same<Square, double>::value) {
            square = __fma_rn((double)sample, (double)sample, square);
        } else {
            square += (Square)sample * (Square)sample;
        }
    }

    __device__ __forceinline__ void add(const moments &other)
    {
        sum += other.sum;
        square += other.square;
    }

    __device__ __forceinline__ void take(const moments &other)
    {
        add(other);
    }
};

/* Moments of floats: of samples less a shift, which is a sample that all their windows contain. */
template <> struct moments<double, double> {
    double sum, square, shift;

    __device__ __forceinline__ void take(double above)
    {
        sum += above;
        square = __fma_rn(above, above, square);
    }

    __device__ __forceinline__ void add(const moments &other)
    {
        sum += other.sum;
        square += other.square;
    }

    __device__ __forceinline__ void take(const moments &other)
    {
        add(other);
    }

    /* The same samples' moments above another shift; count: of the samples. */
    __device__ __forceinline__ moments above(double other, double count) const
    {
        moments moved;
        double rise = shift - other;
        moved.sum = __fma_rn(count, rise, sum);
        moved.square = __fma_rn(rise, sum + moved.sum, square);
        moved.shift = other;
        return moved;
    }
};

template <class Sum> struct moments<Sum, no_squares> {
    Sum sum;

    template <class T> __device__ __forceinline__ void take(T sample)
    {
        sum += (Sum)sample;
    }

    __device__ __forceinline__ void add(const moments &other)
    {
        sum += other.sum;
    }

    __device__ __forceinline__ void take(const moments &other)
    {
        add(other);
    }
};

/* Moments in shared memory: an array of sums and one of squares. */
template <class Sum, class Square> struct moment_rows {
    Sum *sums;
    Square *squares;

    __device__ __forceinline__ moment_rows(char *memory, int first, int second)
        : sums((Sum *)(memory + first)), squares((Square *)(memory + second))
    {
    }

    __device__ __forceinline__ moments<Sum, Square> at(int i) const
    {
        moments<Sum, Square> m = moments<Sum, Square>();
        m.sum = sums[i];
        if constexpr (has_squares<Square>) {
            m.square = squares[i];
        }
        return m;
    }

    __device__ __forceinline__ void put(int i, const moments<Sum, Square> &m) const
    {
        sums[i] = m.sum;
        if constexpr (has_squares<Square>) {
            squares[i] = m.square;
        }
    }
};

/* window[i] = sum of sample[i] ... sample[i + rest], for windows shorter than a group. */
template <class Moments, class T>
static __device__ __forceinline__ void add_few(const T (&sample)[2 * MARCH], int rest,
                                               Moments (&window)[MARCH])
{
#pragma unroll
    for (int i = 0; i < MARCH; i++) {
        window[i] = Moments();
    }
#pragma unroll
    for (int d = 0; d < MARCH; d++) {
        if (d <= rest) {
#pragma unroll
            for (int i = 0; i < MARCH; i++) {
                window[i].take(sample[i + d]);
            }
        }
    }
}

/* The same above shifts, four windows at a time: all four contain sample `common`, which is their
 * shift. load(i, common): sample i less that shift. */
template <class Value, class Moments, class Load>
static __device__ __forceinline__ void add_few_above(Load load, int rest, Moments (&window)[MARCH])
{
#pragma unroll
    for (int first = 0; first < MARCH; first += MARCH_LEAST_SHIFTED) {
        Value sample[MARCH_LEAST_SHIFTED + MARCH - 1];
#pragma unroll
        for (int i = 0; i < MARCH_LEAST_SHIFTED + MARCH - 1; i++) {
            sample[i] = i < MARCH_LEAST_SHIFTED + rest
                            ? load(first + i, first + MARCH_LEAST_SHIFTED - 1)
                            : Value();
        }
#pragma unroll
        for (int i = 0; i < MARCH_LEAST_SHIFTED; i++) {
            window[first + i] = Moments();
        }
#pragma unroll
        for (int d = 0; d < MARCH; d++) {
            if (d <= rest) {
#pragma unroll
                for (int i = 0; i < MARCH_LEAST_SHIFTED; i++) {
                    window[first + i].take(sample[i + d]);
                }
            }
        }
    }
}

/* The shifts of MARCH neighbouring windows. That of window i is the one of column i | with. */
template <bool SHIFTED> struct march_shifts {
    const double *first;
    int with, step;

    __device__ __forceinline__ double at(int i) const
    {
        return first[(i | with) * step];
    }
};

template <> struct march_shifts<false> {
    __device__ __forceinline__ double at(int) const
    {
        return 0;
    }
};

static __device__ __forceinline__ int shift_with(const march_axis &axis)
{
    return axis.groups > 0 ? MARCH - 1 : MARCH_LEAST_SHIFTED - 1;
}

/* Windows longer than a group: the suffix sums of their older samples. */
template <class Moments, class Load>
static __device__ __forceinline__ void begin_windows(Load older, Moments (&window)[MARCH])
{
    Moments sum = Moments();
#pragma unroll
    for (int i = MARCH - 1; i >= 0; i--) {
        sum.take(older(i));
        window[i] = sum;
    }
}

/* Then adds the sum of all samples between, and the prefix sums of the newer ones. */
template <class Moments, class Load>
static __device__ __forceinline__ void end_windows(const Moments &between, Load newer,
                                                   Moments (&window)[MARCH])
{
    Moments sum = Moments();
#pragma unroll
    for (int i = 0; i < MARCH; i++) {
        sum.take(newer(i));
        Moments rest = between;
        rest.add(sum);
        window[i].add(rest);
    }
}

/* The shift that a sample makes: finite, and so small that it makes no square overflow. */
template <class T> static __device__ __forceinline__ double shift_of(T sample)
{
    return fabs((double)sample) <= SATF_SHIFT_MOST ? (double)sample : 0;
}

/* Adds the newer samples: the last REST to `last`, the others to `first`. REST is a constant, since
 * registers have no index; so there is one addition a sample. */
template <int REST, class Moments, class T>
static __device__ __forceinline__ void split_at(const T (&sample)[MARCH], Moments &first,
                                                Moments &last)
{
    if constexpr (std::is_same<Moments, moments<double, double>>::value) {
        last.shift = REST > 0 ? shift_of(sample[(MARCH - REST) % MARCH]) : 0;
#pragma unroll
        for (int i = 0; i < MARCH; i++) {
            Moments &to = i < MARCH - REST ? first : last;
            to.take((double)sample[i] - to.shift);
        }
    } else {
#pragma unroll
        for (int i = 0; i < MARCH; i++) {
            (i < MARCH - REST ? first : last).take(sample[i]);
        }
    }
}

template <class Moments, class T>
static __device__ __forceinline__ void split(const T (&sample)[MARCH], int rest, Moments &first,
                                             Moments &last)
{
    switch (rest) {
    case 0:
        split_at<0>(sample, first, last);
        break;
    case 1:
        split_at<1>(sample, first, last);
        break;
    case 2:
        split_at<2>(sample, first, last);
        break;
    case 3:
        split_at<3>(sample, first, last);
        break;
    case 4:
        split_at<4>(sample, first, last);
        break;
    case 5:
        split_at<5>(sample, first, last);
        break;
    case 6:
        split_at<6>(sample, first, last);
        break;
    default:
        split_at<7>(sample, first, last);
    }
}

#endif
