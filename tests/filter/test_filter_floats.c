/* Floats: the error bounds and the domains that docs/numbers.md states, for both engines. */
#include "test.h"
#include <float.h>

#include "filter_offsets.h"
#include "model.h"

enum { W = 41, H = 33 };

/* An image, a window and what lies outside; of tables: what samples are taken above, and the sums
 * of the whole image. */
typedef struct subject {
    const double *pixels;
    int border;
    double constant, shift;
    int64_t w, h;
    bool variance, by_tables;
    long double all, all_squares;
} subject;

/* What a window holds, by definition, of samples above the shift. */
typedef struct window_facts {
    long double area, sum, size; /* size: of magnitudes */
    long double mean_square, variance, range;
    bool inside;
} window_facts;

static bool subject_at(const subject *s, int64_t x, int64_t y, long double *sample)
{
    int64_t i = satf_border_index(s->border, x, W), j = satf_border_index(s->border, y, H);
    bool inside = i >= 0 && j >= 0;
    *sample = (long double)(inside ? s->pixels[j * W + i] : s->constant) - (long double)s->shift;
    return inside || s->border == SATF_BORDER_CONSTANT;
}

static window_facts look(const subject *s, satf_rect rect)
{
    window_facts f = {0};
    long double least = INFINITY, most = -INFINITY, a;
    f.inside = rect.x >= 0 && rect.y >= 0 && rect.x + rect.w <= W && rect.y + rect.h <= H;
    for (int64_t k = 0; k < 2 * rect.w * rect.h; k++) {
        int64_t i = k % (rect.w * rect.h);
        if (!subject_at(s, rect.x + i % rect.w, rect.y + i / rect.w, &a)) {
            continue;
        }
        if (k == i) {
            f.area += 1;
            f.sum += a;
            f.size += fabsl(a);
            f.mean_square += a * a;
            least = a < least ? a : least;
            most = a > most ? a : most;
        } else { /* for the second time */
            f.variance += (a - f.sum / f.area) * (a - f.sum / f.area);
        }
    }
    f.range = most - least;
    f.mean_square /= f.area;
    f.variance /= f.area;
    return f;
}

/* The bounds of docs/numbers.md: of a window's sum of summands, `size` the sum of their
 * magnitudes in the window, `all` in the whole image. */
static long double sum_bound(bool by_tables, satf_rect rect, const window_facts *f,
                             long double size, long double all)
{
    if (!by_tables) {
        return (long double)(rect.w + rect.h + 1) * 0x1p-53L * size;
    }
    long double reads = f->inside ? 4 : (long double)((2 * rect.w + 7) * (2 * rect.h + 7));
    return reads * (W + H + 12) * 0x1p-53L * (all + size);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* That of tables, by definition: of nine places of nine rows. */
static double find_shift(const double *pixels)
{
    double values[81];
    size_t count = 0;
    for (int64_t k = 0; k < 81; k++) {
        double value = pixels[(H - 1) * (k / 9) / 8 * W + k % 9 * (W - 1) / 8];
        if (fabs(value) <= 0x1p400) {
            values[count++] = value;
        }
    }
    qsort(values, count, sizeof *values, compare);
    double median = count > 0 ? values[(count - 1) / 2] : 0;
    double range = count > 0 ? values[count - 1 - count / 4] - values[count / 4] : 0;
    return fabs(median) <= 64 * range ? 0 : median;
}

/* Of a variance by the window engine, whose shifts are samples of the window: by the range of these
 * and the bits of the window's width. */
static long double variance_bound(int64_t w, int64_t h, const window_facts *f)
{
    int bits = 0;
    for (int64_t left = w; left; left /= 2) {
        bits++;
    }
    return (long double)(3 * h + 18 * bits + 40) * 0x1p-53L * f->range * f->range;
}

static bool is_right(const void *user, const model_place *at, double got, double *want)
{
    const subject *s = user;
    satf_rect rect = {at->x - s->w / 2, at->y - s->h / 2, s->w, s->h};
    window_facts f = look(s, rect);
    long double of_sum = sum_bound(s->by_tables, rect, &f, f.size, s->all) / f.area;
    long double mean = f.sum / f.area, right = s->variance ? f.variance : mean;
    long double bound = of_sum + fabsl(mean) * 0x1p-51L;
    if (s->variance && s->by_tables) {
        long double squares = f.mean_square * f.area;
        long double of_squares = sum_bound(true, rect, &f, squares, s->all_squares) / f.area;
        bound = of_squares + 2 * fabsl(mean) * of_sum + of_sum * of_sum +
                10 * 0x1p-53L * (f.mean_square + of_squares);
    } else if (s->variance) {
        bound = variance_bound(s->w, s->h, &f);
    }
    *want = (double)right;
    return isfinite(got) && (!s->variance || got >= 0) && fabsl((long double)got - right) <= bound;
}

static void check_filter(satf_context *ctx, const double *pixels, bool variance, int border,
                         double constant, int64_t w, int64_t h, const char *what)
{
    char spec[60];
    snprintf(spec, sizeof spec, "%s=%ldx%ld", variance ? "variance" : "box", (long)w, (long)h);
    SCOPED_FILTER *filter;
    MUST(ctx, satf_filter_parse(ctx, spec, &filter));
    MUST(ctx, satf_filter_set_border(ctx, filter, (satf_border)border, constant));
    for (int by_tables = 0; by_tables < 2; by_tables++) {
        subject s = {pixels, border, constant, 0, w, h, variance, by_tables, 0, 0};
        s.shift = variance && by_tables ? find_shift(pixels) : 0;
        for (int i = 0; i < W * H; i++) {
            long double a = (long double)pixels[i] - (long double)s.shift;
            s.all += fabsl(a);
            s.all_squares += a * a;
        }
        MODEL_CHECK(ctx, .filter = filter,
                    .in = satf_view_packed((void *)(uintptr_t)pixels, W, H, 1, SATF_F64),
                    .ways = by_tables ? MODEL_SAT : MODEL_WINDOW, .right = is_right, .user = &s,
                    .more = what);
    }
}

static const int64_t windows[][2] = {{3, 3}, {5, 3}, {16, 9}, {90, 2}, {5, 80}, {91, 40}};
enum { WINDOWS = sizeof windows / sizeof *windows };

/* Noise alone, around a large offset, and with a few samples that tower above the others. */
TEST(test_bounds)
{
    static double pixels[W * H];
    static const char *const whats[] = {"noise", "noise of 1 at 1e9", "towers"};
    static pairs met;
    for (int k = 0; k < 3; k++) {
        uint64_t seed = 7 + (uint64_t)k;
        for (int i = 0; i < W * H; i++) {
            pixels[i] = uniform(&seed) + (k == 1 ? 1e9 : 0);
            pixels[i] *= k == 2 && i % 97 == 5 ? 1e7 : 1;
        }
        for (int border = SATF_BORDER_CLAMP; border <= SATF_BORDER_SHRINK; border++) {
            for (int i = 0; i < 2 * WINDOWS; i++) {
                if (PAIRS_ONLY(&met, k, border, i / 2, i % 2)) {
                    check_filter(ctx, pixels, i % 2, border, 0.3, windows[i / 2][0],
                                 windows[i / 2][1], whats[k]);
                }
            }
        }
    }
}

/* Sums of the whole image overflow, those of windows do not. */
TEST(test_image_overflows)
{
    static double pixels[W * H];
    static pairs met;
    for (int border = SATF_BORDER_CLAMP; border <= SATF_BORDER_SHRINK; border++) {
        for (int i = 0; i < WINDOWS; i++) {
            double area = (double)(windows[i][0] * windows[i][1]);
            for (int k = 0; k < 3; k++) {
                if (!PAIRS_ONLY(&met, border, i, k)) {
                    continue;
                }
                uint64_t seed = 3 + (uint64_t)k;
                double most = k < 2 ? DBL_MAX / area : 0x1p511 / area;
                for (int p = 0; p < W * H; p++) {
                    pixels[p] = (k == 0 ? fabs(uniform(&seed)) : uniform(&seed)) * most;
                }
                check_filter(ctx, pixels, k == 2, border, most / 2, windows[i][0], windows[i][1],
                             "large samples");
            }
        }
    }
    /* Here the image's sum is finite, but not the edge column's multiples that make a window. */
    for (int p = 0; p < W * H; p++) {
        pixels[p] = p % W == W - 1 ? 1 : 0x1p1010;
    }
    check_filter(ctx, pixels, false, SATF_BORDER_CLAMP, 0, 90, 1, "large multiples");
    check_filter(ctx, pixels, false, SATF_BORDER_CLAMP, 0, 1, 90, "large multiples");
}

/* A template whose rectangles are far from overflow in an image that is not. */
static bool is_template(const void *user, const model_place *at, double got, double *want)
{
    const double *pixels = user;
    double sum = 0;
    for (int64_t k = 0; k < 15; k++) {
        int64_t x = satf_border_index(SATF_BORDER_CLAMP, at->x + 1 + k % 3, W);
        int64_t y = satf_border_index(SATF_BORDER_CLAMP, at->y - 2 + k / 3, H);
        sum += pixels[y * W + x] * 0x1p-100;
    }
    *want = 2 * sum * 0x1p100; /* infinite where the sum overflows */
    return isnan(sum) ? isnan(got) : got == *want || fabs(got - *want) <= 0x1p985;
}

TEST(test_template_overflows)
{
    static double pixels[W * H];
    for (int p = 0; p < W * H; p++) {
        pixels[p] = p % W < W / 2 ? 0x1p1020 : 0x1p1000;
    }
    pixels[7 * W + 2] = NAN;
    satf_weighted_rect rect = {{1, -2, 3, 5}, 2};
    SCOPED_FILTER *filter;
    MUST(ctx, satf_filter_create(ctx, "template", &filter));
    MUST(ctx, satf_filter_set_rects(ctx, filter, &rect, 1));
    MODEL_CHECK(ctx, .filter = filter, .in = satf_view_packed(pixels, W, H, 1, SATF_F64),
                .ways = MODEL_AUTO | MODEL_PART, .right = is_template, .user = pixels);
}

/* ------------------------------------------------------------------------ offsets */

TEST(test_offsets)
{
    check_offsets(ctx, "cpu");
}

TEST(test_channel_offsets)
{
    for (int engine = SATF_ENGINE_AUTO; engine <= SATF_ENGINE_WINDOW; engine++) {
        check_channel_offsets(ctx, false, (satf_engine)engine);
        check_channel_offsets(ctx, true, (satf_engine)engine);
    }
}

TEST(test_seam)
{
    check_seam(ctx);
}

TEST_FILE(.shared = true)
