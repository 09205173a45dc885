/* Auxiliary inputs: pictures that are parameters of a filter, such as a guide. */
#ifndef SATF_CHAIN_PICTURE_H
#define SATF_CHAIN_PICTURE_H

#include <stdatomic.h>

#include "../base/context.h"

#define FILTER_PICTURE_NAME "the auxiliary input"

/* Never changed once it is made, so that filters share it, whatever thread they are used on. */
typedef struct filter_picture {
    _Atomic int users;
    satf_view view; /* of the host; rows packed */
    satf_image *image;
    char name[]; /* the file's, or FILTER_PICTURE_NAME */
} filter_picture;

/* Reads an auxiliary input from a file of any format. *out is NULL on failure. */
satf_status filter_picture_read(satf_context *ctx, const char *path, filter_picture **out);

/* Makes an auxiliary input, a copy of a view of the host. */
satf_status filter_picture_make(satf_context *ctx, const satf_view *view, filter_picture **out);

/* Makes an auxiliary input of an image, which it takes, also on failure. */
satf_status filter_picture_wrap(satf_context *ctx, satf_image *image, const char *name,
                                filter_picture **out);

/* What an auxiliary input must be like; its width and height are the input's. */
typedef enum filter_likeness {
    LIKE_INPUT,    /* its channels and sample type */
    LIKE_OR_ONE,   /* the same, or one channel */
    LIKE_CHANNELS, /* its channels, of any type that is filtered */
    LIKE_COLOURS,  /* its channels or one, alpha not counted, of any such type */
    LIKE_RGB       /* RGB, with or without alpha, of any such type */
} filter_likeness;

/* Fails, in a message that begins with the name, if the picture is not like that. */
satf_status filter_picture_check(satf_context *ctx, const char *name, const satf_view *picture,
                                 const satf_view *in, filter_likeness likeness);

/* *out = an image with the input's channels, each a copy of the picture's, or of its only one
 * besides alpha. */
satf_status filter_picture_spread(satf_context *ctx, const satf_view *picture, const satf_view *in,
                                  satf_image **out);

/* *out = a row of f64 as wide as the picture, each sample the sum of its channel's samples over the
 * whole picture; floats are added row by row. */
satf_status filter_picture_sum(satf_context *ctx, const satf_view *picture, satf_image **out);

/* One user more, one less; the last one frees it. NULL is allowed. */
void filter_picture_share(filter_picture *picture);
void filter_picture_release(filter_picture *picture);

#endif
