/* The law of scale on a CUDA device: every filter, by each engine. */
#include "../filter_scale.h"
#include "program.h"

static void test_law(void **state)
{
    static const char *const names[] = {"a device", "a device's tables", "a device's windows"};
    (void)state;
    for (int engine = SATF_ENGINE_AUTO; engine <= SATF_ENGINE_WINDOW; engine++) {
        satf_context_set_engine(gpu, (satf_engine)engine);
        int done = scale_check_all(gpu, names[engine], engine == SATF_ENGINE_AUTO);
        assert_true(done > 0);
        gpu_runs += (unsigned long long)done;
    }
    satf_context_set_engine(gpu, SATF_ENGINE_AUTO);
}

int main(int argc, char **argv)
{
    gpu_test_begin(argc, argv);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_law)};
    return gpu_test_end("test_gpu_scale", cmocka_run_group_tests(tests, gpu_set_up, gpu_tear_down));
}
