#include "program.h"

#include <sys/wait.h>

#include "base/device/backend.h"
#include "base/view.h"
#include "chain/pass.h"
#include "filter_make.h"
#include "filter_reference.h"
#include "sample.h"
#include "sat/gpu.h"

bool gpu_small, gpu_long;
unsigned long long gpu_runs, gpu_refused;
satf_context *gpu, *cpu;

void gpu_need_device(void)
{
    const char *cases = getenv("GPU_CASES"), *why = NULL;
    gpu_small = cases && strcmp(cases, "small") == 0;
    gpu_long = cases && strcmp(cases, "long") == 0;
    satf_gpu_info info;
    if (satf_gpu_count(&why) == 0) {
        fprintf(stderr, "skipped: no CUDA device: %s\n", why);
        exit(77);
    }
    if (!satf_cuda()->describe(GPU_DEVICE, &info) || (!info.runs_kernels && !info.compiles)) {
        fprintf(stderr, "skipped: CUDA device %d cannot run this build's kernels\n",
                satf_gpu_ordinal(GPU_DEVICE));
        exit(77);
    }
    printf("device: %s\ndriver: %s\n", info.name, info.driver);
}

/* A program of which no file is named is skipped as a whole. A child looks, for the files'
 * processes could not use a driver that this one has opened. */
__attribute__((constructor)) static void skip_without_device(int argc)
{
    int status = 0;
    fflush(NULL);
    pid_t child = argc == 1 ? fork() : -1;
    if (child == 0) {
        gpu_need_device();
        _exit(0);
    }
    if (child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
        WEXITSTATUS(status) == 77) {
        exit(77);
    }
}

int gpu_begin(void **unused)
{
    (void)unused;
    setenv("SATFILTER_TUNE", "off", 1);
    gpu_need_device();
    gpu = gpu_new_context();
    return satf_context_create(&cpu) || satf_context_set_device(cpu, SATF_HOST) ||
           satf_context_set_engine(cpu, SATF_ENGINE_SAT);
}

int gpu_end(const char *path)
{
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    satf_context_destroy(cpu);
    satf_context_destroy(gpu);
    printf("%.*s: %llu runs compared, %llu refused\n", (int)strcspn(name, "."), name, gpu_runs,
           gpu_refused);
    return 0;
}

void gpu_stress(int mode)
{
    satf_cuda()->stress(mode);
}

void gpu_must_do(satf_context *ctx, satf_status status, const char *what)
{
    if (status) {
        fail_msg("%s: %s: %s", what, satf_status_name(status), satf_message(ctx));
    }
}

satf_context *gpu_new_context(void)
{
    satf_context *ctx;
    assert_int_equal(satf_context_create(&ctx), SATF_OK);
    MUST(ctx, satf_context_set_device(ctx, GPU_DEVICE));
    return ctx;
}

satf_status gpu_apply_here(const satf_filter *filter, const satf_view *in, const satf_view *out)
{
    use_tables(cpu, filter, in->type, true);
    return satf_filter_apply(cpu, filter, in, out);
}

/* ------------------------------------------------------------ memory of the device */

void *gpu_memory(size_t bytes)
{
    void *memory;
    MUST(gpu, satf_cuda()->alloc(gpu, GPU_DEVICE, bytes, "a test", &memory));
    return memory;
}

void gpu_free_at(void *at)
{
    satf_cuda()->free(gpu, *(void **)at);
}

void gpu_upload(void *there, const void *here, size_t bytes)
{
    MUST(gpu, satf_cuda()->copy_bytes(gpu, GPU_DEVICE, there, here, bytes));
    MUST(gpu, satf_cuda()->wait(gpu, GPU_DEVICE));
}

void gpu_download(void *here, const void *there, size_t bytes)
{
    gpu_upload(here, there, bytes); /* the backend sees which is where */
}

void *gpu_uploaded(const void *here, size_t bytes)
{
    void *there = gpu_memory(bytes);
    gpu_upload(there, here, bytes);
    return there;
}

void gpu_set(void *there, int value, size_t bytes)
{
    MUST(gpu, satf_cuda()->set_bytes(gpu, GPU_DEVICE, there, value, bytes));
}

enum { GUARD_BYTES = 256 };

gpu_result gpu_result_begin(size_t bytes, size_t shift)
{
    gpu_result r = {
        .there = gpu_memory(bytes + shift + 2 * GUARD_BYTES), .bytes = bytes, .shift = shift};
    r.at = r.there + GUARD_BYTES + shift;
    gpu_result_clear(&r);
    return r;
}

void gpu_result_end(gpu_result *r)
{
    satf_cuda()->free(gpu, r->there);
}

void gpu_result_clear(const gpu_result *r)
{
    gpu_set(r->there, GPU_GUARD, r->bytes + r->shift + 2 * GUARD_BYTES);
}

void gpu_result_check(const gpu_result *r, const void *want, size_t unit, const char *what)
{
    size_t whole = r->bytes + r->shift + 2 * GUARD_BYTES, first = GUARD_BYTES + r->shift;
    SCOPED unsigned char *got = malloc(whole);
    assert_non_null(got);
    gpu_download(got, r->there, whole);
    for (size_t i = 0; i < r->bytes; i += unit) {
        if (memcmp(got + first + i, (const char *)want + i, unit) != 0) {
            fail_msg("%s: of %zu bytes, %zu off, unit %zu of %zu bytes is wrong", what, r->bytes,
                     r->shift, i / unit, unit);
        }
    }
    for (size_t i = 0; i < whole; i++) {
        i += i == first ? r->bytes : 0;
        if (got[i] != GPU_GUARD) {
            fail_msg("%s: of %zu bytes, %zu off: wrote outside of its array", what, r->bytes,
                     r->shift);
        }
    }
    gpu_runs++;
}

/* --------------------------------------------------------------------------- images */

satf_view gpu_host_view(const satf_view *like)
{
    satf_view view = *like;
    view.data = malloc((size_t)(view.stride * view.height));
    assert_non_null(view.data);
    memset(view.data, GPU_GUARD, (size_t)(view.stride * view.height));
    return view;
}

void gpu_free_view(satf_view *view)
{
    free(view->data);
}

satf_view gpu_image(int64_t width, int64_t height, int channels, int type, bool alpha,
                    uint64_t seed, int64_t pad)
{
    ref_image image = {width, height, channels, type, alpha, NULL};
    ref_fill(&image, seed);
    satf_view view = ref_view(&image, pad);
    free(image.samples);
    return view;
}

satf_view gpu_view(satf_context *ctx, const satf_view *like, int64_t pad, int64_t shift, bool flip,
                   void **memory)
{
    satf_view view = *like;
    int64_t row = satf_row_samples(like) * (int64_t)satf_type_bytes(like->type) + pad;
    size_t bytes = (size_t)(row * like->height + shift);
    MUST(ctx, satf_cuda()->alloc(ctx, GPU_DEVICE, bytes, "a test", memory));
    MUST(ctx, satf_cuda()->set_bytes(ctx, GPU_DEVICE, *memory, GPU_GUARD, bytes));
    view.device = GPU_DEVICE;
    view.stride = flip ? -row : row;
    view.data = (char *)*memory + shift + (flip ? row * (like->height - 1) : 0);
    return view;
}

void gpu_check_guards(satf_context *ctx, const satf_view *view, const void *memory, int64_t shift)
{
    int64_t row = view->stride < 0 ? -view->stride : view->stride;
    int64_t used = satf_row_samples(view) * (int64_t)satf_type_bytes(view->type);
    size_t bytes = (size_t)(row * view->height + shift);
    SCOPED unsigned char *here = malloc(bytes);
    assert_non_null(here);
    MUST(ctx, satf_cuda()->copy_bytes(ctx, GPU_DEVICE, here, memory, bytes));
    MUST(ctx, satf_cuda()->wait(ctx, GPU_DEVICE));
    for (int64_t i = 0; i < shift + row * view->height; i++) {
        if ((i < shift || (i - shift) % row >= used) && here[i] != GPU_GUARD) {
            fail_msg("byte %ld, which belongs to no row, was written", (long)i);
        }
    }
}

/* -------------------------------------------------------------------------- filters */

gpu_trial gpu_trial_of(const char *spec, const satf_filter *filter, const satf_view *in,
                       uint64_t seed)
{
    gpu_trial t = {.spec = spec, .filter = filter, .in = *in, .seed = seed};
    gpu_must_do(cpu, satf_filter_output(cpu, filter, in, &t.out), spec);
    return t;
}

satf_view gpu_right(const gpu_trial *t)
{
    satf_view want = gpu_host_view(&t->out);
    gpu_must_do(cpu, gpu_apply_here(t->filter, &t->in, &want), t->spec);
    return want;
}

/* Moments of floats are taken around shifts, which are not the same on both, so products that no
 * double holds round otherwise. Samples and constants are below 200. Of other filters that read
 * such moments a deviation near 0, which is off the most, counts by the greatest result. */
static bool is_near(const char *name, int in_type, int type, double greatest, double x, double y)
{
    bool root = strcmp(name, "stddev") == 0, variance = strcmp(name, "variance") == 0;
    if (!root && !variance && filter_has_shifts(filter_last(filter_info_find(name)))) {
        return satf_type_is_float(in_type) && fabs(x - y) <= 0x1p-16 * greatest;
    }
    double scale = root ? fabs(x) + fabs(y) : 1, rounding = type == SATF_F32 ? 0x1p-22 : 0;
    return (root || variance) && satf_type_is_float(in_type) &&
           fabs(x - y) * scale <= 64 * 0x1p-53 * 200 * 200 + rounding * fabs(x) * scale;
}

/* The greatest magnitude of a finite real sample. */
static double greatest_of(const satf_view *view)
{
    double greatest = 0;
    size_t bytes = satf_type_bytes(view->type);
    for (int64_t y = 0; y < view->height; y++) {
        const char *row = satf_row(view, y);
        for (int64_t i = 0; i < satf_row_samples(view); i++) {
            double d = fabs(read_sample(view->type, row + (size_t)i * bytes));
            greatest = isfinite(d) && d > greatest ? d : greatest;
        }
    }
    return greatest;
}

static bool same_sample(const gpu_trial *t, int type, double greatest, const char *a, const char *b)
{
    if (memcmp(a, b, satf_type_bytes(type)) == 0) {
        return true;
    }
    double x = read_sample(type, a), y = read_sample(type, b);
    return t->near && satf_type_is_float(type) &&
           ((isnan(x) && isnan(y)) || x == y || /* 0 and -0 */
            is_near(filter_at(t->filter, t->filter->count - 1)->name, t->in.type, type, greatest, x,
                    y));
}

void gpu_same(const gpu_trial *t, const satf_view *want, const satf_view *got, const char *how)
{
    int64_t bytes = (int64_t)satf_type_bytes(want->type), n = satf_row_samples(want) * bytes;
    double greatest = t->near ? greatest_of(want) : 0;
    for (int64_t y = 0; y < want->height; y++) {
        const char *a = satf_row(want, y), *b = satf_row(got, y);
        bool differs = memcmp(a, b, (size_t)n) != 0;
        for (int64_t i = 0; i < n && differs; i += bytes) {
            if (!same_sample(t, want->type, greatest, a + i, b + i)) {
                fail_msg("%s, %s: %s to %s, %d channels%s, %ld x %ld%s, seed %lu: first difference "
                         "at (%ld, %ld) channel %ld: %.17g for %.17g",
                         t->spec, how, satf_type_name(t->in.type), satf_type_name(want->type),
                         t->in.channels, t->in.flags & SATF_ALPHA ? " with alpha" : "",
                         (long)want->width, (long)want->height, t->more, (unsigned long)t->seed,
                         (long)(i / bytes / want->channels), (long)y,
                         (long)(i / bytes % want->channels), read_sample(want->type, b + i),
                         read_sample(want->type, a + i));
            }
        }
        if (got->stride == want->stride) {
            assert_memory_equal(a + n, b + n, (size_t)(want->stride - n));
        }
    }
    gpu_runs++;
}

bool gpu_compare_here(const gpu_trial *t, const satf_view *want)
{
    satf_used report;
    ON_HOST satf_view got = gpu_host_view(&t->out);
    gpu_must_do(gpu, satf_filter_apply(gpu, t->filter, &t->in, &got), t->spec);
    gpu_same(t, want, &got, "host views");
    satf_context_used(gpu, &report, sizeof report);
    assert_string_equal(report.device, "cuda");
    assert_true(strcmp(report.engine, "sat") != 0 || report.algorithm != NULL);
    return strcmp(report.engine, "window") == 0;
}

void gpu_compare_placed(const gpu_trial *t, gpu_place in, gpu_place out, bool planned,
                        const satf_view *want)
{
    void *memory[2];
    satf_view from = gpu_view(gpu, &t->in, in.pad, in.shift, in.flip, &memory[0]);
    satf_view to = gpu_view(gpu, &t->out, out.pad, out.shift, out.flip, &memory[1]);
    ON_HOST satf_view got = gpu_host_view(&t->out);
    MUST(gpu, satf_cuda()->copy(gpu, &t->in, &from));
    if (planned) {
        SCOPED_PLAN *plan;
        gpu_must_do(gpu, satf_plan_create(gpu, t->filter, &from, 1, &to, 1, &plan), t->spec);
        gpu_must_do(gpu, satf_plan_run(plan, &from, 1, &to, 1), t->spec);
        gpu_must_do(gpu, satf_plan_run(plan, &from, 1, &to, 1), t->spec);
    } else {
        gpu_must_do(gpu, satf_filter_apply(gpu, t->filter, &from, &to), t->spec);
    }
    MUST(gpu, satf_cuda()->copy(gpu, &to, &got));
    gpu_must_do(gpu, satf_cuda()->wait(gpu, GPU_DEVICE), t->spec);
    char how[96];
    snprintf(how, sizeof how, "device views, %d, %d and %d, %d bytes off, flipped %d and %d",
             (int)in.pad, (int)in.shift, (int)out.pad, (int)out.shift, in.flip, out.flip);
    gpu_same(t, want, &got, how);
    gpu_check_guards(gpu, &to, memory[1], out.shift);
    satf_cuda()->free(gpu, memory[0]);
    satf_cuda()->free(gpu, memory[1]);
}

void gpu_compare_there(const gpu_trial *t, bool planned, const satf_view *want)
{
    bool packed = t->seed % 16 == 0; /* both images, and aligned */
    int64_t pad = (int64_t)(t->seed % 6), shift = (int64_t)(t->seed / 4 % 4);
    bool no_pad = packed || t->seed & 64;
    gpu_compare_placed(t, (gpu_place){no_pad ? 0 : pad, packed ? 0 : shift, t->seed & 16},
                       (gpu_place){no_pad ? 0 : 5 - pad, packed ? 0 : 3 - shift, t->seed & 32},
                       planned, want);
}

bool gpu_compare_views(const gpu_trial *t, bool planned)
{
    ON_HOST satf_view want = gpu_right(t);
    bool windows = gpu_compare_here(t, &want);
    gpu_compare_there(t, planned, &want);
    return windows;
}

bool gpu_compare_engines(const gpu_trial *t, bool planned)
{
    bool windows = gpu_compare_views(t, planned);
    if (windows) {
        MUST(gpu, satf_context_set_engine(gpu, SATF_ENGINE_SAT));
        assert_false(gpu_compare_views(t, planned));
        MUST(gpu, satf_context_set_engine(gpu, SATF_ENGINE_AUTO));
    }
    return windows;
}

void gpu_compare_filter(const char *spec, const satf_filter *filter, const satf_view *in,
                        uint64_t seed)
{
    gpu_trial t = gpu_trial_of(spec, filter, in, seed);
    ON_HOST satf_view want = gpu_right(&t);
    gpu_compare_there(&t, false, &want);
}
