/* Every filter of windows, type, layout, border, window and engine against the definition. */
#include "test.h"
#include "base/parallel.h"
#include "chain/pass.h"
#include "filter_any.h"
#include "filter_formulas.h"
#include "filter_make.h"

/* How a test knows a filter. */
typedef struct reference {
    const char *name;
    double (*formula)(const ref_moments *m);
    enum { COLOURS, GREY, LUMA } grey; /* colour becomes grey first, or is wanted as it is */
    enum {
        CHANNEL,
        WEIGHS,
        KEPT,
        MADE
    } alpha; /* like the others; or it weighs, and goes, stays,
              * or is made by the formula */
    const char *options;
    int64_t amount, threshold;                 /* of these */
    double (*reduction)(const ref_moments *m); /* whose greatest value the formula wants, or NULL */
} reference;

/* A filter to black and white, inverted, and its surface. */
#define BILEVEL(name, options, threshold, reduction)                                              \
    {#name, ref_##name, GREY, WEIGHS, options, 0, threshold, reduction},                          \
        {#name, ref_##name##_inverted, GREY, WEIGHS, options ",invert", 0, threshold, reduction}, \
    {                                                                                             \
#name, ref_##name##_surface, GREY, WEIGHS, options ",surface", 0, threshold, reduction    \
    }

static const reference references[] = {
    {"box", ref_box, COLOURS, MADE, "", 0, 0, NULL},
    {"variance", ref_variance, COLOURS, MADE, "", 0, 0, NULL},
    {"stddev", ref_stddev, COLOURS, MADE, "", 0, 0, NULL},
    {"sum", ref_sum, COLOURS, CHANNEL, "", 0, 0, NULL},
    {"unsharp", ref_unsharp, COLOURS, KEPT, "amount=1.5", 15000, 0, NULL},
    {"unsharp", ref_unsharp, COLOURS, KEPT, "amount=1.5,threshold=3.5", 15000, 3500, NULL},
    {"unsharp", ref_unsharp, LUMA, KEPT, "amount=1.5,luma", 15000, 0, NULL},
    {"unsharp", ref_unsharp, LUMA, KEPT, "amount=0.7,luma", 7000, 0, NULL},
    {"unsharp", ref_unsharp, LUMA, KEPT, "amount=1.5,threshold=3.5,luma", 15000, 3500, NULL},
    {"unsharp", ref_unsharp, LUMA, KEPT, "amount=0.9,threshold=0.01,luma", 9000, 10, NULL},
    {"highpass", ref_highpass, COLOURS, KEPT, "", 0, 0, NULL},
    {"flatten", ref_flatten, COLOURS, KEPT, "", 0, 0, NULL},
    {"normalize", ref_normalize, COLOURS, KEPT, "", 0, 0, NULL},
    BILEVEL(sauvola, "k=0.34", 0, NULL),
    BILEVEL(wolf, "k=0.35", 0, ref_wolf_reduction),
    BILEVEL(adaptive, "offset=5", 5000, NULL),
    BILEVEL(adaptive, "offset=0", 0, NULL),
    BILEVEL(adaptive, "offset=0.001", 1, NULL),
    BILEVEL(bradley, "percent=15", 15000, NULL),
    BILEVEL(bradley, "percent=0", 0, NULL),
    BILEVEL(niblack, "k=-0.2", 0, NULL),
    BILEVEL(nick, "k=-0.2", 0, NULL),
};
enum { REFERENCES = sizeof references / sizeof *references };

/* Whether the filter takes the image, and integers hold what it sees. */
static bool is_seen(const reference *r, const ref_image *image)
{
    int colours = image->channels - image->alpha;
    return r->grey == COLOURS || colours == 1 ||
           (colours == 3 && (r->grey != GREY || satf_type_max(image->type)));
}

/* The image as the filter sees it, in samples of its own. */
static void see(const reference *r, const ref_image *image, ref_image *seen)
{
    seen->alpha = r->alpha != CHANNEL && image->alpha;
    memcpy(seen->samples, image->samples, (size_t)ref_count(image) * sizeof *seen->samples);
    if (r->grey != GREY || image->channels - image->alpha == 1) {
        return;
    }
    seen->channels = 1 + image->alpha;
    for (int64_t p = 0; p < image->width * image->height; p++) {
        const int64_t *pixel = image->samples + p * image->channels;
        int64_t *to = seen->samples + p * seen->channels;
        to[0] = (299 * pixel[0] + 587 * pixel[1] + 114 * pixel[2] + 500) / 1000;
        to[seen->channels - 1] = image->alpha ? pixel[image->channels - 1] : to[0];
    }
}

/* One filter of one case. */
typedef struct subject {
    const reference *r;
    const model_case *c;
    ref_image seen;
    model_sums sums;
    int64_t first_x, first_y; /* of the result's pixels, beyond 0 under border valid */
    ref_moments m;            /* what all windows share */
    double room;
    bool of_input; /* the type is the input's */
} subject;

/* The moments of the window at sample i. */
static ref_moments look(const subject *s, int64_t i)
{
    ref_moments m = s->m;
    int64_t first = i - i % s->seen.channels;
    double unit = m.real ? REF_UNIT : 1;
    m.w = model_moments_at(&s->sums, i);
    m.sample = (double)s->seen.samples[i] / unit;
    m.in_colour = s->seen.channels - s->seen.alpha == 3;
    for (int k = 0; m.in_colour && k < 3; k++) {
        m.luma_sums[k] = s->sums.sums[first + k];
        m.luma_samples[k] = (double)s->seen.samples[first + k] / unit;
    }
    return m;
}

/* The greatest value of the reduction's formula, and the least sample. */
static void reduce(subject *s, int64_t last_x, int64_t last_y)
{
    double greatest = 0, least = INFINITY;
    for (int64_t i = 0; s->r->reduction && i < ref_count(&s->seen); i++) {
        int channels = s->seen.channels;
        int64_t x = i / channels % s->seen.width, y = i / channels / s->seen.width;
        ref_moments m = look(s, i);
        bool counts = x >= s->first_x && x <= last_x && y >= s->first_y && y <= last_y;
        if (counts && !m.w.is_alpha) {
            bool clear = s->seen.alpha && s->seen.samples[i - i % channels + channels - 1] == 0;
            greatest = fmax(greatest, s->r->reduction(&m));
            least = clear ? least : fmin(least, m.sample);
        }
    }
    s->m.greatest = greatest;
    s->m.least = least < INFINITY ? least : 0;
}

static bool is_right(const void *user, const model_place *at, double got, double *want)
{
    const subject *s = user;
    int64_t pixel = (at->y + s->first_y) * s->seen.width + at->x + s->first_x;
    ref_moments m = look(s, pixel * s->seen.channels + at->channel);
    double max = (double)satf_type_max(s->seen.type), scale = 1;
    *want = m.w.is_alpha && s->r->alpha == KEPT ? m.sample : s->r->formula(&m);
    if (s->of_input) {
        *want = max > 0 ? model_saturated(*want, max) : *want;
        *want = s->seen.type == SATF_F32 ? (double)(float)*want : *want;
    }
    if (s->r->formula == ref_stddev) {
        scale = fabs(got) + fabs(*want);
    }
    return got == *want || fabs(got - *want) * scale <= s->room;
}

static void check_one(satf_context *ctx, const model_case *c, const reference *r, bool valid)
{
    double max = (double)satf_type_max(c->image.type);
    subject s = {.r = r, .c = c, .seen = c->image};
    SCOPED int64_t *samples = malloc((size_t)ref_count(&c->image) * sizeof *samples);
    s.seen.samples = samples;
    see(r, &c->image, &s.seen);
    SCOPED_FILTER *filter = model_filter(ctx, c, r->name, r->options);
    satf_rect rect = model_rect(c);
    int64_t last_x = c->image.width - 1, last_y = c->image.height - 1;
    if (valid) {
        MUST(ctx, satf_filter_set_border(ctx, filter, SATF_BORDER_VALID, 0));
        s.first_x = -rect.x;
        s.first_y = -rect.y;
        last_x += 1 - rect.w - rect.x;
        last_y += 1 - rect.h - rect.y;
    }
    s.m = (ref_moments){.real = max == 0,
                        .luma = r->grey == LUMA,
                        .amount = r->amount,
                        .threshold = r->threshold,
                        .level = max > 0 ? max / 255 : 1,
                        .full = max > 0 ? max : 1};
    s.sums = model_sum(&s.seen, c->border, c->constant, rect);
    reduce(&s, last_x, last_y);
    /* Products that no double holds round otherwise around a shift. Samples are below 2, or 8. */
    const filter_pass *pass = filter_last(filter_info_find(r->name));
    s.of_input = pass->type == TYPE_OF_INPUT;
    bool rounds = filter_type(pass, filter_options(filter, 0)) == TYPE_REAL &&
                  filter_reads(pass, FORMULA_SQUARE);
    s.room = max == 0 && rounds ? (c->fill ? 16 : 1) * 64 * 0x1p-53 : 0;
    unsigned rows = r->reduction ? MODEL_NO_ROWS : MODEL_ROWS;
    unsigned ways = MODEL_SAT | MODEL_WINDOW | MODEL_PART | rows | MODEL_IN_TURN;
    MODEL_CHECK(ctx, .filter = filter, .of = c, .ways = ways, .right = is_right, .user = &s);
    model_sums_free(&s.sums);
}

static pairs met;

/* In the middle, or in a corner of the window. A thousand seeds are of one geometry. */
static void check_all(satf_context *ctx, model_case *c)
{
    int type = c->image.type % 4 + 2 * model_is_real(c);
    int layout = 10 * type + 2 * c->image.channels + c->image.alpha;
    for (int k = 0; k < REFERENCES * 5; k++) {
        int which = k / 5, place = k % 5, geometry = (int)(c->seed / 1000);
        c->at_x = !place ? 0 : place & 1 ? c->w / 2 : c->w / 2 - c->w + 1;
        c->at_y = !place ? 0 : place & 2 ? c->h / 2 : c->h / 2 - c->h + 1;
        if (!is_seen(&references[which], &c->image)) {
            continue; /* its values have not met */
        }
        if (PAIRS_ONLY(&met, geometry, layout, c->border, which, place, c->fill)) {
            check_one(ctx, c, &references[which], false);
        }
        bool fits =
            c->border == SATF_BORDER_CLAMP && c->w <= c->image.width && c->h <= c->image.height;
        if (fits && PAIRS_ONLY(&met, geometry, layout, MODEL_BORDERS, which, place, c->fill)) {
            check_one(ctx, c, &references[which], true);
        }
    }
}

TEST(test_windows)
{
    static const int64_t geometries[][4] = {
        {1, 1, 1, 1},    {1, 1, 3, 2},     {1, 1, 15, 255},  {1, 23, 3, 3},      {1, 23, 16, 47},
        {29, 1, 2, 2},   {29, 1, 255, 1},  {2, 2, 3, 3},     {2, 3, 16, 15},     {3, 2, 255, 9},
        {13, 17, 1, 1},  {13, 17, 2, 2},   {13, 17, 3, 3},   {13, 17, 15, 4},    {13, 17, 16, 16},
        {13, 17, 40, 3}, {13, 17, 5, 100}, {61, 37, 15, 15}, {31, 41, 255, 255}, {13, 17, 5, 4},
        {9, 3, 12, 31},
    };
    memset(&met, 0, sizeof met);
    for (size_t i = 0; i < sizeof geometries / sizeof *geometries; i++) {
        model_each(ctx, geometries[i], i * 1000, check_all);
    }
}

/* Longer rows, where vector loops run and blocks end within them. */
TEST(test_long_rows)
{
    static const int64_t sizes[][4] = {{600, 11, 3, 3},
                                       {600, 11, 15, 15},
                                       {600, 11, 16, 2},
                                       {600, 11, 41, 41},
                                       {257, 20, 255, 255}};
    memset(&met, 0, sizeof met);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        model_each(ctx, sizes[i], 8000 + i * 1000, check_all);
    }
}

/* What no reference says: places that are refused, and layouts without grey. */
TEST(test_refuses)
{
    SCOPED_FILTER *box, *none;
    satf_view in = satf_view_packed(NULL, 9, 9, 1, SATF_U8), out = in;
    size_t bytes;
    expect(ctx, satf_filter_parse(ctx, "box=4x5,at=3:0", &none), SATF_INVALID,
           "-1 to 2 and -2 to 2");
    MUST(ctx, satf_filter_parse(ctx, "box=4x5,at=2:0", &box));
    MUST(ctx, satf_filter_set(ctx, box, "size", "3x5")); /* no more inside */
    expect(ctx, satf_filter_scratch(ctx, box, &in, &out, &bytes), SATF_INVALID,
           "-1 to 1 and -2 to 2");
    SCOPED_FILTER *luma = parse_filter(ctx, "unsharp=5,luma");
    SCOPED_FILTER *sauvola = parse_filter(ctx, "sauvola=5");
    in = satf_view_packed(NULL, 9, 9, 4, SATF_U8);
    expect(ctx, satf_filter_output(ctx, luma, &in, &out), SATF_UNSUPPORTED, "");
    expect(ctx, satf_filter_output(ctx, sauvola, &in, &out), SATF_UNSUPPORTED, "");
    in.flags = SATF_ALPHA;
    MUST(ctx, satf_filter_output(ctx, sauvola, &in, &out));
    assert_true(out.channels == 1 && out.type == SATF_U8 && !out.flags);
    assert_true(filter_is_bilevel(sauvola));
}

/* ------------------------------------------------------------------ template and integral */

static void check_template(satf_context *ctx, model_case *c)
{
    ref_image plain = c->image; /* alpha is a channel like the others */
    plain.alpha = 0;
    const satf_weighted_rect rects[] = {
        {{-1, -1, 3, 3}, 1.25},
        {{-c->w / 2, 0, c->w, c->h}, -0.1},
        {{2, 3, 1, 1}, 3},
        {{plain.width + 5, -4, 2, 9}, 0.3},
        {{-900, 700, 11, 30}, 1e-3},
        {{-2 * plain.width - 3, -plain.height, 5, 2}, -7},
        {{0, 0, 4 * plain.width + 1, 3 * plain.height + 2}, 0.7},
    };
    enum { RECTS = sizeof rects / sizeof *rects };
    SCOPED double *want = calloc((size_t)ref_count(&plain), sizeof *want);
    for (size_t k = 0; k < RECTS; k++) {
        model_sums sums = model_sum(&plain, c->border, c->constant, rects[k].rect);
        for (int64_t i = 0; i < ref_count(&plain); i++) {
            model_moments m = model_moments_at(&sums, i);
            double term = rects[k].weight * ((double)m.sum * m.sum_unit);
            want[i] += term;
        }
        model_sums_free(&sums);
    }
    SCOPED_FILTER *filter;
    MUST(ctx, satf_filter_create(ctx, "template", &filter));
    MUST(ctx, satf_filter_set_rects(ctx, filter, rects, RECTS));
    MUST(ctx, satf_filter_set_border(ctx, filter, (satf_border)c->border, model_constant(c)));
    MODEL_CHECK(ctx, .filter = filter, .of = c,
                .ways = MODEL_SAT | MODEL_PART | MODEL_ROWS | MODEL_IN_TURN,
                .right = model_is_value, .user = &(model_values){.values = want});
}

TEST(test_template)
{
    static const int64_t sizes[][4] = {
        {1, 1, 3, 3}, {1, 9, 3, 2}, {11, 1, 2, 5}, {2, 2, 4, 5}, {23, 19, 16, 15}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        model_each(ctx, sizes[i], i + 1, check_template);
    }
}

/* The SAT by definition. F32 holds the nearest. */
static bool is_sum(const void *user, const model_place *at, double got, double *want)
{
    const model_values *sums = user;
    *want = sums->values[at->i];
    return got == *want || got == (double)(float)*want;
}

static void check_integral(satf_context *ctx, model_case *c)
{
    static const int types[] = {0, SATF_F64, SATF_F32, SATF_U64};
    const ref_image *image = &c->image;
    int64_t row = image->width * image->channels;
    SCOPED double *want = malloc((size_t)ref_count(image) * sizeof *want);
    for (int squared = 0; squared < 2 && !c->border; squared++) { /* it has none */
        for (int64_t i = 0; i < ref_count(image); i++) {
            ref_wide sum = 0;
            for (int64_t p = i % image->channels; p <= i; p += image->channels) {
                int64_t sample = p % row <= i % row ? image->samples[p] : 0;
                sum += squared ? (ref_wide)sample * sample : sample;
            }
            want[i] = (double)sum * model_unit(image, squared ? 2 : 1);
        }
        SCOPED_FILTER *filter = parse_filter(ctx, squared ? "integral,squared" : "integral");
        satf_view in = ref_view(image, 1), out;
        MUST(ctx, satf_filter_output(ctx, filter, &in, &out));
        assert_int_equal(out.flags, 0);
        free(in.data);
        for (size_t k = 0; k < (model_is_real(c) ? 3 : 4); k++) {
            MODEL_CHECK(ctx, .filter = filter, .of = c, .type = types[k],
                        .ways = MODEL_AUTO | MODEL_PART | MODEL_ROWS,
                        .right = types[k] == SATF_F32 ? is_sum : model_is_value,
                        .user = &(model_values){.values = want});
        }
    }
}

TEST(test_integral)
{
    static const int64_t sizes[][4] = {{1, 1, 1, 1}, {1, 31, 1, 1}, {37, 1, 1, 1}, {19, 23, 1, 1}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        model_each(ctx, sizes[i], i + 1, check_integral);
    }
}

/* Every filter of windows has its reference here; one of several steps or windows, or of cells, has
 * a file of its own. */
TEST(test_table)
{
    const filter_info *info;
    for (size_t i = 0; (info = filter_info_at(i)); i++) {
        bool found = !filter_param_of_kind(info, PARAM_SIZE) || !filter_is_simple(info) ||
                     filter_last(info)->over == OVER_CELLS;
        for (size_t k = 0; k < REFERENCES; k++) {
            found = found || strcmp(references[k].name, info->name) == 0;
        }
        if (!found) {
            fail_msg("filters/%s.h has no reference: add ref_%s() to tests/filter_formulas.h, and "
                     "{\"%s\", ref_%s, ...} to references[] in tests/filter/test_filter.c",
                     info->name, info->name, info->name, info->name);
        }
    }
}

TEST_FILE(.shared = true)
