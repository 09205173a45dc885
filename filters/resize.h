/* resize: fewer pixels, each the mean of what it covers. */
#if defined(FILTER_ENTRY)
FILTER_ENTRY(resize)
#elif defined(FILTER_DESCRIPTORS) /* box's formula makes the means */

typedef struct resize_options {
    filter_size size;
} resize_options;

static void resize_shape(const void *options, int64_t *width, int64_t *height)
{
    filter_shape_sides(&((const resize_options *)options)->size, width, height);
}

static const filter_param resize_params[] = {
    {"size", "WxH|P%", "pixels", PARAM_SHAPE, offsetof(resize_options, size), 1, INT32_MAX, "50%",
     "sides of the result, or their share of the picture's; of 1024x or x768 the other follows"},
    FILTER_PARAM_END,
};

static const filter_pass resize_passes[] = {{
    .over = OVER_CELLS,
    .averages_alpha = true,
    .type = TYPE_OF_INPUT,
    .kernel = KERNEL_MEAN,
    .formula = FORMULA_box,
    .shape = resize_shape,
}};

static const filter_info resize_filter = {
    .name = "resize",
    .help = "smaller: the mean of what each pixel covers",
    .detail =
        "A smaller picture of W x H pixels, or of P per cent of the width and of the height, "
        "rounded, at least 1 (P%xQ% takes one for each). Of Wx, such as 1024x, the height "
        "follows, of xH the width, so that the picture keeps its proportions. Each pixel is the "
        "mean of the pixels that it covers, of those at its edges the part that it covers. The "
        "mean of integers is exact, rounded to nearest, halves up; that of floats is formed in "
        "double. Colour is weighted by alpha, alpha is averaged by itself. The result has the "
        "input's type and range, and its resolution is smaller likewise. W and H are those of the "
        "pixels as the file stores them, whatever its orientation. Pictures do not become larger: "
        "of Wx and xH a smaller one keeps its size, W x H are refused.",
    .params = resize_params,
    .needs_value = true,
    .options_bytes = sizeof(resize_options),
    .ways = {FILTER_PASSES(resize_passes)},
};

#endif
