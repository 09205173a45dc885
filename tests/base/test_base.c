/* base: types, views, contexts, borders. */
#include "test.h"
#include <limits.h>

#include "base/border.h"
#include "base/device/backend.h"
#include "base/image.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/view.h"

enum { COUNT_OF_TYPES = 12 };

/* The call failed with that status and left a message that holds that word. */
static void assert_fails(const satf_context *ctx, satf_status got, satf_status wanted,
                         const char *word)
{
    if (got != wanted || !strstr(satf_message(ctx), word)) {
        fail_msg("%s instead of %s, message \"%s\" (to hold \"%s\")", satf_status_name(got),
                 satf_status_name(wanted), satf_message(ctx), word);
    }
}

TEST(names)
{
    static const char *const type_names[] = {"u8", "u16", "u32", "u64", "f32", "f64",
                                             "i8", "i16", "i32", "i64", "f16", "bf16"};
    static const size_t bytes[] = {1, 2, 4, 8, 4, 8, 1, 2, 4, 8, 2, 2};
    for (int type = 0; type < COUNT_OF_TYPES; type++) {
        assert_string_equal(satf_type_name(type), type_names[type]);
        assert_int_equal(satf_type_find(type_names[type]), type);
        assert_int_equal(satf_type_bytes(type), bytes[type]);
    }
    static const int wrong[] = {-1, COUNT_OF_TYPES, INT_MIN, INT_MAX};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_null(satf_type_name(wrong[i]));
        assert_int_equal(satf_type_bytes(wrong[i]), 0);
        assert_int_equal(satf_type_max(wrong[i]), 0);
    }
    assert_int_equal(satf_type_find("u9"), -1);
    assert_int_equal(satf_type_find(""), -1);
    assert_true(satf_type_max(SATF_U8) == 255 && satf_type_max(SATF_U16) == 65535);
    assert_true(satf_type_max(SATF_U32) == UINT32_MAX && satf_type_max(SATF_U64) == UINT64_MAX);
    assert_int_equal(satf_type_max(SATF_F32), 0);

    assert_string_equal(satf_status_name(SATF_OK), "SATF_OK");
    assert_string_equal(satf_status_name(SATF_CANCELLED), "SATF_CANCELLED");
    assert_string_equal(satf_status_name((satf_status)(SATF_CANCELLED + 1)), "unknown status");
    int major, minor, patch;
    assert_int_equal(sscanf(satf_version(), "%d.%d.%d", &major, &minor, &patch), 3);
    assert_int_equal(major * 10000 + minor * 100 + patch, SATF_VERSION);
}

TEST(sizes)
{
    size_t out = 7;
    assert_true(satf_mul(3, 5, &out) && out == 15);
    assert_true(satf_mul(SIZE_MAX, 1, &out) && out == SIZE_MAX);
    out = 7;
    assert_false(satf_mul(SIZE_MAX / 2 + 1, 2, &out));
    assert_false(satf_mul(SIZE_MAX, SIZE_MAX, &out));
    assert_false(satf_add(SIZE_MAX, 1, &out));
    assert_int_equal(out, 7);
    assert_true(satf_add(SIZE_MAX - 1, 1, &out) && out == SIZE_MAX);
    assert_int_equal(satf_align64(0), 0);
    assert_int_equal(satf_align64(1), 64);
    assert_int_equal(satf_align64(64), 64);
    assert_int_equal(satf_align64(65), 128);

    assert_null(satf_alloc(SIZE_MAX));
    assert_null(satf_alloc_zeroed(SIZE_MAX - 62));
    static const size_t bytes[] = {0, 1, 63, 64, 65, 100000};
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
        unsigned char *memory = satf_alloc_zeroed(bytes[i]);
        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % 64, 0);
        for (size_t k = 0; k < bytes[i]; k++) {
            assert_int_equal(memory[k], 0);
        }
        satf_free(memory);
    }
    satf_free(NULL);
}

TEST(views)
{
    static char pixels[4096];
    const satf_view good = satf_view_packed(pixels, 10, 4, 3, SATF_U16);
    assert_true(good.stride == 60 && good.device == SATF_HOST && good.flags == 0);
    assert_int_equal(satf_check_view(ctx, &good, "in", true), SATF_OK);

    assert_fails(ctx, satf_check_view(ctx, NULL, "in", true), SATF_INVALID, "in");
#define WRONG(status, word, ...)                                                  \
    do {                                                                          \
        satf_view view = good;                                                    \
        __VA_ARGS__;                                                              \
        assert_fails(ctx, satf_check_view(ctx, &view, "in", true), status, word); \
    } while (0)
    WRONG(SATF_INVALID, "in", view.data = NULL);
    WRONG(SATF_INVALID, "in", view.width = 0);
    WRONG(SATF_INVALID, "in", view.width = -1);
    WRONG(SATF_INVALID, "in", view.height = 0);
    WRONG(SATF_INVALID, "in", view.height = INT64_MIN);
    WRONG(SATF_INVALID, "in", view.channels = 0);
    WRONG(SATF_INVALID, "in", view.channels = SATF_MAX_CHANNELS + 1);
    WRONG(SATF_INVALID, "in", view.type = -1);
    WRONG(SATF_INVALID, "in", view.type = COUNT_OF_TYPES);
    WRONG(SATF_INVALID, "in", view.stride = 59);
    WRONG(SATF_INVALID, "in", view.stride = -59);
    WRONG(SATF_INVALID, "in", view.stride = 0);
    WRONG(SATF_INVALID, "in", view.flags = 2);
    WRONG(SATF_INVALID, "in", view.flags = SATF_ALPHA, view.channels = 1);
    WRONG(SATF_INVALID, "device -1", view.device = SATF_DEVICE_AUTO);
#undef WRONG
    /* A struct that says nothing of a device is on the host. */
    satf_view view = {.data = pixels, .width = 9, .height = 4, .stride = 9, .channels = 1};
    assert_int_equal(satf_check_view(ctx, &view, "in", true), SATF_OK);
    assert_int_equal(view.device, SATF_HOST);
    view = good;
    view.data = NULL;
    assert_int_equal(satf_check_view(ctx, &view, "in", false), SATF_OK);
    view.stride = -60;
    assert_int_equal(satf_check_view(ctx, &view, "in", false), SATF_OK);

    /* Sizes whose product leaves 63 bits. */
    static const struct {
        int64_t width, height, stride;
    } huge[] = {
        {INT64_MAX, 1, INT64_MAX},
        {1, INT64_MAX, 64},
        {(int64_t)1 << 40, (int64_t)1 << 40, (int64_t)1 << 43},
        {1, 3, INT64_MAX},
        {1, 3, INT64_MIN},
        {4, (int64_t)1 << 60, 24},
    };
    for (size_t i = 0; i < sizeof huge / sizeof *huge; i++) {
        view = good;
        view.width = huge[i].width;
        view.height = huge[i].height;
        view.stride = huge[i].stride;
        if (satf_check_view(ctx, &view, "in", true) == SATF_OK) {
            fail_msg("view %zu is accepted", i);
        }
    }

    /* The limit of pixels is for files: what the caller has in memory may be larger. */
    assert_int_equal(satf_context_set_limit(ctx, SATF_LIMIT_PIXELS, 39), SATF_OK);
    assert_int_equal(satf_check_view(ctx, &good, "in", true), SATF_OK);
    assert_int_equal(satf_context_set_limit(ctx, SATF_LIMIT_PIXELS, 0), SATF_OK);
    view = satf_view_packed(&view, 46400, 46341, 1, SATF_U8);
    assert_int_equal(satf_check_view(ctx, &view, "in", true), SATF_OK);
}

/* Against a look at every byte of both views. */
TEST(overlap)
{
    static char pixels[400];
    for (int64_t start = 0; start < 80; start++) {
        for (int64_t stride = -16; stride <= 16; stride += 8) {
            satf_view a = satf_view_packed(pixels + 100, 4, 3, 1, SATF_U8);
            satf_view b = satf_view_packed(pixels + 60 + start, 8, 3, 1, SATF_U8);
            b.stride = stride ? stride : 8;
            /* rows of a: 100 ... 111; of b: the whole span counts */
            int64_t low = 60 + start + (b.stride < 0 ? 2 * b.stride : 0);
            int64_t high = 60 + start + (b.stride < 0 ? 0 : 2 * b.stride) + 7;
            bool apart = high < 100 || low > 111;
            bool touches = false;
            for (int64_t y = 0; y < 3; y++) {
                int64_t row = 60 + start + y * b.stride;
                touches = touches || (row <= 111 && row + 7 >= 100);
            }
            bool said = satf_views_overlap(&a, &b);
            /* a row that is shared must be found, spans that are apart must not be */
            if ((touches && !said) || (apart && said) || said != satf_views_overlap(&b, &a)) {
                fail_msg("start %lld, stride %lld: %d", (long long)start, (long long)stride, said);
            }
        }
    }
}

/* The border's definition, one step at a time. */
static int64_t walk(int border, int64_t i, int64_t n)
{
    int64_t at = 0;
    int64_t direction = 1;
    int64_t steps = i < 0 ? -i : i;
    if (i < 0) {
        direction = -1;
    }
    for (int64_t k = 0; k < steps; k++) {
        int64_t next = at + direction;
        if (next >= 0 && next < n) {
            at = next;
            continue;
        }
        switch (border) {
        case SATF_BORDER_CLAMP:
            return at;
        case SATF_BORDER_WRAP:
            at = direction > 0 ? 0 : n - 1;
            break;
        case SATF_BORDER_REFLECT:
            direction = -direction;
            break;
        case SATF_BORDER_MIRROR:
            direction = -direction;
            at = n > 1 ? at + direction : at;
            break;
        default:
            return -1;
        }
    }
    return at;
}

/* Views in rows of one length: exactly those that share a byte overlap. */
TEST(side_by_side)
{
    static char pixels[400];
    for (int64_t start = 0; start < 120; start++) {
        for (int flips = 0; flips < 4; flips++) {
            satf_view a = satf_view_packed(pixels + 100, 4, 5, 1, SATF_U8);
            satf_view b = satf_view_packed(pixels + 70 + start, 3, 3, 2, SATF_U8);
            a.stride = b.stride = 12;
            bool touches = false;
            for (int64_t i = 0; i < 5 * 3; i++) {
                int64_t from = 100 + i / 3 * 12, to = 70 + start + i % 3 * 12;
                touches = touches || (from < to + 6 && to < from + 4);
            }
            bool apart = 70 + start + 2 * 12 + 6 <= 100 || 70 + start >= 100 + 4 * 12 + 4;
            bool aux = (start + 6) % 12 >= 4 && (start + 6) % 12 <= 6;
            if (flips & 1) {
                a.data = satf_row(&a, 4);
                a.stride = -12;
            }
            if (flips & 2) {
                b.data = satf_row(&b, 2);
                b.stride = -12;
            }
            bool said = satf_views_overlap(&a, &b);
            if ((touches && !said) || ((apart || aux) && said) ||
                said != satf_views_overlap(&b, &a)) {
                fail_msg("start %lld, flips %d: %d", (long long)start, flips, said);
            }
        }
    }
}

TEST(borders)
{
    for (int border = SATF_BORDER_CLAMP; border <= SATF_BORDER_SHRINK; border++) {
        assert_int_equal(satf_border_from_name(satf_border_name(border)), border);
        for (int64_t n = 1; n <= 5; n++) {
            for (int64_t i = -50; i <= 50; i++) {
                int64_t wanted = walk(border, i, n);
                int64_t got = satf_border_index(border, i, n);
                if (got != wanted) {
                    fail_msg("%s, n = %d: %d goes to %d instead of %d", satf_border_name(border),
                             (int)n, (int)i, (int)got, (int)wanted);
                }
            }
        }
    }
    assert_string_equal(satf_border_name(SATF_BORDER_CLAMP), "clamp");
    assert_string_equal(satf_border_name(SATF_BORDER_SHRINK), "shrink");
    assert_string_equal(satf_border_name(SATF_BORDER_VALID), "valid");
    assert_null(satf_border_name(-1));
    assert_null(satf_border_name(SATF_BORDER_VALID + 1));
    assert_int_equal(satf_border_from_name("clam"), -1);
    assert_int_equal(satf_border_from_name(""), -1);
}

static int stop_at_half(void *user, double done)
{
    *(double *)user = done;
    return done >= 0.5;
}

TEST(contexts)
{
    assert_string_equal(satf_message(ctx), "");
    assert_true(strlen(satf_message(NULL)) > 0);
    assert_int_equal(satf_context_create(NULL), SATF_INVALID);
    satf_context_destroy(NULL);

    assert_int_equal(satf_context_set_device(NULL, SATF_HOST), SATF_INVALID);
    assert_int_equal(satf_context_set_threads(NULL, 1), SATF_INVALID);
    assert_int_equal(satf_context_set_stream(NULL, NULL), SATF_INVALID);
    assert_int_equal(satf_context_set_engine(NULL, SATF_ENGINE_SAT), SATF_INVALID);
    assert_int_equal(satf_context_set_algorithm(NULL, "auto"), SATF_INVALID);
    assert_int_equal(satf_context_set_r(NULL, 0.5), SATF_INVALID);
    assert_int_equal(satf_context_set_limit(NULL, SATF_LIMIT_MEMORY, 0), SATF_INVALID);
    assert_int_equal(satf_context_set_scratch(NULL, NULL, 0), SATF_INVALID);
    assert_int_equal(satf_context_set_progress(NULL, NULL, NULL), SATF_INVALID);

    assert_int_equal(satf_context_set_threads(ctx, 0), SATF_OK);
    assert_true(satf_thread_count(ctx) >= 1);
    assert_int_equal(satf_context_set_threads(ctx, SATF_MAX_THREADS), SATF_OK);
    assert_fails(ctx, satf_context_set_threads(ctx, SATF_MAX_THREADS + 1), SATF_INVALID, "1025");
    assert_fails(ctx, satf_context_set_threads(ctx, -1), SATF_INVALID, "-1");
    assert_int_equal(satf_thread_count(ctx), SATF_MAX_THREADS);

    assert_int_equal(satf_context_set_engine(ctx, SATF_ENGINE_WINDOW), SATF_OK);
    assert_fails(ctx, satf_context_set_engine(ctx, (satf_engine)3), SATF_INVALID, "3");
    assert_int_equal(ctx->settings.engine, SATF_ENGINE_WINDOW);

    assert_int_equal(satf_context_set_algorithm(ctx, "auto"), SATF_OK);
    assert_fails(ctx, satf_context_set_algorithm(ctx, "3r3w"), SATF_INVALID, "3r3w");
    assert_string_equal(ctx->settings.algorithm, "auto");

    static const double wrong_r[] = {-0.1, 1, 2, NAN, INFINITY};
    assert_int_equal(satf_context_set_r(ctx, 0.25), SATF_OK);
    for (size_t i = 0; i < sizeof wrong_r / sizeof *wrong_r; i++) {
        assert_fails(ctx, satf_context_set_r(ctx, wrong_r[i]), SATF_INVALID, "r =");
    }
    assert_true(ctx->settings.r == 0.25);

    assert_fails(ctx, satf_context_set_limit(ctx, SATF_LIMIT_PIXELS, -1), SATF_INVALID, "negative");
    assert_fails(ctx, satf_context_set_limit(ctx, SATF_LIMIT_MEMORY, -1), SATF_INVALID, "negative");
    assert_int_equal(satf_context_set_limit(ctx, SATF_LIMIT_MEMORY, 0), SATF_OK);
    assert_true(ctx->settings.max_pixels == (int64_t)1 << 31 && ctx->settings.max_bytes > 0);

    char memory[64];
    assert_fails(ctx, satf_context_set_scratch(ctx, memory, 0), SATF_INVALID, "scratch");
    assert_fails(ctx, satf_context_set_scratch(ctx, NULL, 1), SATF_INVALID, "scratch");
    assert_int_equal(satf_context_set_scratch(ctx, memory, sizeof memory), SATF_OK);
    assert_int_equal(satf_context_set_scratch(ctx, NULL, 0), SATF_OK);

    double seen = -1;
    assert_int_equal(satf_report_progress(ctx, 0.9), SATF_OK);
    assert_int_equal(satf_context_set_progress(ctx, stop_at_half, &seen), SATF_OK);
    assert_int_equal(satf_report_progress(ctx, 0.25), SATF_OK);
    assert_true(seen == 0.25);
    assert_fails(ctx, satf_report_progress(ctx, 0.5), SATF_CANCELLED, "stopped");

    /* a message is cut, never overrun */
    char longer[2 * SATF_MESSAGE_BYTES];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    assert_int_equal(satf_fail(ctx, SATF_IO, "%s", longer), SATF_IO);
    assert_int_equal(strlen(satf_message(ctx)), SATF_MESSAGE_BYTES - 1);
}

/* Without a backend the calls of every layer fail in its sentence, and hand out nothing. */
static void check_missing(satf_context *ctx)
{
    const char *why = satf_cuda_missing();
    const satf_backend *none = satf_cuda();
    void *memory[3] = {ctx, ctx, ctx};
    unsigned runs;
    if (!why) {
        return; /* a backend without a device */
    }
    assert_fails(ctx, none->open(ctx, SATF_CUDA(0)), SATF_NO_DEVICE, why);
    assert_fails(ctx, none->copy_bytes(ctx, SATF_CUDA(0), ctx, ctx, 0), SATF_NO_DEVICE, why);
    assert_fails(ctx, none->box_plan(ctx, NULL), SATF_NO_DEVICE, why);
    assert_fails(ctx, none->filter_run(ctx, NULL), SATF_NO_DEVICE, why);
    assert_fails(ctx, none->move(ctx, NULL), SATF_NO_DEVICE, why);
    assert_fails(ctx, none->alloc(ctx, SATF_CUDA(0), 1, "a test", &memory[0]), SATF_NO_DEVICE, why);
    assert_fails(ctx, none->keep(ctx, SATF_CUDA(0), NULL, 1, "a test", &memory[1], &runs),
                 SATF_NO_DEVICE, why);
    assert_fails(ctx, none->table_keep(ctx, SATF_CUDA(0), "", 1, &memory[2]), SATF_NO_DEVICE, why);
    assert_true(!memory[0] && !memory[1] && !memory[2]);
    assert_true(!none->algorithm(0) && !none->march_fits(NULL, false) &&
                !none->multiplies(SATF_CUDA(0)));
    assert_int_equal(none->leave(ctx, SATF_IO), SATF_IO);
    assert_int_equal(none->synchronize(ctx), SATF_OK);
    none->free(ctx, NULL);
}

/* No GPU is needed: without one every CUDA device is refused, and the choice stays. */
TEST(devices)
{
    assert_int_equal(ctx->settings.device, SATF_HOST);
    assert_int_equal(satf_context_set_device(ctx, SATF_HOST), SATF_OK);
    assert_fails(ctx, satf_context_set_device(ctx, -3), SATF_INVALID, "-3");
    assert_fails(ctx, satf_context_set_device(ctx, 1000000), SATF_NO_DEVICE, "no CUDA device");
    assert_int_equal(ctx->settings.device, SATF_HOST);
    const char *why = NULL;
    void *memory = ctx;
    if (satf_gpu_count(&why) == 0) {
        assert_non_null(why);
        assert_fails(ctx, satf_context_set_device(ctx, SATF_CUDA(0)), SATF_NO_DEVICE,
                     "no CUDA device: ");
        assert_non_null(strstr(satf_message(ctx), why));
        assert_int_equal(ctx->settings.device, SATF_HOST);
        assert_fails(ctx, satf_cuda()->alloc(ctx, SATF_CUDA(0), 1, "a test", &memory),
                     SATF_NO_DEVICE, why);
        assert_null(memory);
        assert_fails(ctx, satf_cuda()->wait(ctx, SATF_CUDA(0)), SATF_NO_DEVICE, why);
        check_missing(ctx);
    } else {
        assert_int_equal(satf_context_set_device(ctx, SATF_CUDA(0)), SATF_OK);
        assert_int_equal(ctx->settings.device, SATF_CUDA(0));
    }
    assert_null(ctx->gpu); /* choosing starts nothing */
    assert_int_equal(satf_gpu_ordinal(SATF_CUDA(3)), 3);
    assert_true(satf_gpu_ordinal(SATF_HOST) < 0);
    assert_fails(ctx, satf_context_get_stream(ctx, SATF_HOST, &memory), SATF_INVALID, "no stream");
    assert_int_equal(satf_context_set_device(ctx, SATF_DEVICE_AUTO), SATF_OK);
}

/* Makes one setting another than the default. false: there are no more. */
static bool change_setting(satf_context *ctx, int which)
{
    switch (which) {
    case 0:
        return !satf_context_set_device(ctx, SATF_DEVICE_AUTO);
    case 1:
        return !satf_context_set_threads(ctx, satf_context_get_threads(ctx) + 1);
    case 2:
        return !satf_context_set_engine(ctx, SATF_ENGINE_SAT);
    case 3:
        return !satf_context_set_algorithm(ctx, "2r2w");
    case 4:
        return !satf_context_set_r(ctx, 0.5);
    case 5:
        return !satf_context_set_sync(ctx, "coop");
    case 6:
        return !satf_context_set_filter_files(ctx, 0);
    case 7:
        return !satf_context_set_formats(ctx, "png");
    default:
        return which - 8 < SATF_LIMITS &&
               !satf_context_set_limit(ctx, (satf_limit)(which - 8), 12345);
    }
}

/* Whichever setting is another, the whole is, and a context like that one has it. */
TEST(settings)
{
    satf_context *changed, *like;
    int which = 0;
    for (bool more = true; more; which++) {
        assert_int_equal(satf_context_create_like(ctx, &changed), SATF_OK);
        assert_true(satf_settings_equal(&ctx->settings, &changed->settings));
        more = change_setting(changed, which);
        assert_int_equal(satf_settings_equal(&ctx->settings, &changed->settings), !more);
        assert_int_equal(satf_context_create_like(changed, &like), SATF_OK);
        assert_true(satf_settings_equal(&changed->settings, &like->settings));
        satf_context_destroy(like);
        satf_context_destroy(changed);
    }
    assert_int_equal(which, 8 + SATF_LIMITS + 1); /* all of them, and the end */
}

TEST(images)
{
    SCOPED_IMAGE *image = NULL;
    assert_int_equal(satf_image_create(ctx, 5, 3, 2, SATF_U16, SATF_ALPHA, &image), SATF_OK);
    const satf_view *view = satf_image_view(image);
    assert_true(view->width == 5 && view->height == 3 && view->channels == 2);
    assert_true(view->type == SATF_U16 && view->stride == 20 && view->flags == SATF_ALPHA);
    for (int64_t y = 0; y < 3; y++) {
        const uint16_t *row = satf_row(view, y);
        for (int64_t i = 0; i < satf_row_samples(view); i++) {
            assert_int_equal(row[i], 0);
        }
    }
    satf_metadata *metadata = &image->metadata;
    metadata->icc = satf_alloc(3);
    assert_non_null(metadata->icc);
    memcpy(metadata->icc, "icc", 3);
    metadata->icc_bytes = 3;
    metadata->has_gamma = true;
    metadata->gamma = 0.45455;
    satf_metadata copy = {0};
    assert_int_equal(satf_metadata_copy(ctx, metadata, &copy), SATF_OK);
    assert_true(copy.icc != metadata->icc && copy.icc_bytes == 3);
    assert_memory_equal(copy.icc, "icc", 3);
    assert_null(copy.exif);
    assert_true(copy.has_gamma && copy.gamma == 0.45455);
    satf_metadata_clear(&copy);
    assert_null(copy.icc);
    satf_image_destroy(NULL);
    assert_null(satf_image_view(NULL));

    satf_image *none = (satf_image *)ctx;
    assert_fails(ctx, satf_image_create(ctx, 0, 3, 1, SATF_U8, 0, &none), SATF_INVALID, "image");
    assert_null(none);
    assert_int_equal(satf_context_set_limit(ctx, SATF_LIMIT_MEMORY, 1000), SATF_OK);
    assert_fails(ctx, satf_image_create(ctx, 1001, 1, 1, SATF_U8, 0, &none), SATF_LIMIT, "1000");
    assert_int_equal(satf_image_create(NULL, 1, 1, 1, SATF_U8, 0, &none), SATF_INVALID);
    assert_int_equal(satf_image_create(ctx, 1, 1, 1, SATF_U8, 0, NULL), SATF_INVALID);
}
