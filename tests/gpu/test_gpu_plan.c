/*
 * Plans on a CUDA device: runs only enqueue, on whatever stream, and can be captured into graphs.
 */
#include "driver.h"
#include "filter_make.h"
#include "program.h"

#include <stdatomic.h>

#include "base/view.h"
#include "sat/sat.h"

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

static satf_view picture(unsigned seed)
{
    return gpu_image(W, H, CHANNELS, SATF_U8, false, seed, 0);
}

static satf_filter *make_filter(const char *spec)
{
    const filter_info *info = filter_info_find(spec); /* what a text alone does not make */
    return info ? make_filter_of(gpu, info, SATF_BORDER_CLAMP, "5x7", "0:0", W, H)
                : parse_filter(gpu, spec);
}

static void make_images(const char *spec, images *m)
{
    m->filter = make_filter(spec);
    for (unsigned i = 0; i < IMAGES; i++) {
        ON_HOST satf_view view = picture(i);
        gpu_trial t = gpu_trial_of(spec, m->filter, &view, i);
        m->in[i] = view;
        m->in[i].device = GPU_DEVICE;
        m->in[i].data = gpu_uploaded(view.data, W * H * CHANNELS);
        m->out = t.out;
        m->out.device = GPU_DEVICE;
        m->bytes = (size_t)(t.out.stride * t.out.height);
        m->want[i] = gpu_right(&t).data;
        m->result[i] = gpu_memory(m->bytes);
    }
    gpu_must_do(gpu, satf_plan_create(gpu, m->filter, &m->in[0], 1, &m->out, 1, &m->plan), spec);
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
    MUST(gpu, satf_cuda()->wait(gpu, GPU_DEVICE));
}

static satf_view result_of(const images *m, int image)
{
    satf_view out = m->out;
    out.data = m->result[image];
    return out;
}

static void run(images *m, int image)
{
    satf_view out = result_of(m, image);
    MUST(gpu, satf_plan_run(m->plan, &m->in[image], 1, &out, 1));
}

/* What the device has made of an image, which is spoilt then for the next time. */
static void check(images *m, int image, const char *what)
{
    SCOPED char *got = malloc(m->bytes);
    gpu_download(got, m->result[image], m->bytes);
    if (memcmp(got, m->want[image], m->bytes) != 0) {
        fail_msg("%s: another result", what);
    }
    gpu_download(m->result[image], m->in[image].data, 100);
    gpu_runs++;
}

static void check_all(images *m, const char *what)
{
    for (int i = 0; i < IMAGES; i++) {
        check(m, i, what);
    }
    release_images(m);
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
TEST_ALONE(test_runs)
{
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
        check_all(&m, specs[s]);
    }
}

/* Streams take turns with a plan, whose memory they share. */
TEST_ALONE(test_streams)
{
    handle stream[2];
    for (int i = 0; i < 2; i++) {
        assert_int_equal(driver.stream_create(&stream[i], NON_BLOCKING), 0);
    }
    for (int s = 0; s < SPECS; s++) {
        images m;
        make_images(specs[s], &m);
        for (int i = 0; i < RUNS; i++) {
            MUST(gpu, satf_context_set_stream(gpu, stream[i % 2]));
            run(&m, i % IMAGES);
        }
        for (int i = 0; i < 2; i++) {
            assert_int_equal(driver.stream_wait(stream[i]), 0);
        }
        MUST(gpu, satf_context_use_own_stream(gpu));
        check_all(&m, specs[s]);
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
    MUST(gpu, satf_context_set_stream(gpu, stream));
    assert_int_equal(driver.capture(stream, RELAXED), 0);
    satf_plan *none;
    assert_int_equal(satf_plan_create(gpu, m->filter, &m->in[0], 1, &m->out, 1, &none),
                     SATF_UNSUPPORTED);
    assert_null(none);
    if (by_plan) {
        run(m, 0);
    } else {
        satf_view out = result_of(m, 0);
        MUST(gpu, satf_filter_apply(gpu, filter, &m->in[0], &out));
    }
    satf_filter_destroy(filter);
    use_freed_memory();
    assert_int_equal(driver.end_capture(stream, &graph), 0);
    assert_int_equal(driver.instantiate(&exec, graph, 0), 0);
    assert_int_equal(driver.destroy(graph), 0);
    return exec;
}

/* Launches between other runs of the plan, and behind calls that take the context's memory. */
TEST_ALONE(test_graphs)
{
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
            satf_view out = result_of(&other, turn);
            MUST(gpu, satf_filter_apply(gpu, other.filter, &other.in[turn], &out));
            assert_int_equal(driver.launch(graph, stream), 0);
            run(&m, 2);
            assert_int_equal(driver.stream_wait(stream), 0);
            for (int i = 0; i < IMAGES; i++) {
                check(&m, i, specs[s / 2]);
            }
            check(&other, turn, "stddev=3");
        }
        MUST(gpu, satf_context_use_own_stream(gpu));
        release_images(&m);
        assert_int_equal(driver.exec_destroy(graph), 0);
    }
    release_images(&other);
    assert_int_equal(driver.stream_destroy(stream), 0);
}

/* Images of the host by a plan of the device. */
TEST_ALONE(test_across)
{
    satf_plan_info info;
    satf_used used;
    SCOPED_PLAN *plan;
    SCOPED_FILTER *filter = parse_filter(gpu, "box=5 flip=h");
    satf_view like = satf_view_packed(NULL, W, H, CHANNELS, SATF_U8);
    MUST(gpu, satf_plan_create(gpu, filter, &like, 1, &like, 1, &plan));
    satf_plan_describe(plan, &info, sizeof info);
    assert_int_equal(info.device, GPU_DEVICE);
    assert_int_equal(info.steps, 2);
    assert_string_equal(satf_plan_step(plan, 0, &used, sizeof used), "box");
    assert_string_equal(used.device, "cuda");
    assert_string_equal(used.engine, "window");
    for (unsigned i = 0; i < IMAGES; i++) {
        ON_HOST satf_view in = picture(i);
        ON_HOST satf_view got = gpu_host_view(&in);
        gpu_trial t = gpu_trial_of("box=5 flip=h", filter, &in, i);
        ON_HOST satf_view want = gpu_right(&t);
        MUST(gpu, satf_plan_run(plan, &in, 1, &got, 1));
        gpu_same(&t, &want, &got, "a plan of host views");
    }
}

/* These views, or the same in memory of the device. */
static void place(bool on_device, const satf_view *host, satf_view *views, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        views[i] = host[i];
        if (on_device) {
            views[i].device = GPU_DEVICE;
            views[i].data = gpu_uploaded(host[i].data, (size_t)(host[i].stride * host[i].height));
        }
    }
}

static void bring_back(bool on_device, const satf_view *host, const satf_view *views, size_t count)
{
    for (size_t i = 0; i < count && on_device; i++) {
        gpu_download(host[i].data, views[i].data, (size_t)(host[i].stride * host[i].height));
        satf_cuda()->free(gpu, views[i].data);
    }
}

/* A plan's second run, of images of the host as they are, or there. */
static void run_twice(const satf_filter *filter, bool on_device, const satf_view *in, size_t inputs,
                      const satf_view *out, size_t outputs)
{
    satf_view from[2], to[2];
    SCOPED_PLAN *plan;
    place(on_device, in, from, inputs);
    place(on_device, out, to, outputs);
    MUST(gpu, satf_plan_create(gpu, filter, from, inputs, to, outputs, &plan));
    for (int run = 0; run < 2; run++) {
        for (size_t i = 0; i < outputs && !on_device; i++) {
            memset(out[i].data, GPU_GUARD, (size_t)(out[i].stride * out[i].height));
        }
        MUST(gpu, satf_plan_run(plan, from, inputs, to, outputs));
    }
    bring_back(on_device, in, from, inputs);
    bring_back(on_device, out, to, outputs);
    MUST(gpu, satf_cuda()->wait(gpu, GPU_DEVICE));
}

/* A second input: on the device, of the host, and the filter's own. */
TEST_ALONE(test_aux)
{
    static const char *const spec = "guided=9,eps=0.001";
    const satf_view inputs[2] = {picture(5), picture(6)};
    SCOPED_FILTER *own = parse_filter(gpu, spec);
    SCOPED_FILTER *filter = parse_filter(gpu, spec);
    MUST(cpu, satf_filter_set_image(cpu, own, &inputs[1]));
    gpu_trial t = gpu_trial_of(spec, own, &inputs[0], 0);
    ON_HOST satf_view want = gpu_right(&t);
    gpu_compare_here(&t, &want);
    gpu_compare_there(&t, false, &want);
    for (int on_device = 0; on_device < 2; on_device++) {
        ON_HOST satf_view got = gpu_host_view(&inputs[0]);
        run_twice(filter, on_device, inputs, 2, &got, 1);
        gpu_same(&t, &want, &got, on_device ? "a guide on the device" : "a guide of the host");
    }
    free(inputs[0].data);
    free(inputs[1].data);
}

/* Filters that are gone before the device has read what it copies of them. */
TEST_ALONE(test_destroyed)
{
    static const char *const names[] = {"template", "permute"};
    for (int k = 0; k < 2; k++) {
        images m;
        make_images(names[k], &m);
        for (int i = 0; i < RUNS; i++) {
            satf_filter *filter = make_filter(names[k]);
            satf_view out = result_of(&m, i % IMAGES);
            MUST(gpu, satf_filter_apply(gpu, filter, &m.in[i % IMAGES], &out));
            satf_filter_destroy(filter);
            use_freed_memory();
        }
        check_all(&m, names[k]);
    }
}

/* Mean and deviation, of images there and of the host. */
TEST_ALONE(test_outputs)
{
    static const char *const specs_of[] = {"flip=h moments=9x6,border=clamp",
                                           "flip=h moments=9x6,border=valid"};
    ON_HOST satf_view in = picture(3);
    for (int k = 0; k < 4; k++) {
        satf_view want[2], got[2];
        SCOPED_PLAN *plan;
        SCOPED_FILTER *filter = parse_filter(gpu, specs_of[k / 2]);
        gpu_trial t = gpu_trial_of(specs_of[k / 2], filter, &in, (uint64_t)k);
        for (int i = 0; i < 2; i++) {
            want[i] = gpu_host_view(&t.out);
            got[i] = gpu_host_view(&t.out);
        }
        MUST(cpu, satf_plan_create(cpu, filter, &in, 1, want, 2, &plan));
        MUST(cpu, satf_plan_run(plan, &in, 1, want, 2));
        run_twice(filter, k % 2, &in, 1, got, 2);
        for (int i = 0; i < 2; i++) {
            gpu_same(&t, &want[i], &got[i], i ? "the deviation" : "the mean");
            free(want[i].data);
            free(got[i].data);
        }
    }
}

/* SATF_DEVICE_AUTO takes the device once its start is paid, and the CPU when it is full or the
 * driver would have to compile the kernels. */
TEST_ALONE(test_automatic)
{
    SCOPED_CONTEXT *own;
    satf_plan_info info;
    satf_used used;
    satf_gpu_info card;
    void *stream;
    assert_true(satf_cuda()->describe(GPU_DEVICE, &card));
    MUST(cpu, satf_context_create(&own));
    MUST(own, satf_context_set_threads(own, 1));
    SCOPED_FILTER *filter = parse_filter(own, "unsharp=9 box=31 unsharp=5 box=9");
    ON_HOST satf_view in = picture(8);
    ON_HOST satf_view want = gpu_host_view(&in);
    gpu_trial t = gpu_trial_of("a chain", filter, &in, 0);
    MUST(own, satf_filter_apply(own, filter, &in, &want));
    MUST(own, satf_context_get_stream(own, GPU_DEVICE, &stream));
    MUST(own, satf_context_set_device(own, SATF_DEVICE_AUTO));
    for (int full = 0; full < 2; full++) {
        bool there = !full && card.runs_kernels;
        SCOPED_PLAN *plan;
        ON_HOST satf_view got = gpu_host_view(&in);
        is_full = full;
        satf_context_forget(own);
        MUST(own, satf_filter_apply(own, filter, &in, &got));
        gpu_same(&t, &want, &got, full ? "a full device" : "by choice");
        satf_context_used(own, &used, sizeof used);
        assert_string_equal(used.device, there ? "cuda" : "cpu");
        MUST(own, satf_plan_create(own, filter, &in, 1, &got, 1, &plan));
        satf_plan_describe(plan, &info, sizeof info);
        assert_int_equal(info.device, there ? GPU_DEVICE : SATF_HOST);
    }
    is_full = false;
}

/* The driver's calls are of the device's own context. */
static int begin(void **state)
{
    handle primary;
    return gpu_begin(state) || !find_driver() ||
           driver.retain(&primary, satf_gpu_ordinal(GPU_DEVICE)) != 0 ||
           driver.set_current(primary) != 0;
}

static int end(const char *path)
{
    return gpu_end(path) | driver.release(satf_gpu_ordinal(GPU_DEVICE));
}

GPU_TEST_FILE_WITH(begin, end);
