#include "context.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#ifdef HAVE_CUDA
#include "../../cuda/base/device.h"
#endif

/* SATF_OK if this CUDA device, >= 0, can compute. */
static satf_status check_cuda(satf_context *ctx, int device)
{
#ifdef HAVE_CUDA
    const char *why = NULL;
    int count = cuda_device_count(&why);
    if (count == 0) {
        return satf_fail(ctx, SATF_NO_DEVICE, "no CUDA device: %s; use the device cpu", why);
    }
    cuda_device_info info;
    if (device >= count) {
        return satf_fail(ctx, SATF_NO_DEVICE, "no CUDA device %d: there are 0 to %d", device,
                         count - 1);
    }
    if (!cuda_device_describe(device, &info)) {
        return satf_fail(ctx, SATF_NO_DEVICE,
                         "no CUDA device %d: it does not answer; use the device cpu", device);
    }
    return satf_fail(ctx, SATF_UNSUPPORTED,
                     "CUDA device %d (%s) is there, but this version computes on the CPU only; "
                     "use the device cpu",
                     device, info.name);
#else
    (void)device;
    return satf_fail(ctx, SATF_NO_DEVICE,
                     "no CUDA device: this build is without CUDA; use the device cpu");
#endif
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
        satf_status status = check_cuda(ctx, device);
        if (status) {
            return status;
        }
    }
    ctx->device = device;
    return SATF_OK;
}
