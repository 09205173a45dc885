/* Permutations on CUDA devices, in plain C: what cuda/permute does. */
#ifndef SATF_PERMUTE_GPU_H
#define SATF_PERMUTE_GPU_H

#include "permute.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Memory of a device that belongs to no context, filled from the host's; waits. The
 * device must be open (satf_gpu_open()), as for all that follows. */
satf_status permute_cuda_keep(satf_context *ctx, int device, const void *host, size_t bytes,
                              void **memory);
void permute_cuda_drop(void *memory); /* NULL is allowed */

/* The steps of a context whose device is open. */
const permute_steps *permute_cuda_steps(void);

/* Where the calls above lead (base/backend.h). */
typedef struct permute_gpu_calls {
    __typeof__(permute_cuda_keep) *keep;
    __typeof__(permute_cuda_drop) *drop;
    __typeof__(permute_cuda_steps) *steps;
} permute_gpu_calls;

#ifdef __cplusplus
}
#endif
#endif
