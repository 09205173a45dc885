/* The device's limits for kernels that keep sums in shared memory. */
#ifndef CUDA_SUMS_SHARED_H
#define CUDA_SUMS_SHARED_H

#include "../base/check.h"
#include "../base/engine.h"

/* Bytes of shared memory: of a multiprocessor, and of a block at most. */
static inline cudaError_t find_shared(int device, int *shared, int *shared_block)
{
    int ordinal = satf_gpu_ordinal(device);
    cudaError_t error =
        cudaDeviceGetAttribute(shared, cudaDevAttrMaxSharedMemoryPerMultiprocessor, ordinal);
    return error != cudaSuccess
               ? error
               : cudaDeviceGetAttribute(shared_block, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                        ordinal);
}

/* *at_once = how many blocks of so many threads and bytes of shared memory run on the device at a
 * time. most_bytes: the limit that the kernel is given, the same for all its plans. */
template <class Kernel>
static inline satf_status find_blocks(satf_context *ctx, int device, Kernel kernel, int threads,
                                      int bytes, int most_bytes, int64_t *at_once)
{
    int blocks = 0, processors = 0;
    CUDA_RETURN(
        ctx, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most_bytes));
    CUDA_RETURN(ctx, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads,
                                                                   (size_t)bytes));
    CUDA_RETURN(ctx, cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount,
                                            satf_gpu_ordinal(device)));
    *at_once = (int64_t)processors * (blocks > 0 ? blocks : 1);
    return SATF_OK;
}

#endif
