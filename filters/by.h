/* by: two pictures in one: their sum, difference, product or quotient, pixel by pixel. */
#if defined(FILTER_ENTRY)
FILTER_ENTRY(by)
#elif defined(FORMULA_ENTRY)
FORMULA_ENTRY(by, FORMULA_CENTRE | FORMULA_AUX | FORMULA_AUX_TOO)
#elif !defined(SATF_FILTERS_BY_H)
#define SATF_FILTERS_BY_H

#include <satfilter-module.h>

typedef struct by_options {
    struct filter_picture *image;
    int op;       /* add, sub, mul, div */
    double scale; /* NAN: auto */
    int64_t full, other_full;
} by_options;

/* The options as numbers to compute with: compilers make no vectors of loops that choose by them.
 */
typedef struct by_choices {
    int inverse, times, sub, div; /* 0 or 1; inverse: sub or div, times: mul or div */
    bool is_auto, cancels;        /* cancels: s is a mean of q, and q divides */
} by_choices;

SATF_FORMULA by_choices by_choices_of(const by_options *options)
{
    int inverse = options->op & 1, times = options->op >> 1;
    bool is_auto = isnan(options->scale);
    by_choices choices = {inverse,         times,   inverse & ~times,
                          inverse & times, is_auto, (bool)(is_auto & inverse & times)};
    return choices;
}

/*
 * over b / (under d), of integers over and under below 2^53, b below 2^50 and d below 2^34, rounded
 * to nearest, halves up or down. From 2^17 on that alone is told. The quotient in double is off by
 * less than 2^-31, so `above` is the result or one more; whether it is half a step too much is
 * decided exactly.
 */
SATF_FORMULA double by_nearest(double over, double under, double b, double d, double halves_down)
{
    double quotient = over * b / (under * d);
    double above = floor((quotient < 0x1p17 ? quotient : 0x1p17) + (0.5 + 0x1p-30));
    double excess = formula_difference(over, 2 * b, under, d * (2 * above - 1));
    return above - (excess < halves_down ? 1 : 0); /* an integer */
}

/* Of integers, exactly rounded: p or 1 and q or 1, above and below the fraction. s is over / under:
 * a decimal of 9 places, below 1 of 15, or a mean. */
SATF_FORMULA double by_integers(const formula_sums *in, const by_options *options)
{
    by_choices c = by_choices_of(options);
    double times = c.times, sub = c.sub, div = c.div, p = in->centre, q = in->aux[0];
    double steps = options->scale < 1 ? 1e15 : 1e9, whole = floor(options->scale * steps + 0.5);
    double over = c.is_auto ? in->aux[1] : whole, under = c.is_auto ? in->aux_pixels : steps;
    double full = c.cancels ? 1 : in->full, other = c.cancels ? 1 : in->aux_full;
    double b = (p * times + (1 - times)) * (q * (1 - div) + div) * (full * (1 - div) + other * div);
    double d = (q * div + (1 - div)) * (other * (1 - div) + full * div);
    return p * (1 - times) + (1 - 2 * sub) * by_nearest(over, under, b, d, sub);
}

/* Of floats, or into floats: added in this order. Floats count as they are, unless the options say
 * what is white in the other picture. */
SATF_FORMULA double by_floats(const formula_sums *in, const by_options *options)
{
    by_choices c = by_choices_of(options);
    bool floats = in->of_floats | in->aux_of_floats,
         as_it_is = (floats & !in->aux_said) | c.cancels;
    double ratio = as_it_is ? 1 : in->full / in->aux_full;
    double p = in->centre, q = in->aux[0] * ratio, sub = c.sub;
    double scale = c.is_auto ? in->aux[1] / in->aux_pixels : options->scale;
    double sum = p + (1 - 2 * sub) * (scale * q);
    double product = formula_choose(c.inverse, p * scale / q, p * q * scale);
    return formula_choose(c.times, product, sum);
}

SATF_FORMULA formula_value by_formula(const formula_sums *in, const by_options *options)
{
    bool exact = !in->real & in->rounded & !(in->of_floats | in->aux_of_floats);
    double whole = in->real ? 0 : by_integers(in, options);
    double value = formula_choose(exact, whole, by_floats(in, options));
    double limit = in->centre == 0 ? 0 : in->full;
    double by_zero = formula_choose(by_choices_of(options).div, limit, value);
    return formula_real(in->aux[0] == 0 ? by_zero : value);
}

#elif defined(FILTER_DESCRIPTORS)

static bool by_sums_aux(const void *options)
{
    return isnan(((const by_options *)options)->scale);
}

static const filter_param by_params[] = {
    {"image", "FILE", "", PARAM_IMAGE, offsetof(by_options, image), 0, 0, NULL,
     "the other picture q, of the same size, of one channel or as many"},
    {"op", "add|sub|mul|div", "", PARAM_CHOICE, offsetof(by_options, op), 0, 0, "add",
     "p + s q, p - s q, s p q or s p / q"},
    {"scale", "S|auto", "", PARAM_REAL, offsetof(by_options, scale), 0, 1e6, "1",
     "the number s, 0 to 1000000, or auto: the mean of q"},
    FILTER_FULL_PARAM(offsetof(by_options, full)),
    FILTER_AUX_FULL_PARAM("other_full", "FILE", offsetof(by_options, other_full)),
    FILTER_PARAM_END,
};

static const filter_pass by_passes[] = {{
    .over = OVER_PIXEL,
    .aux = {1, FILTER_SUMS},
    .keeps_alpha = true,
    .type = TYPE_OF_INPUT,
    .formula = FORMULA_by,
}};

static int by_way(const void *options, int colours, bool aux)
{
    (void)options, (void)colours;
    return aux;
}

static const filter_info by_filter = {
    .name = "by",
    .help = "another picture added, subtracted, multiplied or divided by",
    .detail =
        "Takes a dark frame off (op=sub), or divides by a flat field (op=div,scale=auto keeps "
        "brightness and colour). Depths may differ: white counts as white. Of several pages FILE "
        "gives the first.",
    .params = by_params,
    .needs_value = true,
    .options_bytes = sizeof(by_options),
    .ways = {{NULL, 0}, FILTER_PASSES(by_passes)},
    .way = by_way,
    .any_aux = true,
    .sums_aux = by_sums_aux,
    .example = "satfilter --by light.png,op=div,scale=auto scan.png page.png",
};

#endif
