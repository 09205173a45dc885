/* Means over the cells of a coarser grid on a CUDA device: a thread a sample of the result. */
#include "any.cuh"

extern "C" {
#include "../../src/base/cells.h"
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
        sums.weight = (uint64_t)(of->across.from * of->down.from);
        sums.real_weight = (double)sums.weight;
    }
    return formula_mean(&sums);
}

static __global__ void __launch_bounds__(THREADS)
    mean_cells(satf_view in, satf_view out, cells_axis across, cells_axis down, bool weighted)
{
    cell of = {across, down};
    int64_t n = out.width * out.channels, bytes = sample_bytes(out.type);
    for (int64_t y = blockIdx.y; y < out.height; y += gridDim.y) {
        of.top = cells_find(&down, y);
        of.bottom = cells_find(&down, y + 1);
        for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < n;
             i += (int64_t)gridDim.x * THREADS) {
            int64_t x = i / out.channels;
            of.c = (int)(i % out.channels);
            of.by_alpha = weighted && of.c + 1 < out.channels;
            of.left = cells_find(&across, x);
            of.right = cells_find(&across, x + 1);
            formula_value mean = mean_of(&in, &of, out.type != SATF_F32 && out.type != SATF_F64);
            formula_store(out.type, mean, (char *)out.data + y * out.stride + i * bytes);
        }
    }
}

extern "C" satf_status cuda_cells(satf_context *ctx, const satf_view *in, const satf_view *out,
                                  bool weighted)
{
    satf_status status = cuda_open(ctx, in->device);
    if (status) {
        return status;
    }
    cells_axis across = cells_axis_of(in->width, out->width);
    cells_axis down = cells_axis_of(in->height, out->height);
    int64_t columns = (satf_row_samples(out) - 1) / THREADS + 1;
    dim3 grid((unsigned)(columns < INT32_MAX ? columns : INT32_MAX),
              (unsigned)(out->height < MAX_GRID_ROWS ? out->height : MAX_GRID_ROWS));
    mean_cells<<<grid, THREADS, 0, (cudaStream_t)cuda_stream(ctx)>>>(*in, *out, across, down,
                                                                     weighted);
    return cuda_check(ctx, cudaGetLastError(), "cudaLaunchKernel");
}
