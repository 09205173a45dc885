/* Plans: what is decided once for a chain and its images' shape, and runs any number of times. */
#include "plan.h"

#include <inttypes.h>
#include <string.h>

#include "../base/memory.h"
#include "../base/parallel.h"
#include "../base/view.h"
#include "pixels.h"

/* Memory of the host begins at a page, so that rows lie to one another as they do in every plan of
 * the shape: where they share places of the caches a run may take a tenth longer. */
enum { PAGE = 4096 };

/* ---------------------------------------------------------------------- deciding */

static satf_status fail_size(satf_context *ctx)
{
    return satf_fail(ctx, SATF_LIMIT, "the chain's images are too large for any memory");
}

/* Puts a part of that many bytes behind the others. */
static satf_status reserve(satf_context *ctx, satf_plan *plan, size_t bytes, size_t *at)
{
    *at = plan->bytes;
    if (bytes > SIZE_MAX / 8 || !satf_add(plan->bytes, satf_align64(bytes), &plan->bytes) ||
        plan->bytes > SIZE_MAX / 2) {
        return fail_size(ctx);
    }
    return SATF_OK;
}

/* A view without data of images like that one in the plan's memory: rows are packed, but for
 * their alignment. */
static satf_status reserve_view(satf_context *ctx, satf_plan *plan, satf_view *view, size_t *at)
{
    size_t row = (size_t)satf_row_samples(view) * satf_type_bytes(view->type), bytes;
    view->stride = (int64_t)satf_align64(row);
    view->device = plan->device;
    view->pixel_stride = 0;
    if (!satf_mul((size_t)view->stride, (size_t)view->height, &bytes)) {
        return fail_size(ctx);
    }
    return reserve(ctx, plan, bytes, at);
}

int filter_plan_device(const satf_context *ctx, const filter_call *call)
{
    char why[FILTER_WHY_BYTES];
    if (call->in->device != SATF_HOST) {
        return call->in->device;
    }
    return ctx->device != SATF_DEVICE_AUTO
               ? ctx->device
               : filter_choose_device(ctx, call->filter, call->in, call->out, 0, why);
}

bool filter_plan_leaves(const satf_context *ctx, const filter_call *call, int device,
                        satf_status status)
{
    return ctx->device == SATF_DEVICE_AUTO && device != call->in->device &&
           filter_leaves_device(ctx, status);
}

static satf_status plan_steps(satf_context *ctx, satf_plan *plan, bool by_rows)
{
    satf_view from = plan->from, to;
    size_t image[2] = {0, 0}, most = 0, all_kept = 0;
    for (; plan->count < plan->chain->count; plan->count++, from = to) {
        const chain_link *link = &plan->chain->links[plan->count];
        filter_step *step = &plan->steps[plan->count];
        bool last = plan->count + 1 == plan->chain->count;
        satf_status status = filter_step_output(ctx, link, &from, &to);
        if (status) {
            return status;
        }
        size_t bytes = 0, *taken = &image[plan->count % 2];
        if (last) {
            to = plan->to;
        } else if (!satf_mul((size_t)to.stride, (size_t)to.height, &bytes)) {
            return fail_size(ctx);
        }
        *taken = bytes > *taken ? bytes : *taken;
        status = filter_step_plan(ctx, link, &from, &to, by_rows, step);
        if (status) {
            return status;
        }
        most = step->scratch_bytes > most ? step->scratch_bytes : most;
        if (step->kept_bytes > SIZE_MAX / 8 ||
            !satf_add(all_kept, satf_align64(step->kept_bytes), &all_kept)) {
            plan->count++;
            return fail_size(ctx);
        }
    }
    satf_status status = reserve(ctx, plan, image[0], &plan->images[0]);
    status = status ? status : reserve(ctx, plan, image[1], &plan->images[1]);
    status = status ? status : reserve(ctx, plan, most, &plan->scratch);
    return status ? status : reserve(ctx, plan, all_kept, &plan->kept);
}

/* Whether the work is done elsewhere than where the caller's images are. */
static bool crosses(const satf_plan *plan)
{
    return plan->device != plan->in.device;
}

/* Whether the chain reads a copy of the input in the plan's memory, and whether its result lies
 * there and is copied from there. */
static bool fetches(const satf_plan *plan)
{
    return crosses(plan) || !satf_is_packed(&plan->in);
}

static bool delivers(const satf_plan *plan)
{
    return crosses(plan) || !plan->whole || !satf_is_packed(&plan->out);
}

/* A caller's image with its pixels packed. */
static satf_view packed(const satf_view *view, void *data)
{
    satf_view copy =
        satf_view_packed(data, view->width, view->height, view->channels, (satf_type)view->type);
    copy.device = view->device;
    copy.flags = view->flags;
    return copy;
}

/* Packed copies of what crosses. */
static satf_status reserve_near(satf_context *ctx, satf_plan *plan)
{
    const satf_view *ends[2] = {&plan->in, &plan->out};
    for (int i = 0; i < 2; i++) {
        satf_view copy = packed(ends[i], NULL);
        size_t bytes;
        plan->near_out = plan->near_bytes;
        if (satf_is_packed(ends[i])) {
            continue;
        }
        if (!satf_mul((size_t)copy.stride, (size_t)copy.height, &bytes) || bytes > SIZE_MAX / 4) {
            return fail_size(ctx);
        }
        plan->near_bytes += satf_align64(bytes);
    }
    return SATF_OK;
}

/* Where the first filter reads, and the last one writes. */
static satf_status place_ends(satf_context *ctx, satf_plan *plan)
{
    satf_view result;
    satf_status status = satf_filter_output(ctx, plan->chain, &plan->in, &result);
    if (status) {
        return status;
    }
    plan->to.width = result.width;
    plan->to.height = result.height;
    if (plan->whole) {
        plan->part = (satf_rect){0, 0, result.width, result.height};
    }
    plan->from.pixel_stride = plan->to.pixel_stride = 0;
    if (fetches(plan)) {
        status = reserve_view(ctx, plan, &plan->from, &plan->from_at);
    }
    if (!status && crosses(plan)) {
        status = reserve_near(ctx, plan);
    }
    if (!status && delivers(plan)) {
        status = reserve_view(ctx, plan, &plan->to, &plan->to_at);
    }
    return status;
}

static satf_status decide(satf_context *ctx, satf_plan *plan, bool by_rows)
{
    satf_status status = SATF_OK;
    if (plan->device != SATF_HOST) { /* whose algorithms are asked */
        status = satf_gpu_open(ctx, plan->device);
    }
    status = status ? status : place_ends(ctx, plan);
    status = status ? status : plan_steps(ctx, plan, by_rows);
    /* The limit is the host's; the device's memory has its own end. */
    size_t bytes = plan->device == SATF_HOST ? plan->bytes : plan->near_bytes;
    if (status || bytes <= (uint64_t)ctx->max_bytes) {
        return status;
    }
    return satf_fail(ctx, SATF_LIMIT,
                     "filtering needs %zu bytes of memory, above the limit of %" PRId64
                     " bytes (limit: max-memory)",
                     bytes, ctx->max_bytes);
}

void filter_plan_free(satf_context *ctx, satf_plan *plan)
{
    filter_plan_detach(ctx, plan);
    satf_gpu_order_free(&plan->order);
    for (size_t i = 0; plan->steps && i < plan->count; i++) {
        satf_free(plan->steps[i].state);
    }
    satf_free(plan->steps);
    satf_filter_destroy(plan->chain);
    satf_free(plan);
}

satf_status filter_plan_make(satf_context *ctx, const filter_call *call, int device, bool by_rows,
                             satf_plan **made)
{
    size_t steps_bytes = call->filter->count * sizeof(filter_step);
    *made = NULL;
    satf_plan *plan = satf_alloc_zeroed(sizeof *plan);
    if (!plan) {
        return satf_fail_memory(ctx, sizeof *plan, "a plan");
    }
    plan->ctx = ctx;
    plan->in = plan->from = *call->in;
    plan->out = plan->to = *call->out;
    plan->part = call->part;
    plan->whole = call->whole;
    plan->in.data = plan->from.data = plan->out.data = plan->to.data = NULL;
    plan->device = device;
    plan->threads = satf_thread_count(ctx);
    memcpy(plan->settings, ctx, sizeof plan->settings);
    plan->chain = chain_new(ctx);
    satf_status status =
        plan->chain ? satf_filter_append(ctx, plan->chain, call->filter) : SATF_NO_MEMORY;
    if (!status) {
        plan->steps = satf_alloc_zeroed(steps_bytes);
        status =
            plan->steps ? decide(ctx, plan, by_rows) : satf_fail_memory(ctx, steps_bytes, "a plan");
    }
    if (status) {
        filter_plan_free(ctx, plan);
        return status;
    }
    *made = plan;
    return SATF_OK;
}

/* ------------------------------------------------------------------------ memory */

static satf_status allocate(satf_context *ctx, satf_plan *plan)
{
    static const char what[] = "filtering";
    if (plan->near_bytes && !(plan->near = satf_alloc(plan->near_bytes))) {
        return satf_fail_memory(ctx, plan->near_bytes, what);
    }
    if (plan->device != SATF_HOST) {
        satf_status status = satf_gpu_alloc(ctx, plan->device, plan->bytes, what, &plan->owned);
        plan->memory = status ? NULL : plan->owned;
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
static satf_status begin_use(satf_context *ctx, satf_plan *plan)
{
    bool captured = false;
    if (plan->device == SATF_HOST) {
        return SATF_OK;
    }
    satf_status status = satf_gpu_order_begin(ctx, plan->device, &plan->order, &captured);
    plan->in_graph |= captured;
    return status;
}

static void end_use(satf_context *ctx, satf_plan *plan)
{
    if (plan->device != SATF_HOST) {
        satf_gpu_order_end(ctx, &plan->order);
    }
}

static satf_status prepare(satf_context *ctx, satf_plan *plan)
{
    satf_status status = SATF_OK;
    for (size_t i = 0; i < plan->count && !status; i++) {
        filter_step *step = &plan->steps[i];
        if (step->engine->prepare) {
            status = step->engine->prepare(ctx, step);
        }
    }
    return status;
}

satf_status filter_plan_attach(satf_context *ctx, satf_plan *plan, char *memory)
{
    satf_status status = begin_use(ctx, plan);
    plan->memory = memory;
    if (!status && !memory && plan->bytes) {
        status = allocate(ctx, plan);
    }
    if (status) {
        return status;
    }
    size_t at = plan->kept;
    for (size_t i = 0; i < plan->count && plan->memory; i++) {
        filter_step *step = &plan->steps[i];
        step->scratch = plan->memory + plan->scratch;
        step->kept = plan->memory + at;
        at += satf_align64(step->kept_bytes);
    }
    status = prepare(ctx, plan);
    end_use(ctx, plan);
    return status;
}

void filter_plan_detach(satf_context *ctx, satf_plan *plan)
{
    if (plan->device == SATF_HOST) {
        satf_free(plan->owned);
    } else if (plan->owned && begin_use(ctx, plan) == SATF_OK) {
        satf_gpu_free(ctx, plan->owned);
        end_use(ctx, plan);
    }
    satf_free(plan->near);
    plan->memory = plan->near = NULL;
    plan->owned = NULL;
}

/* ----------------------------------------------------------------------- running */

/* The chain where the work is done. */
static satf_status run_steps(satf_context *ctx, satf_plan *plan, const void *in, void *out)
{
    double share = 1 / (double)plan->count;
    for (size_t i = 0; i < plan->count; i++) {
        filter_step *step = &plan->steps[i];
        void *to = i + 1 == plan->count ? out : plan->memory + plan->images[i % 2];
        satf_progress_part whole = satf_progress_enter(ctx, (double)i * share, share);
        satf_status status = satf_report_progress(ctx, 0);
        ctx->report_engine = step->engine->name;
        ctx->report_algorithm = step->engine->algorithm ? step->engine->algorithm(step) : NULL;
        if (!status && plan->in_graph && step->engine->prepare) {
            status = step->engine->prepare(ctx, step); /* who knows what the graph has left */
        }
        if (!status) {
            status = filter_step_run(ctx, step, in, to);
        }
        satf_progress_leave(ctx, whole);
        if (status) {
            return status;
        }
        in = to;
    }
    return SATF_OK;
}

/* What is to be delivered of the result. */
static satf_view part_of_result(const satf_plan *plan)
{
    satf_view result = plan->to;
    result.data = plan->memory + plan->to_at;
    return satf_view_rect(&result, plan->part);
}

/* Where the images are. */
static satf_status run_here(satf_context *ctx, satf_plan *plan, const satf_view *in,
                            const satf_view *out)
{
    satf_view from = plan->from;
    satf_status status = SATF_OK;
    from.data = in->data;
    if (fetches(plan)) {
        from.data = plan->memory + plan->from_at;
        status = filter_copy_pixels(ctx, in, &from);
    }
    if (!status) {
        status = run_steps(ctx, plan, from.data,
                           delivers(plan) ? plan->memory + plan->to_at : out->data);
    }
    if (!status && delivers(plan)) {
        satf_view part = part_of_result(plan);
        status = filter_copy_pixels(ctx, &part, out);
    }
    return status;
}

/* Images of the host on a device: up, the whole chain, and down again. */
static satf_status run_across(satf_context *ctx, satf_plan *plan, const satf_view *in,
                              const satf_view *out)
{
    satf_view here = *in, there = plan->from, part = part_of_result(plan), back = *out;
    there.data = plan->memory + plan->from_at;
    satf_status status = satf_report_progress(ctx, 0);
    if (!satf_is_packed(in)) {
        here = packed(in, plan->near);
        status = status ? status : filter_copy_pixels(ctx, in, &here);
    }
    if (!satf_is_packed(out)) {
        back = packed(out, plan->near + plan->near_out);
    }
    status = status ? status : satf_gpu_copy(ctx, &here, &there);
    if (!status) {
        satf_progress_part whole = satf_progress_enter(ctx, 1.0 / 3, 1.0 / 3);
        status = run_steps(ctx, plan, there.data, plan->memory + plan->to_at);
        satf_progress_leave(ctx, whole);
    }
    if (!status || status == SATF_CANCELLED) { /* the output is untouched on failure */
        satf_status waited = satf_gpu_wait(ctx, plan->device); /* and the input the caller's */
        status = status ? status : waited;
    }
    status = status ? status : satf_gpu_copy(ctx, &part, &back);
    status = status ? status : satf_gpu_wait(ctx, plan->device);
    return status || satf_is_packed(out) ? status : filter_copy_pixels(ctx, &back, out);
}

satf_status filter_plan_run(satf_context *ctx, satf_plan *plan, const void *in, void *out)
{
    satf_progress_begin(ctx);
    ctx->report_device = plan->device == SATF_HOST ? "cpu" : "cuda";
    satf_view from = plan->in, to = plan->out;
    from.data = (void *)(uintptr_t)in;
    to.data = out;
    satf_status status = begin_use(ctx, plan);
    if (!status) {
        status =
            crosses(plan) ? run_across(ctx, plan, &from, &to) : run_here(ctx, plan, &from, &to);
        end_use(ctx, plan);
    }
    return status ? status : satf_report_progress(ctx, 1);
}

/* ------------------------------------------------------------------------- by rows */

satf_status filter_plan_rows(satf_context *ctx, const satf_filter *chain, size_t index,
                             const satf_view *in, const satf_view *out, satf_plan **plan)
{
    satf_filter one = {.count = 1, .links = &chain->links[index]};
    filter_call call = filter_whole_call(&one, in, out);
    return filter_plan_make(ctx, &call, SATF_HOST, true, plan);
}

filter_rows_need filter_plan_need(const satf_plan *plan)
{
    filter_rows_need need = plan->steps[0].need;
    need.bytes = plan->bytes;
    return need;
}

satf_status filter_plan_run_rows(satf_context *ctx, satf_plan *plan, const filter_rows *rows)
{
    filter_step *step = &plan->steps[0];
    satf_status status = filter_plan_attach(ctx, plan, NULL);
    if (!status) {
        satf_progress_begin(ctx);
        ctx->report_device = "cpu";
        ctx->report_engine = step->engine->name;
        ctx->report_algorithm = step->engine->algorithm ? step->engine->algorithm(step) : NULL;
        status = filter_step_run_rows(ctx, step, rows);
    }
    filter_plan_detach(ctx, plan);
    return status ? status : satf_report_progress(ctx, 1);
}

/* ---------------------------------------------------------------------- for others */

/* A plan with its memory. */
static satf_status create_on(satf_context *ctx, const filter_call *call, int device,
                             satf_plan **plan)
{
    satf_status status = filter_plan_make(ctx, call, device, false, plan);
    if (!status) {
        status = filter_plan_attach(ctx, *plan, NULL);
        if (status) {
            filter_plan_free(ctx, *plan);
            *plan = NULL;
        }
    }
    return status;
}

static satf_status create(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                          const satf_view *out, satf_plan **plan)
{
    satf_status status = filter_check_views(ctx, filter, in, out, false);
    if (status) {
        return status;
    }
    filter_call call = filter_whole_call(filter, in, out);
    int device = filter_plan_device(ctx, &call);
    status = create_on(ctx, &call, device, plan);
    if (filter_plan_leaves(ctx, &call, device, status)) {
        status = create_on(ctx, &call, SATF_HOST, plan);
    }
    return status;
}

satf_status satf_plan_create(satf_context *ctx, const satf_filter *filter, const satf_view *inputs,
                             size_t input_count, const satf_view *outputs, size_t output_count,
                             satf_plan **plan)
{
    if (plan) {
        *plan = NULL;
    }
    if (!ctx) {
        return SATF_INVALID;
    }
    if (!plan || !inputs || !outputs) {
        return satf_fail(ctx, SATF_INVALID, "the %s missing",
                         !plan     ? "result is"
                         : !inputs ? "inputs are"
                                   : "outputs are");
    }
    if (input_count != 1 || output_count != 1) {
        return satf_fail(ctx, SATF_INVALID,
                         "%zu inputs and %zu outputs: the filter has one of each", input_count,
                         output_count);
    }
    return satf_gpu_leave(ctx, create(ctx, filter, inputs, outputs, plan));
}

satf_status satf_plan_run(satf_plan *plan, const void *const *inputs, void *const *outputs)
{
    if (!plan) {
        return SATF_INVALID;
    }
    satf_context *ctx = plan->ctx;
    if (!inputs || !outputs || !inputs[0] || !outputs[0]) {
        return satf_fail(ctx, SATF_INVALID, "the memory of the input or the output is missing");
    }
    if (satf_thread_count(ctx) > plan->threads) {
        return satf_fail(ctx, SATF_INVALID,
                         "the plan was made for %d threads, and the context has %d now",
                         plan->threads, satf_thread_count(ctx));
    }
    satf_view in = plan->in, out = plan->out;
    in.data = (void *)(uintptr_t)inputs[0];
    out.data = outputs[0];
    if (satf_views_overlap(&in, &out)) {
        return satf_fail(ctx, SATF_INVALID, "the output overlaps the input");
    }
    return satf_gpu_leave(ctx, filter_plan_run(ctx, plan, in.data, out.data));
}

void satf_plan_describe(const satf_plan *plan, satf_plan_info *info, size_t bytes)
{
    satf_plan_info all = {0};
    if (plan) {
        double samples = (double)satf_row_samples(&plan->in) * (double)plan->in.height, ns = 0;
        for (size_t i = 0; i < plan->count; i++) {
            ns += plan->steps[i].ns;
        }
        all.steps = plan->count;
        all.bytes = plan->bytes;
        all.device = plan->device;
        all.ms = samples * ns / 1e6 / (plan->device == SATF_HOST ? plan->threads : 1);
    }
    satf_give(info, bytes, &all, sizeof all);
}

const char *satf_plan_step(const satf_plan *plan, size_t index, satf_ran *ran, size_t bytes)
{
    satf_ran all = {0};
    const filter_step *step = plan && index < plan->count ? &plan->steps[index] : NULL;
    if (step) {
        all = (satf_ran){step->engine->name,
                         step->engine->algorithm ? step->engine->algorithm(step) : NULL,
                         plan->device == SATF_HOST ? "cpu" : "cuda"};
    }
    satf_give(ran, bytes, &all, sizeof all);
    return step ? step->info->name : NULL;
}

void satf_plan_destroy(satf_plan *plan)
{
    if (plan) {
        satf_context *ctx = plan->ctx;
        filter_plan_free(ctx, plan);
        satf_gpu_leave(ctx, SATF_OK);
    }
}
