/*
 * Passes along lines on a CUDA device (filters/gauss.h). Here are boxes of floats, whose sums are
 * added up in the order of src/sums/lines/line_columns.c, with a thread for each result. Those of
 * whole numbers: whole.cu.
 */
#include "lines.cuh"

enum { THREADS = 256, MAX_GRID_ROWS = 65535 };

/* Lines of numbers: number `place` of line l lies at
 * l / beside * apart + l % beside + place * step. */
typedef struct line_shape {
    int64_t lines, beside, apart, step, places;
} line_shape;

/* A pass from one image to another. Place q of the result is the middle of the places q ...
 * q + 2 r + 2 of the input, which has them all, or, before the first pass, those of the picture:
 * the border then puts `reach` in front of these. */
typedef struct line_pass {
    line_shape in, out;
    filter_lines lines;
    int64_t first; /* the coordinate of place 0 of the input, borders included */
    int64_t reach; /* 0: the input has all places */
    int border, channels;
    double outside[SATF_MAX_CHANNELS];
} line_pass;

/* Place p of the input, counted with its borders. */
static __device__ inline double fetch(const line_pass *pass, const double *line, int channel,
                                      int64_t p)
{
    if (pass->reach == 0) {
        return line[p * pass->in.step];
    }
    int64_t i = satf_border_index(pass->border, p - pass->reach, pass->in.places);
    return i < 0 ? pass->outside[channel] : line[i * pass->in.step];
}

static __device__ inline double weigh(const line_pass *pass, double sum, double a, double b)
{
    return __dadd_rn(__dmul_rn(sum, pass->lines.inner),
                     __dmul_rn(__dadd_rn(a, b), pass->lines.outer));
}

/* The end of a block of `side` places, from its last on, and the start of the next one. */
static __global__ void __launch_bounds__(THREADS, 3)
    pass_real(line_pass pass, const double *from, double *to)
{
    int64_t side = 2 * pass.lines.radius + 1;
    for (int64_t q = blockIdx.y; q < pass.out.places; q += gridDim.y) {
        int64_t start = pass.first + q + 1, rest = start % side;
        int64_t in_first = rest == 0 ? 0 : rest < 0 ? -rest : side - rest;
        for (int64_t l = (int64_t)blockIdx.x * THREADS + threadIdx.x; l < pass.in.lines;
             l += (int64_t)gridDim.x * THREADS) {
            int64_t group = l / pass.in.beside, place = l % pass.in.beside;
            const double *in = from + group * pass.in.apart + place;
            int channel = (int)(place % pass.channels);
            double end = 0, sum = fetch(&pass, in, channel, q + 1 + in_first);
            for (int64_t i = in_first + 1; i < side; i++) {
                sum = __dadd_rn(sum, fetch(&pass, in, channel, q + 1 + i));
            }
            if (in_first > 0) {
                end = fetch(&pass, in, channel, q + in_first);
                for (int64_t i = in_first - 1; i >= 1; i--) {
                    end = __dadd_rn(fetch(&pass, in, channel, q + i), end);
                }
                sum = __dadd_rn(end, sum);
            }
            to[group * pass.out.apart + place + q * pass.out.step] = weigh(
                &pass, sum, fetch(&pass, in, channel, q), fetch(&pass, in, channel, q + side + 1));
        }
    }
}

/* ----------------------------------------------------------- samples and numbers */

static __global__ void __launch_bounds__(THREADS) load_numbers(filter_gpu_lines job, double *to)
{
    int64_t n = job.in.width * job.in.channels;
    for (int64_t y = blockIdx.y; y < job.in.height; y += gridDim.y) {
        const char *row = (const char *)job.in.data + y * job.in.stride;
        for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < n;
             i += (int64_t)gridDim.x * THREADS) {
            to[y * n + i] = line_number(&job, row, i);
        }
    }
}

static __global__ void __launch_bounds__(THREADS) fill_ones(double one, int64_t n, double *to)
{
    for (int64_t i = threadIdx.x; i < n; i += THREADS) {
        to[i] = one;
    }
}

/* Divides the numbers of all rows by the part of the window that is inside at their column. */
static __global__ void __launch_bounds__(THREADS)
    divide(filter_gpu_lines job, const double *ones, double *numbers)
{
    int64_t n = job.in.width * job.in.channels;
    for (int64_t y = blockIdx.y; y < job.in.height; y += gridDim.y) {
        for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < n;
             i += (int64_t)gridDim.x * THREADS) {
            numbers[y * n + i] /= ones[i / job.in.channels] / job.one;
        }
    }
}

static __global__ void __launch_bounds__(THREADS)
    store_samples(filter_gpu_lines job, const double *numbers)
{
    int channels = job.in.channels;
    int64_t n = job.in.width * channels;
    bool aligned = is_aligned(&job.out);
    for (int64_t y = blockIdx.y; y < job.in.height; y += gridDim.y) {
        double one = job.ones[1] ? job.ones[1][y] / job.one : 1;
        for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < n;
             i += (int64_t)gridDim.x * THREADS) {
            int c = (int)(i % channels);
            int64_t last = i - c + channels - 1;
            double value =
                line_value(&job.numbers, numbers[y * n + i], i == last, numbers[y * n + last], one);
            store(&job.out, i / channels, y, c, aligned, formula_real(value));
        }
    }
}

/* ---------------------------------------------------------------------- launches */

static dim3 grid_of(int64_t columns, int64_t rows)
{
    int64_t blocks = (columns - 1) / THREADS + 1;
    return dim3((unsigned)(blocks < INT32_MAX ? blocks : INT32_MAX),
                rows < MAX_GRID_ROWS ? (unsigned)rows : (unsigned)MAX_GRID_ROWS);
}

/* All passes along one axis, of the numbers at[*now], where the results are afterwards. Rows have
 * `width` numbers. along: passes go along the rows, else down the columns. */
static void pass_axis(const filter_gpu_lines *job, const filter_lines *lines, bool along,
                      int64_t width, int64_t height, int channels, double *const at[2], int *now,
                      cudaStream_t stream)
{
    int64_t reach = lines->times * (lines->radius + 1), span = 2 * lines->radius + 2;
    int64_t places = (along ? width / channels : height) + 2 * reach;
    line_pass pass;
    memset(&pass, 0, sizeof pass);
    pass.lines = *lines;
    pass.border = job->border;
    pass.channels = channels;
    pass.reach = reach;
    pass.first = -reach;
    for (int c = 0; c < channels; c++) {
        pass.outside[c] = job->outside[c];
    }
    line_shape shape = {along ? height * channels : width, along ? channels : width,
                        along ? width : 0, along ? channels : width,
                        along ? width / channels : height};
    pass.in = shape;
    for (int k = 0; k < lines->times; k++) {
        places -= span;
        pass.out = shape;
        pass.out.places = places;
        pass.out.apart = along ? places * channels : 0;
        pass_real<<<grid_of(pass.in.lines, pass.out.places), THREADS, 0, stream>>>(pass, at[*now],
                                                                                   at[1 - *now]);
        *now = 1 - *now;
        pass.in = pass.out;
        pass.reach = 0;
        pass.first += lines->radius + 1;
    }
}

/* *ones = what part of each window along an axis of n pixels is inside; `spare` is used up. */
static void make_ones(const filter_gpu_lines *job, const filter_lines *lines, int64_t n,
                      double **ones, double *spare, cudaStream_t stream)
{
    double *at[2] = {*ones, spare};
    int now = 0;
    fill_ones<<<1, THREADS, 0, stream>>>(job->one, n, at[0]);
    pass_axis(job, lines, true, n, 1, 1, at, &now, stream);
    *ones = at[now];
}

static void run_real(const filter_gpu_lines *given, cudaStream_t stream)
{
    filter_gpu_lines job = *given;
    double *at[2] = {(double *)job.numbers_at[0], (double *)job.numbers_at[1]};
    int64_t n = job.in.width * job.in.channels;
    int now = 0;
    dim3 grid = grid_of(n, job.in.height);
    load_numbers<<<grid, THREADS, 0, stream>>>(job, at[0]);
    pass_axis(&job, &job.axes.along, true, n, job.in.height, job.in.channels, at, &now, stream);
    if (job.numbers.shrinks) {
        make_ones(&job, &job.axes.along, job.in.width, &job.ones[0], job.ones_at[0], stream);
        make_ones(&job, &job.axes.down, job.in.height, &job.ones[1], job.ones_at[1], stream);
        divide<<<grid, THREADS, 0, stream>>>(job, job.ones[0], at[now]);
    }
    pass_axis(&job, &job.axes.down, false, n, job.in.height, job.in.channels, at, &now, stream);
    store_samples<<<grid, THREADS, 0, stream>>>(job, at[now]);
}

extern "C" satf_status cuda_lines(satf_context *ctx, const filter_gpu_lines *job)
{
    satf_status status = cuda_open(ctx, job->in.device);
    if (status) {
        return status;
    }
    cudaStream_t stream = (cudaStream_t)cuda_stream(ctx);
    bool stored = true;
    if (job->numbers.rounds) {
        status = cuda_whole_run(ctx, job, &stored);
    } else if (job->numbers.own) {
        cuda_taps_run(job, stream);
    } else {
        run_real(job, stream);
    }
    if (!status && !stored) {
        int64_t n = job->in.width * job->in.channels;
        store_samples<<<grid_of(n, job->in.height), THREADS, 0, stream>>>(
            *job, (const double *)job->numbers_at[1]);
    }
    return status ? status : cuda_check(ctx, cudaGetLastError(), "cudaLaunchKernel");
}
