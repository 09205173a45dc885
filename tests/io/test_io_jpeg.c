/* A JPEG that is written again stays as it was coded: tables, sampling, scans. */
#include "test.h"
#include "test_io_jpeg.h"

#include "filter/filter.h"

typedef struct kind {
    int channels, quality;
    int h[3], v[3];
    bool progressive, rgb;
} kind;

enum { WIDTH = 50, HEIGHT = 39 };

/* A smooth picture, coded like that. */
static bytes code(const kind *k)
{
    struct jpeg_compress_struct c;
    struct jpeg_error_mgr errors;
    unsigned char *data = NULL;
    unsigned long n = 0;
    c.err = jpeg_std_error(&errors);
    jpeg_create_compress(&c);
    jpeg_mem_dest(&c, &data, &n);
    c.image_width = WIDTH;
    c.image_height = HEIGHT;
    c.input_components = k->channels;
    c.in_color_space = k->channels == 1 ? JCS_GRAYSCALE : k->channels == 3 ? JCS_RGB : JCS_CMYK;
    jpeg_set_defaults(&c);
    if (k->rgb) {
        jpeg_set_colorspace(&c, JCS_RGB);
    }
    jpeg_set_quality(&c, k->quality, TRUE);
    for (int i = 0; i < 3 && k->channels == 3; i++) {
        c.comp_info[i].h_samp_factor = k->h[i];
        c.comp_info[i].v_samp_factor = k->v[i];
    }
    if (k->progressive) {
        jpeg_simple_progression(&c);
    }
    jpeg_start_compress(&c, TRUE);
    while (c.next_scanline < HEIGHT) {
        unsigned char row[4 * WIDTH];
        JSAMPROW at = row;
        for (int i = 0; i < WIDTH * k->channels; i++) {
            row[i] = (unsigned char)(i / k->channels * 3 + (int)c.next_scanline * (i % 3));
        }
        jpeg_write_scanlines(&c, &at, 1);
    }
    jpeg_finish_compress(&c);
    jpeg_destroy_compress(&c);
    return (bytes){data, n};
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

/* The file decoded, filtered if spec is not NULL, and written anew. */
static bytes again(satf_context *ctx, const bytes *file, const char *spec, int quality)
{
    satf_image *image = must_decode(ctx, file->data, file->n);
    if (spec) {
        SCOPED_FILTER *filter;
        satf_image *out;
        assert_int_equal(satf_filter_parse(ctx, spec, &filter), SATF_OK);
        assert_int_equal(satf_image_filter(ctx, filter, image, SATF_TYPE_AUTO, &out), SATF_OK);
        satf_image_destroy(image);
        image = out;
    }
    satf_write_options options = options_for("jpeg");
    options.quality = quality;
    bytes out;
    if (encode(ctx, image, &options, &out)) {
        fail_msg("%s", satf_message(ctx));
    }
    satf_image_destroy(image);
    return out;
}

static const kind kinds[] = {
    {1, 50, {1}, {1}, false, false},
    {1, 95, {1}, {1}, true, false},
    {3, 30, {2, 1, 1}, {2, 1, 1}, false, false},
    {3, 75, {2, 1, 1}, {2, 1, 1}, true, false},
    {3, 96, {2, 1, 1}, {1, 1, 1}, false, false},
    {3, 85, {1, 1, 1}, {2, 1, 1}, true, false},
    {3, 60, {1, 1, 1}, {1, 1, 1}, false, false},
    {3, 60, {4, 1, 1}, {1, 1, 1}, false, false},
    {3, 60, {2, 2, 1}, {2, 1, 1}, false, false},
    {3, 80, {1, 1, 1}, {1, 1, 1}, false, true},
};

TEST(stays)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        bytes file = code(&kinds[i]);
        coding was = look(&file);
        assert_int_equal(was.progressive, kinds[i].progressive);
        for (int filtered = 0; filtered < 2; filtered++) {
            bytes out = again(ctx, &file, filtered ? "box=1" : NULL, 0);
            coding is = look(&out);
            if (memcmp(&was, &is, sizeof is) != 0) {
                fail_msg("kind %zu is coded otherwise: %dx%d, %dx%d, progressive %d", i, is.h[0],
                         is.v[0], is.h[1], is.v[1], is.progressive);
            }
            assert_true(out.n < file.n * 102 / 100);
            free(out.data);
        }
        free(file.data);
    }
}

TEST(turns)
{
    static const char *const specs[] = {"rotate=90", "rotate=270", "transpose", "rotate=180"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        bytes file = code(&kinds[i]);
        coding was = look(&file);
        for (int s = 0; s < 4; s++) {
            bytes out = again(ctx, &file, specs[s], 0);
            coding is = look(&out);
            bool swaps = s < 3;
            for (int c = 0; c < is.channels; c++) {
                assert_int_equal(is.h[c], swaps ? was.v[c] : was.h[c]);
                assert_int_equal(is.v[c], swaps ? was.h[c] : was.v[c]);
                for (int k = 0; k < 64; k++) {
                    assert_int_equal(is.quant[c][k], was.quant[c][swaps ? k % 8 * 8 + k / 8 : k]);
                }
            }
            assert_int_equal(is.progressive, was.progressive);
            free(out.data);
        }
        free(file.data);
    }
}

TEST(given_quality)
{
    static const int qualities[] = {1, 40, 100};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        bytes file = code(&kinds[i]);
        coding was = look(&file);
        for (int q = 0; q < 3; q++) {
            kind like = kinds[i];
            like.quality = qualities[q];
            like.rgb = false;
            bytes want = code(&like), out = again(ctx, &file, NULL, qualities[q]);
            coding wanted = look(&want), is = look(&out);
            assert_memory_equal(is.quant, wanted.quant, sizeof is.quant);
            assert_memory_equal(is.h, was.h, sizeof is.h);
            assert_memory_equal(is.v, was.v, sizeof is.v);
            assert_int_equal(is.progressive, was.progressive);
            free(want.data);
            free(out.data);
        }
        free(file.data);
    }
}

static coding of_image(satf_context *ctx, const satf_image *image, int quality)
{
    satf_write_options options = options_for("jpeg");
    options.quality = quality;
    bytes file;
    assert_int_equal(encode(ctx, image, &options, &file), SATF_OK);
    coding is = look(&file);
    free(file.data);
    return is;
}

static void assert_default(const coding *is, int quality)
{
    kind like = {is->channels, quality, {2, 1, 1}, {2, 1, 1}, false, false};
    bytes file = code(&like);
    coding want = look(&file);
    assert_memory_equal(is->quant, want.quant, sizeof want.quant);
    assert_false(is->progressive);
    if (is->channels == 3) {
        assert_int_equal(is->h[0], quality >= 90 ? 1 : 2);
        assert_int_equal(is->v[0], quality >= 90 ? 1 : 2);
    }
    free(file.data);
}

/* From no JPEG, or one of other channels or colours. */
TEST(others)
{
    for (int channels = 1; channels <= 3; channels += 2) {
        SCOPED_IMAGE *image = make_image(ctx, WIDTH, HEIGHT, channels, SATF_U8, 0, 1);
        coding is = of_image(ctx, image, 0);
        assert_default(&is, 90);
        is = of_image(ctx, image, 89);
        assert_default(&is, 89);
        kind odd = {channels == 1 ? 3 : 1, 20, {1, 1, 1}, {1, 1, 1}, true, false};
        bytes file = code(&odd);
        SCOPED_IMAGE *other = must_decode(ctx, file.data, file.n);
        image->metadata.jpeg = other->metadata.jpeg;
        assert_int_equal(image->metadata.jpeg.components, odd.channels);
        is = of_image(ctx, image, 0);
        assert_default(&is, 90);
        free(file.data);
    }
    kind cmyk = {4, 20, {1}, {1}, true, false};
    bytes file = code(&cmyk), out = again(ctx, &file, NULL, 0);
    coding is = look(&out);
    assert_default(&is, 90);
    free(file.data);
    free(out.data);
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
    satf_image *image = make_image(ctx, WIDTH, HEIGHT, 3, SATF_U8, 0, 1);
    image->metadata.jpeg.components = 3;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        memcpy(image->metadata.jpeg.h, cases[i].h, 3);
        memcpy(image->metadata.jpeg.v, cases[i].v, 3);
        coding is = of_image(ctx, image, 0);
        if (memcmp(is.h, cases[i].want_h, sizeof is.h) ||
            memcmp(is.v, cases[i].want_v, sizeof is.v)) {
            fail_msg("case %zu: %dx%d %dx%d", i, is.h[0], is.v[0], is.h[1], is.v[1]);
        }
    }
    satf_image_destroy(image);
}

/* Steps of 0, and such that eight times as much is 0 in 16 bits: none of them divides. */
TEST(odd_tables)
{
    static const uint16_t steps[] = {0, 1, 255, 256, 4096, 8191, 8192, 16384, 32768, 65535};
    SCOPED_IMAGE *image = make_image(ctx, WIDTH, HEIGHT, 3, SATF_U8, 0, 1);
    image->metadata.jpeg =
        (satf_jpeg_coding){.components = 3, .h = {1, 1, 1}, .v = {1, 1, 1}, .has_tables = true};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
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
        assert_int_equal(satf_context_set_limit(ctx, SATF_MAX_MEMORY, 4 * COEFFICIENTS - i),
                         SATF_OK);
        bytes file = must_encode(ctx, image, "jpeg");
        sizes[i] = file.n;
        free(file.data);
    }
    assert_true(sizes[0] < sizes[1]);
    image->metadata.jpeg = (satf_jpeg_coding){.components = 1, .progressive = true};
    for (int i = 0; i < 2; i++) {
        satf_write_options options = options_for("jpeg");
        bytes file;
        assert_int_equal(satf_context_set_limit(ctx, SATF_MAX_MEMORY, COEFFICIENTS - i), SATF_OK);
        assert_int_equal(encode(ctx, image, &options, &file), i ? SATF_LIMIT : SATF_OK);
        free(file.data);
    }
    assert_non_null(strstr(satf_message(ctx), "a progressive JPEG takes 524288 bytes"));
}

/* ------------------------------------------------- what no pixel needs, and what is not read */

/* The file with n bytes in place of `cut` others. */
static bytes splice(const bytes *file, size_t at, size_t cut, const void *with, size_t n)
{
    bytes out = {malloc(file->n + n), file->n + n - cut};
    memcpy(out.data, file->data, at);
    memcpy(out.data + at, with, n);
    memcpy(out.data + at + n, file->data + at + cut, file->n - at - cut);
    return out;
}

/* Where the first segment of that kind is: its 0xff. */
static size_t find_segment(const bytes *file, int marker)
{
    size_t at = 2;
    while (file->data[at + 1] != marker) {
        assert_int_equal(file->data[at], 0xff);
        at += 2 + ((size_t)file->data[at + 2] << 8) + file->data[at + 3];
        assert_true(at + 4 < file->n);
    }
    return at;
}

enum { NOTHING, SEGMENTS, BYTES };

/* The same pixels as `plain`, and these remarks, of which BYTES is damage; takes the file. */
static void expect_remarks(satf_context *ctx, const char *what, const bytes *plain, bytes file,
                           int remark, bool icc, size_t icc_bytes)
{
    io_reader *reader;
    if (io_open_memory(ctx, file.data, file.n, &reader)) {
        fail_msg("%s: %s", what, satf_message(ctx));
    }
    if (reader->header.segments_damaged != (remark == SEGMENTS) ||
        reader->header.icc_damaged != icc || reader->header.metadata.icc_bytes != icc_bytes) {
        fail_msg("%s: segments %d, icc %d, %zu bytes", what, reader->header.segments_damaged,
                 reader->header.icc_damaged, reader->header.metadata.icc_bytes);
    }
    io_close(reader);
    SCOPED_IMAGE *want = must_decode(ctx, plain->data, plain->n);
    SCOPED_IMAGE *got = must_decode(ctx, file.data, file.n);
    satf_image_info info;
    satf_image_describe(got, &info, sizeof info);
    if (info.damaged != (remark == BYTES)) {
        fail_msg("%s: damaged %d", what, info.damaged);
    }
    assert_same_pixels(what, &want->view, &got->view);
    free(file.data);
}

static void expect_failure(satf_context *ctx, bytes file, satf_status status, const char *message)
{
    satf_image *image;
    satf_status got = satf_image_decode(ctx, file.data, file.n, &image);
    if (got != status || !strstr(satf_message(ctx), message)) {
        fail_msg("%s: %s \"%s\"", message, satf_status_name(got), satf_message(ctx));
    }
    free(file.data);
}

TEST(junk)
{
    for (int progressive = 0; progressive < 2; progressive++) {
        bytes file = make_jpeg(16, 3, progressive, 1);
        size_t at = find_segment(&file, 0xe1), count = 0;
        for (; file.data[at + 1] != 0xda; count++) { /* up to the first scan */
            bytes odd = splice(&file, at, 0, "\0abc\377\0d", 1 + at % 7);
            expect_remarks(ctx, "junk", &file, odd, BYTES, false, 0);
            at += 2 + ((size_t)file.data[at + 2] << 8) + file.data[at + 3];
        }
        assert_true(count > 4);
        expect_remarks(ctx, "junk", &file, splice(&file, 2, 0, "\0\1ab", 4), BYTES, false, 0);
        static const char more[40] = "bytes";
        expect_remarks(ctx, "junk behind pixels", &file,
                       splice(&file, file.n - 2, 0, more, sizeof more), BYTES, false, 0);
        expect_remarks(ctx, "no junk", &file, splice(&file, 2, 0, "", 0), NOTHING, false, 0);
        free(file.data);
    }
}

/* A scan of all coefficients says of which it is; some programs write zeros there. Data that end
 * before the last pixel are cut, though the end marker is there. */
TEST(odd_scans)
{
    bytes file = make_jpeg(16, 3, false, 0);
    size_t scan = find_segment(&file, 0xda);
    expect_remarks(ctx, "a scan of nothing", &file, splice(&file, scan + 11, 3, "\0\0\0", 3), BYTES,
                   false, 0);
    expect_failure(ctx, splice(&file, file.n - 60, 58, "", 0), SATF_DATA,
                   "premature end of data segment");
    expect_failure(ctx, splice(&file, file.n - 2, 2, "", 0), SATF_DATA, "truncated");
    free(file.data);
}

/* Adobe's segment cut by a byte, or with a transformation that there is not; JFIF of the future. */
TEST(odd_segments)
{
    bytes file = make_jpeg(16, 3, false, 0);
#define INSERT(text) splice(&file, 2, 0, text, sizeof text - 1)
    expect_remarks(ctx, "a cut Adobe segment", &file,
                   INSERT("\xff\xee\0\x0d"
                          "Adobe\0d\0\0\0\0"
                          "\1"),
                   BYTES, false, 0);
    expect_remarks(ctx, "an empty Adobe segment", &file, INSERT("\xff\xee\0\2"), NOTHING, false, 0);
    expect_remarks(ctx, "a whole Adobe segment", &file,
                   INSERT("\xff\xee\0\x0e"
                          "Adobe\0d\0\0\0\0\1"),
                   NOTHING, false, 0);
    bytes plain = file; /* without JFIF's segment, which is believed more */
    file = splice(&plain, 2, 18, "", 0);
    expect_remarks(ctx, "an unknown transformation", &plain,
                   INSERT("\xff\xee\0\x0e"
                          "Adobe\0d\0\0\0\0\7"),
                   SEGMENTS, false, 0);
    free(file.data);
    file = plain;
    expect_remarks(ctx, "JFIF 3", &file, splice(&file, find_segment(&file, 0xe0) + 9, 1, "\3", 1),
                   SEGMENTS, false, 0);
    free(file.data);
}

/* A profile of n bytes that says it has `own`, in a segment that calls itself number of count. */
static bytes with_icc(const bytes *file, size_t n, unsigned own, const char *signature, int number,
                      int count)
{
    unsigned char segment[400] = "\xff\xe2\0\0ICC_PROFILE", *icc = segment + 18;
    segment[3] = (unsigned char)(n + 16);
    segment[16] = (unsigned char)number;
    segment[17] = (unsigned char)count;
    icc[3] = (unsigned char)own;
    memcpy(icc + 12, "mntrRGB XYZ ", 12);
    memcpy(icc + 36, signature, 4);
    return splice(file, find_segment(file, 0xdb), 0, segment, n + 18);
}

TEST(odd_profiles)
{
    bytes file = make_jpeg(16, 3, false, 0);
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
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expect_remarks(ctx, cases[i].what, &file,
                       with_icc(&file, cases[i].n, cases[i].own, cases[i].signature,
                                cases[i].number, cases[i].count),
                       NOTHING, cases[i].kept == 0, cases[i].kept);
    }
    bytes one = with_icc(&file, 200, 200, "acsp", 1, 1);
    expect_remarks(ctx, "number 1 twice", &file, with_icc(&one, 200, 200, "acsp", 1, 1), NOTHING,
                   true, 0);
    free(one.data);
    free(file.data);
}

/* Kinds that libjpeg does not read are not called damaged. */
TEST(unsupported)
{
    bytes file = make_jpeg(16, 3, false, 0);
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
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expect_failure(ctx, splice(&file, sof + cases[i].at, cases[i].n, cases[i].with, cases[i].n),
                       cases[i].status, cases[i].message);
    }
    free(file.data);
}

TEST_FILE(.formats = "all")
