/* Box means of bytes on a CUDA device by its matrix units, in plain C: what cuda/window does. */
#ifndef SATF_WINDOW_GPU_H
#define SATF_WINDOW_GPU_H

#include "../base/context.h"
#include "bands.h"

/* Whether the device, which is the current one, has such units and code for them in the backend. */
bool window_gpu_multiplies(int device);

/* The halos that there are kernels for, smallest first; {0, 0} behind the last. */
typedef struct window_gpu_halo {
    int across, down;
} window_gpu_halo;
extern const window_gpu_halo window_gpu_halos[];

/* A picture's means. Who runs it has set in.data, out and the weights. */
typedef struct window_gpu_box {
    satf_view in, out; /* u8 on the device, of one shape; out begins at multiples of 8 bytes */
    window_bands across, down;
    uint64_t area;     /* of the window */
    uint32_t *weights; /* there: of across, then of down */
    /* What box_plan decides. */
    void (*kernels[2])(void); /* [1]: where the input's rows are aligned to 16 bytes */
    int warps, tiles;         /* of a block, of a warp */
    int segment;              /* rows that a block marches over, a multiple of 16 */
    int pitch, shared_bytes;
} window_gpu_box;

/* Decides how it runs; the device is open. across.halo and down.halo are of one of the list. */
satf_status window_gpu_box_plan(satf_context *ctx, window_gpu_box *box);

/* Enqueues the making of the weights, once for any number of runs. */
satf_status window_gpu_box_prepare(satf_context *ctx, const window_gpu_box *box);

/* Enqueues out = the mean over the window around each sample, rounded half up. */
satf_status window_gpu_box_run(satf_context *ctx, const window_gpu_box *box);

/* Where the calls above lead (base/backend.h). */
typedef struct window_gpu_calls {
    __typeof__(window_gpu_multiplies) *multiplies;
    __typeof__(window_gpu_box_plan) *box_plan;
    __typeof__(window_gpu_box_prepare) *box_prepare;
    __typeof__(window_gpu_box_run) *box_run;
} window_gpu_calls;

#endif
