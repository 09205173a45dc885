/* varbox by its definition: windows summed pixel by pixel in 128-bit integers. */
#include "test.h"

#include "base/parallel.h"
#include "filter_reference.h"

enum { BORDERS = SATF_SHRINK + 1 };
static const char *const borders[BORDERS] = {
    [SATF_CLAMP] = "clamp", [SATF_MIRROR] = "mirror",       [SATF_REFLECT] = "reflect",
    [SATF_WRAP] = "wrap",   [SATF_CONSTANT] = "constant:1", [SATF_SHRINK] = "shrink",
};

typedef struct varbox_case {
    ref_image image;
    int map_type, map_channels, border;
    bool map_alpha;
    uint64_t seed;
} varbox_case;

/* How often an axis of n pixels shows pixel i to a window of radius r around x; *outside: how many
 * pixels of it show none. */
static int64_t shows(int border, int64_t n, int64_t x, int64_t r, int64_t i, int64_t *outside)
{
    int64_t times = 0;
    *outside = 0;
    for (int64_t k = x - r; k <= x + r; k++) {
        int64_t at = satf_border_index(border, k, n);
        times += at == i;
        *outside += at < 0;
    }
    return times;
}

/* The mean as over / under; under 0: nothing counts. */
static void sum_window(const varbox_case *c, int64_t x, int64_t y, int64_t r, int lane,
                       ref_wide *over, ref_wide *under)
{
    const ref_image *image = &c->image;
    int64_t across[64], outside_x = 0, outside_y = 0, side = 2 * r + 1, inside = 0;
    int64_t constant = satf_type_max(image->type) ? 1 : REF_UNIT;
    bool weighted = image->alpha && lane < image->channels - 1;
    ref_wide sum = 0, weight = 0;
    for (int64_t i = 0; i < image->width; i++) {
        across[i] = shows(c->border, image->width, x, r, i, &outside_x);
    }
    for (int64_t j = 0; j < image->height; j++) {
        int64_t down = shows(c->border, image->height, y, r, j, &outside_y);
        for (int64_t i = 0; down && i < image->width; i++) {
            const int64_t *pixel = image->samples + (j * image->width + i) * image->channels;
            ref_wide times = (ref_wide)down * across[i];
            ref_wide alpha = weighted ? pixel[image->channels - 1] : 1;
            sum += times * alpha * pixel[lane];
            weight += times * alpha;
        }
    }
    inside = (side - outside_x) * (side - outside_y);
    if (c->border == SATF_CONSTANT) {
        ref_wide alpha = weighted ? constant : 1;
        sum += (ref_wide)(side * side - inside) * alpha * constant;
        weight += (ref_wide)(side * side - inside) * alpha;
    }
    *over = sum;
    *under = weight;
}

static double load(int type, const void *from, int64_t i)
{
    return type == SATF_U8    ? ((const uint8_t *)from)[i]
           : type == SATF_U16 ? ((const uint16_t *)from)[i]
           : type == SATF_F32 ? (double)((const float *)from)[i]
                              : ((const double *)from)[i];
}

static double mean_of(const varbox_case *c, ref_wide over, ref_wide under)
{
    double unit = satf_type_max(c->image.type) ? 1 : REF_UNIT;
    return under ? (double)over / unit / (double)under : 0;
}

static bool is_right(const varbox_case *c, int64_t x, int64_t y, int lane, double r, double got)
{
    bool whole_samples = satf_type_max(c->image.type) != 0;
    ref_wide over[2], under[2];
    r = !(r > 0) ? 0 : r > 32767 ? 32767 : r;
    double less = floor(r), more = r - less;
    sum_window(c, x, y, (int64_t)less, lane, &over[0], &under[0]);
    if (more == 0 && whole_samples) {
        ref_wide mean = under[0] ? (2 * over[0] + under[0]) / (2 * under[0]) : 0;
        return got == (double)mean;
    }
    double value = mean_of(c, over[0], under[0]);
    if (more > 0) {
        sum_window(c, x, y, (int64_t)less + 1, lane, &over[1], &under[1]);
        double other = mean_of(c, over[1], under[1]);
        value = under[0] ? value + more * (other - value) : other;
    }
    double room = whole_samples ? 0.5 + 1e-9 * value : c->image.type == SATF_F32 ? 1e-6 : 1e-12;
    return fabs(got - value) <= room * (whole_samples ? 1 : 1 + fabs(value));
}

/* Radii of all kinds; few that are large, as the reference takes long for these. */
static double draw_radius(int type, uint64_t *seed)
{
    static const double odd[] = {-1, NAN, INFINITY, -INFINITY, 1e300, 0.5, 32767, 32766.25, -0.0};
    uint64_t r = ref_random(seed);
    double whole = (double)((r >> 8) % 12);
    if (r % 97 == 0 && !satf_type_max(type)) {
        return odd[(r >> 20) % 9];
    }
    if (r % 997 == 1) {
        return type == SATF_U8 ? 255 : 65535;
    }
    double part = satf_type_max(type) || r % 3 == 0 ? 0 : (double)((r >> 40) % 1000) / 1000;
    return r % 31 == 2 ? whole * 9 : whole + part;
}

static satf_view draw_map(const varbox_case *c, uint64_t *seed)
{
    satf_view map = satf_view_packed(NULL, c->image.width, c->image.height, c->map_channels,
                                     (satf_type)c->map_type);
    map.flags = c->map_alpha ? SATF_ALPHA : 0;
    map.data = malloc((size_t)(map.stride * map.height));
    for (int64_t i = 0; i < map.width * map.height * map.channels; i++) {
        double r = draw_radius(map.type, seed);
        if (map.type == SATF_U8) {
            ((uint8_t *)map.data)[i] = (uint8_t)r;
        } else if (map.type == SATF_U16) {
            ((uint16_t *)map.data)[i] = (uint16_t)r;
        } else if (map.type == SATF_F32) {
            ((float *)map.data)[i] = (float)r;
        } else {
            ((double *)map.data)[i] = r;
        }
    }
    return map;
}

static void compare(const varbox_case *c, const satf_view *map, const satf_view *out)
{
    int channels = c->image.channels, of_map = c->map_channels - c->map_alpha;
    for (int64_t i = 0; i < ref_count(&c->image); i++) {
        int64_t p = i / channels, x = p % c->image.width, y = p / c->image.width;
        int lane = (int)(i % channels), from = lane < of_map ? lane : of_map - 1;
        double r = load(c->map_type, map->data, p * c->map_channels + from);
        double got = load(c->image.type, out->data, i);
        if (!is_right(c, x, y, lane, r, got)) {
            fail_msg("seed %lu, %s of %d%s, %ld x %ld %s, map %s of %d: %.17g in channel %d of "
                     "(%ld, %ld), where r is %.17g",
                     (unsigned long)c->seed, satf_type_name(c->image.type), channels,
                     c->image.alpha ? " with alpha" : "", (long)c->image.width,
                     (long)c->image.height, borders[c->border], satf_type_name(c->map_type),
                     c->map_channels, got, lane, (long)x, (long)y, r);
        }
    }
}

static satf_filter *make(satf_context *ctx, int border, const satf_view *map)
{
    satf_filter *filter;
    assert_int_equal(satf_filter_create(ctx, "varbox", &filter), SATF_OK);
    assert_int_equal(satf_filter_set(ctx, filter, "border", borders[border]), SATF_OK);
    if (map && satf_filter_set_image(ctx, filter, map)) {
        fail_msg("%s", satf_message(ctx));
    }
    return filter;
}

static void check_case(satf_context *ctx, varbox_case *c)
{
    uint64_t seed = c->seed;
    ref_fill(&c->image, c->seed);
    satf_view map = draw_map(c, &seed), in = ref_view(&c->image, 0), out = in;
    satf_filter *filter = make(ctx, c->border, &map);
    out.data = malloc((size_t)(out.stride * out.height));
    if (satf_filter_apply(ctx, filter, &in, &out)) {
        fail_msg("%s", satf_message(ctx));
    }
    compare(c, &map, &out);
    satf_filter_destroy(filter);
    if (c->map_channels == c->image.channels && c->map_alpha == (c->image.alpha != 0)) {
        satf_view inputs[2] = {in, map};
        SCOPED_PLAN *plan;
        filter = make(ctx, c->border, NULL);
        memset(out.data, 0xA5, (size_t)(out.stride * out.height));
        if (satf_plan_create(ctx, filter, inputs, 2, &out, 1, &plan) ||
            satf_plan_run(plan, inputs, 2, &out, 1)) {
            fail_msg("%s", satf_message(ctx));
        }
        compare(c, &map, &out);
        satf_filter_destroy(filter);
    }
    free(map.data);
    free(in.data);
    free(out.data);
    free(c->image.samples);
}

static int pick(uint64_t *seed, int count)
{
    return (int)((ref_random(seed) >> 33) % (uint64_t)count);
}

TEST(test_cases)
{
    static const int types[] = {SATF_U8, SATF_U16, SATF_F32, SATF_F64};
    satf_context_set_threads(ctx, 2);
    for (uint64_t seed = 1; seed <= 600; seed++) {
        uint64_t r = seed;
        varbox_case c = {.seed = seed, .border = pick(&r, BORDERS), .map_type = types[pick(&r, 4)]};
        c.image.type = types[pick(&r, 4)];
        c.image.channels = 1 + pick(&r, 4);
        c.image.alpha = c.image.channels % 2 == 0 && pick(&r, 2);
        c.image.width = 1 + pick(&r, 24);
        c.image.height = 1 + pick(&r, 12);
        c.map_channels = pick(&r, 2) ? 1 : c.image.channels - c.image.alpha;
        c.map_alpha = c.map_channels % 2 && pick(&r, 2);
        c.map_channels += c.map_alpha;
        check_case(ctx, &c);
    }
}

/* The mean over a window of f64 that ends at the picture's edges, and what of it is not finite. */
static double mean_inside(const satf_view *in, int64_t x, int64_t y, int64_t r)
{
    long double sum = 0, pixels = 0;
    for (int64_t j = y - r > 0 ? y - r : 0; j <= y + r && j < in->height; j++) {
        for (int64_t i = x - r > 0 ? x - r : 0; i <= x + r && i < in->width; i++) {
            sum += ((const double *)in->data)[j * in->width + i];
            pixels++;
        }
    }
    return (double)(sum / pixels);
}

/* What is not finite reaches what contains it alone, and so do sums that overflow in a table. */
TEST(test_not_finite)
{
    enum { W = 30, H = 25 };
    static const double bad[][3] = {{NAN, NAN, NAN},
                                    {INFINITY, INFINITY, INFINITY},
                                    {-INFINITY, -INFINITY, -INFINITY},
                                    {INFINITY, -INFINITY, NAN},
                                    {0, 0, 0}};
    double samples[W * H], radii[W * H], got[W * H];
    satf_view in = satf_view_packed(samples, W, H, 1, SATF_F64), map = in, out = in;
    uint64_t seed = 9;
    map.data = radii;
    out.data = got;
    for (int k = 0; k < 10; k++) {
        double size = k < 5 ? 1 : 1e306; /* of all together the sum is infinite */
        for (int i = 0; i < W * H; i++) {
            samples[i] = size * ((double)(ref_random(&seed) >> 40) / 0x1p24 + 0.5);
            radii[i] = (double)(ref_random(&seed) >> 40) / 0x1p22;
        }
        samples[4 * W + 4] += bad[k % 5][0];
        samples[4 * W + 9] += bad[k % 5][1];
        samples[20 * W + 22] += bad[k % 5][2];
        SCOPED_FILTER *filter = make(ctx, SATF_SHRINK, &map);
        assert_int_equal(satf_filter_apply(ctx, filter, &in, &out), SATF_OK);
        for (int i = 0; i < W * H; i++) {
            int64_t r = (int64_t)radii[i];
            double a = mean_inside(&in, i % W, i / W, r), b = mean_inside(&in, i % W, i / W, r + 1);
            double want = a + (radii[i] - (double)r) * (b - a);
            if (isnan(want) ? !isnan(got[i])
                            : got[i] != want && !(fabs(got[i] - want) <= 1e-9 * size)) {
                fail_msg("kind %d, pixel %d: %g instead of %g", k, i, got[i], want);
            }
        }
    }
}

/* Sums in a table that are finite, but not as often as a border shows them. */
TEST(test_overflow)
{
    double samples[7][3] = {{0}}, radii[7][3], got[7][3];
    satf_view in = satf_view_packed(samples, 3, 7, 1, SATF_F64), map = in, out = in;
    map.data = radii;
    out.data = got;
    samples[3][1] = 1e308;
    for (int i = 0; i < 21; i++) {
        radii[i / 3][i % 3] = 3;
    }
    SCOPED_FILTER *filter = make(ctx, SATF_CLAMP, &map);
    assert_int_equal(satf_filter_apply(ctx, filter, &in, &out), SATF_OK);
    assert_true(fabs(got[3][1] / (1e308 / 49) - 1) < 1e-12);
}

/* A MAP that comes beside the input may have any radius. */
TEST(test_reach)
{
    SCOPED_FILTER *filter = make(ctx, SATF_CLAMP, NULL);
    int64_t reach[4];
    assert_int_equal(satf_filter_reach(ctx, filter, &reach[0], &reach[1], &reach[2], &reach[3]),
                     SATF_OK);
    for (int i = 0; i < 4; i++) {
        assert_true(reach[i] == INT64_MAX);
    }
}

TEST(test_refusals)
{
    uint8_t pixels[12] = {0};
    satf_view in = satf_view_packed(pixels, 4, 3, 1, SATF_U8), map = in, out = in;
    uint8_t results[12];
    out.data = results;
    satf_filter *filter = make(ctx, SATF_CLAMP, NULL);
    assert_int_equal(satf_filter_apply(ctx, filter, &in, &out), SATF_INVALID);
    assert_non_null(strstr(satf_message(ctx), "auxiliary input"));
    satf_filter_destroy(filter);
    map.width = 3;
    filter = make(ctx, SATF_CLAMP, &map);
    assert_int_equal(satf_filter_apply(ctx, filter, &in, &out), SATF_INVALID);
    assert_non_null(strstr(satf_message(ctx), "is 3 x 3"));
    satf_filter_destroy(filter);
    filter = make(ctx, SATF_CLAMP, &in);
    assert_int_equal(satf_filter_set(ctx, filter, "border", "valid"), SATF_OK);
    assert_int_equal(satf_filter_apply(ctx, filter, &in, &out), SATF_INVALID);
    assert_non_null(strstr(satf_message(ctx), "windows of many sizes"));
    satf_filter_destroy(filter);
}

TEST_FILE(.shared = true)
