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
     "50%", "a box, both sides (!), one side (1024x, x768), or a share"},
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
        "Proportions stay: 1024x1024 is a box that the result fits into, 1024x a width, x768 a "
        "height, 25% a share. Pictures do not become larger: a smaller one keeps its size. "
        "300x200! makes exactly these sides. Dots per inch shrink too, so the printed size stays.",
    .params = resize_params,
    .needs_value = true,
    .options_bytes = sizeof(resize_options),
    .ways = {FILTER_PASSES(resize_passes)},
    .sign = SIGN_MOVES,
    .example = "satfilter --resize 25% in.jpg out.jpg",
};

#endif
