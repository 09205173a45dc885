/* Metadata that stands in another place, or says it in another way, in a PNG than in a JPEG; and
 * what is known of that which is not kept. */
#include "test.h"
#include "test_io_metadata.h"

#include "io/others.h"

#define TIFF "II*\0\x08\0\0\0\0\0"
#define XMP "<x:xmpmeta/>"
#define IPTC "\x1c\2\x78\0\3abc"
#define RESOURCE "8BIM\4\4\0\0\0\0\0\x08" IPTC
#define ODD_RESOURCE "8BIM\4\4\0\0\0\0\0\x07\x1c\2\x78\0\2ab\0"

/* The file's reader behind the last row, or looked at in front of the first. */
static io_reader *read_all(satf_context *ctx, const bytes *file, bool look)
{
    io_reader *reader;
    assert_int_equal(io_open_memory(ctx, file->data, file->n, &reader), SATF_OK);
    assert_int_equal(look ? io_find_metadata(ctx, reader) : SATF_OK, SATF_OK);
    const satf_view *v = &reader->header.view;
    SCOPED unsigned char *rows = malloc((size_t)(v->stride * v->height));
    assert_int_equal(io_read_rows(ctx, reader, rows, v->stride, v->height), SATF_OK);
    return reader;
}

/* ------------------------------------------------------------ raw profiles */

/* A chunk's data: keyword, and the text as it is or packed. */
static size_t make_chunk(unsigned char *room, const char *keyword, bool packed, const void *text,
                         size_t n)
{
    size_t at = strlen(keyword) + 1;
    memcpy(room, keyword, at);
    if (packed) {
        uLongf size = compressBound(n);
        room[at++] = 0;
        assert_int_equal(compress2(room + at, &size, text, n, 9), Z_OK);
        return at + size;
    }
    memcpy(room + at, text, n);
    return at + n;
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

TEST(raw_profiles)
{
    static const struct {
        const char *kind, *data;
        size_t n;
        const char *exif, *xmp, *iptc;
        size_t want;
    } cases[] = {
#define DATA(text) text, sizeof text - 1
        {"exif", DATA("Exif\0\0" TIFF), TIFF, NULL, NULL, sizeof TIFF - 1},
        {"exif", DATA(TIFF), TIFF, NULL, NULL, sizeof TIFF - 1},
        {"APP1", DATA("Exif\0\0" TIFF), TIFF, NULL, NULL, sizeof TIFF - 1},
        {"APP1", DATA("http://ns.adobe.com/xap/1.0/\0" XMP), NULL, XMP, NULL, sizeof XMP - 1},
        {"xmp", DATA(XMP), NULL, XMP, NULL, sizeof XMP - 1},
        {"iptc", DATA(RESOURCE), NULL, NULL, RESOURCE, sizeof RESOURCE - 1},
        {"8bim", DATA(RESOURCE), NULL, NULL, RESOURCE, sizeof RESOURCE - 1},
        {"iptc", DATA(IPTC), NULL, NULL, RESOURCE, sizeof RESOURCE - 1},
        {"iptc", DATA("\x1c\2\x78\0\2ab"), NULL, NULL, ODD_RESOURCE, sizeof ODD_RESOURCE - 1},
        {"exif", DATA("Exif\0\0none"), NULL, NULL, NULL, 0},
        {"iptc", DATA("none"), NULL, NULL, NULL, 0},
        {"icc", DATA("none"), NULL, NULL, NULL, 0},
    };
    bytes plain = plain_png(ctx);
    for (size_t i = 0; i < 8 * sizeof cases / sizeof *cases; i++) {
        bool late = i & 1, packed = i & 2, look = i & 4;
        char text[400], keyword[40];
        unsigned char chunk[400];
        size_t c = i / 8, n = make_profile(text, cases[c].data, cases[c].n,
                                           packed ? "0123456789ABCDEF" : "0123456789abcdef");
        snprintf(keyword, sizeof keyword, "Raw profile type %s", cases[c].kind);
        n = make_chunk(chunk, keyword, packed, text, n);
        bytes file = with_chunk(&plain, late ? plain.n - IEND_BYTES : BEHIND_IHDR,
                                packed ? "zTXt" : "tEXt", chunk, n);
        io_reader *reader = read_all(ctx, &file, look);
        const satf_metadata *m = &reader->header.metadata;
        assert_block("EXIF", m->exif, m->exif_bytes, cases[c].exif,
                     cases[c].exif ? cases[c].want : 0);
        assert_block("XMP", m->xmp, m->xmp_bytes, cases[c].xmp, cases[c].xmp ? cases[c].want : 0);
        assert_block("IPTC", m->iptc, m->iptc_bytes, cases[c].iptc,
                     cases[c].iptc ? cases[c].want : 0);
        assert_int_equal(reader->header.has_text, cases[c].want == 0);
        io_close(reader);
        free(file.data);
    }
    free(plain.data);
}

/* None of these is taken, and all of them are told of. */
TEST(broken_profiles)
{
    static const char *const texts[] = {
        "",
        "\n",
        "\nexif",
        "\nexif\n",
        "\nexif\n       4\n",
        "\nexif\n      10\n49492a000800000000",
        "\nexif\n      10\n49492a0008000000000",
        "\nexif\n      10\n49492a00080000000000ff",
        "\nexif\n      10\n49492a0008000000000g",
        "\nexif\n\n49492a00080000000000",
        "\nexif\n99999999999999999999999999\n49492a00080000000000",
        "exif\n      10\n49492a00080000000000",
    };
    bytes plain = plain_png(ctx);
    for (size_t i = 0; i < 4 * sizeof texts / sizeof *texts; i++) {
        bool late = i & 1, packed = i & 2;
        unsigned char chunk[400];
        size_t n =
            make_chunk(chunk, "Raw profile type exif", packed, texts[i / 4], strlen(texts[i / 4]));
        bytes file = with_chunk(&plain, late ? plain.n - IEND_BYTES : BEHIND_IHDR,
                                packed ? "zTXt" : "tEXt", chunk, n);
        io_reader *reader = read_all(ctx, &file, late);
        if (reader->header.metadata.exif || !reader->header.has_text) {
            fail_msg("text %zu was taken, or is not told of", i / 4);
        }
        io_close(reader);
        free(file.data);
    }
    free(plain.data);
}

/* Of two the first counts, but for the chunk that is made for it. */
TEST(first_counts)
{
    char text[100];
    unsigned char chunk[200];
    bytes plain = plain_png(ctx);
    size_t n = make_profile(text, "II*\0second", 10, "0123456789abcdef");
    n = make_chunk(chunk, "Raw profile type exif", false, text, n);
    bytes one = with_chunk(&plain, BEHIND_IHDR, "tEXt", chunk, n);
    n = make_profile(text, "II*\0first", 9, "0123456789abcdef");
    n = make_chunk(chunk, "Raw profile type exif", false, text, n);
    bytes two = with_chunk(&one, BEHIND_IHDR, "tEXt", chunk, n);
    bytes three = with_chunk(&two, BEHIND_IHDR + n + 12, "eXIf", "II*\0chunk", 9);
    for (int i = 0; i < 2; i++) {
        io_reader *reader = read_all(ctx, i ? &three : &two, false);
        const satf_metadata *m = &reader->header.metadata;
        assert_block("EXIF", m->exif, m->exif_bytes, i ? "II*\0chunk" : "II*\0first", 9);
        assert_true(reader->header.has_text);
        io_close(reader);
    }
    free(three.data);
    free(two.data);
    free(one.data);
    free(plain.data);
}

/* Each of them unpacks to less than the limit, and all together to more. */
TEST(many_bombs)
{
    enum { BIG = 1 << 20, COUNT = 5 };
    SCOPED unsigned char *zeros = calloc(BIG, 1), *chunk = malloc(2 * BIG);
    size_t n = make_chunk(chunk, "Raw profile type exif", true, zeros, BIG);
    for (int late = 0; late < 2; late++) {
        bytes file = plain_png(ctx);
        for (int i = 0; i < COUNT; i++) {
            bytes more =
                with_chunk(&file, late ? file.n - IEND_BYTES : BEHIND_IHDR, "zTXt", chunk, n);
            free(file.data);
            file = more;
        }
        for (int look = 0; look < 2; look++) {
            io_reader *reader = NULL;
            assert_int_equal(satf_context_set_limit(ctx, SATF_MAX_METADATA, COUNT * BIG), SATF_OK);
            io_close(read_all(ctx, &file, look));
            assert_int_equal(satf_context_set_limit(ctx, SATF_MAX_METADATA, COUNT * BIG - 1),
                             SATF_OK);
            unsigned char rows[9];
            satf_status status = io_open_memory(ctx, file.data, file.n, &reader);
            status = status || !look ? status : io_find_metadata(ctx, reader);
            status = status ? status : io_read_rows(ctx, reader, rows, 3, 3);
            assert_int_equal(status, SATF_LIMIT);
            assert_non_null(strstr(satf_message(ctx), "limit: max-metadata"));
            io_close(reader);
        }
        free(file.data);
    }
}

/* -------------------------------------------------------------------- text */

static size_t place_of(const bytes *file, const char *what, size_t n)
{
    const unsigned char *at = memmem(file->data, file->n, what, n);
    assert_non_null(at);
    return (size_t)(at - file->data);
}

/* What the file becomes if it is read and written by rows. */
static bytes write_rows(satf_context *ctx, const bytes *file, bool strip)
{
    io_reader *reader;
    io_writer *writer;
    io_plan plan;
    bytes out;
    char *data;
    unsigned char row[3];
    satf_write_options options = options_for("png");
    options.strip = strip;
    SCOPED_IMAGE *image = must_decode(ctx, file->data, file->n);
    assert_int_equal(io_make_plan(ctx, image, "-", &options, &plan), SATF_OK);
    assert_int_equal(io_open_memory(ctx, file->data, file->n, &reader), SATF_OK);
    FILE *stream = open_memstream(&data, &out.n);
    assert_int_equal(
        io_writer_open(ctx, &plan, stream, &options, &reader->header.metadata, &writer), SATF_OK);
    for (int y = 0; y < 3; y++) {
        assert_int_equal(io_read_rows(ctx, reader, row, 3, 1), SATF_OK);
        assert_int_equal(io_put_rows(ctx, writer, row, 3, 1), SATF_OK);
    }
    assert_int_equal(io_writer_finish(ctx, writer), SATF_OK);
    io_writer_close(writer);
    io_close(reader);
    fclose(stream);
    out.data = (unsigned char *)data;
    return out;
}

/* Author and Copyright stay where they are, byte by byte; whole and by rows alike. */
TEST(kept_text)
{
    static const char ahead[] = "Author\0ahead",
                      unicode[] = "Copyright\0\0\0de\0Rechte\0K\xc3\xa4the",
                      behind[] = "Copyright\0behind", other[] = "Comment\0none of it",
                      longer[] = "Authors\0none";
    bytes file[6] = {plain_png(ctx)};
    file[1] = with_chunk(&file[0], BEHIND_IHDR, "tEXt", ahead, sizeof ahead - 1);
    file[2] = with_chunk(&file[1], BEHIND_IHDR, "iTXt", unicode, sizeof unicode - 1);
    file[3] = with_chunk(&file[2], file[2].n - IEND_BYTES, "tEXt", behind, sizeof behind - 1);
    for (int i = 4; i < 6; i++) {
        file[i] = with_chunk(&file[i - 1], BEHIND_IHDR, "tEXt", i == 4 ? other : longer,
                             (i == 4 ? sizeof other : sizeof longer) - 1);
    }
    SCOPED_IMAGE *image = must_decode(ctx, file[5].data, file[5].n);
    bytes whole = must_encode(ctx, image, "png"), rows = write_rows(ctx, &file[5], false);
    assert_block("the file by rows", rows.data, rows.n, whole.data, whole.n);
    size_t pixels = place_of(&whole, "IDAT", 4);
    size_t first = place_of(&whole, (char *)file[2].data + BEHIND_IHDR, sizeof unicode - 1 + 12);
    size_t second = place_of(&whole, (char *)file[1].data + BEHIND_IHDR, sizeof ahead - 1 + 12);
    assert_true(first < second && second < pixels);
    assert_true(place_of(&whole, behind, sizeof behind - 1) > pixels);
    assert_null(memmem(whole.data, whole.n, "none", 4));
    bytes stripped = write_rows(ctx, &file[5], true);
    assert_null(memmem(stripped.data, stripped.n, "TXt", 3));
    assert_null(memmem(stripped.data, stripped.n, "tEXt", 4));
    bytes jpeg = must_encode(ctx, image, "jpeg");
    SCOPED_IMAGE *read = must_decode(ctx, jpeg.data, jpeg.n);
    assert_null(read->metadata.text);
    free(jpeg.data);
    free(stripped.data);
    free(rows.data);
    free(whole.data);
    for (int i = 0; i < 6; i++) {
        free(file[i].data);
    }
}

TEST(much_text)
{
    enum { COUNT = 5000 };
    bytes one = plain_png(ctx), all = {malloc(one.n + 64 * COUNT), BEHIND_IHDR};
    memcpy(all.data, one.data, BEHIND_IHDR);
    for (int i = 0; i < COUNT; i++) {
        char text[40] = "Author";
        size_t n = 7 + (size_t)sprintf(text + 7, "%d", i);
        bytes with = with_chunk(&one, BEHIND_IHDR, "tEXt", text, n);
        memcpy(all.data + all.n, with.data + BEHIND_IHDR, n + 12);
        all.n += n + 12;
        free(with.data);
    }
    memcpy(all.data + all.n, one.data + BEHIND_IHDR, one.n - BEHIND_IHDR);
    all.n += one.n - BEHIND_IHDR;
    SCOPED_IMAGE *image = must_decode(ctx, all.data, all.n);
    bytes file = must_encode(ctx, image, "png");
    assert_block("the file", file.data, file.n, all.data, all.n);
    free(file.data);
    free(all.data);
    free(one.data);
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
    bytes plain = plain_png(ctx);
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        size_t c = i / 2;
        bytes file = with_chunk(&plain, cases[c].late ? plain.n - IEND_BYTES : BEHIND_IHDR,
                                cases[c].name, data, cases[c].n);
        io_reader *reader = read_all(ctx, &file, false);
        assert_string_equal(reader->header.others, cases[c].others);
        io_close(reader);
        bytes out = write_rows(ctx, &file, i & 1); /* --strip leaves what pixels mean */
        bytes want = with_chunk(&plain, BEHIND_IHDR, cases[c].written, data, cases[c].n);
        assert_block(cases[c].name, out.data, out.n, cases[c].kept ? want.data : plain.data,
                     cases[c].kept ? want.n : plain.n);
        free(want.data);
        free(out.data);
        free(file.data);
    }
    bytes one = with_chunk(&plain, BEHIND_IHDR, "cICP", "\x0c\x0d\0\1", 4);
    bytes two = with_chunk(&one, BEHIND_IHDR, "cICP", data, 4);
    io_reader *reader = read_all(ctx, &two, false);
    assert_block("the first", reader->header.metadata.hdr[SATF_CICP], 4, data, 4);
    assert_string_equal(reader->header.others, "cICP");
    io_close(reader);
    free(two.data);
    free(one.data);
    free(plain.data);
}

/* ------------------------------------------------------------ what is not kept */

/* A list is as long as its room, has each name once, and says that there are more. */
TEST(other_data)
{
    static const struct {
        const char *name, *data;
        size_t n;
    } chunks[] = {{"tIME", "\x07\xe4\1\2\3\4\5", 7},
                  {"bKGD", "\0\1", 2},
                  {"cHRM", TIFF, 10},
                  {"abCd", "x", 1},
                  {"abCd", "y", 1},
                  {"pHYs", "x", 1}};
    bytes file = plain_png(ctx);
    for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++) {
        bytes more = with_chunk(&file, i == 4 ? file.n - IEND_BYTES : BEHIND_IHDR, chunks[i].name,
                                chunks[i].data, chunks[i].n);
        free(file.data);
        file = more;
    }
    io_reader *reader = read_all(ctx, &file, false);
    assert_string_equal(reader->header.others, "abCd, bKGD, cHRM, pHYs");
    io_close(reader);
    for (int i = 0; i < 30; i++) {
        char name[5] = {'a', (char)('a' + i % 26), 'X', (char)('a' + i / 26), 0};
        bytes more = with_chunk(&file, BEHIND_IHDR, name, "x", 1);
        free(file.data);
        file = more;
    }
    reader = read_all(ctx, &file, false);
    const char *others = reader->header.others;
    assert_true(strlen(others) < sizeof reader->header.others);
    assert_string_equal(others + strlen(others) - 5, ", ...");
    assert_ptr_equal(strstr(others, "..."), others + strlen(others) - 3);
    io_close(reader);
    free(file.data);
}

TEST(other_markers)
{
    static const struct {
        int marker;
        const char *data;
        size_t n;
    } markers[] = {
#define MARKER(number, text) {number, text, sizeof text - 1}
        MARKER(0xe1, "Exif\0\0" TIFF),
        MARKER(0xe1, "Exif\0\0"),
        MARKER(0xe1, "other"),
        MARKER(0xe2, "MPF\0"),
        MARKER(0xec, "Ducky"),
        MARKER(0xed, "Adobe_CM"),
        MARKER(0xeb, "JP"),
        MARKER(0xeb, "JP\0\1\0\0\0\1\0\0\0\0jumb\0\0\0\0jumdc2pa, and more than is looked at"),
        MARKER(0xe3, ""),
        MARKER(0xee, "Adobe\0"),
        MARKER(0xfe, "a comment"),
        MARKER(0xe1, "Exif\0\0" TIFF)};
    static const char *const others[] = {"",
                                         "",
                                         "APP1",
                                         "MPF, APP1",
                                         "APP12, MPF, APP1",
                                         "APP13, APP12, MPF, APP1",
                                         "APP11, APP13, APP12, MPF, APP1",
                                         "C2PA, APP11, APP13, APP12, MPF, APP1",
                                         "C2PA, APP11, APP13, APP12, MPF, APP1",
                                         "C2PA, APP11, APP13, APP12, MPF, APP1",
                                         "C2PA, APP11, APP13, APP12, MPF, APP1",
                                         "C2PA, APP11, APP13, APP12, MPF, APP1, EXIF"};
    SCOPED_IMAGE *image = make_image(ctx, 4, 4, 1, SATF_U8, 0, 8);
    bytes file = must_encode(ctx, image, "jpeg");
    for (size_t i = 0; i < sizeof markers / sizeof *markers; i++) {
        bytes more = with_marker(&file, markers[i].marker, markers[i].data, markers[i].n);
        free(file.data);
        file = more;
        io_reader *reader = read_all(ctx, &file, false);
        assert_string_equal(reader->header.others, others[i]);
        io_close(reader);
    }
    free(file.data);
}

TEST(described)
{
    static const struct {
        const char *names, *text;
        const char *verb;
    } cases[] = {
        {"", "", NULL},
        {"iCCP", "faulty colour profile", "is"},
        {"iCCP, bKGD", "faulty colour profile and background colour", "are"},
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
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200], little[9];
        const char *verb = io_describe_others(cases[i].names, text, sizeof text);
        assert_true(cases[i].verb ? verb && strcmp(verb, cases[i].verb) == 0 : !verb);
        assert_string_equal(text, cases[i].text);
        assert_ptr_equal(io_describe_others(cases[i].names, little, sizeof little), verb);
        assert_true(strncmp(little, text, sizeof little - 1) == 0 &&
                    strlen(little) < sizeof little);
    }
}

/* A second EXIF, or XMP, is one that is not kept. */
TEST(second_block)
{
    static const char exif[] = "Exif\0\0" TIFF, xmp[] = "http://ns.adobe.com/xap/1.0/\0" XMP;
    SCOPED_IMAGE *image = make_image(ctx, 4, 4, 1, SATF_U8, 0, 8);
    bytes plain = must_encode(ctx, image, "jpeg");
    for (int i = 0; i < 2; i++) {
        const char *data = i ? xmp : exif;
        size_t n = (i ? sizeof xmp : sizeof exif) - 1;
        bytes one = with_marker(&plain, 0xe1, data, n), two = with_marker(&one, 0xe1, data, n);
        for (int k = 0; k < 2; k++) {
            io_reader *reader = read_all(ctx, k ? &two : &one, false);
            assert_string_equal(reader->header.others, !k ? "" : i ? "XMP" : "EXIF");
            io_close(reader);
        }
        free(two.data);
        free(one.data);
    }
    free(plain.data);
}

TEST_FILE(.formats = "all")
