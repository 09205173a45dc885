/* guided by its definition, by a guide of grey or of colour: windows summed one by one, no table,
 * no march. */
#ifndef SATF_TESTS_GUIDED_REFERENCE_H
#define SATF_TESTS_GUIDED_REFERENCE_H

#include "model.h"

typedef struct guided_case {
    model_case of;
    bool colour; /* the flag; a guide of it is RGB */
    double eps, amount;
    ref_image guide;                 /* no samples: the picture guides itself */
    double guide_first, guide_times; /* a guide of floats is taken times the latter, if any, and
                                      * more by the former */
    int guide_named;                 /* guide_full; 0: none */
} guided_case;

static inline bool guides_itself(const guided_case *c)
{
    return c->guide.channels == 0;
}

/* A channel of an image, or of what is made of it, with what lies outside. */
typedef struct plane {
    const double *samples;
    double outside;
} plane;

/* ------------------------------------------------------------------------ sums of windows */

static double plane_at(const model_case *c, const plane *p, int64_t x, int64_t y, bool *counts)
{
    int64_t i = satf_border_index(c->border, x, c->image.width);
    int64_t j = satf_border_index(c->border, y, c->image.height);
    bool inside = i >= 0 && j >= 0;
    *counts = inside || c->border == SATF_BORDER_CONSTANT;
    return inside ? p->samples[j * c->image.width + i] : p->outside;
}

/* The sum of a, or of a times b, over the pixels that the window of (x, y) contains, or over those
 * whose windows contain (x, y). It is exact: samples are integers of 16 bits, or have few bits. */
static double sum_of(const model_case *c, const plane *a, const plane *b, int64_t x, int64_t y,
                     bool containing, double *weight)
{
    int64_t left = containing ? x - c->at_x + c->w / 2 - c->w + 1 : x + c->at_x - c->w / 2;
    int64_t top = containing ? y - c->at_y + c->h / 2 - c->h + 1 : y + c->at_y - c->h / 2;
    double sum = 0;
    *weight = 0;
    for (int64_t k = 0; k < c->w * c->h; k++) {
        bool counts;
        double u = plane_at(c, a, left + k % c->w, top + k / c->w, &counts);
        double v = b ? plane_at(c, b, left + k % c->w, top + k / c->w, &counts) : 1;
        sum += counts ? u * v : 0;
        *weight += counts;
    }
    return sum;
}

/* The covariances of n planes, the guide's and then one more, in long double; or as doubles that
 * are rounded as the filter rounds them: means of floats and of products are the sum times 1 / n.
 */
typedef struct covariances {
    long double mean[4], of[4][4];
} covariances;

static double mean_of(double sum, double weight, bool real)
{
    return real ? sum * (1 / weight) : sum / weight;
}

/* One channel: `count` planes guide it, its own one alone or three. */
typedef struct channel_task {
    const guided_case *c;
    plane guide[3], input;
    int count, channel;
    double full, guide_full, guide_top; /* the latter: its largest sample */
} channel_task;

static covariances covary(const channel_task *t, int64_t x, int64_t y, bool rounded)
{
    const model_case *c = &t->c->of;
    int guide_type = guides_itself(t->c) ? c->image.type : t->c->guide.type;
    covariances v = {{0}, {{0}}};
    double n;
    for (int i = 0; i < 4; i += i == t->count - 1 ? 4 - t->count : 1) {
        const plane *a = i == 3 ? &t->input : &t->guide[i];
        double sum = sum_of(c, a, NULL, x, y, false, &n);
        bool real = !satf_type_max(i == 3 ? c->image.type : guide_type);
        v.mean[i] = rounded ? mean_of(sum, n, real) : (long double)sum / n;
        for (int j = 0; j <= i; j++) {
            if (j >= t->count && j < 3) {
                continue;
            }
            sum = sum_of(c, a, j == 3 ? &t->input : &t->guide[j], x, y, false, &n);
            double product = (double)v.mean[i] * (double)v.mean[j];
            v.of[i][j] = v.of[j][i] = rounded ? (long double)(mean_of(sum, n, true) - product)
                                              : (long double)sum / n - v.mean[i] * v.mean[j];
        }
    }
    return v;
}

/* -------------------------------------------------------------------------------- slopes */

static long double det(long double a[3][3])
{
    return a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) -
           a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
           a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
}

/* He's a = (C + eps U)^-1 c, by determinants (Cramer's rule). */
static void solve(const covariances *v, long double eps, int count, long double slopes[3])
{
    long double all[3][3];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            bool used = i < count && j < count;
            all[i][j] = used ? v->of[i][j] + (i == j) * eps : (long double)(i == j);
        }
    }
    for (int k = 0; k < 3; k++) {
        long double one[3][3];
        memcpy(one, all, sizeof one);
        for (int i = 0; i < 3; i++) {
            one[i][k] = i < count ? v->of[i][3] : 0;
        }
        slopes[k] = det(one) / det(all);
    }
}

static double greater(double a, double b)
{
    return a > b ? a : b;
}

/* Gauss's elimination in double, of channels in the order first, first + 1, first + 2 modulo 3. */
typedef struct factors {
    double d0, d1, d2, l10, l20, l21;
} factors;

static factors factor(const covariances *v, double eps, int first)
{
    double a[3][3];
    for (int k = 0; k < 9; k++) {
        int i = (first + k / 3) % 3, j = (first + k % 3) % 3;
        a[k / 3][k % 3] = (double)v->of[i][j] + (i == j ? eps : 0);
    }
    factors f = {.d0 = 1 / greater(a[0][0], eps)};
    f.l10 = a[0][1] * f.d0;
    f.l20 = a[0][2] * f.d0;
    double below = a[1][2] - f.l20 * a[0][1];
    f.d1 = 1 / greater(a[1][1] - f.l10 * a[0][1], eps);
    f.l21 = below * f.d1;
    f.d2 = 1 / greater(a[2][2] - f.l20 * a[0][2] - f.l21 * below, eps);
    return f;
}

/* Channel k is the last one, so that its slope is the first found. */
static double slope_over(const covariances *v, double eps, int k)
{
    factors f = factor(v, eps, k + 1);
    double c0 = (double)v->of[(k + 1) % 3][3], y1 = (double)v->of[(k + 2) % 3][3] - f.l10 * c0;
    return ((double)v->of[k][3] - f.l20 * c0 - f.l21 * y1) * f.d2;
}

/* Where R, G and B guide themselves: U - eps (C + eps U)^-1, with the same factors. */
static void own_slopes(const covariances *v, double eps, int channel, double slopes[3])
{
    factors f = factor(v, eps, 0);
    double m = f.l10 * f.l21 - f.l20, gb = eps * (f.l21 * f.d2), br = -eps * (m * f.d2);
    double rg = eps * (f.l10 * f.d1 + m * f.l21 * f.d2);
    double all[3][3] = {{1 - eps * (f.d0 + f.l10 * f.l10 * f.d1 + m * m * f.d2), rg, br},
                        {rg, 1 - eps * (f.d1 + f.l21 * f.l21 * f.d2), gb},
                        {br, gb, 1 - eps * f.d2}};
    memcpy(slopes, all[channel], sizeof all[channel]);
}

/* ------------------------------------------------------------------------ a channel's result */

/* By a guide of one channel: the fraction, rounded once. */
static void fit_grey(const channel_task *t, int64_t x, int64_t y, double kept[4])
{
    const model_case *c = &t->c->of;
    double n, a = sum_of(c, &t->guide[0], NULL, x, y, false, &n);
    double b = sum_of(c, &t->input, NULL, x, y, false, &n);
    double aa = sum_of(c, &t->guide[0], &t->guide[0], x, y, false, &n);
    double ab = sum_of(c, &t->guide[0], &t->input, x, y, false, &n);
    double spread = (double)((ref_wide)n * (ref_wide)aa - (ref_wide)a * (ref_wide)a);
    double covariance = (double)((ref_wide)n * (ref_wide)ab - (ref_wide)a * (ref_wide)b);
    double eps = t->c->eps * t->guide_full * t->guide_full;
    kept[0] = nearbyint(covariance / (spread + n * n * eps) * 0x1p24);
    kept[3] = nearbyint((b - kept[0] * 0x1p-24 * a) / n * (t->full > 255 ? 0x1p8 : 0x1p16));
}

/* Slopes and the offset of a window as the filter keeps them, of integers. */
static void fit_steps(const channel_task *t, int64_t x, int64_t y, double kept[4])
{
    covariances v = covary(t, x, y, true);
    double eps = t->c->eps * t->guide_full * t->guide_full, to = t->guide_top / t->full, line = 0;
    double slopes[3];
    for (int k = 0; k < 3; k++) {
        slopes[k] = slope_over(&v, eps, k);
    }
    if (guides_itself(t->c) && t->count == 3) {
        own_slopes(&v, eps, t->channel, slopes);
    } else if (t->count == 1) {
        double variance = greater((double)v.of[0][0], 0);
        slopes[0] = variance / (variance + eps);
    }
    for (int k = 0, i; k < t->count; k++) {
        /* a symmetric row begins at its diagonal */
        i = t->count == 3 && guides_itself(t->c) ? (t->channel + k) % 3 : k;
        kept[i] = nearbyint(slopes[i] * to * 0x1p24);
        double term = kept[i] * 0x1p-24 * (t->full / t->guide_top) * (double)v.mean[i];
        line = k ? line + term : term;
    }
    kept[3] = nearbyint(((double)v.mean[3] - line) * (t->full > 255 ? 0x1p8 : 0x1p16));
}

static void fit(const channel_task *t, int64_t x, int64_t y, double kept[4])
{
    covariances v = covary(t, x, y, false);
    long double slopes[3], offset = v.mean[3];
    solve(&v, (long double)t->c->eps * t->guide_full * t->guide_full, t->count, slopes);
    for (int k = 0; k < t->count; k++) {
        kept[k] = (double)slopes[k];
        offset -= slopes[k] * v.mean[k];
    }
    kept[3] = (double)offset;
}

/* steps: as integers are kept, and rounded in the end; else He's algorithm as it is. Every
 * channels-th result. */
static void guide_channel(const channel_task *t, bool steps, double *result)
{
    const guided_case *g = t->c;
    const model_case *c = &g->of;
    int64_t width = c->image.width, pixels = width * c->image.height;
    double kept[4] = {0}, n, limit = satf_type_max(c->image.type) ? t->full : INFINITY;
    double offset_steps = !steps ? 1 : t->full > 255 ? 0x1p8 : 0x1p16;
    SCOPED double *planes = malloc((size_t)(4 * pixels) * sizeof *planes);
    for (int64_t i = 0; i < pixels; i++) {
        (!steps ? fit : g->colour ? fit_steps : fit_grey)(t, i % width, i / width, kept);
        for (int k = 0; k < 4; k++) {
            planes[k * pixels + i] = kept[k];
        }
    }
    for (int64_t i = 0; i < pixels; i++) {
        double rise = 0;
        for (int k = 0; k < t->count; k++) {
            int m = t->count == 3 && guides_itself(g) ? (t->channel + k) % 3 : k;
            plane slope = {planes + m * pixels, 0};
            double sum = sum_of(c, &slope, NULL, i % width, i / width, true, &n);
            sum = steps ? sum * 0x1p-24 * (t->full / t->guide_top) : sum;
            rise = k ? rise + sum * t->guide[m].samples[i] : sum * t->guide[m].samples[i];
        }
        plane offset = {planes + 3 * pixels, model_constant(c) * offset_steps};
        double offsets = sum_of(c, &offset, NULL, i % width, i / width, true, &n) / offset_steps;
        double base = (rise + offsets) / n, value = base;
        if (g->amount != 0) {
            value = base + g->amount * (t->input.samples[i] - base);
        }
        double whole = floor(value), rounded = value - whole >= 0.5 ? whole + 1 : whole;
        value = steps ? rounded : value;
        value = value > limit ? limit : value;
        result[i * c->image.channels] = limit < INFINITY && value < 0 ? 0 : value;
    }
}

#endif
