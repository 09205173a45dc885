/* Passes along lines on a CUDA device, over one or two images of numbers. */
#include "../../base/device/gpu.h"
#include "../../base/memory.h"
#include "../../plan/device_task.h"
#include "taps.h"

static line_numbers device_lines_numbers_of(const filter_step *step)
{
    return line_numbers_of(&step->in, &step->axes, step->weighted,
                           step->border.kind == SATF_BORDER_SHRINK);
}

/* The bytes of images that passes make, which by boxes of floats reach beyond the borders along the
 * axis that is next; and of lines of ones. */
static bool device_lines_find_bytes(const filter_step *step, size_t *image, size_t *ones)
{
    const satf_view *in = &step->in;
    line_numbers numbers = device_lines_numbers_of(step);
    bool narrow = numbers.narrow && !numbers.own;
    size_t bytes = (size_t)in->channels * (narrow           ? sizeof(uint16_t)
                                           : numbers.single ? sizeof(float)
                                                            : sizeof(double));
    bool inside = numbers.own || numbers.rounds;
    size_t more_x = inside ? 0 : 2 * (size_t)filter_lines_reach(&step->axes.along);
    size_t more_y = inside ? 0 : 2 * (size_t)filter_lines_reach(&step->axes.down);
    size_t more = more_x > more_y ? more_x : more_y, width = (size_t)in->width;
    size_t height = (size_t)in->height, across, down;
    *ones = satf_align64(((width > height ? width : height) + more) * sizeof(double));
    if (!satf_mul(width + more_x, height, &across) || !satf_mul(height + more_y, width, &down) ||
        !satf_mul(across > down ? across : down, bytes, image) || *image > SIZE_MAX / 8) {
        return false;
    }
    *image = satf_align64(*image);
    return true;
}

/* How many images of numbers: one between the axes; by boxes of floats a second; and a second where
 * alpha weighs, for colour that is divided by it. */
static size_t images_of(const line_numbers *numbers)
{
    return numbers->weighted || !(numbers->own || numbers->rounds) ? 2 : 1;
}

static size_t ones_of(const line_numbers *numbers)
{
    return numbers->shrinks && !numbers->own ? 4 : 0;
}

satf_status filter_lines_plan_on_device(satf_context *ctx, filter_step *step)
{
    size_t image, ones;
    if (!device_lines_find_bytes(step, &image, &ones)) {
        return satf_fail(ctx, SATF_LIMIT, "the image is too large for any memory");
    }
    line_numbers numbers = device_lines_numbers_of(step);
    step->scratch_bytes = images_of(&numbers) * image + ones_of(&numbers) * ones;
    return SATF_OK;
}

satf_status filter_lines_run_on_device(satf_context *ctx, const filter_step *step)
{
    size_t image = 0, ones = 0;
    filter_gpu_lines job = {.in = step->in,
                            .out = step->out,
                            .axes = step->axes,
                            .numbers = device_lines_numbers_of(step),
                            .border = step->border.kind,
                            .constant = step->border.constant};
    if (job.numbers.own) {
        line_taps_find(step->axes.along.sigma, job.numbers.weight_bits, &job.along);
        line_taps_find(step->axes.down.sigma, job.numbers.weight_bits, &job.down);
    }
    line_find_outside(&job.numbers, job.border, job.constant, step->weight_outside, job.outside);
    job.one = line_one(&job.numbers);
    device_lines_find_bytes(step, &image, &ones);
    char *at = step->scratch + images_of(&job.numbers) * image;
    for (int k = 0; k < 2; k++) {
        bool has_ones = ones_of(&job.numbers) > 0;
        job.numbers_at[k] =
            (size_t)k < images_of(&job.numbers) ? step->scratch + (size_t)k * image : NULL;
        job.ones[k] = has_ones ? (double *)(void *)(at + (size_t)(2 * k) * ones) : NULL;
        job.ones_at[k] = has_ones ? (double *)(void *)(at + (size_t)(2 * k + 1) * ones) : NULL;
    }
    return satf_cuda()->lines(ctx, &job);
}
