/*
 * A device (a fake one) that fails at each of its calls in turn, once or from then on. Where it was
 * named that is an error, and nothing is written; where it was chosen the CPU goes on. Nothing on
 * the device is left behind.
 */
#include "test.h"

#define TESTS_FAKE_DEVICE_USER
#include "fake_device.h"
#include "filter_make.h"
#include "run_line.h"

enum { W = 43, H = 31, MOST_CALLS = 1000, UNTOUCHED = 0x77 };

static fake_device *fake;
static char dir[64];

/* How it fails. */
static const struct {
    satf_status status;
    bool lost;
} modes[] = {{SATF_DEVICE_FAILED, true},
             {SATF_DEVICE_FAILED, false},
             {SATF_NO_MEMORY, true},
             {SATF_NO_MEMORY, false}};
enum { MODES = sizeof modes / sizeof *modes };

static void check_leaks(const char *what, long k)
{
    if (fake->blocks || fake->events || fake->contexts || fake->used) {
        fail_msg("%s, call %ld fails: %ld blocks, %ld events, %ld contexts are left", what, k,
                 fake->blocks, fake->events, fake->contexts);
    }
}

/* ------------------------------------------------------------------- the library */

typedef struct work {
    const char *spec;
    satf_view in, out;
    const void *want;
    size_t bytes;
    bool by_plan;
    int64_t limit; /* of the device's memory; 0: none */
} work;

/* Twice: the second run follows what the first has left. */
static satf_status run_plan(satf_context *ctx, const satf_filter *filter, const work *w)
{
    SCOPED_PLAN *plan;
    satf_status status = satf_plan_create(ctx, filter, &w->in, 1, &w->out, 1, &plan);
    for (int run = 0; run < 2 && !status; run++) {
        memset(w->out.data, UNTOUCHED, w->bytes);
        status = satf_plan_run(plan, &w->in, 1, &w->out, 1);
        assert_true(status || memcmp(w->out.data, w->want, w->bytes) == 0);
    }
    return status;
}

static satf_status run_work(satf_context *ctx, const work *w)
{
    SCOPED_FILTER *filter;
    satf_status status = satf_filter_parse(ctx, w->spec, &filter);
    assert_int_equal(status, SATF_OK);
    use_tables(ctx, filter, w->in.type, true);
    memset(w->out.data, UNTOUCHED, w->bytes);
    status =
        w->by_plan ? run_plan(ctx, filter, w) : satf_filter_apply(ctx, filter, &w->in, &w->out);
    return status;
}

static satf_context *new_context(const work *w, int device)
{
    satf_context *ctx;
    assert_int_equal(satf_context_create(&ctx), SATF_OK);
    satf_context_set_threads(ctx, 1);
    satf_context_set_limit(ctx, SATF_LIMIT_DEVICE_MEMORY, w->limit);
    assert_int_equal(satf_context_set_device(ctx, device), SATF_OK);
    return ctx;
}

/* One run of the work on a context of its own, in which call k fails. */
static void check_run(const work *w, int device, int mode, long k, long waits)
{
    satf_context *ctx = new_context(w, device);
    fake_device_fail(fake, k, modes[mode].status, modes[mode].lost);
    satf_status status = run_work(ctx, w);
    bool failed = fake->failed != NULL;
    /* what is waited for last is the result, on its way into the output; tiles arrive in turn */
    bool arriving = w->limit || (failed && strcmp(fake->failed, "wait") == 0);
    if (!status && memcmp(w->out.data, w->want, w->bytes) != 0) {
        fail_msg("%s, call %ld fails: a wrong picture", w->spec, k);
    }
    if (status && (device == SATF_DEVICE_AUTO || !failed || !*satf_message(ctx))) {
        fail_msg("%s, call %ld fails: %s: %s", w->spec, k, satf_status_name(status),
                 satf_message(ctx));
    }
    bool must_fail = k <= waits && device != SATF_DEVICE_AUTO && modes[mode].lost;
    if (must_fail && !status) {
        fail_msg("%s, call %ld fails: it succeeds without a device", w->spec, k);
    }
    for (size_t i = 0; i < w->bytes && status && !arriving; i++) {
        assert_int_equal(((unsigned char *)w->out.data)[i], UNTOUCHED);
    }
    satf_context_destroy(ctx);
    fake_device_fail(fake, 0, SATF_OK, false);
    check_leaks(w->spec, k);
}

/* What a run without failures calls. */
static void count_calls(const work *w, int device, long *calls, long *waits)
{
    SCOPED_CONTEXT *ctx = new_context(w, device);
    fake_device_fail(fake, 0, SATF_OK, false);
    assert_int_equal(run_work(ctx, w), SATF_OK);
    assert_memory_equal(w->out.data, w->want, w->bytes);
    *calls = fake->calls;
    *waits = fake->waits;
}

static long fail_all(const work *w)
{
    static const int devices[] = {SATF_CUDA(0), SATF_DEVICE_AUTO};
    long runs = 0;
    for (int d = 0; d < 2; d++) {
        long calls, waits;
        count_calls(w, devices[d], &calls, &waits);
        assert_true(waits > 5 && calls >= waits);
        for (int mode = 0; mode < MODES; mode++) {
            for (long k = 1; k <= calls + 1; k++) {
                check_run(w, devices[d], mode, k, waits);
                runs++;
            }
        }
    }
    return runs;
}

TEST(test_library)
{
    static const char *const specs[] = {"box=5",     "rotate=90",
                                        "integral",  "guided=3 box=5",
                                        "wolf=5",    "unsharp=3,border=constant:7 variance=3",
                                        "resize=40%"};
    static unsigned char pixels[W * H * 3], want[W * H * 3 * 8], got[W * H * 3 * 8];
    satf_context *cpu;
    long runs = 0;
    assert_int_equal(satf_context_create(&cpu), SATF_OK);
    for (size_t i = 0; i < sizeof pixels; i++) {
        pixels[i] = (unsigned char)(i * i >> 5);
    }
    for (size_t i = 0; i < 2 * sizeof specs / sizeof *specs; i++) {
        work w = {.spec = specs[i / 2], .want = want, .by_plan = i % 2};
        SCOPED_FILTER *filter;
        w.in = satf_view_packed(pixels, W, H, 3, SATF_U8);
        assert_int_equal(satf_filter_parse(cpu, w.spec, &filter), SATF_OK);
        assert_int_equal(satf_filter_output(cpu, filter, &w.in, &w.out), SATF_OK);
        use_tables(cpu, filter, w.in.type, true);
        w.bytes = (size_t)w.out.stride * (size_t)w.out.height;
        w.out.data = want;
        assert_int_equal(satf_filter_apply(cpu, filter, &w.in, &w.out), SATF_OK);
        w.out.data = got;
        runs += fail_all(&w);
        w.limit = 20000;
        runs += i < 2 ? fail_all(&w) : 0; /* tile by tile */
    }
    satf_context_destroy(cpu);
    print_message("%ld runs\n", runs);
}

/* A context whose device has failed at work does not choose it again until it is told to. */
TEST(test_once)
{
    static unsigned char pixels[W * H], made[W * H];
    satf_view in = satf_view_packed(pixels, W, H, 1, SATF_U8), out = in;
    SCOPED_FILTER *filter;
    satf_used used;
    out.data = made;
    MUST(ctx, satf_context_set_device(ctx, SATF_DEVICE_AUTO));
    MUST(ctx, satf_filter_parse(ctx, "box=3", &filter));
    for (int told = 0; told < 2; told++) {
        assert_int_equal(satf_filter_apply(ctx, filter, &in, &out), SATF_OK);
        satf_context_used(ctx, &used, sizeof used);
        assert_string_equal(used.device, "cuda");
        fake_device_fail(fake, 1, SATF_DEVICE_FAILED, true);
        assert_int_equal(satf_filter_apply(ctx, filter, &in, &out), SATF_OK);
        fake_device_fail(fake, 0, SATF_OK, false);
        satf_context_forget(ctx); /* else its plan serves, whatever would be chosen */
        fake->calls = 0;
        assert_int_equal(satf_filter_apply(ctx, filter, &in, &out), SATF_OK);
        satf_context_used(ctx, &used, sizeof used);
        assert_string_equal(used.device, "cpu");
        assert_int_equal(fake->calls, 0);
        assert_int_equal(satf_context_set_device(ctx, SATF_DEVICE_AUTO), SATF_OK);
        satf_context_forget(ctx);
    }
}

/* ------------------------------------------------------------------- the command */

static int lines_of(const char *text)
{
    int lines = 0;
    for (; *text; text++) {
        lines += *text == '\n';
    }
    return lines;
}

static char want[1 << 16], got[1 << 16], said[1 << 12];
static long latest_waits;
static const char before[] = "what was there before";

/* Whether a failure of that call is told of: the others are questions, whose answer then is that
 * there is no device. */
static bool is_work(const char *call)
{
    return strcmp(call, "count") != 0 && strcmp(call, "describe") != 0;
}

/* One run over a file that is there, in which call k fails; behind `waits` that matters to nobody.
 * False: all calls went through. */
static bool check_command(const char *words, bool named, int mode, long k, long waits)
{
    char line[256];
    snprintf(line, sizeof line, "-f -T1 --device %s %s in.ppm out.npy", named ? "cuda" : "auto",
             words);
    save_file("out.npy", before);
    fake_device_fail(fake, k, modes[mode].status, modes[mode].lost);
    int status = run_line(line);
    const char *failed = fake->failed;
    latest_waits = fake->waits;
    fake_device_fail(fake, 0, SATF_OK, false);
    long bytes = load_file("out.npy", got, sizeof got);
    long said_bytes = load_file("stderr", said, sizeof said);
    int lines = lines_of(said);
    bool kept = bytes == sizeof before - 1 && memcmp(got, before, sizeof before - 1) == 0;
    bool right = strlen(want) < sizeof want && memcmp(got, want, (size_t)bytes) == 0;
    bool good = status == 0 ? right : named && status == 1 && kept && lines == 1;
    bool between = strstr(words, "max-device") && !modes[mode].lost; /* while a tile is freed */
    bool told = named || between || k > waits || !failed || !is_work(failed) ||
                modes[mode].status == SATF_NO_MEMORY ||
                (lines == 1 && strstr(said, ": computed on the CPU: "));
    bool quiet = status || lines <= !named;
    bool must_fail = named && k <= waits && modes[mode].lost;
    if (!good || !told || !quiet || said_bytes < 0 || hidden_files() || (must_fail && !status)) {
        fail_msg("'%s', call %ld fails (%s, %s): status %d, %s, %d lines: %s", line, k,
                 failed ? failed : "none", modes[mode].lost ? "lost" : "once", status,
                 kept    ? "output kept"
                 : right ? "output right"
                         : "output wrong",
                 lines, said);
    }
    check_leaks(line, k);
    return failed != NULL;
}

TEST(test_command)
{
    static const char *const words[] = {"--box 3", "--box 3 --max-device-memory 10K",
                                        "--guided 3 --rotate 90", "--wolf 5",
                                        "--engine sat --variance 3 --box 5 --integral"};
    long runs = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char line[256];
        snprintf(line, sizeof line, "-f -T1 --device cpu %s in.ppm out.npy", words[i]);
        assert_int_equal(run_line(line), 0);
        assert_true(load_file("out.npy", want, sizeof want) > 0);
        for (int mode = 0; mode < 2 * MODES; mode++) {
            assert_false(check_command(words[i], mode % 2, 0, 0, -1));
            long k = 1, waits = latest_waits;
            while (check_command(words[i], mode % 2, mode / 2, k, waits)) {
                assert_true(k++ < MOST_CALLS);
            }
            assert_true(k > 10);
            runs += k;
        }
    }
    print_message("%ld runs\n", runs);
}

/* Of a batch, too, no picture is lost, and the failure is told once. */
TEST(test_batch)
{
    assert_int_equal(run_line("-f -T1 --device cpu --box 3 in.ppm right.ppm"), 0);
    static const char line[] = "-f -T1 --device auto --box 3 in.ppm again.ppm -o made";
    fake_device_fail(fake, 0, SATF_OK, false);
    assert_int_equal(run_line(line), 0);
    long k = 1, waits = fake->waits;
    for (bool more = true; more; k++) {
        fake_device_fail(fake, k, SATF_DEVICE_FAILED, true);
        int status = run_line(line);
        const char *failed = fake->failed;
        fake_device_fail(fake, 0, SATF_OK, false);
        assert_int_equal(status, 0);
        assert_true(same_files("made/in.ppm", "right.ppm"));
        assert_true(same_files("made/again.ppm", "right.ppm"));
        load_file("stderr", said, sizeof said);
        const char *note = strstr(said, ": computed on the CPU: ");
        assert_true((note != NULL) == (k <= waits && failed && is_work(failed)));
        assert_true(!note || !strstr(note + 1, ": computed on the CPU: "));
        check_leaks("a batch", k);
        more = failed != NULL;
    }
    assert_true(k > 20);
}

/* Tiles by the command, and what a limit refuses. */
TEST(test_limit)
{
    assert_int_equal(run_line("-f --device cpu --box 3 in.ppm right.ppm"), 0);
    fake->most = 0;
    assert_int_equal(run_line("-fv --device cuda --max-device-memory 10K --box 3 in.ppm out.ppm"),
                     0);
    assert_true(fake->most > 0 && fake->most <= 10 << 10);
    assert_true(same_files("out.ppm", "right.ppm"));
    load_file("stderr", said, sizeof said);
    assert_non_null(strstr(said, "algorithm lookback, cuda:0\n"));
    save_file("out.npy", before);
    assert_int_equal(run_line("-f --device cuda --max-device-memory 10K --integral in.ppm out.npy"),
                     1);
    load_file("stderr", said, sizeof said);
    assert_int_equal(lines_of(said), 1);
    assert_non_null(strstr(said, "(--max-device-memory)"));
    load_file("out.npy", got, sizeof got);
    assert_string_equal(got, before);
    assert_int_equal(run_line("-f --device cpu --integral in.ppm right.npy"), 0);
    assert_int_equal(run_line("-f --device auto --max-device-memory 10K --integral in.ppm out.npy"),
                     0);
    load_file("stderr", said, sizeof said);
    assert_int_equal(lines_of(said), 1);
    assert_non_null(strstr(said, ": computed on the CPU: filtering needs "));
    assert_non_null(strstr(said, "(--max-device-memory)\n"));
    assert_true(same_files("out.npy", "right.npy"));
    check_leaks("a limit", 0);
}

/* --------------------------------------------------------------------------- all */

static int set_up(void **state)
{
    (void)state;
    fake = fake_device_load();
    if (!fake || !enter_folder("test_device_faults", dir)) {
        return 1;
    }
    save_noise("in.ppm", W, H);
    save_noise("again.ppm", W, H);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    return fake->blocks || fake->events || fake->contexts || fake->used || leave_folder(dir);
}

TEST_FILE(.begin = set_up, .end = tear_down)
