/*
 * Strips of a PNG: rows that are filtered and deflated on their own, whichever thread does it. The
 * pieces of all strips, one behind the other, are one zlib stream.
 */
#ifndef SATF_IO_PNG_PNG_STRIP_H
#define SATF_IO_PNG_PNG_STRIP_H

#include <zlib.h>

#include "../codec.h"

/* Memory for zlib, of the library's. */
void *io_zlib_alloc(void *user, uInt items, uInt size);
void io_zlib_free(void *user, void *memory);

/* What all strips of a picture share. */
typedef struct io_png_shape {
    size_t row_bytes;   /* of a row's pixels, as the file has them */
    size_t pixel_bytes; /* of a pixel, at least 1 */
    int64_t height;
    int level;      /* 0 ... 9 */
    bool plain;     /* no filter but None from level 2 on, for pixels of less than a byte */
    int window;     /* bits of the distances that deflate uses */
    size_t stride;  /* from row to row in memory: pixel_bytes of 0 lie in front of each */
    int64_t before; /* rows before a strip, at most, that deflating it looks at */
    int64_t rows;   /* of a strip, at most */
    int64_t strips; /* of the picture, at most */
    size_t in_bytes, out_bytes; /* of a strip's memory */
    size_t filtered_bytes;      /* of a coder's */
} io_png_shape;

/* Sets the members from `window` on, by those above it, which are given. */
void io_png_shape_set(io_png_shape *shape);

typedef struct io_png_strip {
    uint8_t *in;    /* rows, stride bytes apart: first `before`, then those of the strip */
    uint8_t *out;   /* its piece of the stream */
    int64_t before; /* at least 1: above the picture lies a row of 0 */
    int64_t rows;
    bool first, last; /* of the picture */
    size_t surprises; /* see io_png_kernels */
    bool done;
    bool failed;      /* zlib has */
    size_t out_bytes; /* of the piece */
    size_t bytes;     /* of the filtered rows, */
    uLong adler;      /* and their checksum */
} io_png_strip;

bool io_png_strip_alloc(const io_png_shape *shape, io_png_strip *strip);
void io_png_strip_free(io_png_strip *strip);

/* Begins a strip, with what it needs of the strip before it, which may be itself; NULL: it is the
 * first. */
void io_png_strip_begin(const io_png_shape *shape, io_png_strip *strip, const io_png_strip *before);

/* The place of the strip's next row. */
static inline uint8_t *io_png_strip_row(const io_png_shape *shape, const io_png_strip *strip)
{
    return strip->in + (size_t)(strip->before + strip->rows) * shape->stride + shape->pixel_bytes;
}

/* The next row is there. True if the strip ends with it; that depends on its pixels alone. */
bool io_png_strip_add(const io_png_shape *shape, io_png_strip *strip);

/* What a thread needs to deflate strips. */
typedef struct io_png_coder {
    z_stream z;
    uint8_t *filtered;
} io_png_coder;

/* The bytes that a coder takes. */
size_t io_png_coder_bytes(const io_png_shape *shape);
bool io_png_coder_open(const io_png_shape *shape, io_png_coder *coder);
void io_png_coder_close(io_png_coder *coder);

/* Makes the strip's piece of the stream. */
void io_png_strip_deflate(const io_png_shape *shape, io_png_coder *coder, io_png_strip *strip);

#endif
