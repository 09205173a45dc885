/* The code of this build that a device runs, and what that code may use. */
#ifndef CUDA_BASE_ENGINE_H
#define CUDA_BASE_ENGINE_H

/* The compute capability, times ten, of the code in this build that the device runs, which is the
 * current one; of a device that cannot be asked, and of one beyond the 63rd, 1. The answer to the
 * first call holds. */
int code_capability(int device);

/* Whether it has a copy engine and starts kernels early, as devices from 9.0 on. */
static inline bool has_engine(int device)
{
    return code_capability(device) >= 90;
}

#endif
