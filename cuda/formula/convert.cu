/* Samples that have been moved, converted to their type in the output: a thread for each sample. */
#include "../base/check.h"

extern "C" {
#include "../../src/base/view.h"
#include "../../src/plan/gpu.h"
}

#include "../../src/formula/adapt.h"

enum { THREADS = 256, MAX_GRID_ROWS = 65535 };

/* The sample as an integer, if its type has 64 bits and it is at least 0; else as a double. */
static __device__ formula_value value_at(int type, const char *at)
{
    int64_t word;
    if (type != SATF_U64 && type != SATF_I64) {
        return formula_real(adapt_load(type, at));
    }
    memcpy(&word, at, sizeof word);
    return type == SATF_I64 && word < 0 ? formula_real((double)word)
                                        : formula_integer((uint64_t)word);
}

static __device__ void store_value(int type, formula_value value, char *to)
{
    if (type <= SATF_F64) {
        formula_store(type, value, to);
    } else if (adapt_is_float(type)) {
        adapt_put(type, formula_number_of(value), to);
    } else if (type == SATF_I64 && value.exact) {
        int64_t word = (int64_t)(value.integer < INT64_MAX ? value.integer : INT64_MAX);
        memcpy(to, &word, sizeof word);
    } else {
        adapt_put(type,
                  adapt_rounded(formula_number_of(value), adapt_least(type), adapt_most(type)), to);
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
            store_value(to.type, value_at(from.type, row + i * adapt_bytes(from.type)),
                        result + i * adapt_bytes(to.type));
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
