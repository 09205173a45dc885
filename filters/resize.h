/* resize: fewer pixels, each the mean of what it covers. */
#if defined(FILTER_ENTRY)
FILTER_ENTRY(resize)
#elif defined(FILTER_DESCRIPTORS) /* box's formula makes the means */

typedef struct resize_options {
    filter_shape size;
} resize_options;

static void resize_shape(const void *options, int64_t *width, int64_t *height)
{
    filter_shape_sides(&((const resize_options *)options)->size, width, height);
}

static const filter_param resize_params[] = {
    {"size", "WxH|WxH!|P%", "pixels", PARAM_SHAPE, offsetof(resize_options, size), 1, INT32_MAX,
     "50%",
     "a box that the result fits into, 1024x768; its very sides, 1024x768!; one that the other "
     "follows, 1024x or x768; or their share of the picture's"},
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
        "The largest picture that fits into W x H pixels and keeps its proportions: one side fills "
        "the box, the other follows, rounded, halves up, at least 1. Of Wx, such as 1024x, the "
        "height follows, of xH the width. P% takes that share of both sides, P%xQ% of each. "
        "WxH! makes these very sides, whatever the proportions. Each pixel is the mean of the "
        "pixels that it covers, of those at its edges the part that it covers. The mean of "
        "integers is exact, rounded to nearest, halves up; that of floats is formed in double. "
        "Colour is weighted by alpha, alpha is averaged by itself. The result has the input's type "
        "and range, and its resolution is smaller likewise. W and H are those of the pixels as the "
        "file stores them, whatever its orientation. Pictures do not become larger: one that is "
        "smaller keeps its size, and of WxH! it is refused.",
    .params = resize_params,
    .needs_value = true,
    .options_bytes = sizeof(resize_options),
    .ways = {FILTER_PASSES(resize_passes)},
};

#endif
