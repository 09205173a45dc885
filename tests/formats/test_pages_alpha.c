/* Pages of which some have alpha, in an array, whose pages are alike: the others get one that is
 * opaque. */
#include "test.h"
#include "pipeline_jobs.h"

enum { WIDE = 13, HIGH = 9, MIXED = 3 };

/* A sample of 1, of the full scale of the type. */
static void put_full(satf_type type, unsigned char *to)
{
    static const float f32 = 1;
    static const double f64 = 1;
    memset(to, UINT8_MAX, satf_type_bytes((int)type));
    if (type == SATF_F32 || type == SATF_F64) {
        memcpy(to, type == SATF_F32 ? (const void *)&f32 : &f64, satf_type_bytes((int)type));
    }
}

/* An EXIF of orientation 6: the picture is to be turned by 90 degrees. */
static const unsigned char turned_exif[] = "II*\0\10\0\0\0\1\0\x12\1\3\0\1\0\0\0\6\0\0\0\0\0\0";

/* What the pages are: those whose bit is in the mask have alpha; turned ones are turned upright as
 * they are read, and back by the filter. */
static int colours;
static satf_type type;
static unsigned mask;
static bool turned;

static satf_image *make_mixed(int k)
{
    bool alpha = mask >> k & 1;
    satf_image *image =
        make_noise(WIDE, HIGH, colours + alpha, type, alpha ? SATF_ALPHA : 0, 7 + (uint32_t)k);
    MUST(ctx, satf_image_set_metadata(ctx, image, SATF_METADATA_EXIF, turned ? turned_exif : NULL,
                                      turned ? sizeof turned_exif - 1 : 0));
    return image;
}

/* The array's page is the image, whose pixels have an opaque alpha behind them if `padded`. */
static void expect_page(const unsigned char *got, const satf_image *image, bool padded)
{
    const satf_view *v = satf_image_view(image);
    const unsigned char *from = v->data;
    size_t sample = satf_type_bytes(v->type), pixel = (size_t)v->channels * sample;
    unsigned char opaque[8];
    put_full((satf_type)v->type, opaque);
    for (int i = 0; i < WIDE * HIGH; i++, from += pixel, got += pixel) {
        assert_memory_equal(got, from, pixel);
        if (padded) {
            assert_memory_equal(got + pixel, opaque, sample);
            got += sample;
        }
    }
}

static void check_mixed(int threads, satf_route way)
{
    size_t bytes,
        page = (size_t)(WIDE * HIGH * (colours + (mask > 0))) * satf_type_bytes((int)type);
    write_pages("mixed.tif", make_mixed, 0, MIXED, NULL);
    MUST(ctx, satf_context_set_auto_orient(ctx, turned));
    must_run(JOB("mixed.tif", "mixed.npy", turned ? "rotate=270" : "flip=v flip=v", way,
                 .threads = threads));
    SCOPED unsigned char *got = slurp("mixed.npy", &bytes);
    assert_true(bytes > MIXED * page && bytes < MIXED * page + 256);
    for (int k = 0; k < MIXED; k++) {
        SCOPED_IMAGE *image = make_mixed(k);
        expect_page(got + bytes - (size_t)(MIXED - k) * page, image, mask && !(mask >> k & 1));
    }
}

TEST_ALONE(alpha_for_all)
{
    static const satf_type types[] = {SATF_U8, SATF_U16, SATF_F32, SATF_F64};
    for (mask = 0; mask < 1 << MIXED; mask++) {
        for (size_t t = 0; t <= COUNT(types); t++) {
            turned = t == COUNT(types);
            type = types[turned ? mask % 4 : t];
            colours = turned ? 3 : 1 + 2 * (int)(t & 1);
            check_mixed(1 + (int)(mask & (turned ? 1 : 3)),
                        mask & 1 && !turned ? SATF_ROUTE_WHOLE : SATF_ROUTE_AUTO);
        }
    }
}

/* A GIF whose third frame alone has a hole, in the colours 10 to 42. */
static const unsigned char holes[] =
    "GIF89a\4\0\3\0\x81\0\0\x0a\x0b\x0c\x14\x15\x16\x1e\x1f\x20\x28\x29\x2a"
    "!\xf9\4\4\0\0\0\0,\0\0\0\0\4\0\3\0\0\2\x08\x8c\x18\x31\x62\xc4\x88\x11\x0b\0"
    "!\xf9\4\x09\0\0\0\0,\1\0\1\0\2\0\1\0\0\2\2\x1c\x58\0"
    "!\xf9\4\4\0\0\0\0,\0\0\0\0\1\0\1\0\0\2\2\x54\1\0;";

static int64_t read_holes(void *user, void *to, size_t n)
{
    size_t *at = user, left = sizeof holes - 1 - *at;
    n = n < left ? n : left;
    memcpy(to, holes + *at, n);
    *at += n;
    return (int64_t)n;
}

/* From memory that can be gone about in, and from a pipe, which is read once. */
TEST_ALONE(alpha_of_frames)
{
    enum { PAGE = 4 * 3 * 4 };
    if (satf_format_missing("gif")) {
        skip();
    }
    write_bytes("holes.gif", holes, sizeof holes - 1);
    for (int pipe = 0; pipe < 2; pipe++) {
        satf_file_calls calls;
        size_t at = 0, bytes, clear = 0;
        satf_file_calls_init(&calls, sizeof calls);
        calls.read = read_holes;
        calls.user = &at;
        must_run(JOB("holes.gif", "holes.npy", "flip=v flip=v",
                     .how.input_calls = pipe ? &calls : NULL));
        SCOPED unsigned char *got = slurp("holes.npy", &bytes);
        assert_non_null(memmem(got, bytes, "(3, 3, 4, 4)", 12));
        const unsigned char *alpha = got + bytes - (size_t)3 * PAGE + 3;
        for (int i = 0; i < 3 * PAGE; i += 4) {
            assert_true(alpha[i] == UINT8_MAX || (i >= 2 * PAGE && alpha[i] == 0));
            clear += alpha[i] == 0;
        }
        assert_int_equal(clear, 2);
    }
}

TEST_FILE(.formats = "all", .context = &ctx, .folder = true)
