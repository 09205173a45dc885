/*
 * A device whose runtime fails at each of its calls in turn (failing.cu), once or from then on.
 * Where it was named that is an error, where it was chosen the CPU goes on; nothing is left behind.
 */
#include "program.h"

#include <dlfcn.h>

#include "base/device/backend.h"
#include "filter_make.h"
#include "failing.h"

/* Large enough to cross by pinned memory, and for tiles where memory is short. */
enum { W = 1500, H = 901, SAMPLES = W * H, MOST = SAMPLES * 8, UNTOUCHED = 0x77 };

static gpu_failing *failing;
static uint8_t image[SAMPLES];
static unsigned char want[MOST], got[MOST];

/* cudaErrorLaunchFailure and cudaErrorMemoryAllocation. */
static const struct {
    int error, lost;
} modes[] = {{719, 1}, {719, 0}, {2, 0}};
enum { MODES = sizeof modes / sizeof *modes };

typedef struct work {
    const char *spec;
    bool by_plan;
    satf_filter *filter;
    satf_view in, out;
    size_t bytes;
} work;

static void fail_from(long k, int mode)
{
    *failing = (gpu_failing){
        .fail_at = k, .error = modes[mode].error, .lost = modes[mode].lost, .live = failing->live};
}

static satf_status run_plan(satf_context *ctx, const work *w)
{
    satf_plan *plan;
    satf_status status = satf_plan_create(ctx, w->filter, &w->in, 1, &w->out, 1, &plan);
    status = status ? status : satf_plan_run(plan, &w->in, 1, &w->out, 1);
    if (!status && memcmp(got, want, w->bytes) != 0) {
        fail_msg("a plan of %s: a wrong picture", w->spec);
    }
    satf_plan_destroy(plan);
    return status;
}

/* One run on a context of its own in which call k fails; *ended: whether all went through. waits:
 * behind that call nothing needs to fail. */
static long check_run(const work *w, int device, int mode, long k, long waits, bool *ended)
{
    satf_context *ctx;
    assert_int_equal(satf_context_create(&ctx), SATF_OK);
    MUST(ctx, satf_context_set_device(ctx, device));
    memset(got, UNTOUCHED, w->bytes);
    fail_from(k, mode);
    satf_status status =
        w->by_plan ? run_plan(ctx, w) : satf_filter_apply(ctx, w->filter, &w->in, &w->out);
    bool untouched = failing->failed && (!failing->back || k < failing->back) && !w->by_plan;
    waits = k > 0 ? waits : failing->waits;
    *ended = !failing->failed;
    if (!status && memcmp(got, want, w->bytes) != 0) {
        fail_msg("%s, call %ld fails (%s): a wrong picture", w->spec, k, failing->failed);
    }
    bool named = device != SATF_DEVICE_AUTO, must_fail = named && modes[mode].lost && k <= waits;
    if ((status && (!named || *ended || !*satf_message(ctx))) ||
        (!status && k > 0 && must_fail && !*ended)) {
        fail_msg("%s, call %ld fails (%s): %s: %s", w->spec, k, failing->failed,
                 satf_status_name(status), satf_message(ctx));
    }
    for (size_t i = 0; i < w->bytes && status && untouched; i++) {
        assert_int_equal(got[i], UNTOUCHED);
    }
    fail_from(0, 0);
    satf_context_destroy(ctx);
    if (failing->live) {
        fail_msg("%s, call %ld fails: %ld allocations are left", w->spec, k, failing->live);
    }
    gpu_runs++;
    return waits;
}

static void fail_all(const work *w)
{
    static const int devices[] = {GPU_DEVICE, SATF_DEVICE_AUTO};
    for (int d = 0; d < (gpu_small ? 1 : 2); d++) {
        bool ended;
        check_run(w, devices[d], 0, 0, 0, &ended); /* what is looked up once a process */
        long waits = check_run(w, devices[d], 0, 0, 0, &ended);
        for (int mode = 0; mode < (gpu_small ? 1 : MODES); mode++) {
            ended = false;
            for (long k = 1; !ended; k++) {
                assert_true(k < 2000);
                check_run(w, devices[d], mode, k, waits, &ended);
            }
        }
    }
}

TEST_ALONE(test_faults)
{
    static const struct {
        const char *spec;
        bool by_plan;
    } cases[] = {{"box=5", false},   {"box=5", true},      {"box=99", false},
                 {"wolf=5", false},  {"sauvola=9", false}, {"template", false},
                 {"integral", true}, {"rotate=90", false}, {"box=5 sum=3,border=shrink", false}};
    for (size_t i = 0; i < sizeof image; i++) {
        image[i] = (uint8_t)(i * i >> 7);
    }
    for (size_t i = 0; i < (gpu_small ? 1 : sizeof cases / sizeof *cases); i++) {
        const filter_info *info = filter_info_find(cases[i].spec);
        work w = {.spec = cases[i].spec, .by_plan = cases[i].by_plan};
        w.in = satf_view_packed(image, W, H, 1, SATF_U8);
        w.filter = info ? make_filter_of(cpu, info, SATF_BORDER_CLAMP, "5x7", "0:0", W, H)
                        : parse_filter(cpu, w.spec);
        MUST(cpu, satf_filter_output(cpu, w.filter, &w.in, &w.out));
        w.bytes = (size_t)w.out.stride * (size_t)w.out.height;
        w.out.data = want;
        MUST(cpu, satf_filter_apply(cpu, w.filter, &w.in, &w.out));
        w.out.data = got;
        fail_all(&w);
        satf_filter_destroy(w.filter);
    }
}

/* Beside this program, or in libtool's folder there. */
static bool open_failing(void)
{
    char path[SATF_PATH_BYTES];
    if (!satf_beside(&failing, ".libs/failing.so", path) &&
        !satf_beside(&failing, "failing.so", path)) {
        return false;
    }
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    setenv("SATFILTER_CUDA", path, 1);
    setenv("SATFILTER_TUNE", "off", 1);
    failing = object ? dlsym(object, GPU_FAILING_NAME) : NULL;
    return failing != NULL;
}

static int begin(void **state)
{
    if (!open_failing()) {
        fprintf(stderr, "failing.so is missing: %s\n", dlerror());
        return 1;
    }
    gpu_need_device();
    (void)state;
    return satf_context_create(&cpu) != SATF_OK;
}

GPU_TEST_FILE_WITH(begin, gpu_end);
