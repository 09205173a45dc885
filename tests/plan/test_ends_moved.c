/*
 * Pixels that do not count, behind filters that move pixels or make fewer of them: a chain with
 * weights is its filters one by one, each with the weights that the one before leaves, and what
 * alpha in their place makes of it. Whole, by rows, and of parts.
 */
#include "test.h"

#include <math.h>

#include "chain/region.h"
#include "formula/adapt.h"
#include "ways.h"

enum { W = 41, H = 34 };

/* Grey; half of it nothing, and all of a corner. */
static satf_view draw_weights(int type, uint64_t seed)
{
    satf_view weights = draw_image(W, H, 1, type, 0, 0, seed);
    for (int64_t i = 0; i < W * H; i++) {
        bool nothing = pick(&seed, 0, 1) || (i % W < 20 && i / W < 15);
        double most = satf_type_is_float(type) ? 1 : (double)satf_type_max(type);
        adapt_put(type, nothing ? 0 : most * (double)pick(&seed, 4, 8) / 8,
                  pixel_at(&weights, i % W, i / W));
    }
    return weights;
}

/* Means of them: rounded, but none to 0. */
static satf_view means_of(satf_context *ctx, const satf_filter *filter, const satf_view *weights)
{
    satf_view means = result_of(ctx, filter, weights);
    SCOPED_VIEW reals = satf_view_packed(NULL, weights->width, weights->height, 1, SATF_F64);
    reals.data = malloc((size_t)(reals.stride * reals.height));
    for (int64_t i = 0; i < weights->width * weights->height; i++) {
        const char *at = pixel_at(weights, i % weights->width, i / weights->width);
        ((double *)reals.data)[i] = read_sample(weights->type, at);
    }
    SCOPED_VIEW exact = result_of(ctx, filter, &reals);
    for (int64_t i = 0; i < means.width * means.height; i++) {
        char *at = pixel_at(&means, i % means.width, i / means.width);
        if (read_sample(means.type, at) == 0 && ((double *)exact.data)[i] > 0) {
            adapt_put(means.type, 1, at);
        }
    }
    return means;
}

/* Those of the filter's result. */
static satf_view weights_behind(satf_context *ctx, const satf_filter *filter,
                                const satf_view *weights)
{
    const chain_link *link = &filter->links[0];
    const pass_shape *shape = pass_shape_of(filter_last(link->info));
    if (shape->moves) {
        return result_of(ctx, filter, weights);
    }
    if (shape->kind == SATF_FILTER_CELLS) {
        return means_of(ctx, filter, weights);
    }
    satf_rect part = filter_valid_part(link, weights->width, weights->height);
    satf_view like = *weights;
    like.width = part.w;
    like.height = part.h;
    satf_view behind = view_like(&like, 0);
    for (int64_t i = 0; i < part.w * part.h; i++) {
        int64_t x = i % part.w + part.x, y = i / part.w + part.y;
        if (x >= 0 && y >= 0) { /* else it is a zero edge */
            memcpy(pixel_at(&behind, i % part.w, i / part.w), pixel_at(weights, x, y),
                   satf_type_bytes(weights->type));
        }
    }
    return behind;
}

static satf_view one_by_one(satf_context *ctx, const char *spec, const satf_view *in,
                            const satf_view *weights)
{
    char words[200], *rest = words;
    satf_view at = view_like(in, 0), by = view_like(weights, 0);
    snprintf(words, sizeof words, "%s", spec);
    memcpy(at.data, in->data, (size_t)(in->stride * in->height));
    memcpy(by.data, weights->data, (size_t)(weights->stride * weights->height));
    for (const char *word; (word = strsep(&rest, " "));) {
        SCOPED_FILTER *filter = parse_filter(ctx, word), *plain = parse_filter(ctx, word);
        MUST(ctx, satf_filter_set_weights(ctx, filter, &by));
        satf_view made = result_of(ctx, filter, &at), behind = weights_behind(ctx, plain, &by);
        free(at.data);
        free(by.data);
        at = made;
        by = behind;
    }
    free(by.data);
    return at;
}

/* Chains, and whether alpha goes the same way: no window but the last averages it. */
static const struct {
    const char *spec;
    bool like_alpha, by_rows;
} chains[] = {
    {"rotate=90 box=3", true, false},
    {"flip=h box=4x3", true, true},
    {"flip=v unsharp=5", true, false},
    {"transpose box=4x3", true, false},
    {"crop=21x17+9+8 box=5", true, true},
    {"resize=50% box=3", true, true},
    {"pixelate=4 box=5", true, true},
    {"rotate=270 crop=20x30 resize=70%x40% box=3", true, false},
    {"crop=33x30+4+2 resize=50% flip=h stddev=3", true, true},
    {"rotate=180 box=3 transpose unsharp=5 crop=20x20", false, false},
    {"box=5,border=valid resize=60% variance=3", false, true},
    {"crop=30x30 box=3,border=valid flip=h unsharp=5,border=valid pixelate=2 box=3", false, true},
    {"crop=30x30 sauvola=5 rotate=90 box=3", false, false},
};

/* Colours where alpha says that anything counts: of floats the means of alpha round elsewhere. */
static void require_like_alpha(const char *what, const satf_view *got, const satf_view *alpha)
{
    size_t bytes = satf_type_bytes(got->type);
    assert_int_equal(alpha->width, got->width);
    assert_int_equal(alpha->height, got->height);
    for (int64_t i = 0; i < got->width * got->height; i++) {
        const char *is = pixel_at(got, i % got->width, i / got->width);
        const char *by = pixel_at(alpha, i % got->width, i / got->width);
        bool counts = read_sample(got->type, by + bytes * (size_t)got->channels) != 0;
        for (int c = 0; c < got->channels && counts; c++) {
            double value = read_sample(got->type, is + bytes * (size_t)c);
            double want = read_sample(got->type, by + bytes * (size_t)c);
            double off = satf_type_is_float(got->type) ? 1e-5 * (fabs(want) + 1) : 0;
            if (fabs(value - want) > off) {
                fail_msg("%s: pixel %ld is %g, and not %g", what, (long)i, value, want);
            }
        }
    }
}

static void check_chain(satf_context *ctx, size_t k, int type, int channels)
{
    char what[200];
    const char *spec = chains[k].spec;
    snprintf(what, sizeof what, "%s of %s, %d channels", spec, satf_type_name(type), channels);
    SCOPED_VIEW in = draw_image(W, H, channels, type, 0, 0, k);
    SCOPED_VIEW weights = draw_weights(type, k + (uint64_t)type);
    SCOPED_FILTER *filter = parse_filter(ctx, spec);
    MUST(ctx, satf_filter_set_weights(ctx, filter, &weights));
    SCOPED_VIEW got = result_of(ctx, filter, &in);
    SCOPED_VIEW want = one_by_one(ctx, spec, &in, &weights);
    require_same(what, "one by one", &got, &want);
    if (chains[k].like_alpha) {
        SCOPED_VIEW both = view_with_alpha(&in, &weights, false), alpha = made_by(ctx, spec, &both);
        require_like_alpha(what, &got, &alpha);
    }
    assert_int_equal(check_rows(ctx, filter, what, &in, &got), chains[k].by_rows);
    if (!satf_type_is_float(type)) {
        check_part(ctx, filter, what, &in, &got,
                   (satf_rect){got.width / 3, 1, got.width / 2, got.height / 2});
    }
}

TEST(moved_weights)
{
    for (size_t k = 0; k < sizeof chains / sizeof *chains; k++) {
        for (int n = 0; n < 12; n++) {
            satf_context_set_threads(ctx, 1 + n % 3);
            check_chain(ctx, k, ref_types[n % 4],
                        strstr(chains[k].spec, "sauvola") ? 1 : n / 4 + 1);
        }
    }
}

/* Weights of another type have that of the samples before means of them are formed. */
TEST(moved_weights_of_other_types)
{
    for (size_t k = 0; k < sizeof chains / sizeof *chains; k++) {
        SCOPED_VIEW in = draw_image(W, H, 1, SATF_F64, 0, 0, k);
        SCOPED_VIEW marks = draw_weights(SATF_U8, k);
        SCOPED_VIEW reals = satf_view_packed(malloc(W * H * sizeof(double)), W, H, 1, SATF_F64);
        for (int64_t i = 0; i < W * H; i++) {
            bool counts = ((uint8_t *)marks.data)[i] != 0;
            ((uint8_t *)marks.data)[i] = counts;
            ((double *)reals.data)[i] = counts;
        }
        marks.full = 1; /* as bools have it */
        SCOPED_FILTER *filter = parse_filter(ctx, chains[k].spec);
        SCOPED_FILTER *same = parse_filter(ctx, chains[k].spec);
        MUST(ctx, satf_filter_set_weights(ctx, filter, &marks));
        MUST(ctx, satf_filter_set_weights(ctx, same, &reals));
        SCOPED_VIEW got = result_of(ctx, filter, &in), want = result_of(ctx, same, &in);
        require_same(chains[k].spec, "of bools", &got, &want);
    }
}

/* An order of pixels, and a zero edge, which weighs nothing. */
TEST(moved_weights_elsewhere)
{
    static int64_t order[W * H];
    for (int64_t i = 0; i < W * H; i++) {
        order[i] = i * 7 % (W * H);
    }
    SCOPED_VIEW in = draw_image(W, H, 1, SATF_U16, 0, 0, 5), weights = draw_weights(SATF_U16, 6);
    SCOPED_FILTER *chain = NULL, *box = parse_filter(ctx, "box=3");
    MUST(ctx, satf_filter_create(ctx, "permute", &chain));
    MUST(ctx, satf_filter_set_order(ctx, chain, order, W * H));
    SCOPED_VIEW moved = result_of(ctx, chain, &in), by = result_of(ctx, chain, &weights);
    MUST(ctx, satf_filter_append(ctx, chain, box));
    MUST(ctx, satf_filter_set_weights(ctx, chain, &weights));
    MUST(ctx, satf_filter_set_weights(ctx, box, &by));
    SCOPED_VIEW got = result_of(ctx, chain, &in), want = result_of(ctx, box, &moved);
    require_same("permute box=3", "one by one", &got, &want);

    const char *edged = "integral,zeros=on stddev=3 flip=h";
    SCOPED_VIEW reals = draw_image(W, H, 1, SATF_F64, 0, 0, 5), some = draw_weights(SATF_F64, 6);
    SCOPED_FILTER *sums = parse_filter(ctx, edged);
    MUST(ctx, satf_filter_set_weights(ctx, sums, &some));
    SCOPED_VIEW made = result_of(ctx, sums, &reals), same = one_by_one(ctx, edged, &reals, &some);
    require_same(edged, "one by one", &made, &same);
}

/* A pixel that counts least, of hundreds that do not, is not lost. */
TEST(moved_little)
{
    static const char *const specs[] = {"resize=1x1! box=1", "pixelate=100 box=1"};
    for (size_t k = 0; k < 2; k++) {
        SCOPED_VIEW in = draw_image(W, H, 1, SATF_U8, 0, 0, 5);
        SCOPED_VIEW weights = satf_view_packed(calloc(W, H), W, H, 1, SATF_U8);
        *pixel_at(&weights, 7, 8) = 1;
        *pixel_at(&in, 7, 8) = 99;
        SCOPED_FILTER *filter = parse_filter(ctx, specs[k]);
        MUST(ctx, satf_filter_set_weights(ctx, filter, &weights));
        SCOPED_VIEW got = result_of(ctx, filter, &in);
        assert_int_equal(*pixel_at(&got, 0, 0), 99);
    }
}

/* NaN and nodata are in the samples: what is moved is marked, and fewer pixels leave it out. */
TEST(moved_marks)
{
    const double nodata = 9;
    for (size_t k = 0; k < 4 * sizeof chains / sizeof *chains; k++) {
        const char *spec = chains[k / 4].spec;
        int type = ref_types[k % 4];
        bool nan = satf_type_is_float(type);
        char words[200], *rest = words;
        SCOPED_VIEW in = draw_image(W, H, 1, type, 0, 0, k), weights = draw_weights(type, k);
        for (int64_t i = 0; i < W * H; i++) {
            if (read_sample(type, pixel_at(&weights, i % W, i / W)) == 0) {
                adapt_put(type, nan ? NAN : nodata, pixel_at(&in, i % W, i / W));
            }
        }
        SCOPED_FILTER *filter = parse_filter(ctx, spec);
        MUST(ctx, satf_filter_set_missing(ctx, filter, nan, nan ? NULL : &nodata));
        SCOPED_VIEW got = result_of(ctx, filter, &in);
        satf_view at = view_like(&in, 0);
        memcpy(at.data, in.data, (size_t)(in.stride * H));
        snprintf(words, sizeof words, "%s", spec);
        for (const char *word; (word = strsep(&rest, " "));) {
            SCOPED_FILTER *one = parse_filter(ctx, word);
            MUST(ctx, satf_filter_set_missing(ctx, one, nan, nan ? NULL : &nodata));
            satf_view made = result_of(ctx, one, &at);
            free(at.data);
            at = made;
        }
        require_same(spec, "nodata, one by one", &got, &at);
        free(at.data);
        assert_int_equal(check_rows(ctx, filter, spec, &in, &got), chains[k / 4].by_rows);
    }
}

TEST(moved_refusals)
{
    satf_view out;
    SCOPED_VIEW in = draw_image(W, H, 1, SATF_U8, 0, 0, 1), weights = draw_weights(SATF_U8, 1);
    SCOPED_FILTER *turned = parse_filter(ctx, "rotate=90 box=3");
    SCOPED_FILTER *fitted = parse_filter(ctx, "resize=10x10! box=3");
    satf_view low = weights;
    low.height--;
    MUST(ctx, satf_filter_set_weights(ctx, turned, &low));
    expect(ctx, satf_filter_output(ctx, turned, &in, &out), SATF_INVALID,
           "are 41 x 33, and the picture in front of the filters is 41 x 34");
    MUST(ctx, satf_filter_set_weights(ctx, fitted, &low));
    expect(ctx, satf_filter_output(ctx, fitted, &in, &out), SATF_INVALID, "are 41 x 33, and");
}

/* What does not count is said of the whole chain, in front of whose filters its weights lie. */
TEST(appended)
{
    const double nodata = 3, other = 4;
    SCOPED_VIEW weights = draw_weights(SATF_U8, 1);
    SCOPED_FILTER *chain = parse_filter(ctx, "rotate=90"), *tail = parse_filter(ctx, "box=3");
    MUST(ctx, satf_filter_set_weights(ctx, tail, &weights));
    expect(ctx, satf_filter_append(ctx, chain, tail), SATF_INVALID, "of a whole chain");
    MUST(ctx, satf_filter_set_weights(ctx, tail, NULL));
    MUST(ctx, satf_filter_set_missing(ctx, tail, 0, &nodata));
    expect(ctx, satf_filter_append(ctx, chain, tail), SATF_INVALID, "of a whole chain");
    MUST(ctx, satf_filter_set_missing(ctx, chain, 0, &other));
    expect(ctx, satf_filter_append(ctx, chain, tail), SATF_INVALID, "of a whole chain");
    assert_int_equal(filter_count(chain), 1);
    MUST(ctx, satf_filter_set_missing(ctx, chain, 0, &nodata));
    MUST(ctx, satf_filter_append(ctx, chain, tail));
    MUST(ctx, satf_filter_set_missing(ctx, tail, 0, NULL));
    MUST(ctx, satf_filter_set_weights(ctx, chain, &weights));
    MUST(ctx, satf_filter_append(ctx, chain, tail));
    MUST(ctx, satf_filter_append(ctx, chain, chain));
    assert_int_equal(filter_count(chain), 6);
}
