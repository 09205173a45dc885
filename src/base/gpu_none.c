/* The device layer of a build without CUDA: no device is ever found (devices_none.c), and who asks
 * for one is told so. */
#include "gpu.h"

satf_status satf_gpu_open(satf_context *ctx, int device)
{
    return satf_gpu_check(ctx, device);
}

satf_status satf_gpu_leave(satf_context *ctx, satf_status status)
{
    (void)ctx;
    return status;
}

void satf_gpu_close(satf_context *ctx)
{
    (void)ctx;
}

void *satf_gpu_stream(satf_context *ctx)
{
    return ctx->stream;
}

satf_status satf_gpu_alloc(satf_context *ctx, int device, size_t bytes, const char *what,
                           void **memory)
{
    (void)bytes, (void)what;
    *memory = NULL;
    return satf_gpu_check(ctx, device);
}

void satf_gpu_free(satf_context *ctx, void *memory)
{
    (void)ctx, (void)memory;
}

satf_status satf_gpu_keep(satf_context *ctx, int device, const satf_gpu_use *use, size_t bytes,
                          const char *what, void **memory, unsigned *runs)
{
    (void)use, (void)bytes, (void)what, (void)runs;
    *memory = NULL;
    return satf_gpu_check(ctx, device);
}

void satf_gpu_kept(satf_context *ctx, bool good)
{
    (void)ctx, (void)good;
}

satf_status satf_gpu_copy(satf_context *ctx, const satf_view *from, const satf_view *to)
{
    return satf_gpu_check(ctx, from->device == SATF_HOST ? to->device : from->device);
}

satf_status satf_gpu_copy_bytes(satf_context *ctx, int device, void *to, const void *from,
                                size_t bytes)
{
    (void)to, (void)from, (void)bytes;
    return satf_gpu_check(ctx, device);
}

satf_status satf_gpu_set_bytes(satf_context *ctx, int device, void *memory, int value, size_t bytes)
{
    (void)memory, (void)value, (void)bytes;
    return satf_gpu_check(ctx, device);
}

satf_status satf_gpu_wait(satf_context *ctx, int device)
{
    return satf_gpu_check(ctx, device);
}

satf_status satf_gpu_time_begin(satf_context *ctx, int device)
{
    return satf_gpu_check(ctx, device);
}

satf_status satf_gpu_time_end(satf_context *ctx, int device, double *ms)
{
    (void)ms;
    return satf_gpu_check(ctx, device);
}

bool satf_gpu_captures(satf_context *ctx, int device)
{
    (void)ctx, (void)device;
    return false;
}

satf_status satf_gpu_order_begin(satf_context *ctx, int device, satf_gpu_order *order,
                                 bool *captured)
{
    (void)order, (void)captured;
    return satf_gpu_check(ctx, device);
}

void satf_gpu_order_end(satf_context *ctx, satf_gpu_order *order)
{
    (void)ctx, (void)order;
}

void satf_gpu_free_behind(satf_gpu_order *order, void *memory)
{
    (void)order, (void)memory;
}

void satf_gpu_order_free(satf_gpu_order *order)
{
    (void)order;
}

satf_status satf_gpu_synchronize(satf_context *ctx)
{
    (void)ctx;
    return SATF_OK;
}
