/* Chunks of PNGs and segments of JPEGs, put into files or made to be one. */
#ifndef TESTS_CHUNKS_H
#define TESTS_CHUNKS_H

#include "test.h"
#include "test_io_files.h"

#include <zlib.h>

/* ------------------------------------------------------------------------ PNG */

enum { IEND_BYTES = 12, BEHIND_IHDR = 33 };

/* Its checksum, anew. */
static inline void sum_chunk(unsigned char *chunk)
{
    uint32_t n =
        (uint32_t)chunk[0] << 24 | (uint32_t)chunk[1] << 16 | (uint32_t)chunk[2] << 8 | chunk[3];
    store_big(chunk + 8 + n, crc32(0, chunk + 4, n + 4), 4);
}

static inline void put_chunk(bytes *png, size_t at, const char *name, const void *data, size_t n)
{
    replace_bytes(png, at, 0, NULL, n + 12);
    unsigned char *chunk = png->data + at;
    store_big(chunk, n, 4);
    memcpy(chunk + 4, name, 4);
    if (n > 0) {
        memcpy(chunk + 8, data, n);
    }
    sum_chunk(chunk);
}

/* Behind the header, or late: behind the pixels. */
static inline void add_chunk(bytes *png, bool late, const char *name, const void *data, size_t n)
{
    put_chunk(png, late ? png->n - IEND_BYTES : BEHIND_IHDR, name, data, n);
}

static inline bytes deflated(const void *data, size_t n)
{
    uLongf room = compressBound(n);
    bytes out = {malloc(room), 0};
    assert_int_equal(compress2(out.data, &room, data, n, 9), Z_OK);
    out.n = room;
    return out;
}

/* A PNG from its start up to the chunks that follow IHDR. */
static inline bytes begin_png(uint32_t width, uint32_t height, int depth, int colour,
                              bool interlaced)
{
    unsigned char header[13] = {[8] = (unsigned char)depth, (unsigned char)colour};
    store_big(header, width, 4);
    store_big(header + 4, height, 4);
    header[12] = interlaced;
    bytes png = bytes_of("\x89PNG\r\n\x1a\n", 8);
    put_chunk(&png, png.n, "IHDR", header, sizeof header);
    return png;
}

/* These rows, each behind its filter, in one IDAT. */
static inline void put_pixels(bytes *png, const void *rows, size_t n)
{
    SCOPED_BYTES stream = deflated(rows, n);
    put_chunk(png, png->n, "IDAT", stream.data, stream.n);
}

/* ----------------------------------------------------------------------- JPEG */

static inline void put_segment(bytes *jpeg, size_t at, int marker, const void *data, size_t n)
{
    replace_bytes(jpeg, at, 0, NULL, n + 4);
    unsigned char *segment = jpeg->data + at;
    store_big(segment, 0xff00u | (unsigned)marker, 2);
    store_big(segment + 2, n + 2, 2);
    if (n > 0) {
        memcpy(segment + 4, data, n);
    }
}

/* Behind the start of the file. */
static inline void add_segment(bytes *jpeg, int marker, const void *data, size_t n)
{
    put_segment(jpeg, 2, marker, data, n);
}

static inline size_t next_segment(const bytes *jpeg, size_t at)
{
    return at + 2 + ((size_t)jpeg->data[at + 2] << 8) + jpeg->data[at + 3];
}

/* Where the first segment of that kind is: its 0xff. */
static inline size_t find_segment(const bytes *jpeg, int marker)
{
    size_t at = 2;
    for (; jpeg->data[at + 1] != marker; at = next_segment(jpeg, at)) {
        assert_int_equal(jpeg->data[at], 0xff);
        assert_true(at + 4 < jpeg->n);
    }
    return at;
}

#endif
