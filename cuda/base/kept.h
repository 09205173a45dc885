/* Device memory that a context keeps between runs; what gpu.cu needs of kept.cu, and the reverse.
 */
#ifndef CUDA_BASE_KEPT_H
#define CUDA_BASE_KEPT_H

#include "check.h"

struct gpu_keeper;

/* Where the context's open device has its keeper. (gpu.cu) */
gpu_keeper **keeper_of(satf_context *ctx);

/* Frees all that is kept and not in use, behind its latest use. */
void give_up_kept(satf_context *ctx);

/* Waits for the latest use; NULL is allowed. */
void free_keeper(gpu_keeper *keeper);

#endif
