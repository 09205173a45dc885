/* The stages of an algorithm as a graph, captured once and replayed. */
#ifndef CUDA_SAT_GRAPH_CUH
#define CUDA_SAT_GRAPH_CUH

#include <string.h>

#include "../base/check.h"
#include "launch.h"

extern "C" {
#include "../../src/sat/sat.h"
}

/*
 * The latest graph of a context: what it was captured from, as bytes, and the
 * graph. Running the same algorithm again on the same memory replays it.
 */
struct kept_graph {
    char key[256];
    cudaGraphExec_t graph;
};

static void drop_graph(void *object)
{
    kept_graph *kept = (kept_graph *)object;
    cudaGraphExecDestroy(kept->graph);
    delete kept;
}

/* Captures what enqueue(stream) enqueues, unless the kept graph is the same, and launches it. */
template <typename Enqueue>
static satf_status run_graph(satf_context *ctx, const char *row, const sat_job *job,
                             const sat_plane &p, void *scratch, cudaStream_t stream,
                             Enqueue enqueue)
{
    char key[sizeof(kept_graph::key)] = {0};
    struct {
        const char *row;
        sat_plane p;
        sat_tuning tuning;
        void *scratch;
        int in, sum;
    } what;
    static_assert(sizeof what <= sizeof key, "the key holds what identifies a graph");
    memset(&what, 0, sizeof what);
    what.row = row;
    what.p = p;
    what.tuning = job->tuning;
    what.scratch = scratch;
    what.in = job->in.type;
    what.sum = (int)job->sum_type + (job->f32_out ? 16 : 0);
    memcpy(key, &what, sizeof what);
    cudaStreamCaptureStatus capturing;
    CUDA_RETURN(ctx, cudaStreamIsCapturing(stream, &capturing));
    if (capturing != cudaStreamCaptureStatusNone) {
        return enqueue(stream); /* which makes them part of the caller's graph */
    }
    kept_graph *kept = (kept_graph *)ctx->device_cache;
    if (!kept || memcmp(kept->key, key, sizeof key) != 0) {
        cudaStream_t capture = NULL;
        cudaGraph_t graph = NULL;
        cudaGraphExec_t made = NULL;
        CUDA_RETURN(ctx, cudaStreamCreateWithFlags(&capture, cudaStreamNonBlocking));
        satf_status status =
            cuda_check(ctx, cudaStreamBeginCapture(capture, cudaStreamCaptureModeThreadLocal),
                       "cudaStreamBeginCapture");
        if (!status) {
            status = enqueue(capture);
            cudaError_t error = cudaStreamEndCapture(capture, &graph);
            if (!status) {
                status = cuda_check(ctx, error, "cudaStreamEndCapture");
            }
        }
        if (!status) {
            status = cuda_check(ctx, cudaGraphInstantiate(&made, graph, 0), "cudaGraphInstantiate");
        }
        if (graph) {
            cudaGraphDestroy(graph);
        }
        cudaStreamDestroy(capture);
        if (status) {
            if (made) {
                cudaGraphExecDestroy(made);
            }
            return status;
        }
        if (kept) {
            drop_graph(kept); /* if it still runs, CUDA frees it afterwards */
        }
        kept = new kept_graph;
        memcpy(kept->key, key, sizeof key);
        kept->graph = made;
        ctx->device_cache = kept;
        ctx->device_cache_free = drop_graph;
    }
    CUDA_RETURN(ctx, cudaGraphLaunch(kept->graph, stream));
    return SATF_OK;
}

#endif
