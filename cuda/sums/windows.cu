/*
 * Windows of floats of any size, weighted or not, without a table: sums down the columns through
 * memory (window_columns.cuh), then along the rows, by warps. A line is cut into blocks as long
 * as the window. From where two blocks meet both are summed, up and down: a window is the end of
 * one and the start of the next, so nothing is subtracted, and a result depends on its window's
 * samples alone. Windows of a few samples, or columns, are summed one by one.
 */
#include "window_columns.cuh"

/* ---------------------------------------------------------------------------- rows */

/* The sums of a row's columns, of a channel. A column's shift is its sample in the row where blocks
 * of columns meet. */
template <class Sums> struct column_row {
    static constexpr bool shifted = !Sums::weighs && Sums::squares;
    image_channel<Sums::weighs> image;
    const Sums *first;
    const char *shifts; /* the channel in that row; NULL: it is outside */
    double rows;        /* of the image in a window, or of the window */

    __device__ __forceinline__ column_row(const filter_gpu_task *task, int c, const Sums *sums,
                                          int64_t y)
        : image(task, c), first(sums), shifts(NULL)
    {
        const satf_view &in = task->in;
        const satf_rect *window = &task->window.rect;
        rows = (double)window_covers(task, y + window->y, window->h, in.height);
        if constexpr (shifted) {
            int64_t row = image.shift_index(common(y), in.height);
            shifts = row >= 0 ? image.first + row * in.stride : NULL;
        }
    }

    /* Where blocks of columns meet in the windows of row y. */
    __device__ __forceinline__ int64_t common(int64_t y) const
    {
        const satf_rect *window = &image.task->window.rect;
        return round_up(y + window->y, window->h) * window->h;
    }

    /* Whether the places begin ... end - 1 need no border, and shifts are floats. */
    __device__ __forceinline__ bool is_inside(int64_t begin, int64_t end) const
    {
        bool plain = !shifted || (shifts && image.is_float());
        return plain && begin >= 0 && end <= image.task->in.width;
    }

    /* The sums of a column inside, and the sample that its shift is, above `shift`. */
    __device__ __forceinline__ Sums inside(const Sums *sums, const char *sample, double shift) const
    {
        Sums own = *sums;
        if constexpr (shifted) {
            lower(&own, image.template load<float>(sample), shift);
        }
        return own;
    }

    /* The sums of a column, whose shift is that sample, above `to`. */
    __device__ __forceinline__ void lower(Sums *sums, double sample, double to) const
    {
        if constexpr (shifted) {
            sums->lower(shift_of(sample, SATF_SHIFT_MOST) - to, rows);
        }
    }

    /* The sums of any column, above `shift`. */
    __device__ __forceinline__ Sums at(int64_t place, double shift) const
    {
        int64_t x = image.index(place, image.task->in.width);
        Sums sums = Sums();
        if (x < 0) {
            sums.take(image.outside(), image.outside_weight() * rows, shift);
            return sums;
        }
        sums = first[x * image.task->in.channels];
        lower(&sums, shifts ? image.template load<void>(shifts + x * image.step) : image.outside(),
              shift);
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

enum { LANE_SUMS = 4, STRETCH = WARP * LANE_SUMS, STRETCH_ROOM = STRETCH + WARP };

/* Where sum i of a stretch is kept: lanes that take LANE_SUMS neighbours each meet other banks. */
static __device__ __forceinline__ int kept_at(int i)
{
    return i + i / LANE_SUMS;
}

/* A warp loads the sums of `count` columns, at places that are `step` (1 or -1) apart; behind them
 * are empty ones. inside: the line needs no border (column_row::is_inside()). */
template <class Sums>
static __device__ __forceinline__ void load_stretch(const column_row<Sums> &row, int64_t from,
                                                    int step, int count, bool inside, double shift,
                                                    int lane, Sums *stretch)
{
    int channels = row.image.task->in.channels;
    const Sums *sums = row.first + from * channels + lane * step * channels;
    const char *samples = row.shifts + (from + lane * step) * row.image.step;
    int64_t next = WARP * step * channels, next_sample = WARP * step * row.image.step;
    __syncwarp();
    Sums own[LANE_SUMS];
    float of_shift[LANE_SUMS];
    if (inside) { /* all loads come before their use */
#pragma unroll
        for (int k = 0; k < LANE_SUMS; k++) {
            bool has = lane + WARP * k < count;
            own[k] = has ? sums[k * next] : Sums();
            if constexpr (column_row<Sums>::shifted) {
                of_shift[k] = has ? __ldg((const float *)(samples + k * next_sample)) : 0;
            }
        }
    }
#pragma unroll
    for (int k = 0; k < LANE_SUMS; k++) {
        int i = lane + WARP * k;
        if (!inside) {
            own[k] = i < count ? row.at(from + i * step, shift) : Sums();
        } else if (column_row<Sums>::shifted && i < count) {
            row.lower(&own[k], of_shift[k], shift);
        }
        stretch[kept_at(i)] = own[k];
    }
}

/* Each of a stretch's sums becomes that of all before it, *before included, and itself; *before
 * then is the sum of all. By a warp. */
template <class Sums>
static __device__ __forceinline__ void scan_stretch(Sums *stretch, int lane, Sums *before)
{
    Sums own[LANE_SUMS], *at = stretch + kept_at(LANE_SUMS * lane);
    __syncwarp();
#pragma unroll
    for (int k = 0; k < LANE_SUMS; k++) {
        own[k] = at[k];
        if (k > 0) {
            own[k].unite(own[k - 1]);
        }
    }
    Sums total = own[LANE_SUMS - 1], earlier;
#pragma unroll
    for (int apart = 1; apart < WARP; apart *= 2) {
        earlier = shuffle(total, lane - apart);
        if (lane >= apart) {
            total.unite(earlier);
        }
    }
    earlier = shuffle(total, lane - 1);
    Sums all = *before;
    if (lane > 0) {
        all.unite(earlier);
    }
    before->unite(shuffle(total, WARP - 1));
#pragma unroll
    for (int k = 0; k < LANE_SUMS; k++) {
        own[k].unite(all);
        at[k] = own[k];
    }
    __syncwarp();
}

/* A line of the windows' columns, by a warp: give(q, sums) for each result q, by the lanes. ends:
 * of the warp, for the sums of the ends of blocks; stretch: STRETCH_ROOM, in shared memory. */
template <class Sums, class Give>
static __device__ __forceinline__ void sum_line(const column_row<Sums> &row,
                                                const window_line &line, double shift, int lane,
                                                Sums *stretch, Sums *ends, Give give)
{
    int64_t begin = line.low + line.first, end = line.high - 1 + line.first + line.length;
    bool inside = row.is_inside(begin, end);
    Sums before = Sums();
    for (int64_t from = line.common - 1; from >= begin; from -= STRETCH) {
        int count = clamped(from + 1 - begin, STRETCH);
        int skip = clamped(from - line.first + 1 - line.high, STRETCH);
        load_stretch(row, from, -1, count, inside, shift, lane, stretch);
        scan_stretch(stretch, lane, &before);
        Sums *last = ends + (from - begin);
#pragma unroll
        for (int i = lane; i < STRETCH; i += WARP) {
            if (i >= skip && i < count) {
                last[-i] = stretch[kept_at(i)];
            }
        }
    }
    before = Sums();
    for (int64_t from = line.common; from < end; from += STRETCH) {
        int64_t q = from - line.length + 1 - line.first;
        int count = clamped(end - from, STRETCH), skip = clamped(line.low - q, STRETCH);
        int ending = clamped(line.common - line.first - q, STRETCH);
        load_stretch(row, from, 1, count, inside, shift, lane, stretch);
        scan_stretch(stretch, lane, &before);
        const Sums *first = ends + (q - line.low);
#pragma unroll 1
        for (int i = lane; i < count; i += WARP) {
            if (i >= skip) {
                Sums sums = stretch[kept_at(i)];
                if (i < ending) {
                    sums.unite(first[i]);
                }
                give(q + i, sums);
            }
        }
    }
    __syncwarp();
}

/* The columns of a narrow window one by one. */
template <class Sums>
static __device__ __forceinline__ Sums sum_narrow(const column_row<Sums> &row, int64_t place,
                                                  int count, double shift)
{
    int channels = row.image.task->in.channels;
    const Sums *columns = row.first + place * channels;
    const char *sample = row.shifts + place * row.image.step;
    bool inside = row.is_inside(place, place + count);
    Sums sums = Sums();
    for (int k = 0; k < count; k++, columns += channels, sample += row.image.step) {
        sums.unite(inside ? row.inside(columns, sample, shift) : row.at(place + k, shift));
    }
    return sums;
}

/* In place of a formula: the sums themselves. */
struct window_moments_alone {
};

/* A channel of a row of results. */
template <class Formula, class Sums> struct result_row {
    static constexpr bool alone = std::is_same<Formula, window_moments_alone>::value;
    const filter_gpu_task &task;
    int64_t y;
    int c, pixel; /* pixel: bytes */
    bool aligned;
    column_row<Sums> columns;
    Sums *kept; /* the row's results or ends of blocks in memory; NULL: none */
    char *to;

    /* row: of the band. */
    __device__ __forceinline__ result_row(const filter_gpu_task &of, const window_band &band,
                                          const Sums *sums, Sums *kept_rows, bool aligned_out,
                                          int64_t row, int channel)
        : task(of), y(band.first + row), c(channel), aligned(aligned_out),
          columns(&of, channel, sums + row * of.in.width * of.in.channels + channel, y)
    {
        int sample = sample_bytes(of.out.type);
        kept = kept_rows ? kept_rows + (row * of.in.channels + c) * of.in.width : NULL;
        pixel = sample * of.out.channels;
        to = (char *)of.out.data + y * of.out.stride + c * sample;
    }

    __device__ __forceinline__ void give(int64_t x, const Sums &sums, double shift) const
    {
        if constexpr (alone) {
            kept[x] = sums;
        } else {
            window_moments<Sums> moments = {&sums, 0, shift, window_area(&task, x, y)};
            formula_value value = apply<Formula>(&task, 1, moments, c, x, y, 0);
            store_at(task.out.type, aligned, value, to + x * pixel);
        }
    }

    __device__ __forceinline__ void do_narrow(int64_t x) const
    {
        const satf_rect *window = &task.window.rect;
        double shift = columns.image.template shift_for<Sums>(x, columns.common(y));
        give(x, sum_narrow(columns, x + window->x, (int)window->w, shift), shift);
    }

    /* The windows that meet at place `common`, by a warp. */
    __device__ __forceinline__ void do_line(int64_t common, int lane, Sums *stretch) const
    {
        const satf_rect *window = &task.window.rect;
        double shift = columns.image.template shift_for<Sums>(common, columns.common(y));
        window_line line(window->x, window->w, common, 0, task.in.width);
        sum_line(columns, line, shift, lane, stretch,
                 kept ? kept + line.low : stretch + STRETCH_ROOM,
                 [&](int64_t x, const Sums &sums) { give(x, sums, shift); });
    }
};

/* The lines that a warp adds up one after the other: of short ones more. */
static __host__ __device__ inline int64_t lines_of_warp(int64_t length)
{
    return length < 256 ? 512 / length : 1;
}

/* The work of warps along a row: WARP results of narrow windows, or lines of others. */
static __host__ __device__ inline int64_t parts_of_row(const filter_gpu_task *task,
                                                       const window_band *band, int channels)
{
    return task->window.rect.w <= FILTER_GPU_NARROW
               ? (task->in.width * channels - 1) / WARP + 1
               : ((band->across - 1) / lines_of_warp(task->window.rect.w) + 1) * channels;
}

/* kept: rows of all channels, one behind the other, for results where a formula reads several
 * channels, or for ends of blocks that are too long for shared memory; else NULL. */
template <class Formula, class Sums>
static __global__ void __launch_bounds__(THREADS, ROW_BLOCKS)
    sum_across(const __grid_constant__ filter_gpu_task task,
               const __grid_constant__ window_band band, const Sums *__restrict__ columns,
               Sums *kept, bool aligned)
{
    extern __shared__ __align__(16) char shared[];
    typedef result_row<Formula, Sums> results;
    int channels = results::alone ? task.in.channels : task.out.channels;
    int lane = (int)threadIdx.x % WARP, warp = (int)threadIdx.x / WARP;
    int64_t length = task.window.rect.w, parts = parts_of_row(&task, &band, channels);
    int64_t ends = kept ? 0 : min(length, task.in.width);
    Sums *stretch = (Sums *)shared + warp * (STRETCH_ROOM + ends);
    for (int64_t i = ((int64_t)blockIdx.x * THREADS + threadIdx.x) / WARP; i < parts * band.rows;
         i += (int64_t)gridDim.x * (THREADS / WARP)) {
        int64_t row = i / parts, part = i - row * parts;
        int c;
        bool narrow = length <= FILTER_GPU_NARROW;
        int64_t at = pixel_of(narrow ? part * WARP + lane : part, channels, &c);
        results of(task, band, columns, kept, aligned, row, c);
        if (narrow) {
            if (at < task.in.width) {
                of.do_narrow(at);
            }
            continue;
        }
        int64_t line = at * lines_of_warp(length);
        for (int64_t end = min(line + lines_of_warp(length), band.across); line < end; line++) {
            of.do_line((band.across_first + line) * length, lane, stretch);
        }
    }
}

/* A formula of several channels. */
template <class Sums>
static __global__ void __launch_bounds__(THREADS)
    finish_luma(const __grid_constant__ filter_gpu_task task,
                const __grid_constant__ window_band band, const Sums *__restrict__ windows,
                bool aligned)
{
    int64_t width = task.in.width, step = (int64_t)gridDim.x * THREADS;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < width * task.out.channels;
         i += step) {
        int c;
        int64_t x = pixel_of(i, task.out.channels, &c);
        for (int64_t row = blockIdx.y; row < band.rows; row += gridDim.y) {
            int64_t y = band.first + row;
            window_moments<Sums> moments = {windows + row * task.in.channels * width + x, width, 0,
                                            window_area(&task, x, y)};
            store(&task.out, x, y, c, aligned, apply<known_luma>(&task, 1, moments, c, x, y, 0));
        }
    }
}

enum { FEW_ROWS = 8 /* of a thread */ };

/* A window of aligned floats inside the image. */
template <class Sums>
static __device__ __forceinline__ Sums add_few_floats(const image_channel<Sums::weighs> &image,
                                                      int64_t x, int64_t y, double shift)
{
    const satf_rect *window = &image.task->window.rect;
    int64_t to_row = image.task->in.stride - window->w * image.step;
    const char *from = image.pixel(x + window->x, y + window->y);
    Sums sums = Sums();
    for (int row = (int)window->h; row > 0; row--, from += to_row) {
        for (int column = (int)window->w; column > 0; column--, from += image.step) {
            double2 sample = image.template at<float>(from);
            sums.take(sample.x, sample.y, shift);
        }
    }
    return sums;
}

/* Any window. */
template <class Sums>
static __device__ __forceinline__ Sums add_few(const image_channel<Sums::weighs> &image, int64_t x,
                                               int64_t y, double shift)
{
    const satf_rect *window = &image.task->window.rect;
    const satf_view *in = &image.task->in;
    Sums sums = Sums();
#pragma unroll 1
    for (int64_t v = y + window->y; v < y + window->y + window->h; v++) {
        int64_t row = image.index(v, in->height);
#pragma unroll 1
        for (int64_t u = x + window->x; u < x + window->x + window->w; u++) {
            double2 sample = image.at(image.index(u, in->width), row);
            sums.take(sample.x, sample.y, shift);
        }
    }
    return sums;
}

/* Windows of a few samples, a thread each, above the sample of their pixel, which they contain. */
template <class Formula, class Sums>
static __global__ void __launch_bounds__(THREADS)
    sum_few(const __grid_constant__ filter_gpu_task task, bool aligned)
{
    const satf_rect *window = &task.window.rect;
    int64_t step = (int64_t)gridDim.x * THREADS;
    int64_t right = task.in.width - window->w, bottom = task.in.height - window->h;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
         i < task.in.width * task.out.channels; i += step) {
        int c;
        int64_t x = pixel_of(i, task.out.channels, &c), left = x + window->x;
        image_channel<Sums::weighs> image(&task, c);
        bool floats = image.is_float() && left >= 0 && left <= right;
        for (int64_t y = blockIdx.y; y < task.in.height; y += gridDim.y) {
            int64_t top = y + window->y;
            double shift = image.template shift_for<Sums>(x, y);
            Sums sums = floats && top >= 0 && top <= bottom
                            ? add_few_floats<Sums>(image, x, y, shift)
                            : add_few<Sums>(image, x, y, shift);
            window_moments<Sums> moments = {&sums, 0, shift, window_area(&task, x, y)};
            store(&task.out, x, y, c, aligned, apply<Formula>(&task, 1, moments, c, x, y, 0));
        }
    }
}

/* ------------------------------------------------------------------------ launches */

/* The kernels of a formula: for windows of a few samples, and for any. */
template <class Sums> struct window_kernels {
    void (*few)(filter_gpu_task, bool);
    void (*across)(filter_gpu_task, window_band, const Sums *, Sums *, bool);
};

template <class Formula, class Sums> static window_kernels<Sums> window_kernels_with()
{
    return {sum_few<Formula, Sums>, sum_across<Formula, Sums>};
}

template <class Sums> static window_kernels<Sums> window_kernels_of(const filter_gpu_task *task)
{
    if (task->has_aux) {
        return window_kernels_with<any_aux, Sums>();
    }
    if constexpr (Sums::squares) {
        return task->known == FILTER_GPU_VARIANCE ? window_kernels_with<known_variance, Sums>()
                                                  : window_kernels_with<any_formula, Sums>();
    } else if (task->known == FILTER_GPU_LUMA) {
        return {NULL, sum_across<window_moments_alone, Sums>};
    } else {
        return task->known == FILTER_GPU_MEAN ? window_kernels_with<known_mean, Sums>()
                                              : window_kernels_with<any_formula, Sums>();
    }
}

static unsigned windows_blocks_for(int64_t threads)
{
    int64_t blocks = (threads - 1) / THREADS + 1;
    return (unsigned)(blocks < 1 << 20 ? blocks : 1 << 20);
}

/* A grid of a thread for each sample, in so many rows of blocks. */
static dim3 windows_grid(const satf_view *out, int64_t rows)
{
    return dim3(windows_blocks_for(out->width * out->channels),
                (unsigned)(rows < MAX_GRID_ROWS ? rows : MAX_GRID_ROWS));
}

template <class Sums>
static void run_band(const filter_gpu_task *task, const window_band &band,
                     const column_pieces<Sums> &pieces, Sums *columns, Sums *kept,
                     cudaStream_t stream)
{
    int64_t samples = task->in.width * task->in.channels, blocks = band.down + 1;
    bool aligned = is_aligned(&task->out), luma = task->known == FILTER_GPU_LUMA;
    if (pieces.count > 1) {
        sum_pieces<<<windows_blocks_for(samples * blocks * pieces.count), THREADS, 0, stream>>>(
            *task, band, pieces);
        add_pieces<<<windows_blocks_for(samples * blocks), THREADS, 0, stream>>>(*task, band,
                                                                                 pieces);
    }
    sum_down<<<windows_blocks_for(samples * band.down * pieces.count), THREADS, 0, stream>>>(
        *task, band, pieces, columns);
    bool narrow = task->window.rect.w <= FILTER_GPU_NARROW;
    int64_t parts = parts_of_row(task, &band, luma ? task->in.channels : task->out.channels);
    size_t ends = kept ? 0 : (size_t)min(task->window.rect.w, task->in.width);
    size_t shared = narrow ? 0 : THREADS / WARP * sizeof(Sums) * (STRETCH_ROOM + ends);
    auto across = window_kernels_of<Sums>(task).across;
    across<<<windows_blocks_for(band.rows * parts * WARP), THREADS, shared, stream>>>(
        *task, band, columns, kept, aligned);
    if constexpr (!Sums::squares) {
        if (luma) {
            finish_luma<<<windows_grid(&task->out, band.rows), THREADS, 0, stream>>>(
                *task, band, (const Sums *)kept, aligned);
        }
    }
}

/* memory: as gpu.h has it; NULL: windows are of a few samples. */
template <class Sums>
static void run_windows(const filter_gpu_task *task, Sums *memory, int64_t rows,
                        cudaStream_t stream)
{
    if (!memory) {
        auto few = window_kernels_of<Sums>(task).few;
        few<<<windows_grid(&task->out, (task->in.height + FEW_ROWS - 1) / FEW_ROWS), THREADS, 0,
              stream>>>(*task, is_aligned(&task->out));
        return;
    }
    int64_t samples = task->in.width * task->in.channels, height = task->window.rect.h;
    int64_t length = filter_gpu_piece(height, samples), count = (height + length - 1) / length;
    int64_t of_pieces = samples * filter_gpu_pieces(height, rows, samples);
    Sums *above = memory + samples * rows, *below = above + of_pieces;
    Sums *kept = filter_gpu_keeps_rows(task, sizeof(Sums)) ? below + of_pieces : NULL;
    column_pieces<Sums> pieces = {above, below, length, count};
    for (int64_t y = 0; y < task->in.height; y += rows) {
        int64_t left = task->in.height - y;
        window_band band = band_of(task, y, left < rows ? left : rows);
        run_band(task, band, pieces, memory, kept, stream);
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
