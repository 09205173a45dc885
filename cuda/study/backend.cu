/* The one door of the study's shared object, which reaches devices through the library's. */
#include "config.h"

#include "../base/check.h"

extern "C" {
#include "../../src/study/gpu.h"
}

static const satf_backend *library;

/* What src/base/gpu.c asks within this object. */
const satf_backend *satf_backend_get(const char **)
{
    return library;
}

extern "C" __attribute__((visibility("default"))) const machine_gpu_calls *
MACHINE_ENTRY(const satf_backend *backend)
{
    static const machine_gpu_calls calls = {
        sizeof(machine_gpu_calls),
        PACKAGE_VERSION,
        machine_cuda_transpose,
        machine_cuda_tiles,
        machine_cuda_tiles_residence,
        machine_cuda_structs,
        machine_cuda_copy,
        machine_cuda_powers,
        machine_cuda_powers_shared,
        machine_cuda_product,
        machine_cuda_permute,
        machine_cuda_convert,
        machine_cuda_truth,
        machine_cuda_compare,
    };
    library = backend;
    return &calls;
}
