/* What tests of metadata share: blocks, and chunks and markers that are put into files. */
#ifndef TEST_IO_METADATA_H
#define TEST_IO_METADATA_H

#include "test.h"
#include "test_io_files.h"

#include <zlib.h>

enum { IEND_BYTES = 12, BEHIND_IHDR = 33 };

static inline void give(unsigned char **to, size_t *to_bytes, const void *from, size_t n)
{
    *to = satf_alloc(n);
    assert_non_null(*to);
    memcpy(*to, from, n);
    *to_bytes = n;
}

static inline void assert_block(const char *what, const unsigned char *got, size_t n,
                                const void *want, size_t want_bytes)
{
    if (n != want_bytes || (n > 0 && memcmp(got, want, n) != 0)) {
        fail_msg("%s: %zu bytes became %zu, or others", what, want_bytes, n);
    }
}

/* The file with a chunk inserted at that offset. */
static inline bytes with_chunk(const bytes *file, size_t at, const char *name, const void *data,
                               size_t n)
{
    bytes out = {malloc(file->n + n + 12), file->n + n + 12};
    assert_non_null(out.data);
    memcpy(out.data, file->data, at);
    unsigned char *chunk = out.data + at;
    memcpy(chunk + 4, name, 4);
    memcpy(chunk + 8, data, n);
    uint32_t crc = (uint32_t)crc32(0, chunk + 4, (unsigned)(n + 4));
    for (int i = 0; i < 4; i++) {
        chunk[i] = (unsigned char)(n >> (24 - 8 * i));
        chunk[8 + n + (size_t)i] = (unsigned char)(crc >> (24 - 8 * i));
    }
    memcpy(chunk + 12 + n, file->data + at, file->n - at);
    return out;
}

static inline bytes plain_png(satf_context *ctx)
{
    SCOPED_IMAGE *image = make_image(ctx, 3, 3, 1, SATF_U8, 0, 8);
    bytes file = must_encode(ctx, image, "png");
    return file;
}

/* The file with a marker behind its start. */
static inline bytes with_marker(const bytes *file, int marker, const char *data, size_t n)
{
    bytes out = {malloc(file->n + n + 4), file->n + n + 4};
    memcpy(out.data, file->data, 2);
    out.data[2] = 0xff;
    out.data[3] = (unsigned char)marker;
    out.data[4] = (unsigned char)((n + 2) >> 8);
    out.data[5] = (unsigned char)(n + 2);
    memcpy(out.data + 6, data, n);
    memcpy(out.data + 6 + n, file->data + 2, file->n - 2);
    return out;
}

#endif
