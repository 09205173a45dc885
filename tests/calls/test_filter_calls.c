/* What a call does beside computing: memory, progress, messages. */
#include "test.h"
#include <stdatomic.h>

#include "base/parallel.h"
#include "ways.h"

/* The library's own allocations all end here. */
static _Atomic int allocations;

void *aligned_alloc(size_t alignment, size_t bytes)
{
    void *memory = NULL;
    atomic_fetch_add(&allocations, 1);
    return posix_memalign(&memory, alignment, bytes) ? NULL : memory;
}

static const char *const specs[] = {"box=5",     "variance=3,border=constant:2 box=4x9",
                                    "stddev=7",  "box=3 integral,squared",
                                    "transpose", "rotate=180 box=3 flip=v",
                                    "template"};
enum { SPECS = sizeof specs / sizeof *specs };

static satf_filter *make(satf_context *ctx, size_t index)
{
    return index + 1 < SPECS
               ? parse_filter(ctx, specs[index])
               : make_filter_of(ctx, filter_info_find(specs[index]), 0, NULL, NULL, 0, 0);
}

/* With scratch handed in nothing is allocated, whatever the samples are. */
TEST(test_no_allocation)
{
    enum { W = 301, H = 207 };
    satf_context_set_threads(ctx, 2);
    for (int k = 0; k < 4; k++) {
        SCOPED_VIEW in = draw_image(W, H, 1, ref_types[k], 0, 0, 5);
        if (satf_type_is_float(in.type)) { /* one that is not finite, or whose square is not */
            put_at(&in, 0, 7, in.type == SATF_F32 ? NAN : 1e308);
        }
        for (size_t i = 0; i < SPECS; i++) {
            for (int engine = SATF_ENGINE_AUTO; engine <= SATF_ENGINE_SAT; engine++) {
                SCOPED_FILTER *filter = make(ctx, i);
                use_tables(ctx, filter, in.type, engine == SATF_ENGINE_SAT);
                SCOPED_VIEW out = output_of(ctx, filter, &in);
                size_t bytes;
                MUST(ctx, satf_filter_scratch(ctx, filter, &in, &out, &bytes));
                SCOPED void *scratch = malloc(bytes + 1);
                satf_context_set_scratch(ctx, scratch, bytes);
                /* the first call starts the threads */
                MUST(ctx, satf_filter_apply(ctx, filter, &in, &out));
                int before = atomic_load(&allocations);
                MUST(ctx, satf_filter_apply(ctx, filter, &in, &out));
                if (atomic_load(&allocations) != before) {
                    fail_msg("%s of %s, engine %d, allocates", specs[i], satf_type_name(in.type),
                             engine);
                }
                satf_context_set_scratch(ctx, NULL, 0);
            }
        }
    }
}

typedef struct progress_log {
    int calls, stop_at; /* the call that asks to stop; 0: none */
    double last;
    int defects;
} progress_log;

static int note(void *user, double done)
{
    progress_log *log = user;
    bool stopped = log->stop_at && log->calls >= log->stop_at;
    log->defects += stopped || !(done > log->last) || done > 1;
    log->last = done;
    return ++log->calls == log->stop_at;
}

typedef struct progress_run {
    const satf_filter *filter; /* NULL: a table */
    const satf_view *in, *out;
    const char *what;
    int least; /* calls */
} progress_run;

static progress_log run_until(satf_context *ctx, const progress_run *r, int stop_at)
{
    progress_log log = {0, stop_at, -1, 0};
    satf_context_set_progress(ctx, note, &log);
    satf_status status = r->filter ? satf_filter_apply(ctx, r->filter, r->in, r->out)
                                   : satf_sat(ctx, r->in, r->out, 0);
    satf_context_set_progress(ctx, NULL, NULL);
    bool stopped = stop_at && log.calls >= stop_at;
    if (log.defects || status != (stopped ? SATF_CANCELLED : SATF_OK)) {
        fail_msg(
            "%s, stopped at call %d: %s after %d calls, %d too many or not above the one before",
            r->what, stop_at, satf_status_name(status), log.calls, log.defects);
    }
    return log;
}

/* Twice through; then stopped at every one of the calls that there were. */
static void check_progress(satf_context *ctx, const progress_run *r)
{
    for (int round = 0; round < 2; round++) {
        progress_log log = run_until(ctx, r, 0);
        if (log.last != 1 || log.calls < r->least) {
            fail_msg("%s: %d calls, the last at %g", r->what, log.calls, log.last);
        }
    }
    for (int stop_at = 1; stop_at < 5; stop_at++) {
        run_until(ctx, r, stop_at);
    }
}

TEST(test_progress)
{
    satf_view like = satf_view_packed(NULL, 1500, 1700, 1, SATF_U8);
    SCOPED_VIEW in = view_like(&like, 1);
    char what[80];
    for (size_t k = 0; k < 3 * SPECS * 2; k++) {
        int threads = 1 + (int)(k / (2 * SPECS));
        size_t i = k / 2 % SPECS;
        SCOPED_FILTER *filter = make(ctx, i);
        satf_context_set_threads(ctx, threads);
        use_tables(ctx, filter, in.type, k % 2);
        SCOPED_VIEW out = output_of(ctx, filter, &in);
        snprintf(what, sizeof what, "%s, engine %d, %d threads", specs[i], (int)k % 2, threads);
        /* only the calling thread reports; with others it may come away empty-handed */
        check_progress(ctx, &(progress_run){filter, &in, &out, what, threads == 1 ? 4 : 2});
    }
    const char *kind, *name;
    like.type = SATF_U32;
    SCOPED_VIEW out = view_like(&like, 0);
    for (size_t i = 0; (name = satf_algorithm(i, &kind, NULL)); i++) {
        if (strcmp(kind, "cpu") == 0) {
            MUST(ctx, satf_context_set_algorithm(ctx, name));
            check_progress(ctx, &(progress_run){NULL, &in, &out, name, 2});
        }
    }
}

/* A call that succeeds keeps the message of the latest that failed. */
TEST(test_message_stays)
{
    uint8_t pixels[30] = {0}, result[30];
    satf_view in = satf_view_packed(pixels, 6, 5, 1, SATF_U8), out = in;
    out.data = result;
    SCOPED_FILTER *box = parse_filter(ctx, "box=3");
    for (int engine = SATF_ENGINE_AUTO; engine <= SATF_ENGINE_WINDOW; engine++) {
        satf_context_set_engine(ctx, (satf_engine)engine);
        assert_int_equal(satf_filter_set_int(ctx, box, "width", 0), SATF_INVALID);
        MUST(ctx, satf_filter_apply(ctx, box, &in, &out));
        assert_non_null(strstr(satf_message(ctx), "width = 0"));
    }
}

/* A border's constant by text, by set_border() and by set_double(): the same bits. */
TEST(test_constant)
{
    static const double constants[] = {0.5, -0.0, 0, -3.25, 7};
    enum { W = 9, H = 6 };
    float pixels[W * H];
    for (int i = 0; i < W * H; i++) {
        pixels[i] = i % 4 ? (float)i : -0.0F;
    }
    satf_view in = satf_view_packed(pixels, W, H, 1, SATF_F32);
    for (size_t k = 0; k < 2 * sizeof constants / sizeof *constants; k++) {
        double constant = constants[k / 2];
        char spec[64];
        satf_context_set_engine(ctx, k % 2 ? SATF_ENGINE_WINDOW : SATF_ENGINE_SAT);
        snprintf(spec, sizeof spec, "box=1x3,border=constant:%g", constant);
        SCOPED_FILTER *border = parse_filter(ctx, "box=1x3"),
                      *number = parse_filter(ctx, "box=1x3");
        MUST(ctx, satf_filter_set_border(ctx, border, SATF_BORDER_CONSTANT, constant));
        MUST(ctx, satf_filter_set_double(ctx, number, "constant", constant));
        SCOPED_VIEW text = made_by(ctx, spec, &in), by_border = result_of(ctx, border, &in);
        SCOPED_VIEW by_number = result_of(ctx, number, &in), alone = made_by(ctx, "box=1", &in);
        require_same(spec, "set_border()", &by_border, &text);
        require_same(spec, "set_double()", &by_number, &text);
        for (int x = 0; x < W; x++) {
            double sum = constant + (double)pixels[x] + (double)pixels[W + x];
            assert_true(sample_at(&text, 0, x) == (double)(float)(sum * (1 / 3.0)));
        }
        for (int i = 0; i < W * H; i++) { /* -0 counts as 0, even alone in its window */
            assert_false(signbit(sample_at(&alone, 0, i)));
        }
    }
}

TEST_FILE(.shared = true)
