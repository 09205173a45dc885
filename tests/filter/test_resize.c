/* Fewer pixels, and squares of one colour, against their definition: overlaps of pixels, counted
 * one by one. */
#include "test.h"

#include "base/cpu.h"
#include "io/meta/exif.h"
#include "base/image.h"
#include "base/parallel.h"
#include "chain/filter.h"
#include "ways.h"
#include "sums/cells/cells.h"

/* ------------------------------------------------------------------ definition */

/* What [a, a + n) and [b, b + m) share. */
static int64_t shared(int64_t a, int64_t n, int64_t b, int64_t m)
{
    int64_t from = a > b ? a : b, to = a + n < b + m ? a + n : b + m;
    return to > from ? to - from : 0;
}

static int64_t divisor(int64_t a, int64_t b)
{
    return b ? divisor(b, a % b) : a;
}

/* An interval of pixels along an axis, in so many parts of one. */
typedef struct interval {
    int64_t from, length, parts;
} interval;

/* Of channel c: the samples, by their shares in both intervals and by alpha if that weighs, and the
 * weights. */
static void sum_cell(const ref_image *in, interval x, interval y, int c, ref_wide *sum,
                     ref_wide *weight)
{
    for (int64_t j = y.from / y.parts; j < in->height && j * y.parts < y.from + y.length; j++) {
        for (int64_t i = x.from / x.parts; i < in->width && i * x.parts < x.from + x.length; i++) {
            const int64_t *pixel = in->samples + (j * in->width + i) * in->channels;
            ref_wide share = shared(x.from, x.length, i * x.parts, x.parts);
            share *= shared(y.from, y.length, j * y.parts, y.parts);
            share *= in->alpha && c < in->channels - 1 ? pixel[in->channels - 1] : 1;
            *sum += share * pixel[c];
            *weight += share;
        }
    }
}

/* The sample of an exact result; of floats the sum of weights is inverted, in units of the weight
 * that pixels have. */
static double mean_of(const ref_image *in, ref_wide sum, ref_wide weight, int64_t least, int c)
{
    if (weight == 0) {
        return 0;
    }
    if (!satf_type_is_float(in->type)) {
        return (double)((2 * sum + weight) / (2 * weight));
    }
    double unit = in->alpha && c < in->channels - 1 ? REF_UNIT : 1;
    double mean = (double)(sum / least) / REF_UNIT / unit * (1 / ((double)(weight / least) / unit));
    return in->type == SATF_F32 ? (double)(float)mean : mean;
}

/* ----------------------------------------------------------------------- cases */

typedef struct size_case {
    int64_t W, H, w, h;
} size_case;

/* One pixel; of the same size; primes; 2, 3 and 4 times, across and down; sums of all widths; rows
 * that go by parts, and of several segments. */
static const size_case sizes[] = {
    {1, 1, 1, 1},      {7, 5, 1, 1},     {7, 5, 7, 5},        {97, 31, 13, 7},    {64, 48, 32, 16},
    {66, 33, 22, 11},  {280, 16, 70, 4}, {131, 67, 130, 66},  {33, 200, 11, 3},   {600, 2, 7, 1},
    {1031, 3, 520, 3}, {17, 1, 5, 1},    {3, 521, 2, 1},      {40, 3, 20, 3},     {1201, 4, 300, 2},
    {9000, 13, 7, 2},  {3, 65541, 2, 2}, {9000, 15, 3000, 3}, {8200, 6, 2050, 3}, {700, 4, 350, 2},
};
enum { SIZES = sizeof sizes / sizeof *sizes };

typedef struct test_case {
    const size_case *size;
    int channels, alpha, type, threads;
    bool squares; /* w x h is a cell's size, not the result's */
} test_case;

static double mean_at(const test_case *t, const ref_image *in, int64_t X, int64_t Y, int c)
{
    const size_case *s = t->size;
    ref_wide sum = 0, weight = 0;
    interval x = {X * in->width, in->width, s->w}, y = {Y * in->height, in->height, s->h};
    if (t->squares) { /* the cell of w x h pixels that (X, Y) is in */
        x = (interval){X - X % s->w, s->w, 1};
        y = (interval){Y - Y % s->h, s->h, 1};
    }
    sum_cell(in, x, y, c, &sum, &weight);
    int64_t least = t->squares ? 1 : divisor(in->width, s->w) * divisor(in->height, s->h);
    return mean_of(in, sum, weight, least, c);
}

/* A square's mean is found once, at its first pixel. */
static void define(const test_case *t, const ref_image *image, const satf_view *out)
{
    int64_t n = satf_row_samples(out);
    for (int64_t i = 0; i < out->height * n; i++) {
        int64_t x = i % n / t->channels, y = i / n;
        bool above = t->squares && y % t->size->h, left = t->squares && x % t->size->w;
        put_at(out, y, i % n,
               above  ? sample_at(out, y - 1, i % n)
               : left ? sample_at(out, y, i % n - t->channels)
                      : mean_at(t, image, x, y, (int)(i % t->channels)));
    }
}

static void run_case(satf_context *ctx, const test_case *t, uint64_t seed)
{
    const size_case *s = t->size;
    ref_image image = {s->W, s->H, t->channels, t->type, t->alpha, NULL};
    char spec[64];
    ref_fill(&image, seed);
    SCOPED int64_t *samples = image.samples;
    if (seed % 5 == 0) { /* all full: the largest sums */
        for (int64_t i = 0; i < ref_count(&image) && !satf_type_is_float(t->type); i++) {
            samples[i] = (int64_t)satf_type_max(t->type);
        }
    }
    SCOPED_VIEW in = ref_view(&image, seed % 3 ? 0 : 8);
    snprintf(spec, sizeof spec, "%s=%ldx%ld%s", t->squares ? "pixelate" : "resize", (long)s->w,
             (long)s->h, t->squares ? "" : "!");
    MUST(ctx, satf_context_set_threads(ctx, t->threads));
    satf_view like = satf_view_packed(NULL, t->squares ? s->W : s->w, t->squares ? s->H : s->h,
                                      t->channels, (satf_type)t->type);
    SCOPED_VIEW want = view_like(&like, 0);
    define(t, &image, &want);
    check_ways(ctx, spec, &in, &want);
}

/* Of each size all types by each instruction set; layouts and threads in turn. */
TEST(test_definition)
{
    static const int layouts[][2] = {{1, 0}, {2, 0}, {2, 1}, {3, 0}, {4, 0}, {4, 1}};
    enum { ISAS = SATF_ISA_COUNT, ALL = (int)SIZES * 6 * 4 * ISAS * 3 };
    static pairs met;
    satf_isa best = satf_cpu_isa();
    satf_share_anything();
    for (int k = 0; k < ALL; k++) {
        int z = k % (int)SIZES, l = k / (int)SIZES % 6, type = (k + k / (int)SIZES) % 4;
        int isa = k / (int)(SIZES * 6 * 4) % ISAS, threads = (k + k / 6) % 3 + 1;
        test_case t = {&sizes[z], layouts[l][0], layouts[l][1], ref_types[type], threads, false};
        if (isa <= (int)best && PAIRS_ONLY(&met, z, l, isa * 4 + type, threads)) {
            satf_cpu_limit((satf_isa)isa);
            run_case(ctx, &t, (uint64_t)k);
            t.squares = true;
            run_case(ctx, &t, (uint64_t)k);
        }
    }
    satf_cpu_limit(SATF_ISA_COUNT);
}

/* Sums that need more than 32 bits of a picture that is not huge, and more than 64. */
TEST(test_wide_sums)
{
    test_case t = {&(size_case){4103, 4111, 2, 3}, 1, 0, SATF_U8, 2, false};
    run_case(ctx, &t, 5);
    /* columns of 8 bits, the sum of more than 32 */
    satf_view long_row = satf_view_packed(NULL, 17000000, 1, 1, SATF_U8);
    SCOPED_VIEW row = view_like(&long_row, UINT8_MAX), one = made_by(ctx, "resize=1x1", &row);
    assert_int_equal(*(uint8_t *)one.data, UINT8_MAX);
    cells_axis across = cells_axis_of(5, 2);
    uint64_t columns[5];
    satf_u128 sums[2], most = UINT64_MAX;
    memset(columns, 0xff, sizeof columns);
    const cells_kernels *kernels = SATF_ISA_CHOOSE(&cells_kernels);
    kernels->sum(SATF_SUM_U64, SATF_SUM_U128)(&across, columns, 1, 0, 2, sums);
    assert_true(sums[0] == 5 * most && sums[1] == 5 * most);
}

/* What is not finite becomes the mean of the pixels that it is a part of: also of 1.5 pixels, of
 * which the third is in two, and not of the second, which ends where it begins. */
TEST(test_not_finite)
{
    static const double none = (double)INFINITY;
    static const struct {
        const char *spec;
        double samples[6], want[4];
    } cases[] = {
        {"resize=3x1", {1, 2, none, 4, 5, 6}, {1.5, none, 5.5}},
        {"resize=4x1", {3, 3, none, 3, 3, 3}, {3, none, 3, 3}},
        {"resize=4x1", {3, 3, 3, none, 3, 3}, {3, 3, none, 3}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        satf_view in = satf_view_packed((void *)(uintptr_t)cases[i].samples, 6, 1, 1, SATF_F64);
        SCOPED_VIEW out = made_by(ctx, cases[i].spec, &in);
        assert_memory_equal(out.data, cases[i].want, (size_t)out.stride);
    }
}

/* ------------------------------------------------------------------- the shape */

TEST(test_shapes)
{
    static const struct {
        const char *spec;
        int64_t width, height;
        const char *print;
    } cases[] = {
        {"resize=33%", 33, 17, NULL},
        {"crop=5x7", 5, 7, NULL},
        {"crop=5x7+0+0", 5, 7, NULL},
        {"crop=5x7+12+3 grey", 5, 7, NULL},
        {"crop=2147483647x2147483647+2147483647+2147483647", 0, 0, NULL}, /* no such picture */
        {"resize=33%x100%", 33, 51, NULL},
        {"resize=0.1%", 1, 1, NULL},
        {"resize=50%", 50, 26, NULL}, /* 25.5: half up */
        {"resize=100%", 100, 51, NULL},
        {"resize=33.3333%", 33, 17, NULL},
        {"resize=50.50%x7", 51, 7, "resize=50.5%x7"},
        {"resize=9x9!", 9, 9, NULL},
        {"resize=9x9", 9, 5, NULL},                   /* 4.59 */
        {"resize=99x17", 33, 17, NULL},               /* 33.33 */
        {"resize=25X9999", 25, 13, "resize=25x9999"}, /* 12.75 */
        {"resize=9999x2", 4, 2, NULL},                /* 3.9 */
        {"resize=1x1", 1, 1, NULL},                   /* at least 1 */
        {"resize=100x2147483647", 100, 51, NULL},
        {"resize=2147483647x2147483647", 100, 51, NULL},
        {"resize=60x", 60, 31, NULL},         /* 30.6 */
        {"resize=50X", 50, 26, "resize=50x"}, /* 25.5: half up */
        {"resize=x17", 33, 17, NULL},
        {"resize=x51", 100, 51, NULL},
        {"resize=x1", 2, 1, NULL}, /* 1.96 */
        {"resize=20x transpose resize=x15", 8, 15, NULL},
        {"resize=50% transpose resize=50%", 13, 25, NULL},
        {"box=3,border=valid resize=50%", 49, 25, NULL},
        {"resize=50% integral,zeros", 51, 27, NULL},
    };
    satf_view in = satf_view_packed(NULL, 100, 51, 1, SATF_U8), out;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        SCOPED_FILTER *filter = parse_filter(ctx, cases[i].spec);
        char text[128];
        satf_filter_print(filter, text, sizeof text);
        out = (satf_view){0};
        satf_filter_output(ctx, filter, &in, &out);
        if (out.width != cases[i].width || out.height != cases[i].height) {
            fail_msg("%s: %ld x %ld", cases[i].spec, (long)out.width, (long)out.height);
        }
        assert_string_equal(text, cases[i].print ? cases[i].print : cases[i].spec);
    }
}

/* A box is filled on one side at least, by no more than it holds, and the other side is the nearest
 * to the proportions; no picture becomes larger. */
TEST(test_boxes)
{
    enum { MOST = 13 };
    for (int64_t k = 0; k < MOST * MOST * MOST * MOST; k++) {
        int64_t W = 1 + k % MOST, H = 1 + k / MOST % MOST, w = 1 + k / (MOST * MOST) % MOST,
                h = 1 + k / (MOST * MOST * MOST);
        char spec[64];
        snprintf(spec, sizeof spec, "resize=%ldx%ld", (long)w, (long)h);
        satf_view in = satf_view_packed(NULL, W, H, 1, SATF_U8), out;
        SCOPED_FILTER *filter = parse_filter(ctx, spec);
        MUST(ctx, satf_filter_output(ctx, filter, &in, &out));
        int64_t x = out.width, y = out.height, across = llabs(2 * (x * H - y * W));
        bool small = W <= w && H <= h;
        bool near =
            across <= W || across <= H || (x == 1 && 2 * y * W < H) || (y == 1 && 2 * x * H < W);
        if (small ? x != W || y != H : x > w || y > h || (x != w && y != h) || !near) {
            fail_msg("%s of %ld x %ld: %ld x %ld", spec, (long)W, (long)H, (long)x, (long)y);
        }
    }
}

TEST(test_errors)
{
    static const char *const wrong[] = {
        "33",      "33%x", "x",     "0x5",    "5x0",   "0%",         "x5%",   "0x",
        "x0",      "xx5",  "5xx",   "101%",   "5x5x5", "-5x5",       "1.5x2", "5in",
        "3inx3in", "%",    "5x5%%", "33 %",   "1e1x5", "0.0000001%", "!",     "5!",
        "5x!",     "x5!",  "50%!",  "5x50%!", "5x5!!", "5!x5",       "5x5! "};
    SCOPED_FILTER *resize, *none;
    MUST(ctx, satf_filter_create(ctx, "resize", &resize));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        expect(ctx, satf_filter_set(ctx, resize, "size", wrong[i]), SATF_INVALID,
               ", which makes pictures smaller: write 300x for a width, x300 for a height, ");
        assert_non_null(strstr(satf_message(ctx), wrong[i]));
    }
    expect(ctx, satf_filter_parse(ctx, "box=33%", &none), SATF_INVALID, "33%");
    satf_view in = satf_view_packed(NULL, 100, 51, 1, SATF_U8), out;
    static const char *const large[] = {"resize=100x52!", "100 x 52",       "resize=2147483647x1!",
                                        "2147483647 x 1", "resize=101x50%", "101 x 26"};
    for (size_t i = 0; i < sizeof large / sizeof *large; i += 2) {
        char want[128];
        SCOPED_FILTER *filter = parse_filter(ctx, large[i]);
        snprintf(want, sizeof want,
                 "resize makes no picture wider or higher: %s pixels are asked "
                 "for, of 100 x 51",
                 large[i + 1]);
        expect(ctx, satf_filter_output(ctx, filter, &in, &out), SATF_INVALID, want);
    }
}

/* 1024x768, 1024x and x768 are for pictures of all sizes: a smaller one stays as it is. */
TEST(test_small)
{
    static const char *const specs[] = {"resize=101x",   "resize=x52",    "resize=2147483647x",
                                        "resize=100x",   "resize=x51",    "resize=101x52",
                                        "resize=100x51", "resize=100x52", "resize=100x51!"};
    SCOPED_VIEW in = draw_bytes(100, 51, 1, SATF_U8, 0, 1);
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        SCOPED_VIEW out = made_by(ctx, specs[i], &in);
        require_same(specs[i], "a smaller one", &out, &in);
    }
}

/* A picture whose height is not known yet has no half. */
TEST(test_any_height)
{
    static const char *const specs[] = {"resize=50%", "resize=30x", "resize=x30"};
    satf_view in = satf_view_packed(NULL, 100, 50, 1, SATF_U8), out;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        SCOPED_FILTER *filter = parse_filter(ctx, specs[i]);
        satf_rows *rows;
        MUST(ctx, satf_filter_output(ctx, filter, &in, &out));
        expect(ctx, satf_rows_open_any_height(ctx, filter, &in, &out, &rows), SATF_UNSUPPORTED,
               "resize needs to know the picture's height");
    }
}

/* ---------------------------------------------------------------------- chains */

TEST(test_chains)
{
    SCOPED_VIEW in = draw_image(301, 203, 3, SATF_U8, 0, 0, 3);
    check_halves(ctx, "box=5", "resize=111x70!", &in);
    check_halves(ctx, "box=5 resize=111x70!", "box=3x7,border=wrap", &in);
    check_halves(ctx, "box=5 resize=111x70!", "transpose", &in);
}

/* -------------------------------------------------------------------- metadata */

/* A little-endian EXIF block: resolutions 300/1 and 200/1, in the directory of EXIF 4000 x 3000. */
static const unsigned char exif[] = {
    'I',  'I',  '*', 0,    8,    0, 0, 0, 3,    0, /* */
    0x1a, 1,    5,   0,    1,    0, 0, 0, 80,   0,    0,    0,    0x1b, 1, 5, 0, 1, 0, 0, 0, 88,
    0,    0,    0,   0x69, 0x87, 4, 0, 1, 0,    0,    0,    50,   0,    0, 0, 0, 0, 0, 0, /* */
    2,    0,    2,   0xa0, 4,    0, 1, 0, 0,    0,    0xa0, 0x0f, 0,    0,                /* */
    3,    0xa0, 3,   0,    1,    0, 0, 0, 0xb8, 0x0b, 0,    0,    0,    0, 0, 0,          /* */
    44,   1,    0,   0,    1,    0, 0, 0, 200,  0,    0,    0,    1,    0, 0, 0,
};

/* Sides are those of the result. Resolutions go with the size of its pixels: those of a part stay.
 */
TEST(test_metadata)
{
    static const struct {
        const char *spec;
        double x, y, exif_x, exif_y; /* dots an m */
        int width, height;
    } cases[] = {
        {"resize=1000x1500! transpose resize=1500x500!", 7874 / 2., 11811 / 8., 100 / 0.0254,
         37.5 / 0.0254, 1500, 500},
        {"crop=640x480+10+20", 11811, 7874, 300 / 0.0254, 200 / 0.0254, 640, 480},
    };
    satf_view in = satf_view_packed(NULL, 4000, 3000, 1, SATF_U8);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned char block[sizeof exif];
        double x, y;
        int unit;
        memcpy(block, exif, sizeof exif);
        satf_metadata m = {.has_resolution = true,
                           .resolution_x = 11811,
                           .resolution_y = 7874,
                           .resolution_unit = 1,
                           .exif = block,
                           .exif_bytes = sizeof block};
        SCOPED_FILTER *filter = parse_filter(ctx, cases[i].spec);
        filter_change_metadata(filter, &in, &m);
        assert_true(m.resolution_x == cases[i].x && m.resolution_y == cases[i].y);
        assert_true(satf_exif_resolution(block, m.exif_bytes, &x, &y, &unit));
        assert_true(fabs(x - cases[i].exif_x) < 1e-6 && fabs(y - cases[i].exif_y) < 1e-6);
        assert_int_equal(block[60] | block[61] << 8, cases[i].width);
        assert_int_equal(block[72] | block[73] << 8, cases[i].height);
    }
}
