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
    unsigned char number[4];
    store_big(number, value, n);
    add(m, number, (size_t)n);
}

static inline satf_status decode_start(satf_context *ctx, const maker *m, size_t n,
                                       satf_image **image)
{
    return decode_exactly(ctx, m->data, n, image);
}

static inline void check_pixels(const char *what, const satf_image *image, int channels,
                                const void *want, size_t n)
{
    satf_view view = image->view;
    view.data = (void *)(uintptr_t)want;
    view.channels = channels;
    view.flags = channels % 2 ? 0 : SATF_ALPHA;
    assert_int_equal(image->view.stride * view.height, n);
    assert_same_pixels(what, &view, &image->view);
}

/* The file has those pixels. Cut anywhere, it has the same or is damaged. */
static inline void expect_pixels(satf_context *ctx, const char *what, const maker *m, int channels,
                                 const void *want, size_t n)
{
    for (size_t bytes_there = m->n + 1; bytes_there-- > 0;) {
        SCOPED_IMAGE *image;
        satf_status status = decode_start(ctx, m, bytes_there, &image);
        if (status && (bytes_there == m->n || status != SATF_DATA)) {
            fail_msg("%s, %zu of %zu bytes: %s", what, bytes_there, m->n, satf_message(ctx));
        }
        if (!status) {
            check_pixels(what, image, channels, want, n);
        }
    }
}

/* Each bit so many behind another is another one: a picture or an error, and nothing else. */
static inline void expect_damage(satf_context *ctx, const char *what, const maker *m, size_t step)
{
    maker damaged = *m;
    satf_context_set_limit(ctx, SATF_LIMIT_PIXELS, 1 << 20);
    satf_context_set_limit(ctx, SATF_LIMIT_MEMORY, 1 << 26); /* a lie must not cost seconds */
    for (size_t bit = 0; bit < 8 * m->n; bit += step) {
        SCOPED_IMAGE *image;
        damaged.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        if (decode_start(ctx, &damaged, m->n, &image) == SATF_NO_MEMORY) {
            fail_msg("%s, bit %zu of byte %zu: %s", what, bit % 8, bit / 8, satf_message(ctx));
        }
        damaged.data[bit / 8] = m->data[bit / 8];
    }
    satf_context_set_limit(ctx, SATF_LIMIT_PIXELS, 0);
    satf_context_set_limit(ctx, SATF_LIMIT_MEMORY, 0);
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
    assert_refused(ctx, what, decode_start(ctx, m, m->n, &image), status, sentence);
}

enum { WIDTH = 3, HEIGHT = 2, PIXELS = WIDTH * HEIGHT };

static inline void add_little(maker *m, uint32_t value, int n)
{
    unsigned char number[4];
    store_little(number, value, n);
    add(m, number, (size_t)n);
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
