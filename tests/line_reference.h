/* Gaussian smoothing by weights and by extended boxes as filters/gauss.h defines it, one sum at a
 * time. */
#ifndef TESTS_LINE_REFERENCE_H
#define TESTS_LINE_REFERENCE_H

#include "test.h"

#include "base/border.h"
#include "ways.h"

/* How a pass rounds. */
typedef enum ref_passes {
    REF_NARROW, /* 8.8 bits, formed in float */
    REF_WHOLE,  /* whole numbers, formed in double */
    REF_EXACT   /* not at all */
} ref_passes;

typedef struct ref_gauss {
    double sigma;
    int passes; /* 0: by weights */
    int border;
    double constant;
    bool alpha;
    bool words;   /* samples are u16 */
    bool singles; /* f32 */
    ref_passes how;
    bool apart;  /* columns have a sigma of their own */
    double down; /* that */
} ref_gauss;

enum { REF_MOST_RADIUS = 24 }; /* of weights */

static inline int64_t ref_radius(const ref_gauss *g)
{
    return g->passes == 0
               ? (int64_t)ceil(4 * g->sigma)
               : (int64_t)floor(sqrt(12 * (g->sigma * g->sigma / g->passes) + 1) / 2 - 0.5);
}

static inline int64_t ref_reach(const ref_gauss *g)
{
    return g->passes == 0 ? ref_radius(g) : g->passes * (ref_radius(g) + 1);
}

/* The share of a sample at either end, in 2^-16. */
static inline long double ref_share(const ref_gauss *g)
{
    long double r = ref_radius(g), v = (long double)g->sigma * g->sigma / g->passes;
    long double alpha = (2 * r + 1) * (r * (r + 1) - 3 * v) / (6 * (v - (r + 1) * (r + 1)));
    return floorl(alpha * 65536 + 0.5L);
}

static inline long double ref_weighed(const ref_gauss *g, long double sum, long double ends)
{
    long double r = ref_radius(g), share = ref_share(g), all = (2 * r + 1) * 65536 + 2 * share;
    if (g->how == REF_NARROW) {
        float inner = (float)(65536 / (double)all), outer = (float)((double)share / (double)all);
        float inside = (float)sum * inner, outside = (float)ends * outer;
        return rintl(inside + outside);
    }
    if (g->how == REF_WHOLE) {
        double inside = (double)sum * (65536 / (double)all);
        double outside = (double)ends * ((double)share / (double)all);
        double result = inside + outside;
        return rint(result);
    }
    return (sum * 65536 + ends * share) / all;
}

/* Bits of weights: those of integers are whole numbers. */
static inline int ref_weight_bits(const ref_gauss *g)
{
    return g->words && !g->alpha ? 28 : 15;
}

/* The weights of the middle and of both samples that are k away, times 2^bits. Of integers they are
 * whole: a pair is rounded up if few pairs have larger remainders, the middle by an odd rest. */
static inline void ref_weights(const ref_gauss *g, long double *w)
{
    int64_t radius = ref_radius(g), rest = INT64_C(1) << ref_weight_bits(g);
    long double sum = (long double)rest;
    long double two_variances = 2 * (long double)g->sigma * g->sigma, all = 1;
    long double remainders[REF_MOST_RADIUS + 1];
    for (int64_t k = 1; k <= radius; k++) {
        all += 2 * expl(-(k * k) / two_variances);
    }
    for (int64_t k = 0; k <= radius; k++) {
        w[k] = sum * (k == 0 ? 1 : expl(-(k * k) / two_variances)) / all;
        remainders[k] = w[k] - floorl(w[k]);
        rest -= (int64_t)w[k] * (k == 0 ? 1 : 2);
    }
    for (int64_t k = 0; k <= radius && g->how != REF_EXACT; k++) {
        int64_t ahead = 0;
        for (int64_t other = 1; other <= radius; other++) {
            ahead += remainders[other] > remainders[k];
        }
        w[k] = floorl(w[k]) + (k == 0 ? rest % 2 : ahead < rest / 2);
    }
}

/* Whether numbers are eighths of f32, in float. */
static inline bool ref_is_single(const ref_gauss *g)
{
    return g->singles && g->passes == 0 && !g->alpha && g->border != SATF_BORDER_SHRINK;
}

/* The middle, and weighted differences from it, from the outermost neighbours on. */
static inline float ref_single(const ref_gauss *g, const long double *w, const long double *middle)
{
    float sum = 0, own = (float)*middle;
    for (int64_t k = ref_radius(g); k > 0; k--) {
        float weight = (float)(w[k] / exp2l(ref_weight_bits(g)));
        float pair = (float)middle[-k] + (float)middle[k];
        float apart = pair - 2 * own, product = apart * weight;
        sum += product;
    }
    return own + sum;
}

/* The weighted sums of n + 2 reach numbers, in place: n of them, the first at the front. */
static inline void ref_weigh_line(const ref_gauss *g, long double *line, int64_t n)
{
    int64_t radius = ref_radius(g);
    long double w[REF_MOST_RADIUS + 1];
    ref_weights(g, w);
    for (int64_t x = 0; x < n; x++) {
        long double sum = 0;
        if (ref_is_single(g)) {
            line[x] = ref_single(g, w, line + x + radius);
            continue;
        }
        for (int64_t k = -radius; k <= radius; k++) {
            sum += w[llabs(k)] * line[x + radius + k];
        }
        line[x] = sum / exp2l(ref_weight_bits(g));
    }
}

/* All passes over n + 2 reach numbers, in place: n of them, the first at the front. */
static inline void ref_line(const ref_gauss *g, long double *line, int64_t n)
{
    if (g->passes == 0) {
        ref_weigh_line(g, line, n);
        return;
    }
    int64_t r = ref_radius(g), left = n + 2 * ref_reach(g);
    for (int k = 0; k < g->passes; k++) {
        left -= 2 * r + 2;
        for (int64_t x = 0; x < left; x++) {
            long double sum = 0;
            for (int64_t i = 1; i <= 2 * r + 1; i++) {
                sum += line[x + i];
            }
            line[x] = ref_weighed(g, sum, line[x] + line[x + 2 * r + 2]);
        }
    }
}

/* What is handed on to the columns. */
static inline long double ref_between(const ref_gauss *g, long double value)
{
    bool by_weights = g->passes == 0 && g->border != SATF_BORDER_SHRINK;
    return g->how == REF_EXACT                     ? value
           : by_weights                            ? floorl(value + 0.5L)
           : g->passes == 0 || g->how == REF_WHOLE ? rint((double)value)
                                                   : value;
}

/* Of a sample in a number, of integers: colour times alpha, or another channel. */
static inline long double ref_scale(const ref_gauss *g, int bits, bool weighed, bool weighs)
{
    if (g->passes == 0) {
        return exp2l(g->alpha && bits == 16 ? 6 : 8) * exp2l(weighs ? bits : 0);
    }
    return g->how == REF_NARROW ? 256 : weighed ? exp2l(41 - 2 * bits) : exp2l(41 - bits);
}

/* A line of n numbers, `step` apart, with what the border puts around it; divided where it
 * shrinks, and the quotient rounded unless samples are made of it. `one`: what stands for 1. */
static inline void ref_along(const ref_gauss *g, long double *numbers, int64_t n, int64_t step,
                             long double outside, long double one, bool last)
{
    int64_t reach = ref_reach(g), all = n + 2 * reach;
    bool shrinks = g->border == SATF_BORDER_SHRINK;
    SCOPED long double *line = malloc((size_t)all * sizeof *line);
    SCOPED long double *ones = malloc((size_t)all * sizeof *ones);
    for (int64_t x = 0; x < all; x++) {
        int64_t i = satf_border_index(g->border, x - reach, n);
        line[x] = i < 0 ? outside : numbers[i * step];
        ones[x] = i < 0 ? 0 : one;
    }
    ref_line(g, line, n);
    if (shrinks) {
        ref_line(g, ones, n);
    }
    for (int64_t x = 0; x < n; x++) {
        long double value = shrinks ? line[x] / (ones[x] / one) : line[x];
        numbers[x * step] = last ? value : ref_between(g, value);
    }
}

/* to: width * height * channels results, not rounded to samples. */
static inline void ref_smooth(const ref_gauss *g, const satf_view *in, long double *to)
{
    int channels = in->channels;
    int64_t n = in->width * channels;
    bool integers = in->type == SATF_U8 || in->type == SATF_U16;
    ref_gauss columns = *g;
    columns.sigma = g->apart ? g->down : g->sigma;
    int bits = in->type == SATF_U8 ? 8 : 16;
    for (int c = 0; c < channels; c++) {
        bool weighs = g->alpha && c + 1 == channels, weighed = g->alpha && !weighs;
        bool whole = integers && g->how != REF_EXACT;
        long double scale = whole              ? ref_scale(g, bits, weighed, weighs)
                            : ref_is_single(g) ? 0.125L
                                               : 1;
        double v = g->border == SATF_BORDER_CONSTANT ? g->constant : 0;
        long double outside = (weighed ? v * v : v) * scale;
        for (int64_t y = 0; y < in->height; y++) {
            for (int64_t x = 0; x < in->width; x++) {
                double a = sample_at(in, y, x * channels + c);
                double alpha = weighed ? sample_at(in, y, x * channels + channels - 1) : 1;
                to[y * n + x * channels + c] = a * alpha * scale;
            }
            ref_along(g, &to[y * n + c], in->width, channels, outside, exp2l(40), false);
        }
        for (int64_t x = 0; x < in->width; x++) {
            ref_along(&columns, &to[x * channels + c], in->height, n, outside, exp2l(40), true);
        }
        for (int64_t i = c; i < n * in->height; i += channels) {
            to[i] /= scale;
        }
    }
    for (int64_t i = 0; i < n * in->height && g->alpha; i++) {
        long double alpha = to[i / channels * channels + channels - 1];
        if ((i + 1) % channels != 0) {
            to[i] = alpha == 0 ? 0 : to[i] / alpha;
        }
    }
}

#endif
