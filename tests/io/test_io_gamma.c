/* What PNG says in numbers of its own and JPEG otherwise: gamma as a profile, and EXIF's resolution
 * as that of the pixels. */
#include "test.h"
#include "exif_blocks.h"
#include "test_io_metadata.h"

/* ---------------------------------------------------------- gamma in a JPEG */

static uint32_t load32(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* Number i of a tag's element, behind its type. */
static double profile_number(const satf_metadata *m, const char *tag, size_t i)
{
    uint32_t count = load32(m->icc + 128);
    for (uint32_t k = 0; k < count; k++) {
        const unsigned char *at = m->icc + 132 + 12 * k;
        if (memcmp(at, tag, 4) == 0) {
            uint32_t from = load32(at + 4), n = load32(at + 8);
            assert_true(from % 4 == 0 && from + n <= m->icc_bytes && 12 + 4 * i <= n);
            return (int32_t)load32(m->icc + from + 8 + 4 * i) / 65536.0;
        }
    }
    fail_msg("there is no %s", tag);
    return 0;
}

/* Through a JPEG; must have a profile of that size at the least, or none. */
static satf_image *by_jpeg(satf_context *ctx, satf_image *image, size_t at_least)
{
    SCOPED_BYTES file = must_encode(ctx, image, "jpeg");
    satf_image *read = must_decode(ctx, file.data, file.n);
    const satf_metadata *m = &read->metadata;
    assert_true(at_least ? m->icc_bytes >= at_least : !m->icc);
    if (m->icc) {
        assert_int_equal(load32(m->icc), m->icc_bytes);
        assert_memory_equal(m->icc + 36, "acsp", 4);
        assert_memory_equal(m->icc + 16, image->view.channels == 1 ? "GRAY" : "RGB ", 4);
        /* libpng, which looks closely, takes it */
        SCOPED_BYTES png = must_encode(ctx, read, "png");
        SCOPED_IMAGE *again = must_decode(ctx, png.data, png.n);
        assert_block("profile", again->metadata.icc, again->metadata.icc_bytes, m->icc,
                     m->icc_bytes);
    }
    return read;
}

static void assert_colour(const satf_metadata *m, const char *tag, const double *want)
{
    for (size_t i = 0; i < 3; i++) {
        if (fabs(profile_number(m, tag, i) - want[i]) > 3e-4) {
            fail_msg("%s: %g, not %g", tag, profile_number(m, tag, i), want[i]);
        }
    }
}

/* The colorants are those of the profiles that Adobe and HP have published. */
TEST(gamma_of_colours)
{
    static const double chromaticities[2][8] = {{0.3127, 0.329, 0.64, 0.33, 0.21, 0.71, 0.15, 0.06},
                                                {0.3127, 0.329, 0.64, 0.33, 0.3, 0.6, 0.15, 0.06}};
    static const double colorants[2][3][3] = {
        {{0.60974, 0.31111, 0.01947}, {0.20528, 0.62567, 0.06087}, {0.14919, 0.06322, 0.74457}},
        {{0.43607, 0.22249, 0.01392}, {0.38515, 0.71687, 0.09708}, {0.14307, 0.06061, 0.7141}}};
    for (int i = 0; i < 6; i++) { /* Adobe's, sRGB's, sRGB's as none are given */
        bool gamma = i<3, srgb = i % 3> 0;
        SCOPED_IMAGE *image = make_image(ctx, 4, 4, 3, SATF_U8, 0, 8);
        image->metadata.has_gamma = gamma || i % 3 == 2;
        image->metadata.gamma = gamma ? 1 / 2.2 : 20;
        image->metadata.has_chromaticities = i % 3 < 2;
        memcpy(image->metadata.chromaticities, chromaticities[srgb], sizeof *chromaticities);
        SCOPED_IMAGE *read = by_jpeg(ctx, image, 400);
        const satf_metadata *m = &read->metadata;
        assert_colour(m, "rXYZ", colorants[srgb][0]);
        assert_colour(m, "gXYZ", colorants[srgb][1]);
        assert_colour(m, "bXYZ", colorants[srgb][2]);
        for (int k = 0; k < 3; k++) {
            const char *curve = k == 0 ? "rTRC" : k == 1 ? "gTRC" : "bTRC";
            double kind = profile_number(m, curve, 0), power = profile_number(m, curve, 1);
            double want = gamma ? 2.2 : i % 3 == 2 ? 0.05 : 2.4;
            assert_true(kind == (want == 2.4 ? 3 : 0) && fabs(power - want) < 2e-5);
        }
    }
}

TEST(gamma_of_grey)
{
    SCOPED_IMAGE *image = make_image(ctx, 4, 4, 1, SATF_U8, 0, 8);
    satf_metadata *m = &image->metadata;
    m->has_gamma = true;
    m->gamma = 0.5;
    SCOPED_IMAGE *read = by_jpeg(ctx, image, 200);
    assert_true(profile_number(&read->metadata, "kTRC", 1) == 2);
    m->has_srgb = true; /* what a JPEG without a profile is too */
    satf_image_destroy(by_jpeg(ctx, image, 0));
    m->has_srgb = m->has_gamma = false;
    satf_image_destroy(by_jpeg(ctx, image, 0));
    m->has_gamma = true;
    m->gamma = 1e-9; /* its power is beyond what a profile can say */
    satf_image_destroy(by_jpeg(ctx, image, 0));
}

/* ------------------------------------------------------------ EXIF's resolution */

/* X and Y in whole numbers over 2, and the unit (0: not there). */
static block make_resolution(bool big, uint32_t x, uint32_t y, unsigned unit)
{
    block b;
    begin_block(&b, big);
    int entries = unit ? 3 : 2;
    uint32_t values = 8 + 2 + 12 * (uint32_t)entries + 4;
    const uint32_t directory[][4] = {
        {0x11a, 5, 1, values}, {0x11b, 5, 1, values + 8}, {0x128, SATF_TIFF_SHORT, 1, unit}};
    put_directory(&b, directory, entries, 0);
    b.t.bytes += 16;
    put_number(&b, values, 4, x);
    put_number(&b, values + 4, 4, 2);
    put_number(&b, values + 8, 4, y);
    put_number(&b, values + 12, 4, 2);
    return b;
}

TEST(exif_resolution)
{
    static const struct {
        uint32_t x, y;
        unsigned unit;
        size_t cut;       /* so many bytes are missing */
        double to_metres; /* 0: it says nothing */
        int of_metres;
    } cases[] = {{600, 400, 2, 0, 0.5 / 0.0254, 1},
                 {600, 400, 0, 0, 0.5 / 0.0254, 1},
                 {600, 400, 3, 0, 50, 1},
                 {600, 400, 1, 0, 0.5, 0},
                 {600, 600, 1, 0, 0, 0},
                 {0, 400, 2, 0, 0, 0},
                 {600, 400, 2, 1, 0, 0},
                 {600, 400, 2, 16, 0, 0}};
    for (size_t i = 0; i < 2 * ROWS_OF(cases); i++) {
        size_t c = i / 2;
        block b = make_resolution(i & 1, cases[c].x, cases[c].y, cases[c].unit);
        SCOPED_BYTES exif = bytes_of("Exif\0", 6);
        append_bytes(&exif, b.room, b.t.bytes - cases[c].cut);
        SCOPED_BYTES file = random_file(ctx, "jpeg", 4, 1);
        add_segment(&file, 0xe1, exif.data, exif.n);
        SCOPED_IMAGE *read = must_decode(ctx, file.data, file.n);
        const satf_metadata *m = &read->metadata;
        assert_int_equal(m->has_resolution, cases[c].to_metres > 0);
        if (m->has_resolution) {
            assert_true(fabs(m->resolution_x - cases[c].x * cases[c].to_metres) < 1e-6);
            assert_true(fabs(m->resolution_y - cases[c].y * cases[c].to_metres) < 1e-6);
            assert_int_equal(m->resolution_unit, cases[c].of_metres);
        }
    }
    /* what JFIF says goes first */
    SCOPED_IMAGE *image = make_image(ctx, 4, 4, 1, SATF_U8, 0, 8);
    image->metadata.has_resolution = true;
    image->metadata.resolution_unit = 1;
    image->metadata.resolution_x = image->metadata.resolution_y = 10000;
    block b = make_resolution(false, 600, 400, 2);
    give(&image->metadata.exif, &image->metadata.exif_bytes, b.room, b.t.bytes);
    SCOPED_BYTES file = must_encode(ctx, image, "jpeg");
    SCOPED_IMAGE *read = must_decode(ctx, file.data, file.n);
    assert_true(fabs(read->metadata.resolution_x - 10000) < 1e-6);
}

TEST_FILE(.formats = "all")
