/*
 * Plans on a CUDA device: runs only enqueue, on whatever stream, and can be captured into graphs.
 */
#include "program.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/base/view.h"
#include "../../src/sat/sat.h"

enum { W = 333, H = 222, CHANNELS = 3, IMAGES = 3, RUNS = 12, MOST = W * H * CHANNELS * 8 };

/* ------------------------------------------------------------------ what runs may not do */

static int allocations, clearings, decisions;
static bool is_full; /* the device's memory */

/* The linker leads these calls here (--wrap). */
const satf_backend *__real_satf_cuda(void);
const satf_backend *__wrap_satf_cuda(void);

static satf_status allocate(satf_context *ctx, int device, size_t bytes, const char *what,
                            void **memory)
{
    allocations++;
    if (is_full) {
        return satf_fail(ctx, SATF_NO_MEMORY, "the test says that it is full");
    }
    return __real_satf_cuda()->alloc(ctx, device, bytes, what, memory);
}

static satf_status clear(satf_context *ctx, int device, void *memory, int value, size_t bytes)
{
    clearings++;
    return __real_satf_cuda()->set_bytes(ctx, device, memory, value, bytes);
}

const satf_backend *__wrap_satf_cuda(void)
{
    static satf_backend backend;
    backend = *__real_satf_cuda();
    backend.alloc = allocate;
    backend.set_bytes = clear;
    return &backend;
}

satf_status __real_sat_plan_make(satf_context *ctx, const sat_job *job, sat_plan *plan);
satf_status __wrap_sat_plan_make(satf_context *ctx, const sat_job *job, sat_plan *plan);
satf_status __wrap_sat_plan_make(satf_context *ctx, const sat_job *job, sat_plan *plan)
{
    decisions++;
    return __real_sat_plan_make(ctx, job, plan);
}

/* ------------------------------------------------------------------------- the driver */

typedef void *handle;

static struct {
    int (*stream_create)(handle *, unsigned);
    int (*stream_destroy)(handle);
    int (*stream_wait)(handle);
    int (*capture)(handle, int);
    int (*end_capture)(handle, handle *);
    int (*instantiate)(handle *, handle, unsigned long long);
    int (*launch)(handle, handle);
    int (*destroy)(handle);
    int (*exec_destroy)(handle);
    int (*set_current)(handle);
    int (*retain)(handle *, int);
    int (*release)(int);
} driver;

static bool find_driver(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    const struct {
        const char *name;
        void *to;
    } calls[] = {{"cuStreamCreate", &driver.stream_create},
                 {"cuStreamDestroy_v2", &driver.stream_destroy},
                 {"cuStreamSynchronize", &driver.stream_wait},
                 {"cuStreamBeginCapture_v2", &driver.capture},
                 {"cuStreamEndCapture", &driver.end_capture},
                 {"cuGraphInstantiateWithFlags", &driver.instantiate},
                 {"cuGraphLaunch", &driver.launch},
                 {"cuGraphDestroy", &driver.destroy},
                 {"cuGraphExecDestroy", &driver.exec_destroy},
                 {"cuCtxSetCurrent", &driver.set_current},
                 {"cuDevicePrimaryCtxRetain", &driver.retain},
                 {"cuDevicePrimaryCtxRelease_v2", &driver.release}};
    for (size_t i = 0; library && i < sizeof calls / sizeof *calls; i++) {
        void *call = dlsym(library, calls[i].name);
        if (!call) {
            return false;
        }
        memcpy(calls[i].to, &call, sizeof call);
    }
    return library != NULL;
}

enum { NON_BLOCKING = 1, RELAXED = 2 };

/* ------------------------------------------------------------------------------ images */

/* Images on the device, and what the CPU makes of them. */
typedef struct images {
    satf_filter *filter;
    satf_plan *plan;
    satf_view in[IMAGES], out; /* out: without data */
    void *result[IMAGES], *want[IMAGES];
    size_t bytes; /* of a result */
} images;

static void *pixels_of(unsigned seed)
{
    uint8_t *pixels = malloc(W * H * CHANNELS);
    assert_non_null(pixels);
    for (unsigned i = 0; i < W * H * CHANNELS; i++) {
        pixels[i] = (uint8_t)((i + 1) * (seed * 2 + 2654435761u) >> 24);
    }
    return pixels;
}

static satf_filter *make_filter(const char *spec)
{
    satf_filter *filter;
    static const satf_weighted_rect rects[] = {{{-3, -2, 5, 7}, 1}, {{0, 0, 2, 2}, -0.5}};
    if (strcmp(spec, "template") == 0) {
        gpu_must(gpu, satf_filter_create(gpu, spec, &filter));
        gpu_must(gpu, satf_filter_set_rects(gpu, filter, rects, 2));
    } else if (strcmp(spec, "permute") == 0) {
        int64_t *order = malloc(W * H * sizeof *order);
        for (int64_t i = 0; i < W * H; i++) {
            order[i] = i * 5 % (W * H);
        }
        gpu_must(gpu, satf_filter_create(gpu, spec, &filter));
        gpu_must(gpu, satf_filter_set_order(gpu, filter, order, W * H));
        free(order);
    } else {
        gpu_must_do(gpu, satf_filter_parse(gpu, spec, &filter), spec);
    }
    return filter;
}

static void make_images(const char *spec, images *m)
{
    satf_view out;
    m->filter = make_filter(spec);
    for (unsigned i = 0; i < IMAGES; i++) {
        satf_view view = satf_view_packed(pixels_of(i), W, H, CHANNELS, SATF_U8);
        m->in[i] = view;
        m->in[i].device = GPU_DEVICE;
        gpu_must(cpu, satf_filter_output(cpu, m->filter, &view, &out));
        m->bytes = (size_t)(out.stride * out.height);
        out.data = m->want[i] = malloc(m->bytes);
        gpu_must_do(cpu, gpu_apply_here(m->filter, &view, &out), spec);
        gpu_must(gpu,
                 satf_cuda()->alloc(gpu, GPU_DEVICE, W * H * CHANNELS, "a test", &m->in[i].data));
        gpu_must(gpu, satf_cuda()->alloc(gpu, GPU_DEVICE, m->bytes, "a test", &m->result[i]));
        gpu_must(gpu, satf_cuda()->copy_bytes(gpu, GPU_DEVICE, m->in[i].data, view.data,
                                              W * H * CHANNELS));
        gpu_must(gpu, satf_cuda()->wait(gpu, GPU_DEVICE));
        free(view.data);
    }
    m->out = out;
    m->out.data = NULL;
    m->out.device = GPU_DEVICE;
    if (satf_plan_create(gpu, m->filter, &m->in[0], 1, &m->out, 1, &m->plan)) {
        fail_msg("%s: %s", spec, satf_message(gpu));
    }
}

static void release_images(images *m)
{
    satf_plan_destroy(m->plan);
    satf_filter_destroy(m->filter);
    for (int i = 0; i < IMAGES; i++) {
        satf_cuda()->free(gpu, m->in[i].data);
        satf_cuda()->free(gpu, m->result[i]);
        free(m->want[i]);
    }
    gpu_must(gpu, satf_cuda()->wait(gpu, GPU_DEVICE));
}

static void run(images *m, int image)
{
    satf_view out = m->out;
    out.data = m->result[image];
    gpu_must_do(gpu, satf_plan_run(m->plan, &m->in[image], 1, &out, 1), "a plan");
}

/* What the device has made of an image, which is spoilt then for the next time. */
static void check(images *m, int image, const char *what)
{
    static char got[MOST];
    gpu_must(gpu, satf_cuda()->copy_bytes(gpu, GPU_DEVICE, got, m->result[image], m->bytes));
    gpu_must(gpu, satf_cuda()->wait(gpu, GPU_DEVICE));
    if (memcmp(got, m->want[image], m->bytes) != 0) {
        fail_msg("%s: another result", what);
    }
    gpu_must(gpu,
             satf_cuda()->copy_bytes(gpu, GPU_DEVICE, m->result[image], m->in[image].data, 100));
    gpu_must(gpu, satf_cuda()->wait(gpu, GPU_DEVICE));
    gpu_runs++;
}

static const char *const specs[] = {"box=15",
                                    "variance=7,border=wrap",
                                    "sauvola=9",
                                    "unsharp=5 box=3 rotate=90",
                                    "integral",
                                    "integral,squared",
                                    "transpose",
                                    "box=5,border=constant:7 unsharp=3 box=2",
                                    "guided=7 box=3",
                                    "wolf=5",
                                    "box=3 threshold=otsu",
                                    "box=4,border=valid stddev=7,border=valid",
                                    "box=5 integral,zeros",
                                    "template",
                                    "permute"};
enum { SPECS = sizeof specs / sizeof *specs };

/* ------------------------------------------------------------------------------- tests */

/* One behind the other, with nobody waiting: nothing is allocated, cleared or decided. */
static void test_runs(void **unused)
{
    (void)unused;
    for (int s = 0; s < SPECS; s++) {
        images m;
        make_images(specs[s], &m);
        run(&m, 0);
        int before = allocations + clearings + decisions;
        for (int i = 1; i < RUNS; i++) {
            run(&m, i % IMAGES);
        }
        before += strncmp(specs[s], "wolf", 4) == 0 ? RUNS - 1 : 0; /* the reduction's extremes */
        assert_int_equal(allocations + clearings + decisions, before);
        for (int i = 0; i < IMAGES; i++) {
            check(&m, i, specs[s]);
        }
        release_images(&m);
    }
}

/* Streams take turns with a plan, whose memory they share. */
static void test_streams(void **unused)
{
    (void)unused;
    handle stream[2];
    for (int i = 0; i < 2; i++) {
        assert_int_equal(driver.stream_create(&stream[i], NON_BLOCKING), 0);
    }
    for (int s = 0; s < SPECS; s++) {
        images m;
        make_images(specs[s], &m);
        for (int i = 0; i < RUNS; i++) {
            gpu_must(gpu, satf_context_set_stream(gpu, stream[i % 2]));
            run(&m, i % IMAGES);
        }
        for (int i = 0; i < 2; i++) {
            assert_int_equal(driver.stream_wait(stream[i]), 0);
        }
        gpu_must(gpu, satf_context_use_own_stream(gpu));
        for (int i = 0; i < IMAGES; i++) {
            check(&m, i, specs[s]);
        }
        release_images(&m);
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(driver.stream_destroy(stream[i]), 0);
    }
}

/* Memory that others take once filters are gone: it holds no rectangles. */
static void use_freed_memory(void)
{
    enum { BLOCKS = 32 };
    void *memory[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) {
        size_t bytes = i % 2 ? (size_t)64 << i % 8 : W * H * sizeof(uint32_t) + 64;
        memory[i] = malloc(bytes);
        memset(memory[i], 0xEE, bytes);
    }
    for (int i = 0; i < BLOCKS; i++) {
        free(memory[i]);
    }
}

/* The graph of a run of image 0, by the plan or by satf_filter_apply() of a filter that is gone
 * when it is launched. */
static handle capture(images *m, const char *spec, handle stream, bool by_plan)
{
    handle graph, exec;
    satf_filter *filter = make_filter(spec);
    gpu_must(gpu, satf_context_set_stream(gpu, stream));
    assert_int_equal(driver.capture(stream, RELAXED), 0);
    satf_plan *none;
    assert_int_equal(satf_plan_create(gpu, m->filter, &m->in[0], 1, &m->out, 1, &none),
                     SATF_UNSUPPORTED);
    assert_null(none);
    if (by_plan) {
        run(m, 0);
    } else {
        satf_view out = m->out;
        out.data = m->result[0];
        gpu_must(gpu, satf_filter_apply(gpu, filter, &m->in[0], &out));
    }
    satf_filter_destroy(filter);
    use_freed_memory();
    assert_int_equal(driver.end_capture(stream, &graph), 0);
    assert_int_equal(driver.instantiate(&exec, graph, 0), 0);
    assert_int_equal(driver.destroy(graph), 0);
    return exec;
}

/* Launches between other runs of the plan, and behind calls that take the context's memory. */
static void test_graphs(void **unused)
{
    (void)unused;
    handle stream;
    images other;
    assert_int_equal(driver.stream_create(&stream, NON_BLOCKING), 0);
    make_images("stddev=3", &other);
    for (int s = 0; s < 2 * SPECS; s++) {
        images m;
        make_images(specs[s / 2], &m);
        handle graph = capture(&m, specs[s / 2], stream, s % 2);
        for (int turn = 0; turn < 3; turn++) {
            assert_int_equal(driver.launch(graph, stream), 0);
            run(&m, 1);
            satf_view out = other.out;
            out.data = other.result[turn];
            gpu_must(gpu, satf_filter_apply(gpu, other.filter, &other.in[turn], &out));
            assert_int_equal(driver.launch(graph, stream), 0);
            run(&m, 2);
            assert_int_equal(driver.stream_wait(stream), 0);
            for (int i = 0; i < IMAGES; i++) {
                check(&m, i, specs[s / 2]);
            }
            check(&other, turn, "stddev=3");
        }
        gpu_must(gpu, satf_context_use_own_stream(gpu));
        release_images(&m);
        assert_int_equal(driver.exec_destroy(graph), 0);
    }
    release_images(&other);
    assert_int_equal(driver.stream_destroy(stream), 0);
}

/* Images of the host by a plan of the device. */
static void test_across(void **unused)
{
    (void)unused;
    static uint8_t got[W * H * CHANNELS], want[W * H * CHANNELS];
    satf_filter *filter;
    satf_plan *plan;
    satf_plan_info info;
    satf_used used;
    gpu_must(gpu, satf_filter_parse(gpu, "box=5 flip=h", &filter));
    satf_view in = satf_view_packed(NULL, W, H, CHANNELS, SATF_U8), out = in;
    gpu_must(gpu, satf_plan_create(gpu, filter, &in, 1, &out, 1, &plan));
    satf_plan_describe(plan, &info, sizeof info);
    assert_int_equal(info.device, GPU_DEVICE);
    assert_int_equal(info.steps, 2);
    assert_string_equal(satf_plan_step(plan, 0, &used, sizeof used), "box");
    assert_string_equal(used.device, "cuda");
    assert_string_equal(used.engine, "window");
    for (unsigned i = 0; i < IMAGES; i++) {
        in.data = pixels_of(i);
        out.data = want;
        gpu_must(cpu, gpu_apply_here(filter, &in, &out));
        out.data = got;
        gpu_must(gpu, satf_plan_run(plan, &in, 1, &out, 1));
        assert_memory_equal(got, want, sizeof got);
        free(in.data);
        gpu_runs++;
    }
    satf_plan_destroy(plan);
    satf_filter_destroy(filter);
}

/* A second input: on the device, of the host, and the filter's own. */
static void test_aux(void **unused)
{
    (void)unused;
    enum { PIXELS = W * H * CHANNELS };
    static uint8_t got[PIXELS], want[PIXELS];
    satf_filter *filter;
    uint8_t *pixels[2] = {pixels_of(5), pixels_of(6)};
    void *there[3];
    satf_view in = satf_view_packed(pixels[0], W, H, CHANNELS, SATF_U8), out = in, guide = in;
    out.data = want;
    guide.data = pixels[1];
    gpu_must(gpu, satf_filter_parse(gpu, "guided=9,eps=0.001", &filter));
    gpu_must(cpu, satf_filter_set_image(cpu, filter, &guide));
    gpu_must(cpu, gpu_apply_here(filter, &in, &out));
    out.data = got;
    gpu_must(gpu, satf_filter_apply(gpu, filter, &in, &out));
    assert_memory_equal(got, want, sizeof got);
    satf_view there_in = in, there_out = out, inputs[2] = {in, guide};
    for (int i = 0; i < 3; i++) {
        gpu_must(gpu, satf_cuda()->alloc(gpu, GPU_DEVICE, PIXELS, "a test", &there[i]));
    }
    for (int i = 0; i < 2; i++) {
        gpu_must(gpu, satf_cuda()->copy_bytes(gpu, GPU_DEVICE, there[i], pixels[i], PIXELS));
    }
    there_in.data = there[0];
    there_out.data = there[2];
    there_in.device = there_out.device = GPU_DEVICE;
    gpu_must(gpu, satf_filter_apply(gpu, filter, &there_in, &there_out));
    satf_filter_destroy(filter); /* which has its own; as a second input: */
    gpu_must(gpu, satf_filter_parse(gpu, "guided=9,eps=0.001", &filter));
    for (int on_device = 0; on_device < 2; on_device++) {
        satf_plan *plan;
        inputs[0].data = on_device ? there[0] : pixels[0];
        inputs[1].data = on_device ? there[1] : pixels[1];
        out.data = on_device ? there[2] : (void *)got;
        inputs[0].device = inputs[1].device = out.device = on_device ? GPU_DEVICE : SATF_HOST;
        memset(got, 0, sizeof got);
        gpu_must(gpu, satf_plan_create(gpu, filter, inputs, 2, &out, 1, &plan));
        for (int run = 0; run < 2; run++) {
            gpu_must(gpu, satf_plan_run(plan, inputs, 2, &out, 1));
        }
        if (on_device) {
            gpu_must(gpu, satf_cuda()->copy_bytes(gpu, GPU_DEVICE, got, there[2], PIXELS));
            gpu_must(gpu, satf_cuda()->wait(gpu, GPU_DEVICE));
        }
        assert_memory_equal(got, want, sizeof got);
        satf_plan_destroy(plan);
        gpu_runs++;
    }
    for (int i = 0; i < 3; i++) {
        satf_cuda()->free(gpu, there[i]);
    }
    free(pixels[0]);
    free(pixels[1]);
    satf_filter_destroy(filter);
}

/* Filters that are gone before the device has read what it copies of them. */
static void test_destroyed(void **unused)
{
    (void)unused;
    static const char *const names[] = {"template", "permute"};
    for (int k = 0; k < 2; k++) {
        images m;
        make_images(names[k], &m);
        for (int i = 0; i < RUNS; i++) {
            satf_filter *filter = make_filter(names[k]);
            satf_view out = m.out;
            out.data = m.result[i % IMAGES];
            gpu_must(gpu, satf_filter_apply(gpu, filter, &m.in[i % IMAGES], &out));
            satf_filter_destroy(filter);
            use_freed_memory();
        }
        for (int i = 0; i < IMAGES; i++) {
            check(&m, i, names[k]);
        }
        release_images(&m);
    }
}

/* Mean and deviation, of images there and of the host. */
static void test_outputs(void **unused)
{
    (void)unused;
    static double got[2][W * H * CHANNELS], want[2][W * H * CHANNELS];
    static const char *const borders[] = {"clamp", "valid"};
    void *pixels = pixels_of(3), *there[3];
    size_t bytes = sizeof got[0];
    for (int k = 0; k < 3; k++) {
        gpu_must(gpu, satf_cuda()->alloc(gpu, GPU_DEVICE, bytes, "a test", &there[k]));
    }
    gpu_must(gpu, satf_cuda()->copy_bytes(gpu, GPU_DEVICE, there[2], pixels, W * H * CHANNELS));
    for (int k = 0; k < 4; k++) {
        char spec[64];
        satf_filter *filter;
        satf_view in = satf_view_packed(pixels, W, H, CHANNELS, SATF_U8), out[2];
        satf_plan *plan;
        snprintf(spec, sizeof spec, "flip=h moments=9x6,border=%s", borders[k / 2]);
        gpu_must(gpu, satf_filter_parse(gpu, spec, &filter));
        gpu_must(gpu, satf_filter_output(gpu, filter, &in, &out[0]));
        bytes = (size_t)(out[0].stride * out[0].height);
        out[1] = out[0];
        out[0].data = want[0];
        out[1].data = want[1];
        gpu_must(cpu, satf_plan_create(cpu, filter, &in, 1, out, 2, &plan));
        gpu_must(cpu, satf_plan_run(plan, &in, 1, out, 2));
        satf_plan_destroy(plan);
        in.device = out[0].device = out[1].device = k % 2 ? GPU_DEVICE : SATF_HOST;
        in.data = k % 2 ? there[2] : pixels;
        out[0].data = k % 2 ? there[0] : (void *)got[0];
        out[1].data = k % 2 ? there[1] : (void *)got[1];
        gpu_must(gpu, satf_plan_create(gpu, filter, &in, 1, out, 2, &plan));
        for (int i = 0; i < 2; i++) {
            memset(got, 0, sizeof got);
            gpu_must(gpu, satf_plan_run(plan, &in, 1, out, 2));
        }
        for (int i = 0; i < 2 && k % 2; i++) {
            gpu_must(gpu, satf_cuda()->copy_bytes(gpu, GPU_DEVICE, got[i], there[i], bytes));
        }
        gpu_must(gpu, satf_cuda()->wait(gpu, GPU_DEVICE));
        assert_memory_equal(got[0], want[0], bytes);
        assert_memory_equal(got[1], want[1], bytes);
        satf_plan_destroy(plan);
        satf_filter_destroy(filter);
        gpu_runs++;
    }
    for (int k = 0; k < 3; k++) {
        satf_cuda()->free(gpu, there[k]);
    }
    free(pixels);
}

/* SATF_DEVICE_AUTO takes the device once its start is paid, and the CPU when it is full or the
 * driver would have to compile the kernels. */
static void test_automatic(void **unused)
{
    (void)unused;
    static uint8_t image[W * H * CHANNELS], got[W * H * CHANNELS], want[W * H * CHANNELS];
    satf_context *own;
    satf_filter *filter;
    satf_plan *plan;
    satf_plan_info info;
    satf_used used;
    satf_gpu_info card;
    void *stream;
    assert_true(satf_cuda()->describe(GPU_DEVICE, &card));
    gpu_must(cpu, satf_context_create(&own));
    gpu_must(own, satf_context_set_threads(own, 1));
    gpu_must(own, satf_filter_parse(own, "unsharp=9 box=31 unsharp=5 box=9", &filter));
    for (size_t i = 0; i < sizeof image; i++) {
        image[i] = (uint8_t)(i * i >> 3);
    }
    satf_view in = satf_view_packed(image, W, H, CHANNELS, SATF_U8), out = in;
    out.data = want;
    gpu_must(own, satf_filter_apply(own, filter, &in, &out));
    out.data = got;
    gpu_must(own, satf_context_get_stream(own, GPU_DEVICE, &stream));
    gpu_must(own, satf_context_set_device(own, SATF_DEVICE_AUTO));
    for (int full = 0; full < 2; full++) {
        bool there = !full && card.runs_kernels;
        is_full = full;
        memset(got, 0, sizeof got);
        satf_context_forget(own);
        gpu_must(own, satf_filter_apply(own, filter, &in, &out));
        assert_memory_equal(got, want, sizeof got);
        satf_context_used(own, &used, sizeof used);
        assert_string_equal(used.device, there ? "cuda" : "cpu");
        gpu_must(own, satf_plan_create(own, filter, &in, 1, &out, 1, &plan));
        satf_plan_describe(plan, &info, sizeof info);
        assert_int_equal(info.device, there ? GPU_DEVICE : SATF_HOST);
        satf_plan_destroy(plan);
    }
    is_full = false;
    satf_filter_destroy(filter);
    satf_context_destroy(own);
}

int main(int argc, char **argv)
{
    setenv("SATFILTER_TUNE", "off", 1);
    gpu_test_begin(argc, argv);
    handle primary;
    if (!find_driver() || driver.retain(&primary, satf_gpu_ordinal(GPU_DEVICE)) != 0 ||
        driver.set_current(primary) != 0) {
        return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs),    cmocka_unit_test(test_across),
        cmocka_unit_test(test_aux),     cmocka_unit_test(test_automatic),
        cmocka_unit_test(test_streams), cmocka_unit_test(test_graphs),
        cmocka_unit_test(test_outputs), cmocka_unit_test(test_destroyed),
    };
    int failed = cmocka_run_group_tests(tests, gpu_set_up, gpu_tear_down);
    driver.release(satf_gpu_ordinal(GPU_DEVICE));
    return gpu_test_end("test_gpu_plan", failed);
}
