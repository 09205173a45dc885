/*
 * Time to stop: how long a filter works between two calls of the progress callback, and after one
 * that cancels.
 *
 * What is measured is the processor time of the calling thread, as a share of what the whole call
 * takes, so neither other programs nor the machine's speed count. What disturbs a run now and then,
 * such as an interrupt, would have to take as large a share of each of TRIES runs. The pictures are
 * so large that a share is many ticks (SATF_TICK_SAMPLES), and so small that what a filter does
 * before its first row, with these windows, is more.
 */
#include "test.h"
#include <stdatomic.h>
#include <time.h>

#include "base/clock.h"
#include "base/parallel.h"
#include "chain/filter.h"
#include "ways.h"

enum { TRIES = 6, LEAST_CASES = 80 };
static const double most_share = 0.15, most_rest = 0.2; /* the latter gives memory back */

/* In place of the library's: every tick asks. */
double satf_now_ms(void)
{
    static atomic_int calls;
    return 1e3 * atomic_fetch_add(&calls, 1);
}

static double used_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* ------------------------------------------------------------------------- watching */

typedef struct watch {
    double start_ms, latest_ms, longest_ms; /* longest: between two calls */
    double from, latest;                    /* the progress in front of that; of the latest call */
    long calls, stop_at;                    /* the call that cancels; 0: none */
    bool falls;                             /* progress was less than before */
} watch;

static void look(watch *w)
{
    double now = used_ms();
    if (now - w->latest_ms > w->longest_ms) {
        w->longest_ms = now - w->latest_ms;
        w->from = w->latest;
    }
    w->latest_ms = now;
}

static int on_progress(void *user, double done)
{
    watch *w = user;
    look(w);
    w->falls |= done < w->latest;
    w->latest = done;
    w->latest_ms = used_ms();
    return ++w->calls == w->stop_at;
}

/* Nothing is left from the run before: its plan would be made already. */
static void begin(satf_context *ctx, watch *w, long stop_at)
{
    satf_context_forget(ctx);
    *w = (watch){.stop_at = stop_at};
    satf_context_set_progress(ctx, on_progress, w);
    w->start_ms = w->latest_ms = used_ms();
}

/* The way that a filter runs: the status of its call. */
typedef satf_status (*way)(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                           const satf_view *out);

/* Small enough in some run, and stops soon once the callback cancels halfway. */
static void check(satf_context *ctx, const char *name, way run, const satf_filter *filter,
                  const satf_view *in, const satf_view *out)
{
    watch w, stopped;
    double share = 1, rest = 1;
    char text[400];
    int used = snprintf(text, sizeof text, "%s of %s, ", name, satf_type_name(in->type));
    satf_filter_print(filter, text + used, sizeof text - (size_t)used);
    for (int i = 0; i < TRIES && (share > most_share || rest > most_rest); i++) {
        begin(ctx, &w, 0);
        if (run(ctx, filter, in, out)) {
            fail_msg("%s: %s", text, satf_message(ctx));
        }
        look(&w); /* the return counts too */
        double all = used_ms() - w.start_ms;
        share = fmin(share, w.longest_ms / all);
        begin(ctx, &stopped, w.calls / 2 + 1);
        satf_status status = run(ctx, filter, in, out);
        if (status != SATF_CANCELLED || strcmp(satf_message(ctx), "stopped on request") != 0) {
            fail_msg("%s: %s after call %ld of %ld cancels, '%s'", text, satf_status_name(status),
                     stopped.stop_at, w.calls, satf_message(ctx));
        }
        rest = fmin(rest, (used_ms() - stopped.latest_ms) / all);
    }
    if (share > most_share || rest > most_rest) {
        fail_msg("%s: %.0f %% of the work without a call, behind %g of it; %.0f %% after one that "
                 "cancels",
                 text, 100 * share, w.from, 100 * rest);
    }
}

/* ----------------------------------------------------------------------------- ways */

static satf_status apply(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                         const satf_view *out)
{
    return satf_filter_apply(ctx, filter, in, out);
}

static satf_status render(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                          const satf_view *out)
{
    return satf_filter_render(ctx, filter, in, out);
}

static satf_status make_plan(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                             const satf_view *out)
{
    SCOPED_PLAN *plan;
    satf_status status = satf_plan_create(ctx, filter, in, 1, out, 1, &plan);
    status = status ? status : satf_plan_run(plan, in, 1, out, 1);
    return status;
}

typedef struct images {
    const satf_view *in, *out;
} images;

static const void *row_in(void *user, int64_t y)
{
    return satf_row(((const images *)user)->in, y);
}

static void *row_out(void *user, int64_t y)
{
    return satf_row(((const images *)user)->out, y);
}

/* As a stage of a stream does, on this thread. */
static satf_status by_rows(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                           const satf_view *out)
{
    SCOPED_PLAN *plan;
    images both = {in, out};
    filter_rows rows = {.in = row_in, .out = row_out, .user = &both};
    MUST(ctx, filter_plan_rows(ctx, filter, 0, 1, NULL, in, NULL, out, &plan));
    assert_null(filter_plan_need(plan).refusal);
    satf_status status = filter_plan_run_rows(ctx, plan, &rows);
    return status;
}

/* ---------------------------------------------------------------------------- filters */

static void check_filter(satf_context *ctx, const char *name, way run, const satf_filter *filter,
                         const satf_view *in)
{
    SCOPED_VIEW out = output_of(ctx, filter, in);
    check(ctx, name, run, filter, in, &out);
}

static void check_spec(satf_context *ctx, const char *name, way run, const char *spec,
                       const satf_view *in)
{
    SCOPED_FILTER *filter = parse_filter(ctx, spec);
    check_filter(ctx, name, run, filter, in);
}

/* Every filter with a low, a wide and a high window, each of another type; borders in turn. */
TEST(test_every_filter)
{
    static const char *const sizes[] = {"9x4", "601x3", "3x701"};
    static const int64_t shapes[][2] = {{1601, 1499}, {1301, 1199}, {1501, 1601}};
    const filter_info *info;
    int cases = 0;
    satf_context_set_threads(ctx, 1);
    for (int k = 0; k < 3; k++) {
        SCOPED_VIEW in = draw_image(shapes[k][0], shapes[k][1], 3, ref_types[k], 0, 0, 3);
        for (size_t i = 0; (info = filter_info_at(i)); i++, cases++) {
            size_t s = (i + (size_t)k) % 3;
            const filter_param *window = filter_param_of_kind(info, PARAM_SIZE);
            const char *size = window && window->max < 1000 && s ? "201x101" : sizes[s];
            int border = ((int)i + 2 * k) % (SATF_BORDER_SHRINK + 1);
            SCOPED_FILTER *filter =
                make_filter_of(ctx, info, border, size, "0:0", in.width, in.height);
            check_filter(ctx, "whole", apply, filter, &in);
        }
    }
    assert_true(cases >= LEAST_CASES);
}

/* What takes long before its first row, or at its end, or behind another; by tables of all
 * algorithms; of pixels that lie apart; with plans and pictures around. */
TEST(test_others)
{
    static const char *const specs[] = {"gauss=50,border=wrap",
                                        "gauss=150,border=shrink",
                                        "gauss=200,passes=5",
                                        "dog=40",
                                        "guided=401",
                                        "guided=101,colour",
                                        "sauvola=51",
                                        "wolf=51",
                                        "threshold=otsu",
                                        "rotate=90 box=15",
                                        "box=15 gauss=2 unsharp=5",
                                        "real box=3 variance=31",
                                        "guided=31 sauvola=51",
                                        "box=15,border=valid",
                                        "resize=33%",
                                        "integral,squared"};
    static const char *const in_rows[] = {"gauss=50",     "gauss=120,border=shrink",
                                          "box=3x901",    "guided=401",
                                          "sauvola=51",   "pixelate=401",
                                          "kuwahara=101", "threshold=100",
                                          "resize=30%"};
    const char *name, *device;
    satf_context_set_threads(ctx, 1);
    SCOPED_VIEW in = draw_bytes(1500, 1600, 3, SATF_U8, 0, 3);
    satf_view apart = in, deep = in;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        check_spec(ctx, "whole", apply, specs[i], &in);
    }
    for (size_t i = 0; i < sizeof in_rows / sizeof *in_rows; i++) {
        check_spec(ctx, "by rows", by_rows, in_rows[i], &in);
    }
    check_spec(ctx, "a plan", make_plan, "sauvola=51", &in);
    apart.channels = 1; /* one of three */
    apart.pixel_stride = 3;
    check_spec(ctx, "pixels apart", apply, "box=3", &apart);
    SCOPED_FILTER *variance = parse_filter(ctx, "variance=15");
    deep.type = SATF_U16;
    SCOPED_VIEW shown = view_like(&deep, 1);
    check(ctx, "a picture", render, variance, &in, &shown);
    for (size_t i = 0; (name = satf_algorithm(i, &device, NULL)); i++) {
        if (strcmp(device, "cpu") == 0) {
            MUST(ctx, satf_context_set_algorithm(ctx, name));
            check_spec(ctx, name, apply, "variance=31", &in);
        }
    }
}

/* A template of so many rectangles. */
static satf_filter *make_template(satf_context *ctx, int count)
{
    static satf_weighted_rect rects[FILTER_MAX_RECTS];
    satf_filter *filter;
    for (int k = 0; k < count; k++) {
        rects[k] = (satf_weighted_rect){{-(k % 50), -(k % 30), 5 + k % 9, 7 + k % 11}, k % 2 - 0.5};
    }
    MUST(ctx, satf_filter_create(ctx, "template", &filter));
    MUST(ctx, satf_filter_set_rects(ctx, filter, rects, (size_t)count));
    return filter;
}

/* Few rows, each of which takes long; floats that are not finite, whose tables are built again. */
TEST(test_slow_rows)
{
    satf_context_set_threads(ctx, 1);
    SCOPED_VIEW low = draw_bytes(700, 64, 3, SATF_U8, 0, 3);
    SCOPED_VIEW floats = draw_image(1200, 1300, 3, SATF_F32, 0, 0, 3);
    SCOPED_FILTER *filter = make_template(ctx, 1500);
    check_filter(ctx, "many rectangles", apply, filter, &low);
    put_at(&floats, 0, 5, INFINITY);
    MUST(ctx, satf_context_set_engine(ctx, SATF_ENGINE_SAT));
    check_spec(ctx, "infinity", apply, "variance=31", &floats);
}

/* An image of a stack, and a picture beside the input that gets its channels. */
static satf_status stack_of(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                            const satf_view *out)
{
    return satf_filter_apply_stack(ctx, filter, in, in->stride * in->height, out,
                                   out->stride * out->height, 1);
}

TEST(test_images_beside)
{
    SCOPED_VIEW in = draw_bytes(1500, 1600, 3, SATF_U8, 0, 3);
    SCOPED_VIEW one = draw_bytes(1500, 1600, 1, SATF_U8, 0, 3);
    SCOPED_FILTER *by;
    satf_context_set_threads(ctx, 1);
    check_spec(ctx, "a stack", stack_of, "unsharp=31", &in);
    MUST(ctx, satf_filter_create(ctx, "by", &by));
    MUST(ctx, satf_filter_set_image(ctx, by, &one));
    check_filter(ctx, "a picture beside", make_plan, by, &in);
}

/* ---------------------------------------------------------------------------- threads */

typedef struct two {
    satf_context *ctx;
    atomic_bool taken;   /* a helper has its task */
    atomic_bool stopped; /* and has heard that it should stop */
} two;

/* The caller has nothing to do once a helper works, which goes on until it hears. */
static void work(void *user, int64_t task, int thread)
{
    two *t = user;
    (void)task;
    time_t start = time(NULL);
    if (thread == 0) {
        while (!atomic_load(&t->taken) && time(NULL) < start + 60) {
        }
        return;
    }
    atomic_store(&t->taken, true);
    while (satf_work(t->ctx, SATF_TICK_SAMPLES) == SATF_OK && time(NULL) < start + 60) {
    }
    atomic_store(&t->stopped, time(NULL) < start + 60);
}

static int cancel_tenth(void *user, double done)
{
    (void)done;
    return ++*(int *)user == 10;
}

/* Who waits for others goes on asking, and these hear of it. */
TEST(test_threads)
{
    two t = {.ctx = ctx};
    int calls = 0;
    satf_context_set_threads(t.ctx, 2);
    satf_context_set_progress(t.ctx, cancel_tenth, &calls);
    satf_progress_begin(t.ctx);
    satf_parallel_on(t.ctx, 2, 2, work, &t);
    assert_true(atomic_load(&t.taken));
    assert_true(atomic_load(&t.stopped));
    assert_int_equal(calls, 10);
    assert_int_equal(satf_tick(t.ctx), SATF_CANCELLED);
}

/* Whichever call cancels: that is what comes back, and there is no other. The number of calls. */
static long cancel_each(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                        const satf_view *out, const char *what)
{
    watch w = {0};
    for (long k = 1; k == w.calls + 1; k++) {
        begin(ctx, &w, k);
        satf_status status = satf_filter_apply(ctx, filter, in, out);
        bool cancelled = w.calls >= k;
        if (status != (cancelled ? SATF_CANCELLED : SATF_OK) || w.calls > k ||
            (cancelled && strcmp(satf_message(ctx), "stopped on request") != 0)) {
            fail_msg("%s, call %ld of %ld cancels: %s, '%s'", what, k, w.calls,
                     satf_status_name(status), satf_message(ctx));
        }
    }
    return w.calls;
}

/* On one thread, and on several. */
TEST(test_any_call)
{
    static const char *const specs[] = {
        "variance=9", "sauvola=15",         "guided=9",   "gauss=9,border=wrap", "box=5 gauss=4",
        "kuwahara=9", "rotate=90",          "resize=50%", "threshold=otsu",      "pixelate=30",
        "wolf=9",     "box=9,border=valid", "integral",   "box=3 integral,zeros"};
    const char *name, *device = "cpu";
    char what[80];
    SCOPED_VIEW in = draw_bytes(190, 170, 3, SATF_U8, 0, 3);
    satf_share_anything();
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        SCOPED_FILTER *filter = parse_filter(ctx, specs[i]);
        SCOPED_VIEW out = output_of(ctx, filter, &in);
        for (size_t a = 0; (name = a ? satf_algorithm(a - 1, &device, NULL) : "auto"); a++) {
            MUST(ctx, satf_context_set_algorithm(ctx, name));
            bool can = !satf_filter_check_engine(ctx, filter) && strcmp(device, "cpu") == 0;
            for (int threads = 1; threads <= 3 && can; threads++) {
                satf_context_set_threads(ctx, threads);
                snprintf(what, sizeof what, "%s by %s, %d threads", specs[i], name, threads);
                assert_true(cancel_each(ctx, filter, &in, &out, what) >= 2);
            }
        }
    }
}

/* Images that threads have side by side take as many ticks as others. */
TEST(test_side_by_side)
{
    enum { COUNT = 3, LEAST_CALLS = 12 };
    SCOPED_FILTER *filter = make_template(ctx, FILTER_MAX_RECTS);
    SCOPED_VIEW in = draw_bytes(200, 150 * COUNT, 1, SATF_U8, 0, 3),
                out = output_of(ctx, filter, &in);
    watch w;
    in.height = out.height = 150;
    for (int k = 0; k < 6; k++) {
        bool stops = k % 2;
        satf_context_set_threads(ctx, 1 + k / 2);
        begin(ctx, &w, stops ? LEAST_CALLS : 0);
        satf_status status = satf_filter_apply_stack(ctx, filter, &in, in.stride * 150, &out,
                                                     out.stride * 150, COUNT);
        assert_int_equal(status, stops ? SATF_CANCELLED : SATF_OK);
        assert_true(stops ? w.calls == LEAST_CALLS : w.calls >= LEAST_CALLS && w.latest == 1);
        assert_false(w.falls);
    }
    assert_string_equal(satf_message(ctx), "stopped on request");
}

/* A call that asks nobody is not stopped by what the one before was told. */
TEST(test_silent_calls)
{
    SCOPED_VIEW in = draw_bytes(600, 500, 1, SATF_U8, 0, 3), out = view_like(&in, 1);
    SCOPED_FILTER *by, *box = parse_filter(ctx, "box=5");
    watch w;
    size_t bytes;
    begin(ctx, &w, 1);
    expect(ctx, satf_filter_apply(ctx, box, &in, &out), SATF_CANCELLED, "stopped on request");
    assert_int_equal(w.calls, 1);
    MUST(ctx, satf_filter_create(ctx, "by", &by));
    MUST(ctx, satf_filter_set_image(ctx, by, &in));
    MUST(ctx, satf_filter_scratch(ctx, by, &in, &out, &bytes));
    assert_int_equal(w.calls, 1);
}
