/* integral: the summed area table itself. */
#if defined(FILTER_ENTRY)
FILTER_ENTRY(integral)
#elif !defined(SATF_FILTERS_INTEGRAL_H)
#define SATF_FILTERS_INTEGRAL_H

#include "../src/filter/formula.h"

SATF_FORMULA formula_value integral_formula(const formula_sums *in)
{
    return in->real ? formula_real(in->real_sum) : formula_integer((uint64_t)in->sum);
}

#ifdef FILTER_DESCRIPTORS

/* Up to the sum of the whole image at its largest sample. */
static filter_range integral_range(filter_range in, const filter_values *values, double width,
                                   double height)
{
    double lo = in.lo, hi = in.hi;
    if (values->squared) {
        double a = lo * lo, b = hi * hi;
        lo = in.lo <= 0 && in.hi >= 0 ? 0 : a < b ? a : b;
        hi = a < b ? b : a;
    }
    double pixels = width * height;
    return (filter_range){in.known, lo < 0 ? lo * pixels : 0, hi > 0 ? hi * pixels : 0};
}

static const filter_param integral_params[] = {
    {"squared", NULL, "sum the squares of the samples instead", "off", PARAM_FLAG},
    FILTER_PARAM_END,
};

static const filter_engine integral_engine = {
    .region = REGION_PREFIX,
    .type = TYPE_OF_SUM,
    .formula = integral_formula,
    .range = integral_range,
};

static const filter_info integral_filter = {
    .name = "integral",
    .help = "the summed area table (integral image)",
    .detail = "Each sample becomes the sum of all samples above and left of it, itself included. "
              "Sums of integers are exact in u32 or, when the largest possible one does not fit, "
              "u64; those of floats are f64. Alpha is a channel like the others. A 16-bit picture "
              "of it spans 0 ... largest sample x width x height.",
    .params = integral_params,
    .needs_value = false,
    .engine = &integral_engine,
};

#endif
#endif
