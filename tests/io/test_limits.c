/* What a file may demand: every limit refuses with its name, before memory is taken, and lets
 * real files through; only the formats allowed are decoded. */
#include "test.h"

#include <stdatomic.h>

#include "test_io_jpeg.h"
#include "test_io_metadata.h"

static void set_limit(satf_context *ctx, satf_limit limit, int64_t value)
{
    MUST(ctx, satf_context_set_limit(ctx, limit, value));
}

/* The same as expect_decode(), of a file with that name. */
static void expect_file(satf_context *ctx, const bytes *file, satf_status status,
                        const char *sentence)
{
    SCOPED_IMAGE *image;
    char name[] = "/tmp/satfilter-limits.XXXXXX";
    int fd = mkstemp(name);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, file->data, file->n), (ssize_t)file->n);
    close(fd);
    assert_refused(ctx, "a file", satf_image_read(ctx, name, &image), status, sentence);
    unlink(name);
}

static _Atomic size_t largest; /* number of bytes that have been asked for at once */

void *__real_satf_alloc(size_t n);
void *__wrap_satf_alloc(size_t n);

void *__wrap_satf_alloc(size_t n)
{
    for (size_t most = largest; n > most && !atomic_compare_exchange_weak(&largest, &most, n);) {
    }
    return __real_satf_alloc(n);
}

/* -------------------------------------------------------------------- PNGs */

/* A PNG of zeros, one byte a row of pixels at most, IHDR's claims as given. */
static bytes png_of_zeros(uint32_t width, uint32_t height, int depth, int colour, size_t raw)
{
    SCOPED_BYTES zeros = bytes_of(NULL, raw);
    bytes png = begin_png(width, height, depth, colour, false);
    put_pixels(&png, zeros.data, raw);
    put_chunk(&png, png.n, "IEND", "", 0);
    return png;
}

/* The size in the JPEG's frame header becomes another. */
static void claim_size(bytes *jpeg, const char *size)
{
    memcpy(jpeg->data + find_segment(jpeg, 0xc0) + 5, size, 4);
}

TEST(ratio)
{
    SCOPED_BYTES claim = png_of_zeros(30000, 30000, 8, 0, 100);
    expect_decode(ctx, "a PNG that only claims", claim.data, claim.n, SATF_LIMIT,
                  "limit: max-ratio");
    set_limit(ctx, SATF_LIMIT_RATIO, INT64_MAX);
    expect_decode(ctx, "the same, trusted", claim.data, claim.n, SATF_DATA, "");
    set_limit(ctx, SATF_LIMIT_RATIO, 0);

    /* Deflate's best: real, so it passes, unless less is allowed. */
    SCOPED_BYTES bomb = png_of_zeros(3999, 2000, 8, 0, 4000 * 2000);
    assert_true(bomb.n < 4000 * 2000 / 900);
    expect_decode(ctx, "an empty page", bomb.data, bomb.n, SATF_OK, "");
    set_limit(ctx, SATF_LIMIT_RATIO, 200);
    expect_decode(ctx, "a bomb", bomb.data, bomb.n, SATF_LIMIT,
                  "limit of 200 times (limit: max-ratio)");
    set_limit(ctx, SATF_LIMIT_RATIO, 0);

    /* Of one bit a pixel: eight times as large once decoded, which is no fault of the file's. */
    SCOPED_BYTES fax = png_of_zeros(8 * 3999, 200, 1, 0, 4000 * 200);
    expect_decode(ctx, "an empty fax", fax.data, fax.n, SATF_OK, "");
}

/* The first bytes of a large picture: too few for it because the rest is missing. */
TEST(ratio_of_a_truncated_file)
{
    SCOPED_BYTES png = png_of_zeros(30000, 3000, 8, 0, 1 << 20), jpeg = make_jpeg(16, 1, false, 0);
    expect_decode(ctx, "a PNG's first bytes", png.data, png.n - IEND_BYTES, SATF_DATA, "truncated");
    expect_decode(ctx, "all of it", png.data, png.n, SATF_LIMIT, "limit: max-ratio");
    claim_size(&jpeg, "\x20\0\x20\0");
    expect_decode(ctx, "all of the JPEG", jpeg.data, jpeg.n, SATF_LIMIT, "limit: max-ratio");
    jpeg.n -= 30;
    expect_decode(ctx, "a JPEG's first bytes", jpeg.data, jpeg.n, SATF_DATA, "truncated");
    expect_file(ctx, &jpeg, SATF_DATA, "truncated");
}

/* A file descriptor that cannot tell its size is read as far as it goes. */
TEST(ratio_of_a_pipe)
{
    SCOPED_BYTES claim = png_of_zeros(30000, 3000, 8, 0, 100);
    SCOPED_READER *reader = open_pipe(ctx, &claim);
    SCOPED_BYTES row = bytes_of(NULL, 30000);
    assert_int_equal(io_read_rows(ctx, reader, row.data, 30000, 1), SATF_DATA);
}

/* A chunk in front of the pixels or behind them that says it holds 2 GB: nobody makes room for it.
 */
TEST(png_chunk_claims)
{
    static const char *const names[] = {"eXIf", "iCCP", "iTXt", "hIST", "abcd", "PLTE", "tRNS"};
    set_limit(ctx, SATF_LIMIT_METADATA, 1 << 20);
    for (size_t i = 0; i < 2 * ROWS_OF(names); i++) {
        SCOPED_BYTES file = png_of_zeros(4, 4, 8, 0, 20);
        size_t at = i % 2 ? BEHIND_IHDR : file.n - IEND_BYTES;
        put_chunk(&file, at, names[i / 2], "0123456789", 10);
        store_big(file.data + at, 0x7fffff00, 4);
        SCOPED_IMAGE *image;
        largest = 0;
        satf_status status = satf_image_decode(ctx, file.data, file.n, &image);
        assert_true(status && status != SATF_NO_MEMORY);
        assert_in_range(largest, 1, 2 << 20);
    }
}

/* Large as they are; or small, and unpacking into a large profile. */
TEST(png_metadata)
{
    enum { BIG = 1 << 20 };
    SCOPED_BYTES file = png_of_zeros(4, 4, 8, 0, 20), text = bytes_of(NULL, BIG);
    SCOPED_BYTES exif = copy_of(&text), icc = copy_of(&text), head = make_icc(132, true);
    file.data[8] = 0x40; /* the most significant byte of its first length */
    expect_decode(ctx, "a PNG's header of 1 GB", file.data, file.n, SATF_DATA, "IHDR");
    file.data[8] = 0;
    memcpy(text.data, "ab", 3); /* a keyword */
    memcpy(exif.data, "MM\0*", 4);
    memcpy(icc.data, head.data, 132);
    store_big(icc.data, BIG, 4);
    SCOPED_BYTES iccp = bytes_of("ab\0", 4), stream = deflated(icc.data, BIG);
    append_bytes(&iccp, stream.data, stream.n);
    assert_true(iccp.n < BIG / 100);
    const struct {
        const char *name;
        const bytes *data;
        bool late;
    } chunks[] = {{"tEXt", &text, false}, {"xxXx", &text, false}, {"iCCP", &iccp, false},
                  {"eXIf", &exif, false}, {"tEXt", &text, true},  {"eXIf", &exif, true}};
    for (size_t i = 0; i < ROWS_OF(chunks); i++) {
        SCOPED_BYTES large = copy_of(&file);
        add_chunk(&large, chunks[i].late, chunks[i].name, chunks[i].data->data, chunks[i].data->n);
        expect_decode(ctx, chunks[i].name, large.data, large.n, SATF_OK, "");
        set_limit(ctx, SATF_LIMIT_METADATA, BIG / 2);
        expect_decode(ctx, chunks[i].name, large.data, large.n, SATF_LIMIT, "limit: max-metadata");
        set_limit(ctx, SATF_LIMIT_METADATA, 0);
    }
}

/* ------------------------------------------------------------------- JPEGs */

TEST(jpegs)
{
    SCOPED_BYTES scans = make_jpeg(16, 1, true, 0), much = make_jpeg(16, 1, false, 20),
                 claim = make_jpeg(16, 1, false, 0);
    expect_decode(ctx, "a progressive JPEG", scans.data, scans.n, SATF_OK, "");
    set_limit(ctx, SATF_LIMIT_SCANS, 2);
    expect_decode(ctx, "more than two scans", scans.data, scans.n, SATF_LIMIT, "limit: max-scans");
    set_limit(ctx, SATF_LIMIT_SCANS, 0);

    expect_decode(ctx, "a JPEG with 1.2 MB of EXIF", much.data, much.n, SATF_OK, "");
    set_limit(ctx, SATF_LIMIT_METADATA, 1 << 20);
    expect_decode(ctx, "too much EXIF", much.data, much.n, SATF_LIMIT, "limit: max-metadata");
    expect_file(ctx, &much, SATF_LIMIT, "limit: max-metadata");
    set_limit(ctx, SATF_LIMIT_METADATA, 0);
    expect_file(ctx, &much, SATF_OK, "");

    claim_size(&claim, "\xff\xdc\xff\xdc"); /* 65500 x 65500 */
    set_limit(ctx, SATF_LIMIT_PIXELS, INT64_MAX);
    expect_decode(ctx, "only a claim", claim.data, claim.n, SATF_LIMIT, "limit: max-ratio");
    set_limit(ctx, SATF_LIMIT_PIXELS, 0);
    expect_decode(ctx, "only a claim", claim.data, claim.n, SATF_LIMIT, "limit: max-");
}

/* Each counts more than its four bytes, for it takes more memory, and time to find its place. */
TEST(short_segments)
{
    static const int markers[] = {0xe1, 0xe2, 0xe3, 0xec, 0xed, 0xef, 0xfe};
    static const int64_t limits[] = {0, 8 << 20, 2000 << 12};
    for (size_t i = 0; i < 2 * ROWS_OF(markers); i++) {
        bool many = i & 1;
        size_t count = many ? 17000 : 2000;
        SCOPED_BYTES file = make_jpeg(16, 1, true, 0);
        replace_bytes(&file, 2, 0, NULL, 4 * count);
        for (size_t k = 0; k < count; k++) {
            store_big(file.data + 2 + 4 * k, 0xff000002u | (unsigned)markers[i / 2] << 16, 4);
        }
        char what[40];
        snprintf(what, sizeof what, "%s of marker %x", many ? "many" : "some", markers[i / 2]);
        for (size_t k = 0; k < ROWS_OF(limits); k++) {
            set_limit(ctx, SATF_LIMIT_METADATA, limits[k]);
            bool fits = !many && k < 2;
            expect_decode(ctx, what, file.data, file.n, fits ? SATF_OK : SATF_LIMIT,
                          fits ? "" : "limit: max-metadata");
        }
    }
}

/* --------------------------------------------------------------- the others */

/* Those of text are in test_io_damage.c. */
TEST(claims_without_pixels)
{
    /* 40000 x 40000 pixels, RGB of 16 bits, no sections, not packed */
    static const unsigned char psd[] = "8BPS\0\1\0\0\0\0\0\0\0\3\0\0\x9c\x40\0\0\x9c\x40\0\x10\0\3"
                                       "\0\0\0\0\0\0\0\0\0\0\0\0\0\0the pixels";
    /* Memory for such pictures is refused, so they are refused before it is asked for. */
    set_limit(ctx, SATF_LIMIT_MEMORY, 1 << 20);
    MUST(ctx, satf_context_set_formats(ctx, "psd,pnm"));
    expect_decode(ctx, "PSD", psd, sizeof psd - 1, SATF_DATA, "truncated");

    enum { SIDE = 1500 };
    static char whole[SIDE * SIDE + 20];
    int head = snprintf(whole, sizeof whole, "P5 %d %d 255\n", SIDE, SIDE);
    expect_decode(ctx, "a PGM above the memory", whole, (size_t)head + SIDE * SIDE, SATF_LIMIT,
                  "limit: max-memory");
    set_limit(ctx, SATF_LIMIT_MEMORY, 0);
    expect_decode(ctx, "the same PGM", whole, (size_t)head + SIDE * SIDE, SATF_OK, "");
}

TEST(formats)
{
    SCOPED_CONTEXT *own;
    MUST(NULL, satf_context_create(&own));
    static const unsigned char bmp[] =
        "BM\0\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\1\0\0\0\1\0\0\0\1\0\x18\0\0\0"
        "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\2\3\0";
    static const char pgm[] = "P5 1 1 255\nx";
    static const struct {
        const char *list; /* what is no list changes nothing */
        satf_status set;
        const char *sentence;
        bool bmp, pgm;
    } cases[] = {
        {NULL, SATF_OK, "", false, true},
        {"png, BMP", SATF_OK, "", true, false},
        {"png,jpg2000", SATF_INVALID, "'jpg2000'", true, false},
        {" ,", SATF_INVALID, "", true, false},
        {"all", SATF_OK, "", true, true},
        {NULL, SATF_OK, "", false, true},
    };
    for (size_t i = 0; i < ROWS_OF(cases); i++) {
        if (i > 0) { /* as it is by default, at first */
            assert_refused(own, "a list", satf_context_set_formats(own, cases[i].list),
                           cases[i].set, cases[i].sentence);
        }
        expect_decode(own, "BMP", bmp, sizeof bmp - 1, cases[i].bmp ? SATF_OK : SATF_LIMIT,
                      cases[i].bmp ? "" : "bmp file");
        assert_true(cases[i].bmp || strstr(satf_message(own), "limit: formats"));
        expect_decode(own, "PGM", pgm, sizeof pgm - 1, cases[i].pgm ? SATF_OK : SATF_LIMIT,
                      cases[i].pgm ? "" : "pnm file");
    }
    /* every format alone, and what the table says of the default */
    const char *name;
    satf_format_info info;
    assert_non_null(satf_format_find("bmp", &info, sizeof info));
    assert_false(info.for_strangers);
    assert_non_null(satf_format_find("pnm", &info, sizeof info));
    assert_true(info.for_strangers);
    for (size_t i = 0; (name = satf_format(i, NULL, 0)); i++) {
        MUST(own, satf_context_set_formats(own, name));
        bool is_pnm = strcmp(name, "pnm") == 0;
        expect_decode(own, name, pgm, sizeof pgm - 1, is_pnm ? SATF_OK : SATF_LIMIT, "");
    }
    assert_int_equal(satf_context_set_formats(NULL, "png"), SATF_INVALID);
}

TEST(settings)
{
    assert_int_equal(satf_context_set_limit(NULL, SATF_LIMIT_PIXELS, 1), SATF_INVALID);
    assert_int_equal(satf_context_set_limit(ctx, SATF_LIMIT_RATIO, -1), SATF_INVALID);
    assert_int_equal(satf_context_set_limit(ctx, (satf_limit)SATF_LIMITS, 1), SATF_INVALID);
    set_limit(ctx, SATF_LIMIT_PIXELS, 3);
    expect_decode(ctx, "4 pixels of 3", "P5 2 2 255\nabcd", 15, SATF_LIMIT, "limit of 3 pixels");
    set_limit(ctx, SATF_LIMIT_PIXELS, 0);
    expect_decode(ctx, "4 pixels of 2^31", "P5 2 2 255\nabcd", 15, SATF_OK, "");
}

TEST_FILE(.formats = "all")
