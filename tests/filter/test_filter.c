/* Every filter, type, channel count, border, window and engine against the definition. */
#include "test.h"
#include "base/parallel.h"
#include "filter_check.h"

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

static void check_windows(satf_context *ctx, test_case *t)
{
    const ref_image *image = &t->image;
    size_t n = (size_t)ref_count(image), pixels = (size_t)(image->width * image->height);
    SCOPED ref_wide *sums = malloc(n * sizeof *sums), *squares = malloc(n * sizeof *squares);
    SCOPED int64_t *area = malloc(pixels * sizeof *area);
    double *want[3];
    for (int k = 0; k < 3; k++) {
        want[k] = malloc(n * sizeof **want);
    }
    satf_rect rect = {t->at_x - t->w / 2, t->at_y - t->h / 2, t->w, t->h};
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
        SCOPED_FILTER *filter;
        assert_int_equal(satf_filter_create(ctx, names[k], &filter), SATF_OK);
        assert_int_equal(satf_filter_set_int(ctx, filter, "width", t->w), SATF_OK);
        assert_int_equal(satf_filter_set_int(ctx, filter, "height", t->h), SATF_OK);
        assert_int_equal(
            satf_filter_set_border(ctx, filter, (satf_border)t->border, constant_of(t)), SATF_OK);
        set_place(ctx, t, filter);
        /* Products that no double holds round otherwise around a shift. Samples are below 2. */
        t->slack = is_real(t) && k > 0 ? 64 * 0x1p-53 : 0;
        t->slack_of_squares = k == 2;
        check(ctx, t, filter, names[k], 2, want[k]);
        t->slack = 0;
        free(want[k]);
    }
}

TEST(test_windows)
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
        check_geometry(ctx, geometries[i].width, geometries[i].height, geometries[i].w,
                       geometries[i].h, i * 1000, check_windows);
    }
}

/* Longer rows, where the vector loops run: one layout per type in turn. */
TEST(test_long_rows)
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
            check_windows(ctx, &t);
            free(t.image.samples);
        }
    }
}

/* Windows that lie beside their pixel, which they contain. */
static void check_places(satf_context *ctx, test_case *t)
{
    for (int corner = 0; corner < 4; corner++) {
        t->at_x = corner & 1 ? t->w / 2 : t->w / 2 - t->w + 1;
        t->at_y = corner & 2 ? t->h / 2 : t->h / 2 - t->h + 1;
        check_windows(ctx, t);
    }
}

TEST(test_places)
{
    check_geometry(ctx, 13, 17, 5, 4, 50, check_places);
    check_geometry(ctx, 9, 3, 12, 31, 60, check_places);
    SCOPED_FILTER *filter;
    satf_view in = satf_view_packed(NULL, 9, 9, 1, SATF_U8), out = in;
    size_t bytes;
    assert_int_equal(satf_filter_parse(ctx, "box=4x5,at=3:0", &filter), SATF_INVALID);
    assert_non_null(strstr(satf_message(ctx), "-1 to 2 and -2 to 2"));
    assert_int_equal(satf_filter_parse(ctx, "box=4x5,at=2:0", &filter), SATF_OK);
    assert_int_equal(satf_filter_set(ctx, filter, "size", "3x5"), SATF_OK); /* no more inside */
    assert_int_equal(satf_filter_scratch(ctx, filter, &in, &out, &bytes), SATF_INVALID);
    assert_non_null(strstr(satf_message(ctx), "-1 to 1 and -2 to 2"));
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
    SCOPED double *want = calloc(n, sizeof *want);
    SCOPED ref_wide *sums = malloc(n * sizeof *sums);
    SCOPED int64_t *area = malloc(pixels * sizeof *area);
    for (size_t k = 0; k < sizeof rects / sizeof *rects; k++) {
        ref_sums(&plain, t->border, t->constant, rects[k].rect, REF_PLAIN, sums, area);
        for (size_t i = 0; i < n; i++) {
            double sum = (double)sums[i] * ref_unit(&plain, REF_PLAIN, 0);
            double term = rects[k].weight * sum;
            want[i] += term;
        }
    }
    SCOPED_FILTER *filter;
    assert_int_equal(satf_filter_create(ctx, "template", &filter), SATF_OK);
    assert_int_equal(satf_filter_set_rects(ctx, filter, rects, sizeof rects / sizeof *rects),
                     SATF_OK);
    assert_int_equal(satf_filter_set_border(ctx, filter, (satf_border)t->border, constant_of(t)),
                     SATF_OK);
    check(ctx, t, filter, "template", 1, want);
}

TEST(test_template)
{
    check_geometry(ctx, 1, 1, 3, 3, 1, check_template);
    check_geometry(ctx, 1, 9, 3, 2, 2, check_template);
    check_geometry(ctx, 11, 1, 2, 5, 3, check_template);
    check_geometry(ctx, 2, 2, 4, 5, 4, check_template);
    check_geometry(ctx, 23, 19, 16, 15, 5, check_template);
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
        SCOPED double *want = malloc(n * sizeof *want);
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
            SCOPED_FILTER *filter;
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
        }
        free(in.data);
    }
}

TEST(test_integral)
{
    check_geometry(ctx, 1, 1, 1, 1, 1, check_integral);
    check_geometry(ctx, 1, 31, 1, 1, 2, check_integral);
    check_geometry(ctx, 37, 1, 1, 1, 3, check_integral);
    check_geometry(ctx, 19, 23, 1, 1, 4, check_integral);
}

TEST_FILE(.shared = true)
