/* JPEGs of phones: pictures and videos beside the first picture go, and so does what XMP says of
 * them, whatever its form. */
#include "test.h"
#include "test_io_metadata.h"

#include "io/meta/xmp_links.h"

#define GCAMERA "http://ns.google.com/photos/1.0/camera/"
#define CONTAINER "http://ns.google.com/photos/1.0/container/"
#define ITEM "http://ns.google.com/photos/1.0/container/item/"
#define HDRGM "http://ns.adobe.com/hdr-gain-map/1.0/"
#define NOTE "http://ns.adobe.com/xmp/note/"

#define DIRECTORY(p, semantic)                                                   \
    "<" p ":Directory><rdf:Seq><rdf:li rdf:parseType='Resource'><" p             \
    ":Item Item:Mime='image/jpeg' Item:Semantic='Primary'/></rdf:li><rdf:li><" p \
    ":Item Item:Semantic=\"" semantic "\" Item:Length='9'/></rdf:li></rdf:Seq></" p ":Directory>"

typedef struct packet {
    const char *before, *after;
    unsigned found;
} packet;

static const packet packets[] = {
    {"", "", 0},
    {"<x:xmpmeta><dc:title>MotionPhoto</dc:title></x:xmpmeta>",
     "<x:xmpmeta><dc:title>MotionPhoto</dc:title></x:xmpmeta>", 0},
    /* attributes, whose namespace may be named behind them */
    {"<r:D GCamera:MotionPhoto=\"1\" xmlns:GCamera='" GCAMERA
     "'\n GCamera:MotionPhotoVersion='1' dc:x='>' GCamera:Other='2'/>",
     "<r:D xmlns:GCamera='" GCAMERA "' dc:x='>' GCamera:Other='2'/>", IO_XMP_VIDEO},
    {"<r:D xmlns:q = \"" GCAMERA "\" q:MicroVideo = '1'\tq:MicroVideoOffset=\"77\" >a</r:D>",
     "<r:D xmlns:q = \"" GCAMERA "\" >a</r:D>", IO_XMP_VIDEO},
    /* another namespace of that prefix, and a value that looks like one */
    {"<r:D xmlns:GCamera='http://example.com/' GCamera:MotionPhoto='1'/>",
     "<r:D xmlns:GCamera='http://example.com/' GCamera:MotionPhoto='1'/>", 0},
    {"<r:D xmlns:GCamera='" GCAMERA "' dc:x=\" GCamera:MotionPhoto='1'\"/>",
     "<r:D xmlns:GCamera='" GCAMERA "' dc:x=\" GCamera:MotionPhoto='1'\"/>", 0},
    /* elements, one in the other, empty, with attributes of their own */
    {"<r:D xmlns:G='" GCAMERA "'> <G:MotionPhoto>1</G:MotionPhoto ><G:MicroVideo/>"
     "<G:MotionPhotoX a='/'>b<G:MotionPhotoX>c</G:MotionPhotoX><G:MotionPhotoX/></G:MotionPhotoX>"
     "<G:Kept>d</G:Kept></r:D>",
     "<r:D xmlns:G='" GCAMERA "'> <G:Kept>d</G:Kept></r:D>", IO_XMP_VIDEO},
    {"<r:D xmlns:C='" CONTAINER "' xmlns:Item='" ITEM "'>a" DIRECTORY("C", "MotionPhoto") "b</r:D>",
     "<r:D xmlns:C='" CONTAINER "' xmlns:Item='" ITEM "'>ab</r:D>", IO_XMP_VIDEO},
    {"<r:D xmlns:C='" CONTAINER "' h:Version='1' xmlns:h='" HDRGM
     "'>a" DIRECTORY("C", "GainMap") "</r:D>",
     "<r:D xmlns:C='" CONTAINER "' xmlns:h='" HDRGM "'>a</r:D>", IO_XMP_PICTURE},
    {"<r:D xmlns:C='" CONTAINER
     "'>" DIRECTORY("C", "GainMap") "-" DIRECTORY("C", "MotionPhoto") "</r:D>",
     "<r:D xmlns:C='" CONTAINER "'>-</r:D>", IO_XMP_PICTURE | IO_XMP_VIDEO},
    {"<r:D xmlns:n='" NOTE "' n:HasExtendedXMP='0123' n:Other='1'/>",
     "<r:D xmlns:n='" NOTE "' n:Other='1'/>", IO_XMP_MORE},
    /* what is no tag */
    {"<?x G:MotionPhoto='1'?><!-- <G:MotionPhoto>1</G:MotionPhoto> --><r:D xmlns:G='" GCAMERA
     "'><![CDATA[<G:MotionPhoto/>]]><!d></r:D>",
     "<?x G:MotionPhoto='1'?><!-- <G:MotionPhoto>1</G:MotionPhoto> --><r:D xmlns:G='" GCAMERA
     "'><![CDATA[<G:MotionPhoto/>]]><!d></r:D>",
     0},
    /* no XML: it stays from there on */
    {"<r:D xmlns:G='" GCAMERA "' G:MicroVideo='1'><G:MotionPhoto>1<r:D G:MicroVideo='1'/>",
     "<r:D xmlns:G='" GCAMERA "'><G:MotionPhoto>1<r:D G:MicroVideo='1'/>", IO_XMP_VIDEO},
    {"<r:D xmlns:G='" GCAMERA "' G:MicroVideo='1", "<r:D xmlns:G='" GCAMERA "' G:MicroVideo='1", 0},
    {"<r:D xmlns:G='" GCAMERA "'/>< G:MicroVideo='1'><",
     "<r:D xmlns:G='" GCAMERA "'/>< G:MicroVideo='1'><", 0},
};
enum { PACKETS = sizeof packets / sizeof *packets };

/* Of a packet that is left; every start of one is taken, too, and nothing behind it is touched. */
TEST(xmp_links)
{
    for (size_t i = 0; i < PACKETS; i++) {
        const char *before = packets[i].before;
        for (size_t n = strlen(before) + 1; n-- > 0;) {
            SCOPED_BYTES text = bytes_of(before, n); /* of just that size, for the sanitizer */
            append_bytes(&text, "G", 1);
            unsigned found = 99;
            size_t left = io_xmp_drop_links((char *)text.data, n, &found);
            assert_true(left <= n && text.data[n] == 'G');
            if (n == strlen(before)) {
                assert_bytes(before, text.data, left, packets[i].after, strlen(packets[i].after));
                assert_int_equal(found, packets[i].found);
                assert_int_equal(io_xmp_drop_links((char *)text.data, left, &found), left);
            }
        }
    }
}

/* ------------------------------------------------------------------------ files */

TEST(behind_the_end)
{
    static const struct {
        const char *tail;
        size_t n;
        const char *others;
    } cases[] = {
        {"", 0, ""},
        {"\0\0\0\0\0", 5, ""},
        {"\xff\xd8", 2, ""},
        {"\xff\xd8\xff\xe1 and so on", 14, "MPF"},
        {"\0\0\0\x18"
         "ftypmp42\0\0\0\0",
         16, "video"},
        {"\0\0\x30\x0a\x10\0\0\0MotionPhoto_Data\0\0\0\x18"
         "ftypmp42\0\0\0\0",
         40, "video"},
        {"\0\0\1\x0a\x0e\0\0\0Image_UTC_Data1234567890123", 35, ""},
    };
    for (size_t i = 0; i < ROWS_OF(cases); i++) {
        SCOPED_BYTES file = random_file(ctx, "jpeg", 8, 1);
        append_bytes(&file, cases[i].tail, cases[i].n);
        SCOPED_READER *reader = read_through(ctx, &file, false);
        assert_string_equal(reader->header.others, cases[i].others);
    }
    /* behind more than a buffer of the source is at hand */
    enum { COMMENT = 65000 };
    SCOPED_BYTES comment = bytes_of(NULL, COMMENT);
    for (size_t n = COMMENT - 2000; n < COMMENT; n += 7) {
        SCOPED_BYTES file = random_file(ctx, "jpeg", 8, 1);
        add_segment(&file, 0xfe, comment.data, n);
        append_bytes(&file, cases[4].tail, cases[4].n);
        SCOPED_READER *reader = read_through(ctx, &file, false);
        assert_string_equal(reader->header.others, "video");
    }
}

/* What points at the parts goes from the picture, into whatever it is written. */
TEST(kept_xmp)
{
    static const char xmp[] = "http://ns.adobe.com/xap/1.0/\0<x:xmpmeta><r:D xmlns:G='" GCAMERA
                              "' G:MotionPhoto='1' dc:title='kept' xmlns:C='" CONTAINER
                              "'>" DIRECTORY("C", "GainMap") "</r:D></x:xmpmeta>",
                      left[] = "<x:xmpmeta><r:D xmlns:G='" GCAMERA
                               "' dc:title='kept' xmlns:C='" CONTAINER "'></r:D></x:xmpmeta>";
    SCOPED_BYTES file = random_file(ctx, "jpeg", 8, 1);
    add_segment(&file, 0xe1, DATA(xmp));
    add_segment(&file, 0xe2, DATA("MPF\0II*\0"));
    SCOPED_READER *reader = read_through(ctx, &file, false);
    assert_string_equal(reader->header.others, "MPF, video");
    assert_block("XMP", reader->header.metadata.xmp, reader->header.metadata.xmp_bytes, DATA(left));
    SCOPED_IMAGE *image = must_decode(ctx, file.data, file.n);
    for (int i = 0; i < 2; i++) {
        SCOPED_BYTES out = must_encode(ctx, image, i ? "png" : "jpeg");
        assert_true(holds(&out, DATA(left)));
        assert_false(holds(&out, "Motion", 6) || holds(&out, "MPF", 3));
    }
}

TEST_FILE(.formats = "all")
