/*
 * Passes along lines on a CUDA device (filters/gauss.h). Sums of whole numbers slide along parts of
 * lines, with a thread for each part; those of floats are added up in the order of
 * src/sums/lines/line_columns.c, with a thread for each result.
 */
#include "lines.cuh"

enum { THREADS = 256, MAX_GRID_ROWS = 65535 };
static constexpr int64_t LEAST_PART = 64;

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
    bool rounds;
} line_pass;

/* Place p of the input, counted with its borders. */
template <class T>
static __device__ inline T fetch(const line_pass *pass, const T *line, int channel, int64_t p)
{
    if (pass->reach == 0) {
        return line[p * pass->in.step];
    }
    int64_t i = satf_border_index(pass->border, p - pass->reach, pass->in.places);
    return i < 0 ? (T)pass->outside[channel] : line[i * pass->in.step];
}

static __device__ inline uint16_t weigh(const line_pass *pass, int32_t sum, uint16_t a, uint16_t b)
{
    float inner = (float)pass->lines.inner, outer = (float)pass->lines.outer;
    float result = __fadd_rn(__fmul_rn((float)sum, inner), __fmul_rn((float)(a + b), outer));
    return (uint16_t)__float2int_rn(result);
}

static __device__ inline double weigh(const line_pass *pass, double sum, double a, double b)
{
    double result =
        __dadd_rn(__dmul_rn(sum, pass->lines.inner), __dmul_rn(__dadd_rn(a, b), pass->lines.outer));
    return pass->rounds ? rint(result) : result;
}

/* What sums of T are kept in. */
static __device__ inline int32_t sum_of(uint16_t)
{
    return 0;
}

static __device__ inline double sum_of(double)
{
    return 0;
}

template <class T>
static __global__ void __launch_bounds__(THREADS)
    pass_whole(line_pass pass, const T *from, T *to, int64_t part)
{
    int64_t r = pass.lines.radius, side = 2 * r + 1, n = pass.out.places;
    for (int64_t first = blockIdx.y * part; first < n; first += gridDim.y * part) {
        int64_t end = first + part < n ? first + part : n;
        for (int64_t l = (int64_t)blockIdx.x * THREADS + threadIdx.x; l < pass.in.lines;
             l += (int64_t)gridDim.x * THREADS) {
            int64_t group = l / pass.in.beside, place = l % pass.in.beside;
            const T *in = from + group * pass.in.apart + place;
            T *out = to + group * pass.out.apart + place;
            int channel = (int)(place % pass.channels);
            auto sum = sum_of(T());
            for (int64_t i = 1; i <= side; i++) {
                sum += fetch(&pass, in, channel, first + i);
            }
            T before = fetch(&pass, in, channel, first);
            for (int64_t q = first; q < end; q++) {
                T behind = fetch(&pass, in, channel, q + side + 1);
                T gone = fetch(&pass, in, channel, q + 1);
                out[q * pass.out.step] = weigh(&pass, sum, before, behind);
                sum += behind;
                sum -= gone;
                before = gone;
            }
        }
    }
}

/* The end of a block of `side` places, from its last on, and the start of the next one. */
static __global__ void __launch_bounds__(THREADS)
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

static __device__ inline void store_number(uint16_t *to, double number)
{
    *to = (uint16_t)number;
}

static __device__ inline void store_number(double *to, double number)
{
    *to = number;
}

template <class T>
static __global__ void __launch_bounds__(THREADS) load_numbers(filter_gpu_lines job, T *to)
{
    int64_t n = job.in.width * job.in.channels;
    for (int64_t y = blockIdx.y; y < job.in.height; y += gridDim.y) {
        const char *row = (const char *)job.in.data + y * job.in.stride;
        for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < n;
             i += (int64_t)gridDim.x * THREADS) {
            store_number(&to[y * n + i], line_number(&job, row, i));
        }
    }
}

static __global__ void __launch_bounds__(THREADS) fill_ones(double one, int64_t n, double *to)
{
    for (int64_t i = threadIdx.x; i < n; i += THREADS) {
        to[i] = one;
    }
}

/* Numbers of rows, each divided by the one of its column. */
static __global__ void __launch_bounds__(THREADS)
    divide(filter_gpu_lines job, const double *ones, double *numbers)
{
    int64_t n = job.in.width * job.in.channels;
    for (int64_t y = blockIdx.y; y < job.in.height; y += gridDim.y) {
        for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < n;
             i += (int64_t)gridDim.x * THREADS) {
            double quotient = numbers[y * n + i] / (ones[i / job.in.channels] / job.one);
            numbers[y * n + i] = job.numbers.rounds ? rint(quotient) : quotient;
        }
    }
}

template <class T>
static __global__ void __launch_bounds__(THREADS)
    store_samples(filter_gpu_lines job, const T *numbers)
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
            double value = line_value(&job.numbers, (double)numbers[y * n + i], i == last,
                                      (double)numbers[y * n + last], one);
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

static void lines_launch(const line_pass *pass, const uint16_t *from, uint16_t *to, int64_t part,
                         cudaStream_t stream)
{
    pass_whole<<<grid_of(pass->in.lines, (pass->out.places - 1) / part + 1), THREADS, 0, stream>>>(
        *pass, from, to, part);
}

static void lines_launch(const line_pass *pass, const double *from, double *to, int64_t part,
                         cudaStream_t stream)
{
    if (pass->rounds) {
        pass_whole<<<grid_of(pass->in.lines, (pass->out.places - 1) / part + 1), THREADS, 0,
                     stream>>>(*pass, from, to, part);
    } else {
        pass_real<<<grid_of(pass->in.lines, pass->out.places), THREADS, 0, stream>>>(*pass, from,
                                                                                     to);
    }
}

/* All passes along one axis of numbers at[*now]; those of the result are at[*now] then. Rows have
 * `width` numbers; along: these are passed along, else down. */
template <class T>
static void pass_axis(const filter_gpu_lines *job, const filter_lines *lines, bool along,
                      int64_t width, int64_t height, int channels, T *const at[2], int *now,
                      cudaStream_t stream)
{
    int64_t reach = lines->times * (lines->radius + 1), span = 2 * lines->radius + 2;
    int64_t places = (along ? width / channels : height) + 2 * reach;
    int64_t part = lines->radius > LEAST_PART ? lines->radius : LEAST_PART;
    line_pass pass;
    memset(&pass, 0, sizeof pass);
    pass.lines = *lines;
    pass.border = job->border;
    pass.channels = channels;
    pass.rounds = job->numbers.rounds;
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
        lines_launch(&pass, at[*now], at[1 - *now], part, stream);
        *now = 1 - *now;
        pass.in = pass.out;
        pass.reach = 0;
        pass.first += lines->radius + 1;
    }
}

/* What part of a window along an axis of n pixels is inside: ones, with `spare` to make them. */
static void make_ones(const filter_gpu_lines *job, const filter_lines *lines, int64_t n,
                      double **ones, double *spare, cudaStream_t stream)
{
    double *at[2] = {*ones, spare};
    int now = 0;
    fill_ones<<<1, THREADS, 0, stream>>>(job->one, n, at[0]);
    pass_axis(job, lines, true, n, 1, 1, at, &now, stream);
    *ones = at[now];
}

template <class T> static void run_lines(const filter_gpu_lines *given, cudaStream_t stream)
{
    filter_gpu_lines job = *given;
    T *at[2] = {(T *)job.numbers_at[0], (T *)job.numbers_at[1]};
    int64_t n = job.in.width * job.in.channels;
    int now = 0;
    dim3 grid = grid_of(n, job.in.height);
    load_numbers<<<grid, THREADS, 0, stream>>>(job, at[0]);
    pass_axis(&job, &job.axes.along, true, n, job.in.height, job.in.channels, at, &now, stream);
    if (job.numbers.shrinks) {
        make_ones(&job, &job.axes.along, job.in.width, &job.ones[0], job.ones_at[0], stream);
        make_ones(&job, &job.axes.down, job.in.height, &job.ones[1], job.ones_at[1], stream);
        divide<<<grid, THREADS, 0, stream>>>(job, job.ones[0], (double *)(void *)at[now]);
    }
    pass_axis(&job, &job.axes.down, false, n, job.in.height, job.in.channels, at, &now, stream);
    store_samples<<<grid, THREADS, 0, stream>>>(job, (const T *)at[now]);
}

extern "C" satf_status cuda_lines(satf_context *ctx, const filter_gpu_lines *job)
{
    satf_status status = cuda_open(ctx, job->in.device);
    if (status) {
        return status;
    }
    cudaStream_t stream = (cudaStream_t)cuda_stream(ctx);
    if (job->numbers.own) {
        cuda_taps_run(job, stream);
    } else if (job->numbers.narrow) {
        run_lines<uint16_t>(job, stream);
    } else {
        run_lines<double>(job, stream);
    }
    return cuda_check(ctx, cudaGetLastError(), "cudaLaunchKernel");
}
