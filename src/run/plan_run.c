/* Runs plans: steps by their engines, and walks. */
#include "../base/clock.h"
#include "../base/view.h"
#include "../formula/pixels.h"
#include "../plan/plan_memory.h"
#include "../chain/region.h"
#include "walk_run.h"

/* ----------------------------------------------------------------------- steps */

/* Stores a row and a column of zeros in front of the step's result. */
static satf_status put_zeros(satf_context *ctx, const satf_plan *plan, const plan_step *of,
                             const plan_images *images)
{
    satf_view row = of->edged, column = of->edged, from = of->edged;
    row.data = column.data = plan_find(plan, &of->edged_at, images);
    from.data = plan_find(plan, &of->zeros, images);
    row.height = from.height = column.width = 1;
    satf_status status = filter_copy_pixels(ctx, &from, &row);
    from.width = 1;
    from.height = column.height;
    from.stride = satf_pixel_bytes(&from);
    return status ? status : filter_copy_pixels(ctx, &from, &column);
}

static satf_status walk_again(void *walkers)
{
    return walk_down(walkers);
}

/* Looks at the whole image before the step's walkers go. */
static satf_status plan_look(satf_context *ctx, filter_step *step, walk_run *run)
{
    satf_progress_part all = satf_progress_enter(ctx, 0, 0.5);
    satf_status status = step->engine->look(ctx, step, walk_again, run);
    satf_progress_leave(ctx, all);
    return status;
}

/* Runs a step that is no walk, or a walk of one that something comes before. */
static satf_status run_step(walk_run *run, plan_step *of)
{
    satf_context *ctx = run->ctx;
    const satf_plan *plan = run->plan;
    bool timed = plan->timed && plan->device == SATF_HOST; /* elsewhere it is but enqueued */
    double start_ms = timed ? satf_now_ms() : 0;
    satf_status status = SATF_OK;
    if (of->zeros.kind != PLACE_NONE) {
        status = put_zeros(ctx, plan, of, run->images);
    }
    if (!status && plan->in_graph && of->step.engine->prepare) {
        status = of->step.engine->prepare(ctx, &of->step); /* a graph may have changed the memory */
    }
    filter_step step = walk_find_images(plan, of, run->images);
    double looks = run->walk && filter_reduces(step.pass) ? 0.5 : 0;
    if (!status && looks > 0) {
        status = plan_look(ctx, &step, run);
    }
    satf_progress_part part = satf_progress_enter(ctx, looks, 1 - looks);
    status = status ? status : run->walk ? walk_down(run) : step.engine->run(ctx, &step);
    satf_progress_leave(ctx, part);
    of->ms = timed ? satf_now_ms() - start_ms : -1;
    return status;
}

static satf_view with_data(const satf_view *view, const void *data)
{
    satf_view with = *view;
    with.data = (void *)(uintptr_t)data;
    return with;
}

/* The part of the result that the caller gets. */
static satf_view part_of_result(const satf_plan *plan)
{
    satf_view made = with_data(&plan->to, plan->memory + plan->to_at);
    satf_view result = satf_view_rect(&made, plan->result);
    return satf_view_rect(&result, plan->part);
}

/* Sends the images to the device. The host's may be used again only after a wait(). */
static satf_status send(satf_context *ctx, satf_plan *plan, const plan_images *images,
                        plan_images *device_images)
{
    satf_view in = with_data(&plan->in, images->in), here = in;
    satf_view to = with_data(&plan->from, plan->memory + plan->from_at);
    satf_status status = satf_report_progress(ctx, 0);
    if (!satf_is_packed(&in)) {
        here = plan_packed(&in, plan->near);
        status = status ? status : filter_copy_pixels(ctx, &in, &here);
    }
    status = status ? status : satf_gpu_copy(ctx, &here, &to);
    device_images->in = to.data;
    device_images->out = plan->memory + plan->to_at;
    if (!status && images->aux) {
        satf_view aux = with_data(&plan->aux, images->aux);
        to = with_data(&plan->from_aux, plan->memory + plan->aux_at);
        status = satf_gpu_copy(ctx, &aux, &to);
        device_images->aux = to.data;
    }
    return status;
}

/* Finds the images that the steps read and write: the caller's, or those on the plan's device. */
static satf_status plan_fetch(satf_context *ctx, satf_plan *plan, const plan_images *images,
                              plan_images *device_images)
{
    *device_images = *images;
    return plan_crosses(plan) ? send(ctx, plan, images, device_images) : SATF_OK;
}

/* Brings the result to the caller's output, which a device leaves untouched on failure; the input
 * may be used again. */
static satf_status plan_deliver(satf_context *ctx, satf_plan *plan, const plan_images *images,
                                satf_status status)
{
    satf_view out = with_data(&plan->out, images->out), back = out;
    if (!plan_crosses(plan)) {
        return status;
    }
    satf_view part = part_of_result(plan);
    if (!satf_is_packed(&out)) {
        back = plan_packed(&out, plan->near + plan->near_out);
    }
    satf_status waited = satf_cuda()->wait(ctx, plan->device);
    status = status ? status : waited;
    status = status ? status : satf_gpu_copy(ctx, &part, &back);
    status = status ? status : satf_cuda()->wait(ctx, plan->device);
    return status || satf_is_packed(&out) ? status : filter_copy_pixels(ctx, &back, &out);
}

satf_status filter_plan_run(satf_context *ctx, satf_plan *plan, const plan_images *images)
{
    double share = 1 / (double)plan->count;
    bool captured, crosses = plan_crosses(plan);
    plan_images device_images;
    ctx->report_device = plan->device == SATF_HOST ? "cpu" : "cuda";
    satf_status status = plan_begin_use(ctx, plan, &captured);
    if (status) {
        return status;
    }
    status = plan_fetch(ctx, plan, images, &device_images);
    satf_progress_part whole =
        satf_progress_enter(ctx, crosses ? 1.0 / 3 : 0, crosses ? 1.0 / 3 : 1);
    for (size_t i = 0, n; i < plan->count && !status; i += n) {
        plan_walk *walk = walk_at(plan, i);
        walk_run run = {.ctx = ctx, .plan = plan, .walk = walk, .images = &device_images};
        plan_step *of = &plan->steps[i];
        bool plain = walk && of->zeros.kind == PLACE_NONE && !filter_reduces(of->step.pass);
        n = walk ? walk->count : 1;
        satf_progress_part all = satf_progress_enter(ctx, (double)i * share, (double)n * share);
        status = satf_report_progress(ctx, 0);
        walk_report(ctx, &plan->steps[i + n - 1].step);
        status = status ? status : plain ? walk_down(&run) : run_step(&run, of);
        satf_progress_leave(ctx, all);
    }
    satf_progress_leave(ctx, whole);
    status = plan_deliver(ctx, plan, images, status);
    plan_end_use(ctx, plan);
    return status;
}
