/* Means of bytes on a CUDA device by its matrix units: no table, each sample comes in once. */
#include "../base/gpu.h"
#include "../base/memory.h"
#include "../base/view.h"
#include "../window/gpu.h"
#include "step.h"

static bool make_bands(const filter_step *step, const window_gpu_halo *halo, window_bands *across,
                       window_bands *down)
{
    const satf_view *in = &step->in;
    const filter_size *size = &step->size;
    return window_bands_make(across, in->width, in->channels, step->at.x - size->width / 2,
                             size->width, step->border.kind, BANDS_ACROSS_TILE, halo->across) &&
           window_bands_make(down, in->height, 1, step->at.y - size->height / 2, size->height,
                             step->border.kind, BANDS_DOWN_TILE, halo->down);
}

/* The smallest kernel that reaches. */
static bool find_bands(const filter_step *step, window_bands *across, window_bands *down)
{
    for (const window_gpu_halo *halo = window_gpu_halos; halo->across; halo++) {
        if (make_bands(step, halo, across, down)) {
            return true;
        }
    }
    return false;
}

/* Rows that the copy engine cannot bring cost more than tables. */
static bool pays(const satf_context *ctx, const satf_view *in)
{
    return ctx->settings.engine == SATF_ENGINE_WINDOW ||
           ((in->stride | satf_row_samples(in)) & 15) == 0;
}

static bool suits(const satf_context *ctx, const filter_step *step)
{
    window_bands across, down;
    const satf_view *in = &step->in;
    return pays(ctx, in) && step->recipe->kernel == KERNEL_MEAN && in->type == SATF_U8 &&
           step->out.type == SATF_U8 && !step->weighted &&
           (step->border.kind != SATF_CONSTANT || step->border.constant == 0) &&
           in->width <= INT32_MAX / 8 && in->height <= INT32_MAX / 8 &&
           find_bands(step, &across, &down) && window_gpu_multiplies(in->device);
}

/* Kernels store eight bytes at once. Whether the output allows that is known when a run brings its
 * data: so there is memory for a result that is copied then. */
static bool is_aligned(const satf_view *view)
{
    return (((uintptr_t)view->data | (uintptr_t)view->stride) & 7) == 0;
}

static int64_t aligned_stride(const filter_step *step)
{
    return (int64_t)satf_align64((size_t)satf_row_samples(&step->out));
}

/* Rows in the output's order, so that one call copies them. */
static satf_view aligned_out(const filter_step *step)
{
    satf_view view = step->out;
    int64_t stride = aligned_stride(step);
    bool down = view.stride > 0;
    view.data = step->scratch + (down ? 0 : (view.height - 1) * stride);
    view.stride = down ? stride : -stride;
    return view;
}

static satf_status plan(satf_context *ctx, filter_step *step)
{
    window_gpu_box *box = step->state;
    box->in = step->in;
    box->area = (uint64_t)(step->size.width * step->size.height);
    if (!find_bands(step, &box->across, &box->down)) {
        return satf_fail(ctx, SATF_UNSUPPORTED, "the window engine has no kernel for such windows");
    }
    step->kept_bytes = sizeof(uint32_t) *
                       (size_t)(window_bands_words(&box->across) + window_bands_words(&box->down));
    if (!satf_mul((size_t)aligned_stride(step), (size_t)step->out.height, &step->scratch_bytes)) {
        return satf_fail(ctx, SATF_LIMIT, "the image is too large for any memory");
    }
    return window_gpu_box_plan(ctx, box);
}

static satf_status prepare(satf_context *ctx, filter_step *step)
{
    window_gpu_box *box = step->state;
    box->weights = (uint32_t *)(void *)step->kept;
    return window_gpu_box_prepare(ctx, box);
}

static satf_status run(satf_context *ctx, filter_step *step)
{
    window_gpu_box *box = step->state;
    bool direct = is_aligned(&step->out);
    box->in.data = step->in.data;
    box->out = direct ? step->out : aligned_out(step);
    satf_status status = window_gpu_box_run(ctx, box);
    return status || direct ? status : satf_gpu_copy(ctx, &box->out, &step->out);
}

const filter_engine filter_device_window_engine = {
    .name = "window",
    .kind = SATF_ENGINE_WINDOW,
    .regions = 1U << REGION_WINDOW,
    .on_device = true,
    .ns = 0.002,
    .state_bytes = sizeof(window_gpu_box),
    .suits = suits,
    .plan = plan,
    .prepare = prepare,
    .run = run,
};
