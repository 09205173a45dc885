/*
 * Filters on a device (a fake one) whose memory does not hold the work at once: tile by tile, with
 * the CPU's bits, and within the limit. What depends on the whole image is refused, or the CPU's.
 */
#include "test.h"

#define TESTS_FAKE_DEVICE_USER
#include "fake_device.h"
#include "filter_make.h"
#include "chain/pass.h"
#include "filter_reference.h"

enum { W = 61, H = 47, MOST = W * H * 4 * 8, UNTOUCHED = 0x77 };

static fake_device *fake;
static satf_context *cpu, *gpu; /* gpu: on the fake */
static char want[MOST], got[MOST];

static int set_up(void **state)
{
    (void)state;
    fake = fake_device_load();
    return !fake || satf_context_create(&cpu) || satf_context_create(&gpu) ||
           satf_context_set_device(gpu, SATF_CUDA(0));
}

static int tear_down(void **state)
{
    (void)state;
    satf_context_destroy(cpu);
    satf_context_destroy(gpu);
    return fake->blocks || fake->events || fake->contexts || fake->used;
}

static void limit_to(size_t bytes)
{
    assert_int_equal(satf_context_set_limit(gpu, SATF_LIMIT_DEVICE_MEMORY, (int64_t)bytes),
                     SATF_OK);
    satf_context_forget(gpu);
    assert_int_equal(fake->used, 0);
    fake->most = 0;
}

/* Pixels of that kind, which live until there are some of eight others. */
static satf_view picture(int channels, int type, bool alpha, uint64_t seed, int64_t apart)
{
    static satf_view views[8];
    static int turn;
    satf_view *v = &views[turn++ % 8];
    ref_image image = {W, H, channels, type, alpha, NULL};
    ref_fill(&image, seed);
    free(v->data);
    *v = ref_view(&image, apart);
    free(image.samples);
    return *v;
}

/* Whether each pixel depends on the whole image. */
static bool needs_all(const satf_filter *filter)
{
    int64_t reach[4];
    MUST(cpu, satf_filter_reach(cpu, filter, &reach[0], &reach[1], &reach[2], &reach[3]));
    return (reach[0] == INT64_MAX || reach[2] == INT64_MAX) &&
           (reach[1] == INT64_MAX || reach[3] == INT64_MAX);
}

static void same_bytes(const char *what, const satf_view *in, const satf_view *out)
{
    size_t bytes = (size_t)out->stride * (size_t)out->height;
    if (memcmp(got, want, bytes) != 0) {
        fail_msg("%s of %s, %d channels: other bits", what, satf_type_name(in->type), in->channels);
    }
}

static void run_on(satf_context *ctx, const char *what, const satf_filter *filter,
                   const satf_view *in, const satf_view *out)
{
    if (ctx == cpu) {
        use_tables(ctx, filter, in->type, true); /* whose bits are the fake's */
    }
    if (satf_filter_apply(ctx, filter, in, out)) {
        fail_msg("%s: %s", what, satf_message(ctx));
    }
}

/* As a whole, and with a third of the memory that this takes; half where colour becomes grey, whose
 * table has padded rows beside it. Adds to *tiled where there are tiles. */
static void check_filter(const char *what, const satf_filter *filter, const satf_view *in,
                         int *tiled)
{
    satf_view out;
    assert_int_equal(satf_filter_output(cpu, filter, in, &out), SATF_OK);
    size_t bytes = (size_t)out.stride * (size_t)out.height;
    out.data = want;
    run_on(cpu, what, filter, in, &out);
    out.data = got;
    memset(got, UNTOUCHED, bytes);
    limit_to(0);
    run_on(gpu, what, filter, in, &out);
    same_bytes(what, in, &out);
    size_t whole = fake->most, limit = whole / (out.channels < in->channels ? 2 : 3);
    memset(got, UNTOUCHED, bytes);
    limit_to(limit);
    if (needs_all(filter)) {
        assert_int_equal(satf_filter_apply(gpu, filter, in, &out), SATF_LIMIT);
        assert_non_null(strstr(satf_message(gpu), "(limit: max-device-memory)"));
        for (size_t i = 0; i < bytes; i++) {
            assert_int_equal((unsigned char)got[i], UNTOUCHED);
        }
        assert_int_equal(satf_context_set_device(gpu, SATF_DEVICE_AUTO), SATF_OK);
        use_tables(gpu, filter, in->type, true);
        run_on(gpu, what, filter, in, &out);
        assert_int_equal(satf_context_set_engine(gpu, SATF_ENGINE_AUTO), SATF_OK);
        assert_int_equal(satf_context_set_device(gpu, SATF_CUDA(0)), SATF_OK);
    } else {
        run_on(gpu, what, filter, in, &out);
        (*tiled)++;
    }
    same_bytes(what, in, &out);
    if (fake->most > limit) {
        fail_msg("%s: %zu bytes taken, %zu allowed", what, fake->most, limit);
    }
}

/* Whether results of floats depend on what else is in the table. */
static bool rounds(const filter_info *info, int type)
{
    return !filter_is_simple(info) && satf_type_is_float(type);
}

TEST(test_every_filter)
{
    static const struct {
        int type, channels;
    } kinds[] = {{SATF_U8, 1}, {SATF_U8, 3}, {SATF_U16, 4}, {SATF_F32, 1}};
    static const char *const sizes[] = {"7x4", "1x5", "9x3"}, *const at[] = {"2:-1", "0:0", "-4:0"};
    const filter_info *info;
    int tiled = 0;
    for (size_t i = 0; (info = filter_info_at(i)); i++) {
        for (int border = 0; border <= SATF_BORDER_VALID; border++) {
            for (int k = 0; k < 4; k++) {
                int type = kinds[k].type, channels = kinds[k].channels, s = (border + k) % 3;
                if (rounds(info, type)) {
                    continue;
                }
                satf_view in = picture(channels, type, channels == 4, i * 100 + (uint64_t)k, 3);
                SCOPED_FILTER *filter = make_filter_of(cpu, info, border, sizes[s], at[s], W, H);
                check_filter(info->name, filter, &in, &tiled);
            }
        }
    }
    assert_true(tiled > 0);
    print_message("%d filters in tiles\n", tiled);
}

/* Each on an image of its own; how many of them went by tiles. */
static int check_specs(const char *const *specs, size_t count, int channels, int type)
{
    int tiled = 0;
    for (size_t k = 0; k < count; k++) {
        satf_view in = picture(channels, type, false, k, 0);
        SCOPED_FILTER *filter = parse_filter(cpu, specs[k]);
        check_filter(specs[k], filter, &in, &tiled);
    }
    return tiled;
}

TEST(test_chains)
{
    static const char *const specs[] = {
        "box=5,at=1:0 rotate=90 box=4x7,border=mirror flip=h",
        "transpose box=9x2,at=-4:0,border=reflect rotate=270 variance=3",
        "box=3,border=wrap flip=v box=5x1,border=shrink",
        "unsharp=5 sauvola=7",
        "box=3 wolf=7",
        "guided=5 integral",
        "box=5x4,border=valid rotate=90 unsharp=3,border=valid box=3,at=1:0",
        "wolf=5x4,border=valid box=3",
    };
    assert_int_equal(check_specs(specs, sizeof specs / sizeof *specs, 1, SATF_U8), 4);
}

/* A window along one axis, periodic along it: tiles are cut across the other alone. */
TEST(test_periodic)
{
    static const char *const specs[] = {"box=9x1,border=wrap", "box=1x9,border=wrap"};
    assert_int_equal(check_specs(specs, 2, 3, SATF_U8), 2);
}

/* Formulas that options choose; luma is read off tables. */
TEST(test_variants)
{
    static const char *const specs[] = {"unsharp=5x9,luma", "unsharp=7,threshold=3",
                                        "unsharp=5,luma,threshold=2 box=3", "guided=5,amount=2",
                                        "guided=5,colour"};
    assert_int_equal(check_specs(specs, 5, 3, SATF_U8), 5);
}

/* Windows that a device sums without a table. */
TEST(test_no_tables)
{
    static const char *const specs[] = {"box=9x4", "variance=5,border=mirror", "guided=5"};
    satf_context_set_engine(gpu, SATF_ENGINE_WINDOW);
    assert_int_equal(check_specs(specs, 3, 3, SATF_U16), 3);
    satf_context_set_engine(gpu, SATF_ENGINE_AUTO);
}

/* A guide of colour has its own channels and depth there, too. */
TEST(test_colour_guide)
{
    satf_view guide = picture(4, SATF_U16, true, 8, 0);
    for (int channels = 1; channels <= 4; channels++) {
        satf_view in = picture(channels, SATF_U8, false, (uint64_t)channels, 0), out = in;
        SCOPED_FILTER *filter = parse_filter(cpu, "guided=7x4,at=1:0,colour,border=constant:9");
        assert_int_equal(satf_filter_set_image(cpu, filter, &guide), SATF_OK);
        limit_to(0);
        out.data = want;
        run_on(cpu, "a guide of colour", filter, &in, &out);
        out.data = got;
        run_on(gpu, "a guide of colour", filter, &in, &out);
        same_bytes("a guide of colour", &in, &out);
    }
}

/* Views whose pixels are apart, and a part of a result. */
TEST(test_views)
{
    satf_view packed = picture(3, SATF_U8, false, 5, 0), in = packed, out = packed;
    static unsigned char apart[W * H * 4];
    SCOPED_FILTER *filter = parse_filter(cpu, "box=5 rotate=90");
    in.data = apart;
    in.stride = W * 4;
    in.pixel_stride = 4;
    for (size_t i = 0; i < W * H; i++) {
        memcpy(apart + 4 * i, (char *)packed.data + 3 * i, 3);
    }
    assert_int_equal(satf_filter_output(cpu, filter, &packed, &out), SATF_OK);
    out.data = want;
    run_on(cpu, "packed pixels", filter, &packed, &out);
    limit_to(0);
    out.data = got;
    run_on(gpu, "pixels apart", filter, &in, &out);
    size_t limit = fake->most / 4;
    memset(got, UNTOUCHED, sizeof got);
    limit_to(limit);
    run_on(gpu, "pixels apart", filter, &in, &out);
    same_bytes("pixels apart", &in, &out);
    satf_rect where = {9, 4, 21, 50};
    satf_view whole = out, part = satf_view_packed(got, where.w, where.h, 3, SATF_U8);
    whole.data = want;
    memset(got, UNTOUCHED, sizeof got);
    limit_to(0);
    assert_int_equal(satf_filter_apply_rect(gpu, filter, &in, &where, &part), SATF_OK);
    limit = fake->most / 3;
    memset(got, UNTOUCHED, sizeof got);
    limit_to(limit);
    assert_int_equal(satf_filter_apply_rect(gpu, filter, &in, &where, &part), SATF_OK);
    assert_true(fake->most > 0 && fake->most <= limit);
    for (int64_t y = 0; y < where.h; y++) {
        const char *row = (const char *)satf_row(&whole, where.y + y) + where.x * 3;
        assert_memory_equal(satf_row(&part, y), row, (size_t)where.w * 3);
    }
}

static int latest(void *user, double done)
{
    double *at = user;
    assert_true(done >= *at);
    *at = done;
    return 0;
}

/* A plan says what its tiles take, and runs again and again. */
TEST(test_plan)
{
    satf_view in = picture(1, SATF_U16, false, 9, 0), out = in;
    SCOPED_FILTER *filter = parse_filter(cpu, "box=7,border=mirror variance=3");
    satf_plan *plan;
    satf_plan_info whole, info;
    double done = 0;
    assert_int_equal(satf_filter_output(cpu, filter, &in, &out), SATF_OK);
    out.data = want;
    run_on(cpu, "a plan", filter, &in, &out);
    limit_to(0);
    assert_int_equal(satf_plan_create(gpu, filter, &in, 1, &out, 1, &plan), SATF_OK);
    satf_plan_describe(plan, &whole, sizeof whole);
    satf_plan_destroy(plan);
    limit_to((size_t)whole.memory_bytes / 4);
    assert_int_equal(satf_plan_create(gpu, filter, &in, 1, &out, 1, &plan), SATF_OK);
    satf_plan_describe(plan, &info, sizeof info);
    assert_true(info.memory_bytes <= whole.memory_bytes / 4 && info.device == SATF_CUDA(0) &&
                info.steps == 2);
    satf_context_set_progress(gpu, latest, &done);
    for (int run = 0; run < 2; run++) {
        out.data = got;
        memset(got, UNTOUCHED, sizeof got);
        done = 0;
        satf_context_set_algorithm(gpu, run ? "2r2w" : "auto"); /* no matter: it was made before */
        assert_int_equal(satf_plan_run(plan, &in, 1, &out, 1), SATF_OK);
        assert_true(done == 1);
        same_bytes("a plan", &in, &out);
        assert_int_equal(fake->used, 0); /* tiles have memory while they run */
    }
    assert_string_equal(gpu->settings.algorithm, "2r2w");
    assert_string_equal(gpu->report_algorithm, "lookback");
    satf_context_set_algorithm(gpu, "auto");
    satf_context_set_progress(gpu, NULL, NULL);
    assert_true((int64_t)fake->most <= whole.memory_bytes / 4);
    satf_plan_destroy(plan);
}

/* Two inputs, and images on the device, are not cut: the limit refuses them. */
TEST(test_refused)
{
    satf_view in = picture(1, SATF_U8, false, 9, 0), there = in, result = in;
    const satf_view inputs[2] = {in, in};
    SCOPED_FILTER *guided = parse_filter(cpu, "guided=5"), *box = parse_filter(cpu, "box=5");
    satf_plan *plan;
    limit_to(W * H);
    result.data = got;
    assert_int_equal(satf_plan_create(gpu, guided, inputs, 2, &result, 1, &plan), SATF_LIMIT);
    there.device = result.device = SATF_CUDA(0);
    assert_int_equal(satf_filter_apply(gpu, box, &there, &result), SATF_LIMIT);
    assert_non_null(strstr(satf_message(gpu), "(limit: max-device-memory)"));
}

/* A device that has less memory left than all at once takes; and one that has next to none. */
TEST(test_short_of_memory)
{
    enum { SIDE = 400 };
    static unsigned char pixels[SIDE * SIDE], right[SIDE * SIDE], made[SIDE * SIDE];
    satf_view in = satf_view_packed(pixels, SIDE, SIDE, 1, SATF_U8), out = in;
    SCOPED_FILTER *filter = parse_filter(cpu, "box=9");
    for (size_t i = 0; i < sizeof pixels; i++) {
        pixels[i] = (unsigned char)(i * i >> 7);
    }
    out.data = right;
    run_on(cpu, "a full device", filter, &in, &out);
    out.data = made;
    limit_to(0);
    run_on(gpu, "a full device", filter, &in, &out);
    for (size_t room = fake->most - 1; room > 200000; room = room * 2 / 3) {
        SCOPED_PLAN *plan;
        limit_to(0);
        fake->room = room;
        memset(made, 0, sizeof made);
        run_on(gpu, "a full device", filter, &in, &out);
        assert_memory_equal(made, right, sizeof made);
        memset(made, 0, sizeof made);
        limit_to(0);
        assert_int_equal(satf_plan_create(gpu, filter, &in, 1, &out, 1, &plan), SATF_OK);
        assert_int_equal(satf_plan_run(plan, &in, 1, &out, 1), SATF_OK);
        assert_memory_equal(made, right, sizeof made);
    }
    fake->room = 1000;
    limit_to(0);
    memset(made, UNTOUCHED, sizeof made);
    assert_int_equal(satf_filter_apply(gpu, filter, &in, &out), SATF_NO_MEMORY);
    assert_non_null(strstr(satf_message(gpu), "out of memory on CUDA device 0"));
    assert_int_equal(made[SIDE * SIDE / 2], UNTOUCHED);
    assert_int_equal(satf_context_set_device(gpu, SATF_DEVICE_AUTO), SATF_OK);
    run_on(gpu, "a full device", filter, &in, &out);
    assert_memory_equal(made, right, sizeof made);
    assert_int_equal(satf_context_set_device(gpu, SATF_CUDA(0)), SATF_OK);
    fake->room = SIZE_MAX;
}

/* What programs that cannot be told otherwise take. */
TEST(test_environment)
{
    static const struct {
        const char *text;
        int64_t limit;
    } cases[] = {{"5000", 5000}, {"", INT64_MAX}, {"-1", INT64_MAX}, {"all", INT64_MAX}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        SCOPED_CONTEXT *own;
        setenv("SATFILTER_MAX_DEVICE_MEMORY", cases[i].text, 1);
        assert_int_equal(satf_context_create(&own), SATF_OK);
        assert_true(own->settings.max_device_bytes == cases[i].limit);
        satf_context_set_limit(own, SATF_LIMIT_DEVICE_MEMORY, 7);
        assert_true(own->settings.max_device_bytes == 7);
        satf_context_set_limit(own, SATF_LIMIT_DEVICE_MEMORY, 0);
        assert_true(own->settings.max_device_bytes == cases[i].limit);
    }
    unsetenv("SATFILTER_MAX_DEVICE_MEMORY");
}

TEST_FILE(.begin = set_up, .end = tear_down)
