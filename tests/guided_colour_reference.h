/* guided by a guide of colour, by its definition: windows summed one by one, no table, no march. */
#ifndef SATF_TESTS_GUIDED_COLOUR_REFERENCE_H
#define SATF_TESTS_GUIDED_COLOUR_REFERENCE_H

#include "test.h"

#include "base/border.h"
#include "filter_reference.h"

typedef struct colour_case {
    int type, channels, border;
    bool alpha; /* the input's last channel is */
    int64_t width, height, w, h, at_x, at_y;
    double constant, eps, amount;
    bool guided; /* by another picture, of this type, with alpha or without */
    int guide_type;
    bool guide_alpha;
    double guide_first, guide_times; /* a guide of floats is taken times the latter, if any, and
                                      * more by the former */
    int guide_named;                 /* guide_full; 0: none */
} colour_case;

/* A channel of an image, or of what is made of it, with what lies outside. */
typedef struct plane {
    const double *samples;
    double outside;
} plane;

/* ------------------------------------------------------------------------ sums of windows */

static double sample_at(const colour_case *c, const plane *p, int64_t x, int64_t y, bool *counts)
{
    int64_t i = satf_border_index(c->border, x, c->width);
    int64_t j = satf_border_index(c->border, y, c->height);
    bool inside = i >= 0 && j >= 0;
    *counts = inside || c->border == SATF_CONSTANT;
    return inside ? p->samples[j * c->width + i] : p->outside;
}

/* Whether the window of the pixel (x, y) contains the pixel (i, j). */
static bool contains(const colour_case *c, int64_t x, int64_t y, int64_t i, int64_t j)
{
    int64_t left = x + c->at_x - c->w / 2, top = y + c->at_y - c->h / 2;
    return left <= i && i < left + c->w && top <= j && j < top + c->h;
}

/* The sum of a, or of a times b, over the pixels that the window of (x, y) contains, or over those
 * whose windows contain (x, y). It is exact: samples are integers of 16 bits, or have few bits. */
static double sum_of(const colour_case *c, const plane *a, const plane *b, int64_t x, int64_t y,
                     bool containing, double *weight)
{
    double sum = 0;
    *weight = 0;
    for (int64_t j = y - c->h; j <= y + c->h; j++) {
        for (int64_t i = x - c->w; i <= x + c->w; i++) {
            bool counts;
            double u = sample_at(c, a, i, j, &counts);
            double v = b ? sample_at(c, b, i, j, &counts) : 1;
            if (counts && (containing ? contains(c, i, j, x, y) : contains(c, x, y, i, j))) {
                sum += u * v;
                *weight += 1;
            }
        }
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

static covariances covary(const colour_case *c, const plane *const planes[4], const bool *real,
                          int64_t x, int64_t y, bool rounded)
{
    covariances v;
    double n;
    for (int i = 0; i < 4; i++) {
        double sum = sum_of(c, planes[i], NULL, x, y, false, &n);
        v.mean[i] = rounded ? mean_of(sum, n, real[i]) : (long double)sum / n;
    }
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            double sum = sum_of(c, planes[i], planes[j], x, y, false, &n);
            if (rounded) {
                double product = (double)v.mean[i] * (double)v.mean[j];
                v.of[i][j] = mean_of(sum, n, true) - product;
            } else {
                v.of[i][j] = (long double)sum / n - v.mean[i] * v.mean[j];
            }
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

/* Gauss's elimination in double, channel k the last one, so that its slope is the first found. */
static double slope_over(const covariances *v, double eps, int k)
{
    int o[3] = {(k + 1) % 3, (k + 2) % 3, k};
    double a[3][3], c[3], of[3];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            a[i][j] = (double)v->of[o[i]][o[j]] + (i == j ? eps : 0);
        }
        c[i] = (double)v->of[o[i]][3];
    }
    of[0] = 1 / greater(a[0][0], eps);
    double l10 = a[0][1] * of[0], l20 = a[0][2] * of[0];
    double below = a[1][2] - l20 * a[0][1];
    of[1] = 1 / greater(a[1][1] - l10 * a[0][1], eps);
    double l21 = below * of[1];
    of[2] = 1 / greater(a[2][2] - l20 * a[0][2] - l21 * below, eps);
    double y1 = c[1] - l10 * c[0];
    return (c[2] - l20 * c[0] - l21 * y1) * of[2];
}

/* Where R, G and B guide themselves: U - eps (C + eps U)^-1, with the same factors. */
static void own_slopes(const covariances *v, double eps, int channel, double slopes[3])
{
    double a[3][3];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            a[i][j] = (double)v->of[i][j] + (i == j ? eps : 0);
        }
    }
    double d0 = 1 / greater(a[0][0], eps), l10 = a[0][1] * d0, l20 = a[0][2] * d0;
    double below = a[1][2] - l20 * a[0][1];
    double d1 = 1 / greater(a[1][1] - l10 * a[0][1], eps), l21 = below * d1;
    double d2 = 1 / greater(a[2][2] - l20 * a[0][2] - l21 * below, eps), m = l10 * l21 - l20;
    double rg = eps * (l10 * d1 + m * l21 * d2), gb = eps * (l21 * d2), br = -eps * (m * d2);
    double all[3][3] = {{1 - eps * (d0 + l10 * l10 * d1 + m * m * d2), rg, br},
                        {rg, 1 - eps * (d1 + l21 * l21 * d2), gb},
                        {br, gb, 1 - eps * d2}};
    memcpy(slopes, all[channel], sizeof all[channel]);
}

/* ------------------------------------------------------------------------ a channel's result */

static double scale_of(int type)
{
    return type == SATF_U8 ? 255 : type == SATF_U16 ? 65535 : 1;
}

/* One channel: `count` planes guide it, its own one alone or three. */
typedef struct channel_task {
    const colour_case *c;
    plane guide[3], input;
    int count, channel;
    double full, guide_full, guide_top; /* the latter: its largest sample */
} channel_task;

static covariances covary_at(const channel_task *t, int64_t x, int64_t y, bool rounded)
{
    const colour_case *c = t->c;
    bool guide_real = !satf_type_max(c->guide_type), input_real = !satf_type_max(c->type);
    const plane *planes[4] = {&t->guide[0], &t->guide[1], &t->guide[2], &t->input};
    bool real[4] = {guide_real, guide_real, guide_real, input_real};
    return covary(c, planes, real, x, y, rounded);
}

/* Slopes and the offset of a window as the filter keeps them, of integers. */
static void fit_steps(const channel_task *t, int64_t x, int64_t y, double kept[4])
{
    covariances v = covary_at(t, x, y, true);
    double eps = t->c->eps * t->guide_full * t->guide_full, to = t->guide_top / t->full, line = 0;
    double slopes[3];
    for (int k = 0; k < 3; k++) {
        slopes[k] = slope_over(&v, eps, k);
    }
    if (!t->c->guided && t->count == 3) {
        own_slopes(&v, eps, t->channel, slopes);
    } else if (t->count == 1) {
        double variance = greater((double)v.of[0][0], 0);
        slopes[0] = variance / (variance + eps);
    }
    for (int k = 0, i; k < t->count; k++) {
        /* a symmetric row begins at its diagonal */
        i = t->count == 3 && !t->c->guided ? (t->channel + k) % 3 : k;
        kept[i] = nearbyint(slopes[i] * to * 0x1p24);
        double term = kept[i] * 0x1p-24 * (t->full / t->guide_top) * (double)v.mean[i];
        line = k ? line + term : term;
    }
    kept[3] = nearbyint(((double)v.mean[3] - line) * (t->full > 255 ? 0x1p8 : 0x1p16));
}

static void fit(const channel_task *t, int64_t x, int64_t y, double kept[4])
{
    covariances v = covary_at(t, x, y, false);
    long double slopes[3], offset = v.mean[3];
    solve(&v, (long double)t->c->eps * t->guide_full * t->guide_full, t->count, slopes);
    for (int k = 0; k < t->count; k++) {
        kept[k] = (double)slopes[k];
        offset -= slopes[k] * v.mean[k];
    }
    kept[3] = (double)offset;
}

/* steps: as integers are kept, and rounded in the end; else He's algorithm as it is. */
static void guide_channel(const channel_task *t, bool steps, double *result)
{
    const colour_case *c = t->c;
    size_t pixels = (size_t)(c->width * c->height);
    double *planes[4], kept[4] = {0}, n;
    double offset_steps = !steps ? 1 : t->full > 255 ? 0x1p8 : 0x1p16;
    for (int k = 0; k < 4; k++) {
        planes[k] = calloc(pixels, sizeof *planes[k]);
    }
    for (int64_t y = 0, i = 0; y < c->height; y++) {
        for (int64_t x = 0; x < c->width; x++, i++) {
            (steps ? fit_steps : fit)(t, x, y, kept);
            for (int k = 0; k < 4; k++) {
                planes[k][i] = kept[k];
            }
        }
    }
    for (int64_t y = 0, i = 0; y < c->height; y++) {
        for (int64_t x = 0; x < c->width; x++, i++) {
            double rise = 0;
            for (int k = 0; k < t->count; k++) {
                int m = t->count == 3 && !c->guided ? (t->channel + k) % 3 : k;
                plane slope = {planes[m], 0};
                double sum = sum_of(c, &slope, NULL, x, y, true, &n);
                sum = steps ? sum * 0x1p-24 * (t->full / t->guide_top) : sum;
                rise = k ? rise + sum * t->guide[m].samples[i] : sum * t->guide[m].samples[i];
            }
            plane offset = {planes[3], c->constant * offset_steps};
            double offsets = sum_of(c, &offset, NULL, x, y, true, &n) / offset_steps;
            double base = (rise + offsets) / n;
            double value = base;
            if (c->amount != 0) {
                value = base + c->amount * (t->input.samples[i] - base);
            }
            double whole = floor(value), rounded = value - whole >= 0.5 ? whole + 1 : whole;
            double limit = satf_type_max(c->type) ? t->full : INFINITY;
            value = steps ? rounded : value;
            value = value > limit ? limit : value;
            result[i] = limit < INFINITY && value < 0 ? 0 : value;
        }
    }
    for (int k = 0; k < 4; k++) {
        free(planes[k]);
    }
}

#endif
