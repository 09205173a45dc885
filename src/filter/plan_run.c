/* Plans: their memory, and runs. */
#include <string.h>

#include "../base/clock.h"
#include "../base/memory.h"
#include "../base/view.h"
#include "pixels.h"
#include "plan.h"
#include "region.h"
#include "walk.h"

/* Memory of the host begins at a page, so that rows lie to one another as they do in every plan of
 * the shape: where they share places of the caches a run may take a tenth longer. */
enum { PAGE = 4096 };

static satf_status allocate(satf_context *ctx, satf_plan *plan, bool captured)
{
    static const char what[] = "filtering";
    if (plan->near_bytes && !(plan->near = satf_alloc(plan->near_bytes))) {
        return satf_fail_memory(ctx, plan->near_bytes, what);
    }
    if (plan->device != SATF_HOST) {
        satf_status status = satf_gpu_alloc(ctx, plan->device, plan->bytes, what, &plan->owned);
        plan->memory = status ? NULL : plan->owned;
        plan->graphs = captured;
        return status;
    }
    plan->owned = satf_alloc(plan->bytes + PAGE);
    if (!plan->owned) {
        return satf_fail_memory(ctx, plan->bytes, what);
    }
    plan->memory = (char *)plan->owned + (-(uintptr_t)plan->owned & (PAGE - 1));
    return SATF_OK;
}

/* On a device: the plan's uses of its memory follow one another, whatever their streams. */
static satf_status begin_use(satf_context *ctx, satf_plan *plan, bool *captured)
{
    *captured = false;
    if (plan->device == SATF_HOST) {
        return SATF_OK;
    }
    satf_status status = satf_cuda()->order_begin(ctx, plan->device, &plan->order, captured);
    plan->in_graph |= *captured;
    return status;
}

static void end_use(satf_context *ctx, satf_plan *plan)
{
    if (plan->device != SATF_HOST) {
        satf_cuda()->order_end(ctx, &plan->order);
    }
}

static satf_status prepare(satf_context *ctx, satf_plan *plan)
{
    satf_status status = SATF_OK;
    for (size_t i = 0; i < plan->count && !status; i++) {
        filter_step *step = &plan->steps[i].step;
        if (step->engine->prepare) {
            status = step->engine->prepare(ctx, step);
        }
    }
    for (size_t i = 0; i < plan->picture_count && plan->device != SATF_HOST && !status; i++) {
        const plan_picture *picture = &plan->pictures[i];
        satf_view there = picture->there;
        there.data = plan->memory + picture->at;
        if (picture->zeros) {
            status = satf_cuda()->set_bytes(ctx, plan->device, there.data, 0,
                                            (size_t)(there.stride * there.height));
        } else {
            status = satf_cuda()->copy(ctx, &picture->view, &there);
            status = status ? status : satf_cuda()->wait(ctx, plan->device);
        }
    }
    return status;
}

satf_status filter_plan_attach(satf_context *ctx, satf_plan *plan, char *memory)
{
    bool captured;
    satf_status status = begin_use(ctx, plan, &captured);
    plan->memory = memory;
    if (!status && !memory && plan->bytes) {
        status = allocate(ctx, plan, captured);
    }
    if (status) {
        return status;
    }
    size_t at = plan->kept_at;
    for (size_t i = 0; i < plan->count && plan->memory; i++) {
        filter_step *step = &plan->steps[i].step;
        step->scratch = plan->memory + plan->scratch_at;
        step->kept = plan->memory + at;
        at += satf_align64(step->kept_bytes);
    }
    status = prepare(ctx, plan);
    end_use(ctx, plan);
    return status;
}

/* In the stream's order, but for memory that is not a graph's while one is captured. */
static void give_back(satf_context *ctx, satf_plan *plan)
{
    bool captured;
    if (begin_use(ctx, plan, &captured) == SATF_OK && captured == plan->graphs) {
        satf_gpu_free(ctx, plan->owned);
        end_use(ctx, plan);
    } else {
        satf_gpu_free_behind(ctx, &plan->order, plan->owned);
    }
}

void filter_plan_detach(satf_context *ctx, satf_plan *plan)
{
    if (plan->device == SATF_HOST) {
        satf_free(plan->owned);
    } else if (plan->owned) {
        give_back(ctx, plan);
    }
    satf_free(plan->near);
    plan->memory = plan->near = NULL;
    plan->owned = NULL;
}

void filter_plan_free(satf_context *ctx, satf_plan *plan)
{
    filter_plan_detach(ctx, plan);
    filter_plan_drop(plan);
}

/* ----------------------------------------------------------------------- running */

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
    ctx->report_engine = step->engine->name;
    ctx->report_algorithm = step->engine->algorithm ? step->engine->algorithm(step) : NULL;
}

static satf_status run_step(satf_context *ctx, satf_plan *plan, plan_step *of,
                            const plan_images *images)
{
    filter_step *step = &of->step;
    bool timed = plan->timed && plan->device == SATF_HOST; /* elsewhere it is but enqueued */
    double start_ms = timed ? satf_now_ms() : 0;
    satf_status status = satf_report_progress(ctx, 0);
    report_step(ctx, step);
    if (!status && of->zeros.kind != PLACE_NONE) {
        status = put_zeros(ctx, plan, of, images);
    }
    if (!status && plan->in_graph && step->engine->prepare) {
        status = step->engine->prepare(ctx, step); /* who knows what the graph has left */
    }
    if (status) {
        return status;
    }
    filter_step_images of_step = {.in = plan_find(plan, &of->in, images),
                                  .feeder = plan_find(plan, &of->feeder, images),
                                  .out = plan_find(plan, &of->out, images),
                                  .second = images->second};
    for (int k = 0; k < 4; k++) {
        of_step.aux[k] = plan_find(plan, &of->aux[k], images);
    }
    if (of->second.kind != PLACE_NONE) {
        of_step.second = plan_find(plan, &of->second, images);
    }
    status = filter_step_run(ctx, step, &of_step);
    of->ms = timed ? satf_now_ms() - start_ms : -1;
    return status;
}

/* The chain where the work is done. */
static satf_status run_steps(satf_context *ctx, satf_plan *plan, const plan_images *images)
{
    double share = 1 / (double)plan->count;
    satf_status status = SATF_OK;
    for (size_t i = 0, n; i < plan->count && !status; i += n) {
        plan_walk *walk = walk_at(plan, i);
        n = walk ? walk->count : 1;
        satf_progress_part whole = satf_progress_enter(ctx, (double)i * share, (double)n * share);
        if (walk) {
            status = satf_report_progress(ctx, 0);
            report_step(ctx, &plan->steps[i + n - 1].step);
            status = status ? status : walk_down(ctx, plan, walk, images, NULL);
        } else {
            status = run_step(ctx, plan, &plan->steps[i], images);
        }
        satf_progress_leave(ctx, whole);
    }
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

/* Where the images are. */
static satf_status run_here(satf_context *ctx, satf_plan *plan, const plan_images *images)
{
    plan_images here = *images;
    satf_view in = with_data(&plan->in, images->in), out = with_data(&plan->out, images->out);
    satf_status status = SATF_OK;
    if (plan_fetches(plan)) {
        satf_view from = with_data(&plan->from, plan->memory + plan->from_at);
        here.in = from.data;
        status = filter_copy_pixels(ctx, &in, &from);
    }
    if (plan_delivers(plan)) {
        here.out = plan->memory + plan->to_at;
    }
    status = status ? status : run_steps(ctx, plan, &here);
    if (!status && plan_delivers(plan)) {
        satf_view part = part_of_result(plan);
        status = filter_copy_pixels(ctx, &part, &out);
    }
    return status;
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

/* Images of the host on a device: up, the whole chain, and down again. */
static satf_status run_across(satf_context *ctx, satf_plan *plan, const plan_images *images)
{
    satf_view out = with_data(&plan->out, images->out), back = out, part = part_of_result(plan);
    plan_images there = *images;
    if (!satf_is_packed(&out)) {
        back = plan_packed(&out, plan->near + plan->near_out);
    }
    satf_status status = send(ctx, plan, images, &there);
    if (!status) {
        satf_progress_part whole = satf_progress_enter(ctx, 1.0 / 3, 1.0 / 3);
        status = run_steps(ctx, plan, &there);
        satf_progress_leave(ctx, whole);
    }
    /* The output is untouched on failure, and the input the caller's again. */
    satf_status waited = satf_cuda()->wait(ctx, plan->device);
    status = status ? status : waited;
    status = status ? status : satf_cuda()->copy(ctx, &part, &back);
    status = status ? status : satf_cuda()->wait(ctx, plan->device);
    return status || satf_is_packed(&out) ? status : filter_copy_pixels(ctx, &back, &out);
}

satf_status filter_plan_run(satf_context *ctx, satf_plan *plan, const plan_images *images)
{
    bool captured;
    ctx->report_device = plan->device == SATF_HOST ? "cpu" : "cuda";
    satf_status status = begin_use(ctx, plan, &captured);
    if (!status) {
        status = plan_crosses(plan) ? run_across(ctx, plan, images) : run_here(ctx, plan, images);
        end_use(ctx, plan);
    }
    return status;
}

/* ------------------------------------------------------------------------- by rows */

satf_status filter_plan_rows(satf_context *ctx, const satf_filter *chain, size_t index,
                             const satf_view *in, const satf_view *out, satf_plan **plan)
{
    satf_filter one = {.count = 1, .links = &chain->links[index]};
    filter_call call = filter_whole_call(ctx, &one, in, out);
    return filter_plan_make(ctx, &call, SATF_HOST, FILTER_BY_ROWS, plan);
}

filter_rows_need filter_plan_need(const satf_plan *plan)
{
    return walk_need(plan);
}

static const plan_images no_images = {NULL, NULL, NULL, NULL};

/* Of the rows that the filter makes the result's parts alone: each goes on once it is complete. */
typedef struct trimmed_rows {
    const filter_rows *rows;
    satf_rect result;
    int64_t planned; /* rows of the input */
    int64_t pixel_bytes;
    char *row;    /* that is made */
    int64_t made; /* its number, -1: none yet */
} trimmed_rows;

static const void *trimmed_in(void *user, int64_t y)
{
    const trimmed_rows *t = user;
    return t->rows->in(t->rows->user, y);
}

/* Hands the latest row on; false if there is no place for it. */
static bool hand_on(trimmed_rows *t)
{
    int64_t y = t->made - t->result.y;
    int64_t missing = t->planned - filter_rows_height(t->rows, t->planned);
    if (y < 0 || y >= t->result.h - missing) {
        return true;
    }
    void *to = t->rows->out(t->rows->user, y);
    if (to) {
        memcpy(to, t->row + t->result.x * t->pixel_bytes, (size_t)(t->result.w * t->pixel_bytes));
    }
    return to != NULL;
}

static void *trimmed_out(void *user, int64_t y)
{
    trimmed_rows *t = user;
    bool good = hand_on(t);
    t->made = y;
    return good ? t->row : NULL;
}

static satf_status run_trimmed(satf_context *ctx, satf_plan *plan, const filter_rows *rows)
{
    trimmed_rows t = {.rows = rows,
                      .result = plan->result,
                      .planned = plan->in.height,
                      .pixel_bytes = satf_pixel_bytes(&plan->to),
                      .row = plan->memory + plan->to_at,
                      .made = -1};
    filter_rows trimmed = {trimmed_in, trimmed_out, &t, rows->height, NULL, NULL};
    satf_status status = walk_down(ctx, plan, &plan->walks[0], &no_images, &trimmed);
    return status || hand_on(&t) ? status
                                 : satf_fail(ctx, SATF_IO, "the last row could not be stored");
}

/* Each row behind a zero, and all of them behind a row of zeros. */
typedef struct led_rows {
    const filter_rows *rows;
    size_t pixel_bytes;
} led_rows;

static const void *led_in(void *user, int64_t y)
{
    const led_rows *l = user;
    return l->rows->in(l->rows->user, y);
}

static void *led_out(void *user, int64_t y)
{
    const led_rows *l = user;
    char *row = l->rows->out(l->rows->user, y + 1);
    return row ? (char *)memset(row, 0, l->pixel_bytes) + l->pixel_bytes : NULL;
}

static satf_status run_led(satf_context *ctx, satf_plan *plan, const filter_rows *rows)
{
    led_rows l = {rows, (size_t)satf_pixel_bytes(&plan->to)};
    filter_rows led = {led_in, led_out, &l, rows->height, NULL, NULL};
    void *first = rows->out(rows->user, 0);
    if (!first) {
        return satf_fail(ctx, SATF_IO, "the first row could not be stored");
    }
    memset(first, 0, l.pixel_bytes * (size_t)plan->to.width);
    return walk_down(ctx, plan, &plan->walks[0], &no_images, &led);
}

satf_status filter_plan_ready(satf_context *ctx, satf_plan *plan)
{
    return plan->memory ? SATF_OK : filter_plan_attach(ctx, plan, NULL);
}

satf_status filter_plan_run_rows(satf_context *ctx, satf_plan *plan, const filter_rows *rows)
{
    satf_status status = filter_plan_ready(ctx, plan);
    if (!status) {
        satf_progress_begin(ctx);
        ctx->report_device = "cpu";
        report_step(ctx, &plan->steps[plan->count - 1].step);
        status = plan_trims(plan) ? run_trimmed(ctx, plan, rows)
                 : filter_leads(&plan->chain->links[0])
                     ? run_led(ctx, plan, rows)
                     : walk_down(ctx, plan, &plan->walks[0], &no_images, rows);
    }
    return status ? status : satf_report_progress(ctx, 1);
}
