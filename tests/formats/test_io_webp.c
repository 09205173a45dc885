/* WebP: pixels and metadata to and fro, and animations beside libwebp's own decoder of them. */
#include "test.h"
#include "frames.h"

#include <webp/decode.h>
#include <webp/demux.h>
#include <webp/mux.h>

static bytes to_webp(satf_context *ctx, const satf_image *image, int quality)
{
    satf_write_options options = options_for("webp");
    options.quality = quality;
    bytes file;
    MUST(ctx, encode_whole(ctx, image, &options, &file));
    return file;
}

/* The image as a WebP, and as it is read again. */
static satf_image *again(satf_context *ctx, const satf_image *image, int quality)
{
    SCOPED_BYTES file = to_webp(ctx, image, quality);
    satf_image *back = must_decode(ctx, file.data, file.n);
    return back;
}

/* Whether the image becomes a lossy WebP. */
static bool is_lossy(satf_context *ctx, const satf_image *image, int quality)
{
    WebPBitstreamFeatures is;
    SCOPED_BYTES file = to_webp(ctx, image, quality);
    assert_int_equal(WebPGetFeatures(file.data, file.n, &is), VP8_STATUS_OK);
    assert_true(is.format == 1 || is.format == 2);
    return is.format == 1;
}

TEST(lossless)
{
    for (int channels = 1; channels <= 4; channels++) {
        bool alpha = channels % 2 == 0;
        SCOPED_IMAGE *image =
            make_image(ctx, 67, 43, channels, SATF_U8, alpha ? SATF_ALPHA : 0, (uint64_t)channels);
        assert_false(is_lossy(ctx, image, 0));
        SCOPED_IMAGE *back = again(ctx, image, 0);
        const satf_view *v = &image->view, *b = &back->view;
        assert_int_equal(b->channels, 3 + alpha);
        for (int64_t i = 0; i < v->width * v->height; i++) {
            const unsigned char *want = (const unsigned char *)v->data + i * channels,
                                *got = (const unsigned char *)b->data + i * b->channels;
            for (int c = 0; c < 3; c++) {
                assert_int_equal(got[c], want[channels < 3 ? 0 : c]);
            }
            assert_int_equal(alpha ? got[3] : 0, alpha ? want[channels - 1] : 0);
        }
    }
}

/* What was lossy may be so again, unless it is black and white now. */
TEST(lossy)
{
    SCOPED_IMAGE *image = make_image(ctx, 40, 30, 1, SATF_U8, 0, 9);
    assert_true(is_lossy(ctx, image, 50));
    SCOPED_IMAGE *back = again(ctx, image, 50);
    assert_true(is_lossy(ctx, back, 0));

    SCOPED_BYTES jpeg = must_encode(ctx, image, "jpeg");
    SCOPED_IMAGE *photograph = must_decode(ctx, jpeg.data, jpeg.n);
    assert_true(is_lossy(ctx, photograph, 0));
    for (int64_t i = 0; i < 40 * 30; i++) {
        ((unsigned char *)photograph->view.data)[i] = i % 7 ? 0 : 255;
    }
    photograph->bilevel = true;
    assert_false(is_lossy(ctx, photograph, 0));
}

TEST(metadata)
{
    static const satf_metadata_kind blocks[] = {SATF_METADATA_ICC, SATF_METADATA_EXIF,
                                                SATF_METADATA_XMP};
    static const char xmp[] = "<x:xmpmeta xmlns:x='adobe:ns:meta/'/>";
    unsigned char icc[160] = {[3] = 160, [16] = 'R', 'G', 'B', ' ', [36] = 'a', 'c', 's', 'p'};
    unsigned char exif[SATF_EXIF_ORIENTATION_BYTES];
    const void *const data[] = {icc, exif, xmp};
    const size_t sizes[] = {sizeof icc, sizeof exif, sizeof xmp - 1};
    satf_exif_make_orientation(6, exif);
    for (int quality = 0; quality <= 90; quality += 90) {
        SCOPED_IMAGE *image = make_image(ctx, 8, 8, 4, SATF_U8, SATF_ALPHA, 1);
        for (int i = 0; i < 3; i++) {
            MUST(ctx, satf_image_set_metadata(ctx, image, blocks[i], data[i], sizes[i]));
        }
        SCOPED_IMAGE *back = again(ctx, image, quality);
        for (int i = 0; i < 3; i++) {
            size_t n;
            const void *got = satf_image_metadata(back, blocks[i], &n);
            assert_bytes("a block", got, n, data[i], sizes[i]);
        }
    }
    /* gamma becomes a profile, and a profile of grey goes, for the pixels are RGB */
    SCOPED_IMAGE *image = make_image(ctx, 8, 8, 1, SATF_U8, 0, 1);
    memcpy(icc + 16, "GRAY", 4);
    MUST(ctx, satf_image_set_metadata(ctx, image, SATF_METADATA_ICC, icc, sizeof icc));
    SCOPED_IMAGE *without = again(ctx, image, 0);
    assert_int_equal(without->metadata.icc_bytes, 0);
    image->metadata.has_gamma = true;
    image->metadata.gamma = 1;
    SCOPED_IMAGE *back = again(ctx, image, 0);
    assert_true(back->metadata.icc_bytes > 128);
    assert_memory_equal(back->metadata.icc + 16, "RGB ", 4);
}

TEST(sides)
{
    for (int i = 0; i < 4; i++) {
        int64_t side = i & 1 ? 16384 : 16383;
        SCOPED_IMAGE *image = make_image(ctx, i & 2 ? 1 : side, i & 2 ? side : 1, 1, SATF_U8, 0, 1);
        satf_write_options options = options_for("webp");
        if (i & 1) {
            io_plan plan;
            REFUSED(io_make_plan(ctx, image, "-", &options, &plan), SATF_UNSUPPORTED,
                    "at most 16383 pixels");
        } else {
            SCOPED_BYTES file = to_webp(ctx, image, 0);
            assert_true(file.n > 0);
        }
    }
}

/* ------------------------------------------------------------------ animations */

enum { WIDE = 24, HIGH = 18, MOST_FRAMES = 8, PROBED = 12 /* bytes that tell a WebP */ };

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
    return to_webp(ctx, image, below(seed, 4) ? 0 : 70);
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
        SCOPED_BYTES picture = make_picture(ctx, &seed, width, height);
        WebPMuxFrameInfo frame = {.bitstream = {picture.data, picture.n},
                                  .x_offset = x,
                                  .y_offset = y,
                                  .duration = 10,
                                  .id = WEBP_CHUNK_ANMF};
        frame.dispose_method =
            below(&seed, 2) ? WEBP_MUX_DISPOSE_BACKGROUND : WEBP_MUX_DISPOSE_NONE;
        frame.blend_method = below(&seed, 3) ? WEBP_MUX_BLEND : WEBP_MUX_NO_BLEND;
        assert_int_equal(WebPMuxPushFrame(mux, &frame, 1), WEBP_MUX_OK);
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

TEST(animations)
{
    static canvas frames[MOST_FRAMES];
    for (uint64_t seed = 1; seed <= 60; seed++) {
        int count = 2 + (int)(seed % (MOST_FRAMES - 1));
        WebPData file = make_animation(ctx, seed, count, 0);
        take_frames(&file, frames, count);
        check_pages(ctx, file.bytes, file.size, frames[0], WIDE, HIGH, count);
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
        int pages = check_cut(ctx, file.bytes, n, frames[0], WIDE, HIGH, -1);
        most = pages > most ? pages : most;
    }
    assert_int_equal(most, COUNT);
    WebPDataClear(&file);
}

/* A picture that is cut is damaged, wherever; one of few bytes and many frames is too much. */
TEST(refusals)
{
    for (int quality = 0; quality <= 80; quality += 80) {
        SCOPED_IMAGE *image = make_image(ctx, 30, 20, 3, SATF_U8, 0, 4);
        SCOPED_BYTES file = to_webp(ctx, image, quality);
        for (size_t n = PROBED; n < file.n; n++) {
            expect_decode(ctx, "a cut WebP", file.data, n, SATF_DATA, "");
        }
    }
    WebPData file = make_animation(ctx, 3, 2, 4096);
    SCOPED_BYTES held = bytes_of(file.bytes, file.size);
    WebPDataClear(&file);
    SCOPED_READER *reader, *none;
    MUST(ctx, io_open_memory(ctx, held.data, held.n, &reader));
    REFUSED(io_go_to(ctx, reader, 1), SATF_LIMIT, "limit: max-ratio");
    assert_int_equal(io_go_to(ctx, reader, 0), SATF_OK);
    MUST(ctx, satf_context_set_limit(ctx, SATF_LIMIT_PIXELS, 4096));
    assert_int_equal(io_open_memory(ctx, held.data, held.n, &none), SATF_LIMIT);
}

/* The encoder holds the whole picture, which the limit counts. */
TEST(encoder_memory)
{
    enum { SIDE = 700 };
    SCOPED_IMAGE *image = make_image(ctx, SIDE, SIDE, 3, SATF_U8, 0, 1);
    satf_write_options options = options_for("webp");
    void *data;
    size_t n;
    MUST(ctx, satf_context_set_limit(ctx, SATF_LIMIT_MEMORY, 4 * SIDE * SIDE));
    REFUSED(satf_image_encode(ctx, image, &options, &data, &n), SATF_LIMIT, "limit: max-memory");
}

TEST_FILE(.formats = "all")
