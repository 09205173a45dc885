#include "device.h"

#include <string.h>

/* Compute capabilities that nvcc was told to compile for, times ten, ascending. */
static const int compiled[] = {__CUDA_ARCH_LIST__};

int cuda_driver_version(void)
{
    int version = 0;
    if (cudaDriverGetVersion(&version) != cudaSuccess) {
        cudaGetLastError();
        return 0;
    }
    return version;
}

int cuda_device_count(const char **why)
{
    int count = 0;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaSuccess && count > 0) {
        return count;
    }
    cudaGetLastError();
    if (why) {
        if (cuda_driver_version() == 0) {
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

bool cuda_device_describe(int device, cuda_device_info *info)
{
    cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, device) != cudaSuccess) {
        cudaGetLastError();
        return false;
    }
    static_assert(sizeof info->name == sizeof properties.name, "a name of CUDA's length");
    memcpy(info->name, properties.name, sizeof info->name);
    info->memory_bytes = properties.totalGlobalMem;
    info->major = properties.major;
    info->minor = properties.minor;
    /* The build holds machine code and PTX for each, so the driver can compile
     * for everything from the first one on. */
    info->runs_kernels = properties.major * 100 + properties.minor * 10 >= compiled[0];
    return true;
}
