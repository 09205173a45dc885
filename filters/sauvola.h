/*
 * sauvola: black and white by a threshold around each pixel. J. Sauvola, M. Pietikainen,
 * Adaptive document image binarization, Pattern Recognition 33 (2000).
 */
#if defined(FILTER_ENTRY)
FILTER_ENTRY(sauvola)
#elif defined(FORMULA_ENTRY)
FORMULA_ENTRY(sauvola, FORMULA_SUM | FORMULA_SQUARE | FORMULA_CENTRE | FORMULA_TERMS)
#elif !defined(SATF_FILTERS_SAUVOLA_H)
#define SATF_FILTERS_SAUVOLA_H

#include <satfilter-module.h>

typedef struct sauvola_options {
    filter_window window;
    filter_bilevel bilevel;
    double k, r;
    int64_t full;
} sauvola_options;

/* White above T = m (1 + k (s / R - 1)), with a multiplication by 1 / R. */
SATF_FORMULA formula_value sauvola_formula(const formula_sums *in, const sauvola_options *options)
{
    double mean = formula_true_mean(in), deviation = formula_deviation(in);
    double inverse = 1 / (options->r * in->level);
    double threshold = mean * (1 + options->k * (deviation * inverse - 1));
    return formula_bilevel(in, &options->bilevel, in->centre > threshold, threshold);
}

#elif defined(FILTER_DESCRIPTORS)

/* T is a mean times a factor that is least or greatest at the least or greatest deviation. */
static filter_range sauvola_range(filter_range in, const void *options, const filter_extent *of)
{
    const sauvola_options *o = options;
    double flat = 1 - o->k, rough = flat + o->k * (in.hi - in.lo) / 2 / (o->r * of->level);
    double least = fmin(flat, rough), most = fmax(flat, rough);
    return filter_surface_range(in, fmin(in.lo * most, fmin(in.lo * least, in.hi * least)),
                                fmax(in.hi * most, fmax(in.hi * least, in.lo * least)));
}

static const filter_param sauvola_params[] = {
    FILTER_WINDOW_PARAMS(sauvola_options, "31"),
    {"k", "K", "", PARAM_REAL, offsetof(sauvola_options, k), -10, 10, "0.34",
     "threshold of flat paper: a share K below its mean, -10 to 10"},
    {"r", "R", "levels of 255", PARAM_DISTANCE, offsetof(sauvola_options, r), 1e-6, 1e6, "128",
     "deviation whose threshold is the mean, in levels of 8 bits"},
    FILTER_FULL_PARAM(offsetof(sauvola_options, full)),
    FILTER_BILEVEL_PARAMS(sauvola_options),
    FILTER_PARAM_END,
};

static filter_terms sauvola_terms(const void *options, const formula_sums *common)
{
    const sauvola_options *o = options;
    return (filter_terms){.sample = 1, .mean = o->k - 1, .both = -o->k / (o->r * common->level)};
}

static const filter_pass sauvola_passes[] = {{
    .over = OVER_WINDOW,
    .averages_alpha = true,
    .grey = true,
    .type = TYPE_BILEVEL,
    .bilevel = offsetof(sauvola_options, bilevel),
    .formula = FORMULA_sauvola,
    .terms = sauvola_terms,
}};

static const filter_info sauvola_filter = {
    .name = "sauvola",
    .help = "black and white: scanned pages, after Sauvola",
    .detail =
        "For print on paper that has stains, or whose other side shows through. Not for pencil or "
        "faded ink: strokes less than 34 % (k) darker than their paper turn white. Take wolf for "
        "these. The window should be wider than strokes; a third of an inch is usual.",
    .params = sauvola_params,
    .needs_value = true,
    .options_bytes = sizeof(sauvola_options),
    .ways = {FILTER_PASSES(sauvola_passes)},
    .range = sauvola_range,
    .sign = SIGN_REFUSED,
    .example = "satfilter --sauvola 31 scan.png page.png",
};

#endif
