/* The engine of a CUDA device for a Gaussian of bytes by its own weights, by the matrix units: both
 * axes in one kernel, which reads the image once (cuda/products/taps.cuh). */
#include "../../base/device/gpu.h"
#include "../../plan/device_copies.h"
#include "../march/gpu.h"
#include "taps.h"

typedef struct taps_step {
    window_gpu_box box;
    device_copies copies;
} taps_step;

static window_taps taps_of(double sigma)
{
    line_taps line;
    window_taps taps = {0};
    line_taps_find(sigma, LINE_WEIGHT_BITS, &line);
    taps.radius = line.radius;
    for (int k = 0; k <= line.radius; k++) {
        taps.weights[k] = (uint16_t)line.weights[k];
    }
    return taps;
}

/* Under wrap the image is continued in memory. */
static device_copies copies_of(const filter_step *step)
{
    bool wraps = step->border.kind == SATF_BORDER_WRAP;
    return (device_copies){wraps ? filter_lines_reach(&step->axes.along) : 0,
                           wraps ? filter_lines_reach(&step->axes.down) : 0};
}

/* Describes both axes to the first kernel that reaches so far; false if none does. */
static bool make_taps(const filter_step *step, const satf_view *in, window_gpu_box *box)
{
    window_taps along = taps_of(step->axes.along.sigma), down = taps_of(step->axes.down.sigma);
    int border = step->border.kind == SATF_BORDER_WRAP ? SATF_BORDER_CLAMP : (int)step->border.kind;
    int constant = border == SATF_BORDER_CONSTANT ? (int)step->border.constant : 0;
    for (const window_gpu_halo *h = window_gpu_tap_halos; h->down; h++) {
        int reach = along.radius * in->channels, across = h->across;
        across = across ? across : reach > 0 ? (reach + 15) / 16 * 16 : 16;
        if (window_bands_weigh(&box->across, in->width, in->channels, &along, border, constant,
                               BANDS_ACROSS_TILE, across) &&
            window_bands_weigh(&box->down, in->height, 1, &down, border, constant, BANDS_DOWN_TILE,
                               h->down)) {
            box->halo = *h;
            return true;
        }
    }
    return false;
}

/* Whether kernels make the type: bytes, or doubles that are not rounded. Not doubles of an image
 * that is continued in memory, whose copies are of bytes, nor where a sum down has a single weight
 * of 1, which two bytes do not hold. */
static bool makes_type(const filter_step *step, const device_copies *copies)
{
    line_taps down;
    line_taps_find(step->axes.down.sigma, LINE_WEIGHT_BITS, &down);
    bool single = down.radius == 0 || down.weights[0] >= 1 << LINE_WEIGHT_BITS ||
                  (step->in.height == 1 && step->border.kind != SATF_BORDER_CONSTANT);
    return step->out.type == SATF_U8 ||
           (step->out.type == SATF_F64 && !single && copies->more_x + copies->more_y == 0);
}

static bool device_taps_suits(const satf_context *ctx, const filter_step *step)
{
    window_gpu_box box = {0};
    device_copies copies = copies_of(step);
    satf_view in = device_copies_view(&copies, &step->in);
    (void)ctx;
    return step->axes.down.times == 0 && !step->weighted &&
           step->border.kind != SATF_BORDER_SHRINK && in.type == SATF_U8 &&
           makes_type(step, &copies) && copies.more_x <= step->in.width &&
           copies.more_y <= step->in.height &&
           window_gpu_row_bytes(&in) <= WINDOW_GPU_MOST_ROW_BYTES && in.height <= INT32_MAX / 8 &&
           make_taps(step, &in, &box) && satf_cuda()->multiplies(in.device);
}

static satf_status device_taps_plan(satf_context *ctx, filter_step *step)
{
    taps_step *state = step->state;
    window_gpu_box *box = &state->box;
    state->copies = copies_of(step);
    box->in = device_copies_view(&state->copies, &step->in);
    box->out = device_copies_view(&state->copies, &step->out);
    box->formula.number = FORMULA_NONE;
    box->area = 1;
    make_taps(step, &box->in, box);
    box->across.run = window_gpu_run((satf_type)box->out.type);
    step->kept_bytes = sizeof(uint32_t) *
                       (size_t)(window_bands_words(&box->across) + window_bands_words(&box->down));
    satf_status status = device_copies_reserve(ctx, step, &state->copies);
    return status ? status : satf_cuda()->box_plan(ctx, box);
}

static satf_status device_taps_prepare(satf_context *ctx, filter_step *step)
{
    taps_step *state = step->state;
    state->box.weights = (uint32_t *)(void *)step->kept;
    return satf_cuda()->box_prepare(ctx, &state->box);
}

static satf_status device_taps_run(satf_context *ctx, filter_step *step)
{
    taps_step *state = step->state;
    window_gpu_box *box = &state->box;
    satf_status status = device_copies_begin(ctx, step, &state->copies, &box->in, &box->out);
    status = status ? status : satf_cuda()->box_run(ctx, box);
    return status ? status : device_copies_end(ctx, step, &state->copies, &box->out);
}

const filter_engine filter_device_taps_engine = {
    .name = "lines",
    .does = "sums lines, not windows",
    .sums_others = true,
    .device_ns = 0.005,
    .state_bytes = sizeof(taps_step),
    .suits = device_taps_suits,
    .plan = device_taps_plan,
    .prepare = device_taps_prepare,
    .run = device_taps_run,
};
