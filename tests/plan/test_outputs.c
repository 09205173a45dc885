/* Plans of two outputs: each has the bits of the filter that makes it alone, from one march. */
#include "test.h"

#include "ways.h"
#include "sums/march/march.h"

/* How often rows are marched over; the linker leads these calls here (--wrap). */
static _Atomic int marches;

satf_status __real_window_march_begin(window_march *m);
satf_status __wrap_window_march_begin(window_march *m);
satf_status __wrap_window_march_begin(window_march *m)
{
    marches += m->y == 0;
    return __real_window_march_begin(m);
}

enum { W = 101, H = 47 };

/* Rows of `pad` bytes more. */
static satf_view make_out(const satf_view *like, satf_type type, int pad)
{
    satf_view padded = satf_view_packed(NULL, like->width, like->height, like->channels, type);
    padded.flags = like->flags;
    padded.stride += pad;
    padded.data = calloc((size_t)padded.height, (size_t)padded.stride);
    return padded;
}

/* got holds what the chain with that filter in the place of moments makes of in: its bits, or its
 * values as nearly as floats keep them. */
static void check_output(satf_context *ctx, const char *text, const char *name, bool exact,
                         const satf_view *in, const satf_view *got)
{
    char spec[128];
    const char *at = strstr(text, "moments");
    snprintf(spec, sizeof spec, "%.*s%s%s", (int)(at - text), text, name, at + strlen("moments"));
    SCOPED_FILTER *filter = parse_filter(ctx, spec);
    SCOPED_VIEW want = view_like(got, 77);
    MUST(ctx, satf_filter_apply(ctx, filter, in, &want));
    if (exact) {
        require_same(spec, satf_type_name(in->type), got, &want);
        return;
    }
    int64_t n = satf_row_samples(&want);
    for (int64_t i = 0; i < want.height * n; i++) {
        double a = sample_at(&want, i / n, i % n), b = sample_at(got, i / n, i % n);
        if (!(fabs(a - b) <= 1e-6)) {
            fail_msg("%s of %s to %s: %.17g for %.17g in row %ld", spec, satf_type_name(in->type),
                     satf_type_name(got->type), b, a, (long)(i / n));
        }
    }
}

typedef struct outputs_case {
    const char *text;
    int type, channels;
    satf_type made[2];
    int pad; /* bytes behind the rows of all images */
    int marches;
} outputs_case;

static void check_case(satf_context *ctx, const outputs_case *c, uint64_t seed)
{
    SCOPED_VIEW in = draw_image(W, H, c->channels, c->type, c->channels % 2 == 0, c->pad, seed);
    satf_view like, out[2];
    SCOPED_FILTER *filter = parse_filter(ctx, c->text);
    MUST(ctx, satf_filter_output(ctx, filter, &in, &like));
    assert_int_equal(like.type, SATF_F64);
    out[0] = make_out(&like, c->made[0], c->pad);
    out[1] = make_out(&like, c->made[1], 2 * c->pad);
    SCOPED_PLAN *plan;
    MUST(ctx, satf_plan_create(ctx, filter, &in, 1, out, 2, &plan));
    for (int run = 0; run < 2; run++) {
        marches = 0;
        MUST(ctx, satf_plan_run(plan, &in, 1, out, 2));
        assert_int_equal(marches, c->marches);
        bool exact = !satf_type_is_float(c->type) || c->marches != 1;
        check_output(ctx, c->text, "box", exact, &in, &out[0]);
        check_output(ctx, c->text, "stddev", true, &in, &out[1]);
        memset(satf_row(&in, run), 3, (size_t)in.stride - (size_t)c->pad); /* another image */
    }
    free(out[0].data);
    free(out[1].data);
}

TEST(test_bits)
{
    static const char *const borders[] = {"clamp",      "mirror", "reflect", "wrap",
                                          "constant:1", "shrink", "valid"};
    static const char *const sizes[] = {"1", "5", "8x3", "31", "200x90"};
    satf_context_set_threads(ctx, 3);
    for (uint64_t k = 0; k < 7 * 5 * 4; k++) {
        char text[64];
        bool valid = k % 7 == 6, floats = k % 4 > 1;
        snprintf(text, sizeof text, "moments=%s,border=%s", sizes[valid ? k % 4 : k % 5],
                 borders[k % 7]);
        outputs_case c = {.text = text,
                          .type = ref_types[k % 4],
                          .channels = 1 + (int)(k / 4 % 4),
                          .made = {k % 3 || floats ? SATF_F64 : (satf_type)ref_types[k % 4],
                                   k % 5 ? SATF_F64 : SATF_F32},
                          .pad = k % 2 ? 16 : 0,
                          .marches = valid && k % 4 ? 2 : 1}; /* results are parts of larger ones */
        check_case(ctx, &c, k);
    }
}

/* As the last of a chain, and by tables, where the two are plans of their own. */
TEST(test_chains_and_tables)
{
    static const outputs_case cases[] = {
        {"flip=v box=3 moments=7", SATF_U8, 3, {SATF_F64, SATF_F64}, 0, 2},
        {"rotate=90 moments=4x9,at=1:2", SATF_U16, 1, {SATF_F32, SATF_F64}, 0, 1},
    };
    for (size_t k = 0; k < 2; k++) {
        check_case(ctx, &cases[k], k);
    }
    satf_context_set_engine(ctx, SATF_ENGINE_SAT);
    for (int type = SATF_U8; type <= SATF_F64; type++) {
        outputs_case c = {"moments=15x6", type, 2, {SATF_F64, SATF_F64}, 0, 0};
        if (type != SATF_U32 && type != SATF_U64) {
            check_case(ctx, &c, (uint64_t)type);
        }
    }
}

/* Of floats that have an offset, another in each channel, the mean is that of the window. */
TEST(test_offsets)
{
    enum { SIDE = 40, HALF = 3, AREA = (2 * HALF + 1) * (2 * HALF + 1), LANES = 3 };
    static double pixels[SIDE][SIDE * LANES], mean[SIDE][SIDE * LANES],
        deviation[SIDE][SIDE * LANES];
    static float small[SIDE][SIDE * LANES];
    static const double offsets[LANES] = {-3e9, 0, 1e6};
    uint64_t seed = 1;
    double *all = pixels[0];
    for (int i = 0; i < SIDE * SIDE * LANES; i++) {
        all[i] = offsets[i % LANES] + (double)(ref_random(&seed) % 64) / 16;
    }
    satf_view in = satf_view_packed(pixels, SIDE, SIDE, LANES, SATF_F64), out[2];
    SCOPED_FILTER *filter = parse_filter(ctx, "moments=7,border=shrink");
    for (int k = 0; k < 2; k++) { /* into f64 and f32 */
        satf_plan *plan;
        out[0] =
            satf_view_packed(k ? (void *)small : mean, SIDE, SIDE, LANES, k ? SATF_F32 : SATF_F64);
        out[1] = satf_view_packed(deviation, SIDE, SIDE, LANES, SATF_F64);
        MUST(ctx, satf_plan_create(ctx, filter, &in, 1, out, 2, &plan));
        MUST(ctx, satf_plan_run(plan, &in, 1, out, 2));
        satf_plan_destroy(plan);
    }
    for (int y = HALF; y < SIDE - HALF; y++) {
        for (int i = HALF * LANES; i < (SIDE - HALF) * LANES; i++) {
            double sum = 0, offset = offsets[i % LANES], got = mean[y][i];
            for (int k = 0; k < AREA; k++) {
                sum += pixels[y + k / 7 - HALF][i + (k % 7 - HALF) * LANES] - offset;
            }
            assert_true(fabs(got - (offset + sum / AREA)) <= 1e-15 * fabs(offset) + 1e-12);
            assert_true(small[y][i] == (float)got);
        }
    }
}

TEST(test_description)
{
    enum { LARGE = 8 }; /* so that tables take more than rows */
    SCOPED_FILTER *filter = parse_filter(ctx, "flip=h moments=9x5,at=1:1,border=wrap");
    satf_view in = satf_view_packed(NULL, LARGE * W, LARGE * H, 1, SATF_U16), out[2];
    satf_plan *plan;
    satf_plan_info info;
    char text[64];
    satf_filter_print(filter, text, sizeof text);
    assert_string_equal(text, "flip=h moments=9x5,at=1:1,border=wrap");
    MUST(ctx, satf_filter_output(ctx, filter, &in, &out[0]));
    out[1] = out[0];
    MUST(ctx, satf_plan_create(ctx, filter, &in, 1, out, 2, &plan));
    satf_plan_describe(plan, &info, sizeof info);
    assert_int_equal(info.steps, 2);
    assert_string_equal(satf_plan_step(plan, 1, NULL, 0), "moments");
    assert_null(satf_plan_step(plan, 2, NULL, 0));
    int64_t bytes = info.memory_bytes;
    double ms = info.ms;
    satf_plan_destroy(plan);

    satf_context_set_engine(ctx, SATF_ENGINE_SAT);
    MUST(ctx, satf_plan_create(ctx, filter, &in, 1, out, 2, &plan));
    satf_plan_describe(plan, &info, sizeof info);
    assert_int_equal(info.steps, 4);
    assert_true(info.memory_bytes > bytes && info.ms > ms);
    assert_string_equal(satf_plan_step(plan, 1, NULL, 0), "box");
    assert_string_equal(satf_plan_step(plan, 3, NULL, 0), "stddev");
    assert_null(satf_plan_step(plan, 4, NULL, 0));
    satf_plan_destroy(plan);

    /* Who walks the list counts on one output; by its name moments is found. */
    satf_filter_info found;
    const char *name;
    for (size_t i = 0; (name = satf_filter_name(i, &found, sizeof found)); i++) {
        assert_string_not_equal(name, "moments");
        assert_int_equal(found.outputs, 1);
    }
    assert_string_equal(satf_filter_find("moments", &found, sizeof found), "moments");
    assert_int_equal(found.outputs, 2);
    assert_string_equal(satf_filter_param("moments", 0, NULL, 0), "size");
}

TEST(test_refusals)
{
    static uint8_t pixels[W * H];
    static double made[2][W * H];
    satf_view in = satf_view_packed(pixels, W, H, 1, SATF_U8), out[2];
    SCOPED_FILTER *filter = parse_filter(ctx, "moments=5"), *box = parse_filter(ctx, "box=5"),
                  *inside = parse_filter(ctx, "moments=5 box=3");
    satf_plan *plan;
    satf_rect where = {0, 0, 9, 9};
    satf_image *image, *filtered;
    satf_rows *rows;
    size_t bytes;
    out[0] = satf_view_packed(made[0], W, H, 1, SATF_F64);
    out[1] = satf_view_packed(made[1], W, H, 1, SATF_F64);

    /* One output. */
    const char *both = "moments makes two images, which only satf_plan_create() takes";
    expect(ctx, satf_filter_apply(ctx, filter, &in, out), SATF_UNSUPPORTED, both);
    expect(ctx, satf_filter_apply(ctx, inside, &in, out), SATF_UNSUPPORTED, both);
    expect(ctx, satf_filter_scratch(ctx, filter, &in, out, &bytes), SATF_UNSUPPORTED, both);
    expect(ctx, satf_rows_open(ctx, filter, &in, out, &rows), SATF_UNSUPPORTED, both);
    satf_view part = satf_view_packed(made[0], 9, 9, 1, SATF_F64);
    expect(ctx, satf_filter_apply_rect(ctx, filter, &in, &where, &part), SATF_UNSUPPORTED, both);
    MUST(ctx, satf_image_create(ctx, W, H, 1, SATF_U8, 0, &image));
    expect(ctx, satf_filter_image(ctx, filter, image, SATF_TYPE_AUTO, &filtered), SATF_UNSUPPORTED,
           both);
    satf_image_destroy(image);
    expect(ctx, satf_plan_create(ctx, NULL, &in, 1, out, 2, &plan), SATF_INVALID,
           "the filter is missing");
    expect(ctx, satf_plan_create(ctx, filter, &in, 1, out, 1, &plan), SATF_INVALID,
           "1 inputs and 1 outputs are given; one and two are possible");
    expect(ctx, satf_plan_create(ctx, box, &in, 1, out, 2, &plan), SATF_INVALID,
           "one or two and one are possible");
    expect(ctx, satf_plan_create(ctx, inside, &in, 1, out, 1, &plan), SATF_UNSUPPORTED, both);

    satf_view other = satf_view_packed(made[1], W - 1, H, 1, SATF_F64);
    satf_view wrong[2] = {out[0], other};
    expect(ctx, satf_plan_create(ctx, filter, &in, 1, wrong, 2, &plan), SATF_INVALID, "100 x 47");
    assert_null(plan);

    MUST(ctx, satf_plan_create(ctx, filter, &in, 1, out, 2, &plan));
    expect(ctx, satf_plan_run(plan, &in, 1, out, 1), SATF_INVALID, "made for 1 and 2");
    satf_view same[2] = {out[0], out[0]};
    expect(ctx, satf_plan_run(plan, &in, 1, same, 2), SATF_INVALID, "the outputs overlap");
    expect(ctx, satf_plan_run(plan, &in, 1, wrong, 2), SATF_INVALID, "second output is not like");
    satf_view on_input[2] = {out[0], out[1]};
    in.data = made[1];
    expect(ctx, satf_plan_run(plan, &in, 1, on_input, 2), SATF_INVALID, "overlaps an input");
    satf_plan_destroy(plan);
}
