/* guided by its definition: windows summed one by one in 128-bit integers, no table, no march. */
#include "test.h"

#include "base/parallel.h"
#include "filter_files.h"
#include "filter_reference.h"

enum { BORDERS = SATF_SHRINK + 1 };

typedef struct guided_case {
    int type, channels, border;
    int64_t width, height, w, h, at_x, at_y;
    double constant, eps, amount;
    enum { ITSELF, ANOTHER, OF_ONE_CHANNEL } guide;
    int guide_named; /* guide_full; 0: none */
} guided_case;

static double full_of(const guided_case *c)
{
    return c->type == SATF_U8 ? 255 : c->type == SATF_U16 ? 65535 : 1;
}

static double guide_full(const guided_case *c)
{
    return c->guide_named ? c->guide_named : full_of(c);
}

/* A channel of an image, or of what is made of it, with what lies outside. */
typedef struct plane {
    const double *samples;
    double outside;
} plane;

/* Of pixels of two planes: their number, their sums, and those of products. */
typedef struct window_sums {
    ref_wide weight, a, b, aa, ab;
    long double real_a, real_b, real_aa, real_ab;
} window_sums;

static double sample_at(const guided_case *c, const plane *p, int64_t x, int64_t y, bool *counts)
{
    int64_t i = satf_border_index(c->border, x, c->width);
    int64_t j = satf_border_index(c->border, y, c->height);
    bool inside = i >= 0 && j >= 0;
    *counts = inside || c->border == SATF_CONSTANT;
    return inside ? p->samples[j * c->width + i] : p->outside;
}

static void add_pixel(const guided_case *c, const plane *a, const plane *b, int64_t x, int64_t y,
                      window_sums *s)
{
    bool counts;
    double u = sample_at(c, a, x, y, &counts), v = sample_at(c, b, x, y, &counts);
    if (!counts) {
        return;
    }
    s->weight++;
    s->a += (ref_wide)u;
    s->b += (ref_wide)v;
    s->aa += (ref_wide)u * (ref_wide)u;
    s->ab += (ref_wide)u * (ref_wide)v;
    s->real_a += (long double)u;
    s->real_b += (long double)v;
    s->real_aa += (long double)u * (long double)u;
    s->real_ab += (long double)u * (long double)v;
}

/* Whether the window of the pixel (x, y), in the image or not, contains the pixel (i, j). */
static bool contains(const guided_case *c, int64_t x, int64_t y, int64_t i, int64_t j)
{
    int64_t left = x + c->at_x - c->w / 2, top = y + c->at_y - c->h / 2;
    return left <= i && i < left + c->w && top <= j && j < top + c->h;
}

/* Of the pixels that the window of (x, y) contains, or of those whose windows contain (x, y). The
 * planes' samples are integers, or floats of few bits, as long double holds sums of exactly. */
static window_sums sum_pixels(const guided_case *c, const plane *a, const plane *b, int64_t x,
                              int64_t y, bool containing)
{
    window_sums s = {0};
    for (int64_t j = y - c->h; j <= y + c->h; j++) {
        for (int64_t i = x - c->w; i <= x + c->w; i++) {
            if (containing ? contains(c, i, j, x, y) : contains(c, x, y, i, j)) {
                add_pixel(c, a, b, i, j, &s);
            }
        }
    }
    return s;
}

/* Slope and offset of a window of integers, in their steps. */
static void fit(const guided_case *c, double max, const window_sums *s, double *slope,
                double *offset)
{
    double spread = (double)(s->weight * s->aa - s->a * s->a), w = (double)s->weight;
    double covariance = (double)(s->weight * s->ab - s->a * s->b), full = guide_full(c);
    *slope = nearbyint(covariance / (spread + w * w * (c->eps * full * full)) * 0x1p24);
    double steps = max == 255 ? 0x1p16 : 0x1p8;
    *offset = nearbyint(((double)s->b - *slope * 0x1p-24 * (double)s->a) / w * steps);
}

/* The result for integers, bit for bit. */
static void guide_integers(const guided_case *c, const plane *guide, const plane *input,
                           double *result)
{
    double max = full_of(c), steps = max == 255 ? 0x1p16 : 0x1p8;
    size_t pixels = (size_t)(c->width * c->height);
    SCOPED double *slopes = malloc(pixels * sizeof *slopes),
                  *offsets = malloc(pixels * sizeof *offsets);
    for (int64_t y = 0, i = 0; y < c->height; y++) {
        for (int64_t x = 0; x < c->width; x++, i++) {
            window_sums s = sum_pixels(c, guide, input, x, y, false);
            fit(c, max, &s, &slopes[i], &offsets[i]);
        }
    }
    plane a = {slopes, 0}, b = {offsets, c->constant * steps};
    for (int64_t y = 0, i = 0; y < c->height; y++) {
        for (int64_t x = 0; x < c->width; x++, i++) {
            window_sums s = sum_pixels(c, &a, &b, x, y, true);
            double base = ((double)s.a * 0x1p-24 * guide->samples[i] + (double)s.b / steps) /
                          (double)s.weight;
            double value = base + c->amount * (input->samples[i] - base);
            double whole = floor(value), rounded = value - whole >= 0.5 ? whole + 1 : whole;
            result[i] = rounded < 0 ? 0 : rounded > max ? max : rounded;
        }
    }
}

/* He's algorithm without any rounding between. */
static void guide_reals(const guided_case *c, const plane *guide, const plane *input,
                        double *result)
{
    long double max = guide_full(c);
    size_t pixels = (size_t)(c->width * c->height);
    SCOPED double *slopes = malloc(pixels * sizeof *slopes),
                  *offsets = malloc(pixels * sizeof *offsets);
    for (int64_t y = 0, i = 0; y < c->height; y++) {
        for (int64_t x = 0; x < c->width; x++, i++) {
            window_sums s = sum_pixels(c, guide, input, x, y, false);
            long double n = (long double)s.weight, mean = s.real_a / n, of = s.real_b / n;
            long double slope = (s.real_ab / n - mean * of) /
                                (s.real_aa / n - mean * mean + (long double)c->eps * max * max);
            slopes[i] = (double)slope;
            offsets[i] = (double)(of - slope * mean);
        }
    }
    plane a = {slopes, 0}, b = {offsets, c->constant};
    for (int64_t y = 0, i = 0; y < c->height; y++) {
        for (int64_t x = 0; x < c->width; x++, i++) {
            window_sums s = sum_pixels(c, &a, &b, x, y, true);
            long double base =
                (s.real_a * (long double)guide->samples[i] + s.real_b) / (long double)s.weight;
            result[i] = (double)(base + c->amount * (input->samples[i] - base));
        }
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

static void load_channel(const satf_view *view, int channel, double *samples)
{
    for (int64_t y = 0; y < view->height; y++) {
        for (int64_t x = 0; x < view->width; x++) {
            samples[y * view->width + x] = sample_of(view, x, y, channel);
        }
    }
}

static satf_filter *make_filter(satf_context *ctx, const guided_case *c, const satf_view *guide)
{
    satf_filter *filter;
    char text[80];
    snprintf(text, sizeof text, "%ldx%ld", (long)c->w, (long)c->h);
    assert_int_equal(satf_filter_create(ctx, "guided", &filter), SATF_OK);
    assert_int_equal(satf_filter_set(ctx, filter, "size", text), SATF_OK);
    snprintf(text, sizeof text, "%ld:%ld", (long)c->at_x, (long)c->at_y);
    assert_int_equal(satf_filter_set(ctx, filter, "at", text), SATF_OK);
    assert_int_equal(satf_filter_set_border(ctx, filter, (satf_border)c->border, c->constant),
                     SATF_OK);
    assert_int_equal(satf_filter_set_double(ctx, filter, "eps", c->eps), SATF_OK);
    assert_int_equal(satf_filter_set_double(ctx, filter, "amount", c->amount), SATF_OK);
    assert_int_equal(satf_filter_set_int(ctx, filter, "guide_full", c->guide_named), SATF_OK);
    if (guide && satf_filter_set_image(ctx, filter, guide)) {
        fail_msg("%s", satf_message(ctx));
    }
    return filter;
}

/* By both engines, and, with a guide of as many channels, as the second input of a plan. */
static void check_result(satf_context *ctx, const guided_case *c, const satf_view *in,
                         const satf_view *guide, const double *exact, const double *real)
{
    satf_view out = *in;
    out.data = malloc((size_t)(out.stride * out.height));
    for (int way = 0; way < (c->guide == ANOTHER ? 4 : 2); way++) {
        SCOPED_FILTER *filter = make_filter(ctx, c, way < 2 ? guide : NULL);
        satf_context_set_engine(ctx, way % 2 ? SATF_ENGINE_SAT : SATF_ENGINE_AUTO);
        satf_status status;
        if (way < 2) {
            status = satf_filter_apply(ctx, filter, in, &out);
        } else {
            satf_view inputs[2] = {*in, *guide};
            SCOPED_PLAN *plan;
            status = satf_plan_create(ctx, filter, inputs, 2, &out, 1, &plan);
            status = status ? status : satf_plan_run(plan, inputs, 2, &out, 1);
        }
        if (status) {
            fail_msg("%s", satf_message(ctx));
        }
        bool integers = satf_type_max(c->type) > 0;
        for (int64_t i = 0; i < c->width * c->height * c->channels; i++) {
            int64_t x = i / c->channels % c->width, y = i / c->channels / c->width;
            double got = sample_of(&out, x, y, (int)(i % c->channels));
            double larger = 1 + c->amount, far = fabs(got - real[i]);
            double most = integers              ? 0.5 + 0.02 * larger
                          : c->type == SATF_F32 ? 1e-6 * larger
                                                : 1e-9 * larger;
            if ((integers && got != exact[i]) || !(far <= most)) {
                fail_msg("%s, %d channels, window %ld x %ld at %ld:%ld, border %s, guide %d, "
                         "guide_full %d, amount %g, way %d: (%ld, %ld) is %.17g; exact %.17g, He's "
                         "%.17g",
                         satf_type_name(c->type), c->channels, (long)c->w, (long)c->h,
                         (long)c->at_x, (long)c->at_y, satf_border_name(c->border), c->guide,
                         c->guide_named, c->amount, way, (long)x, (long)y, got, exact[i], real[i]);
            }
        }
    }
    free(out.data);
}

/* The constant as a sample of the guide. */
static double outside_of_guide(const guided_case *c)
{
    double sample = c->constant * guide_full(c) / full_of(c);
    return satf_type_max(c->type) ? floor(sample + 0.5) : sample;
}

static void check_case(satf_context *ctx, const guided_case *c, uint64_t seed)
{
    ref_image image = {c->width, c->height, c->channels, c->type, 0, NULL}, other = image;
    other.channels = c->guide == OF_ONE_CHANNEL ? 1 : c->channels;
    ref_fill(&image, seed);
    ref_fill(&other, seed + 77);
    satf_view in = ref_view(&image, 0), guide = ref_view(&other, 0);
    size_t pixels = (size_t)(c->width * c->height), all = pixels * (size_t)c->channels;
    SCOPED double *p = malloc(pixels * sizeof *p), *g = malloc(pixels * sizeof *g);
    SCOPED double *one = malloc(pixels * sizeof *one);
    SCOPED double *exact = calloc(all, sizeof *exact), *real = malloc(all * sizeof *real);
    for (int k = 0; k < c->channels; k++) {
        load_channel(&in, k, p);
        load_channel(c->guide ? &guide : &in, c->guide == OF_ONE_CHANNEL ? 0 : k, g);
        plane input = {p, c->constant}, by = {g, outside_of_guide(c)};
        if (satf_type_max(c->type)) {
            guide_integers(c, &by, &input, one);
            for (size_t i = 0; i < pixels; i++) {
                exact[i * (size_t)c->channels + (size_t)k] = one[i];
            }
        }
        guide_reals(c, &by, &input, one);
        double max = (double)satf_type_max(c->type);
        for (size_t i = 0; i < pixels; i++) {
            double value = max > 0 && one[i] < 0 ? 0 : max > 0 && one[i] > max ? max : one[i];
            real[i * (size_t)c->channels + (size_t)k] = value;
        }
    }
    check_result(ctx, c, &in, c->guide ? &guide : NULL, exact, real);
    free(in.data);
    free(guide.data);
    free(image.samples);
    free(other.samples);
}

TEST(test_cases)
{
    static const int types[] = {SATF_U8, SATF_U16, SATF_F32, SATF_F64};
    static const int64_t sizes[][2] = {{1, 1}, {7, 1}, {1, 5}, {23, 17}, {40, 9}};
    static const int64_t windows[][4] = {{9, 9, 0, 0},  {1, 1, 0, 0},  {4, 7, -1, 2}, {15, 3, 5, 0},
                                         {2, 12, 0, 0}, {8, 6, 4, -2}, {6, 1, -2, 0}};
    static const double amounts[] = {0, 1.5, 1, 0, 0.3};
    satf_context_set_threads(ctx, 2);
    uint64_t seed = 1;
    for (size_t t = 0; t < 4; t++) {
        for (int border = 0; border < BORDERS; border++) {
            for (size_t s = 0; s < 5; s++, seed++) {
                const int64_t *window = windows[seed % (sizeof windows / sizeof *windows)];
                guided_case c = {types[t],
                                 (int)(seed % 4) + 1,
                                 border,
                                 sizes[s][0],
                                 sizes[s][1],
                                 window[0],
                                 window[1],
                                 window[2],
                                 window[3],
                                 border == SATF_CONSTANT ? (double)(seed % 5) : 0,
                                 seed % 7 ? 0.01 : 0.25,
                                 amounts[(seed + seed / 5) % 5],
                                 seed % 3,
                                 0};
                check_case(ctx, &c, seed);
                c.guide_named = seed % 2 ? 15 : 200;
                c.guide = seed % 4 ? ANOTHER : OF_ONE_CHANNEL;
                check_case(ctx, &c, seed);
            }
        }
    }
}

/* ------------------------------------------------------------------------- the guide's file */

TEST(files_of_it)
{
    enum { W = 20, H = 12 };
    uint8_t in[W * H], guide[W * H], by_file[W * H], by_view[W * H], colours[3 * W * H] = {0};
    for (int i = 0; i < W * H; i++) {
        in[i] = (uint8_t)(i * 37);
        guide[i] = (uint8_t)(i % W < 10 ? 20 : 200);
    }
    char path[] = "/tmp/satfilter-guide-XXXXXX.pgm", spec[100], unlike[120];
    int fd = mkstemps(path, 4);
    assert_true(fd >= 0);
    close(fd);
    write_pgm(path, guide, W, H);
    snprintf(spec, sizeof spec, "guided=5,guide=%s", path);
    satf_filter *file, *view;
    assert_int_equal(satf_filter_parse(ctx, spec, &file), SATF_OK);
    assert_int_equal(satf_filter_parse(ctx, "guided=5", &view), SATF_OK);
    satf_view from = satf_view_packed(in, W, H, 1, SATF_U8), to = from;
    satf_view aux = satf_view_packed(guide, W, H, 1, SATF_U8);
    assert_int_equal(satf_filter_set_image(ctx, view, &aux), SATF_OK);
    memset(guide, 9, sizeof guide); /* it was copied */
    to.data = by_file;
    assert_int_equal(satf_filter_apply(ctx, file, &from, &to), SATF_OK);
    to.data = by_view;
    assert_int_equal(satf_filter_apply(ctx, view, &from, &to), SATF_OK);
    assert_memory_equal(by_file, by_view, sizeof by_file);

    satf_view small = from;
    small.width--;
    expect(ctx, satf_filter_apply(ctx, file, &small, &small), SATF_INVALID, "overlap");
    to = small;
    to.data = by_view;
    snprintf(unlike, sizeof unlike, "%s is 20 x 12 of 1 u8; it must be 19 x 12 of 1 u8", path);
    expect(ctx, satf_filter_apply(ctx, file, &small, &to), SATF_INVALID, unlike);
    expect(ctx, satf_filter_apply(ctx, view, &small, &to), SATF_INVALID,
           "the auxiliary input is 20 x 12 of 1 u8; it must be 19 x 12 of 1 u8");
    satf_view rgb = satf_view_packed(colours, W, H, 3, SATF_U8);
    assert_int_equal(satf_filter_set_image(ctx, view, &rgb), SATF_OK);
    to.width = W;
    expect(ctx, satf_filter_apply(ctx, view, &from, &to), SATF_INVALID,
           "is 20 x 12 of 3 u8; it must be 20 x 12 of 1 u8, as the input, or RGB of any depth with "
           "colour");
    satf_context_set_filter_files(ctx, 0);
    satf_filter *refused;
    expect(ctx, satf_filter_parse(ctx, spec, &refused), SATF_LIMIT, "may not be read here");
    satf_context_set_filter_files(ctx, 1);
    unlink(path);
    expect(ctx, satf_filter_parse(ctx, spec, &refused), SATF_IO, path);
    satf_filter_destroy(file);
    satf_filter_destroy(view);
}

/* Each filter of a chain has its own guide, or none. */
TEST(test_chain)
{
    enum { W = 24, H = 18 };
    uint8_t in[W * H], guide[2][W * H], between[W * H], want[W * H], got[W * H];
    for (int i = 0; i < W * H; i++) {
        in[i] = (uint8_t)(i * 37);
        guide[0][i] = (uint8_t)(i % W < 10 ? 20 : 200);
        guide[1][i] = (uint8_t)(i / W < 7 ? 20 : 200);
    }
    satf_view a = satf_view_packed(in, W, H, 1, SATF_U8), b = a, c = a;
    b.data = between;
    for (int which = 0; which < 9; which++) {
        int of[2] = {which % 3 - 1, which / 3 - 1}; /* -1: none */
        satf_filter *one[2];
        for (int k = 0; k < 2; k++) {
            assert_int_equal(satf_filter_parse(ctx, "guided=5", &one[k]), SATF_OK);
            c.data = of[k] < 0 ? NULL : guide[of[k]];
            if (c.data) {
                assert_int_equal(satf_filter_set_image(ctx, one[k], &c), SATF_OK);
            }
        }
        assert_int_equal(satf_filter_apply(ctx, one[0], &a, &b), SATF_OK);
        c.data = want;
        assert_int_equal(satf_filter_apply(ctx, one[1], &b, &c), SATF_OK);
        assert_int_equal(satf_filter_append(ctx, one[0], one[1]), SATF_OK);
        c.data = got;
        assert_int_equal(satf_filter_apply(ctx, one[0], &a, &c), SATF_OK);
        assert_memory_equal(got, want, sizeof got);
        char text[80];
        satf_filter_print(one[0], text, sizeof text);
        assert_int_equal(strstr(text, "guided=5,guide=FILE guided") == text, of[0] >= 0);
        satf_filter_destroy(one[0]);
        satf_filter_destroy(one[1]);
    }
}

TEST(test_refusals)
{
    uint8_t in[64], out[64];
    satf_filter *box, *guided;
    satf_plan *plan;
    satf_view view = satf_view_packed(in, 8, 8, 1, SATF_U8), inputs[2] = {view, view};
    satf_view result = view;
    assert_int_equal(satf_filter_parse(ctx, "box=3", &box), SATF_OK);
    assert_int_equal(satf_filter_parse(ctx, "guided=3", &guided), SATF_OK);
    expect(ctx, satf_filter_set_image(ctx, box, &view), SATF_INVALID,
           "box takes no auxiliary input");
    expect(ctx, satf_plan_create(ctx, box, inputs, 2, &result, 1, &plan), SATF_INVALID,
           "the filter has one");
    inputs[1].device = SATF_CUDA(0);
    expect(ctx, satf_plan_create(ctx, guided, inputs, 2, &result, 1, &plan), SATF_INVALID,
           "both inputs must be on one device");
    inputs[1].device = SATF_HOST;
    inputs[1].height = 7;
    expect(ctx, satf_plan_create(ctx, guided, inputs, 2, &result, 1, &plan), SATF_INVALID,
           "must be 8 x 8");
    uint8_t colour[8 * 8 * 3] = {0}, smooth[8 * 8 * 3];
    satf_view rgb = satf_view_packed(colour, 8, 8, 3, SATF_U8), made = rgb;
    made.data = smooth;
    inputs[0] = rgb;
    inputs[1] = view;
    expect(ctx, satf_plan_create(ctx, guided, inputs, 2, &made, 1, &plan), SATF_INVALID,
           "of 1 u8; it must be 8 x 8 of 3 u8, as the input");
    satf_view wide = satf_view_packed(colour, 8, 8, 2, SATF_U8);
    SCOPED_FILTER *by_two;
    assert_int_equal(satf_filter_parse(ctx, "guided=3", &by_two), SATF_OK);
    assert_int_equal(satf_filter_set_image(ctx, by_two, &wide), SATF_OK);
    expect(ctx, satf_filter_apply(ctx, by_two, &rgb, &made), SATF_INVALID,
           "of 2 u8; it must be 8 x 8 of 3 u8, as the input, or of 1 channel");
    inputs[0] = view;
    assert_int_equal(satf_plan_create(ctx, guided, inputs, 2, &result, 1, &plan), SATF_OK);
    result.data = out;
    expect(ctx, satf_plan_run(plan, inputs, 1, &result, 1), SATF_INVALID, "made for 2 and 1");
    inputs[1].data = NULL;
    expect(ctx, satf_plan_run(plan, inputs, 2, &result, 1), SATF_INVALID,
           "second input is missing");
    inputs[1].data = out;
    expect(ctx, satf_plan_run(plan, inputs, 2, &result, 1), SATF_INVALID, "overlaps");
    inputs[1].channels = 2;
    expect(ctx, satf_plan_run(plan, inputs, 2, &result, 1), SATF_INVALID,
           "second input is not like the view");
    satf_plan_info info;
    satf_plan_describe(plan, &info, sizeof info);
    assert_int_equal(info.steps, 6); /* slopes and offsets are made by one */
    satf_plan_destroy(plan);
    satf_filter_destroy(box);
    satf_filter_destroy(guided);
}

/* What a guide of 8 bits and that full scale makes of a picture of 100. */
static void guide_by(satf_context *ctx, const char *spec, double full, double guide_full,
                     uint8_t *result)
{
    enum { W = 16, H = 8 };
    uint8_t in[W * H], guide[W * H];
    for (int i = 0; i < W * H; i++) {
        in[i] = (uint8_t)(i * 37 % 101);
        guide[i] = (uint8_t)(i * i % 90);
    }
    satf_view view = satf_view_packed(in, W, H, 1, SATF_U8), by = view, out = view;
    by.data = guide;
    out.data = result;
    view.full = out.full = full;
    by.full = guide_full;
    SCOPED_FILTER *filter;
    assert_int_equal(satf_filter_parse(ctx, spec, &filter), SATF_OK);
    assert_int_equal(satf_filter_set_image(ctx, filter, &by), SATF_OK);
    assert_int_equal(satf_filter_apply(ctx, filter, &view, &out), SATF_OK);
}

/* White is white: a guide's full scale is its own, and full=M is for both if neither says one. */
TEST(test_white)
{
    enum { PIXELS = 16 * 8 };
    uint8_t own[PIXELS], said[PIXELS], less[PIXELS], told[PIXELS];
    guide_by(ctx, "guided=5", 100, 0, own);
    guide_by(ctx, "guided=5", 100, 255, said);
    assert_memory_equal(own, said, PIXELS);
    guide_by(ctx, "guided=5", 100, 100, less);
    assert_memory_not_equal(own, less, PIXELS);
    guide_by(ctx, "guided=5,guide_full=100", 100, 0, told);
    assert_memory_equal(told, less, PIXELS);
    guide_by(ctx, "guided=5,full=100", 0, 0, told);
    assert_memory_equal(told, less, PIXELS);
    guide_by(ctx, "guided=5,full=100", 0, 255, told);
    assert_memory_equal(told, own, PIXELS);
    guide_by(ctx, "guided=5,full=100,guide_full=255", 0, 0, told);
    assert_memory_equal(told, own, PIXELS);
    uint8_t pixel = 1, out;
    satf_view view = satf_view_packed(&pixel, 1, 1, 1, SATF_U8), to = view;
    SCOPED_FILTER *filter;
    to.data = &out;
    assert_int_equal(satf_filter_parse(ctx, "guided=5,guide_full=100", &filter), SATF_OK);
    expect(ctx, satf_filter_apply(ctx, filter, &view, &to), SATF_INVALID,
           "guide_full of guided is the full scale of its guide, which is not given");
}

/* A guide whose variance is eps M^2: slopes of integers are the largest there are, 250 as kept. */
TEST(test_steepest)
{
    enum { W = 16, H = 16, LOW = 32768 - 65, HIGH = 32768 + 65 };
    uint8_t in[W * H], results[W * H];
    uint16_t guide[W * H * 3];
    satf_filter *filter;
    for (int i = 0; i < W * H; i++) {
        in[i] = i % 2 ? 255 : 0;
        guide[3 * i] = i % 2 ? HIGH : LOW;
        guide[3 * i + 1] = guide[3 * i + 2] = 7;
    }
    satf_view view = satf_view_packed(in, W, H, 1, SATF_U8), out = view;
    satf_view by = satf_view_packed(guide, W, H, 3, SATF_U16);
    out.data = results;
    assert_int_equal(satf_filter_parse(ctx, "guided=31,eps=0.000001,border=shrink,colour", &filter),
                     SATF_OK);
    assert_int_equal(satf_filter_set_image(ctx, filter, &by), SATF_OK);
    assert_int_equal(satf_filter_apply(ctx, filter, &view, &out), SATF_OK);
    for (int i = 0; i < W * H; i++) {
        assert_int_equal(results[i], i % 2 ? 191 : 64); /* 127.5 +- 63.2 */
    }
    satf_filter_destroy(filter);
}

TEST_FILE(.shared = true)
