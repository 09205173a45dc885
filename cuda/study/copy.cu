/* Copies and conversions, with whose times satbench compares the algorithms, and the check of
 * tables on a device. */
#include "../base/check.h"
#include "../sat/resident.cuh"

extern "C" {
#include "../../src/study/gpu.h"
}

enum { THREADS = 256, WARP = 32 };

static int64_t samples_of(const satf_view *view)
{
    return view->width * view->height * view->channels;
}

static unsigned study_blocks_for(int64_t threads)
{
    return (unsigned)((threads + THREADS - 1) / THREADS);
}

static cudaStream_t study_stream_of(satf_context *ctx)
{
    return (cudaStream_t)satf_cuda()->stream(ctx);
}

/* ---------------------------------------------------------------- conversion */

/* V samples that are moved as one word. */
template <typename T, int V> struct alignas(sizeof(T) * V) pack {
    T sample[V];
};

/* Packs of 16 bytes are written; GROUPS of them a thread are on their way at a time. */
template <typename In, typename Out> struct converter {
    static constexpr int V = 16 / sizeof(Out);
    static constexpr int GROUPS = 8;
};

template <typename In, typename Out>
__global__ void __launch_bounds__(THREADS) convert(const In *in, Out *out, int64_t samples)
{
    constexpr int V = converter<In, Out>::V, GROUPS = converter<In, Out>::GROUPS;
    const pack<In, V> *from = reinterpret_cast<const pack<In, V> *>(in);
    pack<Out, V> *to = reinterpret_cast<pack<Out, V> *>(out);
    int64_t packs = samples / V;
    int64_t first = (int64_t)blockIdx.x * (THREADS * GROUPS) + threadIdx.x;
    pack<In, V> word[GROUPS];
    await_stream();
#pragma unroll
    for (int g = 0; g < GROUPS; g++) {
        if (first + g * THREADS < packs) {
            word[g] = from[first + g * THREADS];
        }
    }
#pragma unroll
    for (int g = 0; g < GROUPS; g++) {
        if (first + g * THREADS < packs) {
            pack<Out, V> converted;
#pragma unroll
            for (int v = 0; v < V; v++) {
                converted.sample[v] = (Out)word[g].sample[v];
            }
            to[first + g * THREADS] = converted;
        }
    }
    /* The last block's threads take the samples behind the last whole pack. */
    int64_t rest = packs * V + threadIdx.x;
    if (blockIdx.x == gridDim.x - 1 && rest < samples) {
        out[rest] = (Out)in[rest];
    }
}

template <typename In, typename Out>
static satf_status study_run_convert(satf_context *ctx, const satf_view *in, const satf_view *out)
{
    int64_t samples = samples_of(in);
    int64_t packs = samples / converter<In, Out>::V, groups = converter<In, Out>::GROUPS;
    unsigned blocks = study_blocks_for((packs + groups - 1) / groups);
    cudaError_t error =
        launch_blocks(convert<In, Out>, dim3(blocks ? blocks : 1), THREADS, 0, START_EARLY,
                      study_stream_of(ctx), (const In *)in->data, (Out *)out->data, samples);
    return cuda_check(ctx, error, "convert");
}

satf_status machine_cuda_convert(satf_context *ctx, const satf_view *in, const satf_view *out)
{
    satf_status status = satf_cuda()->open(ctx, in->device);
    if (status) {
        return status;
    }
    bool wide = out->type == SATF_U64 || out->type == SATF_F64;
    switch (in->type) {
    case SATF_U8:
        return wide ? study_run_convert<uint8_t, uint64_t>(ctx, in, out)
                    : study_run_convert<uint8_t, uint32_t>(ctx, in, out);
    case SATF_U16:
        return wide ? study_run_convert<uint16_t, uint64_t>(ctx, in, out)
                    : study_run_convert<uint16_t, uint32_t>(ctx, in, out);
    case SATF_F32:
        return wide ? study_run_convert<float, double>(ctx, in, out)
                    : study_run_convert<float, float>(ctx, in, out);
    default:
        return study_run_convert<double, double>(ctx, in, out);
    }
}

/* --------------------------------------------------------------------- truth */

template <typename In> static __device__ uint64_t in_units(In sample, double)
{
    return sample;
}

template <> __device__ uint64_t in_units(float sample, double units)
{
    return (uint64_t)((double)sample * units);
}

template <> __device__ uint64_t in_units(double sample, double units)
{
    return (uint64_t)(sample * units);
}

/* One thread a column of samples. */
template <typename In>
__global__ void sum_columns(const In *in, uint64_t *truth, int64_t columns, int64_t height,
                            double units)
{
    int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    uint64_t sum = 0;
    if (i < columns) {
#pragma unroll 8
        for (int64_t y = 0; y < height; y++) {
            sum += in_units(in[y * columns + i], units);
            truth[y * columns + i] = sum;
        }
    }
}

/* One warp a row, in place: 32 pixels at a time, a channel after the other. */
__global__ void sum_rows(uint64_t *truth, int64_t width, int channels, int64_t height)
{
    int64_t y = (int64_t)blockIdx.x * (THREADS / WARP) + threadIdx.x / WARP;
    int lane = threadIdx.x % WARP;
    if (y >= height) {
        return;
    }
    for (int c = 0; c < channels; c++) {
        uint64_t *row = truth + y * width * channels + c;
        uint64_t carry = 0;
        for (int64_t x = 0; x < width; x += WARP) {
            bool inside = x + lane < width;
            unsigned long long sum = inside ? row[(x + lane) * channels] : 0;
            for (int d = 1; d < WARP; d *= 2) {
                unsigned long long left = __shfl_up_sync(0xffffffffu, sum, d);
                sum += lane >= d ? left : 0;
            }
            sum += carry;
            if (inside) {
                row[(x + lane) * channels] = sum;
            }
            carry = __shfl_sync(0xffffffffu, sum, WARP - 1);
        }
    }
}

template <typename In>
static satf_status run_truth(satf_context *ctx, const satf_view *in, double units, uint64_t *truth)
{
    int64_t columns = in->width * in->channels;
    sum_columns<<<study_blocks_for(columns), THREADS, 0, study_stream_of(ctx)>>>(
        (const In *)in->data, truth, columns, in->height, units);
    CUDA_RETURN(ctx, cudaGetLastError());
    sum_rows<<<study_blocks_for(in->height * WARP), THREADS, 0, study_stream_of(ctx)>>>(
        truth, in->width, in->channels, in->height);
    CUDA_RETURN(ctx, cudaGetLastError());
    return SATF_OK;
}

satf_status machine_cuda_truth(satf_context *ctx, const satf_view *in, double units, void *truth)
{
    satf_status status = satf_cuda()->open(ctx, in->device);
    if (status) {
        return status;
    }
    switch (in->type) {
    case SATF_U8:
        return run_truth<uint8_t>(ctx, in, units, (uint64_t *)truth);
    case SATF_U16:
        return run_truth<uint16_t>(ctx, in, units, (uint64_t *)truth);
    case SATF_F32:
        return run_truth<float>(ctx, in, units, (uint64_t *)truth);
    default:
        return run_truth<double>(ctx, in, units, (uint64_t *)truth);
    }
}

/* ---------------------------------------------------------------- comparison */

static __device__ bool study_is_right(uint32_t got, uint64_t want, double, double)
{
    return got == (uint32_t)want;
}

static __device__ bool study_is_right(uint64_t got, uint64_t want, double, double)
{
    return got == want;
}

static __device__ bool study_is_right(double got, uint64_t want, double units, double relative)
{
    double expected = (double)want / units;
    return fabs(got - expected) <= relative * expected; /* false for a NaN */
}

static __device__ bool study_is_right(float got, uint64_t want, double units, double relative)
{
    return study_is_right((double)got, want, units, relative);
}

template <typename Out>
__global__ void compare(const uint64_t *truth, const Out *out, int64_t samples, double units,
                        double relative, unsigned long long *first)
{
    int64_t step = (int64_t)gridDim.x * THREADS;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < samples; i += step) {
        if (!study_is_right(out[i], truth[i], units, relative)) {
            atomicMin(first, (unsigned long long)i);
            return;
        }
    }
}

template <typename Out>
static satf_status run_compare(satf_context *ctx, const uint64_t *truth, const satf_view *out,
                               double units, double relative, unsigned long long *first)
{
    int64_t samples = samples_of(out);
    unsigned blocks = samples < ((int64_t)1 << 22) ? study_blocks_for(samples) : 1u << 14;
    compare<<<blocks, THREADS, 0, study_stream_of(ctx)>>>(truth, (const Out *)out->data, samples,
                                                          units, relative, first);
    CUDA_RETURN(ctx, cudaGetLastError());
    return SATF_OK;
}

static satf_status compare_by_type(satf_context *ctx, const uint64_t *truth, const satf_view *out,
                                   double units, double relative, unsigned long long *first)
{
    switch (out->type) {
    case SATF_U32:
        return run_compare<uint32_t>(ctx, truth, out, units, relative, first);
    case SATF_U64:
        return run_compare<uint64_t>(ctx, truth, out, units, relative, first);
    case SATF_F32:
        return run_compare<float>(ctx, truth, out, units, relative, first);
    default:
        return run_compare<double>(ctx, truth, out, units, relative, first);
    }
}

satf_status machine_cuda_compare(satf_context *ctx, const void *truth, const satf_view *out,
                                 double units, double relative, int64_t *first)
{
    void *found;
    int64_t index = -1; /* all bits set: the largest there is, for atomicMin */
    satf_status status = satf_cuda()->alloc(ctx, out->device, sizeof index, "a comparison", &found);
    if (status) {
        return status;
    }
    status = satf_cuda()->set_bytes(ctx, out->device, found, 0xff, sizeof index);
    if (!status) {
        status = compare_by_type(ctx, (const uint64_t *)truth, out, units, relative,
                                 (unsigned long long *)found);
    }
    if (!status) {
        status = satf_cuda()->copy_bytes(ctx, out->device, &index, found, sizeof index);
    }
    if (!status) {
        status = satf_cuda()->wait(ctx, out->device);
    }
    satf_cuda()->free(ctx, found);
    if (!status) {
        *first = index;
    }
    return status;
}
