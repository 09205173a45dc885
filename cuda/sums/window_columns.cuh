/*
 * Sums down the columns of windows of floats (windows.cu), which contain the place where two blocks
 * meet: the end of one and the start of the next. A block is cut into pieces, for threads of their
 * own: sum_pieces() makes the sums of each, add_pieces() those of all pieces of a block above each
 * one and below it, and sum_down() begins with these.
 */
#ifndef CUDA_SUMS_WINDOW_COLUMNS_CUH
#define CUDA_SUMS_WINDOW_COLUMNS_CUH

#include "window_sums.cuh"

/* Sums by block, piece and sample of a row. The first block ends where the first of a band's blocks
 * meet. */
template <class Sums> struct column_pieces {
    Sums
        *above; /* of the pieces of the block above each; before add_pieces() of the piece itself */
    Sums *below; /* of those below it */
    int64_t length;
    int64_t count; /* in a block; 1: there are no such sums */
};

/* Places of pieces: `length` of them from `first` on. */
struct piece_places {
    int64_t first, length;

    template <class Sums>
    __device__ __forceinline__ piece_places(const column_pieces<Sums> &pieces, int64_t block_length,
                                            int64_t block, int64_t piece)
        : first(block * block_length + piece * pieces.length),
          length(min(pieces.length, block_length - piece * pieces.length))
    {
    }
};

/* The work of thread i: a channel of a column in a part of a block. */
struct column_part {
    int64_t column, x, part, block;
    int c;

    __device__ __forceinline__ column_part(const filter_gpu_task &task, int64_t i, int64_t parts)
    {
        int64_t samples = task.in.width * task.in.channels, row = i / samples;
        column = i - row * samples;
        x = task.in.channels == 1 ? column : column / task.in.channels;
        c = (int)(column - x * task.in.channels);
        block = row / parts;
        part = row - block * parts;
    }
};

template <class Sums>
static __global__ void __launch_bounds__(THREADS)
    sum_pieces(const __grid_constant__ filter_gpu_task task,
               const __grid_constant__ window_band band,
               const __grid_constant__ column_pieces<Sums> pieces)
{
    const satf_rect *window = &task.window.rect;
    int64_t samples = task.in.width * task.in.channels, step = (int64_t)gridDim.x * THREADS;
    int64_t begin = band.first + window->y, end = begin + band.rows - 1 + window->h;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
         i < samples * pieces.count * (band.down + 1); i += step) {
        column_part of(task, i, pieces.count);
        piece_places at(pieces, window->h, band.down_first - 1 + of.block, of.part);
        Sums sums = Sums();
        if (at.first < end && at.first + at.length > begin) { /* a window contains a part of it */
            image_channel<Sums::weighs> image(&task, of.c);
            double shift = image.template shift_for<Sums>(of.x, at.first);
            auto take = [&](int64_t, const double2(&sample)[AT_ONCE], int n) {
#pragma unroll
                for (int k = 0; k < AT_ONCE; k++) {
                    if (k < n) {
                        sums.take(sample[k].x, sample[k].y, shift);
                    }
                }
            };
            image.each_of_column(of.x, at.first, at.length, 1, take);
        }
        pieces.above[i] = sums;
    }
}

/* The sums of a piece above another shift. */
template <class Sums>
static __device__ __forceinline__ Sums piece_above(const image_channel<Sums::weighs> &image,
                                                   int64_t x, const piece_places &at, Sums sums,
                                                   double shift)
{
    if constexpr (Sums::squares && !Sums::weighs) {
        int64_t covered = window_covers(image.task, at.first, at.length, image.task->in.height);
        sums.lower(image.shift(x, at.first) - shift, (double)covered);
    }
    return sums;
}

template <class Sums>
static __global__ void __launch_bounds__(THREADS)
    add_pieces(const __grid_constant__ filter_gpu_task task,
               const __grid_constant__ window_band band,
               const __grid_constant__ column_pieces<Sums> pieces)
{
    const satf_rect *window = &task.window.rect;
    int64_t samples = task.in.width * task.in.channels, step = (int64_t)gridDim.x * THREADS;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < samples * (band.down + 1);
         i += step) {
        column_part of(task, i, 1);
        image_channel<Sums::weighs> image(&task, of.c);
        int64_t block = band.down_first - 1 + of.block;
        int64_t first = of.block * pieces.count * samples + of.column;
        Sums *above = pieces.above + first, *below = pieces.below + first;
        double shift = image.template shift_for<Sums>(of.x, (block + 1) * window->h);
        Sums sums = Sums();
        for (int64_t k = pieces.count - 1; k >= 0; k--) {
            piece_places at(pieces, window->h, block, k);
            below[k * samples] = sums;
            sums.unite(piece_above(image, of.x, at, above[k * samples], shift));
        }
        shift = image.template shift_for<Sums>(of.x, block * window->h);
        sums = Sums();
        for (int64_t k = 0; k < pieces.count; k++) {
            piece_places at(pieces, window->h, block, k);
            Sums own = piece_above(image, of.x, at, above[k * samples], shift);
            above[k * samples] = sums;
            sums.unite(own);
        }
    }
}

/* The windows of a line that begin behind a piece's first place: first their ends in this block,
 * added to `below`, then their starts in the next, added to `above`. Result q goes to to[q * step].
 */
template <class Sums>
static __device__ __forceinline__ void
sum_column(const image_channel<Sums::weighs> &image, int64_t x, const window_line &line,
           const piece_places &at, const Sums &above, const Sums &below, Sums *to, int64_t step)
{
    int64_t from = at.first + 1 - line.first; /* the result whose window begins behind the first */
    int64_t low = max(line.low, from), high = min(line.high, from + at.length);
    if (low >= high) {
        return;
    }
    double shift = image.template shift_for<Sums>(x, line.common);
    Sums sums = below;
    if (high == from + at.length) {
        to[(high - 1) * step] = sums;
    }
    auto end = [&](int64_t place, const double2(&sample)[AT_ONCE], int n) {
        Sums *result = to + (place - line.first) * step;
        int skip = clamped(place - line.first + 1 - high, AT_ONCE); /* of results beyond the last */
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++, result -= step) {
            if (k < n) {
                sums.take(sample[k].x, sample[k].y, shift);
                if (k >= skip) {
                    *result = sums;
                }
            }
        }
    };
    int64_t last = at.first + at.length - 1;
    image.each_of_column(x, last, last + 1 - (low + line.first), -1, end);
    sums = above;
    auto start = [&](int64_t place, const double2(&sample)[AT_ONCE], int n) {
        int64_t q = place - line.length + 1 - line.first;
        Sums *result = to + q * step, ends[AT_ONCE];
        int skip = clamped(low - q, AT_ONCE);
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            if (k >= skip && k < n) {
                ends[k] = result[k * step];
            }
        }
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            if (k < n) {
                sums.take(sample[k].x, sample[k].y, shift);
                if (k >= skip) {
                    ends[k].unite(sums);
                    result[k * step] = ends[k];
                }
            }
        }
    };
    image.each_of_column(x, at.first + line.length, high - from, 1, start);
}

template <class Sums>
static __global__ void __launch_bounds__(THREADS)
    sum_down(const __grid_constant__ filter_gpu_task task, const __grid_constant__ window_band band,
             const __grid_constant__ column_pieces<Sums> pieces, Sums *__restrict__ columns)
{
    const satf_rect *window = &task.window.rect;
    int64_t samples = task.in.width * task.in.channels, step = (int64_t)gridDim.x * THREADS;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
         i < samples * pieces.count * band.down; i += step) {
        column_part of(task, i, pieces.count);
        int64_t block = band.down_first - 1 + of.block;
        window_line line(window->y, window->h, (block + 1) * window->h, band.first,
                         band.first + band.rows);
        piece_places at(pieces, window->h, block, of.part);
        Sums above = Sums(), below = Sums();
        if (pieces.count > 1) {
            below = pieces.below[i];
            above = pieces.above[i + pieces.count * samples];
        }
        sum_column(image_channel<Sums::weighs>(&task, of.c), of.x, line, at, above, below,
                   columns + of.column - band.first * samples, samples);
    }
}

#endif
