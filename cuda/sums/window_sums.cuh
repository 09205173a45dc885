/*
 * Windows of floats (windows.cu): sums of samples that weigh the same, and of weighted ones; a
 * channel of the image as kernels read it; the lines and blocks that windows are cut into.
 */
#ifndef CUDA_SUMS_WINDOW_SUMS_CUH
#define CUDA_SUMS_WINDOW_SUMS_CUH

#include "any.cuh"

extern "C" {
#include "../../src/base/border.h"
#include "../../src/sat/shift.h"
}

enum {
    THREADS = 128,
    WARP = 32,
    MAX_GRID_ROWS = 65535,
    AT_ONCE = 8 /* loads of a thread */,
    ROW_BLOCKS = 4
};

static __device__ __forceinline__ double shift_of(double sample, double most)
{
    return fabs(sample) <= most ? sample : 0;
}

/* Sums of samples that weigh the same; with squares, of samples less a shift that callers give. */
template <bool SQUARES> struct plain_sums {
    static constexpr bool weighs = false, squares = SQUARES;
    typedef std::conditional_t<SQUARES, double, no_squares> square_type;
    double sum[SQUARES ? 2 : 1];

    __device__ __forceinline__ void take(double sample, double times, double shift)
    {
        double above = SQUARES ? sample - shift : sample, all = above * times;
        sum[0] += all;
        if constexpr (SQUARES) {
            sum[1] = __fma_rn(above, all, sum[1]);
        }
    }

    __device__ __forceinline__ void unite(const plain_sums &other)
    {
        sum[0] += other.sum[0];
        if constexpr (SQUARES) {
            sum[1] += other.sum[1];
        }
    }

    /* The sums become those of the same `count` samples above a shift that is lower by `rise`. */
    __device__ __forceinline__ void lower(double rise, double count)
    {
        if constexpr (SQUARES) {
            double moved = __fma_rn(count, rise, sum[0]);
            sum[1] = __fma_rn(rise, sum[0] + moved, sum[1]);
            sum[0] = moved;
        }
    }

    __device__ __forceinline__ square_type square() const
    {
        if constexpr (SQUARES) {
            return sum[1];
        } else {
            return no_squares();
        }
    }
};

/* Weighted sums and the sum of the weights; with squares, above the first sample that weighs. */
template <bool SQUARES> struct weighted_sums {
    static constexpr bool weighs = true, squares = SQUARES;
    typedef std::conditional_t<SQUARES, double, no_squares> square_type;
    double sum[SQUARES ? 4 : 2]; /* the sum, the weight, the squares, the shift */

    /* most: the largest shift; below 0 shifts are 0. */
    __device__ __forceinline__ void take(double sample, double times, double most)
    {
        double above = sample;
        if constexpr (SQUARES) {
            sum[3] = sum[1] == 0 ? shift_of(sample, most) : sum[3];
            above = sample - sum[3];
            sum[2] += above * above * times;
        }
        sum[0] += above * times;
        sum[1] += times;
    }

    __device__ __forceinline__ void unite(const weighted_sums &other)
    {
        double moved = other.sum[0];
        if constexpr (SQUARES) {
            sum[3] = sum[1] == 0 ? other.sum[3] : sum[3];
            double rise = other.sum[3] - sum[3];
            moved = __fma_rn(other.sum[1], rise, moved);
            sum[2] += __fma_rn(rise, other.sum[0] + moved, other.sum[2]);
        }
        sum[0] += moved;
        sum[1] += other.sum[1];
    }

    __device__ __forceinline__ square_type square() const
    {
        if constexpr (SQUARES) {
            return sum[2];
        } else {
            return no_squares();
        }
    }
};
static_assert(sizeof(plain_sums<false>) == FILTER_GPU_SUM_BYTES &&
                  sizeof(plain_sums<true>) == 2 * FILTER_GPU_SUM_BYTES &&
                  sizeof(weighted_sums<false>) == 2 * FILTER_GPU_SUM_BYTES &&
                  sizeof(weighted_sums<true>) == 4 * FILTER_GPU_SUM_BYTES,
              "memory is as large");

/* One copy, since divisions take much code. */
static __device__ __noinline__ int64_t index_beyond(int border, int64_t place, int64_t n)
{
    return satf_border_index(border, place, n);
}

/* A channel of the image. WEIGHS: alpha may weigh its samples. */
template <bool WEIGHS> struct image_channel {
    const filter_gpu_task *task;
    const char *first; /* its first sample */
    int64_t step;      /* bytes to the next pixel's */
    int c, to_alpha;   /* to_alpha: bytes to a sample's weight; 0: all weigh the same */
    bool aligned;

    __device__ __forceinline__ image_channel(const filter_gpu_task *of, int channel)
        : task(of), c(channel)
    {
        int bytes = sample_bytes(task->in.type), last = task->in.channels - 1;
        first = (const char *)task->in.data + c * bytes;
        step = task->in.channels * bytes;
        to_alpha = WEIGHS ? (last - c) * bytes : 0;
        aligned = is_aligned(&task->in);
    }

    /* T: the type of aligned samples; void: any type, aligned or not. */
    template <class T> __device__ __forceinline__ double load(const char *from) const
    {
        if constexpr (!std::is_void<T>::value) {
            return (double)__ldg((const T *)from);
        } else {
            return !aligned                    ? load_bytes(task->in.type, from)
                   : task->in.type == SATF_F32 ? (double)__ldg((const float *)from)
                                               : __ldg((const double *)from);
        }
    }

    __device__ __forceinline__ bool is_float() const
    {
        return aligned && task->in.type == SATF_F32;
    }

    __device__ __forceinline__ double outside() const
    {
        return task->layers[0].outside[c].real;
    }

    /* What a sample weighs beyond a border: of shrink nothing. */
    __device__ __forceinline__ double outside_weight() const
    {
        return task->border != SATF_BORDER_CONSTANT ? 0
               : WEIGHS && to_alpha ? task->layers[0].outside[task->in.channels - 1].real
                                    : 1;
    }

    __device__ __forceinline__ int64_t index(int64_t place, int64_t n) const
    {
        return place >= 0 && place < n ? place : index_beyond(task->border, place, n);
    }

    /* A pixel's sample and weight; an index below 0 is outside. */
    template <class T = void> __device__ __forceinline__ double2 at(int64_t x, int64_t y) const
    {
        if (x < 0 || y < 0) {
            double weight = outside_weight();
            return make_double2(weight != 0 ? outside() : 0, weight);
        }
        return at<T>(pixel(x, y));
    }

    template <class T> __device__ __forceinline__ double2 at(const char *from) const
    {
        return make_double2(load<T>(from), WEIGHS && to_alpha ? load<T>(from + to_alpha) : 1);
    }

    __device__ __forceinline__ const char *pixel(int64_t x, int64_t y) const
    {
        return first + y * task->in.stride + x * step;
    }

    /* The index of a place from which a shift is taken: under shrink the nearest inside. */
    __device__ __forceinline__ int64_t shift_index(int64_t place, int64_t n) const
    {
        return task->border != SATF_BORDER_SHRINK ? index(place, n)
                                                  : max((int64_t)0, min(place, n - 1));
    }

    /* The shift of windows that contain this pixel: its sample; under shrink that of the nearest
     * pixel inside, which they contain too. */
    __device__ __forceinline__ double shift(int64_t x, int64_t y) const
    {
        const satf_view &in = task->in;
        double2 from = at(shift_index(x, in.width), shift_index(y, in.height));
        return shift_of(from.x, SATF_SHIFT_MOST);
    }

    /* The last argument of Sums::take(): the shift, or the largest one. */
    template <class Sums> __device__ __forceinline__ double shift_for(int64_t x, int64_t y) const
    {
        if constexpr (!Sums::squares) {
            return 0;
        }
        return !WEIGHS ? shift(x, y) : to_alpha ? SATF_SHIFT_MOST : -1;
    }

    /* give(place, samples, n) for n samples of a column at a time, at places that are `step` (1 or
     * -1) apart, `count` in all from `place` on. */
    template <class Give>
    __device__ __forceinline__ void each_of_column(int64_t x, int64_t place, int64_t count,
                                                   int step, Give give) const
    {
        int64_t height = task->in.height;
        for (; count > 0; count -= AT_ONCE, place += step * AT_ONCE) {
            double2 sample[AT_ONCE];
            int n = (int)min(count, (int64_t)AT_ONCE);
            int64_t last = place + step * (n - 1);
            if (is_float() && min(place, last) >= 0 && max(place, last) < height) {
                const char *from = pixel(x, place);
                int64_t next = step * task->in.stride;
#pragma unroll
                for (int k = 0; k < AT_ONCE; k++, from += next) {
                    sample[k] = k < n ? at<float>(from) : make_double2(0, 0);
                }
            } else {
#pragma unroll
                for (int k = 0; k < AT_ONCE; k++) {
                    sample[k] = at(x, index(k < n ? place + step * k : last, height));
                }
            }
            give(place, sample, n);
        }
    }
};

/* Pixels of a part of a window along an axis; under shrink those inside the image. */
static __device__ __forceinline__ int64_t window_covers(const filter_gpu_task *task, int64_t begin,
                                                        int64_t length, int64_t n)
{
    int64_t inside = min(begin + length, n) - max(begin, (int64_t)0);
    return task->border != SATF_BORDER_SHRINK ? length : max(inside, (int64_t)0);
}

/* The moments of a pixel's channels, for any.cuh. */
template <class Sums> struct window_moments {
    static constexpr bool weighs = Sums::weighs;
    typedef double sum_type;
    typedef typename Sums::square_type square_type;
    const Sums *of;
    int64_t apart; /* the sums of two channels; 0: there is one */
    double above, area;

    __device__ double sum(int c) const
    {
        return of[c * apart].sum[0];
    }

    __device__ square_type square(int c) const
    {
        return of[c * apart].square();
    }

    __device__ double shift(int c) const
    {
        if constexpr (Sums::weighs && Sums::squares) {
            return of[c * apart].sum[3];
        }
        return above;
    }

    __device__ void load_weight(int c, formula_sums *in) const
    {
        if constexpr (Sums::weighs) {
            in->real_weight = of[c * apart].sum[1];
        } else {
            in->real_weight = area;
        }
        in->weight = (uint64_t)in->real_weight;
    }
};

/* The pixels of a window; under shrink of what is inside. */
static __device__ __forceinline__ double window_area(const filter_gpu_task *task, int64_t x,
                                                     int64_t y)
{
    const satf_rect *window = &task->window.rect;
    if (task->border != SATF_BORDER_SHRINK) {
        return (double)(window->w * window->h); /* found once for all pixels */
    }
    return (double)(window_covers(task, x + window->x, window->w, task->in.width) *
                    window_covers(task, y + window->y, window->h, task->in.height));
}

/* The pixel of sample i of a row, and its channel. */
static __device__ __forceinline__ int64_t pixel_of(int64_t i, int channels, int *c)
{
    int64_t x = channels == 1 ? i : i / channels;
    *c = (int)(i - x * channels);
    return x;
}

/* ---------------------------------------------------------------------- lines */

/* Rows of results first ... first + rows - 1, and the places where blocks of their windows meet. */
typedef struct window_band {
    int64_t first, rows;
    int64_t across_first, across, down_first, down; /* the first, in blocks, and how many */
} window_band;

static __host__ __device__ inline int64_t round_up(int64_t place, int64_t length)
{
    return (place > 0 ? place + length - 1 : place) / length;
}

static window_band band_of(const filter_gpu_task *task, int64_t first, int64_t rows)
{
    const satf_rect *window = &task->window.rect;
    window_band band = {
        first, rows, round_up(window->x, window->w), 0, round_up(first + window->y, window->h), 0};
    band.across = round_up(task->in.width - 1 + window->x, window->w) - band.across_first + 1;
    band.down = round_up(first + rows - 1 + window->y, window->h) - band.down_first + 1;
    return band;
}

/* A difference of places as an index from 0 up to `most`. */
static __device__ __forceinline__ int clamped(int64_t places, int most)
{
    return (int)max((int64_t)0, min(places, (int64_t)most));
}

/* The windows of a line that contain place `common`, where two blocks meet: those of results low
 * ... high - 1. The window of result q begins at place q + first. */
struct window_line {
    int64_t first, length, common, low, high;

    __device__ __forceinline__ window_line(int64_t from, int64_t n, int64_t at, int64_t begin,
                                           int64_t end)
        : first(from), length(n), common(at), low(max(begin, at - n + 1 - from)),
          high(min(end, at + 1 - from))
    {
    }
};

#endif
