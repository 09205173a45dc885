/* contrast: how far a pixel stands out from its surroundings, as a picture. A sample of a module.
 */
#if defined(FILTER_ENTRY)
FILTER_ENTRY(contrast)
#elif defined(FORMULA_ENTRY)
FORMULA_ENTRY(contrast, FORMULA_SUM | FORMULA_CENTRE)
#elif !defined(CONTRAST_H)
#define CONTRAST_H

#include <satfilter-module.h>

typedef struct contrast_options {
    filter_window window;
    double gain;
} contrast_options;

/* Grey where the pixel equals the mean around it; lighter above it, darker below. */
SATF_FORMULA formula_value contrast_formula(const formula_sums *in, const contrast_options *options)
{
    double mean = formula_weight(in) == 0 ? in->centre : formula_true_mean(in);
    return formula_real(in->full / 2 + options->gain * (in->centre - mean));
}

#elif defined(FILTER_DESCRIPTORS)

static const filter_param contrast_params[] = {
    FILTER_WINDOW_PARAMS(contrast_options, "31"),
    {"gain", "G", "", PARAM_REAL, offsetof(contrast_options, gain), -100, 100, "2",
     "what differences are multiplied by, -100 to 100"},
    FILTER_PARAM_END,
};

static const filter_pass contrast_passes[] = {{
    .over = OVER_WINDOW,
    .keeps_alpha = true,
    .type = TYPE_OF_INPUT,
    .formula = FORMULA_contrast,
}};

static const filter_info contrast_filter = {
    .name = "contrast",
    .help = "how far pixels stand out from their surroundings",
    .detail = "Half of the range, and the pixel less the mean around it times the gain.",
    .params = contrast_params,
    .needs_value = true,
    .options_bytes = sizeof(contrast_options),
    .ways = {FILTER_PASSES(contrast_passes)},
    .example = "satfilter --module contrast.so --contrast 31,gain=3 in.png out.png",
};

#endif
