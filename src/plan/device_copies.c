/* Copies of images for kernels of products: aligned, and continued around under border wrap. */
#include "device_copies.h"

#include "../base/device/gpu.h"
#include "../base/memory.h"
#include "../base/view.h"
#include "../sums/march/gpu.h"

static bool must_be_aligned(const satf_view *view)
{
    return view->type == SATF_U8 || view->type == SATF_U16;
}

static bool is_larger(const device_copies *of)
{
    return of->more_x > 0 || of->more_y > 0;
}

satf_view device_copies_view(const device_copies *of, const satf_view *view)
{
    satf_view larger = *view;
    larger.data = NULL;
    larger.width += 2 * of->more_x;
    larger.height += 2 * of->more_y;
    return larger;
}

static int64_t copy_stride(const filter_step *step, const device_copies *of)
{
    satf_view in = device_copies_view(of, &step->in);
    return (int64_t)satf_align64((size_t)window_gpu_row_bytes(&in));
}

size_t device_copies_bytes(const filter_step *step, const device_copies *of)
{
    return (size_t)copy_stride(step, of) * (size_t)(step->in.height + 2 * of->more_y);
}

satf_status device_copies_reserve(satf_context *ctx, filter_step *step, const device_copies *of)
{
    size_t row = (size_t)copy_stride(step, of) * (must_be_aligned(&step->out) ? 2 : 1);
    size_t height = (size_t)(step->in.height + 2 * of->more_y);
    return satf_mul(row, height, &step->scratch_bytes)
               ? SATF_OK
               : satf_fail(ctx, SATF_LIMIT, "the image is too large for any memory");
}

/* The view, or that of its copy, `at` bytes into the scratch, if it needs one. */
static satf_view aligned(const filter_step *step, const device_copies *of, const satf_view *view,
                         size_t at)
{
    satf_view copy = *view;
    if (is_larger(of) || (must_be_aligned(view) && !window_gpu_is_aligned(view))) {
        copy = device_copies_view(of, view);
        copy.data = step->scratch + at;
        copy.stride = copy_stride(step, of);
    }
    return copy;
}

static satf_view part_of(const satf_view *view, int64_t x, int64_t y, int64_t width, int64_t height)
{
    satf_view part = *view;
    part.data = (char *)view->data + y * view->stride + x * satf_pixel_bytes(view);
    part.width = width;
    part.height = height;
    return part;
}

/* The part of a copy that is the image itself. */
static satf_view inner_of(const device_copies *of, const satf_view *copy)
{
    return part_of(copy, of->more_x, of->more_y, copy->width - 2 * of->more_x,
                   copy->height - 2 * of->more_y);
}

static satf_status copy_part(satf_context *ctx, satf_view from, satf_view to)
{
    return to.width > 0 && to.height > 0 ? satf_cuda()->realign(ctx, &from, &to) : SATF_OK;
}

/* Copies the image's columns to both sides, then whole rows of the copy above and below. */
static satf_status wrap_around(satf_context *ctx, const satf_view *in, const device_copies *of,
                               const satf_view *copy)
{
    int64_t x = of->more_x, y = of->more_y, w = in->width, h = in->height;
    satf_status status = copy_part(ctx, part_of(in, w - x, 0, x, h), part_of(copy, 0, y, x, h));
    status =
        status ? status : copy_part(ctx, part_of(in, 0, 0, x, h), part_of(copy, x + w, y, x, h));
    int64_t all = copy->width;
    status =
        status ? status : copy_part(ctx, part_of(copy, 0, h, all, y), part_of(copy, 0, 0, all, y));
    return status ? status
                  : copy_part(ctx, part_of(copy, 0, y, all, y), part_of(copy, 0, y + h, all, y));
}

satf_status device_copies_begin(satf_context *ctx, const filter_step *step, const device_copies *of,
                                satf_view *in, satf_view *out)
{
    *in = aligned(step, of, &step->in, 0);
    *out = aligned(step, of, &step->out, device_copies_bytes(step, of));
    if (in->data == step->in.data) {
        return SATF_OK;
    }
    satf_status status = copy_part(ctx, step->in, inner_of(of, in));
    return status || !is_larger(of) ? status : wrap_around(ctx, &step->in, of, in);
}

satf_status device_copies_end(satf_context *ctx, const filter_step *step, const device_copies *of,
                              const satf_view *out)
{
    return out->data == step->out.data ? SATF_OK : copy_part(ctx, inner_of(of, out), step->out);
}
