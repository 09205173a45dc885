/* The driver's calls that tests make themselves, as a program of its own contexts and streams does.
 */
#ifndef TESTS_GPU_DRIVER_H
#define TESTS_GPU_DRIVER_H

#include "test.h"
#include <dlfcn.h>

typedef void *handle;

static struct {
    int (*stream_create)(handle *, unsigned);
    int (*stream_destroy)(handle);
    int (*stream_wait)(handle);
    int (*capture)(handle, int);
    int (*end_capture)(handle, handle *);
    int (*instantiate)(handle *, handle, unsigned long long);
    int (*launch)(handle, handle);
    int (*destroy)(handle);
    int (*exec_destroy)(handle);
    int (*get_current)(handle *);
    int (*set_current)(handle);
    int (*retain)(handle *, int);
    int (*release)(int);
} driver;

static inline bool find_driver(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    const struct {
        const char *name;
        void *to;
    } calls[] = {{"cuStreamCreate", &driver.stream_create},
                 {"cuStreamDestroy_v2", &driver.stream_destroy},
                 {"cuStreamSynchronize", &driver.stream_wait},
                 {"cuStreamBeginCapture_v2", &driver.capture},
                 {"cuStreamEndCapture", &driver.end_capture},
                 {"cuGraphInstantiateWithFlags", &driver.instantiate},
                 {"cuGraphLaunch", &driver.launch},
                 {"cuGraphDestroy", &driver.destroy},
                 {"cuGraphExecDestroy", &driver.exec_destroy},
                 {"cuCtxGetCurrent", &driver.get_current},
                 {"cuCtxSetCurrent", &driver.set_current},
                 {"cuDevicePrimaryCtxRetain", &driver.retain},
                 {"cuDevicePrimaryCtxRelease_v2", &driver.release}};
    for (size_t i = 0; library && i < sizeof calls / sizeof *calls; i++) {
        void *call = dlsym(library, calls[i].name);
        if (!call) {
            return false;
        }
        memcpy(calls[i].to, &call, sizeof call);
    }
    return library != NULL;
}

#endif
