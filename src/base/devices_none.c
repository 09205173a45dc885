/* The CUDA devices that a build without CUDA finds. */
#include "gpu.h"

int satf_gpu_count(const char **why)
{
    if (why) {
        *why = "this build is without CUDA";
    }
    return 0;
}

bool satf_gpu_describe(int device, satf_gpu_info *info)
{
    (void)device, (void)info;
    return false;
}
