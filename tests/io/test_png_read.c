/* PNGs that libpng has written, and damaged ones, whose pixels the library takes out itself. */
#include "test.h"
#include "test_png_files.h"

#include "base/cpu.h"

/* What libpng has written with each filter, in chunks that end anywhere, is read as it was. */
TEST(test_reading)
{
    static const int filters[] = {PNG_FILTER_NONE, PNG_FILTER_SUB,   PNG_FILTER_UP,
                                  PNG_FILTER_AVG,  PNG_FILTER_PAETH, PNG_ALL_FILTERS};
    for (int kind = 0; kind < 8; kind++) {
        for (int64_t width = 1; width <= 70; width += width < 20 ? 1 : 7) {
            for (int k = 0; k < 6; k++) {
                SCOPED_IMAGE *image = make_kind(ctx, kind, width, 5 + width % 3);
                bytes file = by_libpng_as(image, 3, filters[k], (size_t)(6 + width * 3 + k));
                SCOPED_IMAGE *read = must_decode(ctx, file.data, file.n);
                assert_same_pixels("libpng's", &image->view, &read->view);
                free(file.data);
            }
        }
    }
}

/* The file with another chunk, or several, put in at an offset. */
static bytes with_bytes(const bytes *file, size_t at, const void *more, size_t n)
{
    bytes made = {malloc(file->n + n), file->n + n};
    memcpy(made.data, file->data, at);
    memcpy(made.data + at, more, n);
    memcpy(made.data + at + n, file->data + at, file->n - at);
    return made;
}

static void set_sum(unsigned char *chunk)
{
    uint32_t n = png_get_uint_32(chunk);
    png_save_uint_32(chunk + 8 + n, (png_uint_32)crc32(0, chunk + 4, n + 4));
}

/* Kinds that libpng expands and kinds that it does not take the same: bytes behind the stream and
 * empty chunks cost nothing; a wrong checksum, of a chunk or of the stream, is an error, as is a
 * stream that ends early. */
TEST(test_damage)
{
    satf_image *read, *images[] = {make_kind(ctx, 0, 20, 9), make_bilevel(ctx, 20, 9)};
    for (int i = 0; i < 2; i++) {
        static const unsigned char empty[] = "\0\0\0\0IDAT\x35\xaf\x06\x1e";
        bytes file = encode_at(ctx, images[i], 6);
        size_t idat = 8 + 25, n = png_get_uint_32(file.data + idat), end = idat + 12 + n;
        assert_memory_equal(file.data + idat + 4, "IDAT", 4);
        for (int side = 0; side < 2; side++) {
            bytes more = with_bytes(&file, side ? end : idat, empty, 12);
            read = must_decode(ctx, more.data, more.n);
            assert_same_pixels("an empty chunk", &images[i]->view, &read->view);
            satf_image_destroy(read);
            free(more.data);
        }
        bytes longer = with_bytes(&file, end - 4, "abcdefg", 7);
        png_save_uint_32(longer.data + idat, (png_uint_32)n + 7);
        set_sum(longer.data + idat);
        read = must_decode(ctx, longer.data, longer.n);
        assert_same_pixels("bytes behind the stream", &images[i]->view, &read->view);
        satf_image_destroy(read);
        free(longer.data);
        file.data[end - 1] ^= 1; /* of the chunk's checksum */
        assert_int_equal(satf_image_decode(ctx, file.data, file.n, &read), SATF_DATA);
        file.data[end - 1] ^= 1;
        file.data[end - 5] ^= 1; /* of Adler's sum */
        assert_int_equal(satf_image_decode(ctx, file.data, file.n, &read), SATF_DATA);
        set_sum(file.data + idat);
        assert_int_equal(satf_image_decode(ctx, file.data, file.n, &read), SATF_DATA);
        file.data[end - 5] ^= 1;
        for (size_t less = 1; less < n; less++) {
            bytes cut = with_bytes(&file, 0, "", 0);
            memmove(cut.data + end - 4 - less, cut.data + end - 4, cut.n - end + 4);
            cut.n -= less;
            png_save_uint_32(cut.data + idat, (png_uint_32)(n - less));
            set_sum(cut.data + idat);
            assert_int_equal(satf_image_decode(ctx, cut.data, cut.n, &read), SATF_DATA);
            free(cut.data);
        }
        free(file.data);
        satf_image_destroy(images[i]);
    }
}

enum { PIXELS = 40, ROWS = 3 }; /* two pixels of a case, over and over */

typedef struct trns_case {
    const char *what;
    int colour, depth;
    /* t: tRNS, s: one byte short, l: one byte too many, z: empty; P: PLTE; I: the pixels */
    const char *chunks;
    const char *pixels; /* two */
    size_t pixel_bits;
    const char *trns;
    size_t trns_bytes;
    const char *want; /* two pixels; NULL: the file is damaged */
    int channels;
    bool ignored;
} trns_case;

static void put_chunk(bytes *file, const char *name, const void *data, size_t n)
{
    file->data = realloc(file->data, file->n + 12 + n);
    unsigned char *at = file->data + file->n;
    png_save_uint_32(at, (png_uint_32)n);
    memcpy(at + 4, name, 4);
    if (n > 0) {
        memcpy(at + 8, data, n);
    }
    set_sum(at);
    file->n += 12 + n;
}

static void put_pixels(bytes *file, const trns_case *c)
{
    unsigned char rows[ROWS * (1 + PIXELS * 8)], packed[sizeof rows + 64], *at = rows;
    size_t pair = c->pixel_bits * 2 < 8 ? 1 : c->pixel_bits * 2 / 8;
    size_t row_bytes = PIXELS * c->pixel_bits / 8;
    for (int y = 0; y < ROWS; y++) {
        *at++ = PNG_FILTER_VALUE_NONE;
        for (size_t i = 0; i < row_bytes; i++) {
            *at++ = (unsigned char)c->pixels[i % pair];
        }
    }
    uLongf n = sizeof packed;
    assert_int_equal(compress(packed, &n, rows, (uLong)(at - rows)), Z_OK);
    put_chunk(file, "IDAT", packed, n);
}

static bytes make_trns(const trns_case *c)
{
    bytes file = {malloc(8), 8};
    memcpy(file.data, "\x89PNG\r\n\x1a\n", 8);
    unsigned char ihdr[13] = {0, 0, 0, PIXELS, 0, 0, 0, ROWS};
    ihdr[8] = (unsigned char)c->depth;
    ihdr[9] = (unsigned char)c->colour;
    put_chunk(&file, "IHDR", ihdr, sizeof ihdr);
    for (const char *kind = c->chunks; *kind; kind++) {
        switch (*kind) {
        case 'I':
            put_pixels(&file, c);
            break;
        case 'P':
            put_chunk(&file, "PLTE", "\12\24\36\50\62\74", 6);
            break;
        default:
            put_chunk(&file, "tRNS", c->trns,
                      *kind == 's'   ? c->trns_bytes - 1
                      : *kind == 'l' ? c->trns_bytes + 1
                      : *kind == 'z' ? 0
                                     : c->trns_bytes);
        }
    }
    put_chunk(&file, "IEND", NULL, 0);
    return file;
}

/* Row by row, in memory that holds the byte before. */
static void check_trns(satf_context *ctx, const trns_case *c, const bytes *file, int before)
{
    unsigned char row[PIXELS * 8];
    io_reader *reader;
    satf_fill_allocations(before);
    ctx->message[0] = '\0';
    satf_status status = io_open_memory(ctx, file->data, file->n, &reader);
    if (!c->want || status) {
        if (c->want || status != SATF_DATA) {
            fail_msg("%s: %s", c->what, satf_message(ctx));
        }
        return;
    }
    const satf_view *v = &reader->header.view;
    size_t pair = 2 * (size_t)v->channels * satf_type_bytes(v->type);
    if (v->channels != c->channels || v->flags != (c->channels % 2 ? 0 : SATF_ALPHA) ||
        v->type != (c->depth == 16 ? SATF_U16 : SATF_U8)) {
        fail_msg("%s: %d channels of type %d", c->what, v->channels, v->type);
    }
    for (int y = 0; y < ROWS; y++) {
        memset(row, before, sizeof row);
        if (io_read_rows(ctx, reader, row, v->stride, 1)) {
            fail_msg("%s: %s", c->what, satf_message(ctx));
        }
        for (size_t i = 0; i < (size_t)v->stride; i++) {
            if (row[i] != (unsigned char)c->want[i % pair]) {
                fail_msg("%s: byte %zu of row %d is %d", c->what, i, y, row[i]);
            }
        }
    }
    if (reader->header.trns_ignored != c->ignored) {
        fail_msg("%s: ignored: %d", c->what, reader->header.trns_ignored);
    }
    io_close(reader);
}

/* A transparent colour where it should be and where not: what libpng makes of it is what we
 * announce, and no byte is left to what the memory held. */
TEST(test_transparency)
{
#define RGB 2, 8
#define RGB_DATA "\1\2\3\4\5\6", 24, "\0\4\0\5\0\6", 6
#define RGB_PLAIN "\1\2\3\4\5\6", 3
#define RGB_CLEAR "\1\2\3\377\4\5\6\0", 4
#define PALETTE 3, 8
#define PALETTE_DATA "\1\0", 8, "\0", 1
#define PALETTE_PLAIN "\50\62\74\12\24\36", 3
#define PALETTE_CLEAR "\50\62\74\377\12\24\36\0", 4
    static const trns_case cases[] = {
        {"RGB", RGB, "I", RGB_DATA, RGB_PLAIN, false},
        {"RGB, tRNS", RGB, "tI", RGB_DATA, RGB_CLEAR, false},
        {"RGB, PLTE and tRNS", RGB, "PtI", RGB_DATA, RGB_CLEAR, false},
        {"RGB, tRNS and PLTE", RGB, "tPI", RGB_DATA, RGB_PLAIN, true},
        {"RGB, PLTE between two tRNS", RGB, "tPtI", RGB_DATA, RGB_PLAIN, true},
        {"RGB, two tRNS", RGB, "ttI", RGB_DATA, RGB_CLEAR, true},
        {"RGB, tRNS behind", RGB, "It", RGB_DATA, RGB_PLAIN, true},
        {"RGB, short tRNS", RGB, "sI", RGB_DATA, RGB_PLAIN, true},
        {"RGB, long tRNS", RGB, "lI", RGB_DATA, RGB_PLAIN, true},
        {"RGB, empty tRNS", RGB, "zI", RGB_DATA, RGB_PLAIN, true},
        {"RGB, empty tRNS and a good one", RGB, "ztI", RGB_DATA, RGB_CLEAR, true},
        {"RGB16, tRNS", 2, 16, "tI", "\1\1\1\1\1\1\2\2\2\2\2\2", 48, "\2\2\2\2\2\2", 6,
         "\1\1\1\1\1\1\377\377\2\2\2\2\2\2\0\0", 4, false},
        {"RGB16, tRNS and PLTE", 2, 16, "tPI", "\1\1\1\1\1\1\2\2\2\2\2\2", 48, "\2\2\2\2\2\2", 6,
         "\1\1\1\1\1\1\2\2\2\2\2\2", 3, true},
        {"RGBA, tRNS", 6, 8, "tI", "\1\2\3\4\5\6\7\10", 32, "\0\1\0\2\0\3", 6, "\1\2\3\4\5\6\7\10",
         4, true},
        {"grey, tRNS", 0, 8, "tI", "\7\11", 8, "\0\11", 2, "\7\377\11\0", 2, false},
        {"grey, tRNS and PLTE", 0, 8, "tPI", "\7\11", 8, "\0\11", 2, "\7\377\11\0", 2, false},
        {"grey, short tRNS", 0, 8, "sI", "\7\11", 8, "\0\11", 2, "\7\11", 1, true},
        {"grey, tRNS behind", 0, 8, "It", "\7\11", 8, "\0\11", 2, "\7\11", 1, true},
        {"grey of 1 bit", 0, 1, "I", "\252", 1, "\0\0", 2, "\377\0", 1, false},
        {"grey of 1 bit, tRNS", 0, 1, "tI", "\252", 1, "\0\0", 2, "\377\377\0\0", 2, false},
        {"grey of 1 bit, empty tRNS", 0, 1, "zI", "\252", 1, "\0\0", 2, "\377\0", 1, true},
        {"palette", PALETTE, "PI", PALETTE_DATA, PALETTE_PLAIN, false},
        {"palette, tRNS", PALETTE, "PtI", PALETTE_DATA, PALETTE_CLEAR, false},
        {"palette, tRNS and PLTE", PALETTE, "tPI", PALETTE_DATA, PALETTE_PLAIN, true},
        {"palette, PLTE between two tRNS", PALETTE, "tPtI", PALETTE_DATA, PALETTE_CLEAR, true},
        {"palette, tRNS between two PLTE", PALETTE, "PtPI", PALETTE_DATA, NULL, 0, false},
        {"palette, two tRNS", PALETTE, "PttI", PALETTE_DATA, PALETTE_CLEAR, true},
        {"palette, empty tRNS", PALETTE, "PzI", PALETTE_DATA, PALETTE_PLAIN, true},
        {"palette, tRNS behind", PALETTE, "PIt", PALETTE_DATA, PALETTE_PLAIN, true},
        {"palette, pixels of no entry", PALETTE, "PtI", "\1\377", 8, "\0", 1,
         "\50\62\74\377\0\0\0\377", 4, false},
        {"palette, more transparent than there are", PALETTE, "PtI", "\1\0", 8, "\0\1\2", 3,
         PALETTE_PLAIN, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bytes file = make_trns(&cases[i]);
        check_trns(ctx, &cases[i], &file, 0x5a);
        check_trns(ctx, &cases[i], &file, 0xa5);
        free(file.data);
    }
    satf_fill_allocations(-1);
}

TEST_FILE(.formats = "all", .every_isa = true)
