/* Formulas see what their entries list, and 0 for all else, by every engine: filters of modules
 * with a formula for each set of moments, and the library's formulas. */
#include "test.h"

#include "base/cpu.h"
#include "filter/filter.h"
#include "filter/modules.h"
#include "filter_reference.h"

typedef struct all_options {
    filter_window window;
} all_options;

enum { BOTH = FORMULA_SUM | FORMULA_SQUARE };

/* The sum of squares as it is. */
SATF_FORMULA double squares_of(const formula_sums *in)
{
    return formula_in_reals(in)        ? in->real_square
           : in->words == FORMULA_WORD ? (double)(uint64_t)in->square
                                       : formula_double(in->square);
}

/* One number of all that there is: exact, as those of the test are integers below 2^53. */
SATF_FORMULA formula_value tell(const formula_sums *in, unsigned reads)
{
    double squares = (reads & BOTH) == BOTH ? formula_spread(in) : squares_of(in);
    return formula_real(formula_sum(in) + 3 * squares + 5 * in->centre + 7 * in->aux[0] +
                        11 * in->aux[1] + 13 * (in->greatest + in->least) +
                        17 * (in->factor + in->before));
}

/* ------------------------------------------------------------------------- the modules */

/* X(n): a formula that lists the moments whose bits n has. */
#define FOUR(X, a, b, c, d) X(a) X(b) X(c) X(d)
#define EVERY_SET(X)        \
    FOUR(X, 0, 1, 2, 3)     \
    FOUR(X, 4, 5, 6, 7)     \
    FOUR(X, 8, 9, 10, 11)   \
    FOUR(X, 12, 13, 14, 15) \
    FOUR(X, 16, 17, 18, 19) FOUR(X, 20, 21, 22, 23) FOUR(X, 24, 25, 26, 27) FOUR(X, 28, 29, 30, 31)

#define FORMULA(n)                                                                                \
    typedef all_options set_##n##_options;                                                        \
    SATF_FORMULA formula_value set_##n##_formula(const formula_sums *in, const all_options *none) \
    {                                                                                             \
        (void)none;                                                                               \
        return tell(in, n);                                                                       \
    }                                                                                             \
    LOOPS(set_##n, n)                                                                             \
    FORMULA_CALL(set_##n, n)
EVERY_SET(FORMULA)

static const filter_param params[] = {FILTER_WINDOW_PARAMS(all_options, "3"), FILTER_PARAM_END};

enum { OWN = 1, SUM_ALONE = 2, MODULE_COUNT = 3 }; /* the module's formula, and another one */

static const filter_pass one_pass[] = {
    {.over = OVER_WINDOW, .keeps_alpha = true, .type = TYPE_REAL, .formula = OWN}};

/* The samples as they are, then the formula beside these and the input. */
static const filter_pass two_passes[] = {
    {.over = OVER_PIXEL, .type = TYPE_REAL, .formula = SUM_ALONE},
    {.over = OVER_WINDOW, .aux = {0, 2}, .type = TYPE_REAL, .formula = OWN}};

/* A formula that lists nothing, after a reduction that lists the sum. */
static const filter_pass reducing[] = {{.over = OVER_WINDOW,
                                        .averages_alpha = true,
                                        .type = TYPE_REAL,
                                        .formula = OWN,
                                        .reduction = SUM_ALONE}};

#define ENTRY(n)                                            \
    {                                                       \
        call_set_##n, n,                                    \
        {                                                   \
            set_##n##_real, set_##n##_exact, set_##n##_word \
        }                                                   \
    }
#define ENTRIES(n) {{NULL, 0, {NULL, NULL, NULL}}, ENTRY(n), ENTRY(1)},
static const satf_module_formula formulas[][MODULE_COUNT] = {EVERY_SET(ENTRIES)};

enum { SETS = 32, MODULES_HERE = SETS + SETS / 2 + 1 };

static filter_info infos[MODULES_HERE];
static satf_module modules[MODULES_HERE];
static char names[MODULES_HERE][16];

static int add_module(satf_context *ctx, const char *name, int set, const filter_pass *passes,
                      int pass_count)
{
    static int count;
    int k = count++;
    snprintf(names[k], sizeof names[k], "%s%d", name, set);
    infos[k] = (filter_info){.name = names[k],
                             .help = "",
                             .detail = "",
                             .params = params,
                             .options_bytes = sizeof(all_options),
                             .ways = {{passes, pass_count}}};
    modules[k] = (satf_module){
        .formula_count = MODULE_COUNT, .filter = &infos[k], .formulas = formulas[set]};
    return module_add(ctx, names[k], &modules[k]) != SATF_OK;
}

/* "one" of each set, "two" of those with the sum, and a reduction: no more are allowed. */
static int add_modules(void **state)
{
    satf_context *ctx;
    int failed = satf_context_create(&ctx) != SATF_OK;
    for (int set = 0; set < SETS; set++) {
        failed |= add_module(ctx, "one", set, one_pass, 1);
        failed |= set % 2 && add_module(ctx, "two", set, two_passes, 2);
    }
    failed |= add_module(ctx, "reduction", 0, reducing, 1);
    satf_context_destroy(ctx);
    (void)state;
    return failed;
}

/* --------------------------------------------------------------------------- the cases */

enum { W = 19, H = 11, MOST = W * H * 4 };

typedef struct moment_case {
    int type, channels, border;
    bool alpha;
    int64_t w, h;
    double offset;
} moment_case;

/* Samples of a case, and the moments by definition; alpha weighs in the second. */
typedef struct moments {
    double samples[MOST];
    long double weight[2][MOST], sum[2][MOST], square[2][MOST];
} moments;

/* How often the window of a pixel has each of n places. */
static int64_t count_places(int border, int64_t at, int64_t length, int64_t n, int64_t *counts)
{
    int64_t inside = 0;
    memset(counts, 0, (size_t)n * sizeof *counts);
    for (int64_t i = at - length / 2; i < at - length / 2 + length; i++) {
        int64_t place = satf_border_index(border, i, n);
        inside += place >= 0;
        counts[place < 0 ? 0 : place] += place >= 0;
    }
    return inside;
}

static void add_pixels(moments *m, int64_t to, bool weighted, long double pixels, double sample,
                       double alpha)
{
    long double times = pixels * (weighted ? (long double)alpha : 1);
    m->weight[weighted][to] += times;
    m->sum[weighted][to] += times * (long double)sample;
    m->square[weighted][to] += times * (long double)sample * (long double)sample;
}

/* What lies outside is 1, alpha too, and counts under a constant border. */
static void find_moments(const moment_case *c, int64_t x, int64_t y, moments *m)
{
    int64_t columns[W], rows[H];
    int64_t across = count_places(c->border, x, c->w, W, columns);
    int64_t down = count_places(c->border, y, c->h, H, rows);
    int64_t outside = c->border == SATF_CONSTANT ? c->w * c->h - across * down : 0;
    for (int k = 0; k < 2 * c->channels; k++) {
        bool weighted = k >= c->channels;
        int channel = k % c->channels;
        int64_t to = (y * W + x) * c->channels + channel;
        m->weight[weighted][to] = m->sum[weighted][to] = m->square[weighted][to] = 0;
        add_pixels(m, to, weighted, outside, 1, 1);
        for (int64_t p = 0; p < W * H; p++) {
            const double *pixel = m->samples + p * c->channels;
            add_pixels(m, to, weighted, columns[p % W] * rows[p / W], pixel[channel],
                       pixel[c->channels - 1]);
        }
    }
}

/* Integers, but for the alphas of floats: quarters. */
static satf_view make_image(const moment_case *c, uint64_t seed, moments *m)
{
    satf_view view = satf_view_packed(malloc(MOST * 8), W, H, c->channels, (satf_type)c->type);
    view.flags = c->alpha ? SATF_ALPHA : 0;
    bool real = satf_type_is_float(c->type);
    for (int64_t i = 0; i < W * H * c->channels; i++) {
        bool alpha = c->alpha && i % c->channels == c->channels - 1;
        uint64_t random = ref_random(&seed);
        double value =
            alpha ? (double)(random % 4) / (real ? 4 : 1) : c->offset + (double)(random % 16);
        formula_store(c->type, formula_real(value),
                      (char *)view.data + i * (int64_t)satf_type_bytes(c->type));
        m->samples[i] = value;
    }
    for (int64_t i = 0; i < W * H; i++) {
        find_moments(c, i % W, i / W, m);
    }
    return view;
}

static satf_filter *make_filter(satf_context *ctx, const moment_case *c, const char *name)
{
    char size[48];
    satf_filter *filter;
    snprintf(size, sizeof size, "%ldx%ld", (long)c->w, (long)c->h);
    assert_int_equal(satf_filter_create(ctx, name, &filter), SATF_OK);
    assert_int_equal(satf_filter_set(ctx, filter, "size", size), SATF_OK);
    assert_int_equal(satf_filter_set_border(ctx, filter, (satf_border)c->border, 1), SATF_OK);
    return filter;
}

/* What the formula of a set tells of sample i. */
static double told(const moment_case *c, const moments *m, int set, bool two, int64_t i)
{
    bool weighted = c->alpha && !two;
    long double sum = m->sum[weighted][i], square = m->square[weighted][i];
    long double sample = (long double)m->samples[i];
    if (weighted && i % c->channels == c->channels - 1) {
        return (double)sample;
    }
    square = (set & BOTH) == BOTH ? m->weight[weighted][i] * square - sum * sum : square;
    return (double)((set & FORMULA_SUM ? sum : 0) + (set & FORMULA_SQUARE ? 3 * square : 0) +
                    (set & FORMULA_CENTRE ? 5 * sample : 0) + (set & FORMULA_AUX ? 7 * sample : 0) +
                    (set & FORMULA_AUX_TOO ? 11 * sample : 0));
}

static void check_samples(const moment_case *c, const char *name, const char *engine,
                          const double *got, const double *wanted)
{
    for (int64_t i = 0; i < W * H * c->channels; i++) {
        if (got[i] != wanted[i] && !isnan(wanted[i])) {
            fail_msg("%s of %s + %g, %d channels%s, window %ld x %ld, border %s, engine %s, %s: "
                     "sample %ld is %.17g, not %.17g",
                     name, satf_type_name(c->type), c->offset, c->channels,
                     c->alpha ? " with alpha" : "", (long)c->w, (long)c->h,
                     satf_border_name(c->border), engine, satf_isa_name(satf_cpu_isa()), (long)i,
                     got[i], wanted[i]);
        }
    }
}

/* Twice by each engine. A sample of which NaN is wanted may be anything. */
static void check_filter(satf_context *ctx, const moment_case *c, const satf_view *in,
                         const char *name, const double *wanted)
{
    static const char *const engines[] = {"auto", "sat", "window"};
    double got[MOST];
    SCOPED_FILTER *filter = make_filter(ctx, c, name);
    satf_view out;
    assert_int_equal(satf_filter_output(ctx, filter, in, &out), SATF_OK);
    assert_int_equal(out.type, SATF_F64);
    out.data = got;
    for (int k = SATF_ENGINE_SAT; k <= SATF_ENGINE_WINDOW; k++) {
        satf_context_set_engine(ctx, (satf_engine)k);
        for (int run = 0; run < 2; run++) {
            assert_int_equal(satf_filter_apply(ctx, filter, in, &out), SATF_OK);
            check_samples(c, name, engines[k], got, wanted);
        }
    }
}

/* The greatest of the windows' sums, and the least sample that is not transparent. */
static double reduced(const moment_case *c, const moments *m)
{
    long double greatest = -INFINITY;
    double least = INFINITY;
    for (int64_t i = 0; i < W * H * c->channels; i++) {
        int64_t alpha = i - i % c->channels + c->channels - 1;
        if (c->alpha && i == alpha) {
            continue;
        }
        greatest = fmaxl(greatest, m->sum[c->alpha][i]);
        least = c->alpha && m->samples[alpha] == 0 ? least : fmin(least, m->samples[i]);
    }
    return 13 * ((double)greatest + least);
}

static void check_case(satf_context *ctx, const moment_case *c, uint64_t seed)
{
    static moments m;
    double wanted[MOST];
    char name[16];
    satf_view in = make_image(c, seed, &m);
    for (int set = 0; set < SETS; set++) {
        for (int two = 0; two <= set % 2; two++) {
            for (int64_t i = 0; i < W * H * c->channels; i++) {
                wanted[i] = told(c, &m, set, two, i);
            }
            snprintf(name, sizeof name, "%s%d", two ? "two" : "one", set);
            check_filter(ctx, c, &in, name, wanted);
        }
    }
    for (int64_t i = 0; i < W * H * c->channels; i++) {
        bool alpha = c->alpha && i % c->channels == c->channels - 1;
        wanted[i] = alpha ? (double)NAN : reduced(c, &m);
    }
    check_filter(ctx, c, &in, "reduction0", wanted);
    free(in.data);
}

/* Windows whose sums and products take doubles, words of 64 bits, and of 128. */
TEST(test_modules)
{
    static const int types[] = {SATF_U8, SATF_U16, SATF_F32, SATF_F64};
    static const int borders[] = {SATF_CLAMP, SATF_SHRINK, SATF_CONSTANT};
    static const int64_t windows[][2] = {{5, 3}, {700, 600}, {4, 5}};
    uint64_t seed = 0;
    for (int isa = SATF_ISA_BASE; isa < SATF_ISA_COUNT; isa++) {
        satf_cpu_limit((satf_isa)isa);
        for (int k = 0; k < 4 * 3 * 3; k++, seed++) {
            int type = types[k % 4], channels = k / 4 % 3 + 1;
            const int64_t *window = windows[k / 12];
            bool offset = satf_type_is_float(type) && k / 12 == 2;
            for (int alpha = 0; alpha <= (channels > 1); alpha++) {
                moment_case c = {type,      channels,  borders[seed % 3],  alpha,
                                 window[0], window[1], offset ? 0x1p20 : 0};
                check_case(ctx, &c, seed);
            }
        }
    }
    satf_cpu_limit(SATF_ISA_COUNT);
}

/* ------------------------------------------------------------------- the library's own */

/* The moments of some window, and those that are not in `reads` something else. */
static formula_sums sums_with(unsigned reads, bool real, formula_words words, double other)
{
    formula_sums in = {.real = real, .words = words, .level = 257, .full = 65535};
    bool sum = reads & FORMULA_SUM, square = reads & FORMULA_SQUARE;
    formula_set_weight(&in, 20);
    in.real_sum = sum ? 1000 : other;
    in.real_square = square ? 90000 : other;
    in.sum = (satf_u128)in.real_sum;
    in.square = (satf_u128)in.real_square;
    in.centre = reads & FORMULA_CENTRE ? 50 : other;
    in.aux[0] = reads & FORMULA_AUX ? 30 : other;
    in.aux[1] = reads & FORMULA_AUX_TOO ? 40 : other;
    in.greatest = 70;
    in.least = 20;
    in.factor = 2;
    in.before = 300;
    return in;
}

/* Black and white shows its threshold, in which more is seen. */
static void set_flags(const char *name, void *options)
{
    const filter_info *info = filter_info_find(name);
    const filter_bilevel flags = {.surface = true};
    if (info && filter_last(info)->type == TYPE_BILEVEL) {
        memcpy((char *)options + filter_last(info)->bilevel, &flags, sizeof flags);
    }
}

/* Without formula_hide(): so the kernels of devices, which load what is listed, need no more. */
#define FORMULA_ENTRY(name, reads)                                                         \
    static void check_##name(bool real, formula_words words)                               \
    {                                                                                      \
        name##_options options;                                                            \
        memset(&options, 0x3f, sizeof options); /* its doubles are 0.0005 */               \
        set_flags(#name, &options);                                                        \
        formula_sums none = sums_with((reads), real, words, 0);                            \
        formula_sums some = sums_with((reads), real, words, 123456);                       \
        double got = formula_number_of(name##_formula(&some, &options));                   \
        double wanted = formula_number_of(name##_formula(&none, &options));                \
        if (!(got == wanted)) {                                                            \
            fail_msg(#name " reads what it does not list: %.17g, not %.17g", got, wanted); \
        }                                                                                  \
    }
#include "filters/all.h"
#undef FORMULA_ENTRY

TEST(test_library)
{
#define FORMULA_ENTRY(name, reads)     \
    check_##name(true, FORMULA_WIDE);  \
    check_##name(false, FORMULA_WIDE); \
    check_##name(false, FORMULA_WORD); \
    check_##name(false, FORMULA_EXACT);
#include "filters/all.h"
#undef FORMULA_ENTRY
}

TEST_FILE(.begin = add_modules)
