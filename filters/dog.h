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

static filter_lines dog_narrow(const void *from)
{
    const dog_options *options = from;
    return filter_gaussian(options->sigma, 4);
}

static filter_lines dog_wide(const void *from)
{
    const dog_options *options = from;
    return filter_gaussian(options->sigma * options->ratio, 4);
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
     "how many times as wide the other one is, 1 to 5"},
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
        "What gauss=S makes less what gauss=T makes, T being R times S, both with 4 passes and not "
        "rounded to samples: above 0 where it is lighter than around, below 0 where it is darker. "
        "It is largest at blobs whose radius is about 1.8 S, and crosses 0 at edges. The result is "
        "f64, from lo - hi to hi - lo for samples in lo ... hi, which is what a 16-bit picture of "
        "it spans; to look at it take --range -30:30. Of u8 it is off by at most 1 / 16 of a "
        "level; behind --real it is not. " FILTER_KEPT_ALPHA_HELP,
    .params = dog_params,
    .needs_value = true,
    .options_bytes = sizeof(dog_options),
    .ways = {FILTER_PASSES(dog_passes)},
    .range = dog_range,
};

#endif
