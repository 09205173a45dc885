/* What a call does beside computing: memory, progress, messages, views in one buffer. */
#include "test.h"
#include <stdatomic.h>

#include "base/parallel.h"
#include "filter_make.h"
#include "filter_reference.h"

/* The library's own allocations all end here. */
static _Atomic int allocations;

void *aligned_alloc(size_t alignment, size_t bytes)
{
    void *memory = NULL;
    atomic_fetch_add(&allocations, 1);
    return posix_memalign(&memory, alignment, bytes) ? NULL : memory;
}

static satf_filter *parse(satf_context *ctx, const char *spec)
{
    satf_filter *filter;
    if (satf_filter_parse(ctx, spec, &filter)) {
        fail_msg("%s: %s", spec, satf_message(ctx));
    }
    return filter;
}

static satf_filter *make_template(satf_context *ctx)
{
    static const satf_weighted_rect rects[] = {{{-3, -2, 5, 7}, 1}, {{0, 0, 2, 2}, -0.5}};
    satf_filter *filter;
    assert_int_equal(satf_filter_create(ctx, "template", &filter), SATF_OK);
    assert_int_equal(satf_filter_set_rects(ctx, filter, rects, 2), SATF_OK);
    return filter;
}

static const char *const specs[] = {"box=5",     "variance=3,border=constant:2 box=4x9",
                                    "stddev=7",  "box=3 integral,squared",
                                    "transpose", "rotate=180 box=3 flip=v",
                                    "template"};
enum { SPECS = sizeof specs / sizeof *specs };

static satf_filter *make(satf_context *ctx, size_t index)
{
    return index + 1 == SPECS ? make_template(ctx) : parse(ctx, specs[index]);
}

/* With scratch handed in nothing is allocated, whatever the samples are. */
TEST(test_no_allocation)
{
    enum { W = 301, H = 207 };
    SCOPED double *got = malloc(W * H * sizeof *got);
    satf_context_set_threads(ctx, 2);
    for (int type = SATF_U8; type <= SATF_F64; type++) {
        if (type == SATF_U32 || type == SATF_U64) {
            continue;
        }
        ref_image image = {W, H, 1, type, 0, NULL};
        ref_fill(&image, 5);
        satf_view in = ref_view(&image, 0);
        if (type == SATF_F32) {
            ((float *)in.data)[777] = NAN;
        }
        if (type == SATF_F64) {
            ((double *)in.data)[777] = 1e308;
            ((double *)in.data)[779] = 1e308;
        }
        for (size_t i = 0; i < SPECS; i++) {
            for (int engine = SATF_ENGINE_AUTO; engine <= SATF_ENGINE_SAT; engine++) {
                SCOPED_FILTER *filter = make(ctx, i);
                use_tables(ctx, filter, in.type, engine == SATF_ENGINE_SAT);
                satf_view out;
                size_t bytes;
                assert_int_equal(satf_filter_output(ctx, filter, &in, &out), SATF_OK);
                out.data = got;
                assert_int_equal(satf_filter_scratch(ctx, filter, &in, &out, &bytes), SATF_OK);
                SCOPED void *scratch = malloc(bytes + 1);
                satf_context_set_scratch(ctx, scratch, bytes);
                /* the first call starts the threads */
                assert_int_equal(satf_filter_apply(ctx, filter, &in, &out), SATF_OK);
                int before = atomic_load(&allocations);
                assert_int_equal(satf_filter_apply(ctx, filter, &in, &out), SATF_OK);
                if (atomic_load(&allocations) != before) {
                    fail_msg("%s of %s, engine %d, allocates", specs[i], satf_type_name(type),
                             engine);
                }
                satf_context_set_scratch(ctx, NULL, 0);
            }
        }
        free(in.data);
        free(image.samples);
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

/* Once through, noting; then stopped at every one of the calls that there were. */
static void check_progress(satf_context *ctx, const satf_filter *filter, const satf_view *in,
                           const satf_view *out, int least, const char *what)
{
    progress_log log = {0, 0, -1, 0};
    satf_context_set_progress(ctx, note, &log);
    for (int round = 0; round < 2; round++) {
        log = (progress_log){0, 0, -1, 0};
        satf_status status =
            filter ? satf_filter_apply(ctx, filter, in, out) : satf_sat(ctx, in, out, 0);
        if (status || log.defects || log.last != 1 || log.calls < least) {
            fail_msg("%s: %s, %d calls, the last at %g, %d not above the one before", what,
                     satf_status_name(status), log.calls, log.last, log.defects);
        }
    }
    for (int stop_at = 1; stop_at < 5; stop_at++) {
        log = (progress_log){0, stop_at, -1, 0};
        satf_status status =
            filter ? satf_filter_apply(ctx, filter, in, out) : satf_sat(ctx, in, out, 0);
        bool cancelled = log.calls >= stop_at;
        if (log.defects || log.calls > stop_at ||
            status != (cancelled ? SATF_CANCELLED : SATF_OK)) {
            fail_msg("%s, stopped at call %d: %s after %d calls, %d too many", what, stop_at,
                     satf_status_name(status), log.calls, log.defects);
        }
    }
    satf_context_set_progress(ctx, NULL, NULL);
}

TEST(test_progress)
{
    enum { W = 1500, H = 1700 };
    SCOPED uint8_t *pixels = malloc(W * H);
    SCOPED double *got = malloc((size_t)W * H * sizeof *got);
    memset(pixels, 1, W * H);
    satf_view in = satf_view_packed(pixels, W, H, 1, SATF_U8), out;
    char what[80];
    for (int threads = 1; threads <= 3; threads++) {
        satf_context_set_threads(ctx, threads);
        for (size_t i = 0; i < SPECS; i++) {
            for (int engine = SATF_ENGINE_AUTO; engine <= SATF_ENGINE_SAT; engine++) {
                SCOPED_FILTER *filter = make(ctx, i);
                use_tables(ctx, filter, in.type, engine == SATF_ENGINE_SAT);
                assert_int_equal(satf_filter_output(ctx, filter, &in, &out), SATF_OK);
                out.data = got;
                snprintf(what, sizeof what, "%s, engine %d, %d threads", specs[i], engine, threads);
                /* only the calling thread reports; with others it may come away empty-handed */
                check_progress(ctx, filter, &in, &out, threads == 1 ? 4 : 2, what);
            }
        }
    }
    const char *kind, *name;
    out = satf_view_packed(got, W, H, 1, SATF_U32);
    for (size_t i = 0; (name = satf_algorithm(i, &kind, NULL)); i++) {
        if (strcmp(kind, "cpu") == 0) {
            assert_int_equal(satf_context_set_algorithm(ctx, name), SATF_OK);
            check_progress(ctx, NULL, &in, &out, 2, name);
        }
    }
}

/* A call that succeeds keeps the message of the latest that failed. */
TEST(test_message_stays)
{
    uint8_t pixels[30] = {0}, result[30];
    satf_view in = satf_view_packed(pixels, 6, 5, 1, SATF_U8), out = in;
    out.data = result;
    SCOPED_FILTER *box = parse(ctx, "box=3");
    for (int engine = SATF_ENGINE_AUTO; engine <= SATF_ENGINE_WINDOW; engine++) {
        satf_context_set_engine(ctx, (satf_engine)engine);
        assert_int_equal(satf_filter_set_int(ctx, box, "width", 0), SATF_INVALID);
        assert_int_equal(satf_filter_apply(ctx, box, &in, &out), SATF_OK);
        assert_non_null(strstr(satf_message(ctx), "width = 0"));
    }
}

/* The left half of a buffer is filtered into its right half. */
TEST(test_side_by_side)
{
    enum { W = 50, H = 40 };
    SCOPED uint8_t *buffer = malloc(2 * W * H);
    uint8_t copy[W * H], want[W * H];
    for (int i = 0; i < W * H; i++) {
        copy[i] = (uint8_t)(i * 7 % 251);
        buffer[i / W * 2 * W + i % W] = copy[i];
    }
    satf_view in = satf_view_packed(copy, W, H, 1, SATF_U8), out = in;
    out.data = want;
    SCOPED_FILTER *box = parse(ctx, "box=7");
    assert_int_equal(satf_filter_apply(ctx, box, &in, &out), SATF_OK);
    in.data = buffer;
    out.data = buffer + W;
    in.stride = out.stride = 2 * W;
    assert_int_equal(satf_filter_apply(ctx, box, &in, &out), SATF_OK);
    for (int i = 0; i < W * H; i++) {
        assert_int_equal(buffer[i / W * 2 * W + i % W], copy[i]);
        assert_int_equal(buffer[i / W * 2 * W + W + i % W], want[i]);
    }
    out.data = buffer + W - 1;
    assert_int_equal(satf_filter_apply(ctx, box, &in, &out), SATF_INVALID);
}

/* A border's constant by text, by set_border() and by set_double(): the same bits. */
TEST(test_constant)
{
    static const double constants[] = {0.5, -0.0, 0, -3.25, 7};
    static const char *const texts[] = {"0.5", "-0.0", "0", "-3.25", "7"};
    enum { W = 9, H = 6 };
    float pixels[W * H], want[W * H], got[W * H];
    for (int i = 0; i < W * H; i++) {
        pixels[i] = i % 4 ? (float)i : -0.0F;
    }
    satf_view in = satf_view_packed(pixels, W, H, 1, SATF_F32), out = in;
    for (int engine = SATF_ENGINE_SAT; engine <= SATF_ENGINE_WINDOW; engine++) {
        satf_context_set_engine(ctx, (satf_engine)engine);
        for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
            char spec[64];
            snprintf(spec, sizeof spec, "box=1x3,border=constant:%s", texts[i]);
            satf_filter *filter[3] = {parse(ctx, spec), parse(ctx, "box=1x3"),
                                      parse(ctx, "box=1x3")};
            assert_int_equal(satf_filter_set_border(ctx, filter[1], SATF_CONSTANT, constants[i]),
                             SATF_OK);
            assert_int_equal(satf_filter_set_double(ctx, filter[2], "constant", constants[i]),
                             SATF_OK);
            for (int k = 0; k < 3; k++) {
                memset(got, 0x55, sizeof got);
                out.data = k ? got : want;
                assert_int_equal(satf_filter_apply(ctx, filter[k], &in, &out), SATF_OK);
                assert_true(k == 0 || memcmp(got, want, sizeof got) == 0);
                satf_filter_destroy(filter[k]);
            }
            for (int x = 0; x < W; x++) {
                double sum = constants[i] + (double)pixels[x] + (double)pixels[W + x];
                assert_true(want[x] == (float)(sum * (1 / 3.0)));
            }
        }
        /* -0 counts as 0, even alone in its window */
        SCOPED_FILTER *box = parse(ctx, "box=1");
        out.data = got;
        assert_int_equal(satf_filter_apply(ctx, box, &in, &out), SATF_OK);
        for (int i = 0; i < W * H; i++) {
            assert_false(signbit(got[i]));
        }
    }
}

TEST_FILE(.shared = true)
