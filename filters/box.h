/* box: the mean over a window. */
#if defined(FILTER_ENTRY)
FILTER_ENTRY(box)
#elif defined(FORMULA_ENTRY)
FORMULA_ENTRY(box, FORMULA_SUM)
#elif !defined(SATF_FILTERS_BOX_H)
#define SATF_FILTERS_BOX_H

#include <satfilter-module.h>

typedef struct box_options {
    filter_window window;
} box_options;

SATF_FORMULA formula_value box_formula(const formula_sums *in, const box_options *options)
{
    (void)options;
    return formula_mean(in);
}

#elif defined(FILTER_DESCRIPTORS)

static const filter_param box_params[] = {
    FILTER_WINDOW_PARAMS(box_options, "3"),
    FILTER_PARAM_END,
};

static const filter_pass box_passes[] = {{
    .over = OVER_WINDOW,
    .averages_alpha = true,
    .type = TYPE_OF_INPUT,
    .kernel = KERNEL_MEAN,
    .formula = FORMULA_box,
}};

static const filter_info box_filter = {
    .name = "box",
    .help = "mean over a window",
    .detail =
        "The fastest blur, and exact: each pixel becomes the mean of the pixels around it. gauss "
        "is softer; guided and kuwahara keep edges.",
    .params = box_params,
    .needs_value = true,
    .options_bytes = sizeof(box_options),
    .ways = {FILTER_PASSES(box_passes)},
    .range = filter_mean_range,
    .sign = SIGN_MOVES,
    .example = "satfilter --box 15 in.jpg out.jpg",
};

#endif
