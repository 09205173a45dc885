/* Permutations on CUDA devices: cuda/permute where the build has CUDA, gpu_none.c elsewhere. */
#ifndef SATF_PERMUTE_GPU_H
#define SATF_PERMUTE_GPU_H

#include "../machine/pattern.h"
#include "permute.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const permute_steps permute_cuda_steps;

/* Memory of a device that belongs to no context, filled from the host's; waits. The
 * device must be open (satf_gpu_open()), as for all that follows. */
satf_status permute_cuda_keep(satf_context *ctx, int device, const void *host, size_t bytes,
                              void **memory);
void permute_cuda_drop(void *memory); /* NULL is allowed */

/*
 * PATTERN_SMALL elements from one array of shared memory to another, `times` times in
 * one kernel of one block with a thread for each, as in section 4.5; then out =
 * the result. table: PATTERN_SMALL words each of p, q, s and d (section 4.3).
 */
typedef enum permute_way {
    PERMUTE_COPY,
    PERMUTE_TO,            /* b[p[i]] = a[i]: destination-designated */
    PERMUTE_FROM,          /* b[i] = a[q[i]]: source-designated */
    PERMUTE_CONFLICT_FREE, /* b[d[i]] = a[s[i]] */
    PERMUTE_WAYS
} permute_way;

/* in_place: indices are computed; only for patterns that are. PERMUTE_COPY has one form. */
satf_status permute_cuda_small(const permute_call *call, permute_way way, bool in_place,
                               pattern which, const void *in, void *out, const uint32_t *table,
                               int64_t times);

#ifdef __cplusplus
}
#endif
#endif
