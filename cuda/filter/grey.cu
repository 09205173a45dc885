/* Colour to grey on a CUDA device: a thread a pixel. */
#include "any.cuh"

extern "C" {
#include "../../src/base/view.h"
#include "../../src/filter/gpu.h"
}

#include "../../src/filter/grey.h"

enum { THREADS = 256, MAX_GRID_ROWS = 65535 };

/* From samples wherever they lie to packed ones, of floats to doubles. */
static __global__ void __launch_bounds__(THREADS) make_grey(satf_view from, satf_view to)
{
    bool real = from.type == SATF_F32 || from.type == SATF_F64;
    int64_t bytes = sample_bytes(from.type), grey_bytes = sample_bytes(to.type);
    for (int64_t y = blockIdx.y; y < from.height; y += gridDim.y) {
        const char *row = (const char *)from.data + y * from.stride;
        char *grey = (char *)to.data + y * to.stride;
        for (int64_t x = (int64_t)blockIdx.x * THREADS + threadIdx.x; x < from.width;
             x += (int64_t)gridDim.x * THREADS) {
            double pixel[SATF_MAX_CHANNELS];
            for (int c = 0; c < from.channels; c++) {
                pixel[c] = load_sample(from.type, row + (x * from.channels + c) * bytes);
            }
            double value = real ? grey_of_reals(pixel[0], pixel[1], pixel[2])
                                : (double)grey_of_integers((uint32_t)pixel[0], (uint32_t)pixel[1],
                                                           (uint32_t)pixel[2]);
            char *at = grey + x * to.channels * grey_bytes;
            store_aligned(to.type, formula_real(value), at);
            if (to.channels > 1) {
                store_aligned(to.type, formula_real(pixel[from.channels - 1]), at + grey_bytes);
            }
        }
    }
}

extern "C" satf_status cuda_grey(satf_context *ctx, const satf_view *from, const satf_view *to)
{
    satf_status status = cuda_open(ctx, from->device);
    if (status) {
        return status;
    }
    int64_t columns = (from->width - 1) / THREADS + 1;
    dim3 grid((unsigned)(columns < INT32_MAX ? columns : INT32_MAX),
              (unsigned)(from->height < MAX_GRID_ROWS ? from->height : MAX_GRID_ROWS));
    make_grey<<<grid, THREADS, 0, (cudaStream_t)cuda_stream(ctx)>>>(*from, *to);
    return cuda_check(ctx, cudaGetLastError(), "cudaLaunchKernel");
}
