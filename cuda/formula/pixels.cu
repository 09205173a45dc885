/* Pixels that need not be packed, from one image to another on a CUDA device: a thread for each
 * pixel. */
#include "../base/check.h"

extern "C" {
#include "../../src/base/view.h"
#include "../../src/plan/gpu.h"
}

enum { THREADS = 256, MAX_GRID_ROWS = 65535 };

template <class T> static __device__ inline void copy_words(char *to, const char *from, int bytes)
{
    for (int i = 0; i < bytes / (int)sizeof(T); i++) {
        ((T *)to)[i] = ((const T *)from)[i];
    }
}

/* Copies pixels in words of 1, 2, 4 or 8 bytes, to which all addresses are aligned. */
static __global__ void __launch_bounds__(THREADS)
    copy_pixels(satf_view from, satf_view to, int64_t from_step, int64_t to_step, int bytes,
                int word)
{
    for (int64_t y = blockIdx.y; y < from.height; y += gridDim.y) {
        const char *row = (const char *)from.data + y * from.stride;
        char *result = (char *)to.data + y * to.stride;
        for (int64_t x = (int64_t)blockIdx.x * THREADS + threadIdx.x; x < from.width;
             x += (int64_t)gridDim.x * THREADS) {
            const char *pixel = row + x * from_step;
            char *place = result + x * to_step;
            if (word == 8) {
                copy_words<uint64_t>(place, pixel, bytes);
            } else if (word == 4) {
                copy_words<uint32_t>(place, pixel, bytes);
            } else if (word == 2) {
                copy_words<uint16_t>(place, pixel, bytes);
            } else {
                copy_words<uint8_t>(place, pixel, bytes);
            }
        }
    }
}

/* All that the view's addresses are made of: the low bits say to what all are aligned. */
static uint64_t alignment_of(const satf_view *view)
{
    return (uint64_t)(uintptr_t)view->data | (uint64_t)view->stride |
           (uint64_t)satf_pixel_stride(view);
}

extern "C" satf_status cuda_copy_pixels(satf_context *ctx, const satf_view *from,
                                        const satf_view *to)
{
    satf_status status = cuda_open(ctx, from->device);
    if (status) {
        return status;
    }
    int64_t bytes = satf_pixel_bytes(from);
    uint64_t low = alignment_of(from) | alignment_of(to) | (uint64_t)bytes;
    int word = low % 8 == 0 ? 8 : low % 4 == 0 ? 4 : low % 2 == 0 ? 2 : 1;
    int64_t columns = (from->width - 1) / THREADS + 1;
    dim3 grid((unsigned)(columns < INT32_MAX ? columns : INT32_MAX),
              (unsigned)(from->height < MAX_GRID_ROWS ? from->height : MAX_GRID_ROWS));
    copy_pixels<<<grid, THREADS, 0, (cudaStream_t)cuda_stream(ctx)>>>(
        *from, *to, satf_pixel_stride(from), satf_pixel_stride(to), (int)bytes, word);
    return cuda_check(ctx, cudaGetLastError(), "cudaLaunchKernel");
}
