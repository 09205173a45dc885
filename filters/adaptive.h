/* adaptive: black and white by the mean around each pixel, less a few levels. */
#if defined(FILTER_ENTRY)
FILTER_ENTRY(adaptive)
#elif defined(FORMULA_ENTRY)
FORMULA_ENTRY(adaptive, FORMULA_SUM | FORMULA_CENTRE | FORMULA_TERMS)
#elif !defined(SATF_FILTERS_ADAPTIVE_H)
#define SATF_FILTERS_ADAPTIVE_H

#include <satfilter-module.h>

typedef struct adaptive_options {
    filter_window window;
    filter_bilevel bilevel;
    double offset;
    int64_t full;
} adaptive_options;

/* White above m - C. Of integers C is c M / 255000 with a whole c, so white is decided by W (255000
 * p + c M) > 255000 S. */
SATF_FORMULA formula_value adaptive_formula(const formula_sums *in, const adaptive_options *options)
{
    double steps = formula_thousandths(options->offset);
    double offset = in->real ? options->offset * in->level : steps * in->full / 255000;
    double threshold = formula_mean_below(in) - offset;
    bool white = in->real ? in->centre > threshold
                          : formula_excess(in, 255000 * in->centre + steps * in->full, 255000) > 0;
    return formula_bilevel(in, &options->bilevel, white, threshold);
}

#elif defined(FILTER_DESCRIPTORS)

static filter_range adaptive_range(filter_range in, const void *options, const filter_extent *of)
{
    double offset = ((const adaptive_options *)options)->offset * of->level;
    return filter_surface_range(in, in.lo - offset, in.hi - offset);
}

static const filter_param adaptive_params[] = {
    FILTER_WINDOW_PARAMS(adaptive_options, "15"),
    {"offset", "C", "levels of 255", PARAM_LEVEL, offsetof(adaptive_options, offset), -255, 255,
     "5", "how far below the mean, in levels of 8 bits, -255 to 255"},
    FILTER_FULL_PARAM(offsetof(adaptive_options, full)),
    FILTER_BILEVEL_PARAMS(adaptive_options),
    FILTER_PARAM_END,
};

static filter_terms adaptive_terms(const void *options, const formula_sums *common)
{
    double steps = formula_thousandths(((const adaptive_options *)options)->offset);
    double offset = steps * common->full;
    return (filter_terms){
        .sample = 1, .mean = -1, .alone = offset / 255000, .parts = filter_parts(offset, 255000)};
}

static const filter_pass adaptive_passes[] = {{
    .over = OVER_WINDOW,
    .averages_alpha = true,
    .grey = true,
    .type = TYPE_BILEVEL,
    .bilevel = offsetof(adaptive_options, bilevel),
    .formula = FORMULA_adaptive,
    .terms = adaptive_terms,
}};

static const filter_info adaptive_filter = {
    .name = "adaptive",
    .help = "black and white: above the mean less a few levels",
    .detail =
        "The plain threshold, for clean print in any light. A larger offset drops stains and what "
        "shows through, a smaller one keeps faint ink. Not 0: blank paper turns black then. Worn "
        "pages are read better by wolf.",
    .params = adaptive_params,
    .needs_value = true,
    .options_bytes = sizeof(adaptive_options),
    .ways = {FILTER_PASSES(adaptive_passes)},
    .range = adaptive_range,
    .sign = SIGN_MOVES,
    .example = "satfilter --adaptive 51,offset=20 scan.png page.png",
};

#endif
