/* A build without CUDA: no image is ever on a device. */
#include "gpu.h"

#include "../base/gpu.h"

satf_status move_gpu_run(satf_context *ctx, const move_job *job)
{
    return satf_gpu_check(ctx, job->in.device);
}
