/* Views on a CUDA device that are parts: channels, regions; and an order of pixels that is
 * prepared. */
#include "filter_make.h"
#include "move_reference.h"
#include "program.h"

#include "base/view.h"

enum { W = 333, H = 222, CHANNELS = 3 };

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
    SCOPED_FILTER *filter = parse_filter(cpu, spec);
    satf_view in = satf_view_packed((void *)(uintptr_t)(rgb + 1), W, H, 1, SATF_U8), want;
    in.stride = W * CHANNELS;
    in.pixel_stride = CHANNELS;
    MUST(cpu, satf_filter_output(cpu, filter, &in, &want));
    want.data = wanted;
    MUST(cpu, gpu_apply_here(filter, &in, &want));
    const satf_rect where = {want.width / 3, want.height / 4, 40, 30};
    for (int way = 0; way < 4; way++) {
        bool on_device = way & 1, part = way & 2;
        satf_view piece = part ? satf_view_rect(&want, where) : want, from = in;
        satf_view out =
            spread(&piece, on_device ? GPU_DEVICE : SATF_HOST, on_device ? result : got);
        if (on_device) {
            from.device = GPU_DEVICE;
            from.data = (char *)there + 1;
            gpu_set(result, GPU_GUARD, LARGEST);
        }
        memset(got, GPU_GUARD, sizeof got);
        gpu_must_do(gpu,
                    part ? satf_filter_apply_rect(gpu, filter, &from, &where, &out)
                         : satf_filter_apply(gpu, filter, &from, &out),
                    spec);
        if (on_device) {
            gpu_download(got, result, LARGEST);
        }
        check_spread(&piece, got, spec, on_device ? "on the device" : "on the host");
        gpu_runs++;
    }
}

TEST_ALONE(test_channels_and_parts)
{
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
    ON_HOST satf_view rgb = gpu_image(W, H, CHANNELS, SATF_U8, false, 7, 0);
    ON_DEVICE void *there = gpu_uploaded(rgb.data, W * H * CHANNELS);
    ON_DEVICE void *result = gpu_memory(LARGEST);
    for (size_t i = 0; i < sizeof grey / sizeof *grey; i++) {
        check_channel(grey[i], rgb.data, there, result);
    }
}

/* An order without any pattern, too large for the device's caches: prepared, and as a gather where
 * images are not aligned to their pixels. */
TEST_ALONE(test_permute)
{
    enum { SIDE = 4096, PIXELS = SIDE * SIDE };
    NOT_SMALL;
    SCOPED int64_t *order = malloc(PIXELS * sizeof *order);
    SCOPED float *pixels = malloc(PIXELS * sizeof *pixels), *got = malloc(PIXELS * sizeof *got);
    ref_shuffle(order, PIXELS, 1);
    for (int64_t i = 0; i < PIXELS; i++) {
        pixels[i] = (float)i;
    }
    SCOPED_FILTER *filter;
    SCOPED_PLAN *plan;
    satf_used used;
    satf_view view = satf_view_packed(NULL, SIDE, SIDE, 1, SATF_F32);
    view.device = GPU_DEVICE;
    MUST(gpu, satf_filter_create(gpu, "permute", &filter));
    MUST(gpu, satf_filter_set_order(gpu, filter, order, PIXELS));
    MUST(gpu, satf_plan_create(gpu, filter, &view, 1, &view, 1, &plan));
    satf_plan_step(plan, 0, &used, sizeof used);
    assert_string_equal(used.engine, "permute");
    assert_true(strcmp(used.algorithm, "fused") == 0 || strcmp(used.algorithm, "scheduled") == 0);
    size_t bytes = PIXELS * sizeof *pixels;
    ON_DEVICE char *in = gpu_memory(bytes + 4);
    ON_DEVICE char *out = gpu_memory(bytes + 4);
    for (int shift = 0; shift <= 2; shift += 2) {
        satf_view from = view, to = view;
        from.data = in + shift;
        to.data = out + shift;
        gpu_upload(from.data, pixels, bytes);
        MUST(gpu, satf_plan_run(plan, &from, 1, &to, 1));
        gpu_download(got, to.data, bytes);
        for (int64_t i = 0; i < PIXELS; i++) {
            assert_true(got[i] == (float)order[i]);
        }
        gpu_runs++;
    }
}

GPU_TEST_FILE;
