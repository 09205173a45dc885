/*
 * Moving pixels on a CUDA device, in plain C: cuda/move where the build has
 * CUDA, gpu_none.c elsewhere.
 */
#ifndef SATF_MOVE_GPU_H
#define SATF_MOVE_GPU_H

#include "move.h"

/* Enqueues the job on the context's stream. All its memory is of job->in's
 * device, the order too. */
satf_status move_gpu_run(satf_context *ctx, const move_job *job);

#endif
