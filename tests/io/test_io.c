/* Formats: what is written is read back bit for bit, and every kind of file is understood. */
#include "test.h"
#include "test_io_files.h"

#include <jpeglib.h>
#include <png.h>
#include <zlib.h>

/* ------------------------------------------------------------- round trips */

/* Written and read back, whole and by rows: the same samples. */
static void round_trip(satf_context *ctx, const char *format, const satf_image *image)
{
    char what[96];
    const satf_view *v = &image->view;
    snprintf(what, sizeof what, "%s, %s x %d, alpha %u", format, satf_type_name(v->type),
             v->channels, v->flags);
    bytes file = must_encode(ctx, image, format);
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

    io_reader *reader;
    assert_int_equal(io_open_memory(ctx, file.data, file.n, &reader), SATF_OK);
    memset(read->view.data, 0x5a, (size_t)(v->stride * v->height));
    for (int64_t y = 0; y < v->height; y += 2) {
        int64_t n = v->height - y < 2 ? v->height - y : 2;
        assert_int_equal(io_read_rows(ctx, reader, satf_row(&read->view, y), v->stride, n),
                         SATF_OK);
    }
    assert_same_pixels(what, &want, &read->view);
    assert_int_equal(io_read_rows(ctx, reader, read->view.data, v->stride, 1), SATF_INVALID);
    io_close(reader);
    free(file.data);
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
        for (int type = SATF_U8; type <= SATF_F64; type++) {
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
    for (size_t i = 0; i < sizeof maxvals / sizeof *maxvals; i++) {
        satf_type type = maxvals[i] > 255 ? SATF_U16 : SATF_U8;
        for (int channels = 1; channels <= 4; channels++) {
            satf_image *image =
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
            satf_image_destroy(image);
        }
    }
}

TEST(test_png_levels)
{
    SCOPED_IMAGE *image = make_image(ctx, 40, 30, 3, SATF_U16, 0, 3);
    for (int level = 0; level <= 9; level++) {
        satf_write_options options = options_for("png");
        options.png_level = level;
        bytes file;
        assert_int_equal(encode(ctx, image, &options, &file), SATF_OK);
        SCOPED_IMAGE *read = must_decode(ctx, file.data, file.n);
        assert_same_pixels("PNG level", &image->view, &read->view);
        free(file.data);
    }
}

/* ---------------------------------------------------------------- metadata */

static unsigned char *block(size_t n, const char *lead, size_t lead_bytes)
{
    unsigned char *data = satf_alloc(n);
    memset(data, 0x42, n);
    memcpy(data, lead, lead_bytes);
    return data;
}

/* A profile that libpng accepts: header with size, class, spaces and signature; no tags. */
static unsigned char *make_icc(size_t n, const char *space)
{
    unsigned char *icc = satf_alloc_zeroed(n);
    uint64_t seed = 6;
    for (size_t i = 132; i < n; i++) {
        icc[i] = (unsigned char)next_random(&seed);
    }
    icc[1] = (unsigned char)(n >> 16);
    icc[2] = (unsigned char)(n >> 8);
    icc[3] = (unsigned char)n;
    icc[8] = 2;
    memcpy(icc + 12, "mntr", 4);
    memcpy(icc + 16, space, 4);
    memcpy(icc + 20, "XYZ ", 4);
    memcpy(icc + 36, "acsp", 4);
    memcpy(icc + 68, "\0\0\xf6\xd6\0\1\0\0\0\0\xd3\x2d", 12); /* D50 */
    return icc;
}

static void assert_same_block(const char *what, const void *a, size_t an, const void *b, size_t bn)
{
    if (an != bn || (an && memcmp(a, b, an) != 0)) {
        fail_msg("%s: %zu bytes became %zu, or others", what, an, bn);
    }
}

TEST(test_metadata)
{
    for (int i = 0; i < 4; i++) {
        const char *format = i < 2 ? "png" : "jpeg";
        int channels = i % 2 ? 3 : 1;
        SCOPED_IMAGE *image = make_image(ctx, 4, 4, channels, SATF_U8, 0, 8);
        satf_metadata *m = &image->metadata;
        m->icc_bytes = 100000; /* two markers of a JPEG */
        m->icc = make_icc(m->icc_bytes, channels == 3 ? "RGB " : "GRAY");
        m->exif_bytes = 60000;
        m->exif = block(60000, "II*\0\x08\0\0\0", 8);
        m->has_resolution = true;
        m->resolution_unit = 1;
        m->resolution_x = i < 2 ? 2835 : 300 / 0.0254;
        m->resolution_y = i < 2 ? 5669 : 72 / 0.0254;
        bytes file = must_encode(ctx, image, format);
        SCOPED_IMAGE *read = must_decode(ctx, file.data, file.n);
        const satf_metadata *r = &read->metadata;
        assert_same_block("ICC", m->icc, m->icc_bytes, r->icc, r->icc_bytes);
        assert_same_block("EXIF", m->exif, m->exif_bytes, r->exif, r->exif_bytes);
        assert_true(r->has_resolution && r->resolution_unit == 1);
        assert_true(fabs(r->resolution_x - m->resolution_x) < 1e-6);
        assert_true(fabs(r->resolution_y - m->resolution_y) < 1e-6);
        free(file.data);
    }
}

TEST(test_png_colour_chunks)
{
    SCOPED_IMAGE *image = make_image(ctx, 2, 2, 3, SATF_U8, 0, 8);
    satf_metadata *m = &image->metadata;
    static const double white[8] = {0.3127, 0.329, 0.64, 0.33, 0.21, 0.71, 0.15, 0.06};
    m->has_gamma = m->has_chromaticities = true;
    m->gamma = 0.55;
    memcpy(m->chromaticities, white, sizeof white);
    bytes file = must_encode(ctx, image, "png");
    satf_image *read = must_decode(ctx, file.data, file.n);
    assert_true(read->metadata.has_gamma && fabs(read->metadata.gamma - 0.55) < 1e-5);
    assert_true(read->metadata.has_chromaticities && !read->metadata.has_srgb);
    for (int i = 0; i < 8; i++) {
        assert_true(fabs(read->metadata.chromaticities[i] - white[i]) < 2e-5);
    }
    satf_image_destroy(read);
    free(file.data);
    m->has_gamma = m->has_chromaticities = false;
    m->has_srgb = true;
    m->srgb_intent = 2;
    file = must_encode(ctx, image, "png");
    read = must_decode(ctx, file.data, file.n);
    assert_true(read->metadata.has_srgb && read->metadata.srgb_intent == 2);
    satf_image_destroy(read);
    free(file.data);
}

/* EXIF behind the pixels can be found before them, but for a pipe's, where it is after the last
 * row; going by rows carries it all the same. */
TEST(test_png_late_exif)
{
    static const unsigned char chunk[16 + 12] = "\0\0\0\x10"
                                                "eXIfII*\0\x08\0\0\0the EXIF";
    SCOPED_IMAGE *image = make_image(ctx, 3, 3, 1, SATF_U8, 0, 8);
    bytes file = must_encode(ctx, image, "png");
    size_t end = file.n - 12; /* IEND */
    SCOPED unsigned char *late = malloc(file.n + sizeof chunk);
    memcpy(late, file.data, end);
    memcpy(late + end, chunk, sizeof chunk);
    uint32_t crc = (uint32_t)crc32(0, chunk + 4, 4 + 16);
    for (int i = 0; i < 4; i++) {
        late[end + 24 + (size_t)i] = (unsigned char)(crc >> (24 - 8 * i));
    }
    memcpy(late + end + sizeof chunk, file.data + end, 12);

    io_reader *reader;
    assert_int_equal(io_open_memory(ctx, late, file.n + sizeof chunk, &reader), SATF_OK);
    assert_true(reader->header.metadata_may_follow); /* nothing has gone there */
    assert_null(reader->header.metadata.exif);
    assert_int_equal(io_find_metadata(ctx, reader), SATF_OK);
    assert_false(reader->header.metadata_may_follow);
    assert_same_block("late EXIF of memory", chunk + 8, 16, reader->header.metadata.exif,
                      reader->header.metadata.exif_bytes);
    io_close(reader);

    /* what lies behind the end of the file is no part of it */
    SCOPED unsigned char *behind = malloc(file.n + sizeof chunk);
    memcpy(behind, file.data, file.n);
    memcpy(behind + file.n, late + end, sizeof chunk);
    assert_int_equal(io_open_memory(ctx, behind, file.n + sizeof chunk, &reader), SATF_OK);
    assert_int_equal(io_find_metadata(ctx, reader), SATF_OK);
    assert_false(reader->header.metadata_may_follow);
    assert_null(reader->header.metadata.exif);
    io_close(reader);

    int ends[2];
    char name[40];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], late, file.n + sizeof chunk), file.n + sizeof chunk);
    close(ends[1]);
    snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
    assert_int_equal(io_open(ctx, name, NULL, &reader), SATF_OK);
    close(ends[0]);
    assert_int_equal(io_find_metadata(ctx, reader), SATF_OK);
    assert_true(reader->header.metadata_may_follow);
    assert_null(reader->header.metadata.exif);
    satf_write_options options = options_for("png");
    io_plan plan;
    io_writer *writer;
    bytes out;
    SCOPED char *data;
    assert_int_equal(io_make_plan(ctx, image, "-", &options, &plan), SATF_OK);
    FILE *stream = open_memstream(&data, &out.n);
    assert_int_equal(
        io_writer_open(ctx, &plan, stream, &options, &reader->header.metadata, &writer), SATF_OK);
    unsigned char row[3];
    for (int y = 0; y < 3; y++) {
        assert_int_equal(io_read_rows(ctx, reader, row, 3, 1), SATF_OK);
        assert_int_equal(io_put_rows(ctx, writer, row, 3, 1), SATF_OK);
    }
    assert_int_equal(io_writer_finish(ctx, writer), SATF_OK);
    io_writer_close(writer);
    fclose(stream);
    io_close(reader);
    SCOPED_IMAGE *read = must_decode(ctx, data, out.n);
    assert_same_pixels("late EXIF", &image->view, &read->view);
    assert_same_block("late EXIF", chunk + 8, 16, read->metadata.exif, read->metadata.exif_bytes);
    free(file.data);
}

TEST(test_jpeg_exif_too_large)
{
    SCOPED_IMAGE *image = make_image(ctx, 2, 2, 1, SATF_U8, 0, 8);
    image->metadata.exif_bytes = 70000;
    image->metadata.exif = block(70000, "II*\0", 4);
    satf_write_options options = options_for("jpeg");
    bytes file;
    assert_int_equal(encode(ctx, image, &options, &file), SATF_UNSUPPORTED);
    assert_non_null(strstr(satf_message(ctx), "EXIF"));
}

/* --------------------------------------------------- PNG's kinds, by libpng */

typedef struct png_case {
    int colour, depth;
    bool interlaced, transparent;
} png_case;

enum { SIDE = 11 };

/* The packed file sample at (x, y, c), of so many bits. */
static unsigned png_sample(int x, int y, int c, int depth)
{
    unsigned v = (unsigned)(x * 7919 + y * 104729 + c * 1299709) * 2654435761u >> 8;
    return v & ((1u << depth) - 1);
}

static bytes make_png(const png_case *k)
{
    static const int channels_of[] = {1, 0, 3, 1, 2, 0, 4};
    bytes file = {0};
    char *data = NULL;
    FILE *out = open_memstream(&data, &file.n);
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    png_init_io(png, out);
    png_set_IHDR(png, info, SIDE, SIDE, k->depth, k->colour,
                 k->interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, 0, 0);
    if (k->colour == PNG_COLOR_TYPE_PALETTE) {
        png_color palette[256];
        png_byte alpha[256];
        for (int i = 0; i < 256; i++) {
            palette[i] = (png_color){(png_byte)(255 - i), (png_byte)(i * 3), (png_byte)(i ^ 85)};
            alpha[i] = (png_byte)(i * 5);
        }
        png_set_PLTE(png, info, palette, 1 << k->depth);
        if (k->transparent) {
            png_set_tRNS(png, info, alpha, 1 << k->depth, NULL);
        }
    } else if (k->transparent) {
        png_color_16 key = {0, (png_uint_16)png_sample(3, 4, 0, k->depth),
                            (png_uint_16)png_sample(3, 4, 1, k->depth),
                            (png_uint_16)png_sample(3, 4, 2, k->depth),
                            (png_uint_16)png_sample(3, 4, 0, k->depth)};
        png_set_tRNS(png, info, NULL, 0, &key);
    }
    png_write_info(png, info);
    unsigned char rows[SIDE][SIDE * 8];
    png_bytep pointers[SIDE];
    memset(rows, 0, sizeof rows);
    int channels = channels_of[k->colour];
    for (int y = 0; y < SIDE; y++) {
        pointers[y] = rows[y];
        for (int i = 0; i < SIDE * channels; i++) {
            unsigned v = png_sample(i / channels, y, i % channels, k->depth);
            int bit = i * k->depth;
            if (k->depth == 16) {
                rows[y][2 * i] = (unsigned char)(v >> 8);
                rows[y][2 * i + 1] = (unsigned char)v;
            } else {
                rows[y][bit / 8] |= (unsigned char)(v << (8 - k->depth - bit % 8));
            }
        }
    }
    png_write_image(png, pointers);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    fclose(out);
    file.data = (unsigned char *)data;
    return file;
}

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
    for (size_t i = 0; i < 4 * sizeof kinds / sizeof *kinds; i++) {
        png_case k = kinds[i / 4];
        k.interlaced = i & 1;
        k.transparent = i & 2;
        if (k.transparent && (k.colour & PNG_COLOR_MASK_ALPHA)) {
            continue;
        }
        bytes file = make_png(&k);
        SCOPED_IMAGE *image = must_decode(ctx, file.data, file.n);
        const satf_view *v = &image->view;
        bool alpha = k.transparent || (k.colour & PNG_COLOR_MASK_ALPHA);
        int channels = (k.colour & PNG_COLOR_MASK_COLOR ? 3 : 1) + alpha;
        assert_int_equal(v->channels, channels);
        assert_int_equal(v->flags, alpha ? SATF_ALPHA : 0);
        assert_int_equal(v->type, k.depth == 16 ? SATF_U16 : SATF_U8);
        for (int n = 0; n < SIDE * SIDE * channels; n++) {
            int x = n / channels % SIDE, y = n / channels / SIDE, c = n % channels;
            unsigned got = k.depth == 16 ? ((uint16_t *)v->data)[n] : ((uint8_t *)v->data)[n];
            unsigned want = png_want(&k, x, y, c, channels);
            if (got != want) {
                fail_msg("PNG colour type %d, %d bits, interlaced %d, tRNS %d: (%d, %d) channel %d "
                         "is %u, not %u",
                         k.colour, k.depth, k.interlaced, k.transparent, x, y, c, got, want);
            }
        }
        free(file.data);
    }
}

/* -------------------------------------------------------------------- JPEG */

TEST(test_jpeg)
{
    for (int channels = 1; channels <= 3; channels += 2) {
        SCOPED_IMAGE *image = make_image(ctx, 33, 17, channels, SATF_U8, 0, 4);
        for (int i = 0; i < 33 * 17 * channels; i++) { /* smooth, so that the loss is small */
            ((uint8_t *)image->view.data)[i] = (uint8_t)(40 + i / channels % 33 * 3 + i % channels);
        }
        satf_write_options options = options_for("jpg");
        options.quality = 100;
        bytes file;
        assert_int_equal(encode(ctx, image, &options, &file), SATF_OK);
        SCOPED_IMAGE *read = must_decode(ctx, file.data, file.n);
        assert_int_equal(read->view.channels, channels);
        for (int i = 0; i < 33 * 17 * channels; i++) {
            int a = ((uint8_t *)image->view.data)[i], b = ((uint8_t *)read->view.data)[i];
            if (abs(a - b) > 3) {
                fail_msg("JPEG of %d channels: sample %d is %d, not %d", channels, i, b, a);
            }
        }
        free(file.data);
    }
}

/* CMYK is inverted, whether it has Adobe's segment or not: 255 is no ink. */
TEST(test_cmyk)
{
    for (int adobe = 0; adobe < 2; adobe++) {
        struct jpeg_compress_struct c;
        struct jpeg_error_mgr errors;
        SCOPED unsigned char *data = NULL;
        unsigned long n = 0;
        c.err = jpeg_std_error(&errors);
        jpeg_create_compress(&c);
        jpeg_mem_dest(&c, &data, &n);
        c.image_width = c.image_height = 8;
        c.input_components = 4;
        c.in_color_space = JCS_CMYK;
        jpeg_set_defaults(&c);
        c.write_Adobe_marker = adobe;
        jpeg_set_quality(&c, 100, TRUE);
        jpeg_start_compress(&c, TRUE);
        unsigned char row[32];
        JSAMPROW at = row;
        for (int i = 0; i < 32; i++) { /* light of 200, 100, 50, all of it let through by K */
            static const unsigned char light[4] = {200, 100, 50, 255};
            row[i] = light[i % 4];
        }
        while (c.next_scanline < 8) {
            jpeg_write_scanlines(&c, &at, 1);
        }
        jpeg_finish_compress(&c);
        jpeg_destroy_compress(&c);
        SCOPED_IMAGE *image = must_decode(ctx, data, n);
        const uint8_t *p = image->view.data;
        assert_int_equal(image->view.channels, 3);
        if (abs(p[0] - 200) > 2 || abs(p[1] - 100) > 2 || abs(p[2] - 50) > 2) {
            fail_msg("CMYK, Adobe %d: %d %d %d", adobe, p[0], p[1], p[2]);
        }
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
