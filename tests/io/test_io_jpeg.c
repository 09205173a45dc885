/* A JPEG that is written again stays as it was coded: tables, sampling, scans. */
#include "test.h"
#include "chunks.h"
#include "test_io_jpeg.h"

#include "chain/filter.h"

enum { WIDTH = 50, HEIGHT = 39 };

/* A smooth picture, coded like that. */
static bytes code(const jpeg_kind *k)
{
    unsigned char pixels[HEIGHT * WIDTH * 4];
    int row = WIDTH * k->channels;
    for (int i = 0; i < HEIGHT * row; i++) {
        pixels[i] = (unsigned char)(i % row / k->channels * 3 + i / row * (i % row % 3));
    }
    return code_jpeg(k, WIDTH, HEIGHT, pixels);
}

/* What a file's header says. */
typedef struct coding {
    int channels, h[3], v[3];
    bool progressive;
    J_COLOR_SPACE space;
    UINT16 quant[3][64];
} coding;

static coding look(const bytes *file)
{
    struct jpeg_decompress_struct c;
    struct jpeg_error_mgr errors;
    coding out = {0};
    c.err = jpeg_std_error(&errors);
    jpeg_create_decompress(&c);
    jpeg_mem_src(&c, file->data, file->n);
    jpeg_read_header(&c, TRUE);
    out.channels = c.num_components;
    out.progressive = c.progressive_mode;
    out.space = c.jpeg_color_space;
    for (int i = 0; i < c.num_components && i < 3; i++) {
        out.h[i] = c.comp_info[i].h_samp_factor;
        out.v[i] = c.comp_info[i].v_samp_factor;
        memcpy(out.quant[i], c.quant_tbl_ptrs[c.comp_info[i].quant_tbl_no]->quantval,
               sizeof out.quant[i]);
    }
    jpeg_destroy_decompress(&c);
    return out;
}

/* How the file is coded that is decoded, filtered if spec is not NULL, and written anew; most: no
 * more bytes than that. */
static coding again(satf_context *ctx, const bytes *file, const char *spec, int quality,
                    size_t most)
{
    SCOPED_IMAGE *image = must_decode(ctx, file->data, file->n),
                 *made = spec ? filtered(ctx, image, spec) : NULL;
    satf_write_options options = options_for("jpeg");
    options.quality = quality;
    SCOPED_BYTES out = must_encode_with(ctx, made ? made : image, &options);
    assert_true(out.n < most);
    return look(&out);
}

static const jpeg_kind kinds[] = {
    {1, 50, {1}, {1}, .progressive = false},
    {1, 95, {1}, {1}, .progressive = true},
    {3, 30, {2, 1, 1}, {2, 1, 1}, .progressive = false},
    {3, 75, {2, 1, 1}, {2, 1, 1}, .progressive = true},
    {3, 96, {2, 1, 1}, {1, 1, 1}, .progressive = false},
    {3, 85, {1, 1, 1}, {2, 1, 1}, .progressive = true},
    {3, 60, {1, 1, 1}, {1, 1, 1}, .progressive = false},
    {3, 60, {4, 1, 1}, {1, 1, 1}, .progressive = false},
    {3, 60, {2, 2, 1}, {2, 1, 1}, .progressive = false},
    {3, 80, {1, 1, 1}, {1, 1, 1}, .rgb = true},
};

/* Whatever is done to the picture, tables, sampling and scans stay, or are turned with it; a
 * quality that is given brings tables of its own. */
TEST(stays)
{
    static const struct {
        const char *spec;
        bool swaps;
        int quality;
    } ways[] = {{NULL, false, 0},        {"box=1", false, 0},    {"rotate=90", true, 0},
                {"rotate=270", true, 0}, {"transpose", true, 0}, {"rotate=180", false, 0},
                {NULL, false, 1},        {NULL, false, 40},      {NULL, false, 100}};
    for (size_t i = 0; i < ROWS_OF(ways) * ROWS_OF(kinds); i++) {
        size_t w = i % ROWS_OF(ways), k = i / ROWS_OF(ways);
        bool swaps = ways[w].swaps;
        jpeg_kind like = kinds[k];
        SCOPED_BYTES file = code(&like);
        coding want = look(&file);
        assert_int_equal(want.progressive, like.progressive);
        if (ways[w].quality) {
            like.quality = ways[w].quality;
            like.rgb = false;
            SCOPED_BYTES other = code(&like);
            memcpy(want.quant, look(&other).quant, sizeof want.quant);
        }
        size_t most = w < 2 ? file.n * 102 / 100 : SIZE_MAX;
        coding is = again(ctx, &file, ways[w].spec, ways[w].quality, most), turned = want;
        for (int c = 0; c < 3 && swaps; c++) {
            turned.h[c] = want.v[c];
            turned.v[c] = want.h[c];
            for (int q = 0; q < 64; q++) {
                turned.quant[c][q] = want.quant[c][q % 8 * 8 + q / 8];
            }
        }
        is.space = ways[w].quality ? turned.space : is.space;
        if (memcmp(&turned, &is, sizeof is) != 0) {
            fail_msg("kind %zu, %s, quality %d: coded otherwise, %dx%d, %dx%d, progressive %d", k,
                     ways[w].spec ? ways[w].spec : "as it is", ways[w].quality, is.h[0], is.v[0],
                     is.h[1], is.v[1], is.progressive);
        }
    }
}

static coding of_image(satf_context *ctx, const satf_image *image, int quality)
{
    satf_write_options options = options_for("jpeg");
    options.quality = quality;
    SCOPED_BYTES file = must_encode_with(ctx, image, &options);
    return look(&file);
}

static void assert_default(coding is, int quality)
{
    SCOPED_BYTES file =
        code(&(jpeg_kind){is.channels, quality, {2, 1, 1}, {2, 1, 1}, .rgb = false});
    coding want = look(&file);
    assert_memory_equal(is.quant, want.quant, sizeof want.quant);
    assert_false(is.progressive);
    if (is.channels == 3) {
        assert_int_equal(is.h[0], quality >= 90 ? 1 : 2);
        assert_int_equal(is.v[0], quality >= 90 ? 1 : 2);
    }
}

/* From no JPEG, or one of other channels or colours. */
TEST(others)
{
    for (int channels = 1; channels <= 3; channels += 2) {
        SCOPED_IMAGE *image = make_image(ctx, WIDTH, HEIGHT, channels, SATF_U8, 0, 1);
        assert_default(of_image(ctx, image, 0), 90);
        assert_default(of_image(ctx, image, 89), 89);
        jpeg_kind odd = {channels == 1 ? 3 : 1, 20, {1, 1, 1}, {1, 1, 1}, .progressive = true};
        SCOPED_BYTES file = code(&odd);
        SCOPED_IMAGE *other = must_decode(ctx, file.data, file.n);
        image->metadata.jpeg = other->metadata.jpeg;
        assert_int_equal(image->metadata.jpeg.components, odd.channels);
        assert_default(of_image(ctx, image, 0), 90);
    }
    SCOPED_BYTES cmyk = code(&(jpeg_kind){4, 20, .progressive = true});
    assert_default(again(ctx, &cmyk, NULL, 0, SIZE_MAX), 90);
}

/* What libjpeg does not write becomes colour of full resolution; factors in common go. */
TEST(odd_sampling)
{
    static const struct {
        unsigned char h[3], v[3];
        int want_h[3], want_v[3];
    } cases[] = {
        {{3, 2, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}}, {{2, 2, 2}, {2, 2, 2}, {1, 1, 1}, {1, 1, 1}},
        {{4, 4, 4}, {4, 2, 2}, {1, 1, 1}, {2, 1, 1}}, {{4, 1, 1}, {4, 1, 1}, {1, 1, 1}, {1, 1, 1}},
        {{1, 2, 2}, {1, 2, 2}, {1, 2, 2}, {1, 2, 2}}, {{0, 0, 0}, {0, 0, 0}, {1, 1, 1}, {1, 1, 1}},
    };
    SCOPED_IMAGE *image = make_image(ctx, WIDTH, HEIGHT, 3, SATF_U8, 0, 1);
    image->metadata.jpeg.components = 3;
    for (size_t i = 0; i < ROWS_OF(cases); i++) {
        memcpy(image->metadata.jpeg.h, cases[i].h, 3);
        memcpy(image->metadata.jpeg.v, cases[i].v, 3);
        coding is = of_image(ctx, image, 0);
        if (memcmp(is.h, cases[i].want_h, sizeof is.h) ||
            memcmp(is.v, cases[i].want_v, sizeof is.v)) {
            fail_msg("case %zu: %dx%d %dx%d", i, is.h[0], is.v[0], is.h[1], is.v[1]);
        }
    }
}

/* Steps of 0, and such that eight times as much is 0 in 16 bits: none of them divides. */
TEST(odd_tables)
{
    static const uint16_t steps[] = {0, 1, 255, 256, 4096, 8191, 8192, 16384, 32768, 65535};
    SCOPED_IMAGE *image = make_image(ctx, WIDTH, HEIGHT, 3, SATF_U8, 0, 1);
    image->metadata.jpeg =
        (satf_jpeg_coding){.components = 3, .h = {1, 1, 1}, .v = {1, 1, 1}, .has_tables = true};
    for (size_t i = 0; i < ROWS_OF(steps); i++) {
        for (int k = 0; k < 64; k++) {
            image->metadata.jpeg.quant[1][k] = steps[i];
        }
        coding is = of_image(ctx, image, 0);
        uint16_t want = steps[i] < 1 ? 1 : steps[i] > 8191 ? 8191 : steps[i];
        assert_int_equal(is.quant[1][63], want);
    }
}

/* All coefficients are held for scans, which the limit knows, and for codes of the picture's own,
 * which it may do without. */
TEST(memory)
{
    enum { SIDE = 512, COEFFICIENTS = 2 * SIDE * SIDE };
    SCOPED_IMAGE *image = make_image(ctx, SIDE, SIDE, 1, SATF_U8, 0, 1);
    memset(image->view.data, 77, SIDE * SIDE / 2);
    size_t sizes[2];
    for (int i = 0; i < 2; i++) {
        MUST(ctx, satf_context_set_limit(ctx, SATF_LIMIT_MEMORY, 4 * COEFFICIENTS - i));
        SCOPED_BYTES file = must_encode(ctx, image, "jpeg");
        sizes[i] = file.n;
    }
    assert_true(sizes[0] < sizes[1]);
    image->metadata.jpeg = (satf_jpeg_coding){.components = 1, .progressive = true};
    satf_write_options options = options_for("jpeg");
    MUST(ctx, satf_context_set_limit(ctx, SATF_LIMIT_MEMORY, COEFFICIENTS));
    SCOPED_BYTES file = must_encode(ctx, image, "jpeg");
    MUST(ctx, satf_context_set_limit(ctx, SATF_LIMIT_MEMORY, COEFFICIENTS - 1));
    expect_unwritten(ctx, image, &options, SATF_LIMIT, "a progressive JPEG takes 524288 bytes");
}

/* ------------------------------------------------- what no pixel needs, and what is not read */

enum { NOTHING, SEGMENTS, BYTES };

/* What is said of a file whose pixels are those of another. */
typedef struct remarks {
    int remark; /* BYTES is damage */
    bool icc;
    size_t icc_bytes;
} remarks;

/* n bytes in place of `cut` of the file's leave the pixels; this is said. */
static void expect_remarks(satf_context *ctx, const char *what, const bytes *plain, size_t at,
                           size_t cut, const void *data, size_t n, remarks want)
{
    SCOPED_BYTES file = copy_of(plain);
    replace_bytes(&file, at, cut, data, n);
    SCOPED_READER *reader = open_bytes(ctx, &file);
    const io_header *h = &reader->header;
    if (h->segments_damaged != (want.remark == SEGMENTS) || h->icc_damaged != want.icc ||
        h->metadata.icc_bytes != want.icc_bytes) {
        fail_msg("%s: segments %d, icc %d, %zu bytes", what, h->segments_damaged, h->icc_damaged,
                 h->metadata.icc_bytes);
    }
    SCOPED_IMAGE *same = must_decode(ctx, plain->data, plain->n);
    SCOPED_IMAGE *got = must_decode(ctx, file.data, file.n);
    satf_image_info info;
    satf_image_describe(got, &info, sizeof info);
    if (info.damaged != (want.remark == BYTES)) {
        fail_msg("%s: damaged %d", what, info.damaged);
    }
    assert_same_pixels(what, &same->view, &got->view);
}

/* The same change leaves a file that is refused. */
static void expect_failure(satf_context *ctx, const bytes *plain, size_t at, size_t cut,
                           const void *data, size_t n, satf_status status, const char *message)
{
    SCOPED_BYTES file = copy_of(plain);
    replace_bytes(&file, at, cut, data, n);
    expect_decode(ctx, message, file.data, file.n, status, message);
}

TEST(junk)
{
    const remarks damage = {.remark = BYTES};
    for (int progressive = 0; progressive < 2; progressive++) {
        SCOPED_BYTES file = make_jpeg(16, 3, progressive, 1);
        size_t at = find_segment(&file, 0xe1), count = 0;
        for (; file.data[at + 1] != 0xda; count++) { /* up to the first scan */
            expect_remarks(ctx, "junk", &file, at, 0, "\0abc\377\0d", 1 + at % 7, damage);
            at = next_segment(&file, at);
        }
        assert_true(count > 4);
        expect_remarks(ctx, "junk in front", &file, 2, 0, DATA("\0\1ab"), damage);
        static const char more[40] = "bytes";
        expect_remarks(ctx, "junk behind pixels", &file, file.n - 2, 0, more, sizeof more, damage);
        expect_remarks(ctx, "no junk", &file, 2, 0, "", 0, (remarks){0});
    }
}

/* A scan of all coefficients says of which it is; some programs write zeros there. Data that end
 * before the last pixel are cut, though the end marker is there. */
TEST(odd_scans)
{
    SCOPED_BYTES file = make_jpeg(16, 3, false, 0);
    expect_remarks(ctx, "a scan of nothing", &file, find_segment(&file, 0xda) + 11, 3,
                   DATA("\0\0\0"), (remarks){.remark = BYTES});
    expect_failure(ctx, &file, file.n - 60, 58, "", 0, SATF_DATA, "premature end of data segment");
    expect_failure(ctx, &file, file.n - 2, 2, "", 0, SATF_DATA, "truncated");
}

/* Adobe's segment cut by a byte, or with a transformation that there is not; JFIF of the future. */
TEST(odd_segments)
{
#define ADOBE(bytes, transformation) "\xff\xee\0" bytes "Adobe\0d\0\0\0\0" transformation
    SCOPED_BYTES file = make_jpeg(16, 3, false, 0);
    expect_remarks(ctx, "a cut Adobe segment", &file, 2, 0, DATA(ADOBE("\x0d", "\1")),
                   (remarks){.remark = BYTES});
    expect_remarks(ctx, "an empty Adobe segment", &file, 2, 0, DATA("\xff\xee\0\2"), (remarks){0});
    expect_remarks(ctx, "a whole Adobe segment", &file, 2, 0, DATA(ADOBE("\x0e", "\1")),
                   (remarks){0});
    /* in place of JFIF's segment, which is believed more */
    expect_remarks(ctx, "an unknown transformation", &file, 2, 18, DATA(ADOBE("\x0e", "\7")),
                   (remarks){.remark = SEGMENTS});
    expect_remarks(ctx, "JFIF 3", &file, find_segment(&file, 0xe0) + 9, 1, DATA("\3"),
                   (remarks){.remark = SEGMENTS});
}

/* Profiles of n bytes that say they have `own`, in a segment that calls itself number of count. */
TEST(odd_profiles)
{
    SCOPED_BYTES file = make_jpeg(16, 3, false, 0);
    size_t at = find_segment(&file, 0xdb);
    static const struct {
        const char *what;
        size_t n;
        unsigned own;
        const char *signature;
        int number, count;
        size_t kept;
    } cases[] = {
        {"a good one", 200, 200, "acsp", 1, 1, 200},
        {"with bytes behind it", 200, 160, "acsp", 1, 1, 160},
        {"too short", 200, 201, "acsp", 1, 1, 0},
        {"a header alone", 128, 128, "acsp", 1, 1, 0},
        {"not even that", 40, 40, "acsp", 1, 1, 0},
        {"a few bytes", 3, 3, "acsp", 1, 1, 0},
        {"no profile", 200, 200, "none", 1, 1, 0},
        {"number 0", 200, 200, "acsp", 0, 1, 0},
        {"number 2 of 1", 200, 200, "acsp", 2, 1, 0},
        {"one of two", 200, 200, "acsp", 1, 2, 0},
        {"number 1 twice", 200, 200, "acsp", 1, 1, 0},
    };
    for (size_t i = 0; i < ROWS_OF(cases); i++) {
        unsigned char segment[400] = "\xff\xe2\0\0ICC_PROFILE", *icc = segment + 18;
        segment[3] = (unsigned char)(cases[i].n + 16);
        segment[16] = (unsigned char)cases[i].number;
        segment[17] = (unsigned char)cases[i].count;
        icc[3] = (unsigned char)cases[i].own;
        memcpy(icc + 12, "mntrRGB XYZ ", 12);
        memcpy(icc + 36, cases[i].signature, 4);
        if (i + 1 == ROWS_OF(cases)) {
            replace_bytes(&file, at, 0, segment, cases[i].n + 18);
        }
        expect_remarks(ctx, cases[i].what, &file, at, 0, segment, cases[i].n + 18,
                       (remarks){NOTHING, cases[i].kept == 0, cases[i].kept});
    }
}

/* Kinds that libjpeg does not read are not called damaged. */
TEST(unsupported)
{
    SCOPED_BYTES file = make_jpeg(16, 3, false, 0);
    size_t sof = find_segment(&file, 0xc0);
    static const struct {
        size_t at; /* behind the segment's 0xff */
        const char *with;
        size_t n;
        satf_status status;
        const char *message;
    } cases[] = {
#if LIBJPEG_TURBO_VERSION_NUMBER < 3000000 /* later ones read it */
        {1, "\xc3", 1, SATF_UNSUPPORTED, "a lossless JPEG"},
#endif
        {1, "\xcb", 1, SATF_UNSUPPORTED, "a lossless JPEG"},
        {1, "\xc5", 1, SATF_UNSUPPORTED, "a hierarchical JPEG"},
        {1, "\xc6", 1, SATF_UNSUPPORTED, "a hierarchical JPEG"},
        {1, "\xcf", 1, SATF_UNSUPPORTED, "a hierarchical JPEG"},
        {4, "\x0c", 1, SATF_UNSUPPORTED, "a JPEG of 12 bits a sample"},
        {4, "\x10", 1, SATF_UNSUPPORTED, "a JPEG of 16 bits a sample"},
        {4, "\x11", 1, SATF_DATA, "damaged"},
        {5, "\0\0", 2, SATF_UNSUPPORTED, "a JPEG that tells its height behind its pixels (DNL)"},
        {7, "\0\0", 2, SATF_DATA, "damaged"},
        {5, "\0\0\0\0", 4, SATF_DATA, "damaged"},
    };
    for (size_t i = 0; i < ROWS_OF(cases); i++) {
        expect_failure(ctx, &file, sof + cases[i].at, cases[i].n, cases[i].with, cases[i].n,
                       cases[i].status, cases[i].message);
    }
}

TEST_FILE(.formats = "all")
