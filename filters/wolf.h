/*
 * wolf: black and white by a threshold around each pixel that knows the whole image. C. Wolf,
 * J.-M. Jolion, F. Chassaing, Text localization, enhancement and binarization in multimedia
 * documents (ICPR 2002).
 */
#if defined(FILTER_ENTRY)
FILTER_ENTRY(wolf)
#elif defined(FORMULA_ENTRY)
FORMULA_ENTRY(wolf, FORMULA_SUM | FORMULA_SQUARE | FORMULA_CENTRE)
FORMULA_ENTRY(wolf_survey, FORMULA_SUM | FORMULA_SQUARE)
#elif !defined(SATF_FILTERS_WOLF_H)
#define SATF_FILTERS_WOLF_H

#include <satfilter-module.h>

typedef struct wolf_options {
    filter_window window;
    double k;
} wolf_options;

typedef wolf_options wolf_survey_options;

/* The deviation, whose greatest in the image is wanted. */
SATF_FORMULA formula_value wolf_survey_formula(const formula_sums *in,
                                               const wolf_survey_options *options)
{
    (void)options;
    return formula_real(formula_weight(in) == 0 ? 0 : formula_deviation(in));
}

/* White above T = m - k (1 - s / smax) (m - min), where nothing counts, and if all is alike. */
SATF_FORMULA formula_value wolf_formula(const formula_sums *in, const wolf_options *options)
{
    double mean = formula_true_mean(in), part = formula_deviation(in) / in->greatest;
    double threshold = mean - options->k * (1 - part) * (mean - in->least);
    return formula_bilevel(in->centre > threshold || formula_weight(in) == 0 || in->greatest == 0);
}

#elif defined(FILTER_DESCRIPTORS)

static const filter_param wolf_params[] = {
    FILTER_WINDOW_PARAMS(wolf_options, "41"),
    {"k", "K", "", PARAM_REAL, offsetof(wolf_options, k), -10, 10, "0.5",
     "how far flat surroundings lower the threshold from their mean to the least sample, -10 to "
     "10"},
    FILTER_PARAM_END,
};

static const filter_recipe wolf_recipe = {
    .region = REGION_WINDOW,
    .averages_alpha = true,
    .grey = true,
    .type = TYPE_BILEVEL,
    .formula = FORMULA_wolf,
    .survey = FORMULA_wolf_survey,
};

static const filter_info wolf_filter = {
    .name = "wolf",
    .help = "black and white, for faint text: threshold after Wolf",
    .detail = "White where a pixel is above T = m - k (1 - s / smax) (m - min), m being the mean "
              "and s the standard deviation of the N x N (or W x H) pixels around it, smax the "
              "largest such deviation and min the least sample of the whole image, of those "
              "that are finite; black elsewhere. Colour becomes grey first: (299 R + 587 G + 114 B "
              "+ 500) div 1000. "
              "Transparent pixels count nothing; where all are, the result is white, and so is an "
              "image without a window that deviates. Flat windows at the least sample turn black.",
    .params = wolf_params,
    .needs_value = true,
    .options_bytes = sizeof(wolf_options),
    .recipe = &wolf_recipe,
};

#endif
