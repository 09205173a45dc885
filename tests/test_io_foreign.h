/* Files of formats that are read only, made byte by byte. */
#ifndef TEST_IO_FOREIGN_H
#define TEST_IO_FOREIGN_H

#include "test.h"

#include "test_io_files.h"

/* A file that grows. */
typedef struct maker {
    unsigned char data[16384];
    size_t n;
} maker;

static inline void add(maker *m, const void *from, size_t n)
{
    assert_true(m->n + n <= sizeof m->data);
    for (size_t i = 0; i < n; i++) { /* of nothing, too */
        m->data[m->n + i] = ((const unsigned char *)from)[i];
    }
    m->n += n;
}

#define ADD(m, text) add(m, text, sizeof text - 1)

static inline void add_big(maker *m, uint32_t value, int n)
{
    for (int i = n - 1; i >= 0; i--) {
        unsigned char byte = (unsigned char)(value >> (8 * i));
        add(m, &byte, 1);
    }
}

/* The first n bytes of it decoded, from an exact copy on the heap, so that the sanitizer sees reads
 * behind the end. */
static inline satf_status decode_start(satf_context *ctx, const maker *m, size_t n,
                                       satf_image **image)
{
    SCOPED unsigned char *copy = malloc(n ? n : 1);
    memcpy(copy, m->data, n);
    satf_status status = satf_image_decode(ctx, copy, n, image);
    return status;
}

static inline void check_pixels(const char *what, const satf_image *image, int channels,
                                const void *want, size_t n)
{
    const satf_view *v = &image->view;
    size_t all = (size_t)(v->stride * v->height);
    if (v->channels != channels || all != n || (v->flags == SATF_ALPHA) != (channels % 2 == 0)) {
        fail_msg("%s: %d x %d x %d", what, (int)v->width, (int)v->height, v->channels);
    }
    for (size_t i = 0; i < n; i++) {
        int is = ((const unsigned char *)v->data)[i], should = ((const unsigned char *)want)[i];
        if (is != should) {
            fail_msg("%s: byte %zu is %d, not %d", what, i, is, should);
        }
    }
}

/* The file has those pixels. Cut anywhere, it has the same or is damaged. */
static inline void expect_pixels(satf_context *ctx, const char *what, const maker *m, int channels,
                                 const void *want, size_t n)
{
    for (size_t bytes_there = m->n + 1; bytes_there-- > 0;) {
        satf_image *image;
        satf_status status = decode_start(ctx, m, bytes_there, &image);
        if (status && (bytes_there == m->n || status != SATF_DATA)) {
            fail_msg("%s, %zu of %zu bytes: %s", what, bytes_there, m->n, satf_message(ctx));
        }
        if (!status) {
            check_pixels(what, image, channels, want, n);
            satf_image_destroy(image);
        }
    }
}

#define EXPECT(ctx, what, m, channels, text) \
    expect_pixels(ctx, what, m, channels, text, sizeof text - 1)

/* Pixels per metre; 0: the file names none. */
static inline void expect_resolution(satf_context *ctx, const char *what, const maker *m, double x,
                                     double y)
{
    SCOPED_IMAGE *image;
    if (decode_start(ctx, m, m->n, &image)) {
        fail_msg("%s: %s", what, satf_message(ctx));
    }
    const satf_metadata *of = &image->metadata;
    if (of->has_resolution != (x > 0) || of->resolution_unit != (x > 0) ||
        fabs(of->resolution_x - x) > 1e-6 || fabs(of->resolution_y - y) > 1e-6) {
        fail_msg("%s: %g x %g", what, of->resolution_x, of->resolution_y);
    }
}

static inline void expect_refusal(satf_context *ctx, const char *what, const maker *m,
                                  satf_status status, const char *sentence)
{
    satf_image *image;
    satf_status got = decode_start(ctx, m, m->n, &image);
    if (got != status || !strstr(satf_message(ctx), sentence)) {
        fail_msg("%s: %s \"%s\"", what, satf_status_name(got), satf_message(ctx));
    }
}

enum { WIDTH = 3, HEIGHT = 2, PIXELS = WIDTH * HEIGHT };

static inline void add_little(maker *m, uint32_t value, int n)
{
    for (int i = 0; i < n; i++) {
        unsigned char byte = (unsigned char)(value >> (8 * i));
        add(m, &byte, 1);
    }
}

/* Colour i of the test's pictures, of so many bits a pixel, as TGA and BMP store it. */
static inline uint32_t stored_colour(uint32_t i, int depth)
{
    uint32_t red = 10 * i + 3, green = 10 * i + 2, blue = 10 * i + 1, alpha = 40 * i + 5;
    return depth == 8    ? blue
           : depth < 24  ? (i + 1) << 10 | (2 * i) << 5 | (31 - i)
           : depth == 24 ? red << 16 | green << 8 | blue
                         : alpha << 24 | red << 16 | green << 8 | blue;
}

#endif
