/* Runs of plans: step after step, and walks. */
#include <stdatomic.h>
#include <string.h>

#include "../base/clock.h"
#include "../base/memory.h"
#include "../base/parallel.h"
#include "../base/view.h"
#include "pixels.h"
#include "plan_memory.h"
#include "region.h"
#include "walk.h"

/* Samples between two looks at the context's progress callback. */
enum { REPORT_SAMPLES = 1 << 18 };

/* --------------------------------------------------------------------- walkers */

struct walker;

/* A step on its way down. */
typedef struct walk_stage {
    struct walker *walker;
    const plan_step *planned;
    filter_step step; /* the plan's, with the data of this run's second output */
    filter_rows rows;
    char *memory, *ring, *second_ring;
    int64_t made; /* its rows above this one, of those that the walker makes, are in the ring */
    double ms;    /* of it alone, if the plan is timed */
} walk_stage;

typedef struct walk_run {
    satf_context *ctx;
    satf_plan *plan;
    const plan_walk *walk;
    const plan_images *images;
    const filter_rows *rows;             /* of a plan by rows; NULL: images in memory */
    void *(*out)(void *user, int64_t y); /* by rows: where those of the result go */
    void *user;
    atomic_int stop;      /* a satf_status */
    _Atomic int64_t done; /* rows of the result */
} walk_run;

typedef struct walker {
    walk_run *run;
    satf_status status; /* of the first failure */
    double inner_ms;    /* of the stages that the one at work has asked */
    walk_stage stages[];
} walker;

static size_t row_bytes(const satf_view *view)
{
    return satf_align64((size_t)satf_row_samples(view) * satf_type_bytes(view->type));
}

static bool add_bytes(size_t *total, size_t bytes)
{
    return bytes <= SIZE_MAX / 8 && satf_add(*total, satf_align64(bytes), total);
}

/* A ring of rows of such an image. */
static bool add_ring(const plan_step *of, const satf_view *view, plan_walk *walk, size_t *at)
{
    size_t bytes;
    *at = walk->bytes;
    return satf_mul(row_bytes(view), (size_t)of->ring_rows, &bytes) &&
           add_bytes(&walk->bytes, bytes);
}

bool walk_lay_out(satf_plan *plan)
{
    bool fits = true;
    for (size_t w = 0; w < plan->walk_count; w++) {
        plan_walk *walk = &plan->walks[w];
        walk->bytes = satf_align64(sizeof(walker) + walk->count * sizeof(walk_stage));
        for (size_t k = walk->first; k < walk->first + walk->count && fits; k++) {
            plan_step *of = &plan->steps[k];
            of->walker_at = walk->bytes;
            fits = add_bytes(&walk->bytes, of->step.walker_bytes) &&
                   add_ring(of, &of->step.out, walk, &of->ring_at) &&
                   (of->second.kind == PLACE_NONE ||
                    add_ring(of, &of->step.second_out, walk, &of->second_at));
        }
    }
    return fits;
}

/* ----------------------------------------------------------------------- walking */

/* The stage makes its next row. */
static bool advance(walk_stage *t)
{
    walker *w = t->walker;
    satf_status status = SATF_OK;
    bool timed = w->run->plan->timed;
    double start_ms = timed ? satf_now_ms() : 0, before = w->inner_ms;
    w->inner_ms = 0;
    bool made = t->step.engine->next(t->memory + t->step.grey_bytes, &status);
    if (timed) {
        double ms = satf_now_ms() - start_ms;
        t->ms += ms - w->inner_ms;
        w->inner_ms = before + ms;
    }
    t->made += made;
    w->status = w->status ? w->status : status;
    return made;
}

/* Row y that the stage has made, in a ring. */
static char *ring_row(const walk_stage *t, bool second, int64_t y)
{
    const filter_step *step = &t->step;
    int64_t rows = t->planned->ring_rows; /* a division of 32 bits takes a third of the time */
    size_t slot = y > UINT32_MAX ? (size_t)(y % rows) : (uint32_t)y % (uint32_t)rows;
    return second ? t->second_ring + slot * row_bytes(&step->second_out)
                  : t->ring + slot * row_bytes(&step->out);
}

/* The same of an image in memory, or of rows from outside. */
static const void *outer_row(const walk_stage *t, const plan_place *place, const satf_view *view,
                             int64_t y)
{
    const walk_run *run = t->walker->run;
    return run->rows && place->kind == PLACE_INPUT
               ? run->rows->in(run->rows->user, y)
               : plan_find(run->plan, place, run->images) + y * view->stride;
}

/* Row y of what the stage reads. */
static const void *find_row(walk_stage *t, const walk_source *from, const plan_place *place,
                            const satf_view *view, int64_t y)
{
    if (from->maker < 0) {
        return outer_row(t, place, view, y);
    }
    walk_stage *maker = &t->walker->stages[from->maker];
    while (maker->made <= y + from->y) {
        if (!advance(maker)) {
            return NULL;
        }
    }
    return ring_row(maker, from->second, y + from->y) + from->byte;
}

static const void *stage_in(void *user, int64_t y)
{
    walk_stage *t = user;
    return find_row(t, &t->planned->from[0], &t->planned->in,
                    t->step.grey ? &t->step.source : &t->step.in, y);
}

/* What the second output reads may be the first, whose row is being made. */
static const void *stage_aux(void *user, int k, int64_t y)
{
    walk_stage *t = user;
    const plan_place *place = &t->planned->aux[k];
    return place->kind == PLACE_NONE ? NULL
           : walk_same_image(&t->planned->out, place)
               ? ring_row(t, false, y)
               : find_row(t, &t->planned->from[1 + k], place,
                          k < FILTER_AUX ? &t->step.aux[k] : &t->step.second_aux[k - FILTER_AUX],
                          y);
}

static void *stage_out(void *user, int64_t y)
{
    walk_stage *t = user;
    const walk_run *run = t->walker->run;
    const satf_view *out = &t->step.out;
    return t->planned->ring_rows ? ring_row(t, false, y)
           : run->rows           ? run->out(run->user, y)
                       : plan_find(run->plan, &t->planned->out, run->images) + y * out->stride;
}

static void *stage_second(void *user, int64_t y)
{
    walk_stage *t = user;
    return t->planned->ring_rows ? ring_row(t, true, y) : satf_row(&t->step.second_out, y);
}

/* The walker at row `first` of the result. */
static satf_status begin(walk_run *run, walker *w, int64_t first)
{
    const plan_walk *walk = run->walk;
    satf_status status = SATF_OK;
    *w = (walker){.run = run};
    for (size_t k = 0; k < walk->count; k++) {
        const plan_step *of = &run->plan->steps[walk->first + k];
        walk_stage *t = &w->stages[k];
        *t = (walk_stage){
            .walker = w, .planned = of, .step = of->step, .made = most(first - of->span.before, 0)};
        t->step.second_out.data = run->images->second;
        t->rows = (filter_rows){.in = stage_in,
                                .out = stage_out,
                                .user = t,
                                .height = run->rows ? run->rows->height : NULL,
                                .aux = stage_aux,
                                .second = stage_second};
        t->memory = (char *)w + of->walker_at;
        t->ring = (char *)w + of->ring_at;
        t->second_ring = (char *)w + of->second_at;
    }
    /* A stage may ask those in front of it at once. */
    for (size_t k = 0; k < walk->count && !status; k++) {
        walk_stage *t = &w->stages[k];
        status = filter_step_begin(run->ctx, &t->step, &t->rows, t->made, t->memory);
    }
    return w->status ? w->status : status;
}

/* Tells that a row more is made, on the caller's thread; false if all should stop. */
static bool go_on(walk_run *run, int thread, int64_t samples, int64_t *unreported)
{
    const satf_view *out = &run->plan->steps[run->walk->first + run->walk->count - 1].step.out;
    *unreported += samples;
    int64_t done = atomic_fetch_add(&run->done, 1) + 1;
    if (thread == 0 && *unreported >= REPORT_SAMPLES && done < out->height) {
        *unreported = 0;
        satf_status status = satf_report_progress(run->ctx, (double)done / (double)out->height);
        if (status) {
            atomic_store(&run->stop, (int)status);
        }
    }
    return !atomic_load_explicit(&run->stop, memory_order_relaxed);
}

static void walk_band(void *user, int64_t task, int thread)
{
    walk_run *run = user;
    const plan_walk *walk = run->walk;
    walker *w = (walker *)(void *)(run->plan->memory + walk->at + (size_t)task * walk->bytes);
    walk_stage *last = &w->stages[walk->count - 1];
    const satf_view *out = &run->plan->steps[walk->first + walk->count - 1].step.out;
    int64_t first = task * walk->band_rows, end = least(first + walk->band_rows, out->height);
    int64_t samples = satf_row_samples(out) * (int64_t)walk->count, unreported = 0;
    satf_status status = begin(run, w, first);
    while (!status && last->made < end && advance(last) &&
           go_on(run, thread, samples, &unreported)) {
    }
    status = status ? status : w->status;
    if (status) {
        atomic_store(&run->stop, (int)status);
    }
}

/* Each step's part of the time of all, as the first walker has it. */
static void share_time(walk_run *run, double ms)
{
    const plan_walk *walk = run->walk;
    walker *w = (walker *)(void *)(run->plan->memory + walk->at);
    double all = 0;
    for (size_t k = 0; k < walk->count; k++) {
        all += w->stages[k].ms;
    }
    for (size_t k = 0; k < walk->count && all > 0; k++) {
        run->plan->steps[walk->first + k].ms = ms * w->stages[k].ms / all;
    }
}

static satf_status walk_down(walk_run *run)
{
    satf_context *ctx = run->ctx;
    satf_plan *plan = run->plan;
    double start_ms = plan->timed ? satf_now_ms() : 0;
    char first = ctx->message[0]; /* set aside: success keeps the latest failure's message */
    ctx->message[0] = '\0';
    if (run->walk->walkers == 1) {
        walk_band(run, 0, 0);
    } else {
        satf_parallel(ctx, run->walk->walkers, walk_band, run);
    }
    satf_status status = (satf_status)atomic_load(&run->stop);
    if (!status) {
        ctx->message[0] = first;
    }
    if (plan->timed) {
        share_time(run, satf_now_ms() - start_ms);
    }
    return status;
}

/* ----------------------------------------------------------------------- steps */

/* A row and a column of zeros in front of the step's result. */
static satf_status put_zeros(satf_context *ctx, const satf_plan *plan, const plan_step *of,
                             const plan_images *images)
{
    satf_view row = of->led, column = of->led, from = of->led;
    row.data = column.data = plan_find(plan, &of->led_at, images);
    from.data = plan_find(plan, &of->zeros, images);
    row.height = from.height = column.width = 1;
    satf_status status = filter_copy_pixels(ctx, &from, &row);
    from.width = 1;
    from.height = column.height;
    from.stride = satf_pixel_bytes(&from);
    return status ? status : filter_copy_pixels(ctx, &from, &column);
}

static void report_step(satf_context *ctx, const filter_step *step)
{
    ctx->report_engine = step->name;
    ctx->report_algorithm = step->engine->algorithm ? step->engine->algorithm(step) : NULL;
}

/* The grey of `source`, for a step that takes no colours, in front of its scratch. */
static satf_status make_grey(satf_context *ctx, filter_step *step, void *source)
{
    step->source.data = source;
    step->in.data = step->scratch;
    step->scratch += step->grey_bytes;
    return filter_run_grey(ctx, &step->source, &step->in);
}

static satf_status run_step(satf_context *ctx, satf_plan *plan, plan_step *of,
                            const plan_images *images)
{
    bool timed = plan->timed && plan->device == SATF_HOST; /* elsewhere it is but enqueued */
    double start_ms = timed ? satf_now_ms() : 0;
    satf_status status = SATF_OK;
    if (of->zeros.kind != PLACE_NONE) {
        status = put_zeros(ctx, plan, of, images);
    }
    if (!status && plan->in_graph && of->step.engine->prepare) {
        status = of->step.engine->prepare(ctx, &of->step); /* who knows what the graph has left */
    }
    filter_step step = of->step;
    for (int k = 0; k < FILTER_AUX; k++) {
        step.aux[k].data = plan_find(plan, &of->aux[k], images);
    }
    for (int k = 0; k < 2; k++) {
        step.second_aux[k].data = plan_find(plan, &of->aux[FILTER_AUX + k], images);
    }
    step.in.data = plan_find(plan, &of->in, images);
    step.feeder_in.data = plan_find(plan, &of->feeder, images);
    step.out.data = plan_find(plan, &of->out, images);
    step.second_out.data =
        of->second.kind == PLACE_NONE ? images->second : plan_find(plan, &of->second, images);
    if (!status && step.grey) {
        status = make_grey(ctx, &step, step.in.data);
    }
    status = status ? status : step.engine->run(ctx, &step);
    of->ms = timed ? satf_now_ms() - start_ms : -1;
    return status;
}

static satf_view with_data(const satf_view *view, const void *data)
{
    satf_view with = *view;
    with.data = (void *)(uintptr_t)data;
    return with;
}

/* What is to be delivered of the result. */
static satf_view part_of_result(const satf_plan *plan)
{
    satf_view made = with_data(&plan->to, plan->memory + plan->to_at);
    satf_view result = satf_view_rect(&made, plan->result);
    return satf_view_rect(&result, plan->part);
}

/* Up to the device, from where the host's images can be used again after a wait() only. */
static satf_status send(satf_context *ctx, satf_plan *plan, const plan_images *images,
                        plan_images *there)
{
    satf_view in = with_data(&plan->in, images->in), here = in;
    satf_view to = with_data(&plan->from, plan->memory + plan->from_at);
    satf_status status = satf_report_progress(ctx, 0);
    if (!satf_is_packed(&in)) {
        here = plan_packed(&in, plan->near);
        status = status ? status : filter_copy_pixels(ctx, &in, &here);
    }
    status = status ? status : satf_cuda()->copy(ctx, &here, &to);
    there->in = to.data;
    there->out = plan->memory + plan->to_at;
    if (!status && images->aux) {
        satf_view aux = with_data(&plan->aux, images->aux);
        to = with_data(&plan->from_aux, plan->memory + plan->aux_at);
        status = satf_cuda()->copy(ctx, &aux, &to);
        there->aux = to.data;
    }
    return status;
}

/* Where the steps find their input, and make their result. */
static satf_status fetch(satf_context *ctx, satf_plan *plan, const plan_images *images,
                         plan_images *there)
{
    *there = *images;
    if (plan_crosses(plan)) {
        return send(ctx, plan, images, there);
    }
    if (plan_delivers(plan)) {
        there->out = plan->memory + plan->to_at;
    }
    if (!plan_fetches(plan)) {
        return SATF_OK;
    }
    satf_view in = with_data(&plan->in, images->in);
    satf_view from = with_data(&plan->from, plan->memory + plan->from_at);
    there->in = from.data;
    return filter_copy_pixels(ctx, &in, &from);
}

/* The result to the caller's output, which a device leaves untouched on failure; the input is the
 * caller's again. */
static satf_status deliver(satf_context *ctx, satf_plan *plan, const plan_images *images,
                           satf_status status)
{
    satf_view out = with_data(&plan->out, images->out), back = out;
    if (!plan_delivers(plan)) {
        return status;
    }
    satf_view part = part_of_result(plan);
    if (!plan_crosses(plan)) {
        return status ? status : filter_copy_pixels(ctx, &part, &out);
    }
    if (!satf_is_packed(&out)) {
        back = plan_packed(&out, plan->near + plan->near_out);
    }
    satf_status waited = satf_cuda()->wait(ctx, plan->device);
    status = status ? status : waited;
    status = status ? status : satf_cuda()->copy(ctx, &part, &back);
    status = status ? status : satf_cuda()->wait(ctx, plan->device);
    return status || satf_is_packed(&out) ? status : filter_copy_pixels(ctx, &back, &out);
}

satf_status filter_plan_run(satf_context *ctx, satf_plan *plan, const plan_images *images)
{
    double share = 1 / (double)plan->count;
    bool captured, crosses = plan_crosses(plan);
    plan_images there;
    ctx->report_device = plan->device == SATF_HOST ? "cpu" : "cuda";
    satf_status status = plan_begin_use(ctx, plan, &captured);
    if (status) {
        return status;
    }
    status = fetch(ctx, plan, images, &there);
    satf_progress_part whole =
        satf_progress_enter(ctx, crosses ? 1.0 / 3 : 0, crosses ? 1.0 / 3 : 1);
    for (size_t i = 0, n; i < plan->count && !status; i += n) {
        plan_walk *walk = walk_at(plan, i);
        n = walk ? walk->count : 1;
        satf_progress_part all = satf_progress_enter(ctx, (double)i * share, (double)n * share);
        status = satf_report_progress(ctx, 0);
        report_step(ctx, &plan->steps[i + n - 1].step);
        status =
            status ? status
            : walk
                ? walk_down(&(walk_run){.ctx = ctx, .plan = plan, .walk = walk, .images = &there})
                : run_step(ctx, plan, &plan->steps[i], &there);
        satf_progress_leave(ctx, all);
    }
    satf_progress_leave(ctx, whole);
    status = deliver(ctx, plan, images, status);
    plan_end_use(ctx, plan);
    return status;
}

/* ------------------------------------------------------------------------- by rows */

/* A result that is not all rows of the plan as they are made. */
typedef struct part_rows {
    const filter_rows *rows;
    const satf_plan *plan;
    char *row;    /* that is made */
    int64_t made; /* its number, -1: none yet */
} part_rows;

/* Hands on the result's part of the latest row, which is complete; false if there is no place for
 * it. */
static bool hand_on(part_rows *t)
{
    const satf_rect *result = &t->plan->result;
    size_t pixel = (size_t)satf_pixel_bytes(&t->plan->to);
    int64_t y = t->made - result->y, planned = t->plan->in.height;
    int64_t missing = planned - filter_rows_height(t->rows, planned);
    if (y < 0 || y >= result->h - missing) {
        return true;
    }
    void *to = t->rows->out(t->rows->user, y);
    if (to) {
        memcpy(to, t->row + (size_t)result->x * pixel, (size_t)result->w * pixel);
    }
    return to != NULL;
}

static void *trimmed_out(void *user, int64_t y)
{
    part_rows *t = user;
    bool good = hand_on(t);
    t->made = y;
    return good ? t->row : NULL;
}

/* Each row behind a zero, and all of them behind a row of zeros. */
static void *led_out(void *user, int64_t y)
{
    const part_rows *t = user;
    size_t pixel = (size_t)satf_pixel_bytes(&t->plan->to);
    char *row = t->rows->out(t->rows->user, y + 1);
    return row ? (char *)memset(row, 0, pixel) + pixel : NULL;
}

satf_status filter_plan_ready(satf_context *ctx, satf_plan *plan)
{
    return plan->memory ? SATF_OK : filter_plan_attach(ctx, plan, NULL);
}

satf_status filter_plan_run_rows(satf_context *ctx, satf_plan *plan, const filter_rows *rows)
{
    const plan_images none = {NULL, NULL, NULL, NULL};
    satf_status status = filter_plan_ready(ctx, plan);
    if (status) {
        return status;
    }
    part_rows t = {rows, plan, plan->memory + plan->to_at, -1};
    walk_run run = {.ctx = ctx,
                    .plan = plan,
                    .walk = &plan->walks[0],
                    .images = &none,
                    .rows = rows,
                    .out = rows->out,
                    .user = rows->user};
    satf_progress_begin(ctx);
    ctx->report_device = "cpu";
    report_step(ctx, &plan->steps[plan->count - 1].step);
    if (plan_trims(plan)) {
        run.out = trimmed_out;
        run.user = &t;
    } else if (filter_leads(&plan->chain->links[0])) {
        void *first = rows->out(rows->user, 0);
        if (!first) {
            return satf_fail(ctx, SATF_IO, "the first row could not be stored");
        }
        memset(first, 0, (size_t)(satf_pixel_bytes(&plan->to) * plan->to.width));
        run.out = led_out;
        run.user = &t;
    }
    status = walk_down(&run);
    if (!status && plan_trims(plan) && !hand_on(&t)) {
        status = satf_fail(ctx, SATF_IO, "the last row could not be stored");
    }
    return status ? status : satf_report_progress(ctx, 1);
}
