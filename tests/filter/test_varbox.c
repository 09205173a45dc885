/* varbox by its definition: windows summed pixel by pixel in 128-bit integers. */
#include "test.h"

#include "base/parallel.h"
#include "model.h"

typedef struct varbox_case {
    model_case of;
    satf_view map;
} varbox_case;

/* The mean by that radius, rounded or not; false: nothing counts. */
static bool mean_of(const model_case *c, const model_place *at, int64_t r, bool rounded,
                    double *mean)
{
    ref_wide over, under;
    satf_rect rect = {at->x - r, at->y - r, 2 * r + 1, 2 * r + 1};
    model_mean(&c->image, c->border, c->constant, rect, at->channel, &over, &under);
    *mean = under ? (double)over / (model_is_real(c) ? REF_UNIT : 1) / (double)under : 0;
    *mean = rounded ? (double)model_round(over, under) : *mean;
    return under != 0;
}

static bool is_right(const void *user, const model_place *at, double got, double *want)
{
    const varbox_case *v = user;
    const model_case *c = &v->of;
    int of_map = v->map.channels - (v->map.flags & SATF_ALPHA ? 1 : 0);
    int from = at->channel < of_map ? at->channel : of_map - 1;
    double r = sample_at(&v->map, at->y, at->x * v->map.channels + from), other;
    r = !(r > 0) ? 0 : r > 32767 ? 32767 : r;
    double less = floor(r), more = r - less;
    bool rounded = more == 0 && !model_is_real(c);
    bool any = mean_of(c, at, (int64_t)less, rounded, want);
    if (rounded) {
        return got == *want;
    }
    if (more > 0) {
        mean_of(c, at, (int64_t)less + 1, false, &other);
        *want = any ? *want + more * (other - *want) : other;
    }
    double room = c->image.type == SATF_F32 ? 1e-6 : 1e-12;
    room = model_is_real(c) ? room * (1 + fabs(*want)) : 0.5 + 1e-9 * *want;
    return fabs(got - *want) <= room;
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

static satf_view draw_map(const ref_image *image, uint64_t *seed, uint64_t of_radii)
{
    int colours = image->channels - image->alpha, channels = model_pick(seed, 2) ? 1 : colours;
    bool alpha = channels % 2 && model_pick(seed, 2);
    satf_view map = satf_view_packed(NULL, image->width, image->height, channels + alpha,
                                     (satf_type)model_types[model_pick(seed, 4)]);
    map.flags = alpha ? SATF_ALPHA : 0;
    map.data = malloc((size_t)(map.stride * map.height));
    for (int64_t i = 0; i < map.height * satf_row_samples(&map); i++) {
        put_at(&map, 0, i, draw_radius(map.type, &of_radii));
    }
    return map;
}

static satf_filter *make(satf_context *ctx, int border, const satf_view *map)
{
    satf_filter *filter;
    MUST(ctx, satf_filter_create(ctx, "varbox", &filter));
    MUST(ctx,
         satf_filter_set_border(ctx, filter, (satf_border)border, border == SATF_BORDER_CONSTANT));
    if (map) {
        MUST(ctx, satf_filter_set_image(ctx, filter, map));
    }
    return filter;
}

/* With the map that the filter keeps, and, if that is like the picture, as a plan's second. */
TEST(test_cases)
{
    for (uint64_t seed = 1; seed <= 600; seed++) {
        uint64_t r = seed;
        varbox_case c = {.of = model_draw(&r, 24, 12, 1)};
        c.of.seed = seed;
        ref_image *image = &c.of.image;
        ref_fill(image, seed);
        c.map = draw_map(image, &r, seed);
        SCOPED_FILTER *filter = make(ctx, c.of.border, &c.map);
        SCOPED_FILTER *without = make(ctx, c.of.border, NULL);
        uint32_t flags = image->alpha ? SATF_ALPHA : 0;
        bool alike = c.map.channels == image->channels && c.map.flags == flags;
        MODEL_CHECK(ctx, .filter = filter, .of = &c.of, .ways = MODEL_AUTO,
                    .without = alike ? without : NULL, .second = &c.map, .right = is_right,
                    .user = &c, .more = satf_type_name(c.map.type));
        free(c.map.data);
        free(image->samples);
    }
}

/* Pictures and maps of f64. */
typedef struct real_case {
    satf_view in, map;
    satf_border border;
    double size;
} real_case;

/* The mean over a window, and what of it is not finite. */
static double real_mean(const real_case *c, const model_place *at, int64_t r)
{
    long double sum = 0, pixels = 0;
    for (int64_t k = 0; k < (2 * r + 1) * (2 * r + 1); k++) {
        int64_t x = at->x - r + k % (2 * r + 1), y = at->y - r + k / (2 * r + 1);
        x = satf_border_index(c->border, x, c->in.width);
        y = satf_border_index(c->border, y, c->in.height);
        if (x >= 0 && y >= 0) {
            sum += (long double)sample_at(&c->in, y, x);
            pixels++;
        }
    }
    return (double)(sum / pixels);
}

static bool is_real_mean(const void *user, const model_place *at, double got, double *want)
{
    const real_case *c = user;
    double radius = sample_at(&c->map, at->y, at->x), whole = floor(radius);
    double a = real_mean(c, at, (int64_t)whole), b = real_mean(c, at, (int64_t)whole + 1);
    *want = a + (radius - whole) * (b - a);
    return isnan(*want) ? isnan(got) : got == *want || fabs(got - *want) <= 1e-9 * c->size;
}

/* What is not finite reaches what contains it alone, and so do sums that overflow in a table, or in
 * what a border shows of it. */
TEST(test_not_finite)
{
    enum { W = 30, H = 25 };
    static const double bad[][3] = {{NAN, NAN, NAN},
                                    {INFINITY, INFINITY, INFINITY},
                                    {-INFINITY, -INFINITY, -INFINITY},
                                    {INFINITY, -INFINITY, NAN},
                                    {0, 0, 0}};
    static double samples[W * H], radii[W * H];
    uint64_t seed = 9;
    for (int k = 0; k < 11; k++) {
        bool few = k == 10; /* finite sums, but not as often as the edge is seen */
        real_case c = {satf_view_packed(samples, few ? 3 : W, few ? 7 : H, 1, SATF_F64),
                       satf_view_packed(radii, few ? 3 : W, few ? 7 : H, 1, SATF_F64),
                       few ? SATF_BORDER_CLAMP : SATF_BORDER_SHRINK, k < 5 ? 1 : 1e306};
        for (int i = 0; i < W * H; i++) {
            samples[i] = few ? 0 : c.size * ((double)(ref_random(&seed) >> 40) / 0x1p24 + 0.5);
            radii[i] = few ? 3 : (double)(ref_random(&seed) >> 40) / 0x1p22;
        }
        samples[few ? 3 * 3 + 1 : 4 * W + 4] += few ? 1e308 : bad[k % 5][0];
        samples[4 * W + 9] += bad[k % 5][1];
        samples[20 * W + 22] += bad[k % 5][2];
        SCOPED_FILTER *filter = make(ctx, c.border, &c.map);
        MODEL_CHECK(ctx, .filter = filter, .in = c.in, .ways = MODEL_AUTO, .right = is_real_mean,
                    .user = &c, .seed = (uint64_t)k);
    }
}

TEST_FILE(.shared = true)
