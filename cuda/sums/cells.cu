/*
 * Means over the cells of a coarser grid on a CUDA device. A thread adds up a group of columns down
 * their cell's rows, by wide loads. Then cells add up their columns from left to right, which is
 * the order of the CPU: in shared memory where cells are small, else by a second kernel, after one
 * that stores the columns' sums, of integers in bands of rows. (src/sums/cells/gpu.h)
 */
#include "any.cuh"

extern "C" {
#include "../../src/sums/cells/gpu.h"
}

enum { THREADS = CELLS_GPU_THREADS, BAND_THREADS = CELLS_GPU_BAND_THREADS };
enum { MAX_GRID_ROWS = 65535, SPREAD_ROWS = 32 };

/* The types of samples, columns' and cells' sums; GROUP: the samples of a thread, side by side. */
template <class Type, class Column, class Total> struct cells_words {
    typedef Type sample;
    typedef Column column;
    typedef Total total;
    static constexpr int GROUP = sizeof(Type) <= 2 ? 8 : 4;
};

/* The blocks that a multiprocessor shall hold, as many as registers allow. */
template <class Words> constexpr int cells_blocks = sizeof(typename Words::column) > 4 ? 2 : 4;

/* ------------------------------------------------------------------------- places */

/* The rows or the columns of a cell: the first one, how many, and the share of the first and of the
 * last one that lies in the cell, in 1 / to; the others lie in it wholly. */
template <class Int> struct cell_span {
    Int pixel, count, first, last;
};

/* The span of the cell so many behind the one that begins `inside` pixel 0, of all `pixels`; the
 * last cell may be smaller. */
template <class Int>
static __device__ __forceinline__ cell_span<Int> find_span(const cells_axis &axis, Int inside,
                                                           Int cell, Int pixels)
{
    Int from = (Int)axis.from, to = (Int)axis.to, at = inside + cell * from, end = at + from;
    if (to == 1) {
        return {at, (end < pixels ? end : pixels) - at, 1, 1};
    }
    Int pixel = at / to, behind = end / to, rest = end - behind * to;
    return {pixel, behind - pixel + (rest > 0), to - (at - pixel * to), rest > 0 ? rest : to};
}

/* The cell's side in units of the axis. */
template <class Int>
static __device__ __forceinline__ uint64_t span_side(const cells_axis &axis,
                                                     const cell_span<Int> &span)
{
    return axis.to == 1 ? span.count : (uint64_t)axis.from;
}

static __device__ __forceinline__ cell_span<uint64_t> find_rows(const cells_gpu &job, int64_t cell)
{
    return find_span(job.down, (uint64_t)0, (uint64_t)cell, (uint64_t)job.in.height);
}

/* ------------------------------------------------------------------ rows to columns */

/* n samples from `from` on, and 0 behind them. */
template <bool WIDE, class T, int GROUP>
static __device__ __forceinline__ void load_group(const char *from, int n, T (&sample)[GROUP])
{
    constexpr int BYTES = GROUP * (int)sizeof(T), EACH = BYTES < 16 ? BYTES : 16;
    if constexpr (!WIDE) {
#pragma unroll
        for (int i = 0; i < GROUP; i++) {
            sample[i] = 0;
            if (i < n) {
                memcpy(&sample[i], from + i * (int)sizeof(T), sizeof(T));
            }
        }
    } else {
        __align__(16) T all[GROUP];
#pragma unroll
        for (int k = 0; k < BYTES / EACH; k++) {
            if constexpr (EACH == 8) {
                *(uint2 *)all = __ldg((const uint2 *)from);
            } else {
                ((uint4 *)all)[k] = __ldg((const uint4 *)from + k);
            }
        }
#pragma unroll
        for (int i = 0; i < GROUP; i++) {
            sample[i] = all[i];
        }
    }
}

/* The alpha of sample i's pixel. */
template <class T, int GROUP>
static __device__ __forceinline__ T alpha_of(int channels, const T (&sample)[GROUP], int i)
{
    int third = i - i % 3 + 2; /* behind the group only for samples that nobody stores */
    return channels == 2   ? sample[i | 1]
           : channels == 4 ? sample[i | 3]
                           : sample[third < GROUP ? third : i];
}

/* Adds up `count` rows from row y of the cell on. */
template <class Words, bool ALPHA, bool WIDE>
static __device__ __forceinline__ void
add_rows(const cells_gpu &job, const cell_span<uint64_t> &rows, int64_t y, int64_t count,
         int64_t sample, int n, typename Words::column (&sum)[Words::GROUP])
{
    typedef typename Words::sample T;
    typedef typename Words::column Column;
    const char *from = (const char *)job.in.data + y * job.in.stride + sample * (int64_t)sizeof(T);
#pragma unroll(WIDE ? 4 : 1)
    for (int64_t end = y + count; y < end; y++, from += job.in.stride) {
        T one[Words::GROUP];
        load_group<WIDE>(from, n, one);
        uint64_t row = (uint64_t)y - rows.pixel;
        Column share = (Column)(row == 0                ? rows.first
                                : row == rows.count - 1 ? rows.last
                                                        : (uint64_t)job.down.to);
#pragma unroll
        for (int i = 0; i < Words::GROUP; i++) {
            Column value = (Column)one[i];
            if constexpr (ALPHA) {
                Column alpha = (Column)alpha_of(job.in.channels, one, i);
                value = i % job.in.channels == job.in.channels - 1 ? value : value * alpha;
            }
            sum[i] += share * value;
        }
    }
}

/* The sums of the group of columns that begins at `sample`. */
template <class Words>
static __device__ __forceinline__ void
add_group(const cells_gpu &job, const cell_span<uint64_t> &rows, int64_t y, int64_t count,
          int64_t sample, typename Words::column (&sum)[Words::GROUP])
{
    typedef typename Words::sample T;
    constexpr int BYTES = Words::GROUP * (int)sizeof(T), ALIGNED = BYTES < 16 ? BYTES : 16;
    int each = cells_gpu_samples((int)sizeof(T), job.in.channels, job.weighted);
    int64_t left = job.in.width * job.in.channels - sample;
    int n = left < each ? (int)left : each;
    bool wide = n == Words::GROUP &&
                (((uintptr_t)job.in.data | (uintptr_t)job.in.stride) & (ALIGNED - 1)) == 0;
#pragma unroll
    for (int i = 0; i < Words::GROUP; i++) {
        sum[i] = 0;
    }
    if (wide && job.weighted) {
        add_rows<Words, true, true>(job, rows, y, count, sample, n, sum);
    } else if (wide) {
        add_rows<Words, false, true>(job, rows, y, count, sample, n, sum);
    } else if (job.weighted) {
        add_rows<Words, true, false>(job, rows, y, count, sample, n, sum);
    } else {
        add_rows<Words, false, false>(job, rows, y, count, sample, n, sum);
    }
}

/* ----------------------------------------------------------------- columns to cells */

/* A member's part of the sum of the cell's columns: every team-th is its own. columns: the sums of
 * the cell's columns, in so many bands. */
template <class Words, class Int>
static __device__ __forceinline__ typename Words::total
add_columns(const cells_gpu &job, const cell_span<Int> &across,
            const typename Words::column *columns, Int bands, int member, int team)
{
    typedef typename Words::total Total;
    Int count = across.count, channels = (Int)job.in.channels;
    Total sum = 0, first = (Total)across.first, last = (Total)across.last;
    Total whole = (Total)job.across.to;
#pragma unroll 2
    for (Int i = (Int)member; i < count * bands; i += (Int)team) {
        Int band = bands == 1 ? 0 : i / count, x = i - band * count;
        Total share = x == 0 ? first : x == count - 1 ? last : whole;
        sum += share * columns[band * (Int)job.pitch + x * channels];
    }
    return sum;
}

static __device__ __forceinline__ void set_sum(formula_sums *in, double sum, double alpha)
{
    in->real = true;
    in->real_sum = sum;
    in->real_weight = alpha;
}

template <class Total>
static __device__ __forceinline__ void set_sum(formula_sums *in, Total sum, Total alpha)
{
    in->sum = sum;
    in->weight = (uint64_t)alpha;
}

static __device__ __forceinline__ void put(const cells_gpu &job, bool aligned, char *to,
                                           const formula_value &mean)
{
    if (aligned) {
        store_aligned(job.out.type, mean, to);
    } else {
        formula_store(job.out.type, mean, to);
    }
}

/* Stores the mean of a cell of width x height units. alpha: if it `weighs`, the cell's weight. */
template <class Words>
static __device__ __forceinline__ void
store_mean(const cells_gpu &job, uint64_t width, uint64_t height, bool weighs, bool aligned,
           typename Words::total sum, typename Words::total alpha, char *to)
{
    typedef typename Words::total Total;
    bool whole = width == (uint64_t)job.across.from && height == (uint64_t)job.down.from;
    if (std::is_same<Total, uint64_t>::value && job.magic.multiplier && whole && !weighs) {
        uint32_t dividend = (uint32_t)sum + job.magic.bias;
        uint32_t mean = __umulhi(dividend, job.magic.multiplier) >> job.magic.shift;
        put(job, aligned, to, formula_integer(mean));
        return;
    }
    formula_sums in = {};
    in.rounded = job.out.type != SATF_F32 && job.out.type != SATF_F64;
    set_sum(&in, sum, weighs ? alpha : (Total)(width * height));
    put(job, aligned, to, formula_mean(&in));
}

/* A thread's columns to shared memory, in words of 16 bytes where its group is full: word by word,
 * eight threads would meet one bank. */
template <class Column, int GROUP>
static __device__ __forceinline__ void store_group(const Column (&sum)[GROUP], int each, Column *to)
{
    constexpr int WORDS = GROUP * (int)sizeof(Column) / 16;
    if (each == GROUP) {
        __align__(16) Column all[GROUP];
#pragma unroll
        for (int k = 0; k < GROUP; k++) {
            all[k] = sum[k];
        }
#pragma unroll
        for (int k = 0; k < WORDS; k++) {
            ((uint4 *)to)[k] = ((const uint4 *)all)[k];
        }
    } else {
#pragma unroll
        for (int k = 0; k < GROUP; k++) {
            if (k < each) {
                to[k] = sum[k];
            }
        }
    }
}

/* Small cells: a block for `job.cells` of a row. */
template <class Words>
static __global__ void __launch_bounds__(THREADS, cells_blocks<Words>)
    mean_cells(const __grid_constant__ cells_gpu job, bool aligned)
{
    typedef typename Words::column Column;
    typedef typename Words::total Total;
    __shared__ __align__(16) Column columns[THREADS * Words::GROUP];
    int channels = job.in.channels, width = (int)job.cells, bytes = sample_bytes(job.out.type);
    int each = cells_gpu_samples((int)sizeof(typename Words::sample), channels, job.weighted);
    for (int64_t y = blockIdx.y; y < job.rows; y += gridDim.y) {
        int64_t x = (int64_t)blockIdx.x * width;
        cells_place left = cells_find(&job.across, x);
        int64_t first = left.pixel * channels / each * each; /* sample of the block */
        int at = (int)threadIdx.x * each, begin = (int)(left.pixel * channels - first);
        int cells = (int)(job.columns - x < width ? job.columns - x : width);
        uint32_t pixels = (uint32_t)min(job.in.width - left.pixel, (int64_t)INT32_MAX);
        auto find = [&](int cell) {
            return find_span(job.across, (uint32_t)left.inside, (uint32_t)cell, pixels);
        };
        cell_span<uint32_t> last = find(cells - 1);
        int end = begin + (int)(last.pixel + last.count) * channels;
        cell_span<uint64_t> rows = find_rows(job, y);
        if (at < end) {
            Column sum[Words::GROUP];
            add_group<Words>(job, rows, (int64_t)rows.pixel, (int64_t)rows.count, first + at, sum);
            store_group(sum, each, columns + at);
        }
        __syncthreads();
        char *to = (char *)job.means.data + y * job.means.stride + x * channels * bytes;
        for (int item = (int)threadIdx.x; item < cells * channels; item += THREADS) {
            int cell = channels == 1 ? item : item / channels, c = item - cell * channels;
            cell_span<uint32_t> span = find(cell);
            const Column *from = columns + begin + (int)span.pixel * channels;
            bool weighs = job.weighted && c + 1 < channels;
            Total sum = add_columns<Words, uint32_t>(job, span, from + c, 1, 0, 1), alpha = 0;
            if (weighs) {
                alpha = add_columns<Words, uint32_t>(job, span, from + channels - 1, 1, 0, 1);
            }
            store_mean<Words>(job, span_side(job.across, span), span_side(job.down, rows), weighs,
                              aligned, sum, alpha, to + item * bytes);
        }
        __syncthreads();
    }
}

/* The sums of the columns of bands. */
template <class Words>
static __global__ void __launch_bounds__(BAND_THREADS)
    add_bands(const __grid_constant__ cells_gpu job)
{
    typedef typename Words::column Column;
    int each =
        cells_gpu_samples((int)sizeof(typename Words::sample), job.in.channels, job.weighted);
    int64_t sample = ((int64_t)blockIdx.x * BAND_THREADS + threadIdx.x) * each;
    if (sample >= job.in.width * job.in.channels) {
        return;
    }
    for (int64_t i = blockIdx.y; i < job.rows * job.bands; i += gridDim.y) {
        int64_t y = i / job.bands, done = (i - y * job.bands) * job.band_rows;
        cell_span<uint64_t> rows = find_rows(job, y);
        int64_t count = min((int64_t)rows.count - done, job.band_rows);
        Column sum[Words::GROUP], *to = (Column *)job.sums + i * job.pitch + sample;
        add_group<Words>(job, rows, (int64_t)rows.pixel + done, count, sample, sum);
#pragma unroll
        for (int k = 0; k < Words::GROUP; k++) {
            if (k < each) {
                to[k] = sum[k];
            }
        }
    }
}

/* The sum of `own` over a team, right for its first member. By all threads of the block. */
template <class Total>
static __device__ __forceinline__ Total add_team(Total own, int team, Total *room)
{
    int member = (int)threadIdx.x % team;
    for (int n = team / 2; n > 0; n /= 2) {
        __syncthreads();
        room[threadIdx.x] = own;
        __syncthreads();
        own += member < n ? room[threadIdx.x + n] : 0;
    }
    return own;
}

/* Large cells: a team of threads for each channel of one; for floats a single thread. */
template <class Words>
static __global__ void __launch_bounds__(THREADS)
    mean_bands(const __grid_constant__ cells_gpu job, int team, bool aligned)
{
    typedef typename Words::column Column;
    typedef typename Words::total Total;
    __shared__ Total room[THREADS];
    int channels = job.in.channels, member = (int)threadIdx.x % team, teams = THREADS / team;
    int64_t row = job.columns * channels, items = row * job.rows;
    int bytes = sample_bytes(job.out.type);
    for (int64_t i = (int64_t)blockIdx.x * teams; i < items; i += (int64_t)gridDim.x * teams) {
        int64_t item = i + (int)threadIdx.x / team, own = item < items ? item : items - 1;
        int64_t y = own / row, at = own - y * row, x = at / channels;
        int c = (int)(at - x * channels);
        bool weighs = job.weighted && c + 1 < channels;
        cell_span<uint64_t> span =
            find_span(job.across, (uint64_t)0, (uint64_t)x, (uint64_t)job.in.width);
        const Column *from =
            (const Column *)job.sums + y * job.bands * job.pitch + (int64_t)span.pixel * channels;
        uint64_t bands = (uint64_t)job.bands;
        Total sum = add_columns<Words>(job, span, from + c, bands, member, team), alpha = 0;
        sum = add_team(sum, team, room);
        if (job.weighted) {
            alpha = add_columns<Words>(job, span, from + channels - 1, bands, member, team);
            alpha = add_team(alpha, team, room);
        }
        if (member == 0 && item < items) {
            char *to = (char *)job.means.data + y * job.means.stride + at * bytes;
            store_mean<Words>(job, span_side(job.across, span),
                              span_side(job.down, find_rows(job, y)), weighs, aligned, sum, alpha,
                              to);
        }
    }
}

/* ------------------------------------------------------------------ cells to pixels */

/* All pixels of a cell become its mean: a thread has 16 bytes of some rows. */
template <class T>
static __global__ void __launch_bounds__(THREADS)
    spread(const __grid_constant__ cells_gpu job, bool aligned)
{
    constexpr int EACH = 16 / (int)sizeof(T);
    int channels = job.out.channels;
    int64_t samples = job.out.width * channels;
    int64_t sample = ((int64_t)blockIdx.x * THREADS + threadIdx.x) * EACH;
    int64_t parts = (job.down.from - 1) / SPREAD_ROWS + 1;
    if (sample >= samples) {
        return;
    }
    int n = (int)(samples - sample < EACH ? samples - sample : EACH);
    for (int64_t i = blockIdx.y; i < job.rows * parts; i += gridDim.y) {
        int64_t cell = i / parts, y = cell * job.down.from + (i - cell * parts) * SPREAD_ROWS;
        int64_t end = (cell + 1) * job.down.from, x = sample / channels;
        int64_t within = x % job.across.from;
        int c = (int)(sample - x * channels);
        const T *means = (const T *)((const char *)job.means.data + cell * job.means.stride) +
                         x / job.across.from * channels;
        __align__(16) T mean[EACH];
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            mean[k] = k < n ? means[c] : 0;
            c = c + 1 < channels ? c + 1 : 0;
            within += c == 0;
            means += within == job.across.from ? channels : 0;
            within = within == job.across.from ? 0 : within;
        }
        end = end < y + SPREAD_ROWS ? end : y + SPREAD_ROWS;
        end = end < job.out.height ? end : job.out.height;
        char *to = (char *)job.out.data + y * job.out.stride + sample * (int64_t)sizeof(T);
        for (; y < end; y++, to += job.out.stride) {
            if (aligned && n == EACH) {
                __stcs((uint4 *)to, *(const uint4 *)mean);
            } else {
#pragma unroll
                for (int k = 0; k < EACH; k++) {
                    if (k < n) {
                        memcpy(to + k * (int)sizeof(T), &mean[k], sizeof(T));
                    }
                }
            }
        }
    }
}

/* ------------------------------------------------------------------------ launches */

static unsigned limited(int64_t count, int64_t most)
{
    return (unsigned)(count < most ? count : most);
}

static int64_t in_parts(int64_t count, int64_t part)
{
    return (count - 1) / part + 1;
}

template <class Words> static void run_means(const cells_gpu *job, cudaStream_t stream)
{
    typedef typename Words::sample T;
    bool aligned = is_aligned(&job->means);
    if (job->cells) {
        dim3 grid(limited(in_parts(job->columns, job->cells), INT32_MAX),
                  limited(job->rows, MAX_GRID_ROWS));
        mean_cells<Words><<<grid, THREADS, 0, stream>>>(*job, aligned);
        return;
    }
    enum { MANY = 1024 }; /* sums of a cell's columns that are worth a block */
    int64_t samples = job->in.width * job->in.channels;
    int64_t each = cells_gpu_samples((int)sizeof(T), job->in.channels, job->weighted);
    int64_t columns = (job->across.from / job->across.to + 1) * job->bands;
    int team = std::is_floating_point<T>::value ? 1 : columns < MANY ? 32 : THREADS;
    int64_t items = job->columns * job->in.channels * job->rows;
    dim3 grid(limited(in_parts(samples, BAND_THREADS * each), INT32_MAX),
              limited(job->rows * job->bands, MAX_GRID_ROWS));
    add_bands<Words><<<grid, BAND_THREADS, 0, stream>>>(*job);
    mean_bands<Words><<<limited(in_parts(items, THREADS / team), INT32_MAX), THREADS, 0, stream>>>(
        *job, team, aligned);
}

template <class T> static void run_integers(const cells_gpu *job, cudaStream_t stream)
{
    if (job->wide) {
        run_means<cells_words<T, uint64_t, satf_u128>>(job, stream);
    } else {
        run_means<cells_words<T, uint32_t, uint64_t>>(job, stream);
    }
}

template <class T> static void run_spread(const cells_gpu *job, cudaStream_t stream)
{
    int64_t samples = job->out.width * job->out.channels;
    int64_t rows = job->rows * in_parts(job->down.from, SPREAD_ROWS);
    bool aligned = (((uintptr_t)job->out.data | (uintptr_t)job->out.stride) & 15) == 0;
    dim3 grid(limited(in_parts(samples, THREADS * 16 / (int)sizeof(T)), INT32_MAX),
              limited(rows, MAX_GRID_ROWS));
    spread<T><<<grid, THREADS, 0, stream>>>(*job, aligned);
}

extern "C" satf_status cuda_cells(satf_context *ctx, const cells_gpu *job)
{
    satf_status status = cuda_open(ctx, job->in.device);
    if (status) {
        return status;
    }
    cudaStream_t stream = (cudaStream_t)cuda_stream(ctx);
    if (job->in.type == SATF_U8) {
        run_integers<uint8_t>(job, stream);
    } else if (job->in.type == SATF_U16) {
        run_integers<uint16_t>(job, stream);
    } else if (job->in.type == SATF_F32) {
        run_means<cells_words<float, double, double>>(job, stream);
    } else {
        run_means<cells_words<double, double, double>>(job, stream);
    }
    if (job->width > 0) {
        switch (sample_bytes(job->out.type)) {
        case 1:
            run_spread<uint8_t>(job, stream);
            break;
        case 2:
            run_spread<uint16_t>(job, stream);
            break;
        case 4:
            run_spread<uint32_t>(job, stream);
            break;
        default:
            run_spread<uint64_t>(job, stream);
        }
    }
    return cuda_check(ctx, cudaGetLastError(), "cudaLaunchKernel");
}
