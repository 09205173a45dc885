/* A part of the picture, and its grey, pixel by pixel: of all types and layouts, as a whole, by
 * rows, by parts, in stacks and in chains. */
#include "test.h"
#include <inttypes.h>

#include "base/cpu.h"
#include "base/exif.h"
#include "base/image.h"
#include "filter/filter.h"
#include "filter_make.h"
#include "filter_reference.h"

static size_t pixel_bytes(const satf_view *view)
{
    return (size_t)view->channels * satf_type_bytes(view->type);
}

static satf_view make_noise(int64_t width, int64_t height, int channels, int type, uint64_t seed)
{
    satf_view view = satf_view_packed(NULL, width, height, channels, (satf_type)type);
    view.stride += 5;
    view.data = malloc((size_t)(view.stride * view.height));
    for (int64_t i = 0; i < view.stride * view.height; i++) {
        ((char *)view.data)[i] = (char)(ref_random(&seed) >> 40);
    }
    return view;
}

static satf_view make_output(satf_context *ctx, const satf_filter *filter, const satf_view *in)
{
    satf_view out;
    if (satf_filter_output(ctx, filter, in, &out)) {
        fail_msg("%s", satf_message(ctx));
    }
    out.data = malloc((size_t)(out.stride * out.height));
    return out;
}

static satf_view apply(satf_context *ctx, const char *spec, const satf_view *in)
{
    SCOPED_FILTER *filter = parse_filter(ctx, spec);
    satf_view out = make_output(ctx, filter, in);
    if (satf_filter_apply(ctx, filter, in, &out)) {
        fail_msg("%s: %s", spec, satf_message(ctx));
    }
    return out;
}

static void require_same(const char *what, const satf_view *got, const satf_view *want)
{
    assert_true(got->width == want->width && got->height == want->height);
    assert_true(got->type == want->type && got->channels == want->channels);
    for (int64_t y = 0; y < want->height; y++) {
        if (memcmp(satf_row(got, y), satf_row(want, y), pixel_bytes(want) * (size_t)want->width) !=
            0) {
            fail_msg("%s: row %" PRId64, what, y);
        }
    }
}

/* By rows, all of which are pushed, also those that nobody needs. */
static void check_rows(satf_context *ctx, const char *spec, const satf_view *in,
                       const satf_view *want)
{
    SCOPED_FILTER *filter = parse_filter(ctx, spec);
    satf_view out = make_output(ctx, filter, in);
    satf_rows *rows;
    int64_t pushed = 0, pulled = 0, n;
    if (satf_rows_open(ctx, filter, in, &out, &rows)) {
        fail_msg("%s: %s", spec, satf_message(ctx));
    }
    while (pulled < out.height || pushed < in->height) {
        int64_t most = in->height - pushed < 3 ? in->height - pushed : 3;
        assert_int_equal(satf_rows_push(rows, satf_row(in, pushed), in->stride, most, &n), SATF_OK);
        pushed += n;
        most = out.height - pulled < 2 ? out.height - pulled : 2;
        assert_int_equal(satf_rows_pull(rows, satf_row(&out, pulled), out.stride, most, &n),
                         SATF_OK);
        pulled += n;
    }
    require_same(spec, &out, want);
    satf_rows_close(rows);
    free(out.data);
}

/* ------------------------------------------------------------------------ parts */

/* Where `part` of w x h lies, counted here: width, height, left, top. */
typedef struct part_case {
    const char *part;
    int64_t w, h, x, y;
} part_case;

static const part_case parts[] = {
    {"61x39", 61, 39, 0, 0},      {"61x39+0+0", 61, 39, 0, 0},   {"1x1+60+38", 1, 1, 60, 38},
    {"1X1", 1, 1, 30, 19},        {"60x38", 60, 38, 0, 0},       {"59x37", 59, 37, 1, 1},
    {"7x39", 7, 39, 27, 0},       {"32x5+29+34", 32, 5, 29, 34}, {"61x1+0+20", 61, 1, 0, 20},
    {"16x20+00+7", 16, 20, 0, 7},
};

static void check_part(satf_context *ctx, const part_case *c, const satf_view *in)
{
    char spec[64];
    snprintf(spec, sizeof spec, "crop=%s", c->part);
    satf_view want = satf_view_rect(in, (satf_rect){c->x, c->y, c->w, c->h});
    satf_view out = apply(ctx, spec, in);
    require_same(spec, &out, &want);
    check_rows(ctx, spec, in, &want);
    free(out.data);
}

TEST(test_parts)
{
    uint64_t seed = 1;
    for (int type = SATF_U8; type <= SATF_F64; type++) {
        for (int channels = 1; channels <= 4; channels++) {
            satf_view in = make_noise(61, 39, channels, type, seed++);
            in.flags = channels % 2 ? 0 : SATF_ALPHA;
            for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
                satf_context_set_threads(ctx, 1 + (int)(seed + k) % 3);
                check_part(ctx, &parts[k], &in);
            }
            free(in.data);
        }
    }
}

/* Into another type, of a large picture that threads share, of a view upside down and one whose
 * pixels are apart. */
TEST(test_layouts)
{
    satf_view in = make_noise(3000, 900, 3, SATF_U8, 9),
              out = apply(ctx, "crop=2900x800+90+7", &in);
    satf_view want = satf_view_rect(&in, (satf_rect){90, 7, 2900, 800});
    require_same("a large one", &out, &want);
    satf_view turned = in;
    turned.data = satf_row(&in, in.height - 1);
    turned.stride = -in.stride;
    want = satf_view_rect(&turned, (satf_rect){90, 7, 2900, 800});
    satf_filter *filter = parse_filter(ctx, "crop=2900x800+90+7");
    assert_int_equal(satf_filter_apply(ctx, filter, &turned, &out), SATF_OK);
    require_same("upside down", &out, &want);

    satf_view apart = in; /* every other pixel of grey and alpha */
    apart.width /= 2;
    apart.channels = 1;
    apart.pixel_stride = 6;
    satf_view wide = satf_view_packed(NULL, 500, 60, 1, SATF_F32);
    wide.data = malloc((size_t)(wide.stride * wide.height));
    satf_filter_destroy(filter);
    filter = parse_filter(ctx, "crop=500x60+1000+840");
    assert_int_equal(satf_filter_apply(ctx, filter, &apart, &wide), SATF_OK);
    for (int64_t i = 0; i < 500 * 60; i++) {
        uint8_t pixel = *((uint8_t *)satf_row(&in, 840 + i / 500) + (1000 + i % 500) * 6);
        if (((float *)wide.data)[i] != (float)pixel) {
            fail_msg("apart: pixel %" PRId64, i);
        }
    }
    satf_filter_destroy(filter);
    free(wide.data);
    free(out.data);
    free(in.data);
}

/* What follows a part sees that alone. */
TEST(test_chains)
{
    static const char *const behind[] = {"box=9x7",           "transpose crop=20x31+3+2",
                                         "resize=20x20",      "variance=5,border=wrap",
                                         "integral,zeros",    "crop=11x12",
                                         "box=3,border=valid"};
    satf_view in = make_noise(90, 70, 3, SATF_U8, 5), first = apply(ctx, "crop=51x43+7+20", &in);
    for (size_t k = 0; k < sizeof behind / sizeof *behind; k++) {
        char spec[96];
        satf_view want = apply(ctx, behind[k], &first);
        snprintf(spec, sizeof spec, "crop=51x43+7+20 %s", behind[k]);
        satf_view all = apply(ctx, spec, &in);
        require_same(spec, &all, &want);

        SCOPED_FILTER *filter = parse_filter(ctx, spec);
        satf_rect where = {all.width / 3, 1, all.width - all.width / 3, all.height - 1};
        satf_view part = satf_view_rect(&all, where), out = part;
        out.stride = out.width * (int64_t)pixel_bytes(&out);
        out.data = malloc((size_t)(out.stride * out.height));
        assert_int_equal(satf_filter_apply_rect(ctx, filter, &in, &where, &out), SATF_OK);
        require_same(spec, &out, &part);
        free(out.data);
        free(want.data);
        free(all.data);
    }
    free(first.data);
    first = apply(ctx, "box=5x9", &in);
    satf_view want = apply(ctx, "crop=30x20+1+50", &first),
              all = apply(ctx, "box=5x9 crop=30x20+1+50", &in);
    require_same("box, crop", &all, &want);
    check_rows(ctx, "box=5x9 crop=30x20+1+50", &in, &want);
    free(want.data);
    want = apply(ctx, "box=7x3", &all);
    check_rows(ctx, "box=5x9 crop=30x20+1+50 box=7x3", &in, &want);
    free(want.data);
    free(all.data);
    free(first.data);
    free(in.data);
}

TEST(test_stack)
{
    enum { IMAGES = 5 };
    satf_view in = make_noise(40, 30 * IMAGES, 2, SATF_U16, 3);
    in.height = 30;
    SCOPED_FILTER *filter = parse_filter(ctx, "crop=13x11+20+4");
    satf_view out = make_output(ctx, filter, &in);
    out.data = realloc(out.data, (size_t)(IMAGES * out.stride * out.height));
    assert_int_equal(satf_filter_apply_stack(ctx, filter, &in, 30 * in.stride, &out,
                                             out.stride * out.height, IMAGES),
                     SATF_OK);
    for (int k = 0; k < IMAGES; k++) {
        satf_view from = in, made = out;
        from.data = (char *)in.data + k * 30 * in.stride;
        made.data = (char *)out.data + k * out.stride * out.height;
        from = satf_view_rect(&from, (satf_rect){20, 4, 13, 11});
        require_same("a stack", &made, &from);
    }
    free(out.data);
    free(in.data);
}

TEST(test_errors)
{
    static const char *const wrong[] = {"5",        "5x",      "x5",           "0x5",
                                        "5x0",      "5x5+1",   "5x5+1+",       "5x5++1",
                                        "5x5+1+-2", "5x5-1-2", "-5x5",         "5x5+1+2+3",
                                        "5x5!",     "50%",     "5.0x5",        "5x5+1.5+2",
                                        "5inx5in",  "5x5 ",    "2147483648x1", "1x1+2147483648+0",
                                        "5x5+x"};
    satf_filter *filter;
    satf_view in = satf_view_packed(NULL, 100, 51, 1, SATF_U8), out;
    assert_int_equal(satf_filter_create(ctx, "crop", &filter), SATF_OK);
    assert_int_equal(satf_filter_output(ctx, filter, &in, &out), SATF_INVALID);
    assert_string_equal(satf_message(ctx), "crop has no part yet");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        if (satf_filter_set(ctx, filter, "part", wrong[i]) != SATF_INVALID ||
            !strstr(satf_message(ctx), "' is no part for crop: 640x480 pixels are possible")) {
            fail_msg("%s: %s", wrong[i], satf_message(ctx));
        }
    }
    satf_filter_destroy(filter);
    static const char *const outside[][2] = {
        {"101x51", "crop takes 101 x 51 pixels, and the picture has 100 x 51"},
        {"1x52+0+0", "crop takes 1 x 52 pixels, and the picture has 100 x 51"},
        {"50x51+51+0", "crop takes 50 x 51 pixels from column 51 and row 0 on, which leaves the "
                       "picture of 100 x 51"},
        {"1x1+0+51",
         "crop takes 1 x 1 pixels from column 0 and row 51 on, which leaves the picture "
         "of 100 x 51"},
        {"1x1+2147483647+2147483647",
         "crop takes 1 x 1 pixels from column 2147483647 and row 2147483647 on, which leaves the "
         "picture of 100 x 51"},
    };
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        char spec[64];
        snprintf(spec, sizeof spec, "crop=%s", outside[i][0]);
        filter = parse_filter(ctx, spec);
        assert_int_equal(satf_filter_output(ctx, filter, &in, &out), SATF_INVALID);
        assert_string_equal(satf_message(ctx), outside[i][1]);
        satf_filter_destroy(filter);
    }
    satf_rows *rows;
    filter = parse_filter(ctx, "crop=10x10");
    assert_int_equal(satf_filter_output(ctx, filter, &in, &out), SATF_OK);
    assert_int_equal(satf_rows_open_any_height(ctx, filter, &in, &out, &rows), SATF_UNSUPPORTED);
    assert_non_null(strstr(satf_message(ctx), "crop needs to know the picture's height"));
    satf_filter_destroy(filter);
}

TEST(test_text)
{
    static const char *const specs[] = {"crop=5x7", "crop=5x7+0+0", "crop=5x7+12+3 grey",
                                        "crop=2147483647x2147483647+2147483647+2147483647"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        char text[96];
        SCOPED_FILTER *filter = parse_filter(ctx, specs[i]);
        satf_filter_print(filter, text, sizeof text);
        assert_string_equal(text, specs[i]);
    }
}

/* Sides are those of the part, resolutions stay. */
TEST(test_metadata)
{
    unsigned char block[] = {
        'I',  'I', '*', 0,    8,  0, 0,    0,    2,  0, /* at 8 a directory of two entries */
        0x1a, 1,   5,   0,    1,  0, 0,    0,    68, 0, 0,    0,    0x69, 0x87, 4, 0,
        1,    0,   0,   0,    38, 0, 0,    0,    0,  0, 0,    0, /* at 38 EXIF's: 4000 x 3000 */
        2,    0,   2,   0xa0, 4,  0, 1,    0,    0,  0, 0xa0, 0x0f, 0,    0,    3, 0xa0,
        3,    0,   1,   0,    0,  0, 0xb8, 0x0b, 0,  0, 0,    0,    0,    0, /* at 68 a fraction */
        44,   1,   0,   0,    1,  0, 0,    0,
    };
    satf_metadata m = {.has_resolution = true,
                       .resolution_x = 11811,
                       .resolution_y = 7874,
                       .resolution_unit = 1,
                       .exif = block,
                       .exif_bytes = sizeof block};
    satf_view in = satf_view_packed(NULL, 4000, 3000, 1, SATF_U8);
    SCOPED_FILTER *filter = parse_filter(ctx, "crop=640x480+10+20");
    filter_change_metadata(filter, &in, &m);
    assert_true(m.resolution_x == 11811 && m.resolution_y == 7874);
    assert_int_equal(block[48] | block[49] << 8, 640);
    assert_int_equal(block[60] | block[61] << 8, 480);
    assert_int_equal(block[68] | block[69] << 8, 300);
    assert_int_equal(block[72], 1);
}

/* ------------------------------------------------------------------------- grey */

static ref_wide wide_sample(const satf_view *view, const char *at)
{
    uint64_t u64 = 0;
    memcpy(&u64, at, satf_type_bytes(view->type));
    return (ref_wide)u64;
}

static double real_sample(const satf_view *view, const char *at)
{
    float f32;
    double f64;
    memcpy(&f32, at, sizeof f32);
    memcpy(&f64, at, view->type == SATF_F32 ? sizeof f32 : sizeof f64);
    return view->type == SATF_F32 ? (double)f32 : f64;
}

/* The grey of a pixel, in its type, by 128 bits or in double. */
static void ref_grey(const satf_view *in, const char *pixel, char *to)
{
    size_t bytes = satf_type_bytes(in->type);
    const char *g = pixel + bytes, *b = g + bytes;
    if (satf_type_is_float(in->type)) {
        double grey = 0.299 * real_sample(in, pixel) + 0.587 * real_sample(in, g);
        grey += 0.114 * real_sample(in, b);
        float narrow = (float)grey;
        memcpy(to, in->type == SATF_F32 ? (void *)&narrow : (void *)&grey, bytes);
        return;
    }
    ref_wide sum = 299 * wide_sample(in, pixel) + 587 * wide_sample(in, g);
    uint64_t grey = (uint64_t)((sum + 114 * wide_sample(in, b) + 500) / 1000);
    memcpy(to, &grey, bytes);
}

/* Random bytes, that is all samples and halves; floats that are numbers; some of the greatest. */
static satf_view make_colours(int channels, int type, uint64_t seed)
{
    satf_view view = make_noise(53, 31, channels, type, seed);
    for (int64_t y = 0; y < view.height; y++) {
        for (int64_t i = 0; i < satf_row_samples(&view); i++) {
            char *at = (char *)satf_row(&view, y) + (size_t)i * satf_type_bytes(type);
            double value = (double)(ref_random(&seed) >> 30) / 1e6 - 8000;
            float narrow = (float)value;
            if (satf_type_is_float(type)) {
                memcpy(at, type == SATF_F32 ? (void *)&narrow : (void *)&value,
                       satf_type_bytes(type));
            } else if (y % 5 == 0) {
                memset(at, i % 7 ? 0xff : 0, satf_type_bytes(type));
            }
        }
    }
    return view;
}

static void check_grey(satf_context *ctx, const satf_view *in)
{
    size_t bytes = satf_type_bytes(in->type);
    bool alpha = in->flags & SATF_ALPHA;
    satf_view out = apply(ctx, "grey", in);
    assert_true(out.channels == 1 + alpha && out.type == in->type && out.flags == in->flags);
    for (int64_t i = 0; i < in->width * in->height; i++) {
        const char *pixel =
            (char *)satf_row(in, i / in->width) + (size_t)(i % in->width) * pixel_bytes(in);
        const char *got =
            (char *)satf_row(&out, i / in->width) + (size_t)(i % in->width) * pixel_bytes(&out);
        char want[16];
        if (in->channels < 3) {
            memcpy(want, pixel, bytes);
        } else {
            ref_grey(in, pixel, want);
        }
        if (memcmp(got, want, bytes) != 0 ||
            (alpha && memcmp(got + bytes, pixel + pixel_bytes(in) - bytes, bytes) != 0)) {
            fail_msg("%d channels of %s, %s: pixel %" PRId64, (int)in->channels,
                     satf_type_name(in->type), satf_isa_name(satf_cpu_isa()), i);
        }
    }
    check_rows(ctx, "grey", in, &out);
    free(out.data);
}

TEST(test_grey)
{
    uint64_t seed = 7;
    satf_isa best = satf_cpu_isa();
    for (int isa = 0; isa <= (int)best; isa++) {
        satf_cpu_limit((satf_isa)isa);
        for (int type = SATF_U8; type <= SATF_F64; type++) {
            for (int channels = 1; channels <= 4; channels++) {
                satf_view in = make_colours(channels, type, seed++);
                in.flags = channels % 2 ? 0 : SATF_ALPHA;
                satf_context_set_threads(ctx, 1 + (int)(seed % 3));
                check_grey(ctx, &in);
                free(in.data);
            }
        }
    }
    satf_cpu_limit(SATF_ISA_COUNT);
}

/* Colours that a filter to black and white sees are this grey. */
TEST(test_one_grey)
{
    satf_view in = make_colours(4, SATF_U16, 3);
    in.flags = SATF_ALPHA;
    satf_view want = apply(ctx, "sauvola=9", &in), got = apply(ctx, "grey sauvola=9", &in);
    require_same("grey in front", &got, &want);
    free(got.data);
    free(want.data);
    free(in.data);
    satf_view two = satf_view_packed(NULL, 5, 5, 2, SATF_U8), out; /* of no colours */
    SCOPED_FILTER *filter = parse_filter(ctx, "grey");
    assert_int_equal(satf_filter_output(ctx, filter, &two, &out), SATF_UNSUPPORTED);
    assert_non_null(strstr(satf_message(ctx), "grey wants grey or RGB"));
}
