/* real: the same picture in real numbers, so that what follows in a chain is not rounded. */
#if defined(FILTER_ENTRY)
FILTER_ENTRY(real)
#elif defined(FORMULA_ENTRY)
FORMULA_ENTRY(real, FORMULA_CENTRE)
#elif !defined(SATF_FILTERS_REAL_H)
#define SATF_FILTERS_REAL_H

#include <satfilter-module.h>

typedef struct real_options {
    int none; /* there are no parameters */
} real_options;

SATF_FORMULA formula_value real_formula(const formula_sums *in, const real_options *options)
{
    (void)options;
    return formula_real(in->centre);
}

#elif defined(FILTER_DESCRIPTORS)

static const filter_param real_params[] = {FILTER_PARAM_END};

static const filter_pass real_passes[] = {{
    .over = OVER_PIXEL,
    .keeps_alpha = true,
    .type = TYPE_WIDENED,
    .formula = FORMULA_real,
}};

static const filter_info real_filter = {
    .name = "real",
    .help = "real numbers from here on: what follows is not rounded",
    .detail =
        "Put it in front of several means, or differences of them, which are else rounded one by "
        "one. What is below black or above white is kept as well. A picture is rounded once, when "
        "it is written; an array is f64. The last digits may differ from machine to machine.",
    .params = real_params,
    .needs_value = false,
    .options_bytes = sizeof(real_options),
    .ways = {FILTER_PASSES(real_passes)},
    .example = "satfilter --real --box 15 --box 15 in.png out.png",
};

#endif
