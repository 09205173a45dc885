/* unsharp: each pixel moved away from the mean around it. */
#if defined(FILTER_ENTRY)
FILTER_ENTRY(unsharp)
#elif defined(FORMULA_ENTRY)
FORMULA_ENTRY(unsharp, FORMULA_SUM | FORMULA_CENTRE | FORMULA_TERMS)
FORMULA_ENTRY(unsharp_soft, FORMULA_SUM | FORMULA_CENTRE)
FORMULA_ENTRY(unsharp_luma, FORMULA_CENTRE | FORMULA_LUMA)
#elif !defined(SATF_FILTERS_UNSHARP_H)
#define SATF_FILTERS_UNSHARP_H

#include <satfilter-module.h>

typedef struct unsharp_options {
    filter_window window;
    double amount, threshold;
    bool luma;
    int64_t full;
} unsharp_options;

typedef unsharp_options unsharp_soft_options;
typedef unsharp_options unsharp_luma_options;

/* a = 10000 A, to nearest. */
SATF_FORMULA double unsharp_steps(const unsharp_options *options)
{
    return (options->amount * 10000 + 0x1p52) - 0x1p52;
}

/*
 * p + A (p - m). Of integers A is taken to 4 decimals, a = 10000 A, and the fraction
 * (10000 p W + a (p W - S)) / (10000 W) is formed by one division. What it divides is exact below
 * 2^53, and then rounding the quotient, halves up, is rounding the fraction: one that is not a half
 * is further from it than the quotient's last place.
 */
SATF_FORMULA formula_value unsharp_formula(const formula_sums *in, const unsharp_options *options)
{
    double p = in->centre, weight = formula_weight(in);
    if (in->real) {
        double sharp = p + options->amount * (p - formula_true_mean(in));
        return formula_real(weight == 0 ? p : sharp);
    }
    double steps = unsharp_steps(options), whole = p * weight;
    double numerator = 10000 * whole + steps * (whole - formula_sum(in));
    return formula_real(weight == 0 ? p : formula_quotient(numerator, 10000 * weight));
}

/*
 * A max(|d| - T, 0) with d's sign, of integers, d being above / weight. T is v / u, so the
 * magnitude is a (u |above| - v weight) / (10000 u weight). As a double its quotient tells the
 * integer below, or the next one where it is nearly an integer itself. Whether the fraction is
 * beyond that integer and a half is then found exactly, so that with a sample added it is rounded
 * to nearest, halves up. Beyond 65536 all samples saturate. Results that are not rounded take the
 * quotient.
 */
SATF_FORMULA double unsharp_change(const formula_sums *in, const unsharp_options *options,
                                   double above, double weight)
{
    double steps = unsharp_steps(options), far = fabs(above), whole = floor(in->level);
    bool is_whole = whole == in->level;
    double u = is_whole ? 1000 : 255000;
    double v = formula_thousandths(options->threshold) * (is_whole ? whole : in->full);
    double quotient = steps * (u * far - v * weight) / (10000 * u * weight);
    quotient = quotient > 0 ? quotient : 0;
    double most = quotient < 65536 ? quotient : 65536, nearest = (most + 0x1p52) - 0x1p52;
    double below = nearest > most ? nearest - 1 : nearest;
    double half = 2 * steps * v + (2 * below + 1) * (10000 * u);
    double beyond = formula_difference(2 * steps * u, far, half, weight);
    double up = below + (beyond >= 0 ? 1 : 0), down = -below - (beyond > 0 ? 1 : 0);
    double rounded = above < 0 ? down : up, exact = above < 0 ? -quotient : quotient;
    double rounds = in->rounded; /* compilers make no vectors of loops that choose by a flag */
    return rounds * rounded + (1 - rounds) * exact;
}

/* The same for floats. */
SATF_FORMULA double unsharp_real_change(const formula_sums *in, const unsharp_options *options,
                                        double above)
{
    double excess = fabs(above) - options->threshold * in->level;
    double change = options->amount * (excess < 0 ? 0 : excess);
    return above < 0 ? -change : change;
}

/* p + A max(|p - m| - T, 0) with the sign of p - m. */
SATF_FORMULA formula_value unsharp_soft_formula(const formula_sums *in,
                                                const unsharp_soft_options *options)
{
    double p = in->centre, weight = formula_weight(in);
    double change = in->real ? unsharp_real_change(in, options, p - formula_true_mean(in))
                             : unsharp_change(in, options, p * weight - formula_sum(in), weight);
    return formula_real(weight == 0 ? p : p + change);
}

/* The same for a sample of colour, with the luma's distance from its mean. */
SATF_FORMULA formula_value unsharp_luma_formula(const formula_sums *in,
                                                const unsharp_luma_options *options)
{
    double p = in->centre, y = in->luma, weight = formula_weight(in);
    double change = in->real
                        ? unsharp_real_change(in, options, y - in->luma_sum * in->inverse)
                        : unsharp_change(in, options, y * weight - in->luma_sum, 1000 * weight);
    return formula_real(weight == 0 ? p : p + change);
}

#elif defined(FILTER_DESCRIPTORS)

static const filter_param unsharp_params[] = {
    FILTER_WINDOW_PARAMS(unsharp_options, "15"),
    {"amount", "A", "", PARAM_REAL, offsetof(unsharp_options, amount), 0, 100, "1",
     "strength, 0 to 100"},
    {"threshold", "T", "levels of 255", PARAM_DISTANCE, offsetof(unsharp_options, threshold), 0,
     255, "0", "what is within T levels of 8 bits of the mean stays, 0 to 255"},
    {"luma", NULL, "", PARAM_FLAG, offsetof(unsharp_options, luma), 0, 0, "off",
     "sharpen brightness alone, of pictures in colour"},
    FILTER_FULL_PARAM(offsetof(unsharp_options, full)),
    FILTER_PARAM_END,
};

static filter_terms unsharp_terms(const void *options, const formula_sums *common)
{
    double steps = unsharp_steps(options), amount = steps / 10000;
    (void)common;
    return (filter_terms){
        .sample = 1 + amount, .mean = -amount, .parts = filter_parts(steps, 10000)};
}

#define UNSHARP_PASSES(name, its_terms)                                     \
    static const filter_pass name##_passes[] = {{.over = OVER_WINDOW,       \
                                                 .keeps_alpha = true,       \
                                                 .type = TYPE_OF_INPUT,     \
                                                 .formula = FORMULA_##name, \
                                                 .terms = its_terms}}

UNSHARP_PASSES(unsharp, unsharp_terms);
UNSHARP_PASSES(unsharp_soft, NULL);
UNSHARP_PASSES(unsharp_luma, NULL);

static int unsharp_way(const void *of, int colours, bool aux)
{
    const unsharp_options *options = of;
    (void)aux;
    return options->luma && colours > 1 ? 2 : options->threshold > 0 ? 1 : 0;
}

static const filter_info unsharp_filter = {
    .name = "unsharp",
    .help = "sharpen: away from the mean over a window",
    .detail =
        "Edges become crisper. For photographs add luma, so that colour noise stays what it was; "
        "where noise or grain would be sharpened add threshold=3, unless faint detail matters. "
        "For more local contrast without bright rims take guided with amount.",
    .params = unsharp_params,
    .needs_value = true,
    .options_bytes = sizeof(unsharp_options),
    .ways = {FILTER_PASSES(unsharp_passes), FILTER_PASSES(unsharp_soft_passes),
             FILTER_PASSES(unsharp_luma_passes)},
    .way = unsharp_way,
    .sign = SIGN_MOVES,
    .example = "satfilter --unsharp 7,amount=1.5,luma in.jpg out.jpg",
};

#endif
