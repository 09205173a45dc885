/*
 * A Gaussian of floats by its own weights on a CUDA device (src/sums/lines/taps.c): a kernel along
 * the rows, whose blocks hold a part of a row with what is around it, and one down the columns.
 */
#include "lines.cuh"

enum {
    THREADS = 256,
    MAX_GRID_ROWS = 65535,
    BLOCK_ROWS = 32,
    BLOCK_STRIPS = 4,
    ENOUGH_BLOCKS = 2048
};

/* What a kernel calculates in. */
template <class H> struct taps_of;

template <> struct taps_of<double> {
    static __device__ inline double weight(const line_taps *taps, int k)
    {
        return taps->weights[k];
    }

    static __device__ inline double add(double sum, double a, double b, double, double weight)
    {
        return __dadd_rn(sum, __dmul_rn(__dadd_rn(a, b), weight));
    }

    static __device__ inline double finish(double sum, double middle, double weight)
    {
        return __dadd_rn(sum, __dmul_rn(middle, weight));
    }

    /* The number between the axes. inside: the part of the weights inside the image. */
    static __device__ inline double between(const filter_gpu_lines *job, double sum, double inside)
    {
        return job->numbers.shrinks ? sum / inside : sum;
    }
};

template <> struct taps_of<float> {
    static __device__ inline float weight(const line_taps *taps, int k)
    {
        return taps->singles[k];
    }

    static __device__ inline float add(float sum, float a, float b, float middle, float weight)
    {
        float apart = __fadd_rn(__fadd_rn(a, b), -2 * middle);
        return __fadd_rn(sum, __fmul_rn(apart, weight));
    }

    static __device__ inline float finish(float sum, float middle, float)
    {
        return __fadd_rn(middle, sum);
    }

    static __device__ inline float between(const filter_gpu_lines *, float sum, double)
    {
        return sum;
    }
};

/* Sums up from the outermost neighbours to the middle. at(k): the number k places on. */
template <class H, class At> static __device__ inline H sum_taps(const line_taps *taps, At at)
{
    typedef taps_of<H> of;
    H sum = 0, middle = at(0);
    for (int k = taps->radius; k > 0; k--) {
        sum = of::add(sum, at(-k), at(k), middle, of::weight(taps, k));
    }
    return of::finish(sum, middle, of::weight(taps, 0));
}

/* Where a thread puts a number of the row into the tile, and which sample it is: below 0, the value
 * outside for channel -1 - sample. */
typedef struct taps_place {
    int place;
    int64_t sample;
} taps_place;

/* Whether numbers are the image's floats times a scale, a power of 2. */
static __device__ inline bool is_plain(const filter_gpu_lines *job)
{
    return job->in.type == SATF_F32 && is_aligned(&job->in) && !job->numbers.weighted;
}

template <class H>
static __device__ inline H fetch(const filter_gpu_lines *job, const char *row, bool plain,
                                 const taps_place *at)
{
    if (at->sample < 0) {
        return (H)job->outside[-1 - at->sample];
    }
    H scale = (H)line_scale(&job->numbers, false);
    return plain ? ((H)((const float *)row)[at->sample] + 0) * scale /* + 0: no -0 */
                 : (H)line_number(job, row, at->sample);
}

template <class H>
static __global__ void __launch_bounds__(THREADS) pass_along(filter_gpu_lines job, H *to)
{
    enum { MOST = THREADS + 2 * LINE_MOST_RADIUS * SATF_MAX_CHANNELS, PLACES = 2 };
    static_assert(MOST <= PLACES * THREADS, "a thread has places enough");
    __shared__ H tile[MOST];
    int channels = job.in.channels, reach = job.along.radius * channels;
    int64_t n = job.in.width * channels, first = (int64_t)blockIdx.x * THREADS;
    int64_t i = first + threadIdx.x;
    taps_place places[PLACES];
    for (int k = 0; k < PLACES; k++) {
        int place = (int)threadIdx.x + k * THREADS;
        int64_t pixel = (first + place) / channels, channel = (first + place) % channels;
        int64_t x = satf_border_index(job.border, pixel - job.along.radius, job.in.width);
        bool is_read = place < THREADS + 2 * reach && first + place < n + 2 * reach;
        places[k].place = is_read ? place : -1;
        places[k].sample = x < 0 ? -1 - channel : x * channels + channel;
    }
    bool plain = is_plain(&job);
    double inside = 1;
    if (job.numbers.shrinks && i < n) {
        inside = line_taps_inside(&job.along, i / channels, job.in.width);
    }
    H fetched[PLACES]; /* of the next row, while sums of this one are made */
    auto fetch_row = [&](int64_t y) {
        const char *row = (const char *)job.in.data + y * job.in.stride;
#pragma unroll
        for (int k = 0; k < PLACES; k++) {
            fetched[k] = places[k].place >= 0 && y < job.in.height
                             ? fetch<H>(&job, row, plain, &places[k])
                             : (H)0;
        }
    };
    fetch_row(blockIdx.y);
    for (int64_t y = blockIdx.y; y < job.in.height; y += gridDim.y) {
#pragma unroll
        for (int k = 0; k < PLACES; k++) {
            if (places[k].place >= 0) {
                tile[places[k].place] = fetched[k];
            }
        }
        __syncthreads();
        fetch_row(y + gridDim.y);
        if (i < n) {
            const H *middle = tile + threadIdx.x + reach;
            H sum = sum_taps<H>(&job.along, [=](int k) -> H { return middle[k * channels]; });
            to[y * n + i] = taps_of<H>::between(&job, sum, inside);
        }
        __syncthreads();
    }
}

/* ------------------------------------------------------------------- down the columns */

/* Rows of the result that a thread makes at a time, of one column. */
enum { ROWS = 8 };

/* The columns of numbers between the axes. */
template <class H> struct taps_columns {
    const H *from;
    int64_t n; /* numbers of a row */
    int border;
    int64_t height;

    /* Row y of column i, which may lie outside. */
    __device__ inline H at(int64_t i, int64_t y, H outside) const
    {
        int64_t row = satf_border_index(border, y, height);
        return row < 0 ? outside : from[row * n + i];
    }
};

/* Sums of ROWS rows of column i from row y on. */
template <class H>
static __device__ inline void sum_columns(const taps_columns<H> *columns, const line_taps *taps,
                                          int64_t i, int64_t y, H outside, H (&sums)[ROWS])
{
    bool inner = y >= taps->radius && y + ROWS - 1 + taps->radius < columns->height;
    const H *at = columns->from + y * columns->n + i;
    int64_t n = columns->n;
    for (int j = 0; j < ROWS; j++) {
        int64_t middle = y + j;
        sums[j] = inner ? sum_taps<H>(taps, [=](int k) -> H { return at[(j + k) * n]; })
                  : middle >= columns->height ? 0
                                              : sum_taps<H>(taps, [=](int k) -> H {
                                                    return columns->at(i, middle + k, outside);
                                                });
    }
}

template <class H>
static __global__ void __launch_bounds__(THREADS) pass_down(filter_gpu_lines job, const H *from)
{
    int channels = job.in.channels;
    int64_t n = job.in.width * channels, i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= n) {
        return;
    }
    taps_columns<H> columns = {from, n, job.border, job.in.height};
    bool aligned = is_aligned(&job.out);
    int64_t x = channels == 1 ? i : i / channels;
    int channel = (int)(i - x * channels), last = channels - 1;
    bool is_colour = job.numbers.weighted && channel != last;
    bool shrinks = job.numbers.shrinks && !is_colour;
    H beyond[2] = {}; /* rows beyond a constant border: of this channel, and of alpha */
    for (int k = 0; k < 2 && job.border == SATF_BORDER_CONSTANT; k++) {
        H v = (H)job.outside[k ? last : channel];
        H sum = sum_taps<H>(&job.along, [=](int) -> H { return v; });
        beyond[k] = taps_of<H>::between(&job, sum, 1);
    }
    for (int64_t y = (int64_t)blockIdx.y * ROWS; y < job.in.height;
         y += (int64_t)gridDim.y * ROWS) {
        H sums[ROWS], alphas[ROWS] = {};
        sum_columns(&columns, &job.down, i, y, beyond[0], sums);
        if (is_colour) {
            sum_columns(&columns, &job.down, x * channels + last, y, beyond[1], alphas);
        }
#pragma unroll
        for (int j = 0; j < ROWS; j++) {
            if (y + j >= job.in.height) {
                break;
            }
            double one = shrinks ? line_taps_inside(&job.down, y + j, job.in.height) : 1;
            double value =
                std::is_same<H, float>::value
                    ? line_single((float)sums[j])
                    : line_value(&job.numbers, sums[j], channel == last, (double)alphas[j], one);
            store(&job.out, x, y + j, channel, aligned, formula_real(value));
        }
    }
}

/* The grid's height: blocks of `each` rows, since a block takes a while to find its places, but
 * shorter ones where these would leave a device idle. */
static unsigned blocks_down(unsigned across, int64_t rows, int64_t each)
{
    int64_t blocks = (rows - 1) / each + 1, least = ENOUGH_BLOCKS / across + 1;
    blocks = blocks > least ? blocks : rows < least ? rows : least;
    return (unsigned)(blocks < MAX_GRID_ROWS ? blocks : MAX_GRID_ROWS);
}

template <class H> static void run(const filter_gpu_lines *job, cudaStream_t stream)
{
    int64_t height = job->in.height;
    unsigned blocks = (unsigned)((job->in.width * job->in.channels - 1) / THREADS + 1);
    dim3 along(blocks, blocks_down(blocks, height, BLOCK_ROWS));
    dim3 down(blocks, blocks_down(blocks, (height - 1) / ROWS + 1, BLOCK_STRIPS));
    H *between = (H *)job->numbers_at[0];
    pass_along<<<along, THREADS, 0, stream>>>(*job, between);
    pass_down<<<down, THREADS, 0, stream>>>(*job, (const H *)between);
}

void cuda_taps_run(const filter_gpu_lines *job, cudaStream_t stream)
{
    if (job->numbers.single) {
        run<float>(job, stream);
    } else {
        run<double>(job, stream);
    }
}
