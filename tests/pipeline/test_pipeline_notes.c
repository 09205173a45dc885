/* What a job that went well says: ranges that were found or hardly used, pictures and metadata
 * that were left out. Whole and by rows alike. */
#include "test.h"
#include "pipeline_jobs.h"

#include <jpeglib.h>

enum { PNG_HEAD = 33, PNG_END = 12 };

/* The job has that note alone, by either route. */
static void notes(const job *given, const char *at, const char *text)
{
    for (satf_route way = SATF_ROUTE_WHOLE; way <= SATF_ROUTE_ROWS; way++) {
        job j = *given;
        j.route = way;
        must_note(&j, at, text);
        assert_int_equal(report.streamed, way == SATF_ROUTE_ROWS);
    }
}

/* A picture of `value` everywhere but for one pixel, which is `other`. */
static void write_flat(const char *name, satf_type type, double value, double other)
{
    satf_image *image = make_noise(20, 10, 1, type, 0, 1);
    void *data = satf_image_view(image)->data;
    for (int i = 0; i < 200; i++) {
        double x = i == 77 ? other : value;
        if (type == SATF_U8) {
            ((uint8_t *)data)[i] = (uint8_t)x;
        } else {
            ((double *)data)[i] = x;
        }
    }
    write_image(image, name);
}

#define LITTLE(samples, range)                                                          \
    "the samples, " samples ", take less than 1 % of the range shown, " range "; auto " \
    "shows what occurs (option: range)"

TEST_ALONE(hardly_used)
{
    static const char small[] = "is smaller than asked for and keeps its size";
    static const struct {
        const char *in, *spec;
        double hi; /* 0: no range is given */
        int type;
        const char *at, *note, *out;
    } cases[] = {
        {"u8.pgm", "variance=1x2", 0, SATF_TYPE_AUTO, "o.png", LITTLE("0:1", "0:16256"), "o.png"},
        {"u8.pgm", "resize=20x1024", 0, SATF_TYPE_AUTO, NULL, NULL, "o.png"},
        {"u8.pgm", "resize=x10", 0, SATF_TYPE_AUTO, NULL, NULL, "o.png"},
        {"u8.pgm", "resize=7x7!", 0, SATF_TYPE_AUTO, NULL, NULL, "o.png"},
        {"u8.pgm", "resize=21x11", 0, SATF_TYPE_AUTO, "u8.pgm", small, "o.png"},
        {"u8.pgm", "box=1 resize=10x resize=11x9", 0, SATF_TYPE_AUTO, "u8.pgm", small, "o.png"},
        {"u8.pgm", "crop=18x8+2+2 resize=19x", 0, SATF_TYPE_AUTO, "u8.pgm", small, "o.png"},
        {"u8.pgm", "box=1", 0, SATF_U16, NULL, NULL, "o.png"}, /* by doubles, but only deeper */
        {"u8.pgm", "box=1", 1000, SATF_TYPE_AUTO, "o.png", LITTLE("7:9", "0:1000"), "o.png"},
        {"f64.npy", "box=1", 1000, SATF_TYPE_AUTO, "o.png", LITTLE("2:5", "0:1000"), "o.png"},
        {"flat.npy", "box=1", 1000, SATF_TYPE_AUTO, "o.png",
         "every sample is 2; the range shown is 0:1000", "o.png"},
        {"f64.npy", "box=1", 1, SATF_TYPE_AUTO, "o.png", /* all of it lies above */
         LITTLE("2:5", "0:1"), "o.png"},
        {"f64.npy", "box=1", 400, SATF_TYPE_AUTO, "o.png", LITTLE("2:5", "0:400"), "o.png"},
        {"f64.npy", "box=1", 10, SATF_TYPE_AUTO, NULL, NULL, "o.png"},
        {"f64.npy", "box=1", 1000, SATF_TYPE_AUTO, NULL, NULL, "o.npy"}, /* plain values */
    };
    write_flat("u8.pgm", SATF_U8, 7, 9);
    write_flat("f64.npy", SATF_F64, 2, 5);
    write_flat("flat.npy", SATF_F64, 2, 2);
    for (size_t i = 0; i < COUNT(cases); i++) {
        notes(JOB(cases[i].in, cases[i].out, cases[i].spec, .write.type = cases[i].type,
                  .write.has_range = cases[i].hi > 0, .write.hi = cases[i].hi),
              cases[i].at, cases[i].note);
    }
}

#define OCCURS "; auto:1 shows what occurs (option: range)"

/* Of 200 samples one may be bright where 99 % are dark, or near the middle. */
TEST_ALONE(nearly_empty)
{
    static const char black[] =
        "99 % of the samples lie below 10 % of the range shown, 0:1000, nearly black" OCCURS;
    static const char grey[] =
        "99 % of the samples lie in the middle 10 % of the range shown, 0:1000, nearly grey" OCCURS;
    static const struct {
        double least, most, bright; /* the samples but for `count` */
        int count;
        const char *note;
    } cases[] = {{0, 38, 0, 0, black},      {38, 99, 1000, 1, black}, {38, 99, 1000, 2, NULL},
                 {0, 99, 99, 9, black},     {0, 100, 0, 0, NULL},     {0, 101, 0, 0, NULL},
                 {0, 99, 101, 1, black},    {300, 340, 0, 0, NULL},   {960, 999, 0, 0, NULL},
                 {455, 545, 1000, 1, grey}, {455, 545, 0, 2, NULL},   {455, 555, 0, 0, NULL},
                 {445, 545, 0, 0, NULL}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        satf_image *image = make_noise(20, 10, 1, SATF_F64, 0, 1);
        double *data = satf_image_view(image)->data;
        for (int k = 0; k < 200; k++) {
            data[k] = k % 3 ? cases[i].most : cases[i].least;
            data[k] = k < cases[i].count ? cases[i].bright : data[k];
        }
        write_image(image, "dark.npy");
        for (int k = 0; k < 3; k++) { /* the last is grey three times */
            notes(JOB("dark.npy", "o.png", "box=1", .write.has_range = 1, .write.hi = 1000,
                      .write.type = k == 1 ? SATF_U8 : SATF_U16,
                      .write.format = k == 2 ? "ppm" : NULL),
                  "o.png", cases[i].note);
        }
    }
}

/* Alpha is no brightness, and a map of a picture is as dark as its picture form. */
TEST_ALONE(nearly_black_map)
{
    satf_image *image = make_noise(20, 10, 2, SATF_U8, SATF_ALPHA, 1);
    uint8_t *data = satf_image_view(image)->data;
    for (int i = 0; i < 200; i++) {
        data[2 * i] = (uint8_t)(i % 7 * 8); /* a variance of at most 24 * 24 of 127.5 * 127.5 */
        data[2 * i + 1] = UINT8_MAX;
    }
    write_image(image, "in.png");
    notes(JOB("in.png", "o.png", "variance=5"), "o.png",
          "99 % of the samples lie below 10 % of the range shown, 0:16256, nearly black" OCCURS);
    notes(JOB("in.png", "o.npy", "variance=5"), NULL, NULL);
}

/* Black and white of which only one occurs. */
TEST_ALONE(one_shade)
{
    static const char *const outputs[] = {"o.png", "o.pbm", "o.pgm"};
    static const struct {
        double value, other;
        const char *note;
    } cases[] = {{200, 200, "every pixel is white"},
                 {0, 0, "every pixel is black"},
                 {200, 0, NULL},  /* one black pixel */
                 {0, 200, NULL}}; /* one white pixel */
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *in = "u8.pgm", *note = cases[i].note;
        write_flat(in, SATF_U8, cases[i].value, cases[i].other);
        for (int k = 0; k < 3; k++) {
            const char *out = outputs[k];
            notes(JOB(in, out, "sauvola=5 flip=h"), out, note);
            notes(JOB(in, out, "sauvola=5 flip=h box=1"), NULL, NULL);     /* grey */
            for (int type = SATF_U8; type <= SATF_U16 && k != 1; type++) { /* as shades of grey */
                notes(JOB(in, out, "sauvola=5 flip=h", .write.type = type), out, note);
                notes(JOB(in, out, "box=1", .write.type = type), NULL,
                      NULL); /* whatever it shows */
            }
        }
        notes(JOB(in, "o.npy", "sauvola=5"), NULL, NULL); /* plain values */
    }
}

TEST_ALONE(found)
{
    static const struct {
        const char *in;
        double clip, hi; /* of the range that is found, from 2 */
        const char *note;
    } cases[] = {
        {"in.npy", 0, 5,
         "its mean is 0.5 % of white, for few samples are near the end of the range shown, 2:5; "
         "auto:1 shows more (option: range)"},
        {"flat.npy", 0, 2, "every sample is 2, so the picture is black"},
        {"in.npy", 1, 2, "both percentiles are 2: black, and white above it"},
    };
    write_flat("in.npy", SATF_F64, 2, 5);
    write_flat("flat.npy", SATF_F64, 2, 2);
    for (size_t i = 0; i < COUNT(cases); i++) {
        must_note(JOB(cases[i].in, "o.png", "box=1", .write.auto_range = 1,
                      .write.clip_percent = cases[i].clip),
                  "o.png", cases[i].note);
        assert_false(report.streamed);
        assert_true(report.range_found && report.range_lo == 2 && report.range_hi == cases[i].hi);
        SCOPED_IMAGE *image = read_image("o.png");
        const uint16_t *got = satf_image_view(image)->data;
        assert_true(got[0] == 0 && got[199] == 0);
        assert_int_equal(got[77], i == 1 ? 0 : UINT16_MAX);
    }
    /* it needs all of the result, but for plain values, which have no range */
    must_fail(JOB("in.npy", "no.png", "box=3", SATF_ROUTE_ROWS, .write.auto_range = 1),
              SATF_UNSUPPORTED,
              "cannot be streamed: the range auto looks at all of the result before any of it is "
              "written (option: stream)");
    must_run(JOB("in.npy", "o.npy", "box=3", SATF_ROUTE_ROWS, .write.auto_range = 1));
    assert_true(report.streamed && !report.range_found);
}

/* A JPEG with a resource of Photoshop's, and with these markers. */
static void write_jpeg(const char *markers, size_t n)
{
    static const char resource[] = "8BIM\4\4\0\0\0\0\0\2ab";
    satf_image *image = make_noise(20, 10, 3, SATF_U8, 0, 1);
    MUST(ctx, satf_copy_block(ctx, resource, sizeof resource - 1, &image->metadata.iptc,
                              &image->metadata.iptc_bytes));
    write_image(image, "in.jpg");
    insert("in.jpg", 2, markers, n);
}

TEST_ALONE(lost_orientation)
{
    write_turned("in.jpg", 20, 10, 3, 6);
    notes(JOB("in.jpg", "o.png", "box=1"), NULL, NULL);
    for (int strip = 0; strip <= 1; strip++) {
        notes(JOB("in.jpg", "o.ppm", "box=1", .write.strip = strip), "o.ppm",
              "its input's orientation is left out, which ppm cannot hold; PNG and JPEG can");
    }
}

#define CAN_BE_TURNED                                                             \
    "viewers turn (orientation 6); they can be turned as they are read (option: " \
    "auto-orient)"

/* Who asks for a width and a height may have seen the picture turned. */
TEST_ALONE(turned_sides)
{
    write_turned("in.jpg", 20, 10, 3, 6);
    notes(JOB("in.jpg", "o.png", "resize=50%"), NULL, NULL);
    must_note(JOB("in.jpg", "o.png", "rotate=90 resize=5x10"), NULL, NULL);
    notes(JOB("in.jpg", "o.png", "box=1 resize=5x10"), "in.jpg",
          "its new width and height are those of the pixels as they are stored, "
          "which " CAN_BE_TURNED);
    notes(JOB("in.jpg", "o.png", "grey crop=5x5"), "in.jpg",
          "the part that is cut out of it is one of the pixels as they are stored, "
          "which " CAN_BE_TURNED);
}

TEST_ALONE(lost_metadata)
{
    static const char extended[] = "\xff\xe1\0\x26http://ns.adobe.com/xmp/extension/\0G";
    static const char others[] = "\xff\xeb\0\4JP\xff\xe2\0\6MPF\0\xff\xeb\0\4JP";
    static const char not_kept[] =
        "its extended XMP, such as embedded pictures and depth maps, is not kept";
    write_jpeg("", 0);
    notes(JOB("in.jpg", "o.png", "box=1"), NULL, NULL);
    write_jpeg(extended, sizeof extended - 1);
    notes(JOB("in.jpg", "o.jpg", "box=1"), "in.jpg", not_kept);
    notes(JOB("in.jpg", "o.png", "box=1"), "in.jpg", not_kept);
    for (satf_route way = SATF_ROUTE_WHOLE; way <= SATF_ROUTE_ROWS; way++) {
        must_run(JOB("in.jpg", "o.ppm", "box=1", way)); /* which has no metadata at all */
        assert_int_equal(report.note_count, 2);
        assert_string_equal(
            report.notes[1].text,
            "its input's IPTC is left out, which ppm cannot hold; PNG and JPEG can");
    }
    write_jpeg(others, sizeof others - 1);
    notes(JOB("in.jpg", "o.png", "box=1"), "in.jpg",
          "its second picture (such as a gain map) and other data (APP11) are not kept");
    notes(JOB("in.jpg", "o.png", "box=1", .write.strip = 1), NULL, NULL); /* nobody wanted it */
}

/* A file of noise into which bytes are put, and what is said of them. */
typedef struct inserted {
    const char *name;
    int channels;
    long at;
    const char *bytes;
    size_t n;
    const char *note;
} inserted;

static void write_inserted(const inserted *i)
{
    write_noise(i->name, 20, 10, i->channels, SATF_U8, 0, 1);
    insert(i->name, i->at, i->bytes, i->n);
}

#define COMMENT "\0\0\0\012tEXtComment\0hi\242\242Xf"
#define SOFTWARE "\0\0\0\012tEXtSoftware\0x\112\215\277\316"
#define XMP "\0\0\0\032iTXtXML:com.adobe.xmp\0\1\0\0\0xxxx$>\227\241"

#define LONG_COMMENT "\xff\xfe\0\057File written\nby a program of the year 1998, ."

/* Text in front of a PNG's pixels and behind them, and in a JPEG. */
TEST_ALONE(lost_text)
{
    static const char text[] = "its text (Comment) is not kept",
                      comment[] = "its comment \"hello\" is not kept",
                      cut[] = "its comment \"File written\\nby a program of the year 19...\" is "
                              "not kept",
                      xmp[] = "its XMP is damaged and not kept";
    static const inserted cases[] = {{"in.png", 3, PNG_HEAD, COMMENT, 22, text},
                                     {"in.png", 3, -PNG_END, COMMENT, 22, text},
                                     {"in.png", 3, PNG_HEAD, SOFTWARE, 22, NULL},
                                     {"in.png", 3, -PNG_END, SOFTWARE, 22, NULL},
                                     {"in.png", 3, PNG_HEAD, XMP, 38, xmp},
                                     {"in.png", 3, -PNG_END, XMP, 38, xmp},
                                     {"in.jpg", 3, 2, "\xff\xfe\0\7hello", 9, comment},
                                     {"in.jpg", 3, 2, LONG_COMMENT, 49, cut}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        static const char *const outputs[] = {"o.png", "o.jpg",
                                              "o.ppm"}; /* which has none at all */
        const char *in = cases[i].name;
        write_inserted(&cases[i]);
        for (int k = 0; k < 3; k++) {
            notes(JOB(in, outputs[k], "box=1"), in, cases[i].note);
            notes(JOB(in, outputs[k], "box=1", .write.strip = 1), NULL, NULL);
        }
    }
}

/* What nothing is made of, and what is damaged. */
TEST_ALONE(lost_chunks)
{
    static const char bits[] = "its number of significant bits is not kept",
                      trns[] = "its transparent colour is invalid or out of place and not used";
#define SBIT "\0\0\0\3sBIT\5\6\0053\013\215\200"
#define TRNS "\0\0\0\6tRNS\0\0\0\0\0\0\156\246\7\221" /* of six bytes; grey has two */
#define ICC "\xff\xe2\0\x13ICC_PROFILE\0\1\1odd"
    enum { JFIF_END = 20 };
    static const inserted cases[] = {
        {"in.png", 3, PNG_HEAD, SBIT, 15, bits},
        {"in.png", 1, PNG_HEAD, TRNS, 18, trns},
        {"in.png", 1, -PNG_END, TRNS, 18, trns},
        {"in.jpg", 1, JFIF_END, ICC, 21, "its colour profile is damaged and not kept"},
        {"in.jpg", 1, JFIF_END, "junk", 4,
         "is damaged: bytes that make no sense are passed over; it may look wrong"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        write_inserted(&cases[i]);
        for (int k = 0; k < 2; k++) {
            notes(JOB(cases[i].name, k ? "o.jpg" : "o.png", "box=1"), cases[i].name, cases[i].note);
            assert_int_equal(report.damaged, i + 1 == COUNT(cases));
        }
    }
}

/* A BMP of two colours, and a pixel of number 7; whatever is kept of metadata. */
TEST_ALONE(missing_colours)
{
    static const char bmp[] =
        "BM\0\0\0\0\0\0\0\0\x3e\0\0\0\x28\0\0\0\x03\0\0\0\x01\0\0\0\x01\0\x08\0"
        "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\2\3\0\4\5\6\0\1\7\0";
    write_bytes("in.bmp", bmp, sizeof bmp);
    MUST(ctx, satf_context_set_formats(ctx, "all"));
    for (int i = 0; i < 4; i++) {
        must_note(JOB("in.bmp", i & 2 ? "o.ppm" : "o.png", "box=1", .write.strip = i & 1), "in.bmp",
                  "its palette lacks colours of some pixels, which become black");
    }
}

TEST_ALONE(lost_ink)
{
    struct jpeg_compress_struct c;
    struct jpeg_error_mgr errors;
    FILE *file = fopen("cmyk.jpg", "wb");
    assert_non_null(file);
    c.err = jpeg_std_error(&errors);
    jpeg_create_compress(&c);
    jpeg_stdio_dest(&c, file);
    c.image_width = c.image_height = 8;
    c.input_components = 4;
    c.in_color_space = JCS_CMYK;
    jpeg_set_defaults(&c);
    jpeg_start_compress(&c, TRUE);
    unsigned char samples[32] = {0}, *row = samples;
    while (c.next_scanline < c.image_height) {
        jpeg_write_scanlines(&c, &row, 1);
    }
    jpeg_finish_compress(&c);
    jpeg_destroy_compress(&c);
    fclose(file);
    notes(JOB("cmyk.jpg", "o.ppm", "box=1"), "cmyk.jpg",
          "its CMYK is converted to RGB, without regard to a colour profile");
}

TEST_FILE(.context = &ctx, .folder = true)
