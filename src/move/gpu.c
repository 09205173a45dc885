/* Moving pixels on a device, led to the backend. */
#include "gpu.h"

#include "../base/backend.h"
#include "../base/gpu.h"

satf_status move_gpu_run(satf_context *ctx, const move_job *job)
{
    const satf_backend *b = satf_backend_get(NULL);
    return b ? b->move->run(ctx, job) : satf_gpu_check(ctx, job->in.device);
}
