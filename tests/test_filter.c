/* Every filter, type, channel count, border, window and engine against the definition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/parallel.h"
#include "filter_reference.h"
#include "with_context.h"

enum { ALL_BORDERS = SATF_SHRINK + 1 };

static const int sample_types[] = {SATF_U8, SATF_U16, SATF_F32, SATF_F64};
static const struct {
    int channels, alpha;
} layouts[] = {{1, 0}, {2, 0}, {3, 0}, {4, 0}, {2, 1}, {3, 1}, {4, 1}};

typedef struct test_case {
    ref_image image;
    int border;
    int64_t constant;
    int64_t w, h;
    uint64_t seed;
} test_case;

static void describe(const test_case *t, const char *what, int engine, int threads)
{
    print_error("%s: %s %d channels%s, %ld x %ld, window %ld x %ld, border %s (constant %ld), "
                "engine %s, %d threads, seed %lu\n",
                what, satf_type_name(t->image.type), t->image.channels,
                t->image.alpha ? " with alpha" : "", (long)t->image.width, (long)t->image.height,
                (long)t->w, (long)t->h, satf_border_name(t->border), (long)t->constant,
                engine == SATF_ENGINE_SAT ? "sat" : "window", threads, (unsigned long)t->seed);
}

static int is_real(const test_case *t)
{
    return !satf_type_max(t->image.type);
}

/* The sample as a double, whatever its type. */
static double load(int type, const char *from)
{
    uint8_t u8;
    uint16_t u16;
    float f32;
    double f64;
    switch (type) {
    case SATF_U8:
        memcpy(&u8, from, sizeof u8);
        return u8;
    case SATF_U16:
        memcpy(&u16, from, sizeof u16);
        return u16;
    case SATF_F32:
        memcpy(&f32, from, sizeof f32);
        return (double)f32;
    default:
        memcpy(&f64, from, sizeof f64);
        return f64;
    }
}

/* The mean, as the contract words it; float inputs stay floats. */
static double mean(const test_case *t, ref_wide sum, double unit, ref_wide weight,
                   double weight_unit)
{
    if (weight == 0) {
        return 0;
    }
    if (!is_real(t)) {
        return (double)((2 * sum + weight) / (2 * weight));
    }
    double m = (double)sum * unit * (1 / ((double)weight * weight_unit));
    return t->image.type == SATF_F32 ? (double)(float)m : m;
}

static double variance(const test_case *t, ref_wide sum, double unit, ref_wide square,
                       double square_unit, ref_wide weight, double weight_unit)
{
    if (weight == 0) {
        return 0;
    }
    double w = (double)weight * weight_unit;
    if (is_real(t)) {
        double n = w * ((double)square * square_unit) - (double)sum * unit * ((double)sum * unit);
        return (n < 0 ? 0 : n) / (w * w);
    }
    unsigned __int128 n = (unsigned __int128)weight * (unsigned __int128)square -
                          (unsigned __int128)sum * (unsigned __int128)sum;
    return (double)n / (w * w);
}

/* Applies the filter on both engines and compares. want: the expected samples. */
static void check(satf_context *ctx, const test_case *t, satf_filter *filter, const char *name,
                  int engines, const double *want)
{
    static unsigned turn;
    satf_view in = ref_view(&t->image, turn % 3), out;
    for (int engine = SATF_ENGINE_SAT; engine < SATF_ENGINE_SAT + engines; engine++) {
        int threads = (const int[]){1, 2, 5}[turn++ % 3];
        satf_context_set_threads(ctx, threads);
        satf_context_set_engine(ctx, (satf_engine)engine);
        if (satf_filter_output(ctx, filter, &in, &out)) {
            describe(t, name, engine, threads);
            fail_msg("%s", satf_message(ctx));
        }
        size_t bytes = satf_type_bytes(out.type);
        out.stride += turn % 5;
        out.data = malloc((size_t)(out.stride * out.height));
        memset(out.data, 0xa5, (size_t)(out.stride * out.height));
        if (satf_filter_apply(ctx, filter, &in, &out)) {
            describe(t, name, engine, threads);
            fail_msg("%s", satf_message(ctx));
        }
        for (int64_t y = 0; y < out.height; y++) {
            const char *row = satf_row(&out, y);
            for (int64_t i = 0; i < satf_row_samples(&out); i++) {
                double got = load(out.type, row + (size_t)i * bytes);
                double expected = want[y * satf_row_samples(&out) + i];
                if (memcmp(&got, &expected, sizeof got) != 0 && !(got == 0 && expected == 0)) {
                    describe(t, name, engine, threads);
                    fail_msg("first wrong pixel (%ld, %ld) channel %ld: %.17g instead of %.17g",
                             (long)(i / out.channels), (long)y, (long)(i % out.channels), got,
                             expected);
                }
            }
            for (int64_t i = satf_row_samples(&out) * (int64_t)bytes; i < out.stride; i++) {
                if ((unsigned char)row[i] != 0xa5) {
                    describe(t, name, engine, threads);
                    fail_msg("row %ld wrote behind its end", (long)y);
                }
            }
        }
        free(out.data);
    }
    free(in.data);
}

static double constant_of(const test_case *t)
{
    return is_real(t) ? (double)t->constant / REF_UNIT : (double)t->constant;
}

static void check_windows(satf_context *ctx, test_case *t)
{
    const ref_image *image = &t->image;
    size_t n = (size_t)ref_count(image), pixels = (size_t)(image->width * image->height);
    ref_wide *sums = malloc(n * sizeof *sums), *squares = malloc(n * sizeof *squares);
    int64_t *area = malloc(pixels * sizeof *area);
    double *want[3];
    for (int k = 0; k < 3; k++) {
        want[k] = malloc(n * sizeof **want);
    }
    satf_rect rect = {-(t->w / 2), -(t->h / 2), t->w, t->h};
    int kind = image->alpha ? REF_WEIGHTED : REF_PLAIN;
    ref_sums(image, t->border, t->constant, rect, kind, sums, area);
    ref_sums(image, t->border, t->constant, rect, kind + 1, squares, area);
    for (size_t i = 0; i < n; i++) {
        size_t p = i / (size_t)image->channels;
        size_t last = p * (size_t)image->channels + (size_t)image->channels - 1;
        int alpha_lane = image->alpha && i == last;
        double unit = ref_unit(image, kind, alpha_lane);
        ref_wide weight = image->alpha && !alpha_lane ? sums[last] : area[p];
        double weight_unit = image->alpha && !alpha_lane ? ref_unit(image, kind, 1) : 1;
        want[0][i] = mean(t, sums[i], unit, weight, weight_unit);
        if (alpha_lane) {
            double a = (double)sums[i] * unit;
            want[1][i] = want[2][i] = is_real(t) ? a * (1 / (double)area[p]) : a / (double)area[p];
        } else {
            want[1][i] = variance(t, sums[i], unit, squares[i], ref_unit(image, kind + 1, 0),
                                  weight, weight_unit);
            want[2][i] = sqrt(want[1][i]);
        }
    }
    static const char *const names[] = {"box", "variance", "stddev"};
    for (int k = 0; k < 3; k++) {
        satf_filter *filter;
        assert_int_equal(satf_filter_create(ctx, names[k], &filter), SATF_OK);
        assert_int_equal(satf_filter_set_int(ctx, filter, "width", t->w), SATF_OK);
        assert_int_equal(satf_filter_set_int(ctx, filter, "height", t->h), SATF_OK);
        assert_int_equal(
            satf_filter_set_border(ctx, filter, (satf_border)t->border, constant_of(t)), SATF_OK);
        check(ctx, t, filter, names[k], 2, want[k]);
        satf_filter_destroy(filter);
        free(want[k]);
    }
    free(sums);
    free(squares);
    free(area);
}

/* Layouts and constants for one geometry, every type and border. */
static void check_geometry(satf_context *ctx, int64_t width, int64_t height, int64_t w, int64_t h,
                           uint64_t seed, void (*with)(satf_context *, test_case *))
{
    for (size_t type = 0; type < 4; type++) {
        for (size_t k = 0; k < sizeof layouts / sizeof *layouts; k++) {
            test_case t = {.w = w, .h = h, .seed = seed++};
            t.image = (ref_image){
                width, height, layouts[k].channels, sample_types[type], layouts[k].alpha, NULL};
            ref_fill(&t.image, t.seed);
            for (t.border = 0; t.border < ALL_BORDERS; t.border++) {
                t.constant = t.border == SATF_CONSTANT ? 7 + (int64_t)(seed & 127) : 0;
                with(ctx, &t);
            }
            free(t.image.samples);
        }
    }
}

static void test_windows(void **state)
{
    static const struct {
        int64_t width, height, w, h;
    } geometries[] = {
        {1, 1, 1, 1},    {1, 1, 3, 2},     {1, 1, 15, 255},  {1, 23, 3, 3},      {1, 23, 16, 47},
        {29, 1, 2, 2},   {29, 1, 255, 1},  {2, 2, 3, 3},     {2, 3, 16, 15},     {3, 2, 255, 9},
        {13, 17, 1, 1},  {13, 17, 2, 2},   {13, 17, 3, 3},   {13, 17, 15, 4},    {13, 17, 16, 16},
        {13, 17, 40, 3}, {13, 17, 5, 100}, {61, 37, 15, 15}, {31, 41, 255, 255},
    };
    for (size_t i = 0; i < sizeof geometries / sizeof *geometries; i++) {
        check_geometry(*state, geometries[i].width, geometries[i].height, geometries[i].w,
                       geometries[i].h, i * 1000, check_windows);
    }
}

/* Longer rows, where the vector loops run: one layout per type in turn. */
static void test_long_rows(void **state)
{
    static const int64_t windows[][2] = {{3, 3}, {15, 15}, {16, 2}, {17, 17}, {255, 255}};
    for (size_t k = 0; k < 5; k++) {
        for (size_t type = 0; type < 4; type++) {
            size_t layout = (k + type) % (sizeof layouts / sizeof *layouts);
            test_case t = {.w = windows[k][0], .h = windows[k][1], .seed = 5000 + k * 10 + type};
            t.border = (int)((k * 4 + type) % ALL_BORDERS);
            t.constant = t.border == SATF_CONSTANT ? 200 : 0;
            t.image = (ref_image){
                257, 65, layouts[layout].channels, sample_types[type], layouts[layout].alpha, NULL};
            ref_fill(&t.image, t.seed);
            check_windows(*state, &t);
            free(t.image.samples);
        }
    }
}

static void check_template(satf_context *ctx, test_case *t)
{
    ref_image plain = t->image; /* alpha is a channel like the others */
    size_t n = (size_t)ref_count(&plain), pixels = (size_t)(plain.width * plain.height);
    const satf_weighted_rect rects[] = {
        {{-1, -1, 3, 3}, 1.25},
        {{-t->w / 2, 0, t->w, t->h}, -0.1},
        {{2, 3, 1, 1}, 3},
        {{plain.width + 5, -4, 2, 9}, 0.3},
        {{-900, 700, 11, 30}, 1e-3},
        {{-2 * plain.width - 3, -plain.height, 5, 2}, -7},
        {{0, 0, 4 * plain.width + 1, 3 * plain.height + 2}, 0.7},
    };
    double *want = calloc(n, sizeof *want);
    ref_wide *sums = malloc(n * sizeof *sums);
    int64_t *area = malloc(pixels * sizeof *area);
    for (size_t k = 0; k < sizeof rects / sizeof *rects; k++) {
        ref_sums(&plain, t->border, t->constant, rects[k].rect, REF_PLAIN, sums, area);
        for (size_t i = 0; i < n; i++) {
            double sum = (double)sums[i] * ref_unit(&plain, REF_PLAIN, 0);
            double term = rects[k].weight * sum;
            want[i] += term;
        }
    }
    satf_filter *filter;
    assert_int_equal(satf_filter_create(ctx, "template", &filter), SATF_OK);
    assert_int_equal(satf_filter_set_rects(ctx, filter, rects, sizeof rects / sizeof *rects),
                     SATF_OK);
    assert_int_equal(satf_filter_set_border(ctx, filter, (satf_border)t->border, constant_of(t)),
                     SATF_OK);
    check(ctx, t, filter, "template", 1, want);
    satf_filter_destroy(filter);
    free(want);
    free(sums);
    free(area);
}

static void test_template(void **state)
{
    check_geometry(*state, 1, 1, 3, 3, 1, check_template);
    check_geometry(*state, 1, 9, 3, 2, 2, check_template);
    check_geometry(*state, 11, 1, 2, 5, 3, check_template);
    check_geometry(*state, 2, 2, 4, 5, 4, check_template);
    check_geometry(*state, 23, 19, 16, 15, 5, check_template);
}

/* `b`, the SAT by definition, in units of the sums. */
static void check_integral(satf_context *ctx, test_case *t)
{
    if (t->border) {
        return; /* it has none */
    }
    const ref_image *image = &t->image;
    for (int squared = 0; squared < 2; squared++) {
        int kind = squared ? REF_SQUARE : REF_PLAIN;
        size_t n = (size_t)ref_count(image);
        double *want = malloc(n * sizeof *want);
        int64_t row = image->width * image->channels;
        for (int64_t i = 0; i < (int64_t)n; i++) {
            ref_wide sum = 0;
            for (int64_t y = 0; y <= i / row; y++) {
                for (int64_t x = i % image->channels; x <= i % row; x += image->channels) {
                    sum += ref_summand(kind, image->samples[y * row + x], 0, 0);
                }
            }
            want[i] = (double)sum * ref_unit(image, kind, 0);
        }
        static const int out_types[] = {SATF_TYPE_AUTO, SATF_F64, SATF_F32, SATF_U64};
        satf_view in = ref_view(image, 1);
        for (size_t k = 0; k < 4; k++) {
            if (out_types[k] == SATF_U64 && is_real(t)) {
                continue;
            }
            satf_filter *filter;
            satf_view out;
            assert_int_equal(satf_filter_create(ctx, "integral", &filter), SATF_OK);
            assert_int_equal(satf_filter_set_int(ctx, filter, "squared", squared), SATF_OK);
            assert_int_equal(satf_filter_output(ctx, filter, &in, &out), SATF_OK);
            assert_int_equal(out.flags, 0);
            int type = out_types[k] == SATF_TYPE_AUTO ? out.type : out_types[k];
            out =
                satf_view_packed(malloc(n * 8), in.width, in.height, in.channels, (satf_type)type);
            satf_context_set_engine(ctx, SATF_ENGINE_AUTO);
            if (satf_filter_apply(ctx, filter, &in, &out)) {
                describe(t, "integral", SATF_ENGINE_SAT, 0);
                fail_msg("%s", satf_message(ctx));
            }
            for (size_t i = 0; i < n; i++) {
                const void *at = (const char *)out.data + i * satf_type_bytes(type);
                uint32_t u32 = 0;
                uint64_t u64 = 0;
                memcpy(&u32, at, sizeof u32);
                if (satf_type_bytes(type) == 8) {
                    memcpy(&u64, at, sizeof u64);
                }
                double got = type == SATF_U32   ? (double)u32
                             : type == SATF_U64 ? (double)u64
                                                : load(type, at);
                double expected = type == SATF_F32 ? (double)(float)want[i] : want[i];
                if (got != expected) {
                    describe(t, squared ? "integral squared" : "integral", SATF_ENGINE_SAT, 0);
                    fail_msg("as %s, first wrong sample %zu: %.17g instead of %.17g",
                             satf_type_name(type), i, got, expected);
                }
            }
            free(out.data);
            satf_filter_destroy(filter);
        }
        free(in.data);
        free(want);
    }
}

static void test_integral(void **state)
{
    check_geometry(*state, 1, 1, 1, 1, 1, check_integral);
    check_geometry(*state, 1, 31, 1, 1, 2, check_integral);
    check_geometry(*state, 37, 1, 1, 1, 3, check_integral);
    check_geometry(*state, 19, 23, 1, 1, 4, check_integral);
}

int main(void)
{
    satf_share_anything();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_long_rows),
        cmocka_unit_test(test_template),
        cmocka_unit_test(test_integral),
    };
    return cmocka_run_group_tests(tests, create_context, destroy_context) != 0;
}
