/* A build without CUDA has no device: opening one fails before any of this is reached. */
#include "gpu.h"

#include "../base/gpu.h"

satf_status machine_cuda_transpose(satf_context *ctx, const machine_transpose *t, const void *in,
                                   void *out, const uint32_t *numbers, int64_t times)
{
    (void)t, (void)in, (void)out, (void)numbers, (void)times;
    return satf_gpu_check(ctx, SATF_CUDA(0));
}

satf_status machine_cuda_tiles(satf_context *ctx, size_t kernel, layout_2d layout, int most_blocks,
                               int64_t tiles, const float *in, float *out)
{
    (void)kernel, (void)layout, (void)most_blocks, (void)tiles, (void)in, (void)out;
    return satf_gpu_check(ctx, SATF_CUDA(0));
}

satf_status machine_cuda_tiles_residence(satf_context *ctx, size_t kernel, layout_2d layout,
                                         int most_blocks, machine_residence *residence)
{
    (void)kernel, (void)layout, (void)most_blocks, (void)residence;
    return satf_gpu_check(ctx, SATF_CUDA(0));
}

satf_status machine_cuda_structs(satf_context *ctx, machine_struct way, uint32_t fields,
                                 const uint32_t *in, uint32_t *out, int64_t structs)
{
    (void)way, (void)fields, (void)in, (void)out, (void)structs;
    return satf_gpu_check(ctx, SATF_CUDA(0));
}

satf_status machine_cuda_copy(satf_context *ctx, const float *in, float *out, int64_t n,
                              int64_t offset)
{
    (void)in, (void)out, (void)n, (void)offset;
    return satf_gpu_check(ctx, SATF_CUDA(0));
}

satf_status machine_cuda_powers(satf_context *ctx, bool interleaved, const float *in, float *out,
                                int64_t count)
{
    (void)interleaved, (void)in, (void)out, (void)count;
    return satf_gpu_check(ctx, SATF_CUDA(0));
}

satf_status machine_cuda_powers_shared(satf_context *ctx, bool interleaved, const float *in,
                                       float *out, int64_t times)
{
    (void)interleaved, (void)in, (void)out, (void)times;
    return satf_gpu_check(ctx, SATF_CUDA(0));
}

satf_status machine_cuda_product(satf_context *ctx, access_product way, const float *a,
                                 const float *b, float *c, int64_t side)
{
    (void)way, (void)a, (void)b, (void)c, (void)side;
    return satf_gpu_check(ctx, SATF_CUDA(0));
}
