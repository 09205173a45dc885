/* Pixels that name colours which their palette lacks: they are black, and it is noticed. */
#include "test.h"
#include "test_io_metadata.h"

#include "io/others.h"

static bytes make_file(const void *data, size_t n)
{
    bytes out = {malloc(n), n};
    assert_non_null(out.data);
    memcpy(out.data, data, n);
    return out;
}

static void put_chunk(bytes *file, const char *name, const void *data, size_t n)
{
    bytes more = with_chunk(file, file->n, name, data, n);
    free(file->data);
    *file = more;
}

/* A PNG of so many bits a pixel, 4 x 2 pixels with these numbers. */
static bytes make_png(int depth, const unsigned char numbers[8], int colours, bool transparent)
{
    unsigned char ihdr[] = {0, 0, 0, 4, 0, 0, 0, 2, (unsigned char)depth, 3, 0, 0, 0};
    unsigned char palette[768], rows[10] = {0}, packed[64];
    size_t row_bytes = 1 + ((size_t)depth * 4 + 7) / 8;
    for (int i = 0; i < 768; i++) {
        palette[i] = (unsigned char)(7 * i + 1);
    }
    for (size_t i = 0; i < 8; i++) {
        size_t bit = i % 4 * (size_t)depth;
        rows[i / 4 * row_bytes + 1 + bit / 8] |=
            (unsigned char)(numbers[i] << (8 - (size_t)depth - bit % 8));
    }
    uLongf n = sizeof packed;
    assert_int_equal(compress(packed, &n, rows, 2 * row_bytes), Z_OK);
    bytes file = make_file("\x89PNG\r\n\x1a\n", 8);
    put_chunk(&file, "IHDR", ihdr, sizeof ihdr);
    put_chunk(&file, "PLTE", palette, 3 * (size_t)colours);
    if (transparent) {
        put_chunk(&file, "tRNS", "\5", 1);
    }
    put_chunk(&file, "IDAT", packed, n);
    put_chunk(&file, "IEND", "", 0);
    return file;
}

/* Reads it by rows or at once, and compares; number: of colours that there are. */
static void check_png(satf_context *ctx, const bytes *file, const unsigned char numbers[8],
                      int colours, bool transparent, bool by_rows)
{
    io_reader *reader;
    unsigned char got[32], want[32], *to = want;
    int channels = transparent ? 4 : 3;
    bool missing = false;
    for (int i = 0; i < 8; i++) {
        missing |= numbers[i] >= colours;
        for (int c = 0; c < channels; c++) {
            int value = c == 3                  ? (numbers[i] == 0 ? 5 : 255)
                        : numbers[i] >= colours ? 0
                                                : 7 * (3 * numbers[i] + c) + 1;
            *to++ = (unsigned char)value;
        }
    }
    assert_int_equal(io_open_memory(ctx, file->data, file->n, &reader), SATF_OK);
    assert_int_equal(reader->header.view.channels, channels);
    assert_int_equal(reader->header.view.flags, transparent ? SATF_ALPHA : 0);
    int64_t stride = reader->header.view.stride;
    for (int64_t y = 0, n = by_rows ? 1 : 2; y < 2; y += n) {
        if (io_read_rows(ctx, reader, got + y * stride, stride, n)) {
            fail_msg("%s", satf_message(ctx));
        }
    }
    assert_memory_equal(got, want, (size_t)(2 * stride));
    assert_int_equal(reader->header.colours_missing, missing);
    io_close(reader);
}

TEST(png_palettes)
{
    for (int depth = 1; depth <= 8; depth *= 2) {
        int most = 1 << depth;
        for (int k = 0; k < 16; k++) {
            bool transparent = k & 1, by_rows = k & 2;
            int colours = k & 4 ? most : most - most / 2;
            unsigned char numbers[8];
            for (int i = 0; i < 8; i++) {
                numbers[i] = (unsigned char)(i * 3 % (most - most / 2));
            }
            numbers[7] = (unsigned char)(k & 8 ? most - 1 : numbers[7]);
            bytes file = make_png(depth, numbers, colours, transparent);
            check_png(ctx, &file, numbers, colours, transparent, by_rows);
            free(file.data);
        }
    }
}

/* An interlaced one: its third and last pass have the second and fourth pixel of a row of four. */
TEST(interlaced_palette)
{
    static const unsigned char ihdr[] = {0, 0, 0, 4, 0, 0, 0, 1, 8, 3, 0, 0, 1},
                               rows[] = {0, 1, 0, 0, 0, 2, 1};
    for (int missing = 0; missing < 2; missing++) {
        unsigned char passes[sizeof rows], packed[64], got[12];
        memcpy(passes, rows, sizeof rows);
        passes[6] = missing ? 200 : 1;
        uLongf n = sizeof packed;
        assert_int_equal(compress(packed, &n, passes, sizeof passes), Z_OK);
        bytes file = make_file("\x89PNG\r\n\x1a\n", 8);
        put_chunk(&file, "IHDR", ihdr, sizeof ihdr);
        put_chunk(&file, "PLTE", "abcdefghi", 9);
        put_chunk(&file, "IDAT", packed, n);
        put_chunk(&file, "IEND", "", 0);
        io_reader *reader;
        assert_int_equal(io_open_memory(ctx, file.data, file.n, &reader), SATF_OK);
        assert_int_equal(io_read_rows(ctx, reader, got, 12, 1), SATF_OK);
        assert_memory_equal(got, missing ? "defghiabc\0\0\0" : "defghiabcdef", 12);
        assert_int_equal(reader->header.colours_missing, missing);
        io_close(reader);
        free(file.data);
    }
}

/* ------------------------------------------------------------------- BMP and TGA */

typedef struct hand_file {
    const char *what, *data;
    size_t n;
    bool missing;
} hand_file;

#define BMP(width, height, depth, pixels_at)                                                  \
    "BM\0\0\0\0\0\0\0\0" pixels_at "\0\0\0\x28\0\0\0" width "\0\0\0" height "\1\0" depth "\0" \
    "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
#define TWO_COLOURS "\1\2\3\0\4\5\6\0"
#define TGA(kind, first, count, width, depth) \
    "\0\1" kind first "\0" count "\0\x18\0\0\0\0" width "\0\1\0" depth "\x20"
#define FILE_OF(text) text, sizeof text - 1

TEST(other_palettes)
{
    assert_int_equal(satf_context_set_formats(ctx, "all"), SATF_OK);
    static const hand_file files[] = {
        {"BMP", FILE_OF(BMP("\3", "\1\0\0\0", "\x08", "\x3e") TWO_COLOURS "\0\1\1\0"), false},
        {"BMP, 2", FILE_OF(BMP("\3", "\1\0\0\0", "\x08", "\x3e") TWO_COLOURS "\0\1\2\0"), true},
        {"BMP, padding", FILE_OF(BMP("\3", "\1\0\0\0", "\x08", "\x3e") TWO_COLOURS "\0\1\0\2"),
         false},
        {"BMP, 4 bits", FILE_OF(BMP("\3", "\1\0\0\0", "\4", "\x3e") TWO_COLOURS "\x01\x1f\0\0"),
         false},
        {"BMP, 4 bits, 3", FILE_OF(BMP("\3", "\1\0\0\0", "\4", "\x3e") TWO_COLOURS "\x03\x10\0\0"),
         true},
        {"BMP, 1 bit", FILE_OF(BMP("\3", "\1\0\0\0", "\1", "\x3a") "\1\2\3\0\x1f\0\0\0"), false},
        {"BMP, 1 bit, 1", FILE_OF(BMP("\3", "\1\0\0\0", "\1", "\x3a") "\1\2\3\0\x20\0\0\0"), true},
        {"BMP, top row first",
         FILE_OF(BMP("\1", "\xfe\xff\xff\xff", "\x08", "\x3e") TWO_COLOURS "\0\0\0\0\2\0\0\0"),
         true},
        {"TGA", FILE_OF(TGA("\1", "\0", "\2", "\3", "\x08") "abcdef\0\1\1"), false},
        {"TGA, 2", FILE_OF(TGA("\1", "\0", "\2", "\3", "\x08") "abcdef\0\1\2"), true},
        {"TGA, map from 3 on", FILE_OF(TGA("\1", "\3", "\2", "\3", "\x08") "abcdef\3\4\3"), false},
        {"TGA, below it", FILE_OF(TGA("\1", "\3", "\2", "\3", "\x08") "abcdef\3\2\3"), true},
        {"TGA, runs", FILE_OF(TGA("\x09", "\0", "\2", "\5", "\x08") "abcdef\x82\1\1\0\1"), false},
        {"TGA, runs, 5", FILE_OF(TGA("\x09", "\0", "\2", "\5", "\x08") "abcdef\x82\5\1\0\1"), true},
        {"TGA, runs, single 2", FILE_OF(TGA("\x09", "\0", "\2", "\5", "\x08") "abcdef\x82\1\1\0\2"),
         true},
        {"TGA, 16 bits", FILE_OF(TGA("\1", "\0", "\2", "\2", "\x10") "abcdef\0\0\1\0"), false},
        {"TGA, 16 bits, 256", FILE_OF(TGA("\1", "\0", "\2", "\2", "\x10") "abcdef\0\0\0\1"), true},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        io_reader *reader;
        unsigned char rows[64];
        bytes file = make_file(files[i].data, files[i].n); /* of just that size */
        if (io_open_memory(ctx, file.data, file.n, &reader) ||
            io_read_rows(ctx, reader, rows, reader->header.view.stride,
                         reader->header.view.height)) {
            fail_msg("%s: %s", files[i].what, satf_message(ctx));
        }
        if (reader->header.colours_missing != files[i].missing) {
            fail_msg("%s: noticed: %d", files[i].what, !files[i].missing);
        }
        io_close(reader);
        free(file.data);
    }
}

TEST_FILE(.formats = "all")
