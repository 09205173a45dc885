/* The choice of a context's device. */
#include "gpu.h"

satf_status satf_context_set_device(satf_context *ctx, int device)
{
    if (!ctx) {
        return SATF_INVALID;
    }
    if (device < SATF_DEVICE_AUTO) {
        return satf_fail(ctx, SATF_INVALID,
                         "there is no device %d: %d (auto), %d (host) and, for CUDA devices, "
                         "numbers from %d are possible",
                         device, SATF_DEVICE_AUTO, SATF_HOST, SATF_CUDA(0));
    }
    if (device > SATF_HOST) {
        satf_status status = satf_gpu_check(ctx, device);
        if (status) {
            return status;
        }
    }
    ctx->device = device;
    return SATF_OK;
}
