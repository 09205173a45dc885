/* Moving pixels on a CUDA device, in plain C: what cuda/move does. */
#ifndef SATF_MOVE_GPU_H
#define SATF_MOVE_GPU_H

#include "move.h"

/* Enqueues the job on the context's stream. All its memory is of job->in's
 * device, the order too. */
satf_status move_gpu_run(satf_context *ctx, const move_job *job);

/* Where that leads (base/backend.h). */
typedef struct move_gpu_calls {
    __typeof__(move_gpu_run) *run;
} move_gpu_calls;

#endif
