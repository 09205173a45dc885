/* kuwahara: the mean of the flattest of four windows beside the pixel. */
#if defined(FILTER_ENTRY)
FILTER_ENTRY(kuwahara)
#elif defined(FORMULA_ENTRY)
FORMULA_ENTRY(kuwahara, FORMULA_SUM | FORMULA_SQUARE)
#elif !defined(SATF_FILTERS_KUWAHARA_H)
#define SATF_FILTERS_KUWAHARA_H

#include <satfilter-module.h>

typedef struct kuwahara_options {
    filter_size size;
    filter_border border;
} kuwahara_options;

SATF_FORMULA formula_value kuwahara_formula(const formula_sums *in, const kuwahara_options *options)
{
    (void)options;
    return formula_mean(in);
}

#elif defined(FILTER_DESCRIPTORS)

static int kuwahara_windows(const void *options, satf_rect windows[FILTER_MAX_WINDOWS])
{
    filter_size size = ((const kuwahara_options *)options)->size;
    int64_t left = 1 - size.width, top = 1 - size.height;
    windows[0] = (satf_rect){left, top, size.width, size.height};
    windows[1] = (satf_rect){0, top, size.width, size.height};
    windows[2] = (satf_rect){left, 0, size.width, size.height};
    windows[3] = (satf_rect){0, 0, size.width, size.height};
    return 4;
}

static const filter_param kuwahara_params[] = {
    {"size", "N|WxH", "pixels", PARAM_SIZE, offsetof(kuwahara_options, size), 1, 255, "5",
     "windows in pixels, 1 to 255"},
    FILTER_BORDER_PARAM(offsetof(kuwahara_options, border)),
    FILTER_PARAM_END,
};

/* The means of all windows, how much they vary, and for each pixel the choice among its four. */
static const filter_pass kuwahara_passes[] = {
    {
        .over = OVER_WINDOW,
        .all = true,
        .averages_alpha = true,
        .type = TYPE_OF_INPUT,
        .kernel = KERNEL_MEAN,
        .formula = FORMULA_kuwahara,
    },
    {
        .over = OVER_WINDOW,
        .all = true,
        .averages_alpha = true,
        .type = TYPE_REAL,
        .kernel = KERNEL_VARIES,
        .formula = FORMULA_kuwahara,
    },
    {
        .over = OVER_LEAST,
        .of = 2,
        .aux = {3},
        .averages_alpha = true,
        .type = TYPE_OF_INPUT,
        .formula = FORMULA_NONE,
        .windows = kuwahara_windows,
    },
};

static const filter_pass kuwahara_device_passes[] = {{
    .over = OVER_CHOICE,
    .averages_alpha = true,
    .type = TYPE_OF_INPUT,
    .kernel = KERNEL_MEAN,
    .formula = FORMULA_kuwahara,
    .windows = kuwahara_windows,
}};

static const filter_info kuwahara_filter = {
    .name = "kuwahara",
    .help = "smooth like a painting: the mean on the flatter side of edges",
    .detail =
        "Flat strokes of about the window's size, with sharp edges. Also against strong noise, "
        "where texture may go; guided keeps more of it.",
    .params = kuwahara_params,
    .needs_value = true,
    .options_bytes = sizeof(kuwahara_options),
    .ways = {FILTER_PASSES(kuwahara_passes)},
    .on_device = FILTER_PASSES(kuwahara_device_passes),
    .range = filter_mean_range,
    .sign = SIGN_MOVES,
    .example = "satfilter --kuwahara 9 in.jpg out.jpg",
};

#endif
