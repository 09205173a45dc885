/* The law of scale on a CUDA device: every filter, by each engine. */
#include "filter_scale.h"
#include "program.h"

TEST_ALONE(test_law)
{
    static const char *const names[] = {"a device", "a device's tables", "a device's windows"};
    for (int engine = SATF_ENGINE_AUTO; engine <= SATF_ENGINE_WINDOW; engine++) {
        satf_context_set_engine(gpu, (satf_engine)engine);
        int done = scale_check_all(gpu, names[engine], engine == SATF_ENGINE_AUTO);
        assert_true(done > 0);
        gpu_runs += (unsigned long long)done;
    }
    satf_context_set_engine(gpu, SATF_ENGINE_AUTO);
}

GPU_TEST_FILE;
