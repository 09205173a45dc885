/* The tuner without a device: what it measures, on a clock of the test's own, what it remembers,
 * and who goes by it. */
#include "test.h"

#include "base/context.h"
#include "base/device/gpu.h"
#include "base/memory.h"
#include "base/view.h"
#include "sat/cache.h"
#include "sat/algorithms.h"
#include "sat/stages.h"
#include "sat/tuner.h"

static satf_context *ctx;
static char folder[] = "/tmp/satfilter-tuner-XXXXXX";

/* ------------------------------------------------- rows, a device and a clock of the test's own */

static double clock_ms;
static double (*cost_ms)(const sat_job *job);
static double last_ms;        /* that the latest sample of the device lasted */
static int changed_pair = -1; /* of sat_tuned_job(), whose blocks are others then */
static bool changed_threads;  /* not in their side */
static satf_gpu_info device = {.name = "a device of the test", .driver = "a driver"};

static const char *refuses_two_channels(const sat_job *job)
{
    return job->in.channels == 2 ? "it has no blocks of two channels" : NULL;
}

static const char *refuses_more_channels(const sat_job *job)
{
    return job->in.channels > 1 ? "it has no blocks of so many channels" : NULL;
}

static satf_status pass_the_time(satf_context *of, const sat_job *job, void *scratch)
{
    (void)of;
    (void)scratch;
    clock_ms += cost_ms(job);
    return SATF_OK;
}

/* Two sides of blocks, each with two ways to wait. */
static bool four_variants(const sat_job *job, size_t index, sat_tuning *tuning)
{
    *tuning = (sat_tuning){index < 2 ? 64 : 32, 128, SAT_SYNC_LAUNCH, 0};
    tuning->sync = index % 2 ? SAT_SYNC_COOP : SAT_SYNC_LAUNCH;
    if (changed_pair >= 0) {
        sat_job other = sat_tuned_job(changed_pair);
        bool same = job->in.type == other.in.type && sat_table_type(job) == sat_table_type(&other);
        *(changed_threads ? &tuning->threads : &tuning->tile) *= same ? 2 : 1;
    }
    return index < 4;
}

static const sat_algorithm rows[] = {
    {.name = "1+r",
     .device_kind = "cuda",
     .refuses = refuses_two_channels,
     .run = pass_the_time,
     .variant = four_variants,
     .has_r = true},
    {.name = "1+r",
     .device_kind = "cpu",
     .refuses = refuses_two_channels,
     .run = pass_the_time,
     .has_r = true},
    {.name = "lookback",
     .device_kind = "cuda",
     .refuses = refuses_more_channels,
     .run = pass_the_time},
};

/* The linker puts these in the place of the calls of those names. */
const sat_algorithm *__real_sat_algorithm_find(const char *name, const char *device_kind);
const sat_algorithm *__wrap_sat_algorithm_find(const char *name, const char *device_kind);
const sat_algorithm *__wrap_sat_algorithm_at(size_t index);
const satf_backend *__real_satf_cuda(void);
const satf_backend *__wrap_satf_cuda(void);
double __wrap_satf_now_ms(void);

const sat_algorithm *__wrap_sat_algorithm_find(const char *name, const char *device_kind)
{
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        if (strcmp(rows[r].name, name) == 0 && strcmp(rows[r].device_kind, device_kind) == 0) {
            return &rows[r];
        }
    }
    return __real_sat_algorithm_find(name, device_kind);
}

const sat_algorithm *__wrap_sat_algorithm_at(size_t index)
{
    return index < sizeof rows / sizeof *rows ? &rows[index] : NULL;
}

static bool describe(int number, satf_gpu_info *info)
{
    *info = device;
    return number < SATF_CUDA(9);
}

static satf_status time_begin(satf_context *of, int number)
{
    (void)of;
    (void)number;
    last_ms = clock_ms;
    return SATF_OK;
}

static satf_status time_end(satf_context *of, int number, double *ms)
{
    (void)of;
    (void)number;
    *ms = last_ms = clock_ms - last_ms;
    return SATF_OK;
}

const satf_backend *__wrap_satf_cuda(void)
{
    static satf_backend backend;
    backend = *__real_satf_cuda();
    backend.describe = describe;
    backend.time_begin = time_begin;
    backend.time_end = time_end;
    return &backend;
}

double __wrap_satf_now_ms(void)
{
    return clock_ms;
}

/* --------------------------------------------------------------------- the file */

static sat_cache some_cache(void)
{
    sat_cache cache = {"0.1 64/128", "NVIDIA H200", "580.65.06, CUDA 13.0", 412, {0}};
    for (int i = 0; i < SAT_TUNED; i++) {
        cache.r[i] = i % 5 ? (i + 1) * 1000003 / 1e9 : 0;
    }
    return cache;
}

TEST_ALONE(test_reads_what_it_prints)
{
    sat_cache cache = some_cache(), again, none = {0};
    char *text = sat_cache_print(&cache);
    assert_true(text && sat_cache_parse(text, &again));
    assert_memory_equal(&cache, &again, sizeof cache);
    assert_non_null(strstr(text, "\nf64 f64 1024 3000009\n"));
    /* Cut short anywhere, or with a blank in it that no name has: nothing is taken. */
    size_t length = strlen(text);
    char *other = satf_alloc(length + 2);
    assert_non_null(other);
    for (size_t i = 0; i < length; i++) {
        memcpy(other, text, i);
        other[i] = '\0';
        assert_false(sat_cache_parse(other, &again));
        assert_memory_equal(&none, &again, sizeof none);
        other[i] = ' ';
        strcpy(other + i + 1, text + i);
        assert_true(!sat_cache_parse(other, &again) || text + i <= strstr(text, "\nstart"));
    }
    strcpy(other + length, "\n");
    assert_false(sat_cache_parse(other, &again));
    satf_free(other);
    satf_free(text);
}

TEST_ALONE(test_rejects_bad_values)
{
    static const char *const bad[] = {"1000000000", "-3", "0.5", "03",
                                      "x",          "+3", "3 3", "9999999999"};
    sat_cache again, none = some_cache();
    char *text = sat_cache_print(&none), other[8192];
    assert_non_null(text);
    const char *zero = strstr(text, " 0\n") + 1;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(other, sizeof other, "%.*s%s%s", (int)(zero - text), text, bad[i], zero + 1);
        assert_false(sat_cache_parse(other, &again));
    }
    snprintf(other, sizeof other, "%.*s999999999%s", (int)(zero - text), text, zero + 1);
    assert_true(sat_cache_parse(other, &again) && again.r[0] == 0.999999999);
    const char *start = strstr(text, "start 412");
    snprintf(other, sizeof other, "%.*sstart -3%s", (int)(start - text), text, start + 9);
    assert_false(sat_cache_parse(other, &again));
    satf_free(text);
}

TEST_ALONE(test_paths)
{
    char path[256];
    setenv("HOME", "/home/someone", 1);
    setenv("XDG_CACHE_HOME", "relative", 1);
    assert_true(sat_cache_path(SATF_CUDA(3), path, sizeof path));
    assert_string_equal(path, "/home/someone/.cache/satfilter/tuning-cuda3");
    assert_false(sat_cache_path(SATF_CUDA(3), path, 10));
    unsetenv("XDG_CACHE_HOME");
    assert_true(sat_cache_path(SATF_HOST, path, sizeof path));
    assert_string_equal(path, "/home/someone/.cache/satfilter/tuning-cpu");
    unsetenv("HOME");
    assert_false(sat_cache_path(SATF_HOST, path, sizeof path));
    assert_int_equal(satf_context_tune(ctx), SATF_IO);
    assert_non_null(strstr(satf_message(ctx), "set XDG_CACHE_HOME or HOME"));
    /* Found out before anything is measured. */
    setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
    assert_int_equal(satf_context_tune(ctx), SATF_IO);
    assert_non_null(
        strstr(satf_message(ctx), "/proc/nowhere/satfilter/tuning-cpu cannot be written: "));
    setenv("XDG_CACHE_HOME", folder, 1);
}

/* Takes the file of that device, and nothing else, out of its folder. */
static void remove_file(int number)
{
    char path[256];
    assert_true(sat_cache_path(number, path, sizeof path));
    assert_int_equal(unlink(path), 0);
    *strrchr(path, '/') = '\0';
    assert_int_equal(rmdir(path), 0);
}

/* A trial leaves nothing. A file in the folder's place is an error, which names what was wanted. */
TEST_ALONE(test_saves)
{
    char path[256];
    sat_cache cache = some_cache();
    assert_true(sat_cache_path(SATF_CUDA(1), path, sizeof path));
    MUST(ctx, sat_cache_save(ctx, SATF_CUDA(1), &cache, true));
    char *slash = strrchr(path, '/');
    *slash = '\0';
    assert_int_not_equal(access(path, F_OK), 0);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
    for (int trial = 0; trial < 2; trial++) {
        assert_int_equal(sat_cache_save(ctx, SATF_CUDA(1), &cache, trial), SATF_IO);
        assert_non_null(strstr(satf_message(ctx), "/satfilter/tuning-cuda1 cannot be written: "));
    }
    assert_int_equal(unlink(path), 0);
    *slash = '/';
    for (int times = 0; times < 2; times++) { /* new, and over an old one */
        MUST(ctx, sat_cache_save(ctx, SATF_CUDA(1), &cache, false));
    }
    remove_file(SATF_CUDA(1));
}

/* ----------------------------------------------------------------- who goes by it */

static sat_job job_of(int number, satf_type in, satf_type out, int64_t width, int64_t height)
{
    satf_view from = satf_view_packed(NULL, width, height, 1, in);
    satf_view to = satf_view_packed(NULL, width, height, 1, out);
    sat_job job = sat_job_of(&from, &to);
    job.in.device = number;
    return job;
}

static sat_tuning tuning_of(const char *algorithm, const sat_job *job)
{
    const sat_algorithm *row;
    sat_tuning tuning;
    MUST(ctx, satf_context_set_algorithm(ctx, algorithm));
    MUST(ctx, sat_choose(ctx, job, &row, &tuning));
    assert_string_equal(row->name, strcmp(algorithm, "auto") ? algorithm : "lookback");
    return tuning;
}

TEST_ALONE(test_finds_the_nearest)
{
    sat_cache cache = some_cache();
    const int f64 = 2, k1 = 0, k2 = SAT_TUNED_PAIRS, k18 = 12 * SAT_TUNED_PAIRS;
    cache.r[k2 + f64] = 0;
    cache.r[k2 + 3] = 0.5;
    MUST(ctx, sat_cache_save(ctx, SATF_CUDA(1), &cache, false));
    const struct {
        satf_type type;
        int64_t width, height;
        double r;
    } cases[] = {
        {SATF_F64, 1024, 1024, cache.r[k1 + f64]},
        {SATF_F64, 100, 3, cache.r[k1 + f64]},
        {SATF_F64, 80, 1 << 22, cache.r[k18 + f64]},   /* by its pixels */
        {SATF_F64, 1700, 1700, cache.r[k1 + f64]},     /* nothing is known of 2K */
        {SATF_F64, 1800, 1800, cache.r[2 * k2 + f64]}, /* nor here, and 3K is nearer */
        {SATF_F32, 2048, 2048, 0.5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sat_job job =
            job_of(SATF_CUDA(1), cases[i].type, cases[i].type, cases[i].width, cases[i].height);
        if (fabs(tuning_of("1+r", &job).r - cases[i].r) >= 1e-9) {
            fail_msg("case %zu: another r than %g", i, cases[i].r);
        }
    }
    remove_file(SATF_CUDA(1));
}

/* What is remembered is what nobody has asked for, and only for what was measured. */
TEST_ALONE(test_who_goes_by_it)
{
    sat_cache cache = {0};
    for (int i = 0; i < SAT_TUNED; i++) {
        cache.r[i] = 0.125;
    }
    sat_job job = job_of(SATF_CUDA(2), SATF_F64, SATF_F64, 8192, 8192);
    double reckoned = tuning_of("1+r", &job).r;
    assert_true(reckoned > 0 && reckoned != 0.125);
    MUST(ctx, sat_cache_save(ctx, SATF_CUDA(2), &cache, false));
    assert_true(tuning_of("1+r", &job).r == 0.125);
    assert_true(tuning_of("auto", &job).r == 0);
    setenv("SATFILTER_TUNE", "off", 1);
    assert_true(tuning_of("1+r", &job).r == reckoned);
    setenv("SATFILTER_TUNE", "", 1);
    MUST(ctx, satf_context_set_r(ctx, 0.5));
    assert_true(tuning_of("1+r", &job).r == 0.5);
    MUST(ctx, satf_context_set_r(ctx, 0));
    job.tuning.r = 0.75;
    assert_true(tuning_of("1+r", &job).r == 0.75);
    job.tuning = (sat_tuning){.tile = 64};
    assert_true(tuning_of("1+r", &job).r == reckoned);
    job.tuning = (sat_tuning){.threads = 128};
    assert_true(tuning_of("1+r", &job).r == reckoned);
    job.tuning = (sat_tuning){0};
    job.in.channels = 3;
    assert_true(tuning_of("1+r", &job).r != 0.125);
    /* Another device, name or driver: nothing is known. */
    job.in.channels = 1;
    job.in.device = SATF_CUDA(3);
    assert_true(tuning_of("1+r", &job).r == reckoned);
    job.in.device = SATF_CUDA(2);
    for (int k = 0; k < 3; k++) {
        device.name[0] = device.driver[0] = 'a';
        MUST(ctx, sat_cache_save(ctx, SATF_CUDA(2), &cache, false));
        device.name[0] = k == 1 ? 'A' : 'a';
        device.driver[0] = k == 2 ? 'A' : 'a';
        assert_int_equal(tuning_of("1+r", &job).r == 0.125, k == 0);
    }
    device.driver[0] = 'a';
    /* Nor of a build with other blocks for any pair of types. */
    for (int k = 0; k < 2 * SAT_TUNED_PAIRS; k++) {
        MUST(ctx, sat_cache_save(ctx, SATF_CUDA(2), &cache, false));
        changed_pair = k / 2;
        changed_threads = k % 2;
        assert_true(tuning_of("1+r", &job).r != 0.125);
        changed_pair = -1;
    }
    remove_file(SATF_CUDA(2));
}

/* However r came about, stages wait as costs least time for it. */
TEST_ALONE(test_reckons_the_way_to_wait)
{
    sat_job job = job_of(SATF_CUDA(4), SATF_F64, SATF_F64, 4096, 4096);
    job.tuning.r = sat_triangle_r(63, 64, 64);
    assert_int_equal(tuning_of("1+r", &job).sync, SAT_SYNC_LAUNCH);
    job.tuning.r = 0.25;
    assert_int_equal(tuning_of("1+r", &job).sync, SAT_SYNC_COOP);
    job.tuning.sync = SAT_SYNC_LAUNCH;
    assert_int_equal(tuning_of("1+r", &job).sync, SAT_SYNC_LAUNCH);
}

static void check_refusal(const sat_job *job, satf_status status, const char *word)
{
    const sat_algorithm *row;
    sat_tuning tuning;
    assert_int_equal(sat_choose(ctx, job, &row, &tuning), status);
    assert_non_null(strstr(satf_message(ctx), word));
}

TEST_ALONE(test_names_what_it_cannot_honour)
{
    static const char *const wrong[] = {"on", "random:1", "offf", "of"};
    sat_job there = job_of(SATF_CUDA(0), SATF_U8, SATF_U32, 100, 100), here = there;
    here.in.device = SATF_HOST;
    MUST(ctx, satf_context_set_algorithm(ctx, "1+r"));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        setenv("SATFILTER_TUNE", wrong[i], 1);
        check_refusal(&there, SATF_INVALID, wrong[i]);
    }
    unsetenv("SATFILTER_TUNE");
    MUST(ctx, satf_context_set_algorithm(ctx, "blocked"));
    check_refusal(&there, SATF_UNSUPPORTED, "blocked");
    MUST(ctx, satf_context_set_algorithm(ctx, "skss"));
    check_refusal(&here, SATF_UNSUPPORTED, "skss");
    MUST(ctx, satf_context_set_algorithm(ctx, "auto"));
    there.in.channels = 2;
    check_refusal(&there, SATF_UNSUPPORTED, "no blocks of so many channels");
    there.in.channels = 3; /* look-back refuses it, another row does not */
    const sat_algorithm *row;
    sat_tuning tuning;
    MUST(ctx, sat_choose(ctx, &there, &row, &tuning));
    assert_ptr_equal(row, &rows[0]);
    there.in.channels = 1;
    there.tuning.r = 0.5;
    check_refusal(&there, SATF_UNSUPPORTED, "r = 0.5");
    MUST(ctx, satf_context_set_sync(ctx, "coop"));
    check_refusal(&here, SATF_UNSUPPORTED, "sync coop");
    assert_int_equal(satf_context_set_sync(ctx, "never"), SATF_INVALID);
    assert_non_null(strstr(satf_message(ctx), "never"));
    assert_int_equal(satf_context_set_sync(ctx, NULL), SATF_INVALID);
    assert_int_equal(satf_context_set_sync(NULL, "auto"), SATF_INVALID);
    MUST(ctx, satf_context_set_sync(ctx, "auto"));
    assert_int_equal(satf_context_tune(NULL), SATF_INVALID);
}

/* ------------------------------------------------------------------- measuring */

static int good; /* the number of blocks' tenths of r that is the fastest */

/* Far below a sample. The clock slows down all the time, and the first run of a tuning is slow. */
static double slowing_cost(const sat_job *job)
{
    static double latest_r;
    double ms = (0.01 + 0.0004 * fabs(job->tuning.r - good / 40.0)) * (1 + clock_ms * 1e-5);
    ms += job->tuning.r == latest_r ? 0 : 1;
    latest_r = job->tuning.r;
    return ms;
}

TEST_ALONE(test_finds_the_fastest)
{
    enum { COUNT = 39 };
    sat_tuning tunings[COUNT] = {{0}};
    sat_job job = job_of(SATF_CUDA(0), SATF_F64, SATF_F64, 4096, 4096);
    MUST(ctx, satf_context_set_algorithm(ctx, "1+r"));
    for (int i = 0; i < COUNT; i++) {
        tunings[i].r = (i + 1) / 40.0;
    }
    cost_ms = slowing_cost;
    for (good = 1; good <= COUNT; good++) {
        int best = -1;
        MUST(ctx, sat_fastest(ctx, &job, tunings, COUNT, &best));
        assert_int_equal(best, good - 1);
        assert_true(last_ms >= SATF_SAMPLE_MS && last_ms < 3 * SATF_SAMPLE_MS);
    }
    int best = -1; /* what is refused does not count */
    tunings[good = 3].sync = SAT_SYNC_GRAPH;
    MUST(ctx, sat_fastest(ctx, &job, tunings, COUNT, &best));
    assert_true(best == 2 || best == 4);
    assert_int_equal(sat_fastest(ctx, &job, tunings + 3, 1, &best), SATF_UNSUPPORTED);
    assert_non_null(strstr(satf_message(ctx), "sync graph"));
}

/* Of the CPU, whose blocks are 256 wide: the side of the triangles that is the fastest. */
static int64_t best_side(const sat_job *job)
{
    int64_t most = job->in.width / SAT_CPU_BLOCK - 1;
    return 1 + (job->in.type * 3 + (int)sat_table_type(job)) % most;
}

static double cost_of_side(const sat_job *job)
{
    int64_t tiles = job->in.width / SAT_CPU_BLOCK;
    int64_t off = sat_triangle_side(job->tuning.r, tiles, tiles) - best_side(job);
    assert_true(((const unsigned char *)job->in.data)[job->in.stride * job->in.height - 1]);
    ((char *)job->out)[job->out_stride * job->in.height - 1] = 1;
    return 1.5 + 0.05 * (double)(off * off);
}

typedef struct watcher {
    double last;
    int calls, stop_at;
} watcher;

static int watch(void *user, double done)
{
    watcher *w = user;
    assert_true(done >= w->last && done <= 1);
    w->last = done;
    return ++w->calls == w->stop_at;
}

static double tuned_side(int i)
{
    sat_job job = sat_tuned_job(i);
    int64_t tiles = job.in.width / SAT_CPU_BLOCK;
    return (double)sat_triangle_side(tuning_of("1+r", &job).r, tiles, tiles);
}

/* Stopped, it leaves no file; done, one that this process and the next go by, for as many threads.
 * Images that the limit has no room for take the nearest. */
TEST_ALONE(test_tunes_the_cpu)
{
    char path[256];
    watcher w = {.stop_at = 40};
    cost_ms = cost_of_side;
    MUST(ctx, satf_context_set_limit(ctx, SATF_LIMIT_MEMORY, 64 << 20));
    MUST(ctx, satf_context_set_algorithm(ctx, "blocked"));
    MUST(ctx, satf_context_set_progress(ctx, watch, &w));
    MUST(ctx, satf_report_progress(ctx, 0.9)); /* of a call before it */
    w.last = 0;
    assert_int_equal(satf_context_tune(ctx), SATF_CANCELLED);
    assert_int_equal(w.calls, 40);
    assert_true(sat_cache_path(SATF_HOST, path, sizeof path));
    assert_int_not_equal(access(path, F_OK), 0);
    w = (watcher){0};
    MUST(ctx, satf_context_tune(ctx));
    assert_true(w.last > 0.1);
    assert_string_equal(ctx->settings.algorithm, "blocked");
    MUST(ctx, satf_context_set_progress(ctx, NULL, NULL));
    for (int i = 0; i < 2 * SAT_TUNED_PAIRS; i++) {
        sat_job job = sat_tuned_job(i);
        assert_true(tuned_side(i) == (double)best_side(&job));
    }
    /* f64 of 2K was the last that fits: 3K takes its r. */
    sat_job large = job_of(SATF_HOST, SATF_F64, SATF_F64, 3072, 3072), small = sat_tuned_job(9);
    assert_true(tuning_of("1+r", &large).r == tuning_of("1+r", &small).r);
    int threads = ctx->settings.threads;
    MUST(ctx, satf_context_set_threads(ctx, threads == 3 ? 5 : 3));
    assert_true(tuning_of("1+r", &small).r == 0);
    MUST(ctx, satf_context_set_threads(ctx, threads));
    assert_true(tuning_of("1+r", &small).r > 0);
    remove_file(SATF_HOST);
}

static double cost_of_seconds(const sat_job *job)
{
    return job->tuning.r < 0.3 ? 10e3 : 20e3;
}

/* No further image is begun after the cap. */
TEST_ALONE(test_ends_with_its_cap)
{
    double start_ms = clock_ms;
    cost_ms = cost_of_seconds;
    MUST(ctx, satf_context_tune(ctx));
    assert_true(clock_ms - start_ms < 600e3);
    sat_job first = sat_tuned_job(0), second = sat_tuned_job(1);
    assert_true(tuning_of("1+r", &first).r > 0 && tuning_of("1+r", &first).r < 0.3);
    assert_true(tuning_of("1+r", &second).r == 0);
    remove_file(SATF_HOST);
}

static int set_up(void **state)
{
    (void)state;
    unsetenv("SATFILTER_TUNE");
    return !mkdtemp(folder) || setenv("XDG_CACHE_HOME", folder, 1);
}

static int tear_down(void **state)
{
    (void)state;
    return rmdir(folder);
}

TEST_FILE(.begin = set_up, .end = tear_down, .context = &ctx)
