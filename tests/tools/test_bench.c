/* satbench's reference results: they accept what is right and find what is not. */
#include "test.h"

#include "base/memory.h"
#include "base/view.h"
#include "tools/satbench/bench.h"

#define WIDTH 23
#define HEIGHT 17
#define CHANNELS 2

static const int inputs[] = {SATF_U8, SATF_U16, SATF_F32, SATF_F64};

static double sample(const satf_view *view, int64_t x, int64_t y, int c)
{
    const char *row = satf_row(view, y < 0 ? 0 : y >= HEIGHT ? HEIGHT - 1 : y);
    int64_t i = (x < 0 ? 0 : x >= WIDTH ? WIDTH - 1 : x) * CHANNELS + c;
    switch (view->type) {
    case SATF_U8:
        return ((const uint8_t *)row)[i];
    case SATF_U16:
        return ((const uint16_t *)(const void *)row)[i];
    case SATF_F32:
        return ((const float *)(const void *)row)[i];
    default:
        return ((const double *)(const void *)row)[i];
    }
}

/* The sum over a rectangle by its definition; exact in double at this size. */
static double sum(const satf_view *in, satf_rect r, int c, bool squares)
{
    double total = 0;
    for (int64_t y = r.y; y < r.y + r.h; y++) {
        for (int64_t x = r.x; x < r.x + r.w; x++) {
            double a = sample(in, x, y, c);
            total += squares ? a * a : a;
        }
    }
    return total;
}

static double filtered(const satf_view *in, const char *filter, int window, int64_t x, int64_t y,
                       int c)
{
    satf_rect r = {x - window / 2, y - window / 2, window, window};
    double area = (double)window * window;
    double s = sum(in, r, c, false), s2 = sum(in, r, c, true);
    if (strcmp(filter, "box") == 0) {
        return s / area;
    }
    if (strcmp(filter, "template") == 0) {
        satf_rect left = r;
        left.w = window - window / 2;
        return 2 * sum(in, left, c, false) - s;
    }
    double variance = (area * s2 - s * s) / (area * area);
    return strcmp(filter, "stddev") == 0 ? sqrt(variance) : variance;
}

static void make_input(satf_view *in, int type)
{
    *in = satf_view_packed(NULL, WIDTH, HEIGHT, CHANNELS, (satf_type)type);
    in->data = satf_alloc((size_t)(in->stride * HEIGHT));
    assert_non_null(in->data);
    bench_fill(in);
}

TEST(finds_errors_in_sats)
{
    for (size_t t = 0; t < sizeof inputs / sizeof *inputs; t++) {
        static double sums[HEIGHT * WIDTH * CHANNELS];
        static uint64_t integers[HEIGHT * WIDTH * CHANNELS];
        bool is_float = satf_type_is_float(inputs[t]);
        satf_view in, out;
        make_input(&in, inputs[t]);
        out = satf_view_packed(is_float ? (void *)sums : (void *)integers, WIDTH, HEIGHT, CHANNELS,
                               is_float ? SATF_F64 : SATF_U64);
        for (int i = 0; i < HEIGHT * WIDTH * CHANNELS; i++) {
            int64_t x = i / CHANNELS % WIDTH, y = i / CHANNELS / WIDTH;
            sums[i] = sum(&in, (satf_rect){0, 0, x + 1, y + 1}, i % CHANNELS, false);
            integers[i] = (uint64_t)sums[i];
        }
        assert_null(bench_check_sat(&in, &out));
        int last = HEIGHT * WIDTH * CHANNELS - 1;
        sums[last] = nextafter(sums[last], 0);
        integers[last]--;
        assert_non_null(bench_check_sat(&in, &out));
        satf_free(in.data);
    }
}

TEST(finds_errors_in_filters)
{
    static const char *const filters[] = {"box", "variance", "stddev", "template"};
    static const int windows[] = {1, 4, 5, 40};
    for (size_t t = 0; t < sizeof inputs / sizeof *inputs; t++) {
        satf_view in;
        make_input(&in, inputs[t]);
        for (size_t k = 0; k < 32; k++) {
            static double values[HEIGHT * WIDTH * CHANNELS];
            const char *filter = filters[k / 4 % 4];
            bool of_table = k >= 16;
            int window = windows[k % 4], last = HEIGHT * WIDTH * CHANNELS - 1;
            for (int i = 0; i <= last; i++) {
                values[i] = filtered(&in, filter, window, i / CHANNELS % WIDTH,
                                     i / CHANNELS / WIDTH, i % CHANNELS);
            }
            satf_view out = satf_view_packed(values, WIDTH, HEIGHT, CHANNELS, SATF_F64);
            const char *problem = bench_check_filter(filter, window, &in, &out, of_table);
            if (problem) {
                fail_msg("%s %d of %s: %s", filter, window, satf_type_name(inputs[t]), problem);
            }
            values[last] += 1e-6 + 1e-6 * fabs(values[last]);
            assert_non_null(bench_check_filter(filter, window, &in, &out, of_table));
            values[last] = NAN;
            assert_non_null(bench_check_filter(filter, window, &in, &out, of_table));
        }
        satf_free(in.data);
    }
}

TEST(rounds_means_halves_up)
{
    uint8_t pixels[2] = {3, 4}, means[2] = {3, 4}; /* windows of 2: columns x - 1, x */
    satf_view in = satf_view_packed(pixels, 2, 1, 1, SATF_U8);
    satf_view out = satf_view_packed(means, 2, 1, 1, SATF_U8);
    assert_null(bench_check_filter("box", 2, &in, &out, false));
    means[1] = 3;
    assert_non_null(bench_check_filter("box", 2, &in, &out, false));
}

TEST(knows_its_filters)
{
    assert_true(bench_can_check("box"));
    assert_true(bench_can_check("integral"));
    assert_false(bench_can_check("nonsense"));
}

/* A result of any filter is held against another engine's. */
TEST(compares_engines)
{
    enum { SIDE = 40 };
    SCOPED_FILTER *filter;
    uint8_t pixels[SIDE * SIDE], result[SIDE * SIDE];
    satf_view in = satf_view_packed(pixels, SIDE, SIDE, 1, SATF_U8), out = in;
    out.data = result;
    for (int i = 0; i < SIDE * SIDE; i++) {
        pixels[i] = (uint8_t)(i * i >> 4);
    }
    assert_int_equal(satf_filter_parse(ctx, "guided=5", &filter), SATF_OK);
    assert_int_equal(satf_filter_apply(ctx, filter, &in, &out), SATF_OK);
    assert_null(bench_check_by_tables(filter, &in, &out));
    result[SIDE * SIDE - 1]++;
    assert_non_null(bench_check_by_tables(filter, &in, &out));
}
