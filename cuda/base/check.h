/* CUDA calls whose failure becomes a status and a message. Both macros clear the error, which the
 * runtime would report again, and name the call. */
#ifndef CUDA_BASE_CHECK_H
#define CUDA_BASE_CHECK_H

#include <cuda_runtime.h>

extern "C" {
#include "../../src/base/context.h"
#include "../../src/base/device/gpu.h"
}

/* SATF_OK, or the failure of `call` as the context's message. */
satf_status cuda_check(satf_context *ctx, cudaError_t error, const char *call);

#define CUDA_RETURN(ctx, call)                                       \
    do {                                                             \
        satf_status cuda_status_ = cuda_check((ctx), (call), #call); \
        if (cuda_status_) {                                          \
            return cuda_status_;                                     \
        }                                                            \
    } while (0)

#define CUDA_GOTO(label, status, ctx, call)          \
    do {                                             \
        (status) = cuda_check((ctx), (call), #call); \
        if (status) {                                \
            goto label;                              \
        }                                            \
    } while (0)

#endif
