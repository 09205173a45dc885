#ifndef CUDA_BASE_ENGINE_H
#define CUDA_BASE_ENGINE_H

/* Whether the device, which is the current one, has a copy engine and starts kernels early, as
 * those from 9.0 on, and takes kernels of this build that know of it; of a device that cannot be
 * asked, and of one beyond the 64th, no. The answer to the first call holds. */
bool has_engine(int device);

#endif
