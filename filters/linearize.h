/* linearize: samples become light, so that what follows mixes light. */
#if defined(FILTER_ENTRY)
FILTER_ENTRY(linearize)
#elif defined(FORMULA_ENTRY)
FORMULA_ENTRY(linearize, FORMULA_CENTRE)
#elif !defined(SATF_FILTERS_LINEARIZE_H)
#define SATF_FILTERS_LINEARIZE_H

#include <satfilter-module.h>

typedef struct linearize_options {
    double curve; /* NAN: that of sRGB (IEC 61966-2-1) */
    int64_t full;
} linearize_options;

/* Below black the curve is that above it, with the other sign. */
SATF_FORMULA formula_value linearize_formula(const formula_sums *in,
                                             const linearize_options *options)
{
    bool srgb = isnan(options->curve);
    double v = fabs(in->centre) / in->full;
    double base = formula_choose(srgb, (v + 0.055) / 1.055, v);
    double power = formula_power(base, formula_choose(srgb, 2.4, options->curve));
    double light = formula_choose(srgb, v <= 0.04045 ? v / 12.92 : power, power);
    return formula_real(copysign(light * (in->full * in->times), in->centre));
}

#elif defined(FILTER_DESCRIPTORS)

/* The narrowest type that keeps samples apart: higher powers bring dark ones together. */
static satf_type linearize_made(const void *options, satf_type of)
{
    bool crowds = ((const linearize_options *)options)->curve > 2;
    return of == SATF_U8 && !crowds ? SATF_U16 : of == SATF_U8 || of == SATF_U16 ? SATF_F32 : of;
}

static const filter_param linearize_params[] = {
    {"curve", "G|srgb", "", PARAM_REAL, offsetof(linearize_options, curve), 0.2, 5, "srgb",
     "how samples show light: srgb, or the power G, 0.2 to 5"},
    FILTER_FULL_PARAM(offsetof(linearize_options, full)),
    FILTER_PARAM_END,
};

static const filter_pass linearize_passes[] = {{
    .over = OVER_PIXEL,
    .keeps_alpha = true,
    .type = TYPE_SCALED,
    .made = linearize_made,
    .kernel = KERNEL_SAMPLE,
    .formula = FORMULA_linearize,
}};

static const filter_info linearize_filter = {
    .name = "linearize",
    .help = "samples become light: what follows mixes light",
    .detail =
        "For filters that mix pixels of photographs: resize, box, gauss, unsharp. delinearize "
        "behind them comes back. 8 bits become 16, but f32 by a power above 2; 16 bits become "
        "f32. --linear does both, by the file's own curve.",
    .params = linearize_params,
    .needs_value = true,
    .options_bytes = sizeof(linearize_options),
    .ways = {FILTER_PASSES(linearize_passes)},
    .sign = SIGN_REFUSED,
    .example = "satfilter --linearize srgb --resize 50% --delinearize srgb in.jpg out.jpg",
};

#endif
