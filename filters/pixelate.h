/* pixelate: squares of one colour, the mean of what is under them. */
#if defined(FILTER_ENTRY)
FILTER_ENTRY(pixelate)
#elif defined(FILTER_DESCRIPTORS) /* box's formula makes the means */

typedef struct pixelate_options {
    filter_size size;
} pixelate_options;

static const filter_param pixelate_params[] = {
    {"size", "N|WxH", "pixels", PARAM_SIZE, offsetof(pixelate_options, size), 1, FILTER_MAX_SIZE,
     "16", "cells in pixels, 1 to 65535"},
    FILTER_PARAM_END,
};

static const filter_pass pixelate_passes[] = {{
    .over = OVER_CELLS,
    .averages_alpha = true,
    .type = TYPE_OF_INPUT,
    .kernel = KERNEL_MEAN,
    .formula = FORMULA_box,
}};

static const filter_info pixelate_filter = {
    .name = "pixelate",
    .help = "squares of one colour: the mean of each cell of a grid",
    .detail =
        "Hides faces and number plates. Take few cells, at most four across a face, and cells "
        "higher than letters: what smaller ones hide can be guessed.",
    .params = pixelate_params,
    .needs_value = true,
    .options_bytes = sizeof(pixelate_options),
    .ways = {FILTER_PASSES(pixelate_passes)},
    .sign = SIGN_MOVES,
    .example = "satfilter --pixelate 20 --region 410,280,90x70 in.jpg out.jpg",
};

#endif
