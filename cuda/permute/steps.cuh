/* The steps of src/permute/permute.h on a CUDA device, each where its kernels are. */
#ifndef CUDA_PERMUTE_STEPS_CUH
#define CUDA_PERMUTE_STEPS_CUH

#include "../base/check.h"

extern "C" {
#include "../../src/permute/permute.h"
}

satf_status permute_scatter(const permute_call *call, const void *in, void *out, const uint32_t *p,
                            int64_t n);
satf_status permute_gather(const permute_call *call, const void *in, void *out, const uint32_t *q,
                           int64_t n);
satf_status permute_transpose(const permute_call *call, const void *in, void *out, int64_t rows,
                              int64_t columns);
satf_status permute_rows(const permute_call *call, const void *in, void *out, const uint16_t *s,
                         const uint16_t *d, int64_t rows, uint32_t length);
satf_status permute_spread(const permute_call *call, const void *in, void *out, const uint16_t *d,
                           int64_t rows, uint32_t length, uint32_t piece);
satf_status permute_collect(const permute_call *call, const void *in, void *out, const uint16_t *s,
                            int64_t rows, uint32_t length);

#endif
