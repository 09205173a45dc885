/* Stacks of images: the bits of one call each, whoever works on which image. */
#include "test.h"

#include "base/parallel.h"
#include "ways.h"

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

/* A stack of random images against calls of another context, one after the other. */
static void check_stack(satf_context *ctx, const char *spec, int64_t width, int64_t height,
                        int channels, int type, int64_t count, bool backwards)
{
    enum { GAP = 24 }; /* bytes between the images */
    SCOPED_CONTEXT *other;
    SCOPED_VIEW all =
        draw_image(width, height * count, channels, type, 0, 8, (uint64_t)(count * 7 + type));
    satf_view in = all;
    in.height = height;
    int64_t step = in.stride * in.height;
    for (int64_t i = 0; i < all.height * satf_row_samples(&all) && type == SATF_F64; i++) {
        double *row = satf_row(&all, i / satf_row_samples(&all));
        row[i % satf_row_samples(&all)] *= 0.1; /* whose sums are not exact */
    }
    SCOPED_FILTER *filter = parse_filter(ctx, spec);
    MUST(ctx, satf_context_create(&other));
    satf_context_take_settings(other, &ctx->settings);
    SCOPED_VIEW like = output_of(ctx, filter, &in);
    satf_view out = like;
    int64_t made = out.stride * out.height + GAP, out_step = backwards ? -made : made;
    SCOPED char *results = malloc((size_t)(made * count));
    out.data = backwards ? results + made * (count - 1) : results;
    for (int run = 0; run < 2; run++) {
        memset(results, 5, (size_t)(made * count));
        if (satf_filter_apply_stack(ctx, filter, &in, step, &out, out_step, count)) {
            fail_msg("%s: %s", spec, satf_message(ctx));
        }
        for (int64_t k = 0; k < count; k++) {
            char image[40];
            satf_view from = image_at(&in, step, k), got = image_at(&out, out_step, k);
            SCOPED_VIEW want = result_of(other, filter, &from);
            snprintf(image, sizeof image, "image %ld", (long)k);
            require_same(spec, image, &got, &want);
            for (int b = 0; b < GAP; b++) {
                assert_int_equal(((char *)got.data)[made - GAP + b], 5);
            }
        }
        memset(all.data, run, (size_t)(step * count / 2));
    }
}

TEST(test_bits)
{
    static const char *const specs[] = {"box=5",
                                        "variance=9 rotate=90 box=3",
                                        "wolf=7",
                                        "stddev=4x6,border=wrap",
                                        "integral,squared",
                                        "guided=5",
                                        "box=7,border=valid",
                                        "box=3 crop=13x11+20+4"};
    watched = ctx;
    for (int k = 0; k < 8 * 4 * 2; k++) {
        satf_context_set_threads(ctx, 1 + k % 5);
        satf_context_set_engine(ctx, k >= 32 ? SATF_ENGINE_SAT : SATF_ENGINE_AUTO);
        shared = 0;
        int64_t count = 1 + k % 4 * 6;
        check_stack(ctx, specs[k % 8], 41 + k, 37, k % 8 == 2 ? 1 : 1 + k % 3, ref_types[k / 8 % 4],
                    count, k % 2);
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
        shared = 0;
        check_stack(ctx, "box=9", 800, large ? 700 : 300, 1, SATF_F64, 4, false);
        if (!large) {
            assert_true(shared >= 8);
        }
    }
    satf_context_set_engine(ctx, SATF_ENGINE_AUTO);
    shared = 0; /* each image is worth all threads */
    check_stack(ctx, "box=9", 1200, 700, 1, SATF_F64, 2, false);
    satf_used used;
    satf_context_used(ctx, &used, sizeof used);
    assert_string_equal(used.engine, "window");
}

/* What was used is told of images that threads share, too; the memory kept is bounded. */
TEST(test_report)
{
    satf_used used;
    satf_context_set_threads(ctx, 3);
    MUST(ctx, satf_context_set_algorithm(ctx, "reference"));
    check_stack(ctx, "box=9", 50, 40, 1, SATF_U8, 9, false);
    satf_context_used(ctx, &used, sizeof used);
    assert_string_equal(used.algorithm, "reference");
    assert_string_equal(used.device, "cpu");
    /* and of this stack alone, though most threads have no image of it */
    for (int k = 0; k < 100; k++) {
        satf_context_set_threads(ctx, 8);
        check_stack(ctx, "box=9", 50, 40, 1, SATF_U8, 64, false);
        check_stack(ctx, "box=9 transpose", 50, 40, 1, SATF_U8, 2, false);
        satf_context_used(ctx, &used, sizeof used);
        assert_string_equal(used.engine, "move");
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
    MUST(ctx, STACK(box, &in, STEP, &out, STEP, 0));
    assert_int_equal(satf_filter_apply_stack(NULL, box, &in, STEP, &out, STEP, 1), SATF_INVALID);
    assert_memory_equal(to, before, sizeof to);

    /* Halves of the rows of one memory: neither stack touches the other. */
    in = satf_view_packed(from, SIDE / 2, SIDE, 1, SATF_U8);
    in.stride = SIDE;
    out = in;
    out.data = from + SIDE / 2;
    MUST(ctx, STACK(box, &in, STEP, &out, STEP, COUNT));
    /* One input, many outputs. */
    out = satf_view_packed(to, SIDE / 2, SIDE, 1, SATF_U8);
    MUST(ctx, STACK(box, &in, 0, &out, STEP, COUNT));
    assert_memory_equal(to, to + STEP * (COUNT - 1), STEP / 2);
    satf_filter_destroy(box);
    satf_filter_destroy(moments);
#undef STACK
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
    satf_context_set_limit(ctx, SATF_LIMIT_MEMORY, 1000);
    expect(ctx, satf_filter_apply_stack(ctx, filter, &in, step, &out, step, MANY), SATF_LIMIT,
           "limit: max-memory");
    satf_context_set_limit(ctx, SATF_LIMIT_MEMORY, 0);
    MUST(ctx, satf_filter_apply_stack(ctx, filter, &in, step, &out, step, MANY));
    /* what is enough for one image is for all, on however many threads */
    satf_context_set_threads(ctx, 64);
    MUST(ctx, satf_filter_scratch(ctx, filter, &in, &out, &bytes));
    satf_context_set_limit(ctx, SATF_LIMIT_MEMORY, (int64_t)bytes);
    for (int k = 0; k < 5; k++) {
        MUST(ctx, satf_filter_apply(ctx, filter, &in, &out));
        MUST(ctx, satf_filter_apply_stack(ctx, filter, &in, step, &out, step, MANY));
    }
    free(in.data);
    free(out.data);
}
