/* Views on a CUDA device that are parts: channels, regions; and an order of pixels that is
 * prepared. */
#include "program.h"

#include <stdlib.h>
#include <string.h>

#include "../../src/base/view.h"

enum { W = 333, H = 222, CHANNELS = 3, IMAGES = 3, RUNS = 12, MOST = W * H * CHANNELS * 8 };

static void *pixels_of(unsigned seed)
{
    uint8_t *pixels = malloc(W * H * CHANNELS);
    assert_non_null(pixels);
    for (unsigned i = 0; i < W * H * CHANNELS; i++) {
        pixels[i] = (uint8_t)((i + 1) * (seed * 2 + 2654435761u) >> 24);
    }
    return pixels;
}

enum { LARGEST = (W + 1) * (H + 1) * 8 * 2 }; /* behind zeros, with gaps */

/* A place in `memory` for such an image, a pixel's bytes between every two. */
static satf_view spread(const satf_view *like, int device, void *memory)
{
    satf_view view = *like;
    view.pixel_stride = 2 * satf_pixel_bytes(like);
    view.stride = view.pixel_stride * like->width;
    view.device = device;
    view.data = memory;
    return view;
}

/* In memory that was GPU_GUARD: the result's pixels, and guards between them. */
static void check_spread(const satf_view *want, const unsigned char *memory, const char *spec,
                         const char *how)
{
    size_t pixel = (size_t)satf_pixel_bytes(want);
    for (int64_t y = 0; y < want->height; y++) {
        const char *row = satf_row(want, y);
        for (int64_t x = 0; x < want->width; x++, memory += 2 * pixel) {
            bool good = memcmp(memory, row + x * (int64_t)pixel, pixel) == 0;
            for (size_t i = 0; i < pixel; i++) {
                good = good && memory[pixel + i] == GPU_GUARD;
            }
            if (!good) {
                fail_msg("%s, %s: pixel (%ld, %ld)", spec, how, (long)x, (long)y);
            }
        }
    }
}

/* Green of RGB, all of the result and a part, on the host and on the device. */
static void check_channel(const char *spec, const uint8_t *rgb, void *there, void *result)
{
    static unsigned char got[LARGEST], wanted[LARGEST];
    satf_filter *filter;
    gpu_must(cpu, satf_filter_parse(cpu, spec, &filter));
    satf_view in = satf_view_packed((void *)(uintptr_t)(rgb + 1), W, H, 1, SATF_U8), want;
    in.stride = W * CHANNELS;
    in.pixel_stride = CHANNELS;
    gpu_must(cpu, satf_filter_output(cpu, filter, &in, &want));
    want.data = wanted;
    gpu_must(cpu, gpu_apply_here(filter, &in, &want));
    const satf_rect where = {want.width / 3, want.height / 4, 40, 30};
    for (int way = 0; way < 4; way++) {
        bool on_device = way & 1, part = way & 2;
        satf_view piece = part ? satf_view_rect(&want, where) : want, from = in;
        satf_view out =
            spread(&piece, on_device ? GPU_DEVICE : SATF_HOST, on_device ? result : got);
        if (on_device) {
            from.device = GPU_DEVICE;
            from.data = (char *)there + 1;
            gpu_must(gpu, satf_cuda()->set_bytes(gpu, GPU_DEVICE, result, GPU_GUARD, LARGEST));
        }
        memset(got, GPU_GUARD, sizeof got);
        gpu_must_do(gpu,
                    part ? satf_filter_apply_rect(gpu, filter, &from, &where, &out)
                         : satf_filter_apply(gpu, filter, &from, &out),
                    spec);
        if (on_device) {
            gpu_must(gpu, satf_cuda()->copy_bytes(gpu, GPU_DEVICE, got, result, LARGEST));
            gpu_must(gpu, satf_cuda()->wait(gpu, GPU_DEVICE));
        }
        check_spread(&piece, got, spec, on_device ? "on the device" : "on the host");
    }
    satf_filter_destroy(filter);
}

static void test_channels_and_parts(void **unused)
{
    (void)unused;
    static const char *const grey[] = {"box=15",
                                       "variance=7,border=mirror",
                                       "sum=9x4,at=2:-1",
                                       "integral",
                                       "box=3 rotate=90 box=5",
                                       "flip=h",
                                       "sauvola=9",
                                       "wolf=9",
                                       "threshold=otsu",
                                       "threshold=100",
                                       "wolf=9,border=valid",
                                       "integral,zeros",
                                       "box=3 integral,zeros,squared rotate=90",
                                       "box=9x4,border=valid sum=4,border=valid",
                                       "unsharp=5,border=valid rotate=90 stddev=3,border=valid",
                                       "transpose"};
    void *there, *result, *rgb = pixels_of(7);
    gpu_must(gpu, satf_cuda()->alloc(gpu, GPU_DEVICE, W * H * CHANNELS, "a test", &there));
    gpu_must(gpu, satf_cuda()->alloc(gpu, GPU_DEVICE, LARGEST, "a test", &result));
    gpu_must(gpu, satf_cuda()->copy_bytes(gpu, GPU_DEVICE, there, rgb, W * H * CHANNELS));
    gpu_must(gpu, satf_cuda()->wait(gpu, GPU_DEVICE));
    for (size_t i = 0; i < sizeof grey / sizeof *grey; i++) {
        check_channel(grey[i], rgb, there, result);
    }
    satf_cuda()->free(gpu, there);
    satf_cuda()->free(gpu, result);
    free(rgb);
}

/* An order without any pattern, too large for the device's caches: prepared, and as a gather where
 * images are not aligned to their pixels. */
static void test_permute(void **unused)
{
    (void)unused;
    enum { SIDE = 4096, PIXELS = SIDE * SIDE };
    if (gpu_small) {
        skip();
    }
    int64_t *order = malloc(PIXELS * sizeof *order);
    float *pixels = malloc(PIXELS * sizeof *pixels), *want = malloc(PIXELS * sizeof *want);
    float *got = malloc(PIXELS * sizeof *got);
    uint64_t seed = 1;
    for (int64_t i = 0; i < PIXELS; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        int64_t j = (int64_t)((seed >> 33) % (uint64_t)(i + 1));
        order[i] = order[j];
        order[j] = i;
        pixels[i] = (float)i;
    }
    for (int64_t i = 0; i < PIXELS; i++) {
        want[i] = pixels[order[i]];
    }
    satf_filter *filter;
    satf_plan *plan;
    satf_used used;
    satf_view view = satf_view_packed(NULL, SIDE, SIDE, 1, SATF_F32);
    view.device = GPU_DEVICE;
    gpu_must(gpu, satf_filter_create(gpu, "permute", &filter));
    gpu_must(gpu, satf_filter_set_order(gpu, filter, order, PIXELS));
    gpu_must(gpu, satf_plan_create(gpu, filter, &view, 1, &view, 1, &plan));
    satf_plan_step(plan, 0, &used, sizeof used);
    assert_string_equal(used.engine, "permute");
    assert_true(strcmp(used.algorithm, "fused") == 0 || strcmp(used.algorithm, "scheduled") == 0);
    void *in, *out;
    size_t bytes = PIXELS * sizeof *pixels;
    gpu_must(gpu, satf_cuda()->alloc(gpu, GPU_DEVICE, bytes + 4, "a test", &in));
    gpu_must(gpu, satf_cuda()->alloc(gpu, GPU_DEVICE, bytes + 4, "a test", &out));
    for (int shift = 0; shift <= 2; shift += 2) {
        satf_view from = view, to = view;
        from.data = (char *)in + shift;
        to.data = (char *)out + shift;
        gpu_must(gpu, satf_cuda()->copy_bytes(gpu, GPU_DEVICE, from.data, pixels, bytes));
        gpu_must(gpu, satf_plan_run(plan, &from, 1, &to, 1));
        gpu_must(gpu, satf_cuda()->copy_bytes(gpu, GPU_DEVICE, got, to.data, bytes));
        gpu_must(gpu, satf_cuda()->wait(gpu, GPU_DEVICE));
        assert_memory_equal(got, want, bytes);
        gpu_runs++;
    }
    satf_cuda()->free(gpu, in);
    satf_cuda()->free(gpu, out);
    satf_plan_destroy(plan);
    satf_filter_destroy(filter);
    free(order);
    free(pixels);
    free(want);
    free(got);
}

int main(int argc, char **argv)
{
    setenv("SATFILTER_TUNE", "off", 1);
    gpu_test_begin(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_channels_and_parts),
        cmocka_unit_test(test_permute),
    };
    return gpu_test_end("test_gpu_parts", cmocka_run_group_tests(tests, gpu_set_up, gpu_tear_down));
}
