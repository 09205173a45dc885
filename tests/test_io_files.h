/* Images made up by the tests of src/io, and files in memory. */
#ifndef TEST_IO_FILES_H
#define TEST_IO_FILES_H

#include "test.h"

#include "base/memory.h"
#include "base/view.h"
#include "io/io.h"

typedef struct bytes {
    unsigned char *data;
    size_t n;
} bytes;

/* A reproducible sequence (xorshift64*). */
static inline uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return *seed * 0x2545f4914f6cdd1dULL;
}

/* Random samples; floats are finite, of both signs. */
static inline satf_image *make_image(satf_context *ctx, int64_t width, int64_t height, int channels,
                                     satf_type type, unsigned flags, uint64_t seed)
{
    satf_image *image;
    assert_int_equal(satf_image_create(ctx, width, height, channels, type, flags, &image), SATF_OK);
    size_t samples = (size_t)(width * height) * (size_t)channels;
    size_t sample_bytes = satf_type_bytes((int)type);
    for (size_t i = 0; i < samples; i++) {
        uint64_t r = next_random(&seed);
        char *at = (char *)image->view.data + i * sample_bytes;
        if (type == SATF_F32) {
            float v = (float)((double)(int64_t)r / 1e15);
            memcpy(at, &v, sizeof v);
        } else if (type == SATF_F64) {
            double v = (double)(int64_t)r / 1e15;
            memcpy(at, &v, sizeof v);
        } else {
            memcpy(at, &r, sample_bytes);
        }
    }
    return image;
}

/* The image as a file of that format, through the row interface, some rows at a time. */
static inline satf_status encode(satf_context *ctx, const satf_image *image,
                                 const satf_write_options *options, bytes *out)
{
    io_plan plan;
    io_writer *writer;
    char *data = NULL;
    *out = (bytes){0};
    satf_status status = io_make_plan(ctx, image, "-", options, &plan);
    if (!status) {
        status = io_find_range(ctx, &image->view, options->clip_percent, &plan);
    }
    if (status) {
        return status;
    }
    FILE *file = open_memstream(&data, &out->n);
    assert_non_null(file);
    status = io_writer_open(ctx, &plan, file, options, &image->metadata, &writer);
    if (!status) {
        const satf_view *v = &image->view;
        for (int64_t y = 0; y < v->height && !status; y += 3) {
            int64_t n = v->height - y < 3 ? v->height - y : 3;
            status = io_put_rows(ctx, writer, satf_row(v, y), v->stride, n);
        }
        if (!status) {
            status = io_writer_finish(ctx, writer);
        }
        io_writer_close(writer);
    }
    fclose(file);
    out->data = (unsigned char *)data;
    if (status) {
        free(data);
        *out = (bytes){0};
    }
    return status;
}

static inline satf_write_options options_for(const char *format)
{
    satf_write_options options = satf_write_defaults();
    options.format = format;
    return options;
}

static inline bytes must_encode(satf_context *ctx, const satf_image *image, const char *format)
{
    satf_write_options options = options_for(format);
    bytes out;
    if (encode(ctx, image, &options, &out)) {
        fail_msg("%s: %s", format, satf_message(ctx));
    }
    return out;
}

/* Fails naming the first sample of `got` that differs from `want`. */
static inline void assert_same_pixels(const char *what, const satf_view *want, const satf_view *got)
{
    if (want->width != got->width || want->height != got->height ||
        want->channels != got->channels || want->type != got->type || want->flags != got->flags) {
        fail_msg("%s: %dx%dx%d type %d flags %u became %dx%dx%d type %d flags %u", what,
                 (int)want->width, (int)want->height, want->channels, want->type, want->flags,
                 (int)got->width, (int)got->height, got->channels, got->type, got->flags);
    }
    size_t sample = satf_type_bytes(want->type);
    for (int64_t y = 0; y < want->height; y++) {
        const char *a = satf_row(want, y), *b = satf_row(got, y);
        for (int64_t i = 0; i < satf_row_samples(want); i++) {
            if (memcmp(a + (size_t)i * sample, b + (size_t)i * sample, sample) != 0) {
                fail_msg("%s: %dx%d, first wrong pixel (%d, %d), channel %d", what,
                         (int)want->width, (int)want->height, (int)(i / want->channels), (int)y,
                         (int)(i % want->channels));
            }
        }
    }
}

static inline satf_image *must_decode(satf_context *ctx, const void *data, size_t n)
{
    satf_image *image;
    if (satf_image_decode(ctx, data, n, &image)) {
        fail_msg("decoding: %s", satf_message(ctx));
    }
    return image;
}

#endif
