/* Windows on a device, led to the backend. */
#include "gpu.h"

#include "../base/backend.h"
#include "../base/gpu.h"

#define SUMS(across, down) {across, down, false},
#define SQUARES(across, down) {across, down, true},
const window_gpu_halo window_gpu_halos[] = {
    WINDOW_GPU_HALOS(SUMS) WINDOW_GPU_SQUARE_HALOS(SQUARES){0, 0, false},
};
#undef SUMS
#undef SQUARES

static const window_gpu_calls *backend(void)
{
    const satf_backend *b = satf_backend_get(NULL);
    return b ? b->window : NULL;
}

bool window_gpu_multiplies(int device)
{
    return backend() && backend()->multiplies(device);
}

satf_status window_gpu_box_plan(satf_context *ctx, window_gpu_box *box)
{
    return backend() ? backend()->box_plan(ctx, box) : satf_gpu_check(ctx, box->in.device);
}

satf_status window_gpu_box_prepare(satf_context *ctx, const window_gpu_box *box)
{
    return backend() ? backend()->box_prepare(ctx, box) : satf_gpu_check(ctx, box->in.device);
}

satf_status window_gpu_box_run(satf_context *ctx, const window_gpu_box *box)
{
    return backend() ? backend()->box_run(ctx, box) : satf_gpu_check(ctx, box->in.device);
}

bool window_gpu_large_fits(const window_gpu_large *large)
{
    return backend() && backend()->large_fits(large);
}

satf_status window_gpu_large_plan(satf_context *ctx, window_gpu_large *large)
{
    return backend() ? backend()->large_plan(ctx, large) : satf_gpu_check(ctx, large->in.device);
}

satf_status window_gpu_large_prepare(satf_context *ctx, const window_gpu_large *large)
{
    return backend() ? backend()->large_prepare(ctx, large) : satf_gpu_check(ctx, large->in.device);
}

satf_status window_gpu_large_run(satf_context *ctx, const window_gpu_large *large)
{
    return backend() ? backend()->large_run(ctx, large) : satf_gpu_check(ctx, large->in.device);
}

satf_status window_gpu_realign(satf_context *ctx, const satf_view *from, const satf_view *to)
{
    return backend() ? backend()->realign(ctx, from, to) : satf_gpu_check(ctx, from->device);
}
