/* Applies a filter by a plan, which the context keeps for the next call of the same shape. */
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "../base/memory.h"
#include "../base/view.h"
#include "../plan/plan.h"
#include "../chain/region.h"
#include "../plan/tiles.h"
#include "../plan/views.h"

/* The most memory of a kept plan between calls, on the host and on a device: above that it is given
 * back after the call. Plans that a program makes keep all. */
enum { KEPT_BYTES_HERE = 64 << 20, KEPT_BYTES_THERE = 512 << 20 };

/* -------------------------------------------------------------- the context's plan */

/* Whether filters are the same. Files that parameters name are shared, so their addresses tell. */
static bool same_filter(const satf_filter *a, const satf_filter *b)
{
    bool same = a->count == b->count && chain_counts_alike(a, b);
    for (size_t i = 0; i < a->count && same; i++) {
        const chain_link *x = &a->links[i], *y = &b->links[i];
        same = x->info == y->info && memcmp(x->options, y->options, sizeof x->options) == 0;
    }
    return same;
}

static bool same_part(const satf_plan *plan, const filter_call *call)
{
    return plan->whole == call->whole &&
           (call->whole || (plan->part.x == call->part.x && plan->part.y == call->part.y));
}

static bool serves(const satf_plan *plan, const filter_call *call)
{
    return filter_same_shape(&plan->in, call->in) && filter_same_shape(&plan->out, call->out) &&
           same_part(plan, call) && same_filter(plan->chain, call->filter) &&
           plan->asked_device == call->device &&
           satf_settings_equal(&plan->settings, &plan->ctx->settings);
}

static void forget(satf_context *ctx)
{
    satf_plan *plan = ctx->plan;
    ctx->plan = NULL; /* freeing may open a device, and come here again */
    filter_plan_free(ctx, plan);
}

/* Runs the plan in the caller's memory, which may hold anything. */
static satf_status run_lent(satf_context *ctx, satf_plan *plan, const plan_images *images)
{
    size_t bytes = plan->bytes ? plan->bytes + 63 : 0;
    if (ctx->scratch_bytes < bytes) {
        return satf_fail(ctx, SATF_INVALID,
                         "the scratch memory handed in has %zu bytes; %zu are needed",
                         ctx->scratch_bytes, bytes);
    }
    char *memory = ctx->scratch;
    filter_plan_detach(ctx, plan);
    satf_status status = filter_plan_attach(ctx, plan, memory + (-(uintptr_t)memory & 63));
    status = status ? status : filter_plan_run(ctx, plan, images);
    filter_plan_detach(ctx, plan);
    return status;
}

/* Runs a plan that serves the call; meanwhile nobody can free the context's plan. */
static satf_status apply_run_plan(satf_context *ctx, satf_plan *plan, const filter_call *call)
{
    plan_images images = {.in = call->in->data, .out = call->out->data};
    satf_plan *kept = ctx->plan;
    size_t most =
        plan->device == SATF_HOST ? satf_most_kept(ctx, KEPT_BYTES_HERE) : (size_t)KEPT_BYTES_THERE;
    satf_status status = SATF_OK;
    ctx->plan = NULL;
    plan->timed = call->timed;
    if (ctx->scratch && plan->whole && plan->device == plan->in.device) {
        status = run_lent(ctx, plan, &images);
    } else {
        status = plan->memory ? SATF_OK : filter_tiles_attach(ctx, plan);
        status = status               ? status
                 : plan_crosses(plan) ? filter_tiles_run(ctx, plan, &images)
                                      : filter_plan_run(ctx, plan, &images);
        if (status) {
            filter_plan_detach(ctx, plan);
        } else if (plan->bytes > most) {
            filter_plan_let_go(ctx, plan);
        }
    }
    ctx->plan = kept;
    return status;
}

/* Captures the call into a graph, with memory of the graph's own: it outlives the context's
 * plan. */
static satf_status run_captured(satf_context *ctx, const filter_call *call)
{
    satf_plan *plan;
    satf_status status = filter_tiles_make(ctx, call, call->in->device, FILTER_CALL, &plan);
    if (status) {
        return status;
    }
    if (plan_keeps_images(plan)) {
        status = satf_fail(ctx, SATF_UNSUPPORTED,
                           "an auxiliary input that a filter keeps cannot be copied into a "
                           "graph; make a plan before");
    } else {
        status = apply_run_plan(ctx, plan, call);
    }
    filter_plan_free(ctx, plan);
    return status;
}

/* Makes the context's plan one for the call and the device. */
static satf_status keep_plan(satf_context *ctx, const filter_call *call, int device)
{
    satf_context_forget(ctx);
    ctx->forget = forget;
    return filter_tiles_make(ctx, call, device, FILTER_CALL, &ctx->plan);
}

satf_status filter_apply(satf_context *ctx, const filter_call *call)
{
    const satf_view *in = call->in, *out = call->out;
    satf_status status = SATF_OK;
    bool served = ctx->plan && call->filter && in && out && serves(ctx->plan, call);
    bool checked =
        !call->whole || (served && in->data && out->data && !satf_views_overlap(in, out));
    if (!checked) {
        status = filter_check_views(ctx, call->filter, in, out, true);
    }
    if (status) {
        return satf_gpu_leave(ctx, status);
    }
    if (!call->in_part) {
        satf_progress_begin(ctx);
    }
    satf_budget *before = satf_memory_begin(ctx);
    if (in->device != SATF_HOST && satf_cuda()->captures(ctx, in->device)) {
        status = run_captured(ctx, call);
    } else {
        int device = served ? ctx->plan->device : filter_plan_device(ctx, call);
        status = served ? SATF_OK : keep_plan(ctx, call, device);
        status = status ? status : apply_run_plan(ctx, ctx->plan, call);
        if (filter_plan_leaves(ctx, call, device, status)) {
            status = keep_plan(ctx, call, SATF_HOST);
            status = status ? status : apply_run_plan(ctx, ctx->plan, call);
        }
    }
    status = satf_memory_end(ctx, before, status);
    status = status || call->in_part ? status : satf_report_progress(ctx, 1);
    return satf_gpu_leave(ctx, status);
}

satf_status filter_bytes_here(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                              const satf_view *out, size_t *bytes)
{
    filter_call call = filter_whole_call(ctx, filter, in, out);
    call.device = SATF_HOST;
    satf_status status = filter_check_views(ctx, filter, in, out, false);
    if (!status && !(ctx->plan && serves(ctx->plan, &call))) {
        status = keep_plan(ctx, &call, SATF_HOST);
    }
    *bytes = status ? 0 : ctx->plan->bytes;
    return status;
}

satf_status satf_filter_apply(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                              const satf_view *out)
{
    if (!ctx) {
        return SATF_INVALID;
    }
    filter_call call = filter_whole_call(ctx, filter, in, out);
    return filter_apply(ctx, &call);
}

/* Checks that `where` is a part of the result, and out a view for it. */
static satf_status apply_check_part(satf_context *ctx, const satf_view *result,
                                    const satf_rect *where, const satf_view *out)
{
    if (!satf_inside(where->x, where->w, result->width) ||
        !satf_inside(where->y, where->h, result->height)) {
        return satf_fail(ctx, SATF_INVALID,
                         "the part of %" PRId64 " x %" PRId64 " at %" PRId64 ", %" PRId64
                         " is empty or leaves the result of %" PRId64 " x %" PRId64,
                         where->w, where->h, where->x, where->y, result->width, result->height);
    }
    satf_view part = *result;
    part.width = where->w;
    part.height = where->h;
    return filter_check_out(ctx, &part, out);
}

/* Makes the call of a part of the result, whose input is the crop `from`. */
static satf_status call_rect(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                             const satf_rect *where, const satf_view *out, satf_view *from,
                             filter_call *call)
{
    satf_view result;
    satf_status status = filter_check_in(ctx, filter, in, true);
    if (!status && !where) {
        status = satf_fail(ctx, SATF_INVALID, "the part of the result is missing");
    }
    status = status ? status : satf_check_view(ctx, out, "output", true);
    status = status ? status : satf_filter_output(ctx, filter, in, &result);
    status = status ? status : apply_check_part(ctx, &result, where, out);
    if (!status && satf_views_overlap(in, out)) {
        status = filter_fail_overlap(ctx);
    }
    satf_rect crop, part;
    status = status ? status : filter_find_region(ctx, filter, in, where, &crop, &part);
    if (status) {
        return status;
    }
    *from = satf_view_rect(in, crop);
    *call = filter_whole_call(ctx, filter, from, out);
    call->whole = false;
    call->part = part;
    return SATF_OK;
}

satf_status filter_apply_rect_on(satf_context *ctx, int device, const satf_filter *filter,
                                 const satf_view *in, const satf_rect *where, const satf_view *out)
{
    satf_view from;
    filter_call call;
    satf_status status = call_rect(ctx, filter, in, where, out, &from, &call);
    if (!status) {
        call.device = device;
        call.timed = call.in_part = true;
        status = filter_apply(ctx, &call);
    }
    return satf_gpu_leave(ctx, status);
}

satf_status satf_filter_apply_rect(satf_context *ctx, const satf_filter *filter,
                                   const satf_view *in, const satf_rect *where,
                                   const satf_view *out)
{
    if (!ctx) {
        return SATF_INVALID;
    }
    satf_view from;
    filter_call call;
    satf_status status = call_rect(ctx, filter, in, where, out, &from, &call);
    return satf_gpu_leave(ctx, status ? status : filter_apply(ctx, &call));
}

satf_status filter_bytes_lent(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                              const satf_view *out, size_t *bytes)
{
    satf_status status = filter_check_views(ctx, filter, in, out, false);
    if (!status && !bytes) {
        status = satf_fail(ctx, SATF_INVALID, "the result is missing");
    }
    if (status) {
        return status;
    }
    satf_plan *plan;
    *bytes = 0;
    /* If a device fails, the CPU works: its memory counts. */
    filter_call call = filter_whole_call(ctx, filter, in, out);
    int device =
        ctx->settings.device == SATF_DEVICE_AUTO ? in->device : filter_plan_device(ctx, &call);
    status = filter_plan_make(ctx, &call, device, FILTER_CALL, &plan);
    if (!status) {
        if (plan->device == plan->in.device && plan->bytes) { /* else the memory is the device's */
            *bytes = plan->bytes + 63; /* the caller's memory may need aligning */
        }
        filter_plan_free(ctx, plan);
    }
    return status;
}

satf_status satf_filter_scratch(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                                const satf_view *out, size_t *bytes)
{
    if (!ctx) {
        return SATF_INVALID;
    }
    satf_progress_none(ctx);
    return satf_gpu_leave(ctx, filter_bytes_lent(ctx, filter, in, out, bytes));
}

void satf_context_used(const satf_context *ctx, satf_used *used, size_t bytes)
{
    satf_used all = {0};
    if (ctx) {
        all.engine = ctx->report_engine;
        all.algorithm = ctx->report_algorithm;
        all.device = ctx->report_device;
    }
    satf_give(used, bytes, &all, sizeof all);
}
