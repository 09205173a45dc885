/* by by its definition: fractions of 128-bit integers, and doubles in the documented order. */
#include "test.h"

#include "filter_make.h"
#include "model.h"

enum { ADD, SUB, MUL, DIV, OPS };
static const char *const ops[] = {"add", "sub", "mul", "div"};

/* Scales as text, and as over / under; 0 / 0 is the mean. */
typedef struct scale_text {
    const char *text;
    int64_t over, under;
} scale_text;

static const scale_text scales[] = {
    {"auto", 0, 0},
    {"1", 1, 1},
    {"0.5", 1, 2},
    {"0.3", 3, 10},
    {"0.1", 1, 10},
    {"2.5", 5, 2},
    {"1.000000001", 1000000001, 1000000000},
    {"0.003921568627451", 3921568627451, 1000000000000000}, /* 1 / 255 */
    {"1.5259021896696e-5", 15259021897, 1000000000000000},  /* 1 / 65535, of 15 places */
    {"1e-15", 1, 1000000000000000},
    {"0", 0, 1},
    {"200", 200, 1},
    {"1000000", 1000000, 1},
};
enum { SCALES = sizeof scales / sizeof *scales };

typedef struct by_case {
    int op, type, other_type, channels, other_channels;
    bool alpha, other_alpha; /* among the channels */
    int64_t width, height;
    int full, other_full;   /* of the pictures; 0: the types' */
    int named, other_named; /* by options; 0: none */
    scale_text scale;
    uint64_t seed;
} by_case;

/* ------------------------------------------------------------------------- definition */

/* What an option says counts of floats, and of integers up to what the picture says. */
static bool counts(int type, int full, int named)
{
    return named && (!satf_type_max(type) || named <= model_full(type, full));
}

static double white_of(int type, int full, int named)
{
    return counts(type, full, named) ? named : model_full(type, full);
}

static double white(const by_case *c)
{
    return white_of(c->type, c->full, c->named);
}

/* full=M is for both pictures where they have one kind of samples and neither says its own. */
static double other_white(const by_case *c)
{
    bool floats = !satf_type_max(c->type) && !satf_type_max(c->other_type);
    bool alike = (floats || c->type == c->other_type) && !c->full && !c->other_full;
    int named = c->other_named ? c->other_named : alike ? c->named : 0;
    return white_of(c->other_type, c->other_full, named);
}

static double whole_by(const by_case *c, int64_t p, int64_t q, int64_t sum)
{
    int64_t most = (int64_t)white(c), full = most, other = (int64_t)other_white(c);
    bool mean = c->scale.under == 0;
    ref_wide over = mean ? sum : c->scale.over;
    ref_wide under = mean ? c->width * c->height : c->scale.under;
    if (mean && c->op == DIV) {
        full = other = 1;
    }
    if (c->op == DIV && q == 0) {
        return p ? (double)most : 0;
    }
    ref_wide below = under * other, term = over * q * full;
    if (c->op == DIV) {
        below = under * q * full;
        term = over * p * other;
    }
    ref_wide start = c->op == ADD || c->op == SUB ? p * below : 0;
    term *= c->op == MUL ? p : c->op == SUB ? -1 : 1;
    return model_saturated((double)model_round(start + term, below), (double)most);
}

/* Not rounded. */
static double real_by(const by_case *c, double p, double q, double sum)
{
    double n = (double)(c->width * c->height);
    double s = c->scale.under ? strtod(c->scale.text, NULL) : sum / n;
    if (c->op == DIV && q == 0) {
        return p == 0 ? 0 : white(c);
    }
    bool cancels = c->op == DIV && !c->scale.under;
    if (counts(c->other_type, c->other_full, c->other_named) && !cancels) {
        q *= white(c) / other_white(c);
    }
    return c->op == ADD   ? p + s * q
           : c->op == SUB ? p - s * q
           : c->op == MUL ? p * q * s
                          : p * s / q;
}

static double define(const by_case *c, double p, double q, double sum)
{
    double most = white(c), max = (double)satf_type_max(c->type);
    if (max > 0 && satf_type_max(c->other_type) > 0) {
        return whole_by(c, (int64_t)p, (int64_t)q, (int64_t)sum);
    }
    double value = real_by(c, p, q, sum);
    if (max > 0) {
        value = floor(value) + (value - floor(value) >= 0.5);
        return model_saturated(value, most);
    }
    return c->type == SATF_F32 ? (double)(float)value : value;
}

/* ------------------------------------------------------------------------------- cases */

static satf_view draw(int64_t width, int64_t height, int channels, bool alpha, int type, int full,
                      uint64_t *seed)
{
    satf_view view = satf_view_packed(NULL, width, height, channels, (satf_type)type);
    view.flags = alpha ? SATF_ALPHA : 0;
    view.full = full;
    view.data = malloc((size_t)(view.stride * height));
    int64_t most = satf_type_max(type) ? (int64_t)model_full(type, full) : 4095;
    int64_t few = ref_random(seed) % 2 ? most : (int64_t)(ref_random(seed) % 9);
    for (int64_t i = 0; i < height * satf_row_samples(&view); i++) {
        uint64_t r = ref_random(seed);
        int64_t whole = r % 9 == 0 ? most : r % 9 == 1 ? 0 : (int64_t)(r >> 32) % (few + 1);
        put_at(&view, 0, i, satf_type_max(type) ? (double)whole : (double)(whole - 300) / 16);
    }
    return view;
}

static satf_filter *make(satf_context *ctx, const by_case *c, const satf_view *other)
{
    satf_filter *filter;
    MUST(ctx, satf_filter_create(ctx, "by", &filter));
    MUST(ctx, satf_filter_set(ctx, filter, "op", ops[c->op]));
    MUST(ctx, satf_filter_set(ctx, filter, "scale", c->scale.text));
    MUST(ctx, satf_filter_set_int(ctx, filter, "full", c->named));
    MUST(ctx, satf_filter_set_int(ctx, filter, "other_full", c->other_named));
    MUST(ctx, other ? satf_filter_set_image(ctx, filter, other) : SATF_OK);
    return filter;
}

typedef struct by_inputs {
    const by_case *c;
    satf_view in, other;
    double sums[4]; /* of the other's channels; of floats that are multiples of 1/16 in any order */
} by_inputs;

static bool is_right(const void *user, const model_place *at, double got, double *want)
{
    const by_inputs *i = user;
    const by_case *c = i->c;
    int colours = c->channels - c->alpha;
    int from = c->other_channels - c->other_alpha == 1 || at->channel == colours ? 0 : at->channel;
    double p = sample_at(&i->in, at->y, at->x * c->channels + at->channel);
    double q = sample_at(&i->other, at->y, at->x * c->other_channels + from);
    *want = at->channel == colours ? p : define(c, p, q, i->sums[from]);
    return got == *want;
}

/* The ways: with an image that the filter keeps, and as a plan's second input, where that is alike.
 */
static void check_inputs(satf_context *ctx, by_inputs *i)
{
    const by_case *c = i->c;
    SCOPED_FILTER *filter = make(ctx, c, &i->other), *without = make(ctx, c, NULL);
    bool second =
        c->other_channels == c->channels && c->other_alpha == c->alpha && c->scale.under > 0;
    char more[60];
    snprintf(more, sizeof more, "full %d, by %s %d of %d%s", c->full, satf_type_name(c->other_type),
             c->other_channels, c->other_full, c->other_alpha ? " with alpha" : "");
    for (int64_t k = 0; k < i->other.height * satf_row_samples(&i->other); k++) {
        i->sums[k % c->other_channels] += sample_at(&i->other, 0, k);
    }
    MODEL_CHECK(ctx, .filter = filter, .in = i->in,
                .ways = MODEL_AUTO | MODEL_PART | MODEL_ROWS | MODEL_IN_TURN,
                .without = second ? without : NULL, .second = &i->other, .right = is_right,
                .user = i, .more = more, .seed = c->seed);
}

TEST(test_cases)
{
    static const int types[] = {SATF_U8, SATF_U16, SATF_U8, SATF_U16, SATF_F32, SATF_F64};
    static const int fulls[] = {0, 0, 15, 255, 4095, 65535}, names[] = {0, 0, 9, 200, 4095};
    for (uint64_t seed = 1; seed <= 4000; seed++) {
        uint64_t r = seed, samples = seed;
        by_case c = {.op = model_pick(&r, OPS),
                     .type = types[model_pick(&r, 6)],
                     .other_type = types[model_pick(&r, 6)],
                     .channels = 1 + model_pick(&r, 4),
                     .width = 1 + model_pick(&r, 30),
                     .height = 1 + model_pick(&r, 9),
                     .full = fulls[model_pick(&r, 6)],
                     .other_full = fulls[model_pick(&r, 6)],
                     .named = names[model_pick(&r, 5)],
                     .other_named = names[model_pick(&r, 5)],
                     .scale = scales[model_pick(&r, SCALES)],
                     .seed = seed};
        c.alpha = c.channels % 2 == 0 && model_pick(&r, 2);
        c.other_channels = model_pick(&r, 2) ? 1 : c.channels - c.alpha;
        c.other_alpha = c.other_channels % 2 && model_pick(&r, 2);
        c.other_channels += c.other_alpha;
        c.full = c.full <= (double)satf_type_max(c.type) ? c.full : 0;
        c.other_full = c.other_full <= (double)satf_type_max(c.other_type) ? c.other_full : 0;
        by_inputs i = {.c = &c};
        i.in = draw(c.width, c.height, c.channels, c.alpha, c.type, c.full, &samples);
        i.other = draw(c.width, c.height, c.other_channels, c.other_alpha, c.other_type,
                       c.other_full, &samples);
        check_inputs(ctx, &i);
        free(i.in.data);
        free(i.other.data);
    }
}

/* x of a x = b modulo m, which has no divisor in common with a. */
static int64_t solve(int64_t a, int64_t b, int64_t m)
{
    int64_t r = m, next = a % m, x = 0, next_x = 1;
    while (next) { /* r = a x modulo m */
        int64_t whole = r / next, rest = r % next, was = x;
        r = next;
        next = rest;
        x = next_x;
        next_x = was - whole * next_x;
    }
    x = (int64_t)((ref_wide)x * b % m);
    return x < 0 ? x + m : x;
}

/* A mean by which a pixel's quotient is as near to a half as fractions of its size can be, above it
 * or below: by 2^-54 of it, which doubles do not tell. */
TEST(test_nearest_to_half)
{
    enum { W = 2047, H = 2053, N = W * H, P = 65535, Q = 32749 };
    for (int off = -1; off <= 1; off += 2) {
        by_case c = {.op = DIV,
                     .type = SATF_U16,
                     .other_type = SATF_U16,
                     .channels = 1,
                     .other_channels = 1,
                     .width = W,
                     .height = H,
                     .scale = scales[0]};
        int64_t sum = solve(2 * P, off, (int64_t)N * Q), rest = sum - Q;
        SCOPED uint16_t *p = malloc(2 * N), *q = malloc(2 * N);
        assert_true(sum > Q && (2 * P * sum - off) % ((int64_t)N * Q) == 0);
        for (int i = 0; i < N; i++) {
            p[i] = P;
            q[i] = (uint16_t)(i ? rest / (N - 1) + (i <= rest % (N - 1)) : Q);
        }
        by_inputs i = {.c = &c, .in = satf_view_packed(p, W, H, 1, SATF_U16)};
        i.other = i.in;
        i.other.data = q;
        assert_int_equal(whole_by(&c, P, Q, sum), 2 * P * sum / ((int64_t)N * Q) / 2 + (off > 0));
        check_inputs(ctx, &i);
    }
}

/* Of a closed shutter all is divided by 0. Integers into floats are not rounded nor saturated. */
TEST(test_few)
{
    static const struct {
        int op;
        const char *scale;
        int type;
        uint8_t in[4], other[4];
        double want[4];
    } cases[] = {
        {DIV, "auto", SATF_U8, {0, 1, 200, 255}, {0}, {0, 255, 255, 255}},
        {DIV, "1", SATF_U8, {0, 1, 200, 255}, {0}, {0, 255, 255, 255}},
        {DIV, "0", SATF_U8, {0, 1, 200, 255}, {0}, {0, 255, 255, 255}},
        {ADD, "0.5", SATF_F64, {10, 200, 250, 0}, {4, 255, 100, 0}, {12, 327.5, 300, 0}},
        {SUB, "0.5", SATF_F64, {10, 200, 250, 0}, {4, 255, 100, 0}, {8, 72.5, 200, 0}},
        {MUL, "0.5", SATF_F64, {10, 200, 250, 0}, {4, 255, 100, 0}, {20, 25500, 12500, 0}},
        {DIV,
         "0.5",
         SATF_F64,
         {10, 200, 250, 0},
         {4, 255, 100, 1},
         {1.25, 200 * 0.5 / 255, 1.25, 0}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        satf_view in = satf_view_packed((void *)(uintptr_t)cases[k].in, 4, 1, 1, SATF_U8),
                  other = in;
        by_case c = {.op = cases[k].op, .scale = {cases[k].scale, 0, 0}};
        other.data = (void *)(uintptr_t)cases[k].other;
        SCOPED_FILTER *filter = make(ctx, &c, &other);
        MODEL_CHECK(ctx, .filter = filter, .in = in, .ways = MODEL_AUTO, .type = cases[k].type,
                    .right = model_is_value, .user = &(model_values){.values = cases[k].want});
    }
}

/* What dimensions are called counts for the input, not for an array beside it. */
TEST(test_axes)
{
    static const char head[] = "\x93NUMPY\x01\x00\x76\x00"
                               "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3)}";
    char array[128 + 6];
    memset(array, ' ', sizeof array);
    memcpy(array, head, sizeof head - 1);
    memcpy(array + 127, "\n\1\2\3\4\5\6", 7);
    FILE *file = fopen("a.npy", "wb");
    assert_int_equal(fwrite(array, 1, sizeof array, file), sizeof array);
    fclose(file);
    MUST(ctx, satf_context_set_axes(ctx, "ZYX"));
    SCOPED_FILTER *filter = parse_filter(ctx, "by=a.npy");
    uint8_t in[6] = {0, 0, 0, 1, 1, 250}, out[6];
    satf_view from = satf_view_packed(in, 3, 2, 1, SATF_U8), to = from;
    to.data = out;
    MUST(ctx, satf_filter_apply(ctx, filter, &from, &to));
    assert_memory_equal(out, "\1\2\3\5\6\377", 6);
}

TEST(test_texts)
{
    static const char *const texts[][3] = {
        {"op", "max", "'max' is no op for by: add|sub|mul|div are possible"},
        {"scale", "automatic", "'automatic' is no scale for by: it must be a number or auto"},
        {"scale", "nan", "a number or auto"},
        {"scale", "-1", "scale = -1: 0 to 1000000 are possible"},
        {"scale", "1000001", "0 to 1000000 are possible"}};
    SCOPED_FILTER *filter;
    uint8_t pixel = 1;
    satf_view view = satf_view_packed(&pixel, 1, 1, 1, SATF_U8);
    MUST(ctx, satf_filter_create(ctx, "by", &filter));
    for (int k = 0; k < 5; k++) {
        expect(ctx, satf_filter_set(ctx, filter, texts[k][0], texts[k][1]), SATF_INVALID,
               texts[k][2]);
    }
    expect(ctx, satf_filter_set_double(ctx, filter, "scale", NAN), SATF_INVALID, "are possible");
    expect(ctx, satf_filter_parse(ctx, "by", &(satf_filter *){NULL}), SATF_INVALID,
           "'by' needs a value: by=FILE");
    MUST(ctx, satf_filter_set_image(ctx, filter, &view));
    char text[60];
    MUST(ctx, satf_filter_set_double(ctx, filter, "scale", 0.3));
    satf_filter_print(filter, text, sizeof text);
    assert_string_equal(text, "by=FILE,scale=0.3");
}

TEST_FILE(.shared = true, .folder = true)
