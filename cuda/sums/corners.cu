/*
 * Filters by tables on a CUDA device: from the corners of a pixel's region to its samples. There is
 * a kernel for each pair of sum types, in which a switch takes the formula, and others for formulas
 * that are known. Its first blocks do the pixels whose window meets a border (tiles.cuh), the
 * others those inside (inner.cuh). Inner pixels of templates have their own kernel (rects.cuh).
 */
#include <cstring>

#include "../formula/choice.cuh"
#include "rects.cuh"
#include "sides.cuh"

extern "C" {
#include "../../src/base/view.h"
}

/* What blocks do: those below `outer_blocks` the areas `outside`, the others `inner`; `inside` is
 * the same area for do_any_tile(), where a table had to be built anew. */
typedef struct corner_plan {
    pixel_area outside[2], inside;
    inner_area inner;
    int64_t outer_blocks, inner_blocks;
    bool aligned; /* the output, to its samples */
} corner_plan;

enum { CORNER_BLOCKS = 4 /* that a multiprocessor holds */ };

template <class Formula, class Sum, class Square>
static __global__ void __launch_bounds__(FILTER_THREADS, CORNER_BLOCKS)
    read_corners(const __grid_constant__ filter_gpu_task task,
                 const __grid_constant__ corner_plan plan)
{
    __shared__ axis_sum span[ANY_SPANS];
    bool outer = blockIdx.x < plan.outer_blocks, spoilt = false;
    for (int k = 0; k < task.layer_count; k++) {
        spoilt = spoilt || has_masks(&task.layers[k]);
    }
    int64_t tile = blockIdx.x - (outer ? 0 : plan.outer_blocks);
    int64_t step = outer ? plan.outer_blocks : plan.inner_blocks;
    if (outer || spoilt) {
        int64_t first = plan.outside[0].tiles, both = first + plan.outside[1].tiles;
        for (; tile < (outer ? both : plan.inside.tiles); tile += step) {
            bool second = outer && tile >= first;
            do_any_tile<Formula, Sum, Square>(
                &task, outer ? &plan.outside[second] : &plan.inside, second ? tile - first : tile,
                span, [&](int64_t x, int64_t y, int c, const formula_value &value) {
                    store(&task.out, x, y, c, plan.aligned, value);
                });
        }
        return;
    }
    if constexpr (std::is_same<Formula, known_weighted_sum>::value) {
        return; /* read_rects() has done these */
    } else if constexpr (std::is_same<Formula, known_luma>::value) {
        return;                                 /* it has no inner area */
    } else if constexpr (sizeof(Square) <= 8) { /* wider ones have weights, hence no inner area */
        for (; tile < plan.inner.tiles; tile += step) {
            do_inner_tile<Formula, Sum, Square>(&task, &plan.inner, tile);
        }
    }
}

/* The pixels of a template all of whose rectangles lie inside. In one kernel with the code for any
 * pixel registers would not suffice, and the spans would take cache from the table. */
template <class Sum>
static __global__ void __launch_bounds__(FILTER_THREADS, CORNER_BLOCKS)
    read_rects(const __grid_constant__ filter_gpu_task task,
               const __grid_constant__ inner_area area)
{
    __shared__ rect_term term[RECT_CHUNK];
    if (!has_masks(&task.layers[0])) {
        do_rects_tile<Sum>(&task, &area, blockIdx.x, term);
    }
}

/* A reduction: the greatest result and the least sample, all pixels as if at a border. */
template <class Sum, class Square>
static __global__ void __launch_bounds__(FILTER_THREADS, CORNER_BLOCKS)
    reduction_corners(const __grid_constant__ filter_gpu_task task,
                      const __grid_constant__ corner_plan plan)
{
    __shared__ axis_sum span[ANY_SPANS];
    unsigned long long greatest = 0, least = 0;
    int alpha = task.in.channels - 1, bytes = sample_bytes(task.in.type);
    for (int64_t tile = blockIdx.x; tile < plan.outside[0].tiles; tile += plan.outer_blocks) {
        do_any_tile<any_formula, Sum, Square>(
            &task, &plan.outside[0], tile, span,
            [&](int64_t x, int64_t y, int c, const formula_value &value) {
                const char *pixel =
                    (const char *)task.in.data + y * task.in.stride + x * task.in.channels * bytes;
                if (task.weighted && c == alpha) {
                    return;
                }
                double result = formula_number_of(value);
                double sample = load_sample(task.in.type, pixel + c * bytes);
                if (reduction_key(result) > greatest) {
                    greatest = reduction_key(result);
                }
                bool counts = !task.weighted ||
                              reduction_counts(load_sample(task.in.type, pixel + alpha * bytes));
                if (counts && reduction_key(-sample) > least) {
                    least = reduction_key(-sample);
                }
            });
    }
    raise_key(&task.reduction[REDUCTION_GREATEST], greatest);
    raise_key(&task.reduction[REDUCTION_LEAST], least);
}

/* Pixels that choose among windows. */
template <class Sum, class Square>
static __global__ void __launch_bounds__(FILTER_THREADS, CORNER_BLOCKS)
    read_choices(const __grid_constant__ filter_gpu_task task,
                 const __grid_constant__ corner_plan plan)
{
    __shared__ axis_sum span[ANY_SPANS];
    for (int64_t tile = blockIdx.x; tile < plan.outside[0].tiles; tile += plan.outer_blocks) {
        do_choice_tile<Sum, Square>(&task, &plan.outside[0], tile, span, plan.aligned);
    }
}

/* Pixels whose windows an image gives. */
static __global__ void __launch_bounds__(FILTER_THREADS, CORNER_BLOCKS)
    read_sides(const __grid_constant__ filter_gpu_task task,
               const __grid_constant__ corner_plan plan)
{
    for (int64_t tile = blockIdx.x; tile < plan.outside[0].tiles; tile += plan.outer_blocks) {
        do_sides_tile(&task, &plan.outside[0], tile, plan.aligned);
    }
}

/* Variance or standard deviation: in one kernel, since the test for the root costs but 1 %. */
struct either_deviation {
    static constexpr bool has_sum = true, has_centre = false, has_aux = false;
    static __device__ formula_value apply(const filter_gpu_task *task, const formula_sums *in)
    {
        double variance = formula_variance(in);
        return formula_real(task->known == FILTER_GPU_STDDEV ? sqrt(variance) : variance);
    }
};

typedef void (*corner_kernel)(const filter_gpu_task task, const corner_plan plan);

/* The kernel for the types of one table, and of two; NULL if no image needs these: squares are at
 * least as wide as sums, and have 128 bits only if weighted by 16-bit alpha. */
template <class Formula> static corner_kernel kernel_of_sums(satf_sum_type sum)
{
    return sum == SATF_SUM_U32   ? read_corners<Formula, uint32_t, no_squares>
           : sum == SATF_SUM_U64 ? read_corners<Formula, uint64_t, no_squares>
           : sum == SATF_SUM_F64 ? read_corners<Formula, double, no_squares>
                                 : NULL;
}

template <class Formula>
static corner_kernel kernel_of_squares(satf_sum_type sum, satf_sum_type square)
{
    switch (sum) {
    case SATF_SUM_U32:
        return square == SATF_SUM_U32   ? read_corners<Formula, uint32_t, uint32_t>
               : square == SATF_SUM_U64 ? read_corners<Formula, uint32_t, uint64_t>
                                        : NULL;
    case SATF_SUM_U64:
        return square == SATF_SUM_U64    ? read_corners<Formula, uint64_t, uint64_t>
               : square == SATF_SUM_U128 ? read_corners<Formula, uint64_t, satf_u128>
                                         : NULL;
    case SATF_SUM_F64:
        return read_corners<Formula, double, double>;
    default:
        return NULL;
    }
}

/* The kernel of a reduction, which wants squares. */
static corner_kernel reduction_kernel(satf_sum_type sum, satf_sum_type square)
{
    return square == SATF_SUM_U128  ? reduction_corners<uint64_t, satf_u128>
           : sum == SATF_SUM_F64    ? reduction_corners<double, double>
           : sum == SATF_SUM_U64    ? reduction_corners<uint64_t, uint64_t>
           : square == SATF_SUM_U64 ? reduction_corners<uint32_t, uint64_t>
                                    : reduction_corners<uint32_t, uint32_t>;
}

/* The kernel of a choice, whose windows are at most 255 pixels wide and high. */
static corner_kernel choice_kernel(satf_sum_type sum, satf_sum_type square)
{
    return sum == SATF_SUM_U64      ? read_choices<uint64_t, uint64_t>
           : square == SATF_SUM_U64 ? read_choices<uint32_t, uint64_t>
                                    : read_choices<uint32_t, uint32_t>;
}

static corner_kernel corners_choose_kernel(const filter_gpu_task *task)
{
    satf_sum_type sum = task->layers[0].type, square = task->layers[1].type;
    if (task->reduces) {
        return task->layer_count > 1 ? reduction_kernel(sum, square) : NULL;
    }
    if (task->choices) {
        return choice_kernel(sum, square);
    }
    if (task->sides) { /* of up to 65535 x 65535 pixels */
        return read_sides;
    }
    if (task->layer_count == 1) {
        return task->known == FILTER_GPU_MEAN           ? kernel_of_sums<known_mean>(sum)
               : task->known == FILTER_GPU_WEIGHTED_SUM ? kernel_of_sums<known_weighted_sum>(sum)
               : task->known == FILTER_GPU_LUMA         ? kernel_of_sums<known_luma>(sum)
               : task->has_aux                          ? kernel_of_sums<any_aux>(sum)
                                                        : kernel_of_sums<any_formula>(sum);
    }
    bool known = task->known == FILTER_GPU_VARIANCE || task->known == FILTER_GPU_STDDEV;
    return known           ? kernel_of_squares<either_deviation>(sum, square)
           : task->has_aux ? kernel_of_squares<any_aux>(sum, square)
                           : kernel_of_squares<any_formula>(sum, square);
}

/* The positions along an axis of n pixels whose window, from `first` on, lies inside it with a
 * pixel to spare before it. */
static stretch inner_stretch(int64_t n, int64_t first, int64_t length)
{
    stretch inner = {first < 1 ? 1 - first : 0, 0, 0, 0};
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

static int64_t corners_tiles_of(int64_t n, int64_t tile)
{
    return (n + tile - 1) / tile;
}

static pixel_area make_area(const stretch &columns, const stretch &rows)
{
    pixel_area area = {columns, rows, columns.count < ANY_WIDE ? ANY_NARROW : ANY_WIDE, 0, 0};
    area.tiles_x = corners_tiles_of(columns.count, area.across);
    area.tiles =
        area.tiles_x * corners_tiles_of(rows.count, ANY_ROWS * FILTER_THREADS / area.across);
    return area;
}

/* Whether offsets within `down` rows of the tables, and INNER_APART more, have 32 bits. */
static bool inner_reaches(const filter_gpu_task *task, int64_t down)
{
    int64_t most = (INT64_C(1) << 31) / (down + INNER_APART);
    return task->layers[0].stride < most && task->layers[task->layer_count - 1].stride < most;
}

/* Tiles of the height that gives the busiest multiprocessor the least work, the `others` blocks
 * included: a tile's rows, the window's, whose sums it reads first, and START. */
static inner_area make_inner(const filter_gpu_task *task, const stretch &columns,
                             const stretch &rows, int64_t at_once, int64_t others)
{
    enum { START = 16, MOST = 64 /* tiles below one another, and rows that caches hold */ };
    int64_t window = task->window.rect.h < MOST ? task->window.rect.h : MOST, least = INT64_MAX;
    inner_area area = {columns, rows, 0, 0, 0, {0, 0, 0}};
    area.tiles_x = corners_tiles_of(columns.count * task->in.channels, INNER_COLUMNS);
    if (area.tiles_x == 0 || rows.count == 0) {
        return area;
    }
    for (int64_t parts = 1; parts <= MOST || !area.down; parts++) {
        int64_t down = corners_tiles_of(rows.count, parts);
        int64_t work =
            corners_tiles_of(others + area.tiles_x * parts, at_once) * (down + START + window);
        if (work < least && inner_reaches(task, down)) {
            least = work;
            area.down = down;
        }
    }
    area.tiles = area.tiles_x * corners_tiles_of(rows.count, area.down);
    uint64_t max = satf_type_max(task->in.type);
    if (max && task->known == FILTER_GPU_MEAN &&
        !epilogue_magic_find(32, max, (uint64_t)(task->window.rect.w * task->window.rect.h),
                             &area.magic)) {
        area.magic.multiplier = 0;
    }
    return area;
}

/* The inner area of a template: small tiles, a block each. */
static inner_area make_rects(const filter_gpu_task *task, const stretch &columns,
                             const stretch &rows)
{
    inner_area area = {columns, rows, RECT_DOWN, 0, 0, {0, 0, 0}};
    area.tiles_x = corners_tiles_of(columns.count * task->in.channels, RECT_COLUMNS);
    area.tiles = area.tiles_x * corners_tiles_of(rows.count, RECT_DOWN);
    return area;
}

/* Whether there is a kernel for pixels whose window, or all rectangles, lie inside the image. */
static bool has_inner(const filter_gpu_task *task)
{
    bool sums = task->known == FILTER_GPU_ANY && task->layer_count == 1 && !task->has_aux;
    bool reaches = task->has_rects ? task->known == FILTER_GPU_WEIGHTED_SUM && rects_reach(task)
                                   : inner_reaches(task, 1);
    return reaches && !task->reduces && !task->choices && !task->sides &&
           task->known != FILTER_GPU_LUMA && !task->weighted && inner_stores(task->out.type, sums);
}

static int64_t corners_at_most(int64_t blocks)
{
    return blocks < 1 << 30 ? blocks : 1 << 30;
}

/* The blocks that do a template's inner pixels like outer ones if its table had to be built anew,
 * which only one of floats may have to be. */
static int64_t spoilt_blocks(const filter_gpu_task *task, const corner_plan *plan, int processors)
{
    int64_t most = (int64_t)processors * CORNER_BLOCKS;
    bool never = task->layers[0].type != SATF_SUM_F64;
    return never ? 0 : plan->inside.tiles < most ? plan->inside.tiles : most;
}

/* The blocks for that task; aligned: its output is, to its samples. */
static corner_plan corners_plan_blocks(const filter_gpu_task *task, bool aligned, int processors)
{
    corner_plan plan;
    plan.aligned = aligned;
    int64_t width = task->in.width, height = task->in.height;
    const satf_rect *window = &task->window.rect;
    stretch columns = inner_stretch(width, window->x, window->w), all = {0, width, 0, 0};
    stretch rows = inner_stretch(height, window->y, window->h);
    if (!has_inner(task) || !aligned || columns.count == 0 || rows.count == 0) {
        columns.count = rows.count = 0;
    }
    plan.outside[0] = make_area(all, outer_stretch(height, &rows));
    if (task->reduces) {
        stretch across = {task->reduced.x, task->reduced.w, 0, 0};
        stretch down = {task->reduced.y, task->reduced.h, 0, 0};
        plan.outside[0] = make_area(across, down);
    }
    plan.outside[1] = make_area(outer_stretch(width, &columns), rows);
    plan.inside = make_area(columns, rows);
    plan.outer_blocks = corners_at_most(plan.outside[0].tiles + plan.outside[1].tiles);
    plan.inner = task->has_rects
                     ? make_rects(task, columns, rows)
                     : make_inner(task, columns, rows, (int64_t)processors * CORNER_BLOCKS,
                                  plan.outer_blocks);
    plan.inner_blocks = task->has_rects ? spoilt_blocks(task, &plan, processors)
                                        : corners_at_most(plan.inner.tiles);
    return plan;
}

extern "C" satf_status cuda_filter_plan(satf_context *ctx, filter_gpu_plan *plan)
{
    static_assert(sizeof(corner_plan) <= FILTER_GPU_LAUNCH_BYTES, "it is kept there");
    corner_kernel kernel = corners_choose_kernel(&plan->task);
    if (!kernel) {
        return satf_fail(ctx, SATF_UNSUPPORTED, "there is no kernel for sums of these types");
    }
    int processors = 0;
    CUDA_RETURN(ctx, cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount,
                                            satf_gpu_ordinal(plan->task.in.device)));
    plan->kernel = (void (*)(void))kernel;
    for (int aligned = 0; aligned < 2; aligned++) {
        corner_plan blocks = corners_plan_blocks(&plan->task, aligned, processors);
        memcpy(plan->launch[aligned].bytes, &blocks, sizeof blocks);
    }
    return SATF_OK;
}

static cudaError_t run_rects(const filter_gpu_task *task, const inner_area *area,
                             cudaStream_t stream)
{
    satf_sum_type sum = task->layers[0].type;
    auto kernel = sum == SATF_SUM_U32   ? read_rects<uint32_t>
                  : sum == SATF_SUM_U64 ? read_rects<uint64_t>
                                        : read_rects<double>;
    kernel<<<(unsigned)area->tiles, FILTER_THREADS, 0, stream>>>(*task, *area);
    return cudaGetLastError();
}

extern "C" satf_status cuda_filter_run(satf_context *ctx, const filter_gpu_plan *plan)
{
    const filter_gpu_task *task = &plan->task;
    for (int k = 0; k < task->layer_count; k++) {
        bool before = task->reduction && !task->reduces; /* the reduction has done that */
        if (task->layers[k].masks && !before) {
            satf_status status = separate_masks(ctx, &task->summed, &task->layers[k]);
            if (status) {
                return status;
            }
        }
    }
    bool aligned = is_aligned(&task->out);
    corner_plan blocks;
    memcpy(&blocks, plan->launch[aligned].bytes, sizeof blocks);
    corner_kernel kernel = (corner_kernel)plan->kernel;
    cudaStream_t stream = (cudaStream_t)cuda_stream(ctx);
    if (task->has_rects && blocks.inner.tiles > 0) {
        CUDA_RETURN(ctx, run_rects(task, &blocks.inner, stream));
    }
    kernel<<<(unsigned)(blocks.outer_blocks + blocks.inner_blocks), FILTER_THREADS, 0, stream>>>(
        *task, blocks);
    return cuda_check(ctx, cudaGetLastError(), "cudaLaunchKernel");
}
