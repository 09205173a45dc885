/* The device layer's calls, led to the backend. Without one no device is found, so nothing but the
 * calls that take a device are reached: they say so. */
#include "gpu.h"

#include "backend.h"
#include "clock.h"

static const satf_gpu_calls *backend(void)
{
    const satf_backend *b = satf_backend_get(NULL);
    return b ? b->gpu : NULL;
}

satf_status satf_gpu_open(satf_context *ctx, int device)
{
    double start_ms = satf_now_ms();
    satf_status status = backend() ? backend()->open(ctx, device) : satf_gpu_check(ctx, device);
    satf_gpu_spend(start_ms, !status);
    return status;
}

/* The next two are asked by every context, and load nothing. */
satf_status satf_gpu_leave(satf_context *ctx, satf_status status)
{
    return ctx->entered ? backend()->leave(ctx, status) : status;
}

void satf_gpu_close(satf_context *ctx)
{
    if (ctx->gpu) {
        backend()->close(ctx);
    }
}

void *satf_gpu_stream(satf_context *ctx)
{
    return ctx->gpu ? backend()->stream(ctx) : ctx->stream;
}

satf_status satf_gpu_alloc(satf_context *ctx, int device, size_t bytes, const char *what,
                           void **memory)
{
    *memory = NULL;
    return backend() ? backend()->alloc(ctx, device, bytes, what, memory)
                     : satf_gpu_check(ctx, device);
}

void satf_gpu_free(satf_context *ctx, void *memory)
{
    if (memory && ctx->gpu) {
        backend()->free(ctx, memory);
    }
}

bool satf_gpu_captures(satf_context *ctx, int device)
{
    return backend() && backend()->captures(ctx, device);
}

satf_status satf_gpu_order_begin(satf_context *ctx, int device, satf_gpu_order *order,
                                 bool *captured)
{
    return backend() ? backend()->order_begin(ctx, device, order, captured)
                     : satf_gpu_check(ctx, device);
}

void satf_gpu_order_end(satf_context *ctx, satf_gpu_order *order)
{
    if (ctx->gpu) {
        backend()->order_end(ctx, order);
    }
}

void satf_gpu_order_wait(satf_gpu_order *order)
{
    if (order->done) {
        backend()->order_wait(order);
    }
}

void satf_gpu_order_free(satf_gpu_order *order)
{
    if (order->done) {
        backend()->order_free(order);
    }
}

void satf_gpu_free_behind(satf_gpu_order *order, void *memory)
{
    if (memory) {
        backend()->free_behind(order, memory);
    }
}

satf_status satf_gpu_keep(satf_context *ctx, int device, const satf_gpu_use *use, size_t bytes,
                          const char *what, void **memory, unsigned *runs)
{
    *memory = NULL;
    return backend() ? backend()->keep(ctx, device, use, bytes, what, memory, runs)
                     : satf_gpu_check(ctx, device);
}

void satf_gpu_kept(satf_context *ctx, bool good)
{
    if (ctx->gpu) {
        backend()->kept(ctx, good);
    }
}

satf_status satf_gpu_copy(satf_context *ctx, const satf_view *from, const satf_view *to)
{
    int device = from->device == SATF_HOST ? to->device : from->device;
    return backend() ? backend()->copy(ctx, from, to) : satf_gpu_check(ctx, device);
}

satf_status satf_gpu_copy_bytes(satf_context *ctx, int device, void *to, const void *from,
                                size_t bytes)
{
    return backend() ? backend()->copy_bytes(ctx, device, to, from, bytes)
                     : satf_gpu_check(ctx, device);
}

satf_status satf_gpu_set_bytes(satf_context *ctx, int device, void *memory, int value, size_t bytes)
{
    return backend() ? backend()->set_bytes(ctx, device, memory, value, bytes)
                     : satf_gpu_check(ctx, device);
}

satf_status satf_gpu_wait(satf_context *ctx, int device)
{
    return backend() ? backend()->wait(ctx, device) : satf_gpu_check(ctx, device);
}

satf_status satf_gpu_synchronize(satf_context *ctx)
{
    return ctx->gpu ? backend()->synchronize(ctx) : SATF_OK;
}

satf_status satf_gpu_time_begin(satf_context *ctx, int device)
{
    return backend() ? backend()->time_begin(ctx, device) : satf_gpu_check(ctx, device);
}

satf_status satf_gpu_time_end(satf_context *ctx, int device, double *ms)
{
    return backend() ? backend()->time_end(ctx, device, ms) : satf_gpu_check(ctx, device);
}
