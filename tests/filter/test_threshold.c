/* threshold by its definition: of all types and layouts, whole, in parts and by rows. */
#include "test.h"

#include "base/cpu.h"
#include "base/parallel.h"
#include "model.h"
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
enum { LEVELS = sizeof levels / sizeof *levels };

typedef struct threshold_case {
    ref_image image;
    int full; /* 0 or 4095 */
    level_text level;
} threshold_case;

static bool is_real(const threshold_case *c)
{
    return satf_type_max(c->image.type) == 0;
}

/* Alpha is random and of 16 bits stays small, so that the reference's integers do. */
static void fill(ref_image *image, int how, uint64_t seed)
{
    model_fill(image, how, seed);
    for (int64_t i = image->channels - 1; image->alpha && i < ref_count(image);
         i += image->channels) {
        image->samples[i] = (int64_t)(ref_random(&seed) & 255);
        image->samples[i] *= ref_random(&seed) % 4 > 0;
        image->samples[i] *= satf_type_max(image->type) ? 1 : 4;
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

/* The mask, its opposite, and the threshold, whole, in parts, and by rows, or why not. */
static void check_case(satf_context *ctx, const threshold_case *c, int kind, uint64_t seed)
{
    static const char *const options[] = {"", ",invert", ",surface"};
    int64_t n = c->image.width * c->image.height, weight;
    bool otsu = c->level.thousandths == OTSU;
    double found = otsu ? found_level(c) : 0, threshold;
    SCOPED double *want = malloc((size_t)n * sizeof *want);
    for (int64_t p = 0; p < n; p++) {
        double sample = sample_of(c, p, &weight);
        bool white = is_white(c, found, sample, &threshold) || weight == 0;
        want[p] = kind == 2 ? (weight == 0 ? 0 : threshold) : white == (kind == 0) ? 255 : 0;
    }
    char spec[80], more[20];
    snprintf(spec, sizeof spec, "threshold=%s%s", c->level.text, options[kind]);
    snprintf(more, sizeof more, "full %d", c->full);
    SCOPED_FILTER *filter;
    MUST(ctx, satf_filter_parse(ctx, spec, &filter));
    model_run run = {.filter = filter,
                     .in = ref_view(&c->image, 5),
                     .ways = MODEL_AUTO | MODEL_ISAS | MODEL_PART,
                     .right = model_is_value,
                     .user = &(model_values){.values = want},
                     .more = more,
                     .seed = seed};
    run.in.full = c->full;
    run.ways |= otsu ? MODEL_NO_ROWS : MODEL_ROWS;
    model_check(ctx, &run);
    free(run.in.data);
}

/* In each case a level with and without full. */
TEST(test_definition)
{
    static const int64_t sizes[][2] = {{1, 1}, {1, 40}, {67, 1}, {19, 35}, {63, 33}};
    static const int layouts[][2] = {{1, 0}, {2, 1}, {3, 0}, {4, 1}};
    static pairs met;
    uint64_t seed = 0;
    satf_share_anything();
    for (int k = 0; k < 5 * 4 * 4 * MODEL_FILLS * 3 * LEVELS; k++) {
        int level = k % LEVELS, kind = k / LEVELS % 3, fill_by = k / LEVELS / 3 % MODEL_FILLS;
        int rest = k / LEVELS / 3 / MODEL_FILLS, size = rest / 16, full = (k / 7) % 2;
        int type = model_types[rest % 4], form = rest % 16;
        if (!MODEL_RUN(&met, level, kind, fill_by, form, size, full)) {
            continue;
        }
        const int *layout = layouts[form / 4];
        threshold_case c = {
            .image = {sizes[size][0], sizes[size][1], layout[0], type, layout[1], NULL},
            .full = full && type != SATF_U8 ? 4095 : 0,
            .level = levels[level]};
        fill(&c.image, fill_by, ++seed);
        check_case(ctx, &c, kind, seed);
        free(c.image.samples);
    }
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
    SCOPED_FILTER *mask, *surface;
    MUST(ctx, satf_filter_parse(ctx, "threshold=otsu", &mask));
    MUST(ctx, satf_filter_parse(ctx, "threshold=otsu,surface", &surface));
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        uint8_t got[6];
        double level[6];
        satf_view in = satf_view_packed((void *)(uintptr_t)pages[i].samples, 3, 2, 1, SATF_U8);
        satf_view out = satf_view_packed(got, 3, 2, 1, SATF_U8);
        satf_view real = satf_view_packed(level, 3, 2, 1, SATF_F64);
        MUST(ctx, satf_filter_apply(ctx, mask, &in, &out));
        assert_memory_equal(got, pages[i].want, sizeof got);
        MUST(ctx, satf_filter_apply(ctx, surface, &in, &real));
        assert_true(level[0] == pages[i].level && level[5] == pages[i].level);
    }
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
    MUST(ctx, satf_filter_parse(ctx, "threshold=otsu", &filters[0]));
    MUST(ctx, satf_filter_parse(ctx, "threshold=otsu,surface", &filters[1]));
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
            MUST(ctx, satf_context_set_threads(ctx, threads));
            MUST(ctx, satf_filter_apply(ctx, filters[0], &in, &out));
            MUST(ctx, satf_filter_apply(ctx, filters[1], &in, &real));
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
    MUST(ctx, satf_filter_parse(ctx, "threshold=otsu", &filter));
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
        MUST(ctx, satf_filter_apply(ctx, filter, &in, &out));
        out.data = got;
        MUST(ctx, satf_filter_apply(ctx, filter, &real, &out));
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
    MUST(ctx, satf_filter_parse(ctx, "threshold=128,full=4095", &filter));
    MUST(ctx, satf_filter_apply(ctx, filter, &in, &out));
    assert_memory_equal(got, want, sizeof got);
}

/* What is wrong is said in a sentence. */
TEST(test_refusals)
{
    SCOPED_FILTER *filter, *none;
    satf_view out, in = satf_view_packed(NULL, 3, 2, 1, SATF_F32);
    model_refused(ctx, satf_filter_parse(ctx, "threshold=mean", &none), SATF_INVALID,
                  "'mean' is no level for threshold: it must be a number or otsu");
    MUST(ctx, satf_filter_parse(ctx, "threshold=256", &filter));
    MUST(ctx, satf_filter_output(ctx, filter, &in, &out));
    in.type = SATF_U16;
    in.stride = 6;
    model_refused(ctx, satf_filter_output(ctx, filter, &in, &out), SATF_INVALID,
                  "level = 256 of threshold: 0 to 255 are possible for u16 samples; levels of "
                  "floats may be any number");
}
