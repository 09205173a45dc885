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
 * In floats, whose unit u is 2^-24, of bytes: m is off by 3 u of it, A by 2 u of it, A (p - m) by
 * u A (3 m + 4 |p - m|), and the sum with p and a half by less than 2^12 u (A + 1). Where no
 * integer is nearer to that sum it is clear which one lies below.
 */
extern "C++" {
static inline __device__ bool formula_is_clear(const formula_sums *in,
                                               const unsharp_options *options, formula_value *value)
{
    float amount = (float)unsharp_steps(options) * 1e-4f, p = (float)in->centre;
    float mean = (float)(uint32_t)in->sum * (float)in->inverse;
    float above = p + amount * (p - mean) + 0.5f, below = floorf(above);
    float open = 0x1p-12f * (amount + 1);
    float sample = fminf(fmaxf(below, 0), UINT8_MAX);
    *value = formula_integer((uint32_t)sample);
    return in->full == UINT8_MAX && in->words == FORMULA_WORD && in->weight != 0 &&
           in->sum >> 32 == 0 && above - below > open && below + 1 - above > open;
}
}
#endif

#elif defined(FILTER_DESCRIPTORS)

static const filter_param unsharp_params[] = {
    FILTER_WINDOW_PARAMS(unsharp_options, "15"),
    {"amount", "A", "", PARAM_REAL, offsetof(unsharp_options, amount), 0, 100, "1",
     "how far, 0 to 100, of integers in steps of 0.0001"},
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
              "saturated. The mean of colour is weighted by alpha; alpha stays as it is. The "
              "result has the input's type and range.",
    .params = unsharp_params,
    .needs_value = true,
    .options_bytes = sizeof(unsharp_options),
    .recipe = &unsharp_recipe,
};

#endif
