/* Loading the backend. */
#include "backend.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../memory.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#else
#define PACKAGE_VERSION "0.0.0"
#endif
#ifndef SATF_MODULES /* without configure */
#define SATF_MODULES_FROM_BIN ""
#define SATF_MODULES ""
#endif

/* The backend is looked for once, even if there is none. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static char reason[640]; /* there is none */

/* The calls of the backend `none`, which fail. */
static int tell_why(const char **why)
{
    if (why) {
        *why = reason;
    }
    return 0;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define NO_DEVICE satf_fail(ctx, SATF_NO_DEVICE, SATF_GPU_NONE, reason)
#define CALL(result, name, parameters, otherwise) \
    static result none_##name parameters          \
    {                                             \
        return otherwise;                         \
    }
#include "calls.h"
#pragma GCC diagnostic pop

static const satf_backend none = {
#define CALL(result, name, parameters, otherwise) .name = none_##name,
#include "calls.h"
};
static const satf_backend *backend = &none;

/* Folders in which files are looked for: below the folder of the library, or of a program that
 * holds it; those that begin with / are as installed. */
static const char *const places[] = {"", "satfilter/", SATF_MODULES_FROM_BIN, SATF_MODULES};

bool satf_beside(const void *neighbour, const char *name, char path[SATF_PATH_BYTES])
{
    Dl_info at;
    char folder[PATH_MAX];
    bool known = dladdr(neighbour, &at) && at.dli_fname;
    /* A program that was found through PATH has no folder in its name. */
    const char *file = known && strchr(at.dli_fname, '/') ? at.dli_fname : "/proc/self/exe";
    char *end = known && realpath(file, folder) ? strrchr(folder, '/') : NULL;
    if (!end) {
        return false;
    }
    end[1] = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *from = *places[i] == '/' ? "" : folder;
        int length = snprintf(path, SATF_PATH_BYTES, "%s%s%s", from, places[i], name);
        if (length < SATF_PATH_BYTES && access(path, F_OK) == 0) {
            return true;
        }
    }
    return false;
}

/* glibc's linker takes less than this for libtiff and all that it needs. If it runs out of memory
 * on the way, it ends the process, or never gives its lock back. */
enum { LINKER_BYTES = 1 << 20 };

void *satf_open_object(const char *path, const char **error)
{
    *error = "out of memory";
    errno = ENOMEM;
    if (!satf_has_memory(LINKER_BYTES)) {
        return NULL;
    }
    errno = 0;
#ifdef __EMSCRIPTEN__ /* whose dlopen() ends the program */
    *error = "WebAssembly loads no other files";
    return NULL;
#else
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    *error = object ? NULL : dlerror();
    return object;
#endif
}

/* Opens the file of the variable, or the one in `path`, or what the linker finds. NULL, with the
 * reason set, if that fails. */
static void *backend_open_object(char path[SATF_PATH_BYTES], const char **name)
{
    const char *named = secure_getenv("SATFILTER_CUDA");
    *name = named ? named : satf_beside(&once, SATF_BACKEND_FILE, path) ? path : SATF_BACKEND_FILE;
    const char *error;
    void *object = satf_open_object(*name, &error);
    if (error && strncmp(error, *name, strlen(*name)) == 0 && strstr(error, "No such file")) {
        satf_text(reason, sizeof reason, "%.*s is not installed", SATF_MOST(*name, 256));
    } else if (error) { /* such as a library that it needs in turn */
        satf_text(reason, sizeof reason, "%.*s cannot be opened: %.*s", SATF_MOST(*name, 256),
                  SATF_MOST(error, 256));
    }
    return object;
}

static void backend_load(void)
{
    char path[SATF_PATH_BYTES];
    const char *name;
    void *object = backend_open_object(path, &name);
    if (!object) {
        return;
    }
    satf_backend_entry entry;
    *(void **)&entry = dlsym(object, SATF_BACKEND_ENTRY_NAME);
    const satf_backend *found = entry ? entry() : NULL;
    if (!found) {
        satf_text(reason, sizeof reason, "%.*s is no backend", SATF_MOST(name, 256));
    } else if (strncmp(found->version, PACKAGE_VERSION, sizeof found->version) != 0) {
        satf_text(reason, sizeof reason,
                  "%.*s is of version %.*s and this library of %s: install both from one build",
                  SATF_MOST(name, 256), SATF_MOST(found->version, 31), PACKAGE_VERSION);
    } else if (found->bytes != sizeof *found || found->context_bytes != sizeof(satf_context)) {
        satf_text(reason, sizeof reason,
                  "%.*s is of another build of version %s: install both from one",
                  SATF_MOST(name, 256), PACKAGE_VERSION);
    } else {
        backend = found;
        return;
    }
    dlclose(object);
}

const satf_backend *satf_cuda(void)
{
    pthread_once(&once, backend_load);
    return backend;
}

const char *satf_cuda_missing(void)
{
    return satf_cuda() == &none ? reason : NULL;
}
