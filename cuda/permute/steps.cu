/* Steps and plans of permutations on a device (src/permute). */
#include "steps.cuh"

const permute_steps *cuda_steps(void)
{
    static const permute_steps steps = {
        permute_scatter, permute_gather, permute_transpose,
        permute_rows,    permute_spread, permute_collect,
    };
    return &steps;
}

satf_status cuda_table_keep(satf_context *ctx, int device, const void *host, size_t bytes,
                            void **memory)
{
    *memory = NULL;
    cudaError_t error = cudaMalloc(memory, bytes);
    if (error == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        return satf_fail(ctx, SATF_NO_MEMORY,
                         "out of memory on the CUDA device: %zu bytes wanted for a schedule",
                         bytes);
    }
    CUDA_RETURN(ctx, error);
    /* cudaMemcpy() may return before the last bytes have arrived, and says so to no other stream.
     */
    satf_status status = cuda_copy_bytes(ctx, device, *memory, host, bytes);
    if (!status) {
        status = cuda_wait(ctx, device);
    }
    if (status) {
        cudaFree(*memory);
        *memory = NULL;
    }
    return status;
}

void cuda_table_drop(void *memory)
{
    if (cudaFree(memory) != cudaSuccess) {
        cudaGetLastError(); /* of earlier work: the next call that waits reports it */
    }
}
