/* threshold by its definition: of all types and layouts, whole, in parts and by rows. */
#include "test.h"

#include "base/cpu.h"
#include "base/parallel.h"
#include "otsu_reference.h"

/* A level as text, and in thousandths; OTSU: it is found. */
enum { OTSU = -1 };
typedef struct level_text {
    const char *text;
    int64_t thousandths;
} level_text;

static const level_text levels[] = {
    {"otsu", OTSU},      {"0", 0},        {"128", 128000},
    {"85", 85000},       {"0.001", 1},    {"127.5", 127500},
    {"254.999", 254999}, {"255", 255000}, {"1.0004", 1000}, /* to the nearest step */
};

enum { ANY, EXTREME, ALIKE, BLACK, FULL, KINDS };

typedef struct threshold_case {
    ref_image image;
    int kind, full; /* full: 0 or 4095 */
    level_text level;
} threshold_case;

static bool is_real(const threshold_case *c)
{
    return satf_type_max(c->image.type) == 0;
}

/* Alpha of 16 bits stays small, so that the reference's integers do. */
static void fill(threshold_case *c, uint64_t seed)
{
    ref_image *image = &c->image;
    int64_t max = (int64_t)satf_type_max(image->type);
    ref_fill(image, seed);
    for (int64_t i = 0; i < ref_count(image); i++) {
        bool alpha = image->alpha && i % image->channels == image->channels - 1;
        int64_t *sample = &image->samples[i];
        *sample = alpha && max > 255   ? *sample & 255
                  : alpha              ? *sample
                  : c->kind == EXTREME ? (*sample & 1) * (max ? max : 77)
                  : c->kind == ALIKE   ? 77
                  : c->kind == BLACK   ? 0
                  : c->kind == FULL    ? max
                                       : *sample;
    }
}

/* ------------------------------------------------------------------------- definition */

/* The sample that is compared, as a double, and its weight. */
static double sample_of(const threshold_case *c, int64_t p, int64_t *weight)
{
    const ref_image *image = &c->image;
    const int64_t *pixel = image->samples + p * image->channels;
    *weight = image->alpha ? pixel[image->channels - 1] : 1;
    if (image->channels - image->alpha == 1) {
        return (double)pixel[0] / (is_real(c) ? REF_UNIT : 1);
    }
    if (is_real(c)) {
        double unit = REF_UNIT, r = (double)pixel[0] / unit, g = (double)pixel[1] / unit;
        return 0.299 * r + 0.587 * g + 0.114 * ((double)pixel[2] / unit);
    }
    return (double)((299 * pixel[0] + 587 * pixel[1] + 114 * pixel[2] + 500) / 1000);
}

/* Alpha of floats in steps: a 65535th of white, which is 1 or what the case says. */
static int64_t alpha_steps(const threshold_case *c, int64_t alpha)
{
    double steps = (double)alpha / REF_UNIT / (c->full ? c->full : 1) * 65535;
    return c->image.alpha ? (int64_t)floor(steps + 0.5) : 1;
}

static double found_in_floats(const threshold_case *c)
{
    int64_t n = c->image.width * c->image.height, weight;
    SCOPED double *samples = malloc((size_t)n * sizeof *samples);
    SCOPED int64_t *times = malloc((size_t)n * sizeof *times);
    for (int64_t p = 0; p < n; p++) {
        samples[p] = sample_of(c, p, &weight);
        times[p] = alpha_steps(c, weight);
    }
    double found = ref_otsu_of_floats(samples, times, n);
    return found;
}

static double found_level(const threshold_case *c)
{
    static uint64_t counts[65536];
    int64_t weight, most = (int64_t)satf_type_max(c->image.type) + 1;
    if (is_real(c)) {
        return found_in_floats(c);
    }
    memset(counts, 0, sizeof counts);
    for (int64_t p = 0; p < c->image.width * c->image.height; p++) {
        double sample = sample_of(c, p, &weight);
        counts[(int64_t)sample] += (uint64_t)weight;
    }
    return (double)ref_otsu(counts, most);
}

/* Whether such a sample is white, and the threshold. */
static bool is_white(const threshold_case *c, double found, double sample, double *threshold)
{
    int64_t max = (int64_t)satf_type_max(c->image.type);
    int64_t full = c->full && (!max || c->full < max) ? c->full : max;
    if (c->level.thousandths == OTSU) {
        *threshold = found;
        return sample > *threshold;
    }
    if (is_real(c)) {
        *threshold = atof(c->level.text) * (c->full ? (double)c->full / 255 : 1);
        return sample > *threshold;
    }
    *threshold = (double)(c->level.thousandths * full) / 255000;
    return 255000 * (int64_t)sample > c->level.thousandths * full;
}

typedef struct threshold_result {
    uint8_t *mask;
    double *surface;
} threshold_result;

static void expect(const threshold_case *c, const threshold_result *want)
{
    double found = c->level.thousandths == OTSU ? found_level(c) : 0;
    for (int64_t p = 0; p < c->image.width * c->image.height; p++) {
        int64_t weight;
        double threshold, sample = sample_of(c, p, &weight);
        bool white = is_white(c, found, sample, &threshold) || weight == 0;
        want->mask[p] = white ? 255 : 0;
        want->surface[p] = weight == 0 ? 0 : threshold;
    }
}

/* ----------------------------------------------------------------------------- results */

static void fail_at(const threshold_case *c, const char *spec, const char *how, int64_t p)
{
    fail_msg("%s, %s, %s %d channels%s, %lld x %lld: pixel %lld", spec, how,
             satf_type_name(c->image.type), c->image.channels, c->image.alpha ? ", alpha" : "",
             (long long)c->image.width, (long long)c->image.height, (long long)p);
}

static void compare(const threshold_case *c, const char *spec, const char *how, const satf_view *is,
                    const satf_rect *part, const void *want)
{
    size_t bytes = satf_type_bytes(is->type);
    for (int64_t p = 0; p < part->w * part->h; p++) {
        int64_t x = p % part->w, y = p / part->w;
        int64_t from = (part->y + y) * c->image.width + part->x + x;
        const char *got = (const char *)satf_row(is, y) + (size_t)x * bytes;
        if (memcmp(got, (const char *)want + (size_t)from * bytes, bytes) != 0) {
            fail_at(c, spec, how, from);
        }
    }
}

static void by_rows(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                    const satf_view *out)
{
    satf_rows *rows;
    int64_t taken, count, pushed = 0, pulled = 0;
    assert_int_equal(satf_rows_open(ctx, filter, in, out, &rows), SATF_OK);
    while (pulled < out->height) {
        int64_t left = in->height - pushed;
        assert_int_equal(
            satf_rows_push(rows, satf_row(in, pushed), in->stride, left < 3 ? left : 3, &taken),
            SATF_OK);
        pushed += taken;
        assert_int_equal(
            satf_rows_pull(rows, satf_row(out, pulled), out->stride, out->height - pulled, &count),
            SATF_OK);
        pulled += count;
    }
    satf_rows_close(rows);
}

/* The whole of it; some part; and by rows, or why not. */
static void check_spec(satf_context *ctx, const threshold_case *c, const char *spec,
                       const void *want)
{
    satf_rect whole = {0, 0, c->image.width, c->image.height};
    satf_rect part = {whole.w / 3, whole.h / 2, (whole.w + 1) / 2, (whole.h + 1) / 2};
    satf_view in = ref_view(&c->image, 5), out;
    SCOPED_FILTER *filter;
    satf_rows *rows;
    in.full = c->full;
    assert_int_equal(satf_filter_parse(ctx, spec, &filter), SATF_OK);
    assert_int_equal(satf_filter_output(ctx, filter, &in, &out), SATF_OK);
    out.data = malloc((size_t)(out.stride * out.height));
    memset(out.data, 1, (size_t)(out.stride * out.height));
    assert_int_equal(satf_filter_apply(ctx, filter, &in, &out), SATF_OK);
    compare(c, spec, "whole", &out, &whole, want);
    satf_view cut = out;
    cut.width = part.w;
    cut.height = part.h;
    assert_int_equal(satf_filter_apply_rect(ctx, filter, &in, &part, &cut), SATF_OK);
    compare(c, spec, "a part", &cut, &part, want);
    if (c->level.thousandths != OTSU) {
        by_rows(ctx, filter, &in, &out);
        compare(c, spec, "by rows", &out, &whole, want);
    } else {
        assert_int_equal(satf_rows_open(ctx, filter, &in, &out, &rows), SATF_UNSUPPORTED);
        assert_non_null(strstr(satf_message(ctx), "looks at the whole picture"));
    }
    free(in.data);
    free(out.data);
}

static void check(satf_context *ctx, const threshold_case *c)
{
    size_t n = (size_t)(c->image.width * c->image.height);
    threshold_result want = {malloc(n), malloc(n * sizeof *want.surface)};
    char spec[80];
    expect(c, &want);
    snprintf(spec, sizeof spec, "threshold=%s", c->level.text);
    check_spec(ctx, c, spec, want.mask);
    snprintf(spec, sizeof spec, "threshold=%s,surface", c->level.text);
    check_spec(ctx, c, spec, want.surface);
    for (size_t i = 0; i < n; i++) {
        want.mask[i] = 255 - want.mask[i];
    }
    snprintf(spec, sizeof spec, "threshold=%s,invert", c->level.text);
    check_spec(ctx, c, spec, want.mask);
    free(want.mask);
    free(want.surface);
}

TEST(test_definition)
{
    static const int types[] = {SATF_U8, SATF_U16, SATF_F32, SATF_F64};
    static const int64_t sizes[][2] = {{1, 1}, {1, 40}, {67, 1}, {19, 35}, {63, 33}};
    uint64_t seed = 0;
    satf_share_anything();
    assert_int_equal(satf_context_set_threads(ctx, 3), SATF_OK);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        for (int k = 0; k < 4 * 4 * KINDS; k++) {
            static const int layouts[][2] = {{1, 0}, {2, 1}, {3, 0}, {4, 1}};
            const int *layout = layouts[k / 4 % 4];
            threshold_case c = {
                .image = {sizes[s][0], sizes[s][1], layout[0], types[k % 4], layout[1], NULL},
                .kind = k / 16};
            fill(&c, ++seed);
            satf_cpu_limit((satf_isa)(1 + seed % SATF_ISA_COUNT)); /* at most, or all */
            for (size_t l = 0; l < sizeof levels / sizeof *levels; l++) {
                c.level = levels[l];
                c.full = l % 2 && c.image.type != SATF_U8 ? 4095 : 0;
                check(ctx, &c);
            }
            free(c.image.samples);
        }
    }
    satf_cpu_limit(SATF_ISA_COUNT);
}

/* Black and white, two levels, one: what a page may be. */
TEST(test_pages)
{
    static const struct {
        uint8_t samples[6];
        uint8_t want[6];
        double level;
    } pages[] = {
        {{255, 255, 255, 255, 255, 255}, {255, 255, 255, 255, 255, 255}, -1},
        {{0, 0, 0, 0, 0, 0}, {255, 255, 255, 255, 255, 255}, -1},
        {{9, 9, 9, 9, 9, 200}, {0, 0, 0, 0, 0, 255}, 9},
        {{0, 255, 0, 255, 0, 255}, {0, 255, 0, 255, 0, 255}, 0},
        {{10, 20, 30, 10, 20, 30}, {0, 255, 255, 0, 255, 255}, 10}, /* the first of two */
    };
    satf_filter *mask, *surface;
    assert_int_equal(satf_filter_parse(ctx, "threshold=otsu", &mask), SATF_OK);
    assert_int_equal(satf_filter_parse(ctx, "threshold=otsu,surface", &surface), SATF_OK);
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        uint8_t got[6];
        double level[6];
        satf_view in = satf_view_packed((void *)(uintptr_t)pages[i].samples, 3, 2, 1, SATF_U8);
        satf_view out = satf_view_packed(got, 3, 2, 1, SATF_U8);
        satf_view real = satf_view_packed(level, 3, 2, 1, SATF_F64);
        assert_int_equal(satf_filter_apply(ctx, mask, &in, &out), SATF_OK);
        assert_memory_equal(got, pages[i].want, sizeof got);
        assert_int_equal(satf_filter_apply(ctx, surface, &in, &real), SATF_OK);
        assert_true(level[0] == pages[i].level && level[5] == pages[i].level);
    }
    satf_filter_destroy(mask);
    satf_filter_destroy(surface);
}

/* Samples of floats of such a kind. */
enum { TWO_HILLS, OFFSET, TINY, GIANT, DENORMAL, NEIGHBOURS, NOTHING, FLOATS };

static double draw_float(int kind, uint64_t random)
{
    double part = (double)(random >> 40) / (1 << 24), hill = random % 3 ? 0 : 5;
    double odd = random % 11 == 0 ? NAN : random % 13 == 0 ? INFINITY : -INFINITY;
    bool is_odd = random % 11 == 0 || random % 13 == 0 || random % 17 == 0;
    double sample = kind == TWO_HILLS    ? hill + part
                    : kind == OFFSET     ? -1e9 + hill + part
                    : kind == TINY       ? 1e-30 * (hill - part)
                    : kind == GIANT      ? (random % 2 ? DBL_MAX : -DBL_MAX) * part
                    : kind == DENORMAL   ? 0x1p-1074 * floor(part * 9)
                    : kind == NEIGHBOURS ? 1 + DBL_EPSILON * floor(part * 3)
                                         : NAN;
    return is_odd ? odd : sample;
}

/* Whatever the range, of what is finite alone, by any number of threads. */
TEST(test_otsu_of_floats)
{
    enum { W = 317, H = 600, PIXELS = W * H };
    static double samples[2 * PIXELS], alone[PIXELS], level[PIXELS];
    static int64_t times[PIXELS];
    static uint8_t mask[PIXELS];
    satf_filter *filters[2];
    uint64_t seed = 9;
    satf_share_anything();
    assert_int_equal(satf_filter_parse(ctx, "threshold=otsu", &filters[0]), SATF_OK);
    assert_int_equal(satf_filter_parse(ctx, "threshold=otsu,surface", &filters[1]), SATF_OK);
    for (int k = 0; k < 2 * FLOATS; k++) {
        int channels = 1 + k % 2;
        for (int i = 0; i < PIXELS; i++) {
            double alpha = (double)(ref_random(&seed) % 2), *pixel = samples + i * channels;
            pixel[0] = alone[i] = draw_float(k / 2, ref_random(&seed));
            pixel[channels - 1] = channels > 1 ? alpha : pixel[0];
            times[i] = channels > 1 ? (int64_t)(alpha * 65535 + 0.5) : 1;
        }
        double want = ref_otsu_of_floats(alone, times, PIXELS);
        satf_view in = satf_view_packed(samples, W, H, channels, SATF_F64);
        satf_view out = satf_view_packed(mask, W, H, 1, SATF_U8);
        satf_view real = satf_view_packed(level, W, H, 1, SATF_F64);
        in.flags = channels > 1 ? SATF_ALPHA : 0;
        for (int threads = 1; threads <= 4; threads += 3) {
            assert_int_equal(satf_context_set_threads(ctx, threads), SATF_OK);
            assert_int_equal(satf_filter_apply(ctx, filters[0], &in, &out), SATF_OK);
            assert_int_equal(satf_filter_apply(ctx, filters[1], &in, &real), SATF_OK);
            for (int i = 0; i < PIXELS; i++) {
                bool white = alone[i] > want || times[i] == 0;
                double surface = times[i] == 0 ? 0 : want;
                if (mask[i] != (white ? 255 : 0) || level[i] != surface) {
                    fail_msg("kind %d, %d channels, %d threads: %g is %d above %.17g, not %.17g",
                             k / 2, channels, threads, alone[i], mask[i], level[i], surface);
                }
            }
        }
    }
    satf_filter_destroy(filters[0]);
    satf_filter_destroy(filters[1]);
}

/* A picture of bytes parts where its floats do: each of 256 levels has a bin. */
TEST(test_otsu_of_bytes)
{
    enum { PIXELS = 4000 };
    static const double units[] = {1, 1.0 / 255, 257, 1e-300};
    static uint8_t bytes[PIXELS], want[PIXELS], got[PIXELS];
    static double floats[PIXELS];
    SCOPED_FILTER *filter;
    uint64_t seed = 10;
    assert_int_equal(satf_filter_parse(ctx, "threshold=otsu", &filter), SATF_OK);
    satf_view in = satf_view_packed(bytes, PIXELS, 1, 1, SATF_U8), out = in;
    satf_view real = satf_view_packed(floats, PIXELS, 1, 1, SATF_F64);
    for (int k = 0; k < 40; k++) {
        for (int i = 0; i < PIXELS; i++) {
            uint64_t random = ref_random(&seed);
            uint64_t hill = (random % 3 ? 60 : 160) + random / 3 % 90;
            bytes[i] = (uint8_t)(i == 0 ? 0 : i == 1 ? 255 : hill);
            floats[i] = bytes[i] * units[k % 4];
        }
        out.data = want;
        assert_int_equal(satf_filter_apply(ctx, filter, &in, &out), SATF_OK);
        out.data = got;
        assert_int_equal(satf_filter_apply(ctx, filter, &real, &out), SATF_OK);
        assert_memory_equal(got, want, PIXELS);
    }
}

/* A level of 12 bits in 16. */
TEST(test_full)
{
    uint16_t samples[3] = {2055, 2056, 4095};
    uint8_t got[3], want[3] = {0, 255, 255};
    satf_view in = satf_view_packed(samples, 3, 1, 1, SATF_U16);
    satf_view out = satf_view_packed(got, 3, 1, 1, SATF_U8);
    SCOPED_FILTER *filter;
    assert_int_equal(satf_filter_parse(ctx, "threshold=128,full=4095", &filter), SATF_OK);
    assert_int_equal(satf_filter_apply(ctx, filter, &in, &out), SATF_OK);
    assert_memory_equal(got, want, sizeof got);
}

/* What is wrong is said in a sentence. */
TEST(test_refusals)
{
    SCOPED_FILTER *filter;
    satf_view out, in = satf_view_packed(NULL, 3, 2, 1, SATF_F32);
    assert_int_equal(satf_filter_parse(ctx, "threshold=mean", &filter), SATF_INVALID);
    assert_string_equal(satf_message(ctx),
                        "'mean' is no level for threshold: it must be a number or otsu");
    assert_int_equal(satf_filter_parse(ctx, "threshold=256", &filter), SATF_OK);
    assert_int_equal(satf_filter_output(ctx, filter, &in, &out), SATF_OK);
    in.type = SATF_U16;
    in.stride = 6;
    assert_int_equal(satf_filter_output(ctx, filter, &in, &out), SATF_INVALID);
    assert_string_equal(satf_message(ctx),
                        "level = 256 of threshold: 0 to 255 are possible for u16 samples; levels "
                        "of floats may be any number");
}
