/* Passes along lines on a CUDA device: each a kernel, from one of two images of numbers to the
 * other. */
#include "../base/gpu.h"
#include "../base/memory.h"
#include "../base/view.h"
#include "device_task.h"
#include "line.h"

/* What passes make: images that reach beyond the borders along the axis that is next. */
static bool find_bytes(const filter_step *step, const line_numbers *numbers, size_t *image,
                       size_t *ones)
{
    const satf_view *in = &step->in;
    size_t bytes = (size_t)in->channels * (numbers->narrow ? sizeof(uint16_t) : sizeof(double));
    size_t more = 2 * (size_t)filter_lines_reach(&step->lines), width = (size_t)in->width;
    size_t height = (size_t)in->height, across, down;
    *ones = satf_align64(((width > height ? width : height) + more) * sizeof(double));
    if (!satf_mul(width + more, height, &across) || !satf_mul(height + more, width, &down) ||
        !satf_mul(across > down ? across : down, bytes, image) || *image > SIZE_MAX / 8) {
        return false;
    }
    *image = satf_align64(*image);
    return true;
}

static satf_status plan(satf_context *ctx, filter_step *step)
{
    filter_gpu_lines *job = step->state;
    size_t image, ones;
    bool shrinks = step->border.kind == SATF_SHRINK;
    *job = (filter_gpu_lines){.in = step->in,
                              .out = step->out,
                              .lines = step->lines,
                              .numbers = line_numbers_of(&step->in, step->weighted, shrinks),
                              .border = step->border.kind,
                              .constant = step->border.constant};
    line_find_outside(&job->numbers, job->border, job->constant, job->outside);
    job->one = line_one(&job->numbers);
    if (!find_bytes(step, &job->numbers, &image, &ones)) {
        return satf_fail(ctx, SATF_LIMIT, "the image is too large for any memory");
    }
    step->scratch_bytes = 2 * image + (shrinks ? 4 * ones : 0);
    return SATF_OK;
}

static satf_status run(satf_context *ctx, filter_step *step)
{
    filter_gpu_lines *job = step->state;
    size_t image = 0, ones = 0;
    find_bytes(step, &job->numbers, &image, &ones);
    job->in.data = step->in.data;
    job->out.data = step->out.data;
    for (int k = 0; k < 2; k++) {
        char *at = step->scratch + 2 * image + (size_t)k * 2 * ones;
        job->numbers_at[k] = step->scratch + (size_t)k * image;
        job->ones[k] = job->numbers.shrinks ? (double *)(void *)at : NULL;
        job->ones_at[k] = job->numbers.shrinks ? (double *)(void *)(at + ones) : NULL;
    }
    return satf_cuda()->lines(ctx, job);
}

const filter_engine filter_device_line_engine = {
    .name = "lines",
    .overs = 1U << OVER_LINES,
    .on_device = true,
    .ns = 0.15,
    .state_bytes = sizeof(filter_gpu_lines),
    .plan = plan,
    .run = run,
};
