/* The library's work around a backend's calls. The backend has this file too. */
#include "gpu.h"

#include <stdatomic.h>

#include "../clock.h"
#include "../memory.h"
#include "../view.h"

/* Microseconds that calls of the process have taken until a device was open. */
static _Atomic int64_t spent_us;
static atomic_bool started;

bool satf_gpu_has_started(void)
{
    return atomic_load_explicit(&started, memory_order_relaxed);
}

double satf_gpu_start_ms(void)
{
    return satf_gpu_has_started() ? (double)spent_us / 1e3 : 0;
}

/* Counts the time since then as a part of the start; open: a device is open now. */
static void spend(double since_ms, bool open)
{
    if (!satf_gpu_has_started()) {
        spent_us += (int64_t)((satf_now_ms() - since_ms) * 1e3);
        atomic_store_explicit(&started, open, memory_order_relaxed);
    }
}

int satf_gpu_count(const char **why)
{
    double start_ms = satf_now_ms();
    int count = satf_cuda()->count(why);
    spend(start_ms, false);
    return count;
}

satf_status satf_gpu_open(satf_context *ctx, int device)
{
    double start_ms = satf_now_ms();
    satf_status status = satf_cuda()->open(ctx, device);
    spend(start_ms, !status);
    return status;
}

satf_status satf_gpu_check(satf_context *ctx, int device)
{
    const char *why = NULL;
    int count = satf_gpu_count(&why);
    if (count == 0) {
        return satf_fail(ctx, SATF_NO_DEVICE, SATF_GPU_NONE, why);
    }
    int ordinal = satf_gpu_ordinal(device);
    if (ordinal < 0 || ordinal >= count) {
        return satf_fail(ctx, SATF_NO_DEVICE, "no CUDA device %d: there are 0 to %d", ordinal,
                         count - 1);
    }
    satf_gpu_info info;
    if (!satf_cuda()->describe(device, &info)) {
        return satf_fail(ctx, SATF_NO_DEVICE,
                         "no CUDA device %d: it does not answer; use the device cpu", ordinal);
    }
    if (!info.runs_kernels && !info.compiles) {
        return satf_fail(
            ctx, SATF_NO_DEVICE,
            "CUDA device %d (%.100s) has compute capability %d.%d, and libsatfilter-cuda "
            "has kernels for %s: build it with --with-cuda-arch=%d%d, or use the "
            "device cpu",
            ordinal, info.name, info.major, info.minor, *info.code ? info.code : "later ones",
            info.major, info.minor);
    }
    return SATF_OK;
}

satf_status satf_gpu_leave(satf_context *ctx, satf_status status)
{
    return ctx->entered ? satf_cuda()->leave(ctx, status) : status;
}

/* --------------------------------------------------------------------- memory */

/* A block of the caller's allocator, and how it goes back. */
struct satf_lent {
    void *memory;
    size_t bytes;
    satf_free_memory free;
    void *user;
    struct satf_lent *next;
};

/* The alignment that memory of a device must have. */
enum { DEVICE_ALIGNMENT = 256 };

static satf_status lend(satf_context *ctx, int device, size_t bytes, const char *what,
                        void **memory)
{
    struct satf_lent *block = satf_alloc(sizeof *block);
    if (!block) {
        return satf_fail_memory(ctx, sizeof *block, what);
    }
    void *stream = satf_cuda()->stream(ctx);
    *block = (struct satf_lent){NULL, bytes ? bytes : 1, ctx->free, ctx->allocator_user, ctx->lent};
    block->memory = ctx->alloc(block->user, block->bytes, stream);
    if (!block->memory) { /* what is kept goes */
        satf_context_forget(ctx);
        satf_cuda()->give_up(ctx);
        block->next = ctx->lent;
        block->memory = ctx->alloc(block->user, block->bytes, stream);
    }
    satf_status status = SATF_OK;
    if (!block->memory) {
        status = satf_fail(ctx, SATF_NO_MEMORY,
                           "the program's allocator has not the %zu bytes on CUDA device %d that "
                           "are wanted for %s",
                           bytes, satf_gpu_ordinal(device), what);
    } else if ((uintptr_t)block->memory % DEVICE_ALIGNMENT) {
        block->free(block->user, block->memory, block->bytes, stream);
        status = satf_fail(ctx, SATF_INVALID,
                           "the program's allocator gave memory that is not aligned to %d bytes",
                           DEVICE_ALIGNMENT);
    }
    if (status) {
        satf_free(block);
        return status;
    }
    ctx->lent = block;
    *memory = block->memory;
    return SATF_OK;
}

satf_status satf_gpu_alloc(satf_context *ctx, int device, size_t bytes, const char *what,
                           void **memory)
{
    *memory = NULL;
    satf_status status = ctx->alloc ? satf_gpu_open(ctx, device) : SATF_OK;
    if (status) {
        return status;
    }
    return ctx->alloc && !satf_cuda()->captures(ctx, device)
               ? lend(ctx, device, bytes, what, memory)
               : satf_cuda()->alloc(ctx, device, bytes, what, memory);
}

bool satf_gpu_give_lent(satf_context *ctx, void *memory)
{
    struct satf_lent **at = &ctx->lent;
    while (*at && (*at)->memory != memory) {
        at = &(*at)->next;
    }
    struct satf_lent *block = *at;
    if (!block) {
        return false;
    }
    *at = block->next;
    block->free(block->user, memory, block->bytes,
                ctx->gpu ? satf_cuda()->stream(ctx) : ctx->stream);
    satf_free(block);
    return true;
}

void satf_gpu_free(satf_context *ctx, void *memory)
{
    if (!memory || !satf_gpu_give_lent(ctx, memory)) {
        satf_cuda()->free(ctx, memory);
    }
}

void satf_gpu_free_behind(satf_context *ctx, satf_gpu_order *order, void *memory)
{
    satf_cuda()->free_behind(order, NULL);
    if (!satf_gpu_give_lent(ctx, memory)) {
        satf_cuda()->free_behind(order, memory);
    }
}

satf_status satf_context_set_allocator(satf_context *ctx, satf_alloc_memory alloc,
                                       satf_free_memory release, void *user)
{
    if (!ctx) {
        return SATF_INVALID;
    }
    if (!alloc != !release) {
        return satf_fail(ctx, SATF_INVALID, "an allocator has two functions; %s is missing",
                         alloc ? "free" : "alloc");
    }
    satf_context_forget(ctx);
    if (ctx->gpu) {
        satf_cuda()->give_up(ctx);
    }
    ctx->alloc = alloc;
    ctx->free = release;
    ctx->allocator_user = user;
    return satf_gpu_leave(ctx, SATF_OK);
}

satf_status satf_gpu_alloc_view(satf_context *ctx, int device, const satf_view *like,
                                const char *what, satf_view *view)
{
    *view = *like;
    view->data = NULL;
    view->device = device;
    view->pixel_stride = 0;
    size_t row, bytes;
    if (!satf_mul((size_t)satf_row_samples(like), satf_type_bytes(like->type), &row) ||
        row > INT64_MAX - 63 || !satf_mul(satf_align64(row), (size_t)like->height, &bytes)) {
        return satf_fail(ctx, SATF_LIMIT, "%s is too large for any memory", what);
    }
    view->stride = (int64_t)satf_align64(row);
    return satf_gpu_alloc(ctx, device, bytes, what, &view->data);
}
