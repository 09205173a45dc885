/* A build without CUDA has no device: opening one fails before any of this is reached. */
#include "gpu.h"

#include "../base/gpu.h"

const permute_steps permute_cuda_steps;

satf_status permute_cuda_keep(satf_context *ctx, int device, const void *host, size_t bytes,
                              void **memory)
{
    (void)host, (void)bytes;
    *memory = NULL;
    return satf_gpu_check(ctx, device);
}

void permute_cuda_drop(void *memory)
{
    (void)memory;
}
