/* Images in the memory of a CUDA device, whatever the build. */
#include "gpu.h"
#include "memory.h"
#include "view.h"

satf_status satf_gpu_alloc_view(satf_context *ctx, int device, const satf_view *like,
                                const char *what, satf_view *view)
{
    *view = *like;
    view->data = NULL;
    view->device = device;
    view->pixel_stride = 0;
    size_t row, bytes;
    if (!satf_mul((size_t)satf_row_samples(like), satf_type_bytes(like->type), &row) ||
        row > INT64_MAX - 63 || !satf_mul(satf_align64(row), (size_t)like->height, &bytes)) {
        return satf_fail(ctx, SATF_LIMIT, "%s is too large for any memory", what);
    }
    view->stride = (int64_t)satf_align64(row);
    return satf_gpu_alloc(ctx, device, bytes, what, &view->data);
}
