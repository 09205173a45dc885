/* A plan's memory: its layout, allocation, release, and the order of its uses on a device. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* madvise */
#endif
#include "plan_memory.h"

#include <sys/mman.h>

#include "../base/memory.h"
#include "../base/view.h"

satf_status plan_fail_size(satf_context *ctx)
{
    return satf_fail(ctx, SATF_LIMIT, "the chain's images are too large for any memory");
}

satf_status plan_reserve(satf_context *ctx, satf_plan *plan, size_t bytes, size_t *at)
{
    *at = plan->bytes;
    if (bytes > SIZE_MAX / 8 || !satf_add(plan->bytes, satf_align64(bytes), &plan->bytes) ||
        plan->bytes > SIZE_MAX / 2) {
        return plan_fail_size(ctx);
    }
    return SATF_OK;
}

satf_status plan_reserve_view(satf_context *ctx, satf_plan *plan, satf_view *view, size_t *at)
{
    size_t row = (size_t)satf_row_samples(view) * satf_type_bytes(view->type), bytes;
    view->stride = (int64_t)satf_align64(row);
    view->device = plan->device;
    view->pixel_stride = 0;
    if (!satf_mul((size_t)view->stride, (size_t)view->height, &bytes)) {
        return plan_fail_size(ctx);
    }
    return plan_reserve(ctx, plan, bytes, at);
}

satf_status plan_keep_picture(satf_context *ctx, satf_plan *plan, const satf_view *picture,
                              satf_image *made, plan_place *place, satf_view *view)
{
    *place = (plan_place){PLACE_PICTURE, plan->picture_count};
    plan_picture *kept = &plan->pictures[plan->picture_count++];
    *kept = (plan_picture){.made = made, .view = *picture, .device_view = *picture};
    kept->device_view.data = NULL;
    satf_status status = plan->device == SATF_HOST
                             ? SATF_OK
                             : plan_reserve_view(ctx, plan, &kept->device_view, &kept->at);
    *view = kept->device_view;
    return status;
}

satf_status plan_image_bytes(satf_context *ctx, const satf_view *view, size_t *bytes)
{
    if (!satf_mul((size_t)view->stride, (size_t)view->height, bytes) || *bytes > SIZE_MAX / 8) {
        return plan_fail_size(ctx);
    }
    *bytes = satf_align64(*bytes);
    return SATF_OK;
}

satf_view plan_packed(const satf_view *view, void *data)
{
    satf_view copy =
        satf_view_packed(data, view->width, view->height, view->channels, (satf_type)view->type);
    copy.device = view->device;
    copy.flags = view->flags;
    copy.full = view->full;
    return copy;
}

/* ------------------------------------------------------------- once it is laid out */

/* Memory of the host begins at a page, so that rows lie to one another as in every plan of the
 * shape: where they share sets of the caches a run may take a tenth longer. */
enum { PAGE = 4096 };

static satf_status plan_memory_allocate(satf_context *ctx, satf_plan *plan, bool captured)
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

satf_status plan_begin_use(satf_context *ctx, satf_plan *plan, bool *captured)
{
    *captured = false;
    if (plan->device == SATF_HOST) {
        return SATF_OK;
    }
    satf_status status = satf_cuda()->order_begin(ctx, plan->device, &plan->order, captured);
    plan->in_graph |= *captured;
    return status;
}

void plan_end_use(satf_context *ctx, satf_plan *plan)
{
    if (plan->device != SATF_HOST) {
        satf_cuda()->order_end(ctx, &plan->order);
    }
}

static satf_status plan_memory_prepare(satf_context *ctx, satf_plan *plan)
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
        satf_view device_view = picture->device_view;
        device_view.data = plan->memory + picture->at;
        if (picture->zeros) {
            status = satf_cuda()->set_bytes(ctx, plan->device, device_view.data, 0,
                                            (size_t)(device_view.stride * device_view.height));
        } else {
            status = satf_cuda()->copy(ctx, &picture->view, &device_view);
            status = status ? status : satf_cuda()->wait(ctx, plan->device);
        }
    }
    return status;
}

satf_status filter_plan_attach(satf_context *ctx, satf_plan *plan, char *memory)
{
    bool captured;
    satf_status status = plan_begin_use(ctx, plan, &captured);
    plan->memory = memory;
    if (!status && !memory && plan->bytes) {
        status = plan_memory_allocate(ctx, plan, captured);
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
    status = plan_memory_prepare(ctx, plan);
    plan_end_use(ctx, plan);
    return status;
}

/* Frees the memory in the stream's order; but later, if a graph is captured and the memory is not
 * the graph's. */
static void plan_memory_give_back(satf_context *ctx, satf_plan *plan)
{
    bool captured;
    if (plan_begin_use(ctx, plan, &captured) == SATF_OK && captured == plan->graphs) {
        satf_gpu_free(ctx, plan->owned);
        plan_end_use(ctx, plan);
    } else {
        satf_gpu_free_behind(ctx, &plan->order, plan->owned);
    }
}

void filter_plan_detach(satf_context *ctx, satf_plan *plan)
{
    if (plan->device == SATF_HOST) {
        satf_free(plan->owned);
    } else if (plan->owned) {
        plan_memory_give_back(ctx, plan);
    }
    satf_free(plan->near);
    plan->memory = plan->near = NULL;
    plan->owned = NULL;
}

void filter_plan_let_go(satf_context *ctx, satf_plan *plan)
{
    enum { PIECE = 16 << 20 };
    bool asks = plan->owned && plan->device == SATF_HOST && satf_can_stop(ctx);
    size_t bytes = asks ? plan->bytes : 0;
    for (size_t at = 0; at + PIECE <= bytes; at += PIECE) {
        madvise(plan->memory + at, PIECE, MADV_DONTNEED);
        satf_tick(ctx);
    }
    filter_plan_detach(ctx, plan);
}
