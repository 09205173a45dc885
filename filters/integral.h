/* integral: the summed area table itself. */
#if defined(FILTER_ENTRY)
FILTER_ENTRY(integral)
#elif !defined(SATF_FILTERS_INTEGRAL_H)
#define SATF_FILTERS_INTEGRAL_H

#include <satfilter-module.h>

typedef struct integral_options {
    bool squared, zeros;
} integral_options;

#elif defined(FILTER_DESCRIPTORS)

static bool integral_squares(const void *options)
{
    return ((const integral_options *)options)->squared;
}

static bool integral_zero_edge(const void *options)
{
    return ((const integral_options *)options)->zeros;
}

/* Up to the sum of the whole image at its largest sample. */
static filter_range integral_range(filter_range in, const void *options, const filter_extent *of)
{
    double lo = in.lo, hi = in.hi;
    if (integral_squares(options)) {
        double a = lo * lo, b = hi * hi;
        lo = in.lo <= 0 && in.hi >= 0 ? 0 : a < b ? a : b;
        hi = a < b ? b : a;
    }
    double pixels = of->width * of->height;
    return (filter_range){in.known, lo < 0 ? lo * pixels : 0, hi > 0 ? hi * pixels : 0};
}

static const filter_param integral_params[] = {
    {"squared", NULL, "", PARAM_FLAG, offsetof(integral_options, squared), 0, 0, "off",
     "sum the squares of the samples instead"},
    {"zeros", NULL, "", PARAM_FLAG, offsetof(integral_options, zeros), 0, 0, "off",
     "a row and a column of zeros in front, as OpenCV has them"},
    FILTER_PARAM_END,
};

static const filter_pass integral_passes[] = {{
    .over = OVER_ALL,
    .type = TYPE_OF_SUM,
    .sums_squares = integral_squares,
    .zero_edge = integral_zero_edge,
}};

static const filter_info integral_filter = {
    .name = "integral",
    .help = "the summed area table (integral image)",
    .detail =
        "Each sample becomes the sum of all samples above and left of it, itself included, of "
        "integers exactly. For programs that take sums of rectangles: four numbers give any of "
        "them.",
    .params = integral_params,
    .needs_value = false,
    .options_bytes = sizeof(integral_options),
    .ways = {FILTER_PASSES(integral_passes)},
    .range = integral_range,
    .example = "satfilter --integral in.png out.npy",
};

#endif
