/* Adapters of pixels on a CUDA device: a thread for each pixel. */
#include "../base/check.h"

extern "C" {
#include "../../src/base/view.h"
#include "../../src/plan/gpu.h"
}

#include "../../src/formula/adapt.h"

enum { THREADS = 256, MAX_GRID_ROWS = 65535 };

static __global__ void __launch_bounds__(THREADS)
    adapt_pixels(row_adapter a, satf_view in, satf_view beside, satf_view out)
{
    int64_t bytes = in.channels * (int64_t)adapt_bytes(in.type);
    int64_t to_bytes = out.channels * (int64_t)adapt_bytes(out.type);
    int64_t beside_bytes = beside.channels * (int64_t)adapt_bytes(beside.type);
    for (int64_t y = blockIdx.y; y < in.height; y += gridDim.y) {
        const char *from = (const char *)in.data + y * in.stride;
        const char *by = (const char *)beside.data + y * beside.stride;
        char *to = (char *)out.data + y * out.stride;
        for (int64_t x = (int64_t)blockIdx.x * THREADS + threadIdx.x; x < in.width;
             x += (int64_t)gridDim.x * THREADS) {
            if (a.stores) {
                adapt_store_pixel(&a, from + x * bytes, by + x * beside_bytes, beside.type,
                                  to + x * to_bytes);
            } else {
                adapt_load_pixel(&a, from + x * bytes, by + x * beside_bytes, to + x * to_bytes);
            }
        }
    }
}

static bool is_aligned(const satf_view *view)
{
    int64_t bytes = (int64_t)satf_type_bytes(view->type);
    return !view->data || ((int64_t)(uintptr_t)view->data | view->stride) % bytes == 0;
}

extern "C" satf_status cuda_adapt(satf_context *ctx, const row_adapter *adapter,
                                  const satf_view *in, const satf_view *beside,
                                  const satf_view *out)
{
    satf_status status = cuda_open(ctx, in->device);
    if (status) {
        return status;
    }
    row_adapter a = *adapter;
    a.aligned = is_aligned(in) && is_aligned(beside) && is_aligned(out);
    int64_t columns = (in->width - 1) / THREADS + 1;
    dim3 grid((unsigned)(columns < INT32_MAX ? columns : INT32_MAX),
              (unsigned)(in->height < MAX_GRID_ROWS ? in->height : MAX_GRID_ROWS));
    adapt_pixels<<<grid, THREADS, 0, (cudaStream_t)cuda_stream(ctx)>>>(a, *in, *beside, *out);
    return cuda_check(ctx, cudaGetLastError(), "cudaLaunchKernel");
}
