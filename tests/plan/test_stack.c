/* Stacks of images: the bits of one call each, whoever works on which image. */
#include "test.h"

#include "base/parallel.h"
#include "filter_make.h"
#include "filter_reference.h"

/* How many images the threads have shared; the linker leads these calls here (--wrap). */
static const satf_context *watched;
static int64_t shared;

typedef void task_body(void *user, int64_t task, int thread);
void __real_satf_parallel(satf_context *ctx, int64_t tasks, task_body *body, void *user);
void __wrap_satf_parallel(satf_context *ctx, int64_t tasks, task_body *body, void *user);
void __wrap_satf_parallel(satf_context *ctx, int64_t tasks, task_body *body, void *user)
{
    if (ctx == watched) { /* the others are of other threads */
        shared += tasks;
    }
    __real_satf_parallel(ctx, tasks, body, user);
}

static satf_view image_at(const satf_view *view, int64_t step, int64_t k)
{
    satf_view image = *view;
    image.data = (char *)view->data + k * step;
    return image;
}

static void check_image(const char *spec, const satf_view *got, const satf_view *want, int64_t k)
{
    size_t bytes = (size_t)satf_row_samples(want) * satf_type_bytes(want->type);
    for (int64_t y = 0; y < want->height; y++) {
        if (memcmp(satf_row(got, y), satf_row(want, y), bytes) != 0) {
            fail_msg("%s: row %d of image %d differs", spec, (int)y, (int)k);
        }
    }
}

/* A stack of random images against calls of another context, one after the other. */
static void check_stack(satf_context *ctx, const char *spec, const ref_image *shape, int64_t count,
                        bool backwards)
{
    satf_context *other;
    ref_image tall = *shape;
    tall.height *= count;
    ref_fill(&tall, (uint64_t)(count * 7 + shape->type));
    satf_view all = ref_view(&tall, 8), in = all, out, want;
    in.height = shape->height;
    int64_t step = in.stride * in.height;
    for (int64_t y = 0; y < all.height && shape->type == SATF_F64; y++) {
        double *row = satf_row(&all, y);
        for (int64_t i = 0; i < satf_row_samples(&all); i++) {
            row[i] *= 0.1; /* whose sums are not exact */
        }
    }
    satf_filter *filter = parse_filter(ctx, spec);
    assert_int_equal(satf_context_create(&other), SATF_OK);
    satf_context_take_settings(other, &ctx->settings);
    assert_int_equal(satf_filter_output(ctx, filter, &in, &out), SATF_OK);
    want = out;
    int64_t made = out.stride * out.height + 24;
    SCOPED char *results = malloc((size_t)(made * count)), *wanted = malloc((size_t)made);
    out.data = backwards ? results + made * (count - 1) : results;
    int64_t out_step = backwards ? -made : made;
    for (int run = 0; run < 2; run++) {
        memset(results, 5, (size_t)(made * count));
        if (satf_filter_apply_stack(ctx, filter, &in, step, &out, out_step, count)) {
            fail_msg("%s: %s", spec, satf_message(ctx));
        }
        for (int64_t k = 0; k < count; k++) {
            satf_view from = image_at(&in, step, k), got = image_at(&out, out_step, k);
            want.data = wanted;
            assert_int_equal(satf_filter_apply(other, filter, &from, &want), SATF_OK);
            check_image(spec, &got, &want, k);
            for (int b = 0; b < 24; b++) { /* between the images */
                assert_int_equal(((char *)got.data)[made - 24 + b], 5);
            }
        }
        memset(all.data, run, (size_t)(step * count / 2));
    }
    satf_filter_destroy(filter);
    satf_context_destroy(other);
    free(all.data);
    free(tall.samples);
}

TEST(test_bits)
{
    static const char *const specs[] = {"box=5",
                                        "variance=9 rotate=90 box=3",
                                        "wolf=7",
                                        "stddev=4x6,border=wrap",
                                        "integral,squared",
                                        "guided=5",
                                        "box=7,border=valid"};
    static const int types[] = {SATF_U8, SATF_U16, SATF_F32, SATF_F64};
    watched = ctx;
    for (int k = 0; k < 7 * 4 * 2; k++) {
        ref_image shape = {41 + k, 37, k % 7 == 2 ? 1 : 1 + k % 3, types[k / 7 % 4], 0, NULL};
        satf_context_set_threads(ctx, 1 + k % 5);
        satf_context_set_engine(ctx, k >= 28 ? SATF_ENGINE_SAT : SATF_ENGINE_AUTO);
        shared = 0;
        int64_t count = 1 + k % 4 * 6;
        check_stack(ctx, specs[k % 7], &shape, count, k % 2);
        if (k % 5 && k % 4) { /* as soon as there are two images and threads */
            assert_true(shared >= 2 * count);
        }
    }
}

/* Tables, whose algorithm a plan chooses by the number of threads, and images that all threads
 * share. */
TEST(test_large)
{
    watched = ctx;
    satf_context_set_threads(ctx, 4);
    satf_context_set_engine(ctx, SATF_ENGINE_SAT);
    for (int large = 0; large < 2; large++) {
        ref_image shape = {800, large ? 700 : 300, 1, SATF_F64, 0, NULL};
        shared = 0;
        check_stack(ctx, "box=9", &shape, 4, false);
        if (!large) {
            assert_true(shared >= 8);
        }
    }
    satf_context_set_engine(ctx, SATF_ENGINE_AUTO);
    shared = 0; /* each image is worth all threads */
    ref_image shape = {1200, 700, 1, SATF_F64, 0, NULL};
    check_stack(ctx, "box=9", &shape, 2, false);
    satf_used used;
    satf_context_used(ctx, &used, sizeof used);
    assert_string_equal(used.engine, "window");
}

/* What was used is told of images that threads share, too; the memory kept is bounded. */
TEST(test_report)
{
    ref_image shape = {50, 40, 1, SATF_U8, 0, NULL};
    satf_used used;
    satf_context_set_threads(ctx, 3);
    assert_int_equal(satf_context_set_algorithm(ctx, "reference"), SATF_OK);
    check_stack(ctx, "box=9", &shape, 9, false);
    satf_context_used(ctx, &used, sizeof used);
    assert_string_equal(used.algorithm, "reference");
    assert_string_equal(used.device, "cpu");
    /* and of this stack alone, though most threads have no image of it */
    for (int k = 0; k < 100; k++) {
        satf_context_set_threads(ctx, 8);
        check_stack(ctx, "box=9", &shape, 64, false);
        check_stack(ctx, "box=9 transpose", &shape, 2, false);
        satf_context_used(ctx, &used, sizeof used);
        assert_string_equal(used.engine, "move");
    }
}

static void expect(satf_context *ctx, satf_status status, satf_status wanted, const char *words)
{
    assert_int_equal(status, wanted);
    if (!strstr(satf_message(ctx), words)) {
        fail_msg("'%s' lacks '%s'", satf_message(ctx), words);
    }
}

static void must(satf_context *ctx, satf_status status)
{
    if (status) {
        fail_msg("%s", satf_message(ctx));
    }
}

enum { SIDE = 32, COUNT = 6, STEP = SIDE * SIDE };

TEST(test_refusals)
{
    static uint8_t from[COUNT * STEP], to[COUNT * STEP], before[COUNT * STEP];
    satf_view in = satf_view_packed(from, SIDE, SIDE, 1, SATF_U8), out = in, wrong = in;
    satf_filter *box = parse_filter(ctx, "box=3"), *moments = parse_filter(ctx, "moments=3");
    satf_context_set_threads(ctx, 3);
    out.data = to;
    memset(to, 9, sizeof to);
    memcpy(before, to, sizeof to);
#define STACK(filter, in, in_step, out, out_step, count) \
    satf_filter_apply_stack(ctx, filter, in, in_step, out, out_step, count)
    expect(ctx, STACK(NULL, &in, STEP, &out, STEP, 2), SATF_INVALID, "filter is missing");
    expect(ctx, STACK(box, NULL, STEP, &out, STEP, 2), SATF_INVALID, "input view is missing");
    expect(ctx, STACK(box, &in, STEP, NULL, STEP, 2), SATF_INVALID, "output view is missing");
    expect(ctx, STACK(box, &in, STEP, &out, STEP, -1), SATF_INVALID, "-1 images");
    expect(ctx, STACK(box, &in, STEP, &out, STEP - 1, 2), SATF_INVALID, "1023 bytes apart");
    expect(ctx, STACK(box, &in, STEP, &out, 0, 2), SATF_INVALID, "overlap");
    expect(ctx, STACK(box, &in, STEP, &out, INT64_MAX / 2, 3), SATF_INVALID, "beyond any memory");
    expect(ctx, STACK(moments, &in, STEP, &out, STEP, 2), SATF_UNSUPPORTED, "two outputs");
    expect(ctx, STACK(moments, &in, STEP, &out, STEP, 1), SATF_UNSUPPORTED, "two outputs");
    wrong.data = from + STEP; /* image 0's result is image 1 of the input */
    expect(ctx, STACK(box, &in, STEP, &wrong, STEP, 2), SATF_INVALID, "stack of outputs overlaps");
    satf_view second = in;
    second.data = from + STEP; /* and image 1's is image 0 */
    expect(ctx, STACK(box, &second, STEP, &in, STEP, 2), SATF_INVALID, "stack of outputs overlaps");
    wrong.data = from + 2 * STEP;
    expect(ctx, STACK(box, &in, 2 * STEP, &wrong, STEP, 2), SATF_INVALID,
           "overlaps that of inputs");
    wrong = out;
    wrong.width--;
    expect(ctx, STACK(box, &in, STEP, &wrong, STEP, 2), SATF_INVALID, "31 x 32");
    assert_memory_equal(to, before, sizeof to);
    assert_int_equal(STACK(box, &in, STEP, &out, STEP, 0), SATF_OK);
    assert_int_equal(satf_filter_apply_stack(NULL, box, &in, STEP, &out, STEP, 1), SATF_INVALID);
    assert_memory_equal(to, before, sizeof to);

    /* Halves of the rows of one memory: neither stack touches the other. */
    in = satf_view_packed(from, SIDE / 2, SIDE, 1, SATF_U8);
    in.stride = SIDE;
    out = in;
    out.data = from + SIDE / 2;
    assert_int_equal(STACK(box, &in, STEP, &out, STEP, COUNT), SATF_OK);
    /* One input, many outputs. */
    out = satf_view_packed(to, SIDE / 2, SIDE, 1, SATF_U8);
    assert_int_equal(STACK(box, &in, 0, &out, STEP, COUNT), SATF_OK);
    assert_memory_equal(to, to + STEP * (COUNT - 1), STEP / 2);
    satf_filter_destroy(box);
    satf_filter_destroy(moments);
#undef STACK
}

typedef struct watch {
    double least, last;
    int calls, most;
} watch;

static int note(void *user, double done)
{
    watch *w = user;
    w->least = done < w->least ? done : w->least;
    assert_true(done >= w->last);
    w->last = done;
    return ++w->calls == w->most;
}

TEST(test_progress)
{
    static uint8_t from[COUNT * STEP], to[COUNT * STEP];
    satf_view in = satf_view_packed(from, SIDE, SIDE, 1, SATF_U8), out = in;
    SCOPED_FILTER *box = parse_filter(ctx, "box=3");
    out.data = to;
    for (int threads = 1; threads < 4; threads += 2) {
        satf_context_set_threads(ctx, threads);
        watch w = {1, 0, 0, -1};
        satf_context_set_progress(ctx, note, &w);
        assert_int_equal(satf_filter_apply_stack(ctx, box, &in, STEP, &out, STEP, COUNT), SATF_OK);
        assert_true(w.last == 1);
        w = (watch){1, 0, 0, 1};
        satf_status status = satf_filter_apply_stack(ctx, box, &in, STEP, &out, STEP, COUNT);
        expect(ctx, status, SATF_CANCELLED, "stopped on request");
        assert_int_equal(w.calls, 1);
    }
}

/* A failure at work has its sentence, and the next call works. */
TEST(test_limit)
{
    enum { WIDE = 400, MANY = 32, BYTES = WIDE * WIDE * 8 };
    satf_view in = satf_view_packed(calloc(BYTES, MANY), WIDE, WIDE, 1, SATF_F64), out = in;
    size_t bytes;
    out.data = malloc((size_t)BYTES * MANY);
    SCOPED_FILTER *filter = parse_filter(ctx, "box=3 transpose box=3");
    satf_context_set_threads(ctx, 4);
    int64_t step = BYTES;
    satf_context_set_limit(ctx, SATF_MAX_MEMORY, 1000);
    expect(ctx, satf_filter_apply_stack(ctx, filter, &in, step, &out, step, MANY), SATF_LIMIT,
           "limit: max-memory");
    satf_context_set_limit(ctx, SATF_MAX_MEMORY, 0);
    assert_int_equal(satf_filter_apply_stack(ctx, filter, &in, step, &out, step, MANY), SATF_OK);
    /* what is enough for one image is for all, on however many threads */
    satf_context_set_threads(ctx, 64);
    must(ctx, satf_filter_scratch(ctx, filter, &in, &out, &bytes));
    satf_context_set_limit(ctx, SATF_MAX_MEMORY, (int64_t)bytes);
    for (int k = 0; k < 5; k++) {
        must(ctx, satf_filter_apply(ctx, filter, &in, &out));
        must(ctx, satf_filter_apply_stack(ctx, filter, &in, step, &out, step, MANY));
    }
    free(in.data);
    free(out.data);
}
