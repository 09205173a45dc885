/* Chains and filters of several steps go down the rows together: each chain has the bits of its
 * filters one after the other, whatever the number of threads and wherever their bands meet. */
#include "test.h"

#include "base/parallel.h"
#include "base/view.h"
#include "filter/plan.h"
#include "filter_make.h"
#include "filter_reference.h"

enum { CASES = 2500, MOST_FILTERS = 5 };

static const int types[] = {SATF_U8, SATF_U16, SATF_F32, SATF_F64};

static int64_t pick(uint64_t *random, int64_t least, int64_t most)
{
    return least + (int64_t)(ref_random(random) % (uint64_t)(most - least + 1));
}

/* Any filter of windows with any border; rarely one that needs the whole picture. */
static satf_filter *pick_filter(satf_context *ctx, uint64_t *random, const satf_view *in)
{
    const filter_info *info;
    size_t count = 0;
    while (filter_info_at(count)) {
        count++;
    }
    do {
        info = filter_info_at((size_t)pick(random, 0, (int64_t)count - 1));
    } while (filter_param_of_kind(info, PARAM_ORDER) ||
             (!filter_param_of_kind(info, PARAM_SIZE) && pick(random, 0, 9)));
    int64_t w = pick(random, 1, 9), h = pick(random, 1, 9);
    int64_t x = pick(random, w / 2 - w + 1, w / 2), y = pick(random, h / 2 - h + 1, h / 2);
    char size[40], at[40];
    snprintf(size, sizeof size, "%ldx%ld", (long)w, (long)h);
    snprintf(at, sizeof at, "%ld:%ld", (long)x, (long)y);
    return make_filter_of(ctx, info, (int)pick(random, 0, SATF_VALID), size, at, in->width,
                          in->height);
}

/* SATF_OK, and the result; or why the filter takes no such image. */
static satf_status apply(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                         satf_view *out)
{
    *out = (satf_view){0};
    satf_status status = satf_filter_output(ctx, filter, in, out);
    if (!status) {
        out->data = malloc((size_t)(out->stride * out->height));
        status = satf_filter_apply(ctx, filter, in, out);
    }
    return status;
}

/* What is to be walked down, and how its plan does that. */
typedef struct tally {
    int compared, walked, banded, deep;
} tally;

static void count_walks(satf_context *ctx, const satf_filter *chain, const satf_view *in,
                        const satf_view *out, tally *t)
{
    filter_call call = filter_whole_call(ctx, chain, in, out);
    satf_plan *plan;
    assert_int_equal(filter_plan_make(ctx, &call, SATF_HOST, FILTER_CALL, &plan), SATF_OK);
    bool walked = false;
    for (size_t w = 0; w < plan->walk_count; w++) {
        bool several = plan->walks[w].count > 1;
        walked = walked || several;
        t->banded += several && plan->walks[w].walkers > 1;
        t->deep += plan->walks[w].count > 4;
    }
    t->walked += walked;
    filter_plan_free(ctx, plan);
}

static void compare(const satf_view *got, const satf_view *want, const satf_filter *chain,
                    int number)
{
    char text[600];
    satf_filter_print(chain, text, sizeof text);
    assert_true(got->width == want->width && got->height == want->height);
    for (int64_t y = 0; y < got->height; y++) {
        if (memcmp(satf_row(got, y), satf_row(want, y),
                   (size_t)(got->width * satf_pixel_bytes(got))) != 0) {
            fail_msg("case %d, %s of %s: row %ld of %ld x %ld differs", number, text,
                     satf_type_name(got->type), (long)y, (long)got->width, (long)got->height);
        }
    }
}

/* The filters one by one. Of integers that is by tables, which know no walks, where there are some.
 */
static satf_filter *expect(satf_context *ctx, const satf_view *in, uint64_t *random,
                           satf_view *want)
{
    satf_filter *chain = NULL;
    satf_view at = *in, next;
    for (int64_t k = pick(random, 1, MOST_FILTERS); k > 0; k--) {
        satf_filter *one = pick_filter(ctx, random, &at);
        bool floats = satf_type_is_float(at.type);
        use_tables(ctx, one, at.type, !floats);
        if (apply(ctx, one, &at, &next)) { /* too small for its window, or too many channels */
            free(next.data);
            satf_filter_destroy(one);
            continue;
        }
        free(at.data == in->data ? NULL : at.data);
        at = next;
        if (chain) {
            assert_int_equal(satf_filter_append(ctx, chain, one), SATF_OK);
            satf_filter_destroy(one);
        } else {
            chain = one;
        }
    }
    *want = at;
    return chain;
}

static void check_case(satf_context *ctx, int number, tally *t)
{
    uint64_t random = (uint64_t)number * 83;
    int channels = (int)pick(&random, 1, 4);
    ref_image image = {pick(&random, 1, 40),
                       pick(&random, 0, 3) ? pick(&random, 1, 150) : pick(&random, 1, 12),
                       channels,
                       types[pick(&random, 0, 3)],
                       channels % 2 == 0 && pick(&random, 0, 1),
                       NULL};
    ref_fill(&image, random);
    satf_view in = ref_view(&image, pick(&random, 0, 5)), want, got;
    satf_context_set_threads(ctx, 1);
    satf_filter *chain = expect(ctx, &in, &random, &want);
    satf_context_set_engine(ctx, SATF_ENGINE_AUTO);
    for (int threads = 1; chain && threads <= 4; threads += 1 + (int)pick(&random, 0, 1)) {
        satf_context_set_threads(ctx, threads);
        if (apply(ctx, chain, &in, &got)) {
            fail_msg("case %d: %s", number, satf_message(ctx));
        }
        count_walks(ctx, chain, &in, &got, t);
        compare(&got, &want, chain, number);
        t->compared++;
        free(got.data);
    }
    free(chain ? want.data : NULL);
    satf_filter_destroy(chain);
    free(in.data);
    free(image.samples);
}

/* Rings of high windows, and their sums of floats, which no cache holds; images that one holds. */
TEST(large_rings_do_not_walk)
{
    satf_context_set_threads(ctx, 1);
    static const struct {
        const char *spec;
        int width, height, walks;
    } cases[] = {
        {"real box=9x900 box=9x900 box=9x900 box=9x900", 3000, 1000, 0},
        {"box=9x600 box=9x600 box=9x600 box=9x600", 3000, 1000, 0},
        {"real box=9 box=9", 20000, 30, 0},
        {"real box=9 box=9", 20000, 1000, 1},
        {"guided=301", 3600, 1200, 1},
        {"real box=9x25 box=9x25", 300, 30, 0},
        {"real box=9x25 box=9x25", 300, 3000, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tally t = {0};
        satf_view in = satf_view_packed(NULL, cases[i].width, cases[i].height, 1, SATF_U8), out;
        SCOPED_FILTER *chain = parse_filter(ctx, cases[i].spec);
        assert_int_equal(satf_filter_output(ctx, chain, &in, &out), SATF_OK);
        count_walks(ctx, chain, &in, &out, &t);
        if (t.walked != cases[i].walks) {
            fail_msg("%s, %d rows", cases[i].spec, cases[i].height);
        }
    }
}

TEST(bits_are_those_of_one_by_one)
{
    tally t = {0};
    satf_share_anything();
    for (int number = 0; number < CASES; number++) {
        check_case(ctx, number, &t);
    }
    assert_true(t.compared > 3 * CASES / 2 && t.walked > CASES / 3);
    assert_true(t.banded > CASES / 10 && t.deep > CASES / 50);
}

/* guided with an amount reads its input beside its last pass, whose result is a ring too. */
TEST(inputs_are_read_beside_results)
{
    static const char *const ones[] = {"box=3", "box=5", "guided=5,amount=2.5", "box=3"};
    static const char *const specs[] = {"box=3 box=5 guided=5,amount=2.5 box=3",
                                        "box=1 box=3 box=5 guided=5,amount=2.5 box=3"};
    ref_image image = {40, 200, 1, SATF_U8, 0, NULL};
    ref_fill(&image, 7);
    satf_view in = ref_view(&image, 0), want = in, next;
    satf_share_anything();
    for (size_t k = 0; k < sizeof ones / sizeof *ones; k++) {
        SCOPED_FILTER *one = parse_filter(ctx, ones[k]);
        assert_int_equal(apply(ctx, one, &want, &next), SATF_OK);
        free(k ? want.data : NULL);
        want = next;
    }
    for (int k = 0; k < 4; k++) {
        tally t = {0};
        SCOPED_FILTER *chain = parse_filter(ctx, specs[k % 2]);
        satf_context_set_threads(ctx, 1 + k / 2);
        assert_int_equal(apply(ctx, chain, &in, &next), SATF_OK);
        compare(&next, &want, chain, k);
        count_walks(ctx, chain, &in, &next, &t);
        assert_int_equal(t.walked, 1);
        free(next.data);
    }
    free(want.data);
    free(in.data);
    free(image.samples);
}

static size_t bytes_of(satf_context *ctx, const char *spec, int64_t width, int64_t height)
{
    SCOPED_FILTER *filter = parse_filter(ctx, spec);
    satf_view in = satf_view_packed(NULL, width, height, 1, SATF_F32), out;
    size_t bytes = 0;
    assert_int_equal(satf_filter_output(ctx, filter, &in, &out), SATF_OK);
    assert_int_equal(satf_filter_scratch(ctx, filter, &in, &out, &bytes), SATF_OK);
    return bytes;
}

/* Of a chain on one thread it is that of rows, whatever the height. */
TEST(memory_is_that_of_rows)
{
    satf_context_set_threads(ctx, 1);
    static const char *const specs[] = {"box=15 box=15 box=15", "guided=9",
                                        "unsharp=5 guided=31,border=mirror box=3x9,border=shrink"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        assert_true(bytes_of(ctx, specs[i], 1000, 20000) == bytes_of(ctx, specs[i], 1000, 40000));
    }
    assert_true(bytes_of(ctx, "box=15 wolf=15", 1000, 20000) > 20000000);
}

/* Bands whose seams would cost more than a quarter: a filter makes its whole image after the other,
 * on all threads. */
TEST(high_windows_go_one_by_one)
{
    satf_view in = satf_view_packed(NULL, 2000, 2000, 1, SATF_U8);
    satf_context_set_threads(ctx, 4);
    static const char *const specs[] = {"box=9 box=9", "box=401 box=401"};
    for (int high = 0; high < 2; high++) {
        tally t = {0};
        SCOPED_FILTER *chain = parse_filter(ctx, specs[high]);
        count_walks(ctx, chain, &in, &in, &t);
        assert_int_equal(t.walked, !high);
    }
}

/* The march of a window higher than the picture begins with sums of its first and last rows, which
 * each walker has of an image in memory. */
TEST(windows_higher_than_the_picture_walk)
{
    satf_view in = satf_view_packed(NULL, 3000, 100, 1, SATF_U8);
    static const char *const specs[] = {"box=5x99,at=0:49", "box=5x104,at=0:51"};
    for (int higher = 0; higher < 2; higher++) {
        SCOPED_FILTER *chain = parse_filter(ctx, specs[higher]);
        SCOPED_FILTER *low = parse_filter(ctx, "box=3x1 box=3x1 box=3x1 box=3x1");
        for (int k = 0; k < 4; k++) {
            assert_int_equal(satf_filter_append(ctx, chain, low), SATF_OK);
        }
        for (int threads = 1; threads <= 2; threads++) {
            satf_context_set_threads(ctx, threads);
            filter_call call = filter_whole_call(ctx, chain, &in, &in);
            satf_plan *plan;
            assert_int_equal(filter_plan_make(ctx, &call, SATF_HOST, FILTER_CALL, &plan), SATF_OK);
            assert_int_equal(plan->walk_count, 1);
            assert_int_equal(plan->walks[0].walkers, threads);
            assert_int_equal(plan->walks[0].first, 0);
            filter_plan_free(ctx, plan);
        }
    }
}

/* Two outputs, of which only the second has shifts of floats: those of rows above the walkers. */
TEST(second_outputs_are_those_of_one_thread)
{
    enum { WIDTH = 200, HEIGHT = 150, SAMPLES = WIDTH * HEIGHT };
    SCOPED_FILTER *chain = parse_filter(ctx, "box=3x7,border=valid moments=1x2,border=mirror");
    static double samples[SAMPLES], results[2][2][SAMPLES];
    uint64_t random = 1403;
    for (int i = 0; i < SAMPLES; i++) {
        double level = 1000 + (double)(i / WIDTH) * 10;
        samples[i] = level + (double)(ref_random(&random) >> 33) * 1e-9;
    }
    satf_view in = satf_view_packed(samples, WIDTH, HEIGHT, 1, SATF_F64), out;
    assert_int_equal(satf_filter_output(ctx, chain, &in, &out), SATF_OK);
    satf_share_anything();
    for (int threads = 1; threads <= 4; threads++) {
        satf_view outs[2] = {out, out};
        satf_plan *plan;
        outs[0].data = results[threads > 1][0];
        outs[1].data = results[threads > 1][1];
        satf_context_set_threads(ctx, threads);
        assert_int_equal(satf_plan_create(ctx, chain, &in, 1, outs, 2, &plan), SATF_OK);
        assert_int_equal(satf_plan_run(plan, &in, 1, outs, 2), SATF_OK);
        satf_plan_destroy(plan);
        assert_memory_equal(results[threads > 1], results[0], sizeof results[0]);
    }
}

static int stop_at_once(void *user, double done)
{
    double *first = user;
    *first = done;
    return 1;
}

/* So a call can be cancelled before it does anything. */
TEST(progress_begins_at_0)
{
    SCOPED_FILTER *chain = parse_filter(ctx, "box=3 guided=5");
    uint8_t pixels[30 * 20] = {0}, result[30 * 20];
    satf_view in = satf_view_packed(pixels, 30, 20, 1, SATF_U8), out = in;
    double first = -1;
    out.data = result;
    satf_context_set_progress(ctx, stop_at_once, &first);
    assert_int_equal(satf_filter_apply(ctx, chain, &in, &out), SATF_CANCELLED);
    assert_true(first == 0);
    satf_context_set_progress(ctx, NULL, NULL);
}

static int stop_soon(void *user, double done)
{
    double *latest = user;
    *latest = done;
    return done > 0;
}

/* Floats that go by strips, of which a walker makes all rows of one after the other, and a filter
 * that looks at them first. */
TEST(long_steps_can_be_cancelled)
{
    enum { SIDE = 1024 };
    static const char *const specs[] = {"variance=3", "wolf=9"};
    static float samples[SIDE * SIDE];
    static double results[SIDE * SIDE];
    uint64_t random = 7;
    satf_context_set_threads(ctx, 1);
    for (int i = 0; i < SIDE * SIDE; i++) {
        samples[i] = 1 / (3 + (float)(ref_random(&random) >> 44));
    }
    satf_view in = satf_view_packed(samples, SIDE, SIDE, 1, SATF_F32), out;
    for (int k = 0; k < 2; k++) {
        SCOPED_FILTER *filter = parse_filter(ctx, specs[k]);
        double latest = -1;
        assert_int_equal(satf_filter_output(ctx, filter, &in, &out), SATF_OK);
        out.data = results;
        satf_context_set_progress(ctx, stop_soon, &latest);
        assert_int_equal(satf_filter_apply(ctx, filter, &in, &out), SATF_CANCELLED);
        assert_true(latest > 0 && latest < 0.5);
        satf_context_set_progress(ctx, NULL, NULL);
    }
}
