/* Windows that are lengths: what is taken, what they become, and where they are refused. */
#include "test.h"

#include "base/image.h"
#include "chain/filter.h"
#include "ways.h"

enum { TEXT_BYTES = 200 };

static void require_print(const satf_filter *filter, const char *want)
{
    char text[TEXT_BYTES];
    satf_filter_print(filter, text, sizeof text);
    assert_string_equal(text, want);
}

/* The next filter that has a window, from *index on, or NULL. */
static const char *next_windowed(size_t *index)
{
    const char *name;
    while ((name = satf_filter_name((*index)++, NULL, 0))) {
        if (filter_param_of_kind(filter_info_find(name), PARAM_SIZE)) {
            return name;
        }
    }
    return NULL;
}

/* The picture whose resolution is told. */
static const satf_view picture = {.width = 400, .height = 300, .channels = 1};

/* ------------------------------------------------------------------------ text */

/* What was written comes back, as short as it can be. */
TEST(test_prints)
{
    static const char *const cases[][2] = {
        {"2mm", "2mm"},
        {"0.33in", "0.33in"},
        {"0.1inx2mm", "0.1inx2mm"},
        {"2mmX2mm", "2mm"},
        {"1inx2.54cm", "1inx2.54cm"},
        {"10mmx1cm", "10mmx1cm"},
        {".50cm", "0.5cm"},
        {"007.in", "7in"},
        {"0.001mmx10000in", "0.001mmx10000in"},
        {"9999.999999cm", "9999.999999cm"},
        {"3.000001in", "3.000001in"},
        {"100mm", "100mm"},
    };
    const char *name;
    for (size_t f = 0; (name = next_windowed(&f));) {
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            char spec[TEXT_BYTES], want[TEXT_BYTES];
            snprintf(spec, sizeof spec, "%s=%s", name, cases[i][0]);
            snprintf(want, sizeof want, "%s=%s", name, cases[i][1]);
            SCOPED_FILTER *filter = parse_filter(ctx, spec), *again = parse_filter(ctx, want);
            require_print(filter, want);
            require_print(again, want);
        }
    }
}

TEST(test_refuses)
{
    static const char *const cases[] = {"mm",
                                        ".mm",
                                        "-2mm",
                                        "+2mm",
                                        "0mm",
                                        "0.0in",
                                        "nanin",
                                        "infin",
                                        "infmm",
                                        "1e3in",
                                        "1e308in",
                                        "0x1in",
                                        "1.2.3in",
                                        "10001in",
                                        "0.0009mm",
                                        "2m",
                                        "2mmm",
                                        "2MM",
                                        "2inch",
                                        "2in3",
                                        "2inx",
                                        "2inxin",
                                        "2mmx3",
                                        "3x2mm",
                                        "2mmx3x4",
                                        "2mmx3mmx4mm",
                                        "2.",
                                        "2.0",
                                        "2.0x3",
                                        "xmm",
                                        "0.0000001in",
                                        "1.0000001in",
                                        "10000.000001in",
                                        "99999999999999999999in",
                                        "99999999999999999999.5mm",
                                        "18446744073709551618mm",
                                        "2mmx-3mm",
                                        "2mmxnanin"};
    const char *name;
    for (size_t f = 0; (name = next_windowed(&f));) {
        SCOPED_FILTER *kept;
        MUST(ctx, satf_filter_create(ctx, name, &kept));
        MUST(ctx, satf_filter_set(ctx, kept, "size", "1inx2mm"));
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            char spec[TEXT_BYTES], want[TEXT_BYTES];
            snprintf(spec, sizeof spec, "%s=%s", name, cases[i]);
            snprintf(want, sizeof want, "'%s' is no window for %s: a side is 1 to ", cases[i],
                     name);
            satf_filter *filter;
            expect(ctx, satf_filter_parse(ctx, spec, &filter), SATF_INVALID, want);
            assert_int_equal(satf_filter_set(ctx, kept, "size", cases[i]), SATF_INVALID);
        }
        char want[TEXT_BYTES];
        snprintf(want, sizeof want, "%s=1inx2mm", name);
        require_print(kept, want);
    }
}

/* Pixels take a length's place, but not of one side alone. */
TEST(test_sets)
{
    SCOPED_FILTER *filter = parse_filter(ctx, "box=2mmx3mm");
    const char *why = "the window of box is a length";
    expect(ctx, satf_filter_set_int(ctx, filter, "width", 5), SATF_INVALID, why);
    expect(ctx, satf_filter_set_int(ctx, filter, "height", 5), SATF_INVALID, why);
    require_print(filter, "box=2mmx3mm");
    MUST(ctx, satf_filter_set_int(ctx, filter, "size", 5));
    MUST(ctx, satf_filter_set_int(ctx, filter, "width", 7));
    require_print(filter, "box=7x5");
}

/* ------------------------------------------------------------------ resolution */

#define DPI(n) ((n) / 0.0254)

/* By resolutions of one unit, across and down. */
TEST(test_resolves)
{
    static const struct {
        const char *spec;
        double x, y;
        const char *want; /* NULL: nothing is a length */
    } cases[] = {
        {"box=0.33in", DPI(300), DPI(300), "box=99"},
        {"box=0.33in", 11811, 11811, "box=99"}, /* as a PNG has it */
        {"box=0.1in", DPI(300), DPI(300), "box=31"},
        {"box=0.1in", 11811, 11811, "box=31"}, /* 29.99994 pixels are 30 */
        {"box=0.1in", 118.11 * 100, 11811.5, "box=31"},
        {"box=2in", 23622, DPI(600), "box=1201"},
        {"box=1cm", 2999, 2890, "box=29"},
        {"box=1cm", 3000, 2999, "box=31x29"},
        {"box=2mm", DPI(600), DPI(300), "box=47x23"},
        {"box=2mmx0.2cm", DPI(600), DPI(600), "box=47"},
        {"box=2mmx0.1in", DPI(100), DPI(200), "box=7x21"},
        {"box=0.001mm", DPI(72), DPI(72), "box=3"}, /* the least */
        {"box=10000mm", 6553, 100, "box=65535x1005"},
        {"rotate=90 box=2mm", DPI(600), DPI(300), "rotate=90 box=23x47"},
        {"rotate=180 box=2mm", DPI(600), DPI(300), "rotate=180 box=47x23"},
        {"box=2mm transpose variance=2mm flip=h rotate=270 sum=2mm,at=1:0", DPI(600), DPI(300),
         "box=47x23 transpose variance=23x47 flip=h rotate=270 sum=47x23,at=1:0"},
        {"box=5 sauvola=0.33in,k=0.2", DPI(300), DPI(300), "box=5 sauvola=99,k=0.2"},
        {"box=2mm,at=11:-23,border=wrap", DPI(300), DPI(600), "box=23x47,at=11:-23,border=wrap"},
        {"resize=50%x100% box=2mm", DPI(600), DPI(600), "resize=50%x100% box=23x47"},
        {"resize=400x150! transpose box=2mm", DPI(300), DPI(300),
         "resize=400x150! transpose box=11x23"},
        {"box=5 integral", 1, 1, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        satf_metadata from = {.has_resolution = true,
                              .resolution_x = cases[i].x,
                              .resolution_y = cases[i].y,
                              .resolution_unit = 1};
        SCOPED_FILTER *filter = parse_filter(ctx, cases[i].spec), *made;
        if (filter_resolve(ctx, filter, &picture, &from, &made)) {
            fail_msg("%s: %s", cases[i].spec, satf_message(ctx));
        }
        assert_int_equal(made == NULL, cases[i].want == NULL);
        if (made) {
            require_print(made, cases[i].want);
        }
        require_print(filter, cases[i].spec);
    }
}

TEST(test_unresolved)
{
    static const struct {
        const char *spec;
        satf_metadata from;
        const char *sentence;
    } cases[] = {
#define OF(there, x, y, unit) \
    {.has_resolution = there, .resolution_x = x, .resolution_y = y, .resolution_unit = unit}
        {"box=2mm", OF(false, 1000, 1000, 1),
         "size=2mm of box is a length, but the file names no resolution; give it in pixels"},
        {"box=2mmx3mm", OF(true, 1, 2, 0),
         "size=2mmx3mm of box is a length, but the file names its resolution in no unit"},
        {"flip=h wolf=0.33in", OF(true, 0, 1000, 1), "size=0.33in of wolf is a length, but the"},
        {"box=2mm", OF(true, 1000, -1, 1), "the file names no resolution"},
        {"box=2mm", OF(true, (double)NAN, 1000, 1), "the file names no resolution"},
        {"box=2mm", OF(true, 1000, (double)INFINITY, 1), "the file names no resolution"},
        {"box=10000mm", OF(true, 6553.2, 100, 1),
         "size = 10000mm, 65537x1005 pixels: 1 to 65535 are possible"},
        {"box=10000in", OF(true, 1e300, 1e300, 1), "1 to 65535 are possible"},
        {"box=2mm,at=12:0", OF(true, 11811, 11811, 1), "at=12:0 of box: a window of 23 x 23"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        SCOPED_FILTER *filter = parse_filter(ctx, cases[i].spec);
        satf_filter *made = filter;
        expect(ctx, filter_resolve(ctx, filter, &picture, &cases[i].from, &made), SATF_INVALID,
               cases[i].sentence);
        assert_null(made);
    }
}

/* ---------------------------------------------------------------------- images */

static satf_image *make_image(satf_context *ctx, double x, double y)
{
    SCOPED_VIEW pixels = draw_bytes(61, 47, 3, SATF_U8, 0, 1);
    satf_image *image;
    MUST(ctx, satf_image_create(ctx, 61, 47, 3, SATF_U8, 0, &image));
    for (int64_t i = 0; i < 47; i++) {
        memcpy(satf_row(&image->view, i), satf_row(&pixels, i), 3 * 61);
    }
    image->metadata.has_resolution = x > 0;
    image->metadata.resolution_x = x;
    image->metadata.resolution_y = y;
    image->metadata.resolution_unit = 1;
    return image;
}

static satf_image *filtered(satf_context *ctx, const char *spec, const satf_image *in)
{
    SCOPED_FILTER *filter = parse_filter(ctx, spec);
    satf_image *out;
    MUST(ctx, satf_filter_image(ctx, filter, in, SATF_TYPE_AUTO, &out));
    return out;
}

/* Images of one shape and several resolutions have each their own window, of every filter. */
TEST(test_images)
{
    static const struct {
        double x, y;
        const char *pixels;
    } cases[] = {{3000, 3000, "7"}, {5000, 3000, "11x7"}, {3000, 5000, "7x11"}, {3000, 3000, "7"}};
    const char *name;
    for (size_t f = 0; (name = next_windowed(&f));) {
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            char length[TEXT_BYTES], pixels[TEXT_BYTES];
            snprintf(length, sizeof length, "%s=2mm", name);
            snprintf(pixels, sizeof pixels, "%s=%s", name, cases[i].pixels);
            SCOPED_IMAGE *in = make_image(ctx, cases[i].x, cases[i].y);
            SCOPED_IMAGE *out = filtered(ctx, length, in), *want = filtered(ctx, pixels, in);
            require_same(length, pixels, &out->view, &want->view);
        }
    }
    SCOPED_FILTER *filter = parse_filter(ctx, "box=2mm");
    satf_image *in = make_image(ctx, 0, 0), *out = in;
    expect(ctx, satf_filter_image(ctx, filter, in, SATF_TYPE_AUTO, &out), SATF_INVALID,
           "the file names no resolution");
    assert_null(out);
    satf_image_destroy(in);
}

#define REFUSED(ctx, name, call)                                                                 \
    do {                                                                                         \
        char sentence[TEXT_BYTES];                                                               \
        snprintf(sentence, sizeof sentence,                                                      \
                 "size=2mm of %s is a length, but pixels in memory have no resolution; give it " \
                 "in pixels",                                                                    \
                 name);                                                                          \
        if ((call) != SATF_INVALID || strcmp(satf_message(ctx), sentence) != 0) {                \
            fail_msg("%s: %s: %s", name, #call, satf_message(ctx));                              \
        }                                                                                        \
    } while (0)

/* Nothing that takes views computes with a length, or touches its results. */
TEST(test_views)
{
    const char *name;
    for (size_t f = 0; (name = next_windowed(&f));) {
        char spec[TEXT_BYTES];
        unsigned char in_pixels[35] = {0}, out_pixels[35 * 8];
        memset(out_pixels, 0x5a, sizeof out_pixels);
        snprintf(spec, sizeof spec, "flip=h %s=2mm", name);
        SCOPED_FILTER *filter = parse_filter(ctx, spec),
                      *alone = parse_filter(ctx, strchr(spec, ' ') + 1);
        satf_view in = satf_view_packed(in_pixels, 7, 5, 1, SATF_U8), made;
        satf_view out = satf_view_packed(out_pixels, 7, 5, 1, SATF_U8);
        satf_rect where = {0, 0, 7, 5};
        size_t bytes;
        int64_t reach[4];
        satf_plan *plan;
        satf_rows *rows;
        for (int i = 0; i < 2; i++) {
            const satf_filter *of = i ? filter : alone;
            REFUSED(ctx, name, satf_filter_output(ctx, of, &in, &made));
            REFUSED(ctx, name, satf_filter_apply(ctx, of, &in, &out));
            REFUSED(ctx, name, satf_filter_render(ctx, of, &in, &out));
            REFUSED(ctx, name, satf_filter_scratch(ctx, of, &in, &out, &bytes));
            REFUSED(ctx, name,
                    satf_filter_reach(ctx, of, &reach[0], &reach[1], &reach[2], &reach[3]));
            REFUSED(ctx, name, satf_filter_apply_rect(ctx, of, &in, &where, &out));
            REFUSED(ctx, name, satf_plan_create(ctx, of, &in, 1, &out, 1, &plan));
            REFUSED(ctx, name, satf_rows_open(ctx, of, &in, &out, &rows));
        }
        for (size_t i = 0; i < sizeof out_pixels; i++) {
            assert_int_equal(out_pixels[i], 0x5a);
        }
    }
}
