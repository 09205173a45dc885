/* Opening the shared objects of formats. */
#include "module.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/device/backend.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#else
#define PACKAGE_VERSION "0.0.0"
#endif

static const io_services services = {.version = PACKAGE_VERSION,
                                     .bytes = IO_SERVICES_SIZES,
#define MEMBER(type, name, parameters, arguments) .name = name,
                                     IO_SERVICES(MEMBER, MEMBER)};

/* What has been tried, once for each format; what cannot be had is not looked for again. */
typedef struct module {
    const io_format *row; /* NULL: this place is free */
    bool there;
    bool no_memory; /* to open it: it is tried again */
    io_format format;
    char reason[512];
} module;

enum { MODULES = 8 }; /* more than there are */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static module modules[MODULES];

/* The file in the folder that SATFILTER_FORMATS names, else that of satf_beside(), else where the
 * linker looks. */
static void *module_open_object(const char *file, char path[SATF_PATH_BYTES], const char **error)
{
    const char *folder = secure_getenv("SATFILTER_FORMATS");
    if (folder && *folder) {
        snprintf(path, SATF_PATH_BYTES, "%s/%s", folder, file);
    } else if (!satf_beside(&lock, file, path)) {
        snprintf(path, SATF_PATH_BYTES, "%s", file);
    }
    return satf_open_object(path, error);
}

/* The linker names first what it has not found, which may be the library that the module needs. */
static void say_missing(module *m, const char *error, const char *file, const char *path)
{
    int n = (int)strcspn(error, ":");
    bool missing = strstr(error, ": No such file") != NULL;
    m->no_memory = errno == ENOMEM;
    if (missing && strncmp(error, path, strlen(path)) == 0) {
        m->no_memory |= access(path, F_OK) == 0; /* then it had no memory for the name */
        satf_text(m->reason, sizeof m->reason, "%.*s is not installed", SATF_MOST(file, 128));
    } else if (missing && n < 64) {
        satf_text(m->reason, sizeof m->reason,
                  "%.*s is not installed; on Debian and Ubuntu: apt install %s", n, error,
                  m->row->packages);
    } else {
        satf_text(m->reason, sizeof m->reason, "%.*s cannot be opened: %.*s", SATF_MOST(path, 128),
                  SATF_MOST(error, 256));
    }
}

static void open_module(module *m)
{
    char file[64], path[SATF_PATH_BYTES];
    snprintf(file, sizeof file, "libsatfilter-%s.so.0", m->row->name);
    const char *error;
    void *object = module_open_object(file, path, &error);
    if (!object) {
        say_missing(m, error, file, path);
        return;
    }
    io_module_entry entry;
    *(void **)&entry = dlsym(object, IO_MODULE_ENTRY_NAME);
    m->format = *m->row;
    m->there = entry && entry(&services, &m->format);
    if (!m->there) {
        satf_text(m->reason, sizeof m->reason,
                  "%.*s is of another version or build; install both from one",
                  SATF_MOST(path, 256));
        dlclose(object);
    }
}

/* The module of that row, tried; the lock is held. */
static module *module_find(const io_format *row)
{
    module *m = modules;
    while (m < modules + MODULES - 1 && m->row && m->row != row) {
        m++;
    }
    if (m->row != row || m->no_memory) {
        m->row = row;
        m->no_memory = false;
        open_module(m);
    }
    return m;
}

const char *io_format_missing(const io_format *row)
{
    if (!row->in_module) {
        return NULL;
    }
    pthread_mutex_lock(&lock);
    const module *m = module_find(row);
    const char *reason = m->there ? NULL : m->no_memory ? "there is no memory for it" : m->reason;
    pthread_mutex_unlock(&lock);
    return reason;
}

satf_status io_format_load(satf_context *ctx, const io_format *row, const io_format **format)
{
    *format = row;
    if (!row->in_module) {
        return SATF_OK;
    }
    pthread_mutex_lock(&lock);
    const module *m = module_find(row);
    satf_status status =
        m->there       ? SATF_OK
        : m->no_memory ? satf_fail(ctx, SATF_NO_MEMORY,
                                   "out of memory: the part of satfilter for %s files cannot be "
                                   "loaded",
                                   row->name)
                       : satf_fail(ctx, SATF_UNSUPPORTED, "%s files need a part of satfilter: %s",
                                   row->name, m->reason);
    *format = status ? NULL : &m->format;
    pthread_mutex_unlock(&lock);
    return status;
}
