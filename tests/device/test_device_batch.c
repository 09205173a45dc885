/*
 * Files on devices (fake ones): those of a batch beside one another, on all devices that are named,
 * two at a time on each; one in bands beside its codecs. The pictures are those of the CPU.
 */
#include "test.h"

#define TESTS_FAKE_DEVICE_USER
#include "fake_device.h"
#include "run_line.h"

enum { FILES = 24, LANES = 2 };

static fake_device *fake;
static char dir[64], want[1 << 20], got[1 << 20], said[1 << 14];

static void write_picture(int i)
{
    char name[32];
    snprintf(name, sizeof name, "%02d.ppm", i);
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    int width = 20 + 17 * i % 190, height = 200 - 3 * i;
    fprintf(file, "P6\n%d %d\n255\n", width, height);
    for (int k = 0; k < 3 * width * height; k++) {
        putc((k * (i + 3) ^ k >> 5) & 255, file);
    }
    fclose(file);
}

/* All files through the filters by those devices; the status. */
static int run_batch(const char *options, const char *to)
{
    char line[512];
    int n = snprintf(line, sizeof line, "-f %s", options);
    for (int i = 0; i < FILES; i++) {
        n += snprintf(line + n, sizeof line - (size_t)n, " %02d.ppm", i);
    }
    snprintf(line + n, sizeof line - (size_t)n, " -o %s/", to);
    return run_line(line);
}

static void compare_as(const char *suffix, const char *options)
{
    for (int i = 0; i < FILES; i++) {
        char by_cpu[32], by_gpu[32];
        snprintf(by_cpu, sizeof by_cpu, "cpu/%02d.%s", i, suffix);
        snprintf(by_gpu, sizeof by_gpu, "gpu/%02d.%s", i, suffix);
        if (!same_files(by_cpu, by_gpu)) {
            fail_msg("%s: %s differs", options, by_gpu);
        }
    }
}

static void compare(const char *options)
{
    compare_as("ppm", options);
}

static void forget_counts(void)
{
    memset(fake->most_open, 0, sizeof fake->most_open);
    memset(fake->runs, 0, sizeof fake->runs);
}

static void check_left(void)
{
    assert_int_equal(fake->contexts, 0);
    assert_int_equal(fake->blocks, 0);
    assert_int_equal(fake->events, 0);
    assert_int_equal(fake->used, 0);
}

TEST(test_devices)
{
    static const struct {
        const char *options;
        int devices; /* of the machine */
        bool used[FAKE_DEVICES];
    } cases[] = {
        {"--device cuda --box 5 -T 4", 1, {true}},
        {"--device cuda:1 --guided 3 -T 3", 2, {false, true}},
        {"--device cuda:0,0 --unsharp 7 -T 4", 1, {true}},
        {"--device cuda:0,2 --box 3 --box 9 -T 4", 3, {true, false, true}},
        {"--device cuda:all --box 5 -T 4", 3, {true, true, true}},
        {"--device cuda:all --wolf 5 --type u8 -T 1", 2, {true, true}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char by_cpu[128];
        snprintf(by_cpu, sizeof by_cpu, "--device cpu %s", strstr(cases[c].options + 2, "--"));
        fake->devices = cases[c].devices;
        assert_int_equal(run_batch(by_cpu, "cpu"), 0);
        forget_counts();
        assert_int_equal(run_batch(cases[c].options, "gpu"), 0);
        compare(cases[c].options);
        long runs = 0;
        for (int d = 0; d < FAKE_DEVICES; d++) {
            assert_true(fake->most_open[d] <= LANES);
            assert_int_equal(fake->runs[d] > 0, cases[c].used[d]);
            runs += fake->runs[d];
        }
        assert_true(runs >= FILES);
        check_left();
    }
}

static int count_of(const char *text, const char *part)
{
    int count = 0;
    while ((text = strstr(text, part))) {
        text += strlen(part);
        count++;
    }
    return count;
}

/* -v tells of each file which device did it. */
TEST(test_told_devices)
{
    static const struct {
        const char *options;
        int files[FAKE_DEVICES]; /* of each device, at least; -1: none */
    } cases[] = {
        {"-v --device cuda:2 --box 5 -T 4", {-1, -1, FILES}},
        {"-v --device cuda:0,2 --box 5 -T 4", {1, -1, 1}},
        {"-v --device cuda:all --box 5 -T 4", {1, 1, 1}},
        {"-v --device auto --box 5 -T 4", {FILES, -1, -1}},
        {"-v --device cpu --box 5 -T 4", {-1, -1, -1}},
    };
    fake->devices = FAKE_DEVICES;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        int all = 0;
        assert_int_equal(run_batch(cases[c].options, "gpu"), 0);
        load_file("stderr", got, sizeof got);
        for (int d = 0; d < FAKE_DEVICES; d++) {
            char part[32];
            snprintf(part, sizeof part, ", cuda:%d\n", d);
            int files = count_of(got, part);
            assert_true(cases[c].files[d] < 0 ? files == 0 : files >= cases[c].files[d]);
            all += files;
        }
        assert_int_equal(all, strstr(cases[c].options, "cpu") ? 0 : FILES);
    }
    check_left();
}

/* One picture in bands, beside its codecs: as many as a limit of the device's memory makes them. */
TEST(test_bands)
{
    static const struct {
        const char *words;
        bool banded;
    } cases[] = {
        {"--box 5", true},      {"--unsharp 9 --box 7", true}, {"--box 3x9 --border mirror", true},
        {"--variance 3", true}, {"--rotate 180", true},        {"--guided 3 --flip h", true},
        {"--rotate 90", false}, {"--transpose", false},
    };
    static const char *const formats[] = {"npy", "png", "ppm"};
    fake->devices = 1;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
            char line[256], by_cpu[32], by_gpu[32];
            snprintf(line, sizeof line, "-f --device cpu %s 07.ppm cpu.%s", cases[c].words,
                     formats[f]);
            assert_int_equal(run_line(line), 0);
            snprintf(line, sizeof line,
                     "-fv --device cuda --max-device-memory 200K -T %zu %s 07.ppm gpu.%s", 1 + f,
                     cases[c].words, formats[f]);
            forget_counts();
            assert_int_equal(run_line(line), 0);
            load_file("stderr", said, sizeof said);
            assert_int_equal(strstr(said, "side by side") != NULL, cases[c].banded);
            assert_true(!cases[c].banded || fake->runs[0] == 0 || fake->runs[0] >= 4);
            snprintf(by_cpu, sizeof by_cpu, "cpu.%s", formats[f]);
            snprintf(by_gpu, sizeof by_gpu, "gpu.%s", formats[f]);
            assert_true(same_files(by_cpu, by_gpu));
        }
    }
    check_left();
}

/* A full disk, and an input that ends early, while bands are on their way. */
TEST(test_bad_files)
{
    static const char *const lines[] = {
        "-f --device cuda --max-device-memory 200K --box 5 --format png 07.ppm /dev/full",
        "-f --device cuda --max-device-memory 200K --box 5 cut.png made.png",
        "-f --device auto --max-device-memory 200K --box 5 cut.png made.png"};
    fake->devices = 1;
    FILE *file = fopen("large.pgm", "wb"); /* several portions of the decoder */
    assert_non_null(file);
    fprintf(file, "P5\n1200 1200\n255\n");
    for (unsigned k = 0; k < 1200 * 1200; k++) {
        putc((int)((k * k >> 12 & 31) + k / 9000), file);
    }
    fclose(file);
    assert_int_equal(run_line("-f --device cpu --flip h large.pgm whole.png"), 0);
    long bytes = load_file("whole.png", want, sizeof want);
    assert_true(bytes < (long)sizeof want - 1);
    save_bytes("cut.png", want, (size_t)bytes * 7 / 8);
    save_file("made.png", "what was there before");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        forget_counts();
        int tries = 0;
        do { /* until a band was made before the decoder came to the end */
            assert_int_equal(run_line(lines[i]), 1);
        } while (i > 0 && fake->runs[0] == 0 && ++tries < 20);
        assert_true(i == 0 || fake->runs[0] > 0);
        load_file("stderr", said, sizeof said);
        assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1); /* one line */
        load_file("made.png", got, sizeof got);
        assert_string_equal(got, "what was there before");
        check_left();
    }
}

static double latest;
static int reports;
static bool stopping;

static int watch(void *user, double done)
{
    (void)user;
    assert_true(done >= latest && done <= 1);
    latest = done;
    reports++;
    return stopping && done > 0.3;
}

/* Each file that a context filters has its own progress, and can be stopped by itself. */
TEST(test_progress)
{
    SCOPED_FILTER *filter;
    fake->devices = 1;
    MUST(ctx, satf_context_set_device(ctx, SATF_CUDA(0)));
    satf_context_set_limit(ctx, SATF_LIMIT_DEVICE_MEMORY, 200000);
    satf_context_set_progress(ctx, watch, NULL);
    MUST(ctx, satf_filter_parse(ctx, "box=5", &filter));
    for (int i = 0; i < 4; i++) {
        stopping = i % 2;
        latest = 0;
        reports = 0;
        satf_file_report made;
        satf_status status =
            satf_filter_file(ctx, filter, "07.ppm", "made.png", NULL, &made, sizeof made);
        assert_int_equal(status, stopping ? SATF_CANCELLED : SATF_OK);
        assert_true(status || made.streamed);
        assert_true(reports > 3 && (stopping ? latest < 1 : latest == 1));
    }
}

/* Where a device does not hold two files, floats keep their bits: the second waits for the first.
 */
TEST(test_room)
{
    fake->devices = 1;
    static const char line[] = "--device cuda --engine sat --stddev 9 --box 31 --format npy -T 4";
    assert_int_equal(run_batch(line, "cpu"), 0); /* with room for all */
    size_t most = fake->most;
    fake->most = 0;
    for (int run = 0; run < 6; run++) {
        fake->room = most * (size_t)(10 + run) / 16;
        assert_int_equal(run_batch(line, "gpu"), 0);
        compare_as("npy", "little room");
    }
    fake->room = SIZE_MAX;
    check_left();
}

/* What cannot be used: an error where it was named, left out with a line among all. */
TEST(test_missing)
{
    static const char *const wrong[] = {"cuda:",      "cuda:1,",   "cuda:,1", "cuda:0;1",
                                        "cuda:all,1", "cuda:1024", "gpu"};
    fake->devices = 2;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char options[64];
        snprintf(options, sizeof options, "--device %s --box 3", wrong[i]);
        assert_int_equal(run_batch(options, "none"), 2);
    }
    assert_int_equal(run_batch("--device cuda:0,2 --box 3", "none"), 1);
    load_file("stderr", said, sizeof said);
    assert_non_null(strstr(said, "no CUDA device 2: there are 0 to 1"));
    fake->devices = 0;
    assert_int_equal(run_batch("--device cuda:all --box 3", "none"), 1);
    load_file("stderr", said, sizeof said);
    assert_non_null(strstr(said, "no CUDA device"));
    assert_int_equal(access("none", F_OK), -1);
    check_left();
}

/* A device that is lost in the middle of a batch. */
TEST(test_lost)
{
    fake->devices = 1;
    assert_int_equal(run_batch("--device cpu --box 5", "cpu"), 0);
    for (long k = 1; k < 400; k += 23) {
        fake_device_fail(fake, k, SATF_DEVICE_FAILED, true);
        assert_int_equal(run_batch("--device auto --box 5 -T 4", "gpu"), 0);
        fake_device_fail(fake, 0, SATF_OK, false);
        compare("a lost device");
        fake_device_fail(fake, k, SATF_DEVICE_FAILED, true);
        int status = run_batch("--device cuda --box 5 -T 4", "gpu");
        bool failed = fake->failed != NULL;
        fake_device_fail(fake, 0, SATF_OK, false);
        assert_true(status == 0 || failed);
        check_left();
    }
}

static int set_up(void **state)
{
    (void)state;
    fake = fake_device_load();
    if (!fake || !enter_folder("test_device_batch", dir)) {
        return 1;
    }
    for (int i = 0; i < FILES; i++) {
        write_picture(i);
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    return fake->contexts || fake->blocks || fake->events || fake->used || leave_folder(dir);
}

TEST_FILE(.begin = set_up, .end = tear_down)
