/* Checks a call's views, and finds the view that a chain makes of one. */
#include <inttypes.h>

#include "../base/view.h"
#include "step.h"
#include "views.h"

satf_status filter_check_in(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                            bool need_data)
{
    if (!filter) {
        return satf_fail(ctx, SATF_INVALID, "the filter is missing");
    }
    return satf_check_view(ctx, in, "input", need_data);
}

bool filter_same_shape(const satf_view *a, const satf_view *b)
{
    return a->width == b->width && a->height == b->height && a->stride == b->stride &&
           a->channels == b->channels && a->type == b->type && a->device == b->device &&
           a->flags == b->flags && a->full == b->full &&
           satf_pixel_stride(a) == satf_pixel_stride(b);
}

satf_status filter_fail_overlap(satf_context *ctx)
{
    return satf_fail(ctx, SATF_INVALID, "the output view overlaps the input view");
}

satf_status filter_check_out(satf_context *ctx, const satf_view *result, const satf_view *out)
{
    if (out->device != result->device) {
        return satf_fail(ctx, SATF_INVALID,
                         "the input and the output view must be on one device, or both on the "
                         "host");
    }
    if (out->width != result->width || out->height != result->height ||
        out->channels != result->channels) {
        return satf_fail(ctx, SATF_INVALID,
                         "the output view is %" PRId64 " x %" PRId64 " of %d channels; it must be "
                         "%" PRId64 " x %" PRId64 " of %d",
                         out->width, out->height, (int)out->channels, result->width, result->height,
                         (int)result->channels);
    }
    return SATF_OK;
}

satf_status filter_check_views(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                               const satf_view *out, bool need_data)
{
    satf_view wanted;
    satf_status status = filter_check_in(ctx, filter, in, need_data);
    status = status ? status : satf_filter_output(ctx, filter, in, &wanted);
    if (!status) {
        status = satf_check_view(ctx, out, "output", need_data);
    }
    status = status ? status : filter_check_out(ctx, &wanted, out);
    return !status && need_data && satf_views_overlap(in, out) ? filter_fail_overlap(ctx) : status;
}

/* Checks that weights are of the size of the chain's input, with which they are moved. */
static satf_status views_check_weights(satf_context *ctx, const filter_picture *weights,
                                       const satf_view *in)
{
    const satf_view *view = weights ? &weights->view : in;
    return view->width == in->width && view->height == in->height
               ? SATF_OK
               : satf_fail(ctx, SATF_INVALID,
                           "the weights (%.*s) are %" PRId64 " x %" PRId64
                           ", and the picture in front of the filters is %" PRId64 " x %" PRId64
                           "; they are of its size (option: weights)",
                           SATF_MOST(weights->name, 100), view->width, view->height, in->width,
                           in->height);
}

satf_status satf_filter_output(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                               satf_view *out)
{
    if (!ctx) {
        return SATF_INVALID;
    }
    satf_status status = filter_check_in(ctx, filter, in, false);
    if (!status && !out) {
        status = satf_fail(ctx, SATF_INVALID, "the result is missing");
    }
    status = status ? status : views_check_weights(ctx, filter->counting.weights, in);
    if (status) {
        return status;
    }
    satf_view view = *in, next;
    for (size_t i = 0; i < filter->count; i++, view = next) {
        status = filter_output_at(ctx, filter, i, &view, &next);
        if (status) {
            return status;
        }
    }
    *out = view;
    return SATF_OK;
}
