/* guided by a guide of colour, by its definition: windows summed one by one, no table, no march. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/parallel.h"
#include "filter_files.h"
#include "filter_reference.h"
#include "with_context.h"

enum { BORDERS = SATF_SHRINK + 1 };

typedef struct colour_case {
    int type, channels, border;
    bool alpha; /* the input's last channel is */
    int64_t width, height, w, h, at_x, at_y;
    double constant, eps, amount;
    bool guided; /* by another picture, of this type, with alpha or without */
    int guide_type;
    bool guide_alpha;
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
    double full, guide_full;
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
    double eps = t->c->eps * t->guide_full * t->guide_full, to = t->guide_full / t->full, line = 0;
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
        double term = kept[i] * 0x1p-24 * (t->full / t->guide_full) * (double)v.mean[i];
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
                sum = steps ? sum * 0x1p-24 * (t->full / t->guide_full) : sum;
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

/* ------------------------------------------------------------------------------ cases */

static double sample_of(const satf_view *view, int64_t x, int64_t y, int channel)
{
    const char *row = satf_row(view, y);
    int64_t i = x * view->channels + channel;
    return view->type == SATF_U8    ? ((const uint8_t *)row)[i]
           : view->type == SATF_U16 ? ((const uint16_t *)(const void *)row)[i]
           : view->type == SATF_F32 ? (double)((const float *)(const void *)row)[i]
                                    : ((const double *)(const void *)row)[i];
}

static double *load_channel(const satf_view *view, int channel)
{
    double *samples = malloc((size_t)(view->width * view->height) * sizeof *samples);
    for (int64_t y = 0; y < view->height; y++) {
        for (int64_t x = 0; x < view->width; x++) {
            samples[y * view->width + x] = sample_of(view, x, y, channel);
        }
    }
    return samples;
}

static satf_filter *make_filter(satf_context *ctx, const colour_case *c, const satf_view *guide)
{
    satf_filter *filter;
    char text[120];
    snprintf(text, sizeof text, "guided=%ldx%ld,at=%ld:%ld,eps=%.17g,amount=%.17g,colour",
             (long)c->w, (long)c->h, (long)c->at_x, (long)c->at_y, c->eps, c->amount);
    if (satf_filter_parse(ctx, text, &filter)) {
        fail_msg("%s: %s", text, satf_message(ctx));
    }
    assert_int_equal(satf_filter_set_border(ctx, filter, (satf_border)c->border, c->constant),
                     SATF_OK);
    if (guide && satf_filter_set_image(ctx, filter, guide)) {
        fail_msg("%s", satf_message(ctx));
    }
    return filter;
}

static void compare(const colour_case *c, const satf_view *out, int way, int channel,
                    const double *exact, const double *real)
{
    bool integers = satf_type_max(c->type) > 0;
    bool bits = integers && satf_type_max(c->guide_type);
    double larger = 1 + c->amount;
    double most = integers              ? 0.5 + 0.03 * larger
                  : c->type == SATF_F32 ? 2e-6 * larger
                                        : 1e-9 * larger;
    for (int64_t i = 0; i < c->width * c->height; i++) {
        int64_t x = i % c->width, y = i / c->width;
        double got = sample_of(out, x, y, channel), far = fabs(got - real[i]);
        if ((bits && got != exact[i]) || !(far <= most)) {
            fail_msg(
                "%s, channel %d of %d, window %ld x %ld at %ld:%ld, border %s:%g, guide %s, eps "
                "%g, amount %g, way %d: (%ld, %ld) is %.17g; exact %.17g, He's %.17g",
                satf_type_name(c->type), channel, c->channels, (long)c->w, (long)c->h,
                (long)c->at_x, (long)c->at_y, satf_border_name(c->border), c->constant,
                c->guided ? satf_type_name(c->guide_type) : "none", c->eps, c->amount, way, (long)x,
                (long)y, got, exact[i], real[i]);
        }
    }
}

/* By both engines with the guide that the filter keeps, and with that as a plan's second input. */
static void run_way(satf_context *ctx, const colour_case *c, int way, const satf_view *in,
                    const satf_view *guide, const satf_view *out)
{
    satf_filter *filter = make_filter(ctx, c, way < 2 ? guide : NULL);
    satf_context_set_engine(ctx, way % 2 ? SATF_ENGINE_SAT : SATF_ENGINE_AUTO);
    satf_status status;
    if (way < 2) {
        status = satf_filter_apply(ctx, filter, in, out);
    } else {
        satf_view inputs[2] = {*in, *guide}, output = *out;
        satf_plan *plan;
        status = satf_plan_create(ctx, filter, inputs, 2, &output, 1, &plan);
        status = status ? status : satf_plan_run(plan, inputs, 2, &output, 1);
        satf_plan_destroy(plan);
    }
    if (status) {
        fail_msg("%s", satf_message(ctx));
    }
    satf_filter_destroy(filter);
}

static channel_task task_of(const colour_case *c, const satf_view *in, const satf_view *guide,
                            int channel)
{
    double full = scale_of(c->type), guide_full = scale_of(guide->type);
    double outside = c->constant * (guide_full / full);
    if (satf_type_max(guide->type)) {
        outside = floor((outside < guide_full ? outside : guide_full) + 0.5);
    }
    bool alone = !c->guided && channel == 3; /* alpha, by itself */
    channel_task t = {c,
                      {{NULL, outside}, {NULL, outside}, {NULL, outside}},
                      {load_channel(in, channel), c->constant},
                      alone ? 1 : 3,
                      channel,
                      full,
                      guide_full};
    for (int k = 0; k < 3; k++) {
        t.guide[k].samples = load_channel(guide, alone ? channel : k);
    }
    return t;
}

static void check_case(satf_context *ctx, const colour_case *c, uint64_t seed)
{
    ref_image image = {c->width, c->height, c->channels, c->type, c->alpha, NULL};
    ref_image other = {c->width,      c->height,      3 + c->guide_alpha,
                       c->guide_type, c->guide_alpha, NULL};
    ref_fill(&image, seed);
    ref_fill(&other, seed + 77);
    satf_view in = ref_view(&image, 0), guide = ref_view(&other, 0), out = in;
    size_t pixels = (size_t)(c->width * c->height);
    double *exact = malloc(pixels * sizeof *exact), *real = malloc(pixels * sizeof *real);
    char *results[4];
    int ways = c->guided ? 4 : 2;
    for (int way = 0; way < ways; way++) {
        out.data = results[way] = malloc((size_t)(out.stride * out.height));
        run_way(ctx, c, way, &in, c->guided ? &guide : NULL, &out);
    }
    for (int channel = 0; channel < c->channels; channel++) {
        channel_task t = task_of(c, &in, c->guided ? &guide : &in, channel);
        guide_channel(&t, satf_type_max(c->type) > 0, exact);
        guide_channel(&t, false, real);
        for (int way = 0; way < ways; way++) {
            out.data = results[way];
            compare(c, &out, way, channel, exact, real);
        }
        for (int k = 0; k < 3; k++) {
            free((void *)(uintptr_t)t.guide[k].samples);
        }
        free((void *)(uintptr_t)t.input.samples);
    }
    for (int way = 0; way < ways; way++) {
        free(results[way]);
    }
    free(exact);
    free(real);
    free(in.data);
    free(guide.data);
    free(image.samples);
    free(other.samples);
}

static void test_cases(void **state)
{
    static const int types[] = {SATF_U8, SATF_U16, SATF_F32, SATF_F64};
    static const int64_t sizes[][2] = {{1, 1}, {139, 1}, {1, 5}, {13, 11}, {22, 6}};
    static const int64_t windows[][4] = {{5, 5, 0, 0}, {1, 1, 0, 0},  {4, 7, -1, 2}, {9, 3, 3, 0},
                                         {2, 8, 0, 0}, {8, 6, 4, -2}, {6, 1, -2, 0}};
    static const double amounts[] = {0, 1.5, 1, 0, 0.3}, epses[] = {0.01, 0.25, 0.0001, 1e-6};
    satf_context_set_threads(*state, 2);
    uint64_t seed = 1;
    for (int t = 0; t < 4; t++) {
        for (int border = 0; border < BORDERS; border++) {
            for (int s = 0; s < 10; s++, seed++) {
                const int64_t *window = windows[seed % (sizeof windows / sizeof *windows)];
                bool guided = s % 2;
                int channels = guided ? (int)(seed / 2 % 4) + 1 : 3 + (int)(seed / 2 % 2);
                int guide_type = guided ? types[(seed / 3 + (uint64_t)t) % 4] : types[t];
                colour_case c = {.type = types[t],
                                 .channels = channels,
                                 .border = border,
                                 .alpha = channels % 2 == 0,
                                 .width = sizes[s / 2][0],
                                 .height = sizes[s / 2][1],
                                 .w = window[0],
                                 .h = window[1],
                                 .at_x = window[2],
                                 .at_y = window[3],
                                 .constant = border == SATF_CONSTANT ? (double)(seed % 5) : 0,
                                 .eps = epses[satf_type_max(types[t]) ? seed % 4 : seed % 2],
                                 .amount = amounts[(seed + seed / 5) % 5],
                                 .guided = guided,
                                 .guide_type = guide_type,
                                 .guide_alpha = seed % 3 == 0};
                check_case(*state, &c, seed);
            }
        }
    }
}

/* Windows of the least and the greatest samples, whose slopes are the largest: walks and tables. */
static void test_extremes(void **state)
{
    static const satf_type types[] = {SATF_U8, SATF_U16};
    enum { W = 300, H = 200 };
    satf_context *ctx = *state;
    uint16_t *samples = malloc(W * H * 3 * sizeof *samples),
             *guide = malloc(W * H * 3 * sizeof *guide);
    char *results[2] = {malloc(W * H * 6), malloc(W * H * 6)};
    satf_context_set_threads(ctx, 2);
    for (int k = 0; k < 8; k++) {
        satf_type type = types[k % 2];
        uint64_t random = (uint64_t)k, most = satf_type_max((int)type);
        satf_view in = satf_view_packed(samples, W, H, 3, type), aux = in, out = in;
        aux.data = guide;
        for (int i = 0; i < W * H * 3; i++) {
            uint64_t near = ref_random(&random) % 3, high = i / 9 % 2 ? most - near : near;
            uint64_t other = ref_random(&random) % 2 * most;
            for (int of = 0; of < 2; of++) {
                char *to = (char *)(of ? guide : samples) + (size_t)i * satf_type_bytes((int)type);
                uint64_t value = of && k & 2 ? high : other;
                memcpy(to, &value, satf_type_bytes((int)type));
            }
        }
        colour_case c = {.border = SATF_MIRROR, .w = 31, .h = 17, .eps = 1e-6};
        for (int way = 0; way < 2; way++) {
            out.data = results[way];
            run_way(ctx, &c, way, &in, k & 4 ? &aux : NULL, &out);
        }
        assert_memory_equal(results[0], results[1], (size_t)(out.stride * out.height));
    }
    free(samples);
    free(guide);
    free(results[0]);
    free(results[1]);
}

/* ----------------------------------------------------------------------- what is not RGB */

/* A picture that is not RGB guides itself as without colour. */
static void test_grey(void **state)
{
    satf_context *ctx = *state;
    uint8_t in[20 * 9 * 4], results[2][20 * 9 * 4];
    uint64_t random = 5;
    satf_filter *filters[2];
    for (size_t i = 0; i < sizeof in; i++) {
        in[i] = (uint8_t)ref_random(&random);
    }
    assert_int_equal(satf_filter_parse(ctx, "guided=5", &filters[0]), SATF_OK);
    assert_int_equal(satf_filter_parse(ctx, "guided=5,colour", &filters[1]), SATF_OK);
    assert_true(!satf_filter_knows_colours(filters[0]) && satf_filter_knows_colours(filters[1]));
    for (int channels = 1; channels <= 4; channels++) {
        for (int k = 0; k < 2; k++) {
            satf_view view = satf_view_packed(in, 20, 9, channels, SATF_U8), out = view;
            out.data = results[k];
            assert_int_equal(satf_filter_apply(ctx, filters[k], &view, &out), SATF_OK);
        }
        assert_int_equal(memcmp(results[0], results[1], (size_t)(180 * channels)) != 0,
                         channels == 3);
    }
    satf_filter_destroy(filters[0]);
    satf_filter_destroy(filters[1]);
}

/* Nor does a guide that is not RGB say more; one of RGB has the input's size. */
static void test_guides(void **state)
{
    satf_context *ctx = *state;
    uint8_t in[8 * 8], guide[8 * 8 * 3], results[2][8 * 8];
    uint64_t random = 6;
    satf_filter *filters[2];
    satf_plan *plan;
    for (int i = 0; i < 8 * 8 * 3; i++) {
        in[i % (8 * 8)] = (uint8_t)ref_random(&random);
        guide[i] = (uint8_t)ref_random(&random);
    }
    satf_view grey = satf_view_packed(in, 8, 8, 1, SATF_U8), out = grey;
    satf_view by = satf_view_packed(guide, 8, 8, 1, SATF_U8);
    for (int k = 0; k < 2; k++) {
        const char *spec = k ? "guided=3,colour" : "guided=3";
        assert_int_equal(satf_filter_parse(ctx, spec, &filters[k]), SATF_OK);
        assert_int_equal(satf_filter_set_image(ctx, filters[k], &by), SATF_OK);
        out.data = results[k];
        assert_int_equal(satf_filter_apply(ctx, filters[k], &grey, &out), SATF_OK);
    }
    assert_memory_equal(results[0], results[1], sizeof results[0]);
    satf_view rgb = satf_view_packed(guide, 8, 7, 3, SATF_U8), inputs[2] = {grey, rgb};
    assert_int_equal(satf_filter_set_image(ctx, filters[1], &rgb), SATF_OK);
    expect(ctx, satf_filter_apply(ctx, filters[1], &grey, &out), SATF_INVALID,
           "is 8 x 7 of 3 u8; of colour it must be 8 x 8, as the input");
    satf_filter_destroy(filters[0]);
    satf_filter_destroy(filters[1]);
    inputs[1].height = 8;
    assert_int_equal(satf_filter_parse(ctx, "guided=3", &filters[0]), SATF_OK);
    expect(ctx, satf_plan_create(ctx, filters[0], inputs, 2, &out, 1, &plan), SATF_INVALID,
           "of 3 u8; it must be 8 x 8 of 1 u8");
    satf_filter_destroy(filters[0]);
}

/* Of 20 images between the passes those in memory are still read; the rest are tables. */
static void test_places(void **state)
{
    satf_context *ctx = *state;
    enum { SIDE = 300 };
    static uint8_t guide[SIDE * SIDE * 3];
    satf_view view = satf_view_packed(guide, SIDE, SIDE, 3, SATF_U8);
    satf_filter *filter;
    size_t bytes;
    assert_int_equal(satf_filter_parse(ctx, "guided=9,colour", &filter), SATF_OK);
    assert_int_equal(satf_filter_set_image(ctx, filter, &view), SATF_OK);
    satf_context_set_engine(ctx, SATF_ENGINE_SAT);
    assert_int_equal(satf_filter_scratch(ctx, filter, &view, &view, &bytes), SATF_OK);
    assert_true(bytes / sizeof guide / sizeof(double) < 15);
    satf_filter_destroy(filter);
}

int main(void)
{
    satf_share_anything();
    const struct CMUnitTest tests[] = {
        TEST(test_cases),  TEST(test_extremes), TEST(test_grey),
        TEST(test_guides), TEST(test_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
