/* linearize and delinearize by their definition, in long double: of all samples, whole and by rows,
 * with the table of a large picture and without. */
#include "test.h"

#include "model.h"
#include "ways.h"

/* A curve as text, and its exponent; 0: sRGB's. */
static const struct {
    const char *text;
    long double power;
} curves[] = {{"srgb", 0}, {"2.2", 2.2L},   {"1.8", 1.8L}, {"2", 2},
              {"1", 1},    {"0.45", 0.45L}, {"5", 5}};
enum { CURVES = sizeof curves / sizeof *curves };

static long double light_of(long double v, long double power)
{
    return power > 0       ? powl(v, power)
           : v <= 0.04045L ? v / 12.92L
                           : powl((v + 0.055L) / 1.055L, 2.4L);
}

static long double sample_of_light(long double light, long double power)
{
    return power > 0             ? powl(light, 1 / power)
           : light <= 0.0031308L ? 12.92L * light
                                 : 1.055L * powl(light, 1 / 2.4L) - 0.055L;
}

/* All samples of the type, `times` over, as a grey picture or as the colour and alpha of one. */
static satf_view all_samples(satf_type type, int channels, int times)
{
    int64_t n = (int64_t)satf_type_max((int)type) + 1;
    satf_view v = satf_view_packed(NULL, 256, n / 256 * times, channels, type);
    v.flags = channels == 2 ? SATF_ALPHA : 0;
    v.data = malloc((size_t)(v.stride * v.height));
    for (int64_t i = 0; i < 256 * v.height; i++) {
        put_at(&v, 0, i * channels, (double)(i % n));
        if (channels == 2) {
            put_at(&v, 0, 2 * i + 1, (double)((i * 7 + 3) % n));
        }
    }
    return v;
}

static void check_sample(const char *spec, double got, long double want, int type)
{
    long double room = satf_type_is_float(type) ? want * 0x1p-23L : 0.5L + 1e-9L;
    if (fabsl(got - want) > room) {
        fail_msg("%s: %.9g, not %.9Lg", spec, got, want);
    }
}

/* Each sample by the definition; alpha scaled to the result's type. */
static void check_definition(satf_context *ctx, const satf_view *in, int curve, bool back)
{
    char spec[64];
    snprintf(spec, sizeof spec, "%s=%s", back ? "delinearize" : "linearize", curves[curve].text);
    SCOPED_FILTER *filter = parse_filter(ctx, spec);
    satf_view out = result_of(ctx, filter, in);
    long double power = curves[curve].power, full = (long double)satf_type_max(in->type);
    long double white = satf_type_is_float(out.type) ? full : (long double)satf_type_max(out.type);
    int64_t n = in->width * in->height * in->channels;
    for (int64_t i = 0; i < n; i++) {
        long double v = (long double)sample_at(in, 0, i) / full;
        bool alpha = in->channels == 2 && i % 2 == 1;
        long double share = alpha ? v : back ? sample_of_light(v, power) : light_of(v, power);
        check_sample(spec, sample_at(&out, 0, i), share * white, out.type);
    }
    free(out.data);
}

TEST(definition)
{
    static const struct {
        satf_type type;
        int channels, times;
    } kinds[] = {{SATF_U8, 1, 1},  {SATF_U8, 2, 5},  {SATF_U16, 1, 1},
                 {SATF_U16, 2, 1}, {SATF_U16, 1, 4}, {SATF_U16, 2, 2}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        satf_view in = all_samples(kinds[k].type, kinds[k].channels, kinds[k].times);
        for (int curve = 0; curve < CURVES; curve++) {
            check_definition(ctx, &in, curve, false);
            check_definition(ctx, &in, curve, true);
        }
        free(in.data);
    }
}

/* What goes there and back is what it was, its type, full scale and alpha too. */
static void check_round(satf_context *ctx, const satf_view *in, const char *curve)
{
    char spec[80];
    snprintf(spec, sizeof spec, "linearize=%s delinearize=%s,depth=%s", curve, curve,
             in->type == SATF_U8 ? "8" : "16");
    SCOPED_FILTER *filter = parse_filter(ctx, spec);
    satf_view out = result_of(ctx, filter, in);
    assert_true(out.type == in->type && out.full == in->full && out.flags == in->flags);
    require_same(spec, satf_type_name(in->type), &out, in);
    free(out.data);
}

TEST(round_trips)
{
    static const double fulls[] = {0, 1, 3, 100, 254};
    static const char *const more[] = {"0.2", "0.7", "2.1", "2.4", "4"};
    for (int channels = 1; channels <= 2; channels++) {
        for (int k = 0; k < CURVES + 5; k++) {
            const char *curve = k < CURVES ? curves[k].text : more[k - CURVES];
            for (int f = 0; f < 5; f++) {
                satf_view in = all_samples(SATF_U8, channels, 1);
                in.full = fulls[f];
                for (int64_t i = 0; in.full > 0 && i < 256 * in.channels; i++) {
                    put_at(&in, 0, i, fmod(sample_at(&in, 0, i), in.full + 1));
                }
                check_round(ctx, &in, curve);
                free(in.data);
            }
            satf_view in = all_samples(SATF_U16, channels, 1);
            check_round(ctx, &in, curve);
            free(in.data);
        }
    }
}

/* What is between two filters has the full scale of the bytes, 257 times. */
TEST(scales)
{
    satf_view in = satf_view_packed(NULL, 9, 9, 4, SATF_U8), out;
    in.flags = SATF_ALPHA;
    in.full = 100;
    SCOPED_FILTER *there = parse_filter(ctx, "linearize=srgb"),
                  *back = parse_filter(ctx, "delinearize=srgb");
    SCOPED_FILTER *steep = parse_filter(ctx, "linearize=2.2");
    MUST(ctx, satf_filter_output(ctx, there, &in, &out));
    assert_true(out.type == SATF_U16 && out.full == 25700 && out.flags == SATF_ALPHA);
    MUST(ctx, satf_filter_output(ctx, back, &out, &in));
    assert_true(in.type == SATF_U8 && in.full == 100);
    MUST(ctx, satf_filter_output(ctx, steep, &in, &out));
    assert_true(out.type == SATF_F32 && out.full == 100);
    in.type = SATF_I8;
    expect(ctx, satf_filter_output(ctx, there, &in, &out), SATF_UNSUPPORTED, "i8 samples may be");
}

/* Below black, above white, and what is no number. */
TEST(floats)
{
    static const double samples[] = {0,        -0.5,      0.5, 1,      2,   -1,
                                     INFINITY, -INFINITY, NAN, 1e-310, 1e30};
    enum { N = sizeof samples / sizeof *samples };
    satf_view in = satf_view_packed((void *)(uintptr_t)samples, N, 1, 1, SATF_F64);
    for (int curve = 0; curve < CURVES; curve++) {
        char spec[80];
        snprintf(spec, sizeof spec, "linearize=%s delinearize=%s", curves[curve].text,
                 curves[curve].text);
        SCOPED_FILTER *filter = parse_filter(ctx, spec);
        satf_view out = result_of(ctx, filter, &in);
        for (int i = 0; i < N; i++) {
            double got = sample_at(&out, 0, i), want = samples[i];
            bool large = fabs(want) == 1e30 || fabs(want) < 1e-300;
            bool good = isfinite(want) ? large || fabs(got - want) <= fabs(want) * 1e-12
                        : isnan(want)  ? isnan(got)
                                       : got == want;
            if (!good) {
                fail_msg("%s of %g is %g", spec, want, got);
            }
        }
        free(out.data);
    }
}

/* A checkerboard has half the light of white: 188 of 255 and 48192 of 65535. */
TEST(checkerboard)
{
    static const struct {
        satf_type type;
        const char *depth;
        double want;
    } kinds[] = {{SATF_U8, "8", 188}, {SATF_U16, "16", 48192}};
    for (int k = 0; k < 2; k++) {
        char spec[80];
        satf_view in = satf_view_packed(NULL, 32, 32, 1, kinds[k].type);
        SCOPED void *data = in.data = malloc((size_t)(in.stride * in.height));
        for (int64_t i = 0; i < 32 * 32; i++) {
            bool white = (i ^ i / 32) & 1;
            put_at(&in, 0, i, white ? (double)satf_type_max(in.type) : 0);
        }
        snprintf(spec, sizeof spec, "linearize=srgb resize=50%% delinearize=srgb,depth=%s",
                 kinds[k].depth);
        SCOPED_FILTER *filter = parse_filter(ctx, spec);
        satf_view out = result_of(ctx, filter, &in);
        assert_true(out.width == 16 && out.height == 16 && out.type == in.type);
        for (int64_t i = 0; i < 16 * 16; i++) {
            assert_true(sample_at(&out, 0, i) == kinds[k].want);
        }
        free(out.data);
    }
}
