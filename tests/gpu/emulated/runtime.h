/*
 * The calls of CUDA's runtime that cuda/ makes. A device's memory is the host's, aligned as a
 * device's is and filled with 0xa5, so that what nobody wrote is seen. All work is done when a call
 * returns: streams, events and orders are nothing, and nothing is captured into a graph.
 */
#ifndef EMULATED_RUNTIME_H
#define EMULATED_RUNTIME_H

#include <cstdio>
#include <ctime>

typedef enum cudaError {
    cudaSuccess,
    cudaErrorInvalidValue,
    cudaErrorMemoryAllocation,
    cudaErrorInvalidConfiguration,
    cudaErrorInsufficientDriver,
    cudaErrorNoDevice,
    cudaErrorInvalidDevice,
    cudaErrorDevicesUnavailable
} cudaError_t;

#define EMULATED_NOTHING(name, ...)             \
    static inline cudaError_t name(__VA_ARGS__) \
    {                                           \
        return cudaSuccess;                     \
    }

/* -------------------------------------------------------------------------- the device */

enum cudaDeviceAttr {
    cudaDevAttrMultiProcessorCount,
    cudaDevAttrMaxSharedMemoryPerBlockOptin,
    cudaDevAttrMaxSharedMemoryPerMultiprocessor,
    cudaDevAttrReservedSharedMemoryPerBlock,
    cudaDevAttrMaxThreadsPerMultiProcessor,
    cudaDevAttrClockRate,
    cudaDevAttrMemoryClockRate,
    cudaDevAttrGlobalMemoryBusWidth
};

struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem;
    int major, minor, multiProcessorCount, l2CacheSize;
};

struct cudaFuncAttributes {
    int ptxVersion;
};

/* An A100's. */
enum { EMULATED_MEMORY_SHIFT = 32, EMULATED_SHARED = 227 << 10 };

EMULATED_NOTHING(cudaGetLastError, void)
EMULATED_NOTHING(cudaSetDevice, int)
EMULATED_NOTHING(cudaDeviceSynchronize, void)

static inline const char *cudaGetErrorString(cudaError_t error)
{
    return error == cudaErrorMemoryAllocation ? "out of memory" : "an error";
}

static inline cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 1;
    return cudaSuccess;
}

static inline cudaError_t cudaDriverGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}

static inline cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}

static inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int)
{
    cudaDeviceProp all = {"emulated", (size_t)1 << EMULATED_MEMORY_SHIFT, 8, 0, 108, 40 << 20};
    *properties = all;
    return cudaSuccess;
}

static inline cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int)
{
    static const int values[] = {132,  EMULATED_SHARED, 228 << 10, 1 << 10,
                                 2048, 1410000,         1215000,   5120};
    *value = values[attribute];
    return cudaSuccess;
}

template <class K> static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *code, K *)
{
    code->ptxVersion = __CUDA_ARCH__ / 10;
    return cudaSuccess;
}

enum { cudaFuncAttributeMaxDynamicSharedMemorySize, cudaEnableDefault };

template <class K> static inline cudaError_t cudaFuncSetAttribute(K *, int, int bytes)
{
    return bytes <= EMULATED_SHARED ? cudaSuccess : cudaErrorInvalidValue;
}

template <class K>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, K *, int,
                                                                        size_t)
{
    *blocks = 2;
    return cudaSuccess;
}

/* The driver's calls are not there. */
enum cudaDriverEntryPointQueryResult {
    cudaDriverEntryPointSuccess,
    cudaDriverEntryPointSymbolNotFound
};

static inline cudaError_t cudaGetDriverEntryPointByVersion(const char *, void **, unsigned, int,
                                                           cudaDriverEntryPointQueryResult *found)
{
    *found = cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
}

/* ------------------------------------------------------------------------------- memory */

typedef void *cudaMemPool_t;
enum { cudaMemAllocationTypePinned, cudaMemLocationTypeDevice, cudaMemPoolAttrReleaseThreshold };
struct cudaMemPoolProps {
    int allocType;
    struct {
        int type, id;
    } location;
};
EMULATED_NOTHING(cudaMemPoolCreate, cudaMemPool_t *pool, const cudaMemPoolProps *)
EMULATED_NOTHING(cudaMemPoolDestroy, cudaMemPool_t)
EMULATED_NOTHING(cudaMemPoolSetAttribute, cudaMemPool_t, int, void *)
EMULATED_NOTHING(cudaMemPoolTrimTo, cudaMemPool_t, size_t)

static inline cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    static const size_t alignment = 256;
    *memory = NULL;
    if (bytes > (size_t)1 << EMULATED_MEMORY_SHIFT) {
        return cudaErrorMemoryAllocation;
    }
    size_t all = (bytes + alignment - 1) / alignment * alignment;
    *memory = aligned_alloc(alignment, all);
    if (*memory) {
        memset(*memory, 0xa5, all);
    }
    return *memory ? cudaSuccess : cudaErrorMemoryAllocation;
}

static inline cudaError_t cudaFree(void *memory)
{
    free(memory);
    return cudaSuccess;
}

static inline cudaError_t cudaMallocFromPoolAsync(void **memory, size_t bytes, cudaMemPool_t,
                                                  cudaStream_t)
{
    return cudaMalloc(memory, bytes);
}

static inline cudaError_t cudaFreeAsync(void *memory, cudaStream_t)
{
    return cudaFree(memory);
}

static inline cudaError_t cudaMallocHost(void **memory, size_t bytes)
{
    return cudaMalloc(memory, bytes);
}

static inline cudaError_t cudaFreeHost(void *memory)
{
    return cudaFree(memory);
}

static inline cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *all_bytes)
{
    *free_bytes = *all_bytes = (size_t)1 << EMULATED_MEMORY_SHIFT;
    return cudaSuccess;
}

enum cudaMemcpyKind { cudaMemcpyDefault, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };

static inline cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind)
{
    memmove(to, from, bytes);
    return cudaSuccess;
}

static inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                                          cudaMemcpyKind kind, cudaStream_t)
{
    return cudaMemcpy(to, from, bytes, kind);
}

static inline cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from,
                                            size_t from_pitch, size_t bytes, size_t rows,
                                            cudaMemcpyKind, cudaStream_t)
{
    for (size_t y = 0; y < rows; y++) {
        memmove((char *)to + y * to_pitch, (const char *)from + y * from_pitch, bytes);
    }
    return cudaSuccess;
}

static inline cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes, cudaStream_t)
{
    memset(memory, value, bytes);
    return cudaSuccess;
}

struct cudaPointerAttributes {
    int type;
};
enum { cudaMemoryTypeUnregistered };

static inline cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *)
{
    attributes->type = cudaMemoryTypeUnregistered;
    return cudaSuccess;
}

/* ------------------------------------------------------- streams, events and their graphs */

typedef double *cudaEvent_t; /* when, in ms */
typedef void *cudaGraph_t, *cudaUserObject_t;
enum {
    cudaStreamNonBlocking,
    cudaEventDisableTiming,
    cudaUserObjectNoDestructorSync,
    cudaGraphUserObjectMove
};
enum cudaStreamCaptureStatus { cudaStreamCaptureStatusNone, cudaStreamCaptureStatusActive };
enum cudaStreamCaptureMode { cudaStreamCaptureModeRelaxed };

EMULATED_NOTHING(cudaStreamDestroy, cudaStream_t)
EMULATED_NOTHING(cudaStreamSynchronize, cudaStream_t)
EMULATED_NOTHING(cudaStreamWaitEvent, cudaStream_t, cudaEvent_t, unsigned)
EMULATED_NOTHING(cudaEventSynchronize, cudaEvent_t)
EMULATED_NOTHING(cudaThreadExchangeStreamCaptureMode, cudaStreamCaptureMode *)
EMULATED_NOTHING(cudaUserObjectCreate, cudaUserObject_t *, void *, void (*)(void *), unsigned,
                 unsigned)
EMULATED_NOTHING(cudaUserObjectRelease, cudaUserObject_t, unsigned)
EMULATED_NOTHING(cudaGraphRetainUserObject, cudaGraph_t, cudaUserObject_t, unsigned, unsigned)

static inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned)
{
    static char streams;
    *stream = (cudaStream_t)(void *)&streams;
    return cudaSuccess;
}

static inline cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id)
{
    *id = (unsigned long long)(uintptr_t)stream;
    return cudaSuccess;
}

static inline cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus *status)
{
    *status = cudaStreamCaptureStatusNone;
    return cudaSuccess;
}

static inline cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream,
                                                   cudaStreamCaptureStatus *status, void *,
                                                   cudaGraph_t *, void *, void *, void *)
{
    return cudaStreamIsCapturing(stream, status);
}

static inline cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    *event = (cudaEvent_t)calloc(1, sizeof **event);
    return *event ? cudaSuccess : cudaErrorMemoryAllocation;
}

static inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned)
{
    return cudaEventCreate(event);
}

static inline cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    free(event);
    return cudaSuccess;
}

static inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    *event = (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
    return cudaSuccess;
}

static inline cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t begin, cudaEvent_t end)
{
    *ms = (float)(*end - *begin);
    return cudaSuccess;
}

static inline cudaError_t cudaLaunchHostFunc(cudaStream_t, void (*call)(void *), void *with)
{
    call(with);
    return cudaSuccess;
}

#endif
