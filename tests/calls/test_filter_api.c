/* Misuse, statuses, scratch, chains, output types, images, and what is not finite. */
#include "test.h"

#include "base/gpu.h"
#include "base/image.h"
#include "filter/filter.h"
#include "filter_reference.h"

static satf_filter *parse(satf_context *ctx, const char *spec)
{
    satf_filter *filter;
    if (satf_filter_parse(ctx, spec, &filter)) {
        fail_msg("%s: %s", spec, satf_message(ctx));
    }
    return filter;
}

static void expect(satf_context *ctx, satf_status got, satf_status want, const char *words)
{
    if (got != want || !strstr(satf_message(ctx), words)) {
        fail_msg("%s instead of %s, message '%s' without '%s'", satf_status_name(got),
                 satf_status_name(want), satf_message(ctx), words);
    }
}

TEST(test_misuse)
{
    SCOPED_FILTER *box = parse(ctx, "box=3"), *other;
    uint8_t pixels[64] = {0}, result[64];
    satf_view in = satf_view_packed(pixels, 8, 8, 1, SATF_U8), out = in;
    out.data = result;
    memset(result, 9, sizeof result);
    size_t bytes;
    satf_image *image;
    assert_int_equal(satf_filter_parse(NULL, "box=3", &other), SATF_INVALID);
    expect(ctx, satf_filter_parse(ctx, NULL, &other), SATF_INVALID, "text");
    expect(ctx, satf_filter_parse(ctx, "box=3", NULL), SATF_INVALID, "result");
    expect(ctx, satf_filter_create(ctx, NULL, &other), SATF_INVALID, "name");
    expect(ctx, satf_filter_create(ctx, "box", NULL), SATF_INVALID, "result");
    expect(ctx, satf_filter_create(ctx, "sharpen", &other), SATF_INVALID, "'sharpen'");
    assert_null(other);
    expect(ctx, satf_filter_set_int(ctx, NULL, "width", 3), SATF_INVALID, "filter");
    expect(ctx, satf_filter_set_int(ctx, box, NULL, 3), SATF_INVALID, "parameter");
    expect(ctx, satf_filter_set_int(ctx, box, "width", 0), SATF_INVALID, "width = 0");
    expect(ctx, satf_filter_set_int(ctx, box, "height", 65536), SATF_INVALID, "65536");
    expect(ctx, satf_filter_set_int(ctx, box, "squared", 1), SATF_INVALID, "'squared'");
    expect(ctx, satf_filter_set_double(ctx, box, "sigma", 1), SATF_INVALID, "'sigma'");
    expect(ctx, satf_filter_set_double(ctx, box, "constant", NAN), SATF_INVALID, "finite");
    expect(ctx, satf_filter_set_border(ctx, box, (satf_border)17, 0), SATF_INVALID, "17");
    expect(ctx, satf_filter_set_border(ctx, box, SATF_CONSTANT, INFINITY), SATF_INVALID, "finite");
    satf_weighted_rect rect = {{0, 0, 1, 1}, 1};
    expect(ctx, satf_filter_set_rects(ctx, box, &rect, 1), SATF_INVALID, "no rectangles");
    expect(ctx, satf_filter_append(ctx, box, NULL), SATF_INVALID, "tail");
    expect(ctx, satf_filter_apply(ctx, NULL, &in, &out), SATF_INVALID, "filter");
    expect(ctx, satf_filter_apply(ctx, box, NULL, &out), SATF_INVALID, "input");
    expect(ctx, satf_filter_apply(ctx, box, &in, NULL), SATF_INVALID, "output");
    expect(ctx, satf_filter_apply(ctx, box, &in, &in), SATF_INVALID, "overlaps");
    expect(ctx, satf_filter_output(ctx, box, &in, NULL), SATF_INVALID, "result");
    expect(ctx, satf_filter_scratch(ctx, box, &in, &out, NULL), SATF_INVALID, "result");
    expect(ctx, satf_image_filter(ctx, box, NULL, SATF_TYPE_AUTO, &image), SATF_INVALID, "image");
    satf_view wrong = out;
    wrong.width = 7;
    expect(ctx, satf_filter_apply(ctx, box, &in, &wrong), SATF_INVALID, "7 x 8");
    wrong = in;
    wrong.device = SATF_CUDA(0);
    expect(ctx, satf_filter_apply(ctx, box, &wrong, &out), SATF_INVALID, "one device");
    if (satf_gpu_count(NULL) == 0) {
        satf_view there = out;
        there.device = SATF_CUDA(0);
        expect(ctx, satf_filter_apply(ctx, box, &wrong, &there), SATF_NO_DEVICE, "CUDA");
        expect(ctx, satf_filter_scratch(ctx, box, &wrong, &there, &bytes), SATF_NO_DEVICE, "CUDA");
        assert_int_equal(satf_filter_output(ctx, box, &wrong, &there), SATF_OK);
        assert_int_equal(there.device, SATF_CUDA(0));
    }
    wrong = satf_view_packed(pixels, 4, 4, 1, SATF_U32);
    expect(ctx, satf_filter_scratch(ctx, box, &wrong, &wrong, &bytes), SATF_UNSUPPORTED, "u32");
    satf_filter *constant = parse(ctx, "box=3,border=constant:256");
    expect(ctx, satf_filter_apply(ctx, constant, &in, &out), SATF_INVALID, "constant:256");
    satf_filter_destroy(constant);
    constant = parse(ctx, "box=3,border=constant:0.5");
    expect(ctx, satf_filter_apply(ctx, constant, &in, &out), SATF_INVALID, "constant:0.5");
    satf_filter_destroy(constant);
    satf_context_set_engine(ctx, SATF_ENGINE_WINDOW);
    SCOPED_FILTER *integral = parse(ctx, "integral");
    satf_view sat = satf_view_packed(result, 4, 4, 1, SATF_U32);
    satf_view small = satf_view_packed(pixels, 4, 4, 1, SATF_U8);
    expect(ctx, satf_filter_apply(ctx, integral, &small, &sat), SATF_UNSUPPORTED,
           "integral is a summed area table: engine window");
    satf_context_set_engine(ctx, SATF_ENGINE_AUTO);
    assert_int_equal(satf_filter_create(ctx, "template", &other), SATF_OK);
    expect(ctx, satf_filter_apply(ctx, other, &in, &out), SATF_INVALID, "no rectangles yet");
    expect(ctx, satf_filter_set_rects(ctx, other, &rect, 0), SATF_INVALID, "0 rectangles");
    rect.weight = INFINITY;
    expect(ctx, satf_filter_set_rects(ctx, other, &rect, 1), SATF_INVALID, "finite");
    satf_filter_destroy(NULL);
    satf_context_set_limit(ctx, SATF_MAX_MEMORY, 100);
    satf_context_set_engine(ctx, SATF_ENGINE_SAT);
    expect(ctx, satf_filter_apply(ctx, box, &in, &out), SATF_LIMIT, "limit: max-memory");
    for (size_t i = 0; i < sizeof result; i++) {
        assert_int_equal(result[i], 9);
    }
}

/* A chain equals its filters one by one; scratch of exactly the reported size is
 * enough, untouched outside, and one byte less is refused. */
TEST(test_scratch_and_chains)
{
    enum { W = 37, H = 23, GUARD = 256 };
    ref_image image = {W, H, 3, SATF_U8, 0, NULL};
    ref_fill(&image, 11);
    satf_view in = ref_view(&image, 0);
    SCOPED double *want = malloc(W * H * 3 * 8), *first = malloc(W * H * 3 * 8);
    SCOPED double *got = malloc(W * H * 3 * 8);
    satf_view middle = satf_view_packed(first, W, H, 3, SATF_F64);
    satf_view out = satf_view_packed(want, W, H, 3, SATF_F64);
    SCOPED_FILTER *variance = parse(ctx, "variance=5,border=mirror"), *box = parse(ctx, "box=4x7");
    SCOPED_FILTER *chain = parse(ctx, "variance=5,border=mirror"), *tail = parse(ctx, "box=4x7");
    assert_int_equal(satf_filter_append(ctx, chain, tail), SATF_OK);
    for (int engine = SATF_ENGINE_AUTO; engine <= SATF_ENGINE_WINDOW; engine++) {
        satf_context_set_engine(ctx, (satf_engine)engine);
        assert_int_equal(satf_filter_apply(ctx, variance, &in, &middle), SATF_OK);
        assert_int_equal(satf_filter_apply(ctx, box, &middle, &out), SATF_OK);
        satf_view result = satf_view_packed(got, W, H, 3, SATF_F64);
        size_t bytes;
        assert_int_equal(satf_filter_scratch(ctx, chain, &in, &result, &bytes), SATF_OK);
        assert_true(bytes >= W * H * 3 * 8);
        for (size_t shift = 0; shift < 64; shift += 13) {
            SCOPED unsigned char *memory = malloc(bytes + 2 * GUARD);
            memset(memory, 0xc3, bytes + 2 * GUARD);
            unsigned char *scratch = memory + GUARD - 64 + shift;
            satf_context_set_scratch(ctx, scratch, bytes - 1);
            memset(got, 0, W * H * 3 * 8);
            expect(ctx, satf_filter_apply(ctx, chain, &in, &result), SATF_INVALID, "scratch");
            satf_context_set_scratch(ctx, scratch, bytes);
            assert_int_equal(satf_filter_apply(ctx, chain, &in, &result), SATF_OK);
            for (size_t i = 0; i < bytes + 2 * GUARD; i++) {
                if ((memory + i < scratch || memory + i >= scratch + bytes) && memory[i] != 0xc3) {
                    fail_msg("engine %d wrote outside its scratch at %zu", engine, i);
                }
            }
            assert_memory_equal(got, want, W * H * 3 * 8);
            satf_context_set_scratch(ctx, NULL, 0);
        }
        satf_used report;
        satf_context_used(ctx, &report, sizeof report);
        assert_string_equal(report.engine, engine == SATF_ENGINE_SAT ? "sat" : "window");
        assert_int_equal(report.algorithm != NULL, engine == SATF_ENGINE_SAT);
        assert_string_equal(report.device, "cpu");
    }
    satf_context_set_engine(ctx, SATF_ENGINE_AUTO);
    SCOPED_FILTER *bad = parse(ctx, "integral box=3");
    satf_view view;
    expect(ctx, satf_filter_output(ctx, bad, &in, &view), SATF_UNSUPPORTED, "u32");
    assert_int_equal(satf_filter_append(ctx, box, box), SATF_OK);
    assert_int_equal(filter_count(box), 2);
    free(in.data);
    free(image.samples);
}

/* Output of every type from the same sums: rounded half up, saturated. */
TEST(test_output_types)
{
    static const uint16_t pixels[] = {0, 1, 3, 600, 65535, 65535};
    satf_view in = satf_view_packed((void *)(uintptr_t)pixels, 6, 1, 1, SATF_U16);
    SCOPED_FILTER *box = parse(ctx, "box=2x1,border=shrink");
    static const double exact[] = {0, 0.5, 2, 301.5, 33067.5, 65535};
    for (int engine = SATF_ENGINE_SAT; engine <= SATF_ENGINE_WINDOW; engine++) {
        satf_context_set_engine(ctx, (satf_engine)engine);
        uint8_t u8[6];
        uint16_t u16[6];
        uint32_t u32[6];
        uint64_t u64[6];
        float f32[6];
        double f64[6];
        void *const results[] = {u8, u16, u32, u64, f32, f64};
        for (int type = SATF_U8; type <= SATF_F64; type++) {
            satf_view out = satf_view_packed(results[type], 6, 1, 1, (satf_type)type);
            assert_int_equal(satf_filter_apply(ctx, box, &in, &out), SATF_OK);
        }
        for (int i = 0; i < 6; i++) {
            uint64_t rounded = (uint64_t)floor(exact[i] + 0.5);
            assert_int_equal(u8[i], rounded > 255 ? 255 : rounded);
            assert_int_equal(u16[i], rounded);
            assert_int_equal(u32[i], rounded);
            assert_int_equal(u64[i], rounded);
            assert_true((double)f32[i] == exact[i] && f64[i] == exact[i]);
        }
    }
}

/* What is not finite stays in the windows that contain it, and turns into what
 * plain addition makes of it there. */
TEST(test_not_finite)
{
    enum { W = 41, H = 33, R = 3 };
    static const char *const specs[] = {"box=7", "variance=7,border=wrap", "template"};
    SCOPED double *pixels = malloc(W * H * sizeof *pixels), *got = malloc(W * H * sizeof *got);
    for (int i = 0; i < W * H; i++) {
        pixels[i] = i % 17;
    }
    pixels[5 * W + 9] = NAN;
    pixels[20 * W + 30] = INFINITY;
    pixels[22 * W + 33] = -INFINITY;
    pixels[10 * W + 33] = INFINITY;
    satf_view in = satf_view_packed(pixels, W, H, 1, SATF_F64);
    satf_view out = satf_view_packed(got, W, H, 1, SATF_F64);
    for (size_t k = 0; k < 3; k++) {
        satf_filter *filter;
        if (k < 2) {
            filter = parse(ctx, specs[k]);
        } else {
            satf_weighted_rect rect = {{-R, -R, 7, 7}, 2};
            assert_int_equal(satf_filter_create(ctx, specs[k], &filter), SATF_OK);
            assert_int_equal(satf_filter_set_rects(ctx, filter, &rect, 1), SATF_OK);
        }
        int border = k == 1 ? SATF_WRAP : SATF_CLAMP;
        for (int engine = SATF_ENGINE_SAT; engine <= (k < 2 ? SATF_ENGINE_WINDOW : 1); engine++) {
            satf_context_set_engine(ctx, (satf_engine)engine);
            if (satf_filter_apply(ctx, filter, &in, &out)) {
                fail_msg("%s: %s", specs[k], satf_message(ctx));
            }
            for (int64_t i = 0; i < W * H; i++) {
                double sum = 0;
                for (int64_t dy = -R; dy <= R; dy++) {
                    for (int64_t dx = -R; dx <= R; dx++) {
                        sum += pixels[satf_border_index(border, i / W + dy, H) * W +
                                      satf_border_index(border, i % W + dx, W)];
                    }
                }
                int right = isfinite(sum) ? isfinite(got[i])
                            : k == 1      ? isnan(got[i]) /* Inf - Inf */
                            : isnan(sum)  ? isnan(got[i])
                                          : got[i] == sum;
                if (!right) {
                    fail_msg("%s, engine %d: (%ld, %ld) is %g where the sum is %g", specs[k],
                             engine, (long)(i % W), (long)(i / W), got[i], sum);
                }
            }
        }
        satf_filter_destroy(filter);
    }
}

/* Floats that are not exact: within the bound of each engine's summation. */
TEST(test_float_error)
{
    enum { W = 67, H = 59 };
    SCOPED double *pixels = malloc(W * H * sizeof *pixels), *got = malloc(W * H * sizeof *got);
    uint64_t seed = 3;
    long double all = 0;
    for (int i = 0; i < W * H; i++) {
        pixels[i] = ((double)(ref_random(&seed) >> 11) * 0x1p-53 - 0.3) * 1000;
        all += fabsl((long double)pixels[i]);
    }
    satf_view in = satf_view_packed(pixels, W, H, 1, SATF_F64);
    satf_view out = satf_view_packed(got, W, H, 1, SATF_F64);
    SCOPED_FILTER *box = parse(ctx, "box=9x14,border=reflect");
    for (int engine = SATF_ENGINE_SAT; engine <= SATF_ENGINE_WINDOW; engine++) {
        satf_context_set_engine(ctx, (satf_engine)engine);
        assert_int_equal(satf_filter_apply(ctx, box, &in, &out), SATF_OK);
        for (int64_t i = 0; i < W * H; i++) {
            long double sum = 0, sizes = 0;
            for (int64_t dy = -7; dy < 7; dy++) {
                for (int64_t dx = -4; dx <= 4; dx++) {
                    double p = pixels[satf_border_index(SATF_REFLECT, i / W + dy, H) * W +
                                      satf_border_index(SATF_REFLECT, i % W + dx, W)];
                    sum += (long double)p;
                    sizes += fabsl((long double)p);
                }
            }
            /* each table entry is off by at most (W + H) 2^-53 of all samples; no more than
             * 3 x 3 of them with coefficients of 2 at most meet, plus their own additions */
            long double error = engine == SATF_ENGINE_SAT ? 36 * (W + H + 6) * 0x1p-53L * all
                                                          : (9 + 14) * 0x1p-53L * sizes;
            error = error / 126 + fabsl(sum) / 126 * 0x1p-51L;
            if (fabsl((long double)got[i] - sum / 126) > error) {
                fail_msg("engine %d: pixel %ld is off by %Lg, above %Lg", engine, (long)i,
                         fabsl((long double)got[i] - sum / 126), error);
            }
        }
    }
}

/* A mean's range holds what is outside; so do those of several means in a row. */
TEST(test_outside)
{
    static const char *const means[] = {"box=3,border=constant:-3", "gauss=1,border=constant:-3",
                                        "kuwahara=3,border=constant:-3",
                                        "box=3 gauss=2,border=constant:-3 kuwahara=3"};
    satf_image *in, *out;
    assert_int_equal(satf_image_create(ctx, 4, 3, 1, SATF_F64, 0, &in), SATF_OK);
    in->has_range = 1;
    in->hi = 1;
    for (size_t i = 0; i < sizeof means / sizeof *means; i++) {
        SCOPED_FILTER *mean = parse(ctx, means[i]);
        assert_int_equal(satf_image_filter(ctx, mean, in, SATF_TYPE_AUTO, &out), SATF_OK);
        if (!(out->has_range && out->lo == -3 && out->hi == 1)) {
            fail_msg("%s: %g ... %g", means[i], out->lo, out->hi);
        }
        satf_image_destroy(out);
    }
    satf_image_destroy(in);
}

TEST(test_images)
{
    satf_image *in, *out;
    assert_int_equal(satf_image_create(ctx, 4, 3, 4, SATF_U8, SATF_ALPHA, &in), SATF_OK);
    in->metadata.has_gamma = true;
    in->metadata.gamma = 0.45455;
    in->hi = 100;
    SCOPED_FILTER *box = parse(ctx, "box=3"), *variance = parse(ctx, "variance=3 box=2");
    SCOPED_FILTER *integral = parse(ctx, "integral,squared"), *haar;
    assert_int_equal(satf_image_filter(ctx, box, in, SATF_TYPE_AUTO, &out), SATF_OK);
    assert_int_equal(out->view.type, SATF_U8);
    assert_int_equal(out->view.flags, SATF_ALPHA);
    assert_true(out->has_range && out->lo == 0 && out->hi == 100 && out->alpha_max == 255);
    assert_int_equal(out->picture_type, SATF_U8);
    assert_true(out->metadata.has_gamma && out->metadata.gamma == 0.45455);
    satf_image_destroy(out);
    assert_int_equal(satf_image_filter(ctx, variance, in, SATF_TYPE_AUTO, &out), SATF_OK);
    assert_int_equal(out->view.type, SATF_F64);
    assert_true(out->has_range && out->lo == 0 && out->hi == 2500 && out->alpha_max == 255);
    assert_int_equal(out->picture_type, SATF_U16);
    satf_image_destroy(out);
    assert_int_equal(satf_image_filter(ctx, integral, in, SATF_TYPE_AUTO, &out), SATF_OK);
    assert_int_equal(out->view.type, SATF_U32);
    assert_int_equal(out->view.flags, 0);
    assert_true(out->has_range && out->lo == 0 && out->hi == 10000 * 12);
    satf_image_destroy(out);
    assert_int_equal(satf_filter_create(ctx, "template", &haar), SATF_OK);
    satf_weighted_rect rects[] = {{{0, 0, 2, 3}, 1}, {{0, 0, 1, 1}, -2}};
    assert_int_equal(satf_filter_set_rects(ctx, haar, rects, 2), SATF_OK);
    assert_int_equal(satf_image_filter(ctx, haar, in, SATF_F32, &out), SATF_OK);
    assert_int_equal(out->view.type, SATF_F32);
    assert_true(out->has_range && out->lo == -200 && out->hi == 600);
    satf_image_destroy(out);
    expect(ctx, satf_image_filter(ctx, box, in, 77, &out), SATF_INVALID, "77");
    assert_null(out);
    satf_image_destroy(in);
}

static int stop(void *user, double done)
{
    (void)user;
    return done >= 0;
}

TEST(test_cancel)
{
    uint8_t pixels[9] = {0}, result[9] = {5, 5, 5, 5, 5, 5, 5, 5, 5};
    satf_view in = satf_view_packed(pixels, 3, 3, 1, SATF_U8), out = in;
    out.data = result;
    SCOPED_FILTER *box = parse(ctx, "box=3");
    satf_context_set_progress(ctx, stop, NULL);
    assert_int_equal(satf_filter_apply(ctx, box, &in, &out), SATF_CANCELLED);
    assert_int_equal(result[4], 5);
    satf_context_set_progress(ctx, NULL, NULL);
}
