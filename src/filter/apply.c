/* Applying a filter: a plan that the context keeps for the next call of the same shape. */
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "../base/memory.h"
#include "../base/view.h"
#include "plan.h"

/* Memory of plans beyond that goes back after the call; plans that a program makes keep all. */
enum { KEPT_BYTES_HERE = 64 << 20, KEPT_BYTES_THERE = 512 << 20 };

static satf_status check_in(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                            bool need_data)
{
    if (!filter) {
        return satf_fail(ctx, SATF_INVALID, "the filter is missing");
    }
    return satf_check_view(ctx, in, "input", need_data);
}

satf_status filter_check_views(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                               const satf_view *out, bool need_data)
{
    satf_view wanted;
    satf_status status = check_in(ctx, filter, in, need_data);
    status = status ? status : satf_filter_output(ctx, filter, in, &wanted);
    if (!status) {
        status = satf_check_view(ctx, out, "output", need_data);
    }
    if (status) {
        return status;
    }
    if (out->device != in->device) {
        return satf_fail(ctx, SATF_INVALID,
                         "the input and the output view must be on one device, or both on the "
                         "host");
    }
    if (out->width != wanted.width || out->height != wanted.height ||
        out->channels != wanted.channels) {
        return satf_fail(ctx, SATF_INVALID,
                         "the output view is %" PRId64 " x %" PRId64 " of %d channels; it must be "
                         "%" PRId64 " x %" PRId64 " of %d",
                         out->width, out->height, (int)out->channels, wanted.width, wanted.height,
                         (int)wanted.channels);
    }
    if (need_data && satf_views_overlap(in, out)) {
        return satf_fail(ctx, SATF_INVALID, "the output view overlaps the input view");
    }
    return SATF_OK;
}

satf_status satf_filter_output(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                               satf_view *out)
{
    if (!ctx) {
        return SATF_INVALID;
    }
    satf_status status = check_in(ctx, filter, in, false);
    if (!status && !out) {
        status = satf_fail(ctx, SATF_INVALID, "the result is missing");
    }
    if (status) {
        return status;
    }
    satf_view view = *in, next;
    for (size_t i = 0; i < filter->count; i++, view = next) {
        status = filter_step_output(ctx, &filter->links[i], &view, &next);
        if (status) {
            return status;
        }
    }
    *out = view;
    return SATF_OK;
}

/* -------------------------------------------------------------- the context's plan */

static bool same_shape(const satf_view *a, const satf_view *b)
{
    return a->width == b->width && a->height == b->height && a->stride == b->stride &&
           a->channels == b->channels && a->type == b->type && a->device == b->device &&
           a->flags == b->flags;
}

/* Files that parameters name are shared, so their places are their identity. */
static bool same_filter(const satf_filter *a, const satf_filter *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; i < a->count && same; i++) {
        const chain_link *x = &a->links[i], *y = &b->links[i];
        same = x->info == y->info && memcmp(x->options, y->options, sizeof x->options) == 0;
    }
    return same;
}

static bool serves(const satf_plan *plan, const satf_filter *filter, const satf_view *in,
                   const satf_view *out)
{
    return same_shape(&plan->in, in) && same_shape(&plan->out, out) &&
           same_filter(plan->chain, filter) &&
           memcmp(plan->settings, plan->ctx, sizeof plan->settings) == 0;
}

static void forget(satf_context *ctx)
{
    filter_plan_free(ctx, ctx->plan);
    ctx->plan = NULL;
}

/* Runs it in the caller's memory, which may hold anything. */
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

static satf_status run_kept(satf_context *ctx, satf_plan *plan, const plan_images *images)
{
    bool here = plan->device == SATF_HOST;
    satf_status status = plan->memory ? SATF_OK : filter_plan_attach(ctx, plan, NULL);
    status = status ? status : filter_plan_run(ctx, plan, images);
    if (status || plan->bytes > (here ? KEPT_BYTES_HERE : KEPT_BYTES_THERE)) {
        filter_plan_detach(ctx, plan);
    }
    return status;
}

/* Runs the plan that the context keeps. */
static satf_status run_plan(satf_context *ctx, const void *in, void *out)
{
    plan_images images = {in, NULL, out};
    satf_plan *plan = ctx->plan;
    ctx->plan = NULL; /* while it runs it is nobody's to free */
    satf_status status = ctx->scratch && plan->device == plan->in.device
                             ? run_lent(ctx, plan, &images)
                             : run_kept(ctx, plan, &images);
    ctx->plan = plan;
    return status;
}

/* Into a graph, which outlives what the context keeps: with memory of the graph's own. */
static satf_status run_captured(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                                const satf_view *out)
{
    plan_images images = {in->data, NULL, out->data};
    satf_plan *plan;
    filter_plan_spec spec = {.in = *in, .out = *out, .device = in->device, .use = FILTER_ONCE};
    satf_status status = filter_plan_make(ctx, filter, &spec, &plan);
    if (!status && plan->pictured) {
        filter_plan_free(ctx, plan);
        return satf_fail(ctx, SATF_UNSUPPORTED,
                         "an image beside the input that a filter keeps cannot be copied into a "
                         "graph; make a plan with two inputs");
    }
    if (!status) {
        status = ctx->scratch ? run_lent(ctx, plan, &images) : run_kept(ctx, plan, &images);
        filter_plan_free(ctx, plan);
    }
    return status;
}

/* The context's plan becomes one for that device, and runs. */
static satf_status replace_plan(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                                const satf_view *out, int device)
{
    satf_context_forget(ctx);
    ctx->forget = forget;
    filter_plan_spec spec = {.in = *in, .out = *out, .device = device, .use = FILTER_ONCE};
    satf_status status = filter_plan_make(ctx, filter, &spec, &ctx->plan);
    return status ? status : run_plan(ctx, in->data, out->data);
}

static satf_status apply(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                         const satf_view *out)
{
    satf_status status = SATF_OK;
    bool served = ctx->plan && filter && in && out && serves(ctx->plan, filter, in, out);
    if (!served || !in->data || !out->data || satf_views_overlap(in, out)) {
        status = filter_check_views(ctx, filter, in, out, true);
    }
    if (!status && in->device != SATF_HOST && satf_gpu_captures(ctx, in->device)) {
        return run_captured(ctx, filter, in, out);
    }
    if (status) {
        return status;
    }
    int device = served ? ctx->plan->device : filter_plan_device(ctx, filter, in, out);
    status =
        served ? run_plan(ctx, in->data, out->data) : replace_plan(ctx, filter, in, out, device);
    return filter_plan_leaves(ctx, in, device, status)
               ? replace_plan(ctx, filter, in, out, SATF_HOST)
               : status;
}

satf_status satf_filter_apply(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                              const satf_view *out)
{
    return ctx ? satf_gpu_leave(ctx, apply(ctx, filter, in, out)) : SATF_INVALID;
}

static satf_status scratch_bytes(satf_context *ctx, const satf_filter *filter, const satf_view *in,
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
    /* What a device cannot do after all is the CPU's. */
    int device =
        ctx->device == SATF_DEVICE_AUTO ? in->device : filter_plan_device(ctx, filter, in, out);
    filter_plan_spec spec = {.in = *in, .out = *out, .device = device, .use = FILTER_ONCE};
    status = filter_plan_make(ctx, filter, &spec, &plan);
    if (!status) {
        if (plan->device == plan->in.device && plan->bytes) { /* else it is the device's */
            *bytes = plan->bytes + 63;                        /* the caller's may need aligning */
        }
        filter_plan_free(ctx, plan);
    }
    return status;
}

satf_status satf_filter_scratch(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                                const satf_view *out, size_t *bytes)
{
    return ctx ? satf_gpu_leave(ctx, scratch_bytes(ctx, filter, in, out, bytes)) : SATF_INVALID;
}

void satf_context_ran(const satf_context *ctx, satf_ran *ran, size_t bytes)
{
    satf_ran all = {0};
    if (ctx) {
        all = (satf_ran){ctx->report_engine, ctx->report_algorithm, ctx->report_device};
    }
    satf_give(ran, bytes, &all, sizeof all);
}
