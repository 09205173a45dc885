/*
 * guided: smooth but along the edges of a guide, of which the result is locally a linear function.
 * K. He, J. Sun, X. Tang, Guided image filtering (PAMI 2013), algorithm 1.
 */
#if defined(FILTER_ENTRY)
FILTER_ENTRY(guided)
#elif defined(FORMULA_ENTRY)
FORMULA_ENTRY(guided_product, FORMULA_SUM | FORMULA_AUX)
FORMULA_ENTRY(guided_sum, FORMULA_SUM)
FORMULA_ENTRY(guided_rise, FORMULA_SUM | FORMULA_AUX | FORMULA_FEEDS)
FORMULA_ENTRY(guided_slope, FORMULA_SUM | FORMULA_SQUARE | FORMULA_OFTEN_REAL)
FORMULA_ENTRY(guided_slope_by, FORMULA_SUM | FORMULA_SQUARE | FORMULA_AUX | FORMULA_AUX_TOO)
FORMULA_ENTRY(guided_offset, FORMULA_SUM | FORMULA_AUX | FORMULA_OFTEN_BESIDE)
FORMULA_ENTRY(guided_offset_by, FORMULA_SUM | FORMULA_AUX | FORMULA_AUX_TOO)
FORMULA_ENTRY(guided, FORMULA_SUM | FORMULA_AUX | FORMULA_AUX_TOO | FORMULA_OFTEN_FED)
#elif !defined(SATF_FILTERS_GUIDED_H)
#define SATF_FILTERS_GUIDED_H

#include <satfilter-module.h>

typedef struct guided_options {
    filter_window window;
    double eps, amount;
    struct filter_picture *guide;
    int64_t full;
} guided_options;

typedef guided_options guided_product_options, guided_sum_options, guided_rise_options,
    guided_slope_options, guided_slope_by_options, guided_offset_options, guided_offset_by_options;

/*
 * Slopes a and offsets b are kept as they are of floats, and of integers in steps of 2^-24 and of
 * 2^-16 (full scales up to 255) or 2^-8: multiples of these add up exactly, so every engine and
 * device has the same sums of them as long as these are below 2^53 steps. That is so of a in 0 ...
 * 1 and of b up to 2^29 pixels. A guide's samples may have another full scale than the input's:
 * kept is the slope over a guide of the input's.
 */
#define GUIDED_STEPS 0x1p24

SATF_FORMULA double guided_offset_steps(const formula_sums *in)
{
    double steps = in->full > UINT8_MAX ? 0x1p8 : 0x1p16;
    return in->of_floats ? 1 : steps;
}

/* To nearest, halves to even, of |value| < 2^51; floats as they are. */
SATF_FORMULA double guided_in_steps(double value, double steps, const formula_sums *in)
{
    double nearest = (value * steps + 0x1.8p52) - 0x1.8p52;
    return in->of_floats ? value : nearest;
}

SATF_FORMULA double guided_keep_slope(double slope, const formula_sums *in)
{
    bool alike = in->aux_full == in->full;
    return guided_in_steps(alike ? slope : slope * (in->aux_full / in->full), GUIDED_STEPS, in);
}

/* a as a number again. */
SATF_FORMULA double guided_slope_of(double kept, const formula_sums *in)
{
    double number = in->of_floats ? kept : kept * (1 / GUIDED_STEPS);
    return in->aux_full == in->full ? number : number * (in->full / in->aux_full);
}

/* One pixel of the input times that of the guide. */
SATF_FORMULA formula_value guided_product_formula(const formula_sums *in,
                                                  const guided_product_options *options)
{
    (void)options;
    return formula_real(formula_sum(in) * in->aux[0]);
}

SATF_FORMULA formula_value guided_sum_formula(const formula_sums *in,
                                              const guided_sum_options *options)
{
    (void)options;
    return formula_real(formula_sum(in));
}

/* W^2 (variance of the guide + eps), eps being of the guide's full scale squared. */
SATF_FORMULA double guided_denominator(const formula_sums *in, double eps)
{
    double weight = formula_weight(in);
    return formula_spread(in) + weight * weight * (eps * in->aux_full * in->aux_full);
}

/* a = variance / (variance + eps), where the input guides itself. */
SATF_FORMULA formula_value guided_slope_formula(const formula_sums *in,
                                                const guided_slope_options *options)
{
    double slope = formula_spread(in) / guided_denominator(in, options->eps);
    return formula_real(guided_keep_slope(slope, in));
}

/* a = covariance / (variance + eps); beside: the sums of products, and of the input. */
SATF_FORMULA formula_value guided_slope_by_formula(const formula_sums *in,
                                                   const guided_slope_by_options *options)
{
    double covariance = formula_weight(in) * in->aux[0] - formula_sum(in) * in->aux[1];
    double slope = covariance / guided_denominator(in, options->eps);
    return formula_real(guided_keep_slope(slope, in));
}

/* value / W, of integers by what is the same for all pixels. */
SATF_FORMULA double guided_over_weight(const formula_sums *in, double value)
{
    double weight = formula_weight(in);
    return in->of_floats ? value / weight : formula_quotient(value, weight);
}

/* b = mean of the input - a mean of the guide. */
SATF_FORMULA double guided_offset_from(const formula_sums *in, double input_sum)
{
    double slope = guided_slope_of(in->aux[0], in);
    double offset = guided_over_weight(in, input_sum - slope * formula_sum(in));
    return guided_in_steps(offset, guided_offset_steps(in), in);
}

SATF_FORMULA formula_value guided_offset_formula(const formula_sums *in,
                                                 const guided_offset_options *options)
{
    (void)options;
    return formula_real(guided_offset_from(in, formula_sum(in)));
}

SATF_FORMULA formula_value guided_offset_by_formula(const formula_sums *in,
                                                    const guided_offset_by_options *options)
{
    (void)options;
    return formula_real(guided_offset_from(in, in->aux[1]));
}

/* The sum of a times the guide's pixel. */
SATF_FORMULA formula_value guided_rise_formula(const formula_sums *in,
                                               const guided_rise_options *options)
{
    (void)options;
    return formula_real(guided_slope_of(formula_sum(in), in) * in->aux[0]);
}

/* q, the mean of a times the guide + the mean of b, and A (p - q); beside: the former's sum, and p,
 * the input's pixel. A of 0 leaves q also where p is not finite. */
SATF_FORMULA formula_value guided_formula(const formula_sums *in, const guided_options *options)
{
    double offsets = formula_sum(in) * (1 / guided_offset_steps(in));
    double base = guided_over_weight(in, in->aux[0] + offsets);
    double detail = options->amount * (in->aux[1] - base);
    return formula_real(options->amount == 0 ? base : base + detail);
}

#elif defined(FILTER_DESCRIPTORS)

static const filter_param guided_params[] = {
    FILTER_WINDOW_PARAMS(guided_options, "9"),
    {"eps", "E", "of full scale squared", PARAM_REAL, offsetof(guided_options, eps), 1e-6, 1e6,
     "0.01", "variance below which the guide counts as flat, 0.000001 to 1000000"},
    {"amount", "A", "", PARAM_REAL, offsetof(guided_options, amount), 0, 10, "0",
     "how much of what was smoothed away comes back: 1 is the image itself, more its detail "
     "amplified; 0 to 10"},
    {"guide", "FILE", "", PARAM_IMAGE, offsetof(guided_options, guide), 0, 0, NULL,
     "an image of the same size and depth, of one channel or as many, whose edges stay; the image "
     "itself without"},
    FILTER_FULL_PARAM(offsetof(guided_options, full)),
    FILTER_PARAM_END,
};

static double guided_outside_nothing(double constant, const formula_sums *common)
{
    (void)constant, (void)common;
    return 0;
}

/* V as a sample of the guide. Under full=M it may be above M: it is white there then, which the
 * type of integers holds. */
static double guided_outside_guide(double constant, const formula_sums *common)
{
    double sample = constant * (common->aux_full / common->full);
    double most = common->aux_full;
    return common->of_floats ? sample : floor((sample < most ? sample : most) + 0.5);
}

static double guided_outside_product(double constant, const formula_sums *common)
{
    return constant * guided_outside_guide(constant, common);
}

static double guided_outside_offset(double constant, const formula_sums *common)
{
    return constant * guided_offset_steps(common);
}

/* Images: 0 the input, 2 the slopes, 3 the offsets, 4 the sums of slopes times the input. Slopes
 * are in 0 ... 1 and offsets in 0 ... the largest sample: at most 2^24 steps. */
static const filter_pass guided_passes[] = {
    {.type = TYPE_WHOLE, .formula = FORMULA_guided_slope},
    {.aux = {2}, .type = TYPE_WHOLE, .formula = FORMULA_guided_offset},
    {.over = OVER_MIRRORED,
     .of = 2,
     .outside = guided_outside_nothing,
     .type = TYPE_REAL,
     .formula = FORMULA_guided_rise},
    {.over = OVER_MIRRORED,
     .of = 3,
     .aux = {4, 0},
     .outside = guided_outside_offset,
     .type = TYPE_OF_INPUT,
     .formula = FORMULA_guided},
};

/* Images: 0 the input, 1 the guide, 2 their products, 3 sums of these, 4 of the input, 5 the
 * slopes, 6 the offsets, 7 the sums of slopes times the guide. */
static const filter_pass guided_passes_by[] = {
    {.over = OVER_PIXEL, .aux = {1}, .type = TYPE_REAL, .formula = FORMULA_guided_product},
    {.of = 2, .outside = guided_outside_product, .type = TYPE_REAL, .formula = FORMULA_guided_sum},
    {.type = TYPE_REAL, .formula = FORMULA_guided_sum},
    {.of = 1,
     .aux = {3, 4},
     .outside = guided_outside_guide,
     .type = TYPE_REAL,
     .formula = FORMULA_guided_slope_by},
    {.of = 1,
     .aux = {5, 4},
     .outside = guided_outside_guide,
     .type = TYPE_REAL,
     .formula = FORMULA_guided_offset_by},
    {.over = OVER_MIRRORED,
     .of = 5,
     .aux = {1},
     .outside = guided_outside_nothing,
     .type = TYPE_REAL,
     .formula = FORMULA_guided_rise},
    {.over = OVER_MIRRORED,
     .of = 6,
     .aux = {7, 0},
     .outside = guided_outside_offset,
     .type = TYPE_OF_INPUT,
     .formula = FORMULA_guided},
};

static int guided_way(const void *options, int colours, bool aux)
{
    (void)options, (void)colours;
    return aux;
}

static const filter_info guided_filter = {
    .name = "guided",
    .help = "smooth, but keep the edges of a guide",
    .detail =
        "In each window of N x N (or W x H) pixels the result is a line over the guide I: "
        "a I + b, with a = cov(I, p) / (var(I) + eps) and b = mean(p) - a mean(I). A pixel "
        "takes the means of a and b over the windows that contain it. The image is its own "
        "guide unless guide=FILE names another one of its size and depth, with its channels, or "
        "with one that guides all. Edges of "
        "a contrast well above the root of eps stay, what is below is smoothed; eps is a "
        "share of the guide's full scale squared (1 of floats). Each channel is filtered by "
        "itself, "
        "alpha too. Where the guide has another full scale M' than the input's M, a stands for "
        "a M' / M, and what lies outside under constant:V is V M' / M there, of integers rounded "
        "and at most M'; beyond that border a is 0 and b is V. Of integers a is taken to 2^-24, b "
        "to 2^-16 (full scales above 255: 2^-8); the result "
        "is rounded to nearest and saturated to 0 and the full scale. It has the input's type. "
        "With amount=A it is q + A (p - q), q being the result without: base and detail. Take 1.5 "
        "to 4, a window of a fiftieth of the picture and eps=0.01 for local contrast that has no "
        "halos at strong edges; --unsharp sharpens the edges too, and is faster. Not where noise "
        "is to go: A of 0.",
    .params = guided_params,
    .needs_value = true,
    .options_bytes = sizeof(guided_options),
    .ways = {FILTER_PASSES(guided_passes), FILTER_PASSES(guided_passes_by)},
    .way = guided_way,
};

#endif
