/* unsharp: each pixel moved away from the mean around it. */
#if defined(FILTER_ENTRY)
FILTER_ENTRY(unsharp)
#elif defined(FORMULA_ENTRY)
FORMULA_ENTRY(unsharp, FORMULA_SUM | FORMULA_CENTRE | FORMULA_OFTEN)
#elif !defined(SATF_FILTERS_UNSHARP_H)
#define SATF_FILTERS_UNSHARP_H

#include <satfilter-module.h>

typedef struct unsharp_options {
    filter_window window;
    double amount;
    int64_t full;
} unsharp_options;

/* a, to nearest. */
SATF_FORMULA double unsharp_steps(const unsharp_options *options)
{
    return (options->amount * 10000 + 0x1p52) - 0x1p52;
}

/*
 * p + A (p - m). Of integers A is taken to 4 decimals, a = 10000 A, and the fraction
 * (10000 p W + a (p W - S)) / (10000 W) is formed by one division. What it divides is exact below
 * 2^53, and then rounding the quotient, halves up, is rounding the fraction: one that is not a half
 * is further from it than the quotient's last place.
 */
SATF_FORMULA formula_value unsharp_formula(const formula_sums *in, const unsharp_options *options)
{
    double p = in->centre, weight = formula_weight(in);
    if (in->real) {
        double sharp = p + options->amount * (p - formula_true_mean(in));
        return formula_real(weight == 0 ? p : sharp);
    }
    double steps = unsharp_steps(options), whole = p * weight;
    double numerator = 10000 * whole + steps * (whole - formula_sum(in));
    return formula_real(weight == 0 ? p : formula_quotient(numerator, 10000 * weight));
}

#ifdef __CUDACC__
/*
 * In floats, whose unit u is 2^-24, of bytes: p (1 + A) - (A / W) S is off by 2 u of either term
 * and u of the difference, together by at most 255 * 5 u (A + 1). Where no half is as near to it,
 * it is clear which integer is nearest. What is clamped is one.
 */
extern "C++" {
static inline formula_floats formula_floats_of(const formula_sums *in,
                                               const unsharp_options *options)
{
    double amount = unsharp_steps(options) / 10000;
    formula_floats common = {{(float)(1 + amount), (float)(amount / (double)in->weight),
                              (float)(0.5 - 0x1p-24 * 1400 * (amount + 1)), (float)in->most}};
    return common;
}

static inline __device__ bool formula_is_clear(const formula_floats *common,
                                               const formula_window *in, const unsharp_options *,
                                               uint32_t *bits)
{
    float sharp = fmaf(-common->of[1], in->sum, common->of[0] * in->centre);
    float sample = fminf(fmaxf(sharp, 0), common->of[3]), rounded = sample + FORMULA_ROUNDS;
    *bits = formula_bits(rounded);
    return fabsf(sample - (rounded - FORMULA_ROUNDS)) < common->of[2];
}
}
#endif

#elif defined(FILTER_DESCRIPTORS)

static const filter_param unsharp_params[] = {
    FILTER_WINDOW_PARAMS(unsharp_options, "15"),
    {"amount", "A", "", PARAM_REAL, offsetof(unsharp_options, amount), 0, 100, "1",
     "how far, 0 to 100, of integers in steps of 0.0001"},
    FILTER_FULL_PARAM(offsetof(unsharp_options, full)),
    FILTER_PARAM_END,
};

static const filter_recipe unsharp_recipe = {
    .region = REGION_WINDOW,
    .keeps_alpha = true,
    .type = TYPE_OF_INPUT,
    .formula = FORMULA_unsharp,
};

static const filter_info unsharp_filter = {
    .name = "unsharp",
    .help = "sharpen: away from the mean over a window",
    .detail = "p + A (p - m), p being the pixel and m the mean of the N x N (or W x H) pixels "
              "around it. Of integers it is one fraction, rounded to nearest, halves up, and "
              "saturated: to 0 and the full scale; into floats it is neither. The mean of colour "
              "is weighted by alpha; alpha "
              "stays as it is, and so does a pixel whose whole window is transparent. The "
              "result has the input's type and range.",
    .params = unsharp_params,
    .needs_value = true,
    .options_bytes = sizeof(unsharp_options),
    .recipe = &unsharp_recipe,
};

#endif
