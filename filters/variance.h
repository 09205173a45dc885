/* variance: the population variance over a window. */
#if defined(FILTER_ENTRY)
FILTER_ENTRY(variance)
#elif defined(FORMULA_ENTRY)
FORMULA_ENTRY(variance, FORMULA_SUM | FORMULA_SQUARE | FORMULA_OFTEN_REAL)
#elif !defined(SATF_FILTERS_VARIANCE_H)
#define SATF_FILTERS_VARIANCE_H

#include <satfilter-module.h>

typedef struct variance_options {
    filter_window window;
} variance_options;

SATF_FORMULA formula_value variance_formula(const formula_sums *in, const variance_options *options)
{
    (void)options;
    return formula_real(formula_variance(in));
}

#elif defined(FILTER_DESCRIPTORS)

/* Largest when half of the pixels are lo and half hi. */
static filter_range variance_range(filter_range in, const void *options, const filter_extent *of)
{
    (void)options, (void)of;
    double half = (in.hi - in.lo) / 2;
    return (filter_range){in.known, 0, half * half};
}

static const filter_param variance_params[] = {
    FILTER_WINDOW_PARAMS(variance_options, "3"),
    FILTER_PARAM_END,
};

static const filter_pass variance_passes[] = {{
    .over = OVER_WINDOW,
    .averages_alpha = true,
    .type = TYPE_REAL,
    .kernel = KERNEL_VARIANCE,
    .formula = FORMULA_variance,
}};

static const filter_info variance_filter = {
    .name = "variance",
    .help = "local variance over a window",
    .detail =
        "Shows where a picture has detail: high on edges and texture, 0 on flat areas. The result "
        "is real numbers, of integers exact and never negative. Its square root is stddev.",
    .params = variance_params,
    .needs_value = true,
    .options_bytes = sizeof(variance_options),
    .ways = {FILTER_PASSES(variance_passes)},
    .range = variance_range,
    .sign = SIGN_STAYS,
    .example = "satfilter --variance 7 in.png out.npy",
};

#endif
