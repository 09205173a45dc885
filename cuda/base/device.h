/* The CUDA devices of this machine, as plain C. Nothing here needs a device to
 * be there, and no failure leaves an error behind in the CUDA runtime. */
#ifndef CUDA_BASE_DEVICE_H
#define CUDA_BASE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cuda_device_info {
    char name[256];
    size_t memory_bytes;
    int major, minor;  /* compute capability */
    bool runs_kernels; /* the kernels of this build are compiled for it, or can be by its driver */
} cuda_device_info;

/* How many CUDA devices there are. If none, and why is not NULL, *why becomes
 * a clause that says the reason (static storage). */
int cuda_device_count(const char **why);

/* Describes device 0 ... cuda_device_count() - 1 without starting work on it;
 * false, and *info untouched, if the device does not answer. */
bool cuda_device_describe(int device, cuda_device_info *info);

/* The CUDA version that the installed driver supports, 1000 * major + 10 *
 * minor; 0 without a driver. */
int cuda_driver_version(void);

#ifdef __cplusplus
}
#endif
#endif
