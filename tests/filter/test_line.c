/* Gaussian smoothing against its definition: every type, border and size, from every row on. */
#include "test.h"

#include "base/cpu.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "filter/epilogue.h"
#include "filter/line.h"
#include "filter/line_kernels.h"
#include "line_reference.h"

typedef struct test_case {
    int64_t width, height;
    int channels;
    int type;
    ref_gauss gauss;
    satf_isa isa;
} test_case;

static const int64_t sizes[][2] = {{1, 1}, {1, 40}, {37, 1}, {3, 2}, {34, 33}, {65, 70}};
static const double sigmas[] = {0.3, 1, 2.6, 8, 90};
enum {
    SIZES = sizeof sizes / sizeof *sizes,
    SIGMAS = sizeof sigmas / sizeof *sigmas,
    TYPES = 4,
    BORDERS = SATF_SHRINK + 1 /* all but valid */
};

static void fail_case(const test_case *t, const char *what, int64_t sample, double got, double want)
{
    fail_msg("%s: %ld x %ld, %d channels of %s%s, sigma %g, %d passes, border %d, %s: sample %ld "
             "is %.17g, not %.17g",
             what, (long)t->width, (long)t->height, t->channels, satf_type_name(t->type),
             t->gauss.alpha ? " with alpha" : "", t->gauss.sigma, t->gauss.passes, t->gauss.border,
             satf_isa_name(t->isa), (long)sample, got, want);
}

/* A source that keeps no row longer than it says, and a result that is written once. */
typedef struct ends {
    const satf_view *in, *out;
    int64_t kept, newest, next;
    int64_t height;
    char *ring;
} ends;

static const void *row_of(void *user, int64_t y)
{
    ends *e = user;
    size_t bytes = (size_t)satf_row_samples(e->in) * satf_type_bytes(e->in->type);
    assert_in_range(y, 0, e->in->height - 1);
    if (y >= e->height) {
        return NULL;
    }
    assert_true(e->newest < 0 || y > e->newest - e->kept);
    e->newest = y > e->newest ? y : e->newest;
    char *row = e->ring + (size_t)(y % e->kept) * bytes;
    memcpy(row, satf_row(e->in, y), bytes);
    return row;
}

static int64_t height_of(void *user)
{
    const ends *e = user;
    return e->newest + 1 >= e->height ? e->height : e->in->height;
}

static void *out_of(void *user, int64_t y)
{
    ends *e = user;
    assert_int_equal(y, e->next++);
    return satf_row(e->out, y);
}

/* What the filter says of these options. */
static filter_lines lines_of(const ref_gauss *g)
{
    char text[64];
    SCOPED_CONTEXT *ctx;
    SCOPED_FILTER *filter;
    snprintf(text, sizeof text, "gauss=%.17g,passes=%d", g->sigma, g->passes);
    assert_int_equal(satf_context_create(&ctx), SATF_OK);
    assert_int_equal(satf_filter_parse(ctx, text, &filter), SATF_OK);
    return filter_info_find("gauss")->ways[0].list[0].lines(filter_options(filter, 0));
}

static line_spec spec_of(const test_case *t, const satf_view *in, const satf_view *out)
{
    return (line_spec){.in = *in,
                       .out = *out,
                       .lines = lines_of(&t->gauss),
                       .border = t->gauss.border,
                       .constant = t->gauss.constant,
                       .weighted = t->gauss.alpha};
}

/* Rows first ... end - 1. True if they are the last ones. */
static bool walk(const test_case *t, const satf_view *in, const satf_view *out, int64_t first,
                 int64_t end, int64_t height)
{
    line_spec spec = spec_of(t, in, out);
    int64_t kept = t->gauss.border == SATF_WRAP ? in->height : line_rows_kept(&spec);
    size_t row = (size_t)satf_row_samples(in) * satf_type_bytes(in->type);
    ends e = {in, out, kept, -1, first, height, malloc((size_t)kept * row)};
    void *memory = satf_alloc(line_walk_bytes(&spec));
    bool failed = false, more = true;
    line_walk *w =
        line_walk_begin(&spec, &(line_ends){row_of, height_of, out_of, &e, NULL}, first, memory);
    for (int64_t y = first; y < end && more; y++) {
        more = line_walk_next(w, &failed);
    }
    assert_false(failed);
    bool last = !line_walk_next(w, &failed) && !failed;
    satf_free(memory);
    free(e.ring);
    return last;
}

static ref_passes how_of(const test_case *t)
{
    bool whole = t->type != SATF_U8 || t->gauss.alpha || t->gauss.border == SATF_SHRINK;
    return satf_type_is_float(t->type) ? REF_EXACT : whole ? REF_WHOLE : REF_NARROW;
}

/* Integers are the reference's, floats as near as rounding leaves them. */
static void compare(const test_case *t, const satf_view *out, const long double *want)
{
    for (int64_t i = 0; i < t->width * t->height * t->channels; i++) {
        double got = sample_at(out, i / (t->width * t->channels), i % (t->width * t->channels));
        double off = t->type == SATF_F32 ? 1e-6 : 1e-12;
        if (t->type == SATF_U8 || t->type == SATF_U16 ? got != (double)floorl(want[i] + 0.5L)
                                                      : !(fabs(got - (double)want[i]) <= off)) {
            fail_case(t, "against the reference", i, got, (double)want[i]);
        }
    }
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

/* What the filter makes of it, by the case's settings and what else the text says. */
static satf_view filtered(satf_context *ctx, const test_case *t, const char *name,
                          const char *settings, const satf_view *in, int type)
{
    char spec[120];
    snprintf(spec, sizeof spec, "%s=%g%s", name, t->gauss.sigma, settings);
    satf_view out = view_of(t, type);
    SCOPED_FILTER *filter = parse_filter(ctx, spec);
    if (strcmp(name, "gauss") == 0) {
        MUST(ctx, satf_filter_set_int(ctx, filter, "passes", t->gauss.passes));
    }
    MUST(ctx, satf_filter_set_border(ctx, filter, (satf_border)t->gauss.border, t->gauss.constant));
    MUST(ctx, satf_filter_apply(ctx, filter, in, &out));
    return out;
}

static void check_isas(test_case *t, const satf_view *in, const satf_view *out)
{
    SCOPED_VIEW other = view_of(t, out->type);
    for (int isa = 0; isa < SATF_ISA_COUNT; isa++) {
        satf_cpu_limit((satf_isa)isa);
        t->isa = satf_cpu_isa();
        for (int64_t first = 0, step = t->height / 3 + 1; first < t->height; first += step) {
            int64_t end = first + step < t->height ? first + step : t->height;
            bool last = walk(t, in, &other, first, end, in->height);
            assert_int_equal(last, end == t->height);
        }
        if (memcmp(other.data, out->data, (size_t)(out->stride * out->height)) != 0) {
            fail_case(t, "in bands, by another instruction set", -1, 0, 0);
        }
    }
    satf_cpu_limit(SATF_ISA_COUNT);
}

static void run_case(test_case *t, uint64_t seed)
{
    SCOPED_VIEW in = view_of(t, t->type), out = view_of(t, t->type);
    size_t samples = (size_t)(t->width * t->height * t->channels);
    SCOPED long double *want = malloc(samples * sizeof *want);
    fill(&in, seed);
    t->gauss.how = how_of(t);
    t->isa = satf_cpu_isa();
    ref_smooth(&t->gauss, &in, want);
    walk(t, &in, &out, 0, t->height, t->height);
    compare(t, &out, want);
    check_isas(t, &in, &out);
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
            run_case(&t, seed);
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
                test_case t = {W, H, 1, SATF_U8, {wide[g], passes, SATF_CLAMP, 0, 0, REF_EXACT}, 0};
                SCOPED_VIEW in = view_of(&t, SATF_U8), out = view_of(&t, SATF_F64);
                long double want[W * H];
                fill(&in, g + 1);
                for (int i = 0; i < W * H && kind; i++) {
                    ((uint8_t *)in.data)[i] = kind == 1 || (kind == 2 && i % W > W / 2) ? 255 : 0;
                }
                ref_smooth(&t.gauss, &in, want);
                walk(&t, &in, &out, 0, t.height, t.height);
                for (int i = 0; i < W * H; i++) {
                    double got = ((double *)out.data)[i];
                    if (fabs(got - (double)want[i]) > 1 / 32.0 ||
                        (kind % 2 == 1 && got != (double)want[i])) {
                        fail_case(&t, "against exact arithmetic", i, got, (double)want[i]);
                    }
                }
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
        test_case t = {n, 1, 1, SATF_F64, {sigma, 4, SATF_CLAMP, 0, 0, REF_EXACT}, 0};
        SCOPED_VIEW in = view_of(&t, SATF_F64), out = view_of(&t, SATF_F64);
        memset(in.data, 0, (size_t)in.stride);
        ((double *)in.data)[middle] = 1;
        walk(&t, &in, &out, 0, 1, 1);
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
            fail_case(&t, "sum, deviation, distance", 0, off, sqrt(variance));
        }
    }
}

/* A picture that turns out to be shorter is smoothed as such. */
TEST(test_short)
{
    for (int b = 0; b < BORDERS; b++) {
        for (int64_t height = 45; height < 70; height++) {
            test_case t = {20, 70, 1, SATF_U8, {2.6, 4, b, 7, 0, REF_NARROW}, 0};
            if (b == SATF_WRAP) {
                continue; /* which wants the last rows first */
            }
            SCOPED_VIEW in = view_of(&t, t.type), out = view_of(&t, t.type);
            satf_view less = in;
            long double want[20 * 70];
            less.height = t.height = height;
            fill(&in, 3);
            t.gauss.how = how_of(&t);
            ref_smooth(&t.gauss, &less, want);
            assert_true(walk(&t, &in, &out, 0, 70, height));
            compare(&t, &out, want);
        }
    }
}

/* What is not finite is in all windows that contain it, and in no other. -0 counts as 0. */
TEST(test_not_finite)
{
    test_case t = {90, 80, 1, SATF_F32, {3, 4, SATF_MIRROR, 0, 0, REF_EXACT}, 0};
    int64_t reach = ref_reach(&t.gauss);
    SCOPED_VIEW in = view_of(&t, t.type), out = view_of(&t, t.type), clean = view_of(&t, t.type);
    fill(&in, 5);
    walk(&t, &in, &clean, 0, t.height, t.height);
    put_at(&in, 40, 45, INFINITY);
    walk(&t, &in, &out, 0, t.height, t.height);
    for (int64_t i = 0; i < 90 * 80; i++) {
        double got = sample_at(&out, 0, i), was = sample_at(&clean, 0, i);
        bool near = llabs(i % 90 - 45) <= reach && llabs(i / 90 - 40) <= reach;
        if (near ? isfinite(got) : got != was) {
            fail_case(&t, "what is not finite", i, got, was);
        }
        put_at(&in, 0, i, -0.0);
    }
    walk(&t, &in, &out, 0, t.height, t.height);
    for (int64_t i = 0; i < 90 * 80; i++) {
        assert_false(signbit(sample_at(&out, 0, i)));
    }
}

/* gauss, and dog: the one Gaussian less the other, exactly where integers are not divided, and
 * alpha as it was. */
static void check_difference(test_case *t, const satf_view *in, const satf_view *smooth,
                             const satf_view *out, double ratio)
{
    int64_t n = satf_row_samples(in) * in->height;
    SCOPED long double *narrow = malloc((size_t)n * sizeof *narrow),
                       *wide = malloc((size_t)n * sizeof *wide);
    ref_gauss wider = t->gauss;
    wider.sigma *= ratio;
    ref_smooth(&t->gauss, in, narrow);
    ref_smooth(&wider, in, wide);
    compare(t, smooth, narrow);
    for (int64_t i = 0; i < n; i++) {
        bool kept = t->gauss.alpha && (i + 1) % t->channels == 0;
        double want = kept ? sample_at(in, 0, i) : (double)narrow[i] - (double)wide[i];
        double got = ((const double *)out->data)[i];
        bool quotients = t->gauss.alpha || t->gauss.border == SATF_SHRINK;
        bool exact = kept || (t->gauss.how != REF_EXACT && !quotients);
        if (exact ? got != want : !(fabs(got - want) <= (t->type <= SATF_U16 ? 1e-6 : 1e-11))) {
            fail_case(t, "dog", i, got, want);
        }
    }
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
        SCOPED_VIEW smooth = filtered(ctx, &t, "gauss", "", &in, t.type);
        SCOPED_VIEW out = filtered(ctx, &t, "dog", k % 2 ? "" : ",ratio=1.25", &in, SATF_F64);
        check_difference(&t, &in, &smooth, &out, k % 2 ? 1.6 : 1.25);
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
    satf_share_anything();
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
    filter_lines widest = lines_of(&(ref_gauss){.sigma = 1000, .passes = 3});
    assert_true(2 * widest.radius + 2 < INT64_C(1) << (53 - LINE_BITS));
}
