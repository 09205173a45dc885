/*
 * The pixels of a PNG, inflated by zlib out of its IDAT chunks and taken back from their filters
 * here, in less than half of libpng's time for the filters. It serves files that libpng need not
 * expand or put in order: 8 and 16 bits without palette, transparent colour and interlacing.
 */
#ifndef SATF_IO_PNG_PNG_PIXELS_H
#define SATF_IO_PNG_PNG_PIXELS_H

#include "../codec.h"

typedef struct io_png_pixels io_png_pixels;

/* The source is behind the head of the first IDAT, which has so many bytes of data. */
satf_status io_png_pixels_open(satf_context *ctx, io_source *source, uint32_t idat_bytes,
                               const io_header *header, io_png_pixels **out);
void io_png_pixels_close(io_png_pixels *pixels); /* NULL is allowed */

/* The next row, big-endian, which lies there until the next call. SATF_DATA: damaged. */
satf_status io_png_pixels_row(satf_context *ctx, io_png_pixels *pixels, const uint8_t **row);

/* After the last row: takes the rest of the stream, and of the chunk that it ends in. */
satf_status io_png_pixels_end(satf_context *ctx, io_png_pixels *pixels);

#endif
