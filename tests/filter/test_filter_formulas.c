/* Formulas that stand in a filter's file, where windows are not what is difficult. */
#include "test.h"
#include "filter/pass.h"
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

static void check_blank(satf_context *ctx, const char *spec, int value, int wanted)
{
    unsigned char page[40], want[40], got[40];
    satf_view in = satf_view_packed(page, 8, 5, 1, SATF_U8), out = in;
    satf_filter *filter;
    memset(page, value, sizeof page);
    memset(want, wanted, sizeof want);
    out.data = got;
    assert_int_equal(satf_filter_parse(ctx, spec, &filter), SATF_OK);
    assert_int_equal(satf_filter_apply(ctx, filter, &in, &out), SATF_OK);
    if (memcmp(got, want, sizeof got)) {
        fail_msg("%s of pages of %d is not %d everywhere", spec, value, wanted);
    }
    satf_filter_destroy(filter);
}

/* Pages that are all alike, whatever their value: "p > T" where T is p or more is black. */
TEST(test_blank)
{
    static const struct {
        const char *spec;
        int white, of_zeros;
    } cases[] = {
        {"wolf=5", 255, 255},
        {"wolf=5,border=shrink", 255, 255},
        {"wolf=5,invert", 0, 0},
        {"sauvola=5", 255, 0},
        {"adaptive=5", 255, 255},
        {"adaptive=5,offset=0", 0, 0},
        {"adaptive=5,offset=0.001", 255, 255},
        {"bradley=5", 255, 0},
        {"bradley=5,percent=0", 0, 0},
        {"niblack=5", 0, 0},
        {"niblack=5,border=shrink,invert", 255, 255},
        {"nick=5", 255, 0},
    };
    for (int value = 0; value <= 255; value += 51) {
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            check_blank(ctx, cases[k].spec, value, value ? cases[k].white : cases[k].of_zeros);
        }
    }
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

/* p + a (255000 |d| - t M W) / (2550000000 W), d = p W - S: rounded, halves up. */
static double soft_exact(const soft_case *c, bool *one_division)
{
    ref_wide above = (ref_wide)c->sample * c->weight - c->sum, far = above < 0 ? -above : above;
    ref_wide over = 255000 * far - (ref_wide)c->threshold * c->full * c->weight;
    ref_wide change = over > 0 ? c->amount * over : 0, down = (ref_wide)2550000000 * c->weight;
    ref_wide up = 2 * (c->sample * down + (above < 0 ? -change : change)) + down;
    double exact = ref_floor(up, 2 * down);
    double quotient = (double)(c->sample * down + (above < 0 ? -change : change)) / (double)down;
    *one_division = floor(quotient) + (quotient - floor(quotient) >= 0.5) == exact;
    return fmax(0, fmin(exact, (double)c->full));
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

/* Samples of a picture in colour, or 3 more where something saturates. */
static double colours_at(const satf_view *view, int pixel, double rgb[3])
{
    double least = INFINITY, most = -INFINITY;
    for (int k = 0; k < 3; k++) {
        int i = pixel * view->channels + k;
        rgb[k] = view->type == SATF_U8    ? ((const uint8_t *)view->data)[i]
                 : view->type == SATF_U16 ? ((const uint16_t *)view->data)[i]
                                          : ((const double *)view->data)[i];
        least = fmin(least, rgb[k]);
        most = fmax(most, rgb[k]);
    }
    return least > 0 && most < satf_full_scale(view) ? 299 * rgb[0] + 587 * rgb[1] + 114 * rgb[2]
                                                     : -1;
}

/* R - Y, G - Y and B - Y of all pixels that do not saturate stay, and the luma does not; but
 * without the flag they do not stay either. Returns how many pixels were compared. */
static int check_colours(satf_context *ctx, const satf_view *in, const char *spec, bool luma)
{
    static double memory[64 * 48 * 4];
    satf_view out = *in;
    SCOPED_FILTER *filter = parse_filter(ctx, spec);
    int compared = 0, changed = 0, other = 0;
    out.data = memory;
    assert_int_equal(satf_filter_apply(ctx, filter, in, &out), SATF_OK);
    for (int p = 0; p < 64 * 48; p++) {
        double before[3], after[3];
        double y = colours_at(in, p, before), now = colours_at(&out, p, after);
        bool real = in->type == SATF_F64;
        if (!real && (y < 0 || now < 0)) {
            continue;
        }
        compared++;
        changed += fabs(y - now) > 1e-9;
        for (int k = 0; k < 3; k++) {
            double moved = (1000 * after[k] - now) - (1000 * before[k] - y);
            other += fabs(moved) > (real ? 1e-9 : 0);
        }
        assert_true(!(in->flags & SATF_ALPHA) ||
                    memcmp((char *)in->data + (4 * p + 3) * (int)satf_type_bytes(in->type),
                           (char *)out.data + (4 * p + 3) * (int)satf_type_bytes(in->type),
                           satf_type_bytes(in->type)) == 0);
    }
    assert_true(changed > compared / 2);
    assert_int_equal(other > 0, !luma);
    return compared;
}

/* What is luma alone keeps colour noise what it was. */
TEST(test_luma_keeps_colours)
{
    static const satf_type kinds[] = {SATF_U8, SATF_U16, SATF_F64};
    static double memory[64 * 48 * 4];
    for (int k = 0; k < 3 * 2; k++) {
        bool alpha = k % 2;
        satf_view in = satf_view_packed(memory, 64, 48, 3 + alpha, kinds[k / 2]);
        uint64_t seed = 5 + (uint64_t)k;
        in.flags = alpha ? SATF_ALPHA : 0;
        for (int i = 0; i < 64 * 48 * in.channels; i++) {
            int noise = 90 + (int)(ref_random(&seed) % 60);
            if (in.type == SATF_U8) {
                ((uint8_t *)memory)[i] = (uint8_t)noise;
            } else if (in.type == SATF_U16) {
                ((uint16_t *)(void *)memory)[i] = (uint16_t)(noise * 257 + i % 200);
            } else {
                memory[i] = noise / 255.;
            }
        }
        assert_true(check_colours(ctx, &in, "unsharp=7x5,amount=1.7,luma", true) > 3000);
        assert_true(check_colours(ctx, &in, "unsharp=5,amount=0.9,luma,threshold=0.01", true));
        assert_true(check_colours(ctx, &in, "unsharp=7x5,amount=0.7", false) > 3000);
    }
}
