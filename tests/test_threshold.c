/* threshold by its definition: of all types and layouts, whole, in parts and by rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/cpu.h"
#include "base/parallel.h"
#include "otsu_reference.h"
#include "with_context.h"

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

static int64_t found_level(const threshold_case *c)
{
    static uint64_t counts[65536];
    int64_t weight, most = (int64_t)satf_type_max(c->image.type) + 1;
    memset(counts, 0, sizeof counts);
    for (int64_t p = 0; p < c->image.width * c->image.height; p++) {
        double sample = sample_of(c, p, &weight);
        counts[(int64_t)sample] += (uint64_t)weight;
    }
    return ref_otsu(counts, most);
}

/* Whether such a sample is white, and the threshold. */
static bool is_white(const threshold_case *c, int64_t found, double sample, double *threshold)
{
    int64_t max = (int64_t)satf_type_max(c->image.type);
    int64_t full = c->full && (!max || c->full < max) ? c->full : max;
    if (c->level.thousandths == OTSU) {
        *threshold = (double)found;
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
    int64_t found = c->level.thousandths == OTSU ? found_level(c) : 0;
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
    satf_filter *filter;
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
    satf_filter_destroy(filter);
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

static void test_definition(void **state)
{
    static const int types[] = {SATF_U8, SATF_U16, SATF_F32, SATF_F64};
    static const int64_t sizes[][2] = {{1, 1}, {1, 40}, {67, 1}, {19, 35}, {63, 33}};
    satf_context *ctx = *state;
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
                if (c.level.thousandths != OTSU || !is_real(&c)) {
                    check(ctx, &c);
                }
            }
            free(c.image.samples);
        }
    }
    satf_cpu_limit(SATF_ISA_COUNT);
}

/* Black and white, two levels, one: what a page may be. */
static void test_pages(void **state)
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
    satf_context *ctx = *state;
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

/* A level of 12 bits in 16. */
static void test_full(void **state)
{
    uint16_t samples[3] = {2055, 2056, 4095};
    uint8_t got[3], want[3] = {0, 255, 255};
    satf_view in = satf_view_packed(samples, 3, 1, 1, SATF_U16);
    satf_view out = satf_view_packed(got, 3, 1, 1, SATF_U8);
    satf_filter *filter;
    assert_int_equal(satf_filter_parse(*state, "threshold=128,full=4095", &filter), SATF_OK);
    assert_int_equal(satf_filter_apply(*state, filter, &in, &out), SATF_OK);
    assert_memory_equal(got, want, sizeof got);
    satf_filter_destroy(filter);
}

/* What is wrong is said in a sentence. */
static void test_refusals(void **state)
{
    satf_context *ctx = *state;
    satf_filter *filter;
    satf_view out, in = satf_view_packed(NULL, 3, 2, 1, SATF_F32);
    assert_int_equal(satf_filter_parse(ctx, "threshold=otsu", &filter), SATF_OK);
    assert_int_equal(satf_filter_output(ctx, filter, &in, &out), SATF_UNSUPPORTED);
    assert_string_equal(satf_message(ctx), "threshold finds its level among integers, not f32 "
                                           "samples; give it a number");
    satf_filter_destroy(filter);
    assert_int_equal(satf_filter_parse(ctx, "threshold=mean", &filter), SATF_INVALID);
    assert_string_equal(satf_message(ctx),
                        "'mean' is no level for threshold: it must be a number or otsu");
    assert_int_equal(satf_filter_parse(ctx, "threshold=256", &filter), SATF_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_definition),
        TEST(test_pages),
        TEST(test_full),
        TEST(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
