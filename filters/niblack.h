/* niblack: black and white by mean and deviation around each pixel. W. Niblack, An introduction to
 * digital image processing (1986). */
#if defined(FILTER_ENTRY)
FILTER_ENTRY(niblack)
#elif defined(FORMULA_ENTRY)
FORMULA_ENTRY(niblack, FORMULA_SUM | FORMULA_SQUARE | FORMULA_CENTRE | FORMULA_TERMS)
#elif !defined(SATF_FILTERS_NIBLACK_H)
#define SATF_FILTERS_NIBLACK_H

#include <satfilter-module.h>

typedef struct niblack_options {
    filter_window window;
    filter_bilevel bilevel;
    double k;
} niblack_options;

/* White above T = m + k s. */
SATF_FORMULA formula_value niblack_formula(const formula_sums *in, const niblack_options *options)
{
    double threshold = formula_mean_below(in) + options->k * formula_deviation(in);
    return formula_bilevel(in, &options->bilevel, in->centre > threshold, threshold);
}

#elif defined(FILTER_DESCRIPTORS)

/* Of samples of 0 and 1, a share q of them 1, T is q + k sqrt(q - q^2): between
 * (1 - sqrt(1 + k^2)) / 2 for negative k, and (1 + sqrt(1 + k^2)) / 2 for others. */
static filter_range niblack_range(filter_range in, const void *options, const filter_extent *of)
{
    double k = ((const niblack_options *)options)->k;
    double beyond = (in.hi - in.lo) * (sqrt(1 + k * k) - 1) / 2;
    (void)of;
    return filter_surface_range(in, k < 0 ? in.lo - beyond : in.lo, k > 0 ? in.hi + beyond : in.hi);
}

static const filter_param niblack_params[] = {
    FILTER_WINDOW_PARAMS(niblack_options, "25"),
    {"k", "K", "", PARAM_REAL, offsetof(niblack_options, k), -10, 10, "-0.2",
     "deviations above the mean, -10 to 10"},
    FILTER_BILEVEL_PARAMS(niblack_options),
    FILTER_PARAM_END,
};

static filter_terms niblack_terms(const void *options, const formula_sums *common)
{
    (void)common;
    return (filter_terms){
        .sample = 1, .mean = -1, .deviation = -((const niblack_options *)options)->k};
}

static const filter_pass niblack_passes[] = {{
    .over = OVER_WINDOW,
    .averages_alpha = true,
    .grey = true,
    .type = TYPE_BILEVEL,
    .bilevel = offsetof(niblack_options, bilevel),
    .formula = FORMULA_niblack,
    .terms = niblack_terms,
}};

static const filter_info niblack_filter = {
    .name = "niblack",
    .help = "black and white: detail everywhere, after Niblack",
    .detail =
        "For pictures that are full of detail, and to compare methods. Not for pages: blank paper "
        "turns black or into noise. Take wolf, sauvola or adaptive for these.",
    .params = niblack_params,
    .needs_value = true,
    .options_bytes = sizeof(niblack_options),
    .ways = {FILTER_PASSES(niblack_passes)},
    .range = niblack_range,
    .sign = SIGN_MOVES,
    .example = "satfilter --niblack 25 in.png out.png",
};

#endif
