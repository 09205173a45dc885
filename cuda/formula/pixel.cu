/* Filters of the pixel alone on a CUDA device: any formula, with a thread for each sample, and
 * steps. */
#include "../sums/any.cuh"

#include "../base/check.h"
#include "../base/engine.h"

extern "C" {
#include "../../src/base/view.h"
#include "../../src/plan/gpu.h"
}

enum { THREADS = 256, CHUNK = 16 /* samples of a thread at a time */, MAX_GRID_ROWS = 65535 };

template <unsigned READS>
constexpr bool reads_pixels_alone = !reads_luma<READS> && !reads_sums<READS>;

/* The task's formula, of those that read no sums. */
static __device__ formula_value pixel_formula(const filter_gpu_task *task, const formula_sums *in)
{
    switch (task->formula) {
#define FORMULA_ENTRY(name, reads) APPLY_ONE_OF(reads_pixels_alone, name, reads)
#include "../../filters/all.h"
#undef FORMULA_ENTRY
    default:
        break;
    }
    return formula_real(0);
}

/* What all samples have in common. */
static __device__ inline formula_sums common_of(const filter_gpu_task *task)
{
    formula_sums in = task->constants;
    if (task->reduction) {
        reduction_tell(task->reduction, &in);
    }
    in.words = FORMULA_EXACT;
    return in;
}

static __device__ inline void set_weight(formula_sums *in, double weight)
{
    in->real_weight = weight;
    in->inverse = weight != 0 ? 1 / weight : 0;
}

/* A thread makes a sample. There is no loop: the invariants of all formulas would precede it. */
static __global__ void __launch_bounds__(THREADS)
    make_pixels(const __grid_constant__ filter_gpu_task task, int64_t first_row, bool aligned)
{
    const satf_view *from = &task.in, *to = &task.out;
    int64_t bytes = sample_bytes(from->type), samples = to->width * to->channels;
    int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x, y = first_row + blockIdx.y;
    if (i >= samples) {
        return;
    }
    int alpha = from->channels - 1;
    sample_place at = {i / to->channels, y, (int)(i % to->channels)};
    const char *pixel = (const char *)from->data + y * from->stride + at.x * from->channels * bytes;
    formula_sums in = common_of(&task);
    in.centre = load_sample(from->type, pixel + at.c * bytes);
    set_weight(&in, task.weighted ? load_sample(from->type, pixel + alpha * bytes) : 1);
    load_aux<FORMULA_AUX | FORMULA_AUX_TOO>(&task, &at, 0, &in);
    formula_value value = task.weighted && at.c == alpha ? formula_real(in.centre * in.times)
                                                         : pixel_formula(&task, &in);
    store(to, at.x, y, at.c, aligned, value);
}

/* -------------------------------------------------------------------------------- steps */

/* One value up to the cut, another above it. */
typedef struct pixel_step {
    int cut;
    uint8_t below, above;
} pixel_step;

static __device__ inline uint8_t step_at(const filter_gpu_task *task, formula_sums *in, int sample)
{
    in->centre = sample;
    return (uint8_t)formula_saturated(pixel_formula(task, in), UINT8_MAX);
}

/* Finds the step as epilogue_find_step() does. */
static __device__ inline pixel_step find_step(const filter_gpu_task *task, int most)
{
    formula_sums in = common_of(task);
    set_weight(&in, 1);
    pixel_step step = {0, step_at(task, &in, 0), step_at(task, &in, most)};
    step.cut = step.above == step.below ? most : 0;
    for (int above = most; above - step.cut > 1;) {
        int between = step.cut + (above - step.cut) / 2;
        bool is_above = step_at(task, &in, between) == step.above;
        step.cut = is_above ? step.cut : between;
        above = is_above ? between : above;
    }
    return step;
}

/* A thread makes a chunk of a row at a time. words: rows begin at multiples of 16 bytes. */
template <class Sample>
static __global__ void __launch_bounds__(THREADS)
    make_steps(const __grid_constant__ filter_gpu_task task, int64_t chunks, bool words)
{
    __shared__ pixel_step step;
    if (threadIdx.x == 0) {
        step = find_step(&task, (Sample)-1);
    }
    __syncthreads();
    int64_t samples = task.in.width * task.in.channels, tasks = chunks * task.in.height;
    int cut = step.cut;
    uint8_t below = step.below, above = step.above;
    for (int64_t t = (int64_t)blockIdx.x * THREADS + threadIdx.x; t < tasks;
         t += (int64_t)gridDim.x * THREADS) {
        int64_t y = t / chunks, first = (t - y * chunks) * CHUNK;
        int n = (int)(samples - first < CHUNK ? samples - first : CHUNK);
        const char *from =
            (const char *)task.in.data + y * task.in.stride + first * (int64_t)sizeof(Sample);
        uint8_t *to = (uint8_t *)task.out.data + y * task.out.stride + first;
        if (words && n == CHUNK) {
            uint4 in[sizeof(Sample)], out;
            Sample sample[CHUNK];
            uint8_t result[CHUNK];
#pragma unroll
            for (int k = 0; k < (int)sizeof(Sample); k++) {
                in[k] = ((const uint4 *)from)[k];
            }
            memcpy(sample, in, sizeof sample);
#pragma unroll
            for (int i = 0; i < CHUNK; i++) {
                result[i] = sample[i] > cut ? above : below;
            }
            memcpy(&out, result, sizeof out);
            *(uint4 *)to = out;
            continue;
        }
        for (int i = 0; i < n; i++) {
            int sample = 0; /* it may lie anywhere */
            for (int b = 0; b < (int)sizeof(Sample); b++) {
                sample |= (uint8_t)from[i * (int)sizeof(Sample) + b] << 8 * b;
            }
            to[i] = sample > cut ? above : below;
        }
    }
}

static satf_status run_steps(satf_context *ctx, const filter_gpu_task *task)
{
    enum { EACH = 8 /* blocks of a multiprocessor */ };
    int processors = 0;
    CUDA_RETURN(ctx, cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount,
                                            satf_gpu_ordinal(task->in.device)));
    int64_t chunks = (satf_row_samples(&task->in) - 1) / CHUNK + 1;
    int64_t blocks = (chunks * task->in.height - 1) / THREADS + 1;
    uintptr_t low = (uintptr_t)task->in.data | (uintptr_t)task->in.stride |
                    (uintptr_t)task->out.data | (uintptr_t)task->out.stride;
    auto kernel = task->in.type == SATF_U8 ? make_steps<uint8_t> : make_steps<uint16_t>;
    kernel<<<(unsigned)(blocks < processors * EACH ? blocks : processors * EACH), THREADS, 0,
             (cudaStream_t)cuda_stream(ctx)>>>(*task, chunks, low % sizeof(uint4) == 0);
    return cuda_check(ctx, cudaGetLastError(), "cudaLaunchKernel");
}

extern "C" satf_status cuda_pixel_run(satf_context *ctx, const filter_gpu_task *task)
{
    if (task->known == FILTER_GPU_STEP) {
        return run_steps(ctx, task);
    }
    bool aligned = is_aligned(&task->out);
    int64_t columns = (satf_row_samples(&task->out) - 1) / THREADS + 1;
    for (int64_t y = 0; y < task->out.height; y += MAX_GRID_ROWS) {
        int64_t rest = task->out.height - y;
        dim3 grid((unsigned)columns, (unsigned)(rest < MAX_GRID_ROWS ? rest : MAX_GRID_ROWS));
        make_pixels<<<grid, THREADS, 0, (cudaStream_t)cuda_stream(ctx)>>>(*task, y, aligned);
    }
    return cuda_check(ctx, cudaGetLastError(), "cudaLaunchKernel");
}
