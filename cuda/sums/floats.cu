/*
 * Windows of floats on a CUDA device without a table, a thread for each. Windows among which pixels
 * choose (choose.cu) are summed sample by sample, above the first sample that weighs. Windows whose
 * sides an image gives are sums of blocks (src/sums/choice/pyramid.h), which are made first.
 */
#include "any.cuh"

extern "C" {
#include "../../src/sat/shift.h"
#include "../../src/sums/choice/pyramid.h"
#include "../../src/sums/choice/sides.h"
#include "../../src/sums/choice/varied.h"
}

enum { THREADS = 128 };

/* The pixels of a window, as runs of columns and of rows, and how many they are. */
typedef struct window_runs {
    axis_run columns[AXIS_RUNS], rows[AXIS_RUNS];
    int column_count, row_count;
    double area, outside; /* outside: of a constant border */
} window_runs;

static __device__ inline int64_t inside(int64_t first, int64_t length, int64_t n)
{
    int64_t end = first + length < n ? first + length : n;
    return end - (first > 0 ? first : 0);
}

static __device__ inline void find_runs(const filter_gpu_task *task, const satf_rect *rect,
                                        int64_t x, int64_t y, window_runs *runs)
{
    const satf_view *in = &task->in;
    int64_t within =
        inside(x + rect->x, rect->w, in->width) * inside(y + rect->y, rect->h, in->height);
    runs->column_count = axis_runs(task->border, in->width, x + rect->x, rect->w, runs->columns);
    runs->row_count = axis_runs(task->border, in->height, y + rect->y, rect->h, runs->rows);
    runs->area = (double)(task->border == SATF_BORDER_SHRINK ? within : rect->w * rect->h);
    runs->outside = task->border == SATF_BORDER_CONSTANT ? runs->area - (double)within : 0;
}

static __device__ inline const char *pixel_at(const satf_view *view, int64_t x, int64_t y)
{
    return (const char *)view->data + y * view->stride +
           x * view->channels * sample_bytes(view->type);
}

/* -------------------------------------------------------------------------- keys */

/* The weighted moments of samples less the shifts, alpha left out, and the sum of the weights. */
typedef struct window_moments {
    double sum[SATF_MAX_CHANNELS], square[SATF_MAX_CHANNELS], shift[SATF_MAX_CHANNELS];
    double weight;
} window_moments;

/* Adds a pixel `times` times. */
static __device__ inline void add_pixel(const filter_gpu_task *task, const double *sample,
                                        double times, window_moments *to)
{
    int channels = task->in.channels, colours = channels - (task->weighted ? 1 : 0);
    double weight = task->weighted ? times * sample[channels - 1] : times;
    for (int c = 0; c < SATF_MAX_CHANNELS; c++) {
        if (c < colours) {
            double usable = fabs(sample[c]) <= SATF_SHIFT_MOST ? sample[c] : 0;
            to->shift[c] = to->weight == 0 ? usable : to->shift[c];
            double above = sample[c] - to->shift[c];
            to->sum[c] += weight * above;
            to->square[c] += weight * (above * above);
        }
    }
    to->weight += weight;
}

static __device__ inline void load_pixel(const satf_view *in, const char *from, double *sample)
{
    for (int c = 0; c < SATF_MAX_CHANNELS; c++) {
        sample[c] = c < in->channels ? load_sample(in->type, from + c * sample_bytes(in->type)) : 0;
    }
}

static __device__ void sum_pixels(const filter_gpu_task *task, const window_runs *runs,
                                  window_moments *to)
{
    double sample[SATF_MAX_CHANNELS];
    for (int j = 0; j < runs->row_count; j++) {
        for (int64_t y = runs->rows[j].first; y < runs->rows[j].end; y++) {
            for (int i = 0; i < runs->column_count; i++) {
                double times = (double)(runs->rows[j].times * runs->columns[i].times);
                for (int64_t x = runs->columns[i].first; x < runs->columns[i].end; x++) {
                    load_pixel(&task->in, pixel_at(&task->in, x, y), sample);
                    add_pixel(task, sample, times, to);
                }
            }
        }
    }
    if (runs->outside > 0) {
        for (int c = 0; c < SATF_MAX_CHANNELS; c++) {
            sample[c] = task->layers[0].outside[c].real;
        }
        add_pixel(task, sample, runs->outside, to);
    }
}

static __device__ inline void load_moments(const window_moments *of, int c, formula_sums *in)
{
    in->real = true;
    in->real_sum = of->sum[c];
    in->real_square = of->square[c];
    in->shift = of->shift[c];
    in->real_weight = of->weight;
}

/* Stores the window's means. */
static __device__ void store_means(const filter_gpu_task *task, const window_moments *of,
                                   double area, int64_t x, int64_t y, bool aligned)
{
    int last = task->in.channels - 1;
    for (int c = 0; c < task->out.channels; c++) {
        formula_sums in = {};
        load_moments(of, c, &in);
        if (task->weighted && c == last) {
            in.real_sum = of->weight;
            in.real_weight = area;
            in.shift = 0;
        }
        store(&task->out, x, y, c, aligned, formula_mean(&in));
    }
}

/* The mean and the key of every window, stored at the place of its last pixel. */
static __global__ void vary_floats(const __grid_constant__ filter_gpu_task task, bool aligned)
{
    const satf_view *in = &task.in, *out = &task.out;
    int64_t count = out->width * out->height, step = (int64_t)gridDim.x * THREADS;
    int colours = in->channels - (task.weighted ? 1 : 0);
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < count; i += step) {
        int64_t x = i % out->width, y = i / out->width;
        window_runs runs;
        window_moments all = {};
        varied now = {};
        formula_sums sums = {};
        find_runs(&task, &task.window.rect, x, y, &runs);
        sum_pixels(&task, &runs, &all);
        for (int c = 0; c < colours; c++) {
            load_moments(&all, c, &sums);
            varied_add(&now, &sums);
        }
        varied_end(&now, &sums, VARIED_UNIT(in->type));
        double *key = (double *)((char *)task.keys.data + y * task.keys.stride) + 2 * x;
        key[0] = now.least;
        key[1] = now.most;
        store_means(&task, &all, runs.area, x, y, aligned);
    }
}

/* --------------------------------------------------------------------------- sides */

/* The pyramid's first level: blocks of one pixel. */
static __global__ void fill_blocks(const __grid_constant__ filter_gpu_task task, pyramid blocks)
{
    const satf_view *in = &task.in;
    int64_t count = in->width * in->height, step = (int64_t)gridDim.x * THREADS;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < count; i += step) {
        int64_t x = i % in->width, y = i / in->width;
        double sample[SATF_MAX_CHANNELS], *to = blocks.sums + y * blocks.row + x * in->channels;
        load_pixel(in, pixel_at(in, x, y), sample);
        for (int c = 0; c < in->channels; c++) {
            bool weighs = task.weighted && c + 1 < in->channels;
            to[c] = (weighs ? sample[c] * sample[in->channels - 1] : sample[c]) + 0.0;
        }
    }
}

/* to[i] = the sum of the four blocks from 4 (i - i % period) + i % period on, `apart` from one
 * another; for n numbers in each of `rows` rows. Unites neighbours in a row, or rows. */
static __global__ void unite_blocks(double *to, const double *from, int64_t n, int64_t rows,
                                    int64_t row, int64_t from_row, int64_t period, int64_t apart)
{
    int64_t count = n * rows, step = (int64_t)gridDim.x * THREADS;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < count; i += step) {
        int64_t y = i / n, x = i % n;
        const double *four = from + y * from_row + 4 * (x - x % period) + x % period;
        to[y * row + x] = (four[0] + four[apart]) + (four[2 * apart] + four[3 * apart]);
    }
}

static __device__ double row_sum(const pyramid *p, int64_t row, int c, const window_runs *runs)
{
    const double *sums = p->sums + row * p->row + c;
    double all = 0;
    for (int i = 0; i < runs->column_count; i++) {
        pyramid_blocks blocks = pyramid_begin(p->width, &runs->columns[i]);
        double sum = 0;
        for (int64_t x; (x = pyramid_next(&blocks)) >= 0;) {
            sum += sums[x * p->channels];
        }
        all += (double)runs->columns[i].times * sum;
    }
    return all;
}

static __device__ double blocks_sum(const filter_gpu_task *task, const pyramid *p, int c,
                                    const window_runs *runs)
{
    double all = 0;
    for (int i = 0; i < runs->row_count; i++) {
        pyramid_blocks blocks = pyramid_begin(p->height, &runs->rows[i]);
        double sum = 0;
        for (int64_t y; (y = pyramid_next(&blocks)) >= 0;) {
            sum += row_sum(p, y, c, runs);
        }
        all += (double)runs->rows[i].times * sum;
    }
    return runs->outside > 0 ? all + task->layers[0].outside[c].real * runs->outside : all;
}

static __device__ double sides_mean(const filter_gpu_task *task, const pyramid *p, int32_t radius,
                                    int c, int64_t x, int64_t y, double *weight)
{
    satf_rect rect = sides_rect(radius);
    window_runs runs;
    formula_sums in = {};
    int last = task->in.channels - 1;
    find_runs(task, &rect, x, y, &runs);
    in.real = true;
    in.real_sum = blocks_sum(task, p, c, &runs);
    in.real_weight = task->weighted && c < last ? blocks_sum(task, p, last, &runs) : runs.area;
    *weight = in.real_weight;
    return formula_number_of(formula_mean(&in));
}

static __global__ void mean_sides(const __grid_constant__ filter_gpu_task task, pyramid blocks,
                                  bool aligned)
{
    const satf_view *in = &task.in;
    int64_t count = in->width * in->height * in->channels, step = (int64_t)gridDim.x * THREADS;
    int colours = in->channels - (task.weighted ? 1 : 0);
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < count; i += step) {
        int c = (int)(i % in->channels);
        int64_t x = i / in->channels % in->width, y = i / in->channels / in->width;
        sample_place at = {x, y, sides_lane(c, colours)};
        formula_sums beside;
        load_aux<FORMULA_AUX>(&task, &at, 0, &beside);
        window_sides sides = sides_of(beside.aux[0]);
        double weight, other;
        formula_value value =
            formula_real(sides_mean(&task, &blocks, sides.radius, c, x, y, &weight));
        if (sides.more > 0) {
            double large = sides_mean(&task, &blocks, sides.radius + 1, c, x, y, &other);
            value = sides_blend(value, formula_real(large), weight, sides.more);
        }
        store(&task.out, x, y, c, aligned, value);
    }
}

static unsigned floats_blocks_for(int64_t count)
{
    int64_t blocks = (count - 1) / THREADS + 1;
    return (unsigned)(blocks < 1 << 20 ? blocks : 1 << 20);
}

/* All levels across, then down. */
static void make_blocks(const filter_gpu_task *task, const pyramid *p, cudaStream_t stream)
{
    const satf_view *in = &task->in;
    double *from = p->sums;
    int64_t rows = in->height, channels = in->channels;
    fill_blocks<<<floats_blocks_for(in->width * rows), THREADS, 0, stream>>>(*task, *p);
    for (int i = 1; i < PYRAMID_LEVELS && in->width >> 2 * i; i++) {
        double *to = from + (in->width >> 2 * (i - 1)) * channels;
        int64_t n = (in->width >> 2 * i) * channels;
        unite_blocks<<<floats_blocks_for(n * rows), THREADS, 0, stream>>>(
            to, from, n, rows, p->row, p->row, channels, channels);
        from = to;
    }
    from = p->sums;
    for (int i = 1; i < PYRAMID_LEVELS && in->height >> 2 * i; i++) {
        double *to = from + (in->height >> 2 * (i - 1)) * p->row;
        rows = in->height >> 2 * i;
        unite_blocks<<<floats_blocks_for(p->row * rows), THREADS, 0, stream>>>(
            to, from, p->row, rows, p->row, 4 * p->row, p->row, p->row);
        from = to;
    }
}

extern "C" satf_status cuda_floats(satf_context *ctx, const filter_gpu_task *task, double *blocks)
{
    satf_status status = cuda_open(ctx, task->in.device);
    if (status) {
        return status;
    }
    const satf_view *in = &task->in;
    cudaStream_t stream = (cudaStream_t)cuda_stream(ctx);
    bool aligned = is_aligned(&task->out);
    int64_t pixels = task->out.width * task->out.height;
    if (task->choices) {
        vary_floats<<<floats_blocks_for(pixels), THREADS, 0, stream>>>(*task, aligned);
    } else {
        pyramid p = pyramid_of(in->width, in->height, in->channels, blocks);
        make_blocks(task, &p, stream);
        mean_sides<<<floats_blocks_for(pixels * in->channels), THREADS, 0, stream>>>(*task, p,
                                                                                     aligned);
    }
    return cuda_check(ctx, cudaGetLastError(), "cudaLaunchKernel");
}
