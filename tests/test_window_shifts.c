/* Moments of floats around shifts by the window engine, against exact ones. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/parallel.h"
#include "window_reference.h"

typedef struct shift_case {
    satf_type type;
    int channels;
    bool weighted;
    int64_t width, height, w, h;
    satf_border border;
    unsigned seed;
} shift_case;

typedef struct variant {
    int threads;
    satf_isa isa;
    bool streaming;
} variant;

static void fail_case(const shift_case *c, const variant *v, const char *what, int64_t sample)
{
    int64_t pixel = sample / c->channels;
    fail_msg("%s: %s, %lld x %lld pixels of %d channels, window %lld x %lld, border %s, weighted "
             "%d, seed %u, %d threads, %s, streaming %d: first at x %lld y %lld channel %d",
             what, satf_type_name((int)c->type), (long long)c->width, (long long)c->height,
             c->channels, (long long)c->w, (long long)c->h, satf_border_name((int)c->border),
             c->weighted, c->seed, v->threads, satf_isa_name(v->isa), v->streaming,
             (long long)(pixel % c->width), (long long)(pixel / c->width),
             (int)(sample % c->channels));
}

/* Plains at heights that differ, with noise: multiples of 2^-8. Alpha is 0 ... 1. */
static void fill(const shift_case *c, picture *p)
{
    size_t bytes = satf_type_bytes((int)c->type);
    for (int64_t y = 0; y < c->height; y++) {
        for (int64_t i = 0; i < c->width * c->channels; i++) {
            bool alpha = c->weighted && i % c->channels == c->channels - 1;
            int64_t plain = i / c->channels / 200 + y / 90, random = (int64_t)next_random();
            double level = 4096 + (double)(plain % 3 * 4) + (double)(random % 256) / 256;
            put_sample((char *)satf_row(&p->view, y) + (size_t)i * bytes, (int)c->type,
                       alpha ? (double)(random % 32 < 16 ? 0 : random % 17) / 16 : level);
        }
    }
}

static window_spec spec_of(const shift_case *c, const satf_view *view)
{
    return (window_spec){.in = *view,
                         .w = c->w,
                         .h = c->h,
                         .border = c->border,
                         .constant = 37,
                         .weighted = c->weighted,
                         .squares = true,
                         .shifts = true};
}

static void run_variant(const shift_case *c, const variant *v, const picture *p, results *r)
{
    satf_context *ctx;
    window_spec spec = spec_of(c, &p->view);
    source s = {.view = &p->view, .newest = -1, .kept = window_rows_kept(&spec), .fails_at = -1};
    window_rows_wrapped(&spec, &s.end, &s.start);
    s.rows = calloc((size_t)c->height, sizeof *s.rows);
    if (v->streaming) {
        spec.in.data = NULL;
        spec.row = source_row;
        spec.row_user = &s;
    }
    assert_int_equal(satf_context_create(&ctx), SATF_OK);
    assert_int_equal(satf_context_set_threads(ctx, v->threads), SATF_OK);
    satf_cpu_limit(v->isa);
    results_create(r, &p->view);
    r->streaming = v->streaming;
    if (run_once(ctx, &spec, collect, r)) {
        fail_case(c, v, satf_message(ctx), 0);
    }
    if (r->defects || s.defects) {
        fail_case(c, v, r->defects ? "a segment breaks the contract" : "a row asked for too late",
                  0);
    }
    for (int64_t y = 0; y < c->height; y++) {
        free(s.rows[y]);
    }
    free(s.rows);
    satf_context_destroy(ctx);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double sample_of(const satf_view *view, int64_t x, int64_t y, int c)
{
    const char *at = (const char *)satf_row(view, y) +
                     (size_t)(x * view->channels + c) * satf_type_bytes(view->type);
    float narrow;
    double wide;
    memcpy(&narrow, at, sizeof narrow);
    memcpy(&wide, at, view->type == SATF_F32 ? sizeof narrow : sizeof wide);
    return view->type == SATF_F32 ? (double)narrow : wide;
}

/* By definition: of nine places of three rows that the window of the tile's first row holds, the
 * tile being that of (x, y), in its strip. */
static double shift_at(const shift_case *c, const window_plan *plan, const satf_view *view,
                       int64_t x, int64_t y, int channel)
{
    double values[27];
    size_t count = 0;
    int64_t left = x / plan->strip_pixels * plan->strip_pixels;
    int64_t n = c->width - left < plan->strip_pixels ? c->width - left : plan->strip_pixels;
    int64_t top = y / plan->tile_rows * plan->tile_rows;
    for (int64_t k = 0; k < 27; k++) {
        int64_t below = c->h - 1 - c->h / 2;
        below = below < c->height ? below : c->height - 1;
        int64_t i = left + k % 9 * (n - 1) / 8, j = top + below * (k / 9) / 2;
        j = j < c->height ? j : c->height - 1;
        double sample = sample_of(view, i, j, channel);
        bool seen = !c->weighted || sample_of(view, i, j, c->channels - 1) > 0;
        if (seen && fabs(sample) <= 0x1p400) {
            values[count++] = sample;
        }
    }
    if (count == 0 || (c->weighted && channel == c->channels - 1)) {
        return 0;
    }
    qsort(values, count, sizeof *values, compare);
    double median = values[(count - 1) / 2];
    double range = values[count - 1 - count / 4] - values[count / 4];
    return fabs(median) <= 64 * range ? 0 : median;
}

/* Every shift; and sums S and S2 of what is above them, of S0 pixels or their alphas, which are
 * off by at most (w + h) 2^-53 times the sum of magnitudes: S2, and of S at most the root of
 * S0 S2. */
static void check_values(const shift_case *c, const variant *v, const picture *p, const results *r)
{
    satf_context *ctx;
    window_plan plan;
    window_spec spec = spec_of(c, &p->view);
    assert_int_equal(satf_context_create(&ctx), SATF_OK);
    assert_int_equal(window_plan_make(ctx, &spec, &plan), SATF_OK);
    value *sums = reference(&spec, false), *squares = reference(&spec, true);
    for (int64_t i = 0; i < c->width * c->height * c->channels; i++) {
        int64_t pixel = i / c->channels, last = (pixel + 1) * c->channels - 1;
        double shift = r->shifts[i];
        if (shift != shift_at(c, &plan, &p->view, pixel % c->width, pixel / c->width,
                              (int)(i % c->channels))) {
            fail_case(c, v, "a wrong shift", i);
        }
        exact by = (exact)(shift * 256);
        int64_t area = c->w * c->h;
        if (c->border == SATF_SHRINK) {
            area = inside(pixel % c->width, c->width, c->w) *
                   inside(pixel / c->width, c->height, c->h);
        }
        exact weight = c->weighted ? sums[last].sum : area * (exact)FLOAT_UNITS;
        exact sum = sums[i].sum - weight * by / 256;
        exact square = squares[i].sum - (2 * sums[i].sum * by / 256) + weight * by / 256 * by / 256;
        if (c->weighted && i == last) {
            square = sum;
        }
        long double bound = (long double)(c->w + c->h) * 0x1p-53L;
        long double size = sqrtl((long double)weight * (long double)square);
        long double off[2] = {(long double)r->reals[0][i] * FLOAT_UNITS - (long double)sum,
                              (long double)r->reals[1][i] * FLOAT_UNITS - (long double)square};
        if (!(fabsl(off[0]) <= bound * size) || !(fabsl(off[1]) <= bound * (long double)square)) {
            fail_case(c, v, "a wrong sum", i);
        }
    }
    free(sums);
    free(squares);
    satf_context_destroy(ctx);
}

static void check_same(const shift_case *c, const variant *v, const results *a, const results *b)
{
    for (int64_t i = 0; i < c->width * c->height * c->channels; i++) {
        if (memcmp(&a->reals[0][i], &b->reals[0][i], sizeof(double)) != 0 ||
            memcmp(&a->reals[1][i], &b->reals[1][i], sizeof(double)) != 0 ||
            a->shifts[i] != b->shifts[i]) {
            fail_case(c, v, "differs from one thread's base kernels", i);
        }
    }
}

/* Tiles and strips, whole and streamed, by any number of threads. */
static void test_values(void **state)
{
    (void)state;
    static const int64_t windows[][2] = {{1, 1}, {3, 3}, {15, 4}, {64, 33}, {7, 90}, {701, 5}};
    static const int64_t sizes[][2] = {{610, 300}, {1, 1}, {5, 280}, {130, 31}};
    static const variant variants[] = {
        {3, SATF_ISA_AVX512, false}, {1, SATF_ISA_AVX2, true}, {2, SATF_ISA_BASE, false}};
    unsigned count = 0;
    for (size_t k = 0; k < 6 * 8; k++, count++) {
        shift_case c = {.type = k / 2 % 2 ? SATF_F32 : SATF_F64,
                        .channels = 1 + (int)(k / 3 % 4),
                        .width = sizes[k % 4][0],
                        .height = sizes[k % 4][1],
                        .w = windows[(k / 4 + k) % 6][0],
                        .h = windows[(k / 4 + k) % 6][1],
                        .border = (satf_border)((k + k / 6) % 6),
                        .seed = count};
        c.weighted = c.channels > 1 && k % 2;
        variant plain = {1, SATF_ISA_BASE, false};
        picture p = picture_create(c.width, c.height, c.channels, c.type, PACKED, c.seed);
        fill(&c, &p);
        results first, other;
        run_variant(&c, &plain, &p, &first);
        check_values(&c, &plain, &p, &first);
        for (size_t i = k % 2; i < 2 + k % 2; i++) {
            run_variant(&c, &variants[i], &p, &other);
            check_same(&c, &variants[i], &first, &other);
            results_destroy(&other);
        }
        results_destroy(&first);
        picture_destroy(&p);
    }
}

/* Beyond 512 pixels nothing matters to the shift of a window of up to 32 rows. */
static void test_reach(void **state)
{
    (void)state;
    satf_context *ctx;
    assert_int_equal(satf_context_create(&ctx), SATF_OK);
    for (int64_t h = 1; h <= 32; h++) {
        for (int channels = 1; channels <= 4; channels++) {
            window_plan plan;
            window_spec spec = {.in = satf_view_packed(NULL, 8000, 8000, channels, SATF_F64),
                                .w = 512,
                                .h = h,
                                .squares = true,
                                .shifts = true};
            assert_int_equal(window_plan_make(ctx, &spec, &plan), SATF_OK);
            assert_in_range(plan.tile_rows, 1, 512);
            assert_in_range(plan.strip_pixels, 1, 512);
        }
    }
    satf_context_destroy(ctx);
}

/* Two wild pixels among those, or one or two rows of them, spoil nothing but their own windows. */
static void test_wild(void **state)
{
    (void)state;
    static const double wild[] = {1e300, (double)INFINITY, (double)NAN, -1e9};
    for (int k = 0; k < 12; k++) {
        shift_case c = {SATF_F64, 1, false, 81, 20, 5, 3, SATF_MIRROR, (unsigned)k};
        variant v = {1, SATF_ISA_AVX512, false};
        picture p = picture_create(c.width, c.height, 1, c.type, PACKED, c.seed);
        fill(&c, &p);
        int whole = k / 4;
        for (int i = 0; i < (whole ? 81 * whole : 15); i++) {
            double *sample = (double *)satf_row(&p.view, i / 81) + i % 81;
            *sample = whole || i % 10 == 0 ? wild[k % 4] : *sample;
        }
        results r;
        run_variant(&c, &v, &p, &r);
        double shift = r.shifts[0];
        bool typical = k < 7, none = k < 11; /* of two sorts of rows neither is typical */
        assert_true(typical ? shift >= 4096 && shift < 4097 : shift == (none ? 0 : -1e9));
        for (int64_t i = 0; i < 81 * 20; i++) {
            assert_true(r.shifts[i] == shift);
            bool reached = whole ? i / 81 <= whole : i / 81 <= 1 && i % 81 <= 12;
            assert_true(reached || (isfinite(r.reals[0][i]) && isfinite(r.reals[1][i])));
            assert_true(reached || !typical || r.reals[1][i] <= 15);
        }
        results_destroy(&r);
        picture_destroy(&p);
    }
}

int main(void)
{
    satf_share_anything();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_reach),
        cmocka_unit_test(test_wild),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
