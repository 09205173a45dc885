/* highpass: how far each pixel is above the mean around it. */
#if defined(FILTER_ENTRY)
FILTER_ENTRY(highpass)
#elif defined(FORMULA_ENTRY)
FORMULA_ENTRY(highpass, FORMULA_SUM | FORMULA_CENTRE | FORMULA_TERMS)
#elif !defined(SATF_FILTERS_HIGHPASS_H)
#define SATF_FILTERS_HIGHPASS_H

#include <satfilter-module.h>

typedef struct highpass_options {
    filter_window window;
    int64_t full;
} highpass_options;

/* p - m + M / 2; of samples with a sign p - m. Of integers it is (2 (p W - S) + M W) / (2 W), by
 * one division that rounds like that of unsharp. */
SATF_FORMULA formula_value highpass_formula(const formula_sums *in, const highpass_options *options)
{
    (void)options;
    double p = in->centre, weight = formula_weight(in),
           half = in->has_sign ? in->zero : in->full / 2;
    if (in->real) {
        return formula_real(weight == 0 ? half : p - formula_true_mean(in) + half);
    }
    double numerator = 2 * (p * weight - formula_sum(in)) + 2 * half * weight;
    return formula_real(weight == 0 ? half : formula_quotient(numerator, 2 * weight));
}

#elif defined(FILTER_DESCRIPTORS)

static const filter_param highpass_params[] = {
    FILTER_WINDOW_PARAMS(highpass_options, "15"),
    FILTER_FULL_PARAM(offsetof(highpass_options, full)),
    FILTER_PARAM_END,
};

static filter_terms highpass_terms(const void *options, const formula_sums *common)
{
    double half = common->has_sign ? common->zero : common->full / 2;
    (void)options;
    return (filter_terms){
        .sample = 1, .mean = -1, .alone = half, .parts = filter_parts(2 * half, 2)};
}

static const filter_pass highpass_passes[] = {{
    .over = OVER_WINDOW,
    .keeps_alpha = true,
    .type = TYPE_OF_INPUT,
    .formula = FORMULA_highpass,
    .terms = highpass_terms,
}};

static const filter_info highpass_filter = {
    .name = "highpass",
    .help = "detail alone: away from the mean, around grey",
    .detail =
        "To look at detail, or to lay it over a picture in an editor. Not to sharpen: take "
        "unsharp. Not to measure: what is more than half of the full scale from the mean is cut; "
        "take normalize.",
    .params = highpass_params,
    .needs_value = true,
    .options_bytes = sizeof(highpass_options),
    .ways = {FILTER_PASSES(highpass_passes)},
    .sign = SIGN_MOVES,
    .example = "satfilter --highpass 15 in.jpg out.jpg",
};

#endif
