/* What is not finite reaches only what contains it: every filter by every engine of the CPU. */
#include "test.h"
#include "base/cpu.h"
#include "not_finite.h"

TEST(test_every_filter)
{
    satf_context_set_threads(ctx, 2);
    spoilt_check_all(ctx, satf_isa_name(satf_cpu_isa()));
}

TEST_FILE(.every_isa = true)
