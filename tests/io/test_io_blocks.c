/* Metadata that stands in another place, or says it in another way, in a PNG than in a JPEG; and
 * what is known of that which is not kept. */
#include "test.h"
#include "test_io_metadata.h"

#include "io/meta/others.h"

#define TIFF "II*\0\x08\0\0\0\0\0"
#define XMP "<x:xmpmeta/>"
#define IPTC "\x1c\2\x78\0\3abc"
#define RESOURCE "8BIM\4\4\0\0\0\0\0\x08" IPTC
#define ODD_RESOURCE "8BIM\4\4\0\0\0\0\0\x07\x1c\2\x78\0\2ab\0"

/* ------------------------------------------------------------ raw profiles */

/* A PNG with that text chunk, packed or as it is. */
static void add_text(bytes *file, bool late, bool is_packed, const char *keyword, const void *text,
                     size_t n)
{
    SCOPED_BYTES chunk = bytes_of(keyword, strlen(keyword) + 1);
    SCOPED_BYTES body = is_packed ? deflated(text, n) : bytes_of(text, n);
    append_bytes(&chunk, "", is_packed);
    append_bytes(&chunk, body.data, body.n);
    add_chunk(file, late, is_packed ? "zTXt" : "tEXt", chunk.data, chunk.n);
}

/* As ImageMagick writes it. */
static size_t make_profile(char *room, const void *data, size_t n, const char *digits)
{
    size_t at = (size_t)sprintf(room, "\nany name\n%8zu\n", n);
    for (size_t i = 0; i < n; i++) {
        unsigned byte = ((const unsigned char *)data)[i];
        room[at++] = digits[byte >> 4];
        room[at++] = digits[byte & 15];
        if (i % 36 == 35 || i + 1 == n) {
            room[at++] = '\n';
        }
    }
    return at;
}

/* Of a profile of that kind becomes that; of those that are text, broken, nothing. What is not
 * taken is told of. */
TEST(raw_profiles)
{
    static const struct {
        const char *kind, *data;
        size_t n;
        bool is_text; /* it stands for the whole chunk */
        const char *exif, *xmp, *iptc;
        size_t want;
    } cases[] = {
        {"exif", DATA("Exif\0\0" TIFF), false, TIFF, NULL, NULL, sizeof TIFF - 1},
        {"exif", DATA(TIFF), false, TIFF, NULL, NULL, sizeof TIFF - 1},
        {"APP1", DATA("Exif\0\0" TIFF), false, TIFF, NULL, NULL, sizeof TIFF - 1},
        {"APP1", DATA("http://ns.adobe.com/xap/1.0/\0" XMP), false, NULL, XMP, NULL,
         sizeof XMP - 1},
        {"xmp", DATA(XMP), false, NULL, XMP, NULL, sizeof XMP - 1},
        {"iptc", DATA(RESOURCE), false, NULL, NULL, RESOURCE, sizeof RESOURCE - 1},
        {"8bim", DATA(RESOURCE), false, NULL, NULL, RESOURCE, sizeof RESOURCE - 1},
        {"iptc", DATA(IPTC), false, NULL, NULL, RESOURCE, sizeof RESOURCE - 1},
        {"iptc", DATA("\x1c\2\x78\0\2ab"), false, NULL, NULL, ODD_RESOURCE,
         sizeof ODD_RESOURCE - 1},
        {"exif", DATA("Exif\0\0none"), false, NULL, NULL, NULL, 0},
        {"iptc", DATA("none"), false, NULL, NULL, NULL, 0},
        {"icc", DATA("none"), false, NULL, NULL, NULL, 0},
        {"exif", DATA(""), true, NULL, NULL, NULL, 0},
        {"exif", DATA("\n"), true, NULL, NULL, NULL, 0},
        {"exif", DATA("\nexif"), true, NULL, NULL, NULL, 0},
        {"exif", DATA("\nexif\n"), true, NULL, NULL, NULL, 0},
        {"exif", DATA("\nexif\n       4\n"), true, NULL, NULL, NULL, 0},
        {"exif", DATA("\nexif\n      10\n49492a000800000000"), true, NULL, NULL, NULL, 0},
        {"exif", DATA("\nexif\n      10\n49492a0008000000000"), true, NULL, NULL, NULL, 0},
        {"exif", DATA("\nexif\n      10\n49492a00080000000000ff"), true, NULL, NULL, NULL, 0},
        {"exif", DATA("\nexif\n      10\n49492a0008000000000g"), true, NULL, NULL, NULL, 0},
        {"exif", DATA("\nexif\n\n49492a00080000000000"), true, NULL, NULL, NULL, 0},
        {"exif", DATA("\nexif\n99999999999999999999999999\n49492a00080000000000"), true, NULL, NULL,
         NULL, 0},
        {"exif", DATA("exif\n      10\n49492a00080000000000"), true, NULL, NULL, NULL, 0},
    };
    for (size_t i = 0; i < 8 * ROWS_OF(cases); i++) {
        bool late = i & 1, is_packed = i & 2, look = i & 4;
        char text[400], keyword[40];
        size_t c = i / 8, n = cases[c].n, want = cases[c].want;
        const char *exif = cases[c].exif, *xmp = cases[c].xmp, *iptc = cases[c].iptc;
        if (cases[c].is_text) {
            memcpy(text, cases[c].data, n);
        } else {
            n = make_profile(text, cases[c].data, n,
                             is_packed ? "0123456789ABCDEF" : "0123456789abcdef");
        }
        snprintf(keyword, sizeof keyword, "Raw profile type %s", cases[c].kind);
        SCOPED_BYTES file = plain_png(ctx);
        add_text(&file, late, is_packed, keyword, text, n);
        SCOPED_READER *reader = read_through(ctx, &file, look);
        const satf_metadata *m = &reader->header.metadata;
        assert_block(cases[c].data, m->exif, m->exif_bytes, exif, exif ? want : 0);
        assert_block(cases[c].data, m->xmp, m->xmp_bytes, xmp, xmp ? want : 0);
        assert_block(cases[c].data, m->iptc, m->iptc_bytes, iptc, iptc ? want : 0);
        assert_string_equal(reader->header.text, want ? "" : keyword);
    }
}

/* Of two the first counts, but for the chunk that is made for it. */
TEST(first_counts)
{
    static const char *const blocks[] = {"II*\0second", "II*\0first"};
    SCOPED_BYTES file = plain_png(ctx);
    for (int i = 0; i < 2; i++) {
        char text[100];
        size_t n = make_profile(text, blocks[i], 10 - (size_t)i, "0123456789abcdef");
        add_text(&file, false, false, "Raw profile type exif", text, n);
    }
    for (int i = 0; i < 2; i++) {
        SCOPED_READER *reader = read_through(ctx, &file, false);
        const satf_metadata *m = &reader->header.metadata;
        assert_block("EXIF", m->exif, m->exif_bytes, i ? "II*\0chunk" : "II*\0first", 9);
        assert_string_equal(reader->header.text, "Raw profile type exif");
        size_t first = 12u + file.data[BEHIND_IHDR + 3]; /* bytes of the chunk */
        put_chunk(&file, BEHIND_IHDR + first, "eXIf", "II*\0chunk", 9);
    }
}

/* Each of them unpacks to less than the limit, and all together to more. */
TEST(many_bombs)
{
    enum { BIG = 1 << 20, COUNT = 5 };
    SCOPED_BYTES zeros = bytes_of(NULL, BIG);
    for (int i = 0; i < 4; i++) {
        bool late = i & 1, look = i & 2;
        SCOPED_BYTES file = plain_png(ctx);
        for (int k = 0; k < COUNT; k++) {
            add_text(&file, late, true, "Raw profile type exif", zeros.data, BIG);
        }
        MUST(ctx, satf_context_set_limit(ctx, SATF_LIMIT_METADATA, COUNT * BIG));
        io_close(read_through(ctx, &file, look));
        MUST(ctx, satf_context_set_limit(ctx, SATF_LIMIT_METADATA, COUNT * BIG - 1));
        unsigned char rows[9];
        SCOPED_READER *reader = NULL;
        satf_status status = io_open_memory(ctx, file.data, file.n, &reader);
        status = status || !look ? status : io_find_metadata(ctx, reader);
        status = status ? status : io_read_rows(ctx, reader, rows, 3, 3);
        assert_refused(ctx, "many bombs", status, SATF_LIMIT, "limit: max-metadata");
    }
}

/* -------------------------------------------------------------------- text */

/* What the file becomes if it is read and written by rows. */
static bytes written_by_rows(satf_context *ctx, const bytes *file, bool strip)
{
    satf_write_options options = options_for("png");
    options.strip = strip;
    SCOPED_IMAGE *image = must_decode(ctx, file->data, file->n);
    SCOPED_READER *reader = open_bytes(ctx, file);
    bytes out = copy_rows(ctx, reader, image, &options);
    return out;
}

/* Author and Copyright stay where they are, byte by byte; whole and by rows alike. */
TEST(kept_text)
{
    static const char ahead[] = "Author\0ahead",
                      unicode[] = "Copyright\0\0\0de\0Rechte\0K\xc3\xa4the",
                      behind[] = "Copyright\0behind";
    SCOPED_BYTES file = plain_png(ctx);
    add_chunk(&file, false, "tEXt", DATA(ahead));
    add_chunk(&file, false, "iTXt", DATA(unicode));
    add_chunk(&file, true, "tEXt", DATA(behind));
    add_chunk(&file, false, "tEXt", DATA("Comment\0none of it"));
    add_chunk(&file, false, "tEXt", DATA("Authors\0none"));
    SCOPED_IMAGE *image = must_decode(ctx, file.data, file.n);
    SCOPED_BYTES whole = must_encode(ctx, image, "png"), rows = written_by_rows(ctx, &file, false);
    assert_block("the file by rows", rows.data, rows.n, whole.data, whole.n);
    SCOPED_BYTES plain = plain_png(ctx), one = copy_of(&plain), two = copy_of(&plain);
    add_chunk(&one, false, "iTXt", DATA(unicode));
    add_chunk(&two, false, "tEXt", DATA(ahead));
    size_t pixels = find_text(&whole, "IDAT", 4);
    size_t first = find_text(&whole, one.data + BEHIND_IHDR, one.n - plain.n);
    size_t second = find_text(&whole, two.data + BEHIND_IHDR, two.n - plain.n);
    assert_true(first < second && second < pixels);
    assert_true(find_text(&whole, DATA(behind)) > pixels);
    assert_false(holds(&whole, "none", 4));
    SCOPED_BYTES stripped = written_by_rows(ctx, &file, true);
    assert_false(holds(&stripped, "TXt", 3) || holds(&stripped, "tEXt", 4));
    SCOPED_BYTES jpeg = must_encode(ctx, image, "jpeg");
    SCOPED_IMAGE *read = must_decode(ctx, jpeg.data, jpeg.n);
    assert_null(read->metadata.text);
}

TEST(much_text)
{
    SCOPED_BYTES one = plain_png(ctx), all = bytes_of(one.data, BEHIND_IHDR);
    for (int i = 0; i < 5000; i++) {
        char text[40] = "Author";
        put_chunk(&all, all.n, "tEXt", text, 7 + (size_t)sprintf(text + 7, "%d", i));
    }
    append_bytes(&all, one.data + BEHIND_IHDR, one.n - BEHIND_IHDR);
    SCOPED_IMAGE *image = must_decode(ctx, all.data, all.n);
    SCOPED_BYTES file = must_encode(ctx, image, "png");
    assert_block("the file", file.data, file.n, all.data, all.n);
}

/* --------------------------------------------------------------------- HDR */

TEST(hdr_chunks)
{
    static const unsigned char data[25] = "\x09\x10\0\1 and twenty bytes too";
    static const struct {
        const char *name, *written;
        size_t n;
        bool late, kept;
        const char *others;
    } cases[] = {
        {"cICP", "cICP", 4, false, true, ""},       {"mDCV", "mDCV", 24, false, true, ""},
        {"cLLI", "cLLI", 8, false, true, ""},       {"mDCv", "mDCV", 24, false, true, ""},
        {"cLLi", "cLLI", 8, false, true, ""},       {"cICP", "cICP", 5, false, false, "cICP"},
        {"mDCV", "mDCV", 23, false, false, "mDCV"}, {"cLLI", "cLLI", 0, false, false, "cLLI"},
        {"cICP", "cICP", 4, true, false, "cICP"},
    };
    for (size_t i = 0; i < 2 * ROWS_OF(cases); i++) {
        size_t c = i / 2;
        SCOPED_BYTES file = plain_png(ctx), want = plain_png(ctx);
        add_chunk(&file, cases[c].late, cases[c].name, data, cases[c].n);
        if (cases[c].kept) {
            add_chunk(&want, false, cases[c].written, data, cases[c].n);
        }
        SCOPED_READER *reader = read_through(ctx, &file, false);
        assert_string_equal(reader->header.others, cases[c].others);
        SCOPED_BYTES out = written_by_rows(ctx, &file, i & 1); /* --strip leaves what pixels mean */
        assert_block(cases[c].name, out.data, out.n, want.data, want.n);
    }
    SCOPED_BYTES file = plain_png(ctx);
    add_chunk(&file, false, "cICP", "\x0c\x0d\0\1", 4);
    add_chunk(&file, false, "cICP", data, 4);
    SCOPED_READER *reader = read_through(ctx, &file, false);
    assert_block("the first", reader->header.metadata.hdr[SATF_CICP], 4, data, 4);
    assert_string_equal(reader->header.others, "cICP");
}

/* ------------------------------------------------------------ what is not kept */

static void expect_others(satf_context *ctx, const bytes *file, const char *want)
{
    SCOPED_READER *reader = read_through(ctx, file, false);
    assert_string_equal(reader->header.others, want);
}

/* A list is as long as its room, has each name once, and says that there are more. */
TEST(other_data)
{
    SCOPED_BYTES file = plain_png(ctx);
    add_chunk(&file, false, "tIME", "\x07\xe4\1\2\3\4\5", 7);
    add_chunk(&file, false, "bKGD", "\0\1", 2);
    add_chunk(&file, false, "cHRM", TIFF, 10);
    add_chunk(&file, false, "abCd", "x", 1);
    add_chunk(&file, true, "abCd", "y", 1);
    add_chunk(&file, false, "pHYs", "x", 1);
    expect_others(ctx, &file, "abCd, bKGD, cHRM, pHYs");
    for (int i = 0; i < 30; i++) {
        char name[5] = {'a', (char)('a' + i % 26), 'X', (char)('a' + i / 26), 0};
        add_chunk(&file, false, name, "x", 1);
    }
    SCOPED_READER *reader = read_through(ctx, &file, false);
    char others[sizeof reader->header.others];
    memcpy(others, reader->header.others, sizeof others);
    assert_true(strlen(others) < sizeof others);
    assert_string_equal(others + strlen(others) - 5, ", ...");
    assert_ptr_equal(strstr(others, "..."), others + strlen(others) - 3);
}

/* Each marker comes in front of those before; a second EXIF, or XMP, is one that is not kept. */
TEST(other_markers)
{
    static const struct {
        int marker;
        const char *data;
        size_t n;
        const char *others;
    } markers[] = {
        {0xe1, DATA("Exif\0\0" TIFF), ""},
        {0xe1, DATA("Exif\0\0"), ""},
        {0xe1, DATA("other"), "APP1"},
        {0xe2, DATA("MPF\0"), "MPF, APP1"},
        {0xec, DATA("Ducky"), "APP12, MPF, APP1"},
        {0xed, DATA("Adobe_CM"), "APP13, APP12, MPF, APP1"},
        {0xeb, DATA("JP"), "APP11, APP13, APP12, MPF, APP1"},
        {0xeb, DATA("JP\0\1\0\0\0\1\0\0\0\0jumb\0\0\0\0jumdc2pa, and more than is looked at"),
         "C2PA, APP11, APP13, APP12, MPF, APP1"},
        {0xe3, DATA(""), "C2PA, APP11, APP13, APP12, MPF, APP1"},
        {0xee, DATA("Adobe\0"), "C2PA, APP11, APP13, APP12, MPF, APP1"},
        {0xfe, DATA("a comment"), "C2PA, APP11, APP13, APP12, MPF, APP1"},
        {0xe1, DATA("Exif\0\0" TIFF), "C2PA, APP11, APP13, APP12, MPF, APP1, EXIF"},
        {0xe1, DATA("http://ns.adobe.com/xap/1.0/\0" XMP),
         "C2PA, APP11, APP13, APP12, MPF, APP1, EXIF"},
        {0xe1, DATA("http://ns.adobe.com/xap/1.0/\0" XMP),
         "XMP, C2PA, APP11, APP13, APP12, MPF, APP1, EXIF"},
    };
    SCOPED_BYTES file = random_file(ctx, "jpeg", 4, 1);
    for (size_t i = 0; i < ROWS_OF(markers); i++) {
        add_segment(&file, markers[i].marker, markers[i].data, markers[i].n);
        expect_others(ctx, &file, markers[i].others);
    }
}

TEST(described)
{
    static const struct {
        const char *names, *text;
        const char *verb;
    } cases[] = {
        {"", "", NULL},
        {"iCCP", "colour profile, which is faulty (the pixels are not converted),", "is"},
        {"iCCP, bKGD",
         "colour profile, which is faulty (the pixels are not converted), and background colour",
         "are"},
        {"pHYs, eXIf, gAMA", "faulty resolution, EXIF and faulty gamma", "are"},
        {"cICP, mDCV", "HDR description", "is"},
        {"sPLT, cHRM, PLTE", "suggested palette and colour primaries", "are"},
        {"abCd", "other data (abCd)", "is"},
        {"abCd, ...", "other data (abCd, ...)", "is"},
        {"extra", "extra samples", "are"},
        {"cHRM, abCd", "colour primaries and other data (abCd)", "are"},
        {"abCd, MPF, APP1, APP12",
         "second picture (such as a gain map), picture info and other data (abCd, APP1)", "are"},
        {"MPFx, PF", "other data (MPFx, PF)", "is"},
    };
    for (size_t i = 0; i < ROWS_OF(cases); i++) {
        char text[200], little[9];
        const char *verb = io_describe_others(cases[i].names, text, sizeof text);
        assert_true(cases[i].verb ? verb && strcmp(verb, cases[i].verb) == 0 : !verb);
        assert_string_equal(text, cases[i].text);
        assert_ptr_equal(io_describe_others(cases[i].names, little, sizeof little), verb);
        assert_true(strncmp(little, text, sizeof little - 1) == 0 &&
                    strlen(little) < sizeof little);
    }
}

TEST_FILE(.formats = "all")
