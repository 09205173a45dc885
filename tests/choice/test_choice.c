/* SATF_DEVICE_AUTO: when it takes a device (a fake one), by what the CPU takes, which is made up.
 */
#include "test.h"

#include <sys/wait.h>

#include "base/context.h"
#include "base/device/gpu.h"
#include "base/view.h"
#include "chain/filter.h"
#include "plan/plan.h"
#include "plan/step.h"
#include "sat/cache.h"

#define TESTS_FAKE_DEVICE_USER
#include "fake_device.h"

static fake_device *fake;
static satf_context *ctx, *aux;
static double filter_cost; /* what each filter takes on the CPU */
static bool started;

__typeof__(filter_ns) __real_filter_ns, __wrap_filter_ns;
double __wrap_filter_ns(const satf_context *of, const chain_link *link, bool on_device)
{
    return on_device ? __real_filter_ns(of, link, on_device) : filter_cost;
}

__typeof__(satf_gpu_has_started) __wrap_satf_gpu_has_started;
bool __wrap_satf_gpu_has_started(void)
{
    return started;
}

static bool takes_device(const satf_context *of, const char *spec, int64_t side, filter_job job)
{
    SCOPED_FILTER *filter;
    char why[FILTER_WHY_BYTES];
    satf_view in = satf_view_packed(NULL, side, side, 1, SATF_U8), out;
    assert_int_equal(satf_filter_parse(ctx, spec, &filter), SATF_OK);
    assert_int_equal(satf_filter_output(ctx, filter, &in, &out), SATF_OK);
    fake->calls = 0;
    bool taken = filter_choose_device(of, filter, &in, &out, &job, why) > SATF_HOST;
    assert_int_equal(taken, why[0] == '\0');
    assert_true(taken || fake->calls == 0);
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

/* Less than a device's start: no driver is touched. */
TEST_ALONE(test_small)
{
    started = false;
    filter_cost = 1000;
    assert_false(takes_device(ctx, "box=9", 512, (filter_job){0}));
    filter_cost = 10;
    assert_false(takes_device(ctx, "box=9", 4096, (filter_job){.flows_on_host = true}));
    assert_int_equal(fake->calls, 0);
}

/* 16384 squared: 268 million samples, 67 ms of copies, 300 of a start, 107 of fresh memory for each
 * image that flows through a device; 4 threads. */
TEST_ALONE(test_one)
{
    const filter_job memory = {0};
    const filter_job flows = {.flows_on_host = true, .flows_on_device = true, .files = 1};
    filter_job coded = flows, apart = flows;
    started = false;
    filter_cost = 1;
    assert_false(takes_device(ctx, "box=9", 16384, flows));
    assert_int_equal(fake->calls, 0);
    filter_cost = 4.8;
    assert_false(takes_device(ctx, "box=9", 16384, flows));
    filter_cost = 8;
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
    apart.flows_on_device = false;
    apart.decode_ns = apart.encode_ns = 1;
    assert_false(takes_device(ctx, "box=9", 16384, apart));
    filter_cost = 16;
    assert_true(takes_device(ctx, "box=9", 16384, apart));
    /* all filters are shared out among all threads, those that flow and */
    filter_cost = 1.2;
    assert_false(takes_device(ctx, "box=9 box=5 unsharp=3", 16384, flows));
    filter_cost = 4;
    assert_true(takes_device(ctx, "box=9 box=5 unsharp=3", 16384, flows));
    /* whole images */
    filter_cost = 5;
    assert_false(takes_device(ctx, "box=9", 16384, memory));
    assert_true(takes_device(ctx, "box=9 box=5", 16384, memory));
    /* what is started costs its copies alone */
    started = true;
    filter_cost = 1.2;
    assert_true(takes_device(ctx, "box=9", 16384, memory));
    filter_cost = 0.9;
    assert_false(takes_device(ctx, "box=9", 16384, memory));
}

/* A start is shared out among the files of a batch, in which all threads work anyway. */
TEST_ALONE(test_batch)
{
    const filter_job few = {.decode_ns = 1, .encode_ns = 4, .files = 4};
    filter_job many = few;
    many.files = 1000;
    started = false;
    filter_cost = 20;
    assert_false(takes_device(aux, "box=9", 2048, few));
    assert_true(takes_device(aux, "box=9", 2048, many));
    filter_cost = 0.2; /* less than the copies take of a thread */
    assert_false(takes_device(aux, "box=9", 2048, many));
    started = true;
    assert_false(takes_device(aux, "box=9", 2048, few));
    filter_cost = 2;
    assert_true(takes_device(aux, "box=9", 2048, few));
}

static double real_ns(const char *spec)
{
    SCOPED_FILTER *filter;
    assert_int_equal(satf_filter_parse(ctx, spec, &filter), SATF_OK);
    return __real_filter_ns(ctx, &filter->links[0], false);
}

/* Of what a sample costs: two sums are twice one, and three passes as much as each of them. */
TEST_ALONE(test_costs)
{
    assert_true(real_ns("box=9") > 0);
    assert_true(real_ns("variance=9") == 2 * real_ns("box=9"));
    assert_true(real_ns("guided=9") > 2 * real_ns("box=9"));
    assert_true(real_ns("flip=h") < real_ns("box=9"));
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
