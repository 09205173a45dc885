/* guided of all types, layouts and engines, by guides of grey and of colour, as its definition
 * says. */
#include "test.h"

#include "base/parallel.h"
#include "filter_make.h"
#include "guided_reference.h"

/* ------------------------------------------------------------------------------ cases */

static satf_filter *make_filter(satf_context *ctx, const guided_case *c, const satf_view *guide)
{
    char options[120];
    snprintf(options, sizeof options, "eps=%.17g,amount=%.17g%s", c->eps, c->amount,
             c->colour ? ",colour" : "");
    satf_filter *filter = model_filter(ctx, &c->of, "guided", options);
    if (guide) {
        MUST(ctx, satf_filter_set_image(ctx, filter, guide));
    }
    MUST(ctx, satf_filter_set_int(ctx, filter, "guide_full", c->guide_named));
    return filter;
}

static double *load_channel(const satf_view *view, int channel)
{
    double *samples = malloc((size_t)(view->width * view->height) * sizeof *samples);
    for (int64_t i = 0; i < view->width * view->height; i++) {
        int64_t x = i % view->width, y = i / view->width;
        samples[i] = sample_at(view, y, x * view->channels + channel);
    }
    return samples;
}

/* The results of all channels: as integers are made, and He's. */
static void define(const guided_case *c, const satf_view *in, const satf_view *guide, double *exact,
                   double *real)
{
    double full = model_full(in->type, 0), top = model_full(guide->type, 0);
    double guide_full = c->guide_named ? c->guide_named : top;
    double outside = model_constant(&c->of) * (guide_full / full);
    if (satf_type_max(guide->type)) {
        outside = floor((outside < guide_full ? outside : guide_full) + 0.5);
    }
    for (int channel = 0; channel < in->channels; channel++) {
        bool colour = c->colour && !(guides_itself(c) && channel == 3); /* alpha is by itself */
        channel_task t = {.c = c,
                          .input = {load_channel(in, channel), model_constant(&c->of)},
                          .count = colour ? 3 : 1,
                          .channel = channel,
                          .full = full,
                          .guide_full = guide_full,
                          .guide_top = top};
        for (int k = 0; k < t.count; k++) {
            int from = colour ? k : guide->channels == 1 ? 0 : channel;
            t.guide[k] = (plane){load_channel(guide, from), outside};
        }
        guide_channel(&t, satf_type_max(in->type) > 0, exact + channel);
        guide_channel(&t, false, real + channel);
        for (int k = 0; k < t.count; k++) {
            free((void *)(uintptr_t)t.guide[k].samples);
        }
        free((void *)(uintptr_t)t.input.samples);
    }
}

typedef struct guided_results {
    double *exact, *real, far; /* far: how far from He's they may be */
    bool bits;                 /* those of integers are exact */
} guided_results;

static bool is_right(const void *user, const model_place *at, double got, double *want)
{
    const guided_results *r = user;
    *want = r->bits ? r->exact[at->i] : r->real[at->i];
    return (!r->bits || got == *want) && fabs(got - r->real[at->i]) <= r->far;
}

/* Samples of floats are in units of 1 / REF_UNIT. */
static void move_guide(const guided_case *c, const ref_image *guide)
{
    for (int64_t i = 0; i < ref_count(guide) && c->guide_times != 0; i++) {
        guide->samples[i] *= (int64_t)c->guide_times;
        guide->samples[i] += (int64_t)(c->guide_first * REF_UNIT);
    }
}

/* By both engines with the guide that the filter keeps, and with that as a plan's second input. */
static void check_case(satf_context *ctx, guided_case *c, uint64_t seed)
{
    ref_image *image = &c->of.image, *guide = &c->guide;
    bool itself = guides_itself(c);
    ref_fill(image, seed);
    satf_view in = ref_view(image, 0), by = in;
    if (!itself) {
        ref_fill(guide, seed + 77);
        move_guide(c, guide);
        by = ref_view(guide, 0);
    }
    size_t bytes = (size_t)ref_count(image) * sizeof(double);
    SCOPED double *exact = malloc(bytes), *real = malloc(bytes);
    define(c, &in, &by, exact, real);
    bool integers = satf_type_max(image->type), bits = integers && satf_type_max(by.type);
    double larger = 1 + c->amount;
    double floats = (image->type == SATF_F32 ? 1e-6 : 1e-9) * larger;
    guided_results results = {exact, real, floats * (c->colour ? 2 : 1), bits};
    if (integers) {
        results.far = 0.5 + (!bits ? 1e-4 : c->colour ? 0.03 : 0.02) * larger;
    }
    char more[120];
    snprintf(more, sizeof more, "guide %s of %d from %g on, times %g, guide_full %d",
             satf_type_name(by.type), itself ? 0 : by.channels, c->guide_first, c->guide_times,
             c->guide_named);
    SCOPED_FILTER *without = make_filter(ctx, c, NULL);
    SCOPED_FILTER *filter = make_filter(ctx, c, itself ? NULL : &by);
    bool second = !itself && (c->colour || by.channels == in.channels);
    MODEL_CHECK(ctx, .filter = filter, .in = in,
                .ways = MODEL_AUTO | MODEL_SAT | MODEL_PART | MODEL_ROWS | MODEL_IN_TURN,
                .without = second ? without : NULL, .second = &by, .right = is_right,
                .user = &results, .more = more, .seed = seed);
    if (!itself) {
        free(by.data);
        free(guide->samples);
    }
    free(in.data);
    free(image->samples);
}

static const double amounts[] = {0, 1.5, 1, 0, 0.3};

/* What cases of grey and colour have in common. */
static guided_case draw_case(int type, int border, int channels, bool alpha, const int64_t *size,
                             uint64_t seed)
{
    static const int64_t windows[][4] = {{9, 9, 0, 0},  {1, 1, 0, 0},  {4, 7, -1, 2}, {15, 3, 5, 0},
                                         {2, 12, 0, 0}, {8, 6, 4, -2}, {6, 1, -2, 0}, {5, 5, 0, 0}};
    const int64_t *window = windows[seed % (sizeof windows / sizeof *windows)];
    guided_case c = {.amount = amounts[(seed + seed / 5) % 5]};
    c.of = (model_case){.image = {size[0], size[1], channels, type, alpha, NULL},
                        .border = border,
                        .w = window[0],
                        .h = window[1],
                        .at_x = window[2],
                        .at_y = window[3]};
    int64_t constant = border == SATF_BORDER_CONSTANT ? (int64_t)(seed % 5) : 0;
    c.of.constant = constant * (model_is_real(&c.of) ? REF_UNIT : 1);
    return c;
}

TEST(test_grey_guides)
{
    static const int64_t sizes[][2] = {{1, 1}, {7, 1}, {1, 5}, {23, 17}, {40, 9}};
    for (uint64_t seed = 1; seed <= MODEL_TYPES * MODEL_BORDERS * 5; seed++) {
        int type = model_types[seed % MODEL_TYPES],
            border = (int)(seed / MODEL_TYPES) % MODEL_BORDERS;
        int channels = (int)(seed / 3 % 4) + 1;
        for (int named = 0; named < 2; named++) {
            guided_case c = draw_case(type, border, channels, false, sizes[seed % 5], seed);
            int guide = named ? 1 + (seed % 4 == 0) : (int)(seed / 2 % 3); /* none, alike, of one */
            c.eps = seed % 7 ? 0.01 : 0.25;
            c.guide_named = !named ? 0 : seed % 2 ? 15 : 200;
            c.guide = guide ? c.of.image : (ref_image){0};
            c.guide.channels = guide == 2 ? 1 : c.guide.channels;
            check_case(ctx, &c, seed);
        }
    }
}

TEST(test_colour_guides)
{
    static const int64_t sizes[][2] = {{1, 1}, {139, 1}, {1, 5}, {13, 11}, {22, 6}};
    static const double epses[] = {0.01, 0.25, 0.0001, 1e-6};
    uint64_t seed = 1;
    for (int t = 0; t < MODEL_TYPES; t++) {
        for (int k = 0; k < MODEL_BORDERS * 10; k++, seed++) {
            bool guided = k % 2, guide_alpha = seed % 3 == 0;
            int channels = guided ? (int)(seed / 2 % 4) + 1 : 3 + (int)(seed / 2 % 2);
            int guide_type = model_types[(seed / 3 + (uint64_t)t) % 4];
            guided_case c = draw_case(model_types[t], k / 10, channels, channels % 2 == 0,
                                      sizes[k / 2 % 5], seed);
            ref_image guide = {c.of.image.width, c.of.image.height, 3 + guide_alpha,
                               guide_type,       guide_alpha,       NULL};
            c.colour = true;
            c.eps = epses[model_is_real(&c.of) ? seed % 2 : seed % 4];
            c.guide = guided ? guide : (ref_image){0};
            check_case(ctx, &c, seed);
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
    for (uint64_t i = 0; i < 4 * sizeof guides / sizeof *guides; i++) {
        guided_case c = {.colour = true, .eps = guides[i / 4].eps, .amount = i % 5 ? 0 : 0.5};
        c.of = (model_case){
            .image = {33, 19, (int)(i % 2) * 2 + 1, i % 4 < 2 ? SATF_U8 : SATF_U16, 0, NULL},
            .border = (int)i % MODEL_BORDERS,
            .constant = i % MODEL_BORDERS == SATF_BORDER_CONSTANT,
            .w = 5,
            .h = 4};
        c.guide = (ref_image){33, 19, 3, guides[i / 4].type, 0, NULL};
        c.guide_first = guides[i / 4].first;
        c.guide_times = guides[i / 4].times;
        c.guide_named = guides[i / 4].named;
        check_case(ctx, &c, 900 + i);
    }
}

enum { SIDE = 40 };

static bool is_inner(const void *user, const model_place *at, double got, double *want)
{
    bool inside = at->x % (SIDE - 1) && at->y % (SIDE - 1);
    *want = ((const uint8_t *)user)[at->i];
    return !inside || got == *want;
}

/* A guide of floats that is flat leaves means of means, whose halves go up by every engine. */
TEST(test_halves)
{
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
    satf_view by = satf_view_packed(guide, SIDE, SIDE, 3, SATF_F64);
    guided_case c = {
        .of = {.border = SATF_BORDER_CLAMP, .w = 2, .h = 2}, .colour = true, .eps = 0.01};
    SCOPED_FILTER *filter = make_filter(ctx, &c, &by), *without = make_filter(ctx, &c, NULL);
    MODEL_CHECK(ctx, .filter = filter, .in = from, .ways = MODEL_AUTO | MODEL_SAT,
                .without = without, .second = &by, .right = is_inner, .user = want);
}

/* Windows of the least and the greatest samples, whose slopes are the largest: walks and tables. */
TEST(test_extremes)
{
    static const satf_type types[] = {SATF_U8, SATF_U16};
    enum { W = 300, H = 200 };
    SCOPED uint16_t *samples = malloc(W * H * 3 * sizeof *samples),
                    *guide = malloc(W * H * 3 * sizeof *guide);
    static char results[2][W * H * 6];
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
        guided_case c = {
            .of = {.border = SATF_BORDER_MIRROR, .w = 31, .h = 17}, .colour = true, .eps = 1e-6};
        SCOPED_FILTER *filter = make_filter(ctx, &c, k & 4 ? &aux : NULL);
        for (int way = 0; way < 2; way++) {
            satf_context_set_engine(ctx, way ? SATF_ENGINE_SAT : SATF_ENGINE_AUTO);
            out.data = results[way];
            MUST(ctx, satf_filter_apply(ctx, filter, &in, &out));
        }
        assert_memory_equal(results[0], results[1], (size_t)(out.stride * out.height));
    }
}

/* ----------------------------------------------------------------------- what is not RGB */

/* A picture that is not RGB guides itself as without colour, and so does a guide that is not RGB.
 */
TEST(test_grey)
{
    uint8_t in[20 * 9 * 4], results[2][20 * 9 * 4];
    uint64_t random = 5;
    for (size_t i = 0; i < sizeof in; i++) {
        in[i] = (uint8_t)ref_random(&random);
    }
    for (int k = 0; k < 4 + 1; k++) {
        int channels = k % 4 + 1;
        SCOPED_FILTER *plain = parse_filter(ctx, "guided=5");
        SCOPED_FILTER *colour = parse_filter(ctx, "guided=5,colour");
        satf_view view = satf_view_packed(in, 20, 9, channels, SATF_U8), out = view, by = view;
        assert_true(!satf_filter_knows_colours(plain) && satf_filter_knows_colours(colour));
        by.data = in + 20 * 9;
        for (int of = 0; of < 2; of++) {
            satf_filter *filter = of ? colour : plain;
            out.data = results[of];
            MUST(ctx, k < 4 ? SATF_OK : satf_filter_set_image(ctx, filter, &by));
            MUST(ctx, satf_filter_apply(ctx, filter, &view, &out));
        }
        bool differ = memcmp(results[0], results[1], (size_t)(180 * channels)) != 0;
        assert_int_equal(differ, channels == 3);
    }
}

/* Of 20 images between the passes those in memory are still read; the rest are tables. */
TEST(test_places)
{
    enum { LARGE = 300 };
    static uint8_t guide[LARGE * LARGE * 3];
    satf_view view = satf_view_packed(guide, LARGE, LARGE, 3, SATF_U8);
    size_t bytes;
    SCOPED_FILTER *filter = parse_filter(ctx, "guided=9,colour");
    MUST(ctx, satf_filter_set_image(ctx, filter, &view));
    satf_context_set_engine(ctx, SATF_ENGINE_SAT);
    MUST(ctx, satf_filter_scratch(ctx, filter, &view, &view, &bytes));
    assert_true(bytes / sizeof guide / sizeof(double) < 15);
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
    SCOPED_FILTER *filter = parse_filter(ctx, spec);
    MUST(ctx, satf_filter_set_image(ctx, filter, &by));
    MUST(ctx, satf_filter_apply(ctx, filter, &view, &out));
}

/* White is white: a guide's full scale is its own, and full=M is for both if neither says one. */
TEST(test_white)
{
    static const struct {
        const char *spec;
        double full, guide_full;
        bool less; /* the guide's white is 100, not 255 */
    } cases[] = {{"guided=5", 100, 0, false},
                 {"guided=5", 100, 255, false},
                 {"guided=5", 100, 100, true},
                 {"guided=5,guide_full=100", 100, 0, true},
                 {"guided=5,full=100", 0, 0, true},
                 {"guided=5,full=100", 0, 255, false},
                 {"guided=5,full=100,guide_full=255", 0, 0, false}};
    enum { PIXELS = 16 * 8 };
    uint8_t by[2][PIXELS], got[PIXELS];
    for (size_t k = 0; k < 7; k++) {
        guide_by(ctx, cases[k].spec, cases[k].full, cases[k].guide_full, got);
        if (k == 0 || k == 2) {
            memcpy(by[cases[k].less], got, PIXELS);
        }
        assert_memory_equal(got, by[cases[k].less], PIXELS);
    }
    assert_memory_not_equal(by[0], by[1], PIXELS);
}

/* A guide whose variance is eps M^2: slopes of integers are the largest there are, 250 as kept. */
TEST(test_steepest)
{
    enum { W = 16, H = 16, LOW = 32768 - 65, HIGH = 32768 + 65 };
    uint8_t in[W * H], results[W * H];
    uint16_t guide[W * H * 3];
    for (int i = 0; i < W * H; i++) {
        in[i] = i % 2 ? 255 : 0;
        guide[3 * i] = i % 2 ? HIGH : LOW;
        guide[3 * i + 1] = guide[3 * i + 2] = 7;
    }
    satf_view view = satf_view_packed(in, W, H, 1, SATF_U8), out = view;
    satf_view by = satf_view_packed(guide, W, H, 3, SATF_U16);
    out.data = results;
    SCOPED_FILTER *filter = parse_filter(ctx, "guided=31,eps=0.000001,border=shrink,colour");
    MUST(ctx, satf_filter_set_image(ctx, filter, &by));
    MUST(ctx, satf_filter_apply(ctx, filter, &view, &out));
    for (int i = 0; i < W * H; i++) {
        assert_int_equal(results[i], i % 2 ? 191 : 64); /* 127.5 +- 63.2 */
    }
}

/* Windows far beyond the image, whose edges they hold thousands of times: all engines add up the
 * same whole steps, so they have the same bits, of doubles too. */
TEST(test_beyond)
{
    enum { W = 220, H = 150 };
    static const char *const borders[] = {"clamp", "mirror",     "reflect",
                                          "wrap",  "constant:9", "shrink"};
    static uint16_t in[W * H];
    static double results[2][W * H];
    satf_view view = satf_view_packed(in, W, H, 1, SATF_U16);
    satf_view out = satf_view_packed(NULL, W, H, 1, SATF_F64);
    uint32_t random = 1;
    for (int i = 0; i < W * H; i++) {
        random = random * 1664525 + 1013904223;
        in[i] = (uint16_t)(random >> 16);
    }
    for (size_t k = 0; k < sizeof borders / sizeof *borders; k++) {
        char spec[40];
        snprintf(spec, sizeof spec, "guided=20001,border=%s", borders[k]);
        SCOPED_FILTER *filter = parse_filter(ctx, spec);
        for (int window = 0; window < 2; window++) {
            out.data = results[window];
            satf_context_set_engine(ctx, window ? SATF_ENGINE_WINDOW : SATF_ENGINE_SAT);
            MUST(ctx, satf_filter_apply(ctx, filter, &view, &out));
        }
        assert_memory_equal(results[0], results[1], sizeof results[0]);
    }
    satf_context_set_engine(ctx, SATF_ENGINE_AUTO);
}

TEST_FILE(.shared = true)
