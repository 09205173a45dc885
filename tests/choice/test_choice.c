/* SATF_DEVICE_AUTO: when it takes a device (a fake one), by what the CPU takes, which is made up.
 */
#include "test.h"

#include <sys/wait.h>

#include "base/clock.h"
#include "base/context.h"
#include "base/device/gpu.h"
#include "base/view.h"
#include "chain/filter.h"
#include "plan/plan.h"
#include "plan/probe.h"
#include "sat/cache.h"

#define TESTS_FAKE_DEVICE_USER
#include "fake_device.h"

static fake_device *fake;
static satf_context *ctx, *aux;
static double probe_ns; /* what each filter takes; below 0: what it really does */
static int probes;
static bool started;

__typeof__(filter_probe_ns) __real_filter_probe_ns, __wrap_filter_probe_ns;
double __wrap_filter_probe_ns(const satf_context *of, const chain_link *link, const satf_view *in)
{
    probes++;
    return probe_ns < 0 ? __real_filter_probe_ns(of, link, in) : probe_ns;
}

__typeof__(satf_gpu_has_started) __wrap_satf_gpu_has_started;
bool __wrap_satf_gpu_has_started(void)
{
    return started;
}

/* Time that runs of plans take, made up: of each row so many ms, 500 before the first one, and
 * 100 more every second run. */
static double now_ms, row_ms;
static int runs;
static int64_t run_row_samples;

__typeof__(satf_now_ms) __wrap_satf_now_ms;
double __wrap_satf_now_ms(void)
{
    return now_ms;
}

__typeof__(filter_plan_run) __real_filter_plan_run, __wrap_filter_plan_run;
satf_status __wrap_filter_plan_run(satf_context *of, satf_plan *plan, const plan_images *images)
{
    run_row_samples = satf_row_samples(&plan->in);
    now_ms += 500 + (runs++ % 2 ? 100 : 0) + row_ms * (double)plan->in.height;
    return __real_filter_plan_run(of, plan, images);
}

static bool takes_device(const satf_context *of, const char *spec, int64_t side, filter_job job)
{
    SCOPED_FILTER *filter;
    char why[FILTER_WHY_BYTES];
    satf_view in = satf_view_packed(NULL, side, side, 1, SATF_U8), out;
    assert_int_equal(satf_filter_parse(ctx, spec, &filter), SATF_OK);
    assert_int_equal(satf_filter_output(ctx, filter, &in, &out), SATF_OK);
    fake->calls = 0;
    probes = 0;
    bool taken = filter_choose_device(of, filter, &in, &out, &job, why) > SATF_HOST;
    assert_int_equal(taken, why[0] == '\0');
    return taken;
}

/* In a process of its own, for a file is read once: what it takes the start for where a tuning has
 * measured so many ms, and those bytes are put behind its file. */
static double start_in_child(int measured_ms, const char *more, const char *mode)
{
    int ends[2];
    double ms = -1;
    assert_int_equal(pipe(ends), 0);
    if (fork() == 0) {
        char path[256];
        sat_cache cache = {.start_ms = measured_ms};
        setenv("SATFILTER_TUNE", mode, 1);
        bool saved = !sat_cache_save(ctx, SATF_CUDA(0), &cache, false) &&
                     sat_cache_path(SATF_CUDA(0), path, sizeof path);
        FILE *file = saved ? fopen(path, "a") : NULL;
        if (file) {
            fputs(more, file);
            fclose(file);
            ms = sat_cache_start_ms();
        }
        _exit(write(ends[1], &ms, sizeof ms) != sizeof ms);
    }
    assert_int_equal(read(ends[0], &ms, sizeof ms), sizeof ms);
    close(ends[0]);
    close(ends[1]);
    assert_true(wait(NULL) > 0);
    return ms;
}

/* What --tune has measured of the start. First: what is read once is not read yet. */
TEST_ALONE(test_start)
{
    char folder[] = "/tmp/satfilter-choice-XXXXXX", path[256];
    assert_non_null(mkdtemp(folder));
    setenv("XDG_CACHE_HOME", folder, 1);
    assert_true(start_in_child(412, "", "") == 412);
    assert_true(start_in_child(0, "", "") == 0);
    assert_true(start_in_child(77, "", "off") == 0);
    assert_true(start_in_child(77, "x", "") == 0);
    assert_true(sat_cache_path(SATF_CUDA(0), path, sizeof path));
    assert_int_equal(unlink(path), 0);
    *strrchr(path, '/') = '\0';
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

/* Far from worth a device: nothing is tried, and no driver touched. */
TEST_ALONE(test_small)
{
    started = false;
    probe_ns = 1000;
    assert_false(takes_device(ctx, "box=9", 512, (filter_job){0}));
    assert_false(takes_device(ctx, "box=9", 4096, (filter_job){.flows_here = true}));
    assert_int_equal(probes, 0);
    assert_int_equal(fake->calls, 0);
}

/* 16384 squared: 268 million samples, 67 ms of copies, 300 of a start, 107 of fresh memory for each
 * image that flows through a device; 4 threads. */
TEST_ALONE(test_one)
{
    const filter_job memory = {0};
    const filter_job flows = {.flows_here = true, .flows_there = true, .files = 1};
    filter_job coded = flows, apart = flows;
    started = false;
    probe_ns = 0.25;
    assert_false(takes_device(ctx, "box=9", 16384, flows));
    assert_int_equal(probes, 1);
    assert_int_equal(fake->calls, 0);
    probe_ns = 1.2;
    assert_false(takes_device(ctx, "box=9", 16384, flows));
    probe_ns = 2;
    assert_true(takes_device(ctx, "box=9", 16384, flows));
    /* nobody waits for filters that are faster than the codecs beside them */
    coded.decode_ns = 2;
    assert_false(takes_device(ctx, "box=9", 16384, coded));
    coded.decode_ns = 0;
    coded.encode_ns = 2;
    assert_false(takes_device(ctx, "box=9", 16384, coded));
    coded.encodes_on_all = true; /* 0.5 */
    assert_true(takes_device(ctx, "box=9", 16384, coded));
    /* what a device does not do beside its codecs comes before and after them */
    apart.flows_there = false;
    apart.decode_ns = apart.encode_ns = 1;
    assert_false(takes_device(ctx, "box=9", 16384, apart));
    probe_ns = 4;
    assert_true(takes_device(ctx, "box=9", 16384, apart));
    /* filters that flow are on a thread each: the slowest counts, not their sum */
    probe_ns = 1.2;
    assert_false(takes_device(ctx, "box=9 box=5 unsharp=3", 16384, flows));
    assert_int_equal(probes, 3);
    /* whole images are shared out among all threads */
    probe_ns = 5;
    assert_false(takes_device(ctx, "box=9", 16384, memory));
    assert_true(takes_device(ctx, "box=9 box=5", 16384, memory));
    /* what is started costs its copies alone */
    started = true;
    probe_ns = 1.2;
    assert_true(takes_device(ctx, "box=9", 16384, memory));
    probe_ns = 0.9;
    assert_false(takes_device(ctx, "box=9", 16384, memory));
}

/* A start is shared out among the files of a batch, in which all threads work anyway. */
TEST_ALONE(test_batch)
{
    const filter_job few = {.decode_ns = 1, .encode_ns = 4, .files = 4};
    filter_job many = few;
    many.files = 1000;
    started = false;
    probe_ns = 20;
    assert_false(takes_device(aux, "box=9", 2048, few));
    assert_true(takes_device(aux, "box=9", 2048, many));
    probe_ns = 0.2; /* less than the copies take of a thread */
    assert_false(takes_device(aux, "box=9", 2048, many));
    assert_int_equal(probes, 1);
    started = true;
    assert_false(takes_device(aux, "box=9", 2048, few));
    probe_ns = 2;
    assert_true(takes_device(aux, "box=9", 2048, few));
}

/* A probe takes what 64 more rows take, by the least of two runs, and remembers it. */
TEST_ALONE(test_probe)
{
    static const char *const specs[] = {"box=9", "variance=31", "guided=5", "flip=h", "integral"};
    satf_view in = satf_view_packed(NULL, 9000, 9000, 3, SATF_U8);
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        SCOPED_FILTER *filter;
        assert_int_equal(satf_filter_parse(ctx, specs[i], &filter), SATF_OK);
        row_ms = 1 + (double)i;
        double ns = __real_filter_probe_ns(ctx, &filter->links[0], &in);
        assert_true(fabs(ns - row_ms * 1e6 / (double)run_row_samples) < 1e-6 * ns);
        assert_int_equal(runs, 4); /* of two heights */
        row_ms = 1000;
        assert_true(ns == __real_filter_probe_ns(ctx, &filter->links[0], &in));
        assert_int_equal(runs, 4);
        runs = 0;
    }
    row_ms = 0; /* the clock may stand still */
    SCOPED_FILTER *sauvola;
    assert_int_equal(satf_filter_parse(ctx, "sauvola=5", &sauvola), SATF_OK);
    in.type = SATF_F32;
    assert_true(__real_filter_probe_ns(ctx, &sauvola->links[0], &in) > 0);
}

static int set_up(void **state)
{
    (void)state;
    fake = fake_device_load();
    if (!fake || satf_context_create(&ctx) || satf_context_set_threads(ctx, 4) ||
        satf_context_share(ctx, &aux)) {
        return 1;
    }
    return satf_context_set_device(ctx, SATF_DEVICE_AUTO);
}

static int tear_down(void **state)
{
    (void)state;
    satf_context_destroy(aux);
    satf_context_destroy(ctx);
    return 0;
}

TEST_FILE(.begin = set_up, .end = tear_down)
