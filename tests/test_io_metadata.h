/* What tests of metadata share: blocks that images have, and profiles. */
#ifndef TEST_IO_METADATA_H
#define TEST_IO_METADATA_H

#include "test.h"
#include "chunks.h"

static inline void give(unsigned char **to, size_t *to_bytes, const void *from, size_t n)
{
    satf_free(*to);
    *to = satf_alloc(n);
    assert_non_null(*to);
    memcpy(*to, from, n);
    *to_bytes = n;
}

static inline void assert_block(const char *what, const unsigned char *got, size_t n,
                                const void *want, size_t want_bytes)
{
    assert_bytes(what, got, n, want, want_bytes);
}

static inline bytes plain_png(satf_context *ctx)
{
    return random_file(ctx, "png", 3, 1);
}

/* A profile that libpng accepts: header with size, class, space and signature; no tags. */
static inline bytes make_icc(size_t n, bool grey)
{
    bytes icc = bytes_of(NULL, n);
    uint64_t seed = 6;
    for (size_t i = 132; i < n; i++) { /* libpng refuses what packs too well */
        icc.data[i] = (unsigned char)next_random(&seed);
    }
    store_big(icc.data, n, 4);
    icc.data[8] = 2;
    memcpy(icc.data + 12, grey ? "mntrGRAYXYZ " : "mntrRGB XYZ ", 12);
    memcpy(icc.data + 36, "acsp", 4);
    memcpy(icc.data + 68, "\0\0\xf6\xd6\0\1\0\0\0\0\xd3\x2d", 12); /* D50 */
    return icc;
}

#endif
