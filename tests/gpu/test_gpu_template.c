/* Templates on a CUDA device against the CPU's, bit for bit: by rings of sums in shared memory, by
 * tables, with rectangles inside, outside and across the borders, few and as many as there may be.
 * --small: a few cases for compute-sanitizer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../filter_reference.h"
#include "filter/rects.h"
#include "program.h"

static const int sample_types[] = {SATF_U8, SATF_U16, SATF_F32, SATF_F64};

/* Rectangles that begin up to so far from the pixel to both sides, and are as large. */
typedef struct template_shape {
    int64_t across, down;
} template_shape;

/* Some fit a ring, some do not, and some lie mostly outside. */
static const template_shape shapes[] = {{3, 2},   {30, 30}, {2, 60},  {62, 5},       {99, 50},
                                        {15, 80}, {700, 9}, {5, 400}, {60000, 60000}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

typedef struct template_case {
    satf_filter *filter;
    satf_view in, out; /* on the host; out without data */
    size_t count;
    const template_shape *shape;
    int border;
    uint64_t seed;
} template_case;

static int64_t choose(uint64_t *state, int64_t least, int64_t most)
{
    return least + (int64_t)(ref_random(state) % (uint64_t)(most - least + 1));
}

static satf_filter *make_template(const template_case *t, uint64_t *state)
{
    satf_filter *filter;
    satf_weighted_rect *rects = calloc(t->count, sizeof *rects);
    assert_non_null(rects);
    for (size_t k = 0; k < t->count; k++) {
        int64_t across = t->shape->across, down = t->shape->down;
        rects[k].rect.x = choose(state, -across, across);
        rects[k].rect.y = choose(state, -down, down);
        rects[k].rect.w = choose(state, 1, across);
        rects[k].rect.h = choose(state, 1, down);
        rects[k].weight = (double)choose(state, -1000, 1000) / 77;
    }
    double constant = t->border == SATF_CONSTANT ? (double)choose(state, 0, 200) : 0;
    gpu_must(cpu, satf_filter_create(cpu, "template", &filter));
    gpu_must(cpu, satf_filter_set_rects(cpu, filter, rects, t->count));
    gpu_must(cpu, satf_filter_set_border(cpu, filter, (satf_border)t->border, constant));
    free(rects);
    return filter;
}

static satf_view host_view(const satf_view *like)
{
    satf_view view = *like;
    view.data = malloc((size_t)(view.stride * view.height));
    assert_non_null(view.data);
    memset(view.data, GPU_GUARD, (size_t)(view.stride * view.height));
    return view;
}

/* Also what lies between the rows. */
static void compare(const template_case *t, const satf_view *want, const satf_view *got,
                    const char *how)
{
    for (int64_t y = 0; y < want->height; y++) {
        if (memcmp(satf_row(want, y), satf_row(got, y), (size_t)want->stride) != 0) {
            fail_msg("%s: %s to %s, %d channels, %ld x %ld, %zu rectangles up to %ld x %ld, border "
                     "%s, seed %lu: row %ld differs",
                     how, satf_type_name(t->in.type), satf_type_name(want->type), t->in.channels,
                     (long)want->width, (long)want->height, t->count, (long)t->shape->across,
                     (long)t->shape->down, satf_border_name(t->border), (unsigned long)t->seed,
                     (long)y);
        }
    }
    gpu_runs++;
}

/* Whether it went by tables. */
static bool run_by_engine(const template_case *t, const satf_view *want)
{
    satf_view got = host_view(&t->out);
    satf_used report;
    gpu_must(gpu, satf_filter_apply(gpu, t->filter, &t->in, &got));
    satf_context_used(gpu, &report, sizeof report);
    bool sat = strcmp(report.engine, "sat") == 0;
    compare(t, want, &got, sat ? "host views by tables" : "host views by rings");
    memset(got.data, GPU_GUARD, (size_t)(got.stride * got.height));
    gpu_run_there("template", t->filter, &t->in, &got, t->seed, true);
    compare(t, want, &got, sat ? "device views by tables" : "device views by rings");
    free(got.data);
    return sat;
}

static long rings; /* cases that went by these */

/* By the fastest engine, and by tables. */
static void run_template(const ref_image *image, size_t count, const template_shape *shape,
                         uint64_t seed)
{
    static const int out_types[] = {SATF_F64, SATF_F32, SATF_U8, SATF_U16, SATF_U32, SATF_F32};
    uint64_t state = seed + 1;
    template_case t = {.count = count, .shape = shape, .seed = seed};
    t.border = (int)choose(&state, 0, SATF_SHRINK);
    t.filter = make_template(&t, &state);
    t.in = ref_view(image, (int64_t)(seed % 3));
    gpu_must(cpu, satf_filter_output(cpu, t.filter, &t.in, &t.out));
    t.out.type = out_types[seed % 6];
    t.out.stride = satf_row_samples(&t.out) * (int64_t)satf_type_bytes(t.out.type) +
                   (int64_t)(seed % 7 ? seed % 2 * 8 : seed % 5);
    satf_view want = host_view(&t.out);
    gpu_must(cpu, gpu_apply_here(t.filter, &t.in, &want));
    if (!run_by_engine(&t, &want)) {
        rings++;
        gpu_must(gpu, satf_context_set_engine(gpu, SATF_ENGINE_SAT));
        assert_true(run_by_engine(&t, &want));
        gpu_must(gpu, satf_context_set_engine(gpu, SATF_ENGINE_AUTO));
    }
    satf_filter_destroy(t.filter);
    free(want.data);
    free(t.in.data);
}

static void test_templates(void **state)
{
    (void)state;
    static const int64_t sizes[][2] = {{1, 1}, {7, 90}, {129, 67}, {1000, 301}, {513, 8}};
    static const size_t counts[] = {1, 2, 4, 37};
    uint64_t seed = 1;
    rings = 0;
    for (int i = 0; i < 4 * 4 * 5; i++) {
        ref_image image = {
            sizes[i % 5][0], sizes[i % 5][1], i / 5 % 4 + 1, sample_types[i / 20], 0, NULL};
        if (gpu_small && (i % 5 != 2 || image.channels % 2 == 0)) {
            continue;
        }
        ref_fill(&image, (uint64_t)i);
        for (size_t k = 0; k < 2 * SHAPES; k++, seed++) {
            if (!gpu_small || k % 4 == 1) {
                run_template(&image, counts[(k + (size_t)i) % 4], &shapes[k % SHAPES], seed);
            }
        }
        free(image.samples);
    }
    assert_true(rings > 0);
}

static void test_many_rectangles(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 12; seed++) {
        ref_image image = {301, 203, 1, seed % 3 == 2 ? SATF_F32 : SATF_U8, 0, NULL};
        ref_fill(&image, seed);
        run_template(&image, seed % 2 ? FILTER_MAX_RECTS : 65, &shapes[seed / 2], seed);
        free(image.samples);
    }
}

int main(int argc, char **argv)
{
    gpu_test_begin(argc, argv);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_templates),
                                       cmocka_unit_test(test_many_rectangles)};
    const struct CMUnitTest small_tests[] = {cmocka_unit_test(test_templates)};
    return gpu_test_end("test_gpu_template",
                        gpu_small ? cmocka_run_group_tests(small_tests, gpu_set_up, gpu_tear_down)
                                  : cmocka_run_group_tests(tests, gpu_set_up, gpu_tear_down));
}
