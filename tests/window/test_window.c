/* The window engine against sums formed pixel by pixel, in exact arithmetic for integers. */
#include "test.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "base/parallel.h"
#include "pairs.h"
#include "window_reference.h"

static void check_values(const test_case *t, const variant *v, const picture *p, const results *r)
{
    window_spec spec = spec_of(t, &p->view);
    int64_t samples = t->width * t->height * t->channels;
    model_sums sums = sums_of(&spec, false), magnitudes = sums_of(&spec, true);
    for (int plane = 0; plane < 1 + t->squares; plane++) {
        const ref_wide *expected = plane ? sums.squares : sums.sums;
        const ref_wide *magnitude = plane ? magnitudes.squares : magnitudes.sums;
        for (int64_t i = 0; i < samples; i++) {
            bool good;
            if (satf_type_is_float((int)t->type)) {
                long double bound = (long double)(t->w + t->h) * 0x1p-53L;
                long double sum = (long double)r->reals[plane][i] * FLOAT_UNITS;
                good = fabsl(sum - (long double)expected[i]) <= bound * (long double)magnitude[i];
            } else {
                good = r->integers[plane][i] == (satf_u128)expected[i];
            }
            if (!good) {
                fail_case(t, v, plane ? "a wrong sum of squares" : "a wrong sum", i);
            }
        }
    }
    for (int64_t i = 0; i < t->width * t->height; i++) {
        if (r->areas[i] != (uint64_t)sums.area[i]) {
            fail_case(t, v, "a wrong area", i * t->channels);
        }
    }
    model_sums_free(&sums);
    model_sums_free(&magnitudes);
}

/* The case with the base kernels against the reference, then every variant against that. */
static void check_case(const test_case *t, const variant *variants, size_t count)
{
    picture p = picture_create(t->width, t->height, t->channels, t->type, PACKED, t->seed);
    variant plain = {1, SATF_ISA_BASE, PACKED, false};
    results first;
    run_variant(t, &plain, &p, &first);
    check_values(t, &plain, &p, &first);
    for (size_t i = 0; i < count; i++) {
        picture q =
            picture_create(t->width, t->height, t->channels, t->type, variants[i].layout, t->seed);
        results other;
        run_variant(t, &variants[i], &q, &other);
        check_same(t, &variants[i], &first, &other);
        results_destroy(&other);
        picture_destroy(&q);
    }
    results_destroy(&first);
    picture_destroy(&p);
}

/* ---------------------------------------------------------------------- tests */

static const satf_type types[] = {SATF_U8, SATF_U16, SATF_F32, SATF_F64};

/* Everything crossed, on small pictures; each case runs in two other variants, in turn. */
TEST(test_everything_small)
{
    static const int64_t sizes[][2] = {{1, 1}, {1, 13}, {19, 1}, {7, 11}, {37, 5}};
    static const int64_t windows[][2] = {{1, 1},   {2, 2},  {3, 3},   {15, 15},
                                         {16, 16}, {40, 3}, {255, 2}, {5, 64}};
    static pairs met;
    unsigned count = 0;
    for (int type = 0; type < 4; type++) {
        for (int channels = 1; channels <= 4; channels++) {
            for (int border = SATF_BORDER_CLAMP; border <= SATF_BORDER_SHRINK; border++) {
                for (int weighted = 0; weighted <= (channels > 1); weighted++) {
                    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
                        for (size_t w = 0; w < sizeof windows / sizeof *windows; w++, count++) {
                            int isa = (int)count % SATF_ISA_COUNT, layout = (int)count % LAYOUTS;
                            if (!PAIRS_RUN(&met, type, channels, border, weighted, (int)s, (int)w,
                                           count % 3 != 0, isa, layout)) {
                                continue;
                            }
                            test_case t = {types[type],
                                           channels,
                                           sizes[s][0],
                                           sizes[s][1],
                                           windows[w][0],
                                           windows[w][1],
                                           (satf_border)border,
                                           weighted,
                                           count % 3 != 0,
                                           count,
                                           false};
                            variant v[] = {
                                {1, (satf_isa)isa, (enum layout)(count / 2 % LAYOUTS), true},
                                {2, (satf_isa)((count + 1) % SATF_ISA_COUNT), (enum layout)layout,
                                 false}};
                            check_case(&t, v, 2);
                        }
                    }
                }
            }
        }
    }
}

/* Such a picture and window, of other types, channels and borders each time. */
static void check_shape(int64_t width, int64_t height, int64_t w, int64_t h, unsigned count)
{
    int channels = 1 + (int)(count / 4 % 4);
    test_case t = {types[count % 4],
                   channels,
                   width,
                   height,
                   w,
                   h,
                   (satf_border)(count % 6),
                   count % 8 >= 4 && channels > 1,
                   count % 2 == 0,
                   count,
                   false};
    variant v[] = {{1, SATF_ISA_AVX512, UPSIDE_DOWN, false}, {1, SATF_ISA_AVX2, PADDED, true}};
    check_case(&t, v, 2);
}

/* Widths around the engine's chunks and vectors, and windows around its powers of two. */
TEST(test_chunk_edges)
{
    static const int64_t widths[] = {63,  64,  65,  127,  128,  129,  255,  256,  257,  319,  320,
                                     321, 511, 513, 1023, 1024, 1025, 1279, 1281, 2047, 2048, 2049};
    static const int64_t windows[] = {1,  2,  3,  4,  5,  7,   8,   9,   15,  16,  17,  18,
                                      31, 32, 33, 47, 64, 127, 128, 254, 255, 256, 257, 300};
    unsigned count = 1;
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        for (size_t j = 0; j < sizeof windows / sizeof *windows; j++, count++) {
            check_shape(widths[i], 3, windows[j], 1 + (count % 7 == 0 ? 300 : count % 5), count);
        }
    }
}

/* Every window size from 1 to 80 for every pair of types, so that each way of
 * combining partial sums is seen. */
TEST(test_every_window)
{
    for (int64_t w = 1; w <= 80; w++) {
        for (unsigned k = 0; k < 8; k++) {
            check_shape(131, 9, w, k < 4 ? 3 : w, (unsigned)w * 8 + k);
        }
    }
}

TEST(test_threads)
{
    static const test_case cases[] = {
        {SATF_U8, 1, 61, 4097, 15, 15, SATF_BORDER_CLAMP, false, true, 1, false},
        {SATF_U8, 1, 4097, 61, 255, 255, SATF_BORDER_MIRROR, false, false, 2, false},
        {SATF_U8, 4, 257, 263, 16, 31, SATF_BORDER_WRAP, true, true, 3, false},
        {SATF_U16, 3, 311, 211, 3, 255, SATF_BORDER_REFLECT, false, true, 5, false},
        {SATF_U16, 2, 509, 257, 33, 7, SATF_BORDER_CONSTANT, true, true, 6, false},
        {SATF_F32, 1, 521, 509, 15, 15, SATF_BORDER_CLAMP, false, true, 7, false},
        {SATF_F32, 3, 257, 331, 255, 64, SATF_BORDER_MIRROR, false, false, 8, false},
        {SATF_F64, 4, 129, 523, 17, 100, SATF_BORDER_SHRINK, true, true, 9, false},
        {SATF_F64, 1, 4097, 61, 63, 300, SATF_BORDER_REFLECT, false, true, 10, false},
    };
    static const variant variants[] = {
        {2, SATF_ISA_AVX512, PADDED, false}, {3, SATF_ISA_AVX2, UPSIDE_DOWN, false},
        {8, SATF_ISA_BASE, PACKED, false},   {8, SATF_ISA_AVX512, PACKED, false},
        {1, SATF_ISA_AVX512, PACKED, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_case(&cases[i], variants, sizeof variants / sizeof *variants);
    }
}

/* The largest windows, on pictures of a few pixels: exact, in little memory. */
TEST(test_largest_windows)
{
    static const int64_t windows[][2] = {{65535, 65535}, {65534, 3}, {2, 65535}};
    static const int64_t sizes[][2] = {{1, 1}, {5, 4}, {2, 9}};
    static pairs met;
    unsigned count = 0;
    for (int type = 0; type < 4; type++) {
        for (int border = SATF_BORDER_CLAMP; border <= SATF_BORDER_SHRINK; border++) {
            for (size_t i = 0; i < 3; i++, count++) {
                if (!PAIRS_ONLY(&met, type, border, (int)i, (int)(count + i) % 3)) {
                    continue;
                }
                test_case t = {types[type],
                               2,
                               sizes[i][0],
                               sizes[i][1],
                               windows[(count + i) % 3][0],
                               windows[(count + i) % 3][1],
                               (satf_border)border,
                               count % 2 == 0,
                               true,
                               4 * count + (count % 3 != 0),
                               false};
                variant v = {2, SATF_ISA_AVX512, PACKED, true};
                check_case(&t, &v, 1);
                picture p = picture_create(t.width, t.height, 2, t.type, PACKED, 0);
                window_spec spec = spec_of(&t, &p.view);
                satf_context *own = context_of(&v);
                assert_in_range(bytes_of(own, &spec), 1, 1 << 20);
                satf_context_destroy(own);
                picture_destroy(&p);
            }
        }
    }
}

/* A pixel of 1e300, infinity or NaN changes no bit of a window that does not contain it. */
TEST(test_locality)
{
    static const double wild[] = {1e300, (double)INFINITY, (double)NAN};
    static const int64_t windows[][2] = {{3, 3}, {15, 4}, {16, 16}, {31, 7}, {64, 33}, {101, 5}};
    for (int k = 0; k < 36; k++) {
        int64_t w = windows[k / 3 % 6][0], h = windows[k / 3 % 6][1];
        test_case t = {SATF_F64,           1 + k % 2, 301,   67,          w,    h,
                       SATF_BORDER_SHRINK, false,     false, (unsigned)k, false};
        variant v = {1, (satf_isa)(k % SATF_ISA_COUNT), PACKED, false};
        picture p = picture_create(t.width, t.height, t.channels, t.type, PACKED, t.seed);
        int64_t x = 7 + k * 8, y = 3 + k;
        double *pixel = (double *)satf_row(&p.view, y) + x * t.channels;
        results tame, other;
        *pixel = 0;
        run_variant(&t, &v, &p, &tame);
        *pixel = wild[k % 3];
        run_variant(&t, &v, &p, &other);
        for (int64_t i = 0; i < t.width * t.height; i++) {
            int64_t left = i % t.width - w / 2, top = i / t.width - h / 2;
            bool contains = x >= left && x < left + w && y >= top && y < top + h;
            const double *a = &tame.reals[0][i * t.channels], *b = &other.reals[0][i * t.channels];
            bool good = contains ? (k % 3 == 0 ? *b == 1e300 : !isfinite(*b))
                                 : memcmp(a, b, sizeof *a) == 0;
            if (!good || (t.channels > 1 && a[1] != b[1])) {
                fail_case(&t, &v, "a wild pixel's reach is wrong", i * t.channels);
            }
        }
        results_destroy(&tame);
        results_destroy(&other);
        picture_destroy(&p);
    }
}

/* What a picture of floats has besides small multiples of 2^-12. */
enum spoiling {
    NOTHING,
    A_THIRD,
    TINY_ROWS,
    NEGATIVE_ZEROS,
    HUGE_ROWS,
    ALL_ROUGH,
    FINE,
    SPOILINGS
};

static void spoil(picture *p, enum spoiling how, int bits)
{
    int64_t samples = p->view.width * p->view.channels, height = p->view.height;
    for (int64_t y = 0; y < height; y++) {
        for (int64_t i = 0; i < samples; i++) {
            double rough = 1 / (3 + (double)(next_random() % 1000000));
            bool middle = i == samples / 2;
            if (how == ALL_ROUGH || (how == A_THIRD && y == height / 2 && middle)) {
                put_at(&p->view, y, i, rough);
            } else if (how == FINE) {
                double fine = (double)(next_random() % ((uint64_t)1 << bits));
                put_at(&p->view, y, i, ldexp(fine, -bits));
            } else if (how == NEGATIVE_ZEROS && y % 50 < 30) {
                put_at(&p->view, y, i, -0.0);
            } else if (how == TINY_ROWS && y % 131 == 17 && middle) {
                put_at(&p->view, y, i, 0x1p-140);
            } else if (how == HUGE_ROWS && y % 97 == 3 && middle) {
                put_at(&p->view, y, i, 0x1.fffffep127);
            }
        }
    }
}

/* No sum of zeros is -0, in windows of a few rows and of many, of a few columns and of many. */
TEST(test_negative_zeros)
{
    static const int64_t sides[] = {1, 3, 9, 12, 17, 33};
    enum { SIDES = sizeof sides / sizeof *sides, W = 70, H = 9 };
    for (int k = 0; k < 2 * SIDES * SIDES; k++) {
        test_case t = {k % 2 ? SATF_F32 : SATF_F64,
                       1 + 2 * (k / 2 % 2),
                       W,
                       H,
                       sides[k / 2 % SIDES],
                       sides[k / 2 / SIDES],
                       k % 3 ? SATF_BORDER_CLAMP : SATF_BORDER_SHRINK,
                       false,
                       false,
                       1,
                       false};
        variant v = {1, (satf_isa)(k % SATF_ISA_COUNT), PACKED, false};
        picture p = picture_create(W, H, t.channels, t.type, PACKED, t.seed);
        spoil(&p, NEGATIVE_ZEROS, 0);
        results sums;
        run_variant(&t, &v, &p, &sums);
        for (int64_t i = 0; i < W * H * t.channels; i++) {
            assert_false(signbit(sums.reals[0][i]));
        }
        results_destroy(&sums);
        picture_destroy(&p);
    }
}

/*
 * Floats slide where that is exact and else go by strips, always so if squares are asked for, but
 * in windows of a few rows: sums of the samples must not tell. Rough samples make a sum's bits
 * depend on its order, so this also shows that threads, streaming and the kernels' level do not
 * change it.
 */
TEST(test_both_ways_of_floats)
{
    static const int64_t windows[][2] = {{3, 3}, {15, 4}, {5, 1}, {17, 16}, {64, 33}, {101, 5}};
    unsigned count = 0;
    for (int how = NOTHING; how < SPOILINGS; how++) {
        for (int k = 0; k < 24; k++, count++) {
            const int64_t *window = windows[how == FINE ? 4 : count % 6];
            test_case t = {k % 2 ? SATF_F32 : SATF_F64,
                           1 + k / 2 % 4,
                           k % 3 == 0 ? 700 : 61,
                           k % 5 == 0 ? 61 : 219,
                           window[0],
                           window[1],
                           (satf_border)((count + count / 6) % 6),
                           false,
                           false,
                           count,
                           false};
            variant v = {1 + (int)(count % 3), (satf_isa)(count / 2 % SATF_ISA_COUNT), PACKED,
                         k % 4 == 1};
            variant plain = {1, SATF_ISA_BASE, PACKED, false};
            picture p = picture_create(t.width, t.height, t.channels, t.type, PACKED, t.seed);
            spoil(&p, (enum spoiling)how, 30 + k);
            results one, other;
            run_variant(&t, &v, &p, &one);
            /* Windows of a few rows have an order of their own. */
            t.squares = t.h > VERTICAL_DIRECT || t.w > STRIP_DIRECT;
            run_variant(&t, &plain, &p, &other);
            if (t.squares) {
                memcpy(other.reals[1], one.reals[1],
                       (size_t)(t.width * t.height * t.channels) * sizeof(double));
            }
            check_same(&t, &v, &other, &one);
            results_destroy(&one);
            results_destroy(&other);
            picture_destroy(&p);
        }
    }
}

static void ignore(void *user, const window_segment *segment)
{
    (void)user;
    (void)segment;
}

TEST(test_refusals)
{
    test_case t = {SATF_U8, 1, 2048, 2048, 9, 9, SATF_BORDER_CLAMP, false, false, 1, false};
    variant v = {1, SATF_ISA_AVX512, PACKED, false};
    picture p = picture_create(t.width, t.height, t.channels, t.type, PACKED, t.seed);
    satf_context *own = context_of(&v);
    window_spec spec = spec_of(&t, &p.view);

    size_t bytes = bytes_of(own, &spec);
    satf_context_set_limit(own, SATF_LIMIT_MEMORY, (int64_t)bytes);
    assert_int_equal(run_once(own, &spec, ignore, NULL), SATF_OK);
    satf_context_set_limit(own, SATF_LIMIT_MEMORY, (int64_t)bytes - 1);
    assert_int_equal(run_once(own, &spec, ignore, NULL), SATF_LIMIT);
    assert_non_null(strstr(satf_message(own), "limit: max-memory"));
    satf_context_set_limit(own, SATF_LIMIT_MEMORY, 0);

    window_spec bad = spec;
    bad.w = 0;
    assert_int_equal(run_once(own, &bad, ignore, NULL), SATF_INVALID);
    bad.w = 65536;
    assert_int_equal(run_once(own, &bad, ignore, NULL), SATF_INVALID);
    bad = spec;
    bad.weighted = true;
    assert_int_equal(run_once(own, &bad, ignore, NULL), SATF_INVALID);
    bad = spec;
    bad.in.type = SATF_U32;
    bad.in.stride *= 4;
    assert_int_equal(run_once(own, &bad, ignore, NULL), SATF_UNSUPPORTED);

    /* A source that fails, early, late, and for a band's first rows. */
    for (int64_t at = 0; at < t.height; at += 500) {
        source s = {.view = &p.view, .newest = -1, .kept = 10, .fails_at = at};
        s.rows = calloc((size_t)t.height, sizeof *s.rows);
        bad = spec;
        bad.in.data = &s; /* the march's source */
        bad.row = source_row;
        assert_int_equal(run_once(own, &bad, ignore, NULL), SATF_IO);
        assert_true(satf_message(own)[0] != '\0');
        for (int64_t y = 0; y < t.height; y++) {
            free(s.rows[y]);
        }
        free(s.rows);
    }
    picture_destroy(&p);
    satf_context_destroy(own);
}

static int begin(void **state)
{
    (void)state;
#ifdef __GLIBC__
    mallopt(M_PERTURB, 0x100); /* memory comes as NaNs */
#endif
    return 0;
}

TEST_FILE(.shared = true, .begin = begin)