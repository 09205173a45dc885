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

/* The bound is met by a pixel whose own alpha is 0, in a window without deviation. */
static filter_range normalize_range(filter_range in, const void *options, const filter_extent *of)
{
    double most = (in.hi - in.lo) / (((const normalize_options *)options)->c * of->level);
    return (filter_range){in.known, -most, most};
}

static const filter_param normalize_params[] = {
    FILTER_WINDOW_PARAMS(normalize_options, "31"),
    {"c", "C", "levels of 255", PARAM_DISTANCE, offsetof(normalize_options, c), 1e-6, 1e6, "1",
     "added to the deviation, in levels of 8 bits, above 0"},
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
    .detail =
        "For patterns that are matched or learned in any light: each pixel becomes its distance "
        "from the mean around it, in standard deviations. A larger c keeps noise on flat ground "
        "small. The result is real numbers.",
    .params = normalize_params,
    .needs_value = true,
    .options_bytes = sizeof(normalize_options),
    .ways = {FILTER_PASSES(normalize_passes)},
    .range = normalize_range,
    .sign = SIGN_STAYS,
    .example = "satfilter --normalize 31 --range -3:3 in.png out.png",
};

#endif
