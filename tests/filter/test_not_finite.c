/* What is not finite reaches only what contains it: every filter by every engine of the CPU. */
#include "test.h"
#include "not_finite.h"
#include "base/cpu.h"

TEST(test_every_filter)
{
    satf_context_set_threads(ctx, 2);
    for (int isa = SATF_ISA_BASE; isa < SATF_ISA_COUNT; isa++) {
        satf_cpu_limit((satf_isa)isa);
        if ((int)satf_cpu_isa() == isa) {
            spoilt_check_all(ctx, satf_isa_name((satf_isa)isa));
        }
    }
    satf_cpu_limit(SATF_ISA_COUNT);
}
