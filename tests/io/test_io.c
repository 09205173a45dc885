/* Formats: what is written is read back bit for bit, and every kind of file is understood. */
#include "test.h"
#include "test_io_jpeg.h"
#include "test_png_files.h"

/* ------------------------------------------------------------- round trips */

/* Written and read back, whole and by rows: the same samples. */
static void round_trip(satf_context *ctx, const char *format, const satf_image *image)
{
    char what[96];
    const satf_view *v = &image->view;
    snprintf(what, sizeof what, "%s, %s x %d, alpha %u", format, satf_type_name(v->type),
             v->channels, v->flags);
    SCOPED_BYTES file = must_encode(ctx, image, format);
    SCOPED_IMAGE *read = must_decode(ctx, file.data, file.n);
    satf_view want = *v;
    if (strcmp(format, "npy") == 0) {
        want.flags = 0; /* .npy has no alpha, only channels */
    }
    assert_same_pixels(what, &want, &read->view);
    assert_true(read->has_range == image->has_range);
    if (read->has_range && read->hi != image->hi) {
        fail_msg("%s: maxval %g became %g", what, image->hi, read->hi);
    }

    SCOPED_READER *reader = open_bytes(ctx, &file);
    SCOPED_BYTES rows = read_rows(ctx, reader, 2);
    satf_view by_rows = read->view;
    by_rows.data = rows.data;
    assert_same_pixels(what, &want, &by_rows);
    assert_int_equal(io_read_rows(ctx, reader, rows.data, v->stride, 1), SATF_INVALID);
}

/* Every format that can be written without loss, every type, channel count and alpha it has. */
TEST(test_round_trips)
{
    int formats = 0;
    for (size_t f = 0; io_format_at(f); f++) {
        const io_format *format = io_format_at(f);
        const io_format *loaded;
        bool there = io_can_write(format) && !io_format_load(ctx, format, &loaded);
        if (!there || strcmp(format->name, "jpeg") == 0 || strcmp(format->name, "webp") == 0) {
            continue; /* in a WebP grey becomes RGB: test_io_webp */
        }
        formats += !format->in_module;
        for (int type = 0; satf_type_name(type); type++) {
            for (int channels = 1; channels <= 4; channels++) {
                for (unsigned alpha = 0; alpha < (channels > 1 ? 2u : 1u); alpha++) {
                    bool fits = format->value_types >> type & 1 &&
                                format->channel_mask >> (channels - (int)alpha) & 1 &&
                                (!alpha || format->stores_alpha);
                    if (fits && !(alpha && channels == 3)) {
                        SCOPED_IMAGE *image =
                            make_image(ctx, 13, 7, channels, (satf_type)type, alpha,
                                       1 + (uint64_t)(type * 9 + channels));
                        round_trip(ctx, format->name, image);
                    }
                }
            }
        }
    }
    assert_int_equal(formats, 4);
}

TEST(test_maxval)
{
    static const int maxvals[] = {1, 100, 254, 255, 256, 1000, 65534, 65535};
    for (size_t i = 0; i < ROWS_OF(maxvals); i++) {
        satf_type type = maxvals[i] > 255 ? SATF_U16 : SATF_U8;
        for (int channels = 1; channels <= 4; channels++) {
            SCOPED_IMAGE *image =
                make_image(ctx, 5, 3, channels, type, channels % 2 ? 0 : SATF_ALPHA, 77);
            image->hi = image->alpha_max = maxvals[i];
            for (int k = 0; k < 15 * channels; k++) {
                if (type == SATF_U8) {
                    ((uint8_t *)image->view.data)[k] %= (uint8_t)(maxvals[i] + !(maxvals[i] / 255));
                } else {
                    uint16_t *at = (uint16_t *)image->view.data + k;
                    *at = (uint16_t)(*at % (maxvals[i] + 1));
                }
            }
            round_trip(ctx, "pnm", image);
        }
    }
}

/* --------------------------------------------------- PNG's kinds, by libpng */

/* What channel c of pixel (x, y) must be after reading. */
static unsigned png_want(const png_case *k, int x, int y, int c, int channels)
{
    unsigned max = k->depth == 16 ? 65535 : 255;
    bool colour = k->colour & PNG_COLOR_MASK_COLOR;
    if (k->colour == PNG_COLOR_TYPE_PALETTE) {
        unsigned i = png_sample(x, y, 0, k->depth);
        unsigned want[4] = {255 - i, i * 3 & 255, i ^ 85, i * 5 & 255};
        return want[c];
    }
    if (k->transparent && c == channels - 1) {
        bool key = true;
        for (int i = 0; i < (colour ? 3 : 1); i++) {
            key &= png_sample(x, y, i, k->depth) == png_sample(3, 4, i, k->depth);
        }
        return key ? 0 : max;
    }
    unsigned v = png_sample(x, y, c, k->depth);
    return k->depth < 8 ? v * 255 / ((1u << k->depth) - 1) : v;
}

TEST(test_png_kinds)
{
    static const png_case kinds[] = {{0, 1, 0, 0},  {0, 2, 0, 0}, {0, 4, 0, 0},  {0, 8, 0, 0},
                                     {0, 16, 0, 0}, {2, 8, 0, 0}, {2, 16, 0, 0}, {3, 1, 0, 0},
                                     {3, 2, 0, 0},  {3, 4, 0, 0}, {3, 8, 0, 0},  {4, 8, 0, 0},
                                     {4, 16, 0, 0}, {6, 8, 0, 0}, {6, 16, 0, 0}};
    for (size_t i = 0; i < 4 * ROWS_OF(kinds); i++) {
        png_case k = kinds[i / 4];
        k.interlaced = i & 1;
        k.transparent = i & 2;
        if (k.transparent && (k.colour & PNG_COLOR_MASK_ALPHA)) {
            continue;
        }
        SCOPED_BYTES file = make_png(&k);
        SCOPED_IMAGE *image = must_decode(ctx, file.data, file.n);
        const satf_view *v = &image->view;
        bool alpha = k.transparent || (k.colour & PNG_COLOR_MASK_ALPHA);
        int channels = (k.colour & PNG_COLOR_MASK_COLOR ? 3 : 1) + alpha;
        assert_int_equal(v->channels, channels);
        assert_int_equal(v->flags, alpha ? SATF_ALPHA : 0);
        assert_int_equal(v->type, k.depth == 16 ? SATF_U16 : SATF_U8);
        for (int n = 0; n < PNG_SIDE * PNG_SIDE * channels; n++) {
            int x = n / channels % PNG_SIDE, y = n / channels / PNG_SIDE, c = n % channels;
            unsigned got = k.depth == 16 ? ((uint16_t *)v->data)[n] : ((uint8_t *)v->data)[n];
            unsigned want = png_want(&k, x, y, c, channels);
            if (got != want) {
                fail_msg("PNG colour type %d, %d bits, interlaced %d, tRNS %d: (%d, %d) channel %d "
                         "is %u, not %u",
                         k.colour, k.depth, k.interlaced, k.transparent, x, y, c, got, want);
            }
        }
    }
}

/* -------------------------------------------------------------------- JPEG */

static void assert_near(const char *what, const satf_image *image, const uint8_t *want, int most)
{
    const satf_view *v = &image->view;
    for (int i = 0; i < (int)(v->stride * v->height); i++) {
        if (abs(((uint8_t *)v->data)[i] - want[i]) > most) {
            fail_msg("%s of %d channels: sample %d is %d, not %d", what, v->channels, i,
                     ((uint8_t *)v->data)[i], want[i]);
        }
    }
}

TEST(test_jpeg)
{
    for (int channels = 1; channels <= 3; channels += 2) {
        SCOPED_IMAGE *image = make_image(ctx, 33, 17, channels, SATF_U8, 0, 4);
        for (int i = 0; i < 33 * 17 * channels; i++) { /* smooth, so that the loss is small */
            ((uint8_t *)image->view.data)[i] = (uint8_t)(40 + i / channels % 33 * 3 + i % channels);
        }
        satf_write_options options = options_for("jpg");
        options.quality = 100;
        SCOPED_BYTES file = must_encode_with(ctx, image, &options);
        SCOPED_IMAGE *read = must_decode(ctx, file.data, file.n);
        assert_int_equal(read->view.channels, channels);
        assert_near("JPEG", read, image->view.data, 3);
    }
}

/* CMYK is inverted, whether it has Adobe's segment or not: 255 is no ink. */
TEST(test_cmyk)
{
    unsigned char ink[64 * 4], light[64 * 3];
    for (int i = 0; i < 64; i++) { /* all of it let through by K */
        memcpy(ink + 4 * i, "\xc8\x64\x32\xff", 4);
        memcpy(light + 3 * i, ink, 3);
    }
    for (int nameless = 0; nameless < 2; nameless++) {
        jpeg_kind kind = {.channels = 4, .quality = 100, .nameless = nameless};
        SCOPED_BYTES file = code_jpeg(&kind, 8, 8, ink);
        SCOPED_IMAGE *image = must_decode(ctx, file.data, file.n);
        assert_int_equal(image->view.channels, 3);
        assert_near(nameless ? "CMYK without Adobe's segment" : "CMYK", image, light, 2);
    }
}

/* --------------------------------------------------------------- the table */

TEST(test_table)
{
    assert_string_equal(io_format_by_suffix("a/b.JPG")->name, "jpeg");
    assert_null(io_format_by_suffix("a.png/b"));
    assert_null(io_format_by_suffix("png"));
    assert_null(io_format_by_suffix("a."));
    assert_string_equal(io_format_find("jpg")->name, "jpeg");
    satf_format_info info;
    size_t n = 0;
    const char *name;
    while ((name = satf_format(n, &info, sizeof info))) {
        assert_true(strlen(info.suffixes) >= 3 && info.can_read);
        assert_string_equal(satf_format_find(name, NULL, 0), name);
        n++;
    }
    assert_int_equal(n, 12);
    assert_null(satf_format(n, NULL, 0));
    assert_string_equal(satf_format_of_path("a.b/c.JPG", &info, sizeof info), "jpeg");
    assert_true(info.can_write && strcmp(info.name, "jpeg") == 0);
    assert_null(satf_format_of_path("a.png/c", &info, sizeof info));
    assert_null(info.name);
    static const unsigned char jpeg[] = {0xff, 0xd8, 0xff, 0xe0};
    assert_string_equal(satf_format_of_bytes(jpeg, 4, &info, sizeof info), "jpeg");
    assert_true(info.can_write && strncmp(info.suffixes, "jpg ", 4) == 0);
    assert_null(satf_format_of_bytes(jpeg, 1, &info, sizeof info));
    assert_null(info.name);
    char gif[4096] = "GIF89a", text[4096] = "P5 is how a PGM begins, not P5is";
    assert_string_equal(satf_format_of_bytes(gif, sizeof gif, NULL, 0), "gif");
    assert_string_equal(satf_format_of_bytes(text, sizeof text, NULL, 0), "pnm");
    assert_null(satf_format_of_bytes(text + 1, sizeof text - 1, NULL, 0));
    assert_null(satf_format_of_bytes(text, 0, NULL, 0));
    assert_null(satf_format_of_bytes(NULL, 0, NULL, 0));
    assert_int_equal(satf_format_check_type(ctx, "png", SATF_U16), SATF_OK);
    assert_int_equal(satf_format_check_type(ctx, "jpg", SATF_F32), SATF_UNSUPPORTED);
    assert_int_equal(satf_format_check_type(ctx, "xyz", SATF_U8), SATF_INVALID);
    /* A caller compiled with an older header: what lies behind its struct stays. */
    satf_format_info old = {.help = "kept"};
    satf_format(0, &old, offsetof(satf_format_info, help));
    assert_string_equal(old.help, "kept");
    assert_non_null(old.name);
}

TEST_FILE(.formats = "all")
