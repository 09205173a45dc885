/* The linker leads the backend's calls of the runtime here (--wrap), see failing.h. */
#include <string.h>

#include <cuda_runtime.h>

extern "C" {
#include "failing.h"
__attribute__((visibility("default"))) gpu_failing gpu_failing_state;
}

static gpu_failing *const state = &gpu_failing_state;
static cudaError_t pending = cudaSuccess; /* what cudaGetLastError() has to tell */

static bool fails(const char *call)
{
    state->calls++;
    bool failing = state->fail_at > 0 && (state->calls == state->fail_at ||
                                          (state->lost && state->calls > state->fail_at));
    if (failing) {
        state->failed = state->failed ? state->failed : call;
        pending = (cudaError_t)state->error;
    }
    return failing;
}

static cudaError_t count(cudaError_t error, int live)
{
    state->live += error == cudaSuccess ? live : 0;
    return error;
}

static void note_wait(void)
{
    state->waits = state->calls + 1;
}

static void note_copy(cudaMemcpyKind kind)
{
    if (kind == cudaMemcpyDeviceToHost && !state->back) {
        state->back = state->calls + 1;
    }
}

/* A call that fails in place of the real one; live: what that adds to; note: done before. */
#define NOTING(live, note, call, parameters, arguments)                                         \
    extern "C" cudaError_t __real_##call parameters;                                            \
    extern "C" cudaError_t __wrap_##call parameters;                                            \
    extern "C" cudaError_t __wrap_##call parameters                                             \
    {                                                                                           \
        note;                                                                                   \
        return fails(#call) ? (cudaError_t)state->error : count(__real_##call arguments, live); \
    }

#define FAILING(live, call, parameters, arguments) \
    NOTING(live, (void)0, call, parameters, arguments)

/* One that frees, and is counted alone. */
#define FREEING(call, type)                               \
    extern "C" cudaError_t __real_##call(type what);      \
    extern "C" cudaError_t __wrap_##call(type what);      \
    extern "C" cudaError_t __wrap_##call(type what)       \
    {                                                     \
        return count(__real_##call(what), what ? -1 : 0); \
    }

FAILING(0, cudaGetDeviceCount, (int *n), (n))
FAILING(0, cudaSetDevice, (int device), (device))
FAILING(0, cudaDeviceGetAttribute, (int *value, cudaDeviceAttr attribute, int device),
        (value, attribute, device))
FAILING(0, cudaFuncSetAttribute, (const void *kernel, cudaFuncAttribute attribute, int value),
        (kernel, attribute, value))
FAILING(1, cudaMemPoolCreate, (cudaMemPool_t * pool, const cudaMemPoolProps *properties),
        (pool, properties))
FAILING(0, cudaMemPoolSetAttribute, (cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value),
        (pool, attribute, value))
FAILING(0, cudaMemPoolTrimTo, (cudaMemPool_t pool, size_t bytes), (pool, bytes))
FAILING(0, cudaMemGetInfo, (size_t * unused, size_t *all), (unused, all))
FAILING(1, cudaMallocFromPoolAsync,
        (void **memory, size_t bytes, cudaMemPool_t pool, cudaStream_t stream),
        (memory, bytes, pool, stream))
FAILING(1, cudaMallocHost, (void **memory, size_t bytes), (memory, bytes))
FAILING(0, cudaMemsetAsync, (void *memory, int value, size_t bytes, cudaStream_t stream),
        (memory, value, bytes, stream))
FAILING(1, cudaStreamCreateWithFlags, (cudaStream_t * stream, unsigned flags), (stream, flags))
FAILING(0, cudaStreamGetId, (cudaStream_t stream, unsigned long long *id), (stream, id))
FAILING(0, cudaStreamIsCapturing, (cudaStream_t stream, cudaStreamCaptureStatus *status),
        (stream, status))
FAILING(0, cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags),
        (stream, event, flags))
FAILING(1, cudaEventCreateWithFlags, (cudaEvent_t * event, unsigned flags), (event, flags))
FAILING(0, cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), (event, stream))
FAILING(0, cudaEventSynchronize, (cudaEvent_t event), (event))
FAILING(0, cudaLaunchHostFunc, (cudaStream_t stream, cudaHostFn_t function, void *user),
        (stream, function, user))
FAILING(0, cudaLaunchKernel,
        (const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared,
         cudaStream_t stream),
        (kernel, grid, block, arguments, shared, stream))
FAILING(0, cudaLaunchKernelExC,
        (const cudaLaunchConfig_t *config, const void *kernel, void **arguments),
        (config, kernel, arguments))

FREEING(cudaFree, void *)
FREEING(cudaFreeHost, void *)
FREEING(cudaMemPoolDestroy, cudaMemPool_t)
FREEING(cudaStreamDestroy, cudaStream_t)
FREEING(cudaEventDestroy, cudaEvent_t)

NOTING(0, note_wait(), cudaStreamSynchronize, (cudaStream_t stream), (stream))
NOTING(0, note_copy(kind), cudaMemcpyAsync,
       (void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream),
       (to, from, bytes, kind, stream))
NOTING(0, note_copy(kind), cudaMemcpy2DAsync,
       (void *to, size_t to_pitch, const void *from, size_t pitch, size_t bytes, size_t rows,
        cudaMemcpyKind kind, cudaStream_t stream),
       (to, to_pitch, from, pitch, bytes, rows, kind, stream))

/* What <<<>>> calls, by toolkits that have it. */
extern "C" __attribute__((weak)) cudaError_t
__real___cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments,
                          size_t shared, cudaStream_t stream);
extern "C" cudaError_t __wrap___cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block,
                                                 void **arguments, size_t shared,
                                                 cudaStream_t stream);
extern "C" cudaError_t __wrap___cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block,
                                                 void **arguments, size_t shared,
                                                 cudaStream_t stream)
{
    return fails("cudaLaunchKernel")
               ? (cudaError_t)state->error
               : __real___cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}

extern "C" cudaError_t __real_cudaFreeAsync(void *memory, cudaStream_t stream);
extern "C" cudaError_t __wrap_cudaFreeAsync(void *memory, cudaStream_t stream);
extern "C" cudaError_t __wrap_cudaFreeAsync(void *memory, cudaStream_t stream)
{
    return count(__real_cudaFreeAsync(memory, stream), memory ? -1 : 0);
}

/* Tells of the latest failure once, as the runtime does. */
extern "C" cudaError_t __real_cudaGetLastError(void);
extern "C" cudaError_t __wrap_cudaGetLastError(void);
extern "C" cudaError_t __wrap_cudaGetLastError(void)
{
    cudaError_t error = pending;
    pending = cudaSuccess;
    return error != cudaSuccess ? error : __real_cudaGetLastError();
}
