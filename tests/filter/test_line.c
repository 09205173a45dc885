/* Gaussian smoothing against its definition: every type, border and size, from every row on. */
#include "test.h"

#include "base/cpu.h"
#include "base/parallel.h"
#include "formula/epilogue.h"
#include "sums/lines/line.h"
#include "line_reference.h"
#include "model.h"

typedef struct test_case {
    int64_t width, height;
    int channels;
    int type;
    ref_gauss gauss;
} test_case;

static const int64_t sizes[][2] = {{1, 1}, {1, 40}, {37, 1}, {3, 2}, {34, 33}, {65, 70}};
static const double sigmas[] = {0.3, 1, 2.6, 8, 90};
enum {
    SIZES = sizeof sizes / sizeof *sizes,
    SIGMAS = sizeof sigmas / sizeof *sigmas,
    TYPES = 4,
    BORDERS = SATF_SHRINK + 1 /* all but valid */
};

static ref_passes how_of(const test_case *t)
{
    bool whole = t->type != SATF_U8 || t->gauss.alpha || t->gauss.border == SATF_SHRINK;
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
    double off = whole ? 0 : s->t->type == SATF_F32 ? 1e-6 : 1e-12;
    *want = whole ? (double)floorl(s->want[at->i] + 0.5L) : (double)s->want[at->i];
    return fabs(got - *want) <= off && (!s->same || got == sample_at(s->same, 0, at->i));
}

/* The one Gaussian less the other, exactly where integers are not divided, and alpha as it was. */
static bool is_difference(const void *user, const model_place *at, double got, double *want)
{
    const smooth_case *s = user;
    const ref_gauss *g = &s->t->gauss;
    bool kept = g->alpha && at->channel == s->t->channels - 1;
    bool quotients = g->alpha || g->border == SATF_SHRINK;
    *want = kept ? sample_at(s->same, 0, at->i) : (double)s->want[at->i] - (double)s->wide[at->i];
    bool exact = kept || (g->how != REF_EXACT && !quotients);
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
    if (strcmp(name, "gauss") == 0) {
        MUST(ctx, satf_filter_set_int(ctx, filter, "passes", t->gauss.passes));
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
        int passes = 3 + (int)(seed % 3), channels = c % 4 + 1;
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

/* Also all black, all white, and a step. */
TEST(test_exact)
{
    enum { W = 40, H = 7 };
    static const double wide[] = {0.3, 0.7, 1, 3, 10, 50, 200, 1000};
    for (size_t g = 0; g < sizeof wide / sizeof *wide; g++) {
        for (int passes = 3; passes <= 5; passes += wide[g] < 100 ? 1 : 3) {
            for (int kind = wide[g] > 100; kind < 3 + (wide[g] < 100); kind++) {
                test_case t = {W, H, 1, SATF_U8, {wide[g], passes, SATF_CLAMP, 0, 0, REF_EXACT}};
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
                            .user = &(model_values){want, kind % 2 ? 0 : 1 / 32.0, false});
            }
        }
    }
}

/* The response to an impulse sums up to 1, has the variance sigma^2, and is as near to the sampled
 * Gaussian as --help says. */
TEST(test_gaussian)
{
    for (double sigma = 0.3; sigma <= 100; sigma *= 1.02) {
        int64_t n = 2 * (int64_t)(6 * sigma) + 21, middle = n / 2;
        test_case t = {n, 1, 1, SATF_F64, {sigma, 4, SATF_CLAMP, 0, 0, REF_EXACT}};
        SCOPED_VIEW in = view_of(&t, SATF_F64);
        SCOPED_FILTER *filter = filter_of(ctx, &t, "gauss", "");
        memset(in.data, 0, (size_t)in.stride);
        ((double *)in.data)[middle] = 1;
        SCOPED_VIEW out = result_of(ctx, filter, &in);
        double sum = 0, variance = 0, off = 0, all = 0;
        for (int64_t x = -middle; x <= middle; x++) {
            all += exp((double)(-x * x) / (2 * sigma * sigma));
        }
        for (int64_t x = -middle; x <= middle; x++) {
            double value = ((double *)out.data)[middle + x];
            sum += value;
            variance += (double)(x * x) * value;
            off = fmax(off, fabs(value * all - exp((double)(-x * x) / (2 * sigma * sigma))));
        }
        if (fabs(sum - 1) > 1e-12 || fabs(sqrt(variance) / sigma - 1) > 3e-4 ||
            off > (sigma < 1.1 ? 0.11
                   : sigma < 2 ? 0.05
                               : 0.04)) {
            fail_msg("sigma %g: sum %.17g, deviation %g, distance %g", sigma, sum, sqrt(variance),
                     off);
        }
    }
}

/* What is not finite is in all windows that contain it, and in no other. -0 counts as 0. */
TEST(test_not_finite)
{
    test_case t = {90, 80, 1, SATF_F32, {3, 4, SATF_MIRROR, 0, 0, REF_EXACT}};
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

/* gauss, and dog. */
static void check_difference(satf_context *ctx, test_case *t, const satf_view *in, double ratio)
{
    size_t n = (size_t)(satf_row_samples(in) * in->height);
    SCOPED long double *narrow = malloc(n * sizeof *narrow), *wide = malloc(n * sizeof *wide);
    SCOPED_FILTER *gauss = filter_of(ctx, t, "gauss", "");
    SCOPED_FILTER *dog = filter_of(ctx, t, "dog", ratio > 1.5 ? "" : ",ratio=1.25");
    ref_gauss wider = t->gauss;
    wider.sigma *= ratio;
    ref_smooth(&t->gauss, in, narrow);
    ref_smooth(&wider, in, wide);
    MODEL_CHECK(ctx, .filter = gauss, .in = *in, .ways = MODEL_AUTO, .right = is_near,
                .user = &(smooth_case){t, narrow, NULL, NULL});
    MODEL_CHECK(ctx, .filter = dog, .in = *in, .ways = MODEL_AUTO, .type = SATF_F64,
                .right = is_difference, .user = &(smooth_case){t, narrow, wide, in});
}

/* Whole images by the filters, whose last channel is alpha if it says so: often 0 in a part that is
 * wider than what a result depends on. */
TEST(test_filters)
{
    enum { CLEAR = 30 };
    for (int k = 0; k < SIZES * TYPES * BORDERS * 6; k++) {
        int layout = k / (SIZES * TYPES * BORDERS), channels = 1 + layout % 4;
        bool alpha = layout > 3 || channels == 4;
        test_case t = {.width = sizes[k % SIZES][0],
                       .height = sizes[k % SIZES][1],
                       .channels = channels + (alpha && channels == 1),
                       .type = ref_types[k / SIZES % TYPES],
                       .gauss = {.sigma = k % 3 ? 0.8 : 2.6,
                                 .passes = 4,
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
        check_difference(ctx, &t, &in, k % 2 ? 1.6 : 1.25);
    }
}

/* Bands of rows and blocks of columns, of one filter and of a chain. */
TEST(test_threads)
{
    static const char *const chains[] = {
        "gauss=1",
        "gauss=2",
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
 */
TEST(test_limits)
{
    static const char *const wrong[] = {"gauss=0.29", "gauss=1000.1", "gauss=2,passes=2",
                                        "gauss=2,passes=6"};
    satf_filter *filter;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        expect(ctx, satf_filter_parse(ctx, wrong[i], &filter), SATF_INVALID, "are possible");
    }
    SCOPED_FILTER *largest = parse_filter(ctx, "gauss=1000,passes=3");
    filter_lines widest =
        filter_info_find("gauss")->ways[0].list[0].lines(filter_options(largest, 0));
    assert_true(2 * widest.radius + 2 < INT64_C(1) << (53 - LINE_BITS));
}

TEST_FILE(.shared = true)
