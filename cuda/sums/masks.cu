/* The kernels that find tables which are not finite, and build them anew (masks.cuh). */
#include "masks.cuh"

static __device__ inline double *table_row(const filter_gpu_layer *layer, int64_t y)
{
    return (double *)((char *)layer->sat + y * layer->stride);
}

/* One thread. Whatever is not finite, or overflows, is still so in the last sums. */
static __global__ void find_masks(satf_view in, filter_gpu_layer layer)
{
    const double *last = table_row(&layer, in.height - 1) + (in.width - 1) * in.channels;
    int found = 0;
    for (int c = 0; c < in.channels; c++) {
        found |= !isfinite(last[c]);
    }
    head_of(&layer)->found = found;
    head_of(&layer)->peak = 0;
}

/* Sample i of a row (no alignment). */
static __device__ inline double float_sample(const satf_view *in, int64_t y, int64_t i)
{
    const char *row = (const char *)in->data + y * in->stride;
    if (in->type == SATF_F32) {
        float sample;
        memcpy(&sample, row + i * (int64_t)sizeof sample, sizeof sample);
        return (double)sample;
    }
    double sample;
    memcpy(&sample, row + i * (int64_t)sizeof sample, sizeof sample);
    return sample;
}

static __device__ inline double float_summand(const satf_view *in, satf_summand summand, int64_t y,
                                              int64_t i)
{
    double a = float_sample(in, y, i);
    if (!is_weighted(summand)) {
        return summand_of(summand, a, 1);
    }
    int64_t lane = i % in->channels, alpha = i - lane + in->channels - 1;
    return i == alpha ? a : summand_of(summand, a, float_sample(in, y, alpha));
}

/* A thread a sample of a row: the peak of its column. */
static __global__ void find_peak(satf_view in, filter_gpu_layer layer)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= in.width * in.channels || !head_of(&layer)->found) {
        return;
    }
    double peak = 0;
    for (int64_t y = 0; y < in.height; y++) {
        double size = fabs(float_summand(&in, layer.summand, y, i));
        peak = size > peak && isfinite(size) ? size : peak;
    }
    atomicMax(&head_of(&layer)->peak, (unsigned long long)__double_as_longlong(peak));
}

/* A thread a sample of a row: sums and counts down its column. */
static __global__ void sum_columns(satf_view in, filter_gpu_layer layer)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= in.width * in.channels || !head_of(&layer)->found) {
        return;
    }
    double sum = 0, factor = 1 / mask_scale(&layer);
    uint32_t up = 0, down = 0;
    for (int64_t y = 0; y < in.height; y++) {
        double a = float_summand(&in, layer.summand, y, i);
        bool finite = isfinite(a);
        up += !finite && !(a < 0);
        down += !finite && !(a > 0);
        sum += finite ? a * factor : 0;
        table_row(&layer, y)[i] = sum;
        uint32_t *counts = mask_counts(&layer) + y * mask_row(&in) + MASK_SIGNS * i;
        counts[0] = up;
        counts[1] = down;
    }
}

/* A thread a channel of a row: sums and counts along it. */
static __global__ void sum_rows(satf_view in, filter_gpu_layer layer)
{
    int64_t task = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t y = task / in.channels;
    if (y >= in.height || !head_of(&layer)->found) {
        return;
    }
    double *row = table_row(&layer, y), sum = 0;
    uint32_t *counts = mask_counts(&layer) + y * mask_row(&in), up = 0, down = 0;
    for (int64_t i = task % in.channels; i < in.width * in.channels; i += in.channels) {
        row[i] = sum += row[i];
        counts[MASK_SIGNS * i] = up += counts[MASK_SIGNS * i];
        counts[MASK_SIGNS * i + 1] = down += counts[MASK_SIGNS * i + 1];
    }
}

satf_status separate_masks(satf_context *ctx, const satf_view *in, const filter_gpu_layer *layer)
{
    enum { THREADS = 128 };
    cudaStream_t stream = (cudaStream_t)cuda_stream(ctx);
    int64_t columns = (in->width * in->channels - 1) / THREADS + 1;
    int64_t rows = (in->height * in->channels - 1) / THREADS + 1;
    find_masks<<<1, 1, 0, stream>>>(*in, *layer);
    if (in->type == SATF_F64) { /* of f32 summands are below 2^384 */
        find_peak<<<(unsigned)columns, THREADS, 0, stream>>>(*in, *layer);
    }
    sum_columns<<<(unsigned)columns, THREADS, 0, stream>>>(*in, *layer);
    sum_rows<<<(unsigned)rows, THREADS, 0, stream>>>(*in, *layer);
    return cuda_check(ctx, cudaGetLastError(), "cudaLaunchKernel");
}
