/* kuwahara by its definition: four windows summed one by one in 128-bit integers, whose variances
 * are compared as fractions. */
#include "test.h"

#include "base/cpu.h"
#include "base/parallel.h"
#include "filter/varied.h"
#include "filter_reference.h"

enum { WINDOWS = 4, BORDERS = SATF_SHRINK + 1 };
static const char *const borders[BORDERS] = {
    [SATF_CLAMP] = "clamp", [SATF_MIRROR] = "mirror",       [SATF_REFLECT] = "reflect",
    [SATF_WRAP] = "wrap",   [SATF_CONSTANT] = "constant:1", [SATF_SHRINK] = "shrink",
};

/* What samples are like. NEAR: the largest or the one below it, alphas too, so that variances are
 * near to one another. */
enum { ANY, FEW, NEAR, WHITE, BLACK, FILLS };

typedef struct kuwahara_case {
    ref_image image;
    int border, fill;
    int64_t w, h;
    uint64_t seed;
} kuwahara_case;

typedef struct window {
    ref_wide *sums, *squares;
    int64_t *area;
} window;

static void fill(ref_image *image, int how, uint64_t seed)
{
    ref_fill(image, seed);
    int64_t max = (int64_t)satf_type_max(image->type);
    max = max ? max : 8 * (int64_t)REF_UNIT;
    for (int64_t i = 0; how != ANY && i < ref_count(image); i++) {
        int64_t bit = (int64_t)(ref_random(&seed) >> 20 & 1);
        image->samples[i] = how == FEW ? bit : how == NEAR ? max - bit : how == WHITE ? max : 0;
    }
}

/* Whether a / b < c / d, of numbers below 2^127. */
static bool is_less(satf_u128 a, satf_u128 b, satf_u128 c, satf_u128 d)
{
    satf_u128 left = a / b, right = c / d;
    return left != right ? left < right : a % b * d < c % d * b; /* b and d are below 2^64 */
}

/* A window's variance as over / under; under 0: it is infinite. */
static void vary(const kuwahara_case *c, const window *of, int64_t pixel, satf_u128 *over,
                 satf_u128 *under)
{
    int channels = c->image.channels, colours = channels - c->image.alpha;
    ref_wide weight = c->image.alpha ? of->sums[pixel * channels + colours] : of->area[pixel];
    ref_wide spread = 0;
    for (int lane = 0; lane < colours; lane++) {
        ref_wide sum = of->sums[pixel * channels + lane];
        spread += weight * of->squares[pixel * channels + lane] - sum * sum;
    }
    *over = (satf_u128)spread;
    *under = (satf_u128)(weight * weight);
}

static int choose(const kuwahara_case *c, const window *windows, int64_t pixel)
{
    satf_u128 over[WINDOWS], under[WINDOWS];
    int best = 0;
    for (int k = 0; k < WINDOWS; k++) {
        vary(c, &windows[k], pixel, &over[k], &under[k]);
        bool less =
            under[k] && (!under[best] || is_less(over[k], under[k], over[best], under[best]));
        best = less ? k : best;
    }
    return best;
}

/* How far from the variance others of floats are alike: docs/design.md. */
static double room_of(const kuwahara_case *c, const window *of, int64_t pixel, double variance)
{
    int channels = c->image.channels, colours = channels - c->image.alpha;
    double weight =
        (double)(c->image.alpha ? of->sums[pixel * channels + colours] : of->area[pixel]);
    double size = 0, unit = c->image.type == SATF_F32 ? 0x1p-24 : 0x1p-53;
    for (int lane = 0; lane < colours; lane++) {
        size += (double)of->squares[pixel * channels + lane] / weight;
    }
    return fmin(variance / 64, fmax(variance * 0x1p-30, 3 * unit * sqrt(variance * size)));
}

/* Floats may come from any window that varies no more, or counts as alike. */
static bool may_choose(const kuwahara_case *c, const window *windows, int best, int k,
                       int64_t pixel)
{
    satf_u128 over[2], under[2];
    if (satf_type_max(c->image.type)) {
        return k == best;
    }
    vary(c, &windows[best], pixel, &over[0], &under[0]);
    vary(c, &windows[k], pixel, &over[1], &under[1]);
    if (!under[0] || !under[1]) {
        return !under[0];
    }
    double least = (double)over[0] / (double)under[0], other = (double)over[1] / (double)under[1];
    double room = room_of(c, &windows[best], pixel, least) + room_of(c, &windows[k], pixel, other);
    return other - least <= room * (1 + 1e-9);
}

static bool is_mean(const kuwahara_case *c, const window *of, int64_t pixel, int lane,
                    const void *got)
{
    int channels = c->image.channels, type = c->image.type;
    bool weighted = c->image.alpha && lane < channels - 1;
    ref_wide sum = of->sums[pixel * channels + lane];
    ref_wide weight = weighted ? of->sums[pixel * channels + channels - 1] : of->area[pixel];
    int64_t i = pixel * channels + lane;
    if (type == SATF_U8 || type == SATF_U16) {
        ref_wide mean = weight ? (2 * sum + weight) / (2 * weight) : 0;
        return mean == (type == SATF_U8 ? ((const uint8_t *)got)[i] : ((const uint16_t *)got)[i]);
    }
    double value = type == SATF_F32 ? (double)((const float *)got)[i] : ((const double *)got)[i];
    double mean = weight ? (double)sum / (double)weight / REF_UNIT : 0;
    return fabs(value - mean) <= (type == SATF_F32 ? 1e-6 : 1e-12) * (1 + fabs(mean));
}

static void compare(const kuwahara_case *c, const window *windows, const void *got, int way)
{
    for (int64_t i = 0; i < c->image.width * c->image.height; i++) {
        int best = choose(c, windows, i);
        bool right = false;
        for (int k = 0; k < WINDOWS && !right; k++) {
            right = may_choose(c, windows, best, k, i);
            for (int lane = 0; lane < c->image.channels; lane++) {
                right = right && is_mean(c, &windows[k], i, lane, got);
            }
        }
        if (!right) {
            fail_msg("seed %lu, %s of %d%s, %ld x %ld, fill %d, %ldx%ld %s, way %d: wrong at (%ld, "
                     "%ld), where window %d varies least",
                     (unsigned long)c->seed, satf_type_name(c->image.type), c->image.channels,
                     c->image.alpha ? " with alpha" : "", (long)c->image.width,
                     (long)c->image.height, c->fill, (long)c->w, (long)c->h, borders[c->border],
                     way, (long)(i % c->image.width), (long)(i / c->image.width), best);
        }
    }
}

static void sum_windows(const kuwahara_case *c, window *windows)
{
    size_t count = (size_t)ref_count(&c->image);
    int64_t constant = satf_type_max(c->image.type) ? 1 : REF_UNIT;
    for (int k = 0; k < WINDOWS; k++) {
        satf_rect rect = {k % 2 ? 0 : 1 - c->w, k / 2 ? 0 : 1 - c->h, c->w, c->h};
        window *to = &windows[k];
        *to = (window){malloc(count * sizeof *to->sums), malloc(count * sizeof *to->squares),
                       malloc(count * sizeof *to->area)};
        ref_sums(&c->image, c->border, constant, rect, c->image.alpha ? REF_WEIGHTED : REF_PLAIN,
                 to->sums, to->area);
        ref_sums(&c->image, c->border, constant, rect,
                 c->image.alpha ? REF_WEIGHTED_SQUARE : REF_SQUARE, to->squares, to->area);
    }
}

static void free_windows(const window *windows)
{
    for (int k = 0; k < WINDOWS; k++) {
        free(windows[k].sums);
        free(windows[k].squares);
        free(windows[k].area);
    }
}

/* The ways: each instruction set, and of integers tables. */
static void check_case(satf_context *ctx, kuwahara_case *c)
{
    char spec[100];
    window windows[WINDOWS];
    satf_filter *filter;
    fill(&c->image, c->fill, c->seed);
    sum_windows(c, windows);
    satf_view in = ref_view(&c->image, 3 * (int64_t)satf_type_bytes(c->image.type)), out = in;
    out.stride = satf_row_samples(&out) * (int64_t)satf_type_bytes(out.type);
    out.data = malloc((size_t)(out.stride * out.height));
    snprintf(spec, sizeof spec, "kuwahara=%ldx%ld,border=%s", (long)c->w, (long)c->h,
             borders[c->border]);
    assert_int_equal(satf_filter_parse(ctx, spec, &filter), SATF_OK);
    for (int way = !satf_type_max(c->image.type); way <= SATF_ISA_COUNT; way++) {
        satf_cpu_limit((satf_isa)way);
        satf_context_set_engine(ctx, way == 0 ? SATF_ENGINE_SAT : SATF_ENGINE_AUTO);
        memset(out.data, 0xA5, (size_t)(out.stride * out.height));
        if (satf_filter_apply(ctx, filter, &in, &out)) {
            fail_msg("%s: %s", spec, satf_message(ctx));
        }
        compare(c, windows, out.data, way);
    }
    free_windows(windows);
    satf_filter_destroy(filter);
    free(in.data);
    free(out.data);
    free(c->image.samples);
}

static int pick(uint64_t *seed, int count)
{
    return (int)((ref_random(seed) >> 33) % (uint64_t)count);
}

TEST(test_cases)
{
    static const int types[] = {SATF_U8, SATF_U8, SATF_U16, SATF_U16, SATF_F32, SATF_F64};
    static const int64_t sides[] = {1, 2, 3, 4, 5, 7, 8, 15, 39, 255};
    satf_context_set_threads(ctx, 2);
    for (uint64_t seed = 1; seed <= 1500; seed++) {
        uint64_t r = seed;
        kuwahara_case c = {.seed = seed, .border = pick(&r, BORDERS), .fill = pick(&r, FILLS)};
        bool large = pick(&r, 10) == 0;
        c.image.type = types[pick(&r, 6)];
        c.image.channels = 1 + pick(&r, 4);
        c.image.alpha = c.image.channels % 2 == 0 && pick(&r, 2);
        c.image.width = 1 + pick(&r, large ? 300 : 40);
        c.image.height = 1 + pick(&r, large ? 40 : 20);
        c.w = sides[pick(&r, 10)];
        c.h = pick(&r, 3) ? c.w : sides[pick(&r, 10)];
        check_case(ctx, &c);
    }
}

/* Sums whose squares are just above what doubles hold, or below; rows that are chosen in parts. */
TEST(test_exactness)
{
    for (uint64_t seed = 1; seed <= 8; seed++) {
        int64_t side = seed % 4 ? 41 : 31;
        kuwahara_case c = {.seed = seed, .fill = NEAR, .w = side, .h = side};
        c.image = (ref_image){560, 12, 1 + (int)(seed % 2) * 2, SATF_U16, 0, NULL};
        check_case(ctx, &c);
    }
}

/* Results of a type of their own: means of bytes as they are. */
TEST(test_types)
{
    kuwahara_case c = {.image = {30, 20, 3, SATF_U8, 0, NULL}, .w = 4, .h = 3, .fill = ANY};
    window windows[WINDOWS];
    satf_filter *filter;
    fill(&c.image, c.fill, 5);
    sum_windows(&c, windows);
    satf_view in = ref_view(&c.image, 0);
    static double means[30 * 20 * 3];
    static uint16_t rounded[30 * 20 * 3];
    satf_view real = satf_view_packed(means, 30, 20, 3, SATF_F64);
    satf_view wide = satf_view_packed(rounded, 30, 20, 3, SATF_U16);
    assert_int_equal(satf_filter_parse(ctx, "kuwahara=4x3", &filter), SATF_OK);
    assert_int_equal(satf_filter_apply(ctx, filter, &in, &real), SATF_OK);
    assert_int_equal(satf_filter_apply(ctx, filter, &in, &wide), SATF_OK);
    for (int64_t i = 0; i < 30 * 20 * 3; i++) {
        const window *best = &windows[choose(&c, windows, i / 3)];
        ref_wide area = best->area[i / 3];
        assert_true(means[i] == (double)best->sums[i] / (double)area);
        assert_int_equal(rounded[i], (int)((2 * best->sums[i] + area) / (2 * area)));
    }
    satf_filter_destroy(filter);
    free_windows(windows);
    free(in.data);
    free(c.image.samples);
}

/* Windows of which several vary alike in bytes are chosen among alike where these are divided by
 * 255, and rounded by that. */
TEST(test_bytes)
{
    enum { W = 60, H = 40 };
    static unsigned char bytes[H * W];
    static union {
        float f32[H * W];
        double f64[H * W];
    } reals, results;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        uint64_t r = seed;
        int levels = 2 + pick(&r, 4), first = pick(&r, 250),
            type = pick(&r, 2) ? SATF_F32 : SATF_F64;
        int side = 2 + pick(&r, 4);
        char spec[32];
        for (int i = 0; i < H * W; i++) {
            bytes[i] = (unsigned char)(first + pick(&r, levels));
            if (type == SATF_F32) {
                reals.f32[i] = (float)bytes[i] / 255;
            } else {
                reals.f64[i] = (double)bytes[i] / 255;
            }
        }
        kuwahara_case c = {.image = {W, H, 1, SATF_U8, 0, NULL}, .w = side, .h = side};
        window windows[WINDOWS];
        c.image.samples = malloc(W * H * sizeof *c.image.samples);
        for (int i = 0; i < H * W; i++) {
            c.image.samples[i] = bytes[i];
        }
        sum_windows(&c, windows);
        satf_view in = satf_view_packed(&reals, W, H, 1, (satf_type)type), out = in;
        SCOPED_FILTER *filter;
        out.data = &results;
        snprintf(spec, sizeof spec, "kuwahara=%d", side);
        assert_int_equal(satf_filter_parse(ctx, spec, &filter), SATF_OK);
        assert_int_equal(satf_filter_apply(ctx, filter, &in, &out), SATF_OK);
        for (int64_t i = 0; i < H * W; i++) {
            const window *best = &windows[choose(&c, windows, i)];
            double right = (double)best->sums[i] / (double)best->area[i] / 255;
            double got = type == SATF_F32 ? (double)results.f32[i] : results.f64[i];
            if (fabs(got - right) > 1e-6) {
                fail_msg("seed %d, %s of %d levels from %d on, window %d: %g, not %g at (%d, %d)",
                         (int)seed, satf_type_name(type), levels, first, side, got, right,
                         (int)(i % W), (int)(i / W));
            }
        }
        free_windows(windows);
        free(c.image.samples);
    }
}

/* Of floats: the windows on the left and on the right of the middle vary alike, but for rounding.
 * The first counts. */
TEST(test_alike)
{
    enum { N = 7, W = 2 * N - 1, H = 200 };
    static double samples[H][W], results[H][W];
    satf_view in = satf_view_packed(samples, W, H, 1, SATF_F64), out = in;
    satf_filter *filter;
    uint64_t seed = 1;
    out.data = results;
    for (int y = 0; y < H; y++) {
        samples[y][N - 1] = 0.5;
        for (int x = 0; x < N - 1; x++) {
            samples[y][x] = (double)(ref_random(&seed) >> 40) / 3e7;
            samples[y][W - 1 - x] = 1 - samples[y][x];
        }
    }
    assert_int_equal(satf_filter_parse(ctx, "kuwahara=7x1", &filter), SATF_OK);
    assert_int_equal(satf_filter_apply(ctx, filter, &in, &out), SATF_OK);
    for (int y = 0; y < H; y++) {
        double sum = 0;
        for (int x = 0; x < N; x++) {
            sum += samples[y][x];
        }
        assert_true(fabs(results[y][N - 1] - sum / N) < 1e-9);
    }
    satf_filter_destroy(filter);
}

/* Variances of the largest windows of 16 bits that alpha weighs, which differ by 2^-63 of
 * them. */
TEST(test_fractions)
{
    varied a = {.spread = ((satf_u128)1 << 97) + 1, .weight = UINT32_MAX}, b = a;
    b.weight--;
    assert_true(varied_less(false, &a, &b));
    assert_false(varied_less(false, &b, &a));
    assert_false(varied_less(false, &a, &a));
    b = a;
    b.spread++;
    assert_true(varied_less(false, &a, &b));
    assert_false(varied_less(false, &b, &a));
    /* equal fractions of other terms */
    a = (varied){.spread = ((satf_u128)3 << 90) * 4, .weight = 6};
    b = (varied){.spread = (satf_u128)3 << 90, .weight = 3};
    assert_false(varied_less(false, &a, &b));
    assert_false(varied_less(false, &b, &a));
    varied nothing = {.spread = 1};
    assert_true(varied_less(false, &a, &nothing));
    assert_false(varied_less(false, &nothing, &a));
    assert_false(varied_less(false, &nothing, &nothing));
}

/* Larger windows have sums that fractions of 128 bits do not hold. */
TEST(test_refusals)
{
    satf_filter *filter;
    assert_int_equal(satf_filter_parse(ctx, "kuwahara=256", &filter), SATF_INVALID);
    assert_int_equal(satf_filter_parse(ctx, "kuwahara=3x256", &filter), SATF_INVALID);
    assert_non_null(strstr(satf_message(ctx), "each 1 to 255 pixels"));
}

TEST_FILE(.shared = true)
