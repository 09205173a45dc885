/* Variances of floats that have a large offset, against exact ones: on the CPU and on devices. */
#ifndef TESTS_FILTER_OFFSETS_H
#define TESTS_FILTER_OFFSETS_H

#include "test.h"

#include "filter_reference.h"

/* -1 ... 1 */
static double uniform(uint64_t *seed)
{
    return ((double)(ref_random(seed) >> 11) * 0x1p-53 - 0.5) * 2;
}

/* Normal noise of deviation 0.3 (Box, Muller 1958). */
static double noise(uint64_t *seed)
{
    double angle = uniform(seed) * 3.14159265358979, size = (1 + uniform(seed)) / 2;
    return 0.3 * cos(angle) * sqrt(-2 * log(size + 0x1p-60));
}

/* What a window of n x n holds around sample i, less that sample so that long double is exact
 * enough; weighed by the last channel if that is alpha. */
typedef struct local {
    long double mean, variance;
} local;

static double offset_sample(const satf_view *in, int64_t i)
{
    const void *data = in->data;
    return in->type == SATF_F32 ? (double)((const float *)data)[i] : ((const double *)data)[i];
}

static local look_at(const satf_view *in, int border, double constant, int n, int64_t i)
{
    long double weight = 0, sum = 0, squares = 0, centre = (long double)offset_sample(in, i);
    int64_t channels = in->channels, channel = i % channels, pixel = i / channels;
    for (int64_t k = 0; k < n * n; k++) {
        int64_t x = satf_border_index(border, pixel % in->width - n / 2 + k % n, in->width);
        int64_t y = satf_border_index(border, pixel / in->width - n / 2 + k / n, in->height);
        int64_t at = (y * in->width + x) * channels;
        bool is_inside = x >= 0 && y >= 0;
        if (is_inside || border == SATF_BORDER_CONSTANT) {
            double sample = is_inside ? offset_sample(in, at + channel) : constant;
            double alpha = is_inside ? offset_sample(in, at + channels - 1) : constant;
            long double a = (long double)sample - centre, w = in->flags ? (long double)alpha : 1;
            weight += w;
            sum += w * a;
            squares += w * a * a;
        }
    }
    long double variance = weight == 0 ? 0 : (weight * squares - sum * sum) / (weight * weight);
    return (local){weight == 0 ? 0 : centre + sum / weight, variance};
}

/* Of f64 of one channel, clamped, windows of 9 x 9. */
static local look_around(const satf_view *in, int64_t x, int64_t y)
{
    return look_at(in, SATF_BORDER_CLAMP, 0, 9, y * in->width + x);
}

/* Applies the spec to f64 of one channel; free the result. */
static double *apply(satf_context *ctx, const char *spec, const satf_view *in, satf_type type)
{
    SCOPED_FILTER *filter;
    satf_view out = satf_view_packed(NULL, in->width, in->height, 1, type);
    out.data = malloc((size_t)(in->width * in->height) * sizeof(double));
    MUST(ctx, satf_filter_parse(ctx, spec, &filter));
    MUST(ctx, satf_filter_apply(ctx, filter, in, &out));
    return out.data;
}

static void check_variance(satf_context *ctx, const satf_view *in, const local *wanted,
                           double offset, const char *by)
{
    SCOPED double *got = apply(ctx, "variance=9", in, SATF_F64);
    for (int64_t i = 0; i < in->width * in->height; i++) {
        long double right = wanted[i].variance;
        if (!(fabsl((long double)got[i] - right) <= 1e-9L * right)) {
            fail_msg("noise around %g by %s: the variance of pixel %ld is %.17g, not %.17Lg",
                     offset, by, (long)i, got[i], right);
        }
    }
}

/* White above the mean: the shift must be in it. Slopes are variance / (variance + 0.01). */
static void check_others(satf_context *ctx, const satf_view *in, const local *wanted, double offset)
{
    SCOPED double *guided = apply(ctx, "guided=9,eps=0.01", in, SATF_F64);
    SCOPED double *slopes = malloc((size_t)(in->width * in->height) * sizeof *slopes);
    SCOPED unsigned char *white = (unsigned char *)apply(ctx, "sauvola=9,k=0", in, SATF_U8);
    SCOPED double *means = malloc((size_t)(in->width * in->height) * sizeof *means);
    for (int64_t i = 0; i < in->width * in->height; i++) {
        local l = wanted[i];
        double above = (double)(((const double *)in->data)[i] - l.mean);
        slopes[i] = (double)(l.variance / (l.variance + 0.01L));
        means[i] = (double)(l.mean - (long double)offset);
        if (fabs(above) > offset * 0x1p-50 && white[i] != (above > 0 ? 255 : 0)) {
            fail_msg("noise around %g: pixel %ld, %g above the mean, is %d", offset, (long)i, above,
                     white[i]);
        }
    }
    for (int64_t y = 4; y < in->height - 4; y++) {
        for (int64_t x = 4; x < in->width - 4; x++) {
            double right = 0, pixel = ((const double *)in->data)[y * in->width + x] - offset;
            for (int64_t k = 0; k < 81; k++) {
                int64_t i = (y - 4 + k / 9) * in->width + x - 4 + k % 9;
                right += (slopes[i] * pixel + (1 - slopes[i]) * means[i]) / 81;
            }
            double off = guided[y * in->width + x] - offset - right;
            if (!(fabs(off) <= offset * 0x1p-38)) {
                fail_msg("noise around %g: guided is off by %g", offset, off);
            }
        }
    }
}

/* An offset costs no digits, whichever engine and algorithm of those devices, in a part as in the
 * whole. */
static void check_offsets(satf_context *ctx, const char *device_kind)
{
    static double pixels[200 * 150], part[64 * 50];
    static local wanted[200 * 150];
    static const double offsets[] = {1e6, 1e8, -1e8, 1e10};
    for (size_t k = 0; k < sizeof offsets / sizeof *offsets; k++) {
        uint64_t seed = 11 + k;
        for (int i = 0; i < 200 * 150; i++) {
            pixels[i] = noise(&seed) + offsets[k];
        }
        satf_view in = satf_view_packed(pixels, 200, 150, 1, SATF_F64);
        for (int64_t i = 0; i < 200 * 150; i++) {
            wanted[i] = look_around(&in, i % 200, i / 200);
        }
        satf_context_set_engine(ctx, SATF_ENGINE_SAT);
        const char *kind, *name;
        for (size_t i = 0; (name = satf_algorithm(i, &kind, NULL)); i++) {
            if (strcmp(kind, device_kind) == 0) {
                MUST(ctx, satf_context_set_algorithm(ctx, name));
                check_variance(ctx, &in, wanted, offsets[k], name);
            }
        }
        MUST(ctx, satf_context_set_algorithm(ctx, "auto"));
        for (int engine = SATF_ENGINE_AUTO; engine <= SATF_ENGINE_WINDOW; engine++) {
            satf_context_set_engine(ctx, (satf_engine)engine);
            check_variance(ctx, &in, wanted, offsets[k], "an engine");
            if (offsets[k] > 0) {
                check_others(ctx, &in, wanted, offsets[k]);
            }
        }
        SCOPED_FILTER *filter;
        satf_view of = satf_view_packed(part, 64, 50, 1, SATF_F64);
        MUST(ctx, satf_filter_parse(ctx, "variance=9", &filter));
        satf_rect where = {100, 60, 64, 50};
        MUST(ctx, satf_filter_apply_rect(ctx, filter, &in, &where, &of));
        for (int64_t i = 0; i < 64 * 50; i++) {
            long double right = wanted[(60 + i / 64) * 200 + 100 + i % 64].variance;
            assert_true(fabsl((long double)part[i] - right) <= 1e-9L * right);
        }
    }
}

/* f32, every channel around an offset of its own, the last one alpha or not. */
static void check_channel_offsets(satf_context *ctx, bool alpha, satf_engine engine)
{
    enum { N = 60, LAST = 3 };
    static float pixels[N * N * 4];
    static double got[N * N * 4];
    static const double offsets[] = {1e6, -3e5, 7e4, 0.5};
    uint64_t seed = 5;
    for (int i = 0; i < N * N * 4; i++) {
        double weight = (double)(ref_random(&seed) % 17) / 16;
        pixels[i] = (float)(noise(&seed) + offsets[i % 4]);
        if (alpha && i % 4 == LAST) {
            pixels[i] = (float)(weight < 0.5 ? 0 : weight);
        }
    }
    satf_view in = satf_view_packed(pixels, N, N, 4, SATF_F32);
    satf_view out = satf_view_packed(got, N, N, 4, SATF_F64);
    in.flags = out.flags = alpha ? SATF_ALPHA : 0;
    satf_context_set_engine(ctx, engine);
    for (int border = SATF_BORDER_CLAMP; border <= SATF_BORDER_SHRINK; border++) {
        SCOPED_FILTER *filter;
        MUST(ctx, satf_filter_parse(ctx, "variance=5", &filter));
        satf_filter_set_border(ctx, filter, (satf_border)border, 0.75);
        MUST(ctx, satf_filter_apply(ctx, filter, &in, &out));
        for (int64_t i = 0; i < N * N * 4; i++) {
            long double right = look_at(&in, border, 0.75, 5, i).variance;
            bool near = fabsl((long double)got[i] - right) <= 1e-9L * right + 1e-11L;
            if (!near && !(alpha && i % 4 == LAST)) {
                fail_msg("border %d, engine %d, alpha %d: sample %ld is %g, not %Lg", border,
                         (int)engine, alpha, (long)i, got[i], right);
            }
        }
    }
}

/* One half around 0, the other around 1e8: beyond 512 pixels neither half knows of the other.
 * Nearer a shift may be of the other half. */
static void check_seam(satf_context *ctx)
{
    enum { LONG = 1400, SHORT = 40 };
    static double pixels[LONG * SHORT];
    for (int upright = 0; upright < 2; upright++) {
        uint64_t seed = 3;
        int64_t width = upright ? SHORT : LONG, height = upright ? LONG : SHORT;
        for (int64_t i = 0; i < width * height; i++) {
            int64_t along = upright ? i / width : i % width;
            pixels[i] = noise(&seed) + (along < LONG / 2 ? 0 : 1e8);
        }
        satf_view in = satf_view_packed(pixels, width, height, 1, SATF_F64);
        SCOPED double *got = apply(ctx, "variance=9", &in, SATF_F64);
        for (int64_t i = 0; i < width * height; i++) {
            int64_t along = upright ? i / width : i % width;
            long double right = look_around(&in, i % width, i / width).variance;
            long double bound = llabs(along - LONG / 2) > 512 + 4
                                    ? 1e-12L * right
                                    : 64 * 0x1p-53L * (right + (1e8L + 4) * (1e8L + 4));
            if (!(fabsl((long double)got[i] - right) <= bound)) {
                fail_msg("pixel %ld of %d is %g, not %Lg", (long)i, upright, got[i], right);
            }
        }
    }
}

#endif
