/* Auxiliary inputs: from files and memory, and the sums of their channels. */
#include "picture.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../base/image.h"
#include "../base/memory.h"
#include "../base/view.h"
#include "../satfilter-images.h"
#include "../formula/pixels.h"

satf_status filter_picture_wrap(satf_context *ctx, satf_image *image, const char *name,
                                filter_picture **out)
{
    size_t length = strlen(name) + 1;
    filter_picture *picture = satf_alloc_zeroed(sizeof *picture + length);
    if (!picture) {
        satf_image_destroy(image);
        return satf_fail_memory(ctx, sizeof *picture + length, "an auxiliary input");
    }
    memcpy(picture->name, name, length);
    picture->users = 1;
    picture->image = image;
    picture->view = image->view;
    *out = picture;
    return SATF_OK;
}

satf_status filter_picture_read(satf_context *ctx, const char *path, filter_picture **out)
{
    satf_image *image;
    char axes[sizeof ctx->settings.axes]; /* axes are set for inputs alone */
    *out = NULL;
    memcpy(axes, ctx->settings.axes, sizeof axes);
    ctx->settings.axes[0] = '\0';
    satf_status status = satf_image_read(ctx, path, &image);
    memcpy(ctx->settings.axes, axes, sizeof axes);
    if (!status && image->damaged) { /* no note of the filter's calls could tell of it */
        satf_image_destroy(image);
        status = satf_fail(ctx, SATF_DATA, "the file is damaged: bytes of it make no sense");
    }
    if (status) {
        char message[SATF_MESSAGE_BYTES];
        snprintf(message, sizeof message, "%s", ctx->message);
        return satf_fail(ctx, status, "%.*s: %.*s", SATF_MOST(path, 200), SATF_MOST(message, 700));
    }
    return filter_picture_wrap(ctx, image, path, out);
}

satf_status filter_picture_make(satf_context *ctx, const satf_view *view, filter_picture **out)
{
    satf_image *image;
    *out = NULL;
    satf_status status = satf_check_view(ctx, view, "auxiliary input", true);
    if (!status && view->device != SATF_HOST) {
        status = satf_fail(ctx, SATF_UNSUPPORTED,
                           "an auxiliary input that a filter keeps must be in host memory; "
                           "satf_plan_create() takes one of a device");
    }
    if (!status) {
        status = satf_image_create_unset(ctx, view->width, view->height, view->channels,
                                         (satf_type)view->type, view->flags, &image);
    }
    if (status) {
        return status;
    }
    image->view.full = view->full;
    status = filter_copy_pixels(ctx, view, &image->view);
    if (status) {
        satf_image_destroy(image);
        return status;
    }
    return filter_picture_wrap(ctx, image, FILTER_PICTURE_NAME, out);
}

/* Channels besides alpha. */
static int colours_of(const satf_view *view)
{
    return view->channels - (view->flags & SATF_ALPHA ? 1 : 0);
}

static satf_status fail_any(satf_context *ctx, const char *name, const satf_view *picture,
                            const satf_view *in, filter_likeness like)
{
    bool or_one = like == LIKE_COLOURS && colours_of(in) > 1;
    return satf_fail(ctx, SATF_INVALID,
                     "%.*s is %" PRId64 " x %" PRId64 " of %d %s%s; it must "
                     "be %" PRId64 " x %" PRId64 " of %d channel%s, as the input%s, alpha %s",
                     SATF_MOST(name, 200), picture->width, picture->height, colours_of(picture),
                     satf_type_name(picture->type), picture->flags & SATF_ALPHA ? " and alpha" : "",
                     in->width, in->height, colours_of(in), colours_of(in) > 1 ? "s" : "",
                     or_one ? ", or of 1" : "", like == LIKE_COLOURS ? "not counted" : "too");
}

static satf_status fail_rgb(satf_context *ctx, const char *name, const satf_view *picture,
                            const satf_view *in)
{
    return satf_fail(ctx, SATF_INVALID,
                     "%.*s is %" PRId64 " x %" PRId64 " of %d %s%s; of "
                     "colour it must be %" PRId64 " x %" PRId64 ", as the input",
                     SATF_MOST(name, 200), picture->width, picture->height, colours_of(picture),
                     satf_type_name(picture->type), picture->flags & SATF_ALPHA ? " and alpha" : "",
                     in->width, in->height);
}

satf_status filter_picture_check(satf_context *ctx, const char *name, const satf_view *picture,
                                 const satf_view *in, filter_likeness like)
{
    bool sized = picture->width == in->width && picture->height == in->height;
    bool one = like == LIKE_OR_ONE && picture->channels == 1;
    bool channels = picture->channels == in->channels || one;
    if (like == LIKE_RGB) {
        return sized && colours_of(picture) == 3 ? SATF_OK : fail_rgb(ctx, name, picture, in);
    }
    if (like == LIKE_COLOURS || like == LIKE_CHANNELS) {
        bool colours = colours_of(picture) == colours_of(in);
        channels =
            like == LIKE_CHANNELS ? channels && colours : colours || colours_of(picture) == 1;
        return sized && channels ? SATF_OK : fail_any(ctx, name, picture, in, like);
    }
    if (sized && channels && picture->type == in->type) {
        return SATF_OK;
    }
    return satf_fail(ctx, SATF_INVALID,
                     "%.*s is %" PRId64 " x %" PRId64 " of %d %s; it must be "
                     "%" PRId64 " x %" PRId64 " of %d %s, as the input%s%s",
                     SATF_MOST(name, 200), picture->width, picture->height, (int)picture->channels,
                     satf_type_name(picture->type), in->width, in->height, (int)in->channels,
                     satf_type_name(in->type),
                     like == LIKE_OR_ONE && in->channels > 1 ? ", or of 1 channel" : "",
                     like == LIKE_OR_ONE && sized && colours_of(picture) == 3
                         ? ", or RGB of any depth with colour"
                         : "");
}

/* A view of one channel. */
static satf_view channel_of(const satf_view *view, int channel)
{
    satf_view one = *view;
    int64_t bytes = (int64_t)satf_type_bytes(view->type);
    one.pixel_stride = view->pixel_stride ? view->pixel_stride : view->channels * bytes;
    one.data = (char *)view->data + channel * bytes;
    one.channels = 1;
    one.flags = 0;
    return one;
}

satf_status filter_picture_spread(satf_context *ctx, const satf_view *picture, const satf_view *in,
                                  satf_image **out)
{
    satf_image *image;
    satf_status status = satf_image_create_unset(ctx, picture->width, picture->height, in->channels,
                                                 (satf_type)picture->type, in->flags, &image);
    if (status) {
        return status;
    }
    image->view.full = picture->full;
    int last = colours_of(picture) - 1;
    for (int i = 0; i < in->channels && !status; i++) {
        satf_view from = channel_of(picture, i < last ? i : last);
        satf_view to = channel_of(&image->view, i);
        status = filter_copy_pixels(ctx, &from, &to);
    }
    if (status) {
        satf_image_destroy(image);
        return status;
    }
    *out = image;
    return SATF_OK;
}

#define ADD_ROW(Sample, Sum)                                                               \
    static void add_##Sample(const void *row, int64_t samples, int channels, double *sums) \
    {                                                                                      \
        const Sample *from = row;                                                          \
        for (int c = 0; c < channels; c++) {                                               \
            Sum sum = 0;                                                                   \
            for (int64_t i = c; i < samples; i += channels) {                              \
                sum += (Sum)from[i];                                                       \
            }                                                                              \
            sums[c] += (double)sum;                                                        \
        }                                                                                  \
    }

ADD_ROW(uint8_t, uint64_t)
ADD_ROW(uint16_t, uint64_t)
ADD_ROW(float, double)
ADD_ROW(double, double)

satf_status filter_picture_sum(satf_context *ctx, const satf_view *picture, satf_image **out)
{
    int channels = picture->channels;
    int64_t samples = satf_row_samples(picture);
    double sums[SATF_MAX_CHANNELS] = {0};
    satf_status status =
        satf_image_create_unset(ctx, picture->width, 1, channels, SATF_F64, 0, out);
    if (status) {
        return status;
    }
    void (*add)(const void *, int64_t, int, double *) = picture->type == SATF_U8    ? add_uint8_t
                                                        : picture->type == SATF_U16 ? add_uint16_t
                                                        : picture->type == SATF_F32 ? add_float
                                                                                    : add_double;
    for (int64_t y = 0; y < picture->height && !status; y++) {
        add(satf_row(picture, y), samples, channels, sums);
        status = satf_work(ctx, samples);
    }
    if (status) {
        satf_image_destroy(*out);
        *out = NULL;
        return status;
    }
    double *to = (*out)->view.data;
    for (int64_t i = 0; i < samples; i++) {
        to[i] = sums[i % channels];
    }
    return SATF_OK;
}

void filter_picture_share(filter_picture *picture)
{
    if (picture) {
        atomic_fetch_add(&picture->users, 1);
    }
}

void filter_picture_release(filter_picture *picture)
{
    if (picture && atomic_fetch_sub(&picture->users, 1) == 1) {
        satf_image_destroy(picture->image);
        satf_free(picture);
    }
}
