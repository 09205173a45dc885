/* Launching kernels with as many blocks as there is work for, or as the device holds at once; they
 * may start while those of the kernel before leave the device. */
#ifndef CUDA_SAT_RESIDENT_CUH
#define CUDA_SAT_RESIDENT_CUH

#include <atomic>
#include <cuda_runtime.h>
#include <stdint.h>

#include "launch.h"

enum launch_start {
    /* From 9.0 on, while the blocks of the kernel before it in the stream come to their ends
     * (programmatic dependent launch): await_stream() has to come first of all. Elsewhere behind
     * that kernel, like any other. */
    START_EARLY,
    START_TOGETHER /* or not at all, since blocks wait for one another without tickets */
};

/* Waits until all earlier work of the stream is done and can be seen. If all blocks ended without
 * this call, the next kernel could start while the earlier work is still under way. */
__device__ __forceinline__ void await_stream()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
}

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
cudaError_t launch_blocks(void (*kernel)(P...), dim3 blocks, int threads, int shared_bytes,
                          launch_start start, cudaStream_t stream, A... arguments)
{
    int device = 0;
    cudaError_t error = cudaGetDevice(&device);
    if (error != cudaSuccess) {
        return error;
    }
    bool early = start == START_EARLY && has_engine(SATF_CUDA(device));
    cudaLaunchAttribute attribute = {};
    if (start == START_TOGETHER) {
        attribute.id = cudaLaunchAttributeCooperative;
        attribute.val.cooperative = 1;
    } else {
        attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attribute.val.programmaticStreamSerializationAllowed = 1;
    }
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks;
    config.blockDim = dim3((unsigned)threads);
    config.dynamicSmemBytes = (size_t)shared_bytes;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = start == START_TOGETHER || early ? 1 : 0;
    return cudaLaunchKernelEx(&config, kernel, (P)arguments...);
}

/* Launches `most` blocks, or as many as fit. */
template <auto KERNEL, typename... A>
cudaError_t launch_resident(int threads, int shared_bytes, int64_t most, launch_start start,
                            cudaStream_t stream, A... arguments)
{
    int64_t blocks = 0;
    cudaError_t error = resident_blocks<KERNEL>(threads, shared_bytes, &blocks);
    blocks = blocks < most ? blocks : most;
    return error != cudaSuccess ? error
                                : launch_blocks(KERNEL, dim3((unsigned)blocks), threads,
                                                shared_bytes, start, stream, arguments...);
}

/* Launches as many blocks as asked for. */
template <auto KERNEL, typename... A>
cudaError_t launch_any(int threads, int shared_bytes, int64_t blocks, cudaStream_t stream,
                       A... arguments)
{
    int64_t resident = 0;
    cudaError_t error = resident_blocks<KERNEL>(threads, shared_bytes, &resident);
    return error != cudaSuccess ? error
                                : launch_blocks(KERNEL, dim3((unsigned)blocks), threads,
                                                shared_bytes, START_EARLY, stream, arguments...);
}

#endif
