/* pixelate: squares of one colour, the mean of what is under them. */
#if defined(FILTER_ENTRY)
FILTER_ENTRY(pixelate)
#elif defined(FILTER_DESCRIPTORS) /* box's formula makes the means */

typedef struct pixelate_options {
    filter_size size;
} pixelate_options;

static const filter_param pixelate_params[] = {
    {"size", "N|WxH", "pixels", PARAM_SIZE, offsetof(pixelate_options, size), 1, FILTER_MAX_SIZE,
     "16", "cells in pixels, width and height of 1 to 65535"},
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
        "The picture is cut into cells of N x N (or W x H) pixels, from its upper left corner on; "
        "the last of a row or column may be smaller. All pixels of a cell become its mean. That of "
        "integers is exact, rounded to nearest, halves up; that of floats is formed in double. "
        "Colour is weighted by alpha, alpha is averaged by itself. The result has the input's type "
        "and range. With --region it hides a part of a picture. Few cells hide: at most four "
        "across a face, and cells higher than letters, which can be guessed from smaller ones.",
    .params = pixelate_params,
    .needs_value = true,
    .options_bytes = sizeof(pixelate_options),
    .ways = {FILTER_PASSES(pixelate_passes)},
};

#endif
