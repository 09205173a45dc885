#include "cpu.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[SATF_ISA_COUNT] = {"base", "avx2", "avx512"};

static pthread_once_t detected = PTHREAD_ONCE_INIT;
static satf_isa best; /* written by detect() alone */
static _Atomic int limit = SATF_ISA_COUNT;

const char *satf_isa_name(satf_isa isa)
{
    return names[isa];
}

static void detect(void)
{
    best = SATF_ISA_BASE;
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
}

/* At loading nobody calls the library yet. pthread_once() is for constructors of others that run
 * before this one. */
__attribute__((constructor)) static void detect_at_loading(void)
{
    pthread_once(&detected, detect);
}

satf_isa satf_cpu_isa(void)
{
    pthread_once(&detected, detect);
    int most = atomic_load_explicit(&limit, memory_order_relaxed);
    return (int)best < most ? best : (satf_isa)most;
}

void satf_cpu_limit(satf_isa most)
{
    atomic_store_explicit(&limit, (int)most, memory_order_relaxed);
}
