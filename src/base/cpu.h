/* The builds of the CPU's kernels that this machine can run, and the sizes of its caches. */
#ifndef SATF_BASE_CPU_H
#define SATF_BASE_CPU_H

#include <stddef.h>
#include <stdint.h>

typedef enum satf_isa { SATF_ISA_BASE, SATF_ISA_AVX2, SATF_ISA_AVX512, SATF_ISA_COUNT } satf_isa;

/* A kernel source is compiled once per level with -DSATF_ISA=base, avx2 or
 * avx512; SATF_ISA_NAME(f) is then f_base, f_avx2 or f_avx512. */
#define SATF_ISA_PASTE_(name, isa) name##_##isa
#define SATF_ISA_PASTE(name, isa) SATF_ISA_PASTE_(name, isa)
#define SATF_ISA_NAME(name) SATF_ISA_PASTE(name, SATF_ISA)

/* The best level that was compiled in, that the CPU and the system support,
 * and that the environment variable SATFILTER_CPU (base, avx2 or avx512; for
 * testing) does not exclude. The variable is read when the library is loaded: another thread
 * may be changing the environment later, and nobody can read it safely then. */
satf_isa satf_cpu_isa(void);

/* Limits satf_cpu_isa() to `most` in all threads; SATF_ISA_COUNT lifts the limit. Tests walk all
 * levels in one process by it. */
void satf_cpu_limit(satf_isa most);

/* f_base, f_avx2 or f_avx512, as satf_cpu_isa() says; f: a function, or &f: a table's address. */
#ifdef SATF_HAVE_X86_ISA
#define SATF_ISA_CHOOSE(f)                          \
    (satf_cpu_isa() == SATF_ISA_AVX512 ? f##_avx512 \
     : satf_cpu_isa() == SATF_ISA_AVX2 ? f##_avx2   \
                                       : f##_base)
#else
#define SATF_ISA_CHOOSE(f) (f##_base)
#endif

/* "base", "avx2", "avx512". */
const char *satf_isa_name(satf_isa isa);

/* The processor's name where the system tells it, else the machine's kind. */
void satf_cpu_name(char *name, size_t bytes);

/* The least size of results that leave the caches before anybody reads them, by the largest cache:
 * writing around these (stores.h) saves reading the lines first, a third of the time. */
int64_t satf_stream_bytes(void);

/* The value of satf_stream_bytes() for a largest cache of that size; 0: the size is not known. */
int64_t satf_stream_bytes_for(int64_t cache_bytes);

#define SATF_STREAM_BYTES satf_stream_bytes()

#endif
