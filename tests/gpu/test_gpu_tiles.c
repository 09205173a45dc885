/* Images of the host that a device's limit of memory does not hold: the CPU's bits, tile by tile.
 */
#include "program.h"

#include <stdlib.h>
#include <string.h>

#include "../filter_make.h"
#include "filter/pass.h"
#include "../filter_reference.h"

enum { W = 161, H = 147, MOST = W * H * 4 * 8 };

static char want[MOST], got[MOST];

/* By a fifth of what the whole takes; what depends on all of the image is refused. */
static void check_filter(const char *what, const satf_filter *filter, const satf_view *in)
{
    satf_view out;
    satf_plan *plan;
    satf_plan_info info;
    int64_t reach[4];
    gpu_must(cpu, satf_filter_output(cpu, filter, in, &out));
    size_t bytes = (size_t)out.stride * (size_t)out.height;
    out.data = want;
    gpu_must(cpu, gpu_apply_here(filter, in, &out));
    gpu_must(gpu, satf_context_set_limit(gpu, SATF_MAX_DEVICE_MEMORY, 0));
    gpu_must(gpu, satf_plan_create(gpu, filter, in, 1, &out, 1, &plan));
    satf_plan_describe(plan, &info, sizeof info);
    satf_plan_destroy(plan);
    gpu_must(gpu, satf_context_set_limit(gpu, SATF_MAX_DEVICE_MEMORY, (int64_t)(info.bytes / 5)));
    gpu_must(gpu, satf_filter_reach(gpu, filter, &reach[0], &reach[1], &reach[2], &reach[3]));
    bool all = (reach[0] == INT64_MAX || reach[2] == INT64_MAX) &&
               (reach[1] == INT64_MAX || reach[3] == INT64_MAX);
    out.data = got;
    memset(got, 0, bytes);
    satf_status status = satf_filter_apply(gpu, filter, in, &out);
    if (all) {
        assert_int_equal(status, SATF_LIMIT);
        gpu_refused++;
        return;
    }
    gpu_must_do(gpu, status, what);
    if (memcmp(got, want, bytes) != 0) {
        fail_msg("%s of %s, %d channels: other bits", what, satf_type_name(in->type), in->channels);
    }
    gpu_runs++;
}

/* All but floats whose sums round, which depend on what else is in the table. */
static void test_every_filter(void **unused)
{
    (void)unused;
    static const struct {
        int type, channels;
    } kinds[] = {{SATF_U8, 1}, {SATF_U8, 3}, {SATF_U16, 3}, {SATF_F32, 1}};
    static const char *const sizes[] = {"7x4", "1x5", "19x3"}, *const at[] = {"2:-1", "0:0",
                                                                              "-4:0"};
    const filter_info *info;
    for (size_t i = 0; (info = filter_info_at(i)); i++) {
        for (int border = 0; border <= SATF_VALID; border++) {
            for (int k = 0; k < (gpu_small ? 1 : 4); k++) {
                int s = (border + k) % 3;
                if (!filter_is_simple(info) && satf_type_is_float(kinds[k].type)) {
                    continue;
                }
                ref_image image = {W, H, kinds[k].channels, kinds[k].type, 0, NULL};
                ref_fill(&image, i * 100 + (uint64_t)k);
                satf_view in = ref_view(&image, 0);
                satf_filter *filter = make_filter_of(cpu, info, border, sizes[s], at[s], W, H);
                check_filter(info->name, filter, &in);
                satf_filter_destroy(filter);
                free(in.data);
                free(image.samples);
            }
        }
    }
    gpu_must(gpu, satf_context_set_limit(gpu, SATF_MAX_DEVICE_MEMORY, 0));
}

/* 600 million samples, of which the table alone would be 2.4 GB, with 256 MB. */
static void test_large(void **unused)
{
    (void)unused;
    enum { WIDTH = 20000, HEIGHT = 30000 };
    const size_t bytes = (size_t)WIDTH * HEIGHT;
    uint8_t *pixels = malloc(bytes), *right = malloc(bytes), *made = calloc(1, bytes);
    assert_true(pixels && right && made);
    uint64_t seed = 7;
    for (size_t i = 0; i < bytes; i += 8) {
        uint64_t random = ref_random(&seed);
        memcpy(pixels + i, &random, 8);
    }
    satf_view in = satf_view_packed(pixels, WIDTH, HEIGHT, 1, SATF_U8), out = in;
    satf_context *own;
    satf_filter *filter;
    satf_plan *plan;
    satf_plan_info info;
    assert_int_equal(satf_context_create(&own), SATF_OK);
    gpu_must(own, satf_filter_parse(own, "box=255", &filter));
    out.data = right;
    gpu_must(own, satf_filter_apply(own, filter, &in, &out));
    out.data = made;
    gpu_must(gpu, satf_context_set_limit(gpu, SATF_MAX_DEVICE_MEMORY, 256 << 20));
    gpu_must(gpu, satf_plan_create(gpu, filter, &in, 1, &out, 1, &plan));
    satf_plan_describe(plan, &info, sizeof info);
    assert_true(info.bytes <= 256 << 20 && info.device == GPU_DEVICE);
    satf_plan_destroy(plan);
    gpu_must(gpu, satf_filter_apply(gpu, filter, &in, &out));
    assert_true(memcmp(made, right, bytes) == 0);
    gpu_must(gpu, satf_context_set_limit(gpu, SATF_MAX_DEVICE_MEMORY, 0));
    gpu_runs++;
    satf_filter_destroy(filter);
    satf_context_destroy(own);
    free(pixels);
    free(right);
    free(made);
}

int main(int argc, char **argv)
{
    setenv("SATFILTER_TUNE", "off", 1);
    gpu_test_begin(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_filter),
        cmocka_unit_test(test_large),
    };
    const struct CMUnitTest small[] = {cmocka_unit_test(test_every_filter)};
    return gpu_test_end("test_gpu_tiles",
                        gpu_small ? cmocka_run_group_tests(small, gpu_set_up, gpu_tear_down)
                                  : cmocka_run_group_tests(tests, gpu_set_up, gpu_tear_down));
}
