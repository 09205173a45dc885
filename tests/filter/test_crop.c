/* A part of the picture, and its grey, pixel by pixel: of all types and layouts, as a whole, by
 * rows, by parts and in chains. */
#include "test.h"

#include "base/cpu.h"
#include "chain/filter.h"
#include "ways.h"

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

TEST(test_parts)
{
    uint64_t seed = 1;
    for (int k = 0; k < (SATF_F64 + 1) * 4; k++) {
        int channels = k % 4 + 1;
        SCOPED_VIEW in = draw_bytes(61, 39, channels, k / 4, 5, seed++);
        in.flags = channels % 2 ? 0 : SATF_ALPHA;
        for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
            char spec[64];
            satf_view want =
                satf_view_rect(&in, (satf_rect){parts[p].x, parts[p].y, parts[p].w, parts[p].h});
            snprintf(spec, sizeof spec, "crop=%s", parts[p].part);
            satf_context_set_threads(ctx, 1 + (int)(seed + p) % 3);
            check_ways(ctx, spec, &in, &want);
        }
    }
}

/* Into another type, of pixels that are apart. */
TEST(test_apart)
{
    SCOPED_VIEW in = draw_bytes(3000, 900, 3, SATF_U8, 5, 9);
    satf_view apart = in, like = satf_view_packed(NULL, 500, 60, 1, SATF_F32);
    apart.width /= 2; /* one channel of every other pixel */
    apart.channels = 1;
    apart.pixel_stride = 6;
    SCOPED_VIEW wide = view_like(&like, 0);
    SCOPED_FILTER *part = parse_filter(ctx, "crop=500x60+1000+840");
    MUST(ctx, satf_filter_apply(ctx, part, &apart, &wide));
    for (int64_t i = 0; i < 500 * 60; i++) {
        int pixel = (uint8_t)*pixel_at(&apart, 1000 + i % 500, 840 + i / 500);
        assert_int_equal(((float *)wide.data)[i], pixel);
    }
}

/* What follows a part sees that alone; and a part of what comes before. */
TEST(test_chains)
{
    static const char *const chains[][2] = {
        {"crop=51x43+7+20", "box=9x7"},
        {"crop=51x43+7+20", "transpose crop=20x31+3+2"},
        {"crop=51x43+7+20", "resize=20x20"},
        {"crop=51x43+7+20", "variance=5,border=wrap"},
        {"crop=51x43+7+20", "integral,zeros"},
        {"crop=51x43+7+20", "crop=11x12"},
        {"crop=51x43+7+20", "box=3,border=valid"},
        {"box=5x9", "crop=30x20+1+50"},
        {"box=5x9 crop=30x20+1+50", "box=7x3"},
    };
    SCOPED_VIEW in = draw_bytes(90, 70, 3, SATF_U8, 5, 5);
    for (size_t k = 0; k < sizeof chains / sizeof *chains; k++) {
        check_halves(ctx, chains[k][0], chains[k][1], &in);
    }
}

TEST(test_errors)
{
    static const char *const wrong[] = {"5",        "5x",      "x5",           "0x5",
                                        "5x0",      "5x5+1",   "5x5+1+",       "5x5++1",
                                        "5x5+1+-2", "5x5-1-2", "-5x5",         "5x5+1+2+3",
                                        "5x5!",     "50%",     "5.0x5",        "5x5+1.5+2",
                                        "5inx5in",  "5x5 ",    "2147483648x1", "1x1+2147483648+0",
                                        "5x5+x"};
    SCOPED_FILTER *crop;
    satf_view in = satf_view_packed(NULL, 100, 51, 1, SATF_U8), out;
    MUST(ctx, satf_filter_create(ctx, "crop", &crop));
    expect(ctx, satf_filter_output(ctx, crop, &in, &out), SATF_INVALID, "crop has no part yet");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        expect(ctx, satf_filter_set(ctx, crop, "part", wrong[i]), SATF_INVALID,
               "' is no part for crop: 640x480 pixels are possible");
    }
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
        MUST(ctx, satf_filter_set(ctx, crop, "part", outside[i][0]));
        expect(ctx, satf_filter_output(ctx, crop, &in, &out), SATF_INVALID, outside[i][1]);
    }
    satf_rows *rows;
    SCOPED_FILTER *filter = parse_filter(ctx, "crop=10x10");
    MUST(ctx, satf_filter_output(ctx, filter, &in, &out));
    expect(ctx, satf_rows_open_any_height(ctx, filter, &in, &out, &rows), SATF_UNSUPPORTED,
           "crop needs to know the picture's height");
}

/* ------------------------------------------------------------------------- grey */

static ref_wide whole_at(const satf_view *view, const char *at)
{
    uint64_t u64 = 0;
    memcpy(&u64, at, satf_type_bytes(view->type));
    return (ref_wide)u64;
}

/* The grey of pixel (x, y), in its type, by 128 bits or in double. */
static void ref_grey(const satf_view *in, int64_t x, int64_t y, char *to)
{
    size_t bytes = satf_type_bytes(in->type);
    const char *r = pixel_at(in, x, y), *g = r + bytes, *b = g + bytes;
    if (in->channels < 3) {
        memcpy(to, r, bytes);
    } else if (satf_type_is_float(in->type)) {
        double grey = 0.299 * sample_at(in, y, x * in->channels);
        grey += 0.587 * sample_at(in, y, x * in->channels + 1);
        grey += 0.114 * sample_at(in, y, x * in->channels + 2);
        float narrow = (float)grey;
        memcpy(to, in->type == SATF_F32 ? (void *)&narrow : (void *)&grey, bytes);
    } else {
        ref_wide sum = 299 * whole_at(in, r) + 587 * whole_at(in, g) + 114 * whole_at(in, b);
        uint64_t grey = (uint64_t)((sum + 500) / 1000);
        memcpy(to, &grey, bytes);
    }
}

/* Random bytes, that is all samples and halves; floats that are numbers; some of the greatest. */
static satf_view make_colours(int channels, int type, uint64_t seed)
{
    satf_view view = draw_bytes(53, 31, channels, type, 5, seed);
    for (int64_t y = 0; y < view.height; y++) {
        for (int64_t i = 0; i < satf_row_samples(&view); i++) {
            size_t bytes = satf_type_bytes(type);
            if (satf_type_is_float(type)) {
                put_at(&view, y, i, (double)(ref_random(&seed) >> 30) / 1e6 - 8000);
            } else if (y % 5 == 0) {
                memset((char *)satf_row(&view, y) + (size_t)i * bytes, i % 7 ? 0xff : 0, bytes);
            }
        }
    }
    return view;
}

static void check_grey(satf_context *ctx, const satf_view *in)
{
    size_t bytes = satf_type_bytes(in->type);
    bool alpha = in->flags & SATF_ALPHA;
    satf_view like = satf_view_packed(NULL, in->width, in->height, 1 + alpha, (satf_type)in->type);
    SCOPED_VIEW want = view_like(&like, 0);
    for (int64_t i = 0; i < in->width * in->height; i++) {
        int64_t x = i % in->width, y = i / in->width;
        char *to = pixel_at(&want, x, y);
        ref_grey(in, x, y, to);
        if (alpha) {
            memcpy(to + bytes, pixel_at(in, x, y) + (size_t)(in->channels - 1) * bytes, bytes);
        }
    }
    check_ways(ctx, "grey", in, &want);
    SCOPED_FILTER *grey = parse_filter(ctx, "grey");
    MUST(ctx, satf_filter_output(ctx, grey, in, &like));
    assert_int_equal(like.flags, in->flags);
}

TEST(test_grey)
{
    uint64_t seed = 7;
    satf_isa best = satf_cpu_isa();
    for (int isa = 0; isa <= (int)best; isa++) {
        satf_cpu_limit((satf_isa)isa);
        for (int k = 0; k < (SATF_F64 + 1) * 4; k++) {
            SCOPED_VIEW in = make_colours(k % 4 + 1, k / 4, seed++);
            in.flags = in.channels % 2 ? 0 : SATF_ALPHA;
            satf_context_set_threads(ctx, 1 + (int)(seed % 3));
            check_grey(ctx, &in);
        }
    }
    satf_cpu_limit(SATF_ISA_COUNT);
}

/* Colours that a filter to black and white sees are this grey. */
TEST(test_one_grey)
{
    SCOPED_VIEW in = make_colours(4, SATF_U16, 3);
    in.flags = SATF_ALPHA;
    SCOPED_VIEW want = made_by(ctx, "sauvola=9", &in), got = made_by(ctx, "grey sauvola=9", &in);
    require_same("sauvola=9", "grey in front", &got, &want);
    satf_view two = satf_view_packed(NULL, 5, 5, 2, SATF_U8), out; /* of no colours */
    SCOPED_FILTER *filter = parse_filter(ctx, "grey");
    expect(ctx, satf_filter_output(ctx, filter, &two, &out), SATF_UNSUPPORTED,
           "grey wants grey or RGB");
}
