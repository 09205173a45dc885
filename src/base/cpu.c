/* The instruction sets and caches of this machine. */
#include "cpu.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "../satfilter.h"

static pthread_once_t detected = PTHREAD_ONCE_INIT;
static satf_isa best; /* written by detect() alone */
static _Atomic int limit = SATF_ISA_COUNT;

const char *satf_isa_name(satf_isa isa)
{
    switch (isa) {
    case SATF_ISA_BASE:
        return "base";
    case SATF_ISA_AVX2:
        return "avx2";
    case SATF_ISA_AVX512:
        return "avx512";
    case SATF_ISA_COUNT:
        break;
    }
    return NULL;
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
        if (strcmp(wanted, satf_isa_name((satf_isa)isa)) == 0) {
            best = (satf_isa)isa;
        }
    }
}

/* Nobody calls the library while it is loaded, but for constructors of others that run before this
 * one: pthread_once() is for these. */
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

const char *satf_instructions(size_t index)
{
    return index <= (size_t)satf_cpu_isa() ? satf_isa_name((satf_isa)index) : NULL;
}

void satf_cpu_name(char *name, size_t bytes)
{
    char line[256];
    struct utsname system;
    snprintf(name, bytes, "%s", uname(&system) == 0 ? system.machine : "unknown");
    FILE *file = fopen("/proc/cpuinfo", "re");
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (colon && strncmp(line, "model name", 10) == 0) {
            line[strcspn(line, "\n")] = '\0';
            snprintf(name, bytes, "%s", colon + (colon[1] == ' ' ? 2 : 1));
            break;
        }
    }
    if (file) {
        fclose(file);
    }
}

/* ------------------------------------------------------------------- caches */

/* Bounds and default of satf_stream_bytes(). */
#define LEAST_BYTES (INT64_C(4) << 20)
#define MOST_BYTES (INT64_C(32) << 20)
#define DEFAULT_BYTES (INT64_C(8) << 20)

static pthread_once_t looked_up = PTHREAD_ONCE_INIT;
static int64_t stream_bytes; /* written by look_up_caches() alone */

/* A small number with its unit, as Linux's files on caches have it: "3", "32768K"; 0 if unknown. */
static int64_t cpu_read_number(int cache, const char *what)
{
    char path[96], text[32];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", cache, what);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return 0;
    }
    ssize_t bytes = read(file, text, sizeof text - 1);
    close(file);
    text[bytes > 0 ? bytes : 0] = '\0';
    char *unit;
    int64_t number = strtoll(text, &unit, 10);
    return *unit == 'K' ? number << 10 : *unit == 'M' ? number << 20 : number;
}

/* The size of the cache of the highest level. The system's files tell what one core reaches;
 * sysconf() may add up the caches of all cores. */
static int64_t largest_cache(void)
{
    enum { CACHES = 8 };
    int64_t highest = 0, size = 0;
    for (int cache = 0; cache < CACHES; cache++) {
        int64_t level = cpu_read_number(cache, "level");
        if (level > highest) {
            highest = level;
            size = cpu_read_number(cache, "size");
        }
    }
#if defined _SC_LEVEL2_CACHE_SIZE && defined _SC_LEVEL3_CACHE_SIZE
    for (int k = 0; k < 2 && size <= 0; k++) {
        size = sysconf(k ? _SC_LEVEL2_CACHE_SIZE : _SC_LEVEL3_CACHE_SIZE);
    }
#endif
    return size > 0 ? size : 0;
}

int64_t satf_stream_bytes_for(int64_t cache_bytes)
{
    /* Others use the cache too, and the picture itself goes through it. A virtual machine shares a
     * cache of hundreds of megabytes with other machines. */
    int64_t share = cache_bytes / 4;
    return cache_bytes == 0      ? DEFAULT_BYTES
           : share < LEAST_BYTES ? LEAST_BYTES
           : share > MOST_BYTES  ? MOST_BYTES
                                 : share;
}

static void look_up_caches(void)
{
    stream_bytes = satf_stream_bytes_for(largest_cache());
}

int64_t satf_stream_bytes(void)
{
    pthread_once(&looked_up, look_up_caches);
    return stream_bytes;
}
