/*
 * A result depends on its window alone: whatever a sample beyond it becomes, no bit changes; and
 * where a sample in it changes, some results do. Left out are results of the whole picture by
 * definition: wolf, integral, threshold=otsu and scale=auto; and floats by tables, which the
 * template reads and whoever names an engine or an algorithm: docs/numbers.md bounds their errors
 * by the whole picture.
 */
#include "test.h"

#include "not_finite.h"
#include "ways.h"

enum { W = SPOILT_W, H = SPOILT_H, POKES = 7, LEAST_CASES = 1000 };

/* Noise, a third of it about 1000 or in steps of 1 / 255; a third of the alphas is 0. */
static void fill(const spoilt_case *c, const satf_view *in)
{
    uint64_t seed = c->seed;
    double most = (double)satf_type_max(c->type);
    for (int64_t i = 0; i < W * H * c->channels; i++) {
        int channel = (int)(i % c->channels);
        bool alpha = c->alpha && channel == c->channels - 1;
        double random = (double)(ref_random(&seed) >> 11) * 0x1p-53;
        double value = alpha              ? (random < 0.3 ? 0 : random * fmax(most, 1))
                       : most > 1         ? floor(random * (most + 1))
                       : c->seed % 3 == 0 ? random
                       : c->seed % 3 == 1 ? floor(random * 256) / 255
                                          : 1000 + random;
        spoilt_set(in, i / c->channels % W, i / c->channels / W, channel, value);
    }
}

/* One of the values at a channel of a pixel; alpha 0 where there is alpha. */
static void poke(spoilt_case *c, const satf_view *in, int which, uint64_t *random)
{
    static const double values[POKES] = {0, 1e9, -1e9, (double)NAN, 0, 6e4, 0.5};
    c->x = pick(random, 0, W - 1);
    c->y = pick(random, 0, H - 1);
    if (which % 2) { /* where a shift may be looked for: ends, and eighths between */
        c->x = (W - 1) * (c->x % 9) / 8;
        c->y = (H - 1) * (c->y % 9) / 8;
    }
    c->channel = (int)((c->x + c->y + which) % c->channels);
    c->channel = c->alpha && which == 4 ? c->channels - 1 : c->channel;
    c->value = spoils_alpha(c) ? 0 : values[which];
    spoilt_set(in, c->x, c->y, c->channel, c->value);
}

/* Adds to *changed the samples that do. False if the engine does not take the filter. */
static bool check_case(satf_context *ctx, spoilt_case *c, int *changed)
{
    satf_view like = satf_view_packed(NULL, W, H, c->channels, (satf_type)c->type), out;
    SCOPED_VIEW in = view_like(&like, 0);
    SCOPED_FILTER *filter = spoilt_filter(ctx, c);
    uint64_t random = c->seed;
    in.flags = c->alpha ? SATF_ALPHA : 0;
    if (satf_filter_output(ctx, filter, &in, &out)) { /* the picture holds no window */
        return true;
    }
    SCOPED_VIEW before = view_like(&out, 0), after = view_like(&out, 0);
    fill(c, &in);
    satf_status status = satf_filter_apply(ctx, filter, &in, &before);
    for (int which = 0; which < POKES && status != SATF_UNSUPPORTED; which++) {
        char how[20];
        MUST(ctx, status);
        fill(c, &in);
        poke(c, &in, which, &random);
        MUST(ctx, satf_filter_apply(ctx, filter, &in, &after));
        snprintf(how, sizeof how, "poke %d", which);
        *changed += spoilt_compare(c, &before, &after, how);
    }
    return status != SATF_UNSUPPORTED;
}

/* Each pair of a type and an engine, a window, a layout, a border and a kind of noise. */
static int check_filter(satf_context *ctx, spoilt_case *c)
{
    static const int64_t windows[][2] = {{7, 4}, {1, 1}, {37, 5}, {2, 9}, {70, 3}, {3, 90}};
    static const struct {
        int channels;
        bool alpha;
    } layouts[] = {{1, false}, {3, false}, {2, true}, {4, true}};
    enum { ALL = 4 * 3 * 6 * 4 * 7 * 3, STEP = 5105 };
    static pairs met;
    int changed[4] = {0}, checked[4] = {0};
    memset(&met, 0, sizeof met);
    for (int n = 0, k = 0; n < ALL; n++, k = (k + STEP) % ALL) {
        int type = k % 4, engine = k / 4 % 3, w = k / 12 % 6, layout = k / 72 % 4;
        int border = k / 288 % 7, kind = k / 2016;
        bool tables = engine == SATF_ENGINE_SAT || c->shape == SPOILT_RECTS;
        bool none = c->shape == SPOILT_MAP && border == SATF_BORDER_VALID;
        if (none || (tables && satf_type_is_float(ref_types[type])) ||
            !PAIRS_ONLY(&met, type * 3 + engine, w, layout, border, kind)) {
            continue;
        }
        c->seed = (uint64_t)(3 * n + kind);
        c->type = ref_types[type];
        c->channels = layouts[layout].channels;
        c->alpha = layouts[layout].alpha;
        c->border = border;
        c->window.w = c->shape == SPOILT_CORNERS && w > 3 ? 5 : windows[w][0];
        c->window.h = windows[w][1];
        bool placed = n % 4 == 3 && filter_param_of_kind(c->info, PARAM_PLACE);
        c->window.x = placed ? c->window.w / 2 : 0;
        c->window.y = placed ? c->window.h / 2 - c->window.h + 1 : 0;
        satf_context_set_engine(ctx, (satf_engine)engine);
        checked[type] += check_case(ctx, c, &changed[type]);
    }
    for (int type = 0; type < 4; type++) {
        if (checked[type] && changed[type] == 0) {
            fail_msg("%s of %s: no sample changes a result", c->info->name,
                     satf_type_name(ref_types[type]));
        }
    }
    return checked[0] + checked[1] + checked[2] + checked[3];
}

TEST(test_every_filter)
{
    spoilt_case c = {0};
    int checked = 0;
    for (size_t i = 0; (c.info = filter_info_at(i)); i++) {
        c.shape = spoilt_shape_of(c.info);
        if (c.shape != SPOILT_MOST && c.shape != SPOILT_SUMS) {
            checked += check_filter(ctx, &c);
        }
    }
    satf_context_set_engine(ctx, SATF_ENGINE_AUTO);
    assert_true(checked > LEAST_CASES);
}

/* ------------------------------------------------------------------------- large pictures */

enum { WIDE = 600, HIGH = 400, BLOCK = 8 };

static bool is_near(int64_t i, const int64_t *place, int64_t reach)
{
    int64_t x = i % WIDE - place[0], y = i / WIDE - place[1];
    return x >= -reach && x < BLOCK + reach && y >= -reach && y < BLOCK + reach;
}

/* A bright block, in several strips of columns and blocks of rows, on two threads: pixels that are
 * further from it than `reach` have the same bits. */
static void check_large(satf_context *ctx, const char *spec, int64_t reach)
{
    static float pixels[WIDE * HIGH * 3];
    static const int64_t places[][2] = {
        {-WIDE, -HIGH}, {300, 200}, {0, 0}, {510, 390}, {590, 17}}; /* the first is outside */
    satf_view in = satf_view_packed(pixels, WIDE, HIGH, 3, SATF_F32), before = in;
    for (int k = 0; k < 5; k++) {
        int changed = 0;
        uint64_t seed = 3;
        for (int64_t i = 0; i < WIDE * HIGH * 3; i++) {
            double random = (double)(ref_random(&seed) >> 11) * 0x1p-53;
            pixels[i] = is_near(i / 3, places[k], 0) ? 6e4F : (float)(random * random);
        }
        satf_view after = made_by(ctx, spec, &in);
        before = k ? before : after;
        for (int64_t i = 0; i < WIDE * HIGH && k; i++) {
            int64_t x = i % WIDE, y = i / WIDE;
            bool same = memcmp(pixel_at(&before, x, y), pixel_at(&after, x, y),
                               (size_t)satf_pixel_bytes(&after)) == 0;
            changed += !same;
            if (!same && !is_near(i, places[k], reach)) {
                fail_msg("%s: a block at (%ld, %ld) changes (%ld, %ld)", spec, (long)places[k][0],
                         (long)places[k][1], (long)x, (long)y);
            }
        }
        assert_true(k == 0 || changed > 0);
        free(k ? after.data : NULL);
    }
    free(before.data);
}

TEST(test_large)
{
    satf_context_set_threads(ctx, 2);
    check_large(ctx, "kuwahara=5", 4);
    check_large(ctx, "kuwahara=35", 34);
    check_large(ctx, "variance=15", 7);
    check_large(ctx, "stddev=101", 50);
    check_large(ctx, "box=15", 7);
    check_large(ctx, "normalize=33", 16);
    check_large(ctx, "guided=9", 8);
    check_large(ctx, "guided=9,colour", 8);
    check_large(ctx, "gauss=4", 16);
    check_large(ctx, "gauss=8", 4 * (6 + 1));
    check_large(ctx, "unsharp=9", 4);
}

/* ------------------------------------------------------------------------- transparency */

/* Of windows that are wholly transparent, in a picture that is so in parts, with fractions of alpha
 * elsewhere: colours 0 and alpha 0, or the pixel itself. */
TEST(test_transparent)
{
    static const struct {
        const char *spec;
        int64_t reach;
        bool pixel_stays;
    } cases[] = {
        {"box=7", 3, false},
        {"gauss=1", 4, false},
        {"kuwahara=5", 4, false},
        {"variance=7", 3, false},
        {"stddev=7", 3, false},
        {"unsharp=7", 3, true},
        {"varbox", 6, false},
        {"real box=3 kuwahara=5", 5, false},
        {"real box=3 variance=5", 3, false},
    };
    static double pixels[W * H * 4];
    satf_view in = satf_view_packed(pixels, W, H, 4, SATF_F64);
    uint64_t seed = 1;
    in.flags = SATF_ALPHA;
    for (int64_t i = 0; i < W * H * 4; i++) {
        int64_t x = i / 4 % W, y = i / 4 / W;
        bool clear = x >= 20 && y >= 8 && x < 55 && y < 35;
        double random = (double)(ref_random(&seed) >> 11) * 0x1p-53;
        pixels[i] = i % 4 == 3 && clear ? 0 : random;
    }
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        bool map = strcmp(cases[k].spec, "varbox") == 0;
        spoilt_case c = {
            .info = filter_info_find("varbox"), .shape = SPOILT_MAP, .window.w = 1, .window.h = 1};
        SCOPED_FILTER *filter = map ? spoilt_filter(ctx, &c) : parse_filter(ctx, cases[k].spec);
        SCOPED_VIEW out = result_of(ctx, filter, &in);
        int64_t reach = cases[k].reach, across = (35 - 2 * reach) * 4;
        for (int64_t n = 0; n < across * (27 - 2 * reach); n++) {
            int64_t x = 20 + reach + n % across / 4, y = 8 + reach + n / across;
            int64_t i = (y * W + x) * 4 + n % 4;
            double got = ((double *)out.data)[i];
            if (got != (cases[k].pixel_stays && n % 4 < 3 ? pixels[i] : 0)) {
                fail_msg("%s: %g in channel %d of (%ld, %ld), where all is transparent",
                         cases[k].spec, got, (int)(n % 4), (long)x, (long)y);
            }
        }
    }
}
