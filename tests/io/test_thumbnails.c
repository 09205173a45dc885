/* Thumbnails show the picture as it was, so they go when it is filtered, and nothing else does. */
#include "test.h"
#include "exif_blocks.h"
#include "test_io_metadata.h"

#include "chain/filter.h"

/* A JPEG as far as markers go: two segments, pixels with a stuffed byte and a restart, the end. */
static const unsigned char jpeg[] =
    "\xff\xd8\xff\xe0\0\4ab\xff\xdb\0\3x\xff\xda\0\4yzpixels\xff\0and"
    "\xff\xd0more\xff\xd9";
enum { JPEG = sizeof jpeg - 1 };

/* ----------------------------------------------------------------------- EXIF */

enum { IFD0 = 8, ENTRIES0 = 3, BEHIND_IFD0 = IFD0 + 2 + 12 * ENTRIES0 + 4, NOTE = 100 };

/* The first directory with an orientation and a maker note, which holds a preview among text. */
static void begin(block *b, bool big)
{
    begin_block(b, big);
    put_directory(b,
                  (const uint32_t[][4]){{SATF_TIFF_ORIENTATION, SATF_TIFF_SHORT, 1, 6},
                                        {0x010f, 2, 4, 0x41424344},
                                        {0x927c, 7, NOTE, BEHIND_IFD0}},
                  ENTRIES0, 0);
    unsigned char note[NOTE];
    memset(note, 'n', NOTE);
    memcpy(note + 30, jpeg, JPEG);
    put(b, note, NOTE);
}

static void link_to(block *b, size_t next)
{
    put_number(b, BEHIND_IFD0 - 4, 4, (uint32_t)next);
}

/* What is left of the block, made of a copy of its very size, so that a sanitizer sees too much. */
static block dropped(const block *was)
{
    SCOPED_BYTES copy = bytes_of(was->room, was->t.bytes);
    size_t left = satf_exif_drop_thumbnails(copy.data, copy.n);
    block is = *was;
    assert_true(left <= was->t.bytes);
    memset(is.room, 0, sizeof is.room);
    memcpy(is.room, copy.data, left);
    is.t.bytes = left;
    return is;
}

/* The first directory and the note's text are what they were. */
static void assert_rest(const block *was, const block *is)
{
    assert_memory_equal(was->room, is->room, BEHIND_IFD0 - 4);
    assert_memory_equal(was->room + BEHIND_IFD0, is->room + BEHIND_IFD0, 30);
    assert_memory_equal(was->room + BEHIND_IFD0 + 30 + JPEG, is->room + BEHIND_IFD0 + 30 + JPEG,
                        NOTE - 30 - JPEG);
    assert_memory_equal(is->room + BEHIND_IFD0 - 4, "\0\0\0\0", 4);
    assert_false(room_holds(is, "\xff\xd8\xff", 3));
    assert_false(room_holds(is, "pixels", 6));
    assert_int_equal(satf_exif_orientation(is->room, is->t.bytes), 6);
}

/* The thumbnail behind its directory, as cameras write it, or before, or with more behind it. */
TEST(exif_jpegs)
{
    for (int k = 0; k < 8; k++) {
        bool big = k & 1, first = k & 2, more = k & 4;
        block was;
        begin(&was, big);
        size_t end = was.t.bytes, picture = end;
        if (first) {
            put(&was, jpeg, JPEG);
        } else {
            picture = end + 2 + 12 * 3 + 4;
        }
        link_to(&was, put_directory(&was,
                                    (const uint32_t[][4]){{0x0103, SATF_TIFF_SHORT, 1, 6},
                                                          {0x0201, 4, 1, (uint32_t)picture},
                                                          {0x0202, 4, 1, JPEG}},
                                    3, 0));
        if (!first) {
            assert_int_equal(put(&was, jpeg, JPEG), picture);
        }
        size_t gone_to = was.t.bytes;
        if (more) {
            put(&was, "something else", 14);
        }
        block is = dropped(&was);
        assert_rest(&was, &is);
        assert_int_equal(is.t.bytes, more ? was.t.bytes : end);
        for (size_t i = end; i < gone_to && more; i++) {
            assert_int_equal(is.room[i], 0);
        }
        assert_true(!more || room_holds(&is, "something else", 14));
        assert_int_equal(dropped(&is).t.bytes, is.t.bytes);
    }
}

/* Pixels as they are, in strips, whose places and sizes are 16 or 32 bits, inside or outside. */
TEST(exif_strips)
{
    for (int k = 0; k < 8; k++) {
        bool big = k & 1;
        uint32_t type = k & 2 ? SATF_TIFF_SHORT : SATF_TIFF_LONG, strips = k & 4 ? 1 : 5;
        uint32_t width = type == SATF_TIFF_SHORT ? 2 : 4;
        block was;
        begin(&was, big);
        size_t end = was.t.bytes, places = end;
        was.t.bytes += 2 * strips * width; /* places and sizes */
        size_t pixels = was.t.bytes;
        for (uint32_t i = 0; i < strips; i++) {
            put(&was, "pixels!!", 8);
            put_number(&was, places + i * width, (int)width, (uint32_t)(pixels + 8 * i));
            put_number(&was, places + (strips + i) * width, (int)width, 8);
        }
        bool inside = strips == 1;
        uint32_t sizes = (uint32_t)(places + strips * width);
        const uint32_t entries[][4] = {{0x0111, type, strips, (uint32_t)(inside ? pixels : places)},
                                       {0x0117, type, strips, inside ? 8 : sizes}};
        link_to(&was, put_directory(&was, entries, 2, 0));
        block is = dropped(&was);
        assert_rest(&was, &is);
        assert_int_equal(is.t.bytes, pixels);
    }
}

/* Offsets anywhere, directories that go round, sizes beyond all: nothing is touched outside, and
 * the first directory stays. */
TEST(exif_lies)
{
    static const uint32_t offsets[] = {0,           1,   8,         9, 40, BEHIND_IFD0 - 4,
                                       BEHIND_IFD0, 300, UINT32_MAX};
    static const uint32_t sizes[] = {0, 1, 40, 1000, UINT32_MAX};
    const size_t offset_count = sizeof offsets / sizeof *offsets;
    for (size_t k = 0; k < offset_count * offset_count * 5; k++) {
        block was;
        begin(&was, k % 2);
        uint32_t offset = offsets[k % offset_count], size = sizes[k / offset_count % 5];
        uint32_t next = offsets[k / offset_count / 5];
        const uint32_t entries[][4] = {{0x0201, 4, 1, offset},    {0x0202, 4, 1, size},
                                       {0x0111, 4, size, offset}, {0x0117, 4, size, offset},
                                       {0x0144, 3, 1, offset},    {0x0145, 4, size, next}};
        link_to(&was, put_directory(&was, entries, 6, next));
        put(&was, jpeg, JPEG);
        block is = dropped(&was);
        assert_true(is.t.bytes >= BEHIND_IFD0);
        assert_memory_equal(was.room, is.room, BEHIND_IFD0 - 4);
        assert_false(room_holds(&is, "\xff\xd8\xff", 3));
    }
    /* cut anywhere, and every bit turned over */
    block whole, b;
    begin(&whole, true);
    link_to(&whole, put_directory(&whole,
                                  (const uint32_t[][4]){{0x0111, 3, 9, 60},
                                                        {0x0117, 4, 9, 50},
                                                        {0x0201, 4, 1, 240},
                                                        {0x0202, 4, 1, 40}},
                                  4, IFD0));
    put(&whole, jpeg, JPEG);
    for (size_t n = 0; n < whole.t.bytes; n++) {
        b = whole;
        b.t.bytes = n;
        dropped(&b);
    }
    for (size_t bit = 0; bit < 8 * whole.t.bytes; bit++) {
        b = whole;
        b.room[bit / 8] ^= (unsigned char)(1u << bit % 8);
        dropped(&b);
    }
}

/* A block that is made so that ranges overlap again and again still takes no time. */
TEST(exif_overlaps)
{
    enum { BYTES = 16 << 20, COUNT = 1 << 20 };
    SCOPED unsigned char *data = calloc(BYTES, 1);
    satf_tiff t = {data, BYTES, false};
    block b; /* no entry; then two */
    begin_block(&b, false);
    put_directory(&b, NULL, 0, 14);
    put_directory(&b,
                  (const uint32_t[][4]){{0x0111, 4, COUNT, 64}, {0x0117, 4, COUNT, 64 + 4 * COUNT}},
                  2, 0);
    memcpy(data, b.room, b.t.bytes);
    for (size_t i = 0; i < COUNT; i++) {
        satf_tiff_store(&t, data + 64 + 4 * i, 4, 64 + 8 * COUNT);
        satf_tiff_store(&t, data + 64 + 4 * (COUNT + i), 4, 7 << 20);
    }
    /* JPEGs that begin and are none, all the rest */
    for (size_t i = 64 + 8 * COUNT; i + 8 < BYTES; i += 8) {
        memcpy(data + i, "\xff\xd8\xff\xe0\0\4\0", 8);
    }
    alarm(30);
    satf_exif_drop_thumbnails(data, BYTES);
    alarm(0);
}

/* --------------------------------------------------------------- JPEGs within */

TEST(jpegs)
{
    static const struct {
        const char *data;
        size_t n;
        size_t from, to; /* what is zeroed */
    } cases[] = {
#define CASE(text, from, to) {text, sizeof text - 1, from, to}
        CASE("a\xff\xd8\xff\xe0\0\2\xff\xe1\0\3x\xff\xd9z", 1, 14),
        CASE("\xff\xd8\xff\xe0\0\2\xff\xd9z", 0, 0), /* a single segment is chance */
        CASE("\xff\xd8\xffzzzzzzzzzzz", 0, 0),
        CASE("\xff\xd8\xff\xe0\0\2zzzzz", 0, 0),
        CASE("\xff\xd8\xff\xe0\0\2\xff\xe1\0\3xzzz", 0, 11),             /* broken off */
        CASE("\xff\xd8\xff\xe0\0\2\xff\xe1\0\2\xff\xe1\xff\xff", 0, 14), /* cut off */
        CASE("\xff\xd8\xff\xda\0\2pixels\xff", 0, 13), /* even within the pixels */
        CASE("\xff\xd8\xff\xda\0\2pi\xff\0x\xff\xd9-", 0, 13),
        CASE("\xff\xd8\xff\xff\xe0\0\2\xff\xff\xe1\0\2\xff\xd9-", 0, 14), /* fill bytes */
        CASE("\xff\xd8\xff", 0, 0),
        CASE("\xff\xd8", 0, 0),
        CASE("", 0, 0),
        CASE("\xff\xd8\xff\xd8\xff\xe0\0\2\xff\xe0\0\2\xff\xd9", 2, 14),
    };
    for (size_t i = 0; i < ROWS_OF(cases); i++) {
        SCOPED unsigned char *copy = malloc(cases[i].n + 1);
        memcpy(copy, cases[i].data, cases[i].n);
        copy[cases[i].n] = 0xff;
        satf_blank_jpegs(copy, cases[i].n);
        for (size_t k = 0; k < cases[i].n; k++) {
            unsigned char want =
                k >= cases[i].from && k < cases[i].to ? 0 : (unsigned char)cases[i].data[k];
            if (copy[k] != want) {
                fail_msg("case %zu, byte %zu: %02x", i, k, copy[k]);
            }
        }
        assert_int_equal(copy[cases[i].n], 0xff);
    }
}

/* --------------------------------------------------------- XMP and resources */

#define IPTC "8BIM\4\4\0\0\0\0\0\3abc\0"
#define NAMED "8BIM\3\xed\2xy\0\0\0\0\2pq"
#define SMALL_BGR "8BIM\4\x09\0\0\0\0\0\4\1\2\3\4"
#define SMALL "8BIM\4\x0c\0\0\0\0\0\5\1\2\3\4\5\0"

/* What becomes of a packet, or of resources. */
TEST(packets)
{
    static const struct {
        bool xmp;
        const char *in;
        size_t in_bytes;
        const char *out;
        size_t out_bytes;
    } cases[] = {
#define XMP(in, out) {true, DATA(in), DATA(out)}
#define RESOURCES(in, out)         \
    {                              \
        false, DATA(in), DATA(out) \
    }
        XMP("<x>text</x>", "<x>text</x>"),
        XMP("a<xmp:Thumbnails><r>base64</r></xmp:Thumbnails>b", "ab"),
        XMP("a<xap:Thumbnails a='>'>p<q:Thumbnails/></xap:Thumbnails  >b", "ab"),
        XMP("a<xmp:Thumbnails/>b<xmp:Thumbnails x=\"/\" />c", "abc"),
        XMP("<a><xmp:Thumbnails>1</xmp:Thumbnails><b/><xmp:Thumbnails>2</xmp:Thumbnails></a>",
            "<a><b/></a>"),
        XMP("a<Thumbnails>1</Thumbnails>b", "ab"),
        XMP("a<xmp:ThumbnailsX>1</xmp:ThumbnailsX>b", "a<xmp:ThumbnailsX>1</xmp:ThumbnailsX>b"),
        XMP("a<xmp:MyThumbnails>1</xmp:MyThumbnails>", "a<xmp:MyThumbnails>1</xmp:MyThumbnails>"),
        XMP("Thumbnails xmp:Thumbnails &lt;xmp:Thumbnails>",
            "Thumbnails xmp:Thumbnails &lt;xmp:Thumbnails>"),
        XMP("a<xmp:Thumbnails>1</xmp:ThumbnailsX></xmp:Thumbnails>b", "ab"),
        XMP("a<xmp:Thumbnails>1</b:Thumbnails>b", ""), /* of no use to anybody as it was */
        XMP("a<xmp:Thumbnails>1</xmp:Thumbnails", ""),
        XMP("a<xmp:Thumbnails", "a<xmp:Thumbnails"),
        XMP("a<xmp:Thumbnails x='", ""),
        XMP("", ""),
        RESOURCES(IPTC NAMED, IPTC NAMED),
        RESOURCES(IPTC SMALL NAMED SMALL_BGR, IPTC NAMED),
        RESOURCES(SMALL, ""),
        RESOURCES(SMALL NAMED "xx", NAMED),
        RESOURCES(NAMED "8BIM\4\4\0\0\0\0\0\3abc",
                  NAMED "8BIM\4\4\0\0\0\0\0\3abc"), /* not padded */
        RESOURCES(NAMED "8BIM\4\4\0\0\xff\xff\xff\xff" SMALL, NAMED),
        RESOURCES(NAMED "8BIM\4\4\xff", NAMED),
        RESOURCES("nothing", ""),
    };
    for (size_t i = 0; i < ROWS_OF(cases); i++) {
        satf_metadata m = {0};
        unsigned char **to = cases[i].xmp ? &m.xmp : &m.iptc;
        size_t *n = cases[i].xmp ? &m.xmp_bytes : &m.iptc_bytes;
        give(to, n, cases[i].in, cases[i].in_bytes);
        satf_metadata_drop_thumbnails(&m);
        assert_block(cases[i].in, *to, *n, cases[i].out, cases[i].out_bytes);
        assert_true(!*to == !*n);
        satf_metadata_clear(&m);
    }
}

/* --------------------------------------------------------------------- images */

/* A filter takes them out, of any kind; reading and writing alone does not. */
TEST(images)
{
    static const char *const specs[] = {"box=1", "flip=h", "transpose", "variance=3"};
    static const char packet[] = "a<xmp:Thumbnails>1</xmp:Thumbnails>b";
    SCOPED_IMAGE *image = make_image(ctx, 4, 4, 1, SATF_U8, 0, 1);
    block b;
    begin(&b, false);
    give(&image->metadata.exif, &image->metadata.exif_bytes, b.room, b.t.bytes);
    give(&image->metadata.xmp, &image->metadata.xmp_bytes, packet, sizeof packet - 1);
    give(&image->metadata.iptc, &image->metadata.iptc_bytes, SMALL IPTC, sizeof SMALL IPTC - 1);
    SCOPED_BYTES file = must_encode(ctx, image, "jpeg");
    SCOPED_IMAGE *read = must_decode(ctx, file.data, file.n);
    const bytes exif = {read->metadata.exif, read->metadata.exif_bytes};
    assert_true(holds(&exif, jpeg, JPEG));
    assert_int_equal(read->metadata.xmp_bytes, sizeof packet - 1);
    assert_int_equal(read->metadata.iptc_bytes, sizeof SMALL IPTC - 1);
    for (size_t i = 0; i < ROWS_OF(specs); i++) {
        SCOPED_IMAGE *out = filtered(ctx, read, specs[i]);
        const bytes left = {out->metadata.exif, out->metadata.exif_bytes};
        assert_false(holds(&left, "pixels", 6));
        assert_int_equal(out->metadata.xmp_bytes, 2);
        assert_int_equal(out->metadata.iptc_bytes, sizeof IPTC - 1);
    }
    assert_true(holds(&exif, jpeg, JPEG));
}

TEST_FILE(.formats = "all")
