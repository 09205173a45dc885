/* threshold: black and white above one level, given or found (Otsu's). */
#if defined(FILTER_ENTRY)
FILTER_ENTRY(threshold)
#elif defined(FORMULA_ENTRY)
FORMULA_ENTRY(threshold, FORMULA_CENTRE)
#elif !defined(SATF_FILTERS_THRESHOLD_H)
#define SATF_FILTERS_THRESHOLD_H

#include <satfilter-module.h>

typedef struct threshold_options {
    double level; /* NAN: otsu */
    filter_bilevel bilevel;
    int64_t full;
} threshold_options;

/* White above T = V M / 255, of integers V in steps of 0.001. T is rounded once, so no sample is on
 * the wrong side of it. */
SATF_FORMULA formula_value threshold_formula(const formula_sums *in,
                                             const threshold_options *options)
{
    double steps = formula_thousandths(options->level);
    double given = in->real ? options->level * in->level : steps * in->full / 255000 + in->zero;
    double threshold = formula_choose(isnan(options->level), in->otsu, given);
    return formula_bilevel(in, &options->bilevel, in->centre > threshold, threshold);
}

#elif defined(FILTER_DESCRIPTORS)

static filter_range threshold_range(filter_range in, const void *options, const filter_extent *of)
{
    double level = ((const threshold_options *)options)->level * of->level;
    return isnan(level) ? in : filter_surface_range(in, level, level);
}

static const filter_param threshold_params[] = {
    {"level", "V|otsu", "levels of 255", PARAM_LEVEL, offsetof(threshold_options, level), 0, 255,
     "128", "level of 8 bits, 0 to 255, of floats any number; otsu finds it"},
    FILTER_FULL_PARAM(offsetof(threshold_options, full)),
    FILTER_BILEVEL_PARAMS(threshold_options),
    FILTER_PARAM_END,
};

#define THRESHOLD_PASS(counts)                                                          \
    {                                                                                   \
        .over = OVER_PIXEL, .averages_alpha = true, .grey = true, .type = TYPE_BILEVEL, \
        .bilevel = offsetof(threshold_options, bilevel), .kernel = KERNEL_STEP,         \
        .formula = FORMULA_threshold, .histogram = (counts)                             \
    }

static const filter_pass threshold_given[] = {THRESHOLD_PASS(false)};
static const filter_pass threshold_found[] = {THRESHOLD_PASS(true)};

static int threshold_way(const void *options, int colours, bool aux)
{
    (void)colours, (void)aux;
    return isnan(((const threshold_options *)options)->level);
}

static const filter_info threshold_filter = {
    .name = "threshold",
    .help = "black and white: above one level, given or found",
    .detail =
        "One level for the whole picture: for pages in even light, and for masks. otsu finds the "
        "level that parts dark from light best. In uneven light take wolf or adaptive.",
    .params = threshold_params,
    .needs_value = true,
    .options_bytes = sizeof(threshold_options),
    .ways = {FILTER_PASSES(threshold_given), FILTER_PASSES(threshold_found)},
    .way = threshold_way,
    .range = threshold_range,
    .sign = SIGN_MOVES,
    .example = "satfilter --threshold otsu scan.png page.png",
};

#endif
