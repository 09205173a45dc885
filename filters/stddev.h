/* stddev: the standard deviation over a window. */
#if defined(FILTER_ENTRY)
FILTER_ENTRY(stddev)
#elif defined(FORMULA_ENTRY)
FORMULA_ENTRY(stddev, FORMULA_SUM | FORMULA_SQUARE | FORMULA_OFTEN_REAL)
#elif !defined(SATF_FILTERS_STDDEV_H)
#define SATF_FILTERS_STDDEV_H

#include <satfilter-module.h>

typedef struct stddev_options {
    filter_window window;
} stddev_options;

SATF_FORMULA formula_value stddev_formula(const formula_sums *in, const stddev_options *options)
{
    (void)options;
    return formula_real(sqrt(formula_variance(in)));
}

#elif defined(FILTER_DESCRIPTORS)

/* Largest when half of the pixels are lo and half hi. */
static filter_range stddev_range(filter_range in, const void *options, const filter_extent *of)
{
    (void)options, (void)of;
    return (filter_range){in.known, 0, (in.hi - in.lo) / 2};
}

static const filter_param stddev_params[] = {
    FILTER_WINDOW_PARAMS(stddev_options, "3"),
    FILTER_PARAM_END,
};

static const filter_pass stddev_passes[] = {{
    .over = OVER_WINDOW,
    .averages_alpha = true,
    .type = TYPE_REAL,
    .kernel = KERNEL_STDDEV,
    .formula = FORMULA_stddev,
}};

static const filter_info stddev_filter = {
    .name = "stddev",
    .help = "local standard deviation over a window",
    .detail =
        "Local contrast, in units of brightness: edges and texture are light, flat areas black. "
        "The result is real numbers.",
    .params = stddev_params,
    .needs_value = true,
    .options_bytes = sizeof(stddev_options),
    .ways = {FILTER_PASSES(stddev_passes)},
    .range = stddev_range,
    .sign = SIGN_STAYS,
    .example = "satfilter --stddev 7 --range auto:1 in.png out.png",
};

#endif
