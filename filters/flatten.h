/* flatten: each pixel over the mean around it, so that uneven light goes. */
#if defined(FILTER_ENTRY)
FILTER_ENTRY(flatten)
#elif defined(FORMULA_ENTRY)
FORMULA_ENTRY(flatten, FORMULA_SUM | FORMULA_CENTRE | FORMULA_TERMS)
#elif !defined(SATF_FILTERS_FLATTEN_H)
#define SATF_FILTERS_FLATTEN_H

#include <satfilter-module.h>

typedef struct flatten_options {
    filter_window window;
    double target;
    int64_t full;
} flatten_options;

/*
 * p V / m. Of integers V is v M / 255000, v being whole. The quotient in double is off by much less
 * than a half, so that of the integers around it the one below is right, or the next: where
 * 2 p v M W is at least (2 below + 1) 255000 S.
 */
SATF_FORMULA formula_value flatten_formula(const formula_sums *in, const flatten_options *options)
{
    double p = in->centre, sum = formula_sum(in), weight = formula_weight(in);
    if (in->real) {
        double mean = weight == 0 ? 0 : formula_true_mean(in);
        return formula_real(mean == 0 ? p : p * (options->target * in->level) / mean);
    }
    double most = formula_thousandths(options->target) * in->full, target = most / 255000;
    double flat = p * weight * target / sum;
    if (in->rounded) {
        double below = floor(fmin(flat, in->full)), half = (2 * below + 1) * 255000;
        flat = below + (formula_excess(in, 2 * p * most, half) >= 0);
    }
    return formula_real(sum == 0 ? p : flat);
}

#elif defined(FILTER_DESCRIPTORS)

static const filter_param flatten_params[] = {
    FILTER_WINDOW_PARAMS(flatten_options, "101"),
    {"target", "V", "levels of 255", PARAM_LEVEL, offsetof(flatten_options, target), 0, 255, "128",
     "where the mean goes, in levels of 8 bits, 0 to 255"},
    FILTER_FULL_PARAM(offsetof(flatten_options, full)),
    FILTER_PARAM_END,
};

static filter_terms flatten_terms(const void *options, const formula_sums *common)
{
    double target = formula_thousandths(((const flatten_options *)options)->target);
    return (filter_terms){.sample = target * common->full / 255000, .over_mean = true};
}

static const filter_pass flatten_passes[] = {{
    .over = OVER_WINDOW,
    .keeps_alpha = true,
    .type = TYPE_OF_INPUT,
    .formula = FORMULA_flatten,
    .terms = flatten_terms,
}};

static const filter_info flatten_filter = {
    .name = "flatten",
    .help = "even light: each pixel over the mean around it",
    .detail =
        "Takes shadows off pages and plates, which stay in shades of grey or colour. Take a "
        "window larger than what is on them; for pages target=230, which becomes the level of "
        "paper. Not for pictures with large areas of different brightness: they become alike.",
    .params = flatten_params,
    .needs_value = true,
    .options_bytes = sizeof(flatten_options),
    .ways = {FILTER_PASSES(flatten_passes)},
    .sign = SIGN_REFUSED,
    .example = "satfilter --flatten 101,target=230 scan.png page.png",
};

#endif
