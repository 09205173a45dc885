/* The choice of a context's device. */
#include "gpu.h"

satf_status satf_gpu_check(satf_context *ctx, int device)
{
    const char *why = NULL;
    int count = satf_gpu_count(&why);
    if (count == 0) {
        return satf_fail(ctx, SATF_NO_DEVICE, "no CUDA device: %s; use the device cpu", why);
    }
    if (device < 0 || device >= count) {
        return satf_fail(ctx, SATF_NO_DEVICE, "no CUDA device %d: there are 0 to %d", device,
                         count - 1);
    }
    satf_gpu_info info;
    if (!satf_gpu_describe(device, &info)) {
        return satf_fail(ctx, SATF_NO_DEVICE,
                         "no CUDA device %d: it does not answer; use the device cpu", device);
    }
    if (!info.runs_kernels) {
        return satf_fail(ctx, SATF_NO_DEVICE,
                         "CUDA device %d (%s) has compute capability %d.%d, which this build is "
                         "not compiled for; use the device cpu",
                         device, info.name, info.major, info.minor);
    }
    return SATF_OK;
}

satf_status satf_context_set_device(satf_context *ctx, int device)
{
    if (!ctx) {
        return SATF_INVALID;
    }
    if (device < SATF_DEVICE_AUTO) {
        return satf_fail(ctx, SATF_INVALID,
                         "there is no device %d: %d (auto), %d (CPU) and CUDA devices from 0 are "
                         "possible",
                         device, SATF_DEVICE_AUTO, SATF_DEVICE_CPU);
    }
    if (device >= 0) {
        satf_status status = satf_gpu_check(ctx, device);
        if (status) {
            return status;
        }
    }
    ctx->device = device;
    return SATF_OK;
}
