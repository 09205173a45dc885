/* What a file may demand: every limit refuses with its name, before memory is taken, and lets
 * real files through; only the formats allowed are decoded. */
#include "test.h"
#include "test_io_jpeg.h"

#include <zlib.h>

static void expect(satf_context *ctx, const char *what, const void *data, size_t n,
                   satf_status status, const char *in_message)
{
    SCOPED_IMAGE *image = NULL;
    ctx->message[0] = 0;
    satf_status got = satf_image_decode(ctx, data, n, &image);
    if (got != status || !strstr(satf_message(ctx), in_message)) {
        fail_msg("%s: %s \"%s\"", what, satf_status_name(got), satf_message(ctx));
    }
}

static void set_limit(satf_context *ctx, satf_limit limit, int64_t value)
{
    assert_int_equal(satf_context_set_limit(ctx, limit, value), SATF_OK);
}

static size_t largest; /* number of bytes that have been asked for at once */

void *__real_satf_alloc(size_t n);
void *__wrap_satf_alloc(size_t n);

void *__wrap_satf_alloc(size_t n)
{
    largest = n > largest ? n : largest;
    return __real_satf_alloc(n);
}

/* -------------------------------------------------------------------- PNGs */

static void put_integer(unsigned char *to, size_t value)
{
    for (int i = 0; i < 4; i++) {
        to[i] = (unsigned char)(value >> (24 - 8 * i));
    }
}

/* A chunk inserted into the file at that offset. */
static bytes with_chunk(const bytes *file, size_t at, const char *name, const void *data, size_t n)
{
    bytes out = {malloc(file->n + n + 12), file->n + n + 12};
    assert_non_null(out.data);
    memcpy(out.data, file->data, at);
    unsigned char *chunk = out.data + at;
    put_integer(chunk, n);
    memcpy(chunk + 4, name, 4);
    memcpy(chunk + 8, data, n);
    put_integer(chunk + 8 + n, crc32(0, chunk + 4, (unsigned)(n + 4)));
    memcpy(chunk + 12 + n, file->data + at, file->n - at);
    return out;
}

enum { BEHIND_IHDR = 33, IEND_BYTES = 12 };

/* A PNG of zeros, one byte a row of pixels at most, IHDR's claims as given. */
static bytes png_of_zeros(uint32_t width, uint32_t height, int depth, int colour, size_t raw)
{
    unsigned char ihdr[13] = {0};
    put_integer(ihdr, width);
    put_integer(ihdr + 4, height);
    ihdr[8] = (unsigned char)depth;
    ihdr[9] = (unsigned char)colour;
    uLongf packed = compressBound(raw);
    SCOPED unsigned char *zeros = calloc(raw, 1), *idat = malloc(packed);
    assert_true(zeros && idat);
    assert_int_equal(compress2(idat, &packed, zeros, raw, 9), Z_OK);
    bytes empty = {(unsigned char *)"\x89PNG\r\n\x1a\n", 8};
    bytes first = with_chunk(&empty, 8, "IHDR", ihdr, sizeof ihdr);
    bytes second = with_chunk(&first, first.n, "IDAT", idat, packed);
    bytes all = with_chunk(&second, second.n, "IEND", "", 0);
    free(first.data);
    free(second.data);
    return all;
}

TEST(ratio)
{
    bytes claim = png_of_zeros(30000, 30000, 8, 0, 100);
    expect(ctx, "a PNG that only claims", claim.data, claim.n, SATF_LIMIT, "limit: max-ratio");
    set_limit(ctx, SATF_MAX_RATIO, INT64_MAX);
    expect(ctx, "the same, trusted", claim.data, claim.n, SATF_DATA, "");
    set_limit(ctx, SATF_MAX_RATIO, 0);
    free(claim.data);

    /* Deflate's best: real, so it passes, unless less is allowed. */
    bytes bomb = png_of_zeros(3999, 2000, 8, 0, 4000 * 2000);
    assert_true(bomb.n < 4000 * 2000 / 900);
    expect(ctx, "an empty page", bomb.data, bomb.n, SATF_OK, "");
    set_limit(ctx, SATF_MAX_RATIO, 200);
    expect(ctx, "a bomb", bomb.data, bomb.n, SATF_LIMIT, "limit of 200 times (limit: max-ratio)");
    set_limit(ctx, SATF_MAX_RATIO, 0);
    free(bomb.data);

    /* Of one bit a pixel: eight times as large once decoded, which is no fault of the file's. */
    bomb = png_of_zeros(8 * 3999, 200, 1, 0, 4000 * 200);
    expect(ctx, "an empty fax", bomb.data, bomb.n, SATF_OK, "");
    free(bomb.data);
}

/* The first bytes of a large picture: too few for it because the rest is missing. */
TEST(ratio_of_a_truncated_file)
{
    bytes png = png_of_zeros(30000, 3000, 8, 0, 1 << 20);
    expect(ctx, "a PNG's first bytes", png.data, png.n - IEND_BYTES, SATF_DATA, "truncated");
    expect(ctx, "all of it", png.data, png.n, SATF_LIMIT, "limit: max-ratio");
    free(png.data);

    bytes jpeg = make_jpeg(16, 1, false, 0);
    for (size_t i = 0; i + 9 < jpeg.n; i++) {
        if (jpeg.data[i] == 0xff && jpeg.data[i + 1] == 0xc0) {
            memcpy(jpeg.data + i + 5, "\x20\0\x20\0", 4);
        }
    }
    expect(ctx, "a JPEG's first bytes", jpeg.data, jpeg.n - 30, SATF_DATA, "truncated");
    expect(ctx, "all of the JPEG", jpeg.data, jpeg.n, SATF_LIMIT, "limit: max-ratio");

    char name[] = "/tmp/satfilter-limits.XXXXXX";
    int fd = mkstemp(name);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, jpeg.data, jpeg.n - 30), (ssize_t)jpeg.n - 30);
    close(fd);
    satf_image *image;
    assert_int_equal(satf_image_read(ctx, name, &image), SATF_DATA);
    assert_non_null(strstr(satf_message(ctx), "truncated"));
    unlink(name);
    free(jpeg.data);
}

/* A file descriptor that cannot tell its size is read as far as it goes. */
TEST(ratio_of_a_pipe)
{
    bytes claim = png_of_zeros(30000, 3000, 8, 0, 100);
    int ends[2], kept = dup(STDIN_FILENO);
    assert_true(kept >= 0 && pipe(ends) == 0);
    assert_int_equal(write(ends[1], claim.data, claim.n), (ssize_t)claim.n);
    close(ends[1]);
    assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    close(ends[0]);
    satf_image *image;
    assert_int_equal(satf_image_read(ctx, "-", &image), SATF_DATA);
    assert_int_equal(dup2(kept, STDIN_FILENO), STDIN_FILENO);
    close(kept);
    free(claim.data);
}

/* A chunk in front of the pixels or behind them that says it holds 2 GB: nobody makes room for it.
 */
TEST(png_chunk_claims)
{
    static const char *const names[] = {"eXIf", "iCCP", "iTXt", "hIST", "abcd", "PLTE", "tRNS"};
    set_limit(ctx, SATF_MAX_METADATA, 1 << 20);
    for (size_t i = 0; i < 2 * sizeof names / sizeof *names; i++) {
        bytes plain = png_of_zeros(4, 4, 8, 0, 20);
        size_t at = i % 2 ? 33 : plain.n - IEND_BYTES;
        bytes file = with_chunk(&plain, at, names[i / 2], "0123456789", 10);
        put_integer(file.data + at, 0x7fffff00);
        satf_image *image;
        largest = 0;
        assert_int_not_equal(satf_image_decode(ctx, file.data, file.n, &image), SATF_OK);
        assert_int_not_equal(satf_image_decode(ctx, file.data, file.n, &image), SATF_NO_MEMORY);
        assert_in_range(largest, 1, 2 << 20);
        free(plain.data);
        free(file.data);
    }
}

TEST(png_metadata)
{
    bytes file = png_of_zeros(4, 4, 8, 0, 20);
    file.data[8] = 0x40; /* the most significant byte of its first length */
    expect(ctx, "a PNG's header of 1 GB", file.data, file.n, SATF_DATA, "IHDR");
    file.data[8] = 0;
    enum { BIG = 1 << 20 };
    SCOPED unsigned char *big = calloc(BIG, 1);
    memcpy(big, "ab", 3); /* a keyword, or the name of a profile, and method 0 */

    /* A small chunk that unpacks into a large profile: of zeros, but for its own size. */
    SCOPED unsigned char *profile = calloc(BIG, 1);
    static const unsigned char sizes[4] = {BIG >> 24, BIG >> 16 & 255, 0, 0};
    memcpy(profile, sizes, 4);
    memcpy(profile + 8, "\2\x20\0\0mntrGRAYXYZ ", 16);
    memcpy(profile + 36, "acsp", 4);
    memcpy(profile + 68, "\0\0\xf6\xd6\0\1\0\0\0\0\xd3\x2d", 12);
    uLongf packed = compressBound(BIG);
    SCOPED unsigned char *iccp = malloc(packed + 4);
    memcpy(iccp, "ab\0", 4);
    assert_int_equal(compress2(iccp + 4, &packed, profile, BIG, 9), Z_OK);
    assert_true(packed < BIG / 100);

    const struct {
        const char *name;
        const void *data;
        size_t n, at;
    } chunks[] = {
        {"tEXt", big, BIG, BEHIND_IHDR},         {"xxXx", big, BIG, BEHIND_IHDR},
        {"iCCP", iccp, packed + 4, BEHIND_IHDR}, {"eXIf", "MM\0*", BIG, BEHIND_IHDR},
        {"tEXt", big, BIG, file.n - IEND_BYTES}, {"eXIf", "MM\0*", BIG, file.n - IEND_BYTES},
    };
    SCOPED unsigned char *exif = calloc(BIG, 1);
    memcpy(exif, "MM\0*", 4);
    for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++) {
        const void *data = strcmp(chunks[i].name, "eXIf") ? chunks[i].data : exif;
        bytes large = with_chunk(&file, chunks[i].at, chunks[i].name, data, chunks[i].n);
        expect(ctx, chunks[i].name, large.data, large.n, SATF_OK, "");
        set_limit(ctx, SATF_MAX_METADATA, BIG / 2);
        expect(ctx, chunks[i].name, large.data, large.n, SATF_LIMIT, "limit: max-metadata");
        set_limit(ctx, SATF_MAX_METADATA, 0);
        free(large.data);
    }
    free(file.data);
}

/* ------------------------------------------------------------------- JPEGs */

TEST(jpegs)
{
    bytes file = make_jpeg(16, 1, true, 0);
    expect(ctx, "a progressive JPEG", file.data, file.n, SATF_OK, "");
    set_limit(ctx, SATF_MAX_SCANS, 2);
    expect(ctx, "more than two scans", file.data, file.n, SATF_LIMIT, "limit: max-scans");
    set_limit(ctx, SATF_MAX_SCANS, 0);
    free(file.data);

    file = make_jpeg(16, 1, false, 20);
    expect(ctx, "a JPEG with 1.2 MB of EXIF", file.data, file.n, SATF_OK, "");
    set_limit(ctx, SATF_MAX_METADATA, 1 << 20);
    expect(ctx, "a JPEG with 1.2 MB of EXIF", file.data, file.n, SATF_LIMIT, "limit: max-metadata");
    char name[] = "/tmp/satfilter-limits.XXXXXX";
    int fd = mkstemp(name);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, file.data, file.n), (ssize_t)file.n);
    close(fd);
    SCOPED_IMAGE *image;
    assert_int_equal(satf_image_read(ctx, name, &image), SATF_LIMIT);
    assert_non_null(strstr(satf_message(ctx), "limit: max-metadata"));
    set_limit(ctx, SATF_MAX_METADATA, 0);
    assert_int_equal(satf_image_read(ctx, name, &image), SATF_OK);
    unlink(name);
    free(file.data);

    /* the size in the frame header becomes 65500 x 65500 */
    file = make_jpeg(16, 1, false, 0);
    for (size_t i = 0; i + 9 < file.n; i++) {
        if (file.data[i] == 0xff && file.data[i + 1] == 0xc0) {
            memcpy(file.data + i + 5, "\xff\xdc\xff\xdc", 4);
        }
    }
    set_limit(ctx, SATF_MAX_PIXELS, INT64_MAX);
    expect(ctx, "a JPEG that only claims", file.data, file.n, SATF_LIMIT, "limit: max-ratio");
    set_limit(ctx, SATF_MAX_PIXELS, 0);
    expect(ctx, "a JPEG that only claims", file.data, file.n, SATF_LIMIT, "limit: max-");
    free(file.data);
}

/* So many segments without data in front of that offset. */
static bytes with_segments(const bytes *file, size_t at, int marker, size_t count)
{
    bytes out = {malloc(file->n + 4 * count), file->n + 4 * count};
    assert_non_null(out.data);
    memcpy(out.data, file->data, at);
    for (size_t i = 0; i < count; i++) {
        unsigned char *to = out.data + at + 4 * i;
        memcpy(to, "\xff\0\0\2", 4);
        to[1] = (unsigned char)marker;
    }
    memcpy(out.data + at + 4 * count, file->data + at, file->n - at);
    return out;
}

/* Each counts more than its four bytes, for it takes more memory, and time to find its place. */
TEST(short_segments)
{
    static const int markers[] = {0xe1, 0xe2, 0xe3, 0xec, 0xed, 0xef, 0xfe};
    bytes file = make_jpeg(16, 1, true, 0);
    for (size_t i = 0; i < 2 * sizeof markers / sizeof *markers; i++) {
        bool many = i & 1;
        bytes large = with_segments(&file, 2, markers[i / 2], many ? 17000 : 2000);
        char what[40];
        snprintf(what, sizeof what, "%s of marker %x", many ? "many" : "some", markers[i / 2]);
        expect(ctx, what, large.data, large.n, many ? SATF_LIMIT : SATF_OK,
               many ? "limit: max-metadata" : "");
        set_limit(ctx, SATF_MAX_METADATA, 8 << 20);
        expect(ctx, what, large.data, large.n, many ? SATF_LIMIT : SATF_OK,
               many ? "limit: max-metadata" : "");
        set_limit(ctx, SATF_MAX_METADATA, 2000 << 12);
        expect(ctx, what, large.data, large.n, SATF_LIMIT, "limit: max-metadata");
        set_limit(ctx, SATF_MAX_METADATA, 0);
        free(large.data);
    }
    free(file.data);
}

/* --------------------------------------------------------------- the others */

TEST(claims_without_pixels)
{
    static const struct {
        const char *what, *head;
    } cases[] = {
        {"PGM", "P5 40000 40000 255\n"},
        {"PPM of 16 bits", "P6 20000 20000 65535\n"},
        {"PBM", "P4 40000 40000\n"},
        {"PGM in text", "P2 40000 40000 255\n"},
        {"PFM", "PF\n10000 10000\n-1\n"},
        {"PAM", "P7\nWIDTH 20000\nHEIGHT 20000\nDEPTH 4\nMAXVAL 255\nENDHDR\n"},
    };
    /* Memory for such pictures is refused, so they are refused before it is asked for. */
    set_limit(ctx, SATF_MAX_MEMORY, 1 << 20);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char file[200];
        int n = snprintf(file, sizeof file, "%s%s", cases[i].head, "0123456789");
        expect(ctx, cases[i].what, file, (size_t)n, SATF_DATA, "truncated");
    }
    /* 40000 x 40000 pixels, RGB of 16 bits, no sections, not packed */
    static const unsigned char psd[] = "8BPS\0\1\0\0\0\0\0\0\0\3\0\0\x9c\x40\0\0\x9c\x40\0\x10\0\3"
                                       "\0\0\0\0\0\0\0\0\0\0\0\0\0\0the pixels";
    assert_int_equal(satf_context_set_formats(ctx, "psd,pnm"), SATF_OK);
    expect(ctx, "PSD", psd, sizeof psd - 1, SATF_DATA, "truncated");

    enum { SIDE = 1500 };
    static char whole[SIDE * SIDE + 20];
    int head = snprintf(whole, sizeof whole, "P5 %d %d 255\n", SIDE, SIDE);
    expect(ctx, "a PGM above the memory", whole, (size_t)head + SIDE * SIDE, SATF_LIMIT,
           "limit: max-memory");
    set_limit(ctx, SATF_MAX_MEMORY, 0);
    expect(ctx, "the same PGM", whole, (size_t)head + SIDE * SIDE, SATF_OK, "");
}

TEST(formats)
{
    satf_context *own;
    assert_int_equal(satf_context_create(&own), SATF_OK);
    static const unsigned char bmp[] =
        "BM\0\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\1\0\0\0\1\0\0\0\1\0\x18\0\0\0"
        "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\2\3\0";
    static const char pgm[] = "P5 1 1 255\nx";
    expect(own, "BMP by default", bmp, sizeof bmp - 1, SATF_LIMIT, "bmp file");
    assert_non_null(strstr(satf_message(own), "limit: formats"));
    expect(own, "PGM by default", pgm, sizeof pgm - 1, SATF_OK, "");
    assert_int_equal(satf_context_set_formats(own, "png, BMP"), SATF_OK);
    expect(own, "BMP allowed", bmp, sizeof bmp - 1, SATF_OK, "");
    expect(own, "PGM not allowed", pgm, sizeof pgm - 1, SATF_LIMIT, "pnm file");
    /* what is no list changes nothing */
    assert_int_equal(satf_context_set_formats(own, "png,jpg2000"), SATF_INVALID);
    assert_non_null(strstr(satf_message(own), "'jpg2000'"));
    assert_int_equal(satf_context_set_formats(own, " ,"), SATF_INVALID);
    expect(own, "PGM still not allowed", pgm, sizeof pgm - 1, SATF_LIMIT, "pnm file");
    /* every format alone, and what the table says of the default */
    const char *name;
    satf_format_info info;
    assert_non_null(satf_format_find("bmp", &info, sizeof info));
    assert_false(info.for_strangers);
    assert_non_null(satf_format_find("pnm", &info, sizeof info));
    assert_true(info.for_strangers);
    for (size_t i = 0; (name = satf_format(i, NULL, 0)); i++) {
        assert_int_equal(satf_context_set_formats(own, name), SATF_OK);
        bool is_pnm = strcmp(name, "pnm") == 0;
        expect(own, name, pgm, sizeof pgm - 1, is_pnm ? SATF_OK : SATF_LIMIT, "");
    }
    assert_int_equal(satf_context_set_formats(own, "all"), SATF_OK);
    expect(own, "BMP of all", bmp, sizeof bmp - 1, SATF_OK, "");
    assert_int_equal(satf_context_set_formats(own, NULL), SATF_OK);
    expect(own, "BMP by default again", bmp, sizeof bmp - 1, SATF_LIMIT, "bmp file");
    assert_int_equal(satf_context_set_formats(NULL, "png"), SATF_INVALID);
    satf_context_destroy(own);
}

TEST(settings)
{
    assert_int_equal(satf_context_set_limit(NULL, SATF_MAX_PIXELS, 1), SATF_INVALID);
    assert_int_equal(satf_context_set_limit(ctx, SATF_MAX_RATIO, -1), SATF_INVALID);
    assert_int_equal(satf_context_set_limit(ctx, (satf_limit)SATF_LIMITS, 1), SATF_INVALID);
    set_limit(ctx, SATF_MAX_PIXELS, 3);
    expect(ctx, "4 pixels of 3", "P5 2 2 255\nabcd", 15, SATF_LIMIT, "limit of 3 pixels");
    set_limit(ctx, SATF_MAX_PIXELS, 0);
    expect(ctx, "4 pixels of 2^31", "P5 2 2 255\nabcd", 15, SATF_OK, "");
}

TEST_FILE(.formats = "all")
