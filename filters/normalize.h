/* normalize: how many deviations each pixel is above the mean around it. */
#if defined(FILTER_ENTRY)
FILTER_ENTRY(normalize)
#elif defined(FORMULA_ENTRY)
FORMULA_ENTRY(normalize, FORMULA_SUM | FORMULA_SQUARE | FORMULA_CENTRE)
#elif !defined(SATF_FILTERS_NORMALIZE_H)
#define SATF_FILTERS_NORMALIZE_H

#include <satfilter-module.h>

typedef struct normalize_options {
    filter_window window;
    double c;
    int64_t full;
} normalize_options;

/* (p - m) / (s + C). */
SATF_FORMULA formula_value normalize_formula(const formula_sums *in,
                                             const normalize_options *options)
{
    double below = formula_deviation(in) + options->c * in->level;
    return formula_real(formula_weight(in) == 0 ? 0 : formula_above_mean(in) / below);
}

#elif defined(FILTER_DESCRIPTORS)

/* A pixel whose own alpha is 0 may be that far from a window without deviation. */
static filter_range normalize_range(filter_range in, const void *options, const filter_extent *of)
{
    double most = (in.hi - in.lo) / (((const normalize_options *)options)->c * of->level);
    return (filter_range){in.known, -most, most};
}

static const filter_param normalize_params[] = {
    FILTER_WINDOW_PARAMS(normalize_options, "31"),
    {"c", "C", "levels of 255", PARAM_DISTANCE, offsetof(normalize_options, c), 1e-6, 1e6, "1",
     "what is added to the deviation, so that noise on flat ground stays small, in levels of 8 "
     "bits, 0.000001 to 1000000, of floats any above 0"},
    FILTER_FULL_PARAM(offsetof(normalize_options, full)),
    FILTER_PARAM_END,
};

static const filter_pass normalize_passes[] = {{
    .over = OVER_WINDOW,
    .keeps_alpha = true,
    .type = TYPE_REAL,
    .formula = FORMULA_normalize,
}};

static const filter_info normalize_filter = {
    .name = "normalize",
    .help = "local contrast evened: deviations above the mean",
    .detail = "(p - m) / (s + c), p being the pixel, m the mean and s the standard deviation of "
              "the N x N (or W x H) pixels around it; 0 where nothing counts. The result is f64, "
              "from -(hi - lo) / c to as much for samples in lo ... hi, which is what a 16-bit "
              "picture of it spans: to look at it take --range -3:3. " FILTER_KEPT_ALPHA_HELP
              " For patterns that are matched or learned whatever the light. Not for flat ground: "
              "a small c makes noise as strong as detail there.",
    .params = normalize_params,
    .needs_value = true,
    .options_bytes = sizeof(normalize_options),
    .ways = {FILTER_PASSES(normalize_passes)},
    .range = normalize_range,
};

#endif
