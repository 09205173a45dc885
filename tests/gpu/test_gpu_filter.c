/* Filters on a CUDA device against the CPU's, bit for bit; copies, memory, the command.
 * --small: a few cases for compute-sanitizer, none that fails on purpose. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../filter_any.h"
#include "../filter_make.h"
#include "../filter_reference.h"
#include "filter/pass.h"
#include "near.h"
#include "program.h"

enum { ALL_BORDERS = SATF_SHRINK + 1 };

static const int sample_types[] = {SATF_U8, SATF_U16, SATF_F32, SATF_F64};
static const struct {
    int channels, alpha;
} layouts[] = {{1, 0}, {2, 0}, {3, 0}, {4, 0}, {2, 1}, {3, 1}, {4, 1}};
/* Beside blocks of 64 columns and 4 rows. */
static const int64_t sizes[][2] = {{1, 1}, {1, 9}, {9, 1}, {5, 3}, {63, 5}, {65, 33}, {131, 67}};
static const int64_t windows[][2] = {{1, 1}, {3, 3}, {4, 2}, {15, 15}, {70, 5}, {300, 200}};

/* ------------------------------------------------------------ one comparison */

typedef struct test_case {
    const satf_filter *filter;
    const char *name;
    satf_view in, out; /* out: without data */
    int border;
    int64_t w, h;
    uint64_t seed;
} test_case;

static satf_view host_view(const satf_view *like)
{
    satf_view view = *like;
    view.data = malloc((size_t)(view.stride * view.height));
    memset(view.data, GPU_GUARD, (size_t)(view.stride * view.height));
    return view;
}

static bool same_sample(const test_case *t, int type, double greatest, const char *a, const char *b)
{
    size_t bytes = satf_type_bytes(type);
    if (memcmp(a, b, bytes) == 0) {
        return true;
    }
    double x = number_of(type, a), y = number_of(type, b);
    return satf_type_is_float(type) &&
           ((isnan(x) && isnan(y)) || x == y ||
            is_near(t->name, t->in.type, type, greatest, x, y)); /* 0 and -0 */
}

static void compare(const test_case *t, const satf_view *want, const satf_view *got,
                    const char *how)
{
    int64_t bytes = (int64_t)satf_type_bytes(want->type);
    double greatest = greatest_of(want);
    for (int64_t y = 0; y < want->height; y++) {
        const char *a = satf_row(want, y), *b = satf_row(got, y);
        for (int64_t i = 0; i < satf_row_samples(want); i++) {
            if (!same_sample(t, want->type, greatest, a + i * bytes, b + i * bytes)) {
                fail_msg("%s, %s: %s to %s, %d channels%s, %ld x %ld, window %ld x %ld, border %s, "
                         "seed %lu: first difference at (%ld, %ld) channel %ld",
                         t->name, how, satf_type_name(t->in.type), satf_type_name(want->type),
                         t->in.channels, t->in.flags ? " with alpha" : "", (long)want->width,
                         (long)want->height, (long)t->w, (long)t->h, satf_border_name(t->border),
                         (unsigned long)t->seed, (long)(i / want->channels), (long)y,
                         (long)(i % want->channels));
            }
        }
        for (int64_t i = satf_row_samples(want) * bytes; i < want->stride; i++) {
            assert_int_equal((unsigned char)a[i], (unsigned char)b[i]);
        }
    }
}

/* By the engine that is set; whether tables cannot be another. */
static bool run_by_engine(const test_case *t, const satf_view *want)
{
    satf_view got = host_view(&t->out);
    gpu_must_do(gpu, satf_filter_apply(gpu, t->filter, &t->in, &got), t->name);
    compare(t, want, &got, "host views");
    satf_used report;
    satf_context_used(gpu, &report, sizeof report);
    assert_string_equal(report.device, "cuda");
    bool sat = strcmp(report.engine, "sat") == 0;
    assert_true(!sat || report.algorithm != NULL);
    memset(got.data, GPU_GUARD, (size_t)(got.stride * got.height));
    gpu_run_there(t->name, t->filter, &t->in, &got, t->seed, t->seed / 2 % 2);
    compare(t, want, &got, "device views");
    gpu_runs += 2;
    free(got.data);
    return strcmp(report.engine, "window") != 0;
}

/* By the fastest engine, and by tables. */
static void run_case(const test_case *t)
{
    satf_view want = host_view(&t->out);
    gpu_must_do(cpu, gpu_apply_here(t->filter, &t->in, &want), t->name);
    if (!run_by_engine(t, &want)) {
        gpu_must_do(gpu, satf_context_set_engine(gpu, SATF_ENGINE_SAT), "engine");
        assert_true(run_by_engine(t, &want));
        gpu_must_do(gpu, satf_context_set_engine(gpu, SATF_ENGINE_AUTO), "engine");
    }
    free(want.data);
}

/* ------------------------------------------------------------------ all filters */

static int64_t choose(void *user, int64_t least, int64_t most)
{
    return least + (int64_t)(ref_random(user) % (uint64_t)(most - least + 1));
}

/* With that border and window, where it has any, and anything else of it at random. */
static satf_filter *make_filter(const char *name, int border, double constant, int64_t w, int64_t h)
{
    satf_filter *filter;
    gpu_must_do(cpu, satf_filter_create(cpu, name, &filter), name);
    const satf_weighted_rect rects[] = {
        {{-(w / 2), -(h / 2), w, h}, 0.75}, {{1, -3, w, 2}, -1.5}, {{-40, 5, 3, h}, 1e-3}};
    uint64_t state = (uint64_t)(w * 1000 + h * 10 + border);
    for (const filter_param *p = filter_info_find(name)->params; p->name; p++) {
        char text[64];
        if (p->kind == PARAM_BORDER) {
            gpu_must_do(cpu, satf_filter_set_border(cpu, filter, (satf_border)border, constant),
                        name);
        } else if (p->kind == PARAM_TEMPLATE) {
            gpu_must_do(cpu, satf_filter_set_rects(cpu, filter, rects, 3), name);
        } else if (any_value(p, choose, &state, text, sizeof text)) {
            if (p->kind == PARAM_SIZE) {
                int most = (int)p->max;
                snprintf(text, sizeof text, "%dx%d", w < most ? (int)w : most,
                         h < most ? (int)h : most);
            } else if (p->kind == PARAM_PLACE) {
                any_place(filter, choose, &state, text, sizeof text);
            }
            gpu_must_do(cpu, satf_filter_set(cpu, filter, p->name, text), name);
        }
    }
    return filter;
}

/* Grey wants one colour or three; of float colours the sums are not exact, and so not the same, nor
 * are those of what lies between the steps of a filter of floats. */
static bool takes(const char *name, const ref_image *image)
{
    const filter_info *info = filter_info_find(name);
    const filter_pass *pass = filter_last(info);
    int colours = image->channels - image->alpha;
    bool integers = satf_type_max(image->type) > 0;
    return info->ways[0].count > 1 ? integers
                                   : !pass->grey || colours == 1 || (colours == 3 && integers);
}

/* The view that the filter makes. False: it looks at luma, of neither grey nor RGB. */
static bool makes(const char *name, const satf_filter *filter, const satf_view *in, satf_view *out)
{
    int colours = in->channels - (in->flags & SATF_ALPHA ? 1 : 0);
    satf_status status = satf_filter_output(cpu, filter, in, out);
    if (status == SATF_UNSUPPORTED && colours % 2 == 0) {
        return false;
    }
    gpu_must_do(cpu, status, name);
    return true;
}

static void filter_image(const char *name, const ref_image *image, uint64_t seed)
{
    if (!takes(name, image)) {
        return;
    }
    satf_view in = ref_view(image, (int64_t)(seed % 3));
    for (int border = 0; border < ALL_BORDERS; border++) {
        for (size_t k = 0; k < sizeof windows / sizeof *windows; k++, seed++) {
            double constant = border == SATF_CONSTANT ? (double)(seed % 200) : 0;
            satf_filter *filter = make_filter(name, border, constant, windows[k][0], windows[k][1]);
            give_image(cpu, filter, filter_info_find(name), in.width, in.height);
            test_case t = {filter, name, in, in, border, windows[k][0], windows[k][1], seed};
            if (!makes(name, filter, &in, &t.out)) {
                satf_filter_destroy(filter);
                continue;
            }
            if (seed % 2) { /* every other time another type than the exact one */
                t.out.type = (int32_t)(seed / 2 % (SATF_F64 + 1));
                t.out.full = 0; /* that of 16 bits does not fit bytes */
            }
            t.out.stride = satf_row_samples(&t.out) * (int64_t)satf_type_bytes(t.out.type) +
                           (int64_t)(seed % 5);
            run_case(&t);
            satf_filter_destroy(filter);
        }
    }
    free(in.data);
}

static void for_all_images(void (*call)(const char *name, const ref_image *image, uint64_t seed),
                           const char *name)
{
    uint64_t seed = 1;
    for (size_t t = 0; t < sizeof sample_types / sizeof *sample_types; t++) {
        for (size_t l = 0; l < sizeof layouts / sizeof *layouts; l++) {
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++, seed += 7) {
                if (gpu_small && (l % 6 || s != 5)) { /* one channel, and all four with alpha */
                    continue;
                }
                ref_image image = {sizes[s][0],     sizes[s][1],      layouts[l].channels,
                                   sample_types[t], layouts[l].alpha, NULL};
                ref_fill(&image, seed);
                call(name, &image, seed);
                free(image.samples);
            }
        }
    }
}

/* Every filter of sums; those that move pixels have test_gpu_geometry.c. */
static void for_all_filters(void (*call)(const char *name, const ref_image *image, uint64_t seed))
{
    const filter_info *info;
    for (size_t i = 0; (info = filter_info_at(i)); i++) {
        if (filter_last(info)->over != OVER_ELSEWHERE) {
            for_all_images(call, info->name);
        }
    }
}

static void test_filters(void **state)
{
    (void)state;
    for_all_filters(filter_image);
}

static void test_chain(void **state)
{
    (void)state;
    ref_image image = {131, 67, 4, SATF_U16, 1, NULL};
    ref_fill(&image, 99);
    satf_view in = ref_view(&image, 0);
    satf_filter *chain;
    gpu_must_do(cpu,
                satf_filter_parse(cpu, "box=5 stddev=9,border=wrap box=3x8,border=shrink", &chain),
                "chain");
    test_case t = {chain, "chain", in, in, 0, 0, 0, 5};
    gpu_must_do(cpu, satf_filter_output(cpu, chain, &in, &t.out), "chain");
    t.out.type = SATF_U8; /* the last bits of the floats between are the algorithm's own */
    run_case(&t);
    satf_filter_destroy(chain);
    free(in.data);
    free(image.samples);
}

/* Squares of 16-bit colour weighted by 16-bit alpha, in sums of 128 bits. */
static void test_wide_sums(void **state)
{
    (void)state;
    ref_image image = {300, 290, 4, SATF_U16, 1, NULL};
    ref_fill(&image, 7);
    for (int64_t i = 0; i < ref_count(&image); i++) {
        image.samples[i] = 65535 - (image.samples[i] & 3);
    }
    satf_view in = ref_view(&image, 0);
    satf_filter *filter = make_filter("variance", SATF_REFLECT, 0, 900, 700);
    test_case t = {filter, "variance", in, in, SATF_REFLECT, 900, 700, 11};
    gpu_must_do(cpu, satf_filter_output(cpu, filter, &in, &t.out), "variance");
    run_case(&t);
    satf_filter_destroy(filter);
    free(in.data);
    free(image.samples);
}

/* What is not finite stays in the windows that contain it. */
static void poison(const char *name, const ref_image *image, uint64_t seed)
{
    static const double values[] = {NAN, INFINITY, -INFINITY};
    if (satf_type_max(image->type) || !takes(name, image) ||
        filter_last(filter_info_find(name))->over == OVER_ALL) { /* there it spreads */
        return;
    }
    satf_view in = ref_view(image, 0);
    for (int i = 0; i < 3; i++) {
        int64_t at = (int64_t)(ref_random(&seed) % (uint64_t)ref_count(image));
        float f32 = (float)values[i];
        char *to = (char *)in.data + at * (int64_t)satf_type_bytes(image->type);
        memcpy(to, image->type == SATF_F32 ? (const void *)&f32 : &values[i],
               satf_type_bytes(image->type));
    }
    for (int border = 0; border < ALL_BORDERS; border++) {
        satf_filter *filter = make_filter(name, border, 0, 7, 4);
        give_image(cpu, filter, filter_info_find(name), in.width, in.height);
        test_case t = {filter, name, in, in, border, 7, 4, seed + (uint64_t)border};
        bool fits = makes(name, filter, &in, &t.out);
        if (fits) {
            run_case(&t);
            t.out.type = SATF_U8;
            t.out.stride = satf_row_samples(&t.out);
            run_case(&t);
        }
        satf_filter_destroy(filter);
    }
    free(in.data);
}

static void test_not_finite(void **state)
{
    (void)state;
    for_all_filters(poison);
}

/* Sums of the whole image overflow, those of windows do not; once with a sample that is NaN. All
 * sums of so few bits are exact, scaled or not. */
static void test_overflow(void **state)
{
    (void)state;
    ref_image image = {517, 389, 2, SATF_F64, 0, NULL};
    ref_fill(&image, 9);
    satf_view in = ref_view(&image, 0);
    uint64_t seed = 10;
    for (int64_t y = 0; y < in.height; y++) {
        double *row = (double *)satf_row(&in, y);
        for (int64_t i = 0; i < satf_row_samples(&in); i++) {
            row[i] = ldexp((double)(ref_random(&seed) % 1024), 1000);
        }
    }
    static const char *const names[] = {"box", "template"};
    for (int i = 0; i < 2 * 2 * ALL_BORDERS; i++) {
        if (i == 2 * ALL_BORDERS) {
            ((double *)satf_row(&in, 200))[301] = NAN;
        }
        const char *name = names[i % 2];
        int border = i / 2 % ALL_BORDERS;
        satf_filter *filter = make_filter(name, border, 0, 7, 4);
        test_case t = {filter, name, in, in, border, 7, 4, (uint64_t)i};
        gpu_must_do(cpu, satf_filter_output(cpu, filter, &in, &t.out), name);
        run_case(&t);
        satf_filter_destroy(filter);
    }
    free(in.data);
    free(image.samples);
}

/* ----------------------------------------------------------------- SAT of views */

static void test_sat(void **state)
{
    (void)state;
    ref_image image = {517, 389, 3, SATF_U8, 0, NULL};
    ref_fill(&image, 3);
    satf_view in = ref_view(&image, 5);
    satf_view like = satf_view_packed(NULL, in.width, in.height, 3, SATF_U32);
    satf_view want = host_view(&like), got = host_view(&like), mixed = got;
    test_case t = {NULL, "sat", in, like, 0, 0, 0, 0};
    gpu_must_do(cpu, satf_sat(cpu, &in, &want, SATF_SQUARED), "sat");
    gpu_must_do(gpu, satf_sat(gpu, &in, &got, SATF_SQUARED), "sat");
    compare(&t, &want, &got, "host views");
    mixed.device = GPU_DEVICE;
    assert_int_equal(satf_sat(gpu, &in, &mixed, 0), SATF_INVALID);
    void *memory[3];
    satf_view there = gpu_view(gpu, &in, 3, 1, true, &memory[0]);
    satf_view out = gpu_view(gpu, &like, 7, 2, false, &memory[1]);
    size_t bytes;
    gpu_must_do(gpu, satf_sat_scratch(gpu, &there, &out, SATF_SQUARED, &bytes), "scratch");
    gpu_must_do(gpu, satf_cuda()->alloc(gpu, GPU_DEVICE, bytes, "a test", &memory[2]), "scratch");
    gpu_must_do(gpu, satf_context_set_scratch(gpu, bytes ? memory[2] : NULL, bytes), "scratch");
    gpu_must_do(gpu, satf_cuda()->copy(gpu, &in, &there), "upload");
    gpu_must_do(gpu, satf_sat(gpu, &there, &out, SATF_SQUARED), "sat");
    memset(got.data, 0, (size_t)(got.stride * got.height));
    gpu_must_do(gpu, satf_cuda()->copy(gpu, &out, &got), "download");
    gpu_must_do(gpu, satf_cuda()->wait(gpu, GPU_DEVICE), "sat");
    compare(&t, &want, &got, "device views, the caller's scratch");
    gpu_check_guards(gpu, &out, memory[1], 2);
    gpu_must_do(gpu, satf_context_set_scratch(gpu, NULL, 0), "scratch");
    for (int i = 0; i < 3; i++) {
        satf_cuda()->free(gpu, memory[i]);
    }
    free(want.data), free(got.data), free(in.data), free(image.samples);
}

/* ----------------------------------------------------------- the device layer */

/* Rows of every kind of stride, below and above what goes through pinned memory,
 * and longer than a buffer of it. */
static void test_copies(void **state)
{
    (void)state;
    static const int64_t shapes[][2] = {{3, 1}, {1000, 777}, {4099, 5003}, {20000003, 2}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        for (int kind = 0; kind < 8; kind++) {
            int64_t width = shapes[s][0], height = shapes[s][1], pad = kind & 1 ? 13 : 0;
            size_t bytes = (size_t)((width + pad) * height);
            satf_view up = satf_view_packed(malloc(bytes), width, height, 1, SATF_U8);
            satf_view down = satf_view_packed(malloc(bytes), width, height, 1, SATF_U8);
            satf_view like = up;
            void *memory;
            satf_view there = gpu_view(gpu, &like, pad, 1, kind & 2, &memory);
            uint64_t seed = (uint64_t)kind;
            for (size_t i = 0; i < bytes; i++) {
                ((unsigned char *)up.data)[i] = (unsigned char)(ref_random(&seed) >> 9);
            }
            memset(down.data, GPU_GUARD, bytes);
            up.stride = width + pad;
            if (kind & 4) {
                up.data = (char *)up.data + (height - 1) * up.stride;
                up.stride = -up.stride;
            }
            gpu_must_do(gpu, satf_cuda()->copy(gpu, &up, &there), "upload");
            gpu_must_do(gpu, satf_cuda()->copy(gpu, &there, &down), "download");
            gpu_must_do(gpu, satf_cuda()->wait(gpu, GPU_DEVICE), "copies");
            for (int64_t y = 0; y < height; y++) {
                assert_memory_equal(satf_row(&up, y), satf_row(&down, y), (size_t)width);
            }
            satf_cuda()->free(gpu, memory);
            free(kind & 4 ? satf_row(&up, height - 1) : up.data);
            free(down.data);
        }
    }
}

static void test_two_contexts(void **state)
{
    (void)state;
    enum { N = 2, ROUNDS = 20 };
    satf_context *ctx[N];
    void *memory[N][2];
    satf_view in[N], out[N], host[N], want[N];
    ref_image image[N];
    satf_filter *filter = make_filter("box", SATF_MIRROR, 0, 15, 9);
    for (int k = 0; k < N; k++) {
        gpu_must_do(NULL, satf_context_create(&ctx[k]), "context");
        image[k] = (ref_image){800 + 100 * k, 700, 1 + k, SATF_U8, 0, NULL};
        ref_fill(&image[k], (uint64_t)k + 1);
        host[k] = ref_view(&image[k], 0);
        want[k] = host_view(&host[k]);
        gpu_must_do(cpu, gpu_apply_here(filter, &host[k], &want[k]), "box");
        in[k] = gpu_view(ctx[k], &host[k], 0, 0, false, &memory[k][0]);
        out[k] = gpu_view(ctx[k], &host[k], 0, 0, false, &memory[k][1]);
        gpu_must_do(ctx[k], satf_cuda()->copy(ctx[k], &host[k], &in[k]), "upload");
    }
    for (int i = 0; i < ROUNDS * N; i++) {
        gpu_must_do(ctx[i % N], satf_filter_apply(ctx[i % N], filter, &in[i % N], &out[i % N]),
                    "box");
    }
    for (int k = 0; k < N; k++) {
        satf_view got = host_view(&host[k]);
        gpu_must_do(ctx[k], satf_cuda()->copy(ctx[k], &out[k], &got), "download");
        gpu_must_do(ctx[k], satf_cuda()->wait(ctx[k], GPU_DEVICE), "box");
        test_case t = {filter, "two contexts", host[k], host[k], SATF_MIRROR, 15, 9, 0};
        compare(&t, &want[k], &got, "device views");
        satf_cuda()->free(ctx[k], memory[k][0]);
        satf_cuda()->free(ctx[k], memory[k][1]);
        satf_context_destroy(ctx[k]);
        free(got.data), free(want[k].data), free(host[k].data), free(image[k].samples);
    }
    satf_filter_destroy(filter);
}

/* A table that does not fit beside its image: refused, and all is as before. */
static void test_exhaustion(void **state)
{
    (void)state;
    satf_gpu_info info;
    assert_true(satf_cuda()->describe(GPU_DEVICE, &info));
    satf_context *ctx;
    gpu_must_do(NULL, satf_context_create(&ctx), "context");
    void *memory[2] = {NULL, NULL};
    assert_int_equal(
        satf_cuda()->alloc(ctx, GPU_DEVICE, info.memory_bytes * 2, "a test", &memory[0]),
        SATF_NO_MEMORY);
    assert_null(memory[0]);
    assert_non_null(strstr(satf_message(ctx), "bytes wanted for a test"));
    assert_non_null(strstr(satf_message(ctx), "are free"));
    satf_view in =
        satf_view_packed(NULL, 1 << 16, (int64_t)(info.memory_bytes / 5) >> 16, 1, SATF_U8);
    satf_view out = in;
    in.device = out.device = GPU_DEVICE;
    gpu_must_do(
        ctx,
        satf_cuda()->alloc(ctx, GPU_DEVICE, (size_t)(in.stride * in.height), "a test", &memory[0]),
        "input");
    gpu_must_do(
        ctx,
        satf_cuda()->alloc(ctx, GPU_DEVICE, (size_t)(in.stride * in.height), "a test", &memory[1]),
        "output");
    in.data = memory[0], out.data = memory[1];
    satf_filter *filter = make_filter("box", SATF_CLAMP, 0, 3, 3);
    gpu_must_do(ctx, satf_context_set_engine(ctx, SATF_ENGINE_SAT), "engine");
    assert_int_equal(satf_filter_apply(ctx, filter, &in, &out), SATF_NO_MEMORY);
    assert_non_null(strstr(satf_message(ctx), "bytes wanted for filtering"));
    in.height = out.height = 64;
    gpu_must_do(
        ctx, satf_cuda()->set_bytes(ctx, GPU_DEVICE, in.data, 7, (size_t)(in.stride * in.height)),
        "fill");
    gpu_must_do(ctx, satf_filter_apply(ctx, filter, &in, &out), "box after a refusal");
    unsigned char sample = 0;
    gpu_must_do(ctx, satf_cuda()->copy_bytes(ctx, GPU_DEVICE, &sample, (char *)out.data + 12345, 1),
                "download");
    gpu_must_do(ctx, satf_cuda()->wait(ctx, GPU_DEVICE), "box after a refusal");
    assert_int_equal(sample, 7);
    satf_cuda()->free(ctx, memory[0]);
    satf_cuda()->free(ctx, memory[1]);
    satf_filter_destroy(filter);
    satf_context_destroy(ctx);
}

static void test_misuse(void **state)
{
    (void)state;
    ref_image image = {8, 8, 1, SATF_U8, 0, NULL};
    ref_fill(&image, 1);
    satf_view host = ref_view(&image, 0), out = host_view(&host);
    void *memory;
    satf_view there = gpu_view(gpu, &host, 0, 0, false, &memory);
    satf_filter *filter = make_filter("box", SATF_CLAMP, 0, 3, 3);
    assert_int_equal(satf_filter_apply(gpu, filter, &there, &out), SATF_INVALID);
    assert_non_null(strstr(satf_message(gpu), "one device"));
    gpu_must_do(gpu, satf_context_set_engine(gpu, SATF_ENGINE_WINDOW), "engine");
    satf_filter *high = make_filter("box", SATF_CLAMP, 0, 3, 5000);
    assert_int_equal(satf_filter_apply(gpu, high, &host, &out), SATF_UNSUPPORTED);
    assert_non_null(strstr(satf_message(gpu), "shared memory"));
    satf_filter_destroy(high);
    gpu_must_do(gpu, satf_context_set_engine(gpu, SATF_ENGINE_AUTO), "engine");
    gpu_must_do(gpu, satf_filter_apply(gpu, filter, &host, &out), "box after refusals");
    satf_filter_destroy(filter);
    satf_cuda()->free(gpu, memory);
    free(host.data), free(out.data), free(image.samples);
}

/* ------------------------------------------------------------------- the command */

static void test_command(void **state)
{
    (void)state;
    const char *top = getenv("top_builddir");
    char command[4096];
    snprintf(command, sizeof command,
             "set -e; b=$(cd '%s' && pwd); d=$(mktemp -d); trap 'rm -rf \"$d\"' EXIT; cd \"$d\"; "
             "printf 'P5 317 211 255\\n' >in.pgm; seq 20000 | head -c 66887 >>in.pgm; "
             "for f in '--box 15' '--stddev 4 --border wrap' '--integral' '--box 3 --variance 9'; "
             "do \"$b/satfilter\" --device cpu --engine sat $f in.pgm cpu.npy; "
             "\"$b/satfilter\" --device cuda --engine sat --json $f in.pgm gpu.npy >json; "
             "cmp cpu.npy gpu.npy; grep -q '\"device\": \"cuda\"' json; "
             "grep -q '\"engine\": \"sat\"' json; done; "
             "\"$b/satfilter\" -v --device cuda:0 --box 3 in.pgm gpu.png 2>err; "
             "grep -q 'window engine, cuda' err",
             top ? top : ".");
    assert_int_equal(system(command), 0);
}

int main(int argc, char **argv)
{
    gpu_test_begin(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copies),     cmocka_unit_test(test_sat),
        cmocka_unit_test(test_filters),    cmocka_unit_test(test_chain),
        cmocka_unit_test(test_wide_sums),  cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_overflow),   cmocka_unit_test(test_two_contexts),
        cmocka_unit_test(test_exhaustion), cmocka_unit_test(test_misuse),
        cmocka_unit_test(test_command),
    };
    const struct CMUnitTest small_tests[] = {
        cmocka_unit_test(test_filters),      cmocka_unit_test(test_wide_sums),
        cmocka_unit_test(test_not_finite),   cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_two_contexts),
    };
    return gpu_test_end("test_gpu_filter",
                        gpu_small ? cmocka_run_group_tests(small_tests, gpu_set_up, gpu_tear_down)
                                  : cmocka_run_group_tests(tests, gpu_set_up, gpu_tear_down));
}
