/* Images made up by the tests of src/io, and files in memory. */
#ifndef TEST_IO_FILES_H
#define TEST_IO_FILES_H

#include "test.h"

#include "base/memory.h"
#include "base/view.h"
#include "io/io.h"

#include "bytes.h" /* behind headers that have parameters of its name */

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

static inline void close_reader(io_reader **reader)
{
    io_close(*reader);
}

#define SCOPED_READER __attribute__((unused, cleanup(close_reader))) io_reader

/* So many rows into the file, three at a time: the view's, or what the reader reads; ends the file
 * behind the last. */
static inline satf_status write_rows(satf_context *ctx, const io_plan *plan, FILE *file,
                                     const satf_write_options *options,
                                     const satf_metadata *metadata, const satf_view *v,
                                     int64_t rows, io_reader *reader)
{
    io_writer *writer;
    SCOPED unsigned char *read =
        malloc((size_t)(3 * satf_row_samples(v)) * satf_type_bytes(v->type));
    satf_status status = io_writer_open(ctx, plan, file, options, metadata, &writer);
    for (int64_t y = 0; y < rows && !status; y += 3) {
        int64_t n = rows - y < 3 ? rows - y : 3, stride = v->stride;
        const void *from = satf_row(v, y);
        if (reader) {
            stride = reader->header.view.stride;
            MUST(ctx, io_read_rows(ctx, reader, read, stride, n));
            from = read;
        }
        status = io_put_rows(ctx, writer, from, stride, n);
    }
    if (!status && rows == v->height) {
        status = io_writer_finish(ctx, writer);
    }
    io_writer_close(writer);
    return status;
}

/* The image as a file of that format, through the row interface; its rows out of a reader unless
 * that is NULL. */
static inline satf_status encode_rows(satf_context *ctx, const satf_image *image,
                                      const satf_write_options *options, io_reader *reader,
                                      bytes *out)
{
    io_plan plan;
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
    status =
        write_rows(ctx, &plan, file, options, reader ? &reader->header.metadata : &image->metadata,
                   &image->view, image->view.height, reader);
    fclose(file);
    out->data = (unsigned char *)data;
    if (status) {
        free(data);
        *out = (bytes){0};
    }
    return status;
}

static inline satf_status encode(satf_context *ctx, const satf_image *image,
                                 const satf_write_options *options, bytes *out)
{
    return encode_rows(ctx, image, options, NULL, out);
}

/* The same by the public function, at once. */
static inline satf_status encode_whole(satf_context *ctx, const satf_image *image,
                                       const satf_write_options *options, bytes *out)
{
    void *data;
    *out = (bytes){0};
    satf_status status = satf_image_encode(ctx, image, options, &data, &out->n);
    if (!status) {
        *out = bytes_of(data, out->n);
        satf_buffer_free(data);
    }
    return status;
}

static inline satf_write_options options_for(const char *format)
{
    satf_write_options options = satf_write_defaults();
    options.format = format;
    return options;
}

static inline bytes must_encode_with(satf_context *ctx, const satf_image *image,
                                     const satf_write_options *options)
{
    bytes out;
    if (encode(ctx, image, options, &out)) {
        fail_msg("%s: %s", options->format, satf_message(ctx));
    }
    return out;
}

static inline bytes must_encode(satf_context *ctx, const satf_image *image, const char *format)
{
    satf_write_options options = options_for(format);
    return must_encode_with(ctx, image, &options);
}

/* A picture of random samples as a file. */
static inline bytes random_file(satf_context *ctx, const char *format, int64_t side, int channels)
{
    SCOPED_IMAGE *image = make_image(ctx, side, side, channels, SATF_U8, 0, 8);
    bytes file = must_encode(ctx, image, format);
    return file;
}

/* The call that has returned `got` should have refused, and said that. */
static inline void assert_refused(satf_context *ctx, const char *what, satf_status got,
                                  satf_status status, const char *sentence)
{
    if (got != status || !strstr(satf_message(ctx), sentence)) {
        fail_msg("%s: %s \"%s\", not %s \"%s\"", what, satf_status_name(got), satf_message(ctx),
                 satf_status_name(status), sentence);
    }
}

/* It cannot be written so. */
static inline void expect_unwritten(satf_context *ctx, const satf_image *image,
                                    const satf_write_options *options, satf_status status,
                                    const char *sentence)
{
    SCOPED_BYTES file;
    assert_refused(ctx, options->format, encode(ctx, image, options, &file), status, sentence);
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

static inline void must_hold(satf_context *ctx, const char *what, const bytes *file,
                             const satf_view *want)
{
    SCOPED_IMAGE *read = must_decode(ctx, file->data, file->n);
    assert_same_pixels(what, want, &read->view);
}

/* What the filters make of it. */
static inline satf_image *filtered(satf_context *ctx, const satf_image *image, const char *chain)
{
    satf_filter *filter;
    satf_image *out;
    MUST(ctx, satf_filter_parse(ctx, chain, &filter));
    MUST(ctx, satf_filter_image(ctx, filter, image, SATF_TYPE_AUTO, &out));
    satf_filter_destroy(filter);
    return out;
}

/* Of an exact copy on the heap, so that a sanitizer sees reads behind the end; an error has a
 * message of one line, and no image. */
static inline satf_status decode_exactly(satf_context *ctx, const void *data, size_t n,
                                         satf_image **image)
{
    SCOPED unsigned char *copy = malloc(n ? n : 1);
    memcpy(copy, data, n);
    ctx->message[0] = 0;
    satf_status status = satf_image_decode(ctx, copy, n, image);
    const char *said = satf_message(ctx);
    if (status && (*image || !said[0] || strchr(said, '\n'))) {
        fail_msg("%s without a message of one line: \"%s\"", satf_status_name(status), said);
    }
    return status;
}

/* Reading ends like that: SATF_OK, or with a sentence of one line. */
static inline void expect_decode(satf_context *ctx, const char *what, const void *data, size_t n,
                                 satf_status status, const char *sentence)
{
    SCOPED_IMAGE *image;
    assert_refused(ctx, what, decode_exactly(ctx, data, n, &image), status, sentence);
}

#define REFUSED(call, status, sentence) assert_refused(ctx, #call, call, status, sentence)

/* ------------------------------------------------------------------- by rows */

static inline io_reader *open_bytes(satf_context *ctx, const bytes *file)
{
    io_reader *reader;
    MUST(ctx, io_open_memory(ctx, file->data, file->n, &reader));
    return reader;
}

/* Out of a pipe, which nobody can look ahead in. */
static inline io_reader *open_pipe(satf_context *ctx, const bytes *file)
{
    io_reader *reader;
    int ends[2];
    char name[40];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], file->data, file->n), file->n);
    close(ends[1]);
    snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
    MUST(ctx, io_open(ctx, name, NULL, &reader));
    close(ends[0]);
    return reader;
}

/* All its rows, n at a time. */
static inline bytes read_rows(satf_context *ctx, io_reader *reader, int64_t n)
{
    const satf_view *v = &reader->header.view;
    bytes rows = bytes_of(NULL, (size_t)(v->stride * v->height));
    for (int64_t y = 0; y < v->height; y += n) {
        int64_t left = v->height - y;
        MUST(ctx,
             io_read_rows(ctx, reader, rows.data + y * v->stride, v->stride, n < left ? n : left));
    }
    return rows;
}

/* The file's reader behind its last row. */
static inline io_reader *read_through(satf_context *ctx, const bytes *file, bool look)
{
    io_reader *reader = open_bytes(ctx, file);
    MUST(ctx, look ? io_find_metadata(ctx, reader) : SATF_OK);
    SCOPED_BYTES rows = read_rows(ctx, reader, INT64_MAX / 2);
    return reader;
}

/* What the reader's file becomes row by row; image: the same picture, for its form. */
static inline bytes copy_rows(satf_context *ctx, io_reader *reader, const satf_image *image,
                              const satf_write_options *options)
{
    bytes out;
    MUST(ctx, encode_rows(ctx, image, options, reader, &out));
    return out;
}

#endif
