/* The CUDA devices of this machine. */
#include "config.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "check.h"

/* The capabilities, times ten, of this build's machine code, ascending, 0 behind the last; and the
 * capability whose code the driver can compile for it and for all later ones. */
static const int machine_code[] = {SATF_CUDA_CODE};
static const int driver_code = SATF_CUDA_PTX;

/* Machine code serves later minor numbers of its major one. */
static void look_at_code(satf_gpu_info *info)
{
    size_t used = 0;
    info->code[0] = '\0';
    info->runs_kernels = false;
    for (const int *code = machine_code; *code; code++) {
        info->runs_kernels |= *code / 10 == info->major && *code % 10 <= info->minor;
        if (used < sizeof info->code) {
            used += (size_t)snprintf(info->code + used, sizeof info->code - used, "%s%d.%d",
                                     used ? ", " : "", *code / 10, *code % 10);
        }
    }
    info->compiles = !info->runs_kernels && driver_code <= info->major * 10 + info->minor;
}

/* 1000 * major + 10 * minor; 0 without a driver. */
static int driver_version(void)
{
    int version = 0;
    if (cudaDriverGetVersion(&version) != cudaSuccess) {
        cudaGetLastError();
        return 0;
    }
    return version;
}

int cuda_count(const char **why)
{
    int count = 0;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaSuccess && count > 0) {
        return count;
    }
    cudaGetLastError();
    if (why) {
        if (driver_version() == 0) {
            *why = "the NVIDIA driver is not installed";
        } else if (error == cudaErrorInsufficientDriver) {
            *why = "the NVIDIA driver is older than this program's CUDA version";
        } else if (error == cudaSuccess || error == cudaErrorNoDevice) {
            *why = "the NVIDIA driver finds none";
        } else {
            *why = cudaGetErrorString(error);
        }
    }
    return 0;
}

/* "580.65.06, CUDA 13.0", or only the latter. */
static void name_driver(char *text, size_t bytes)
{
    char module[32] = "";
    FILE *file = fopen("/sys/module/nvidia/version", "r");
    if (file) {
        if (fscanf(file, "%31s", module) != 1) {
            module[0] = '\0';
        }
        fclose(file);
    }
    int version = driver_version();
    snprintf(text, bytes, "%s%sCUDA %d.%d", module, module[0] ? ", " : "", version / 1000,
             version % 1000 / 10);
}

bool cuda_describe(int device, satf_gpu_info *info)
{
    cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, satf_gpu_ordinal(device)) != cudaSuccess) {
        cudaGetLastError();
        return false;
    }
    static_assert(sizeof info->name == sizeof properties.name, "a name of CUDA's length");
    memcpy(info->name, properties.name, sizeof info->name);
    info->memory_bytes = properties.totalGlobalMem;
    info->major = properties.major;
    info->minor = properties.minor;
    info->multiprocessors = properties.multiProcessorCount;
    info->l2_bytes = properties.l2CacheSize;
    name_driver(info->driver, sizeof info->driver);
    look_at_code(info);
    return true;
}

/* The driver takes nearly a millisecond to tell a clock's rate, so it is asked once. */
bool cuda_speed(int device, double *clock_khz, double *bytes_per_second)
{
    enum { DEVICES = 64 };
    static struct {
        int clock_khz, memory_khz, bits;
    } known[DEVICES];
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    int n = satf_gpu_ordinal(device);
    if (n < 0 || n >= DEVICES) {
        return false;
    }
    pthread_mutex_lock(&lock);
    auto *speed = &known[n];
    bool told =
        speed->bits > 0 ||
        (cudaDeviceGetAttribute(&speed->clock_khz, cudaDevAttrClockRate, n) == cudaSuccess &&
         cudaDeviceGetAttribute(&speed->memory_khz, cudaDevAttrMemoryClockRate, n) == cudaSuccess &&
         cudaDeviceGetAttribute(&speed->bits, cudaDevAttrGlobalMemoryBusWidth, n) == cudaSuccess);
    if (!told) {
        cudaGetLastError();
    }
    told = told && speed->clock_khz > 0 && speed->memory_khz > 0;
    if (told) {
        *clock_khz = speed->clock_khz;
        *bytes_per_second = 2e3 * speed->memory_khz * (speed->bits / 8); /* two transfers a clock */
    }
    pthread_mutex_unlock(&lock);
    return told;
}
