/* The order in which streams, which may differ, and graphs use memory. */
#include "state.h"

static bool captures(cudaStream_t stream)
{
    cudaStreamCaptureStatus capture;
    if (cudaStreamIsCapturing(stream, &capture) != cudaSuccess) {
        cudaGetLastError(); /* of earlier work: the next call that waits reports it */
        return false;
    }
    return capture != cudaStreamCaptureStatusNone;
}

static cudaError_t captured_graph(cudaStream_t stream, cudaStreamCaptureStatus *capture,
                                  cudaGraph_t *graph)
{
#if CUDART_VERSION >= 13000
    return cudaStreamGetCaptureInfo(stream, capture, NULL, graph, NULL, NULL, NULL);
#else
    return cudaStreamGetCaptureInfo_v2(stream, capture, NULL, graph, NULL, NULL);
#endif
}

bool cuda_captures(satf_context *ctx, int device)
{
    return cuda_open(ctx, device) == SATF_OK && captures(stream_of(ctx));
}

satf_status cuda_order_begin(satf_context *ctx, int device, satf_gpu_order *order, bool *captured)
{
    satf_status status = cuda_open(ctx, device);
    if (status) {
        return status;
    }
    cudaStream_t stream = stream_of(ctx);
    if (captures(stream)) {
        *captured = true;
        return SATF_OK;
    }
    unsigned long long id;
    CUDA_RETURN(ctx, cudaStreamGetId(stream, &id));
    if (order->done && order->stream != id) {
        CUDA_RETURN(ctx, cudaStreamWaitEvent(stream, (cudaEvent_t)order->done, 0));
    }
    order->stream = id; /* a stream's id, since handles may come again */
    return SATF_OK;
}

void cuda_order_end(satf_context *ctx, satf_gpu_order *order)
{
    if (!ctx->gpu) { /* the device was lost in between */
        return;
    }
    cudaStream_t stream = stream_of(ctx);
    cudaEvent_t event = (cudaEvent_t)order->done;
    if (captures(stream)) {
        return;
    }
    if (!event && cudaEventCreateWithFlags(&event, cudaEventDisableTiming) != cudaSuccess) {
        event = NULL;
    }
    order->done = event;
    if (!event || cudaEventRecord(event, stream) != cudaSuccess) {
        cudaStreamSynchronize(stream); /* instead of an event for others to wait for */
        cudaGetLastError();
    }
}

void cuda_order_wait(satf_gpu_order *order)
{
    if (order->done) {
        cudaEventSynchronize((cudaEvent_t)order->done);
        cudaGetLastError();
    }
}

void cuda_free_behind(satf_gpu_order *order, void *memory)
{
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed; /* else a wait would end a capture */
    cudaThreadExchangeStreamCaptureMode(&mode);
    cuda_order_wait(order);
    if (memory) {
        cudaFree(memory);
    }
    cudaGetLastError();
    cudaThreadExchangeStreamCaptureMode(&mode);
}

/* ------------------------------------------------------------- memory of the host */

static satf_status release_with_graph(satf_context *ctx, cudaGraph_t graph, void (*release)(void *),
                                      void *what)
{
    cudaUserObject_t object;
    cudaError_t error =
        cudaUserObjectCreate(&object, what, release, 1, cudaUserObjectNoDestructorSync);
    if (error != cudaSuccess) {
        release(what);
        return cuda_check(ctx, error, "cudaUserObjectCreate");
    }
    error = cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove);
    if (error != cudaSuccess) {
        cudaUserObjectRelease(object, 1); /* which calls release() */
    }
    return cuda_check(ctx, error, "cudaGraphRetainUserObject");
}

satf_status cuda_release_behind(satf_context *ctx, int device, void (*release)(void *), void *what)
{
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    cudaGraph_t graph = NULL;
    satf_status status = cuda_open(ctx, device);
    cudaError_t error = cudaSuccess;
    if (!status) {
        error = captured_graph(stream_of(ctx), &capture, &graph);
    }
    if (!status && error == cudaSuccess && capture == cudaStreamCaptureStatusActive) {
        return release_with_graph(ctx, graph, release, what);
    }
    if (!status && error == cudaSuccess) {
        error = cudaLaunchHostFunc(stream_of(ctx), release, what);
    }
    if (status || error != cudaSuccess) {
        cudaDeviceSynchronize(); /* fails during a capture, which has failed then, too */
        cudaGetLastError();
        release(what);
    }
    return status ? status : cuda_check(ctx, error, "cudaLaunchHostFunc");
}

void cuda_order_free(satf_gpu_order *order)
{
    if (order->done) {
        cuda_order_wait(order);
        cudaEventDestroy((cudaEvent_t)order->done);
        cudaGetLastError();
        order->done = NULL;
    }
}
