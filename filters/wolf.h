/*
 * wolf: black and white by a threshold around each pixel that knows the whole image. C. Wolf,
 * J.-M. Jolion, F. Chassaing, Text localization, enhancement and binarization in multimedia
 * documents (ICPR 2002).
 */
#if defined(FILTER_ENTRY)
FILTER_ENTRY(wolf)
#elif defined(FORMULA_ENTRY)
FORMULA_ENTRY(wolf, FORMULA_SUM | FORMULA_SQUARE | FORMULA_CENTRE | FORMULA_TERMS | FORMULA_FOUND)
FORMULA_ENTRY(wolf_reduction, FORMULA_SUM | FORMULA_SQUARE | FORMULA_GROWS)
#elif !defined(SATF_FILTERS_WOLF_H)
#define SATF_FILTERS_WOLF_H

#include <satfilter-module.h>

typedef struct wolf_options {
    filter_window window;
    filter_bilevel bilevel;
    double k;
} wolf_options;

typedef wolf_options wolf_reduction_options;

/* The deviation, whose greatest in the image is wanted. */
SATF_FORMULA formula_value wolf_reduction_formula(const formula_sums *in,
                                                  const wolf_reduction_options *options)
{
    (void)options;
    return formula_real(formula_weight(in) == 0 ? 0 : formula_deviation(in));
}

/* White above T = m - k (1 - s / smax) (m - min), and if all is alike; then s / smax is 0. */
SATF_FORMULA formula_value wolf_formula(const formula_sums *in, const wolf_options *options)
{
    bool alike = in->greatest == 0;
    double mean = formula_true_mean(in);
    double part = formula_deviation(in) / (alike ? 1 : in->greatest);
    double threshold = mean - options->k * (1 - part) * (mean - in->least);
    return formula_bilevel(in, &options->bilevel, in->centre > threshold || alike, threshold);
}

/* White everywhere if all is alike. */
SATF_FORMULA filter_terms wolf_terms(const void *options, const formula_sums *common)
{
    double k = ((const wolf_options *)options)->k, greatest = common->greatest;
    filter_terms none = {0, 0, 0, 0, 1, false, false, 0}, terms = none;
    terms.sample = 1;
    terms.mean = k - 1;
    terms.deviation = k * common->least / greatest;
    terms.both = -k / greatest;
    terms.alone = -k * common->least;
    return greatest == 0 ? none : terms;
}

#elif defined(FILTER_DESCRIPTORS)

/* T lies k (1 - s / smax) of the way from the mean to the least sample. */
static filter_range wolf_range(filter_range in, const void *options, const filter_extent *of)
{
    double k = ((const wolf_options *)options)->k, far = in.hi - k * (in.hi - in.lo);
    (void)of;
    return filter_surface_range(in, far, far);
}

static const filter_param wolf_params[] = {
    FILTER_WINDOW_PARAMS(wolf_options, "21"),
    {"k", "K", "", PARAM_REAL, offsetof(wolf_options, k), -10, 10, "0.35",
     "flat paper: K of the way from its mean to the darkest, -10 to 10"},
    FILTER_BILEVEL_PARAMS(wolf_options),
    FILTER_PARAM_END,
};

static const filter_pass wolf_passes[] = {{
    .over = OVER_WINDOW,
    .averages_alpha = true,
    .grey = true,
    .type = TYPE_BILEVEL,
    .bilevel = offsetof(wolf_options, bilevel),
    .formula = FORMULA_wolf,
    .terms = wolf_terms,
    .reduction = FORMULA_wolf_reduction,
}};

static const filter_info wolf_filter = {
    .name = "wolf",
    .help = "black and white: faint text, after Wolf",
    .detail =
        "The first to try on a page: it follows the light, and keeps pencil and faint ink. It "
        "compares with the darkest sample and the strongest contrast of the whole page. Where "
        "pale ink goes missing beside dark ink take k=0.2; where stains turn black take sauvola. "
        "Take a window a little larger than the font.",
    .params = wolf_params,
    .needs_value = true,
    .options_bytes = sizeof(wolf_options),
    .ways = {FILTER_PASSES(wolf_passes)},
    .range = wolf_range,
    .sign = SIGN_REFUSED,
    .example = "satfilter --wolf 21 scan.png page.png",
};

#endif
