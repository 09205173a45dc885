/* The strips of a PNG, several on their way at once: rows go in and pieces of a zlib stream come
 * out, in order, while threads of its own deflate. */
#ifndef SATF_IO_PNG_PNG_STRIPS_H
#define SATF_IO_PNG_PNG_STRIPS_H

#include "png_strip.h"

typedef struct io_png_strips io_png_strips;

/* Begins with as many threads as the context has, or fewer where memory for them is above a quarter
 * of its limit. Those that have a token (src/base/share.h) work. The members in the first five
 * lines of *shape are given. */
satf_status io_png_strips_open(satf_context *ctx, const io_png_shape *shape, io_png_strips **out);
void io_png_strips_close(io_png_strips *strips); /* NULL is allowed */

/* The bytes that they will take, at most. */
uint64_t io_png_strips_bytes(const satf_context *ctx, io_png_shape shape);

/* The place of the next row's bytes, once io_png_strips_take() has returned NULL. */
uint8_t *io_png_strips_row(io_png_strips *strips);

/* The row at io_png_strips_row() is complete. */
void io_png_strips_add(io_png_strips *strips);

/* The next strip that is done, which lies there until io_png_strips_drop(). NULL: none is. Waits
 * for one if there is no room for rows otherwise, and, with all rows there, for the last. */
const io_png_strip *io_png_strips_take(io_png_strips *strips);
void io_png_strips_drop(io_png_strips *strips);

#endif
