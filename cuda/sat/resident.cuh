/* Launching kernels: as many blocks as there is work for, or as the device holds at once. */
#ifndef CUDA_SAT_RESIDENT_CUH
#define CUDA_SAT_RESIDENT_CUH

#include <atomic>
#include <cuda_runtime.h>
#include <stdint.h>

/* Allows the kernel its dynamic shared memory, and finds how many of its blocks the
 * current device holds at once; asks the driver once a device. */
template <auto KERNEL> cudaError_t resident_blocks(int threads, int shared_bytes, int64_t *blocks)
{
    static std::atomic<int> known[64];
    int device = 0, processors = 0, each = 0;
    cudaError_t error = cudaGetDevice(&device);
    if (error != cudaSuccess) {
        return error;
    }
    int have = device < 64 ? known[device].load(std::memory_order_relaxed) : 0;
    if (have == 0) {
        error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
        if (error == cudaSuccess) {
            error = cudaFuncSetAttribute(KERNEL, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                         shared_bytes);
        }
        if (error == cudaSuccess) {
            error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, KERNEL, threads,
                                                                  (size_t)shared_bytes);
        }
        if (error != cudaSuccess) {
            return error;
        }
        have = processors * each;
        if (have == 0) {
            return cudaErrorLaunchOutOfResources;
        }
        if (device < 64) {
            known[device].store(have, std::memory_order_relaxed);
        }
    }
    *blocks = have;
    return cudaSuccess;
}

template <typename... P, typename... A>
cudaError_t launch_blocks(void (*kernel)(P...), int64_t blocks, int threads, int shared_bytes,
                          bool together, cudaStream_t stream, A... arguments)
{
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)blocks);
    config.blockDim = dim3((unsigned)threads);
    config.dynamicSmemBytes = (size_t)shared_bytes;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = together ? 1 : 0;
    return cudaLaunchKernelEx(&config, kernel, (P)arguments...);
}

/* At most as many blocks as fit. together: launched together or not at all, since they wait
 * for one another without tickets. */
template <auto KERNEL, typename... A>
cudaError_t launch_resident(int threads, int shared_bytes, int64_t most, bool together,
                            cudaStream_t stream, A... arguments)
{
    int64_t blocks = 0;
    cudaError_t error = resident_blocks<KERNEL>(threads, shared_bytes, &blocks);
    blocks = blocks < most ? blocks : most;
    return error != cudaSuccess ? error
                                : launch_blocks(KERNEL, blocks, threads, shared_bytes, together,
                                                stream, arguments...);
}

/* As many as asked for. */
template <auto KERNEL, typename... A>
cudaError_t launch_any(int threads, int shared_bytes, int64_t blocks, cudaStream_t stream,
                       A... arguments)
{
    int64_t resident = 0;
    cudaError_t error = resident_blocks<KERNEL>(threads, shared_bytes, &resident);
    return error != cudaSuccess
               ? error
               : launch_blocks(KERNEL, blocks, threads, shared_bytes, false, stream, arguments...);
}

#endif
