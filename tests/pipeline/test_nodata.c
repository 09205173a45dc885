/* Pixels that a TIFF's tag GDAL_NODATA names do not count, and the result has the tag. */
#include "test.h"
#include "pipeline_jobs.h"

#include "io/meta/tags.h"

static void add_tag(satf_image *image, const char *text)
{
    const satf_tag tag = {SATF_TAGS_PAGE, SATF_TAG_NODATA, SATF_TAG_ASCII, strlen(text) + 1,
                          (const unsigned char *)text};
    satf_tags tags = {NULL, 0, 0};
    MUST(ctx, satf_tags_add(ctx, &tags, &tag));
    MUST(ctx, satf_context_set_formats(ctx, "all"));
    image->metadata.tags = tags.block;
    image->metadata.tags_bytes = tags.bytes;
}

/* A picture with a hole of that value, and the tag, as in.tif and in.npy. */
static void write_hole(satf_type type, double value, const char *text)
{
    satf_image *image = make_noise(40, 30, 1, type, 0, 17);
    const satf_view *v = satf_image_view(image);
    for (int y = 4; y < 30; y++) {
        for (int x = 6; x < (y < 20 ? 12 : 34); x++) {
            int16_t i16 = type == SATF_F32 ? 0 : (int16_t)value;
            float f32 = (float)value;
            memcpy((char *)satf_row(v, y) + x * satf_pixel_bytes(v),
                   type == SATF_F32 ? (void *)&f32 : &i16, (size_t)satf_pixel_bytes(v));
        }
    }
    add_tag(image, text);
    MUST(ctx, satf_image_write(ctx, image, "in.tif", NULL));
    write_image(image, "in.npy");
}

static satf_filter *make_chain(const char *spec, int omit_nan, const double *nodata)
{
    satf_filter *chain;
    MUST(ctx, satf_filter_parse(ctx, spec, &chain));
    MUST(ctx, satf_filter_set_missing(ctx, chain, omit_nan, nodata));
    return chain;
}

static bool is_told(void)
{
    bool told = false;
    for (int i = 0; i < report.note_count; i++) {
        told = told || strstr(report.notes[i].text, "GDAL_NODATA");
    }
    return told;
}

/* in.tif through the chain is in.npy with that said, by either route. */
static void compare_hole(const char *spec, int omit_nan, const double *nodata, int ignore,
                         bool told)
{
    satf_filter *chain = make_chain(spec, omit_nan, nodata);
    must_run(JOB("in.npy", "want.npy", NULL, SATF_ROUTE_WHOLE, .filter = chain, .how.stats = 1));
    const satf_channel_stats want = report.stats[0];
    satf_filter_destroy(chain);
    for (satf_route way = SATF_ROUTE_WHOLE; way <= SATF_ROUTE_ROWS; way++) {
        must_run(JOB("in.tif", "out.npy", spec, way, .how.stats = 1, .how.ignore_nodata = ignore));
        assert_same_file("want.npy", "out.npy", spec);
        assert_memory_equal(&report.stats[0], &want, sizeof want);
        assert_int_equal(is_told(), told);
        assert_true(!told || !nodata || want.samples < 40 * 30);
    }
}

TEST_ALONE(taken)
{
    if (satf_format_missing("tiff")) {
        skip();
    }
    const double hole = -9999, lowest = -3.40282346600000016e+38;
    write_hole(SATF_I16, hole, "-9999");
    compare_hole("box=5", 0, &hole, 0, true);
    compare_hole("box=5 variance=3", 0, &hole, 0, true);
    compare_hole("box=5", 0, NULL, 1, false);
    compare_hole("flip=h", 0, NULL, 0, false);
    write_hole(SATF_F32, lowest, "-3.40282346600000016e+38 ");
    compare_hole("box=5", 0, &lowest, 0, true);
    write_hole(SATF_F32, NAN, "nan");
    compare_hole("box=3", 1, NULL, 0, true);
}

/* What is no number, or none of the samples', leaves out nothing. */
TEST_ALONE(not_taken)
{
    static const char *const texts[] = {"40000", "0.5", "none", "", "-9999 x", "nan"};
    if (satf_format_missing("tiff")) {
        skip();
    }
    for (size_t i = 0; i < COUNT(texts); i++) {
        write_hole(SATF_I16, -9999, texts[i]);
        compare_hole("box=5", 0, NULL, 0, false);
    }
}

/* The tag of out.tif; NULL: it has none. */
static void assert_tag(const char *text)
{
    SCOPED_IMAGE *image = read_image("out.tif");
    satf_tag tag;
    bool has = satf_tags_find(image->metadata.tags, image->metadata.tags_bytes, SATF_TAGS_PAGE,
                              SATF_TAG_NODATA, &tag);
    assert_int_equal(has, text != NULL);
    if (text) {
        assert_string_equal(tag.values, text);
    }
}

/* The result's tag is right for its samples: it stays with numbers, and goes from pictures. */
TEST_ALONE(result)
{
    if (satf_format_missing("tiff")) {
        skip();
    }
    write_hole(SATF_I16, -9999, "-9999");
    for (satf_route way = SATF_ROUTE_WHOLE; way <= SATF_ROUTE_ROWS; way++) {
        must_run(JOB("in.tif", "out.tif", "box=5", way));
        assert_tag("-9999");
        must_run(JOB("in.tif", "out.tif", "stddev=5", way, .write.type = SATF_F32));
        assert_tag("-9999");
        must_run(JOB("in.tif", "out.tif", "box=5", way, .how.ignore_nodata = 1));
        assert_tag("-9999");
        must_run(JOB("in.tif", "out.tif", "stddev=5", way));
        assert_tag(NULL);
        must_run(JOB("in.tif", "out.tif", "adaptive=5", way));
        assert_tag(NULL);
        must_run(JOB("in.tif", "out.tif", "adaptive=5", way, .write.type = SATF_U8));
        assert_tag(NULL);
    }
}

/* What the chain says goes before it; the result has the tag; and what cannot leave out pixels says
 * whence they are. */
TEST_ALONE(beside)
{
    if (satf_format_missing("tiff")) {
        skip();
    }
    const double other = 7;
    write_hole(SATF_I16, -9999, "-9999");
    satf_filter *chain = make_chain("box=5", 0, &other);
    must_run(JOB("in.tif", "out.tif", NULL, SATF_ROUTE_AUTO, .filter = chain));
    assert_false(is_told());
    satf_filter_destroy(chain);
    assert_tag("7");
    must_fail(JOB("in.tif", "none.tif", "guided=5"), SATF_UNSUPPORTED,
              "GDAL_NODATA asks for it, which the value none overrules");
    must_run(JOB("in.tif", "out.tif", "guided=5", .how.ignore_nodata = 1));
}

/* A channel of colours may have the value of a hole. */
TEST_ALONE(colours)
{
    if (satf_format_missing("tiff")) {
        skip();
    }
    for (int channels = 3; channels <= 4; channels++) {
        satf_image *image =
            make_noise(20, 10, channels, SATF_U8, channels == 4 ? SATF_ALPHA : 0, 3);
        add_tag(image, "0");
        write_image(image, "in.tif");
        must_run(JOB("in.tif", "plain.tif", "box=5", .how.ignore_nodata = 1));
        must_run(JOB("in.tif", "out.tif", "box=5"));
        assert_same_file("plain.tif", "out.tif", "colours");
        assert_true(is_told());
    }
}

TEST_FILE(.context = &ctx, .folder = true)
