/* Chains and filters of several steps go down the rows together: each chain has the bits of its
 * filters one after the other, whatever the number of threads and wherever their bands meet. */
#include "test.h"

#include "base/parallel.h"
#include "base/view.h"
#include "plan/plan.h"
#include "ways.h"

enum { CASES = 2500, MOST_FILTERS = 5 };

/* Any filter of windows with any border; rarely one that needs the whole picture. */
static satf_filter *pick_filter(satf_context *ctx, uint64_t *random, const satf_view *in)
{
    const filter_info *info;
    do {
        info = pick_info(random);
    } while (filter_param_of_kind(info, PARAM_ORDER) ||
             (!filter_param_of_kind(info, PARAM_SIZE) && pick(random, 0, 9)));
    picked_window window = pick_window(random);
    return make_filter_of(ctx, info, (int)pick(random, 0, SATF_BORDER_VALID), window.size,
                          window.at, in->width, in->height);
}

/* What is to be walked down, and how its plan does that. */
typedef struct tally {
    int compared, walked, banded, deep;
} tally;

static satf_plan *plan_of(satf_context *ctx, const satf_filter *chain, const satf_view *in,
                          const satf_view *out)
{
    filter_call call = filter_whole_call(ctx, chain, in, out);
    satf_plan *plan;
    MUST(ctx, filter_plan_make(ctx, &call, SATF_HOST, FILTER_CALL, &plan));
    return plan;
}

static void count_walks(satf_context *ctx, const satf_filter *chain, const satf_view *in,
                        const satf_view *out, tally *t)
{
    satf_plan *plan = plan_of(ctx, chain, in, out);
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

/* How many plans of a chain for pictures of that size walk: 0 or 1. */
static int walks(satf_context *ctx, const char *spec, int64_t width, int64_t height)
{
    tally t = {0};
    satf_view in = satf_view_packed(NULL, width, height, 1, SATF_U8), out;
    SCOPED_FILTER *chain = parse_filter(ctx, spec);
    MUST(ctx, satf_filter_output(ctx, chain, &in, &out));
    count_walks(ctx, chain, &in, &out, &t);
    return t.walked;
}

/* The filters one by one. Of integers that is by tables, which know no walks, where there are some.
 */
static satf_filter *one_by_one(satf_context *ctx, const satf_view *in, uint64_t *random,
                               satf_view *want)
{
    satf_filter *chain = NULL;
    satf_view at = *in, next;
    for (int64_t k = pick(random, 1, MOST_FILTERS); k > 0; k--) {
        satf_filter *one = pick_filter(ctx, random, &at);
        bool floats = at.type != SATF_U8 && at.type != SATF_U16; /* or computed as such */
        use_tables(ctx, one, at.type, !floats);
        if (satf_filter_output(ctx, one, &at, &next)) { /* too small, or too many channels */
            satf_filter_destroy(one);
            continue;
        }
        next = result_of(ctx, one, &at);
        free(at.data == in->data ? NULL : at.data);
        at = next;
        if (chain) {
            MUST(ctx, satf_filter_append(ctx, chain, one));
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
    SCOPED_VIEW in = pick_image(&random, pick(&random, 0, 3) ? 150 : 12);
    satf_view want;
    satf_context_set_threads(ctx, 1);
    SCOPED_FILTER *chain = one_by_one(ctx, &in, &random, &want);
    satf_context_set_engine(ctx, SATF_ENGINE_AUTO);
    for (int threads = 1; chain && threads <= 4; threads += 1 + (int)pick(&random, 0, 1)) {
        satf_context_set_threads(ctx, threads);
        check_number(ctx, chain, &in, &want, &random, number);
        count_walks(ctx, chain, &in, &want, t);
        t->compared++;
    }
    free(chain ? want.data : NULL);
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
        if (walks(ctx, cases[i].spec, cases[i].width, cases[i].height) != cases[i].walks) {
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
    static const char *const specs[] = {"box=3 box=5 guided=5,amount=2.5 box=3",
                                        "box=1 box=3 box=5 guided=5,amount=2.5 box=3"};
    SCOPED_VIEW in = draw_image(40, 200, 1, SATF_U8, 0, 0, 7), first = made_by(ctx, "box=3", &in);
    SCOPED_VIEW second = made_by(ctx, "box=5", &first);
    SCOPED_VIEW third = made_by(ctx, "guided=5,amount=2.5", &second);
    SCOPED_VIEW want = made_by(ctx, "box=3", &third);
    satf_share_anything();
    for (int k = 0; k < 4; k++) {
        tally t = {0};
        SCOPED_FILTER *chain = parse_filter(ctx, specs[k % 2]);
        satf_context_set_threads(ctx, 1 + k / 2);
        SCOPED_VIEW next = result_of(ctx, chain, &in);
        require_same(specs[k % 2], "a walk", &next, &want);
        count_walks(ctx, chain, &in, &next, &t);
        assert_int_equal(t.walked, 1);
    }
}

static size_t bytes_of(satf_context *ctx, const char *spec, int64_t width, int64_t height)
{
    SCOPED_FILTER *filter = parse_filter(ctx, spec);
    satf_view in = satf_view_packed(NULL, width, height, 1, SATF_F32), out;
    size_t bytes = 0;
    MUST(ctx, satf_filter_output(ctx, filter, &in, &out));
    MUST(ctx, satf_filter_scratch(ctx, filter, &in, &out, &bytes));
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
    satf_context_set_threads(ctx, 4);
    assert_int_equal(walks(ctx, "box=9 box=9", 2000, 2000), 1);
    assert_int_equal(walks(ctx, "box=401 box=401", 2000, 2000), 0);
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
            MUST(ctx, satf_filter_append(ctx, chain, low));
        }
        for (int threads = 1; threads <= 2; threads++) {
            satf_context_set_threads(ctx, threads);
            satf_plan *plan = plan_of(ctx, chain, &in, &in);
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
    MUST(ctx, satf_filter_output(ctx, chain, &in, &out));
    satf_share_anything();
    for (int threads = 1; threads <= 4; threads++) {
        satf_view outs[2] = {out, out};
        satf_plan *plan;
        outs[0].data = results[threads > 1][0];
        outs[1].data = results[threads > 1][1];
        satf_context_set_threads(ctx, threads);
        MUST(ctx, satf_plan_create(ctx, chain, &in, 1, outs, 2, &plan));
        MUST(ctx, satf_plan_run(plan, &in, 1, outs, 2));
        satf_plan_destroy(plan);
        assert_memory_equal(results[threads > 1], results[0], sizeof results[0]);
    }
}

typedef struct stop {
    double after, latest;
} stop;

static int stop_after(void *user, double done)
{
    stop *s = user;
    s->latest = done;
    return done > s->after;
}

/* The progress of the call that cancels: the first that is more than `after`. */
static double stopped_at(satf_context *ctx, const char *spec, const satf_view *in, double after)
{
    SCOPED_FILTER *filter = parse_filter(ctx, spec);
    SCOPED_VIEW out = output_of(ctx, filter, in);
    stop s = {after, -1};
    satf_context_set_progress(ctx, stop_after, &s);
    expect(ctx, satf_filter_apply(ctx, filter, in, &out), SATF_CANCELLED, "stopped");
    satf_context_set_progress(ctx, NULL, NULL);
    assert_true(after >= 0 || *(char *)out.data == 0x5B); /* nothing is written yet */
    return s.latest;
}

/* Before a call does anything; and within floats that go by strips, of which a walker makes all
 * rows of one after the other, and a filter that looks at them first. */
TEST(calls_can_be_cancelled)
{
    SCOPED_VIEW small = draw_bytes(30, 20, 1, SATF_U8, 0, 1);
    SCOPED_VIEW large = draw_image(1024, 1024, 1, SATF_F32, 0, 0, 7);
    satf_context_set_threads(ctx, 1);
    assert_true(stopped_at(ctx, "box=3 guided=5", &small, -1) == 0);
    double strips = stopped_at(ctx, "variance=3", &large, 0);
    double looks = stopped_at(ctx, "wolf=9", &large, 0);
    assert_true(strips > 0 && strips < 0.5 && looks > 0 && looks < 0.5);
}
