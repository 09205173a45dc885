/*
 * The filters' formulas on a CUDA device: a thread a pixel, or a few of them, reads the
 * corners of its region, applies the formula of filters/ and stores the samples.
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

/* One channel of a pixel: the formula of one rectangle after the other. INNER: of the window,
 * which lies inside the image. */
template <class Filter, class Sum, class Square, bool INNER>
static __device__ inline formula_value apply(const filter_gpu_task *task, int64_t x, int64_t y,
                                             int c)
{
    formula_sums in = {};
    in.real = (Sum)0.5 != 0; /* Sum is double */
    in.rounded = task->out.type != SATF_F32 && task->out.type != SATF_F64;
    bool by_alpha = task->weighted && c + 1 < task->in.channels;
    formula_value value = formula_real(0);
    for (int64_t k = 0; k < (INNER ? 1 : task->rect_count); k++) {
        const satf_weighted_rect *rect = !INNER && task->rects ? &task->rects[k] : &task->window;
        region r;
        if (INNER) {
            locate_inside(&rect->rect, x, y, &r);
        } else if (task->prefix) {
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

/* `count` positions along an axis from `first` on, `gap` left out behind the first `before`. */
typedef struct stretch {
    int64_t first, count, before, gap;
} stretch;

static __device__ inline int64_t position(const stretch *s, int64_t i)
{
    return s->first + i + (i < s->before ? 0 : s->gap);
}

/* INNER: the windows of all these pixels lie inside the image. */
template <class Filter, class Sum, class Square, bool INNER>
static __global__ void __launch_bounds__(BLOCK_COLUMNS *BLOCK_ROWS)
    read_corners(filter_gpu_task task, stretch columns, stretch rows, bool aligned)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= columns.count) {
        return;
    }
    int64_t x = position(&columns, i);
    for (int64_t k = (int64_t)blockIdx.y * blockDim.y + threadIdx.y; k < rows.count;
         k += (int64_t)gridDim.y * blockDim.y) {
        int64_t y = position(&rows, k);
        for (int c = 0; c < task.in.channels; c++) {
            formula_value value = apply<Filter, Sum, Square, INNER>(&task, x, y, c);
            store(&task.out, x, y, c, aligned, value);
        }
    }
}

typedef void (*corner_kernel)(filter_gpu_task task, stretch columns, stretch rows, bool aligned);

/* The kernel for those types of sums and squares, NULL if no image needs them:
 * squares are wider than sums, and 128 bits only those weighted by 16-bit alpha. */
template <class Filter, bool INNER>
static corner_kernel choose_kernel(satf_sum_type sum, satf_sum_type square)
{
    if (sum == SATF_SUM_F64) {
        return read_corners<Filter, double, double, INNER>;
    }
    if (sum == SATF_SUM_U32) {
        return square == SATF_SUM_U32   ? read_corners<Filter, uint32_t, uint32_t, INNER>
               : square == SATF_SUM_U64 ? read_corners<Filter, uint32_t, uint64_t, INNER>
                                        : NULL;
    }
    return sum != SATF_SUM_U64       ? NULL
           : square == SATF_SUM_U64  ? read_corners<Filter, uint64_t, uint64_t, INNER>
           : square == SATF_SUM_U128 ? read_corners<Filter, uint64_t, satf_u128, INNER>
                                     : NULL;
}

static const struct {
    const char *name;
    corner_kernel (*choose)(satf_sum_type sum, satf_sum_type square);
    corner_kernel (*choose_inner)(satf_sum_type sum, satf_sum_type square);
} filters[] = {
#define FILTER_ENTRY(name) {#name, choose_kernel<name##_of, false>, choose_kernel<name##_of, true>},
#include "../../filters/all.h"
};

/* The positions along an axis of n pixels where a window from `first` on lies inside it. */
static stretch inner_stretch(int64_t n, int64_t first, int64_t length)
{
    stretch inner = {first < 0 ? -first : 0, 0, 0, 0};
    int64_t end = n - (first + length > 0 ? first + length - 1 : 0);
    inner.count = end > inner.first ? end - inner.first : 0;
    return inner;
}

/* All others. */
static stretch outer_stretch(int64_t n, const stretch *inner)
{
    stretch outer = {0, n - inner->count, inner->first, inner->count};
    return outer;
}

/* Rows of inner pixels that a thread does, for what is the same for all of them. */
enum { INNER_ROWS = 4 };

static cudaError_t launch(corner_kernel kernel, const filter_gpu_task *task, const stretch &columns,
                          const stretch &rows, int rows_each, bool aligned, cudaStream_t stream)
{
    if (columns.count == 0 || rows.count == 0) {
        return cudaSuccess;
    }
    int64_t blocks = (rows.count - 1) / (BLOCK_ROWS * rows_each) + 1;
    dim3 grid((unsigned)((columns.count - 1) / BLOCK_COLUMNS + 1),
              (unsigned)(blocks < MAX_GRID_ROWS ? blocks : MAX_GRID_ROWS));
    kernel<<<grid, dim3(BLOCK_COLUMNS, BLOCK_ROWS), 0, stream>>>(*task, columns, rows, aligned);
    return cudaGetLastError();
}

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
    corner_kernel kernel = NULL, inner_kernel = NULL;
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
        if (strcmp(filters[i].name, filter) == 0) {
            kernel = filters[i].choose(sum, square);
            inner_kernel = filters[i].choose_inner(sum, square);
        }
    }
    if (!kernel) {
        return satf_fail(ctx, SATF_UNSUPPORTED, "%s has no kernel for sums of these types", filter);
    }
    uintptr_t bytes = (uintptr_t)satf_type_bytes(task->out.type);
    bool aligned = (((uintptr_t)task->out.data | (uintptr_t)task->out.stride) & (bytes - 1)) == 0;
    cudaStream_t stream = (cudaStream_t)satf_gpu_stream(ctx);
    int64_t width = task->in.width, height = task->in.height;
    const satf_rect *window = &task->window.rect;
    bool by_window = !task->prefix && !task->rects;
    stretch columns = inner_stretch(width, window->x, window->w);
    stretch rows = inner_stretch(height, window->y, window->h), all = {0, width, 0, 0};
    if (!by_window || columns.count == 0 || rows.count == 0) {
        columns.count = rows.count = 0;
    }
    CUDA_RETURN(ctx, launch(inner_kernel, task, columns, rows, INNER_ROWS, aligned, stream));
    CUDA_RETURN(ctx, launch(kernel, task, all, outer_stretch(height, &rows), 1, aligned, stream));
    CUDA_RETURN(ctx,
                launch(kernel, task, outer_stretch(width, &columns), rows, 1, aligned, stream));
    return SATF_OK;
}
