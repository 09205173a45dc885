/* XMP and IPTC: what is kept, in which formats, and where in the file it may stand. */
#include "test.h"
#include "test_io_metadata.h"

static const char xmp[] = "<?xpacket begin=''?><x:xmpmeta>&#228;</x:xmpmeta><?xpacket end='w'?>";
enum { XMP_BYTES = sizeof xmp - 1 };

static void assert_xmp(const char *what, const satf_metadata *m)
{
    assert_block(what, m->xmp, m->xmp_bytes, xmp, XMP_BYTES);
}

/* ------------------------------------------------------------------ both ways */

TEST(travels)
{
    static const char *const formats[] = {"png", "jpeg", "png", "png", "jpeg", "jpeg"};
    enum { IPTC = 150000 }; /* three markers */
    SCOPED unsigned char *iptc = malloc(IPTC);
    uint64_t seed = 3;
    memcpy(iptc, "8BIM", 4);
    for (int i = 4; i < IPTC; i++) {
        iptc[i] = (unsigned char)next_random(&seed);
    }
    satf_image *image = make_image(ctx, 4, 4, 3, SATF_U8, 0, 8);
    give(&image->metadata.xmp, &image->metadata.xmp_bytes, xmp, XMP_BYTES);
    give(&image->metadata.iptc, &image->metadata.iptc_bytes, iptc, IPTC);
    give(&image->metadata.exif, &image->metadata.exif_bytes, "II*\0\x08\0\0\0\0\0", 10);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        bytes file = must_encode(ctx, image, formats[i]);
        satf_image_destroy(image);
        image = must_decode(ctx, file.data, file.n);
        assert_xmp(formats[i], &image->metadata);
        assert_int_equal(image->metadata.exif_bytes, 10);
        assert_block("IPTC", image->metadata.iptc, image->metadata.iptc_bytes, iptc, IPTC);
        assert_false(image->metadata.xmp_extended);
        free(file.data);
    }
    satf_image_destroy(image);
}

TEST(too_large)
{
    enum { FITS = 65533 - 29 };
    SCOPED_IMAGE *image = make_image(ctx, 2, 2, 1, SATF_U8, 0, 8);
    image->metadata.xmp = satf_alloc_zeroed(FITS + 1);
    for (int more = 0; more < 2; more++) {
        image->metadata.xmp_bytes = (size_t)(FITS + more);
        satf_write_options options = options_for("jpeg");
        bytes file;
        assert_int_equal(encode(ctx, image, &options, &file), more ? SATF_UNSUPPORTED : SATF_OK);
        free(file.data);
    }
    assert_string_equal(satf_message(ctx), "its XMP of 65505 bytes does not fit into a JPEG; write "
                                           "PNG, or leave it out (option: strip)");
    bytes file = must_encode(ctx, image, "png");
    free(file.data);
}

/* --------------------------------------------------------------------- strip */

static const unsigned char exif[] = "MM\0*\0\0\0\x08\0\2\1\x0f\0\2\0\0\0\4ABC\0"
                                    "\1\x12\0\3\0\0\0\1\0\6\0\0\0\0\0\0";
enum { ORIENTATION_AT = 10 + 12 + 9 };

/* Everything a file may say; of that orientation. */
static satf_image *image_with_all(satf_context *ctx, unsigned char orientation)
{
    satf_image *image = make_image(ctx, 3, 3, 1, SATF_U8, 0, 8);
    satf_metadata *m = &image->metadata;
    unsigned char icc[200] = {0, 0, 0, sizeof icc, [8] = 2};
    uint64_t seed = 6;
    for (size_t i = 132; i < sizeof icc; i++) {
        icc[i] = (unsigned char)next_random(&seed);
    }
    memcpy(icc + 12, "mntrGRAYXYZ ", 12);
    memcpy(icc + 36, "acsp", 4);
    memcpy(icc + 68, "\0\0\xf6\xd6\0\1\0\0\0\0\xd3\x2d", 12);
    give(&m->icc, &m->icc_bytes, icc, sizeof icc);
    give(&m->exif, &m->exif_bytes, exif, sizeof exif - 1);
    m->exif[ORIENTATION_AT] = orientation;
    give(&m->xmp, &m->xmp_bytes, xmp, XMP_BYTES);
    give(&m->iptc, &m->iptc_bytes, "8BIM", 4);
    m->has_gamma = m->has_resolution = true;
    m->gamma = 0.5;
    m->resolution_x = m->resolution_y = 3000;
    m->resolution_unit = 1;
    m->jpeg = (satf_jpeg_coding){.components = 1, .progressive = true};
    return image;
}

TEST(stripped)
{
    for (int i = 0; i < 6; i++) {
        bool turned = i % 3 == 0, none = i % 3 == 2;
        SCOPED_IMAGE *image = image_with_all(ctx, turned ? 6 : 1);
        satf_write_options options = options_for(i < 3 ? "png" : "jpeg");
        options.strip = 1;
        if (none) {
            satf_free(image->metadata.exif);
            image->metadata.exif = NULL;
        }
        bytes file;
        assert_int_equal(encode(ctx, image, &options, &file), SATF_OK);
        SCOPED_IMAGE *read = must_decode(ctx, file.data, file.n);
        const satf_metadata *m = &read->metadata;
        assert_int_equal(m->icc_bytes, 200);
        assert_true(i >= 3 || (m->has_gamma && m->gamma > 0.499 && m->gamma < 0.501));
        assert_true(i < 3 || m->jpeg.progressive);
        assert_false(m->has_resolution || m->xmp || m->iptc);
        assert_int_equal(m->exif != NULL, turned);
        if (turned) {
            assert_int_equal(m->exif_bytes, SATF_EXIF_ORIENTATION_BYTES);
            assert_int_equal(satf_exif_orientation(m->exif, m->exif_bytes), 6);
        }
        assert_non_null(image->metadata.xmp); /* which the image keeps */
        free(file.data);
    }
    /* what would not fit need not */
    SCOPED_IMAGE *image = image_with_all(ctx, 6);
    satf_write_options options = options_for("jpeg");
    bytes file;
    satf_free(image->metadata.xmp);
    image->metadata.xmp = satf_alloc_zeroed(100000);
    image->metadata.xmp_bytes = 100000;
    assert_int_equal(encode(ctx, image, &options, &file), SATF_UNSUPPORTED);
    options.strip = 1;
    assert_int_equal(encode(ctx, image, &options, &file), SATF_OK);
    free(file.data);
}

/* ----------------------------------------------------------------------- PNG */

/* An iTXt chunk's data, `packed` or as it is: in room, so many bytes. */
static size_t make_text(unsigned char *room, const char *keyword, bool packed, const void *text,
                        size_t n)
{
    size_t at = strlen(keyword) + 1;
    memcpy(room, keyword, at);
    room[at++] = packed;
    room[at++] = 0;
    memcpy(room + at, "x-default\0XMP", 14); /* language and keyword in it */
    at += 14;
    if (packed) {
        uLongf size = compressBound(n);
        assert_int_equal(compress2(room + at, &size, text, n, 9), Z_OK);
        return at + size;
    }
    memcpy(room + at, text, n);
    return at + n;
}

/* In front or behind, packed or not: known before the rows where the file can be looked at. */
TEST(png_places)
{
    bytes plain = plain_png(ctx);
    unsigned char text[400];
    for (int i = 0; i < 4; i++) {
        bool late = i & 1, packed = i & 2;
        size_t n = make_text(text, "XML:com.adobe.xmp", packed, xmp, XMP_BYTES);
        bytes file = with_chunk(&plain, late ? plain.n - IEND_BYTES : BEHIND_IHDR, "iTXt", text, n);
        SCOPED_IMAGE *image = must_decode(ctx, file.data, file.n);
        assert_xmp("XMP of an image", &image->metadata);

        io_reader *reader;
        assert_int_equal(io_open_memory(ctx, file.data, file.n, &reader), SATF_OK);
        assert_int_equal(reader->header.metadata.xmp == NULL, late);
        assert_true(reader->header.metadata_may_follow);
        assert_int_equal(io_find_metadata(ctx, reader), SATF_OK);
        assert_false(reader->header.metadata_may_follow);
        assert_xmp("XMP that was looked for", &reader->header.metadata);
        unsigned char rows[9];
        assert_int_equal(io_read_rows(ctx, reader, rows, 3, 3), SATF_OK);
        assert_xmp("XMP that was come by", &reader->header.metadata);
        io_close(reader);
        free(file.data);
    }
    free(plain.data);
}

/* EXIF and XMP behind the pixels, out of a pipe: behind them in the result too. */
static void png_pipe_of(satf_context *ctx, bool strip)
{
    bytes plain = plain_png(ctx);
    unsigned char text[400], row[3];
    size_t n = make_text(text, "XML:com.adobe.xmp", false, xmp, XMP_BYTES);
    bytes one = with_chunk(&plain, plain.n - IEND_BYTES, "iTXt", text, n);
    bytes two = with_chunk(&one, one.n - IEND_BYTES, "eXIf", exif, sizeof exif - 1);
    SCOPED_IMAGE *want = must_decode(ctx, two.data, two.n);
    io_reader *reader;
    int ends[2];
    char name[40];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], two.data, two.n), two.n);
    close(ends[1]);
    snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
    assert_int_equal(io_open(ctx, name, NULL, &reader), SATF_OK);
    close(ends[0]);
    assert_int_equal(io_find_metadata(ctx, reader), SATF_OK);
    assert_true(reader->header.metadata_may_follow);

    satf_write_options options = options_for("png");
    options.strip = strip;
    io_plan plan;
    io_writer *writer;
    SCOPED char *data;
    bytes out;
    assert_int_equal(io_make_plan(ctx, want, "-", &options, &plan), SATF_OK);
    FILE *stream = open_memstream(&data, &out.n);
    assert_int_equal(
        io_writer_open(ctx, &plan, stream, &options, &reader->header.metadata, &writer), SATF_OK);
    for (int y = 0; y < 3; y++) {
        assert_int_equal(io_read_rows(ctx, reader, row, 3, 1), SATF_OK);
        assert_int_equal(io_put_rows(ctx, writer, row, 3, 1), SATF_OK);
    }
    assert_int_equal(io_writer_finish(ctx, writer), SATF_OK);
    io_writer_close(writer);
    fclose(stream);
    io_close(reader);
    SCOPED_IMAGE *read = must_decode(ctx, data, out.n);
    const satf_metadata *m = &read->metadata;
    if (strip) {
        assert_null(m->xmp);
        assert_int_equal(m->exif_bytes, SATF_EXIF_ORIENTATION_BYTES);
        assert_int_equal(satf_exif_orientation(m->exif, m->exif_bytes), 6);
    } else {
        assert_xmp("late XMP", m);
        assert_block("late EXIF", m->exif, m->exif_bytes, exif, sizeof exif - 1);
    }
    free(two.data);
    free(one.data);
    free(plain.data);
}

TEST(png_pipe)
{
    png_pipe_of(ctx, false);
    png_pipe_of(ctx, true);
}

/* Texts that are none, or no XMP, are as little as other comments. */
TEST(png_other_texts)
{
    bytes plain = plain_png(ctx);
    unsigned char text[400], packed[400];
    size_t n = make_text(text, "XML:com.adobe.xmp", false, xmp, XMP_BYTES);
    size_t packed_bytes = make_text(packed, "XML:com.adobe.xmp", true, xmp, XMP_BYTES);
    struct {
        unsigned char *data;
        size_t n;
        int change; /* at which byte, to `to`; -1: none */
        unsigned char to;
    } cases[] = {
        {text, n, 0, 'x'},
        {text, n, 17, 'x'},
        {text, 18, -1, 0},
        {text, 19, -1, 0},
        {text, 20, -1, 0},
        {text, 29, -1, 0},
        {text, 30, -1, 0},
        {text, 33, -1, 0},
        {text, 34, -1, 0},
        {text, n, 18, 2},
        {packed, n, 19, 1},
        {packed, packed_bytes - 5, -1, 0},
        {packed, packed_bytes, 34, 0},
        {packed, packed_bytes, 50, 0x55},
        {packed, 34, -1, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned char *at = cases[i].data + (cases[i].change < 0 ? 0 : cases[i].change);
        unsigned char kept = *at;
        *at = cases[i].change < 0 ? kept : cases[i].to;
        for (int late = 0; late < 2; late++) {
            bytes file = with_chunk(&plain, late ? plain.n - IEND_BYTES : BEHIND_IHDR, "iTXt",
                                    cases[i].data, cases[i].n);
            SCOPED_IMAGE *image = must_decode(ctx, file.data, file.n);
            if (image->metadata.xmp) {
                fail_msg("case %zu was taken", i);
            }
            free(file.data);
        }
        *at = kept;
    }
    free(plain.data);
}

/* What unpacks to more than the limit, or takes more packed. */
TEST(png_limits)
{
    enum { BIG = 1 << 20 };
    SCOPED unsigned char *zeros = calloc(BIG, 1), *text = malloc(2 * BIG);
    bytes plain = plain_png(ctx);
    for (int i = 0; i < 4; i++) {
        bool late = i & 1, packed = i & 2;
        size_t n = make_text(text, "XML:com.adobe.xmp", packed, zeros, BIG);
        bytes file = with_chunk(&plain, late ? plain.n - IEND_BYTES : BEHIND_IHDR, "iTXt", text, n);
        SCOPED_IMAGE *image = must_decode(ctx, file.data, file.n);
        assert_int_equal(image->metadata.xmp_bytes, BIG);
        assert_int_equal(satf_context_set_limit(ctx, SATF_MAX_METADATA, BIG / 2), SATF_OK);
        assert_int_equal(satf_image_decode(ctx, file.data, file.n, &image), SATF_LIMIT);
        assert_non_null(strstr(satf_message(ctx), "limit: max-metadata"));
        assert_int_equal(satf_context_set_limit(ctx, SATF_MAX_METADATA, 0), SATF_OK);
        free(file.data);
    }
    free(plain.data);
}

/* ---------------------------------------------------------------------- JPEG */

TEST(jpeg_markers)
{
    SCOPED_IMAGE *grey = make_image(ctx, 4, 4, 1, SATF_U8, 0, 8);
    bytes plain = must_encode(ctx, grey, "jpeg");
    /* the last comes first in the file; the first of XMP counts, the empty ones do not */
    bytes file[8] = {plain};
    size_t count = 1;
#define ADD(marker, text)                                                       \
    file[count] = with_marker(&file[count - 1], marker, text, sizeof text - 1); \
    count++
    ADD(0xed, "Photoshop 3.0\0 and more");
    ADD(0xed, "Photoshop 3.0\0resources");
    ADD(0xed, "Adobe_CM\0");
    ADD(0xe1, "http://ns.adobe.com/xap/1.0/\0second");
    ADD(0xe1, "http://ns.adobe.com/xap/1.0/\0first");
    ADD(0xe1, "http://ns.adobe.com/xap/1.0/\0");
    ADD(0xe1, "http://ns.adobe.com/xmp/extension/\0GUID");
    SCOPED_IMAGE *image = must_decode(ctx, file[count - 1].data, file[count - 1].n);
    const satf_metadata *m = &image->metadata;
    assert_block("XMP", m->xmp, m->xmp_bytes, "first", 5);
    assert_block("IPTC", m->iptc, m->iptc_bytes, "resources and more", 18);
    assert_true(m->xmp_extended);
    assert_null(m->exif);
    for (size_t i = 0; i < count; i++) {
        free(file[i].data);
    }
}

TEST_FILE(.formats = "all")
