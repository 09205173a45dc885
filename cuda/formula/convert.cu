/* Samples that have been moved, converted to their type in the output: a thread for each sample. */
#include "../base/check.h"

extern "C" {
#include "../../src/base/view.h"
#include "../../src/plan/gpu.h"
}

#include "../../src/satfilter/formula.h"

enum { THREADS = 256, MAX_GRID_ROWS = 65535 };

static __host__ __device__ int bytes_of(int type)
{
    return type == SATF_U8                        ? 1
           : type == SATF_U16                     ? 2
           : type == SATF_U32 || type == SATF_F32 ? 4
                                                  : 8;
}

/* A sample of that type, aligned to its size. */
static __device__ formula_value value_at(int type, const char *at)
{
    switch (type) {
    case SATF_U8:
        return formula_integer(*(const uint8_t *)at);
    case SATF_U16:
        return formula_integer(*(const uint16_t *)at);
    case SATF_U32:
        return formula_integer(*(const uint32_t *)at);
    case SATF_U64:
        return formula_integer(*(const uint64_t *)at);
    case SATF_F32:
        return formula_real((double)*(const float *)at);
    default:
        return formula_real(*(const double *)at);
    }
}

static __global__ void __launch_bounds__(THREADS) convert_samples(satf_view from, satf_view to)
{
    int64_t n = from.width * from.channels;
    for (int64_t y = blockIdx.y; y < from.height; y += gridDim.y) {
        const char *row = (const char *)from.data + y * from.stride;
        char *result = (char *)to.data + y * to.stride;
        for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < n;
             i += (int64_t)gridDim.x * THREADS) {
            formula_store(to.type, value_at(from.type, row + i * bytes_of(from.type)),
                          result + i * bytes_of(to.type));
        }
    }
}

extern "C" satf_status cuda_convert(satf_context *ctx, const satf_view *from, const satf_view *to)
{
    satf_status status = cuda_open(ctx, from->device);
    if (status) {
        return status;
    }
    int64_t columns = (satf_row_samples(from) - 1) / THREADS + 1;
    dim3 grid((unsigned)(columns < INT32_MAX ? columns : INT32_MAX),
              (unsigned)(from->height < MAX_GRID_ROWS ? from->height : MAX_GRID_ROWS));
    convert_samples<<<grid, THREADS, 0, (cudaStream_t)cuda_stream(ctx)>>>(*from, *to);
    return cuda_check(ctx, cudaGetLastError(), "cudaLaunchKernel");
}
