/* Means over the cells of a coarser grid on a CUDA device: a thread for each channel of a cell. */
#include "any.cuh"

extern "C" {
#include "../../src/sums/cells/grid.h"
#include "../../src/base/view.h"
}

enum { THREADS = 128, MAX_GRID_ROWS = 65535 };

/* What a sample is the mean of: its channel, over the pixels of its cell. */
typedef struct cell {
    cells_axis across, down;
    cells_place left, right, top, bottom;
    int c;
    bool by_alpha; /* the last channel weighs it */
} cell;

/* Sums over the cell: down each column first, then from left to right, as the CPU has it. The
 * columns of integers are below 2^64, their products with the columns' shares below 2^96. */
template <class Column, class Total>
static __device__ inline void sum_cell(const satf_view *in, const cell *of, Total *sum,
                                       Total *weight)
{
    int64_t bytes = sample_bytes(in->type), alpha = (in->channels - 1) * bytes;
    int64_t columns = cells_count(&of->left, &of->right), rows = cells_count(&of->top, &of->bottom);
    *sum = *weight = 0;
    for (int64_t x = of->left.pixel; x < of->left.pixel + columns; x++) {
        const char *at =
            (const char *)in->data + of->top.pixel * in->stride + x * in->channels * bytes;
        Column column = 0, alphas = 0;
        for (int64_t y = of->top.pixel; y < of->top.pixel + rows; y++, at += in->stride) {
            Column share = (Column)cells_overlap(&of->down, &of->top, &of->bottom, y);
            Column sample = (Column)load_sample(in->type, at + of->c * bytes);
            if (of->by_alpha) {
                Column a = (Column)load_sample(in->type, at + alpha);
                sample *= a;
                alphas += share * a;
            }
            column += share * sample;
        }
        Total share = (Total)cells_overlap(&of->across, &of->left, &of->right, x);
        *sum += share * column;
        *weight += share * alphas;
    }
}

/* The last one of whole pixels may be smaller than the others. */
static __device__ inline int64_t cell_side(const cells_axis *axis, const cells_place *begin,
                                           const cells_place *end)
{
    return axis->to == 1 ? end->pixel - begin->pixel : axis->from;
}

static __device__ inline formula_value mean_of(const satf_view *in, const cell *of, bool rounded)
{
    formula_sums sums = {};
    satf_u128 weight;
    sums.rounded = rounded;
    sums.real = in->type == SATF_F32 || in->type == SATF_F64;
    if (sums.real) {
        sum_cell<double>(in, of, &sums.real_sum, &sums.real_weight);
    } else {
        sum_cell<uint64_t>(in, of, &sums.sum, &weight);
        sums.weight = (uint64_t)weight;
    }
    if (!of->by_alpha) {
        sums.weight = (uint64_t)(cell_side(&of->across, &of->left, &of->right) *
                                 cell_side(&of->down, &of->top, &of->bottom));
        sums.real_weight = (double)sums.weight;
    }
    return formula_mean(&sums);
}

/* The end of the cell, in the picture. */
static __device__ inline cells_place find_end(const cells_axis *axis, int64_t cell, int64_t pixels)
{
    cells_place end = cells_find(axis, cell + 1);
    return end.pixel < pixels ? end : cells_place{pixels, 0};
}

/* At the cell's pixel of the result; spreads: at all of the picture that it covers. */
static __device__ inline void store_cell(const satf_view *out, const cell *of, int64_t x, int64_t y,
                                         bool spreads, formula_value mean)
{
    int64_t bytes = sample_bytes(out->type), pixel = bytes * out->channels;
    int64_t left = spreads ? of->left.pixel : x, right = spreads ? of->right.pixel : x + 1;
    int64_t top = spreads ? of->top.pixel : y, bottom = spreads ? of->bottom.pixel : y + 1;
    char *row = (char *)out->data + top * out->stride + of->c * bytes;
    for (int64_t v = top; v < bottom; v++, row += out->stride) {
        for (int64_t u = left; u < right; u++) {
            formula_store(out->type, mean, row + u * pixel);
        }
    }
}

static __global__ void __launch_bounds__(THREADS)
    mean_cells(satf_view in, satf_view out, cells_axis across, cells_axis down, bool spreads,
               bool weighted)
{
    cell of = {across, down};
    int64_t n = cells_needed(&across, in.width) * out.channels;
    int64_t rows = cells_needed(&down, in.height);
    for (int64_t y = blockIdx.y; y < rows; y += gridDim.y) {
        of.top = cells_find(&down, y);
        of.bottom = find_end(&down, y, in.height);
        for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < n;
             i += (int64_t)gridDim.x * THREADS) {
            int64_t x = i / out.channels;
            of.c = (int)(i % out.channels);
            of.by_alpha = weighted && of.c + 1 < out.channels;
            of.left = cells_find(&across, x);
            of.right = find_end(&across, x, in.width);
            formula_value mean = mean_of(&in, &of, out.type != SATF_F32 && out.type != SATF_F64);
            store_cell(&out, &of, x, y, spreads, mean);
        }
    }
}

extern "C" satf_status cuda_cells(satf_context *ctx, const satf_view *in, const satf_view *out,
                                  int64_t width, int64_t height, bool weighted)
{
    satf_status status = cuda_open(ctx, in->device);
    if (status) {
        return status;
    }
    bool spreads = width > 0;
    cells_axis across =
        spreads ? cells_axis_under(in->width, width) : cells_axis_of(in->width, out->width);
    cells_axis down =
        spreads ? cells_axis_under(in->height, height) : cells_axis_of(in->height, out->height);
    int64_t columns = (cells_needed(&across, in->width) * in->channels - 1) / THREADS + 1;
    int64_t rows = cells_needed(&down, in->height);
    dim3 grid((unsigned)(columns < INT32_MAX ? columns : INT32_MAX),
              (unsigned)(rows < MAX_GRID_ROWS ? rows : MAX_GRID_ROWS));
    mean_cells<<<grid, THREADS, 0, (cudaStream_t)cuda_stream(ctx)>>>(*in, *out, across, down,
                                                                     spreads, weighted);
    return cuda_check(ctx, cudaGetLastError(), "cudaLaunchKernel");
}
