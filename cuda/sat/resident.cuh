/* Kernels whose blocks wait for one another must all be on the device at once. */
#ifndef CUDA_SAT_RESIDENT_CUH
#define CUDA_SAT_RESIDENT_CUH

#include <cuda_runtime.h>
#include <stdint.h>

/* Blocks of the kernel that the current device holds at once. */
template <typename Kernel>
cudaError_t resident_blocks(Kernel kernel, int threads, int64_t *blocks)
{
    int device = 0, processors = 0, each = 0;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess) {
        error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    }
    if (error == cudaSuccess) {
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, threads, 0);
    }
    *blocks = (int64_t)processors * each;
    return error == cudaSuccess && *blocks == 0 ? cudaErrorLaunchOutOfResources : error;
}

/* As many blocks as there is work for, and as fit, launched together or not at all. */
template <typename... P, typename... A>
cudaError_t launch_resident(void (*kernel)(P...), int threads, int64_t most, cudaStream_t stream,
                            A... arguments)
{
    int64_t blocks = 0;
    cudaError_t error = resident_blocks(kernel, threads, &blocks);
    if (error != cudaSuccess) {
        return error;
    }
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)(blocks < most ? blocks : most));
    config.blockDim = dim3((unsigned)threads);
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, kernel, (P)arguments...);
}

#endif
