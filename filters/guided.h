/*
 * guided: smooth but along the edges of a guide, of which the result is locally a linear function.
 * K. He, J. Sun, X. Tang, Guided image filtering (PAMI 2013), algorithm 1.
 */
#if defined(FILTER_ENTRY)
FILTER_ENTRY(guided)
#elif defined(FORMULA_ENTRY)
FORMULA_ENTRY(guided_product, FORMULA_SUM | FORMULA_AUX)
FORMULA_ENTRY(guided_sum, FORMULA_SUM)
FORMULA_ENTRY(guided_mean, FORMULA_SUM)
FORMULA_ENTRY(guided_rise, FORMULA_SUM | FORMULA_AUX | FORMULA_INLINED)
FORMULA_ENTRY(guided_slope, FORMULA_SUM | FORMULA_SQUARE | FORMULA_OFTEN_REAL)
FORMULA_ENTRY(guided_slope_by, FORMULA_SUM | FORMULA_SQUARE | FORMULA_AUX | FORMULA_AUX_TOO)
FORMULA_ENTRY(guided_offset, FORMULA_SUM | FORMULA_AUX | FORMULA_OFTEN_BESIDE)
FORMULA_ENTRY(guided_offset_by, FORMULA_SUM | FORMULA_AUX | FORMULA_AUX_TOO)
FORMULA_ENTRY(guided, FORMULA_SUM | FORMULA_AUX | FORMULA_AUX_TOO | FORMULA_OFTEN_INLINES)
#elif defined(MIX_ENTRY)
MIX_ENTRY(guided, squares, 1)
MIX_ENTRY(guided, crosses, 1)
MIX_ENTRY(guided, own_slopes, 3)
MIX_ENTRY(guided, own_crosses, 3)
MIX_ENTRY(guided, own_offset, 3)
MIX_ENTRY(guided, own_rise, 3)
MIX_ENTRY(guided, product_r, 2)
MIX_ENTRY(guided, product_g, 2)
MIX_ENTRY(guided, product_b, 2)
MIX_ENTRY(guided, slope_r, 7)
MIX_ENTRY(guided, slope_g, 7)
MIX_ENTRY(guided, slope_b, 7)
MIX_ENTRY(guided, colour_offset, 5)
MIX_ENTRY(guided, colour_rise, 4)
#elif !defined(SATF_FILTERS_GUIDED_H)
#define SATF_FILTERS_GUIDED_H

#include <satfilter-module.h>

typedef struct guided_options {
    filter_window window;
    double eps, noise, amount;
    struct filter_picture *guide;
    bool colour;
    int64_t full, guide_full;
} guided_options;

typedef guided_options guided_product_options, guided_sum_options, guided_mean_options,
    guided_rise_options, guided_slope_options, guided_slope_by_options, guided_offset_options,
    guided_offset_by_options;

/*
 * Where input and guide are of integers, slopes a and offsets b are kept in steps of 2^-24 and of
 * 2^-16 (full scales up to 255) or 2^-8: multiples of these add up exactly, so every engine and
 * device has the same sums of them as long as these are below 2^53 steps. That is so of a in 0 ...
 * 1 and of b up to 2^29 pixels. A guide's largest sample may be another than the input's: kept is
 * the slope over a guide that has the input's. Where either is of floats, whose range nobody knows,
 * both are kept as they are.
 */
#define GUIDED_STEPS 0x1p24

SATF_FORMULA bool guided_is_real(const formula_sums *in)
{
    return in->of_floats | in->aux_of_floats;
}

SATF_FORMULA double guided_offset_steps(const formula_sums *in)
{
    double steps = in->full > UINT8_MAX ? 0x1p8 : 0x1p16;
    return guided_is_real(in) ? 1 : steps;
}

/* The value in steps, to nearest, halves to even, for |value| < 2^51; of floats as it is. */
SATF_FORMULA double guided_in_steps(double value, double steps, const formula_sums *in)
{
    double nearest = (value * steps + 0x1.8p52) - 0x1.8p52;
    return formula_choose(guided_is_real(in), value, nearest);
}

SATF_FORMULA double guided_keep_slope(double slope, const formula_sums *in)
{
    bool alike = guided_is_real(in) | (in->aux_top == in->top);
    return guided_in_steps(alike ? slope : slope * (in->aux_top / in->top), GUIDED_STEPS, in);
}

/* a as a number again. */
SATF_FORMULA double guided_slope_of(double kept, const formula_sums *in)
{
    double ratio = in->aux_top == in->top ? 1 : in->top / in->aux_top;
    return guided_is_real(in) ? kept : kept * (ratio * (1 / GUIDED_STEPS));
}

SATF_FORMULA double guided_keep_offset(double offset, const formula_sums *in)
{
    return guided_in_steps(offset, guided_offset_steps(in), in);
}

/* One pixel of the input times the guide's. */
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

/* eps as it is given, or three variances of the noise: the best multiple over photographs, or
 * nearly (tests/bench/noise.py). */
SATF_FORMULA double guided_share(const guided_options *options)
{
    double d = options->noise / UINT8_MAX, share = 3 * d * d;
    return formula_choose(d > 0, share < 1e-6 ? 1e-6 : share, options->eps);
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
    double slope = formula_spread(in) / guided_denominator(in, guided_share(options));
    return formula_real(guided_keep_slope(slope, in));
}

/* a = covariance / (variance + eps); beside: the sums of products, and of the input. */
SATF_FORMULA formula_value guided_slope_by_formula(const formula_sums *in,
                                                   const guided_slope_by_options *options)
{
    double covariance = formula_weight(in) * in->aux[0] - formula_sum(in) * in->aux[1];
    double slope = covariance / guided_denominator(in, guided_share(options));
    return formula_real(guided_keep_slope(slope, in));
}

/* value / W; of integers by a factor that is the same for all pixels. */
SATF_FORMULA double guided_over_weight(const formula_sums *in, double value)
{
    double weight = formula_weight(in);
    return guided_is_real(in) ? value / weight : formula_quotient(value, weight);
}

/* b = mean of the input - a mean of the guide. */
SATF_FORMULA double guided_offset_from(const formula_sums *in, double input_sum)
{
    double slope = guided_slope_of(in->aux[0], in);
    return guided_keep_offset(guided_over_weight(in, input_sum - slope * formula_sum(in)), in);
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

/*
 * q, the mean of a times the guide + the mean of b, and A (p - q); beside: the former's sum, and p,
 * the input's pixel. A of 0 leaves q also where p is not finite. Before it is rounded to integers,
 * what a guide of floats makes of them is taken to 2^-16: so the last places of sums, which engines
 * round in orders of their own, do not decide halves.
 */
SATF_FORMULA formula_value guided_formula(const formula_sums *in, const guided_options *options)
{
    double offsets = formula_sum(in) * (1 / guided_offset_steps(in));
    double base = guided_over_weight(in, in->aux[0] + offsets);
    double detail = options->amount * (in->aux[1] - base);
    double value = options->amount == 0 ? base : base + detail;
    bool noisy = in->rounded & in->aux_of_floats & !in->of_floats;
    double to_steps = noisy ? 0x1.8p36 : 0;
    return formula_real((value + to_steps) - to_steps);
}

/* ------------------------------------------------------------------------ a guide of colour */

/*
 * The paper's extension to colour: each channel p of the input, alpha too, has three slopes,
 * a = (C + eps U)^-1 c. C is the covariance matrix of the guide's R, G and B in the window, c their
 * covariances with p, and b = mean(p) - a mean(I). Images hold slopes by the guide's channel.
 *
 * Means are of exact sums: of integers products add up below 2^53 in windows of up to 2^21 pixels
 * of 16 bits, 2^37 of 8. A mean in double is off by 2^-52 of it, so C is by at most 2^-50 M^2 a
 * number, far below eps M^2 >= 2^-20 M^2. No eigenvalue of C + eps U is below eps M^2, so |a| is at
 * most deviation(p) / (2 root(eps) M): 1 / (4 root(eps)) M' / M, 2^8 at most as it is kept. Sums of
 * slopes are then below 2^53 steps in windows of up to 2^29 * 4 root(eps) pixels, and those of
 * offsets, at most 1 + 7 / (16 root(eps)) times the full scale, in 2^20 at least. Where guide_full
 * says an r-th of the guide's largest sample, both may be r times as large, and windows an r-th.
 * Nothing is clamped: what does not fit is rounded, as sums of floats are.
 *
 * Where the input guides itself, a of its three channels is U - eps M^2 (C + eps U)^-1, which is
 * symmetric and in -1/2 ... 1: two images, of the diagonal and of the others.
 * Of symmetric matrices the diagonal is in an image of three lanes, and RG, GB, BR in another.
 */

/* Each channel times itself, then R, G and B times the next. */
SATF_FORMULA void guided_squares_mix(const formula_pixels *in, const guided_options *options,
                                     double *result)
{
    (void)options;
    result[0] = in->of[0][0] * in->of[0][0];
    result[1] = in->of[0][1] * in->of[0][1];
    result[2] = in->of[0][2] * in->of[0][2];
    if (in->lanes > 3) {
        result[3] = in->of[0][3] * in->of[0][3];
    }
}

SATF_FORMULA void guided_crosses_mix(const formula_pixels *in, const guided_options *options,
                                     double *result)
{
    (void)options;
    result[0] = in->of[0][0] * in->of[0][1];
    result[1] = in->of[0][1] * in->of[0][2];
    result[2] = in->of[0][2] * in->of[0][0];
}

SATF_FORMULA formula_value guided_mean_formula(const formula_sums *in,
                                               const guided_mean_options *options)
{
    (void)options;
    return formula_real(formula_true_mean(in));
}

/*
 * C + eps M^2 U as L D L^T: the reciprocals of D, and L below its diagonal of ones: 10, 20, 21. The
 * numbers of D are at least eps M^2, and are taken so: rounding may have made less of them where
 * floats have an offset.
 */
typedef struct guided_factors {
    double d0, d1, d2, l10, l20, l21;
} guided_factors;

SATF_FORMULA double guided_at_least(double least, double value)
{
    return value > least ? value : least;
}

/* From the means of the guide, of its squares and of its crosses; channel k comes first. */
SATF_FORMULA guided_factors guided_factors_of(const double *mean, const double *square,
                                              const double *cross, int k, double eps)
{
    int i = k, j = (k + 1) % 3, l = (k + 2) % 3;
    double ij = cross[i] - mean[i] * mean[j];
    double jl = cross[j] - mean[j] * mean[l];
    double li = cross[l] - mean[l] * mean[i];
    guided_factors f;
    f.d0 = 1 / guided_at_least(eps, square[i] - mean[i] * mean[i] + eps);
    f.l10 = ij * f.d0;
    f.l20 = li * f.d0;
    double below = jl - f.l20 * ij;
    f.d1 = 1 / guided_at_least(eps, square[j] - mean[j] * mean[j] + eps - f.l10 * ij);
    f.l21 = below * f.d1;
    double last = square[l] - mean[l] * mean[l] + eps - f.l20 * li - f.l21 * below;
    f.d2 = 1 / guided_at_least(eps, last);
    return f;
}

SATF_FORMULA double guided_eps(const formula_pixels *in, const guided_options *options)
{
    return guided_share(options) * in->common->aux_full * in->common->aux_full;
}

/* Images: the means of the input, of its squares and of its crosses. */
SATF_FORMULA void guided_own_slopes_mix(const formula_pixels *in, const guided_options *options,
                                        double *result)
{
    double eps = guided_eps(in, options);
    guided_factors f = guided_factors_of(in->of[0], in->of[1], in->of[2], 0, eps);
    double m = f.l10 * f.l21 - f.l20;
    double i0 = f.d0 + f.l10 * f.l10 * f.d1 + m * m * f.d2;
    double i1 = f.d1 + f.l21 * f.l21 * f.d2;
    result[0] = guided_keep_slope(1 - eps * i0, in->common);
    result[1] = guided_keep_slope(1 - eps * i1, in->common);
    result[2] = guided_keep_slope(1 - eps * f.d2, in->common);
    if (in->lanes > 3) {
        double alpha = in->of[0][3];
        double variance = guided_at_least(0, in->of[1][3] - alpha * alpha);
        result[3] = guided_keep_slope(variance / (variance + eps), in->common);
    }
}

SATF_FORMULA void guided_own_crosses_mix(const formula_pixels *in, const guided_options *options,
                                         double *result)
{
    double eps = guided_eps(in, options);
    guided_factors f = guided_factors_of(in->of[0], in->of[1], in->of[2], 0, eps);
    double m = f.l10 * f.l21 - f.l20;
    result[0] = guided_keep_slope(eps * (f.l10 * f.d1 + m * f.l21 * f.d2), in->common);
    result[1] = guided_keep_slope(eps * (f.l21 * f.d2), in->common);
    result[2] = guided_keep_slope(-eps * (m * f.d2), in->common);
}

/* Row c of a symmetric matrix of slopes, or of sums of them, times three numbers. */
SATF_FORMULA double guided_own_row(const double *slopes, const double *crosses, int c,
                                   const double *of, const formula_sums *common)
{
    int j = (c + 1) % 3, l = (c + 2) % 3;
    return guided_slope_of(slopes[c], common) * of[c] +
           guided_slope_of(crosses[c], common) * of[j] +
           guided_slope_of(crosses[l], common) * of[l];
}

/* Images: the means of the input, its slopes and crosses. */
SATF_FORMULA void guided_own_offset_mix(const formula_pixels *in, const guided_options *options,
                                        double *result)
{
    (void)options;
    const double *mean = in->of[0], *slopes = in->of[1], *crosses = in->of[2];
    double r = mean[0] - guided_own_row(slopes, crosses, 0, mean, in->common);
    double g = mean[1] - guided_own_row(slopes, crosses, 1, mean, in->common);
    double b = mean[2] - guided_own_row(slopes, crosses, 2, mean, in->common);
    result[0] = guided_keep_offset(r, in->common);
    result[1] = guided_keep_offset(g, in->common);
    result[2] = guided_keep_offset(b, in->common);
    if (in->lanes > 3) {
        double line = guided_slope_of(slopes[3], in->common) * mean[3];
        result[3] = guided_keep_offset(mean[3] - line, in->common);
    }
}

/* Images: the sums of the slopes, of the crosses, and the input. */
SATF_FORMULA void guided_own_rise_mix(const formula_pixels *in, const guided_options *options,
                                      double *result)
{
    (void)options;
    result[0] = guided_own_row(in->of[0], in->of[1], 0, in->of[2], in->common);
    result[1] = guided_own_row(in->of[0], in->of[1], 1, in->of[2], in->common);
    result[2] = guided_own_row(in->of[0], in->of[1], 2, in->of[2], in->common);
    if (in->lanes > 3) {
        result[3] = guided_slope_of(in->of[0][3], in->common) * in->of[2][3];
    }
}

/* The input times channel k of the guide. */
SATF_FORMULA void guided_product_by(const formula_pixels *in, int k, double *result)
{
    for (int c = 0; c < in->lanes; c++) {
        result[c] = in->of[0][c] * in->of[1][k];
    }
}

/* The slopes over channel k of the guide: the last unknown, so that each channel is last in turn.
 * Images: the means of the guide, of its squares and of its crosses, of the input, of its products
 * with R, G and B. */
SATF_FORMULA void guided_slope_over(const formula_pixels *in, int k, double eps, double *result)
{
    const double *mean = in->of[0];
    int i = (k + 1) % 3, j = (k + 2) % 3;
    guided_factors f = guided_factors_of(mean, in->of[1], in->of[2], i, eps);
    for (int c = 0; c < in->lanes; c++) {
        double p = in->of[3][c];
        double y0 = in->of[4 + i][c] - mean[i] * p;
        double y1 = in->of[4 + j][c] - mean[j] * p - f.l10 * y0;
        double y2 = in->of[4 + k][c] - mean[k] * p - f.l20 * y0 - f.l21 * y1;
        result[c] = guided_keep_slope(y2 * f.d2, in->common);
    }
}

#define GUIDED_CHANNEL(name, k)                                                                  \
    SATF_FORMULA void guided_product_##name##_mix(const formula_pixels *in,                      \
                                                  const guided_options *options, double *result) \
    {                                                                                            \
        (void)options;                                                                           \
        guided_product_by(in, k, result);                                                        \
    }                                                                                            \
    SATF_FORMULA void guided_slope_##name##_mix(const formula_pixels *in,                        \
                                                const guided_options *options, double *result)   \
    {                                                                                            \
        guided_slope_over(in, k, guided_eps(in, options), result);                               \
    }

GUIDED_CHANNEL(r, 0)
GUIDED_CHANNEL(g, 1)
GUIDED_CHANNEL(b, 2)

/* Slopes over R, G and B, or sums of them, times the three numbers of one pixel. */
SATF_FORMULA double guided_colour_row(const double (*slopes)[FORMULA_LANES], int c,
                                      const double *of, const formula_sums *common)
{
    return guided_slope_of(slopes[0][c], common) * of[0] +
           guided_slope_of(slopes[1][c], common) * of[1] +
           guided_slope_of(slopes[2][c], common) * of[2];
}

/* Images: the slopes over R, G and B, the means of the guide and of the input. */
SATF_FORMULA void guided_colour_offset_mix(const formula_pixels *in, const guided_options *options,
                                           double *result)
{
    (void)options;
    for (int c = 0; c < in->lanes; c++) {
        double line = guided_colour_row(in->of, c, in->of[3], in->common);
        result[c] = guided_keep_offset(in->of[4][c] - line, in->common);
    }
}

/* Images: the sums of the slopes over R, G and B, and the guide. */
SATF_FORMULA void guided_colour_rise_mix(const formula_pixels *in, const guided_options *options,
                                         double *result)
{
    (void)options;
    for (int c = 0; c < in->lanes; c++) {
        result[c] = guided_colour_row(in->of, c, in->of[3], in->common);
    }
}

#elif defined(FILTER_DESCRIPTORS)

static const filter_param guided_params[] = {
    FILTER_WINDOW_PARAMS(guided_options, "9"),
    {"eps", "E", "of full scale squared", PARAM_REAL, offsetof(guided_options, eps), 1e-6, 1e6,
     "0.01", "variance that counts as flat, a share of full scale squared"},
    {"noise", "D", "255ths", PARAM_INSTEAD, offsetof(guided_options, noise), 0, 255, "0",
     "instead of eps: the noise's deviation, in 255ths of full scale"},
    {"amount", "A", "", PARAM_REAL, offsetof(guided_options, amount), 0, 10, "0",
     "how much of the detail comes back: 1 all of it, 2 twice, up to 10"},
    {"guide", "FILE", "", PARAM_IMAGE, offsetof(guided_options, guide), 0, 0, NULL,
     "picture of the same size and depth whose edges stay; none: its own"},
    {"colour", NULL, "", PARAM_FLAG, offsetof(guided_options, colour), 0, 0, "off",
     "R, G and B guide together: keeps edges that are of colour alone"},
    FILTER_FULL_PARAM(offsetof(guided_options, full)),
    FILTER_AUX_FULL_PARAM("guide_full", "guide=FILE", offsetof(guided_options, guide_full)),
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
    double above = constant - common->zero;
    double sample = above * (common->aux_full / common->full) + common->zero;
    double most = common->aux_full + common->zero;
    return common->aux_of_floats ? sample : floor((sample < most ? sample : most) + 0.5);
}

static double guided_outside_product(double constant, const formula_sums *common)
{
    return constant * guided_outside_guide(constant, common);
}

static double guided_outside_square(double constant, const formula_sums *common)
{
    double guide = guided_outside_guide(constant, common);
    return guide * guide;
}

static double guided_outside_offset(double constant, const formula_sums *common)
{
    return constant * guided_offset_steps(common);
}

#define GUIDED_PASS(where, image, beyond, name, ...)                                               \
    {                                                                                              \
        .over = OVER_##where, .of = (image), .outside = (beyond), .formula = FORMULA_guided##name, \
        .type = TYPE_##__VA_ARGS__                                                                 \
    }
#define GUIDED_MIX(name, image, ...)                                                          \
    {                                                                                         \
        .over = OVER_MIX, .of = (image), .mix = MIX_guided_##name, .type = TYPE_##__VA_ARGS__ \
    }
#define GUIDED_LAST(offsets, rise) \
    GUIDED_PASS(MIRRORED, offsets, guided_outside_offset, , OF_INPUT, .aux = {(rise), 0})

/* Images: 0 the input, 2 the slopes, 3 the offsets, 4 the sums of slopes times the input. Slopes
 * are in 0 ... 1 and offsets in 0 ... the largest sample: at most 2^24 steps. */
static const filter_pass guided_passes[] = {
    GUIDED_PASS(WINDOW, 0, NULL, _slope, WHOLE),
    GUIDED_PASS(WINDOW, 0, NULL, _offset, WHOLE, .aux = {2}),
    GUIDED_PASS(MIRRORED, 2, guided_outside_nothing, _rise, REAL),
    GUIDED_LAST(3, 4),
};

/* Images: 0 the input, 1 the guide, 2 their products, 3 sums of these, 4 of the input, 5 the
 * slopes, 6 the offsets, 7 the sums of slopes times the guide. */
static const filter_pass guided_passes_by[] = {
    GUIDED_PASS(PIXEL, 0, NULL, _product, REAL, .aux = {1}),
    GUIDED_PASS(WINDOW, 2, guided_outside_product, _sum, REAL),
    GUIDED_PASS(WINDOW, 0, NULL, _sum, REAL),
    GUIDED_PASS(WINDOW, 1, guided_outside_guide, _slope_by, REAL, .aux = {3, 4}),
    GUIDED_PASS(WINDOW, 1, guided_outside_guide, _offset_by, REAL, .aux = {5, 4}),
    GUIDED_PASS(MIRRORED, 5, guided_outside_nothing, _rise, REAL, .aux = {1}),
    GUIDED_LAST(6, 7),
};

/* Images: 0 the input, 2 its squares, 3 its crosses, 4 to 6 the means of the three, 7 and 8 the
 * slopes, 9 the offsets, 10 and 11 the sums of slopes, 12 these times the input. */
static const filter_pass guided_passes_own[] = {
    GUIDED_MIX(squares, 0, REAL),
    GUIDED_MIX(crosses, 0, REAL, .lanes = 3),
    GUIDED_PASS(WINDOW, 0, NULL, _mean, REAL),
    GUIDED_PASS(WINDOW, 2, guided_outside_square, _mean, REAL),
    GUIDED_PASS(WINDOW, 3, guided_outside_square, _mean, REAL),
    GUIDED_MIX(own_slopes, 4, WHOLE, .aux = {5, 6}),
    GUIDED_MIX(own_crosses, 4, WHOLE, .aux = {5, 6}, .lanes = 3),
    GUIDED_MIX(own_offset, 4, REAL, .aux = {7, 8}),
    GUIDED_PASS(MIRRORED, 7, guided_outside_nothing, _sum, REAL),
    GUIDED_PASS(MIRRORED, 8, guided_outside_nothing, _sum, REAL),
    GUIDED_MIX(own_rise, 10, REAL, .aux = {11, 0}),
    GUIDED_LAST(9, 12),
};

/* Images: 0 the input, 1 the guide, 2 its squares, 3 its crosses, 4 to 6 the means of the three, 7
 * of the input, 8 to 10 its products with R, G and B, 11 to 13 their means, 14 to 16 the slopes
 * over R, G and B, 17 the offsets, 18 to 20 the sums of slopes, 21 these times the guide. */
static const filter_pass guided_passes_colour[] = {
    GUIDED_MIX(squares, 1, REAL, .lanes = 3),
    GUIDED_MIX(crosses, 1, REAL, .lanes = 3),
    GUIDED_PASS(WINDOW, 1, guided_outside_guide, _mean, REAL),
    GUIDED_PASS(WINDOW, 2, guided_outside_square, _mean, REAL),
    GUIDED_PASS(WINDOW, 3, guided_outside_square, _mean, REAL),
    GUIDED_PASS(WINDOW, 0, NULL, _mean, REAL),
    GUIDED_MIX(product_r, 0, REAL, .aux = {1}),
    GUIDED_MIX(product_g, 0, REAL, .aux = {1}),
    GUIDED_MIX(product_b, 0, REAL, .aux = {1}),
    GUIDED_PASS(WINDOW, 8, guided_outside_product, _mean, REAL),
    GUIDED_PASS(WINDOW, 9, guided_outside_product, _mean, REAL),
    GUIDED_PASS(WINDOW, 10, guided_outside_product, _mean, REAL),
    GUIDED_MIX(slope_r, 4, REAL, .aux = {5, 6, 7, 11, 12, 13}),
    GUIDED_MIX(slope_g, 4, REAL, .aux = {5, 6, 7, 11, 12, 13}),
    GUIDED_MIX(slope_b, 4, REAL, .aux = {5, 6, 7, 11, 12, 13}),
    GUIDED_MIX(colour_offset, 14, REAL, .aux = {15, 16, 4, 7}),
    GUIDED_PASS(MIRRORED, 14, guided_outside_nothing, _sum, REAL),
    GUIDED_PASS(MIRRORED, 15, guided_outside_nothing, _sum, REAL),
    GUIDED_PASS(MIRRORED, 16, guided_outside_nothing, _sum, REAL),
    GUIDED_MIX(colour_rise, 18, REAL, .aux = {19, 20, 1}),
    GUIDED_LAST(17, 21),
};

static bool guided_colour(const void *options)
{
    return ((const guided_options *)options)->colour;
}

static int guided_way(const void *options, int colours, bool aux)
{
    return 2 * (guided_colour(options) && colours == 3) + aux;
}

static const filter_info guided_filter = {
    .name = "guided",
    .help = "smooth, but keep edges",
    .detail =
        "Against noise give its deviation, noise=5, and colour for pictures in colour. amount=2 "
        "brings out detail without halos. With guide=FILE another picture's edges stay.",
    .params = guided_params,
    .needs_value = true,
    .options_bytes = sizeof(guided_options),
    .ways = {FILTER_PASSES(guided_passes), FILTER_PASSES(guided_passes_by),
             FILTER_PASSES(guided_passes_own), FILTER_PASSES(guided_passes_colour)},
    .way = guided_way,
    .colour_aux = guided_colour,
    .sign = SIGN_MOVES,
    .example = "satfilter --guided 9,noise=5,colour in.jpg out.jpg",
};

#endif
