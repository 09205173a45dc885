/* Floats that have a large offset or scale, and what is not finite, on a CUDA device. */
#include "filter_offsets.h"
#include "filter_scale.h"
#include "not_finite.h"
#include "program.h"

TEST_ALONE(test_offsets)
{
    NOT_SMALL;
    check_offsets(gpu, "cuda");
    gpu_runs++;
}

TEST_ALONE(test_channel_offsets)
{
    for (int engine = SATF_ENGINE_AUTO; engine <= SATF_ENGINE_WINDOW; engine++) {
        check_channel_offsets(gpu, false, (satf_engine)engine);
        check_channel_offsets(gpu, true, (satf_engine)engine);
        gpu_runs++;
    }
    satf_context_set_engine(gpu, SATF_ENGINE_AUTO);
}

TEST_ALONE(test_seam)
{
    NOT_SMALL;
    check_seam(gpu);
    gpu_runs++;
}

TEST_ALONE(test_not_finite)
{
    NOT_SMALL;
    spoilt_check_all(gpu, "cuda");
    gpu_runs++;
}

/* -------------------------------------------------------------------------- locality */

enum { LOCAL_W = 300, LOCAL_H = 200 };

static double local_samples[LOCAL_W * LOCAL_H * 4], local_before[LOCAL_W * LOCAL_H * 4],
    local_after[LOCAL_W * LOCAL_H * 4];

/* Noise above 1000, a third of whose alphas is 0. */
static void fill_local(int channels, bool alpha)
{
    uint64_t seed = 7;
    for (int64_t i = 0; i < LOCAL_W * LOCAL_H * channels; i++) {
        double random = (double)(ref_random(&seed) >> 11) * 0x1p-53;
        bool last = alpha && i % channels == channels - 1;
        local_samples[i] = last ? random < 0.3 ? 0 : random : 1000 + random;
    }
}

/* Results whose pixel is further than `reach` from the one that is poked have the same bits. */
static void check_local(const satf_filter *filter, const char *spec, int channels, bool alpha,
                        int64_t reach)
{
    static const double pokes[] = {0, 1e9, -1e9, (double)NAN, 6e4};
    satf_view in = satf_view_packed(local_samples, LOCAL_W, LOCAL_H, channels, SATF_F64), out;
    in.flags = alpha ? SATF_ALPHA : 0;
    gpu_must_do(gpu, satf_filter_output(gpu, filter, &in, &out), spec);
    fill_local(channels, alpha);
    out.data = local_before;
    gpu_must_do(gpu, satf_filter_apply(gpu, filter, &in, &out), spec);
    for (int k = 0; k < 5; k++) {
        int64_t x = 37 * (k + 1), y = 199 * (k % 3) / 2, changed = 0;
        fill_local(channels, alpha);
        local_samples[(y * LOCAL_W + x) * channels] = pokes[k];
        out.data = local_after;
        gpu_must_do(gpu, satf_filter_apply(gpu, filter, &in, &out), spec);
        for (int64_t i = 0; i < satf_row_samples(&out) * out.height; i++) {
            int64_t at_x = i / channels % LOCAL_W, at_y = i / channels / LOCAL_W;
            bool near =
                at_x >= x - reach && at_x <= x + reach && at_y >= y - reach && at_y <= y + reach;
            bool same = memcmp(&local_before[i], &local_after[i], sizeof(double)) == 0;
            changed += !same;
            if (!near && !same) {
                fail_msg("%s: %g at (%ld, %ld) makes %g of %g at (%ld, %ld)", spec, pokes[k],
                         (long)x, (long)y, local_after[i], local_before[i], (long)at_x, (long)at_y);
            }
        }
        assert_true(changed > 0);
        gpu_runs++;
    }
}

TEST_ALONE(test_locality)
{
    NOT_SMALL;
    static const struct {
        const char *spec;
        int channels;
        bool alpha;
        int64_t reach;
    } cases[] = {
        {"box=15", 1, false, 7},
        {"box=9", 3, false, 4},
        {"box=9", 4, true, 4},
        {"unsharp=9", 1, false, 4},
        {"unsharp=9,luma", 3, false, 4},
        {"gauss=2", 3, false, 4 * 4},
        {"gauss=2", 4, true, 4 * 4},
        {"kuwahara=5", 1, false, 4},
        {"kuwahara=5", 3, false, 4},
        {"kuwahara=4,border=mirror", 4, true, 6},
        {"variance=15", 1, false, 7},
        {"variance=15,border=shrink", 1, false, 7},
        {"stddev=9", 3, false, 4},
        {"stddev=9", 4, true, 4},
        {"guided=9,eps=0.01", 1, false, 8},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        SCOPED_FILTER *filter = parse_filter(gpu, cases[i].spec);
        check_local(filter, cases[i].spec, cases[i].channels, cases[i].alpha, cases[i].reach);
    }
    static double map[LOCAL_W * LOCAL_H];
    satf_view view = satf_view_packed(map, LOCAL_W, LOCAL_H, 1, SATF_F64);
    for (int64_t i = 0; i < LOCAL_W * LOCAL_H; i++) {
        map[i] = (double)(i * i % 40) / 2;
    }
    SCOPED_FILTER *filter;
    MUST(gpu, satf_filter_create(gpu, "varbox", &filter));
    MUST(gpu, satf_filter_set_image(gpu, filter, &view));
    check_local(filter, "varbox", 1, false, 20);
    check_local(filter, "varbox", 4, true, 20);
}

/* A bad sample at a corner, in a picture that is LONG pixels long: whatever is further from it than
 * the window reaches has the same bits. */
static void check_outliers(const char *name, int size, bool upright, int type, bool alpha)
{
    enum { LONG = 640, SHORT = 24 };
    static const double outliers[] = {1e5, (double)NAN, (double)INFINITY, -1e300};
    int64_t width = upright ? SHORT : LONG, height = upright ? LONG : SHORT;
    char spec[64];
    snprintf(spec, sizeof spec, "%s=%d%s", name, size,
             strcmp(name, "sauvola") == 0 ? ",surface" : "");
    SCOPED_FILTER *filter = parse_filter(gpu, spec);
    ON_HOST satf_view in = gpu_image(width, height, alpha ? 2 : 1, type, alpha, (uint64_t)size, 0);
    satf_view out;
    MUST(gpu, satf_filter_output(gpu, filter, &in, &out));
    ON_HOST satf_view before = gpu_host_view(&out), after = gpu_host_view(&out);
    gpu_must_do(gpu, satf_filter_apply(gpu, filter, &in, &before), spec);
    for (int k = 0; k < 4; k++) {
        float narrow = (float)outliers[k];
        memcpy(in.data, type == SATF_F32 ? (const void *)&narrow : &outliers[k],
               satf_type_bytes((satf_type)type));
        gpu_must_do(gpu, satf_filter_apply(gpu, filter, &in, &after), spec);
        for (int64_t i = size; i < LONG; i++) {
            int64_t x = upright ? 0 : i, y = upright ? i : 0, pixel = satf_pixel_bytes(&out);
            if (memcmp((char *)satf_row(&before, y) + x * pixel,
                       (char *)satf_row(&after, y) + x * pixel,
                       (size_t)(upright ? SHORT * pixel : pixel)) != 0) {
                fail_msg("%s of %s%s: %g at the corner changes (%ld, %ld)", spec,
                         satf_type_name((satf_type)type), alpha ? " with alpha" : "", outliers[k],
                         (long)x, (long)y);
            }
        }
        gpu_runs++;
    }
}

TEST_ALONE(test_outliers)
{
    NOT_SMALL;
    static const char *const names[] = {"box", "variance", "stddev", "unsharp", "sauvola"};
    static const int sizes[] = {3, 4, 8, 15, 24, 64, 99, 255, 600};
    for (int k = 0; k < 5 * 9 * 2 * 2 * 2; k++) {
        check_outliers(names[k % 5], sizes[k / 5 % 9], k / 45 % 2, k / 90 % 2 ? SATF_F64 : SATF_F32,
                       k / 180);
    }
}

/* Of exact sums varbox and kuwahara make the CPU's bits, whatever the border. */
TEST_ALONE(test_exact)
{
    NOT_SMALL;
    static const char *const borders[] = {"clamp", "mirror",     "reflect",
                                          "wrap",  "constant:3", "shrink"};
    static double map[61 * 47];
    satf_view view = satf_view_packed(map, 61, 47, 1, SATF_F64);
    for (int64_t i = 0; i < 61 * 47; i++) {
        map[i] = (double)(i * i % 300) / 2;
    }
    for (int k = 0; k < 6 * 4; k++) {
        int type = k / 6 % 2 ? SATF_F32 : SATF_F64, channels = 1 + k / 6;
        ON_HOST satf_view in = gpu_image(61, 47, channels, type, channels % 2 == 0, (uint64_t)k, 0);
        char spec[64];
        snprintf(spec, sizeof spec, "kuwahara=%dx5,border=%s", 3 + k, borders[k % 6]);
        SCOPED_FILTER *kuwahara = parse_filter(gpu, spec);
        gpu_compare_filter(spec, kuwahara, &in, (uint64_t)k);
        SCOPED_FILTER *varbox;
        MUST(gpu, satf_filter_create(gpu, "varbox", &varbox));
        MUST(gpu, satf_filter_set_image(gpu, varbox, &view));
        MUST(gpu, satf_filter_set(gpu, varbox, "border", borders[k % 6]));
        gpu_compare_filter("varbox", varbox, &in, (uint64_t)k);
    }
}

/* The law of scale: every filter, by each engine. */
TEST_ALONE(test_law)
{
    static const char *const names[] = {"a device", "a device's tables", "a device's windows"};
    for (int engine = SATF_ENGINE_AUTO; engine <= SATF_ENGINE_WINDOW; engine++) {
        satf_context_set_engine(gpu, (satf_engine)engine);
        int done = scale_check_all(gpu, names[engine], engine == SATF_ENGINE_AUTO);
        assert_true(done > 0);
        gpu_runs += (unsigned long long)done;
    }
    satf_context_set_engine(gpu, SATF_ENGINE_AUTO);
}

GPU_TEST_FILE;
