/* The library's picture of a result, with all channels of the input. */
#include "picture.h"

#include <string.h>

int picture_keeps_size(satf_context *ctx, const satf_filter *filter, const satf_view *in)
{
    satf_view out;
    return satf_filter_output(ctx, filter, in, &out) == SATF_OK && out.width == in->width &&
           out.height == in->height;
}

int picture_fits(const char *filter)
{
    satf_param_info info;
    for (size_t i = 0; satf_filter_param(filter, i, &info, sizeof info); i++) {
        if (info.type == SATF_PARAM_FILE && info.is_value) {
            return 0;
        }
    }
    satf_context *ctx = NULL;
    satf_filter *made = NULL;
    satf_view frame = satf_view_packed(NULL, 16, 8, 4, SATF_U8);
    frame.flags = SATF_ALPHA;
    int fits = satf_context_create(&ctx) == SATF_OK &&
               satf_filter_create(ctx, filter, &made) == SATF_OK &&
               picture_keeps_size(ctx, made, &frame);
    satf_filter_destroy(made);
    satf_context_destroy(ctx);
    return fits;
}

static int64_t step_of(const satf_view *view)
{
    int64_t packed = (int64_t)satf_type_bytes(view->type) * view->channels;
    return view->pixel_stride ? view->pixel_stride : packed;
}

/* Grey, which is in the first of the three colours, into the others; alpha becomes opaque. Callers
 * name the bytes of a sample, and alpha, by constants: so copies become loads and stores. */
static inline void spread_row(char *row, int64_t pixels, int64_t step, size_t bytes, int alpha)
{
    for (int64_t x = 0; x < pixels; x++, row += step) {
        memcpy(row + bytes, row, bytes);
        memcpy(row + 2 * bytes, row, bytes);
        if (alpha) {
            memset(row + 3 * bytes, 0xff, bytes);
        }
    }
}

static void spread_grey(const satf_view *view)
{
    int64_t step = step_of(view);
    for (int64_t y = 0; y < view->height; y++) {
        char *row = (char *)view->data + y * view->stride;
        if (view->type == SATF_U16) {
            spread_row(row, view->width, step, 2, view->channels > 3);
        } else if (view->channels > 3) {
            spread_row(row, view->width, step, 1, 1);
        } else {
            spread_row(row, view->width, step, 1, 0);
        }
    }
}

/* Pixels with red and blue exchanged. Constants as above. */
static inline void swap_row(const char *from, int64_t step, char *to, int64_t pixels, size_t bytes,
                            int channels)
{
    for (int64_t x = 0; x < pixels; x++, from += step, to += bytes * (size_t)channels) {
        memcpy(to, from + 2 * bytes, bytes);
        memcpy(to + bytes, from + bytes, bytes);
        memcpy(to + 2 * bytes, from, bytes);
        memcpy(to + 3 * bytes, from + 3 * bytes, channels > 3 ? bytes : 0);
    }
}

/* A copy in red, green and blue, of which grey is made. */
static satf_status swap(satf_context *ctx, const satf_view *in, satf_image **made)
{
    satf_status status = satf_image_create(ctx, in->width, in->height, in->channels,
                                           (satf_type)in->type, in->flags, made);
    for (int64_t y = 0; !status && y < in->height; y++) {
        const satf_view *view = satf_image_view(*made);
        const char *from = (const char *)in->data + y * in->stride;
        char *to = (char *)view->data + y * view->stride;
        if (in->type == SATF_U16) {
            swap_row(from, step_of(in), to, in->width, 2, in->channels);
        } else if (in->channels > 3) {
            swap_row(from, step_of(in), to, in->width, 1, 4);
        } else {
            swap_row(from, step_of(in), to, in->width, 1, 3);
        }
    }
    return status;
}

satf_status picture_filter(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                           const satf_view *out, int bgr)
{
    satf_view exact, grey = *out;
    satf_image *swapped = NULL;
    satf_status status = satf_filter_output(ctx, filter, in, &exact);
    if (status || exact.channels == out->channels) {
        return status ? status : satf_filter_show(ctx, filter, in, out);
    }
    if (bgr) {
        status = swap(ctx, in, &swapped);
    }
    grey.channels = exact.channels;
    grey.flags = exact.flags;
    grey.pixel_stride = step_of(out);
    if (!status) {
        status = satf_filter_show(ctx, filter, bgr ? satf_image_view(swapped) : in, &grey);
    }
    if (!status) {
        spread_grey(out);
    }
    satf_image_destroy(swapped);
    return status;
}
