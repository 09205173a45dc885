/* Memory of a context's device, in the order of the stream. */
#include "state.h"

satf_status cuda_alloc(satf_context *ctx, int device, size_t bytes, const char *what, void **memory)
{
    *memory = NULL;
    satf_status status = cuda_open(ctx, device);
    if (status) {
        return status;
    }
    cudaError_t error =
        cudaMallocFromPoolAsync(memory, bytes ? bytes : 1, ctx->gpu->pool, stream_of(ctx));
    if (error == cudaErrorMemoryAllocation) {
        /* What is kept goes, and what the pool keeps may lie in pieces that are too small. */
        cudaGetLastError();
        *memory = NULL;
        satf_context_forget(ctx);
        cuda_give_up(ctx);
        CUDA_RETURN(ctx, cudaStreamSynchronize(stream_of(ctx)));
        CUDA_RETURN(ctx, cudaMemPoolTrimTo(ctx->gpu->pool, 0));
        error = cudaMallocFromPoolAsync(memory, bytes ? bytes : 1, ctx->gpu->pool, stream_of(ctx));
    }
    if (error == cudaErrorMemoryAllocation) {
        size_t free_bytes = 0, all_bytes;
        cudaGetLastError();
        *memory = NULL;
        CUDA_RETURN(ctx, cudaMemGetInfo(&free_bytes, &all_bytes));
        return satf_fail(ctx, SATF_NO_MEMORY,
                         "out of memory on CUDA device %d: %zu bytes wanted for %s, %zu are free",
                         satf_gpu_ordinal(device), bytes, what, free_bytes);
    }
    return cuda_check(ctx, error, "cudaMallocFromPoolAsync");
}

void cuda_free(satf_context *ctx, void *memory)
{
    if (memory && ctx->gpu && cudaFreeAsync(memory, stream_of(ctx)) != cudaSuccess) {
        cudaGetLastError(); /* of earlier work: the next call that waits reports it */
    }
}

satf_status cuda_set_bytes(satf_context *ctx, int device, void *memory, int value, size_t bytes)
{
    satf_status status = cuda_open(ctx, device);
    if (status) {
        return status;
    }
    CUDA_RETURN(ctx, cudaMemsetAsync(memory, value, bytes, stream_of(ctx)));
    return SATF_OK;
}

satf_status cuda_copy_bytes(satf_context *ctx, int device, void *to, const void *from, size_t bytes)
{
    satf_status status = cuda_open(ctx, device);
    if (status) {
        return status;
    }
    CUDA_RETURN(ctx, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_of(ctx)));
    return SATF_OK;
}
