#include "plan_memory.h"

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

satf_status plan_image_bytes(satf_context *ctx, const satf_view *view, size_t *bytes)
{
    if (!satf_mul((size_t)view->stride, (size_t)view->height, bytes) || *bytes > SIZE_MAX / 8) {
        return plan_fail_size(ctx);
    }
    *bytes = satf_align64(*bytes);
    return SATF_OK;
}
