/* kuwahara by its definition: four windows summed one by one in 128-bit integers, whose variances
 * are compared as fractions. */
#include "test.h"

#include "base/cpu.h"
#include "base/parallel.h"
#include "sums/choice/varied.h"
#include "model.h"

enum { WINDOWS = 4 };

/* The windows that have the pixel in a corner. */
typedef struct kuwahara_case {
    model_case of;
    model_sums windows[WINDOWS];
} kuwahara_case;

static void sum_windows(kuwahara_case *c)
{
    const model_case *of = &c->of;
    for (int k = 0; k < WINDOWS; k++) {
        satf_rect rect = {k % 2 ? 0 : 1 - of->w, k / 2 ? 0 : 1 - of->h, of->w, of->h};
        c->windows[k] = model_sum(&of->image, of->border, of->constant, rect);
    }
}

static void release(kuwahara_case *c)
{
    for (int k = 0; k < WINDOWS; k++) {
        model_sums_free(&c->windows[k]);
    }
    free(c->of.image.samples);
}

/* Whether a / b < c / d, of numbers below 2^127. */
static bool is_less(satf_u128 a, satf_u128 b, satf_u128 c, satf_u128 d)
{
    satf_u128 left = a / b, right = c / d;
    return left != right ? left < right : a % b * d < c % d * b; /* b and d are below 2^64 */
}

/* A window's variance as over / under; under 0: it is infinite. */
static void vary(const model_sums *of, int64_t pixel, satf_u128 *over, satf_u128 *under)
{
    int channels = of->image->channels, colours = channels - of->image->alpha;
    ref_wide weight = 0, spread = 0;
    for (int lane = 0; lane < colours; lane++) {
        model_moments m = model_moments_at(of, pixel * channels + lane);
        weight = m.weight;
        spread += m.weight * m.square - m.sum * m.sum;
    }
    *over = (satf_u128)spread;
    *under = (satf_u128)(weight * weight);
}

static int choose(const model_sums *windows, int64_t pixel)
{
    satf_u128 over[WINDOWS], under[WINDOWS];
    int best = 0;
    for (int k = 0; k < WINDOWS; k++) {
        vary(&windows[k], pixel, &over[k], &under[k]);
        bool less =
            under[k] && (!under[best] || is_less(over[k], under[k], over[best], under[best]));
        best = less ? k : best;
    }
    return best;
}

/* How far from the variance others of floats are alike: docs/filters.md. */
static double room_of(const model_sums *of, int64_t pixel, double variance)
{
    int channels = of->image->channels, colours = channels - of->image->alpha;
    double size = 0, unit = of->image->type == SATF_F32 ? 0x1p-24 : 0x1p-53;
    for (int lane = 0; lane < colours; lane++) {
        model_moments m = model_moments_at(of, pixel * channels + lane);
        size += (double)m.square / (double)m.weight;
    }
    return fmin(variance / 64, fmax(variance * 0x1p-30, 3 * unit * sqrt(variance * size)));
}

/* Floats may come from any window that varies no more, or counts as alike. */
static bool may_choose(const model_sums *windows, int best, int k, int64_t pixel)
{
    satf_u128 over[2], under[2];
    if (satf_type_max(windows->image->type)) {
        return k == best;
    }
    vary(&windows[best], pixel, &over[0], &under[0]);
    vary(&windows[k], pixel, &over[1], &under[1]);
    if (!under[0] || !under[1]) {
        return !under[0];
    }
    double least = (double)over[0] / (double)under[0], other = (double)over[1] / (double)under[1];
    double room = room_of(&windows[best], pixel, least) + room_of(&windows[k], pixel, other);
    return other - least <= room * (1 + 1e-9);
}

static bool is_mean(const model_sums *of, int64_t i, double got, double *want)
{
    model_moments m = model_moments_at(of, i);
    int type = of->image->type;
    if (satf_type_max(type)) {
        *want = (double)model_round(m.sum, m.weight);
        return got == *want;
    }
    *want = m.weight ? (double)m.sum / (double)m.weight / REF_UNIT : 0;
    return fabs(got - *want) <= (type == SATF_F32 ? 1e-6 : 1e-12) * (1 + fabs(*want));
}

/* The samples of a pixel come one after the other, and from one window. */
static bool is_right(const void *user, const model_place *at, double got, double *want)
{
    const model_sums *windows = ((const kuwahara_case *)user)->windows;
    int channels = windows->image->channels;
    static bool possible[WINDOWS];
    int64_t pixel = at->i / channels;
    double other;
    int best = choose(windows, pixel);
    bool right = false;
    for (int k = 0; k < WINDOWS; k++) {
        bool before = at->channel ? possible[k] : may_choose(windows, best, k, pixel);
        possible[k] = before && is_mean(&windows[k], at->i, got, &other);
        right |= possible[k];
    }
    is_mean(&windows[best], at->i, got, want);
    return right;
}

/* Means of integers as they are. */
static bool is_exact(const void *user, const model_place *at, double got, double *want)
{
    const model_sums *windows = ((const kuwahara_case *)user)->windows;
    int best = choose(windows, at->i / windows->image->channels);
    model_moments m = model_moments_at(&windows[best], at->i);
    *want = m.weight ? (double)m.sum / (double)m.weight : 0;
    return got == *want;
}

/* Each instruction set, and of integers tables, and results of a type of their own. */
static void check_case(satf_context *ctx, kuwahara_case *c, int how)
{
    bool real = model_is_real(&c->of);
    model_fill(&c->of.image, how, c->of.seed);
    sum_windows(c);
    MODEL_CHECK(ctx, .of = &c->of, .name = "kuwahara", .right = is_right, .user = c,
                .ways = MODEL_AUTO | MODEL_ISAS | (real ? 0 : MODEL_SAT) | MODEL_PART | MODEL_ROWS |
                        MODEL_IN_TURN);
    if (c->of.image.type == SATF_U8) { /* as rounded */
        MODEL_CHECK(ctx, .of = &c->of, .name = "kuwahara", .type = SATF_U16, .right = is_right,
                    .user = c, .ways = MODEL_AUTO);
    }
    if (!real) {
        MODEL_CHECK(ctx, .of = &c->of, .name = "kuwahara", .type = SATF_F64, .right = is_exact,
                    .user = c, .ways = MODEL_AUTO);
    }
    release(c);
}

TEST(test_cases)
{
    for (uint64_t seed = 1; seed <= 600; seed++) {
        uint64_t r = seed;
        bool large = model_pick(&r, 10) == 0;
        kuwahara_case c = {.of = model_draw(&r, large ? 300 : 40, large ? 40 : 20, 10)};
        c.of.seed = seed;
        check_case(ctx, &c, model_pick(&r, MODEL_FILLS));
    }
}

/* Sums whose squares are just above what doubles hold, or below; rows that are chosen in parts. */
TEST(test_exactness)
{
    for (uint64_t seed = 1; seed <= 8; seed++) {
        int64_t side = seed % 4 ? 41 : 31;
        kuwahara_case c = {.of = {.seed = seed, .w = side, .h = side}};
        c.of.image = (ref_image){560, 12, 1 + (int)(seed % 2) * 2, SATF_U16, 0, NULL};
        check_case(ctx, &c, MODEL_NEAR);
    }
}

/* Windows of which several vary alike in bytes are chosen among alike where these are divided by
 * 255, and rounded by that. */
static bool is_part_of_255(const void *user, const model_place *at, double got, double *want)
{
    const model_sums *windows = ((const kuwahara_case *)user)->windows;
    model_moments m = model_moments_at(&windows[choose(windows, at->i)], at->i);
    *want = (double)m.sum / (double)m.weight / 255;
    return fabs(got - *want) <= 1e-6;
}

TEST(test_bytes)
{
    enum { W = 60, H = 40 };
    for (uint64_t seed = 1; seed <= 60; seed++) {
        uint64_t r = seed;
        int levels = 2 + model_pick(&r, 4), first = model_pick(&r, 250),
            side = 2 + model_pick(&r, 4);
        static double memory[W * H];
        satf_view in = satf_view_packed(memory, W, H, 1, model_pick(&r, 2) ? SATF_F32 : SATF_F64);
        kuwahara_case c = {.of = {.image = {W, H, 1, SATF_U8, 0, NULL}, .w = side, .h = side}};
        ref_fill(&c.of.image, seed);
        for (int i = 0; i < H * W; i++) {
            c.of.image.samples[i] = first + model_pick(&r, levels);
            put_at(&in, 0, i, (double)c.of.image.samples[i] / 255);
        }
        sum_windows(&c);
        SCOPED_FILTER *filter = model_filter(ctx, &c.of, "kuwahara", "");
        MODEL_CHECK(ctx, .filter = filter, .in = in, .ways = MODEL_AUTO, .right = is_part_of_255,
                    .user = &c, .seed = seed);
        release(&c);
    }
}

/* Of floats: the windows on the left and on the right of the middle vary alike, but for rounding.
 * The first counts. */
static bool is_of_left(const void *user, const model_place *at, double got, double *want)
{
    const satf_view *in = user;
    *want = 0;
    for (int64_t x = 0; x < 7; x++) {
        *want += sample_at(in, at->y, x) / 7;
    }
    return at->x != 6 || fabs(got - *want) < 1e-9;
}

TEST(test_alike)
{
    enum { W = 2 * 7 - 1, H = 200 };
    static double samples[H][W];
    uint64_t seed = 1;
    for (int y = 0; y < H; y++) {
        for (int x = 0; x < 7; x++) {
            samples[y][x] = x == 6 ? 0.5 : (double)(ref_random(&seed) >> 40) / 3e7;
            samples[y][W - 1 - x] = 1 - samples[y][x];
        }
    }
    satf_view in = satf_view_packed(samples, W, H, 1, SATF_F64);
    MODEL_CHECK(ctx, .spec = "kuwahara=7x1", .in = in, .ways = MODEL_AUTO, .right = is_of_left,
                .user = &in);
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
    SCOPED_FILTER *none;
    for (int k = 0; k < 2; k++) {
        expect(ctx, satf_filter_parse(ctx, k ? "kuwahara=256" : "kuwahara=3x256", &none),
               SATF_INVALID, "a side is 1 to 255 pixels");
    }
}

TEST_FILE(.shared = true)
