/* What is not finite reaches only what contains it: every filter by every engine of the CPU. */
#include "not_finite.h"
#include "base/cpu.h"
#include "with_context.h"

static void test_every_filter(void **state)
{
    satf_context_set_threads(*state, 2);
    for (int isa = SATF_ISA_BASE; isa < SATF_ISA_COUNT; isa++) {
        satf_cpu_limit((satf_isa)isa);
        if ((int)satf_cpu_isa() == isa) {
            spoilt_check_all(*state, satf_isa_name((satf_isa)isa));
        }
    }
    satf_cpu_limit(SATF_ISA_COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_every_filter)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
