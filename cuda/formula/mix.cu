/* Mixes on a CUDA device: a thread a pixel. */
#include "../sums/any.cuh"

extern "C" {
#include "../../src/base/view.h"
#include "../../src/plan/gpu.h"
}

#include "../../src/formula/mix.h"

enum { THREADS = 128, MAX_GRID_ROWS = 65535 };

#define MIX_ENTRY(filter, name, images)                                                          \
    struct filter##_##name##_mixed {                                                             \
        static constexpr int count = images;                                                     \
        static __device__ void apply(const formula_pixels *in, const void *options, double *out) \
        {                                                                                        \
            filter##_##name##_mix(in, (const filter##_options *)options, out);                   \
        }                                                                                        \
    };
#include "../../filters/all.h"
#undef MIX_ENTRY

/* Channels that an image lacks are 0, so that a mix may be unrolled. */
template <class Mix, int LANES>
static __global__ void __launch_bounds__(THREADS) mix_pixels(const __grid_constant__ filter_mix mix)
{
    const satf_view *out = &mix.out;
    formula_pixels in;
    in.common = &mix.common;
    in.lanes = LANES;
    bool aligned = is_aligned(out);
    for (int64_t y = blockIdx.y; y < out->height; y += gridDim.y) {
        for (int64_t x = (int64_t)blockIdx.x * THREADS + threadIdx.x; x < out->width;
             x += (int64_t)gridDim.x * THREADS) {
            double result[FORMULA_LANES];
#pragma unroll
            for (int k = 0; k < Mix::count; k++) {
                const satf_view *of = &mix.of[k];
                int64_t bytes = sample_bytes(of->type);
                const char *from =
                    (const char *)of->data + y * of->stride + x * of->channels * bytes;
#pragma unroll
                for (int c = 0; c < FORMULA_LANES; c++) {
                    in.of[k][c] = c < of->channels ? load_sample(of->type, from + c * bytes) : 0;
                }
            }
            Mix::apply(&in, mix.options.bytes, result);
#pragma unroll
            for (int c = 0; c < LANES; c++) {
                store(out, x, y, c, aligned, formula_real(result[c]));
            }
        }
    }
}

template <class Mix> static void launch(const filter_mix *mix, dim3 grid, cudaStream_t stream)
{
    switch (mix->out.channels) {
    case 1:
        mix_pixels<Mix, 1><<<grid, THREADS, 0, stream>>>(*mix);
        break;
    case 2:
        mix_pixels<Mix, 2><<<grid, THREADS, 0, stream>>>(*mix);
        break;
    case 3:
        mix_pixels<Mix, 3><<<grid, THREADS, 0, stream>>>(*mix);
        break;
    default:
        mix_pixels<Mix, 4><<<grid, THREADS, 0, stream>>>(*mix);
    }
}

extern "C" satf_status cuda_mix(satf_context *ctx, const filter_mix *mix)
{
    satf_status status = cuda_open(ctx, mix->out.device);
    if (status) {
        return status;
    }
    int64_t columns = (mix->out.width - 1) / THREADS + 1;
    dim3 grid((unsigned)(columns < INT32_MAX ? columns : INT32_MAX),
              (unsigned)(mix->out.height < MAX_GRID_ROWS ? mix->out.height : MAX_GRID_ROWS));
    cudaStream_t stream = (cudaStream_t)cuda_stream(ctx);
    switch (mix->number) {
#define MIX_ENTRY(filter, name, images)                     \
    case MIX_##filter##_##name:                             \
        launch<filter##_##name##_mixed>(mix, grid, stream); \
        break;
#include "../../filters/all.h"
#undef MIX_ENTRY
    default:
        break;
    }
    return cuda_check(ctx, cudaGetLastError(), "cudaLaunchKernel");
}
