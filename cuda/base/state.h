/* A context's device, as the files of this folder share it. */
#ifndef CUDA_BASE_STATE_H
#define CUDA_BASE_STATE_H

#include "check.h"

struct gpu_keeper;

enum { BUFFERS = 2 };

/* What a context has on the device it used last. */
struct satf_gpu {
    int device;       /* SATF_CUDA(n) */
    cudaStream_t own; /* NULL as long as the caller's stream is used */
    cudaMemPool_t pool;
    cudaEvent_t begin, end; /* NULL until something is timed */
    struct {
        void *memory;     /* pinned; NULL until the first large copy */
        cudaEvent_t done; /* the device's use of it */
    } staging[BUFFERS];
    /* What is kept from run to run, and what others do with it; NULL until then (kept.cu). */
    gpu_keeper *keeper;
    void (*free_keeper)(satf_context *ctx, gpu_keeper *keeper); /* waits for the latest use */
};

/* Waits for the latest use. */
void cuda_order_wait(satf_gpu_order *order);

static inline cudaStream_t stream_of(const satf_context *ctx)
{
    return ctx->has_stream ? (cudaStream_t)ctx->stream : ctx->gpu->own;
}

#endif
