/* A build without CUDA has no device that anything could be copied on. */
#include "copy.h"

static satf_status none(satf_context *ctx)
{
    return satf_fail(ctx, SATF_NO_DEVICE, "this build is without CUDA");
}

satf_status sat_cuda_convert(satf_context *ctx, const satf_view *in, const satf_view *out)
{
    (void)in;
    (void)out;
    return none(ctx);
}

satf_status sat_cuda_truth(satf_context *ctx, const satf_view *in, double units, void *truth)
{
    (void)in;
    (void)units;
    (void)truth;
    return none(ctx);
}

satf_status sat_cuda_compare(satf_context *ctx, const void *truth, const satf_view *out,
                             double units, double relative, int64_t *first)
{
    (void)truth;
    (void)out;
    (void)units;
    (void)relative;
    (void)first;
    return none(ctx);
}
