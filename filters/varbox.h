/* varbox: the mean over a window whose side an image gives. */
#if defined(FILTER_ENTRY)
FILTER_ENTRY(varbox)
#elif defined(FORMULA_ENTRY)
FORMULA_ENTRY(varbox, FORMULA_SUM | FORMULA_AUX)
#elif !defined(SATF_FILTERS_VARBOX_H)
#define SATF_FILTERS_VARBOX_H

#include <satfilter-module.h>

typedef struct varbox_options {
    struct filter_picture *map;
    filter_border border;
} varbox_options;

SATF_FORMULA formula_value varbox_formula(const formula_sums *in, const varbox_options *options)
{
    (void)options;
    return formula_mean(in);
}

#elif defined(FILTER_DESCRIPTORS)

static int varbox_way(const void *options, int colours, bool aux)
{
    (void)options, (void)colours;
    return aux;
}

static const filter_param varbox_params[] = {
    {"map", "MAP", "", PARAM_IMAGE, offsetof(varbox_options, map), 0, 0, NULL,
     "the radius r of each pixel's window: an image of the same size, with one channel or as many, "
     "besides alpha; fractions in a .npy of floats"},
    {"border", "B", "", PARAM_BORDER, offsetof(varbox_options, border), 0, 0, "clamp",
     "what lies outside the image: clamp, mirror, reflect, wrap, constant:V or shrink"},
    FILTER_PARAM_END,
};

static const filter_pass varbox_passes[] = {{
    .over = OVER_SIDES,
    .aux = {1, 0},
    .averages_alpha = true,
    .type = TYPE_OF_INPUT,
    .kernel = KERNEL_MEAN,
    .formula = FORMULA_varbox,
}};

static const filter_info varbox_filter = {
    .name = "varbox",
    .help = "blur by a depth map: the mean over each pixel's own window",
    .detail =
        "The mean of the 2 r + 1 by 2 r + 1 pixels around each pixel, r being the sample of MAP "
        "there: depth of field from a depth map, or a blur that grows towards the edges. The "
        "sample counts as it is, 3 is a window of 7 x 7, whatever MAP's depth. Between two "
        "integers "
        "the result is between the means of the two windows: m + (r - floor(r)) (m' - m), in "
        "double. r below 0, or no number, counts as 0; above 32767 as that. Means are those of "
        "box: of integers exact for whole r, rounded to nearest once, halves up. Colour is "
        "weighted "
        "by alpha, alpha is averaged by itself; where all of the smaller window is transparent the "
        "larger one counts alone. MAP's alpha is left out. The result has the input's type and "
        "range.",
    .params = varbox_params,
    .needs_value = true,
    .options_bytes = sizeof(varbox_options),
    .ways = {{NULL, 0}, FILTER_PASSES(varbox_passes)},
    .way = varbox_way,
    .range = filter_mean_range,
    .any_aux = true,
};

#endif
