/* How samples become the numbers that passes along lines take, and results samples, for lines.cu,
 * whole.cu and taps.cu (as in src/sums/lines/line_samples.c). */
#ifndef CUDA_SUMS_LINES_CUH
#define CUDA_SUMS_LINES_CUH

#include "../sums/any.cuh"

extern "C" {
#include "../../src/base/border.h"
#include "../../src/base/view.h"
#include "../../src/plan/gpu.h"
}

static __device__ inline double line_scale(const line_numbers *of, bool is_alpha)
{
    return of->narrow && !of->own     ? 1 << LINE_NARROW_BITS
           : of->weighted && is_alpha ? of->alpha_scale
                                      : of->scale;
}

/* Number i of a row of the input. */
static __device__ inline double line_number(const filter_gpu_lines *job, const char *row, int64_t i)
{
    const line_numbers *of = &job->numbers;
    int64_t bytes = sample_bytes(job->in.type), channels = job->in.channels;
    int64_t last = i - i % channels + channels - 1;
    double number = load_sample(job->in.type, row + i * bytes) + 0.0;
    if (of->weighted && i != last) {
        number *= load_sample(job->in.type, row + last * bytes);
    }
    return (number + 0.0) * line_scale(of, i == last);
}

/* The sample of a number. one: the window's part inside; alpha: the pixel's number of alpha, used
 * if alpha weighs and this is colour. Scales are powers of 2, so their inverses are exact. */
static __device__ inline double line_value(const line_numbers *of, double number, bool is_alpha,
                                           double alpha, double one)
{
    double sample = number * (1 / (line_scale(of, is_alpha) * of->gain));
    if (!of->weighted || is_alpha) {
        return (one == 1 ? sample : sample / one) + 0.0;
    }
    alpha *= 1 / (line_scale(of, true) * of->gain);
    return alpha == 0 ? 0 : sample / alpha + 0.0;
}

/* Passes of whole numbers, by boxes or by weights. *stored: whether samples were stored; else the
 * doubles at numbers_at[1] have still to become samples. (whole.cu) */
satf_status cuda_whole_run(satf_context *ctx, const filter_gpu_lines *job, bool *stored);

/* Passes of floats by a Gaussian's own weights. (taps.cu) */
void cuda_taps_run(const filter_gpu_lines *job, cudaStream_t stream);

#endif
