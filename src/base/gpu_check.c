/* Whether a CUDA device can compute. */
#include "gpu.h"

satf_status satf_gpu_check(satf_context *ctx, int device)
{
    const char *why = NULL;
    int count = satf_gpu_count(&why);
    if (count == 0) {
        return satf_fail(ctx, SATF_NO_DEVICE, "no CUDA device: %s; use the device cpu", why);
    }
    int ordinal = satf_gpu_ordinal(device);
    if (ordinal < 0 || ordinal >= count) {
        return satf_fail(ctx, SATF_NO_DEVICE, "no CUDA device %d: there are 0 to %d", ordinal,
                         count - 1);
    }
    satf_gpu_info info;
    if (!satf_gpu_describe(device, &info)) {
        return satf_fail(ctx, SATF_NO_DEVICE,
                         "no CUDA device %d: it does not answer; use the device cpu", ordinal);
    }
    if (!info.runs_kernels && !info.compiles) {
        return satf_fail(
            ctx, SATF_NO_DEVICE,
            "CUDA device %d (%.100s) has compute capability %d.%d, and libsatfilter-cuda "
            "has kernels for %s: build it with --with-cuda-arch=%d%d, or use the "
            "device cpu",
            ordinal, info.name, info.major, info.minor, *info.code ? info.code : "later ones",
            info.major, info.minor);
    }
    return SATF_OK;
}
