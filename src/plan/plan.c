/* Makes plans: what is decided once for a chain and the shape of its images. */
#include "plan_memory.h"

#include <inttypes.h>
#include <string.h>

#include "../base/memory.h"
#include "../base/parallel.h"
#include "../base/view.h"
#include "../chain/region.h"
#include "walk.h"

/* The bytes that planning adds up: the largest image behind even and behind odd filters, at a
 * filter's ends and between its passes; the most scratch of a step; all that steps keep. */
typedef struct plan_sizes {
    size_t image[2], end[2], passes, scratch, kept;
} plan_sizes;

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Counts an image of a step, if it lies in the plan's memory. */
static satf_status plan_add_image(satf_context *ctx, const plan_place *place, const satf_view *view,
                                  plan_sizes *sizes)
{
    size_t bytes, *most = place->kind == PLACE_EVEN     ? &sizes->image[0]
                          : place->kind == PLACE_ODD    ? &sizes->image[1]
                          : place->kind == PLACE_LOADED ? &sizes->end[0]
                          : place->kind == PLACE_MADE   ? &sizes->end[1]
                          : place->kind == PLACE_PASS   ? &sizes->passes
                                                        : NULL;
    if (!most) {
        return SATF_OK;
    }
    satf_status status = plan_image_bytes(ctx, view, &bytes);
    if (!status && !satf_add(bytes, place->at, &bytes)) {
        status = plan_fail_size(ctx);
    }
    *most = status ? *most : larger(*most, bytes);
    return status;
}

/* Engines multiply the pixels of a row or column, or of a window around it, by less than so many
 * bytes without a check. Where addresses have 64 bits all images that exist are short enough. */
enum { MOST_PIXEL_BYTES = 1 << 14 };

static bool has_short_sides(const filter_step *step)
{
    const int64_t lengths[] = {step->in.width,   step->in.height,  step->out.width,
                               step->out.height, step->size.width, step->size.height};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        if (lengths[i] > PTRDIFF_MAX / MOST_PIXEL_BYTES) {
            return false;
        }
    }
    return true;
}

static satf_status plan_step_at(satf_context *ctx, satf_plan *plan, size_t index, plan_sizes *sizes)
{
    const plan_step *of = &plan->steps[index];
    filter_step *step = &plan->steps[index].step;
    bool by_rows = plan->use == FILTER_BY_ROWS;
    step->need.refusal =
        by_rows && step->engine->refuses_rows ? step->engine->refuses_rows(ctx, step) : NULL;
    if (step->need.refusal) {
        return SATF_OK;
    }
    satf_status status = has_short_sides(step) ? filter_step_plan(ctx, step) : plan_fail_size(ctx);
    if (!status && !walk_is_inside(plan, index)) {
        status = plan_add_image(ctx, &of->out, &step->out, sizes);
        status = status ? status : plan_add_image(ctx, &of->twin, &step->twin_out, sizes);
    }
    sizes->scratch = larger(sizes->scratch, step->scratch_bytes);
    if (!status && (step->kept_bytes > SIZE_MAX / 8 ||
                    !satf_add(sizes->kept, satf_align64(step->kept_bytes), &sizes->kept))) {
        status = plan_fail_size(ctx);
    }
    return status;
}

static satf_status reserve_walks(satf_context *ctx, satf_plan *plan)
{
    satf_status status = walk_lay_out(plan) ? SATF_OK : plan_fail_size(ctx);
    size_t all = 0;
    for (size_t w = 0; w < plan->walk_count && !status; w++) {
        size_t bytes = 0;
        status = satf_mul(plan->walks[w].bytes, (size_t)plan->walks[w].walkers, &bytes)
                     ? SATF_OK
                     : plan_fail_size(ctx);
        all = status ? all : larger(all, bytes);
    }
    return status ? status : plan_reserve(ctx, plan, all, &plan->walkers_at);
}

static satf_status plan_steps(satf_context *ctx, satf_plan *plan)
{
    plan_sizes sizes = {{0, 0}, {0, 0}, 0, 0, 0};
    satf_status status = plan_make_steps(ctx, plan);
    if (!status) {
        walk_find(ctx, plan);
    }
    for (size_t i = 0; i < plan->count && !status; i++) {
        status = plan_step_at(ctx, plan, i, &sizes);
    }
    walk_keep(plan);
    status = status ? status : plan_reserve(ctx, plan, sizes.image[0], &plan->images_at[0]);
    status = status ? status : plan_reserve(ctx, plan, sizes.image[1], &plan->images_at[1]);
    status = status ? status : plan_reserve(ctx, plan, sizes.end[0], &plan->ends_at[0]);
    status = status ? status : plan_reserve(ctx, plan, sizes.end[1], &plan->ends_at[1]);
    status = status ? status : plan_reserve(ctx, plan, sizes.passes, &plan->passes_at);
    status = status ? status : plan_reserve(ctx, plan, sizes.scratch, &plan->scratch_at);
    status = status ? status : reserve_walks(ctx, plan);
    return status ? status : plan_reserve(ctx, plan, sizes.kept, &plan->kept_at);
}

/* The most steps that the chain may have. */
static size_t most_steps(const satf_filter *chain)
{
    size_t steps = 0;
    for (size_t i = 0; i < chain->count; i++) {
        int most = 0;
        for (int w = 0; w < FILTER_MAX_WAYS; w++) {
            int count = chain->links[i].info->ways[w].count;
            most = count > most ? count : most;
        }
        steps += (size_t)most + 2; /* the steps at a filter's ends */
    }
    return steps + 2; /* the steps at the chain's ends */
}

/* Reserves packed copies of images that go to a device and back. */
static satf_status reserve_near(satf_context *ctx, satf_plan *plan)
{
    const satf_view *ends[2] = {&plan->in, &plan->out};
    for (int i = 0; i < 2; i++) {
        satf_view copy = plan_packed(ends[i], NULL);
        size_t bytes;
        plan->near_out = plan->near_bytes;
        if (satf_is_packed(ends[i])) {
            continue;
        }
        if (!satf_mul((size_t)copy.stride, (size_t)copy.height, &bytes) || bytes > SIZE_MAX / 4) {
            return plan_fail_size(ctx);
        }
        plan->near_bytes += satf_align64(bytes);
    }
    return SATF_OK;
}

/* Finds the places that the first filter reads and the last one writes. */
static satf_status place_ends(satf_context *ctx, satf_plan *plan)
{
    satf_view result;
    satf_status status = satf_filter_output(ctx, plan->chain, &plan->in, &result);
    if (status) {
        return status;
    }
    filter_reach lost = filter_margins(&plan->chain->links[plan->chain->count - 1]);
    if (lost.left < 0) { /* a zero edge */
        lost = (filter_reach){0, 0, 0, 0};
    }
    plan->result = (satf_rect){lost.left, lost.top, result.width, result.height};
    plan->to.width = lost.left + result.width + lost.right;
    plan->to.height = lost.top + result.height + lost.bottom;
    if (plan->whole) {
        plan->part = (satf_rect){0, 0, result.width, result.height};
    }
    if (plan_copies_out(plan)) {
        plan->to = plan_packed(&plan->to, NULL);
    }
    if (!plan_crosses(plan)) {
        return SATF_OK;
    }
    status = plan_reserve_view(ctx, plan, &plan->from, &plan->from_at);
    status = status ? status : reserve_near(ctx, plan);
    if (!status && plan->aux.width > 0) {
        status = plan_reserve_view(ctx, plan, &plan->from_aux, &plan->aux_at);
    }
    return status ? status : plan_reserve_view(ctx, plan, &plan->to, &plan->to_at);
}

/* A filter of two outputs must be the last, and the second output must be taken. */
static satf_status check_outputs(satf_context *ctx, const satf_plan *plan)
{
    for (size_t i = 0; i < plan->chain->count; i++) {
        bool last = i + 1 == plan->chain->count;
        const filter_info *info = plan->chain->links[i].info;
        if (filter_outputs(info) && (!last || plan->twin.width == 0)) {
            return satf_fail(ctx, SATF_UNSUPPORTED,
                             "%s makes two images, which only satf_plan_create() takes, as two "
                             "outputs of the last filter of a chain",
                             info->name);
        }
    }
    return SATF_OK;
}

static satf_status decide(satf_context *ctx, satf_plan *plan)
{
    satf_status status = check_outputs(ctx, plan);
    if (!status && plan->use != FILTER_BY_ROWS) { /* by rows the chain may be a part of one */
        status = filter_check_engine(ctx, plan->chain, plan->device);
    }
    if (!status && plan->device != SATF_HOST) { /* whose algorithms are asked for */
        status = satf_gpu_open(ctx, plan->device);
    }
    status = status ? status : place_ends(ctx, plan);
    status = status ? status : plan_steps(ctx, plan);
    /* The limit is for memory of the host; a device's has another. */
    size_t bytes = plan->device == SATF_HOST ? plan->bytes : plan->near_bytes;
    if (status || bytes <= (uint64_t)ctx->settings.max_bytes) {
        return status;
    }
    return satf_fail(ctx, SATF_LIMIT,
                     "filtering needs %zu bytes of memory, above the limit of %" PRId64
                     " bytes (limit: max-memory)",
                     bytes, ctx->settings.max_bytes);
}

void filter_plan_drop(satf_plan *plan)
{
    if (plan->order.done) {
        satf_cuda()->order_free(&plan->order);
    }
    for (size_t i = 0; plan->steps && i < plan->count; i++) {
        filter_step_release(&plan->steps[i].step);
    }
    for (size_t i = 0; i < plan->picture_count; i++) {
        satf_image_destroy(plan->pictures[i].made);
        filter_picture_release(plan->pictures[i].weights);
    }
    satf_free(plan->steps);
    satf_free(plan->pictures);
    satf_free(plan->walks);
    satf_filter_destroy(plan->chain);
    filter_picture_release(plan->weights);
    satf_free(plan);
}

void filter_plan_free(satf_context *ctx, satf_plan *plan)
{
    filter_plan_detach(ctx, plan);
    filter_plan_drop(plan);
}

satf_status filter_plan_make(satf_context *ctx, const filter_call *call, int device, filter_use use,
                             satf_plan **made)
{
    size_t steps = most_steps(call->filter) * sizeof(plan_step);
    size_t pictures = 3 * call->filter->count * sizeof(plan_picture);
    size_t walks = most_steps(call->filter) * sizeof(plan_walk); /* at most one for each step */
    *made = NULL;
    satf_plan *plan = satf_alloc_zeroed(sizeof *plan);
    if (!plan) {
        return satf_fail_memory(ctx, sizeof *plan, "a plan");
    }
    plan->ctx = ctx;
    plan->in = plan->from = *call->in;
    plan->out = plan->to = *call->out;
    if (call->aux) {
        plan->aux = plan->from_aux = *call->aux;
    }
    if (call->twin) {
        plan->twin = *call->twin;
        plan->twin.data = NULL;
    }
    plan->part = call->part;
    plan->whole = call->whole;
    plan->in.data = plan->from.data = plan->out.data = plan->to.data = NULL;
    plan->aux.data = plan->from_aux.data = NULL;
    plan->device = device;
    plan->use = use;
    plan->asked_device = call->device;
    plan->settings = ctx->settings;
    plan->chain = chain_new(ctx);
    satf_status status =
        plan->chain ? satf_filter_append(ctx, plan->chain, call->filter) : SATF_NO_MEMORY;
    if (!status) {
        plan->weights = plan->chain->counting.weights;
        filter_picture_share(plan->weights);
        plan->steps = satf_alloc_zeroed(steps);
        plan->pictures = satf_alloc_zeroed(pictures);
        plan->walks = satf_alloc_zeroed(walks);
        status = plan->steps && plan->pictures && plan->walks
                     ? decide(ctx, plan)
                     : satf_fail_memory(ctx, steps + pictures + walks, "a plan");
    }
    if (status) {
        filter_plan_drop(plan);
        return status;
    }
    *made = plan;
    return SATF_OK;
}

satf_status filter_plan_rows(satf_context *ctx, const satf_filter *chain, size_t index,
                             size_t count, const satf_plan *before, const satf_view *in,
                             const satf_rect *part, const satf_view *out, satf_plan **plan)
{
    satf_filter links = {
        .count = count, .links = &chain->links[index], .counting = chain->counting};
    links.counting.weights = before ? before->weights : chain->counting.weights;
    filter_call call = filter_whole_call(ctx, &links, in, out);
    if (part) {
        call.whole = false;
        call.part = *part;
    }
    return filter_plan_make(ctx, &call, SATF_HOST, FILTER_BY_ROWS, plan);
}
