/*
 * The window engine of a CUDA device: windows without a table. The matrix units sum bytes and
 * samples of 16 bits, each of which is loaded once; means of bytes under large windows have kernels
 * of their own. Other windows that a block's shared memory holds are summed by marches: blocks go
 * down strips of the image. So are templates of integers whose rectangles reach no further. Other
 * windows of floats go through memory: a table's sums would depend on samples elsewhere. A step
 * with a reduction is two marches: the first one raises keys and stores nothing, the second reads
 * them.
 */
#include "../../base/device/gpu.h"
#include "../../base/memory.h"
#include "../../sat/sums.h"
#include "../../base/view.h"
#include "gpu.h"
#include "../../plan/device_copies.h"
#include "../../plan/device_task.h"

/* Kernels that may take a march of a step: the one of its formula, or the one that reduces. The
 * functions take step->state as their own kind of march. */
typedef struct window_kernel {
    bool (*suits)(const satf_context *ctx, const filter_step *step, bool reduces);
    satf_status (*plan)(satf_context *ctx, filter_step *step);
    satf_status (*prepare)(satf_context *ctx, filter_step *step); /* NULL: nothing to prepare */
    satf_status (*run)(satf_context *ctx, filter_step *step);
} window_kernel;

/* Windows of floats through memory. */
typedef struct float_windows {
    filter_gpu_task task;
    int64_t rows; /* at once */
} float_windows;

/* The plan's state of a march. */
typedef struct window_march {
    union {
        window_gpu_box box;
        window_gpu_large large;
        filter_gpu_plan march;
        float_windows floats;
    } of;
    const window_kernel *kernel;
    bool reduces;
    size_t kept;    /* where the march's part of the step's kept memory begins */
    uint64_t *keys; /* of the reduction; NULL: none */
} window_march;

/* The plan's state of a step. */
typedef struct window_step {
    window_march first, last; /* first: if there is a reduction */
    size_t keys;              /* where the reduction's keys are in the kept memory */
} window_step;

static bool has_reduction(const filter_step *step)
{
    return step->pass->reduction != FORMULA_NONE;
}

static bool make_bands(const filter_step *step, const window_gpu_halo *halo, window_bands *across,
                       window_bands *down)
{
    const satf_view *in = &step->in;
    const filter_size *size = &step->size;
    return window_bands_make(across, in->width, (int)satf_pixel_bytes(in),
                             step->at.x - size->width / 2, size->width, step->border.kind,
                             BANDS_ACROSS_TILE, halo->across) &&
           window_bands_make(down, in->height, 1, step->at.y - size->height / 2, size->height,
                             step->border.kind, BANDS_DOWN_TILE, halo->down);
}

static bool is_mean_of(const filter_step *step, int32_t type)
{
    return step->pass->kernel == KERNEL_MEAN && !step->weighted && step->in.type == type &&
           step->out.type == type;
}

static bool is_formula_of_products(const filter_step *step)
{
    return !step->weighted && window_gpu_has_formula(formula_reads(step->pass->formula),
                                                     step->in.type, step->out.type);
}

/* Whether the step's reduction can be one of kernels that sum windows. */
static bool is_reduction_of_windows(const filter_step *step)
{
    return !step->weighted && formula_reads(step->pass->reduction) & FORMULA_GROWS;
}

static bool reads_squares(const filter_step *step)
{
    return filter_reads(step->pass, FORMULA_SQUARE);
}

/* The smallest halo that the window fits. */
static bool find_bands(const filter_step *step, window_gpu_halo *halo, window_bands *across,
                       window_bands *down)
{
    for (const window_gpu_halo *h = window_gpu_halos; h->across; h++) {
        if (h->squares == reads_squares(step) && make_bands(step, h, across, down)) {
            *halo = *h;
            return true;
        }
    }
    return false;
}

/* The formula that a march applies to moments. */
static window_gpu_formula formula_of(const filter_step *step, bool reduces)
{
    window_gpu_formula formula = {.number = FORMULA_NONE, .reduces = reduces};
    if (step->pass->kernel != KERNEL_MEAN) {
        filter_gpu_task task = filter_device_task(step);
        formula.number = reduces ? (int32_t)step->pass->reduction : task.formula;
        formula.reduced = task.reduced;
        formula.constants = task.constants;
        formula.terms = task.terms;
        formula_set_weight(&formula.constants, (uint64_t)(step->size.width * step->size.height));
        memcpy(formula.options.bytes, task.options.bytes, sizeof formula.options.bytes);
    }
    return formula;
}

static bool suits_box(const satf_context *ctx, const filter_step *step, bool reduces)
{
    window_gpu_halo halo;
    window_bands across, down;
    const satf_view *in = &step->in;
    bool is = reduces ? is_reduction_of_windows(step) && in->type == SATF_U8
                      : is_mean_of(step, SATF_U8) || is_mean_of(step, SATF_U16) ||
                            is_formula_of_products(step);
    (void)ctx;
    return is && (step->border.kind != SATF_BORDER_CONSTANT || step->border.constant == 0) &&
           window_gpu_row_bytes(in) <= WINDOW_GPU_MOST_ROW_BYTES && in->height <= INT32_MAX / 8 &&
           find_bands(step, &halo, &across, &down) && satf_cuda()->multiplies(in->device);
}

/* Kernels see images of the step's own size. */
static const device_copies copies = {0, 0};

/* ------------------------------------------------------------------- small windows */

static satf_status plan_box(satf_context *ctx, filter_step *step)
{
    const window_march *own = step->state;
    window_gpu_box *box = step->state;
    box->in = step->in;
    box->out = step->out;
    box->formula = formula_of(step, own->reduces);
    box->area = (uint64_t)(step->size.width * step->size.height);
    find_bands(step, &box->halo, &box->across, &box->down);
    box->across.run = window_gpu_run(own->reduces ? SATF_U8 : step->out.type);
    step->kept_bytes = sizeof(uint32_t) *
                       (size_t)(window_bands_words(&box->across) + window_bands_words(&box->down));
    satf_status status = device_copies_reserve(ctx, step, &copies);
    return status ? status : satf_cuda()->box_plan(ctx, box);
}

static satf_status prepare_box(satf_context *ctx, filter_step *step)
{
    window_gpu_box *box = step->state;
    box->weights = (uint32_t *)(void *)step->kept;
    return satf_cuda()->box_prepare(ctx, box);
}

static satf_status run_box(satf_context *ctx, filter_step *step)
{
    const window_march *own = step->state;
    window_gpu_box *box = step->state;
    satf_status status = device_copies_begin(ctx, step, &copies, &box->in, &box->out);
    box->formula.reduction = own->keys;
    status = status ? status : satf_cuda()->box_run(ctx, box);
    return status || own->reduces ? status : device_copies_end(ctx, step, &copies, &box->out);
}

/* ------------------------------------------------------------------- large windows */

static window_gpu_large make_large(const filter_step *step)
{
    satf_rect window = filter_window_rect(step);
    const satf_view *in = &step->in;
    return (window_gpu_large){
        .in = *in,
        .pieces = window_pieces_make(in->channels, (int)-window.x, (int)-window.y, (int)window.w,
                                     (int)window.h),
        .border = (int)step->border.kind,
        .constant = step->border.kind == SATF_BORDER_CONSTANT ? (int)step->border.constant : 0,
        .area = (uint32_t)(window.w * window.h),
    };
}

/* Narrow images consist of sides alone, whose copies are as wide as the kernel's strips: tables
 * take less memory, and are as fast. */
static bool suits_large(const satf_context *ctx, const filter_step *step, bool reduces)
{
    enum { MOST_AREA = 1 << 20, LEAST_ROW = 2048 };
    const satf_view *in = &step->in;
    bool narrow = satf_row_samples(in) < LEAST_ROW;
    if (reduces || (narrow && ctx->settings.engine == SATF_ENGINE_AUTO) ||
        !is_mean_of(step, SATF_U8) || step->border.kind == SATF_BORDER_SHRINK ||
        in->width > INT32_MAX / 8 || in->height > INT32_MAX / 8 ||
        step->size.width > PIECES_MOST_WIDTH || step->size.width * step->size.height > MOST_AREA ||
        step->size.width * step->size.height < 2) {
        return false;
    }
    window_gpu_large large = make_large(step);
    return satf_cuda()->large_fits(&large);
}

static satf_status plan_large(satf_context *ctx, filter_step *step)
{
    window_gpu_large *large = step->state;
    *large = make_large(step);
    step->kept_bytes = sizeof(uint32_t) * PIECES_WORDS + WINDOW_GPU_OUTSIDE_BYTES;
    satf_status status = device_copies_reserve(ctx, step, &copies);
    status = status ? status : satf_cuda()->large_plan(ctx, large);
    step->scratch_bytes += large->sides_bytes;
    return status;
}

static satf_status prepare_large(satf_context *ctx, filter_step *step)
{
    window_gpu_large *large = step->state;
    large->weights = (uint32_t *)(void *)step->kept;
    large->outside = (uint8_t *)(large->weights + PIECES_WORDS);
    large->sides = (uint8_t *)step->scratch + 2 * device_copies_bytes(step, &copies);
    return satf_cuda()->large_prepare(ctx, large);
}

static satf_status run_large(satf_context *ctx, filter_step *step)
{
    window_gpu_large *large = step->state;
    satf_status status = device_copies_begin(ctx, step, &copies, &large->in, &large->out);
    status = status ? status : satf_cuda()->large_run(ctx, large);
    return status ? status : device_copies_end(ctx, step, &copies, &large->out);
}

/* ------------------------------------------------------------------------ marches */

/* Means of bytes are less work by a table than by a march, which loads bytes one by one. */
static bool device_window_pays(const satf_context *ctx, const filter_step *step)
{
    return ctx->settings.engine == SATF_ENGINE_WINDOW || step->in.type != SATF_U8 ||
           step->pass->kernel != KERNEL_MEAN;
}

static bool suits_march(const satf_context *ctx, const filter_step *step, bool reduces)
{
    if (step->weighted || (reduces && !is_reduction_of_windows(step)) ||
        !device_window_pays(ctx, step)) {
        return false;
    }
    filter_gpu_task task = filter_device_march_task(step, reduces);
    return task.known != FILTER_GPU_LUMA &&
           satf_cuda()->march_fits(&task, ctx->settings.engine == SATF_ENGINE_AUTO);
}

static satf_status plan_march(satf_context *ctx, filter_step *step)
{
    const window_march *own = step->state;
    filter_gpu_plan *march = step->state;
    march->task = filter_device_march_task(step, own->reduces);
    step->kept_bytes = march->task.has_rects ? step->rects->count * sizeof *step->rects->items : 0;
    return satf_cuda()->march_plan(ctx, march);
}

static satf_status prepare_march(satf_context *ctx, filter_step *step)
{
    filter_gpu_plan *march = step->state;
    return march->task.has_rects ? filter_send_rects(ctx, step, step->kept) : SATF_OK;
}

static satf_status run_march(satf_context *ctx, filter_step *step)
{
    const window_march *own = step->state;
    filter_gpu_plan *march = step->state;
    march->task.in.data = step->in.data;
    march->task.reduction = own->keys;
    march->task.out.data = step->out.data;
    memcpy(march->task.aux, step->aux, sizeof march->task.aux);
    march->task.rects = (const satf_weighted_rect *)(const void *)step->kept;
    march->task.inline_in.data = step->inline_in.data;
    march->task.inline_aux = step->twin_aux[0];
    return satf_cuda()->march_run(ctx, march);
}

/* ------------------------------------------------------------ all windows of floats */

/* Not those of whole numbers in floats, of which a table is as exact, and faster. */
static bool suits_floats(const satf_context *ctx, const filter_step *step, bool reduces)
{
    bool whole = step->in.type == SATF_F32 && !filter_device_task(step).constants.of_floats;
    return satf_type_is_float(step->in.type) && !reduces && !has_reduction(step) && !step->rects &&
           !step->inline_pass && !(whole && ctx->settings.engine == SATF_ENGINE_AUTO);
}

static bool has_few_samples(const filter_gpu_task *task)
{
    const satf_rect *window = &task->window.rect;
    return window->w <= FILTER_GPU_FEW_SAMPLES && task->known != FILTER_GPU_LUMA &&
           window->w * window->h <= FILTER_GPU_FEW_SAMPLES;
}

/* As many rows at once as have sums of columns, and kept rows, in most_bytes; pieces of columns
 * take up to a quarter of that more, and 50 MiB. Squares are a second sum; weights double both. */
static satf_status plan_floats(satf_context *ctx, filter_step *step)
{
    static const size_t most_bytes = (size_t)1 << 28;
    float_windows *floats = step->state;
    const satf_view *in = &step->in;
    size_t row, bytes = FILTER_GPU_SUM_BYTES;
    floats->task = filter_device_march_task(step, false);
    int64_t height = floats->task.window.rect.h;
    floats->rows = in->height;
    if (has_few_samples(&floats->task)) {
        return SATF_OK;
    }
    bytes *= floats->task.layer_count > 1 ? 2u : 1u;
    bytes *= step->weighted ? 2u : 1u;
    size_t kept = filter_gpu_keeps_rows(&floats->task, bytes) ? 2 : 1;
    if (!satf_mul((size_t)satf_row_samples(in), bytes, &row) || row > SIZE_MAX / 4) {
        return satf_fail(ctx, SATF_LIMIT, "a row of sums is too large for any memory");
    }
    int64_t rows = row * kept < most_bytes ? (int64_t)(most_bytes / (row * kept)) : 1;
    floats->rows = rows < in->height ? rows : in->height;
    int64_t pieces = filter_gpu_pieces(height, floats->rows, satf_row_samples(in));
    size_t all = kept * (size_t)floats->rows + 2 * (size_t)pieces;
    return satf_mul(all, row, &step->scratch_bytes)
               ? SATF_OK
               : satf_fail(ctx, SATF_LIMIT, "sums of columns are too large for any memory");
}

static satf_status run_floats(satf_context *ctx, filter_step *step)
{
    float_windows *floats = step->state;
    floats->task.in.data = step->in.data;
    floats->task.out.data = step->out.data;
    memcpy(floats->task.aux, step->aux, sizeof floats->task.aux);
    void *memory = has_few_samples(&floats->task) ? NULL : step->scratch;
    return satf_cuda()->windows(ctx, &floats->task, memory, floats->rows);
}

/* ------------------------------------------------------------------------ the engine */

/* Fastest first. */
static const window_kernel kernels[] = {
    {suits_box, plan_box, prepare_box, run_box},
    {suits_large, plan_large, prepare_large, run_large},
    {suits_march, plan_march, prepare_march, run_march},
    {suits_floats, plan_floats, NULL, run_floats},
};

/* The first that suits the march; NULL: none. */
static const window_kernel *find_kernel(const satf_context *ctx, const filter_step *step,
                                        bool reduces)
{
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        if (kernels[k].suits(ctx, step, reduces)) {
            return &kernels[k];
        }
    }
    return NULL;
}

static bool device_window_suits(const satf_context *ctx, const filter_step *step)
{
    return find_kernel(ctx, step, false) && (!has_reduction(step) || find_kernel(ctx, step, true));
}

/* The step as a march sees it. */
static filter_step step_of(const filter_step *step, window_march *march)
{
    filter_step own = *step;
    own.state = march;
    own.kept = step->kept ? step->kept + march->kept : NULL;
    return own;
}

/* Marches follow one another, so they share the scratch. */
static satf_status plan_march_of(satf_context *ctx, filter_step *step, window_march *march,
                                 bool reduces)
{
    march->kernel = find_kernel(ctx, step, reduces);
    march->reduces = reduces;
    march->kept = step->kept_bytes;
    if (!march->kernel) {
        return satf_fail(ctx, SATF_DEVICE_FAILED,
                         "the device no longer says what fits it, and did before");
    }
    filter_step own = step_of(step, march);
    own.kept_bytes = own.scratch_bytes = 0;
    satf_status status = march->kernel->plan(ctx, &own);
    size_t scratch = own.scratch_bytes, before = step->scratch_bytes;
    step->scratch_bytes = scratch > before ? scratch : before;
    return !status && !satf_add(march->kept, satf_align64(own.kept_bytes), &step->kept_bytes)
               ? satf_fail(ctx, SATF_LIMIT, "the rectangles are too many for any memory")
               : status;
}

static satf_status device_window_plan(satf_context *ctx, filter_step *step)
{
    window_step *state = step->state;
    step->kept_bytes = step->scratch_bytes = 0;
    satf_status status = plan_march_of(ctx, step, &state->last, false);
    if (status || !has_reduction(step)) {
        return status;
    }
    status = plan_march_of(ctx, step, &state->first, true);
    state->keys = step->kept_bytes;
    step->kept_bytes += REDUCTION_KEYS * sizeof(uint64_t);
    return status;
}

static satf_status prepare_march_of(satf_context *ctx, filter_step *step)
{
    const window_kernel *kernel = ((const window_march *)step->state)->kernel;
    return kernel->prepare ? kernel->prepare(ctx, step) : SATF_OK;
}

static satf_status device_window_prepare(satf_context *ctx, filter_step *step)
{
    window_step *state = step->state;
    filter_step first = step_of(step, &state->first), last = step_of(step, &state->last);
    satf_status status = has_reduction(step) ? prepare_march_of(ctx, &first) : SATF_OK;
    return status ? status : prepare_march_of(ctx, &last);
}

static satf_status device_window_reduce(satf_context *ctx, filter_step *step)
{
    window_step *state = step->state;
    filter_step first = step_of(step, &state->first);
    uint64_t *keys = (uint64_t *)(void *)(step->kept + state->keys);
    state->first.keys = state->last.keys = keys;
    satf_status status =
        satf_cuda()->set_bytes(ctx, step->in.device, keys, 0, REDUCTION_KEYS * sizeof *keys);
    return status ? status : state->first.kernel->run(ctx, &first);
}

static satf_status device_window_run(satf_context *ctx, filter_step *step)
{
    window_step *state = step->state;
    filter_step last = step_of(step, &state->last);
    satf_status status = has_reduction(step) ? device_window_reduce(ctx, step) : SATF_OK;
    return status ? status : state->last.kernel->run(ctx, &last);
}

const filter_engine filter_device_window_engine = {
    .name = "window",
    .does = "sums windows row by row",
    .kind = SATF_ENGINE_WINDOW,
    .has_inline = true,
    .device_ns = 0.003,
    .state_bytes = sizeof(window_step),
    .suits = device_window_suits,
    .plan = device_window_plan,
    .prepare = device_window_prepare,
    .run = device_window_run,
};
