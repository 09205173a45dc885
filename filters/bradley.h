/* bradley: black and white by a share of the mean around each pixel. D. Bradley, G. Roth, Adaptive
 * thresholding using the integral image, Journal of Graphics Tools 12 (2007). */
#if defined(FILTER_ENTRY)
FILTER_ENTRY(bradley)
#elif defined(FORMULA_ENTRY)
FORMULA_ENTRY(bradley, FORMULA_SUM | FORMULA_CENTRE | FORMULA_TERMS)
#elif !defined(SATF_FILTERS_BRADLEY_H)
#define SATF_FILTERS_BRADLEY_H

#include <satfilter-module.h>

typedef struct bradley_options {
    filter_window window;
    filter_bilevel bilevel;
    double percent;
} bradley_options;

/* White above m (1 - t / 100). Of integers 1000 t is whole, so white is decided by 100000 p W >
 * (100000 - 1000 t) S. */
SATF_FORMULA formula_value bradley_formula(const formula_sums *in, const bradley_options *options)
{
    double share = 100000 - formula_thousandths(options->percent);
    double of_mean = in->real ? 1 - options->percent / 100 : share / 100000;
    double threshold = formula_mean_below(in) * of_mean;
    bool white =
        in->real ? in->centre > threshold : formula_excess(in, 100000 * in->centre, share) > 0;
    return formula_bilevel(in, &options->bilevel, white, threshold);
}

#elif defined(FILTER_DESCRIPTORS)

static const filter_param bradley_params[] = {
    FILTER_WINDOW_PARAMS(bradley_options, "65"),
    {"percent", "T", "percent", PARAM_REAL, offsetof(bradley_options, percent), 0, 100, "15",
     "per cent below the mean, 0 to 100"},
    FILTER_BILEVEL_PARAMS(bradley_options),
    FILTER_PARAM_END,
};

/* The threshold of samples below 0 lies nearer to 0. */
static filter_range bradley_range(filter_range in, const void *options, const filter_extent *of)
{
    double of_mean = 1 - ((const bradley_options *)options)->percent / 100;
    (void)of;
    return filter_surface_range(in, in.lo * of_mean, in.hi * of_mean);
}

static filter_terms bradley_terms(const void *options, const formula_sums *common)
{
    double steps = formula_thousandths(((const bradley_options *)options)->percent);
    (void)common;
    return (filter_terms){
        .sample = 1, .mean = (steps - 100000) / 100000, .parts = filter_parts(steps, 100000)};
}

static const filter_pass bradley_passes[] = {{
    .over = OVER_WINDOW,
    .averages_alpha = true,
    .grey = true,
    .type = TYPE_BILEVEL,
    .bilevel = offsetof(bradley_options, bilevel),
    .formula = FORMULA_bradley,
    .terms = bradley_terms,
}};

static const filter_info bradley_filter = {
    .name = "bradley",
    .help = "black and white: above a share of the mean",
    .detail = "For pages in strong light and shadow, as of a photographed book: ink is what is a "
              "share darker than the paper around it, in light and in shadow. Take a window of an "
              "eighth of the width. Not for dark pages, where that share is less than noise.",
    .params = bradley_params,
    .needs_value = true,
    .options_bytes = sizeof(bradley_options),
    .ways = {FILTER_PASSES(bradley_passes)},
    .range = bradley_range,
    .sign = SIGN_REFUSED,
    .example = "satfilter --bradley 65 scan.png page.png",
};

#endif
