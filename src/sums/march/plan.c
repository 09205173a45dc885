/* Plans marches: sum types, segments, strips and memory. */
#include "plan.h"

#include <string.h>

#include "../../base/border.h"
#include "../../base/memory.h"
#include "../../base/view.h"
#include "../../satfilter/formula.h"

/* Bytes of a segment's sums, so that these stay in the first level of cache. */
#define SEGMENT_BYTES 5120

/* Bytes of a strip's block of sums, so that it stays in the second level of cache. */
#define STRIP_BLOCK_BYTES (1 << 19)

/* Samples of a strip's row, so that all the row's arrays stay in the first level. */
#define STRIP_SAMPLES 512

/* Reserves a * b bytes and 64 of slack or more at *offset, a multiple of 64 (*total: so far). */
static bool window_plan_reserve(size_t a, size_t b, size_t *total, size_t *offset)
{
    size_t bytes;
    if (!satf_mul(a, b, &bytes) || !satf_add(bytes, *total, &bytes) || bytes > SIZE_MAX / 2) {
        return false;
    }
    *offset = *total;
    *total = satf_align64(bytes) + 64;
    return true;
}

static satf_summand summand_of(const window_spec *spec, bool squares)
{
    if (spec->weighted) {
        return squares ? SATF_SUMMAND_WEIGHTED_SQUARE : SATF_SUMMAND_WEIGHTED;
    }
    return squares ? SATF_SUMMAND_SQUARE : SATF_SUMMAND_PLAIN;
}

satf_sum_type window_sum_type(const window_spec *spec, bool squares)
{
    return satf_sum_type_for((satf_type)spec->in.type, summand_of(spec, squares),
                             (uint64_t)spec->w * (uint64_t)spec->h, SATF_SUM_U16);
}

static void plan_ways(window_plan *plan)
{
    const window_spec *spec = &plan->spec;
    const axis *across = &plan->across, *down = &plan->down;
    int64_t folded = across->periods + across->before + across->after + down->periods +
                     down->before + down->after;
    plan->slides = !plan->is_float || !(spec->weighted || spec->squares || folded > 0);
    plan->moments = plan->is_float && spec->shifts && spec->squares;
    plan->few_rows =
        plan->is_float && plan->slides && spec->h <= VERTICAL_DIRECT && spec->w <= STRIP_DIRECT;
}

/* Short rows of an image in memory go together, since a call of the kernels costs as much as a few
 * hundred samples of a row. */
static int64_t rows_at_once(const window_plan *plan)
{
    int64_t rows = plan->segment / plan->columns, least = plan->few_rows ? VERTICAL_RESULTS : 1;
    if (plan->spec.row || axis_has_fixed(&plan->across)) {
        return 1;
    }
    return rows < least ? least : rows < WINDOW_ROWS_AT_ONCE ? rows : WINDOW_ROWS_AT_ONCE;
}

int64_t window_block_columns(const window_plan *plan)
{
    int64_t window = plan->across.lo + plan->across.hi + 1;
    return window > STRIP_DIRECT ? window / 8 * 8 : 8;
}

static void cut_strips(window_plan *plan)
{
    int64_t channels = plan->spec.in.channels, halo = plan->across.lo + plan->across.hi;
    int64_t pixels = STRIP_BLOCK_BYTES / (8 * window_plan_height(plan)) / channels;
    int64_t most = STRIP_SAMPLES / channels;
    pixels = pixels < most ? pixels : most;
    /* At least as wide as the columns beside it, summed again; whole if windows share columns. */
    int64_t least = axis_has_fixed(&plan->across) ? plan->width : halo;
    pixels = pixels > least ? pixels : least;
    if (pixels < plan->width) { /* all strips but the first begin at a block */
        int64_t block = window_block_columns(plan);
        plan->strip_pixels = pixels > block ? pixels / block * block : block;
    } else {
        plan->strip_pixels = (plan->width + 7) / 8 * 8;
    }
    plan->strips = (plan->width + plan->strip_pixels - 1) / plan->strip_pixels;
    plan->strips_held = plan->spec.row ? plan->strips : 1;
}

/* Memory of the strips: their rows of sums (strip_rows.h), and scratch. */
static bool window_plan_plan_strips(window_plan *plan)
{
    int64_t channels = plan->spec.in.channels, halo = plan->across.lo + plan->across.hi;
    cut_strips(plan);
    plan->strip_arrays = plan->planes + (plan->moments && plan->spec.weighted);
    /* At least two lines of cache more keep the rows out of each other's sets. */
    plan->strip_row = (plan->strip_pixels + halo) * channels / 8 * 8 + 24;
    plan->scratch_row = plan->strip_row + STRIP_SLACK;
    size_t line = (size_t)(plan->strip_pixels + halo + 1) * (size_t)channels + STRIP_SLACK;
    size_t arrays = ((size_t)window_plan_height(plan) + 1) * (size_t)plan->strip_arrays + 4;
    size_t spare = STRIP_SPARES * line, direct = HORIZONTAL_LEVELS * HORIZONTAL_LEVEL_SAMPLES;
    return satf_mul(arrays, (size_t)plan->strip_row * sizeof(double), &plan->strip_bytes) &&
           window_plan_reserve((size_t)plan->strips_held, plan->strip_bytes, &plan->march_bytes,
                               &plan->strip_memory) &&
           window_plan_reserve(SCRATCH_ARRAYS * (size_t)plan->scratch_row, sizeof(double),
                               &plan->march_bytes, &plan->strip_scratch) &&
           window_plan_reserve(spare > direct ? spare : direct, sizeof(double), &plan->march_bytes,
                               &plan->strip_spare);
}

/* What the whole run shares, and of a march's memory what planes do not have for themselves. */
static bool plan_shared(window_plan *plan)
{
    const window_spec *spec = &plan->spec;
    size_t samples = (size_t)plan->samples;
    size_t halo = (size_t)(plan->across.lo + plan->across.hi + plan->across.beyond);
    size_t areas = (size_t)plan->width * (size_t)spec->in.channels;
    return window_plan_reserve(samples, satf_type_bytes(spec->in.type), &plan->shared_bytes,
                               &plan->outside) &&
           window_plan_reserve(halo, sizeof(int64_t), &plan->shared_bytes, &plan->border_table) &&
           window_plan_reserve(spec->border == SATF_BORDER_SHRINK ? areas : 0, sizeof(double),
                               &plan->shared_bytes, &plan->areas) &&
           window_plan_reserve(HORIZONTAL_SEGMENT, sizeof(double), &plan->march_bytes,
                               &plan->segment_areas) &&
           (!plan->is_float || plan->few_rows || window_plan_plan_strips(plan));
}

static const vertical_kernels *vertical_of(const window_kernels *kernels, int row,
                                           satf_sum_type sums)
{
    const vertical_kernels *found = kernels->vertical;
    while (found->add && ((int)found->row != row || found->sums != sums)) {
        found++;
    }
    return found->add ? found : NULL;
}

static const horizontal_kernels *horizontal_of(const window_kernels *kernels, satf_sum_type columns,
                                               satf_sum_type sums)
{
    const horizontal_kernels *found = kernels->horizontal;
    while (found->run && (found->columns != columns || found->sums != sums)) {
        found++;
    }
    return found->run ? found : NULL;
}

static bool choose_plane(const window_plan *plan, const window_kernels *kernels, bool squares,
                         window_plane *plane)
{
    const window_spec *spec = &plan->spec;
    plane->summand = summand_of(spec, squares);
    plane->sum_type = window_sum_type(spec, squares);
    plane->col_type = satf_sum_type_for((satf_type)spec->in.type, plane->summand, (uint64_t)spec->h,
                                        SATF_SUM_U16);
    plane->vertical = vertical_of(kernels, spec->in.type, plane->col_type);
    plane->marching = spec->weighted && !plan->is_float
                          ? vertical_of(kernels, satf_sum_samples(plane->col_type), plane->col_type)
                          : plane->vertical;
    plane->horizontal = horizontal_of(kernels, plane->col_type, plane->sum_type);
    return plane->vertical && plane->marching && plane->horizontal;
}

static bool plan_plane(window_plan *plan, window_plane *plane)
{
    const window_spec *spec = &plan->spec;
    size_t columns, samples = (size_t)plan->samples;
    size_t col_bytes = satf_sum_bytes(plane->col_type);
    size_t sum_bytes = satf_sum_bytes(plane->sum_type);
    size_t spare = HORIZONTAL_LEVELS * HORIZONTAL_LEVEL_SAMPLES;
    plane->pixel_bytes = col_bytes * (size_t)spec->in.channels;
    bool fits =
        satf_mul((size_t)(plan->columns * plan->rows), (size_t)spec->in.channels, &columns) &&
        satf_mul(samples, col_bytes, &plane->row_bytes) &&
        window_plan_reserve(columns + 2 * HORIZONTAL_CARRY_SAMPLES, col_bytes, &plan->march_bytes,
                            &plane->columns) &&
        window_plan_reserve(spare, sum_bytes, &plan->march_bytes, &plane->spare) &&
        window_plan_reserve(HORIZONTAL_SEGMENT + 2 * HORIZONTAL_CARRY_SAMPLES, sum_bytes,
                            &plan->march_bytes, &plane->sums) &&
        window_plan_reserve(plan->is_float || !spec->weighted ? 0 : 2 * samples, col_bytes,
                            &plan->march_bytes, &plane->summands) &&
        window_plan_reserve(samples, col_bytes, &plan->march_bytes, &plane->fixed_rows);
    /* Column 0, where most stores go, begins a line of the cache. */
    plane->columns += -((size_t)plan->across.lo * plane->pixel_bytes) % 64;
    return fits;
}

/* False if the memory overflows size_t. */
static bool window_plan_lay_out(window_plan *plan)
{
    const window_kernels *kernels = SATF_ISA_CHOOSE(&window_kernels);
    const window_spec *spec = &plan->spec;
    plan->across = axis_of(spec->border, spec->in.width, spec->w, spec->at_x, spec->beyond_x);
    plan->down = axis_of(spec->border, spec->in.height, spec->h, spec->at_y, spec->beyond_y);
    plan->samples = satf_row_samples(&spec->in);
    plan->width = spec->in.width + spec->beyond_x;
    plan->columns = plan->width + plan->across.lo + plan->across.hi;
    plan->prefetches =
        !spec->row && plan->samples * spec->in.height >=
                          SATF_STREAM_BYTES / (int64_t)satf_type_bytes((int)spec->in.type);
    plan->is_float = satf_type_is_float(spec->in.type);
    plan->planes = spec->squares ? 2 : 1;
    plan->strip = &kernels->strip;
    plan->shifted = vertical_of(kernels, SATF_F64, SATF_SUM_F64);
    plan_ways(plan);
    if (!plan_shared(plan)) {
        return false;
    }
    size_t widest = 1, narrowest = 16;
    for (int i = 0; i < plan->planes; i++) {
        window_plane *plane = &plan->plane[i];
        if (!choose_plane(plan, kernels, i == 1, plane)) {
            return false;
        }
        size_t sum_bytes = satf_sum_bytes(plane->sum_type);
        widest = sum_bytes > widest ? sum_bytes : widest;
        narrowest = sum_bytes < narrowest ? sum_bytes : narrowest;
    }
    /* The sums of each row begin a line of the cache. */
    plan->columns = (int64_t)satf_align64((size_t)plan->columns * narrowest) / (int64_t)narrowest;
    int64_t samples = SEGMENT_BYTES / (int64_t)widest;
    samples = samples < HORIZONTAL_SEGMENT ? samples : HORIZONTAL_SEGMENT;
    plan->segment = samples / spec->in.channels / 64 * 64;
    plan->rows = rows_at_once(plan);
    return plan_plane(plan, &plan->plane[0]) &&
           (plan->planes == 1 || plan_plane(plan, &plan->plane[1]));
}

static satf_status window_plan_check(satf_context *ctx, const window_spec *spec)
{
    satf_status status = satf_check_view(ctx, &spec->in, "the input", false);
    if (status) {
        return status;
    }
    if (spec->w < 1 || spec->w > 65535 || spec->h < 1 || spec->h > 65535) {
        return satf_fail(ctx, SATF_INVALID,
                         "a window of %lld x %lld pixels: its sides must be 1 ... 65535",
                         (long long)spec->w, (long long)spec->h);
    }
    if (spec->at_x > spec->w / 2 || spec->at_x <= spec->w / 2 - spec->w ||
        spec->at_y > spec->h / 2 || spec->at_y <= spec->h / 2 - spec->h) {
        return satf_fail(ctx, SATF_INVALID,
                         "a window of %lld x %lld pixels that lies at %lld:%lld does not contain "
                         "its own pixel",
                         (long long)spec->w, (long long)spec->h, (long long)spec->at_x,
                         (long long)spec->at_y);
    }
    if (spec->in.type == SATF_U32 || spec->in.type == SATF_U64) {
        return satf_fail(
            ctx, SATF_UNSUPPORTED,
            "samples of type %s cannot be filtered: convert them to u8, u16, f32 or f64",
            satf_type_name(spec->in.type));
    }
    if (spec->weighted && spec->in.channels < 2) {
        return satf_fail(ctx, SATF_INVALID, "weighting by alpha needs at least two channels");
    }
    return SATF_OK;
}

satf_status window_plan_make(satf_context *ctx, const window_spec *spec, window_plan *plan)
{
    satf_status status = window_plan_check(ctx, spec);
    if (status) {
        return status;
    }
    *plan = (window_plan){.spec = *spec};
    if (!window_plan_lay_out(plan) ||
        plan->shared_bytes + plan->march_bytes > (uint64_t)ctx->settings.max_bytes) {
        return satf_fail(ctx, SATF_LIMIT,
                         "a window of this size needs more memory than the limit of %lld bytes: "
                         "raise it (limit: max-memory)",
                         (long long)ctx->settings.max_bytes);
    }
    return SATF_OK;
}

int64_t window_rows_kept(const window_spec *spec)
{
    int64_t rows = spec->in.height;
    return spec->h < rows ? spec->h + 1 : rows;
}

void window_rows_wrapped(const window_spec *spec, int64_t *end, int64_t *start)
{
    bool wrap = spec->border == SATF_BORDER_WRAP;
    int64_t rows = spec->in.height, above = spec->h / 2 - spec->at_y, below = spec->h - 1 - above;
    *end = !wrap ? 0 : above < rows ? above : rows;
    *start = !wrap ? 0 : below < rows ? below : rows;
}

/* Fills a row of samples with the constant, or zeros where nothing counts. */
static void fill_outside(const window_plan *plan, char *row)
{
    const window_spec *spec = &plan->spec;
    int64_t channels = spec->in.channels;
    for (int64_t i = 0; i < plan->samples; i++, row += satf_type_bytes(spec->in.type)) {
        bool weight = spec->weight_outside > 0 && i % channels + 1 == channels;
        double outside = weight ? spec->weight_outside : spec->constant;
        double value = spec->border == SATF_BORDER_CONSTANT ? outside : 0;
        formula_store((int)spec->in.type, formula_real(value), row);
    }
}

void window_prepare(const window_plan *plan, void *memory)
{
    const window_spec *spec = &plan->spec;
    char *shared = memory;
    fill_outside(plan, shared + plan->outside);
    int64_t *table = (int64_t *)(void *)(shared + plan->border_table);
    for (int64_t i = 0; i < plan->across.lo; i++) {
        table[i] = satf_border_index((int)spec->border, i - plan->across.lo, spec->in.width);
    }
    for (int64_t i = 0; i < plan->across.hi + plan->across.beyond; i++) {
        table[plan->across.lo + i] =
            satf_border_index((int)spec->border, spec->in.width + i, spec->in.width);
    }
    double *columns = (double *)(void *)(shared + plan->areas);
    for (int64_t i = 0; spec->border == SATF_BORDER_SHRINK && i < plan->width * spec->in.channels;
         i++) {
        columns[i] = (double)axis_inside(&plan->across, i / spec->in.channels);
    }
}
