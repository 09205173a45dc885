/*
 * The filters' formulas on a CUDA device: a thread a pixel reads the corners of
 * its region, applies the formula of filters/ and stores the samples.
 */
#include <cstring>

#include "corners.cuh"

#include "../../filters/all.h"

/* The formulas as types, for the kernel to be compiled with each. */
#define FILTER_ENTRY(name)                                            \
    struct name##_of {                                                \
        static __device__ formula_value apply(const formula_sums *in) \
        {                                                             \
            return name##_formula(in);                                \
        }                                                             \
    };
#include "../../filters/all.h"
#undef FILTER_ENTRY

static __device__ inline void load_sum(formula_sums *in, double sum)
{
    in->real_sum = sum;
}

static __device__ inline void load_square(formula_sums *in, double square)
{
    in->real_square = square;
}

template <class Sum> static __device__ inline void load_sum(formula_sums *in, Sum sum)
{
    in->sum = sum;
}

template <class Sum> static __device__ inline void load_square(formula_sums *in, Sum square)
{
    in->square = square;
}

/* The weight of a channel: the pixels, or their alphas. */
static __device__ inline void load_weight(formula_sums *in, double alpha)
{
    in->real_weight = alpha;
}

template <class Sum> static __device__ inline void load_weight(formula_sums *in, Sum alpha)
{
    in->weight = (uint64_t)alpha;
}

static __device__ inline void store(const satf_view *out, int64_t x, int64_t y, int c, bool aligned,
                                    formula_value value)
{
    int bytes = out->type == SATF_U8                             ? 1
                : out->type == SATF_U16                          ? 2
                : out->type == SATF_U32 || out->type == SATF_F32 ? 4
                                                                 : 8;
    char *to = (char *)out->data + y * out->stride + (x * out->channels + c) * bytes;
    if (!aligned) {
        formula_store(out->type, value, to);
        return;
    }
    uint64_t sample = 0;
    formula_store(out->type, value, &sample);
    switch (bytes) {
    case 1:
        *to = (char)sample;
        break;
    case 2:
        *(uint16_t *)to = (uint16_t)sample;
        break;
    case 4:
        *(uint32_t *)to = (uint32_t)sample;
        break;
    default:
        *(uint64_t *)to = sample;
    }
}

/* One channel of a pixel: the formula of one rectangle after the other. */
template <class Filter, class Sum, class Square>
static __device__ inline formula_value apply(const filter_gpu_task *task, int64_t x, int64_t y,
                                             int c)
{
    formula_sums in = {};
    in.real = (Sum)0.5 != 0; /* Sum is double */
    in.rounded = task->out.type != SATF_F32 && task->out.type != SATF_F64;
    bool by_alpha = task->weighted && c + 1 < task->in.channels;
    formula_value value = formula_real(0);
    for (int64_t k = 0; k < task->rect_count; k++) {
        const satf_weighted_rect *rect = task->rects ? &task->rects[k] : &task->window;
        region r;
        if (task->prefix) {
            locate_prefix(x, y, &r);
        } else {
            locate(task, &rect->rect, x, y, &r);
        }
        int64_t area = task->border == SATF_SHRINK ? r.covered : r.area;
        in.weight = (uint64_t)area;
        in.real_weight = (double)area;
        if (by_alpha) {
            load_weight(&in, region_sum<Sum>(task, &task->layers[0], &r, task->in.channels - 1));
        }
        load_sum(&in, region_sum<Sum>(task, &task->layers[0], &r, c));
        if (task->layer_count > 1) {
            load_square(&in, region_sum<Square>(task, &task->layers[1], &r, c));
        }
        in.factor = rect->weight;
        value = task->weighted && !by_alpha ? formula_mean(&in) : Filter::apply(&in);
        in.before = value.real;
    }
    return value;
}

enum { BLOCK_COLUMNS = 64, BLOCK_ROWS = 4, MAX_GRID_ROWS = 65535 };

template <class Filter, class Sum, class Square>
static __global__ void __launch_bounds__(BLOCK_COLUMNS *BLOCK_ROWS)
    read_corners(filter_gpu_task task, bool aligned)
{
    int64_t x = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t first = (int64_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= task.in.width) {
        return;
    }
    for (int64_t y = first; y < task.in.height; y += (int64_t)gridDim.y * blockDim.y) {
        for (int c = 0; c < task.in.channels; c++) {
            formula_value value = apply<Filter, Sum, Square>(&task, x, y, c);
            store(&task.out, x, y, c, aligned, value);
        }
    }
}

typedef void (*corner_kernel)(filter_gpu_task task, bool aligned);

/* The kernel for those types of sums and squares, NULL if no image needs them:
 * squares are wider than sums, and 128 bits only those weighted by 16-bit alpha. */
template <class Filter> static corner_kernel choose_kernel(satf_sum_type sum, satf_sum_type square)
{
    if (sum == SATF_SUM_F64) {
        return read_corners<Filter, double, double>;
    }
    if (sum == SATF_SUM_U32) {
        return square == SATF_SUM_U32   ? read_corners<Filter, uint32_t, uint32_t>
               : square == SATF_SUM_U64 ? read_corners<Filter, uint32_t, uint64_t>
                                        : NULL;
    }
    return sum != SATF_SUM_U64       ? NULL
           : square == SATF_SUM_U64  ? read_corners<Filter, uint64_t, uint64_t>
           : square == SATF_SUM_U128 ? read_corners<Filter, uint64_t, satf_u128>
                                     : NULL;
}

static const struct {
    const char *name;
    corner_kernel (*choose)(satf_sum_type sum, satf_sum_type square);
} filters[] = {
#define FILTER_ENTRY(name) {#name, choose_kernel<name##_of>},
#include "../../filters/all.h"
};

extern "C" satf_status filter_gpu_apply(satf_context *ctx, const char *filter,
                                        const filter_gpu_task *task)
{
    satf_status status = satf_gpu_open(ctx, task->in.device);
    for (int k = 0; k < task->layer_count && !status; k++) {
        if (task->layers[k].hits) {
            status = separate_hits(ctx, &task->in, &task->layers[k]);
        }
    }
    if (status) {
        return status;
    }
    satf_sum_type sum = task->layers[0].type;
    satf_sum_type square = task->layer_count > 1 ? task->layers[1].type : sum;
    corner_kernel kernel = NULL;
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
        if (strcmp(filters[i].name, filter) == 0) {
            kernel = filters[i].choose(sum, square);
        }
    }
    if (!kernel) {
        return satf_fail(ctx, SATF_UNSUPPORTED, "%s has no kernel for sums of these types", filter);
    }
    uintptr_t bytes = (uintptr_t)satf_type_bytes(task->out.type);
    bool aligned = (((uintptr_t)task->out.data | (uintptr_t)task->out.stride) & (bytes - 1)) == 0;
    int64_t columns = (task->in.width - 1) / BLOCK_COLUMNS + 1;
    int64_t rows = (task->in.height - 1) / BLOCK_ROWS + 1;
    dim3 grid((unsigned)columns, (unsigned)(rows < MAX_GRID_ROWS ? rows : MAX_GRID_ROWS));
    dim3 block(BLOCK_COLUMNS, BLOCK_ROWS);
    kernel<<<grid, block, 0, (cudaStream_t)satf_gpu_stream(ctx)>>>(*task, aligned);
    return cuda_check(ctx, cudaGetLastError(), "cudaLaunchKernel");
}
