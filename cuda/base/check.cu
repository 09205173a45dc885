/* The one place where CUDA's errors become the library's. */
#include <string.h>

#include "check.h"

satf_status cuda_check(satf_context *ctx, cudaError_t error, const char *call)
{
    if (error == cudaSuccess) {
        return SATF_OK;
    }
    cudaGetLastError();
    satf_status status = SATF_DEVICE_FAILED;
    switch (error) {
    case cudaErrorMemoryAllocation:
        status = SATF_NO_MEMORY;
        break;
    case cudaErrorNoDevice:
    case cudaErrorInvalidDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorDevicesUnavailable:
        status = SATF_NO_DEVICE;
        break;
    default:
        break;
    }
    /* the name of what is called in an expression such as pair->columns(p, stream) */
    const char *name = call, *end = call + strcspn(call, "(");
    for (const char *at = call; at < end; at++) {
        name = *at == '.' || *at == '>' ? at + 1 : name;
    }
    const char *what = "kernel launch ";
    if (strncmp(name, "cudaGetLastError(", 17) == 0) {
        end = name;
    } else if (strncmp(name, "cuda", 4) == 0) {
        what = "CUDA call ";
    }
    return satf_fail(ctx, status, "the %s%.*s%s: %s", what, (int)(end - name), name,
                     end > name ? " failed" : "failed", cudaGetErrorString(error));
}
