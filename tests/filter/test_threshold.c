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

/* A picture, and the samples of it that are compared and weighed. */
typedef struct subject {
    satf_view in;
    double *samples;
    int64_t *weights, n;
    level_text level;
    enum { OWN, OF_VIEW, OPTION, FULLS } full; /* whether 4095 is white, and who says so */
    uint64_t seed;
} subject;

static subject subject_of(const satf_view *in, uint64_t seed)
{
    subject s = {.in = *in, .n = in->width * in->height, .seed = seed};
    s.samples = malloc((size_t)s.n * sizeof *s.samples);
    s.weights = malloc((size_t)s.n * sizeof *s.weights);
    return s;
}

static void release(subject *s)
{
    free(s->samples);
    free(s->weights);
    free(s->in.data);
}

/* ------------------------------------------------------------------------- definition */

static bool is_real(const subject *s)
{
    return satf_type_is_float(s->in.type);
}

/* Colour is grey. Alpha of floats is in steps: a 65535th of white. */
static void look(subject *s)
{
    int channels = s->in.channels, alpha = s->in.flags & SATF_ALPHA ? 1 : 0;
    double white = s->full && is_real(s) ? 4095 : 1;
    for (int64_t i = 0; i < s->n; i++) {
        double pixel[4] = {0};
        for (int k = 0; k < channels; k++) {
            pixel[k] = sample_at(&s->in, i / s->in.width, i % s->in.width * channels + k);
        }
        double weight = pixel[channels - 1];
        s->samples[i] =
            channels - alpha == 1 ? pixel[0]
            : is_real(s)          ? 0.299 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2]
                         : floor((299 * pixel[0] + 587 * pixel[1] + 114 * pixel[2] + 500) / 1000);
        s->weights[i] = !alpha       ? 1
                        : is_real(s) ? (int64_t)floor(weight / white * 65535 + 0.5)
                                     : (int64_t)weight;
    }
}

static double find_level(const subject *s)
{
    static uint64_t counts[65536];
    if (is_real(s)) {
        return ref_otsu_of_floats(s->samples, s->weights, s->n);
    }
    memset(counts, 0, sizeof counts);
    for (int64_t i = 0; i < s->n; i++) {
        counts[(int64_t)s->samples[i]] += (uint64_t)s->weights[i];
    }
    return (double)ref_otsu(counts, (int64_t)satf_type_max(s->in.type) + 1);
}

/* Whether such a sample is white, and the threshold. */
static bool is_white(const subject *s, double found, double sample, double *threshold)
{
    int64_t max = (int64_t)satf_type_max(s->in.type);
    int64_t full = s->full && max != 255 ? 4095 : max;
    if (s->level.thousandths == OTSU || is_real(s)) {
        *threshold = atof(s->level.text) * (s->full ? 4095.0 / 255 : 1);
        *threshold = s->level.thousandths == OTSU ? found : *threshold;
        return sample > *threshold;
    }
    *threshold = (double)(s->level.thousandths * full) / 255000;
    return 255000 * (int64_t)sample > s->level.thousandths * full;
}

/* The mask, its opposite, or the threshold; rows are refused where the level is found. */
enum { MASK, INVERTED, SURFACE, KINDS };

static void check(satf_context *ctx, const subject *s, int kind, unsigned ways)
{
    static const char *const options[] = {"", ",invert", ",surface"};
    bool otsu = s->level.thousandths == OTSU;
    double found = otsu ? find_level(s) : 0, threshold;
    SCOPED double *want = malloc((size_t)s->n * sizeof *want);
    for (int64_t i = 0; i < s->n; i++) {
        int64_t last = (i % s->in.width + 1) * s->in.channels - 1;
        bool clear = s->in.flags & SATF_ALPHA && sample_at(&s->in, i / s->in.width, last) == 0;
        bool white = is_white(s, found, s->samples[i], &threshold) || clear;
        want[i] = kind == SURFACE ? (clear ? 0 : threshold) : white == (kind == MASK) ? 255 : 0;
    }
    char spec[80];
    snprintf(spec, sizeof spec, "threshold=%s%s%s", s->level.text, options[kind],
             s->full == OPTION ? ",full=4095" : "");
    satf_view in = s->in;
    in.full = s->full == OF_VIEW ? 4095 : 0;
    MODEL_CHECK(ctx, .spec = spec, .in = in, .ways = ways | (otsu ? MODEL_NO_ROWS : MODEL_ROWS),
                .right = model_is_value, .user = &(model_values){.values = want},
                .more = (const char *[]){"", "the view's full", "full"}[s->full], .seed = s->seed);
}

/* ------------------------------------------------------------------------------ cases */

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

/* The first pixels: on both sides of the level. */
static void put_near(const level_text *level, int full, ref_image *image)
{
    int64_t max = (int64_t)satf_type_max(image->type), white = full ? 4095 : max;
    bool is_near = max > 0 && level->thousandths != OTSU;
    for (int64_t p = 0; is_near && p < 2 && p < image->width * image->height; p++) {
        int64_t sample = level->thousandths * white / 255000 + p;
        for (int c = 0; c < image->channels - image->alpha; c++) {
            image->samples[p * image->channels + c] = sample < max ? sample : max;
        }
    }
}

TEST(test_definition)
{
    static const int64_t sizes[][2] = {{1, 1}, {1, 40}, {67, 1}, {19, 35}, {63, 33}};
    static const int layouts[][2] = {{1, 0}, {2, 1}, {3, 0}, {4, 1}};
    static pairs met;
    uint64_t seed = 0;
    satf_share_anything();
    for (int k = 0; k < 5 * 16 * MODEL_FILLS * KINDS * LEVELS; k++) {
        int level = k % LEVELS, kind = k / LEVELS % KINDS, how = k / LEVELS / KINDS % MODEL_FILLS;
        int rest = k / LEVELS / KINDS / MODEL_FILLS, size = rest / 16, full = k / 7 % FULLS;
        const int form = rest % 16, *layout = layouts[form / 4], type = model_types[form % 4];
        full = type == SATF_U8 ? OWN : full;
        if (PAIRS_ONLY(&met, level, kind, how, form, size, full)) {
            ref_image image = {sizes[size][0], sizes[size][1], layout[0], type, layout[1], NULL};
            fill(&image, how, ++seed);
            put_near(&levels[level], full, &image);
            satf_view in = ref_view(&image, 5);
            subject s = subject_of(&in, seed);
            s.level = levels[level];
            s.full = full;
            look(&s);
            check(ctx, &s, kind, MODEL_AUTO | MODEL_ISAS | MODEL_PART);
            release(&s);
            free(image.samples);
        }
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
    enum { W = 317, H = 600 };
    uint64_t seed = 9;
    satf_share_anything();
    for (int k = 0; k < 2 * FLOATS; k++) {
        int channels = 1 + k % 2;
        satf_view in =
            satf_view_packed(malloc(W * H * 2 * sizeof(double)), W, H, channels, SATF_F64);
        in.flags = channels > 1 ? SATF_ALPHA : 0;
        for (int64_t i = 0; i < W * H * channels; i++) {
            bool alpha = i % channels == 1;
            uint64_t random = ref_random(&seed);
            put_at(&in, 0, i, alpha ? (double)(random % 2) : draw_float(k / 2, random));
        }
        subject s = subject_of(&in, (uint64_t)k);
        s.level = levels[0];
        look(&s);
        for (int kind = MASK; kind < KINDS; kind++) {
            check(ctx, &s, kind, MODEL_AUTO | MODEL_PART);
        }
        release(&s);
    }
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

/* What is wrong is said in a sentence. */
TEST(test_refusals)
{
    SCOPED_FILTER *filter, *none;
    satf_view out, in = satf_view_packed(NULL, 3, 2, 1, SATF_F32);
    expect(ctx, satf_filter_parse(ctx, "threshold=mean", &none), SATF_INVALID,
           "'mean' is no level for threshold: it must be a number or otsu");
    MUST(ctx, satf_filter_parse(ctx, "threshold=256", &filter));
    MUST(ctx, satf_filter_output(ctx, filter, &in, &out));
    in.type = SATF_U16;
    in.stride = 6;
    expect(ctx, satf_filter_output(ctx, filter, &in, &out), SATF_INVALID,
           "level = 256 of threshold: 0 to 255 are possible for u16 samples; levels of "
           "floats may be any number");
    in.type = SATF_I16;
    MUST(ctx, satf_filter_set(ctx, filter, "level", "300"));
    expect(ctx, satf_filter_output(ctx, filter, &in, &out), SATF_INVALID,
           "level = 300 of threshold: -256 to 255 are possible for i16 samples; with full=255 "
           "levels are the samples themselves");
    MUST(ctx, satf_filter_set(ctx, filter, "full", "255"));
    MUST(ctx, satf_filter_output(ctx, filter, &in, &out));
}
