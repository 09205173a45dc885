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
                SCOPED_BYTES file = by_libpng_as(image, 3, filters[k], (size_t)(6 + width * 3 + k));
                must_hold(ctx, "libpng's", &file, &image->view);
            }
        }
    }
}

/* Kinds that libpng expands and kinds that it does not take the same: bytes behind the stream and
 * empty chunks cost nothing; a wrong checksum, of a chunk or of the stream, is an error, as is a
 * stream that ends early. */
TEST(test_damage)
{
    for (int i = 0; i < 2; i++) {
        SCOPED_IMAGE *image = i ? make_bilevel(ctx, 20, 9) : make_kind(ctx, 0, 20, 9);
        SCOPED_BYTES file = encode_at(ctx, image, 6);
        size_t idat = BEHIND_IHDR, n = png_get_uint_32(file.data + idat), end = idat + 12 + n;
        assert_memory_equal(file.data + idat + 4, "IDAT", 4);
        for (int side = 0; side < 2; side++) {
            SCOPED_BYTES more = copy_of(&file);
            put_chunk(&more, side ? end : idat, "IDAT", "", 0);
            must_hold(ctx, "an empty chunk", &more, &image->view);
        }
        SCOPED_BYTES longer = copy_of(&file);
        replace_bytes(&longer, end - 4, 0, "abcdefg", 7);
        store_big(longer.data + idat, n + 7, 4);
        sum_chunk(longer.data + idat);
        must_hold(ctx, "bytes behind the stream", &longer, &image->view);
        file.data[end - 1] ^= 1; /* of the chunk's checksum */
        expect_decode(ctx, "a chunk's checksum", file.data, file.n, SATF_DATA, "");
        file.data[end - 1] ^= 1;
        file.data[end - 5] ^= 1; /* of Adler's sum */
        expect_decode(ctx, "two checksums", file.data, file.n, SATF_DATA, "");
        sum_chunk(file.data + idat);
        expect_decode(ctx, "the stream's checksum", file.data, file.n, SATF_DATA, "");
        file.data[end - 5] ^= 1;
        for (size_t less = 1; less < n; less++) {
            SCOPED_BYTES cut = copy_of(&file);
            replace_bytes(&cut, end - 4 - less, less, "", 0);
            store_big(cut.data + idat, n - less, 4);
            sum_chunk(cut.data + idat);
            expect_decode(ctx, "a cut stream", cut.data, cut.n, SATF_DATA, "");
        }
    }
}

enum { PIXELS = 40, ROWS = 3 }; /* two pixels of a case, over and over */

typedef struct trns_case {
    const char *what;
    int colour, depth;
    /* t: tRNS, s: one byte short, l: one byte too many, z: empty; P: PLTE, p: of one colour, f: of
     * all; I: the pixels */
    const char *chunks;
    const char *pixels; /* two */
    size_t pixel_bits;
    const char *trns;
    size_t trns_bytes;
    const char *want; /* two pixels; NULL: the file is damaged */
    int channels;
    bool ignored, missing; /* tRNS, and colours that pixels name */
} trns_case;

static bytes make_trns(const trns_case *c)
{
    unsigned char rows[ROWS * (1 + PIXELS * 8)], *at = rows;
    size_t pair = c->pixel_bits * 2 < 8 ? 1 : c->pixel_bits * 2 / 8;
    for (int y = 0; y < ROWS; y++) {
        *at++ = PNG_FILTER_VALUE_NONE;
        for (size_t i = 0; i < PIXELS * c->pixel_bits / 8; i++) {
            *at++ = (unsigned char)c->pixels[i % pair];
        }
    }
    static const unsigned char colours[768] = "\12\24\36\50\62\74";
    bytes file = begin_png(PIXELS, ROWS, c->depth, c->colour, false);
    for (const char *kind = c->chunks; *kind; kind++) {
        size_t n = c->trns_bytes;
        switch (*kind) {
        case 'I':
            put_pixels(&file, rows, (size_t)(at - rows));
            break;
        case 'P':
        case 'p':
        case 'f':
            n = *kind == 'P' ? 2 : *kind == 'p' ? 1 : 1u << c->depth;
            put_chunk(&file, file.n, "PLTE", colours, 3 * n);
            break;
        default:
            n = *kind == 's' ? n - 1 : *kind == 'l' ? n + 1 : *kind == 'z' ? 0 : n;
            put_chunk(&file, file.n, "tRNS", c->trns, n);
        }
    }
    put_chunk(&file, file.n, "IEND", NULL, 0);
    return file;
}

/* Row by row or at once, in memory that holds the byte before. */
static void check_trns(satf_context *ctx, const trns_case *c, const bytes *file, int before,
                       bool at_once)
{
    unsigned char rows[ROWS * PIXELS * 8];
    SCOPED_READER *reader = NULL;
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
    for (int y = 0, n = at_once ? ROWS : 1; y < ROWS; y += n) {
        memset(rows, before, sizeof rows);
        MUST(ctx, io_read_rows(ctx, reader, rows, v->stride, n));
        for (size_t i = 0; i < (size_t)(v->stride * n); i++) {
            if (rows[i] != (unsigned char)c->want[i % (size_t)v->stride % pair]) {
                fail_msg("%s: byte %zu from row %d on is %d", c->what, i, y, rows[i]);
            }
        }
    }
    const io_header *h = &reader->header;
    if (h->trns_ignored != c->ignored || h->colours_missing != c->missing) {
        fail_msg("%s: ignored %d, missing %d", c->what, h->trns_ignored, h->colours_missing);
    }
}

/* Pixels that name colours which their palette lacks are black, and it is noticed.
 * A transparent colour where it should be and where not: what libpng makes of it is what we
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
        {"RGB", RGB, "I", RGB_DATA, RGB_PLAIN, false, false},
        {"RGB, tRNS", RGB, "tI", RGB_DATA, RGB_CLEAR, false, false},
        {"RGB, PLTE and tRNS", RGB, "PtI", RGB_DATA, RGB_CLEAR, false, false},
        {"RGB, tRNS and PLTE", RGB, "tPI", RGB_DATA, RGB_PLAIN, true, false},
        {"RGB, PLTE between two tRNS", RGB, "tPtI", RGB_DATA, RGB_PLAIN, true, false},
        {"RGB, two tRNS", RGB, "ttI", RGB_DATA, RGB_CLEAR, true, false},
        {"RGB, tRNS behind", RGB, "It", RGB_DATA, RGB_PLAIN, true, false},
        {"RGB, short tRNS", RGB, "sI", RGB_DATA, RGB_PLAIN, true, false},
        {"RGB, long tRNS", RGB, "lI", RGB_DATA, RGB_PLAIN, true, false},
        {"RGB, empty tRNS", RGB, "zI", RGB_DATA, RGB_PLAIN, true, false},
        {"RGB, empty tRNS and a good one", RGB, "ztI", RGB_DATA, RGB_CLEAR, true, false},
        {"RGB16, tRNS", 2, 16, "tI", "\1\1\1\1\1\1\2\2\2\2\2\2", 48, "\2\2\2\2\2\2", 6,
         "\1\1\1\1\1\1\377\377\2\2\2\2\2\2\0\0", 4, false, false},
        {"RGB16, tRNS and PLTE", 2, 16, "tPI", "\1\1\1\1\1\1\2\2\2\2\2\2", 48, "\2\2\2\2\2\2", 6,
         "\1\1\1\1\1\1\2\2\2\2\2\2", 3, true, false},
        {"RGBA, tRNS", 6, 8, "tI", "\1\2\3\4\5\6\7\10", 32, "\0\1\0\2\0\3", 6, "\1\2\3\4\5\6\7\10",
         4, true, false},
        {"grey, tRNS", 0, 8, "tI", "\7\11", 8, "\0\11", 2, "\7\377\11\0", 2, false, false},
        {"grey, tRNS and PLTE", 0, 8, "tPI", "\7\11", 8, "\0\11", 2, "\7\377\11\0", 2, false,
         false},
        {"grey, short tRNS", 0, 8, "sI", "\7\11", 8, "\0\11", 2, "\7\11", 1, true, false},
        {"grey, tRNS behind", 0, 8, "It", "\7\11", 8, "\0\11", 2, "\7\11", 1, true, false},
        {"grey of 1 bit", 0, 1, "I", "\252", 1, "\0\0", 2, "\377\0", 1, false, false},
        {"grey of 1 bit, tRNS", 0, 1, "tI", "\252", 1, "\0\0", 2, "\377\377\0\0", 2, false, false},
        {"grey of 1 bit, empty tRNS", 0, 1, "zI", "\252", 1, "\0\0", 2, "\377\0", 1, true, false},
        {"palette", PALETTE, "PI", PALETTE_DATA, PALETTE_PLAIN, false, false},
        {"palette, tRNS", PALETTE, "PtI", PALETTE_DATA, PALETTE_CLEAR, false, false},
        {"palette, tRNS and PLTE", PALETTE, "tPI", PALETTE_DATA, PALETTE_PLAIN, true, false},
        {"palette, PLTE between two tRNS", PALETTE, "tPtI", PALETTE_DATA, PALETTE_CLEAR, true,
         false},
        {"palette, tRNS between two PLTE", PALETTE, "PtPI", PALETTE_DATA, NULL, 0, false, false},
        {"palette, two tRNS", PALETTE, "PttI", PALETTE_DATA, PALETTE_CLEAR, true, false},
        {"palette, empty tRNS", PALETTE, "PzI", PALETTE_DATA, PALETTE_PLAIN, true, false},
        {"palette, tRNS behind", PALETTE, "PIt", PALETTE_DATA, PALETTE_PLAIN, true, false},
        {"palette, pixels of no entry", PALETTE, "PtI", "\1\377", 8, "\0", 1,
         "\50\62\74\377\0\0\0\377", 4, false, true},
        {"palette, more transparent than there are", PALETTE, "PtI", "\1\0", 8, "\0\1\2", 3,
         PALETTE_PLAIN, true, false},
        {"palette of 1 bit", 3, 1, "PI", "\125", 1, "", 0, "\12\24\36\50\62\74", 3, false, false},
        {"palette of 1 bit and colour", 3, 1, "pI", "\125", 1, "", 0, "\12\24\36\0\0\0", 3, false,
         true},
        {"palette of 2 bits", 3, 2, "PI", "\104", 2, "", 0, "\50\62\74\12\24\36", 3, false, false},
        {"palette of 2 bits, 2 of 2", 3, 2, "PI", "\146", 2, "", 0, "\50\62\74\0\0\0", 3, false,
         true},
        {"palette of 2 bits, all", 3, 2, "fI", "\167", 2, "", 0, "\50\62\74\0\0\0", 3, false,
         false},
        {"palette of 4 bits", 3, 4, "PI", "\20", 4, "", 0, "\50\62\74\12\24\36", 3, false, false},
        {"palette of 4 bits, 2 of 2", 3, 4, "PI", "\22", 4, "", 0, "\50\62\74\0\0\0", 3, false,
         true},
        {"palette of 4 bits, all, tRNS", 3, 4, "ftI", "\37", 4, "\5", 1, "\50\62\74\377\0\0\0\377",
         4, false, false},
        {"palette, 2 of 2", 3, 8, "PI", "\1\2", 8, "", 0, "\50\62\74\0\0\0", 3, false, true},
        {"palette, all", 3, 8, "fI", "\1\377", 8, "", 0, "\50\62\74\0\0\0", 3, false, false},
        {"palette of 2 bits, tRNS, 2 of 2", 3, 2, "PtI", "\42", 2, "\5", 1, "\12\24\36\5\0\0\0\377",
         4, false, true},
    };
    for (size_t i = 0; i < ROWS_OF(cases); i++) {
        SCOPED_BYTES file = make_trns(&cases[i]);
        check_trns(ctx, &cases[i], &file, 0x5a, false);
        check_trns(ctx, &cases[i], &file, 0xa5, true);
    }
    satf_fill_allocations(-1);
}

TEST_FILE(.formats = "all", .every_isa = true)
