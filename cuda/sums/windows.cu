/*
 * Windows of floats of any size, weighted or not, without a table: sums down the columns, a thread
 * each, then along the rows, a warp each, through memory. A line is cut into blocks as long as the
 * window. From where two blocks meet both are summed, up and down: a window is the end of one and
 * the start of the next, so nothing is subtracted, and a result depends on its window's samples
 * alone. Windows of a few samples are summed one by one.
 */
#include "any.cuh"

extern "C" {
#include "../../src/base/border.h"
#include "../../src/sat/shift.h"
}

enum { THREADS = 128, WARP = 32, MAX_GRID_ROWS = 65535, AT_ONCE = 4 /* loads of a thread */ };

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

/* -------------------------------------------------------------------------- samples */

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

    __device__ __forceinline__ double load(const char *from) const
    {
        if (!aligned) {
            return load_bytes(task->in.type, from);
        }
        return task->in.type == SATF_F32 ? (double)__ldg((const float *)from)
                                         : __ldg((const double *)from);
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
        return place >= 0 && place < n ? place : satf_border_index(task->border, place, n);
    }

    /* A pixel's sample and weight; an index below 0 is outside. */
    __device__ __forceinline__ double2 at(int64_t x, int64_t y) const
    {
        if (x < 0 || y < 0) {
            double weight = outside_weight();
            return make_double2(weight != 0 ? outside() : 0, weight);
        }
        const char *from = first + y * task->in.stride + x * step;
        return make_double2(load(from), WEIGHS && to_alpha ? load(from + to_alpha) : 1);
    }

    /* The shift of windows that contain this pixel: its sample; under shrink that of the nearest
     * pixel inside, which they contain too. */
    __device__ __forceinline__ double shift(int64_t x, int64_t y) const
    {
        const satf_view &in = task->in;
        bool shrinks = task->border == SATF_BORDER_SHRINK;
        x = shrinks ? max((int64_t)0, min(x, in.width - 1)) : index(x, in.width);
        y = shrinks ? max((int64_t)0, min(y, in.height - 1)) : index(y, in.height);
        return shift_of(at(x, y).x, SATF_SHIFT_MOST);
    }

    /* The last argument of Sums::take(): the shift, or the largest one. */
    template <class Sums> __device__ __forceinline__ double shift_for(int64_t x, int64_t y) const
    {
        if constexpr (!Sums::squares) {
            return 0;
        }
        return !WEIGHS ? shift(x, y) : to_alpha ? SATF_SHIFT_MOST : -1;
    }
};

/* ---------------------------------------------------------------------------- lines */

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

/* A column of the image, by a thread. The sums of result q go to to[q * step]. */
template <class Sums>
static __device__ __forceinline__ void sum_column(const image_channel<Sums::weighs> &image,
                                                  int64_t x, const window_line &line, Sums *to,
                                                  int64_t step)
{
    double shift = image.template shift_for<Sums>(x, line.common);
    int64_t height = image.task->in.height, end = line.low + line.first;
    double2 sample[AT_ONCE];
    Sums sums = Sums();
    for (int64_t place = line.common - 1; place >= end; place -= AT_ONCE) {
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            sample[k] = image.at(x, image.index(max(place - k, end), height));
        }
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            int64_t q = place - k - line.first;
            sums.take(sample[k].x, sample[k].y, shift);
            if (q >= line.low && q < line.high) {
                to[q * step] = sums;
            }
        }
    }
    sums = Sums();
    end = line.high - 1 + line.first + line.length;
    for (int64_t place = line.common; place < end; place += AT_ONCE) {
        Sums older[AT_ONCE];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            int64_t q = place + k - line.length + 1 - line.first;
            sample[k] = image.at(x, image.index(min(place + k, end - 1), height));
            bool has = q >= line.low && q < line.high && q + line.first < line.common;
            older[k] = has ? to[q * step] : Sums();
        }
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            int64_t q = place + k - line.length + 1 - line.first;
            sums.take(sample[k].x, sample[k].y, shift);
            if (q >= line.low && q < line.high) {
                Sums window = sums;
                window.unite(older[k]);
                to[q * step] = window;
            }
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
        int64_t place = i % samples, x = place / task.in.channels;
        image_channel<Sums::weighs> image(&task, (int)(place % task.in.channels));
        window_line line(window->y, window->h, (band.down_first + i / samples) * window->h,
                         band.first, band.first + band.rows);
        sum_column(image, x, line, columns + place - band.first * samples, samples);
    }
}

/* Pixels of a window along an axis; under shrink those inside the image. */
static __device__ __forceinline__ int64_t window_covers(const filter_gpu_task *task, int64_t begin,
                                                        int64_t length, int64_t n)
{
    return task->border != SATF_BORDER_SHRINK ? length
                                              : min(begin + length, n) - max(begin, (int64_t)0);
}

/* A row of the windows' columns. */
template <class Sums> struct column_row {
    const image_channel<Sums::weighs> &image;
    const Sums *first; /* of the channel */
    int64_t common;    /* the image's row that the columns' shifts are from */
    double rows, shift;

    /* The sums of a column, above `shift`. */
    __device__ __forceinline__ Sums at(int64_t place) const
    {
        int64_t x = image.index(place, image.task->in.width);
        Sums sums = Sums();
        if (x < 0) {
            sums.take(image.outside(), image.outside_weight() * rows, shift);
            return sums;
        }
        sums = first[x * image.task->in.channels];
        if constexpr (!Sums::weighs && Sums::squares) {
            sums.lower(image.shift(x, common) - shift, rows);
        }
        return sums;
    }
};

template <class Sums> static __device__ __forceinline__ Sums shuffle(const Sums &sums, int lane)
{
    Sums other;
#pragma unroll
    for (int k = 0; k < (int)(sizeof sums.sum / sizeof(double)); k++) {
        other.sum[k] = __shfl_sync(~0u, sums.sum[k], lane);
    }
    return other;
}

/* *before and the sums of all lanes up to this one; *before then holds those of all lanes too. */
template <class Sums> static __device__ __forceinline__ Sums scan(Sums sums, int lane, Sums *before)
{
#pragma unroll
    for (int apart = 1; apart < WARP; apart *= 2) {
        Sums all = shuffle(sums, max(lane - apart, 0));
        all.unite(sums);
        if (lane >= apart) {
            sums = all;
        }
    }
    Sums all = *before;
    all.unite(sums);
    *before = shuffle(all, WARP - 1);
    return all;
}

/* A row of the image, by a warp; as sum_column(). */
template <class Sums>
static __device__ __forceinline__ void sum_row(const column_row<Sums> &row, const window_line &line,
                                               int lane, Sums *to, int step)
{
    int64_t end = line.low + line.first;
    Sums before = Sums();
    for (int64_t place = line.common - 1 - lane; place + lane >= end; place -= WARP) {
        Sums sums = scan(place >= end ? row.at(place) : Sums(), lane, &before);
        int64_t q = place - line.first;
        if (q >= line.low && q < line.high) {
            to[q * step] = sums;
        }
    }
    __syncwarp();
    before = Sums();
    end = line.high - 1 + line.first + line.length;
    for (int64_t place = line.common + lane; place - lane < end; place += WARP) {
        Sums sums = scan(place < end ? row.at(place) : Sums(), lane, &before);
        int64_t q = place - line.length + 1 - line.first;
        if (q >= line.low && q < line.high) {
            if (q + line.first < line.common) {
                sums.unite(to[q * step]);
            }
            to[q * step] = sums;
        }
    }
}

template <class Sums>
static __global__ void __launch_bounds__(THREADS)
    sum_across(const __grid_constant__ filter_gpu_task task,
               const __grid_constant__ window_band band, const Sums *__restrict__ columns,
               Sums *windows)
{
    const satf_rect *window = &task.window.rect;
    int64_t channels = task.in.channels, each = channels * band.across;
    int lane = (int)threadIdx.x % WARP;
    int64_t step = (int64_t)gridDim.x * (THREADS / WARP);
    for (int64_t i = ((int64_t)blockIdx.x * THREADS + threadIdx.x) / WARP; i < each * band.rows;
         i += step) {
        int64_t y = band.first + i / each, row = i / each * task.in.width * channels;
        int64_t common = (band.across_first + i % each / channels) * window->w;
        int64_t common_row = round_up(y + window->y, window->h) * window->h;
        image_channel<Sums::weighs> image(&task, (int)(i % channels));
        double rows = (double)window_covers(&task, y + window->y, window->h, task.in.height);
        column_row<Sums> line = {image, columns + row + image.c, common_row, rows,
                                 image.template shift_for<Sums>(common, common_row)};
        sum_row(line, window_line(window->x, window->w, common, 0, task.in.width), lane,
                windows + row + image.c, (int)channels);
    }
}

/* --------------------------------------------------------------------------- results */

/* The moments of a pixel's channels, for any.cuh. */
template <class Sums> struct window_moments {
    typedef double sum_type;
    typedef typename Sums::square_type square_type;
    const Sums *of;
    int first; /* channel */
    double above, area;

    __device__ double sum(int c) const
    {
        return of[c - first].sum[0];
    }

    __device__ square_type square(int c) const
    {
        return of[c - first].square();
    }

    __device__ double shift(int c) const
    {
        if constexpr (Sums::weighs && Sums::squares) {
            return of[c - first].sum[3];
        }
        return above;
    }

    __device__ void load_weight(int c, formula_sums *in) const
    {
        if constexpr (Sums::weighs) {
            in->real_weight = of[c - first].sum[1];
        } else {
            in->real_weight = area;
        }
        in->weight = (uint64_t)in->real_weight;
    }
};

static __device__ __forceinline__ double window_area(const filter_gpu_task *task, int64_t x,
                                                     int64_t y)
{
    const satf_rect *window = &task->window.rect;
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

template <class Formula, class Sums>
static __global__ void __launch_bounds__(THREADS)
    finish_windows(const __grid_constant__ filter_gpu_task task,
                   const __grid_constant__ window_band band, const Sums *__restrict__ windows,
                   bool aligned)
{
    const satf_rect *window = &task.window.rect;
    int64_t width = task.in.width, step = (int64_t)gridDim.x * THREADS;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < width * task.out.channels;
         i += step) {
        int c;
        int64_t x = pixel_of(i, task.out.channels, &c);
        for (int64_t row = blockIdx.y; row < band.rows; row += gridDim.y) {
            int64_t y = band.first + row;
            double shift = 0;
            if constexpr (Sums::squares && !Sums::weighs) {
                shift = image_channel<false>(&task, c).shift(
                    round_up(x + window->x, window->w) * window->w,
                    round_up(y + window->y, window->h) * window->h);
            }
            window_moments<Sums> moments = {windows + (row * width + x) * task.in.channels, 0,
                                            shift, window_area(&task, x, y)};
            store(&task.out, x, y, c, aligned, apply<Formula>(&task, 1, moments, c, x, y, 0));
        }
    }
}

/* Windows of a few samples, a thread each, above the sample of their pixel. */
template <class Formula, class Sums>
static __global__ void __launch_bounds__(THREADS)
    sum_few(const __grid_constant__ filter_gpu_task task, const __grid_constant__ window_band band,
            const Sums *, bool aligned)
{
    const satf_rect *window = &task.window.rect;
    int64_t step = (int64_t)gridDim.x * THREADS;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
         i < task.in.width * task.out.channels; i += step) {
        int c;
        int64_t x = pixel_of(i, task.out.channels, &c);
        image_channel<Sums::weighs> image(&task, c);
        for (int64_t y = band.first + blockIdx.y; y < band.first + band.rows; y += gridDim.y) {
            double shift = image.template shift_for<Sums>(x, y);
            Sums sums = Sums();
            for (int64_t v = y + window->y; v < y + window->y + window->h; v++) {
                int64_t row = image.index(v, task.in.height);
                for (int64_t u = x + window->x; u < x + window->x + window->w; u++) {
                    double2 sample = image.at(image.index(u, task.in.width), row);
                    sums.take(sample.x, sample.y, shift);
                }
            }
            window_moments<Sums> moments = {&sums, image.c, Sums::weighs ? 0 : shift,
                                            window_area(&task, x, y)};
            store(&task.out, x, y, image.c, aligned,
                  apply<Formula>(&task, 1, moments, image.c, x, y, 0));
        }
    }
}

template <class Sums>
using finish_kernel = void (*)(filter_gpu_task, window_band, const Sums *, bool);

template <class Formula, class Sums> static finish_kernel<Sums> finish_kernel_with(bool few)
{
    return few ? sum_few<Formula, Sums> : finish_windows<Formula, Sums>;
}

template <class Sums>
static finish_kernel<Sums> finish_kernel_of(const filter_gpu_task *task, bool few)
{
    if (task->has_aux) {
        return finish_kernel_with<any_aux, Sums>(few);
    }
    if constexpr (Sums::squares) {
        return task->known == FILTER_GPU_VARIANCE ? finish_kernel_with<known_variance, Sums>(few)
                                                  : finish_kernel_with<any_formula, Sums>(few);
    } else {
        return task->known == FILTER_GPU_MEAN   ? finish_kernel_with<known_mean, Sums>(few)
               : task->known == FILTER_GPU_LUMA ? finish_windows<known_luma, Sums>
                                                : finish_kernel_with<any_formula, Sums>(few);
    }
}

static unsigned windows_blocks_for(int64_t threads)
{
    int64_t blocks = (threads - 1) / THREADS + 1;
    return (unsigned)(blocks < 1 << 20 ? blocks : 1 << 20);
}

template <class Sums>
static void run_windows(const filter_gpu_task *task, Sums *columns, int64_t rows,
                        cudaStream_t stream)
{
    int64_t width = task->in.width, samples = width * task->in.channels;
    bool aligned = is_aligned(&task->out), few = columns == NULL;
    finish_kernel<Sums> finish = finish_kernel_of<Sums>(task, few);
    Sums *windows = few ? NULL : columns + samples * rows;
    for (int64_t y = 0; y < task->in.height; y += rows) {
        int64_t left = task->in.height - y;
        window_band band = band_of(task, y, left < rows ? left : rows);
        int64_t lines = band.rows * band.across * task->in.channels;
        if (!few) {
            sum_down<<<windows_blocks_for(samples * band.down), THREADS, 0, stream>>>(*task, band,
                                                                                      columns);
            sum_across<<<windows_blocks_for(lines * WARP), THREADS, 0, stream>>>(*task, band,
                                                                                 columns, windows);
        }
        dim3 grid(windows_blocks_for(width * task->out.channels),
                  (unsigned)(band.rows < MAX_GRID_ROWS ? band.rows : MAX_GRID_ROWS));
        finish<<<grid, THREADS, 0, stream>>>(*task, band, windows, aligned);
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
    bool squares = task->layer_count > 1;
    if (task->weighted && squares) {
        run_windows(task, (weighted_sums<true> *)memory, rows, stream);
    } else if (task->weighted) {
        run_windows(task, (weighted_sums<false> *)memory, rows, stream);
    } else if (squares) {
        run_windows(task, (plain_sums<true> *)memory, rows, stream);
    } else {
        run_windows(task, (plain_sums<false> *)memory, rows, stream);
    }
    return cuda_check(ctx, cudaGetLastError(), "cudaLaunchKernel");
}
