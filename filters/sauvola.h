/*
 * sauvola: black and white by a threshold around each pixel. J. Sauvola, M. Pietikainen,
 * Adaptive document image binarization, Pattern Recognition 33 (2000).
 */
#if defined(FILTER_ENTRY)
FILTER_ENTRY(sauvola)
#elif defined(FORMULA_ENTRY)
FORMULA_ENTRY(sauvola, FORMULA_SUM | FORMULA_SQUARE | FORMULA_CENTRE | FORMULA_OFTEN)
#elif !defined(SATF_FILTERS_SAUVOLA_H)
#define SATF_FILTERS_SAUVOLA_H

#include <satfilter-module.h>

typedef struct sauvola_options {
    filter_window window;
    double k, r;
} sauvola_options;

#ifdef __CUDACC__
/*
 * In floats, whose unit u is 2^-24, of integers: m = S (1 / W) is off by 3 u of it, and s / R by
 * 6 u of it: the spread, 1 / W and 1 / R are each rounded once, the root and two products, too.
 * That makes k (s / R - 1) off by 9 u |k| (s / R + 1), and T by less than
 * 16 u m (1 + |k| (s / R + 1)). Twice that away from T, or where all is 0, it is clear.
 */
extern "C++" {
static inline __device__ bool formula_is_clear(const formula_sums *in,
                                               const sauvola_options *options, formula_value *value)
{
    float inverse = (float)in->inverse, k = (float)options->k;
    float mean = (float)(uint32_t)in->sum * inverse;
    float deviation = __fsqrt_rn((float)formula_word_spread(in)) * inverse;
    float part = deviation * (float)(1 / (options->r * in->level));
    float above = (float)in->centre - mean * (1 + k * (part - 1));
    *value = formula_integer(above > 0 ? UINT8_MAX : 0);
    return in->words == FORMULA_WORD && in->weight != 0 && in->sum >> 32 == 0 &&
           (fabsf(above) > 0x1p-19f * mean * (1 + fabsf(k) * (part + 1)) || mean == 0);
}
}
#endif

/* White above T = m (1 + k (s / R - 1)), R being multiplied by as 1 / R, and where nothing counts.
 */
SATF_FORMULA formula_value sauvola_formula(const formula_sums *in, const sauvola_options *options)
{
    double mean = formula_true_mean(in), deviation = formula_deviation(in);
    double inverse = 1 / (options->r * in->level);
    double threshold = mean * (1 + options->k * (deviation * inverse - 1));
    return formula_bilevel(in->centre > threshold || formula_weight(in) == 0);
}

#elif defined(FILTER_DESCRIPTORS)

static const filter_param sauvola_params[] = {
    FILTER_WINDOW_PARAMS(sauvola_options, "31"),
    {"k", "K", "", PARAM_REAL, offsetof(sauvola_options, k), -10, 10, "0.34",
     "how far flat surroundings lower the threshold below their mean, -10 to 10"},
    {"r", "R", "levels of 255", PARAM_REAL, offsetof(sauvola_options, r), 1e-6, 1e6, "128",
     "the deviation at which they do not, in levels of 8 bits, 0.000001 to 1000000"},
    FILTER_PARAM_END,
};

static const filter_recipe sauvola_recipe = {
    .region = REGION_WINDOW,
    .averages_alpha = true,
    .grey = true,
    .type = TYPE_BILEVEL,
    .formula = FORMULA_sauvola,
};

static const filter_info sauvola_filter = {
    .name = "sauvola",
    .help = "black and white, for scanned pages: threshold after Sauvola",
    .detail = "White where a pixel is above T = m (1 + k (s / r - 1)), m being the mean and s the "
              "standard deviation of the N x N (or W x H) pixels around it; black elsewhere. "
              "Colour becomes grey first: (299 R + 587 G + 114 B + 500) div 1000. Transparent "
              "pixels count nothing; where all are, the result is white. r is in levels of 8 bits, "
              "whatever the picture's depth, and of floats in their own unit. Windows should be "
              "larger than strokes are wide: a third of an inch is usual.",
    .params = sauvola_params,
    .needs_value = true,
    .options_bytes = sizeof(sauvola_options),
    .recipe = &sauvola_recipe,
};

#endif
