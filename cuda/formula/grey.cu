/* Colour to grey on a CUDA device: a thread for each pixel. */
#include "../sums/any.cuh"

extern "C" {
#include "../../src/base/view.h"
#include "../../src/plan/gpu.h"
}

#include "../../src/formula/grey.h"

enum { THREADS = 256, MAX_GRID_ROWS = 65535 };

/* Loads a u32 or u64 at any address. */
static __device__ uint64_t load_wide(int type, const char *from)
{
    uint64_t sample = 0;
    memcpy(&sample, from, type == SATF_U32 ? sizeof(uint32_t) : sizeof sample);
    return sample;
}

/* The grey of a pixel whose samples are so many bytes apart. */
static __device__ formula_value grey_of(int type, const char *pixel, int64_t bytes)
{
    if (type == SATF_U32 || type == SATF_U64) {
        return formula_integer(grey_of_wide(load_wide(type, pixel), load_wide(type, pixel + bytes),
                                            load_wide(type, pixel + 2 * bytes)));
    }
    double r = load_sample(type, pixel), g = load_sample(type, pixel + bytes);
    double b = load_sample(type, pixel + 2 * bytes);
    bool real = type == SATF_F32 || type == SATF_F64;
    return formula_real(real ? grey_of_reals(r, g, b)
                             : (double)grey_of_integers((uint32_t)r, (uint32_t)g, (uint32_t)b));
}

/* Makes packed grey samples of colour samples at any address; floats become doubles. */
static __global__ void __launch_bounds__(THREADS) make_grey(satf_view from, satf_view to)
{
    bool wide = from.type == SATF_U32 || from.type == SATF_U64;
    int64_t bytes = sample_bytes(from.type), grey_bytes = sample_bytes(to.type);
    for (int64_t y = blockIdx.y; y < from.height; y += gridDim.y) {
        const char *row = (const char *)from.data + y * from.stride;
        char *grey = (char *)to.data + y * to.stride;
        for (int64_t x = (int64_t)blockIdx.x * THREADS + threadIdx.x; x < from.width;
             x += (int64_t)gridDim.x * THREADS) {
            const char *pixel = row + x * from.channels * bytes;
            const char *alpha = pixel + (from.channels - 1) * bytes;
            char *at = grey + x * to.channels * grey_bytes;
            store_aligned(to.type, grey_of(from.type, pixel, bytes), at);
            if (to.channels > 1) {
                store_aligned(to.type,
                              wide ? formula_integer(load_wide(from.type, alpha))
                                   : formula_real(load_sample(from.type, alpha)),
                              at + grey_bytes);
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
