/*
 * nick: black and white by mean and root mean square around each pixel. K. Khurshid, I. Siddiqi,
 * C. Faure, N. Vincent, Comparison of Niblack inspired binarization methods for ancient documents
 * (DRR 2009).
 */
#if defined(FILTER_ENTRY)
FILTER_ENTRY(nick)
#elif defined(FORMULA_ENTRY)
FORMULA_ENTRY(nick, FORMULA_SUM | FORMULA_SQUARE | FORMULA_CENTRE | FORMULA_TERMS)
#elif !defined(SATF_FILTERS_NICK_H)
#define SATF_FILTERS_NICK_H

#include <satfilter-module.h>

typedef struct nick_options {
    filter_window window;
    filter_bilevel bilevel;
    double k;
} nick_options;

/* White above T = m + k sqrt(S2 / W). Of floats S2 / W is s^2 + m^2, as what is summed are their
 * distances from a shift. */
SATF_FORMULA formula_value nick_formula(const formula_sums *in, const nick_options *options)
{
    double mean = formula_mean_below(in);
    double square = in->real ? formula_variance(in) + mean * mean
                             : formula_quotient(formula_square(in), formula_weight(in));
    double threshold = mean + options->k * sqrt(square);
    return formula_bilevel(in, &options->bilevel, in->centre > threshold, threshold);
}

#elif defined(FILTER_DESCRIPTORS)

/* Of samples of one sign T is between (1 + k) m, if all are alike, and m. */
static filter_range nick_range(filter_range in, const void *options, const filter_extent *of)
{
    double far = ((const nick_options *)options)->k * fmax(fabs(in.lo), fabs(in.hi));
    (void)of;
    return filter_surface_range(in, in.lo + fmin(far, 0), in.hi + fmax(far, 0));
}

static const filter_param nick_params[] = {
    FILTER_WINDOW_PARAMS(nick_options, "41"),
    {"k", "K", "", PARAM_REAL, offsetof(nick_options, k), -10, 10, "-0.2",
     "threshold: the mean + K x the root mean square, -10 to 10"},
    FILTER_BILEVEL_PARAMS(nick_options),
    FILTER_PARAM_END,
};

static filter_terms nick_terms(const void *options, const formula_sums *common)
{
    (void)common;
    return (filter_terms){.sample = 1,
                          .mean = -1,
                          .deviation = -((const nick_options *)options)->k,
                          .from_zero = true};
}

static const filter_pass nick_passes[] = {{
    .over = OVER_WINDOW,
    .averages_alpha = true,
    .grey = true,
    .type = TYPE_BILEVEL,
    .bilevel = offsetof(nick_options, bilevel),
    .formula = FORMULA_nick,
    .terms = nick_terms,
}};

static const filter_info nick_filter = {
    .name = "nick",
    .help = "black and white: bright noisy paper, after Khurshid (NICK)",
    .detail =
        "For bright, noisy paper, and for thin strokes that sauvola loses. Not for dark pages. Ink "
        "that is less than 20 % darker than its paper turns white; with k=-0.1 less than 10 %.",
    .params = nick_params,
    .needs_value = true,
    .options_bytes = sizeof(nick_options),
    .ways = {FILTER_PASSES(nick_passes)},
    .range = nick_range,
    .sign = SIGN_REFUSED,
    .example = "satfilter --nick 41 scan.png page.png",
};

#endif
