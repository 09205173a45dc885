/* Misuse, statuses, scratch, chains, output types, images, and what is not finite. */
#include "test.h"

#include "base/device/gpu.h"
#include "base/image.h"
#include "chain/filter.h"
#include "ways.h"

TEST(test_misuse)
{
    SCOPED_FILTER *box = parse_filter(ctx, "box=3"), *other;
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
    for (size_t i = 0; satf_filter_name(i, NULL, 0); i++) {
        assert_non_null(strstr(satf_message(ctx), satf_filter_name(i, NULL, 0)));
    }
    assert_null(other);
    expect(ctx, satf_filter_set_int(ctx, NULL, "width", 3), SATF_INVALID, "filter");
    expect(ctx, satf_filter_set_int(ctx, box, NULL, 3), SATF_INVALID, "parameter");
    expect(ctx, satf_filter_set_int(ctx, box, "width", 0), SATF_INVALID, "width = 0");
    expect(ctx, satf_filter_set_int(ctx, box, "height", 65536), SATF_INVALID, "65536");
    expect(ctx, satf_filter_set_int(ctx, box, "squared", 1), SATF_INVALID, "'squared'");
    expect(ctx, satf_filter_set_double(ctx, box, "sigma", 1), SATF_INVALID, "'sigma'");
    expect(ctx, satf_filter_set_double(ctx, box, "constant", NAN), SATF_INVALID, "finite");
    expect(ctx, satf_filter_set_border(ctx, box, (satf_border)17, 0), SATF_INVALID, "17");
    expect(ctx, satf_filter_set_border(ctx, box, SATF_BORDER_CONSTANT, INFINITY), SATF_INVALID,
           "finite");
    satf_weighted_rect rect = {{0, 0, 1, 1}, 1};
    expect(ctx, satf_filter_set_rects(ctx, box, &rect, 1), SATF_INVALID, "no rectangles");
    expect(ctx, satf_filter_append(ctx, box, NULL), SATF_INVALID, "tail");
    expect(ctx, satf_filter_apply(ctx, NULL, &in, &out), SATF_INVALID, "filter");
    expect(ctx, satf_filter_apply(ctx, box, NULL, &out), SATF_INVALID, "input");
    expect(ctx, satf_filter_apply(ctx, box, &in, NULL), SATF_INVALID, "output");
    expect(ctx, satf_filter_apply(ctx, box, &in, &in), SATF_INVALID, "overlaps");
    expect(ctx, satf_filter_output(ctx, box, &in, NULL), SATF_INVALID, "result");
    expect(ctx, satf_filter_scratch(ctx, box, &in, &out, NULL), SATF_INVALID, "result");
    expect(ctx, satf_filter_image(ctx, box, NULL, SATF_TYPE_AUTO, &image), SATF_INVALID, "image");
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
        MUST(ctx, satf_filter_output(ctx, box, &wrong, &there));
        assert_int_equal(there.device, SATF_CUDA(0));
    }
    wrong = satf_view_packed(pixels, 4, 4, 1, SATF_U64);
    expect(ctx, satf_filter_scratch(ctx, box, &wrong, &wrong, &bytes), SATF_UNSUPPORTED,
           "box of u64 samples");
    SCOPED_FILTER *large = parse_filter(ctx, "box=3,border=constant:256");
    SCOPED_FILTER *half = parse_filter(ctx, "box=3,border=constant:0.5");
    expect(ctx, satf_filter_apply(ctx, large, &in, &out), SATF_INVALID, "constant:256");
    expect(ctx, satf_filter_apply(ctx, half, &in, &out), SATF_INVALID, "constant:0.5");
    satf_context_set_engine(ctx, SATF_ENGINE_WINDOW);
    SCOPED_FILTER *integral = parse_filter(ctx, "integral");
    satf_view sat = satf_view_packed(result, 4, 4, 1, SATF_U32);
    satf_view small = satf_view_packed(pixels, 4, 4, 1, SATF_U8);
    expect(ctx, satf_filter_apply(ctx, integral, &small, &sat), SATF_UNSUPPORTED,
           "integral is a summed area table: engine window");
    satf_context_set_engine(ctx, SATF_ENGINE_AUTO);
    MUST(ctx, satf_filter_create(ctx, "template", &other));
    expect(ctx, satf_filter_apply(ctx, other, &in, &out), SATF_INVALID, "no rectangles yet");
    expect(ctx, satf_filter_set_rects(ctx, other, &rect, 0), SATF_INVALID, "0 rectangles");
    rect.weight = INFINITY;
    expect(ctx, satf_filter_set_rects(ctx, other, &rect, 1), SATF_INVALID, "finite");
    satf_filter_destroy(NULL);
    satf_context_set_limit(ctx, SATF_LIMIT_MEMORY, 100);
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
    enum { GUARD = 256 };
    SCOPED_VIEW in = draw_image(37, 23, 3, SATF_U8, 0, 0, 11);
    SCOPED_FILTER *chain = parse_filter(ctx, "variance=5,border=mirror");
    SCOPED_FILTER *box = parse_filter(ctx, "box=4x7");
    MUST(ctx, satf_filter_append(ctx, chain, box));
    for (int engine = SATF_ENGINE_AUTO; engine <= SATF_ENGINE_WINDOW; engine++) {
        satf_context_set_engine(ctx, (satf_engine)engine);
        SCOPED_VIEW first = made_by(ctx, "variance=5,border=mirror", &in);
        SCOPED_VIEW want = result_of(ctx, box, &first), got = view_like(&want, 0);
        size_t bytes;
        MUST(ctx, satf_filter_scratch(ctx, chain, &in, &got, &bytes));
        assert_true(bytes >= (size_t)(first.stride * first.height));
        for (size_t shift = 0; shift < 64; shift += 13) {
            SCOPED unsigned char *memory = malloc(bytes + 2 * GUARD);
            memset(memory, 0xc3, bytes + 2 * GUARD);
            unsigned char *scratch = memory + GUARD - 64 + shift;
            satf_context_set_scratch(ctx, scratch, bytes - 1);
            memset(got.data, 0, (size_t)(got.stride * got.height));
            expect(ctx, satf_filter_apply(ctx, chain, &in, &got), SATF_INVALID, "scratch");
            satf_context_set_scratch(ctx, scratch, bytes);
            MUST(ctx, satf_filter_apply(ctx, chain, &in, &got));
            for (size_t i = 0; i < bytes + 2 * GUARD; i++) {
                if ((memory + i < scratch || memory + i >= scratch + bytes) && memory[i] != 0xc3) {
                    fail_msg("engine %d wrote outside its scratch at %zu", engine, i);
                }
            }
            require_same("variance, box", "a chain", &got, &want);
            satf_context_set_scratch(ctx, NULL, 0);
        }
        satf_used report;
        satf_context_used(ctx, &report, sizeof report);
        assert_string_equal(report.engine, engine == SATF_ENGINE_SAT ? "sat" : "window");
        assert_int_equal(report.algorithm != NULL, engine == SATF_ENGINE_SAT);
        assert_string_equal(report.device, "cpu");
    }
    satf_context_set_engine(ctx, SATF_ENGINE_AUTO);
    SCOPED_FILTER *bad = parse_filter(ctx, "integral nick=9999");
    satf_view view;
    expect(ctx, satf_filter_output(ctx, bad, &in, &view), SATF_UNSUPPORTED, "u32");
    MUST(ctx, satf_filter_append(ctx, box, box));
    assert_int_equal(filter_count(box), 2);
}

/* Output of every type from the same sums: rounded half up, saturated. */
TEST(test_output_types)
{
    static const uint16_t pixels[] = {0, 1, 3, 600, 65535, 65535};
    satf_view in = satf_view_packed((void *)(uintptr_t)pixels, 6, 1, 1, SATF_U16);
    SCOPED_FILTER *box = parse_filter(ctx, "box=2x1,border=shrink");
    static const double exact[] = {0, 0.5, 2, 301.5, 33067.5, 65535};
    for (int k = 0; k < 2 * (SATF_F64 + 1); k++) {
        int type = k / 2;
        satf_view like = satf_view_packed(NULL, 6, 1, 1, (satf_type)type);
        SCOPED_VIEW out = view_like(&like, 1);
        satf_context_set_engine(ctx, k % 2 ? SATF_ENGINE_SAT : SATF_ENGINE_WINDOW);
        MUST(ctx, satf_filter_apply(ctx, box, &in, &out));
        for (int i = 0; i < 6; i++) {
            double rounded = fmin(floor(exact[i] + 0.5), (double)satf_type_max(type));
            assert_true(sample_at(&out, 0, i) == (satf_type_is_float(type) ? exact[i] : rounded));
        }
    }
}

/* What is not finite turns into what plain addition makes of it in the windows that contain it. */
TEST(test_not_finite)
{
    enum { W = 41, H = 33, R = 3 };
    static double pixels[W * H];
    satf_weighted_rect rect = {{-R, -R, 7, 7}, 2};
    SCOPED_FILTER *box = parse_filter(ctx, "box=7"), *template;
    SCOPED_FILTER *variance = parse_filter(ctx, "variance=7,border=wrap");
    MUST(ctx, satf_filter_create(ctx, "template", &template));
    MUST(ctx, satf_filter_set_rects(ctx, template, &rect, 1));
    for (int i = 0; i < W * H; i++) {
        pixels[i] = i % 17;
    }
    pixels[5 * W + 9] = NAN;
    pixels[20 * W + 30] = pixels[10 * W + 33] = INFINITY;
    pixels[22 * W + 33] = -INFINITY;
    satf_view in = satf_view_packed(pixels, W, H, 1, SATF_F64);
    for (int k = 0; k < 5; k++) {
        bool squares = k / 2 == 1;
        int border = squares ? SATF_BORDER_WRAP : SATF_BORDER_CLAMP;
        satf_context_set_engine(ctx, k % 2 ? SATF_ENGINE_WINDOW : SATF_ENGINE_SAT);
        SCOPED_VIEW out = result_of(ctx, k < 2 ? box : k < 4 ? variance : template, &in);
        for (int64_t i = 0; i < W * H; i++) {
            double sum = 0, got = ((double *)out.data)[i];
            for (int64_t n = 0; n < 49; n++) {
                sum += pixels[satf_border_index(border, i / W + n / 7 - R, H) * W +
                              satf_border_index(border, i % W + n % 7 - R, W)];
            }
            bool right = isfinite(sum)           ? isfinite(got)
                         : squares || isnan(sum) ? isnan(got) /* Inf - Inf */
                                                 : got == sum;
            if (!right) {
                fail_msg("filter %d: (%ld, %ld) is %g where the sum is %g", k, (long)(i % W),
                         (long)(i / W), got, sum);
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
    MUST(ctx, satf_image_create(ctx, 4, 3, 1, SATF_F64, 0, &in));
    in->has_range = 1;
    in->hi = 1;
    for (size_t i = 0; i < sizeof means / sizeof *means; i++) {
        SCOPED_FILTER *mean = parse_filter(ctx, means[i]);
        MUST(ctx, satf_filter_image(ctx, mean, in, SATF_TYPE_AUTO, &out));
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
    MUST(ctx, satf_image_create(ctx, 4, 3, 4, SATF_U8, SATF_ALPHA, &in));
    in->metadata.has_gamma = true;
    in->metadata.gamma = 0.45455;
    in->hi = 100;
    SCOPED_FILTER *box = parse_filter(ctx, "box=3"),
                  *variance = parse_filter(ctx, "variance=3 box=2");
    SCOPED_FILTER *integral = parse_filter(ctx, "integral,squared"), *haar;
    MUST(ctx, satf_filter_image(ctx, box, in, SATF_TYPE_AUTO, &out));
    assert_int_equal(out->view.type, SATF_U8);
    assert_int_equal(out->view.flags, SATF_ALPHA);
    assert_true(out->has_range && out->lo == 0 && out->hi == 100 && out->alpha_max == 255);
    assert_int_equal(out->picture_type, SATF_U8);
    assert_true(out->metadata.has_gamma && out->metadata.gamma == 0.45455);
    satf_image_destroy(out);
    MUST(ctx, satf_filter_image(ctx, variance, in, SATF_TYPE_AUTO, &out));
    assert_int_equal(out->view.type, SATF_F64);
    assert_true(out->has_range && out->lo == 0 && out->hi == 2500 && out->alpha_max == 255);
    assert_int_equal(out->picture_type, SATF_U16);
    satf_image_destroy(out);
    MUST(ctx, satf_filter_image(ctx, integral, in, SATF_TYPE_AUTO, &out));
    assert_int_equal(out->view.type, SATF_U32);
    assert_int_equal(out->view.flags, 0);
    assert_true(out->has_range && out->lo == 0 && out->hi == 10000 * 12);
    satf_image_destroy(out);
    MUST(ctx, satf_filter_create(ctx, "template", &haar));
    satf_weighted_rect rects[] = {{{0, 0, 2, 3}, 1}, {{0, 0, 1, 1}, -2}};
    MUST(ctx, satf_filter_set_rects(ctx, haar, rects, 2));
    MUST(ctx, satf_filter_image(ctx, haar, in, SATF_F32, &out));
    assert_int_equal(out->view.type, SATF_F32);
    assert_true(out->has_range && out->lo == -200 && out->hi == 600);
    satf_image_destroy(out);
    expect(ctx, satf_filter_image(ctx, box, in, 77, &out), SATF_INVALID, "77");
    assert_null(out);
    satf_image_destroy(in);
}
