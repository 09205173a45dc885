/* The library's picture of a result, with all channels of the input. */
#include "picture.h"

#include <stdbool.h>
#include <string.h>

/* What filters are tried with. */
enum { FRAME_WIDTH = 16, FRAME_HEIGHT = 8, FRAME_BYTES = FRAME_WIDTH * FRAME_HEIGHT * 4 };

int picture_keeps_size(satf_context *ctx, const satf_filter *filter, const satf_view *in)
{
    satf_view out;
    return satf_filter_output(ctx, filter, in, &out) == SATF_OK && out.width == in->width &&
           out.height == in->height;
}

/* Whether results have the input's channels, or one that is shown as black and white. */
static bool keeps_channels(satf_context *ctx, const satf_filter *filter, const satf_view *in)
{
    satf_view out;
    return satf_filter_output(ctx, filter, in, &out) == SATF_OK &&
           (out.channels == in->channels || out.channels == 1);
}

/* Has no parameter, and leaves a frame as it is: it is for filters behind it in a chain. */
static bool does_nothing(satf_context *ctx, const char *name, const satf_filter *filter,
                         const satf_view *frame)
{
    satf_param_info info;
    unsigned char in[FRAME_BYTES], out[FRAME_BYTES] = {0};
    satf_view from = *frame, to = *frame;
    for (int i = 0; i < FRAME_BYTES; i++) {
        in[i] = (unsigned char)(i * i + 1);
    }
    from.data = in;
    to.data = out;
    return !satf_filter_param(name, 0, &info, sizeof info) &&
           picture_filter(ctx, filter, &from, &to, 0) == SATF_OK && memcmp(in, out, sizeof in) == 0;
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
    satf_view frame = satf_view_packed(NULL, FRAME_WIDTH, FRAME_HEIGHT, 4, SATF_U8);
    frame.flags = SATF_ALPHA;
    int fits = satf_context_create(&ctx) == SATF_OK &&
               satf_filter_create(ctx, filter, &made) == SATF_OK &&
               picture_keeps_size(ctx, made, &frame) && keeps_channels(ctx, made, &frame) &&
               !does_nothing(ctx, filter, made, &frame);
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
static inline void swap_row(const char *from, int64_t step, char *to, int64_t to_step,
                            int64_t pixels, size_t bytes, int channels)
{
    for (int64_t x = 0; x < pixels; x++, from += step, to += to_step) {
        memcpy(to, from + 2 * bytes, bytes);
        memcpy(to + bytes, from + bytes, bytes);
        memcpy(to + 2 * bytes, from, bytes);
        memcpy(to + 3 * bytes, from + 3 * bytes, channels > 3 ? bytes : 0);
    }
}

static void swap(const satf_view *in, const satf_view *out)
{
    for (int64_t y = 0; y < in->height; y++) {
        const char *from = (const char *)in->data + y * in->stride;
        char *to = (char *)out->data + y * out->stride;
        if (in->type == SATF_U16) {
            swap_row(from, step_of(in), to, step_of(out), in->width, 2, in->channels);
        } else if (in->channels > 3) {
            swap_row(from, step_of(in), to, step_of(out), in->width, 1, 4);
        } else {
            swap_row(from, step_of(in), to, step_of(out), in->width, 1, 3);
        }
    }
}

/* The result for blue, green and red, from a copy and, unless it is grey, into one in red, green
 * and blue. */
static satf_status filter_swapped(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                                  const satf_view *out)
{
    satf_image *from = NULL, *to = NULL;
    bool grey = out->channels < in->channels;
    satf_status status = satf_image_create(ctx, in->width, in->height, in->channels,
                                           (satf_type)in->type, in->flags, &from);
    if (!status && !grey) {
        status = satf_image_create(ctx, out->width, out->height, out->channels,
                                   (satf_type)out->type, out->flags, &to);
    }
    if (!status) {
        swap(in, satf_image_view(from));
        status = satf_filter_render(ctx, filter, satf_image_view(from),
                                    grey ? out : satf_image_view(to));
    }
    if (!status && !grey) {
        swap(satf_image_view(to), out);
    }
    satf_image_destroy(from);
    satf_image_destroy(to);
    return status;
}

satf_status picture_filter(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                           const satf_view *out, int bgr)
{
    satf_view exact, shown = *out;
    satf_status status = satf_filter_output(ctx, filter, in, &exact);
    if (status) {
        return status;
    }
    bool spreads = exact.channels != out->channels;
    if (spreads) {
        shown.channels = exact.channels;
        shown.flags = exact.flags;
        shown.pixel_stride = step_of(out);
    }
    status = bgr && satf_filter_knows_colours(filter) ? filter_swapped(ctx, filter, in, &shown)
                                                      : satf_filter_render(ctx, filter, in, &shown);
    if (!status && spreads) {
        spread_grey(out);
    }
    return status;
}
