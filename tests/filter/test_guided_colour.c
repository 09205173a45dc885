/* guided by a guide of colour: of all types, layouts and engines, as its definition says. */
#include "test.h"

#include "base/parallel.h"
#include "filter_files.h"
#include "guided_colour_reference.h"

enum { BORDERS = SATF_SHRINK + 1 };

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
    assert_int_equal(satf_filter_set_int(ctx, filter, "guide_full", c->guide_named), SATF_OK);
    return filter;
}

static void compare(const colour_case *c, const satf_view *out, int way, int channel,
                    const double *exact, const double *real)
{
    bool integers = satf_type_max(c->type) > 0;
    bool bits = integers && satf_type_max(c->guide_type);
    double larger = 1 + c->amount;
    double most = bits                  ? 0.5 + 0.03 * larger
                  : integers            ? 0.5 + 1e-4 * larger
                  : c->type == SATF_F32 ? 2e-6 * larger
                                        : 1e-9 * larger;
    for (int64_t i = 0; i < c->width * c->height; i++) {
        int64_t x = i % c->width, y = i / c->width;
        double got = sample_of(out, x, y, channel), far = fabs(got - real[i]);
        if ((bits && got != exact[i]) || !(far <= most)) {
            fail_msg(
                "%s, channel %d of %d, window %ld x %ld at %ld:%ld, border %s:%g, guide %s from "
                "%g on, times %g, guide_full %d, eps %g, amount %g, way %d: (%ld, %ld) is %.17g; "
                "exact %.17g, He's %.17g",
                satf_type_name(c->type), channel, c->channels, (long)c->w, (long)c->h,
                (long)c->at_x, (long)c->at_y, satf_border_name(c->border), c->constant,
                c->guided ? satf_type_name(c->guide_type) : "none", c->guide_first, c->guide_times,
                c->guide_named, c->eps, c->amount, way, (long)x, (long)y, got, exact[i], real[i]);
        }
    }
}

/* By both engines with the guide that the filter keeps, and with that as a plan's second input. */
static void run_way(satf_context *ctx, const colour_case *c, int way, const satf_view *in,
                    const satf_view *guide, const satf_view *out)
{
    SCOPED_FILTER *filter = make_filter(ctx, c, way < 2 ? guide : NULL);
    satf_context_set_engine(ctx, way % 2 ? SATF_ENGINE_SAT : SATF_ENGINE_AUTO);
    satf_status status;
    if (way < 2) {
        status = satf_filter_apply(ctx, filter, in, out);
    } else {
        satf_view inputs[2] = {*in, *guide}, output = *out;
        SCOPED_PLAN *plan;
        status = satf_plan_create(ctx, filter, inputs, 2, &output, 1, &plan);
        status = status ? status : satf_plan_run(plan, inputs, 2, &output, 1);
    }
    if (status) {
        fail_msg("%s", satf_message(ctx));
    }
}

static channel_task task_of(const colour_case *c, const satf_view *in, const satf_view *guide,
                            int channel)
{
    double full = scale_of(c->type), guide_top = scale_of(guide->type);
    double guide_full = c->guide_named ? c->guide_named : guide_top;
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
                      guide_full,
                      guide_top};
    for (int k = 0; k < 3; k++) {
        t.guide[k].samples = load_channel(guide, alone ? channel : k);
    }
    return t;
}

/* Samples of floats are in units of 1 / REF_UNIT. */
static void move_guide(const colour_case *c, const ref_image *guide)
{
    for (int64_t i = 0; i < ref_count(guide) && c->guide_times != 0; i++) {
        guide->samples[i] *= (int64_t)c->guide_times;
        guide->samples[i] += (int64_t)(c->guide_first * REF_UNIT);
    }
}

static void check_case(satf_context *ctx, const colour_case *c, uint64_t seed)
{
    ref_image image = {c->width, c->height, c->channels, c->type, c->alpha, NULL};
    ref_image other = {c->width,      c->height,      3 + c->guide_alpha,
                       c->guide_type, c->guide_alpha, NULL};
    ref_fill(&image, seed);
    ref_fill(&other, seed + 77);
    move_guide(c, &other);
    satf_view in = ref_view(&image, 0), guide = ref_view(&other, 0), out = in;
    size_t pixels = (size_t)(c->width * c->height);
    SCOPED double *exact = malloc(pixels * sizeof *exact), *real = malloc(pixels * sizeof *real);
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
    free(in.data);
    free(guide.data);
    free(image.samples);
    free(other.samples);
}

TEST(test_cases)
{
    static const int types[] = {SATF_U8, SATF_U16, SATF_F32, SATF_F64};
    static const int64_t sizes[][2] = {{1, 1}, {139, 1}, {1, 5}, {13, 11}, {22, 6}};
    static const int64_t windows[][4] = {{5, 5, 0, 0}, {1, 1, 0, 0},  {4, 7, -1, 2}, {9, 3, 3, 0},
                                         {2, 8, 0, 0}, {8, 6, 4, -2}, {6, 1, -2, 0}};
    static const double amounts[] = {0, 1.5, 1, 0, 0.3}, epses[] = {0.01, 0.25, 0.0001, 1e-6};
    satf_context_set_threads(ctx, 2);
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
                check_case(ctx, &c, seed);
            }
        }
    }
}

/* Guides of floats beyond 0 ... 1, and those of integers whose samples go beyond guide_full. */
TEST(test_ranges)
{
    static const struct {
        int type;
        double first, times;
        int named;
        double eps;
    } guides[] = {
        {SATF_F32, 1000, 1, 0, 0.01},      {SATF_F64, -3000, 1, 0, 0.25},
        {SATF_F32, 32768, 16384, 0, 0.01}, {SATF_F64, 1e6, 1 << 20, 0, 0.0001},
        {SATF_F64, 8, 1024, 4095, 1e-6},   {SATF_F32, 2048, 1024, 4095, 0.01},
        {SATF_U16, 0, 0, 4095, 0.01},      {SATF_U16, 0, 0, 1, 0.01},
        {SATF_U8, 0, 0, 1, 1e-6},          {SATF_U8, 0, 0, 15, 0.0001},
    };
    satf_context_set_threads(ctx, 2);
    for (uint64_t i = 0; i < 4 * sizeof guides / sizeof *guides; i++) {
        colour_case c = {.type = i % 4 < 2 ? SATF_U8 : SATF_U16,
                         .channels = (int)(i % 2) * 2 + 1,
                         .border = (int)i % BORDERS,
                         .width = 33,
                         .height = 19,
                         .w = 5,
                         .h = 4,
                         .constant = i % BORDERS == SATF_CONSTANT ? 1 : 0,
                         .eps = guides[i / 4].eps,
                         .amount = i % 5 ? 0 : 0.5,
                         .guided = true,
                         .guide_type = guides[i / 4].type,
                         .guide_first = guides[i / 4].first,
                         .guide_times = guides[i / 4].times,
                         .guide_named = guides[i / 4].named};
        check_case(ctx, &c, 900 + i);
    }
}

/* A guide of floats that is flat leaves means of means, whose halves go up by every engine. */
TEST(test_halves)
{
    enum { SIDE = 40 };
    static uint8_t in[SIDE * SIDE], want[SIDE * SIDE];
    static double guide[SIDE * SIDE * 3];
    uint64_t random = 8;
    for (int i = 0; i < SIDE * SIDE; i++) {
        in[i] = (uint8_t)(ref_random(&random) % 256);
        guide[3 * i] = 1000.1;
        guide[3 * i + 1] = 0.3;
        guide[3 * i + 2] = -7.7;
    }
    for (int y = 1; y < SIDE - 1; y++) {
        for (int x = 1; x < SIDE - 1; x++) { /* 2 x 2 of 2 x 2: weights 1, 2, 1 each way */
            int sum = 0;
            for (int k = 0; k < 9; k++) {
                sum += (2 - abs(k % 3 - 1)) * (2 - abs(k / 3 - 1)) *
                       in[(y + k / 3 - 1) * SIDE + x + k % 3 - 1];
            }
            want[y * SIDE + x] = (uint8_t)((2 * sum + 16) / 32);
        }
    }
    satf_view from = satf_view_packed(in, SIDE, SIDE, 1, SATF_U8);
    satf_view by = satf_view_packed(guide, SIDE, SIDE, 3, SATF_F64), out = from;
    colour_case c = {.border = SATF_CLAMP, .w = 2, .h = 2, .eps = 0.01};
    for (int way = 0; way < 4; way++) {
        uint8_t got[SIDE * SIDE];
        out.data = got;
        run_way(ctx, &c, way, &from, &by, &out);
        for (int i = 0; i < SIDE * SIDE; i++) {
            bool inside = i % SIDE % (SIDE - 1) && i / SIDE % (SIDE - 1);
            assert_true(!inside || got[i] == want[i]);
        }
    }
}

/* Windows of the least and the greatest samples, whose slopes are the largest: walks and tables. */
TEST(test_extremes)
{
    static const satf_type types[] = {SATF_U8, SATF_U16};
    enum { W = 300, H = 200 };
    SCOPED uint16_t *samples = malloc(W * H * 3 * sizeof *samples),
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
    free(results[0]);
    free(results[1]);
}

/* ----------------------------------------------------------------------- what is not RGB */

/* A picture that is not RGB guides itself as without colour. */
TEST(test_grey)
{
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
TEST(test_guides)
{
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
TEST(test_places)
{
    enum { SIDE = 300 };
    static uint8_t guide[SIDE * SIDE * 3];
    satf_view view = satf_view_packed(guide, SIDE, SIDE, 3, SATF_U8);
    SCOPED_FILTER *filter;
    size_t bytes;
    assert_int_equal(satf_filter_parse(ctx, "guided=9,colour", &filter), SATF_OK);
    assert_int_equal(satf_filter_set_image(ctx, filter, &view), SATF_OK);
    satf_context_set_engine(ctx, SATF_ENGINE_SAT);
    assert_int_equal(satf_filter_scratch(ctx, filter, &view, &view, &bytes), SATF_OK);
    assert_true(bytes / sizeof guide / sizeof(double) < 15);
}

TEST_FILE(.shared = true)
