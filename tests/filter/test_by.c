/* by by its definition: fractions of 128-bit integers, and doubles in the documented order. */
#include "test.h"

#include "base/parallel.h"
#include "filter_files.h"
#include "filter_reference.h"

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

static double full_of(int type, int full)
{
    double max = (double)satf_type_max(type);
    return full ? full : max > 0 ? max : 1;
}

/* What an option says counts of floats, and of integers up to what the picture says. */
static bool counts(int type, int full, int named)
{
    return named && (!satf_type_max(type) || named <= full_of(type, full));
}

static double white_of(int type, int full, int named)
{
    return counts(type, full, named) ? named : full_of(type, full);
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

static double load(const satf_view *view, int64_t x, int64_t y, int channel)
{
    const char *row = satf_row(view, y);
    int64_t i = x * view->channels + channel;
    return view->type == SATF_U8    ? ((const uint8_t *)row)[i]
           : view->type == SATF_U16 ? ((const uint16_t *)(const void *)row)[i]
           : view->type == SATF_F32 ? (double)((const float *)(const void *)row)[i]
                                    : ((const double *)(const void *)row)[i];
}

static void store(const satf_view *view, int64_t i, double value)
{
    if (view->type == SATF_U8) {
        ((uint8_t *)view->data)[i] = (uint8_t)value;
    } else if (view->type == SATF_U16) {
        ((uint16_t *)view->data)[i] = (uint16_t)value;
    } else if (view->type == SATF_F32) {
        ((float *)view->data)[i] = (float)value;
    } else {
        ((double *)view->data)[i] = value;
    }
}

/* Of a channel; of floats that are multiples of 1/16 in any order. */
static double sum_of(const satf_view *view, int channel)
{
    double sum = 0;
    for (int64_t y = 0; y < view->height; y++) {
        for (int64_t x = 0; x < view->width; x++) {
            sum += load(view, x, y, channel);
        }
    }
    return sum;
}

/* The fraction above / below, whose half is rounded up, of above >= 0 or not. */
static ref_wide round_up(ref_wide above, ref_wide below)
{
    ref_wide twice = 2 * above + below, whole = twice / (2 * below);
    return whole - (twice % (2 * below) < 0);
}

static double by_integers(const by_case *c, int64_t p, int64_t q, int64_t sum)
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
    ref_wide term = over * q * full, below = under * other, above = 0;
    switch (c->op) {
    case ADD:
        above = p * below + term;
        break;
    case SUB:
        above = p * below - term;
        break;
    case MUL:
        above = p * term;
        break;
    default:
        above = over * p * other;
        below = under * q * full;
    }
    ref_wide result = round_up(above, below);
    return result < 0 ? 0 : result > most ? (double)most : (double)result;
}

/* Not rounded. */
static double by_floats(const by_case *c, double p, double q, double sum)
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
        return by_integers(c, (int64_t)p, (int64_t)q, (int64_t)sum);
    }
    double value = by_floats(c, p, q, sum);
    if (max > 0) {
        value = floor(value) + (value - floor(value) >= 0.5);
        return value < 0 ? 0 : value > most ? most : value;
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
    int64_t most = satf_type_max(type) ? (int64_t)full_of(type, full) : 4095;
    int64_t few = ref_random(seed) % 2 ? most : (int64_t)(ref_random(seed) % 9);
    for (int64_t i = 0; i < width * height * channels; i++) {
        uint64_t r = ref_random(seed);
        int64_t whole = r % 9 == 0 ? most : r % 9 == 1 ? 0 : (int64_t)(r >> 32) % (few + 1);
        store(&view, i, satf_type_max(type) ? (double)whole : (double)(whole - 300) / 16);
    }
    return view;
}

static satf_filter *make(satf_context *ctx, const by_case *c, const satf_view *other)
{
    satf_filter *filter;
    assert_int_equal(satf_filter_create(ctx, "by", &filter), SATF_OK);
    assert_int_equal(satf_filter_set(ctx, filter, "op", ops[c->op]), SATF_OK);
    assert_int_equal(satf_filter_set(ctx, filter, "scale", c->scale.text), SATF_OK);
    assert_int_equal(satf_filter_set_int(ctx, filter, "full", c->named), SATF_OK);
    assert_int_equal(satf_filter_set_int(ctx, filter, "other_full", c->other_named), SATF_OK);
    if (other && satf_filter_set_image(ctx, filter, other)) {
        fail_msg("%s", satf_message(ctx));
    }
    return filter;
}

static void compare(const by_case *c, const satf_view *in, const satf_view *other,
                    const satf_view *out, int way)
{
    int colours = c->channels - c->alpha;
    for (int channel = 0; channel < c->channels; channel++) {
        int from = c->other_channels - c->other_alpha == 1 || channel == colours ? 0 : channel;
        double sum = sum_of(other, from);
        for (int64_t i = 0; i < c->width * c->height; i++) {
            int64_t x = i % c->width, y = i / c->width;
            double p = load(in, x, y, channel), q = load(other, x, y, from);
            double got = load(out, x, y, channel);
            double want = channel == colours ? p : define(c, p, q, sum);
            if (got != want) {
                fail_msg("seed %lu, %s %s %d of %d%s, by %s %d of %d%s, full=%d,other_full=%d, "
                         "scale %s, way %d, %ld x %ld: at (%ld, %ld) channel %d, p %.17g, q "
                         "%.17g: %.17g, not %.17g",
                         (unsigned long)c->seed, ops[c->op], satf_type_name(c->type), c->channels,
                         c->full, c->alpha ? " with alpha" : "", satf_type_name(c->other_type),
                         c->other_channels, c->other_full, c->other_alpha ? " with alpha" : "",
                         c->named, c->other_named, c->scale.text, way, (long)c->width,
                         (long)c->height, (long)x, (long)y, channel, p, q, got, want);
            }
        }
    }
}

/* The ways: with an image that the filter keeps, and as a plan's second input, where that is alike.
 */
static void check_case(satf_context *ctx, const by_case *c)
{
    uint64_t seed = c->seed;
    satf_view in = draw(c->width, c->height, c->channels, c->alpha, c->type, c->full, &seed);
    satf_view other = draw(c->width, c->height, c->other_channels, c->other_alpha, c->other_type,
                           c->other_full, &seed);
    satf_view out = in;
    out.data = malloc((size_t)(out.stride * out.height));
    bool second =
        c->other_channels == c->channels && c->other_alpha == c->alpha && c->scale.under > 0;
    for (int way = 0; way < 1 + second; way++) {
        SCOPED_FILTER *filter = make(ctx, c, way ? NULL : &other);
        SCOPED_PLAN *plan = NULL;
        satf_view inputs[2] = {in, other};
        satf_status status = way ? satf_plan_create(ctx, filter, inputs, 2, &out, 1, &plan)
                                 : satf_filter_apply(ctx, filter, &in, &out);
        status = plan ? satf_plan_run(plan, inputs, 2, &out, 1) : status;
        if (status) {
            fail_msg("%s", satf_message(ctx));
        }
        compare(c, &in, &other, &out, way);
    }
    free(in.data);
    free(other.data);
    free(out.data);
}

static int choose(uint64_t *seed, int count)
{
    return (int)((ref_random(seed) >> 33) % (uint64_t)count);
}

TEST(test_cases)
{
    static const int types[] = {SATF_U8, SATF_U16, SATF_U8, SATF_U16, SATF_F32, SATF_F64};
    static const int fulls[] = {0, 0, 15, 255, 4095, 65535}, names[] = {0, 0, 9, 200, 4095};
    satf_context_set_threads(ctx, 2);
    for (uint64_t seed = 1; seed <= 4000; seed++) {
        uint64_t r = seed;
        int type = types[choose(&r, 6)], other = types[choose(&r, 6)];
        int full = fulls[choose(&r, 6)], other_full = fulls[choose(&r, 6)];
        by_case c = {.op = choose(&r, OPS),
                     .type = type,
                     .other_type = other,
                     .channels = 1 + choose(&r, 4),
                     .width = 1 + choose(&r, 30),
                     .height = 1 + choose(&r, 9),
                     .scale = scales[choose(&r, SCALES)],
                     .seed = seed};
        c.alpha = c.channels % 2 == 0 && choose(&r, 2);
        int colours = c.channels - c.alpha;
        c.other_channels = choose(&r, 2) ? 1 : colours;
        c.other_alpha = c.other_channels % 2 && choose(&r, 2);
        c.other_channels += c.other_alpha;
        c.full = full <= (double)satf_type_max(type) ? full : 0;
        c.other_full = other_full <= (double)satf_type_max(other) ? other_full : 0;
        c.named = names[choose(&r, 5)];
        c.other_named = names[choose(&r, 5)];
        check_case(ctx, &c);
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
        SCOPED uint16_t *p = malloc(2 * N), *q = malloc(2 * N), *made = malloc(2 * N);
        assert_true(sum > Q && (2 * P * sum - off) % ((int64_t)N * Q) == 0);
        for (int i = 0; i < N; i++) {
            p[i] = P;
            q[i] = (uint16_t)(i ? rest / (N - 1) + (i <= rest % (N - 1)) : Q);
        }
        satf_view in = satf_view_packed(p, W, H, 1, SATF_U16), other = in, out = in;
        other.data = q;
        out.data = made;
        SCOPED_FILTER *filter = make(ctx, &c, &other);
        assert_int_equal(satf_filter_apply(ctx, filter, &in, &out), SATF_OK);
        assert_int_equal(made[0], 2 * P * sum / ((int64_t)N * Q) / 2 + (off > 0));
        compare(&c, &in, &other, &out, 0);
    }
}

/* Of a closed shutter: all is divided by 0. */
TEST(test_black)
{
    static const uint8_t in[4] = {0, 1, 200, 255}, black[4] = {0}, want[4] = {0, 255, 255, 255};
    uint8_t out[4];
    satf_view from = satf_view_packed((void *)(uintptr_t)in, 4, 1, 1, SATF_U8), other = from;
    satf_view to = from;
    other.data = (void *)(uintptr_t)black;
    to.data = out;
    static const char *const scale[] = {"auto", "1", "0"};
    for (int i = 0; i < 3; i++) {
        by_case c = {.op = DIV, .scale = {scale[i], 0, 0}};
        SCOPED_FILTER *filter = make(ctx, &c, &other);
        assert_int_equal(satf_filter_apply(ctx, filter, &from, &to), SATF_OK);
        assert_memory_equal(out, want, sizeof want);
    }
}

/* Integers into floats are not rounded, and not saturated. */
TEST(test_into_floats)
{
    static const uint8_t in[3] = {10, 200, 250}, other[3] = {4, 255, 100};
    static const double want[OPS][3] = {
        {12, 327.5, 300}, {8, 72.5, 200}, {20, 25500, 12500}, {1.25, 200 * 0.5 / 255, 1.25}};
    double out[3];
    satf_view from = satf_view_packed((void *)(uintptr_t)in, 3, 1, 1, SATF_U8), by = from;
    satf_view to = satf_view_packed(out, 3, 1, 1, SATF_F64);
    by.data = (void *)(uintptr_t)other;
    for (int op = 0; op < OPS; op++) {
        by_case c = {.op = op, .scale = scales[2]};
        SCOPED_FILTER *filter = make(ctx, &c, &by);
        assert_int_equal(satf_filter_apply(ctx, filter, &from, &to), SATF_OK);
        assert_memory_equal(out, want[op], sizeof out);
    }
}

/* -------------------------------------------------------------------- files, chains, faults */

/* Dark frame and flat field of files, before a mean: the same as one after the other. */
TEST(test_chain)
{
    enum { W = 20, H = 12, PIXELS = W * H };
    uint8_t in[PIXELS], dark[PIXELS], flat[PIXELS], between[2][PIXELS], got[PIXELS], want[PIXELS];
    for (int i = 0; i < PIXELS; i++) {
        in[i] = (uint8_t)(i * 37);
        dark[i] = (uint8_t)(i % 7);
        flat[i] = (uint8_t)(100 + i % W * 5);
    }
    char path[2][40] = {"/tmp/satfilter-dark-XXXXXX.pgm", "/tmp/satfilter-flat-XXXXXX.pgm"};
    for (int k = 0; k < 2; k++) {
        int fd = mkstemps(path[k], 4);
        assert_true(fd >= 0);
        close(fd);
        write_pgm(path[k], k ? flat : dark, W, H);
    }
    char spec[200];
    satf_filter *chain, *steps[3];
    snprintf(spec, sizeof spec, "by=%s,op=sub by=%s,op=div,scale=auto box=3", path[0], path[1]);
    assert_int_equal(satf_filter_parse(ctx, spec, &chain), SATF_OK);
    satf_filter_print(chain, spec, sizeof spec);
    assert_string_equal(spec, "by=FILE,op=sub by=FILE,op=div,scale=auto box=3");
    by_case sub = {.op = SUB, .scale = scales[1]}, div = {.op = DIV, .scale = scales[0]};
    satf_view from = satf_view_packed(in, W, H, 1, SATF_U8), other = from, to = from;
    other.data = dark;
    steps[0] = make(ctx, &sub, &other);
    other.data = flat;
    steps[1] = make(ctx, &div, &other);
    assert_int_equal(satf_filter_parse(ctx, "box=3", &steps[2]), SATF_OK);
    memset(dark, 9, sizeof dark); /* they were copied */
    memset(flat, 9, sizeof flat);
    to.data = got;
    assert_int_equal(satf_filter_apply(ctx, chain, &from, &to), SATF_OK);
    for (int k = 0; k < 3; k++) {
        to.data = k == 2 ? want : between[k];
        assert_int_equal(satf_filter_apply(ctx, steps[k], &from, &to), SATF_OK);
        from.data = to.data;
        satf_filter_destroy(steps[k]);
    }
    assert_memory_equal(got, want, sizeof got);
    satf_filter_destroy(chain);

    satf_context_set_filter_files(ctx, 0);
    snprintf(spec, sizeof spec, "by=%s,op=sub", path[0]);
    expect(ctx, satf_filter_parse(ctx, spec, &chain), SATF_LIMIT, "may not be read here");
    satf_context_set_filter_files(ctx, 1);
    unlink(path[0]);
    unlink(path[1]);
    expect(ctx, satf_filter_parse(ctx, spec, &chain), SATF_IO, path[0]);
}

/* What dimensions are called counts for the input, not for an array beside it. */
TEST(test_axes)
{
    static const char head[] = "\x93NUMPY\x01\x00\x76\x00"
                               "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3)}";
    char path[] = "/tmp/satfilter-by-XXXXXX.npy", spec[60], array[128 + 6];
    memset(array, ' ', sizeof array);
    memcpy(array, head, sizeof head - 1);
    memcpy(array + 127, "\n\1\2\3\4\5\6", 7);
    int fd = mkstemps(path, 4);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, array, sizeof array), sizeof array);
    close(fd);
    snprintf(spec, sizeof spec, "by=%s", path);
    SCOPED_FILTER *filter;
    assert_int_equal(satf_context_set_axes(ctx, "ZYX"), SATF_OK);
    satf_status status = satf_filter_parse(ctx, spec, &filter);
    unlink(path);
    if (status) {
        fail_msg("%s", satf_message(ctx));
    }
    uint8_t in[6] = {0, 0, 0, 1, 1, 250}, out[6];
    satf_view from = satf_view_packed(in, 3, 2, 1, SATF_U8), to = from;
    to.data = out;
    assert_int_equal(satf_filter_apply(ctx, filter, &from, &to), SATF_OK);
    assert_memory_equal(out, "\1\2\3\5\6\377", 6);
}

TEST(test_texts)
{
    SCOPED_FILTER *filter;
    uint8_t pixel = 1;
    satf_view view = satf_view_packed(&pixel, 1, 1, 1, SATF_U8);
    assert_int_equal(satf_filter_create(ctx, "by", &filter), SATF_OK);
    expect(ctx, satf_filter_set(ctx, filter, "op", "max"), SATF_INVALID,
           "'max' is no op for by: add|sub|mul|div are possible");
    expect(ctx, satf_filter_set(ctx, filter, "scale", "automatic"), SATF_INVALID,
           "'automatic' is no scale for by: it must be a number or auto");
    expect(ctx, satf_filter_set(ctx, filter, "scale", "nan"), SATF_INVALID, "a number or auto");
    expect(ctx, satf_filter_set(ctx, filter, "scale", "-1"), SATF_INVALID,
           "scale = -1: 0 to 1000000 are possible");
    expect(ctx, satf_filter_set(ctx, filter, "scale", "1000001"), SATF_INVALID,
           "0 to 1000000 are possible");
    expect(ctx, satf_filter_set_double(ctx, filter, "scale", NAN), SATF_INVALID, "are possible");
    expect(ctx, satf_filter_parse(ctx, "by", &(satf_filter *){NULL}), SATF_INVALID,
           "'by' needs a value: by=FILE");
    assert_int_equal(satf_filter_set_image(ctx, filter, &view), SATF_OK);
    char text[60];
    assert_int_equal(satf_filter_set_double(ctx, filter, "scale", 0.3), SATF_OK);
    satf_filter_print(filter, text, sizeof text);
    assert_string_equal(text, "by=FILE,scale=0.3");
}

/* What a filter with such an image says of an 8 x 6 picture of so many channels. */
static void refuse(satf_context *ctx, satf_view other, int channels, uint32_t flags,
                   const char *part)
{
    static double zeros[8 * 6 * 4], out[8 * 6 * 4];
    satf_view in = satf_view_packed(zeros, 8, 6, channels, SATF_U8), to = in;
    by_case c = {.op = DIV, .scale = scales[1]};
    in.flags = to.flags = flags;
    other.data = zeros;
    to.data = out;
    memset(out, 7, sizeof out);
    SCOPED_FILTER *filter = make(ctx, &c, &other);
    expect(ctx, satf_filter_apply(ctx, filter, &in, &to), SATF_INVALID, part);
    assert_int_equal(((uint8_t *)out)[0], 7);
}

TEST(test_refusals)
{
    satf_view two = satf_view_packed(NULL, 8, 6, 2, SATF_U16);
    satf_view alpha = satf_view_packed(NULL, 8, 6, 4, SATF_U16);
    alpha.flags = SATF_ALPHA;
    refuse(ctx, satf_view_packed(NULL, 8, 5, 1, SATF_U8), 1, 0,
           "the auxiliary input is 8 x 5 of 1 u8; it must be 8 x 6 of 1 channel, as the "
           "input, alpha not counted, and u8, u16, f32 or f64");
    refuse(ctx, satf_view_packed(NULL, 7, 6, 1, SATF_U8), 1, 0, "is 7 x 6 of 1 u8");
    refuse(ctx, two, 3, 0,
           "is 8 x 6 of 2 u16; it must be 8 x 6 of 3 channels, as the input, or of 1, alpha");
    refuse(ctx, two, 4, SATF_ALPHA, "must be 8 x 6 of 3 channels");
    refuse(ctx, alpha, 1, 0, "is 8 x 6 of 3 u16 and alpha; it must be 8 x 6 of 1 channel,");
    refuse(ctx, satf_view_packed(NULL, 8, 6, 1, SATF_U32), 1, 0, "of 1 u32; it must be");

    uint8_t in[48] = {0}, out[48];
    satf_view view = satf_view_packed(in, 8, 6, 1, SATF_U8), to = view, inputs[2] = {view, view};
    by_case mean = {.op = DIV, .scale = scales[0]}, one = {.op = ADD, .scale = scales[1]};
    SCOPED_FILTER *without = make(ctx, &one, NULL), *by_mean = make(ctx, &mean, NULL);
    satf_plan *plan;
    to.data = out;
    expect(ctx, satf_filter_apply(ctx, without, &view, &to), SATF_INVALID,
           "by has no auxiliary input yet");
    expect(ctx, satf_plan_create(ctx, by_mean, inputs, 2, &to, 1, &plan), SATF_UNSUPPORTED,
           "by takes the mean of the auxiliary input, which the filter has to keep");
    inputs[1] = satf_view_packed(in, 8, 6, 1, SATF_U64);
    expect(ctx, satf_plan_create(ctx, without, inputs, 2, &to, 1, &plan), SATF_INVALID,
           "of 1 u64; it must be");
    uint8_t grey[96] = {0}, made[96];
    inputs[0] = inputs[1] = satf_view_packed(grey, 8, 6, 2, SATF_U8);
    inputs[1].flags = SATF_ALPHA;
    satf_view result = satf_view_packed(made, 8, 6, 2, SATF_U8);
    expect(ctx, satf_plan_create(ctx, without, inputs, 2, &result, 1, &plan), SATF_INVALID,
           "of 1 u8 and alpha; it must be 8 x 6 of 2 channels");
    int64_t reach[4];
    assert_int_equal(satf_filter_reach(ctx, without, &reach[0], &reach[1], &reach[2], &reach[3]),
                     SATF_OK);
    assert_true(!reach[0] && !reach[1] && !reach[2] && !reach[3]);
}

TEST_FILE(.shared = true)
