/* The devices that the backend finds. */
#include "backend.h"
#include "gpu.h"

int satf_gpu_count(const char **why)
{
    const satf_backend *b = satf_backend_get(why);
    return b ? b->gpu->count(why) : 0;
}

bool satf_gpu_describe(int device, satf_gpu_info *info)
{
    const satf_backend *b = satf_backend_get(NULL);
    return b && b->gpu->describe(device, info);
}

bool satf_gpu_speed(int device, double *clock_khz, double *bytes_per_second)
{
    const satf_backend *b = satf_backend_get(NULL);
    return b && b->gpu->speed(device, clock_khz, bytes_per_second);
}
