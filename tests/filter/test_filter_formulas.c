/* Formulas that stand in a filter's file, where windows are not what is difficult. */
#include "test.h"
#include "chain/pass.h"
#include "filter_any.h"
#include "filter_formulas.h"
#include "filter_make.h"

/* Who takes red, green and blue for what they are. */
TEST(test_knows_colours)
{
    static const struct {
        const char *spec;
        int knows;
    } cases[] = {{"box=5 guided=3 flip=h", 0}, {"box=3 sauvola=5", 1}, {"unsharp=5,threshold=2", 0},
                 {"unsharp=5,luma box=3", 1},  {"adaptive=5", 1},      {"integral", 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        SCOPED_FILTER *filter = parse_filter(ctx, cases[k].spec);
        assert_int_equal(satf_filter_knows_colours(filter) != 0, cases[k].knows);
    }
    assert_int_equal(satf_filter_knows_colours(NULL), 0);
}

/* Every filter to black and white has both flags; a surface is of reals, also when it is moved. */
TEST(test_surfaces)
{
    static const char *const chains[] = {"", " flip=h rotate=90"};
    const filter_info *info;
    int found = 0;
    for (size_t i = 0; (info = filter_info_at(i)); i++) {
        for (size_t k = 0; filter_last(info)->type == TYPE_BILEVEL && k < 4; k++) {
            satf_filter *filter;
            char spec[80];
            satf_view in = satf_view_packed(NULL, 9, 9, 3, SATF_U16), out;
            snprintf(spec, sizeof spec, "%s=5,%s%s", info->name, k % 2 ? "surface" : "invert",
                     chains[k / 2]);
            assert_int_equal(satf_filter_parse(ctx, spec, &filter), SATF_OK);
            assert_int_equal(satf_filter_output(ctx, filter, &in, &out), SATF_OK);
            assert_int_equal(out.type, k % 2 ? SATF_F64 : SATF_U8);
            assert_int_equal(filter_is_bilevel(filter), k % 2 == 0);
            satf_filter_destroy(filter);
            found++;
        }
    }
    assert_true(found >= 4 * 6);
}

/* The sign of W a - S b, for products that doubles do not hold and that are next to each other. */
TEST(test_excess)
{
    uint64_t seed = 1;
    int rounded_alike = 0;
    for (int i = 0; i < 100000; i++) {
        int64_t weight = (int64_t)(ref_random(&seed) >> (12 + i % 40)) + 1;
        int64_t b = (int64_t)(ref_random(&seed) >> (24 + i % 17)) + 1;
        int64_t a = (int64_t)(ref_random(&seed) >> (24 + i % 19)) + 1;
        ref_wide product = (ref_wide)weight * a, sum = product / b + (int64_t)(i % 3) - 1;
        if (sum < 0 || sum >> 53) {
            continue;
        }
        ref_wide wanted = product - sum * b;
        formula_sums in = {
            .words = FORMULA_EXACT, .real_weight = (double)weight, .real_sum = (double)sum};
        double got = formula_excess(&in, (double)a, (double)b);
        formula_sums wide = {.weight = (uint64_t)weight, .sum = (satf_u128)sum};
        double same = formula_excess(&wide, (double)a, (double)b);
        assert_int_equal((got > 0) - (got < 0), (wanted > 0) - (wanted < 0));
        assert_int_equal((same > 0) - (same < 0), (wanted > 0) - (wanted < 0));
        rounded_alike += wanted != 0 && (double)weight * (double)a == (double)sum * (double)b;
        assert_true(formula_excess(&wide, -(double)a, (double)b) < 0);
    }
    assert_true(rounded_alike > 100);
}

/* a, t, M, the window's weight, its sum of 0 ... M a weight, p, and a word's width, at random. */
typedef struct soft_case {
    int64_t amount, threshold, full, weight, sum, sample;
    formula_words words;
} soft_case;

static soft_case soft_draw(uint64_t *seed, int i)
{
    static const int64_t fulls[] = {1, 15, 255, 1000, 4095, 65534, 65535};
    soft_case c = {.full = fulls[i % 7], .words = i % 2 ? FORMULA_EXACT : FORMULA_WIDE};
    c.amount = (int64_t)(ref_random(seed) % 1000001) >> (i % 5 * 5);
    c.threshold = (int64_t)(ref_random(seed) % 30000) >> (i % 4 * 5);
    c.weight = (int64_t)(ref_random(seed) >> (30 + i % 34)) + 1;
    c.sample = (int64_t)(ref_random(seed) % (uint64_t)(c.full + 1));
    /* next to where the change is k and a half */
    ref_wide a = c.amount > 0 ? c.amount : 1, k = (ref_wide)(ref_random(seed) % 300);
    ref_wide unit = (ref_wide)255000 * a, part = (2 * k + 1) * 2550000000 * c.weight;
    ref_wide far = (part + 2 * a * c.threshold * c.full * c.weight) / (2 * unit) + i % 3 - 1;
    ref_wide sum = (ref_wide)c.sample * c.weight + (i % 4 < 2 ? far : -far);
    ref_wide most = (ref_wide)c.full * c.weight;
    c.sum = (int64_t)(sum < 0 ? -sum % (most + 1) : sum % (most + 1));
    return c;
}

/* As the reference rounds it; and whether one division of doubles does the same. */
static double soft_exact(const soft_case *c, bool *one_division)
{
    ref_moments m = {.amount = c->amount, .threshold = c->threshold};
    m.full = (double)c->full;
    m.sample = (double)c->sample;
    ref_wide above = (ref_wide)c->sample * c->weight - c->sum, far = above < 0 ? -above : above;
    ref_wide over = 255000 * far - (ref_wide)c->threshold * c->full * c->weight;
    ref_wide change = over > 0 ? c->amount * over : 0, down = (ref_wide)2550000000 * c->weight;
    double exact = ref_soft(&m, above, c->weight);
    double quotient = (double)(c->sample * down + (above < 0 ? -change : change)) / (double)down;
    *one_division = floor(quotient) + (quotient - floor(quotient) >= 0.5) == exact;
    return model_saturated(exact, m.full);
}

static double soft_fraction(const soft_case *c)
{
    long double above = (long double)c->sample - (long double)c->sum / (long double)c->weight;
    long double over = fabsl(above) - (long double)c->threshold * (long double)c->full / 255000;
    long double change = over > 0 ? (long double)c->amount / 10000 * over : 0;
    return (double)((long double)c->sample + (above < 0 ? -change : change));
}

/* A pixel beyond a threshold is the nearest to the exact fraction also where that is a half, and
 * where neither the products nor the quotient fit doubles. */
TEST(test_soft)
{
    uint64_t seed = 9;
    int hard = 0;
    for (int i = 0; i < 400000; i++) {
        soft_case c = soft_draw(&seed, i);
        formula_sums in = {.rounded = true,
                           .words = c.words,
                           .sum = (satf_u128)c.sum,
                           .weight = (uint64_t)c.weight,
                           .real_sum = (double)c.sum,
                           .real_weight = (double)c.weight,
                           .centre = (double)c.sample,
                           .full = (double)c.full,
                           .level = (double)c.full / 255,
                           .most = (double)c.full};
        unsharp_options options = {.amount = (double)c.amount / 10000,
                                   .threshold = (double)c.threshold / 1000};
        bool one_division;
        double want = soft_exact(&c, &one_division);
        formula_value value = FORMULA_APPLY(unsharp_soft, &in, &options);
        double got = (double)formula_saturated(value, UINT16_MAX);
        if (got != want) {
            fail_msg("%d: a %ld, t %ld, M %ld, W %ld, S %ld, p %ld: %g, not %g", i, (long)c.amount,
                     (long)c.threshold, (long)c.full, (long)c.weight, (long)c.sum, (long)c.sample,
                     got, want);
        }
        hard += !one_division;
        in.rounded = false; /* of results that are no integers it is the fraction */
        in.most = INFINITY;
        double fraction = soft_fraction(&c), most = 1e-14 * (65535 + fabs(fraction));
        got = formula_number_of(FORMULA_APPLY(unsharp_soft, &in, &options));
        if (!(fabs(got - fraction) <= most)) {
            fail_msg("%d: %.17g, not the fraction %.17g", i, got, fraction);
        }
    }
    assert_true(hard > 100);
}
