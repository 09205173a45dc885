/* Mixes on a CUDA device: a thread for each pixel. */
#include "../sums/any.cuh"

extern "C" {
#include "../../src/base/view.h"
#include "../../src/plan/gpu.h"
}

#include "../../src/formula/mix.h"

enum { THREADS = 128, MAX_GRID_ROWS = 65535 };

/* Loads a pixel's channels; those that the image lacks are 0. */
template <class T>
static __device__ inline void load_channels(const T *from, int channels, double *to)
{
#pragma unroll
    for (int c = 0; c < FORMULA_LANES; c++) {
        to[c] = c < channels ? (double)from[c] : 0;
    }
}

static __device__ inline void load_pixel(const satf_view *of, int64_t x, int64_t y, double *to)
{
    int type = of->type, channels = of->channels, bytes = sample_bytes(type);
    const char *from = (const char *)of->data + y * of->stride + x * channels * bytes;
    if (!is_aligned(of)) {
#pragma unroll
        for (int c = 0; c < FORMULA_LANES; c++) {
            to[c] = c < channels ? load_bytes(type, from + c * bytes) : 0;
        }
    } else if (type == SATF_U8) {
        load_channels((const uint8_t *)from, channels, to);
    } else if (type == SATF_U16) {
        load_channels((const uint16_t *)from, channels, to);
    } else if (type == SATF_F32) {
        load_channels((const float *)from, channels, to);
    } else {
        load_channels((const double *)from, channels, to);
    }
}

/* Applies the task's mix, one of those of IMAGES images. */
template <int IMAGES>
static __device__ inline void apply(const filter_mix *mix, const formula_pixels *in, double *out)
{
    switch (mix->number) {
#define MIX_ENTRY(filter, name, images)                                                   \
    case MIX_##filter##_##name:                                                           \
        if constexpr ((images) == IMAGES) {                                               \
            filter##_##name##_mix(in, (const filter##_options *)mix->options.bytes, out); \
        }                                                                                 \
        break;
#include "../../filters/all.h"
#undef MIX_ENTRY
    default:
        break;
    }
}

/* A thread mixes a pixel. All lanes are computed, so that a mix may be unrolled. There is no loop:
 * the compiler would compute the invariants of all mixes ahead of it. */
template <int IMAGES>
static __global__ void __launch_bounds__(THREADS)
    mix_pixels(const __grid_constant__ filter_mix mix, int64_t first_row)
{
    const satf_view *out = &mix.out;
    int64_t x = (int64_t)blockIdx.x * THREADS + threadIdx.x, y = first_row + blockIdx.y;
    if (x >= out->width) {
        return;
    }
    formula_pixels in;
    double result[FORMULA_LANES];
    in.common = &mix.common;
    in.lanes = FORMULA_LANES;
#pragma unroll
    for (int k = 0; k < IMAGES; k++) {
        load_pixel(&mix.of[k], x, y, in.of[k]);
    }
    apply<IMAGES>(&mix, &in, result);
    bool aligned = is_aligned(out);
#pragma unroll
    for (int c = 0; c < FORMULA_LANES; c++) {
        if (c < out->channels) {
            store(out, x, y, c, aligned, formula_real(result[c]));
        }
    }
}

typedef void (*mix_kernel)(const filter_mix mix, int64_t first_row);

static mix_kernel kernel_of(int number)
{
    switch (number) {
#define MIX_ENTRY(filter, name, images) \
    case MIX_##filter##_##name:         \
        return mix_pixels<images>;
#include "../../filters/all.h"
#undef MIX_ENTRY
    default:
        return NULL;
    }
}

extern "C" satf_status cuda_mix(satf_context *ctx, const filter_mix *mix)
{
    satf_status status = cuda_open(ctx, mix->out.device);
    if (status) {
        return status;
    }
    cudaStream_t stream = (cudaStream_t)cuda_stream(ctx);
    unsigned columns = (unsigned)((mix->out.width - 1) / THREADS + 1);
    for (int64_t y = 0; y < mix->out.height; y += MAX_GRID_ROWS) {
        int64_t rest = mix->out.height - y;
        dim3 grid(columns, (unsigned)(rest < MAX_GRID_ROWS ? rest : MAX_GRID_ROWS));
        kernel_of(mix->number)<<<grid, THREADS, 0, stream>>>(*mix, y);
    }
    return cuda_check(ctx, cudaGetLastError(), "cudaLaunchKernel");
}
