/* The one door of the study's shared object, which reaches devices through the library's. */
#include "config.h"

#include "../base/check.h"

extern "C" {
#include "../../src/study/gpu.h"
}

static const satf_backend *library;

/* What this object calls. */
const satf_backend *satf_cuda(void)
{
    return library;
}

extern "C" __attribute__((visibility("default"))) const machine_backend *
MACHINE_ENTRY(const satf_backend *backend)
{
    static const machine_backend study = {
        sizeof(machine_backend),
        PACKAGE_VERSION,
#define CALL(result, name, parameters, otherwise) machine_cuda_##name,
#include "../../src/study/calls.h"
    };
    library = backend;
    return &study;
}
