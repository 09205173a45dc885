/* Filters of the pixel alone on a CUDA device: any formula, a thread a sample. */
#include "any.cuh"

#include "../base/check.h"
#include "../base/engine.h"

extern "C" {
#include "../../src/base/view.h"
#include "../../src/filter/gpu.h"
}

enum { THREADS = 256 };

/* Blocks of a grid, at most. */
const int64_t MOST_COLUMNS = INT32_MAX, MOST_ROWS = 65535;

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
    in.words = FORMULA_EXACT;
    return in;
}

static __device__ inline void set_weight(formula_sums *in, double weight)
{
    in->real_weight = weight;
    in->inverse = weight != 0 ? 1 / weight : 0;
}

static __global__ void __launch_bounds__(THREADS)
    make_pixels(const __grid_constant__ filter_gpu_task task, bool aligned)
{
    const satf_view *from = &task.in, *to = &task.out;
    formula_sums in = common_of(&task);
    int64_t bytes = sample_bytes(from->type), samples = to->width * to->channels;
    int alpha = from->channels - 1;
    set_weight(&in, 1);
    for (int64_t y = blockIdx.y; y < to->height; y += gridDim.y) {
        for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < samples;
             i += (int64_t)gridDim.x * THREADS) {
            sample_place at = {i / to->channels, y, (int)(i % to->channels)};
            const char *pixel =
                (const char *)from->data + y * from->stride + at.x * from->channels * bytes;
            in.centre = load_sample(from->type, pixel + at.c * bytes);
            if (task.weighted) {
                set_weight(&in, load_sample(from->type, pixel + alpha * bytes));
            }
            load_aux<FORMULA_AUX | FORMULA_AUX_TOO>(&task, &at, 0, &in);
            formula_value value = task.weighted && at.c == alpha ? formula_real(in.centre)
                                                                 : pixel_formula(&task, &in);
            store(to, at.x, y, at.c, aligned, value);
        }
    }
}

extern "C" satf_status cuda_pixel_run(satf_context *ctx, const filter_gpu_task *task)
{
    uintptr_t bytes = (uintptr_t)satf_type_bytes(task->out.type);
    bool aligned = (((uintptr_t)task->out.data | (uintptr_t)task->out.stride) & (bytes - 1)) == 0;
    int64_t columns = (satf_row_samples(&task->out) - 1) / THREADS + 1, rows = task->out.height;
    dim3 grid((unsigned)(columns < MOST_COLUMNS ? columns : MOST_COLUMNS),
              (unsigned)(rows < MOST_ROWS ? rows : MOST_ROWS));
    make_pixels<<<grid, THREADS, 0, (cudaStream_t)cuda_stream(ctx)>>>(*task, aligned);
    return cuda_check(ctx, cudaGetLastError(), "cudaLaunchKernel");
}
