/* Opening the shared objects of formats. */
#include "module.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/backend.h"

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
    io_format format;
    char reason[512];
} module;

enum { MODULES = 8 }; /* more than there are */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static module modules[MODULES];

/* The file in the folder that SATFILTER_FORMATS names, else beside this library, else where the
 * linker looks. */
static void *open_object(const char *file, char path[SATF_PATH_BYTES])
{
    const char *folder = secure_getenv("SATFILTER_FORMATS");
    if (folder && *folder) {
        snprintf(path, SATF_PATH_BYTES, "%s/%s", folder, file);
    } else if (!satf_beside(&lock, file, path)) {
        snprintf(path, SATF_PATH_BYTES, "%s", file);
    }
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

/* The linker names first what it has not found, which may be the library that the module needs. */
static void say_missing(module *m, const char *error, const char *file, const char *path)
{
    int n = (int)strcspn(error, ":");
    bool missing = strstr(error, ": No such file") != NULL;
    if (missing && strncmp(error, path, strlen(path)) == 0) {
        snprintf(m->reason, sizeof m->reason, "%.128s is not installed", file);
    } else if (missing && n < 64) {
        snprintf(m->reason, sizeof m->reason,
                 "%.*s is not installed; on Debian and Ubuntu: apt install %s", n, error,
                 m->row->packages);
    } else {
        snprintf(m->reason, sizeof m->reason, "%.128s cannot be opened: %.256s", path, error);
    }
}

static void open_module(module *m)
{
    char file[64], path[SATF_PATH_BYTES];
    snprintf(file, sizeof file, "libsatfilter-%s.so.0", m->row->name);
    void *object = open_object(file, path);
    const char *error = object ? NULL : dlerror();
    if (error) {
        say_missing(m, error, file, path);
        return;
    }
    io_module_entry entry;
    *(void **)&entry = dlsym(object, IO_MODULE_ENTRY_NAME);
    m->format = *m->row;
    m->there = entry && entry(&services, &m->format);
    if (!m->there) {
        snprintf(m->reason, sizeof m->reason,
                 "%.256s is of another version or build; install both from one", path);
        dlclose(object);
    }
}

/* The module of that row, tried; the lock is held. */
static module *find(const io_format *row)
{
    module *m = modules;
    while (m < modules + MODULES - 1 && m->row && m->row != row) {
        m++;
    }
    if (m->row != row) {
        m->row = row;
        open_module(m);
    }
    return m;
}

static const module *load(const io_format *row)
{
    pthread_mutex_lock(&lock);
    const module *m = find(row);
    pthread_mutex_unlock(&lock);
    return m;
}

const char *io_format_missing(const io_format *row)
{
    const module *m = row->in_module ? load(row) : NULL;
    return m && !m->there ? m->reason : NULL;
}

satf_status io_format_load(satf_context *ctx, const io_format *row, const io_format **format)
{
    const module *m = row->in_module ? load(row) : NULL;
    *format = !m ? row : m->there ? &m->format : NULL;
    return *format ? SATF_OK
                   : satf_fail(ctx, SATF_UNSUPPORTED, "%s files need a part of satfilter: %s",
                               row->name, m->reason);
}
