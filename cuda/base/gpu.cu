/* A context's device: opened, waited for, timed and closed. */
#include "state.h"

extern "C" {
#include "../../src/base/memory.h"
}

/* ------------------------------------------------------- the thread's current context */

/* A call of the driver's own; NULL where the driver lacks it. The runtime cannot tell the current
 * context, which need not be a device's primary one. */
static void *driver_call(const char *name)
{
    void *call = NULL;
    cudaDriverEntryPointQueryResult found;
    bool is_known = cudaGetDriverEntryPointByVersion(name, &call, 4000, cudaEnableDefault,
                                                     &found) == cudaSuccess &&
                    found == cudaDriverEntryPointSuccess;
    return is_known ? call : NULL;
}

typedef int (*get_current)(void **context);
typedef int (*set_current)(void *context);

/* Notes the thread's current context before a call makes a device's context current. */
static void gpu_enter(satf_context *ctx)
{
    static const get_current get = (get_current)driver_call("cuCtxGetCurrent");
    if (!ctx->entered && get) {
        ctx->outer = NULL;
        ctx->entered = get(&ctx->outer) == 0;
    }
}

satf_status cuda_leave(satf_context *ctx, satf_status status)
{
    if (ctx->entered) {
        static const set_current set = (set_current)driver_call("cuCtxSetCurrent");
        if (set) {
            set(ctx->outer);
        }
        ctx->entered = false;
    }
    return status;
}

/* --------------------------------------------------------------------- the device */

void cuda_close(satf_context *ctx)
{
    satf_gpu *gpu = ctx->gpu;
    if (!gpu) {
        return;
    }
    gpu_enter(ctx);
    cudaSetDevice(satf_gpu_ordinal(gpu->device));
    for (int i = 0; i < BUFFERS; i++) {
        if (gpu->staging[i].done) {
            cudaEventSynchronize(gpu->staging[i].done);
            cudaEventDestroy(gpu->staging[i].done);
        }
        cudaFreeHost(gpu->staging[i].memory);
    }
    if (gpu->keeper) {
        gpu->free_keeper(ctx, gpu->keeper);
    }
    if (gpu->begin) {
        cudaEventDestroy(gpu->begin);
    }
    if (gpu->end) {
        cudaEventDestroy(gpu->end);
    }
    if (gpu->own) {
        cudaStreamSynchronize(gpu->own);
    }
    if (ctx->device_cache) {
        ctx->device_cache_free(ctx->device_cache);
        ctx->device_cache = NULL;
    }
    if (gpu->own) {
        cudaStreamDestroy(gpu->own);
    }
    if (gpu->pool) {
        cudaMemPoolDestroy(gpu->pool); /* once all that came from it is free */
    }
    cudaGetLastError();
    satf_free(gpu);
    ctx->gpu = NULL;
}

/* Freed memory stays with the pool, so that the next call need not ask the driver for it. The
 * device's default pool is left to others as they have set it. */
static satf_status make_pool(satf_context *ctx, satf_gpu *gpu)
{
    uint64_t threshold = UINT64_MAX;
    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = satf_gpu_ordinal(gpu->device);
    CUDA_RETURN(ctx, cudaMemPoolCreate(&gpu->pool, &properties));
    CUDA_RETURN(ctx,
                cudaMemPoolSetAttribute(gpu->pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    return SATF_OK;
}

satf_status cuda_open(satf_context *ctx, int device)
{
    satf_status status = SATF_OK;
    bool opens = !ctx->gpu || ctx->gpu->device != device;
    if (opens) {
        status = satf_gpu_check(ctx, device);
        if (status) {
            return status;
        }
        satf_context_forget(ctx); /* a plan of the device before, whose memory goes with it */
        cuda_close(ctx);
        ctx->gpu = (satf_gpu *)satf_alloc_zeroed(sizeof *ctx->gpu);
        if (!ctx->gpu) {
            return satf_fail_memory(ctx, sizeof *ctx->gpu, "a CUDA device's state");
        }
        ctx->gpu->device = device;
    }
    gpu_enter(ctx);
    CUDA_GOTO(fail, status, ctx, cudaSetDevice(satf_gpu_ordinal(device)));
    if (!ctx->gpu->pool) {
        status = make_pool(ctx, ctx->gpu);
        if (status) {
            goto fail;
        }
    }
    if (!ctx->has_stream && !ctx->gpu->own) {
        CUDA_GOTO(fail, status, ctx,
                  cudaStreamCreateWithFlags(&ctx->gpu->own, cudaStreamNonBlocking));
    }
    return SATF_OK;
fail:
    if (opens) { /* else there may be memory of the pool, which goes first */
        cuda_close(ctx);
    }
    return status;
}

void *cuda_stream(satf_context *ctx)
{
    return stream_of(ctx);
}

satf_status cuda_wait(satf_context *ctx, int device)
{
    satf_status status = cuda_open(ctx, device);
    if (status) {
        return status;
    }
    CUDA_RETURN(ctx, cudaStreamSynchronize(stream_of(ctx)));
    return SATF_OK;
}

satf_status cuda_synchronize(satf_context *ctx)
{
    return ctx->gpu ? cuda_wait(ctx, ctx->gpu->device) : SATF_OK;
}

/* --------------------------------------------------------------------- timing */

satf_status cuda_time_begin(satf_context *ctx, int device)
{
    satf_status status = cuda_open(ctx, device);
    if (status) {
        return status;
    }
    if (!ctx->gpu->begin) {
        CUDA_RETURN(ctx, cudaEventCreate(&ctx->gpu->begin));
    }
    if (!ctx->gpu->end) {
        CUDA_RETURN(ctx, cudaEventCreate(&ctx->gpu->end));
    }
    CUDA_RETURN(ctx, cudaEventRecord(ctx->gpu->begin, stream_of(ctx)));
    return SATF_OK;
}

satf_status cuda_time_end(satf_context *ctx, int device, double *ms)
{
    satf_status status = cuda_open(ctx, device);
    if (status) {
        return status;
    }
    float elapsed;
    CUDA_RETURN(ctx, cudaEventRecord(ctx->gpu->end, stream_of(ctx)));
    CUDA_RETURN(ctx, cudaEventSynchronize(ctx->gpu->end));
    CUDA_RETURN(ctx, cudaEventElapsedTime(&elapsed, ctx->gpu->begin, ctx->gpu->end));
    *ms = (double)elapsed;
    return SATF_OK;
}
