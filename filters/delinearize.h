/* delinearize: light becomes samples again, behind linearize and what mixes light. */
#if defined(FILTER_ENTRY)
FILTER_ENTRY(delinearize)
#elif defined(FORMULA_ENTRY)
FORMULA_ENTRY(delinearize, FORMULA_CENTRE)
#elif !defined(SATF_FILTERS_DELINEARIZE_H)
#define SATF_FILTERS_DELINEARIZE_H

#include <satfilter-module.h>

typedef struct delinearize_options {
    double curve; /* NAN: that of sRGB (IEC 61966-2-1) */
    int depth;    /* auto, 8, 16 */
    int64_t full;
} delinearize_options;

/* Below black the curve is that above it, with the other sign. */
SATF_FORMULA formula_value delinearize_formula(const formula_sums *in,
                                               const delinearize_options *options)
{
    bool srgb = isnan(options->curve);
    double light = fabs(in->centre) / in->full;
    double power = formula_power(light, formula_choose(srgb, 1 / 2.4, 1 / options->curve));
    double bent = light <= 0.0031308 ? 12.92 * light : 1.055 * power - 0.055;
    double v = formula_choose(srgb, bent, power);
    return formula_real(copysign(v * (in->full * in->times), in->centre));
}

#elif defined(FILTER_DESCRIPTORS)

static satf_type delinearize_made(const void *options, satf_type of)
{
    int depth = ((const delinearize_options *)options)->depth;
    return depth == 1 || (depth == 0 && of == SATF_U16) ? SATF_U8 : depth == 2 ? SATF_U16 : of;
}

static const filter_param delinearize_params[] = {
    {"curve", "G|srgb", "", PARAM_REAL, offsetof(delinearize_options, curve), 0.2, 5, "srgb",
     "how samples show light: srgb, or the power G, 0.2 to 5"},
    {"depth", "auto|8|16", "", PARAM_CHOICE, offsetof(delinearize_options, depth), 0, 0, "auto",
     "bits of the result; auto: 8 of 16 bits, else its input's type"},
    FILTER_FULL_PARAM(offsetof(delinearize_options, full)),
    FILTER_PARAM_END,
};

static const filter_pass delinearize_passes[] = {{
    .over = OVER_PIXEL,
    .keeps_alpha = true,
    .type = TYPE_SCALED,
    .made = delinearize_made,
    .kernel = KERNEL_SAMPLE,
    .formula = FORMULA_delinearize,
}};

static const filter_info delinearize_filter = {
    .name = "delinearize",
    .help = "light becomes samples: the way back of linearize",
    .detail =
        "Behind linearize and filters that mix light, with the same curve. What linearize has made "
        "f32 of comes back by depth=16 or depth=8. --linear does all that by itself.",
    .params = delinearize_params,
    .needs_value = true,
    .options_bytes = sizeof(delinearize_options),
    .ways = {FILTER_PASSES(delinearize_passes)},
    .sign = SIGN_REFUSED,
    .example = "satfilter --delinearize 2.2 in.png out.png",
};

#endif
