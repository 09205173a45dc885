/*
 * gauss: Gaussian smoothing, along the rows and then down the columns. The border extends the
 * picture once.
 *
 * Up to a sigma of 6 on both axes: by 2 R + 1 weights, R = ceil(4 sigma), of exp(-k^2 / (2
 * sigma^2)) each, divided by their sum. Weights of integers are whole numbers w of 2^-W, W = 15
 * (u16 without alpha: 28): these are rounded down; what is left of 2^W goes to pairs of neighbours
 * by their largest remainders, an odd rest to the middle. Between the axes integers are whole
 * numbers of 2^-F, F = 8 (colour of u16 times alpha: 6): h = floor(sum w p / 2^(W - F) + 1/2). Down
 * the columns the result is sum w h / 2^(W + F). Under border=shrink each axis is divided by the
 * sum of the weights inside; such an h is rounded halves to even. Floats have weights that are not
 * rounded, and sums of doubles from the outermost neighbours to the middle. But f32 without alpha
 * and without border=shrink is calculated in float, as differences from the middle p: of eighths of
 * the samples h = p + sum w ((a + b) - 2 p), from the outermost neighbours a and b on, w and each
 * result being rounded. So flat parts stay as they are, and no mean of finite samples overflows;
 * infinity becomes NaN, and samples below 2^-123 lose up to 3 bits.
 *
 * Above 6: by extended boxes (P. Gwosdek, S. Grewenig, A. Bruhn, J. Weickert, Theoretical
 * foundations of Gaussian convolution by extended box filtering, SSVM 2011). Each of K passes along
 * an axis is a box of 2 r + 1 samples and a share alpha of one more at either end, so that its
 * variance is sigma^2 / K; alpha is taken to 2^-16. Under border=shrink each axis is divided by the
 * same passes over ones. What passes hand on, and the last one gives:
 * - u8 without alpha and without border=shrink: numbers of 8 bits with 8 of fraction. A pass rounds
 *   (S inner + E outer) to them, halves to even, S and E being exact sums of them, and both
 *   products and their sum IEEE float. In all that is within 1 / 40 of a level of exact arithmetic.
 * - other integers: whole numbers below 2^41, of 2^-33 (u8), of 2^-25 (u16, and colour of u8 times
 *   alpha) or of 2^-9 (colour of u16 times alpha), in the same way in double; so is the quotient
 * along a row under border=shrink.
 * - floats: doubles, not rounded.
 *
 * At last comes one rounding to the sample, halves up.
 */
#if defined(FILTER_ENTRY)
FILTER_ENTRY(gauss)
#elif defined(FILTER_DESCRIPTORS) /* lines have no formula */

typedef struct gauss_options {
    double sigma, down;
    int64_t passes;
    filter_border border;
} gauss_options;

static filter_axes gauss_lines(const void *from)
{
    const gauss_options *options = from;
    double down = isnan(options->down) ? options->sigma : options->down;
    return filter_gaussian(options->sigma, down, 0, (int)options->passes);
}

static const filter_param gauss_params[] = {
    {"sigma", "S", "pixels", PARAM_REAL, offsetof(gauss_options, sigma), 0, 1000, "2",
     "standard deviation in pixels, 0 to 1000"},
    {"down", "S|same", "pixels", PARAM_REAL, offsetof(gauss_options, down), 0, 1000, "same",
     "that down the columns, 0 to 1000; 0 leaves an axis as it is"},
    {"passes", "K", "", PARAM_INTEGER, offsetof(gauss_options, passes), 3, 5, "4",
     "above a sigma of 6: boxes along each axis, 3 to 5: more are nearer to a Gaussian"},
    FILTER_BORDER_PARAM(offsetof(gauss_options, border)),
    FILTER_PARAM_END,
};

static const filter_pass gauss_passes[] = {{
    .over = OVER_LINES,
    .averages_alpha = true,
    .type = TYPE_OF_INPUT,
    .lines = gauss_lines,
}};

static const filter_info gauss_filter = {
    .name = "gauss",
    .help = "Gaussian blur, fast for any sigma",
    .detail = "The soft blur of picture editors, without the square look of box. Up to S = 6 by a "
              "Gaussian's own weights, as far as 4 S. Above that by K boxes: no weight is off a "
              "Gaussian's by more than 4 % of the largest one; passes=5 is nearer.",
    .params = gauss_params,
    .needs_value = true,
    .options_bytes = sizeof(gauss_options),
    .ways = {FILTER_PASSES(gauss_passes)},
    .range = filter_mean_range,
    .sign = SIGN_MOVES,
    .example = "satfilter --gauss 4 in.jpg out.jpg",
};

#endif
