/* Pixels that name colours which their palette lacks: they are black, and it is noticed. */
#include "test.h"
#include "chunks.h"

/* The file is read, row by row or at once: these pixels, if any are given, and whether colours
 * are missing. */
static void expect_colours(satf_context *ctx, const char *what, const bytes *file, bool by_rows,
                           int channels, const void *want, bool missing)
{
    SCOPED_READER *reader = open_bytes(ctx, file);
    SCOPED_BYTES rows = read_rows(ctx, reader, by_rows ? 1 : INT64_MAX / 2);
    if (want) {
        assert_int_equal(reader->header.view.channels, channels);
        assert_int_equal(reader->header.view.flags, channels == 4 ? SATF_ALPHA : 0);
        assert_memory_equal(rows.data, want, rows.n);
    }
    if (reader->header.colours_missing != missing) {
        fail_msg("%s: noticed: %d", what, !missing);
    }
}

/* A PNG of so many bits a pixel, 4 x 2 pixels with these numbers. */
static bytes make_png(int depth, const unsigned char numbers[8], int colours, bool transparent)
{
    unsigned char palette[768], rows[10] = {0};
    size_t row_bytes = 1 + ((size_t)depth * 4 + 7) / 8;
    for (int i = 0; i < 768; i++) {
        palette[i] = (unsigned char)(7 * i + 1);
    }
    for (size_t i = 0; i < 8; i++) {
        size_t bit = i % 4 * (size_t)depth;
        rows[i / 4 * row_bytes + 1 + bit / 8] |=
            (unsigned char)(numbers[i] << (8 - (size_t)depth - bit % 8));
    }
    bytes file = begin_png(4, 2, depth, 3, false);
    put_chunk(&file, file.n, "PLTE", palette, 3 * (size_t)colours);
    if (transparent) {
        put_chunk(&file, file.n, "tRNS", "\5", 1);
    }
    put_pixels(&file, rows, 2 * row_bytes);
    put_chunk(&file, file.n, "IEND", "", 0);
    return file;
}

/* Reads it by rows or at once, and compares; number: of colours that there are. */
static void check_png(satf_context *ctx, const bytes *file, const unsigned char numbers[8],
                      int colours, bool transparent, bool by_rows)
{
    unsigned char want[32], *to = want;
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
    expect_colours(ctx, "PNG", file, by_rows, channels, want, missing);
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
            SCOPED_BYTES file = make_png(depth, numbers, colours, transparent);
            check_png(ctx, &file, numbers, colours, transparent, by_rows);
        }
    }
}

/* An interlaced one: its third and last pass have the second and fourth pixel of a row of four. */
TEST(interlaced_palette)
{
    unsigned char rows[] = {0, 1, 0, 0, 0, 2, 1};
    for (int missing = 0; missing < 2; missing++) {
        rows[6] = missing ? 200 : 1;
        SCOPED_BYTES file = begin_png(4, 1, 8, 3, true);
        put_chunk(&file, file.n, "PLTE", "abcdefghi", 9);
        put_pixels(&file, rows, sizeof rows);
        put_chunk(&file, file.n, "IEND", "", 0);
        expect_colours(ctx, "an interlaced PNG", &file, true, 3,
                       missing ? "defghiabc\0\0\0" : "defghiabcdef", missing);
    }
}

/* ------------------------------------------------------------------- BMP and TGA */

#define BMP(width, height, depth, pixels_at)                                                  \
    "BM\0\0\0\0\0\0\0\0" pixels_at "\0\0\0\x28\0\0\0" width "\0\0\0" height "\1\0" depth "\0" \
    "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
#define TWO_COLOURS "\1\2\3\0\4\5\6\0"
#define TGA(kind, first, count, width, depth) \
    "\0\1" kind first "\0" count "\0\x18\0\0\0\0" width "\0\1\0" depth "\x20"

TEST(other_palettes)
{
    static const struct {
        const char *what, *data;
        size_t n;
        bool missing;
    } files[] = {
        {"BMP", TEXT(BMP("\3", "\1\0\0\0", "\x08", "\x3e") TWO_COLOURS "\0\1\1\0"), false},
        {"BMP, 2", TEXT(BMP("\3", "\1\0\0\0", "\x08", "\x3e") TWO_COLOURS "\0\1\2\0"), true},
        {"BMP, padding", TEXT(BMP("\3", "\1\0\0\0", "\x08", "\x3e") TWO_COLOURS "\0\1\0\2"), false},
        {"BMP, 4 bits", TEXT(BMP("\3", "\1\0\0\0", "\4", "\x3e") TWO_COLOURS "\x01\x1f\0\0"),
         false},
        {"BMP, 4 bits, 3", TEXT(BMP("\3", "\1\0\0\0", "\4", "\x3e") TWO_COLOURS "\x03\x10\0\0"),
         true},
        {"BMP, 1 bit", TEXT(BMP("\3", "\1\0\0\0", "\1", "\x3a") "\1\2\3\0\x1f\0\0\0"), false},
        {"BMP, 1 bit, 1", TEXT(BMP("\3", "\1\0\0\0", "\1", "\x3a") "\1\2\3\0\x20\0\0\0"), true},
        {"BMP, top row first",
         TEXT(BMP("\1", "\xfe\xff\xff\xff", "\x08", "\x3e") TWO_COLOURS "\0\0\0\0\2\0\0\0"), true},
        {"TGA", TEXT(TGA("\1", "\0", "\2", "\3", "\x08") "abcdef\0\1\1"), false},
        {"TGA, 2", TEXT(TGA("\1", "\0", "\2", "\3", "\x08") "abcdef\0\1\2"), true},
        {"TGA, map from 3 on", TEXT(TGA("\1", "\3", "\2", "\3", "\x08") "abcdef\3\4\3"), false},
        {"TGA, below it", TEXT(TGA("\1", "\3", "\2", "\3", "\x08") "abcdef\3\2\3"), true},
        {"TGA, runs", TEXT(TGA("\x09", "\0", "\2", "\5", "\x08") "abcdef\x82\1\1\0\1"), false},
        {"TGA, runs, 5", TEXT(TGA("\x09", "\0", "\2", "\5", "\x08") "abcdef\x82\5\1\0\1"), true},
        {"TGA, runs, single 2", TEXT(TGA("\x09", "\0", "\2", "\5", "\x08") "abcdef\x82\1\1\0\2"),
         true},
        {"TGA, 16 bits", TEXT(TGA("\1", "\0", "\2", "\2", "\x10") "abcdef\0\0\1\0"), false},
        {"TGA, 16 bits, 256", TEXT(TGA("\1", "\0", "\2", "\2", "\x10") "abcdef\0\0\0\1"), true},
    };
    for (size_t i = 0; i < ROWS_OF(files); i++) {
        SCOPED_BYTES file = bytes_of(files[i].data, files[i].n); /* of just that size */
        expect_colours(ctx, files[i].what, &file, false, 0, NULL, files[i].missing);
    }
}

TEST_FILE(.formats = "all")
