/* Moved pixels on a CUDA device against the CPU's, bit for bit: every turn and order, any memory.
 * --small: a few cases for compute-sanitizer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "../move_reference.h"
#include "filter/filter.h"
#include "program.h"

/* Beside tiles of 32, 64 and 128 pixels, and words. */
static const int64_t sizes[][2] = {{1, 1},     {1, 97},  {97, 1},    {2, 3},
                                   {33, 31},   {64, 64}, {131, 67},  {128, 128},
                                   {129, 257}, {300, 5}, {1030, 515}};
enum { SIZES = sizeof sizes / sizeof *sizes };

static satf_filter *parse(const char *spec)
{
    satf_filter *filter = NULL;
    gpu_must_do(cpu, satf_filter_parse(cpu, spec, &filter), spec);
    return filter;
}

static void compare(const char *name, const satf_view *in, const satf_view *want,
                    const satf_view *got, uint64_t seed, const char *how)
{
    size_t bytes = (size_t)satf_row_samples(want) * satf_type_bytes(want->type);
    for (int64_t y = 0; y < want->height; y++) {
        if (memcmp(satf_row(want, y), satf_row(got, y), bytes) != 0) {
            const char *a = satf_row(want, y), *b = satf_row(got, y);
            size_t i = 0;
            while (a[i] == b[i]) {
                i++;
            }
            fail_msg("%s, %s: %s to %s, %d channels, %ld x %ld, seed %lu: row %ld, byte %zu", name,
                     how, satf_type_name(in->type), satf_type_name(want->type), in->channels,
                     (long)in->width, (long)in->height, (unsigned long)seed, (long)y, i);
        }
    }
    gpu_runs++;
}

/* Host views, then views on the device, which the seed lays out. out: its type. */
static void run_case(const char *name, const satf_filter *filter, const satf_view *in, int type,
                     uint64_t seed)
{
    satf_view out;
    gpu_must_do(cpu, satf_filter_output(cpu, filter, in, &out), name);
    if (type != SATF_TYPE_AUTO) {
        out = satf_view_packed(NULL, out.width, out.height, out.channels, (satf_type)type);
    }
    size_t bytes = (size_t)(out.stride * out.height);
    satf_view want = out, got = out;
    want.data = malloc(bytes);
    got.data = malloc(bytes);
    memset(got.data, GPU_GUARD, bytes);
    gpu_must_do(cpu, gpu_apply_here(filter, in, &want), name);
    gpu_must_do(gpu, satf_filter_apply(gpu, filter, in, &got), name);
    compare(name, in, &want, &got, seed, "host views");
    satf_used report;
    satf_context_used(gpu, &report, sizeof report);
    assert_string_equal(report.device, "cuda");

    void *memory[2];
    int64_t pad = (int64_t)(seed % 6), shift = (int64_t)(seed / 4 % 4);
    satf_view there = gpu_view(gpu, in, seed & 64 ? 0 : pad, shift, seed & 16, &memory[0]);
    satf_view result =
        gpu_view(gpu, &out, seed & 64 ? 0 : 5 - pad, 3 - shift, seed & 32, &memory[1]);
    gpu_must_do(gpu, satf_cuda()->copy(gpu, in, &there), "upload");
    gpu_must_do(gpu, satf_filter_apply(gpu, filter, &there, &result), name);
    memset(got.data, GPU_GUARD, bytes);
    gpu_must_do(gpu, satf_cuda()->copy(gpu, &result, &got), "download");
    gpu_must_do(gpu, satf_cuda()->wait(gpu, GPU_DEVICE), name);
    compare(name, in, &want, &got, seed, "device views");
    gpu_check_guards(gpu, &result, memory[1], 3 - shift);
    satf_cuda()->free(gpu, memory[0]);
    satf_cuda()->free(gpu, memory[1]);
    free(want.data);
    free(got.data);
}

static satf_view noise(int64_t width, int64_t height, int channels, int type, uint64_t seed)
{
    satf_view view = satf_view_packed(NULL, width, height, channels, (satf_type)type);
    view.data = malloc((size_t)(view.stride * height));
    ref_noise(&view, seed);
    return view;
}

static void for_all_images(void (*call)(const satf_view *in, uint64_t seed))
{
    uint64_t seed = 1;
    for (int type = SATF_U8; type <= SATF_F64; type++) {
        for (int channels = 1; channels <= SATF_MAX_CHANNELS; channels++) {
            for (int k = 0; k < SIZES; k++, seed += 13) {
                if (gpu_small && (k % 6 || (type != SATF_U8 && channels % 2 == 0))) {
                    continue;
                }
                satf_view in = noise(sizes[k][0], sizes[k][1], channels, type, seed);
                in.flags = channels % 2 ? 0 : SATF_ALPHA;
                call(&in, seed);
                free(in.data);
            }
        }
    }
}

static void turn_image(const satf_view *in, uint64_t seed)
{
    for (int turn = 0; turn < REF_TURNS; turn++) {
        satf_filter *filter = parse(ref_turns[turn].spec);
        run_case(ref_turns[turn].spec, filter, in, SATF_TYPE_AUTO, seed + (uint64_t)turn * 31);
        satf_filter_destroy(filter);
    }
}

static void test_turns(void **state)
{
    (void)state;
    for_all_images(turn_image);
}

/* A part at any place: rows of any alignment. */
static void crop_image(const satf_view *in, uint64_t seed)
{
    char spec[96];
    int64_t w = 1 + (int64_t)(seed * 5 % (uint64_t)in->width);
    int64_t h = 1 + (int64_t)(seed * 3 % (uint64_t)in->height);
    snprintf(spec, sizeof spec, "crop=%ldx%ld+%ld+%ld", (long)w, (long)h,
             (long)(seed % (uint64_t)(in->width - w + 1)),
             (long)(seed / 7 % (uint64_t)(in->height - h + 1)));
    satf_filter *filter = parse(spec);
    run_case(spec, filter, in, SATF_TYPE_AUTO, seed);
    satf_filter_destroy(filter);
}

static void test_parts(void **state)
{
    (void)state;
    for_all_images(crop_image);
}

/* Floats that are numbers: of others the bits are the processor's. */
static void grey_image(const satf_view *in, uint64_t seed)
{
    satf_filter *filter = parse("grey");
    for (int64_t i = 0; i < in->width * in->height * in->channels; i++) {
        double value = (double)((i * 7919 + (int64_t)seed) % 100003) / 17 - 900;
        if (in->type == SATF_F32) {
            ((float *)in->data)[i] = (float)value;
        } else if (in->type == SATF_F64) {
            ((double *)in->data)[i] = value;
        }
    }
    run_case("grey", filter, in, SATF_TYPE_AUTO, seed);
    satf_filter_destroy(filter);
}

static void test_grey(void **state)
{
    (void)state;
    for_all_images(grey_image);
}

static satf_filter *shuffling(int64_t pixels, uint64_t seed)
{
    satf_filter *filter = NULL;
    int64_t *order = malloc((size_t)pixels * sizeof *order);
    ref_shuffle(order, pixels, seed);
    gpu_must_do(cpu, satf_filter_create(cpu, "permute", &filter), "permute");
    gpu_must_do(cpu, satf_filter_set_order(cpu, filter, order, (size_t)pixels), "permute");
    free(order);
    return filter;
}

static void permute_image(const satf_view *in, uint64_t seed)
{
    satf_filter *filter = shuffling(in->width * in->height, seed);
    run_case("permute", filter, in, SATF_TYPE_AUTO, seed);
    satf_filter_destroy(filter);
}

static void test_orders(void **state)
{
    (void)state;
    for_all_images(permute_image);
}

/* Outputs of another type than the input's, negative floats and large ones among them. */
static void test_conversions(void **state)
{
    (void)state;
    for (int from = SATF_U8; from <= SATF_F64; from++) {
        for (int to = SATF_U8; to <= SATF_F64; to++) {
            satf_view in = noise(67, 150, 3, from, (uint64_t)(from * 6 + to));
            for (int64_t i = 0; i < 67 * 150 * 3; i++) {
                double value = (double)(i % 1000) * 177.5 - 300;
                if (from == SATF_F32) {
                    ((float *)in.data)[i] = (float)value;
                } else if (from == SATF_F64) {
                    ((double *)in.data)[i] = value;
                }
            }
            satf_filter *filter = parse("rotate=90");
            run_case("conversion", filter, &in, to, (uint64_t)(from * 6 + to));
            satf_filter_destroy(filter);
            free(in.data);
        }
    }
}

/* Beside filters of sums, whose integers are exact. */
static void test_chains(void **state)
{
    (void)state;
    static const char *const specs[] = {"transpose box=15x4 rotate=270",
                                        "flip=v variance=5,border=wrap transpose",
                                        "rotate=90 integral flip=h",
                                        "rotate=180 stddev=3 flip=v",
                                        "crop=150x100+31+20 box=9x7 transpose crop=50x60",
                                        "box=5 grey crop=77x131 variance=5"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        satf_view in = noise(203, 131, 3, i % 2 ? SATF_U16 : SATF_U8, i);
        satf_filter *filter = parse(specs[i]);
        run_case(specs[i], filter, &in, SATF_TYPE_AUTO, i * 17);
        satf_filter_destroy(filter);
        free(in.data);
    }
}

/* Many tiles each way, and offsets beyond 31 bits within the image. */
static void test_large(void **state)
{
    (void)state;
    static const struct {
        int64_t width, height;
        int channels, type;
        const char *spec;
    } images[] = {{70001, 32771, 1, SATF_U8, "transpose"},
                  {8191, 4099, 3, SATF_U8, "rotate=90"},
                  {8192, 4096, 4, SATF_F64, "rotate=270"},
                  {4100000, 9, 3, SATF_U8, "flip=h"},
                  {70001, 32771, 1, SATF_U8, "crop=300x200+69701+32571"}};
    gpu_must_do(cpu, satf_context_set_limit(cpu, SATF_MAX_PIXELS, (int64_t)1 << 33), "limits");
    gpu_must_do(gpu, satf_context_set_limit(gpu, SATF_MAX_PIXELS, (int64_t)1 << 33), "limits");
    for (size_t i = 0; i < sizeof images / sizeof *images; i++) {
        satf_view in =
            noise(images[i].width, images[i].height, images[i].channels, images[i].type, i + 1);
        satf_filter *filter = parse(images[i].spec);
        run_case(images[i].spec, filter, &in, SATF_TYPE_AUTO, 64 + i);
        satf_filter_destroy(filter);
        free(in.data);
    }
    gpu_must_do(cpu, satf_context_set_limit(cpu, SATF_MAX_PIXELS, 0), "limits");
    gpu_must_do(gpu, satf_context_set_limit(gpu, SATF_MAX_PIXELS, 0), "limits");
}

int main(int argc, char **argv)
{
    gpu_test_begin(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_turns),  cmocka_unit_test(test_orders),
        cmocka_unit_test(test_chains), cmocka_unit_test(test_conversions),
        cmocka_unit_test(test_large),  cmocka_unit_test(test_parts),
        cmocka_unit_test(test_grey),
    };
    const struct CMUnitTest small_tests[] = {
        cmocka_unit_test(test_parts),       cmocka_unit_test(test_grey),
        cmocka_unit_test(test_turns),       cmocka_unit_test(test_orders),
        cmocka_unit_test(test_conversions),
    };
    return gpu_test_end("test_gpu_geometry",
                        gpu_small ? cmocka_run_group_tests(small_tests, gpu_set_up, gpu_tear_down)
                                  : cmocka_run_group_tests(tests, gpu_set_up, gpu_tear_down));
}
