/* Permutations on devices, led to the backend. */
#include "gpu.h"

#include "../base/backend.h"
#include "../base/gpu.h"

satf_status permute_cuda_keep(satf_context *ctx, int device, const void *host, size_t bytes,
                              void **memory)
{
    const satf_backend *b = satf_backend_get(NULL);
    *memory = NULL;
    return b ? b->permute->keep(ctx, device, host, bytes, memory) : satf_gpu_check(ctx, device);
}

void permute_cuda_drop(void *memory)
{
    if (memory) {
        satf_backend_get(NULL)->permute->drop(memory);
    }
}

const permute_steps *permute_cuda_steps(void)
{
    return satf_backend_get(NULL)->permute->steps();
}
