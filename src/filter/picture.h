/* An image beside the input, a filter's parameter: a guide, say. */
#ifndef SATF_FILTER_PICTURE_H
#define SATF_FILTER_PICTURE_H

#include <stdatomic.h>

#include "../base/context.h"

/* Never changed once it is made, so that filters share it, whatever thread they are used on. */
typedef struct filter_picture {
    _Atomic int users;
    satf_view view; /* of the host; rows packed */
    satf_image *image;
} filter_picture;

/* From a file of any format that is read. *out is NULL on failure. */
satf_status filter_picture_read(satf_context *ctx, const char *path, filter_picture **out);

/* A copy of a view of the host. */
satf_status filter_picture_make(satf_context *ctx, const satf_view *view, filter_picture **out);

/* SATF_OK if it has the input's width, height, channels and sample type; or_one: one channel in
 * place of the input's is as good. */
satf_status filter_picture_check(satf_context *ctx, const satf_view *picture, const satf_view *in,
                                 bool or_one);

/* *out = an image with so many channels, each of which is the picture's only one. */
satf_status filter_picture_spread(satf_context *ctx, const satf_view *picture, int channels,
                                  satf_image **out);

/* One user more, one less; the last one frees it. NULL is allowed. */
void filter_picture_share(filter_picture *picture);
void filter_picture_release(filter_picture *picture);

#endif
