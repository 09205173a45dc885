/* Images of the host that a device's limit of memory does not hold: the CPU's bits, tile by tile.
 */
#include "program.h"

#include "filter_make.h"
#include "chain/pass.h"
#include "filter_reference.h"

enum { W = 161, H = 147 };

/* By a fifth of what the whole takes, by half where colour becomes grey, whose narrow tiles have
 * padded rows beside those of the colours; what depends on all of the image is refused. */
static void check_filter(const char *what, const satf_filter *filter, const satf_view *in)
{
    satf_plan *plan;
    satf_plan_info info;
    int64_t reach[4];
    gpu_trial t = gpu_trial_of(what, filter, in, 0);
    ON_HOST satf_view want = gpu_right(&t);
    ON_HOST satf_view got = gpu_host_view(&t.out);
    MUST(gpu, satf_context_set_limit(gpu, SATF_LIMIT_DEVICE_MEMORY, 0));
    MUST(gpu, satf_plan_create(gpu, filter, in, 1, &got, 1, &plan));
    satf_plan_describe(plan, &info, sizeof info);
    satf_plan_destroy(plan);
    int64_t parts = got.channels < in->channels ? 2 : 5;
    MUST(gpu, satf_context_set_limit(gpu, SATF_LIMIT_DEVICE_MEMORY, info.memory_bytes / parts));
    MUST(gpu, satf_filter_reach(gpu, filter, &reach[0], &reach[1], &reach[2], &reach[3]));
    bool all = (reach[0] == INT64_MAX || reach[2] == INT64_MAX) &&
               (reach[1] == INT64_MAX || reach[3] == INT64_MAX);
    satf_status status = satf_filter_apply(gpu, filter, in, &got);
    if (all) {
        assert_int_equal(status, SATF_LIMIT);
        gpu_refused++;
        return;
    }
    gpu_must_do(gpu, status, what);
    gpu_same(&t, &want, &got, "tile by tile");
}

/* All but floats whose sums round, which depend on what else is in the table. */
TEST_ALONE(test_every_filter)
{
    static const struct {
        int type, channels;
    } kinds[] = {{SATF_U8, 1}, {SATF_U8, 3}, {SATF_U16, 3}, {SATF_F32, 1}};
    static const char *const sizes[] = {"7x4", "1x5", "19x3"}, *const at[] = {"2:-1", "0:0",
                                                                              "-4:0"};
    const filter_info *info;
    for (size_t i = 0; (info = filter_info_at(i)); i++) {
        for (int border = 0; border <= SATF_BORDER_VALID; border++) {
            for (int k = 0; k < (gpu_small ? 1 : 4); k++) {
                int s = (border + k) % 3;
                if (!filter_is_simple(info) && satf_type_is_float(kinds[k].type)) {
                    continue;
                }
                ON_HOST satf_view in = gpu_image(W, H, kinds[k].channels, kinds[k].type, false,
                                                 i * 100 + (uint64_t)k, 0);
                SCOPED_FILTER *filter = make_filter_of(cpu, info, border, sizes[s], at[s], W, H);
                check_filter(info->name, filter, &in);
            }
        }
    }
    MUST(gpu, satf_context_set_limit(gpu, SATF_LIMIT_DEVICE_MEMORY, 0));
}

/* 600 million samples, of which the table alone would be 2.4 GB, with 256 MB. */
TEST_ALONE(test_large)
{
    NOT_SMALL;
    enum { WIDTH = 20000, HEIGHT = 30000 };
    const size_t bytes = (size_t)WIDTH * HEIGHT;
    satf_view in = satf_view_packed(NULL, WIDTH, HEIGHT, 1, SATF_U8);
    ON_HOST satf_view pixels = gpu_host_view(&in);
    ON_HOST satf_view right = gpu_host_view(&in);
    ON_HOST satf_view made = gpu_host_view(&in);
    uint64_t seed = 7;
    for (size_t i = 0; i < bytes; i += 8) {
        uint64_t random = ref_random(&seed);
        memcpy((char *)pixels.data + i, &random, 8);
    }
    SCOPED_CONTEXT *own;
    SCOPED_PLAN *plan;
    satf_plan_info info;
    assert_int_equal(satf_context_create(&own), SATF_OK);
    SCOPED_FILTER *filter = parse_filter(own, "box=255");
    MUST(own, satf_filter_apply(own, filter, &pixels, &right));
    MUST(gpu, satf_context_set_limit(gpu, SATF_LIMIT_DEVICE_MEMORY, 256 << 20));
    MUST(gpu, satf_plan_create(gpu, filter, &pixels, 1, &made, 1, &plan));
    satf_plan_describe(plan, &info, sizeof info);
    assert_true(info.memory_bytes <= 256 << 20 && info.device == GPU_DEVICE);
    MUST(gpu, satf_filter_apply(gpu, filter, &pixels, &made));
    assert_true(memcmp(made.data, right.data, bytes) == 0);
    MUST(gpu, satf_context_set_limit(gpu, SATF_LIMIT_DEVICE_MEMORY, 0));
    gpu_runs++;
}

GPU_TEST_FILE;
