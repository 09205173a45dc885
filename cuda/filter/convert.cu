/* Samples that have been moved, to their type in the output: a thread a sample. */
#include "../base/check.h"

extern "C" {
#include "../../src/base/view.h"
#include "../../src/filter/gpu.h"
}

#include "../../src/satfilter/formula.h"

enum { THREADS = 256, MAX_GRID_ROWS = 65535 };

template <typename T> static __device__ formula_value value_of(T sample)
{
    return formula_integer(sample);
}

template <> __device__ formula_value value_of(float sample)
{
    return formula_real((double)sample);
}

template <> __device__ formula_value value_of(double sample)
{
    return formula_real(sample);
}

template <typename T>
static __global__ void __launch_bounds__(THREADS) convert_samples(satf_view from, satf_view to)
{
    int64_t n = from.width * from.channels;
    int bytes = to.type == SATF_U8                           ? 1
                : to.type == SATF_U16                        ? 2
                : to.type == SATF_U32 || to.type == SATF_F32 ? 4
                                                             : 8;
    for (int64_t y = blockIdx.y; y < from.height; y += gridDim.y) {
        const T *row = (const T *)((const char *)from.data + y * from.stride);
        char *result = (char *)to.data + y * to.stride;
        for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < n;
             i += (int64_t)gridDim.x * THREADS) {
            formula_store(to.type, value_of<T>(row[i]), result + i * bytes);
        }
    }
}

typedef void (*convert_kernel)(satf_view from, satf_view to);

extern "C" satf_status filter_gpu_convert(satf_context *ctx, const satf_view *from,
                                          const satf_view *to)
{
    static const convert_kernel kernels[] = {convert_samples<uint8_t>,  convert_samples<uint16_t>,
                                             convert_samples<uint32_t>, convert_samples<uint64_t>,
                                             convert_samples<float>,    convert_samples<double>};
    satf_status status = satf_gpu_open(ctx, from->device);
    if (status) {
        return status;
    }
    int64_t columns = (satf_row_samples(from) - 1) / THREADS + 1;
    dim3 grid((unsigned)(columns < INT32_MAX ? columns : INT32_MAX),
              (unsigned)(from->height < MAX_GRID_ROWS ? from->height : MAX_GRID_ROWS));
    kernels[from->type]<<<grid, THREADS, 0, (cudaStream_t)satf_gpu_stream(ctx)>>>(*from, *to);
    return cuda_check(ctx, cudaGetLastError(), "cudaLaunchKernel");
}
