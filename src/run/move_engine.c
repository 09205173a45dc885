/*
 * The engine of filters that move pixels as they are. If the output has another type than the
 * input, pixels are moved first, on the CPU a band at a time, and then stored as results, rounded
 * and saturated. On a device, orders of pixels of 4 and 8 bytes go by the algorithms of src/permute
 * in plans that run many times, since these take long to prepare.
 */
#include "../base/memory.h"
#include "../base/parallel.h"
#include "../base/view.h"
#include "../move/move.h"
#include "../permute/permute.h"
#include "../plan/device_task.h"
#include "../formula/epilogue.h"
#include "../formula/pixels.h"

enum { BAND_ROWS = 64 };
enum { LEAST_SAMPLES = 150000 }; /* for each further thread: waking one takes about as long */

/* The plan's state of a step. */
typedef struct move_step {
    bool permutes;                 /* by src/permute, or by its gather: */
    satf_permutation *permutation; /* NULL: there is no memory for the first */
} move_step;

/* The part of the input that is moved. */
static satf_rect part_of(const filter_step *step)
{
    const satf_view *in = &step->in;
    if (!step->pass->corner) {
        return (satf_rect){0, 0, in->width, in->height};
    }
    filter_place at = step->pass->corner(step->options, in->width, in->height);
    return (satf_rect){at.x, at.y, step->out.width, step->out.height};
}

/* The job of the step; by rows the input has no data yet. */
static move_job job_of(const filter_step *step)
{
    const filter_order *order = step->order;
    satf_view in = step->in;
    satf_rect part = part_of(step);
    if (in.data) {
        in = satf_view_rect(&in, part);
    }
    in.width = part.w;
    in.height = part.h;
    return (move_job){
        .in = in,
        .out = step->out,
        .symmetry = filter_symmetry(step->pass, step->options),
        .order = order ? order->entries : NULL,
    };
}

/* Whether moved pixels are stored as another type. */
static bool converts(const filter_step *step)
{
    return step->in.type != step->out.type;
}

/* A packed view of so many of the result's rows, in the input's type. */
static satf_view moved_view(const filter_step *step, void *data, int64_t rows)
{
    const satf_view *out = &step->out;
    satf_view view =
        satf_view_packed(data, out->width, rows, out->channels, (satf_type)step->in.type);
    view.device = step->in.device;
    return view;
}

/* ---------------------------------------------------------------------- a device */

static bool rows_are_packed(const satf_view *view)
{
    return view->stride == view->width * satf_pixel_bytes(view);
}

static bool permutes(const filter_step *step)
{
    int64_t bytes = satf_pixel_bytes(&step->in);
    return step->lasting && step->order && !converts(step) && (bytes == 4 || bytes == 8) &&
           rows_are_packed(&step->in) && rows_are_packed(&step->out) &&
           step->order->count <= SATF_MAX_PERMUTATION;
}

/* Prepares a permutation. The order itself is kept as well, for images that are not aligned to
 * their pixels, and if memory does not suffice to prepare the permutation. */
static satf_status plan_permutation(satf_context *ctx, filter_step *step)
{
    move_step *state = step->state;
    const filter_order *order = step->order;
    uint32_t *places = satf_alloc(step->kept_bytes);
    if (!places) {
        return SATF_OK; /* the gather will do */
    }
    for (int64_t k = 0; k < order->count; k++) {
        places[order->entries[k]] = (uint32_t)k;
    }
    permute_request request = {places, order->count, (int)satf_pixel_bytes(&step->in), 0};
    satf_status status =
        permute_create(ctx, &request, step->in.device, "auto", &state->permutation);
    satf_free(places);
    if (status == SATF_LIMIT || status == SATF_NO_MEMORY) {
        state->permutation = NULL;
        return SATF_OK; /* likewise */
    }
    return status ? status
                  : satf_permutation_scratch(ctx, state->permutation, &step->scratch_bytes);
}

/* On a device the order lies in kept memory, and the moved image in scratch. */
static satf_status plan_on_device(satf_context *ctx, filter_step *step)
{
    move_step *state = step->state;
    size_t row = (size_t)moved_view(step, NULL, 1).stride;
    size_t entries = step->order ? (size_t)step->order->count : 0;
    if ((converts(step) && !satf_mul(row, (size_t)step->out.height, &step->scratch_bytes)) ||
        !satf_mul(entries, sizeof(uint32_t), &step->kept_bytes)) {
        return satf_fail(ctx, SATF_LIMIT, "the image is too large for any memory");
    }
    state->permutes = permutes(step);
    step->name = state->permutes ? "permute" : step->name;
    return state->permutes ? plan_permutation(ctx, step) : SATF_OK;
}

static satf_status move_engine_prepare(satf_context *ctx, filter_step *step)
{
    bool on_device = step->in.device != SATF_HOST;
    return on_device && step->order ? filter_send_order(ctx, step, step->kept) : SATF_OK;
}

static satf_status move_engine_run_on_device(satf_context *ctx, const filter_step *step)
{
    const move_step *state = step->state;
    uintptr_t places = (uintptr_t)step->in.data | (uintptr_t)step->out.data;
    if (state->permutation && places % (uintptr_t)satf_pixel_bytes(&step->in) == 0) {
        return permute_run(ctx, state->permutation, step->in.data, step->out.data, step->scratch);
    }
    move_job job = job_of(step);
    if (job.order) {
        job.order = (const uint32_t *)(const void *)step->kept;
    }
    if (converts(step)) {
        job.out = moved_view(step, step->scratch, step->out.height);
    }
    satf_status status = satf_cuda()->move(ctx, &job);
    return status || !converts(step) ? status : satf_cuda()->convert(ctx, &job.out, &step->out);
}

static void move_engine_release(void *state)
{
    satf_permutation_destroy(((move_step *)state)->permutation);
}

static const char *move_engine_algorithm(const filter_step *step)
{
    const move_step *state = step->state;
    return !state->permutes     ? NULL
           : state->permutation ? satf_permutation_choice(state->permutation)
                                : "s-designated";
}

/* ---------------------------------------------------------------------- planning */

static const char *move_engine_refuses_rows(const satf_context *ctx, const filter_step *step)
{
    (void)ctx;
    move_job job = job_of(step);
    return job.order || !move_keeps_rows(job.symmetry)
               ? "moves pixels to other rows and needs the whole picture"
               : NULL;
}

static satf_status move_engine_plan(satf_context *ctx, filter_step *step)
{
    size_t row = (size_t)moved_view(step, NULL, 1).stride, bytes;
    if (step->in.device != SATF_HOST) {
        return plan_on_device(ctx, step);
    }
    if (step->by_rows) {
        step->need.kept = 1;
        step->need.height = step->pass->corner;
        step->walker_bytes = satf_align64(sizeof(row_walker)) + satf_align64(row);
        return SATF_OK;
    }
    if (!converts(step)) {
        return SATF_OK;
    }
    if (!satf_mul(row, BAND_ROWS, &bytes) || bytes > SIZE_MAX / 2 ||
        !satf_mul(satf_align64(bytes), (size_t)satf_thread_count(ctx), &step->scratch_bytes)) {
        return satf_fail(ctx, SATF_LIMIT, "the rows are too long for the memory of this machine");
    }
    return SATF_OK;
}

/* ------------------------------------------------------------------- converting */

typedef struct convert_work {
    const filter_step *step;
    move_job job;
    char *buffers; /* one a thread */
    size_t buffer_bytes;
} convert_work;

static void move_engine_convert_band(void *user, int64_t band, int thread)
{
    const convert_work *work = user;
    const satf_view *out = &work->step->out;
    int64_t first = band * BAND_ROWS;
    int64_t rows = out->height - first < BAND_ROWS ? out->height - first : BAND_ROWS;
    satf_view moved =
        moved_view(work->step, work->buffers + (size_t)thread * work->buffer_bytes, rows);
    move_rows(&work->job, first, rows, moved.data, moved.stride);
    for (int64_t y = 0; y < rows; y++) {
        filter_convert(moved.type, satf_row(&moved, y), satf_row_samples(out), out->type,
                       satf_row(out, first + y));
    }
}

static satf_status run_converting(satf_context *ctx, const filter_step *step, void *scratch)
{
    convert_work work = {.step = step, .job = job_of(step), .buffers = scratch};
    work.buffer_bytes = satf_align64((size_t)moved_view(step, NULL, 1).stride * BAND_ROWS);
    int64_t samples = satf_row_samples(&step->out) * step->out.height;
    return satf_parallel_told(ctx, satf_threads_for(ctx, samples, LEAST_SAMPLES),
                              (step->out.height - 1) / BAND_ROWS + 1, move_engine_convert_band,
                              &work);
}

/* ---------------------------------------------------------------------- running */

static satf_status move_engine_run(satf_context *ctx, filter_step *step)
{
    if (step->in.device != SATF_HOST) {
        return move_engine_run_on_device(ctx, step);
    }
    if (converts(step)) {
        return run_converting(ctx, step, step->scratch);
    }
    move_job job = job_of(step);
    return move_run(ctx, &job);
}

/* Behind the walker lies a row, moved and not yet converted. */
static satf_status move_engine_begin(satf_context *ctx, const filter_step *step,
                                     const filter_rows *rows, int64_t first, int64_t end,
                                     void *walker)
{
    (void)end;
    *(row_walker *)walker = (row_walker){ctx, step, rows, first, part_of(step).y};
    return SATF_OK;
}

static int64_t move_engine_next(void *walker, satf_status *status)
{
    row_walker *w = walker;
    const filter_step *step = w->step;
    const void *from;
    char *to = filter_next_row(w, &from, status);
    if (!to) {
        return 0;
    }
    move_job job = job_of(step);
    satf_view moved = moved_view(step, (char *)walker + satf_align64(sizeof *w), 1);
    job.in.height = job.out.height = 1;
    job.in.data = (char *)(uintptr_t)from + part_of(step).x * satf_pixel_bytes(&step->in);
    if (converts(step)) {
        move_rows(&job, 0, 1, moved.data, moved.stride);
        filter_convert(moved.type, moved.data, satf_row_samples(&moved), step->out.type, to);
    } else {
        move_rows(&job, 0, 1, to, moved.stride);
    }
    return 1;
}

static const filter_engine move_engine = {
    .name = "move",
    .does = "moves pixels",
    .ns = 1.5,
    .device_ns = 0.005,
    .state_bytes = sizeof(move_step),
    .plan = move_engine_plan,
    .prepare = move_engine_prepare,
    .run = move_engine_run,
    .release = move_engine_release,
    .algorithm = move_engine_algorithm,
    .refuses_rows = move_engine_refuses_rows,
    .begin = move_engine_begin,
    .next = move_engine_next,
};

/* A symmetry is no reach: callers turn the part themselves. */
static filter_reach move_engine_reach(const chain_link *link, const filter_pass *pass)
{
    return pass->corner ? shape_all_reach(link, pass) : (filter_reach){0, 0, 0, 0};
}

static const filter_engine *const move_engine_engines[] = {&move_engine, NULL};

const pass_shape shape_elsewhere = {.kind = SATF_FILTER_MOVE,
                                    .moves = true,
                                    .reach = move_engine_reach,
                                    .engines = move_engine_engines};
