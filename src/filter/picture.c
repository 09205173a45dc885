#include "picture.h"

#include <inttypes.h>
#include <stdio.h>

#include "../base/image.h"
#include "../base/memory.h"
#include "../base/view.h"
#include "../satfilter-images.h"
#include "pixels.h"

/* Takes the image. */
static satf_status wrap(satf_context *ctx, satf_image *image, filter_picture **out)
{
    filter_picture *picture = satf_alloc_zeroed(sizeof *picture);
    if (!picture) {
        satf_image_destroy(image);
        return satf_fail_memory(ctx, sizeof *picture, "an image beside the input");
    }
    picture->users = 1;
    picture->image = image;
    picture->view = image->view;
    *out = picture;
    return SATF_OK;
}

satf_status filter_picture_read(satf_context *ctx, const char *path, filter_picture **out)
{
    satf_image *image;
    *out = NULL;
    satf_status status = satf_image_read(ctx, path, &image);
    if (status) {
        char message[SATF_MESSAGE_BYTES];
        snprintf(message, sizeof message, "%s", ctx->message);
        return satf_fail(ctx, status, "%.200s: %.700s", path, message);
    }
    return wrap(ctx, image, out);
}

satf_status filter_picture_make(satf_context *ctx, const satf_view *view, filter_picture **out)
{
    satf_image *image;
    *out = NULL;
    satf_status status = satf_check_view(ctx, view, "image beside the input", true);
    if (!status && view->device != SATF_HOST) {
        status = satf_fail(ctx, SATF_UNSUPPORTED,
                           "an image beside the input that a filter keeps must be in host memory; "
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
    return wrap(ctx, image, out);
}

satf_status filter_picture_check(satf_context *ctx, const satf_view *picture, const satf_view *in,
                                 bool or_one)
{
    bool one = or_one && picture->channels == 1;
    if (picture->width == in->width && picture->height == in->height &&
        (picture->channels == in->channels || one) && picture->type == in->type) {
        return SATF_OK;
    }
    return satf_fail(ctx, SATF_INVALID,
                     "the image beside the input is %" PRId64 " x %" PRId64 " of %d %s; it must be "
                     "%" PRId64 " x %" PRId64 " of %d %s, as the input%s",
                     picture->width, picture->height, (int)picture->channels,
                     satf_type_name(picture->type), in->width, in->height, (int)in->channels,
                     satf_type_name(in->type),
                     or_one && in->channels > 1 ? ", or of 1 channel" : "");
}

satf_status filter_picture_spread(satf_context *ctx, const satf_view *picture, int channels,
                                  satf_image **out)
{
    satf_image *image;
    satf_type type = (satf_type)picture->type;
    satf_status status =
        satf_image_create_unset(ctx, picture->width, picture->height, channels, type, 0, &image);
    if (status) {
        return status;
    }
    image->view.full = picture->full;
    satf_view channel = image->view;
    channel.channels = 1;
    channel.pixel_stride = channels * (int64_t)satf_type_bytes(type);
    for (int i = 0; i < channels && !status; i++) {
        status = filter_copy_pixels(ctx, picture, &channel);
        channel.data = (char *)channel.data + satf_type_bytes(type);
    }
    if (status) {
        satf_image_destroy(image);
        return status;
    }
    *out = image;
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
