/* Pixels that name colours which their palette lacks: they are black, and it is noticed. Other PNGs
 * are in test_png_read.c. */
#include "test.h"
#include "chunks.h"

/* The file is read: these pixels, if any are given, and whether colours are missing. */
static void expect_colours(satf_context *ctx, const char *what, const bytes *file, const void *want,
                           bool missing)
{
    SCOPED_READER *reader = open_bytes(ctx, file);
    SCOPED_BYTES rows = read_rows(ctx, reader, INT64_MAX / 2);
    if (want) {
        assert_bytes(what, rows.data, rows.n, want, rows.n);
    }
    if (reader->header.colours_missing != missing) {
        fail_msg("%s: noticed: %d", what, !missing);
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
        expect_colours(ctx, "an interlaced PNG", &file,
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
        {"BMP", DATA(BMP("\3", "\1\0\0\0", "\x08", "\x3e") TWO_COLOURS "\0\1\1\0"), false},
        {"BMP, 2", DATA(BMP("\3", "\1\0\0\0", "\x08", "\x3e") TWO_COLOURS "\0\1\2\0"), true},
        {"BMP, padding", DATA(BMP("\3", "\1\0\0\0", "\x08", "\x3e") TWO_COLOURS "\0\1\0\2"), false},
        {"BMP, 4 bits", DATA(BMP("\3", "\1\0\0\0", "\4", "\x3e") TWO_COLOURS "\x01\x1f\0\0"),
         false},
        {"BMP, 4 bits, 3", DATA(BMP("\3", "\1\0\0\0", "\4", "\x3e") TWO_COLOURS "\x03\x10\0\0"),
         true},
        {"BMP, 1 bit", DATA(BMP("\3", "\1\0\0\0", "\1", "\x3a") "\1\2\3\0\x1f\0\0\0"), false},
        {"BMP, 1 bit, 1", DATA(BMP("\3", "\1\0\0\0", "\1", "\x3a") "\1\2\3\0\x20\0\0\0"), true},
        {"BMP, top row first",
         DATA(BMP("\1", "\xfe\xff\xff\xff", "\x08", "\x3e") TWO_COLOURS "\0\0\0\0\2\0\0\0"), true},
        {"TGA", DATA(TGA("\1", "\0", "\2", "\3", "\x08") "abcdef\0\1\1"), false},
        {"TGA, 2", DATA(TGA("\1", "\0", "\2", "\3", "\x08") "abcdef\0\1\2"), true},
        {"TGA, map from 3 on", DATA(TGA("\1", "\3", "\2", "\3", "\x08") "abcdef\3\4\3"), false},
        {"TGA, below it", DATA(TGA("\1", "\3", "\2", "\3", "\x08") "abcdef\3\2\3"), true},
        {"TGA, runs", DATA(TGA("\x09", "\0", "\2", "\5", "\x08") "abcdef\x82\1\1\0\1"), false},
        {"TGA, runs, 5", DATA(TGA("\x09", "\0", "\2", "\5", "\x08") "abcdef\x82\5\1\0\1"), true},
        {"TGA, runs, single 2", DATA(TGA("\x09", "\0", "\2", "\5", "\x08") "abcdef\x82\1\1\0\2"),
         true},
        {"TGA, 16 bits", DATA(TGA("\1", "\0", "\2", "\2", "\x10") "abcdef\0\0\1\0"), false},
        {"TGA, 16 bits, 256", DATA(TGA("\1", "\0", "\2", "\2", "\x10") "abcdef\0\0\0\1"), true},
    };
    for (size_t i = 0; i < ROWS_OF(files); i++) {
        SCOPED_BYTES file = bytes_of(files[i].data, files[i].n); /* of just that size */
        expect_colours(ctx, files[i].what, &file, NULL, files[i].missing);
    }
}

TEST_FILE(.formats = "all")
