/* Colour to grey on a CUDA device: a thread a pixel. */
#include "../base/check.h"

extern "C" {
#include "../../src/base/view.h"
#include "../../src/filter/gpu.h"
}

#include "../../src/filter/grey.h"

enum { THREADS = 256, MAX_GRID_ROWS = 65535 };

static __device__ uint8_t grey_of(const uint8_t *p)
{
    return (uint8_t)grey_of_integers(p[0], p[1], p[2]);
}

static __device__ uint16_t grey_of(const uint16_t *p)
{
    return (uint16_t)grey_of_integers(p[0], p[1], p[2]);
}

template <class T> static __device__ double grey_of(const T *p)
{
    return grey_of_reals((double)p[0], (double)p[1], (double)p[2]);
}

/* From samples T, wherever they lie, to packed samples Grey. */
template <class T, class Grey>
static __global__ void __launch_bounds__(THREADS) make_grey(satf_view from, satf_view to)
{
    for (int64_t y = blockIdx.y; y < from.height; y += gridDim.y) {
        const char *row = (const char *)from.data + y * from.stride;
        Grey *grey = (Grey *)((char *)to.data + y * to.stride);
        for (int64_t x = (int64_t)blockIdx.x * THREADS + threadIdx.x; x < from.width;
             x += (int64_t)gridDim.x * THREADS) {
            T pixel[SATF_MAX_CHANNELS];
            for (int c = 0; c < from.channels; c++) {
                memcpy(&pixel[c], row + (x * from.channels + c) * (int64_t)sizeof(T), sizeof(T));
            }
            grey[x * to.channels] = grey_of(pixel);
            if (to.channels > 1) {
                grey[x * to.channels + 1] = (Grey)pixel[from.channels - 1];
            }
        }
    }
}

extern "C" satf_status filter_gpu_grey(satf_context *ctx, const satf_view *from,
                                       const satf_view *to)
{
    satf_status status = satf_gpu_open(ctx, from->device);
    if (status) {
        return status;
    }
    int64_t columns = (from->width - 1) / THREADS + 1;
    dim3 grid((unsigned)(columns < INT32_MAX ? columns : INT32_MAX),
              (unsigned)(from->height < MAX_GRID_ROWS ? from->height : MAX_GRID_ROWS));
    cudaStream_t stream = (cudaStream_t)satf_gpu_stream(ctx);
    switch (from->type) {
    case SATF_U8:
        make_grey<uint8_t, uint8_t><<<grid, THREADS, 0, stream>>>(*from, *to);
        break;
    case SATF_U16:
        make_grey<uint16_t, uint16_t><<<grid, THREADS, 0, stream>>>(*from, *to);
        break;
    case SATF_F32:
        make_grey<float, double><<<grid, THREADS, 0, stream>>>(*from, *to);
        break;
    default:
        make_grey<double, double><<<grid, THREADS, 0, stream>>>(*from, *to);
    }
    return cuda_check(ctx, cudaGetLastError(), "cudaLaunchKernel");
}
