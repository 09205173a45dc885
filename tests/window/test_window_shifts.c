/* Moments of floats around shifts by the window engine, against exact ones. */
#include "test.h"

#include "base/parallel.h"
#include "window_reference.h"

/* Plains at heights that differ, with noise: multiples of 2^-8. Alpha is 0 ... 1. */
static void fill(const test_case *c, picture *p)
{
    for (int64_t y = 0; y < c->height; y++) {
        for (int64_t i = 0; i < c->width * c->channels; i++) {
            bool alpha = c->weighted && i % c->channels == c->channels - 1;
            int64_t plain = i / c->channels / 200 + y / 90, random = (int64_t)next_random();
            double level = 4096 + (double)(plain % 3 * 4) + (double)(random % 256) / 256;
            put_at(&p->view, y, i,
                   alpha ? (double)(random % 32 < 16 ? 0 : random % 17) / 16 : level);
        }
    }
}

/* What the window of sample i holds: its least and greatest sample that weighs; and whether one of
 * them is `shift`, or may be, as none weighs. */
static bool holds(const test_case *c, const satf_view *view, int64_t i, double shift, double *least,
                  double *most)
{
    int channel = (int)(i % c->channels), last = c->channels - 1;
    int64_t x0 = i / c->channels % c->width - c->w / 2, y0 = i / c->channels / c->width - c->h / 2;
    bool found = false, any = false;
    *least = INFINITY;
    *most = -INFINITY;
    for (int64_t y = y0; y < y0 + c->h; y++) {
        for (int64_t x = x0; x < x0 + c->w; x++) {
            int64_t column = satf_border_index((int)c->border, x, c->width);
            int64_t row = satf_border_index((int)c->border, y, c->height);
            bool outside = column < 0 || row < 0;
            double sample = outside ? 37 : sample_at(view, row, column * c->channels + channel);
            double weight = !c->weighted ? 1
                            : outside    ? 37
                                         : sample_at(view, row, column * c->channels + last);
            if (weight > 0 && !(outside && c->border == SATF_BORDER_SHRINK)) {
                found = found || sample == shift;
                any = true;
                *least = sample < *least ? sample : *least;
                *most = sample > *most ? sample : *most;
            }
        }
    }
    return c->weighted && channel == last ? shift == 0 : found || !any;
}

/* The number of bits of w. */
static int bits_of(int64_t w)
{
    int bits = 0;
    for (; w; w /= 2) {
        bits++;
    }
    return bits;
}

/* The shift is a sample of the window; and sums S and S2 of what is above it, of S0 pixels or their
 * alphas, are off by at most what docs/numbers.md says, by S0 and the range of the samples. */
static void check_value(const test_case *c, const variant *v, const picture *p, const results *r,
                        const model_sums *of, int64_t i)
{
    int64_t pixel = i / c->channels, last = (pixel + 1) * c->channels - 1;
    double shift = r->shifts[i], least, most;
    if (!holds(c, &p->view, i, shift, &least, &most)) {
        fail_case(c, v, "a shift that is no sample of the window", i);
    }
    ref_wide by = (ref_wide)(shift * 256), area = of->area[pixel];
    ref_wide weight = c->weighted ? of->sums[last] : area * (ref_wide)FLOAT_UNITS;
    ref_wide sum = of->sums[i] - weight * by / 256;
    ref_wide square = of->squares[i] - (2 * of->sums[i] * by / 256) + weight * by / 256 * by / 256;
    bool alpha = c->weighted && i == last;
    if (alpha) {
        square = sum;
        weight = area * (ref_wide)FLOAT_UNITS;
        least = 0;
        most = 37;
    }
    long double range = weight ? (long double)most - (long double)least : 0;
    long double unit = (long double)weight * range * 0x1p-53L;
    long double off[2] = {fabsl((long double)r->reals[0][i] * FLOAT_UNITS - (long double)sum),
                          fabsl((long double)r->reals[1][i] * FLOAT_UNITS - (long double)square)};
    int bits = bits_of(c->w);
    if (off[0] > (long double)(c->h + 3 * bits + 8) * unit ||
        off[1] > (long double)(c->h + 12 * bits + 20) * unit * (alpha ? 1 : range)) {
        fail_case(c, v, "a wrong sum", i);
    }
}

static void check_values(const test_case *c, const variant *v, const picture *p, const results *r)
{
    window_spec spec = spec_of(c, &p->view);
    model_sums sums = sums_of(&spec, false);
    int64_t count = c->width * c->height * c->channels, few = 1 + count * c->w * c->h / 3000000;
    for (int64_t i = 0; i < count; i += few) { /* windows are looked through one by one */
        check_value(c, v, p, r, &sums, i);
    }
    model_sums_free(&sums);
}

/* Blocks and strips, whole and streamed, by any number of threads. */
TEST(test_values)
{
    static const int64_t windows[][2] = {{1, 1}, {3, 3}, {15, 4}, {64, 33}, {7, 90}, {701, 5}};
    static const int64_t sizes[][2] = {{450, 230}, {1, 1}, {5, 280}, {130, 31}};
    static const variant variants[] = {{3, SATF_ISA_AVX512, PACKED, false},
                                       {1, SATF_ISA_AVX2, PACKED, true},
                                       {2, SATF_ISA_BASE, PACKED, false}};
    unsigned count = 0;
    for (size_t k = 0; k < 6 * 8; k++, count++) {
        test_case c = {.type = k / 2 % 2 ? SATF_F32 : SATF_F64,
                       .channels = 1 + (int)(k / 3 % 4),
                       .width = sizes[k % 4][0],
                       .height = sizes[k % 4][1],
                       .w = windows[(k / 4 + k) % 6][0],
                       .h = windows[(k / 4 + k) % 6][1],
                       .border = (satf_border)((k + k / 6) % 6),
                       .squares = true,
                       .seed = count,
                       .shifts = true};
        c.weighted = c.channels > 1 && k % 2;
        variant plain = {1, SATF_ISA_BASE, PACKED, false};
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

/* Two wild pixels among those, or one or two rows of them, spoil nothing but their own windows, and
 * none that may not be subtracted is a shift. */
TEST(test_wild)
{
    static const double wild[] = {1e300, (double)INFINITY, (double)NAN, -1e9};
    for (int k = 0; k < 12; k++) {
        test_case c = {SATF_F64,           1,     81,   20,          5,   3,
                       SATF_BORDER_MIRROR, false, true, (unsigned)k, true};
        variant v = {1, SATF_ISA_AVX512, PACKED, false};
        picture p = picture_create(c.width, c.height, 1, c.type, PACKED, c.seed);
        fill(&c, &p);
        int whole = k / 4;
        for (int i = 0; i < (whole ? 81 * whole : 15); i++) {
            double *sample = (double *)satf_row(&p.view, i / 81) + i % 81;
            *sample = whole || i % 10 == 0 ? wild[k % 4] : *sample;
        }
        results r;
        run_variant(&c, &v, &p, &r);
        for (int64_t i = 0; i < 81 * 20; i++) {
            bool reached = whole ? i / 81 <= whole : i / 81 <= 1 && i % 81 <= 12;
            assert_true(reached || (r.shifts[i] >= 4096 && r.shifts[i] < 4097));
            assert_true(reached || (r.reals[1][i] >= 0 && r.reals[1][i] <= 15));
            assert_true(fabs(r.shifts[i]) <= 0x1p400);
        }
        results_destroy(&r);
        picture_destroy(&p);
    }
}

TEST_FILE(.shared = true)
