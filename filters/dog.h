/* dog: the difference of two Gaussians: edges and blobs of one size. */
#if defined(FILTER_ENTRY)
FILTER_ENTRY(dog)
#elif defined(FORMULA_ENTRY)
FORMULA_ENTRY(dog, FORMULA_CENTRE | FORMULA_AUX | FORMULA_AUX_TOO)
#elif !defined(SATF_FILTERS_DOG_H)
#define SATF_FILTERS_DOG_H

#include <satfilter-module.h>

typedef struct dog_options {
    double sigma, ratio;
    filter_border border;
} dog_options;

SATF_FORMULA formula_value dog_formula(const formula_sums *in, const dog_options *options)
{
    (void)options;
    return formula_real(in->aux[0] - in->aux[1]);
}

#elif defined(FILTER_DESCRIPTORS)

/* Both Gaussians use one method, so that what they have in common cancels. */
static filter_axes dog_lines(const dog_options *options, double sigma)
{
    return filter_gaussian(sigma, sigma, options->sigma * options->ratio, 4);
}

static filter_axes dog_narrow(const void *from)
{
    const dog_options *options = from;
    return dog_lines(options, options->sigma);
}

static filter_axes dog_wide(const void *from)
{
    const dog_options *options = from;
    return dog_lines(options, options->sigma * options->ratio);
}

static filter_range dog_range(filter_range in, const void *options, const filter_extent *of)
{
    (void)options, (void)of;
    return (filter_range){in.known, in.lo - in.hi, in.hi - in.lo};
}

static const filter_param dog_params[] = {
    {"sigma", "S", "pixels", PARAM_REAL, offsetof(dog_options, sigma), 0.3, 200, "2",
     "standard deviation of the narrower Gaussian in pixels, 0.3 to 200"},
    {"ratio", "R", "", PARAM_REAL, offsetof(dog_options, ratio), 1, 5, "1.6",
     "how many times as wide the other Gaussian is, 1 to 5"},
    FILTER_BORDER_PARAM(offsetof(dog_options, border)),
    FILTER_PARAM_END,
};

/* Images 2 and 3 are the two Gaussians. */
static const filter_pass dog_passes[] = {
    {.over = OVER_LINES, .averages_alpha = true, .type = TYPE_REAL, .lines = dog_narrow},
    {.over = OVER_LINES, .averages_alpha = true, .type = TYPE_REAL, .lines = dog_wide},
    {.over = OVER_PIXEL,
     .aux = {2, 3},
     .keeps_alpha = true,
     .type = TYPE_REAL,
     .formula = FORMULA_dog},
};

static const filter_info dog_filter = {
    .name = "dog",
    .help = "difference of two Gaussians: edges, and blobs of one size",
    .detail =
        "Finds blobs of a radius of about 1.8 S, where it is farthest from 0, and edges, where it "
        "crosses 0. Light spots are above 0, dark ones below. The result is real numbers.",
    .params = dog_params,
    .needs_value = true,
    .options_bytes = sizeof(dog_options),
    .ways = {FILTER_PASSES(dog_passes)},
    .range = dog_range,
    .sign = SIGN_STAYS,
    .example = "satfilter --dog 2 --range -30:30 in.png out.png",
};

#endif
