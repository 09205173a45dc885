/*
 * Windows of floats of any size, weighted or not, without a table: sums down the columns, then
 * along the rows, through memory. Of each line blocks as long as the window are summed from where
 * two of them meet, up and down: a window is the end of one and the start of the next, so nothing
 * is subtracted, and a result depends on its window's samples alone.
 */
#include "any.cuh"

extern "C" {
#include "../../src/base/border.h"
#include "../../src/sat/shift.h"
}

enum { THREADS = 128 };

/* Weighted sums and the sum of the weights. */
template <bool SQUARES> struct window_sums {
    typedef no_squares square_type;
    double sum, weight;

    __device__ __forceinline__ void take(double sample, double times, bool)
    {
        sum += sample * times;
        weight += times;
    }

    __device__ __forceinline__ void unite(const window_sums &other)
    {
        sum += other.sum;
        weight += other.weight;
    }

    __device__ __forceinline__ double above() const
    {
        return 0;
    }

    __device__ __forceinline__ no_squares squares() const
    {
        return no_squares();
    }
};

/* And of squares, both of what samples are above the first one that weighs. */
template <> struct window_sums<true> {
    typedef double square_type;
    double sum, weight, square, shift;

    /* shifts: there is a shift. */
    __device__ __forceinline__ void take(double sample, double times, bool shifts)
    {
        if (weight == 0) {
            shift = shifts && fabs(sample) <= SATF_SHIFT_MOST ? sample : 0;
        }
        double above = sample - shift;
        sum += above * times;
        square += above * above * times;
        weight += times;
    }

    __device__ __forceinline__ void unite(const window_sums &other)
    {
        shift = weight == 0 ? other.shift : shift;
        double rise = other.shift - shift, moved = __fma_rn(other.weight, rise, other.sum);
        square += __fma_rn(rise, other.sum + moved, other.square);
        sum += moved;
        weight += other.weight;
    }

    __device__ __forceinline__ double above() const
    {
        return shift;
    }

    __device__ __forceinline__ double squares() const
    {
        return square;
    }
};
static_assert(sizeof(window_sums<false>) == FILTER_GPU_SUMS_BYTES, "memory is as large");
static_assert(sizeof(window_sums<true>) == FILTER_GPU_MOMENTS_BYTES, "memory is as large");

/* Rows of results first ... first + rows - 1, and how many blocks of windows they take. */
typedef struct window_band {
    int64_t first, rows;
    int64_t across_first, across, down_first, down; /* places where blocks meet, in blocks */
} window_band;

static int64_t round_up(int64_t place, int64_t length)
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

/* What a channel's sample weighs beyond a constant border; its sample there. */
static __device__ inline double outside_weight(const filter_gpu_task *task, int c)
{
    int last = task->in.channels - 1;
    return task->weighted && c < last ? task->layers[0].outside[last].real : 1;
}

static __device__ inline bool has_shift(const filter_gpu_task *task, int c)
{
    return !task->weighted || c < task->in.channels - 1;
}

/* A column of the image. */
struct image_column {
    const filter_gpu_task *task;
    const char *sample, *alpha; /* of the first row; alpha: NULL if it weighs no samples */
    int c;

    __device__ image_column(const filter_gpu_task *of, int64_t i) : task(of)
    {
        int channels = task->in.channels, bytes = sample_bytes(task->in.type);
        c = (int)(i % channels);
        sample = (const char *)task->in.data + i * bytes;
        alpha = task->weighted && c < channels - 1 ? sample + (channels - 1 - c) * bytes : NULL;
    }

    template <class Sums> __device__ __forceinline__ void take(int64_t row, Sums *to) const
    {
        int64_t y = satf_border_index(task->border, row, task->in.height);
        if (y >= 0) {
            int64_t at = y * task->in.stride;
            double weight = alpha ? load_sample(task->in.type, alpha + at) : 1;
            to->take(load_sample(task->in.type, sample + at), weight, has_shift(task, c));
        } else if (task->border == SATF_BORDER_CONSTANT) {
            to->take(task->layers[0].outside[c].real, outside_weight(task, c), has_shift(task, c));
        }
    }
};

/* A row of the windows' columns. */
template <class Sums> struct column_row {
    const filter_gpu_task *task;
    const Sums *first; /* of the channel */
    int c;

    __device__ __forceinline__ void take(int64_t column, Sums *to) const
    {
        int64_t x = satf_border_index(task->border, column, task->in.width);
        if (x >= 0) {
            to->unite(first[x * task->in.channels]);
        } else if (task->border == SATF_BORDER_CONSTANT) {
            to->take(task->layers[0].outside[c].real,
                     outside_weight(task, c) * (double)task->window.rect.h, has_shift(task, c));
        }
    }
};

/* The windows of those results of begin ... end - 1 that have place `common` of the line, where two
 * blocks meet; that of result q begins at place q + first. to: result q's lies q * step behind. */
template <class Line, class Sums>
static __device__ __forceinline__ void sum_windows(const Line &line, int64_t first, int64_t length,
                                                   int64_t common, int64_t begin, int64_t end,
                                                   Sums *to, int64_t step)
{
    int64_t low = max(begin, common - length + 1 - first), high = min(end, common + 1 - first);
    Sums sums = Sums();
#pragma unroll 4
    for (int64_t place = common - 1; place >= low + first; place--) {
        line.take(place, &sums);
        if (place - first < high) {
            to[(place - first) * step] = sums;
        }
    }
    sums = Sums();
#pragma unroll 4
    for (int64_t place = common; place < high - 1 + first + length; place++) {
        int64_t q = place - length + 1 - first;
        line.take(place, &sums);
        if (q >= low) {
            Sums window = sums;
            if (q + first < common) {
                window.unite(to[q * step]);
            }
            to[q * step] = window;
        }
    }
}

template <class Sums>
static __global__ void __launch_bounds__(THREADS)
    sum_down(const __grid_constant__ filter_gpu_task task, const __grid_constant__ window_band band,
             Sums *__restrict__ columns)
{
    const satf_rect *window = &task.window.rect;
    int64_t samples = task.in.width * task.in.channels, step = (int64_t)gridDim.x * THREADS;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < samples * band.down;
         i += step) {
        int64_t place = i % samples, common = (band.down_first + i / samples) * window->h;
        sum_windows(image_column(&task, place), window->y, window->h, common, band.first,
                    band.first + band.rows, columns + place - band.first * samples, samples);
    }
}

template <class Sums>
static __global__ void __launch_bounds__(THREADS)
    sum_across(const __grid_constant__ filter_gpu_task task,
               const __grid_constant__ window_band band, const Sums *__restrict__ columns,
               Sums *__restrict__ windows)
{
    const satf_rect *window = &task.window.rect;
    int64_t channels = task.in.channels, samples = task.in.width * channels;
    int64_t each = channels * band.across, step = (int64_t)gridDim.x * THREADS;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < each * band.rows; i += step) {
        int64_t row = i / each * samples, common = (band.across_first + i % each / channels);
        int c = (int)(i % channels);
        column_row<Sums> line = {&task, columns + row + c, c};
        sum_windows(line, window->x, window->w, common * window->w, 0, task.in.width,
                    windows + row + c, channels);
    }
}

/* The moments of a pixel's channels, for any.cuh. */
template <class Sums> struct window_moments {
    typedef double sum_type;
    typedef typename Sums::square_type square_type;
    const Sums *of;

    __device__ double sum(int c) const
    {
        return of[c].sum;
    }

    __device__ square_type square(int c) const
    {
        return of[c].squares();
    }

    __device__ double shift(int c) const
    {
        return of[c].above();
    }

    __device__ void load_weight(int c, formula_sums *in) const
    {
        in->real_weight = of[c].weight;
        in->weight = (uint64_t)of[c].weight;
    }
};

template <class Formula, class Sums>
static __global__ void __launch_bounds__(THREADS)
    finish_windows(const __grid_constant__ filter_gpu_task task,
                   const __grid_constant__ window_band band, const Sums *__restrict__ windows,
                   bool aligned)
{
    int64_t width = task.in.width, channels = task.out.channels, each = width * channels;
    int64_t step = (int64_t)gridDim.x * THREADS;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < each * band.rows; i += step) {
        int64_t row = i / each, x = i % each / channels, y = band.first + row;
        int c = (int)(i % channels);
        window_moments<Sums> moments = {windows + (row * width + x) * task.in.channels};
        store(&task.out, x, y, c, aligned, apply<Formula>(&task, 1, moments, c, x, y, 0));
    }
}

template <class Sums>
using finish_kernel = void (*)(filter_gpu_task, window_band, const Sums *, bool);

static finish_kernel<window_sums<false>> finish_kernel_of(const filter_gpu_task *task,
                                                          const window_sums<false> *)
{
    typedef window_sums<false> sums;
    return task->known == FILTER_GPU_MEAN   ? finish_windows<known_mean, sums>
           : task->known == FILTER_GPU_LUMA ? finish_windows<known_luma, sums>
           : task->has_aux                  ? finish_windows<any_aux, sums>
                                            : finish_windows<any_formula, sums>;
}

static finish_kernel<window_sums<true>> finish_kernel_of(const filter_gpu_task *task,
                                                         const window_sums<true> *)
{
    typedef window_sums<true> sums;
    return task->has_aux ? finish_windows<any_aux, sums> : finish_windows<any_formula, sums>;
}

static unsigned windows_blocks_for(int64_t count)
{
    int64_t blocks = (count - 1) / THREADS + 1;
    return (unsigned)(blocks < 1 << 20 ? blocks : 1 << 20);
}

template <class Sums>
static void run_windows(const filter_gpu_task *task, Sums *columns, int64_t rows,
                        cudaStream_t stream)
{
    int64_t width = task->in.width, samples = width * task->in.channels;
    finish_kernel<Sums> finish = finish_kernel_of(task, columns);
    Sums *windows = columns + samples * rows;
    bool aligned = is_aligned(&task->out);
    for (int64_t y = 0; y < task->in.height; y += rows) {
        int64_t left = task->in.height - y;
        window_band band = band_of(task, y, left < rows ? left : rows);
        sum_down<<<windows_blocks_for(samples * band.down), THREADS, 0, stream>>>(*task, band,
                                                                                  columns);
        int64_t lines = band.rows * band.across * task->in.channels;
        sum_across<<<windows_blocks_for(lines), THREADS, 0, stream>>>(*task, band, columns,
                                                                      windows);
        finish<<<windows_blocks_for(band.rows * width * task->out.channels), THREADS, 0, stream>>>(
            *task, band, windows, aligned);
    }
}

extern "C" satf_status cuda_windows(satf_context *ctx, const filter_gpu_task *task, void *memory,
                                    int64_t rows)
{
    satf_status status = cuda_open(ctx, task->in.device);
    if (status) {
        return status;
    }
    cudaStream_t stream = (cudaStream_t)cuda_stream(ctx);
    if (task->layer_count > 1) {
        run_windows(task, (window_sums<true> *)memory, rows, stream);
    } else {
        run_windows(task, (window_sums<false> *)memory, rows, stream);
    }
    return cuda_check(ctx, cudaGetLastError(), "cudaLaunchKernel");
}
