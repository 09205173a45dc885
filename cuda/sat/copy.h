/*
 * What satbench holds the CUDA rows against: the least that every one of them
 * must do, and the right result for tables too large to check on the host.
 * All enqueue on the context's stream; views are packed, on one device, their
 * data aligned to 16 bytes.
 */
#ifndef CUDA_SAT_COPY_H
#define CUDA_SAT_COPY_H

#include "../../src/base/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out[i] = in[i] in out's type, for the type pairs of SATs: each sample is read
 * once and written once, as in any SAT at the speed of memory. */
satf_status sat_cuda_convert(satf_context *ctx, const satf_view *in, const satf_view *out);

/*
 * truth[i] = the SAT of in, in whole units modulo 2^64: samples times `units`,
 * which must be whole numbers. truth: 8 bytes a sample. Columns, then rows, one
 * thread and one warp each: nothing in common with the rows that it judges.
 */
satf_status sat_cuda_truth(satf_context *ctx, const satf_view *in, double units, void *truth);

/*
 * *first = the index of the first sample of out that is not truth[i] / units, or
 * -1. relative: how far floats may be off, as a part of the right value.
 * Waits for the device.
 */
satf_status sat_cuda_compare(satf_context *ctx, const void *truth, const satf_view *out,
                             double units, double relative, int64_t *first);

#ifdef __cplusplus
}
#endif
#endif
