/* The library's image form of a result, by way of a PAM in memory. */
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

static char *pixel_at(const satf_view *view, int64_t x, int64_t y)
{
    int64_t packed = (int64_t)satf_type_bytes(view->type) * view->channels;
    int64_t step = view->pixel_stride ? view->pixel_stride : packed;
    return (char *)view->data + y * view->stride + x * step;
}

static void copy_pixels(const satf_view *from, const satf_view *to)
{
    size_t bytes = satf_type_bytes(from->type) * (size_t)from->channels;
    for (int64_t y = 0; y < from->height; y++) {
        for (int64_t x = 0; x < from->width; x++) {
            memcpy(pixel_at(to, x, y), pixel_at(from, x, y), bytes);
        }
    }
}

/* Grey into each colour; alpha becomes opaque. */
static void spread_grey(const satf_view *from, const satf_view *to)
{
    size_t bytes = satf_type_bytes(to->type);
    int colours = to->channels - (to->flags & SATF_ALPHA ? 1 : 0);
    for (int64_t y = 0; y < to->height; y++) {
        for (int64_t x = 0; x < to->width; x++) {
            char *pixel = pixel_at(to, x, y);
            memset(pixel, 0xff, bytes * (size_t)to->channels);
            for (int c = 0; c < colours; c++) {
                memcpy(pixel + bytes * (size_t)c, pixel_at(from, x, y), bytes);
            }
        }
    }
}

/* Grey is made of red, green and blue. */
static void swap_red_and_blue(const satf_view *view)
{
    size_t bytes = satf_type_bytes(view->type);
    for (int64_t y = 0; y < view->height; y++) {
        for (int64_t x = 0; x < view->width; x++) {
            char *pixel = pixel_at(view, x, y), blue[8];
            memcpy(blue, pixel, bytes);
            memcpy(pixel, pixel + 2 * bytes, bytes);
            memcpy(pixel + 2 * bytes, blue, bytes);
        }
    }
}

/* PAM stores 16 bits with the high byte first. */
static void from_big_endian(void *samples, size_t bytes)
{
    uint8_t *byte = samples;
    for (size_t i = 0; i + 1 < bytes; i += 2) {
        uint16_t sample = (uint16_t)(byte[i] << 8 | byte[i + 1]);
        memcpy(byte + i, &sample, sizeof sample);
    }
}

/* The samples are the end of the file. */
static satf_status show(satf_context *ctx, const satf_image *image, const satf_view *out)
{
    satf_write_options options = satf_write_defaults();
    options.format = "pam";
    options.type = out->type;
    void *file;
    size_t file_bytes;
    satf_status status = satf_image_encode(ctx, image, &options, &file, &file_bytes);
    if (status) {
        return status;
    }
    int channels = satf_image_view(image)->channels;
    satf_view samples =
        satf_view_packed(NULL, out->width, out->height, channels, (satf_type)out->type);
    size_t bytes = (size_t)(samples.stride * samples.height);
    samples.data = (char *)file + (file_bytes - bytes);
    if (out->type == SATF_U16) {
        from_big_endian(samples.data, bytes);
    }
    if (channels == out->channels) {
        copy_pixels(&samples, out);
    } else {
        spread_grey(&samples, out);
    }
    satf_buffer_free(file);
    return SATF_OK;
}

satf_status picture_filter(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                           const satf_view *out, int bgr)
{
    satf_view exact;
    satf_status status = satf_filter_output(ctx, filter, in, &exact);
    if (!status && exact.type == out->type && exact.channels == out->channels) {
        return satf_filter_apply(ctx, filter, in, out);
    }
    satf_image *image = NULL, *result = NULL;
    if (!status) {
        status = satf_image_create(ctx, in->width, in->height, in->channels, (satf_type)in->type,
                                   in->flags, &image);
    }
    if (!status) {
        copy_pixels(in, satf_image_view(image));
        if (bgr && exact.channels < in->channels) {
            swap_red_and_blue(satf_image_view(image));
        }
        status = satf_image_filter(ctx, filter, image, SATF_TYPE_AUTO, &result);
    }
    if (!status) {
        status = show(ctx, result, out);
    }
    satf_image_destroy(result);
    satf_image_destroy(image);
    return status;
}
