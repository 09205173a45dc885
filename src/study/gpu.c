/* The study's shared object. */
#include "gpu.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char why[SATF_PATH_BYTES]; /* it did not open */

static satf_status fail_missing(satf_context *ctx)
{
    satf_status status = satf_gpu_check(ctx, SATF_CUDA(0));
    return status
               ? status
               : satf_fail(ctx, SATF_NO_DEVICE,
                           MACHINE_FILE " of version %s is wanted beside " SATF_BACKEND_FILE "%s",
                           satf_version(), why);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define NO_STUDY(ctx) fail_missing(ctx)
#define CALL(result, name, parameters, otherwise) \
    static result none_##name parameters          \
    {                                             \
        return otherwise;                         \
    }
#include "calls.h"
#pragma GCC diagnostic pop

static const machine_backend none = {
#define CALL(result, name, parameters, otherwise) .name = none_##name,
#include "calls.h"
};
static const machine_backend *found = &none;

static void study_load(void)
{
    const satf_backend *backend = satf_cuda();
    char path[SATF_PATH_BYTES];
    bool there = !satf_cuda_missing() && satf_beside(backend, MACHINE_FILE, path);
    const char *error = NULL;
    void *object = there ? satf_open_object(path, &error) : NULL;
    if (error) {
        satf_text(why, sizeof why, ": %s", error);
    }
    if (object) {
        machine_entry entry;
        *(void **)&entry = dlsym(object, MACHINE_ENTRY_NAME);
        const machine_backend *study = entry ? entry(backend) : NULL;
        if (study && strncmp(study->version, satf_version(), sizeof study->version) == 0 &&
            study->bytes == sizeof *study) {
            found = study;
        }
    }
}

const machine_backend *machine_cuda(void)
{
    pthread_once(&once, study_load);
    return found;
}
