/* Plans: their memory, and runs. */
#include "../base/memory.h"
#include "plan.h"

/* Memory of the host begins at a page, so that rows lie to one another as they do in every plan of
 * the shape: where they share places of the caches a run may take a tenth longer. */
enum { PAGE = 4096 };

static satf_status allocate(satf_context *ctx, satf_plan *plan)
{
    static const char what[] = "filtering";
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
        filter_step *step = &plan->steps[i].step;
        if (step->engine->prepare) {
            status = step->engine->prepare(ctx, step);
        }
    }
    if (!status && plan->pictured && plan->device != plan->beside.device) {
        satf_view there = plan->from_beside;
        there.data = plan->memory + plan->beside_at;
        status = satf_gpu_copy(ctx, &plan->beside, &there);
        status = status ? status : satf_gpu_wait(ctx, plan->device);
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
        filter_step *step = &plan->steps[i].step;
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
    plan->memory = NULL;
    plan->owned = NULL;
}

void filter_plan_free(satf_context *ctx, satf_plan *plan)
{
    filter_plan_detach(ctx, plan);
    filter_plan_drop(plan);
}

/* ----------------------------------------------------------------------- running */

static char *find(const satf_plan *plan, const plan_place *place, const plan_images *images)
{
    switch (place->kind) {
    case PLACE_INPUT:
        return (char *)(uintptr_t)images->in;
    case PLACE_BESIDE:
        return (char *)(uintptr_t)images->beside;
    case PLACE_OUTPUT:
        return images->out;
    case PLACE_EVEN:
        return plan->memory + plan->images[0];
    case PLACE_ODD:
        return plan->memory + plan->images[1];
    default:
        return plan->memory + plan->parts + place->at;
    }
}

/* The chain where the work is done. */
static satf_status run_steps(satf_context *ctx, satf_plan *plan, const plan_images *images)
{
    double share = 1 / (double)plan->count;
    for (size_t i = 0; i < plan->count; i++) {
        plan_step *of = &plan->steps[i];
        filter_step *step = &of->step;
        satf_progress_part whole = satf_progress_enter(ctx, (double)i * share, share);
        satf_status status = satf_report_progress(ctx, 0);
        ctx->report_engine = step->engine->name;
        ctx->report_algorithm = step->engine->algorithm ? step->engine->algorithm(step) : NULL;
        if (!status && plan->in_graph && step->engine->prepare) {
            status = step->engine->prepare(ctx, step); /* who knows what the graph has left */
        }
        if (!status) {
            const void *beside[2] = {find(plan, &of->beside[0], images),
                                     find(plan, &of->beside[1], images)};
            status = filter_step_run(ctx, step, find(plan, &of->in, images), beside,
                                     find(plan, &of->out, images));
        }
        satf_progress_leave(ctx, whole);
        if (status) {
            return status;
        }
    }
    return SATF_OK;
}

static satf_status copy_up(satf_context *ctx, const satf_plan *plan, const satf_view *like,
                           const void *data, const satf_view *to, size_t at)
{
    satf_view here = *like, there = *to;
    here.data = (void *)(uintptr_t)data;
    there.data = plan->memory + at;
    return satf_gpu_copy(ctx, &here, &there);
}

/* Images of the host on a device: up, the whole chain, and down again. */
static satf_status run_across(satf_context *ctx, satf_plan *plan, const plan_images *images)
{
    satf_view result = plan->to, back = plan->out;
    plan_images there = *images;
    there.in = plan->memory + plan->from_at;
    there.out = result.data = plan->memory + plan->to_at;
    back.data = images->out;
    satf_status status = satf_report_progress(ctx, 0);
    status =
        status ? status : copy_up(ctx, plan, &plan->in, images->in, &plan->from, plan->from_at);
    if (!status) {
        satf_progress_part whole = satf_progress_enter(ctx, 1.0 / 3, 1.0 / 3);
        status = run_steps(ctx, plan, &there);
        satf_progress_leave(ctx, whole);
    }
    if (!status || status == SATF_CANCELLED) { /* the output is untouched on failure */
        satf_status waited = satf_gpu_wait(ctx, plan->device); /* and the input the caller's */
        status = status ? status : waited;
    }
    status = status ? status : satf_gpu_copy(ctx, &result, &back);
    return status ? status : satf_gpu_wait(ctx, plan->device);
}

/* The image beside, where the work is done. */
static satf_status place_beside(satf_context *ctx, satf_plan *plan, plan_images *images)
{
    if (plan->beside.width == 0) {
        return SATF_OK;
    }
    const void *data = plan->pictured ? plan->beside.data : images->beside;
    images->beside = data;
    if (plan->device == plan->beside.device) {
        return SATF_OK;
    }
    images->beside = plan->memory + plan->beside_at;
    return plan->pictured
               ? SATF_OK
               : copy_up(ctx, plan, &plan->beside, data, &plan->from_beside, plan->beside_at);
}

satf_status filter_plan_run(satf_context *ctx, satf_plan *plan, const plan_images *images)
{
    plan_images all = *images;
    satf_progress_begin(ctx);
    ctx->report_device = plan->device == SATF_HOST ? "cpu" : "cuda";
    satf_status status = begin_use(ctx, plan);
    if (!status) {
        status = place_beside(ctx, plan, &all);
        status = status                            ? status
                 : plan->device == plan->in.device ? run_steps(ctx, plan, &all)
                                                   : run_across(ctx, plan, &all);
        end_use(ctx, plan);
    }
    return status ? status : satf_report_progress(ctx, 1);
}

/* ------------------------------------------------------------------------- by rows */

satf_status filter_plan_rows(satf_context *ctx, const satf_filter *chain, size_t index,
                             const satf_view *in, const satf_view *out, satf_plan **plan)
{
    satf_filter one = {.count = 1, .links = &chain->links[index]};
    filter_plan_spec spec = {.in = *in, .out = *out, .device = SATF_HOST, .use = FILTER_BY_ROWS};
    return filter_plan_make(ctx, &one, &spec, plan);
}

filter_rows_need filter_plan_need(const satf_plan *plan)
{
    filter_rows_need need = {.refusal = plan->refusal};
    if (!plan->refusal) {
        need = plan->steps[0].step.need;
        need.bytes = plan->bytes;
    }
    return need;
}

satf_status filter_plan_run_rows(satf_context *ctx, satf_plan *plan, const filter_rows *rows)
{
    filter_step *step = &plan->steps[0].step;
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
