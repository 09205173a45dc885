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

satf_status permute_cuda_small(const permute_call *call, permute_way way, bool in_place,
                               pattern which, const void *in, void *out, const uint32_t *table,
                               int64_t times)
{
    (void)way, (void)in_place, (void)which, (void)in, (void)out, (void)table, (void)times;
    return satf_gpu_check(call->ctx, 0);
}
