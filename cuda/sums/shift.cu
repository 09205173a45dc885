/* Images of floats less their channels' shifts, as doubles: what tables of moments are made of. */
#include "shift.cuh"

extern "C" {
#include "../../src/base/view.h"
}

enum { THREADS = 256, MAX_GRID_ROWS = 65535 };

/* One block. */
static __global__ void __launch_bounds__(THREADS)
    find_image_shifts(satf_view in, bool weighted, double *shifts)
{
    __shared__ shift_room room;
    satf_rect all = {0, 0, in.width, in.height};
    for (int c = 0; c < in.channels; c++) {
        double shift = find_shift(&in, weighted, &all, c, &room);
        if (threadIdx.x == 0) {
            shifts[c] = shift;
        }
    }
}

static __global__ void __launch_bounds__(THREADS)
    shift_samples(satf_view from, const double *shifts, satf_view to)
{
    int64_t samples = from.width * from.channels, bytes = sample_bytes(from.type);
    for (int64_t y = blockIdx.y; y < from.height; y += gridDim.y) {
        const char *row = (const char *)from.data + y * from.stride;
        double *shifted = (double *)((char *)to.data + y * to.stride);
        for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < samples;
             i += (int64_t)gridDim.x * THREADS) {
            shifted[i] = (load_sample(from.type, row + i * bytes) - shifts[i % from.channels]) + 0;
        }
    }
}

extern "C" satf_status cuda_shift(satf_context *ctx, const satf_view *from, bool weighted,
                                  double *shifts, const satf_view *to)
{
    cudaStream_t stream = (cudaStream_t)cuda_stream(ctx);
    int64_t columns = (satf_row_samples(from) - 1) / THREADS + 1;
    dim3 grid((unsigned)(columns < INT32_MAX ? columns : INT32_MAX),
              (unsigned)(from->height < MAX_GRID_ROWS ? from->height : MAX_GRID_ROWS));
    find_image_shifts<<<1, THREADS, 0, stream>>>(*from, weighted, shifts);
    shift_samples<<<grid, THREADS, 0, stream>>>(*from, shifts, *to);
    return cuda_check(ctx, cudaGetLastError(), "cudaLaunchKernel");
}
