/* Profiles, EXIF, XMP, IPTC and resolutions: what is kept, in which formats, and where in the file
 * it may stand. */
#include "test.h"
#include "test_io_metadata.h"

static const char xmp[] = "<?xpacket begin=''?><x:xmpmeta>&#228;</x:xmpmeta><?xpacket end='w'?>";
enum { XMP_BYTES = sizeof xmp - 1 };

static void assert_xmp(const char *what, const satf_metadata *m)
{
    assert_block(what, m->xmp, m->xmp_bytes, xmp, XMP_BYTES);
}

/* ------------------------------------------------------------------ both ways */

static bytes noise_behind(const char *lead, size_t lead_bytes, size_t n)
{
    bytes b = bytes_of(NULL, n);
    uint64_t seed = 3;
    for (size_t i = 0; i < n; i++) {
        b.data[i] = (unsigned char)next_random(&seed);
    }
    memcpy(b.data, lead, lead_bytes);
    return b;
}

/* Profile and IPTC take several of a JPEG's markers. */
TEST(travels)
{
    static const char *const formats[] = {"png", "jpeg", "png", "png", "jpeg", "jpeg"};
    SCOPED_BYTES iptc = noise_behind(DATA("8BIM"), 150000);
    SCOPED_BYTES exif = noise_behind(DATA("II*\0\x08\0\0\0\0\0"), 60000);
    for (int channels = 1; channels <= 3; channels += 2) {
        SCOPED_BYTES icc = make_icc(100000, channels == 1);
        satf_image *image = make_image(ctx, 4, 4, channels, SATF_U8, 0, 8);
        for (size_t i = 0; i < ROWS_OF(formats); i++) {
            satf_metadata *m = &image->metadata;
            bool metres = formats[i][0] == 'p'; /* or in inches */
            double x = metres ? 2835 : 300 / 0.0254, y = metres ? 5669 : 72 / 0.0254;
            if (i == 0) {
                give(&m->icc, &m->icc_bytes, icc.data, icc.n);
                give(&m->exif, &m->exif_bytes, exif.data, exif.n);
                give(&m->xmp, &m->xmp_bytes, xmp, XMP_BYTES);
                give(&m->iptc, &m->iptc_bytes, iptc.data, iptc.n);
            }
            m->has_resolution = true;
            m->resolution_unit = 1;
            m->resolution_x = x;
            m->resolution_y = y;
            SCOPED_BYTES file = must_encode(ctx, image, formats[i]);
            satf_image_destroy(image);
            image = must_decode(ctx, file.data, file.n);
            m = &image->metadata;
            assert_block("ICC", m->icc, m->icc_bytes, icc.data, icc.n);
            assert_block("EXIF", m->exif, m->exif_bytes, exif.data, exif.n);
            assert_xmp(formats[i], m);
            assert_block("IPTC", m->iptc, m->iptc_bytes, iptc.data, iptc.n);
            assert_false(m->xmp_extended);
            assert_true(m->has_resolution && m->resolution_unit == 1);
            assert_true(fabs(m->resolution_x - x) < 1e-6 && fabs(m->resolution_y - y) < 1e-6);
        }
        satf_image_destroy(image);
    }
}

TEST(too_large)
{
    enum { FITS = 65533 - 29 };
    SCOPED_IMAGE *image = make_image(ctx, 2, 2, 1, SATF_U8, 0, 8);
    SCOPED_BYTES zeros = bytes_of(NULL, FITS + 1), exif = noise_behind(DATA("II*"), 70000);
    satf_metadata *m = &image->metadata;
    satf_write_options options = options_for("jpeg");
    give(&m->xmp, &m->xmp_bytes, zeros.data, FITS);
    SCOPED_BYTES jpeg = must_encode(ctx, image, "jpeg");
    give(&m->xmp, &m->xmp_bytes, zeros.data, FITS + 1);
    expect_unwritten(ctx, image, &options, SATF_UNSUPPORTED,
                     "its XMP of 65505 bytes does not fit into a JPEG; write PNG, or leave it out "
                     "(option: strip)");
    SCOPED_BYTES png = must_encode(ctx, image, "png");
    m->xmp_bytes = 0;
    give(&m->exif, &m->exif_bytes, exif.data, exif.n);
    expect_unwritten(ctx, image, &options, SATF_UNSUPPORTED, "EXIF");
}

TEST(png_colour_chunks)
{
    SCOPED_IMAGE *image = make_image(ctx, 2, 2, 3, SATF_U8, 0, 8);
    static const double white[8] = {0.3127, 0.329, 0.64, 0.33, 0.21, 0.71, 0.15, 0.06};
    for (int srgb = 0; srgb < 2; srgb++) {
        satf_metadata *m = &image->metadata;
        m->has_srgb = srgb;
        m->srgb_intent = 2;
        m->has_gamma = m->has_chromaticities = !srgb;
        m->gamma = 0.55;
        memcpy(m->chromaticities, white, sizeof white);
        SCOPED_BYTES file = must_encode(ctx, image, "png");
        SCOPED_IMAGE *read = must_decode(ctx, file.data, file.n);
        m = &read->metadata;
        assert_true(m->has_srgb == srgb && (!srgb || m->srgb_intent == 2));
        assert_true(srgb || (m->has_gamma && fabs(m->gamma - 0.55) < 1e-5));
        assert_true(srgb || m->has_chromaticities);
        for (int i = 0; i < 8 && !srgb; i++) {
            assert_true(fabs(m->chromaticities[i] - white[i]) < 2e-5);
        }
    }
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
    SCOPED_BYTES icc = make_icc(200, true);
    give(&m->icc, &m->icc_bytes, icc.data, icc.n);
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
        SCOPED_BYTES file = must_encode_with(ctx, image, &options);
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
    }
    /* what would not fit need not */
    SCOPED_IMAGE *image = image_with_all(ctx, 6);
    satf_write_options options = options_for("jpeg");
    SCOPED_BYTES zeros = bytes_of(NULL, 100000);
    give(&image->metadata.xmp, &image->metadata.xmp_bytes, zeros.data, zeros.n);
    expect_unwritten(ctx, image, &options, SATF_UNSUPPORTED, "XMP");
    options.strip = 1;
    SCOPED_BYTES file = must_encode_with(ctx, image, &options);
}

/* ----------------------------------------------------------------------- PNG */

/* An iTXt chunk's data, packed or as it is. */
static bytes make_text(const char *keyword, bool is_packed, const void *text, size_t n)
{
    bytes out = bytes_of(keyword, strlen(keyword) + 1);
    append_bytes(&out, is_packed ? "\1\0" : "\0\0", 2);
    append_bytes(&out, "x-default\0XMP", 14); /* language and keyword in it */
    SCOPED_BYTES body = is_packed ? deflated(text, n) : bytes_of(text, n);
    append_bytes(&out, body.data, body.n);
    return out;
}

/* A PNG with the chunk in front of its pixels or behind them. */
static bytes png_with(satf_context *ctx, bool late, const char *name, const bytes *data)
{
    bytes file = plain_png(ctx);
    add_chunk(&file, late, name, data->data, data->n);
    return file;
}

/* Whether the reader's header has the blocks of the file, or none. */
static void assert_blocks(const char *what, const satf_metadata *m, bool there)
{
    assert_block(what, m->xmp, m->xmp_bytes, xmp, there ? XMP_BYTES : 0);
    assert_block(what, m->exif, m->exif_bytes, exif, there ? sizeof exif - 1 : 0);
}

/* In front or behind, packed or not: known before the rows where the file can be looked at. What
 * lies behind the end of the file is no part of it. */
TEST(png_places)
{
    for (int i = 0; i < 8; i++) {
        bool late = i & 1, is_packed = i & 2, outside = i & 4;
        SCOPED_BYTES text = make_text("XML:com.adobe.xmp", is_packed, xmp, XMP_BYTES);
        SCOPED_BYTES file = plain_png(ctx);
        size_t at = outside ? file.n : late ? file.n - IEND_BYTES : BEHIND_IHDR;
        put_chunk(&file, at, "iTXt", text.data, text.n);
        put_chunk(&file, at, "eXIf", exif, sizeof exif - 1);
        SCOPED_IMAGE *image = must_decode(ctx, file.data, file.n);
        assert_blocks("an image", &image->metadata, !outside);
        SCOPED_READER *reader = open_bytes(ctx, &file);
        assert_blocks("what is opened", &reader->header.metadata, !late && !outside);
        assert_true(reader->header.metadata_may_follow);
        MUST(ctx, io_find_metadata(ctx, reader));
        assert_false(reader->header.metadata_may_follow);
        assert_blocks("what was looked for", &reader->header.metadata, !outside);
        SCOPED_BYTES rows = read_rows(ctx, reader, 3);
        assert_blocks("what was come by", &reader->header.metadata, !outside);
    }
}

/* Behind the pixels, out of a pipe: behind them in the result too. */
TEST(png_pipe)
{
    SCOPED_BYTES text = make_text("XML:com.adobe.xmp", false, xmp, XMP_BYTES);
    SCOPED_BYTES file = png_with(ctx, true, "iTXt", &text);
    add_chunk(&file, true, "eXIf", exif, sizeof exif - 1);
    SCOPED_IMAGE *want = must_decode(ctx, file.data, file.n);
    for (int strip = 0; strip < 2; strip++) {
        satf_write_options options = options_for("png");
        options.strip = strip;
        SCOPED_READER *reader = open_pipe(ctx, &file);
        MUST(ctx, io_find_metadata(ctx, reader));
        assert_true(reader->header.metadata_may_follow);
        assert_blocks("a pipe", &reader->header.metadata, false);
        SCOPED_BYTES out = copy_rows(ctx, reader, want, &options);
        SCOPED_IMAGE *read = must_decode(ctx, out.data, out.n);
        const satf_metadata *m = &read->metadata;
        assert_same_pixels("a pipe's", &want->view, &read->view);
        if (strip) {
            assert_null(m->xmp);
            assert_int_equal(m->exif_bytes, SATF_EXIF_ORIENTATION_BYTES);
            assert_int_equal(satf_exif_orientation(m->exif, m->exif_bytes), 6);
        } else {
            assert_blocks("late blocks", m, true);
        }
    }
}

/* Texts that are none, or no XMP, are as little as other comments. */
TEST(png_other_texts)
{
    SCOPED_BYTES text = make_text("XML:com.adobe.xmp", false, xmp, XMP_BYTES);
    SCOPED_BYTES small = make_text("XML:com.adobe.xmp", true, xmp, XMP_BYTES);
    const struct {
        const bytes *data;
        size_t n;
        int change; /* at which byte, to `to`; -1: none */
        unsigned char to;
    } cases[] = {
        {&text, text.n, 0, 'x'},  {&text, text.n, 17, 'x'},    {&text, 18, -1, 0},
        {&text, 19, -1, 0},       {&text, 20, -1, 0},          {&text, 29, -1, 0},
        {&text, 30, -1, 0},       {&text, 33, -1, 0},          {&text, 34, -1, 0},
        {&text, text.n, 18, 2},   {&small, text.n, 19, 1},     {&small, small.n - 5, -1, 0},
        {&small, small.n, 34, 0}, {&small, small.n, 50, 0x55}, {&small, 34, -1, 0},
    };
    for (size_t i = 0; i < 2 * ROWS_OF(cases); i++) {
        size_t c = i / 2, most = cases[c].data->n;
        SCOPED_BYTES changed = copy_of(cases[c].data);
        replace_bytes(&changed, most, 0, NULL, most < cases[c].n ? cases[c].n - most : 0);
        changed.n = cases[c].n;
        if (cases[c].change >= 0) {
            changed.data[cases[c].change] = cases[c].to;
        }
        SCOPED_BYTES file = png_with(ctx, i & 1, "iTXt", &changed);
        SCOPED_IMAGE *image = must_decode(ctx, file.data, file.n);
        if (image->metadata.xmp) {
            fail_msg("case %zu was taken", c);
        }
    }
}

/* What unpacks to more than the limit, or takes more packed. */
TEST(png_limits)
{
    enum { BIG = 1 << 20 };
    SCOPED_BYTES zeros = bytes_of(NULL, BIG);
    for (int i = 0; i < 4; i++) {
        SCOPED_BYTES text = make_text("XML:com.adobe.xmp", i & 2, zeros.data, BIG);
        SCOPED_BYTES file = png_with(ctx, i & 1, "iTXt", &text);
        SCOPED_IMAGE *image = must_decode(ctx, file.data, file.n);
        assert_int_equal(image->metadata.xmp_bytes, BIG);
        MUST(ctx, satf_context_set_limit(ctx, SATF_LIMIT_METADATA, BIG / 2));
        expect_decode(ctx, "much text", file.data, file.n, SATF_LIMIT, "limit: max-metadata");
        MUST(ctx, satf_context_set_limit(ctx, SATF_LIMIT_METADATA, 0));
    }
}

/* ---------------------------------------------------------------------- JPEG */

TEST(jpeg_markers)
{
    static const struct {
        int marker;
        const char *text;
        size_t n;
    } markers[] = {
        {0xed, DATA("Photoshop 3.0\0 and more")},
        {0xed, DATA("Photoshop 3.0\0resources")},
        {0xed, DATA("Adobe_CM\0")},
        {0xe1, DATA("http://ns.adobe.com/xap/1.0/\0second")},
        {0xe1, DATA("http://ns.adobe.com/xap/1.0/\0first")},
        {0xe1, DATA("http://ns.adobe.com/xap/1.0/\0")},
        {0xe1, DATA("http://ns.adobe.com/xmp/extension/\0GUID")},
    };
    /* the last comes first in the file; the first of XMP counts, the empty ones do not */
    SCOPED_BYTES file = random_file(ctx, "jpeg", 4, 1);
    for (size_t i = 0; i < ROWS_OF(markers); i++) {
        add_segment(&file, markers[i].marker, markers[i].text, markers[i].n);
    }
    SCOPED_IMAGE *image = must_decode(ctx, file.data, file.n);
    const satf_metadata *m = &image->metadata;
    assert_block("XMP", m->xmp, m->xmp_bytes, "first", 5);
    assert_block("IPTC", m->iptc, m->iptc_bytes, "resources and more", 18);
    assert_true(m->xmp_extended);
    assert_null(m->exif);
}

TEST_FILE(.formats = "all")
