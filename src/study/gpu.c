/* The study's kernels, led to their shared object. */
#include "gpu.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "../base/gpu.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const machine_gpu_calls *found;
static char why[SATF_PATH_BYTES]; /* it did not open */

static void load(void)
{
    const satf_backend *backend = satf_backend_get(NULL);
    char path[SATF_PATH_BYTES];
    bool there = backend && satf_beside(backend, MACHINE_FILE, path);
    void *object = there ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (there && !object) {
        snprintf(why, sizeof why, ": %s", dlerror());
    }
    if (object) {
        machine_entry entry;
        *(void **)&entry = dlsym(object, MACHINE_ENTRY_NAME);
        const machine_gpu_calls *calls = entry ? entry(backend) : NULL;
        if (calls && strncmp(calls->version, satf_version(), sizeof calls->version) == 0 &&
            calls->bytes == sizeof *calls) {
            found = calls;
        }
    }
}

/* NULL, and a sentence. */
static const machine_gpu_calls *backend(satf_context *ctx)
{
    pthread_once(&once, load);
    if (!found && !satf_gpu_check(ctx, SATF_CUDA(0))) {
        satf_fail(ctx, SATF_NO_DEVICE,
                  MACHINE_FILE " of version %s is wanted beside " SATF_BACKEND_FILE "%s",
                  satf_version(), why);
    }
    return found;
}

satf_status machine_cuda_transpose(satf_context *ctx, const machine_transpose *t, const void *in,
                                   void *out, const uint32_t *numbers, int64_t times)
{
    const machine_gpu_calls *b = backend(ctx);
    return b ? b->transpose(ctx, t, in, out, numbers, times) : SATF_NO_DEVICE;
}

satf_status machine_cuda_tiles(satf_context *ctx, size_t kernel, layout_2d layout, int most_blocks,
                               int64_t tiles, const float *in, float *out)
{
    const machine_gpu_calls *b = backend(ctx);
    return b ? b->tiles(ctx, kernel, layout, most_blocks, tiles, in, out) : SATF_NO_DEVICE;
}

satf_status machine_cuda_tiles_residence(satf_context *ctx, size_t kernel, layout_2d layout,
                                         int most_blocks, machine_residence *residence)
{
    const machine_gpu_calls *b = backend(ctx);
    return b ? b->tiles_residence(ctx, kernel, layout, most_blocks, residence) : SATF_NO_DEVICE;
}

satf_status machine_cuda_structs(satf_context *ctx, machine_struct way, uint32_t fields,
                                 const uint32_t *in, uint32_t *out, int64_t structs)
{
    const machine_gpu_calls *b = backend(ctx);
    return b ? b->structs(ctx, way, fields, in, out, structs) : SATF_NO_DEVICE;
}

satf_status machine_cuda_copy(satf_context *ctx, const float *in, float *out, int64_t n,
                              int64_t offset)
{
    const machine_gpu_calls *b = backend(ctx);
    return b ? b->copy(ctx, in, out, n, offset) : SATF_NO_DEVICE;
}

satf_status machine_cuda_powers(satf_context *ctx, bool interleaved, const float *in, float *out,
                                int64_t count)
{
    const machine_gpu_calls *b = backend(ctx);
    return b ? b->powers(ctx, interleaved, in, out, count) : SATF_NO_DEVICE;
}

satf_status machine_cuda_powers_shared(satf_context *ctx, bool interleaved, const float *in,
                                       float *out, int64_t times)
{
    const machine_gpu_calls *b = backend(ctx);
    return b ? b->powers_shared(ctx, interleaved, in, out, times) : SATF_NO_DEVICE;
}

satf_status machine_cuda_product(satf_context *ctx, access_product way, const float *a,
                                 const float *b, float *c, int64_t side)
{
    const machine_gpu_calls *calls = backend(ctx);
    return calls ? calls->product(ctx, way, a, b, c, side) : SATF_NO_DEVICE;
}

satf_status machine_cuda_permute(const permute_call *call, permute_way way, bool in_place,
                                 pattern which, const void *in, void *out, const uint32_t *table,
                                 int64_t times)
{
    const machine_gpu_calls *b = backend(call->ctx);
    return b ? b->permute(call, way, in_place, which, in, out, table, times) : SATF_NO_DEVICE;
}

satf_status machine_cuda_convert(satf_context *ctx, const satf_view *in, const satf_view *out)
{
    const machine_gpu_calls *b = backend(ctx);
    return b ? b->convert(ctx, in, out) : SATF_NO_DEVICE;
}

satf_status machine_cuda_truth(satf_context *ctx, const satf_view *in, double units, void *truth)
{
    const machine_gpu_calls *b = backend(ctx);
    return b ? b->truth(ctx, in, units, truth) : SATF_NO_DEVICE;
}

satf_status machine_cuda_compare(satf_context *ctx, const void *truth, const satf_view *out,
                                 double units, double relative, int64_t *first)
{
    const machine_gpu_calls *b = backend(ctx);
    return b ? b->compare(ctx, truth, out, units, relative, first) : SATF_NO_DEVICE;
}
