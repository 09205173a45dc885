/* Plans: what is decided once for a chain and its images' shape. */
#include "plan.h"

#include <inttypes.h>
#include <string.h>

#include "../base/memory.h"
#include "../base/parallel.h"
#include "../base/view.h"

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
    if (!satf_mul((size_t)view->stride, (size_t)view->height, &bytes)) {
        return fail_size(ctx);
    }
    return reserve(ctx, plan, bytes, at);
}

int filter_plan_device(const satf_context *ctx, const satf_filter *chain, const satf_view *in,
                       const satf_view *out)
{
    char why[FILTER_WHY_BYTES];
    return in->device != SATF_HOST           ? in->device
           : ctx->device == SATF_DEVICE_AUTO ? filter_choose_device(ctx, chain, in, out, 0, why)
                                             : ctx->device;
}

bool filter_plan_leaves(const satf_context *ctx, const satf_view *in, int device,
                        satf_status status)
{
    return ctx->device == SATF_DEVICE_AUTO && device != in->device &&
           filter_leaves_device(ctx, status);
}

/* What planning adds up: the most that an image takes behind even and odd filters, between the
 * parts of one, and for steps to work in; all that steps keep. */
typedef struct plan_sizes {
    size_t image[2], parts, scratch, kept;
} plan_sizes;

static satf_status image_bytes(satf_context *ctx, const satf_view *view, size_t *bytes)
{
    if (!satf_mul((size_t)view->stride, (size_t)view->height, bytes) || *bytes > SIZE_MAX / 8) {
        return fail_size(ctx);
    }
    *bytes = satf_align64(*bytes);
    return SATF_OK;
}

static satf_status add_step(satf_context *ctx, satf_plan *plan, const filter_step_spec *spec,
                            plan_sizes *sizes, plan_step **added)
{
    plan_step *next = &plan->steps[plan->count];
    satf_status status = filter_step_plan(ctx, spec, &next->step);
    if (status) {
        return status;
    }
    plan->count++;
    *added = next;
    size_t scratch = next->step.scratch_bytes, kept = next->step.kept_bytes;
    sizes->scratch = scratch > sizes->scratch ? scratch : sizes->scratch;
    return kept < SIZE_MAX / 8 && satf_add(sizes->kept, satf_align64(kept), &sizes->kept)
               ? SATF_OK
               : fail_size(ctx);
}

/* A filter of one step, or of several, from `in` to `out`. */
typedef struct plan_link {
    const chain_link *link;
    satf_view from, to;
    plan_place in, out;
} plan_link;

static satf_status plan_one(satf_context *ctx, satf_plan *plan, const plan_link *of,
                            plan_sizes *sizes)
{
    plan_step *step;
    filter_step_spec spec = {.link = of->link,
                             .in = of->from,
                             .out = of->to,
                             .input_type = (satf_type)of->from.type,
                             .by_rows = plan->by_rows,
                             .lasting = plan->lasting};
    satf_status status = add_step(ctx, plan, &spec, sizes, &step);
    if (!status) {
        step->in = of->in;
        step->out = of->out;
    }
    return status;
}

/* The image `number` of a filter of several steps (filter_part). */
static plan_place part_place(const satf_plan *plan, const plan_link *of, int number, size_t bytes,
                             satf_view *view)
{
    if (number < 2) {
        bool beside = number == 1 && plan->beside.width > 0;
        *view = beside ? plan->from_beside : of->from;
        return beside ? (plan_place){PLACE_BESIDE, 0} : of->in;
    }
    *view = satf_view_packed(NULL, of->from.width, of->from.height, of->from.channels, SATF_F64);
    view->device = plan->device;
    return (plan_place){PLACE_PART, (size_t)(number - 2) * bytes};
}

static satf_status plan_parts(satf_context *ctx, satf_plan *plan, const plan_link *of,
                              plan_sizes *sizes)
{
    bool beside = plan->beside.width > 0;
    if (beside) {
        satf_status status = filter_picture_check(ctx, &plan->beside, &of->from);
        if (status) {
            return status;
        }
    }
    const filter_recipe *recipe = of->link->info->recipe;
    const filter_part *parts = recipe->parts[beside];
    int count = recipe->part_counts[beside];
    satf_view view;
    size_t bytes = 0, all = 0;
    part_place(plan, of, 2, 0, &view);
    satf_status status = image_bytes(ctx, &view, &bytes);
    if (!status && !satf_mul(bytes, (size_t)count - 1, &all)) {
        status = fail_size(ctx);
    }
    sizes->parts = all > sizes->parts ? all : sizes->parts;
    for (int k = 0; k < count && !status; k++) {
        const filter_part *part = &parts[k];
        plan_place in, out, aside[2];
        filter_step_spec spec = {
            .link = of->link, .part = part, .input_type = (satf_type)of->from.type};
        in = part_place(plan, of, part->of, bytes, &spec.in);
        out = part_place(plan, of, 2 + k, bytes, &spec.out);
        for (int b = 0; b < 2; b++) {
            aside[b] = part_place(plan, of, part->beside[b], bytes, &spec.beside[b]);
        }
        if (k + 1 == count) {
            spec.out = of->to;
            out = of->out;
        }
        plan_step *step;
        status = add_step(ctx, plan, &spec, sizes, &step);
        if (!status) {
            step->in = in;
            step->out = out;
            memcpy(step->beside, aside, sizeof aside);
        }
    }
    return status;
}

static satf_status plan_steps(satf_context *ctx, satf_plan *plan)
{
    plan_link of = {.from = plan->from, .in = {PLACE_INPUT, 0}};
    plan_sizes sizes = {{0, 0}, 0, 0, 0};
    satf_status status = SATF_OK;
    for (size_t i = 0; i < plan->chain->count && !status; i++) {
        of.link = &plan->chain->links[i];
        of.to = plan->to;
        of.out = (plan_place){PLACE_OUTPUT, 0};
        if (i + 1 < plan->chain->count) {
            size_t bytes = 0, *most = &sizes.image[i % 2];
            status = filter_step_output(ctx, of.link, &of.from, &of.to);
            status = status ? status : image_bytes(ctx, &of.to, &bytes);
            *most = bytes > *most ? bytes : *most;
            of.out.kind = i % 2 ? PLACE_ODD : PLACE_EVEN;
        }
        bool several = of.link->info->recipe->parts[0] != NULL;
        if (several && plan->by_rows) {
            plan->refusal = "takes several steps, each of the whole picture";
            return SATF_OK;
        }
        status = status    ? status
                 : several ? plan_parts(ctx, plan, &of, &sizes)
                           : plan_one(ctx, plan, &of, &sizes);
        of.from = of.to;
        of.in = of.out;
    }
    status = status ? status : reserve(ctx, plan, sizes.image[0], &plan->images[0]);
    status = status ? status : reserve(ctx, plan, sizes.image[1], &plan->images[1]);
    status = status ? status : reserve(ctx, plan, sizes.parts, &plan->parts);
    status = status ? status : reserve(ctx, plan, sizes.scratch, &plan->scratch);
    return status ? status : reserve(ctx, plan, sizes.kept, &plan->kept);
}

/* Steps of the chain, at most. */
static size_t most_steps(const satf_filter *chain)
{
    size_t steps = 0;
    for (size_t i = 0; i < chain->count; i++) {
        const filter_recipe *recipe = chain->links[i].info->recipe;
        int a = recipe->part_counts[0], b = recipe->part_counts[1];
        steps += (size_t)(a > b ? a : b > 0 ? b : 1);
    }
    return steps;
}

static satf_status decide(satf_context *ctx, satf_plan *plan)
{
    bool crosses = plan->device != plan->in.device;
    satf_status status = SATF_OK;
    if (plan->device != SATF_HOST) { /* whose algorithms are asked */
        status = satf_gpu_open(ctx, plan->device);
    }
    if (crosses && !status) {
        status = reserve_view(ctx, plan, &plan->from, &plan->from_at);
        status = status ? status : reserve_view(ctx, plan, &plan->to, &plan->to_at);
    }
    if (plan->beside.width > 0 && plan->device != plan->beside.device && !status) {
        status = reserve_view(ctx, plan, &plan->from_beside, &plan->beside_at);
    }
    status = status ? status : plan_steps(ctx, plan);
    if (status || plan->device != SATF_HOST || plan->bytes <= (uint64_t)ctx->max_bytes) {
        return status; /* the limit is the host's; the device's memory has its own end */
    }
    return satf_fail(ctx, SATF_LIMIT,
                     "filtering needs %zu bytes of memory, above the limit of %" PRId64
                     " bytes (limit: max-memory)",
                     plan->bytes, ctx->max_bytes);
}

void filter_plan_drop(satf_plan *plan)
{
    satf_gpu_order_free(&plan->order);
    for (size_t i = 0; plan->steps && i < plan->count; i++) {
        filter_step_release(&plan->steps[i].step);
    }
    satf_free(plan->steps);
    satf_filter_destroy(plan->chain);
    satf_free(plan);
}

/* The image beside the input that a parameter of the chain names; without data and width if none.
 */
static satf_view find_picture(const satf_filter *chain, bool *found)
{
    for (size_t i = 0; i < chain->count; i++) {
        filter_picture *const *picture = chain_value(&chain->links[i], PARAM_IMAGE);
        if (picture && *picture) {
            *found = true;
            return (*picture)->view;
        }
    }
    return (satf_view){0};
}

satf_status filter_plan_make(satf_context *ctx, const satf_filter *chain,
                             const filter_plan_spec *spec, satf_plan **made)
{
    *made = NULL;
    satf_plan *plan = satf_alloc_zeroed(sizeof *plan);
    if (!plan) {
        return satf_fail_memory(ctx, sizeof *plan, "a plan");
    }
    plan->ctx = ctx;
    plan->in = plan->from = spec->in;
    plan->out = plan->to = spec->out;
    plan->in.data = plan->from.data = plan->out.data = plan->to.data = NULL;
    plan->beside = spec->beside.width > 0 ? spec->beside : find_picture(chain, &plan->pictured);
    plan->from_beside = plan->beside;
    plan->by_rows = spec->use == FILTER_BY_ROWS;
    plan->lasting = spec->use == FILTER_LASTING;
    plan->device = spec->device;
    plan->threads = satf_thread_count(ctx);
    memcpy(plan->settings, ctx, sizeof plan->settings);
    plan->chain = chain_new(ctx);
    satf_status status = plan->chain ? satf_filter_append(ctx, plan->chain, chain) : SATF_NO_MEMORY;
    if (!status) {
        size_t bytes = most_steps(chain) * sizeof *plan->steps;
        plan->steps = satf_alloc_zeroed(bytes);
        status = plan->steps ? decide(ctx, plan) : satf_fail_memory(ctx, bytes, "a plan");
    }
    if (status) {
        filter_plan_drop(plan);
        return status;
    }
    *made = plan;
    return SATF_OK;
}
