/* Formulas see what their entries list, and 0 for all else, by every engine: filters of modules
 * with a formula for each set of moments, and the library's formulas. */
#include "test.h"

#include "base/cpu.h"
#include "chain/filter.h"
#include "chain/modules.h"
#include "model.h"

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

enum { NEITHER = -1 };

/* What filters of modules see: alpha is a channel, or weighs. */
typedef struct seen {
    const model_case *c;
    model_sums plain, weighted;
    int set; /* of what a formula lists; NEITHER: the reduction's */
    bool two;
    double reduced;
} seen;

/* What the formula of a set tells of a sample; alpha beside a reduction may be anything. */
static bool is_told(const void *user, const model_place *at, double got, double *want)
{
    const seen *s = user;
    const ref_image *image = &s->c->image;
    model_moments m = model_moments_at(s->two ? &s->plain : &s->weighted, at->i);
    double unit = model_is_real(s->c) ? REF_UNIT : 1, sample = (double)image->samples[at->i] / unit;
    if (s->set == NEITHER || m.is_alpha) {
        *want = m.is_alpha ? sample : s->reduced;
        return got == *want || (s->set == NEITHER && m.is_alpha);
    }
    double square = (double)m.square * m.square_unit, sum = (double)m.sum * m.sum_unit;
    ref_wide spread = m.weight * m.square - m.sum * m.sum;
    if ((s->set & BOTH) == BOTH) {
        square = (double)spread * m.weight_unit * m.square_unit;
    }
    *want = (s->set & FORMULA_SUM ? sum : 0) + (s->set & FORMULA_SQUARE ? 3 * square : 0) +
            (s->set & FORMULA_CENTRE ? 5 * sample : 0) + (s->set & FORMULA_AUX ? 7 * sample : 0) +
            (s->set & FORMULA_AUX_TOO ? 11 * sample : 0);
    return got == *want;
}

/* The greatest of the windows' sums, and the least sample that is not transparent. */
static double reduce(const seen *s)
{
    const ref_image *image = &s->c->image;
    double greatest = -INFINITY, least = INFINITY, unit = model_is_real(s->c) ? REF_UNIT : 1;
    for (int64_t i = 0; i < ref_count(image); i++) {
        model_moments m = model_moments_at(&s->weighted, i);
        int64_t last = i - i % image->channels + image->channels - 1;
        if (!m.is_alpha) {
            bool clear = image->alpha && image->samples[last] == 0;
            greatest = fmax(greatest, (double)m.sum * m.sum_unit);
            least = clear ? least : fmin(least, (double)image->samples[i] / unit);
        }
    }
    return 13 * (greatest + least);
}

static void check_filter(satf_context *ctx, seen *s, const char *name, int set)
{
    char of_set[16];
    snprintf(of_set, sizeof of_set, "%s%d", name, set);
    MODEL_CHECK(ctx, .of = s->c, .name = of_set, .ways = MODEL_SAT | MODEL_WINDOW | MODEL_AUTO,
                .right = is_told, .user = s);
}

/* Integers, but for the alphas of floats: quarters. Samples of floats have the offset. */
static void fill(model_case *c, int64_t offset)
{
    uint64_t seed = c->seed;
    ref_image *image = &c->image;
    ref_fill(image, seed);
    for (int64_t i = 0; i < ref_count(image); i++) {
        bool alpha = image->alpha && i % image->channels == image->channels - 1;
        int64_t whole = (int64_t)(ref_random(&seed) % (alpha ? 4 : 16)) + (alpha ? 0 : offset);
        image->samples[i] = whole * (!model_is_real(c) ? 1 : alpha ? REF_UNIT / 4 : REF_UNIT);
    }
}

static void check_case(satf_context *ctx, model_case *c, int64_t offset)
{
    fill(c, offset);
    ref_image plain = c->image;
    plain.alpha = 0;
    seen s = {.c = c,
              .plain = model_sum(&plain, c->border, c->constant, model_rect(c)),
              .weighted = model_sum(&c->image, c->border, c->constant, model_rect(c))};
    for (s.set = 0; s.set < SETS; s.set++) {
        s.two = false;
        check_filter(ctx, &s, "one", s.set);
        s.two = true;
        if (s.set % 2) {
            check_filter(ctx, &s, "two", s.set);
        }
    }
    s.two = false;
    s.set = NEITHER;
    s.reduced = reduce(&s);
    check_filter(ctx, &s, "reduction", 0);
    model_sums_free(&s.plain);
    model_sums_free(&s.weighted);
    free(c->image.samples);
}

/* Windows whose sums and products take doubles, words of 64 bits, and of 128. */
TEST(test_modules)
{
    static const int borders[] = {SATF_BORDER_CLAMP, SATF_BORDER_SHRINK, SATF_BORDER_CONSTANT};
    static const int64_t windows[][2] = {{5, 3}, {700, 600}, {4, 5}};
    uint64_t seed = 0;
    for (int isa = SATF_ISA_BASE; isa < SATF_ISA_COUNT; isa++) {
        satf_cpu_limit((satf_isa)isa);
        for (int k = 0; k < 4 * 3 * 3; k++, seed++) {
            int type = model_types[k % 4], channels = k / 4 % 3 + 1;
            bool real = satf_type_is_float(type);
            for (int alpha = 0; alpha <= (channels > 1); alpha++) {
                model_case c = {.image = {19, 11, channels, type, alpha, NULL},
                                .border = borders[seed % 3],
                                .constant = real ? REF_UNIT : 1,
                                .w = windows[k / 12][0],
                                .h = windows[k / 12][1],
                                .seed = seed};
                check_case(ctx, &c, real && k / 12 == 2 ? 1 << 20 : 0);
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
