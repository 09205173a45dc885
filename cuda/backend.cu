/* The shared object's one door: the table of calls that the library makes. */
#include "config.h"

#include "base/check.h"

extern "C" {
#include "../src/base/device/backend.h"
}

/* What src/base/device/gpu.c calls within this object. */
const satf_backend *satf_cuda(void)
{
    static const satf_backend backend = {
        sizeof(satf_backend),
        sizeof(satf_context),
        PACKAGE_VERSION,
#define CALL(result, name, parameters, otherwise) cuda_##name,
#include "../src/base/device/calls.h"
    };
    return &backend;
}

extern "C" __attribute__((visibility("default"))) const satf_backend *SATF_BACKEND_ENTRY(void)
{
    return satf_cuda();
}
