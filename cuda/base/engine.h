/* The code of this build that a device runs, and what that code may use. */
#ifndef CUDA_BASE_ENGINE_H
#define CUDA_BASE_ENGINE_H

/* The compute capability, times ten, for which the code was compiled that `device`, the current
 * one, runs of this build; 1 for a device that cannot be asked, and for one beyond the 63rd. The
 * answer to the first call holds. */
int code_capability(int device);

/* Whether the device has a copy engine and starts kernels early, as devices from 9.0 on do. */
static inline bool has_engine(int device)
{
    return code_capability(device) >= 90;
}

#endif
