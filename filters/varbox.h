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
     "the radii: a picture of the same size; a .npy may hold fractions"},
    {"border", "B", "", PARAM_BORDER, offsetof(varbox_options, border), 0, 0, "clamp",
     "outside: clamp mirror reflect wrap constant:V shrink"},
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
        "Depth of field: a sample of MAP is a radius in pixels, 0 where the picture stays sharp, "
        "3 for a window of 7 x 7. A template with the line `0 0 1 1 8/255` makes radii of 0 to 8 "
        "of a depth map.",
    .params = varbox_params,
    .needs_value = true,
    .options_bytes = sizeof(varbox_options),
    .ways = {{NULL, 0}, FILTER_PASSES(varbox_passes)},
    .way = varbox_way,
    .range = filter_mean_range,
    .any_aux = true,
    .sign = SIGN_MOVES,
    .example = "satfilter --varbox radii.pgm in.png out.png",
};

#endif
