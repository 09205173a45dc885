/* Gaussian smoothing against its definition: every type, border and size, from every row on. */
#include "test.h"

#include "base/cpu.h"
#include "base/parallel.h"
#include "formula/epilogue.h"
#include "sums/lines/line.h"
#include "sums/lines/taps.h"
#include "line_reference.h"
#include "model.h"

typedef struct test_case {
    int64_t width, height;
    int channels;
    int type;
    ref_gauss gauss;
} test_case;

static const int64_t sizes[][2] = {{1, 1}, {1, 40}, {37, 1}, {3, 2}, {34, 33}, {65, 70}};
static const double sigmas[] = {0.3, 1, 2.6, 6, 6.1, 8, 90};
enum {
    SIZES = sizeof sizes / sizeof *sizes,
    SIGMAS = sizeof sigmas / sizeof *sigmas,
    TYPES = 4,
    BORDERS = SATF_BORDER_SHRINK + 1 /* all but valid */
};

/* Boxes for a Gaussian above 6, as many as that; no boxes for others. */
static int passes_of(double sigma, int boxes)
{
    return sigma <= 6 ? 0 : boxes;
}

static ref_passes how_of(const test_case *t)
{
    bool whole = t->type != SATF_U8 || t->gauss.alpha || t->gauss.border == SATF_BORDER_SHRINK;
    return satf_type_is_float(t->type) ? REF_EXACT : whole ? REF_WHOLE : REF_NARROW;
}

/* What a filter has to make of a picture. */
typedef struct smooth_case {
    const test_case *t;
    const long double *want, *wide; /* wide: of dog */
    const satf_view *same;          /* whose bits results have, or the picture, of dog */
} smooth_case;

/* Integers are the reference's, floats as near as rounding leaves them. */
static bool is_near(const void *user, const model_place *at, double got, double *want)
{
    const smooth_case *s = user;
    bool whole = satf_type_max(s->t->type) > 0;
    bool exact = whole || ref_is_single(&s->t->gauss);
    double off = exact ? 0 : s->t->type == SATF_F32 ? 1e-6 : 1e-12;
    *want = whole ? (double)floorl(s->want[at->i] + 0.5L) : (double)s->want[at->i];
    return fabs(got - *want) <= off && (!s->same || got == sample_at(s->same, 0, at->i));
}

/* The one Gaussian less the other, exactly where integers are not divided and of floats in float,
 * and alpha as it was. */
static bool is_difference(const void *user, const model_place *at, double got, double *want)
{
    const smooth_case *s = user;
    const ref_gauss *g = &s->t->gauss;
    bool kept = g->alpha && at->channel == s->t->channels - 1;
    bool quotients = g->alpha || g->border == SATF_BORDER_SHRINK;
    *want = kept ? sample_at(s->same, 0, at->i) : (double)s->want[at->i] - (double)s->wide[at->i];
    bool exact = kept || ref_is_single(g) || (g->how != REF_EXACT && !quotients);
    return exact ? got == *want : fabs(got - *want) <= (s->t->type <= SATF_U16 ? 1e-6 : 1e-11);
}

static void fill(const satf_view *view, uint64_t seed)
{
    int64_t n = satf_row_samples(view);
    for (int64_t i = 0; i < n * view->height; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        uint64_t r = seed % 97 == 0 ? UINT64_MAX : seed >> 40;
        bool real = satf_type_is_float(view->type);
        put_at(view, i / n, i % n,
               real ? (double)(r % 1024) / 1024 : (double)(r & satf_type_max(view->type)));
    }
}

static satf_view view_of(const test_case *t, int type)
{
    satf_view view = satf_view_packed(NULL, t->width, t->height, t->channels, (satf_type)type);
    view.flags = t->gauss.alpha ? SATF_ALPHA : 0;
    return view_like(&view, 7);
}

/* By the case's settings and what else the text says. */
static satf_filter *filter_of(satf_context *ctx, const test_case *t, const char *name,
                              const char *settings)
{
    char spec[120];
    snprintf(spec, sizeof spec, "%s=%.17g%s", name, t->gauss.sigma, settings);
    satf_filter *filter = parse_filter(ctx, spec);
    if (strcmp(name, "gauss") == 0 && t->gauss.passes > 0) {
        MUST(ctx, satf_filter_set_int(ctx, filter, "passes", t->gauss.passes));
    }
    if (t->gauss.apart) {
        MUST(ctx, satf_filter_set_double(ctx, filter, "down", t->gauss.down));
    }
    MUST(ctx, satf_filter_set_border(ctx, filter, (satf_border)t->gauss.border, t->gauss.constant));
    return filter;
}

/* All ways have the bits of one thread; but floats depend on where a part begins. */
static void run_case(satf_context *ctx, test_case *t, uint64_t seed)
{
    SCOPED_VIEW in = view_of(t, t->type);
    SCOPED_FILTER *filter = filter_of(ctx, t, "gauss", "");
    SCOPED long double *want = malloc((size_t)(t->width * t->height * t->channels) * sizeof *want);
    fill(&in, seed);
    t->gauss.how = how_of(t);
    t->gauss.words = t->type == SATF_U16;
    t->gauss.singles = t->type == SATF_F32;
    ref_smooth(&t->gauss, &in, want);
    satf_context_set_threads(ctx, 1);
    SCOPED_VIEW same = result_of(ctx, filter, &in);
    unsigned part = satf_type_is_float(t->type) ? 0 : MODEL_PART;
    MODEL_CHECK(ctx, .filter = filter, .in = in,
                .ways = MODEL_AUTO | MODEL_ROWS | MODEL_KEPT | MODEL_ISAS | part, .right = is_near,
                .user = &(smooth_case){t, want, NULL, &same}, .seed = seed);
}

TEST(test_definition)
{
    static pairs met;
    uint64_t seed = 1;
    for (int k = 0; k < SIZES * SIGMAS * TYPES * BORDERS * 8; k++) {
        int s = k % SIZES, g = k / SIZES % SIGMAS, p = k / (SIZES * SIGMAS) % TYPES;
        int b = k / (SIZES * SIGMAS * TYPES) % BORDERS, c = k / (SIZES * SIGMAS * TYPES * BORDERS);
        int passes = passes_of(sigmas[g], 3 + (int)(seed % 3)), channels = c % 4 + 1;
        bool alpha = c >= 4 && channels > 1;
        test_case t = {
            .width = sizes[s][0],
            .height = sizes[s][1],
            .channels = channels,
            .type = ref_types[p],
            .gauss = {.sigma = sigmas[g],
                      .passes = passes,
                      .border = b,
                      .constant = ref_types[p] == SATF_F32 || ref_types[p] == SATF_F64 ? 0.5 : 200,
                      .alpha = alpha}};
        seed++;
        if (PAIRS_ONLY(&met, s, g, p, b, c, passes)) {
            run_case(ctx, &t, seed);
        }
    }
}

/* Columns with a sigma of their own, which leaves them as they are if it is 0; one above 6 makes
 * both of boxes. */
TEST(test_apart)
{
    static const double both[][2] = {{2, 0}, {0, 1.3}, {0, 0}, {0.1, 6}, {6, 0.4}, {1, 9}, {40, 0}};
    enum { PAIRS = sizeof both / sizeof *both };
    for (int k = 0; k < PAIRS * TYPES * BORDERS; k++) {
        const double *sigma = both[k % PAIRS];
        int type = ref_types[k / PAIRS % TYPES], channels = 1 + k % 3;
        test_case t = {.width = 41,
                       .height = 38,
                       .channels = channels,
                       .type = type,
                       .gauss = {.sigma = sigma[0],
                                 .passes = passes_of(fmax(sigma[0], sigma[1]), 4),
                                 .border = k / PAIRS / TYPES,
                                 .constant = satf_type_is_float(type) ? 0.5 : 200,
                                 .alpha = channels > 1 && k % 2,
                                 .apart = true,
                                 .down = sigma[1]}};
        run_case(ctx, &t, (uint64_t)k + 1);
    }
}

/* Bytes are so near to exact arithmetic; all black and all white are exact. */
TEST(test_exact)
{
    enum { W = 40, H = 7 };
    static const double wide[] = {0.3, 0.7, 1, 3, 6, 10, 50, 200, 1000};
    for (size_t g = 0; g < sizeof wide / sizeof *wide; g++) {
        bool own = wide[g] <= 6;
        for (int passes = own ? 0 : 3; passes <= (own ? 0 : 5); passes += wide[g] < 100 ? 1 : 3) {
            for (int kind = wide[g] > 100; kind < 3 + (wide[g] < 100); kind++) {
                test_case t = {
                    W, H, 1, SATF_U8, {.sigma = wide[g], .passes = passes, .how = REF_EXACT}};
                SCOPED_VIEW in = view_of(&t, SATF_U8);
                SCOPED_FILTER *filter = filter_of(ctx, &t, "gauss", "");
                long double exact[W * H];
                double want[W * H];
                fill(&in, g + 1);
                for (int i = 0; i < W * H && kind; i++) {
                    ((uint8_t *)in.data)[i] = kind == 1 || (kind == 2 && i % W > W / 2) ? 255 : 0;
                }
                ref_smooth(&t.gauss, &in, exact);
                for (int i = 0; i < W * H; i++) {
                    want[i] = (double)exact[i];
                }
                MODEL_CHECK(ctx, .filter = filter, .in = in, .ways = MODEL_AUTO, .type = SATF_F64,
                            .right = model_is_value,
                            .user = &(model_values){want,
                                                    kind % 2 ? 0
                                                    : own    ? 1 / 7.0
                                                             : 1 / 32.0,
                                                    false});
            }
        }
    }
}

/* What an impulse at x = 0 leaves at x = -middle ... middle. */
static double *impulse_response(satf_context *ctx, double sigma, int64_t middle)
{
    int64_t n = 2 * middle + 1;
    test_case t = {
        n, 1, 1, SATF_F64, {.sigma = sigma, .passes = passes_of(sigma, 4), .how = REF_EXACT}};
    SCOPED_VIEW in = view_of(&t, SATF_F64);
    SCOPED_FILTER *filter = filter_of(ctx, &t, "gauss", "");
    memset(in.data, 0, (size_t)in.stride);
    ((double *)in.data)[middle] = 1;
    SCOPED_VIEW out = result_of(ctx, filter, &in);
    double *values = malloc((size_t)n * sizeof *values);
    memcpy(values, out.data, (size_t)n * sizeof *values);
    return values;
}

/* By weights it is the sampled Gaussian as far as 4 sigma, divided by its sum. By boxes it sums up
 * to 1, has the variance sigma^2, and is as near to the sampled Gaussian as --help says. */
TEST(test_gaussian)
{
    for (double sigma = 0.3; sigma <= 100;
         sigma = sigma < 6 ? fmin(sigma * 1.02, 6) : sigma * 1.02) {
        bool own = sigma <= 6;
        int64_t middle = (int64_t)(6 * sigma) + 10, end = own ? (int64_t)ceil(4 * sigma) : middle;
        SCOPED double *values = impulse_response(ctx, sigma, middle);
        double sum = 0, variance = 0, off = 0, all = 0;
        for (int64_t x = -end; x <= end; x++) {
            all += exp((double)(-x * x) / (2 * sigma * sigma));
        }
        for (int64_t x = -middle; x <= middle; x++) {
            double sampled = llabs(x) > end ? 0 : exp((double)(-x * x) / (2 * sigma * sigma));
            sum += values[middle + x];
            variance += (double)(x * x) * values[middle + x];
            off = fmax(off, fabs(values[middle + x] * all - sampled) / (own ? all : 1));
        }
        bool right = own ? off <= 1e-15 : fabs(sqrt(variance) / sigma - 1) <= 3e-4 && off <= 0.04;
        if (fabs(sum - 1) > 1e-12 || !right) {
            fail_msg("sigma %g: sum %.17g, deviation %g, distance %g", sigma, sum, sqrt(variance),
                     off);
        }
    }
}

/* Two weights of a word, below 0. */
static void expect_word(int32_t word, double first, double second)
{
    int16_t pair[2];
    memcpy(pair, &word, sizeof word);
    assert_true(pair[0] == -first && pair[1] == -second);
}

static double weight_at(const line_taps *taps, int64_t k)
{
    return llabs(k) > taps->radius ? 0 : taps->weights[llabs(k)];
}

/* Weights, exact and whole, and the words that are made of these. */
TEST(test_weights)
{
    for (int step = 30; step <= 600; step++) {
        ref_gauss exact = {.sigma = step / 100.0, .how = REF_EXACT}, whole = exact;
        long double want[REF_MOST_RADIUS + 1], want_whole[REF_MOST_RADIUS + 1];
        line_taps taps, words;
        double all = 0;
        whole.how = REF_WHOLE;
        ref_weights(&exact, want);
        ref_weights(&whole, want_whole);
        line_taps_find(exact.sigma, 0, &taps);
        line_taps_find(exact.sigma, 15, &words);
        assert_true(taps.radius == ref_radius(&exact) && words.radius == taps.radius);
        for (int k = 0; k <= taps.radius; k++) {
            assert_true(fabsl(taps.weights[k] * 32768 / want[k] - 1) < 1e-14L);
            assert_true(taps.singles[k] == (float)(want[k] / 32768));
            assert_true(words.weights[k] == want_whole[k]);
            all += words.weights[k] * (k == 0 ? 1 : 2);
            int even = k - k % 2, top = 2 * k - words.radius;
            expect_word(words.across[k / 2], weight_at(&words, even), weight_at(&words, even + 1));
            expect_word(words.down[0][k], weight_at(&words, top), weight_at(&words, top + 1));
            expect_word(words.down[1][k], weight_at(&words, top - 1), weight_at(&words, top));
        }
        assert_true(all == 32768);
    }
}

/* f32 stays where it is flat, is finite as long as samples are, and near to f64. */
static void check_singles(satf_context *ctx, double sigma, float least, float most)
{
    test_case t = {67, 40, 1, SATF_F32, {.sigma = sigma}};
    SCOPED_FILTER *filter = filter_of(ctx, &t, "gauss", "");
    SCOPED_VIEW in = view_of(&t, SATF_F32);
    SCOPED_VIEW wide = view_of(&t, SATF_F64);
    uint64_t seed = 7;
    for (int64_t i = 0; i < t.width * t.height; i++) {
        float v = ref_random(&seed) >> 63 ? least : most;
        put_at(&in, i / t.width, i % t.width, v);
        put_at(&wide, i / t.width, i % t.width, v);
    }
    SCOPED_VIEW out = result_of(ctx, filter, &in);
    SCOPED_VIEW want = result_of(ctx, filter, &wide);
    for (int64_t i = 0; i < t.width * t.height; i++) {
        double off = fabs(sample_at(&out, 0, i) - sample_at(&want, 0, i));
        assert_true(least == most ? sample_at(&out, 0, i) == least
                                  : off <= 0x1.8p-23 * fmax(fabsf(least), fabsf(most)));
    }
}

TEST(test_singles)
{
    static const float both[][2] = {{0.1F, 0.1F},
                                    {0x1p-123F, 0x1p-123F},
                                    {FLT_MAX, FLT_MAX},
                                    {-FLT_MAX, -FLT_MAX},
                                    {-FLT_MAX, FLT_MAX},
                                    {0, 1},
                                    {FLT_MAX, 0x1.fffffcp127F}};
    for (size_t i = 0; i < sizeof both / sizeof *both; i++) {
        for (double sigma = 0.3; sigma <= 6; sigma += 0.3) {
            check_singles(ctx, sigma, both[i][0], both[i][1]);
        }
    }
}

/* What is not finite is in all windows that contain it, and in no other. -0 counts as 0. */
static void check_not_finite(satf_context *ctx, double sigma)
{
    ref_gauss gauss = {.sigma = sigma,
                       .passes = passes_of(sigma, 4),
                       .border = SATF_BORDER_MIRROR,
                       .how = REF_EXACT};
    test_case t = {90, 80, 1, SATF_F32, gauss};
    int64_t reach = ref_reach(&t.gauss);
    SCOPED_FILTER *filter = filter_of(ctx, &t, "gauss", "");
    SCOPED_VIEW in = view_of(&t, t.type);
    fill(&in, 5);
    SCOPED_VIEW clean = result_of(ctx, filter, &in);
    put_at(&in, 40, 45, INFINITY);
    SCOPED_VIEW out = result_of(ctx, filter, &in);
    for (int64_t i = 0; i < 90 * 80; i++) {
        double got = sample_at(&out, 0, i), was = sample_at(&clean, 0, i);
        bool near = llabs(i % 90 - 45) <= reach && llabs(i / 90 - 40) <= reach;
        if (near ? isfinite(got) : got != was) {
            fail_msg("an infinity makes sample %ld %g, not %g", (long)i, got, was);
        }
        put_at(&in, 0, i, -0.0);
    }
    MUST(ctx, satf_filter_apply(ctx, filter, &in, &out));
    for (int64_t i = 0; i < 90 * 80; i++) {
        assert_false(signbit(sample_at(&out, 0, i)));
    }
}

TEST(test_not_finite)
{
    check_not_finite(ctx, 3);
    check_not_finite(ctx, 8);
}

/* gauss, and dog: both Gaussians of dog by weights, or both by boxes. */
static void check_difference(satf_context *ctx, test_case *t, const satf_view *in, double ratio)
{
    size_t n = (size_t)(satf_row_samples(in) * in->height);
    SCOPED long double *narrow = malloc(n * sizeof *narrow), *wide = malloc(n * sizeof *wide);
    SCOPED_FILTER *gauss = filter_of(ctx, t, "gauss", "");
    SCOPED_FILTER *dog = filter_of(ctx, t, "dog", ratio > 1.5 ? "" : ",ratio=1.25");
    test_case both = *t;
    ref_gauss *narrower = &both.gauss, wider = t->gauss;
    wider.sigma *= ratio;
    narrower->passes = wider.passes = passes_of(wider.sigma, 4);
    ref_smooth(&t->gauss, in, narrow);
    ref_smooth(&wider, in, wide);
    MODEL_CHECK(ctx, .filter = gauss, .in = *in, .ways = MODEL_AUTO, .right = is_near,
                .user = &(smooth_case){t, narrow, NULL, NULL});
    ref_smooth(narrower, in, narrow);
    MODEL_CHECK(ctx, .filter = dog, .in = *in, .ways = MODEL_AUTO, .type = SATF_F64,
                .right = is_difference, .user = &(smooth_case){&both, narrow, wide, in});
}

/* Whole images by the filters, whose last channel is alpha if it says so: often 0 in a part that is
 * wider than what a result depends on. */
TEST(test_filters)
{
    enum { CLEAR = 30 };
    static const double several[] = {0.8, 2.6, 4, 0.8, 6.1}; /* 4: gauss by weights, dog by boxes */
    for (int k = 0; k < SIZES * TYPES * BORDERS * 6; k++) {
        int layout = k / (SIZES * TYPES * BORDERS), channels = 1 + layout % 4;
        bool alpha = layout > 3 || channels == 4;
        test_case t = {.width = sizes[k % SIZES][0],
                       .height = sizes[k % SIZES][1],
                       .channels = channels + (alpha && channels == 1),
                       .type = ref_types[k / SIZES % TYPES],
                       .gauss = {.sigma = several[k % 5],
                                 .passes = passes_of(several[k % 5], 4),
                                 .border = k / (SIZES * TYPES) % BORDERS,
                                 .constant = 1,
                                 .alpha = alpha}};
        SCOPED_VIEW in = view_of(&t, t.type);
        fill(&in, (uint64_t)k);
        for (int64_t i = 0; i < t.width * t.height && alpha && k % 5 < 3; i++) {
            if (i % t.width < CLEAR) {
                put_at(&in, 0, (i + 1) * t.channels - 1, 0);
            }
        }
        t.gauss.how = how_of(&t);
        t.gauss.words = t.type == SATF_U16;
        t.gauss.singles = t.type == SATF_F32;
        check_difference(ctx, &t, &in, k % 2 ? 1.6 : 1.25);
    }
}

/* Bands of rows and blocks of columns, of one filter and of a chain. */
TEST(test_threads)
{
    static const char *const chains[] = {
        "gauss=1",
        "gauss=2",
        "gauss=6,border=shrink",
        "gauss=8,border=reflect",
        "gauss=30,passes=5",
        "dog=2.3",
        "gauss=8,border=shrink",
        "gauss=0.5 box=3 gauss=1",
        "gauss=1,border=mirror gauss=0.7 gauss=1.2,border=constant:1"};
    for (size_t k = 0; k < sizeof chains / sizeof *chains * TYPES; k++) {
        test_case t = {.width = 151, .height = 310, .channels = 3, .type = ref_types[k % TYPES]};
        SCOPED_VIEW in = view_of(&t, t.type);
        SCOPED_FILTER *chain = parse_filter(ctx, chains[k / TYPES]);
        fill(&in, k + 1);
        satf_context_set_threads(ctx, 1);
        SCOPED_VIEW one = result_of(ctx, chain, &in);
        for (int threads = 2; threads < 9; threads++) {
            char how[20];
            satf_context_set_threads(ctx, threads);
            SCOPED_VIEW out = result_of(ctx, chain, &in);
            snprintf(how, sizeof how, "%d threads", threads);
            require_same(chains[k / TYPES], how, &out, &one);
        }
    }
}

/* Halves go up, and what transparent pixels left of alpha may be too little for its colour. */
TEST(test_rounding)
{
    enum { N = 33 };
    for (int isa = 0; isa < SATF_ISA_COUNT; isa++) {
        satf_cpu_limit((satf_isa)isa);
        double numbers[N], most[2] = {UINT8_MAX, UINT16_MAX};
        uint8_t bytes[N];
        uint16_t words[N];
        for (int k = 0; k < 2; k++) {
            for (int i = 0; i < N; i++) {
                numbers[i] = i % 2 ? i / 2.0 : most[k] + (i - N / 2.0) / 8;
            }
            epilogue_reals(SATF_U8, numbers, N, bytes);
            epilogue_reals(SATF_U16, numbers, N, words);
            for (int i = 0; i < N; i++) {
                double nearest = floor(numbers[i] + 0.5);
                assert_true(bytes[i] == fmin(nearest, UINT8_MAX));
                assert_true(words[i] == fmin(nearest, UINT16_MAX));
            }
        }
    }
    satf_cpu_limit(SATF_ISA_COUNT);
}

/* Sums are exact up to the largest radius; what is wider, and other numbers of passes, are refused.
 * A Gaussian of weights has no passes. */
TEST(test_limits)
{
    static const char *const wrong[] = {"gauss=-0.1", "gauss=1000.1", "gauss=2,down=1001",
                                        "gauss=2,passes=2", "gauss=2,passes=6"};
    satf_filter *filter;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        expect(ctx, satf_filter_parse(ctx, wrong[i], &filter), SATF_INVALID, "are possible");
    }
    SCOPED_FILTER *largest = parse_filter(ctx, "gauss=1000,passes=3");
    filter_axes widest =
        filter_info_find("gauss")->ways[0].list[0].lines(filter_options(largest, 0));
    assert_true(2 * widest.along.radius + 2 < INT64_C(1) << (53 - LINE_BITS));
    test_case t = {8, 8, 1, SATF_U8, {.sigma = 2}};
    SCOPED_VIEW in = view_of(&t, SATF_U8);
    SCOPED_VIEW out = view_of(&t, SATF_U8);
    SCOPED_FILTER *narrow = parse_filter(ctx, "gauss=2,passes=5");
    filter_axes own = filter_info_find("gauss")->ways[0].list[0].lines(filter_options(narrow, 0));
    assert_true(own.along.times == 0 && own.down.radius == 8);
    expect(ctx, satf_filter_apply(ctx, narrow, &in, &out), SATF_INVALID,
           "passes=5 of gauss: up to a sigma of 6 it has a Gaussian's own weights");
}

TEST_FILE(.shared = true)
