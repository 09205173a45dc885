/* Memory that is kept from one run to the next, by what it is used for. */
#include <string.h>

#include "state.h"

extern "C" {
#include "../../src/base/memory.h"
}

/* Places for kept memory: enough for the few sizes and types of pyramids and variances. */
enum { KEPT = 8 };

/* If more bytes are kept in all, the memory used least recently is given up. */
static const size_t most_bytes = (size_t)512 << 20;

struct kept_memory {
    void *memory; /* NULL: none */
    size_t bytes;
    satf_gpu_use use;
    unsigned runs; /* since it was zeros; 0: it holds anything */
    uint64_t used; /* when, in calls */
};

struct gpu_keeper {
    kept_memory kept[KEPT];
    kept_memory *in_use; /* between cuda_keep() and cuda_kept() */
    unsigned runs;       /* of in_use, once this run has succeeded */
    uint64_t calls;
    satf_gpu_order order;
};

/* Frees all that is kept, after its latest use. */
static void free_keeper(satf_context *ctx, gpu_keeper *keeper)
{
    cuda_order_free(&keeper->order);
    for (kept_memory &kept : keeper->kept) {
        if (kept.memory && !satf_gpu_give_lent(ctx, kept.memory)) {
            cudaFree(kept.memory);
        }
    }
    satf_free(keeper);
}

static kept_memory *find_kept(gpu_keeper *keeper, const satf_gpu_use *use, size_t bytes)
{
    for (kept_memory &kept : keeper->kept) {
        if (kept.memory && kept.bytes == bytes && memcmp(&kept.use, use, sizeof *use) == 0) {
            return &kept;
        }
    }
    return NULL;
}

static void give_up(satf_context *ctx, kept_memory *kept)
{
    satf_gpu_free(ctx, kept->memory);
    memset(kept, 0, sizeof *kept);
}

/* Finds a place without memory. The least recently used ones are given up until there is one, and
 * room for `bytes` more: all of them if `bytes` alone are more than may be kept. */
static kept_memory *kept_make_room(satf_context *ctx, gpu_keeper *keeper, size_t bytes)
{
    for (;;) {
        size_t all = 0;
        kept_memory *empty = NULL, *oldest = NULL;
        for (kept_memory &kept : keeper->kept) {
            all += kept.bytes;
            if (!kept.memory) {
                empty = &kept;
            } else if (!oldest || kept.used < oldest->used) {
                oldest = &kept;
            }
        }
        if (!oldest || (empty && bytes < most_bytes && all <= most_bytes - bytes)) {
            return empty;
        }
        give_up(ctx, oldest);
    }
}

void cuda_give_up(satf_context *ctx)
{
    gpu_keeper *keeper = ctx->gpu ? ctx->gpu->keeper : NULL;
    if (!keeper || keeper->calls == 0 || cuda_captures(ctx, ctx->gpu->device)) {
        return;
    }
    cuda_order_wait(&keeper->order); /* perhaps of another stream */
    for (kept_memory &kept : keeper->kept) {
        if (kept.memory && &kept != keeper->in_use) {
            give_up(ctx, &kept);
        }
    }
}

static satf_status open_keeper(satf_context *ctx, gpu_keeper **keeper)
{
    satf_gpu *gpu = ctx->gpu;
    if (!gpu->keeper) {
        gpu->keeper = (gpu_keeper *)satf_alloc_zeroed(sizeof *gpu->keeper);
        if (!gpu->keeper) {
            return satf_fail_memory(ctx, sizeof *gpu->keeper, "a CUDA device's kept memory");
        }
        gpu->free_keeper = free_keeper;
    }
    *keeper = gpu->keeper;
    return SATF_OK;
}

static satf_status add_kept(satf_context *ctx, int device, gpu_keeper *keeper,
                            const satf_gpu_use *use, size_t bytes, const char *what,
                            kept_memory **added)
{
    kept_memory *kept = kept_make_room(ctx, keeper, bytes);
    satf_status status = satf_gpu_alloc(ctx, device, bytes, what, &kept->memory);
    if (!status) {
        kept->bytes = bytes;
        kept->use = *use;
        *added = kept;
    }
    return status;
}

satf_status cuda_keep(satf_context *ctx, int device, const satf_gpu_use *use, size_t bytes,
                      const char *what, void **memory, unsigned *runs)
{
    *memory = NULL;
    satf_status status = cuda_open(ctx, device);
    if (status) {
        return status;
    }
    gpu_keeper *keeper;
    bool captured = false;
    status = open_keeper(ctx, &keeper);
    status = status ? status : cuda_order_begin(ctx, device, &keeper->order, &captured);
    if (status || captured) {
        return status;
    }
    kept_memory *kept = find_kept(keeper, use, bytes);
    if (!kept) {
        status = add_kept(ctx, device, keeper, use, bytes, what, &kept);
        if (status) {
            return status;
        }
    }
    if (kept->runs == 0) {
        CUDA_RETURN(ctx, cudaMemsetAsync(kept->memory, 0, bytes, stream_of(ctx)));
    }
    *runs = keeper->runs = kept->runs + 1;
    kept->runs = 0; /* until cuda_kept() says that the run is good */
    kept->used = ++keeper->calls;
    keeper->in_use = kept;
    *memory = kept->memory;
    return SATF_OK;
}

void cuda_kept(satf_context *ctx, bool good)
{
    if (!ctx->gpu) { /* the device was lost in between */
        return;
    }
    gpu_keeper *keeper = ctx->gpu->keeper;
    cuda_order_end(ctx, &keeper->order);
    if (good) {
        keeper->in_use->runs = keeper->runs;
    }
    keeper->in_use = NULL;
}
