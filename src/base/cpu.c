#include "cpu.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[SATF_ISA_COUNT] = {"base", "avx2", "avx512"};

const char *satf_isa_name(satf_isa isa)
{
    return names[isa];
}

satf_isa satf_cpu_isa(void)
{
    satf_isa best = SATF_ISA_BASE;
#ifdef SATF_HAVE_X86_ISA
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
        __builtin_cpu_supports("fma")) {
        best = SATF_ISA_AVX2;
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
            __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
            best = SATF_ISA_AVX512;
        }
    }
#endif
    const char *wanted = getenv("SATFILTER_CPU");
    for (int isa = 0; wanted && isa < (int)best; isa++) {
        if (strcmp(wanted, names[isa]) == 0) {
            best = (satf_isa)isa;
        }
    }
    return best;
}
