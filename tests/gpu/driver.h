/* The driver's calls that tests make themselves, as a program of its own contexts and streams does.
 */
#ifndef TESTS_GPU_DRIVER_H
#define TESTS_GPU_DRIVER_H

#include "test.h"
#include <dlfcn.h>

typedef void *handle;

/* Each with the driver's name for it. */
#define DRIVER_CALLS(CALL)                                                                 \
    CALL(stream_create, cuStreamCreate, (handle *, unsigned))                              \
    CALL(stream_destroy, cuStreamDestroy_v2, (handle))                                     \
    CALL(stream_wait, cuStreamSynchronize, (handle))                                       \
    CALL(capture, cuStreamBeginCapture_v2, (handle, int))                                  \
    CALL(end_capture, cuStreamEndCapture, (handle, handle *))                              \
    CALL(instantiate, cuGraphInstantiateWithFlags, (handle *, handle, unsigned long long)) \
    CALL(launch, cuGraphLaunch, (handle, handle))                                          \
    CALL(destroy, cuGraphDestroy, (handle))                                                \
    CALL(exec_destroy, cuGraphExecDestroy, (handle))                                       \
    CALL(get_current, cuCtxGetCurrent, (handle *))                                         \
    CALL(set_current, cuCtxSetCurrent, (handle))                                           \
    CALL(retain, cuDevicePrimaryCtxRetain, (handle *, int))                                \
    CALL(release, cuDevicePrimaryCtxRelease_v2, (int))

static struct {
#define MEMBER(member, name, parameters) int(*member) parameters;
    DRIVER_CALLS(MEMBER)
#undef MEMBER
} driver;

static inline bool find_driver(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    bool found = library != NULL;
#define FIND(member, name, parameters)                               \
    *(void **)&driver.member = found ? dlsym(library, #name) : NULL; \
    found = driver.member != NULL;
    DRIVER_CALLS(FIND)
#undef FIND
    return found;
}

#endif
