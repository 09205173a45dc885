/* WebP: pixels and metadata to and fro, and animations beside libwebp's own decoder of them. */
#include "test.h"
#include "test_io_files.h"

#include <webp/decode.h>
#include <webp/demux.h>
#include <webp/mux.h>

static bytes to_webp(satf_context *ctx, const satf_image *image, int quality)
{
    satf_write_options options = satf_write_defaults();
    options.format = "webp";
    options.quality = quality;
    void *data;
    size_t n;
    if (satf_image_encode(ctx, image, &options, &data, &n)) {
        fail_msg("encoding: %s", satf_message(ctx));
    }
    return (bytes){data, n};
}

static satf_image *to_image(satf_context *ctx, const bytes *file)
{
    satf_image *image;
    if (satf_image_decode(ctx, file->data, file->n, &image)) {
        fail_msg("decoding: %s", satf_message(ctx));
    }
    return image;
}

static bool is_lossy(const bytes *file)
{
    WebPBitstreamFeatures is;
    assert_int_equal(WebPGetFeatures(file->data, file->n, &is), VP8_STATUS_OK);
    assert_true(is.format == 1 || is.format == 2);
    return is.format == 1;
}

TEST(lossless)
{
    for (int channels = 1; channels <= 4; channels++) {
        SCOPED_IMAGE *image = make_image(ctx, 67, 43, channels, SATF_U8,
                                         channels % 2 ? 0 : SATF_ALPHA, (uint64_t)channels);
        bytes file = to_webp(ctx, image, 0);
        assert_false(is_lossy(&file));
        SCOPED_IMAGE *back = to_image(ctx, &file);
        const satf_view *v = &image->view, *b = &back->view;
        int alpha = channels % 2 == 0;
        assert_int_equal(b->channels, 3 + alpha);
        for (int64_t i = 0; i < v->width * v->height; i++) {
            const unsigned char *want = (const unsigned char *)v->data + i * channels,
                                *got = (const unsigned char *)b->data + i * b->channels;
            for (int c = 0; c < 3; c++) {
                assert_int_equal(got[c], want[channels < 3 ? 0 : c]);
            }
            assert_int_equal(alpha ? got[3] : 0, alpha ? want[channels - 1] : 0);
        }
        satf_buffer_free(file.data);
    }
}

/* What was lossy may be so again, unless it is black and white now. */
TEST(lossy)
{
    SCOPED_IMAGE *image = make_image(ctx, 40, 30, 1, SATF_U8, 0, 9);
    bytes asked = to_webp(ctx, image, 50), again;
    assert_true(is_lossy(&asked));
    SCOPED_IMAGE *back = to_image(ctx, &asked);
    again = to_webp(ctx, back, 0);
    assert_true(is_lossy(&again));
    satf_buffer_free(again.data);

    bytes jpeg = must_encode(ctx, image, "jpeg");
    SCOPED_IMAGE *photograph = to_image(ctx, &jpeg);
    again = to_webp(ctx, photograph, 0);
    assert_true(is_lossy(&again));
    satf_buffer_free(again.data);
    memset(photograph->view.data, 255, (size_t)photograph->view.stride);
    for (int64_t i = 0; i < 40 * 30; i++) {
        ((unsigned char *)photograph->view.data)[i] = i % 7 ? 0 : 255;
    }
    photograph->bilevel = true;
    again = to_webp(ctx, photograph, 0);
    assert_false(is_lossy(&again));
    satf_buffer_free(again.data);

    satf_buffer_free(asked.data);
    free(jpeg.data);
}

static void set_block(unsigned char **to, size_t *to_bytes, const void *from, size_t n)
{
    *to = satf_alloc(n);
    memcpy(*to, from, n);
    *to_bytes = n;
}

TEST(metadata)
{
    static const char xmp[] = "<x:xmpmeta xmlns:x='adobe:ns:meta/'/>";
    unsigned char icc[160] = {[3] = 160, [16] = 'R', 'G', 'B', ' ', [36] = 'a', 'c', 's', 'p'};
    unsigned char exif[SATF_EXIF_ORIENTATION_BYTES];
    satf_exif_make_orientation(6, exif);
    for (int quality = 0; quality <= 90; quality += 90) {
        SCOPED_IMAGE *image = make_image(ctx, 8, 8, 4, SATF_U8, SATF_ALPHA, 1);
        satf_metadata *m = &image->metadata;
        set_block(&m->icc, &m->icc_bytes, icc, sizeof icc);
        set_block(&m->exif, &m->exif_bytes, exif, sizeof exif);
        set_block(&m->xmp, &m->xmp_bytes, xmp, sizeof xmp - 1);
        bytes file = to_webp(ctx, image, quality);
        SCOPED_IMAGE *back = to_image(ctx, &file);
        const satf_metadata *b = &back->metadata;
        assert_int_equal(b->icc_bytes, sizeof icc);
        assert_memory_equal(b->icc, icc, sizeof icc);
        assert_int_equal(b->exif_bytes, sizeof exif);
        assert_memory_equal(b->exif, exif, sizeof exif);
        assert_int_equal(b->xmp_bytes, sizeof xmp - 1);
        assert_memory_equal(b->xmp, xmp, sizeof xmp - 1);
        satf_buffer_free(file.data);
    }
    /* gamma becomes a profile, and a profile of grey goes, for the pixels are RGB */
    SCOPED_IMAGE *image = make_image(ctx, 8, 8, 1, SATF_U8, 0, 1);
    memcpy(icc + 16, "GRAY", 4);
    set_block(&image->metadata.icc, &image->metadata.icc_bytes, icc, sizeof icc);
    bytes file = to_webp(ctx, image, 0);
    satf_image *back = to_image(ctx, &file);
    assert_int_equal(back->metadata.icc_bytes, 0);
    satf_buffer_free(file.data);
    satf_image_destroy(back);
    image->metadata.has_gamma = true;
    image->metadata.gamma = 1;
    file = to_webp(ctx, image, 0);
    back = to_image(ctx, &file);
    assert_true(back->metadata.icc_bytes > 128);
    assert_memory_equal(back->metadata.icc + 16, "RGB ", 4);
    satf_buffer_free(file.data);
    satf_image_destroy(back);
}

TEST(sides)
{
    for (int high = 0; high < 2; high++) {
        for (int64_t side = 16383; side <= 16384; side++) {
            SCOPED_IMAGE *image =
                make_image(ctx, high ? 1 : side, high ? side : 1, 1, SATF_U8, 0, 1);
            satf_write_options options = satf_write_defaults();
            options.format = "webp";
            io_plan plan;
            satf_status status = io_make_plan(ctx, image, "-", &options, &plan);
            assert_int_equal(status, side == 16383 ? SATF_OK : SATF_UNSUPPORTED);
            assert_non_null(strstr(satf_message(ctx), status ? "at most 16383 pixels" : ""));
            if (!status) {
                bytes file = to_webp(ctx, image, 0);
                satf_buffer_free(file.data);
            }
        }
    }
}

/* ------------------------------------------------------------------ animations */

enum { WIDE = 24, HIGH = 18, MOST_FRAMES = 8, PROBED = 12 /* bytes that tell a WebP */ };

static int below(uint64_t *seed, int n)
{
    return (int)((next_random(seed) >> 33) % (unsigned)n);
}

/* A frame of that size, opaque and transparent in places, as a file. */
static bytes make_picture(satf_context *ctx, uint64_t *seed, int width, int height)
{
    bool alpha = below(seed, 3) > 0;
    SCOPED_IMAGE *image = make_image(ctx, width, height, 3 + alpha, SATF_U8, alpha ? SATF_ALPHA : 0,
                                     next_random(seed));
    for (int64_t i = 0; i < width * height && alpha; i++) {
        int kind = below(seed, 3);
        unsigned char *at = (unsigned char *)image->view.data + 4 * i + 3;
        *at = kind == 0 ? 0 : kind == 1 ? 255 : *at;
    }
    bytes file = to_webp(ctx, image, below(seed, 4) ? 0 : 70);
    return file;
}

static WebPData make_animation(satf_context *ctx, uint64_t seed, int count, int side)
{
    WebPMux *mux = WebPMuxNew();
    const WebPMuxAnimParams params = {.bgcolor = 0, .loop_count = 0};
    assert_int_equal(WebPMuxSetCanvasSize(mux, side ? side : WIDE, side ? side : HIGH),
                     WEBP_MUX_OK);
    assert_int_equal(WebPMuxSetAnimationParams(mux, &params), WEBP_MUX_OK);
    for (int k = 0; k < count; k++) {
        bool all = below(&seed, 3) == 0;
        int x = all ? 0 : 2 * below(&seed, WIDE / 2), y = all ? 0 : 2 * below(&seed, HIGH / 2);
        int width = all ? WIDE : 1 + below(&seed, WIDE - x);
        int height = all ? HIGH : 1 + below(&seed, HIGH - y);
        bytes picture = make_picture(ctx, &seed, width, height);
        WebPMuxFrameInfo frame = {.bitstream = {picture.data, picture.n},
                                  .x_offset = x,
                                  .y_offset = y,
                                  .duration = 10,
                                  .id = WEBP_CHUNK_ANMF};
        frame.dispose_method =
            below(&seed, 2) ? WEBP_MUX_DISPOSE_BACKGROUND : WEBP_MUX_DISPOSE_NONE;
        frame.blend_method = below(&seed, 3) ? WEBP_MUX_BLEND : WEBP_MUX_NO_BLEND;
        assert_int_equal(WebPMuxPushFrame(mux, &frame, 1), WEBP_MUX_OK);
        satf_buffer_free(picture.data);
    }
    WebPData file;
    assert_int_equal(WebPMuxAssemble(mux, &file), WEBP_MUX_OK);
    WebPMuxDelete(mux);
    return file;
}

typedef unsigned char canvas[4 * WIDE * HIGH];

static void take_frames(const WebPData *file, canvas *frames, int count)
{
    WebPAnimDecoder *decoder = WebPAnimDecoderNew(file, NULL);
    assert_non_null(decoder);
    for (int k = 0; k < count; k++) {
        int time;
        uint8_t *shown;
        assert_true(WebPAnimDecoderGetNext(decoder, &shown, &time));
        memcpy(frames[k], shown, sizeof frames[k]);
    }
    WebPAnimDecoderDelete(decoder);
}

static void check_page(satf_context *ctx, io_reader *reader, const canvas *frames, int page)
{
    canvas got;
    if (io_go_to(ctx, reader, page) ||
        io_read_rows(ctx, reader, got, reader->header.view.stride, HIGH)) {
        fail_msg("page %d: %s", page, satf_message(ctx));
    }
    int channels = reader->header.view.channels;
    bool through = false;
    for (int i = 0; i < WIDE * HIGH; i++) {
        const unsigned char *want = &frames[page][4 * i];
        if (memcmp(got + i * channels, want, (size_t)channels) != 0) {
            fail_msg("page %d, pixel %d,%d", page, i % WIDE, i / WIDE);
        }
        through |= want[3] < 255;
    }
    assert_int_equal(channels, 3 + through);
}

TEST(animations)
{
    static canvas frames[MOST_FRAMES];
    for (uint64_t seed = 1; seed <= 60; seed++) {
        int count = 2 + (int)(seed % (MOST_FRAMES - 1));
        WebPData file = make_animation(ctx, seed, count, 0);
        take_frames(&file, frames, count);
        io_reader *reader;
        assert_int_equal(io_open_memory(ctx, file.bytes, file.size, &reader), SATF_OK);
        assert_int_equal(reader->pages, count);
        for (int k = 0; k < count; k++) {
            check_page(ctx, reader, frames, k);
        }
        uint64_t random = seed;
        for (int i = 0; i < 4; i++) {
            check_page(ctx, reader, frames, below(&random, count));
        }
        io_close(reader);
        WebPDataClear(&file);
    }
}

/* Cut anywhere, it has the pages that are there, or is damaged; the last that is told of fails. */
TEST(cut)
{
    enum { COUNT = 4 };
    static canvas frames[COUNT];
    WebPData file = make_animation(ctx, 7, COUNT, 0);
    take_frames(&file, frames, COUNT);
    int most = 0;
    for (size_t n = PROBED; n < file.size; n++) {
        SCOPED unsigned char *copy = malloc(n + 1);
        memcpy(copy, file.bytes, n);
        io_reader *reader;
        satf_status status = io_open_memory(ctx, copy, n, &reader);
        if (status) {
            assert_int_equal(status, SATF_DATA);
        } else {
            int pages = (int)reader->pages;
            for (int k = 0; k < pages - 1; k++) {
                check_page(ctx, reader, frames, k);
            }
            assert_int_equal(io_go_to(ctx, reader, pages - 1), SATF_DATA);
            assert_non_null(strstr(satf_message(ctx), "truncated"));
            most = pages > most ? pages : most;
            io_close(reader);
        }
    }
    assert_int_equal(most, COUNT);
    WebPDataClear(&file);
}

/* A picture that is cut is damaged, wherever; one of few bytes and many frames is too much. */
TEST(refusals)
{
    for (int quality = 0; quality <= 80; quality += 80) {
        SCOPED_IMAGE *image = make_image(ctx, 30, 20, 3, SATF_U8, 0, 4);
        bytes file = to_webp(ctx, image, quality);
        for (size_t n = PROBED; n < file.n; n++) {
            SCOPED unsigned char *copy = malloc(n + 1);
            memcpy(copy, file.data, n);
            satf_image *back;
            satf_status status = satf_image_decode(ctx, copy, n, &back);
            if (status != SATF_DATA) {
                fail_msg("%zu of %zu bytes: %s", n, file.n, satf_message(ctx));
            }
        }
        satf_buffer_free(file.data);
    }
    WebPData file = make_animation(ctx, 3, 2, 4096);
    io_reader *reader;
    assert_int_equal(io_open_memory(ctx, file.bytes, file.size, &reader), SATF_OK);
    assert_int_equal(io_go_to(ctx, reader, 1), SATF_LIMIT);
    assert_non_null(strstr(satf_message(ctx), "limit: max-ratio"));
    assert_int_equal(io_go_to(ctx, reader, 0), SATF_OK);
    io_close(reader);
    assert_int_equal(satf_context_set_limit(ctx, SATF_MAX_PIXELS, 4096), SATF_OK);
    assert_int_equal(io_open_memory(ctx, file.bytes, file.size, &reader), SATF_LIMIT);
    WebPDataClear(&file);
}

TEST_FILE(.formats = "all")
