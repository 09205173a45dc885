/* Floats that have a large offset, and what is not finite, on a CUDA device. */
#include "../filter_offsets.h"
#include "../not_finite.h"
#include "program.h"

static void test_offsets(void **state)
{
    (void)state;
    check_offsets(gpu, "cuda");
    gpu_runs++;
}

/* Only tables weigh by alpha. */
static void test_channel_offsets(void **state)
{
    (void)state;
    for (int engine = SATF_ENGINE_AUTO; engine <= SATF_ENGINE_WINDOW; engine++) {
        check_channel_offsets(gpu, false, (satf_engine)engine);
        if (engine != SATF_ENGINE_WINDOW) {
            check_channel_offsets(gpu, true, (satf_engine)engine);
        }
        gpu_runs++;
    }
    satf_context_set_engine(gpu, SATF_ENGINE_AUTO);
}

static void test_seam(void **state)
{
    (void)state;
    check_seam(gpu);
    gpu_runs++;
}

static void test_not_finite(void **state)
{
    (void)state;
    spoilt_check_all(gpu, "cuda");
    gpu_runs++;
}

int main(int argc, char **argv)
{
    gpu_test_begin(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_offsets),
        cmocka_unit_test(test_channel_offsets),
        cmocka_unit_test(test_seam),
        cmocka_unit_test(test_not_finite),
    };
    const struct CMUnitTest small_tests[] = {
        cmocka_unit_test(test_channel_offsets),
    };
    return gpu_test_end("test_gpu_floats",
                        gpu_small ? cmocka_run_group_tests(small_tests, gpu_set_up, gpu_tear_down)
                                  : cmocka_run_group_tests(tests, gpu_set_up, gpu_tear_down));
}
