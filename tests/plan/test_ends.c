/*
 * The ends of filters: every sample type against the same filter of doubles, and pixels that do not
 * count against pixels that alpha says nothing of. Whole, by rows, and of parts.
 */
#include "test.h"

#include <math.h>

#include "chain/region.h"
#include "base/cpu.h"
#include "formula/adapt_rows.h"
#include "ways.h"

enum { W = 37, H = 29 };

static const int new_types[] = {SATF_I8,  SATF_I16, SATF_I32, SATF_U32,
                                SATF_U64, SATF_I64, SATF_F16, SATF_BF16};

/* Numbers that the type holds: its ends, 0, and others; of 32 and 64 bits below 2^40. */
static double draw_number(int type, uint64_t *random)
{
    double most = satf_type_is_float(type) ? 200 : fmin((double)satf_type_max(type), 0x1p40);
    double least = satf_type_is_float(type) ? -200 : satf_type_is_signed(type) ? -most - 1 : 0;
    int64_t which = pick(random, 0, 9);
    double share = (double)pick(random, 0, 1 << 20) / (1 << 20);
    double number = which == 0   ? most
                    : which == 1 ? least
                    : which == 2 ? 0
                                 : least + share * (most - least);
    return satf_type_is_float(type) ? number : floor(number);
}

/* The same picture in that type and in doubles. */
static satf_view draw_both(int type, int channels, bool alpha, uint64_t seed, satf_view *doubles)
{
    satf_view view = satf_view_packed(NULL, W, H, channels, (satf_type)type);
    view.data = malloc((size_t)(view.stride * H));
    view.flags = alpha ? SATF_ALPHA : 0;
    *doubles = satf_view_packed(malloc(W * H * 4 * sizeof(double)), W, H, channels, SATF_F64);
    doubles->flags = view.flags;
    bool floats = satf_type_is_float(type);
    doubles->full = floats ? 0 : fmin((double)satf_type_max(type), 0x1p40);
    view.full = type == SATF_U64 || type == SATF_I64 ? 0x1p40 : 0;
    for (int64_t i = 0; i < W * H * channels; i++) {
        bool is_alpha = alpha && i % channels == channels - 1;
        double number = draw_number(type, &seed);
        char *at = (char *)view.data + (size_t)i * satf_type_bytes(type);
        double most = doubles->full > 0 ? doubles->full : 200;
        adapt_put(type, is_alpha ? fmin(fabs(number), most) : number, at);
        ((double *)doubles->data)[i] = read_sample(type, at);
    }
    return view;
}

/* Whether a result is what rounding the exact one, or one a little beside it, gives. */
static bool is_rounded(const satf_view *of, double got, double want, double off)
{
    if (isnan(want)) {
        return isnan(got) || got == 0;
    }
    if (of->type == SATF_F16 && fabs(want) > 65519) {
        return isinf(got);
    }
    if (satf_type_is_float(of->type)) {
        double step = of->type == SATF_F16 ? 0x1p-11 : of->type == SATF_BF16 ? 0x1p-8 : 0x1p-23;
        return fabs(got - want) <= off + fabs(want) * step + 0x1p-25;
    }
    double full = satf_full_scale(of), least = satf_type_is_signed(of->type) ? -full - 1 : 0;
    want = want < least ? least : want > full ? full : want;
    return fabs(got - want) <= 0.5 + off;
}

/* The result against that of doubles: a level, or one sample of a hundred in black and white. */
static void require_like(const char *what, const satf_view *got, const satf_view *want, double off)
{
    int64_t wrong = 0, n = got->width * got->height * got->channels;
    bool bilevel = got->type == SATF_U8;
    for (int64_t i = 0; i < n; i++) {
        const char *at = (char *)satf_row(got, i / satf_row_samples(got)) +
                         (size_t)(i % satf_row_samples(got)) * satf_type_bytes(got->type);
        const char *by = (char *)satf_row(want, i / satf_row_samples(got)) +
                         (size_t)(i % satf_row_samples(got)) * satf_type_bytes(want->type);
        double is = read_sample(got->type, at), should = read_sample(want->type, by);
        bool right = bilevel ? is == should : is_rounded(got, is, should, off);
        wrong += !right;
        if (!right && (!bilevel || wrong > n / 100 + 1)) {
            fail_msg("%s: sample %ld is %g, and not %g", what, (long)i, is, should);
        }
    }
}

static void check_type(satf_context *ctx, const filter_info *info, int type, int channels,
                       bool alpha, int border)
{
    char what[120];
    satf_view doubles;
    SCOPED_VIEW in = draw_both(type, channels, alpha, (uint64_t)(type * 7 + border), &doubles);
    SCOPED_VIEW copy = doubles;
    SCOPED_FILTER *filter = make_filter_of(ctx, info, border, "5x4", "1:-1", W, H);
    snprintf(what, sizeof what, "%s of %s, %d channels, border %s", info->name,
             satf_type_name(type), channels, satf_border_name((satf_border)border));
    satf_view out;
    if (satf_filter_output(ctx, filter, &in, &out)) {
        bool sign = satf_type_is_signed(type) && info->sign == SIGN_REFUSED;
        bool wide = satf_type_bytes(type) == 8 || strcmp(info->name, "integral") == 0;
        bool grey = filter_last(info)->grey || filter_trims(&filter->links[0]);
        if (!sign && !wide && !grey) {
            fail_msg("%s: %s", what, satf_message(ctx));
        }
        return;
    }
    SCOPED_VIEW got = result_of(ctx, filter, &in);
    if (!pass_shape_of(filter_last(info))->moves && strcmp(info->name, "highpass") != 0) {
        SCOPED_VIEW want = result_of(ctx, filter, &copy);
        double full = satf_type_is_float(type) ? 200 : doubles.full;
        bool one_sign = info->sign != SIGN_STAYS && strcmp(info->name, "by") != 0;
        bool squares = !one_sign || strcmp(info->name, "integral") == 0;
        /* Numbers of lines: of integers weights are whole numbers of 2^-15. */
        double fixed = reach_along_lines(filter) == 0                          ? 0
                       : satf_type_is_float(type) || satf_type_bytes(type) > 2 ? 1.0 / 32
                                                                               : full / 512;
        require_like(what, &got, &want, fixed + 0x1p-20 * full * (squares ? full : 1));
    }
    if (!check_rows(ctx, filter, what, &in, &got) && border != SATF_BORDER_WRAP) {
        SCOPED_VIEW want = result_of(ctx, filter, &copy); /* nor can doubles, then */
        if (check_rows(ctx, filter, what, &copy, &want)) {
            fail_msg("%s, by rows: %s", what, satf_message(ctx));
        }
    }
    if ((type == SATF_I8 || type == SATF_I16) && !alpha) {
        check_part(ctx, filter, what, &in, &got,
                   (satf_rect){got.width / 3, got.height / 4, got.width / 2, got.height / 2});
    }
}

TEST(types)
{
    const filter_info *info;
    for (size_t i = 0; (info = filter_info_at(i)); i++) {
        for (size_t t = 0; t < sizeof new_types / sizeof *new_types; t++) {
            for (int k = 0; k < 6; k++) {
                int channels = k % 4 + 1;
                satf_context_set_threads(ctx, 1 + k % 3);
                check_type(ctx, info, new_types[t], channels, channels == 4,
                           (int)(t + i + (size_t)k) % 7);
            }
        }
    }
}

/* Means and sums over 4 x 3 with the border clamp, by definition: nearest, halves up. */
static void check_exact(satf_context *ctx, int type)
{
    satf_view doubles;
    SCOPED_VIEW in = draw_both(type, 1, false, (uint64_t)type, &doubles);
    SCOPED_VIEW copy = doubles;
    SCOPED_VIEW mean = made_by(ctx, "box=4x3", &in), sum = made_by(ctx, "sum=4x3", &in);
    for (int64_t i = 0; i < W * H; i++) {
        int64_t x = i % W, y = i / W, s = 0;
        for (int64_t k = 0; k < 12; k++) {
            int64_t u = most(0, least(x - 2 + k % 4, W - 1)),
                    v = most(0, least(y - 1 + k / 4, H - 1));
            s += (int64_t)((const double *)copy.data)[v * W + u];
        }
        int64_t twice = 2 * s + 12, below = twice / 24 - (twice % 24 < 0);
        if (sample_at(&mean, y, x) != (double)below || sample_at(&sum, y, x) != (double)s) {
            fail_msg("%s: %g and %g at (%ld, %ld), not %ld and %ld", satf_type_name(type),
                     sample_at(&mean, y, x), sample_at(&sum, y, x), (long)x, (long)y, (long)below,
                     (long)s);
        }
    }
}

TEST(exact)
{
    static const int exact_types[] = {SATF_I8, SATF_I16};
    for (size_t k = 0; k < sizeof exact_types / sizeof *exact_types; k++) {
        check_exact(ctx, exact_types[k]);
    }
}

/* ------------------------------------------------------------------ what does not count */

/* The result of weights against that of alpha: the same where anything counts. */
static void require_weighed(const char *what, const satf_view *got, const satf_view *alpha,
                            bool own, double missing)
{
    int left = got->channels, lanes = alpha->channels;
    size_t bytes = satf_type_bytes(got->type);
    for (int64_t i = 0; i < got->width * got->height; i++) {
        const char *is = pixel_at(got, i % got->width, i / got->width);
        const char *by = pixel_at(alpha, i % got->width, i / got->width);
        bool counts = lanes == left || read_sample(got->type, by + bytes * (size_t)left) != 0;
        for (int c = 0; c < left && !own; c++) {
            counts = counts || read_sample(got->type, by + bytes * (size_t)c) != 0;
        }
        for (int c = 0; c < left; c++) {
            double value = read_sample(got->type, is + bytes * (size_t)c);
            double want = counts ? read_sample(got->type, by + bytes * (size_t)c) : missing;
            if (value != want && !(isnan(value) && isnan(want))) {
                fail_msg("%s: pixel %ld is %g, and not %g", what, (long)i, value, want);
            }
        }
    }
}

/* What a constant border has outside counts: it is a picture around the picture. */
static void check_outside(satf_context *ctx, const satf_filter *filter, const char *what,
                          const satf_view *in, const satf_view *weights, const satf_view *got)
{
    enum { AROUND = 60 };
    size_t bytes = satf_type_bytes(in->type), n = (size_t)in->channels;
    bool floats = satf_type_is_float(in->type), all = !filter_is_simple(filter_at(filter, 0));
    if (floats || all || filter_reduces(filter_last(filter_at(filter, 0)))) {
        return;
    }
    SCOPED_VIEW large = satf_view_packed(malloc((W + 2 * AROUND) * (H + 2 * AROUND) * n * bytes),
                                         W + 2 * AROUND, H + 2 * AROUND, in->channels, in->type);
    SCOPED_VIEW whole = satf_view_packed(malloc((W + 2 * AROUND) * (H + 2 * AROUND) * bytes),
                                         large.width, large.height, 1, in->type);
    for (int64_t i = 0; i < large.width * large.height; i++) {
        int64_t x = i % large.width - AROUND, y = i / large.width - AROUND;
        bool inside = x >= 0 && x < W && y >= 0 && y < H;
        char *to = pixel_at(&large, x + AROUND, y + AROUND);
        for (size_t c = 0; c < n; c++) {
            double sample = inside ? read_sample(in->type, pixel_at(in, x, y) + c * bytes) : 1;
            adapt_put(in->type, sample, to + c * bytes);
        }
        adapt_put(in->type,
                  inside ? read_sample(in->type, pixel_at(weights, x, y))
                         : (double)satf_type_max(in->type),
                  pixel_at(&whole, x + AROUND, y + AROUND));
    }
    SCOPED_FILTER *same = parse_filter(ctx, "box=1");
    chain_link *link = &same->links[0];
    *link = filter->links[0];
    MUST(ctx, satf_filter_set_weights(ctx, same, &whole));
    SCOPED_VIEW made = result_of(ctx, same, &large);
    satf_rect at = {AROUND, AROUND, got->width, got->height};
    satf_view part = satf_view_rect(&made, at);
    require_same(what, "the picture around it", &part, got);
}

static void check_weights(satf_context *ctx, const filter_info *info, int type, int channels,
                          int border)
{
    char what[120];
    uint64_t random = (uint64_t)(type + channels * 3 + border);
    const filter_pass *last = filter_last(info);
    SCOPED_VIEW in = draw_image(W, H, channels, type, 0, 3, 5);
    SCOPED_VIEW weights = draw_image(W, H, 1, type, 0, 0, 9);
    for (int64_t i = 0; i < W * H; i++) { /* half of them nothing, and all of a corner */
        if (pick(&random, 0, 1) || (i % W < 20 && i / W < 15)) {
            memset(pixel_at(&weights, i % W, i / W), 0, satf_type_bytes(type));
        } else if (satf_type_is_float(type)) {
            adapt_put(type, 1, pixel_at(&weights, i % W, i / W));
        }
    }
    SCOPED_FILTER *filter = make_filter_of(ctx, info, border, "5x4", "1:-1", W, H);
    SCOPED_FILTER *plain = make_filter_of(ctx, info, border, "5x4", "1:-1", W, H);
    snprintf(what, sizeof what, "%s of %s, %d channels, border %s, weights", info->name,
             satf_type_name(type), channels, satf_border_name((satf_border)border));
    MUST(ctx, satf_filter_set_weights(ctx, filter, &weights));
    satf_view out;
    if (satf_filter_output(ctx, filter, &in, &out)) {
        return; /* test_refused says which */
    }
    SCOPED_VIEW got = result_of(ctx, filter, &in);
    bool outside = border == SATF_BORDER_CONSTANT && filter_param_of_kind(info, PARAM_BORDER);
    if (outside) {
        check_outside(ctx, filter, what, &in, &weights, &got);
    } else if (filter_weighs(last) && !last->grey) {
        SCOPED_VIEW alpha = view_with_alpha(&in, &weights, true);
        SCOPED_VIEW want = result_of(ctx, plain, &alpha);
        require_weighed(what, &got, &want, last->keeps_alpha,
                        satf_type_is_float(got.type) ? NAN : 0);
    }
    check_rows(ctx, filter, what, &in, &got);
    if (!satf_type_is_float(type)) {
        check_part(ctx, filter, what, &in, &got,
                   (satf_rect){0, 0, (got.width + 1) / 2, got.height});
    }
}

TEST(weights)
{
    const filter_info *info;
    for (size_t i = 0; (info = filter_info_at(i)); i++) {
        for (int k = 0; k < 24; k++) {
            satf_context_set_threads(ctx, 1 + k % 2);
            check_weights(ctx, info, ref_types[k % 4], k % 3 + 1, (k + (int)i) % 7);
        }
    }
}

/* NaN and nodata are weights of 0 where they are. */
static void check_missing(satf_context *ctx, const filter_info *info, int type, int border)
{
    char what[120];
    const double nodata = 7;
    uint64_t random = (uint64_t)(type + border * 5);
    SCOPED_VIEW in = draw_image(W, H, 2, type, 0, 0, 11);
    SCOPED_VIEW weights = satf_view_packed(malloc(W * H), W, H, 1, SATF_U8);
    bool nan = satf_type_is_float(type) && border % 2;
    for (int64_t i = 0; i < W * H; i++) {
        char *pixel = pixel_at(&in, i % W, i / W) + satf_type_bytes(type) * (size_t)(i % 2);
        bool drop = pick(&random, 0, 2) == 0 || (i % W > 20 && i / W < 9);
        if (drop) {
            adapt_put(type, nan ? NAN : nodata, pixel);
        }
        const char *first = pixel_at(&in, i % W, i / W);
        double a = read_sample(type, first), b = read_sample(type, first + satf_type_bytes(type));
        bool misses = nan ? isnan(a) || isnan(b) : a == nodata || b == nodata;
        *pixel_at(&weights, i % W, i / W) = (char)(misses ? 0 : 255);
    }
    SCOPED_FILTER *filter = make_filter_of(ctx, info, border, "5x4", "1:-1", W, H);
    SCOPED_FILTER *by = make_filter_of(ctx, info, border, "5x4", "1:-1", W, H);
    snprintf(what, sizeof what, "%s of %s, border %s, %s", info->name, satf_type_name(type),
             satf_border_name((satf_border)border), nan ? "nan" : "nodata");
    MUST(ctx, satf_filter_set_missing(ctx, filter, nan, nan ? NULL : &nodata));
    MUST(ctx, satf_filter_set_weights(ctx, by, &weights));
    satf_view out;
    if (satf_filter_output(ctx, by, &in, &out) || pass_shape_of(filter_last(info))->moves) {
        return;
    }
    SCOPED_VIEW got = result_of(ctx, filter, &in), want = result_of(ctx, by, &in);
    for (int64_t i = 0; i < got.width * got.height * got.channels && !nan; i++) {
        char *is = (char *)got.data + (size_t)i * satf_type_bytes(got.type);
        char *should = (char *)want.data + (size_t)i * satf_type_bytes(got.type);
        double value = read_sample(got.type, should);
        if (isnan(value) || (value == 0 && read_sample(got.type, is) == nodata)) {
            adapt_put(got.type, nodata, should); /* where nothing counts */
        }
    }
    require_same(what, "as weights", &got, &want);
    check_rows(ctx, filter, what, &in, &got);
}

TEST(missing)
{
    const filter_info *info;
    for (size_t i = 0; (info = filter_info_at(i)); i++) {
        for (int k = 0; k < 14; k++) {
            check_missing(ctx, info, ref_types[k % 4], (k + (int)i) % 7);
        }
    }
}

/* A chain is its filters one by one, and a picture with alpha gets less of it. */
TEST(chains)
{
    const double nodata = 3;
    SCOPED_VIEW in = draw_image(W, H, 1, SATF_U16, 0, 0, 3);
    SCOPED_FILTER *both = parse_filter(ctx, "box=3 unsharp=5 variance=7");
    SCOPED_FILTER *first = parse_filter(ctx, "box=3"), *second = parse_filter(ctx, "unsharp=5");
    SCOPED_FILTER *third = parse_filter(ctx, "variance=7");
    satf_filter *all[] = {both, first, second, third};
    for (int64_t i = 0; i < W * H; i += 1 + i % 3) {
        adapt_put(SATF_U16, nodata, pixel_at(&in, i % W, i / W));
    }
    for (size_t k = 0; k < 4; k++) {
        MUST(ctx, satf_filter_set_missing(ctx, all[k], 0, &nodata));
    }
    SCOPED_VIEW a = result_of(ctx, first, &in), b = result_of(ctx, second, &a);
    SCOPED_VIEW want = result_of(ctx, third, &b), got = result_of(ctx, both, &in);
    require_same("chain", "whole", &got, &want);
    check_rows(ctx, both, "chain", &in, &want);

    SCOPED_VIEW rgba = draw_image(W, H, 4, SATF_U8, 1, 0, 4), same = view_like(&rgba, 0);
    SCOPED_VIEW weights = draw_image(W, H, 1, SATF_U8, 0, 0, 5);
    for (int64_t i = 0; i < W * H; i++) {
        unsigned char *from = (unsigned char *)pixel_at(&rgba, i % W, i / W);
        unsigned char *to = (unsigned char *)pixel_at(&same, i % W, i / W);
        unsigned w = *(unsigned char *)pixel_at(&weights, i % W, i / W), alpha = w * from[3];
        memcpy(to, from, 3);
        to[3] = (unsigned char)(alpha && alpha * 2 < 255 ? 1 : (alpha * 2 + 255) / 510);
        memset(to, w ? to[0] : 0, w ? 1 : 3); /* colour that does not count */
    }
    MUST(ctx, satf_filter_set_missing(ctx, first, 0, NULL));
    SCOPED_VIEW unweighed = result_of(ctx, first, &same);
    MUST(ctx, satf_filter_set_weights(ctx, first, &weights));
    SCOPED_VIEW weighed = result_of(ctx, first, &rgba);
    require_same("box=3", "alpha times weights", &weighed, &unweighed);
}

/* Alpha of samples with a sign weighs from 0 on, and is 0 below. */
TEST(alpha)
{
    satf_view out;
    int16_t pixels[] = {300, 1000, -200, 500, 77, -9, 8, -32768}, want[] = {133, 500};
    SCOPED_FILTER *box = parse_filter(ctx, "box=3x1"), *sum = parse_filter(ctx, "integral");
    SCOPED_FILTER *constant = parse_filter(ctx, "box=3,border=constant:-1");
    satf_view in = satf_view_packed(pixels, 4, 1, 2, SATF_I16);
    in.flags = SATF_ALPHA;
    SCOPED_VIEW got = result_of(ctx, box, &in), sums = result_of(ctx, sum, &in);
    assert_memory_equal(pixel_at(&got, 1, 0), want, sizeof want);
    assert_int_equal(((int32_t *)sums.data)[7], 1500);
    expect(ctx, satf_filter_output(ctx, constant, &in, &out), SATF_OK, "");
    satf_view made = out;
    SCOPED_VIEW memory = view_like(&made, 0);
    expect(ctx, satf_filter_apply(ctx, constant, &in, &memory), SATF_INVALID, "of 0 to 32767");
}

/* A number beyond a type is none of its samples, and infinity is not that number. */
TEST(beyond)
{
    const double beyond[] = {1e300, -1e300}, infinite = INFINITY;
    float pixels[] = {1, INFINITY, 2};
    satf_view in = satf_view_packed(pixels, 3, 1, 1, SATF_F32);
    SCOPED_FILTER *box = parse_filter(ctx, "box=3x1");
    for (int k = 0; k < 2; k++) {
        MUST(ctx, satf_filter_set_missing(ctx, box, 0, &beyond[k]));
        SCOPED_VIEW got = result_of(ctx, box, &in);
        assert_true(isinf(((float *)got.data)[1]));
    }
    MUST(ctx, satf_filter_set_missing(ctx, box, 0, &infinite));
    SCOPED_VIEW got = result_of(ctx, box, &in);
    assert_true(((float *)got.data)[1] == 1.5f);
}

/* The squares of the least samples of a sign are a power of 2, one more than words hold. */
TEST(squares)
{
    int16_t pixels[] = {-32768, -32768, -32768, -32768};
    satf_view in = satf_view_packed(pixels, 2, 2, 1, SATF_I16);
    SCOPED_VIEW got = made_by(ctx, "integral,squared=on", &in);
    assert_int_equal(got.type, SATF_U64);
    assert_true(((uint64_t *)got.data)[3] == 1ull << 32);
}

/* Words are none of the engines' lanes. */
TEST(words)
{
    const double nodata = 7;
    uint32_t pixels[] = {7, 1u << 30, 7, 3u << 30};
    satf_view in = satf_view_packed(pixels, 4, 1, 1, SATF_U32);
    SCOPED_FILTER *filter = parse_filter(ctx, "delinearize=2.2");
    SCOPED_VIEW all = result_of(ctx, filter, &in);
    MUST(ctx, satf_filter_set_missing(ctx, filter, 0, &nodata));
    SCOPED_VIEW got = result_of(ctx, filter, &in);
    const uint32_t *made = all.data;
    const uint32_t want[] = {7, made[1], 7, made[3]};
    assert_memory_equal(got.data, want, sizeof want);
}

TEST(refusals)
{
    satf_view out;
    const double nodata = 0;
    SCOPED_VIEW in = draw_image(W, H, 4, SATF_U8, 0, 0, 1);
    SCOPED_VIEW grey = draw_image(W, H, 1, SATF_U8, 0, 0, 1);
    SCOPED_FILTER *box = parse_filter(ctx, "box=3"), *guided = parse_filter(ctx, "guided=3");
    SCOPED_FILTER *sum = parse_filter(ctx, "sum=3");
    MUST(ctx, satf_filter_set_missing(ctx, box, 0, &nodata));
    expect(ctx, satf_filter_output(ctx, box, &in, &out), SATF_UNSUPPORTED, "up to 3 channels");
    in.channels = 1;
    MUST(ctx, satf_filter_set_missing(ctx, guided, 0, &nodata));
    expect(ctx, satf_filter_output(ctx, guided, &in, &out), SATF_UNSUPPORTED, "cannot leave out");
    MUST(ctx, satf_filter_set_weights(ctx, sum, &grey));
    expect(ctx, satf_filter_output(ctx, sum, &in, &out), SATF_UNSUPPORTED, "filter real in front");
    satf_rows *rows;
    MUST(ctx, satf_filter_set_weights(ctx, box, &grey));
    MUST(ctx, satf_filter_output(ctx, box, &in, &out));
    expect(ctx, satf_rows_open_any_height(ctx, box, &in, &out, &rows), SATF_UNSUPPORTED,
           "needs to know the picture's height");
    satf_view two = in;
    two.channels = 2;
    expect(ctx, satf_filter_set_weights(ctx, box, &two), SATF_INVALID, "have 2 channels");
    expect(ctx, satf_filter_set_missing(ctx, NULL, 0, NULL), SATF_INVALID, "filter is missing");
}

/* An adapter of a random kind; of u8 and u16 what is stored is what has been loaded. */
static row_adapter draw_adapter(uint64_t *random)
{
    static const int plain[] = {SATF_U8, SATF_U16, SATF_F32, SATF_F64};
    int other = (int)pick(random, 0, SATF_BF16), narrow = (int)pick(random, 0, 1);
    bool has_sign = other == SATF_I8 || other == SATF_I16;
    int engines = satf_type_is_plain(other)                 ? other
                  : has_sign && narrow                      ? other - SATF_I8 + SATF_U8
                  : other == SATF_F16 || other == SATF_BF16 ? SATF_F32
                                                            : SATF_F64;
    bool offset = has_sign && narrow;
    row_adapter a = {.stores = pick(random, 0, 1), .channels = (int)pick(random, 1, 4)};
    a.zero = offset ? adapt_most(engines) / 2 + 0.5 : 0;
    a.whole = satf_type_is_float(engines) ? 1 : adapt_most(engines);
    a.nodata = pick(random, 0, 1) ? NAN : 7;
    a.omits_nan = satf_type_is_float(other) && pick(random, 0, 1);
    a.weighs = pick(random, 0, 1);
    a.alpha = !offset && a.channels > 1 && pick(random, 0, 1);
    a.lanes = a.channels + (!a.alpha && a.channels < 4 && pick(random, 0, 1));
    a.grey = !a.stores && a.lanes > 2 && a.channels - a.alpha > 2 && pick(random, 0, 1);
    a.rule = (adapt_rule)(a.lanes > a.channels ? pick(random, 1, 2) : 3 * pick(random, 0, 1));
    a.missing = 5;
    a.least = adapt_least(other);
    a.most = adapt_most(other) - (double)pick(random, 0, 3);
    a.beside = 2;
    a.from = a.stores && !offset ? plain[pick(random, 0, 3)] : a.stores ? engines : other;
    a.to = a.stores ? other : engines;
    return a;
}

/* Rows are their pixels one by one, which is what devices make. */
TEST(rows_and_pixels)
{
    enum { N = 531, BYTES = N * 5 * 8 };
    static char from[BYTES], beside[BYTES], row[BYTES], pixels[BYTES];
    uint64_t random = 5;
    for (int k = 0; k < 4000; k++) {
        row_adapter a = draw_adapter(&random);
        int of = a.stores ? a.lanes : a.channels;
        int to = a.stores ? a.channels : a.grey ? a.lanes - 2 : a.lanes;
        int made = a.stores ? a.to : adapt_made(&a);
        int by = a.stores ? SATF_U8 : a.to, step = a.stores ? a.beside : 1;
        for (int64_t i = 0; i < (int64_t)N * of; i++) {
            double number = pick(&random, 0, 5) ? draw_number(a.from, &random) : 7;
            adapt_put(a.from, number, from + i * adapt_bytes(a.from));
        }
        for (int64_t i = 0; i < (int64_t)N * step; i++) {
            adapt_put(by, (double)pick(&random, 0, 1) * (a.stores ? 1 : a.whole),
                      beside + i * adapt_bytes(by));
        }
        memset(row, 1, sizeof row);
        memset(pixels, 1, sizeof pixels);
        SATF_ISA_CHOOSE(&adapt_kernels)->row(&a, N, from, beside, by, row);
        for (int64_t x = 0; x < N; x++) {
            const char *at = from + x * of * adapt_bytes(a.from);
            const char *beside_it = beside + x * step * adapt_bytes(by);
            char *out = pixels + x * to * adapt_bytes(made);
            if (a.stores) {
                adapt_store_pixel(&a, at, beside_it, by, out);
            } else {
                adapt_load_pixel(&a, at, beside_it, out);
            }
        }
        if (memcmp(row, pixels, sizeof row) != 0) {
            fail_msg("case %d: %s to %s, %d channels, %d lanes, %s", k, satf_type_name(a.from),
                     satf_type_name(a.to), a.channels, a.lanes, a.stores ? "stored" : "loaded");
        }
    }
}

/* Halves: every one of them is its own, and doubles go to the nearest. */
TEST(halves)
{
    for (int brain = 0; brain < 2; brain++) {
        double before = 0;
        for (int64_t k = 0; k < 0x10000; k++) {
            uint16_t half = (uint16_t)k;
            double number = half_number(brain, half);
            if (isnan(number)) {
                assert_true(isnan(half_number(brain, half_nearest(brain, number))));
                continue;
            }
            assert_int_equal(half_nearest(brain, number), half);
            if (k > 0 && k < 0x8000 && !isinf(number)) { /* halfway goes to the even one */
                double middle = before + (number - before) / 2;
                uint16_t even = (uint16_t)(k % 2 ? k - 1 : k);
                assert_int_equal(half_nearest(brain, middle), even);
                assert_int_equal(half_nearest(brain, nextafter(middle, INFINITY)), half);
                assert_int_equal(half_nearest(brain, -nextafter(middle, 0)), 0x8000 | (half - 1));
            }
            before = number;
        }
    }
    assert_true(half_number(0, 0x7bff) == 65504 && half_number(0, 1) == 0x1p-24);
    assert_int_equal(half_nearest(0, 65520), 0x7c00);
    assert_int_equal(half_nearest(0, 65519.99), 0x7bff);
}
