/* What a job that went well says: ranges that were found or hardly used, pictures and metadata
 * that were left out. Whole and by rows alike. */
#include "test.h"
#include "pipeline_jobs.h"

#include <jpeglib.h>

#include "base/exif.h"

static void run_job(const char *in, const char *out, const char *spec, satf_route way,
                    satf_write_options options, satf_file_report *result)
{
    SCOPED_FILTER *filter;
    assert_int_equal(satf_filter_parse(ctx, spec, &filter), SATF_OK);
    pipeline_job job = {
        .input = in, .output = out, .filter = filter, .write = options, .route = way};
    if (pipeline_run(ctx, &job, result)) {
        fail_msg("%s of %s: %s", spec, in, satf_message(ctx));
    }
}

/* The only note of a job, or none if text is NULL. */
static void expect_note(const satf_file_report *result, const char *at, const char *text)
{
    if (result->note_count != (text ? 1 : 0)) {
        fail_msg("%d notes, the first: %s", result->note_count, result->notes[0].text);
    }
    if (text) {
        assert_string_equal(result->notes[0].text, text);
        assert_string_equal(result->notes[0].at, at);
    }
}

/* A picture of `value` everywhere but for one pixel, which is `other`. */
static void write_flat(const char *name, satf_type type, double value, double other)
{
    SCOPED_IMAGE *image;
    assert_int_equal(satf_image_create(ctx, 20, 10, 1, type, 0, &image), SATF_OK);
    void *data = satf_image_view(image)->data;
    for (int i = 0; i < 200; i++) {
        double x = i == 77 ? other : value;
        if (type == SATF_U8) {
            ((uint8_t *)data)[i] = (uint8_t)x;
        } else {
            ((double *)data)[i] = x;
        }
    }
    assert_int_equal(satf_image_write(ctx, image, name, NULL), SATF_OK);
}

TEST_ALONE(hardly_used)
{
    char u8[300], f64[300], png[300], flat[300];
    snprintf(u8, sizeof u8, "%s", path("u8.pgm"));
    snprintf(f64, sizeof f64, "%s", path("f64.npy"));
    snprintf(flat, sizeof flat, "%s", path("flat.npy"));
    snprintf(png, sizeof png, "%s", path("o.png"));
    write_flat(u8, SATF_U8, 7, 9);
    write_flat(f64, SATF_F64, 2, 5);
    write_flat(flat, SATF_F64, 2, 2);
    for (satf_route way = SATF_ROUTE_WHOLE; way <= SATF_ROUTE_ROWS; way++) {
        satf_file_report result;
        satf_write_options options = satf_write_defaults();
        run_job(u8, png, "variance=1x2", way, options, &result);
        assert_int_equal(result.streamed, way == SATF_ROUTE_ROWS);
        expect_note(&result, png,
                    "the samples, 0:1, take less than 1 % of the range shown, 0:16256; "
                    "auto shows what occurs (option: range)");
        static const char *const fit[] = {"resize=20x1024", "resize=x10", "resize=7x7!"};
        for (size_t i = 0; i < sizeof fit / sizeof *fit; i++) {
            run_job(u8, png, fit[i], way, options, &result);
            expect_note(&result, NULL, NULL);
        }
        static const char *const small[] = {"resize=21x11", "box=1 resize=10x resize=11x9",
                                            "crop=18x8+2+2 resize=19x"};
        for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
            run_job(u8, png, small[i], way, options, &result);
            expect_note(&result, u8, "is smaller than asked for and keeps its size");
        }
        options.type = SATF_U16; /* by way of doubles, but only deeper */
        run_job(u8, png, "box=1", way, options, &result);
        expect_note(&result, NULL, NULL);
        options = satf_write_defaults();
        options.has_range = 1;
        options.hi = 1000;
        run_job(u8, png, "box=1", way, options, &result);
        expect_note(&result, png,
                    "the samples, 7:9, take less than 1 % of the range shown, 0:1000; "
                    "auto shows what occurs (option: range)");
        run_job(f64, png, "box=1", way, options, &result);
        assert_int_equal(result.note_count, 1);
        run_job(flat, png, "box=1", way, options, &result);
        expect_note(&result, png, "every sample is 2; the range shown is 0:1000");
        options.hi = 1; /* all of it lies above */
        run_job(f64, png, "box=1", way, options, &result);
        assert_int_equal(result.note_count, 1);
        options.hi = 10;
        run_job(f64, png, "box=1", way, options, &result);
        expect_note(&result, NULL, NULL);
        options.hi = 1000; /* not of plain values */
        run_job(f64, path("o.npy"), "box=1", way, options, &result);
        expect_note(&result, NULL, NULL);
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
    char in[300], png[300];
    snprintf(in, sizeof in, "%s", path("dark.npy"));
    snprintf(png, sizeof png, "%s", path("o.png"));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        SCOPED_IMAGE *image;
        assert_int_equal(satf_image_create(ctx, 20, 10, 1, SATF_F64, 0, &image), SATF_OK);
        double *data = satf_image_view(image)->data;
        for (int k = 0; k < 200; k++) {
            data[k] = k % 3 ? cases[i].most : cases[i].least;
            data[k] = k < cases[i].count ? cases[i].bright : data[k];
        }
        assert_int_equal(satf_image_write(ctx, image, in, NULL), SATF_OK);
        for (int k = 0; k < 6; k++) {
            satf_file_report result;
            satf_write_options options = satf_write_defaults();
            options.has_range = 1;
            options.hi = 1000;
            options.type = k & 2 ? SATF_U8 : SATF_U16;
            options.format = k & 4 ? "ppm" : NULL; /* grey three times */
            satf_route way = k & 1 ? SATF_ROUTE_ROWS : SATF_ROUTE_WHOLE;
            run_job(in, png, "box=1", way, options, &result);
            expect_note(&result, png, cases[i].note);
        }
    }
}

/* Alpha is no brightness, and a map of a picture is as dark as its picture form. */
TEST_ALONE(nearly_black_map)
{
    char in[300], png[300];
    snprintf(in, sizeof in, "%s", path("in.png"));
    snprintf(png, sizeof png, "%s", path("o.png"));
    SCOPED_IMAGE *image;
    assert_int_equal(satf_image_create(ctx, 20, 10, 2, SATF_U8, SATF_ALPHA, &image), SATF_OK);
    uint8_t *data = satf_image_view(image)->data;
    for (int i = 0; i < 200; i++) {
        data[2 * i] = (uint8_t)(i % 7 * 8); /* a variance of at most 24 * 24 of 127.5 * 127.5 */
        data[2 * i + 1] = UINT8_MAX;
    }
    assert_int_equal(satf_image_write(ctx, image, in, NULL), SATF_OK);
    for (satf_route way = SATF_ROUTE_WHOLE; way <= SATF_ROUTE_ROWS; way++) {
        satf_file_report result;
        run_job(in, png, "variance=5", way, satf_write_defaults(), &result);
        expect_note(&result, png,
                    "99 % of the samples lie below 10 % of the range shown, 0:16256, nearly "
                    "black; auto:1 shows what occurs (option: range)");
        run_job(in, path("o.npy"), "variance=5", way, satf_write_defaults(), &result);
        expect_note(&result, NULL, NULL);
    }
}

/* Black and white of which only one occurs. */
TEST_ALONE(one_shade)
{
    char in[300];
    snprintf(in, sizeof in, "%s", path("u8.pgm"));
    const struct {
        double value, other;
        const char *note;
    } cases[] = {{200, 200, "every pixel is white"},
                 {0, 0, "every pixel is black"},
                 {200, 0, NULL},  /* one black pixel */
                 {0, 200, NULL}}; /* one white pixel */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_flat(in, SATF_U8, cases[i].value, cases[i].other);
        for (satf_route way = SATF_ROUTE_WHOLE; way <= SATF_ROUTE_ROWS; way++) {
            satf_file_report result;
            satf_write_options options = satf_write_defaults();
            const char *outputs[] = {"o.png", "o.pbm", "o.pgm"};
            for (int k = 0; k < 3; k++) {
                char out[300];
                snprintf(out, sizeof out, "%s", path(outputs[k]));
                run_job(in, out, "sauvola=5 flip=h", way, options, &result);
                expect_note(&result, cases[i].note ? out : NULL, cases[i].note);
                for (int bytes = 1; bytes <= 2 && k != 1; bytes++) { /* as shades of grey */
                    options.type = bytes == 1 ? SATF_U8 : SATF_U16;
                    run_job(in, out, "sauvola=5 flip=h", way, options, &result);
                    expect_note(&result, cases[i].note ? out : NULL, cases[i].note);
                    run_job(in, out, "box=1", way, options, &result); /* whatever it shows */
                    expect_note(&result, NULL, NULL);
                    options.type = SATF_TYPE_AUTO;
                }
                run_job(in, out, "sauvola=5 flip=h box=1", way, options, &result); /* grey */
                expect_note(&result, NULL, NULL);
            }
            run_job(in, path("o.npy"), "sauvola=5", way, options, &result); /* plain values */
            expect_note(&result, NULL, NULL);
        }
    }
}

TEST_ALONE(found)
{
    satf_file_report result;
    char in[300], flat[300], png[300];
    snprintf(in, sizeof in, "%s", path("in.npy"));
    snprintf(flat, sizeof flat, "%s", path("flat.npy"));
    snprintf(png, sizeof png, "%s", path("o.png"));
    write_flat(in, SATF_F64, 2, 5);
    write_flat(flat, SATF_F64, 2, 2);
    satf_write_options options = satf_write_defaults();
    options.auto_range = 1;
    run_job(in, png, "box=1", SATF_ROUTE_AUTO, options, &result);
    assert_false(result.streamed);
    assert_true(result.range_found && result.range_lo == 2 && result.range_hi == 5);
    expect_note(&result, png,
                "its mean is 0.5 % of white, for few samples are near the end of the range shown, "
                "2:5; auto:1 shows more (option: range)");
    SCOPED_IMAGE *image;
    assert_int_equal(satf_image_read(ctx, png, &image), SATF_OK);
    const uint16_t *got = satf_image_view(image)->data;
    assert_true(got[0] == 0 && got[77] == UINT16_MAX && got[199] == 0);

    run_job(flat, png, "box=1", SATF_ROUTE_AUTO, options, &result);
    assert_true(result.range_found && result.range_lo == 2 && result.range_hi == 2);
    expect_note(&result, png, "every sample is 2, so the picture is black");
    options.clip_percent = 1;
    run_job(in, png, "box=1", SATF_ROUTE_AUTO, options, &result);
    expect_note(&result, png, "both percentiles are 2: black, and white above it");
    assert_true(result.range_found && result.range_hi == 2);

    /* it needs all of the result, but for plain values, which have no range */
    SCOPED_FILTER *filter;
    assert_int_equal(satf_filter_parse(ctx, "box=3", &filter), SATF_OK);
    pipeline_job job = {
        .input = in, .output = png, .filter = filter, .write = options, .route = SATF_ROUTE_ROWS};
    assert_int_equal(pipeline_run(ctx, &job, &result), SATF_UNSUPPORTED);
    assert_string_equal(satf_message(ctx),
                        "cannot be streamed: the range auto looks at all of the result before any "
                        "of it is written (option: stream)");
    job.output = path("o.npy");
    assert_int_equal(pipeline_run(ctx, &job, &result), SATF_OK);
    assert_true(result.streamed && !result.range_found);
}

/* Inserts bytes into the file, so many behind its start. */
static void insert(const char *name, size_t at, const char *inserted, size_t n)
{
    size_t bytes;
    SCOPED unsigned char *plain = slurp(name, &bytes);
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    fwrite(plain, 1, at, file);
    fwrite(inserted, 1, n, file);
    fwrite(plain + at, 1, bytes - at, file);
    fclose(file);
}

/* A JPEG with a resource of Photoshop's, and with these markers. */
static void write_jpeg(const char *name, const char *markers, size_t n)
{
    static const char resource[] = "8BIM\4\4\0\0\0\0\0\2ab";
    enum { BYTES = sizeof resource - 1 };
    SCOPED_IMAGE *image;
    assert_int_equal(satf_image_create(ctx, 20, 10, 3, SATF_U8, 0, &image), SATF_OK);
    image->metadata.iptc = satf_alloc(BYTES);
    image->metadata.iptc_bytes = BYTES;
    memcpy(image->metadata.iptc, resource, BYTES);
    satf_write_options options = satf_write_defaults();
    options.format = "jpeg";
    assert_int_equal(satf_image_write(ctx, image, name, &options), SATF_OK);
    insert(name, 2, markers, n);
}

/* A JPEG that viewers turn. */
static void write_turned(const char *name)
{
    SCOPED_IMAGE *image;
    assert_int_equal(satf_image_create(ctx, 20, 10, 3, SATF_U8, 0, &image), SATF_OK);
    image->metadata.exif = satf_alloc(SATF_EXIF_ORIENTATION_BYTES);
    image->metadata.exif_bytes = SATF_EXIF_ORIENTATION_BYTES;
    satf_exif_make_orientation(6, image->metadata.exif);
    satf_write_options options = satf_write_defaults();
    options.format = "jpeg";
    assert_int_equal(satf_image_write(ctx, image, name, &options), SATF_OK);
}

TEST_ALONE(lost_orientation)
{
    char in[300], out[300];
    snprintf(in, sizeof in, "%s", path("in.jpg"));
    write_turned(in);
    for (satf_route way = SATF_ROUTE_WHOLE; way <= SATF_ROUTE_ROWS; way++) {
        satf_file_report result;
        satf_write_options options = satf_write_defaults();
        snprintf(out, sizeof out, "%s", path("o.png"));
        run_job(in, out, "box=1", way, options, &result);
        expect_note(&result, NULL, NULL);
        snprintf(out, sizeof out, "%s", path("o.ppm"));
        for (options.strip = 0; options.strip <= 1; options.strip++) {
            run_job(in, out, "box=1", way, options, &result);
            expect_note(
                &result, out,
                "its input's orientation is left out, which ppm cannot hold; PNG and JPEG can");
        }
    }
}

#define CAN_BE_TURNED                                                             \
    "viewers turn (orientation 6); they can be turned as they are read (option: " \
    "auto-orient)"

/* Who asks for a width and a height may have seen the picture turned. */
TEST_ALONE(turned_sides)
{
    char in[300], out[300];
    snprintf(in, sizeof in, "%s", path("in.jpg"));
    snprintf(out, sizeof out, "%s", path("o.png"));
    write_turned(in);
    for (satf_route way = SATF_ROUTE_WHOLE; way <= SATF_ROUTE_ROWS; way++) {
        satf_file_report result;
        satf_write_options options = satf_write_defaults();
        run_job(in, out, "resize=50%", way, options, &result);
        expect_note(&result, NULL, NULL);
        if (way == SATF_ROUTE_WHOLE) {
            run_job(in, out, "rotate=90 resize=5x10", way, options, &result);
            expect_note(&result, NULL, NULL);
        }
        run_job(in, out, "box=1 resize=5x10", way, options, &result);
        expect_note(&result, in,
                    "its new width and height are those of the pixels as they are stored, "
                    "which " CAN_BE_TURNED);
        run_job(in, out, "grey crop=5x5", way, options, &result);
        expect_note(&result, in,
                    "the part that is cut out of it is one of the pixels as they are stored, "
                    "which " CAN_BE_TURNED);
    }
}

TEST_ALONE(lost_metadata)
{
    static const char extended[] = "\xff\xe1\0\x26http://ns.adobe.com/xmp/extension/\0G";
    static const char others[] = "\xff\xeb\0\4JP\xff\xe2\0\6MPF\0\xff\xeb\0\4JP";
    char in[300], png[300], jpg[300], ppm[300];
    snprintf(in, sizeof in, "%s", path("in.jpg"));
    snprintf(png, sizeof png, "%s", path("o.png"));
    snprintf(jpg, sizeof jpg, "%s", path("o.jpg"));
    snprintf(ppm, sizeof ppm, "%s", path("o.ppm"));
    for (satf_route way = SATF_ROUTE_WHOLE; way <= SATF_ROUTE_ROWS; way++) {
        satf_file_report result;
        satf_write_options options = satf_write_defaults();
        write_jpeg(in, NULL, 0);
        run_job(in, png, "box=1", way, options, &result);
        expect_note(&result, NULL, NULL);
        write_jpeg(in, extended, sizeof extended - 1);
        for (int i = 0; i < 2; i++) {
            run_job(in, i ? png : jpg, "box=1", way, options, &result);
            expect_note(&result, in,
                        "its extended XMP, such as embedded pictures and depth maps, is not kept");
        }
        run_job(in, ppm, "box=1", way, options, &result); /* which has no metadata at all */
        assert_int_equal(result.note_count, 2);
        assert_string_equal(
            result.notes[1].text,
            "its input's IPTC is left out, which ppm cannot hold; PNG and JPEG can");
        write_jpeg(in, others, sizeof others - 1);
        run_job(in, png, "box=1", way, options, &result);
        expect_note(&result, in,
                    "its second picture (such as a gain map) and other data (APP11) are not kept");
        options.strip = 1; /* nobody wanted it */
        run_job(in, png, "box=1", way, options, &result);
        expect_note(&result, NULL, NULL);
    }
}

/* Text in front of a PNG's pixels and behind them, and in a JPEG. */
TEST_ALONE(lost_text)
{
    static const struct {
        const char *name, *text;
        size_t n;
        const char *note;
    } cases[] = {
        {"in.png", "\0\0\0\012tEXtComment\0hi\242\242Xf", 22,
         "its text, such as a comment, is not kept"},
        {"in.png", "\0\0\0\012tEXtSoftware\0x\112\215\277\316", 22, NULL},
        {"in.png", "\0\0\0\032iTXtXML:com.adobe.xmp\0\1\0\0\0xxxx$>\227\241", 38,
         "its XMP is damaged and not kept"},
        {"in.jpg", "\xff\xfe\0\7hello", 9, "its text, such as a comment, is not kept"},
    };
    enum { PNG_HEAD = 33, PNG_END = 12 };
    for (size_t i = 0; i < 4 * sizeof cases / sizeof *cases; i++) {
        char in[300], out[300], ppm[300];
        satf_file_report result;
        satf_write_options options = satf_write_defaults();
        satf_route way = i & 2 ? SATF_ROUTE_WHOLE : SATF_ROUTE_ROWS;
        const char *note = cases[i / 4].note;
        snprintf(in, sizeof in, "%s", path(cases[i / 4].name));
        snprintf(out, sizeof out, "%s", path(i & 1 ? "o.png" : "o.jpg"));
        snprintf(ppm, sizeof ppm, "%s", path("o.ppm"));
        write_noise(in, 20, 10, 3, SATF_U8, 0, 1);
        struct stat info;
        assert_int_equal(stat(in, &info), 0);
        bool jpeg = strstr(in, ".jpg") != NULL;
        insert(in,
               jpeg    ? 2
               : i & 1 ? (size_t)info.st_size - PNG_END
                       : PNG_HEAD,
               cases[i / 4].text, cases[i / 4].n);
        run_job(in, out, "box=1", way, options, &result);
        expect_note(&result, in, note);
        run_job(in, ppm, "box=1", way, options, &result); /* which has no metadata at all */
        expect_note(&result, in, note);
        options.strip = 1;
        run_job(in, out, "box=1", way, options, &result);
        expect_note(&result, NULL, NULL);
    }
}

/* What a JPEG cannot hold, and what nothing is made of. */
TEST_ALONE(lost_chunks)
{
    static const struct {
        const char *chunk;
        size_t n;
        const char *in_png, *in_jpeg; /* notes */
        bool of_input;
    } cases[] = {
        {"\0\0\0\4cICP\011\020\0\1M##\376", 16, NULL,
         "its input's description as HDR is left out, which jpeg cannot hold; "
         "PNG can",
         false},
        {"\0\0\0\010tEXtAuthor\0x\364rq\355", 20, NULL, "its text, such as a comment, is not kept",
         true},
        {"\0\0\0\3sBIT\5\6\0053\013\215\200", 15, "its number of significant bits is not kept",
         "its number of significant bits is not kept", true},
    };
    for (size_t i = 0; i < 4 * sizeof cases / sizeof *cases; i++) {
        char in[300], out[300];
        satf_file_report result;
        bool jpeg = i & 1;
        const char *note = jpeg ? cases[i / 4].in_jpeg : cases[i / 4].in_png;
        snprintf(in, sizeof in, "%s", path("in.png"));
        snprintf(out, sizeof out, "%s", path(jpeg ? "o.jpg" : "o.png"));
        write_noise(in, 20, 10, 3, SATF_U8, 0, 1);
        insert(in, 33, cases[i / 4].chunk, cases[i / 4].n);
        run_job(in, out, "box=1", i & 2 ? SATF_ROUTE_WHOLE : SATF_ROUTE_ROWS, satf_write_defaults(),
                &result);
        expect_note(&result, cases[i / 4].of_input ? in : out, note);
    }
}

/* A tRNS of six bytes in front of the pixels of a grey PNG, which has two, and behind them. */
TEST_ALONE(lost_transparency)
{
    static const char chunk[] = "\0\0\0\6tRNS\0\0\0\0\0\0\156\246\7\221";
    enum { PNG_HEAD = 33, PNG_END = 12 };
    for (int i = 0; i < 4; i++) {
        char in[300];
        struct stat info;
        satf_file_report result;
        satf_route way = i & 2 ? SATF_ROUTE_WHOLE : SATF_ROUTE_ROWS;
        snprintf(in, sizeof in, "%s", path("in.png"));
        write_noise(in, 20, 10, 1, SATF_U8, 0, 1);
        assert_int_equal(stat(in, &info), 0);
        insert(in, i & 1 ? (size_t)info.st_size - PNG_END : PNG_HEAD, chunk, sizeof chunk - 1);
        run_job(in, path("o.pgm"), "box=1", way, satf_write_defaults(), &result);
        expect_note(&result, in, "its transparent colour is invalid or out of place and not used");
    }
}

/* A BMP of two colours, and a pixel of number 7; whatever is kept of metadata. */
TEST_ALONE(missing_colours)
{
    static const char bmp[] =
        "BM\0\0\0\0\0\0\0\0\x3e\0\0\0\x28\0\0\0\x03\0\0\0\x01\0\0\0\x01\0\x08\0"
        "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\2\3\0\4\5\6\0\1\7\0";
    char in[300];
    snprintf(in, sizeof in, "%s", path("in.bmp"));
    FILE *file = fopen(in, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bmp, 1, sizeof bmp, file), sizeof bmp);
    fclose(file);
    assert_int_equal(satf_context_set_formats(ctx, "all"), SATF_OK);
    for (int i = 0; i < 4; i++) {
        satf_file_report result;
        satf_write_options options = satf_write_defaults();
        options.strip = i & 1;
        run_job(in, path(i & 2 ? "o.ppm" : "o.png"), "box=1", SATF_ROUTE_AUTO, options, &result);
        expect_note(&result, in, "its palette lacks colours of some pixels, which become black");
    }
}

TEST_ALONE(lost_ink)
{
    struct jpeg_compress_struct c;
    struct jpeg_error_mgr errors;
    char in[300];
    snprintf(in, sizeof in, "%s", path("cmyk.jpg"));
    FILE *file = fopen(in, "wb");
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
    for (satf_route way = SATF_ROUTE_WHOLE; way <= SATF_ROUTE_ROWS; way++) {
        satf_file_report result;
        run_job(in, path("o.ppm"), "box=1", way, satf_write_defaults(), &result);
        expect_note(&result, in,
                    "its CMYK is converted to RGB, without regard to a colour profile");
    }
}

/* Segments of a JPEG that no pixel needs. */
TEST_ALONE(damaged_segments)
{
    static const struct {
        const char *bytes;
        size_t n;
        const char *note;
        int damaged;
    } cases[] = {
        {"junk", 4, "is damaged: bytes that make no sense are passed over; it may look wrong", 1},
        {"\xff\xe2\0\x13ICC_PROFILE\0\1\1odd", 21, "its colour profile is damaged and not kept", 0},
    };
    enum { JFIF_END = 20 };
    for (int i = 0; i < 4; i++) {
        char in[300];
        satf_file_report result;
        snprintf(in, sizeof in, "%s", path("odd.jpg"));
        write_noise(in, 20, 10, 1, SATF_U8, 0, 1);
        insert(in, JFIF_END, cases[i / 2].bytes, cases[i / 2].n);
        satf_route way = i & 1 ? SATF_ROUTE_WHOLE : SATF_ROUTE_ROWS;
        run_job(in, path("o.pgm"), "box=1", way, satf_write_defaults(), &result);
        expect_note(&result, in, cases[i / 2].note);
        assert_int_equal(result.damaged, cases[i / 2].damaged);
    }
}

TEST_FILE(.context = &ctx, .folder = true)
